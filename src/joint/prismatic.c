// prismatic.c - one translation along an axis of the first body, no rotation.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    flx_plan_line(p);
    flx_plan_rotation(p);
}

const flx_joint_kind flx_joint_PRISMATIC = {.space = rows, .plane = rows, .displacement = true};
