// gear.c - the coordinate of one joint follows that of another:
// second = ratio * first, both zero as drawn, over any number of turns.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    const flx_joint *j = p->joint;
    flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_ANGLE, "ratio");
    r->nterm = 2;
    flx_joint_scalar(p->model, j->joint[1], FLX_COORDINATE_NONE, &r->term[0]);
    flx_joint_scalar(p->model, j->joint[0], FLX_COORDINATE_NONE, &r->term[1]);
    r->coefficient[1] = -j->ratio;
    flx_scalar_kind k = r->term[0].kind;
    r->metres = k == FLX_SCALAR_PLANE || k == FLX_SCALAR_PLANE2;
}

const flx_joint_kind flx_joint_GEAR = {.space = rows, .plane = rows};
