// cmd_view.c - flexion view: a page that plays results.
#include "cli/cli.h"
#include "cli/serve/serve.h"
#include "cli/sweep/study_page.h"
#include "cli/sweep/study_play.h"
#include "cli/tables/read_table.h"
#include "page/pages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion view RESULT... [TABLE.csv...] [OPTIONS]\n"
    "       flexion view FOLDER.study [-o FILE] [--play N] [--serve]\n"
    "\n"
    "Write one page of HTML that plays a result, with plots, ledger and model; it\n"
    "needs no network and opens from disk. Several results are compared. Of a study\n"
    "folder: the table, scatter plots, parallel coordinates, what failed, and runs to\n"
    "click at: pages of some that --play N makes beside it, of all with --serve.\n"
    "Tables that 'flexion analyse' writes (MODEL_NAME.csv) become diagrams: Bode,\n"
    "Nyquist and Nichols, poles and zeros, root loci, Campbell, steps and impulses.\n"
    "\n"
    "  -o FILE        the page (default: the first result's name with .html, in the\n"
    "                 current folder)\n"
    "  --max-size S   largest size of the page, as 5MB; frames are left out evenly\n"
    "                 and meshes made coarser until it fits (default 10MB)\n"
    "  --mesh-points N  points of meshes at most; more are drawn coarser (20000)\n"
    "  --serve        also serve the page to browsers of this machine, until Ctrl-C\n"
    "  --port N       port for --serve; default: any that is free\n"
    "\n"
    "Examples:\n"
    "  flexion view slider_crank.h5\n"
    "  flexion view full.h5 reduced.h5 -o compare.html --serve\n"
    "  flexion view slider_crank_torque_*.csv -o diagrams.html\n"
    "\n"
    "Exit status: 0 done, 1 the page could not be made, 2 the input is wrong.\n";

static bool read_size(const char *text, size_t *bytes)
{
    static const struct {
        const char *unit;
        double factor;
    } units[] = {{"", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}};
    char *end;
    double x = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(end, units[i].unit) != 0 || end == text) continue;
        if (!(x * units[i].factor >= 1 && x * units[i].factor <= 1e10)) break;
        *bytes = (size_t)(x * units[i].factor);
        return true;
    }
    cli_complain("view", "--max-size needs a size, as 5MB or 800kB, not '%s'", text);
    return false;
}

static bool read_port(const char *text, int *port)
{
    char *end;
    long n = strtol(text, &end, 10);
    if (*text && !*end && n >= 1 && n <= 65535) {
        *port = (int)n;
        return true;
    }
    cli_complain("view", "--port needs a number from 1 to 65535, not '%s'", text);
    return false;
}

static void tell(const flx_page_def *def, const flx_page_size *size)
{
    printf("%s  %.2g MB\n", def->path, (double)size->bytes / 1e6);
    if (size->frames > 0 && size->frames < size->rows) {
        printf("%d of %d rows are in the page as frames; --max-size allows more\n", size->frames,
               size->rows);
    }
    if (size->signal_rows < size->rows) {
        printf("%d of %d rows are in the page's plots\n", size->signal_rows, size->rows);
    }
    if (size->kept < size->points) {
        printf("meshes are drawn with %ld of %ld points; --mesh-points and --max-size allow more\n",
               size->kept, size->points);
    }
}

// Whether a file is a table of an analysis, not a result: its first column is not the time, or it is a response over
// time or a fit.
static bool is_table(const char *path)
{
    static const char *const endings[] = {"_step.csv", "_impulse.csv", "_fit.csv"};
    size_t n = strlen(path);
    char head[4] = "";
    if (n < 4 || strcmp(path + n - 4, ".csv") != 0) return false;
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t m = strlen(endings[i]);
        if (n > m && strcmp(path + n - m, endings[i]) == 0) return true;
    }
    FILE *f = fopen(path, "r");
    bool good = f && fgets(head, sizeof head, f) != NULL;
    if (f) fclose(f);
    return good && !(head[0] == 't' && (head[1] == ',' || head[1] == '\n' || head[1] == '\r'));
}

typedef struct contents {
    int nresult, ntable;
    flx_result **results;
    const char **labels;
    cli_table *read; // what the tables of the page are made of
    flx_page_table *tables;
} contents;

static bool take_table(const char *path, contents *c)
{
    cli_table *t = c->read + c->ntable;
    if (!cli_read_table("view", path, t)) return false;
    c->tables[c->ntable++] = (flx_page_table){.name = cli_named_after(path, ""),
                                              .nrow = t->nrow,
                                              .ncolumn = t->ncolumn,
                                              .columns = (const char *const *)t->names,
                                              .values = t->values};
    return c->tables[c->ntable - 1].name != NULL;
}

// Results and tables, as they are named.
static flx_status take_files(flx_ctx *ctx, const cli_list *files, contents *c)
{
    for (int i = 0; i < files->count; i++) {
        if (is_table(files->items[i])) {
            if (!take_table(files->items[i], c)) return FLX_ERR_ARGUMENT;
            continue;
        }
        c->labels[c->nresult] = cli_named_after(files->items[i], ""); // without folder and ending
        if (!c->labels[c->nresult]) return FLX_ERR_MEMORY;
        flx_status status = cli_open_result(ctx, files->items[i], &c->results[c->nresult]);
        if (status != FLX_OK) return status;
        c->nresult++;
    }
    return FLX_OK;
}

static int make_page(flx_ctx *ctx, flx_page_def *def, const cli_list *files)
{
    size_t n = (size_t)files->count;
    contents c = {.results = calloc(n, sizeof(flx_result *)),
                  .labels = calloc(n, sizeof(const char *)),
                  .read = calloc(n, sizeof(cli_table)),
                  .tables = calloc(n, sizeof(flx_page_table))};
    flx_page_size size;
    flx_status status = c.results && c.labels && c.read && c.tables ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = take_files(ctx, files, &c);
    if (status == FLX_OK) {
        def->nresult = c.nresult;
        def->results = c.results;
        def->labels = c.labels;
        def->ntable = c.ntable;
        def->tables = c.tables;
        status = flx_page_write(ctx, def, &size);
    }
    if (status == FLX_OK) tell(def, &size);
    for (int i = 0; i < c.nresult; i++) flx_result_close(&c.results[i]);
    for (int i = 0; i < c.ntable; i++) cli_clear_table(&c.read[i]);
    free(c.results);
    free(c.labels);
    free(c.read);
    free(c.tables);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    flx_page_def def = {0};
    const char *limit = NULL, *port_text = NULL, *points = NULL, *play_text = NULL;
    bool serve = false;
    int port = 0, play = 0;
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &def.path},
        {.name = "--max-size", .value = &limit},
        {.name = "--mesh-points", .value = &points},
        {.name = "--serve", .flag = &serve},
        {.name = "--port", .value = &port_text},
        {.name = "--play", .value = &play_text},
    };
    cli_parsed parsed = cli_parse(&cmd_view, argc, argv, 6, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if ((limit && !read_size(limit, &def.limit)) ||
        (points && !cli_read_count("view", "--mesh-points", points, &def.mesh_points)) ||
        (play_text && !cli_read_count("view", "--play", play_text, &play)) ||
        (port_text && !read_port(port_text, &port))) {
        return EXIT_WRONG;
    }
    if (rest.count == 0) {
        cli_complain("view", "name a result file; see 'flexion view --help'");
        return EXIT_WRONG;
    }
    if (!def.path) def.path = cli_named_after(rest.items[0], ".html");
    if (!def.path) return EXIT_FAILED;
    bool study = rest.count == 1 && study_page_is_folder(rest.items[0]);
    if (study && (limit || points)) {
        cli_complain("view",
                     "a study has no meshes or frames: leave out --max-size and --mesh-points");
        return EXIT_WRONG;
    }
    if (play_text && !study) {
        cli_complain("view",
                     "--play makes pages of the runs of a study; a result is played anyway");
        return EXIT_WRONG;
    }
    study_play shown = {.folder = rest.items[0], .page = def.path, .most = play};
    int code = study ? study_page_write(ctx, &shown) : make_page(ctx, &def, &rest);
    if (code == EXIT_DONE && serve &&
        !cli_serve(ctx, def.path, port, study ? study_play_serve : NULL, &shown))
        code = EXIT_FAILED;
    study_play_end(&shown);
    return code;
}

const cli_command cmd_view = {
    .name = "view",
    .summary = "write a page that plays results in a browser",
    .help = help_text,
    .run = run,
};
