// stop.h - kernels of the limits of coordinates: one-sided forces along a scalar function of two frames.
#pragma once

#include "contact/law.h"
#include "flexion/extend/system_table.h"
#include "joint/scalar.h"

// One bound. What is beyond it by x = sign (phi - bound) is pushed back by the law.
typedef struct flx_stop_bound {
    flx_scalar s;
    double sign, bound; // 1: upper, -1: lower
    flx_law law;
    int closed; // switch that tells the side where the law has a kink; -1: none
    bool open;  // its damping is of open parameters: zero now, it need not stay so
} flx_stop_bound;

void flx_stop_residual(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                       const double *v, double *r);
void flx_stop_linearise(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                        const double *v, double *A0, double *A1);
void flx_stop_energy(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                     const double *v, flx_energies *e);
// Discrete gradients, as those of springs (force.h).
void flx_stop_values(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                     double *phi, double (*slope)[2][6]);
void flx_stop_discrete(int n, const flx_stop_bound *stops, flx_frames f, const double *switches,
                       const double *phi, const double *end, double *r);
void flx_stop_discrete_linearise(int n, const flx_stop_bound *stops, flx_frames f,
                                 const double *switches, const double *phi, const double *end,
                                 const double (*slope)[2][6], double *A0);
