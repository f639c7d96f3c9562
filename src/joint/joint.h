// joint.h - what a kind of joint says about itself: words and keys of the file, rows in space and in the
// plane, coordinates and signals, friction, links of the tree, picture. Nobody else knows one kind from another.
//
// To add a joint: one file with its flx_joint_kind, and its name in flexion/joints.def.
#pragma once

#include "joint/scalar.h"
#include "model/kind_rows.h"
#include "model/model_data.h"

typedef enum flx_row_kind {
    FLX_ROW_POINT,  // 3 rows (planar 2): flx_row_point
    FLX_ROW_AXIS,   // 2 rows: flx_row_axis
    FLX_ROW_SCALAR, // 1 row: sum of coefficient * scalar, minus a motion
} flx_row_kind;

typedef enum flx_row_role {
    FLX_ROLE_HOLD,   // of the joint itself
    FLX_ROLE_MOTION, // prescribes the coordinate
    FLX_ROLE_START,  // holds a `start`; only in the system of the start
} flx_row_role;

// One primitive of a joint.
typedef struct flx_row_spec {
    flx_row_kind kind;
    flx_row_role role;
    int nrow;
    bool velocity;  // rows on velocity level
    bool metres;    // the row is a length; else an angle or a cosine
    int body[2];    // of POINT and AXIS
    double s[2][3]; // POINT: places from the centres of mass
    double a[2][3]; // AXIS: in the first
    double b[3];    //       in the second
    int nterm;      // SCALAR
    flx_scalar term[2];
    double coefficient[2];
    const char *part[3]; // names of the rows
} flx_row_spec;

#define FLX_MAX_SPECS 10

typedef struct flx_joint_plan {
    const flx_model *model;
    const flx_joint *joint;
    int number;     // of the joint; a scalar's `turn` holds it until the system numbers switches
    double s[2][3]; // places from the centres of mass
    int nspec;
    flx_row_spec spec[FLX_MAX_SPECS];
} flx_joint_plan;

typedef enum flx_coordinate {
    FLX_COORDINATE_NONE,
    FLX_COORDINATE_ANGLE,
    FLX_COORDINATE_DISPLACEMENT,
    FLX_COORDINATE_FIRST,  // of a cross: the angle about the axis in the first body,
    FLX_COORDINATE_SECOND, // ... in the second
    FLX_COORDINATE_SWING,  // of a ball: angle between the axes that the two bodies carry,
    FLX_COORDINATE_TWIST,  // part of the rotation vector along them
} flx_coordinate;

// Signals of joints, as bits; their names and what they are: joint.c, language/scope/joint_signals.c.
typedef enum flx_joint_signal {
    FLX_SIGNAL_ANGLE = 1,        // about the axis
    FLX_SIGNAL_DISPLACEMENT = 2, // along the axis where the kind has that coordinate, else a vector
    FLX_SIGNAL_RATE = 4,         // of the coordinate, or of the angle
    FLX_SIGNAL_ROTATION = 8,     // rotation vector
    FLX_SIGNAL_CONTACT = 16,     // where a disc or ball touches
    FLX_SIGNAL_REACTION = 32,
    FLX_SIGNAL_MOMENT = 64,
    FLX_SIGNAL_DRIVE = 128,     // effort of the motion
    FLX_SIGNAL_LIMIT = 256,     // effort of the limits along the coordinate
    FLX_SIGNAL_EXCESS = 512,    // how far it is beyond a limit: above the upper one positive
    FLX_SIGNAL_FRICTION = 1024, // effort of friction that sticks, along the coordinate
    FLX_SIGNAL_STATE = 2048,    // what it does: 1 slides, 2 sticks
    FLX_SIGNAL_GRIP = FLX_SIGNAL_FRICTION | FLX_SIGNAL_STATE,
    FLX_SIGNAL_STOPS = FLX_SIGNAL_LIMIT | FLX_SIGNAL_EXCESS,
    FLX_SIGNAL_CROSS = 1 << 16, // angle and rate are two, about the own axes of the bodies
    FLX_SIGNAL_BALL = 1 << 17,  // its limits are of swing and twist
    FLX_SIGNAL_LOADS = FLX_SIGNAL_REACTION | FLX_SIGNAL_MOMENT,
} flx_joint_signal;

// The surface on which friction acts; none where it neither slides nor turns.
typedef struct flx_joint_surface {
    bool slides, turns;
    bool any;   // turns about any axis
    bool whole; // all of the reaction presses, not only what is normal to the axis
} flx_joint_surface;

// What a joint of the tree is made of, from the first body to the second.
typedef enum flx_joint_element {
    FLX_ELEMENT_TURN,
    FLX_ELEMENT_SLIDE,
    FLX_ELEMENT_SCREW,
    FLX_ELEMENT_BALL,
    FLX_ELEMENT_SHIFT, // any way, then any rotation
} flx_joint_element;

typedef enum flx_joint_axis {
    FLX_AXIS_Z, // of the joint's frame: the axis
    FLX_AXIS_X,
    FLX_AXIS_Y,
    FLX_AXIS_OWN, // of the first link the first body's, of the second the second's
} flx_joint_axis;

typedef struct flx_joint_link {
    flx_joint_element element;
    flx_joint_axis axis;
} flx_joint_link;

typedef enum flx_tree_role {
    FLX_TREE_CLOSES, // never in the tree: its rows close loops
    FLX_TREE_CARRIES,
} flx_tree_role;

struct flx_joint_kind {
    flx_word_row says;    // its type in the file, and the keys that it takes
    flx_word_row also;    // another word for it, as other programs call it; its word NULL: none
    const char *in_plane; // its like in a planar model, where it has none itself
    bool on_joints;       // on two joints, not on two bodies
    bool loose;           // holds nothing
    bool rigid;           // holds all
    bool axes[2];         // it knows directions of the first, of the second
    // What is left of it on a point, in the plane and in space; NULL: refused, and `instead` is named.
    const flx_joint_kind *on_point[2];
    const char *instead;
    // What is wrong with the two directions of `axes`, in ground axes; NULL: nothing.
    const char *(*refuse_axes)(v3 first, v3 second);
    flx_status (*check)(const flx_model *m, const flx_joint *j);

    void (*space)(flx_joint_plan *p); // rows; NULL: only in the plane
    void (*plane)(flx_joint_plan *p); // NULL: only in space
    bool angle, displacement;         // coordinates it has
    flx_coordinate own; // of two: that which motions and forces mean where nothing is said
    bool threaded;      // its angle and displacement are one, by its pitch
    unsigned signals, plane_signals; // the latter in the plane alone
    flx_joint_surface surface;

    flx_tree_role tree;
    int nlink;
    flx_joint_link link[3];

    bool curve; // on a curve

    const char *symbol; // of the picture: the word of another kind; NULL: its own
    bool wheel;         // drawn on a plane with its normal, its second axis and its radius
};

#define FLX_JOINT(name) extern const flx_joint_kind flx_joint_##name;
#include "flexion/joints.def"
#undef FLX_JOINT

enum {
    FLX_KINDS_OF_JOINTS = 0
#define FLX_JOINT(name) +1
#include "flexion/joints.def"
#undef FLX_JOINT
};
// All kinds, as they are numbered from 1 in flexion/build.h, and their words; NULL at the end.
extern const flx_joint_kind *const flx_joint_kinds[FLX_KINDS_OF_JOINTS + 1];
void flx_joint_kind_words(const char *words[FLX_KINDS_OF_JOINTS + 1]);
// By its word; NULL: none.
const flx_joint_kind *flx_joint_kind_named(const char *word);
// The row of a key; NULL: the kind does not take it. dimension 0: any.
const flx_key_row *flx_joint_kind_key(const flx_joint_kind *k, const char *key, int dimension);
// Its `at` is always a pair of places.
bool flx_joint_kind_needs_pair(const flx_joint_kind *k);
// Rows of the language, by number; NULL after the last.
const flx_word_row *flx_joint_row(int i);
bool flx_joint_kind_exists(const flx_joint_kind *k, int dimension);
// Names of the signals in a set, NULL at the end.
#define FLX_SIGNAL_COUNT 12
void flx_joint_signal_names(unsigned set, const char *names[FLX_SIGNAL_COUNT + 1]);
// The bit of a name; 0: none.
unsigned flx_joint_signal_named(const char *name);
// The rows of a joint, its motion included; and the part of its `start` that is held. Errors have the item's place.
flx_status flx_joint_plan_rows(const flx_model *m, int joint, flx_hold hold, flx_joint_plan *p);

// The coordinate that motions, starts, gears and forces on the joint speak of.
flx_coordinate flx_joint_own_coordinate(const flx_model *m, int joint);

// A coordinate of a joint as a scalar; FLX_COORDINATE_NONE: its own. false: it has none.
bool flx_joint_scalar(const flx_model *m, int joint, flx_coordinate which, flx_scalar *s);

// What a switch keeps from step to step, so that a joint goes on where it was: the angle of a joint in space, where it is
// along a curve. false: nothing.
bool flx_joint_kept(const flx_model *m, int joint, flx_scalar *s);

// ---- rows of the language that kinds share -------------------------------------------------------

#define FLX_KEY_AT                                                                                 \
    {                                                                                              \
        .key = "at", .form = "place | [place;2]", .needed = true, .unit = "m",                     \
        .doc = "A point, by name or in ground coordinates of the initial configuration; or a "     \
               "pair of places, one on "                                                           \
               "each body."                                                                        \
    }
#define FLX_KEY_AT_IF_GIVEN                                                                        \
    {                                                                                              \
        .key = "at", .form = "place | [place;2]", .unit = "m", .initial = "the second body",       \
        .doc = "Where the relative motion is taken."                                               \
    }
#define FLX_KEY_PAIR                                                                               \
    {                                                                                              \
        .key = "at", .form = "[place;2]", .needed = true, .unit = "m",                             \
        .doc = "A pair of places, one on each body. Rolling: one in the plane, and the centre."    \
    }
#define FLX_KEY_AXIS_IN(d)                                                                         \
    {                                                                                              \
        .key = "axis", .form = "vector", .needed = true,                                           \
        .doc = "Direction in the initial configuration, in ground coordinates or those of "        \
               "`frame`; any length.",                                                             \
        .dimension = (d)                                                                           \
    }
#define FLX_KEY_AXIS FLX_KEY_AXIS_IN(0)
#define FLX_KEY_AXES                                                                               \
    {                                                                                              \
        .key = "axes", .form = "[vector;2]", .needed = true,                                       \
        .doc = "Axis in the first body and axis in the second, in the initial configuration."      \
    }
#define FLX_KEY_FRAME_IN(d)                                                                        \
    {                                                                                              \
        .key = "frame", .form = "name", .initial = "ground",                                       \
        .doc = "Body or point in whose coordinates directions are given.", .dimension = (d)        \
    }
#define FLX_KEY_FRAME FLX_KEY_FRAME_IN(0)
// Of those with a coordinate.
#define FLX_KEYS_MOTION                                                                            \
    {.key = "motion",                                                                              \
     .form = "{motion}",                                                                           \
     .doc = "Prescribes the coordinate; `drive` is the effort that it takes."},                    \
    {                                                                                              \
        .key = "initial", .form = "{initial}",                                                     \
        .doc = "Initial coordinate and rate. All that hangs on the joint moves with it, and the "  \
               "value is kept exactly."                                                            \
    }
#define FLX_KEY_LIMITS                                                                             \
    {                                                                                              \
        .key = "limits", .form = "{limits} | [{limits};1..]",                                      \
        .doc = "Stops of the coordinate; a list where several coordinates, or one twice, have "    \
               "them."                                                                             \
    }
// Of those with a surface.
#define FLX_KEY_FRICTION                                                                           \
    {                                                                                              \
        .key = "friction", .form = "{friction}", .doc = "Friction that follows the reaction."      \
    }

// ---- for the files of the joints --------------------------------------------------------------

// An initial direction of a body, in ground axes.
v3 flx_joint_initial_direction(const flx_model *m, int body, const double a[3]);

void flx_plan_point(flx_joint_plan *p);    // the two places coincide
void flx_plan_axis(flx_joint_plan *p);     // the axes stay parallel
void flx_plan_rotation(flx_joint_plan *p); // no relative rotation at all, space or plane
// a (in the first) . b (in the second) keeps the value
void flx_plan_dot(flx_joint_plan *p, const double a[3], const double b[3], double value,
                  const char *part);
// a (in the first) . (second place - first place) = 0
void flx_plan_plane(flx_joint_plan *p, const double a[3], const char *part);
// The second place stays on the axis through the first.
void flx_plan_line(flx_joint_plan *p);
// Of a curve of the first: its function `along` (curve.h).
void flx_plan_curve(const flx_model *m, int joint, int along, flx_scalar *s);
// Any scalar with coefficient 1; made by flx_plan_scalar, completed by the caller.
flx_row_spec *flx_plan_scalar(flx_joint_plan *p, flx_scalar_kind kind, const char *part);
