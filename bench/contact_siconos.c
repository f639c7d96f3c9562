// contact_siconos.c - see contact_siconos.h.
#include "contact_siconos.h"

#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Singular matrices are told by one line each, hundreds of them.
static int silence(int *kept)
{
    fflush(stdout);
    *kept = dup(1);
    int nowhere = open("/dev/null", O_WRONLY);
    if (*kept < 0 || nowhere < 0) abort();
    dup2(nowhere, 1);
    return close(nowhere);
}

static void speak(int kept)
{
    fflush(stdout);
    dup2(kept, 1);
    close(kept);
}

int siconos_solve(int n, const double *W, const double *b, double friction, int newton, double tol,
                  int most, siconos_result *out)
{
    size_t m = 3 * (size_t)n;
    double *q = malloc(m * sizeof *q), *mu = malloc((size_t)n * sizeof *mu);
    double *reaction = calloc(m, sizeof *reaction), *velocity = calloc(m, sizeof *velocity);
    NumericsMatrix *M = NM_create(NM_DENSE, (int)m, (int)m);
    if (!q || !mu || !reaction || !velocity || !M) abort();
    memcpy(q, b, m * sizeof *q);
    memcpy(M->matrix0, W, m * m * sizeof *W); // symmetric: by rows as by columns
    for (int i = 0; i < n; i++) mu[i] = friction;
    FrictionContactProblem *p = frictionContactProblem_new_with_data(3, n, M, q, mu);
    SolverOptions *o =
        solver_options_create(newton ? SICONOS_FRICTION_3D_NSN_AC : SICONOS_FRICTION_3D_NSGS);
    o->iparam[SICONOS_IPARAM_MAX_ITER] = most;
    o->dparam[SICONOS_DPARAM_TOL] = tol;
    int kept = -1;
    (void)silence(&kept);
    clock_t begin = clock();
    int info = fc3d_driver(p, reaction, velocity, o);
    *out = (siconos_result){.converged = info == 0,
                            .iterations = o->iparam[SICONOS_IPARAM_ITER_DONE],
                            .residual = o->dparam[SICONOS_DPARAM_RESIDU],
                            .us = 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC};
    speak(kept);
    solver_options_delete(o);
    free(o);
    frictionContactProblem_free(p); // with M, q and mu
    free(reaction), free(velocity);
    return 1;
}
