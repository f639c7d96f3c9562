// quasistatic_parts.h - what the files of the quasi-static reduction share.
//
// J are the velocities to reduce, I the others, k the factor, alpha the mass-proportional damping.
// The base is taken at another acceleration and with other multipliers,
//     r(t, q, v, a = (s_I, -alpha v_J), lambda = eta) = slow                          (RED-2)
//     d = r(t, q, v, v', lambda) - slow = M (v' - (s_I, -alpha v_J)) + G^T (lambda - eta)
//     d_I = 0                                                                         (RED-3)
//     G (s_I, -alpha v_J) + bias(t, q, v) = 0                                         (RED-4)
//     slow_I = 0,   slow_J + k d_J = 0
// so that nothing but the base's own operations is needed. s and eta are algebraic unknowns, kept
// only where M or constraints link an unknown to J: elsewhere s_i = v_i' and eta_i = lambda_i. Rows:
// those of velocities have slow + k d for J, slow for what is not linked, (RED-3) for what is; the
// rows of s have slow, those of eta (RED-4).
//
//     quasistatic.c          made, destroyed, what an unknown is
//     quasistatic_links.c    which unknowns are linked to J; what cannot be reduced
//     quasistatic_pattern.c  the pattern, from that of the base
//     quasistatic_eval.c     the slow point, residual
//     quasistatic_energy.c   energies
//     quasistatic_tangent.c  the tangent
//     quasistatic_explicit.c the form for explicit methods
//     wrapper.c              all that is the base's
#pragma once

#include "base/common.h"
#include "math/lu.h"
#include "reduced/quasistatic.h"
#include "system/wrapper.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct flx_quasistatic {
    flx_wrapper z;
    double factor, mass_damping;
    int nreduced;    // J
    int first_row;   // of the base's unknowns
    int nlinked;     // velocities with an s
    int nclosing;    // constraints with an eta
    bool *reduced;   // (nv)
    int *same;       // (n of the base) its unknowns here
    int *copy;       // (n of the base) s of a velocity, eta of a constraint; -1: none
    int *origin;     // (s and eta) the base's unknown
    double *typical; // (s and eta) their scales
    double *sigma;   // (nlam) of a constraint
    double *tau;     // (nlam) ..., 0: it holds positions
    int *entry; // (4 entries of the base) those here: same-same, same-copy, copy-same, copy-copy
    int *
        group; // (nv) velocities that no closing constraint has two of; -1: in no closing constraint
    int ngroup;
    double *scale; // (nv) typical velocities
} flx_quasistatic;

typedef struct flx_quasistatic_solver flx_quasistatic_solver;

typedef struct flx_quasistatic_work {
    flx_wrapper_work base;
    flx_lu *lu;                     // owned; (RED-8), where there are energies and links
    double *values;                 // ... on the pattern of the base
    double *carried;                // (n of the base) its solution
    flx_quasistatic_solver *solver; // owned; for the explicit form, made when asked for
    flx_blocks slow, fast;          // tangents of the base at the two points
    double *a, *lam;                // (nv) (nlam) of the slow point
    double *r, *r2;                 // (n of the base)
    double *zero;                   // (nv)
    double *theta;                  // (nv) a direction
    double *rate, *rate0;           // (nlam)
    double *bias;                   // (nlam + nmu)
    double *side[2];                // (nlam)
    double *G, *dq, *dv;            // (nlam) one group's columns
} flx_quasistatic_work;

static inline const flx_quasistatic *flx_quasistatic_of(const flx_system *s)
{
    return (const flx_quasistatic *)s;
}

static inline flx_quasistatic_work *flx_quasistatic_work_of(flx_work *w)
{
    return (flx_quasistatic_work *)w;
}

// links
flx_status flx_quasistatic_find_links(flx_quasistatic *z);
// pattern, and the groups of velocities
flx_status flx_quasistatic_make_pattern(flx_quasistatic *z);
flx_status flx_quasistatic_make_groups(flx_quasistatic *z);

// evaluation
void flx_quasistatic_point(const flx_system *s, flx_work *w, flx_point *p); // the slow one
void flx_quasistatic_seen_point(const flx_system *s, flx_work *w, flx_point *p);
void flx_quasistatic_seen_state(const flx_system *s, flx_work *w, flx_state *x);
flx_status flx_quasistatic_residual(const flx_system *s, flx_work *w, const flx_point *p,
                                    double *r);
flx_status flx_quasistatic_energy(const flx_system *s, flx_work *w, const flx_point *p,
                                  flx_energies *e);
// G u of the constraints at p, and what G v' must be, with its sign changed: the bias, and what a constraint on
// velocity level still has to close.
flx_status flx_quasistatic_apply_constraints(const flx_quasistatic *z, flx_quasistatic_work *w,
                                             const flx_point *p, const double *u, double *out);
flx_status flx_quasistatic_find_bias(const flx_quasistatic *z, flx_quasistatic_work *w,
                                     const flx_point *p, double *out);
extern const flx_explicit flx_quasistatic_explicit;
void flx_quasistatic_solver_destroy(flx_quasistatic_solver **k);
void flx_quasistatic_solver_memory(flx_quasistatic_solver *k, int nv, flx_memory *m);
flx_status flx_quasistatic_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                     flx_blocks *b);
