// response.h - frequency response of a simulation about a state, on the sparse blocks of its bodies (FRQ-1).
#pragma once

#include "simulate/analyses/io_slopes.h"

typedef struct flx_response {
    flx_simulation *sim;
    flx_run none;          // where no run is given
    flx_arena *arena;      // owned
    const flx_system *sys; // of bodies; borrowed
    flx_state *x;          // owned: of it
    flx_work *work;        // owned
    double *turn;          // owned: W, or NULL
    double turning[3];
    bool steady, balanced; // balanced: what moves, or forces are in balance
    flx_io_signals io;
    flx_cut_inputs inputs;
    flx_io_slopes slopes;
    flx_quadratic q;
    flx_frequency f;
    double complex *y; // (nout nin)
} flx_response;

// own: a state of the simulation's system. Inputs stay cut until it is destroyed.
flx_status flx_response_create(flx_simulation *sim, const flx_state *own, const flx_io_keys *keys,
                               flx_response *out);
void flx_response_destroy(flx_response *r);
// re, im (nout x nin) at the angular frequency w. A message says where that is a pole.
flx_status flx_response_find(flx_response *r, double w, double *re, double *im);

// The system of bodies, and the state x of it that own means; x is created.
flx_status flx_bodies_of(flx_simulation *sim, const flx_state *own, const flx_system **sys,
                         flx_state **x);
// Whether forces are in balance at x, but for rounding: accelerations are next to nothing, or forces are no more than so many
// parts of their rounding (flx_quadratic_balance).
bool flx_is_balanced(const flx_system *s, const flx_state *x, double unbalance);
// W of (MODE-1) where the state moves, else NULL; to be freed. steady: with constant coefficients.
flx_status flx_turn_of(const flx_system *s, const flx_state *x, double **turn, double turning[3],
                       bool *steady);
