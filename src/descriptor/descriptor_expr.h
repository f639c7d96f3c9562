// descriptor_expr.h - expressions of the descriptor system as data: what they are, what they depend on,
// where their derivatives go; switches and events.
#pragma once

#include "descriptor/groups/descriptor_groups.h"

#include "descriptor/descriptor.h"
#include "joint/joint.h"

// Nodes that are evaluated together, as one program over one list of inputs.
typedef enum flx_expr_group_kind {
    FLX_GROUP_TIME,       // motions: value, first and second derivative
    FLX_GROUP_TURN,       // joint angles without their turns
    FLX_GROUP_VALUE,      // forces, masses, right-hand sides
    FLX_GROUP_CONSTRAINT, // constraints and their gradients
    FLX_GROUP_BIAS,       // constraints on acceleration level without the accelerations
    FLX_GROUP_SLOPE,      // derivatives of the values
    FLX_GROUP_CURVE,      // derivatives of the gradients
    FLX_GROUP_THIRD,      // derivatives of the bias along positions, where the model is reduced
    FLX_GROUP_RATE,       // constraints on velocity level, where they move in time
    FLX_GROUP_SWITCH,     // values of the switches, then their slopes in time
    FLX_GROUP_WHEN,       // conditions of events
    FLX_GROUP_LIMIT,      // limits of friction that sticks
    FLX_GROUP_BOOK,       // what forces store, and the power that they lose
    FLX_GROUP_SET,        // new values, then targets and their gradients
    FLX_N_GROUPS
} flx_expr_group_kind;

typedef struct flx_expr_group {
    int n, capacity;
    flx_node *nodes;      // owned until compiled
    flx_program *program; // owned
    int out;              // first output in the work's array
} flx_expr_group;

// One expression of the residual, and what it depends on.
typedef struct flx_channel {
    flx_node node;
    int value; // number in FLX_GROUP_VALUE
    int dep, ndep;
} flx_channel;

typedef struct flx_dep { // number = place in FLX_GROUP_SLOPE
    int unknown;         // -1: of a reaction; FLX_DEP_NOWHERE
    bool rate;           // along the velocity of that unknown: goes to A1
    double factor;       // of the leaf by the unknown
    int width;           // of the unknown's block, the stride of a column
    int reading;         // reaction that is read; -1: none
    int component;       // of it
    flx_leaf leaf;       // what the derivative is along
} flx_dep;
#define FLX_DEP_NOWHERE (-2) // of a multiplier whose row is not selected: it is zero

// A reaction that expressions read, and the unknowns that it depends on.
typedef struct flx_reading {
    int joint;
    int n, *unknown, *width;
    int value; // in flx_descriptor_work.read: 6 components, then 6 slopes for each unknown
} flx_reading;

// A constraint of the equations.
typedef struct flx_expr_constraint {
    int row, complete, constraint;
    bool velocity;
    double C;                      // its compliance; of a velocity-level constraint: E
    int diag;                      // offset of the row's own entry
    int out;                       // value in FLX_GROUP_CONSTRAINT, then the gradient
    bool still;                    // does not move in time by itself: its rate is gradient times v
    int rate, bias;                // in their groups; rate -1: still
    int ndep, *unknown;            // gradient
    int *g, *gt;                   // (ndep) offsets of (row, unknown), (unknown, row)
    int ncurve;                    // second derivatives: gradient entry and unknown
    int curve;                     // first in FLX_GROUP_CURVE
    int *curve_entry, *curve_slot; // (ncurve) gradient's number, offset of (unknown, unknown)
    int nslope, slope; // velocity-level constraints: derivative along positions, in FLX_GROUP_CURVE
    int *slope_unknown, *slope_slot;
    int *curve_unknown; // (ncurve) position of each second derivative
    int third, nthird;  // derivatives of the bias, in FLX_GROUP_THIRD
    int *third_unknown; // (nthird)
    flx_row_switch held;
    int group; // of a row that holds or not
} flx_expr_constraint;

typedef struct flx_expr_input { // where the value of a leaf is found
    enum {
        FLX_INPUT_ZERO,
        FLX_INPUT_TIME,
        FLX_INPUT_FRAME, // double number `index` of the frames
        FLX_INPUT_Q,
        FLX_INPUT_V,
        FLX_INPUT_X,
        FLX_INPUT_W,
        FLX_INPUT_SWITCH, // a switch, a discrete variable or a count
        FLX_INPUT_TURN,   // filled after FLX_GROUP_TURN
        FLX_INPUT_ROW,    // multiplier of row `index`: constraints, then velocity-level constraints
        FLX_INPUT_DRIVE,  // ... with a minus
        FLX_INPUT_READ,   // of a reaction
        FLX_INPUT_PARAMETER,
    } source;
    int index;
} flx_expr_input;

// Accelerations of equations alone, in one program (descriptor_flat.c): a, lambda, mu, x', then the
// pivots relative to themselves.
typedef struct flx_flat {
    flx_program *program; // owned; NULL: not such a system
    int n, nratio;
    int out; // first output in the work's array
} flx_flat;

typedef struct flx_expressions {
    flx_expr_group group[FLX_N_GROUPS];
    int ninput;
    flx_expr_input *inputs;
    flx_leaf *leaves; // (ninput) what they are of
    int nhoisted;     // the last so many follow each other in param, too
    int nturn;        // joints whose turns are read
    int *turn_switch; // (nturn) their switch
    int nmotion;
    int nchannel, channel_capacity;
    flx_channel *channels;
    int ndep, dep_capacity;
    flx_dep *deps;
    int nreading, reading_capacity;
    flx_reading *readings; // owned
    int read_size;         // numbers of all readings
    int nconstraint;
    bool moving; // a constraint moves in time by itself
    bool thirds; // FLX_GROUP_THIRD is there
    flx_expr_constraint *constraints;
    int nout, scratch;
    flx_flat flat;
    flx_program *
        motion; // owned; values, constraints and bias in one, for accelerations; NULL: no constraints
    // Angles of the joints that count turns, without them; by switch. For outputs, so apart.
    struct {
        flx_program *program; // owned; NULL: no switch
        int ninput;
        flx_expr_input *inputs;
    } angles;
} flx_expressions;

// Unknowns that a dependency stands for.
static inline int flx_dep_count(const flx_expressions *x, const flx_dep *dep)
{
    if (dep->unknown == FLX_DEP_NOWHERE) return 0;
    return dep->reading < 0 ? 1 : x->readings[dep->reading].n;
}

// One direction along which an expression may be differentiated.
typedef struct flx_direction {
    int unknown;
    bool rate;     // a velocity
    flx_leaf leaf; // the leaf itself; for a position of a body: any of its leaves
    int body, d;   // unit motion of a body; body -1: partial derivative by the leaf
    double factor; // of the leaf by the unknown
    int reading;   // along component d of a reaction, which has unknowns of its own; -1: no
} flx_direction;

// One number that an event sets.
typedef struct flx_set {
    const flx_assignment *def;
    int value;  // in FLX_GROUP_SET; a velocity: then the target's own value
    int ndep;   // of a velocity: its gradient follows
    int *along; // (ndep) velocities
} flx_set;

typedef struct flx_switching {
    // first of each kind among the switches of a state: of expressions, discrete variables, counts,
    // strikes of clocks
    int first, discrete, count, clock;
    int watch;         // ... then two for each point of compliant contacts
    int *slope;        // (model's switches) in FLX_GROUP_SWITCH; -1: not of the time alone
    int *rate;         // (model's switches) there; -1: it depends on more than positions
    flx_set **sets;    // (nevent) of each event
    int *when;         // (nevent) in FLX_GROUP_WHEN; -1: a clock
    int nrow;          // velocities that are set
    bool linear;       // there is a slope
    bool reads_forces; // values depend on forces of constraints
    bool discrete_acts, count_acts; // the equations contain them
} flx_switching;
