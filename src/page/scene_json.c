// scene_json.c - a scene as JSON, for the page (viewer/src/data.ts).
#include "page/scene_json.h"

#include <string.h>

static void put_key(flx_text *t, const char *key)
{
    flx_text_print(t, ", \"%s\": ", key);
}

static void put_vector(flx_text *t, const char *key, const double v[3])
{
    put_key(t, key);
    flx_text_put_numbers(t, 3, v);
}

// n vectors, one after the other: [[x, y, z], ...]
static void put_vectors(flx_text *t, int n, const double *v)
{
    flx_text_put(t, "[");
    for (int i = 0; i < n; i++) {
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_numbers(t, 3, v + 3 * (size_t)i);
    }
    flx_text_put(t, "]");
}

static void put_ints(flx_text *t, int n, const int *x)
{
    flx_text_put(t, "[");
    for (int i = 0; i < n; i++) flx_text_print(t, i > 0 ? ", %d" : "%d", x[i]);
    flx_text_put(t, "]");
}

static void put_name(flx_text *t, int i, const char *name)
{
    flx_text_put(t, i > 0 ? ", {\"name\": " : "{\"name\": ");
    flx_text_put_string(t, name);
}

static void put_turn(flx_text *t, const flx_scene_shape *s)
{
    bool mesh = strcmp(s->kind, "mesh") == 0;
    if (s->turn[1] != 0 || s->turn[2] != 0 || s->turn[3] != 0) {
        put_key(t, "turn");
        flx_text_put_numbers(t, 4, s->turn);
    }
    if (!mesh) return;
    put_key(t, "scale");
    flx_text_put_number(t, s->scale);
    flx_text_print(t, ", \"surface\": %d", s->surface);
}

static void put_shapes(flx_text *t, int n, const flx_scene_shape *s)
{
    put_key(t, "shapes");
    flx_text_put(t, "[");
    for (int i = 0; i < n; i++) {
        flx_text_put(t, i > 0 ? ", {\"kind\": " : "{\"kind\": ");
        flx_text_put_string(t, s[i].kind);
        put_vector(t, "size", s[i].size);
        put_vector(t, "at", s[i].at);
        put_vector(t, "axis", s[i].axis);
        put_turn(t, &s[i]);
        if (s[i].colour > 0) flx_text_print(t, ", \"colour\": %d", s[i].colour - 1);
        flx_text_put(t, "}");
    }
    flx_text_put(t, "]");
}

static void put_elastic(flx_text *t, const flx_scene_elastic *e)
{
    flx_text_print(t, ", \"elastic\": {\"motion\": %d, \"line\": %s", e->motion,
                   e->line ? "true" : "false");
    if (e->mesh >= 0) flx_text_print(t, ", \"mesh\": %d", e->mesh);
    put_key(t, "nodes");
    put_vectors(t, e->nnode, e->nodes);
    put_key(t, "shapes");
    flx_text_put(t, "[");
    for (int k = 0; k < e->nmode; k++) {
        if (k > 0) flx_text_put(t, ", ");
        put_vectors(t, e->nnode, e->shapes + 3 * (size_t)e->nnode * (size_t)k);
    }
    flx_text_put(t, "]}");
}

static void put_body(flx_text *t, int i, const flx_scene_body *b)
{
    put_name(t, i, b->name);
    flx_text_print(t, ", \"motion\": %d", b->motion);
    put_key(t, "mass");
    flx_text_put_number(t, b->mass);
    put_vector(t, "com", b->com);
    put_key(t, "points");
    flx_text_put(t, "[");
    for (int k = 0; k < b->npoint; k++) {
        put_name(t, k, b->points[k].name);
        put_vector(t, "at", b->points[k].at);
        flx_text_put(t, "}");
    }
    flx_text_put(t, "]");
    put_shapes(t, b->nshape, b->shapes);
    if (!b->place) flx_text_put(t, ", \"place\": false");
    if (b->elastic) put_elastic(t, b->elastic);
    flx_text_put(t, "}");
}

static void put_line(flx_text *t, int i, const flx_scene_line *l)
{
    put_name(t, i, l->name);
    flx_text_print(t, ", \"round\": %s", l->round ? "true" : "false");
    put_key(t, "size");
    flx_text_put_numbers(t, 2, l->size);
    put_key(t, "nodes");
    put_ints(t, l->nnode, l->nodes);
    flx_text_put(t, "}");
}

static void put_solid(flx_text *t, int i, const flx_scene_solid *s)
{
    put_name(t, i, s->name);
    put_key(t, "bodies");
    put_ints(t, s->nnode, s->body);
    put_key(t, "at");
    put_vectors(t, s->nnode, s->at);
    put_key(t, "triangles");
    flx_text_put(t, "[");
    for (int k = 0; k < s->ntriangle; k++) {
        if (k > 0) flx_text_put(t, ", ");
        put_ints(t, 3, s->triangles + 3 * (size_t)k);
    }
    flx_text_put(t, "]}");
}

static void put_link(flx_text *t, int i, const flx_scene_link *l)
{
    put_name(t, i, l->name);
    put_key(t, "type");
    flx_text_put_string(t, l->type);
    put_key(t, "bodies");
    put_ints(t, 2, l->body);
    put_key(t, "at");
    put_vectors(t, 2, l->at[0]);
}

static void put_joint(flx_text *t, int i, const flx_scene_link *l)
{
    put_link(t, i, l);
    put_vector(t, "axis", l->axis);
    if (l->axis2[0] != 0 || l->axis2[1] != 0 || l->axis2[2] != 0) put_vector(t, "axis2", l->axis2);
    if (strcmp(l->type, "rolling") == 0) {
        put_key(t, "radius");
        flx_text_put_number(t, l->radius);
    }
    flx_text_put(t, "}");
}

void flx_scene_put_json(flx_text *t, const flx_scene *s)
{
    flx_text_print(t, "{\"dimension\": %d, \"size\": ", s->dimension);
    flx_text_put_number(t, s->size);
    put_vector(t, "gravity", s->gravity);
    flx_text_put(t, ", \"bodies\": [");
    for (int i = 0; i < s->nbody; i++) put_body(t, i, s->bodies + i);
    flx_text_put(t, "], \"lines\": [");
    for (int i = 0; i < s->nline; i++) put_line(t, i, s->lines + i);
    flx_text_put(t, "], \"solids\": [");
    for (int i = 0; i < s->nsolid; i++) put_solid(t, i, s->solids + i);
    flx_text_put(t, "], \"joints\": [");
    for (int i = 0; i < s->njoint; i++) put_joint(t, i, s->joints + i);
    flx_text_put(t, "], \"forces\": [");
    for (int i = 0; i < s->nforce; i++) {
        put_link(t, i, s->forces + i);
        flx_text_put(t, "}");
    }
    flx_text_put(t, "]}");
}
