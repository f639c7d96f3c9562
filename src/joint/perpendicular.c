// perpendicular.c - an axis of the first and one of the second stay at a right angle; all else is free. One of the
// primitives that other joints are made of.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    flx_plan_dot(p, p->joint->axis[0], p->joint->axis[1], 0.0, "right angle");
}

static const char *refuse_axes(v3 first, v3 second)
{
    bool right = fabs(v3_dot(first, second)) < 1e-6;
    return right ? NULL : "the two axes of a perpendicular joint must be drawn at a right angle";
}

static const flx_key_row keys[] = {FLX_KEY_AT_IF_GIVEN, FLX_KEY_AXES, FLX_KEY_FRAME, {0}};

const flx_joint_kind flx_joint_PERPENDICULAR = {
    .says = {.word = "perpendicular",
             .dimensions = "3",
             .doc = "an axis of the first and one of the second stay at a right angle; all else is "
                    "free",
             .example =
                 "square: {type: perpendicular, on: [table, arm], axes: [[0, 0, 1], [1, 0, 0]]}",
             .keys = keys},
    .in_plane = "free",
    .axes = {true, true},
    .instead = "free",
    .refuse_axes = refuse_axes,
    .space = space,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS,
    .symbol = "knife-edge", // on the second body: it has no place on the first
};
