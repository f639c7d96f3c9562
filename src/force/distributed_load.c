// distributed_load.c - a load along a beam, which becomes forces on its nodes, or on the volume of a solid.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {
    {"value", "N/m^3"}, {"resultant", "N"}, {"moment", "N m"}, {"power", "W"}, {0}};

const flx_force_kind flx_force_volume = {
    .word = "load on a solid", .signals = signals, .load = true, .volume = true};

static const flx_key_row keys[] = {
    {.key = "on", .form = "name", .needed = true, .doc = "The beam, or the solid."},
    {.key = "value",
     .form = "vector",
     .needed = true,
     .unit = "N/m, N/m^3",
     .doc = "Force per metre of the unstressed line; `s` is the part of the length, 0 to 1. With "
            "`frame: body` it follows the section. On a solid: force per volume of the reference "
            "configuration."},
    FLX_FORCE_ROW_FRAME(0),
    {0}};

const flx_force_word flx_word_distributed = {
    .row = {.word = "distributed",
            .dimensions = "23",
            .doc = "a load along a beam, or on the volume of a solid",
            .example = "wind: {type: distributed, on: cable, value: [0, 0.8*sin(2*t), 0]}",
            .keys = keys},
    .kind = &flx_force_wrench,
    .on_solid = &flx_force_volume,
    .at = FLX_AT_LOAD,
    .law = FLX_LAW_LOAD,
    .unit = "N/m"};
