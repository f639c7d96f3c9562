// serve.h - a page, and what belongs to it, given to browsers of this machine.
#pragma once

#include "flexion/base.h"

#include <stdbool.h>

// Makes the page that is asked for by another name than "/", and tells where it lies; NULL: there is none.
typedef const char *(*cli_serve_other)(void *user, const char *name);

// Answers on the loopback address until an interrupt; port 0: any that is free. Prints where. other: may be NULL.
// false: it could not (a message was printed).
bool cli_serve(flx_ctx *ctx, const char *path, int port, cli_serve_other other, void *user);
