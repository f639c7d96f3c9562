// fmu_host2.c - FMUs of FMI 2.0, called by the program.
#include "cli/fmu/fmu_host.h"
#include "fmi/fmi2.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ROUNDS 1000 // of one event

typedef struct functions {
    fmi2CallbackFunctions callbacks;
#define X(result, name, arguments) fmi2##name##_type name;
    FMI2_COMMON(X)
    FMI2_COSIMULATION(X)
    FMI2_EXCHANGE(X)
#undef X
} functions;

static bool load(cli_fmu *f)
{
    functions *call = calloc(1, sizeof *call);
    f->functions = call;
    if (!call) return false;
#define X(result, name, arguments)                                                                 \
    if (!(*(void **)&call->name = cli_fmu_find(f, "fmi2" #name))) return false;
    FMI2_COMMON(X)
    if (f->exchange) {
        FMI2_EXCHANGE(X)
    } else {
        FMI2_COSIMULATION(X)
    }
#undef X
    const char *version = call->GetVersion();
    if (version && strcmp(version, "2.0") == 0) return true;
    cli_fmu_say(f, "its library says it is of FMI %s", version ? version : "of no version");
    return false;
}

static void write_log(fmi2ComponentEnvironment user, fmi2String instance, fmi2Status status,
                      fmi2String category, fmi2String message, ...)
{
    cli_fmu *f = user;
    char text[600];
    va_list args;
    (void)instance, (void)category;
    if (status == fmi2OK || status == fmi2Pending || !message || !f) return;
    va_start(args, message);
    vsnprintf(text, sizeof text, message, args);
    va_end(args);
    cli_fmu_hear(f, status > fmi2Discard, text);
}

// A path as a URI: what is no letter, digit or one of /._-~ is written in percent.
static void write_uri(const char *path, char *to, size_t room)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = (size_t)snprintf(to, room, "file://");
    for (; *path && n + 4 < room; path++) {
        unsigned char c = (unsigned char)*path;
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     strchr("/._-~", c);
        if (plain) {
            to[n++] = (char)c;
        } else {
            to[n++] = '%';
            to[n++] = hex[c >> 4];
            to[n++] = hex[c & 15];
        }
    }
    to[n] = 0;
}

static bool create(cli_fmu *f)
{
    functions *call = f->functions;
    char path[4096 + 32], uri[3 * 4096 + 200];
    snprintf(path, sizeof path, "%s/resources", f->folder);
    write_uri(path, uri, sizeof uri);
    call->callbacks = (fmi2CallbackFunctions){write_log, calloc, free, NULL, f};
    f->instance =
        call->Instantiate(f->info->name, f->exchange ? fmi2ModelExchange : fmi2CoSimulation,
                          f->info->token, uri, &call->callbacks, fmi2False, fmi2False);
    if (!f->instance && !*f->why) cli_fmu_say(f, "it makes no instance");
    return f->instance != NULL;
}

static bool start(cli_fmu *f, double t, double tolerance, double stop)
{
    functions *call = f->functions;
    return call->SetupExperiment(f->instance, tolerance > 0.0, tolerance, t, stop > t, stop) <=
               fmi2Warning &&
           call->EnterInitializationMode(f->instance) <= fmi2Warning &&
           call->ExitInitializationMode(f->instance) <= fmi2Warning;
}

static bool set(cli_fmu *f, int port, double value)
{
    functions *call = f->functions;
    const flx_fmu_port *p = f->info->ports + port;
    if (strcmp(p->type, "Real") == 0) {
        return call->SetReal(f->instance, &p->reference, 1, &value) <= fmi2Warning;
    }
    int whole = (int)value;
    if (strcmp(p->type, "Boolean") == 0) {
        return call->SetBoolean(f->instance, &p->reference, 1, &whole) <= fmi2Warning;
    }
    return call->SetInteger(f->instance, &p->reference, 1, &whole) <= fmi2Warning;
}

static bool set_slope(cli_fmu *f, int port, double slope)
{
    functions *call = f->functions;
    const int order = 1;
    return call->SetRealInputDerivatives(f->instance, &f->info->ports[port].reference, 1, &order,
                                         &slope) <= fmi2Warning;
}

static bool get(cli_fmu *f, int port, int n, double *out)
{
    functions *call = f->functions;
    const flx_fmu_port *p = f->info->ports + port;
    (void)n;
    if (strcmp(p->type, "Real") == 0) {
        return call->GetReal(f->instance, &p->reference, 1, out) <= fmi2Warning;
    }
    int whole = 0;
    fmi2Status status = strcmp(p->type, "Boolean") == 0
                            ? call->GetBoolean(f->instance, &p->reference, 1, &whole)
                            : call->GetInteger(f->instance, &p->reference, 1, &whole);
    *out = whole;
    return status <= fmi2Warning;
}

static bool step(cli_fmu *f, double t, double h, double *reached, bool *ended)
{
    functions *call = f->functions;
    fmi2Status status = call->DoStep(f->instance, t, h, fmi2True);
    fmi2Boolean is_ended = fmi2False;
    *reached = t + h;
    *ended = false;
    if (status == fmi2Discard) {
        call->GetBooleanStatus(f->instance, fmi2Terminated, &is_ended);
        call->GetRealStatus(f->instance, fmi2LastSuccessfulTime, reached);
        *ended = is_ended != fmi2False;
    }
    return status <= fmi2Warning || *ended;
}

static bool get_slope(cli_fmu *f, int port, double *out)
{
    functions *call = f->functions;
    const int order = 1;
    return call->GetRealOutputDerivatives(f->instance, &f->info->ports[port].reference, 1, &order,
                                          out) <= fmi2Warning;
}

static bool save(cli_fmu *f)
{
    functions *call = f->functions;
    fmi2FMUstate state = NULL;
    size_t size = 0;
    bool done =
        call->GetFMUstate(f->instance, &state) <= fmi2Warning &&
        call->SerializedFMUstateSize(f->instance, state, &size) <= fmi2Warning &&
        cli_fmu_room(f, size) &&
        call->SerializeFMUstate(f->instance, state, (fmi2Byte *)f->bytes, size) <= fmi2Warning;
    if (state) call->FreeFMUstate(f->instance, &state);
    return done;
}

static bool restore(cli_fmu *f, const void *bytes, size_t size)
{
    functions *call = f->functions;
    fmi2FMUstate state = NULL;
    bool done = call->DeSerializeFMUstate(f->instance, bytes, size, &state) <= fmi2Warning &&
                call->SetFMUstate(f->instance, state) <= fmi2Warning;
    if (state) call->FreeFMUstate(f->instance, &state);
    return done;
}

#define WARNING fmi2Warning
#define GET_DERIVATIVES GetDerivatives
#include "cli/fmu/fmu_host.inc.h"

static bool along(cli_fmu *f, int port, double *slopes)
{
    functions *call = f->functions;
    const flx_fmu_info *info = f->info;
    const double one = 1.0;
    bool done = true;
    for (int i = 0; i < info->nstate + f->nout && done; i++) {
        int row = i < info->nstate ? info->derivatives[i] : f->out[i - info->nstate];
        done = call->GetDirectionalDerivative(f->instance, &info->ports[row].reference, 1,
                                              &info->ports[port].reference, 1, &one,
                                              slopes + i) <= fmi2Warning;
    }
    return done;
}

static bool event(cli_fmu *f, bool first, double t, double *x, const double *u, double *next,
                  bool *ended)
{
    functions *call = f->functions;
    size_t nx = (size_t)f->info->nstate;
    fmi2EventInfo info = {.newDiscreteStatesNeeded = fmi2True};
    bool done = first || call->EnterEventMode(f->instance) <= fmi2Warning;
    *next = HUGE_VAL;
    *ended = false;
    if (!first) done = done && put_state(f, t, x, u);
    for (int k = 0; done && info.newDiscreteStatesNeeded && !*ended; k++) {
        info = (fmi2EventInfo){0};
        done = k < MOST_ROUNDS && call->NewDiscreteStates(f->instance, &info) <= fmi2Warning;
        *ended = info.terminateSimulation != fmi2False;
    }
    if (done && !*ended) done = call->EnterContinuousTimeMode(f->instance) <= fmi2Warning;
    if (nx > 0) done = done && call->GetContinuousStates(f->instance, x, nx) <= fmi2Warning;
    if (info.nextEventTimeDefined) *next = info.nextEventTime;
    return done;
}

const cli_fmu_calls cli_fmu_calls2 = {load,      create, start,   set,     set_slope, get,   step,
                                      get_slope, save,   restore, destroy, rows,      along, event};
