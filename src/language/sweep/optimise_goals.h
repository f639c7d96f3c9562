// optimise_goals.h - goals of the block `optimise`.
#pragma once

#include "language/builder.h"

// What goals have asked analyses for so far.
typedef struct flx_goal_names {
    int n, room;
    flx_sought *sought; // in the model's arena
} flx_goal_names;

// What an analysis finds, as a number that a goal is made of (known_values.c).
flx_status flx_goal_sought(flx_env *e, const flx_item *analysis, const char *text, flx_loc loc,
                           flx_operand *out);
flx_status flx_goals_read(flx_builder *b, const flx_entry *block, flx_optimise *out);
