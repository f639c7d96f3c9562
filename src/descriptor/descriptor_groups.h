// descriptor_groups.h - what a group of rows that holds or not is made of: a contact, a stop, friction of a joint that sticks.
#pragma once

#include "contact/gap.h"
#include "flexion/system.h"
#include "joint/scalar.h"
#include "model/model_data.h"

#include <stdbool.h>

typedef struct flx_group_spec {
    flx_gap gap; // of a point of a contact; pair NULL: of another source
    int contact, pair;
    bool normal;      // there is a one-sided constraint:
    flx_scalar depth; // sign * depth - constant <= 0, and its lambda >= 0
    double sign, constant;
    bool metres;  // the depth is a length
    int ntangent; // velocities of slip of the second relative to the first: rates of these
    flx_scalar slip[2];
    bool slips_metres;
    double friction, sticking, restitution;
    const char *item, *part; // borrowed from the model
    flx_loc loc;
} flx_group_spec;
