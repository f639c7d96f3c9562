// solid_mesh.h - structures of solid cells as files of Abaqus, for models of tests.
#pragma once

#include "fe_mesh.h"

#include <stdio.h>
#include <string.h>

static inline void solid_mesh_set(FILE *f, const flx_structure *s, const char *name,
                                  bool (*has)(const double x[3]))
{
    fprintf(f, "*NSET, NSET=%s\n", name);
    for (int i = 0; i < s->nnode; i++) {
        if (has(s->x + 3 * i)) fprintf(f, "%d\n", s->label[i]);
    }
}

// Nodes and elements, which are of one cell. The caller adds sets and closes it; NULL: it cannot be written.
static inline FILE *solid_mesh_open(const char *path, const flx_structure *s)
{
    FILE *f = fopen(path, "w");
    int n = flx_cells[s->elements[0].cell].nodes;
    if (!f) return NULL;
    fprintf(f, "*NODE\n");
    for (int i = 0; i < s->nnode; i++) {
        const double *x = s->x + 3 * i;
        fprintf(f, "%d, %.17g, %.17g, %.17g\n", s->label[i], x[0], x[1], x[2]);
    }
    fprintf(f, "*ELEMENT, TYPE=C3D%d, ELSET=ALL\n", n);
    for (int i = 0; i < s->nelement; i++) {
        const int *nodes = flx_element_nodes(s, i);
        fprintf(f, "%d", i + 1);
        for (int k = 0; k < n; k++) fprintf(f, k == 10 ? ",\n%d" : ", %d", s->label[nodes[k]]);
        fprintf(f, "\n");
    }
    return f;
}
