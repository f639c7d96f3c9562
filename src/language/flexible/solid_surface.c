// solid_surface.c - faces of a solid that loads act on: those that one element has alone, each in the order that
// turns its normal outwards, and the sets of the mesh that name them.
//
// A set that has boundary elements is their faces; another one is all faces whose nodes it has.
#include "language/flexible/deformable.h"
#include "model/structure.h"

#include <stdlib.h>
#include <string.h>

typedef struct face {
    int corner[4]; // ascending, -1 behind those of a triangle
    int element, number;
} face;

static int by_number(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static int by_corners(const void *a, const void *b)
{
    return memcmp(((const face *)a)->corner, ((const face *)b)->corner, sizeof((face *)0)->corner);
}

static face key_of(flx_cell cell, const int *nodes)
{
    int n = cell == FLX_CELL_TRI3 || cell == FLX_CELL_TRI6 ? 3 : 4;
    face f = {.corner = {-1, -1, -1, -1}};
    memcpy(f.corner, nodes, (size_t)n * sizeof *nodes);
    qsort(f.corner, (size_t)n, sizeof *f.corner, by_number);
    return f;
}

static bool is_solid(const flx_structure *s, int element)
{
    return flx_cells[s->elements[element].cell].dimension == 3;
}

static bool is_face(const flx_structure *s, int element)
{
    return flx_cells[s->elements[element].cell].dimension == 2;
}

// All faces of all elements, those of two elements beside each other. Owned by the caller.
static flx_status list_faces(flx_builder *b, const flx_structure *s, int *n, face **out)
{
    int nodes[FLX_CELL_NODES], count = 0;
    flx_cell cell;
    for (int i = 0; i < s->nelement; i++) count += is_solid(s, i) ? 6 : 0;
    face *all = flx_alloc(b->ctx, (size_t)count, sizeof *all);
    *out = all;
    *n = 0;
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nelement; i++) {
        for (int k = 0; is_solid(s, i) && flx_structure_face(s, i, k, &cell, nodes); k++) {
            face f = key_of(cell, nodes);
            f.element = i;
            f.number = k;
            all[(*n)++] = f;
        }
    }
    qsort(all, (size_t)*n, sizeof *all, by_corners);
    return FLX_OK;
}

static int keep_outer(int n, face *all)
{
    int kept = 0;
    for (int i = 0, same; i < n; i += same) {
        for (same = 1; i + same < n && by_corners(all + i, all + i + same) == 0; same++) {
        }
        if (same == 1) all[kept++] = all[i];
    }
    return kept;
}

static flx_status copy_faces(flx_builder *b, const flx_structure *s, int n, const face *all,
                             flx_solid_faces *out)
{
    int nodes[FLX_CELL_NODES], at = 0;
    flx_cell cell;
    size_t most = 8 * (size_t)n; // nodes of a quadratic quadrilateral
    out->cells = flx_arena_take(b->m->arena, (size_t)n, sizeof *out->cells);
    out->first = flx_arena_take(b->m->arena, (size_t)n + 1, sizeof *out->first);
    out->nodes = flx_arena_take(b->m->arena, most, sizeof *out->nodes);
    if (!out->cells || !out->first || !out->nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        (void)flx_structure_face(s, all[i].element, all[i].number, &cell, nodes);
        out->cells[i] = (int)cell;
        out->first[i] = at;
        memcpy(out->nodes + at, nodes, (size_t)flx_cells[cell].nodes * sizeof *nodes);
        at += flx_cells[cell].nodes;
    }
    out->first[n] = at;
    out->n = n;
    return FLX_OK;
}

// The faces that a set's boundary elements are; stray: how many of these are none of the surface.
static void find_elements(const flx_structure *s, const flx_mesh_set *set, int n, const face *all,
                          flx_solid_group *g)
{
    for (int i = 0; i < set->nelement; i++) {
        if (!is_face(s, set->elements[i])) continue;
        face key =
            key_of(s->elements[set->elements[i]].cell, flx_element_nodes(s, set->elements[i]));
        const face *own = bsearch(&key, all, (size_t)n, sizeof key, by_corners);
        if (own) g->faces[g->n++] = (int)(own - all);
        g->stray += !own;
    }
}

// The faces all of whose nodes a set has, which are ascending.
static void find_nodes(const flx_mesh_set *set, const flx_solid_faces *f, flx_solid_group *g)
{
    for (int i = 0; i < f->n; i++) {
        bool all = true;
        for (int k = f->first[i]; k < f->first[i + 1] && all; k++) {
            all = bsearch(f->nodes + k, set->nodes, (size_t)set->nnode, sizeof(int), by_number);
        }
        if (all) g->faces[g->n++] = i;
    }
}

static flx_status find_groups(flx_builder *b, const flx_structure *s, int n, const face *all,
                              flx_solid_data *d)
{
    d->groups = flx_take(b, (size_t)s->nset, sizeof *d->groups);
    if (!d->groups) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nset; i++) {
        const flx_mesh_set *set = s->sets + i;
        flx_solid_group *g = d->groups + d->ngroup++;
        int count = 0;
        for (int k = 0; k < set->nelement; k++) count += is_face(s, set->elements[k]);
        *g = (flx_solid_group){.name = set->name};
        g->faces = flx_take(b, (size_t)(count > 0 ? count : n), sizeof *g->faces);
        if (!g->faces) return FLX_ERR_MEMORY;
        if (count > 0) {
            find_elements(s, set, n, all, g);
        } else {
            find_nodes(set, &d->surface, g);
        }
    }
    return FLX_OK;
}

flx_status flx_solid_find_surface(flx_builder *b, const flx_structure *s, flx_solid_data *d)
{
    face *all = NULL;
    int n = 0;
    flx_status status = list_faces(b, s, &n, &all);
    if (status == FLX_OK) {
        n = keep_outer(n, all);
        status = copy_faces(b, s, n, all, &d->surface);
    }
    if (status == FLX_OK) status = find_groups(b, s, n, all, d);
    flx_free(all);
    return status;
}

// ---- faces by name ------------------------------------------------------------------------------

static flx_status refuse_name(flx_builder *b, const flx_entry *y, const flx_item *solid,
                              const flx_solid_data *d)
{
    flx_nearest near;
    flx_nearest_start(&near, y->text);
    for (int i = 0; i < d->ngroup; i++) {
        if (d->groups[i].n > 0) flx_nearest_offer(&near, d->groups[i].name);
    }
    const char *best = flx_nearest_best(&near);
    return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                    "the surface of '%s' has no set of faces named '%s'%s%s%s", solid->full,
                    y->text, best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
}

static flx_status mark_group(flx_builder *b, const flx_entry *y, const flx_item *solid,
                             const flx_solid_data *d, bool *wanted)
{
    const flx_solid_group *g = NULL;
    for (int i = 0; i < d->ngroup; i++) {
        if (strcmp(d->groups[i].name, y->text) == 0) g = d->groups + i;
    }
    if (g && g->stray > 0) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, y->loc,
                        "%d of the faces of '%s' lie inside of the mesh, or belong to no element: "
                        "loads act on its surface",
                        g->stray, y->text);
    }
    if (!g || g->n == 0) return refuse_name(b, y, solid, d);
    for (int i = 0; i < g->n; i++) wanted[g->faces[i]] = true;
    return FLX_OK;
}

flx_status flx_solid_faces_of(flx_builder *b, const flx_item *solid, const flx_entry *surface,
                              flx_solid_faces *out)
{
    const flx_solid_data *d = ((const flx_body_data *)solid->data)->solid;
    const flx_solid_faces *all = &d->surface;
    *out = *all;
    if (!surface) return FLX_OK;
    bool *wanted = flx_take(b, (size_t)all->n, sizeof *wanted);
    out->cells = flx_arena_take(b->m->arena, (size_t)all->n, sizeof *out->cells);
    out->first = flx_arena_take(b->m->arena, (size_t)all->n + 1, sizeof *out->first);
    if (!wanted || !out->cells || !out->first) return FLX_ERR_MEMORY;
    if (surface->kind != FLX_ENTRY_LIST) FLX_TRY(mark_group(b, surface, solid, d, wanted));
    for (int i = 0; surface->kind == FLX_ENTRY_LIST && i < surface->count; i++) {
        FLX_TRY(mark_group(b, surface->items[i], solid, d, wanted));
    }
    out->n = 0;
    for (int i = 0; i < all->n; i++) {
        if (!wanted[i]) continue;
        out->cells[out->n] = all->cells[i];
        out->first[out->n++] = all->first[i]; // the nodes are shared
    }
    return FLX_OK;
}
