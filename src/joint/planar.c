// planar.c - the second body slides on a plane of the first and turns about its normal.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    const double *F = p->joint->frame[0];
    flx_plan_plane(p, (double[3]){F[2], F[5], F[8]}, "normal");
    flx_plan_axis(p);
}

const flx_joint_kind flx_joint_PLANAR = {.space = space, .angle = true};
