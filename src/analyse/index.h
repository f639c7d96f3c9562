// index.h - the differentiation index of algebraic unknowns (theory/start.md).
#pragma once

#include "base/common.h"
#include "flexion/extend/system_table.h"

// *index: the largest one of the algebraic unknowns at x, 1 where they follow from their own equations, 0 without any;
// *unknown: which that is, -1: none above 1.
flx_status flx_index_find(const flx_system *s, flx_work *work, const flx_state *x, int *index,
                          int *unknown);
