// descriptor.h - the descriptor system: bodies, joints, forces and equations of a model in absolute
// coordinates. Coordinates of a rigid body are those of its centre of mass: q = (r, quaternion) or
// (x, y, angle) in planar models, v = (r' in ground axes, angular velocity in body axes); of a
// point r alone; of a second-order variable itself.
#pragma once

#include "flexion/extend/system_table.h"
#include "math/given_velocities.h"
#include "math/small.h"
#include "model/model_data.h"

typedef struct flx_descriptor_options {
    // Rows to leave out, by number in the complete system (no drop, no hold), ascending.
    int ndrop;
    const int *drop;
    // Add a constraint for every joint coordinate that has a `start`, or a velocity-level constraint for every rate:
    // the systems whose consistent positions, then velocities, are the start of the run.
    flx_hold hold;
} flx_descriptor_options;

// options may be NULL. The model is borrowed and must live as long. Refuses what it cannot do with
// FLX_ERR_UNAVAILABLE or FLX_ERR_MODEL and the item's place.
flx_status flx_descriptor_create(const flx_model *m, const flx_descriptor_options *options,
                                 flx_system **s);

// The same of the model of s, a descriptor system: a selection of the rows of the complete system, with which it shares
// expressions, derivatives and programs; numbers and pattern are its own. The complete system lives as long, whoever destroys
// it before. Options are not NULL.
flx_status flx_descriptor_select(const flx_system *s, const flx_descriptor_options *options,
                                 flx_system **selected);

// Parameters and inputs of `from`, of which s is another selection of rows.
flx_status flx_descriptor_attached(flx_system *s, const flx_system *from);

// The initial state: positions, velocities and variables as the model gives them, then the starts
// of joints applied to all that hangs on them (along a spanning tree from the ground). Not yet
// consistent. The state fits the system whatever it holds as far as q, v, x, w go.
flx_status flx_descriptor_draw(const flx_system *s, flx_state *x);

// After a state was put into x that may be of other parameters: clocks strike next from its time on.
flx_status flx_descriptor_resume(const flx_system *s, flx_state *x);

// Expressions of the equations, in the graph of the model; borrowed. Of motions: value, first and second derivative.
typedef enum flx_expression_use {
    FLX_EXPRESSION_EFFORT, // forces, masses, right-hand sides
    FLX_EXPRESSION_CONSTRAINT,
    FLX_EXPRESSION_MOTION,
    FLX_EXPRESSION_SWITCH, // in the order of the model's switches, then others
    FLX_N_EXPRESSION_USES
} flx_expression_use;
int flx_descriptor_expressions(const flx_system *s, flx_expression_use use, const flx_node **nodes);
// Values of leaves that stay as they are between instants: switches, discrete variables, parameters; x may be of a tree made
// of it.
void flx_descriptor_held(const flx_system *s, const flx_state *x, int n, const flx_leaf *leaves,
                         double *values);

// Where the first discrete variable is among the switches of a state, of a descriptor system or the tree made of it.
int flx_descriptor_first_discrete(const flx_system *s);

// Velocities that the model gives, as rows at the positions of x; drawn: with the velocities as they were given. The
// rows are owned by the caller.
flx_status flx_descriptor_given(const flx_system *s, const flx_state *drawn, const flx_state *x,
                                int *count, flx_given_row **rows);
// How deformable bodies move at the positions of x when they move as rigid ones.
flx_status flx_descriptor_rides(const flx_system *s, const flx_state *x, flx_rides *out);
void flx_rides_clear(flx_rides *r);

// Values of any leaves of the model at a consistent state (a, lam, mu included). Reactions are of
// least norm where rows were dropped.
flx_status flx_descriptor_observe(const flx_system *s, flx_work *w, const flx_state *x, int n,
                                  const flx_leaf *leaves, double *values);

// Largest residual of all constraints (also the dropped ones) on position and velocity level, and the
// names of the joints where they occur.
typedef struct flx_residuals {
    double position, velocity;
    const char *position_item, *velocity_item; // borrowed; NULL: no constraints
    double dropped, kept; // largest position residual among the dropped rows, and among the others
    const char *dropped_item; // borrowed; NULL: none
    double kept_rate;         // largest velocity residual among the others
    double level;             // ... among the constraints of velocities, dropped or not
    const char *level_item;   // borrowed; NULL: none
} flx_residuals;
void flx_descriptor_residuals(const flx_system *s, flx_work *w, const flx_state *x,
                              flx_residuals *out);

// Of a contact with a compliant law, at a consistent state: the shortest impact that its points come to, in speed, lasts and
// frequency.
typedef struct flx_contact_forecast {
    double speed, lasts, frequency; // 0: none
} flx_contact_forecast;
void flx_descriptor_forecast(const flx_system *s, flx_work *w, const flx_state *x, int contact,
                             flx_contact_forecast *out);

// joint (njoint of the model): whether its reaction is one of many at x, since rows were left out as redundant; pressed: whether
// what presses on its surfaces is, which friction follows.
flx_status flx_descriptor_not_unique(const flx_system *s, flx_work *w, const flx_state *x,
                                     bool *joint, bool *pressed);

// Where the velocities of a body are: `linear` of them in ground axes from v on, then `angular` ones in
// the axes R of the body.
typedef struct flx_body_axes {
    int v, linear, angular;
    m33 R; // in the plane the identity: rotations are about z
    int q; // its first coordinate
} flx_body_axes;
// false: no such body, or the system is not a descriptor.
bool flx_descriptor_body_axes(const flx_system *s, const double *q, int body, flx_body_axes *out);

// The load factors of the model's analyses, which are the parameters of the system, to be set; NULL: the
// system is not a descriptor.
double *flx_descriptor_loads(const flx_system *s);

// The number in the complete system of constraint row i of this one.
int flx_descriptor_complete_row(const flx_system *s, int i);
