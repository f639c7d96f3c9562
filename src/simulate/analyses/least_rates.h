// least_rates.h - velocities that meet the constraints, make outputs follow, and have the least rates of some joints
// (KIN-1, docs/theory/kinematics.md).
#pragma once

#include "analyse/project.h"
#include "model/kinematics_keys.h"
#include "simulate/simulation_parts.h"

typedef struct flx_least_rates {
    flx_simulation *sim;
    const flx_system *sys;
    const flx_kinematics_keys *keys;
    flx_projector *rows; // owned
    flx_formulas formulas;
    flx_signals signals;
    int nv, nrow;
    int *side;    // (nmove) 0: free, -1, 1: at its lower, upper limit
    double *G;    // (nrow x nv) by columns, owned with the rest
    double *C;    // (nwant x nv)
    double *R;    // (nmove x nv)
    double *free; // (nrow + 2 nwant + 2 nmove) at v = 0: rows, miss, its rate, places, rates
    double *
        unit; // (nrow + nwant + nmove) what a motion of the size of the model changes rows, outputs and joints by
    double *scale; // (nv) sizes of coordinates
    bool *turns;   // (nv) owned: angles
    double *work;
    size_t nwork;
} flx_least_rates;

flx_status flx_least_rates_create(flx_simulation *sim, const flx_system *sys,
                                  const flx_kinematics_keys *keys, flx_least_rates *l);
void flx_least_rates_clear(flx_least_rates *l);
// The matrices at a state.
flx_status flx_least_rates_fill(flx_least_rates *l, flx_state *x);
// v (nv) there. FLX_SINGULAR without a message: outputs depend on each other, or joints leave a motion open.
flx_status flx_least_rates_velocity(flx_least_rates *l, double *v);
// The coordinate that moves most in a motion which changes no output and no joint that moves, where it was filled last; -1:
// there is no such motion, or masses weigh it.
flx_status flx_least_rates_find_open(flx_least_rates *l, int *coordinate);
// Sizes of coordinates other than angles are at least those of theta (nv).
void flx_least_rates_grow(flx_least_rates *l, const double *theta);
// One step of Newton's method towards closed positions: theta (nv); *miss: how far rows and outputs are off, in their units.
flx_status flx_least_rates_close(flx_least_rates *l, flx_state *x, double *theta, double *miss);
