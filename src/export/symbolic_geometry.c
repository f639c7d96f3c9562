// symbolic_geometry.c - places, axes and lengths as nodes: where links and bodies are on their links, and the places and
// directions of joints and forces, as functions of the parameters that are open.
//
// The way from joints to links is that of tree/topology/tree_links.c; frames are turned about their axes there, which changes
// no coordinate and is left out here. Where a direction is none of those that an item keeps (of constant-velocity joints,
// wheels, curves) the parameters in it are fixed: they stand in all of the text as numbers.
#include "export/symbolic.h"
#include "joint/joint.h"

#include <string.h>

static flx_node num(const flx_symbolic *x, double value, flx_open open)
{
    return node_open(x->g, value, open);
}

static n3 nums(const flx_symbolic *x, const double v[3], const flx_open open[3])
{
    return (n3){{num(x, v[0], open[0]), num(x, v[1], open[1]), num(x, v[2], open[2])}};
}

static n33 axes(const flx_symbolic *x, const double R[9], const flx_open open[9])
{
    n33 A = n33_rotation(x->g, m33_load(R));
    for (int i = 0; i < 9; i++) {
        if (open[i]) A.m[i] = num(x, R[i], open[i]);
    }
    return A;
}

static n3 column_of(n33 A, int k)
{
    return (n3){{A.m[k], A.m[3 + k], A.m[6 + k]}};
}

static n33 from_columns(n3 a, n3 b, n3 c)
{
    return (n33){{a.c[0], b.c[0], c.c[0], a.c[1], b.c[1], c.c[1], a.c[2], b.c[2], c.c[2]}};
}

static n3 negative(flx_graph *g, n3 a)
{
    return n3_scale(g, node_const(g, -1.0), a);
}

// ---- parameters that are fixed -------------------------------------------------------------------

// false: no memory.
static bool fix(flx_symbolic *x, int n, const flx_open *open)
{
    for (int i = 0; i < n; i++) {
        flx_leaf *leaves = NULL;
        flx_node node = open[i] - 1;
        int count = 0;
        if (open[i] <= 0) continue;
        if (flx_graph_leaves(x->g, 1, &node, &count, &leaves) != FLX_OK) return false;
        for (int k = 0; k < count; k++) {
            if (flx_leaf_get_kind(leaves[k]) == FLX_LEAF_PARAMETER)
                x->fixed[flx_leaf_get_index(leaves[k])] = true;
        }
        flx_free(leaves);
    }
    return true;
}

static bool fix_body(flx_symbolic *x, int body)
{
    if (body < 0) return true;
    const flx_body *b = x->m->bodies + body;
    return fix(x, 3, b->com_open) && fix(x, 3, b->position_open) && fix(x, 9, b->R_open) &&
           fix(x, 1, &b->angle_open);
}

static bool fix_joint(flx_symbolic *x, const flx_joint *j)
{
    bool fine = fix(x, 6, j->at_open[0]) && fix(x, 18, j->frame_open[0]) &&
                fix(x, 6, j->axis_open[0]) && fix(x, 3, j->normal_open) &&
                fix(x, 1, &j->length_open) && fix(x, 1, &j->pitch_open) &&
                fix(x, 1, &j->ratio_open) && fix(x, 1, &j->radius_open);
    for (int i = 0; i < 2 && fine && !j->kind->on_joints; i++) fine = fix_body(x, j->body[i]);
    return fine;
}

static bool fix_force(flx_symbolic *x, const flx_force *f)
{
    bool fine = fix(x, 6, f->at_open[0]) && fix(x, 18, f->frame_open[0]);
    for (int i = 0; i < 2 && fine && f->joint < 0; i++) fine = fix_body(x, f->body[i]);
    return fine;
}

bool flx_symbolic_is_fixed(const flx_symbolic *x, const flx_parameter *p)
{
    return p->leaf == FLX_PARAMETER_FIXED || (p->leaf >= 0 && x->fixed[p->leaf]);
}

static flx_node number_of_fixed(flx_graph *g, void *user, flx_leaf leaf)
{
    const flx_symbolic *x = user;
    int i = flx_leaf_get_index(leaf);
    if (flx_leaf_get_kind(leaf) != FLX_LEAF_PARAMETER || !x->fixed[i])
        return flx_graph_leaf(g, leaf);
    const flx_parameter *p = x->m->parameters;
    while (p->leaf != i) p++;
    return flx_graph_const(g, p->values[flx_leaf_get_component(leaf)]);
}

flx_substitution flx_symbolic_numbers(flx_symbolic *x)
{
    return (flx_substitution){.g = x->g, .user = x, .rule = number_of_fixed};
}

// ---- joints and forces ---------------------------------------------------------------------------

static bool same(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// One of these axes, or, in the plane, what is across the third of them.
static bool find_axis(const flx_symbolic *x, const double F[9], const flx_open open[9],
                      const double v[3], n3 *out)
{
    n33 A = axes(x, F, open);
    for (int k = 0; k < 3; k++) {
        const double a[3] = {F[k], F[3 + k], F[6 + k]};
        *out = column_of(A, k);
        if (same(a, v)) return true;
    }
    const double across[3] = {-F[5], F[2], 0.0};
    *out = (n3){{node_neg(x->g, A.m[5]), A.m[2], node_const(x->g, 0.0)}};
    return x->t.k.planar && same(across, v);
}

static bool any_open(int n, const flx_open *open)
{
    for (int i = 0; i < n; i++) {
        if (open[i]) return true;
    }
    return false;
}

n3 flx_symbolic_joint_axis(flx_symbolic *x, const flx_joint *j, int side, const double v[3])
{
    n3 found;
    bool open = any_open(18, j->frame_open[0]) || any_open(6, j->axis_open[0]) ||
                any_open(3, j->normal_open);
    for (int i = 0; i < 2 && !open; i++) // of what is drawn
        open = j->body[i] >= 0 && any_open(9, x->m->bodies[j->body[i]].R_open);
    if (!open || v3_norm(v3_load(v)) == 0.0) return n3_const(x->g, v3_load(v));
    if (find_axis(x, j->frame[side], j->frame_open[side], v, &found)) return found;
    if (same(j->axis[side], v)) return nums(x, j->axis[side], j->axis_open[side]);
    if (!fix_joint(x, j)) return (n3){{-1, -1, -1}};
    return n3_const(x->g, v3_load(v));
}

n3 flx_symbolic_force_axis(flx_symbolic *x, const flx_force *f, int side, const double v[3])
{
    n3 found;
    if (!any_open(18, f->frame_open[0])) return n3_const(x->g, v3_load(v));
    if (find_axis(x, f->frame[side], f->frame_open[side], v, &found)) return found;
    if (!fix_force(x, f)) return (n3){{-1, -1, -1}};
    return n3_const(x->g, v3_load(v));
}

static n3 from_centre(const flx_symbolic *x, int body, const double at[3], const flx_open open[3])
{
    const flx_body *b = body < 0 ? NULL : x->m->bodies + body;
    if (b && b->type == FLX_BODY_POINT) return n3_zero(x->g);
    n3 s = nums(x, at, open);
    return b ? n3_sub(x->g, s, nums(x, b->com, b->com_open)) : s;
}

n3 flx_symbolic_joint_place(const flx_symbolic *x, const flx_joint *j, int side)
{
    return from_centre(x, j->body[side], j->at[side], j->at_open[side]);
}

n3 flx_symbolic_force_place(const flx_symbolic *x, const flx_force *f, int side)
{
    return from_centre(x, f->body[side], f->at[side], f->at_open[side]);
}

static n33 drawn_axes(const flx_symbolic *x, int body)
{
    if (body < 0) return n33_rotation(x->g, m33_identity());
    return axes(x, x->m->bodies[body].R, x->m->bodies[body].R_open);
}

static n3 drawn_place(const flx_symbolic *x, const flx_joint *j, int side)
{
    int body = j->body[side];
    n3 at = n33_mul_v(x->g, drawn_axes(x, body), nums(x, j->at[side], j->at_open[side]));
    if (body < 0) return at;
    const flx_body *b = x->m->bodies + body;
    return n3_add(x->g, at, nums(x, b->position, b->position_open));
}

static flx_node drawn_angle(const flx_symbolic *x, int body)
{
    if (body < 0) return node_const(x->g, 0.0);
    return num(x, x->m->bodies[body].angle, x->m->bodies[body].angle_open);
}

static flx_node drawn_apart(const flx_symbolic *x, const flx_joint *j)
{
    n33 F = axes(x, j->frame[0], j->frame_open[0]);
    n3 axis = n33_mul_v(x->g, drawn_axes(x, j->body[0]), column_of(F, 2));
    return n3_dot(x->g, axis, n3_sub(x->g, drawn_place(x, j, 1), drawn_place(x, j, 0)));
}

flx_node flx_symbolic_joint_offset(const flx_symbolic *x, const flx_joint *j, const flx_scalar *s,
                                   bool coordinate)
{
    flx_graph *g = x->g;
    if (s->kind == FLX_SCALAR_ANGLE2)
        return node_sub(g, drawn_angle(x, j->body[1]), drawn_angle(x, j->body[0]));
    if (s->kind == FLX_SCALAR_DOT && j->kind == &flx_joint_UNIVERSAL) { // as drawn
        n3 a = n33_mul_v(g, drawn_axes(x, j->body[0]), nums(x, j->axis[0], j->axis_open[0]));
        n3 b = n33_mul_v(g, drawn_axes(x, j->body[1]), nums(x, j->axis[1], j->axis_open[1]));
        return n3_dot(g, a, b);
    }
    bool along = s->kind == FLX_SCALAR_PLANE || s->kind == FLX_SCALAR_PLANE2;
    return along && coordinate ? drawn_apart(x, j) : node_const(g, s->offset);
}

// ---- from joints to links -------------------------------------------------------------------------

typedef struct pose {
    int link; // -1: the ground
    n33 R;
    n3 p;
    flx_node angle; // planar
} pose;

typedef struct layout {
    flx_symbolic *x;
    flx_graph *g;
    int next; // link
    bool planar;
} layout;

typedef struct side {
    n3 at, axis;
    n33 frame;
} side;

static side side_of(const layout *y, const flx_joint *j, int s)
{
    return (side){nums(y->x, j->at[s], j->at_open[s]), nums(y->x, j->axis[s], j->axis_open[s]),
                  axes(y->x, j->frame[s], j->frame_open[s])};
}

static pose at_rest(const layout *y, int link)
{
    return (pose){link, n33_rotation(y->g, m33_identity()), n3_zero(y->g), node_const(y->g, 0.0)};
}

static pose add_link(layout *y, pose at)
{
    flx_symbolic_link *o = y->x->links + 1 + y->next;
    o->fixed = at.R;
    o->at = at.p;
    o->offset = at.angle;
    return at_rest(y, y->next++);
}

static pose with_axes(const layout *y, pose a, n33 R, flx_node angle)
{
    return (pose){a.link, n33_mul(y->g, a.R, R), a.p, node_add(y->g, a.angle, angle)};
}

static pose with_rotation(const layout *y, pose a, n33 R)
{
    return with_axes(y, a, R, node_const(y->g, 0.0));
}

// The body's frame when the joint's frame on it is the link's, moved by d.
static pose hang(const layout *y, pose link, n33 frame, n3 at, n3 d, flx_node angle)
{
    n33 R = n33_transpose(frame);
    return (pose){link.link, R, n3_sub(y->g, d, n33_mul_v(y->g, R, at)), angle};
}

// Axes with the third along a, by the second of the ground's axes that the numbers are farthest from.
static n33 axes_along(const layout *y, n3 a, v3 value)
{
    flx_graph *g = y->g;
    double u = fabs(value.x), v = fabs(value.y), w = fabs(value.z);
    v3 r = u <= v && u <= w ? v3_make(1, 0, 0) : v <= w ? v3_make(0, 1, 0) : v3_make(0, 0, 1);
    n3 e = n3_const(g, r), across = n3_sub(g, e, n3_scale(g, n3_dot(g, e, a), a));
    n3 x = n3_scale(g, node_div(g, node_const(g, 1.0), node_norm(g, across.c)), across);
    return from_columns(x, n3_cross(g, a, x), a);
}

static v3 drawn_value(const flx_model *m, int from, int to, const double axis[3])
{
    v3 v = v3_load(axis);
    if (to >= 0) v = m33_mul_v(m33_load(m->bodies[to].R), v);
    return from >= 0 ? m33_tmul_v(m33_load(m->bodies[from].R), v) : v;
}

static pose lay_universal(layout *y, const flx_joint *j, bool first, pose at, n33 C)
{
    int s = first ? 1 : 0, from = j->body[s], to = j->body[1 - s];
    side in = side_of(y, j, s), out = side_of(y, j, 1 - s);
    v3 axis = drawn_value(y->x->m, from, to, j->axis[1 - s]);
    n33 A = axes_along(y, in.axis, v3_load(j->axis[s]));
    n33 B = axes_along(y, n33_mul_v(y->g, C, out.axis), axis);
    pose one = add_link(y, with_rotation(y, at, A));
    pose two = add_link(y, with_rotation(y, one, n33_mul(y->g, n33_transpose(A), B)));
    n33 R = n33_mul(y->g, n33_transpose(B), C);
    return (pose){two.link, R, negative(y->g, n33_mul_v(y->g, R, out.at)), two.angle};
}

// Axes whose third is an axis of the joint's frame: tree_links.c.
static n33 axes_of(const layout *y, flx_joint_axis axis)
{
    m33 R = m33_identity();
    if (axis == FLX_AXIS_X) R = (m33){{0, 0, 1, 1, 0, 0, 0, 1, 0}};
    if (axis == FLX_AXIS_Y) R = (m33){{0, 1, 0, 0, 0, 1, 1, 0, 0}};
    return n33_rotation(y->g, R);
}

static pose lay_along(layout *y, const flx_joint *j, pose at, const side *out, flx_node slide)
{
    flx_graph *g = y->g;
    flx_joint_axis last = FLX_AXIS_Z;
    n3 apart = n3_zero(g);
    for (int i = 0; i < j->kind->nlink; i++) {
        flx_joint_link l = j->kind->link[i];
        if (l.axis != last) {
            n33 back = n33_transpose(axes_of(y, last));
            at = with_rotation(y, at, n33_mul(g, back, axes_of(y, l.axis)));
        }
        if (l.element == FLX_ELEMENT_SCREW) {
            y->x->links[1 + y->next].pitch =
                node_scale(g, 1.0 / (2.0 * FLX_PI), num(y->x, j->pitch, j->pitch_open));
        }
        at = add_link(y, at);
        last = l.axis;
    }
    apart.c[2] = slide;
    return hang(y, at, out->frame, out->at, apart, at.angle);
}

static flx_node slide_of(const layout *y, const flx_joint *j, bool first)
{
    flx_node apart = drawn_apart(y->x, j);
    return first ? node_neg(y->g, apart) : apart;
}

static pose lay_in_space(layout *y, const flx_joint *j, bool first, pose at, n33 C, int body)
{
    flx_graph *g = y->g;
    const flx_joint_kind *k = j->kind;
    side in = side_of(y, j, first ? 1 : 0), out = side_of(y, j, first ? 0 : 1);
    pose joint = with_rotation(y, at, in.frame);
    if (k->nlink == 0) {
        n33 R = n33_mul_t(g, joint.R, out.frame);
        return (pose){at.link, R, n3_sub(g, at.p, n33_mul_v(g, R, out.at)), at.angle};
    }
    if (k->link[0].element == FLX_ELEMENT_BALL) {
        if (y->x->m->bodies[body].type == FLX_BODY_POINT) return with_rotation(y, at, C);
        pose link = add_link(y, with_rotation(y, at, C));
        link.p = negative(g, out.at);
        return link;
    }
    if (k->link[0].axis == FLX_AXIS_OWN) return lay_universal(y, j, first, at, C);
    flx_node slide = k->displacement ? slide_of(y, j, first) : node_const(g, 0.0);
    return lay_along(y, j, joint, &out, slide);
}

static n33 along_x(const layout *y, n3 a)
{
    n3 z = n3_const(y->g, v3_make(0, 0, 1));
    return from_columns(a, n3_cross(y->g, z, a), z);
}

// turned: the angle of the body relative to the one before, as drawn.
static pose lay_in_plane(layout *y, const flx_joint *j, bool first, pose at, n33 C, flx_node turned,
                         int body)
{
    flx_graph *g = y->g;
    const flx_joint_kind *k = j->kind;
    side in = side_of(y, j, first ? 1 : 0), out = side_of(y, j, first ? 0 : 1);
    bool point = y->x->m->bodies[body].type == FLX_BODY_POINT;
    pose with = with_axes(y, at, C, turned), link;
    if (k->nlink == 1 && k->link[0].element == FLX_ELEMENT_TURN && !point) {
        link = add_link(y, with);
        link.p = negative(g, out.at);
        return link;
    }
    if (k->nlink == 1 && k->link[0].element == FLX_ELEMENT_SLIDE) {
        n3 a = column_of(in.frame, 2), apart = n3_zero(g);
        flx_node angle = flx_graph_binary(g, FLX_OP_ATAN2, a.c[1], a.c[0]);
        link = add_link(y, with_axes(y, at, along_x(y, a), angle));
        apart.c[0] = slide_of(y, j, first);
        return hang(y, link, along_x(y, column_of(out.frame, 2)), out.at, apart,
                    node_sub(g, turned, angle));
    }
    if (point) return with;
    with.p = n3_sub(g, at.p, n33_mul_v(g, with.R, out.at));
    return with;
}

static pose lay_free(layout *y, pose base, int parent, int body)
{
    flx_graph *g = y->g;
    const flx_body *b = y->x->m->bodies + body;
    n33 D = n33_rotation(g, m33_identity());
    if (parent >= 0) D = n33_mul_t(g, drawn_axes(y->x, parent), y->x->mounts[parent].R);
    n33 R = n33_mul(g, n33_transpose(D), drawn_axes(y->x, body));
    pose shift = add_link(y, at_rest(y, base.link));
    if (b->type == FLX_BODY_POINT) {
        shift.R = R;
        return shift;
    }
    pose last = add_link(y, shift);
    last.p = negative(g, nums(y->x, b->com, b->com_open));
    return last;
}

static void lay_body(layout *y, const flx_tree_body *node)
{
    flx_symbolic *x = y->x;
    flx_graph *g = y->g;
    const flx_model *m = x->m;
    int parent = node->parent < 0 ? FLX_BODY_GROUND : x->top.nodes[node->parent].body;
    pose base = at_rest(y, -1), own;
    const flx_joint *j = node->joint < 0 ? NULL : m->joints + node->joint;
    flx_symbolic_mount *to = x->mounts + node->body;
    if (parent >= 0) {
        const flx_symbolic_mount *p = x->mounts + parent;
        base = (pose){x->t.mounts[parent].link, p->R, p->p, p->angle};
    }
    if (!j || j->kind->link[0].element == FLX_ELEMENT_SHIFT) {
        own = lay_free(y, base, parent, node->body);
    } else {
        int s = node->first ? 1 : 0, from = j->body[s], on = j->body[1 - s];
        n33 C = n33_mul(g, n33_transpose(drawn_axes(x, from)), drawn_axes(x, on));
        flx_node turned = node_sub(g, drawn_angle(x, on), drawn_angle(x, from));
        bool point = parent >= 0 && m->bodies[parent].type == FLX_BODY_POINT;
        n3 at = point ? n3_zero(g) : nums(x, j->at[s], j->at_open[s]);
        base.p = n3_add(g, base.p, n33_mul_v(g, base.R, at));
        own = y->planar ? lay_in_plane(y, j, node->first, base, C, turned, node->body)
                        : lay_in_space(y, j, node->first, base, C, node->body);
    }
    *to = (flx_symbolic_mount){own.R, own.p, own.angle};
}

static void lay_open(flx_symbolic *x)
{
    layout y = {.x = x, .g = x->g, .planar = x->t.k.planar};
    for (int i = 0; i < x->top.n; i++) lay_body(&y, x->top.nodes + i);
    for (int b = 0; b < x->m->nbody; b++) {
        flx_symbolic_mount *at = x->mounts + b;
        n3 com = nums(x, x->m->bodies[b].com, x->m->bodies[b].com_open);
        at->p = n3_add(x->g, at->p, n33_mul_v(x->g, at->R, com));
    }
}

// ---- all of it ------------------------------------------------------------------------------------

static bool has_open_places(const flx_symbolic *x)
{
    const flx_model *m = x->m;
    bool open = false;
    for (int i = 0; i < m->nbody && !open; i++) {
        const flx_body *b = m->bodies + i;
        open = any_open(3, b->com_open) || any_open(3, b->position_open) ||
               any_open(9, b->R_open) || b->angle_open;
    }
    for (int i = 0; i < m->njoint && !open; i++) {
        const flx_joint *j = m->joints + i;
        open = any_open(6, j->at_open[0]) || any_open(18, j->frame_open[0]) ||
               any_open(6, j->axis_open[0]) || j->pitch_open;
    }
    return open;
}

// Whether the plan of a joint keeps to directions that the joint knows, whatever its parameters are.
static bool is_plain(const flx_symbolic *x, int joint)
{
    const flx_joint_kind *k = x->m->joints[joint].kind;
    bool carries = k->on_joints || x->carrier[joint] >= 0;
    if (k == &flx_joint_ROLLING || k == &flx_joint_CONSTANT_VELOCITY || k->curve) return false;
    return carries || !k->threaded;
}

static flx_status fix_others(flx_symbolic *x)
{
    const flx_model *m = x->m;
    bool fine = true, elastic = m->nmodal > 0 || m->nattached > 0;
    for (int i = 0; i < m->nbody && elastic && fine; i++) fine = fix_body(x, i);
    for (int i = 0; i < m->njoint && fine; i++) {
        if (elastic || !is_plain(x, i)) fine = fix_joint(x, m->joints + i);
    }
    for (int i = 0; i < m->nforce && elastic && fine; i++) fine = fix_force(x, m->forces + i);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_symbolic_geometry(flx_symbolic *x)
{
    const flx_model *m = x->m;
    flx_graph *g = x->g;
    int most = 0;
    for (int i = 0; i < m->nparameter; i++) {
        if (m->parameters[i].leaf >= most) most = m->parameters[i].leaf + 1;
    }
    x->fixed = flx_arena_take(x->arena, (size_t)most, sizeof *x->fixed);
    x->mounts = flx_arena_take(x->arena, (size_t)m->nbody, sizeof *x->mounts);
    if (!x->fixed || !x->mounts) return FLX_ERR_MEMORY;
    FLX_TRY(fix_others(x));
    for (int i = 0; i < x->n; i++) {
        const flx_link *l = x->t.links + i;
        flx_symbolic_link *o = x->links + 1 + i;
        o->fixed = n33_rotation(g, l->R);
        o->at = n3_const(g, l->r);
        o->offset = node_const(g, l->offset);
        o->pitch = node_const(g, l->pitch);
    }
    for (int i = 0; i < m->nbody; i++) {
        const flx_mount *at = x->t.mounts + i;
        x->mounts[i] = (flx_symbolic_mount){n33_rotation(g, at->R), n3_const(g, at->p),
                                            node_const(g, at->angle)};
    }
    if (has_open_places(x) && m->nmodal == 0 && m->nattached == 0) lay_open(x);
    return FLX_OK;
}
