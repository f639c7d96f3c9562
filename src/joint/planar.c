// planar.c - the second body slides on a plane of the first and turns about its normal.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    const double *F = p->joint->frame[0];
    flx_plan_plane(p, (double[3]){F[2], F[5], F[8]}, "normal");
    flx_plan_axis(p);
}

static const flx_key_row keys[] = {FLX_KEY_AT,      FLX_KEY_AXIS,   FLX_KEY_FRAME,
                                   FLX_KEYS_MOTION, FLX_KEY_LIMITS, {0}};

const flx_joint_kind flx_joint_PLANAR = {
    .says = {.word = "planar",
             .dimensions = "3",
             .doc = "translation in a plane and rotation about its normal, the axis",
             .example = "table: {type: planar, on: [ground, puck], at: puck, axis: [0, 0, 1]}",
             .keys = keys},
    .in_plane = "free",
    .axes = {true, true},
    .on_point = {NULL, &flx_joint_POINT_ON_PLANE},
    .space = space,
    .angle = true,
    .own = FLX_COORDINATE_ANGLE,
    .signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_RATE | FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION |
               FLX_SIGNAL_LOADS | FLX_SIGNAL_DRIVE,
    .tree = FLX_TREE_CARRIES,
    .nlink = 3,
    .link = {{FLX_ELEMENT_SLIDE, FLX_AXIS_X},
             {FLX_ELEMENT_SLIDE, FLX_AXIS_Y},
             {FLX_ELEMENT_TURN, FLX_AXIS_Z}},
};
