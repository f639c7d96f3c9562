// explicit_rk_parts.h - what the files of the engine share: explicit_rk.c the steps, explicit_control.c how long they are,
// explicit_rk_made.c the last one as derivatives take it.
#pragma once

#include "integrate/explicit/explicit_close.h"
#include "integrate/explicit/explicit_rk.h"

typedef struct explicit_rk {
    const flx_rk_pair *pair;  // borrowed
    const flx_explicit *form; // borrowed
    int n;                    // numbers in z
    bool projects;            // to the constraints after each step
    double rtol, atol;
    double h, error;     // proposed step; error of the last accepted one
    bool rejected;       // the last attempt was
    int careful;         // steps for which stages are still projected
    double usual;        // step of late
    double regularity;   // of the constraints, the least of the attempt; 0: not known
    int stiff, nonstiff; // steps in a row on the border of stability, off it
    bool warned;
    double *z, *z1, *y;          // beginning, end, stage
    double *near;                // the stage, projected; scratch between steps
    double *k[FLX_RK_SLOPES];    // k[0] belongs to z; k[slopes - 1] to the end
    double *dense[FLX_RK_DENSE]; // (DP-3)
    double t0, h0;               // of the last accepted step, which begins at z1 and ends at z
    bool dense_ready;            // dense is that of the last accepted step
    bool lost;                   // what was within the last step: z1, slopes but the first, dense
    flx_state *trial;            // where stages are evaluated
    flx_closer *closer;          // where ends have derivatives (flx_method.own_normals)
    bool was_careful;            // in the last step
} explicit_rk;

// The stages and the slope at the end.
int flx_rk_slopes(const flx_rk_pair *r);
// The slopes of the last accepted step in the order of the method's table.
void flx_rk_slopes_of_last(const explicit_rk *p, double *k[FLX_RK_SLOPES]);

// In tolerances: how far the projection threw the end z1 of a step from `near`, where that is too far; else 0.
double flx_rk_thrown(const explicit_rk *p);

// The length of the next step after one of length h that was accepted.
double flx_rk_next_step(explicit_rk *p, double h, double error);

// How often this step was tried, from which length, and how large its error may be.
typedef struct flx_rk_attempt {
    int rejections;
    double first, allowed, last;
    bool far; // the last try ended far from the constraints
} flx_rk_attempt;

// The next length to try after h; error HUGE_VAL: it could not be evaluated.
void flx_rk_shorten(flx_integrator *it, double h, double error, double smallest, flx_rk_attempt *a);

// far: the last tries ended far from the constraints.
flx_status flx_rk_give_up(flx_integrator *it, flx_status last, bool far);
