// analysis_slopes.h - derivatives of equilibria and of eigenvalues by parameters.
#pragma once

#include "flexion/run.h"
#include "simulate/analyses/performer.h"

typedef struct flx_analysis_slopes {
    int n;
    const char **names;    // (n) "rest.rod.angle", "m.frequencies(1)"
    double *value, *slope; // (n) (n x nparam), by rows
    const char *repeated;  // eigenvalues that are equal, in words; NULL: none are
} flx_analysis_slopes;

// Whether it has them: an equilibrium, or modes.
bool flx_analysis_has_slopes(const flx_analysis *a);
// Of analysis `number`, by a run whose parameters (nparam) are moved and put back; out of the arena. FLX_ERR_CANNOT: it is about a
// state of the run.
flx_status flx_analysis_differentiate(flx_run *run, int number, int nparam, const int *params,
                                      flx_arena *arena, flx_analysis_slopes *out);
