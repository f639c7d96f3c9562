// revolute.c - one rotation about an axis fixed in both bodies: coincidence and parallel axes; in
// the plane coincidence alone.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    flx_plan_point(p);
    flx_plan_axis(p);
}

const flx_joint_kind flx_joint_REVOLUTE = {.space = space, .plane = flx_plan_point, .angle = true};
