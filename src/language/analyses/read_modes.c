// read_modes.c - analyses of type modes.
#include "language/analyses/analysis_reader.h"

static const flx_key_row keys[] = {
    {"count", "number", .initial = "all, of a large model 20",
     .doc = "How many modes, the slowest first; a conjugate pair is one, and s = 0 none. Above 500 "
            "coordinates and rates the slowest are found alone."},
    {0}};

const flx_analysis_reader flx_reader_MODES = {
    .says = {.word = "modes",
             .dimensions = "23",
             .doc = "motions of the linearised equations, `e^(s t)`: eigenvalues s, frequencies, "
                    "damping, shapes; about an equilibrium or a steady motion",
             .keys = keys},
};
