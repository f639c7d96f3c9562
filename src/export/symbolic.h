// symbolic.h - the equations of a tree model as nodes of a graph: the recursions of the tree
// (docs/theory/tree.md) run once over expressions instead of numbers.
//
// Inputs are leaves: t, parameters, joint coordinates q, rates v, states x, accelerations a,
// multipliers lam, efforts tau. The links and their frames are those of tree/topology/tree_links.h; a
// joint is what flx_freedom says: its motion subspace in the link's axes.
//
// The model's own expressions stand on leaves of bodies (positions, rotations, velocities). They are
// differentiated there, and then the leaves are substituted by the motion of the links:
//     tau += P^T (F dphi/db),   phi a function of bodies b, F its force           (XPT-1)
// Variables of second order follow the coordinates and velocities of the links.
#pragma once

#include "joint/joint.h"
#include "joint/scalar_graph.h"
#include "model/model_data.h"
#include "tree/topology/tree_links.h"

// Kinds of leaves beyond those of the model.
enum {
    FLX_EXPORT_Q = 128, // index: coordinate
    FLX_EXPORT_V,
    FLX_EXPORT_A,
    FLX_EXPORT_LAM,
    FLX_EXPORT_TAU,
    FLX_EXPORT_R, // residuals of implicit steps
    FLX_EXPORT_G, // what velocities (0) and coordinates (1) follow of accelerations in one
};
static inline flx_leaf flx_export_leaf(int kind, int index, int component)
{
    return flx_leaf_make((flx_leaf_kind)kind, index, component);
}
static inline int flx_export_leaf_kind(flx_leaf l)
{
    return (int)(l >> 56);
}

// What a message about the whole model points at.
static inline flx_loc flx_model_start(const flx_model *m)
{
    return m->path[0] ? (flx_loc){m->path, 1, 1, NULL} : FLX_NOWHERE; // made by calls
}

typedef struct flx_node_wrench {
    n3 n, f; // moment about the origin, force; link's axes
} flx_node_wrench;

// The freedoms of a link: what a unit of each turns about and slides along, in the link's axes.
typedef struct flx_freedom {
    int n;
    n3 turn[3], slide[3];
} flx_freedom;

typedef struct flx_symbolic_link {
    flx_freedom s;
    n3 at;                  // its origin in the parent's frame at rest,
    flx_node offset, pitch; // ... what it is turned by then (planar); of a screw, metres per radian
    n33 fixed, moved;       // R = fixed moved, in the parent's axes
    n33 R;
    n3 r;        // origin in the parent's frame
    n3 wr, vr;   // motion of the joint
    n3 w, v;     // angular velocity, velocity of the origin
    n3 alpha, a; // bias: accelerations at v' = 0, without gravity
    int bend;  // it moves by the coordinates of an elastic body: which of x->bends; -1: it does not
    n3 wa, va; // what its motion relative to the parent has besides accelerations; link's axes
    n33 G;     // axes in the ground's
    n3 p;      // origin, ground
    flx_node angle; // planar: sum of all turns
    flx_node m;     // mass
    n3 h;           // mass times centre of mass
    n33 J;          // inertia about the origin
} flx_symbolic_link;

// Where a body is in the frame of its link: flx_mount.
typedef struct flx_symbolic_mount {
    n33 R;
    n3 p;
    flx_node angle;
} flx_symbolic_mount;

typedef struct flx_node_body {
    n3 position, velocity, acceleration; // ground's axes; acceleration: bias
    n33 R;
    n3 spin, spin_rate; // body's axes
    flx_node angle;     // planar
} flx_node_body;

#define FLX_SYMBOLIC_COORDINATES 64 // of an elastic body, at most

// A node of an elastic body in it, body axes: see flx_node_relative.
typedef struct flx_symbolic_node {
    n3 s, sd, sa, x, xa;
    n33 R;
    flx_node angle;
    n3 *xk, *sk; // (n) by unit rates
} flx_symbolic_node;

// How a link moves by the coordinates of an elastic body: link's axes.
typedef struct flx_symbolic_bend {
    int body;         // of x->elastic
    n3 *turn, *slide; // (n)
    flx_node angle;   // planar: of the node in the body
} flx_symbolic_bend;

// The inertia of an elastic body, as flx_elastic has it, at the coordinates: (MOD-2) to (MOD-4), body axes.
typedef struct flx_symbolic_elastic {
    const flx_elastic *e;
    int n, first; // coordinates, the first among variables
    int link;     // on which it stands; -1: the ground
    bool inward;  // that is a bend of its own
    n33 R;        // its axes and place in the link's
    n3 p;
    n3 S, Sd, Sdd, N, Nd;
    n33 J, Jd;
    n3 *Sk, *Nk, *turn; // (n); turn: N_k,l q_l' - N_l,k q_l'
    n33 *Jk;            // (n)
} flx_symbolic_elastic;

// A closure, or another constraint.
typedef struct flx_node_row {
    const char *item, *part;
    bool velocity;  // no position level: value is -1
    flx_node value; // g
    flx_node rate;  // g' = G v + g_t
    flx_node bias;  // g'' at v' = 0
    flx_node *G;    // (nv)
    flx_node *size; // (nv) of what the entries of G are sums of
} flx_node_row;

typedef struct flx_symbolic {
    flx_ctx *ctx;
    const flx_model *m;
    flx_graph *g; // the model's
    flx_arena *arena;
    flx_topology top;
    flx_tree_links t;
    int n, nq, nv;    // links; coordinates and velocities, variables behind those of the links
    int nvariable;    // of second order
    flx_node *masses; // (nvariable x nvariable)
    double *drawn;    // (nq)
    flx_symbolic_link *links;      // (n + 1), the ground's first
    flx_symbolic_bend *bends;      // (t.nbend)
    flx_symbolic_elastic *elastic; // (m->nmodal)
    flx_symbolic_node *nodes;      // (m->nattached)
    int *elastic_of;               // (nvariable) whose coordinate it is; -1: nobody's
    flx_symbolic_mount *mounts;    // (nbody)
    bool *fixed;                   // by the leaves of parameters: they stand in the text as numbers
    const flx_force *force;        // whose scalars are at work; NULL: a joint's
    flx_node_body *bodies;
    flx_node_wrench *applied; // (n + 1) by the model's forces, on the links
    flx_node *effort;         // (nv) ... along the joints
    int *carrier;             // (njoint) body that a joint carries; -1: it closes a loop
    int nrow, row_capacity;
    flx_node_row *rows;
    flx_node *rates;     // (nstate) of the states
    flx_node *algebraic; // (nalgebraic) algebraic variables, taken; NULL: not yet
    bool apart; // every force along a joint depends on its own coordinate and rate, no other on any
    bool own;   // no input comes from outside: nobody sets one
    bool *given;      // (ninput) it comes from outside; false: it is the model's expression
    int *velocity_of; // (nq) velocity that belongs to a coordinate; -1: of a quaternion
    flx_substitution taken, carried;
    const char *item; // that is at work, for messages
    flx_loc loc;
    bool failed; // a message is recorded
} flx_symbolic;

// open: NULL, or the same model with open parameters; own: inputs have the values that the model gives them.
flx_status flx_symbolic_create(const flx_model *m, const flx_model *open, bool own,
                               flx_symbolic *x);
void flx_symbolic_clear(flx_symbolic *x);
// Nothing is set while a run lasts.
flx_status flx_symbolic_check_events(const flx_model *m);

// ---- symbolic_geometry.c: places, axes and lengths -----------------------------------------------------------
// Where links and bodies are on their links.
flx_status flx_symbolic_geometry(flx_symbolic *x);
// Places from the centre of mass and directions v that a joint or a force has on one side, in the axes of the body there.
n3 flx_symbolic_joint_place(const flx_symbolic *x, const flx_joint *j, int side);
n3 flx_symbolic_joint_axis(flx_symbolic *x, const flx_joint *j, int side, const double v[3]);
n3 flx_symbolic_force_place(const flx_symbolic *x, const flx_force *f, int side);
n3 flx_symbolic_force_axis(flx_symbolic *x, const flx_force *f, int side, const double v[3]);
// The offset of a scalar of a joint; coordinate: it is the joint's own, which is zero as drawn.
flx_node flx_symbolic_joint_offset(const flx_symbolic *x, const flx_joint *j, const flx_scalar *s,
                                   bool coordinate);
// When all is made: what has numbers for the parameters that are fixed.
flx_substitution flx_symbolic_numbers(flx_symbolic *x);
bool flx_symbolic_is_fixed(const flx_symbolic *x, const flx_parameter *p);

// ---- symbolic_bodies.c: links and bodies in motion -------------------------------------------------------
void flx_symbolic_move(flx_symbolic *x);

// ---- symbolic_elastic.c: elastic bodies ------------------------------------------------------------------------------
flx_status flx_symbolic_elastic_take(flx_symbolic *x); // arrays, and what is fixed
// Link i, from its parent's frame: fixed, moved, r, wr, vr, wa, va.
void flx_symbolic_bend_link(flx_symbolic *x, int i);
void flx_symbolic_elastic_move(flx_symbolic *x);  // their inertia
void flx_symbolic_attached_move(flx_symbolic *x); // nodes as bodies
// A force and a moment, axes of the link that the body stands on, at a node: onto the link and the coordinates.
void flx_symbolic_node_push(const flx_symbolic *x, int attached, n3 F, n3 N, flx_node_wrench *on,
                            flx_node *effort);
// (MOD-2) to (MOD-4) less k0, K, D where still: moment and force at the body's frame, own (n); body axes. b: acceleration of
// the frame less weight; u: accelerations of the coordinates, NULL: none.
void flx_symbolic_elastic_force(const flx_symbolic *x, const flx_symbolic_elastic *o, n3 w,
                                n3 alpha, n3 b, const flx_node *u, flx_node_wrench *on,
                                flx_node *own);

// ---- leaves.c: from the leaves of the model to the inputs ---------------------------------------
flx_status flx_symbolic_prepare(flx_symbolic *x);
// What the following are about, for messages: "force 'brake'".
void flx_symbolic_about(flx_symbolic *x, const char *item, flx_loc loc);
// An expression of the model over leaves of bodies, and q and v where joints are meant. -1: no
// memory, or a message is recorded.
flx_node flx_symbolic_take(flx_symbolic *x, flx_node n);
// n expressions of the run, in place: inputs in them are what the model gives them.
flx_status flx_symbolic_take_own(flx_symbolic *x, int n, flx_node *nodes);
// A taken expression over the inputs.
flx_node flx_symbolic_carry(flx_symbolic *x, flx_node n);
flx_node flx_symbolic_rate(flx_symbolic *x, flx_node taken); // its derivative by time, taken too
// Derivative of a node over the inputs along freedom k: of coordinates, q (+) theta.
flx_node flx_symbolic_along(flx_symbolic *x, flx_node n, int k);
flx_node flx_symbolic_partial(flx_symbolic *x, flx_node n, int kind, int index);
// Where nothing is left of a failure but a node.
flx_status flx_symbolic_status(const flx_symbolic *x, flx_node n);

// ---- scalars.c: scalar functions of two bodies, taken -------------------------------------------
// s: from the centre of mass; both in the body's axes, the result in the ground's.
n3 flx_symbolic_place(flx_symbolic *x, int body, n3 s);
n3 flx_symbolic_direction(flx_symbolic *x, int body, n3 d);
flx_node flx_symbolic_scalar(flx_symbolic *x, const flx_scalar *s);
// A coordinate of a joint. -1: a message is recorded.
flx_node flx_symbolic_coordinate(flx_symbolic *x, int joint, flx_coordinate which);

// ---- symbolic_forces.c, symbolic_closures.c -----------------------------------------------------------------------
// (XPT-1): the force F, over the inputs, along a taken phi, onto links (the ground's first) and
// joints. velocity: phi is a rate, and its derivatives by velocities are meant.
flx_status flx_symbolic_push(flx_symbolic *x, flx_node phi, bool velocity, flx_node F,
                             flx_node_wrench *on, flx_node *effort);
flx_status flx_symbolic_forces(flx_symbolic *x);
flx_status flx_symbolic_closures(flx_symbolic *x);

// ---- variables.c: variables of second order, M_u u'' = f ----------------------------------------
flx_status flx_symbolic_variables(flx_symbolic *x); // their masses; forces go to effort
// Their rows of tau, entries of a, and of M (nv x nv).
// Beside what is in tau.
void flx_symbolic_variables_inverse(const flx_symbolic *x, const flx_node *a, flx_node *tau);
// (M_u + more) a = r; more (nv): on the diagonal.
flx_status flx_symbolic_variables_correct(const flx_symbolic *x, const flx_node *more,
                                          const flx_node *r, flx_node *a);
void flx_symbolic_variables_mass(const flx_symbolic *x, flx_node *M);

// ---- algebraic.c: algebraic variables, solved for ----------------------------------------------
// While leaves are taken as they are.
flx_status flx_symbolic_algebraic(flx_symbolic *x);

// ---- recursion.c, forward.c --------------------------------------------------------------------------------
// tau (nv): what the accelerations a (nv, NULL: none) take beyond the model's forces.
flx_status flx_symbolic_inverse(const flx_symbolic *x, const flx_node *a, flx_node *tau);
flx_status flx_symbolic_forward(const flx_symbolic *x, const flx_node *tau, flx_node *a);
flx_status flx_symbolic_mass(flx_symbolic *x, flx_node *M); // nv x nv
// (M + G0 D + G1 K) a = r, with the derivatives of forces along single joints for D and K.
flx_status flx_symbolic_correct(flx_symbolic *x, const flx_node *r, flx_node *a);
// P^T of wrenches on the links (n + 1, the ground's first; used up).
void flx_symbolic_inwards(const flx_symbolic *x, flx_node_wrench *on, flx_node *tau);
// The same of sizes (not negative): of moments and forces on the links, used up.
void flx_symbolic_inwards_sizes(const flx_symbolic *x, flx_node *moment, flx_node *force,
                                flx_node *tau);
