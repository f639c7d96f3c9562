// newton_matrix.h - the Newton matrix of any method on any system, and how it is solved.
//
//     J = c2 A2 + c1 A1 + c0 A0,   J d = b,   d = (dtheta, dx, dw, dlambda, dmu)     (SYS-7)
//
// Methods speak of J as it stands. Inside, the columns of theta are divided by c2, constraint rows by
// (sigma + tau c1)/c2, velocity rows by c1/c2 and state rows by cx, so that the blocks are
// M + D c1/c2 + K/c2, G and A: no entry depends on the step as h goes to zero, and the matrix is
// as symmetric as the mechanics is. Theory: docs/theory/linear_algebra.md.
//
// Three solvers: the system's own factor and solve where it has them; the symmetric part by our
// block LDL where there are bodies and constraints only; KLU for the rest, and where the measured
// contraction says that the symmetric part does not do. Of large matrices with much fill the symmetric
// part is factored in any case, and serves as the preconditioner of the whole (krylov.h).
#pragma once

#include "base/checkpoint_walk.h"
#include "base/common.h"
#include "flexion/extend/system_table.h"
#include "math/complex_number.h"

// dq = c0 dtheta, dv = c1 dtheta, dv' = c2 dtheta, dx' = cx dx; everything else times c0.
typedef struct flx_weights {
    double complex c0, c1, c2, cx;
} flx_weights;

// The blocks of one linearisation, allocated on the pattern of a system.
flx_status flx_blocks_create(const flx_system *s, flx_blocks *b);
void flx_blocks_destroy(flx_blocks *b);
// One of A0, A1, A2 (which: 0, 1, 2) as a full matrix, n x n, row by row; u (2 n) is scratch.
void flx_blocks_spread(const flx_system *s, flx_work *w, const flx_blocks *b, int which, double *u,
                       double *A);

typedef struct flx_linear flx_linear;

// One for each weight that is kept factored at the same time.
flx_status flx_linear_create(const flx_system *s, bool complex_weight, flx_linear **lin);
void flx_linear_destroy(flx_linear **lin);

// Nothing is allocated, but where the pattern has changed or the solver has to. FLX_SINGULAR when
// no solver could factor the matrix, FLX_NOT_FINITE when that is why.
flx_status flx_linear_factor(flx_linear *lin, const flx_blocks *b, const flx_weights *w);

// In place, n numbers. Not refined: a Newton iteration is its own refinement.
flx_status flx_linear_solve(flx_linear *lin, double *d);
flx_status flx_linear_solve_complex(flx_linear *lin, double complex *d);

// How fast Newton went with fresh factors, |correction k+1| / |correction k|. Twice above 0.3 with
// the symmetric part, and not at a singular position: from the next factorisation on the full
// matrix is taken; twice above it with that one, too: the symmetric part again, for good. True when
// a change has just been decided.
bool flx_linear_judge(flx_linear *lin, double contraction);
// The full matrix from the next factorisation on, for iterations that nobody judges.
void flx_linear_take_full(flx_linear *lin);
// The same for equilibria, where the weights of the inertia only hold what nothing else does.
void flx_linear_take_rest(flx_linear *lin);

// What the last factorisation met.
typedef struct flx_linear_report {
    bool symmetric;     // by LDL
    int negative;       // pivots, by LDL: those beyond the constraints are directions that give way
    int sign;           // of the determinant, rows and columns scaled; 0: not known
    int regularised;    // pivots that were moved
    double pivot_ratio; // smallest / largest
    int worst;          // unknown of the smallest pivot; -1: not known
} flx_linear_report;
flx_linear_report flx_linear_get_report(const flx_linear *lin);

// Whether its factors can be made again of the blocks and weights of the last ones, to the last bit.
bool flx_linear_follows(const flx_linear *lin);
// Factors and the choice of the solver; the numbers of a linearisation (base/checkpoint_walk.h).
void flx_linear_memory(flx_linear *lin, flx_memory *m);
void flx_blocks_memory(const flx_system *s, flx_blocks *b, flx_memory *m);

// The diagonal (nv) of the masses in A2.
void flx_blocks_masses(const flx_system *s, const flx_blocks *blocks, double *mass);
