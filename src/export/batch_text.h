// batch_text.h - text of batches: what comes before the functions of a model, and behind them. NAME is that of the equations.
#pragma once

extern const char flx_batch_math[]; // real, f_sin, ...
extern const char flx_batch_run
    []; // steps, measures, NAME_batch, NAME_kernel; needs NQ, NV, NX, NP, NROW, NZ, NM, NY, IMPLICIT
