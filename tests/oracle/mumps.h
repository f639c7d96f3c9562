// mumps.h - symmetric matrices solved by MUMPS, which pivots by value and shares nothing with our factors.
#pragma once

#include <stdbool.h>

typedef struct mumps mumps;

// Factors the matrix whose entries (one triangle; several of one place are added) are rows, columns (from 0) and values;
// all are copied. NULL: it could not.
mumps *mumps_factor(int n, int count, const int *row, const int *column, const double *value);
int mumps_negative(const mumps *m);           // eigenvalues below zero
bool mumps_solve(mumps *m, int k, double *x); // in place, k vectors one after the other
// One vector, refined. *uncertainty: how far a solution whose residual is nothing but rounding may be from the exact one, in
// proportion to the largest entry.
bool mumps_solve_refined(mumps *m, double *x, double *uncertainty);
void mumps_free(mumps **m);
