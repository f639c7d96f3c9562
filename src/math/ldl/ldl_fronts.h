// ldl_fronts.h - the large matrices of ldl.h by the multifrontal factorisation: where every block has many
// neighbours, as the nodes of a solid, fill is large whatever the order, and dense fronts take it. A body
// with its paired constraints is one group of frontal.h; closures come last.
#pragma once

#include "math/ldl/ldl.h"

typedef struct flx_ldl_fronts flx_ldl_fronts;

// *out stays NULL where fronts do not pay. pattern and sign (nblock) are borrowed.
flx_status flx_ldl_fronts_create(flx_ctx *ctx, const flx_pattern *pattern, const signed char *sign,
                                 flx_ldl_fronts **out);
void flx_ldl_fronts_destroy(flx_ldl_fronts **f);
flx_status flx_ldl_fronts_factor(flx_ldl_fronts *f, const double *values, flx_ldl_report *report);
// The factors are made again from the matrix (base/checkpoint_walk.h).
void flx_ldl_fronts_memory(flx_ldl_fronts *f, flx_memory *m);
void flx_ldl_fronts_solve(flx_ldl_fronts *f, double *b);
// Numbers in L; operations of one factorisation.
double flx_ldl_fronts_fill(const flx_ldl_fronts *f);
double flx_ldl_fronts_flops(const flx_ldl_fronts *f);
