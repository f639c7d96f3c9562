// point_on_curve.c - a point of the second stays on a curve of the first: its nearest place s on the curve follows from the
// frames, and what is left are the functions (CRV-1) of the place beside it, two in space, one in the plane.
#include "joint/joint.h"

static void rows(flx_joint_plan *p)
{
    static const char *const parts[] = {"across the curve", "across the curve, second"};
    for (int i = 0; i < p->model->dimension - 1; i++) {
        flx_row_spec *r = flx_plan_scalar(p, FLX_SCALAR_CURVE, parts[i]);
        r->metres = true;
        flx_plan_curve(p->model, p->number, i, r->term);
    }
}

static const flx_key_row keys[] = {
    {.key = "at",
     .form = "place",
     .needed = true,
     .unit = "m",
     .doc = "Place of the second body, by name or in ground coordinates of the initial "
            "configuration."},
    {.key = "curve",
     .form = "[place;2..]",
     .needed = true,
     .unit = "m",
     .doc = "Points of the first body: a smooth curve (cubic spline) goes through them. By name or "
            "in ground coordinates of the initial configuration, or those of `frame`."},
    {.key = "closed",
     .form = "bool",
     .initial = "false",
     .doc = "The curve goes on from the last point to the first."},
    {.key = "frame",
     .form = "name",
     .initial = "ground",
     .doc = "Body or point in whose coordinates the points of the curve are given."},
    {0}};

const flx_joint_kind flx_joint_POINT_ON_CURVE = {
    .says = {.word = "point-on-curve",
             .dimensions = "23",
             .doc = "a point of the second stays on a curve of the first",
             .example = "rail: {type: point-on-curve, on: [ground, bead], at: bead, "
                        "curve: [[0, 0, 1], [1, 0, 0.5], [2, 0.5, 0], [3, 0, 1]]}",
             .keys = keys},
    .axes = {true, false},
    .on_point = {&flx_joint_POINT_ON_CURVE, &flx_joint_POINT_ON_CURVE},
    .space = rows,
    .plane = rows,
    .curve = true,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_REACTION,
    .symbol = "point-on-line",
};
