// rotation_series.h - functions of a rotation vector with their first and second derivatives, by
//
//     c_k(x) = sum_j (-x)^j / (2j + k)!,   x = th.th,   c_k' = (k c_k+2 - c_k+1)/2              (ROT-5)
// so that exp(th~) = 1 + c_1 th~ + c_2 th~^2, its tangent B(th) = 1 - c_2 th~ + c_3 th~^2, and nothing
// is singular at th = 0.
#pragma once

#include "math/small.h"

typedef struct rot_series {
    double c[8];
} rot_series;

// x up to (2 pi)^2; the last terms are below rounding.
static inline rot_series rot_series_make(double x)
{
    rot_series s;
    int n = x < 0.04 ? 5 : x < 1.0 ? 8 : 20;
    double a = 1.0, b = 1.0; // 6! c_6 and 7! c_7, from the innermost term
    for (int j = n; j > 0; j--) {
        a = 1.0 - x * a / ((2 * j + 5) * (2 * j + 6));
        b = 1.0 - x * b / ((2 * j + 6) * (2 * j + 7));
    }
    s.c[6] = a / 720.0;
    s.c[7] = b / 5040.0;
    s.c[5] = 1.0 / 120 - x * s.c[7];
    s.c[4] = 1.0 / 24 - x * s.c[6];
    s.c[3] = 1.0 / 6 - x * s.c[5];
    s.c[2] = 0.5 - x * s.c[4];
    s.c[1] = 1.0 - x * s.c[3];
    s.c[0] = 1.0 - x * s.c[2];
    return s;
}

// A function of x with two derivatives.
typedef struct rot_jet {
    double f, d, dd;
} rot_jet;

static inline rot_jet rot_jet_1(const rot_series *s)
{
    const double *c = s->c;
    return (rot_jet){c[1], 0.5 * (c[3] - c[2]), 0.25 * (3 * c[5] - 3 * c[4] + c[3])};
}
static inline rot_jet rot_jet_2(const rot_series *s)
{
    const double *c = s->c;
    return (rot_jet){c[2], 0.5 * (2 * c[4] - c[3]), 0.25 * (8 * c[6] - 5 * c[5] + c[4])};
}
static inline rot_jet rot_jet_3(const rot_series *s)
{
    const double *c = s->c;
    return (rot_jet){c[3], 0.5 * (3 * c[5] - c[4]), 0.25 * (15 * c[7] - 7 * c[6] + c[5])};
}

// 1 + f th~ + g th~^2
static inline m33 rot_polynomial(v3 th, double f, double g)
{
    m33 P = m33_skew(th);
    return m33_add(m33_identity(), m33_add(m33_scale(f, P), m33_scale(g, m33_mul(P, P))));
}

// Derivative by th of (1 + sign f th~ + g th~^2) a, f and g functions of x.
static inline m33 rot_polynomial_slope(v3 th, v3 a, double sign, rot_jet f, rot_jet g)
{
    v3 ta = v3_cross(th, a), tta = v3_cross(th, ta);
    m33 S = m33_add(m33_skew(ta), m33_mul(m33_skew(th), m33_skew(a)));
    S = m33_add(m33_scale(-sign * f.f, m33_skew(a)), m33_scale(-g.f, S));
    return m33_add(S, m33_outer(v3_axpy(2 * sign * f.d, ta, v3_scale(2 * g.d, tta)), th));
}

// Second derivative by th of m.(1 - f th~ + g th~^2) a, symmetric.
static inline m33 rot_polynomial_curve(v3 th, v3 a, v3 m, rot_jet f, rot_jet g)
{
    v3 w = v3_cross(a, m);
    double ma = v3_dot(m, a), mt = v3_dot(m, th), at = v3_dot(a, th), tw = v3_dot(th, w);
    double P = mt * at - v3_dot(th, th) * ma;
    v3 dP = v3_axpy(-2 * ma, th, v3_axpy(at, m, v3_scale(mt, a)));
    v3 side = v3_axpy(-2 * f.d, w, v3_scale(2 * g.d, dP)); // with th on the other side
    m33 H = m33_scale(4 * (g.dd * P - f.dd * tw), m33_outer(th, th));
    H = m33_add(H, m33_add(m33_outer(th, side), m33_outer(side, th)));
    H = m33_add(H, m33_scale(g.f, m33_add(m33_outer(m, a), m33_outer(a, m))));
    return m33_add(H, m33_scale(2 * (g.d * P - f.d * tw - g.f * ma), m33_identity()));
}

// B(th)^-1 = 1 + th~/2 + d th~^2, d = (c_3 - 2 c_4)/(2 c_2)
static inline rot_jet rot_jet_inverse(const rot_series *s)
{
    const double *c = s->c, top = c[3] - 2 * c[4];
    double dtop = 0.5 * (3 * c[5] - c[4]) - (4 * c[6] - c[5]), dc2 = 0.5 * (2 * c[4] - c[3]);
    return (rot_jet){top / (2 * c[2]), (dtop * c[2] - top * dc2) / (2 * c[2] * c[2]), 0};
}
