// read_buckling.c - analyses of type buckling.
#include "language/analyses/load_keys.h"

static const flx_key_row keys[] = {
    {"count", "number", .initial = "1", .doc = "How many factors, the nearest to zero first."},
    FLX_KEYS_LOAD,
    {0}};

const flx_analysis_reader flx_reader_BUCKLING = {
    .says = {.word = "buckling",
             .dimensions = "23",
             .doc = "load factors at which the equilibrium is lost, seen from a state without "
                    "these loads",
             .keys = keys},
    .loads = true,
    .read = flx_analysis_loads,
};
