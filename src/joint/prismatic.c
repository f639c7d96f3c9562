// prismatic.c - one translation along an axis of the first body, no rotation.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    flx_plan_line(p);
    flx_plan_rotation(p);
}

static const flx_key_row keys[] = {
    FLX_KEY_AT,     FLX_KEY_AXIS, FLX_KEY_FRAME, FLX_KEYS_MOTION, FLX_KEY_FRICTION,
    FLX_KEY_LIMITS, {0}};

const flx_joint_kind flx_joint_PRISMATIC = {
    .says = {.word = "prismatic",
             .dimensions = "23",
             .doc = "translation along an axis",
             .example =
                 "rail: {type: prismatic, on: [ground, slider], at: slider, axis: [1, 0, 0]}",
             .keys = keys},
    .axes = {true, true},
    .on_point = {&flx_joint_POINT_ON_LINE, &flx_joint_POINT_ON_LINE},
    .space = rows,
    .plane = rows,
    .displacement = true,
    .own = FLX_COORDINATE_DISPLACEMENT,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_RATE | FLX_SIGNAL_LOADS | FLX_SIGNAL_DRIVE,
    .surface = {.slides = true},
    .tree = FLX_TREE_CARRIES,
    .nlink = 1,
    .link = {{FLX_ELEMENT_SLIDE, FLX_AXIS_Z}},
};
