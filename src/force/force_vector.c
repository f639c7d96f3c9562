// force_vector.c - a force on a body, between two, or on a joint.
#include "force/force_kind.h"

static const flx_key_row keys[] = {FLX_FORCE_ROW_ON_ANY,
                                   FLX_FORCE_ROW_AT_PLACE,
                                   {.key = "value",
                                    .form = "vector",
                                    .needed = true,
                                    .unit = "N",
                                    .doc = "The force; a number on a joint."},
                                   FLX_FORCE_ROW_FRAME(0),
                                   FLX_FORCE_ROW_DISSIPATIVE,
                                   FLX_FORCE_ROW_FORM,
                                   {0}};

const flx_force_word flx_word_force = {
    .row = {.word = "force",
            .dimensions = "23",
            .doc = "a force on a body, between two, or on a joint",
            .example =
                "F1: {type: force, on: rod, at: rod.tip, value: [0, -1*t, 0], frame: ground}",
            .keys = keys},
    .kind = &flx_force_wrench,
    .on_joint = &flx_force_effort,
    .at = FLX_AT_PLACE,
    .law = FLX_LAW_FORCE,
    .unit = "N"};
