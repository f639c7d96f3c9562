// linear_dense.h - matrices of a linear model, by rows there and by columns here.
#pragma once

#include "flexion/linear.h"
#include "math/eigen.h"

// Zeros (m x n); NULL where there is no memory.
static inline double *flx_linear_take(flx_arena *arena, int m, int n)
{
    return flx_arena_take(arena, (size_t)m * (size_t)n, sizeof(double));
}

// to (m x n, column-major) = from (m x n, by rows).
static inline void flx_linear_turn(int m, int n, const double *from, double *to)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) to[j * m + i] = from[i * n + j];
    }
}
