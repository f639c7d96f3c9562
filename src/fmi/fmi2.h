// fmi2.h - the functions and types of FMI 2.0 (Functional Mock-up Interface for Model Exchange and Co-Simulation, version
// 2.0, 2014), declared anew from the text of the standard: names, signatures and values are its own, and an ABI.
#pragma once

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

#define fmi2True 1
#define fmi2False 0

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef struct {
    void (*logger)(fmi2ComponentEnvironment, fmi2String instance, fmi2Status, fmi2String category,
                   fmi2String message, ...);
    void *(*allocateMemory)(size_t, size_t); // may be NULL
    void (*freeMemory)(void *);
    void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
    fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

// Every function: its type of result, its name, its arguments. One list, for declarations and for loading.
#define FMI2_VALUES const fmi2ValueReference vr[], size_t nvr
#define FMI2_COMMON(X)                                                                             \
    X(const char *, GetTypesPlatform, (void))                                                      \
    X(const char *, GetVersion, (void))                                                            \
    X(fmi2Status, SetDebugLogging,                                                                 \
      (fmi2Component c, fmi2Boolean on, size_t n, const fmi2String categories[]))                  \
    X(fmi2Component, Instantiate,                                                                  \
      (fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,                      \
       const fmi2CallbackFunctions *callbacks, fmi2Boolean visible, fmi2Boolean logging))          \
    X(void, FreeInstance, (fmi2Component c))                                                       \
    X(fmi2Status, SetupExperiment,                                                                 \
      (fmi2Component c, fmi2Boolean toleranceDefined, fmi2Real tolerance, fmi2Real startTime,      \
       fmi2Boolean stopTimeDefined, fmi2Real stopTime))                                            \
    X(fmi2Status, EnterInitializationMode, (fmi2Component c))                                      \
    X(fmi2Status, ExitInitializationMode, (fmi2Component c))                                       \
    X(fmi2Status, Terminate, (fmi2Component c))                                                    \
    X(fmi2Status, Reset, (fmi2Component c))                                                        \
    X(fmi2Status, GetReal, (fmi2Component c, FMI2_VALUES, fmi2Real value[]))                       \
    X(fmi2Status, GetInteger, (fmi2Component c, FMI2_VALUES, fmi2Integer value[]))                 \
    X(fmi2Status, GetBoolean, (fmi2Component c, FMI2_VALUES, fmi2Boolean value[]))                 \
    X(fmi2Status, GetString, (fmi2Component c, FMI2_VALUES, fmi2String value[]))                   \
    X(fmi2Status, SetReal, (fmi2Component c, FMI2_VALUES, const fmi2Real value[]))                 \
    X(fmi2Status, SetInteger, (fmi2Component c, FMI2_VALUES, const fmi2Integer value[]))           \
    X(fmi2Status, SetBoolean, (fmi2Component c, FMI2_VALUES, const fmi2Boolean value[]))           \
    X(fmi2Status, SetString, (fmi2Component c, FMI2_VALUES, const fmi2String value[]))             \
    X(fmi2Status, GetFMUstate, (fmi2Component c, fmi2FMUstate * state))                            \
    X(fmi2Status, SetFMUstate, (fmi2Component c, fmi2FMUstate state))                              \
    X(fmi2Status, FreeFMUstate, (fmi2Component c, fmi2FMUstate * state))                           \
    X(fmi2Status, SerializedFMUstateSize, (fmi2Component c, fmi2FMUstate state, size_t * size))    \
    X(fmi2Status, SerializeFMUstate,                                                               \
      (fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size))                        \
    X(fmi2Status, DeSerializeFMUstate,                                                             \
      (fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state))                 \
    X(fmi2Status, GetDirectionalDerivative,                                                        \
      (fmi2Component c, const fmi2ValueReference unknown[], size_t nUnknown,                       \
       const fmi2ValueReference known[], size_t nKnown, const fmi2Real seed[],                     \
       fmi2Real sensitivity[]))
#define FMI2_EXCHANGE(X)                                                                           \
    X(fmi2Status, EnterEventMode, (fmi2Component c))                                               \
    X(fmi2Status, NewDiscreteStates, (fmi2Component c, fmi2EventInfo * info))                      \
    X(fmi2Status, EnterContinuousTimeMode, (fmi2Component c))                                      \
    X(fmi2Status, CompletedIntegratorStep,                                                         \
      (fmi2Component c, fmi2Boolean noSetFMUStatePriorToCurrentPoint,                              \
       fmi2Boolean * enterEventMode, fmi2Boolean * terminateSimulation))                           \
    X(fmi2Status, SetTime, (fmi2Component c, fmi2Real time))                                       \
    X(fmi2Status, SetContinuousStates, (fmi2Component c, const fmi2Real x[], size_t nx))           \
    X(fmi2Status, GetDerivatives, (fmi2Component c, fmi2Real derivatives[], size_t nx))            \
    X(fmi2Status, GetEventIndicators, (fmi2Component c, fmi2Real indicators[], size_t ni))         \
    X(fmi2Status, GetContinuousStates, (fmi2Component c, fmi2Real x[], size_t nx))                 \
    X(fmi2Status, GetNominalsOfContinuousStates, (fmi2Component c, fmi2Real nominal[], size_t nx))
#define FMI2_COSIMULATION(X)                                                                       \
    X(fmi2Status, SetRealInputDerivatives,                                                         \
      (fmi2Component c, FMI2_VALUES, const fmi2Integer order[], const fmi2Real value[]))           \
    X(fmi2Status, GetRealOutputDerivatives,                                                        \
      (fmi2Component c, FMI2_VALUES, const fmi2Integer order[], fmi2Real value[]))                 \
    X(fmi2Status, DoStep,                                                                          \
      (fmi2Component c, fmi2Real currentCommunicationPoint, fmi2Real communicationStepSize,        \
       fmi2Boolean noSetFMUStatePriorToCurrentPoint))                                              \
    X(fmi2Status, CancelStep, (fmi2Component c))                                                   \
    X(fmi2Status, GetStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Status *value))      \
    X(fmi2Status, GetRealStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2Real *value))    \
    X(fmi2Status, GetIntegerStatus,                                                                \
      (fmi2Component c, const fmi2StatusKind kind, fmi2Integer *value))                            \
    X(fmi2Status, GetBooleanStatus,                                                                \
      (fmi2Component c, const fmi2StatusKind kind, fmi2Boolean *value))                            \
    X(fmi2Status, GetStringStatus, (fmi2Component c, const fmi2StatusKind kind, fmi2String *value))

// fmi2NAME_type: a pointer to the function.
#define X(result, name, arguments) typedef result(*fmi2##name##_type) arguments;
FMI2_COMMON(X)
FMI2_EXCHANGE(X)
FMI2_COSIMULATION(X)
#undef X
