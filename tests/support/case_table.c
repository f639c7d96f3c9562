#include "case_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void case_table_clear(case_table *t)
{
    free(t->names);
    free(t->values);
    *t = (case_table){0};
}

static bool set_columns(case_table *t, int columns)
{
    *t = (case_table){.columns = columns};
    t->names = calloc((size_t)columns, sizeof *t->names);
    return t->names != NULL;
}

static double *add_row(case_table *t)
{
    if (t->rows == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 256;
        double *values = realloc(t->values, (size_t)capacity * (size_t)t->columns * sizeof *values);
        if (!values) return NULL;
        t->values = values;
        t->capacity = capacity;
    }
    return t->values + (size_t)t->rows++ * (size_t)t->columns;
}

bool case_table_read_csv(case_table *t, const char *path)
{
    *t = (case_table){0};
    FILE *f = fopen(path, "r");
    if (!f) return false;
    char line[4096];
    bool ok = fgets(line, sizeof line, f) != NULL;
    int columns = 1;
    for (char *p = line; ok && *p; p++) columns += *p == ',';
    ok = ok && set_columns(t, columns);
    char *save = NULL, *word = ok ? strtok_r(line, ",\r\n", &save) : NULL;
    for (int j = 0; word && j < columns; j++, word = strtok_r(NULL, ",\r\n", &save)) {
        snprintf(t->names[j], sizeof t->names[j], "%s", word);
    }
    while (ok && fgets(line, sizeof line, f)) {
        double *row = add_row(t);
        char *p = line;
        for (int j = 0; row && j < columns; j++) {
            row[j] = strtod(p, &p);
            if (*p == ',') p++;
        }
    }
    fclose(f);
    return ok;
}

double case_table_last_time(const case_table *t)
{
    return t->rows ? t->values[(size_t)(t->rows - 1) * (size_t)t->columns] : 0.0;
}

double case_table_mean_difference(const case_table *a, const case_table *b)
{
    double sum = 0.0;
    if (a->rows != b->rows || a->columns != b->columns) return (double)NAN;
    for (int i = 0; i < a->rows; i++) {
        for (int k = 1; k < a->columns; k++)
            sum += fabs(a->values[i * a->columns + k] - b->values[i * b->columns + k]);
    }
    return sum / a->rows;
}

static int find_column(const case_table *t, const char *name)
{
    for (int j = 0; j < t->columns; j++) {
        if (strcmp(t->names[j], name) == 0) return j;
    }
    return -1;
}

static bool drift(const case_table *t, const char *name, double *value)
{
    int j = find_column(t, name);
    if (j < 0 || t->rows == 0) return false;
    *value = 0.0;
    for (int i = 0; i < t->rows; i++) {
        double d = t->values[(size_t)i * (size_t)t->columns + (size_t)j] - t->values[j];
        if (!(fabs(d) <= fabs(*value))) *value = d;
    }
    return true;
}

bool case_table_value(const case_table *t, const char *signal, double time, double *value)
{
    char inner[64];
    if (sscanf(signal, "drift(%63[^)])", inner) == 1) return drift(t, inner, value);
    int j = find_column(t, signal);
    if (j < 0) return false;
    for (int i = 0; i < t->rows; i++) {
        const double *row = t->values + (size_t)i * (size_t)t->columns;
        if (fabs(row[0] - time) <= 1e-9 * fmax(fabs(time), 1e-300)) {
            *value = row[j];
            return true;
        }
    }
    return false;
}

static flx_status begin(flx_sink *s, const flx_result_info *info)
{
    case_table *t = ((case_sink *)s)->table;
    if (!set_columns(t, info->ncolumn + 1)) return FLX_ERR_MEMORY;
    snprintf(t->names[0], sizeof t->names[0], "t");
    for (int j = 0; j < info->ncolumn; j++) {
        snprintf(t->names[j + 1], sizeof t->names[j + 1], "%s", info->names[j]);
    }
    return FLX_OK;
}

static flx_status row(flx_sink *s, double t, const double *values)
{
    case_table *table = ((case_sink *)s)->table;
    double *r = add_row(table);
    if (!r) return FLX_ERR_MEMORY;
    r[0] = t;
    memcpy(r + 1, values, (size_t)(table->columns - 1) * sizeof *r);
    return FLX_OK;
}

static flx_status end(flx_sink *s, const struct flx_ledger *ledger)
{
    (void)s;
    (void)ledger;
    return FLX_OK;
}

static void destroy(flx_sink *s)
{
    (void)s;
}

static const flx_sink_type type = {
    .name = "table", .begin = begin, .row = row, .end = end, .destroy = destroy};

case_sink case_sink_make(flx_ctx *ctx, case_table *table)
{
    return (case_sink){{&type, ctx}, table};
}

// A run of a model given as text; the caller destroys model, simulation and context.
static bool run_text(const char *text, const char *setting, case_table *table, flx_ctx **ctx,
                     flx_model **model, flx_simulation **sim)
{
    *ctx = flx_ctx_create();
    *model = NULL;
    *sim = NULL;
    case_sink sink = case_sink_make(*ctx, table);
    flx_sink *sinks[] = {&sink.base};
    flx_status s =
        flx_model_read_text(*ctx, "model", text, strlen(text), setting != NULL, &setting, model);
    if (s == FLX_OK) s = flx_simulation_create(*model, sim);
    if (s == FLX_OK) s = flx_simulation_run(*sim, 1, sinks, NULL, NULL);
    for (int i = 0; flx_ctx_error(*ctx, i); i++) printf("%s\n", flx_ctx_error(*ctx, i)->text);
    return s == FLX_OK;
}

bool case_run(const char *text, const char *setting, case_table *table, flx_summary *summary,
              char *row)
{
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    bool fine = run_text(text, setting, table, &ctx, &model, &sim);
    if (fine && summary) *summary = *flx_simulation_summary(sim);
    if (fine && row) {
        const char *name = flx_simulation_redundant(sim, 0);
        snprintf(row, 128, "%s", name ? name : "");
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return fine;
}

bool case_run_ledger(const char *text, const char *setting, case_table *table, flx_ledger *ledger)
{
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    bool fine = run_text(text, setting, table, &ctx, &model, &sim);
    if (fine) *ledger = *flx_simulation_ledger(sim);
    ledger->metrics = NULL; // those of the simulation
    ledger->position_item = ledger->velocity_item = NULL;
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return fine;
}

bool case_run_said(const char *text, const char *setting, char *said, size_t size)
{
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    case_table table = {0};
    bool fine = run_text(text, setting, &table, &ctx, &model, &sim);
    said[0] = '\0';
    for (int i = 0; flx_ctx_error(ctx, i); i++) {
        snprintf(said + strlen(said), size - strlen(said), "%s\n", flx_ctx_error(ctx, i)->text);
    }
    for (int i = 0; flx_ctx_warning(ctx, i); i++) {
        snprintf(said + strlen(said), size - strlen(said), "%s\n", flx_ctx_warning(ctx, i)->text);
    }
    case_table_clear(&table);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return fine;
}

const char case_slider_crank[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {A: [0, 0.1, 0.12], B: [0, 0.1, 0.2], C: [0.2, 0, 0],\n"
    "             ey: [-0.24806947, 0.74420841, -0.62017367]}\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 0.12, inertia: [1e-4, 1e-5, 1e-4], position: A,\n"
    "          angular_velocity: [6, 0, 0], points: {B: [0, 0, 0.08]}}\n"
    "  rod: {type: rigid, mass: 0.5, inertia: [4e-4, 4e-3, 4e-3], position: (B + C)/2,\n"
    "        orientation: {x: C - B, y: ey}, velocity: [0.12, -0.24, 0],\n"
    "        angular_velocity: [1.6941176470530785, -0.8470588235366621, 0.705882352947701],\n"
    "        points: {B: [-0.15, 0, 0], C: [0.15, 0, 0]}}\n"
    "  slider: {type: rigid, mass: 2, inertia: [1e-4, 1e-4, 1e-4], position: C,\n"
    "           velocity: [0.24, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, on: [ground, crank], at: A, axis: [1, 0, 0]}\n"
    "  ball: {type: spherical, on: [crank, rod], at: [crank.B, rod.B]}\n"
    "  cross: {type: universal, on: [slider, rod], at: [slider, rod.C], axes: [[1, 0, 0], ey]}\n"
    "  rail: {type: prismatic, on: [ground, slider], at: slider, axis: [1, 0, 0]}\n";

bool case_example(const char *path, int n, const case_change *changes, char *text, size_t size)
{
    FILE *f = fopen(path, "r");
    size_t used = f ? fread(text, 1, size - 1, f) : 0;
    if (f) fclose(f);
    text[used] = '\0';
    bool good = used > 0 && used < size - 1;
    for (int i = 0; i < n && good; i++) {
        char *at = strstr(text, changes[i].from);
        size_t from = strlen(changes[i].from), to = strlen(changes[i].to);
        good = at && used - from + to < size;
        if (!good) break;
        memmove(at + to, at + from, used + 1 - (size_t)(at - text) - from);
        memcpy(at, changes[i].to, to);
        used = used - from + to;
    }
    return good;
}
