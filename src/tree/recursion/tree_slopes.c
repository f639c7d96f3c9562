// tree_slopes.c - derivatives of the recursions and M x = b; equations in tree_slopes.h.
#include "tree/recursion/tree_slopes.h"

// ---- six numbers --------------------------------------------------------------------------------

static inline flx_motion6 plus(flx_motion6 x, flx_motion6 y)
{
    return (flx_motion6){v3_add(x.a, y.a), v3_add(x.b, y.b)};
}
static inline flx_motion6 times(double s, flx_motion6 x)
{
    return (flx_motion6){v3_scale(s, x.a), v3_scale(s, x.b)};
}
// x cross y
static inline flx_motion6 cross(flx_motion6 x, flx_motion6 y)
{
    return (flx_motion6){v3_cross(x.a, y.a), v3_add(v3_cross(x.a, y.b), v3_cross(x.b, y.a))};
}
// x cross-star f
static inline wrench cross_star(flx_motion6 x, wrench f)
{
    return (wrench){v3_add(v3_cross(x.a, f.n), v3_cross(x.b, f.f)), v3_cross(x.a, f.f)};
}
static inline double power(flx_motion6 x, wrench f)
{
    return v3_dot(x.a, f.n) + v3_dot(x.b, f.f);
}
static inline wrench sum(wrench x, wrench y)
{
    return (wrench){v3_add(x.n, y.n), v3_add(x.f, y.f)};
}
static inline wrench scaled(double s, wrench f)
{
    return (wrench){v3_scale(s, f.n), v3_scale(s, f.f)};
}

// Of the parent in the link's frame, and a wrench on the link in the parent's.
static inline flx_motion6 into(const flx_link_slopes *s, flx_motion6 x)
{
    v3 b = v3_add(x.b, v3_cross(x.a, s->r));
    return (flx_motion6){m33_tmul_v(s->R, x.a), m33_tmul_v(s->R, b)};
}
static inline wrench out_of(const flx_link_slopes *s, wrench f)
{
    wrench g = {m33_mul_v(s->R, f.n), m33_mul_v(s->R, f.f)};
    g.n = v3_add(g.n, v3_cross(s->r, g.f));
    return g;
}

// ---- joints -------------------------------------------------------------------------------------

static m33 about_z(double angle)
{
    double c = cos(angle), s = sin(angle);
    return (m33){{c, -s, 0, s, c, 0, 0, 0, 1}};
}

static void place_planar(const flx_link *l, const double *q, flx_link_slopes *s)
{
    bool turns = l->kind == FLX_LINK_TURN;
    s->R = about_z(turns ? l->offset + q[0] : l->offset);
    s->r = l->r;
    if (turns) return;
    v3 d = v3_make(q[0], l->kind == FLX_LINK_SHIFT ? q[1] : 0.0, 0.0);
    s->r = v3_add(s->r, m33_mul_v(s->R, d));
}

static void place(const flx_linkage *k, const flx_link *l, const double *q, flx_link_slopes *s)
{
    q += l->q;
    if (k->planar) {
        place_planar(l, q, s);
        return;
    }
    s->R = l->R;
    s->r = l->r;
    switch (l->kind) {
    case FLX_LINK_TURN:
        s->R = m33_mul(l->R, about_z(q[0]));
        break;
    case FLX_LINK_SLIDE:
        s->r = v3_axpy(q[0], m33_col(l->R, 2), l->r);
        break;
    case FLX_LINK_SCREW:
        s->R = m33_mul(l->R, about_z(q[0]));
        s->r = v3_axpy(l->pitch * q[0], m33_col(l->R, 2), l->r);
        break;
    case FLX_LINK_BALL:
        s->R = m33_mul(l->R, quat_to_m33(quat_load(q)));
        break;
    case FLX_LINK_SHIFT:
        s->r = v3_add(l->r, m33_mul_v(l->R, v3_load(q)));
        break;
    case FLX_LINK_BEND:
        break;
    }
}

// S of one freedom.
static flx_motion6 motion_of(const flx_linkage *k, const flx_link *l, int freedom)
{
    double unit[3] = {0, 0, 0};
    flx_motion6 S = {{0, 0, 0}, {0, 0, 0}};
    unit[freedom] = 1.0;
    if (!k->planar) {
        flx_link_expand(l, unit, &S.a, &S.b);
    } else if (l->kind == FLX_LINK_TURN) {
        S.a.z = 1.0;
    } else {
        S.b = v3_load(unit);
    }
    return S;
}

static void set_motions(const flx_linkage *k, const flx_link *l, flx_link_slopes *s)
{
    for (int c = 0; c < flx_link_freedom(l->kind, k->planar); c++) {
        s->motion[c] = motion_of(k, l, c);
    }
}

// ---- derivatives of inverse dynamics ------------------------------------------------------------

// (SPA-1) of a rigid body
static inline wrench inertia_times(double m, v3 h, sym3 J, flx_motion6 x)
{
    return (wrench){v3_add(sym3_mul(J, x.a), v3_cross(h, x.b)),
                    v3_sub(v3_scale(m, x.b), v3_cross(h, x.a))};
}
static inline wrench composite_times(const flx_link_slopes *s, flx_motion6 x)
{
    return inertia_times(s->m, s->h, s->J, x);
}
// (SLOPE-3) and its transpose
static inline wrench bias_times(const flx_link_slopes *s, flx_motion6 x)
{
    return (wrench){m33_mul_v(s->E, x.a), v3_scale(-2.0, v3_cross(s->p, x.a))};
}
static inline wrench bias_transposed(const flx_link_slopes *s, flx_motion6 x)
{
    v3 n = v3_axpy(2.0, v3_cross(s->p, x.b), m33_tmul_v(s->E, x.a));
    return (wrench){n, v3_make(0, 0, 0)};
}

static void start_composite(const flx_link *l, const double *ext, flx_link_slopes *s)
{
    sym3 J = l->J;
    s->m = l->m;
    s->h = l->h;
    s->J = J;
    wrench momentum = inertia_times(l->m, l->h, J, s->V);
    s->f = sum(inertia_times(l->m, l->h, J, s->A), cross_star(s->V, momentum));
    if (ext) {
        s->f.n = v3_sub(s->f.n, v3_load(ext));
        s->f.f = v3_sub(s->f.f, v3_load(ext + 3));
    }
    m33 w = m33_skew(s->V.a);
    s->E = m33_scale(2.0,
                     m33_sub(m33_mul(w, sym3_full(J)), m33_mul(m33_skew(l->h), m33_skew(s->V.b))));
    s->E = m33_sub(s->E, m33_scale(J.xx + J.yy + J.zz, w));
    s->p = momentum.f;
}

static void add_composite(const flx_link_slopes *s, flx_link_slopes *parent)
{
    v3 r = s->r, h = m33_mul_v(s->R, s->h), p = m33_mul_v(s->R, s->p);
    sym3 J = sym3_rotate(s->R, s->J);
    v3 g = v3_axpy(0.5 * s->m, r, h); // J - (g~ r~ + r~ g~)
    m33 both = m33_mul(m33_skew(g), m33_skew(r));
    both = m33_add(both, m33_transpose(both));
    parent->J = sym3_add(parent->J, sym3_of(m33_sub(sym3_full(J), both)));
    parent->h = v3_add(parent->h, v3_axpy(s->m, r, h));
    parent->m += s->m;
    m33 E = m33_mul_t(m33_mul(s->R, s->E), s->R);
    E = m33_sub(E, m33_scale(2.0, m33_mul(m33_skew(r), m33_skew(p))));
    parent->E = m33_add(parent->E, E);
    parent->p = v3_add(parent->p, p);
    parent->f = sum(parent->f, out_of(s, s->f));
}

static void move_outwards(const flx_linkage *k, flx_link_slopes *s, flx_freedom_slopes *freedoms,
                          const double *q, const double *v, const double *a, const double *ext)
{
    s[-1].V = (flx_motion6){{0, 0, 0}, {0, 0, 0}};
    s[-1].A = (flx_motion6){{0, 0, 0}, v3_neg(v3_load(k->gravity))};
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        const flx_link_slopes *parent = s + l->parent;
        place(k, l, q, s + i);
        set_motions(k, l, s + i);
        s[i].V = s[i].Vp = into(s + i, parent->V);
        s[i].A = s[i].Ap = into(s + i, parent->A);
        int n = flx_link_freedom(l->kind, k->planar);
        for (int c = 0; c < n; c++) {
            flx_motion6 rate = times(v[l->v + c], s[i].motion[c]);
            s[i].V = plus(s[i].V, rate);
            s[i].A = plus(s[i].A, cross(s[i].Vp, rate));
            s[i].A = plus(s[i].A, times(a[l->v + c], s[i].motion[c]));
        }
        for (int c = 0; c < n; c++) {
            flx_freedom_slopes *f = freedoms + l->v + c;
            f->psi = cross(s[i].Vp, s[i].motion[c]);
            f->psi2 = plus(cross(s[i].Ap, s[i].motion[c]), cross(s[i].Vp, f->psi));
            f->chi = plus(f->psi, cross(s[i].V, s[i].motion[c]));
        }
        start_composite(l, ext ? ext + 6 * i : NULL, s + i);
    }
}

typedef struct targets {
    int nv;
    double *dq, *dv, *M;
} targets;

// Rows and columns of one freedom of a link against the freedoms of its ancestors.
static void fill_pairs(const flx_linkage *k, const flx_link_slopes *s,
                       const flx_freedom_slopes *freedoms, int link, int c, const targets *to)
{
    const flx_link *l = k->links + link;
    const flx_link_slopes *own = s + link;
    int nv = to->nv, i = l->v + c;
    const flx_freedom_slopes *f = freedoms + i;
    flx_motion6 S = own->motion[c];
    wrench mass = composite_times(own, S), bias = bias_transposed(own, S);
    wrench on_q = sum(bias_times(own, f->psi), composite_times(own, f->psi2));
    wrench on_v = sum(bias_times(own, S), composite_times(own, f->chi));
    for (int d = 0; d < flx_link_freedom(l->kind, k->planar); d++) {
        int j = l->v + d;
        to->dq[j * nv + i] = power(own->motion[d], on_q);
        to->dv[j * nv + i] = power(own->motion[d], on_v);
        if (to->M) to->M[j * nv + i] = power(own->motion[d], mass);
    }
    on_q = sum(on_q, cross_star(S, own->f));
    for (int at = link; k->links[at].parent >= 0;) {
        on_q = out_of(s + at, on_q);
        on_v = out_of(s + at, on_v);
        mass = out_of(s + at, mass);
        bias.n = m33_mul_v(s[at].R, bias.n);
        at = k->links[at].parent;
        const flx_link *p = k->links + at;
        for (int d = 0; d < flx_link_freedom(p->kind, k->planar); d++) {
            int j = p->v + d;
            flx_motion6 T = s[at].motion[d];
            const flx_freedom_slopes *g = freedoms + j;
            to->dq[j * nv + i] = power(T, on_q);
            to->dv[j * nv + i] = power(T, on_v);
            to->dq[i * nv + j] = v3_dot(g->psi.a, bias.n) + power(g->psi2, mass);
            to->dv[i * nv + j] = v3_dot(T.a, bias.n) + power(g->chi, mass);
            if (to->M) to->M[i * nv + j] = to->M[j * nv + i] = power(T, mass);
        }
    }
}

void flx_linkage_inverse_slopes(const flx_linkage *k, flx_link_slopes *states,
                                flx_freedom_slopes *freedoms, const double *q, const double *v,
                                const double *a, const double *ext, double *dtau_dq,
                                double *dtau_dv, double *M)
{
    flx_link_slopes *s = states + 1;
    size_t square = (size_t)k->nv * (size_t)k->nv;
    targets to = {k->nv, dtau_dq, dtau_dv, M};
    memset(dtau_dq, 0, square * sizeof *dtau_dq);
    memset(dtau_dv, 0, square * sizeof *dtau_dv);
    if (M) memset(M, 0, square * sizeof *M);
    move_outwards(k, s, freedoms, q, v, a, ext);
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        for (int c = 0; c < flx_link_freedom(l->kind, k->planar); c++) {
            fill_pairs(k, s, freedoms, i, c, &to);
        }
        if (l->parent >= 0) add_composite(s + i, s + l->parent);
    }
}

// ---- M x = b ------------------------------------------------------------------------------------

#define NO_INERTIA 1e-14 // as in forward dynamics

static inline wrench spatial_times(const spatial *I, flx_motion6 x)
{
    return (wrench){v3_add(sym3_mul(I->A, x.a), m33_mul_v(I->B, x.b)),
                    v3_add(m33_tmul_v(I->B, x.a), sym3_mul(I->M, x.b))};
}

// D^-1 of one or up to three freedoms. False: without inertia.
static bool invert(const flx_link_slopes *s, int n, double *D)
{
    double S[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (int c = 0; c < n; c++) {
        for (int d = 0; d < n; d++) S[3 * c + d] = power(s->motion[c], s->U[d]);
    }
    sym3_factors f;
    bool fine = sym3_factor(sym3_of((m33){{S[0], S[1], S[2], S[3], S[4], S[5], S[6], S[7], S[8]}}),
                            NO_INERTIA, &f);
    if (n == 1) { // against the other axes
        double size = v3_dot(s->motion[0].a, s->motion[0].a) > 0.0
                          ? s->Ia.A.xx + s->Ia.A.yy + s->Ia.A.zz
                          : s->Ia.M.xx + s->Ia.M.yy + s->Ia.M.zz;
        fine = S[0] > NO_INERTIA * size && S[0] > 0.0;
    }
    for (int c = 0; c < 3; c++) {
        v3 column = sym3_solve(&f, v3_make(c == 0, c == 1, c == 2));
        D[c] = column.x;
        D[3 + c] = column.y;
        D[6 + c] = column.z;
    }
    return fine;
}

int flx_linkage_factor(const flx_linkage *k, flx_link_slopes *states, const double *q)
{
    flx_link_slopes *s = states + 1;
    int singular = -1;
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        place(k, l, q, s + i);
        set_motions(k, l, s + i);
        s[i].Ia = (spatial){l->J, m33_skew(l->h), {l->m, 0, 0, l->m, 0, l->m}};
    }
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        int n = flx_link_freedom(l->kind, k->planar);
        for (int c = 0; c < n; c++) s[i].U[c] = spatial_times(&s[i].Ia, s[i].motion[c]);
        if (!invert(s + i, n, s[i].D) && singular < 0) singular = i;
        if (l->parent < 0) continue;
        spatial K = s[i].Ia;
        for (int c = 0; c < n; c++) {
            wrench g = {{0, 0, 0}, {0, 0, 0}};
            for (int d = 0; d < n; d++) g = sum(g, scaled(s[i].D[3 * c + d], s[i].U[d]));
            wrench u = s[i].U[c];
            K.A = sym3_of(m33_sub(sym3_full(K.A), m33_outer(g.n, u.n)));
            K.B = m33_sub(K.B, m33_outer(g.n, u.f));
            K.M = sym3_of(m33_sub(sym3_full(K.M), m33_outer(g.f, u.f)));
        }
        spatial_rotate(s[i].R, &K);
        spatial_shift(s[i].r, &K);
        spatial_add(&s[l->parent].Ia, &K);
    }
    return singular;
}

void flx_linkage_solve(const flx_linkage *k, flx_link_slopes *states, double *x, int stride)
{
    flx_link_slopes *s = states + 1;
    for (int i = 0; i < k->n; i++) s[i].k = (wrench){{0, 0, 0}, {0, 0, 0}};
    for (int i = k->n - 1; i >= 0; i--) {
        const flx_link *l = k->links + i;
        int n = flx_link_freedom(l->kind, k->planar);
        double b[3] = {0, 0, 0};
        for (int c = 0; c < n; c++) b[c] = x[(l->v + c) * stride] - power(s[i].motion[c], s[i].k);
        wrench f = s[i].k;
        for (int c = 0; c < n; c++) {
            const double *D = s[i].D + 3 * c;
            s[i].u[c] = D[0] * b[0] + D[1] * b[1] + D[2] * b[2];
            f = sum(f, scaled(s[i].u[c], s[i].U[c]));
        }
        if (l->parent >= 0) s[l->parent].k = sum(s[l->parent].k, out_of(s + i, f));
    }
    s[-1].A = (flx_motion6){{0, 0, 0}, {0, 0, 0}};
    for (int i = 0; i < k->n; i++) {
        const flx_link *l = k->links + i;
        int n = flx_link_freedom(l->kind, k->planar);
        flx_motion6 A = into(s + i, s[l->parent].A);
        double b[3] = {0, 0, 0}, rate[3];
        for (int c = 0; c < n; c++) b[c] = power(A, s[i].U[c]);
        for (int c = 0; c < n; c++) {
            const double *D = s[i].D + 3 * c;
            rate[c] = s[i].u[c] - (D[0] * b[0] + D[1] * b[1] + D[2] * b[2]);
            x[(l->v + c) * stride] = rate[c];
        }
        for (int c = 0; c < n; c++) A = plus(A, times(rate[c], s[i].motion[c]));
        s[i].A = A;
    }
}
