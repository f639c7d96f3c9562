// cylindrical.c - rotation about and translation along one axis.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    flx_plan_line(p);
    flx_plan_axis(p);
}

static const flx_key_row keys[] = {
    FLX_KEY_AT,     FLX_KEY_AXIS, FLX_KEY_FRAME, FLX_KEYS_MOTION, FLX_KEY_FRICTION,
    FLX_KEY_LIMITS, {0}};

const flx_joint_kind flx_joint_CYLINDRICAL = {
    .says = {.word = "cylindrical",
             .dimensions = "3",
             .doc = "translation along and rotation about an axis",
             .example = "sleeve: {type: cylindrical, on: [shaft, ring], at: ring, axis: [0, 0, 1]}",
             .keys = keys},
    .in_plane = "revolute",
    .axes = {true, true},
    .instead = "point-on-line",
    .space = space,
    .angle = true,
    .displacement = true,
    .own = FLX_COORDINATE_DISPLACEMENT,
    .signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_RATE | FLX_SIGNAL_ROTATION |
               FLX_SIGNAL_LOADS | FLX_SIGNAL_DRIVE,
    .surface = {.slides = true, .turns = true},
    .tree = FLX_TREE_CARRIES,
    .nlink = 2,
    .link = {{FLX_ELEMENT_SLIDE, FLX_AXIS_Z}, {FLX_ELEMENT_TURN, FLX_AXIS_Z}},
};
