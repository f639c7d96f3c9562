// free.c - no row at all: says that a body is free, for the tree form.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    (void)p;
}

static const flx_key_row keys[] = {FLX_KEY_AT_IF_GIVEN, {0}};

const flx_joint_kind flx_joint_FREE = {
    .says = {.word = "free",
             .dimensions = "23",
             .doc = "no constraint: names the relative motion",
             .example = "float: {type: free, on: [ground, boat]}",
             .keys = keys},
    .loose = true,
    .on_point = {&flx_joint_FREE, &flx_joint_FREE},
    .space = rows,
    .plane = rows,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_ROTATION | FLX_SIGNAL_LOADS,
    .plane_signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_RATE,
    .tree = FLX_TREE_CARRIES,
    .nlink = 1,
    .link = {{FLX_ELEMENT_SHIFT, FLX_AXIS_Z}},
};
