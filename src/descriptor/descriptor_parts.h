// descriptor_parts.h - the inside of the descriptor system, shared by its files:
//   descriptor.c           making it, table of operations, names of the unknowns
//   descriptor_chart.c     its chart
//   descriptor_layout.c    numbering, pattern, places where kernels write
//   descriptor_pairs.c     the order of elimination that joints suggest
//   descriptor_rows.c      constraints made of primitive rows
//   descriptor_groups.c    rows that hold or not: contacts, stops, friction that sticks
//   descriptor_slides.c    their friction, and how methods see them
//   descriptor_select.c    a selection of rows, whose expressions are those of the complete system
//   descriptor_force.c     parts of forces without expressions
//   descriptor_expr.c      expressions: what they depend on (descriptor_expr.h: their data)
//   descriptor_expr_compile.c  their programs
//   descriptor_constraints.c   constraints of the equations
//   term.h, terms.c, terms/  what contributes to the equations: beams, drag
//   descriptor_attached.c    frames that follow from other unknowns
//   descriptor_read.c      multipliers that forces read
//   descriptor_numbers.c   numbers of an instance that follow from its parameters
//   descriptor_eval.c      what evaluations begin with: frames, expressions
//   descriptor_residual.c  residual
//   descriptor_tangent.c   its tangent
//   descriptor_levels.c     constraints on velocity and acceleration level, their forces
//   descriptor_energy.c    energies and powers
//   descriptor_explicit.c  z' = F(t, z)
//   descriptor_saddle.c    the matrix of accelerations and projections
//   descriptor_flat.c      accelerations of equations alone, as one program
//   descriptor_lagrange.c  momentum, dL/dq, forces
//   descriptor_initial.c      the initial state
//   descriptor_switches.c  switches of expressions
//   descriptor_events.c  events
//   descriptor_watches.c compliant contacts at instants
//   descriptor_observe.c   values of leaves, reactions, residuals
#pragma once

#include "descriptor/descriptor.h"
#include "descriptor/descriptor_chart.h"
#include "descriptor/descriptor_expr.h"
#include "descriptor/descriptor_work.h"
#include "descriptor/groups/descriptor_groups.h"
#include "descriptor/groups/descriptor_rows.h"
#include "descriptor/term.h"
#include "descriptor/terms/terms.h"
#include "force/force_kind.h"
#include "joint/joint.h"
#include "math/index1.h"
#include "math/ldl/ldl.h"
#include "math/lu.h"
#include "model/numbers.h"
#include "system/twin.h"

#include <stdatomic.h>

// Two places are one when they are nearer than this part of the mechanism: drawn by different
// expressions, they differ by rounding.
#define FLX_SAME_PLACE 1e-9

// ---- the system -------------------------------------------------------------------------------

typedef struct flx_couplings { // pairs of blocks that the pattern must have
    int n, capacity;
    uint64_t *keys; // owned
} flx_couplings;

// ---- attached frames --------------------------------------------------------------------------------

// A frame that follows from blocks of unknowns, its masters: (v, w) = J u.
#define FLX_MOST_MASTERS 4
typedef struct flx_attached_kind flx_attached_kind;
struct flx_attached_data {
    const flx_attached_kind *kind;
    const void *of; // what the kind makes it of, two pointers of its own
    const void *part;
    int frame; // number of its frame
    int v, nv; // its rows, after all unknowns
    int nmaster;
    int first[FLX_MOST_MASTERS];                   // first unknown of each
    int column[FLX_MOST_MASTERS + 1];              // its first column in J
    int width;                                     // columns
    int at;                                        // of J in the work
    int block[FLX_MOST_MASTERS][FLX_MOST_MASTERS]; // offsets of the masters' entries
};

// place: the frame, J (nv x width) and bias = J' u (nv). tangent: Jv (nv x width) = (J u)_q and
// K (width x width) = (J^T wrench)_q. slope: of v and v' along theta (width). push: what forces feel of J that
// motions do not, added to it (ONE-3); NULL: nothing, and K is then that of the sum.
struct flx_attached_kind {
    void (*place)(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                  double *J, double *bias);
    void (*tangent)(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                    const double *wrench, double *Jv, double *K);
    void (*slope)(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                  const double *theta, double *dv, double *da);
    void (*push)(const flx_attached_data *f, const flx_descriptor_work *w, const flx_point *p,
                 double *J);
};

// An entry of attached frames' rows or columns, and the entries of their masters that it is carried to.
typedef struct flx_fold {
    const flx_attached_data *row, *col; // NULL: unknowns
    int nrow, ncol, at;
    int to[FLX_MOST_MASTERS][FLX_MOST_MASTERS];
    bool rates; // it has parts in A1
} flx_fold;

struct flx_descriptor {
    flx_system base;
    // Of an instance the compiled system, which owns all that is said to be owned below, but for
    // `param` and `complete`; NULL: this is the compiled one.
    const struct flx_descriptor *compiled;
    const flx_model *model; // borrowed
    flx_arena *arena;       // owned: all arrays below that are not said to be otherwise
    // Of an instance whose parameters were set; else NULL, and all arrays are those of the compiled system.
    flx_model *varied; // owned: `model`, unless that is another's
    bool stale;        // its model got other numbers since
    void *renewal;     // scratch of flx_rows_renew
    double *before;    // (nparameter) scratch
    bool planar;
    flx_hold hold;
    int ndrop;
    const int *drop;
    double length; // size of the mechanism, metres
    double gyration; // the largest radius of its bodies; 0: none has one

    int *body_q, *body_v, *body_nv; // (nbody + attached frames, which have no coordinates)
    flx_term_list terms;
    void *own[FLX_N_TERMS]; // the arrays of each; NULL: it is not there
    int nattached;
    flx_attached_data *attached;
    int attached_numbers; // of all their J
    bool pushed;          // J of forces is not that of motions
    int attached_most;    // rows or columns of any product with J
    int nfold;
    uint64_t *fold_keys; // (nfold) blocks
    flx_fold *folds;     // (nfold) in the order of their entries, which follow those of the pattern
    int variable_q, variable_v; // first second-order variable
    int nsegment;
    flx_segment *segments;

    int npoint, naxis, nscalar, nvscalar;
    flx_row_point *points;
    flx_row_axis *axes;
    flx_scalar_row *scalars, *vscalars; // constraints, velocity-level constraints
    flx_row_info *rows;                 // (nlam + nmu)
    flx_joint_rows *joints;             // (njoint)
    int *switch_of_joint;               // (njoint) -1: none
    int nturn;                          // joints that count turns: the first switches
    flx_scalar *turns;                  // (nturn) their angles
    flx_switching switching;
    int joint_lam, joint_mu;       // rows of joints when none is left out
    int complete_lam, complete_mu; // all rows when none is left out
    int *motion_of_joint;          // (njoint) time function, -1

    int ngroup, ngroup_normal, ngroup_tangent; // groups of rows that hold or not, and these rows
    flx_row_group *groups;
    int first_stick; // group of the first friction that sticks; -1: none

    double *param;        // (nparam) as the model says them (model/numbers.h)
    flx_hoist *hoist;     // numbers of parameters in expressions; the whole one's; NULL: none
    double *hoisting;     // scratch for them
    int first_constraint; // constraint of the first constraint of the equations

    flx_expressions expr;

    int nblock;
    int *block_start;     // (nblock + attached frames + 1)
    int *block_of;        // (n, then rows of attached frames) block of each unknown
    int nvalue;           // numbers of the pattern's entries, then of attached frames
    unsigned char *parts; // of the pattern, then of attached frames
    flx_couplings couplings;

    struct { // where A1 (0) and A2 (1) may differ from zero, and where A0 (2) is added to
        int n, *at, *count;
    } touched[3];

    int touch_switch; // first of contacts that are met step by step

    struct flx_descriptor *complete; // `whole`, or owned by an instance; NULL: no row was left out
    // Of a selection of rows the complete system, whose expressions, derivatives and programs it shares; NULL: they are its
    // own. It lives as long as any selection of it.
    struct flx_descriptor *whole;
    atomic_int *users; // owned: its owner, and selections of this system; of instances none
    bool made;         // all of it is there
};

static inline const flx_descriptor *flx_descriptor_of(const flx_system *s)
{
    return (const flx_descriptor *)s;
}

// first unknown of each kind
static inline int flx_first_x(const flx_descriptor *d)
{
    return d->base.dims.nv;
}
static inline int flx_first_w(const flx_descriptor *d)
{
    return flx_first_x(d) + d->base.dims.nx;
}
static inline int flx_first_lam(const flx_descriptor *d)
{
    return flx_first_w(d) + d->base.dims.nw;
}
static inline int flx_first_mu(const flx_descriptor *d)
{
    return flx_first_lam(d) + d->base.dims.nlam;
}

// Whether a row, among constraints and velocity-level constraints, gives its multiplier by itself: it is compliant, or it does
// not hold now.
static inline bool flx_row_gives(const flx_descriptor *d, int row, const double *switches)
{
    return d->rows[row].C > 0 || flx_row_opens(d->rows[row].held, switches);
}

// Without bodies there are equations alone: no joints, no forces between bodies.
static inline bool flx_has_bodies(const flx_descriptor *d)
{
    return d->variable_v > 0;
}

// layout: coordinates of bodies and variables; blocks; the pattern.
flx_status flx_layout_bodies(flx_descriptor *d);
double flx_descriptor_length(const flx_model *m); // size of the mechanism
double flx_descriptor_gyration(const flx_model *m);
flx_status flx_layout_couple(flx_descriptor *d, int block_i, int block_j);
flx_status flx_layout_couple_bodies(flx_descriptor *d, const int body[2]);
flx_status flx_layout_couple_row(flx_descriptor *d, int block, const int body[2]);
flx_status flx_layout_blocks(flx_descriptor *d);
flx_status flx_layout_pattern(flx_descriptor *d);
int flx_layout_entry(const flx_descriptor *d, int block_i, int block_j); // offset, -1: none
int flx_layout_slot(const flx_descriptor *d, int row, int column);       // of two unknowns
void flx_layout_ends(const flx_descriptor *d, const int body[2], flx_ends *e);
void flx_layout_place(const flx_descriptor *d, int row_unknown, const int body[2],
                      flx_row_place *p);
// Which entries have parts in A1 and A2: all marks, then the ranges.
void flx_layout_mark(flx_descriptor *d, int slot, int bits);
void flx_layout_mark_ends(flx_descriptor *d, const flx_ends *e, int bits);
void flx_layout_mark_row(flx_descriptor *d, const flx_scalar_row *row, bool moves); // or tau does
flx_status flx_layout_parts(flx_descriptor *d);
flx_status flx_layout_pairs(flx_descriptor *d);

static inline int flx_body_block(const flx_descriptor *d, int body)
{
    return body < d->model->nbody ? body : d->nblock + body - d->model->nbody;
}

// attached frames: after the bodies, before anything is coupled; their rows begin at `first`; the masters of
// what was coupled with them; where their entries are carried; which parts these have.
flx_status flx_attached_plan(flx_descriptor *d);
static inline int flx_attached_rows(const flx_descriptor *d)
{
    return d->nattached * (d->planar ? 3 : 6);
}
void flx_attached_number(flx_descriptor *d, int first);
flx_status flx_attached_couple(flx_descriptor *d);
flx_status flx_attached_fill(flx_descriptor *d);
void flx_attached_parts(flx_descriptor *d);
// Frames and J, from the frames of bodies.
void flx_attached_frames(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
// out (attached frames too) = u and J u, with or without J' u of the last frames.
void flx_attached_move(const flx_descriptor *d, flx_descriptor_work *w, const double *u, bool bias,
                       double *out);
// out (constraints, velocity-level constraints) += G u for the attached frames' part of u.
void flx_attached_rates(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        const double *u, double *out);
// How their velocities and accelerations change along theta, into the work.
void flx_attached_slopes(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         const double *theta);
// Rows, entries of constraints and all entries of attached frames are carried to their masters.
// J: that of forces, attached.Jf, or of motions.
void flx_attached_carry(const flx_descriptor *d, const double *J, double *r);
void flx_attached_jacobian(const flx_descriptor *d, const flx_descriptor_work *w, double *A0);
void flx_attached_tangent(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          const double *r, double *A0, double *A1);

// rows of joints
flx_status flx_rows_count(flx_descriptor *d);
bool flx_rows_dropped(const flx_descriptor *d, int complete);
// That of the complete system, which there is; NULL: no memory.
// The initial configuration and a work for it; both are the caller's.
flx_status flx_descriptor_drawn(const flx_descriptor *d, flx_state **x, flx_descriptor_work **w);
flx_descriptor_work *flx_descriptor_complete_work(const flx_descriptor *d, flx_descriptor_work *w);
// Multipliers of least norm of the complete system, which there is, into l (descriptor_least.c).
flx_status flx_least_norm(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                          double *l);
flx_status flx_rows_couple(flx_descriptor *d);
flx_status flx_rows_fill(flx_descriptor *d);

// groups of rows that hold or not: items from the model; their rows, after all others; their switches, after all others;
// where they write
flx_status flx_groups_plan(flx_descriptor *d);
void flx_groups_number(flx_descriptor *d);
void flx_groups_number_switches(flx_descriptor *d);
flx_status flx_groups_couple(flx_descriptor *d);
flx_status flx_groups_fill(flx_descriptor *d);
void flx_groups_mark(flx_descriptor *d);
flx_status flx_groups_renew(flx_descriptor *d);
flx_status flx_groups_choose_tangents(flx_descriptor *d);
// Friction of those that slide: forces, their tangent, power.
void flx_groups_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         double *r);
void flx_groups_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          flx_blocks *b);
void flx_groups_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       flx_energies *e);
// What there is to know of a contact of the rigid law, added.
void flx_groups_observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        int contact, double out[FLX_CONTACT_SIGNALS]);
// Directions of what slides follow an accepted step.
void flx_groups_accept(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x);
extern const flx_contacts flx_descriptor_contacts;

// Their numbers once more, from the model, into the arrays that are there; scratch: `renewal`, of so many bytes.
size_t flx_rows_scratch(void);
flx_status flx_rows_renew(flx_descriptor *d);

// rigid contacts that are met step by step (terms/touches.c)
bool flx_touches_exist(const flx_model *m);
flx_status flx_touches_check(const flx_descriptor *d);
void flx_touches_number(flx_descriptor *d); // their switches
void flx_touches_observe(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                         int contact, double out[FLX_CONTACT_SIGNALS]);
// Nothing where no contacts are met step by step.
flx_status flx_touch_list_create(const flx_descriptor *d, struct flx_touch_list **list);
void flx_touch_list_destroy(struct flx_touch_list **list);
extern const flx_touches flx_descriptor_touches;

// constraints of the equations
flx_status flx_constraints_plan(flx_descriptor *d);
flx_status flx_constraints_couple(flx_descriptor *d);
flx_status flx_constraints_fill(flx_descriptor *d);
void flx_constraints_mark(flx_descriptor *d);
flx_status flx_constraints_renew(flx_descriptor *d);
void flx_constraints_residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                              double *r);
void flx_constraints_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                               flx_blocks *b);
void flx_constraints_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                            flx_energies *e);

// selections: expressions planned as those of the whole, channel by channel
flx_status flx_select_readings(flx_descriptor *d);
flx_status flx_select_channel(flx_descriptor *d, flx_node node, int *channel);
flx_status flx_select_constraint(flx_descriptor *d, flx_expr_constraint *b); // but for its row
void flx_select_events(flx_descriptor *d);
void flx_select_programs(flx_descriptor *d);
// The row of a multiplier that a leaf stands for, among constraints and velocity-level constraints; -1: it is not there.
int flx_expr_row_of(const flx_descriptor *d, flx_leaf leaf);

// expressions
flx_status flx_expr_plan(flx_descriptor *d); // what others read: motions, constraints
bool flx_expr_is_zero(const flx_descriptor *d, flx_node n);
// What a node depends on, each direction once: *out is the caller's (flx_free); a derivative.
flx_status flx_expr_directions(flx_descriptor *d, flx_node node, flx_loc loc, const char *name,
                               int *n, flx_direction **out);
flx_node flx_expr_derive(const flx_descriptor *d, flx_node n, const flx_direction *along);
// An expression of the residual with its derivatives; -1: there is none.
flx_status flx_expr_channel(flx_descriptor *d, flx_node node, flx_loc loc, const char *name,
                            int *channel);
flx_status flx_expr_compile(flx_descriptor *d);
// The numbers that expressions were rid of, when parameters in param have changed.
void flx_expr_hoist(flx_descriptor *d);
// Further nodes over the leaves of the expressions, before they are compiled.
flx_status flx_expr_hoist_more(flx_descriptor *d, int n, flx_node *nodes);
void flx_expr_destroy(flx_descriptor *d);
flx_status flx_flat_compile(flx_descriptor *d);

// Switches of expressions. begin: these (NULL: none) were found to change at x; decide: all are as
// the values say, those on their border as was found; turn_back: those whose value is on its way back
// by what happened change back: a ball that leaves the ground is not in it.
flx_status flx_switches_plan(flx_descriptor *d);
flx_status flx_switches_indicate(const flx_system *s, flx_work *w, const flx_point *p,
                                 double *value);
double flx_switches_next(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x);
void flx_switches_change(const flx_system *s, flx_work *w, const flx_state *x,
                         const signed char *changed, double *switches);
void flx_switches_settle(const flx_system *s, flx_work *w, flx_state *x);
void flx_switches_begin(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                        const signed char *changed);
void flx_switches_decide(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                         flx_event_report *h);
void flx_switches_turn_back(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                            flx_event_report *h);
int flx_switches_judge(const flx_system *s, flx_work *w, const flx_state *x, double *size);

// Compliant contacts (descriptor_watches.c): as the operations of flx_event_ops, for their indicators alone, which follow those
// of the switches.
int flx_watches_count(const flx_descriptor *d);
void flx_watches_indicate(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          double *value);
bool flx_watches_idle(const flx_descriptor *d, const flx_state *x, const signed char *changed);
void flx_watches_change(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                        const signed char *changed, double *switches);
void flx_watches_happen(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                        const signed char *changed, flx_event_report *h);
int flx_watches_judge(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                      double *size);
void flx_watches_settle(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x);
double flx_watches_longest(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x);
void flx_watches_accept(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x);
// A step that is given cannot be made shorter: whether it is too long is told. Frames are there.
void flx_watches_remark(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x);

// Surfaces that could pass through each other (descriptor_passages.c): thickness of both of a pair together; the longest step
// from x, whose frames are there, and the contact that asks for it (-1: none); a remark on a step that is given.
typedef struct flx_moves { // velocities and accelerations of all bodies, attached frames among them
    const double *v, *a;
} flx_moves;
flx_moves flx_passages_moves(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x);
double flx_passage_thickness(const flx_contact *c, int pair);
bool flx_passages_exist(const flx_descriptor *d);
double flx_passages_longest(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                            int *contact);
void flx_passages_accept(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x);

// events; conditions: with these switches, into out (nevent)
void flx_event_conditions(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                          const double *switches, double *out);
flx_status flx_descriptor_events_plan(flx_descriptor *d);
void flx_descriptor_events_start(const flx_descriptor *d,
                                 flx_state *x); // discrete variables, clocks
extern const flx_event_ops flx_descriptor_events;
// The velocities that an expression linear in them depends on, with the nodes of its gradient added
// to a group.
flx_status flx_expr_velocity_gradient(flx_descriptor *d, flx_node node, flx_loc loc,
                                      const char *name, flx_expr_group_kind group, int *n,
                                      int **along);
flx_status flx_expr_add(flx_descriptor *d, flx_expr_group_kind kind, flx_node node, int *out);

// evaluation: frames and expressions of one point. Returns the point as kernels are to see it: with the
// velocities of attached frames behind the others.
const flx_point *flx_eval_begin(const flx_descriptor *d, flx_descriptor_work *w,
                                const flx_point *p);
void flx_eval_group(const flx_descriptor *d, flx_descriptor_work *w, flx_expr_group_kind kind);
// Several evaluations at one point: what they share is computed once. Until it is released all of
// them are at this point, whatever they are given, save for what does not enter expressions.
void flx_eval_hold(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
void flx_eval_release(flx_descriptor_work *w);
void flx_eval_frames(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
void flx_eval_motions(const flx_descriptor *d, flx_descriptor_work *w,
                      const flx_point *p); // by t alone
void flx_eval_leaves(const flx_descriptor_work *w, const flx_point *p, int n,
                     const flx_expr_input *inputs,
                     double *leaves); // turns: zero
const double *flx_eval_output(const flx_descriptor *d, const flx_descriptor_work *w,
                              flx_expr_group_kind kind);
// Motion of a row: value, first and second derivative; zero where it has none.
static inline double flx_row_motion(const flx_descriptor *d, const flx_descriptor_work *w,
                                    const flx_scalar_row *r, int order)
{
    return r->motion < 0 ? 0.0 : flx_eval_output(d, w, FLX_GROUP_TIME)[3 * r->motion + order];
}
// Gravity times the factors of the loads that it is among; g is where they are put, if there are any.
const double *flx_eval_gravity(const flx_descriptor *d, const flx_point *p, double g[3]);
flx_status flx_eval_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r);
flx_status flx_eval_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b);
// Rows of constraints and velocity-level constraints of the residual; the others have no meaning.
void flx_eval_constraints(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                          double *r);
flx_status flx_eval_constraint_rate(const flx_system *s, flx_work *w, const flx_point *p,
                                    double *gd);
flx_status flx_eval_constraint_force(const flx_system *s, flx_work *w, const flx_point *p,
                                     const double *eta, double *out);
flx_status flx_eval_constraint_slope(const flx_system *s, flx_work *w, const flx_point *p,
                                     const double *theta, double *out);
flx_status flx_eval_constraint_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                    double *bias);
// G^T lam + A^T mu of all rows (those with C > 0 left out), and of the rows of one joint added to
// out at its bodies; frames must be there for the second.
void flx_rows_force(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                    const double *lam, const double *mu, double *out);
void flx_joint_force(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, int joint,
                     const double *lam, const double *mu, double *out);
// Multipliers that are read: rows (among constraints, then velocity-level constraints; -1: left out, or none) of drives
// and of constraints; reactions, with their derivatives.
int flx_read_drive(const flx_descriptor *d, int joint);
int flx_read_multiplier(const flx_descriptor *d, int constraint);
flx_status flx_read_reaction(flx_descriptor *d, int joint, int *reading);
flx_status flx_read_list(flx_descriptor *d); // their unknowns, once all have numbers
void flx_read_eval(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
void flx_read_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
// Force and moment on the second body at its place of the joint, ground axes; frames must be there.
void flx_reaction_eval(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       int joint, const double *lam, const double *mu, double out[6]);
// What a force does is supplied, unless it is one that only dissipates.
void flx_energy_add_power(flx_energies *e, bool dissipative, double power);
flx_status flx_eval_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e);
bool flx_descriptor_watches(const flx_descriptor *d); // whether accepted states change anything
// Switches that follow the state, as turns of angles; of an accepted state also what is to be told of it.
void flx_eval_follow(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x);
void flx_eval_accept(const flx_system *s, flx_work *w, flx_state *x);
double flx_eval_longest_step(const flx_system *s, flx_work *w, const flx_state *x);
// Rows of the velocities alone, without constraints: of bodies and forces that need no expression
// (overwritten); f += what expressions give; M v.
// descriptor_inertia.c: of body `whole` and what follows it, -1: of all: momentum, linear and angular about the origin, mass
// times place of the centre, mass.
#define FLX_INERTIA_NUMBERS 10
flx_status flx_eval_inertia(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                            int whole, double out[FLX_INERTIA_NUMBERS]);
void flx_eval_momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       double *Mv);
// out (nv) = M' v, with Mv there; refused where M depends on more than positions and time.
flx_status flx_eval_momentum_rate(const flx_descriptor *d, flx_descriptor_work *w,
                                  const flx_point *p, const double *Mv, double *out);
// Force and moment at all attached frames, r_f in the work.
void flx_eval_loads(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p);
// M into A2, G, A and their transposes into out; both zeroed first, nothing else. Rows with C > 0
// are left out.
void flx_eval_saddle(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *out, double *A2);
// The masses alone, into A2.
void flx_eval_masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *A2);

// explicit form and reactions
// psi(t, q, v, x, w) = 0 for the algebraic unknowns of x, after flx_saddle_prepare.
flx_status flx_eval_algebraic(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x);
flx_status flx_saddle_prepare(const flx_descriptor *d, flx_descriptor_work *w);
void flx_saddle_free(flx_descriptor_work *w);
// The factors, of which projections make use after accelerations (base/checkpoint_walk.h).
void flx_saddle_work_memory(flx_work *work, flx_memory *m);
// Pivots that keep so much of their terms lose no more than these digits: nothing to refine.
#define FLX_REGULAR 1e-3
// Factors at p; rhs <- A^-1 rhs; whether factors of that time serve at points nearby, too: those of a
// matrix that is not close to a singular one do.
flx_status flx_saddle_work_factor(const flx_descriptor *d, flx_descriptor_work *w,
                                  const flx_point *p);
flx_status flx_saddle_work_solve(const flx_descriptor *d, flx_descriptor_work *w);
bool flx_saddle_work_serves(const flx_descriptor *d, const flx_saddle_work *k, const flx_point *p);
flx_status flx_descriptor_set_parameters(flx_system *s, const double *p);
// Of an instance: the complete system has the numbers that it has.
flx_status flx_descriptor_renew_complete(const flx_descriptor *d);
// What is a number of a scalar, and not its structure.
void flx_scalar_take_numbers(flx_scalar *to, const flx_scalar *from);
