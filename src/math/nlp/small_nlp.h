// small_nlp.h - nonlinear programs with few unknowns whose values are dear: the least of f(x) with lower <= x <= upper,
// g(x) <= 0 and h(x) = 0. Solved by NLopt, where the program is built with it (small_nlopt.c, small_absent.c).
//
// The solver has the last word about nothing: it may end with a success far from an optimum, and cannot do with values
// that are not numbers. Whoever calls it gives it numbers always and judges what it returns.
#pragma once

#include "base/common.h"

typedef enum flx_small_method {
    FLX_SMALL_SQP,       // sequential quadratic programming (SLSQP)
    FLX_SMALL_SEPARABLE, // separable quadratic approximations (CCSAQ); no equations
    FLX_SMALL_LINEAR,    // linear models of values alone (COBYLA)
    FLX_SMALL_GLOBAL,    // random points: CRS2, with conditions ISRES
} flx_small_method;

typedef struct flx_small_nlp {
    flx_small_method method;
    int n, ng, nh;
    const double *lower, *upper; // (n)
    const double *within;        // (ng + nh) by which a condition may be missed
    double close;                // changes of x, in parts of the bounds, at which it ends
    int most;                    // calls of `values`
    unsigned seed;
    void *user;
    // f, g (ng), h (nh) at x; slopes, where they are not NULL, of f (n), of g and h by rows. False: stop.
    bool (*values)(void *user, const double *x, double *f, double *gh, double *df, double *dgh);
} flx_small_nlp;

bool flx_small_nlp_is_there(void);
#define FLX_SMALL_NLP_PACKAGE "libnlopt-dev"

// x (n) is the guess and becomes the point at which the solver ended. *why: in words. FLX_ERR_UNAVAILABLE: there is none.
flx_status flx_small_nlp_solve(flx_ctx *ctx, const flx_small_nlp *p, double *x, const char **why);
