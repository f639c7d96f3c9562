// perform_lqr.c - analyses of type lqr: gains of least cost, with the poles of the loop.
#include "base/number.h"
#include "flexion/control.h"
#include "simulate/analyses/along/linear_series.h"
#include "simulate/analyses/find_gains.h"

#include <string.h>

// A term that has no room is left out, and so are those behind it, which is told.
static flx_status tell_row(flx_gains *g, int c, const double *K)
{
    char line[700];
    int n = g->m.n, j = 0;
    size_t used = (size_t)flx_snprintf(line, sizeof line, "%.200s = -(", g->io.inputs[c]);
    for (; j < n && used + strlen(g->m.states[j].item) + 30 < sizeof line; j++) {
        used += (size_t)flx_snprintf(line + used, sizeof line - used, "%s%.6g*%s",
                                     j > 0 ? " + " : "", K[j], g->m.states[j].item);
    }
    return flx_finding_line(g->sim, g->out, "%s%s), of changes from the state of the analysis",
                            line, j < n ? " + ..." : "");
}

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
    for (int c = 0; c < m; c++) FLX_TRY(tell_row(g, c, K + c * n));
    FLX_TRY(flx_gains_poles(g, F));
    FLX_TRY(flx_gains_matrix(g, "gains", m, n, K));
    FLX_TRY(flx_gains_matrix(g, "P", n, n, P));
    FLX_TRY(flx_gains_matrix(g, "A", n, n, A));
    return flx_gains_matrix(g, "B", n, m, B);
}

// ---- along the run ------------------------------------------------------------------------------------

// The cost from the last state on: as given, or that of the steady regulator there.
static flx_status find_end(flx_task *t, const flx_linear_series *s, double *out)
{
    const flx_gain_keys *k = t->a->own;
    size_t nn = (size_t)s->n * (size_t)s->n, nm = (size_t)s->n * (size_t)s->nin;
    size_t last = (size_t)s->nt - 1;
    if (k->end) memcpy(out, k->end, nn * sizeof *out);
    if (!k->steady_end) return FLX_OK;
    double *K = flx_alloc(t->sim->ctx, nm, sizeof *K);
    if (!K) return FLX_ERR_MEMORY;
    flx_status status = flx_lqr_find(t->sim->ctx, s->n, s->nin, s->A + last * nn, s->B + last * nm,
                                     k->of_states, k->of_inputs, k->sample, K, out);
    flx_free(K);
    return status;
}

static flx_status put_gains(flx_task *t, flx_finding *out, const flx_linear_series *s,
                            const double *K, const double *P)
{
    flx_simulation *sim = t->sim;
    int n = s->n, m = s->nin, ncolumn = 1 + m * n + n + m + n * n;
    flx_finding_table *table = flx_finding_add_table(sim, out, "gains", s->nt, ncolumn);
    if (!table) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(sim, out, table, 0, "t", "s"));
    for (int k = 0; k < s->nt; k++) table->values[(size_t)k * (size_t)ncolumn] = s->t[k];
    FLX_TRY(flx_linear_series_put(sim, out, table, 1, "gains", m, n, K));
    FLX_TRY(flx_linear_series_put(sim, out, table, 1 + m * n, "states_at", 1, n, s->states_at));
    FLX_TRY(flx_linear_series_put(sim, out, table, 1 + m * n + n, "inputs_at", 1, m, s->inputs_at));
    FLX_TRY(flx_linear_series_put(sim, out, table, 1 + m * n + n + m, "P", n, n, P));
    return flx_finding_line(
        sim, out,
        "gains at %d times from t = %.6g to %.6g, of changes from the motion of "
        "the run; beyond the end the last ones hold",
        s->nt, s->t[0], s->t[s->nt - 1]);
}

static flx_status find_along(flx_task *t, flx_finding *out)
{
    const flx_gain_keys *k = t->a->own;
    flx_linear_series s;
    double *K = NULL;
    flx_status status = flx_linear_series_find(t, &k->io, &k->way, &s);
    size_t nn = (size_t)s.n * (size_t)s.n, nm = (size_t)s.n * (size_t)s.nin, nt = (size_t)s.nt;
    if (status == FLX_OK) {
        K = flx_alloc(t->sim->ctx, nt * (nm + nn) + nn, sizeof *K);
        if (!K) status = FLX_ERR_MEMORY;
    }
    double *P = K + nt * nm, *end = P + nt * nn;
    if (status == FLX_OK) status = find_end(t, &s, end);
    const flx_lqr_motion motion = {.n = s.n,
                                   .m = s.nin,
                                   .nt = s.nt,
                                   .t = s.t,
                                   .A = s.A,
                                   .B = s.B,
                                   .Q = k->of_states,
                                   .R = k->of_inputs,
                                   .end = end,
                                   .sample = k->sample};
    if (status == FLX_OK) status = flx_lqr_along(t->sim->ctx, &motion, K, P);
    if (status == FLX_OK) status = put_gains(t, out, &s, K, P);
    flx_free(K);
    flx_linear_series_clear(&s);
    return status;
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    flx_gains g;
    if (((const flx_gain_keys *)t->a->own)->way.every > 0.0) return find_along(t, out);
    flx_status status = flx_gains_begin(t, out, &g);
    if (status == FLX_OK) status = find(&g);
    flx_gains_end(&g);
    return status;
}

const flx_analysis_performer flx_performer_LQR = {.settled = true, .perform = perform};
