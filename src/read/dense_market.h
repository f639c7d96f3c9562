// dense_market.h - any real matrix of a Matrix Market file, as a dense one: "coordinate" or "array", general or symmetric.
#pragma once

#include "read/scan.h"

typedef struct flx_dense_market {
    int rows, columns;
    double *values; // (rows, columns) by columns, in the arena
} flx_dense_market;

// loc: where the file is named.
flx_status flx_dense_market_read(flx_ctx *ctx, flx_arena *arena, const char *path, flx_loc loc,
                                 flx_dense_market *out);
