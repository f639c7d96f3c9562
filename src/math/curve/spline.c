// spline.c - cubic splines through points. The matrices are diagonally dominant: elimination without pivoting is stable.
#include "math/curve/spline.h"

static void fill_pieces(int n, const double *x, const double *y, const double *M, double *out)
{
    for (int i = 0; i + 1 < n; i++) {
        double h = x[i + 1] - x[i], *k = out + 4 * i;
        k[0] = y[i];
        k[1] = (y[i + 1] - y[i]) / h - h * (2.0 * M[i] + M[i + 1]) / 6.0;
        k[2] = M[i] / 2.0;
        k[3] = (M[i + 1] - M[i]) / (6.0 * h);
    }
}

void flx_spline_natural(int n, const double *x, const double *y, double *k, double *scratch)
{
    double *M = scratch, *upper = scratch + n;
    for (int i = 0; i < 2 * n; i++) scratch[i] = 0.0;
    for (int i = 1; i + 1 < n; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        double pivot = 2.0 * (h0 + h1) - h0 * upper[i - 1];
        double rhs = 6.0 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0);
        upper[i] = h1 / pivot;
        M[i] = (rhs - h0 * M[i - 1]) / pivot;
    }
    for (int i = n - 2; i > 0; i--) M[i] -= upper[i] * M[i + 1];
    fill_pieces(n, x, y, M, k);
}

// M_0 is taken out: M_i = A_i + M_0 B_i, i = 1 .. n - 2, where A has the right side with M_0 = M_{n-1} = 0, and B that of
// M_0 = M_{n-1} = 1 alone. The equation of point 0 then gives M_0.
void flx_spline_periodic(int n, const double *x, const double *y, double *k, double *scratch)
{
    double *A = scratch, *B = scratch + n, *upper = scratch + 2 * n;
    const int last = n - 1;
    for (int i = 0; i < 3 * n; i++) scratch[i] = 0.0;
    for (int i = 1; i < last; i++) {
        double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
        double pivot = 2.0 * (h0 + h1) - h0 * upper[i - 1];
        double rhs = 6.0 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0);
        double one = (i == 1 ? -h0 : 0.0) - (i + 1 == last ? h1 : 0.0);
        upper[i] = h1 / pivot;
        A[i] = (rhs - h0 * A[i - 1]) / pivot;
        B[i] = (one - h0 * B[i - 1]) / pivot;
    }
    for (int i = last - 1; i > 0; i--) {
        A[i] -= upper[i] * A[i + 1];
        B[i] -= upper[i] * B[i + 1];
    }
    double h0 = x[last] - x[last - 1], h1 = x[1] - x[0];
    double rhs = 6.0 * ((y[1] - y[0]) / h1 - (y[last] - y[last - 1]) / h0);
    double M =
        (rhs - h0 * A[last - 1] - h1 * A[1]) / (2.0 * (h0 + h1) + h0 * B[last - 1] + h1 * B[1]);
    for (int i = 1; i < last; i++) A[i] += M * B[i];
    A[0] = A[last] = M;
    fill_pieces(n, x, y, A, k);
}
