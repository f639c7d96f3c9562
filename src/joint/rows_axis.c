// rows_axis.c - an axis of the second body stays parallel to one of the first (2 rows).
//
//     g_i = a_i . b,   a_i in the first, b in the second; b_A = R_A^T R_B b    (ROW-2)
//     dg_i = theta_A . (a_i x b_A) + theta_B . (b x a_iB),   a_iB = R_B^T R_A a_i
// With the multipliers gathered in c = l_1 a_1 + l_2 a_2 (first's axes), c_B in the second's:
//     G^T l: c x b_A on A,  b x c_B on B
//     K_AA = c~ b_A~, K_AB = -c~ R_A^T R_B b~, K_BA = K_AB^T, K_BB = b~ c_B~   (ROW-4)
//     bias_i = a_i . b'' + 2 a_i' . b' + a_i'' . b
#include "joint/rows.h"

void flx_row_axis_residual(int n, const flx_row_axis *rows, const flx_frame *f, const double *lam,
                           double *g, double *force)
{
    for (int k = 0; k < n; k++) {
        const flx_row_axis *r = rows + k;
        const flx_frame *A = f + r->e.frame[0], *B = f + r->e.frame[1];
        m33 RA = m33_load(A->R), RB = m33_load(B->R);
        v3 a1 = v3_load(r->a[0]), a2 = v3_load(r->a[1]), b = v3_load(r->b);
        v3 bA = m33_tmul_v(RA, m33_mul_v(RB, b));
        const double *l = lam + r->p.row;
        g[r->p.row] = v3_dot(a1, bA);
        g[r->p.row + 1] = v3_dot(a2, bA);
        v3 c = v3_axpy(l[0], a1, v3_scale(l[1], a2));
        if (r->e.nv[0] == 6) v3_add_to(force + r->e.v[0] + 3, 1.0, v3_cross(c, bA));
        if (r->e.nv[1] == 6) {
            v3 cB = m33_tmul_v(RB, m33_mul_v(RA, c));
            v3_add_to(force + r->e.v[1] + 3, 1.0, v3_cross(b, cB));
        }
    }
}

void flx_row_axis_rate(int n, const flx_row_axis *rows, const flx_frame *f, double *gd)
{
    for (int k = 0; k < n; k++) {
        const flx_row_axis *r = rows + k;
        const flx_frame *A = f + r->e.frame[0], *B = f + r->e.frame[1];
        v3 b = v3_load(r->b), wB = v3_load(B->w);
        v3 bA = m33_tmul_v(m33_load(A->R), m33_mul_v(m33_load(B->R), b));
        v3 dbA = m33_tmul_v(m33_load(A->R), m33_mul_v(m33_load(B->R), v3_cross(wB, b)));
        v3 d = v3_sub(dbA, v3_cross(v3_load(A->w), bA));
        for (int i = 0; i < 2; i++) gd[r->p.row + i] = v3_dot(v3_load(r->a[i]), d);
    }
}

void flx_row_axis_bias(int n, const flx_row_axis *rows, const flx_frame *f, double *bias)
{
    for (int k = 0; k < n; k++) {
        const flx_row_axis *r = rows + k;
        const flx_frame *A = f + r->e.frame[0], *B = f + r->e.frame[1];
        m33 RA = m33_load(A->R), RB = m33_load(B->R);
        v3 wA = v3_load(A->w), wB = v3_load(B->w), b = v3_load(r->b);
        v3 db = v3_cross(wB, b), ddb = v3_cross(wB, db);
        b = m33_tmul_v(RA, m33_mul_v(RB, b)); // all in the first's axes
        db = m33_tmul_v(RA, m33_mul_v(RB, db));
        ddb = m33_tmul_v(RA, m33_mul_v(RB, ddb));
        for (int i = 0; i < 2; i++) {
            v3 a = v3_load(r->a[i]), da = v3_cross(wA, a), dda = v3_cross(wA, da);
            bias[r->p.row + i] = v3_dot(a, ddb) + 2.0 * v3_dot(da, db) + v3_dot(dda, b);
        }
    }
}

void flx_row_axis_jacobian(int n, const flx_row_axis *rows, const flx_frame *f, double *out)
{
    for (int k = 0; k < n; k++) {
        const flx_row_axis *r = rows + k;
        m33 RA = m33_load(f[r->e.frame[0]].R), RB = m33_load(f[r->e.frame[1]].R);
        v3 b = v3_load(r->b), bA = m33_tmul_v(RA, m33_mul_v(RB, b));
        for (int i = 0; i < 2; i++) {
            v3 a = v3_load(r->a[i]);
            double row[2][3];
            v3_store(row[0], v3_cross(a, bA));
            v3_store(row[1], v3_cross(b, m33_tmul_v(RB, m33_mul_v(RA, a))));
            for (int side = 0; side < 2; side++) {
                if (r->e.nv[side] != 6) continue;
                double *G = out + r->p.g[side] + 6 * i, *T = out + r->p.gt[side] + i;
                int width = r->p.width;
                for (int j = 0; j < 3; j++) { // zeros as well: no other row writes there
                    G[j] = 0.0;
                    G[3 + j] = row[side][j];
                    T[width * j] = 0.0;
                    T[width * (3 + j)] = row[side][j];
                }
            }
        }
    }
}

// out (rotation part of a 6 x 6 block) += a~ b~ = b a^T - (a.b) I
static inline void add_double_skew(double *out, v3 a, v3 b)
{
    m33 K = m33_outer(b, a);
    double d = v3_dot(a, b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out[6 * i + j] += K.m[3 * i + j];
        out[7 * i] -= d;
    }
}

void flx_row_axis_stiffness(int n, const flx_row_axis *rows, const flx_frame *f, const double *lam,
                            double *out)
{
    for (int k = 0; k < n; k++) {
        const flx_row_axis *r = rows + k;
        m33 RA = m33_load(f[r->e.frame[0]].R), RB = m33_load(f[r->e.frame[1]].R);
        const double *l = lam + r->p.row;
        v3 b = v3_load(r->b), c = v3_axpy(l[0], v3_load(r->a[0]), v3_scale(l[1], v3_load(r->a[1])));
        bool has_A = r->e.nv[0] == 6, has_B = r->e.nv[1] == 6;
        if (has_A) {
            v3 bA = m33_tmul_v(RA, m33_mul_v(RB, b));
            add_double_skew(out + r->e.block[0][0] + 21, c, bA);
        }
        if (has_B) {
            v3 cB = m33_tmul_v(RB, m33_mul_v(RA, c));
            add_double_skew(out + r->e.block[1][1] + 21, b, cB);
        }
        if (!has_A || !has_B) continue;
        // -c~ R_A^T R_B b~ = (R_A c~)^T (R_B b~): columns R_A (c x e_i), R_B (b x e_j)
        m33 K = m33_tmul(m33_mul(RA, m33_skew(c)), m33_mul(RB, m33_skew(b)));
        double *AB = out + r->e.block[0][1] + 21, *BA = out + r->e.block[1][0] + 21;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) {
                AB[6 * i + j] += K.m[3 * i + j];
                BA[6 * j + i] += K.m[3 * i + j];
            }
        }
    }
}
