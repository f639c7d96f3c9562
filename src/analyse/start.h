// start.h - consistent starts by projectors that are the caller's, for starts that are made again (flexion/analysis.h has them
// for once).
#pragma once

#include "analyse/least.h"
#include "integrate/accelerate.h"

flx_status flx_start_positions_with(flx_projector *p, flx_state *x, flx_start_report *report);
// how, report: may be NULL
flx_status flx_start_velocities_with(flx_projector *p, flx_state *x, const flx_least_how *how,
                                     flx_start_report *report);
flx_status flx_start_accelerations_with(const flx_system *s, flx_accelerator *acc, flx_work *work,
                                        flx_state *x);
