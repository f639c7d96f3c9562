// analyse.c - the analyses of a model, done in the order of its file and told to a person.
#include "cli/analyse.h"
#include "cli/plugins.h"

#include "cli/show_tables.h"
#include "cli/tables/write_matrices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct analyse_options {
    const cli_analyses *how;
    const cli_list *rest; // the model, then names
    cli_list settings;
    const char *table, *result;
    const char *matrices; // kind of file; NULL: none
    flx_output *output;
    FILE *modes;               // table of eigenvalues and load factors; NULL: none
    bool eigenvalues, factors; // which of them it has
} analyse_options;

static void print_part(const flx_mode_part *p)
{
    printf("%s %s", p->item ? p->item : "?", p->part ? p->part : "");
    if (p->size < 0.995) printf(" %.2g", p->size);
}

static void print_parts(const flx_mode *m)
{
    for (int i = 0; i < m->npart; i++) {
        if (i > 0) printf(", ");
        print_part(&m->parts[i]);
    }
}

static void print_mode(int number, const flx_mode *m)
{
    char value[48];
    if (m->im > 0.0) {
        snprintf(value, sizeof value, "%.6g +- %.6gi", m->re, m->im);
    } else {
        snprintf(value, sizeof value, "%.6g", m->re);
    }
    printf("  %4d  %12.6g  %10.4g  %-28s  %8.1e  ", number, m->frequency, m->damping, value,
           m->residual);
    print_parts(m);
    printf("\n");
}

static double get_turning(const flx_finding *f)
{
    const double *w = f->turning;
    return sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
}

// Axes that turn are not the ground's, and nobody sees that in the numbers.
static void print_axes(const flx_finding *f)
{
    const double *w = f->turning;
    double rate = get_turning(f);
    if (!(rate > 0.0)) return;
    printf("  in axes that rotate with the motion, by %.6g rad/s about [%.4g, %.4g, %.4g]: what "
           "swings across\n  this axis with f in the ground's axes is at |f +- %.6g| Hz here, and "
           "what rests there at %.6g Hz\n",
           rate, w[0] / rate, w[1] / rate, w[2] / rate, rate / (2.0 * 3.14159265358979323846),
           rate / (2.0 * 3.14159265358979323846));
}

static void print_count(const flx_modes *m, bool turning)
{
    if (m->nneutral > 0) {
        printf("  neutral: %d eigenvalue%s zero (free directions and speeds%s)", m->nneutral,
               m->nneutral == 1 ? " is" : "s are", turning ? ", or what whirls with the axes" : "");
        if (m->within > 0.0) printf(", or below %.1e 1/s: rounding of the stiffness", m->within);
        printf("\n");
    }
    if (m->nhidden > 0) {
        printf("  hidden: %d more below %.1e 1/s, zero or not: rounding of the stiffness hides "
               "them\n",
               m->nhidden, m->hidden);
    }
    int listed = 0, unproven = 0;
    for (int i = 0; i < m->nmode; i++) {
        listed += m->modes[i].im > 0.0 ? 2 : 1;
        bool slow = hypot(m->modes[i].re, m->modes[i].im) <= m->within;
        unproven += slow || !(m->modes[i].residual <= FLX_MODE_PROVEN);
    }
    if (unproven > 0) {
        printf("  unproven: %d mode%s below the rounding of the stiffness, or leaving more than %g "
               "of the equations: slow, or zeros spread by rounding\n",
               unproven, unproven > 1 ? "s" : "", FLX_MODE_PROVEN);
    }
    switch (m->counted) {
    case FLX_MODES_ALL:
        printf("  counted: %d eigenvalues in all, %d of them above\n", m->total, listed);
        break;
    case FLX_MODES_BELOW:
        printf("  counted: no other mode below %.6g Hz\n", m->bound);
        break;
    default:
        printf("  not counted: the slowest that were found, of at most %d eigenvalues\n", m->total);
        break;
    }
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
               f->balanced ? "  modes about an equilibrium are found with\n" : "");
    }
    print_axes(f);
    if (f->modes.nmode > 0) {
        printf("  mode  frequency Hz     damping  %-28s  residual  moves most\n", "eigenvalue 1/s");
    }
    for (int i = 0; i < f->modes.nmode; i++) print_mode(i + 1, &f->modes.modes[i]);
    print_count(&f->modes, get_turning(f) > 0.0);
}

static void print_signals(const flx_simulation *sim, const flx_finding *f)
{
    const flx_result_info *info = flx_simulation_info(sim);
    for (int i = 0; f->signals && i < info->ncolumn; i++) {
        printf("  %-36s  %22.15g %s\n", info->names[i], f->signals[i], info->units[i]);
    }
}

static void print_rest(const flx_simulation *sim, const flx_finding *f)
{
    printf("  found in %d steps, forces in balance to %.1e; moved by %.3g of the size of the "
           "model\n",
           f->rest.iterations, f->rest.residual, f->rest.moved);
    print_signals(sim, f);
}

// What was found on the way, also by a path that failed.
static void print_path(const flx_finding *f)
{
    const flx_path_report *p = &f->path;
    if (p->steps == 0 && p->ncritical == 0) return;
    printf("  load factor %.9g after %d steps, %d rejected, %d iterations\n", p->factor, p->steps,
           p->rejected, p->iterations);
    for (int i = 0; i < p->ncritical; i++) {
        const flx_critical *c = p->critical + i;
        printf("  %-12s at the load factor %.10g: ", c->limit ? "limit point" : "bifurcation",
               c->factor);
        print_parts(&c->mode);
        printf("\n");
    }
}

static void print_buckling(const flx_buckling *b)
{
    if (b->n == 0) {
        printf(b->elsewhere > 0 ? "  the equilibrium is lost under no load factor that was found\n"
                                : "  these loads change no stiffness: nothing buckles\n");
        return;
    }
    printf("  mode          load factor  moves most\n");
    for (int i = 0; i < b->n; i++) {
        printf("  %4d  %20.12g  ", i + 1, b->factors[i]);
        print_parts(b->modes + i);
        printf("\n");
    }
}

// more: a column of load factors follows.
static void write_modes(FILE *table, const char *name, const flx_modes *m, bool more)
{
    for (int i = 0; table && i < m->nmode; i++) {
        const flx_mode *o = m->modes + i;
        fprintf(table, "%s,%d,%.17g,%.17g,%.17g,%.17g,%.3g%s\n", name, i + 1, o->re, o->im,
                o->frequency, o->damping, o->residual, more ? "," : "");
    }
}

static void write_buckling(FILE *table, const char *name, const flx_buckling *b, bool alone)
{
    for (int i = 0; table && i < b->n; i++) {
        fprintf(table, alone ? "%s,%d,%.17g\n" : "%s,%d,,,,,,%.17g\n", name, i + 1, b->factors[i]);
    }
}

static bool is_wanted(const analyse_options *o, const char *name, const char *type)
{
    const cli_list *rest = o->rest;
    const char *const *types = o->how->types;
    for (int k = 1; k < rest->count; k++) {
        if (strcmp(rest->items[k], name) == 0) return true;
    }
    if (rest->count > 1) return false;
    if (!types[0]) return true;
    return strcmp(types[0], type) == 0 || (types[1] && strcmp(types[1], type) == 0);
}

// Whether every name is one of an analysis.
static bool check_names(const flx_simulation *sim, const analyse_options *o)
{
    const cli_list *rest = o->rest;
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
        cli_complain(o->how->command->name, "the model has no analysis '%s'%s%s%s", rest->items[k],
                     best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
        return false;
    }
    return true;
}

// ---- results of paths -------------------------------------------------------------------------

// Where a path goes to: what -o says, or a file named after model and analysis.
static const char *name_result(const analyse_options *o, const char *name)
{
    if (o->result) return o->result;
    size_t n = strlen(name) + 5;
    char *ending = malloc(n);
    if (!ending) return NULL;
    snprintf(ending, n, "_%s.h5", name);
    const char *file = cli_named_after(o->rest->items[0], ending);
    free(ending);
    return file;
}

static flx_status do_path(flx_ctx *ctx, flx_simulation *sim, int i, const char *name,
                          const analyse_options *o, flx_finding *found)
{
    flx_sink *sinks[2] = {NULL, NULL};
    int nsink = 0;
    const char *file = name_result(o, name);
    flx_status status = file ? flx_hdf5_sink_create(ctx, file, &sinks[0]) : FLX_ERR_MEMORY;
    if (status == FLX_OK) nsink++;
    if (status == FLX_OK && o->table) {
        status = flx_csv_sink_create(ctx, o->table, &sinks[nsink]);
        if (status == FLX_OK) nsink++;
    }
    if (status == FLX_OK) status = flx_simulation_analyse_to(sim, i, nsink, sinks, found);
    for (int k = 0; k < nsink; k++) flx_sink_destroy(&sinks[k]);
    if (nsink > 0)
        printf("  results in %s%s%s\n", file, o->table ? ", " : "", o->table ? o->table : "");
    return status;
}

// Modes as a motion.
static flx_status do_shapes(flx_ctx *ctx, flx_simulation *sim, int i, const char *file,
                            flx_finding *found)
{
    flx_sink *sink = NULL;
    flx_status status = flx_hdf5_sink_create(ctx, file, &sink);
    if (status != FLX_OK) return status;
    status = flx_simulation_analyse_to(sim, i, 1, &sink, found);
    flx_sink_destroy(&sink);
    if (status == FLX_OK) printf("  modes as a motion in %s\n", file);
    return status;
}

// How many analyses of a type are done; NULL: of any.
static int count_wanted(const flx_simulation *sim, const analyse_options *o, const char *kind)
{
    const char *type, *about, *name;
    int n = 0;
    for (int i = 0; (name = flx_simulation_analysis(sim, i, &type, &about)) != NULL; i++) {
        n += is_wanted(o, name, type) && (!kind || strcmp(type, kind) == 0);
    }
    return n;
}

// ---- together -----------------------------------------------------------------------------------

static flx_status do_one(flx_ctx *ctx, flx_simulation *sim, int i, const char *name,
                         const char *type, const char *about, const analyse_options *o)
{
    flx_finding found = {0};
    bool path = strcmp(type, "static") == 0;
    printf("%s: %s, about: %s\n", name, type, about);
    bool shapes = o->how->shapes && o->result && strcmp(type, "modes") == 0;
    flx_status status = path && o->how->results ? do_path(ctx, sim, i, name, o, &found)
                        : shapes                ? do_shapes(ctx, sim, i, o->result, &found)
                                                : flx_simulation_analyse(sim, i, &found);
    if (path) print_path(&found);
    if (status == FLX_OK && path) {
        print_signals(sim, &found);
    } else if (status == FLX_OK && strcmp(type, "buckling") == 0) {
        print_buckling(&found.buckling);
        write_buckling(o->modes, name, &found.buckling, !o->eigenvalues);
    } else if (status == FLX_OK && strcmp(type, "modes") == 0) {
        print_modes(&found, i >= 0);
        write_modes(o->modes, name, &found.modes, o->factors);
    } else if (status == FLX_OK && strcmp(type, "equilibrium") == 0) {
        print_rest(sim, &found);
    }
    cli_show_finding(&found);
    if (status == FLX_OK) {
        const char *table = count_wanted(sim, o, type) == 1 && !o->modes ? o->table : NULL;
        status = cli_write_finding(ctx, o->rest->items[0], name, path ? NULL : table, &found);
        if (status == FLX_OK && o->matrices)
            status = cli_write_matrices(ctx, o->rest->items[0], name, o->matrices, &found);
    }
    flx_finding_clear(&found);
    return status;
}

static flx_status do_all(flx_ctx *ctx, flx_simulation *sim, const analyse_options *o)
{
    const char *type, *about, *name;
    flx_status worst = FLX_OK;
    int done = 0;
    for (int i = 0; (name = flx_simulation_analysis(sim, i, &type, &about)) != NULL; i++) {
        if (!is_wanted(o, name, type)) continue;
        flx_status status = do_one(ctx, sim, i, name, type, about, o);
        if (status != FLX_OK) worst = status;
        done++;
    }
    if (done > 0) return worst;
    return do_one(ctx, sim, -1, "modes", "modes", "start", o);
}

// With one file for all, more than one path would overwrite each other, and a file for nothing would be
// missed by nobody but the user.
static bool check_files(const flx_simulation *sim, analyse_options *o)
{
    const char *command = o->how->command->name;
    bool results = o->how->results;
    int paths = count_wanted(sim, o, "static"), modes = count_wanted(sim, o, "modes"),
        bucklings = count_wanted(sim, o, "buckling"), rests = count_wanted(sim, o, "equilibrium");
    int others =
        count_wanted(sim, o, NULL) - paths - modes - bucklings - rests; // have tables of their own
    if (paths + modes + bucklings + rests + others == 0) modes = 1;     // of the start
    o->eigenvalues = modes > 0;
    o->factors = bucklings > 0;
    if (results && paths > 1 && (o->result || o->table)) {
        cli_complain(command, "there are %d paths, and one file: name the analysis that is wanted",
                     paths);
        return false;
    }
    if (results && paths == 1 && o->table && modes + bucklings > 0) {
        cli_complain(command, "there is a path and another table, and one file for --csv: name the "
                              "analysis that is wanted");
        return false;
    }
    if (o->how->shapes && o->result && modes != 1) {
        cli_complain(command,
                     modes > 1 ? "there are %d analyses of modes, and one file: name one"
                               : "-o is for modes, and there are %d analyses of them here",
                     modes);
        return false;
    }
    if (o->result && paths == 0 && !o->how->shapes) {
        cli_complain(command, "-o is for paths, and none of these analyses is of type 'static'");
        return false;
    }
    if (o->table && others > 1) {
        cli_complain(
            command,
            "there are %d tables, and one file for --csv: name the analysis that is wanted",
            others);
        return false;
    }
    if (!o->table || modes + bucklings + others > 0 || (results && paths > 0)) return true;
    cli_complain(command, "--csv: none of these analyses gives a table%s",
                 paths > 0 ? "; that of a path is written by 'flexion static'" : "");
    return false;
}

static flx_status open_table(flx_ctx *ctx, analyse_options *o)
{
    if (!o->table || !(o->eigenvalues || o->factors)) return FLX_OK;
    flx_status status = flx_output_create(ctx, "the table", o->table, &o->output);
    if (status != FLX_OK) {
        cli_print_errors(ctx);
        return status;
    }
    o->modes = flx_output_file(o->output);
    fprintf(o->modes, "analysis,mode%s%s\n",
            o->eigenvalues ? ",re,im,frequency,damping,residual" : "", o->factors ? ",factor" : "");
    return FLX_OK;
}

static int analyse(flx_ctx *ctx, analyse_options *o)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    int code = EXIT_WRONG;
    flx_read_def def = flx_read_def_default();
    def.nset = o->settings.count;
    def.settings = o->settings.items;
    def.nopen = 0;
    def.to_load = o->how->results;
    flx_status status = cli_model_read_by(ctx, o->rest->items[0], &def, &model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(model, &sim);
    if (status != FLX_OK) {
        cli_print_warnings(ctx, 0);
        cli_print_errors(ctx);
        if (status == FLX_ERR_MEMORY) code = EXIT_FAILED;
        goto done;
    }
    if (!check_names(sim, o) || !check_files(sim, o) || open_table(ctx, o) != FLX_OK) goto done;
    status = do_all(ctx, sim, o);
    // modes that were found stay, also when another analysis failed
    flx_status written = flx_output_close(&o->output, FLX_OK);
    if (status == FLX_OK) status = written;
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

int cli_analyse(flx_ctx *ctx, const cli_analyses *how, int argc, char **argv)
{
    analyse_options o = {.how = how};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--set", .list = &o.settings},
        {.name = "--csv", .value = &o.table},
        {.name = "--matrices", .value = &o.matrices},
        {.name = "--output", .letter = 'o', .value = &o.result},
    };
    cli_parsed parsed =
        cli_parse(how->command, argc, argv, how->results || how->shapes ? 4 : 3, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (rest.count < 1) {
        cli_complain(how->command->name, "name a model file; see 'flexion %s --help'",
                     how->command->name);
        return EXIT_WRONG;
    }
    if (o.matrices && !cli_is_matrix_kind(o.matrices)) {
        cli_complain(how->command->name, "--matrices needs mat, h5 or mtx, not '%s'", o.matrices);
        return EXIT_WRONG;
    }
    if (!cli_is_result_name(how->command->name, o.result)) return EXIT_WRONG;
    o.rest = &rest;
    return analyse(ctx, &o);
}
