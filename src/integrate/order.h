// order.h - the classical order of a Runge-Kutta method, from its numbers.
#pragma once

#include "base/common.h"
#include "flexion/extend/method_table.h"

// Whether positions and velocities take different stages.
bool flx_coefficients_partitioned(const flx_coefficients *c);

// B(k): sum_i b_i c_i^(k-1) = 1/k for k <= p; C(k): sum_j a_ij c_j^(k-1) = c_i^k/k for k <= q;
// D(k): sum_i b_i c_i^(k-1) a_ij = b_j (1 - c_j^k)/k for k <= r.                        (PROP-1)
int flx_quadrature_order(const flx_coefficients *c);
int flx_stage_order(const flx_coefficients *c);

// symmetric: the method is its own adjoint, and its order is even.
flx_status flx_classical_order(flx_ctx *ctx, const flx_coefficients *c, bool symmetric, int *order);
