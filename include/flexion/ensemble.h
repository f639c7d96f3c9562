// flexion/ensemble.h - many runs of one compiled system on threads.
//
// Every run has parameters, inputs and initial values of its own; what it gives are chosen outputs, at its end or at given
// times, and chosen metrics. The numbers do not depend on the count of threads, bit for bit. A run that fails costs that run.
#pragma once

#include "flexion/run.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begin with flx_ensemble_def_default(), which sets size. Rows belong to runs: values[run * n + i].
typedef struct flx_ensemble_def {
    size_t size;
    int runs;
    int threads;               // 0: as many as there are processors
    flx_integrator_def method; // method.method NULL: that of the system
    double until;              // 0: the last of the times, or the model's end
    int nparameter;
    const int *parameters;          // (nparameter) numbers, flx_system_parameter
    const double *parameter_values; // (runs x nparameter)
    int ninput;
    const int *inputs;          // (ninput) numbers, flx_system_input
    const double *input_values; // (runs x ninput) held from the start on
    // Initial positions (runs x nq), velocities (runs x nv), states (runs x nx), made consistent as by
    // flx_run_set_state; each NULL: those of the model.
    const double *q, *v, *x;
    int noutput;
    const int *outputs; // (noutput) numbers, flx_system_output
    int ntime;
    const double *times; // (ntime) ascending, when outputs are wanted; ntime 0: at the end
    int nmetric;
    const int *metrics; // (nmetric) numbers, FLX_PORT_METRIC
    // From the calling thread, now and then: how many runs are done. Non-zero: no further run begins, and those under way
    // are interrupted. May be NULL.
    int (*progress)(void *user, int done, int runs);
    void *user;
} flx_ensemble_def;
static inline flx_ensemble_def flx_ensemble_def_default(void)
{
    flx_ensemble_def def;
    memset(&def, 0, sizeof def);
    def.size = sizeof def;
    def.method = flx_integrator_def_default();
    def.method.method = NULL;
    return def;
}

// How a run ended. FLX_OK, FLX_STOPPED (by an event: outputs are those of there, of later times NaN): its numbers count;
// all others: they are NaN, and message is the first that was told.
typedef struct flx_ensemble_end {
    flx_status status;
    double t; // 0: it could not begin
    char message[240];
} flx_ensemble_end;

// outputs (runs x max(ntime, 1) x noutput), metrics (runs x nmetric), ends (runs); each may be NULL. FLX_OK where single
// runs have failed, too; FLX_INTERRUPTED by progress: runs that were not done are FLX_INTERRUPTED. Otherwise the definition
// is wrong, or there is no memory, and ctx has the message.
FLX_API flx_status flx_ensemble_run(const flx_system *s, const flx_ensemble_def *def, flx_ctx *ctx,
                                    flx_ensemble_end *ends, double *outputs, double *metrics);

#ifdef __cplusplus
}
#endif
