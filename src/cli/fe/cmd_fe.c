// cmd_fe.c - flexion fe: a structure of finite elements alone: statics, modes, transients.
#include "cli/cli.h"
#include "cli/plugins.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion fe static|modes|transient|response MODEL [OPTIONS]\n"
    "\n"
    "Compute the structure of the model's block 'fe': at rest under its loads, its\n"
    "modes, its motion from rest by Newmark's method (until and step of 'simulate'),\n"
    "or what nodes do by forces at nodes over frequency. Fields go to VTK files.\n"
    "\n"
    "  --count N         modes: how many (default 10); response: frequencies (200)\n"
    "  --vtu FILE        where fields go (default: named after MODEL); none: nowhere\n"
    "  --result FILE     static, modes: a result (.h5) that flexion view plays\n"
    "  --csv FILE        transient: energies, displacements; response: both parts\n"
    "  --node N          transient: a node for the table; may be repeated\n"
    "  --every N         transient: write every N-th step (default: 100 in all)\n"
    "  --in PORT         response: a force, node(7).z, or tip.rx of a set; repeatable\n"
    "  --out PORT        response: what moves; default: where the forces are\n"
    "  --from HZ, --to HZ, --spacing log|linear   response: the frequencies\n"
    "  --direct          response: one factorisation per frequency, no reduced model\n"
    "  -o FILE           response: draw amplitude and phase: .svg, .png or .pdf\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --ranks N         by N processes, with flexion-fe-mpi and mpirun\n"
    "Examples:\n"
    "  flexion fe modes examples/fe/bracket.yaml --count 6\n"
    "  flexion fe response examples/fe/damped_beam.yaml --in END.y --to 600\n"
    "\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

typedef struct request {
    const char *what, *path, *count, *vtu, *csv, *every, *result, *ranks;
    flx_ctx *ctx;
    const flx_model *model;
    cli_list settings, nodes, inputs, outputs;
    cli_response response;
    const char *picture; // NULL: none
} request;

// A whole number above zero; 0: something else.
static int whole(const char *text)
{
    char *end;
    long value = strtol(text, &end, 10);
    return *text != '\0' && *end == '\0' && value > 0 && value < 100000000 ? (int)value : 0;
}

static double largest(const double *v)
{
    return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

// What is rounding beside the largest, or beside something else, is zero.
static void print_vector(const char *name, const double *v, double beside, const char *unit)
{
    double size = fmax(largest(v), beside);
    printf("  %-18s ", name);
    for (int c = 0; c < 3; c++) printf("%12.6g ", fabs(v[c]) > 1e-10 * size ? v[c] : 0.0);
    printf("%s\n", unit);
}

void cli_print_structure(const flx_fe_problem *p)
{
    flx_fe_summary s = flx_fe_problem_summary(p);
    printf("  unknowns           %12d\n", s.unknowns);
    if (s.nodes == 0) return;
    printf("  nodes              %12d\n  elements           %12d\n", s.nodes, s.elements);
    printf("  mass               %12.6g kg\n", s.mass);
    print_vector("centre of mass", s.com, 0, "m");
}

// What was found as a result file; frequencies NULL: of statics.
static flx_status write_result(flx_fe_problem *p, const request *q, const double *frequencies)
{
    flx_result_mesh mesh;
    if (!q->result) return FLX_OK;
    flx_status status = flx_fe_problem_mesh(p, &mesh);
    const flx_shapes_def def = {.path = q->result,
                                .title = flx_model_title(q->model),
                                .model_path = q->path,
                                .model_text = flx_model_text(q->model),
                                .mesh = &mesh,
                                .frequencies = frequencies};
    if (status == FLX_OK) status = flx_shapes_write(q->ctx, &def);
    if (status == FLX_OK) printf("  result in %s\n", q->result);
    return status;
}

static flx_status run_static(flx_fe_problem *p, const request *q)
{
    flx_fe_static r;
    flx_status status = flx_fe_problem_static(p, q->picture, &r);
    if (status != FLX_OK) return status;
    printf("  displacement       %12.6g m at node %d\n", r.displacement, r.displacement_node);
    if (r.von_mises > 0) {
        printf("  von Mises          %12.6g Pa at node %d\n", r.von_mises, r.von_mises_node);
    }
    // beside each other: what is rounding is left out
    if (fabs(r.axial) > 1e-10 * r.bending) {
        printf("  axial force        %12.6g N in element %d\n", r.axial, r.axial_element);
    }
    if (r.bending > 1e-10 * fabs(r.axial)) {
        printf("  bending moment     %12.6g N m in element %d\n", r.bending, r.bending_element);
    }
    printf("  strain energy      %12.6g J\n", r.strain_energy);
    print_vector("reaction", r.reaction, 0, "N");
    print_vector("its moment", r.reaction + 3, largest(r.reaction), "N m about the origin");
    printf("  residual           %12.2e\n", r.residual);
    return write_result(p, q, NULL);
}

static flx_status write_modes(flx_fe_problem *p, const request *q, int count,
                              const flx_fe_mode *modes)
{
    double *frequencies = calloc((size_t)count + 1, sizeof *frequencies);
    if (!frequencies) return FLX_ERR_MEMORY;
    for (int k = 0; k < count; k++) frequencies[k] = modes[k].frequency;
    flx_status status = write_result(p, q, frequencies);
    free(frequencies);
    return status;
}

static flx_status run_modes(flx_fe_problem *p, const request *q)
{
    int count = q->count ? whole(q->count) : 10;
    flx_fe_modes_report report;
    flx_fe_summary s = flx_fe_problem_summary(p);
    if (!q->count && count > s.unknowns) count = s.unknowns;
    flx_fe_mode *modes = calloc((size_t)count + 1, sizeof *modes); // of nothing it may give NULL
    if (!modes) return FLX_ERR_MEMORY;
    flx_status status = flx_fe_problem_modes(p, count, q->picture, modes, &report);
    if (status == FLX_OK) {
        printf("  factors            %12.4g MB\n", 1e-6 * report.memory);
        printf("  rigid motions      %12d\n", report.rigid);
        if (report.bound > 0) {
            printf("  counted            %12d modes below %.6g Hz: %s\n", report.below,
                   report.bound, report.checked ? "none is missing" : "some are missing");
        }
        printf("\n   mode   frequency Hz  residual");
        printf(s.nodes ? "   effective mass x, y, z / whole\n" : "\n");
        for (int k = 0; k < count; k++) {
            printf("  %5d  %13.6f  %8.1e", k + 1, modes[k].frequency, modes[k].residual);
            for (int c = 0; s.nodes && c < 3; c++) {
                printf("  %8.5f", s.mass > 0 ? modes[k].effective[c] / s.mass : 0);
            }
            printf("\n");
        }
        status = write_modes(p, q, count, modes);
    }
    free(modes);
    return status;
}

static flx_status run_transient(flx_fe_problem *p, const request *q)
{
    flx_fe_transient_result r;
    int *nodes = calloc((size_t)q->nodes.count + 1, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < q->nodes.count; i++) nodes[i] = whole(q->nodes.items[i]);
    const flx_fe_transient def = {.every = q->every ? whole(q->every) : 0,
                                  .nnode = q->nodes.count,
                                  .nodes = nodes,
                                  .csv = q->csv,
                                  .pvd = q->picture};
    flx_status status = flx_fe_problem_transient(p, &def, &r);
    if (status == FLX_OK) {
        printf("  steps              %12ld\n", r.steps);
        printf("  displacement       %12.6g m at node %d, t = %g s\n", r.displacement,
               r.displacement_node, r.displacement_time);
        printf("  energy drift       %12.2e\n", r.energy_drift);
    }
    free(nodes);
    return status;
}

static flx_status run_response(flx_fe_problem *p, const request *q)
{
    cli_response r = q->response;
    r.inputs = &q->inputs;
    r.outputs = &q->outputs;
    r.count = q->count;
    r.csv = q->csv;
    return cli_respond(q->ctx, p, &r, flx_model_title(q->model));
}

static const struct {
    const char *word, *ending; // NULL: no fields
    flx_status (*run)(flx_fe_problem *p, const request *q);
} kinds[] = {{"static", ".static.vtu", run_static},
             {"modes", ".modes.vtu", run_modes},
             {"transient", ".pvd", run_transient},
             {"response", NULL, run_response}};
#define NKIND ((int)(sizeof kinds / sizeof kinds[0]))

// Before anything is computed.
static flx_status check_outputs(const request *q)
{
    const char *const names[] = {"the fields", "the table", "the result"};
    const char *const paths[] = {q->picture, q->csv, q->result};
    flx_status status = FLX_OK;
    for (int i = 0; i < 3 && status == FLX_OK; i++) {
        if (paths[i]) status = flx_output_check(q->ctx, names[i], paths[i]);
    }
    return status;
}

static int compute(flx_ctx *ctx, request *q, int kind)
{
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    flx_status status = cli_model_read(ctx, q->path, q->settings.count, q->settings.items, &model);
    q->model = model;
    if (status == FLX_OK) status = flx_fe_problem_create(model, &p);
    if (status == FLX_OK) {
        printf("%s\n", q->path);
        cli_print_structure(p);
        flx_fe_summary s = flx_fe_problem_summary(p);
        bool none = !kinds[kind].ending || (q->vtu && strcmp(q->vtu, "none") == 0) ||
                    (s.nodes == 0 && !q->vtu);
        if (!none) q->picture = q->vtu ? q->vtu : cli_named_after(q->path, kinds[kind].ending);
        status = none || q->picture ? check_outputs(q) : FLX_ERR_MEMORY;
        if (status == FLX_OK) status = kinds[kind].run(p, q);
        if (status == FLX_OK && q->picture) printf("  fields in %s\n", q->picture);
    }
    fflush(stdout);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MODEL || status == FLX_ERR_ARGUMENT || status == FLX_ERR_IO
               ? EXIT_WRONG
               : EXIT_FAILED;
}

// What is wrong with the numbers of the command line; false: nothing.
static bool complain_of_numbers(const request *q)
{
    const char *const names[2] = {"--count", "--every"}, *const values[2] = {q->count, q->every};
    for (int i = 0; i < 2; i++) {
        if (!values[i] || whole(values[i]) > 0) continue;
        cli_complain("fe", "%s takes a whole number above zero, not '%s'", names[i], values[i]);
        return true;
    }
    for (int i = 0; i < q->nodes.count; i++) {
        if (whole(q->nodes.items[i]) > 0) continue;
        cli_complain("fe", "--node takes the number of a node, not '%s'", q->nodes.items[i]);
        return true;
    }
    return false;
}

static int choose(flx_ctx *ctx, request *q, const cli_list *rest)
{
    const char *words[NKIND];
    if (rest->count != 2) {
        cli_complain("fe", "say what to compute and name a model: flexion fe modes MODEL; see "
                           "'flexion fe --help'");
        return EXIT_WRONG;
    }
    q->what = rest->items[0];
    q->path = rest->items[1];
    if (complain_of_numbers(q)) return EXIT_WRONG;
    for (int i = 0; i < NKIND; i++) {
        words[i] = kinds[i].word;
        if (strcmp(q->what, words[i]) == 0) return compute(ctx, q, i);
    }
    const char *near = cli_nearest(q->what, NKIND, words);
    cli_complain("fe", "'%s' is none of static, modes, transient, response%s%s%s", q->what,
                 near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return EXIT_WRONG;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    request q = {.ctx = ctx};
    cli_list rest = {0};
    const cli_option options[] = {
        {.name = "--count", .value = &q.count},
        {.name = "--vtu", .value = &q.vtu},
        {.name = "--csv", .value = &q.csv},
        {.name = "--every", .value = &q.every},
        {.name = "--node", .list = &q.nodes},
        {.name = "--set", .list = &q.settings},
        {.name = "--result", .value = &q.result},
        {.name = "--in", .list = &q.inputs},
        {.name = "--out", .list = &q.outputs},
        {.name = "--from", .value = &q.response.from},
        {.name = "--to", .value = &q.response.to},
        {.name = "--spacing", .value = &q.response.spacing},
        {.name = "--ranks", .value = &q.ranks},
        {.name = "--direct", .flag = &q.response.direct},
        {.name = "--output", .letter = 'o', .value = &q.response.picture}};
    cli_parsed parsed = cli_parse(&cmd_fe, argc, argv, 15, options, &rest);
    if (parsed == CLI_GO && q.ranks) return cli_start_ranks(q.ranks, argc, argv);
    return parsed == CLI_GO ? choose(ctx, &q, &rest) : (int)parsed;
}

const cli_command cmd_fe = {
    .name = "fe",
    .summary = "finite elements alone: statics, modes, transients, responses",
    .help = help_text,
    .run = run,
};
