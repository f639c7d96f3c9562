// tree_bodies.c - motion of the bodies on a tree of links, and what forces on them do to it.
#include "tree/recursion/tree_bends.h"
#include "tree/recursion/tree_frames.h"

static v3 zero(void)
{
    return v3_make(0, 0, 0);
}

void flx_tree_expand(const flx_linkage *k, const flx_link *l, const double *v, v3 *w, v3 *t)
{
    if (!k->planar) {
        flx_link_expand(l, v, w, t);
        return;
    }
    *w = v3_make(0, 0, l->kind == FLX_LINK_TURN ? v[0] : 0.0);
    *t = v3_make(l->kind == FLX_LINK_TURN ? 0.0 : v[0], l->kind == FLX_LINK_SHIFT ? v[1] : 0.0, 0);
}

void flx_tree_restrict(const flx_linkage *k, const flx_link *l, wrench f, double *out)
{
    if (!k->planar) {
        flx_link_restrict(l, f, out);
        return;
    }
    if (l->kind == FLX_LINK_BEND) return;
    out[0] = l->kind == FLX_LINK_TURN ? f.n.z : f.f.x;
    if (l->kind == FLX_LINK_SHIFT) out[1] = f.f.y;
}

// Rates of the joint, or its accelerations, in the ground's axes.
static INLINE void relative(const flx_tree_links *t, const flx_link_frame *f, int i,
                            const double *v, v3 *w, v3 *d)
{
    const flx_link *l = t->links + i;
    const m33 *R = &f[i].R;
    if (l->kind == FLX_LINK_BEND) {
        flx_bend_expand(t, f, i, v, w, d);
        return;
    }
    if (t->k.planar) {
        v3 x;
        flx_tree_expand(&t->k, l, v + l->v, w, &x);
        *d = m33_mul_v(*R, x);
        return;
    }
    v3 z = m33_col(*R, 2);
    v += l->v;
    *w = *d = zero();
    switch (l->kind) {
    case FLX_LINK_TURN:
        *w = v3_scale(v[0], z);
        break;
    case FLX_LINK_SLIDE:
        *d = v3_scale(v[0], z);
        break;
    case FLX_LINK_SCREW:
        *w = v3_scale(v[0], z);
        *d = v3_scale(l->pitch * v[0], z);
        break;
    case FLX_LINK_BALL:
        *w = m33_mul_v(*R, v3_load(v));
        break;
    case FLX_LINK_SHIFT:
        *d = m33_mul_v(*R, v3_load(v));
        break;
    case FLX_LINK_BEND:
        break;
    }
}

void flx_tree_relative(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v,
                       const double *a, flx_link_relative *out)
{
    relative(t, f, i, v, &out->w, &out->v);
    relative(t, f, i, a, &out->dw, &out->dv);
    if (t->links[i].kind != FLX_LINK_BEND) return;
    v3 w, d;
    flx_bend_bias(t, f, i, v, &w, &d);
    out->dw = v3_add(out->dw, w);
    out->dv = v3_add(out->dv, d);
}

static bool slides(const flx_link *l)
{
    return l->kind != FLX_LINK_TURN && l->kind != FLX_LINK_BALL;
}

static void place_in_plane(const flx_link *l, const double *q, const flx_link_frame *parent,
                           flx_link_frame *f)
{
    double turned = l->offset + (l->kind == FLX_LINK_TURN ? q[0] : 0.0);
    turn t = turn_of(turned);
    m33 R = {{t.c, -t.s, 0, t.s, t.c, 0, 0, 0, 1}};
    v3 d = zero();
    if (l->kind != FLX_LINK_TURN) d = v3_make(q[0], l->kind == FLX_LINK_SHIFT ? q[1] : 0.0, 0);
    f->R = m33_mul(parent->R, R);
    f->p = v3_add(parent->p, v3_add(m33_mul_v(parent->R, l->r), m33_mul_v(f->R, d)));
    f->angle = parent->angle + turned;
}

// R Rz
static INLINE void turn_about_z(turn t, m33 *R)
{
    for (int i = 0; i < 9; i += 3) {
        double x = R->m[i], y = R->m[i + 1];
        R->m[i] = t.c * x + t.s * y;
        R->m[i + 1] = t.c * y - t.s * x;
    }
}

static void place_in_space(const flx_link *l, const double *q, const flx_link_frame *parent,
                           flx_link_frame *f)
{
    f->p = v3_add(parent->p, m33_mul_v(parent->R, l->r));
    f->R = m33_mul(parent->R, l->R); // without turns exactly as in the initial configuration
    if (l->kind == FLX_LINK_TURN || l->kind == FLX_LINK_SCREW) turn_about_z(turn_of(q[0]), &f->R);
    // displacements are along axes that the joint does not turn
    if (l->kind == FLX_LINK_SCREW) f->p = v3_axpy(l->pitch * q[0], m33_col(f->R, 2), f->p);
    if (l->kind == FLX_LINK_SLIDE) f->p = v3_axpy(q[0], m33_col(f->R, 2), f->p);
    if (l->kind == FLX_LINK_SHIFT) f->p = v3_add(f->p, m33_mul_v(f->R, v3_load(q)));
    if (l->kind == FLX_LINK_BALL) f->R = m33_mul(f->R, quat_to_m33(quat_load(q)));
}

void flx_tree_place_link(const flx_tree_links *t, int i, const double *q, flx_link_frame *f)
{
    const flx_link *l = t->links + i;
    if (l->kind == FLX_LINK_BEND) {
        flx_bend_place(t, i, q, f);
    } else if (t->k.planar) {
        place_in_plane(l, q + l->q, f + l->parent, f + i);
    } else {
        place_in_space(l, q + l->q, f + l->parent, f + i);
    }
}

void flx_tree_place(const flx_tree_links *t, const double *q, flx_link_frame *frames)
{
    frames[0] = (flx_link_frame){.R = m33_identity()};
    for (int i = 0; i < t->k.n; i++) flx_tree_place_link(t, i, q, frames + 1);
}

void flx_tree_retract_link(const flx_link *l, bool planar, const double *q, const double *theta,
                           double *out)
{
    if (l->kind == FLX_LINK_BALL) {
        quat_store(out, quat_unit(quat_mul(quat_load(q), quat_exp(v3_load(theta)))));
        return;
    }
    for (int k = 0; k < flx_link_freedom(l->kind, planar); k++) out[k] = q[k] + theta[k];
}

static bool turns(const flx_body_places *b, int i)
{
    return b->m->bodies[i].type == FLX_BODY_RIGID;
}

// A vector of the plane has two numbers.
static void store(const flx_linkage *k, v3 a, double *out)
{
    out[0] = a.x;
    out[1] = a.y;
    if (!k->planar) out[2] = a.z;
}
static v3 load(const flx_linkage *k, const double *p)
{
    return v3_make(p[0], p[1], k->planar ? 0.0 : p[2]);
}

void flx_tree_positions(const flx_tree_links *t, const flx_body_places *b,
                        const flx_link_frame *frames, double *q)
{
    for (int i = 0; i < b->n; i++) {
        const flx_mount *m = t->mounts + i;
        const flx_link_frame *f = frames + 1 + m->link;
        double *out = q + b->q[i];
        store(&t->k, v3_add(f->p, m33_mul_v(f->R, m->p)), out);
        if (!turns(b, i)) continue;
        if (t->k.planar) {
            out[2] = f->angle + m->angle;
        } else {
            quat_store(out + 3, quat_from_m33(m33_mul(f->R, m->R)));
        }
    }
}

// A rotation rate of a body, in its own axes, from the ground's.
static void store_turn(const flx_tree_links *t, const flx_body_places *b, int i,
                       const flx_link_frame *f, v3 w, double *out)
{
    if (!turns(b, i)) return;
    if (t->k.planar) {
        out[2] = w.z;
    } else {
        v3_store(out + 3, m33_tmul_v(t->mounts[i].R, m33_tmul_v(f->R, w)));
    }
}

void flx_tree_move_links(const flx_tree_links *t, flx_link_frame *f, int first, int last,
                         const double *v)
{
    for (int i = first; i <= last; i++) {
        const flx_link *l = t->links + i;
        const flx_link_frame *p = f + l->parent;
        v3 w, d;
        relative(t, f, i, v, &w, &d);
        f[i].w = v3_add(p->w, w);
        f[i].v = v3_add(p->v, v3_cross(p->w, v3_sub(f[i].p, p->p)));
        if (slides(l)) f[i].v = v3_add(f[i].v, d);
    }
}

void flx_tree_velocities(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                         const double *v, double *out)
{
    frames[0].w = frames[0].v = zero();
    flx_tree_move_links(t, frames + 1, 0, t->k.n - 1, v);
    for (int i = 0; i < b->n; i++) {
        const flx_link_frame *f = frames + 1 + t->mounts[i].link;
        v3 c = m33_mul_v(f->R, t->mounts[i].p);
        store(&t->k, v3_add(f->v, v3_cross(f->w, c)), out + b->v[i]);
        store_turn(t, b, i, f, f->w, out + b->v[i]);
    }
}

void flx_tree_accelerations(const flx_tree_links *t, const flx_body_places *b,
                            flx_link_frame *frames, const double *v, const double *a, double *out)
{
    flx_link_frame *f = frames + 1;
    frames[0].alpha = frames[0].a = zero();
    for (int i = 0; i < t->k.n; i++) { // (TREE-3) in the ground's axes
        const flx_link *l = t->links + i;
        const flx_link_frame *p = f + l->parent;
        v3 w, d, dw, dd, r = v3_sub(f[i].p, p->p);
        relative(t, f, i, a, &dw, &dd);
        if (l->kind == FLX_LINK_BEND) {
            flx_bend_bias(t, f, i, v, &w, &d);
            dw = v3_add(dw, w);
            dd = v3_add(dd, d);
        }
        w = v3_sub(f[i].w, p->w);
        f[i].alpha = v3_add(p->alpha, v3_add(v3_cross(p->w, w), dw));
        v3 x = v3_add(v3_cross(p->alpha, r), v3_cross(p->w, v3_cross(p->w, r)));
        if (slides(l)) {
            relative(t, f, i, v, &w, &d);
            x = v3_axpy(2.0, v3_cross(p->w, d), v3_add(x, dd));
        }
        f[i].a = v3_add(p->a, x);
    }
    for (int i = 0; i < b->n; i++) {
        const flx_link_frame *l = f + t->mounts[i].link;
        v3 c = m33_mul_v(l->R, t->mounts[i].p);
        v3 x = v3_add(v3_cross(l->alpha, c), v3_cross(l->w, v3_cross(l->w, c)));
        store(&t->k, v3_add(l->a, x), out + b->v[i]);
        store_turn(t, b, i, l, l->alpha, out + b->v[i]);
    }
}

void flx_tree_add_load(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                       int body, const double *force)
{
    const flx_mount *m = t->mounts + body;
    flx_link_frame *f = frames + 1 + m->link;
    v3 F = load(&t->k, force);
    f->f = v3_add(f->f, F);
    f->n = v3_add(f->n, v3_cross(m33_mul_v(f->R, m->p), F));
    if (!turns(b, body)) return;
    v3 N = t->k.planar ? v3_make(0, 0, force[2]) : m33_mul_v(m->R, v3_load(force + 3));
    f->n = v3_add(f->n, m33_mul_v(f->R, N));
}

// Moment about the origin and force on each link, ground's axes.
static void collect(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                    const double *force)
{
    for (int i = 0; i <= t->k.n; i++) frames[i].n = frames[i].f = zero();
    for (int i = 0; i < b->n; i++) flx_tree_add_load(t, b, frames, i, force + b->v[i]);
}

void flx_tree_forces(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                     const double *force, double *tau)
{
    flx_link_frame *f = frames + 1;
    collect(t, b, frames, force);
    for (int i = t->k.n - 1; i >= 0; i--) {
        const flx_link *l = t->links + i;
        flx_link_frame *p = f + l->parent;
        if (l->kind == FLX_LINK_TURN) {
            tau[l->v] = v3_dot(m33_col(f[i].R, 2), f[i].n);
        } else {
            wrench own = {m33_tmul_v(f[i].R, f[i].n), m33_tmul_v(f[i].R, f[i].f)};
            flx_tree_restrict(&t->k, l, own, tau + l->v);
        }
        p->f = v3_add(p->f, f[i].f);
        p->n = v3_add(p->n, v3_add(f[i].n, v3_cross(v3_sub(f[i].p, p->p), f[i].f)));
    }
}

void flx_tree_bend_forces(const flx_tree_links *t, const flx_link_frame *frames, double *tau)
{
    const flx_link_frame *f = frames + 1;
    for (int k = 0; k < t->nbend; k++) {
        int i = t->bends[k].link;
        flx_bend_restrict(t, f, i, f[i].n, f[i].f, tau);
    }
}

void flx_tree_wrenches(const flx_tree_links *t, const flx_body_places *b, flx_link_frame *frames,
                       const double *force, double *ext)
{
    const flx_link_frame *f = frames + 1;
    collect(t, b, frames, force);
    for (int i = 0; i < t->k.n; i++) {
        v3_store(ext + 6 * i, m33_tmul_v(f[i].R, f[i].n));
        v3_store(ext + 6 * i + 3, m33_tmul_v(f[i].R, f[i].f));
    }
}
