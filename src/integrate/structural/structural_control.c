// structural_control.c - error of a step, and steps that keep it below the tolerance.
//
// With s = am - af the algorithmic acceleration is a_n = v'(t_n + s h) + c h^2 v''' + ..., and so a step
// from exact values misses positions, velocities and states by
//     e_q = C_q h^3 v'',   e_v = C_1 h^2 v'' + C_v h^3 v''',   e_x = C_1 h^2 x'' + C_v h^3 x'''
//     C_q = beta + s/2 - 1/6,   C_1 = s + gamma - 1/2,
//     C_v = (s^2 + 2 gamma s + gamma)/2 + c - 1/6,   c = s (am + af - 1)/2                   (GA-9)
// with v'' and v''' from differences of v'. C_1 is zero but for newmark with gamma > 1/2.
//
// Errors of steps add up: over the time T that is asked for they make up the tolerance when each is
//     T/h |e| <= 1,   |e| the largest root mean square of e_q, e_v, e_x over atol + rtol |y|. (GA-10)
//
// Where rates jump, as that of a stretch where surfaces meet, T/h |e| is the same for every step. A jump comes once: it is passed by
// a step over which the whole change of the rates makes up a small part of the tolerance,
//     |h (v'_n+1 - v'_n)|, |h (x'_n+1 - x'_n)| <= 1e-4,  and their sum over all such steps <= 1.       (GA-11)
#include "integrate/step_control.h"
#include "integrate/structural/structural.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SAFETY 0.9
// A step grows at most by the first factor where its error was below the second number, else by the
// third: a change of the step makes the estimate of the next one larger than it is.
#define LARGEST_FACTOR 4.0
#define SMALL_ERROR 0.02
#define USUAL_FACTOR 1.3
#define SMALLEST_FACTOR 0.2
// A step that would grow by less than this is kept, and with it the factors.
#define WORTH_A_CHANGE 1.2
// A failed attempt is repeated with this part of its step.
#define FAILED_FACTOR 0.25
// Differences of positions below so many roundings of their scale say nothing.
#define NOISE (16.0 * DBL_EPSILON)
#define GOLDEN 0.61803398874989485
// (GA-11) Parts of the tolerance: in one step, and in all; the error of a jump stays above this part of what it is to be.
#define JUMP 1e-4
#define JUMPS 1.0
#define STAYS 0.8
// A step shorter than this part of the one before it knows no slope of its own.
#define FAR 0.1
// Errors of a shorter step are below this part of those of the longer one, but at a singular position.
#define FALLS 0.5
// The first step is no shorter than this part of the time asked for.
#define SMALLEST_PART 1e-12

// ---- error ----------------------------------------------------------------------------------

// Whether the slope is that of a step so long that what it misses may not be spread over that: it may be a corner in this one.
static bool is_far(const structural *g)
{
    return g->h < FAR * g->h_slope;
}

// e of n rates from `from` to `to`, with the slope at the beginning; eq NULL: of states.
static void estimate(const structural *g, const double *from, const double *to, const double *slope,
                     int n, double *eq, double *ev)
{
    double h = g->h, s = g->am - g->af, c = 0.5 * s * (g->am + g->af - 1.0);
    double Cq = g->beta + 0.5 * s - 1.0 / 6.0, C1 = s + g->gamma - 0.5;
    double Cv = 0.5 * (s * s + 2.0 * g->gamma * s + g->gamma) + c - 1.0 / 6.0;
    double second = is_far(g) ? Cv * h : 2.0 * Cv * h * h / (h + g->h_slope);
    FLX_ASSERT(ev);
    for (int i = 0; i < n; i++) {
        double change = to[i] - from[i];
        if (eq) eq[i] = Cq * h * h * change;
        ev[i] = C1 * h * change + second * (change - h * slope[i]);
    }
}

// In index 3 the accelerations across the constraints jump where the step changes, as much as the
// estimate is large: that part of e_v is taken out, by the factors at hand. Velocities across the
// constraints are not free anyway.
static flx_status leave_tangent(flx_integrator *it, const flx_state *x)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    double *ev = g->error + d->nv;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    flx_point p = flx_structural_point(it, x);
    FLX_TRY(s->ops->constraint_rate(s, it->work, &p, g->rate));
    memset(g->d, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < d->nlam; i++) g->d[first + i] = -g->rate[i];
    for (int i = 0; i < d->nv; i++) g->r[i] = g->v[i] + ev[i];
    p.v = g->r;
    FLX_TRY(s->ops->constraint_rate(s, it->work, &p, g->rate));
    for (int i = 0; i < d->nlam; i++) {
        double across = g->d[first + i] + g->rate[i];
        g->d[first + i] = g->on_position[i] ? -g->sigma[i] * across : 0.0;
    }
    FLX_TRY(flx_linear_solve(g->lin, g->d));
    it->stats.solves++;
    for (int i = 0; i < d->nv; i++) ev[i] += g->d[i];
    return FLX_OK;
}

flx_status flx_structural_estimate(flx_integrator *it, const flx_state *x)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    estimate(g, g->dv0, g->dv, g->slope, d->nv, g->error, g->error + d->nv);
    estimate(g, g->dx0, g->dx, g->slope + d->nv, d->nx, NULL, g->error + 2 * d->nv);
    return g->npos > 0 && !g->ggl ? leave_tangent(it, x) : FLX_OK;
}

// One sign for each velocity, in no order that equations have: sums of some do not cancel.
static double sign_of(int i)
{
    double part = GOLDEN * i;
    return part - floor(part) < 0.5 ? 1.0 : -1.0;
}

// The residual at the end of the step with all velocities moved by the same number of scales, all one way or by their signs, and
// with all rates of states moved.
static flx_status residual_beside(flx_integrator *it, const flx_state *x, double scales,
                                  bool by_signs, double rate)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_point p = flx_structural_point(it, x);
    double *v = g->way, *dx = g->way + d->nv; // free after the iteration
    for (int i = 0; i < d->nv; i++)
        v[i] = g->v[i] + scales * g->scale[i] * (by_signs ? sign_of(i) : 1.0);
    for (int i = 0; i < d->nx; i++) dx[i] = g->dx[i] + rate;
    p.v = v;
    p.dx = dx;
    it->stats.residuals++;
    return it->sys->ops->residual(it->sys, it->work, &p, g->r);
}

// What positions that are off by so many scales, over the step, make of the rates of states: tried out, into g->noise.
static flx_status find_noise(flx_integrator *it, const flx_state *x, double scales)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    const double *r = g->r + d->nv, *plain = g->d;
    FLX_TRY(residual_beside(it, x, 0.0, false, 0.0));
    memcpy(g->d, r, (size_t)d->nx * sizeof *r);
    memset(g->noise, 0, (size_t)d->nx * sizeof *g->noise);
    for (int k = 0; k < 2; k++) {
        FLX_TRY(residual_beside(it, x, scales * g->gp, k == 1, 0.0));
        for (int i = 0; i < d->nx; i++) g->noise[i] += fabs(r[i] - plain[i]);
    }
    FLX_TRY(residual_beside(it, x, 0.0, false, 1.0));
    for (int i = 0; i < d->nx; i++) {
        double mass = fabs(r[i] - plain[i]);
        g->noise[i] = mass > 0.0 && isfinite(g->noise[i]) ? g->noise[i] / mass : 0.0;
    }
    return FLX_OK;
}

// (GA-10) with positions that are off by so many scales; noise: of states, or NULL.
static double norm_above(flx_integrator *it, double scales, const double *noise)
{
    const structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    const flx_tolerance *t = &g->tol;
    double all = flx_method_of(it)->span / g->h, floor = NOISE * g->gp * all;
    const double *ev = g->error + d->nv, *ex = ev + d->nv;
    double q = flx_tolerance_norm(g->error, all, t->wq, g->scale, scales * all, d->nv);
    double v = flx_tolerance_norm(ev, all, t->wv, g->scale, floor, d->nv);
    return fmax(fmax(q, v), flx_tolerance_norm(ex, all, t->wx, noise, all * g->h, d->nx));
}

// Velocities come from positions: below the roundings of these over the step there is nothing to be seen of an error. Where a
// step would be too long, what positions were solved to counts, too, and what it makes of states whose rates follow velocities,
// as slips of tyres do: shorter steps would show more of it.
static flx_status error_norm(flx_integrator *it, const flx_state *x, double *out)
{
    const structural *g = it->data;
    *out = norm_above(it, NOISE, NULL);
    if (!(*out > 1.0) || !isfinite(*out)) return FLX_OK;
    double solved = fmax(NOISE, g->tolerance);
    if (it->sys->dims.nx > 0) FLX_TRY(find_noise(it, x, solved));
    *out = norm_above(it, solved, it->sys->dims.nx > 0 ? g->noise : NULL);
    return FLX_OK;
}

// (GA-11) What the change of the rates over the step makes up at most.
static double jump_norm(const flx_integrator *it)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    const flx_tolerance *t = &g->tol;
    double *change = g->r; // free after the iteration
    for (int i = 0; i < d->nv; i++) change[i] = g->dv[i] - g->dv0[i];
    double v = flx_tolerance_norm(change, g->h, t->wv, g->scale, 0.0, d->nv);
    double q = flx_tolerance_norm(change, g->h * g->h, t->wq, g->scale, 0.0, d->nv);
    for (int i = 0; i < d->nx; i++) change[i] = g->dx[i] - g->dx0[i];
    return fmax(fmax(q, v), flx_tolerance_norm(change, g->h, t->wx, NULL, 0.0, d->nx));
}

// An attempt of a step: its length and error. Errors of a smooth motion go with h^2, and at a start or where C_1 is not zero with
// h; those of a jump with h where the slope just before it is known, else not at all.
typedef struct attempt {
    double h, error;
    bool jumps; // the errors are those of a jump within the step
} attempt;

static void add_attempt(const structural *g, attempt *last, double error)
{
    bool start = g->h_slope == 0.0 || is_far(g) || fabs(g->am - g->af + g->gamma - 0.5) > 1e-9;
    double shorter = g->h / last->h, stays = STAYS * last->error * (start ? 1.0 : shorter);
    bool told = last->jumps || (shorter <= 0.5 && isfinite(last->error));
    last->jumps = told && isfinite(error) && error > stays; // else it ends before the jump
    last->h = g->h;
    last->error = error;
}

// Whether this attempt passes it.
static bool passes_jump(const flx_integrator *it, const attempt *last)
{
    structural *g = it->data;
    if (!last->jumps || !isfinite(last->error)) return false;
    double jump = jump_norm(it);
    if (!(jump <= JUMP && g->passed + jump <= JUMPS)) return false;
    g->passed += jump;
    return true;
}

// ---- steps ----------------------------------------------------------------------------------

// Errors over T go with the square of the step, with its first power where C_1 is not zero.
static double next_step(structural *g, double error)
{
    double s = g->am - g->af, power = fabs(s + g->gamma - 0.5) > 1e-9 ? 1.0 : 0.5;
    double e = fmax(error, 1e-8), factor = SAFETY * pow(e, -power);
    if (error > 1.0) return g->h * fmax(SMALLEST_FACTOR, fmin(SAFETY, factor));
    factor = fmin(e < SMALL_ERROR ? LARGEST_FACTOR : USUAL_FACTOR, fmax(SMALLEST_FACTOR, factor));
    if (g->rejected) factor = fmin(factor, 1.0);
    return factor >= 1.0 && factor < WORTH_A_CHANGE ? g->h : factor * g->h;
}

// A step in which positions move by the root of the tolerance, in units of their scale, and states in
// those of their size.
static double first_step(const structural *g, const flx_dims *d, const flx_state *x, double h_most)
{
    double v = 0.0, a = 0.0, h = h_most, part = sqrt(g->tol.rtol + g->tol.atol);
    for (int i = 0; i < d->nv; i++) {
        v = fmax(v, fabs(x->v[i]) * g->weight[i]);
        a = fmax(a, fabs(x->a[i]) * g->weight[i]);
    }
    double root = v + sqrt(v * v + 2.0 * a * part);
    if (root > 0.0) h = fmin(h, 2.0 * part / root);
    for (int i = 0; i < d->nx; i++) {
        double size = fabs(x->x[i]) + g->tol.atol / part;
        if (x->dx[i] != 0.0) h = fmin(h, part * size / fabs(x->dx[i]));
    }
    if (!(h < h_most)) h = part * h_most; // at rest in every respect: the error will tell
    return fmax(h, SMALLEST_PART * h_most);
}

static void remember_slopes(structural *g, const flx_dims *d)
{
    for (int i = 0; i < d->nv; i++) g->slope[i] = (g->dv[i] - g->dv0[i]) / g->h;
    for (int i = 0; i < d->nx; i++) g->slope[d->nv + i] = (g->dx[i] - g->dx0[i]) / g->h;
    g->h_slope = g->h;
}

// Near a singular position accelerations along what is nearly lost of the constraints are mostly
// rounding, and so is the estimate made of them; a shorter step would land nearer to the position. It
// is passed with the step at hand.
//
// A force that begins within the step, as of a stiff stop, makes pivots as small: there a shorter step has a smaller error.
static bool is_lost(const structural *g, double last, double error)
{
    if (!(g->npos > 0 && g->pivot < STRUCTURAL_REGULAR_PIVOT * g->usual_pivot)) return false;
    return isfinite(error) && (g->passing || (isfinite(last) && error > FALLS * last));
}

flx_status flx_structural_controlled_step(flx_integrator *it, flx_state *x, double h_most,
                                          double *h_taken)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    double longest = flx_method_of(it)->longest;
    if (it->def.max_step > 0.0) longest = fmin(longest, it->def.max_step);
    flx_tolerance_set(&g->tol, it->sys, x);
    if (flx_method_of(it)->frozen) { // as long as those of another run
        *h_taken = h_most;
        FLX_TRY(flx_structural_attempt(it, x, h_most));
        remember_slopes(g, d);
        return flx_structural_accept(it, x);
    }
    if (!flx_method_of(it)->continues || g->anew) {
        double first = it->def.initial_step;
        bool at_hand = flx_method_of(it)->input_jumped && g->h_next > 0.0;
        if (!at_hand) g->h_next = first > 0.0 ? first : first_step(g, d, x, h_most);
        g->rejected = false;
    }
    double smallest = flx_step_smallest(x->t, h_most);
    attempt last = {.h = HUGE_VAL, .error = HUGE_VAL};
    for (;;) {
        double wanted = g->h_next, h = fmin(flx_step_fit(wanted, h_most), longest),
               error = HUGE_VAL;
        *h_taken = h; // also where it fails: the message says it
        flx_status status = flx_structural_attempt(it, x, h);
        if (status == FLX_OK) status = flx_structural_estimate(it, x);
        if (status == FLX_OK) status = error_norm(it, x, &error);
        if (status < 0) return status;
        bool lost = is_lost(g, last.error, error);
        add_attempt(g, &last, error);
        bool jumps = passes_jump(it, &last);
        if (error <= 1.0 || jumps || lost) {
            g->passing = lost && error > 1.0;
            g->anew = flx_method_of(it)->rates_jumped = jumps;
            g->h_next = error <= 1.0 ? next_step(g, error) : h;
            if (h < wanted) g->h_next = fmax(g->h_next, wanted); // it was cut, not too long
            g->rejected = false;
            remember_slopes(g, d);
            return flx_structural_accept(it, x);
        }
        if (!(h > smallest)) return flx_step_give_up(it, status);
        it->stats.rejected++;
        bool measured = status == FLX_OK && isfinite(error);
        g->h_next = fmax(0.5 * smallest, measured ? next_step(g, error) : FAILED_FACTOR * h);
        g->rejected = true;
    }
}
