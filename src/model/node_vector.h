// node_vector.h - vectors and matrices of nodes: what math/small.h has for numbers. Static inline; zeros
// and ones fold, so that products with constant rotations cost what is left of them.
#pragma once

#include "math/small.h"
#include "model/nodes.h"

typedef struct n3 {
    flx_node c[3];
} n3;

typedef struct n33 { // row-major
    flx_node m[9];
} n33;

static inline n3 n3_zero(flx_graph *g)
{
    flx_node z = node_const(g, 0.0);
    return (n3){{z, z, z}};
}
static inline n3 n3_const(flx_graph *g, v3 a)
{
    return (n3){{node_const(g, a.x), node_const(g, a.y), node_const(g, a.z)}};
}
static inline n3 n3_add(flx_graph *g, n3 a, n3 b)
{
    node_add3(g, a.c, b.c, a.c);
    return a;
}
static inline n3 n3_sub(flx_graph *g, n3 a, n3 b)
{
    node_sub3(g, a.c, b.c, a.c);
    return a;
}
static inline n3 n3_cross(flx_graph *g, n3 a, n3 b)
{
    n3 c;
    node_cross(g, a.c, b.c, c.c);
    return c;
}
static inline flx_node n3_dot(flx_graph *g, n3 a, n3 b)
{
    return node_dot(g, a.c, b.c);
}
static inline n3 n3_scale(flx_graph *g, flx_node s, n3 a)
{
    for (int i = 0; i < 3; i++) a.c[i] = node_mul(g, s, a.c[i]);
    return a;
}
static inline n3 n3_axpy(flx_graph *g, flx_node s, n3 a, n3 b)
{
    return n3_add(g, n3_scale(g, s, a), b);
}

// An entry of a rotation that is 0 or +-1 but for rounding is exactly that.
static inline double snap(double a)
{
    const double rounding = 1e-15;
    double near = round(a);
    return fabs(a - near) < rounding ? near : a;
}
static inline n33 n33_rotation(flx_graph *g, m33 R)
{
    n33 A;
    for (int i = 0; i < 9; i++) A.m[i] = node_const(g, snap(R.m[i]));
    return A;
}
static inline n33 n33_zero(flx_graph *g)
{
    n33 A;
    for (int i = 0; i < 9; i++) A.m[i] = node_const(g, 0.0);
    return A;
}
static inline n33 n33_transpose(n33 A)
{
    return (n33){{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
static inline n3 n33_row(n33 A, int i)
{
    return (n3){{A.m[3 * i], A.m[3 * i + 1], A.m[3 * i + 2]}};
}
static inline n3 n33_mul_v(flx_graph *g, n33 A, n3 a)
{
    n3 out;
    for (int i = 0; i < 3; i++) out.c[i] = n3_dot(g, n33_row(A, i), a);
    return out;
}
static inline n3 n33_tmul_v(flx_graph *g, n33 A, n3 a)
{
    return n33_mul_v(g, n33_transpose(A), a);
}
// A B^T
static inline n33 n33_mul_t(flx_graph *g, n33 A, n33 B)
{
    n33 C;
    for (int i = 0; i < 9; i++) C.m[i] = n3_dot(g, n33_row(A, i / 3), n33_row(B, i % 3));
    return C;
}
static inline n33 n33_mul(flx_graph *g, n33 A, n33 B)
{
    return n33_mul_t(g, A, n33_transpose(B));
}
static inline n33 n33_add(flx_graph *g, n33 A, n33 B)
{
    for (int i = 0; i < 9; i++) A.m[i] = node_add(g, A.m[i], B.m[i]);
    return A;
}
static inline n33 n33_skew(flx_graph *g, n3 a)
{
    flx_node z = node_const(g, 0.0);
    const flx_node *c = a.c;
    return (n33){
        {z, node_neg(g, c[2]), c[1], c[2], z, node_neg(g, c[0]), node_neg(g, c[1]), c[0], z}};
}
// The upper half decides.
static inline n33 n33_mirror(n33 A)
{
    A.m[3] = A.m[1];
    A.m[6] = A.m[2];
    A.m[7] = A.m[5];
    return A;
}
// R A R^T; symmetric: A is.
static inline n33 n33_turn(flx_graph *g, n33 R, n33 A, bool symmetric)
{
    n33 B = n33_mul_t(g, n33_mul(g, R, A), R);
    return symmetric ? n33_mirror(B) : B;
}
