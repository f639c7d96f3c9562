// tree_parts.h - the inside of the tree system, shared by its files:
//   tree.c            making it, table of operations, chart, names of the unknowns
//   tree_start.c      joint coordinates from the places of bodies
//   tree_eval.c       residual, constraints, energy: the descriptor's, carried over to the joints
//   tree_explicit.c   z' = F(t, z) by articulated bodies
//   tree_partition.c  dependent coordinates of loops
//   tree_many.c       many closures
//   tree_massless.c   the same for links without inertia
//   tree_held.c       closures beside these
//   tree_bends.c      links that move by the coordinates of elastic bodies
//   tree_elastic.c    articulated bodies with elastic ones among them
//   tree_linearise.c  exact derivatives
//   tree_pattern.c    their pattern
//   tree_sparse.c     the same link by link, for many links
//   tree_entries.c    entries of bodies as those of links, for it
//   tree_fronts.c     in which order the links are taken out of the Newton matrix
//   tree_order.c      which multipliers of closures are taken out among them
//   tree_paths.c       how far rows of closures go
//   tree_closures.c   these rows at the start
//   tree_factor.c     that matrix factored and solved
//   tree_border.c     the structure of what is left then
//   tree_product.c    the tangent times a vector
//   tree_events.c   switches and events
//   tree_lagrange.c   momenta, motions as one rigid body
//
// The tree holds a descriptor of the same model from which the rows of the tree's joints are left
// out. What is left of it, forces and closures, is in coordinates of bodies:
//     r = P^T r_b(t, q_b(q), P v, P v' + P' v, x, w, lam, mu)                  (TREE-11)
// Variables of second order follow the velocities of the links in v; along them P is the identity.
#pragma once

#include "descriptor/descriptor_parts.h"
#include "tree/newton/tree_fronts.h"
#include "tree/recursion/tree_bodies.h"
#include "tree/tree.h"

typedef struct flx_tree {
    flx_system base;
    const struct flx_tree
        *compiled;          // of an instance: owns all but `inner`; NULL: this is the compiled one
    flx_system_ops ops;     // of a tree with links without inertia
    const flx_model *model; // borrowed
    flx_topology top;       // owned
    flx_tree_links t;       // owned
    flx_linkage weightless; // the same links without gravity; borrows them
    long renewals;          // how often its links got other numbers
    void *renewal;     // owned, scratch: of an instance whose links are its own; NULL: they are not
    bool partitions;   // loops by dependent coordinates
    bool is_many;      // closures by the factors of the Newton matrix
    int massless;      // a link without inertia along its joint; -1: none
    flx_system *inner; // owned; the descriptor
    int nvariable;     // of second order
    double *reach;     // owned; (rows) of closures, as they are at the start; 0: not known
    bool late;         // many closures are taken out where their paths meet, where after is NULL
    int *after;        // owned; (others) the link after which they are taken out, or -1; NULL: none
    flx_body_places places;
    bool bare;           // nothing but inertia and weight: the recursion alone
    int *numbers;        // owned; the pattern's, then:
    const int *block_of; // (n) block of each unknown
    bool by_links;       // the tangent link by link, with linear algebra of its own; else full
    flx_tree_fronts fronts;
} flx_tree;

// How a link changes along an increment of one unknown, ground's axes.
typedef struct flx_link_tangent {
    v3 theta, s; // rotation and displacement of the origin
    v3 w, v, alpha, a;
    v3 n; // scratch: moment
} flx_link_tangent;

// For derivatives.
typedef struct flx_tree_tangents {
    flx_link_frame *loads;   // (links + 1) owned; the ground's first
    flx_link_tangent *links; // (links + 1) owned
    flx_link_relative
        *relative; // (links + 1) owned; motion of each in the one before, where the tangent is full
    double *dq, *dv, *da; // (nv of the inner system)
    double *column, *add; // (n of the inner system) (nv)
    double *A0, *A1, *A2; // on the inner pattern
    double *composite;    // (36 links) where the tangent is kept by links
} flx_tree_tangents;

// Coordinates of loops that follow from the others (TREE-16).
typedef struct flx_tree_partition {
    bool chosen;
    bool *dependent; // (nv) owned
    int *column;     // (rows) owned: the dependent coordinate of each row, -1: none
    double *scale;   // (nv) owned: metres to radians
    int n;           // of the last factorisation:
    int *row, *col;  // (n) its rows and columns
    int *pivot;      // (n)
    double *over;    // (n) scales of its rows
    double first;    // smallest pivot at the choice
    long changes;    // choices so far
} flx_tree_partition;

// The motion that frames and body state of the work have.
typedef struct flx_tree_moved {
    bool placed, has_v, has_a;
    long renewals;     // of the links, then
    double *q, *v, *a; // (nq) (nv) (nv)
} flx_tree_moved;

typedef struct flx_tree_work {
    flx_work base;
    flx_work *inner;        // owned
    flx_state *body;        // owned; of the inner system
    flx_twin twin;          // for slopes by parameters
    flx_link_state *states; // owned
    flx_link_frame *frames; // owned
    flx_tree_moved moved;
    double *r, *own, *zero; // (n of the inner system)
    double *ext;            // (6 links)
    double *G, *Y;          // (rows x nv) rows of the closures along the joints; M^-1 G^T
    double *S;              // (rows x rows) G M^-1 G^T, then its factor
    double *rows, *rhs;     // (rows)
    double *free_a;         // (nv)
    double *set;            // velocities that events set: rows along bodies
    double *A0, *A2;        // on the inner pattern
    double *masses;         // (variables squared) of them, then factored
    flx_tree_partition partition;
    struct flx_tree_elastic *elastic;   // owned; NULL: no body is elastic
    struct flx_tree_many *many;         // owned; made when it is asked for
    struct flx_tree_massless *massless; // owned; made when it is asked for
    flx_index1 *together; // owned; where forces read multipliers, made when it is asked for
    flx_tree_tangents tangents;
    double *block; // owned: all of these
} flx_tree_work;

static inline const flx_tree *flx_tree_of(const flx_system *s)
{
    return (const flx_tree *)s;
}
static inline flx_tree_work *flx_tree_work_of(flx_work *w)
{
    return (flx_tree_work *)w;
}
static inline int flx_tree_rows(const flx_tree *t)
{
    return t->base.dims.nlam + t->base.dims.nmu;
}
static inline const flx_descriptor *flx_tree_inner(const flx_tree *t)
{
    return flx_descriptor_of(t->inner);
}

// The unknowns behind those of the links are those of the descriptor behind its bodies.
static inline int flx_tree_first_other(const flx_tree *t)
{
    return t->t.k.nv;
}
static inline int flx_tree_shift(const flx_tree *t)
{
    return flx_tree_inner(t)->variable_v - t->t.k.nv;
}

// tree_chart.c
void flx_tree_chart_velocity(const flx_system *s, const double *theta, const double *in,
                             double *out);
void flx_tree_chart_rate(const flx_system *s, const double *theta, const double *in, double *out);
void flx_tree_chart_velocity_t(const flx_system *s, const double *theta, const double *in,
                               double *out);
void flx_tree_chart_rate_t(const flx_system *s, const double *theta, const double *in, double *out);
void flx_tree_retract(const flx_system *s, const double *q, const double *theta, double *q_out);
void flx_tree_difference(const flx_system *s, const double *q0, const double *q1, double *theta);
void flx_tree_chart_velocity_slope_t(const flx_system *s, const double *theta, const double *dtheta,
                                     const double *u, double *out);
flx_work *flx_tree_work_create(const flx_system *s);
void flx_tree_work_destroy(flx_work *w);
void flx_tree_work_memory(flx_work *w, flx_memory *m);

// The point in coordinates of bodies: frames and body state of the work are set.
flx_point flx_tree_carry(const flx_tree *t, flx_tree_work *w, const flx_point *p);

// With its accelerations.
flx_point flx_tree_carry_all(const flx_tree *t, flx_tree_work *w, const flx_point *p);
// Frames and body state of the work for a motion, by what is known of it already; v, a: NULL, not these.
void flx_tree_move(const flx_tree *t, flx_tree_work *w, const double *q, const double *v,
                   const double *a);
// out (nv) = P^T force.
void flx_tree_pull(const flx_tree *t, flx_tree_work *w, const double *force, double *out);

flx_status flx_tree_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r);
flx_status flx_tree_constraint_rate(const flx_system *s, flx_work *w, const flx_point *p,
                                    double *gd);
flx_status flx_tree_constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                     const double *eta, double *out);
flx_status flx_tree_constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                    double *bias);
flx_status flx_tree_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e);
int flx_tree_rigid_motion(const flx_system *s, const double *q, int k, double *v);
void flx_tree_accept(const flx_system *s, flx_work *w, flx_state *x);
double flx_tree_longest_step(const flx_system *s, flx_work *w, const flx_state *x);
// One row of G_b, or of A, from the matrix of the saddle; zero for one that gives way.
void flx_tree_take_row(const flx_descriptor *d, const double *A0, int row, double *out);
// add (rows) += G_b a_b for accelerations of bodies, at the point carried last; NULL: with the rows of the last closures.
void flx_tree_add_products(const flx_tree *t, flx_tree_work *w, const flx_point *carried,
                           const double *a_b, double *add);
// Rows of the closures along the joints into G, at the point carried last.
void flx_tree_closures(const flx_tree *t, flx_tree_work *w, const flx_point *carried);

// Algebraic unknowns of x, at the point carried last.
flx_status flx_tree_find_algebraic(const flx_tree *t, flx_tree_work *w, flx_state *x);

// Instead of G, Y and S. Factors at the positions of x; the step that undoes the rows of closures in rhs, which then holds
// the multipliers: nv numbers, borrowed.
typedef struct flx_tree_many flx_tree_many;
flx_status flx_tree_many_create(const flx_tree *t, flx_tree_many **m);
void flx_tree_many_destroy(flx_tree_many **m);
void flx_tree_many_memory(flx_tree_many *m, flx_memory *memory);
flx_status flx_tree_many_factor(const flx_tree *t, flx_tree_work *w, const flx_state *x);
const double *flx_tree_many_solve(const flx_tree *t, flx_tree_work *w);

typedef struct flx_tree_elastic flx_tree_elastic;

// Masses of the variables at the point carried last; their accelerations from the forces along them, into a (nv).
flx_status flx_tree_factor_masses(const flx_tree *t, flx_tree_work *w, const flx_point *carried);
void flx_tree_move_variables(const flx_tree *t, flx_tree_work *w, const double *force, double *a);

// Back to the closures, by (TREE-13); *moved grows by the steps.
flx_status flx_tree_project_positions(const flx_tree *t, flx_tree_work *w, flx_state *x,
                                      double *moved);
flx_status flx_tree_project_velocities(const flx_tree *t, flx_tree_work *w, flx_state *x,
                                       double *moved);

typedef struct flx_tree_massless flx_tree_massless;
void flx_tree_massless_destroy(flx_tree_massless **m);
void flx_tree_massless_memory(const flx_tree *t, flx_tree_work *w, flx_memory *m);

flx_status flx_partition_create(const flx_tree *t, flx_tree_partition *p);
void flx_partition_clear(flx_tree_partition *p);
void flx_partition_memory(const flx_tree *t, flx_tree_partition *p, flx_memory *m);
// All three by the rows that are in G. Factors for positions or for velocities; a step of the dependent
// coordinates into free_a, from the rows of closures in rhs; another choice where the present one is worn.
flx_status flx_partition_factor(const flx_tree *t, flx_tree_work *w, bool positions);
void flx_partition_solve(const flx_tree *t, flx_tree_work *w);
flx_status flx_partition_review(const flx_tree *t, flx_tree_work *w);

flx_status flx_tree_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b);
// out += dP^T f_b along (theta, s) of the tangents; loads: with moment and force of everything outboard,
// as flx_tree_pull leaves them. along: increments of the variables where they move bends, whose curves are
// made there; NULL: none.
void flx_tree_add_turned(const flx_tree *t, const flx_link_frame *loads, flx_link_tangent *g,
                         const double *force, const double *along, double *out);
// From the descriptor's blocks, with frames and loads of the tangents.
void flx_tree_linearise_links(const flx_tree *t, flx_tree_work *w, const flx_point *p,
                              const flx_blocks *inner, flx_blocks *b);
// Entry e of the descriptor into the extra numbers; force: on the bodies, as it is.
void flx_tree_add_entry(const flx_tree *t, const flx_link_frame *f, int e, const flx_blocks *inner,
                        const double *force, const flx_blocks *extra);
void flx_tree_product(const flx_system *s, flx_work *w, const flx_blocks *b, const double c[3],
                      const double *const u[3], double *out);

// The pattern, and with it how the tangent is kept.
typedef enum flx_tree_tangent {
    FLX_TREE_CHEAPEST,
    FLX_TREE_FULL,
    FLX_TREE_BY_LINKS
} flx_tree_tangent;
flx_status flx_tree_pattern(flx_tree *t, flx_tree_tangent how);

// When multipliers of many closures are taken out, into t->after: as soon as the joints determine them, by the rows at
// the state x; or where the paths of their bodies meet, x: NULL.
flx_status flx_tree_order(flx_tree *t, const flx_state *x);
// The last link to be taken out on the paths of an other unknown that ends before the ground; -1: there is none.
int flx_tree_way_end(const flx_tree *t, const flx_tree_fronts *f, int other);
void flx_tree_order_late(const flx_tree *t, const flx_tree_fronts *f, int *after);
// At least so many products have fronts that carry all other unknowns to the border.
flx_status flx_tree_measure_border(const flx_tree *t, double *work);

// Rows of closures along the joints at a state. The n that say least beside the others, marked in out (rows): what is
// left of a row when those with the largest rests are taken out of it one after another.
flx_status flx_tree_find_weakest(const flx_tree *t, const flx_state *at, int n, bool *out);
// All of them: G (rows x nv).
flx_status flx_tree_rows_at(const flx_tree *t, const flx_state *at, double *G);
// Into t->reach.
flx_status flx_tree_measure_reach(flx_tree *t, const flx_state *x);

void *flx_tree_factors_create(const flx_system *s, int complex_weight);
void flx_tree_factors_memory(void *factors, flx_memory *m);
int flx_tree_factors_follow(
    const flx_system *s); // nothing is left for a border, whose scales and orders stay
void flx_tree_factors_destroy(void *made);
flx_status flx_tree_factor(const flx_system *s, const flx_blocks *b, const double c[4],
                           const double ci[4], const signed char *left_out, void *made);
flx_pivots flx_tree_pivots(const flx_system *s, const void *made);
flx_status flx_tree_solve(const flx_system *s, void *made, double *rhs, double *rhs_imag);

// The numbers behind the entries of the pattern.
static inline flx_blocks flx_tree_extra(const flx_tree *t, const flx_blocks *b)
{
    const flx_pattern *p = &t->base.pattern;
    size_t at = (size_t)p->offset[p->row[p->nblock]];
    return (flx_blocks){b->A0 + at, b->A1 + at, b->A2 + at};
}

// Of the two kinds of tangent.
void flx_tree_take_operations(flx_tree *t); // as by_links and the rows of the descriptor say
extern const flx_explicit flx_tree_explicit, flx_tree_explicit_massless;
extern const flx_components flx_tree_components;
extern const flx_event_ops flx_tree_events;
extern const flx_contacts flx_tree_contacts;
extern const flx_lagrangian flx_tree_lagrangian;
