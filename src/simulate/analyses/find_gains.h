// find_gains.h - what analyses of type lqr and kalman share: the linear model about their state, and what is shown of it.
#pragma once

#include "flexion/linear.h"
#include "model/gain_keys.h"
#include "simulate/analyses/io_signals.h"

typedef struct flx_gains {
    flx_simulation *sim;
    const flx_gain_keys *keys;
    flx_finding *out;
    const char *name; // of the analysis
    flx_loc loc;
    flx_io_signals io;
    flx_linear_model m;
    double *work; // owned
} flx_gains;

// The model, and its values as matrices states_at, inputs_at, measured_at.
flx_status flx_gains_begin(flx_task *t, flx_finding *out, flx_gains *g);
void flx_gains_end(flx_gains *g);
// Refuses a mode that does not decay and is not reached (dual: not seen), by its s and its states.
flx_status flx_gains_check(flx_gains *g, bool dual);
flx_status flx_gains_matrix(flx_gains *g, const char *name, int nrow, int ncolumn,
                            const double *values);
// Poles of a loop F (n x n, by rows): a table, of samples with z.
flx_status flx_gains_poles(flx_gains *g, const double *F);
