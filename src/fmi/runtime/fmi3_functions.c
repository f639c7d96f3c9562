// fmi3_functions.c - the functions of FMI 3.0 that masters call: arguments and modes checked here, done by instance.h.
#include "fmi/fmi3.h"
#include "fmi/fmu_exchange.h"
#include "fmi/fmu_groups.h"
#include "fmi/runtime/instance.h"

#include <math.h>
#include <stdlib.h>

#define X(result, name, arguments) FLX_API result fmi3##name arguments;
FMI3_COMMON(X)
FMI3_EXCHANGE(X)
FMI3_COSIMULATION(X)
FMI3_SCHEDULED(X)
#undef X
#define X(type)                                                                                    \
    FLX_API fmi3Status fmi3Get##type(FMI3_VALUES, fmi3##type values[], size_t nValues);            \
    FLX_API fmi3Status fmi3Set##type(FMI3_VALUES, const fmi3##type values[], size_t nValues);
FMI3_TYPES(X)
#undef X

typedef struct instance3 {
    flx_fmu *fmu; // owned
    fmi3LogMessageCallback log;
    fmi3InstanceEnvironment environment;
    bool debug;
    bool early;    // the master lets steps end at events
    bool has_mode; // ... and has a mode for them
    bool in_event; // that mode
} instance3;

static void write_log(void *user, flx_fmu_level level, const char *text)
{
    instance3 *c = user;
    static const fmi3Status status[] = {fmi3OK, fmi3Warning, fmi3Error};
    static const char *const categories[] = {"logAll", "logStatusWarning", "logStatusError"};
    if (!c->log || (level == FLX_FMU_NOTE_LEVEL && !c->debug)) return;
    c->log(c->environment, status[level], categories[level], text);
}

static fmi3Status status_of(instance3 *c, flx_status status)
{
    if (status == FLX_OK) return fmi3OK;
    flx_fmu_tell(c->fmu);
    return fmi3Error;
}

// Whether a call may come now; else it is told.
static bool is_due(instance3 *c, const char *call, unsigned modes)
{
    if (!c) return false;
    if (modes & (1u << c->fmu->mode)) return true;
    flx_fmu_refuse(c->fmu, "fmi3%s cannot be called now", call);
    return false;
}
#define IN(mode) (1u << FLX_FMU_##mode)
#define ALIVE (IN(INSTANTIATED) | IN(INITIALISING) | IN(STEPPING))

static fmi3Status refuse(fmi3Instance instance, const char *call)
{
    instance3 *c = instance;
    if (c) flx_fmu_refuse(c->fmu, "fmi3%s: this FMU does not offer it", call);
    return fmi3Error;
}

// ---- life -------------------------------------------------------------------------------------------

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging,
                                         fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,
                                         const fmi3ValueReference intermediate[],
                                         size_t nIntermediate, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log,
                                         fmi3IntermediateUpdateCallback update)
{
    (void)visible, (void)intermediate, (void)nIntermediate, (void)update;
    instance3 *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->log = log;
    c->environment = environment;
    c->debug = logging;
    c->early = earlyReturnAllowed;
    c->has_mode = eventModeUsed;
    if (name && *name) {
        c->fmu = flx_fmu_create(token, resources, write_log, c);
    } else {
        write_log(c, FLX_FMU_ERROR, "an instance needs a name");
    }
    if (c->fmu) return c;
    free(c);
    return NULL;
}

fmi3Instance
fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                  fmi3Boolean visible, fmi3Boolean logging,
                                  fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
                                  fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,
                                  fmi3UnlockPreemptionCallback unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)clock, (void)lock;
    (void)unlock;
    if (log)
        log(environment, fmi3Error, "logStatusError", "this FMU is not for scheduled execution");
    return NULL;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!c) return;
    flx_fmu_destroy(c->fmu);
    free(c);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n,
                               const fmi3String categories[])
{
    instance3 *c = instance;
    (void)n, (void)categories;
    if (!c) return fmi3Error;
    c->debug = on;
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean toleranceDefined,
                                       fmi3Float64 tolerance, fmi3Float64 startTime,
                                       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime)
{
    instance3 *c = instance;
    if (!is_due(c, "EnterInitializationMode", IN(INSTANTIATED))) return fmi3Error;
    flx_status status = flx_fmu_setup(c->fmu, toleranceDefined ? tolerance : 0.0, startTime,
                                      stopTimeDefined ? stopTime : 0.0);
    if (status == FLX_OK) status = flx_fmu_initialise(c->fmu);
    return status_of(c, status);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!is_due(c, "ExitInitializationMode", IN(INITIALISING))) return fmi3Error;
    flx_status status = flx_fmu_begin(c->fmu);
    c->in_event = status == FLX_OK && c->has_mode;
    return status_of(c, status);
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!is_due(c, "Terminate", IN(STEPPING) | IN(FAILED))) return fmi3Error;
    c->fmu->mode = FLX_FMU_TERMINATED;
    return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!c) return fmi3Error;
    c->in_event = false;
    return status_of(c, flx_fmu_reset(c->fmu));
}

// Structural parameters are set before the initialisation like others: the model is compiled again.
fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    return refuse(instance, "EnterConfigurationMode");
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    return refuse(instance, "ExitConfigurationMode");
}

// ---- values -----------------------------------------------------------------------------------------

// Numbers of a variable: of an output that is the first of a vector, those of the vector.
static size_t count_of(const flx_fmu *f, fmi3ValueReference reference)
{
    if (flx_fmu_kind(reference) != FLX_FMU_OUTPUT) return 1;
    return (size_t)flx_fmu_group(f->system, flx_fmu_number(reference));
}

static fmi3Status refuse_count(instance3 *c, size_t n)
{
    flx_fmu_refuse(c->fmu, "%zu values are not as many as the variables have", n);
    return fmi3Error;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                          fmi3Float64 values[], size_t nValues)
{
    instance3 *c = instance;
    flx_status status = FLX_OK;
    size_t at = 0;
    if (!is_due(c, "GetFloat64", ALIVE | IN(TERMINATED) | IN(FAILED))) return fmi3Error;
    for (size_t i = 0; i < nvr && status == FLX_OK; i++) {
        size_t n = count_of(c->fmu, vr[i]);
        if (at + n > nValues) return refuse_count(c, nValues);
        for (size_t k = 0; k < n && status == FLX_OK; k++) {
            status = flx_fmu_get(c->fmu, vr[i] + (unsigned)k, values + at++);
        }
    }
    if (status == FLX_OK && at != nValues) return refuse_count(c, nValues);
    return status_of(c, status);
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t nvr,
                          const fmi3Float64 values[], size_t nValues)
{
    instance3 *c = instance;
    flx_status status = FLX_OK;
    if (!is_due(c, "SetFloat64", ALIVE)) return fmi3Error;
    if (nvr != nValues) return refuse_count(c, nValues);
    for (size_t i = 0; i < nvr && status == FLX_OK; i++) {
        status = flx_fmu_set(c->fmu, vr[i], values[i]);
    }
    return status_of(c, status);
}

// All variables are of type Float64; none of them may be asked for another way.
#define NO_VARIABLES(name, type)                                                                   \
    fmi3Status fmi3##name(FMI3_VALUES, type values[], size_t nValues)                              \
    {                                                                                              \
        (void)vr, (void)values, (void)nValues;                                                     \
        return nvr == 0 && c ? fmi3OK : refuse(c, #name);                                          \
    }
#define BOTH(type) NO_VARIABLES(Get##type, fmi3##type) NO_VARIABLES(Set##type, const fmi3##type)
BOTH(Float32)
BOTH(Int8)
BOTH(UInt8)
BOTH(Int16)
BOTH(UInt16)
BOTH(Int32)
BOTH(UInt32)
BOTH(Int64)
BOTH(UInt64)
BOTH(Boolean)
BOTH(String)

// The same of functions that have other arguments.
#define NOTHING(name, arguments)                                                                   \
    fmi3Status fmi3##name arguments                                                                \
    {                                                                                              \
        (void)vr;                                                                                  \
        return nvr == 0 && c ? fmi3OK : refuse(c, #name);                                          \
    }
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
NOTHING(GetBinary, (FMI3_VALUES, size_t sizes[], fmi3Binary values[], size_t nValues))
NOTHING(SetBinary, (FMI3_VALUES, const size_t sizes[], const fmi3Binary values[], size_t nValues))
NOTHING(GetClock, (FMI3_VALUES, fmi3Clock values[]))
NOTHING(SetClock, (FMI3_VALUES, const fmi3Clock values[]))
NOTHING(GetIntervalDecimal,
        (FMI3_VALUES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]))
NOTHING(GetIntervalFraction, (FMI3_VALUES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                              fmi3IntervalQualifier qualifiers[]))
NOTHING(GetShiftDecimal, (FMI3_VALUES, fmi3Float64 shifts[]))
NOTHING(GetShiftFraction, (FMI3_VALUES, fmi3UInt64 counters[], fmi3UInt64 resolutions[]))
NOTHING(SetIntervalDecimal, (FMI3_VALUES, const fmi3Float64 intervals[]))
NOTHING(SetIntervalFraction,
        (FMI3_VALUES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
NOTHING(SetShiftDecimal, (FMI3_VALUES, const fmi3Float64 shifts[]))
NOTHING(SetShiftFraction,
        (FMI3_VALUES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))
#pragma GCC diagnostic pop

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference vr,
                                               size_t *n)
{
    (void)vr, (void)n;
    return refuse(instance, "GetNumberOfVariableDependencies");
}

fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t elements[], fmi3ValueReference independents[],
                                       size_t elementsOfIndependents[], fmi3DependencyKind kinds[],
                                       size_t n)
{
    (void)dependent, (void)elements, (void)independents, (void)elementsOfIndependents, (void)kinds;
    (void)n;
    return refuse(instance, "GetVariableDependencies");
}

// ---- derivatives ------------------------------------------------------------------------------------

// References of all numbers, those of vectors one by one; NULL: no memory. *n of them.
static unsigned *spread(const flx_fmu *f, const fmi3ValueReference vr[], size_t nvr, size_t *n)
{
    unsigned *out = malloc((3 * nvr + 1) * sizeof *out);
    *n = 0;
    for (size_t i = 0; out && i < nvr; i++) {
        for (size_t k = 0; k < count_of(f, vr[i]); k++) out[(*n)++] = vr[i] + (unsigned)k;
    }
    return out;
}

fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                        size_t nUnknowns, const fmi3ValueReference knowns[],
                                        size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                        fmi3Float64 sensitivity[], size_t nSensitivity)
{
    instance3 *c = instance;
    size_t nof, nby;
    if (!is_due(c, "GetDirectionalDerivative", IN(INITIALISING) | IN(STEPPING))) return fmi3Error;
    unsigned *of = spread(c->fmu, unknowns, nUnknowns, &nof),
             *by = spread(c->fmu, knowns, nKnowns, &nby);
    fmi3Status status = fmi3Error;
    if (nof != nSensitivity || nby != nSeed) {
        status = refuse_count(c, nof != nSensitivity ? nSensitivity : nSeed);
    } else if (of && by) {
        status =
            status_of(c, flx_fmu_derive(c->fmu, (int)nof, of, (int)nby, by, seed, sensitivity));
    }
    free(of);
    free(by);
    return status;
}

// Orders are given for variables, values for their numbers.
fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference vr[],
                                    size_t nvr, const fmi3Int32 orders[], fmi3Float64 values[],
                                    size_t nValues)
{
    instance3 *c = instance;
    size_t n;
    if (!is_due(c, "GetOutputDerivatives", IN(STEPPING))) return fmi3Error;
    for (size_t i = 0; i < nvr; i++) {
        if (orders[i] == 1) continue;
        flx_fmu_refuse(c->fmu, "derivatives of outputs are of order 1, not %d", (int)orders[i]);
        return fmi3Error;
    }
    unsigned *of = spread(c->fmu, vr, nvr, &n);
    flx_status status = of ? FLX_OK : FLX_ERR_MEMORY;
    bool fits = n == nValues;
    if (of && fits && n > 0) status = flx_fmu_find_rates(c->fmu, (int)n, of, values);
    free(of);
    if (!fits) return refuse_count(c, nValues);
    return status > 0 ? fmi3Discard : status_of(c, status);
}

// The transpose, input by input.
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknowns[],
                                    size_t nUnknowns, const fmi3ValueReference knowns[],
                                    size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,
                                    fmi3Float64 sensitivity[], size_t nSensitivity)
{
    instance3 *c = instance;
    size_t nof, nby;
    const double one = 1.0;
    if (!is_due(c, "GetAdjointDerivative", IN(INITIALISING) | IN(STEPPING))) return fmi3Error;
    unsigned *of = spread(c->fmu, unknowns, nUnknowns, &nof),
             *by = spread(c->fmu, knowns, nKnowns, &nby);
    double *column = malloc((nof + 1) * sizeof *column);
    fmi3Status status = of && by && column ? fmi3OK : fmi3Error;
    if (nof != nSeed || nby != nSensitivity)
        status = refuse_count(c, nof != nSeed ? nSeed : nSensitivity);
    for (size_t k = 0; k < nby && status == fmi3OK; k++) {
        status = status_of(c, flx_fmu_derive(c->fmu, (int)nof, of, 1, by + k, &one, column));
        sensitivity[k] = 0.0;
        for (size_t i = 0; i < nof && status == fmi3OK; i++) sensitivity[k] += seed[i] * column[i];
    }
    free(of);
    free(by);
    free(column);
    return status;
}

// ---- states -----------------------------------------------------------------------------------------

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    instance3 *c = instance;
    flx_fmu_state *made = NULL;
    if (!is_due(c, "GetFMUState", ALIVE | IN(TERMINATED))) return fmi3Error;
    flx_status status = flx_fmu_save(c->fmu, &made);
    if (status != FLX_OK) return status_of(c, status);
    free(*state); // the master's earlier one is written anew
    *state = made;
    return fmi3OK;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    instance3 *c = instance;
    if (!c || !state) return fmi3Error;
    return status_of(c, flx_fmu_restore(c->fmu, state));
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    (void)instance;
    if (state) {
        free(*state);
        *state = NULL;
    }
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
    if (!instance || !state) return fmi3Error;
    *size = ((const flx_fmu_state *)state)->size;
    return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[],
                                 size_t size)
{
    instance3 *c = instance;
    if (!c || !state) return fmi3Error;
    return flx_fmu_write_state(c->fmu, state, bytes, size) == FLX_OK ? fmi3OK : fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state)
{
    instance3 *c = instance;
    if (!c) return fmi3Error;
    return flx_fmu_read_state(c->fmu, bytes, size, (flx_fmu_state **)state) == FLX_OK ? fmi3OK
                                                                                      : fmi3Error;
}

// ---- co-simulation ----------------------------------------------------------------------------------

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!is_due(c, "EnterEventMode", IN(STEPPING))) return fmi3Error;
    if (!c->has_mode && !c->fmu->exchange) return refuse(c, "EnterEventMode");
    c->in_event = true;
    return fmi3OK;
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!is_due(c, "EnterStepMode", IN(STEPPING))) return fmi3Error;
    c->in_event = false;
    return fmi3OK;
}

// The model's events have happened where the step ended: nothing is left to do.
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    instance3 *c = instance;
    if (!is_due(c, "EvaluateDiscreteStates", ALIVE)) return fmi3Error;
    return status_of(c, flx_fmu_settle(c->fmu));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *discreteStatesNeedUpdate,
                                    fmi3Boolean *terminateSimulation, fmi3Boolean *nominalsChanged,
                                    fmi3Boolean *valuesChanged, fmi3Boolean *nextEventTimeDefined,
                                    fmi3Float64 *nextEventTime)
{
    instance3 *c = instance;
    if (!is_due(c, "UpdateDiscreteStates", ALIVE)) return fmi3Error;
    bool changed = false;
    double next = HUGE_VAL;
    flx_status status = c->fmu->exchange && c->fmu->mode == FLX_FMU_STEPPING
                            ? flx_fmu_exchange_happen(c->fmu, &changed, &next)
                            : flx_fmu_settle(c->fmu);
    *discreteStatesNeedUpdate = *nominalsChanged = *valuesChanged = *nextEventTimeDefined = false;
    *terminateSimulation = c->fmu->stopped;
    *valuesChanged = changed;
    *nextEventTimeDefined = next < HUGE_VAL;
    *nextEventTime = *nextEventTimeDefined ? next : 0.0;
    return status_of(c, status);
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 currentCommunicationPoint,
                      fmi3Float64 communicationStepSize,
                      fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                      fmi3Boolean *eventHandlingNeeded, fmi3Boolean *terminateSimulation,
                      fmi3Boolean *earlyReturn, fmi3Float64 *lastSuccessfulTime)
{
    instance3 *c = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!is_due(c, "DoStep", IN(STEPPING))) return fmi3Error;
    if (c->fmu->exchange) return refuse(c, "DoStep");
    if (c->in_event) {
        flx_fmu_refuse(c->fmu, "fmi3DoStep cannot be called in event mode");
        return fmi3Error;
    }
    long before = c->fmu->events;
    double end = currentCommunicationPoint + communicationStepSize;
    flx_status status = flx_fmu_advance(c->fmu, currentCommunicationPoint, communicationStepSize,
                                        c->early, lastSuccessfulTime);
    *eventHandlingNeeded = c->has_mode && c->fmu->events > before;
    *terminateSimulation = status == FLX_STOPPED;
    *earlyReturn = (status == FLX_OK || status == FLX_STOPPED) && *lastSuccessfulTime < end;
    if (status == FLX_STOPPED) return fmi3OK;
    if (status > 0) c->fmu->mode = FLX_FMU_FAILED;
    return status_of(c, status);
}

fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock,
                                      fmi3Float64 time)
{
    (void)clock, (void)time;
    return refuse(instance, "ActivateModelPartition");
}

// ---- model exchange ---------------------------------------------------------------------------------

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    instance3 *c = fmi3InstantiateCoSimulation(name, token, resources, visible, logging, false,
                                               false, NULL, 0, environment, log, NULL);
    if (!c || flx_fmu_exchange_create(c->fmu) == FLX_OK) return c;
    fmi3FreeInstance(c);
    return NULL;
}

static bool is_exchanged(instance3 *c, const char *call)
{
    if (!is_due(c, call, IN(STEPPING))) return false;
    if (!c->fmu->exchange) refuse(c, call);
    return c->fmu->exchange != NULL;
}

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance)
{
    return is_exchanged(instance, "EnterContinuousTimeMode") ? fmi3OK : fmi3Error;
}

fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance,
                                       fmi3Boolean noSetFMUStatePriorToCurrentPoint,
                                       fmi3Boolean *enterEventMode,
                                       fmi3Boolean *terminateSimulation)
{
    instance3 *c = instance;
    (void)noSetFMUStatePriorToCurrentPoint;
    if (!is_exchanged(c, "CompletedIntegratorStep")) return fmi3Error;
    bool instant;
    flx_status status = flx_fmu_exchange_accept(c->fmu, &instant);
    *enterEventMode = instant;
    *terminateSimulation = c->fmu->stopped;
    return status_of(c, status);
}

fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time)
{
    instance3 *c = instance;
    if (!is_exchanged(c, "SetTime")) return fmi3Error;
    flx_fmu_exchange_set_time(c->fmu, time);
    return fmi3OK;
}

fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 x[], size_t nx)
{
    instance3 *c = instance;
    if (!is_exchanged(c, "SetContinuousStates")) return fmi3Error;
    return status_of(c, flx_fmu_exchange_set(c->fmu, x, nx));
}

static fmi3Status get_part(instance3 *c, const char *call, flx_fmu_part part, double *out, size_t n)
{
    if (!is_exchanged(c, call)) return fmi3Error;
    return status_of(c, flx_fmu_exchange_get(c->fmu, part, out, n));
}

fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 dx[], size_t nx)
{
    return get_part(instance, "GetContinuousStateDerivatives", FLX_FMU_OF_RATES, dx, nx);
}

fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[], size_t n)
{
    return get_part(instance, "GetEventIndicators", FLX_FMU_OF_INDICATORS, indicators, n);
}

fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 x[], size_t nx)
{
    return get_part(instance, "GetContinuousStates", FLX_FMU_OF_STATES, x, nx);
}

fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominals[],
                                             size_t nx)
{
    instance3 *c = instance;
    if (!is_due(c, "GetNominalsOfContinuousStates", ALIVE)) return fmi3Error;
    for (size_t i = 0; i < nx; i++) nominals[i] = 1.0;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n)
{
    instance3 *c = instance;
    if (!c || !c->fmu->exchange) return fmi3Error;
    *n = (size_t)flx_fmu_indicator_count(c->fmu->run);
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n)
{
    instance3 *c = instance;
    if (!c || !c->fmu->exchange) return fmi3Error;
    *n = (size_t)flx_fmu_state_count(c->fmu->run);
    return fmi3OK;
}
