// tyre.c - a tyre on a road: normal force by its deflection, forces along and across the wheel by slips that are states.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {
    {"value", NULL},    {"power", "W"},     {"longitudinal", "N"}, {"lateral", "N"},
    {"slip", ""},       {"side_slip", ""},  {"deflection", "m"},   {"aligning", "N m"},
    {0}};

const flx_force_kind flx_force_tyre = {
    .word = "tyre", .signals = signals, .links = true, .wrench = true};

static const flx_key_row keys[] = {
    {.key = "on",
     .form = "[name;2]",
     .needed = true,
     .doc = "`ground`, which is the road, and the wheel."},
    {.key = "at", .form = "place", .unit = "m", .initial = "the wheel's frame", .doc = "Centre of the wheel."},
    {.key = "axis",
     .form = "vector",
     .initial = "[0, 1, 0]",
     .doc = "About which the wheel turns when it rolls forward, towards x; in ground axes of the "
            "initial configuration.",
     .dimension = 3},
    {.key = "road", .form = "{road}", .initial = "the plane of height 0", .doc = "Where the ground is."},
    {.key = "radius", .form = "number", .needed = true, .unit = "m", .doc = "Of the tyre without load."},
    {.key = "rolling_radius",
     .form = "number",
     .unit = "m",
     .initial = "that of the wheel under load",
     .doc = "Way over angle of the wheel that rolls freely."},
    {.key = "stiffness", .form = "number", .needed = true, .unit = "N/m", .doc = "Of the deflection."},
    {.key = "damping", .form = "number", .unit = "N s/m", .initial = "0", .doc = "Of the deflection."},
    {.key = "law", .form = "word", .needed = true, .doc = "Forces over slips."},
    {.key = "slip_stiffness",
     .form = "number",
     .unit = "N",
     .doc = "Of linear and fiala: longitudinal force over slip."},
    {.key = "cornering_stiffness",
     .form = "number",
     .unit = "N/rad",
     .doc = "Of linear and fiala: lateral force over slip angle."},
    {.key = "friction",
     .form = "number",
     .doc = "Of linear (none unless given) and fiala: largest force over load."},
    {.key = "longitudinal", .form = "{magic}", .doc = "Of magic: curve of the slip."},
    {.key = "lateral", .form = "{magic}", .doc = "Of magic: curve of the slip angle.", .dimension = 3},
    {.key = "relaxation",
     .form = "number | [number;2]",
     .unit = "m",
     .initial = "0.3",
     .doc = "Way in which a slip builds up, along and across."},
    {.key = "trail",
     .form = "number",
     .unit = "m",
     .initial = "0",
     .doc = "Pneumatic trail: the lateral force acts so far behind, and less so when it is large.",
     .dimension = 3},
    {.key = "low_speed_damping",
     .form = "number",
     .unit = "s/m",
     .initial = "0.1",
     .doc = "Below 0.5 m/s the slips get this much of the slip velocity, so that a standing wheel "
            "does not swing."},
    {0}};

const flx_force_word flx_word_tyre = {
    .row = {.word = "tyre",
            .dimensions = "23",
            .doc = "a tyre on a road",
            .example = "tyre: {type: tyre, on: [ground, wheel], radius: 0.31, stiffness: 2e5, damping: "
                       "500, law: magic, longitudinal: {B: 12, C: 1.65, D: 1.05, E: 0.6}, relaxation: 0.2}",
            .keys = keys},
    .kind = &flx_force_tyre,
    .at = FLX_AT_ROAD,
    .law = FLX_LAW_TYRE,
    .unit = "N"};
