// fact_labels.c - what a result says of itself, in words for a person.
#include "results/fact_labels.h"

#include <stddef.h>
#include <string.h>

static const flx_fact_label labels[] = {
    {"version", "Flexion", ""},
    {"model_path", "model file", ""},
    {"method", "method", ""},
    {"formulation", "formulation", ""},
    {"settings", "settings", ""},
    {"created", "run at", ""},
    {"ledger/t", "time reached", "s"},
    {"ledger/seconds", "computing time", "s"},
    {"ledger/energy_start", "initial energy", "J"},
    {"ledger/energy_end", "final energy", "J"},
    {"ledger/dissipated", "energy dissipated", "J"},
    {"ledger/supplied", "energy supplied", "J"},
    {"ledger/lost_in_impacts", "energy lost in impacts", "J"},
    {"ledger/energy_drift", "relative energy drift", ""},
    {"ledger/position_residual", "largest constraint residual", ""},
    {"ledger/velocity_residual", "largest velocity-level constraint residual", ""},
    {"ledger/dropped_residual", "largest residual of redundant constraints", ""},
    {"ledger/step_error", "error per step, relative to its displacement", ""},
    {"ledger/allocations_in_loop", "allocations in the time loop", ""},
    {"ledger/steps", "steps", ""},
    {"ledger/rejected", "rejected steps", ""},
    {"ledger/residuals", "evaluations", ""},
    {"ledger/linearisations", "linearisations", ""},
    {"ledger/impacts", "impacts of contacts", ""},
    {"ledger/law_residual", "largest residual of the law of contacts", ""},
    {"ledger/law_missed", "solutions in which the law of contacts is missed", ""},
    {"ledger/overlap", "deepest overlap of contacts", "m"},
    {"ledger/jams", "impulses without a collision", ""},
    {"ledger/factorisations", "factorisations", ""},
    {"ledger/solves", "solutions of linear systems", ""},
    {"ledger/newton_iterations", "Newton iterations", ""},
    {"ledger/newton_failures", "failed Newton iterations", ""},
    {"ledger/projections", "projections", ""},
    {"ledger/singular_positions", "singular positions", ""},
    {"ledger/smallest_step", "smallest step", "s"},
    {"ledger/largest_step", "largest step", "s"},
    {"ledger/position_item", "constraint with the largest residual", ""},
    {"ledger/velocity_item", "constraint with the largest velocity-level residual", ""},
    {"ledger/stopped_by", "stopped by the event", ""},
};

const flx_fact_label *flx_fact_label_find(const char *name)
{
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        if (strcmp(labels[i].name, name) == 0) return labels + i;
    }
    return NULL;
}
