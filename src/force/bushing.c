// bushing.c - the rotational part of a bushing in space.
//
//     exp(th~) = (R_A F_A)^T R_B F_B                                           (BUS-1)
//     th' = B^-1(th) F_B^T w_B - B^-T(th) F_A^T w_A = G_B w_B + G_A w_A        (BUS-2)
//     m = k th + c th',   moments on the bodies -G_B^T m, -G_A^T m             (BUS-3)
// so the moment has the potential th^T k th / 2. With D(u) = d(B^-1(th) u)/dth and D'(u) for B^-T,
//     D(u) = -u~/2 + b [(th.u) I + th u^T - 2 u th^T] + 2 b' (th x (th x u)) th^T   (BUS-4)
// b the coefficient of th~ th~ in B^-1, b' its derivative by |th|^2; D' has +u~/2.
#include "force/force.h"

// db/d(p^2) of b = 1/p^2 - cot(p/2)/(2 p)
static double coefficient_slope(double p2)
{
    if (p2 < 1e-2) { // series of b to p^8, differentiated
        return 1.0 / 720 + 2 * p2 / 30240 + 3 * p2 * p2 / 1209600 + 4 * p2 * p2 * p2 / 47900160;
    }
    double p = sqrt(p2), s = sin(0.5 * p), c = cos(0.5 * p);
    double db = -2.0 / (p2 * p) + c / (2.0 * p2 * s) + 1.0 / (4.0 * p * s * s);
    return db / (2.0 * p);
}

// (BUS-4); sign 1 for B^-1, -1 for B^-T
static m33 tangent_slope(v3 th, v3 u, double sign)
{
    double p2 = v3_dot(th, th), b = rot_tangent_inverse_coefficient(p2);
    m33 D = m33_scale(-0.5 * sign, m33_skew(u));
    m33 E = m33_sub(m33_outer(th, u), m33_scale(2.0, m33_outer(u, th)));
    double d = v3_dot(th, u);
    for (int i = 0; i < 3; i++) E.m[4 * i] += d;
    v3 ttu = v3_cross(th, v3_cross(th, u));
    D = m33_add(D, m33_scale(b, E));
    return m33_add(D, m33_scale(2.0 * coefficient_slope(p2), m33_outer(ttu, th)));
}

// B^-1(th) as a matrix
static m33 inverse_tangent(v3 th)
{
    m33 A;
    for (int j = 0; j < 3; j++) {
        v3 e = {j == 0, j == 1, j == 2};
        v3 c = rot_tangent_inverse(th, e);
        A.m[j] = c.x, A.m[3 + j] = c.y, A.m[6 + j] = c.z;
    }
    return A;
}

typedef struct twist {
    v3 th, rate, m;
    v3 y[2];  // angular velocities in the frames
    m33 G[2]; // by rotations about the axes of each body
} twist;

static void eval(const flx_twist *p, const flx_frame *f, twist *t)
{
    const flx_frame *A = f + p->e.frame[0], *B = f + p->e.frame[1];
    m33 FA = m33_load(p->F[0]), FB = m33_load(p->F[1]);
    m33 RA = m33_mul(m33_load(A->R), FA), RB = m33_mul(m33_load(B->R), FB);
    t->th = quat_log(quat_from_m33(m33_tmul(RA, RB)));
    m33 B1 = inverse_tangent(t->th);
    t->G[1] = m33_mul_t(B1, FB);
    t->G[0] = m33_scale(-1.0, m33_tmul(B1, m33_transpose(FA)));
    t->y[0] = m33_tmul_v(FA, v3_load(A->w));
    t->y[1] = m33_tmul_v(FB, v3_load(B->w));
    t->rate = v3_add(m33_mul_v(t->G[0], v3_load(A->w)), m33_mul_v(t->G[1], v3_load(B->w)));
    t->m = v3_make(p->k[0] * t->th.x + p->c[0] * t->rate.x, p->k[1] * t->th.y + p->c[1] * t->rate.y,
                   p->k[2] * t->th.z + p->c[2] * t->rate.z);
}

void flx_twist_residual(int n, const flx_twist *p, const flx_frame *f, double *r)
{
    for (int k = 0; k < n; k++) {
        twist t;
        eval(p + k, f, &t);
        for (int i = 0; i < 2; i++) {
            if (p[k].e.nv[i] == 6) v3_add_to(r + p[k].e.v[i] + 3, 1.0, m33_tmul_v(t.G[i], t.m));
        }
    }
}

static m33 scale_rows(const double d[3], m33 A)
{
    for (int i = 0; i < 9; i++) A.m[i] *= d[i / 3];
    return A;
}

static void add_rotation(double *block, m33 A)
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) block[6 * (3 + i) + 3 + j] += A.m[3 * i + j];
    }
}

void flx_twist_linearise(int n, const flx_twist *twists, const flx_frame *f, double *A0, double *A1)
{
    for (int k = 0; k < n; k++) {
        const flx_twist *p = twists + k;
        twist t;
        eval(p, f, &t);
        // along th: of the rate, and of G^T m
        m33 rate = m33_sub(tangent_slope(t.th, t.y[1], 1.0), tangent_slope(t.th, t.y[0], -1.0));
        m33 turn[2] = {m33_scale(-1.0, m33_mul(m33_load(p->F[0]), tangent_slope(t.th, t.m, 1.0))),
                       m33_mul(m33_load(p->F[1]), tangent_slope(t.th, t.m, -1.0))};
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                if (p->e.nv[i] != 6 || p->e.nv[j] != 6) continue;
                m33 dm = m33_add(scale_rows(p->k, t.G[j]), scale_rows(p->c, m33_mul(rate, t.G[j])));
                m33 K = m33_add(m33_tmul(t.G[i], dm), m33_mul(turn[i], t.G[j]));
                add_rotation(A0 + p->e.block[i][j], K);
                add_rotation(A1 + p->e.block[i][j], m33_tmul(t.G[i], scale_rows(p->c, t.G[j])));
            }
        }
    }
}

void flx_twist_energy(int n, const flx_twist *p, const flx_frame *f, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        twist t;
        eval(p + k, f, &t);
        const double th[3] = {t.th.x, t.th.y, t.th.z}, rate[3] = {t.rate.x, t.rate.y, t.rate.z};
        for (int i = 0; i < 3; i++) {
            e->strain += 0.5 * p[k].k[i] * th[i] * th[i];
            e->dissipated_power += p[k].c[i] * rate[i] * rate[i];
        }
    }
}
