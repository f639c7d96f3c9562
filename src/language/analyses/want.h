// want.h - what analyses that seek inputs have in common: which inputs, which outputs.
#pragma once

#include "language/analyses/analysis_reader.h"

// Numbers of the inputs that a name or a list of names says; a repeated one without its number means all of it.
flx_status flx_read_inputs(flx_builder *b, const flx_entry *list, int *n, const int **out);
// An expression of positions, velocities, states and inputs.
flx_status flx_read_output(flx_env *e, const flx_entry *y, flx_node *out);
// What an output is to be: an expression of the time alone.
flx_status flx_read_wanted(const flx_env *e, const flx_entry *y, flx_node *out);
