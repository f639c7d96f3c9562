// actuator.c - a value along the line between two places: pull is positive.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {{"value", NULL}, {"length", "m"}, {"power", "W"}, {0}};

const flx_force_kind flx_force_actuator = {.word = "actuator",
                                           .mixed = "actuator, mixed",
                                           .symbol = "actuator",
                                           .signals = signals,
                                           .line = true,
                                           .mounted = true,
                                           .links = true,
                                           .along = flx_force_add_line,
                                           .sign = 1.0};

static const flx_key_row keys[] = {FLX_FORCE_ROW_ON_TWO,
                                   {.key = "at",
                                    .form = "[place;2]",
                                    .needed = true,
                                    .unit = "m",
                                    .doc = "The two ends, one on each body."},
                                   {.key = "value",
                                    .form = "number",
                                    .needed = true,
                                    .unit = "N",
                                    .doc = "The force; pull is positive."},
                                   FLX_FORCE_ROW_DISSIPATIVE,
                                   FLX_FORCE_ROW_FORM,
                                   {0}};

const flx_force_word flx_word_actuator = {
    .row = {.word = "actuator",
            .dimensions = "23",
            .doc = "a force along the line between two places",
            .example = "P1: {type: actuator, on: [crank, pebble], at: [crank.pin, pebble], value: "
                       "50*P1.length + 3*P1.length'}",
            .keys = keys},
    .kind = &flx_force_actuator,
    .at = FLX_AT_LINE,
    .law = FLX_LAW_NUMBER,
    .unit = "N"};
