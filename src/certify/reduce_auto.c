// reduce_auto.c - what `velocities: auto` stands for: the bodies and variables whose inertia can be
// neglected, found along a pilot.
//
// Each candidate is split off alone and they are sorted, the fastest first. Of the sets that take them in
// this order, those are looked at whose layer is faster than the rest and decays at every point of the
// pilot, whose reactions the rest bears, that leave something to move, and that make a method take more
// steps than the pilot took. They are tried, the widest gap first, as a reduced model: the first whose error
// by the first-order term of the expansion (CERT-7) stays below the tolerance is taken.
#include "base/number.h"
#include "certify/certificate_parts.h"
#include "certify/scaled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_SETS 64
#define MOST_TRIALS 4

typedef struct candidate {
    const char *item;
    int first, n; // velocities
    double fast;  // rate of its layer when split off alone; 0: cannot be
} candidate;

// A set of the first candidates.
typedef struct set {
    int size;
    flx_course_split split;
} set;

typedef struct search {
    flx_simulation *full;
    const flx_model *model; // with what the user asks for
    flx_arena *arena;       // owned: frozen equations
    flx_pilot pilot;
    flx_frozen frozen[FLX_PILOT_POINTS + 1];
    bool is_frozen[FLX_PILOT_POINTS + 1], can_freeze[FLX_PILOT_POINTS + 1];
    int ncandidate;
    candidate *candidates; // owned
    int *J;                // (nv) owned: scratch, ascending
    int nset;
    set sets[MOST_SETS];
    // the best so far
    int best;
    flx_course_split split;
    double error;
    double nearest;     // gap of the set that came nearest, ...
    char obstacle[240]; // ... and what it lacks
} search;

// ---- candidates ---------------------------------------------------------------------------------

// Velocities of one body are taken together; variables and modes of flexible bodies are items by themselves.
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

// The equations at a point of the pilot; NULL: they cannot be evaluated there.
static flx_status freeze(search *s, int k, const flx_frozen **out)
{
    int before = flx_ctx_error_count(s->full->ctx);
    flx_status status = FLX_OK;
    if (!s->is_frozen[k]) {
        s->is_frozen[k] = true;
        status =
            flx_frozen_create(s->full->sys, s->full->work, s->pilot.x[k], s->arena, &s->frozen[k]);
        if (status == FLX_OK) status = flx_frozen_free(&s->frozen[k], s->arena);
        if (status == FLX_ERR_MEMORY) return status;
        s->can_freeze[k] = status == FLX_OK;
        flx_ctx_forget_errors(s->full->ctx, before);
    }
    *out = s->can_freeze[k] ? &s->frozen[k] : NULL;
    return FLX_OK;
}

// At the start: its own rate.
static flx_status rank_candidates(search *s)
{
    const flx_frozen *f;
    flx_split split;
    FLX_TRY(freeze(s, 0, &f));
    for (int c = 0; f && c < s->ncandidate; c++) {
        candidate *a = &s->candidates[c];
        for (int i = 0; i < a->n; i++) s->J[i] = a->first + i;
        FLX_TRY(flx_split_find(f, a->n, s->J, &split, NULL));
        if (split.bears && split.known) a->fast = split.fast;
    }
    for (int i = 1; i < s->ncandidate; i++) { // by rate, stable
        candidate a = s->candidates[i];
        int k = i;
        for (; k > 0 && s->candidates[k - 1].fast < a.fast; k--)
            s->candidates[k] = s->candidates[k - 1];
        s->candidates[k] = a;
    }
    return FLX_OK;
}

// The coordinate that the fastest scaled motion is (CERT-9), to the front.
static flx_status put_scaled_first(search *s)
{
    flx_scaled_course course;
    if (s->model->nscaled == 0) return FLX_OK;
    FLX_TRY(flx_scaled_course_find(s->full, s->model, &s->pilot, &course));
    for (int c = 0; course.same && c < s->ncandidate; c++) {
        candidate a = s->candidates[c];
        if (course.start.coordinate < a.first || course.start.coordinate >= a.first + a.n) continue;
        memmove(s->candidates + 1, s->candidates, (size_t)c * sizeof a);
        s->candidates[0] = a;
        break;
    }
    return FLX_OK;
}

// ---- sets ---------------------------------------------------------------------------------------

// Why a set cannot be taken; "": it may be.
static void judge(const search *s, const flx_course_split *c, char *why, size_t size)
{
    const flx_split *w = &c->worst;
    double length = s->full->until - s->full->start->t;
    double enough = log(1.0 / fmin(s->model->reduce_tolerance, 0.5));
    why[0] = '\0';
    if (!isnan(c->refused_at)) {
        flx_snprintf(why, size, "%s at t = %.3g",
                     w->bears ? "it has no inertia of its own"
                              : "the rest cannot bear its reactions",
                     c->refused_at);
    } else if (w->layer >= w->all) {
        flx_snprintf(why, size, "nothing would be left to move");
    } else if (!(w->gap >= FLX_SPLIT_GAP)) {
        flx_snprintf(why, size, "it is only %.2g times faster than the rest at t = %.3g", w->gap,
                     c->gap_at);
    } else if (!(w->decay * length >= enough)) {
        flx_snprintf(why, size, "its vibrations decay with %.3g/s, too slowly for %.3g s", w->decay,
                     length);
    } else if (!(w->fast * length >= (double)s->pilot.steps)) {
        flx_snprintf(
            why, size,
            "its rate, %.3g/s, is not fast for a run of %.3g s, which takes %ld steps anyhow",
            w->fast, length, s->pilot.steps);
    }
}

static void keep_obstacle(search *s, double gap, const char *why)
{
    if (!isfinite(gap)) gap = 0.0; // nothing else is left: the last to be told
    if (s->obstacle[0] != '\0' && !(gap > s->nearest)) return;
    s->nearest = gap;
    flx_snprintf(s->obstacle, sizeof s->obstacle, "%s", why);
}

// A set along the pilot, as far as nothing is against it.
static flx_status look_at_set(search *s, int k)
{
    set *a = &s->sets[s->nset];
    int n = collect(s, k);
    char why[sizeof s->obstacle] = "";
    *a = (set){.size = k, .split = FLX_COURSE_SPLIT_NONE};
    for (int p = 0; p < s->pilot.n && why[0] == '\0'; p++) {
        const flx_frozen *f;
        FLX_TRY(freeze(s, p, &f));
        if (f) FLX_TRY(flx_course_split_add(&a->split, f, n, s->J, s->pilot.x[p]->t));
        if (a->split.points > 0 || !isnan(a->split.refused_at))
            judge(s, &a->split, why, sizeof why);
    }
    if (why[0] != '\0') {
        keep_obstacle(s, a->split.worst.gap, why);
    } else if (a->split.points > 0) {
        s->nset++;
    }
    return FLX_OK;
}

static flx_status look_at_sets(search *s)
{
    for (int k = 1; k <= s->ncandidate && k <= MOST_SETS && s->candidates[k - 1].fast > 0.0; k++) {
        FLX_TRY(look_at_set(s, k));
    }
    for (int i = 1; i < s->nset; i++) { // the widest gap first, stable
        set a = s->sets[i];
        int k = i;
        for (; k > 0 && s->sets[k - 1].split.worst.gap < a.split.worst.gap; k--)
            s->sets[k] = s->sets[k - 1];
        s->sets[k] = a;
    }
    return FLX_OK;
}

// ---- trial --------------------------------------------------------------------------------------

// The item of this name, as `reduce` would name it.
static flx_reduced find_item(const flx_model *m, const char *name)
{
    for (int i = 0; i < m->nvariable; i++) {
        if (m->variables[i].name == name) return (flx_reduced){.variable = true, .number = i};
    }
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].name == name) return (flx_reduced){.joint = true, .number = i};
    }
    int body = 0;
    while (body < m->nbody - 1 && m->bodies[body].name != name) body++;
    return (flx_reduced){.number = body};
}

// The first-order term of the model that lacks the inertia of a set; error: HUGE_VAL where there is none.
static flx_status expect_error(search *s, const set *a, const flx_model *model, double *error)
{
    flx_certificate *c = flx_alloc(s->full->ctx, 1, sizeof *c);
    if (!c) return FLX_ERR_MEMORY;
    *error = HUGE_VAL;
    c->ctx = s->full->ctx;
    c->full = s->full;
    c->numbers =
        (flx_certificate_numbers){.next = a->split.worst.next, .decay = a->split.worst.decay};
    flx_status status = flx_simulation_create_as_it_is(model, &c->reduced);
    if (status == FLX_OK) {
        status = flx_certificate_expect(c, s->pilot.until - s->full->start->t);
        if (status == FLX_OK) *error = c->expected_part;
    }
    flx_simulation_destroy(&c->reduced);
    flx_free(c->expected);
    flx_free(c);
    return status;
}

static flx_status try_set(search *s, const set *a, bool *good)
{
    flx_ctx *ctx = s->full->ctx;
    flx_model model = *s->model;
    flx_reduced *items = flx_arena_take(s->arena, (size_t)a->size, sizeof *items);
    if (!items) return FLX_ERR_MEMORY;
    for (int i = 0; i < a->size; i++) items[i] = find_item(&model, s->candidates[i].item);
    model.nreduced = a->size;
    model.reduced = items;
    model.reduce_auto = model.reduce_corrected = model.reduce_layer = false;
    int errors = flx_ctx_error_count(ctx), warnings = flx_ctx_warning_count(ctx);
    char why[sizeof s->obstacle];
    double error;
    flx_status status = expect_error(s, a, &model, &error);
    if (status == FLX_ERR_MEMORY) return status;
    *good = error <= model.reduce_tolerance;
    if (*good) {
        s->error = error;
    } else if (flx_ctx_error_count(ctx) > errors) {
        flx_snprintf(why, sizeof why, "%s", flx_ctx_error(ctx, errors)->text);
    } else {
        flx_snprintf(why, sizeof why,
                     "the error to expect, %.2g of the size of a coordinate, is above %.2g", error,
                     model.reduce_tolerance);
    }
    flx_ctx_forget_errors(ctx, errors);
    flx_ctx_forget_warnings(ctx, warnings);
    if (!*good) keep_obstacle(s, a->split.worst.gap, why);
    return FLX_OK;
}

static flx_status try_sets(search *s)
{
    bool good = false;
    for (int i = 0; i < s->nset && i < MOST_TRIALS && !good; i++) {
        FLX_TRY(try_set(s, &s->sets[i], &good));
        if (!good) continue;
        s->best = s->sets[i].size;
        s->split = s->sets[i].split;
    }
    return FLX_OK;
}

// ---- together -----------------------------------------------------------------------------------

static flx_status keep_names(const search *s, flx_arena *arena, flx_neglect *out)
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

static flx_status report(search *s, double clock, flx_arena *arena, flx_neglect *out)
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
    flx_snprintf(pilot, sizeof pilot, "found in %.2g s along a pilot of %ld steps to t = %.3g",
                 seconds, s->pilot.steps, s->pilot.until);
    if (n > 0) {
        out->reason = flx_arena_printf(
            arena,
            "at least %.3g times faster than the rest, decays with %.3g/s, error to expect %.2g of "
            "the size of a coordinate; %s",
            w->gap, w->decay, s->error, pilot);
    } else {
        out->reason =
            flx_arena_printf(arena, "nothing to reduce%s%s; %s",
                             s->obstacle[0] ? ": of what is fastest, " : "", s->obstacle, pilot);
    }
    return out->reason ? FLX_OK : FLX_ERR_MEMORY;
}

static flx_status find(search *s)
{
    FLX_TRY(flx_pilot_run(s->full, &s->pilot));
    FLX_TRY(list_candidates(s));
    FLX_TRY(rank_candidates(s));
    FLX_TRY(put_scaled_first(s));
    FLX_TRY(look_at_sets(s));
    return try_sets(s);
}

flx_status flx_reduction_find(flx_simulation *full, const flx_model *model, flx_arena *arena,
                              flx_neglect *out)
{
    double clock = flx_clock_seconds();
    *out = (flx_neglect){0};
    if (flx_dims_unknowns(&full->sys->dims) > FLX_FROZEN_MOST) {
        out->reason = flx_arena_printf(
            arena,
            "nothing is reduced: `auto` looks at systems of at most %d unknowns, this one has %d",
            FLX_FROZEN_MOST, flx_dims_unknowns(&full->sys->dims));
        return out->reason ? FLX_OK : FLX_ERR_MEMORY;
    }
    search *s = flx_alloc(full->ctx, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->full = full;
    s->model = model;
    s->arena = flx_arena_create(full->ctx);
    flx_status status = s->arena ? find(s) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = report(s, clock, arena, out);
    flx_pilot_clear(&s->pilot);
    flx_free(s->candidates);
    flx_free(s->J);
    flx_arena_destroy(&s->arena);
    flx_free(s);
    return status;
}
