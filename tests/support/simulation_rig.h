// simulation_rig.h - the run of a model given as text, with its rows kept.
#pragma once

#include "base/common.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/extend/sink_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

// ---- a sink that keeps its rows ----------------------------------------------------------------

#define MAX_ROWS 20000
#define MAX_COLUMNS 16

typedef struct kept {
    flx_sink base;
    int rows, columns, ends;
    double t[MAX_ROWS], value[MAX_ROWS][MAX_COLUMNS];
    char names[MAX_COLUMNS][64];
    flx_ledger ledger;
    int stop_at; // refuses this row; 0: never
} kept;

static inline flx_status keep_begin(flx_sink *s, const flx_result_info *info)
{
    kept *k = (kept *)s;
    k->rows = 0;
    k->columns = info->ncolumn;
    for (int i = 0; i < info->ncolumn; i++)
        snprintf(k->names[i], sizeof k->names[i], "%s", info->names[i]);
    return FLX_OK;
}

static inline flx_status keep_row(flx_sink *s, double t, const double *values)
{
    kept *k = (kept *)s;
    if (k->stop_at && k->rows == k->stop_at)
        return FLX_FAIL(s->ctx, FLX_ERR_IO, FLX_NOWHERE, "full");
    k->t[k->rows] = t;
    memcpy(k->value[k->rows++], values, (size_t)k->columns * sizeof *values);
    return FLX_OK;
}

static inline flx_status keep_end(flx_sink *s, const flx_ledger *ledger)
{
    kept *k = (kept *)s;
    k->ends++;
    if (ledger) k->ledger = *ledger;
    return FLX_OK;
}

static inline void keep_destroy(flx_sink *s)
{
    (void)s;
}

static const flx_sink_type keep_type = {
    .name = "keep", .begin = keep_begin, .row = keep_row, .end = keep_end, .destroy = keep_destroy};

// ---- a rig -------------------------------------------------------------------------------------

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
} rig;

static kept rows; // large

static inline flx_status rig_make(rig *r, const char *text)
{
    r->model = NULL;
    r->sim = NULL;
    r->ctx = flx_ctx_create();
    memset(&rows, 0, sizeof rows);
    rows.base = (flx_sink){&keep_type, r->ctx};
    flx_status s = flx_model_read_text(r->ctx, "model", text, strlen(text), 0, NULL, &r->model);
    if (s == FLX_OK) s = flx_simulation_create(r->model, &r->sim);
    return s;
}

static inline flx_status rig_run(rig *r)
{
    flx_sink *sinks[] = {&rows.base};
    return flx_simulation_run(r->sim, 1, sinks, NULL, NULL);
}

static inline void rig_free(rig *r)
{
    flx_simulation_destroy(&r->sim);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static inline void print_errors(const rig *r)
{
    for (int i = 0; flx_ctx_error(r->ctx, i); i++) printf("%s\n", flx_ctx_error(r->ctx, i)->text);
}

#define CHECK_OK(call)                                                                             \
    do {                                                                                           \
        flx_status s_ = (call);                                                                    \
        if (s_ != FLX_OK) {                                                                        \
            print_errors(&r);                                                                      \
            printf("%s:%d: %s\n", __FILE__, __LINE__, flx_status_text(s_));                        \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

static inline int column(const char *name)
{
    for (int i = 0; i < rows.columns; i++) {
        if (strcmp(rows.names[i], name) == 0) return i;
    }
    printf("no column %s\n", name);
    abort();
}

// A loop of three bars and the ground; %s: more keys of its first joint.
#define FOUR_BAR                                                                                   \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "parameters: {off: 0}\n"                                                                       \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: 0.1, orientation: 1.2, points: {end: [1, 0]}}\n"         \
    "  b: {type: rigid, mass: 1, inertia: 0.1, position: a.end, points: {end: [2, 0]}}\n"          \
    "  c: {type: rigid, mass: 1, inertia: 0.1, position: [2, 0], orientation: 1.2,\n"              \
    "      points: {end: [1, 0]}}\n"                                                               \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0]%s}\n"                                       \
    "  B: {type: revolute, on: [a, b], at: a.end}\n"                                               \
    "  C: {type: revolute, on: [b, c], at: [b.end, c.end]}\n"                                      \
    "  D: {type: revolute, on: [c, ground], at: [c, [2 + off, 0]]}\n"                              \
    "simulate: {until: 0.1, method: generalized-alpha, step: 1e-3}\n"                              \
    "outputs: {every: 0.1, signals: [A.angle, A.rate, constraints]}\n"
