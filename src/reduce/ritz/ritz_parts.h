// ritz_parts.h - what the files of the Ritz model share: ritz.c the search, ritz_blocks.c the blocks, ritz_certify.c the error, ritz_damped.c damping
// that is not in proportion.
#pragma once

#include "reduce/ritz/ritz.h"

typedef struct flx_ritz_blocks {
    flx_ritz *r;
    const flx_shape_search *q;
    flx_ctx *ctx;
    size_t n;
    int p, m, room, last; // ports; vectors; room for them; those of the last block
    double *Q;            // (room, n)
    double *K, *G, *b;    // (room, room) Q^T K Q, Q^T M N^-1 M Q; (p, room) Q^T B
    double *c;            // (p, room) (N^-1 M Q)^T B
    double *E;            // (last, last) of the last block: (N^-1 M Q)^T M N^-1 M Q
    double *X, *Y, *W;    // (most of a block, n) scratch
    double lowest;        // Ritz value
} flx_ritz_blocks;

// Y = M X of k vectors; X without rigid motion; room for more vectors.
void flx_ritz_blocks_mass(const flx_ritz_blocks *l, int k, const double *X, double *Y);
void flx_ritz_blocks_center(const flx_ritz_blocks *l, int k, double *X);
flx_status flx_ritz_blocks_reserve(flx_ritz_blocks *l, int more);
// The two parts of flx_ritz_blocks_add: the vectors, and what is measured of the last block.
flx_status flx_ritz_blocks_take(flx_ritz_blocks *l, int k, double *X);
flx_status flx_ritz_blocks_measure(flx_ritz_blocks *l);
// The columns of X (k, n) that are new become the next block; then what it has of K, M N^-1 M and B is measured.
flx_status flx_ritz_blocks_add(flx_ritz_blocks *l, int k, double *X);
// Solve N X = X for k vectors, without rigid motion.
void flx_ritz_blocks_solve(flx_ritz_blocks *l, int k, double *X);
// Ritz pairs of what is there, Y (m, m) the vectors in Q; and their certificate, over a new grid.
flx_status flx_ritz_blocks_model(flx_ritz_blocks *l, double *Y);
flx_status flx_ritz_blocks_certify(flx_ritz_blocks *l);
// Ritz vectors of all unknowns: r->Q.
flx_status flx_ritz_blocks_keep(flx_ritz_blocks *l, const double *Y);

// ritz_damped.c: vectors for damping that is not in proportion, till the estimate is below the tolerance.
flx_status flx_ritz_damp(flx_ritz_blocks *l, double tolerance);
