// run_rig.h - a model, its system and a run of it, for tests of runs.
#pragma once

#include "check.h"
#include "flexion/flexion.h"

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *system;
    flx_run *run;
} rig;

// Compiles the model that was read with this status; with a run where it is asked for.
static inline int rig_compile(rig *r, flx_status status, bool with_run)
{
    if (status == FLX_OK) status = flx_system_compile(r->model, NULL, r->ctx, &r->system);
    if (status == FLX_OK && with_run) status = flx_run_create(r->system, NULL, r->ctx, &r->run);
    const flx_message *m = status == FLX_OK ? NULL : flx_ctx_error(r->ctx, 0);
    if (m) printf("  %s\n", m->text);
    CHECK(status == FLX_OK);
    return 0;
}

static inline void put_away(rig *r)
{
    flx_run_destroy(&r->run);
    flx_system_destroy(&r->system);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}
