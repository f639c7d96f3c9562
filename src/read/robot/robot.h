// robot.h - links, joints and shapes of a robot file, before they become a model.
//
// All poses are of the zero configuration: the model is drawn there. A reader fills a flx_robot; flx_robot_repair merges what
// is fixed and mends what cannot be; flx_robot_tree writes the model. What is changed or left out is a warning with its place,
// or, where the caller is strict, an error.
#pragma once

#include "math/small.h"
#include "model/entry.h"

typedef struct flx_robot_pose {
    v3 r;  // of the origin
    m33 R; // from its axes to those that it is given in
} flx_robot_pose;

typedef enum flx_robot_type {
    FLX_ROBOT_FIXED,
    FLX_ROBOT_REVOLUTE,
    FLX_ROBOT_PRISMATIC,
    FLX_ROBOT_SPHERICAL,
    FLX_ROBOT_UNIVERSAL,
    FLX_ROBOT_PLANAR,
    FLX_ROBOT_SCREW,
    FLX_ROBOT_FREE,
} flx_robot_type;

typedef enum flx_robot_form {
    FLX_ROBOT_BOX,
    FLX_ROBOT_CYLINDER,
    FLX_ROBOT_CAPSULE,
    FLX_ROBOT_SPHERE,
    FLX_ROBOT_MESH,
} flx_robot_form;

typedef struct flx_robot_shape {
    flx_loc loc;
    flx_robot_form form;
    double size[3];      // box: edges; cylinder, capsule: radius, length (along z); sphere: radius
    const char *file;    // of a mesh
    double scale[3];     // of a mesh, along its axes
    flx_robot_pose pose; // in the link
    struct flx_robot_shape *next;
} flx_robot_shape;

typedef struct flx_robot_point { // a frame with a name: what was merged into the link, a site
    const char *name;
    flx_loc loc;
    flx_robot_pose pose; // in the link
    struct flx_robot_point *next;
} flx_robot_point;

typedef struct flx_robot_link {
    const char *name; // of the file; NULL: none
    const char *word; // of the model: flx_robot_names
    flx_loc loc;
    flx_robot_pose pose; // in the ground, at zero
    double mass;
    v3 com;        // in the link
    m33 I;         // about the centre of mass, link axes
    bool inertial; // the file gives a mass
    flx_robot_shape *shapes;
    flx_robot_shape *surfaces; // what touches
    flx_robot_point *points;
    int into; // merged into this link; -1: none, -2: into the ground
    bool has_velocity;
    v3 velocity, angular_velocity; // at the start, ground axes
} flx_robot_link;

#define FLX_ROBOT_GROUND (-1)

typedef struct flx_robot_joint {
    const char *name, *word;
    flx_loc loc;
    flx_robot_type type;
    int parent, child;   // links; FLX_ROBOT_GROUND
    flx_robot_pose pose; // in the ground, at zero
    v3 axis, second;     // in the ground, at zero
    bool limited;
    double lower, upper;
    double effort; // largest of a motor; 0: not known
    double damping, friction, stiffness, rest, armature;
    double initial, rate, pitch;
    bool begins;  // at `initial` with `rate`, zeros too
    double drawn; // the coordinate of the file where it is drawn
    int mimics;   // joint whose coordinate it follows; -1: none
    double ratio, offset;
    bool gone;
    bool closes; // a loop: its child has another joint to the ground
    bool apart;  // of one that closes: its place on the child is `other`
    v3 other;    // in the ground, at zero
} flx_robot_joint;

// q = c0 + c1 p + ... + c4 p^4 of two coordinates, or q = c0 of one.
typedef struct flx_robot_tie {
    flx_loc loc;
    int joint, by; // by -1: none
    double c[5];
} flx_robot_tie;

typedef struct flx_robot_motor { // an input that drives a joint
    const char *name;
    const char *word;
    flx_loc loc;
    int joint;
    // effort = gear*f, f = gain*input + bias[0] + bias[1]*gear*coordinate + bias[2]*gear*rate within `force`;
    // the coordinate as the file counts it
    double gain, bias[3], gear;
    bool has_force, has_range;
    double force[2];
    double lower, upper; // of the input
    double value;        // of the input at the start
    int number;          // among the actuators of the file
} flx_robot_motor;

typedef struct flx_robot {
    flx_ctx *ctx;
    flx_arena *arena;
    const char *file;
    const char *title;
    bool strict, floating;
    v3 gravity;
    int nlink, njoint, nmotor, ntie;
    flx_robot_link *links;
    flx_robot_joint *joints;
    flx_robot_motor *motors;
    flx_robot_tie *ties;
    int nerror;
} flx_robot;

// How a file is read: as flx_read_def of flexion/model.h says.
typedef struct flx_robot_options {
    bool floating, strict;
    bool absolute; // paths of shapes, for a model that is written elsewhere
    int npackage;
    const char *const *packages; // "NAME=FOLDER"
} flx_robot_options;

// What is said of a repair: a warning, or an error where the caller is strict.
#define FLX_ROBOT_NOTE(robot, loc, ...)                                                            \
    do {                                                                                           \
        if ((robot)->strict) {                                                                     \
            FLX_FAIL((robot)->ctx, FLX_ERR_MODEL, (loc), __VA_ARGS__);                             \
            (robot)->nerror++;                                                                     \
        } else {                                                                                   \
            flx_ctx_warn((robot)->ctx, (loc), __VA_ARGS__);                                        \
        }                                                                                          \
    } while (0)

// A mesh that is scaled to something.
static inline bool flx_robot_has_scale(const flx_robot_shape *s)
{
    return s->scale[0] != 0.0 && s->scale[1] != 0.0 && s->scale[2] != 0.0;
}

static inline flx_robot_pose flx_robot_no_pose(void)
{
    return (flx_robot_pose){{0}, m33_identity()};
}
// b, which is given in a.
static inline flx_robot_pose flx_robot_compose(flx_robot_pose a, flx_robot_pose b)
{
    return (flx_robot_pose){v3_add(a.r, m33_mul_v(a.R, b.r)), m33_mul(a.R, b.R)};
}
static inline flx_robot_pose flx_robot_inverse(flx_robot_pose a)
{
    return (flx_robot_pose){v3_neg(m33_tmul_v(a.R, a.r)), m33_transpose(a.R)};
}
// Roll, pitch, yaw about fixed axes x, y, z.
m33 flx_robot_rpy(const double rpy[3]);

// robot_repair.c
flx_status flx_robot_repair(flx_robot *robot);
// Limits that leave no way are left out, and said.
void flx_robot_check_limits(flx_robot *robot, flx_robot_joint *j, flx_loc loc);
// Of joints with a largest effort: motors that give it.
flx_status flx_robot_add_motors(flx_robot *robot);
// Adds a mass, with its inertia about its own centre in axes of the link, to what the link has.
void flx_robot_add_mass(flx_robot_link *link, double mass, v3 com, m33 I);
// A solid body: volume, and of its mass 1 the centre and the inertia about it, in the axes of the shape.
typedef struct flx_robot_solid {
    double volume; // 0: it encloses none
    v3 centre;
    m33 inertia;
} flx_robot_solid;
flx_robot_solid flx_robot_volume(const flx_robot_shape *s);

// robot_names.c
flx_status flx_robot_name_all(flx_robot *robot);
// What a point is called in a model; NULL: no memory.
const char *flx_robot_point_word(flx_arena *arena, const char *name);
// The file of a mesh as it can be opened, or NULL, with a note: `package://`, `file://`, `model://`.
const char *flx_robot_find_file(flx_robot *robot, const flx_robot_options *o, const char *uri,
                                flx_loc loc);

// robot_tree.c
flx_status flx_robot_tree(flx_robot *robot, flx_entry **tree);

struct flx_xml;
flx_status flx_urdf_read(flx_robot *robot, const flx_robot_options *o, const struct flx_xml *root);
flx_status flx_mjcf_read(flx_robot *robot, const flx_robot_options *o, const struct flx_xml *root);
// Before that: what its <include> name stands in their places.
flx_status flx_mjcf_include(flx_robot *robot, struct flx_xml *root);
flx_status flx_sdf_read(flx_robot *robot, const flx_robot_options *o, const struct flx_xml *root);
