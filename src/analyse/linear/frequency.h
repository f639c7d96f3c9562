// frequency.h - what a linearised system answers to inputs e^(s t), directly on its sparse blocks.
//
//     (s^2 Q2 + s Q1 + Q0) z = -(R0 + s R1 + s^2 R2) u,   z = (theta, x, w, lambda, mu)          (FRQ-1)
//     y = H (theta, v, a, x, x', w, lambda, mu) + (D0 + s D1 + s^2 D2) u,   v = (s + W) theta, a = (s + L) v
//
// No null spaces: constraints are rows of their own. One complex factorisation per frequency serves all inputs.
#pragma once

#include "analyse/modes/quadratic.h"

// What outputs read of a state, one after another.
enum {
    FLX_READ_THETA,
    FLX_READ_V,
    FLX_READ_A,
    FLX_READ_X,
    FLX_READ_DX,
    FLX_READ_W,
    FLX_READ_LAM,
    FLX_READ_MU,
    FLX_READS
};
// Numbers before each part, and in all: start (FLX_READS + 1).
void flx_reads_of(const flx_dims *d, int start[FLX_READS + 1]);

// Slopes of outputs by what they read, by rows.
typedef struct flx_read_slopes {
    int nout;
    int *row; // (nout + 1)
    int *col; // numbers of flx_reads_of
    double *value;
} flx_read_slopes;

typedef struct flx_frequency {
    flx_quadratic *q;   // borrowed; its Q are taken as they are
    const flx_state *x; // borrowed: the state that it is about
    const double *turn; // W of (MODE-1), or NULL
    int nin;
    const double *R
        [3]; // (n x nin) by rows: slopes of the residual by inputs, their rates, and second derivatives
    const flx_read_slopes *H;
    const double *D[3]; // (nout x nin) by rows: slopes of outputs by inputs at once; NULL: zero
    // its own
    flx_lu *lu;
    double complex *Q, *z, *c, *read; // values on the pattern; (n) (n) (reads)
    double *brackets;                 // W and L of blocks, one after another
    flx_arena *arena;
} flx_frequency;

flx_status flx_frequency_create(flx_frequency *f);
void flx_frequency_destroy(flx_frequency *f);
// y (nout x nin) at s. FLX_SINGULAR without a message: s is a pole, or what is free moves without bound at s = 0.
flx_status flx_frequency_find(flx_frequency *f, double complex s, double complex *y);
