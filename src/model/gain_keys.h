// gain_keys.h - what analyses of type lqr and kalman know of their own: plain data in the model's arena.
#pragma once

#include "model/linear_keys.h"

typedef struct flx_gain_keys {
    flx_io_keys io;    // states are the signals; outputs what is measured
    double *of_states; // (n x n) weights, of a filter the intensity of noise; NULL: none
    double *of_inputs; // (nin x nin) weights, of a filter the intensity of noise; NULL: none
    double *measured;  // (nout x nout) noise of a filter
    double *end;       // (n x n) weights of the last state along a run; NULL: none
    bool steady_end;   // they are the cost of the steady regulator there
    double sample;     // 0: continuous
    flx_way_keys way;
} flx_gain_keys;
