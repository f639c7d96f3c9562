// io_slopes.h - slopes of residuals and outputs by inputs and by what outputs read, at a state (FRQ-1).
#pragma once

#include "analyse/linear/frequency.h"
#include "simulate/analyses/io_signals.h"
#include "simulate/linear/linear_inputs.h"

typedef struct flx_io_slopes {
    double *R[3]; // (n x nin) by rows; of rates NULL where nothing reads those of the inputs
    double *D[3]; // (nout x nin) by rows
    flx_read_slopes H;
} flx_io_slopes;

// Of sys, the simulation's system or its bodies, at x, with inputs that are cut. Memory is the arena's.
flx_status flx_io_slopes_find(flx_simulation *sim, const flx_system *sys, const flx_state *x,
                              const flx_cut_inputs *inputs, flx_io_signals *io, flx_arena *arena,
                              flx_io_slopes *out);
