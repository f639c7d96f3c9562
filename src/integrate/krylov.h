// krylov.h - a large matrix without symmetry, solved with the factors of its symmetric part.
//
// Following loads, dampers and the like add little to a stiffness that is symmetric: GMRES, preconditioned
// from the left by those factors, needs a few products for it, where an LU of the whole would fill up.
// Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869.
#pragma once

#include "flexion/extend/system_table.h"
#include "math/ldl/ldl.h"

typedef struct flx_krylov flx_krylov;

flx_status flx_krylov_create(flx_ctx *ctx, int n, flx_krylov **out);
void flx_krylov_destroy(flx_krylov **k);
// A x = b in place, A on the pattern. False: it does not converge, and b is as it was.
bool flx_krylov_solve(flx_krylov *k, const flx_pattern *p, const double *A, const flx_ldl *factors,
                      double *b);
