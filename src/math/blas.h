// blas.h - BLAS and LAPACK by one thread: more of them change the order of sums, and with it the last digits. The number of
// threads belongs to the whole process, so it is set where calls of ours begin and put back behind the last of them, whoever
// else calls BLAS.
#pragma once

#include <cblas.h>
#include <lapacke.h>
#include <stdbool.h>

// Makes OpenBLAS take its buffer now: later, where there is no memory for it, it asks for it again without end. False: there is none.
bool flx_blas_reserve(void);

// For FLX_ONE_THREAD. enter: 1; leave: 0.
int flx_blas_enter(void);
int flx_blas_leave(void);

// Before the statement that calls; no `return`, `break` or `goto` leads out of it. What it calls may do the same.
#define FLX_ONE_THREAD for (int inside_ = flx_blas_enter(); inside_; inside_ = flx_blas_leave())

static inline double flx_blas_dot(int n, const double *x, const double *y)
{
    double sum = 0.0;
    FLX_ONE_THREAD sum = cblas_ddot(n, x, 1, y, 1);
    return sum;
}

static inline double flx_blas_norm(int n, const double *x)
{
    double norm = 0.0;
    FLX_ONE_THREAD norm = cblas_dnrm2(n, x, 1);
    return norm;
}
