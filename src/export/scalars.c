// scalars.c - the scalar functions of two frames (joint/scalar_graph.h) over the leaves of two bodies, and the
// coordinates of joints.
#include "export/symbolic.h"

static flx_node leaf(flx_symbolic *x, flx_leaf_kind kind, int body, int component)
{
    return flx_graph_leaf(x->g, flx_leaf_make(kind, body, component));
}

static bool turns(const flx_symbolic *x, int body)
{
    return body >= 0 && x->m->bodies[body].type == FLX_BODY_RIGID;
}

static n3 vector(flx_symbolic *x, flx_leaf_kind kind, int body)
{
    n3 a = n3_zero(x->g);
    for (int i = 0; i < (x->t.k.planar ? 2 : 3) && body >= 0; i++) a.c[i] = leaf(x, kind, body, i);
    return a;
}

static n33 axes(flx_symbolic *x, int body)
{
    flx_graph *g = x->g;
    n33 R = n33_rotation(g, m33_identity());
    if (!turns(x, body)) return R;
    if (x->t.k.planar) {
        flx_node angle = leaf(x, FLX_LEAF_BODY_ROTATION, body, 0);
        flx_node c = flx_graph_unary(g, FLX_OP_COS, angle);
        flx_node s = flx_graph_unary(g, FLX_OP_SIN, angle);
        R.m[0] = R.m[4] = c;
        R.m[1] = node_neg(g, s);
        R.m[3] = s;
        return R;
    }
    for (int i = 0; i < 9; i++) R.m[i] = leaf(x, FLX_LEAF_BODY_ROTATION, body, i);
    return R;
}

// Angular velocity, ground's axes.
static n3 spin(flx_symbolic *x, int body)
{
    n3 w = n3_zero(x->g);
    if (!turns(x, body)) return w;
    if (x->t.k.planar) {
        w.c[2] = leaf(x, FLX_LEAF_BODY_ANGULAR_VELOCITY, body, 0);
        return w;
    }
    return n33_mul_v(x->g, axes(x, body), vector(x, FLX_LEAF_BODY_ANGULAR_VELOCITY, body));
}

n3 flx_symbolic_direction(flx_symbolic *x, int body, n3 d)
{
    return n33_mul_v(x->g, axes(x, body), d);
}

n3 flx_symbolic_place(flx_symbolic *x, int body, n3 s)
{
    n3 p = vector(x, FLX_LEAF_BODY_POSITION, body);
    return n3_add(x->g, p, flx_symbolic_direction(x, body, s));
}

static n33 frame_of(n3 x, n3 y, flx_graph *g, n33 R)
{
    n3 z = n3_cross(g, x, y);
    n33 F = {{x.c[0], y.c[0], z.c[0], x.c[1], y.c[1], z.c[1], x.c[2], y.c[2], z.c[2]}};
    return n33_mul(g, R, F);
}

// A joint's, or of the force that is at work; of neither, numbers.
static const flx_joint *joint_of(const flx_symbolic *x, const flx_scalar *s)
{
    return s->turn < 0 ? NULL : x->m->joints + s->turn;
}

static n3 axis_of(flx_symbolic *x, const flx_scalar *s, int side, const double v[3])
{
    const flx_joint *j = joint_of(x, s);
    if (j) return flx_symbolic_joint_axis(x, j, side, v);
    return x->force ? flx_symbolic_force_axis(x, x->force, side, v) : n3_const(x->g, v3_load(v));
}

static n3 place_of(flx_symbolic *x, const flx_scalar *s, int side)
{
    const flx_joint *j = joint_of(x, s);
    if (j) return flx_symbolic_joint_place(x, j, side);
    return x->force ? flx_symbolic_force_place(x, x->force, side)
                    : n3_const(x->g, v3_load(s->s[side]));
}

static flx_node angle_of(flx_symbolic *x, int body)
{
    return turns(x, body) ? leaf(x, FLX_LEAF_BODY_ROTATION, body, 0) : node_const(x->g, 0.0);
}

// The vectors of a scalar, over the leaves of its bodies.
static void carry_scalar(flx_symbolic *x, const flx_scalar *s, flx_scalar_nodes *n)
{
    flx_graph *g = x->g;
    const flx_joint *j = joint_of(x, s);
    n->length = node_const(g, s->length);
    if (j && j->length == s->length) n->length = node_open(g, j->length, j->length_open);
    n->ball = x->t.k.planar || v3_norm(v3_load(s->b)) == 0.0;
    for (int i = 0; i < 2; i++) {
        int body = s->body[i];
        n->centre[i] = vector(x, FLX_LEAF_BODY_POSITION, body);
        n->velocity[i] = vector(x, FLX_LEAF_BODY_VELOCITY, body);
        n->spin[i] = spin(x, body);
        if (x->t.k.planar) n->angle[i] = angle_of(x, body);
    }
    if (s->kind == FLX_SCALAR_TWIST || s->kind == FLX_SCALAR_TURN) {
        n->frame[0] =
            frame_of(axis_of(x, s, 0, s->a[0]), axis_of(x, s, 0, s->a[1]), g, axes(x, s->body[0]));
        n->frame[1] =
            frame_of(axis_of(x, s, 1, s->s[0]), axis_of(x, s, 1, s->s[1]), g, axes(x, s->body[1]));
        n->b = n3_const(g, v3_load(s->b));
        return;
    }
    for (int i = 0; i < 2; i++) {
        n->place[i] = flx_symbolic_place(x, s->body[i], place_of(x, s, i));
        n->a[i] = flx_symbolic_direction(x, s->body[0], axis_of(x, s, 0, s->a[i]));
    }
    n->b = flx_symbolic_direction(x, s->body[1], axis_of(x, s, 1, s->b));
}

static flx_node scalar(flx_symbolic *x, const flx_scalar *s, bool coordinate)
{
    const flx_joint *j = joint_of(x, s);
    flx_scalar_nodes n;
    carry_scalar(x, s, &n);
    flx_node offset =
        j ? flx_symbolic_joint_offset(x, j, s, coordinate) : node_const(x->g, s->offset);
    return node_sub(x->g, flx_scalar_graph(x->g, s->kind, &n), offset);
}

flx_node flx_symbolic_scalar(flx_symbolic *x, const flx_scalar *s)
{
    return scalar(x, s, false);
}

// ---- coordinates of joints ----------------------------------------------------------------------

// The link of a joint of the tree that has the coordinate; -1: none.
static int find_link(const flx_symbolic *x, int joint, bool angle)
{
    const flx_mount *at = x->t.mounts + x->carrier[joint];
    for (int i = at->first; i <= at->link; i++) {
        flx_link_kind k = x->t.links[i].kind;
        if (k == FLX_LINK_SCREW || k == (angle ? FLX_LINK_TURN : FLX_LINK_SLIDE)) return i;
    }
    return -1;
}

flx_node flx_symbolic_coordinate(flx_symbolic *x, int joint, flx_coordinate which)
{
    const flx_model *m = x->m;
    const flx_joint *j = m->joints + joint;
    flx_scalar s;
    if (which == FLX_COORDINATE_NONE) which = flx_joint_own_coordinate(m, joint);
    bool angle = which == FLX_COORDINATE_ANGLE;
    if (!flx_joint_scalar(m, joint, which, &s)) {
        x->failed = true;
        (void)FLX_FAIL(x->ctx, FLX_ERR_MODEL, j->loc, "joint '%s' has no angle or displacement",
                       j->name);
        return -1;
    }
    if (which >= FLX_COORDINATE_FIRST) { // within half a turn
        return scalar(x, &s, true);
    }
    int link = x->carrier[joint] < 0 ? -1 : find_link(x, joint, angle);
    if (link < 0) {
        if (s.kind != FLX_SCALAR_ANGLE) return scalar(x, &s, true);
        x->failed = true;
        (void)FLX_FAIL(
            x->ctx, FLX_ERR_CANNOT, j->loc,
            "joint '%s' closes a loop, and exported equations do not count its revolutions; "
            "use the angle of a joint that carries a body (flexion check shows the tree)",
            j->name);
        return -1;
    }
    const flx_link *l = x->t.links + link;
    bool climbs = l->kind == FLX_LINK_SCREW && !angle;
    flx_node factor = climbs ? x->links[1 + link].pitch : node_const(x->g, 1.0);
    const flx_tree_body *node = x->top.nodes + x->top.number[l->body];
    if (node->first && !l->against)
        factor = node_neg(x->g, factor); // the link's is of the first relative to the second
    return node_mul(x->g, factor, flx_graph_leaf(x->g, flx_export_leaf(FLX_EXPORT_Q, l->q, 0)));
}
