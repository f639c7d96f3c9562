// alpha_steps.c - generalized-alpha, hht and newmark with contacts that are met step by step: of order 2 while nothing opens or
// closes, of order 1 over impacts (docs/theory/contact.md, Steps).
//
// Points that rest on each other at t_n (gap and its rate are zero) are part of the balance at t_n+1: in each iteration
//
//     (c2 M + D + c0 K) dv = -r + J^T lambda,  u = J (v_n+1 + dv),  law of (CONE-2)                       (STP-1)
//     c2 = (1 - am)/((1 - af) gamma h),  c0 = beta h/gamma
//
// Their gaps are closed by the nearest positions, as those of joints. Points that overlap at the end though they did not rest are
// an impact: positions without overlap, then velocities by (CONE-2) with restitution. After an impact, and where a point opened or
// closed, accelerations follow from the law as well, and the method begins anew.
#include "integrate/steps/alpha_steps.h"

#include "integrate/method.h"
#include "integrate/newton_matrix.h"
#include "integrate/steps/stepping.h"

#include <string.h>

#define TOUCH 1e-9    // of the length: gap that counts as none
#define REACH 1e-3    // ... and within which points that rest are looked for
#define OVERLAP 1e-12 // ... and what is left
#define CLOSED 1e-12  // of a joint's scale
#define STILL 1e-9    // of the length in a step: rate of a gap that rests
#define ITERATIONS 20
#define CONVERGED 1e-11 // of the largest velocity, of a correction
#define PROJECTIONS 12

typedef struct key {
    uint64_t pair, feature;
} key;

typedef struct alpha_steps {
    double am, af, beta, gamma;
    flx_stepping *t;
    flx_blocks blocks;
    int n, nv;
    double *block; // owned: all arrays
    double *a, *dv0, *a1, *v1, *dv1, *free,
        *dv; // (nv) a: algorithmic acceleration; dv0: v' at the start
    double *q1, *qe, *theta, *r, *gd, *bias;
    double *lam, *mu, *zero;
    double *switches;      // (nswitch) of the state at the end
    double power;          // of friction, at the end of the last step
    double lost, supplied; // in the contacts of the step; by what drives joints, in its impacts
    int nrest, room_rest;
    key *rest; // owned: points that rest
    int room_later;
    double *later; // (3 nrest) owned: their rates a moment later
    int nstruck, room_struck;
    key *struck; // owned: points that overlapped at the end of the step and were moved apart
    bool started;
} alpha_steps;

// ---- life ---------------------------------------------------------------------------------------------------

void flx_alpha_steps_destroy(flx_integrator *it)
{
    alpha_steps *g = it->data;
    flx_stepping_destroy(&g->t);
    flx_blocks_destroy(&g->blocks);
    flx_free(g->block);
    flx_free(g->rest);
    flx_free(g->later);
    flx_free(g->struck);
    flx_free(g);
    it->data = NULL;
}

void flx_alpha_steps_memory(flx_integrator *it, flx_memory *m)
{
    alpha_steps *g = it->data;
    flx_memory_numbers(m, g->a, (size_t)g->nv);
    FLX_PASS(m, g->power);
    FLX_PASS(m, g->started);
    FLX_PASS(m, g->nrest);
    if (g->nrest > g->room_rest &&
        flx_grow(it->ctx, (void **)&g->rest, &g->room_rest, g->nrest, sizeof *g->rest) != FLX_OK)
        g->nrest = 0;
    for (int i = 0; i < g->nrest; i++) FLX_PASS(m, g->rest[i]);
    flx_stepping_memory(g->t, m);
}

static flx_status make_arrays(flx_integrator *it, alpha_steps *g)
{
    const flx_dims *d = &it->sys->dims;
    size_t n = (size_t)g->n, nv = (size_t)g->nv, nq = (size_t)d->nq;
    size_t nl = (size_t)d->nlam, nm = (size_t)d->nmu;
    const flx_stepping_part parts[] = {{&g->a, nv},
                                       {&g->dv0, nv},
                                       {&g->a1, nv},
                                       {&g->v1, nv},
                                       {&g->dv1, nv},
                                       {&g->free, nv},
                                       {&g->dv, nv},
                                       {&g->q1, nq},
                                       {&g->qe, nq},
                                       {&g->theta, nv},
                                       {&g->r, n},
                                       {&g->gd, nl},
                                       {&g->bias, nl + nm},
                                       {&g->lam, nl},
                                       {&g->mu, nm},
                                       {&g->zero, n},
                                       {&g->switches, (size_t)d->nswitch}};
    return flx_stepping_parts(it->ctx, (int)(sizeof parts / sizeof *parts), parts, &g->block);
}

flx_status flx_alpha_steps_create(flx_integrator *it, const flx_coefficients *c)
{
    FLX_TRY(flx_stepping_check(it));
    flx_method_ignores_newton_tolerance(it);
    if (!(it->def.step > 0)) {
        return FLX_FAIL(
            it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "method '%s' meets contacts step by step with a fixed step; give it a 'step'",
            it->type->name);
    }
    alpha_steps *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    g->am = c->alpha_m, g->af = c->alpha_f, g->beta = c->beta, g->gamma = c->gamma;
    g->n = flx_dims_unknowns(&it->sys->dims);
    g->nv = it->sys->dims.nv;
    FLX_TRY(make_arrays(it, g));
    FLX_TRY(flx_stepping_create(it, &g->t));
    return flx_blocks_create(it->sys, &g->blocks);
}

// ---- points that rest -----------------------------------------------------------------------------------------

static bool is_in(const key *list, int n, const flx_touch_point *p)
{
    for (int i = 0; i < n; i++) {
        if (list[i].pair == p->pair && list[i].feature == p->feature) return true;
    }
    return false;
}

static bool rests(const alpha_steps *g, const flx_touch_point *p)
{
    return is_in(g->rest, g->nrest, p);
}

// Its gap is to be zero at the end of the step, neither open nor closed further.
static bool is_closed(const alpha_steps *g, int point)
{
    const flx_touch_point *p = g->t->points + point;
    return (rests(g, p) && flx_stepping_presses(g->t, point)) || is_in(g->struck, g->nstruck, p);
}

// Points that were moved apart stay together: a turn would leave a gap between them, and the impact would be missed.
static flx_status list_struck(flx_integrator *it)
{
    alpha_steps *g = it->data;
    FLX_TRY(flx_grow(it->ctx, (void **)&g->struck, &g->room_struck, g->nstruck + g->t->npoint,
                     sizeof *g->struck));
    for (int i = 0; i < g->t->npoint; i++) {
        const flx_touch_point *p = g->t->points + i;
        const double *lam = flx_stepping_impulse(g->t, i);
        if (!lam || !(lam[0] > 0) || is_closed(g, i)) continue;
        g->struck[g->nstruck++] = (key){.pair = p->pair, .feature = p->feature};
    }
    return FLX_OK;
}

// Which points rest, whatever their order.
static uint64_t sum_of_rest(const alpha_steps *g)
{
    uint64_t sum = 0;
    for (int i = 0; i < g->nrest; i++) {
        uint64_t k = (g->rest[i].pair * 0x9e3779b97f4a7c15u) ^ g->rest[i].feature;
        sum += (k ^ k >> 29) * 0xbf58476d1ce4e5b9u;
    }
    return sum;
}

static double still(const alpha_steps *g, double h)
{
    return STILL * g->t->length / h;
}

// Of the points at hand those with a gap of zero that neither opens nor closes.
static flx_status list_rest(flx_integrator *it, const double *v, double h)
{
    alpha_steps *g = it->data;
    FLX_TRY(flx_grow(it->ctx, (void **)&g->rest, &g->room_rest, g->t->npoint, sizeof *g->rest));
    g->nrest = 0;
    for (int i = 0; i < g->t->npoint; i++) {
        const flx_touch_point *p = g->t->points + i;
        double u[3];
        flx_stepping_rates(g->t, i, v, u);
        if (fabs(p->gap) > TOUCH * g->t->length || fabs(u[0]) > still(g, h)) continue;
        g->rest[g->nrest++] = (key){.pair = p->pair, .feature = p->feature};
    }
    return FLX_OK;
}

static flx_point point_at(const flx_integrator *it, const flx_state *x, double t, const double *q,
                          const double *v, const double *a)
{
    const alpha_steps *g = it->data;
    flx_point p = flx_state_point(it->sys, x);
    p.t = t, p.q = q, p.v = v, p.a = a;
    p.lam = g->lam, p.mu = g->mu;
    return p;
}

static double largest(int n, const double *v)
{
    double most = 0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
    return most;
}

// ---- accelerations ----------------------------------------------------------------------------------------------

// J' v of the points at hand, by a difference along the motion.
static flx_status find_jdot(flx_integrator *it, const flx_state *x, const double *q,
                            const double *v, double h, double *out)
{
    alpha_steps *g = it->data;
    double e = 1e-3 * h;
    for (int i = 0; i < g->nv; i++) g->theta[i] = e * v[i];
    it->sys->ops->retract(it->sys, q, g->theta, g->qe);
    flx_point p = point_at(it, x, x->t, g->qe, v, g->zero);
    FLX_TRY(flx_stepping_find(g->t, it->work, &p, REACH * g->t->length));
    for (int k = 0; k < g->nrest; k++) {
        for (int i = 0; i < g->t->npoint; i++) {
            const flx_touch_point *point = g->t->points + i;
            if (point->pair == g->rest[k].pair && point->feature == g->rest[k].feature)
                flx_stepping_rates(g->t, i, v, out + 3 * k);
        }
    }
    return FLX_OK;
}

static flx_status add_resting(flx_integrator *it, const double *q_v, const double *later, double e)
{
    alpha_steps *g = it->data;
    double slow = flx_stepping_slow(g->t, q_v);
    for (int i = 0; i < g->t->npoint; i++) {
        const flx_touch_point *p = g->t->points + i;
        int k = 0;
        while (k < g->nrest && (g->rest[k].pair != p->pair || g->rest[k].feature != p->feature))
            k++;
        if (k == g->nrest) continue;
        double now[3], rate[3], b[3];
        flx_stepping_rates(g->t, i, q_v, now);
        flx_stepping_rates(g->t, i, g->free, rate);
        for (int j = 0; j <= p->ntangent; j++) b[j] = rate[j] + (later[3 * k + j] - now[j]) / e;
        double slip = p->ntangent == 2 ? hypot(now[1], now[2]) : p->ntangent ? fabs(now[1]) : 0.0;
        double along[2] = {now[1] / slip, p->ntangent == 2 ? now[2] / slip : 0.0};
        FLX_TRY(flx_stepping_add_sliding(g->t, i, b, slip > slow ? along : NULL));
    }
    return FLX_OK;
}

// v' and forces at q, v: the law on accelerations. Its points are those that rest.
static flx_status accelerations(flx_integrator *it, const flx_state *x, double t, const double *q,
                                const double *v, double h, double *out)
{
    alpha_steps *g = it->data;
    const flx_system *s = it->sys;
    flx_point p = point_at(it, x, t, q, v, g->zero);
    p.lam = p.mu = g->zero;
    FLX_TRY(flx_stepping_find(g->t, it->work, &p, TOUCH * g->t->length));
    FLX_TRY(list_rest(it, v, h));
    FLX_TRY(flx_grow(it->ctx, (void **)&g->later, &g->room_later, 3 * g->nrest, sizeof *g->later));
    if (g->nrest > 0) memset(g->later, 0, 3 * (size_t)g->nrest * sizeof *g->later);
    FLX_TRY(find_jdot(it, x, q, v, h, g->later));
    FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
    if (g->t->nrow > 0) FLX_TRY(s->ops->constraint_bias(s, it->work, &p, g->bias));
    for (int i = 0; i < g->nv; i++) g->free[i] = -g->r[i];
    FLX_TRY(flx_stepping_begin(g->t, &g->blocks, 1, 0, 0));
    FLX_TRY(flx_stepping_free_motion(g->t, g->free));
    for (int i = 0; i < g->t->nrow; i++) g->t->b[i] = g->bias[i], g->t->compliance[i] = 0;
    flx_stepping_add_free(g->t, &g->blocks, g->free);
    FLX_TRY(flx_stepping_add_joints(g->t, &g->blocks, false));
    FLX_TRY(flx_stepping_find(g->t, it->work, &p, TOUCH * g->t->length));
    FLX_TRY(add_resting(it, v, g->later, 1e-3 * h));
    FLX_TRY(flx_stepping_solve(g->t, false, g->dv));
    for (int i = 0; i < g->nv; i++) out[i] = g->free[i] + g->dv[i];
    flx_stepping_take_joints(g->t, -1.0, g->lam, g->mu, false);
    return FLX_OK;
}

// ---- the smooth part --------------------------------------------------------------------------------------------

static void kinematics(flx_integrator *it, const flx_state *x, double h)
{
    alpha_steps *g = it->data;
    for (int i = 0; i < g->nv; i++) {
        g->a1[i] = (g->v1[i] - x->v[i] - h * (1 - g->gamma) * g->a[i]) / (h * g->gamma);
        g->dv1[i] = ((1 - g->am) * g->a1[i] + g->am * g->a[i] - g->af * g->dv0[i]) / (1 - g->af);
        g->theta[i] = h * x->v[i] + h * h * ((0.5 - g->beta) * g->a[i] + g->beta * g->a1[i]);
    }
    it->sys->ops->retract(it->sys, x->q, g->theta, g->q1);
}

static void joint_offsets(const flx_integrator *it, double c0)
{
    const alpha_steps *g = it->data;
    flx_stepping *t = g->t;
    int first = flx_dims_first_constraint(&it->sys->dims), nlam = it->sys->dims.nlam;
    for (int i = 0; i < t->nrow; i++) {
        double by = i < nlam ? t->sigma[i] * c0 + t->tau[i] : 1.0;
        t->b[i] = by != 0 ? g->r[first + i] / by : 0.0;
        t->compliance[i] = by != 0 ? t->C[i] / by : 0.0;
    }
}

static flx_status iterate(flx_integrator *it, const flx_state *x, double h, bool warm)
{
    alpha_steps *g = it->data;
    const flx_system *s = it->sys;
    double c2 = (1 - g->am) / ((1 - g->af) * g->gamma * h), c0 = g->beta * h / g->gamma,
           last = HUGE_VAL;
    for (int k = 0; k < ITERATIONS; k++) {
        kinematics(it, x, h);
        flx_point p = point_at(it, x, x->t + h, g->q1, g->v1, g->dv1);
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
        it->stats.residuals++, it->stats.linearisations++, it->stats.factorisations++;
        joint_offsets(it, c0);
        for (int i = 0; i < g->nv; i++) g->free[i] = -g->r[i];
        FLX_TRY(flx_stepping_find(g->t, it->work, &p, REACH * g->t->length));
        FLX_TRY(flx_stepping_begin(g->t, &g->blocks, c2, 1, c0));
        FLX_TRY(flx_stepping_free_motion(g->t, g->free));
        flx_stepping_add_free(g->t, &g->blocks, g->free);
        memset(g->t->joint, 0, (size_t)g->t->nrow * sizeof *g->t->joint); // they are increments
        FLX_TRY(flx_stepping_add_joints(g->t, &g->blocks, false));
        for (int i = 0; i < g->t->npoint; i++) {
            double b[3], rate[3];
            if (!rests(g, g->t->points + i)) continue;
            flx_stepping_rates(g->t, i, g->v1, b);
            flx_stepping_rates(g->t, i, g->free, rate);
            for (int j = 0; j <= g->t->points[i].ntangent; j++) b[j] += rate[j];
            FLX_TRY(flx_stepping_add_point(g->t, i, b, x->v));
        }
        long before = g->t->iterations;
        FLX_TRY(flx_stepping_solve(g->t, warm || k > 0, g->dv));
        it->stats.newton_iterations += g->t->iterations - before;
        double change = 0;
        for (int i = 0; i < g->nv; i++) {
            double d = g->free[i] + g->dv[i];
            g->v1[i] += d;
            change = fmax(change, fabs(d));
        }
        flx_stepping_take_joints(g->t, -1.0, g->lam, g->mu, true);
        FLX_TRY(flx_stepping_keep(g->t, g->v1));
        if (isnan(change)) return FLX_NOT_FINITE;
        // what contacts hold back is as large as they are, though nothing moves
        double size = largest(g->nv, g->v1) + h * largest(g->nv, g->dv0) + 1e-6 * g->t->length +
                      largest(g->nv, g->free);
        if (change <= CONVERGED * size || (change <= 1e-8 * size && change > 0.5 * last)) {
            kinematics(it, x, h);
            return FLX_OK;
        }
        last = change;
    }
    return FLX_NO_CONVERGENCE;
}

// ---- positions ----------------------------------------------------------------------------------------------------

// The nearest positions with closed joints, points that rest closed and no overlap.
static flx_status project(flx_integrator *it, const flx_state *x, double h)
{
    alpha_steps *g = it->data;
    const flx_system *s = it->sys;
    int first = flx_dims_first_constraint(&s->dims);
    double before = HUGE_VAL, most = 0;
    g->nstruck = 0;
    for (int k = 0; k < PROJECTIONS; k++) {
        flx_point p = point_at(it, x, x->t + h, g->q1, g->v1, g->dv1);
        most = 0;
        if (s->dims.nlam > 0) FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        for (int i = 0; i < s->dims.nlam; i++) {
            if (g->t->tau[i] != 0 || g->t->C[i] != 0 || g->t->sigma[i] == 0) continue;
            g->t->b[i] = g->r[first + i] / g->t->sigma[i], g->t->compliance[i] = 0;
            most = fmax(most, fabs(g->t->b[i]) / (CLOSED * g->t->scale[i]));
        }
        FLX_TRY(flx_stepping_find(g->t, it->work, &p, REACH * g->t->length));
        for (int i = 0; i < g->t->npoint; i++) {
            const flx_touch_point *o = g->t->points + i;
            bool closed = is_closed(g, i);
            most = fmax(most, (closed ? fabs(o->gap) : -o->gap) / (OVERLAP * g->t->length));
        }
        if (most <= 1 || !(most < before)) break;
        before = most;
        it->stats.projections++;
        FLX_TRY(flx_stepping_begin(g->t, &g->blocks, 1, 0, 0));
        memset(g->t->joint, 0, (size_t)g->t->nrow * sizeof *g->t->joint);
        FLX_TRY(flx_stepping_add_joints(g->t, &g->blocks, true));
        for (int i = 0; i < g->t->npoint; i++) {
            const flx_touch_point *o = g->t->points + i;
            bool closed = is_closed(g, i);
            if (closed)
                FLX_TRY(flx_stepping_hold_point(g->t, i, o->gap));
            else if (o->gap <= 0 || o->gap < 1e-6 * g->t->length)
                FLX_TRY(flx_stepping_add_point(g->t, i, &o->gap, NULL));
        }
        FLX_TRY(flx_stepping_solve(g->t, false, g->theta));
        FLX_TRY(list_struck(it));
        s->ops->retract(s, g->q1, g->theta, g->q1);
    }
    for (int i = 0; i < g->t->npoint; i++)
        g->t->overlap = fmax(g->t->overlap, -g->t->points[i].gap);
    return isnan(most) ? FLX_NOT_FINITE : FLX_OK;
}

// ---- impacts ------------------------------------------------------------------------------------------------------

// Velocities after an impact of all points that touch at the end, which are those at hand from here on; *hit: there was one.
static flx_status impact(flx_integrator *it, const flx_state *x, double h, bool *hit)
{
    alpha_steps *g = it->data;
    const flx_system *s = it->sys;
    flx_point p = point_at(it, x, x->t + h, g->q1, g->v1, g->zero);
    p.lam = p.mu = g->zero;
    *hit = false;
    FLX_TRY(flx_stepping_find(g->t, it->work, &p, TOUCH * g->t->length));
    for (int i = 0; i < g->t->npoint; i++) {
        double u[3];
        flx_stepping_rates(g->t, i, g->v1, u);
        *hit |= u[0] < -still(g, h) && !rests(g, g->t->points + i);
    }
    if (!*hit) return FLX_OK;
    FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
    FLX_TRY(flx_stepping_begin(g->t, &g->blocks, 1, 0, 0));
    for (int i = 0; i < g->nv; i++) g->free[i] = -h * g->r[i]; // what the forces of a step do
    FLX_TRY(flx_stepping_free_motion(g->t, g->free));
    if (s->dims.nlam > 0) FLX_TRY(s->ops->constraint_rate(s, it->work, &p, g->gd));
    int first = flx_dims_first_constraint(&s->dims);
    for (int i = 0; i < g->t->nrow; i++) {
        g->t->b[i] = i < s->dims.nlam ? g->gd[i] : g->r[first + i];
        g->t->compliance[i] = g->t->joint[i] = 0;
    }
    FLX_TRY(flx_stepping_add_joints(g->t, &g->blocks, false));
    for (int i = 0; i < g->t->npoint; i++) {
        const flx_touch_point *o = g->t->points + i;
        double b[3], slowest = 2 * flx_stepping_normal_size(g->t, i, g->free);
        flx_stepping_rates(g->t, i, g->v1, b);
        if (!rests(g, o) && -b[0] > slowest) b[0] += flx_stepping_restitution(g->t, i, b[0]) * b[0];
        FLX_TRY(flx_stepping_add_sliding(g->t, i, b, NULL));
    }
    FLX_TRY(flx_stepping_solve(g->t, false, g->dv));
    memcpy(g->theta, g->v1, (size_t)g->nv * sizeof *g->theta);
    for (int i = 0; i < g->nv; i++) g->v1[i] += g->dv[i];
    g->lost += flx_stepping_lost_in_impact(g->t, x->t + h, g->theta, g->v1);
    g->supplied += flx_stepping_work_of_joints(g->t, &g->blocks, g->theta, g->v1, &g->lost);
    for (int i = 0; i < g->t->npoint; i++) {
        double u[3];
        flx_stepping_rates(g->t, i, g->theta, u);
        double slowest = fmax(still(g, h), 2 * flx_stepping_normal_size(g->t, i, g->free));
        if (-u[0] > slowest && !rests(g, g->t->points + i))
            flx_stepping_tally_impact(g->t, i, g->switches);
    }
    return FLX_OK;
}

// ---- a step ---------------------------------------------------------------------------------------------------------

static flx_status begin_anew(flx_integrator *it, const flx_state *x, double t, const double *q,
                             const double *v, double h, double *out)
{
    alpha_steps *g = it->data;
    FLX_TRY(accelerations(it, x, t, q, v, h, out));
    memcpy(g->a, out, (size_t)g->nv * sizeof *g->a);
    g->power = 0;
    return FLX_OK;
}

// The smooth part. Where no forces of points that rest are found, they act at the end of the step as an impact does, to first order.
static flx_status move(flx_integrator *it, const flx_state *x, double h, bool warm)
{
    alpha_steps *g = it->data;
    flx_status status = iterate(it, x, h, warm);
    if (status != FLX_NO_CONVERGENCE || g->nrest == 0) return status;
    FLX_TRY(begin_anew(it, x, x->t, x->q, x->v, h, g->dv0));
    g->nrest = 0;
    for (int i = 0; i < g->nv; i++) g->v1[i] = x->v[i] + h * g->dv0[i];
    return iterate(it, x, h, false);
}

static flx_status attempt(flx_integrator *it, flx_state *x, double h)
{
    alpha_steps *g = it->data;
    bool hit, anew = !flx_method_of(it)->continues || !g->started;
    g->lost = g->supplied = 0;
    memcpy(g->switches, x->switches, (size_t)it->sys->dims.nswitch * sizeof *g->switches);
    flx_stepping_begin_tally(g->t, g->switches);
    if (anew) {
        flx_stepping_read_rows(g->t, x->switches);
        FLX_TRY(begin_anew(it, x, x->t, x->q, x->v, h, g->dv0));
    } else {
        memcpy(g->dv0, x->a, (size_t)g->nv * sizeof *g->dv0);
        memcpy(g->lam, x->lam, (size_t)it->sys->dims.nlam * sizeof *g->lam);
        memcpy(g->mu, x->mu, (size_t)it->sys->dims.nmu * sizeof *g->mu);
    }
    g->started = true;
    for (int i = 0; i < g->nv; i++) g->v1[i] = x->v[i] + h * g->dv0[i];
    uint64_t before = sum_of_rest(g);
    FLX_TRY(move(it, x, h, !anew));
    double power = -flx_stepping_power(g->t, g->v1);
    flx_stepping_tally(g->t, 1, g->v1, g->switches);
    FLX_TRY(project(it, x, h));
    FLX_TRY(impact(it, x, h, &hit));
    FLX_TRY(list_rest(it, g->v1, h));
    g->lost += 0.5 * h * (anew ? 2 * power : g->power + power);
    g->power = power;
    memcpy(g->a, g->a1, (size_t)g->nv * sizeof *g->a);
    if (hit || sum_of_rest(g) != before)
        FLX_TRY(begin_anew(it, x, x->t + h, g->q1, g->v1, h, g->dv1));
    return FLX_OK;
}

flx_status flx_alpha_steps_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    alpha_steps *g = it->data;
    const flx_dims *d = &it->sys->dims;
    g->t->h = h;
    flx_point start = point_at(it, x, x->t, x->q, x->v, g->zero);
    if (!flx_method_of(it)->within) FLX_TRY(flx_stepping_look(g->t, it->work, &start));
    flx_status status = attempt(it, x, h);
    if (status < 0) return status;
    if (status != FLX_OK) {
        g->started = false;
        return flx_method_fail(it, status, -1, 0, 0,
                               "the motion and the impulses of a step were not found",
                               "a smaller step, or bodies with mass and inertia");
    }
    it->stats.lost_in_contacts += g->lost;
    flx_stepping_tell_work(g->t, &it->stats);
    flx_method_of(it)->supplied_in_impacts += g->supplied;
    memcpy(x->switches, g->switches, (size_t)d->nswitch * sizeof *x->switches);
    memcpy(x->q, g->q1, (size_t)d->nq * sizeof *x->q);
    memcpy(x->v, g->v1, (size_t)d->nv * sizeof *x->v);
    memcpy(x->a, g->dv1, (size_t)d->nv * sizeof *x->a);
    memcpy(x->lam, g->lam, (size_t)d->nlam * sizeof *x->lam);
    memcpy(x->mu, g->mu, (size_t)d->nmu * sizeof *x->mu);
    x->t += h;
    *h_taken = h;
    return FLX_OK;
}
