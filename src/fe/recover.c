// recover.c - what follows from a displacement: stresses, strains, rotations and reactions.
#include "fe/fe_parts.h"

#include <string.h>

bool flx_fe_is_continuum(const flx_element *e)
{
    return e->family == FLX_FAMILY_SOLID || e->family == FLX_FAMILY_PLANE_STRESS ||
           e->family == FLX_FAMILY_PLANE_STRAIN;
}

// At the nodes of one element; u (nnode, 6) of the structure.
static flx_status find_gradients(const flx_fe *fe, int element, const double *u, flx_hooke *c,
                                 flx_node_gradient *out)
{
    const flx_element *e = fe->s->elements + element;
    const int *nodes = flx_element_nodes(fe->s, element);
    double x[3 * FLX_CELL_NODES], own[3 * FLX_CELL_NODES];
    flx_fe_places(fe, element, x);
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
        memcpy(own + 3 * a, u + 6 * (size_t)nodes[a], 3 * sizeof *own);
    }
    flx_fe_hooke(fe, e, c);
    flx_status status = flx_continuum_gradients(fe->tables[e->cell], c, x, own, out);
    if (status == FLX_SINGULAR) {
        return FLX_FAIL(
            fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line),
            "element %d (%s) is flat or inverted at one of its nodes: no stresses there", e->label,
            flx_cells[e->cell].word);
    }
    return status;
}

flx_status flx_fe_element_stress(const flx_fe *fe, int element, const double *u, double *sigma)
{
    const flx_element *e = fe->s->elements + element;
    flx_node_gradient g[FLX_CELL_NODES];
    flx_hooke c;
    FLX_TRY(find_gradients(fe, element, u, &c, g));
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
        flx_continuum_stress(&c, e->family, fe->s->materials[e->material].nu,
                             (const double(*)[3])g[a].G, sigma + 6 * a);
    }
    return FLX_OK;
}

// Adds what an element says at its nodes.
static flx_status add_element(const flx_fe *fe, int element, const double *u, double *sigma,
                              double *eps, double *turn)
{
    const flx_element *e = fe->s->elements + element;
    const int *nodes = flx_element_nodes(fe->s, element);
    double nu = fe->s->materials[e->material].nu, own[6];
    flx_node_gradient g[FLX_CELL_NODES];
    flx_hooke c;
    FLX_TRY(find_gradients(fe, element, u, &c, g));
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
        const double(*G)[3] = (const double(*)[3])g[a].G;
        size_t at = 6 * (size_t)nodes[a];
        if (sigma) {
            flx_continuum_stress(&c, e->family, nu, G, own);
            for (size_t k = 0; k < 6; k++) sigma[at + k] += own[k];
        }
        if (eps) {
            flx_continuum_strain(e->family, nu, G, own);
            for (size_t k = 0; k < 6; k++) eps[at + k] += own[k];
        }
        for (size_t k = 0; k < 3 && turn; k++) turn[at + k] += g[a].turn[k];
    }
    return FLX_OK;
}

flx_status flx_fe_recover(const flx_fe *fe, const double *u, double *sigma, double *eps,
                          double *turn)
{
    double *const fields[] = {sigma, eps, turn};
    size_t m = (size_t)fe->nnode;
    int *count = flx_alloc(fe->ctx, m, sizeof *count);
    flx_status status = count ? FLX_OK : FLX_ERR_MEMORY;
    for (int f = 0; f < 3; f++) {
        if (fields[f]) memset(fields[f], 0, 6 * m * sizeof *sigma);
    }
    for (int i = 0; i < fe->s->nelement && status == FLX_OK; i++) {
        const flx_element *e = fe->s->elements + i;
        const int *nodes = flx_element_nodes(fe->s, i);
        if (!flx_fe_is_continuum(e)) continue;
        for (int a = 0; a < flx_cells[e->cell].nodes; a++) count[nodes[a]]++;
        status = add_element(fe, i, u, sigma, eps, turn);
    }
    for (size_t i = 0; i < m && status == FLX_OK; i++) {
        for (int f = 0; f < 3 && count[i] > 1; f++) {
            for (size_t k = 0; k < 6 && fields[f]; k++) fields[f][6 * i + k] /= count[i];
        }
        for (size_t c = 3; c < 6 && turn; c++) { // what turns by itself
            if (fe->dof[6 * i + c] != FLX_DOF_NONE) turn[6 * i + c - 3] = u[6 * i + c];
        }
    }
    flx_free(count);
    return status;
}

flx_status flx_fe_reactions(const flx_fe *fe, const double *u, bool loads, double *F)
{
    flx_element_matrices *m = flx_alloc(fe->ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    size_t all = 6 * (size_t)fe->nnode;
    memset(F, 0, all * sizeof *F);
    if (loads) flx_fe_nodal_loads(fe, 0, F);
    for (size_t i = 0; i < all; i++) F[i] = -F[i];
    int n = flx_fe_block_count(fe);
    for (int b = 0; b < n && status == FLX_OK; b++) {
        const int *nodes;
        if (flx_fe_block_nodes(fe, b, &nodes) == 0) continue;
        double a[FLX_ELEMENT_DOFS] = {0};
        status = flx_fe_matrices(fe, b, m);
        if (loads && status == FLX_OK) flx_fe_accelerations(fe, b, nodes, m, a);
        for (int i = 0; i < m->n && status == FLX_OK; i++) {
            double sum = 0;
            for (int j = 0; j < m->n; j++) {
                sum += m->K[i * m->n + j] * u[6 * (size_t)nodes[m->node[j]] + m->comp[j]] -
                       m->M[i * m->n + j] * a[j];
            }
            F[6 * (size_t)nodes[m->node[i]] + m->comp[i]] += sum;
        }
    }
    for (size_t i = 0; i < all; i++) { // loads that nothing takes hold nothing
        if (fe->dof[i] == FLX_DOF_NONE) F[i] = 0;
    }
    flx_free(m);
    return status;
}
