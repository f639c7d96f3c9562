// tree_lagrange.c - momenta of the tree, for variational methods (SYS-8).
//
//     p = P^T p_b,   p_b = M_b P v                                                        (TREE-20)
//     M' v = P^T (M_b' P v + M_b P' v) + P'^T p_b                                         (TREE-21)
// from those of the descriptor inside: P' is what turns a force along the motion itself, the last term
// of (TREE-15), and P' v are the accelerations of bodies at v' = 0. Of the coordinates of joints those
// of ball joints alone belong to a group that is no vector space: (ad*_v p)_ball = p x w.
#include "tree/recursion/tree_bends.h"
#include "tree/tree_parts.h"

// ---- momenta ------------------------------------------------------------------------------------

static flx_status momentum(const flx_system *s, flx_work *work, const flx_point *p, double *Mv)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    flx_eval_momentum(flx_tree_inner(t), flx_descriptor_work_of(w->inner), &b, w->r);
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
    if (flx_tree_rows(t) == 0) FLX_TRY(flx_tree_refuse_massless(s, false)); // nothing else holds it
    flx_point b = flx_tree_carry(t, w, p);
    take_motion(t, w->frames, w->tangents.links);
    flx_tree_move(t, w, p->q, p->v, w->zero);
    flx_eval_momentum(d, flx_descriptor_work_of(w->inner), &b, p_b);
    FLX_TRY(flx_eval_momentum_rate(d, flx_descriptor_work_of(w->inner), &b, p_b, force));
    b.v = w->body->a;
    flx_eval_momentum(d, flx_descriptor_work_of(w->inner), &b, w->tangents.column);
    for (int i = 0; i < t->inner->dims.nv; i++) force[i] += w->tangents.column[i];
    flx_tree_pull(t, w, force, out);
    flx_tree_pull(t, w, p_b, p_t); // the frames then hold what is outboard
    flx_bends_curve(&t->t, w->frames + 1);
    flx_tree_add_turned(t, w->frames + 1, w->tangents.links + 1, p_b, p->v + t->t.k.nv, out);
    subtract_group(t, p->v, p_t, out);
    return FLX_OK;
}

// ---- motion as one rigid body -------------------------------------------------------------------

// A root that floats: a shift from the ground.
static bool floats(const flx_link *l)
{
    return l->parent < 0 && l->kind == FLX_LINK_SHIFT;
}

// It moves along, or about an axis through the ground's origin.
static void shift_root(bool planar, const flx_link *l, const double *q, v3 axis, bool turns,
                       double *v)
{
    v3 at = v3_make(q[l->q], q[l->q + 1], planar ? 0.0 : q[l->q + 2]);
    v3 move = turns ? v3_cross(axis, v3_add(l->r, m33_mul_v(l->R, at))) : axis;
    move = m33_tmul_v(l->R, move);
    v[l->v] = move.x;
    v[l->v + 1] = move.y;
    if (!planar) v[l->v + 2] = move.z;
}

int flx_tree_rigid_motion(const flx_system *s, const double *q, int k, double *v)
{
    const flx_tree *t = flx_tree_of(s);
    const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    bool planar = t->t.k.planar;
    memset(v, 0, (size_t)s->dims.nv * sizeof *v);
    if (planar && (k == 2 || k == 3 || k == 4)) return 0;
    for (int i = 0; i < t->places.n; i++) {
        if (t->t.mounts[i].link < 0) return 0; // a body that is part of the ground
    }
    for (int i = 0; i < t->t.k.n; i++) {
        const flx_link *l = t->t.links + i;
        if (l->parent < 0) {
            if (!floats(l)) return 0; // the ground holds it
            shift_root(planar, l, q, axis, k >= 3, v);
        } else if (k >= 3 && floats(t->t.links + l->parent)) { // what is on it turns
            if (l->kind != (planar ? FLX_LINK_TURN : FLX_LINK_BALL)) return 0;
            v[l->v] = 1.0;
            if (planar) continue;
            m33 R =
                m33_mul(t->t.links[l->parent].R, m33_mul(l->R, quat_to_m33(quat_load(q + l->q))));
            v3_store(v + l->v, m33_tmul_v(R, axis));
        }
    }
    return 1;
}

const flx_lagrangian flx_tree_lagrangian = {.momentum = momentum, .transport = transport};
