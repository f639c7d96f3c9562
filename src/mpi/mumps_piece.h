// mumps_piece.h - what a rank has of a matrix and of its factors by parallel MUMPS. All ranks make these calls together; entries
// of the matrix come from rank 0, in pieces, and stay with the other ranks.
#pragma once

#include "math/frontal/frontal.h"

typedef struct mumps_piece mumps_piece;

// A: the pattern, on rank 0; NULL elsewhere. NULL: a rank has no memory for its piece.
mumps_piece *mumps_piece_create(int n, const flx_symmetric *A);
void mumps_piece_destroy(mumps_piece *p);

typedef struct mumps_sum { // on rank 0; elsewhere `complex_sum` and `count` alone
    int nterm;
    const flx_frontal_term *terms;
    int complex_sum, count; // count: signs of the pivots alone, no factors are kept
} mumps_sum;

// report: on rank 0, else NULL. FLX_SINGULAR, FLX_ERR_MEMORY on all ranks.
flx_status mumps_piece_factor(mumps_piece *p, const mumps_sum *sum, flx_frontal_report *report);
// X (k, n) in place on rank 0, numbers as those of the sum; false: MUMPS could not, and said why.
bool mumps_piece_solve(mumps_piece *p, int k, void *X);
void mumps_piece_release(mumps_piece *p); // the factors
