// truss_element.c - bars with two nodes that carry a pull along their line and nothing else.
//
//     K = EA/L [d d^T, -d d^T; -d d^T, d d^T],   M = m L/6 [2 I, I; I, 2 I]                    (FE-13)
#include "fe/element.h"

#include <math.h>

flx_status flx_truss_eval(double EA, double mass, const double *x, int dimension,
                          flx_element_matrices *out)
{
    double d[3], L = 0;
    int n = 2 * dimension;
    for (int c = 0; c < 3; c++) d[c] = x[3 + c] - x[c];
    L = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (!(L > 0)) return FLX_SINGULAR;
    out->n = n;
    for (int i = 0; i < n; i++) {
        out->node[i] = i / dimension;
        out->comp[i] = i % dimension;
        for (int k = 0; k < n; k++) {
            int a = i % dimension, b = k % dimension;
            bool same = i / dimension == k / dimension;
            out->K[i * n + k] = (same ? 1 : -1) * EA / L * (d[a] / L) * (d[b] / L);
            out->M[i * n + k] = a == b ? mass * L / (same ? 3 : 6) : 0;
        }
    }
    return FLX_OK;
}
