// point_on_plane.c - a point of the second stays on a plane of the first (in 2D: a line), whose
// normal is the axis.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    const double *F = p->joint->frame[0];
    flx_plan_plane(p, (double[3]){F[2], F[5], F[8]}, "normal");
}

static const flx_key_row keys[] = {FLX_KEY_AT, FLX_KEY_AXIS, FLX_KEY_FRAME, {0}};

const flx_joint_kind flx_joint_POINT_ON_PLANE = {
    .says = {.word = "point-on-plane",
             .dimensions = "23",
             .doc =
                 "a point of the second stays on a plane of the first, in the plane on a line; the "
                 "axis is its normal",
             .example =
                 "floor: {type: point-on-plane, on: [ground, foot], at: foot, axis: [0, 0, 1]}",
             .keys = keys},
    .also = {.word = "in-plane",
             .dimensions = "23",
             .doc = "another word for point-on-plane",
             .example = "floor: {type: in-plane, on: [ground, foot], at: foot, axis: [0, 0, 1]}",
             .keys = keys},
    .axes = {true, false},
    .on_point = {&flx_joint_POINT_ON_PLANE, &flx_joint_POINT_ON_PLANE},
    .space = rows,
    .plane = rows,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_REACTION,
};
