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
// The part of its scale that a position is solved to is at least this where there are position constraints,
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
// Above this contraction the iteration is accelerated, which may take so many iterations,
#define ACCELERATED 0.15
#define PATIENCE 10
// ... and with error control above this one it is looked at what does not converge.
#define NOT_GOOD 0.1
// What may be left of a fixed step; one with error control leaves a part of its tolerance.
#define LEFT 0.3
// Corrections up to these, in units of what is allowed, may be rounding.
#define NOISE 10.0
#define ADAPTIVE_NOISE 1e-2
// Corrections below this part of the scale that shrink no more are rounding.
#define ROUNDING_CORRECTION 1e-10
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6
// Where less than this is left of the constraints, squared, every matrix is slow.
#define NEARLY_LOST 1e-3
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

// The iteration of an attempt.
typedef struct stages_newton {
    flx_newton newton;
    double motion,
        last_motion; // of this correction and the one before, of the scale; 0: not looked at
    int renewals;    // linearisations in this step
    bool accelerated;
} stages_newton;

// Whose equation it is: the joint that is open most, or else the largest correction.
static flx_status diverged(flx_integrator *it, flx_status status, flx_newton *n)
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
    co->iterations = n->iterations;
    status = flx_method_diverged(it, status, open > OPEN_JOINT ? joint : co->worst, n->iterations);
    if (co->rings) flx_stiff_constraints_advise(it, &co->stiff, &co->blocks, co->h);
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
static flx_status refresh(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    collocation *co = it->data;
    stages_newton *all = (stages_newton *)n;
    flx_anderson_restart(&co->anderson);
    if (!co->linearised) {
        n->fresh = 0;
        flx_status status = flx_collocation_linearise(it, x, choose_stage(co, all->renewals++));
        if (status != FLX_OK) return status > 0 ? diverged(it, status, n) : status;
    }
    flx_status status = flx_collocation_factor(it);
    if (status <= FLX_OK) return status;
    if (status == FLX_SINGULAR) {
        co->linearised = false;
        for (int k = 0; k < co->tab->neigen; k++) {
            int worst = flx_linear_get_report(flx_collocation_solver(co, k)).worst;
            if (worst >= 0) co->worst = worst;
        }
    }
    return diverged(it, status, n);
}

static void renew(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x, (void)n;
    collocation *co = it->data;
    co->linearised = false;
}

// Multipliers that do not settle in a singular position are not the fault of the solver.
static bool judge_factors(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x;
    collocation *co = it->data;
    const stages_newton *all = (const stages_newton *)n;
    double rate = n->rate;
    if (all->last_motion > 0.0) rate = fmin(rate, all->motion / all->last_motion);
    if (all->motion < ROUNDING_CORRECTION || co->left < NEARLY_LOST) return false;
    bool changed = false;
    for (int k = 0; k < co->tab->neigen; k++) {
        if (flx_linear_judge(flx_collocation_solver(co, k), rate)) changed = true;
    }
    return changed;
}

static void count_singular(flx_integrator *it)
{
    collocation *co = it->data;
    double ratio = 1.0;
    for (int k = 0; k < co->tab->neigen; k++) {
        ratio = fmin(ratio, flx_linear_get_report(flx_collocation_solver(co, k)).pivot_ratio);
    }
    if (ratio < SINGULAR_PIVOT) it->stats.singular_positions++;
}

static flx_status evaluate(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)n;
    return flx_collocation_evaluate(it, x);
}

// Positions at rounding, and what is left shrinks no more: a singular position, or rounding of forces.
static bool is_noise(const stages_newton *all, double allowed)
{
    double last = all->last_motion;
    bool rounding = all->motion < ROUNDING_CORRECTION && all->motion > 0.5 * last && last > 0.0;
    return all->motion <= allowed || rounding;
}

static flx_status correct(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x;
    collocation *co = it->data;
    stages_newton *all = (stages_newton *)n;
    const flx_dims *d = &it->sys->dims;
    if (n->measured && n->rate > ACCELERATED && n->last > n->rule.noise) all->accelerated = true;
    FLX_TRY(flx_collocation_correct(it));
    flx_collocation_anderson(co, d, all->accelerated);
    double tolerance = co->adaptive ? co->tolerance : position_tolerance(co, d);
    all->last_motion = n->last > 0.0 ? all->motion : 0.0;
    if (co->adaptive) {
        n->size = flx_collocation_correction_norm(co, d);
        bool good = n->size <= NOT_GOOD * n->last || (n->last == 0.0 && isfinite(n->size));
        all->motion = good ? 0.0 : motion_size(co, d, tolerance);
        n->is_noise = !good && is_noise(all, 0.0);
    } else {
        all->motion = motion_size(co, d, tolerance);
        n->size = fmax(all->motion / tolerance, force_size(co, d, tolerance));
        n->is_noise = is_noise(all, tolerance);
    }
    if (!isfinite(all->motion)) n->size = all->motion;
    if (isfinite(n->size)) flx_collocation_apply(co, d);
    return FLX_OK;
}

flx_status flx_collocation_solve(flx_integrator *it, const flx_state *x)
{
    static const flx_newton_steps steps = {.evaluate = evaluate,
                                           .refresh = refresh,
                                           .correct = correct,
                                           .renew = renew,
                                           .judge = judge_factors,
                                           .diverged = diverged};
    collocation *co = it->data;
    stages_newton all = {
        .newton = {.books = &co->books,
                   .rule = {.most = co->adaptive ? MAX_ADAPTIVE_ITERATIONS : MAX_ITERATIONS,
                            .left = co->adaptive ? 1.0 : LEFT,
                            .noise = co->adaptive ? ADAPTIVE_NOISE : NOISE,
                            .enough = 2,
                            .patience = PATIENCE,
                            .gives_up = co->adaptive}}};
    flx_anderson_restart(&co->anderson);
    co->worst = -1;
    FLX_TRY(flx_newton_solve(it, x, &steps, &all.newton));
    co->iterations = all.newton.iterations;
    co->stagnated = all.newton.stagnant;
    if (co->stagnated) {
        if (!co->keeps) co->rounding = all.motion;
        count_singular(it);
    }
    return flx_collocation_derive(it, x);
}
