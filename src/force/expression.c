// expression.c - force and torque on a body, each a vector of expressions.
#include "force/force_kind.h"

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_ON_ANY,
    FLX_FORCE_ROW_AT_PLACE,
    FLX_FORCE_ROW_FRAME(0),
    {.key = "force", .form = "vector", .unit = "N", .initial = "0", .doc = "The force."},
    {.key = "torque",
     .form = "number@2 | vector@3",
     .unit = "N m",
     .initial = "0",
     .doc = "The torque."},
    FLX_FORCE_ROW_DISSIPATIVE,
    {0}};

static const flx_rule_row rules[] = {{FLX_RULE_SOME, "force torque"}, {0}};

const flx_force_word flx_word_expression = {
    .row = {.word = "expression",
            .dimensions = "23",
            .doc = "force and torque on a body as vectors of expressions",
            .example = "X: {type: expression, on: rod, torque: [0, 0, -0.1*A.rate]}",
            .keys = keys,
            .rules = rules},
    .kind = &flx_force_wrench,
    .at = FLX_AT_PLACE,
    .law = FLX_LAW_BOTH,
    .unit = "N"};
