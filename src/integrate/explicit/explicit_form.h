// explicit_form.h - what methods on z' = F(t, z) share: asking a system for that form.
#pragma once

#include "integrate/method.h"

// Refuses, by the method's name, a system without the form and a formulation that is not index 1;
// makes what the form needs in the integrator's workspace.
flx_status flx_explicit_open(flx_integrator *it);

// Whether z is to be returned to constraints, and to quaternions of length one.
bool flx_explicit_projects(const flx_integrator *it);

// z of a state, all of it.
flx_status flx_explicit_pack(const flx_integrator *it, const flx_state *x, double *z);

// The unknown at fault where the form found no accelerations, -1: not known.
int flx_explicit_worst(const flx_integrator *it);
