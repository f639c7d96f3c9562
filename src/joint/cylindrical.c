// cylindrical.c - rotation about and translation along one axis.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    flx_plan_line(p);
    flx_plan_axis(p);
}

const flx_joint_kind flx_joint_CYLINDRICAL = {.space = space, .angle = true, .displacement = true};
