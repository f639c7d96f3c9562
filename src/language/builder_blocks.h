// builder_blocks.h - what the files of blocks without a place share: equations, events, functions, inputs, signals, outputs, tasks.
#pragma once

#include "language/builder.h"

// ---- block_equations.c ---------------------------------------------------------------------------------

typedef struct flx_first_data {
    flx_item_state classified;
    bool algebraic;
    flx_node mass; // -1: 1
    int number;
} flx_first_data;

typedef struct flx_constraint_data {
    flx_node value;
} flx_constraint_data;

flx_status flx_first_classify(flx_builder *b, flx_item *first, flx_loc loc);

// carried.c: names of first-order variables that constraints read, which are coordinates then.
struct flx_carried {
    int n, capacity;
    const char **names; // (n) owned, of interned names
    bool changed;       // there are more than the model was built with
};
bool flx_first_is_carried(const flx_builder *b, const char *full);
// Carries all that the node reads. FLX_ERR_MODEL: it reads an algebraic one.
flx_status flx_firsts_carry(flx_builder *b, flx_node n, flx_loc loc);
// One that is carried: the coordinate, and the constraint that holds its rate.
flx_status flx_carried_variable(flx_builder *b, const flx_item *item, flx_variable *out);
flx_status flx_carried_hold(flx_builder *b, const flx_item *item, flx_constraint *out);

flx_status flx_equations_finish(flx_builder *b);
flx_status flx_constraint_value(flx_builder *b, flx_item *constraint, flx_loc loc, flx_node *out);

// ---- block_events.c ------------------------------------------------------------------------------------

flx_status flx_events_finish(flx_builder *b);
// When all expressions are there: what jumps in them is decided by switches.
flx_status flx_switches_finish(flx_builder *b);
flx_status flx_event_member(flx_env *e, const flx_item *event, const char *name, flx_loc loc,
                            flx_operand *out);

// ---- block_functions.c: parameters, functions, signals -------------------------------------------------

// One entry of a list that is set from outside.
typedef struct flx_entry_setting {
    int index; // from 1
    const flx_entry *value;
    const struct flx_entry_setting *next;
} flx_entry_setting;

typedef struct flx_parameter_data {
    flx_operand value;
    const flx_entry_setting *entries; // the first given is the last
    const flx_entry *given;           // from outside, in the env of the part's user
    flx_space *given_space;
    const flx_local *given_locals;
} flx_parameter_data;

typedef struct flx_function_data {
    int narg;
    const char **args;
    const flx_entry *value;
    int table;    // -1: no table
    int external; // -1: of the model itself
} flx_function_data;

typedef struct flx_signal_data {
    flx_operand value;
    bool output_only;
    const char *what; // it contains
} flx_signal_data;

// block_inputs.c
typedef struct flx_input_data {
    flx_node node, expression;
    double value, lower, upper;
    flx_node bound[2]; // -1: none
    const char *unit, *moves;
    bool jumps; // its table does
} flx_input_data;
flx_status flx_input_resolve(flx_builder *b, flx_item *input, flx_loc loc);
// The inputs in the motion of a joint: their values are of the time alone and must not jump. wrong:
// whether a leaf is another one.
flx_status flx_inputs_move(flx_builder *b, flx_node motion,
                           bool (*wrong)(void *user, flx_leaf leaf), const flx_item *joint,
                           flx_loc loc);
flx_status flx_inputs_check_asked(flx_builder *b); // names in texts "F=force.csv"
flx_status flx_inputs_finish(flx_builder *b);

// paths.c
typedef struct flx_path_data {
    int nvalue;
    flx_operand *values; // (nvalue) numbers of the time
} flx_path_data;
flx_status flx_path_resolve(flx_builder *b, flx_item *path, flx_loc loc);
// What is between the brackets: a value of the path.
flx_status flx_path_index(flx_env *e, flx_item *path, int n, const flx_operand *args, flx_loc loc,
                          flx_operand *out);
// As a number, or as a list of several.
flx_status flx_path_value(flx_env *e, flx_item *path, flx_loc loc, flx_operand *out);
// Warns, in the name of a joint, where a motion needs two continuous derivatives; fails where it needs one.
flx_status flx_path_check_motion(flx_builder *b, flx_node motion, bool rate, const flx_item *joint,
                                 flx_loc loc);

// control.c
typedef struct flx_control_data {
    flx_names names; // of what it became
} flx_control_data;
flx_status flx_control_declare(flx_builder *b, flx_item *control);
flx_status flx_control_member(flx_env *e, flx_item *control, const char *name, flx_loc loc,
                              flx_operand *out);
flx_status flx_control_value(flx_env *e, flx_item *control, flx_loc loc, flx_operand *out);

// particles/block_particles.c
flx_status flx_particles_declare(flx_builder *b, flx_item *particles);
flx_status flx_particles_member(flx_env *e, flx_item *particles, const char *name, flx_loc loc,
                                flx_operand *out);
size_t flx_particles_item_size(void);
// particles/read_particles.c
flx_status flx_particles_finish(flx_builder *b);

// fmu/block_fmus.c
flx_status flx_fmus_declare(flx_builder *b, flx_item *fmu);
size_t flx_fmus_item_size(void);
flx_status flx_fmus_finish(flx_builder *b);

flx_status flx_parameter_resolve(flx_builder *b, flx_item *p, flx_loc loc);
flx_status flx_function_resolve(flx_builder *b, flx_item *f, flx_loc loc);
flx_status flx_signal_resolve(flx_builder *b, flx_item *s, flx_loc loc);
flx_status flx_function_call(flx_env *e, const flx_item *f, int n, const flx_operand *args,
                             flx_loc loc, flx_operand *out);
flx_status flx_parameters_finish(flx_builder *b);

// ---- kinematics.c: motion of bodies and points as nodes ------------------------------------------

// Ground axes. at, direction: body frame.
void flx_node_position(flx_builder *b, const flx_item *body, const flx_num3 *at, flx_node out[3]);
// From a place on the first to one on the second: p2 - p1.
void flx_node_way(flx_builder *b, flx_item *const body[2], const flx_num3 at[2], flx_node out[3]);
void flx_node_velocity(flx_builder *b, const flx_item *body, const flx_num3 *at, flx_node out[3]);
void flx_node_acceleration(flx_builder *b, const flx_item *body, const flx_num3 *at,
                           flx_node out[3]);
void flx_node_direction(flx_builder *b, const flx_item *body, const flx_num3 *d, flx_node out[3]);
// In the plane: angle of a body; of the second relative to the first, zero initially.
flx_node flx_node_angle(flx_builder *b, const flx_item *body);
flx_node flx_node_planar_angle(flx_builder *b, const flx_item *first, const flx_item *second);
void flx_node_angular_velocity(flx_builder *b, const flx_item *body,
                               flx_node out[3]); // angular velocity
void flx_node_angular_acceleration(flx_builder *b, const flx_item *body, flx_node out[3]);
// v given in the axes R (constant) of a body, turned to ground axes.
void flx_node_turn(flx_builder *b, const flx_item *body, const flx_num9 *R, const flx_node v[3],
                   flx_node out[3]);
flx_node flx_node_rate(flx_builder *b, flx_node n); // its derivative in time
// Half the skew part, sin(phi) n, and cos(phi) of a rotation matrix; its quaternion, w >= 0.
void flx_node_sine_cosine(flx_graph *g, const flx_node R[9], flx_node sine[3], flx_node *cosine);
void flx_node_quaternion(flx_graph *g, const flx_node R[9], flx_node out[4]);

// ---- body_signals.c: what expressions ask of bodies, points and parts ---------------------------------

// As values of an expression: in the axes (and from the origin) of the env's space.
flx_status flx_env_vector(flx_env *e, const flx_node v[3], flx_operand *out);
flx_status flx_env_point(flx_env *e, const flx_node v[3], flx_operand *out);
flx_status flx_env_list(flx_env *e, int n, const flx_node *v, flx_operand *out);
// Zeros in place of what is not supported yet, in models that are checked and refused by runs.
flx_status flx_env_stand_in(flx_env *e, int n, flx_operand *out);
flx_status flx_body_member(flx_env *e, flx_item *item, const char *name, flx_loc loc,
                           flx_operand *out);
// momentum and angular_momentum, of a body or a part.
bool flx_is_momentum(const char *name);
flx_status flx_part_momentum(flx_env *e, const flx_item *part, const char *name, flx_loc loc,
                             flx_operand *out);
flx_status flx_part_com_member(flx_env *e, const flx_item *part, const char *name, flx_loc loc,
                               flx_operand *out);
flx_status flx_group_member(flx_env *e, const char *group, const char *name, flx_loc loc,
                            flx_operand *out);
bool flx_is_body_signal(const char *name);
// The axes that a body, point or node has as it moves, in ground axes: its signals ex, ey, ez.
flx_status flx_item_axes(flx_builder *b, const flx_item *item, flx_loc loc, flx_node axes[3][3]);

// ---- block_fe.c ----------------------------------------------------------------------------------------

// The structure of a block `fe` with a mesh or a line, in the caller's hands; NULL on failure.
flx_status flx_fe_build(flx_env *e, const flx_entry *fe, struct flx_structure **out);
flx_status flx_fe_finish(flx_builder *b); // that of the model itself

// ---- block_outputs.c, block_reduce.c, block_simulate.c -------------------------------------------------------------------

flx_status flx_outputs_finish(flx_builder *b);
// A list of signals as `outputs` has it, one column each; in the model's arena.
flx_status flx_signals_read(flx_builder *b, const flx_entry *list, int *n, flx_column **columns);
flx_status flx_simulate_finish(flx_builder *b);
flx_status flx_reduce_finish(flx_builder *b);
flx_status flx_sweep_finish(flx_builder *b);    // block_sweep.c
flx_status flx_optimise_finish(flx_builder *b); // block_optimise.c
// load_factors.c: nodes of an item times the load factors that it has; the number that a node is where all of
// them are 1; what the names in `load` are, and whether gravity is among them.
flx_status flx_loads_scale(flx_builder *b, const flx_item *item, int n, flx_node *nodes);
bool flx_loads_value(flx_builder *b, flx_node n, double *out);
bool flx_loads_has_factor(const flx_item *analysis);
flx_status flx_loads_finish(flx_builder *b, const flx_item *analysis, flx_analysis *out);
// block_analyses.c: the number of the analysis that is named here, an equilibrium (or the end of a path)
// where that is wanted.
flx_status flx_analysis_find(flx_builder *b, const flx_entry *y, bool equilibrium, int *number);
flx_status flx_analyses_finish(flx_builder *b);
// An analysis of all loads, where none has loads.
flx_status flx_analyses_add_path(flx_builder *b, flx_space *s);
// scope/metrics.c: a word of flx_measure_words as a function, and the list of a model.
flx_status flx_measure_call(flx_env *e, const char *word, int n, const flx_operand *args,
                            flx_loc loc, flx_operand *out);
extern const char *const flx_measure_words[];
flx_status flx_metrics_read(flx_env *e, const flx_entry *y);
