// equilibrium.c - an equilibrium: forces in balance at v = 0, v' = 0, x' = 0.
//
// Implicit Euler steps from rest, whose velocity is forgotten at the end of each, one Newton
// correction a step:
//     (M / h^2 + D / h + K) theta + G^T dlambda + .. = -r(q, v = 0, v' = 0, lambda)      (EQU-1)
// Short steps go downhill, along M^-1 times the force; long ones are Newton's. The step grows while
// the matrix is positive along the move, and shrinks where it is not or the move is far: it leads
// to a stable position where there is one near.
#include "analyse/rest.h"
#include "base/refuse.h"
#include "flexion/analysis.h"

#include <float.h>
#include <math.h>

#define MOST_STEPS 400
#define MOST_TRIES 60
#define MOST_JUMPS 100
#define FIRST_STEP 1.0
#define GROWTH 10.0
#define SHRINK 0.25
#define OVERSHOT 0.5 // part of the first force that may oppose the move at its end
#define IN_REACH                                                                                   \
    1e-5 // of the forces there are, left over: Newton's steps find the equilibrium that is this near
#define NEARBY 1e-3 // of the scale of a coordinate
// Forces that cancel leave rounding: a move of Newton's that is no more than this, of the scale of its
// coordinate, is made of it.
#define STILL 1e-13

typedef struct search {
    flx_rest e;
    flx_state *x; // the caller's
    double h;
    bool still;   // the last move was Newton's, and none
    bool changed; // one-sided constraints opened or closed after it
} search;

// d for the present step; *far: largest scaled move; *work: of the force along it, *curve: of the
// matrix, without what closes the constraints.
static flx_status solve(search *f, double *far, double *work, double *curve)
{
    flx_rest *e = &f->e;
    FLX_TRY(flx_rest_factor(e, f->h));
    for (int i = 0; i < e->n; i++) e->d[i] = -e->r[i];
    FLX_TRY(flx_rest_solve(e, e->d));
    *far = *work = 0.0;
    for (int i = 0; i < e->nv; i++) {
        *far = fmax(*far, fabs(e->d[i]) / e->scale[i]);
        if (e->force_like[i]) *work -= e->d[i] * e->r[i];
        if (!isfinite(e->d[i])) return FLX_SINGULAR;
    }
    *curve = *work;
    for (int i = e->n - e->s->dims.nlam - e->s->dims.nmu; i < e->n; i++) {
        if (e->force_like[i]) *curve += e->r[i] * e->d[i];
    }
    return FLX_OK;
}

// One step that goes downhill and not too far. FLX_NO_CONVERGENCE: none was found.
static flx_status advance(search *f)
{
    flx_rest *e = &f->e;
    const flx_system *s = e->s;
    FLX_TRY(flx_rest_linearise(e, f->x));
    for (int k = 0; k < MOST_TRIES; k++, f->h *= SHRINK) {
        double far, work, curve, after = 0.0, part = 1.0;
        flx_status status = solve(f, &far, &work, &curve);
        if (status < 0) return status;
        if (status > 0) continue;
        // signs are rounding
        bool small = e->residual <= FLX_REST_NEARLY || far <= STILL;
        if (!small && !(curve >= 0.0)) continue;
        if (far > FLX_REST_FARTHEST) {
            if (k < MOST_TRIES / 2) continue;
            part = FLX_REST_FARTHEST / far; // nothing with mass holds it back
        }
        flx_rest_move(e, f->x, e->d, part);
        FLX_TRY(flx_rest_eval(e, e->next, e->force));
        for (int i = 0; i < e->nv; i++) {
            if (e->force_like[i]) after -= e->theta[i] * e->force[i];
        }
        if (!small && after < -OVERSHOT * part * fabs(work) && part == 1.0) continue;
        flx_state_copy(f->x, e->next);
        if (s->ops->events) s->ops->events->settle(s, e->work, f->x);
        FLX_TRY(flx_rest_choose_groups(e, f->x, &f->changed));
        f->still = !f->changed && f->h == FLX_REST_LONGEST_STEP && far <= STILL;
        if (far < 0.5 * FLX_REST_FARTHEST) f->h = fmin(GROWTH * f->h, FLX_REST_LONGEST_STEP);
        if (far <= STILL) f->h = FLX_REST_LONGEST_STEP; // let Newton's step say so
        return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}

static flx_status refuse(const search *f, int steps)
{
    flx_unknown u;
    flx_rest_name_worst(&f->e, &u);
    return FLX_FAIL(f->e.s->ctx, FLX_NO_CONVERGENCE, u.loc,
                    "no equilibrium was found in %d steps: '%s' (%s) is out of balance by "
                    "%.3g of the forces there are; is it held by anything, or does something "
                    "drive it?",
                    steps, u.item, u.part, f->e.residual);
}

static flx_status descend(search *f, int *steps)
{
    flx_rest *e = &f->e;
    double best = HUGE_VAL;
    int stalls = 0;
    flx_rest_stop(e->s, f->x);
    FLX_TRY(flx_rest_choose_groups(e, f->x, &f->changed));
    FLX_TRY(flx_rest_measure(e, f->x));
    for (*steps = 0; *steps < MOST_STEPS; ++*steps) {
        if (f->changed) best = HUGE_VAL;
        if ((e->residual <= FLX_REST_BALANCED && !f->changed) || f->still) return FLX_OK;
        stalls = e->residual < 0.5 * best ? 0 : stalls + 1;
        best = fmin(best, e->residual);
        if (e->residual <= FLX_REST_NEARLY && stalls > 1) return FLX_OK;
        flx_status status = advance(f);
        if (status > 0) return e->residual <= FLX_REST_NEARLY ? FLX_OK : FLX_NO_CONVERGENCE;
        FLX_TRY(status);
        FLX_TRY(flx_rest_measure(e, f->x));
    }
    return FLX_NO_CONVERGENCE;
}

// Newton's steps from where it began, uphill too: a rotation may be where forces and inertia are in balance and no valley.
static flx_status jump(search *f, int *steps)
{
    flx_rest *e = &f->e;
    f->h = FLX_REST_LONGEST_STEP;
    FLX_TRY(flx_rest_measure(e, f->x));
    for (*steps = 0; *steps < MOST_JUMPS; ++*steps) {
        double far, work, curve;
        if (e->residual <= FLX_REST_BALANCED || f->still) return FLX_OK;
        FLX_TRY(flx_rest_linearise(e, f->x));
        FLX_TRY(solve(f, &far, &work, &curve));
        flx_rest_move(e, f->x, e->d, fmin(1.0, FLX_REST_FARTHEST / fmax(far, 1e-300)));
        flx_state_copy(f->x, e->next);
        f->still = far <= STILL;
        FLX_TRY(flx_rest_measure(e, f->x));
    }
    return e->residual <= FLX_REST_NEARLY ? FLX_OK : FLX_NO_CONVERGENCE;
}

// Where no way leads down, since forces have no potential, as those of controllers, an equilibrium may be near all the same:
// Newton's steps end there, or elsewhere, which does not count.
static flx_status finish(search *f, int *steps)
{
    flx_rest *e = &f->e;
    flx_state *near = NULL;
    int more = 0;
    if (!(e->residual <= IN_REACH) || f->changed) return FLX_NO_CONVERGENCE;
    FLX_TRY(flx_state_create(e->s, &near));
    flx_state_copy(near, f->x);
    f->still = false;
    int errors = flx_ctx_error_count(e->s->ctx);
    flx_status status = jump(f, &more);
    *steps += more;
    flx_ctx_forget_errors(e->s->ctx, errors);
    e->s->ops->difference(e->s, near->q, f->x->q, e->theta);
    for (int i = 0; i < e->nv && status == FLX_OK; i++) {
        if (!(fabs(e->theta[i]) <= NEARBY * e->scale[i])) status = FLX_NO_CONVERGENCE;
    }
    if (status > 0) {
        flx_state_copy(f->x, near);
        status = flx_rest_measure(e, f->x); // for the message
        if (status == FLX_OK) status = FLX_NO_CONVERGENCE;
    }
    flx_state_destroy(&near);
    return status;
}

// Where forces cancel in every coordinate there is none to measure by: what is left over goes by the forces that the
// stiffness makes of a move by the scale of the coordinates.
static flx_status measure_by_stiffness(search *f)
{
    flx_rest *e = &f->e;
    const flx_pattern *p = &e->s->pattern;
    FLX_TRY(flx_rest_linearise(e, f->x));
    double work = 0.0, left = 0.0;
    for (int b = 0; b < p->nblock; b++) {
        for (int i = p->start[b]; i < p->start[b + 1] && i < e->nv; i++) {
            double sum = 0.0;
            for (int k = p->row[b]; k < p->row[b + 1]; k++) {
                int first = p->start[p->col[k]], last = p->start[p->col[k] + 1];
                const double *a =
                    e->b.A0 + p->offset[k] + (size_t)(i - p->start[b]) * (size_t)(last - first);
                for (int j = first; j < last && j < e->nv; j++) {
                    sum += fabs(a[j - first]) * e->scale[j];
                }
            }
            work = fmax(work, sum * e->scale[i]);
            left = fmax(left, fabs(e->r[i]) * e->scale[i]);
        }
    }
    if (work > 0.0) e->residual = fmin(e->residual, left / work);
    return FLX_OK;
}

static void report_move(const search *f, const flx_state *from, flx_equilibrium_report *report)
{
    const flx_rest *e = &f->e;
    e->s->ops->difference(e->s, from->q, f->x->q, e->theta);
    report->residual = e->residual;
    report->item = -1;
    for (int i = 0; i < e->nv; i++) {
        double moved = fabs(e->theta[i]) / e->scale[i];
        if (!(moved > report->moved)) continue;
        report->moved = moved;
        report->item = i;
    }
}

flx_status flx_equilibrium_find_of(const flx_system *s, bool uphill, flx_state *x,
                                   flx_equilibrium_report *report)
{
    search f = {.x = x, .h = FIRST_STEP};
    flx_state *from = NULL;
    flx_equilibrium_report done = {0};
    flx_status status = flx_rest_check_groups(s);
    if (status == FLX_OK) status = flx_rest_create(s, &f.e);
    if (status == FLX_OK) status = flx_rest_create_groups(&f.e);
    if (status == FLX_OK) status = flx_state_create(s, &from);
    if (status == FLX_OK) {
        flx_state_copy(from, x);
        status = descend(&f, &done.iterations);
        if (status == FLX_NO_CONVERGENCE) status = finish(&f, &done.iterations);
        if (status == FLX_NO_CONVERGENCE && uphill) {
            flx_state_copy(x, from);
            flx_rest_stop(s, x);
            status = jump(&f, &done.iterations);
        }
        // what was held on the way is no force of the rest: once more from none
        if (status == FLX_OK && flx_rest_release_groups(&f.e, x)) {
            int more = 0;
            f.still = false;
            status = descend(&f, &more);
            done.iterations += more;
        }
        if (status == FLX_NO_CONVERGENCE) status = refuse(&f, done.iterations);
    }
    if (status == FLX_OK && f.e.residual > FLX_REST_NEARLY) status = measure_by_stiffness(&f);
    if (status == FLX_OK) status = flx_rest_judge_groups(&f.e, x);
    if (status == FLX_OK) report_move(&f, from, &done);
    if (report) *report = done;
    flx_state_destroy(&from);
    flx_rest_destroy(&f.e);
    return status;
}

flx_status flx_equilibrium_find(const flx_system *s, flx_state *x, flx_equilibrium_report *report)
{
    if (!s || !x) return flx_refuse_null(NULL, __func__);
    return flx_equilibrium_find_of(s, false, x, report);
}
