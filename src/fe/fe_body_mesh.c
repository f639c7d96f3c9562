// fe_body_mesh.c - the mesh of a flexible body as it is drawn: its surface as triangles, its cells, its nodes
// with those of the surface first (docs/dev/scene.md).
#include "fe/fe_body.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES 64e6 // of modes and stresses; larger meshes are drawn by their surface alone
#define FACES 6         // most of an element

typedef struct face {
    uint64_t key; // the same for the two sides of a face
    int element, face;
} face;

typedef struct drawing {
    const flx_fe *fe;
    face *faces;
    int nface;
    int *order; // (nnode) row of a node
    flx_elastic_mesh *m;
    int corners; // entries of the connectivity
} drawing;

static uint64_t mix(uint64_t h)
{
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
    return h ^ h >> 29;
}

static int compare(const void *a_, const void *b_)
{
    const face *a = a_, *b = b_;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return (a->element > b->element) - (a->element < b->element);
}

static int compare_elements(const void *a_, const void *b_)
{
    const face *a = a_, *b = b_;
    if (a->element != b->element) return a->element < b->element ? -1 : 1;
    return (a->face > b->face) - (a->face < b->face);
}

static bool is_flat(const flx_element *e)
{
    return e->family == FLX_FAMILY_PLANE_STRESS || e->family == FLX_FAMILY_PLANE_STRAIN;
}

// Cell and nodes of a face; a plane element is its own.
static bool face_of(const flx_structure *s, int element, int number, flx_cell *cell, int *nodes)
{
    const flx_element *e = s->elements + element;
    if (e->family == FLX_FAMILY_SOLID) return flx_structure_face(s, element, number, cell, nodes);
    if (!is_flat(e) || number > 0) return false;
    *cell = e->cell;
    memcpy(nodes, flx_element_nodes(s, element), (size_t)flx_cells[*cell].nodes * sizeof *nodes);
    return true;
}

// Faces that only one element has.
static void find_surface(drawing *d)
{
    const flx_structure *s = d->fe->s;
    int all = 0, kept = 0, nodes[FLX_CELL_NODES];
    flx_cell cell;
    for (int e = 0; e < s->nelement; e++) {
        for (int f = 0; f < FACES && face_of(s, e, f, &cell, nodes); f++) {
            uint64_t key = 0;
            for (int a = 0; a < flx_cells[cell].nodes; a++) key += mix((uint64_t)nodes[a] + 1);
            d->faces[all++] = (face){key, e, f};
        }
    }
    qsort(d->faces, (size_t)all, sizeof *d->faces, compare);
    for (int i = 0; i < all; i++) {
        bool again = i > 0 && d->faces[i].key == d->faces[i - 1].key;
        bool twice = i + 1 < all && d->faces[i].key == d->faces[i + 1].key;
        if (!again && !twice) d->faces[kept++] = d->faces[i];
    }
    qsort(d->faces, (size_t)kept, sizeof *d->faces, compare_elements);
    d->nface = kept;
}

static void order_surface(drawing *d)
{
    int nodes[FLX_CELL_NODES];
    flx_cell cell;
    const int(*list)[3];
    for (int i = 0; i < d->fe->nnode; i++) d->order[i] = -1;
    for (int i = 0; i < d->nface; i++) {
        const face *f = d->faces + i;
        if (!face_of(d->fe->s, f->element, f->face, &cell, nodes)) continue;
        for (int a = 0; a < flx_cells[cell].nodes; a++) {
            if (d->order[nodes[a]] < 0) d->order[nodes[a]] = d->m->nnode++;
        }
        d->m->ntriangle += flx_cell_triangles(cell, &list);
    }
    d->m->nsurface = d->m->nnode;
}

static bool is_drawn(const flx_element *e)
{
    return e->family != FLX_FAMILY_NONE;
}

// Nodes inside, and the cells.
static void order_cells(drawing *d)
{
    const flx_structure *s = d->fe->s;
    for (int e = 0; e < s->nelement; e++) {
        if (!is_drawn(s->elements + e)) continue;
        const int *nodes = flx_element_nodes(s, e);
        int n = flx_cells[s->elements[e].cell].nodes;
        for (int a = 0; a < n; a++) {
            if (d->order[nodes[a]] < 0) d->order[nodes[a]] = d->m->nnode++;
        }
        d->m->ncell++;
        d->corners += n;
    }
}

flx_status flx_elastic_mesh_reserve(flx_elastic_mesh *m, flx_arena *arena, int n, int ncell,
                                    int corners, bool stressed)
{
    size_t nodes = (size_t)m->nnode, modes = (size_t)n * nodes, cells = (size_t)ncell;
    m->ncell = ncell;
    m->nodes = flx_arena_take(arena, 3 * nodes, sizeof *m->nodes);
    m->labels = flx_arena_take(arena, nodes, sizeof *m->labels);
    m->triangles = flx_arena_take(arena, 3 * (size_t)m->ntriangle, sizeof *m->triangles);
    m->cells = flx_arena_take(arena, cells, sizeof *m->cells);
    m->offsets = flx_arena_take(arena, cells + 1, sizeof *m->offsets);
    m->connectivity = flx_arena_take(arena, (size_t)corners, sizeof *m->connectivity);
    m->modes = flx_arena_take(arena, 3 * modes, sizeof *m->modes);
    if (stressed) m->stress = flx_arena_take(arena, 6 * modes, sizeof *m->stress);
    return m->nodes && m->labels && m->triangles && m->cells && m->offsets && m->connectivity &&
                   m->modes && (m->stress || !stressed)
               ? FLX_OK
               : FLX_ERR_MEMORY;
}

static void fill_triangles(const drawing *d)
{
    int *t = d->m->triangles, nodes[FLX_CELL_NODES];
    flx_cell cell;
    const int(*list)[3];
    for (int i = 0; i < d->nface; i++) {
        const face *f = d->faces + i;
        if (!face_of(d->fe->s, f->element, f->face, &cell, nodes)) continue;
        int n = flx_cell_triangles(cell, &list);
        for (int k = 0; k < n; k++) {
            for (int a = 0; a < 3; a++) *t++ = d->order[nodes[list[k][a]]];
        }
    }
}

static void fill_cells(const drawing *d)
{
    const flx_structure *s = d->fe->s;
    flx_elastic_mesh *m = d->m;
    int cell = 0, at = 0;
    for (int e = 0; e < s->nelement; e++) {
        if (!is_drawn(s->elements + e)) continue;
        const int *nodes = flx_element_nodes(s, e);
        m->cells[cell] = flx_cells[s->elements[e].cell].vtk;
        for (int a = 0; a < flx_cells[s->elements[e].cell].nodes; a++) {
            m->connectivity[at++] = d->order[nodes[a]];
        }
        m->offsets[++cell] = at;
    }
}

void flx_elastic_mesh_take_surface(flx_elastic_mesh *m)
{
    memcpy(m->connectivity, m->triangles, 3 * (size_t)m->ntriangle * sizeof *m->triangles);
    for (int i = 0; i < m->ncell; i++) {
        m->cells[i] = flx_cells[FLX_CELL_TRI3].vtk;
        m->offsets[i + 1] = 3 * (i + 1);
    }
}

static flx_status draw(drawing *d, flx_arena *arena, int n)
{
    const flx_fe *fe = d->fe;
    flx_elastic_mesh *m = d->m;
    find_surface(d);
    order_surface(d);
    if (m->ntriangle == 0) return FLX_OK;
    bool whole = 36.0 * n * fe->nnode <= MOST_BYTES;
    if (whole) {
        order_cells(d);
    } else {
        m->ncell = m->ntriangle;
        d->corners = 3 * m->ntriangle;
    }
    FLX_TRY(flx_elastic_mesh_reserve(m, arena, n, m->ncell, d->corners, true));
    for (int i = 0; i < fe->nnode; i++) {
        if (d->order[i] < 0) continue;
        m->labels[d->order[i]] = fe->s->label[i];
        for (int c = 0; c < 3; c++)
            m->nodes[3 * d->order[i] + c] = (float)fe->s->x[3 * (size_t)i + c];
    }
    fill_triangles(d);
    if (whole) {
        fill_cells(d);
    } else {
        flx_elastic_mesh_take_surface(m);
    }
    return FLX_OK;
}

flx_status flx_fe_draw(const flx_fe *fe, flx_arena *arena, int n, int *order,
                       flx_elastic_mesh **out)
{
    drawing d = {.fe = fe, .order = order, .m = flx_arena_take(arena, 1, sizeof *d.m)};
    *out = NULL;
    d.faces = flx_alloc(fe->ctx, FACES * (size_t)fe->s->nelement, sizeof *d.faces);
    flx_status status = d.m && d.faces ? draw(&d, arena, n) : FLX_ERR_MEMORY;
    flx_free(d.faces);
    if (status == FLX_OK && d.m->ntriangle > 0) *out = d.m;
    return status;
}
