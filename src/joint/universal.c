// universal.c - coincidence, and an axis of the first keeps its drawn angle to one of the second.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    v3 axis[2];
    for (int i = 0; i < 2; i++)
        axis[i] = flx_joint_initial_direction(p->model, j->body[i], j->axis[i]);
    flx_plan_point(p);
    flx_plan_dot(p, j->axis[0], j->axis[1], v3_dot(axis[0], axis[1]), "angle of the axes");
}

static const char *refuse_axes(v3 first, v3 second)
{
    bool apart = v3_norm(v3_cross(first, second)) > 1e-6;
    return apart ? NULL : "the two axes of a universal joint cannot be parallel";
}

static const flx_key_row keys[] = {FLX_KEY_AT,       FLX_KEY_AXES,   FLX_KEY_FRAME,
                                   FLX_KEY_FRICTION, FLX_KEY_LIMITS, {0}};

const flx_joint_kind flx_joint_UNIVERSAL = {
    .says =
        {.word = "universal",
         .dimensions = "3",
         .doc = "a cross: an axis in each body; the angle between the two is kept",
         .example =
             "cross: {type: universal, on: [slider, rod], at: [slider, rod.C], axes: [[1, 0, 0], "
             "[0, 1, 0]]}",
         .keys = keys},
    .in_plane = "revolute",
    .axes = {true, true},
    .instead = "spherical",
    .refuse_axes = refuse_axes,
    .space = space,
    .signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_RATE | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS |
               FLX_SIGNAL_CROSS,
    .surface = {.turns = true, .any = true, .whole = true},
    .tree = FLX_TREE_CARRIES,
    .nlink = 2,
    .link = {{FLX_ELEMENT_TURN, FLX_AXIS_OWN}, {FLX_ELEMENT_TURN, FLX_AXIS_OWN}},
};
