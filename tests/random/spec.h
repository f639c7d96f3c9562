// spec.h - a random model as data: what is drawn at random, copied into other axes, units, orders and
// times, made smaller when it fails, and written as text of the model language.
//
// spec.c what items are; generate*.c random ones; copy.c the same model seen otherwise; write.c the text;
// table.c a run; compare.c two runs; variants.c what is compared; shrink.c the smallest that fails.
#pragma once

#include "math/small.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SPEC_BODIES 7
#define SPEC_JOINTS 11
#define SPEC_FORCES                                                                                \
    18 // the last ones are contacts, springs of what has no mass, and what generate_lines.c draws
#define SPEC_PLACES 4 // of a force
#define SPEC_VARIABLES 3
#define SPEC_RELATIONS 2
#define GROUND (-1)

typedef enum body_kind {
    BODY_RIGID,
    BODY_POINT,
    BODY_MODAL,
    BODY_BEAM,
    BODY_MESH,
    BODY_SOLID,
    BODY_KINDS
} body_kind;

#define MESH_NODES 16
#define MESH_CELLS 12

// A few finite elements, in body axes. start, end: bits of nodes.
typedef struct spec_mesh {
    enum { CELL_QUAD, CELL_TRIANGLE, CELL_HEX, CELL_TET, CELL_TET10 } cell;
    int nnode, ncell, cells[MESH_CELLS][10];
    unsigned start, end;
    v3 nodes[MESH_NODES];
} spec_mesh;

typedef struct spec_body {
    bool there;
    body_kind kind;
    double mass;
    v3 com;             // body axes
    m33 J;              // about the centre of mass, body axes; planar: zz
    v3 position;        // ground axes
    m33 R;              // body to ground
    v3 velocity, omega; // of the origin; ground axes
    // modal, beam: a bar from the origin; joints and forces are at its ends
    v3 line; // to its end, body axes
    double width, height, E, density, damping;
    int formulation; // of a beam; the basis of a mesh, the law of a solid
    spec_mesh mesh;
    int held; // what nodes at the start of a solid belong to: a rigid body, the ground, or nothing
#define FLOATS (-2)
} spec_body;

typedef enum joint_kind {
    JOINT_FIXED,
    JOINT_REVOLUTE,
    JOINT_PRISMATIC,
    JOINT_CYLINDRICAL,
    JOINT_SPHERICAL,
    JOINT_UNIVERSAL,
    JOINT_PLANAR,
    JOINT_SCREW,
    JOINT_FREE,
    JOINT_DISTANCE,
    JOINT_ON_LINE,
    JOINT_ON_PLANE,
    JOINT_GEAR,
    JOINT_ROLLING,
    JOINT_KNIFE,
    JOINT_CONSTANT_VELOCITY,
    JOINT_PARALLEL,
    JOINT_PERPENDICULAR,
    JOINT_ON_CURVE,
    JOINT_KINDS
} joint_kind;

#define CURVE_POINTS 5 // of a closed one

// A limit of a coordinate: compliant, or thrown back.
typedef struct spec_stop {
    bool there, rigid;
    double side; // 1: upper, -1: lower
    double at, stiffness, exponent, damping, restitution;
} spec_stop;

typedef struct spec_joint {
    bool there;
    joint_kind kind;
    int on[2]; // bodies; of a gear joints
    v3 at[2];  // in the axes of the bodies
    v3 axis, axis2;
    double pitch, ratio, radius;
    double motion[3];   // coordinate = motion[0] t + motion[1] (1 - cos(motion[2] t))
    bool moves;         // ... prescribed
    bool by_rate;       // ... by its rate
    double friction[3]; // coefficient, radius, velocity
    double viscous;     // 0 with coefficient 0: no friction
    bool sticks;        // dry friction is exact
    double held;        // ... coefficient while it sticks
    spec_stop stop;
    v3 curve[CURVE_POINTS]; // of the first body, its axes
    bool starts;            // start: coordinate and rate
    double start[2];        //
    bool bounces;           // an event: its rate is reversed
    double wall[2];         // beyond this coordinate, by this factor; the sign says on which side
    double angle_sign;      // of its signals against those of the model that it is a copy of
    double slide_sign;      // ... along the axis
    double reaction_sign;   // ... of reaction and moment
} spec_joint;

typedef enum force_kind {
    FORCE_SPRING,       // between places
    FORCE_JOINT_SPRING, // on a joint
    FORCE_ACTUATOR,     // between places, a law of length, rate and time
    FORCE_JOINT_EFFORT, // on a joint, a law of its coordinate, rate and time
    FORCE_FORCE,        // a vector
    FORCE_TORQUE,       // a vector; planar: a number
    FORCE_BUSHING,
    FORCE_GRAVITATION,
    FORCE_DRAG,     // an expression: force and torque against velocities
    FORCE_CONTACT,  // a plane or a sphere of the first, a sphere of the second
    FORCE_CABLE,    // through places
    FORCE_MUSCLE,   // through places
    FORCE_TYRE,     // of the second; the first is the ground, its place lies on the road
    FORCE_LOAD,     // distributed along a beam or in a solid, the second
    FORCE_BY_LAW,   // a spring between places, `force` of x and v
    FORCE_PRESSURE, // of all faces of a solid, x of the value
    FORCE_TRACTION,
    FORCE_KINDS
} force_kind;

typedef enum law { LAW_CUBIC, LAW_SPLINE, LAW_LINES, LAW_BACKLASH, LAWS } law;
typedef enum touch_law {
    TOUCH_HERTZ,
    TOUCH_DAMPED,      // hunt-crossley by its damping
    TOUCH_RESTITUTION, // ... by its restitution
    TOUCH_PENALTY,
    TOUCH_RIGID,
    TOUCHES
} touch_law;
#define LAW_POINTS 4 // of tables, on one side of zero: laws are odd

typedef enum shape_kind {
    SHAPE_PLANE,
    SHAPE_SPHERE,
    SHAPE_CAPSULE,
    SHAPE_CYLINDER,
    SHAPE_DISC,
    SHAPE_BOX,
    SHAPE_NODES, // all of a solid
    SHAPE_KINDS
} shape_kind;

// A surface, in the axes of its body: radius and length, or edges; `axis` of what is round and of a plane, `R` of a box.
typedef struct spec_shape {
    shape_kind kind;
    double size[3], round;
    v3 axis;
    m33 R;
} spec_shape;

typedef struct spec_muscle {
    double force, fibre, tendon, pennation, speed, rise, decay, activation, excitation[2];
} spec_muscle;

typedef struct spec_tyre {
    enum { TYRE_LINEAR, TYRE_LIMITED, TYRE_FIALA, TYRE_MAGIC } law; // limited: linear with friction
    double radius, slope[2], friction, curve[2][4], way[2], trail;
} spec_tyre;

typedef struct spec_force {
    bool there;
    force_kind kind;
    int on[SPEC_PLACES]; // bodies, or a joint in the first
    v3 at[SPEC_PLACES];  // body axes
    int further;         // places after the first two
    v3 value;            // of vectors: ground axes, or the body's; of a tyre the wheel's axis
    bool between;        // of vectors: oppositely on the first
    bool in_body;        // frame: body
    bool mixed;          // form: mixed
    law law;             // beyond the linear one
    double k[6], c[6];
    double rest;       // length or coordinate without force
    double cubic, gap; // of laws
    double table[LAW_POINTS][2];
    double wave, turning; // times 1 + wave sin(turning t)
    double effort[2];     // constant, that of the wave
    int feels;            // variable that adds to the law; -1: none
    double gain;
    bool input;   // effort and wave are an input, saturated
    double bound; // ... there
    // of a contact; `value`: normal of the plane, in the axes of the first
    bool plane;
    touch_law touch;
    double radius[2], restitution, friction[2]; // coefficient, slip velocity
    bool shaped;                                // ... of these shapes instead
    spec_shape shape[2];
    enum { RUBS_ROUNDED, RUBS_EXACT, RUBS_SPRING } rubs; // how friction sticks
    double grip[2];                                      // stiffness and damping of that spring
    double exponent;                                     // of a cable
    spec_muscle muscle;
    spec_tyre tyre;
} spec_force;

// With y = gain (coordinate of a joint + offset): second order m q'' = -k (q - y) - c q', first order
// z' = (y - z)/k, algebraic 0 = y - z - c z^3, sampled z = y every k seconds, a PID controller of the error at - y with the gains
// p = k, i = c, d = mass and limits +-rate, continuous or with a clock.
typedef struct spec_variable {
    bool there;
    enum { SECOND_ORDER, FIRST_ORDER, ALGEBRAIC, SAMPLED, PID, PID_SAMPLED } kind;
    int joint;     // that it follows; -1: none
    double offset; // of its coordinate
    double at, rate, mass, k, c, gain;
    double filter, sample; // of a controller
} spec_variable;

// Of coordinates of joints, from their values in the drawing: y = ratio x + bent x^2, an equation's constraint.
typedef struct spec_relation {
    bool there;
    int of[2]; // x, y
    double offset[2], ratio, bent;
} spec_relation;

typedef struct spec {
    uint64_t seed;
    int dimension;
    v3 gravity;
    double until;
    bool samples;                // a clock sets variables
    double time;                 // t = 0 of the text is this time
    double length, weight, tick; // metres, kilograms and seconds in the units of the text
    int nbody, njoint, nforce, nvariable, nrelation;
    spec_body bodies[SPEC_BODIES];
    spec_joint joints[SPEC_JOINTS];
    spec_force forces[SPEC_FORCES];
    spec_variable variables[SPEC_VARIABLES];
    spec_relation relations[SPEC_RELATIONS];
    bool loops;   // constraints close loops
    bool in_part; // all of it is a part of the model
    v3 part_at;   // ... there
    m33 part_axes;
    bool redundant; // some say again what others say: reactions are not unique
    uint64_t order; // of items in the text; 0: as they are
} spec;

// ---- spec.c -------------------------------------------------------------------------------------
const char *joint_type(joint_kind k);
bool joint_turns(const spec *s, int joint);  // has the signals angle, rate
bool joint_slides(const spec *s, int joint); // has the signals displacement, rate
bool joint_has_coordinate(const spec *s, int joint);
// The joint or force names items that are not there.
bool joint_hangs(const spec *s, int joint);
bool force_hangs(const spec *s, int force);
int count_items(const spec *s);
v3 place_of(const spec *s, int body, v3 at); // ground axes, initially
v3 place_in(const spec *s, int body, v3 p);  // body axes
bool is_flexible(const spec *s, int body);
bool relation_hangs(const spec *s, int relation);
bool acts_on_joint(const spec_force *f);
bool goes_through(const spec_force *f); // places
bool has_kind(const spec *s, force_kind kind);

// ---- generate.c ---------------------------------------------------------------------------------
typedef struct features { // what may be drawn
    int most_bodies;
    bool space, loops, points, forces, motions, friction, redundant, rolling, equations, mixed,
        modal, laws, starts, events, limits, contacts, inputs, massless, control, lines, tyres,
        shapes, meshes, pairs;
} features;
void generate(uint64_t seed, const features *f, spec *out);
uint64_t next_seed(uint64_t *state);
double uniform(uint64_t *state, double low, double high);
int below(uint64_t *state, int n);

// ---- copy.c -------------------------------------------------------------------------------------
// What a copy is to the original: lengths, masses and times are multiplied; axes are turned (a
// reflection, where det Q = -1) and shifted.
typedef struct view {
    m33 Q;
    double det;
    v3 shift;
    double length, mass, time;
} view;
view same_view(void);
void copy_turned(const spec *s, uint64_t seed, bool mirrored, spec *out, view *v);
void copy_reversed(const spec *s, uint64_t seed, spec *out);
void copy_into_part(const spec *s, uint64_t seed, spec *out, view *v);
// What of the model is at another time is not known: bodies that bend, what clocks have set.
bool can_be_shifted(const spec *s);
void copy_permuted(const spec *s, uint64_t seed, spec *out);
void copy_rescaled(const spec *s, double length, double mass, double time, spec *out, view *v);

// ---- write.c ------------------------------------------------------------------------------------
typedef struct method {
    const char *name, *formulation, *keys; // keys: further ones, or ""
    double rtol, step;                     // one of them, the other 0
    const char *analyses;                  // or NULL
} method;
// The text of a model with its run; to be freed.
char *write_spec(const spec *s, const method *m, double every, bool reactions);

// ---- write_meshes.c -----------------------------------------------------------------------------
// Files of meshes that the text names, in the folder of the model.
void write_meshes(const spec *s, const char *folder);
void remove_meshes(const spec *s, const char *folder);
const char *scratch_folder(void); // of this program alone
int node_at(const spec_mesh *m, v3 at);
