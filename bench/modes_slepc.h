// modes_slepc.h - the yardstick of bench_modes: SLEPc's Krylov-Schur with MUMPS, shift-invert at zero.
#pragma once

#include "math/symmetric.h"

// Lowest eigenvalues of K x = lambda M x into lambda (count). 0: done.
int slepc_modes(const flx_symmetric *K, const flx_symmetric *M, int count, double tolerance,
                double *lambda);
