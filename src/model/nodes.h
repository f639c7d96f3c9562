// nodes.h - vector algebra on nodes. Static inline but for the last.
#pragma once

#include "expr/algebra.h"
#include "model/leaves.h"

static inline flx_node node_leaf(flx_graph *g, flx_leaf_kind kind, int index, int component)
{
    return flx_graph_leaf(g, flx_leaf_make(kind, index, component));
}
// A number that may be an expression of open parameters (flx_open of model.h).
static inline flx_node node_open(flx_graph *g, double value, int open)
{
    return open == 0 ? flx_graph_const(g, value) : open > 0 ? open - 1 : -1;
}
static inline flx_node node_dot(flx_graph *g, const flx_node a[3], const flx_node b[3])
{
    return node_add(g, node_add(g, node_mul(g, a[0], b[0]), node_mul(g, a[1], b[1])),
                    node_mul(g, a[2], b[2]));
}
static inline flx_node node_norm(flx_graph *g, const flx_node a[3])
{
    return node_sqrt(g, node_dot(g, a, a));
}
static inline void node_cross(flx_graph *g, const flx_node a[3], const flx_node b[3],
                              flx_node out[3])
{
    flx_node c[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        c[i] = node_sub(g, node_mul(g, a[j], b[k]), node_mul(g, a[k], b[j]));
    }
    for (int i = 0; i < 3; i++) out[i] = c[i];
}
static inline void node_add3(flx_graph *g, const flx_node a[3], const flx_node b[3],
                             flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_add(g, a[i], b[i]);
}
static inline void node_sub3(flx_graph *g, const flx_node a[3], const flx_node b[3],
                             flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_sub(g, a[i], b[i]);
}
static inline void node_const3(flx_graph *g, const double a[3], flx_node out[3])
{
    for (int i = 0; i < 3; i++) out[i] = node_const(g, a[i]);
}
// R v with a constant row-major R
static inline void node_turn3(flx_graph *g, const double R[9], const flx_node v[3], flx_node out[3])
{
    flx_node c[3];
    for (int i = 0; i < 3; i++) {
        flx_node row[3];
        node_const3(g, R + 3 * i, row);
        c[i] = node_dot(g, row, v);
    }
    for (int i = 0; i < 3; i++) out[i] = c[i];
}
// R^T v
static inline void node_turn_back3(flx_graph *g, const double R[9], const flx_node v[3],
                                   flx_node out[3])
{
    double T[9] = {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
    node_turn3(g, T, v, out);
}

// The rotation vector of a rotation matrix (signals.c).
void flx_node_rotation_vector(flx_graph *g, const flx_node R[9], flx_node out[3]);
