// nlp.h - nonlinear programs, sparse and large: the least of f(x) with lower <= x <= upper and g_lower <= g(x) <= g_upper.
// Solved by IPOPT, where the program is built with it (nlp_ipopt.c, nlp_absent.c).
#pragma once

#include "base/common.h"

typedef struct flx_nlp {
    int n, m;                        // unknowns, conditions
    const double *lower, *upper;     // (n) -HUGE_VAL, HUGE_VAL: none
    const double *g_lower, *g_upper; // (m)
    int njac, nhess;                 // entries; those of one place are added
    const int *jac_row, *jac_col;    // (njac)
    const int *hess_row, *hess_col;  // (nhess) of the lower half
    const double *unit, *unit_g;     // (n) (m) numbers are taken as multiples of these; NULL: ones
    double unit_f;                   // of f
    double tolerance;                // of the conditions of optimality, in these units
    int most;                        // iterations
    void *user;
    // Each false where x has no values.
    bool (*value)(void *user, const double *x, double *f);
    bool (*gradient)(void *user, const double *x, double *grad);   // (n)
    bool (*conditions)(void *user, const double *x, double *g);    // (m)
    bool (*jacobian)(void *user, const double *x, double *values); // (njac)
    // factor times that of f, and those of the conditions times eta (m)
    bool (*hessian)(void *user, const double *x, double factor, const double *eta, double *values);
} flx_nlp;

typedef struct flx_nlp_report {
    int iterations, evaluations; // evaluations: of the conditions
    double value;
    double infeasible; // largest condition that is not met, in its unit
    double unbalanced; // gradient of the Lagrangian, in units of f and x
    const char *ended; // why, where it is no optimum
} flx_nlp_report;

// Whether there is a solver, and the package that has one.
bool flx_nlp_is_there(void);
#define FLX_NLP_PACKAGE "coinor-libipopt-dev"

// x (n) is the guess and becomes the solution; eta (m): multipliers. FLX_NO_CONVERGENCE, without a message, with the best
// that was found in x; FLX_ERR_UNAVAILABLE: there is no solver.
flx_status flx_nlp_solve(flx_ctx *ctx, const flx_nlp *p, double *x, double *eta,
                         flx_nlp_report *report);
