// parallel_axes.c - an axis of the second stays parallel to one of the first; all else is free. One of the primitives that
// other joints are made of.
#include "joint/joint.h"

static const flx_key_row keys[] = {FLX_KEY_AT_IF_GIVEN, FLX_KEY_AXIS,   FLX_KEY_FRAME,
                                   FLX_KEYS_MOTION,     FLX_KEY_LIMITS, {0}};

const flx_joint_kind flx_joint_PARALLEL_AXES = {
    .says = {.word = "parallel-axes",
             .dimensions = "3",
             .doc = "an axis of the second stays parallel to one of the first; all else is free",
             .example = "level: {type: parallel-axes, on: [ground, tray], axis: [0, 0, 1]}",
             .keys = keys},
    .in_plane = "free",
    .axes = {true, true},
    .instead = "free",
    .space = flx_plan_axis,
    .angle = true,
    .own = FLX_COORDINATE_ANGLE,
    .signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_RATE | FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION |
               FLX_SIGNAL_LOADS | FLX_SIGNAL_DRIVE,
    .symbol = "knife-edge", // on the second body: it has no place on the first
};
