// beam_stations.c - where the mass of a beam whose section varies is taken.
#include "math/quadrature.h"
#include "model/deformable_data.h"

void flx_beam_mass_rule(double at[FLX_BEAM_MASS_POINTS], double weight[FLX_BEAM_MASS_POINTS])
{
    enum { HALF = FLX_BEAM_MASS_POINTS / 2 };
    double x[HALF], w[HALF];
    flx_quadrature_gauss(HALF, x, w);
    for (int k = 0; k < FLX_BEAM_MASS_POINTS; k++) {
        at[k] = 0.5 * (x[k % HALF] + k / HALF);
        weight[k] = 0.5 * w[k % HALF];
    }
}
