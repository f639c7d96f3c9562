// flx_structural_start.c - start values, what the next step is predicted to be, and another step size.
//
// Start: a_0 = v'(t_0 + (am - af) h), and in index 3 v_0 moved by the part of the first step's
// truncation error that leaves the constraints (GA-5): without either the multipliers begin with an
// error of first order. Arnold, Bruls, Cardona, Numerische Mathematik 129 (2015) 149-179.
//
// Prediction: accelerations and multipliers from backward differences of the last steps, of the order
// that would have done best in the step before. Accelerations that the step does not resolve, as those of
// short elements, turn round in every step, and what they predict is kinked so much that Newton's iteration
// may not come back; the motion in a step, theta, hardly contains them. It is predicted there instead.
#include "integrate/structural/structural.h"

#include <math.h>
#include <string.h>

// The projection of the start is trusted below this backward error.
#define TRUSTED 1e-9
// Slopes at the start are those of a motion that the step resolves when the next term of the series
// changes them by no more than this part: omega h below 5, h below the time constant of a damper.
#define RESOLVED 0.05
// A change of the step moves velocities by no more than this part.
#define SMALL_CHANGE 1e-2

// ---- history ----------------------------------------------------------------------------------

// The unknowns of one time in one order: v', x', w, lambda, mu.
static void gather(const flx_dims *d, const double *const part[5], double *y)
{
    const int size[5] = {d->nv, d->nx, d->nw, d->nlam, d->nmu};
    for (int k = 0; k < 5; k++) {
        memcpy(y, part[k], (size_t)size[k] * sizeof *y);
        y += size[k];
    }
}

// Sum of (y_i w_i)^2 in four lanes: one lane would wait for itself.
static double squares(const double *y, const double *w, int n)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) sum[k] += y[i + k] * w[i + k] * (y[i + k] * w[i + k]);
    }
    for (; i < n; i++) sum[0] += y[i] * w[i] * (y[i] * w[i]);
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Take the new values into the table of differences; choose the order of the next prediction.
void flx_structural_remember(structural *g, const flx_dims *d, const flx_state *x)
{
    const double *const part[5] = {g->unresolved ? g->theta : x->a, x->dx, x->w, x->lam, x->mu};
    int n = flx_dims_unknowns(d), most = STRUCTURAL_DIFFERENCES - 1;
    int rows = g->nhistory < most ? g->nhistory : most;
    double best = HUGE_VAL, *restrict y = g->r; // r is free between steps
    gather(d, part, y);
    g->order = 0;
    for (int k = 0; k <= rows; k++) {
        double *restrict old = g->difference[k];
        for (int i = 0; i < n; i++) { // y: the k-th difference; what was there makes the next
            double now = y[i];
            y[i] = now - old[i];
            old[i] = now;
        }
        if (k == rows) break;
        // the prediction of order k missed by the difference k + 1
        double error = squares(y, g->weight, d->nv);
        if (error < best) {
            best = error;
            g->order = k;
        }
    }
    if (g->nhistory < STRUCTURAL_DIFFERENCES) g->nhistory++;
}

// ---- start ----------------------------------------------------------------------------------

// (GA-5) v_0 += P (l/h - v), with P the projector to the normals of the constraints on positions and
//     l = h^3 (1/6 - beta - (am - af)/2) v'' + h^3/12 [v, v']
// the truncation error of (GA-1). jerk holds v''; it is overwritten. P v is what steps before an event
// left, of another length: without dissipation it would turn round in every step and stay.
static flx_status move_velocity(flx_integrator *it, const flx_state *x, double h, double *jerk)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    int nv = s->dims.nv, n = flx_dims_unknowns(&s->dims),
        first = flx_dims_first_constraint(&s->dims);
    double c = (1.0 / 6.0 - g->beta - 0.5 * (g->am - g->af)) * h * h;
    // B^-1(h v + h^2/2 v') v - v = -h^2/4 [v, v'] + ...
    for (int i = 0; i < nv; i++) g->theta[i] = h * x->v[i] + 0.5 * h * h * g->dv0[i];
    s->ops->rate(s, g->theta, x->v, g->v);
    for (int i = 0; i < nv; i++) jerk[i] = c * jerk[i] + (x->v[i] - g->v[i]) / 3.0;

    flx_point p = flx_state_point(s, x);
    static const flx_saddle_metric mass = {0};
    FLX_TRY(s->ops->linearise(s, it->work, &p, &g->blocks));
    it->stats.linearisations++;
    FLX_TRY(flx_saddle_factor(g->saddle, &g->blocks, FLX_ROWS_VELOCITY, &mass));
    flx_saddle_constraint_product(g->saddle, jerk, g->r);
    FLX_TRY(s->ops->constraint_rate(s, it->work, &p, g->rate));
    for (int i = 0; i < n; i++) { // constraints on positions move, those on velocities stay
        bool moves = i >= first && i < first + s->dims.nlam && g->on_position[i - first];
        g->r[i] = moves && flx_saddle_active(g->saddle, i) ? g->r[i] - g->rate[i - first] : 0.0;
    }
    double error = flx_saddle_solve(g->saddle, g->r);
    if (!(error < TRUSTED)) return FLX_SINGULAR;
    for (int i = 0; i < nv; i++) g->v0[i] += g->r[i];
    return FLX_OK;
}

// Accelerations a little later than x, in the trial state, by Taylor's series with g->slope.
static flx_status look_ahead(flx_integrator *it, const flx_state *x, double delta)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_state *e = g->trial;
    double second = 0.5 * delta * delta, third = second * delta / 3.0;
    e->t = x->t + delta;
    for (int i = 0; i < d->nv; i++) {
        g->theta[i] = delta * x->v[i] + second * g->dv0[i] + third * g->slope[i];
        e->v[i] = x->v[i] + delta * g->dv0[i] + second * g->slope[i];
    }
    s->ops->retract(s, x->q, g->theta, e->q);
    for (int i = 0; i < d->nx; i++) {
        e->x[i] = x->x[i] + delta * g->dx0[i] + second * g->slope[d->nv + i];
    }
    return flx_accelerator_eval(g->acc, it->work, e, &it->stats.residuals,
                                &it->stats.linearisations);
}

// The slopes v'' and x'' at the start, as differences over delta; zero where the step does not resolve
// them. There the difference is a stiffness times a displacement, thousands of times the motion, and
// would be shot along the first step. Known by the series: its next term changes the difference by
// (omega delta)^2/6, that of a damper by delta/(2 T).
static flx_status find_slopes(flx_integrator *it, const flx_state *x, double delta)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    const flx_state *e = g->trial;
    double *first = g->error; // free before the step
    int n = d->nv + d->nx;
    double moved = 0.0, all = 0.0;
    flx_status status = look_ahead(it, x, delta);
    if (status != FLX_OK) return status;
    for (int i = 0; i < d->nv; i++) g->slope[i] = (e->a[i] - g->dv0[i]) / delta;
    for (int i = 0; i < d->nx; i++) g->slope[d->nv + i] = (e->dx[i] - g->dx0[i]) / delta;
    memcpy(first, g->slope, (size_t)n * sizeof *first);
    status = look_ahead(it, x, delta);
    for (int i = 0; i < n && status == FLX_OK; i++) {
        double rate = i < d->nv ? e->a[i] - g->dv0[i] : e->dx[i - d->nv] - g->dx0[i - d->nv];
        double weight = i < d->nv ? g->weight[i] : 1.0;
        moved = fmax(moved, weight * fabs(rate / delta - first[i]));
        all = fmax(all, weight * fabs(first[i]));
    }
    if (status != FLX_OK || !(moved <= RESOLVED * all)) {
        memset(g->slope, 0, (size_t)n * sizeof *g->slope);
        memset(g->difference[0], 0, (size_t)d->nv * sizeof *g->slope); // at rest
        g->unresolved = true;
    }
    return status;
}

// Algorithmic accelerations at a new start, from two consistent accelerations a little apart.
// Where the accelerations cannot be had alone (singular mass), those of the state are taken.
flx_status flx_structural_start(flx_integrator *it, const flx_state *x, double h)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    flx_statistics *st = &it->stats;
    flx_state *e = g->trial;
    double shift = g->am - g->af, delta = fmax(fabs(shift), 0.1) * h;
    g->nhistory = 0;
    g->h_last = h;
    g->h_slope = 0.0;
    g->h_along = 0.0;
    g->unresolved = false;
    memset(g->slope, 0, (size_t)(d->nv + d->nx) * sizeof(double));
    memcpy(g->v0, x->v, (size_t)d->nv * sizeof(double));
    flx_state_copy(e, x);
    flx_status here =
        flx_accelerator_eval(g->acc, it->work, e, &st->residuals, &st->linearisations);
    if (here < 0) return here;
    if (here > 0) flx_state_copy(e, x);
    flx_structural_remember(g, d, e);
    memcpy(g->dv0, e->a, (size_t)d->nv * sizeof(double));
    memcpy(g->dx0, e->dx, (size_t)d->nx * sizeof(double));
    memcpy(g->a, e->a, (size_t)d->nv * sizeof(double));
    memcpy(g->y, e->dx, (size_t)d->nx * sizeof(double));
    if (here > 0) return FLX_OK;

    flx_status near = find_slopes(it, x, delta);
    if (near != FLX_OK) return near > 0 ? FLX_OK : near;
    for (int i = 0; i < d->nx; i++) g->y[i] += shift * h * g->slope[d->nv + i];
    for (int i = 0; i < d->nv; i++) g->a[i] += shift * h * g->slope[i];
    if (g->npos == 0 || g->ggl) return FLX_OK;
    memcpy(e->a, g->slope, (size_t)d->nv * sizeof(double));
    flx_status moved = move_velocity(it, x, h, e->a);
    return moved > 0 ? FLX_OK : moved;
}

// ---- another step -----------------------------------------------------------------------------

// binomial(s + k - 1, k): the k-th backward difference in the interpolation at s steps from the last
// value.
static double backward(double s, int k)
{
    double b = 1.0;
    for (int j = 0; j < k; j++) b *= (s + j) / (j + 1);
    return b;
}

// (GA-6) the differences of the same polynomial over steps `ratio` times as long. Only low ones are
// kept: higher ones grow with the powers of the ratio, change for change.
static void stretch_differences(structural *g, int n, double ratio)
{
    enum { MOST = 3 };
    int m = g->nhistory < MOST ? g->nhistory : MOST;
    double C[MOST][MOST] = {{0.0}};
    g->nhistory = m;
    if (g->order > m - 1) g->order = m - 1;
    for (int k = 0; k < m; k++) {
        double sign_binomial = 1.0; // (-1)^j binomial(k, j)
        for (int j = 0; j <= k; j++) {
            for (int l = 0; l < m; l++) C[k][l] += sign_binomial * backward(-ratio * j, l);
            sign_binomial *= -(double)(k - j) / (j + 1);
        }
    }
    for (int i = 0; i < n; i++) {
        double old[MOST];
        for (int k = 0; k < m; k++) old[k] = g->difference[k][i];
        for (int k = 1; k < m; k++) { // lower differences have no part in higher ones
            double sum = 0.0;
            for (int l = k; l < m; l++) sum += C[k][l] * old[l];
            g->difference[k][i] = sum;
        }
    }
}

// (GA-7) in index 3 the velocity across the constraints is the truncation error over the step, and
// so it goes with the square of it. The factors at hand tell what is across: their metric is the mass
// as good as alone.
static flx_status change_velocity(flx_integrator *it, const flx_state *x, double ratio)
{
    structural *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d), n = flx_dims_unknowns(d);
    flx_point p = flx_state_point(s, x);
    p.v = g->v0;
    if (g->books.h_factored == 0.0) {
        flx_status status = flx_structural_refresh(it, &p);
        if (status != FLX_OK) return status;
    }
    FLX_TRY(s->ops->constraint_rate(s, it->work, &p, g->rate));
    memset(g->d, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < d->nlam; i++) {
        if (g->on_position[i]) g->d[first + i] = (ratio * ratio - 1.0) * g->sigma[i] * g->rate[i];
    }
    FLX_TRY(flx_linear_solve(g->lin, g->d));
    it->stats.solves++;
    double moved = 0.0, v = 0.0;
    for (int i = 0; i < d->nv; i++) {
        moved = fmax(moved, fabs(g->d[i]) * g->weight[i]);
        v = fmax(v, fabs(g->v0[i]) * g->weight[i]);
    }
    if (!(moved <= SMALL_CHANGE * v)) return FLX_OK; // near a singular position
    for (int i = 0; i < d->nv; i++) g->v0[i] += g->d[i];
    return FLX_OK;
}

// a_n stands for v' at t_n + (am - af) h, and so it moves with the step. Of what it remembers of earlier steps a part of
// am/(1 - am) goes on with the other sign: steps that grow by more make that grow from step to step. There it is taken
// from the last difference instead, which remembers nothing.
#define FADING 0.9

static void move_algorithmic(const structural *g, const double *change, double ratio, int n,
                             const double *rate, double *a)
{
    bool fades = ratio * fabs(g->am) < FADING * (1.0 - g->am);
    double shift = (g->am - g->af) * ratio;
    for (int i = 0; i < n; i++) {
        a[i] = rate[i] + (fades || !change ? ratio * (a[i] - rate[i]) : shift * change[i]);
    }
}

flx_status flx_structural_change_step(flx_integrator *it, const flx_state *x, double h)
{
    structural *g = it->data;
    const flx_dims *d = &it->sys->dims;
    double ratio = h / g->h_last;
    if (g->npos > 0 && !g->ggl && g->pivot >= STRUCTURAL_REGULAR_PIVOT * g->usual_pivot) {
        flx_status status = change_velocity(it, x, ratio);
        if (status != FLX_OK) return status;
    }
    const double *change = g->nhistory > 1 ? g->difference[1] : NULL;
    move_algorithmic(g, g->unresolved ? NULL : change, ratio, d->nv, g->dv0, g->a);
    for (int i = 0; i < d->nv && g->unresolved; i++) g->difference[0][i] *= ratio;
    if (g->unresolved) g->nhistory = 1;
    move_algorithmic(g, change ? change + d->nv : NULL, ratio, d->nx, g->dx0, g->y);
    stretch_differences(g, flx_dims_unknowns(d), ratio);
    g->h_last = h;
    return FLX_OK;
}

// ---- prediction -----------------------------------------------------------------------------

void flx_structural_algorithmic(const structural *g, const double *restrict y, int n,
                                const double *restrict a, const double *restrict rate,
                                double *restrict out)
{
    double cy = (1.0 - g->af) / (1.0 - g->am), cr = g->af / (1.0 - g->am),
           ca = g->am / (1.0 - g->am);
    for (int i = 0; i < n; i++) out[i] = cy * y[i] + cr * rate[i] - ca * a[i];
}

// The displacement along the normals, which is of third order in the step.
static void predict_along(structural *g, int nv)
{
    double r = g->h_along > 0.0 ? g->h / g->h_along : 0.0;
    for (int i = 0; i < nv; i++) {
        g->along[i] = r * r * r * g->along0[i];
        g->theta[i] += g->along[i];
    }
}

// v' that belongs to the motion y of a step, in its place, by (GA-1) and (GA-3).
static void accelerations_of(const structural *g, int nv, double *restrict y)
{
    double h = g->h, p1 = h * h * g->beta, p0 = h * h * (0.5 - g->beta), p = 1.0 / (1.0 - g->af);
    for (int i = 0; i < nv; i++) {
        double a1 = (y[i] - h * g->v0[i] - p0 * g->a[i]) / p1;
        y[i] = p * ((1.0 - g->am) * a1 + g->am * g->a[i] - g->af * g->dv0[i]);
    }
}

// All unknowns at the end of the step, from the predicted accelerations.
void flx_structural_predict(structural *g, const flx_system *s, const flx_state *x)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d);
    double h = g->h, *y = g->d, *restrict a1 = g->r;
    memcpy(y, g->difference[0], (size_t)n * sizeof *y);
    for (int k = 1; k <= g->order; k++) {
        const double *restrict difference = g->difference[k];
        for (int i = 0; i < n; i++) y[i] += difference[i];
    }
    if (g->unresolved) accelerations_of(g, d->nv, y);
    memcpy(g->dv, y, (size_t)d->nv * sizeof *y);
    flx_structural_algorithmic(g, y, d->nv, g->a, g->dv0, a1);
    const double *restrict v0 = g->v0, *restrict a0 = g->a;
    double *restrict theta = g->theta, *restrict v = g->v;
    double p0 = h * h * (0.5 - g->beta), p1 = h * h * g->beta;
    double v0a = h * (1.0 - g->gamma), v1a = h * g->gamma;
    for (int i = 0; i < d->nv; i++) {
        theta[i] = h * v0[i] + p0 * a0[i] + p1 * a1[i];
        v[i] = v0[i] + v0a * a0[i] + v1a * a1[i];
    }
    if (g->ggl) predict_along(g, d->nv);
    y += d->nv;
    memcpy(g->dx, y, (size_t)d->nx * sizeof *y);
    flx_structural_algorithmic(g, y, d->nx, g->y, g->dx0, a1);
    for (int i = 0; i < d->nx; i++) g->x[i] = x->x[i] + v0a * g->y[i] + v1a * a1[i];
    memcpy(g->w, y + d->nx, (size_t)d->nw * sizeof *y);
    memcpy(g->lam, y + d->nx + d->nw, (size_t)d->nlam * sizeof *y);
    memcpy(g->mu, y + d->nx + d->nw + d->nlam, (size_t)d->nmu * sizeof *y);
}
