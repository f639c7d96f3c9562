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

static const flx_key_row keys[] = {FLX_KEY_AT,
                                   FLX_KEY_AXIS,
                                   FLX_KEY_FRAME,
                                   {.key = "pitch",
                                    .form = "number",
                                    .needed = true,
                                    .unit = "m",
                                    .doc = "Lead: displacement along the axis per revolution."},
                                   FLX_KEYS_MOTION,
                                   FLX_KEY_FRICTION,
                                   FLX_KEY_LIMITS,
                                   {0}};

const flx_joint_kind flx_joint_SCREW = {
    .says =
        {.word = "screw",
         .dimensions = "3",
         .doc = "rotation about an axis, coupled with translation along it",
         .example =
             "spindle: {type: screw, on: [ground, nut], at: nut, axis: [0, 0, 1], pitch: 0.005}",
         .keys = keys},
    .in_plane = "prismatic",
    .axes = {true, true},
    .instead = "point-on-line",
    .space = space,
    .angle = true,
    .displacement = true,
    .own = FLX_COORDINATE_ANGLE,
    .threaded = true,
    .signals = FLX_SIGNAL_ANGLE | FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_RATE | FLX_SIGNAL_ROTATION |
               FLX_SIGNAL_LOADS | FLX_SIGNAL_DRIVE,
    .surface = {.slides = true,
                .turns = true,
                .whole = true}, // the thread carries the load along the axis
    .tree = FLX_TREE_CARRIES,
    .nlink = 1,
    .link = {{FLX_ELEMENT_SCREW, FLX_AXIS_Z}},
};
