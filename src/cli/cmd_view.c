// cmd_view.c - flexion view: a page that plays results.
#include "cli/cli.h"
#include "cli/serve/serve.h"
#include "cli/sweep/study_page.h"
#include "page/pages.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion view RESULT... [OPTIONS]\n"
    "       flexion view FOLDER.study [-o FILE] [--serve]\n"
    "\n"
    "Write one page of HTML that plays a result: the mechanism in three dimensions,\n"
    "plots with a cursor, the ledger and the model. It needs no network and opens\n"
    "from disk. Several results are compared, overlaid or side by side. Of a study\n"
    "folder: the table, scatter plots, parallel coordinates and what failed.\n"
    "\n"
    "  -o FILE        the page (default: the first result's name with .html, in the\n"
    "                 current folder)\n"
    "  --max-size S   largest size of the page, as 5MB; frames are left out evenly\n"
    "                 and meshes made coarser until it fits (default 10MB)\n"
    "  --mesh-points N  points of meshes at most, however large the page may be;\n"
    "                 more are drawn less smoothly (20000)\n"
    "  --serve        also serve the page to browsers of this machine, until Ctrl-C\n"
    "  --port N       port for --serve; default: any that is free\n"
    "\n"
    "Examples:\n"
    "  flexion view slider_crank.h5\n"
    "  flexion view full.h5 reduced.h5 -o compare.html --serve\n"
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

static int make_page(flx_ctx *ctx, flx_page_def *def, const cli_list *files)
{
    flx_status status = FLX_OK;
    flx_result **results = calloc((size_t)files->count, sizeof *results);
    const char **labels = calloc((size_t)files->count, sizeof *labels);
    flx_page_size size;
    int n = 0;
    if (!results || !labels) status = FLX_ERR_MEMORY;
    for (; n < files->count && status == FLX_OK; n++) {
        labels[n] = cli_named_after(files->items[n], ""); // without folder and ending
        if (!labels[n]) status = FLX_ERR_MEMORY;
        if (status == FLX_OK) status = cli_open_result(ctx, files->items[n], &results[n]);
    }
    if (status == FLX_OK) {
        def->nresult = n;
        def->results = results;
        def->labels = labels;
        status = flx_page_write(ctx, def, &size);
    }
    if (status == FLX_OK) tell(def, &size);
    for (int i = 0; i < n; i++) flx_result_close(&results[i]);
    free(results);
    free(labels);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    flx_page_def def = {0};
    const char *limit = NULL, *port_text = NULL, *points = NULL;
    bool serve = false;
    int port = 0;
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &def.path},
        {.name = "--max-size", .value = &limit},
        {.name = "--mesh-points", .value = &points},
        {.name = "--serve", .flag = &serve},
        {.name = "--port", .value = &port_text},
    };
    cli_parsed parsed = cli_parse(&cmd_view, argc, argv, 5, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if ((limit && !read_size(limit, &def.limit)) ||
        (points && !cli_read_count("view", "--mesh-points", points, &def.mesh_points)) ||
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
    int code = study ? study_page_write(ctx, rest.items[0], def.path) : make_page(ctx, &def, &rest);
    if (code == EXIT_DONE && serve && !cli_serve(ctx, def.path, port)) code = EXIT_FAILED;
    return code;
}

const cli_command cmd_view = {
    .name = "view",
    .summary = "write a page that plays results in a browser",
    .help = help_text,
    .run = run,
};
