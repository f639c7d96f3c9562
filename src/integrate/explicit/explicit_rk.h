// explicit_rk.h - the engine behind explicit Runge-Kutta methods: a method is a table of numbers.
// Theory: docs/theory/integrators.md, (DP-1) to (DP-5).
#pragma once

#include "integrate/method.h"

#define FLX_RK_SLOPES 16 // most slopes of a step, those of its dense output included
#define FLX_RK_DENSE 7   // most vectors of the dense output

// A method. Rows of weights run over the slopes: the stages, then the slope at the end (which is
// the last stage where that stage lies there), then the extra stages of the dense output.
typedef struct flx_rk_pair {
    int order;
    int stages;
    bool last_is_end; // the last stage is evaluated at the end of the step: the next one's first
    double c[FLX_RK_SLOPES];
    double a[FLX_RK_SLOPES][FLX_RK_SLOPES];
    double b[FLX_RK_SLOPES]; // of the end
    // Error: e, of order error_order - 1, damped by e3 where damps is set (DP-4).
    double e[FLX_RK_SLOPES], e3[FLX_RK_SLOPES];
    bool damps;
    // Step control: the error goes like h^error_order. Where it adds up, each step is allowed its part
    // of the time asked for, (DP-6); the power of the controller stays, which is calmer on the border of
    // stability.
    int error_order;
    bool adds_up;
    double beta; // of the PI controller
    double largest_factor, smallest_factor;
    // Dense output (DP-3): rows d beyond the three that the ends give, and stages only it needs.
    int extra, ndense;
    double d[FLX_RK_DENSE - 3][FLX_RK_SLOPES];
    // h |lambda| on the border of the region of stability, measured between the end and a stage
    // near it: the last one that is not the end.
    double stability_border;
} flx_rk_pair;

flx_status flx_rk_create(flx_integrator *it, const flx_rk_pair *pair);
flx_status flx_rk_step(flx_integrator *it, flx_state *x, double h_most, double *h_taken);
flx_status flx_rk_interpolate(flx_integrator *it, double t, flx_state *out);
void flx_rk_destroy(flx_integrator *it);
void flx_rk_memory(flx_integrator *it, flx_memory *m);
// The last accepted step, for its derivatives: where it began, and its slopes in the order of the table: the stages, then that at
// the end. careful: its stages were projected.
typedef struct flx_rk_made {
    const flx_rk_pair *pair;
    int n, slopes;
    double t, h;
    bool careful, projects;
    const double *z, *end;
    const double *k[FLX_RK_SLOPES];
} flx_rk_made;
flx_rk_made flx_rk_last(const flx_integrator *it);
// That step replaced by another.
void flx_rk_install(flx_integrator *it, const flx_rk_made *step);
// z of a state closed as a run that is differentiated does, with accelerations and multipliers.
flx_status flx_rk_close(flx_integrator *it, flx_state *x);
int flx_rk_coefficients(const flx_rk_pair *pair, flx_coefficients *out);
