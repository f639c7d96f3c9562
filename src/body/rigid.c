// rigid.c - rigid body in space: q = (r, quaternion), v = (r', angular velocity in body axes).
//
//     m r'' = m g,    J w' + w x J w = 0                                       (RIG-1)
//     d(w x J w)/dw = w~ J - (J w)~                                            (RIG-2)
// Nothing depends on the rotation, since w is in body axes: K = 0.
// Theory: docs/theory/bodies.md.
#include "body/body.h"

void flx_rigid_frames(int n, const flx_body_record *b, const double *q, const double *v,
                      flx_frames f)
{
    for (int k = 0; k < n; k++) {
        flx_frame *o = f.space + b[k].frame;
        const double *qb = q + b[k].q, *vb = v + b[k].v;
        m33_store(o->R, quat_to_m33(quat_load(qb + 3)));
        memcpy(o->r, qb, sizeof o->r);
        memcpy(o->v, vb, sizeof o->v);
        memcpy(o->w, vb + 3, sizeof o->w);
    }
}

void flx_rigid_residual(int n, const flx_body_record *b, const double g[3], const double *v,
                        const double *a, double *r)
{
    for (int k = 0; k < n; k++) {
        const double *ab = a + b[k].v;
        double *rb = r + b[k].v, m = b[k].m;
        m33 J = m33_load(b[k].J);
        v3 w = v3_load(v + b[k].v + 3);
        for (int i = 0; i < 3; i++) rb[i] = m * (ab[i] - g[i]);
        v3_store(rb + 3,
                 v3_add(m33_mul_v(J, v3_load(ab + 3)), v3_cross(w, m33_mul_v(J, w)))); // (RIG-1)
    }
}

void flx_rigid_linearise(int n, const flx_body_record *b, const double *v, double *A1, double *A2)
{
    for (int k = 0; k < n; k++) {
        double *M = A2 + b[k].diag;
        for (int i = 0; i < 3; i++) {
            M[7 * i] += b[k].m;
            for (int j = 0; j < 3; j++) M[6 * (i + 3) + j + 3] += b[k].J[3 * i + j];
        }
        if (!A1) continue;
        m33 J = m33_load(b[k].J);
        v3 w = v3_load(v + b[k].v + 3);
        m33 D = m33_sub(m33_mul(m33_skew(w), J), m33_skew(m33_mul_v(J, w))); // (RIG-2)
        double *A = A1 + b[k].diag;
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++) A[6 * (i + 3) + j + 3] += D.m[3 * i + j];
        }
    }
}

void flx_rigid_energy(int n, const flx_body_record *b, const double g[3], flx_frames f,
                      flx_energies *e)
{
    for (int k = 0; k < n; k++) {
        const flx_frame *o = f.space + b[k].frame;
        v3 r = v3_load(o->r), p = v3_scale(b[k].m, v3_load(o->v)), w = v3_load(o->w);
        v3 Jw = m33_mul_v(m33_load(b[k].J), w);
        e->kinetic += 0.5 * (v3_dot(p, v3_load(o->v)) + v3_dot(w, Jw));
        e->potential -= b[k].m * v3_dot(v3_load(g), r);
        v3_add_to(e->linear, 1.0, p);
        v3_add_to(e->angular, 1.0, v3_add(v3_cross(r, p), m33_mul_v(m33_load(o->R), Jw)));
    }
}

void flx_rigid_retract(int n, const flx_body_record *b, const double *q, const double *theta,
                       double *out)
{
    for (int k = 0; k < n; k++) {
        const double *qb = q + b[k].q, *th = theta + b[k].v;
        double *o = out + b[k].q;
        for (int i = 0; i < 3; i++) o[i] = qb[i] + th[i];
        // normalised each time: rounding does not pile up over a long run
        quat_store(o + 3, quat_unit(quat_mul(quat_load(qb + 3), quat_exp(v3_load(th + 3)))));
    }
}

void flx_rigid_difference(int n, const flx_body_record *b, const double *q0, const double *q1,
                          double *theta)
{
    for (int k = 0; k < n; k++) {
        const double *p = q0 + b[k].q, *q = q1 + b[k].q;
        double *th = theta + b[k].v;
        for (int i = 0; i < 3; i++) th[i] = q[i] - p[i];
        v3_store(th + 3, quat_log(quat_mul(quat_conj(quat_load(p + 3)), quat_load(q + 3))));
    }
}
