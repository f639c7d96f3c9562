// elastic_moments.c - the parts of a flexible body's numbers that are products of its fields. With the
// places a_0 = X and the shapes a_k, and G_kl = int a_k a_l^T over the mass:
//
//     J(a, b) = int 2 a.b I - a b^T - b a^T,   N(a, b) = int a x b                                (MSH-3)
//     J1_k = J(X, a_k),   J2_kl = J(a_k, a_l),   N1_kl = N(a_k, a_l)
#include "math/blas.h"
#include "reduce/elastic.h"
#include "reduce/inertia.h"

// Entry (r, c) of int a_k a_l^T.
static double moment(const double *G, int nf, int k, int l, int r, int c)
{
    return G[(size_t)(3 * k + r) * (size_t)nf + (size_t)(3 * l + c)];
}

static void set_inertia(const double *G, int nf, int k, int l, double out[6])
{
    double dot = 0;
    for (int i = 0; i < 3; i++) dot += moment(G, nf, k, l, i, i);
    for (int i = 0; i < 6; i++) {
        int r = flx_inertia_pair[i][0], c = flx_inertia_pair[i][1];
        out[i] = (r == c ? 2 * dot : 0) - moment(G, nf, k, l, r, c) - moment(G, nf, l, k, r, c);
    }
}

static void set_cross(const double *G, int nf, int k, int l, double out[3])
{
    for (int i = 0; i < 3; i++) {
        int r = (i + 1) % 3, c = (i + 2) % 3;
        out[i] = moment(G, nf, k, l, r, c) - moment(G, nf, k, l, c, r);
    }
}

flx_status flx_elastic_set_moments(flx_ctx *ctx, flx_elastic *e, int rows, const double *F,
                                   const double *Y)
{
    int n = e->n, nf = 3 * (n + 1);
    double *G = flx_alloc(ctx, (size_t)nf * (size_t)nf, sizeof *G);
    if (!G) return FLX_ERR_MEMORY;
    FLX_ONE_THREAD cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, nf, nf, rows, 1.0, F, nf, Y,
                               nf, 0.0, G, nf);
    for (int k = 0; k < n; k++) {
        set_inertia(G, nf, 0, k + 1, e->J1 + 6 * (size_t)k);
        for (int l = 0; l < n; l++) {
            size_t kl = (size_t)(k * n + l);
            set_inertia(G, nf, k + 1, l + 1, e->J2 + 6 * kl);
            set_cross(G, nf, k + 1, l + 1, e->N1 + 3 * kl);
        }
    }
    flx_free(G);
    return FLX_OK;
}
