// distance.c - two points keep their distance L > 0: (|d|^2 - L^2)/(2 L) = 0. Polynomial, so Newton
// has no corner at |d| = 0, and scaled to the gradient of |d| on the constraint. L = 0 would have
// no gradient there and is refused: that is coincidence.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    bool flat = p->model->dimension == 2;
    flx_row_spec *r = flx_plan_scalar(p, flat ? FLX_SCALAR_SQUARE2 : FLX_SCALAR_SQUARE, "length");
    r->metres = true;
    r->term[0].length = p->joint->length;
}

const flx_joint_kind flx_joint_DISTANCE = {.space = rows, .plane = rows};
