// fuzz_start.c - models that the reader accepts become systems, are searched for redundant rows and
// made consistent: that may fail with a message, never crash, hang or leak.
#include "flexion/flexion.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    flx_ctx *ctx = flx_ctx_create();
    if (!ctx) return 0;
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status =
        flx_model_read_text(ctx, "fuzz/model.yaml", (const char *)data, size, 0, NULL, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    // Whoever refuses says why.
    if (status != FLX_OK && flx_ctx_error_count(ctx) == 0) __builtin_trap();
    if ((status == FLX_OK) != (sim != NULL)) __builtin_trap();
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}
