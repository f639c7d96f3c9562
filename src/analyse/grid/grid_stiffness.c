// grid_stiffness.c - the stiffness of a node, as a weight of what is left open.
#include "analyse/grid/grid.h"

static bool is_stiffness(const flx_grid *g, const flx_grid_entry *o)
{
    return o->row < g->s->dims.nv && o->col < g->s->dims.nv;
}

int flx_grid_count_stiffness(const flx_grid *g)
{
    int n = 0;
    for (int e = 0; e < g->nentry; e++) n += is_stiffness(g, g->entries + e);
    return n;
}

flx_status flx_grid_stiffness(flx_grid *g, double *to)
{
    int nv = g->s->dims.nv;
    FLX_TRY(flx_grid_linearise(g));
    const double *A0 = g->dense ? g->full[0] : g->b.A0;
    double *K = flx_alloc(g->ctx, (size_t)nv * (size_t)nv, sizeof *K);
    if (!K) return FLX_ERR_MEMORY;
    for (int e = 0; e < g->nentry; e++) {
        const flx_grid_entry *o = g->entries + e;
        if (is_stiffness(g, o)) K[o->row * nv + o->col] = A0[o->at];
    }
    for (int e = 0, k = 0; e < g->nentry; e++) {
        const flx_grid_entry *o = g->entries + e;
        if (is_stiffness(g, o)) to[k++] = 0.5 * (K[o->row * nv + o->col] + K[o->col * nv + o->row]);
    }
    flx_free(K);
    return FLX_OK;
}
