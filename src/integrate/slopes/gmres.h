// gmres.h - a linear system that is known by its products, with a solver that nearly inverts it.
//
// GMRES, preconditioned from the right, with restarts: what is left is that of the system itself.
// Saad and Schultz, SIAM J. Sci. Stat. Comput. 7 (1986) 856-869.
#pragma once

#include "base/common.h"

typedef struct flx_gmres flx_gmres;

typedef struct flx_gmres_system {
    void *user;
    flx_status (*product)(void *user, const double *x, double *out);
    void (*solve)(void *user, double *x); // in place, nearly
} flx_gmres_system;

flx_status flx_gmres_create(flx_ctx *ctx, int n, flx_gmres **out);
void flx_gmres_destroy(flx_gmres **g);
// x (n) receives the solution of size n, at most that of create; *left: how far it is off, as a part of it, as far as it gets.
flx_status flx_gmres_solve(flx_gmres *g, int n, const flx_gmres_system *s, const double *b,
                           double *x, double *left);
