// turning.h - equilibria of a steady rotation: at rest in axes that turn about a joint with a given speed.
#pragma once

#include "flexion/analysis.h"
#include "model/linear_keys.h"
#include "simulate/simulation_parts.h"

// From the positions of x, which gets velocities and accelerations too. s: a descriptor.
flx_status flx_turning_find(flx_simulation *sim, const flx_system *s, const flx_turning_keys *keys,
                            flx_loc loc, flx_state *x, flx_equilibrium_report *report);
