// generalized_alpha.c - generalized-alpha on the group, index 3, for any system of the table.
//
//     am = (2 rho - 1)/(rho + 1), af = rho/(rho + 1), gamma = 1/2 + af - am,
//     beta = (gamma + 1/2)^2/4
//     theta = h v_n + h^2 (1/2 - beta) a_n + h^2 beta a_n+1,   q_n+1 = q_n (+) theta    (GA-1)
//     v_n+1 = v_n + h (1 - gamma) a_n + h gamma a_n+1                                   (GA-2)
//     (1 - am) a_n+1 + am a_n = (1 - af) v'_n+1 + af v'_n                               (GA-3)
//     r(t_n+1, q, v, v', x, x', w, lambda, mu) = 0                                      (GA-4)
// and for first-order states the same with x for v, y for a, x' for v'. Newton corrects theta:
//     dv = gp dtheta, dv' = bp dtheta,  gp = gamma/(h beta), bp = (1 - am)/(h^2 beta (1 - af)).
//
// Start: a_0 = v'(t_0 + (am - af) h), and v_0 moved by the part of the first step's truncation
// error that leaves the constraints (GA-5): without either the multipliers begin with an error of
// first order. Arnold, Bruls, Cardona, Numerische Mathematik 129 (2015) 149-179.
//
// Work: accelerations and multipliers are predicted from backward differences of the last steps,
// of the order that would have done best in the step before; the linearisation and its factors are
// kept while they pay. Theory: docs/theory/integrators.md.
#include "integrate/accelerate.h"
#include "integrate/linear.h"
#include "integrate/method.h"
#include "integrate/saddle.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEFAULT_RADIUS 0.8
#define DIFFERENCES 6 // backward differences kept, the value itself included
#define MAX_ITERATIONS 50
// Positions are solved to this part of their scale: joints are then closed to rounding.
#define POSITION_TOLERANCE 1e-13
// ... and better, down to the second number, where the step is so small that accelerations would
// otherwise lose more than the third.
#define POSITION_FLOOR 1e-14
#define ACCELERATION_TOLERANCE 3e-9
// Multipliers may be off by no more than this part of the largest, whatever positions say.
#define WORST_FORCE 1e-4
// Roundings of a coordinate that a correction of it may stand for.
#define ROUNDING_ULPS 8.0
// Rounding that was met is reckoned with in the steps that follow, less and less.
#define FORGET_NOISE 0.95
// ... that of positions up to what the roundings of so many velocities for one make together.
#define NOISY_VELOCITIES 625.0
// Iterations that a fresh linearisation with its factors is worth.
#define REFRESH_COST 4
// What the next correction would be, in tolerances, where the iteration may end; and where the
// tolerance is the rounding of positions.
#define ACCEPTED 0.3
#define ACCEPTED_ROUNDING 1.0
// Above this contraction the linearisation is renewed within the step.
#define SLOW 0.4
// A correction that is more than this part of the last one shrinks no more.
#define STAGNANT 0.3
// ... and above this one it is rounding, not slowness.
#define NOISE 0.5
// Corrections of this many tolerances that shrink no more are rounding; so are larger ones, below
// the second number's part of the scale, while rows of joints are below the third's.
#define CLOSED 10.0
#define ROUNDING_CORRECTION 1e-6
#define ROUNDING_ROW 2e-14
// The projection of the start is trusted below this backward error.
#define TRUSTED 1e-9
// Pivots below this part of what is usual tell of a singular position; above the second they are
// far from one. What is usual is forgotten by this factor with every factorisation.
#define SINGULAR_PIVOT 1e-3
#define REGULAR_PIVOT 0.1
#define FORGET_PIVOT 0.99
// Corrections that close the joints of a value between steps.
#define CLOSING_STEPS 10
// A joint that is open by more than this part of its scale is what a failure is about.
#define OPEN_JOINT 1e-6

typedef struct alpha {
    double am, af, gamma, beta;
    double h, bp, gp, cx; // of this step
    double tolerance;     // what the caller asked of positions

    // algorithmic accelerations and rates of states at the beginning of the step; v, v' and x' there
    // as the method sees them (v is moved at the start); predicted and corrected unknowns
    double *a, *y, *v0, *dv0, *dx0;
    double *theta, *q, *v, *dv, *x, *dx, *w, *lam, *mu;
    double *r, *d, *scale; // (n)
    double *weight;        // (n) 1 / scale
    double smallest_scale; // of a velocity's unknown
    bool *on_position;     // (nlam + nmu) bonds with tau = C = 0
    // rounding that was met: of positions against their scale, of multipliers against the largest
    double position_noise, force_noise;
    double h_last; // step that `a` and `y` belong to

    double *difference[DIFFERENCES]; // (n) of (v', x', w, lambda, mu)
    int nhistory, order;

    flx_blocks blocks;
    flx_linear *lin;
    flx_accelerator *acc; // for the start
    flx_saddle *saddle;
    flx_state *trial; // of the start

    double h_factored;         // 0: no factors
    double pivot, usual_pivot; // smallest, of the factors and of those before them
    int age;                   // steps since the factors were made
    int fresh_iterations;      // of the first step with them, 0: not known
    int extra;                 // iterations more than that since then
    double contraction;        // measured with these factors, at contraction_age; 0: not yet
    int contraction_age;
} alpha;

// ---- life -----------------------------------------------------------------------------------

static void alpha_destroy(flx_integrator *it)
{
    alpha *g = it->data;
    double *const owned[] = {g->a,   g->y,  g->v0, g->dv0, g->dx0,   g->theta,
                             g->q,   g->v,  g->dv, g->x,   g->dx,    g->w,
                             g->lam, g->mu, g->r,  g->d,   g->scale, g->weight};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    for (int k = 0; k < DIFFERENCES; k++) flx_free(g->difference[k]);
    flx_free(g->on_position);
    flx_blocks_destroy(&g->blocks);
    flx_linear_destroy(&g->lin);
    flx_accelerator_destroy(&g->acc);
    flx_saddle_destroy(&g->saddle);
    flx_state_destroy(&g->trial);
    flx_free(g);
    it->data = NULL;
}

static flx_status make_arrays(const flx_system *s, alpha *g)
{
    g->smallest_scale = 1.0;
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d);
    struct {
        double **array;
        int n;
    } want[] = {{&g->a, d->nv},     {&g->y, d->nx},     {&g->v0, d->nv}, {&g->dv0, d->nv},
                {&g->dx0, d->nx},   {&g->theta, d->nv}, {&g->q, d->nq},  {&g->v, d->nv},
                {&g->dv, d->nv},    {&g->x, d->nx},     {&g->dx, d->nx}, {&g->w, d->nw},
                {&g->lam, d->nlam}, {&g->mu, d->nmu},   {&g->r, n},      {&g->d, n},
                {&g->scale, n},     {&g->weight, n}};
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i].array = flx_alloc(s->ctx, (size_t)want[i].n, sizeof(double));
        if (!*want[i].array) return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < DIFFERENCES; k++) {
        g->difference[k] = flx_alloc(s->ctx, (size_t)n, sizeof(double));
        if (!g->difference[k]) return FLX_ERR_MEMORY;
    }
    int first = d->nv + d->nx + d->nw;
    g->on_position = flx_alloc(s->ctx, (size_t)(n - first), sizeof *g->on_position);
    if (!g->on_position) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        g->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        g->weight[i] = 1.0 / g->scale[i];
        if (i < d->nv && (i == 0 || g->scale[i] < g->smallest_scale)) {
            g->smallest_scale = g->scale[i];
        }
        if (u.kind == FLX_UNKNOWN_BOND) g->on_position[i - first] = u.tau == 0.0 && u.C == 0.0;
    }
    return FLX_OK;
}

static flx_status close_joints(flx_integrator *it, flx_state *x);

static flx_status alpha_create(flx_integrator *it)
{
    const flx_system *s = it->sys;
    const flx_integrator_def *def = &it->def;
    double rho = def->spectral_radius < 0.0 ? DEFAULT_RADIUS : def->spectral_radius;
    if (!(rho <= 1.0)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "spectral_radius = %g: it lies between 0 and 1", rho);
    }
    if (def->formulation != FLX_FORMULATION_AUTO && def->formulation != FLX_FORMULATION_INDEX3) {
        return FLX_FAIL(it->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                        "method 'generalized-alpha' solves formulation index-3 only");
    }
    alpha *g = flx_alloc(it->ctx, 1, sizeof *g);
    if (!g) return FLX_ERR_MEMORY;
    it->data = g;
    flx_method_of(it)->close = close_joints;
    g->am = (2.0 * rho - 1.0) / (rho + 1.0);
    g->af = rho / (rho + 1.0);
    g->gamma = 0.5 + g->af - g->am;
    g->beta = 0.25 * (g->gamma + 0.5) * (g->gamma + 0.5);
    g->tolerance = def->newton_tolerance > 0.0 ? def->newton_tolerance : POSITION_TOLERANCE;
    FLX_TRY(make_arrays(s, g));
    FLX_TRY(flx_blocks_create(s, &g->blocks));
    FLX_TRY(flx_linear_create(s, false, &g->lin));
    FLX_TRY(flx_accelerator_create(s, &g->acc));
    FLX_TRY(flx_saddle_create(s, &g->saddle));
    return flx_state_create(s, &g->trial);
}

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
static void remember(alpha *g, const flx_dims *d, const double *const part[5])
{
    int n = flx_dims_unknowns(d), rows = g->nhistory < DIFFERENCES ? g->nhistory : DIFFERENCES - 1;
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
    if (g->nhistory < DIFFERENCES) g->nhistory++;
}

// ---- start ----------------------------------------------------------------------------------

// (GA-5) v_0 += P l/h, with P the projector to the normals of the bonds on positions and
//     l = h^3 (1/6 - beta - (am - af)/2) v'' + h^3/12 [v, v']
// the truncation error of (GA-1). jerk holds v''; it is overwritten.
static flx_status move_velocity(flx_integrator *it, const flx_state *x, double h, double *jerk)
{
    alpha *g = it->data;
    const flx_system *s = it->sys;
    int nv = s->dims.nv, n = flx_dims_unknowns(&s->dims), first = nv + s->dims.nx + s->dims.nw;
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
    flx_saddle_bond_product(g->saddle, jerk, g->r);
    for (int i = 0; i < n; i++) { // bonds on positions move, those on velocities stay
        if (i < first || !g->on_position[i - first]) g->r[i] = 0.0;
    }
    double error = flx_saddle_solve(g->saddle, g->r);
    if (!(error < TRUSTED)) return FLX_SINGULAR;
    for (int i = 0; i < nv; i++) g->v0[i] += g->r[i];
    return FLX_OK;
}

// Algorithmic accelerations at a new start, from two consistent accelerations a little apart.
// Where the accelerations cannot be had alone (singular mass), those of the state are taken.
static flx_status start(flx_integrator *it, const flx_state *x, double h)
{
    alpha *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    flx_statistics *st = &it->stats;
    flx_state *e = g->trial;
    double shift = g->am - g->af, delta = fmax(fabs(shift), 0.1) * h;
    g->nhistory = 0;
    g->h_last = h;
    memcpy(g->v0, x->v, (size_t)d->nv * sizeof(double));
    flx_state_copy(e, x);
    flx_status here =
        flx_accelerator_eval(g->acc, it->work, e, &st->residuals, &st->linearisations);
    if (here < 0) return here;
    if (here > 0) flx_state_copy(e, x);
    const double *const part[5] = {e->a, e->dx, e->w, e->lam, e->mu};
    remember(g, d, part);
    memcpy(g->dv0, e->a, (size_t)d->nv * sizeof(double));
    memcpy(g->dx0, e->dx, (size_t)d->nx * sizeof(double));
    memcpy(g->a, e->a, (size_t)d->nv * sizeof(double));
    memcpy(g->y, e->dx, (size_t)d->nx * sizeof(double));
    if (here > 0) return FLX_OK;

    e->t = x->t + delta;
    for (int i = 0; i < d->nv; i++) {
        g->theta[i] = delta * x->v[i] + 0.5 * delta * delta * g->dv0[i];
        e->v[i] = x->v[i] + delta * g->dv0[i];
    }
    s->ops->retract(s, x->q, g->theta, e->q);
    for (int i = 0; i < d->nx; i++) e->x[i] = x->x[i] + delta * g->dx0[i];
    flx_status near =
        flx_accelerator_eval(g->acc, it->work, e, &st->residuals, &st->linearisations);
    if (near != FLX_OK) return near > 0 ? FLX_OK : near;
    for (int i = 0; i < d->nx; i++) g->y[i] += shift * h / delta * (e->dx[i] - g->dx0[i]);
    for (int i = 0; i < d->nv; i++) {
        e->a[i] = (e->a[i] - g->dv0[i]) / delta; // v''
        g->a[i] += shift * h * e->a[i];
    }
    if (d->nlam == 0) return FLX_OK;
    flx_status moved = move_velocity(it, x, h, e->a);
    return moved > 0 ? FLX_OK : moved;
}

// Another step size: a_n stands for v' at t_n + (am - af) h, and so it moves.
static void change_step(alpha *g, const flx_dims *d, double h)
{
    double ratio = h / g->h_last;
    for (int i = 0; i < d->nv; i++) g->a[i] = g->dv0[i] + ratio * (g->a[i] - g->dv0[i]);
    for (int i = 0; i < d->nx; i++) g->y[i] = g->dx0[i] + ratio * (g->y[i] - g->dx0[i]);
    g->nhistory = 1; // the value itself is all that is left of the differences
    g->order = 0;
    g->h_last = h;
}

// ---- prediction -----------------------------------------------------------------------------

// (GA-3) solved for the algorithmic acceleration at the end.
static void algorithmic_rates(const alpha *g, const double *restrict y, int n,
                              const double *restrict a, const double *restrict rate,
                              double *restrict out)
{
    double cy = (1.0 - g->af) / (1.0 - g->am), cr = g->af / (1.0 - g->am),
           ca = g->am / (1.0 - g->am);
    for (int i = 0; i < n; i++) out[i] = cy * y[i] + cr * rate[i] - ca * a[i];
}

// All unknowns at the end of the step, from the predicted accelerations.
static void predict(alpha *g, const flx_system *s, const flx_state *x)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d);
    double h = g->h, *y = g->d, *restrict a1 = g->r;
    memcpy(y, g->difference[0], (size_t)n * sizeof *y);
    for (int k = 1; k <= g->order; k++) {
        const double *restrict difference = g->difference[k];
        for (int i = 0; i < n; i++) y[i] += difference[i];
    }
    memcpy(g->dv, y, (size_t)d->nv * sizeof *y);
    algorithmic_rates(g, y, d->nv, g->a, g->dv0, a1);
    const double *restrict v0 = g->v0, *restrict a0 = g->a;
    double *restrict theta = g->theta, *restrict v = g->v;
    double p0 = h * h * (0.5 - g->beta), p1 = h * h * g->beta;
    double v0a = h * (1.0 - g->gamma), v1a = h * g->gamma;
    for (int i = 0; i < d->nv; i++) {
        theta[i] = h * v0[i] + p0 * a0[i] + p1 * a1[i];
        v[i] = v0[i] + v0a * a0[i] + v1a * a1[i];
    }
    y += d->nv;
    memcpy(g->dx, y, (size_t)d->nx * sizeof *y);
    algorithmic_rates(g, y, d->nx, g->y, g->dx0, a1);
    for (int i = 0; i < d->nx; i++) g->x[i] = x->x[i] + v0a * g->y[i] + v1a * a1[i];
    memcpy(g->w, y + d->nx, (size_t)d->nw * sizeof *y);
    memcpy(g->lam, y + d->nx + d->nw, (size_t)d->nlam * sizeof *y);
    memcpy(g->mu, y + d->nx + d->nw + d->nlam, (size_t)d->nmu * sizeof *y);
}

// ---- Newton ---------------------------------------------------------------------------------

// Sizes of a correction, each against what is allowed of it.
typedef struct correction {
    double motion; // theta, x, w
    double force;  // lambda, mu
} correction;

static flx_point trial_point(const flx_integrator *it, const alpha *g, const flx_state *x)
{
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
    double force;    // part of the largest multiplier
    double rest;     // what may be left of both when the iteration ends
} allowance;

// Positions: far from the origin the rounding of the coordinates themselves is all that can be
// asked. Multipliers: the same relative error as of accelerations, which follow from positions.
static allowance allow(const alpha *g, const flx_dims *d)
{
    double a = scaled_size(g->dv, g->weight, d->nv);
    double t = ACCELERATION_TOLERANCE * a / g->bp;
    double rounding = ROUNDING_ULPS * DBL_EPSILON * plain_size(g->q, d->nq) / g->smallest_scale;
    double together = 1.0 + sqrt(d->nv / NOISY_VELOCITIES);
    rounding = fmax(rounding, fmin(g->position_noise, together * rounding));
    allowance w = {.position = fmax(fmin(g->tolerance, fmax(t, POSITION_FLOOR)), rounding)};
    double force = fmax(ACCELERATION_TOLERANCE, a > 0.0 ? w.position * g->bp / a : 0.0);
    w.force = fmin(fmax(force, g->force_noise), WORST_FORCE);
    w.rest = w.position > g->tolerance ? ACCEPTED_ROUNDING : ACCEPTED;
    return w;
}

static correction measure(const alpha *g, const flx_dims *d, const allowance *allowed)
{
    int nb = d->nlam + d->nmu, first = d->nv + d->nx + d->nw;
    correction c = {.motion = scaled_size(g->d, g->weight, first) / allowed->position};
    double step = plain_size(g->d + first, nb);
    double size = fmax(step, fmax(plain_size(g->lam, d->nlam), plain_size(g->mu, d->nmu)));
    if (step > 0.0) c.force = step / (allowed->force * size);
    return c;
}

static void add(double *restrict y, const double *restrict c, int n)
{
    for (int i = 0; i < n; i++) y[i] += c[i];
}

static void correct(alpha *g, const flx_system *s, const flx_state *x)
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

static flx_status refresh(flx_integrator *it, const flx_point *p)
{
    alpha *g = it->data;
    const flx_system *s = it->sys;
    flx_weights w = {.c0 = 1.0, .c1 = g->gp, .c2 = g->bp, .cx = g->cx};
    FLX_TRY(s->ops->linearise(s, it->work, p, &g->blocks));
    it->stats.linearisations++;
    g->h_factored = 0.0;
    flx_status status = flx_linear_factor(g->lin, &g->blocks, &w);
    it->stats.factorisations++;
    if (status > 0) {
        return flx_method_fail(it, status, flx_linear_get_report(g->lin).worst, 0.0, 0,
                               "the Newton matrix is singular",
                               "to find what is without mass or held twice: `flexion check`");
    }
    if (status != FLX_OK) return status;
    g->pivot = flx_linear_get_report(g->lin).pivot_ratio;
    g->usual_pivot = fmax(g->pivot, FORGET_PIVOT * g->usual_pivot);
    g->h_factored = g->h;
    g->age = 0;
    g->fresh_iterations = 0;
    g->extra = 0;
    g->contraction = 0.0;
    return FLX_OK;
}

// The contraction to reckon with before it has been measured in this step: it grows with the age of
// the factors. Unknown: nearly 1, so that a second iteration measures it.
static double expected_contraction(const alpha *g)
{
    if (g->contraction == 0.0) return 0.9;
    return fmin(0.9, g->contraction * (1.0 + g->age) / (1.0 + g->contraction_age));
}

static flx_status evaluate(flx_integrator *it, const flx_point *p)
{
    alpha *g = it->data;
    int n = flx_dims_unknowns(&it->sys->dims);
    FLX_TRY(it->sys->ops->residual(it->sys, it->work, p, g->r));
    it->stats.residuals++;
    for (int i = 0; i < n; i++) g->d[i] = -g->r[i];
    FLX_TRY(flx_linear_solve(g->lin, g->d));
    it->stats.solves++;
    return FLX_OK;
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
static flx_status diverged(flx_integrator *it, flx_status status, int k)
{
    const alpha *g = it->data;
    const flx_dims *d = &it->sys->dims;
    int first = d->nv + d->nx + d->nw, n = flx_dims_unknowns(d);
    int worst = find_worst(g->r, g->weight, first, n);
    if (worst < 0 || fabs(g->r[worst]) * g->weight[worst] < OPEN_JOINT) {
        worst = find_worst(g->d, g->weight, 0, n);
    }
    it->stats.newton_failures++;
    return flx_method_fail(it, status, worst, 0.0, k,
                           status == FLX_NOT_FINITE ? "a value is not finite"
                                                    : "Newton's iteration did not converge",
                           "a smaller step");
}

// Whether the bonds on positions were closed to rounding before the last correction.
static bool joints_closed(const alpha *g, const flx_system *s)
{
    const flx_dims *d = &s->dims;
    int first = d->nv + d->nx + d->nw;
    double reach = fmax(1.0, plain_size(g->q, d->nq) / g->smallest_scale);
    for (int i = 0; i < d->nlam; i++) {
        double open = fabs(g->r[first + i]) * g->weight[first + i];
        if (g->on_position[i] && !(open <= ROUNDING_ROW * reach)) return false;
    }
    return true;
}

// What does not shrink at all is rounding. Near a singular position it is large for a few steps
// only: not worth remembering.
static void learn_noise(alpha *g, double rate, double position, double force)
{
    if (rate <= NOISE || g->pivot < REGULAR_PIVOT * g->usual_pivot) return;
    g->position_noise = fmax(g->position_noise, position);
    g->force_noise = fmax(g->force_noise, force);
}

// Newton's iteration on (GA-4) from the prediction. The residual is evaluated once an iteration and
// not again after the last correction.
static flx_status solve(flx_integrator *it, const flx_state *x, int *iterations)
{
    alpha *g = it->data;
    const flx_system *s = it->sys;
    const allowance allowed = allow(g, &s->dims);
    double last = 0.0, slowest = 0.0;
    int fresh = g->age == 0 ? 0 : -1; // iterations with factors of this step; -1: older ones
    int stagnant = 0, growing = 0;
    for (int k = 0; k < MAX_ITERATIONS; k++) {
        flx_point p = trial_point(it, g, x);
        if (g->h_factored == 0.0) {
            flx_status status = refresh(it, &p);
            if (status != FLX_OK) return status;
            fresh = 0;
            last = slowest = 0.0;
        }
        flx_status status = evaluate(it, &p);
        if (status != FLX_OK) return status > 0 ? diverged(it, status, k) : status;
        correction c = measure(g, &s->dims, &allowed);
        double size = fmax(c.motion, c.force);
        if (!isfinite(c.motion + c.force)) return diverged(it, FLX_NOT_FINITE, k);
        correct(g, s, x);
        it->stats.newton_iterations++;
        *iterations = k + 1;

        // one fast iteration does not make the next one fast: what earlier steps met counts, too
        double rate = last > 0.0 ? size / last : expected_contraction(g), safe = rate;
        if (last > 0.0 && g->contraction > 0.0) safe = fmax(rate, expected_contraction(g));
        if (safe < 1.0 && safe / (1.0 - safe) * size <= allowed.rest) return FLX_OK;
        // what shrinks no more is rounding when it is small enough; with factors of this step and
        // joints that are closed, it is a singular position, in which nothing determines the rest
        bool stalls = last > 0.0 && rate > STAGNANT;
        if (stalls && size <= CLOSED) {
            learn_noise(g, rate, c.motion * allowed.position, c.force * allowed.force);
            return FLX_OK;
        }
        bool rounding = stalls && fresh >= 0 && c.motion * allowed.position < ROUNDING_CORRECTION &&
                        joints_closed(g, s);
        stagnant = rounding ? stagnant + 1 : 0;
        if (stagnant >= 2) {
            it->stats.singular_positions += g->pivot < SINGULAR_PIVOT * g->usual_pivot;
            learn_noise(g, rate, 0.0, c.force * allowed.force);
            return FLX_OK;
        }
        if (last > 0.0 && size > CLOSED) { // measured, and not in the rounding
            slowest = fmax(slowest, rate);
            g->contraction = fmin(fmax(slowest, 1e-6), 0.9);
            g->contraction_age = g->age;
            if (fresh >= 0 && !rounding && flx_linear_judge(g->lin, rate)) g->h_factored = 0.0;
        }
        growing = last > 0.0 && rate > 2.0 ? growing + 1 : 0;
        if (growing > 3) return diverged(it, FLX_NO_CONVERGENCE, k + 1);
        // slow with old factors, or still slow after some iterations with the step's own: renew
        if (last > 0.0 && rate > SLOW && (fresh < 0 || fresh >= 2) && !rounding) {
            g->h_factored = 0.0;
        }
        if (fresh >= 0) fresh++;
        last = size;
    }
    return diverged(it, FLX_NO_CONVERGENCE, MAX_ITERATIONS);
}

// ---- step -----------------------------------------------------------------------------------

static void set_step(alpha *g, double h)
{
    g->h = h;
    g->gp = g->gamma / (h * g->beta);
    g->bp = (1.0 - g->am) / (h * h * g->beta * (1.0 - g->af));
    g->cx = g->bp / g->gp;
    // a step that differs by rounding takes the factors of its like
    if (g->h_factored > 0.0 && fabs(h - g->h_factored) > 1e-6 * h) g->h_factored = 0.0;
}

// The books on the factors: renewed when the iterations they cost too much have paid for new ones.
static void keep_books(alpha *g, int iterations)
{
    if (g->h_factored == 0.0) return;
    if (g->fresh_iterations == 0) {
        g->fresh_iterations = iterations;
    } else {
        g->extra += iterations > g->fresh_iterations ? iterations - g->fresh_iterations : 0;
    }
    g->age++;
    if (g->extra >= REFRESH_COST) g->h_factored = 0.0;
}

static void finish(alpha *g, const flx_dims *d, flx_state *x)
{
    algorithmic_rates(g, g->dv, d->nv, g->a, g->dv0, g->r);
    memcpy(g->a, g->r, (size_t)d->nv * sizeof(double));
    algorithmic_rates(g, g->dx, d->nx, g->y, g->dx0, g->r);
    memcpy(g->y, g->r, (size_t)d->nx * sizeof(double));
    memcpy(x->q, g->q, (size_t)d->nq * sizeof(double));
    memcpy(x->v, g->v, (size_t)d->nv * sizeof(double));
    memcpy(x->a, g->dv, (size_t)d->nv * sizeof(double));
    memcpy(x->x, g->x, (size_t)d->nx * sizeof(double));
    memcpy(x->dx, g->dx, (size_t)d->nx * sizeof(double));
    memcpy(x->w, g->w, (size_t)d->nw * sizeof(double));
    memcpy(x->lam, g->lam, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, g->mu, (size_t)d->nmu * sizeof(double));
    memcpy(g->v0, g->v, (size_t)d->nv * sizeof(double));
    memcpy(g->dv0, g->dv, (size_t)d->nv * sizeof(double));
    memcpy(g->dx0, g->dx, (size_t)d->nx * sizeof(double));
    x->t += g->h;
}

static flx_status alpha_step(flx_integrator *it, flx_state *x, double h, double *h_taken)
{
    alpha *g = it->data;
    const flx_system *s = it->sys;
    bool begins = !flx_method_of(it)->continues;
    set_step(g, h);
    if (begins) {
        FLX_TRY(start(it, x, h));
        g->h_factored = 0.0;
    } else if (fabs(h - g->h_last) > 1e-9 * h) {
        change_step(g, &s->dims, h);
    }
    predict(g, s, x);
    s->ops->retract(s, x->q, g->theta, g->q);
    int iterations = 0;
    flx_status status = solve(it, x, &iterations);
    if (status != FLX_OK) {
        g->h_factored = 0.0;
        return status;
    }
    keep_books(g, iterations);
    g->position_noise *= FORGET_NOISE;
    g->force_noise *= FORGET_NOISE;
    finish(g, &s->dims, x);
    const double *const part[5] = {x->a, x->dx, x->w, x->lam, x->mu};
    remember(g, &s->dims, part);
    *h_taken = h;
    return FLX_OK;
}

// ---- values in between ----------------------------------------------------------------------

// Close the joints of a value between steps by the factors at hand: the nearest position in the
// metric of the Newton matrix, which is the mass as good as alone. Not near a singular position,
// where that may be far.
static flx_status close_joints(flx_integrator *it, flx_state *x)
{
    alpha *g = it->data;
    const flx_system *s = it->sys;
    const flx_dims *d = &s->dims;
    int first = d->nv + d->nx + d->nw, n = flx_dims_unknowns(d);
    double last = HUGE_VAL;
    if (g->pivot < REGULAR_PIVOT * g->usual_pivot) return FLX_OK;
    for (int k = 0; k < CLOSING_STEPS && d->nlam > 0; k++) {
        flx_point p = flx_state_point(s, x);
        FLX_TRY(s->ops->residual(s, it->work, &p, g->r));
        it->stats.residuals++;
        double open = 0.0;
        memset(g->d, 0, (size_t)n * sizeof *g->d);
        for (int i = first; i < first + d->nlam; i++) {
            if (!g->on_position[i - first]) continue;
            g->d[i] = -g->r[i];
            open = fmax(open, fabs(g->r[i]) * g->weight[i]);
        }
        if (open <= ROUNDING_ROW || !(open < 0.5 * last)) break;
        FLX_TRY(flx_linear_solve(g->lin, g->d));
        it->stats.solves++;
        s->ops->retract(s, x->q, g->d, x->q);
        last = open;
    }
    return FLX_OK;
}

const flx_integrator_type flx_generalized_alpha = {
    .name = "generalized-alpha",
    .summary = "second order, index 3 on the group, with chosen damping of high frequencies",
    .order = 2,
    .fixed = 1,
    .adaptive = 0,
    .create = alpha_create,
    .step = alpha_step,
    .destroy = alpha_destroy,
};
