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

static flx_status check(const flx_model *m, const flx_joint *j)
{
    if (j->length > 0) return FLX_OK;
    return FLX_FAIL(m->ctx, FLX_ERR_MODEL, j->loc,
                    "joint '%s': length must be positive; to hold two points on one spot use "
                    "a %s joint",
                    j->name, m->dimension == 2 ? "revolute" : "spherical");
}

static const flx_key_row keys[] = {FLX_KEY_PAIR,
                                   {.key = "length",
                                    .form = "number",
                                    .unit = "m",
                                    .initial = "that of the initial configuration",
                                    .doc = "The distance kept."},
                                   {0}};

const flx_joint_kind flx_joint_DISTANCE = {
    .says = {.word = "distance",
             .dimensions = "23",
             .doc = "two places keep their distance",
             .example = "rod: {type: distance, on: [left, right], at: [left, right], length: 1}",
             .keys = keys},
    .on_point = {&flx_joint_DISTANCE, &flx_joint_DISTANCE},
    .check = check,
    .space = rows,
    .plane = rows,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_REACTION,
};
