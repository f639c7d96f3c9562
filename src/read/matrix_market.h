// matrix_market.h - sparse symmetric matrices of any finite element code, as Matrix Market files:
// "%%MatrixMarket matrix coordinate real symmetric" (or general with symmetric values).
#pragma once

#include "math/symmetric.h"
#include "read/scan.h"

// A pair K, M on one pattern. loc: where the files are named.
flx_status flx_matrix_market_read(flx_ctx *ctx, const char *stiffness, const char *mass,
                                  flx_loc loc, flx_symmetric *K, flx_symmetric *M);
