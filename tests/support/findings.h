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

// The table of this name; NULL: there is none.
static inline const flx_finding_table *findings_table(const findings *w, const char *name)
{
    for (int i = 0; i < w->f.ntable; i++) {
        if (strcmp(w->f.tables[i].name, name) == 0) return w->f.tables + i;
    }
    return NULL;
}

// Whether a line of what was found, or the first error, has this in it.
static inline int findings_say(const findings *w, const char *what)
{
    for (int i = 0; i < w->f.nline; i++) {
        if (strstr(w->f.lines[i], what)) return 1;
    }
    return flx_ctx_error_count(w->ctx) > 0 && strstr(flx_ctx_error(w->ctx, 0)->text, what);
}
