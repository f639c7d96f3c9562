// frontal.h - multifrontal LDL^T of large sparse symmetric matrices: dense fronts along the elimination
// tree, BLAS for all arithmetic. For structures with millions of unknowns; the saddle-point matrices of
// mechanisms have their own, math/ldl/ldl.h. Theory: docs/theory/linear_algebra.md.
//
// Pivots are the diagonal entries in the order of the elimination, without exchanges: exact for positive
// definite matrices, and good for K - shift M unless the shift is an eigenvalue of a leading part to
// rounding. The count of negative pivots is the number of eigenvalues below the shift (Sylvester).
#pragma once

#include "math/complex_number.h"
#include "math/symmetric.h"

typedef struct flx_frontal flx_frontal;

// Orders (METIS where it was found, AMD else) and analyses the pattern of A. group (n, may be NULL):
// unknowns of one node have the same number and stay together, in the order of A; those of a negative
// number are eliminated last, each alone. The pattern is not kept.
flx_status flx_frontal_create(flx_ctx *ctx, const flx_symmetric *A, const int *group,
                              flx_frontal **out);
void flx_frontal_destroy(flx_frontal **f);

// For saddle-point matrices, factored again and again: sign (n) of pivots and size (n) of what they are
// made of, to be brought up to date by the caller before each factorisation; both borrowed. Pivots that
// are nothing but rounding are moved, and counted. Memory for factoring is kept from one to the next.
flx_status flx_frontal_create_guarded(flx_ctx *ctx, const flx_symmetric *A, const int *group,
                                      const signed char *sign, const double *size,
                                      flx_frontal **out);

typedef struct flx_frontal_report {
    int negative; // pivots
    int small;    // pivots of the size of their rounding
    int moved;    // ... that were moved
    int smallest; // unknown of the pivot that is smallest in proportion
    double ratio; // that pivot / the diagonal entry that it came from, or the size given
    double fill;  // numbers in L
    double flops; // of the factorisation
    int fronts;   // how many
    double bytes; // of the factors, known before they are made, and
    double most;  // ... while they are made, at the most at a time
} flx_frontal_report;

// Factor a A + b B, B on the pattern of A or NULL. FLX_SINGULAR: a pivot is zero or not finite.
// FLX_ERR_MEMORY before anything is done where the memory is not there.
flx_status flx_frontal_factor(flx_frontal *f, double a, const flx_symmetric *A, double b,
                              const flx_symmetric *B);
// The same of a complex symmetric sum, such as K + i w D - w^2 M: matrices with one pattern, and their factors.
#define FLX_FRONTAL_TERMS 4
typedef struct flx_frontal_term {
    double complex factor;
    const flx_symmetric *A;
} flx_frontal_term;
flx_status flx_frontal_factor_complex(flx_frontal *f, int nterm, const flx_frontal_term *terms);
// Room for 2 k right sides is needed.
void flx_frontal_solve_complex(flx_frontal *f, int k, double complex *X);
// Only count the negative pivots of a A + b B, which takes a part of the memory: the factors are let go,
// the report of them stays.
flx_status flx_frontal_count(flx_frontal *f, double a, const flx_symmetric *A, double b,
                             const flx_symmetric *B, int *negative);
// How many threads of this process factor real matrices from here on, for all structures: 1 until it is said. The factors do not
// depend on it, bit for bit.
void flx_frontal_set_threads(int threads);
// Give the memory of the factors and of right sides back; the order stays.
void flx_frontal_release(flx_frontal *f);
// Room for k right sides at once; call before flx_frontal_solve.
flx_status flx_frontal_reserve(flx_frontal *f, int k);
// Solve in place for k vectors, one after the other, each of length n.
void flx_frontal_solve(flx_frontal *f, int k, double *X);
// The same in the order of elimination, where neighbours in the structure are near each other in memory:
// entry i of a vector is that of unknown flx_frontal_order(f)[i].
void flx_frontal_solve_ordered(flx_frontal *f, int k, double *X);
const int *flx_frontal_order(const flx_frontal *f);
flx_frontal_report flx_frontal_get_report(const flx_frontal *f);
