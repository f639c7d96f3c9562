// properties.c - order, stability and structure of a method, computed from its coefficients.
//
// Runge-Kutta:  R(z) = 1 + z b^T (I - zA)^-1 1                                           (PROP-3)
//     A-stable: |R(iy)| <= 1 and no pole in the left half plane, 1/z an eigenvalue of A
// Partitioned methods and Newmark's family are asked on q'' = -w^2 q, where a step is a matrix; its
// spectral radius takes the place of |R|. A multistep method: roots of rho(r) - z sigma(r). (PROP-4)
// Theory: docs/theory/integrators.md, "Properties".
#include "base/refuse.h"
#include "flexion/extend/method_table.h"
#include "flexion/methods.h"
#include "integrate/method.h"
#include "integrate/newton_matrix.h"
#include "integrate/order.h"
#include "math/dense.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MET 1e-9       // coefficients have rounding alone
#define ON_CIRCLE 1e-7 // a double eigenvalue of modulus 1 is known to the root of the rounding
#define WIDEST 1e8     // |z| up to which an axis is looked at, and down to its inverse
#define PER_DECADE 60
#define S FLX_STAGES_MAX

// What the properties are computed with.
typedef struct inquiry {
    flx_ctx *ctx;
    const flx_coefficients *c;
    flx_method_properties *out;
    flx_status status; // of the linear algebra
} inquiry;

static flx_answer answer(bool yes)
{
    return yes ? FLX_YES : FLX_NO;
}

// Points of a half axis, k = 0, 1, ...; 0: no more.
static double axis_point(int k)
{
    double x = pow(10.0, (double)k / PER_DECADE) / WIDEST;
    return x <= WIDEST ? x : 0.0;
}

// Largest modulus of the eigenvalues of a matrix (n x n, any order, overwritten).
static double spectral_radius(inquiry *q, int n, double *A)
{
    double re[2 * S + 2], im[2 * S + 2], radius = 0.0;
    for (int i = 0; i < n * n; i++) {
        if (!isfinite(A[i])) return HUGE_VAL;
    }
    flx_status status = flx_dense_eigenvalues(q->ctx, n, A, re, im);
    if (status != FLX_OK) q->status = status;
    for (int i = 0; i < n && status == FLX_OK; i++) radius = fmax(radius, hypot(re[i], im[i]));
    return radius;
}

// ---- Runge-Kutta --------------------------------------------------------------------------------

// R(z), the complex system as a real one of twice the size.
static double complex stability_function(const flx_coefficients *c, double complex z)
{
    int s = c->s, n = 2 * s, pivot[2 * S];
    double m[4 * S * S], x[2 * S];
    double complex sum = 0.0;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) {
            double complex a = (i == j ? 1.0 : 0.0) - z * c->A[i][j];
            m[i * n + j] = m[(i + s) * n + j + s] = creal(a);
            m[(i + s) * n + j] = cimag(a);
            m[i * n + j + s] = -cimag(a);
        }
        x[i] = 1.0;
        x[i + s] = 0.0;
    }
    if (!flx_dense_lu(n, m, pivot)) return HUGE_VAL;
    flx_dense_lu_solve(n, m, pivot, x);
    for (int i = 0; i < s; i++) sum += c->b[i] * flx_complex(x[i], x[i + s]);
    return 1.0 + z * sum;
}

static bool is_explicit(const flx_coefficients *c)
{
    for (int i = 0; i < c->s; i++) {
        for (int j = i; j < c->s; j++) {
            if (c->A[i][j] != 0.0) return false;
        }
    }
    return true;
}

// Coefficients of det(I - zA), k = 0..s, by Faddeev and LeVerrier.
static void characteristic(int s, const double (*A)[S], long double *p)
{
    long double M[S][S] = {{0}};
    p[0] = 1.0L;
    for (int k = 1; k <= s; k++) {
        long double N[S][S], trace = 0.0L;
        for (int i = 0; i < s; i++) M[i][i] += p[k - 1];
        for (int i = 0; i < s; i++) {
            for (int j = 0; j < s; j++) {
                N[i][j] = 0.0L;
                for (int l = 0; l < s; l++) N[i][j] += (long double)A[i][l] * M[l][j];
            }
            trace += N[i][i];
        }
        p[k] = -trace / k;
        memcpy(M, N, sizeof M);
    }
}

// R(infinity) of a singular A: the ratio of the leading coefficients of det(I - z(A - 1 b^T)) and
// det(I - zA).
static double ratio_at_infinity(const flx_coefficients *c)
{
    double B[S][S];
    long double p[S + 1], q[S + 1];
    int above = c->s, below = c->s;
    for (int i = 0; i < c->s; i++) {
        for (int j = 0; j < c->s; j++) B[i][j] = c->A[i][j] - c->b[j];
    }
    characteristic(c->s, (const double(*)[S])B, p);
    characteristic(c->s, c->A, q);
    while (above > 0 && fabsl(p[above]) <= (long double)(1e3 * DBL_EPSILON)) above--;
    while (below > 0 && fabsl(q[below]) <= (long double)(1e3 * DBL_EPSILON)) below--;
    if (above > below) return HUGE_VAL;
    return above < below ? 0.0 : (double)(p[above] / q[below]);
}

// 1 - b^T A^-1 1; *regular: A is.
static double at_infinity(const flx_coefficients *c, bool *regular)
{
    double m[S * S], x[S], sum = 1.0;
    int s = c->s, pivot[S];
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) m[i * s + j] = c->A[i][j];
        x[i] = 1.0;
    }
    *regular = flx_dense_lu(s, m, pivot);
    if (is_explicit(c)) return HUGE_VAL;
    if (!*regular) return ratio_at_infinity(c);
    flx_dense_lu_solve(s, m, pivot, x);
    for (int i = 0; i < s; i++) sum -= c->b[i] * x[i];
    return fabs(sum) < MET ? 0.0 : sum;
}

// Eigenvalues of A: one with a negative real part is a pole of R in the left half plane.
static void look_at_poles(inquiry *q, bool *left, bool *negative)
{
    const flx_coefficients *c = q->c;
    int s = c->s;
    double m[S * S], re[S], im[S];
    *left = *negative = false;
    for (int i = 0; i < s; i++) {
        for (int j = 0; j < s; j++) m[j * s + i] = c->A[i][j];
    }
    q->status = flx_dense_eigenvalues(q->ctx, s, m, re, im);
    if (q->status != FLX_OK) return;
    for (int i = 0; i < s; i++) {
        *left = *left || re[i] < -ON_CIRCLE;
        *negative = *negative || (re[i] < -ON_CIRCLE && fabs(im[i]) < ON_CIRCLE);
    }
}

static bool is_stable_on_imaginary_axis(const flx_coefficients *c)
{
    for (int k = 0; axis_point(k) > 0.0; k++) {
        if (!(cabs(stability_function(c, flx_complex(0.0, axis_point(k)))) <= 1.0 + MET))
            return false;
    }
    return true;
}

// Strictly, up to where R(-w) comes closer to a limit of modulus 1 than rounding can tell.
static bool is_damped_on_negative_axis(const flx_coefficients *c)
{
    for (int k = 0; axis_point(k) > 0.0; k++) {
        double w = axis_point(k), slack = w > sqrt(WIDEST) || w < 1.0 / sqrt(WIDEST) ? MET : 0.0;
        if (!(cabs(stability_function(c, flx_complex(-w, 0.0))) < 1.0 + slack)) return false;
    }
    return true;
}

static bool is_symplectic(const flx_coefficients *c)
{
    if (c->discrete_gradient) return false;
    for (int i = 0; i < c->s; i++) {
        for (int j = 0; j < c->s; j++) {
            double gap = c->b[i] * c->A_v[i][j] + c->b[j] * c->A[j][i] - c->b[i] * c->b[j];
            if (!(fabs(gap) <= MET)) return false;
        }
    }
    return true;
}

static bool is_symmetric(const flx_coefficients *c, const double (*A)[S])
{
    int last = c->s - 1;
    for (int i = 0; i <= last; i++) {
        for (int j = 0; j <= last; j++) {
            if (!(fabs(A[last - i][last - j] + A[i][j] - c->b[j]) <= MET)) return false;
        }
        if (!(fabs(c->b[last - i] - c->b[i]) <= MET)) return false;
    }
    return true;
}

static bool is_stiffly_accurate(const flx_coefficients *c)
{
    for (int j = 0; j < c->s; j++) {
        if (!(fabs(c->A[c->s - 1][j] - c->b[j]) <= MET)) return false;
        if (!(fabs(c->A_v[c->s - 1][j] - c->b[j]) <= MET)) return false;
    }
    return true;
}

// ---- partitioned --------------------------------------------------------------------------------

// (PROP-4) Spectral radius of a step of length 1 on q' = w p, p' = -w q.
static double oscillator_radius(inquiry *q, double w)
{
    const flx_coefficients *c = q->c;
    int s = c->s, n = 2 * s, pivot[2 * S];
    double m[4 * S * S] = {0}, step[4];
    for (int i = 0; i < s; i++) {
        m[i * n + i] = m[(i + s) * n + i + s] = 1.0;
        for (int j = 0; j < s; j++) {
            m[i * n + j + s] -= w * c->A[i][j];
            m[(i + s) * n + j] += w * c->A_v[i][j];
        }
    }
    if (!flx_dense_lu(n, m, pivot)) return HUGE_VAL;
    for (int k = 0; k < 2; k++) {
        double x[2 * S];
        for (int i = 0; i < s; i++) {
            x[i] = k == 0;
            x[i + s] = k == 1;
        }
        flx_dense_lu_solve(n, m, pivot, x);
        step[k] = k == 0;
        step[2 + k] = k == 1;
        for (int i = 0; i < s; i++) {
            step[k] += w * c->b[i] * x[i + s];
            step[2 + k] -= w * c->b[i] * x[i];
        }
    }
    return spectral_radius(q, 2, step);
}

static bool is_stable_on_oscillators(inquiry *q, double (*radius)(inquiry *q, double w))
{
    for (int k = 0; axis_point(k) > 0.0 && q->status == FLX_OK; k++) {
        if (!(radius(q, axis_point(k)) <= 1.0 + ON_CIRCLE)) return false;
    }
    return q->status == FLX_OK;
}

static void find_partitioned_stability(inquiry *q)
{
    double radius = oscillator_radius(q, WIDEST);
    q->out->at_infinity = radius > sqrt(WIDEST) ? HUGE_VAL : radius;
    q->out->a_stable = answer(is_stable_on_oscillators(q, oscillator_radius));
    q->out->damped_end = q->out->damped_axis = FLX_NOT_ASKED;
}

static void find_stability(inquiry *q)
{
    flx_method_properties *out = q->out;
    bool regular, left, negative;
    out->at_infinity = at_infinity(q->c, &regular);
    look_at_poles(q, &left, &negative);
    bool bounded = fabs(out->at_infinity) <= 1.0 + MET;
    out->a_stable = answer(bounded && !left && is_stable_on_imaginary_axis(q->c));
    out->damped_end = answer(regular && fabs(out->at_infinity) < 1.0 - MET);
    out->damped_axis =
        regular ? answer(!negative && is_damped_on_negative_axis(q->c)) : FLX_NOT_ASKED;
}

static flx_status find_runge_kutta(inquiry *q)
{
    const flx_coefficients *c = q->c;
    flx_method_properties *out = q->out;
    bool symmetric = is_symmetric(c, c->A) && is_symmetric(c, c->A_v);
    out->stage_order = flx_stage_order(c);
    out->symplectic = answer(is_symplectic(c));
    out->symmetric = answer(symmetric);
    out->stiffly_accurate = answer(is_stiffly_accurate(c));
    FLX_TRY(flx_classical_order(q->ctx, c, symmetric, &out->order));
    if (flx_coefficients_partitioned(c)) {
        find_partitioned_stability(q);
    } else {
        find_stability(q);
    }
    return q->status;
}

// ---- Newmark's family ---------------------------------------------------------------------------

// One step (GA-1) to (GA-3) of length h = +-1 on q'' = -q/e, as a matrix of (q, v, a).
static void flx_structural_step(const flx_coefficients *c, double e, double h, double m[3][3])
{
    double below = (1.0 - c->alpha_m) * e + (1.0 - c->alpha_f) * c->beta;
    double predict[3] = {1.0, h, 0.5 - c->beta};
    for (int j = 0; j < 3; j++) {
        double a = -(1.0 - c->alpha_f) * predict[j];
        if (j == 0) a -= c->alpha_f;
        if (j == 2) a -= c->alpha_m * e;
        a /= below;
        m[2][j] = a;
        m[0][j] = predict[j] + c->beta * a;
        m[1][j] = (j == 1) + h * ((j == 2) * (1.0 - c->gamma) + c->gamma * a);
    }
}

static double structural_radius(inquiry *q, double w)
{
    double m[3][3], flat[9];
    flx_structural_step(q->c, 1.0 / (w * w), 1.0, m);
    memcpy(flat, m, sizeof flat);
    return spectral_radius(q, 3, flat);
}

// Two steps, there and back. Without averages a = -w^2 q is kept and the step is one of (q, v).
static bool structural_is_symmetric(const flx_coefficients *c)
{
    bool averages = c->alpha_m != 0.0 || c->alpha_f != 0.0;
    int n = averages ? 3 : 2;
    for (int k = 0; k < 4; k++) {
        double there[3][3], back[3][3], e = pow(4.0, k - 2);
        flx_structural_step(c, e, 1.0, there);
        flx_structural_step(c, e, -1.0, back);
        for (int i = 0; i < n && !averages; i++) {
            there[i][0] -= there[i][2] / e;
            back[i][0] -= back[i][2] / e;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                double sum = i == j ? -1.0 : 0.0;
                for (int l = 0; l < n; l++) sum += back[i][l] * there[l][j];
                if (!(fabs(sum) <= MET)) return false;
            }
        }
    }
    return true;
}

static flx_status find_structural(inquiry *q)
{
    const flx_coefficients *c = q->c;
    flx_method_properties *out = q->out;
    bool averages = c->alpha_m != 0.0 || c->alpha_f != 0.0;
    out->stage_order = -1;
    out->order = fabs(c->gamma - (0.5 - c->alpha_m + c->alpha_f)) <= MET ? 2 : 1;
    out->at_infinity = c->beta > 0.0 ? structural_radius(q, HUGE_VAL) : HUGE_VAL;
    if (out->at_infinity < ON_CIRCLE) out->at_infinity = 0.0;
    out->a_stable = answer(is_stable_on_oscillators(q, structural_radius));
    out->symmetric = answer(structural_is_symmetric(c));
    // central differences; with beta > 0 the method is only conjugate to a symplectic one
    out->symplectic = answer(!averages && c->beta == 0.0 && c->gamma == 0.5);
    out->stiffly_accurate = answer(c->alpha_f == 0.0 && c->alpha_m == 0.0);
    out->damped_end = out->damped_axis = FLX_NOT_ASKED;
    return q->status;
}

// ---- multistep ----------------------------------------------------------------------------------

// Largest root of sum_j (alpha_j - z beta_j) r^(k-j); z = HUGE_VAL: of sigma alone. The complex
// companion matrix as a real one of twice the size.
static double root_radius(inquiry *q, double complex z, bool at_end)
{
    const flx_coefficients *c = q->c;
    int k = c->s, n = 2 * k;
    double complex p[S + 1];
    double m[4 * S * S] = {0};
    for (int j = 0; j <= k; j++)
        p[j] = at_end ? (double complex)c->beta_j[j] : c->alpha_j[j] - z * c->beta_j[j];
    if (!(cabs(p[0]) > 0.0)) return HUGE_VAL;
    for (int j = 0; j < k; j++) {
        double complex a = -p[j + 1] / p[0];
        m[j * n] = m[(j + k) * n + k] = creal(a);
        m[j * n + k] = cimag(a);
        m[(j + k) * n] = -cimag(a);
        if (j > 0) m[(j - 1) * n + j] = m[(j - 1 + k) * n + j + k] = 1.0;
    }
    return spectral_radius(q, n, m);
}

// sum_j alpha_j = 0, sum_j alpha_j x_j^k = k sum_j beta_j x_j^(k-1) with x_j = -j: exact for t^k.
static int multistep_order(const flx_coefficients *c)
{
    for (int k = 0; k <= 2 * c->s + 1; k++) {
        double sum = 0.0, size = 0.0;
        for (int j = 0; j <= c->s; j++) {
            double x = -(double)j;
            double a = c->alpha_j[j] * pow(x, k);
            double b = k > 0 ? k * c->beta_j[j] * pow(x, k - 1) : 0.0;
            sum += a - b;
            size += fabs(a) + fabs(b);
        }
        if (!(fabs(sum) <= MET * size)) return k - 1;
    }
    return 2 * c->s;
}

static bool multistep_is_a_stable(inquiry *q)
{
    if (!(q->out->at_infinity <= 1.0 + ON_CIRCLE)) return false;
    for (int k = 0; axis_point(k) > 0.0 && q->status == FLX_OK; k++) {
        double y = axis_point(k);
        if (!(root_radius(q, flx_complex(0.0, y), false) <= 1.0 + ON_CIRCLE)) return false;
        if (!(root_radius(q, flx_complex(-y, 0.0), false) <= 1.0 + ON_CIRCLE)) return false;
    }
    return q->status == FLX_OK;
}

static bool multistep_is_symmetric(const flx_coefficients *c)
{
    for (int j = 0; j <= c->s; j++) {
        if (!(fabs(c->alpha_j[j] + c->alpha_j[c->s - j]) <= MET)) return false;
        if (!(fabs(c->beta_j[j] - c->beta_j[c->s - j]) <= MET)) return false;
    }
    return true;
}

static flx_status find_multistep(inquiry *q)
{
    flx_method_properties *out = q->out;
    out->stage_order = -1;
    out->order = multistep_order(q->c);
    out->at_infinity = root_radius(q, 0.0, true);
    out->a_stable = answer(multistep_is_a_stable(q));
    out->symmetric = answer(multistep_is_symmetric(q->c));
    out->symplectic = FLX_NO;
    out->stiffly_accurate = FLX_NOT_ASKED;
    out->damped_end = out->damped_axis = FLX_NOT_ASKED;
    return q->status;
}

// ---- all ----------------------------------------------------------------------------------------

flx_status flx_coefficients_properties(flx_ctx *ctx, const flx_coefficients *c,
                                       flx_method_properties *out)
{
    if (!ctx || !c || !out) return flx_refuse_null(ctx, __func__);
    if (c->scheme != FLX_SCHEME_STRUCTURAL && (c->s < 1 || c->s > FLX_STAGES_MAX)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a method has 1 to %d stages, not %d",
                        FLX_STAGES_MAX, c->s);
    }
    inquiry q = {.ctx = ctx, .c = c, .out = out};
    *out = (flx_method_properties){.stages = c->s};
    flx_status status = c->scheme == FLX_SCHEME_RUNGE_KUTTA  ? find_runge_kutta(&q)
                        : c->scheme == FLX_SCHEME_STRUCTURAL ? find_structural(&q)
                                                             : find_multistep(&q);
    out->l_stable = answer(out->a_stable == FLX_YES && fabs(out->at_infinity) <= ON_CIRCLE);
    return status;
}

flx_status flx_method_properties_find(flx_ctx *ctx, const flx_integrator_def *def,
                                      flx_method_properties *out)
{
    if (!ctx || !def || !def->method || !out) return flx_refuse_null(ctx, __func__);
    flx_coefficients c = {.scheme = FLX_SCHEME_RUNGE_KUTTA};
    const flx_integrator_type *const *t = flx_integrator_types();
    while (*t && strcmp((*t)->name, def->method) != 0) t++;
    if (strcmp(def->method, "auto") == 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "'auto' stands for the method that suits a model; `flexion check MODEL` "
                        "says which one");
    }
    if (!*t || !(*t)->coefficients) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "method '%s' does not tell its coefficients", def->method);
    }
    if (!(*t)->coefficients(def, &c)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method '%s' has no coefficients for these options", def->method);
    }
    return flx_coefficients_properties(ctx, &c, out);
}
