// cost_units.c - see cost_units.h. Osborne's balancing of the Hamiltonian matrix, by scales that keep it one.
#include "control/cost_units.h"

#include <math.h>

#define SWEEPS 40
#define FAR 1e6        // so much smaller numbers are worth other units; of samples,
#define NEAR 1e1       // ... and of continuous gains, which these make sharper
#define ROUNDING 1e-12 // of the largest: smaller rows and columns do not say what their unit is

static double power_of_two(double x)
{
    return exp2(round(log2(x)));
}

// |B R^-1 B^T| of two states, with the largest of its terms.
static double act(int m, const double *B, const double *R, int i, int j)
{
    double most = 0.0;
    for (int k = 0; k < m; k++) {
        double r = R[k * m + k];
        if (r > 0.0) most = fmax(most, fabs(B[i * m + k] * B[j * m + k]) / r);
    }
    return most;
}

// Column and row j without the diagonal of A; returns the larger one.
static double look(int n, int m, const double *A, const double *B, const double *Q, const double *R,
                   const double *d, int j, double *column, double *row)
{
    *column = *row = 0.0;
    for (int i = 0; i < n; i++) {
        double cost = fabs(Q[i * n + j]) * d[i] * d[j], reach = act(m, B, R, i, j) / (d[i] * d[j]);
        *column += i == j ? 2.0 * cost : cost + fabs(A[i * n + j]) * d[j] / d[i];
        *row += i == j ? 2.0 * reach : reach + fabs(A[j * n + i]) * d[i] / d[j];
    }
    return fmax(*column, *row);
}

static double largest(int n, int m, const double *A, const double *B, const double *Q,
                      const double *R, const double *d)
{
    double most = 0.0, column, row;
    for (int j = 0; j < n; j++) most = fmax(most, look(n, m, A, B, Q, R, d, j, &column, &row));
    return most;
}

bool flx_cost_units(int n, int m, const double *A, const double *B, const double *Q,
                    const double *R, bool sampled, double *d, double *s)
{
    bool moved = true;
    for (int k = 0; k < m; k++) {
        double r = R[k * m + k];
        s[k] = r > 0.0 ? power_of_two(1.0 / sqrt(r)) : 1.0;
    }
    for (int j = 0; j < n; j++) d[j] = 1.0;
    double before = largest(n, m, A, B, Q, R, d);
    for (int sweep = 0; sweep < SWEEPS && moved; sweep++) {
        double least = ROUNDING * largest(n, m, A, B, Q, R, d), column, row;
        moved = false;
        for (int j = 0; j < n; j++) {
            (void)look(n, m, A, B, Q, R, d, j, &column, &row);
            double by = power_of_two(sqrt(fmax(row, least) / fmax(column, least)));
            if (!isfinite(by) || !(by > 0.0) || by == 1.0) continue;
            d[j] *= by;
            moved = true;
        }
    }
    return before > (sampled ? FAR : NEAR) * largest(n, m, A, B, Q, R, d);
}
