// point_on_line.c - a point of the second stays on a line of the first.
#include "joint/joint.h"

static const flx_key_row keys[] = {
    FLX_KEY_AT,     FLX_KEY_AXIS, FLX_KEY_FRAME, FLX_KEYS_MOTION, FLX_KEY_FRICTION,
    FLX_KEY_LIMITS, {0}};

const flx_joint_kind flx_joint_POINT_ON_LINE = {
    .says =
        {.word = "point-on-line",
         .dimensions = "23",
         .doc = "a point of the second stays on a line of the first",
         .example =
             "guide: {type: point-on-line, on: [base, pin], at: [[0, 0, 0], pin], axis: [0, 1, 0]}",
         .keys = keys},
    .also = {.word = "in-line",
             .dimensions = "23",
             .doc = "another word for point-on-line",
             .example =
                 "guide: {type: in-line, on: [base, pin], at: [[0, 0, 0], pin], axis: [0, 1, 0]}",
             .keys = keys},
    .axes = {true, false},
    .on_point = {&flx_joint_POINT_ON_LINE, &flx_joint_POINT_ON_LINE},
    .space = flx_plan_line,
    .plane = flx_plan_line,
    .displacement = true,
    .own = FLX_COORDINATE_DISPLACEMENT,
    .signals = FLX_SIGNAL_DISPLACEMENT | FLX_SIGNAL_RATE | FLX_SIGNAL_REACTION | FLX_SIGNAL_DRIVE,
    .surface = {.slides = true},
};
