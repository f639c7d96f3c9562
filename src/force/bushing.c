// bushing.c - the rotational part of a bushing in space.
//
//     m = k th + c th',   moments on the bodies -G_B^T m, -G_A^T m             (BUS-3)
// with the rotation vector th and its rate th' = G_B w_B + G_A w_A of (BUS-1), (BUS-2): the moment
// has the potential th^T k th / 2.
#include "force/force.h"

typedef struct twist {
    flx_rotation_vector r;
    v3 rate, m;
    v3 y[2]; // angular velocities in the frames
} twist;

static void eval(const flx_twist *p, const flx_frame *f, twist *t)
{
    const flx_frame *A = f + p->e.frame[0], *B = f + p->e.frame[1];
    m33 FA = m33_load(p->F[0]), FB = m33_load(p->F[1]);
    flx_rotation_vector_eval(A, B, FA, FB, &t->r);
    t->y[0] = m33_tmul_v(FA, v3_load(A->w));
    t->y[1] = m33_tmul_v(FB, v3_load(B->w));
    t->rate = v3_add(m33_mul_v(t->r.G[0], v3_load(A->w)), m33_mul_v(t->r.G[1], v3_load(B->w)));
    t->m = v3_make(p->k[0] * t->r.th.x + p->c[0] * t->rate.x,
                   p->k[1] * t->r.th.y + p->c[1] * t->rate.y,
                   p->k[2] * t->r.th.z + p->c[2] * t->rate.z);
}

void flx_twist_residual(int n, const flx_twist *p, const flx_frame *f, double *r)
{
    for (int k = 0; k < n; k++) {
        twist t;
        eval(p + k, f, &t);
        for (int i = 0; i < 2; i++) {
            if (p[k].e.nv[i] == 6) v3_add_to(r + p[k].e.v[i] + 3, 1.0, m33_tmul_v(t.r.G[i], t.m));
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
        m33 rate = m33_sub(flx_rotation_vector_slope(t.r.th, t.y[1], 1.0),
                           flx_rotation_vector_slope(t.r.th, t.y[0], -1.0));
        m33 turn[2] = {m33_scale(-1.0, m33_mul(m33_load(p->F[0]),
                                               flx_rotation_vector_slope(t.r.th, t.m, 1.0))),
                       m33_mul(m33_load(p->F[1]), flx_rotation_vector_slope(t.r.th, t.m, -1.0))};
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                if (p->e.nv[i] != 6 || p->e.nv[j] != 6) continue;
                m33 dm =
                    m33_add(scale_rows(p->k, t.r.G[j]), scale_rows(p->c, m33_mul(rate, t.r.G[j])));
                m33 K = m33_add(m33_tmul(t.r.G[i], dm), m33_mul(turn[i], t.r.G[j]));
                add_rotation(A0 + p->e.block[i][j], K);
                add_rotation(A1 + p->e.block[i][j], m33_tmul(t.r.G[i], scale_rows(p->c, t.r.G[j])));
            }
        }
    }
}

void flx_twist_energy(int n, const flx_twist *p, const flx_frame *f, flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        twist t;
        eval(p + k, f, &t);
        const double th[3] = {t.r.th.x, t.r.th.y, t.r.th.z},
                     rate[3] = {t.rate.x, t.rate.y, t.rate.z};
        for (int i = 0; i < 3; i++) {
            e->strain += 0.5 * p[k].k[i] * th[i] * th[i];
            e->dissipated_power += p[k].c[i] * rate[i] * rate[i];
        }
    }
}
