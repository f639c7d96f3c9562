// galerkin.c - Galerkin variational integrators of degree s with Gauss's quadrature of r points.
//
//     L_d = h sum_i b_i L(q(c_i), V(c_i)),   q in the polynomials of degree s             (VAR-6)
// r = s is of order 2s and for a constant M collocation at the points of Gauss. Multipliers of joints
// at the s+1 nodes of Lobatto keep that order. Fewer points: order 2r, more: still 2s.
#include "integrate/variational/discrete_lagrangian.h"

#include <string.h>

#define DEFAULT_DEGREE 2

static int degree_of(const flx_integrator_def *def)
{
    return def->degree > 0 ? def->degree : DEFAULT_DEGREE;
}

static int points_of(const flx_integrator_def *def)
{
    return def->quadrature > 0 ? def->quadrature : degree_of(def);
}

static flx_status galerkin_create(flx_integrator *it)
{
    discrete_rule rule;
    int s = degree_of(&it->def), r = points_of(&it->def);
    if (s > DISCRETE_DEGREE) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "degree = %d: method 'galerkin' has degrees 1 to %d", s, DISCRETE_DEGREE);
    }
    if (r > DISCRETE_POINTS) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "quadrature = %d: method 'galerkin' has 1 to %d points, and as many as the "
                        "degree are best",
                        r, DISCRETE_POINTS);
    }
    if (!flx_discrete_rule_galerkin(s, r, &rule)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "coefficients of method 'galerkin' were not found");
    }
    return flx_discrete_create(it, &rule);
}

// A partitioned Runge-Kutta method at the points of the quadrature, with P_k Legendre's orthonormal
// polynomials on (0, 1):
//     a_ij = b_j sum_k<s int_0^c_i P_k P_k(c_j),   a^v_ij = b_j sum_k<s P_k(c_i) int_c_j^1 P_k
// With fewer points than the degree velocities are not determined by those at the points.
static int galerkin_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    int s = degree_of(def), r = points_of(def);
    discrete_rule rule;
    if (r < s || !flx_discrete_rule_galerkin(s, r, &rule)) return 0;
    memset(out, 0, sizeof *out);
    out->scheme = FLX_SCHEME_RUNGE_KUTTA;
    out->s = r;
    for (int i = 0; i < r; i++) {
        out->b[i] = rule.force.b[i];
        out->c[i] = rule.force.c[i];
    }
    for (int i = 0; i < r; i++) {
        double y = 2.0 * out->c[i] - 1.0, P[DISCRETE_DEGREE + 2] = {1.0, y};
        for (int k = 1; k <= s; k++) P[k + 1] = ((2 * k + 1) * y * P[k] - k * P[k - 1]) / (k + 1);
        for (int j = 0; j < r; j++) {
            double z = 2.0 * out->c[j] - 1.0, Q[DISCRETE_DEGREE + 2] = {1.0, z};
            for (int k = 1; k <= s; k++) {
                Q[k + 1] = ((2 * k + 1) * z * Q[k] - k * Q[k - 1]) / (k + 1);
            }
            // int_0^c P_k sqrt(2k+1) is (P_k+1 - P_k-1)/2 / sqrt(2k+1), and c for k = 0
            double a = out->c[i], v = 1.0 - out->c[j];
            for (int k = 1; k < s; k++) {
                a += 0.5 * (P[k + 1] - P[k - 1]) * Q[k];
                v -= 0.5 * (Q[k + 1] - Q[k - 1]) * P[k];
            }
            out->A[i][j] = out->b[j] * a;
            out->A_v[i][j] = out->b[j] * v;
        }
    }
    return 1;
}

const flx_integrator_type flx_galerkin = {
    .name = "galerkin",
    .summary = "variational, order twice the degree: conserves momenta to machine precision, "
               "energy bounded",
    .order = 2 * DEFAULT_DEGREE,
    .fixed = 1,
    .adaptive = 0,
    .coefficients = galerkin_coefficients,
    .create = galerkin_create,
    .step = flx_discrete_step,
    .interpolate = flx_discrete_interpolate,
    .destroy = flx_discrete_destroy,
    .memory = flx_discrete_memory,
};
