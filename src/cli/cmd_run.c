// cmd_run.c - flexion run: simulate a model, write its results, end with the ledger.
#include "cli/cli.h"
#include "cli/fmu/fmu_host.h"
#include "cli/plugins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion run MODEL [OPTIONS]\n"
    "       flexion run --resume RESULT [OPTIONS]\n"
    "Simulate a model. The results go to an HDF5 file named after the model, in the\n"
    "current folder. The run ends with its ledger: work, energy balance, constraint\n"
    "residuals. An interrupt (Ctrl-C) keeps what was computed. See man flexion.\n"
    "  -o FILE           write the results to FILE\n"
    "  --csv FILE        also write a table, one column per signal; - is the output\n"
    "  --set NAME=VALUE  override a parameter, or a key as in simulate.method=radau\n"
    "  --input NAME=FILE let an input follow a table of times and values, linear\n"
    "                    between rows; may be repeated\n"
    "  --until T         stop at time T instead of the model's\n"
    "  --from RESULT@T   begin in the state that a result holds at time T (its last\n"
    "                    state without @T); parameters may differ\n"
    "  --states          keep the whole state at every row, so that --from finds it\n"
    "  --checkpoint S    every S seconds keep how far the run has come, beside the\n"
    "                    result: RESULT.checkpoint and RESULT.rows\n"
    "  --resume RESULT   go on with a run that was cut off, from its last checkpoint\n"
    "  --trust           run the FMUs of the model, which are programs of others\n"
    "  --quiet           say nothing but errors\n"
    "Example: a slider crank with a longer crank, as table and drawing\n"
    "  flexion run examples/slider_crank.yaml --set r=0.1 --csv crank.csv\n"
    "  flexion plot slider_crank.h5 slider.position\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

typedef struct run_options {
    const char *model, *result, *table, *until, *checkpoint, *resume, *start;
    flx_checkpoint *from; // owned; NULL: the run begins
    flx_result *origin; // owned: begun from; open until the end, so that nothing is written onto it
    bool quiet, states, trust;
    int sweeps; // runs that the model asks for besides this one
    cli_list settings, inputs;
} run_options;

// ---- the ledger ------------------------------------------------------------------------------

static void print_count(FILE *f, const char *name, long value)
{
    fprintf(f, "  %-22s%12ld\n", name, value);
}

static void print_number(FILE *f, const char *name, double value, const char *format)
{
    char text[32];
    snprintf(text, sizeof text, format, value);
    fprintf(f, "  %-22s%12s", name, text);
}

static void print_work(FILE *f, const flx_ledger *l)
{
    const flx_statistics *w = &l->work;
    fprintf(f, "  %-22s%12ld", "steps", w->steps);
    if (w->governed_by && w->instants > w->steps / 4) {
        fprintf(f, "  %ld of them end where a condition or table changes, most in '%s'",
                w->instants, w->governed_by);
    }
    fputc('\n', f);
    print_count(f, "rejected", w->rejected);
    print_count(f, "evaluations", w->residuals);
    print_count(f, "factorisations", w->factorisations);
    if (w->newton_iterations > 0) print_count(f, "Newton iterations", w->newton_iterations);
    if (w->projections > 0) print_count(f, "projections", w->projections);
    if (w->singular_positions > 0) print_count(f, "singular positions", w->singular_positions);
    if (w->impacts > 0) print_count(f, "impacts", w->impacts);
    if (w->law_residual > 0.0) {
        print_number(f, "law of contacts", w->law_residual, "%.1e");
        fprintf(f, "  missed in %ld solutions, overlap %.1e m\n", w->law_missed, w->overlap);
    }
    print_number(f, "time", l->seconds, "%.3g s");
    if (w->steps > 0) fprintf(f, "  %.3g us per step", 1e6 * l->seconds / (double)w->steps);
    if (w->steps > 0 && w->smallest_step < 0.99 * w->largest_step)
        fprintf(f, ", steps of %.2e to %.2e s", w->smallest_step, w->largest_step);
    fputc('\n', f);
}

static void print_residual(FILE *f, const char *name, double value, const char *item)
{
    print_number(f, name, value, "%.2e");
    if (item) fprintf(f, "  largest at '%s'", item);
    fputc('\n', f);
}

static void print_energy(FILE *f, const flx_ledger *l)
{
    if (!isfinite(l->energy_start) && !(l->energy_drift > 0.0)) return; // it has none
    print_number(f, "energy drift", l->energy_drift, "%.2e");
    fprintf(f, "  from %.6g J to %.6g J", l->energy_start, l->energy_end);
    if (l->dissipated != 0.0) fprintf(f, ", dissipated %.4g J", l->dissipated);
    if (l->lost_in_impacts != 0.0) fprintf(f, ", lost in impacts %.4g J", l->lost_in_impacts);
    if (l->supplied != 0.0) fprintf(f, ", supplied %.4g J", l->supplied);
    fputc('\n', f);
}

static void print_particles(FILE *f, const flx_ledger *l)
{
    if (l->particle_steps == 0) return;
    fprintf(f, "  %-22s%12ld  %ld steps of their own\n", "particles", l->particles,
            l->particle_steps);
    print_number(f, "  energy", l->particle_energy_end, "%.6g J");
    fprintf(f, "  at first %.6g J, by walls %.4g J, dissipated %.4g J\n", l->particle_energy_start,
            l->particle_supplied, l->particle_dissipated);
    print_number(f, "  defect of exchanges", l->particle_defect, "%.2e J");
    fputc('\n', f);
    print_number(f, "  deepest overlap", l->particle_overlap, "%.2g");
    fprintf(f, "  of a radius\n");
}

static void print_momentum(FILE *f, const flx_ledger *l)
{
    const double *m = l->momentum_change;
    double linear = sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2]);
    double angular = sqrt(m[3] * m[3] + m[4] * m[4] + m[5] * m[5]);
    if (!isfinite(linear + angular)) return;
    print_number(f, "momentum change", linear, "%.2e");
    fprintf(f, "  angular %.2e\n", angular);
}

static void print_events(FILE *f, const flx_simulation *sim)
{
    const char *name, *by = flx_simulation_ledger(sim)->stopped_by;
    long count;
    double last;
    for (int i = 0; (name = flx_simulation_event(sim, i, &count, &last)) != NULL; i++) {
        char label[64];
        snprintf(label, sizeof label, "event %s", name);
        fprintf(f, "  %-22s%12ld", label, count);
        if (count > 0) fprintf(f, "  last at t = %.9g", last);
        fputs(by == name ? ", which ended the run\n" : "\n", f);
    }
}

// What has lost its inertia, and why `auto` says so.
static void print_reduction(FILE *f, const flx_simulation *sim)
{
    const char *name, *reason = flx_simulation_reduction(sim);
    for (int i = 0; (name = flx_simulation_reduced(sim, i)) != NULL; i++)
        fprintf(f, "  %-22s%12s%s%s\n", i == 0 ? "without inertia" : "", "", "  ", name);
    if (reason) fprintf(f, "  %-22s%12s  %s\n", "reduce: auto", "", reason);
}

static void print_ledger(FILE *f, const flx_simulation *sim)
{
    const flx_ledger *l = flx_simulation_ledger(sim);
    const flx_summary *s = flx_simulation_summary(sim);
    const flx_result_info *info = flx_simulation_info(sim);
    double value;
    if (info->title && info->title[0]) fprintf(f, "%s\n", info->title);
    fprintf(f, "  %-22s%12.6g  by %s, %s%s%s\n", "reached t", l->t, info->method,
            strcmp(info->formulation, "auto") == 0 ? "" : info->formulation,
            strcmp(info->formulation, "auto") == 0 ? "" : ", ", info->settings);
    if (info->reason) fprintf(f, "  %-22s%12s  %s\n", "", "", info->reason);
    print_reduction(f, sim);
    print_work(f, l);
    print_energy(f, l);
    if (l->step_error > 0.0)
        fprintf(f, "  %-22s%12.2e  of its move\n", "error of a step", l->step_error);
    print_momentum(f, l);
    print_particles(f, l);
    if (s->constraints > 0) {
        print_residual(f, "constraint residual", l->position_residual, l->position_item);
        print_residual(f, "  of velocities", l->velocity_residual, l->velocity_item);
    }
    if (s->redundant > 0) {
        print_residual(f, "  of redundant constraints", l->dropped_residual, NULL);
        for (int i = 0; i < s->redundant && flx_simulation_redundant(sim, i); i++)
            fprintf(f, "    left out: %s\n", flx_simulation_redundant(sim, i));
    }
    for (int i = 0; i < flx_simulation_metric_count(sim); i++) {
        const char *name = flx_simulation_metric(sim, i, &value);
        fprintf(f, "  %-22s%12.6g\n", name, value);
    }
    print_events(f, sim);
    if (l->status == FLX_OK && !l->balanced) {
        fprintf(f, "  %-22s%12s  energy or residuals are off: see above\n", "LEDGER", "FAILED");
    }
    if (l->allocations_in_loop > 0)
        print_count(f, "allocations in the loop", l->allocations_in_loop);
}

// ---- the run ---------------------------------------------------------------------------------

static void print_outcome(flx_ctx *ctx, const run_options *o, const flx_simulation *sim,
                          flx_status status)
{
    const flx_ledger *l = flx_simulation_ledger(sim);
    FILE *f = o->table && strcmp(o->table, "-") == 0 ? stderr : stdout;
    if (status < 0 && l->work.steps == 0) { // nothing was computed
        cli_print_errors(ctx);
        return;
    }
    if (!o->quiet) {
        print_ledger(f, sim);
        bool both = o->table && f == stdout && o->table != o->result;
        fprintf(f, "  results in %s%s%s\n", o->result, both ? ", " : "", both ? o->table : "");
        fflush(f);
    }
    if (!o->quiet && o->sweeps > 0) {
        fprintf(f, "  the model has a sweep of %d runs: 'flexion sweep' does them\n", o->sweeps);
    }
    cli_print_errors(ctx);
    if (status == FLX_INTERRUPTED) {
        cli_complain("run", "interrupted at t = %.6g; what was computed is in %s", l->t, o->result);
    } else if (status != FLX_OK) {
        cli_complain("run", "stopped at t = %.6g: %s; what was computed is in %s", l->t,
                     flx_status_text(status), o->result);
    } else if (!l->balanced) {
        cli_doubt();
        cli_complain("run", "the result fails its own ledger: see energy drift and residuals; "
                            "a smaller step or tolerance may help");
    }
}

static int simulate(flx_ctx *ctx, const run_options *o, flx_simulation *sim)
{
    flx_sink *sinks[2] = {NULL, NULL};
    int nsink = 0, code = EXIT_WRONG;
    cli_progress progress;

    flx_status status = FLX_OK;
    if (o->result != o->table) {
        status = flx_hdf5_sink_create(ctx, o->result, &sinks[nsink]);
        if (status == FLX_OK) nsink++;
    }
    if (status == FLX_OK && o->table) {
        status = flx_csv_sink_create(ctx, o->table, &sinks[nsink]);
        if (status == FLX_OK) nsink++;
    }
    if (status != FLX_OK) {
        cli_print_errors(ctx);
        goto done;
    }
    cli_catch_interrupt();
    cli_progress_start(&progress, o->quiet);
    status = flx_simulation_run(sim, nsink, sinks, cli_progress_update, &progress);
    cli_progress_end(&progress);
    print_outcome(ctx, o, sim, status);
    bool wrong = status == FLX_ERR_MODEL || status == FLX_ERR_ARGUMENT ||
                 status == FLX_ERR_CANNOT || status == FLX_ERR_UNAVAILABLE;
    code = status == FLX_OK ? EXIT_DONE : wrong ? EXIT_WRONG : EXIT_FAILED;

done:
    for (int i = 0; i < nsink; i++) flx_sink_destroy(&sinks[i]);
    return code;
}

// The simulation of the model, from its initial configuration or from "RESULT@T".
static flx_status create(flx_ctx *ctx, run_options *o, const flx_model *model, flx_simulation **sim)
{
    double t = (double)NAN;
    if (!o->start) return flx_simulation_create(model, sim);
    char *path = strdup(o->start), *at = path ? strrchr(path, '@') : NULL;
    if (!path) return FLX_ERR_MEMORY;
    flx_status status = FLX_OK;
    if (at && !cli_read_number("run", "--from", at + 1, &t)) status = FLX_ERR_ARGUMENT;
    if (at) *at = '\0';
    if (status == FLX_OK) status = flx_result_open(ctx, path, &o->origin);
    if (status == FLX_OK) status = flx_simulation_create_from(model, o->origin, t, sim);
    free(path);
    return status;
}

// A checkpoint keeps one list: settings, this word, and the tables of inputs.
static const char input_mark[] = "--input";

static bool gather(const run_options *o, cli_list *all)
{
    all->items = calloc((size_t)(o->settings.count + o->inputs.count) + 1, sizeof *all->items);
    if (!all->items) return false;
    for (int i = 0; i < o->settings.count; i++) all->items[all->count++] = o->settings.items[i];
    if (o->inputs.count > 0) all->items[all->count++] = input_mark;
    for (int i = 0; i < o->inputs.count; i++) all->items[all->count++] = o->inputs.items[i];
    return true;
}

static void split(const cli_list *all, flx_read_def *def)
{
    while (def->nset < all->count && strcmp(all->items[def->nset], input_mark) != 0) def->nset++;
    def->settings = all->items;
    if (def->nset == all->count) return;
    def->ninput = all->count - def->nset - 1;
    def->inputs = all->items + def->nset + 1;
}

static flx_status read_model(flx_ctx *ctx, run_options *o, const cli_list *all, flx_model **model)
{
    flx_read_def def = flx_read_def_default();
    def.nopen = 0;
    split(all, &def);
    return cli_model_read_by(ctx, o->model, &def, model);
}

// The simulation as the options say, or as the checkpoint does that it goes on from.
static flx_status make(flx_ctx *ctx, run_options *o, double until, double seconds,
                       flx_model **model, flx_simulation **sim)
{
    cli_list own = {0}, all;
    if (!gather(o, &own)) return FLX_ERR_MEMORY;
    all = own;
    if (o->from) {
        const char *const *settings = NULL;
        o->model = flx_checkpoint_model(o->from);
        all.count = flx_checkpoint_settings(o->from, &settings);
        all.items = (const char **)settings;
        if (!o->checkpoint) seconds = flx_checkpoint_seconds(o->from);
    }
    flx_status status = read_model(ctx, o, &all, model);
    if (status == FLX_OK) o->sweeps = flx_model_sweep_count(*model);
    if (status == FLX_OK) status = create(ctx, o, *model, sim);
    if (status == FLX_OK && o->states) flx_simulation_keep_states(*sim);
    if (status == FLX_OK && o->until) status = flx_simulation_set_until(*sim, until);
    if (status == FLX_OK && (o->checkpoint || o->from)) {
        status = flx_simulation_keep(*sim, o->result, seconds, all.count, all.items);
    }
    if (status == FLX_OK && o->from) status = flx_simulation_resume(*sim, o->from);
    free(own.items);
    return status;
}

static int read_and_simulate(flx_ctx *ctx, run_options *o)
{
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    double until = 0.0, seconds = 0.0;
    if (!cli_read_positive("run", "--until", o->until, &until)) return EXIT_WRONG;
    if (!cli_read_positive("run", "--checkpoint", o->checkpoint, &seconds)) return EXIT_WRONG;
    flx_status status = o->resume ? flx_checkpoint_open(ctx, o->resume, &o->from) : FLX_OK;
    if (status == FLX_OK) status = make(ctx, o, until, seconds, &model, &sim);
    if (!o->quiet || status != FLX_OK) cli_print_warnings(ctx, 0);
    int code, told = flx_ctx_warning_count(ctx);
    if (status == FLX_OK) {
        code = simulate(ctx, o, sim);
        if (!o->quiet && flx_ctx_warning_count(ctx) > told) cli_print_warnings(ctx, told);
    } else {
        cli_print_errors(ctx);
        code = status == FLX_ERR_MEMORY ? EXIT_FAILED : EXIT_WRONG;
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_checkpoint_close(&o->from);
    flx_result_close(&o->origin);
    return code;
}

// What a run that goes on is asked for again.
static bool is_settled(const run_options *o, const cli_list *rest)
{
    if (rest->count == 0 && o->settings.count + o->inputs.count == 0 && !o->until && !o->start)
        return true;
    cli_complain(
        "run",
        "--resume goes on with the model and the settings of the run that was cut off: leave "
        "MODEL, --set, --input, --until and --from out");
    return false;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    run_options o = {0};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--output", .letter = 'o', .value = &o.result},
        {.name = "--csv", .value = &o.table},
        {.name = "--set", .list = &o.settings},
        {.name = "--input", .list = &o.inputs},
        {.name = "--until", .value = &o.until},
        {.name = "--from", .value = &o.start},
        {.name = "--states", .flag = &o.states},
        {.name = "--checkpoint", .value = &o.checkpoint},
        {.name = "--resume", .value = &o.resume},
        {.name = "--trust", .flag = &o.trust},
        {.name = "--quiet", .letter = 'q', .flag = &o.quiet},
    };
    cli_parsed parsed = cli_parse(&cmd_run, argc, argv, 11, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (o.trust) flx_ctx_host_fmus(ctx, &cli_fmus);
    if (o.resume ? !is_settled(&o, &rest) : !cli_is_one_model(&cmd_run, &rest)) return EXIT_WRONG;
    if (o.start && o.checkpoint) {
        cli_complain("run", "a run that begins by --from leaves no checkpoints: leave one of them "
                            "out");
        return EXIT_WRONG;
    }
    o.model = o.resume ? NULL : rest.items[0];
    if (!cli_is_result_name("run", o.result)) return EXIT_WRONG;
    if (!o.result && !o.resume && !cli_has_hdf5()) { // the table is all there is
        if (!o.table) o.table = cli_named_after(o.model, ".csv");
        o.result = o.table;
    }
    if (!o.result) o.result = o.resume ? o.resume : cli_named_after(o.model, ".h5");
    return o.result ? read_and_simulate(ctx, &o) : EXIT_FAILED;
}

const cli_command cmd_run = {
    .name = "run",
    .summary = "simulate a model and write its results",
    .help = help_text,
    .run = run,
};
