// tree_frames.h - frames of links in space, for the recursions: where a joint puts them (TREE-2), and vectors in and out of
// them. Static inline.
#pragma once

#include "tree/recursion/tree_dynamics.h"

// Called from more than one place, and worth being in each.
#define INLINE inline __attribute__((always_inline))

// ---- frames -------------------------------------------------------------------------------------

static inline bool by_matrix(const flx_link *l)
{
    return l->kind == FLX_LINK_BALL || l->kind == FLX_LINK_SHIFT;
}

// R^T x and R x by the three turns
static inline v3 into_rotated(const flx_link *l, const flx_link_state *s, v3 x)
{
    if (l->turned) turn_back(l->beta, &x.x, &x.y);
    turn_back(l->alpha, &x.y, &x.z);
    turn_back(s->phi, &x.x, &x.y);
    return x;
}
static inline v3 out_of_rotated(const flx_link *l, const flx_link_state *s, v3 x)
{
    turn_pair(s->phi, &x.x, &x.y);
    turn_pair(l->alpha, &x.y, &x.z);
    if (l->turned) turn_pair(l->beta, &x.x, &x.y);
    return x;
}

// R^T x and R x
static inline v3 into(const flx_link *l, const flx_link_state *s, v3 x)
{
    return by_matrix(l) ? m33_tmul_v(s->R, x) : into_rotated(l, s, x);
}
static inline v3 out_of(const flx_link *l, const flx_link_state *s, v3 x)
{
    return by_matrix(l) ? m33_mul_v(s->R, x) : out_of_rotated(l, s, x);
}

static inline void place(const flx_link *l, const double *q, flx_link_state *s)
{
    q += l->q;
    s->r = l->r;
    switch (l->kind) {
    case FLX_LINK_TURN:
        s->phi = turn_of(l->offset + q[0]);
        break;
    case FLX_LINK_SLIDE:
        s->phi = turn_of(l->offset);
        s->r = v3_axpy(q[0], m33_col(l->R, 2), l->r);
        break;
    case FLX_LINK_SCREW:
        s->phi = turn_of(l->offset + q[0]);
        s->r = v3_axpy(l->pitch * q[0], m33_col(l->R, 2), l->r);
        break;
    case FLX_LINK_BALL:
        s->R = m33_mul(l->R, quat_to_m33(quat_load(q)));
        break;
    case FLX_LINK_SHIFT:
        s->R = l->R;
        s->r = v3_add(l->r, m33_mul_v(l->R, v3_load(q)));
        break;
    case FLX_LINK_BEND:
        break;
    }
}
