// body_signals.c - signals of bodies, points, parts and the whole model: the members that an expression
// may ask for, made of kinematics.c.
#include "language/flexible/deformable.h"
#include "language/scope/nums.h"
#include "model/nodes.h"

#include <string.h>

// ---- values in the axes of a space ------------------------------------------------------------

flx_status flx_env_list(flx_env *e, int n, const flx_node *v, flx_operand *out)
{
    *out = (flx_operand){.kind = FLX_OPERAND_LIST, .node = -1, .count = n};
    out->items = flx_take(e->b, (size_t)n, sizeof *out->items);
    if (!out->items) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        if (v[i] < 0) return FLX_ERR_MEMORY;
        out->items[i] = flx_operand_number(v[i]);
    }
    return FLX_OK;
}

flx_status flx_env_vector(flx_env *e, const flx_node v[3], flx_operand *out)
{
    flx_node x[3];
    memcpy(x, v, sizeof x);
    FLX_TRY(flx_space_place(e->b, e->space));
    if (!e->space->plain) flx_num9_turn_back3(e->b->g, &e->space->R, x, x);
    return flx_env_list(e, e->b->m->dimension, x, out);
}

flx_status flx_env_point(flx_env *e, const flx_node v[3], flx_operand *out)
{
    flx_node x[3], o[3];
    FLX_TRY(flx_space_place(e->b, e->space));
    flx_num3_nodes(e->b->g, &e->space->position, o);
    node_sub3(e->b->g, v, o, x);
    return flx_env_vector(e, x, out);
}

// Checks the rest of a model that runs nowhere yet: what it uses was listed as not available before
// any name was looked up, and a listed model is refused by every run. A stand-in must not be made
// in any other model, where it would pass for a result.
flx_status flx_env_stand_in(flx_env *e, int n, flx_operand *out)
{
    if (e->b->m->nunavailable == 0) {
        return FLX_FAIL(e->b->ctx, FLX_ERR_UNAVAILABLE, FLX_NOWHERE,
                        "a value that is not available was asked for in a model that can run");
    }
    flx_node zero[6];
    for (int i = 0; i < 6; i++) zero[i] = node_const(e->b->g, 0);
    if (n > 1) return flx_env_list(e, n, zero, out);
    *out = flx_operand_number(zero[0]);
    return FLX_OK;
}

// ---- members of bodies and points -------------------------------------------------------------

static const char *const body_signals[] = {"position",
                                           "velocity",
                                           "acceleration",
                                           "orientation",
                                           "angular_velocity",
                                           "angular_acceleration",
                                           "angle",
                                           "rate",
                                           "ex",
                                           "ey",
                                           "ez",
                                           NULL};
bool flx_is_body_signal(const char *name)
{
    for (const char *const *w = body_signals; *w; w++) {
        if (strcmp(*w, name) == 0) return true;
    }
    return false;
}

// Whose signals they are: a frame of a body.
typedef struct subject {
    flx_item *body;
    int node;    // of a flexible body; -1: none
    flx_num3 at; // body frame
    flx_num9 R;
    const char *full;
} subject;

// Position, and its first or second derivative.
static void subject_place(flx_builder *b, const subject *s, int order, flx_node out[3])
{
    typedef void kinematics(flx_builder *, const flx_item *, const flx_num3 *, flx_node[3]);
    static kinematics *const of[] = {flx_node_position, flx_node_velocity, flx_node_acceleration};
    if (s->node < 0) {
        of[order](b, s->body, &s->at, out);
        return;
    }
    flx_elastic_body_position(b, s->body, s->node, out);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < order; k++) out[i] = flx_node_rate(b, out[i]);
    }
}

static void subject_angular_velocity(flx_builder *b, const subject *s, int order, flx_node out[3])
{
    if (s->node < 0) {
        (order ? flx_node_angular_acceleration : flx_node_angular_velocity)(b, s->body, out);
        return;
    }
    flx_elastic_body_angular_velocity(b, s->body, s->node, out);
    for (int i = 0; order && i < 3; i++) out[i] = flx_node_rate(b, out[i]);
}

// One axis of the frame, ground axes.
static void subject_axis(flx_builder *b, const subject *s, int j, flx_node out[3])
{
    flx_num3 axis = flx_num9_col(s->R, j);
    if (s->node < 0) {
        flx_node_direction(b, s->body, &axis, out);
    } else if (b->m->dimension == 2) {
        flx_node angle = flx_elastic_body_planar_angle(b, s->body, s->node);
        flx_node c = flx_graph_unary(b->g, FLX_OP_COS, angle);
        flx_node sine = flx_graph_unary(b->g, FLX_OP_SIN, angle);
        const flx_node zero = node_const(b->g, 0);
        const flx_node axes[3][3] = {
            {c, sine, zero}, {node_neg(b->g, sine), c, zero}, {zero, zero, node_const(b->g, 1)}};
        memcpy(out, axes[j], sizeof axes[j]);
    } else {
        flx_node R[9];
        flx_elastic_body_rotation(b, s->body, s->node, R);
        for (int i = 0; i < 3; i++) out[i] = R[3 * i + j];
    }
}

// In constants a frame is where it is drawn.
static flx_status drawn_member(flx_env *e, const subject *s, const flx_item *item, const char *name,
                               flx_loc loc, flx_operand *out)
{
    flx_graph *g = e->b->g;
    flx_num3 position;
    flx_num9 R;
    flx_node v[3];
    FLX_TRY(flx_item_initial_frame(e->b, item, loc, &position, &R));
    if (strcmp(name, "position") == 0) {
        flx_num3_nodes(g, &position, v);
        return flx_env_point(e, v, out);
    }
    if (name[0] == 'e' && name[1] >= 'x' && name[1] <= 'z' && !name[2]) {
        flx_num3 axis = flx_num9_col(R, name[1] - 'x');
        flx_num3_nodes(g, &axis, v);
        return flx_env_vector(e, v, out);
    }
    return flx_env_require(e, FLX_MODE_MOVING, s->full, name, loc);
}

// R of the frame as nodes, in the axes of the env's space.
static flx_status frame_matrix(flx_env *e, const subject *s, flx_node R[9])
{
    FLX_TRY(flx_space_place(e->b, e->space));
    for (int j = 0; j < 3; j++) {
        flx_node v[3];
        subject_axis(e->b, s, j, v);
        if (!e->space->plain) flx_num9_turn_back3(e->b->g, &e->space->R, v, v);
        for (int i = 0; i < 3; i++) R[3 * i + j] = v[i];
    }
    return FLX_OK;
}

// Planar: the angle of the frame in the space.
static flx_status planar_angle(flx_env *e, const subject *s, flx_operand *out)
{
    flx_graph *g = e->b->g;
    FLX_TRY(flx_space_place(e->b, e->space));
    flx_node angle = node_const(g, 0);
    if (s->node >= 0) {
        angle = flx_elastic_body_planar_angle(e->b, s->body, s->node);
        return flx_operand_set_node(node_sub(g, angle, flx_num_node(g, e->space->angle)), out);
    }
    if (flx_body_turns(s->body)) {
        angle = node_leaf(e->b->g, FLX_LEAF_BODY_ROTATION, s->body->number, 0);
    }
    flx_num own = {atan2(s->R.x[3], s->R.x[0]), 0};
    if (flx_num9_is_open(&s->R)) {
        flx_node R[9];
        flx_num9_nodes(g, &s->R, R);
        own = flx_num_keep(g, own.x, flx_graph_binary(g, FLX_OP_ATAN2, R[3], R[0]));
    }
    flx_num more = flx_num_sub(g, own, e->space->angle);
    return flx_operand_set_node(node_add(g, angle, flx_num_node(g, more)), out);
}

static flx_status rotation_member(flx_env *e, const subject *s, const char *name, flx_operand *out)
{
    flx_graph *g = e->b->g;
    bool planar = e->b->m->dimension == 2;
    flx_node R[9], v[3], q[4], c, w[3];
    if (strcmp(name, "rate") == 0 || strcmp(name, "angular_velocity") == 0) {
        subject_angular_velocity(e->b, s, 0, w);
        if (planar) return flx_operand_set_node(w[2], out);
        if (name[0] == 'r') return flx_operand_set_node(node_norm(g, w), out);
        return flx_env_vector(e, w, out);
    }
    if (strcmp(name, "angular_acceleration") == 0) {
        subject_angular_velocity(e->b, s, 1, w);
        return planar ? flx_operand_set_node(w[2], out) : flx_env_vector(e, w, out);
    }
    if (planar) return planar_angle(e, s, out); // angle, orientation
    FLX_TRY(frame_matrix(e, s, R));
    if (strcmp(name, "orientation") == 0) {
        flx_operand *list = flx_take(e->b, 1, sizeof *list);
        if (!list) return FLX_ERR_MEMORY;
        flx_node_quaternion(g, R, q);
        *out = (flx_operand){
            .kind = FLX_OPERAND_HANDLE, .handle = list, .tag = FLX_TAG_QUATERNION, .node = -1};
        return flx_env_list(e, 4, q, list);
    }
    flx_node_sine_cosine(g, R, v, &c);
    return flx_operand_set_node(flx_graph_binary(g, FLX_OP_ATAN2, node_norm(g, v), c), out);
}

static flx_status moving_member(flx_env *e, const subject *s, const char *name, flx_loc loc,
                                flx_operand *out)
{
    flx_builder *b = e->b;
    flx_node v[3];
    if (strcmp(name, "position") == 0) {
        subject_place(b, s, 0, v);
        return flx_env_point(e, v, out);
    }
    if (strcmp(name, "velocity") == 0) {
        subject_place(b, s, 1, v);
        return flx_env_vector(e, v, out);
    }
    bool second = strcmp(name, "acceleration") == 0 || strcmp(name, "angular_acceleration") == 0;
    if (second && s->body->kind == FLX_KIND_BODY) {
        FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, s->full, name, loc));
    }
    if (strcmp(name, "acceleration") == 0) {
        subject_place(b, s, 2, v);
        return flx_env_vector(e, v, out);
    }
    if (name[0] == 'e') {
        int j = name[1] - 'x';
        if (j == 2 && b->m->dimension == 2) {
            return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "a planar model has no ez");
        }
        subject_axis(b, s, j, v);
        return flx_env_vector(e, v, out);
    }
    return rotation_member(e, s, name, out);
}

static bool needs_axes(const char *name)
{
    return strcmp(name, "position") != 0 && strcmp(name, "velocity") != 0 &&
           strcmp(name, "acceleration") != 0;
}

// The frame of an item; where its axes are asked for, a node without any has those of its section.
static flx_status subject_of(flx_builder *b, const flx_item *item, bool axes, flx_loc loc,
                             subject *s)
{
    *s = (subject){.full = item->full, .node = -1};
    if (item->kind == FLX_KIND_POINT) s->node = ((const flx_point_data *)item->data)->node;
    FLX_TRY(flx_item_frame(b, item, loc, &s->body, &s->at, &s->R));
    FLX_TRY(flx_body_ready(b, s->body, loc));
    if (!axes || !flx_body_is_ancf_node(s->body)) return FLX_OK;
    return flx_beam_section(b, s->body, false, &s->body);
}

static flx_status signal_member(flx_env *e, flx_item *item, const char *name, flx_loc loc,
                                flx_operand *out)
{
    subject s;
    bool drawn = e->mode < FLX_MODE_MOVING;
    FLX_TRY(subject_of(e->b, item, !drawn && needs_axes(name), loc, &s));
    if (drawn && s.body->kind != FLX_KIND_GROUND) return drawn_member(e, &s, item, name, loc, out);
    return moving_member(e, &s, name, loc, out);
}

flx_status flx_item_axes(flx_builder *b, const flx_item *item, flx_loc loc, flx_node axes[3][3])
{
    subject s;
    FLX_TRY(subject_of(b, item, true, loc, &s));
    if (s.node < 0 && s.body->kind == FLX_KIND_BODY && !flx_body_turns(s.body)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "'%s' is a point and has no axes", s.full);
    }
    for (int j = 0; j < 3; j++) subject_axis(b, &s, j, axes[j]);
    return FLX_OK;
}

// Names that only bodies that deform have; their physics is not there yet.
static flx_status deformable_member(flx_env *e, flx_item *body, const char *name, flx_loc loc,
                                    flx_operand *out, bool *found)
{
    flx_body_data *d = body->data;
    flx_item *point = NULL;
    *found = true;
    *out = (flx_operand){.kind = FLX_OPERAND_HANDLE, .handle = body, .node = -1};
    if (strcmp(name, "node") == 0) {
        out->tag = FLX_TAG_NODES;
    } else if (strcmp(name, "point") == 0) {
        out->tag = FLX_TAG_LENGTH;
    } else if (strcmp(name, "mode") == 0) {
        out->tag = FLX_TAG_MODES;
    } else if (strcmp(name, "modes") == 0 && !flx_body_is_beam(e->b, body)) {
        FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, body->full, name, loc));
        if (flx_body_is_elastic(body) && e->b->m->nunavailable == 0)
            return flx_elastic_body_modes(e, body, loc, out);
        return flx_env_stand_in(e, 1, out);
    } else if (strcmp(name, "start") == 0 || strcmp(name, "end") == 0) {
        FLX_TRY(flx_body_place(e->b, body, loc));
        if (flx_body_is_elastic(body) && e->b->m->nunavailable == 0) {
            return flx_elastic_body_end(e, body, name, loc, out);
        }
        if (flx_body_is_beam(e->b, body)) {
            FLX_TRY(flx_beam_end(e->b, body, name[0] == 'e', &point));
            *out = flx_operand_item(point);
            return FLX_OK;
        }
        FLX_TRY(flx_body_make_point(e->b, body, name, name[0] == 's' ? d->start : d->end, &point));
        ((flx_point_data *)point->data)->deformable = true;
        *out = flx_operand_item(point);
    } else {
        *found = false;
        if (!flx_body_is_elastic(body) || e->b->m->nunavailable > 0) return FLX_OK;
        if (strcmp(name, "von_mises") == 0) {
            *found = true;
            return flx_stress_largest(e, body, loc, out);
        }
        FLX_TRY(flx_elastic_body_interface(e, body, name, loc, &point));
        if (point) *out = flx_operand_item(point);
        *found = point != NULL;
    }
    return FLX_OK;
}

// What a body or a point has instead: of a flexible body its nodes and modes before what all bodies have.
static flx_status unknown_member(flx_env *e, const flx_item *item, const char *name, flx_loc loc)
{
    enum { MOST = 40 };
    static const char *const of_node[] = {"deflection", "force",     "moment", "stress",
                                          "strain",     "von_mises", NULL};
    const char *words[MOST + 1] = {NULL};
    const flx_names *points = NULL;
    int n = 0;
    if (item->kind == FLX_KIND_POINT && ((const flx_point_data *)item->data)->node >= 0) {
        for (const char *const *w = of_node; *w; w++) words[n++] = *w;
    }
    if (item->kind == FLX_KIND_BODY) {
        const flx_body_data *d = item->data;
        const flx_elastic *el = d->elastic.e;
        points = &d->points;
        for (int i = 0; el && i < el->nnode && n < MOST / 2; i++) {
            if (el->nodes[i].name) words[n++] = el->nodes[i].name;
        }
        if (el && el->line) words[n++] = "start", words[n++] = "end";
        if (el && el->nnode > 0) words[n++] = "node(1)";
        if (el) words[n++] = "modes", words[n++] = "mode(1)";
        if (el && el->mesh && el->mesh->stress) words[n++] = "von_mises";
    }
    for (const char *const *w = body_signals; *w && n < MOST; w++) words[n++] = *w;
    return flx_member_unknown(e, item->full, name, loc, words, points);
}

bool flx_is_momentum(const char *name)
{
    return strcmp(name, "momentum") == 0 || strcmp(name, "angular_momentum") == 0;
}

// Numbers first ... first + 2 of FLX_LEAF_INERTIA of the bodies numbered from first to end.
static void sum_inertia(flx_builder *b, const flx_item *const *bodies, int n, int first,
                        flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_const(b->g, 0);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 3; i++) {
            flx_node own = node_leaf(b->g, FLX_LEAF_INERTIA, bodies[k]->number + 1, first + i);
            out[i] = node_add(b->g, out[i], own);
        }
    }
}

// Of n bodies, or of all of them (NULL), about the origin of the ground.
static flx_status momentum_member(flx_env *e, const flx_item *const *bodies, int n,
                                  const char *full, const char *name, flx_loc loc, flx_operand *out)
{
    flx_node v[3];
    bool angular = name[0] == 'a';
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, full, name, loc));
    sum_inertia(e->b, bodies, n, angular ? 3 : 0, v);
    if (angular && e->b->m->dimension == 2) return flx_operand_set_node(v[2], out);
    return flx_env_vector(e, v, out);
}

flx_status flx_body_member(flx_env *e, flx_item *item, const char *name, flx_loc loc,
                           flx_operand *out)
{
    const flx_item *only = item;
    if (item->kind == FLX_KIND_BODY && flx_is_momentum(name) &&
        !flx_names_find(&((flx_body_data *)item->data)->points, name)) {
        return momentum_member(e, &only, 1, item->full, name, loc, out);
    }
    if (flx_is_body_signal(name)) return signal_member(e, item, name, loc, out);
    if (item->kind != FLX_KIND_BODY ||
        !flx_names_find(&((flx_body_data *)item->data)->points, name)) {
        int k = name[0] - 'x'; // a point's name is its place
        if (k >= 0 && k < e->b->m->dimension && !name[1]) {
            flx_operand place;
            FLX_TRY(signal_member(e, item, "position", loc, &place));
            *out = place.items[k];
            return FLX_OK;
        }
    }
    if (item->kind == FLX_KIND_POINT) {
        bool later = strcmp(name, "deflection") == 0 || strcmp(name, "force") == 0 ||
                     strcmp(name, "moment") == 0;
        if (flx_is_stress(name) && ((flx_point_data *)item->data)->node >= 0) {
            return flx_stress_member(e, item, name, loc, out);
        }
        if (later && ((flx_point_data *)item->data)->node >= 0) {
            return flx_elastic_node_member(e, item, name, loc, out);
        }
        if (later && flx_body_is_beam_node(((flx_point_data *)item->data)->body)) {
            return flx_beam_member(e, item, name, loc, out);
        }
        if (later && ((flx_point_data *)item->data)->deformable) {
            FLX_TRY(flx_env_require(e, FLX_MODE_MOVING, item->full, name, loc));
            return flx_env_stand_in(e, e->b->m->dimension, out);
        }
        return unknown_member(e, item, name, loc);
    }
    if (item->kind == FLX_KIND_GROUND) return unknown_member(e, item, name, loc);
    flx_body_data *d = item->data;
    flx_item *point = flx_names_find(&d->points, name);
    if (strcmp(name, "com") == 0) {
        if (d->deformable) { // no point of it: where it is, its momentum says
            *out = (flx_operand){
                .kind = FLX_OPERAND_HANDLE, .handle = item, .tag = FLX_TAG_PART_COM, .node = -1};
            return FLX_OK;
        }
        point = d->com;
    }
    if (point) {
        *out = flx_operand_item(point);
        return point->broken ? FLX_ERR_MODEL : FLX_OK;
    }
    bool found = false;
    if (d->deformable) FLX_TRY(deformable_member(e, item, name, loc, out, &found));
    return found ? FLX_OK : unknown_member(e, item, name, loc);
}

// ---- mass centre of a part, the whole model ---------------------------------------------------

typedef void kinematics(flx_builder *b, const flx_item *body, const flx_num3 *at, flx_node out[3]);

// The bodies of a part, or a body alone; nodes of those that deform are counted with these.
static flx_status bodies_of(flx_builder *b, const flx_item *part, int *n, const flx_item ***list)
{
    const flx_space *s = part->data;
    bool alone = part->kind == FLX_KIND_BODY;
    int first = alone ? 0 : s->first_body, end = alone ? 0 : s->end_body;
    *n = 0;
    *list = flx_take(b, (size_t)(end - first) + 1, sizeof(flx_item *));
    if (!*list) return FLX_ERR_MEMORY;
    if (alone) (*list)[(*n)++] = part;
    for (int i = first; i < end; i++) (*list)[(*n)++] = b->bodies.items[i];
    return FLX_OK;
}

static bool deforms(const flx_builder *b, const flx_item *part)
{
    const flx_space *s = part->data;
    if (part->kind == FLX_KIND_BODY) return true;
    for (int i = s->first_body; i < s->end_body; i++) {
        if (((const flx_body_data *)b->bodies.items[i]->data)->deformable) return true;
    }
    return false;
}

// Mass centre, or its velocity, of what deforms: results know it.
static flx_status deforming_com(flx_env *e, const flx_item *part, int order, flx_loc loc,
                                flx_operand *out)
{
    flx_builder *b = e->b;
    const flx_item **list = NULL;
    int n = 0;
    flx_node v[3], mass = node_const(b->g, 0);
    if (order == 2) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "the acceleration of the mass centre of '%s' is not known: it deforms",
                        part->full);
    }
    if (e->mode < FLX_MODE_OUTPUT) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc,
                        "the mass centre of '%s' is no point of it: it moves as the body deforms, "
                        "and results alone know it; name a node, such as node(1)",
                        part->full);
    }
    FLX_TRY(bodies_of(b, part, &n, &list));
    sum_inertia(b, list, n, order == 0 ? 6 : 0, v);
    for (int k = 0; k < n; k++) {
        mass = node_add(b->g, mass, node_leaf(b->g, FLX_LEAF_INERTIA, list[k]->number + 1, 9));
    }
    for (int i = 0; i < 3; i++) v[i] = node_div(b->g, v[i], mass);
    return order == 0 ? flx_env_point(e, v, out) : flx_env_vector(e, v, out);
}

flx_status flx_part_momentum(flx_env *e, const flx_item *part, const char *name, flx_loc loc,
                             flx_operand *out)
{
    const flx_item **list = NULL;
    int n = 0;
    FLX_TRY(bodies_of(e->b, part, &n, &list));
    return momentum_member(e, list, n, part->full, name, loc, out);
}

flx_status flx_part_com_member(flx_env *e, const flx_item *part, const char *name, flx_loc loc,
                               flx_operand *out)
{
    static const char *const words[] = {"position", "velocity", "acceleration", NULL};
    static kinematics *const of[] = {flx_node_position, flx_node_velocity, flx_node_acceleration};
    flx_builder *b = e->b;
    const flx_space *s = part->data;
    int k = 0;
    while (words[k] && strcmp(words[k], name) != 0) k++;
    if (!words[k]) return flx_member_unknown(e, part->full, name, loc, words, NULL);
    if (deforms(b, part)) return deforming_com(e, part, k, loc, out);
    FLX_TRY(flx_env_require(e, k == 2 ? FLX_MODE_OUTPUT : FLX_MODE_MOVING, part->full, name, loc));
    flx_num total = {0, 0};
    flx_node sum[3] = {node_const(b->g, 0), node_const(b->g, 0), node_const(b->g, 0)};
    for (int i = s->first_body; i < s->end_body; i++) {
        flx_item *body = b->bodies.items[i];
        const flx_body_data *d = body->data;
        flx_env own;
        flx_num mass = {1, 0};
        flx_node v[3];
        flx_env_of(&own, b, body, FLX_MODE_CONSTANT);
        const flx_entry *y = flx_entry_get(body->def, "mass");
        if (y) FLX_TRY(flx_build_open(&own, y, &mass.x, &mass.n));
        FLX_TRY(flx_body_ready(b, body, loc));
        of[k](b, body, &((const flx_point_data *)d->com->data)->at, v);
        for (int j = 0; j < 3; j++) {
            sum[j] = node_add(b->g, sum[j], node_mul(b->g, flx_num_node(b->g, mass), v[j]));
        }
        total = flx_num_add(b->g, total, mass);
    }
    if (!(total.x > 0)) {
        return FLX_FAIL(b->ctx, FLX_ERR_MODEL, loc, "part '%s' has no mass, and so no mass centre",
                        part->full);
    }
    flx_node by = node_const(b->g, 1 / total.x);
    if (total.n) by = node_div(b->g, node_const(b->g, 1.0), flx_num_node(b->g, total));
    for (int j = 0; j < 3; j++) sum[j] = node_mul(b->g, by, sum[j]);
    return k == 0 ? flx_env_point(e, sum, out) : flx_env_vector(e, sum, out);
}

flx_status flx_group_member(flx_env *e, const char *group, const char *name, flx_loc loc,
                            flx_operand *out)
{
    static const char *const energy[] = {"kinetic",    "potential", "strain",
                                         "dissipated", "total",     NULL};
    static const char *const momentum[] = {"linear", "angular", "centre", NULL};
    static const char *const constraints[] = {"position", "velocity", NULL};
    flx_builder *b = e->b;
    bool is_momentum = strcmp(group, "momentum") == 0;
    const char *const *words = is_momentum                    ? momentum
                               : strcmp(group, "energy") == 0 ? energy
                                                              : constraints;
    FLX_TRY(flx_env_require(e, FLX_MODE_OUTPUT, group, name, loc));
    int k = 0;
    while (words[k] && strcmp(words[k], name) != 0) k++;
    if (!words[k]) return flx_member_unknown(e, group, name, loc, words, NULL);
    if (!is_momentum) {
        flx_leaf_kind kind = words == energy ? FLX_LEAF_ENERGY : FLX_LEAF_CONSTRAINTS;
        return flx_operand_set_node(node_leaf(b->g, kind, 0, k), out);
    }
    if (k == 1 && b->m->dimension == 2)
        return flx_operand_set_node(node_leaf(b->g, FLX_LEAF_MOMENTUM, 0, 5), out);
    flx_node v[3];
    for (int i = 0; i < 3; i++) v[i] = node_leaf(b->g, FLX_LEAF_MOMENTUM, 0, 3 * k + i);
    for (int i = 0; i < 3 && k == 2; i++) { // of the whole model
        v[i] = node_div(b->g, node_leaf(b->g, FLX_LEAF_INERTIA, 0, 6 + i),
                        node_leaf(b->g, FLX_LEAF_INERTIA, 0, 9));
    }
    return k == 2 ? flx_env_point(e, v, out) : flx_env_vector(e, v, out);
}
