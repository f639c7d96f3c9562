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

n3 flx_symbolic_direction(flx_symbolic *x, int body, const double d[3])
{
    return n33_mul_v(x->g, axes(x, body), n3_const(x->g, v3_load(d)));
}

n3 flx_symbolic_place(flx_symbolic *x, int body, const double s[3])
{
    n3 p = vector(x, FLX_LEAF_BODY_POSITION, body);
    return n3_add(x->g, p, flx_symbolic_direction(x, body, s));
}

static n33 frame_of(const double x[3], const double y[3], flx_graph *g, n33 R)
{
    v3 z = v3_cross(v3_load(x), v3_load(y));
    return n33_mul(g, R, n33_rotation(g, m33_from_cols(v3_load(x), v3_load(y), z)));
}

static flx_node angle_of(flx_symbolic *x, int body)
{
    return turns(x, body) ? leaf(x, FLX_LEAF_BODY_ROTATION, body, 0) : node_const(x->g, 0.0);
}

// The vectors of a scalar, over the leaves of its bodies.
static void carry_scalar(flx_symbolic *x, const flx_scalar *s, flx_scalar_nodes *n)
{
    flx_graph *g = x->g;
    n->length = node_const(g, s->length);
    n->ball = x->t.k.planar || v3_norm(v3_load(s->b)) == 0.0;
    for (int i = 0; i < 2; i++) {
        int body = s->body[i];
        n->centre[i] = vector(x, FLX_LEAF_BODY_POSITION, body);
        n->velocity[i] = vector(x, FLX_LEAF_BODY_VELOCITY, body);
        n->spin[i] = spin(x, body);
        if (x->t.k.planar) n->angle[i] = angle_of(x, body);
    }
    if (s->kind == FLX_SCALAR_TWIST) {
        n->frame[0] = frame_of(s->a[0], s->a[1], g, axes(x, s->body[0]));
        n->frame[1] = frame_of(s->s[0], s->s[1], g, axes(x, s->body[1]));
        n->b = n3_const(g, v3_load(s->b));
        return;
    }
    for (int i = 0; i < 2; i++) {
        n->place[i] = flx_symbolic_place(x, s->body[i], s->s[i]);
        n->a[i] = flx_symbolic_direction(x, s->body[0], s->a[i]);
    }
    n->b = flx_symbolic_direction(x, s->body[1], s->b);
}

flx_node flx_symbolic_scalar(flx_symbolic *x, const flx_scalar *s)
{
    flx_scalar_nodes n;
    carry_scalar(x, s, &n);
    return node_sub(x->g, flx_scalar_graph(x->g, s->kind, &n), node_const(x->g, s->offset));
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
    if (which == FLX_COORDINATE_FIRST || which == FLX_COORDINATE_SECOND) { // within half a turn
        return flx_symbolic_scalar(x, &s);
    }
    int link = x->carrier[joint] < 0 ? -1 : find_link(x, joint, angle);
    if (link < 0) {
        if (s.kind != FLX_SCALAR_ANGLE) return flx_symbolic_scalar(x, &s);
        x->failed = true;
        (void)FLX_FAIL(
            x->ctx, FLX_ERR_CANNOT, j->loc,
            "joint '%s' closes a loop, and exported equations do not count its revolutions; "
            "use the angle of a joint that carries a body (flexion check shows the tree)",
            j->name);
        return -1;
    }
    const flx_link *l = x->t.links + link;
    double factor = l->kind == FLX_LINK_SCREW && !angle ? l->pitch : 1.0;
    const flx_tree_body *node = x->top.nodes + x->top.number[l->body];
    if (node->first && !l->against)
        factor = -factor; // the link's is of the first relative to the second
    return node_scale(x->g, factor, flx_graph_leaf(x->g, flx_export_leaf(FLX_EXPORT_Q, l->q, 0)));
}
