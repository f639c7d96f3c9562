// fmu_host3.c - FMUs of FMI 3.0, called by the program.
#include "cli/fmu/fmu_host.h"
#include "fmi/fmi3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROUNDS 1000 // of one event

typedef struct functions {
#define X(result, name, arguments) fmi3##name##_type name;
    FMI3_COMMON(X)
    FMI3_COSIMULATION(X)
    FMI3_EXCHANGE(X)
#undef X
#define X(type)                                                                                    \
    fmi3Get##type##_type Get##type;                                                                \
    fmi3Set##type##_type Set##type;
    FMI3_TYPES(X)
#undef X
} functions;

static bool load(cli_fmu *f)
{
    functions *call = calloc(1, sizeof *call);
    f->functions = call;
    if (!call) return false;
#define X(result, name, arguments)                                                                 \
    if (!(*(void **)&call->name = cli_fmu_find(f, "fmi3" #name))) return false;
    FMI3_COMMON(X)
    if (f->exchange) {
        FMI3_EXCHANGE(X)
    } else {
        FMI3_COSIMULATION(X)
    }
#undef X
#define X(type)                                                                                    \
    if (!(*(void **)&call->Get##type = cli_fmu_find(f, "fmi3Get" #type))) return false;            \
    if (!(*(void **)&call->Set##type = cli_fmu_find(f, "fmi3Set" #type))) return false;
    FMI3_TYPES(X)
#undef X
    const char *version = call->GetVersion();
    if (version && strncmp(version, "3.0", 3) == 0) return true;
    cli_fmu_say(f, "its library says it is of FMI %s", version ? version : "of no version");
    return false;
}

static void write_log(fmi3InstanceEnvironment user, fmi3Status status, fmi3String category,
                      fmi3String message)
{
    (void)category;
    if (status != fmi3OK && message && user) cli_fmu_hear(user, status > fmi3Discard, message);
}

static bool create(cli_fmu *f)
{
    functions *call = f->functions;
    char path[4096 + 32];
    snprintf(path, sizeof path, "%s/resources/", f->folder);
    f->instance = f->exchange ? call->InstantiateModelExchange(f->info->name, f->info->token, path,
                                                               false, false, f, write_log)
                              : call->InstantiateCoSimulation(f->info->name, f->info->token, path,
                                                              false, false, false, false, NULL, 0,
                                                              f, write_log, NULL);
    if (!f->instance && !*f->why) cli_fmu_say(f, "it makes no instance");
    return f->instance != NULL;
}

static bool start(cli_fmu *f, double t, double tolerance, double stop)
{
    functions *call = f->functions;
    return call->EnterInitializationMode(f->instance, tolerance > 0.0, tolerance, t, stop > t,
                                         stop) <= fmi3Warning &&
           call->ExitInitializationMode(f->instance) <= fmi3Warning;
}

// Every type of number, by its word; TYPES: those that are no texts.
#define TYPES(X)                                                                                   \
    X(Float32)                                                                                     \
    X(Float64) X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean)

static bool set(cli_fmu *f, int port, double value)
{
    functions *call = f->functions;
    const flx_fmu_port *p = f->info->ports + port;
    if (p->count != 1) return false;
#define X(type_)                                                                                   \
    if (strcmp(p->type, #type_) == 0) {                                                            \
        fmi3##type_ x = (fmi3##type_)value;                                                        \
        return call->Set##type_(f->instance, &p->reference, 1, &x, 1) <= fmi3Warning;              \
    }
    TYPES(X)
#undef X
    return false;
}

static bool get(cli_fmu *f, int port, int n, double *out)
{
    functions *call = f->functions;
    const flx_fmu_port *p = f->info->ports + port;
    if (strcmp(p->type, "Float64") == 0) {
        return call->GetFloat64(f->instance, &p->reference, 1, out, (size_t)n) <= fmi3Warning;
    }
#define X(type_)                                                                                   \
    if (strcmp(p->type, #type_) == 0) {                                                            \
        fmi3##type_ *x = calloc((size_t)n, sizeof *x);                                             \
        bool done =                                                                                \
            x && call->Get##type_(f->instance, &p->reference, 1, x, (size_t)n) <= fmi3Warning;     \
        for (int i = 0; done && i < n; i++) out[i] = (double)x[i];                                 \
        free(x);                                                                                   \
        return done;                                                                               \
    }
    TYPES(X)
#undef X
    return false;
}

static bool step(cli_fmu *f, double t, double h, double *reached, bool *ended)
{
    functions *call = f->functions;
    bool event = false, early = false;
    *reached = t + h;
    *ended = false;
    return call->DoStep(f->instance, t, h, true, &event, ended, &early, reached) <= fmi3Warning;
}

static bool get_slope(cli_fmu *f, int port, double *out)
{
    functions *call = f->functions;
    const fmi3Int32 order = 1;
    const flx_fmu_port *p = f->info->ports + port;
    return call->GetOutputDerivatives(f->instance, &p->reference, 1, &order, out,
                                      (size_t)p->count) <= fmi3Warning;
}

static bool save(cli_fmu *f)
{
    functions *call = f->functions;
    fmi3FMUState state = NULL;
    size_t size = 0;
    bool done = call->GetFMUState(f->instance, &state) <= fmi3Warning &&
                call->SerializedFMUStateSize(f->instance, state, &size) <= fmi3Warning &&
                cli_fmu_room(f, size) &&
                call->SerializeFMUState(f->instance, state, f->bytes, size) <= fmi3Warning;
    if (state) call->FreeFMUState(f->instance, &state);
    return done;
}

static bool restore(cli_fmu *f, const void *bytes, size_t size)
{
    functions *call = f->functions;
    fmi3FMUState state = NULL;
    bool done = call->DeserializeFMUState(f->instance, bytes, size, &state) <= fmi3Warning &&
                call->SetFMUState(f->instance, state) <= fmi3Warning;
    if (state) call->FreeFMUState(f->instance, &state);
    return done;
}

#define WARNING fmi3Warning
#define GET_DERIVATIVES GetContinuousStateDerivatives
#include "cli/fmu/fmu_host.inc.h"

static bool along(cli_fmu *f, int port, double *slopes)
{
    functions *call = f->functions;
    const flx_fmu_info *info = f->info;
    const double one = 1.0;
    bool done = true;
    for (int i = 0; i < info->nstate + f->nout && done; i++) {
        const flx_fmu_port *row =
            info->ports + (i < info->nstate ? info->derivatives[i] : f->out[i - info->nstate]);
        done = call->GetDirectionalDerivative(f->instance, &row->reference, 1,
                                              &info->ports[port].reference, 1, &one, 1, slopes,
                                              (size_t)row->count) <= fmi3Warning;
        slopes += row->count;
    }
    return done;
}

static bool event(cli_fmu *f, bool first, double t, double *x, const double *u, double *next,
                  bool *ended)
{
    functions *call = f->functions;
    size_t nx = (size_t)f->info->nstate;
    bool again = true, nominals = false, moved = false, timed = false;
    bool done = first || call->EnterEventMode(f->instance) <= fmi3Warning;
    double at = 0.0;
    *next = HUGE_VAL;
    *ended = false;
    if (!first) done = done && put_state(f, t, x, u);
    for (int k = 0; done && again && !*ended; k++) {
        again = false;
        done = k < MOST_ROUNDS && call->UpdateDiscreteStates(f->instance, &again, ended, &nominals,
                                                             &moved, &timed, &at) <= fmi3Warning;
    }
    if (done && !*ended) done = call->EnterContinuousTimeMode(f->instance) <= fmi3Warning;
    if (nx > 0) done = done && call->GetContinuousStates(f->instance, x, nx) <= fmi3Warning;
    if (timed) *next = at;
    return done;
}

const cli_fmu_calls cli_fmu_calls3 = {load,      create, start,   set,     NULL, get,   step,
                                      get_slope, save,   restore, destroy, rows, along, event};
