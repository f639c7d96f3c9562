// builder.h - what the files that build a model share.
//
// A model file, and every part of it, is a space: one set of names. A name stands for an item (a
// parameter, a body, a joint, ...) or, with `repeat`, for a family of items. Items are resolved
// when they are first asked for, so the order in a file does not matter; asking for an item that
// is being resolved is a cycle, and an error. Expressions see a space through an env.
//
// Types, names, values, and what has a place: bodies, joints, forces. The other blocks: builder_blocks.h, which comes with it.
#pragma once

#include "language/build_model.h"

// Note an error of one item and go on with the next; only memory ends the reading. b: the builder.
#define GO_ON(call)                                                                                \
    do {                                                                                           \
        flx_status go_on_status_ = (call);                                                         \
        if (go_on_status_ == FLX_ERR_MEMORY) return go_on_status_;                                 \
        if (go_on_status_ != FLX_OK) b->failed = true;                                             \
    } while (0)

typedef struct flx_builder flx_builder;
typedef struct flx_beam_marks flx_beam_marks;
typedef struct flx_carried flx_carried;       // builder_blocks.h
typedef struct flx_beam_data flx_beam_data;   // deformable.h
typedef struct flx_solid_data flx_solid_data; // deformable.h
typedef struct flx_space flx_space;
typedef struct flx_item flx_item;

typedef enum flx_kind {
    FLX_KIND_GROUND,
    FLX_KIND_PARAMETER,
    FLX_KIND_FUNCTION,
    FLX_KIND_SIGNAL,
    FLX_KIND_INPUT,
    FLX_KIND_PATH,
    FLX_KIND_CONTROL,
    FLX_KIND_PARTICLES,
    FLX_KIND_FMU,
    FLX_KIND_BODY,
    FLX_KIND_POINT,
    FLX_KIND_JOINT,
    FLX_KIND_FORCE,
    FLX_KIND_VARIABLE,
    FLX_KIND_FIRST,
    FLX_KIND_DISCRETE,
    FLX_KIND_CONSTRAINT,
    FLX_KIND_COUPLING,
    FLX_KIND_EVENT,
    FLX_KIND_ANALYSIS,
    FLX_KIND_PART,
} flx_kind;

typedef enum flx_item_state {
    FLX_ITEM_NEW,
    FLX_ITEM_BUSY,
    FLX_ITEM_DONE,
    FLX_ITEM_FAILED, // its message is recorded
} flx_item_state;

// Names bound nearest: indices of repeat, arguments of functions.
typedef struct flx_local {
    const char *name;
    flx_operand value;
    const struct flx_local *next;
} flx_local;

struct flx_item {
    flx_kind kind;
    const char *name; // in its space: "link(3)"; a family: "link"
    const char *full; // from the top: "leg(2).link(3)"
    const char *base; // as written: "link"
    flx_loc loc;
    flx_space *space;
    const flx_entry *def; // with the keys of `like`
    const flx_local *locals;
    int number; // among the model's bodies, joints, ...
    flx_item_state state;
    bool broken;   // its declaration failed: the message is recorded
    bool unrolled; // a part of a controller
    bool family;   // members lo ... lo + count - 1
    int lo, count;
    flx_item **members;
    void *data; // flx_*_data of the kind
};

// Open addressing, keyed by text.
typedef struct flx_names {
    int count, capacity;
    struct flx_name_slot {
        const char *name;
        flx_item *item;
    } * slots;
} flx_names;

// Items in order.
typedef struct flx_items {
    int count, capacity;
    flx_item **items;
} flx_items;

struct flx_space {
    flx_space *parent;
    flx_item *part;       // NULL at the top
    const flx_entry *def; // the map of the model
    const char *prefix;   // of full names: "leg(2)."
    flx_names names;
    // Where the part's drawing is, from the ground, and its motion as a rigid one.
    flx_item_state placed;
    bool plain; // at the ground frame
    flx_num3 position;
    flx_num9 R;
    flx_num angle;
    flx_body_start start;
    int first_body, end_body; // numbers of the bodies in it, those of its parts included
};

// Parameters that stay open, by their numbers (open.c).
typedef struct flx_open_one {
    int count;      // 1, or the entries of a list
    double *values; // (count) owned
    bool open;      // its leaves are there
    bool fixed;     // needed as a number
    flx_loc needed; // ... where first
} flx_open_one;
typedef struct flx_open_set {
    int n, capacity;
    flx_open_one *list; // (n) owned
    flx_substitution numbers;
    bool changed;  // one more is fixed
    bool exported; // for equations as text, which know fewer numbers that are expressions
} flx_open_set;

struct flx_builder {
    flx_ctx *ctx;
    flx_model *m;
    flx_graph *g;
    flx_arena *scratch; // all that does not outlive the build
    const flx_reader *reader;
    const struct flx_known *known; // what analyses have found; NULL: nothing
    int analysing;                 // number + 1 of the analysis that is being read; 0: none
    flx_space *top;
    flx_item *ground;
    flx_items busy; // being resolved, outermost first
    int depth;      // of nested resolution
    bool failed;
    flx_items
        attached; // nodes of flexible bodies that joints or forces use, numbered after `bodies`
    flx_items elastic; // flexible bodies in the order of their coordinates
    int nmode;         // coordinates of all of them
    flx_items bodies, joints, forces, variables, firsts, constraints, couplings, signals, inputs,
        paths, controls, particles, fmus, events, discretes, analyses, parameters, functions, parts;
    struct flx_ast_slot {
        const flx_entry *key;
        flx_ast *ast;
    } * asts;
    int nast, ast_capacity;
    int probe_capacity;
    struct flx_file_slot { // part files read so far
        const char *path;
        flx_entry *tree;
        struct flx_file_slot *next;
    } * files;
    int nitem;
    flx_open_set *open; // NULL: parameters are numbers
    flx_beam_marks *marks;
    flx_carried *carried;
    int nstick;       // friction that sticks
    int nsection_row; // rows that tie sections of beams
    const flx_read_def *asked;
    struct flx_force_state *states; // those of forces, the last first
};

// What an expression may use.
typedef enum flx_env_mode {
    FLX_MODE_CONSTANT, // points are where they are drawn
    FLX_MODE_TIME,     // and t
    FLX_MODE_MOVING,   // and signals
    FLX_MODE_OUTPUT,   // and what is known only after a step: accelerations, reactions, ...
} flx_env_mode;

typedef struct flx_env {
    flx_scope scope; // its user is this env
    flx_builder *b;
    flx_space *space;
    const flx_local *locals;
    flx_env_mode mode;
    flx_loc where; // the value of the file that is being read
    bool measure;  // final(..), maximum(..), ... are functions here
    struct flx_goal_names
        *goals; // what analyses find is a leaf, which these list; NULL: it is a value
} flx_env;

// Handles of a scope: tags of values that are not items themselves.
enum {
    FLX_TAG_ITEM,       // handle: flx_item
    FLX_TAG_PART_COM,   // handle: flx_item of the part
    FLX_TAG_GROUP,      // handle: name: energy, momentum, constraints
    FLX_TAG_NODES,      // handle: flx_item of a body that deforms: node(7)
    FLX_TAG_LENGTH,     // ... point(0.5)
    FLX_TAG_MODES,      // ... mode(3)
    FLX_TAG_MEASURE,    // function: handle: its word
    FLX_TAG_QUATERNION, // handle: flx_operand, the list w x y z
    FLX_TAG_TENSOR,     // handle: flx_operand, the list xx yy zz xy yz xz
    FLX_TAG_PAIRS,      // list: real and imaginary parts in turn
    FLX_TAG_NUMBERED,   // list: counted, however short
    FLX_TAG_KNOWN,      // handle: what an analysis found (analyses/known_values.c)
};

// ---- expand.c: like, repeat, parts --------------------------------------------------------------

// Declare every name of a space, then the spaces of its parts.
flx_status flx_space_declare(flx_builder *b, flx_space *s);
flx_status flx_space_expand(flx_builder *b, flx_space *s);
// One named definition into a table, with `like` and `repeat`. siblings: where `like` looks.
flx_status flx_item_declare(flx_builder *b, flx_space *s, flx_kind kind, const flx_entry *key,
                            const flx_entry *def, const flx_entry *siblings,
                            const flx_local *locals, const char *prefix, flx_names *names,
                            flx_items *list, void *data);
// segment.c: the keys that `segment` of a body stands for.
flx_status flx_segment_expand(flx_builder *b, const flx_entry **def);
// Indices and arguments: a plain name that is not built in.
flx_status flx_item_check_name(flx_builder *b, const flx_entry *key, const char *what);

// ---- names.c: tables of names, resolution -------------------------------------------------------

flx_item *flx_names_find(const flx_names *n, const char *name);
flx_status flx_names_add(flx_builder *b, flx_names *n, const char *name, flx_item *item);
void flx_names_offer(const flx_names *n, flx_nearest *near);
flx_status flx_items_add(flx_builder *b, flx_items *list, flx_item *item);

const char *flx_item_word(flx_kind kind); // "body", "joint", ...

// Resolution with detection of cycles: enter returns FLX_OK with *skip set when the item is done.
flx_status flx_item_enter(flx_builder *b, flx_item *item, flx_item_state *state, const char *cyclic,
                          flx_loc loc, bool *skip);
flx_status flx_item_leave(flx_builder *b, flx_item_state *state, flx_status status);

// ---- scope.c, members.c: what expressions see ---------------------------------------------------

void flx_env_init(flx_env *e, flx_builder *b, flx_space *s, const flx_local *locals,
                  flx_env_mode mode);
void flx_env_of(flx_env *e, flx_builder *b, const flx_item *item, flx_env_mode mode);
flx_operand flx_operand_number(flx_node n);
flx_operand flx_operand_item(const flx_item *item);
const flx_item *flx_operand_get_item(const flx_operand *v); // NULL: not an item
// The members of a scope, also for names that outputs walk along.
flx_status flx_env_lookup(flx_scope *s, const char *name, flx_loc loc, flx_operand *out);
flx_status flx_env_member(flx_scope *s, const flx_operand *of, const char *name, flx_loc loc,
                          flx_operand *out);
flx_status flx_env_index(flx_scope *s, const flx_operand *of, int n, const flx_operand *args,
                         flx_loc loc, flx_operand *out);
flx_status flx_env_coerce(flx_scope *s, const flx_operand *of, flx_loc loc, flx_operand *out);
flx_status flx_env_rate(flx_scope *s, flx_node n, flx_loc loc, flx_node *out);
// Whether a value depends on leaves that only outputs know; *what names one.
bool flx_operand_output_only(flx_builder *b, const flx_operand *v, const char **what);
extern const char *const flx_quaternion_parts[], *const flx_tensor_parts[]; // end with NULL
// What an item is in an expression.
flx_status flx_item_value(flx_env *e, flx_item *item, flx_loc loc, flx_operand *out);
// The name of a family where one of its members is needed.
flx_status flx_item_fail_family(flx_env *e, const flx_item *item, flx_loc loc);
// Fails where the env does not know what changes in time, moves, or is known after a step only.
flx_status flx_env_require(flx_env *e, flx_env_mode mode, const char *what, const char *name,
                           flx_loc loc);
flx_status flx_member_unknown(flx_env *e, const char *of, const char *name, flx_loc loc,
                              const char *const *words, const flx_names *names);

// ---- values.c: from the file's values to numbers and nodes --------------------------------------

void *flx_take(flx_builder *b, size_t n, size_t size); // from the scratch arena
// Add what a tree uses of the language that is not supported yet to the model's list.
flx_status flx_build_unavailable(flx_builder *b, const flx_entry *tree);
flx_status flx_build_value(flx_env *e, const flx_entry *y, flx_operand *out);
flx_status flx_build_number(flx_env *e, const flx_entry *y, double *out);
flx_status flx_build_integer(flx_env *e, const flx_entry *y, int *out);
flx_status flx_build_positive(flx_env *e, const flx_entry *y, const char *what, double *out);
flx_status flx_build_word(flx_builder *b, const flx_entry *y, const char *what,
                          const char *const *words, int *out);
flx_status flx_build_flag(flx_builder *b, const flx_entry *y, const char *what, bool *out);
// Numbers of a nested list in order.
flx_status flx_build_numbers(flx_env *e, const flx_entry *y, int *n, double **out);
// Pairs [x, y], x ascending, two at least; in the scratch arena.
flx_status flx_build_points(flx_env *e, const flx_entry *points, int *n, double **x, double **y);
// Three entries; in planar models two, or three with the last zero.
flx_status flx_build_vector(flx_env *e, const flx_entry *y, double out[3]);
flx_status flx_operand_to_vector(flx_env *e, const flx_operand *v, flx_loc loc, flx_node out[3]);
flx_status flx_operand_to_constants(flx_env *e, const flx_operand *v, flx_loc loc, double out[3]);
flx_status flx_operand_to_number(flx_env *e, const flx_operand *v, flx_loc loc, flx_node *out);
flx_status flx_build_node(flx_env *e, const flx_entry *y, flx_node *out);
flx_status flx_build_node_vector(flx_env *e, const flx_entry *y, flx_node out[3]);
// A key that must be there.
flx_status flx_build_need(flx_builder *b, const flx_item *item, const char *key,
                          const flx_entry **out);

// ---- open.c: parameters that stay open ---------------------------------------------------------

void flx_open_start(flx_open_set *s, flx_graph *g);
void flx_open_clear(flx_open_set *s);
// A number made of constants and open parameters.
bool flx_open_value(flx_builder *b, flx_node n, double *out);
// The same where only the number is kept: its parameters are fixed.
bool flx_build_constant(flx_builder *b, flx_node n, flx_loc loc, double *out);
// The node with numbers in place of its parameters, which are fixed; -1: no memory.
flx_node flx_open_fix(flx_builder *b, flx_node n, flx_loc loc);
// Makes the constant node of a parameter its leaf, unless it is fixed or others were asked for. One that is
// asked for by name is open whatever its value is made of, as when it is set.
flx_status flx_open_parameter(flx_builder *b, const flx_item *parameter, flx_operand *value);
// A limit of parameters that are set later; nothing where the number is not open.
flx_status flx_build_limit(flx_builder *b, const flx_limit *l);
bool flx_open_is(const flx_builder *b, int number); // whether it is
flx_status flx_open_check_asked(flx_builder *b);    // names of open parameters
// Whether its number is needed, and where; a place without a file: it is not.
flx_loc flx_open_needed(const flx_builder *b, int number);
// A constant node as a number, with the expression kept.
flx_status flx_node_to_number(flx_env *e, flx_node n, flx_loc loc, double *out, flx_open *open);
// As flx_build_number and flx_build_numbers, with the expression kept.
flx_status flx_build_open(flx_env *e, const flx_entry *y, double *out, flx_open *open);
flx_status flx_build_open_numbers(flx_env *e, const flx_entry *y, int *n, double **out,
                                  flx_open **open);
flx_status flx_build_open_vector(flx_env *e, const flx_entry *y, double out[3], flx_open open[3]);
// A note where an angle at the start is larger than a turn and nothing says that it is meant.
void flx_note_degrees(flx_builder *b, const flx_entry *y, double angle);

// ---- placement.c: where things are drawn --------------------------------------------------------------

// An initial place: on a body, or coordinates only (item NULL).
typedef struct flx_place {
    const flx_item *item; // body, point, ground or NULL
    flx_num3 position;    // ground
} flx_place;

flx_status flx_space_place(flx_builder *b, flx_space *s);
flx_status flx_body_place(flx_builder *b, flx_item *body, flx_loc loc);
flx_status flx_point_resolve(flx_builder *b, flx_item *point, flx_loc loc);
// Placed, with its centre of mass: what nodes of a body need.
flx_status flx_body_ready(flx_builder *b, flx_item *body, flx_loc loc);
// The body an item is of, and where in it: bodies (their origin), points, ground.
flx_status flx_item_frame(flx_builder *b, const flx_item *item, flx_loc loc, flx_item **body,
                          flx_num3 *at, flx_num9 *R);
flx_status flx_item_initial_frame(flx_builder *b, const flx_item *item, flx_loc loc,
                                  flx_num3 *position, flx_num9 *R);
flx_status flx_operand_to_place(flx_env *e, const flx_operand *v, flx_loc loc, flx_place *out);
flx_status flx_build_place(flx_env *e, const flx_entry *y, flx_place *out);
// `velocity` and `angular_velocity` of what is drawn at a position, with the part's own motion.
flx_status flx_build_motion(flx_env *e, const flx_entry *def, const flx_num3 *position,
                            flx_body_start *out);
// A reference to a frame: body, point, ground.
flx_status flx_build_frame(flx_env *e, const flx_entry *y, const flx_item **out);
flx_num3 flx_ground_to_body(flx_builder *b, const flx_item *body, flx_num3 p);
// As drawn, from the ground: the frame of a body that is placed.
void flx_body_frame(const flx_item *body, flx_num3 *position, flx_num9 *R);
bool flx_body_turns(const flx_item *body); // false: ground and points

// orientation.c: orientations, directions
flx_status flx_build_orientation(flx_env *e, const flx_entry *y, flx_num9 *R, flx_num *angle);
// A direction of length 1, in ground axes initially; frame (may be NULL): whose axes it is given in.
flx_status flx_build_direction(flx_env *e, const flx_entry *y, const flx_entry *frame,
                               flx_num3 *out);

// attach.c: bodies and places on them
// The bodies of `on`: one or two; or a joint. *njoint: how many of them are joints.
flx_status flx_build_on(flx_env *e, const flx_entry *y, int *n, flx_item *items[2]);
// `at`: places for the two bodies, each in its body's frame. *pair: two were given.
// A place on a flexible body is one of its nodes, and stands for it from then on: bodies is changed.
flx_status flx_build_at(flx_env *e, const flx_entry *y, flx_item *bodies[2], flx_num3 at[2],
                        bool *pair);

// One place, and the body that it is on: coordinates alone are on the ground.
flx_status flx_build_anchor(flx_env *e, const flx_entry *y, flx_item **body, flx_num3 *at);

// The body as the user knows it: a node of a beam is on the beam.
const flx_item *flx_named_body(const flx_item *body);

// ---- body_shapes.c ------------------------------------------------------------------------------------

// Once: what has been built stays.
flx_status flx_build_shapes(flx_env *e, const flx_item *body, flx_body *def);
// body_density.c: mass and inertia of a rigid body with a density, and its centre of mass.
flx_status flx_body_weigh(flx_builder *b, flx_item *body, flx_num3 *com);
flx_status flx_body_surfaces(flx_builder *b, flx_item *body); // body_surfaces.c, once

// ---- block_bodies.c ------------------------------------------------------------------------------------

// What is known of a flexible body while the model is built.
typedef struct flx_elastic_body {
    flx_item_state read;
    flx_elastic *e;
    int first;           // number of its first coordinate among those of all flexible bodies
    double *at, *rate;   // (n) coordinates and rates at the start
    flx_item **points;   // (nnode) nodes that were asked for, as points
    flx_item **attached; // (nnode) those that joints or forces use
    // Of shapes that are made for loads at interfaces: their names, and bits of the components that have loads (all: 077);
    // numbers of other nodes, of which it is known what the shapes leave out there.
    int ninterface, nknown, *known;
    const char **interfaces;
    unsigned *loads;
#define FLX_POINT_LOADS 0100u // a node without rotation: moments turn the material around it
} flx_elastic_body;

typedef struct flx_body_data {
    flx_item_state placed;
    flx_body def; // copied to the model at the end
    bool deformable;
    const char *word; // type as written
    flx_names points;
    flx_items ordered; // points in order, families unrolled
    flx_item *com;
    double start[3], end[3];  // ends of a body that deforms, body frame
    flx_elastic_body elastic; // of a flexible body
    flx_item *carrier;     // of a attached frame: its flexible body; of a node: its beam; else NULL
    int node;              // of a attached frame, or of a beam: the node
    flx_beam_data *beam;   // of a beam
    flx_solid_data *solid; // of a solid
    int ntouching;
    struct flx_touching *touching; // (ntouching) its surfaces (contact_parts.h)
} flx_body_data;

typedef struct flx_point_data {
    flx_item *body;
    flx_item_state state;
    flx_num3 at;
    flx_num9 R;
    bool deformable; // a node of a body that deforms: deflection, force, moment
    int node;        // of a flexible body; -1: not one of those
    int place;       // of a beam: which of its places
} flx_point_data;

flx_status flx_body_declare_points(flx_builder *b, flx_item *body);
flx_status flx_body_finish(flx_builder *b, flx_item *body);
// All bodies of a sort, after each other: their nodes become bodies, after those of the model. A failure
// of one leaves the others.
flx_status flx_bodies_become_nodes(flx_builder *b,
                                   bool (*is)(const flx_builder *b, const flx_item *body),
                                   flx_status (*declare)(flx_builder *b, flx_item *body));
flx_status flx_body_make_point(flx_builder *b, flx_item *body, const char *name, const double at[3],
                               flx_item **out);

// ---- block_joints.c ------------------------------------------------------------------------------------

typedef struct flx_joint_data {
    flx_item_state placed, coordinated, limited;
    flx_joint def;
    flx_item *body[2], *joint[2];
    flx_num3 at[2], axis[2]; // as in def
    flx_num9 frame[2];
    flx_num3 drawn;      // p2 - p1 initially, first's axes
    bool displacement;   // its coordinate is a displacement (else an angle)
    bool point_pin;      // planar pin of a point: no angle
    flx_force *friction; // NULL: none
    flx_stick *stick;    // NULL: none
    flx_node stick_state, stick_effort;
    int nstop;
    flx_stop *stops;
} flx_joint_data;

flx_status flx_joint_place(flx_builder *b, flx_item *joint, flx_loc loc);
flx_status flx_joint_finish(flx_builder *b, flx_item *joint);
// joint_signals.c: which coordinates there are, and what they and other signals are.
bool flx_joint_has_coordinate(const flx_item *joint); // one that is placed
// false: a pin of a beam's node that has no axes now, and will when the model is built again.
bool flx_joint_turns(flx_builder *b, const flx_item *joint);
flx_status flx_joint_coordinate(flx_builder *b, flx_item *joint, flx_loc loc);
flx_status flx_joint_member(flx_env *e, flx_item *joint, const char *name, flx_loc loc,
                            flx_operand *out);
// A coordinate of a joint that is placed (flx_coordinate), and its rate; one that it has.
flx_status flx_joint_nodes(flx_builder *b, flx_item *joint, int which, flx_node *value,
                           flx_node *rate);
// friction.c: the force of the key `friction`.
flx_status flx_joint_friction(flx_builder *b, flx_item *joint);
flx_status flx_joint_friction_member(flx_env *e, flx_item *joint, bool state, flx_loc loc,
                                     flx_operand *out);
// limits.c: the key `limits`, its signals and their units.
flx_status flx_joint_limits(flx_builder *b, flx_item *joint);
flx_status flx_joint_limits_member(flx_env *e, flx_item *joint, bool excess, flx_loc loc,
                                   flx_operand *out);
const char *flx_joint_limits_unit(const flx_item *joint, bool excess);

// ---- block_forces.c, force_signals.c -------------------------------------------------------------------

typedef struct flx_force_data {
    flx_item_state placed, valued;
    flx_force def;
    const struct flx_force_word *word; // type as written
    flx_item *body[2], *joint;
    bool unavailable;
    flx_num3 at[2];  // as in def
    bool number;     // value is a number
    flx_node scalar; // value as a number
    int nspread;
    flx_force *spread;    // of a load along a beam: on each of its nodes; the model's
    flx_solid_load *load; // on a solid; the model's
    flx_contact *contact; // of that type
    flx_node length, rate;
    struct flx_force_line *through; // the places of a cable or a muscle
    int nmore;
    struct flx_force_more { // signals that the kind alone has
        const char *name;
        flx_node node;
    } more[8];
} flx_force_data;

flx_status flx_force_finish(flx_builder *b, flx_item *force);
flx_status flx_force_member(flx_env *e, flx_item *force, const char *name, flx_loc loc,
                            flx_operand *out);
flx_status flx_force_states_finish(flx_builder *b); // behind those that the model names
// Of a force that has such a signal; NULL: it has none.
const char *flx_force_signal_unit(const flx_item *force, const char *name);

#include "language/builder_blocks.h"
