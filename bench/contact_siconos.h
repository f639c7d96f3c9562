// contact_siconos.h - one cone problem by solvers of Siconos, beside ours.
#pragma once

typedef struct siconos_result {
    int converged, iterations;
    double residual; // by their own measure
    double us;       // of the processor
} siconos_result;
// Groups of three rows each, normal first: W (3n x 3n) symmetric, b (3n), one coefficient of friction for all. newton: NSN_AC in the
// place of NSGS. 0: it could not.
int siconos_solve(int n, const double *W, const double *b, double friction, int newton, double tol,
                  int most, siconos_result *out);
