// elastic_change.c - what a model changes in the numbers of a flexible body: damping, stiffening.
#include "math/blas.h"
#include "reduce/elastic.h"
#include "reduce/inertia.h"

#include <math.h>
#include <string.h>

// D += M Y diag(2 ratio omega) Y^T M with the modes Y of K and M, Y^T M Y = I; ratio NULL: y^T S y/(2 omega^2) of each, half
// of its loss factor.
static flx_status damp(flx_ctx *ctx, flx_elastic *e, int n, const double *ratio, const double *S)
{
    int m = e->n;
    size_t size = (size_t)m * (size_t)m;
    double *Y = flx_alloc(ctx, 3 * size + (size_t)m, sizeof *Y);
    if (!Y) return FLX_ERR_MEMORY;
    double *B = Y + size, *MY = B + size, *omega2 = MY + size;
    memcpy(Y, e->K, size * sizeof *Y);
    memcpy(B, e->M, size * sizeof *B);
    lapack_int info = 0;
    FLX_ONE_THREAD info = LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'V', 'U', m, Y, m, B, m, omega2);
    if (info != 0) {
        flx_free(Y);
        return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the masses of a flexible body are not positive: it has no modes");
    }
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < m; k++) {
            double sum = 0.0;
            for (int j = 0; j < m; j++) sum += e->M[i * m + j] * Y[j * m + k];
            MY[i * m + k] = sum;
        }
    }
    double *c = B; // 2 ratio omega
    for (int k = 0; k < m; k++) {
        double omega = sqrt(fmax(0.0, omega2[k])), lost = 0;
        for (int i = 0; i < m && S; i++) {
            for (int j = 0; j < m; j++) lost += Y[i * m + k] * S[i * m + j] * Y[j * m + k];
        }
        c[k] = ratio ? 2.0 * ratio[n == 1 ? 0 : k] * omega : omega > 0 ? lost / omega : 0;
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double sum = 0.0;
            for (int k = 0; k < m; k++) sum += c[k] * MY[i * m + k] * MY[j * m + k];
            e->D[i * m + j] += sum;
        }
    }
    flx_free(Y);
    return FLX_OK;
}

flx_status flx_elastic_damp(flx_ctx *ctx, flx_elastic *e, int n, const double *ratio)
{
    return damp(ctx, e, n, ratio, NULL);
}

flx_status flx_elastic_damp_by_loss(flx_ctx *ctx, flx_elastic *e, const double *S)
{
    return damp(ctx, e, 0, NULL, S);
}

// int Phi_k,a Phi_l,b over the mass: its part of M_kl as the nodes move along a and b.
static double shared(const flx_elastic *e, int k, int l, int a, int b)
{
    double ab = 0.0, all = 0.0;
    for (int i = 0; i < e->nnode; i++) {
        const double *x = e->nodes[i].phi + 3 * k, *y = e->nodes[i].phi + 3 * l;
        ab += x[a] * y[b];
        all += x[0] * y[0] + x[1] * y[1] + x[2] * y[2];
    }
    return all != 0.0 ? e->M[k * e->n + l] * ab / all : 0.0;
}

flx_status flx_elastic_soften(flx_ctx *ctx, const flx_sid *sid, flx_loc loc, flx_elastic *e)
{
    int n = e->n;
    if (!e->stiffened) return FLX_OK;
    bool told = sid->Gr.m1 != NULL;
    flx_sid_order order = flx_sid_find_order(sid);
    if (!told) {
        flx_ctx_warn(
            ctx, loc,
            "the data do not say how much of 'Oe' is stiffening: what is inertia is judged "
            "from the directions in which the nodes move");
    }
    for (int k = 0; k < n; k++) {
        for (int l = 0; l < n; l++) {
            for (int i = 0; e->J2 && i < 6; i++) {
                int a = flx_inertia_pair[i][0], b = flx_inertia_pair[i][1];
                double *J2 = e->J2 + 6 * (k * n + l) + i;
                if (told) {
                    *J2 = 0.5 * (flx_taylor_m1(&sid->Gr, a, k, flx_sid_column(sid, order, b, l)) +
                                 flx_taylor_m1(&sid->Gr, b, k, flx_sid_column(sid, order, a, l)));
                    continue;
                }
                *J2 = (a == b ? 2.0 * e->M[k * n + l] : 0.0) - shared(e, k, l, a, b) -
                      shared(e, k, l, b, a);
            }
            if (!e->N1 || l > k) continue;
            for (int i = 0; i < 3; i++) { // stiffening is symmetric in the two coordinates
                double *x = e->N1 + 3 * (k * n + l) + i, *y = e->N1 + 3 * (l * n + k) + i;
                double half = 0.5 * (*x - *y);
                *x = half, *y = -half;
            }
        }
    }
    e->S2 = NULL;
    for (int i = 0; i < e->nnode; i++) e->nodes[i].phi2 = e->nodes[i].psi2 = NULL;
    e->stiffened = false;
    return FLX_OK;
}
