// sweep_sample.h - `sample` of the block `sweep`: distributions of parameters become values of runs.
#pragma once

#include "language/builder.h"

// What `sample` and `report` say; rows 0: there is none.
flx_status flx_sample_begin(flx_env *e, const flx_entry *block, flx_sweep *out);
// The values of parameter i of n in all runs, from its distribution.
flx_status flx_sample_read(flx_env *e, const flx_entry *y, int n, int i, const flx_sweep *s,
                           flx_swept *out);
