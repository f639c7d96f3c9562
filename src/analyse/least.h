// least.h - velocities that meet the constraints by the least change, whatever the order of the items (START-2).
#pragma once

#include "analyse/project.h"
#include "flexion/analysis.h"
#include "math/given_velocities.h"

typedef struct flx_least_how {
    int ngiven;
    const flx_given_row *given; // changed last, by the least that their weights say
    const flx_rides *rides;     // or NULL: deformable bodies move as rigid ones
} flx_least_how;

// As flx_start_velocities; how may be NULL.
flx_status flx_start_velocities_by(const flx_system *s, flx_state *x, const double *weight,
                                   const flx_least_how *how, flx_start_report *report);

// What the velocities need beside the projector.
void flx_least_destroy(struct flx_least **l);

// x->v from what it is; p->row holds what is left of the rows, *gap and *worst say how much and where. how may be NULL.
flx_status flx_least_velocities(flx_projector *p, const flx_least_how *how, flx_state *x,
                                double *gap, int *worst);
