// cone_dense.c - a dense W as J J^T: velocities with the mass 1, as many as its rank. Without symmetry the velocities are W lambda
// themselves.
#include "math/cone/cone_parts.h"

#include "math/blas.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void dense_rates(flx_cone *c, const double *v, double *u)
{
    if (c->nv == 0) {
        memset(u, 0, (size_t)c->m * sizeof *u);
        return;
    }
    FLX_ONE_THREAD cblas_dgemv(CblasRowMajor, CblasNoTrans, c->m, c->nv, 1, c->J, c->nv, v, 1, 0, u,
                               1);
}

static void dense_forces(flx_cone *c, const double *lam, double *p)
{
    if (c->nv == 0) return;
    FLX_ONE_THREAD cblas_dgemv(CblasRowMajor, CblasTrans, c->m, c->nv, 1, c->J, c->nv, lam, 1, 0, p,
                               1);
}

static void dense_momenta(flx_cone *c, const double *v, double *p)
{
    memcpy(p, v, (size_t)c->nv * sizeof *p);
}

static void dense_respond(flx_cone *c, double *p)
{
    (void)c, (void)p; // the mass is 1
}

// A, row-major for us, is the transpose for LAPACK.
static bool factor_matrix(flx_cone *c)
{
    lapack_int info = 0;
    FLX_ONE_THREAD info =
        LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, c->nv, c->nv, c->A, c->nv, c->pivot);
    return info == 0;
}

static bool dense_factor(flx_cone *c, const double *H)
{
    int n = c->nv;
    if (n == 0) return true;
    size_t size = (size_t)n;
    for (int k = 0; k < c->ngroup; k++) {
        const flx_cone_member *g = &c->group[k];
        for (int i = 0; i < g->n; i++) {
            double *out = c->HJ + (size_t)(g->first + i) * size;
            memset(out, 0, size * sizeof *out);
            for (int j = 0; j < g->n; j++) {
                const double h = H[9 * k + 3 * i + j], *row = c->J + (size_t)(g->first + j) * size;
                for (int l = 0; h != 0 && l < n; l++) out[l] += h * row[l];
            }
        }
    }
    FLX_ONE_THREAD cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, c->m, 1, c->J, n,
                               c->HJ, n, 0, c->A, n);
    for (int i = 0; i < n; i++) c->A[(size_t)i * (size + 1)] += 1.0;
    return factor_matrix(c);
}

static void dense_solve(flx_cone *c, double *x)
{
    if (c->nv == 0) return;
    FLX_ONE_THREAD LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, 'T', c->nv, 1, c->A, c->nv, c->pivot, x,
                                       c->nv);
}

static void dense_rates_of(flx_cone *c, int group, const double *v, double *u)
{
    const flx_cone_member *g = &c->group[group];
    for (int i = 0; i < g->n; i++) {
        const double *row = c->J + (size_t)(g->first + i) * (size_t)c->nv;
        u[i] = 0;
        for (int k = 0; k < c->nv; k++) u[i] += row[k] * v[k];
    }
}

static void dense_push(flx_cone *c, int group, const double *d, double *v)
{
    const flx_cone_member *g = &c->group[group];
    for (int i = 0; i < g->n; i++) {
        const double *row = c->J + (size_t)(g->first + i) * (size_t)c->nv;
        for (int k = 0; k < c->nv; k++) v[k] += d[i] * row[k];
    }
}

static const flx_cone_space dense_space = {
    .rates = dense_rates,
    .forces = dense_forces,
    .momenta = dense_momenta,
    .respond = dense_respond,
    .factor = dense_factor,
    .solve = dense_solve,
    .rates_of = dense_rates_of,
    .push = dense_push,
};

// ---- without symmetry: v = W lambda, J in the place of W ---------------------------------------------------

static void plain_rates(flx_cone *c, const double *v, double *u)
{
    memcpy(u, v, (size_t)c->m * sizeof *u);
}

static void plain_forces(flx_cone *c, const double *lam, double *p)
{
    FLX_ONE_THREAD cblas_dgemv(CblasRowMajor, CblasNoTrans, c->m, c->m, 1, c->J, c->m, lam, 1, 0, p,
                               1);
}

// I + W H
static bool plain_factor(flx_cone *c, const double *H)
{
    size_t m = (size_t)c->m;
    for (int l = 0; l < c->m; l++) {
        const double *w = c->J + (size_t)l * m;
        double *a = c->A + (size_t)l * m;
        for (int k = 0; k < c->ngroup; k++) {
            const flx_cone_member *g = &c->group[k];
            for (int j = 0; j < g->n; j++) {
                double sum = 0;
                for (int i = 0; i < g->n; i++) sum += w[g->first + i] * H[9 * k + 3 * i + j];
                a[g->first + j] = sum;
            }
        }
        a[l] += 1.0;
    }
    return factor_matrix(c);
}

static void plain_rates_of(flx_cone *c, int group, const double *v, double *u)
{
    const flx_cone_member *g = &c->group[group];
    for (int i = 0; i < g->n; i++) u[i] = v[g->first + i];
}

static void plain_push(flx_cone *c, int group, const double *d, double *v)
{
    const flx_cone_member *g = &c->group[group];
    for (int k = 0; k < c->m; k++) {
        for (int i = 0; i < g->n; i++)
            v[k] += c->J[(size_t)k * (size_t)c->m + (size_t)(g->first + i)] * d[i];
    }
}

static const flx_cone_space plain_space = {
    .rates = plain_rates,
    .forces = plain_forces,
    .respond = dense_respond,
    .factor = plain_factor,
    .solve = dense_solve,
    .rates_of = plain_rates_of,
    .push = plain_push,
};

flx_status flx_cone_dense(flx_cone *c, int m, const double *W)
{
    double apart = 0;
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double s = c->scale[i] * c->scale[j];
            double w = s * W[(size_t)c->row[i] * (size_t)m + (size_t)c->row[j]];
            double t = s * W[(size_t)c->row[j] * (size_t)m + (size_t)c->row[i]];
            c->J[(size_t)i * (size_t)m + (size_t)j] = w;
            c->A[(size_t)j * (size_t)m + (size_t)i] = 0.5 * (w + t);
            apart = fmax(apart, fabs(w - t));
        }
    }
    c->nv = m;
    c->space = &plain_space;
    if (apart > 1e-10) return FLX_OK;
    int rank = 0;
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', m, c->A, m, c->pivot, &rank,
                                              8 * DBL_EPSILON, c->HJ);
    if (info < 0) return FLX_NOT_FINITE;
    c->nv = rank;
    c->space = &dense_space;
    for (int i = 0; i < m; i++) {
        double *row = c->J + (size_t)(c->pivot[i] - 1) * (size_t)rank;
        for (int k = 0; k < rank; k++)
            row[k] = k <= i ? c->A[(size_t)k * (size_t)m + (size_t)i] : 0;
    }
    return FLX_OK;
}
