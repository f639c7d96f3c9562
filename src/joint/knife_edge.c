// knife_edge.c - the place on the second body has no velocity, relative to the first, along a
// direction that is fixed in the second: a skate, a sail's keel.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    bool flat = p->model->dimension == 2;
    flx_row_spec *r = flx_plan_scalar(p, flat ? FLX_SCALAR_KNIFE2 : FLX_SCALAR_KNIFE, "slip");
    const double *F = p->joint->frame[1];
    r->metres = r->velocity = true;
    v3_store(r->term[0].b, v3_make(F[2], F[5], F[8]));
}

static const flx_key_row keys[] = {FLX_KEY_AT, FLX_KEY_AXIS, FLX_KEY_FRAME, {0}};

const flx_joint_kind flx_joint_KNIFE_EDGE = {
    .says = {.word = "knife-edge",
             .dimensions = "23",
             .doc = "no velocity along a direction fixed in the second body",
             .example =
                 "skate: {type: knife-edge, on: [ground, sledge], at: sledge, axis: [0, 1, 0]}",
             .keys = keys},
    .axes = {true, true},
    .on_point = {&flx_joint_KNIFE_EDGE, &flx_joint_KNIFE_EDGE},
    .space = rows,
    .plane = rows,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_REACTION,
};
