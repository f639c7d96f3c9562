// dense_parts.h - what the files on LAPACK share: dense.c and eigen.c.
#pragma once

#include "base/common.h"

// The message for what LAPACK returned; info < 0: entries that are not finite.
flx_status flx_dense_report(flx_ctx *ctx, int info, const char *what);
bool flx_dense_is_finite(size_t n, const double *a);
