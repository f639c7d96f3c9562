// problem_draw.c - what statics and modes found, as a mesh that is drawn deformed.
#include "base/refuse.h"
#include "fe/fe_body.h"
#include "fe/problem.h"

#include <string.h>

flx_status flx_fe_problem_keep(flx_fe_problem *p, int count, const double *x, bool whole)
{
    size_t size = (size_t)count * (size_t)p->n;
    flx_free(p->found);
    p->nfound = 0;
    p->found = flx_alloc(p->ctx, size, sizeof *p->found);
    if (!p->found) return FLX_ERR_MEMORY;
    memcpy(p->found, x, size * sizeof *x);
    p->nfound = count;
    p->whole = whole;
    return FLX_OK;
}

// Displacements and stresses of one of the shapes, at the nodes that are drawn.
static flx_status draw_shape(const flx_fe_problem *p, int k, const int *order, double *u,
                             double *sigma, flx_elastic_mesh *m)
{
    const flx_fe *fe = p->fe;
    flx_fe_expand(fe, p->found + (size_t)k * (size_t)p->n, !p->whole, u);
    FLX_TRY(flx_fe_recover(fe, u, sigma, NULL, NULL));
    for (int node = 0; node < fe->nnode; node++) {
        if (order[node] < 0) continue;
        size_t row = (size_t)k * (size_t)m->nnode + (size_t)order[node], at = 6 * (size_t)node;
        for (size_t c = 0; c < 3; c++) m->modes[3 * row + c] = (float)u[at + c];
        for (size_t c = 0; c < 6; c++) m->stress[6 * row + c] = (float)sigma[at + c];
    }
    return FLX_OK;
}

static flx_status draw(flx_fe_problem *p, flx_elastic_mesh **out)
{
    size_t nodes = (size_t)p->fe->nnode;
    int *order = flx_alloc(p->ctx, nodes, sizeof *order);
    double *u = flx_alloc(p->ctx, 12 * nodes, sizeof *u);
    flx_status status = order && u ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_fe_draw(p->fe, p->drawings, p->nfound, order, out);
    for (int k = 0; k < p->nfound && status == FLX_OK && *out; k++) {
        status = draw_shape(p, k, order, u, u + 6 * nodes, *out);
    }
    bool tubes = status == FLX_OK && !*out; // no surface: beams and trusses alone
    if (tubes) status = flx_fe_draw_tubes(p->fe, p->drawings, p->nfound, out);
    for (int k = 0; k < p->nfound && tubes && status == FLX_OK && *out; k++) {
        flx_fe_expand(p->fe, p->found + (size_t)k * (size_t)p->n, !p->whole, u);
        flx_fe_move_tubes(p->fe, u, (*out)->modes + 3 * (size_t)k * (size_t)(*out)->nnode);
    }
    flx_free(order);
    flx_free(u);
    return status;
}

flx_status flx_fe_problem_mesh(flx_fe_problem *p, flx_result_mesh *out)
{
    if (!p || !out) return flx_refuse_null(NULL, __func__);
    flx_elastic_mesh *m = NULL;
    FLX_TRY(flx_fe_problem_need_mesh(p, "a picture"));
    if (!p->drawings) p->drawings = flx_arena_create(p->ctx);
    if (!p->drawings) return FLX_ERR_MEMORY;
    if (p->nfound > 0) FLX_TRY(draw(p, &m));
    if (!m) {
        return FLX_FAIL(p->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "there is nothing to draw: the structure has neither solids nor plates, "
                        "beams or trusses");
    }
    *out = (flx_result_mesh){FLX_ELASTIC_MESH_DRAWN(m, p->nfound)};
    return FLX_OK;
}
