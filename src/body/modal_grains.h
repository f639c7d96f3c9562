// modal_grains.h - what the kernels of flexible bodies in space and in the plane share: the inertia of
// bodies that have grains, and the elastic forces of all.
#pragma once

#include "body/modal.h"

// One body that has grains. Rows and columns of the frame are those of a body in space, or some of them.
typedef struct flx_grain_view {
    const flx_elastic *e;
    m33 R;
    v3 r, v, w; // of the frame: r, v ground axes, w body axes
    const double *q, *u;
    int nf;          // 6: in space; 3: in the plane
    double *scratch; // as of flx_modal_point
} flx_grain_view;

// Accelerations, all but weight: of the frame in ground axes, angular in body axes, of the coordinates.
typedef struct flx_grain_rates {
    v3 a, alpha; // a: less gravity
    const double *qdd;
} flx_grain_rates;

// Each adds to what its namesake of flx_modal_* does, with `rows` of the frame and `own` of the coordinates
// apart.
void flx_grains_residual(const flx_grain_view *x, const flx_grain_rates *a, double *rows,
                         double *own);
// A1, A0 NULL: not wanted
void flx_grains_linearise(const flx_grain_view *x, const flx_grain_rates *a, const int at[2][2],
                          double *A0, double *A1, double *A2);
void flx_grains_energy(const flx_grain_view *x, const double *gravity, flx_energies *out);
void flx_grains_momentum(const flx_grain_view *x, double *rows, double *own);
void flx_grains_transport(const flx_grain_view *x, double *rows, double *own);

// own += K q + k0 + D u;  A0 += K, A1 += D (NULL: not wanted);  strain energy and dissipation.
void flx_elastic_forces(const flx_elastic *e, const double *q, const double *u, double *own);
void flx_elastic_tangents(const flx_elastic *e, double *A0, double *A1);
void flx_elastic_energy(const flx_elastic *e, const double *q, const double *u, flx_energies *out);
// Kinetic energy of the deformation alone, in the frame of the body.
void flx_elastic_add_kinetic(const flx_elastic *e, const double *u, flx_energies *out);
