// traction.c - on the surface of a solid: a force per area of the reference configuration.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {
    {"value", "Pa"}, {"resultant", "N"}, {"moment", "N m"}, {"power", "W"}, {0}};

const flx_force_kind flx_force_traction = {
    .word = "load on a solid", .signals = signals, .load = true};

static const flx_key_row keys[] = {FLX_FORCE_ROW_ON_SOLID,
                                   FLX_FORCE_ROW_SURFACE,
                                   {.key = "value",
                                    .form = "vector",
                                    .needed = true,
                                    .unit = "Pa",
                                    .doc = "Force per area of the reference configuration."},
                                   FLX_FORCE_ROW_FRAME(0),
                                   {0}};

const flx_force_word flx_word_traction = {
    .row = {.word = "traction",
            .dimensions = "3",
            .doc = "on the surface of a solid: a force per area of the reference configuration",
            .example = "pull: {type: traction, on: block, surface: top, value: [0, 0, 1e4]}",
            .keys = keys},
    .on_solid = &flx_force_traction,
    .at = FLX_AT_LOAD,
    .law = FLX_LAW_LOAD,
    .unit = "Pa"};
