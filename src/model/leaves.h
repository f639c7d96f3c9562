// leaves.h - the leaves of a model's graph.
//
// What the nodes of a model depend on. A system fills these from its state; component counts are
// in brackets. Body leaves are at the centre of mass: a point p of the body frame is at
// position + R (p - com).
#pragma once

#include "expr/expr.h"

typedef enum flx_leaf_kind {
    FLX_LEAF_TIME,          // t
    FLX_LEAF_PARAMETER,     // index: of an open parameter (flx_tunable); component: of a list
    FLX_LEAF_BODY_POSITION, // [3] centre of mass, ground axes
    FLX_LEAF_BODY_ROTATION, // [9] R row-major, body to ground; planar: [1] the angle
    FLX_LEAF_BODY_VELOCITY, // [3] of the centre of mass, ground axes
    FLX_LEAF_BODY_ANGULAR_VELOCITY,     // [3] angular velocity, BODY axes; planar: [1]
    FLX_LEAF_BODY_ACCELERATION,         // [3] of the centre of mass, ground axes; outputs only
    FLX_LEAF_BODY_ANGULAR_ACCELERATION, // [3] derivative of the spin, body axes; outputs only
    FLX_LEAF_VARIABLE,                  // second-order variable of equations
    FLX_LEAF_VARIABLE_RATE,
    FLX_LEAF_VARIABLE_RATE2, // outputs only
    FLX_LEAF_STATE,          // first-order variable (mass not 0)
    FLX_LEAF_STATE_RATE,     // outputs only
    FLX_LEAF_ALGEBRAIC,      // first-order variable with mass 0
    FLX_LEAF_TURNS,          // index: joint; whole turns counted so far (a switch)
    FLX_LEAF_SWITCH,         // index: number in flx_model.switches; frozen between instants
    FLX_LEAF_DISCRETE,       // index: discrete variable; changes at events only
    FLX_LEAF_COUNT,          // index: event; how often it has happened
    FLX_LEAF_REACTION,       // [6] index: joint; force and moment on the second body at the
                             // joint, ground axes
    FLX_LEAF_DRIVE,          // index: joint; effort of its motion
    FLX_LEAF_MULTIPLIER,     // index: constraint of equations
    FLX_LEAF_STICK, // [2] index: friction that sticks; what it does (flx_contact_state), and the
                    // direction in which it slides
    FLX_LEAF_STOP, // index: joint; component: 2 of its rigid stop + bound; the effort that it takes
    FLX_LEAF_GRIP, // index: friction that sticks; the effort that it holds against
    FLX_LEAF_PULL, // [6] index: force whose force is an unknown
    FLX_LEAF_ENERGY,   // [5] kinetic, potential, strain, dissipated, total; outputs only
    FLX_LEAF_MOMENTUM, // [6] linear, angular about the origin; outputs only
    FLX_LEAF_INERTIA, // [10] index: 0 all bodies, else body + 1 with all that follows it; momentum, linear and
    // angular about the origin; mass times place of its centre; mass; outputs only
    FLX_LEAF_LOAD, // [6] index: attached frame; force and moment that act there, ground axes; outputs only
    FLX_LEAF_CONSTRAINTS, // [2] largest position and velocity residual; outputs only
    FLX_LEAF_SECTION,     // [6] index: body, a node of a beam; force and moment of the part after
                          // it on the part before it, ground axes; outputs only
    FLX_LEAF_RESULTANT, // [7] index: force on a solid; force, moment about the origin, power; outputs
                        // only
    FLX_LEAF_CONTACT,   // [FLX_CONTACT_SIGNALS] index: force of type contact; outputs only
    FLX_LEAF_MODES,     // [4 count] index: analysis; re, im, frequency, damping; outputs only
    FLX_LEAF_STRESS,    // index: flexible body; its largest von Mises stress; outputs only
    FLX_LEAF_FACTOR,    // index: analysis; the factor of its loads, 1 outside of it
    FLX_LEAF_INPUT,     // [5] index: input; flx_input_part; changes between steps only
    FLX_LEAF_NUMBER,    // index: number of a system that follows from parameters alone (hoist.c)
    FLX_LEAF_MEASURE,   // index: single measure; in expressions over measures alone
    FLX_LEAF_KINDS,
} flx_leaf_kind;

// Components of FLX_LEAF_ENERGY; what is dissipated is a sum along the run.
enum {
    FLX_ENERGY_KINETIC = 0,
    FLX_ENERGY_STRAIN = 2,
    FLX_ENERGY_DISSIPATED = 3,
    FLX_ENERGY_TOTAL = 4
};

static inline flx_leaf flx_leaf_make(flx_leaf_kind kind, int index, int component)
{
    return ((flx_leaf)kind << 56) | ((flx_leaf)(uint32_t)index << 8) |
           (flx_leaf)(unsigned)component;
}
static inline flx_leaf_kind flx_leaf_get_kind(flx_leaf l)
{
    return (flx_leaf_kind)(l >> 56);
}
static inline int flx_leaf_get_index(flx_leaf l)
{
    return (int)(uint32_t)((l >> 8) & 0xffffffffu);
}
static inline int flx_leaf_get_component(flx_leaf l)
{
    return (int)(l & 0xff);
}

// ---- what a kind is -----------------------------------------------------------------------------

// What a leaf is among the quantities of a system; bits.
typedef enum flx_quantity {
    FLX_QUANTITY_TIME = 1 << 0,
    FLX_QUANTITY_PARAMETER = 1 << 1, // a number of the run: it changes between steps at most
    FLX_QUANTITY_HELD = 1 << 2,      // changes at events only
    FLX_QUANTITY_POSITION = 1 << 3,
    FLX_QUANTITY_VELOCITY = 1 << 4,
    FLX_QUANTITY_ACCELERATION = 1 << 5,
    FLX_QUANTITY_STATE = 1 << 6, // of first order
    FLX_QUANTITY_STATE_RATE = 1 << 7,
    FLX_QUANTITY_ALGEBRAIC = 1 << 8,
    FLX_QUANTITY_FORCE = 1 << 9,   // of constraints, and of forces that are unknowns
    FLX_QUANTITY_RESULT = 1 << 10, // follows from a state
    FLX_QUANTITY_MEASURE = 1 << 11,
} flx_quantity;

struct flx_model;
struct flx_body_motion;

typedef struct flx_leaf_traits {
    const char *name; // what messages call it: "an acceleration"
    const char *unit; // NULL: that of the item that it is of
    flx_quantity quantity;
    bool body, joint; // what its index is of; neither: of something else
    bool output_only; // known when a step is done
    bool by_powers;   // contains energies or powers that expressions give
    // Its rate; NULL: it has none.
    flx_node (*rate)(flx_graph *g, const struct flx_model *m, int index, int component);
    // Along a unit motion of its body; NULL: it stays.
    flx_node (*moved)(flx_graph *g, const struct flx_body_motion *b, int component);
    // Its number among the parameters of a run; NULL: it is none of them.
    int (*parameter)(const struct flx_model *m, flx_leaf leaf);
    int target; // what an event sets in setting it, flx_target_kind; -1: a velocity, or nothing
    const char *fixed; // why an event cannot set it; NULL: for no reason of its own
} flx_leaf_traits;

// The table; kinds of others (of exported equations) have none: NULL.
const flx_leaf_traits *flx_leaf_traits_of(flx_leaf_kind kind);
bool flx_leaf_is(flx_leaf leaf, unsigned quantities);
// The same for flx_graph_depends; quantities: an unsigned.
bool flx_leaf_is_any(void *quantities, flx_leaf leaf);
// Known when a step is done; *name (may be NULL) is set to what messages call it. For flx_graph_depends.
bool flx_leaf_is_output_only(void *name, flx_leaf leaf);

// Rule of time for flx_graph_derive: position' = velocity, R' = R spin~, velocity' = acceleration,
// variable' = rate, t' = 1, turns' = 0, ... user: the model.
flx_node flx_leaf_time_rate(flx_graph *g, void *model, flx_leaf leaf);

// Rule of one unit motion of a body for flx_graph_derive, velocities held:
// d = 0..2 translation of the centre of mass along ground axes, d = 3..5 rotation about body axes
// (R <- R exp(theta~): dR = R e_k~); planar: d = 0, 1 and 2 the angle.
typedef struct flx_body_motion {
    const struct flx_model *model;
    int body, d;
} flx_body_motion;
flx_node flx_leaf_body_motion(flx_graph *g, void *body_motion, flx_leaf leaf);
