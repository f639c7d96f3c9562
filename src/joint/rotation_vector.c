// rotation_vector.c - the rotation between two frames as a vector, with derivatives.
//
//     exp(th~) = (R_A F_A)^T R_B F_B                                           (BUS-1)
//     th' = B^-1(th) F_B^T w_B - B^-T(th) F_A^T w_A = G_B w_B + G_A w_A        (BUS-2)
// With D(u) = d(B^-1(th) u)/dth and D'(u) for B^-T,
//     D(u) = -u~/2 + b [(th.u) I + th u^T - 2 u th^T] + 2 b' (th x (th x u)) th^T   (BUS-4)
// b the coefficient of th~ th~ in B^-1, b' its derivative by |th|^2; D' has +u~/2.
#include "joint/scalar.h"

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

m33 flx_rotation_vector_slope(v3 th, v3 u, double sign)
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

void flx_rotation_vector_eval(const flx_frame *A, const flx_frame *B, m33 FA, m33 FB,
                              flx_rotation_vector *out)
{
    m33 RA = m33_mul(m33_load(A->R), FA), RB = m33_mul(m33_load(B->R), FB);
    out->th = quat_log(quat_from_m33(m33_tmul(RA, RB)));
    m33 B1 = inverse_tangent(out->th);
    out->G[1] = m33_mul_t(B1, FB);
    out->G[0] = m33_scale(-1.0, m33_tmul(B1, m33_transpose(FA)));
}
