// modal_one_sided.c - geometric stiffening of one side. Rows of the elastic coordinates have, besides those of
// a body without stiffening,
//
//     r_k += (S2_kl.b + N1_kl.w' - w.J2_kl w/2) q_l                                              (ONE-1)
//     J_push = J + (0, 0, R (push_kl q_l); 0, 0, B (twist_kl q_l)),   r += J_push^T r_f           (ONE-3)
// with b = R^T (r'' - g); the rows of the frame and the motion of the nodes have nothing of it. The mass matrix is
// not symmetric then, and the energy is not kept.
#include "body/modal_one_sided.h"

static const int space[6] = {0, 1, 2, 3, 4, 5}, plane[6] = {0, 1, 5}; // three count

static v3 unit(int i)
{
    return v3_make(i == 0, i == 1, i == 2);
}

static m33 full(const double s[6])
{
    return (m33){{s[0], s[3], s[5], s[3], s[1], s[4], s[5], s[4], s[2]}};
}

// Of coordinate k, times q: S2_kl q_l, N1_kl q_l, J2_kl q_l w.
typedef struct slopes {
    v3 S, N, Jw;
} slopes;

static v3 along(const double *T, int n, int k, const double *q)
{
    v3 sum = {0, 0, 0};
    for (int l = 0; T && l < n; l++) sum = v3_axpy(q[l], v3_load(T + 3 * (k * n + l)), sum);
    return sum;
}

static slopes look(const flx_grain_view *x, int k)
{
    const flx_one_sided *o = x->e->one_sided;
    int n = x->e->n;
    double J[6] = {0};
    for (int l = 0; l < n; l++) {
        for (int i = 0; i < 6; i++) J[i] += x->q[l] * o->J2[6 * (k * n + l) + i];
    }
    return (slopes){along(o->S2, n, k, x->q), along(o->N1, n, k, x->q), m33_mul_v(full(J), x->w)};
}

void flx_one_sided_residual(const flx_grain_view *x, const flx_grain_rates *a, double *own)
{
    v3 b = m33_tmul_v(x->R, a->a);
    for (int k = 0; k < x->e->n; k++) {
        slopes s = look(x, k);
        own[k] += v3_dot(s.S, b) + v3_dot(s.N, a->alpha) - 0.5 * v3_dot(x->w, s.Jw);
    }
}

void flx_one_sided_linearise(const flx_grain_view *x, const flx_grain_rates *a, const int at[2][2],
                             double *A0, double *A1, double *A2)
{
    const flx_one_sided *o = x->e->one_sided;
    int n = x->e->n, nf = x->nf;
    const int *axis = nf == 6 ? space : plane;
    v3 b = A0 ? m33_tmul_v(x->R, a->a) : v3_make(0, 0, 0);
    for (int k = 0; k < n; k++) {
        slopes s = look(x, k);
        v3 S = m33_mul_v(x->R, s.S), turned = v3_cross(s.S, b);
        int row = at[1][0] + k * nf;
        for (int d = 0; d < nf; d++) {
            v3 e = unit(axis[d] % 3);
            bool turns = axis[d] >= 3;
            A2[row + d] += v3_dot(e, turns ? s.N : S);
            if (!turns) continue;
            if (A1) A1[row + d] -= v3_dot(e, s.Jw);
            if (A0) A0[row + d] += v3_dot(e, turned); // S.(b x theta)
        }
        for (int l = 0; A0 && l < n; l++) {
            int kl = k * n + l;
            v3 Jw = m33_mul_v(full(o->J2 + 6 * kl), x->w);
            A0[at[1][1] + kl] += v3_dot(v3_load(o->S2 + 3 * kl), b) +
                                 v3_dot(v3_load(o->N1 + 3 * kl), a->alpha) - 0.5 * v3_dot(x->w, Jw);
        }
    }
}

// ---- nodes --------------------------------------------------------------------------------------

// Component d of what a column of J has: a force in ground axes, a moment in the node's.
static double component(const flx_pushed_node *x, int d, v3 push, v3 twist)
{
    int i = (x->nf == 6 ? space : plane)[d];
    v3 a = i < 3 ? m33_mul_v(x->R, push) : m33_tmul_v(x->own, m33_mul_v(x->R, twist));
    return v3_dot(unit(i % 3), a);
}

void flx_pushed_node_add(const flx_pushed_node *x, double *J)
{
    int width = x->nf + x->n;
    for (int k = 0; k < x->n; k++) {
        v3 push = along(x->node->push, x->n, k, x->q), twist = along(x->node->twist, x->n, k, x->q);
        for (int d = 0; d < x->nf; d++) J[d * width + x->nf + k] += component(x, d, push, twist);
    }
}

// The moments of a wrench, or of a column of J, in space; in the plane they keep their axis.
static v3 moment_of(const flx_pushed_node *x, const double *column, int step)
{
    if (x->nf == 3) return v3_make(0, 0, column[2 * step]);
    return v3_make(column[3 * step], column[4 * step], column[5 * step]);
}

void flx_pushed_node_tangent(const flx_pushed_node *x, const double *J, const double *wrench,
                             double *K)
{
    int n = x->n, nf = x->nf, width = nf + n;
    v3 force = v3_make(wrench[0], wrench[1], nf == 6 ? wrench[2] : 0.0);
    v3 F = m33_tmul_v(x->R, force), m = moment_of(x, wrench, 1);
    m33 B = m33_mul(m33_transpose(x->own), x->R); // to the node's axes
    v3 M = m33_tmul_v(B, m);
    for (int k = 0; k < n; k++) {
        v3 push = along(x->node->push, n, k, x->q), twist = along(x->node->twist, n, k, x->q);
        v3 turned = v3_cross(push, F), own = m33_mul_v(B, twist);
        double *row = K + (nf + k) * width;
        for (int d = 0; d < nf; d++) { // dF = F x theta
            int i = (nf == 6 ? space : plane)[d];
            if (i >= 3) row[d] += v3_dot(unit(i - 3), turned);
        }
        for (int l = 0; l < n; l++) {
            const double *p = x->node->push, *t = x->node->twist;
            int kl = 3 * (k * n + l);
            v3 turn = moment_of(x, J + nf + l, width); // dM = x_l x M
            row[nf + l] += (p ? v3_dot(v3_load(p + kl), F) : 0.0) +
                           (t ? v3_dot(v3_load(t + kl), M) : 0.0) + v3_dot(own, v3_cross(turn, m));
        }
    }
}
