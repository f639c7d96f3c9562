// read_equilibrium.c - analyses of type equilibrium.
#include "language/analyses/analysis_reader.h"

static const flx_key_row keys[] = {{0}};

const flx_analysis_reader flx_reader_EQUILIBRIUM = {
    .says = {.word = "equilibrium",
             .dimensions = "23",
             .doc = "static equilibrium: all forces in balance at zero velocity",
             .keys = keys},
    .rest = true,
};
