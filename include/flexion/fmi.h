// flexion/fmi.h - models as FMUs (Functional Mock-up Units): one file that other programs simulate, without Flexion.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Begin with flx_fmu_def_default(), which sets size.
typedef struct flx_fmu_def {
    size_t size;
    int version;         // of FMI: 2 or 3
    const char *library; // the run-time library, packed by gzip; NULL: where it was installed
    const char *name;    // C identifier of the model; NULL: after its file
    int nset;            // texts "name=value", the value an expression, that override parameters
    const char *const *settings;
    int exchange; // 0: for co-simulation, 1: for model exchange, 2: for both
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

// ---- FMUs of others --------------------------------------------------------------------------------

typedef enum flx_fmu_causality {
    FLX_FMU_IS_LOCAL,
    FLX_FMU_IS_INPUT,
    FLX_FMU_IS_OUTPUT,
    FLX_FMU_IS_PARAMETER,
    FLX_FMU_IS_CALCULATED_PARAMETER,
    FLX_FMU_IS_STRUCTURAL_PARAMETER, // FMI 3
    FLX_FMU_IS_INDEPENDENT,          // the time
} flx_fmu_causality;

typedef struct flx_fmu_port {
    const char *name, *description, *unit; // "": none
    const char *type; // the standard's word: "Real", "Integer", "Float64", "Boolean", ...
    unsigned reference;
    flx_fmu_causality causality;
    const char *variability, *initial; // the standard's words, with its defaults; "": none
    const char *start;                 // as it is written; NULL: none
    int derivative_of;                 // number of the variable whose derivative it is; -1: of none
    int count;                         // numbers: of an array its size where that is known, else 0
    int ndepend;                       // of an output: variables that it depends on; -1: on all
    int *depends;                      // (ndepend) their numbers
} flx_fmu_port;

// What an FMU says of itself. Texts live as long as it does.
typedef struct flx_fmu_info {
    int version; // 2 or 3
    const char *name, *token, *tool, *description;
    const char *cosimulation, *exchange;      // identifiers; NULL: it is not for that
    int keeps_states, writes_states, derives; // of co-simulation, else of model exchange
    int interpolates, variable_steps, returns_early, only_once, needs_tool;
    int nindicator;
    double start, stop, tolerance, step; // NaN: it does not say
    int nport;
    flx_fmu_port *ports;
    int nstate;
    int *states, *derivatives; // (nstate) numbers of ports, of model exchange
    const char *library;       // inside the archive, for this machine; NULL: it has none
    void *memory;              // owned
    int output_slopes;         // order of derivatives of outputs that it gives
    int exchange_derives;      // non-zero: directional derivatives in model exchange
    int exchange_states;       // non-zero: states as bytes in model exchange
    int completes_steps;       // non-zero: in model exchange it wants to hear of every step
} flx_fmu_info;

// Read an FMU and hold it to the rules of the standard (docs/guide/fmu.md has the list). FLX_ERR_MODEL: it breaks some; each
// has a message with its place. Nothing of it is run.
FLX_API flx_status flx_fmu_read(flx_ctx *ctx, const char *path, flx_fmu_info **out);
FLX_API void flx_fmu_info_destroy(flx_fmu_info **info);
// Its files into a folder, which exists.
FLX_API flx_status flx_fmu_unpack(flx_fmu_info *info, const char *folder);

// ---- FMUs as items of a model (block `fmus:`) --------------------------------------------------------

// Who runs them. An FMU is a program of others, which a model file alone never starts and the library never loads: the
// program that uses the library does, by a host that it gives to the context. Calls return FLX_OK, or not with `why`.
// Ports are numbers of variables in the info, which lives as long as the instance; of arrays there are `count` numbers.
typedef struct flx_fmu_host {
    size_t size; // sizeof(flx_fmu_host)
    void *user;
    // An instance for co-simulation; isolate: in a process of its own. *instance is destroyed in any case, unless it is NULL.
    flx_status (*create)(void *user, flx_fmu_info *info, int isolate, void **instance);
    void (*destroy)(void *instance);
    flx_status (*set)(void *instance, int n, const int *ports, const double *values);
    // Begin and end of the initialisation, at t; tolerance 0: its own; stop: where the run is to end, 0: not known.
    flx_status (*start)(void *instance, double t, double tolerance, double stop);
    flx_status (*set_slopes)(void *instance, int n, const int *ports, const double *slopes);
    // From t by h; *ended: it does not go on any more.
    flx_status (*step)(void *instance, double t, double h, int *ended);
    flx_status (*get)(void *instance, int n, const int *ports, double *values);
    flx_status (*get_slopes)(void *instance, int n, const int *ports, double *slopes);
    // Its whole state as bytes, which the instance owns until its next call.
    flx_status (*save)(void *instance, const void **bytes, size_t *size);
    flx_status (*restore)(void *instance, const void *bytes, size_t size);
    const char *(*why)(void *instance); // of the last call that failed; instance NULL: of `create`
    // For model exchange; NULL: such are not run. x: states, u: inputs `in`, y: numbers of the outputs `out`.
    flx_status (*create_exchange)(void *user, flx_fmu_info *info, int isolate, int nin,
                                  const int *in, int nout, const int *out, void **instance);
    // Rows: derivatives of x, y, indicators.
    flx_status (*rows)(void *instance, double t, const double *x, const double *u, double *rows);
    // Their derivatives by t, x and u: for each row 1 + states + inputs numbers.
    flx_status (*row_slopes)(void *instance, double t, const double *x, const double *u,
                             double *slopes);
    // An event: x behind it; *next: time of the next one, HUGE_VAL: none is known; *ended: the FMU goes on no more. first: the
    // one that ends the initialisation, x is not read.
    flx_status (*event)(void *instance, int first, double t, double *x, const double *u,
                        double *next, int *ended);
} flx_fmu_host;
// Runs of this context may run FMUs by it from now on; borrowed. NULL: they may not.
FLX_API void flx_ctx_host_fmus(flx_ctx *ctx, const flx_fmu_host *host);

#ifdef __cplusplus
}
#endif
