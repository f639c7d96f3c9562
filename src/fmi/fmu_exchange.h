// fmu_exchange.h - what model exchange takes of a run: how many states and indicators there are, and whether it can be.
#pragma once

#include "simulate/run_parts.h"

// Why the states of the run cannot be integrated by another program; NULL: they can.
const char *flx_fmu_not_exchanged(const flx_run *run);
int flx_fmu_state_count(const flx_run *run);
int flx_fmu_indicator_count(const flx_run *run);
