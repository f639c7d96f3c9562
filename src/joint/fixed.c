// fixed.c - no relative motion.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    flx_plan_point(p);
    flx_plan_rotation(p);
}

const flx_joint_kind flx_joint_FIXED = {.space = rows, .plane = rows};
