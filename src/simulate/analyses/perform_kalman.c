// perform_kalman.c - analyses of type kalman: gains of the steady filter, with the poles of its error.
#include "flexion/control.h"
#include "simulate/analyses/find_gains.h"

#include <string.h>

static flx_status find(flx_gains *g)
{
    const flx_gain_keys *k = g->keys;
    int n = g->m.n, m = g->m.nin, ny = g->m.nout;
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m, ny_n = (size_t)ny * (size_t)n;
    FLX_TRY(flx_gains_check(g, true));
    g->work = flx_alloc(g->sim->ctx, 5 * nn + nm + ny_n, sizeof *g->work);
    if (!g->work) return FLX_ERR_MEMORY;
    double *L = g->work, *P = L + ny_n, *W = P + nn, *A = W + nn, *F = A + nn, *G = F + nn,
           *B = G + nn;
    memset(W, 0, nn * sizeof *W);
    if (k->of_states) memcpy(W, k->of_states, nn * sizeof *W);
    for (int i = 0; k->of_inputs && i < n; i++) { // B Wu B^T
        for (int j = 0; j < n; j++) {
            for (int c = 0; c < m; c++) {
                for (int d = 0; d < m; d++) {
                    W[i * n + j] += g->m.B[i * m + c] * k->of_inputs[c * m + d] * g->m.B[j * m + d];
                }
            }
        }
    }
    FLX_TRY(flx_kalman_find(g->sim->ctx, n, ny, g->m.A, g->m.C, W, k->measured, k->sample, L, P));
    memcpy(A, g->m.A, nn * sizeof *A);
    memcpy(B, g->m.B, nm * sizeof *B);
    if (k->sample > 0.0)
        FLX_TRY(flx_sample_linear(g->sim->ctx, n, m, g->m.A, g->m.B, k->sample, A, B));
    for (int i = 0; i < n; i++) { // continuous A - L C; of samples (1 - L C) Ad
        for (int j = 0; j < n; j++) {
            G[i * n + j] = k->sample > 0.0 ? i == j : A[i * n + j];
            for (int c = 0; c < ny; c++) G[i * n + j] -= L[i * ny + c] * g->m.C[c * n + j];
        }
    }
    memcpy(F, G, nn * sizeof *F);
    for (int i = 0; k->sample > 0.0 && i < n; i++) {
        for (int j = 0; j < n; j++) {
            F[i * n + j] = 0.0;
            for (int c = 0; c < n; c++) F[i * n + j] += G[i * n + c] * A[c * n + j];
        }
    }
    FLX_TRY(flx_gains_poles(g, F));
    FLX_TRY(flx_gains_matrix(g, "gains", n, ny, L));
    FLX_TRY(flx_gains_matrix(g, "P", n, n, P));
    FLX_TRY(flx_gains_matrix(g, "A", n, n, A));
    FLX_TRY(flx_gains_matrix(g, "B", n, m, B));
    return flx_gains_matrix(g, "C", ny, n, g->m.C);
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    flx_gains g;
    flx_status status = flx_gains_begin(t, out, &g);
    if (status == FLX_OK) status = find(&g);
    flx_gains_end(&g);
    return status;
}

const flx_analysis_performer flx_performer_KALMAN = {.settled = true, .perform = perform};
