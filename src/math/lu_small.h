// lu_small.h - LU with row pivoting of small full matrices, real and complex, row-major. Rows are
// scaled by their largest entry first, so that pivots can be compared with each other.
#pragma once

#include <stdbool.h>

// Up to this many unknowns a full matrix costs less than a sparse one.
#define FLX_LU_SMALL 12

typedef struct flx_lu_small {
    int n;
    int pivot[FLX_LU_SMALL];
    double row[FLX_LU_SMALL]; // scale factors of the rows
    double rcond;             // smallest / largest pivot
    // The factors, pivots inverted; of a complex matrix real and imaginary parts.
    double a[FLX_LU_SMALL * FLX_LU_SMALL], a_imag[FLX_LU_SMALL * FLX_LU_SMALL];
} flx_lu_small;

// Factor a (and a_imag) in place; false: a pivot is zero or not a number.
bool flx_lu_small_factor(flx_lu_small *f);
bool flx_lu_small_factor_complex(flx_lu_small *f);
// In place; complex numbers are pairs.
void flx_lu_small_solve(const flx_lu_small *f, double *b);
void flx_lu_small_solve_complex(const flx_lu_small *f, double *b);
