// cmd_fmu.c - flexion fmu check: an FMU held to the standard. flexion fmu run: a simple master.
#include "cli/fmu/fmu_host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion fmu check FMU\n"
    "       flexion fmu run FMU [OPTIONS]\n"
    "\n"
    "check: say what the FMU offers, and hold its archive and its description to the\n"
    "rules of the FMI standard (2.0 and 3.0). Nothing of it is run.\n"
    "run: simulate it by itself (co-simulation). What is inside an FMU is a program:\n"
    "run those that you trust.\n"
    "\n"
    "  --csv FILE        write time and outputs to FILE; else to the standard output\n"
    "  --input FILE      a table of times and inputs, named in its first line\n"
    "  --set NAME=VALUE  a parameter, or the start of an input; may be repeated\n"
    "  --until T         where to end; else as the FMU says\n"
    "  --step H          between rows; else as the FMU says, or a 500th of the time\n"
    "  --tolerance R     relative, for its own method\n"
    "\n"
    "Example: a model as an FMU, checked and run\n"
    "  flexion export fmu examples/cart_pole.yaml -o cart.fmu\n"
    "  flexion fmu check cart.fmu && flexion fmu run cart.fmu --csv cart.csv\n"
    "\n"
    "Exit status: 0 done, 1 the run failed, 2 the FMU or the request is wrong.\n";

#define MOST_ROWS 1e8

typedef struct request {
    const char *csv, *input, *until, *step, *tolerance;
    cli_list settings;
} request;

// ---- check ---------------------------------------------------------------------------------------------

static int count(const flx_fmu_info *f, flx_fmu_causality causality)
{
    int n = 0;
    for (int i = 0; i < f->nport; i++) n += f->ports[i].causality == causality;
    return n;
}

static int check(const flx_fmu_info *f)
{
    printf("%s\n", f->name);
    printf("  FMI %d.0, for %s%s%s%s%s\n", f->version, f->cosimulation ? "co-simulation" : "",
           f->cosimulation && f->exchange ? " and " : "", f->exchange ? "model exchange" : "",
           *f->tool ? ", by " : "", f->tool);
    printf("  %d inputs, %d outputs, %d parameters, %d states, %d event indicators\n",
           count(f, FLX_FMU_IS_INPUT), count(f, FLX_FMU_IS_OUTPUT),
           count(f, FLX_FMU_IS_PARAMETER) + count(f, FLX_FMU_IS_STRUCTURAL_PARAMETER), f->nstate,
           f->nindicator);
    printf("  saves states: %s; derivatives: %s; library for this machine: %s\n",
           f->writes_states  ? "yes, as bytes too"
           : f->keeps_states ? "yes"
                             : "no",
           f->derives ? "yes" : "no", f->library ? "yes" : "no");
    printf("  no rule of the standard is broken\n");
    return EXIT_DONE;
}

// ---- run -----------------------------------------------------------------------------------------------

typedef struct master {
    cli_fmu fmu;
    flx_result *table; // inputs; NULL: none
    int ninput, *inputs, *columns;
    int noutput, *outputs, ncolumn;
    double *row;
    flx_output *output;
} master;

// ": " and what the FMU says of its failure, or nothing.
static const char *because(const master *m)
{
    static char text[sizeof m->fmu.why + 2];
    snprintf(text, sizeof text, "%s%s", *m->fmu.why ? ": " : "", m->fmu.why);
    return text;
}

static int find_port(const flx_fmu_info *f, const char *name, size_t length)
{
    for (int i = 0; i < f->nport; i++) {
        if (strlen(f->ports[i].name) == length && strncmp(f->ports[i].name, name, length) == 0)
            return i;
    }
    return -1;
}

static bool is_number(const flx_fmu_port *p)
{
    return strcmp(p->type, "String") != 0 && strcmp(p->type, "Binary") != 0 &&
           strcmp(p->type, "Clock") != 0;
}

static bool take_settings(master *m, const cli_list *settings)
{
    const flx_fmu_info *f = m->fmu.info;
    for (int k = 0; k < settings->count; k++) {
        const char *text = settings->items[k], *sign = strchr(text, '=');
        double value;
        int i = sign ? find_port(f, text, (size_t)(sign - text)) : -1;
        if (i < 0) {
            cli_complain("fmu", "--set wants NAME=VALUE with the name of a variable, not '%s'",
                         text);
            return false;
        }
        if (!cli_read_number("fmu", "--set", sign + 1, &value)) return false;
        if (!is_number(f->ports + i) || !m->fmu.calls->set(&m->fmu, i, value)) {
            cli_complain("fmu", "variable '%s' cannot be set", f->ports[i].name);
            return false;
        }
    }
    return true;
}

static bool check_times(const flx_result *table, const char *path)
{
    const double *time = flx_result_column(table, 0);
    int n = flx_result_rows(table);
    if (n < 1) {
        cli_complain("fmu", "'%s' has no row: give times and inputs below its names", path);
        return false;
    }
    for (int i = 1; i < n; i++) {
        if (time[i] >= time[i - 1]) continue;
        cli_complain("fmu", "'%s': the times of its rows ascend, and after %g comes %g", path,
                     time[i - 1], time[i]);
        return false;
    }
    return true;
}

static bool open_table(flx_ctx *ctx, master *m, const char *path)
{
    const flx_fmu_info *f = m->fmu.info;
    if (!path) return true;
    if (flx_result_open(ctx, path, &m->table) != FLX_OK || !check_times(m->table, path))
        return false;
    m->inputs = calloc((size_t)flx_result_columns(m->table) + 1, sizeof *m->inputs);
    m->columns = calloc((size_t)flx_result_columns(m->table) + 1, sizeof *m->columns);
    if (!m->inputs || !m->columns) return false;
    for (int c = 1; c < flx_result_columns(m->table); c++) { // the first is the time
        const char *name = flx_result_name(m->table, c);
        int i = find_port(f, name, strlen(name));
        if (i < 0 || f->ports[i].causality != FLX_FMU_IS_INPUT) {
            cli_complain("fmu", "'%s': the FMU has no input '%s'", path, name);
            return false;
        }
        for (int k = 0; k < m->ninput; k++) {
            if (m->inputs[k] != i) continue;
            cli_complain("fmu", "'%s' has two columns '%s'", path, name);
            return false;
        }
        m->inputs[m->ninput] = i;
        m->columns[m->ninput++] = c;
    }
    return true;
}

// The table at t, linear between rows; slope: of what comes.
static double value_at(const master *m, int column, double t, double *slope)
{
    int n = flx_result_rows(m->table), i = 0;
    const double *time = flx_result_column(m->table, 0), *y = flx_result_column(m->table, column);
    while (i + 1 < n && time[i + 1] <= t) i++;
    *slope = i + 1 < n && t >= time[0] && time[i + 1] > time[i]
                 ? (y[i + 1] - y[i]) / (time[i + 1] - time[i])
                 : 0.0;
    return t <= time[0] ? y[0] : y[i] + *slope * (t - time[i]);
}

static bool put_inputs(master *m, double t)
{
    for (int k = 0; k < m->ninput; k++) {
        double slope, u = value_at(m, m->columns[k], t, &slope);
        if (!m->fmu.calls->set(&m->fmu, m->inputs[k], u)) return false;
        if (m->fmu.info->interpolates && m->fmu.calls->set_slope && slope != 0.0 &&
            !m->fmu.calls->set_slope(&m->fmu, m->inputs[k], slope))
            return false;
    }
    return true;
}

static bool find_outputs(master *m)
{
    const flx_fmu_info *f = m->fmu.info;
    m->outputs = calloc((size_t)f->nport + 1, sizeof *m->outputs);
    for (int i = 0; m->outputs && i < f->nport; i++) {
        const flx_fmu_port *p = f->ports + i;
        if (p->causality != FLX_FMU_IS_OUTPUT || !is_number(p) || p->count < 1) continue;
        m->outputs[m->noutput++] = i;
        m->ncolumn += p->count;
    }
    m->row = calloc((size_t)m->ncolumn + 1, sizeof *m->row);
    return m->outputs && m->row;
}

static void write_head(const master *m)
{
    FILE *f = flx_output_file(m->output);
    fputs("t", f);
    for (int k = 0; k < m->noutput; k++) {
        const flx_fmu_port *p = m->fmu.info->ports + m->outputs[k];
        for (int j = 0; j < p->count; j++) {
            if (p->count == 1)
                fprintf(f, ",%s", p->name);
            else
                fprintf(f, ",%s[%d]", p->name, j + 1);
        }
    }
    fputc('\n', f);
}

static bool write_row(master *m, double t)
{
    FILE *f = flx_output_file(m->output);
    double *to = m->row;
    for (int k = 0; k < m->noutput; k++) {
        int n = m->fmu.info->ports[m->outputs[k]].count;
        if (!m->fmu.calls->get(&m->fmu, m->outputs[k], n, to)) return false;
        to += n;
    }
    fprintf(f, "%.17g", t);
    for (int k = 0; k < m->ncolumn; k++) fprintf(f, ",%.17g", m->row[k]);
    return fputc('\n', f) != EOF;
}

// Row by row; communication points are multiples of the step.
static int go(master *m, double until, double h)
{
    double t = 0.0;
    bool ended = false;
    for (long i = 1; !ended && t < until; i++) {
        double next = (double)i * h;
        if (next > until * (1 - 1e-12)) next = until;
        while (!ended && t < next * (1 - 1e-12)) {
            double reached = t;
            if (!put_inputs(m, t)) return EXIT_FAILED;
            if (!m->fmu.calls->step(&m->fmu, t, next - t, &reached, &ended) ||
                (!ended && !(reached > t))) {
                cli_complain("fmu", "the FMU failed in the step from t = %g to %g%s", t, next,
                             because(m));
                return EXIT_FAILED;
            }
            t = reached;
        }
        if (!put_inputs(m, t) || !write_row(m, t)) {
            cli_complain("fmu", "the FMU gives no outputs at t = %g%s", t, because(m));
            return EXIT_FAILED;
        }
    }
    if (ended) fprintf(stderr, "flexion fmu: the FMU ended the simulation at t = %g\n", t);
    return EXIT_DONE;
}

static int drive(flx_ctx *ctx, flx_fmu_info *info, const request *r, master *m)
{
    double until = isnan(info->stop) ? 0.0 : info->stop, h = isnan(info->step) ? 0.0 : info->step,
           tolerance = 0.0;
    if (!cli_read_positive("fmu", "--until", r->until, &until) ||
        !cli_read_positive("fmu", "--step", r->step, &h) ||
        !cli_read_positive("fmu", "--tolerance", r->tolerance, &tolerance))
        return EXIT_WRONG;
    if (!(until > 0.0)) {
        cli_complain("fmu", "the FMU does not say where to end: give --until");
        return EXIT_WRONG;
    }
    if (!(h > 0.0)) h = until / 500.0;
    if (until / h > MOST_ROWS) {
        cli_complain("fmu",
                     "rows every %g s until %g s would be %.3g of them: give a longer --step", h,
                     until, until / h);
        return EXIT_WRONG;
    }
    if (!cli_fmu_open(&m->fmu, info)) {
        cli_complain("fmu", "the FMU cannot be run: %s", m->fmu.why);
        return EXIT_WRONG;
    }
    if (!take_settings(m, &r->settings) || !open_table(ctx, m, r->input)) return EXIT_WRONG;
    if (!put_inputs(m, 0.0) || !m->fmu.calls->start(&m->fmu, 0.0, tolerance, until)) {
        cli_complain("fmu", "the FMU cannot be initialised%s", because(m));
        return EXIT_FAILED;
    }
    if (!find_outputs(m)) return EXIT_FAILED;
    if (flx_output_create(ctx, "the table", r->csv ? r->csv : "-", &m->output) != FLX_OK)
        return EXIT_WRONG;
    write_head(m);
    int code = write_row(m, 0.0) ? go(m, until, h) : EXIT_FAILED;
    flx_status status = flx_output_close(&m->output, FLX_OK); // what was computed is kept
    return code == EXIT_DONE && status != FLX_OK ? EXIT_FAILED : code;
}

static int simulate(flx_ctx *ctx, flx_fmu_info *info, const request *r)
{
    master m = {.fmu = {.info = info}};
    int code = drive(ctx, info, r, &m);
    flx_result_close(&m.table);
    cli_fmu_close(&m.fmu);
    free(m.inputs);
    free(m.columns);
    free(m.outputs);
    free(m.row);
    return code;
}

// ---- the command ------------------------------------------------------------------------------------------

static int run(flx_ctx *ctx, int argc, char **argv)
{
    request r = {0};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--csv", .value = &r.csv},     {.name = "--input", .value = &r.input},
        {.name = "--until", .value = &r.until}, {.name = "--step", .value = &r.step},
        {.name = "--set", .list = &r.settings}, {.name = "--tolerance", .value = &r.tolerance}};
    cli_parsed parsed = cli_parse(&cmd_fmu, argc, argv, 6, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    bool checks = rest.count > 0 && strcmp(rest.items[0], "check") == 0;
    if (rest.count != 2 || (!checks && strcmp(rest.items[0], "run") != 0)) {
        cli_complain("fmu",
                     "say what to do with which FMU, as in 'flexion fmu check model.fmu'; see "
                     "'flexion fmu --help'");
        return EXIT_WRONG;
    }
    flx_fmu_info *info = NULL;
    int code = EXIT_WRONG;
    if (flx_fmu_read(ctx, rest.items[1], &info) == FLX_OK) {
        code = checks ? check(info) : simulate(ctx, info, &r);
    }
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_fmu_info_destroy(&info);
    return code;
}

const cli_command cmd_fmu = {
    .name = "fmu",
    .summary = "check and run FMUs, of this and other programs",
    .help = help_text,
    .run = run,
};
