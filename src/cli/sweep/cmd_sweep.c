// cmd_sweep.c - flexion sweep: the run, or analyses, of a model for many values of its parameters.
#include "cli/cli.h"
#include "cli/sweep/sweep_report.h"
#include "cli/sweep/sweep_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion sweep MODEL [--csv FILE] [--set NAME=VALUE]... [--quiet]\n"
    "\n"
    "Do what the block 'sweep' of a model says: the run, or the analyses that it\n"
    "names, for all values of its parameters. A run gives its metrics, or the last\n"
    "values of its signals where it has none; an analysis gives eigenvalues, load\n"
    "factors or signals at equilibrium. Each is one line of the table; one that fails\n"
    "says why, and the others go on. An interrupt (Ctrl-C) keeps what was computed.\n"
    "\n"
    "  --csv FILE        where the table goes; default: the model's name with\n"
    "                    _sweep.csv, in the current folder; - is the standard output\n"
    "  --set NAME=VALUE  override a parameter that is not swept; may be repeated\n"
    "  --quiet           say nothing but errors\n"
    "\n"
    "Example: eigenvalues of a bicycle over its speed, as a drawing\n"
    "  flexion sweep examples/bicycle.yaml\n"
    "  flexion plot bicycle_sweep.csv 'weave.re' --x v\n"
    "\n"
    "Exit status: 0 done, 1 a computation failed, 2 the input is wrong.\n";

#define PARAMETER_LENGTH 200 // of "name=value"
#define NEIGHBOUR 0.02       // of an eigenvalue: how far one is that it may mix with
#define ALIKE 0.9            // shapes that go on, |a^H b|
#define MOVED 0.1            // weight of what eigenvalues moved, against that of shapes

// ---- what a run gives ---------------------------------------------------------------------------

typedef struct last_row {
    flx_sink base;
    sweep_table *t;
    const flx_result_info *info;
} last_row;

static flx_status keep_info(flx_sink *s, const flx_result_info *info)
{
    ((last_row *)s)->info = info;
    return FLX_OK;
}

static flx_status keep_row(flx_sink *s, double t, const double *values)
{
    last_row *l = (last_row *)s;
    (void)t;
    for (int i = 0; i < l->info->ncolumn; i++) sweep_table_set(l->t, l->info->names[i], values[i]);
    return FLX_OK;
}

static flx_status keep_end(flx_sink *s, const flx_ledger *ledger)
{
    (void)s, (void)ledger;
    return FLX_OK;
}

static const flx_sink_type last_row_type = {
    .name = "last row", .begin = keep_info, .row = keep_row, .end = keep_end};

static int go_on(void *user, double t, double until)
{
    (void)user, (void)t, (void)until;
    return cli_was_interrupted();
}

static flx_status do_run(flx_ctx *ctx, flx_simulation *sim, sweep_table *t)
{
    last_row last = {.base = {.type = &last_row_type, .ctx = ctx}, .t = t};
    flx_sink *sink = &last.base;
    int n = flx_simulation_metric_count(sim);
    flx_status status = flx_simulation_run(sim, n > 0 ? 0 : 1, &sink, go_on, NULL);
    if (status != FLX_OK) return status;
    if (!flx_simulation_ledger(sim)->balanced) cli_doubt();
    for (int i = 0; i < n; i++) {
        double value;
        const char *name = flx_simulation_metric(sim, i, &value);
        sweep_table_set(t, name, value);
    }
    sweep_table_set(t, "steps", (double)flx_simulation_ledger(sim)->work.steps);
    return FLX_OK;
}

static void set_numbered(sweep_table *t, const char *name, const char *what, int number,
                         double value)
{
    char label[PARAMETER_LENGTH];
    snprintf(label, sizeof label, "%s.%s(%d)", name, what, number);
    sweep_table_set(t, label, value);
}

// What the modes of one analysis were in the run before, both of a pair: every one is a column that goes
// on from run to run.
typedef struct track {
    char *name;    // of the analysis; owned
    int n, nshape; // eigenvalues, numbers of a shape
    double *s;     // (2 n) re, im; owned
    double *shape; // (2 nshape n) real parts, then imaginary ones; owned
} track;
typedef struct tracks {
    int n;
    track *items; // owned
} tracks;

static void tracks_clear(tracks *all)
{
    for (int i = 0; i < all->n; i++) {
        free(all->items[i].name);
        free(all->items[i].s);
        free(all->items[i].shape);
    }
    free(all->items);
    *all = (tracks){0};
}

static track *find_track(tracks *all, const char *name)
{
    for (int i = 0; i < all->n; i++) {
        if (strcmp(all->items[i].name, name) == 0) return all->items + i;
    }
    track *items = realloc(all->items, sizeof *items * ((size_t)all->n + 1));
    size_t length = strlen(name) + 1;
    char *copy = items ? malloc(length) : NULL;
    if (items) all->items = items;
    if (!copy) return NULL;
    all->items[all->n] = (track){.name = memcpy(copy, name, length)};
    return all->items + all->n++;
}

// All eigenvalues of these modes with their shapes, both of a pair, of length one in the scales of the unknowns.
static bool list_modes(const flx_modes *m, track *out)
{
    size_t width = 2 * (size_t)m->nshape, most = 2 * (size_t)m->nmode;
    *out = (track){.nshape = m->nshape,
                   .s = calloc(2 * most + 1, sizeof *out->s),
                   .shape = calloc(width * most + 1, sizeof *out->shape)};
    if (!out->s || !out->shape) return false;
    for (int i = 0; i < m->nmode; i++) {
        const flx_mode *mode = m->modes + i;
        for (int sign = 1; sign >= (mode->im > 0.0 ? -1 : 1); sign -= 2, out->n++) {
            double *to = out->shape + width * (size_t)out->n, sum = 0.0;
            out->s[2 * out->n] = mode->re;
            out->s[2 * out->n + 1] = sign * mode->im;
            for (size_t k = 0; k < width; k++) {
                bool imaginary = k >= (size_t)m->nshape;
                double scale = m->scale[imaginary ? k - (size_t)m->nshape : k];
                to[k] = (imaginary && sign < 0 ? -1.0 : 1.0) * mode->shape[k] / scale;
                sum += to[k] * to[k];
            }
            for (size_t k = 0; k < width && sum > 0.0; k++) to[k] /= sqrt(sum);
        }
    }
    return true;
}

// |a^H b| of two shapes: 1 where they are the same, 0 where they have nothing in common.
static double overlap(int n, const double *a, const double *b)
{
    double re = 0.0, im = 0.0;
    for (int k = 0; k < n; k++) {
        re += a[k] * b[k] + a[n + k] * b[n + k];
        im += a[k] * b[n + k] - a[n + k] * b[k];
    }
    return hypot(re, im);
}

// How unlike two eigenvalues are: by their shapes, and by how far they have moved where the shapes do not tell.
// Where eigenvalues cross, shapes go on.
static double find_distance(const track *a, int i, const track *b, int j)
{
    const double *x = a->s + 2 * i, *y = b->s + 2 * j;
    double far = hypot(x[0] - y[0], x[1] - y[1]), size = fmax(hypot(x[0], x[1]), hypot(y[0], y[1]));
    double moved = size > 0.0 ? far / size : 0.0;
    bool same_side = x[1] * y[1] >= 0.0; // one of a pair does not become the other
    if (a->nshape != b->nshape || a->nshape == 0) return moved + !same_side;
    size_t width = 2 * (size_t)a->nshape;
    double alike = overlap(a->nshape, a->shape + width * (size_t)i, b->shape + width * (size_t)j);
    return 1.0 - alike + MOVED * moved + !same_side;
}

// order (new n): the column of every eigenvalue. The two that are most alike go on first; those left over are
// new columns.
static void match(const track *before, const track *now, int *order)
{
    int columns = before->n, n = now->n;
    bool *taken = calloc((size_t)columns + 1, sizeof *taken);
    for (int j = 0; j < n; j++) order[j] = -1;
    for (int k = 0; taken && k < columns && k < n; k++) {
        int best_i = -1, best_j = -1;
        double least = HUGE_VAL;
        for (int j = 0; j < n; j++) {
            for (int i = 0; order[j] < 0 && i < columns; i++) {
                double d = taken[i] || isnan(before->s[2 * i]) ? HUGE_VAL
                                                               : find_distance(before, i, now, j);
                if (!(d < least)) continue;
                least = d;
                best_i = i;
                best_j = j;
            }
        }
        if (best_i < 0) break;
        taken[best_i] = true;
        order[best_j] = best_i;
    }
    for (int j = 0, next = columns; j < n; j++) {
        if (order[j] < 0) order[j] = next++;
    }
    free(taken);
}

// Whether eigenvalue j of now has mixed its shape with that of a neighbour, as the same or nearly the same do:
// then the shape before, number k, says more about what goes on.
static bool is_mixed(const track *before, int k, const track *now, int j)
{
    size_t width = 2 * (size_t)now->nshape;
    double near = HUGE_VAL, size = hypot(now->s[2 * j], now->s[2 * j + 1]);
    for (int i = 0; i < now->n; i++) {
        if (i == j) continue;
        near =
            fmin(near, hypot(now->s[2 * i] - now->s[2 * j], now->s[2 * i + 1] - now->s[2 * j + 1]));
    }
    if (near > NEIGHBOUR * size) return false;
    return overlap(now->nshape, before->shape + width * (size_t)k, now->shape + width * (size_t)j) <
           ALIKE;
}

// Every eigenvalue is a column of its own that goes on from run to run, both of a pair. A column that finds
// none keeps its last shape for later.
static bool follow(track *before, const flx_modes *m, sweep_table *t)
{
    track now;
    int *order = calloc(2 * (size_t)m->nmode + 1, sizeof *order);
    bool done = list_modes(m, &now) && order;
    if (done) match(before, &now, order);
    int columns = before->n;
    for (int j = 0; done && j < now.n; j++) columns = order[j] >= columns ? order[j] + 1 : columns;
    size_t width = 2 * (size_t)m->nshape;
    double *s = done ? realloc(before->s, sizeof *s * (2 * (size_t)columns + 1)) : NULL;
    if (s) before->s = s;
    bool other = before->nshape != m->nshape; // shapes of another model say nothing
    int known = other ? 0 : before->n;
    double *shape = s ? calloc(width * (size_t)columns + 1, sizeof *shape) : NULL;
    done = done && shape;
    if (done && !other && before->shape) {
        memcpy(shape, before->shape, sizeof *shape * width * (size_t)before->n);
    }
    if (done) {
        free(before->shape);
        before->shape = shape;
        before->nshape = m->nshape;
        before->n = columns;
    }
    for (int j = 0; done && j < now.n; j++) {
        int k = order[j];
        memcpy(before->s + 2 * k, now.s + 2 * j, 2 * sizeof *s);
        bool mixed = k < known && is_mixed(before, k, &now, j);
        if (!mixed)
            memcpy(shape + width * (size_t)k, now.shape + width * (size_t)j, width * sizeof *shape);
        set_numbered(t, before->name, "re", k + 1, now.s[2 * j]);
        set_numbered(t, before->name, "im", k + 1, now.s[2 * j + 1]);
    }
    free(now.s);
    free(now.shape);
    free(order);
    return done;
}

static void set_finding(sweep_table *t, const flx_simulation *sim, const char *name,
                        const char *type, const flx_finding *f, tracks *all)
{
    const flx_result_info *info = flx_simulation_info(sim);
    if (strcmp(type, "modes") == 0) {
        track *of = find_track(all, name);
        t->failed = t->failed || !of || !follow(of, &f->modes, t);
        return;
    }
    if (strcmp(type, "buckling") == 0) {
        for (int i = 0; i < f->buckling.n; i++) {
            set_numbered(t, name, "factor", i + 1, f->buckling.factors[i]);
        }
        return;
    }
    for (int i = 0; f->signals && i < info->ncolumn; i++) {
        char label[PARAMETER_LENGTH];
        snprintf(label, sizeof label, "%s.%s", name, info->names[i]);
        sweep_table_set(t, label, f->signals[i]);
    }
}

static flx_status do_analyses(const flx_model *model, flx_simulation *sim, sweep_table *t,
                              tracks *all)
{
    const char *type, *about;
    flx_status status = FLX_OK;
    for (int k = 0; status == FLX_OK && flx_model_sweep_analysis(model, k) >= 0; k++) {
        int i = flx_model_sweep_analysis(model, k);
        const char *name = flx_simulation_analysis(sim, i, &type, &about);
        flx_finding found = {0};
        status = flx_simulation_analyse(sim, i, &found);
        if (status == FLX_OK) set_finding(t, sim, name, type, &found, all);
        flx_finding_clear(&found);
    }
    return status;
}

// ---- all of them ----------------------------------------------------------------------------------

typedef struct sweep_options {
    const char *model, *table;
    bool quiet;
    bool sampled;      // rows are too many to look at
    cli_list settings; // room for those of the sweep
    // The model compiled once, with the swept parameters open; NULL: it has to be read again for every run.
    flx_model *open;
    flx_system *system;
    flx_run *run; // of it, for all values in turn
    flx_ctx *ctx; // of these
} sweep_options;

// ---- compiled once --------------------------------------------------------------------------------

// Whether runs of the system can take the place of those of a model that is read again: all that is swept can be set, and
// `auto` does not choose for every value anew.
static bool serves(const flx_model *model, const flx_system *s, flx_ctx *ctx)
{
    const char *name;
    if (flx_system_has_chosen(s)) return false;
    for (int i = 0; (name = flx_model_sweep_parameter(model, i)) != NULL; i++) {
        flx_port_info info;
        int k = flx_system_parameter(s, name, ctx);
        if (k < 0 || !flx_system_describe(s, FLX_PORT_PARAMETER, k, &info) || !info.tunable)
            return false;
    }
    return true;
}

// What it cannot do is left to the reading of every run, which says why.
static void compile_once(const flx_model *model, int given, sweep_options *o)
{
    flx_ctx *ctx = flx_ctx_create();
    const char *name, **names = NULL;
    int n = 0;
    while (flx_model_sweep_parameter(model, n)) n++;
    if (ctx) names = calloc((size_t)n, sizeof *names);
    if (!names || flx_model_sweep_analysis(model, 0) >= 0) goto done;
    for (int i = 0; (name = flx_model_sweep_parameter(model, i)) != NULL; i++) names[i] = name;
    flx_read_def def = flx_read_def_default();
    def.nset = given;
    def.settings = o->settings.items;
    def.nopen = n;
    def.open = names;
    flx_status status = flx_model_read_by(ctx, o->model, &def, &o->open);
    if (status == FLX_OK) status = flx_system_compile(o->open, NULL, ctx, &o->system);
    if (status == FLX_OK && serves(model, o->system, ctx)) {
        flx_run_def how = flx_run_def_default();
        how.progress = go_on;
        (void)flx_run_create(o->system, &how, ctx, &o->run);
    }
    if (o->run) {
        if (flx_ctx_warning_count(ctx) > 0) cli_doubt();
        o->ctx = ctx; // of the system
        ctx = NULL;
    } else {
        flx_system_destroy(&o->system);
        flx_model_destroy(&o->open);
    }

done:
    free(names);
    flx_ctx_destroy(&ctx);
}

static flx_status start_run(const flx_model *model, const sweep_options *o, int number)
{
    const char *name;
    flx_status status = FLX_OK;
    for (int i = 0; status == FLX_OK && (name = flx_model_sweep_parameter(model, i)); i++) {
        int k = flx_system_parameter(o->system, name, o->ctx);
        status = flx_run_set_parameter(o->run, k, flx_model_sweep_value(model, number, i));
    }
    return status == FLX_OK ? flx_run_reset(o->run) : status;
}

static void keep_values(const flx_system *s, flx_run *run, sweep_table *t)
{
    flx_port_info info;
    int n = 0;
    const flx_ledger *l = flx_run_ledger(run);
    if (!l->balanced) cli_doubt();
    const double *y = l->nmetric > 0 ? NULL : flx_run_outputs(run, &n);
    for (int i = 0; y && i < n && flx_system_describe(s, FLX_PORT_OUTPUT, i, &info); i++)
        sweep_table_set(t, info.name, y[i]);
    for (int i = 0; i < l->nmetric && flx_system_describe(s, FLX_PORT_METRIC, i, &info); i++)
        sweep_table_set(t, info.name, l->metrics[i]);
    sweep_table_set(t, "steps", (double)l->work.steps);
}

// *done: the run was made, well or not; else the model is to be read again with its values.
static flx_status do_compiled(const flx_model *model, const sweep_options *o, int number,
                              sweep_table *t, bool *done)
{
    *done = false;
    if (!o->run) return FLX_OK;
    flx_ctx_clear_messages(o->ctx); // of the run before
    flx_status status = start_run(model, o, number);
    if (status != FLX_OK) return status;
    *done = true;
    status = flx_run_finish(o->run);
    if (status == FLX_STOPPED) status = FLX_OK;
    if (status == FLX_OK) keep_values(o->system, o->run, t);
    return status;
}

static flx_status do_one(flx_ctx *ctx, const sweep_options *o, sweep_table *t, tracks *all)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = flx_model_read(ctx, o->model, o->settings.count, o->settings.items, &model);
    bool analyses = status == FLX_OK && flx_model_sweep_analysis(model, 0) >= 0;
    if (status == FLX_OK) {
        status = analyses ? flx_simulation_create_to_analyse(model, &sim)
                          : flx_simulation_create(model, &sim);
    }
    if (status == FLX_OK) status = analyses ? do_analyses(model, sim, t, all) : do_run(ctx, sim, t);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return t->failed ? FLX_ERR_MEMORY : status;
}

// The last row of the table, under the names of its columns where it is the first.
static void print_row(const sweep_options *o, const sweep_table *t)
{
    FILE *f = o->table && strcmp(o->table, "-") == 0 ? stderr : stdout;
    if (o->quiet) return;
    if (t->nrow == 1) {
        fprintf(f, "%6s", "run");
        for (int k = 0; k < t->ncolumn; k++) fprintf(f, " %14s", t->names[k]);
        fputc('\n', f);
    }
    fprintf(f, "%6d", t->nrow);
    for (int k = 0; k < t->ncolumn; k++) {
        double value = t->values[(size_t)(t->nrow - 1) * (size_t)t->width + (size_t)k];
        if (isnan(value)) {
            fprintf(f, " %14s", "-");
        } else {
            fprintf(f, " %14.6g", value);
        }
    }
    fputc('\n', f);
    fflush(f);
}

// The parameters of a run: as settings behind those of the command, and into the table.
static void set_parameters(const flx_model *model, int run, int given,
                           char (*texts)[PARAMETER_LENGTH], sweep_options *o, sweep_table *t)
{
    const char *name;
    o->settings.count = given;
    for (int i = 0; (name = flx_model_sweep_parameter(model, i)) != NULL; i++) {
        double value = flx_model_sweep_value(model, run, i);
        snprintf(texts[i], PARAMETER_LENGTH, "%s=%.17g", name, value);
        o->settings.items[o->settings.count++] = texts[i];
        sweep_table_set(t, name, value);
    }
}

// How many failed; -1: no memory.
static int do_all(const flx_model *model, char (*texts)[PARAMETER_LENGTH], sweep_options *o,
                  sweep_table *t, tracks *all)
{
    int failed = 0, given = o->settings.count, n = flx_model_sweep_count(model);
    for (int run = 0; run < n && !cli_was_interrupted(); run++) {
        flx_ctx *ctx = flx_ctx_create();
        if (!ctx) return -1;
        sweep_table_add_row(t);
        if (!t->failed) set_parameters(model, run, given, texts, o, t);
        bool done = false;
        flx_status status = FLX_ERR_MEMORY;
        if (!t->failed) status = do_compiled(model, o, run, t, &done);
        flx_ctx *told = done ? o->ctx : ctx;
        if (!done && !t->failed) status = do_one(ctx, o, t, all);
        if (t->failed) status = FLX_ERR_MEMORY;
        if (status == FLX_OK) {
            if (!o->sampled) print_row(o, t);
        } else if (status != FLX_INTERRUPTED && !t->failed) {
            cli_complain("sweep", "run %d of %d failed:", run + 1, n);
            cli_print_errors(told);
            failed++;
        }
        if (flx_ctx_warning_count(told) > 0) cli_doubt();
        flx_ctx_destroy(&ctx);
        if (t->failed) return -1;
    }
    return failed;
}

static int sweep(flx_ctx *ctx, sweep_options *o)
{
    sweep_table t = {0};
    tracks all = {0};
    flx_model *model = NULL;
    char(*texts)[PARAMETER_LENGTH] = NULL;
    const char **settings = NULL;
    int code = EXIT_WRONG, count = 0;
    flx_status status = flx_model_read(ctx, o->model, o->settings.count, o->settings.items, &model);
    if (status != FLX_OK) {
        cli_print_warnings(ctx, 0);
        cli_print_errors(ctx);
        goto done;
    }
    while (flx_model_sweep_parameter(model, count)) count++;
    if (count == 0) {
        cli_complain("sweep", "the model has no block 'sweep'; as\n"
                              "    sweep: {parameters: {k: {from: 1, to: 10, count: 4}}}");
        goto done;
    }
    if (flx_output_check(ctx, "the table", o->table) != FLX_OK) {
        cli_print_errors(ctx);
        goto done;
    }
    code = EXIT_FAILED;
    texts = calloc((size_t)count, sizeof *texts);
    settings = calloc((size_t)(o->settings.count + count), sizeof *settings);
    if (!texts || !settings) goto done;
    memcpy(settings, o->settings.items, (size_t)o->settings.count * sizeof *settings);
    flx_sample_info sample;
    sweep_options with = *o;
    with.sampled = flx_model_sweep_sample(model, &sample);
    with.settings.items = settings;
    cli_catch_interrupt();
    compile_once(model, o->settings.count, &with);
    int failed = do_all(model, texts, &with, &t, &all);
    flx_run_destroy(&with.run);
    flx_system_destroy(&with.system);
    flx_model_destroy(&with.open);
    flx_ctx_destroy(&with.ctx);
    if (failed < 0) cli_complain("sweep", "out of memory");
    if (t.nrow > 0 && t.ncolumn > 0) status = sweep_table_write(&t, ctx, o->table);
    cli_print_errors(ctx);
    if (status == FLX_OK && !o->quiet && strcmp(o->table, "-") != 0) {
        printf("%d runs, %d failed; the table is in %s\n", t.nrow, failed, o->table);
    }
    if (status == FLX_OK && with.sampled && t.nrow == flx_model_sweep_count(model) &&
        strcmp(o->table, "-") != 0) {
        const char *path = cli_named_after(o->model, "_report.csv");
        status = path ? sweep_report(ctx, model, &t, &sample, o->quiet, path) : FLX_ERR_MEMORY;
        cli_print_errors(ctx);
    }
    if (cli_was_interrupted()) {
        cli_complain("sweep", "interrupted after %d of %d runs", t.nrow,
                     flx_model_sweep_count(model));
    }
    if (status == FLX_OK && failed == 0 && !cli_was_interrupted()) code = EXIT_DONE;

done:
    sweep_table_clear(&t);
    tracks_clear(&all);
    free(texts);
    free(settings);
    flx_model_destroy(&model);
    return code;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    sweep_options o = {0};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--csv", .value = &o.table},
        {.name = "--set", .list = &o.settings},
        {.name = "--quiet", .letter = 'q', .flag = &o.quiet},
    };
    cli_parsed parsed = cli_parse(&cmd_sweep, argc, argv, 3, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_model(&cmd_sweep, &rest)) return EXIT_WRONG;
    o.model = rest.items[0];
    if (!o.table) o.table = cli_named_after(o.model, "_sweep.csv");
    return o.table ? sweep(ctx, &o) : EXIT_FAILED;
}

const cli_command cmd_sweep = {
    .name = "sweep",
    .summary = "run a model for many values of its parameters",
    .help = help_text,
    .run = run,
};
