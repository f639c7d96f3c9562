// project.h - the nearest position and velocity that meet the constraints; what start.c and rank.c share.
//
//     min theta^T W theta,   g(q_0 (+) theta) = 0                                     (START-1)
//     min (v - v_0)^T W (v - v_0),   G v + g_t = 0,  sigma g + tau (G v + g_t) = 0,
//                                    A v + b = 0                                      (START-2)
//
// by Levenberg-Marquardt steps [W G^T; G -d] (dtheta, lambda) = (-W theta, -g): rows that say the
// same, or nearly the same, do not break it, and directions in which the constraints hardly hold are not
// moved along. W is the mass with 1e-6 of the mean kinetic scale added, times the user's weights.
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"
#include "integrate/newton_matrix.h"
#include "integrate/saddle.h"

typedef struct flx_projector {
    const flx_system *sys; // borrowed
    flx_work *work;
    flx_blocks blocks;
    flx_saddle *saddle;
    flx_state *at;                  // where it is evaluated
    double *theta, *shift, *weight; // (nv)
    double *d, *r, *row;            // (n): correction; residual; rows of the level in hand
    double *scale;                  // (n)
    bool *out;                      // (n) rows that count as not there
    bool weighted, given;           // by weights that differ; that the caller gave
    bool determined; // by the mass: accelerations, so that velocities do not follow from forces
    bool keeps;      // what the velocities need is kept for the next time ...
    struct flx_least *least; // ... here; owned
} flx_projector;

// weight (nv) or NULL is copied.
flx_status flx_projector_create(const flx_system *s, const double *weight, flx_projector **p);
void flx_projector_destroy(flx_projector **p);
// The numbers of rows and unknowns read again: the system has other parameters.
void flx_projector_renew(flx_projector *p);

// Whether row i (0..n-1) counts as not there.
void flx_projector_leave_out(flx_projector *p, int i, bool out);

// How far the rows are from zero, largest |row|/scale, and which unknown that is. The rows
// themselves are left in p->row.
flx_status flx_projector_gap(flx_projector *p, const flx_state *x, flx_saddle_rows rows,
                             double *gap, int *worst);

// The matrix at x, without shift and damping, in p->saddle; weighted: with the weights of the coordinates.
flx_status flx_projector_fill(flx_projector *p, const flx_state *x, flx_saddle_rows rows,
                              bool weighted);

// One step with damping d at p->at; the correction of positions (or velocities) in p->d. theta
// (nv) or NULL: how far it has moved already.
flx_status flx_projector_correct(flx_projector *p, flx_saddle_rows rows, double damping,
                                 const double *theta);
