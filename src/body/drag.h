// drag.h - damping proportional to the inertia of single bodies.
#pragma once

#include "flexion/extend/system_table.h"

typedef struct flx_drag {
    int v, n;    // first velocity and their number
    int diag;    // offset of the body's diagonal block in the tangent
    double c[6]; // of each velocity; in space rotations are about the principal axes of the body
} flx_drag;

void flx_drag_residual(int n, const flx_drag *p, const double *v, double *r);
void flx_drag_linearise(int n, const flx_drag *p, double *A1);
void flx_drag_energy(int n, const flx_drag *p, const double *v, flx_energies *e);
