// basis_krylov.c - Krylov's spaces of the loads at some frequencies: the responses of the undamped body and their
// derivatives there are matched, twice as many as there are blocks, for inputs and outputs are the same ports.
//
//     x_1 = (K - w^2 M)^-1 B,   x_j+1 = (K - w^2 M)^-1 M x_j                                      (RED-9)
#include "reduce/bases.h"

#include <math.h>
#include <string.h>

// Away from resonances, where the body has no response.
static double move_shift(const flx_ritz *r, double w2)
{
    for (int k = 0; k < r->m; k++) {
        if (fabs(r->model.L[k] - w2) < 1e-6 * r->model.L[k]) return r->model.L[k] * (1 + 1e-6);
    }
    return w2;
}

// The blocks of one shift, orthonormal, every one before the next is made.
static flx_status add_shift(const flx_ritz *r, double w2, int blocks, flx_ritz_choice *own)
{
    int m = r->m, p = r->model.p, k = p;
    const double *L = r->model.L;
    double *X = flx_alloc(r->ports.ctx, (size_t)m * (size_t)p, sizeof *X);
    if (!X) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    for (int i = 0; i < m * p; i++) X[i] = r->model.b[i] * sqrt(L[i % m]) / (L[i % m] - w2);
    for (int j = 0; j < blocks && status == FLX_OK && k > 0; j++) {
        int first = own->count;
        status = flx_ritz_choice_add(own, k, X, 1e-10);
        k = own->count - first;
        const double *U = own->U + (size_t)first * (size_t)m;
        for (int i = 0; i < m * k; i++) X[i] = U[i] / (L[i % m] - w2);
    }
    flx_free(X);
    return status;
}

flx_status flx_basis_krylov(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c)
{
    int blocks = q->b->blocks > 0 ? q->b->blocks : 2, shifts = q->b->nshift > 0 ? q->b->nshift : 1;
    FLX_TRY(flx_ritz_choice_init(r, -1, c));
    for (int i = 0; i < shifts; i++) {
        double w = q->b->nshift > 0 ? 2 * FLX_PI * q->b->shifts[i] : 0;
        flx_ritz_choice own;
        FLX_TRY(flx_ritz_choice_init(r, -1, &own));
        flx_status status = add_shift(r, move_shift(r, w * w), blocks, &own);
        if (status == FLX_OK) status = flx_ritz_choice_add(c, own.count, own.U, 1e-10);
        flx_ritz_choice_clear(&own);
        FLX_TRY(status);
    }
    return FLX_OK;
}
