// solid_pressure.h - kernels of pressure on faces of solids: it acts on the area as deformed, against its normal.
#pragma once

#include "body/solid.h"

typedef struct flx_solid_face {
    flx_solid_element e; // its nodes, in the order that turns the normal outwards, and its weights
    const double *N;     // (npoint, n)
    const double *dN;    // (npoint, n, 2) by reference coordinates
} flx_solid_face;

// p = value + gradient.(x - at) at the place x as deformed.
typedef struct flx_solid_pressure {
    double value, gradient[3], at[3];
} flx_solid_pressure;

// Force and moment about the origin of the ground, and the power.
typedef struct flx_solid_resultant {
    double force[3], moment[3], power;
} flx_solid_resultant;

// r_v -= forces (SOL-5), their slopes into A0 (SOL-6).
void flx_solid_face_residual(int n, const flx_solid_face *faces, const flx_solid_pressure *p,
                             const flx_frame *frames, double *r);
void flx_solid_face_linearise(int n, const flx_solid_face *faces, const flx_solid_pressure *p,
                              const flx_frame *frames, double *A0);
void flx_solid_face_resultant(int n, const flx_solid_face *faces, const flx_solid_pressure *p,
                              const flx_frame *frames, flx_solid_resultant *out);
