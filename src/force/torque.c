// torque.c - a torque on a body, between two, or on a joint.
#include "force/force_kind.h"

static const flx_key_row keys[] = {
    FLX_FORCE_ROW_ON_ANY,
    FLX_FORCE_ROW_AT_PLACE,
    {.key = "value",
     .form = "number | [number;3]@3",
     .needed = true,
     .unit = "N m",
     .doc = "The torque: a vector, or a number with `axis`, on a joint, in the plane."},
    {.key = "axis",
     .form = "vector",
     .doc = "Direction of a torque that is a number, in the coordinates of `frame`; any length.",
     .dimension = 3},
    FLX_FORCE_ROW_FRAME(3),
    FLX_FORCE_ROW_DISSIPATIVE,
    FLX_FORCE_ROW_FORM,
    {0}};

const flx_force_word flx_word_torque = {
    .row = {.word = "torque",
            .dimensions = "23",
            .doc = "a torque on a body, between two, or on a joint",
            .example = "T1: {type: torque, on: crank, axis: [0, 0, 1], value: 0.2*sin(omega*t)}",
            .keys = keys},
    .kind = &flx_force_wrench,
    .on_joint = &flx_force_effort,
    .at = FLX_AT_NODE,
    .law = FLX_LAW_TORQUE,
    .unit = "N m"};
