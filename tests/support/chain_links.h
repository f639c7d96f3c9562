// chain_links.h - the chain that articulated-body codes are compared on: links of 1 m and 1 kg with
// axes alternately y and z.
#pragma once

#include "mechanism.h"
#include "tree/topology/tree_links.h"

#include <math.h>

typedef struct chain {
    flx_ctx *ctx;
    flx_model m;
    flx_topology top;
    flx_tree_links t;
    flx_link_state *states;
    double *q, *v, *a, *tau;
    int n;
} chain;

static inline void chain_clear(chain *c)
{
    flx_free(c->m.bodies);
    flx_free(c->m.joints);
    flx_free(c->states);
    flx_free(c->q);
    flx_topology_clear(&c->top);
    flx_tree_links_clear(&c->t);
    flx_ctx_destroy(&c->ctx);
}

static inline bool chain_create(chain *c, int n)
{
    *c = (chain){.n = n, .ctx = flx_ctx_create()};
    c->m = (flx_model){.ctx = c->ctx, .dimension = 3, .gravity = {0, 0, -9.81}};
    c->m.nbody = c->m.njoint = n;
    c->m.bodies = flx_alloc(c->ctx, (size_t)n, sizeof *c->m.bodies);
    c->m.joints = flx_alloc(c->ctx, (size_t)n, sizeof *c->m.joints);
    c->q = flx_alloc(c->ctx, 4 * (size_t)n, sizeof *c->q);
    c->states = flx_alloc(c->ctx, (size_t)n + 1, sizeof *c->states);
    if (!c->m.bodies || !c->m.joints || !c->q || !c->states) return false;
    for (int i = 0; i < n; i++) {
        flx_body *b = c->m.bodies + i;
        flx_joint *j = c->m.joints + i;
        *b = (flx_body){.name = "link", .mass = 1, .com = {0.5, 0, 0}, .position = {i, 0, 0}};
        b->inertia[0] = 0.005;
        b->inertia[4] = b->inertia[8] = 0.085;
        m33_store(b->R, m33_identity());
        *j = (flx_joint){.name = "axis",
                         .kind = &flx_joint_REVOLUTE,
                         .body = {i - 1, i},
                         .at = {{i > 0, 0, 0}, {0, 0, 0}},
                         .motion_value = -1,
                         .coordinate = -1,
                         .rate = -1};
        // columns: the third is the axis
        m33 F = i % 2 ? m33_identity() : (m33){{0, 1, 0, 0, 0, 1, 1, 0, 0}};
        m33_store(j->frame[0], F);
        m33_store(j->frame[1], F);
    }
    if (flx_topology_create(&c->m, &c->top) != FLX_OK) return false;
    if (flx_tree_links_create(&c->m, &c->top, &c->t) != FLX_OK) return false;
    c->v = c->q + n;
    c->a = c->v + n;
    c->tau = c->a + n;
    for (int i = 0; i < n; i++) {
        c->q[i] = 0.1 * sin(i + 1);
        c->v[i] = 0.1 * cos(i + 1);
    }
    return true;
}
