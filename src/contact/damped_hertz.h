// damped_hertz.h - Hertz's law with damping that grows with the fourth root of the depth and never pulls (DEM-1):
//     F = max(0, 4/3 E* a d + c d'),  c = 2 sqrt(5/6) beta sqrt(2 E* a m*),  a = sqrt(R* d)
// Its restitution depends on beta alone, and is larger than that of the law that may pull.
#pragma once

// beta for a restitution e, 0 < e <= 1; the restitution of beta.
double flx_damped_hertz_beta(double e);
double flx_damped_hertz_restitution(double beta);
