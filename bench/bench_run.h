// bench_run.h - one run of a model given as text.
#pragma once

#include "counted.h"
#include "flexion/extend/sink_table.h"
#include "flexion/flexion.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BENCH_SIGNALS = 8 };

typedef struct bench_result {
    double value[BENCH_SIGNALS]; // the first signals at the end
    double seconds;              // of the integration
    double position_residual;
    flx_statistics work;
    char message[300]; // why there is nothing
} bench_result;

typedef struct bench_sink {
    flx_sink base;
    int n;
    double *value;
} bench_sink;

static inline flx_status bench_begin(flx_sink *s, const flx_result_info *info)
{
    int columns = (int)info->ncolumn;
    ((bench_sink *)s)->n = columns < BENCH_SIGNALS ? columns : BENCH_SIGNALS;
    return FLX_OK;
}
static inline flx_status bench_row(flx_sink *s, double t, const double *values)
{
    (void)t;
    memcpy(((bench_sink *)s)->value, values, (size_t)((bench_sink *)s)->n * sizeof *values);
    return FLX_OK;
}
static inline flx_status bench_end(flx_sink *s, const flx_ledger *ledger)
{
    (void)s, (void)ledger;
    return FLX_OK;
}
static inline void bench_destroy(flx_sink *s)
{
    (void)s;
}

static const flx_sink_type bench_last = {.name = "last",
                                         .begin = bench_begin,
                                         .row = bench_row,
                                         .end = bench_end,
                                         .destroy = bench_destroy};

// 1: it ran.
static inline int bench_run(const char *text, bench_result *r)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    bench_sink last = {.base = {&bench_last, ctx}, .value = r->value};
    flx_sink *sink = &last.base;
    *r = (bench_result){.message = ""};
    flx_status s = flx_model_read_text(ctx, "bench", text, strlen(text), 0, NULL, &m);
    if (s == FLX_OK) s = flx_simulation_create(m, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, &sink, NULL, NULL);
    if (s == FLX_OK) {
        const flx_ledger *l = flx_simulation_ledger(sim);
        r->seconds = l->seconds;
        r->position_residual = l->position_residual;
        r->work = l->work;
    } else {
        const flx_message *e = flx_ctx_error(ctx, 0);
        snprintf(r->message, sizeof r->message, "%s", e ? e->text : "failed");
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return s == FLX_OK;
}

// The same equations by SciPy, where some python3 has it.
static inline void bench_scipy(const char *name)
{
    static const char *const python[] = {"python3", "/usr/bin/python3"};
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        char command[600];
        snprintf(command, sizeof command, "%s '%s/scipy_peers.py' %s 2>/dev/null", python[i], BENCH,
                 name);
        if (system(command) == 0) return;
    }
    printf("SciPy: not installed (Debian: python3-scipy), skipped\n");
}
