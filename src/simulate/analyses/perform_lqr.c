// perform_lqr.c - analyses of type lqr: gains of least cost, with the poles of the loop.
#include "base/number.h"
#include "flexion/control.h"
#include "simulate/analyses/find_gains.h"

#include <string.h>

static flx_status find(flx_gains *g)
{
    const flx_gain_keys *k = g->keys;
    int n = g->m.n, m = g->m.nin;
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)m;
    FLX_TRY(flx_gains_check(g, false));
    g->work = flx_alloc(g->sim->ctx, 3 * nn + 2 * nm, sizeof *g->work);
    if (!g->work) return FLX_ERR_MEMORY;
    double *K = g->work, *P = K + nm, *A = P + nn, *B = A + nn, *F = B + nm;
    FLX_TRY(flx_lqr_find(g->sim->ctx, n, m, g->m.A, g->m.B, k->of_states, k->of_inputs, k->sample,
                         K, P));
    memcpy(A, g->m.A, nn * sizeof *A);
    memcpy(B, g->m.B, nm * sizeof *B);
    if (k->sample > 0.0)
        FLX_TRY(flx_sample_linear(g->sim->ctx, n, m, g->m.A, g->m.B, k->sample, A, B));
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            F[i * n + j] = A[i * n + j];
            for (int c = 0; c < m; c++) F[i * n + j] -= B[i * m + c] * K[c * n + j];
        }
    }
    for (int c = 0; c < m; c++) {
        char line[700];
        size_t used = (size_t)flx_snprintf(line, sizeof line, "%s = -(", g->io.inputs[c]);
        for (int j = 0; j < n && used + 80 < sizeof line; j++) {
            used += (size_t)flx_snprintf(line + used, sizeof line - used, "%s%.6g*%.40s",
                                         j > 0 ? " + " : "", K[c * n + j], g->m.states[j].item);
        }
        FLX_TRY(flx_finding_line(g->sim, g->out, "%s), of changes from the state of the analysis",
                                 line));
    }
    FLX_TRY(flx_gains_poles(g, F));
    FLX_TRY(flx_gains_matrix(g, "gains", m, n, K));
    FLX_TRY(flx_gains_matrix(g, "P", n, n, P));
    FLX_TRY(flx_gains_matrix(g, "A", n, n, A));
    return flx_gains_matrix(g, "B", n, m, B);
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    flx_gains g;
    flx_status status = flx_gains_begin(t, out, &g);
    if (status == FLX_OK) status = find(&g);
    flx_gains_end(&g);
    return status;
}

const flx_analysis_performer flx_performer_LQR = {.settled = true, .perform = perform};
