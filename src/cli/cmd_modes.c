// cmd_modes.c - flexion modes: the modes of a model.
#include "cli/analyse.h"

static const char help_text[] =
    "Usage: flexion modes MODEL [ANALYSIS...] [-o RESULT] [--set NAME=VALUE]...\n"
    "\n"
    "Do the analyses of type 'modes' of a model, or those named: short for 'flexion\n"
    "analyse' with their names. They are about the start, an equilibrium, the end of\n"
    "a run or of a load path, as 'about' says. A model without any: modes about\n"
    "its start.\n"
    "\n"
    "  -o RESULT         the modes as a motion (HDF5) for 'flexion view': one after\n"
    "                    the other, a second each\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --csv FILE        also write the eigenvalues as a table; - is the standard\n"
    "                    output\n"
    "\n"
    "Examples: a pendulum hanging at rest\n"
    "  flexion modes examples/hanging_arm.yaml\n"
    "  flexion modes examples/hanging_arm.yaml -o modes.h5 && flexion view modes.h5\n"
    "\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

static int run(flx_ctx *ctx, int argc, char **argv)
{
    const cli_analyses how = {.command = &cmd_modes, .types = {"modes"}, .shapes = true};
    return cli_analyse(ctx, &how, argc, argv);
}

const cli_command cmd_modes = {
    .name = "modes",
    .summary = "find the modes of a model",
    .seldom = true,
    .help = help_text,
    .run = run,
};
