// force_kind.h - what each kind of force is: everybody else asks the tables here.
//
// A word of the language (`type: spring`) says how it is written, and which kind it is on bodies, on a
// joint, on a solid. A kind says what it does to the equations, which signals it has, how it is drawn.
//
// To add a force: one file with its flx_force_word (and its flx_force_kind, where it is a new one), and
// its name in FLX_FORCE_WORDS.
#pragma once

#include "force/force.h"
#include "joint/joint.h"
#include "model/kind_rows.h"
#include "model/model_data.h"

#define FLX_FORCE_WORDS(X)                                                                         \
    X(spring)                                                                                      \
    X(torque)                                                                                      \
    X(force)                                                                                       \
    X(actuator)                                                                                    \
    X(bushing)                                                                                     \
    X(gravitation)                                                                                 \
    X(expression)                                                                                  \
    X(contact)                                                                                     \
    X(distributed)                                                                                 \
    X(pressure)                                                                                    \
    X(traction)                                                                                    \
    X(cable)                                                                                       \
    X(muscle)                                                                                      \
    X(tyre)

// What acts along one scalar function of two frames.
typedef struct flx_force_part {
    flx_scalar s;
    int component;    // of stiffness and damping
    bool rests;       // nothing pulls at the force's `length`; else where the scalar is zero
    const char *name; // of its pull
} flx_force_part;

#define FLX_MOST_FORCE_PARTS 6

typedef struct flx_force_plan {
    const flx_model *model;
    const flx_force *force;
    flx_ctx *ctx; // of messages
    double same;  // places nearer than this are one
    int npart;
    flx_force_part part[FLX_MOST_FORCE_PARTS];
} flx_force_plan;

typedef struct flx_force_signal {
    const char *name; // NULL ends the list
    const char *unit; // NULL: that of the word's value
} flx_force_signal;

struct flx_force_kind {
    const char *word;   // what lists call it
    const char *mixed;  // ... where its force is an unknown; NULL: it cannot be one
    const char *symbol; // what pictures draw for it; NULL: nothing
    const flx_force_signal *signals;
    bool line;      // along the line between two places
    bool joint;     // along a coordinate of a joint
    bool mounted;   // its places belong to the form of its bodies
    bool links;     // it joins a body to another one
    bool potential; // but for its damping it only stores energy
    // Which arrays of kernels it goes to; one of these.
    flx_status (*parts)(flx_force_plan *p); // stiffness and damping along scalars
    flx_status (*along)(flx_force_plan *p); // its value along part 0
    bool wrench;                            // vectors at two places
    bool attracts;                          // attraction of every pair of bodies
    bool load;                              // on a solid
    bool contact;                           // surfaces that touch
    double sign;   // of its value along a scalar: 1, a pull makes it smaller; -1, an effort larger
    bool pressure; // of a load: against the normals of faces as deformed; else a vector,
    bool volume;   // ... per initial volume; else per initial area of the faces
};

// The places that a word reads.
typedef enum flx_force_at {
    FLX_AT_NOTHING, // it has none
    FLX_AT_LINE,    // two ends
    FLX_AT_SIDES,   // one place of two bodies, or two
    FLX_AT_PLACE,   // one, or two; else the centres of mass
    FLX_AT_NODE,    // of bodies that deform; others it turns wherever it acts
    FLX_AT_LOAD,    // a beam, or faces or the volume of a solid
    FLX_AT_SURFACES,
    FLX_AT_ROAD,    // a wheel on a road
    FLX_AT_THROUGH, // a line through places, each on a body of its own
} flx_force_at;

// What its force follows from.
typedef enum flx_force_law {
    FLX_LAW_NOTHING, // numbers alone
    FLX_LAW_ELASTIC, // stiffness and damping
    FLX_LAW_NUMBER,  // `value`, a number
    FLX_LAW_FORCE,   // `value`, a force
    FLX_LAW_TORQUE,  // `value`, a torque
    FLX_LAW_BOTH,    // `force` and `torque`
    FLX_LAW_LOAD,    // `value`, of a load
    FLX_LAW_CONTACT, // `law` and its numbers
    FLX_LAW_CABLE,   // stretch and its rate (CAB-1)
    FLX_LAW_MUSCLE,  // (MUS-1)
    FLX_LAW_TYRE,    // (TYR-1)
} flx_force_law;

typedef struct flx_force_word {
    flx_word_row row;
    const flx_force_kind *kind;     // on bodies; NULL: not on bodies
    const flx_force_kind *on_joint; // NULL: not on joints
    const flx_force_kind *on_solid; // NULL: not on solids
    flx_force_at at;
    flx_force_law law;
    const char *unit; // of its value; on a joint that follows from the coordinate
} flx_force_word;

#define X(name) extern const flx_force_word flx_word_##name;
FLX_FORCE_WORDS(X)
#undef X

// Kinds that others make forces of.
extern const flx_force_kind flx_force_spring, flx_force_joint_spring, flx_force_bushing;
extern const flx_force_kind flx_force_spring_law, flx_force_joint_spring_law;
extern const flx_force_kind flx_force_actuator, flx_force_effort, flx_force_wrench;
extern const flx_force_kind flx_force_gravitation, flx_force_contact;
extern const flx_force_kind flx_force_cable, flx_force_muscle, flx_force_tyre;
extern const flx_force_kind flx_force_pressure, flx_force_traction, flx_force_volume;

// The words by number, in the order of the list; NULL after the last. Their rows for the language.
const flx_force_word *flx_force_get_word(int i);
const flx_word_row *flx_force_row(int i);
#define FLX_MOST_FORCE_WORDS 64
void flx_force_list_words(const char *out[FLX_MOST_FORCE_WORDS]); // NULL after the last
bool flx_force_word_has_key(const flx_force_word *w, const char *key);
// The signal of that name, or NULL.
const flx_force_signal *flx_force_find_signal(const flx_force_kind *k, const char *name);

// The parts of a force: of stiffness and damping, or the one that its value is along. ctx: of
// messages; same: places nearer than this are one.
flx_status flx_force_plan_parts(const flx_model *m, const flx_force *f, flx_ctx *ctx, double same,
                                flx_force_plan *p);
// The place on one side, from the centre of mass; on a point there is no other than its own.
flx_status flx_force_place_from_centre(const flx_model *m, const flx_force *f, int side,
                                       flx_ctx *ctx, double same, double s[3]);

// ---- for the files of the forces --------------------------------------------------------------

// The next part: that scalar between the two places.
flx_status flx_force_add_part(flx_force_plan *p, flx_scalar_kind kind, const char *name,
                              flx_force_part **part);
// The part along the line between the two places; along the joint's own coordinate, or another.
flx_status flx_force_add_line(flx_force_plan *p);
flx_status flx_force_add_coordinate(flx_force_plan *p, flx_coordinate which);

// Rows that several words have.
#define FLX_FORCE_ROW_ON_ANY                                                                       \
    {                                                                                              \
        .key = "on", .form = "name | [name;2]", .needed = true,                                    \
        .doc = "A body, two bodies, or a joint."                                                   \
    }
#define FLX_FORCE_ROW_ON_TWO                                                                       \
    {                                                                                              \
        .key = "on", .form = "[name;2]", .needed = true, .doc = "First and second body."           \
    }
#define FLX_FORCE_ROW_ON_SOLID                                                                     \
    {                                                                                              \
        .key = "on", .form = "name", .needed = true, .doc = "The solid."                           \
    }
#define FLX_FORCE_ROW_SURFACE                                                                      \
    {                                                                                              \
        .key = "surface", .form = "text | [text;1..]", .initial = "all of it",                     \
        .doc =                                                                                     \
            "Sets of the mesh: their boundary elements, or, of a set of nodes alone, every face "  \
            "whose nodes it has."                                                                  \
    }
#define FLX_FORCE_ROW_AT_PLACE                                                                     \
    {                                                                                              \
        .key = "at", .form = "place | [place;2]", .unit = "m", .initial = "the centre of mass",    \
        .doc = "Where the force acts; of a torque the node of a body that bends."                  \
    }
#define FLX_FORCE_ROW_FRAME(where)                                                                 \
    {                                                                                              \
        .key = "frame", .form = "name", .initial = "ground",                                       \
        .doc = "Axes of the vectors: `ground`, `body` (the one acted on), or any body or point.",  \
        .dimension = (where)                                                                       \
    }
#define FLX_FORCE_ROW_THROUGH                                                                      \
    {                                                                                              \
        .key = "through", .form = "[place;2..]", .needed = true, .unit = "m",                      \
        .doc = "The places that the line goes through, in order: points of bodies, or "            \
               "coordinates on the ground. Those between the ends are rings without friction."     \
    }
#define FLX_FORCE_ROW_DISSIPATIVE                                                                  \
    {                                                                                              \
        .key = "dissipative", .form = "bool", .initial = "false",                                  \
        .doc =                                                                                     \
            "The work of the force counts as dissipated in the ledger: of a law that only takes "  \
            "energy, as drag or friction, so that the balance tells supplied and lost apart."      \
    }
#define FLX_FORCE_ROW_FORM                                                                         \
    {                                                                                              \
        .key = "form", .form = "word", .initial = "auto",                                          \
        .doc = "How a stiff force enters the equations."                                           \
    }
