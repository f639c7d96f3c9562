// exponential.c - exp(t A) by scaling and squaring: with |t A|/2^k <= 1/2 the series of 18 terms is exact
// to rounding, and k squarings undo the scaling.
#include "math/exponential.h"

#include "math/eigen.h"

#include <math.h>
#include <string.h>

#define TERMS 18

static double find_norm(int n, const double *A)
{
    double most = 0.0;
    for (int j = 0; j < n; j++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) sum += fabs(A[j * n + i]);
        most = fmax(most, sum);
    }
    return most;
}

void flx_dense_exponential(int n, const double *A, double t, double *E, double *scratch)
{
    size_t bytes = (size_t)n * (size_t)n * sizeof *E;
    double *term = scratch, *next = scratch + n * n;
    double norm = find_norm(n, A) * fabs(t);
    int squarings = 0;
    while (norm > 0.5 && squarings < 1000) {
        norm *= 0.5;
        t *= 0.5;
        squarings++;
    }
    memset(E, 0, bytes);
    for (int i = 0; i < n; i++) E[i * n + i] = 1.0;
    memcpy(term, E, bytes);
    for (int k = 1; k <= TERMS; k++) {
        flx_dense_multiply(false, false, n, n, n, A, term, next);
        for (int i = 0; i < n * n; i++) {
            term[i] = next[i] * t / k;
            E[i] += term[i];
        }
    }
    for (int k = 0; k < squarings; k++) {
        flx_dense_multiply(false, false, n, n, n, E, E, next);
        memcpy(E, next, bytes);
    }
}
