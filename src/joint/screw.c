// screw.c - rotation about an axis and, in proportion, translation along it:
// displacement = pitch/(2 pi) angle, over any number of turns.
#include "joint/joint.h"

static void space(flx_joint_plan *p)
{
    flx_plan_line(p);
    flx_plan_axis(p);
    flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_PLANE, "thread");
    r->metres = true;
    r->nterm = 2;
    flx_joint_scalar(p->model, p->number, FLX_COORDINATE_DISPLACEMENT, &r->term[0]);
    flx_joint_scalar(p->model, p->number, FLX_COORDINATE_ANGLE, &r->term[1]);
    r->coefficient[1] = -p->joint->pitch / (2.0 * FLX_PI);
}

const flx_joint_kind flx_joint_SCREW = {.space = space, .angle = true, .displacement = true};
