// frozen.h - the equations of a system frozen at a state, and split into a part J that is fast and the
// rest: what theory/reduction.md asks before the inertia of J is neglected.
//
// With w and soft constraints eliminated, and rigid constraints G,
//     M theta'' + D theta' + K theta + Kx x = 0,   G theta = 0,   x' + X1 theta' + X0 theta + Xx x = 0
// theta = Z y + P z, P^T M Z = 0, where Z moves the others alone and P moves J with what follows of
// the others: P^T M P is the inertia that a reduction neglects                          (CERT-1)
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

typedef struct flx_frozen {
    flx_ctx *ctx; // borrowed
    int nv, nx, nh;
    double *M, *D, *K; // (nv x nv) column-major
    double *Kx;        // (nv x nx)
    double *X0, *X1;   // (nx x nv)
    double *Xx;        // (nx x nx)
    double *G;         // (nh x nv) rigid constraints
    double *scale;     // (nv) of coordinates
    int nfree;         // moves that the constraints leave, once they are found
    double *free;      // (nv x nfree)
} flx_frozen;

#define FLX_FROZEN_MOST 400 // unknowns: dense matrices, a second at the most

// Memory is the arena's. FLX_ERR_CANNOT without a message: too large; positive: not to be evaluated.
flx_status flx_frozen_create(const flx_system *s, flx_work *work, const flx_state *x,
                             flx_arena *arena, flx_frozen *f);

// What the split at J is like; rates in 1/s. theory/reduction.md, "The certificate".
typedef struct flx_split {
    bool bears;         // G_I has full rank: the rest bears the reactions
    double rank;        // its smallest singular value over the largest, in the metric of M
    bool known;         // the numbers below mean something: J has inertia, the rest, too
    bool vibrates;      // the layer is of positions and velocities of J; else of velocities alone
    int layer, all;     // eigenvalues that the reduction takes away, of so many
    double fast;        // smallest |s| of them
    double fastest;     // largest
    double decay;       // -largest Re s of them: > 0, the layer decays
    double next;        // largest |s| of the other eigenvalues of the whole system; 0: none
    double gap;         // fast / next; HUGE_VAL: nothing else moves
    double norm;        // logarithmic norm of the fast part, of energies                (CERT-2)
    double weighted;    // in the norm of its eigenvectors: its spectral abscissa        (CERT-3)
    double condition;   // of these eigenvectors: the constant that this norm costs
    double beta, gamma; // of the uniform bound (CERT-4), in the norms of eigenvectors
    double product;     // L2 L3
    bool along;         // in coordinates along the slow manifold (CERT-5); else as they are
} flx_split;

// Terms of the expansion fall with the square of the gap: the second is then at most a quarter of the first,
// which is looked at.
#define FLX_SPLIT_GAP 2.0

static inline bool flx_split_is_uniform(const flx_split *s)
{
    return s->beta > 0.0 && s->gamma > 0.0 && s->product < s->beta * s->gamma;
}

// For a quick look at many splits: the moves that the constraints leave, the arena's. Splits are then made of
// these, without norms and the uniform bound.
flx_status flx_frozen_free(flx_frozen *f, flx_arena *arena);

// J: n velocities, ascending. inertia (n x n) or NULL: P^T M P in the coordinates of J. Fails for want of
// memory alone.
flx_status flx_split_find(const flx_frozen *f, int n, const int *J, flx_split *out,
                          double *inertia);

// The moves of (CERT-1) themselves, in coordinates of the system: Z with masses of one, P with J moved by one.
typedef struct flx_split_moves {
    int my;
    double *Z, *P; // (nv x my) (nv x n), column-major; the arena's
} flx_split_moves;
// FLX_SINGULAR, without a message: they do not exist.
flx_status flx_split_basis(const flx_frozen *f, int n, const int *J, flx_arena *arena,
                           flx_split_moves *out);

// frozen_uniform.c: norm, weighted, condition, beta, gamma, product, along of
// (y; z)' = (fy fz; gy gz) (y; z), B (m x m) with the last nf unknowns fast.
flx_status flx_split_find_norms(flx_ctx *ctx, flx_arena *arena, int m, int nf, const double *B,
                                flx_split *out);
