// fmu_unfit.h - models that cannot become FMUs, since the library inside these lacks what they need.
#pragma once

#include "flexion/run.h"
#include "fmi/fmu_files.h"
#include "model/model_data.h"

// Before the model is compiled: external functions, FMUs, optimal controls.
flx_status flx_fmu_refuse_model(flx_ctx *ctx, const flx_model *m);
// The methods of SUNDIALS.
flx_status flx_fmu_refuse_method(flx_ctx *ctx, const flx_run *run);
// Files of HDF5.
flx_status flx_fmu_refuse_files(flx_ctx *ctx, const flx_fmu_files *f);
