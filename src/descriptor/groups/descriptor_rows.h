// descriptor_rows.h - what rows of constraints are in a descriptor: of joints and equations, and of groups that hold or not.
#pragma once

#include "descriptor/groups/descriptor_groups.h"
#include "joint/joint.h"

// A constraint or velocity-level constraint: sum of coefficient * scalar - motion(t) - constant.
typedef struct flx_scalar_row {
    int row; // among the constraints, or the velocity-level constraints
    int nterm;
    flx_scalar term[2];
    flx_row_place place[2];
    double coefficient[2];
    int motion; // number of the time function, -1: none
    double constant;
    double sigma, tau, C; // (SYS-3); velocity rows: 1, 0, 0
    int diag;             // offset of the row's own entry
    flx_row_switch held;
    bool elsewhere; // a term evaluates it: force, row and tangent
} flx_scalar_row;

// What one constraint (the first nlam) or velocity-level constraint (then nmu) is.
typedef struct flx_row_info {
    const char *item, *part;
    flx_loc loc;
    int complete;   // number in the complete system; -1: holds a start
    int joint;      // -1: of an equation or a force
    int constraint; // of the equations; -1: none
    bool metres;
    bool one_sided; // its multiplier is zero or positive
    flx_row_role role;
    double sigma, tau, C;
    flx_row_switch held;
    int group; // of a row that holds or not; else no meaning
} flx_row_info;

typedef struct flx_joint_rows {    // of one joint
    int constraint, nconstraint;   // first and number among the constraints
    int vconstraint, nvconstraint; // among the velocity-level constraints
    int constraint_block, vconstraint_block;
    int first[4], count[4]; // in the arrays of points, axes, scalars and velocity scalars
    int whole[2];           // constraints and velocity-level constraints when none is left out
    int drive; // row of the motion among the constraints or velocity-level constraints, -1: none
    bool drive_velocity; // among the velocity-level constraints
    bool read;           // a force depends on its multipliers
} flx_joint_rows;

// A group of rows that hold or not (flx_contact_group): its rows are among the others, the friction while it slides is not.
typedef struct flx_row_group {
    flx_contact_group is;
    flx_group_spec of;
    int scalar, vscalar;     // its rows among scalars, and the first among vscalars
    flx_row_place column[2]; // where the friction along a tangent reads lambda
    int equation, slip;      // of equations: its rows among their constraints; -1: none
    int *slots; // ... where the friction reads lambda, one for each derivative of the slip
} flx_row_group;

// Whether it has friction of its normal force while it slides.
static inline bool flx_group_rubs(const flx_row_group *g)
{
    return g->is.normal >= 0 && g->is.ntangent > 0 && g->is.friction > 0.0;
}

// The same of a compliant contact, whose normal force is no multiplier of the group.
static inline bool flx_group_rubs_softly(const flx_row_group *g)
{
    return g->of.point > 0 && g->is.ntangent > 0 && g->is.friction > 0.0;
}

typedef struct flx_segment { // coordinates that are a vector space
    int q, v, n;
} flx_segment;
