// course_parts.h - what the files of this folder share: values at a state and inside a step, extremes and halves of steps.
#pragma once

#include "simulate/run_parts.h"

// Powers and probes at a state; probes alone. sim->inner at a time inside the last step; all at the places of a part of it.
flx_status flx_course_observe(flx_simulation *sim, const flx_state *x, double *out);
flx_status flx_course_observe_probes(flx_simulation *sim, const flx_state *x);
flx_status flx_course_place(flx_simulation *sim, double t);
flx_status flx_course_observe_places(flx_simulation *sim, double from, double t, double *inner);
// From here on joints between steps are closed as where values are differentiated, or by what is at hand: what is measured there is
// the same then. Returns how they were closed.
bool flx_course_close_along(const flx_simulation *sim, bool own_normals);
// At a place, through n others.
double flx_course_polynomial(int n, const double *x, const double *f, double at);

// course_extremes.c: a search for an extreme of a probe.
typedef struct flx_course_peak {
    flx_simulation *sim;
    int probe;
    double sign;    // 1: the largest is sought, -1: the smallest
    double from, h; // the step
    int looks;
} flx_course_peak;
// The value at a place of the step, in [0, 1], in the direction that is sought.
flx_status flx_course_look(flx_course_peak *p, double x, double *out);
// Extremes of measures within a part of a step.
flx_status flx_course_find_extremes(flx_simulation *sim, double from, double t, const double *inner,
                                    const double *end);

// course_halves.c. A part of a step: its values at both ends and inside.
typedef struct flx_course_part {
    double from, to;
    const double *begin, *inner, *end;
} flx_course_part;
// Integrals and extremes of a step.
flx_status flx_course_follow_step(flx_simulation *sim, const flx_course_part *whole);
