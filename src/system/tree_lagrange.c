// tree_lagrange.c - momenta of the tree, for variational methods (SYS-8).
//
//     p = P^T p_b,   p_b = M_b P v                                                        (TREE-17)
//     M' v = P^T (M_b' P v + M_b P' v) + P'^T p_b                                         (TREE-18)
// from those of the descriptor inside: P' is what turns a force along the motion itself, the last term
// of (TREE-15), and P' v are the accelerations of bodies at v' = 0. Of the coordinates of joints those
// of ball joints alone belong to a group that is no vector space: (ad*_v p)_ball = p x w.
#include "system/tree_parts.h"

static flx_status momentum(const flx_system *s, flx_work *work, const flx_point *p, double *Mv)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    flx_eval_momentum(flx_tree_inner(t), w->inner, &b, w->r);
    flx_tree_pull(t, w, w->r, Mv);
    return FLX_OK;
}

// The motion itself as an increment of all links.
static void take_motion(const flx_tree *t, const flx_link_frame *f, flx_link_tangent *g)
{
    for (int i = 0; i <= t->t.k.n; i++) {
        g[i].theta = f[i].w;
        g[i].s = f[i].v;
    }
}

// out -= ad*_v p
static void subtract_group(const flx_tree *t, const double *v, const double *p, double *out)
{
    for (int i = 0; i < t->t.k.n; i++) {
        const flx_link *l = t->t.links + i;
        if (l->kind != FLX_LINK_BALL) continue;
        v3_add_to(out + l->v, 1.0, v3_cross(v3_load(v + l->v), v3_load(p + l->v)));
    }
}

static flx_status transport(const flx_system *s, flx_work *work, const flx_point *p, double *out)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    const flx_descriptor *d = flx_tree_inner(t);
    double *force = w->own, *p_b = w->r, *p_t = w->free_a;
    flx_point b = flx_tree_carry(t, w, p);
    take_motion(t, w->frames, w->tangents.links);
    flx_tree_move(t, w, p->q, p->v, w->zero);
    flx_eval_momentum(d, w->inner, &b, p_b);
    FLX_TRY(flx_eval_momentum_rate(d, w->inner, &b, p_b, force));
    b.v = w->body->a;
    flx_eval_momentum(d, w->inner, &b, w->tangents.column);
    for (int i = 0; i < t->inner->dims.nv; i++) force[i] += w->tangents.column[i];
    flx_tree_pull(t, w, force, out);
    flx_tree_pull(t, w, p_b, p_t); // the frames then hold what is outboard
    flx_tree_add_turned(t, w->frames + 1, w->tangents.links + 1, p_b, out);
    subtract_group(t, p->v, p_t, out);
    return FLX_OK;
}

const flx_lagrangian flx_tree_lagrangian = {.momentum = momentum, .transport = transport};
