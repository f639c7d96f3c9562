// cmd_spectrum.c - flexion spectrum: frequencies, or orders, in signals of a result.
#include "cli/tables/draw_spectrum.h"

#include <stdlib.h>
#include <string.h>

#define MOST_ORDERS 16

static const char help_text[] =
    "Usage: flexion spectrum RESULT SIGNAL... [OPTIONS]\n"
    "\n"
    "Which frequencies are in signals of a result: peaks are told, and -o draws.\n"
    "\n"
    "  -o FILE         draw amplitudes to an .svg, .png or .pdf; --size WxH\n"
    "  --density       draw power densities instead\n"
    "  --csv FILE      write amplitude, phase and density of every line\n"
    "  --window NAME   hann (default), rectangular, hamming, blackman, flat-top\n"
    "  --segment T     average over segments this long (s; of orders: revolutions)\n"
    "  --overlap PART  of segments, default 0.5\n"
    "  --trend NAME    what is taken away: mean (default), line or none\n"
    "  --from T, --until T   of the run\n"
    "  --speed SIGNAL  orders of this rate of rotation (rad/s), not frequencies\n"
    "  --orders 1,2    amplitudes of these orders along the run, over the speed\n"
    "\n"
    "Examples:\n"
    "  flexion spectrum slider_crank.h5 slider.position.x -o spectrum.png\n"
    "  flexion spectrum run_up.h5 bearing.force.y --speed rotor.rate --orders 1,2\n"
    "\n"
    "Exit status: 0 done, 1 drawing failed, 2 the input is wrong.\n";

static bool read_window(const char *text, flx_window *out)
{
    const char *names[8], *name;
    int n = 0;
    if (!text) return true;
    for (; n < 8 && (name = flx_window_name(n)) != NULL; n++) {
        names[n] = name;
        if (strcmp(name, text) != 0) continue;
        *out = (flx_window)n;
        return true;
    }
    const char *best = cli_nearest(text, n, names);
    cli_complain("spectrum", "there is no window '%s'%s%s%s", text,
                 best ? "; did you mean '"
                      : "; there are hann, rectangular, hamming, blackman, flat-top",
                 best ? best : "", best ? "'?" : "");
    return false;
}

static bool read_trend(const char *text, flx_trend *out)
{
    static const char *const names[] = {"mean", "line", "none"};
    for (int i = 0; text && i < 3; i++) {
        if (strcmp(names[i], text) != 0) continue;
        *out = (flx_trend)i;
        return true;
    }
    if (!text) return true;
    cli_complain("spectrum", "--trend needs mean, line or none, not '%s'", text);
    return false;
}

static bool read_orders(const char *text, double *orders, int *n)
{
    cli_list list = {0};
    if (!text) return true;
    if (!cli_split(text, &list)) return false;
    if (list.count > MOST_ORDERS) {
        cli_complain("spectrum", "at most %d orders at once", MOST_ORDERS);
        return false;
    }
    for (int i = 0; i < list.count; i++) {
        if (!cli_read_positive("spectrum", "--orders", list.items[i], orders + i)) return false;
    }
    *n = list.count;
    return true;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_list rest = {0};
    cli_spectrum_options o = {.command = "spectrum",
                              .def = flx_signal_spectrum_def_default(),
                              .from = -1e300,
                              .until = 1e300};
    const char *window = NULL, *segment = NULL, *overlap = NULL, *trend = NULL, *from = NULL,
               *until = NULL, *orders = NULL, *size = NULL;
    double values[MOST_ORDERS];
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &o.drawing},
        {.name = "--size", .value = &size},
        {.name = "--density", .flag = &o.density},
        {.name = "--csv", .value = &o.table},
        {.name = "--window", .value = &window},
        {.name = "--segment", .value = &segment},
        {.name = "--overlap", .value = &overlap},
        {.name = "--trend", .value = &trend},
        {.name = "--from", .value = &from},
        {.name = "--until", .value = &until},
        {.name = "--speed", .value = &o.speed},
        {.name = "--orders", .value = &orders},
    };
    cli_parsed parsed = cli_parse(&cmd_spectrum, argc, argv, 12, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (rest.count < 2) {
        cli_complain("spectrum",
                     "name a result file and its signals; 'flexion plot RESULT' lists them");
        return EXIT_WRONG;
    }
    if (!read_window(window, &o.def.window) || !read_trend(trend, &o.def.trend) ||
        !cli_read_positive("spectrum", "--segment", segment, &o.def.segment) ||
        !cli_read_number("spectrum", "--overlap", overlap, &o.def.overlap) ||
        !cli_read_number("spectrum", "--from", from, &o.from) ||
        !cli_read_number("spectrum", "--until", until, &o.until) ||
        !read_orders(orders, values, &o.norder) ||
        !cli_read_size("spectrum", size, &o.width, &o.height))
        return EXIT_WRONG;
    if (o.norder > 0 && !o.speed) {
        cli_complain("spectrum", "--orders are those of a rotation: name its rate with --speed");
        return EXIT_WRONG;
    }
    o.orders = values;
    return cli_spectra(ctx, rest.items[0], rest.count - 1, rest.items + 1, &o);
}

const cli_command cmd_spectrum = {
    .name = "spectrum",
    .summary = "find frequencies, or orders, in signals of a result",
    .seldom = true,
    .help = help_text,
    .run = run,
};
