// beam_hinge.h - the hinges of a beam of rigid segments: the elements of geometrically exact beams with
// two nodes, between the ends of two rigid pieces instead of their centres.
#pragma once

#include "body/beam_exact.h"

typedef struct flx_beam_hinge {
    flx_beam_exact e;  // length: that of which the hinge is the flexibility; rest: no gap
    double arm[2][3];  // from the centres of the pieces to their ends, axes of the pieces
    double node[2][3]; // ... to the nodes of the beam on them
} flx_beam_hinge;

// Forces of the two bodies on the hinge as it is, at their centres: (2, 3), in space (2, 6).
void flx_beam_hinge2_forces(const flx_beam_hinge *h, const flx_frame2 *f, double *out);
void flx_beam_hinge_forces(const flx_beam_hinge *h, const flx_frame *f, double *out);
void flx_beam_hinge2_residual(int n, const flx_beam_hinge *h, const flx_frame2 *f, double *r);
void flx_beam_hinge_residual(int n, const flx_beam_hinge *h, const flx_frame *f, double *r);
void flx_beam_hinge2_linearise(int n, const flx_beam_hinge *h, const flx_frame2 *f, double *A0,
                               double *A1);
void flx_beam_hinge_linearise(int n, const flx_beam_hinge *h, const flx_frame *f, double *A0,
                              double *A1);
void flx_beam_hinge2_energy(int n, const flx_beam_hinge *h, const flx_frame2 *f, flx_energies *out);
void flx_beam_hinge_energy(int n, const flx_beam_hinge *h, const flx_frame *f, flx_energies *out);
