// batch_text.h - text of batches: what comes before the functions of a model, and behind them. NAME is that of the equations.
#pragma once

extern const char flx_batch_math[]; // real, f_sin, ...
// They need NQ, NV, NX, NP, NROW, NZ, NM, NW, NY, METHOD, IMPLICIT, ELIMINATES, WATCHES, INTEGRATES.
extern const char flx_batch_equations[]; // accelerations, projections, implicit steps
extern const char flx_batch_run[];       // measures, steps, NAME_batch
extern const char flx_batch_device[];    // NAME_kernel, NAME_gpu_run and what it asks for
