// model_items.h - what a model is made of: bodies, joints, forces, equations, events (model_data.h is the whole).
#pragma once

#include "base/common.h"
#include "expr/expr.h"
#include "flexion/model.h"
#include "flexion/scene.h"
#include "math/small.h"
#include "math/symmetric.h"
#include "model/contact_data.h"
#include "model/deformable_data.h"
#include "model/leaves.h"
#include "model/open_number.h"
#include "model/shape_kind.h"
#include "reduce/elastic.h"

#define FLX_BODY_GROUND (-1)

typedef enum flx_body_type {
    FLX_BODY_RIGID,
    FLX_BODY_POINT,
} flx_body_type;

typedef struct flx_point_def { // a named point of a body
    const char *name;          // "pin", "R(2)"
    double at[3];              // body frame
    double R[9];               // its axes in the body's
    flx_open at_open[3], R_open[9];
} flx_point_def;

// Velocities that a body begins with, ground axes. Where a joint starts elsewhere than drawn, the place that they were
// given for goes with the body, and they stay what they are.
typedef struct flx_body_start {
    double velocity[3], angular_velocity[3]; // of the frame's origin, initially
    double
        origin[3]; // the initial place whose velocity the model says: of the body, or of the beam
                   // or solid that it is a node of
    double carried[3]; // angular velocity of the part that it is in
    flx_open velocity_open[3], angular_velocity_open[3], origin_open[3], carried_open[3];
    bool moves, turns; // the model says something: of the velocity, of the angular velocity
} flx_body_start;

typedef struct flx_body {
    const char *name; // full: "leg(2).tube"
    flx_loc loc;
    flx_body_type type;
    double mass;
    double
        overweight; // gravity acts on so much more than its mass: of nodes of solids, whose mass is lumped
    flx_open mass_open, inertia_open[9];
    double com[3];            // body frame
    double inertia[9];        // about the centre of mass, body axes; planar: [8]
    double position[3], R[9]; // of the body frame, initially
    double angle;             // planar: the initial angle, any number of turns
    flx_open com_open[3], position_open[3], R_open[9], angle_open;
    flx_body_start start; // its motion as it begins
    bool slope;           // of a beam's node: a vector, no place and nothing to be drawn
    double reach;         // of a slope: the length of the line that it is of
    bool section;         // of a beam's node: axes that a joint turns with
    bool spread;          // its mass is that of the elements at it
    int follows;          // body + 1 that takes it along when a joint starts elsewhere; 0: none
    int npoint;
    flx_point_def *points;
    int nshape;
    flx_shape *shapes;
} flx_body;

typedef enum flx_motion_kind {
    FLX_MOTION_NONE,
    FLX_MOTION_ANGLE,
    FLX_MOTION_DISPLACEMENT,
    FLX_MOTION_RATE, // of the joint's coordinate: a velocity-level constraint
} flx_motion_kind;

// Which `start` values of joints a system holds as if they were constraints: to find the positions
// of the start, then its velocities.
typedef enum flx_hold {
    FLX_HOLD_NOTHING,
    FLX_HOLD_COORDINATES,
    FLX_HOLD_RATES,
} flx_hold;

typedef struct flx_joint_kind flx_joint_kind; // joint/joint.h

typedef struct flx_joint {
    const char *name;
    flx_loc loc;
    const flx_joint_kind *kind;
    int body[2];        // first, second
    double at[2][3];    // places, each in its body's frame (ground coordinates for ground)
    double frame[2][9]; // axes of the joint initially, in each body's axes: third column = axis.
                        // Both have the same orientation in the initial configuration.
    double axis[2][3];  // universal: first axis in the first, second axis in the second;
                        // rolling: [1] disc's axis in the second; else as frame's third column
    double normal[3];   // rolling: plane's normal in the first's axes
    bool has_axis;      // rolling: false for a ball
    double length, pitch, ratio, radius;
    const struct flx_curve *curve; // point-on-curve: in the first's frame; arena
    flx_open at_open[2][3], frame_open[2][9], axis_open[2][3], normal_open[3];
    flx_open length_open, pitch_open, ratio_open, radius_open;
    int joint[2]; // gear: second's coordinate = ratio * first's
    flx_motion_kind motion;
    flx_node motion_value; // depends on t only
    flx_loc motion_loc;
    bool start_coordinate, start_rate; // given
    double start_value, start_rate_value;
    flx_open start_value_open, start_rate_value_open;
    flx_loc start_loc;
    flx_node coordinate, rate; // angle or displacement as nodes; -1 where the type has none, or
                               // nothing asks for it (motion, start, gear, force, signal)
    bool angle_read;           // something asks for its angle: then its turns are counted
} flx_joint;

// What a force is: src/force/force_kind.h.
typedef struct flx_force_kind flx_force_kind;

typedef struct flx_solid_load {
    int solid; // its number
    flx_solid_faces faces;
    flx_node value[4]; // pressure: at `at`, and its gradient (-1: none); else a vector, ground axes
    double at[3];
} flx_solid_load;

typedef struct flx_force {
    const char *name;
    flx_loc loc;
    const flx_force_kind *kind;
    int body[2];     // body[1] is acted on, body[0] oppositely (FLX_BODY_GROUND: none)
    double at[2][3]; // places, each in its body's frame
    int joint;       // -1: not on a joint
    double stiffness[6], damping[6];
    flx_open stiffness_open[6], damping_open[6], length_open, G_open;
    flx_open at_open[2][3], frame_open[2][9];
    int ncomponent; // spring: 1; bushing: 2 or 3 (no rotation), 3 in 2D with rotation, or 6
    double frame[2]
                [9]; // bushing: axes of the first in which stiffness acts, initially in each body
    double length;   // spring at rest; joint spring: angle or displacement at rest
    bool other;      // joint spring: not on the joint's own coordinate but on its other one
    double G;        // gravitation
    flx_node value;  // actuator, joint: pull or effort
    flx_node force[3], torque[3]; // wrench, ground axes; -1: none
    bool mixed;                   // its force is an unknown: form mixed, or auto found so
    bool dissipative;             // its work is dissipated, not supplied
    const flx_solid_load *load;   // on a solid
    int contact;                  // number among the contacts, of that type
    // Of a spring by a function: its pull without a rate as a program of how far it is beyond `length`, the model's; NULL:
    // none.
    struct flx_program *elastic;
    bool booked;           // `stored` and `lost` tell its energy and power, instead of its work
    flx_node stored, lost; // of several forces along a line those of the first; -1: none
    flx_node bound;        // where it is negative the run ends, since ...; -1: nowhere
    const char *beyond;
} flx_force;
#define FLX_ELASTIC_SCRATCH 512 // most doubles that such a program needs

// A limit of a coordinate of a joint: against what is beyond it acts k x^n (1 + a x'), x the excess.
typedef struct flx_stop {
    const char *name; // of the joint
    flx_loc loc;
    int joint;
    int coordinate;   // flx_coordinate (joint/joint.h)
    double bounds[2]; // lower, upper; infinite: none
    double stiffness; // k: N/m^n, N m/rad^n
    double exponent;  // n >= 1
    double damping;   // a: s/m, s/rad
    bool rigid;       // nothing gives way: it is thrown back by the restitution
    double restitution;
    flx_open restitution_open;
    flx_open bounds_open[2], stiffness_open, exponent_open, damping_open;
    flx_node value; // the coordinate; its rate
    flx_node rate;
    int switches[2]; // of the bounds where the law has a kink: numbers of switches; -1: none
} flx_stop;

// Friction of a joint that sticks: a group of rows along its coordinate, with a limit.
typedef struct flx_stick {
    const char *name; // of the joint
    flx_loc loc;
    int joint;
    int coordinate;            // flx_coordinate (joint/joint.h)
    double friction, sticking; // coefficients while it slides, and at most while it sticks
    flx_open friction_open, sticking_open;
    flx_node limit; // the most that holds it while it sticks, by the reaction
} flx_stick;

typedef struct flx_variable { // second order: mass q'' = force
    const char *name;
    flx_loc loc;
    double at, rate;
    flx_open at_open, rate_open;
    bool rate_given;
    bool carried; // of first order as written: a constraint holds its rate
    flx_node mass, force;
} flx_variable;

#define FLX_BALANCE_READS 5

// Where a state begins that is at rest with what the start finds: the fibres of a muscle, whose length the joints decide.
typedef struct flx_balance_of {
    flx_node reads[FLX_BALANCE_READS];            // the first is a length
    bool (*find)(const double *read, double *at); // false: there is none
    const char *who, *why;                        // "WHO is 1 m long at the start, and WHY"
} flx_balance_of;

typedef struct flx_first_order {
    const char *name;
    flx_loc loc;
    double at;
    double mass; // where it is a number
    flx_open at_open, mass_open;
    flx_node derivative; // x' (already divided by the mass), or the residual of an algebraic one
    bool algebraic;
    int number; // among the states, or among the algebraic ones: the leaf's index
    const flx_balance_of *balance; // NULL: it begins as `at` says
} flx_first_order;

typedef struct flx_constraint {
    const char *name; // "constraint 1" when the model gave none
    flx_loc loc;
    flx_node value;
    bool velocity_level; // contains rates: must be linear in them
    double compliance;   // 0 = value - compliance*multiplier
    flx_open compliance_open;
    bool inner;   // of a beam's section, or the slip of another; behind those of the equations
    bool metres;  // value is a length, as is known of inner ones
    bool carried; // holds the rate of a variable that is carried; inner
    bool
        one_sided; // value is the depth, minus what was written, and the multiplier is not negative
    double restitution;
    double friction, sticking; // coefficients
    flx_open restitution_open, friction_open, sticking_open;
    int slip; // constraint whose value is the velocity of slip; -1: none
} flx_constraint;

typedef struct flx_coupling {
    int i, j; // variables
    flx_node value;
    flx_loc loc;
} flx_coupling;

typedef struct flx_discrete { // a value that only events change
    const char *name;
    flx_loc loc;
    double at;
    flx_open at_open;
} flx_discrete;

// A comparison, or another jump or kink, of the expressions below.
typedef struct flx_switch {
    flx_switch_kind kind;
    flx_node value;
    int cut;          // of a piece
    const char *item; // that contained it first: "force 'brake'"
    flx_loc loc;
    bool acts; // the equations contain it; else events alone
} flx_switch;

typedef enum flx_target_kind {
    FLX_TARGET_VARIABLE,      // index: second-order variable
    FLX_TARGET_VARIABLE_RATE, // its rate
    FLX_TARGET_STATE,         // index: number among the states
    FLX_TARGET_DISCRETE,      // index: discrete variable
    FLX_TARGET_VELOCITY,      // node: linear in velocities
} flx_target_kind;

typedef struct flx_assignment { // of one number
    flx_target_kind kind;
    int index;
    flx_node node, value;
    flx_loc loc;
} flx_assignment;

typedef struct flx_event {
    const char *name;
    flx_loc loc;
    flx_node when;       // of switches, discrete variables and counts alone; -1: a clock
    double every, start; // of the clock
    flx_open every_open, start_open;
    bool stop;
    int nset;
    flx_assignment *sets;
    int particles; // number + 1 of the set that exchanges momentum then; 0: none
    int fmu;       // number + 1 of the FMU that takes a step then; 0: none
    int fmu_sign; // of one for model exchange: its indicator i > 0 has become positive, -i negative; 0: another event
} flx_event;
