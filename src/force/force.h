// force.h - kernels of forces that need no expression: springs along a line or a joint coordinate,
// bushings, mutual gravitation. Each adds to the residual r_v = M a - f + ..., to D (A1) and to
// K (A0), exactly.
#pragma once

#include "flexion/system.h"
#include "joint/scalar.h"

// F = k (phi - rest) + c phi' pulls phi back; phi a length, an angle or a displacement.
typedef struct flx_spring {
    flx_scalar s;
    flx_scalar centre; // of a line spring without length: |d|^2/2, smooth where |d| = 0
    bool centred;
    double k, c, rest;
} flx_spring;

void flx_spring_residual(int n, const flx_spring *p, flx_frames f, const double *switches,
                         const double *v, double *r);
void flx_spring_linearise(int n, const flx_spring *p, flx_frames f, const double *switches,
                          const double *v, double *A0, double *A1);
void flx_spring_energy(int n, const flx_spring *p, flx_frames f, const double *switches,
                       const double *v, flx_energies *e);
