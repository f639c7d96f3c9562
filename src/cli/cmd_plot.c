// cmd_plot.c - flexion plot: draw signals of a result.
#include "cli/cli.h"
#include "cli/tables/draw_spectrum.h"
#include "cli/tables/plot_tables.h"
#include "draw/drawings.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion plot RESULT SIGNAL... [OPTIONS]\n"
    "\n"
    "Draw signals of a result (HDF5, or a CSV table) against time or another\n"
    "signal, SIGNAL:UNIT in another unit: deg, rpm, MPa ... crank.position draws x, y\n"
    "and z, pin all of pin(1), ... Without SIGNAL they are listed.\n"
    "\n"
    "  -o FILE      the drawing, by its ending: .svg, or by gnuplot .png, .pdf\n"
    "               (default: the result's name with .svg, in the current folder)\n"
    "  --x SIGNAL   what the x axis shows; default t\n"
    "  --log AXES   logarithmic: x, y or xy; what is not positive is left out\n"
    "  --size WxH   width and height in pixels\n"
    "  --spectrum   amplitudes over frequency; 'flexion spectrum' has more of it\n"
    "\n"
    "Tables that 'flexion analyse' writes (MODEL_NAME.csv) are drawn with one of\n"
    "  --bode, --nyquist, --nichols   of a frequency response\n"
    "  --poles, --locus               of poles, over a gain too; and of zeros\n"
    "  --step, --impulse              of a linear model, over the time\n"
    "  --campbell                     of a rotor; --orders 1,2 draws rays\n"
    "  --fit                          of 'flexion optimise', with residuals\n"
    "\n"
    "Example: a position, and a rate in revolutions per minute\n"
    "  flexion plot slider_crank.h5 slider.position crank.rate:rpm -o crank.png\n"
    "\n"
    "Exit status: 0 done, 1 drawing failed, 2 the input is wrong.\n";

static bool read_axes(const char *text, flx_plot_def *def)
{
    def->log_x = strchr(text, 'x') != NULL;
    def->log_y = strchr(text, 'y') != NULL;
    if (text[0] && strspn(text, "xy") == strlen(text)) return true;
    cli_complain("plot", "--log needs x, y or xy, not '%s'", text);
    return false;
}

static void list_signals(const flx_result *r)
{
    for (int c = 0; c < flx_result_columns(r); c++) {
        const char *unit = flx_result_unit(r, c);
        printf("%s%s%s\n", flx_result_name(r, c), unit[0] ? "  " : "", unit);
    }
}

static int draw(flx_ctx *ctx, const char *path, const flx_plot_def *def)
{
    flx_result *r = NULL;
    flx_status status = cli_open_result(ctx, path, &r);
    if (status == FLX_OK && def->nsignal == 0) {
        list_signals(r);
    } else if (status == FLX_OK) {
        status = flx_plot_write(r, def);
        int rows = flx_result_rows(r);
        if (rows > 0 && !flx_result_complete(r)) {
            fprintf(stderr, "flexion plot: the run was cut off at t = %.6g\n",
                    flx_result_column(r, 0)[rows - 1]);
        }
        if (status == FLX_OK) printf("%s\n", def->path);
    }
    flx_result_close(&r);
    cli_print_errors(ctx);
    return cli_exit_of(status);
}

static int draw_spectrum(flx_ctx *ctx, const cli_list *rest, const flx_plot_def *def)
{
    const cli_spectrum_options o = {.command = "plot",
                                    .def = flx_signal_spectrum_def_default(),
                                    .from = -1e300,
                                    .until = 1e300,
                                    .drawing = def->path ? def->path
                                                         : cli_named_after(rest->items[0], ".svg"),
                                    .width = def->width,
                                    .height = def->height,
                                    .quiet = true};
    return o.drawing ? cli_spectra(ctx, rest->items[0], rest->count - 1, rest->items + 1, &o)
                     : EXIT_FAILED;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    flx_plot_def def = {0};
    const char *size = NULL, *axes = NULL, *orders = NULL;
    bool tables[CLI_PLOT_FIT + 1] = {false};
    cli_table_plot kind = CLI_PLOT_SIGNALS;
    bool spectrum = false;
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &def.path},
        {.name = "--x", .letter = 'x', .value = &def.x},
        {.name = "--log", .value = &axes},
        {.name = "--size", .value = &size},
        {.name = "--bode", .flag = &tables[CLI_PLOT_BODE]},
        {.name = "--nyquist", .flag = &tables[CLI_PLOT_NYQUIST]},
        {.name = "--nichols", .flag = &tables[CLI_PLOT_NICHOLS]},
        {.name = "--poles", .flag = &tables[CLI_PLOT_POLES]},
        {.name = "--campbell", .flag = &tables[CLI_PLOT_CAMPBELL]},
        {.name = "--locus", .flag = &tables[CLI_PLOT_LOCUS]},
        {.name = "--step", .flag = &tables[CLI_PLOT_STEP]},
        {.name = "--impulse", .flag = &tables[CLI_PLOT_IMPULSE]},
        {.name = "--fit", .flag = &tables[CLI_PLOT_FIT]},
        {.name = "--orders", .value = &orders},
        {.name = "--spectrum", .flag = &spectrum},
    };
    cli_parsed parsed = cli_parse(&cmd_plot, argc, argv, 15, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_read_size("plot", size, &def.width, &def.height) || (axes && !read_axes(axes, &def)))
        return EXIT_WRONG;
    if (rest.count == 0) {
        cli_complain("plot", "name a result file; see 'flexion plot --help'");
        return EXIT_WRONG;
    }
    for (int k = 0; k <= CLI_PLOT_FIT; k++) {
        if (!tables[k]) continue;
        if (kind != CLI_PLOT_SIGNALS) {
            cli_complain("plot", "one drawing has one of --bode, --nyquist, --nichols, --poles, "
                                 "--campbell, --locus, --step, --impulse, --fit");
            return EXIT_WRONG;
        }
        kind = (cli_table_plot)k;
    }
    if (kind != CLI_PLOT_SIGNALS) {
        if (!def.path) def.path = cli_named_after(rest.items[0], ".svg");
        if (!def.path) return EXIT_FAILED;
        return cli_plot_tables(ctx, kind, rest.count, rest.items, orders, &def);
    }
    if (spectrum && rest.count > 1) return draw_spectrum(ctx, &rest, &def);
    def.nsignal = rest.count - 1;
    def.signals = rest.items + 1;
    if (!def.path) def.path = cli_named_after(rest.items[0], ".svg");
    return def.path ? draw(ctx, rest.items[0], &def) : EXIT_FAILED;
}

const cli_command cmd_plot = {
    .name = "plot",
    .summary = "draw signals of a result as SVG, PNG or PDF",
    .help = help_text,
    .run = run,
};
