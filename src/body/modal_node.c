// modal_node.c - a node of a flexible body in space. With s(q), psi(q) of (FLX-2), s_k = ds/dq_k and
// B = (Q R0)^T the node turns by x = x_k q_k' relative to the body, body axes:
//
//     x_k = H psi_k,   H = c + psi psi^T/(4 c) + psi~/2                                          (FLX-4)
//     p' = v + R (w x s + s_k q_k'),   w_node = B (w + x)                                        (FLX-3)
//     bias = (R (w x (w x s) + 2 w x s' + s_kl q_k' q_l'),  B (w x x + x_kl q_k' q_l'))          (FLX-5)
//     J^T (f, m) = (f,  s x F + M,  s_k.F + x_k.M),   F = R^T f, M = B^T m                        (FLX-6)
// x_kl = D(psi_l, psi_k) + H psi_kl with D(z, y) the derivative of H y along z. Along the rotations of the
// body dF = F x theta; along q_l dM = x_l x M and dB = -B x_l~.
#include "body/modal_node.h"

typedef struct turning { // of psi
    v3 psi, rate;        // psi' = psi_k q_k'
    double c;
    m33 H, B;
} turning;

typedef struct node { // at one state
    int n;
    v3 s, sd, sdd;            // s, s_k q_k', s_kl q_k' q_l'
    v3 turn_second;           // psi_kl q_k' q_l'
    const double *sk, *psi_k; // (n x 3): s_k, psi_k
    const double *sr, *pr;    // (n x 3): s_kl q_l', psi_kl q_l'; NULL: zero
    turning t;
} node;

// out (n x 3) = T_l x_l, T (n x n x 3)
static void multiply(int n, const double *T, const double *x, double *out)
{
    memset(out, 0, 3 * (size_t)n * sizeof *out);
    flx_modal_add_along(n, 3, T, x, out);
}

static v3 sum(int n, const double *a, const double *x, v3 s)
{
    for (int k = 0; a && k < n; k++) s = v3_axpy(x[k], v3_load(a + 3 * k), s);
    return s;
}

static v3 rate_of(const double *rates, int k)
{
    return rates ? v3_load(rates + 3 * k) : v3_make(0, 0, 0);
}

// out: a_k q_k + a_kl q_k q_l/2 and its first two derivatives but for q''; *slope, *rate: a_k + a_kl q_l
// and a_kl q_l', in room (2 n x 3) where there is a second
static void series(int n, const double *first, const double *second, const double *q,
                   const double *u, double *room, const double **slope, const double **rate,
                   v3 out[3])
{
    const v3 zero = {0, 0, 0};
    *slope = first;
    *rate = NULL;
    out[0] = sum(n, first, q, zero);
    if (second) {
        multiply(n, second, q, room);
        out[0] = v3_axpy(0.5, sum(n, room, q, zero), out[0]);
        for (int i = 0; i < 3 * n; i++) room[i] += first[i];
        multiply(n, second, u, room + 3 * n);
        *slope = room;
        *rate = room + 3 * n;
    }
    out[1] = sum(n, *slope, u, zero);
    out[2] = sum(n, *rate, u, zero);
}

static m33 outer(v3 a, v3 b)
{
    return (m33){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                  a.z * b.y, a.z * b.z}};
}

static m33 turn_of(v3 psi, double c)
{
    m33 P = m33_skew(psi);
    return m33_add(m33_identity(), m33_add(m33_scale(c, P), m33_scale(0.5, m33_mul(P, P))));
}

static void evaluate(const flx_modal_data *b, const flx_elastic_node *x, const flx_modal_point *p,
                     node *o)
{
    const double *q = p->q + b->q, *u = p->v + b->u;
    int n = o->n = b->e->n;
    v3 s[3], a[3];
    series(n, x->phi, x->phi2, q, u, p->scratch, &o->sk, &o->sr, s);
    series(n, x->psi, x->psi2, q, u, p->scratch + 6 * n, &o->psi_k, &o->pr, a);
    o->s = v3_add(v3_load(x->at), s[0]), o->sd = s[1], o->sdd = s[2];
    turning *t = &o->t;
    t->psi = a[0], t->rate = a[1], o->turn_second = a[2];
    t->c = sqrt(1.0 - 0.25 * v3_dot(t->psi, t->psi));
    t->H = m33_add(
        m33_scale(t->c, m33_identity()),
        m33_add(m33_scale(0.25 / t->c, outer(t->psi, t->psi)), m33_scale(0.5, m33_skew(t->psi))));
    t->B = m33_transpose(m33_mul(turn_of(t->psi, t->c), m33_load(x->R)));
}

// z -> D(z, y)
static m33 slope_along(const turning *t, v3 y)
{
    double f = 0.25 / t->c, py = v3_dot(t->psi, y);
    m33 X = m33_sub(outer(t->psi, y), outer(y, t->psi));
    X = m33_scale(f, m33_add(X, m33_scale(py, m33_identity())));
    X = m33_add(X, m33_scale(py * f * f / t->c, outer(t->psi, t->psi)));
    return m33_sub(X, m33_scale(0.5, m33_skew(y)));
}

// E with M . D(z, y) = z . E y
static m33 slope_against(const turning *t, v3 M)
{
    double f = 0.25 / t->c, pm = v3_dot(t->psi, M);
    m33 X = m33_sub(outer(M, t->psi), outer(t->psi, M));
    X = m33_scale(f, m33_add(X, m33_scale(pm, m33_identity())));
    X = m33_add(X, m33_scale(pm * f * f / t->c, outer(t->psi, t->psi)));
    return m33_sub(X, m33_scale(0.5, m33_skew(M)));
}

static void set_block(double *A, int width, int row, int column, m33 X)
{
    for (int i = 0; i < 9; i++) A[(row + i / 3) * width + column + i % 3] = X.m[i];
}

static void set_column(double *A, int width, int row, int column, v3 x)
{
    A[row * width + column] = x.x;
    A[(row + 1) * width + column] = x.y;
    A[(row + 2) * width + column] = x.z;
}

void flx_modal_node_place(const flx_modal_data *b, const flx_elastic_node *x, const flx_frame *f,
                          const flx_modal_point *p, flx_frame *out, double *J, double *bias)
{
    node o;
    evaluate(b, x, p, &o);
    int n = o.n, width = 6 + n;
    m33 R = m33_load(f->R), B = o.t.B, BH = m33_mul(B, o.t.H);
    v3 w = v3_load(f->w), turn = m33_mul_v(o.t.H, o.t.rate);
    m33_store(out->R, m33_mul(R, m33_transpose(B)));
    v3_store(out->r, v3_add(v3_load(f->r), m33_mul_v(R, o.s)));
    v3 inner = v3_add(v3_cross(w, o.s), o.sd);
    v3_store(out->v, v3_add(v3_load(f->v), m33_mul_v(R, inner)));
    v3_store(out->w, m33_mul_v(B, v3_add(w, turn)));
    memset(J, 0, (size_t)(6 * width) * sizeof *J);
    set_block(J, width, 0, 0, m33_identity());
    set_block(J, width, 0, 3, m33_scale(-1.0, m33_mul(R, m33_skew(o.s))));
    set_block(J, width, 3, 3, B);
    for (int k = 0; k < n; k++) {
        set_column(J, width, 0, 6 + k, m33_mul_v(R, v3_load(o.sk + 3 * k)));
        set_column(J, width, 3, 6 + k, m33_mul_v(BH, v3_load(o.psi_k + 3 * k)));
    }
    v3 whirl = v3_add(v3_cross(w, v3_add(inner, o.sd)), o.sdd);
    v3_store(bias, m33_mul_v(R, whirl));
    v3 own =
        v3_add(m33_mul_v(slope_along(&o.t, o.t.rate), o.t.rate), m33_mul_v(o.t.H, o.turn_second));
    v3_store(bias + 3, m33_mul_v(B, v3_add(v3_cross(w, turn), own)));
}

static void slopes(const node *o, m33 R, v3 w, double *Jv)
{
    int n = o->n, width = 6 + n;
    v3 inner = v3_add(v3_cross(w, o->s), o->sd);
    v3 all = v3_add(w, m33_mul_v(o->t.H, o->t.rate));
    m33 D = slope_along(&o->t, o->t.rate);
    memset(Jv, 0, (size_t)(6 * width) * sizeof *Jv);
    set_block(Jv, width, 0, 3, m33_scale(-1.0, m33_mul(R, m33_skew(inner))));
    for (int k = 0; k < n; k++) {
        v3 psi_k = v3_load(o->psi_k + 3 * k), xk = m33_mul_v(o->t.H, psi_k);
        v3 a = v3_add(v3_cross(w, v3_load(o->sk + 3 * k)), rate_of(o->sr, k));
        v3 turn = v3_add(m33_mul_v(D, psi_k), m33_mul_v(o->t.H, rate_of(o->pr, k)));
        set_column(Jv, width, 0, 6 + k, m33_mul_v(R, a));
        set_column(Jv, width, 3, 6 + k, m33_mul_v(o->t.B, v3_add(turn, v3_cross(all, xk))));
    }
}

static void curve(const node *o, const flx_elastic_node *x, m33 R, const double *wrench, double *K)
{
    int n = o->n, width = 6 + n;
    v3 F = m33_tmul_v(R, v3_load(wrench)), M = m33_tmul_v(o->t.B, v3_load(wrench + 3));
    v3 HM = m33_tmul_v(o->t.H, M);
    m33 E = slope_against(&o->t, M);
    memset(K, 0, (size_t)(width * width) * sizeof *K);
    set_block(K, width, 3, 3, m33_mul(m33_skew(o->s), m33_skew(F)));
    for (int k = 0; k < n; k++) {
        v3 sk = v3_load(o->sk + 3 * k), psi_k = v3_load(o->psi_k + 3 * k);
        v3 xk = m33_mul_v(o->t.H, psi_k), turned = v3_cross(sk, F);
        v3 Mx = v3_cross(M, xk), Ey = m33_mul_v(E, psi_k);
        set_column(K, width, 3, 6 + k, v3_sub(turned, Mx)); // s_k x F + x_k x M
        double *row = K + (6 + k) * width;
        row[3] = turned.x, row[4] = turned.y, row[5] = turned.z;
        // Ey and H^T of what is crossed, so that only psi_l is needed
        v3 along = v3_add(Ey, m33_tmul_v(o->t.H, Mx));
        for (int l = 0; l < n; l++) {
            double y = v3_dot(v3_load(o->psi_k + 3 * l), along);
            if (x->phi2) y += v3_dot(v3_load(x->phi2 + 3 * (k * n + l)), F);
            if (x->psi2) y += v3_dot(v3_load(x->psi2 + 3 * (k * n + l)), HM);
            row[6 + l] = y;
        }
    }
}

void flx_modal_node_tangent(const flx_modal_data *b, const flx_elastic_node *x, const flx_frame *f,
                            const flx_modal_point *p, const flx_modal_node_slopes *t)
{
    node o;
    evaluate(b, x, p, &o);
    m33 R = m33_load(f->R);
    slopes(&o, R, v3_load(f->w), t->Jv);
    curve(&o, x, R, t->wrench, t->K);
}

// d(x_kl q_k' q_l')/dq_l with psi' = y: x_kl q_k' q_l' = psi k + H psi_kl q_k' q_l' with
// k = y.y/(4 c) + (psi.y)^2/(16 c^3).
static v3 own_slope(const turning *t, v3 second, v3 z, v3 dy)
{
    v3 psi = t->psi, y = t->rate;
    double f = 0.25 / t->c, g = f * f / t->c, yy = v3_dot(y, y), py = v3_dot(psi, y);
    double pz = v3_dot(psi, z), k = f * yy + g * py * py;
    double dk = 2.0 * f * v3_dot(y, dy) + g * pz * yy +
                2.0 * g * py * (v3_dot(z, y) + v3_dot(psi, dy)) + 3.0 * g * f / t->c * pz * py * py;
    v3 turned = m33_mul_v(slope_along(t, second), z);
    return v3_add(v3_axpy(k, z, v3_scale(dk, psi)), turned);
}

void flx_modal_node_slope(const flx_modal_data *b, const flx_elastic_node *x, const flx_frame *f,
                          const flx_modal_point *p, const double *theta, double *dv, double *da)
{
    node o;
    evaluate(b, x, p, &o);
    const turning *t = &o.t;
    int n = o.n;
    const double *a = p->a + b->v, *qdd = p->a + b->u, *dq = theta + 6;
    m33 R = m33_load(f->R);
    v3 w = v3_load(f->w), alpha = v3_load(a + 3), turn = v3_load(theta + 3), zero = {0, 0, 0};
    // along theta: s, s', s_k q_k'', psi, psi', psi_k q_k''
    v3 s = sum(n, o.sk, dq, zero), sd = sum(n, o.sr, dq, zero), sa = zero;
    v3 z = sum(n, o.psi_k, dq, zero), zd = sum(n, o.pr, dq, zero), za = zero;
    v3 sk_a = sum(n, o.sk, qdd, zero), psi_a = sum(n, o.psi_k, qdd, zero);
    for (int k = 0; k < n * n; k++) {
        double c = dq[k / n] * qdd[k % n];
        if (x->phi2) sa = v3_axpy(c, v3_load(x->phi2 + 3 * k), sa);
        if (x->psi2) za = v3_axpy(c, v3_load(x->psi2 + 3 * k), za);
    }
    v3 inner = v3_add(v3_cross(w, o.s), o.sd), dinner = v3_add(v3_cross(w, s), sd);
    v3_store(dv, m33_mul_v(R, v3_add(v3_cross(turn, inner), dinner)));
    v3 c =
        v3_add(v3_add(v3_cross(alpha, o.s), sk_a), v3_add(v3_cross(w, v3_add(inner, o.sd)), o.sdd));
    v3 dc = v3_add(v3_add(v3_cross(alpha, s), sa), v3_cross(w, v3_add(dinner, sd)));
    v3_store(da, m33_mul_v(R, v3_add(v3_cross(turn, c), dc)));
    v3 own = m33_mul_v(t->H, t->rate), dx = m33_mul_v(t->H, z); // turning, and that of theta
    v3 down = v3_add(m33_mul_v(slope_along(t, t->rate), z), m33_mul_v(t->H, zd));
    v3 spin = v3_add(w, own);
    v3_store(dv + 3, m33_mul_v(t->B, v3_add(v3_cross(spin, dx), down)));
    v3 second = v3_add(m33_mul_v(slope_along(t, t->rate), t->rate),
                       m33_mul_v(t->H, v3_add(o.turn_second, psi_a)));
    v3 rate = v3_add(v3_add(alpha, v3_cross(w, own)), second);
    v3 drate = v3_add(v3_cross(w, down), own_slope(t, v3_add(o.turn_second, psi_a), z, zd));
    drate = v3_add(drate, m33_mul_v(t->H, za));
    v3_store(da + 3, m33_mul_v(t->B, v3_add(v3_cross(rate, dx), drate)));
}

// ---- relative to the body -----------------------------------------------------------------------

static node evaluate_relative(const flx_node_point *p)
{
    const flx_elastic e = {.n = p->n};
    const flx_modal_data b = {.e = &e};
    const flx_modal_point at = {.q = p->q, .v = p->u, .scratch = p->scratch};
    node o;
    evaluate(&b, p->x, &at, &o);
    if (!p->planar) return o;
    o.t.H = m33_identity();
    o.s.z = o.sd.z = o.sdd.z = 0.0;
    return o;
}

// In the plane of motions only.
static v3 shift_of(const flx_node_point *p, v3 a)
{
    return p->planar ? v3_make(a.x, a.y, 0) : a;
}
static v3 turn_part(const flx_node_point *p, v3 a)
{
    return p->planar ? v3_make(0, 0, a.z) : a;
}

// D(z, y): an angle of the plane is its own
static v3 slope_of(const flx_node_point *p, const turning *t, v3 z, v3 y)
{
    return p->planar ? v3_make(0, 0, 0) : m33_mul_v(slope_along(t, y), z);
}

// x_k q_k'' + x_kl q_k' q_l'
static v3 turn_rate(const flx_node_point *p, const node *o, v3 second)
{
    return v3_add(slope_of(p, &o->t, o->t.rate, o->t.rate), m33_mul_v(o->t.H, second));
}

void flx_node_relative_at(const flx_node_point *p, flx_node_relative *out, double *columns)
{
    const v3 zero = {0, 0, 0};
    node o = evaluate_relative(p);
    v3 sa = o.sdd, second = o.turn_second;
    if (p->a) {
        sa = v3_add(sa, sum(p->n, o.sk, p->a, zero));
        second = v3_add(second, sum(p->n, o.psi_k, p->a, zero));
    }
    out->s = o.s, out->sd = o.sd, out->sa = shift_of(p, sa);
    out->x = turn_part(p, m33_mul_v(o.t.H, o.t.rate));
    out->xa = turn_part(p, turn_rate(p, &o, second));
    out->angle = atan2(p->x->R[3], p->x->R[0]) + o.t.psi.z;
    double c = cos(out->angle), s = sin(out->angle);
    out->R = p->planar ? (m33){{c, -s, 0, s, c, 0, 0, 0, 1}} : m33_transpose(o.t.B);
    for (int k = 0; columns && k < p->n; k++, columns += 6) {
        v3_store(columns, turn_part(p, m33_mul_v(o.t.H, v3_load(o.psi_k + 3 * k))));
        v3_store(columns + 3, shift_of(p, v3_load(o.sk + 3 * k)));
    }
}

void flx_node_relative_slopes(const flx_node_point *p, double *slopes)
{
    const flx_elastic_node *x = p->x;
    const v3 zero = {0, 0, 0};
    node o = evaluate_relative(p);
    const turning *t = &o.t;
    int n = p->n;
    v3 second = v3_add(o.turn_second, sum(n, o.psi_k, p->a, zero));
    for (int k = 0; k < n; k++, slopes += FLX_NODE_SLOPES) {
        v3 z = v3_load(o.psi_k + 3 * k), zd = rate_of(o.pr, k);
        v3 sa = x->phi2 ? sum(n, x->phi2 + 3 * k * n, p->a, zero) : zero;
        v3 za = x->psi2 ? sum(n, x->psi2 + 3 * k * n, p->a, zero) : zero;
        v3 turned = m33_mul_v(t->H, zd), own = p->planar ? zero : own_slope(t, second, z, zd);
        v3 by_q = v3_add(slope_of(p, t, z, t->rate), turned); // of x
        v3 by_u = v3_add(slope_of(p, t, t->rate, z), turned); // of x_k, along q'
        v3_store(slopes, shift_of(p, rate_of(o.sr, k)));
        v3_store(slopes + 3, shift_of(p, sa));
        v3_store(slopes + 6, turn_part(p, by_q));
        v3_store(slopes + 9, turn_part(p, v3_add(own, m33_mul_v(t->H, za))));
        v3_store(slopes + 12, turn_part(p, v3_add(by_q, by_u)));
    }
}

void flx_node_relative_curve(const flx_node_point *p, v3 F, v3 M, double *K)
{
    const flx_elastic_node *x = p->x;
    node o = evaluate_relative(p);
    F = shift_of(p, F);
    M = turn_part(p, M);
    v3 HM = m33_tmul_v(o.t.H, M);
    m33 E = p->planar ? m33_zero() : slope_against(&o.t, M);
    for (int k = 0; k < p->n; k++) {
        v3 Ey = m33_mul_v(E, v3_load(o.psi_k + 3 * k));
        for (int l = 0; l < p->n; l++, K++) {
            int kl = 3 * (k * p->n + l);
            *K = v3_dot(v3_load(o.psi_k + 3 * l), Ey);
            if (x->phi2) *K += v3_dot(v3_load(x->phi2 + kl), F);
            if (x->psi2) *K += v3_dot(v3_load(x->psi2 + kl), HM);
        }
    }
}
