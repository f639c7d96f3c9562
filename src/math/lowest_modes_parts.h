// lowest_modes_parts.h - what the files of the eigenvalue solver share: modes.c the shift, the count, the
// result; lanczos.c the iteration.
#pragma once

#include "math/lowest_modes.h"

// Block Lanczos in the inner product of M: Q^T M Q = I, H = Q^T M (K - shift M)^-1 M Q. All of it in the
// order of elimination.
typedef struct flx_lanczos {
    flx_ctx *ctx;
    const flx_symmetric *M; // without zeros
    flx_frontal *factor;
    int n, p;          // unknowns, vectors of a block
    int room;          // vectors that fit into Q
    int m;             // vectors whose columns of H are known
    double *Q;         // (n, room + p) the last p after m are the next block
    double *MQ;        // (n, p) M times the next block
    double *H;         // (room, room) by columns, symmetric
    double *B;         // (p, p) coupling of the next block: W = Q_next B
    double *h;         // (room + p, p) coefficients of a block
    double *Y, *theta; // (room, room), (room) Ritz vectors and values, largest theta first
    double *error;     // (room) residual of a Ritz pair
    double *copy;      // rows of Q while a restart mixes them
    uint64_t seed;
    bool exhausted; // no vector is left that the operator does not know: Ritz pairs are exact
    int blocks, solves, restarts;
} flx_lanczos;

flx_status flx_lanczos_init(flx_lanczos *l, flx_ctx *ctx, const flx_symmetric *M,
                            flx_frontal *factor, int p, int room);
void flx_lanczos_clear(flx_lanczos *l);
// One block more; then Ritz values and their residuals are new. Restarts with `keep` vectors when Q is
// full.
flx_status flx_lanczos_step(flx_lanczos *l, int keep);
// Vector i of the Ritz vectors: x (n) = Q y.
void flx_lanczos_vectors(const flx_lanczos *l, int count, double *X);
