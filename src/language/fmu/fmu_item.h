// fmu_item.h - an FMU for model exchange among the items of a model: its states become variables of the model, what it computes
// functions, its events events (docs/theory/exchange.md).
//     block_fmus.c     the block; FMUs for co-simulation
//     fmu_joined.c     FMUs for model exchange
#pragma once

#include "language/control/control_parts.h"
#include "model/fmu/fmu_data.h"

// names: of the signals that its outputs are.
flx_status flx_fmu_unroll_states(flx_control_draft *d, flx_fmu_item *f, const char *const *names);
// Its functions are bound, its events known; names: of what it became.
flx_status flx_fmu_finish_states(flx_builder *b, flx_fmu_item *f, int number,
                                 const flx_names *names);
// Whether `name` is one of those that the item itself needs.
flx_status flx_fmu_check_name(const flx_control_draft *d, const flx_fmu_item *f, const char *name);
