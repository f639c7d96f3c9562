// alpha_steps.h - methods of structural dynamics (structural.h) where contacts are met step by step.
#pragma once

#include "base/checkpoint_walk.h"
#include "flexion/extend/method_table.h"

flx_status flx_alpha_steps_create(flx_integrator *it, const flx_coefficients *c);
flx_status flx_alpha_steps_step(flx_integrator *it, flx_state *x, double h, double *h_taken);
void flx_alpha_steps_destroy(flx_integrator *it);
void flx_alpha_steps_memory(flx_integrator *it, flx_memory *m);
