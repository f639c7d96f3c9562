// tree_dynamics.c - the recursions in space. Theory: docs/theory/tree.md.
//
//     U = I S,  D = S^T U,  u = tau - S^T p
//     K = I - U D^-1 U^T,   k = p + K b + U D^-1 u                                       (TREE-5)
//     I_p += X^T K X,   p_p += X^T k                                                     (TREE-6)
//     a' = X a_p + b,   qdd = D^-1 (u - U^T a'),   a = a' + S qdd                        (TREE-7)
// A turn leaves nothing along its own axis: the third row and column of the moments of K are zero,
// and those of B too. Turning K about that axis keeps them so, and only then it is tilted: that
// halves the work. Rotations by (TREE-2) are turns about single axes.
#include "tree/recursion/tree_frames.h"

// w x (w x r)
static inline v3 centripetal(v3 w, v3 r)
{
    double wr = v3_dot(w, r), ww = v3_dot(w, w);
    return (v3){wr * w.x - ww * r.x, wr * w.y - ww * r.y, wr * w.z - ww * r.z};
}

// (TREE-4) without accelerations, less what acts from outside.
static inline wrench bias_force(const flx_link *l, v3 w, const double *ext)
{
    wrench p = {v3_cross(w, sym3_mul(l->J, w)), centripetal(w, l->h)};
    if (ext) {
        p.n = v3_sub(p.n, v3_load(ext));
        p.f = v3_sub(p.f, v3_load(ext + 3));
    }
    return p;
}

static inline spatial rigid_inertia(const flx_link *l)
{
    return (spatial){l->J, m33_skew(l->h), {l->m, 0, 0, l->m, 0, l->m}};
}

// Velocities and biases of a link from its parent's: (TREE-3) with the accelerations left out.
static inline void move_turn(const flx_link *l, const flx_link_state *parent, double rate,
                             flx_link_state *s)
{
    v3 w = into_rotated(l, s, parent->w);
    s->bl = into_rotated(l, s, centripetal(parent->w, l->r));
    s->ba = v3_make(w.y * rate, -w.x * rate, 0.0);
    s->w = v3_make(w.x, w.y, w.z + rate);
}

static inline void move(const flx_link *l, const flx_link_state *parent, const double *v,
                        flx_link_state *s)
{
    v3 w, t, carried;
    flx_link_expand(l, v, &w, &t);
    carried = into(l, s, parent->w);
    s->bl = into(l, s, centripetal(parent->w, s->r));
    s->w = v3_add(carried, w);
    s->ba = v3_cross(carried, w);
    s->bl = v3_axpy(2.0, v3_cross(carried, t), s->bl);
}

static void set_ground(const flx_linkage *k, flx_link_state *ground, double weight)
{
    ground->w = ground->alpha = v3_make(0, 0, 0);
    ground->a = v3_scale(-weight, v3_load(k->gravity));
}

// ---- forward dynamics: inwards ------------------------------------------------------------------

// (TREE-6): what a link leaves to its parent, already in the parent's axes.
static INLINE void hand_on(const flx_link *l, const flx_link *links, v3 r, flx_link_state *states,
                           spatial *K, wrench k)
{
    flx_link_state *parent = states + l->parent;
    if (l->parent < 0) return;
    spatial_shift(r, K);
    k.n = v3_add(k.n, v3_cross(r, k.f));
    parent->p.n = v3_add(parent->p.n, k.n);
    parent->p.f = v3_add(parent->p.f, k.f);
    if (!l->last) {
        spatial_add(&parent->Ia, K);
        return;
    }
    const flx_link *p = links + l->parent;
    parent->Ia.A = sym3_add(p->J, K->A);
    parent->Ia.B = K->B;
    parent->Ia.B.m[1] -= p->h.z;
    parent->Ia.B.m[2] += p->h.y;
    parent->Ia.B.m[3] += p->h.z;
    parent->Ia.B.m[5] -= p->h.x;
    parent->Ia.B.m[6] -= p->h.y;
    parent->Ia.B.m[7] += p->h.x;
    parent->Ia.M = K->M;
    parent->Ia.M.xx += p->m;
    parent->Ia.M.yy += p->m;
    parent->Ia.M.zz += p->m;
}

static inline void turn_wrench(const flx_link *l, const flx_link_state *s, wrench *k)
{
    k->n = out_of(l, s, k->n);
    k->f = out_of(l, s, k->f);
}

// A freedom whose inertia is smaller than this part of that about other axes has none.
#define NO_INERTIA 1e-14

// (TREE-5) of a turn, with its zeros.
static INLINE bool reduce_turn(const flx_link *l, const flx_link *links, flx_link_state *states,
                               double tau)
{
    flx_link_state *s = states + (l - links);
    const sym3 A = s->Ia.A, M = s->Ia.M;
    const double *B = s->Ia.B.m;
    double D = A.zz, inverse = 1.0 / D, u = tau - s->p.n.z;
    v3 f = {B[6], B[7], B[8]}, g = v3_scale(inverse, f), b = s->bl;
    double gx = inverse * A.xz, gy = inverse * A.yz, ax = s->ba.x, ay = s->ba.y;
    s->ga.x = gx;
    s->ga.y = gy;
    s->gl = g;
    s->u = u *= inverse;
    double xx = A.xx - gx * A.xz, xy = A.xy - gx * A.yz, yy = A.yy - gy * A.yz;
    double b0 = B[0] - gx * f.x, b1 = B[1] - gx * f.y, b2 = B[2] - gx * f.z;
    double b3 = B[3] - gy * f.x, b4 = B[4] - gy * f.y, b5 = B[5] - gy * f.z;
    spatial K;
    K.M = (sym3){M.xx - g.x * f.x, M.xy - g.x * f.y, M.xz - g.x * f.z,
                 M.yy - g.y * f.y, M.yz - g.y * f.z, M.zz - g.z * f.z};
    wrench k;
    k.n.x = s->p.n.x + (xx * ax + xy * ay) + (b0 * b.x + b1 * b.y + b2 * b.z) + A.xz * u;
    k.n.y = s->p.n.y + (xy * ax + yy * ay) + (b3 * b.x + b4 * b.y + b5 * b.z) + A.yz * u;
    k.n.z = tau;
    v3 Mb = sym3_mul(K.M, b);
    k.f.x = s->p.f.x + (b0 * ax + b3 * ay) + Mb.x + f.x * u;
    k.f.y = s->p.f.y + (b1 * ax + b4 * ay) + Mb.y + f.y * u;
    k.f.z = s->p.f.z + (b2 * ax + b5 * ay) + Mb.z + f.z * u;
    bool fine = D > NO_INERTIA * (A.xx + A.yy) && D > 0.0;
    if (l->parent < 0) return fine;
    // about the axis, then tilted
    turn t = s->phi;
    turn_symmetric(t, &xx, &xy, &yy);
    turn_matrix(t, &b0, &b1, &b3, &b4);
    turn_pair(t, &b2, &b5);
    turn_z_sym3(t, &K.M);
    t = l->alpha;
    turn_x_sym3(t, &K.M);
    K.A = (sym3){xx, t.c * xy, t.s * xy, yy - t.ss * yy, t.cs * yy, t.ss * yy};
    turn_pair(t, &b1, &b2);
    turn_pair(t, &b4, &b5);
    K.B = (m33){{b0, b1, b2, t.c * b3, t.c * b4, t.c * b5, t.s * b3, t.s * b4, t.s * b5}};
    if (l->turned) turn_z_spatial(l->beta, &K);
    k.n = out_of_rotated(l, s, k.n);
    k.f = out_of_rotated(l, s, k.f);
    hand_on(l, links, l->r, states, &K, k);
    return fine;
}

// (TREE-5) of a slide or a screw: S = (turns z, slides z).
static inline bool reduce_slide(const flx_link *l, const flx_link *links, flx_link_state *states,
                                double tau)
{
    flx_link_state *s = states + (l - links);
    double turns = l->kind == FLX_LINK_SCREW ? 1.0 : 0.0;
    double slides = l->kind == FLX_LINK_SCREW ? l->pitch : 1.0;
    spatial K = s->Ia;
    v3 Un = {turns * K.A.xz, turns * K.A.yz, turns * K.A.zz};
    v3 Uf = v3_scale(turns, m33_row(K.B, 2));
    Un = v3_axpy(slides, m33_col(K.B, 2), Un);
    Uf = v3_axpy(slides, v3_make(K.M.xz, K.M.yz, K.M.zz), Uf);
    double D = turns * Un.z + slides * Uf.z, inverse = 1.0 / D;
    double other = turns * (K.A.xx + K.A.yy) + slides * slides * (K.M.xx + K.M.yy);
    v3 gn = v3_scale(inverse, Un), gf = v3_scale(inverse, Uf);
    double u = inverse * (tau - turns * s->p.n.z - slides * s->p.f.z);
    s->ga = gn;
    s->gl = gf;
    s->u = u;
    K.A = sym3_of(m33_sub(sym3_full(K.A), m33_outer(gn, Un)));
    K.B = m33_sub(K.B, m33_outer(gn, Uf));
    K.M = sym3_of(m33_sub(sym3_full(K.M), m33_outer(gf, Uf)));
    wrench k = {v3_axpy(u, Un, s->p.n), v3_axpy(u, Uf, s->p.f)};
    k.n = v3_add(k.n, v3_add(sym3_mul(K.A, s->ba), m33_mul_v(K.B, s->bl)));
    k.f = v3_add(k.f, v3_add(m33_tmul_v(K.B, s->ba), sym3_mul(K.M, s->bl)));
    turn_z_spatial(s->phi, &K);
    turn_x_spatial(l->alpha, &K);
    if (l->turned) turn_z_spatial(l->beta, &K);
    turn_wrench(l, s, &k);
    hand_on(l, links, s->r, states, &K, k);
    return D > NO_INERTIA * other && D > 0.0;
}

// (TREE-5) of a ball: all moments go.
static inline bool reduce_ball(const flx_link *l, const flx_link *links, flx_link_state *states,
                               const double *tau)
{
    flx_link_state *s = states + (l - links);
    sym3_factors D;
    bool fine = sym3_factor(s->Ia.A, NO_INERTIA, &D);
    m33 G; // A^-1 B, by columns
    v3 t = tau ? v3_load(tau) : v3_make(0, 0, 0), c[3];
    for (int j = 0; j < 3; j++) c[j] = sym3_solve(&D, m33_col(s->Ia.B, j));
    G = m33_from_cols(c[0], c[1], c[2]);
    v3 u = sym3_solve(&D, v3_sub(t, s->p.n));
    sym3 M = sym3_of(m33_sub(sym3_full(s->Ia.M), m33_tmul(s->Ia.B, G)));
    wrench k = {t, v3_add(s->p.f, v3_add(sym3_mul(M, s->bl), m33_tmul_v(s->Ia.B, u)))};
    s->G = G;
    s->ga = u;
    spatial K = {.A = {0}, .B = m33_zero(), .M = sym3_rotate(s->R, M)};
    turn_wrench(l, s, &k);
    hand_on(l, links, s->r, states, &K, k);
    return fine;
}

// (TREE-5) of a shift: all forces go.
static inline bool reduce_shift(const flx_link *l, const flx_link *links, flx_link_state *states,
                                const double *tau)
{
    flx_link_state *s = states + (l - links);
    sym3_factors D;
    bool fine = sym3_factor(s->Ia.M, NO_INERTIA, &D);
    v3 t = tau ? v3_load(tau) : v3_make(0, 0, 0), c[3];
    for (int i = 0; i < 3; i++) c[i] = sym3_solve(&D, m33_row(s->Ia.B, i));
    m33 G = m33_from_cols(c[0], c[1], c[2]); // M^-1 B^T
    v3 u = sym3_solve(&D, v3_sub(t, s->p.f));
    sym3 A = sym3_of(m33_sub(sym3_full(s->Ia.A), m33_mul(s->Ia.B, G)));
    wrench k = {v3_add(s->p.n, v3_add(sym3_mul(A, s->ba), m33_mul_v(s->Ia.B, u))), t};
    s->G = G;
    s->ga = u;
    spatial K = {.A = sym3_rotate(s->R, A), .B = m33_zero(), .M = {0}};
    turn_wrench(l, s, &k);
    hand_on(l, links, s->r, states, &K, k);
    return fine;
}

// ---- forward dynamics: outwards -----------------------------------------------------------------

// (TREE-7)
static inline void accelerate_turn(const flx_link *l, const flx_link_state *parent,
                                   flx_link_state *s, double *qdd)
{
    v3 e = v3_add(parent->a, v3_cross(parent->alpha, l->r));
    v3 alpha = into_rotated(l, s, parent->alpha), a = v3_add(into_rotated(l, s, e), s->bl);
    alpha.x += s->ba.x;
    alpha.y += s->ba.y;
    *qdd = s->u - (s->ga.x * alpha.x + s->ga.y * alpha.y + alpha.z) - v3_dot(s->gl, a);
    alpha.z += *qdd;
    s->alpha = alpha;
    s->a = a;
}

static inline void accelerate(const flx_link *l, const flx_link_state *parent, flx_link_state *s,
                              double *qdd)
{
    if (l->kind == FLX_LINK_TURN) {
        accelerate_turn(l, parent, s, qdd);
        return;
    }
    v3 e = v3_add(parent->a, v3_cross(parent->alpha, s->r));
    v3 alpha = v3_add(into(l, s, parent->alpha), s->ba), a = v3_add(into(l, s, e), s->bl);
    switch (l->kind) {
    case FLX_LINK_TURN:
        break;
    case FLX_LINK_SLIDE:
    case FLX_LINK_SCREW:
        *qdd = s->u - v3_dot(s->ga, alpha) - v3_dot(s->gl, a);
        if (l->kind == FLX_LINK_SCREW) alpha.z += *qdd;
        a.z += l->kind == FLX_LINK_SCREW ? l->pitch * *qdd : *qdd;
        break;
    case FLX_LINK_BALL: { // the angular acceleration no longer depends on the parent's
        v3 x = v3_sub(s->ga, m33_mul_v(s->G, a));
        v3_store(qdd, v3_sub(x, alpha));
        alpha = x;
        break;
    }
    case FLX_LINK_SHIFT: {
        v3 x = v3_sub(s->ga, m33_mul_v(s->G, alpha));
        v3_store(qdd, v3_sub(x, a));
        a = x;
        break;
    }
    case FLX_LINK_BEND:
        break;
    }
    s->alpha = alpha;
    s->a = a;
}

int flx_linkage_forward(const flx_linkage *k, flx_link_state *states, const double *q,
                        const double *v, const double *tau, const double *ext, double *a)
{
    if (k->planar) return flx_linkage2_forward(k, states, q, v, tau, ext, a);
    flx_link_state *s = states + 1;
    const flx_link *links = k->links;
    int singular = -1;
    set_ground(k, states, 1.0);
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = links + i;
        if (l->kind == FLX_LINK_TURN) {
            s[i].phi = turn_of(l->offset + q[l->q]);
            move_turn(l, s + l->parent, v[l->v], s + i);
        } else {
            place(l, q, s + i);
            move(l, s + l->parent, v + l->v, s + i);
        }
        s[i].p = bias_force(l, s[i].w, ext ? ext + 6 * i : NULL);
        if (l->leaf) s[i].Ia = rigid_inertia(l);
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = links + i;
        const double *t = tau ? tau + l->v : NULL;
        bool fine = true;
        switch (l->kind) {
        case FLX_LINK_TURN:
            fine = reduce_turn(l, links, s, t ? t[0] : 0.0);
            break;
        case FLX_LINK_SLIDE:
        case FLX_LINK_SCREW:
            fine = reduce_slide(l, links, s, t ? t[0] : 0.0);
            break;
        case FLX_LINK_BALL:
            fine = reduce_ball(l, links, s, t);
            break;
        case FLX_LINK_SHIFT:
            fine = reduce_shift(l, links, s, t);
            break;
        case FLX_LINK_BEND:
            break;
        }
        if (!fine && singular < 0) singular = i; // what follows is not a number
    }
    for (int i = 0; i < k->n; i++) {
        accelerate(links + i, s + links[i].parent, s + i, a + links[i].v);
    }
    return singular;
}

// ---- inverse dynamics ---------------------------------------------------------------------------

void flx_linkage_inverse(const flx_linkage *k, flx_link_state *states, const double *q,
                         const double *v, const double *a, const double *ext, double *tau)
{
    if (k->planar) {
        flx_linkage2_inverse(k, states, q, v, a, ext, tau);
        return;
    }
    flx_link_state *s = states + 1;
    set_ground(k, states, 1.0);
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        const flx_link_state *parent = s + l->parent;
        v3 dw, dv;
        place(l, q, s + i);
        move(l, parent, v + l->v, s + i);
        flx_link_expand(l, a + l->v, &dw, &dv);
        v3 e = v3_add(parent->a, v3_cross(parent->alpha, s[i].r));
        s[i].alpha = v3_add(v3_add(into(l, s + i, parent->alpha), s[i].ba), dw);
        s[i].a = v3_add(v3_add(into(l, s + i, e), s[i].bl), dv);
        wrench p = bias_force(l, s[i].w, ext ? ext + 6 * i : NULL);
        p.n = v3_add(p.n, v3_add(sym3_mul(l->J, s[i].alpha), v3_cross(l->h, s[i].a)));
        p.f = v3_add(p.f, v3_axpy(l->m, s[i].a, v3_cross(s[i].alpha, l->h)));
        s[i].p = p;
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        flx_link_restrict(l, s[i].p, tau + l->v);
        if (l->parent < 0) continue;
        wrench f = s[i].p;
        turn_wrench(l, s + i, &f);
        s[l->parent].p.n = v3_add(s[l->parent].p.n, v3_add(f.n, v3_cross(s[i].r, f.f)));
        s[l->parent].p.f = v3_add(s[l->parent].p.f, f.f);
    }
}
