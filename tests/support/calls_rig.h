// calls_rig.h - what the tests of calls share: a model, its messages.
#pragma once

#include "flexion/flexion.h"

#include "check.h"

#include "model/model_data.h"

static flx_ctx *ctx;
static flx_model *m;

static void begin(int dimension)
{
    ctx = flx_ctx_create();
    flx_model_create(ctx, dimension, &m);
}

static void end(void)
{
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
}

static int print_errors(void)
{
    const flx_message *e;
    for (int i = 0; (e = flx_ctx_error(ctx, i)) != NULL; i++) printf("%s: %s\n", e->path, e->text);
    return 1;
}

#define BUILT() CHECK(flx_model_check(m) == FLX_OK || !print_errors())

// The last message, with its path.
static int last_error(const char *path, const char *text)
{
    const flx_message *e = flx_ctx_error(ctx, flx_ctx_error_count(ctx) - 1);
    if (e && strcmp(e->path, path) == 0 && strstr(e->text, text)) return 0;
    printf("expected %s: %s\nfound    %s: %s\n", path, text, e ? e->path : "", e ? e->text : "");
    return 1;
}

#define REFUSED(call, path, text)                                                                  \
    do {                                                                                           \
        CHECK((int)(call) == FLX_ERR_ARGUMENT);                                                    \
        CHECK(!last_error(path, text));                                                            \
        flx_ctx_clear_messages(ctx);                                                               \
    } while (0)
