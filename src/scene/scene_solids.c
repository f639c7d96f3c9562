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

// Nodes of the surface by numbers of their own: order[node], -1 for the others.
static void put_nodes(const flx_solid *s, int *order, flx_text *t)
{
    const flx_solid_faces *f = &s->surface;
    int n = 0, told = 0;
    for (int i = 0; i < s->nnode; i++) order[i] = -1;
    flx_text_put(t, ", \"bodies\": [");
    for (int k = 0; k < f->first[f->n]; k++) {
        int node = f->nodes[k];
        if (order[node] >= 0) continue;
        flx_text_print(t, "%s%d", n ? ", " : "", s->body[node]);
        order[node] = n++;
    }
    flx_text_put(t, "], \"at\": [");
    for (int k = 0; k < f->first[f->n]; k++) {
        int node = f->nodes[k];
        if (order[node] != told) continue; // said before
        flx_text_put(t, told++ ? ", " : "");
        flx_text_put_numbers(t, 3, s->arm + 3 * (size_t)node);
    }
    flx_text_put(t, "]");
}

static void put_triangles(const flx_solid *s, const int *order, flx_text *t)
{
    const flx_solid_faces *f = &s->surface;
    const char *comma = "";
    flx_text_put(t, ", \"triangles\": [");
    for (int i = 0; i < f->n; i++) {
        const int *nodes = f->nodes + f->first[i], (*list)[3];
        int n = flx_cell_triangles((flx_cell)f->cells[i], &list);
        for (int k = 0; k < n; k++) {
            flx_text_print(t, "%s[%d, %d, %d]", comma, order[nodes[list[k][0]]],
                           order[nodes[list[k][1]]], order[nodes[list[k][2]]]);
            comma = ", ";
        }
    }
    flx_text_put(t, "]");
}

flx_status flx_scene_put_solids(const flx_model *m, flx_text *t)
{
    for (int i = 0; i < m->nsolid; i++) {
        const flx_solid *s = m->solids + i;
        int *order = flx_alloc(m->ctx, (size_t)s->nnode, sizeof *order);
        if (!order) return FLX_ERR_MEMORY;
        flx_text_put(t, i ? ", {\"name\": " : "{\"name\": ");
        flx_text_put_string(t, s->name);
        put_nodes(s, order, t);
        put_triangles(s, order, t);
        flx_text_put(t, "}");
        flx_free(order);
    }
    return FLX_OK;
}
