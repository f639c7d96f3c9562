// linear_series.h - linear models along a motion: the same states, inputs and outputs at many times.
#pragma once

#include "flexion/linear.h"
#include "simulate/analyses/io_signals.h"

typedef struct flx_linear_series {
    int n, nin, nout, nt;
    double *t;             // (nt)
    double *A, *B, *C, *D; // (nt of n x n) ..., by rows
    bool rates;            // outputs contain rates of inputs, which C and D leave out
    int shifts;            // an input, of those named, that shifts the states (STATE-3); -1: none
    double *states_at, *inputs_at; // (nt x nstate) (nt x nin) of named states
    flx_state_info *states;        // (n)
    flx_arena *arena;              // owned
} flx_linear_series;

// Along a motion of the model of t.
flx_status flx_linear_series_find(flx_task *t, const flx_io_keys *keys, const flx_way_keys *way,
                                  flx_linear_series *out);
void flx_linear_series_clear(flx_linear_series *s);
// Columns "A(1, 2)" of a table, from matrices (nt of nrow x ncolumn), beginning with column `at`.
flx_status flx_linear_series_put(flx_simulation *sim, flx_finding *out, flx_finding_table *table,
                                 int at, const char *name, int nrow, int ncolumn,
                                 const double *values);
