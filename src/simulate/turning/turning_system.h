// turning_system.h - a system at rest in axes that turn: positions of a descriptor, with the velocities and accelerations
// of a steady rotation.
#pragma once

#include "math/small.h"
#include "model/model_data.h"
#include "system/wrapper.h"

typedef struct flx_turning {
    const flx_model *model;
    bool *turns;     // (nbody)
    v3 centre, spin; // of the axis; rad/s
} flx_turning;

// v and a of (TURN-1) at q.
void flx_turning_set(const flx_turning *t, const flx_system *s, const double *q, double *v,
                     double *a);
// The move theta (nv) that turns it by an angle, in the sense of its spin.
void flx_turning_move(const flx_turning *t, const flx_system *s, const double *q, double angle,
                      double *theta);
// t and base are borrowed.
flx_status flx_turning_system_create(const flx_system *base, const flx_turning *t, flx_system **s);
