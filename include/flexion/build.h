// flexion/build.h - a model made by calls, without a file; included by flexion/model.h.
//
// A model is a description: whatever a model file can say, a call can say (docs/reference.md lists all of it),
// and a model that was read from a file may be changed by the same calls. The calls with definitions cover what
// is used daily; flx_model_set and its neighbours set any key of the language by its path.
//
// Quantities are numbers or texts (expressions, as in a file; names in them are those of the model, in any
// order of the calls); choices are words of the language, but for the types of items. A member that is zero is not given and has the default of the language; where a zero
// is meant and is not the default (a spring of length zero), write FLX_ZERO.
//
// Calls that add return an id (> 0) for use in other definitions; inputs and parameters return their number
// (from 0; with lists among the parameters ask flx_system_parameter). Negative: a flx_status; nothing was changed, a message with the path of the item is in the context
// of the model, and the next compile refuses the model and tells of all such calls (flx_model_forgive).
// What only the whole model shows (names that nobody defined, a missing mass) is told at compile, by path.
//
// Questions about what a model is made of (flx_model_item_count and others) are answered as it was when it was
// last read, checked or compiled.
//
// A model is for one thread. Texts and arrays are copied. A model may be changed after a compile and compiled
// again: what was compiled does not depend on it, nor on its destruction; all depends on the context of the
// model, which outlives them.
#pragma once

#include "flexion/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct flx_model flx_model;

// A number, or an expression as text where text is not NULL.
typedef struct flx_value {
    double number;
    const char *text;
} flx_value;

// A zero that is given: .length = FLX_ZERO.
#define FLX_ZERO                                                                                   \
    {                                                                                              \
        0.0, "0"                                                                                   \
    }

// x, y, z (planar: x, y); or, where text is not NULL, an expression that is a vector, or the name of a place:
// "crank.pin". All zero: not given.
typedef struct flx_vector {
    flx_value x, y, z;
    const char *text;
} flx_vector;

typedef struct flx_named_value {
    const char *name;
    flx_value value;
} flx_named_value;
typedef struct flx_named_vector {
    const char *name;
    flx_vector value;
} flx_named_vector;

// ---- the model -------------------------------------------------------------------------------------------

// An empty model; dimension: 2 or 3. The context outlives the model and all that is made of it.
FLX_API flx_status flx_model_create(flx_ctx *ctx, int dimension, flx_model **m);
// As if the description stood in this file: files that it names are sought beside it, and results name it.
// Without it they are sought in the working directory. Of a model that was read it is that file.
FLX_API flx_status flx_model_set_file(flx_model *m, const char *path);
// A file in memory: taken where the description names it (a mesh, a table, a part), before the disk is asked.
FLX_API flx_status flx_model_add_file(flx_model *m, const char *name, const char *text,
                                      size_t length);
// Check and build now what compile would build: all messages, with paths. FLX_ERR_MODEL.
FLX_API flx_status flx_model_check(flx_model *m);
// Calls that were refused no longer stand in the way of a compile: the model is what the others made of it.
FLX_API void flx_model_forgive(flx_model *m);
// The description as YAML that reads back to the same model. _text: until the next call with this model; NULL:
// no memory. _write: to a file; files in memory (flx_model_add_file) are written beside it.
FLX_API const char *flx_model_write_text(flx_model *m);
FLX_API flx_status flx_model_write(flx_model *m, const char *path);

// ---- any key of the language, by its path -----------------------------------------------------------------

// "bodies.rod.damping.ratio", "gravity[1]" (items of lists count from 0; one behind the last adds one),
// "events.hit.set.\"ball.velocity.y\"" (a key with other signs than letters, digits, _ and ' in double quotes).
// What is missing on the way is made.
FLX_API flx_status flx_model_set(flx_model *m, const char *path, double value);
FLX_API flx_status flx_model_set_text(flx_model *m, const char *path, const char *text);
FLX_API flx_status flx_model_set_value(flx_model *m, const char *path, flx_value value);
FLX_API flx_status flx_model_set_list(flx_model *m, const char *path, int n,
                                      const flx_value *values);
FLX_API flx_status flx_model_set_map(flx_model *m, const char *path); // an empty mapping
FLX_API flx_status flx_model_remove(flx_model *m, const char *path);
// What is there. kind: 0 nothing, 1 a text, 2 a list, 3 a mapping. count: of its items. The text of a number or
// text, else NULL; key: the name of the pair i of a mapping, NULL when out of range. Until the next change.
FLX_API int flx_model_kind(const flx_model *m, const char *path);
FLX_API int flx_model_count(const flx_model *m, const char *path);
FLX_API const char *flx_model_get_text(const flx_model *m, const char *path);
FLX_API const char *flx_model_key(const flx_model *m, const char *path, int i);

// ---- ids ---------------------------------------------------------------------------------------------------

#define FLX_GROUND 1 // the ground, in `on`

// An id that stands for a name of the model, looked up at compile: of an item that a file or flx_model_set
// made, of a part ("leg.thigh"), of a repeated item ("link(3)").
FLX_API int flx_model_name(flx_model *m, const char *name);

// ---- definitions -------------------------------------------------------------------------------------------
// Each begins with its size: 0, or what its _default() says, all else zero. 0 means the members that it had
// in version 0.1; members of later versions count where the size says that they are there.

// A parameter, as a number or as an expression; an input, with the value that it has until a run sets it; gravity.
FLX_API int flx_model_add_parameter(flx_model *m, const char *name, double value); // its number
FLX_API int flx_model_add_parameter_text(flx_model *m, const char *name, const char *text);
FLX_API int flx_model_add_input(flx_model *m, const char *name, double value); // its number
FLX_API flx_status flx_model_set_gravity(flx_model *m, flx_vector g);

// How something is rotated: in the plane `angle` alone; in space one of: axis and angle; x and y (directions);
// quaternion w x y z. Other ways by path.
typedef struct flx_orientation {
    flx_value angle;
    flx_vector axis;
    flx_vector x, y;
    flx_value quaternion[4];
} flx_orientation;
// A rigid body, or a point mass, in the initial configuration.
enum { FLX_RIGID = 0, FLX_POINT = 1 };
typedef struct flx_body_def {
    size_t size;
    int type; // FLX_RIGID, FLX_POINT
    flx_value mass;
    flx_value inertia[6]; // about the centre of mass: xx yy zz, or with xy yz xz; planar: the first
    flx_vector com;       // in the body frame
    flx_vector position;  // of the frame; a place
    flx_orientation orientation;
    flx_vector velocity;         // of the frame's origin
    flx_vector angular_velocity; // planar: x
    int npoint;
    const flx_named_vector *points; // in the body frame; <body>.<point> elsewhere
    const char *like;               // keys of another body
} flx_body_def;
FLX_DEFAULT_OF(flx_body_def)
FLX_API int flx_model_add_body(flx_model *m, const char *name, const flx_body_def *def);

// Types of joints: FLX_FIXED = 1, FLX_REVOLUTE, FLX_PRISMATIC, ..., in the order of joints.def.
enum {
    FLX_NO_JOINT,
#define FLX_JOINT(name) FLX_##name,
#include "flexion/joints.def"
#undef FLX_JOINT
};
// A coordinate of a joint: the one that its type has.
typedef struct flx_coordinate_def {
    flx_value angle, displacement, rate;
} flx_coordinate_def;
typedef struct flx_friction_def {
    flx_value coefficient, radius, velocity, viscous;
    int stick;                 // 1: exact, it holds still as long as it can
    flx_value static_friction; // coefficient at most while it sticks
} flx_friction_def;
// Stops of a coordinate.
typedef struct flx_limits_def {
    const char *coordinate; // of a joint with two: "angle", "displacement", "first", "second"
    flx_value lower, upper; // of zero the text "0"
    flx_value stiffness, exponent, damping;
    flx_value restitution; // in the place of these: of a stop that does not give way
} flx_limits_def;
typedef struct flx_joint_def {
    size_t size;
    int type;  // FLX_REVOLUTE, ...
    int on[2]; // first and second body: FLX_GROUND or ids; of a gear two joints
    // a place of the initial configuration; or two, one on each body. Not given: the origin
    flx_vector at[2];
    flx_vector axis;            // in the initial configuration
    flx_vector axes[2];         // universal
    const char *frame;          // whose coordinates directions are given in
    flx_vector normal;          // rolling
    flx_value radius;           // rolling
    flx_value length;           // distance
    flx_value pitch;            // screw
    flx_value ratio;            // gear
    flx_coordinate_def motion;  // prescribed, functions of t
    flx_coordinate_def initial; // coordinate and rate at t = 0
    flx_friction_def friction;
    const char *like;         // keys of another joint
    flx_limits_def limits[2]; // of joints with two coordinates both
} flx_joint_def;
FLX_DEFAULT_OF(flx_joint_def)
FLX_API int flx_model_add_joint(flx_model *m, const char *name, const flx_joint_def *def);

enum {
    FLX_SPRING = 1,
    FLX_TORQUE,
    FLX_FORCE,
    FLX_ACTUATOR,
    FLX_BUSHING,
    FLX_GRAVITATION,
    FLX_EXPRESSION,
    FLX_CONTACT,
    FLX_DISTRIBUTED,
    FLX_PRESSURE,
    FLX_TRACTION,
    FLX_CABLE, // these by calls of their own
    FLX_MUSCLE,
    FLX_TYRE
};
// A surface that touches others: one of the first two; more kinds by flx_model_set and its neighbours.
typedef struct flx_surface_def {
    flx_value sphere; // radius; FLX_ZERO: a point
    flx_vector plane; // normal, outwards
    flx_vector at;    // centre, or a point of the plane; default the origin of the body
} flx_surface_def;
typedef struct flx_contact_friction_def {
    flx_value coefficient, sticking; // sticking: the key `static`
    flx_value velocity, stiffness, rolling, spinning;
} flx_contact_friction_def;
typedef struct flx_force_def {
    size_t size;
    int type;  // FLX_TORQUE, ...
    int on[2]; // a body, or two: on the second, and oppositely on the first
    int joint; // or a joint: along its coordinate
    // spring, actuator, bushing: as of a joint, zeros are the origin; force: default the centre of mass
    flx_vector at[2];
    flx_vector
        value; // force, torque (on a joint, in the plane and with an axis a number: x), actuator and
               // pressure (x), distributed, traction
    flx_vector torque; // of an expression, beside `value`, its force; planar: x
    flx_vector axis;   // of a torque that is a number
    const char *frame; // axes of the vectors: "ground", "body", a body or a point
    flx_value stiffness
        [6]; // spring: the first; bushing: x y z, or with the rotations (planar: x y, rotation)
    flx_value damping[6];
    flx_value length, angle, displacement; // of a spring without force; default: at the start
    flx_value G;                           // gravitation
    const char *surface;                   // pressure, traction: a set of the mesh
    flx_vector gradient;                   // pressure
    int dissipative;                       // its work counts as dissipated
    const char *like;                      // keys of another force
    // contact: its stiffness and damping are the first; the surfaces may be those of the bodies
    const char *law; // "hertz", "restitution", ...
    flx_surface_def surfaces[2];
    flx_value exponent, restitution;
    flx_contact_friction_def friction;
} flx_force_def;
FLX_DEFAULT_OF(flx_force_def)
FLX_API int flx_model_add_force(flx_model *m, const char *name, const flx_force_def *def);

// Lines through places, of which each is the name of a point ("car.top") or a place of the ground ("[0, 0, 1]").
typedef struct flx_cable_def { // a rope or belt, which only pulls
    size_t size;
    int nplace;
    const char *const *through;             // (nplace)
    flx_value stiffness, exponent, damping; // k x^n (1 + a x'): k, n, a
    flx_value length;                       // without stretch; default: at the start
} flx_cable_def;
typedef struct flx_muscle_def { // with an elastic tendon
    size_t size;
    int nplace;
    const char *const *through;       // (nplace)
    flx_value force, fibre, tendon;   // largest isometric force, lengths
    flx_value excitation, activation; // 0 to 1: what the nerves ask for; at the start
    flx_value pennation, speed, rise, decay;
} flx_muscle_def;
// The magic formula: D sin(C atan(B x - E (B x - atan(B x)))).
typedef struct flx_tyre_curve {
    flx_value B, C, D, E;
} flx_tyre_curve;
typedef struct flx_tyre_def {
    size_t size;
    int wheel;                     // a body
    flx_vector at, axis;           // centre, about which it rolls; default the frame, y
    flx_value level;               // of a road that is a plane
    const char *profile, *heights; // or a function of x, of x and y
    flx_value radius, rolling_radius;
    flx_value stiffness, damping;
    const char *law; // "linear", "fiala", "magic"
    flx_value slip_stiffness, cornering_stiffness, friction;
    flx_tyre_curve longitudinal, lateral;
    flx_value relaxation[2]; // along, across; one: both
    flx_value trail, low_speed_damping;
    flx_value low_speed;
} flx_tyre_def;
FLX_DEFAULT_OF(flx_cable_def)
FLX_DEFAULT_OF(flx_muscle_def)
FLX_DEFAULT_OF(flx_tyre_def)
FLX_API int flx_model_add_cable(flx_model *m, const char *name, const flx_cable_def *def);
FLX_API int flx_model_add_muscle(flx_model *m, const char *name, const flx_muscle_def *def);
FLX_API int flx_model_add_tyre(flx_model *m, const char *name, const flx_tyre_def *def);

// A segment of the human body by a table: a rigid body with the points `proximal` and `distal`.
typedef struct flx_segment_def {
    size_t size;
    const char *segment, *table; // "thigh"; "de-leva-male"
    flx_value body_mass;
    flx_value length, stature; // at most one
    flx_vector position;
    flx_orientation orientation;
} flx_segment_def;
FLX_DEFAULT_OF(flx_segment_def)
FLX_API int flx_model_add_segment(flx_model *m, const char *name, const flx_segment_def *def);

// Equations: mass*q'' = force; mass*z' = derivative (mass FLX_ZERO: algebraic, 0 = derivative); an expression
// that stays zero; a number that only events change.
typedef struct flx_variable_def {
    size_t size;
    flx_value initial, rate; // at the start
    flx_value mass;          // default 1
    flx_value force;
} flx_variable_def;
typedef struct flx_state_def {
    size_t size;
    flx_value initial;
    flx_value mass; // default 1
    flx_value derivative;
} flx_state_def;
typedef struct flx_constraint_def {
    size_t size;
    flx_value value;
    flx_value compliance;
    int one_sided; // 1: the value is zero or more
    flx_value restitution;
    flx_value friction, static_friction, along; // coefficients, velocity of slip
} flx_constraint_def;
FLX_DEFAULT_OF(flx_variable_def)
FLX_DEFAULT_OF(flx_state_def)
FLX_DEFAULT_OF(flx_constraint_def)
FLX_API int flx_model_add_variable(flx_model *m, const char *name, const flx_variable_def *def);
FLX_API int flx_model_add_state(flx_model *m, const char *name, const flx_state_def *def);
FLX_API int flx_model_add_constraint(flx_model *m, const char *name, const flx_constraint_def *def);
FLX_API int flx_model_add_discrete(flx_model *m, const char *name, double value);
// An event: a condition that becomes true, or a clock, and what it sets.
typedef struct flx_event_def {
    size_t size;
    const char *when;       // a condition: the event is when it becomes true
    flx_value every, start; // or a clock
    int nset;
    const flx_named_value *set; // new values: "y'", "u", "ball.velocity.y"
    int stop;                   // ends the run
} flx_event_def;
FLX_DEFAULT_OF(flx_event_def)
FLX_API int flx_model_add_event(flx_model *m, const char *name, const flx_event_def *def);

// A named expression of the time and of what moves.
FLX_API int flx_model_add_signal(flx_model *m, const char *name, const char *text);
// What a run gives: the signal `name` ("motor.angle", "energy"); with a text that expression, by this name.
FLX_API int flx_model_add_output(flx_model *m, const char *name, const char *text);
// One number of a whole run: final, maximum, minimum, mean, rms of a signal.
FLX_API int flx_model_add_metric(flx_model *m, const char *name, const char *text);

// A formula of its arguments; or a table, of arrays or of two columns of a CSV file.
typedef struct flx_function_def {
    size_t size;
    int narg;
    const char *const *args;
    flx_vector value; // the formula: text, or x y z
    int npoint;
    const double *x, *y; // (npoint) x ascends
    const char *file;
    const char *columns[2];
    const char *interpolation; // of a table: linear, cubic
    const char *extrapolation; // constant, linear, error
} flx_function_def;
FLX_DEFAULT_OF(flx_function_def)
FLX_API int flx_model_add_function(flx_model *m, const char *name, const flx_function_def *def);

// ---- what deforms ------------------------------------------------------------------------------------------

// A rectangle, a circle, or stiffnesses; all of a section by path: "bodies.arm.section".
typedef struct flx_section_def {
    flx_value width, height; // along the section's z and y
    flx_value radius;
    flx_value EA, GA[2], EI[2], GJ; // one of two: both
    flx_value mass, inertia[3];     // per length
    flx_value area, thickness;
    flx_vector up; // in a line of finite elements
} flx_section_def;
typedef struct flx_material_def {
    flx_value E, nu, density;
} flx_material_def;
typedef struct flx_damping_def {
    flx_value ratio;
    flx_value rayleigh[2]; // alpha*M + beta*K
} flx_damping_def;

// A beam or cable of large deformation.
typedef struct flx_beam_def {
    size_t size;
    const char *formulation; // geometrically-exact, ancf, ancf-cable, segments
    flx_vector from, to;     // in the reference configuration; a curve by path
    int elements, order;
    flx_value length; // unstretched
    flx_vector up;    // direction of the section's y
    flx_section_def section;
    flx_material_def material; // of a section that is given by its size
    flx_damping_def damping;
    flx_vector velocity, angular_velocity;
    const char *like;
} flx_beam_def;
FLX_DEFAULT_OF(flx_beam_def)
FLX_API int flx_model_add_beam(flx_model *m, const char *name, const flx_beam_def *def);

// A flexible body of small deformation: a line of beam elements, a mesh (of a file, or of
// flx_model_add_mesh), or Standard Input Data.
typedef struct flx_flexible_def {
    size_t size;
    const char *data; // a .SID_FEM file; then nothing of the rest but position to damping
    int nline;
    const flx_vector *line; // (nline) its places, in the body frame
    const char *mesh;       // its file
    flx_value scale;        // of the mesh: metres per unit
    int elements;           // along the line
    flx_section_def section;
    flx_material_def material;
    int lumped;            // mass matrix on the diagonal
    const char *reduction; // modal, guyan, craig-bampton
    int modes;
    int ninterface;
    const char *const
        *interfaces;   // nodes or sets where joints and forces attach, <body>.<name> elsewhere
    const char *frame; // tangent, buckens, chord
    int stiffening;    // geometric
    flx_vector position;
    flx_orientation orientation;
    flx_vector velocity, angular_velocity;
    flx_damping_def damping;
    const char *like;
} flx_flexible_def;
FLX_DEFAULT_OF(flx_flexible_def)
FLX_API int flx_model_add_flexible(flx_model *m, const char *name, const flx_flexible_def *def);

// A solid of large deformation.
typedef struct flx_solid_def {
    size_t size;
    const char *mesh; // its file, or of flx_model_add_mesh
    flx_value scale;
    flx_material_def material;
    int neo_hookean; // else St. Venant-Kirchhoff
    int nfixed;
    const char *const *fixed; // sets whose nodes do not move
    int nattach;
    const int *attach;           // rigid bodies
    const char *const *attached; // (nattach) and the set that moves with each
    flx_vector position;
    flx_orientation orientation;
    flx_vector velocity, angular_velocity;
    flx_damping_def damping;
    const char *like;
} flx_solid_def;
FLX_DEFAULT_OF(flx_solid_def)
FLX_API int flx_model_add_solid(flx_model *m, const char *name, const flx_solid_def *def);

// Elements of a mesh in arrays, in the order of Gmsh.
enum {
    FLX_LINE_2 = 1,
    FLX_TRIANGLE_3 = 2,
    FLX_QUADRILATERAL_4 = 3,
    FLX_TETRAHEDRON_4 = 4,
    FLX_HEXAHEDRON_8 = 5,
    FLX_TRIANGLE_6 = 9,
    FLX_TETRAHEDRON_10 = 11,
    FLX_QUADRILATERAL_8 = 16,
    FLX_HEXAHEDRON_20 = 17
};
// A set of elements of one type. Its name serves in interfaces, fixed, surfaces; without a name it has none.
typedef struct flx_mesh_group {
    const char *name;
    int type; // FLX_TETRAHEDRON_4, ...
    int count;
    const int *nodes; // (count times the nodes of one) from 0
} flx_mesh_group;
typedef struct flx_mesh_def {
    size_t size;
    int nnode;
    const double *x; // (3 nnode)
    int nset;
    const flx_mesh_group *sets;
} flx_mesh_def;
FLX_DEFAULT_OF(flx_mesh_def)
// Makes a file in memory, `name` with .msh at its end, which `mesh` names; node i is node(i + 1) elsewhere.
FLX_API flx_status flx_model_add_mesh(flx_model *m, const char *name, const flx_mesh_def *def);

// ---- functions of one's own program -----------------------------------------------------------------------

// Functions with `external: NAME` are this callback from now on; it is asked once, at the scales of its arguments,
// whether it gives slopes. A warning tells where they will be differences, and where those it gives are not the slopes of its
// values (four more calls per argument). Before systems are compiled: a model
// with a function that is not bound is refused there, with its place. What is bound stays bound when the model changes.
// FLX_ERR_ARGUMENT: the model has no such function.
FLX_API flx_status flx_model_bind(flx_model *m, const char *name, flx_function_callback call,
                                  void *user);
// The name of external function i, NULL when out of range; its arguments and its place (both may be NULL).
FLX_API const char *flx_model_external(const flx_model *m, int i, int *narg, flx_loc *loc);

// ---- tasks -------------------------------------------------------------------------------------------------

typedef struct flx_simulate_def {
    size_t size;
    flx_value until;
    const char *method;      // a word of `flexion methods`; default auto
    const char *formulation; // index-3, ggl, index-1, tree; default auto
    flx_value step;          // fixed; else error control
    flx_value rtol, atol;
    const char *start; // an equilibrium of flx_model_add_analysis
    flx_value every;   // interval of the output
} flx_simulate_def;
FLX_DEFAULT_OF(flx_simulate_def)
// Sets the block `simulate`, and outputs.every; what was set by an earlier call and is not given stays.
FLX_API flx_status flx_model_simulate(flx_model *m, const flx_simulate_def *def);
// An analysis of the block `analyse`, which `flexion analyse` computes; other types by path.
enum { FLX_EQUILIBRIUM = 1, FLX_MODES, FLX_STATIC, FLX_BUCKLING };
typedef struct flx_analysis_def {
    size_t size;
    int type;          // FLX_EQUILIBRIUM, ...
    const char *about; // start, end, or an equilibrium
    int count;         // modes, buckling
    int nload;
    const char *const *load; // what the load factor multiplies
    flx_value from, to;      // static
    int steps, arc_length;   // static
} flx_analysis_def;
FLX_DEFAULT_OF(flx_analysis_def)
FLX_API int flx_model_add_analysis(flx_model *m, const char *name, const flx_analysis_def *def);

// Values of a parameter in the block `sweep`.
FLX_API flx_status flx_model_add_sweep(flx_model *m, const char *parameter, int n,
                                       const double *values);

#ifdef __cplusplus
}
#endif
