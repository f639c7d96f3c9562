// cmd_analyse.c - flexion analyse: equilibria, load paths, buckling and modes of a model.
#include "cli/analyse.h"

static const char help_text[] =
    "Usage: flexion analyse MODEL [ANALYSIS...] [--set NAME=VALUE]... [--csv FILE]\n"
    "\n"
    "Do the analyses of a model's block 'analyse', or those named. Of an equilibrium:\n"
    "the signals of 'outputs' there. Of modes: eigenvalue s of every motion e^(s t),\n"
    "its frequency |Im s|/(2 pi), its damping ratio -Re s/|s|, and the coordinates\n"
    "that move most, the largest as 1. Of loads: see 'flexion static'. A model\n"
    "without 'analyse': modes about its initial configuration.\n"
    "\n"
    "  --set NAME=VALUE  override a parameter; may be repeated\n"
    "  --matrices KIND   write what was found as MODEL_NAME.mat (mat: for MATLAB,\n"
    "                    Octave, scipy.io.loadmat), MODEL_NAME.h5 (h5: HDF5) or as\n"
    "                    MODEL_NAME_A.mtx, ... (mtx: Matrix Market)\n"
    "  --csv FILE        also write the eigenvalues and the load factors of buckling\n"
    "                    as a table; - is the standard output\n"
    "\n"
    "Example: a bicycle at 6 m/s\n"
    "  flexion analyse examples/bicycle.yaml weave --set v=6\n"
    "\n"
    "Exit status: 0 done, 1 the computation failed, 2 the input is wrong.\n";

static int run(flx_ctx *ctx, int argc, char **argv)
{
    const cli_analyses how = {.command = &cmd_analyse};
    return cli_analyse(ctx, &how, argc, argv);
}

const cli_command cmd_analyse = {
    .name = "analyse",
    .summary = "do the analyses of a model: equilibria, loads, modes",
    .help = help_text,
    .run = run,
};
