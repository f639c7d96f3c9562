// contact_system.h - a few bodies with one-sided constraints and friction, filled into the table of
// flexion/system.h by hand:
//
//     M q'' = f - K q - D q' + forces of contacts and joints
//
// Gaps, slips and joints are functions of the same kind of the coordinates, with all derivatives exact.
#pragma once

#include "flexion/extend/system_table.h"

#define CONTACT_MOST 12 // coordinates, groups, joints

// h(q) = offset + along . q + size sin(q[angle] + phase)
typedef struct contact_place {
    double offset, along[CONTACT_MOST];
    double size, phase;
    int angle;
} contact_place;

typedef struct contact_pair {
    contact_place gap; // ignored without a normal row
    int alone;         // friction alone: no normal row, limit as given
    double limit;      // ... of it: |mu| <= limit + by_joint |lambda of joint 0|
    double by_joint;
    int ntangent;
    contact_place slip[2]; // slip = h' - belt
    double belt[2];
    double friction, sticking, restitution;
} contact_pair;

typedef struct contact_numbers {
    int n, npair, njoint;
    double mass[CONTACT_MOST * CONTACT_MOST]; // n x n
    double stiffness[CONTACT_MOST], damping[CONTACT_MOST], force[CONTACT_MOST];
    contact_pair pair[CONTACT_MOST];
    contact_place joint[CONTACT_MOST]; // h = 0
} contact_numbers;

// NULL: no memory. Destroy with flx_system_destroy. All groups of a new state are open.
flx_system *contact_system_create(flx_ctx *ctx, const contact_numbers *numbers);
