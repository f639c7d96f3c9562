// element.c - what elements of all kinds share: the components of their nodes, lumped masses.
#include "fe/element.h"

#include <string.h>

unsigned flx_components_mask(const flx_structure *s, bool rotations)
{
    if (s->dimension == 2) return rotations ? 043u : 03u; // x y, rotation z
    return rotations ? 077u : 07u;
}

unsigned flx_element_mask(const flx_structure *s, const flx_element *e)
{
    switch (e->family) {
    case FLX_FAMILY_SOLID:
        return 07u;
    case FLX_FAMILY_PLANE_STRESS:
    case FLX_FAMILY_PLANE_STRAIN:
        return 03u;
    case FLX_FAMILY_BEAM:
        return flx_components_mask(s, true);
    case FLX_FAMILY_TRUSS:
        return flx_components_mask(s, false);
    case FLX_FAMILY_NONE:
    case FLX_FAMILY_COUNT:
        break;
    }
    return 0;
}

void flx_element_components(int dimension, int nodes, flx_element_matrices *out)
{
    static const int plane[3] = {0, 1, 5};
    int each = dimension == 2 ? 3 : 6;
    out->n = nodes * each;
    for (int i = 0; i < out->n; i++) {
        out->node[i] = i / each;
        out->comp[i] = dimension == 2 ? plane[i % 3] : i % 6;
    }
    memset(out->K, 0, (size_t)out->n * out->n * sizeof *out->K);
    memset(out->M, 0, (size_t)out->n * out->n * sizeof *out->M);
}

void flx_element_lump(flx_element_matrices *m)
{
    double whole[3] = {0}, diagonal[3] = {0};
    for (int i = 0; i < m->n; i++) {
        int c = m->comp[i];
        if (c >= 3) continue;
        diagonal[c] += m->M[i * m->n + i];
        for (int j = 0; j < m->n; j++) {
            if (m->comp[j] == c) whole[c] += m->M[i * m->n + j];
        }
    }
    for (int i = 0; i < m->n; i++) {
        int c = m->comp[i];
        for (int j = 0; j < m->n; j++) {
            if (j != i) m->M[i * m->n + j] = 0;
        }
        if (c < 3 && diagonal[c] > 0) m->M[i * m->n + i] *= whole[c] / diagonal[c];
    }
}
