// revolute.c - one rotation about an axis fixed in both bodies: coincidence and parallel axes; in
// the plane coincidence alone.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    flx_plan_point(p);
    flx_plan_axis(p);
}

static const flx_key_row keys[] = {FLX_KEY_AT,
                                   FLX_KEY_AXIS_IN(3),
                                   FLX_KEY_FRAME_IN(3),
                                   FLX_KEYS_MOTION,
                                   FLX_KEY_FRICTION,
                                   FLX_KEY_LIMITS,
                                   {0}};

const flx_joint_kind flx_joint_REVOLUTE = {
    .says =
        {.word = "revolute",
         .dimensions = "23",
         .doc = "rotation about an axis; planar: about z",
         .example =
             "A: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], initial: "
             "{angle: 0.1, rate: 2}}",
         .keys = keys},
    .axes = {true, true},
    .on_point = {&flx_joint_REVOLUTE, NULL},
    .instead = "spherical",
    .space = space,
    .plane = flx_plan_point,
    .angle = true,
    .own = FLX_COORDINATE_ANGLE,
    .signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_RATE | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS |
               FLX_SIGNAL_DRIVE,
    .surface = {.turns = true},
    .tree = FLX_TREE_CARRIES,
    .nlink = 1,
    .link = {{FLX_ELEMENT_TURN, FLX_AXIS_Z}},
};
