// balance.h - units of states in which rows and columns of a matrix are of like size.
#pragma once

#include "base/common.h"

// Units (n), powers of two, of the states x of x' = A x: A_ij unit_j / unit_i has rows and columns of like size; A (n x n) by
// rows or by columns. *rate: the largest sum of a row of it.
flx_status flx_balance_find(flx_ctx *ctx, int n, const double *A, bool by_rows, double *unit,
                            double *rate);
