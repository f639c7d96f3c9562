// spherical.c - coincidence of two points, rotation free.
#include "joint/joint.h"

static const flx_key_row keys[] = {
    FLX_KEY_AT,
    {.key = "axis",
     .form = "vector",
     .doc =
         "Of its `limits`: the direction that swings and twists, in the initial configuration, in "
         "ground coordinates or those of `frame`."},
    FLX_KEY_FRAME_IN(0),
    FLX_KEY_LIMITS,
    FLX_KEY_FRICTION,
    {0}};

const flx_joint_kind flx_joint_SPHERICAL = {
    .says = {.word = "spherical",
             .dimensions = "3",
             .doc = "a ball: any rotation about a point",
             .example = "B: {type: spherical, on: [crank, rod], at: crank.pin}",
             .keys = keys},
    .in_plane = "revolute",
    .on_point = {NULL, &flx_joint_SPHERICAL},
    .space = flx_plan_point,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS | FLX_SIGNAL_BALL,
    .surface = {.turns = true, .any = true, .whole = true},
    .tree = FLX_TREE_CARRIES,
    .nlink = 1,
    .link = {{FLX_ELEMENT_BALL, FLX_AXIS_Z}},
};
