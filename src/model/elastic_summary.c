// elastic_summary.c - what there is to say of a flexible body: its modes with the frame held, the masses
// that they move, and what its reduction left out.
//
//     K x = omega^2 M x,  x^T M x = 1,   m_eff = (R^T M V x)^2                                  (FE-18)
// with V the body's shapes: R^T M V are S1 and N0 of elastic.h.
#include "base/refuse.h"
#include "math/dense.h"
#include "model/model_data.h"

#include <math.h>
#include <string.h>

static double hertz(double omega2)
{
    return omega2 > 0 ? sqrt(omega2) / (2.0 * FLX_PI) : 0;
}

int flx_model_elastic(const flx_model *model, int i, flx_elastic_summary *out)
{
    if (!model || !out) return 0;
    if (i < 0 || i >= model->nmodal) return 0;
    const flx_elastic *e = model->modals[i].e;
    *out = (flx_elastic_summary){.name = model->bodies[model->modals[i].body].name,
                                 .modes = e->n,
                                 .nodes = e->nnode,
                                 .mass = e->m};
    for (int c = 0; c < 3; c++) {
        int p = (c + 1) % 3, q = (c + 2) % 3;
        out->inertia[c] = e->J0[c] - (e->S0[p] * e->S0[p] + e->S0[q] * e->S0[q]) / e->m;
    }
    if (e->cut) {
        out->unknowns = e->cut->unknowns;
        out->next = hertz(e->cut->next);
        out->mesh = e->cut->mesh;
    }
    return 1;
}

static void move(const flx_elastic *e, const double *x, double omega2, flx_elastic_mode *mode)
{
    double S[3] = {0}, N[3] = {0};
    for (int k = 0; k < e->n; k++) {
        for (int c = 0; c < 3; c++) {
            S[c] += e->S1[3 * k + c] * x[k];
            N[c] += e->N0[3 * k + c] * x[k];
        }
    }
    mode->frequency = hertz(omega2);
    for (int c = 0; c < 3; c++) {
        int p = (c + 1) % 3, q = (c + 2) % 3;
        double turn = N[c] - (e->S0[p] * S[q] - e->S0[q] * S[p]) / e->m;
        mode->effective[c] = S[c] * S[c];
        mode->effective[3 + c] = turn * turn;
    }
}

flx_status flx_model_elastic_modes(const flx_model *model, int i, flx_elastic_mode *modes,
                                   flx_elastic_shape *shapes)
{
    if (!model || !modes) return flx_refuse_null(NULL, __func__);
    const flx_elastic *e = model->modals[i].e;
    size_t n = (size_t)e->n;
    double *A = flx_alloc(model->ctx, 2 * n * n + n, sizeof *A);
    if (!A) return FLX_ERR_MEMORY;
    double *B = A + n * n, *w = B + n * n;
    memcpy(A, e->K, n * n * sizeof *A);
    memcpy(B, e->M, n * n * sizeof *B);
    flx_status status = flx_dense_symmetric_pencil(model->ctx, e->n, A, B, w);
    for (size_t k = 0; k < n && status == FLX_OK; k++) move(e, A + k * n, w[k], modes + k);
    flx_free(A);
    for (size_t k = 0; k < n && shapes; k++) {
        shapes[k] = (flx_elastic_shape){0};
        if (!e->cut) continue;
        shapes[k] = (flx_elastic_shape){hertz(e->cut->omega2[k]), e->cut->error[k]};
    }
    return status;
}

const flx_reduction_report *flx_model_elastic_report(const flx_model *model, int i)
{
    if (!model || i < 0 || i >= model->nmodal) return NULL;
    const flx_elastic_cut *cut = model->modals[i].e->cut;
    return cut ? cut->report : NULL;
}
