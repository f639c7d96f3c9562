// recording.h - a sink that keeps all that a run says, and says it again to another sink.
#pragma once

#include "flexion/simulation.h"

#include <stdbool.h>

// What is kept needs no lock and no file while the run goes on; HDF5, which serves one thread, is asked afterwards.
flx_status rec_create(flx_ctx *ctx, flx_sink **s);
// Whether there is anything to replay: a run that cannot begin has no columns.
bool rec_began(const flx_sink *s);
// All of it to another sink, which has not begun; the simulation still is.
flx_status rec_replay(flx_sink *s, flx_sink *to);
