// linear_inputs.h - inputs as a linear model sees them: polynomials about the time of a state, the loop cut or closed.
#pragma once

#include "simulate/run_parts.h"

typedef struct flx_cut_inputs {
    flx_run *run; // borrowed
    int nin;
    const int *inputs; // (nin) borrowed: of the model
    double *numbers;   // (nin FLX_INPUT_NUMBERS) as they count here
    double *kept;      // the same as the run has them
} flx_cut_inputs;

// From here on inputs are polynomials about the time of `at`, a state of the simulation's system; the loop is cut, but for
// motions, which are of the time alone. Memory is the arena's.
flx_status flx_cut_inputs_begin(flx_run *run, const flx_state *at, bool closed, int nin,
                                const int *inputs, flx_arena *arena, flx_cut_inputs *out);
// As the run had them.
void flx_cut_inputs_end(const flx_cut_inputs *c);
// Input k with one of its numbers changed by d.
void flx_cut_inputs_change(const flx_cut_inputs *c, int k, int part, double d);
// A typical size of that number.
double flx_cut_inputs_size(const flx_cut_inputs *c, int k, int part);
// Whether it is the motion of a joint, so that its rates count.
bool flx_cut_inputs_moves(const flx_cut_inputs *c, int k);
