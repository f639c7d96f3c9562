// pivoted.h - A d = b once, with pivots by size, where factors whose pivots follow the pattern fail.
//
// What has no inertia, carried by more of its kind under any angle, meets zeros made of rounding there.
#pragma once

#include "flexion/extend/system_table.h"

// values: of A in the pattern of the system; d: b, then the solution. *error: what is left of the rows, as a part of their
// terms. It stays as it is where A is singular.
flx_status flx_solve_pivoted(const flx_system *s, const double *values, double *d, double *error);
