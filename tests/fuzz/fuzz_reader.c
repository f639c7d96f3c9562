// fuzz_reader.c - the reader and the checker meet arbitrary bytes: they may refuse, never crash,
// hang or leak. Run by `make check-long`, with every model of the tree as a start.
#include "flexion/flexion.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    flx_ctx *ctx = flx_ctx_create();
    if (!ctx) return 0;
    flx_model *model = NULL;
    // A name in a folder that does not exist: a model must not read files of the machine.
    flx_status status =
        flx_model_read_text(ctx, "fuzz/model.yaml", (const char *)data, size, 0, NULL, &model);
    // Whoever refuses says why.
    if (status != FLX_OK && flx_ctx_error_count(ctx) == 0) __builtin_trap();
    if ((status == FLX_OK) != (model != NULL)) __builtin_trap();
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}
