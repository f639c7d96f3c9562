// spatial.h - inertias of rigid and articulated bodies in space, their change of frame, and small
// symmetric matrices. Static inline, no allocation.
//
//     (n, f) = [A B; B^T M] (alpha, a)                                        (SPA-1)
// moment about the frame's origin and force from angular acceleration and acceleration of the
// origin. A frame that is turned about one of its own axes changes only what is across that axis.
#pragma once

#include "math/small.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef struct sym3 {
    double xx, xy, xz, yy, yz, zz;
} sym3;

typedef struct spatial { // (SPA-1)
    sym3 A;
    m33 B;
    sym3 M;
} spatial;

typedef struct wrench {
    v3 n, f; // moment, force
} wrench;

// A turn in the plane of two axes, with what symmetric matrices need of it.
typedef struct turn {
    double c, s, ss, cs; // cosine, sine, s*s, c*s
} turn;

static inline turn turn_make(double c, double s)
{
    return (turn){c, s, s * s, c * s};
}

// Sine and cosine together, to 1.5e-16, in half the work of the library's: the angle less a multiple of
// pi/2, which is kept in parts of 33 bits so that their products are exact, then
//     sin r = r + r z P(z),   cos r = 1 - z/2 + z^2 Q(z),   z = r^2                  (SPA-3)
// with polynomials of least relative error on |r| <= pi/4 (6e-18, 2e-19).
#define TURN_MOST 1e5 // beyond, the library
#define TURN_SHIFT                                                                                 \
    6755399441055744.0 // 1.5 2^52: added, leaves the nearest integer in the last bits
static inline turn turn_of(double angle)
{
    if (!(fabs(angle) < TURN_MOST)) return turn_make(cos(angle), sin(angle));
    double shifted = angle * 0x1.45f306dc9c883p-1 + TURN_SHIFT, k = shifted - TURN_SHIFT;
    uint64_t quadrant;
    memcpy(&quadrant, &shifted, sizeof quadrant);
    double r = angle - k * 0x1.921fb544p+0 - (k * 0x1.0b4611a6p-34 + k * 0x1.3198a2e037073p-69);
    double z = r * r;
    double P = 0x1.5d868849e09d8p-33 * z - 0x1.ae5e49435eedbp-26;
    double Q = -0x1.8ff8f0d755985p-37 * z + 0x1.1eea87d205decp-29;
    P = P * z + 0x1.71de356bb30b3p-19;
    Q = Q * z - 0x1.27e4f9022a5acp-22;
    P = P * z - 0x1.a01a019c2cbabp-13;
    Q = Q * z + 0x1.a01a019e22eecp-16;
    P = P * z + 0x1.111111110fb34p-7;
    Q = Q * z - 0x1.6c16c16c16126p-10;
    P = P * z - 0x1.555555555554cp-3;
    Q = Q * z + 0x1.5555555555553p-5;
    double s = r + r * (z * P), c = 1.0 - (0.5 * z - z * z * Q);
    bool odd = quadrant & 1;
    double sine = odd ? c : s, cosine = odd ? s : c;
    if (quadrant & 2) sine = -sine;
    if ((quadrant + 1) & 2) cosine = -cosine;
    return turn_make(cosine, sine);
}

// (x, y) <- [c -s; s c] (x, y), and its inverse
static inline void turn_pair(turn t, double *x, double *y)
{
    double a = *x, b = *y;
    *x = t.c * a - t.s * b;
    *y = t.s * a + t.c * b;
}
static inline void turn_back(turn t, double *x, double *y)
{
    double a = *x, b = *y;
    *x = t.c * a + t.s * b;
    *y = t.c * b - t.s * a;
}
// [xx xy; yx yy] <- R [xx xy; yx yy] R^T, R as above
static inline void turn_matrix(turn t, double *xx, double *xy, double *yx, double *yy)
{
    double d = *xx - *yy, o = *xy + *yx;
    double p = t.ss * d + t.cs * o, r = t.cs * d - t.ss * o;
    *xx -= p;
    *yy += p;
    *xy += r;
    *yx += r;
}
static inline void turn_symmetric(turn t, double *xx, double *xy, double *yy)
{
    double d = *xx - *yy, o = *xy + *xy;
    double p = t.ss * d + t.cs * o;
    *xy += t.cs * d - t.ss * o;
    *xx -= p;
    *yy += p;
}

static inline void turn_z_sym3(turn t, sym3 *S)
{
    turn_symmetric(t, &S->xx, &S->xy, &S->yy);
    turn_pair(t, &S->xz, &S->yz);
}
static inline void turn_x_sym3(turn t, sym3 *S)
{
    turn_symmetric(t, &S->yy, &S->yz, &S->zz);
    turn_pair(t, &S->xy, &S->xz);
}
static inline void turn_z_spatial(turn t, spatial *K)
{
    turn_z_sym3(t, &K->A);
    turn_z_sym3(t, &K->M);
    turn_matrix(t, &K->B.m[0], &K->B.m[1], &K->B.m[3], &K->B.m[4]);
    turn_pair(t, &K->B.m[2], &K->B.m[5]);
    turn_pair(t, &K->B.m[6], &K->B.m[7]);
}
static inline void turn_x_spatial(turn t, spatial *K)
{
    turn_x_sym3(t, &K->A);
    turn_x_sym3(t, &K->M);
    turn_matrix(t, &K->B.m[4], &K->B.m[5], &K->B.m[7], &K->B.m[8]);
    turn_pair(t, &K->B.m[1], &K->B.m[2]);
    turn_pair(t, &K->B.m[3], &K->B.m[6]);
}

static inline v3 sym3_mul(sym3 S, v3 a)
{
    return (v3){S.xx * a.x + S.xy * a.y + S.xz * a.z, S.xy * a.x + S.yy * a.y + S.yz * a.z,
                S.xz * a.x + S.yz * a.y + S.zz * a.z};
}
static inline sym3 sym3_add(sym3 S, sym3 T)
{
    return (sym3){S.xx + T.xx, S.xy + T.xy, S.xz + T.xz, S.yy + T.yy, S.yz + T.yz, S.zz + T.zz};
}
static inline m33 sym3_full(sym3 S)
{
    return (m33){{S.xx, S.xy, S.xz, S.xy, S.yy, S.yz, S.xz, S.yz, S.zz}};
}
static inline sym3 sym3_of(m33 A)
{
    return (sym3){A.m[0], A.m[1], A.m[2], A.m[4], A.m[5], A.m[8]};
}
// R S R^T
static inline sym3 sym3_rotate(m33 R, sym3 S)
{
    return sym3_of(m33_mul_t(m33_mul(R, sym3_full(S)), R));
}

// S = L D L^T with unit L; false: not positive to that part of its diagonal.
typedef struct sym3_factors {
    double l10, l20, l21, d0, d1, d2; // d: inverse pivots
} sym3_factors;
static inline int sym3_factor(sym3 S, double part, sym3_factors *f)
{
    double d0 = S.xx;
    f->d0 = 1.0 / d0;
    f->l10 = S.xy * f->d0;
    f->l20 = S.xz * f->d0;
    double d1 = S.yy - f->l10 * S.xy, e = S.yz - f->l20 * S.xy;
    f->d1 = 1.0 / d1;
    f->l21 = e * f->d1;
    double d2 = S.zz - f->l20 * S.xz - f->l21 * e;
    f->d2 = 1.0 / d2;
    return d0 > 0.0 && d1 > part * S.yy && d2 > part * S.zz;
}
static inline v3 sym3_solve(const sym3_factors *f, v3 b)
{
    double y = b.y - f->l10 * b.x, z = b.z - f->l20 * b.x - f->l21 * y;
    z *= f->d2;
    y = y * f->d1 - f->l21 * z;
    return (v3){b.x * f->d0 - f->l10 * y - f->l20 * z, y, z};
}

// The same inertia about an origin from which this frame's is at r, axes kept:
//     B' = B + r~ M,   A' = A + r~ B^T - B' r~                                (SPA-2)
static inline void spatial_shift(v3 r, spatial *K)
{
    const double *b = K->B.m;
    sym3 *A = &K->A, M = K->M;
    m33 C = {{b[0] + r.y * M.xz - r.z * M.xy, b[1] + r.y * M.yz - r.z * M.yy,
              b[2] + r.y * M.zz - r.z * M.yz, b[3] + r.z * M.xx - r.x * M.xz,
              b[4] + r.z * M.xy - r.x * M.yz, b[5] + r.z * M.xz - r.x * M.zz,
              b[6] + r.x * M.xy - r.y * M.xx, b[7] + r.x * M.yy - r.y * M.xy,
              b[8] + r.x * M.yz - r.y * M.xz}};
    const double *c = C.m;
    // column j of r~ B^T is r x (row j of B), row i of -C r~ is r x (row i of C)
    A->xx += r.y * (b[2] + c[2]) - r.z * (b[1] + c[1]);
    A->xy += r.y * b[5] - r.z * b[4] + r.z * c[0] - r.x * c[2];
    A->xz += r.y * b[8] - r.z * b[7] + r.x * c[1] - r.y * c[0];
    A->yy += r.z * (b[3] + c[3]) - r.x * (b[5] + c[5]);
    A->yz += r.z * b[6] - r.x * b[8] + r.x * c[4] - r.y * c[3];
    A->zz += r.x * (b[7] + c[7]) - r.y * (b[6] + c[6]);
    K->B = C;
}
static inline void spatial_add(spatial *to, const spatial *K)
{
    to->A = sym3_add(to->A, K->A);
    to->B = m33_add(to->B, K->B);
    to->M = sym3_add(to->M, K->M);
}
// R K R^T
static inline void spatial_rotate(m33 R, spatial *K)
{
    K->A = sym3_rotate(R, K->A);
    K->B = m33_mul_t(m33_mul(R, K->B), R);
    K->M = sym3_rotate(R, K->M);
}
