// rope.c - a rope, belt or band through places: it pulls and never pushes.
//
//     T = k x^n max(0, 1 + a x'),   x = max(0, l - l0),   l = sum_i |p_i+1 - p_i|              (CAB-1)
// k and l0 may change in time: a rope that is wound.
// The places between the ends are rings without friction: T is the same along the whole line.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {{"value", NULL}, {"length", "m"}, {"power", "W"}, {0}};

const flx_force_kind flx_force_cable = {.word = "cable",
                                        .symbol = "cable",
                                        .signals = signals,
                                        .line = true,
                                        .mounted = true,
                                        .links = true,
                                        .along = flx_force_add_line,
                                        .sign = 1.0};

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_THROUGH,
    {.key = "stiffness",
     .form = "number",
     .needed = true,
     .unit = "N/m^n",
     .doc =
         "Pull at a stretch of 1 m: k in k x^n (1 + a x'), where x is the stretch. A number, or an "
         "expression: `EA/L` of a rope whose length L changes."},
    {.key = "exponent", .form = "number", .initial = "1", .doc = "n, 1 or more."},
    {.key = "damping",
     .form = "number",
     .unit = "s/m",
     .initial = "0",
     .doc = "a: the pull grows with the rate of the stretch, and is never less than zero."},
    {.key = "length",
     .form = "number",
     .unit = "m",
     .initial = "that of the initial configuration",
     .doc =
         "Unstretched length; a longer line is slack. A number, or an expression of the time, of "
         "inputs and signals: a rope that is wound."},
    FLX_FORCE_ROW_DISSIPATIVE,
    {0}};

const flx_force_word flx_word_cable = {
    .row = {.word = "cable",
            .dimensions = "23",
            .doc = "a rope or belt through places, which only pulls",
            .example = "belt: {type: cable, through: [car.top, torso.chest, car.buckle], "
                       "stiffness: 5e4, damping: 0.25}",
            .keys = keys},
    .kind = &flx_force_cable,
    .at = FLX_AT_THROUGH,
    .law = FLX_LAW_CABLE,
    .unit = "N"};
