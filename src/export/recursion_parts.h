// recursion_parts.h - what the recursions over nodes share: wrenches from link to link.
#pragma once

#include "export/symbolic.h"

static inline const flx_link *links_of(const flx_symbolic *x)
{
    return x->t.links;
}

static inline n3 weight(const flx_symbolic *x)
{
    n3 a;
    for (int i = 0; i < 3; i++) {
        a.c[i] = node_neg(x->g, node_open(x->g, x->m->gravity[i], x->m->gravity_open[i]));
    }
    return a;
}

static inline n3 out_of(flx_graph *g, const flx_symbolic_link *l, n3 a)
{
    return n33_mul_v(g, l->fixed, n33_mul_v(g, l->moved, a));
}
static inline n3 into(flx_graph *g, const flx_symbolic_link *l, n3 a)
{
    return n33_tmul_v(g, l->moved, n33_tmul_v(g, l->fixed, a));
}

// A wrench on a link as one on its parent.
static inline flx_node_wrench hand_on(flx_graph *g, const flx_symbolic_link *l, flx_node_wrench k)
{
    k.n = out_of(g, l, k.n);
    k.f = out_of(g, l, k.f);
    k.n = n3_add(g, k.n, n3_cross(g, l->r, k.f));
    return k;
}

static inline flx_node_wrench sum(flx_graph *g, flx_node_wrench a, flx_node_wrench b)
{
    return (flx_node_wrench){n3_add(g, a.n, b.n), n3_add(g, a.f, b.f)};
}

static inline flx_node along(flx_graph *g, const flx_freedom *s, int k, flx_node_wrench f)
{
    return node_add(g, n3_dot(g, s->turn[k], f.n), n3_dot(g, s->slide[k], f.f));
}

// (TREE-4) without accelerations, less what is applied.
static inline flx_node_wrench bias_force(const flx_symbolic *x, int i)
{
    flx_graph *g = x->g;
    const flx_symbolic_link *l = x->links + 1 + i;
    n3 Jw = n33_mul_v(g, l->J, l->w), wh = n3_cross(g, l->w, l->h);
    flx_node_wrench p = {n3_cross(g, l->w, Jw), n3_cross(g, l->w, wh)};
    p.n = n3_sub(g, p.n, x->applied[1 + i].n);
    p.f = n3_sub(g, p.f, x->applied[1 + i].f);
    return p;
}

// A wrench at an elastic body's frame, its axes, as one on its link.
static inline flx_node_wrench of_frame(flx_graph *g, const flx_symbolic_elastic *o,
                                       flx_node_wrench k)
{
    k.n = n33_mul_v(g, o->R, k.n);
    k.f = n33_mul_v(g, o->R, k.f);
    k.n = n3_add(g, k.n, n3_cross(g, o->p, k.f));
    return k;
}
