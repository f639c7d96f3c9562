// discrete_newton.c - Newton's iteration for a variational step, with the matrix of collocation at the
// points of Gauss, (VAR-8) of discrete_rule.c, and Anderson's acceleration where that is slow. It goes
// on into the rounding, so that momenta are kept to it.
#include "integrate/variational/discrete_parts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 60
// What may be left of a correction when the iteration ends, in roundings of the increments: it has
// the same sign in step after step, so it adds up where roundings do not.
#define LEFT 1e-3
// Corrections of so many roundings that shrink no more are rounding, and below the second number
// when two in a row have not been better.
#define ROUNDING 8.0
#define ROUNDING_ANYWAY 1e4
// Increments below this part of their scale are rest: what they are is rounding of forces that cancel.
#define AT_REST 1e-6
// Increments of so many times those predicted, or their scale, belong to no solution.
#define ASTRAY 1e3
// Above this contraction the iteration is accelerated, which may take so many iterations.
#define ACCELERATED 0.1
#define PATIENCE 10
// Below so many roundings it is not: differences would be noise.
#define NOISY 100.0
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6

// ---- matrix ---------------------------------------------------------------------------------

static flx_status refresh(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    discrete *g = it->data;
    const flx_system *s = it->sys;
    const discrete_rule *rule = &g->rule;
    flx_point p = flx_state_point(s, x); // the beginning: see (VAR-10)
    g->books.h_factored = 0.0;
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
    it->stats.linearisations++;
    flx_stiff_constraints_measure(&g->stiff, s, &g->blocks, g->u);
    for (int k = 0; k < rule->neigen; k++) {
        flx_weights w = {.c0 = 1.0,
                         .c1 = rule->c1[k] / g->h,
                         .c2 = rule->c2[k] / (g->h * g->h),
                         .cx = rule->c1[k] / g->h};
        FLX_TRY(flx_newton_factor(it, g->lin[k], &g->blocks, &w));
    }
    flx_newton_refreshed(n, g->h);
    flx_anderson_restart(&g->anderson);
    return FLX_OK;
}

// R_i of the velocities' rows from what is left of the equations (VAR-8).
static void collect_stages(const discrete *g, int nv)
{
    for (int i = 0; i < g->rule.s; i++) {
        double *R = g->R + (size_t)i * g->n;
        memset(R, 0, (size_t)nv * sizeof *R);
        for (int j = 0; j < g->rule.s; j++) {
            discrete_add(R, -g->rule.collect[i][j] / g->h, discrete_equation(g, nv, j), nv);
        }
    }
}

static flx_status solve_linear(flx_integrator *it, int k)
{
    discrete *g = it->data;
    it->stats.solves++;
    if (k >= g->rule.nreal) return flx_linear_solve_complex(g->lin[k], g->z);
    for (int j = 0; j < g->n; j++) g->d[j] = creal(g->z[j]);
    FLX_TRY(flx_linear_solve(g->lin[k], g->d));
    for (int j = 0; j < g->n; j++) g->z[j] = g->d[j];
    return FLX_OK;
}

// Corrections C of the stages, eigenvalue by eigenvalue.
static flx_status find_corrections(flx_integrator *it)
{
    discrete *g = it->data;
    const discrete_rule *rule = &g->rule;
    collect_stages(g, it->sys->dims.nv);
    memset(g->C, 0, (size_t)(rule->s * g->n) * sizeof(double));
    for (int k = 0; k < rule->neigen; k++) {
        for (int j = 0; j < g->n; j++) {
            double re = 0.0, im = 0.0;
            for (int i = 0; i < rule->s; i++) {
                re -= creal(rule->Pi[k][i]) * g->R[i * g->n + j];
                im -= cimag(rule->Pi[k][i]) * g->R[i * g->n + j];
            }
            g->z[j] = flx_complex(re, im);
        }
        FLX_TRY(solve_linear(it, k));
        double twice = k < rule->nreal ? 1.0 : 2.0;
        for (int i = 0; i < rule->s; i++) {
            double pr = twice * creal(rule->P[i][k]), pi = twice * cimag(rule->P[i][k]);
            double *C = g->C + (size_t)i * g->n;
            for (int j = 0; j < g->n; j++) C[j] += pr * creal(g->z[j]) - pi * cimag(g->z[j]);
        }
    }
    return FLX_OK;
}

// Corrections of the nodes from those of the stages.
static void step_nodes(discrete *g, const flx_dims *d)
{
    const discrete_rule *rule = &g->rule;
    for (int j = 0; j < rule->s; j++) {
        double *X = g->step.X + (size_t)j * d->nv, *l = g->step.node_lam + (size_t)j * d->nlam;
        for (int i = 0; i < rule->s; i++) {
            const double *C = g->C + (size_t)i * g->n;
            discrete_add(X, rule->node_of[j][i], C, d->nv);
            for (int k = 0; k < d->nlam; k++) {
                if (g->on_position[k]) l[k] += rule->balance[j][i] / rule->w[j] * C[g->first + k];
            }
        }
    }
}

// ... and of what lives at the points.
static void step_points(discrete *g, const flx_dims *d)
{
    const discrete_rule *rule = &g->rule;
    for (int i = 0; i < rule->s && g->n > d->nv; i++) {
        const double *C = g->C + (size_t)i * g->n;
        for (int j = 0; j < rule->s; j++) {
            const double *other = g->C + (size_t)j * g->n + d->nv;
            discrete_add(g->step.K + (size_t)i * d->nx, rule->Ai[i][j] / g->h, other, d->nx);
        }
        memcpy(g->step.W + (size_t)i * d->nw, C + d->nv + d->nx, (size_t)d->nw * sizeof *C);
        double *lam = g->step.lam + (size_t)i * d->nlam, *mu = g->step.mu + (size_t)i * d->nmu;
        double halved = g->halves ? rule->balance[0][0] / rule->w[0] : 1.0; // (VAR-9)
        for (int k = 0; k < d->nlam; k++) {
            if (!g->on_position[k]) lam[k] = (g->on_rate[k] ? halved : 1.0) * C[g->first + k];
        }
        C += g->first + d->nlam;
        for (int k = 0; k < d->nmu; k++) mu[k] = (g->on_rate[d->nlam + k] ? halved : 1.0) * C[k];
    }
}

// Size of the corrections: of increments as a part of their scale, of states and algebraic unknowns
// as a part of themselves.
static double step_size(discrete *g, const flx_dims *d)
{
    double most = 0.0;
    for (int j = 0; j < g->rule.s * d->nv; j++) {
        int k = j % d->nv;
        flx_take_worst(fabs(g->step.X[j]) / g->scale[k], k, &most, &g->worst);
    }
    for (int j = 0; j < g->rule.force.n * d->nx; j++) {
        int k = j % d->nx;
        double size = fmax(fabs(g->xs[k]), 1e-3 * g->scale[d->nv + k]);
        flx_take_worst(g->h * fabs(g->step.K[j]) / size, d->nv + k, &most, &g->worst);
    }
    for (int j = 0; j < g->rule.force.n * d->nw; j++) {
        int k = d->nv + d->nx + j % d->nw;
        double size = fmax(fabs(g->now.W[j]), 1e-3 * g->scale[k]);
        flx_take_worst(fabs(g->step.W[j]) / size, k, &most, &g->worst);
    }
    return most;
}

// Weights that make all parts of a correction comparable with a displacement as a part of its scale:
// multipliers by the displacement that their accelerations make in the step.
static void weigh_steps(discrete *g, const flx_dims *d, const flx_state *x)
{
    double force = 0.0, a = 0.0, *w = g->anderson.weight;
    int nX = g->rule.s * d->nv, m = g->rule.force.n;
    for (int k = 0; k < d->nv; k++) a = fmax(a, fabs(x->a[k]) / g->scale[k]);
    for (int k = 0; k < d->nlam; k++) force = fmax(force, fabs(x->lam[k]));
    for (int k = 0; k < d->nmu; k++) force = fmax(force, fabs(x->mu[k]));
    double of_force = force > 0.0 ? g->h * g->h * a / force : 0.0;
    for (int j = 0; j < g->nU; j++) w[j] = j < nX ? 1.0 / g->scale[j % d->nv] : of_force;
    for (int j = 0; j < m * d->nx; j++) {
        int k = j % d->nx;
        w[g->now.K - g->now.all + j] = g->h / fmax(fabs(x->x[k]), 1e-3 * g->scale[d->nv + k]);
    }
    for (int j = 0; j < m * d->nw; j++) {
        int k = j % d->nw;
        double scale = g->scale[d->nv + d->nx + k];
        w[g->now.W - g->now.all + j] = 1.0 / fmax(fabs(x->w[k]), 1e-3 * scale);
    }
}

// ---- iteration ------------------------------------------------------------------------------

// The largest increment as a part of its scale.
static double increment_size(const discrete *g, const flx_dims *d)
{
    double most = 0.0;
    for (int j = 0; j < g->rule.s; j++) {
        for (int k = 0; k < d->nv; k++) {
            most = fmax(most, fabs(g->now.X[j * d->nv + k]) / g->scale[k]);
        }
    }
    return most;
}

// One rounding of what is solved for, as a part of the scales: of increments, and of positions where
// joints are closed or the iteration has to end anyway. Increments beyond `limit` have gone astray.
static double rounding(const discrete *g, const flx_dims *d, const flx_state *x, double limit,
                       bool positions)
{
    double most = fmin(increment_size(g, d), limit);
    if (positions) {
        double scale = HUGE_VAL;
        for (int k = 0; k < d->nv; k++) scale = fmin(scale, g->scale[k]);
        for (int k = 0; k < d->nq; k++) most = fmax(most, fabs(x->q[k]) / scale);
        most = fmax(most, 1.0); // joints are closed and forces act where bodies are, whatever q is
    }
    if (d->nx + d->nw > 0) most = fmax(most, 1.0); // these are measured by their own size
    return DBL_EPSILON * most;
}

// Whose equation it is: the joint that is open most, or else the largest correction.
static flx_status diverged(flx_integrator *it, flx_status status, flx_newton *n)
{
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    double open = 0.0;
    int joint = -1;
    for (int i = 0; i < g->rule.s; i++) {
        for (int j = g->first; j < g->first + d->nlam; j++) {
            double e = fabs(g->R[i * g->n + j]) / g->scale[j];
            if (isfinite(e)) flx_take_worst(e, j, &open, &joint);
        }
    }
    g->books.h_factored = 0.0;
    // not a number since the iteration went astray
    if (status == FLX_NOT_FINITE && n->iterations > 0) status = FLX_NO_CONVERGENCE;
    status = flx_method_diverged(it, status, open > OPEN_JOINT ? joint : g->worst, n->iterations);
    flx_stiff_constraints_advise(it, &g->stiff, &g->blocks, g->h);
    return status;
}

// The iteration of a step.
typedef struct discrete_iteration {
    flx_newton newton;
    double limit; // increments beyond it have gone astray
    bool accelerated;
} discrete_iteration;

static flx_status evaluate(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)n;
    return flx_discrete_evaluate(it, x);
}

// Corrections in units of one rounding of the increments; what positions and forces round to is more.
static flx_status correct(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    discrete *g = it->data;
    discrete_iteration *all = (discrete_iteration *)n;
    const flx_dims *d = &it->sys->dims;
    FLX_TRY(find_corrections(it));
    memset(g->step.all, 0, (size_t)g->nU * sizeof(double));
    step_nodes(g, d);
    step_points(g, d);
    double size = step_size(g, d);
    n->size = size;
    if (!isfinite(size)) return FLX_OK;
    double noise = rounding(g, d, x, all->limit, true);
    double unit = g->npos > 0 ? noise : rounding(g, d, x, all->limit, false);
    unit = fmax(unit, AT_REST * noise);
    n->size = size / unit;
    n->rule.noise = ROUNDING_ANYWAY * noise / unit;
    n->is_noise = n->size <= n->rule.noise;
    if (n->last > 0.0 && n->size > ACCELERATED * n->last) all->accelerated = true;
    if (size <= NOISY * noise) all->accelerated = false; // differences are rounding now
    flx_anderson_step(&g->anderson, g->step.all, all->accelerated);
    discrete_add(g->now.all, 1.0, g->step.all, g->nU);
    return FLX_OK;
}

static bool judge_factors(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x;
    discrete *g = it->data;
    bool changed = false;
    for (int e = 0; e < g->rule.neigen; e++) {
        if (flx_linear_judge(g->lin[e], n->rate)) changed = true;
    }
    return changed;
}

flx_status flx_discrete_solve(flx_integrator *it, const flx_state *x, int *iterations)
{
    static const flx_newton_steps steps = {.evaluate = evaluate,
                                           .refresh = refresh,
                                           .correct = correct,
                                           .judge = judge_factors,
                                           .diverged = diverged};
    discrete *g = it->data;
    const flx_dims *d = &it->sys->dims;
    discrete_iteration all = {.limit = ASTRAY * fmax(1.0, increment_size(g, d))};
    all.newton.books = &g->books;
    all.newton.rule = (flx_newton_rule){
        .most = MAX_ITERATIONS, .left = LEFT, .floor = ROUNDING, .enough = 2, .patience = PATIENCE};
    flx_anderson_restart(&g->anderson);
    weigh_steps(g, d, x);
    g->worst = -1;
    FLX_TRY(flx_newton_solve(it, x, &steps, &all.newton));
    *iterations = all.newton.iterations;
    return FLX_OK;
}
