// balance.c - units of states in which rows and columns of a matrix are of like size.
#include "math/riccati/balance.h"

#include <math.h>

#define ROUNDING 1e-15 // of the largest number of its column
#define MOST_TURNS 20

// The sizes of the numbers of A by rows; rounding errors have none: units that made these as large as the numbers that count
// would cost what follows its digits.
static void find_sizes(int n, const double *A, int row, int col, double *size)
{
    for (int j = 0; j < n; j++) {
        double most = 0.0;
        for (int i = 0; i < n; i++) most = fmax(most, fabs(A[i * row + j * col]));
        for (int i = 0; i < n; i++) {
            double a = fabs(A[i * row + j * col]);
            size[i * n + j] = a > ROUNDING * most ? a : 0.0;
        }
    }
}

// One turn over all states: whether any unit changed.
static bool make_alike(int n, const double *size, double *unit)
{
    bool moved = false;
    for (int i = 0; i < n; i++) {
        double row = 0.0, col = 0.0;
        for (int j = 0; j < n; j++) {
            if (j == i) continue;
            row += size[i * n + j] * unit[j] / unit[i];
            col += size[j * n + i] * unit[i] / unit[j];
        }
        if (row == 0.0 || col == 0.0) continue;
        double by = exp2(round(0.5 * log2(row / col)));
        moved = moved || by != 1.0;
        unit[i] *= by;
    }
    return moved;
}

flx_status flx_balance_find(flx_ctx *ctx, int n, const double *A, bool by_rows, double *unit,
                            double *rate)
{
    double *size = flx_alloc(ctx, (size_t)n * (size_t)n, sizeof *size);
    if (!size) return FLX_ERR_MEMORY;
    find_sizes(n, A, by_rows ? n : 1, by_rows ? 1 : n, size);
    for (int i = 0; i < n; i++) unit[i] = 1.0;
    for (int turn = 0; turn < MOST_TURNS && make_alike(n, size, unit); turn++) {
    }
    *rate = 0.0;
    for (int i = 0; i < n; i++) {
        double row = 0.0;
        for (int j = 0; j < n; j++) row += size[i * n + j] * unit[j] / unit[i];
        *rate = fmax(*rate, row);
    }
    flx_free(size);
    return FLX_OK;
}
