// multistep.h - coefficients of multistep methods at a constant step, for the table of properties.
#pragma once

#include "flexion/extend/method_table.h"

// Backward differentiation of order k, 1 to 6: sum_m (1/m) nabla^m y_1 = h f_1             (BDF-1)
void flx_multistep_bdf(int k, flx_coefficients *out);
// Adams-Moulton of order k, 1 to 12: y_1 - y_0 = h sum_m gamma_m nabla^m f_1, with
// gamma_0 = 1, gamma_m = -sum_j gamma_j / (m + 1 - j)                                     (ADA-1)
void flx_multistep_adams(int k, flx_coefficients *out);
