// beam_exact_tangent.c - tangent of the geometrically exact beam in space.
//
// With z = (t, t', u) and the forces p along it, strain' = L z' and dz = Z dq along the nodes
//
//     d(Z^T p) = Z^T (L^T C (L + viscosity d(L z')/dz) + H) Z dq + viscosity Z^T L^T C L dz'
//                + d(Z^T) p,   H = d(L^T stress)/dz at fixed stress                            (BEA-7)
// where dz' is the change of the rate of z along the positions. H consists of second derivatives of
// exp(t~) and B(t), (ROT-5); d(Z^T) p of those of B(P_i)^-1.
#include "body/beam_exact_parts.h"

enum { Z = 9, MOST = 6 * FLX_BEAM_NODES };

typedef struct tangent {
    int n; // columns
    double K[MOST * MOST], D[MOST * MOST];
} tangent;

static void put(double *A, int width, int row, int column, double s, m33 B)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) A[width * (row + i) + column + j] += s * B.m[3 * i + j];
    }
}

// Strains along z.
static void find_L(const flx_beam_section *p, double L[6 * Z])
{
    memset(L, 0, 6 * Z * sizeof *L);
    put(L, Z, 0, 0, 1.0, m33_mul(m33_skew(p->g), p->B));
    put(L, Z, 0, 6, 1.0, m33_transpose(p->E));
    put(L, Z, 3, 0, 1.0, p->S);
    put(L, Z, 3, 3, 1.0, p->B);
}

// Their rates along z at fixed z'.
static void add_rates(const flx_beam_section *p, double s, double L[6 * Z])
{
    const rot_jet f = rot_jet_2(&p->series), g = rot_jet_3(&p->series);
    v3 moved = m33_tmul_v(p->E, p->u_rate);
    m33 spin = m33_skew(p->spin), G = m33_skew(p->g), P = m33_skew(p->t), T = m33_skew(p->t_rate);
    put(L, Z, 0, 0, -s, m33_mul(spin, m33_mul(G, p->B)));
    put(L, Z, 0, 0, s, m33_mul(G, rot_polynomial_slope(p->t, p->t_rate, -1.0, f, g)));
    put(L, Z, 0, 0, s, m33_mul(m33_skew(moved), p->B));
    put(L, Z, 0, 6, -s, m33_mul_t(spin, p->E));
    put(L, Z, 3, 0, s, rot_polynomial_slope(p->t, p->dt_rate, -1.0, f, g));
    for (int i = 0; i < 3; i++) {
        v3 axis = v3_make(i == 0, i == 1, i == 2);
        v3 row = m33_mul_v(rot_polynomial_curve(p->t, p->dt, axis, f, g), p->t_rate);
        v3_add_to(L + Z * (3 + i), s, row);
    }
    // the derivative of B(t) along t'
    double along = 2 * v3_dot(p->t, p->t_rate);
    m33 dB = m33_add(m33_scale(-f.f, T), m33_scale(-f.d * along, P));
    dB = m33_add(dB, m33_scale(g.f, m33_add(m33_mul(T, P), m33_mul(P, T))));
    put(L, Z, 3, 3, s, m33_add(dB, m33_scale(g.d * along, m33_mul(P, P))));
}

static void add_H(const flx_beam_section *p, double K[Z * Z])
{
    const rot_jet one = rot_jet_1(&p->series), f = rot_jet_2(&p->series), g = rot_jet_3(&p->series);
    v3 n = v3_load(p->stress), m = v3_load(p->stress + 3);
    m33 cross = m33_scale(-1.0, m33_mul(p->E, m33_mul(m33_skew(n), p->B)));
    m33 turn = rot_polynomial_slope(p->t, m, 1.0, f, g);
    put(K, Z, 0, 0, 1.0, rot_polynomial_curve(p->t, p->u, n, one, f));
    put(K, Z, 0, 0, 1.0, rot_polynomial_curve(p->t, p->dt, m, f, g));
    put(K, Z, 6, 0, 1.0, cross);
    put(K, Z, 0, 6, 1.0, m33_transpose(cross));
    put(K, Z, 3, 0, 1.0, turn);
    put(K, Z, 0, 3, 1.0, m33_transpose(turn));
}

// out = s X^T C Y with C (6, 6), X and Y (6, Z)
static void square(const double *X, const double *C, const double *Y, double s, double *out)
{
    double CY[6 * Z];
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < Z; j++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++) sum += C[6 * i + k] * Y[Z * k + j];
            CY[Z * i + j] = s * sum;
        }
    }
    for (int i = 0; i < Z; i++) {
        for (int j = 0; j < Z; j++) {
            double sum = 0.0;
            for (int k = 0; k < 6; k++) sum += X[Z * k + i] * CY[Z * k + j];
            out[Z * i + j] = sum;
        }
    }
}

// A += w X^T M Y with M (Z, Z), X and Y (Z, n)
static void add_square(int n, const double *X, const double *M, const double *Y, double w,
                       double *A)
{
    double MY[Z * MOST];
    for (int i = 0; i < Z; i++) {
        for (int j = 0; j < n; j++) {
            double sum = 0.0;
            for (int k = 0; k < Z; k++) sum += M[Z * i + k] * Y[n * k + j];
            MY[n * i + j] = w * sum;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < Z; k++) {
            double x = X[n * k + i];
            if (x == 0.0) continue;
            for (int j = 0; j < n; j++) A[n * i + j] += x * MY[n * k + j];
        }
    }
}

// z along the nodes, (BEA-6).
static void find_Z(const flx_beam_exact *e, const flx_beam_nodes *o, const flx_beam_section *p,
                   int k, double *X)
{
    int n = 6 * e->rule->nnode, m = 6 * o->m + 3;
    memset(X, 0, (size_t)(Z * n) * sizeof *X);
    for (int i = 0; i < e->rule->nnode; i++) {
        double N = e->rule->N[k][i], d = e->rule->dN[k][i] / e->length;
        put(X, n, 6, 6 * i, d, m33_transpose(o->Rm));
        if (i == o->m) continue;
        m33 back = m33_transpose(o->A[i]);
        put(X, n, 0, 6 * i + 3, N, o->A[i]);
        put(X, n, 3, 6 * i + 3, d, o->A[i]);
        put(X, n, 0, m, -N, back);
        put(X, n, 3, m, -d, back);
    }
    put(X, n, 6, m, 1.0, m33_skew(p->u));
}

static m33 inverse_slope(const flx_beam_nodes *o, int i, v3 a, double sign)
{
    const rot_jet half = {0.5, 0, 0};
    return rot_polynomial_slope(o->P[i], a, sign, half, rot_jet_inverse(&o->series[i]));
}

// z' along the positions of the nodes.
static void find_Z_rate(const flx_beam_exact *e, const flx_frame *f, const flx_beam_nodes *o,
                        const flx_beam_section *p, int k, double *X)
{
    int n = 6 * e->rule->nnode, m = 6 * o->m + 3;
    m33 spin = m33_skew(o->wm);
    memset(X, 0, (size_t)(Z * n) * sizeof *X);
    for (int i = 0; i < e->rule->nnode; i++) {
        double N = e->rule->N[k][i], d = e->rule->dN[k][i] / e->length;
        put(X, n, 6, 6 * i, -d, m33_mul_t(spin, o->Rm));
        if (i == o->m) continue;
        v3 w = v3_load(f[e->frame[i]].w);
        m33 Y = m33_sub(inverse_slope(o, i, w, 1.0), inverse_slope(o, i, o->wm, -1.0));
        m33 own = m33_mul(Y, o->A[i]), back = m33_mul_t(Y, o->A[i]);
        put(X, n, 0, 6 * i + 3, N, own);
        put(X, n, 3, 6 * i + 3, d, own);
        put(X, n, 0, m, -N, back);
        put(X, n, 3, m, -d, back);
    }
    put(X, n, 6, m, 1.0, m33_sub(m33_skew(p->v), m33_mul(spin, m33_skew(p->u))));
}

// d(Z^T) p of one point, but for the rotation vectors.
static void add_rotated(const flx_beam_exact *e, const flx_beam_nodes *o, const flx_beam_section *p,
                        int k, double w, tangent *t)
{
    int m = 6 * o->m + 3;
    m33 push = m33_skew(p->pu), force = m33_mul(o->Rm, push);
    for (int i = 0; i < e->rule->nnode; i++) {
        double d = w * e->rule->dN[k][i] / e->length;
        put(t->K, t->n, 6 * i, m, -d, force);
        put(t->K, t->n, m, 6 * i, d, m33_mul_t(push, o->Rm));
    }
    put(t->K, t->n, m, m, w, m33_mul(push, m33_skew(p->u)));
}

// The same of the rotation vectors, P: forces along them.
static void add_vectors(const flx_beam_nodes *o, int nnode, const v3 *P, tangent *t)
{
    int m = 6 * o->m + 3;
    for (int i = 0; i < nnode; i++) {
        if (i == o->m) continue;
        m33 own = inverse_slope(o, i, P[i], -1.0), back = inverse_slope(o, i, P[i], 1.0);
        int at = 6 * i + 3;
        put(t->K, t->n, at, at, 1.0, m33_mul(own, o->A[i]));
        put(t->K, t->n, at, m, -1.0, m33_mul_t(own, o->A[i]));
        put(t->K, t->n, m, at, -1.0, m33_mul(back, o->A[i]));
        put(t->K, t->n, m, m, 1.0, m33_mul_t(back, o->A[i]));
    }
}

static void linearise(const flx_beam_exact *e, const flx_frame *f, tangent *t)
{
    int nnode = e->rule->nnode;
    v3 P[FLX_BEAM_NODES];
    flx_beam_nodes o;
    bool damped = e->viscosity != 0;
    t->n = 6 * nnode;
    size_t size = (size_t)t->n * (size_t)t->n * sizeof(double);
    memset(t->K, 0, size);
    if (damped) memset(t->D, 0, size);
    memset(P, 0, sizeof P);
    flx_beam_exact_begin(e, f, &o);
    for (int k = 0; k < e->rule->npoint; k++) {
        const double *C = e->C + e->next * k;
        double w = e->rule->w[k] * e->length, L[6 * Z], M[Z * Z], X[Z * MOST];
        flx_beam_section p;
        flx_beam_exact_kinematics(e, f, &o, k, &p);
        flx_beam_exact_stress(e, k, &p);
        find_L(&p, L);
        find_Z(e, &o, &p, k, X);
        if (damped) {
            double rates[6 * Z], Y[Z * MOST];
            square(L, C, L, e->viscosity, M);
            add_square(t->n, X, M, X, w, t->D);
            find_Z_rate(e, f, &o, &p, k, Y);
            add_square(t->n, X, M, Y, w, t->K);
            memcpy(rates, L, sizeof rates);
            add_rates(&p, e->viscosity, rates);
            square(L, C, rates, 1.0, M);
        } else {
            square(L, C, L, 1.0, M);
        }
        add_H(&p, M);
        add_square(t->n, X, M, X, w, t->K);
        add_rotated(e, &o, &p, k, w, t);
        for (int i = 0; i < nnode; i++) {
            double N = e->rule->N[k][i], d = e->rule->dN[k][i] / e->length;
            P[i] = v3_axpy(w * N, p.pt, v3_axpy(w * d, p.pdt, P[i]));
        }
    }
    add_vectors(&o, nnode, P, t);
}

static void scatter(const flx_beam_exact *e, const double *K, double *A)
{
    int nnode = e->rule->nnode, n = 6 * nnode;
    for (int b = 0; b < nnode * nnode; b++) {
        const double *from = K + n * 6 * (b / nnode) + 6 * (b % nnode);
        double *to = A + e->block[b];
        for (int i = 0; i < 36; i++) to[i] += from[n * (i / 6) + i % 6];
    }
}

void flx_beam_exact_linearise(int n, const flx_beam_exact *e, const flx_frame *f, double *A0,
                              double *A1)
{
    tangent t;
    for (int i = 0; i < n; i++) {
        linearise(e + i, f, &t);
        scatter(e + i, t.K, A0);
        if (e[i].viscosity != 0) scatter(e + i, t.D, A1);
    }
}
