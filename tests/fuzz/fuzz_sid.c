// fuzz_sid.c - Standard Input Data of arbitrary bytes: the reader may refuse, never crash, hang or leak; what it
// takes is written and read back the same, and is a body or not. Run by `make check-long`, with the files of the
// tree as a start.
#include "read/sid/sid_file.h"
#include "reduce/elastic.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(flx_ctx *ctx, flx_arena *arena, const char *text, size_t size)
{
    flx_sid *sid = NULL, *again = NULL;
    flx_elastic *e = NULL;
    char *first = NULL, *second = NULL;
    size_t n = 0, m = 0;
    if (flx_sid_parse(ctx, arena, "fuzz.SID_FEM", text, size, &sid) != FLX_OK) {
        if (flx_ctx_error_count(ctx) == 0) __builtin_trap(); // whoever refuses says why
        return;
    }
    if (flx_sid_format(ctx, arena, sid, &first, &n) != FLX_OK) return;
    if (flx_sid_parse(ctx, arena, "fuzz.SID_FEM", first, n, &again) != FLX_OK) __builtin_trap();
    if (flx_sid_format(ctx, arena, again, &second, &m) != FLX_OK) return;
    if (n != m || memcmp(first, second, n) != 0) __builtin_trap();
    (void)flx_elastic_from_sid(ctx, arena, sid, FLX_NOWHERE, &e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = ctx ? flx_arena_create(ctx) : NULL;
    if (arena) check(ctx, arena, (const char *)data, size);
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}
