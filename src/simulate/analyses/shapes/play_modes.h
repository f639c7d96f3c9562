// play_modes.h - modes as a motion that pages and pictures show.
#pragma once

#include "simulate/analyses/performer.h"

// Rows to the sinks of the task: every mode swings for one second, one after the other, equally large, about the state of
// t->place. Nothing without sinks. FLX_ERR_CANNOT: there is nothing to see.
flx_status flx_modes_play(flx_task *t, const flx_modes *modes);
