// recover.c - what follows from a displacement: stresses and reactions.
#include "fe/fe_parts.h"

#include <math.h>
#include <string.h>

static bool is_continuum(const flx_element *e)
{
    return e->family == FLX_FAMILY_SOLID || e->family == FLX_FAMILY_PLANE_STRESS ||
           e->family == FLX_FAMILY_PLANE_STRAIN;
}

// Stresses at the nodes of one element; u (nnode, 6) of the structure.
static flx_status find_stress(const flx_fe *fe, int element, const double *u, double *sigma)
{
    const flx_element *e = fe->s->elements + element;
    const int *nodes = flx_element_nodes(fe->s, element);
    double x[3 * FLX_CELL_NODES], own[3 * FLX_CELL_NODES];
    flx_hooke c;
    flx_fe_places(fe, element, x);
    for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
        memcpy(own + 3 * a, u + 6 * (size_t)nodes[a], 3 * sizeof *own);
    }
    flx_fe_hooke(fe, e, &c);
    flx_status status = flx_continuum_stress(fe->tables[e->cell], &c, e->family,
                                             fe->s->materials[e->material].nu, x, own, sigma);
    if (status == FLX_SINGULAR) {
        return FLX_FAIL(
            fe->ctx, FLX_ERR_MODEL, flx_structure_loc(fe->s, e->line),
            "element %d (%s) is flat or inverted at one of its nodes: no stresses there", e->label,
            flx_cells[e->cell].word);
    }
    return status;
}

flx_status flx_fe_stress(const flx_fe *fe, const double *u, double *sigma)
{
    int *count = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *count);
    flx_status status = count ? FLX_OK : FLX_ERR_MEMORY;
    memset(sigma, 0, 6 * (size_t)fe->nnode * sizeof *sigma);
    for (int i = 0; i < fe->s->nelement && status == FLX_OK; i++) {
        const flx_element *e = fe->s->elements + i;
        const int *nodes = flx_element_nodes(fe->s, i);
        double own[6 * FLX_CELL_NODES];
        if (!is_continuum(e)) continue;
        status = find_stress(fe, i, u, own);
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

double flx_von_mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt((a * a + b * b + c * c) / 2 + 3 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}

flx_status flx_fe_reactions(const flx_fe *fe, const double *u, bool loads, double *F)
{
    flx_element_matrices *m = flx_alloc(fe->ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    size_t all = 6 * (size_t)fe->nnode;
    memset(F, 0, all * sizeof *F);
    if (loads) flx_fe_nodal_loads(fe, F);
    for (size_t i = 0; i < all; i++) F[i] = -F[i];
    int n = flx_fe_block_count(fe);
    for (int b = 0; b < n && status == FLX_OK; b++) {
        const int *nodes;
        if (flx_fe_block_nodes(fe, b, &nodes) == 0) continue;
        status = flx_fe_block(fe, b, m);
        for (int i = 0; i < m->n && status == FLX_OK; i++) {
            double sum = 0;
            for (int j = 0; j < m->n; j++) {
                sum += m->K[i * m->n + j] * u[6 * (size_t)nodes[m->node[j]] + m->comp[j]];
                if (loads && m->comp[j] < 3) {
                    sum -= m->M[i * m->n + j] * fe->s->gravity[m->comp[j]];
                }
            }
            F[6 * (size_t)nodes[m->node[i]] + m->comp[i]] += sum;
        }
    }
    flx_free(m);
    return status;
}
