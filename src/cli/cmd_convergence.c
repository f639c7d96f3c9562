// cmd_convergence.c - flexion convergence: errors over steps or tolerances, and observed orders.
#include "cli/study_options.h"
#include "draw/drawings.h"

#include <math.h>

static const char help_text[] =
    "Usage: flexion convergence MODEL --methods LIST --steps LIST [OPTIONS]\n"
    "\n"
    "Run a model by several methods with several steps, compare with a reference and\n"
    "print the errors with the orders observed. A run that fails is a line with its\n"
    "reason. Options of a method stand in brackets: 'radau(stages=5),dopri5'.\n"
    "\n"
    "  --steps LIST        as 0.1,0.05,0.025 or 0.1..0.001 (halving)\n"
    "  --tolerances LIST   instead: error control, as 1e-3,1e-6 or 1e-3..1e-10\n"
    "  --signals LIST      compared one by one: positions, velocities, states,\n"
    "                      multipliers, or signals of the outputs\n"
    "  --formulation WORD  index-3, ggl or index-1\n"
    "  --reference FILE    a result (HDF5 or CSV); default: a tight run\n"
    "  -o FILE             draw the errors: .svg, .png or .pdf\n"
    "  --csv FILE          write the table; - is the standard output\n"
    "  --max-steps N       longer runs fail; default 1e6\n"
    "  --until T, --set NAME=VALUE, --quiet   as in 'flexion run'\n"
    "\n"
    "Example:\n"
    "  flexion convergence examples/pendulum.yaml --methods radau,generalized-alpha \\\n"
    "    --steps 0.04..0.005 --signals positions,multipliers -o orders.svg\n";

static void print_head(const flx_study *s, bool fixed)
{
    int ngroup = flx_study_groups(s);
    printf("%-24s %9s %8s", "", "", "");
    for (int k = 0; k < ngroup; k++) printf(" %21.21s", flx_study_group(s, k));
    printf("\n%-24s %9s %8s", "method", fixed ? "step" : "rtol", "steps");
    for (int k = 0; k < ngroup; k++) printf(" %10s %10s", "at end", "largest");
    printf("\n");
}

static void print_orders(const flx_study *s, int method, bool fixed)
{
    printf("%-24s %9s %8s", "", fixed ? "order" : "slope", "");
    for (int k = 0; k < flx_study_groups(s); k++) {
        for (int largest = 0; largest < 2; largest++) {
            double order = flx_study_order(s, method, k, largest);
            if (isfinite(order)) {
                printf(" %10.2f", order);
            } else {
                printf(" %10s", "-");
            }
        }
    }
    printf("\n");
}

static void print(const flx_study *s, const cli_list *methods, bool fixed)
{
    int last = -1, ngroup = flx_study_groups(s);
    print_head(s, fixed);
    for (int i = 0; i < flx_study_rows(s); i++) {
        const flx_study_row *r = flx_study_get(s, i);
        if (last >= 0 && r->method != last) print_orders(s, last, fixed);
        printf("%-24s %9.3g", r->method != last ? methods->items[r->method] : "", r->value);
        last = r->method;
        if (r->status != FLX_OK) {
            cli_print_failure(s, i);
            continue;
        }
        printf(" %8ld", r->work.steps);
        for (int k = 0; k < ngroup; k++) {
            cli_print_error(r->at_end[k]);
            cli_print_error(r->largest[k]);
        }
        printf("\n");
    }
    if (last >= 0) print_orders(s, last, fixed);
    printf("%-24s %9s %8s", "good to", "", "");
    for (int k = 0; k < ngroup; k++) printf(" %10s %10.1e", "", flx_study_reference_error(s, k));
    printf("\n");
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    cli_study o = {.command = &cmd_convergence};
    return cli_study_run(ctx, &o, argc, argv, print, flx_study_draw_convergence);
}

const cli_command cmd_convergence = {
    .name = "convergence",
    .summary = "compare methods: errors over steps, observed orders",
    .seldom = true,
    .help = help_text,
    .run = run,
};
