// cmd_export.c - flexion export: the equations of a model as source text, a flexible body as data; results
// for other programs (cmd_export_result.c).
#include "cli/export_result.h"
#include "cli/fmu/export_fmu.h"
#include "cli/plugins.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion export c|python|octave|latex MODEL [--functions LIST] [OPTIONS]\n"
    "       flexion export batch MODEL          many runs at once, as C and CUDA\n"
    "       flexion export sid|body|matrices MODEL [--body NAME] [OPTIONS]\n"
    "       flexion export fmu MODEL [--fmi 2|3] [--type cs,me] [OPTIONS]\n"
    "       flexion export vtk|frames|film RESULT    see 'flexion export vtk --help'\n"
    "\n"
    "Write the equations of motion in joint coordinates as source text that needs no\n"
    "Flexion; a flexible body as Standard Input Data, as a file that 'data:' reads at\n"
    "once (body), or its mesh as Matrix Market files; or the model as an FMU.\n"
    "\n"
    "  -o FILE           - is the standard output; else a file named after the model\n"
    "  --name NAME       of the equations or the FMU; else after the model's file\n"
    "  --functions LIST  some of forward,inverse,mass,linearise,rates,closures,\n"
    "                    states,inputs,outputs\n"
    "  --open NAME       parameter that may change; may be repeated; else all of them\n"
    "  --limit N         operations of one function at most (200000)\n"
    "  --fmi 2|3         version of FMI (2); --type cs,me: co-simulation, exchange\n"
    "  --body NAME       the flexible body, where there are several\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --ranks N         body: by N processes, with flexion-fe-mpi and mpirun\n"
    "Example: equations of a slider crank, compiled\n"
    "  flexion export c examples/slider_crank.yaml -o crank.c && cc -c crank.c\n"
    "\n"
    "Exit status: 0 written, 1 no memory or place, 2 the model is wrong or unfit.\n";

typedef struct request {
    const char *output, *name, *fmi, *type, *functions, *limit, *body, *ranks;
    cli_list settings, open;
} request;

// What can be exported of a model.
typedef struct target {
    const char *word, *ending;
    flx_export_language language;
    int (*run)(flx_ctx *ctx, const struct target *t, const char *path, const request *r);
} target;

static int export_model(flx_ctx *ctx, const target *t, const char *path, const request *r)
{
    flx_model *model = NULL;
    const char *output = r->output ? r->output : cli_named_after(path, t->ending);
    flx_export_options options = {.language = t->language, .name = r->name};
    options.functions = r->functions;
    if (r->limit) {
        char *end;
        long limit = strtol(r->limit, &end, 10);
        if (*end || end == r->limit || limit < 1 || limit > 100000000) {
            cli_complain("export", "--limit is a number of operations, not '%s'", r->limit);
            return EXIT_WRONG;
        }
        options.limit = (int)limit;
    }
    flx_status status = cli_model_read(ctx, path, r->settings.count, r->settings.items, &model);
    if (status == FLX_OK && !output) status = FLX_ERR_MEMORY;
    // the same model with open parameters; what it has to say was said by the first
    flx_ctx *other = status == FLX_OK ? flx_ctx_create() : NULL;
    flx_model *open = NULL;
    flx_read_def def = flx_read_def_default();
    def.nset = r->settings.count;
    def.settings = r->settings.items;
    def.exported = true;
    if (r->open.count > 0) {
        def.nopen = r->open.count;
        def.open = r->open.items;
    }
    if (other && cli_model_read_by(other, path, &def, &open) != FLX_OK && r->open.count > 0) {
        cli_print_errors(other); // of the names
        status = FLX_ERR_MODEL;
    }
    options.open = open;
    if (status == FLX_OK) status = flx_model_export(model, &options, output);
    if (status == FLX_OK && strcmp(output, "-") != 0) printf("%s\n", output);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_model_destroy(&open);
    flx_ctx_destroy(&other);
    flx_model_destroy(&model);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MEMORY || status == FLX_ERR_IO ? EXIT_FAILED : EXIT_WRONG;
}

static int export_body(flx_ctx *ctx, const target *t, const char *path, const request *r)
{
    flx_model *model = NULL;
    bool matrices = strcmp(t->word, "matrices") == 0;
    const char *output = r->output ? r->output : cli_named_after(path, t->ending);
    flx_status status = cli_model_read(ctx, path, r->settings.count, r->settings.items, &model);
    if (status == FLX_OK && !output) status = FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        status = matrices                       ? flx_model_write_matrices(model, r->body, output)
                 : strcmp(t->word, "body") == 0 ? flx_model_write_body(model, r->body, output)
                                                : flx_model_write_sid(model, r->body, output);
    }
    if (status == FLX_OK && strcmp(output, "-") != 0)
        printf(matrices ? "%s_K.mtx and others\n" : "%s\n", output);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_model_destroy(&model);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MEMORY || status == FLX_ERR_IO ? EXIT_FAILED : EXIT_WRONG;
}

static int export_unit(flx_ctx *ctx, const target *t, const char *path, const request *r)
{
    const char *output = r->output ? r->output : cli_named_after(path, t->ending);
    flx_fmu_def def = flx_fmu_def_default();
    def.name = r->name;
    if (r->fmi) def.version = atoi(r->fmi);
    bool cs = r->type && strstr(r->type, "cs"), me = r->type && strstr(r->type, "me");
    if (r->type && !cs && !me) {
        cli_complain("export", "--type is cs (co-simulation), me (model exchange) or cs,me");
        return EXIT_WRONG;
    }
    def.exchange = cs && me ? 2 : me;
    def.nset = r->settings.count;
    def.settings = r->settings.items;
    return output ? cli_export_fmu(ctx, path, &def, output) : EXIT_FAILED;
}

static const target targets[] = {
    {"c", ".c", FLX_EXPORT_C, export_model},
    {"python", ".py", FLX_EXPORT_PYTHON, export_model},
    {"octave", ".m", FLX_EXPORT_OCTAVE, export_model},
    {"latex", ".tex", FLX_EXPORT_LATEX, export_model},
    {"batch", "_batch.c", FLX_EXPORT_BATCH, export_model},
    {"sid", ".SID_FEM", FLX_EXPORT_C, export_body},
    {"body", "_body.h5", FLX_EXPORT_C, export_body},
    {"matrices", "", FLX_EXPORT_C, export_body},
    {"fmu", ".fmu", FLX_EXPORT_C, export_unit},
};
#define N_TARGETS ((int)(sizeof targets / sizeof targets[0]))

// What can be exported of a result: commands of their own.
static const struct {
    const char *word;
    const cli_command *command;
} parts[] = {{"vtk", &cmd_export_vtk}, {"frames", &cmd_export_frames}, {"film", &cmd_export_film}};
#define N_PARTS ((int)(sizeof parts / sizeof parts[0]))

static int dispatch(flx_ctx *ctx, const cli_list *rest, const request *r)
{
    const char *words[N_TARGETS + N_PARTS];
    if (rest->count != 2) {
        cli_complain("export", "say what to write and from what, as in 'flexion export c "
                               "model.yaml'; see 'flexion export --help'");
        return EXIT_WRONG;
    }
    for (int i = 0; i < N_TARGETS; i++) {
        words[i] = targets[i].word;
        if (strcmp(rest->items[0], words[i]) == 0) {
            return targets[i].run(ctx, targets + i, rest->items[1], r);
        }
    }
    for (int i = 0; i < N_PARTS; i++) words[N_TARGETS + i] = parts[i].word;
    const char *best = cli_nearest(rest->items[0], N_TARGETS + N_PARTS, words);
    cli_complain("export", "cannot write '%s'%s%s%s", rest->items[0],
                 best ? "; did you mean '"
                      : "; there are c, python, octave, latex, batch, sid, body, matrices, fmu, "
                        "vtk and frames",
                 best ? best : "", best ? "'?" : "");
    return EXIT_WRONG;
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    for (int i = 0; i < N_PARTS; i++) {
        if (argc > 1 && strcmp(argv[1], parts[i].word) == 0) {
            return parts[i].command->run(ctx, argc - 1, argv + 1);
        }
    }
    request r = {0};
    cli_list rest = {0};
    const cli_option options[] = {{.name = "--output", .letter = 'o', .value = &r.output},
                                  {.name = "--name", .value = &r.name},
                                  {.name = "--functions", .value = &r.functions},
                                  {.name = "--fmi", .value = &r.fmi},
                                  {.name = "--type", .value = &r.type},
                                  {.name = "--limit", .value = &r.limit},
                                  {.name = "--body", .value = &r.body},
                                  {.name = "--set", .list = &r.settings},
                                  {.name = "--open", .list = &r.open},
                                  {.name = "--ranks", .value = &r.ranks}};
    cli_parsed parsed = cli_parse(&cmd_export, argc, argv, 10, options, &rest);
    bool body = rest.count > 0 && strcmp(rest.items[0], "body") == 0;
    if (parsed == CLI_GO && r.ranks && body) return cli_start_ranks(r.ranks, argc, argv);
    return parsed == CLI_GO ? dispatch(ctx, &rest, &r) : (int)parsed;
}

const cli_command cmd_export = {
    .name = "export",
    .summary = "write equations, bodies and results for other programs",
    .help = help_text,
    .run = run,
};
