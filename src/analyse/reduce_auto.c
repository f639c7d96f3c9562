// reduce_auto.c - what `velocities: auto` stands for: the bodies and variables whose inertia can be
// neglected, found along a pilot.
//
// Each candidate is split off alone and they are sorted, the fastest first. Of the sets that take them
// in this order, those are admitted whose layer decays at every point of the pilot, and soon against
// the run, which are fast enough to make the steps of a method short, whose reactions the rest bears, and
// whose error by the gap stays below the tolerance; the one with the widest gap is taken (CERT-6).
#include "analyse/pilot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GAP 2.5    // at least so many times faster than the rest, everywhere
#define MANY 100.0 // radians of the fast part in the run: less do not make it expensive
#define SOON 5.0   // decay times of the layer in the run
#define MOST_SETS 64

typedef struct candidate {
    const char *item;
    int first, n; // velocities
    double fast;  // rate of its layer when split off alone; 0: cannot be
} candidate;

typedef struct search {
    flx_simulation *full;
    flx_pilot pilot;
    double tolerance;
    int ncandidate;
    candidate *candidates; // owned
    int *J;                // (nv) owned: scratch, ascending
    // the best so far
    int best;
    flx_course_split split;
    double error;
    char obstacle[200]; // of the set that came nearest
} search;

// ---- candidates ---------------------------------------------------------------------------------

// Velocities of one body are taken together; variables and modes of elastic bodies are items by themselves.
static flx_status list_candidates(search *s)
{
    const flx_system *sys = s->full->sys;
    int nv = sys->dims.nv;
    s->candidates = flx_alloc(s->full->ctx, (size_t)nv, sizeof *s->candidates);
    s->J = flx_alloc(s->full->ctx, (size_t)nv, sizeof *s->J);
    if (!s->candidates || !s->J) return FLX_ERR_MEMORY;
    for (int i = 0; i < nv; i++) {
        flx_unknown u = {0};
        sys->ops->unknown(sys, i, &u);
        candidate *last = s->ncandidate > 0 ? &s->candidates[s->ncandidate - 1] : NULL;
        if (last && last->item == u.item) {
            last->n++;
        } else {
            s->candidates[s->ncandidate++] = (candidate){.item = u.item, .first = i, .n = 1};
        }
    }
    return FLX_OK;
}

// The velocities of the first k candidates, ascending.
static int collect(search *s, int k)
{
    int n = 0;
    for (int i = 0; i < s->full->sys->dims.nv; i++) {
        for (int c = 0; c < k; c++) {
            const candidate *a = &s->candidates[c];
            if (i >= a->first && i < a->first + a->n) s->J[n++] = i;
        }
    }
    return n;
}

// At the start: its own rate.
static flx_status rank_candidates(search *s)
{
    flx_frozen f;
    flx_split split;
    flx_arena *arena = flx_arena_create(s->full->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_status status = flx_frozen_create(s->full->sys, s->full->work, s->pilot.x[0], arena, &f);
    for (int c = 0; c < s->ncandidate && status == FLX_OK; c++) {
        candidate *a = &s->candidates[c];
        for (int i = 0; i < a->n; i++) s->J[i] = a->first + i;
        status = flx_split_find(&f, a->n, s->J, &split, NULL);
        if (status == FLX_OK && split.bears && split.known) a->fast = split.fast;
    }
    flx_arena_destroy(&arena);
    if (status != FLX_OK) return status;
    for (int i = 1; i < s->ncandidate; i++) { // by rate, stable
        candidate a = s->candidates[i];
        int k = i;
        for (; k > 0 && s->candidates[k - 1].fast < a.fast; k--)
            s->candidates[k] = s->candidates[k - 1];
        s->candidates[k] = a;
    }
    return FLX_OK;
}

// ---- sets ---------------------------------------------------------------------------------------

// (CERT-6): what a motion as slow as the next rate leaves of the fast part's inertia, as a part of the
// size of the coordinates.
static double expect_error(const search *s, int n, const flx_split *w)
{
    double error = 0.0;
    for (int i = 0; i < n; i++) {
        flx_unknown u = {0};
        s->full->sys->ops->unknown(s->full->sys, s->J[i], &u);
        double size = s->pilot.moved[s->J[i]] / (u.scale > 0.0 ? u.scale : 1.0);
        error = fmax(error, size / (w->vibrates ? w->gap * w->gap : w->gap));
    }
    return error;
}

// Why a set cannot be taken; "": it can.
static void judge(const search *s, const flx_course_split *c, double error, char *why, size_t size)
{
    const flx_split *w = &c->worst;
    double length = s->full->until - s->full->start->t;
    why[0] = '\0';
    if (!isnan(c->refused_at)) {
        snprintf(why, size, "%s at t = %.3g",
                 w->bears ? "it has no inertia of its own" : "the rest cannot bear its reactions",
                 c->refused_at);
    } else if (!(w->gap >= GAP)) {
        snprintf(why, size, "it is only %.2g times faster than the rest at t = %.3g", w->gap,
                 c->gap_at);
    } else if (!(w->decay * length >= SOON)) {
        snprintf(why, size, "its vibrations decay with %.3g/s, too slowly for %.3g s", w->decay,
                 length);
    } else if (!(w->fast * length >= MANY)) {
        snprintf(why, size, "its fastest rate, %.3g/s, is not fast for a run of %.3g s", w->fast,
                 length);
    } else if (!(error <= s->tolerance)) {
        snprintf(why, size, "the error to expect, %.2g of its size, is above %.2g", error,
                 s->tolerance);
    }
}

static flx_status try_sets(search *s)
{
    double widest = 0.0, nearest = 0.0;
    for (int k = 1; k <= s->ncandidate && k <= MOST_SETS && s->candidates[k - 1].fast > 0.0; k++) {
        int n = collect(s, k);
        flx_course_split c;
        char why[sizeof s->obstacle];
        FLX_TRY(flx_course_split_find(s->full, &s->pilot, n, s->J, &c));
        double error = expect_error(s, n, &c.worst);
        judge(s, &c, error, why, sizeof why);
        if (why[0] == '\0' && c.worst.gap > widest) {
            widest = c.worst.gap;
            s->best = k;
            s->split = c;
            s->error = error;
        }
        if (why[0] != '\0' && (k == 1 || c.worst.gap > nearest)) {
            nearest = c.worst.gap;
            memcpy(s->obstacle, why, sizeof why);
        }
    }
    return FLX_OK;
}

// ---- together -----------------------------------------------------------------------------------

static flx_status keep_names(const search *s, flx_arena *arena, flx_reduction *out)
{
    out->names = flx_arena_take(arena, (size_t)s->best, sizeof *out->names);
    if (!out->names) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->best; i++) {
        const char *name = s->candidates[i].item;
        out->names[out->nname] = flx_arena_copy(arena, name, strlen(name));
        if (!out->names[out->nname++]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status report(search *s, double clock, flx_arena *arena, flx_reduction *out)
{
    const flx_split *w = &s->split.worst;
    double seconds = flx_clock_seconds() - clock;
    int n = collect(s, s->best);
    out->n = n;
    out->J = flx_arena_take(arena, (size_t)n, sizeof *out->J);
    if (!out->J) return FLX_ERR_MEMORY;
    memcpy(out->J, s->J, (size_t)n * sizeof *out->J);
    FLX_TRY(keep_names(s, arena, out));
    char pilot[120];
    snprintf(pilot, sizeof pilot, "found in %.2g s along a pilot of %ld steps to t = %.3g", seconds,
             s->pilot.steps, s->pilot.until);
    if (n > 0) {
        out->reason = flx_arena_printf(
            arena, "at least %.3g times faster than the rest, decays with %.3g/s; %s", w->gap,
            w->decay, pilot);
    } else {
        out->reason =
            flx_arena_printf(arena, "nothing to reduce%s%s; %s",
                             s->obstacle[0] ? ": of what is fastest, " : "", s->obstacle, pilot);
    }
    return out->reason ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_reduction_find(flx_simulation *full, double tolerance, flx_arena *arena,
                              flx_reduction *out)
{
    search s = {.full = full, .tolerance = tolerance};
    double clock = flx_clock_seconds();
    *out = (flx_reduction){0};
    if (flx_dims_unknowns(&full->sys->dims) > FLX_FROZEN_MOST) {
        out->reason = flx_arena_printf(
            arena,
            "nothing is reduced: `auto` looks at systems of at most %d unknowns, this one has %d",
            FLX_FROZEN_MOST, flx_dims_unknowns(&full->sys->dims));
        return out->reason ? FLX_OK : FLX_ERR_MEMORY;
    }
    flx_status status = flx_pilot_run(full, &s.pilot);
    if (status == FLX_OK) status = list_candidates(&s);
    if (status == FLX_OK) status = rank_candidates(&s);
    if (status == FLX_OK) status = try_sets(&s);
    if (status == FLX_OK) status = report(&s, clock, arena, out);
    flx_pilot_clear(&s.pilot);
    flx_free(s.candidates);
    flx_free(s.J);
    return status;
}
