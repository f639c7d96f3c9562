// algebra.h - short names for making nodes: formulas of expressions read as formulas of numbers. Zeros
// and ones are folded when a node is made (algebra.c). Static inline but for the last.
#pragma once

#include "expr/expr.h"

static inline flx_node node_const(flx_graph *g, double c)
{
    return flx_graph_const(g, c);
}
static inline bool node_is(const flx_graph *g, flx_node a, double c)
{
    double v;
    return flx_graph_is_const(g, a, &v) && v == c;
}
static inline flx_node node_neg(flx_graph *g, flx_node a)
{
    return flx_graph_unary(g, FLX_OP_NEG, a);
}
static inline flx_node node_add(flx_graph *g, flx_node a, flx_node b)
{
    return flx_graph_binary(g, FLX_OP_ADD, a, b);
}
static inline flx_node node_sub(flx_graph *g, flx_node a, flx_node b)
{
    return flx_graph_binary(g, FLX_OP_SUB, a, b);
}
// A zero stays zero whatever it multiplies or is divided by, a number that is not finite included.
static inline flx_node node_mul(flx_graph *g, flx_node a, flx_node b)
{
    if (node_is(g, a, 0.0) || node_is(g, b, 0.0)) return node_const(g, 0.0);
    return flx_graph_binary(g, FLX_OP_MUL, a, b);
}
static inline flx_node node_div(flx_graph *g, flx_node a, flx_node b)
{
    return node_is(g, a, 0.0) ? a : flx_graph_binary(g, FLX_OP_DIV, a, b);
}
static inline flx_node node_power(flx_graph *g, flx_node a, double e)
{
    return flx_graph_binary(g, FLX_OP_POW, a, node_const(g, e));
}
static inline flx_node node_scale(flx_graph *g, double s, flx_node a)
{
    return node_mul(g, node_const(g, s), a);
}
static inline flx_node node_sqrt(flx_graph *g, flx_node a)
{
    return flx_graph_unary(g, FLX_OP_SQRT, a);
}

// n = k base, where k is 1 unless the node is a constant multiple.
double flx_node_factor(const flx_graph *g, flx_node n, flx_node *base);
