// effort.c - a value along the coordinate of a joint: forces and torques on joints.
#include "force/force_kind.h"

static const flx_force_signal signals[] = {{"value", NULL}, {"power", "W"}, {0}};

static flx_status along(flx_force_plan *p)
{
    return flx_force_add_coordinate(p, FLX_COORDINATE_NONE);
}

const flx_force_kind flx_force_effort = {.word = "force on a joint",
                                         .mixed = "force on a joint, mixed",
                                         .signals = signals,
                                         .joint = true,
                                         .along = along,
                                         .sign = -1.0};
