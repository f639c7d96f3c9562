// grid_table.h - what was found at all nodes of time of a model whose inputs were sought, as a table.
#pragma once

#include "analyse/grid/grid.h"
#include "simulate/analyses/performer.h"
#include "simulate/opened.h"

// "motion": t, the inputs (nin), then the columns of the model's outputs.
flx_status flx_grid_table(flx_simulation *sim, flx_finding *out, const flx_opened *open,
                          flx_grid *g, int nin, const int *inputs);
