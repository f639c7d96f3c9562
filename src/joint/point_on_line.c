// point_on_line.c - a point of the second stays on a line of the first.
#include "joint/joint.h"

const flx_joint_kind flx_joint_POINT_ON_LINE = {
    .space = flx_plan_line, .plane = flx_plan_line, .displacement = true};
