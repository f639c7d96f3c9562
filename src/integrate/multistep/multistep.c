// multistep.c - coefficients of multistep methods from backward differences.
#include "integrate/multistep/multistep.h"

// out_j += factor times the coefficient of y_1-j in nabla^m: (-1)^j binomial(m, j)
static void add_difference(int m, double factor, double *out)
{
    double binomial = factor;
    for (int j = 0; j <= m; j++) {
        out[j] += binomial;
        binomial *= -(double)(m - j) / (j + 1);
    }
}

void flx_multistep_bdf(int k, flx_coefficients *out)
{
    out->scheme = FLX_SCHEME_MULTISTEP;
    out->s = k;
    out->beta_j[0] = 1.0;
    for (int m = 1; m <= k; m++) add_difference(m, 1.0 / m, out->alpha_j);
}

void flx_multistep_adams(int k, flx_coefficients *out)
{
    double gamma[FLX_STAGES_MAX + 1] = {1.0};
    out->scheme = FLX_SCHEME_MULTISTEP;
    out->s = k > 1 ? k - 1 : 1;
    out->alpha_j[0] = 1.0;
    out->alpha_j[1] = -1.0;
    for (int m = 0; m < k; m++) {
        for (int j = 0; j < m; j++) gamma[m] -= gamma[j] / (m + 1 - j);
        add_difference(m, gamma[m], out->beta_j);
    }
}
