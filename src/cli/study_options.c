// study_options.c - options, run and outcome of the commands that compare methods.
#include "cli/study_options.h"
#include "cli/plugins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_VALUES 64

typedef struct values {
    int n;
    double x[MOST_VALUES];
} values;

// ---- lists --------------------------------------------------------------------------------------

static bool complain_list(const cli_study *o, const char *option, const char *text)
{
    cli_complain(o->command->name,
                 "%s needs numbers with commas, or a range such as 1e-3..1e-8, not '%s'", option,
                 text);
    return false;
}

static bool add_value(values *v, double x)
{
    if (v->n >= MOST_VALUES || !(x > 0.0) || !isfinite(x)) return false;
    v->x[v->n++] = x;
    return true;
}

// From one number to another, by a factor.
static bool add_range(values *v, double from, double to, double factor)
{
    const double slack = 1.0 + 1e-6;
    bool down = to < from;
    for (double x = from; down ? x * slack >= to : x <= to * slack;
         x = down ? x / factor : x * factor) {
        if (!add_value(v, x)) return false;
    }
    return true;
}

// "0.1,0.05" or "1e-3..1e-10"; the factor is that of a range.
static bool read_values(const cli_study *o, const char *option, const char *text, double factor,
                        values *v)
{
    const char *p = text;
    for (; text;) {
        char *end;
        double x = strtod(p, &end), to;
        if (end == p || !(x > 0.0) || !isfinite(x)) return complain_list(o, option, text);
        if (end[-1] == '.' && *end == '.') end--; // "1..": the number took a dot of the range
        if (strncmp(end, "..", 2) == 0) {
            p = end + 2;
            to = strtod(p, &end);
            if (end == p || !(to > 0.0) || !add_range(v, x, to, factor))
                return complain_list(o, option, text);
        } else if (!add_value(v, x)) {
            return complain_list(o, option, text);
        }
        if (*end == '\0') return true;
        if (*end != ',') return complain_list(o, option, text);
        p = end + 1;
    }
    return true;
}

// ---- numbers ------------------------------------------------------------------------------------

static bool read_formulation(const cli_study *o, flx_formulation *f)
{
    static const char *const words[] = {"auto", "index-3", "ggl", "index-1"};
    static const flx_formulation values_of[] = {FLX_FORMULATION_AUTO, FLX_FORMULATION_INDEX3,
                                                FLX_FORMULATION_GGL, FLX_FORMULATION_INDEX1};
    if (!o->formulation) return true;
    for (int i = 0; i < 4; i++) {
        if (strcmp(words[i], o->formulation) != 0) continue;
        *f = values_of[i];
        return true;
    }
    const char *best = cli_nearest(o->formulation, 4, words);
    cli_complain(o->command->name, "there is no formulation '%s'; %s%s%s", o->formulation,
                 best ? "did you mean '" : "there are auto, index-3, ggl and index-1",
                 best ? best : "", best ? "'?" : "");
    return false;
}

void cli_print_failure(const flx_study *s, int row)
{
    const flx_study_row *r = flx_study_get(s, row), *before = flx_study_get(s, row - 1);
    bool again = before && before->method == r->method && strcmp(before->reason, r->reason) == 0;
    printf(" failed: %s\n", again ? "the same" : r->reason);
}

void cli_print_error(double e)
{
    if (isfinite(e)) {
        printf(" %10.2e", e);
    } else {
        printf(" %10s", "-");
    }
}

// ---- run ----------------------------------------------------------------------------------------

static int show_progress(void *user, int done, int all)
{
    return cli_progress_update(user, done, all);
}

static flx_status
report(const cli_study *o, const flx_study *s, const cli_list *methods, bool fixed,
       void (*print)(const flx_study *s, const cli_list *methods, bool fixed),
       flx_status (*draw)(const flx_study *s, const char *path, const char *title))
{
    flx_status status = FLX_OK;
    bool table_out = o->table && strcmp(o->table, "-") == 0;
    if (!o->quiet && !table_out) {
        printf("%s: relative errors against %s\n", o->model, flx_study_reference(s));
        print(s, methods, fixed);
        fflush(stdout);
    }
    if (o->table) status = flx_study_write(s, o->table);
    if (status == FLX_OK && o->picture) status = draw(s, o->picture, NULL);
    if (status == FLX_OK && o->picture && !o->quiet && !table_out)
        printf("drawn in %s\n", o->picture);
    return status;
}

// A study without a run that came to its end has failed.
static bool has_result(const flx_study *study)
{
    for (int i = 0; i < flx_study_rows(study); i++) {
        if (flx_study_get(study, i)->status == FLX_OK) return true;
    }
    return false;
}

static int run_study(flx_ctx *ctx, const cli_study *o, const flx_study_def *def,
                     const cli_list *methods,
                     void (*print)(const flx_study *s, const cli_list *methods, bool fixed),
                     flx_status (*draw)(const flx_study *s, const char *path, const char *title))
{
    flx_model *model = NULL;
    flx_study *study = NULL;
    cli_progress progress;
    bool useful = false;
    flx_status status = cli_model_read(ctx, o->model, o->settings.count, o->settings.items, &model);
    if (status == FLX_OK && o->table) status = flx_output_check(ctx, "the table", o->table);
    if (status == FLX_OK && o->picture) status = flx_output_check(ctx, "the drawing", o->picture);
    if (status == FLX_OK) {
        cli_catch_interrupt();
        cli_progress_start(&progress, o->quiet);
        status = flx_study_run(model, def, show_progress, &progress, &study);
        cli_progress_end(&progress);
    }
    if (study) {
        flx_status told = report(o, study, methods, def->nstep > 0, print, draw);
        if (status == FLX_OK) status = told;
        useful = has_result(study);
    }
    cli_print_errors(ctx);
    if (status == FLX_INTERRUPTED) cli_complain(o->command->name, "interrupted");
    flx_study_destroy(&study);
    flx_model_destroy(&model);
    if (status == FLX_OK) return useful ? EXIT_DONE : EXIT_FAILED;
    return status > 0 || status == FLX_ERR_MEMORY ? EXIT_FAILED : EXIT_WRONG;
}

// What the words of the options say.
static int run_with(flx_ctx *ctx, const cli_study *o,
                    void (*print)(const flx_study *s, const cli_list *methods, bool fixed),
                    flx_status (*draw)(const flx_study *s, const char *path, const char *title))
{
    cli_list methods = {0}, signals = {0};
    values steps = {0}, tolerances = {0};
    double repeats = 1.0, max_steps = 1e6;
    flx_study_def def = {0};
    if (!cli_split(o->methods, &methods) || !cli_split(o->signals, &signals)) return EXIT_FAILED;
    if (!read_values(o, "--steps", o->steps, 2.0, &steps) ||
        !read_values(o, "--tolerances", o->tolerances, 10.0, &tolerances) ||
        !cli_read_positive(o->command->name, "--until", o->until, &def.until) ||
        !cli_read_positive(o->command->name, "--repeats", o->repeats, &repeats) ||
        !cli_read_positive(o->command->name, "--max-steps", o->max_steps, &max_steps) ||
        !read_formulation(o, &def.formulation))
        return EXIT_WRONG;
    def.nmethod = methods.count;
    def.methods = methods.items;
    def.nstep = steps.n;
    def.steps = steps.x;
    def.ntolerance = tolerances.n;
    def.tolerances = tolerances.x;
    def.nsignal = signals.count;
    def.signals = signals.items;
    def.repeats = (int)fmin(repeats, 1000.0);
    def.max_steps = (long)fmin(max_steps, 1e15);
    if (o->reference && strcmp(o->reference, "auto") != 0) def.reference = o->reference;
    return run_study(ctx, o, &def, &methods, print, draw);
}

int cli_study_run(flx_ctx *ctx, cli_study *o, int argc, char **argv,
                  void (*print)(const flx_study *s, const cli_list *methods, bool fixed),
                  flx_status (*draw)(const flx_study *s, const char *path, const char *title))
{
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--methods", .value = &o->methods},
        {.name = "--steps", .value = &o->steps},
        {.name = "--tolerances", .value = &o->tolerances},
        {.name = "--signals", .value = &o->signals},
        {.name = "--formulation", .value = &o->formulation},
        {.name = "--reference", .value = &o->reference},
        {.name = "--output", .letter = 'o', .value = &o->picture},
        {.name = "--csv", .value = &o->table},
        {.name = "--until", .value = &o->until},
        {.name = "--repeats", .value = &o->repeats},
        {.name = "--max-steps", .value = &o->max_steps},
        {.name = "--set", .list = &o->settings},
        {.name = "--quiet", .letter = 'q', .flag = &o->quiet},
    };
    const char *name = o->command->name;
    cli_parsed parsed =
        cli_parse(o->command, argc, argv, (int)(sizeof options / sizeof *options), options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_model(o->command, &rest)) return EXIT_WRONG;
    if (!o->methods) {
        cli_complain(name, "name the methods to compare: --methods radau,dopri5");
        return EXIT_WRONG;
    }
    if (!o->steps == !o->tolerances) {
        cli_complain(name, "give either --steps or --tolerances; see 'flexion %s --help'", name);
        return EXIT_WRONG;
    }
    o->model = rest.items[0];
    return run_with(ctx, o, print, draw);
}
