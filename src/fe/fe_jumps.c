// fe_jumps.c - how fine a mesh is for a displacement, by the jumps of stress between its elements: the mean stress of the nodes is
// nearer to the truth than that of each element (Zienkiewicz and Zhu), and the energy of their difference is about that of the error.
//
//     e^2 = sum_e int (s* - s) : C^-1 (s* - s) dV,   f_h/f is about (1 - e^2/E)^(-1/2),  E = sum_e int s : C^-1 s dV   (FE-25)
#include "fe/fe_parts.h"

#include <math.h>
#include <string.h>

static double tetrahedron(const double *x, int a, int b, int c, int d)
{
    double e[3][3];
    const int to[3] = {b, c, d};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) e[i][k] = x[3 * to[i] + k] - x[3 * a + k];
    }
    return fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6;
}

static double triangle(const double *x, int a, int b, int c)
{
    return 0.5 * fabs((x[3 * b] - x[3 * a]) * (x[3 * c + 1] - x[3 * a + 1]) -
                      (x[3 * c] - x[3 * a]) * (x[3 * b + 1] - x[3 * a + 1]));
}

// Of an element with straight edges; in the plane its area.
static double size_of(flx_cell cell, const double *x)
{
    switch (cell) {
    case FLX_CELL_TET4:
    case FLX_CELL_TET10:
        return tetrahedron(x, 0, 1, 2, 3);
    case FLX_CELL_HEX8:
    case FLX_CELL_HEX20:
        return tetrahedron(x, 0, 1, 3, 4) + tetrahedron(x, 1, 2, 3, 6) +
               tetrahedron(x, 1, 4, 5, 6) + tetrahedron(x, 3, 4, 6, 7) + tetrahedron(x, 1, 3, 4, 6);
    case FLX_CELL_TRI3:
    case FLX_CELL_TRI6:
        return triangle(x, 0, 1, 2);
    case FLX_CELL_QUAD4:
    case FLX_CELL_QUAD8:
        return triangle(x, 0, 1, 2) + triangle(x, 0, 2, 3);
    default:
        return 0;
    }
}

// s : C^-1 s
static double density(const flx_material *m, const double s[6])
{
    double trace = s[0] + s[1] + s[2], square = 0;
    for (int k = 0; k < 6; k++) square += (k < 3 ? 1 : 2) * s[k] * s[k];
    return ((1 + m->nu) * square - m->nu * trace * trace) / m->E;
}

// Stresses jump where one material ends and another begins, however fine the mesh: means are those of elements alike.
static bool is_alike(const flx_fe *fe, const flx_element *e, const flx_material *m)
{
    if (!flx_fe_is_continuum(e)) return false;
    const flx_material *own = fe->s->materials + e->material;
    return own->E == m->E && own->nu == m->nu;
}

static flx_status find_mean(const flx_fe *fe, const flx_material *m, const double *u, double *mean,
                            int *count)
{
    memset(mean, 0, 6 * (size_t)fe->nnode * sizeof *mean);
    memset(count, 0, (size_t)fe->nnode * sizeof *count);
    for (int i = 0; i < fe->s->nelement; i++) {
        const flx_element *e = fe->s->elements + i;
        const int *nodes = flx_element_nodes(fe->s, i);
        double own[6 * FLX_CELL_NODES];
        if (!is_alike(fe, e, m)) continue;
        FLX_TRY(flx_fe_element_stress(fe, i, u, own));
        for (int a = 0; a < flx_cells[e->cell].nodes; a++) {
            count[nodes[a]]++;
            for (int k = 0; k < 6; k++) mean[6 * (size_t)nodes[a] + k] += own[6 * a + k];
        }
    }
    for (int i = 0; i < fe->nnode; i++) {
        for (int k = 0; k < 6 && count[i] > 1; k++) mean[6 * (size_t)i + k] /= count[i];
    }
    return FLX_OK;
}

// Energies of the elements of one material.
static flx_status add_energies(const flx_fe *fe, const flx_material *m, const double *u,
                               const double *mean, double *jumps, double *whole)
{
    for (int i = 0; i < fe->s->nelement; i++) {
        const flx_element *e = fe->s->elements + i;
        const int *nodes = flx_element_nodes(fe->s, i);
        int n = flx_cells[e->cell].nodes;
        double own[6 * FLX_CELL_NODES], x[3 * FLX_CELL_NODES];
        if (!is_alike(fe, e, m)) continue;
        FLX_TRY(flx_fe_element_stress(fe, i, u, own));
        flx_fe_places(fe, i, x);
        double size = size_of(e->cell, x) / n;
        for (int a = 0; a < n; a++) {
            double jump[6];
            for (int k = 0; k < 6; k++) jump[k] = mean[6 * (size_t)nodes[a] + k] - own[6 * a + k];
            *jumps += size * density(m, jump);
            *whole += size * density(m, own + 6 * a);
        }
    }
    return FLX_OK;
}

flx_status flx_fe_jumps(const flx_fe *fe, const double *u, double *part)
{
    double jumps = 0, whole = 0;
    double *mean = flx_alloc(fe->ctx, 6 * (size_t)fe->nnode, sizeof *mean);
    int *count = flx_alloc(fe->ctx, (size_t)fe->nnode, sizeof *count);
    bool *seen = flx_alloc(fe->ctx, (size_t)fe->s->nmaterial, sizeof *seen);
    flx_status status = mean && count && seen ? FLX_OK : FLX_ERR_MEMORY;
    *part = 0;
    for (int i = 0; i < fe->s->nelement && status == FLX_OK; i++) {
        const flx_element *e = fe->s->elements + i;
        if (!flx_fe_is_continuum(e) || seen[e->material]) continue;
        const flx_material *m = fe->s->materials + e->material;
        for (int k = 0; k < fe->s->nmaterial; k++) {
            const flx_material *other = fe->s->materials + k;
            seen[k] = seen[k] || (other->E == m->E && other->nu == m->nu);
        }
        status = find_mean(fe, m, u, mean, count);
        if (status == FLX_OK) status = add_energies(fe, m, u, mean, &jumps, &whole);
    }
    if (status == FLX_OK && whole > 0) *part = jumps / whole;
    flx_free(seen);
    flx_free(count);
    flx_free(mean);
    return status;
}
