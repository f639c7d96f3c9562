// fixed.c - no relative motion.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    flx_plan_point(p);
    flx_plan_rotation(p);
}

static const flx_key_row keys[] = {FLX_KEY_AT, {0}};

const flx_joint_kind flx_joint_FIXED = {
    .says = {.word = "fixed",
             .dimensions = "23",
             .doc = "no relative motion",
             .example = "weld: {type: fixed, on: [ground, base], at: [0, 0, 0]}",
             .keys = keys},
    .rigid = true,
    .axes = {true, true},
    .on_point = {&flx_joint_REVOLUTE, &flx_joint_SPHERICAL},
    .space = rows,
    .plane = rows,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS,
    .tree = FLX_TREE_CARRIES,
};
