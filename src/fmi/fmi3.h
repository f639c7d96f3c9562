// fmi3.h - the functions and types of FMI 3.0 (Functional Mock-up Interface, version 3.0, 2022), declared anew from the text
// of the standard: names, signatures and values are its own, and an ABI.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;
typedef enum {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64 time,
                                               fmi3Boolean setRequested, fmi3Boolean getAllowed,
                                               fmi3Boolean stepFinished, fmi3Boolean canReturnEarly,
                                               fmi3Boolean *earlyReturnRequested,
                                               fmi3Float64 *earlyReturnTime);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

#define FMI3_VALUES fmi3Instance c, const fmi3ValueReference vr[], size_t nvr
// Types whose values are read and set alike.
#define FMI3_TYPES(X)                                                                              \
    X(Float32)                                                                                     \
    X(Float64)                                                                                     \
    X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)

// Every function but those of FMI3_TYPES: its type of result, its name, its arguments.
#define FMI3_COMMON(X)                                                                             \
    X(const char *, GetVersion, (void))                                                            \
    X(fmi3Status, SetDebugLogging,                                                                 \
      (fmi3Instance c, fmi3Boolean on, size_t n, const fmi3String categories[]))                   \
    X(void, FreeInstance, (fmi3Instance c))                                                        \
    X(fmi3Status, EnterInitializationMode,                                                         \
      (fmi3Instance c, fmi3Boolean toleranceDefined, fmi3Float64 tolerance, fmi3Float64 startTime, \
       fmi3Boolean stopTimeDefined, fmi3Float64 stopTime))                                         \
    X(fmi3Status, ExitInitializationMode, (fmi3Instance c))                                        \
    X(fmi3Status, EnterEventMode, (fmi3Instance c))                                                \
    X(fmi3Status, Terminate, (fmi3Instance c))                                                     \
    X(fmi3Status, Reset, (fmi3Instance c))                                                         \
    X(fmi3Status, GetBinary, (FMI3_VALUES, size_t sizes[], fmi3Binary values[], size_t nValues))   \
    X(fmi3Status, SetBinary,                                                                       \
      (FMI3_VALUES, const size_t sizes[], const fmi3Binary values[], size_t nValues))              \
    X(fmi3Status, GetClock, (FMI3_VALUES, fmi3Clock values[]))                                     \
    X(fmi3Status, SetClock, (FMI3_VALUES, const fmi3Clock values[]))                               \
    X(fmi3Status, GetNumberOfVariableDependencies,                                                 \
      (fmi3Instance c, fmi3ValueReference vr, size_t * n))                                         \
    X(fmi3Status, GetVariableDependencies,                                                         \
      (fmi3Instance c, fmi3ValueReference dependent, size_t elements[],                            \
       fmi3ValueReference independents[], size_t elementsOfIndependents[],                         \
       fmi3DependencyKind kinds[], size_t n))                                                      \
    X(fmi3Status, GetFMUState, (fmi3Instance c, fmi3FMUState * state))                             \
    X(fmi3Status, SetFMUState, (fmi3Instance c, fmi3FMUState state))                               \
    X(fmi3Status, FreeFMUState, (fmi3Instance c, fmi3FMUState * state))                            \
    X(fmi3Status, SerializedFMUStateSize, (fmi3Instance c, fmi3FMUState state, size_t * size))     \
    X(fmi3Status, SerializeFMUState,                                                               \
      (fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size))                         \
    X(fmi3Status, DeserializeFMUState,                                                             \
      (fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state))                  \
    X(fmi3Status, GetDirectionalDerivative,                                                        \
      (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,                      \
       const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,  \
       fmi3Float64 sensitivity[], size_t nSensitivity))                                            \
    X(fmi3Status, GetAdjointDerivative,                                                            \
      (fmi3Instance c, const fmi3ValueReference unknowns[], size_t nUnknowns,                      \
       const fmi3ValueReference knowns[], size_t nKnowns, const fmi3Float64 seed[], size_t nSeed,  \
       fmi3Float64 sensitivity[], size_t nSensitivity))                                            \
    X(fmi3Status, EnterConfigurationMode, (fmi3Instance c))                                        \
    X(fmi3Status, ExitConfigurationMode, (fmi3Instance c))                                         \
    X(fmi3Status, GetIntervalDecimal,                                                              \
      (FMI3_VALUES, fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]))                  \
    X(fmi3Status, GetIntervalFraction,                                                             \
      (FMI3_VALUES, fmi3UInt64 counters[], fmi3UInt64 resolutions[],                               \
       fmi3IntervalQualifier qualifiers[]))                                                        \
    X(fmi3Status, GetShiftDecimal, (FMI3_VALUES, fmi3Float64 shifts[]))                            \
    X(fmi3Status, GetShiftFraction,                                                                \
      (FMI3_VALUES, fmi3UInt64 counters[], fmi3UInt64 resolutions[]))                              \
    X(fmi3Status, SetIntervalDecimal, (FMI3_VALUES, const fmi3Float64 intervals[]))                \
    X(fmi3Status, SetIntervalFraction,                                                             \
      (FMI3_VALUES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))                  \
    X(fmi3Status, SetShiftDecimal, (FMI3_VALUES, const fmi3Float64 shifts[]))                      \
    X(fmi3Status, SetShiftFraction,                                                                \
      (FMI3_VALUES, const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))                  \
    X(fmi3Status, EvaluateDiscreteStates, (fmi3Instance c))                                        \
    X(fmi3Status, UpdateDiscreteStates,                                                            \
      (fmi3Instance c, fmi3Boolean * discreteStatesNeedUpdate, fmi3Boolean * terminateSimulation,  \
       fmi3Boolean * nominalsChanged, fmi3Boolean * valuesChanged,                                 \
       fmi3Boolean * nextEventTimeDefined, fmi3Float64 * nextEventTime))
#define FMI3_EXCHANGE(X)                                                                           \
    X(fmi3Instance, InstantiateModelExchange,                                                      \
      (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,               \
       fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log))      \
    X(fmi3Status, EnterContinuousTimeMode, (fmi3Instance c))                                       \
    X(fmi3Status, CompletedIntegratorStep,                                                         \
      (fmi3Instance c, fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * enterEventMode, \
       fmi3Boolean * terminateSimulation))                                                         \
    X(fmi3Status, SetTime, (fmi3Instance c, fmi3Float64 time))                                     \
    X(fmi3Status, SetContinuousStates, (fmi3Instance c, const fmi3Float64 x[], size_t nx))         \
    X(fmi3Status, GetContinuousStateDerivatives, (fmi3Instance c, fmi3Float64 dx[], size_t nx))    \
    X(fmi3Status, GetEventIndicators, (fmi3Instance c, fmi3Float64 indicators[], size_t n))        \
    X(fmi3Status, GetContinuousStates, (fmi3Instance c, fmi3Float64 x[], size_t nx))               \
    X(fmi3Status, GetNominalsOfContinuousStates,                                                   \
      (fmi3Instance c, fmi3Float64 nominals[], size_t nx))                                         \
    X(fmi3Status, GetNumberOfEventIndicators, (fmi3Instance c, size_t * n))                        \
    X(fmi3Status, GetNumberOfContinuousStates, (fmi3Instance c, size_t * n))
#define FMI3_COSIMULATION(X)                                                                       \
    X(fmi3Instance, InstantiateCoSimulation,                                                       \
      (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,               \
       fmi3Boolean logging, fmi3Boolean eventModeUsed, fmi3Boolean earlyReturnAllowed,             \
       const fmi3ValueReference intermediate[], size_t nIntermediate,                              \
       fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,                            \
       fmi3IntermediateUpdateCallback update))                                                     \
    X(fmi3Status, EnterStepMode, (fmi3Instance c))                                                 \
    X(fmi3Status, GetOutputDerivatives,                                                            \
      (FMI3_VALUES, const fmi3Int32 orders[], fmi3Float64 values[], size_t nValues))               \
    X(fmi3Status, DoStep,                                                                          \
      (fmi3Instance c, fmi3Float64 currentCommunicationPoint, fmi3Float64 communicationStepSize,   \
       fmi3Boolean noSetFMUStatePriorToCurrentPoint, fmi3Boolean * eventHandlingNeeded,            \
       fmi3Boolean * terminateSimulation, fmi3Boolean * earlyReturn,                               \
       fmi3Float64 * lastSuccessfulTime))
#define FMI3_SCHEDULED(X)                                                                          \
    X(fmi3Instance, InstantiateScheduledExecution,                                                 \
      (fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,               \
       fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,       \
       fmi3ClockUpdateCallback clock, fmi3LockPreemptionCallback lock,                             \
       fmi3UnlockPreemptionCallback unlock))                                                       \
    X(fmi3Status, ActivateModelPartition,                                                          \
      (fmi3Instance c, fmi3ValueReference clock, fmi3Float64 time))

// fmi3NAME_type: a pointer to the function.
#define X(result, name, arguments) typedef result(*fmi3##name##_type) arguments;
FMI3_COMMON(X)
FMI3_EXCHANGE(X)
FMI3_COSIMULATION(X)
FMI3_SCHEDULED(X)
#undef X
#define X(type)                                                                                    \
    typedef fmi3Status (*fmi3Get##type##_type)(FMI3_VALUES, fmi3##type values[], size_t nValues);  \
    typedef fmi3Status (*fmi3Set##type##_type)(FMI3_VALUES, const fmi3##type values[],             \
                                               size_t nValues);
FMI3_TYPES(X)
#undef X
