// model_scene.c - the scene as JSON.
#include "scene/model_scene.h"
#include "base/number.h"
#include "force/force_kind.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_NODES 1000 // of an elastic body in the text; those of interfaces come first
#define NAME_LENGTH 256

static const char *const shape_words[] = {
    [FLX_SHAPE_NONE] = "none",         [FLX_SHAPE_BOX] = "box",
    [FLX_SHAPE_CYLINDER] = "cylinder", [FLX_SHAPE_SPHERE] = "sphere",
    [FLX_SHAPE_CAPSULE] = "capsule",   [FLX_SHAPE_MESH] = "mesh",
};

static void put_key(flx_text *t, const char *key)
{
    flx_text_print(t, ", \"%s\": ", key);
}

static void put_vector(flx_text *t, const char *key, const double v[3])
{
    put_key(t, key);
    flx_text_put_numbers(t, 3, v);
}

static const flx_modal *modal_of(const flx_model *m, int body)
{
    for (int i = 0; i < m->nmodal; i++) {
        if (m->modals[i].body == body) return m->modals + i;
    }
    return NULL;
}

static void put_turn(const flx_shape *s, flx_text *t)
{
    bool turned = s->turn[1] != 0 || s->turn[2] != 0 || s->turn[3] != 0;
    if (turned && (s->kind == FLX_SHAPE_BOX || s->kind == FLX_SHAPE_MESH)) {
        put_key(t, "turn");
        flx_text_put_numbers(t, 4, s->turn);
    }
    if (s->kind != FLX_SHAPE_MESH) return;
    put_key(t, "scale");
    flx_text_put_number(t, s->scale);
    flx_text_print(t, ", \"surface\": %d", s->surface);
}

static bool is_beam_node(const flx_model *m, int body)
{
    for (int i = 0; i < m->nbeam; i++) {
        if (flx_beam_has(m->beams + i, body)) return true;
    }
    return false;
}

static void put_shapes(const flx_model *m, int body, const flx_places *p, double size, flx_text *t)
{
    flx_shape made[FLX_SCENE_SHAPES];
    const flx_body *b = m->bodies + body;
    int n = b->nshape;
    const flx_shape *s = b->shapes;
    bool drawn = body >= m->nbody || modal_of(m, body) || // by its nodes
                 is_beam_node(m, body) ||                 // by its line
                 flx_scene_is_solid_node(m, body) ||      // by its surface
                 b->slope || b->section;
    if (n == 0 && !drawn) {
        n = flx_scene_shapes(m, body, p, size, made);
        s = made;
    }
    put_key(t, "shapes");
    for (int i = 0; i < n; i++) {
        flx_text_print(t, "%s{\"kind\": \"%s\"", i ? ", " : "[", shape_words[s[i].kind]);
        put_vector(t, "size", s[i].size);
        put_vector(t, "at", s[i].at);
        put_vector(t, "axis", s[i].axis);
        put_turn(&s[i], t);
        flx_text_put(t, "}");
    }
    flx_text_put(t, n > 0 ? "]" : "[]");
}

static int mesh_number(const flx_model *m, const flx_modal *modal)
{
    int number = 0;
    for (const flx_modal *x = m->modals; x < modal; x++) number += x->e->mesh != NULL;
    return number;
}

// Nodes, and how each elastic coordinate moves them.
static void put_elastic(const flx_model *m, const flx_modal *modal, flx_text *t)
{
    const flx_elastic *e = modal->e;
    int mode = modal->first - (m->nvariable - m->nmode);
    flx_text_print(t, ", \"elastic\": {\"motion\": %d, \"line\": %s",
                   FLX_SCENE_MOTION * flx_model_frames(m) + mode, e->line ? "true" : "false");
    if (e->mesh) flx_text_print(t, ", \"mesh\": %d", mesh_number(m, modal));
    flx_text_put(t, ", \"nodes\": [");
    int nnode = e->mesh ? 0 : e->nnode > MOST_NODES ? MOST_NODES : e->nnode;
    for (int i = 0; i < nnode; i++) {
        if (i > 0) flx_text_put(t, ", ");
        flx_text_put_numbers(t, 3, e->nodes[i].at);
    }
    flx_text_put(t, "], \"shapes\": [");
    for (int k = 0; k < e->n && nnode > 0; k++) {
        flx_text_put(t, k ? ", [" : "[");
        for (int i = 0; i < nnode; i++) {
            if (i > 0) flx_text_put(t, ", ");
            flx_text_put_numbers(t, 3, e->nodes[i].phi + 3 * (size_t)k);
        }
        flx_text_put(t, "]");
    }
    flx_text_put(t, "]}");
}

// Nodes by the names that models use for them: "rod.end", "arm.tip".
static const char *node_word(const flx_model *m, int body, const char **whole)
{
    for (int i = 0; i < m->nbeam; i++) {
        const flx_beam *b = m->beams + i;
        *whole = b->name; // the first node is the beam itself
        if (b->nodes[b->order * b->nelement] == body) return "end";
    }
    if (body < m->nbody) return NULL;
    const flx_follower *f = m->followers + (body - m->nbody);
    const flx_modal *modal = modal_of(m, f->carrier);
    *whole = m->bodies[f->carrier].name;
    if (!modal) return NULL;
    if (modal->e->nodes[f->node].name || !modal->e->line) return modal->e->nodes[f->node].name;
    if (f->node == 0) return "start";
    return f->node == modal->e->nnode - 1 ? "end" : NULL;
}

static void put_name(const flx_model *m, int body, flx_text *t)
{
    const char *whole = NULL, *word = node_word(m, body, &whole);
    char name[NAME_LENGTH];
    if (word) flx_snprintf(name, sizeof name, "%s.%s", whole, word);
    flx_text_put_string(t, word ? name : m->bodies[body].name);
}

static void put_body(const flx_model *m, int i, const flx_places *p, double size, flx_text *t)
{
    const flx_body *b = m->bodies + i;
    flx_text_put(t, "{\"name\": ");
    put_name(m, i, t);
    flx_text_print(t, ", \"motion\": %d", FLX_SCENE_MOTION * i);
    put_key(t, "mass");
    flx_text_put_number(t, b->mass);
    put_vector(t, "com", b->com);
    put_key(t, "points");
    for (int k = 0; k < b->npoint; k++) {
        flx_text_put(t, k ? ", {\"name\": " : "[{\"name\": ");
        flx_text_put_string(t, b->points[k].name);
        put_vector(t, "at", b->points[k].at);
        flx_text_put(t, "}");
    }
    flx_text_put(t, b->npoint > 0 ? "]" : "[]");
    put_shapes(m, i, p, size, t);
    if (b->slope) flx_text_put(t, ", \"place\": false"); // a direction, which is nowhere
    const flx_modal *modal = modal_of(m, i);
    if (modal) put_elastic(m, modal, t);
    flx_text_put(t, "}");
}

static void put_line(const flx_beam *b, flx_text *t)
{
    const double *C = b->stiffness;
    double size[2];
    for (int k = 0; k < 2; k++) { // of stiffnesses: the rectangle that has them
        bool known = b->size[k] > 0 || b->round;
        size[k] = known ? b->size[k] : C[0] > 0 ? sqrt(12 * C[28 + 7 * k] / C[0]) : 0;
    }
    flx_text_put(t, "{\"name\": ");
    flx_text_put_string(t, b->name);
    flx_text_print(t, ", \"round\": %s", b->round ? "true" : "false");
    put_key(t, "size");
    flx_text_put_numbers(t, 2, size);
    put_key(t, "nodes");
    for (int k = 0; k < b->nnode; k++) {
        flx_text_print(t, "%s%d", k ? ", " : "[", b->nodes[k]);
    }
    flx_text_put(t, "]}");
}

static void put_ends(flx_text *t, const int body[2], const double at[2][3])
{
    flx_text_print(t, ", \"bodies\": [%d, %d], \"at\": [", body[0], body[1]);
    flx_text_put_numbers(t, 3, at[0]);
    flx_text_put(t, ", ");
    flx_text_put_numbers(t, 3, at[1]);
    flx_text_put(t, "]");
}

static const char *joint_word(flx_joint_type type)
{
    static const char *const words[] = {
#define X(name, word) [FLX_JOINT_##name] = word,
        FLX_JOINT_LIST(X)
#undef X
    };
    return words[type];
}

static void put_joint(const flx_joint *j, flx_text *t)
{
    const double *axis = j->type == FLX_JOINT_ROLLING ? j->normal : j->axis[0];
    flx_text_put(t, "{\"name\": ");
    flx_text_put_string(t, j->name);
    flx_text_print(t, ", \"type\": \"%s\"", joint_word(j->type));
    put_ends(t, j->body, j->at);
    put_vector(t, "axis", axis);
    bool rolls = j->type == FLX_JOINT_ROLLING;
    if (j->type == FLX_JOINT_UNIVERSAL || (rolls && j->has_axis)) {
        put_vector(t, "axis2", j->axis[1]);
    }
    if (rolls) {
        put_key(t, "radius");
        flx_text_put_number(t, j->radius);
    }
    flx_text_put(t, "}");
}

flx_status flx_scene_write(const flx_model *m, flx_text *t)
{
    const double size = flx_scene_size(m);
    flx_places *places = flx_alloc(m->ctx, (size_t)flx_model_frames(m), sizeof *places);
    if (!places) return FLX_ERR_MEMORY;
    flx_scene_find_places(m, size, places);
    flx_text_print(t, "{\"dimension\": %d, \"size\": ", m->dimension);
    flx_text_put_number(t, size);
    put_vector(t, "gravity", m->gravity);
    flx_text_put(t, ", \"bodies\": [");
    for (int i = 0; i < flx_model_frames(m); i++) {
        if (i > 0) flx_text_put(t, ", ");
        put_body(m, i, places + i, size, t);
    }
    flx_text_put(t, "], \"lines\": [");
    const char *next = "";
    for (int i = 0; i < m->nbeam; i++) {
        if (m->beams[i].formulation == FLX_BEAM_SEGMENTS) continue; // bodies with shapes
        flx_text_put(t, next);
        put_line(m->beams + i, t);
        next = ", ";
    }
    flx_text_put(t, "], \"solids\": [");
    flx_status status = flx_scene_put_solids(m, t);
    flx_text_put(t, "], \"joints\": [");
    const char *comma = "";
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].type == FLX_JOINT_GEAR) continue; // joins two joints, not two places
        flx_text_put(t, comma);
        put_joint(m->joints + i, t);
        comma = ", ";
    }
    flx_text_put(t, "], \"forces\": [");
    comma = "";
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        const char *word = f->kind->symbol;
        if (!word || (f->body[1] >= 0 && m->bodies[f->body[1]].slope)) continue;
        flx_text_put(t, comma);
        flx_text_put(t, "{\"name\": ");
        flx_text_put_string(t, f->name);
        flx_text_print(t, ", \"type\": \"%s\"", word);
        put_ends(t, f->body, f->at);
        flx_text_put(t, "}");
        comma = ", ";
    }
    flx_text_put(t, "]}");
    flx_free(places);
    return t->failed ? FLX_ERR_MEMORY : status;
}
