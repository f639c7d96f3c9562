// whirl.h - in which sense modes of rotors go round (docs/theory/modes.md, CAMP-2).
#pragma once

#include "math/small.h"
#include "simulate/simulation_parts.h"

// The axis of the fastest body, in ground axes, and its rate in rad/s.
v3 flx_whirl_axis(const flx_system *s, const flx_state *x, double *rate);
// What a mode does across the axis.
typedef struct flx_whirl {
    double k;       // 1: forward in circles, -1: backward, 0: in a plane, or not at all
    bool across;    // something moves across the axis
    double turning; // of the axes in which its frequency is, rad/s
} flx_whirl;

// Of one mode: displacements and tilts of all bodies across the axis, in their scales.
void flx_whirl_of(const flx_system *s, const flx_state *x, v3 axis, const flx_modes *modes, int i,
                  flx_whirl *out);
// (nmode) Modes that are deformations of flexible bodies, for the most part: those of the moves of their nodes, and the axes
// are those of the body. Others stay as they are. x: of s, the bodies of the simulation.
flx_status flx_whirl_elastic(flx_simulation *sim, const flx_system *s, const flx_state *x, v3 axis,
                             const flx_modes *modes, flx_whirl *out);
