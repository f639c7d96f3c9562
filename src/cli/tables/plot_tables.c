// plot_tables.c - drawings of tables that analyses write; see plot_tables.h.
#include "cli/tables/plot_tables.h"
#include "cli/tables/read_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_SERIES 64
#define MOST_RAYS 8

typedef struct charts {
    flx_ctx *ctx;
    const flx_plot_def *def;
    int nfile, nseries[2];
    cli_table tables[MOST_SERIES];
    flx_chart_series series[2][MOST_SERIES]; // of two panels
    double *own[MOST_SERIES];                // numbers that were made
    char *names[MOST_SERIES];
    int nown, nname;
} charts;

// ---- series -------------------------------------------------------------------------------------------

static const char *keep_name(charts *c, const char *name, size_t n)
{
    char *own = c->nname < MOST_SERIES ? malloc(n + 1) : NULL;
    if (!own) return "";
    memcpy(own, name, n);
    own[n] = 0;
    return c->names[c->nname++] = own;
}

static void add(charts *c, int panel, const char *name, int n, const double *x, const double *y,
                int mark)
{
    if (c->nseries[panel] == MOST_SERIES) return;
    c->series[panel][c->nseries[panel]++] = (flx_chart_series){.name = name,
                                                               .n = n,
                                                               .x = x,
                                                               .y = y,
                                                               .slope = (double)NAN,
                                                               .line_only = mark == 0,
                                                               .mark_only = mark};
}

// Numbers of one's own; NULL: no memory.
static double *take(charts *c, int n)
{
    if (c->nown == MOST_SERIES) return NULL;
    return c->own[c->nown++] = malloc(((size_t)n + 1) * sizeof(double));
}

// Pairs of a response: columns "y/u re", "y/u im", "y/u magnitude", "y/u phase".
static void add_response(charts *c, const cli_table *t, cli_table_plot kind)
{
    const double *f = cli_column(t, cli_find_column(t, "frequency"));
    for (int k = 0; k + 3 < t->ncolumn; k++) {
        size_t n = strlen(t->names[k]);
        if (n < 4 || strcmp(t->names[k] + n - 3, " re") != 0) continue;
        const char *name = keep_name(c, t->names[k], n - 3);
        if (kind == CLI_PLOT_BODE) {
            add(c, 0, name, t->nrow, f, cli_column(t, k + 2), 0);
            add(c, 1, name, t->nrow, f, cli_column(t, k + 3), 0);
        } else if (kind == CLI_PLOT_NYQUIST) {
            add(c, 0, name, t->nrow, cli_column(t, k), cli_column(t, k + 1), 0);
        } else {
            double *decibel = take(c, t->nrow);
            for (int i = 0; decibel && i < t->nrow; i++)
                decibel[i] = 20.0 * log10(cli_column(t, k + 2)[i]);
            if (decibel) add(c, 0, name, t->nrow, cli_column(t, k + 3), decibel, 0);
        }
    }
}

// The critical point of Nyquist's plane.
static void add_critical(charts *c)
{
    double *at = take(c, 2);
    if (!at) return;
    at[0] = -1.0;
    at[1] = 0.0;
    add(c, 0, "-1", 1, at, at + 1, FLX_CHART_CIRCLE);
}

static void add_campbell(charts *c, const cli_table *t, const char *orders)
{
    for (int k = 1; k < t->ncolumn; k++) {
        if (strncmp(t->names[k], "frequency(", 10) != 0) continue;
        char name[40];
        snprintf(name, sizeof name, "mode %d", atoi(t->names[k] + 10));
        add(c, 0, keep_name(c, name, strlen(name)), t->nrow, cli_column(t, 0), cli_column(t, k), 0);
    }
    for (int k = 0; orders && *orders && k < MOST_RAYS; k++) {
        char *end, name[40];
        double order = strtod(orders, &end);
        double *ray = take(c, t->nrow);
        if (end == orders || !ray) break;
        for (int i = 0; i < t->nrow; i++)
            ray[i] = order * cli_column(t, 0)[i] / (2.0 * 3.14159265358979323846);
        snprintf(name, sizeof name, "order %g", order);
        add(c, 0, keep_name(c, name, strlen(name)), t->nrow, cli_column(t, 0), ray, 0);
        orders = *end == ',' ? end + 1 : end;
    }
}

// Each output over each input, "y/u", over the time.
static void add_course(charts *c, const cli_table *t)
{
    const double *time = cli_column(t, cli_find_column(t, "t"));
    for (int k = 0; k < t->ncolumn; k++) {
        if (strchr(t->names[k], '/') == NULL) continue;
        add(c, 0, t->names[k], t->nrow, time, cli_column(t, k), 0);
    }
}

// Branches as lines; crosses where they begin, marks where they end.
static void add_locus(charts *c, const cli_table *t)
{
    int n = (t->ncolumn - 1) / 2;
    const char *by = t->names[0];
    double *ends = take(c, 4 * n);
    for (int b = 0; b < n && t->nrow > 0; b++) {
        const double *re = cli_column(t, 1 + 2 * b), *im = cli_column(t, 2 + 2 * b);
        char name[40];
        snprintf(name, sizeof name, "pole %d", b + 1);
        add(c, 0, keep_name(c, name, strlen(name)), t->nrow, re, im, 0);
        for (int k = 0; ends && k < 2; k++) {
            int i = k == 0 ? 0 : t->nrow - 1;
            ends[2 * k * n + b] = re[i];
            ends[(2 * k + 1) * n + b] = im[i];
        }
    }
    for (int k = 0; ends && k < 2 && t->nrow > 0; k++) {
        char name[120];
        snprintf(name, sizeof name, "%s = %.4g", by, cli_column(t, 0)[k == 0 ? 0 : t->nrow - 1]);
        add(c, 0, keep_name(c, name, strlen(name)), n, ends + 2 * k * n, ends + (2 * k + 1) * n,
            k == 0 ? FLX_CHART_CROSS : FLX_CHART_DOT);
    }
}

// Of each measured table: what was measured, the fit with its band of two standard errors, and beside it the residuals with
// that band.
static void add_fit(charts *c, const cli_table *t)
{
    static const char *const names[] = {"measured", "fitted", "low", "high"};
    int of = cli_find_column(t, "table"), col[4];
    bool whole = of >= 0;
    for (int k = 0; k < 4; k++) {
        col[k] = cli_find_column(t, names[k]);
        whole = whole && col[k] >= 0;
    }
    for (int i = 0, n; i < t->nrow && whole; i += n) {
        double number = cli_column(t, of)[i];
        for (n = 1; i + n < t->nrow && cli_column(t, of)[i + n] == number;) n++;
        for (int k = 0; k < 4; k++) {
            char name[40];
            snprintf(name, sizeof name, number > 1.0 ? "%s %.0f" : "%s", names[k], number);
            const char *own = keep_name(c, name, strlen(name));
            const double *x = cli_column(t, 0) + i, *y = cli_column(t, col[k]) + i;
            double *rest = take(c, n);
            for (int j = 0; rest && j < n; j++) rest[j] = y[j] - cli_column(t, col[1])[i + j];
            add(c, 0, own, n, x, y, k == 0 ? FLX_CHART_DOT : 0);
            if (rest) add(c, 1, own, n, x, rest, k == 0 ? FLX_CHART_DOT : 0);
        }
    }
}

// ---- together -----------------------------------------------------------------------------------------

static const struct {
    const char *first, *wanted; // columns that such a table has
    const char *x, *y;
    int log_x, log_y;
} kinds[] = {
    [CLI_PLOT_BODE] = {"frequency", "a frequency response", "frequency Hz", "magnitude", 1, 1},
    [CLI_PLOT_NYQUIST] = {"frequency", "a frequency response", "real part", "imaginary part", 0, 0},
    [CLI_PLOT_NICHOLS] = {"frequency", "a frequency response", "phase deg", "magnitude dB", 0, 0},
    [CLI_PLOT_POLES] = {"re", "poles or zeros", "real part 1/s", "imaginary part 1/s", 0, 0},
    [CLI_PLOT_LOCUS] = {"re(1)", "a root locus", "real part 1/s", "imaginary part 1/s", 0, 0},
    [CLI_PLOT_STEP] = {"t", "responses to a step", "t s", "response to a step", 0, 0},
    [CLI_PLOT_IMPULSE] = {"t", "responses to an impulse", "t s", "response to an impulse", 0, 0},
    [CLI_PLOT_FIT] = {"fitted", "a fit", "t s", "measured and fitted", 0, 0},
    [CLI_PLOT_CAMPBELL] = {"frequency(1)", "a Campbell diagram", "speed rad/s", "frequency Hz", 0,
                           0}};

static bool add_file(charts *c, cli_table_plot kind, const char *path, const char *orders)
{
    cli_table *t = c->tables + c->nfile;
    if (!cli_read_table("plot", path, t)) return false;
    c->nfile++;
    bool zeros = kind == CLI_PLOT_LOCUS && c->nfile > 1 && cli_find_column(t, "re") >= 0;
    if (cli_find_column(t, kinds[kind].first) < 0 && !zeros) {
        cli_complain("plot", "'%s' is not the table of %s: it has no column '%s'", path,
                     kinds[kind].wanted, kinds[kind].first);
        return false;
    }
    if (kind == CLI_PLOT_LOCUS && cli_find_column(t, "re") >= 0) {
        add(c, 0, "zeros", t->nrow, cli_column(t, cli_find_column(t, "re")),
            cli_column(t, cli_find_column(t, "im")), FLX_CHART_CIRCLE);
    } else if (kind == CLI_PLOT_LOCUS) {
        add_locus(c, t);
    } else if (kind == CLI_PLOT_POLES) {
        bool poles = cli_find_column(t, "damping") >= 0;
        add(c, 0, poles ? "poles" : "zeros", t->nrow, cli_column(t, cli_find_column(t, "re")),
            cli_column(t, cli_find_column(t, "im")), poles ? FLX_CHART_CROSS : FLX_CHART_CIRCLE);
    } else if (kind == CLI_PLOT_CAMPBELL) {
        add_campbell(c, t, orders);
    } else if (kind == CLI_PLOT_FIT) {
        add_fit(c, t);
    } else if (kind == CLI_PLOT_STEP || kind == CLI_PLOT_IMPULSE) {
        add_course(c, t);
    } else {
        add_response(c, t, kind);
    }
    if (c->nseries[0] > 0 || t->nrow == 0) return true;
    cli_complain("plot", "'%s' has no pairs of outputs and inputs: it is not the table of %s", path,
                 kinds[kind].wanted);
    return false;
}

static int draw(charts *c, cli_table_plot kind)
{
    const flx_chart_panel panels[2] = {{kinds[kind].x, kinds[kind].y, kinds[kind].log_x,
                                        kinds[kind].log_y, c->nseries[0], c->series[0]},
                                       {kind == CLI_PLOT_FIT ? "t s" : "frequency Hz",
                                        kind == CLI_PLOT_FIT ? "less the fit" : "phase deg",
                                        kind == CLI_PLOT_BODE, 0, c->nseries[1], c->series[1]}};
    int npanel = kind == CLI_PLOT_BODE || kind == CLI_PLOT_FIT ? 2 : 1;
    const flx_chart_def chart = {.path = c->def->path,
                                 .npanel = npanel,
                                 .panels = panels,
                                 .width = c->def->width > 0 ? c->def->width
                                          : npanel == 1     ? 760
                                                            : 0,
                                 .height = c->def->height};
    flx_status status = flx_chart_write(c->ctx, &chart);
    if (status == FLX_OK) printf("%s\n", c->def->path);
    cli_print_errors(c->ctx);
    return cli_exit_of(status);
}

int cli_plot_tables(flx_ctx *ctx, cli_table_plot kind, int nfile, const char *const *files,
                    const char *orders, const flx_plot_def *def)
{
    charts *c = calloc(1, sizeof *c);
    bool good = c != NULL;
    int code = EXIT_WRONG;
    if (!c) return EXIT_FAILED;
    c->ctx = ctx;
    c->def = def;
    for (int i = 0; good && i < nfile && i < MOST_SERIES; i++)
        good = add_file(c, kind, files[i], orders);
    if (good && kind == CLI_PLOT_NYQUIST) add_critical(c);
    if (good) code = draw(c, kind);
    for (int i = 0; i < c->nfile; i++) cli_clear_table(c->tables + i);
    for (int i = 0; i < c->nown; i++) free(c->own[i]);
    for (int i = 0; i < c->nname; i++) free(c->names[i]);
    free(c);
    return code;
}
