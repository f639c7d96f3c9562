// explicit_rk.c - explicit Runge-Kutta pairs on z' = F(t, z): index 1, with projection to the
// position and velocity constraints after each step.
//
//     k_i = F(t + c_i h, z + h sum_j a_ij k_j),   z_1 = z + h sum_j b_j k_j             (DP-1)
//     e = h sum_j e_j k_j,   |e|^2 = mean (e_i / (atol + rtol max(|z_i|, |z_1,i|)))^2   (DP-2)
//     z_1 <- projection of z_1;   k_1 of the next step = F(t + h, z_1)
//     z(t + c h) = z + c (F_0 + (1-c) (F_1 + c (F_2 + (1-c) (F_3 + ...))))              (DP-3)
//     F_0 = z_1 - z, F_1 = h k_1 - F_0, F_2 = F_0 - h k_end - F_1, F_3+i = h sum_j d_ij k_j
//     |e| <- |e|^2 / sqrt(|e|^2 + 0.01 |e_3|^2)                                         (DP-4)
//     |e| <- T/h |e|, T the time asked for: of methods of order 1                       (DP-6)
// Values between steps are projected too, so that every output meets the constraints. What only
// the dense output needs is computed when somebody asks for it.
//
// Near a singular position the accelerations of a stage that is a little off the constraints are
// far off. Where steps become short the method therefore goes carefully for a while: it integrates
// z' = F(t, P(z)) with P the projection, which has the same solutions and is smooth there.
//
// Source: Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, II.4-II.6, II.10; the
// test for stiffness is that of volume II, IV.2. Theory: docs/theory/integrators.md.
// How long steps are, and what becomes of those that fail: explicit_control.c.
#include "integrate/explicit/explicit_form.h"
#include "integrate/explicit/explicit_rk_parts.h"
#include "integrate/step_control.h"
#include "integrate/tolerance.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Below this part of a value the estimate is rounding, which no step makes smaller.
#define ROUNDING (16.0 * DBL_EPSILON)
// The usual step is the largest of the last ones, which fade.
#define FADE 0.95
// How often the border of stability may be met in a row.
#define STIFF_STEPS 15
#define NONSTIFF_STEPS 6
// Of a step: a time that is nearer to its end is its end.
#define WITHIN 1e-9

// ---- life -----------------------------------------------------------------------------------

void flx_rk_destroy(flx_integrator *it)
{
    explicit_rk *p = it->data;
    for (int i = 0; i < FLX_RK_SLOPES; i++) flx_free(p->k[i]);
    for (int i = 0; i < FLX_RK_DENSE; i++) flx_free(p->dense[i]);
    flx_free(p->z);
    flx_free(p->z1);
    flx_free(p->y);
    flx_free(p->near);
    flx_state_destroy(&p->trial);
    flx_closer_destroy(&p->closer);
    flx_free(p);
    it->data = NULL;
}

static flx_status make_arrays(flx_ctx *ctx, explicit_rk *p)
{
    double **want[4 + FLX_RK_SLOPES + FLX_RK_DENSE] = {&p->z, &p->z1, &p->y, &p->near};
    int count = 4;
    for (int i = 0; i < flx_rk_slopes(p->pair) + p->pair->extra; i++) want[count++] = &p->k[i];
    for (int i = 0; i < p->pair->ndense; i++) want[count++] = &p->dense[i];
    for (int i = 0; i < count; i++) {
        *want[i] = flx_alloc(ctx, (size_t)p->n, sizeof(double));
        if (!*want[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

flx_status flx_rk_create(flx_integrator *it, const flx_rk_pair *pair)
{
    const flx_system *s = it->sys;
    FLX_TRY(flx_explicit_open(it));
    explicit_rk *p = flx_alloc(it->ctx, 1, sizeof *p);
    if (!p) return FLX_ERR_MEMORY;
    it->data = p;
    p->pair = pair;
    p->form = s->ops->explicit_form;
    p->n = p->form->size(s);
    p->projects = flx_explicit_projects(it);
    flx_method_of(it)->closes_velocities = p->projects;
    double coarser = pair->adds_up ? FLX_FIRST_ORDER : 1.0;
    p->rtol = it->def.rtol > 0.0 ? it->def.rtol : coarser * FLX_DEFAULT_RTOL;
    p->atol = it->def.atol > 0.0 ? it->def.atol : coarser * FLX_DEFAULT_ATOL;
    p->rtol = fmax(p->rtol, ROUNDING);
    FLX_TRY(make_arrays(it->ctx, p));
    return flx_state_create(s, &p->trial);
}

int flx_rk_coefficients(const flx_rk_pair *pair, flx_coefficients *out)
{
    out->scheme = FLX_SCHEME_RUNGE_KUTTA;
    out->s = pair->last_is_end ? pair->stages - 1 : pair->stages;
    for (int i = 0; i < out->s; i++) {
        out->b[i] = pair->b[i];
        out->c[i] = pair->c[i];
        for (int j = 0; j < i; j++) out->A[i][j] = out->A_v[i][j] = pair->a[i][j];
    }
    return 1;
}

// ---- evaluation -----------------------------------------------------------------------------

static flx_status eval(flx_integrator *it, double t, const double *z, double *dz)
{
    explicit_rk *p = it->data;
    it->stats.residuals++;
    flx_status s = p->form->rate(it->sys, it->work, t, z, p->trial, dz);
    if (p->projects && p->form->regularity) {
        p->regularity = fmin(p->regularity, p->form->regularity(it->sys, it->work));
    }
    return s;
}

// Of runs that are differentiated: a function of z alone.
static flx_status project_smoothly(flx_integrator *it, double t, double *z)
{
    explicit_rk *p = it->data;
    if (!p->closer) FLX_TRY(flx_closer_create(it->sys, &p->closer));
    p->form->unpack(it->sys, t, z, p->trial);
    FLX_TRY(flx_closer_close(p->closer, it->work, p->trial, NULL));
    p->form->pack(it->sys, p->trial, z);
    return FLX_OK;
}

static flx_status project(flx_integrator *it, double t, double *z)
{
    explicit_rk *p = it->data;
    double moved_q, moved_v;
    if (!p->projects) return FLX_OK;
    it->stats.projections++;
    if (flx_method_of(it)->own_normals && !p->form->fill) return project_smoothly(it, t, z);
    return p->form->project(it->sys, it->work, t, z, p->trial, &moved_q, &moved_v);
}

static flx_status eval_stage(flx_integrator *it, double t, const double *z, double *dz)
{
    explicit_rk *p = it->data;
    if (p->careful == 0 || !p->projects) return eval(it, t, z, dz);
    memcpy(p->near, z, (size_t)p->n * sizeof *z);
    FLX_TRY(project(it, t, p->near));
    return eval(it, t, p->near, dz);
}

// (DP-2) of a vector u for values around z0 and z1, squared and summed
static double square(const explicit_rk *p, const double *u, const double *z0, const double *z1)
{
    double sum = 0.0;
    for (int i = 0; i < p->n; i++) {
        double w = u[i] / (p->atol + p->rtol * fmax(fabs(z0[i]), fabs(z1[i])));
        sum += w * w;
    }
    return sum;
}

static double norm(const explicit_rk *p, const double *u, const double *z0, const double *z1)
{
    return p->n ? sqrt(square(p, u, z0, z1) / p->n) : 0.0;
}

// y = z + h sum_j w_j k_j over the first m slopes; z NULL: zero
static void combine(const explicit_rk *p, const double *z, double h, const double *w,
                    double *const *k, int m, double *y)
{
    if (z) {
        memcpy(y, z, (size_t)p->n * sizeof *y);
    } else {
        memset(y, 0, (size_t)p->n * sizeof *y);
    }
    for (int j = 0; j < m; j++) {
        double hw = h * w[j];
        if (hw == 0.0) continue;
        const double *kj = k[j];
        for (int i = 0; i < p->n; i++) y[i] += hw * kj[i];
    }
}

// The stages of one attempt; z1 is the end before projection, y the last stage before it. Where
// the end is going to be moved, and no error is asked for, its slope is left for later.
static flx_status run_stages(flx_integrator *it, double t, double h)
{
    explicit_rk *p = it->data;
    const flx_rk_pair *r = p->pair;
    int inner = r->last_is_end ? r->stages - 1 : r->stages;
    p->regularity = HUGE_VAL;
    for (int i = 1; i < inner; i++) {
        combine(p, p->z, h, r->a[i], p->k, i, p->y);
        FLX_TRY(eval_stage(it, t + r->c[i] * h, p->y, p->k[i]));
    }
    combine(p, p->z, h, r->b, p->k, inner, p->z1);
    if (!r->last_is_end || (p->projects && it->def.step > 0.0)) return FLX_OK;
    return eval_stage(it, t + h, p->z1, p->k[inner]);
}

static double estimate_error(flx_integrator *it, double t, double h)
{
    explicit_rk *p = it->data;
    const flx_rk_pair *r = p->pair;
    double steps = r->adds_up ? flx_step_count(it, t, h) : 1.0;
    combine(p, NULL, h, r->e, p->k, r->stages, p->near);
    if (!r->damps) return steps * norm(p, p->near, p->z, p->z1);
    double five = square(p, p->near, p->z, p->z1);
    combine(p, NULL, h, r->e3, p->k, r->stages, p->near);
    double both = five + 0.01 * square(p, p->near, p->z, p->z1);
    return both > 0.0 ? five / sqrt(both * p->n) : 0.0;
}

static bool is_finite(const double *z, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += z[i] - z[i]; // 0, or not a number
    return sum == 0.0;
}

// Hairer's first step: an explicit Euler step with a change that fits the tolerance.
static flx_status first_step(flx_integrator *it, const flx_state *x, double h_most, double *h)
{
    explicit_rk *p = it->data;
    double size = norm(p, p->z, p->z, p->z), slope = norm(p, p->k[0], p->z, p->z);
    double h0 = size < 1e-5 || slope < 1e-5 ? 1e-6 * h_most : 0.01 * size / slope;
    if (it->def.initial_step > 0.0) {
        *h = it->def.initial_step;
        return FLX_OK;
    }
    h0 = fmin(h0, h_most);
    const double one = 1.0;
    combine(p, p->z, h0, &one, p->k, 1, p->y);
    flx_status s = eval(it, x->t + h0, p->y, p->k[1]);
    if (s != FLX_OK) {
        flx_state_copy(p->trial, x);
        *h = 0.01 * h0;
        return s > 0 ? FLX_OK : s;
    }
    for (int i = 0; i < p->n; i++) p->k[1][i] -= p->k[0][i];
    double curve = norm(p, p->k[1], p->z, p->z) / h0, most = fmax(slope, curve);
    double h1 = most <= 1e-15 ? fmax(1e-6 * h_most, 1e-3 * h0)
                              : pow(0.01 / most, 1.0 / p->pair->error_order);
    *h = fmin(100.0 * h0, fmin(h1, h_most));
    if (!(*h > 0.0)) *h = 1e-6 * h_most; // norms that overflow say nothing
    return FLX_OK;
}

// h |lambda| by the end of the accepted step and the last stage before it: a step that stays on the
// border of stability is held there by stiffness, not by accuracy.
static void watch_stiffness(flx_integrator *it, double t, double h)
{
    explicit_rk *p = it->data;
    const flx_rk_pair *r = p->pair;
    int stage = r->last_is_end ? r->stages - 2 : r->stages - 1;
    const double *k = stage ? p->k[stage] : p->k[flx_rk_slopes(r) - 1], *y = stage ? p->y : p->z1;
    double up = 0.0, down = 0.0;
    for (int i = 0; i < p->n; i++) {
        double w = p->atol + p->rtol * fabs(p->z[i]);
        double dk = (p->k[0][i] - k[i]) / w, dz = (p->z[i] - y[i]) / w;
        up += dk * dk;
        down += dz * dz;
    }
    if (down > 0.0 && h * sqrt(up / down) > r->stability_border) {
        p->nonstiff = 0;
        if (++p->stiff < STIFF_STEPS || p->warned) return;
        p->warned = true;
        flx_ctx_warn(it->ctx, FLX_NOWHERE,
                     "%s: the motion looks stiff from t = %.6g on: the steps are held down by "
                     "stability; radau or generalized-alpha would take larger ones",
                     it->type->name, t);
    } else if (++p->nonstiff >= NONSTIFF_STEPS) {
        p->stiff = 0;
    }
}

// ---- dense output ---------------------------------------------------------------------------

// (DP-3)
static flx_status prepare_dense(flx_integrator *it)
{
    explicit_rk *p = it->data;
    const flx_rk_pair *r = p->pair;
    int end = flx_rk_slopes(r) - 1, n = end + 1 + r->extra;
    double *k[FLX_RK_SLOPES], h = p->h0;
    if (p->dense_ready) return FLX_OK;
    flx_rk_slopes_of_last(p, k);
    for (int i = end + 1; i < n; i++) {
        combine(p, p->z1, h, r->a[i], k, i, p->y);
        FLX_TRY(eval_stage(it, p->t0 + r->c[i] * h, p->y, k[i]));
    }
    for (int i = 0; i < p->n; i++) {
        double diff = p->z[i] - p->z1[i];
        p->dense[0][i] = diff;
        p->dense[1][i] = h * k[0][i] - diff;
        p->dense[2][i] = diff - h * k[end][i] - p->dense[1][i];
    }
    for (int i = 3; i < r->ndense; i++) combine(p, NULL, h, r->d[i - 3], k, n, p->dense[i]);
    p->dense_ready = true;
    return FLX_OK;
}

flx_status flx_rk_interpolate(flx_integrator *it, double t, flx_state *out)
{
    explicit_rk *p = it->data;
    double u[2] = {(t - p->t0) / p->h0, 0}, *y = p->y;
    u[1] = 1.0 - u[0];
    if (p->lost) {
        return FLX_FAIL(it->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "what lies within the last step was not saved");
    }
    flx_state_copy(out, flx_method_of(it)->before); // switches are those of the step
    flx_state_copy(p->trial, out);
    FLX_TRY(prepare_dense(it));
    for (int i = 0; i < p->n; i++) {
        double sum = 0.0;
        for (int j = p->pair->ndense - 1; j >= 0; j--) sum = u[j % 2] * (p->dense[j][i] + sum);
        y[i] = p->z1[i] + sum;
    }
    FLX_TRY(project(it, t, y));
    FLX_TRY(eval(it, t, y, p->near));
    p->form->unpack(it->sys, t, y, p->trial);
    flx_state_copy(out, p->trial);
    out->t = t;
    return FLX_OK;
}

// ---- for derivatives ------------------------------------------------------------------------

flx_status flx_rk_close(flx_integrator *it, flx_state *x)
{
    explicit_rk *p = it->data;
    double t = x->t;
    flx_state_copy(p->trial, x);
    p->form->pack(it->sys, x, p->y);
    FLX_TRY(project(it, t, p->y));
    FLX_TRY(eval(it, t, p->y, p->near));
    p->form->unpack(it->sys, t, p->y, p->trial);
    flx_state_copy(x, p->trial);
    x->t = t;
    return FLX_OK;
}

// ---- step -----------------------------------------------------------------------------------

static void swap(double **a, double **b)
{
    double *c = *a;
    *a = *b;
    *b = c;
}

// After a good attempt: project the end, evaluate there, make the end the beginning. *far: more than so far it was moved, and
// nothing was done; else 0.
static flx_status finish(flx_integrator *it, double t, double h, bool fixed, double *far)
{
    explicit_rk *p = it->data;
    int end = flx_rk_slopes(p->pair) - 1;
    *far = 0.0;
    if (p->projects) memcpy(p->near, p->z1, (size_t)p->n * sizeof *p->near);
    FLX_TRY(project(it, t + h, p->z1));
    if (p->projects && !fixed) {
        *far = flx_rk_thrown(p);
        if (*far > 0.0) return FLX_OK;
    }
    if (p->projects || !p->pair->last_is_end) FLX_TRY(eval(it, t + h, p->z1, p->k[end]));
    if (!is_finite(p->k[end], p->n)) return FLX_NOT_FINITE;
    swap(&p->z, &p->z1);
    swap(&p->k[0], &p->k[end]);
    p->t0 = t;
    p->h0 = h;
    p->dense_ready = p->lost = false;
    return FLX_OK;
}

static flx_status begin(flx_integrator *it, const flx_state *x, double h_most)
{
    explicit_rk *p = it->data;
    flx_state_copy(p->trial, x);
    if (flx_method_of(it)->continues) return FLX_OK;
    flx_status s = flx_explicit_pack(it, x, p->z);
    if (s == FLX_OK) s = eval(it, x->t, p->z, p->k[0]);
    if (s != FLX_OK) {
        return flx_method_fail(it, s, flx_explicit_worst(it), 0, 0,
                               "the accelerations cannot be computed",
                               "another start, or method radau");
    }
    p->error = 1e-4;
    p->stiff = p->nonstiff = 0;
    p->rejected = false;
    p->careful = 0;
    p->usual = 0.0;
    bool at_hand = flx_method_of(it)->input_jumped && p->h > 0.0;
    return it->def.step > 0.0 || at_hand ? FLX_OK : first_step(it, x, h_most, &p->h);
}

// The end of an accepted step becomes the caller's state. cut: the caller asked for less than it could have been.
static void accept(flx_integrator *it, flx_state *x, double h, double error, bool cut)
{
    explicit_rk *p = it->data;
    bool fixed = it->def.step > 0.0 || flx_method_of(it)->frozen;
    if (error > 1.0) it->stats.singular_positions++;
    if (!fixed) {
        double wanted = p->h, last = p->error;
        watch_stiffness(it, x->t, h);
        p->h = flx_rk_next_step(p, h, error);
        if (cut) { // it says nothing about those after it
            p->h = fmax(p->h, wanted);
            p->error = last;
        }
    }
    p->rejected = false;
    p->was_careful = p->careful > 0;
    if (p->careful > 0) p->careful--;
    p->usual = fmax(h, FADE * p->usual);
    p->form->unpack(it->sys, x->t + h, p->z, p->trial);
    p->trial->t = x->t + h;
    flx_state_copy(x, p->trial);
}

flx_status flx_rk_step(flx_integrator *it, flx_state *x, double h_most, double *h_taken)
{
    explicit_rk *p = it->data;
    bool fixed = it->def.step > 0.0 || flx_method_of(it)->frozen;
    const double asked = h_most;
    if (it->def.max_step > 0.0 && !fixed) h_most = fmin(h_most, it->def.max_step);
    FLX_TRY(begin(it, x, h_most));
    flx_rk_attempt a = {.first = p->h, .allowed = 1.0, .last = HUGE_VAL};
    for (;;) {
        double h = fixed ? h_most : fmin(p->h, h_most);
        if (!fixed && h_most - h < 0.01 * h) h = h_most; // no crumbs at the end
        if (!fixed) h = fmin(h, flx_method_of(it)->longest);
        double smallest = flx_step_smallest(x->t, h_most);
        *h_taken = h; // also where it fails: the message says it
        flx_status s = run_stages(it, x->t, h);
        if (s == FLX_OK && !is_finite(p->z1, p->n)) s = FLX_NOT_FINITE;
        double error = s != FLX_OK ? HUGE_VAL : fixed ? 0.0 : estimate_error(it, x->t, h);
        double far = 0.0;
        if (error <= a.allowed) s = finish(it, x->t, h, fixed, &far);
        if (s < 0) return s;
        if (s == FLX_OK && error <= a.allowed && far == 0.0) {
            accept(it, x, h, error, h == asked && h < p->h);
            return FLX_OK;
        }
        if (fixed || !(h > smallest)) return flx_rk_give_up(it, s, a.far);
        if (s != FLX_OK) flx_state_copy(p->trial, x); // iterations begin anew
        error = fmax(error, far);
        a.far = a.far || far > 0.0;
        // an error that is not a number counts as a failure
        flx_rk_shorten(it, h, s == FLX_OK && error < HUGE_VAL ? error : HUGE_VAL, smallest, &a);
    }
}

// ---- checkpoint -----------------------------------------------------------------------------

void flx_rk_memory(flx_integrator *it, flx_memory *m)
{
    explicit_rk *p = it->data;
    size_t n = (size_t)p->n;
    FLX_PASS(m, p->h);
    FLX_PASS(m, p->error);
    FLX_PASS(m, p->rejected);
    FLX_PASS(m, p->careful);
    FLX_PASS(m, p->usual);
    FLX_PASS(m, p->regularity);
    FLX_PASS(m, p->stiff);
    FLX_PASS(m, p->nonstiff);
    FLX_PASS(m, p->warned);
    FLX_PASS(m, p->t0);
    FLX_PASS(m, p->h0);
    FLX_PASS(m, p->dense_ready);
    // at the end of the last step nobody asks for what was within it: z, and the slope there, go on
    bool lost = p->lost || p->t0 + p->h0 * (1.0 - WITHIN) < m->now;
    FLX_PASS(m, lost);
    if (flx_memory_loads(m)) p->lost = lost;
    flx_memory_numbers(m, p->z, n);
    flx_memory_numbers(m, p->k[0], n);
    flx_state_memory(p->trial, m);
    if (lost) return;
    flx_memory_numbers(m, p->z1, n);
    for (int i = 1; i < flx_rk_slopes(p->pair) + p->pair->extra; i++)
        flx_memory_numbers(m, p->k[i], n);
    for (int i = 0; i < p->pair->ndense; i++) flx_memory_numbers(m, p->dense[i], n);
}
