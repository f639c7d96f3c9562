// beam_rule.c - polynomials and points of beam elements.
#include "body/beam_exact.h"
#include "math/quadrature.h"

void flx_beam_rule_make(int nnode, flx_beam_rule *rule, double *x, double *weight)
{
    double at[FLX_BEAM_NODES];
    *rule = (flx_beam_rule){.nnode = nnode, .npoint = nnode - 1};
    flx_quadrature_lobatto(nnode, x, weight);
    flx_quadrature_gauss(rule->npoint, at, rule->w);
    for (int g = 0; g < rule->npoint; g++) {
        flx_lagrange_eval(nnode, x, at[g], rule->N[g], rule->dN[g]);
    }
}
