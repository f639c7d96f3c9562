// cmd_work_precision.c - flexion work-precision: digits against evaluations and time.
#include "cli/study_options.h"
#include "draw/drawings.h"

#include <math.h>

static const char help_text[] =
    "Usage: flexion work-precision MODEL --methods LIST --tolerances LIST [OPTIONS]\n"
    "\n"
    "Run a model by several methods with several tolerances, compare with a reference\n"
    "and print what the digits cost. The time is the shortest of several runs, taken\n"
    "in turns. A run that fails is a line with its reason.\n"
    "\n"
    "  --tolerances LIST   as 1e-3,1e-6 or 1e-3..1e-10\n"
    "  --steps LIST        instead: fixed steps, as 0.1..0.001 (halving)\n"
    "  --repeats N         timed runs of each; default 3\n"
    "  --signals LIST      compared: positions, velocities, states, multipliers, or\n"
    "                      signals of the outputs; the first is drawn\n"
    "  --formulation WORD  index-3, ggl or index-1\n"
    "  --reference FILE    a result (HDF5 or CSV); default: a tight run\n"
    "  -o FILE             draw work over digits: .svg, .png or .pdf\n"
    "  --csv FILE          write the table; - is the standard output\n"
    "  --max-steps N       longer runs fail; default 1e6\n"
    "  --until T, --set NAME=VALUE, --quiet   as in 'flexion run'\n"
    "\n"
    "Example:\n"
    "  flexion work-precision examples/pleiades.yaml --methods dop853,radau \\\n"
    "    --tolerances 1e-3..1e-10 -o pleiades.svg\n";

static void print(const flx_study *s, const cli_list *methods, bool fixed)
{
    int last = -1;
    printf("%-24s %9s %7s %8s %8s %11s %8s %10s\n", "method", fixed ? "step" : "rtol", "digits",
           "steps", "rejected", "evaluations", "factors", "time (s)");
    for (int i = 0; i < flx_study_rows(s); i++) {
        const flx_study_row *r = flx_study_get(s, i);
        const flx_statistics *w = &r->work;
        printf("%-24s %9.3g", r->method != last ? methods->items[r->method] : "", r->value);
        last = r->method;
        if (r->status != FLX_OK) {
            cli_print_failure(s, i);
            continue;
        }
        printf(" %7.2f %8ld %8ld %11ld %8ld %10.3g\n", -log10(fmax(r->at_end[0], 1e-17)), w->steps,
               w->rejected, w->residuals, w->factorisations, r->seconds);
    }
    printf("digits: of %s at the end; the reference is good to %.1f\n", flx_study_group(s, 0),
           -log10(fmax(flx_study_reference_error(s, 0), 1e-17)));
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_study o = {.command = &cmd_work_precision, .repeats = "3"};
    return cli_study_run(ctx, &o, argc, argv, print, flx_study_draw_work);
}

const cli_command cmd_work_precision = {
    .name = "work-precision",
    .summary = "compare methods: digits against evaluations and time",
    .seldom = true,
    .help = help_text,
    .run = run,
};
