// work_study.c - many runs of one model, told to the page as a table: for values of a parameter, for the sweep that the model
// asks for, or by several methods; and the report of the last run. A run that fails says why, and the others go on.
//
//     sweep            as the model's block says          sweep:NAME:FROM:TO:COUNT    one parameter
//     methods:A,B,C    the same run by each; differences are those to the first
//     report           a page to print of the result beside the model
#include "base/number.h"
#include "page/pages.h"
#include "studio/work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_RUNS 1000
#define MOST_PARAMETERS 16
#define MOST_COLUMNS 24 // values of a run that are told

typedef struct study {
    flx_desk *desk;
    const flx_chore *chore;
    flx_ctx *ctx; // of the study; each run has one of its own
    flx_text labels, columns, rows, lines;
    int nrow, of; // runs so far; all
    int ncolumn;  // 0: not known yet
    bool stopped;
    char *path; // owned: of a result that nobody keeps
} study;

// ---- one run --------------------------------------------------------------------------------------

static int tell_progress(void *user, double t, double until)
{
    study *s = user;
    char text[64];
    double part = until > 0 ? fmin(t / until, 1.0) : 0.0;
    int n = flx_snprintf(text, sizeof text, "[%.6g, %d]", s->nrow + part, s->of);
    flx_desk_tell(s->desk, "progress", text, (size_t)n);
    const char *line = flx_desk_hear(s->desk, 0);
    s->stopped = s->stopped || s->desk->alone || (line && strcmp(line, "stop") == 0);
    return s->stopped;
}

static flx_status simulate(study *s, flx_ctx *ctx, flx_model *model, const char *path,
                           flx_simulation **sim)
{
    flx_sink *sink = NULL;
    FLX_TRY(flx_simulation_create(model, sim));
    FLX_TRY(flx_hdf5_sink_create(ctx, path, &sink));
    flx_status status = flx_simulation_run(*sim, 1, &sink, tell_progress, s);
    flx_sink_destroy(&sink);
    return status;
}

// A line of what a run says that failed, with what it was.
static void put_failure(study *s, flx_ctx *ctx, const char *what, flx_status status)
{
    const flx_message *m = flx_ctx_error(ctx, flx_ctx_error_count(ctx) - 1);
    char text[600];
    flx_snprintf(text, sizeof text, "%s: %s", what, m ? m->text : flx_status_text(status));
    if (s->lines.length > 0) flx_text_put(&s->lines, ", ");
    flx_text_put_string(&s->lines, text);
}

static void put_column(study *s, const char *name, const char *unit)
{
    flx_text_put(&s->columns, s->columns.length > 0 ? ", [" : "[");
    flx_text_put_string(&s->columns, name);
    flx_text_put(&s->columns, ", ");
    flx_text_put_string(&s->columns, unit);
    flx_text_put(&s->columns, "]");
    s->ncolumn++;
}

static void put_row(study *s, int n, const double *values)
{
    if (s->rows.length > 0) flx_text_put(&s->rows, ", ");
    flx_text_put_numbers(&s->rows, n, values);
}

// ---- a sweep --------------------------------------------------------------------------------------

typedef struct swept {
    int n; // parameters
    char settings[MOST_PARAMETERS][160];
    const char *items[MOST_PARAMETERS];
    const char *names[MOST_PARAMETERS];
    double values[MOST_PARAMETERS];
} swept;

// Metrics of the run; where it has none, the last values of its signals.
static void put_values(study *s, const swept *w, const flx_simulation *sim, const flx_result *r)
{
    double row[MOST_PARAMETERS + MOST_COLUMNS];
    int metrics = flx_simulation_metric_count(sim), n = 0, rows = flx_result_rows(r);
    int count = metrics > 0 ? metrics : flx_result_columns(r), first = s->ncolumn == 0;
    for (int i = 0; i < w->n; i++) {
        row[n++] = w->values[i];
        if (first) put_column(s, w->names[i], "");
    }
    for (int i = 0; i < count && i < MOST_COLUMNS; i++) {
        double value = (double)NAN;
        const char *name =
            metrics > 0 ? flx_simulation_metric(sim, i, &value) : flx_result_name(r, i);
        if (metrics == 0 && rows > 0) value = flx_result_column(r, i)[rows - 1];
        row[n++] = value;
        if (first) put_column(s, name, metrics > 0 ? "" : flx_result_unit(r, i));
    }
    put_row(s, n, row);
}

static void run_with(study *s, swept *w)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    char what[200] = "";
    if (!ctx) return;
    flx_read_def def = flx_read_def_default();
    def.nopen = 0;
    def.text = s->chore->text;
    def.length = strlen(def.text);
    def.nset = w->n;
    def.settings = w->items;
    for (int i = 0; i < w->n; i++) {
        size_t n = strlen(what);
        flx_snprintf(w->settings[i], sizeof w->settings[i], "%s=%.17g", w->names[i], w->values[i]);
        flx_snprintf(what + n, sizeof what - n, "%s%s = %.6g", i > 0 ? ", " : "", w->names[i],
                     w->values[i]);
        w->items[i] = w->settings[i];
    }
    flx_status status = flx_model_read_by(ctx, s->chore->path, &def, &model);
    if (status == FLX_OK) status = simulate(s, ctx, model, s->path, &sim);
    if (status == FLX_OK) status = flx_result_open(ctx, s->path, &r);
    if (status == FLX_OK) put_values(s, w, sim, r);
    if (status != FLX_OK && !s->stopped) put_failure(s, ctx, what, status);
    s->nrow++;
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}

static flx_status sweep_own(study *s)
{
    flx_model *model = NULL;
    swept w = {0};
    const char *name;
    FLX_TRY(flx_work_read(s->ctx, s->chore, false, &model));
    s->of = flx_model_sweep_count(model);
    flx_status status = FLX_OK;
    if (s->of == 0) {
        status = FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the model has no block 'sweep'");
    } else if (flx_model_sweep_analysis(model, 0) >= 0) {
        status = FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                          "the sweep of this model is one of analyses: 'flexion sweep' does it");
    }
    while (w.n < MOST_PARAMETERS && (name = flx_model_sweep_parameter(model, w.n)) != NULL) {
        w.names[w.n++] = name;
    }
    for (int run = 0; status == FLX_OK && run < s->of && !s->stopped; run++) {
        for (int i = 0; i < w.n; i++) w.values[i] = flx_model_sweep_value(model, run, i);
        run_with(s, &w);
    }
    flx_model_destroy(&model);
    return status;
}

// words: NAME, FROM, TO, COUNT.
static flx_status sweep_one(study *s, char *const *words)
{
    double x[3];
    char *end;
    swept w = {.n = 1, .names = {words[0]}};
    for (int i = 0; i < 3; i++) {
        x[i] = flx_number_read(words[1 + i], &end);
        if (end != words[1 + i] && !*end && isfinite(x[i])) continue;
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' is no number", words[1 + i]);
    }
    if (!(x[2] >= 2 && x[2] <= MOST_RUNS)) {
        return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "a sweep has 2 to %d runs, not %.6g",
                        MOST_RUNS, x[2]);
    }
    s->of = (int)x[2];
    for (int run = 0; run < s->of && !s->stopped; run++) {
        w.values[0] = x[0] + (x[1] - x[0]) * run / (s->of - 1);
        run_with(s, &w);
    }
    return FLX_OK;
}

// ---- methods --------------------------------------------------------------------------------------

// The largest difference of a signal, in proportion to its size.
static double find_difference(flx_ctx *ctx, flx_result *a, flx_result *b)
{
    flx_comparison *c = NULL;
    const flx_compare_def def = {0};
    double largest = (double)NAN;
    if (flx_compare_results(ctx, a, b, &def, &c) == FLX_OK) {
        const flx_difference *d;
        largest = 0.0;
        for (int i = 0; (d = flx_comparison_get(c, i)) != NULL; i++) {
            if (d->size > 0) largest = fmax(largest, d->maximum / d->size);
        }
    }
    flx_comparison_destroy(&c);
    return largest;
}

static void put_method(study *s, const char *method, const flx_ledger *l, double difference)
{
    const double row[] = {(double)l->work.steps, (double)l->work.residuals, l->seconds,
                          l->energy_drift, difference};
    if (s->labels.length > 0) flx_text_put(&s->labels, ", ");
    flx_text_put_string(&s->labels, method);
    put_row(s, 5, row);
}

static void run_by(study *s, const char *method, flx_result **first)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    char name[64];
    flx_snprintf(name, sizeof name, "method_%d.h5", s->nrow);
    char *path = flx_work_scratch(s->chore, name);
    flx_status status = ctx && path ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_work_read(ctx, s->chore, false, &model);
    if (status == FLX_OK) status = flx_model_set_text(model, "simulate.method", method);
    if (status == FLX_OK) status = flx_model_check(model);
    if (status == FLX_OK) status = simulate(s, ctx, model, path, &sim);
    if (status == FLX_OK) status = flx_result_open(s->ctx, path, &r);
    if (status == FLX_OK) {
        put_method(s, method, flx_simulation_ledger(sim),
                   *first ? find_difference(ctx, *first, r) : 0.0);
    } else if (ctx && !s->stopped) {
        put_failure(s, ctx, method, status);
    }
    s->nrow++;
    if (status == FLX_OK && !*first) {
        *first = r;
    } else {
        flx_result_close(&r);
    }
    if (path) unlink(path);
    free(path);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
}

static flx_status compare_methods(study *s, char *list)
{
    flx_result *first = NULL;
    static const char *const heads[][2] = {{"steps", ""},
                                           {"evaluations", ""},
                                           {"time", "s"},
                                           {"energy drift", ""},
                                           {"largest difference", ""}};
    for (int i = 0; i < 5; i++) put_column(s, heads[i][0], heads[i][1]);
    s->of = 1;
    for (const char *c = list; *c; c++) s->of += *c == ',';
    for (char *m = strtok(list, ","); m && !s->stopped; m = strtok(NULL, ",")) run_by(s, m, &first);
    flx_result_close(&first);
    return FLX_OK;
}

// ---- what is told -----------------------------------------------------------------------------------

static flx_status make_report(study *s)
{
    flx_result *r = NULL;
    char *from = flx_work_beside(s->chore, ".h5"), *to = flx_work_beside(s->chore, "_report.html");
    flx_status status = from && to ? flx_result_open(s->ctx, from, &r) : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = flx_report_write(r, to);
    if (status == FLX_OK) flx_text_put_string(&s->lines, to);
    flx_result_close(&r);
    free(from);
    free(to);
    return status;
}

static flx_status perform(study *s)
{
    char option[400], *words[5] = {NULL};
    int n = 0;
    flx_snprintf(option, sizeof option, "%s", s->chore->option);
    for (char *w = strtok(option, ":"); w && n < 5; w = strtok(NULL, ":")) words[n++] = w;
    if (n == 1 && strcmp(words[0], "sweep") == 0) return sweep_own(s);
    if (n == 5 && strcmp(words[0], "sweep") == 0) return sweep_one(s, words + 1);
    if (n == 2 && strcmp(words[0], "methods") == 0) return compare_methods(s, words[1]);
    if (n == 1 && strcmp(words[0], "report") == 0) return make_report(s);
    return FLX_FAIL(s->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "'%s' is no study", s->chore->option);
}

static void put_text(flx_text *t, const flx_text *part)
{
    if (part->length > 0) flx_text_put_bytes(t, part->data, part->length);
}

static void tell_end(study *s, flx_status status)
{
    flx_text t;
    flx_text_start(&t, s->ctx);
    flx_text_print(&t, "{\"ok\": %s, \"status\": ", status == FLX_OK ? "true" : "false");
    flx_text_put_string(&t, flx_status_text(status));
    flx_text_put(&t, ", \"messages\": ");
    flx_work_put_messages(&t, s->ctx, s->chore->path);
    flx_text_put(&t, ", \"lines\": [");
    put_text(&t, &s->lines);
    flx_text_put(&t, "], \"tables\": [");
    if (s->rows.length > 0) {
        flx_text_put(&t, "{\"name\": \"\", \"labels\": [");
        put_text(&t, &s->labels);
        flx_text_put(&t, "], \"columns\": [");
        put_text(&t, &s->columns);
        flx_text_print(&t, "], \"of\": %d, \"rows\": [", s->nrow);
        put_text(&t, &s->rows);
        flx_text_put(&t, "]}");
    }
    flx_text_put(&t, "]}");
    if (!t.failed) flx_desk_tell(s->desk, "done", t.data, t.length);
    flx_text_clear(&t);
}

void flx_work_study(flx_desk *d, void *user)
{
    study s = {.desk = d, .chore = user, .ctx = flx_ctx_create()};
    if (!s.ctx) return;
    flx_text *texts[] = {&s.labels, &s.columns, &s.rows, &s.lines};
    for (int i = 0; i < 4; i++) flx_text_start(texts[i], s.ctx);
    s.path = flx_work_scratch(s.chore, "study.h5");
    flx_status status = s.path ? perform(&s) : FLX_ERR_MEMORY;
    tell_end(&s, s.stopped && status == FLX_OK ? FLX_INTERRUPTED : status);
    if (s.path) unlink(s.path);
    free(s.path);
    for (int i = 0; i < 4; i++) flx_text_clear(texts[i]);
    flx_ctx_destroy(&s.ctx);
}
