// model_scene.c - the scene of a model: tables of what there is to see (flexion/scene.h).
#include "scene/model_scene.h"
#include "force/force_kind.h"
#include "joint/joint.h"
#include "scene/scene_tables.h"

#include <math.h>
#include <string.h>

#define MOST_NODES 1000 // of a flexible body; those of interfaces come first

static const flx_modal *modal_of(const flx_model *m, int body)
{
    for (int i = 0; i < m->nmodal; i++) {
        if (m->modals[i].body == body) return m->modals + i;
    }
    return NULL;
}

static bool is_beam_node(const flx_model *m, int body)
{
    for (int i = 0; i < m->nbeam; i++) {
        if (flx_beam_has(m->beams + i, body)) return true;
    }
    return false;
}

// ---- shapes and points --------------------------------------------------------------------------

static flx_scene_shape make_shape(int body, const flx_shape *s)
{
    bool mesh = s->kind->form == FLX_SHAPE_OF_FILE;
    bool rotated = s->kind->rotates && (s->turn[1] != 0 || s->turn[2] != 0 || s->turn[3] != 0);
    flx_scene_shape out = {.body = body,
                           .kind = s->kind->row.key,
                           .turn = {1},
                           .scale = mesh ? s->scale : 1,
                           .surface = mesh ? s->surface : -1,
                           .colour = s->colour};
    memcpy(out.size, s->size, sizeof out.size);
    memcpy(out.at, s->at, sizeof out.at);
    memcpy(out.axis, s->axis, sizeof out.axis);
    if (rotated) memcpy(out.turn, s->turn, sizeof out.turn);
    return out;
}

// The shapes of a body: its own, or such as say where its joints and its mass are. Returns their number.
static int list_shapes(const flx_model *m, int body, const flx_places *p, double size,
                       flx_shape made[FLX_SCENE_SHAPES], const flx_shape **list)
{
    const flx_body *b = m->bodies + body;
    bool drawn = body >= m->nbody || modal_of(m, body) || // by its nodes
                 is_beam_node(m, body) ||                 // by its line
                 flx_scene_is_solid_node(m, body) ||      // by its surface
                 b->slope || b->section;
    *list = b->nshape > 0 ? b->shapes : made;
    return b->nshape > 0 || drawn ? b->nshape : flx_scene_shapes(m, body, p, size, made);
}

static flx_status make_shapes(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    const int n = flx_model_frames(m);
    flx_places *places = flx_arena_take(arena, (size_t)n, sizeof *places);
    if (!places) return FLX_ERR_MEMORY;
    flx_scene_find_places(m, s->size, places);
    flx_shape made[FLX_SCENE_SHAPES];
    const flx_shape *list;
    for (int i = 0; i < n; i++) s->nshape += list_shapes(m, i, places + i, s->size, made, &list);
    flx_scene_shape *shapes = flx_arena_take(arena, (size_t)s->nshape, sizeof *shapes);
    if (!shapes) return FLX_ERR_MEMORY;
    s->shapes = shapes;
    for (int i = 0; i < n; i++) {
        int count = list_shapes(m, i, places + i, s->size, made, &list);
        for (int k = 0; k < count; k++) *shapes++ = make_shape(i, list + k);
    }
    return FLX_OK;
}

static flx_status make_points(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    for (int i = 0; i < flx_model_frames(m); i++) s->npoint += m->bodies[i].npoint;
    flx_scene_point *points = flx_arena_take(arena, (size_t)s->npoint, sizeof *points);
    if (!points) return FLX_ERR_MEMORY;
    s->points = points;
    for (int i = 0; i < flx_model_frames(m); i++) {
        for (int k = 0; k < m->bodies[i].npoint; k++, points++) {
            *points = (flx_scene_point){.body = i, .name = m->bodies[i].points[k].name};
            memcpy(points->at, m->bodies[i].points[k].at, sizeof points->at);
        }
    }
    return FLX_OK;
}

// ---- flexible bodies ----------------------------------------------------------------------------

static int mesh_number(const flx_model *m, const flx_modal *modal)
{
    int number = 0;
    if (!modal->e->mesh) return -1;
    for (const flx_modal *x = m->modals; x < modal; x++) number += x->e->mesh != NULL;
    return number;
}

// Nodes, and how each coordinate moves them.
static flx_status make_elastic(const flx_model *m, flx_arena *arena, const flx_modal *modal,
                               flx_scene_elastic *out)
{
    const flx_elastic *e = modal->e;
    int nnode = e->mesh ? 0 : e->nnode > MOST_NODES ? MOST_NODES : e->nnode;
    int mode = modal->first - (m->nvariable - m->nmode), nmode = nnode > 0 ? e->n : 0;
    double *nodes = flx_arena_take(arena, 3 * (size_t)nnode, sizeof *nodes);
    double *shapes = flx_arena_take(arena, 3 * (size_t)nnode * (size_t)nmode, sizeof *shapes);
    if (!nodes || !shapes) return FLX_ERR_MEMORY;
    *out = (flx_scene_elastic){.body = modal->body,
                               .motion = FLX_SCENE_MOTION * flx_model_frames(m) + mode,
                               .line = e->line,
                               .mesh = mesh_number(m, modal),
                               .nnode = nnode,
                               .nmode = nmode,
                               .nodes = nodes,
                               .shapes = shapes};
    for (int i = 0; i < nnode; i++, nodes += 3) memcpy(nodes, e->nodes[i].at, 3 * sizeof *nodes);
    for (int k = 0; k < nmode; k++) {
        for (int i = 0; i < nnode; i++, shapes += 3) {
            memcpy(shapes, e->nodes[i].phi + 3 * (size_t)k, 3 * sizeof *shapes);
        }
    }
    return FLX_OK;
}

static flx_status make_elastics(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    flx_scene_elastic *all = flx_arena_take(arena, (size_t)m->nmodal, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    s->elastics = all;
    for (int i = 0; i < flx_model_frames(m); i++) {
        const flx_modal *modal = modal_of(m, i);
        if (modal) FLX_TRY(make_elastic(m, arena, modal, all + s->nelastic++));
    }
    return FLX_OK;
}

// ---- bodies -------------------------------------------------------------------------------------

// Nodes by the names that models use for them: "rod.end", "arm.tip".
static const char *node_word(const flx_model *m, int body, const char **whole)
{
    for (int i = 0; i < m->nbeam; i++) {
        const flx_beam *b = m->beams + i;
        *whole = b->name; // the first node is the beam itself
        if (b->nodes[b->order * b->nelement] == body) return "end";
    }
    if (body < m->nbody) return NULL;
    const flx_attached *f = m->attached + (body - m->nbody);
    const flx_modal *modal = modal_of(m, f->carrier);
    *whole = m->bodies[f->carrier].name;
    if (!modal) return NULL;
    if (modal->e->nodes[f->node].name || !modal->e->line) return modal->e->nodes[f->node].name;
    if (f->node == 0) return "start";
    return f->node == modal->e->nnode - 1 ? "end" : NULL;
}

static const char *name_of(const flx_model *m, flx_arena *arena, int body)
{
    const char *whole = NULL, *word = node_word(m, body, &whole);
    return word ? flx_arena_printf(arena, "%s.%s", whole, word) : m->bodies[body].name;
}

static flx_status make_bodies(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    s->nbody = flx_model_frames(m);
    s->bodies = flx_arena_take(arena, (size_t)s->nbody, sizeof *s->bodies);
    if (!s->bodies) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->nbody; i++) {
        const flx_body *b = m->bodies + i;
        s->bodies[i] = (flx_scene_body){.name = name_of(m, arena, i),
                                        .motion = FLX_SCENE_MOTION * i,
                                        .mass = b->mass,
                                        .place = !b->slope}; // a slope is a direction
        if (!s->bodies[i].name) return FLX_ERR_MEMORY;
        memcpy(s->bodies[i].com, b->com, sizeof s->bodies[i].com);
    }
    return FLX_OK;
}

// ---- beams, joints, forces ----------------------------------------------------------------------

static flx_scene_line make_line(const flx_beam *b)
{
    const double *C = b->stiffness;
    flx_scene_line l = {.name = b->name, .round = b->round, .nnode = b->nnode, .nodes = b->nodes};
    for (int k = 0; k < 2; k++) { // of stiffnesses: the rectangle that has them
        bool known = b->size[k] > 0 || b->round;
        l.size[k] = known ? b->size[k] : C[0] > 0 ? sqrt(12 * C[28 + 7 * k] / C[0]) : 0;
    }
    return l;
}

static flx_status make_lines(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    flx_scene_line *lines = flx_arena_take(arena, (size_t)m->nbeam, sizeof *lines);
    if (!lines) return FLX_ERR_MEMORY;
    s->lines = lines;
    for (int i = 0; i < m->nbeam; i++) {
        if (m->beams[i].formulation == FLX_BEAM_SEGMENTS) continue; // bodies with shapes
        lines[s->nline++] = make_line(m->beams + i);
    }
    return FLX_OK;
}

static flx_scene_link make_link(const char *name, const char *type, const int body[2],
                                const double at[2][3])
{
    flx_scene_link l = {.name = name, .type = type, .body = {body[0], body[1]}};
    memcpy(l.at, at, sizeof l.at);
    return l;
}

static flx_scene_link make_joint(const flx_joint *j)
{
    const flx_joint_kind *k = j->kind;
    flx_scene_link l = make_link(j->name, k->symbol ? k->symbol : k->says.word, j->body, j->at);
    memcpy(l.axis, k->wheel ? j->normal : j->axis[0], sizeof l.axis);
    if (flx_joint_kind_key(k, "axes", 0) || (k->wheel && j->has_axis)) {
        memcpy(l.axis2, j->axis[1], sizeof l.axis2);
    }
    if (k->wheel) l.radius = j->radius;
    return l;
}

static flx_status make_links(const flx_model *m, flx_arena *arena, flx_scene *s)
{
    flx_scene_link *joints = flx_arena_take(arena, (size_t)m->njoint, sizeof *joints);
    flx_scene_link *forces = flx_arena_take(arena, (size_t)m->nforce, sizeof *forces);
    if (!joints || !forces) return FLX_ERR_MEMORY;
    s->joints = joints;
    s->forces = forces;
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].kind->on_joints) continue; // joins two joints, not two places
        joints[s->njoint++] = make_joint(m->joints + i);
    }
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        const char *word = f->kind->symbol; // NULL: it acts along a joint, or on all bodies
        if (!word || (f->body[1] >= 0 && m->bodies[f->body[1]].slope)) continue;
        forces[s->nforce++] = make_link(f->name, word, f->body, f->at);
    }
    return FLX_OK;
}

flx_status flx_scene_make(const flx_model *m, flx_arena *arena, flx_scene **out)
{
    flx_scene *s = flx_arena_take(arena, 1, sizeof *s);
    if (!s) return FLX_ERR_MEMORY;
    s->dimension = m->dimension;
    s->size = flx_scene_size(m);
    memcpy(s->gravity, m->gravity, sizeof s->gravity);
    FLX_TRY(make_bodies(m, arena, s));
    FLX_TRY(make_points(m, arena, s));
    FLX_TRY(make_shapes(m, arena, s));
    FLX_TRY(make_elastics(m, arena, s));
    FLX_TRY(make_lines(m, arena, s));
    FLX_TRY(flx_scene_make_solids(m, arena, s));
    FLX_TRY(make_links(m, arena, s));
    flx_scene_connect(s);
    *out = s;
    return FLX_OK;
}
