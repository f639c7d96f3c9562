// result_format.h - what writer and reader of result files agree on.
#pragma once

#define FLX_RESULT_FORMAT "flexion-result 2"
#define FLX_RESULT_FORMAT_1                                                                        \
    "flexion-result 1" // whose scene was a text: signals and states are read

#define FLX_RESULT_OLD_SCENE                                                                       \
    "the result was written by an older Flexion: run the model again to get its picture"

// Entries of /ledger: of the run, and of its work.
#define FLX_LEDGER_COUNTS(X)                                                                       \
    X(steps)                                                                                       \
    X(rejected)                                                                                    \
    X(residuals)                                                                                   \
    X(linearisations)                                                                              \
    X(factorisations)                                                                              \
    X(solves)                                                                                      \
    X(newton_iterations)                                                                           \
    X(newton_failures)                                                                             \
    X(projections)                                                                                 \
    X(singular_positions)                                                                          \
    X(impacts)                                                                                     \
    X(jams)                                                                                        \
    X(law_residual)                                                                                \
    X(law_missed)                                                                                  \
    X(overlap)                                                                                     \
    X(smallest_step)                                                                               \
    X(largest_step)

#define FLX_LEDGER_NUMBERS(X)                                                                      \
    X(status)                                                                                      \
    X(t)                                                                                           \
    X(seconds)                                                                                     \
    X(energy_start)                                                                                \
    X(energy_end)                                                                                  \
    X(dissipated)                                                                                  \
    X(supplied)                                                                                    \
    X(lost_in_impacts)                                                                             \
    X(energy_drift)                                                                                \
    X(position_residual)                                                                           \
    X(velocity_residual)                                                                           \
    X(dropped_residual)                                                                            \
    X(step_error)                                                                                  \
    X(balanced)                                                                                    \
    X(allocations_in_loop)

// Texts among the entries, and the attributes of the file that say what was run.
#define FLX_LEDGER_TEXTS(X)                                                                        \
    X(position_item)                                                                               \
    X(velocity_item)                                                                               \
    X(stopped_by)
#define FLX_RESULT_ATTRIBUTES(X)                                                                   \
    X(title)                                                                                       \
    X(version)                                                                                     \
    X(model_path)                                                                                  \
    X(method)                                                                                      \
    X(formulation)                                                                                 \
    X(settings)
