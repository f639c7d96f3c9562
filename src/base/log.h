// log.h - warnings told when they arise, while a call lasts.
#pragma once

#include "base/common.h"

typedef struct flx_log_guard {
    flx_ctx *ctx;
    void (*before)(void *user, const flx_message *m);
    void *user_before;
} flx_log_guard;

// tell NULL: nothing changes. A call within another one tells its own listener.
flx_log_guard flx_log_begin(flx_ctx *ctx, void (*tell)(void *user, const flx_message *m),
                            void *user);
void flx_log_end(const flx_log_guard *g);
