// expr_rig.h - a graph with a context, and the value of a node at given leaves.
#pragma once

#include "check.h"
#include "expr/expr.h"
#include "expr/graph.h"

#include <stdlib.h>

// Leaves of these tests are the numbers 0, 1, 2, ...
#define RIG_LEAVES 8

typedef struct rig {
    flx_ctx *ctx;
    flx_graph *g;
    flx_node x[RIG_LEAVES];
} rig;

static inline int rig_up(rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    if (!r->ctx) return 0;
    r->g = flx_graph_create(r->ctx);
    for (int i = 0; r->g && i < RIG_LEAVES; i++) r->x[i] = flx_graph_leaf(r->g, (flx_leaf)i);
    return r->g != NULL;
}

static inline void rig_down(rig *r)
{
    flx_graph_destroy(&r->g);
    flx_ctx_destroy(&r->ctx);
}

// Values of n nodes; false if they could not be compiled.
static inline int rig_eval_all(const rig *r, int n, const flx_node *nodes, const double *in,
                               double *out)
{
    flx_leaf leaves[RIG_LEAVES];
    flx_program *p = NULL;
    for (int i = 0; i < RIG_LEAVES; i++) leaves[i] = (flx_leaf)i;
    if (flx_program_compile(r->g, RIG_LEAVES, leaves, n, nodes, &p) != FLX_OK) return 0;
    double *scratch = malloc(sizeof(double) * (size_t)(flx_program_scratch(p) + 1));
    flx_program_eval(p, in, scratch, out);
    free(scratch);
    flx_program_destroy(&p);
    return 1;
}

static inline double rig_eval(const rig *r, flx_node n, const double *in)
{
    double out = (double)NAN;
    rig_eval_all(r, 1, &n, in, &out);
    return out;
}

static inline int rig_length(const rig *r, int n, const flx_node *nodes)
{
    flx_leaf leaves[RIG_LEAVES];
    flx_program *p = NULL;
    for (int i = 0; i < RIG_LEAVES; i++) leaves[i] = (flx_leaf)i;
    if (flx_program_compile(r->g, RIG_LEAVES, leaves, n, nodes, &p) != FLX_OK) return -1;
    int length = flx_program_length(p);
    flx_program_destroy(&p);
    return length;
}

static inline flx_node rig_partial(rig *r, flx_node n, flx_leaf leaf)
{
    return flx_graph_derive(r->g, n, flx_leaf_partial, &leaf);
}

// A small random generator with a fixed seed: the same numbers on every machine.
static inline uint64_t rig_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double rig_uniform(uint64_t *state, double from, double to)
{
    return from + (to - from) * (double)(rig_random(state) >> 11) * 0x1p-53;
}
