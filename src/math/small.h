// small.h - 3-vectors, 3x3 matrices (row-major), unit quaternions (w, x, y, z), and the rotation
// group: exponential map and its tangent. Static inline, no allocation, no branches on data but
// the series near zero.
//
//     R(q) maps body axes to ground axes.     R <- R exp(theta~)            (ROT-1)
//     w = B(theta) theta',  B = I - (1-cos p)/p^2 th~ + (p - sin p)/p^3 th~ th~   (ROT-2)
//     theta' = B^-1 w                                                        (ROT-3)
// w is the angular velocity in body axes. Theory: docs/theory/rotations.md.
#pragma once

#include <math.h>
#include <string.h>

typedef struct v3 {
    double x, y, z;
} v3;

typedef struct m33 {
    double m[9]; // row-major
} m33;

typedef struct quat {
    double w, x, y, z;
} quat;

static inline v3 v3_make(double x, double y, double z)
{
    return (v3){x, y, z};
}
static inline v3 v3_load(const double *p)
{
    return (v3){p[0], p[1], p[2]};
}
static inline void v3_store(double *p, v3 a)
{
    p[0] = a.x;
    p[1] = a.y;
    p[2] = a.z;
}
static inline v3 v3_add(v3 a, v3 b)
{
    return (v3){a.x + b.x, a.y + b.y, a.z + b.z};
}
static inline v3 v3_sub(v3 a, v3 b)
{
    return (v3){a.x - b.x, a.y - b.y, a.z - b.z};
}
static inline v3 v3_scale(double s, v3 a)
{
    return (v3){s * a.x, s * a.y, s * a.z};
}
static inline v3 v3_neg(v3 a)
{
    return (v3){-a.x, -a.y, -a.z};
}
// s a + b
static inline v3 v3_axpy(double s, v3 a, v3 b)
{
    return (v3){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}
static inline double v3_dot(v3 a, v3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline v3 v3_cross(v3 a, v3 b)
{
    return (v3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static inline double v3_norm(v3 a)
{
    return sqrt(v3_dot(a, a));
}
static inline v3 v3_unit(v3 a)
{
    return v3_scale(1.0 / v3_norm(a), a);
}
// p += s a
static inline void v3_add_to(double *p, double s, v3 a)
{
    p[0] += s * a.x;
    p[1] += s * a.y;
    p[2] += s * a.z;
}

static inline m33 m33_identity(void)
{
    return (m33){{1, 0, 0, 0, 1, 0, 0, 0, 1}};
}
static inline m33 m33_zero(void)
{
    return (m33){{0, 0, 0, 0, 0, 0, 0, 0, 0}};
}
static inline m33 m33_load(const double *p)
{
    m33 A;
    memcpy(A.m, p, sizeof A.m);
    return A;
}
static inline void m33_store(double *p, m33 A)
{
    memcpy(p, A.m, sizeof A.m);
}
static inline v3 m33_row(m33 A, int i)
{
    return v3_load(A.m + 3 * i);
}
static inline v3 m33_col(m33 A, int j)
{
    return (v3){A.m[j], A.m[3 + j], A.m[6 + j]};
}
static inline m33 m33_from_cols(v3 a, v3 b, v3 c)
{
    return (m33){{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
}
static inline v3 m33_mul_v(m33 A, v3 b)
{
    return (v3){A.m[0] * b.x + A.m[1] * b.y + A.m[2] * b.z,
                A.m[3] * b.x + A.m[4] * b.y + A.m[5] * b.z,
                A.m[6] * b.x + A.m[7] * b.y + A.m[8] * b.z};
}
// A^T b
static inline v3 m33_tmul_v(m33 A, v3 b)
{
    return (v3){A.m[0] * b.x + A.m[3] * b.y + A.m[6] * b.z,
                A.m[1] * b.x + A.m[4] * b.y + A.m[7] * b.z,
                A.m[2] * b.x + A.m[5] * b.y + A.m[8] * b.z};
}
static inline m33 m33_mul(m33 A, m33 B)
{
    m33 C;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            C.m[3 * i + j] =
                A.m[3 * i] * B.m[j] + A.m[3 * i + 1] * B.m[3 + j] + A.m[3 * i + 2] * B.m[6 + j];
        }
    }
    return C;
}
static inline m33 m33_transpose(m33 A)
{
    return (m33){{A.m[0], A.m[3], A.m[6], A.m[1], A.m[4], A.m[7], A.m[2], A.m[5], A.m[8]}};
}
// A^T B
static inline m33 m33_tmul(m33 A, m33 B)
{
    return m33_mul(m33_transpose(A), B);
}
// A B^T
static inline m33 m33_mul_t(m33 A, m33 B)
{
    return m33_mul(A, m33_transpose(B));
}
static inline m33 m33_add(m33 A, m33 B)
{
    for (int i = 0; i < 9; i++) A.m[i] += B.m[i];
    return A;
}
static inline m33 m33_sub(m33 A, m33 B)
{
    for (int i = 0; i < 9; i++) A.m[i] -= B.m[i];
    return A;
}
static inline m33 m33_scale(double s, m33 A)
{
    for (int i = 0; i < 9; i++) A.m[i] *= s;
    return A;
}
// a~ with a~ b = a x b
static inline m33 m33_skew(v3 a)
{
    return (m33){{0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0}};
}
// a b^T
static inline m33 m33_outer(v3 a, v3 b)
{
    return (m33){{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                  a.z * b.y, a.z * b.z}};
}

static inline quat quat_load(const double *p)
{
    return (quat){p[0], p[1], p[2], p[3]};
}
static inline void quat_store(double *p, quat q)
{
    p[0] = q.w;
    p[1] = q.x;
    p[2] = q.y;
    p[3] = q.z;
}
static inline quat quat_mul(quat a, quat b)
{
    return (quat){a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
                  a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                  a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                  a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
static inline quat quat_conj(quat a)
{
    return (quat){a.w, -a.x, -a.y, -a.z};
}
static inline quat quat_unit(quat a)
{
    double s = 1.0 / sqrt(a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    return (quat){s * a.w, s * a.x, s * a.y, s * a.z};
}
static inline m33 quat_to_m33(quat q)
{
    double xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    double xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    double wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return (m33){{1 - 2 * (yy + zz), 2 * (xy - wz), 2 * (xz + wy), 2 * (xy + wz), 1 - 2 * (xx + zz),
                  2 * (yz - wx), 2 * (xz - wy), 2 * (yz + wx), 1 - 2 * (xx + yy)}};
}
// Shepperd's method: the largest of the four is taken first, so no cancellation.
static inline quat quat_from_m33(m33 R)
{
    const double *m = R.m;
    double tr = m[0] + m[4] + m[8];
    quat q;
    if (tr >= m[0] && tr >= m[4] && tr >= m[8]) {
        q = (quat){1 + tr, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
    } else if (m[0] >= m[4] && m[0] >= m[8]) {
        q = (quat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
    } else if (m[4] >= m[8]) {
        q = (quat){m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]};
    } else {
        q = (quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]};
    }
    return quat_unit(q);
}
// exp of a rotation vector
static inline quat quat_exp(v3 th)
{
    double p2 = v3_dot(th, th), p = sqrt(p2);
    // sin(p/2)/p; the series is exact to rounding below 1e-2 (next term p^6/645120)
    double s = p < 1e-2 ? 0.5 - p2 / 48.0 + p2 * p2 / 3840.0 : sin(0.5 * p) / p;
    return (quat){cos(0.5 * p), s * th.x, s * th.y, s * th.z};
}
// rotation vector of a unit quaternion, |theta| <= pi
static inline v3 quat_log(quat q)
{
    if (q.w < 0) q = (quat){-q.w, -q.x, -q.y, -q.z};
    double n = sqrt(q.x * q.x + q.y * q.y + q.z * q.z);
    // 2 atan2(n, w)/n; for small n: 2/w (1 - n^2/(3 w^2) + n^4/(5 w^4))
    double r = n / q.w, s;
    if (r < 1e-3) {
        s = 2.0 / q.w * (1.0 - r * r / 3.0 + r * r * r * r / 5.0);
    } else {
        s = 2.0 * atan2(n, q.w) / n;
    }
    return (v3){s * q.x, s * q.y, s * q.z};
}

// Coefficients of (ROT-2): b1 = (1 - cos p)/p^2, b2 = (p - sin p)/p^3.
static inline void rot_tangent_coefficients(double p2, double *b1, double *b2)
{
    if (p2 < 1e-2) { // series to p^8: next term below 1e-17
        *b1 = 0.5 - p2 / 24 + p2 * p2 / 720 - p2 * p2 * p2 / 40320 + p2 * p2 * p2 * p2 / 3628800;
        *b2 = 1.0 / 6 - p2 / 120 + p2 * p2 / 5040 - p2 * p2 * p2 / 362880 +
              p2 * p2 * p2 * p2 / 39916800;
    } else {
        double p = sqrt(p2);
        *b1 = (1 - cos(p)) / p2;
        *b2 = (p - sin(p)) / (p2 * p);
    }
}
// B(theta) u
static inline v3 rot_tangent(v3 th, v3 u)
{
    double b1, b2;
    rot_tangent_coefficients(v3_dot(th, th), &b1, &b2);
    v3 tu = v3_cross(th, u), ttu = v3_cross(th, tu);
    return v3_axpy(b2, ttu, v3_axpy(-b1, tu, u));
}
// B(theta)^T u: the skew term changes sign
static inline v3 rot_tangent_t(v3 th, v3 u)
{
    double b1, b2;
    rot_tangent_coefficients(v3_dot(th, th), &b1, &b2);
    v3 tu = v3_cross(th, u), ttu = v3_cross(th, tu);
    return v3_axpy(b2, ttu, v3_axpy(b1, tu, u));
}
// (db1/dp)/p and (db2/dp)/p of these coefficients.
static inline void rot_tangent_slopes(double p2, double *d1, double *d2)
{
    if (p2 < 0.25) { // series to p^12: next term below 1e-17
        static const double c1[7] = {
            -1.0 / 12,       1.0 / 180,          -1.0 / 6720,           1.0 / 453600,
            -1.0 / 47900160, 1.0 / 7264857600.0, -1.0 / 1494484992000.0};
        static const double c2[7] = {
            -1.0 / 60,        1.0 / 1260,           -1.0 / 60480,           1.0 / 4989600,
            -1.0 / 622702080, 1.0 / 108972864000.0, -1.0 / 25406244864000.0};
        *d1 = c1[6];
        *d2 = c2[6];
        for (int k = 5; k >= 0; k--) {
            *d1 = *d1 * p2 + c1[k];
            *d2 = *d2 * p2 + c2[k];
        }
    } else {
        double p = sqrt(p2), c = cos(p), s = sin(p);
        *d1 = (p * s - 2.0 * (1.0 - c)) / (p2 * p2);
        *d2 = (p * (1.0 - c) - 3.0 * (p - s)) / (p2 * p2 * p);
    }
}
// (d(B(theta) r)/dtheta)^T u
static inline v3 rot_tangent_slope_t(v3 th, v3 r, v3 u)
{
    double p2 = v3_dot(th, th), b1, b2, d1, d2, ur = v3_dot(u, r), ut = v3_dot(u, th);
    rot_tangent_coefficients(p2, &b1, &b2);
    rot_tangent_slopes(p2, &d1, &d2);
    double tr = v3_dot(th, r);
    v3 ru = v3_cross(r, u); // u.(th x r) = th.(r x u)
    v3 out = v3_scale(-d1 * v3_dot(th, ru) + d2 * (ut * tr - p2 * ur) - 2.0 * b2 * ur, th);
    out = v3_axpy(-b1, ru, out);
    return v3_axpy(b2 * tr, u, v3_axpy(b2 * ut, r, out));
}
// 1/p^2 - (1 + cos p)/(2 p sin p)
static inline double rot_tangent_inverse_coefficient(double p2)
{
    if (p2 < 1e-2) {
        return 1.0 / 12 + p2 / 720 + p2 * p2 / 30240 + p2 * p2 * p2 / 1209600 +
               p2 * p2 * p2 * p2 / 47900160;
    }
    double p = sqrt(p2);
    return 1.0 / p2 - (1.0 + cos(p)) / (2.0 * p * sin(p));
}
// B(theta)^-1 u
static inline v3 rot_tangent_inverse(v3 th, v3 u)
{
    double c = rot_tangent_inverse_coefficient(v3_dot(th, th));
    v3 tu = v3_cross(th, u), ttu = v3_cross(th, tu);
    return v3_axpy(c, ttu, v3_axpy(0.5, tu, u));
}
// B(theta)^-T u
static inline v3 rot_tangent_inverse_t(v3 th, v3 u)
{
    double c = rot_tangent_inverse_coefficient(v3_dot(th, th));
    v3 tu = v3_cross(th, u), ttu = v3_cross(th, tu);
    return v3_axpy(c, ttu, v3_axpy(-0.5, tu, u));
}
