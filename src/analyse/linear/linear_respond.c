// linear_respond.c - frequency response of a linear model (flexion/linear.h): Hessenberg form once, then n^2 operations per
// frequency and input.
#include "analyse/linear/linear_solve.h"
#include "base/number.h"
#include "base/refuse.h"
#include "integrate/newton_matrix.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define FEW 60 // states: these are eliminated anew at every frequency

typedef struct response {
    flx_arena *arena;
    int n, nin, nout;
    double *H;         // (n x n) column-major, upper Hessenberg: A = Q H Q^T
    double *B, *C;     // (n x nin) Q^T B, (nout x n) C Q, column-major
    double complex *R; // (n x n) by rows: s I - H, then upper triangular
    double complex *x; // (n x nin) by rows
    double size;       // largest number of H
} response;

// Householder reflections, one column after another.
static void make_hessenberg(response *f, double *v)
{
    int n = f->n;
    double *H = f->H;
    for (int k = 0; k + 2 < n; k++) {
        double size = 0.0, dot = 0.0;
        for (int i = k + 1; i < n; i++) size = hypot(size, H[k * n + i]);
        if (size == 0.0) continue;
        double a = H[k * n + k + 1] > 0.0 ? -size : size;
        for (int i = k + 1; i < n; i++) v[i] = H[k * n + i];
        v[k + 1] -= a;
        for (int i = k + 1; i < n; i++) dot += v[i] * v[i];
        if (dot == 0.0) continue;
        double by = 2.0 / dot;
        for (int j = 0; j < n; j++) { // from the left
            double sum = 0.0;
            for (int i = k + 1; i < n; i++) sum += v[i] * H[j * n + i];
            for (int i = k + 1; i < n; i++) H[j * n + i] -= by * sum * v[i];
        }
        for (int i = 0; i < n; i++) { // and from the right
            double sum = 0.0;
            for (int j = k + 1; j < n; j++) sum += H[j * n + i] * v[j];
            for (int j = k + 1; j < n; j++) H[j * n + i] -= by * sum * v[j];
        }
        for (int j = 0; j < f->nin; j++) {
            double sum = 0.0;
            for (int i = k + 1; i < n; i++) sum += v[i] * f->B[j * n + i];
            for (int i = k + 1; i < n; i++) f->B[j * n + i] -= by * sum * v[i];
        }
        for (int i = 0; i < f->nout; i++) {
            double sum = 0.0;
            for (int j = k + 1; j < n; j++) sum += f->C[j * f->nout + i] * v[j];
            for (int j = k + 1; j < n; j++) f->C[j * f->nout + i] -= by * sum * v[j];
        }
        for (int i = k + 2; i < n; i++) H[k * n + i] = 0.0;
    }
    for (int i = 0; i < n * n; i++) f->size = fmax(f->size, fabs(H[i]));
}

// Gaussian elimination of a Hessenberg matrix: two rows at a time, the larger pivot first.
static flx_status solve(response *f, double complex s)
{
    int n = f->n, nin = f->nin;
    double complex *R = f->R, *x = f->x;
    for (int i = 0; i < n; i++) {
        for (int j = i > 0 ? i - 1 : 0; j < n; j++)
            R[i * n + j] = (i == j ? s : 0.0) - f->H[j * n + i];
        for (int k = 0; k < nin; k++) x[i * nin + k] = f->B[k * n + i];
    }
    for (int i = 0; i + 1 < n; i++) {
        double complex *a = R + i * n, *b = a + n;
        if (cabs(b[i]) > cabs(a[i])) {
            for (int j = i; j < n; j++) {
                double complex t = a[j];
                a[j] = b[j];
                b[j] = t;
            }
            for (int k = 0; k < nin; k++) {
                double complex t = x[i * nin + k];
                x[i * nin + k] = x[(i + 1) * nin + k];
                x[(i + 1) * nin + k] = t;
            }
        }
        if (a[i] == 0.0) continue;
        double complex by = b[i] / a[i];
        if (by == 0.0) continue;
        for (int j = i + 1; j < n; j++) b[j] -= by * a[j];
        for (int k = 0; k < nin; k++) x[(i + 1) * nin + k] -= by * x[i * nin + k];
    }
    for (int i = n - 1; i >= 0; i--) {
        if (!(cabs(R[i * n + i]) > DBL_EPSILON * DBL_EPSILON * (f->size + cabs(s))))
            return FLX_SINGULAR;
        for (int k = 0; k < nin; k++) {
            double complex sum = x[i * nin + k];
            for (int j = i + 1; j < n; j++) sum -= R[i * n + j] * x[j * nin + k];
            x[i * nin + k] = sum / R[i * n + i];
        }
    }
    return FLX_OK;
}

static void put_outputs(const response *f, const flx_linear_model *m, double complex s, double *re,
                        double *im)
{
    for (int i = 0; i < f->nout; i++) {
        for (int k = 0; k < f->nin; k++) {
            int at = i * f->nin + k;
            double complex y = m->D[at];
            if (m->D1) y += s * m->D1[at];
            if (m->D2) y += s * s * m->D2[at];
            for (int j = 0; j < f->n; j++) y += f->C[j * f->nout + i] * f->x[j * f->nin + k];
            re[at] = creal(y);
            im[at] = cimag(y);
        }
    }
}

static flx_status prepare(response *f, const flx_linear_model *m)
{
    int n = f->n;
    f->H = flx_linear_take(f->arena, n, n);
    f->B = flx_linear_take(f->arena, n, f->nin);
    f->C = flx_linear_take(f->arena, f->nout, n);
    f->R = flx_arena_take(f->arena, (size_t)n * (size_t)n, sizeof *f->R);
    f->x = flx_arena_take(f->arena, (size_t)n * (size_t)f->nin, sizeof *f->x);
    double *v = flx_linear_take(f->arena, n, 1);
    if (!f->H || !f->B || !f->C || !f->R || !f->x || !v) return FLX_ERR_MEMORY;
    flx_linear_turn(n, n, m->A, f->H);
    flx_linear_turn(n, f->nin, m->B, f->B);
    flx_linear_turn(f->nout, n, m->C, f->C);
    make_hessenberg(f, v);
    return FLX_OK;
}

static flx_status refuse_pole(flx_ctx *ctx, double w)
{
    return FLX_FAIL(ctx, FLX_SINGULAR, FLX_NOWHERE,
                    "there is no frequency response at %.9g rad/s, which is a pole", w);
}

static flx_status respond_few(flx_ctx *ctx, const flx_linear_model *m, int nw, const double *w,
                              double *re, double *im)
{
    flx_linear_solver solver;
    size_t pairs = (size_t)m->nin * (size_t)m->nout;
    flx_arena *arena = flx_arena_create(ctx);
    double complex *y = arena ? flx_arena_take(arena, pairs + 1, sizeof *y) : NULL;
    flx_status status = y ? flx_linear_solver_create(m, arena, &solver) : FLX_ERR_MEMORY;
    for (int k = 0; status == FLX_OK && k < nw; k++) {
        if (!flx_linear_solver_respond(&solver, flx_complex(0.0, w[k]), y)) {
            status = refuse_pole(ctx, w[k]);
            break;
        }
        for (size_t i = 0; i < pairs; i++) {
            re[(size_t)k * pairs + i] = creal(y[i]);
            im[(size_t)k * pairs + i] = cimag(y[i]);
        }
    }
    flx_arena_destroy(&arena);
    return status;
}

flx_status flx_linear_respond(flx_ctx *ctx, const flx_linear_model *model, int nw, const double *w,
                              double *re, double *im)
{
    if (!ctx || !model || (nw > 0 && (!w || !re || !im))) return flx_refuse_null(ctx, __func__);
    for (int k = 0; k < nw; k++) {
        if (isfinite(w[k])) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "frequency %d is not finite", k);
    }
    if (model->n <= FEW) return respond_few(ctx, model, nw, w, re, im);
    response f = {.n = model->n, .nin = model->nin, .nout = model->nout};
    f.arena = flx_arena_create(ctx);
    flx_status status = f.arena ? prepare(&f, model) : FLX_ERR_MEMORY;
    size_t step = (size_t)f.nin * (size_t)f.nout;
    for (int k = 0; status == FLX_OK && k < nw; k++) {
        double complex s = flx_complex(0.0, w[k]);
        status = solve(&f, s);
        if (status == FLX_SINGULAR) status = refuse_pole(ctx, w[k]);
        if (status == FLX_OK)
            put_outputs(&f, model, s, re + (size_t)k * step, im + (size_t)k * step);
    }
    flx_arena_destroy(&f.arena);
    return status;
}
