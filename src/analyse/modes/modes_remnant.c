// modes_remnant.c - slow eigenvalues beside those that are proven to be zero.
//
// Where zeros are proven, their motions Y1 are known to be invariant, and with Y = (Y1, Y2) P has the others
// as the eigenvalues of Y2^T P Y2. Rounding that only moves along Y1 does not change them: one that meets a
// chain of zeros keeps its digits, where the eigenvalues of T on all of Y would be spread by rounding.
#include "analyse/modes/modes_parts.h"
#include "math/eigen.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define MOST 24       // of the others: when there are more, slices go on
#define ROUNDING 50.0 // of the estimate
#define TURNS 3       // signs of rounding that are tried

// A (nr x nc) = a block of P (d x d).
static void pick(const flx_remnant *r, int row, int nr, int col, int nc, double *A)
{
    for (int j = 0; j < nc; j++) {
        const double *from = r->P + (size_t)(col + j) * (size_t)r->d + row;
        memcpy(A + (size_t)j * (size_t)nr, from, (size_t)nr * sizeof *A);
    }
}

static void put(const flx_remnant *r, int row, int nr, int col, int nc, const double *A, double *to)
{
    for (int j = 0; j < nc; j++) {
        double *at = to + (size_t)(col + j) * (size_t)r->d + row;
        memcpy(at, A + (size_t)j * (size_t)nr, (size_t)nr * sizeof *A);
    }
}

// s = shift p / (p - 1).
static void find_rates(int n, double shift, const double *re, const double *im, double *sr,
                       double *si)
{
    for (int i = 0; i < n; i++) {
        double below = re[i] - 1.0, size = below * below + im[i] * im[i];
        sr[i] = shift * (re[i] * below + im[i] * im[i]) / size;
        si[i] = im[i] == 0.0 ? 0.0 : -shift * im[i] / size;
    }
}

// A (e x e) += Y2^T of what rounding of Q0 makes of P Y2.
static flx_status add_rounding(flx_search *f, const flx_remnant *r, int turn, double *A)
{
    int m = f->w.m, e = r->d - r->n, first = f->q.nv + f->q.nx, n = f->q.n;
    const double *Y = r->Y + (size_t)r->n * (size_t)m;
    double *D = flx_search_take(f, m, e), *C = flx_search_take(f, e, e);
    double *z = flx_search_take(f, n, 2);
    if (!D || !C || !z) return FLX_ERR_MEMORY;
    double *b = z + n;
    for (int j = 0; j < e; j++) {
        double *to = D + (size_t)j * (size_t)m;
        for (int i = 0; i < first; i++) z[i] = Y[(size_t)j * (size_t)m + (size_t)i] * f->w.unit[i];
        flx_shift_rounding(&f->w, z, 0.0, b);
        for (int i = 0; i < n; i++) b[i] *= (i * 7919 + 5 * turn) % 13 < 6 ? -ROUNDING : ROUNDING;
        flx_quadratic_solve(&f->q, b);
        for (int i = 0; i < first; i++) to[i] = b[i] / f->q.ease[i];
        memcpy(to + first, to, (size_t)f->q.nv * sizeof *to);
    }
    flx_dense_multiply(true, false, e, e, m, Y, D, C);
    for (int i = 0; i < e * e; i++) A[i] += C[i];
    return FLX_OK;
}

// The largest change of one of the others by rounding, in parts of itself.
static flx_status find_error(flx_search *f, flx_remnant *r)
{
    int n = r->n, e = r->d - n;
    double *A = flx_search_take(f, e, e), *V = flx_search_take(f, e, e);
    double *re = flx_search_take(f, e, 4);
    if (!A || !V || !re) return FLX_ERR_MEMORY;
    double *im = re + e, *sr = im + e, *si = sr + e;
    r->error = 0.0;
    for (int turn = 0; turn < TURNS; turn++) {
        pick(r, n, e, n, e, A);
        FLX_TRY(add_rounding(f, r, turn, A));
        FLX_TRY(flx_dense_schur(f->ctx, e, A, re, im, V));
        find_rates(e, r->shift, re, im, sr, si);
        for (int i = 0; i < e; i++) {
            double nearest = HUGE_VAL, size = hypot(r->sr[n + i], r->si[n + i]);
            for (int j = 0; j < e; j++) {
                nearest = fmin(nearest, hypot(sr[j] - r->sr[n + i], si[j] - r->si[n + i]));
            }
            r->error = fmax(r->error, size > 0.0 ? nearest / size : HUGE_VAL);
        }
    }
    return FLX_OK;
}

flx_status flx_modes_find_remnant(flx_search *f, flx_remnant *r)
{
    int d = r->d, n = r->n, e = d - n;
    r->error = HUGE_VAL;
    r->shift = f->q.shift;
    r->within = f->out->within;
    if (n == 0 || e == 0 || e > MOST) return FLX_OK;
    double *A = flx_search_take(f, n, n), *U = flx_search_take(f, n, n);
    double *B = flx_search_take(f, e, e), *V = flx_search_take(f, e, e);
    double *C = flx_search_take(f, n, e), *CV = flx_search_take(f, n, e);
    double *re = flx_search_take(f, d, 2);
    r->S = flx_search_take(f, d, d);
    r->V = flx_search_take(f, d, d);
    r->sr = flx_search_take(f, d, 2);
    if (!A || !U || !B || !V || !C || !CV || !re || !r->S || !r->V || !r->sr) return FLX_ERR_MEMORY;
    r->si = r->sr + d;
    pick(r, 0, n, 0, n, A);
    pick(r, n, e, n, e, B);
    pick(r, 0, n, n, e, C);
    FLX_TRY(flx_dense_schur(f->ctx, n, A, re, re + d, U));
    FLX_TRY(flx_dense_schur(f->ctx, e, B, re + n, re + d + n, V));
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) A[j * n + i] = 0.0; // as was proven
    }
    flx_dense_multiply(false, false, n, e, e, C, V, CV);
    flx_dense_multiply(true, false, n, e, n, U, CV, C);
    put(r, 0, n, 0, n, A, r->S);
    put(r, 0, n, n, e, C, r->S);
    put(r, n, e, n, e, B, r->S);
    put(r, 0, n, 0, n, U, r->V);
    put(r, n, e, n, e, V, r->V);
    find_rates(e, r->shift, re + n, re + d + n, r->sr + n, r->si + n);
    return find_error(f, r);
}
