// pressure.c - on the surface of a solid, against its normals and on the area as deformed.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {
    {"value", "Pa"}, {"resultant", "N"}, {"moment", "N m"}, {"power", "W"}, {0}};

const flx_force_kind flx_force_pressure = {
    .word = "load on a solid", .signals = signals, .load = true, .pressure = true};

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_ON_SOLID,
    FLX_FORCE_ROW_SURFACE,
    {.key = "at",
     .form = "place",
     .unit = "m",
     .initial = "the origin",
     .doc = "Where the pressure is `value`, if it has a gradient; a place of the initial "
            "configuration."},
    {.key = "value",
     .form = "number",
     .needed = true,
     .unit = "Pa",
     .doc = "The pressure; positive presses."},
    {.key = "gradient",
     .form = "vector",
     .unit = "Pa/m",
     .initial = "0",
     .doc = "How it changes with the place, as deformed: of a fluid its density times gravity."},
    {0}};

const flx_force_word flx_word_pressure = {
    .row = {.word = "pressure",
            .dimensions = "3",
            .doc = "on the surface of a solid: against its normals, on the area as deformed",
            .example =
                "gas: {type: pressure, on: tube, surface: inner, value: 1e5}\n  water: {type: "
                "pressure, on: tube, value: 0, gradient: [0, 0, -9810], at: [0, 0, 2]}",
            .keys = keys},
    .on_solid = &flx_force_pressure,
    .at = FLX_AT_LOAD,
    .law = FLX_LAW_LOAD,
    .unit = "Pa"};
