// recover.c - what follows from a displacement: stresses and reactions.
#include "fe/fe_parts.h"

#include <string.h>

bool flx_fe_is_continuum(const flx_element *e)
{
    return e->family == FLX_FAMILY_SOLID || e->family == FLX_FAMILY_PLANE_STRESS ||
           e->family == FLX_FAMILY_PLANE_STRAIN;
}

// Something at the nodes of one element, six numbers each, from its displacements.
typedef flx_status (*recover_element)(const flx_fe *fe, const flx_element *e, const double *x,
                                      const double *u, double *out);

static flx_status stress_of(const flx_fe *fe, const flx_element *e, const double *x,
                            const double *u, double *out)
{
    flx_hooke c;
    flx_fe_hooke(fe, e, &c);
    return flx_continuum_stress(fe->tables[e->cell], &c, e->family,
                                fe->s->materials[e->material].nu, x, u, out);
}

static flx_status strain_of(const flx_fe *fe, const flx_element *e, const double *x,
                            const double *u, double *out)
{
    flx_hooke c;
    double nu = fe->s->materials[e->material].nu;
    flx_fe_hooke(fe, e, &c);
    FLX_TRY(flx_continuum_strain(fe->tables[e->cell], &c, x, u, out));
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) { // across a plate that is free to do so
        if (e->family != FLX_FAMILY_PLANE_STRESS) break;
        out[6 * a + 2] = -nu / (1 - nu) * (out[6 * a] + out[6 * a + 1]);
    }
    return FLX_OK;
}

static flx_status turn_of(const flx_fe *fe, const flx_element *e, const double *x, const double *u,
                          double *out)
{
    return flx_continuum_turn(fe->tables[e->cell], x, u, out);
}

// u (nnode, 6) of the structure.
static flx_status find_element(const flx_fe *fe, int element, const double *u, recover_element find,
                               double *out)
{
    const flx_element *e = fe->s->elements + element;
    const int *nodes = flx_element_nodes(fe->s, element);
    double x[3 * FLX_CELL_NODES], own[3 * FLX_CELL_NODES];
    flx_fe_places(fe, element, x);
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
        memcpy(own + 3 * a, u + 6 * (size_t)nodes[a], 3 * sizeof *own);
    }
    flx_status status = find(fe, e, x, own, out);
    if (status == FLX_SINGULAR) {
        return FLX_FAIL(
            fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line),
            "element %d (%s) is flat or inverted at one of its nodes: no stresses there", e->label,
            flx_cells[e->cell].word);
    }
    return status;
}

// Six numbers at each node, the mean of its elements.
static flx_status find_mean(const flx_fe *fe, const double *u, recover_element find, double *sigma)
{
    int *count = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *count);
    flx_status status = count ? FLX_OK : FLX_ERR_MEMORY;
    memset(sigma, 0, 6 * (size_t)fe->nnode * sizeof *sigma);
    for (int i = 0; i < fe->s->nelement && status == FLX_OK; i++) {
        const flx_element *e = fe->s->elements + i;
        const int *nodes = flx_element_nodes(fe->s, i);
        double own[6 * FLX_CELL_NODES];
        if (!flx_fe_is_continuum(e)) continue;
        status = find_element(fe, i, u, find, own);
        for (int a = 0; a < flx_cells[e->cell].nodes && status == FLX_OK; a++) {
            count[nodes[a]]++;
            for (int k = 0; k < 6; k++) sigma[6 * (size_t)nodes[a] + k] += own[6 * a + k];
        }
    }
    for (int i = 0; i < fe->nnode && status == FLX_OK; i++) {
        for (int k = 0; k < 6 && count[i] > 1; k++) sigma[6 * (size_t)i + k] /= count[i];
    }
    flx_free(count);
    return status;
}

flx_status flx_fe_stress(const flx_fe *fe, const double *u, double *sigma)
{
    return find_mean(fe, u, stress_of, sigma);
}

flx_status flx_fe_element_stress(const flx_fe *fe, int element, const double *u, double *sigma)
{
    return find_element(fe, element, u, stress_of, sigma);
}

flx_status flx_fe_strain(const flx_fe *fe, const double *u, double *eps)
{
    return find_mean(fe, u, strain_of, eps);
}

flx_status flx_fe_turn(const flx_fe *fe, const double *u, double *turn)
{
    FLX_TRY(find_mean(fe, u, turn_of, turn));
    for (size_t i = 0; i < (size_t)fe->nnode; i++) {
        for (size_t c = 3; c < 6; c++) { // what turns by itself
            if (fe->dof[6 * i + c] != FLX_DOF_NONE) turn[6 * i + c - 3] = u[6 * i + c];
        }
    }
    return FLX_OK;
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
