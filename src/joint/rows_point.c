// rows_point.c - coincidence of a point of one body with a point of another, in space (3 rows).
//
//     g = p_B - p_A,     p = r + R s                                           (ROW-1)
//     dp = dr + R (theta x s),   so  G_B = [I, -R s~],  G_A = -[I, -R s~]
//     G_B^T l = (l, s x R^T l)
//     K: d(s x R^T l) = s~ (R^T l)~ theta, on the diagonal block of each body alone (ROW-3)
//     bias = R (w x (w x s))
// Rows are in ground axes: G is constant in the translations and there is no K between bodies.
#include "joint/rows.h"

void flx_row_point_residual(int n, const flx_row_point *rows, const flx_frame *f, const double *lam,
                            double *g, double *force)
{
    for (int k = 0; k < n; k++) {
        const flx_row_point *r = rows + k;
        const flx_frame *A = f + r->e.frame[0], *B = f + r->e.frame[1];
        v3 sA = v3_load(r->s[0]), sB = v3_load(r->s[1]), l = v3_load(lam + r->p.row);
        v3 pA = v3_add(v3_load(A->r), m33_mul_v(m33_load(A->R), sA));
        v3 pB = v3_add(v3_load(B->r), m33_mul_v(m33_load(B->R), sB));
        v3_store(g + r->p.row, v3_sub(pB, pA));
        if (r->e.nv[0]) v3_add_to(force + r->e.v[0], -1.0, l);
        if (r->e.nv[1]) v3_add_to(force + r->e.v[1], 1.0, l);
        if (r->e.nv[0] == 6) {
            v3_add_to(force + r->e.v[0] + 3, -1.0, v3_cross(sA, m33_tmul_v(m33_load(A->R), l)));
        }
        if (r->e.nv[1] == 6) {
            v3_add_to(force + r->e.v[1] + 3, 1.0, v3_cross(sB, m33_tmul_v(m33_load(B->R), l)));
        }
    }
}

static v3 point_velocity(const flx_frame *f, v3 s)
{
    return v3_add(v3_load(f->v), m33_mul_v(m33_load(f->R), v3_cross(v3_load(f->w), s)));
}

void flx_row_point_rate(int n, const flx_row_point *r, const flx_frame *f, double *gd)
{
    for (int k = 0; k < n; k++) {
        v3 A = point_velocity(f + r[k].e.frame[0], v3_load(r[k].s[0]));
        v3 B = point_velocity(f + r[k].e.frame[1], v3_load(r[k].s[1]));
        v3_store(gd + r[k].p.row, v3_sub(B, A));
    }
}

static v3 centripetal(const flx_frame *f, v3 s)
{
    v3 w = v3_load(f->w);
    return m33_mul_v(m33_load(f->R), v3_cross(w, v3_cross(w, s)));
}

void flx_row_point_bias(int n, const flx_row_point *r, const flx_frame *f, double *bias)
{
    for (int k = 0; k < n; k++) {
        v3 A = centripetal(f + r[k].e.frame[0], v3_load(r[k].s[0]));
        v3 B = centripetal(f + r[k].e.frame[1], v3_load(r[k].s[1]));
        v3_store(bias + r[k].p.row, v3_sub(B, A));
    }
}

// One body's side of G and G^T: written, zeros as well, for no other row writes there.
static inline void fill_side(const flx_row_point *r, int side, double sign, const flx_frame *f,
                             double *A)
{
    int nv = r->e.nv[side], width = r->p.width;
    double *G = A + r->p.g[side], *T = A + r->p.gt[side];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            G[nv * i + j] = i == j ? sign : 0.0;
            T[width * j + i] = i == j ? sign : 0.0;
        }
    }
    if (nv != 6) return;
    m33 X = m33_scale(-sign, m33_mul(m33_load(f->R), m33_skew(v3_load(r->s[side]))));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            G[6 * i + 3 + j] = X.m[3 * i + j];
            T[width * (3 + j) + i] = X.m[3 * i + j];
        }
    }
}

void flx_row_point_jacobian(int n, const flx_row_point *r, const flx_frame *f, double *A)
{
    for (int k = 0; k < n; k++) {
        if (r[k].e.nv[0]) fill_side(r + k, 0, -1.0, f + r[k].e.frame[0], A);
        if (r[k].e.nv[1]) fill_side(r + k, 1, 1.0, f + r[k].e.frame[1], A);
    }
}

void flx_row_point_stiffness(int n, const flx_row_point *rows, const flx_frame *f,
                             const double *lam, double *A)
{
    for (int k = 0; k < n; k++) {
        const flx_row_point *r = rows + k;
        v3 l = v3_load(lam + r->p.row);
        for (int side = 0; side < 2; side++) {
            if (r->e.nv[side] != 6) continue;
            v3 s = v3_load(r->s[side]);
            v3 u = m33_tmul_v(m33_load(f[r->e.frame[side]].R), side ? l : v3_neg(l));
            // (ROW-3) s~ u~ = u s^T - (s.u) I
            m33 K = m33_outer(u, s);
            double d = v3_dot(s, u), *out = A + r->e.block[side][side] + 21;
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) out[6 * i + j] += K.m[3 * i + j];
                out[7 * i] -= d;
            }
        }
    }
}
