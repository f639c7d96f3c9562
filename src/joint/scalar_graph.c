// scalar_graph.c - scalar functions of two frames over nodes. Equations as in scalar.c; derivatives are the graph's.
#include "joint/scalar_graph.h"

static n3 way(flx_graph *g, const flx_scalar_nodes *n)
{
    return n3_sub(g, n->place[1], n->place[0]);
}

n3 flx_scalar_graph_rim(flx_graph *g, const flx_scalar_nodes *n, flx_node *h)
{
    flx_node one = node_const(g, 1.0), r = node_neg(g, n->length), height = one;
    n3 rho = n3_scale(g, r, n->a[0]);
    if (!n->ball) {
        flx_node c = n3_dot(g, n->a[0], n->b);
        height = node_sqrt(g, node_sub(g, one, node_mul(g, c, c)));
        rho = n3_scale(g, node_div(g, r, height), n3_axpy(g, node_neg(g, c), n->b, n->a[0]));
    }
    if (h) *h = height;
    return rho;
}

// Velocity of the point of a body that is at P now.
static n3 velocity_at(flx_graph *g, const flx_scalar_nodes *n, int i, n3 P)
{
    n3 arm = n3_sub(g, P, n->centre[i]);
    return n3_add(g, n->velocity[i], n3_cross(g, n->spin[i], arm));
}

// (SCA-7)
static flx_node slip(flx_graph *g, const flx_scalar_nodes *n, n3 P, n3 t)
{
    return n3_dot(g, t, n3_sub(g, velocity_at(g, n, 1, P), velocity_at(g, n, 0, P)));
}

// (SCA-9)
static flx_node twist(flx_graph *g, const flx_scalar_nodes *n)
{
    n33 Q = n33_mul(g, n33_transpose(n->frame[0]), n->frame[1]);
    n3 th;
    flx_node_rotation_vector(g, Q.m, th.c);
    return n3_dot(g, n->b, th);
}

// (SCA-12)
static flx_node turn(flx_graph *g, const flx_scalar_nodes *n)
{
    n33 Q = n33_mul(g, n33_transpose(n->frame[0]), n->frame[1]);
    return flx_graph_binary(g, FLX_OP_ATAN2, node_sub(g, Q.m[3], Q.m[1]),
                            node_add(g, Q.m[0], Q.m[4]));
}

flx_node flx_scalar_graph(flx_graph *g, flx_scalar_kind kind, const flx_scalar_nodes *n)
{
    switch (kind) {
    case FLX_SCALAR_DOT:
        return n3_dot(g, n->a[0], n->b);
    case FLX_SCALAR_PLANE:
    case FLX_SCALAR_PLANE2:
        return n3_dot(g, n->a[0], way(g, n));
    case FLX_SCALAR_LENGTH:
    case FLX_SCALAR_LENGTH2:
        return node_norm(g, way(g, n).c);
    case FLX_SCALAR_SQUARE:
    case FLX_SCALAR_SQUARE2: {
        flx_node d2 = n3_dot(g, way(g, n), way(g, n)), L2 = node_mul(g, n->length, n->length);
        return node_mul(g, node_div(g, node_const(g, 0.5), n->length), node_sub(g, d2, L2));
    }
    case FLX_SCALAR_ANGLE:
        return flx_graph_binary(g, FLX_OP_ATAN2, n3_dot(g, n->a[1], n->b),
                                n3_dot(g, n->a[0], n->b));
    case FLX_SCALAR_ANGLE2:
        return node_sub(g, n->angle[1], n->angle[0]);
    case FLX_SCALAR_TOUCH: {
        flx_node h;
        (void)flx_scalar_graph_rim(g, n, &h);
        return node_sub(g, n3_dot(g, n->a[0], way(g, n)), node_mul(g, n->length, h));
    }
    case FLX_SCALAR_TWIST:
        return twist(g, n);
    case FLX_SCALAR_TURN:
        return turn(g, n);
    case FLX_SCALAR_SWING: {
        n3 x = n3_cross(g, n->a[0], n->b);
        return flx_graph_binary(g, FLX_OP_ATAN2, node_norm(g, x.c), n3_dot(g, n->a[0], n->b));
    }
    case FLX_SCALAR_ROLL:
    case FLX_SCALAR_ROLL2:
        return slip(g, n, n3_add(g, n->place[1], flx_scalar_graph_rim(g, n, NULL)), n->a[1]);
    case FLX_SCALAR_KNIFE:
    case FLX_SCALAR_KNIFE2:
        return slip(g, n, n->place[1], n->b);
    case FLX_SCALAR_CURVE: // of a search: no expression
    case FLX_SCALAR_GAP:   // of surfaces
    case FLX_SCALAR_SLIP:
    case FLX_SCALAR_COUNT:
        break;
    }
    return -1;
}
