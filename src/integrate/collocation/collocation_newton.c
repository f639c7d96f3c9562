// collocation_newton.c - Newton's iteration for the stages of a step: how far it goes, when it has a
// new linearisation, when it is given up.
//
// A fixed step is solved to the rounding of velocities, one with error control to a part of its
// tolerance. Corrections: collocation_stages.c. Theory: docs/theory/integrators.md.
#include "integrate/collocation/collocation.h"

#include <float.h>
#include <math.h>

#define MAX_ITERATIONS 60
// With error control a smaller step is better than many iterations.
#define MAX_ADAPTIVE_ITERATIONS 15
// The part of its scale that a position is solved to is at least this where there are position bonds,
// whose rounding it is, and else next to nothing, or what the last iteration could not do better ...
#define POSITION_FLOOR 4e-16
#define INCREMENT_FLOOR 1e-24
// ... and otherwise so good that velocities keep this part of their size.
#define VELOCITY_TOLERANCE 3e-14
// ... or this one, where what is left of an iteration would add up over many steps.
#define KEEPING_TOLERANCE DBL_EPSILON
// The same for multipliers, or what the rounding of positions leaves of them if that is more.
#define FORCE_TOLERANCE 1e-9
#define WORST_FORCE_TOLERANCE 1e-4
// Above this contraction an old linearisation is renewed within the step,
#define SLOW 0.4
// ... above this one the iteration is accelerated, which may take so many iterations.
#define ACCELERATED 0.15
#define PATIENCE 10
// ... and with error control above this one it is looked at what does not converge.
#define NOT_GOOD 0.1
#define ADAPTIVE_PATIENCE 5
// Corrections below this part of the scale that shrink no more are rounding.
#define ROUNDING_CORRECTION 1e-10
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6
// Pivot ratios below this are reported as a singular position.
#define SINGULAR_PIVOT 1e-10

// ---- convergence ----------------------------------------------------------------------------

// Corrections of positions and h times those of velocities as a part of their scales; states and
// algebraic unknowns as a part of themselves, which are not increments: what is allowed of them is at
// least their rounding.
static double motion_size(collocation *co, const flx_dims *d, double tolerance)
{
    double m = 0.0, part = tolerance / fmax(tolerance, POSITION_FLOOR);
    for (int i = 0; i < co->s; i++) {
        const double *D = co->D + (size_t)i * co->n, *U = co->now.U + (size_t)i * co->n;
        const double *dV = co->dV + (size_t)i * d->nv;
        for (int j = 0; j < d->nv; j++) {
            double e = fmax(fabs(D[j]), co->h * fabs(dV[j])) / co->scale[j];
            flx_take_worst(isnan(D[j]) ? D[j] : e, j, &m, &co->worst);
        }
        for (int j = d->nv; j < co->first; j++) {
            double size = fmax(fabs(U[j]), 1e-3 * co->scale[j]);
            flx_take_worst(part * fabs(D[j]) / size, j, &m, &co->worst);
        }
    }
    return m;
}

// What positions may be off in a fixed step, as a part of their scale.
static double position_tolerance(const collocation *co, const flx_dims *d)
{
    double v = 0.0;
    for (int i = 0; i < co->s; i++) {
        for (int j = 0; j < d->nv; j++) {
            v = fmax(v, fabs(co->now.V[i * d->nv + j]) / co->scale[j]);
        }
    }
    double floor = co->npos ? POSITION_FLOOR : fmax(INCREMENT_FLOOR, co->rounding);
    double part = co->keeps ? KEEPING_TOLERANCE : VELOCITY_TOLERANCE;
    return fmin(co->tolerance, fmax(part * co->h * v, floor));
}

// Corrections of multipliers against what is allowed of them in a fixed step.
static double force_size(collocation *co, const flx_dims *d, double tolerance)
{
    double step = 0.0, size = 0.0, a = 0.0, w = cabs(co->tab->mu[0]) / co->h;
    int worst = -1;
    if (co->n == co->first) return 0.0;
    for (int i = 0; i < co->s; i++) {
        for (int j = co->first; j < co->n; j++) {
            flx_take_worst(fabs(co->D[i * co->n + j]), j, &step, &worst);
            size = fmax(size, fabs(co->now.U[i * co->n + j]));
        }
        for (int j = 0; j < d->nv; j++) {
            a = fmax(a, fabs(co->now.A[i * d->nv + j]) / co->scale[j]);
        }
    }
    if (!(step > 0.0)) return step; // zero, or not a number
    double allowed = fmax(FORCE_TOLERANCE, a > 0.0 ? tolerance * w * w / a : 0.0);
    double e = step / (fmin(allowed, WORST_FORCE_TOLERANCE) * fmax(size, step));
    if (e > 1.0 && co->worst < 0) co->worst = worst;
    return e;
}

typedef struct newton {
    double size, motion;      // of this correction: in units of what is allowed; of the scale
    double last, last_motion; // of the one before; 0: none with these factors, or not looked at
    double rate;              // contraction, expected where there is none yet
    int fresh;                // iterations with a linearisation of this step; -1: an older one
    int renewals;             // linearisations in this step
    int stagnant, growing, hopeless;
    int enough; // stagnant ones in a row
    bool accelerated;
} newton;

typedef enum verdict { GO_ON, CONVERGED, RENEW, FAILED } verdict;

// Positions are at rounding and what is left shrinks no more: a singular position, or the rounding
// of the forces.
static bool stagnates(newton *n, double allowed)
{
    bool rounding =
        n->last_motion > 0.0 && n->motion < ROUNDING_CORRECTION && n->motion > 0.5 * n->last_motion;
    bool still = (n->motion <= allowed || rounding) && n->last > 0.0 && n->rate > 0.5;
    n->stagnant = still ? n->stagnant + 1 : 0;
    return n->stagnant >= n->enough;
}

static verdict judge_fixed(newton *n, double allowed)
{
    if (n->rate < 1.0 && n->rate / (1.0 - n->rate) * n->size <= 0.3) return CONVERGED;
    if (n->size <= 0.03 || stagnates(n, allowed)) return CONVERGED;
    n->growing = n->last > 0.0 && n->rate > 2.0 ? n->growing + 1 : 0;
    if (n->growing > 5) return FAILED;
    bool rounding = n->motion < ROUNDING_CORRECTION && n->motion > 0.5 * n->last_motion;
    bool slow = n->last > 0.0 && n->rate > SLOW && !rounding;
    return slow && (n->fresh < 0 || n->fresh >= PATIENCE) ? RENEW : GO_ON;
}

// k iterations are made. A rate that does not lead to the tolerance in time ends the attempt.
static verdict judge_adaptive(newton *n, int k)
{
    if (n->rate < 1.0 && n->rate / (1.0 - n->rate) * n->size <= 1.0) return CONVERGED;
    if (n->size <= 0.03 || stagnates(n, 0.0)) return CONVERGED;
    if (!(n->last > 0.0)) return GO_ON;
    double left = MAX_ADAPTIVE_ITERATIONS - k;
    bool hopeless = n->rate >= 0.99 || pow(n->rate, left) / (1.0 - n->rate) * n->size > 1.0;
    if (!hopeless) return GO_ON;
    if (n->fresh < 0) return RENEW;
    return ++n->hopeless > ADAPTIVE_PATIENCE ? FAILED : GO_ON;
}

// Whose equation it is: the joint that is open most, or else the largest correction.
static flx_status diverged(flx_integrator *it, flx_status status, int k)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    double open = 0.0;
    int joint = -1;
    for (int i = 0; i < co->s; i++) {
        const double *R = co->R + (size_t)i * co->n;
        for (int j = co->first; j < co->first + d->nlam; j++) {
            if (isfinite(R[j])) flx_take_worst(fabs(R[j]) / co->scale[j], j, &open, &joint);
        }
    }
    co->iterations = k;
    status = flx_method_diverged(it, status, open > OPEN_JOINT ? joint : co->worst, k);
    if (co->rings) flx_stiff_bonds_advise(it, &co->stiff, &co->blocks, co->h);
    return status;
}

// The stage next to the middle: what the linearisation errs there is smallest over the step. When
// that did not do, the last and the first one: it may be in a singular position.
static int choose_stage(const collocation *co, int renewals)
{
    int best = 0;
    for (int i = 1; i < co->s; i++) {
        if (fabs(co->tab->c[i] - 0.5) < fabs(co->tab->c[best] - 0.5)) best = i;
    }
    return renewals % 3 == 0 ? best : renewals % 3 == 1 ? co->s - 1 : 0;
}

// Factors for this step, of a linearisation that is there or of a new one.
static flx_status refresh(flx_integrator *it, const flx_state *x, newton *n)
{
    collocation *co = it->data;
    flx_anderson_restart(&co->anderson);
    n->last = 0.0;
    if (!co->linearised) {
        n->fresh = 0;
        FLX_TRY(collocation_linearise(it, x, choose_stage(co, n->renewals++)));
    }
    flx_status status = collocation_factor(it);
    if (status != FLX_SINGULAR) return status;
    co->linearised = false;
    for (int k = 0; k < co->tab->neigen; k++) {
        int worst = flx_linear_get_report(collocation_solver(co, k)).worst;
        if (worst >= 0) co->worst = worst;
    }
    return status;
}

static void note_contraction(collocation *co, newton *n)
{
    if (!(n->last > 0.0)) {
        n->rate = co->contraction > 0.0 ? fmin(0.9, pow(co->contraction, 0.8)) : 0.9;
        return;
    }
    n->rate = n->size / n->last;
    if (!(n->size > 10.0 || (co->adaptive && n->size > 1e-2))) return; // in the rounding
    co->contraction = fmax(n->rate, 1e-6);
    if (n->rate > ACCELERATED) n->accelerated = true;
    // multipliers that do not settle in a singular position are not the fault of the solver
    double rate = n->last_motion > 0.0 ? fmin(n->rate, n->motion / n->last_motion) : n->rate;
    if (n->fresh < 0 || n->motion < ROUNDING_CORRECTION) return;
    bool changed = false;
    for (int k = 0; k < co->tab->neigen; k++) {
        if (flx_linear_judge(collocation_solver(co, k), rate)) changed = true;
    }
    if (changed) co->h_factored = 0.0;
}

static void count_singular(flx_integrator *it)
{
    collocation *co = it->data;
    double ratio = 1.0;
    for (int k = 0; k < co->tab->neigen; k++) {
        ratio = fmin(ratio, flx_linear_get_report(collocation_solver(co, k)).pivot_ratio);
    }
    if (ratio < SINGULAR_PIVOT) it->stats.singular_positions++;
}

flx_status collocation_solve(flx_integrator *it, const flx_state *x)
{
    collocation *co = it->data;
    const flx_dims *d = &it->sys->dims;
    int most = co->adaptive ? MAX_ADAPTIVE_ITERATIONS : MAX_ITERATIONS;
    newton n = {.fresh = -1, .enough = co->keeps ? 1 : 2};
    flx_anderson_restart(&co->anderson);
    co->worst = -1;
    for (int k = 0; k < most; k++) {
        flx_status status = collocation_evaluate(it, x);
        if (status != FLX_OK) return status > 0 ? diverged(it, status, k) : status;
        if (co->h_factored == 0.0) {
            status = refresh(it, x, &n);
            if (status != FLX_OK) return status > 0 ? diverged(it, status, k) : status;
        }
        FLX_TRY(collocation_correct(it));
        collocation_anderson(co, d, n.accelerated);
        double tolerance = co->adaptive ? co->tolerance : position_tolerance(co, d);
        if (co->adaptive) {
            n.size = collocation_correction_norm(co, d);
            bool good = n.size <= NOT_GOOD * n.last || (n.last == 0.0 && isfinite(n.size));
            n.motion = good ? 0.0 : motion_size(co, d, tolerance);
        } else {
            n.motion = motion_size(co, d, tolerance);
            n.size = fmax(n.motion / tolerance, force_size(co, d, tolerance));
        }
        if (!isfinite(n.size) || !isfinite(n.motion)) return diverged(it, FLX_NOT_FINITE, k);
        collocation_apply(co, d);
        it->stats.newton_iterations++;
        co->iterations = k + 1;
        note_contraction(co, &n);
        verdict v = co->adaptive ? judge_adaptive(&n, k + 1) : judge_fixed(&n, tolerance);
        if (v == FAILED) return diverged(it, FLX_NO_CONVERGENCE, k + 1);
        if (v == CONVERGED) {
            co->stagnated = n.stagnant > 0;
            if (co->stagnated) {
                if (!co->keeps) co->rounding = n.motion;
                count_singular(it);
            }
            return collocation_derive(it, x);
        }
        if (v == RENEW) {
            co->linearised = false;
            co->h_factored = 0.0;
        }
        if (n.fresh >= 0) n.fresh++;
        n.last = n.size;
        n.last_motion = n.motion;
    }
    return diverged(it, FLX_NO_CONVERGENCE, most);
}
