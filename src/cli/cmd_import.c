// cmd_import.c - flexion import: a robot file as a model of our language.
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char help_text[] =
    "Usage: flexion import ROBOT [-o MODEL] [OPTIONS]\n"
    "\n"
    "Write a robot file (URDF, MJCF, SDF) as a model, to be changed and added to.\n"
    "'flexion run robot.urdf' and other commands read robot files themselves, and a\n"
    "model may use one as a part. What is repaired or left out is told.\n"
    "\n"
    "  -o MODEL               default: the robot's name with .yaml, in the current\n"
    "                         folder; - is the standard output\n"
    "  --floating             the base moves freely; else it stands on the ground\n"
    "  --package NAME=FOLDER  where package://NAME is; may be repeated\n"
    "  --strict               nothing is repaired: what is wrong is an error\n"
    "\n"
    "Example: a robot on its own, then as a model\n"
    "  flexion run examples/robots/arm.urdf\n"
    "  flexion import examples/robots/arm.urdf -o arm.yaml\n"
    "\n"
    "Exit status: 0 written, 1 not enough memory, 2 the file is wrong.\n";

// Whether two files are in one folder, as they are named.
static bool is_beside(const char *a, const char *b)
{
    const char *x = strrchr(a, '/'), *y = strrchr(b, '/');
    size_t n = x ? (size_t)(x - a) : 0, m = y ? (size_t)(y - b) : 0;
    return n == m && strncmp(a, b, n) == 0;
}

static flx_status write_model(flx_ctx *ctx, flx_model *model, const char *path)
{
    flx_output *o = NULL;
    const char *text = flx_model_write_text(model);
    if (!text) return FLX_ERR_MEMORY;
    flx_status status = flx_output_create(ctx, "the model", path, &o);
    if (status != FLX_OK) return status;
    fputs("# yaml-language-server: $schema=flexion.schema.json\n", flx_output_file(o));
    fputs(text, flx_output_file(o));
    return flx_output_close(&o, FLX_OK);
}

static int run(flx_ctx *ctx, int argc, char **argv)
{
    const char *output = NULL;
    bool floating = false;
    cli_list rest = {0}, packages = {0};
    const cli_option options[] = {{.name = "--output", .letter = 'o', .value = &output},
                                  {.name = "--floating", .flag = &floating},
                                  {.name = "--package", .list = &packages}};
    cli_parsed parsed = cli_parse(&cmd_import, argc, argv, 3, options, &rest);
    if (parsed != CLI_GO) return (int)parsed;
    if (!cli_is_one_model(&cmd_import, &rest)) return EXIT_WRONG;
    for (int i = 0; i < packages.count; i++) {
        if (strchr(packages.items[i], '=')) continue;
        cli_complain("import", "--package wants NAME=FOLDER, not '%s'", packages.items[i]);
        return EXIT_WRONG;
    }
    if (!output) output = cli_named_after(rest.items[0], ".yaml");
    if (!output) return EXIT_FAILED;
    flx_read_def def = flx_read_def_default();
    def.nopen = 0;
    def.floating = floating;
    def.strict = cli_is_strict();
    def.absolute = !is_beside(rest.items[0], output);
    def.npackage = packages.count;
    def.packages = packages.items;
    flx_model *model = NULL;
    flx_status status = flx_model_read_by(ctx, rest.items[0], &def, &model);
    if (status == FLX_OK) status = write_model(ctx, model, output);
    cli_print_warnings(ctx, 0);
    cli_print_errors(ctx);
    flx_model_destroy(&model);
    if (status == FLX_OK) return EXIT_DONE;
    return status == FLX_ERR_MEMORY ? EXIT_FAILED : EXIT_WRONG;
}

const cli_command cmd_import = {
    .name = "import",
    .summary = "write a robot file (URDF, MJCF, SDF) as a model",
    .seldom = true,
    .help = help_text,
    .run = run,
};
