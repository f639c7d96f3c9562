// sweep_job.c - the runs of a sweep, one after another, in one process: compiled once where that can be.
#include "cli/sweep/sweep_job.h"
#include "cli/plugins.h"
#include "flexion/extend/sink_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEIGHBOUR 0.02 // of an eigenvalue: how far one is that it may mix with
#define ALIKE 0.9      // shapes that go on, |a^H b|
#define MOVED 0.1      // weight of what eigenvalues moved, against that of shapes

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

double sweep_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int go_on(void *user, double t, double until)
{
    (void)t, (void)until;
    sweep_job *job = user;
    if (job->beat) job->beat(job->user);
    job->late = job->limit > 0.0 && sweep_clock() - job->began > job->limit;
    return cli_was_interrupted() || job->late;
}

static flx_status do_run(flx_ctx *ctx, sweep_job *job, int number, flx_simulation *sim,
                         sweep_table *t)
{
    last_row last = {.base = {.type = &last_row_type, .ctx = ctx}, .t = t};
    flx_sink *sinks[2] = {NULL, NULL};
    int n = flx_simulation_metric_count(sim), nsink = 0;
    if (n == 0) sinks[nsink++] = &last.base;
    flx_sink *series = NULL; // owned
    flx_status status = job->series ? flx_series_sink(job->series, number, &series) : FLX_OK;
    if (series) sinks[nsink++] = series;
    if (status == FLX_OK) status = flx_simulation_run(sim, nsink, sinks, go_on, job);
    flx_sink_destroy(&series);
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
    char label[SWEEP_PARAMETER];
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
typedef struct sweep_tracks {
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
        char label[SWEEP_PARAMETER];
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

const char **sweep_job_swept(const flx_model *model, int *n)
{
    *n = 0;
    while (flx_model_sweep_parameter(model, *n)) ++*n;
    const char **names = calloc((size_t)*n + 1, sizeof *names);
    for (int i = 0; names && i < *n; i++) names[i] = flx_model_sweep_parameter(model, i);
    return names;
}

// What it cannot do is left to the reading of every run, which says why.
static void compile_once(const flx_model *model, int given, sweep_job *o)
{
    flx_ctx *ctx = flx_ctx_create();
    int n = 0;
    const char **names = ctx ? sweep_job_swept(model, &n) : NULL;
    if (!names || flx_model_sweep_analysis(model, 0) >= 0) goto done;
    flx_read_def def = flx_read_def_default();
    def.nset = given;
    def.settings = o->settings.items;
    def.nopen = n;
    def.open = names;
    flx_status status = cli_model_read_by(ctx, o->path, &def, &o->open);
    if (status == FLX_OK) status = flx_system_compile(o->open, NULL, ctx, &o->system);
    if (status == FLX_OK && serves(model, o->system, ctx)) {
        flx_run_def how = flx_run_def_default();
        how.progress = go_on;
        how.user = o;
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

static flx_status start_run(const flx_model *model, const sweep_job *o, int number)
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
static flx_status do_compiled(const flx_model *model, const sweep_job *o, int number,
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

static flx_status do_one(flx_ctx *ctx, sweep_job *o, int number, sweep_table *t, tracks *all)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    flx_status status = cli_model_read(ctx, o->path, o->settings.count, o->settings.items, &model);
    bool analyses = status == FLX_OK && flx_model_sweep_analysis(model, 0) >= 0;
    if (status == FLX_OK) {
        status = analyses ? flx_simulation_create_to_analyse(model, &sim)
                          : flx_simulation_create(model, &sim);
    }
    if (status == FLX_OK)
        status = analyses ? do_analyses(model, sim, t, all) : do_run(ctx, o, number, sim, t);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return t->failed ? FLX_ERR_MEMORY : status;
}

// ---- the job ------------------------------------------------------------------------------------

// The parameters of a run: as settings behind those of the command, and into the table.
static void set_parameters(sweep_job *o, int run)
{
    const char *name;
    o->settings.count = o->given;
    for (int i = 0; (name = flx_model_sweep_parameter(o->model, i)) != NULL; i++) {
        double value = flx_model_sweep_value(o->model, run, i);
        snprintf(o->texts[i], SWEEP_PARAMETER, "%s=%.17g", name, value);
        o->settings.items[o->settings.count++] = o->texts[i];
        sweep_table_set(&o->table, name, value);
    }
}

int sweep_job_open(flx_ctx *ctx, const char *path, const cli_list *settings, sweep_job *o)
{
    int count = 0;
    *o = (sweep_job){.path = path, .given = settings->count};
    flx_status status = cli_model_read(ctx, path, settings->count, settings->items, &o->model);
    if (status != FLX_OK) {
        cli_print_warnings(ctx, 0);
        cli_print_errors(ctx);
        return EXIT_WRONG;
    }
    while (flx_model_sweep_parameter(o->model, count)) count++;
    if (count == 0) {
        cli_complain("sweep", "the model has no block 'sweep'; as\n"
                              "    sweep: {parameters: {k: {from: 1, to: 10, count: 4}}}");
        return EXIT_WRONG;
    }
    o->texts = calloc((size_t)count, sizeof *o->texts);
    o->settings.items = calloc((size_t)(o->given + count), sizeof *o->settings.items);
    o->tracks = calloc(1, sizeof *o->tracks);
    if (!o->texts || !o->settings.items || !o->tracks) return EXIT_FAILED;
    for (int i = 0; i < o->given; i++) o->settings.items[i] = settings->items[i];
    o->settings.count = o->given;
    return EXIT_DONE;
}

void sweep_job_compile(sweep_job *o)
{
    compile_once(o->model, o->given, o);
}

void sweep_job_close(sweep_job *o)
{
    flx_run_destroy(&o->run);
    flx_system_destroy(&o->system);
    flx_model_destroy(&o->open);
    flx_ctx_destroy(&o->ctx);
    flx_ctx_destroy(&o->own);
    sweep_table_clear(&o->table);
    if (o->tracks) tracks_clear(o->tracks);
    free(o->tracks);
    free(o->texts);
    free(o->settings.items);
    flx_model_destroy(&o->model);
}

flx_status sweep_job_do(sweep_job *o, int number, flx_ctx **told)
{
    sweep_table *t = &o->table;
    flx_ctx_destroy(&o->own);
    o->own = *told = flx_ctx_create();
    if (!o->own) return FLX_ERR_MEMORY;
    o->began = sweep_clock();
    o->late = false;
    sweep_table_add_row(t);
    if (!t->failed) set_parameters(o, number);
    bool done = false;
    flx_status status = FLX_ERR_MEMORY;
    if (!t->failed) status = do_compiled(o->model, o, number, t, &done);
    if (done) *told = o->ctx;
    if (!done && !t->failed) status = do_one(o->own, o, number, t, o->tracks);
    if (flx_ctx_warning_count(*told) > 0) cli_doubt();
    return t->failed ? FLX_ERR_MEMORY : status;
}
