// io_signals.h - outputs and named states of an analysis as signals of a simulation.
#pragma once

#include "model/linear_keys.h"
#include "simulate/analyses/performer.h"
#include "simulate/linear/linear_about.h"

typedef struct flx_io_signals {
    const flx_io_keys *keys; // borrowed
    int n;                   // outputs, then states
    flx_formulas formulas;
    flx_signals signals;
    const char **names, **units; // (n)
    const char **inputs;         // (nin) names
    int *places;                 // (n) 0, 1, 2, ...
    flx_arena *arena;
    bool turns;               // states turn with a steady motion,
    flx_steady_motion motion; // ... which this one then is
    int shifts;               // an input whose rates act on the states, of its inputs; -1: none
} flx_io_signals;

flx_status flx_io_signals_create(flx_simulation *sim, const flx_io_keys *keys, flx_io_signals *out);
// The linear model between them about a state of sim->sys.
flx_status flx_io_signals_linear(flx_io_signals *s, flx_simulation *sim, const flx_state *at,
                                 flx_linear_model *out);
// A state by its name, as "hinge angle'".
void flx_name_state(const flx_state_info *s, size_t size, char *text);
// Where the state of the model moves, and not steadily, a line says so: its coefficients are those of an instant.
flx_status flx_io_signals_tell_moving(const flx_io_signals *s, flx_simulation *sim,
                                      const flx_linear_model *m, flx_finding *out);
void flx_io_signals_clear(flx_io_signals *s);
