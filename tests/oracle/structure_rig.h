// structure_rig.h - structures of every kind of element with their matrices, for the comparison with other solvers.
#pragma once

#include "check.h"
#include "fe/fe_equations.h"
#include "fe_mesh.h"
#include "math/lowest_modes.h"
#include "mumps.h"
#include "random_number.h"

typedef struct structure_rig {
    flx_ctx *ctx;
    flx_structure *s;
    flx_fe *fe;
    int *group;
} structure_rig;

typedef struct structure_case {
    const char *name;
    int cell; // of flx_cell; -1: beams
    int nx, ny, nz;
    double shake;
    bool held, lumped;
} structure_case;

// A square bar has pairs of equal frequencies; a shaken one has none. Beams that are lumped have unknowns without mass.
static const structure_case structure_cases[] = {
    {"tetrahedra, held", FLX_CELL_TET10, 6, 3, 2, 0.3, true, false},
    {"bricks, free", FLX_CELL_HEX20, 5, 2, 2, 0.3, false, false},
    {"square bar of bricks, held", FLX_CELL_HEX8, 12, 4, 4, 0, true, false},
    {"square bar, free", FLX_CELL_HEX8, 8, 3, 3, 0, false, true},
    {"plane, held", FLX_CELL_QUAD8, 24, 12, 0, 0.2, true, false},
    {"plane, free", FLX_CELL_TRI6, 16, 9, 0, 0.2, false, false},
    {"beams, held", -1, 60, 0, 0, 0, true, false},
    {"beams without rotary inertia, free", -1, 40, 0, 0, 0, false, true},
};
enum { STRUCTURE_CASES = sizeof structure_cases / sizeof structure_cases[0] };

static inline void structure_make(structure_rig *r, const structure_case *c)
{
    static const flx_material steel = {"", {NULL, 0, 0, NULL}, 2.1e11, 0.3, 7850, 0};
    if (c->cell < 0) {
        flx_section section = flx_section_rectangle(0.01, 0.02, 0.3);
        r->s = flx_structure_create(r->ctx, NULL);
        flx_structure_add_material(r->s, &steel);
        flx_structure_add_section(r->s, &section);
        flx_structure_add_line(r->s, 2, (const double[]){0, 0, 0, 1.5, 0.4, 0.2}, c->nx, 0, 0);
        return;
    }
    bool plane = flx_cells[c->cell].dimension == 2;
    double size[3] = {1, 0.25, c->shake > 0 ? 0.15 : 0.25};
    r->s = fe_box(r->ctx, (flx_cell)c->cell, plane ? FLX_FAMILY_PLANE_STRESS : FLX_FAMILY_SOLID,
                  c->nx, c->ny, c->nz, size, &steel, 0.02, c->shake);
}

static inline bool structure_begin(structure_rig *r, const structure_case *c)
{
    *r = (structure_rig){.ctx = flx_ctx_create()};
    structure_make(r, c);
    for (int i = 0; i < r->s->nnode && c->held; i++) {
        if (fabs(r->s->x[3 * i]) > 1e-9) continue;
        flx_structure_add_support(r->s, &(flx_support){.node = i, .mask = 077});
    }
    if (flx_fe_create(r->ctx, r->s, &(flx_fe_options){.lumped = c->lumped}, &r->fe) != FLX_OK) {
        printf("%s: %s\n", c->name, flx_ctx_error(r->ctx, 0)->text);
        return false;
    }
    r->group = calloc((size_t)r->fe->n + 1, sizeof *r->group);
    for (int i = 0; i < r->fe->n; i++) r->group[i] = r->fe->node_of[i] / 6;
    return true;
}

static inline void structure_end(structure_rig *r)
{
    free(r->group);
    flx_fe_destroy(&r->fe);
    flx_structure_destroy(&r->s);
    flx_ctx_destroy(&r->ctx);
}

// Factors of K - shift M.
static inline mumps *mumps_of(const flx_symmetric *K, double shift, const flx_symmetric *M)
{
    int count = (int)K->start[K->n], *column = calloc((size_t)count + 1, sizeof *column);
    double *value = calloc((size_t)count + 1, sizeof *value);
    for (int j = 0; j < K->n; j++) {
        for (int64_t p = K->start[j]; p < K->start[j + 1]; p++) {
            column[p] = j;
            value[p] = K->value[p] - (M ? shift * M->value[p] : 0);
        }
    }
    mumps *m = mumps_factor(K->n, count, K->row, column, value);
    free(column);
    free(value);
    return m;
}
