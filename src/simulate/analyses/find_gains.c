// find_gains.c - what analyses of type lqr and kalman share; see find_gains.h.
#include "simulate/analyses/find_gains.h"
#include "base/number.h"
#include "math/dense.h"
#include "math/riccati/riccati.h"
#include "simulate/linear/linear_about.h"

#include <math.h>
#include <string.h>

#define MOVES 1e-6 // rates of states at the place, as a part of what A makes of states of size 1

flx_status flx_gains_matrix(flx_gains *g, const char *name, int nrow, int ncolumn,
                            const double *values)
{
    if (nrow == 0 || ncolumn == 0) return FLX_OK;
    flx_finding_table *t = flx_finding_add_matrix(g->sim, g->out, name, nrow, ncolumn);
    if (!t) return FLX_ERR_MEMORY;
    memcpy(t->values, values, (size_t)nrow * (size_t)ncolumn * sizeof *values);
    return FLX_OK;
}

// Inputs as they are at the state.
static flx_status put_inputs(flx_gains *g, const flx_state *x)
{
    const flx_model *m = g->sim->model;
    const flx_io_keys *io = &g->keys->io;
    flx_node *nodes = flx_alloc(g->sim->ctx, (size_t)io->nin, sizeof *nodes);
    flx_formulas formulas = {0};
    flx_signals signals = {0};
    flx_status status = nodes ? FLX_OK : FLX_ERR_MEMORY;
    for (int k = 0; status == FLX_OK && k < io->nin; k++) nodes[k] = m->inputs[io->inputs[k]].node;
    if (status == FLX_OK) status = flx_formulas_create(m->graph, io->nin, nodes, &formulas);
    if (status == FLX_OK) status = flx_signals_create(g->sim->ctx, &formulas, &signals);
    if (status == FLX_OK) status = flx_signals_eval(&signals, g->sim, x, 0.0);
    if (status == FLX_OK) status = flx_gains_matrix(g, "inputs_at", 1, io->nin, signals.out);
    flx_signals_clear(&signals);
    flx_formulas_clear(&formulas);
    flx_free(nodes);
    return status;
}

static flx_status put_place(flx_gains *g, const flx_state *x)
{
    const flx_io_keys *io = &g->keys->io;
    FLX_TRY(flx_signals_eval(&g->io.signals, g->sim, x, 0.0));
    FLX_TRY(flx_gains_matrix(g, "measured_at", 1, io->nout, g->io.signals.out));
    FLX_TRY(flx_gains_matrix(g, "states_at", 1, io->nstate, g->io.signals.out + io->nout));
    return put_inputs(g, x);
}

static flx_status tell_motion(flx_gains *g)
{
    const flx_linear_model *m = &g->m;
    for (int i = 0; i < m->n; i++) {
        double size = 1e-3;
        for (int j = 0; j < m->n; j++) size += fabs(m->A[i * m->n + j]);
        if (fabs(m->rate[i]) <= MOVES * size) continue;
        flx_ctx_warn(
            g->sim->ctx, g->loc,
            "'%s' is about a state that is no equilibrium: %s changes by %.4g per second there",
            g->name, m->states[i].item, m->rate[i]);
        break;
    }
    return FLX_OK;
}

flx_status flx_gains_begin(flx_task *t, flx_finding *out, flx_gains *g)
{
    const flx_gain_keys *keys = t->a->own;
    *g = (flx_gains){.sim = t->sim, .keys = keys, .out = out, .name = t->a->name, .loc = t->a->loc};
    FLX_TRY(flx_analysis_find_own_state(t));
    FLX_TRY(flx_io_signals_create(t->sim, &keys->io, &g->io));
    FLX_TRY(flx_io_signals_linear(&g->io, t->sim, t->place.own, &g->m));
    FLX_TRY(put_place(g, t->place.own));
    return tell_motion(g);
}

void flx_gains_end(flx_gains *g)
{
    flx_linear_model_clear(&g->m);
    flx_io_signals_clear(&g->io);
    flx_free(g->work);
}

flx_status flx_gains_check(flx_gains *g, bool dual)
{
    const flx_linear_model *m = &g->m;
    int n = m->n, most = 0, in = dual ? m->nout : m->nin;
    size_t nn = (size_t)n * (size_t)n, nm = (size_t)n * (size_t)in;
    double s[2] = {0, 0}, *A = flx_alloc(g->sim->ctx, nn + nm + 2 * (size_t)n, sizeof *A);
    bool found = false;
    if (!A) return FLX_ERR_MEMORY;
    double *B = A + nn, *re = B + nm, *im = re + n;
    // by columns; of the dual rows are the columns of the transposed
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) A[dual ? i * n + j : i + n * j] = m->A[i * n + j];
        for (int j = 0; j < in; j++) B[i + n * j] = dual ? m->C[j * n + i] : m->B[i * in + j];
    }
    flx_status status = flx_riccati_unreached(g->sim->ctx, n, in, A, B, false, &found, s, re, im);
    for (int i = 1; i < n; i++) {
        if (hypot(re[i], im[i]) > hypot(re[most], im[most])) most = i;
    }
    if (status == FLX_OK && found) {
        char value[64];
        flx_snprintf(value, sizeof value, s[1] != 0.0 ? "%.6g +- %.6gi" : "%.6g", s[0], fabs(s[1]));
        status =
            FLX_FAIL(g->sim->ctx, FLX_ERR_MODEL, g->loc,
                     "'%s' has no gains: the mode s = %s, most of it '%s', does not decay, and %s",
                     g->name, value, g->m.states[most].item,
                     dual ? "is not seen by what is measured" : "is not reached by the inputs");
    }
    flx_free(A);
    return status;
}

flx_status flx_gains_poles(flx_gains *g, const double *F)
{
    int n = g->m.n;
    double T = g->keys->sample;
    double *W = flx_alloc(g->sim->ctx, (size_t)n * (size_t)n + 2 * (size_t)n, sizeof *W);
    if (!W) return FLX_ERR_MEMORY;
    double *re = W + (size_t)n * (size_t)n, *im = re + n;
    memcpy(W, F, (size_t)n * (size_t)n * sizeof *W); // eigenvalues are those of the transposed
    flx_status status = flx_dense_eigenvalues(g->sim->ctx, n, W, re, im);
    int columns = T > 0.0 ? 6 : 4;
    flx_finding_table *t =
        status == FLX_OK ? flx_finding_add_table(g->sim, g->out, "poles", n, columns) : NULL;
    static const char *const names[] = {"re", "im", "frequency", "damping", "z_re", "z_im"};
    static const char *const units[] = {"1/s", "1/s", "Hz", "", "", ""};
    if (status == FLX_OK && !t) status = FLX_ERR_MEMORY;
    for (int k = 0; k < columns && status == FLX_OK; k++) {
        status = flx_finding_column(g->sim, g->out, t, k, names[k], units[k]);
    }
    for (int i = 0; i < n && status == FLX_OK; i++) {
        double *row = t->values + (size_t)i * (size_t)columns, a = re[i], b = im[i];
        if (T > 0.0) { // s = log(z)/T
            row[4] = a;
            row[5] = b;
            b = atan2(im[i], re[i]) / T;
            a = log(hypot(re[i], im[i])) / T;
        }
        double size = hypot(a, b);
        row[0] = a;
        row[1] = b;
        row[2] = size / (2.0 * FLX_PI);
        row[3] = size > 0.0 ? -a / size : 0.0;
    }
    flx_free(W);
    return status;
}
