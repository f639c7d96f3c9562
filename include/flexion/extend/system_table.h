// flexion/extend/system_table.h - for those who write a system: the table of operations that every method and every analysis reads.
// Whoever fills the table gets every method and every analysis; a method that reads only the table runs on every system.
// A NULL entry means "cannot" and is refused by name before a run. The form of the equations: flexion/system.h.
//
// Lifetimes: the table must outlive the system, the system every state, work, integrator and run made of it. What an operation
// borrows is valid during the call, unless said otherwise.
#pragma once

#include "flexion/system.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct flx_plans;

// The pattern of the tangent: square in the n unknowns, cut into blocks (a body's six velocities,
// a joint's rows, ...), structurally symmetric, every diagonal block present. Blocks follow the
// order of the unknowns and never straddle two kinds.
typedef struct flx_pattern {
    int nblock;
    const int *start;     // (nblock+1) first unknown of each block; start[nblock] = n
    const int *row;       // (nblock+1) first entry of each block row
    const int *col;       // (nentry) block column of each entry, ascending within a row
    const int *offset;    // (nentry+1) where the entry's values begin; dense, row-major
    const int *transpose; // (nentry) the entry at (j,i) for the entry at (i,j)
    const int
        *pair; // (nblock) or NULL: for a block of constraint rows, the block of unknowns whose
               // columns alone give these rows full rank (the outboard body of a tree
               // joint); -1 elsewhere and for loop closures. Guides the elimination.
    // (nentry) or NULL: which of A0, A1, A2 (bits 1, 2, 4) may differ from zero in the entry.
    // linearise leaves the others as they are, so the arrays begin as zeros; a reader may skip them.
    const unsigned char *parts;
    int version; // raised when the pattern changes between steps
    // A system with its own linear algebra may leave out what couples different blocks of velocities,
    // and keep what it needs instead in so many numbers behind the entries of each array. The
    // diagonal blocks of velocities then hold A2 only, and that where there are other unknowns.
    int extra;
    // Orders of elimination and the like that factorisations on this pattern share; NULL: none are kept.
    struct flx_plans *plans;
} flx_pattern;

// The derivative of the residual along one unknown increment, in three parts on one pattern:
//     dr = (c2 A2 + c1 A1 + c0 A0) d,    d = (dtheta, dx, dw, dlam, dmu)      (SYS-7)
// for dq = c0 dtheta, dv = c1 dtheta, da = c2 dtheta, dx' = c1 dx and everything else times c0.
// A2 = M, A1 = D = dr/dv, A0 = K = dr/dq along q (+) theta at theta = 0, in the (v,v) part.
typedef struct flx_blocks {
    double *A0, *A1, *A2; // (offset[nentry]) each, on the system's pattern; zeros when made
} flx_blocks;

// What one unknown, or the row of the same number, is.
typedef enum flx_unknown_kind {
    FLX_UNKNOWN_VELOCITY,
    FLX_UNKNOWN_STATE,
    FLX_UNKNOWN_ALGEBRAIC,
    FLX_UNKNOWN_CONSTRAINT,
    FLX_UNKNOWN_VELOCITY_CONSTRAINT
} flx_unknown_kind;

typedef struct flx_unknown {
    flx_unknown_kind kind;
    int index;    // 0 to 3: differentiation index that the error weights follow
    double scale; // typical size: metres, newtons, ...; > 0. For a constraint: of its row g
    double keep;  // how much more than those of others its value is kept where a start
                  // must be changed, as a factor of its inertia; 0: like others
    double sigma, tau, C, E; // of a constraint (SYS-3), of a velocity-level constraint (SYS-4)
    double reach; // of a constraint: size of its gradient, by velocities of their scales, where the
                  // gradient as a whole may vanish at a singular position; 0: it does not
    double lower, upper; // bounds on lambda; -inf, inf for a joint
    const char *item;    // name of the body, joint or variable; borrowed from the system
    const char *part;    // "x", "rotation about y", "g[2]", ...; borrowed
    flx_loc loc;         // where the model said it
} flx_unknown;

// Scratch of one thread of evaluation; its content has no meaning between calls. Each system derives its own: a structure
// that begins with this one. work_create sets system.
struct flx_work {
    const flx_system *system; // borrowed
};

// z' = F(t, z) for explicit methods, with constraints solved on acceleration level. nz numbers.
typedef struct flx_explicit {
    int (*size)(const flx_system *s);
    // Make in w what rate and project need, so that they allocate nothing; NULL: nothing to make.
    // Who steps with this form asks once, before the first step.
    flx_status (*prepare)(const flx_system *s, flx_work *w);
    void (*pack)(const flx_system *s, const flx_state *x, double *z);
    // What pack cannot know without an evaluation, such as momenta, put into z after it; NULL: nothing.
    flx_status (*fill)(const flx_system *s, flx_work *w, const flx_state *x, double *z);
    // Positions, velocities and states from z; a, lam, mu are left as they are, and so are velocities
    // that z does not contain: rate finds them.
    void (*unpack)(const flx_system *s, double t, const double *z, flx_state *x);
    // dz = F(t, z); x receives everything, also a, lam and mu.
    flx_status (*rate)(const flx_system *s, flx_work *w, double t, const double *z, flx_state *x,
                       double *dz);
    // Move z to the nearest point (in the metric of M) that meets the position and velocity
    // constraints; quaternions are normalised. The sizes of the two corrections are returned.
    flx_status (*project)(const flx_system *s, flx_work *w, double t, double *z, flx_state *x,
                          double *moved_q, double *moved_v);
    // Of the matrix behind the last rate: the square of what is left of the constraints near a
    // singular position, relative to themselves; 0: not known. NULL: never known.
    double (*regularity)(const flx_system *s, const flx_work *w);
    // The unknown at fault where the last rate found no solution, -1: not known. NULL: never known.
    int (*worst)(const flx_system *s, const flx_work *w);
} flx_explicit;

// (SYS-1) by components, for methods that keep no chart; q need not be normalised, and keeps its norm.
typedef struct flx_components {
    // dq = T v
    void (*rate)(const flx_system *s, const double *q, const double *v, double *dq);
    // v = T^+ dq
    void (*velocity)(const flx_system *s, const double *q, const double *dq, double *v);
    void (*normalise)(const flx_system *s, double *q);
} flx_components;

// For variational methods (SYS-8): p = dL/dv = M v, and what the rate of p has that M v' has not,
//     transport = M' v - ad*_v p,   p' = ad*_v p + F - G^T lam - A^T mu,   F = f + transport
// so that F = dL/dq + f_nc is found from the residual at a = 0. ad*_v p is that of the group: p x
// omega for rotations with velocities in body axes.
typedef struct flx_lagrangian {
    flx_status (*momentum)(const flx_system *s, flx_work *w, const flx_point *p, double *Mv);
    flx_status (*transport)(const flx_system *s, flx_work *w, const flx_point *p, double *out);
} flx_lagrangian;

// Switches and events. Switches are frozen within a step, so that every step sees smooth functions,
// and change at instants only: where an indicator changes its sign, and at times known beforehand.
typedef struct flx_event_ops {
    int (*indicators)(const flx_system *s); // their number
    int (*events)(const flx_system *s);     // number of events, and of rows that they may set
    int (*rows)(const flx_system *s);
    // value (indicators): >= 0 where the switch is as the point says, < 0 where it should change;
    // HUGE_VAL where that happens at times known beforehand.
    flx_status (*indicate)(const flx_system *s, flx_work *w, const flx_point *p, double *value);
    // The next time at which something is known to happen, x->t itself included; HUGE_VAL: none.
    double (*next)(const flx_system *s, flx_work *w, const flx_state *x);
    // Whether the change of these indicators (non-zero) at x does nothing but change them: the
    // equations do not contain them and no event happens.
    int (*idle)(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed);
    // Change them, seen from x, in the switches of another state.
    void (*change)(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed,
                   double *switches);
    // The instant at x: these indicators change (NULL: none), what is due at x->t happens, and what
    // follows from that.
    flx_status (*happen)(const flx_system *s, flx_work *w, flx_state *x, const signed char *changed,
                         flx_event_report *h);
    // An indicator that x holds against its value by more than rounding, or -1. size (indicators):
    // the largest that the values have been so far, which this goes on with.
    int (*judge)(const flx_system *s, flx_work *w, const flx_state *x, double *size);
    // All switches as x is, without events: for the start.
    void (*settle)(const flx_system *s, flx_work *w, flx_state *x);
    // What an indicator, or an event, is called.
    const char *(*indicator)(const flx_system *s, int i, flx_loc *loc);
    const char *(*event)(const flx_system *s, int i, flx_loc *loc);
    // Whether indicators read forces of constraints, or forces that are unknowns; NULL: none does.
    int (*reads_forces)(const flx_system *s);
} flx_event_ops;

// What a one-sided constraint with friction does; its switch holds one of these.
typedef enum flx_contact_state {
    FLX_CONTACT_LEANS =
        -1,             // touches, but its rows depend on those of others: rows as of an open one
    FLX_CONTACT_OPEN,   // rows -lambda = 0, -mu = 0
    FLX_CONTACT_SLIDES, // the normal row holds, -mu = 0; friction against the slip is part of f
    FLX_CONTACT_STICKS, // all rows hold
} flx_contact_state;

#define FLX_COURSE_HELD 2.0 // at least three quarters of it, for rounding

// A group of rows that holds or not: a constraint whose value is the depth -gap and whose lambda is
// not negative, and velocity-level constraints on the slip, with |mu| <= friction times lambda.
typedef struct flx_contact_group {
    int normal;     // constraint, 0..nlam-1; -1: friction alone, within the limit of flx_contacts
    int ntangent;   // 0, 1 or 2
    int tangent[2]; // velocity-level constraints, 0..nmu-1
    int state;      // switch, 0..nswitch-1: flx_contact_state
    // First of ntangent switches: direction in which it slides, of length 1; of length FLX_COURSE_HELD: whatever the
    // velocity is; of length 0: no friction. While it sticks: not 0 where others hold this slip, whose row is then open.
    int slip;
    int tally; // first of two switches: impacts, and the sum of their normal impulses; -1: not kept
    double friction;    // of force, while it slides
    double sticking;    // ... and the most while it sticks; >= friction
    double restitution; // rate after an impact over the rate before
    const char *item;   // name; borrowed from the system
    flx_loc loc;
    int pair; // groups with one number are between the same two bodies; 0: it is not known
} flx_contact_group;

// One-sided constraints and friction (docs/theory/contact.md). Their states are switches, frozen
// within a step; a method changes them at events, by the laws of impact and of friction.
typedef struct flx_contacts {
    int (*count)(const flx_system *s); // groups
    void (*group)(const flx_system *s, int i, flx_contact_group *out);
    // The group whose row this unknown is, -1: none. *tangent: -1: the normal one, else 0 or 1.
    int (*of_unknown)(const flx_system *s, int unknown, int *tangent);
    // gap, its rate (count), the velocities of slip (2 count), whatever the switches are; NULL: not
    // these. Of friction alone gap and rate are 0; its gap is HUGE_VAL where nothing presses that it
    // could rub with.
    flx_status (*gaps)(const flx_system *s, flx_work *w, const flx_point *p, double *gap,
                       double *rate, double *slip);
    // limit (count): of groups of friction alone the most that |mu| may be at p while it sticks, by
    // the forces of p; others HUGE_VAL. NULL: there are no such groups.
    flx_status (*limits)(const flx_system *s, flx_work *w, const flx_point *p, double *limit);
} flx_contacts;

// A place where two bodies touch or nearly do, for methods that meet contacts step by step.
#define FLX_TOUCH_PARTS 8
typedef struct flx_touch_point {
    double gap;                // negative: they overlap
    double friction, sticking; // coefficients, as of a flx_contact_group
    double restitution;
    uint64_t pair, feature; // which surfaces, and what of them touches: the same over steps
    int contact;            // of which contact, for flx_touches.item
    int ntangent;           // 0, 1 or 2
    double axes[3][3];      // normal, from the first to the second, and tangents, ground axes
    // Rows of the normal and the tangents over the blocks of velocities (flx_pattern) that move the place: velocity of the
    // second body relative to the first. Each (1 + ntangent) x size of the block, row-major.
    int npart;
    int block[FLX_TOUCH_PARTS];
    const double *rows[FLX_TOUCH_PARTS];
} flx_touch_point;

// What a method keeps of a contact in switches, one after another, for those who look at the state: normal force, force on the
// second and its tangential part (3 each), flx_contact_state, normal impulses of impacts so far, their number.
enum {
    FLX_TOUCH_VALUE = 0,
    FLX_TOUCH_FORCE = 1,
    FLX_TOUCH_FRICTION = 4,
    FLX_TOUCH_STATE = 7,
    FLX_TOUCH_IMPULSE,
    FLX_TOUCH_COUNT,
    FLX_TOUCH_TALLY
};

// Contacts that are no rows of the equations: found anew in each step (docs/theory/contact.md).
typedef struct flx_touches {
    int (*count)(const flx_system *s); // contacts, those of other laws among them
    const char *(*item)(const flx_system *s, int contact, flx_loc *loc);
    double (*length)(const flx_system *s);          // size of the mechanism
    int (*tally)(const flx_system *s, int contact); // first of FLX_TOUCH_TALLY switches
    // All points with a gap of at most reach at the positions of p: n in *list, in an order that depends on the model alone.
    // They live in w until the next call. Memory grows with the largest list.
    flx_status (*find)(const flx_system *s, flx_work *w, const flx_point *p, double reach, int *n,
                       const flx_touch_point **list);
} flx_touches;

// What a factorisation met.
typedef struct flx_pivots {
    double ratio; // smallest pivot / sum of the sizes of the terms that it is made of
    int worst;    // its unknown; -1: none
    int moved;    // pivots that were rounding, and moved
} flx_pivots;

typedef struct flx_system_ops {
    const char *name; // "descriptor", "tree", "equations", "quasistatic", ...

    // ---- required ----
    // r (n rows): r_v = M a - f + G^T lam + A^T mu, r_x = x' - phi, r_w = psi,
    // r_l = sigma g + tau (G v + g_t) - C lam, r_m = A v + b - E mu.
    flx_status (*residual)(const flx_system *s, flx_work *w, const flx_point *p, double *r);
    // Overwrites all three arrays, save where pattern.parts says that nothing ever is.
    flx_status (*linearise)(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b);

    // Chart. theta has nv entries; q_out may be q.
    void (*retract)(const flx_system *s, const double *q, const double *theta, double *q_out);
    void (*difference)(const flx_system *s, const double *q0, const double *q1, double *theta);
    // v = B(theta) theta',  theta' = B(theta)^-1 v,  and the transposes. In place is allowed.
    void (*velocity)(const flx_system *s, const double *theta, const double *dtheta, double *v);
    void (*rate)(const flx_system *s, const double *theta, const double *v, double *dtheta);
    void (*velocity_t)(const flx_system *s, const double *theta, const double *u, double *out);
    void (*rate_t)(const flx_system *s, const double *theta, const double *u, double *out);

    // What unknown i is; i in 0..n-1.
    void (*unknown)(const flx_system *s, int i, flx_unknown *info);

    flx_work *(*work_create)(const flx_system *s); // NULL: no memory
    void (*work_destroy)(flx_work *w);
    void (*destroy)(flx_system *s);

    // ---- optional ----
    // out = (d(B(theta) theta')/dtheta)^T u, for variational methods; NULL: B is the identity.
    void (*velocity_slope_t)(const flx_system *s, const double *theta, const double *dtheta,
                             const double *u, double *out);
    // Velocity and acceleration level of the constraints; required where nlam > 0 or nmu > 0.
    // gd (nlam): G v + g_t, whatever sigma and tau are.
    flx_status (*constraint_rate)(const flx_system *s, flx_work *w, const flx_point *p, double *gd);
    // out (nv) = G^T eta
    flx_status (*constraint_force)(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *eta, double *out);
    // bias (nlam + nmu): second time derivative of g, first of A v + b, both at v' = 0.
    flx_status (*constraint_bias)(const flx_system *s, flx_work *w, const flx_point *p,
                                  double *bias);
    // out (nlam): derivative of the second time derivative of g, G a + bias, along q (+) theta with v
    // and a held. For reductions; may be NULL.
    flx_status (*constraint_slope)(const flx_system *s, flx_work *w, const flx_point *p,
                                   const double *theta, double *out);

    // Own linear algebra for one weight (real or complex): factor keeps what solve needs in
    // `factors` (made by factors_create, one for each weight in use). The fourth weight is that of
    // x'. left_out (n) or NULL: unknowns other than velocities that are zero, and rows that are not
    // there, where it is not. solve: in place, n entries; the imaginary arrays are NULL for a real
    // weight. product: out (n) += c0 A0 u0 + c1 A1 u1 + c2 A2 u2 over the columns of velocities,
    // NULL for zeros; required where the pattern leaves something out.
    void *(*factors_create)(const flx_system *s, int complex_weight);
    void (*factors_destroy)(void *factors);
    flx_status (*factor)(const flx_system *s, const flx_blocks *b, const double c[4],
                         const double ci[4], const signed char *left_out, void *factors);
    flx_status (*solve)(const flx_system *s, void *factors, double *rhs, double *rhs_imag);
    // Of the last factorisation; NULL: not known.
    flx_pivots (*pivots)(const flx_system *s, const void *factors);
    void (*product)(const flx_system *s, flx_work *w, const flx_blocks *b, const double c[3],
                    const double *const u[3], double *out);

    // What factors keep for the next ones and for solving, passed to the walk of a checkpoint; NULL: they
    // cannot be saved, and restored runs begin anew at their state. work_memory: what a workspace takes over from one evaluation to the next,
    // as orders of elimination; NULL: nothing.
    void (*factors_memory)(void *factors, flx_memory *m);
    void (*work_memory)(flx_work *w, flx_memory *m);

    const flx_explicit *explicit_form;
    const flx_components *components; // NULL where nq = nv: q' = v
    const flx_event_ops *events;
    const flx_lagrangian *lagrangian;
    // For energy-momentum methods: out (nv) += forces of elements between the configurations of p0 and
    // p1, their discrete gradients, less those at pm in the middle; with the sign of the residual.
    // NULL: none has any, and the energy is kept by the system as a whole. With blocks twice their
    // derivative by the step is added to A0, less the tangent at pm that it is in the place of.
    flx_status (*discrete_forces)(const flx_system *s, flx_work *w, const flx_point *p0,
                                  const flx_point *pm, const flx_point *p1, double *out,
                                  flx_blocks *b);
    // Velocities (nv) of a motion of the whole as one rigid body, for methods that keep its momenta:
    // k = 0..2 along an axis of the ground, 3..5 about one; 0: there is none such.
    int (*rigid_motion)(const flx_system *s, const double *q, int k, double *v);
    flx_status (*energy)(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e);
    // Called once after each accepted step: turn counters and other switches follow the motion.
    void (*accept)(const flx_system *s, flx_work *w, flx_state *x);
    // The longest step from x that the switches can follow; HUGE_VAL: any.
    double (*longest_step)(const flx_system *s, flx_work *w, const flx_state *x);

    // The same system for one run: its structure is that of s, which must outlive it and is not written;
    // numbers, param and messages (ctx) are its own. NULL: there is none, and one thread at a time uses s.
    flx_status (*instance)(const flx_system *s, flx_ctx *ctx, flx_system **own);
    // Of an instance: its numbers become those that follow from the parameters p (nparameter). FLX_ERR_MODEL, with
    // the place: values that cannot be; FLX_ERR_CANNOT: they would change the structure. Then nothing is changed.
    flx_status (*set_parameters)(flx_system *own, const double *p);
    // out (n) = dr/dp_k at the point, with its numbers in param.
    flx_status (*parameter_slope)(const flx_system *s, flx_work *w, const flx_point *at, int k,
                                  double *out);
    const flx_contacts *contacts; // NULL: every row always holds
    const flx_touches *touches;   // NULL: nothing touches but by rows
    // Whether factors depend on the blocks and weights that they were last made of, and on nothing before: a checkpoint leaves them
    // out then, and a restored run makes them again when it needs them. NULL: they do not.
    int (*factors_follow)(const flx_system *s);
} flx_system_ops;

// What depends on multipliers.
typedef enum flx_reads {
    FLX_READS_NOTHING = 0,
    FLX_READS_FORCES,  // forces, such as friction in joints
    FLX_READS_BALANCE, // no force: velocities without inertia, which follow from a balance
    FLX_READS_INERTIA, // forces that go with accelerations too: M is not symmetric, and there is no
                       // Lagrangian; one-sided stiffening
} flx_reads;

// Base of every system; the first member of the concrete one.
struct flx_system {
    const flx_system_ops *ops;
    flx_ctx *ctx; // borrowed
    flx_dims dims;
    flx_pattern pattern; // arrays owned by the concrete system
    const double *param; // (nparam) the numbers the model gave; a point may carry others
    int nparameter,
        first_parameter; // parameters p, in param from there on; changed by set_parameters
    const char *title;   // borrowed; for messages
    flx_reads
        reads_multipliers; // f, phi or psi depend on lambda or mu. The columns of constraints are then
                           // G^T - f_lambda, and the tangent is not symmetric
    // What flx_system_compile knows beside the equations, with how it ends; NULL: a system made by hand.
    struct flx_plan *plan;
    void (*plan_destroy)(struct flx_plan **plan);
};

// Whether the row of this unknown belongs to a group that the switches leave open, or, for a tangent, let slide: its
// equation is then -lambda = 0 or -mu = 0, and its multiplier acts on nothing.
static inline int flx_row_is_open(const flx_system *s, const double *switches, int unknown)
{
    const flx_contacts *c = s->ops->contacts;
    int tangent = -1, i = c ? c->of_unknown(s, unknown, &tangent) : -1;
    if (i < 0) return 0;
    flx_contact_group g;
    c->group(s, i, &g);
    double state = switches[g.state];
    if (tangent < 0) return state < FLX_CONTACT_SLIDES;
    return state < FLX_CONTACT_STICKS || switches[g.slip + tangent] != 0.0;
}

// What unknown i is with these switches: rows of groups that are open have sigma = tau = 0 and C = 1, or E = 1. Who keeps
// these numbers reads them anew where a method begins anew.
static inline void flx_unknown_at(const flx_system *s, const double *switches, int i,
                                  flx_unknown *u)
{
    s->ops->unknown(s, i, u);
    if (!s->ops->contacts || !switches || !flx_row_is_open(s, switches, i)) return;
    u->sigma = u->tau = 0.0;
    u->index = 1;
    *(u->kind == FLX_UNKNOWN_VELOCITY_CONSTRAINT ? &u->E : &u->C) = 1.0;
}

#ifdef __cplusplus
}
#endif
