// beam_exact_parts.h - what the files of the exact beam in space share; beam_exact.c has the equations.
#pragma once

#include "body/beam_exact.h"
#include "math/rotation_series.h"

#include <stdbool.h>
#include <string.h>

typedef struct flx_beam_nodes { // of one element
    int m;                      // the node whose rotation is the reference
    m33 Rm;
    v3 wm;
    v3 P[FLX_BEAM_NODES], rate[FLX_BEAM_NODES]; // rotation vectors from it, and their rates
    m33 A[FLX_BEAM_NODES];                      // B(P)^-1
    rot_series series[FLX_BEAM_NODES];          // not of m
} flx_beam_nodes;

typedef struct flx_beam_section {  // at a point where strains are taken
    v3 t, dt, u;                   // (BEA-3), dt = t'
    v3 t_rate, dt_rate, u_rate, v; // v: of r', in the axes of the reference
    v3 g, k, spin;                 // spin: B t_rate
    rot_series series;
    m33 E, B, S; // exp(t~), B(t), d(B(t) t')/dt
    double strain[6], rate[6], stress[6];
    v3 pt, pdt, pu; // forces along t, t', u
} flx_beam_section;

void flx_beam_exact_begin(const flx_beam_exact *e, const flx_frame *f, flx_beam_nodes *o);
void flx_beam_exact_kinematics(const flx_beam_exact *e, const flx_frame *f, const flx_beam_nodes *o,
                               int k, flx_beam_section *p);
void flx_beam_exact_stress(const flx_beam_exact *e, int k, flx_beam_section *p);
