// flexion/fmi.h - models as FMUs (Functional Mock-up Units): one file that other programs simulate, without Flexion.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begin with flx_fmu_def_default(), which sets size.
typedef struct flx_fmu_def {
    size_t size;
    int version;         // of FMI: 2
    const char *library; // the run-time library, packed by gzip; NULL: where it was installed
    const char *name;    // C identifier of the model; NULL: after its file
    int nset;            // texts "name=value", the value an expression, that override parameters
    const char *const *settings;
} flx_fmu_def;
static inline flx_fmu_def flx_fmu_def_default(void)
{
    flx_fmu_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.version = 2;
    return def;
}

// Write the model file `model`, with all files that it names, as the FMU `path`. No compiler is needed. FLX_ERR_CANNOT: a
// file is not named relative to the model, or there is no run-time library.
FLX_API flx_status flx_fmu_export(flx_ctx *ctx, const char *model, const flx_fmu_def *def,
                                  const char *path);

#ifdef __cplusplus
}
#endif
