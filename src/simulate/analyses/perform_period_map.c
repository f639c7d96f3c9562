// perform_period_map.c - analyses of type period-map: the map of a state over a period, its derivative and multipliers.
//
//     P = d s(t + T) / d s(t),   s: free coordinates and velocities, states, discrete variables       (FLOQ-1)
//     (P - 1) d + s'(t + T) dT = -(s(t + T) - s(t))                                                   (FLOQ-2)
// Columns are differences of runs (DIFF-1), so that events, clocks and delays are part of the map.
#include "analyse/minimal.h"
#include "base/number.h"
#include "descriptor/descriptor.h"
#include "flexion/run.h"
#include "math/dense.h"
#include "model/linear_keys.h"
#include "simulate/analyses/performer.h"
#include "simulate/run_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1e-3       // of a difference, in the scales
#define SAME_CLOCK 1e-6 // of a period: so many strikes of a clock
#define CLOSED 1e-6     // what is left open by a motion that repeats itself, in the scales
#define MOST 20         // iterations of (FLOQ-2)
#define DONE 1e-10      // of them
#define NEUTRAL 1e-9    // singular values of P - 1 that count as zero, of the largest
#define MARGIN 1e-4     // of the size of a multiplier at the unit circle
#define LARGEST 200     // unknowns

typedef struct period {
    flx_simulation *sim;
    flx_finding *out;
    const flx_period_keys *keys;
    flx_arena *arena;
    flx_run *run;
    const flx_system *s;
    double T;
    int n, nfree,
        first; // unknowns in all, those that are not discrete; of discrete ones among switches
    flx_state *base, *at;
    flx_minimal *m;
    size_t room;
    void *saved;          // the run where the map begins
    double *scale;        // (n)
    double *theta, *d;    // (nv) (n)
    double *end, *runs;   // (n) s(t + T) from the base; (4 n)
    double *map, *coarse; // (n x n) column-major: P, and by two runs per column
} period;

// ---- coordinates ---------------------------------------------------------------------------------------

static void name_of(const period *p, int i, const char **item, const char **part)
{
    const flx_minimal *m = p->m;
    flx_unknown u = {0};
    if (i >= p->nfree) {
        *item = p->sim->model->discretes[i - p->nfree].name;
        *part = "discrete";
        return;
    }
    int velocity = i - m->npos, first = velocity - m->nvel;
    p->s->ops->unknown(p->s,
                       i < m->npos ? m->pos[i]
                       : first < 0 ? m->vel[velocity]
                                   : p->s->dims.nv + first,
                       &u);
    *item = u.item ? u.item : "?";
    *part = u.part ? u.part : "";
}

// out (n): the state x, from the base.
static void coordinates(const period *p, const flx_state *x, double *out)
{
    const flx_minimal *m = p->m;
    p->s->ops->difference(p->s, p->base->q, x->q, p->theta);
    for (int i = 0; i < m->npos; i++) out[i] = p->theta[m->pos[i]];
    for (int i = 0; i < m->nvel; i++) out[m->npos + i] = x->v[m->vel[i]] - p->base->v[m->vel[i]];
    for (int i = 0; i < p->s->dims.nx; i++) out[m->npos + m->nvel + i] = x->x[i] - p->base->x[i];
    for (int i = p->nfree; i < p->n; i++) {
        int at = p->first + i - p->nfree;
        out[i] = x->switches[at] - p->base->switches[at];
    }
}

static void set_scales(period *p)
{
    const flx_minimal *m = p->m;
    for (int i = 0; i < p->n; i++) {
        flx_unknown u = {.scale = 1.0};
        int velocity = i - m->npos, first = velocity - m->nvel;
        if (i < p->nfree)
            p->s->ops->unknown(p->s,
                               i < m->npos ? m->pos[i]
                               : first < 0 ? m->vel[velocity]
                                           : p->s->dims.nv + first,
                               &u);
        p->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
}

// ---- runs ----------------------------------------------------------------------------------------------

// The state d (n) from the base, a time T later, in end (n).
static flx_status go(period *p, const double *d, double T, double *end)
{
    flx_state *x = p->at;
    FLX_TRY(flx_run_restore(p->run, p->saved, p->room));
    FLX_TRY(flx_minimal_place(p->m, d, x));
    FLX_TRY(flx_run_set_state_at(p->run, p->keys->from, x->q, x->v, x->x, NULL));
    for (int i = p->nfree; i < p->n; i++) {
        int at = p->first + i - p->nfree;
        p->run->sim->state->switches[at] = p->base->switches[at] + d[i];
    }
    flx_status status = flx_run_advance(p->run, p->keys->from + T);
    if (status == FLX_STOPPED) {
        return FLX_FAIL(p->sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "an event ends the run at %.9g s, before the period is over",
                        flx_run_time(p->run));
    }
    FLX_TRY(status);
    coordinates(p, p->run->sim->state, end);
    return FLX_OK;
}

// (FLOQ-1), and where the motion of the base ends.
static flx_status find_map(period *p)
{
    static const double places[4] = {1.0, -1.0, 2.0, -2.0};
    size_t n = (size_t)p->n;
    memset(p->d, 0, n * sizeof *p->d);
    FLX_TRY(go(p, p->d, p->T, p->end));
    for (size_t k = 0; k < n; k++) {
        double e = STEP * p->scale[k];
        for (int i = 0; i < 4; i++) {
            p->d[k] = places[i] * e;
            FLX_TRY(go(p, p->d, p->T, p->runs + (size_t)i * n));
        }
        p->d[k] = 0.0;
        for (size_t i = 0; i < n; i++) {
            double near = p->runs[i] - p->runs[n + i],
                   far = p->runs[2 * n + i] - p->runs[3 * n + i];
            p->map[k * n + i] = (8.0 * near - far) / (12.0 * e);
            p->coarse[k * n + i] = near / (2.0 * e);
        }
    }
    return FLX_OK;
}

static flx_status take_base(period *p)
{
    flx_minimal_destroy(&p->m);
    return flx_minimal_create(p->s, p->base, &p->m);
}

// How far the end is from the beginning, in the scales; *worst: where.
static double find_gap(const period *p, int *worst)
{
    double gap = 0.0;
    *worst = 0;
    for (int i = 0; i < p->n; i++) {
        double off = fabs(p->end[i]) / p->scale[i];
        if (off <= gap) continue;
        gap = off;
        *worst = i;
    }
    return gap;
}

// ---- the motion that repeats itself ---------------------------------------------------------------------

// One step of (FLOQ-2), the shortest in the scales.
static flx_status improve(period *p)
{
    size_t n = (size_t)p->n;
    int columns = p->n + (p->keys->find == FLX_FIND_PERIOD);
    double *A = flx_arena_take(p->arena, n * (n + 1), sizeof *A);
    double *b = flx_arena_take(p->arena, n + 1, sizeof *b);
    if (!A || !b) return FLX_ERR_MEMORY;
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; i < n; i++)
            A[k * n + i] = (p->map[k * n + i] - (i == k)) * p->scale[k] / p->scale[i];
        b[k] = -p->end[k] / p->scale[k];
    }
    if (columns > p->n) {
        double e = STEP * p->T;
        memset(p->d, 0, n * sizeof *p->d);
        FLX_TRY(go(p, p->d, p->T + e, p->runs));
        FLX_TRY(go(p, p->d, p->T - e, p->runs + n));
        for (size_t i = 0; i < n; i++)
            A[n * n + i] = (p->runs[i] - p->runs[n + i]) / (2.0 * e) * p->T / p->scale[i];
    }
    FLX_TRY(flx_dense_least_norm(p->sim->ctx, p->n, columns, A, b, NEUTRAL));
    for (size_t i = 0; i < n; i++) p->d[i] = b[i] * p->scale[i];
    FLX_TRY(flx_minimal_place(p->m, p->d, p->at));
    for (int i = p->nfree; i < p->n; i++) p->at->switches[p->first + i - p->nfree] += p->d[i];
    flx_state_copy(p->base, p->at);
    if (columns > p->n) p->T *= 1.0 + fmax(-0.5, fmin(b[n], 1.0));
    return take_base(p);
}

static flx_status repeat(period *p)
{
    int worst = 0;
    double before = HUGE_VAL;
    for (int k = 0; k < MOST; k++) {
        FLX_TRY(find_map(p));
        double gap = find_gap(p, &worst);
        bool rests = k > 0 && gap < CLOSED && gap > 0.5 * before; // tolerances of the run
        if (gap <= DONE || rests) return FLX_OK;
        before = gap;
        if (k + 1 < MOST) FLX_TRY(improve(p));
    }
    return FLX_FAIL(
        p->sim->ctx, FLX_NO_CONVERGENCE, FLX_NOWHERE,
        "no motion that repeats itself was found near this one: begin nearer to it with "
        "`from`, or give a better period");
}

// ---- what was found --------------------------------------------------------------------------------------

static int by_size(const void *a, const void *b)
{
    double x = hypot(((const double *)a)[0], ((const double *)a)[1]);
    double y = hypot(((const double *)b)[0], ((const double *)b)[1]);
    return (x < y) - (x > y);
}

static flx_status put_multipliers(period *p, double *largest)
{
    static const char *const heads[] = {"re", "im", "size", "growth", "frequency"};
    static const char *const units[] = {"", "", "", "1/s", "Hz"};
    size_t n = (size_t)p->n;
    double *A = flx_arena_take(p->arena, n * n, sizeof *A);
    double *s = flx_arena_take(p->arena, 4 * n, sizeof *s), *re = s + 2 * n, *im = s + 3 * n;
    flx_finding_table *t = flx_finding_add_table(p->sim, p->out, "multipliers", p->n, 5);
    if (!A || !s || !t) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n * n; i++) A[i] = p->map[i] * p->scale[i / n] / p->scale[i % n];
    FLX_TRY(flx_dense_eigenvalues(p->sim->ctx, p->n, A, re, im));
    for (size_t i = 0; i < n; i++) {
        s[2 * i] = re[i];
        s[2 * i + 1] = im[i];
    }
    qsort(s, n, 2 * sizeof *s, by_size);
    for (int k = 0; k < 5; k++)
        FLX_TRY(flx_finding_column(p->sim, p->out, t, k, heads[k], units[k]));
    for (size_t i = 0; i < n; i++) {
        double *to = t->values + 5 * i, size = hypot(s[2 * i], s[2 * i + 1]);
        to[0] = s[2 * i];
        to[1] = s[2 * i + 1];
        to[2] = size;
        to[3] = log(size) / p->T;
        to[4] = fabs(atan2(s[2 * i + 1], s[2 * i])) / (2.0 * FLX_PI * p->T);
    }
    *largest = n > 0 ? t->values[2] : 0.0;
    flx_finding_table *map = flx_finding_add_matrix(p->sim, p->out, "map", p->n, p->n);
    if (!map) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < n * n; i++) map->values[(i % n) * n + i / n] = p->map[i];
    return FLX_OK;
}

static flx_status put_state(period *p)
{
    flx_finding_table *t = flx_finding_add_table(p->sim, p->out, "motion", 1, 1 + p->n);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(p->sim, p->out, t, 0, "period", "s"));
    t->values[0] = p->T;
    const flx_minimal *m = p->m;
    for (int i = 0; i < p->n; i++) {
        char head[160];
        const char *item, *part;
        int velocity = i - m->npos, first = velocity - m->nvel;
        name_of(p, i, &item, &part);
        bool rate = i >= m->npos && first < 0;
        flx_snprintf(head, sizeof head, "%s %s%s", item, part, rate ? " rate" : "");
        FLX_TRY(flx_finding_column(p->sim, p->out, t, 1 + i, head, ""));
        t->values[1 + i] = i < m->npos    ? p->base->q[m->pos[i]]
                           : first < 0    ? p->base->v[m->vel[velocity]]
                           : i < p->nfree ? p->base->x[first]
                                          : p->base->switches[p->first + i - p->nfree];
    }
    return FLX_OK;
}

// A clock that strikes at other times of each period has no map over one.
static flx_status tell_clocks(period *p)
{
    const flx_model *m = p->sim->model;
    for (int i = 0; i < m->nevent; i++) {
        const flx_event *e = m->events + i;
        if (e->when >= 0 || !(e->every > 0.0) || (e->nset == 0 && e->fmu == 0)) continue;
        double strikes = p->T / e->every;
        if (fabs(strikes - round(strikes)) <= SAME_CLOCK * strikes && strikes > 0.5) continue;
        return flx_finding_line(
            p->sim, p->out,
            "the period is no multiple of the %.10g s after which '%s' strikes: "
            "multipliers are those of this stretch of the run",
            e->every, e->name);
    }
    return FLX_OK;
}

static flx_status tell(period *p, double largest)
{
    const char *item, *part;
    int worst = 0;
    double gap = find_gap(p, &worst), rough = 0.0, size = 0.0;
    name_of(p, worst, &item, &part);
    if (gap <= CLOSED) {
        FLX_TRY(flx_finding_line(p->sim, p->out,
                                 "the motion repeats itself after %.10g s, to %.1e of its scales",
                                 p->T, gap));
    } else {
        FLX_TRY(flx_finding_line(p->sim, p->out,
                                 "the motion does not repeat itself after %.10g s: %s (%s) is off "
                                 "by %.4g; multipliers are those of this stretch of the run",
                                 p->T, item, part, p->end[worst]));
    }
    FLX_TRY(tell_clocks(p));
    for (size_t i = 0; i < (size_t)p->n * (size_t)p->n; i++) {
        rough = fmax(rough, fabs(p->map[i] - p->coarse[i]));
        size = fmax(size, fabs(p->map[i]));
    }
    FLX_TRY(flx_finding_line(p->sim, p->out, "%s; differences of runs agree to %.1e",
                             largest > 1.0 + MARGIN ? "disturbances grow: a multiplier is beyond 1"
                             : largest < 1.0 - MARGIN
                                 ? "disturbances decay: all multipliers are below 1"
                                 : "the largest multiplier is of size 1",
                             size > 0.0 ? rough / size : 0.0));
    return FLX_OK;
}

static flx_status prepare(period *p)
{
    if (p->keys->from > 0.0) FLX_TRY(flx_run_advance(p->run, p->keys->from));
    // what is due where the map begins has happened; a state that is set at the start would have it once more
    p->run->met = false;
    p->s = p->run->sim->sys;
    p->room = flx_run_save(p->run, NULL, 0);
    p->saved = flx_arena_take(p->arena, p->room, 1);
    if (!p->saved) return FLX_ERR_MEMORY;
    flx_run_save(p->run, p->saved, p->room);
    FLX_TRY(flx_state_create(p->s, &p->base));
    FLX_TRY(flx_state_create(p->s, &p->at));
    flx_state_copy(p->base, p->run->sim->state);
    FLX_TRY(flx_start_accelerations(p->s, p->base));
    FLX_TRY(take_base(p));
    p->nfree = p->m->n;
    p->first = flx_descriptor_first_discrete(p->s);
    p->n = p->nfree + p->sim->model->ndiscrete;
    if (p->n > LARGEST || p->n == 0) {
        return FLX_FAIL(p->sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        p->n == 0 ? "nothing moves freely: there is no map"
                                  : "the map has %d unknowns, and %d at most are differentiated",
                        p->n, LARGEST);
    }
    size_t n = (size_t)p->n;
    p->scale = flx_arena_take(p->arena, n, sizeof *p->scale);
    p->theta = flx_arena_take(p->arena, (size_t)p->s->dims.nv, sizeof *p->theta);
    p->d = flx_arena_take(p->arena, n, sizeof *p->d);
    p->end = flx_arena_take(p->arena, 5 * n, sizeof *p->end);
    p->map = flx_arena_take(p->arena, 2 * n * n, sizeof *p->map);
    if (!p->scale || !p->theta || !p->d || !p->end || !p->map) return FLX_ERR_MEMORY;
    p->runs = p->end + n;
    p->coarse = p->map + n * n;
    set_scales(p);
    return FLX_OK;
}

static flx_status find(period *p)
{
    double largest = 0.0;
    FLX_TRY(prepare(p));
    FLX_TRY(p->keys->find == FLX_FIND_NOTHING ? find_map(p) : repeat(p));
    FLX_TRY(put_multipliers(p, &largest));
    FLX_TRY(tell(p, largest));
    return put_state(p);
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    flx_simulation *sim = t->sim;
    flx_system *system = NULL;
    period p = {.sim = sim, .out = out, .keys = t->a->own};
    flx_run_def def = flx_run_def_default();
    p.T = p.keys->period;
    def.no_ledger = 1;
    def.until = p.keys->from + 2.0 * p.T;
    if (sim->model->nparticles > 0) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, t->a->loc,
                        "particles have no map that differences of runs could find");
    }
    p.arena = flx_arena_create(sim->ctx);
    if (!p.arena) return FLX_ERR_MEMORY;
    flx_status status =
        flx_system_compile((flx_model *)(uintptr_t)sim->model, NULL, sim->ctx, &system);
    if (status == FLX_OK) status = flx_run_create(system, &def, sim->ctx, &p.run);
    if (status == FLX_OK) status = find(&p);
    flx_minimal_destroy(&p.m);
    flx_state_destroy(&p.base);
    flx_state_destroy(&p.at);
    flx_run_destroy(&p.run);
    flx_system_destroy(&system);
    flx_arena_destroy(&p.arena);
    return status;
}

const flx_analysis_performer flx_performer_PERIOD_MAP = {.perform = perform};
