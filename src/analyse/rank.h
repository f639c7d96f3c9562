// rank.h - for tests of the rank analysis.
#pragma once

#include "flexion/analysis.h"

// As flx_rank_constraints, with connected parts of more than `dense` rows done by the sparse method.
flx_status flx_rank_constraints_by(const flx_system *s, const flx_state *x, int dense,
                                   flx_rank_report *report);
