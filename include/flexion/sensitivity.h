// flexion/sensitivity.h - derivatives of a run by its parameters: of its metrics, and of its outputs at given times.
//
// They are derivatives of the run as it is made, step by step, and not of another integration: they agree with differences
// of runs up to rounding errors, at any step. docs/theory/sensitivity.md has the equations.
#pragma once

#include "flexion/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum flx_gradient_method {
    FLX_GRADIENT_AUTO,        // adjoint or direct where the method has them, else differences
    FLX_GRADIENT_DIRECT,      // changes are carried along the run: a solve per step and parameter
    FLX_GRADIENT_ADJOINT,     // weights are carried back: a solve per step and metric
    FLX_GRADIENT_DIFFERENCES, // of runs with other parameters, six for each, or more where they scatter; any method, and events
} flx_gradient_method;

// What is differentiated by what. Begin with flx_gradient_def_default(), which sets size.
typedef struct flx_gradient_def {
    size_t size;
    flx_gradient_method method;
    int nparam;
    const int *param;    // (nparam) numbers of parameters: flx_system_parameter
    const double *scale; // (nparam) sizes that their changes are compared with; NULL: their values
    int nmetric;
    const int *metric; // (nmetric) numbers of metrics, FLX_PORT_METRIC; values come first
    int noutput;
    const int *output; // (noutput) numbers of outputs, at each of the times
    int ntime;
    const double *times; // (ntime) ascending, within the run
} flx_gradient_def;
static inline flx_gradient_def flx_gradient_def_default(void)
{
    flx_gradient_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    return def;
}

typedef struct flx_gradient {
    int nvalue, nparam;
    double *value;              // (nvalue) metrics, then outputs, those of the first time first
    double *slope;              // (nvalue x nparam), by rows
    flx_gradient_method method; // that was used
    const char *instead;        // why `auto` took differences, and whether along the same steps; NULL: it did not
    int steps, runs;            // steps of the run; runs that were made for the slopes
    void *memory;               // owned
} flx_gradient;

// From its start to its end, with its parameters as they are now; the run is then at its end. FLX_ERR_CANNOT, with a message:
// the method of the run, or what happens in it, has no such derivatives. Another status: the run failed.
FLX_API flx_status flx_gradient_find(flx_run *run, const flx_gradient_def *def, flx_gradient *out);
FLX_API void flx_gradient_clear(flx_gradient *g);
// How far a slope by differences of runs may be off, by how they scatter; 0: the slope is direct or adjoint. NaN: there is no
// such slope.
FLX_API double flx_gradient_error(const flx_gradient *g, int value, int param);

#ifdef __cplusplus
}
#endif
