// branches.h - eigenvalues of a linear model followed over a parameter.
//
// A mode j goes on as branch i at the least sum of
//     c_ij = |s_j - e_i| (1.1 - |l_i^H r_j| / max_k |l_i^H r_k|)                                   (ROOT-1)
// e_i: where the eigenvalue of branch i was going. Left and right eigenvectors of different modes of one matrix are
// orthogonal, so that branches which cross keep their shapes; where two of them meet it is the distance that counts.
#pragma once

#include "base/common.h"
#include "flexion/linear.h"

// mode[i]: which mode of `before` branch i is, replaced by that of `now`. re, im: expected (n). Both have n modes.
flx_status flx_branches_match(flx_ctx *ctx, const flx_linear_modes *before, const double *re,
                              const double *im, const flx_linear_modes *now, int *mode);
// The assignment of least sum: to[i] is the column of row i of cost (n x n, by rows).
flx_status flx_assign_least(flx_ctx *ctx, int n, const double *cost, int *to);
