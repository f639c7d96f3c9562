// findings.h - one analysis of a model that is given as text.
#pragma once

#include "flexion/flexion.h"

#include <stdio.h>
#include <string.h>

typedef struct findings {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_status status;
} findings;

// The first analysis; what went wrong is printed.
static inline findings findings_of(const char *text)
{
    findings w = {.ctx = flx_ctx_create()};
    w.status = flx_model_read_text(w.ctx, "model", text, strlen(text), 0, NULL, &w.model);
    if (w.status == FLX_OK) w.status = flx_simulation_create_to_analyse(w.model, &w.sim);
    if (w.status == FLX_OK) w.status = flx_simulation_analyse(w.sim, 0, &w.f);
    if (w.status != FLX_OK && flx_ctx_error_count(w.ctx) > 0) {
        printf("  %s\n", flx_ctx_error(w.ctx, 0)->text);
    }
    return w;
}

static inline void findings_clear(findings *w)
{
    flx_finding_clear(&w->f);
    flx_simulation_destroy(&w->sim);
    flx_model_destroy(&w->model);
    flx_ctx_destroy(&w->ctx);
}
