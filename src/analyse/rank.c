// rank.c - which constraints say the same as others, and which only do so in the position at hand.
//
// The rank of G (with A below it) is found at the start and at two displaced positions. Rows that
// are dependent at the displaced ones are redundant, if they stay so where the others let the mechanism go; what is
// dependent at the start only makes the start a singular position. Theory: docs/theory/start.md.
#include "analyse/rank_parts.h"
#include "base/refuse.h"

#include <math.h>
#include <string.h>

#define DENSE_ROWS 300
// Displacement against the scale of coordinates.
#define DISPLACEMENT 0.1
// The same with the redundant rows left out, small beside what the geometry of a position may change.
#define BESIDE 0.05
// Rows left out that have more than this part of their own are looked at along so many ways.
#define INACCURATE 1e-6
#define MORE_WAYS 8
// It is closed again with a damping, but exactly where that can be: with this one, in so many steps, to
// these parts of the scale of the rows, and with more than this part of a random velocity left.
#define LEAST_DAMPING 1e-13
#define CLOSING_STEPS 12
#define CLOSED 1e-12
#define NEARLY_CLOSED 1e-8
#define LEAST_SHARE 1e-3
// Tenths of a displacement at whose end nothing is finite, how often.
#define NEARER                                                                                     \
    9 // tenths: a coordinate of a thin shaft turns its nodes a thousand times as far as others

// ---- life -----------------------------------------------------------------------------------

static void release(flx_rank_analysis *a)
{
    flx_projector_destroy(&a->p);
    flx_state_destroy(&a->place);
    flx_free(a->row);
    flx_free(a->col);
    flx_free(a->gone);
    flx_free(a->strict);
    flx_free(a->taken);
    flx_free(a->part);
    flx_free(a->queue);
    flx_free(a->queued);
}

static flx_status prepare(flx_rank_analysis *a, const flx_system *s, int dense)
{
    const flx_dims *d = &s->dims;
    size_t nb = (size_t)s->pattern.nblock;
    *a = (flx_rank_analysis){.sys = s, .ctx = s->ctx, .dense = dense};
    a->first = flx_dims_first_constraint(d);
    a->nrow = d->nlam + d->nmu;
    FLX_TRY(flx_projector_create(s, NULL, &a->p));
    FLX_TRY(flx_state_create(s, &a->place));
    a->row = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->row);
    a->col = flx_alloc(s->ctx, (size_t)d->nv, sizeof *a->col);
    a->gone = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->gone);
    a->strict = flx_alloc(s->ctx, (size_t)a->nrow, sizeof *a->strict);
    a->taken = flx_alloc(s->ctx, nb, sizeof *a->taken);
    a->part = flx_alloc(s->ctx, nb, sizeof *a->part);
    a->queue = flx_alloc(s->ctx, nb, sizeof *a->queue);
    a->queued = flx_alloc(s->ctx, nb, sizeof *a->queued);
    bool ok =
        a->row && a->col && a->gone && a->strict && a->taken && a->part && a->queue && a->queued;
    return ok ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- other positions ------------------------------------------------------------------------

// A number in (-1, 1) from a fixed sequence.
static double draw(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(int64_t)*seed / 9223372036854775808.0;
}

// A velocity that the rows admit: the driven one with a random one added, both up to the damping.
// *share: how much of the random one is left.
static flx_status admissible_velocity(flx_rank_analysis *a, double damping, uint64_t *seed,
                                      flx_state *x, double *share)
{
    const flx_system *s = a->sys;
    double gap, speed = 1.0, before = 0.0, after = 0.0;
    int worst;
    memset(x->v, 0, (size_t)s->dims.nv * sizeof *x->v);
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < 3; k++) {
            FLX_TRY(flx_projector_gap(a->p, x, FLX_ROWS_VELOCITY, &gap, &worst));
            FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_VELOCITY, damping, NULL));
            for (int i = 0; i < s->dims.nv; i++) x->v[i] += a->p->d[i];
        }
        if (pass > 0) break;
        for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(x->v[i]) / a->p->scale[i]);
        for (int i = 0; i < s->dims.nv; i++) {
            a->p->theta[i] = x->v[i]; // driven
            double random = speed * a->p->scale[i] * draw(seed);
            before = fmax(before, fabs(random) / a->p->scale[i]);
            x->v[i] += random;
        }
    }
    for (int i = 0; i < s->dims.nv; i++) {
        after = fmax(after, fabs(x->v[i] - a->p->theta[i]) / a->p->scale[i]);
    }
    *share = before > 0.0 ? after / before : 0.0;
    return FLX_OK;
}

// Move along it and come back to the rows with a damping that falls to the one given. *moved: there
// was somewhere to go, and the rows closed there.
static flx_status displace_once(flx_rank_analysis *a, const flx_state *from, double distance,
                                double damping, uint64_t *seed, flx_state *to, bool *moved)
{
    const flx_system *s = a->sys;
    double speed = 0.0, gap = 0.0, share;
    int worst;
    flx_state_copy(to, from);
    FLX_TRY(admissible_velocity(a, damping, seed, to, &share));
    for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(to->v[i]) / a->p->scale[i]);
    double dt = distance / fmax(speed, 1.0);
    for (int i = 0; i < s->dims.nv; i++) a->p->theta[i] = dt * to->v[i];
    s->ops->retract(s, from->q, a->p->theta, to->q);
    to->t = from->t + dt;
    double d = RANK_DAMPING;
    for (int k = 0; k < CLOSING_STEPS; k++, d = fmax(0.1 * d, damping)) {
        FLX_TRY(flx_projector_gap(a->p, to, FLX_ROWS_POSITION, &gap, &worst));
        if (gap <= CLOSED) break;
        FLX_TRY(flx_projector_correct(a->p, FLX_ROWS_POSITION, d, NULL));
        s->ops->retract(s, to->q, a->p->d, to->q);
    }
    if (gap > CLOSED) FLX_TRY(flx_projector_gap(a->p, to, FLX_ROWS_POSITION, &gap, &worst));
    *moved = gap <= NEARLY_CLOSED && (share > LEAST_SHARE || speed >= 1.0);
    return FLX_OK;
}

// Not so far where that is no position at all: nodes of a flexible body turn by less than two radians.
static flx_status displace_by(flx_rank_analysis *a, const flx_state *from, double distance,
                              double damping, uint64_t *seed, flx_state *to, bool *moved)
{
    uint64_t start = *seed;
    flx_status status = displace_once(a, from, distance, damping, seed, to, moved);
    for (int k = 0; k < NEARER && status == FLX_NOT_FINITE; k++) {
        *seed = start;
        distance *= 0.1;
        status = displace_once(a, from, distance, damping, seed, to, moved);
    }
    return status;
}

// To the rows exactly, if that can be. Rows that contradict each other a little leave no way to go
// but the one on which the damping lets them open.
static flx_status displace(flx_rank_analysis *a, const flx_state *from, double distance,
                           uint64_t *seed, flx_state *to)
{
    bool moved;
    uint64_t start = *seed;
    FLX_TRY(displace_by(a, from, distance, LEAST_DAMPING, seed, to, &moved));
    if (moved) return FLX_OK;
    *seed = start;
    return displace_by(a, from, distance, RANK_DAMPING, seed, to, &moved);
}

// ---- report ---------------------------------------------------------------------------------

static flx_status list_rows(flx_rank_analysis *a, const bool *flag, int count, int **list)
{
    *list = flx_alloc(a->ctx, (size_t)count, sizeof **list);
    if (!*list) return FLX_ERR_MEMORY;
    for (int i = 0, k = 0; i < a->nrow && k < count; i++) {
        if (flag[i]) (*list)[k++] = i;
    }
    return FLX_OK;
}

// Redundant rows: those that are dependent at two displaced positions; a->place is the last one.
static flx_status find_redundant(flx_rank_analysis *a, const flx_state *x, bool *redundant,
                                 bool *other, int *count, double *weakest)
{
    uint64_t seed = 4711;
    int n = 0;
    FLX_TRY(displace(a, x, DISPLACEMENT, &seed, a->place));
    FLX_TRY(flx_rank_find_dependent(a, a->place, NULL, redundant, count));
    *weakest = a->weakest;
    if (*count == 0) return FLX_OK;
    // a displaced position may happen to be singular, too
    FLX_TRY(displace(a, x, 0.7 * DISPLACEMENT, &seed, a->place));
    FLX_TRY(flx_rank_find_dependent(a, a->place, NULL, other, &n));
    if (n >= *count) return FLX_OK;
    memcpy(redundant, other, (size_t)a->nrow * sizeof *redundant);
    *count = n;
    *weakest = a->weakest;
    return FLX_OK;
}

// A row that is redundant stays so wherever the others let the mechanism go. One that holds something, but hardly at
// the positions that it allows itself, becomes independent where the others alone have moved it: it is marked in
// `needed`, *count is how many. weakest: what the rows have of their own here; a way may lead along other freedoms.
static flx_status find_needed(flx_rank_analysis *a, const bool *redundant, int nredundant,
                              double weakest, bool *needed, int *count)
{
    uint64_t seed = 815;
    int ways = weakest > INACCURATE ? MORE_WAYS : 2;
    flx_state *beside = NULL;
    FLX_TRY(flx_state_create(a->sys, &beside));
    flx_status status = FLX_OK;
    *count = 0;
    for (int k = 0; k < ways && status == FLX_OK && *count == 0; k++) {
        bool moved = false;
        int n = nredundant;
        for (int i = 0; i < a->nrow; i++) {
            flx_projector_leave_out(a->p, a->first + i, redundant[i]);
        }
        status = displace_by(a, a->place, (k ? 1.0 : 0.6) * BESIDE, LEAST_DAMPING, &seed, beside,
                             &moved);
        for (int i = 0; i < a->nrow; i++) flx_projector_leave_out(a->p, a->first + i, false);
        if (status != FLX_OK || !moved) continue;
        status = flx_rank_find_dependent(a, beside, NULL, needed, &n);
        if (n >= nredundant) continue;
        for (int i = 0; i < a->nrow; i++) {
            needed[i] = redundant[i] && !needed[i];
            *count += needed[i];
        }
    }
    flx_state_destroy(&beside);
    return status;
}

static flx_status examine(flx_rank_analysis *a, const flx_state *x, bool *redundant, bool *other,
                          flx_rank_report *report)
{
    int n = 0, needed = 0, singular = 0;
    FLX_TRY(find_redundant(a, x, redundant, other, &n, &report->weakest));
    for (int k = 0; n > 0 && k < 2; k++) {
        FLX_TRY(find_needed(a, redundant, n, report->weakest, other, &needed));
        if (needed == 0) break;
        if (k > 0) { // they say nothing at all where the mechanism can be
            report->nblocking = needed;
            FLX_TRY(list_rows(a, other, needed, &report->blocking));
            break;
        }
        for (int i = 0; i < a->nrow; i++) a->strict[i] = a->strict[i] || other[i];
        FLX_TRY(find_redundant(a, x, redundant, other, &n, &report->weakest));
    }
    FLX_TRY(flx_rank_find_dependent(a, x, redundant, other, &singular));
    report->nredundant = n;
    report->nsingular = singular;
    report->freedoms = a->sys->dims.nv - (a->rigid - n);
    FLX_TRY(list_rows(a, redundant, n, &report->redundant));
    return list_rows(a, other, singular, &report->singular);
}

flx_status flx_rank_constraints_by(const flx_system *s, const flx_state *x, int dense,
                                   flx_rank_report *report)
{
    flx_rank_analysis a;
    *report = (flx_rank_report){0};
    flx_status status = prepare(&a, s, dense);
    bool *redundant = flx_alloc(s->ctx, (size_t)a.nrow, sizeof *redundant);
    bool *other = flx_alloc(s->ctx, (size_t)a.nrow, sizeof *other);
    if (status == FLX_OK && (!redundant || !other)) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) status = examine(&a, x, redundant, other, report);
    if (status != FLX_OK) flx_rank_report_clear(report);
    flx_free(redundant);
    flx_free(other);
    release(&a);
    return status;
}

flx_status flx_rank_constraints(const flx_system *s, const flx_state *x, flx_rank_report *report)
{
    if (!s || !x || !report) return flx_refuse_null(NULL, __func__);
    return flx_rank_constraints_by(s, x, DENSE_ROWS, report);
}

void flx_rank_report_clear(flx_rank_report *report)
{
    if (!report) return;
    flx_free(report->redundant);
    flx_free(report->singular);
    flx_free(report->blocking);
    *report = (flx_rank_report){0};
}
