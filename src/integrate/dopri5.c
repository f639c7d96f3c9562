// dopri5.c - the explicit pair of Dormand and Prince, order 5 with error estimate of order 4, on
// z' = F(t, z): index 1, with projection to the position and velocity constraints after each step.
//
//     k_i = F(t + c_i h, z + h sum_j a_ij k_j),   z_1 = z + h sum_j b_j k_j             (DP-1)
//     e = h sum_j e_j k_j,   |e|^2 = mean (e_i / (atol + rtol max(|z_i|, |z_1,i|)))^2   (DP-2)
//     z_1 <- projection of z_1;   k_1 of the next step = F(t + h, z_1)
//     z(t + c h) = z + c (d + (1-c)(p + c (r + (1-c) s)))                               (DP-3)
//     d = z_1 - z, p = h k_1 - d, r = d - h k_7 - p, s = h sum_j d_j k_j; order 4
// Values between steps are projected too, so that every output meets the constraints.
//
// Near a singular position the accelerations of a stage that is a little off the constraints are
// far off. Where steps become short the method therefore goes carefully for a while: it integrates
// z' = F(t, P(z)) with P the projection, which has the same solutions and is smooth there.
//
// Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4-II.6; the test
// for stiffness is that of volume II, IV.2. Theory: docs/theory/integrators.md.
#include "integrate/method.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define STAGES 7
#define DEFAULT_RTOL 1e-6
#define DEFAULT_ATOL 1e-8
#define SAFETY 0.9
#define LARGEST_FACTOR 10.0
#define SMALLEST_FACTOR 0.2
#define BETA 0.04 // of the PI controller; Hairer's choice
// A stage that cannot be evaluated (a singular position, a domain error) asks for a smaller step.
#define FAILED_STAGE_FACTOR 0.25
// A rejected step that is shorter than this part of the usual one makes the method careful, for so
// many steps; the usual step is the largest of the last ones, which fade.
#define SHORT_STEP 0.4
#define FADE 0.95
#define CAREFUL_STEPS 20
#define CAREFUL_TRIES 12
#define CAREFUL_FACTOR 0.8
// With every try beyond the third the error may be larger by this factor: what the estimate sees
// there is rounding, which no step makes smaller.
#define CAREFUL_PATIENCE 3.0
// h |lambda| on the border of the region of stability, and how often it may be met in a row.
#define STABILITY_BORDER 3.25
#define STIFF_STEPS 15
#define NONSTIFF_STEPS 6

// clang-format off
static const double c[STAGES] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1};
static const double a[STAGES][STAGES - 1] = {
    {0},
    {1.0/5},
    {3.0/40, 9.0/40},
    {44.0/45, -56.0/15, 32.0/9},
    {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
    {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
    {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
};
static const double e[STAGES] = {71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525,
                                 -1.0/40};
static const double d[STAGES] = {-12715105075.0/11282082432, 0, 87487479700.0/32700410799,
                                 -10690763975.0/1880347072, 701980252875.0/199316789632,
                                 -1453857185.0/822651844, 69997945.0/29380423};
// clang-format on

typedef struct dopri5 {
    const flx_explicit *form; // borrowed
    int n;                    // numbers in z
    bool projects;            // to the constraints after each step
    double rtol, atol;
    double h, error;     // proposed step; error of the last accepted one
    bool rejected;       // the last attempt was
    int careful;         // steps for which stages are still projected
    double usual;        // step of late
    int stiff, nonstiff; // steps in a row on the border of stability, off it
    bool warned;
    double *z, *z1, *y; // beginning, end, stage
    double *near;       // the stage, projected
    double *k[STAGES];  // k[0] belongs to z
    double *dense[5];   // (DP-3)
    double t0, h0;      // of the last accepted step
    flx_state *trial;   // where stages are evaluated
} dopri5;

// ---- life -----------------------------------------------------------------------------------

static void dopri5_destroy(flx_integrator *it)
{
    dopri5 *p = it->data;
    for (int i = 0; i < STAGES; i++) flx_free(p->k[i]);
    for (int i = 0; i < 5; i++) flx_free(p->dense[i]);
    flx_free(p->z);
    flx_free(p->z1);
    flx_free(p->y);
    flx_free(p->near);
    flx_state_destroy(&p->trial);
    flx_free(p);
    it->data = NULL;
}

static flx_status make_arrays(flx_ctx *ctx, dopri5 *p)
{
    double **want[4 + STAGES + 5] = {&p->z, &p->z1, &p->y, &p->near};
    for (int i = 0; i < STAGES; i++) want[4 + i] = &p->k[i];
    for (int i = 0; i < 5; i++) want[4 + STAGES + i] = &p->dense[i];
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        *want[i] = flx_alloc(ctx, (size_t)p->n, sizeof(double));
        if (!*want[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

static flx_status dopri5_create(flx_integrator *it)
{
    const flx_system *s = it->sys;
    const flx_formulation f = it->def.formulation;
    if (!s->ops->explicit_form) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'dopri5' needs explicit accelerations; system '%s' has none",
                        s->ops->name);
    }
    if (f != FLX_FORMULATION_AUTO && f != FLX_FORMULATION_INDEX1) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method 'dopri5' is explicit and solves formulation index-1 only; radau "
                        "and generalized-alpha take the constraints as they are");
    }
    dopri5 *p = flx_alloc(it->ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    it->data = p;
    p->form = s->ops->explicit_form;
    p->n = p->form->size(s);
    bool bound = s->dims.nlam + s->dims.nmu > 0 || s->dims.nq > s->dims.nv;
    p->projects = bound && !it->def.drift;
    p->rtol = it->def.rtol > 0.0 ? it->def.rtol : DEFAULT_RTOL;
    p->atol = it->def.atol > 0.0 ? it->def.atol : DEFAULT_ATOL;
    FLX_TRY(make_arrays(it->ctx, p));
    return flx_state_create(s, &p->trial);
}

// ---- evaluation -----------------------------------------------------------------------------

static flx_status eval(flx_integrator *it, double t, const double *z, double *dz)
{
    dopri5 *p = it->data;
    it->stats.residuals++;
    return p->form->rate(it->sys, it->work, t, z, p->trial, dz);
}

static flx_status project(flx_integrator *it, double t, double *z)
{
    dopri5 *p = it->data;
    double moved_q, moved_v;
    if (!p->projects) return FLX_OK;
    it->stats.projections++;
    return p->form->project(it->sys, it->work, t, z, p->trial, &moved_q, &moved_v);
}

static flx_status eval_stage(flx_integrator *it, double t, const double *z, double *dz)
{
    dopri5 *p = it->data;
    if (p->careful == 0 || !p->projects) return eval(it, t, z, dz);
    memcpy(p->near, z, (size_t)p->n * sizeof *z);
    FLX_TRY(project(it, t, p->near));
    return eval(it, t, p->near, dz);
}

// (DP-2) of a vector u for values around z0 and z1
static double norm(const dopri5 *p, const double *u, const double *z0, const double *z1)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        double w = p->atol + p->rtol * fmax(fabs(z0[i]), fabs(z1[i]));
        sum += u[i] / w * (u[i] / w);
    }
    return p->n ? sqrt(sum / p->n) : 0.0;
}

// y = z + h sum_j w_j k_j over the first m stages
static void combine(const dopri5 *p, double h, const double *w, int m, double *y)
{
    memcpy(y, p->z, (size_t)p->n * sizeof *y);
    for (int j = 0; j < m; j++) {
        double hw = h * w[j];
        if (hw == 0.0) continue;
        const double *k = p->k[j];
        for (int i = 0; i < p->n; i++) y[i] += hw * k[i];
    }
}

// The stages of one attempt; z1 is the end before projection, y the sixth stage.
static flx_status run_stages(flx_integrator *it, double t, double h)
{
    dopri5 *p = it->data;
    for (int i = 1; i < STAGES; i++) {
        double *y = i == STAGES - 1 ? p->z1 : p->y;
        combine(p, h, a[i], i, y);
        FLX_TRY(eval_stage(it, t + c[i] * h, y, p->k[i]));
    }
    return FLX_OK;
}

static double estimate_error(dopri5 *p, double h)
{
    double *u = p->dense[4]; // free until the step is accepted
    for (int i = 0; i < p->n; i++) {
        double sum = 0.0;
        for (int j = 0; j < STAGES; j++) sum += e[j] * p->k[j][i];
        u[i] = h * sum;
    }
    return norm(p, u, p->z, p->z1);
}

static bool is_finite(const double *z, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += z[i] - z[i]; // 0, or not a number
    return sum == 0.0;
}

// Hairer's first step: an explicit Euler step with a change that fits the tolerance.
static flx_status first_step(flx_integrator *it, double t, double h_most, double *h)
{
    dopri5 *p = it->data;
    double size = norm(p, p->z, p->z, p->z), slope = norm(p, p->k[0], p->z, p->z);
    double h0 = size < 1e-5 || slope < 1e-5 ? 1e-6 * h_most : 0.01 * size / slope;
    if (it->def.first_step > 0.0) {
        *h = it->def.first_step;
        return FLX_OK;
    }
    h0 = fmin(h0, h_most);
    const double one = 1.0;
    combine(p, h0, &one, 1, p->y);
    flx_status s = eval(it, t + h0, p->y, p->k[1]);
    if (s != FLX_OK) {
        *h = 0.01 * h0;
        return s > 0 ? FLX_OK : s;
    }
    for (int i = 0; i < p->n; i++) p->k[1][i] -= p->k[0][i];
    double curve = norm(p, p->k[1], p->z, p->z) / h0, most = fmax(slope, curve);
    double h1 = most <= 1e-15 ? fmax(1e-6 * h_most, 1e-3 * h0) : pow(0.01 / most, 0.2);
    *h = fmin(100.0 * h0, fmin(h1, h_most));
    return FLX_OK;
}

// h |lambda| by the last two stages, which are at one time: a step that stays on the border of
// stability is held there by stiffness, not by accuracy.
static void watch_stiffness(flx_integrator *it, double t, double h)
{
    dopri5 *p = it->data;
    double up = 0.0, down = 0.0;
    combine(p, h, a[5], 5, p->y);
    for (int i = 0; i < p->n; i++) {
        double w = p->atol + p->rtol * fabs(p->z[i]);
        double dk = (p->k[6][i] - p->k[5][i]) / w, dz = (p->z1[i] - p->y[i]) / w;
        up += dk * dk;
        down += dz * dz;
    }
    if (down > 0.0 && h * sqrt(up / down) > STABILITY_BORDER) {
        p->nonstiff = 0;
        if (++p->stiff < STIFF_STEPS || p->warned) return;
        p->warned = true;
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "dopri5: the motion looks stiff from t = %.6g on: the steps are held down by "
                     "stability; radau or generalized-alpha would take larger ones",
                     t);
    } else if (++p->nonstiff >= NONSTIFF_STEPS) {
        p->stiff = 0;
    }
}

// ---- step -----------------------------------------------------------------------------------

// (DP-3) between z and the projected end, whose slope is in k[6].
static void prepare_dense(dopri5 *p, double t, double h, const double *last_stage)
{
    for (int i = 0; i < p->n; i++) {
        double diff = p->z1[i] - p->z[i], s = d[STAGES - 1] * last_stage[i];
        for (int j = 0; j < STAGES - 1; j++) s += d[j] * p->k[j][i];
        p->dense[0][i] = p->z[i];
        p->dense[1][i] = diff;
        p->dense[2][i] = h * p->k[0][i] - diff;
        p->dense[3][i] = diff - h * p->k[6][i] - p->dense[2][i];
        p->dense[4][i] = h * s;
    }
    p->t0 = t;
    p->h0 = h;
}

// After a good attempt: project the end, evaluate there, keep the continuous extension, make the
// end the beginning.
static flx_status finish(flx_integrator *it, double t, double h)
{
    dopri5 *p = it->data;
    memcpy(p->y, p->k[STAGES - 1], (size_t)p->n * sizeof *p->y);
    flx_status s = project(it, t + h, p->z1);
    if (s == FLX_OK && p->projects) s = eval(it, t + h, p->z1, p->k[STAGES - 1]);
    if (s != FLX_OK) return s;
    prepare_dense(p, t, h, p->y);
    double *z = p->z, *k = p->k[0];
    p->z = p->z1;
    p->z1 = z;
    p->k[0] = p->k[STAGES - 1];
    p->k[STAGES - 1] = k;
    return FLX_OK;
}

static double next_step(dopri5 *p, double h, double error)
{
    double power = 0.2 - 0.75 * BETA;
    double factor = SAFETY * pow(fmax(error, 1e-10), -power) * pow(p->error, BETA);
    factor = fmin(LARGEST_FACTOR, fmax(SMALLEST_FACTOR, factor));
    if (p->rejected) factor = fmin(factor, 1.0);
    p->error = fmax(error, 1e-4);
    return h * factor;
}

static flx_status begin(flx_integrator *it, const flx_state *x, double h_most)
{
    dopri5 *p = it->data;
    flx_state_copy(p->trial, x);
    if (flx_method_of(it)->continues) return FLX_OK;
    p->form->pack(it->sys, x, p->z);
    flx_status s = eval(it, x->t, p->z, p->k[0]);
    if (s != FLX_OK) {
        return flx_method_fail(it, s, -1, 0, 0, "the accelerations cannot be computed",
                               "another start, or method radau");
    }
    p->error = 1e-4;
    p->stiff = p->nonstiff = 0;
    p->rejected = false;
    p->careful = 0;
    p->usual = 0.0;
    return it->def.step > 0.0 ? FLX_OK : first_step(it, x->t, h_most, &p->h);
}

static flx_status give_up(flx_integrator *it, flx_status last)
{
    const dopri5 *p = it->data;
    if (last != FLX_OK) {
        return flx_method_fail(it, last, -1, 0, 0, NULL, "method radau or generalized-alpha");
    }
    return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0, 0,
                           p->stiff ? "the step became too small on a stiff motion"
                                    : "the step became too small",
                           p->stiff ? "method radau or generalized-alpha"
                                    : "larger tolerances, and look for a jump in a force");
}

static flx_status dopri5_step(flx_integrator *it, flx_state *x, double h_most, double *h_taken)
{
    dopri5 *p = it->data;
    bool fixed = it->def.step > 0.0;
    if (it->def.largest_step > 0.0 && !fixed) h_most = fmin(h_most, it->def.largest_step);
    FLX_TRY(begin(it, x, h_most));
    double h_first = p->h;
    double allowed = 1.0;
    for (int rejections = 0;;) {
        double h = fixed ? h_most : fmin(p->h, h_most);
        if (!fixed && h_most - h < 0.01 * h) h = h_most; // no crumbs at the end
        if (!fixed) h = fmin(h, flx_method_of(it)->longest);
        double smallest = 16.0 * DBL_EPSILON * fmax(fabs(x->t), fabs(h_most));
        flx_status s = run_stages(it, x->t, h);
        if (s < 0) return s;
        if (s == FLX_OK && !is_finite(p->z1, p->n)) s = FLX_NOT_FINITE;
        double error = s != FLX_OK ? HUGE_VAL : fixed ? 0.0 : estimate_error(p, h);
        if (error <= allowed) {
            if (error > 1.0) it->stats.singular_positions++;
            if (!fixed) watch_stiffness(it, x->t, h);
            s = finish(it, x->t, h);
            if (s < 0) return s;
            if (s == FLX_OK) {
                if (!fixed) p->h = next_step(p, h, error);
                p->rejected = false;
                if (p->careful > 0) p->careful--;
                p->usual = fmax(h, FADE * p->usual);
                p->form->unpack(it->sys, x->t + h, p->z, p->trial);
                p->trial->t = x->t + h;
                flx_state_copy(x, p->trial);
                *h_taken = h;
                return FLX_OK;
            }
        }
        // not finite counts as failed
        if (fixed || h <= smallest) return give_up(it, s);
        it->stats.rejected++;
        p->rejected = true;
        bool usable = s == FLX_OK && error < HUGE_VAL;
        double factor =
            usable ? fmax(SMALLEST_FACTOR, SAFETY * pow(error, -0.2)) : FAILED_STAGE_FACTOR;
        rejections++;
        if (p->careful > 0 && rejections > 3) allowed *= CAREFUL_PATIENCE;
        // a stage too near to a singular position: another step, not a smaller one, avoids it
        if (p->careful > 0 && rejections <= CAREFUL_TRIES) factor = CAREFUL_FACTOR;
        p->h = fmax(h * factor, 0.5 * smallest);
        if (p->careful == 0 && p->projects && p->h < SHORT_STEP * p->usual) {
            p->careful = CAREFUL_STEPS;
            p->h = fmax(h_first, p->usual);
            rejections = 0;
        }
    }
}

static flx_status dopri5_interpolate(flx_integrator *it, double t, flx_state *out)
{
    dopri5 *p = it->data;
    double u = (t - p->t0) / p->h0, w = 1.0 - u, *y = p->y;
    for (int i = 0; i < p->n; i++) {
        y[i] =
            p->dense[0][i] +
            u * (p->dense[1][i] + w * (p->dense[2][i] + u * (p->dense[3][i] + w * p->dense[4][i])));
    }
    flx_state_copy(out, flx_method_of(it)->before); // switches are those of the step
    flx_state_copy(p->trial, out);
    FLX_TRY(project(it, t, y));
    FLX_TRY(eval(it, t, y, p->z1));
    p->form->unpack(it->sys, t, y, p->trial);
    flx_state_copy(out, p->trial);
    out->t = t;
    return FLX_OK;
}

const flx_integrator_type flx_dopri5 = {
    .name = "dopri5",
    .summary = "Dormand-Prince 5(4), explicit, with projection to the constraints",
    .order = 5,
    .fixed = 1,
    .adaptive = 1,
    .create = dopri5_create,
    .step = dopri5_step,
    .interpolate = dopri5_interpolate,
    .destroy = dopri5_destroy,
};
