// point_on_plane.c - a point of the second stays on a plane of the first (in 2D: a line), whose
// normal is the axis.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    const double *F = p->joint->frame[0];
    flx_plan_plane(p, (double[3]){F[2], F[5], F[8]}, "normal");
}

const flx_joint_kind flx_joint_POINT_ON_PLANE = {.space = rows, .plane = rows};
