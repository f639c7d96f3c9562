// spline.h - cubic splines with two continuous derivatives through points (x_i, y_i), x ascending.
//
// With steps h_i = x_{i+1} - x_i, slopes s_i = (y_{i+1} - y_i)/h_i and second derivatives M_i at the points, continuity of
// the first derivative gives
//     h_{i-1} M_{i-1} + 2 (h_{i-1} + h_i) M_i + h_i M_{i+1} = 6 (s_i - s_{i-1})
// and in piece i, with u = x - x_i,
//     y = y_i + (s_i - h_i (2 M_i + M_{i+1})/6) u + M_i/2 u^2 + (M_{i+1} - M_i)/(6 h_i) u^3.
#pragma once

// Coefficients k (4 per piece: of 1, u, u^2, u^3) of n - 1 pieces between n >= 2 points. Natural: M = 0 at the ends, so that going
// on along a straight line keeps two continuous derivatives. scratch: 2 n.
void flx_spline_natural(int n, const double *x, const double *y, double *k, double *scratch);
// Periodic: y_{n-1} = y_0, and M as well; n >= 4. scratch: 3 n.
void flx_spline_periodic(int n, const double *x, const double *y, double *k, double *scratch);

// A derivative, from 0 to 3, of a piece at u.
static inline double flx_cubic_eval(const double k[4], int derivative, double u)
{
    switch (derivative) {
    case 0:
        return k[0] + u * (k[1] + u * (k[2] + u * k[3]));
    case 1:
        return k[1] + u * (2.0 * k[2] + u * 3.0 * k[3]);
    case 2:
        return 2.0 * k[2] + u * 6.0 * k[3];
    case 3:
        return 6.0 * k[3];
    default:
        return 0.0;
    }
}
