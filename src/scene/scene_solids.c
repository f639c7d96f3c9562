// scene_solids.c - solids of large deformation in the scene: their surface as triangles between nodes, each of which
// is a body or a place of one.
#include "model/structure.h"
#include "scene/model_scene.h"

bool flx_scene_is_solid_node(const flx_model *m, int body)
{
    for (int i = 0; i < m->nsolid; i++) {
        const flx_solid *s = m->solids + i;
        if (s->nfree > 0 && body == s->free[0]) return true;
        if (s->nfree > 1 && body >= s->free[1] && body <= s->free[2]) return true;
    }
    return false;
}

// Numbers the nodes of the surface as they come: order[node], -1 for the others. Returns how many there are.
static int number_nodes(const flx_solid *s, int *order)
{
    const flx_solid_faces *f = &s->surface;
    int n = 0;
    for (int i = 0; i < s->nnode; i++) order[i] = -1;
    for (int k = 0; k < f->first[f->n]; k++) {
        int node = f->nodes[k];
        if (order[node] < 0) order[node] = n++;
    }
    return n;
}

static int count_triangles(const flx_solid_faces *f)
{
    const int(*list)[3];
    int n = 0;
    for (int i = 0; i < f->n; i++) n += flx_cell_triangles((flx_cell)f->cells[i], &list);
    return n;
}

static void fill_triangles(const flx_solid_faces *f, const int *order, int *out)
{
    for (int i = 0; i < f->n; i++) {
        const int *nodes = f->nodes + f->first[i], (*list)[3];
        int n = flx_cell_triangles((flx_cell)f->cells[i], &list);
        for (int k = 0; k < 3 * n; k++) *out++ = order[nodes[list[k / 3][k % 3]]];
    }
}

static flx_status make_solid(const flx_solid *s, flx_arena *arena, int *order, flx_scene_solid *out)
{
    out->name = s->name;
    out->nnode = number_nodes(s, order);
    out->ntriangle = count_triangles(&s->surface);
    int *bodies = flx_arena_take(arena, (size_t)out->nnode, sizeof *bodies);
    double *at = flx_arena_take(arena, 3 * (size_t)out->nnode, sizeof *at);
    int *triangles = flx_arena_take(arena, 3 * (size_t)out->ntriangle, sizeof *triangles);
    if (!bodies || !at || !triangles) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nnode; i++) {
        if (order[i] < 0) continue;
        bodies[order[i]] = s->body[i];
        v3_store(at + 3 * (size_t)order[i], v3_load(s->arm + 3 * (size_t)i));
    }
    fill_triangles(&s->surface, order, triangles);
    out->body = bodies;
    out->at = at;
    out->triangles = triangles;
    return FLX_OK;
}

flx_status flx_scene_make_solids(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    flx_scene_solid *solids = flx_arena_take(arena, (size_t)m->nsolid, sizeof *solids);
    if (!solids) return FLX_ERR_MEMORY;
    s->solids = solids;
    for (int i = 0; i < m->nsolid; i++) {
        int *order = flx_arena_take(arena, (size_t)m->solids[i].nnode, sizeof *order);
        if (!order) return FLX_ERR_MEMORY;
        FLX_TRY(make_solid(m->solids + i, arena, order, solids + s->nsolid++));
    }
    return FLX_OK;
}
