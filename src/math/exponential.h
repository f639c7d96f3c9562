// exponential.h - the exponential of a small matrix.
#pragma once

// E = exp(t A), both n x n, column-major; scratch: 2 n n.
void flx_dense_exponential(int n, const double *A, double t, double *E, double *scratch);
