// linearising.h - a run while it is linearised about its state: run_linear.c, what its user is told linear_tell.c.
#pragma once

#include "analyse/minimal.h"
#include "math/slope.h"
#include "simulate/linear/linear_about.h"
#include "simulate/linear/linear_inputs.h"

#define FLX_LINEAR_STEP 2e-3 // of typical sizes

typedef struct flx_linearising {
    flx_run *run;
    flx_simulation *sim;
    const flx_state *about;   // borrowed
    flx_signals *signals;     // borrowed; outputs are some of them
    const char *const *names; // of the signals
    flx_arena *arena;         // owned by the result
    flx_minimal *m;
    flx_state *x; // scratch
    const flx_io *io;
    int n, nf; // states; values of f: their rates, then outputs
    double *f0, *out, *scratch;
    double *d; // (n) where the states are
    flx_cut_inputs inputs;
    double *indicators, *reach; // at the state, and how far a step moves them
    double *moved;
    double *change, *rough,
        *corner; // (nf) typical change of each value; errors of its slopes, and corners, as changes
    char *doubt; // (nout x (n + 3 nin)) slopes of outputs that may be rounding
    // what is changed
    int state;                 // -1: inputs
    int part;                  // of the inputs
    const double *seed;        // (nin)
    flx_steady_motion *motion; // borrowed; see flx_linear_request
    bool fixed;                // positions and velocities stay
    int shifts;                // an input whose rates act on the states; -1: none
    const double *rate;        // (n) as the state moves on
    double *wide;              // (nf) scratch
} flx_linearising;

// Rates and outputs (nf) where what the fields above name is changed by d.
flx_status flx_linearising_evaluate_at(void *linearising, double d, double *f);
// Slopes of rates and outputs along what is set, by steps of this length, into l->out; *s says how sure they are.
flx_status flx_linearising_slope(flx_linearising *l, double step, flx_slope *s);
// input_columns.c: their slopes by the value, the slope or the curvature of each input: B (n x nin), D (nout x nin). After those by
// states.
flx_status flx_linearising_find_inputs(flx_linearising *l, int part, double *B, double *D);
// A typical size of a state.
double flx_linearising_typical(const flx_linearising *l, int i);
// turned_states.c: A of a steady motion in axes that turn with it; of others it stays as it is.
flx_status flx_linearising_turn(flx_linearising *l, flx_steady_motion *motion,
                                flx_linear_model *out);
// Slopes of outputs that are not told from zero, of a column of `doubt`; and at last those that are slight beside others are none.
void flx_linearising_doubt(flx_linearising *l, const flx_slope *s, int col);
void flx_linearising_clear_doubtful(const flx_linearising *l, flx_linear_model *out);
// What is known of the slopes of each value, in parts of its typical change.
void flx_linearising_note(flx_linearising *l, const flx_slope *s);
void flx_linearising_tell_errors(const flx_linearising *l);
// Outputs whose first derivatives are none, as a height at its lowest point: their rows become zeros, and this is told.
flx_status flx_linearising_clear_rounding(flx_linearising *l, flx_linear_model *out);
void flx_linearising_tell_switches(flx_linearising *l);
