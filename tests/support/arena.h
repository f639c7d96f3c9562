// arena.h - a context and an arena for a test: begin() and finish().
#pragma once

#include "base/common.h"
#include "check.h"

static flx_ctx *ctx;
static flx_arena *arena;

static int begin(void)
{
    ctx = flx_ctx_create();
    CHECK(ctx);
    arena = flx_arena_create(ctx);
    CHECK(arena);
    return 0;
}

static void finish(void)
{
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
}
