// cmd_analyse.c - flexion analyse: equilibria and modes of a model.
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion analyse MODEL [ANALYSIS...] [--set NAME=VALUE]... [--csv FILE]\n"
    "\n"
    "Do the analyses of a model's block 'analyse', or those named. Of an equilibrium:\n"
    "the signals of 'outputs' at rest. Of modes: eigenvalue s of every motion\n"
    "e^(s t), its frequency |Im s|/(2 pi), its damping ratio -Re s/|s|, and the\n"
    "coordinates that move most, the largest as 1. A model without 'analyse': modes\n"
    "about its start.\n"
    "\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --csv FILE        also write the eigenvalues as a table; - is the standard\n"
    "                    output\n"
    "\n"
    "Example: a bicycle at 6 m/s\n"
    "  flexion analyse examples/bicycle.yaml weave --set v=6\n"
    "\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

typedef struct analyse_options {
    const cli_list *rest; // the model, then names
    cli_list settings;
    const char *table;
} analyse_options;

static void print_part(const flx_mode_part *p)
{
    printf("%s %s", p->item ? p->item : "?", p->part ? p->part : "");
    if (p->size < 0.995) printf(" %.2g", p->size);
}

static void print_mode(int number, const flx_mode *m)
{
    char value[48];
    if (m->im > 0.0) {
        snprintf(value, sizeof value, "%.6g +- %.6gi", m->re, m->im);
    } else {
        snprintf(value, sizeof value, "%.6g", m->re);
    }
    printf("  %4d  %12.6g  %10.4g  %-28s  ", number, m->frequency, m->damping, value);
    for (int i = 0; i < m->npart; i++) {
        if (i > 0) printf(", ");
        print_part(&m->parts[i]);
    }
    printf("\n");
}

// asked: the model has a block `analyse`.
static void print_modes(const flx_finding *f, bool asked)
{
    if (!f->steady) {
        printf("  the motion is not steady: eigenvalues of the equations as they are at this "
               "instant\n");
    }
    if (!f->balanced) {
        printf("  forces are not in balance here: find an equilibrium first, and give it as "
               "'about'%s\n",
               asked ? "" : ":");
    }
    if (!asked && !(f->steady && f->balanced)) {
        printf("%s    analyse: {rest: {type: equilibrium}, swing: {type: modes, about: rest}}\n",
               f->balanced ? "  modes about a position of rest are found with\n" : "");
    }
    if (f->modes.nmode > 0) {
        printf("  mode  frequency Hz     damping  %-28s  moves most\n", "eigenvalue 1/s");
    }
    for (int i = 0; i < f->modes.nmode; i++) print_mode(i + 1, &f->modes.modes[i]);
    if (f->modes.nneutral > 0) {
        printf("  neutral: %d eigenvalues are zero (free directions and speeds)\n",
               f->modes.nneutral);
    }
}

static void print_rest(const flx_simulation *sim, const flx_finding *f)
{
    const flx_result_info *info = flx_simulation_info(sim);
    printf("  found in %d steps, forces in balance to %.1e; moved by %.3g of the size of the "
           "model\n",
           f->rest.iterations, f->rest.residual, f->rest.moved);
    for (int i = 0; i < info->ncolumn; i++) {
        printf("  %-36s  %22.15g %s\n", info->names[i], f->signals[i], info->units[i]);
    }
}

static void write_modes(FILE *table, const char *name, const flx_modes *m)
{
    for (int i = 0; table && i < m->nmode; i++) {
        const flx_mode *o = m->modes + i;
        fprintf(table, "%s,%d,%.17g,%.17g,%.17g,%.17g\n", name, i + 1, o->re, o->im, o->frequency,
                o->damping);
    }
}

static bool is_wanted(const cli_list *rest, const char *name)
{
    for (int k = 1; k < rest->count; k++) {
        if (strcmp(rest->items[k], name) == 0) return true;
    }
    return rest->count == 1;
}

// Whether every name is one of an analysis.
static bool check_names(const flx_simulation *sim, const cli_list *rest)
{
    const char *type, *about, *name;
    for (int k = 1; k < rest->count; k++) {
        const char *known[64];
        int n = 0;
        bool found = false;
        for (; n < 64 && (name = flx_simulation_analysis(sim, n, &type, &about)) != NULL; n++) {
            known[n] = name;
            found = found || strcmp(name, rest->items[k]) == 0;
        }
        if (found) continue;
        const char *best = cli_nearest(rest->items[k], n, known);
        cli_complain("analyse", "the model has no analysis '%s'%s%s%s", rest->items[k],
                     best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
        return false;
    }
    return true;
}

static flx_status do_one(flx_simulation *sim, int i, const char *name, const char *type,
                         const char *about, FILE *table)
{
    flx_finding found;
    printf("%s: %s, about: %s\n", name, type, about);
    flx_status status = flx_simulation_analyse(sim, i, &found);
    if (status == FLX_OK && strcmp(type, "modes") == 0) {
        print_modes(&found, i >= 0);
        write_modes(table, name, &found.modes);
    } else if (status == FLX_OK) {
        print_rest(sim, &found);
    }
    flx_modes_clear(&found.modes);
    return status;
}

static flx_status do_all(flx_simulation *sim, const cli_list *rest, FILE *table)
{
    const char *type, *about, *name;
    flx_status worst = FLX_OK;
    for (int i = 0; (name = flx_simulation_analysis(sim, i, &type, &about)) != NULL; i++) {
        if (!is_wanted(rest, name)) continue;
        flx_status status = do_one(sim, i, name, type, about, table);
        if (status != FLX_OK) worst = status;
    }
    if (flx_simulation_analysis(sim, 0, &type, &about)) return worst;
    return do_one(sim, -1, "modes", "modes", "start", table);
}

static int analyse(flx_ctx *ctx, const analyse_options *o)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    FILE *table = NULL;
    int code = EXIT_WRONG;
    flx_status status =
        flx_model_read(ctx, o->rest->items[0], o->settings.count, o->settings.items, &model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    if (status != FLX_OK) {
        cli_print_warnings(ctx, 0);
        cli_print_errors(ctx);
        if (status == FLX_ERR_MEMORY) code = EXIT_FAILED;
        goto done;
    }
    if (!check_names(sim, o->rest)) goto done;
    bool to_stdout = o->table && strcmp(o->table, "-") == 0;
    if (o->table) table = to_stdout ? stdout : fopen(o->table, "w");
    if (o->table && !table) {
        cli_complain("analyse", "cannot write '%s'", o->table);
        goto done;
    }
    if (table) fputs("analysis,mode,re,im,frequency,damping\n", table);
    status = do_all(sim, o->rest, table);
    if (table && !to_stdout && fclose(table) != 0 && status == FLX_OK) {
        cli_complain("analyse", "cannot write '%s'", o->table);
        status = FLX_ERR_IO;
    }
    fflush(stdout);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    bool wrong = status == FLX_ERR_MODEL || status == FLX_ERR_CANNOT;
    code = status == FLX_OK ? EXIT_DONE : wrong ? EXIT_WRONG : EXIT_FAILED;

done:
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    return code;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    analyse_options o = {0};
    cli_list rest = {0};
    int code = EXIT_WRONG;
    const cli_option options[] = {
        {.name = "--set", .list = &o.settings},
        {.name = "--csv", .value = &o.table},
    };
    rest.items = calloc((size_t)argc, sizeof *rest.items);
    o.settings.items = calloc((size_t)argc, sizeof *o.settings.items);
    if (!rest.items || !o.settings.items) goto done;
    cli_parsed parsed = cli_parse(&cmd_analyse, argc, argv, 2, options, &rest);
    if (parsed == CLI_DONE) code = EXIT_DONE;
    if (parsed != CLI_GO) goto done;
    if (rest.count < 1) {
        cli_complain("analyse", "name a model file; see 'flexion analyse --help'");
        goto done;
    }
    o.rest = &rest;
    code = analyse(ctx, &o);

done:
    free(rest.items);
    free(o.settings.items);
    return code;
}

const cli_command cmd_analyse = {
    .name = "analyse",
    .summary = "find equilibria and modes of a model",
    .help = help_text,
    .run = run,
};
