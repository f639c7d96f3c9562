// cost_units.h - units of states and inputs in which a plant and what it costs are of like size.
#pragma once

#include <stdbool.h>

// x = D x', u = S u', powers of two (d (n), s (m)): R' has ones on its diagonal, and the rows and columns of
//     [A' -B' R'^-1 B'^T; -Q' -A'^T]
// are of like size (RIC-10). All by rows, R by its diagonal alone. Whether that makes the largest number far smaller.
bool flx_cost_units(int n, int m, const double *A, const double *B, const double *Q,
                    const double *R, bool sampled, double *d, double *s);
