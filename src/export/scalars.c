// scalars.c - the scalar functions of joint/scalar.h as expressions over the leaves of two bodies,
// and the coordinates of joints. Derivatives are the graph's.
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
        w.c[2] = leaf(x, FLX_LEAF_BODY_SPIN, body, 0);
        return w;
    }
    return n33_mul_v(x->g, axes(x, body), vector(x, FLX_LEAF_BODY_SPIN, body));
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

// Velocity of the point of a body that is at P now.
static n3 velocity_at(flx_symbolic *x, int body, n3 P)
{
    n3 arm = n3_sub(x->g, P, vector(x, FLX_LEAF_BODY_POSITION, body));
    n3 v = vector(x, FLX_LEAF_BODY_VELOCITY, body);
    return body < 0 ? v : n3_add(x->g, v, n3_cross(x->g, spin(x, body), arm));
}

static n3 way(flx_symbolic *x, const flx_scalar *s)
{
    return n3_sub(x->g, flx_symbolic_place(x, s->body[1], s->s[1]),
                  flx_symbolic_place(x, s->body[0], s->s[0]));
}

// (SCA-6) from the centre of a disc or ball to its lowest point; h: distance over radius
static n3 rim(flx_symbolic *x, const flx_scalar *s, flx_node *h)
{
    flx_graph *g = x->g;
    n3 n = flx_symbolic_direction(x, s->body[0], s->a[0]);
    n3 u = flx_symbolic_direction(x, s->body[1], s->b);
    flx_node one = node_const(g, 1.0), r = node_const(g, -s->length);
    *h = one;
    if (x->t.k.planar || v3_norm(v3_load(s->b)) == 0.0) return n3_scale(g, r, n);
    flx_node c = n3_dot(g, n, u);
    *h = node_sqrt(g, node_sub(g, one, node_mul(g, c, c)));
    return n3_scale(g, node_div(g, r, *h), n3_axpy(g, node_neg(g, c), u, n));
}

static flx_node slip(flx_symbolic *x, const flx_scalar *s, n3 P, n3 t)
{
    return n3_dot(x->g, t,
                  n3_sub(x->g, velocity_at(x, s->body[1], P), velocity_at(x, s->body[0], P)));
}

static n33 frame_of(const double x[3], const double y[3], flx_graph *g, n33 R)
{
    v3 z = v3_cross(v3_load(x), v3_load(y));
    return n33_mul(g, R, n33_rotation(g, m33_from_cols(v3_load(x), v3_load(y), z)));
}

// (SCA-9)
static flx_node twist(flx_symbolic *x, const flx_scalar *s)
{
    flx_graph *g = x->g;
    n33 A = frame_of(s->a[0], s->a[1], g, axes(x, s->body[0]));
    n33 B = frame_of(s->s[0], s->s[1], g, axes(x, s->body[1]));
    n33 Q = n33_mul(g, n33_transpose(A), B);
    n3 th;
    flx_node_rotation_vector(g, Q.m, th.c);
    return n3_dot(g, n3_const(g, v3_load(s->b)), th);
}

static flx_node plain(flx_symbolic *x, const flx_scalar *s)
{
    flx_graph *g = x->g;
    int A = s->body[0], B = s->body[1];
    flx_node h;
    switch (s->kind) {
    case FLX_SCALAR_DOT:
        return n3_dot(g, flx_symbolic_direction(x, A, s->a[0]), flx_symbolic_direction(x, B, s->b));
    case FLX_SCALAR_PLANE:
    case FLX_SCALAR_PLANE2:
        return n3_dot(g, flx_symbolic_direction(x, A, s->a[0]), way(x, s));
    case FLX_SCALAR_LENGTH:
    case FLX_SCALAR_LENGTH2:
        return node_norm(g, way(x, s).c);
    case FLX_SCALAR_SQUARE:
    case FLX_SCALAR_SQUARE2: {
        flx_node d2 = n3_dot(g, way(x, s), way(x, s)), L2 = node_const(g, s->length * s->length);
        return node_scale(g, 0.5 / s->length, node_sub(g, d2, L2));
    }
    case FLX_SCALAR_ANGLE: {
        n3 to = flx_symbolic_direction(x, B, s->b);
        flx_node c = n3_dot(g, flx_symbolic_direction(x, A, s->a[0]), to);
        return flx_graph_binary(g, FLX_OP_ATAN2,
                                n3_dot(g, flx_symbolic_direction(x, A, s->a[1]), to), c);
    }
    case FLX_SCALAR_ANGLE2: {
        flx_node b = turns(x, B) ? leaf(x, FLX_LEAF_BODY_ROTATION, B, 0) : node_const(g, 0.0);
        flx_node a = turns(x, A) ? leaf(x, FLX_LEAF_BODY_ROTATION, A, 0) : node_const(g, 0.0);
        return node_sub(g, b, a);
    }
    case FLX_SCALAR_TOUCH:
        (void)rim(x, s, &h);
        return node_sub(g, n3_dot(g, flx_symbolic_direction(x, A, s->a[0]), way(x, s)),
                        node_scale(g, s->length, h));
    case FLX_SCALAR_TWIST:
        return twist(x, s);
    case FLX_SCALAR_ROLL:
    case FLX_SCALAR_ROLL2: {
        n3 P = n3_add(g, flx_symbolic_place(x, B, s->s[1]), rim(x, s, &h));
        return slip(x, s, P, flx_symbolic_direction(x, A, s->a[1]));
    }
    case FLX_SCALAR_KNIFE:
    case FLX_SCALAR_KNIFE2:
        return slip(x, s, flx_symbolic_place(x, B, s->s[1]), flx_symbolic_direction(x, B, s->b));
    }
    return -1;
}

flx_node flx_symbolic_scalar(flx_symbolic *x, const flx_scalar *s)
{
    return node_sub(x->g, plain(x, s), node_const(x->g, s->offset));
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
    int link = x->carrier[joint] < 0 ? -1 : find_link(x, joint, angle);
    if (link < 0) {
        if (s.kind != FLX_SCALAR_ANGLE) return flx_symbolic_scalar(x, &s);
        x->failed = true;
        (void)FLX_FAIL(
            x->ctx, FLX_ERR_CANNOT, j->loc,
            "joint '%s' closes a loop, and exported equations do not count its turns; "
            "use the angle of a joint that carries a body (flexion check shows the tree)",
            j->name);
        return -1;
    }
    const flx_link *l = x->t.links + link;
    double factor = l->kind == FLX_LINK_SCREW && !angle ? l->pitch : 1.0;
    return node_scale(x->g, factor, flx_graph_leaf(x->g, flx_export_leaf(FLX_LEAF_Q, l->q, 0)));
}
