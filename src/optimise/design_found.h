// design_found.h - numbers that a goal takes of what an analysis found.
#pragma once

#include "optimise/design_parts.h"

// `peak`, `gains(1, 2)`, `factor(1)`, a signal of an equilibrium; part: of a peak (1 ..), 0: the whole. False: there is none.
bool flx_design_take(const flx_finding *f, const flx_result_info *info, const char *text, int part,
                     double *out);
// A leaf FLX_LEAF_MODES.
bool flx_design_take_mode(const flx_finding *f, int component, double *out);
