// linear_zeros.c - zeros of a linear model: the poles that are left when the inputs hold the outputs (flexion/linear.h).
//
//     E s' = F s,   s = (z, u):   z' = A z + B u,   0 = C z + D u + D1 u' + D2 u''          (STATE-5)
//
// is brought to an E that can be inverted, as modes are (MODE-4): infinite eigenvalues are gone before the finite ones are
// sought.
#include "analyse/linear/linear_dense.h"
#include "analyse/modes/pencil_parts.h"
#include "base/number.h"
#include "base/refuse.h"
#include "math/dense.h"
#include "math/riccati/balance.h"

#include <math.h>
#include <string.h>

#define PLACES 6       // frequencies at which responses are looked at,
#define FIRST 0.71     // ... the first in parts of the fastest rate, each a tenth of the one before
#define DEPENDENT 1e-9 // singular values of responses that are none: slopes have some ten digits

typedef struct zeros {
    flx_ctx *ctx;
    flx_arena *arena;
    const flx_linear_model *m;
    int nio; // inputs, and as many outputs
    const int *inputs, *outputs;
    int n;         // of the pencil
    double rate;   // the unit of rates
    double *unit;  // (model's n) of states
    double *E, *F; // (n x n) column-major
} zeros;

// Sizes of the column of an input in the rows of states, and of the row of an output.
static double column_size(const zeros *f, int k)
{
    const flx_linear_model *m = f->m;
    double size = 0.0;
    for (int i = 0; i < m->n; i++)
        size = fmax(size, fabs(m->B[i * m->nin + f->inputs[k]]) / f->unit[i] / f->rate);
    return size > 0.0 ? size : 1.0;
}

static double row_size(const zeros *f, int k, const double *of_input)
{
    const flx_linear_model *m = f->m;
    double size = 0.0;
    for (int j = 0; j < m->n; j++)
        size = fmax(size, fabs(m->C[f->outputs[k] * m->n + j]) * f->unit[j]);
    for (int j = 0; j < f->nio; j++)
        size = fmax(size, fabs(m->D[f->outputs[k] * m->nin + f->inputs[j]]) / of_input[j]);
    return size > 0.0 ? size : 1.0;
}

static double entry(const zeros *f, const double *D, int k, int j)
{
    return D ? D[f->outputs[k] * f->m->nin + f->inputs[j]] : 0.0;
}

// Unknowns z, u and, where their curvatures count, r = u'; time in parts of 1/rate.
static flx_status fill(zeros *f)
{
    const flx_linear_model *m = f->m;
    int nz = m->n, nio = f->nio, curved = m->D2 ? nio : 0, n = f->n = nz + nio + curved;
    f->E = flx_linear_take(f->arena, n, n);
    f->F = flx_linear_take(f->arena, n, n);
    double *input = flx_linear_take(f->arena, nio, 1);
    if (!f->E || !f->F || !input) return FLX_ERR_MEMORY;
    double *E = f->E, *F = f->F, rate = f->rate;
    for (int k = 0; k < nio; k++) input[k] = column_size(f, k);
    for (int i = 0; i < nz; i++) {
        E[i * n + i] = 1.0;
        for (int j = 0; j < nz; j++)
            F[j * n + i] = m->A[i * nz + j] * f->unit[j] / f->unit[i] / rate;
        for (int k = 0; k < nio; k++)
            F[(nz + k) * n + i] = m->B[i * m->nin + f->inputs[k]] / f->unit[i] / rate / input[k];
    }
    for (int k = 0; k < nio; k++) {
        double size = row_size(f, k, input);
        int row = nz + k;
        for (int j = 0; j < nz; j++)
            F[j * n + row] = -m->C[f->outputs[k] * nz + j] * f->unit[j] / size;
        for (int j = 0; j < nio; j++) {
            double by = 1.0 / (size * input[j]);
            F[(nz + j) * n + row] = -entry(f, m->D, k, j) * by;
            if (!curved) {
                E[(nz + j) * n + row] = entry(f, m->D1, k, j) * by * rate;
            } else {
                F[(nz + nio + j) * n + row] = -entry(f, m->D1, k, j) * by * rate;
                E[(nz + nio + j) * n + row] = entry(f, m->D2, k, j) * by * rate * rate;
            }
        }
    }
    for (int k = 0; k < curved; k++) { // u' = r
        E[(nz + k) * n + nz + nio + k] = 1.0;
        F[(nz + nio + k) * n + nz + nio + k] = 1.0;
    }
    return FLX_OK;
}

static flx_status refuse(const zeros *f)
{
    return FLX_FAIL(f->ctx, FLX_SINGULAR, FLX_NOWHERE,
                    f->nio == 1 ? "the input does not reach the output: there are no zeros"
                                : "the outputs do not determine the %d inputs: two inputs do the "
                                  "same to them, or one is not reached",
                    f->nio);
}

// Rows and columns of G (n x n) are as large as each other, whatever their units.
static void equilibrate(int n, double *G)
{
    for (int k = 0; k < 2 * PLACES; k++) {
        for (int i = 0; i < n; i++) {
            int first = k % 2 ? i : i * n, stride = k % 2 ? n : 1;
            double size = 0.0;
            for (int j = 0; j < n; j++) size = fmax(size, fabs(G[first + j * stride]));
            for (int j = 0; size > 0.0 && j < n; j++) G[first + j * stride] /= size;
        }
    }
}

// Whether responses depend on each other at every frequency: then there is nothing that the outputs determine, and what rounding
// leaves of it has zeros anywhere. In real numbers, twice as large.
static flx_status find_dependent(zeros *f, bool *dependent)
{
    const flx_linear_model *m = f->m;
    int nio = f->nio, n = 2 * nio;
    size_t all = (size_t)m->nin * (size_t)m->nout;
    double *re = flx_arena_take(f->arena, 2 * all, sizeof *re), *im = re + all;
    double *G = flx_linear_take(f->arena, n, n), *V = flx_linear_take(f->arena, n, n);
    double *w = flx_linear_take(f->arena, n, 1), at = FIRST * f->rate;
    if (!re || !G || !V || !w) return FLX_ERR_MEMORY;
    *dependent = nio > 1;
    for (int k = 0; k < PLACES && *dependent; k++, at *= 0.1) {
        int told = flx_ctx_error_count(f->ctx);
        flx_status status = flx_linear_respond(f->ctx, m, 1, &at, re, im);
        if (status == FLX_SINGULAR) { // a pole
            flx_ctx_forget_errors(f->ctx, told);
            continue;
        }
        FLX_TRY(status);
        for (int i = 0; i < nio; i++) {
            for (int j = 0; j < nio; j++) {
                int from = f->outputs[i] * m->nin + f->inputs[j];
                G[j * n + i] = G[(nio + j) * n + nio + i] = re[from];
                G[j * n + nio + i] = im[from];
                G[(nio + j) * n + i] = -im[from];
            }
        }
        equilibrate(n, G);
        FLX_TRY(flx_dense_svd(f->ctx, n, n, G, w, NULL, V));
        *dependent = !(w[n - 1] > DEPENDENT * w[0]);
    }
    return FLX_OK;
}

static flx_status solve(zeros *f, int *nzero, double *re, double *im)
{
    const flx_linearised l = {.ctx = f->ctx, .arena = f->arena};
    double *T = flx_linear_take(f->arena, 1, f->n); // nothing is asked of the directions
    if (!T) return FLX_ERR_MEMORY;
    flx_pencil p = {.n = f->n, .E = f->E, .F = f->F, .nout = 1, .T = T};
    flx_status status = flx_pencil_make_regular(&l, &p);
    if (status == FLX_SINGULAR) return refuse(f);
    FLX_TRY(status);
    FLX_TRY(flx_dense_solve(f->ctx, p.n, p.n, p.E, p.F));
    FLX_TRY(flx_dense_eigenvalues(f->ctx, p.n, p.F, re, im));
    *nzero = p.n;
    for (int i = 0; i < p.n; i++) {
        re[i] *= f->rate;
        im[i] *= f->rate;
    }
    return FLX_OK;
}

// From the left to the right of the plane.
static void sort(int n, double *re, double *im)
{
    for (int i = 1; i < n; i++) {
        for (int j = i; j > 0; j--) {
            bool later = re[j - 1] > re[j] || (re[j - 1] == re[j] && im[j - 1] < im[j]);
            if (!later) break;
            double r = re[j], s = im[j];
            re[j] = re[j - 1];
            im[j] = im[j - 1];
            re[j - 1] = r;
            im[j - 1] = s;
        }
    }
}

flx_status flx_linear_find_zeros(flx_ctx *ctx, const flx_linear_model *model, int n,
                                 const int *inputs, const int *outputs, int *nzero, double *re,
                                 double *im)
{
    if (!ctx || !model || !nzero || !re || !im) return flx_refuse_null(ctx, __func__);
    if (inputs && n < 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "%d inputs and outputs are named", n);
    }
    zeros f = {.ctx = ctx, .m = model, .nio = inputs ? n : model->nin, .arena = NULL};
    *nzero = 0;
    for (int k = 0; inputs && outputs && k < n; k++) {
        if (inputs[k] >= 0 && inputs[k] < model->nin && outputs[k] >= 0 && outputs[k] < model->nout)
            continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the model has no input %d, or no output %d", inputs[k], outputs[k]);
    }
    if ((!inputs || !outputs) && model->nin != model->nout) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "a system with %d inputs and %d outputs has no zeros of its own: ask for "
                        "pairs of one input and one output",
                        model->nin, model->nout);
    }
    f.arena = flx_arena_create(ctx);
    int *all = f.arena ? flx_arena_take(f.arena, (size_t)f.nio, sizeof *all) : NULL;
    if (!all) {
        flx_arena_destroy(&f.arena);
        return FLX_ERR_MEMORY;
    }
    for (int k = 0; k < f.nio; k++) all[k] = k;
    f.inputs = inputs && outputs ? inputs : all;
    f.outputs = inputs && outputs ? outputs : all;
    f.unit = flx_linear_take(f.arena, model->n, 1);
    flx_status status =
        f.unit ? flx_balance_find(ctx, model->n, model->A, true, f.unit, &f.rate) : FLX_ERR_MEMORY;
    if (f.rate == 0.0) f.rate = 1.0;
    if (status == FLX_OK) status = fill(&f);
    double *r = flx_linear_take(f.arena, f.n, 1), *s = flx_linear_take(f.arena, f.n, 1);
    bool dependent = false;
    if (status == FLX_OK) status = find_dependent(&f, &dependent);
    if (status == FLX_OK && dependent) status = refuse(&f);
    if (status == FLX_OK) status = r && s ? solve(&f, nzero, r, s) : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        sort(*nzero, r, s);
        memcpy(re, r, (size_t)*nzero * sizeof *re);
        memcpy(im, s, (size_t)*nzero * sizeof *im);
    }
    flx_arena_destroy(&f.arena);
    return status;
}
