// serve.h - one file, given to browsers of this machine.
#pragma once

#include "flexion/base.h"

#include <stdbool.h>

// Answers on the loopback address until an interrupt; port 0: any that is free. Prints where.
// false: it could not (a message was printed).
bool cli_serve(flx_ctx *ctx, const char *path, int port);
