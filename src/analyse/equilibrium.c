// equilibrium.c - a position of rest: forces in balance at v = 0, v' = 0, x' = 0.
//
// Implicit Euler steps from rest, whose velocity is forgotten at the end of each, one Newton
// correction a step:
//     (M / h^2 + D / h + K) theta + G^T dlambda + .. = -r(q, v = 0, v' = 0, lambda)      (EQU-1)
// Short steps go downhill, along M^-1 times the force; long ones are Newton's. The step grows while
// the matrix is positive along the move, and shrinks where it is not or the move is far: it leads
// to a stable position where there is one near.
#include "flexion/analysis.h"
#include "integrate/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST_STEPS 400
#define MOST_TRIES 60
#define FARTHEST 0.2 // of a move, as a part of the scale of its coordinate
#define FIRST_STEP 1.0
#define LONGEST_STEP 1e5 // seconds: Newton's method to ten digits for what moves within a second
#define GROWTH 10.0
#define SHRINK 0.25
// Forces out of balance as a part of those there are: rounding, and what counts as balance when it
// becomes no better.
#define BALANCED 1e-14
#define NEARLY_BALANCED 1e-9
#define OVERSHOT 0.5 // part of the first force that may oppose the move at its end

typedef struct search {
    const flx_system *s;
    flx_work *work;
    flx_linear *lin;
    flx_blocks b;
    flx_state *x, *next; // x is the caller's
    int n, nv;
    double *r, *d, *force, *scale; // (n); (n); (n) without multipliers; (n)
    double *theta;                 // (nv)
    double h, residual;
    int worst;
} search;

static flx_status create(const flx_system *s, flx_state *x, search *e)
{
    int n = flx_dims_unknowns(&s->dims);
    *e = (search){.s = s, .x = x, .n = n, .nv = s->dims.nv, .h = FIRST_STEP};
    e->work = s->ops->work_create(s);
    if (!e->work) return FLX_FAIL(s->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    FLX_TRY(flx_linear_create(s, false, &e->lin));
    FLX_TRY(flx_blocks_create(s, &e->b));
    FLX_TRY(flx_state_create(s, &e->next));
    e->r = flx_alloc(s->ctx, 4 * (size_t)n + (size_t)e->nv, sizeof *e->r);
    if (!e->r) return FLX_ERR_MEMORY;
    e->d = e->r + n;
    e->force = e->d + n;
    e->scale = e->force + n;
    e->theta = e->scale + n;
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        e->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    flx_linear_take_full(e->lin); // nobody judges the iteration
    return FLX_OK;
}

static void destroy(search *e)
{
    if (e->work) e->s->ops->work_destroy(e->work);
    flx_linear_destroy(&e->lin);
    flx_blocks_destroy(&e->b);
    flx_state_destroy(&e->next);
    flx_free(e->r);
}

static void stop(const flx_system *s, flx_state *x)
{
    memset(x->v, 0, (size_t)s->dims.nv * sizeof *x->v);
    memset(x->a, 0, (size_t)s->dims.nv * sizeof *x->a);
    memset(x->dx, 0, (size_t)s->dims.nx * sizeof *x->dx);
}

// r at rest. Rigid velocity bonds are met by v = 0: what a motion's rate asks is not of a rest.
static flx_status eval(search *e, const flx_state *x, double *r)
{
    const flx_system *s = e->s;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->residual(s, e->work, &p, r));
    for (int i = e->n - s->dims.nmu; i < e->n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if (!(u.E > 0.0)) r[i] = 0.0;
    }
    return FLX_OK;
}

// Largest row, forces as work over the scale of their coordinate against the largest such work that
// is in play, bonds against their scale.
static flx_status measure(search *e)
{
    const flx_system *s = e->s;
    const flx_dims *d = &s->dims;
    double work = 0.0;
    e->residual = 0.0;
    e->worst = -1;
    FLX_TRY(eval(e, e->x, e->r));
    flx_state_copy(e->next, e->x);
    memset(e->next->lam, 0, (size_t)d->nlam * sizeof *e->next->lam);
    memset(e->next->mu, 0, (size_t)d->nmu * sizeof *e->next->mu);
    FLX_TRY(eval(e, e->next, e->force));
    for (int i = 0; i < e->nv; i++) {
        double reaction = fabs(e->r[i] - e->force[i]);
        work = fmax(work, e->scale[i] * fmax(fabs(e->force[i]), reaction));
    }
    for (int i = 0; i < e->n; i++) {
        double part = fabs(e->r[i]) / e->scale[i];
        if (i < e->nv) part = work > 0.0 ? fabs(e->r[i]) * e->scale[i] / work : 0.0;
        if (part <= e->residual) continue;
        e->residual = part;
        e->worst = i;
    }
    for (int i = 0; i < e->n; i++) {
        if (!isfinite(e->r[i])) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}

// d for the present step; *far: largest scaled move; *work: of the force along it, *curve: of the
// matrix, without what closes the bonds.
static flx_status solve(search *e, double *far, double *work, double *curve)
{
    double c = 1.0 / e->h;
    const flx_weights w = {.c0 = 1.0, .c1 = c, .c2 = c * c, .cx = c};
    FLX_TRY(flx_linear_factor(e->lin, &e->b, &w));
    for (int i = 0; i < e->n; i++) e->d[i] = -e->r[i];
    FLX_TRY(flx_linear_solve(e->lin, e->d));
    *far = *work = 0.0;
    for (int i = 0; i < e->nv; i++) {
        *far = fmax(*far, fabs(e->d[i]) / e->scale[i]);
        *work -= e->d[i] * e->r[i];
        if (!isfinite(e->d[i])) return FLX_SINGULAR;
    }
    *curve = *work;
    for (int i = e->n - e->s->dims.nlam - e->s->dims.nmu; i < e->n; i++) {
        *curve += e->r[i] * e->d[i];
    }
    return FLX_OK;
}

static void move(search *e, double part)
{
    const flx_system *s = e->s;
    const flx_dims *d = &s->dims;
    const double *dx = e->d + d->nv, *dw = dx + d->nx, *dl = dw + d->nw, *dm = dl + d->nlam;
    for (int i = 0; i < d->nv; i++) e->theta[i] = part * e->d[i];
    flx_state_copy(e->next, e->x);
    s->ops->retract(s, e->x->q, e->theta, e->next->q);
    for (int i = 0; i < d->nx; i++) e->next->x[i] += part * dx[i];
    for (int i = 0; i < d->nw; i++) e->next->w[i] += part * dw[i];
    for (int i = 0; i < d->nlam; i++) e->next->lam[i] += dl[i];
    for (int i = 0; i < d->nmu; i++) e->next->mu[i] += dm[i];
}

// One step that goes downhill and not too far. FLX_NO_CONVERGENCE: none was found.
static flx_status advance(search *e)
{
    const flx_system *s = e->s;
    flx_point p = flx_state_point(s, e->x);
    FLX_TRY(s->ops->linearise(s, e->work, &p, &e->b));
    for (int k = 0; k < MOST_TRIES; k++, e->h *= SHRINK) {
        double far, work, curve, after = 0.0, part = 1.0;
        flx_status status = solve(e, &far, &work, &curve);
        if (status < 0) return status;
        if (status > 0) continue;
        bool small = e->residual <= NEARLY_BALANCED; // signs are rounding
        if (!small && !(curve >= 0.0)) continue;
        if (far > FARTHEST) {
            if (k < MOST_TRIES / 2) continue;
            part = FARTHEST / far; // nothing with mass holds it back
        }
        move(e, part);
        FLX_TRY(eval(e, e->next, e->force));
        for (int i = 0; i < e->nv; i++) after -= e->theta[i] * e->force[i];
        if (!small && after < -OVERSHOT * part * fabs(work) && part == 1.0) continue;
        flx_state_copy(e->x, e->next);
        if (s->ops->instants) s->ops->instants->settle(s, e->work, e->x);
        if (far < 0.5 * FARTHEST) e->h = fmin(GROWTH * e->h, LONGEST_STEP);
        return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}

static flx_status refuse(const search *e, int steps)
{
    const flx_system *s = e->s;
    flx_unknown u = {.item = "?", .part = "?"};
    if (e->worst >= 0) s->ops->unknown(s, e->worst, &u);
    return FLX_FAIL(s->ctx, FLX_NO_CONVERGENCE, u.loc,
                    "no position of rest was found in %d steps: '%s' (%s) is out of balance by "
                    "%.3g of the forces there are; is it held by anything, or does something "
                    "drive it?",
                    steps, u.item ? u.item : "?", u.part ? u.part : "?", e->residual);
}

static flx_status descend(search *e, int *steps)
{
    double best = HUGE_VAL;
    int stalls = 0;
    stop(e->s, e->x);
    FLX_TRY(measure(e));
    for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
        if (e->residual <= BALANCED) return FLX_OK;
        stalls = e->residual < 0.5 * best ? 0 : stalls + 1;
        best = fmin(best, e->residual);
        if (e->residual <= NEARLY_BALANCED && stalls > 1) return FLX_OK;
        flx_status status = advance(e);
        if (status > 0) return e->residual <= NEARLY_BALANCED ? FLX_OK : refuse(e, *steps);
        FLX_TRY(status);
        FLX_TRY(measure(e));
    }
    return refuse(e, *steps);
}

static void report_move(const search *e, const flx_state *from, flx_equilibrium_report *report)
{
    const flx_system *s = e->s;
    s->ops->difference(s, from->q, e->x->q, e->theta);
    report->residual = e->residual;
    report->item = -1;
    for (int i = 0; i < e->nv; i++) {
        double moved = fabs(e->theta[i]) / e->scale[i];
        if (!(moved > report->moved)) continue;
        report->moved = moved;
        report->item = i;
    }
}

flx_status flx_equilibrium_find(const flx_system *s, flx_state *x, flx_equilibrium_report *report)
{
    search e;
    flx_state *from = NULL;
    flx_equilibrium_report done = {0};
    flx_status status = create(s, x, &e);
    if (status == FLX_OK) status = flx_state_create(s, &from);
    if (status == FLX_OK) {
        flx_state_copy(from, x);
        status = descend(&e, &done.iterations);
    }
    if (status == FLX_OK) report_move(&e, from, &done);
    if (report) *report = done;
    flx_state_destroy(&from);
    destroy(&e);
    return status;
}
