// reference_motion.h - states along a motion, about which analyses with `every` linearise: that of the run, or the one that
// another analysis has found on a grid.
#pragma once

#include "flexion/run.h"
#include "model/linear_keys.h"
#include "simulate/analyses/performer.h"

typedef struct flx_reference {
    flx_simulation *sim; // whose states these are; borrowed
    int n;               // times
    double *t;           // (n) owned
    // along the run
    flx_model model; // a copy of the model, which awaits nothing
    flx_system *system;
    flx_run *run;
    // along another motion
    const flx_analysis *of;
    int nin;
    const int *inputs; // (nin) that it has found, of the model; borrowed
    double *u;         // (n x nin) owned
    flx_state **nodes; // (n) owned
} flx_reference;

// Times from the beginning of the motion to its end, every so often; the last one is the end.
flx_status flx_reference_begin(flx_simulation *sim, const flx_way_keys *way, flx_reference *out);
// The state x of the simulation's own system at time k; one after the other, upwards.
flx_status flx_reference_take(flx_reference *r, int k, flx_state *x);
// Refuses values u (nin) of inputs of the model at time k that are not those of the motion.
flx_status flx_reference_check(const flx_reference *r, int k, int nin, const int *inputs,
                               const double *u);
void flx_reference_end(flx_reference *r);
