// fmi2_functions.c - the functions of FMI 2.0 that masters call: arguments and modes checked here, done by instance.h.
#include "fmi/fmi2.h"
#include "fmi/runtime/instance.h"

#include <math.h>
#include <stdlib.h>

#define X(result, name, arguments) FLX_API result fmi2##name arguments;
FMI2_COMMON(X)
FMI2_EXCHANGE(X)
FMI2_COSIMULATION(X)
#undef X

typedef struct component {
    flx_fmu *fmu; // owned
    fmi2CallbackFunctions call;
    char *name; // owned
    fmi2Boolean debug;
    double last; // time of the last successful step
} component;

static void write_log(void *user, flx_fmu_level level, const char *text)
{
    component *c = user;
    fmi2Status status = level == FLX_FMU_ERROR     ? fmi2Error
                        : level == FLX_FMU_WARNING ? fmi2Warning
                                                   : fmi2OK;
    const char *category = level == FLX_FMU_ERROR     ? "logStatusError"
                           : level == FLX_FMU_WARNING ? "logStatusWarning"
                                                      : "logAll";
    if (level == FLX_FMU_NOTE_LEVEL && !c->debug) return;
    if (c->call.logger) {
        c->call.logger(c->call.componentEnvironment, c->name, status, category, "%s", text);
    }
}

static fmi2Status status_of(flx_fmu *f, flx_status status)
{
    if (status == FLX_OK) return fmi2OK;
    flx_fmu_tell(f);
    return fmi2Error;
}

// ---- asked of the library -----------------------------------------------------------------------------

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

// ---- life ---------------------------------------------------------------------------------------------

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    (void)visible;
    if (!callbacks) return NULL;
    component *c = calloc(1, sizeof *c);
    size_t length = name ? strlen(name) : 0;
    if (!c) return NULL;
    c->call = *callbacks;
    c->debug = logging;
    c->name = calloc(1, length + 1);
    if (c->name && length) memcpy(c->name, name, length);
    if (c->name && length == 0) {
        write_log(c, FLX_FMU_ERROR, "an instance needs a name");
    } else if (c->name) {
        c->fmu = flx_fmu_create(guid, resources, write_log, c);
        if (c->fmu && type == fmi2ModelExchange && flx_fmu_exchange_create(c->fmu) != FLX_OK) {
            flx_fmu_destroy(c->fmu);
            c->fmu = NULL;
        }
    }
    if (!c->fmu) {
        free(c->name);
        free(c);
        return NULL;
    }
    return c;
}

void fmi2FreeInstance(fmi2Component instance)
{
    component *c = instance;
    if (!c) return;
    flx_fmu_destroy(c->fmu);
    free(c->name);
    free(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component instance, fmi2Boolean on, size_t n,
                               const fmi2String categories[])
{
    (void)n, (void)categories;
    component *c = instance;
    if (!c) return fmi2Error;
    c->debug = on;
    return fmi2OK;
}

// Whether a call may come now; else it is told.
static bool is_due(component *c, const char *call, unsigned modes)
{
    if (!c) return false;
    if (modes & (1u << c->fmu->mode)) return true;
    flx_fmu_refuse(c->fmu, "fmi2%s cannot be called now", call);
    return false;
}
#define IN(mode) (1u << FLX_FMU_##mode)
#define ALIVE (IN(INSTANTIATED) | IN(INITIALISING) | IN(STEPPING))

fmi2Status fmi2SetupExperiment(fmi2Component instance, fmi2Boolean toleranceDefined,
                               fmi2Real tolerance, fmi2Real startTime, fmi2Boolean stopTimeDefined,
                               fmi2Real stopTime)
{
    component *c = instance;
    if (!is_due(c, "SetupExperiment", IN(INSTANTIATED))) return fmi2Error;
    return status_of(c->fmu, flx_fmu_setup(c->fmu, toleranceDefined ? tolerance : 0.0, startTime,
                                           stopTimeDefined ? stopTime : 0.0));
}

fmi2Status fmi2EnterInitializationMode(fmi2Component instance)
{
    component *c = instance;
    if (!is_due(c, "EnterInitializationMode", IN(INSTANTIATED))) return fmi2Error;
    return status_of(c->fmu, flx_fmu_initialise(c->fmu));
}

fmi2Status fmi2ExitInitializationMode(fmi2Component instance)
{
    component *c = instance;
    if (!is_due(c, "ExitInitializationMode", IN(INITIALISING))) return fmi2Error;
    return status_of(c->fmu, flx_fmu_begin(c->fmu));
}

fmi2Status fmi2Terminate(fmi2Component instance)
{
    component *c = instance;
    if (!is_due(c, "Terminate", IN(STEPPING) | IN(FAILED))) return fmi2Error;
    c->fmu->mode = FLX_FMU_TERMINATED;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component instance)
{
    component *c = instance;
    if (!c) return fmi2Error;
    c->last = 0.0;
    return status_of(c->fmu, flx_fmu_reset(c->fmu));
}

// ---- values ---------------------------------------------------------------------------------------------

fmi2Status fmi2GetReal(fmi2Component instance, const fmi2ValueReference vr[], size_t nvr,
                       fmi2Real value[])
{
    component *c = instance;
    flx_status status = FLX_OK;
    if (!is_due(c, "GetReal", ALIVE | IN(TERMINATED) | IN(FAILED))) return fmi2Error;
    for (size_t i = 0; i < nvr && status == FLX_OK; i++) {
        status = flx_fmu_get(c->fmu, vr[i], value + i);
    }
    return status_of(c->fmu, status);
}

fmi2Status fmi2SetReal(fmi2Component instance, const fmi2ValueReference vr[], size_t nvr,
                       const fmi2Real value[])
{
    component *c = instance;
    flx_status status = FLX_OK;
    if (!is_due(c, "SetReal", ALIVE)) return fmi2Error;
    for (size_t i = 0; i < nvr && status == FLX_OK; i++) {
        status = flx_fmu_set(c->fmu, vr[i], value[i]);
    }
    return status_of(c->fmu, status);
}

// All variables are real; none of them may be asked for another way.
#define NO_VARIABLES(name, type)                                                                   \
    fmi2Status fmi2##name(fmi2Component instance, const fmi2ValueReference vr[], size_t nvr,       \
                          type value[])                                                            \
    {                                                                                              \
        component *c = instance;                                                                   \
        (void)vr, (void)value;                                                                     \
        if (!c) return fmi2Error;                                                                  \
        if (nvr == 0) return fmi2OK;                                                               \
        flx_fmu_refuse(c->fmu, "fmi2%s: all variables of this FMU are of type Real", #name);       \
        return fmi2Error;                                                                          \
    }
NO_VARIABLES(GetInteger, fmi2Integer)
NO_VARIABLES(GetBoolean, fmi2Boolean)
NO_VARIABLES(GetString, fmi2String)
NO_VARIABLES(SetInteger, const fmi2Integer)
NO_VARIABLES(SetBoolean, const fmi2Boolean)
NO_VARIABLES(SetString, const fmi2String)

fmi2Status fmi2GetDirectionalDerivative(fmi2Component instance, const fmi2ValueReference unknown[],
                                        size_t nUnknown, const fmi2ValueReference known[],
                                        size_t nKnown, const fmi2Real seed[],
                                        fmi2Real sensitivity[])
{
    component *c = instance;
    if (!is_due(c, "GetDirectionalDerivative", IN(INITIALISING) | IN(STEPPING))) return fmi2Error;
    return status_of(c->fmu, flx_fmu_derive(c->fmu, (int)nUnknown, unknown, (int)nKnown, known,
                                            seed, sensitivity));
}

// ---- states -----------------------------------------------------------------------------------------------

fmi2Status fmi2GetFMUstate(fmi2Component instance, fmi2FMUstate *state)
{
    component *c = instance;
    flx_fmu_state *made = NULL;
    if (!is_due(c, "GetFMUstate", ALIVE | IN(TERMINATED))) return fmi2Error;
    flx_status status = flx_fmu_save(c->fmu, &made);
    if (status != FLX_OK) return status_of(c->fmu, status);
    free(*state); // the master's earlier one is written anew
    *state = made;
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component instance, fmi2FMUstate state)
{
    component *c = instance;
    if (!c || !state) return fmi2Error;
    flx_status status = flx_fmu_restore(c->fmu, state);
    if (status == FLX_OK) c->last = flx_run_time(c->fmu->run);
    return status_of(c->fmu, status);
}

fmi2Status fmi2FreeFMUstate(fmi2Component instance, fmi2FMUstate *state)
{
    (void)instance;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component instance, fmi2FMUstate state, size_t *size)
{
    if (!instance || !state) return fmi2Error;
    *size = ((const flx_fmu_state *)state)->size;
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component instance, fmi2FMUstate state, fmi2Byte bytes[],
                                 size_t size)
{
    component *c = instance;
    if (!c || !state) return fmi2Error;
    return flx_fmu_write_state(c->fmu, state, bytes, size) == FLX_OK ? fmi2OK : fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component instance, const fmi2Byte bytes[], size_t size,
                                   fmi2FMUstate *state)
{
    component *c = instance;
    if (!c) return fmi2Error;
    return flx_fmu_read_state(c->fmu, bytes, size, (flx_fmu_state **)state) == FLX_OK ? fmi2OK
                                                                                      : fmi2Error;
}

// ---- co-simulation ------------------------------------------------------------------------------------------

fmi2Status fmi2SetRealInputDerivatives(fmi2Component instance, const fmi2ValueReference vr[],
                                       size_t nvr, const fmi2Integer order[],
                                       const fmi2Real value[])
{
    component *c = instance;
    flx_status status = FLX_OK;
    if (!is_due(c, "SetRealInputDerivatives", ALIVE)) return fmi2Error;
    for (size_t i = 0; i < nvr && status == FLX_OK; i++) {
        status = flx_fmu_set_slope(c->fmu, vr[i], order[i], value[i]);
    }
    return status_of(c->fmu, status);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component instance, const fmi2ValueReference vr[],
                                        size_t nvr, const fmi2Integer order[], fmi2Real value[])
{
    component *c = instance;
    if (!is_due(c, "GetRealOutputDerivatives", IN(STEPPING))) return fmi2Error;
    for (size_t i = 0; i < nvr; i++) {
        if (order[i] == 1) continue;
        flx_fmu_refuse(c->fmu, "derivatives of outputs are of order 1, not %d", order[i]);
        return fmi2Error;
    }
    flx_status status = nvr > 0 ? flx_fmu_find_rates(c->fmu, (int)nvr, vr, value) : FLX_OK;
    return status > 0 ? fmi2Discard : status_of(c->fmu, status);
}

fmi2Status fmi2DoStep(fmi2Component instance, fmi2Real currentCommunicationPoint,
                      fmi2Real communicationStepSize, fmi2Boolean noSetFMUStatePriorToCurrentPoint)
{
    component *c = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!is_due(c, "DoStep", IN(STEPPING))) return fmi2Error;
    if (c->fmu->exchange) {
        flx_fmu_refuse(c->fmu, "fmi2DoStep is for co-simulation, this instance for model exchange");
        return fmi2Error;
    }
    flx_status status =
        flx_fmu_advance(c->fmu, currentCommunicationPoint, communicationStepSize, false, &c->last);
    if (status == FLX_STOPPED) return fmi2Discard; // fmi2Terminated says so
    if (status > 0) c->fmu->mode = FLX_FMU_FAILED;
    return status_of(c->fmu, status);
}

fmi2Status fmi2CancelStep(fmi2Component instance)
{
    component *c = instance;
    if (c) flx_fmu_refuse(c->fmu, "steps of this FMU end before fmi2DoStep returns");
    return fmi2Error;
}

fmi2Status fmi2GetStatus(fmi2Component instance, const fmi2StatusKind kind, fmi2Status *value)
{
    component *c = instance;
    if (!c || kind != fmi2DoStepStatus) return fmi2Discard;
    *value = c->fmu->stopped ? fmi2Discard : fmi2OK;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component instance, const fmi2StatusKind kind, fmi2Real *value)
{
    component *c = instance;
    if (!c || kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = c->last;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component instance, const fmi2StatusKind kind,
                                fmi2Integer *value)
{
    (void)instance, (void)kind, (void)value;
    return fmi2Discard;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component instance, const fmi2StatusKind kind,
                                fmi2Boolean *value)
{
    component *c = instance;
    if (!c || kind != fmi2Terminated) return fmi2Discard;
    *value = c->fmu->stopped;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component instance, const fmi2StatusKind kind, fmi2String *value)
{
    (void)instance;
    if (kind != fmi2PendingStatus) return fmi2Discard;
    *value = "";
    return fmi2OK;
}

// ---- model exchange -----------------------------------------------------------------------------------------

static bool is_exchanged(component *c, const char *call)
{
    if (!is_due(c, call, IN(STEPPING))) return false;
    if (c->fmu->exchange) return true;
    flx_fmu_refuse(c->fmu, "fmi2%s is for model exchange, this instance for co-simulation", call);
    return false;
}

fmi2Status fmi2EnterEventMode(fmi2Component instance)
{
    return is_exchanged(instance, "EnterEventMode") ? fmi2OK : fmi2Error;
}

fmi2Status fmi2EnterContinuousTimeMode(fmi2Component instance)
{
    return is_exchanged(instance, "EnterContinuousTimeMode") ? fmi2OK : fmi2Error;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component instance, fmi2EventInfo *info)
{
    component *c = instance;
    bool changed;
    double next;
    if (!is_exchanged(c, "NewDiscreteStates")) return fmi2Error;
    flx_status status = flx_fmu_exchange_happen(c->fmu, &changed, &next);
    *info = (fmi2EventInfo){.terminateSimulation = c->fmu->stopped,
                            .valuesOfContinuousStatesChanged = changed,
                            .nextEventTimeDefined = next < HUGE_VAL,
                            .nextEventTime = next};
    return status_of(c->fmu, status);
}

fmi2Status fmi2CompletedIntegratorStep(fmi2Component instance,
                                       fmi2Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi2Boolean *enterEventMode,
                                       fmi2Boolean *terminateSimulation)
{
    component *c = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!is_exchanged(c, "CompletedIntegratorStep")) return fmi2Error;
    bool instant;
    flx_status status = flx_fmu_exchange_accept(c->fmu, &instant);
    *enterEventMode = instant ? fmi2True : fmi2False;
    *terminateSimulation = c->fmu->stopped;
    return status_of(c->fmu, status);
}

fmi2Status fmi2SetTime(fmi2Component instance, fmi2Real time)
{
    component *c = instance;
    if (!is_exchanged(c, "SetTime")) return fmi2Error;
    flx_fmu_exchange_set_time(c->fmu, time);
    return fmi2OK;
}

fmi2Status fmi2SetContinuousStates(fmi2Component instance, const fmi2Real x[], size_t nx)
{
    component *c = instance;
    if (!is_exchanged(c, "SetContinuousStates")) return fmi2Error;
    return status_of(c->fmu, flx_fmu_exchange_set(c->fmu, x, nx));
}

static fmi2Status get_part(component *c, const char *call, flx_fmu_part part, double *out, size_t n)
{
    if (!is_exchanged(c, call)) return fmi2Error;
    return status_of(c->fmu, flx_fmu_exchange_get(c->fmu, part, out, n));
}

fmi2Status fmi2GetDerivatives(fmi2Component instance, fmi2Real derivatives[], size_t nx)
{
    return get_part(instance, "GetDerivatives", FLX_FMU_OF_RATES, derivatives, nx);
}

fmi2Status fmi2GetEventIndicators(fmi2Component instance, fmi2Real indicators[], size_t ni)
{
    return get_part(instance, "GetEventIndicators", FLX_FMU_OF_INDICATORS, indicators, ni);
}

fmi2Status fmi2GetContinuousStates(fmi2Component instance, fmi2Real x[], size_t nx)
{
    return get_part(instance, "GetContinuousStates", FLX_FMU_OF_STATES, x, nx);
}

fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component instance, fmi2Real nominal[], size_t nx)
{
    component *c = instance;
    if (!is_due(c, "GetNominalsOfContinuousStates", ALIVE)) return fmi2Error;
    for (size_t i = 0; i < nx; i++) nominal[i] = 1.0;
    return fmi2OK;
}
