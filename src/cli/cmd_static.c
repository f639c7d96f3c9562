// cmd_static.c - flexion static: equilibria of a model along load paths, and buckling.
#include "cli/analyse.h"

static const char help_text[] =
    "Usage: flexion static MODEL [ANALYSIS...] [OPTIONS]\n"
    "\n"
    "Do the analyses of type 'static' and 'buckling' of a model, or those named. A\n"
    "path of equilibria is a result: t is its length, 'load' the load factor, then\n"
    "come the signals. A model without such analyses: all its loads, from nothing on.\n"
    "\n"
    "  -o FILE           write the path to FILE (default: named after model and\n"
    "                    analysis, in the current folder)\n"
    "  --csv FILE        also write the path, or the load factors of buckling, as a\n"
    "                    table; - is the standard output\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "\n"
    "Example: a shallow truss snaps through\n"
    "  flexion static examples/snap_through.yaml\n"
    "  flexion plot snap_through_snap.h5 load --x top.position.y\n"
    "\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

static int run(flx_ctx *ctx, int argc, char **argv)
{
    const cli_analyses how = {
        .command = &cmd_static, .types = {"static", "buckling"}, .results = true};
    return cli_analyse(ctx, &how, argc, argv);
}

const cli_command cmd_static = {
    .name = "static",
    .summary = "find equilibria along load paths, and buckling loads",
    .help = help_text,
    .run = run,
};
