// fe_body_mass.c - masses between the nodes of a structure. Displacements and places have the same shape functions,
// so every integral of products of fields a, b is a sum over nodes with the mass matrix:
//
//     int a_r b_c = sum_ij a_ir m_ij b_jc,   m_ij = trace(M_ij)/d                               (MSH-4)
// M_ij the block of two nodes' translations. Solids have M_ij = m_ij I and it is exact. Sections of beams
// and point inertias P = int s s^T = trace(I)/2 - I add the fields s + psi x s, the s along its axes.
#include "fe/fe_body.h"
#include "fe/fe_parts.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// Y += m F for one block.
static void add_block(int d, const int *nodes, const flx_element_matrices *m, int nf,
                      const double *F, double *Y)
{
    for (int i = 0; i < m->n; i++) {
        if (m->comp[i] >= 3) continue;
        double *y = Y + (size_t)nodes[m->node[i]] * (size_t)nf;
        for (int j = 0; j < m->n; j++) {
            double mass = m->M[i * m->n + j] / d;
            if (m->comp[j] != m->comp[i] || mass == 0) continue;
            const double *f = F + (size_t)nodes[m->node[j]] * (size_t)nf;
            for (int k = 0; k < nf; k++) y[k] += mass * f[k];
        }
    }
}

flx_status flx_fe_multiply_masses(const flx_fe *fe, int nf, const double *F, double *Y)
{
    flx_element_matrices *m = flx_alloc(fe->ctx, 1, sizeof *m);
    flx_status status = m ? FLX_OK : FLX_ERR_MEMORY;
    int n = flx_fe_block_count(fe);
    for (int i = 0; i < n && status == FLX_OK; i++) {
        const int *nodes;
        if (flx_fe_block_nodes(fe, i, &nodes) == 0) continue;
        status = flx_fe_matrices(fe, i, m);
        if (status == FLX_OK) add_block(fe->s->dimension, nodes, m, nf, F, Y);
    }
    flx_free(m);
    return status;
}

// ---- what turns with a node ---------------------------------------------------------------------

// Rows for a small body at a node with the inertia I (3 x 3): one along each of its axes.
static flx_status add_spread(const flx_fe *fe, int node, const double *I, const double *turn,
                             flx_fe_fields *o)
{
    double P[9], w[3], trace = I[0] + I[4] + I[8];
    for (int i = 0; i < 9; i++) P[i] = (i % 4 == 0 ? trace / 2 : 0) - I[i];
    FLX_TRY(flx_dense_symmetric_eigen(fe->ctx, 3, P, w));
    for (int a = 0; a < 3; a++) {
        double size = sqrt(fabs(w[a]));
        double s[3] = {size * P[3 * a], size * P[3 * a + 1], size * P[3 * a + 2]};
        double *f = o->F + (size_t)o->rows * (size_t)o->nf;
        double *y = o->Y + (size_t)o->rows * (size_t)o->nf;
        if (size == 0) continue;
        memcpy(f, s, sizeof s);
        for (int k = 0; k < o->n; k++) {
            const double *t = turn + 3 * ((size_t)node * (size_t)o->n + (size_t)k);
            for (int c = 0; c < 3; c++) {
                int c1 = (c + 1) % 3, c2 = (c + 2) % 3;
                f[3 * (k + 1) + c] = t[c1] * s[c2] - t[c2] * s[c1];
            }
        }
        for (int k = 0; k < o->nf; k++) y[k] = w[a] > 0 ? f[k] : -f[k];
        o->rows++;
    }
    return FLX_OK;
}

// Half of a beam's sections at each of its ends.
static flx_status spread_beam(const flx_fe *fe, int element, const double *turn, flx_fe_fields *o)
{
    const flx_element *e = fe->s->elements + element;
    double x[3 * FLX_CELL_NODES], R[9], length, I[9] = {0};
    flx_beam_law law;
    flx_fe_places(fe, element, x);
    flx_fe_law(fe, e, &law);
    if (!flx_beam_axes(x, fe->s->sections + e->section, fe->s->dimension, R, &length))
        return FLX_OK;
    const double own[3] = {law.Ix, law.Iy, law.Iz};
    for (int i = 0; i < 9; i++) {
        for (int a = 0; a < 3; a++)
            I[i] += length / 2 * own[a] * R[3 * a + i / 3] * R[3 * a + i % 3];
    }
    for (int a = 0; a < 2; a++) {
        FLX_TRY(add_spread(fe, flx_element_nodes(fe->s, element)[a], I, turn, o));
    }
    return FLX_OK;
}

int flx_fe_count_spreads(const flx_fe *fe)
{
    int count = fe->s->nmass;
    for (int i = 0; i < fe->s->nelement; i++) {
        if (fe->s->elements[i].family == FLX_FAMILY_BEAM) count += 2;
    }
    return count;
}

flx_status flx_fe_add_spreads(const flx_fe *fe, const double *turn, flx_fe_fields *o)
{
    static const int entry[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
    for (int i = 0; i < fe->s->nmass; i++) {
        const flx_point_mass *p = fe->s->masses + i;
        double I[9];
        for (int k = 0; k < 9; k++) I[k] = p->inertia[entry[k]];
        if (fe->s->dimension == 2) I[0] = I[4] = I[8] / 2; // two of its particles, in the plane
        FLX_TRY(add_spread(fe, p->node, I, turn, o));
    }
    for (int i = 0; i < fe->s->nelement; i++) {
        if (fe->s->elements[i].family != FLX_FAMILY_BEAM) continue;
        FLX_TRY(spread_beam(fe, i, turn, o));
    }
    return FLX_OK;
}
