// polynomial.h - a polynomial with given coefficients, and its derivatives.
#pragma once

// A derivative of k[0] + k[1] u + ... + k[terms - 1] u^(terms - 1).
static inline double flx_polynomial_eval(int terms, const double *k, int derivative, double u)
{
    double y = 0.0;
    for (int j = terms - 1; j >= derivative; j--) {
        double factor = 1.0;
        for (int d = 0; d < derivative; d++) factor *= j - d;
        y = y * u + factor * k[j];
    }
    return y;
}
