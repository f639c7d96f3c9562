// show_design.c - flexion optimise of a model with goals: the table of evaluations, the optimum, the front.
#include "cli/optimise/show_design.h"
#include "flexion/extend/sink_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_ROWS 512
#define NEGLECTED 1e-6 // of a limit

typedef struct table {
    const design_options *o;
    FILE *file;
    int before; // rows that were there
    int n, ngoal, ncondition, nrow, owner[MOST_ROWS];
    double best, missed; // of the first goal; of conditions
} table;

// ---- rows ---------------------------------------------------------------------------------------------

static int columns_of(const table *t)
{
    return 1 + t->n + 1 + t->ngoal + t->ncondition + t->nrow * (1 + t->n);
}

static double largest(const table *t, const double *rows, int owner)
{
    double most = (double)NAN;
    for (int i = 0; i < t->nrow; i++) {
        if (t->owner[i] == owner && !isnan(rows[i]))
            most = isnan(most) ? rows[i] : fmax(most, rows[i]);
    }
    return most;
}

static void put(table *t, double x)
{
    if (isnan(x)) {
        fprintf(t->file, ",nan");
    } else {
        fprintf(t->file, ",%.17g", x);
    }
}

static void write_row(table *t, const flx_design_row *r)
{
    fprintf(t->file, "%d", t->before + r->number);
    for (int i = 0; i < t->n; i++) put(t, r->values[i]);
    fprintf(t->file, ",%d", r->failed != NULL);
    for (int k = 0; k < t->ngoal + t->ncondition; k++)
        put(t, r->failed ? (double)NAN : largest(t, r->rows, k));
    for (int i = 0; i < t->nrow; i++) put(t, r->failed ? (double)NAN : r->rows[i]);
    for (int i = 0; i < t->nrow * t->n; i++) put(t, r->slopes ? r->slopes[i] : (double)NAN);
    fprintf(t->file, "\n");
    fflush(t->file);
}

// Those that are better than all before, and those that failed, are told.
static int keep_row(void *user, const flx_design_row *r)
{
    table *t = user;
    write_row(t, r);
    double goal = r->failed ? HUGE_VAL : largest(t, r->rows, 0), missed = 0.0;
    for (int k = 0; k < t->ncondition && !r->failed; k++) {
        double limit = fabs(largest(t, r->rows, t->ngoal + t->ncondition + k));
        double excess = largest(t, r->rows, t->ngoal + k);
        if (excess > NEGLECTED * limit) missed = fmax(missed, excess / (limit > 0.0 ? limit : 1.0));
    }
    bool better = missed < t->missed || (missed == t->missed && goal < t->best);
    if (!t->o->quiet && (r->failed || better)) {
        printf("%5d", t->before + r->number);
        for (int i = 0; i < t->n; i++) printf(" %13.6g", r->values[i]);
        if (r->failed) {
            printf("  failed: %s\n", r->failed);
        } else {
            printf(" %13.6g%s\n", goal, missed > 0.0 ? "  a condition is not met" : "");
        }
        fflush(stdout);
    }
    if (better) {
        t->best = goal;
        t->missed = missed;
    }
    return cli_was_interrupted();
}

// A row that was cut off in the middle is left out.
static void mend(const char *path)
{
    FILE *f = fopen(path, "r+");
    long end = 0, at = 0;
    int c;
    while (f && (c = fgetc(f)) != EOF) {
        at++;
        if (c == '\n') end = at;
    }
    if (f && end < at && ftruncate(fileno(f), end) != 0)
        cli_complain("optimise", "cannot mend %s", path);
    if (f) fclose(f);
}

// Rows of an earlier search; *memory is freed by the caller.
static int recall(table *t, flx_design_row **rows, double **memory)
{
    flx_ctx *quiet = flx_ctx_create();
    flx_result *r = NULL;
    int count = 0;
    *rows = NULL;
    *memory = NULL;
    mend(t->o->table);
    if (quiet && flx_result_open(quiet, t->o->table, &r) == FLX_OK &&
        flx_result_columns(r) == columns_of(t)) {
        size_t n = (size_t)flx_result_rows(r), width = (size_t)columns_of(t);
        *rows = calloc(n + 1, sizeof **rows);
        *memory = calloc(n * width + 1, sizeof **memory);
        if (*rows && *memory) count = (int)n;
        for (int i = 0; i < count; i++) {
            double *to = *memory + (size_t)i * width;
            for (size_t k = 0; k < width; k++) to[k] = flx_result_column(r, (int)k)[i];
            const double *values = to + t->n + 2 + t->ngoal + t->ncondition,
                         *slopes = values + t->nrow;
            (*rows)[i] =
                (flx_design_row){.size = sizeof **rows,
                                 .number = i + 1,
                                 .nparam = t->n,
                                 .nrow = t->nrow,
                                 .values = to + 1,
                                 .rows = values,
                                 .slopes = isnan(slopes[0]) ? NULL : slopes,
                                 .failed = to[t->n + 1] != 0.0 ? "it failed before" : NULL};
        }
    }
    flx_result_close(&r);
    flx_ctx_destroy(&quiet);
    return count;
}

static bool open_table(const flx_model *model, table *t)
{
    bool go_on = t->before > 0;
    const char *name;
    t->file = fopen(t->o->table, go_on ? "a" : "w");
    if (!t->file) {
        cli_complain("optimise", "cannot write %s", t->o->table);
        return false;
    }
    if (go_on) return true;
    fprintf(t->file, "t"); // the number of the evaluation: tables of results begin so
    for (int i = 0; (name = flx_model_optimised(model, i)) != NULL; i++)
        fprintf(t->file, ",%s", name);
    fprintf(t->file, ",failed");
    for (int k = 0; k < t->ngoal; k++) fprintf(t->file, ",goal%d", k + 1);
    for (int k = 0; k < t->ncondition; k++) fprintf(t->file, ",condition%d", k + 1);
    for (int i = 0; i < t->nrow; i++) fprintf(t->file, ",row%d", i + 1);
    for (int i = 0; i < t->nrow; i++) {
        for (int k = 0; k < t->n; k++)
            fprintf(t->file, ",row%d by %s", i + 1, flx_model_optimised(model, k));
    }
    fprintf(t->file, "\n");
    fflush(t->file);
    return true;
}

// ---- the optimum ------------------------------------------------------------------------------------------

static void tell_front(const flx_design *f)
{
    int width = f->nparam + f->ngoal;
    printf("front of %d points\n ", f->npoint);
    for (int k = 0; k < f->ngoal; k++) printf(" %14s", f->goals[k].text);
    for (int k = 0; k < f->nparam; k++) printf(" %14s", f->parameters[k].name);
    printf("\n");
    for (int i = 0; i < f->npoint; i++) {
        const double *p = f->points + (size_t)i * (size_t)width;
        printf(" ");
        for (int k = 0; k < f->ngoal; k++) printf(" %14.7g", p[f->nparam + k]);
        for (int k = 0; k < f->nparam; k++) printf(" %14.7g", p[k]);
        printf("\n");
    }
}

static void tell_point(const flx_design *f)
{
    for (int i = 0; i < f->nparam; i++) {
        const flx_design_parameter *p = f->parameters + i;
        printf("  %-14s %15.9g", p->name, p->value);
        if (p->at_bound) printf("   at its %s bound", p->at_bound < 0 ? "lower" : "upper");
        printf("\n");
    }
    for (int k = 0; k < f->ngoal; k++) {
        const flx_design_goal *g = f->goals + k;
        printf("%s = %.10g", g->text, g->value);
        if (g->parts > 1) printf(", of %d peaks that are equal", g->parts);
        printf("\n");
    }
    for (int k = 0; k < f->ncondition; k++) {
        const flx_design_condition *c = f->conditions + k;
        printf("%s: %.9g against %.9g, ", c->text, c->value, c->limit);
        if (c->holds < 0) {
            printf("missed by %.3g\n", fabs(c->value - c->limit));
        } else if (c->holds == 0) {
            printf("at its limit, multiplier %.6g\n", c->multiplier);
        } else {
            printf("with room\n");
        }
    }
}

static void tell(const flx_design *f)
{
    printf("%s after %d evaluations%s: %s\n", f->converged ? "optimum" : "best point, no optimum,",
           f->evaluations, f->differences ? ", slopes by differences" : "", f->why);
    if (f->slope_error > 0.0)
        printf("slopes are differences of runs, off by up to %.1g of the largest\n",
               f->slope_error);
    if (f->idle) printf("no goal and no condition depends on %s\n", f->idle);
    if (f->failures > 0)
        printf("%d run%s failed; the first: %s\n", f->failures, f->failures > 1 ? "s" : "",
               f->failed);
    if (f->npoint > 0) {
        tell_front(f);
    } else {
        tell_point(f);
    }
    printf("gradient that nothing holds: %.2g of the differences met\n", f->unbalanced);
    if (f->starts > 1) printf("%d of %d searches agree\n", f->agreeing, f->starts);
}

static bool is_plain(const char *text)
{
    return text[0] && strcspn(text, ",\" \t") == strlen(text);
}

static flx_status write_front(flx_ctx *ctx, const flx_design *f, const char *path)
{
    int width = f->nparam + f->ngoal;
    const char **names = calloc((size_t)width, sizeof *names),
               **units = calloc((size_t)width, sizeof *units);
    static const char *const plain[] = {"goal1", "goal2", "goal3"};
    flx_sink *sink = NULL;
    flx_status status = names && units ? flx_csv_sink_create(ctx, path, &sink) : FLX_ERR_MEMORY;
    for (int k = 0; k < width && status == FLX_OK; k++) {
        const char *text = k < f->nparam ? f->parameters[k].name : f->goals[k - f->nparam].text;
        names[k] = k < f->nparam || is_plain(text) ? text : plain[k - f->nparam];
        units[k] = "";
    }
    const flx_result_info info = {
        .ncolumn = width, .names = names, .units = units, .rows = f->npoint};
    if (status == FLX_OK) status = sink->type->begin(sink, &info);
    for (int i = 0; i < f->npoint && status == FLX_OK; i++)
        status = sink->type->row(sink, i + 1, f->points + (size_t)i * (size_t)width);
    if (status == FLX_OK) status = sink->type->end(sink, NULL);
    flx_sink_destroy(&sink);
    free(names);
    free(units);
    return status;
}

// ---- all of it --------------------------------------------------------------------------------------------

static flx_status find(flx_ctx *ctx, flx_model *model, table *t, flx_design *f)
{
    flx_design_def def = flx_design_def_default();
    flx_design_row *known = NULL;
    double *memory = NULL;
    flx_status laid_out = flx_design_layout(model, ctx, MOST_ROWS, t->owner, &t->nrow);
    if (laid_out != FLX_OK) return laid_out;
    if (t->nrow > MOST_ROWS) {
        cli_complain("optimise", "goals and conditions have %d parts; at most %d are kept", t->nrow,
                     MOST_ROWS);
        return FLX_ERR_CANNOT;
    }
    t->ngoal = flx_model_goals(model);
    for (int i = 0; i < t->nrow; i++) {
        int k = t->owner[i] - t->ngoal + 1;
        if (k > t->ncondition) t->ncondition = k;
    }
    t->ncondition /= 2; // conditions, then their limits
    while (flx_model_optimised(model, t->n)) t->n++;
    if (t->o->resume) {
        t->before = def.nknown = recall(t, &known, &memory);
        if (t->before == 0)
            cli_complain("optimise", "%s holds no row to go on from: begins anew", t->o->table);
    }
    def.known = known;
    def.threads = t->o->threads;
    def.evaluated = keep_row;
    def.user = t;
    flx_status status = open_table(model, t) ? flx_design_find(model, &def, ctx, f) : FLX_ERR_IO;
    if (t->file) fclose(t->file);
    free(known);
    free(memory);
    return status;
}

int cli_design(flx_ctx *ctx, flx_model *model, const design_options *o)
{
    table t = {.o = o, .best = HUGE_VAL, .missed = HUGE_VAL};
    flx_design f = {0};
    flx_status status = find(ctx, model, &t, &f);
    int code = status == FLX_OK                                      ? EXIT_DONE
               : status == FLX_ERR_MODEL || status == FLX_ERR_CANNOT ? EXIT_WRONG
                                                                     : EXIT_FAILED;
    if (f.nparam > 0 && !o->quiet) tell(&f);
    if (f.npoint > 0) {
        const char *path = cli_named_after(o->model, "_front.csv");
        flx_status written = path ? write_front(ctx, &f, path) : FLX_ERR_MEMORY;
        if (written == FLX_OK && !o->quiet) printf("the front is in %s\n", path);
        if (written != FLX_OK) code = EXIT_FAILED;
    }
    if (f.nparam > 0 && !o->quiet) printf("evaluations are in %s\n", o->table);
    fflush(stdout);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_design_clear(&f);
    return code;
}
