// member_forces.c - forces within beams and trusses, from what their nodes need less what acts between them:
//
//     f = K_e u - M_e a - F_e,  at the first end -f, at the second f, in the axes of the beam      (FE-23)
#include "fe/fe_parts.h"

#include <string.h>

bool flx_fe_is_member(const flx_element *e)
{
    return e->family == FLX_FAMILY_BEAM || e->family == FLX_FAMILY_TRUSS;
}

// Forces at the nodes (2, 6) along the structure's axes.
static flx_status find_ends(const flx_fe *fe, int element, const double *u, flx_element_matrices *m,
                            double *f)
{
    const int *nodes = flx_element_nodes(fe->s, element);
    double a[FLX_ELEMENT_DOFS];
    FLX_TRY(flx_fe_matrices(fe, element, m));
    flx_fe_accelerations(fe, element, nodes, m, a);
    for (int i = 0; i < m->n; i++) {
        double sum = 0;
        for (int j = 0; j < m->n; j++) {
            sum += m->K[i * m->n + j] * u[6 * (size_t)nodes[m->node[j]] + m->comp[j]] -
                   m->M[i * m->n + j] * a[j];
        }
        f[6 * m->node[i] + m->comp[i]] = sum;
    }
    return FLX_OK;
}

static void turn_ends(const flx_fe *fe, int element, double *f)
{
    const flx_element *e = fe->s->elements + element;
    double x[3 * FLX_CELL_NODES], R[9], length, own[12];
    bool beam = e->family == FLX_FAMILY_BEAM;
    flx_fe_places(fe, element, x);
    if (!flx_beam_axes(x, beam ? fe->s->sections + e->section : NULL, fe->s->dimension, R, &length))
        return;
    memcpy(own, f, sizeof own);
    for (int i = 0; i < 12; i++) {
        const double *row = R + 3 * (i % 3), *v = own + i / 3 * 3;
        f[i] = (i < 6 ? -1 : 1) * (row[0] * v[0] + row[1] * v[1] + row[2] * v[2]);
        if (!beam && i % 6 != 0) f[i] = 0;
    }
}

flx_status flx_fe_members(const flx_fe *fe, const double *u, double *forces)
{
    const flx_structure *s = fe->s;
    flx_element_matrices *m = flx_alloc(fe->ctx, 1, sizeof *m);
    flx_status status = m ? FLX_OK : FLX_ERR_MEMORY;
    memset(forces, 0, 12 * (size_t)s->nelement * sizeof *forces);
    for (int i = 0; i < s->nelement && status == FLX_OK; i++) {
        if (flx_fe_is_member(s->elements + i))
            status = find_ends(fe, i, u, m, forces + 12 * (size_t)i);
    }
    for (int i = 0; i < s->nline && status == FLX_OK; i++) {
        double f[12], *own = forces + 12 * (size_t)s->lines[i].element;
        flx_fe_line_forces(fe, s->lines + i, m, f);
        for (int k = 0; k < 12; k++) own[k] -= f[k];
    }
    for (int i = 0; i < s->nelement && status == FLX_OK; i++) {
        if (flx_fe_is_member(s->elements + i)) turn_ends(fe, i, forces + 12 * (size_t)i);
    }
    flx_free(m);
    return status;
}
