// linear_about.h - a model linearised about any state of its system (flexion/linear.h, STATE-1).
#pragma once

#include "flexion/linear.h"
#include "simulate/simulation_parts.h"

// Whether the state moves steadily, and the angular velocity of the axes in which its coefficients are constant.
typedef struct flx_steady_motion {
    bool steady;
    double turning[3];
} flx_steady_motion;

typedef struct flx_linear_request {
    flx_simulation *sim;
    flx_run *run;             // NULL: none; the simulation has no other system
    const flx_state *at;      // of sim->sys
    flx_signals *signals;     // outputs and states are some of them
    const char *const *names; // of the signals
    int nin, nout, nstate;
    const int *inputs;           // (nin) of the model
    const int *outputs, *states; // (nout) (nstate) among the signals; no states: free coordinates
    bool closed;
    flx_steady_motion
        *motion; // NULL: of states that move A is that of an instant, however they move (STATE-8)
    int *
        shifts; // NULL, or receives an input whose rates act on the states, which are shifted by it (STATE-3); -1: none
} flx_linear_request;

// Inputs and switches are as they were afterwards.
flx_status flx_linear_find(const flx_linear_request *r, flx_linear_model *out);
