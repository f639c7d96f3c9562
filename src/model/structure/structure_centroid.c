// structure_centroid.c - the centroid of the faces that some nodes make: unlike the mean of the nodes it does not depend on where
// a mesh is fine.
#include "math/small.h"
#include "model/cell_shape.h"

#include <stdlib.h>
#include <string.h>

typedef struct part { // a face or an edge all of whose nodes are in the list
    int corner
        [4]; // ascending, -1 before those of fewer; two elements beside each other have the same
    double size, at[3];
} part;

static int by_corners(const void *a, const void *b)
{
    const part *x = a, *y = b;
    for (int i = 0; i < 4; i++) {
        if (x->corner[i] != y->corner[i]) return x->corner[i] < y->corner[i] ? -1 : 1;
    }
    return 0;
}

static v3 place_of(const flx_structure *s, int node)
{
    return v3_load(s->x + 3 * (size_t)node);
}

static void add(part *p, double size, v3 at)
{
    p->size += size;
    v3_store(p->at, v3_axpy(size, at, v3_load(p->at)));
}

// Triangles around a middle, along the edge and its middle nodes.
static void measure_face(const flx_structure *s, int corners, bool quadratic, const int *nodes,
                         part *p)
{
    int ring[8], n = 0;
    v3 middle = {0, 0, 0};
    for (int i = 0; i < corners; i++) {
        ring[n++] = nodes[i];
        if (quadratic) ring[n++] = nodes[corners + i];
    }
    for (int i = 0; i < n; i++) middle = v3_axpy(1.0 / n, place_of(s, ring[i]), middle);
    for (int i = 0; i < n; i++) {
        v3 a = place_of(s, ring[i]), b = place_of(s, ring[(i + 1) % n]);
        double area = 0.5 * v3_norm(v3_cross(v3_sub(a, middle), v3_sub(b, middle)));
        add(p, area, v3_scale(1.0 / 3, v3_add(middle, v3_add(a, b))));
    }
}

static void measure_edge(const flx_structure *s, bool quadratic, const int *nodes, part *p)
{
    int ring[3] = {nodes[0], quadratic ? nodes[2] : nodes[1], nodes[1]};
    for (int i = 0; i < (quadratic ? 2 : 1); i++) {
        v3 a = place_of(s, ring[i]), b = place_of(s, ring[i + 1]);
        add(p, v3_norm(v3_sub(b, a)), v3_scale(0.5, v3_add(a, b)));
    }
}

static bool holds_all(const bool *in, int n, const int *nodes)
{
    for (int i = 0; i < n; i++) {
        if (!in[nodes[i]]) return false;
    }
    return true;
}

static int by_number(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

// parts NULL: count them.
static int list_parts(const flx_structure *s, const bool *in, part *parts)
{
    int nodes[FLX_CELL_NODES], count = 0;
    flx_cell cell;
    int solid = s->dimension == 2 ? 2 : 3; // bodies of faces, in the plane of edges
    for (int e = 0; e < s->nelement; e++) {
        if (s->elements[e].family != FLX_FAMILY_SOLID ||
            flx_cells[s->elements[e].cell].dimension != solid)
            continue;
        for (int k = 0; flx_structure_face(s, e, k, &cell, nodes); k++) {
            int all = flx_cells[cell].nodes;
            if (!holds_all(in, all, nodes)) continue;
            part *p = parts ? parts + count : NULL;
            count++;
            if (!p) continue;
            bool quadratic =
                cell == FLX_CELL_TRI6 || cell == FLX_CELL_QUAD8 || cell == FLX_CELL_LINE3;
            int corners = solid == 2 ? 2 : quadratic ? all / 2 : all;
            *p = (part){.corner = {-1, -1, -1, -1}};
            memcpy(p->corner, nodes, (size_t)corners * sizeof *nodes);
            qsort(p->corner, 4, sizeof *p->corner, by_number);
            if (solid == 2) {
                measure_edge(s, quadratic, nodes, p);
            } else {
                measure_face(s, corners, quadratic, nodes, p);
            }
        }
    }
    return count;
}

flx_status flx_structure_centroid(const flx_structure *s, int n, const int *nodes, double x[3],
                                  double *size)
{
    bool *in = flx_alloc(s->ctx, (size_t)s->nnode, sizeof *in);
    if (!in) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) in[nodes[i]] = true;
    int count = list_parts(s, in, NULL);
    part *parts = flx_alloc(s->ctx, (size_t)count, sizeof *parts);
    *size = 0;
    memset(x, 0, 3 * sizeof *x);
    if (parts) {
        list_parts(s, in, parts);
        qsort(parts, (size_t)count, sizeof *parts, by_corners);
        for (int i = 0, same; i < count; i += same) { // one that two elements have is inside
            for (same = 1; i + same < count && by_corners(parts + i, parts + i + same) == 0;)
                same++;
            if (same > 1) continue;
            *size += parts[i].size;
            for (int c = 0; c < 3; c++) x[c] += parts[i].at[c];
        }
        for (int c = 0; c < 3 && *size > 0; c++) x[c] /= *size;
    }
    flx_free(parts);
    flx_free(in);
    return parts ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_structure_face_weights(const flx_structure *s, int n, const int *elements, double *weight)
{
    for (int e = 0; e < n; e++) {
        const int *nodes = flx_element_nodes(s, elements[e]);
        flx_shape_table t;
        flx_shape_fill(s->elements[elements[e]].cell, FLX_RULE_MASS, &t);
        for (int k = 0; k < t.points; k++) {
            v3 a[2] = {{0, 0, 0}, {0, 0, 0}};
            for (int q = 0; q < t.dimension && q < 2; q++) {
                for (int i = 0; i < t.nodes; i++)
                    a[q] = v3_axpy(t.dN[k][i][q], place_of(s, nodes[i]), a[q]);
            }
            double size = t.weight[k] * v3_norm(t.dimension == 2 ? v3_cross(a[0], a[1]) : a[0]);
            for (int i = 0; i < t.nodes; i++) weight[nodes[i]] += size * t.N[k][i];
        }
    }
}
