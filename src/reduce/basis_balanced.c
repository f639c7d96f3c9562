// basis_balanced.c - the leading directions of the Gramian of positions, over all frequencies, in the Ritz model. With
// damping d_k = alpha + beta L_k + eta sqrt(L_k) of each Ritz vector it is known in closed form:
//
//     P_ij = b_i b_j^T (d_i + d_j) / ((L_i - L_j)^2 + (d_i + d_j) (d_i L_j + d_j L_i))             (RED-10)
// One-sided, so that the body stays a body. For light damping it goes to the modes that the loads excite most.
#include "math/blas.h"
#include "math/dense.h"
#include "reduce/bases.h"

#include <math.h>

flx_status flx_basis_balanced(flx_shape_search *q, const flx_ritz *r, flx_ritz_choice *c)
{
    int m = r->m, p = r->model.p;
    const double *L = r->model.L, *b = r->model.b;
    size_t mm = (size_t)m * (size_t)m;
    double *P = flx_alloc(q->s->ctx, mm + 3 * (size_t)m, sizeof *P);
    if (!P) return FLX_ERR_MEMORY;
    double *d = P + mm, *w = d + m, *x = w + m;
    for (int k = 0; k < m; k++) {
        d[k] = r->damping.alpha + r->damping.beta * L[k] + r->damping.loss * sqrt(L[k]);
    }
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < m; j++) {
            double load = 0, both = d[i] + d[j], apart = L[i] - L[j];
            for (int k = 0; k < p; k++) load += b[k * m + i] * b[k * m + j];
            P[(size_t)i * m + j] =
                load * both / (apart * apart + both * (d[i] * L[j] + d[j] * L[i]));
        }
    }
    flx_status status = flx_dense_symmetric_eigen(q->s->ctx, m, P, w);
    if (status == FLX_OK) status = flx_ritz_choice_init(r, -1, c);
    for (int k = m - 1; k >= 0 && status == FLX_OK && w[k] > 1e-15 * w[m - 1]; k--) {
        for (int i = 0; i < m; i++) x[i] = P[(size_t)k * m + i] * sqrt(L[i]);
        status = flx_ritz_choice_add(c, 1, x, 1e-10);
    }
    flx_free(P);
    return status;
}
