// structural_newton.c - Newton's iteration for the unknowns at the end of a step.
//
// The correction dtheta of positions moves v by gp dtheta and v' by bp dtheta,
//     gp = gamma/(h beta),   bp = (1 - am)/(h^2 beta (1 - af)),   dx' = cx dx,
// so the matrix is (SYS-7) with weights (1, gp, bp). The linearisation and its factors are kept while
// they pay. In the GGL form (GA-8) rows of constraints on positions ask for G v + g_t = 0, and positions are
// moved by u along the normals besides:
//     [S G^T; G 0] (dtheta, dlambda) = -(r_v, (G v + g_t)/gp),
//     [W G^T; G 0] (du, .) = -(0, g - (G v + g_t)/gp)
// with W the mass as it was linearised. Near a singular position the rates of constraints that are
// nearly lost say nothing about velocities: there u stays as it is, and positions are met as in index
// 3.
#include "integrate/structural/structural.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MAX_ITERATIONS 50
// ... and better, down to the second number, where the step is so small that accelerations would
// otherwise lose more than the third.
#define POSITION_FLOOR 1e-14
#define ACCELERATION_TOLERANCE 3e-9
// What is left of the corrections along the normals in the GGL form is what joints are open by.
#define CLOSER 0.1
// Multipliers may be off by no more than this part of the largest, whatever positions say.
#define WORST_FORCE 1e-4
// Multipliers below so many times what rounding of positions makes of them carry nothing.
#define CARRIES_NOTHING 10.0
// Roundings of a coordinate that a correction of it may stand for.
#define ROUNDING_ULPS 8.0
// ... that of positions up to what the roundings of so many velocities for one make together.
#define NOISY_VELOCITIES 625.0
// What the next correction would be, in tolerances, where the iteration may end; and where the
// tolerance is the rounding of positions.
#define ACCEPTED 0.3
#define ACCEPTED_ROUNDING 1.0
// Iterations with a linearisation of the step before a slow one is renewed.
#define PATIENCE 2
// A correction that is more than this part of the last one is rounding, not slowness.
#define NOISE 0.5
// Corrections of this many tolerances that shrink no more are rounding; so are larger ones, below
// the second number's part of the scale, while rows of joints are below the third's.
#define CLOSED 10.0
#define ROUNDING_CORRECTION 1e-6
#define ROUNDING_OF_CONTACTS 1e-10
// ... that shrink no more: more than this part of the last one.
#define STALLS 0.3
#define FORGET_PIVOT 0.99
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6

// ---- sizes ----------------------------------------------------------------------------------

// Sizes of a correction, each against what is allowed of it.
typedef struct correction {
    double motion;  // theta, x, w
    double force;   // lambda, mu
    double closing; // u
} correction;

flx_point flx_structural_point(const flx_integrator *it, const flx_state *x)
{
    const structural *g = it->data;
    return (flx_point){.t = x->t + g->h,
                       .q = g->q,
                       .v = g->v,
                       .a = g->dv,
                       .x = g->x,
                       .dx = g->dx,
                       .w = g->w,
                       .lam = g->lam,
                       .mu = g->mu,
                       .param = it->sys->param,
                       .switches = x->switches};
}

// Largest |d_i| w_i; not a number when one of them is none. Four lanes: one would wait for itself.
static double scaled_size(const double *d, const double *w, int n)
{
    double most[4] = {0.0, 0.0, 0.0, 0.0}, odd[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            double e = fabs(d[i + k]) * w[i + k];
            most[k] = e > most[k] ? e : most[k];
            odd[k] += e - e; // 0, or not a number
        }
    }
    for (; i < n; i++) {
        double e = fabs(d[i]) * w[i];
        most[0] = e > most[0] ? e : most[0];
        odd[0] += e - e;
    }
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3])) +
           ((odd[0] + odd[1]) + (odd[2] + odd[3]));
}

static double plain_size(const double *d, int n)
{
    double most[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            double e = fabs(d[i + k]);
            most[k] = e > most[k] ? e : most[k];
        }
    }
    for (; i < n; i++) most[0] = fmax(most[0], fabs(d[i]));
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

// What is allowed of corrections in this step.
typedef struct allowance {
    double position; // part of the scale
    double closing;  // ... of what closes the joints in the GGL form
    double force;    // part of the largest multiplier
    double rest;     // what may be left of both when the iteration ends
} allowance;

// Positions: far from the origin the rounding of the coordinates themselves is all that can be
// asked. Multipliers: the same relative error as of accelerations, which follow from positions.
static allowance allow(const structural *g, const flx_dims *d)
{
    double a = scaled_size(g->dv, g->weight, d->nv);
    double t = ACCELERATION_TOLERANCE * a / g->bp;
    double rounding = ROUNDING_ULPS * DBL_EPSILON * plain_size(g->q, d->nq) / g->smallest_scale;
    double together = 1.0 + sqrt(d->nv / NOISY_VELOCITIES), least = rounding;
    rounding = fmax(rounding, fmin(g->position_noise, together * rounding));
    allowance w = {.position = fmax(fmin(g->tolerance, fmax(t, POSITION_FLOOR)), rounding)};
    w.closing = fmax(fmin(CLOSER * w.position, POSITION_FLOOR), least);
    double force = fmax(ACCELERATION_TOLERANCE, a > 0.0 ? w.position * g->bp / a : 0.0);
    w.force = fmin(fmax(force, g->force_noise), WORST_FORCE);
    w.rest = w.position > g->tolerance ? ACCEPTED_ROUNDING : ACCEPTED;
    return w;
}

// The largest multiplier, that of the correction included.
static double largest_multiplier(const structural *g, const flx_dims *d, double step)
{
    return fmax(step, fmax(plain_size(g->lam, d->nlam), plain_size(g->mu, d->nmu)));
}

// What the rounding of positions makes of multipliers: the forces that accelerate masses by bp of it.
static double rounding_force(const flx_integrator *it)
{
    const structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    double most = 0.0;
    flx_blocks_masses(it->sys, &g->blocks, g->way);
    for (int i = 0; i < d->nv; i++) most = fmax(most, fabs(g->way[i]) * g->scale[i]);
    return ROUNDING_ULPS * DBL_EPSILON * plain_size(g->q, d->nq) / g->smallest_scale * g->bp * most;
}

static correction measure(const structural *g, const flx_dims *d, const allowance *allowed)
{
    int nb = d->nlam + d->nmu, first = flx_dims_first_constraint(d);
    correction c = {.motion = scaled_size(g->d, g->weight, first) / allowed->position};
    if (g->stabilised) c.closing = scaled_size(g->u, g->weight, d->nv) / allowed->closing;
    double step = plain_size(g->d + first, nb), size = largest_multiplier(g, d, step);
    // multipliers of what carries nothing fade away below all numbers
    if (step > DBL_MIN) c.force = step / (allowed->force * size);
    return c;
}

static void add(double *restrict y, const double *restrict c, int n)
{
    for (int i = 0; i < n; i++) y[i] += c[i];
}

static void add_correction(structural *g, const flx_system *s, const flx_state *x)
{
    const flx_dims *d = &s->dims;
    const double *restrict c = g->d;
    double *restrict theta = g->theta, *restrict v = g->v, *restrict dv = g->dv;
    double gp = g->gp, bp = g->bp;
    for (int i = 0; i < d->nv; i++) {
        theta[i] += c[i];
        v[i] += gp * c[i];
        dv[i] += bp * c[i];
    }
    if (g->stabilised) {
        add(theta, g->u, d->nv);
        add(g->along, g->u, d->nv);
    }
    c += d->nv;
    for (int i = 0; i < d->nx; i++) {
        g->x[i] += c[i];
        g->dx[i] += g->cx * c[i];
    }
    c += d->nx;
    add(g->w, c, d->nw);
    c += d->nw;
    add(g->lam, c, d->nlam);
    c += d->nlam;
    add(g->mu, c, d->nmu);
    s->ops->retract(s, x->q, g->theta, g->q);
}

// The metric of the normals: the mass, and a little of its largest part everywhere, so that what has
// none is moved by its scale.
#define LEAST_MASS 1e-6

static flx_status factor_normals(flx_integrator *it)
{
    structural *g = it->data;
    int nv = it->sys->dims.nv;
    double most = 0.0;
    flx_blocks_masses(it->sys, &g->blocks, g->mass_of_metric);
    for (int i = 0; i < nv; i++) {
        most = fmax(most, g->mass_of_metric[i] * g->scale[i] * g->scale[i]);
    }
    if (!(most > 0.0)) most = 1.0;
    for (int i = 0; i < nv; i++) {
        g->mass_of_metric[i] = LEAST_MASS * most * g->weight[i] * g->weight[i];
    }
    const flx_saddle_metric metric = {.shift = g->mass_of_metric};
    it->stats.factorisations++;
    return flx_saddle_factor(g->saddle, &g->blocks, FLX_ROWS_POSITION, &metric);
}

flx_status flx_structural_refresh(flx_integrator *it, const flx_point *p)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    flx_weights w = {.c0 = 1.0, .c1 = g->gp, .c2 = g->bp, .cx = g->cx};
    FLX_TRY(s->ops->linearise(s, it->work, p, &g->blocks));
    it->stats.linearisations++;
    flx_stiff_constraints_measure(&g->stiff, s, &g->blocks, g->d);
    if (it->def.step > 0.0) flx_stiff_constraints_warn(it, &g->stiff, g->h); // else the error tells
    g->books.h_factored = 0.0;
    g->made = w;
    g->owed = false;
    flx_status status = flx_linear_factor(g->lin, &g->blocks, &w);
    it->stats.factorisations++;
    if (status == FLX_OK && g->ggl) status = factor_normals(it);
    if (status > 0) {
        return flx_method_singular(it, status, flx_linear_get_report(g->lin).worst);
    }
    if (status != FLX_OK) return status;
    g->pivot = flx_linear_get_report(g->lin).pivot_ratio;
    g->usual_pivot = fmax(g->pivot, FORGET_PIVOT * g->usual_pivot);
    g->stabilised = g->ggl && g->pivot >= STRUCTURAL_SINGULAR_PIVOT * g->usual_pivot;
    g->books.h_factored = g->h;
    flx_newton_open_books(&g->books);
    return FLX_OK;
}

// (GA-8) the rows of velocities take the place of those of positions; u closes the positions.
static flx_status split_rows(flx_integrator *it, const flx_point *p)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    int n = flx_dims_unknowns(d), first = flx_dims_first_constraint(d);
    FLX_TRY(it->sys->ops->constraint_rate(it->sys, it->work, p, g->rate));
    memset(g->u, 0, (size_t)n * sizeof *g->u);
    for (int i = 0; i < d->nlam; i++) {
        if (!g->on_position[i]) continue;
        double rate = g->rate[i] / g->gp;
        g->d[first + i] = -g->sigma[i] * rate;
        g->u[first + i] = rate - g->r[first + i] / g->sigma[i];
    }
    flx_saddle_solve_once(g->saddle, g->u);
    it->stats.solves++;
    return FLX_OK;
}

static flx_status evaluate(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)n;
    structural *g = it->data;
    flx_point p = flx_structural_point(it, x);
    it->stats.residuals++;
    return it->sys->ops->residual(it->sys, it->work, &p, g->r);
}

// The unknown of the largest |y_i| w_i among those from `first` to `end`.
static int find_worst(const double *y, const double *w, int first, int end)
{
    int worst = -1;
    double most = 0.0;
    for (int i = first; i < end; i++) {
        double e = fabs(y[i]) * w[i];
        if (e <= most) continue;
        most = e;
        worst = i;
        if (isnan(e)) break;
    }
    return worst;
}

// Whose equation it is: the joint that is open most, or else the largest correction.
static flx_status diverged(flx_integrator *it, flx_status status, flx_newton *n)
{
    const structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    int first = flx_dims_first_constraint(d), end = flx_dims_unknowns(d);
    int worst = find_worst(g->r, g->weight, first, end);
    if (worst < 0 || fabs(g->r[worst]) * g->weight[worst] < OPEN_JOINT) {
        worst = find_worst(g->d, g->weight, 0, end);
    }
    status = flx_method_diverged(it, status, worst, n->iterations);
    if (g->gamma <= 0.5) flx_stiff_constraints_advise(it, &g->stiff, &g->blocks, g->h);
    return status;
}

// Whether the constraints on positions were closed to rounding before the last correction.
static bool joints_closed(const structural *g, const flx_system *s)
{
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d);
    double reach = fmax(1.0, plain_size(g->q, d->nq) / g->smallest_scale);
    for (int i = 0; i < d->nlam; i++) {
        double open = fabs(g->r[first + i]) * g->weight[first + i];
        if (g->on_position[i] && !(open <= STRUCTURAL_ROUNDING_ROW * reach)) return false;
    }
    return true;
}

// What does not shrink at all is rounding. Near a singular position it is large for a few steps
// only: not worth remembering.
static void learn_noise(structural *g, double rate, double position, double force)
{
    if (rate <= NOISE || g->pivot < STRUCTURAL_REGULAR_PIVOT * g->usual_pivot) return;
    g->position_noise = fmax(g->position_noise, position);
    g->force_noise = fmax(g->force_noise, force);
}

// In the GGL form u follows the other unknowns with a delay: where the last corrections were not of
// rounding, it goes on alone.
#define CLOSING_STEPS 6

static flx_status close_positions(flx_integrator *it, const flx_state *x, const allowance *allowed,
                                  const correction *last)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    double before = fmax(last->closing, last->motion * allowed->position / allowed->closing);
    if (!g->ggl) return FLX_OK;
    for (int k = 0; k < CLOSING_STEPS && before > 1.0; k++) {
        flx_point p = flx_structural_point(it, x);
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        it->stats.residuals++;
        memset(g->u, 0, (size_t)n * sizeof *g->u);
        for (int i = 0; i < d->nlam; i++) {
            if (g->on_position[i]) g->u[first + i] = -g->r[first + i] / g->sigma[i];
        }
        flx_saddle_solve_once(g->saddle, g->u);
        it->stats.solves++;
        double size = scaled_size(g->u, g->weight, d->nv) / allowed->closing;
        if (!(size < before)) break;
        add(g->theta, g->u, d->nv);
        add(g->along, g->u, d->nv);
        s->ops->retract(s, x->q, g->theta, g->q);
        before = size;
    }
    return FLX_OK;
}

// The iteration of a step.
typedef struct structural_iteration {
    flx_newton newton;
    allowance allowed;
    correction c;
} structural_iteration;

static flx_status refresh(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    flx_point p = flx_structural_point(it, x);
    n->fresh = 0;
    return flx_structural_refresh(it, &p);
}

// Corrections up to this part of the scale may be rounding where they do not shrink. Where surfaces rub they may as well go to and
// fro across the end of a slip; and what they leave makes velocities and forces, the larger the shorter a step is.
static double most_rounding(const flx_integrator *it)
{
    const structural *g = it->data;
    if (!it->sys->ops->contacts) return ROUNDING_CORRECTION;
    double part = it->def.step > 0.0 ? fmin(g->h / it->def.step, 1.0) : 1.0;
    return ROUNDING_OF_CONTACTS * part * part;
}

static flx_status correct(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    structural *g = it->data;
    structural_iteration *all = (structural_iteration *)n;
    const flx_dims *d = &it->sys->dims;
    int unknowns = flx_dims_unknowns(d);
    for (int i = 0; i < unknowns; i++) g->d[i] = -g->r[i];
    if (g->stabilised) {
        flx_point p = flx_structural_point(it, x);
        FLX_TRY(split_rows(it, &p));
    }
    FLX_TRY(flx_linear_solve(g->lin, g->d));
    it->stats.solves++;
    all->c = measure(g, d, &all->allowed);
    if (n->last > 0.0 && all->c.force > fmax(all->c.motion, all->c.closing)) {
        int nb = d->nlam + d->nmu, first = flx_dims_first_constraint(d);
        double most = largest_multiplier(g, d, plain_size(g->d + first, nb));
        if (most <= CARRIES_NOTHING * rounding_force(it)) all->c.force = 0.0;
    }
    n->size = fmax(fmax(all->c.motion, all->c.force), all->c.closing);
    if (!isfinite(all->c.motion + all->c.force + all->c.closing)) n->size = (double)NAN;
    if (!isfinite(n->size)) return FLX_OK;
    n->is_noise = n->fresh >= 0 && n->last > 0.0 && n->size > STALLS * n->last &&
                  all->c.motion * all->allowed.position < most_rounding(it) &&
                  joints_closed(g, it->sys);
    add_correction(g, it->sys, x);
    return FLX_OK;
}

static void renew(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x;
    if (n->fresh < 0 && n->rate > 1.0) flx_structural_outlived(it->data);
}

static bool judge_factors(flx_integrator *it, const flx_state *x, flx_newton *n)
{
    (void)x;
    structural *g = it->data;
    return flx_linear_judge(g->lin, n->rate);
}

// Newton's iteration on (GA-4) from the prediction. The residual is evaluated once per iteration and
// not again after the last correction.
flx_status flx_structural_solve(flx_integrator *it, const flx_state *x, int *iterations)
{
    static const flx_newton_steps steps = {.evaluate = evaluate,
                                           .refresh = refresh,
                                           .correct = correct,
                                           .renew = renew,
                                           .judge = judge_factors,
                                           .diverged = diverged};
    structural *g = it->data;
    structural_iteration all = {.allowed = allow(g, &it->sys->dims)};
    flx_newton *n = &all.newton;
    n->books = &g->books;
    n->rule = (flx_newton_rule){.most = MAX_ITERATIONS,
                                .left = all.allowed.rest,
                                .floor = CLOSED,
                                .noise = CLOSED,
                                .enough = 2,
                                .patience = PATIENCE};
    FLX_TRY(flx_newton_solve(it, x, &steps, n));
    *iterations = n->iterations;
    if (n->stagnant) {
        bool closed = n->size <= CLOSED;
        if (!closed) {
            it->stats.singular_positions += g->pivot < STRUCTURAL_SINGULAR_PIVOT * g->usual_pivot;
        }
        learn_noise(g, n->rate, closed ? all.c.motion * all.allowed.position : 0.0,
                    all.c.force * all.allowed.force);
    }
    return close_positions(it, x, &all.allowed, &all.c);
}

// ---- where whole corrections do not get there ---------------------------------------------------

// Friction that is regularised by a velocity smaller than a step changes is a jump to Newton's method: its corrections go to and
// fro across it. They are shortened until what a whole correction would be with the same factors has become smaller:
//     |J^-1 r(y + c d)| <= (1 - c/4) |d|                                                              (NEW-2)
#define MOST_SEARCHES 200
#define SHORTEST 1e-4

static double correction_size(flx_integrator *it, const flx_state *x, const allowance *allowed)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_point p = flx_structural_point(it, x);
    it->stats.residuals++;
    if (it->sys->ops->residual(it->sys, it->work, &p, g->r) != FLX_OK) return (double)NAN;
    for (int i = 0; i < flx_dims_unknowns(d); i++) g->d[i] = -g->r[i];
    if (flx_linear_solve(g->lin, g->d) != FLX_OK) return (double)NAN;
    it->stats.solves++;
    correction c = measure(g, d, allowed);
    return isfinite(c.motion + c.force) ? fmax(c.motion, c.force) : (double)NAN;
}

static void move(flx_integrator *it, const flx_state *x, double part)
{
    structural *g = it->data;
    for (int i = 0; i < flx_dims_unknowns(&it->sys->dims); i++) g->d[i] = part * g->way[i];
    add_correction(g, it->sys, x);
}

flx_status flx_structural_search(flx_integrator *it, const flx_state *x)
{
    structural *g = it->data;
    const allowance allowed = allow(g, &it->sys->dims);
    size_t n = (size_t)flx_dims_unknowns(&it->sys->dims);
    for (int k = 0; k < MOST_SEARCHES; k++) {
        flx_point p = flx_structural_point(it, x);
        FLX_TRY(flx_structural_refresh(it, &p));
        double size = correction_size(it, x, &allowed), part = 1.0;
        if (!isfinite(size)) return FLX_NO_CONVERGENCE;
        it->stats.newton_iterations++;
        memcpy(g->way, g->d, n * sizeof *g->way);
        if (size <= allowed.rest) {
            move(it, x, 1.0);
            return FLX_OK;
        }
        for (;; part *= 0.5) {
            if (part < SHORTEST) return FLX_NO_CONVERGENCE;
            move(it, x, part);
            double next = correction_size(it, x, &allowed);
            if (next <= (1.0 - 0.25 * part) * size) break;
            move(it, x, -part);
        }
    }
    return FLX_NO_CONVERGENCE;
}
