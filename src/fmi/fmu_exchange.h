// fmu_exchange.h - what model exchange takes of a run: how many states and indicators there are, and whether it can be.
#pragma once

#include "simulate/run_parts.h"

// Why the states of the run cannot be integrated by another program; NULL: they can.
const char *flx_fmu_not_exchanged(const flx_run *run);
// Whether there are constraints besides the coordinates: the states keep them up to the errors of the other program, and are
// led back to them in event mode.
bool flx_fmu_is_constrained(const flx_run *run);
// Whether the other program has to tell the ends of its steps.
bool flx_fmu_follows_steps(const flx_run *run);
// Outputs of a run that meets contacts step by step have no rates.
bool flx_fmu_gives_rates(const flx_run *run);
int flx_fmu_state_count(const flx_run *run);
int flx_fmu_indicator_count(const flx_run *run);
