// fe_equations.c - a structure made into equations, and the way between unknowns and nodes.
#include "fe/fe_parts.h"

#include <string.h>

flx_status flx_fe_create(flx_ctx *ctx, const flx_structure *s, const flx_fe_options *options,
                         flx_fe **out)
{
    *out = NULL;
    flx_fe *fe = flx_alloc(ctx, 1, sizeof *fe);
    if (!fe) return FLX_ERR_MEMORY;
    *fe = (flx_fe){.ctx = ctx, .s = s, .nnode = s->nnode};
    if (options) fe->options = *options;
    flx_status status = flx_fe_check(fe);
    if (status == FLX_OK) status = flx_fe_number(fe);
    if (status == FLX_OK) status = flx_fe_assemble(fe);
    if (status == FLX_OK && fe->n == 0) {
        status = FLX_FAIL(ctx, FLX_ERR_MODEL, flx_structure_loc(s, 0),
                          "nothing can move: the structure has no elements, or supports hold all "
                          "of its nodes");
    }
    if (status != FLX_OK) {
        flx_fe_destroy(&fe);
        return status;
    }
    *out = fe;
    return FLX_OK;
}

void flx_fe_destroy(flx_fe **fe_)
{
    if (!fe_ || !*fe_) return;
    flx_fe *fe = *fe_;
    for (int i = 0; i < FLX_CELL_COUNT; i++) flx_free(fe->tables[i]);
    void *owned[] = {fe->dof,       fe->fixed,       fe->node_of,    fe->tie_start,
                     fe->tie_count, fe->tie_unknown, fe->tie_weight, fe->tie_constant,
                     fe->f,         fe->edge};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++) flx_free(owned[i]);
    flx_symmetric_clear(&fe->K);
    flx_symmetric_clear(&fe->M);
    flx_symmetric_clear(&fe->S);
    flx_symmetric_clear(&fe->D);
    flx_free(fe);
    *fe_ = NULL;
}

void flx_fe_expand(const flx_fe *fe, const double *x, bool homogeneous, double *u)
{
    for (int node = 0; node < fe->nnode; node++) {
        for (int c = 0; c < 6; c++) {
            const int *unknown = NULL;
            const double *weight = NULL;
            double constant;
            int n = flx_fe_terms(fe, node, c, &unknown, &weight, &constant);
            double sum = homogeneous ? 0 : constant;
            for (int k = 0; k < n; k++) sum += weight[k] * x[unknown[k]];
            u[6 * (size_t)node + c] = sum;
        }
    }
}

void flx_fe_add_force(const flx_fe *fe, const double *F, double *f)
{
    for (int node = 0; node < fe->nnode; node++) {
        for (int c = 0; c < 6; c++) {
            const int *unknown = NULL;
            const double *weight = NULL;
            double constant, value = F[6 * (size_t)node + c];
            if (value == 0) continue;
            int n = flx_fe_terms(fe, node, c, &unknown, &weight, &constant);
            for (int k = 0; k < n; k++) f[unknown[k]] += weight[k] * value;
        }
    }
}
