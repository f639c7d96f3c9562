// fe_mesh.h - boxes and rectangles of any cell for tests, with inner corners moved at will.
#pragma once

#include "model/cell_shape.h"

#include <math.h>
#include <stdlib.h>

typedef struct fe_lattice { // places at half steps: even indices are corners, odd ones middles
    flx_structure *s;
    int n[3];
    double size[3], shake;
    int *node; // -1: none yet
} fe_lattice;

static inline double fe_noise(int i, int j, int k, int c)
{
    unsigned h = 2166136261u;
    const int v[4] = {i, j, k, c};
    for (int q = 0; q < 4; q++) h = (h ^ (unsigned)v[q]) * 16777619u;
    h ^= h >> 15;
    h *= 2246822519u;
    return (double)(h >> 8 & 0xffff) / 65536.0 - 0.5;
}

// Place of a corner; inner ones are moved.
static inline void fe_corner(const fe_lattice *l, const int at[3], double x[3])
{
    bool inside = true;
    for (int c = 0; c < 3; c++) {
        x[c] = l->n[c] > 0 ? l->size[c] * at[c] / (2.0 * l->n[c]) : 0;
        if (l->n[c] > 0 && (at[c] == 0 || at[c] == 2 * l->n[c])) inside = false;
    }
    for (int c = 0; c < 3 && inside; c++) {
        if (l->n[c] > 0) {
            x[c] += l->shake * l->size[c] / l->n[c] * fe_noise(at[0], at[1], at[2], c);
        }
    }
}

static inline int fe_node(fe_lattice *l, const int at[3], const int a[3], const int b[3])
{
    int *slot = l->node + ((size_t)at[2] * (2 * l->n[1] + 1) + at[1]) * (2 * l->n[0] + 1) + at[0];
    if (*slot < 0) {
        double p[3], q[3], x[3];
        fe_corner(l, a, p);
        fe_corner(l, b, q);
        for (int c = 0; c < 3; c++) x[c] = (p[c] + q[c]) / 2;
        *slot = l->s->nnode;
        flx_structure_add_node(l->s, l->s->nnode + 1, 0, x);
    }
    return *slot;
}

// One element over corners (as lattice places) of its reference cell.
static inline void fe_element(fe_lattice *l, flx_cell cell, flx_family family,
                              const int (*corner)[3])
{
    static const int box[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                   {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
    static const int simplex[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};
    bool tet = cell == FLX_CELL_TET4 || cell == FLX_CELL_TET10 || cell == FLX_CELL_TRI3 ||
               cell == FLX_CELL_TRI6;
    int d = flx_cells[cell].dimension, corners = tet ? d + 1 : 1 << d, nodes[FLX_CELL_NODES];
    for (int a = 0; a < corners; a++) nodes[a] = fe_node(l, corner[a], corner[a], corner[a]);
    for (int m = corners; m < flx_cells[cell].nodes; m++) {
        const int *e = tet ? simplex[m - corners] : box[m - corners];
        int at[3];
        for (int c = 0; c < 3; c++) at[c] = (corner[e[0]][c] + corner[e[1]][c]) / 2;
        nodes[m] = fe_node(l, at, corner[e[0]], corner[e[1]]);
    }
    flx_element e = {.cell = cell,
                     .family = family,
                     .label = l->s->nelement + 1,
                     .material = 0,
                     .section = family == FLX_FAMILY_SOLID ? -1 : 0};
    flx_structure_add_element(l->s, &e, nodes);
}

static inline void fe_fill_cube(fe_lattice *l, flx_cell cell, const int at[3])
{
    static const int order[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1},
                                    {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    static const int box[8][3] = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0},
                                  {0, 0, 2}, {2, 0, 2}, {2, 2, 2}, {0, 2, 2}};
    int corner[8][3];
    if (cell == FLX_CELL_HEX8 || cell == FLX_CELL_HEX20) {
        for (int a = 0; a < 8; a++) {
            for (int c = 0; c < 3; c++) corner[a][c] = at[c] + box[a][c];
        }
        fe_element(l, cell, FLX_FAMILY_SOLID, corner);
        return;
    }
    for (int p = 0; p < 6; p++) { // six tetrahedra around the diagonal
        for (int a = 0; a < 4; a++) {
            for (int c = 0; c < 3; c++) corner[a][c] = a ? corner[a - 1][c] : at[c];
            if (a) corner[a][order[p][a - 1]] += 2;
        }
        if (p >= 3) {
            for (int c = 0; c < 3; c++) {
                int t = corner[1][c];
                corner[1][c] = corner[2][c];
                corner[2][c] = t;
            }
        }
        fe_element(l, cell, FLX_FAMILY_SOLID, corner);
    }
}

static inline void fe_fill_square(fe_lattice *l, flx_cell cell, flx_family family, const int at[3])
{
    int x = at[0], y = at[1];
    const int box[4][3] = {{x, y, 0}, {x + 2, y, 0}, {x + 2, y + 2, 0}, {x, y + 2, 0}};
    const int low[3][3] = {{x, y, 0}, {x + 2, y, 0}, {x + 2, y + 2, 0}};
    const int high[3][3] = {{x, y, 0}, {x + 2, y + 2, 0}, {x, y + 2, 0}};
    if (cell == FLX_CELL_QUAD4 || cell == FLX_CELL_QUAD8) {
        fe_element(l, cell, family, box);
    } else {
        fe_element(l, cell, family, low);
        fe_element(l, cell, family, high);
    }
}

// A box (solids) or a rectangle (nz = 0) with one corner at the origin; one material, and a section with
// the thickness for plane cells. shake: how far inner corners are moved, as a part of a cell.
static inline flx_structure *fe_box(flx_ctx *ctx, flx_cell cell, flx_family family, int nx, int ny,
                                    int nz, const double size[3], const flx_material *material,
                                    double thickness, double shake)
{
    fe_lattice l = {
        flx_structure_create(ctx, NULL), {nx, ny, nz}, {size[0], size[1], size[2]}, shake, NULL};
    size_t n = (size_t)(2 * nx + 1) * (2 * ny + 1) * (2 * nz + 1);
    l.node = malloc(n * sizeof *l.node);
    for (size_t i = 0; i < n; i++) l.node[i] = -1;
    l.s->dimension = flx_cells[cell].dimension;
    flx_structure_add_material(l.s, material);
    flx_structure_add_section(l.s, &(flx_section){.name = "", .thickness = thickness});
    for (int k = 0; k < (nz > 0 ? nz : 1); k++) {
        for (int j = 0; j < ny; j++) {
            for (int i = 0; i < nx; i++) {
                const int at[3] = {2 * i, 2 * j, 2 * k};
                if (nz > 0) {
                    fe_fill_cube(&l, cell, at);
                } else {
                    fe_fill_square(&l, cell, family, at);
                }
            }
        }
    }
    free(l.node);
    return l.s;
}

// Prescribes components of all nodes whose place along an axis is `at`.
static inline void fe_support(flx_structure *s, int axis, double at, unsigned mask)
{
    for (int i = 0; i < s->nnode; i++) {
        if (fabs(s->x[3 * i + axis] - at) > 1e-9) continue;
        flx_structure_add_support(s, &(flx_support){.node = i, .mask = mask});
    }
}
