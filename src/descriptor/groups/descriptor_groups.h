// descriptor_groups.h - what a group of rows that holds or not is made of: a contact, a stop, friction of a joint that sticks.
#pragma once

#include "contact/gap.h"
#include "flexion/extend/system_table.h"
#include "joint/scalar.h"
#include "model/model_data.h"

#include <stdbool.h>

// Of a row that holds or not: the switch of its group, and from which flx_contact_state on the row holds. from 0: a row that
// always does. aside: of a slip the switch of its direction, which is not 0 while the group sticks where others hold this slip.
typedef struct flx_row_switch {
    int state, from, aside;
} flx_row_switch;

static inline bool flx_row_opens(flx_row_switch h, const double *switches)
{
    if (h.from == 0) return false;
    return switches[h.state] < h.from || (h.from == FLX_CONTACT_STICKS && switches[h.aside] != 0.0);
}

typedef struct flx_group_spec {
    flx_gap gap; // of a point of a contact; pair NULL: of another source
    int contact, pair;
    double thickness; // of both surfaces together; infinite: one has no end
    int stop;         // of a rigid stop: 2 its number + its bound + 1; else 0
    int point; // 1 + the point of a compliant contact whose normal force it rubs with; else 0
    // Constraints of the equations in the place of scalars: the value of the first is the depth, that of the other the velocity
    // of slip; -1: none.
    int equation, slip_equation;
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
