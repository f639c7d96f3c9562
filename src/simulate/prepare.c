// prepare.c - from the model to a system without redundant rows: what is decided once. Its start is found by begin.c.
//
// 1 The drawing, with the starts of joints applied, is closed on the complete system (theory/
//   start.md). It may not close: rows that say the same with a small error of the geometry
//   contradict each other.
// 2 The rank of the rows decides which are redundant; these are left out and the rest is closed.
// 3 Velocities, accelerations and multipliers follow; what was left out must agree with them.
// 4 Where the model is reduced, velocities without inertia follow from the rest (theory/
//   reduction.md).
// 5 The user sees what was changed.
#include "base/no_number.h"
#include "base/number.h"
#include "joint/joint.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define RESTS 1e-9 // velocities of a start at rest, of their scale
// In the motion rows left out may open by this part of the scale, and so many times as much as their own share of them.
#define OPENS 1e-4
#define OPENS_TIMES 10.0

// ---- systems and states ------------------------------------------------------------------------

// Positions, velocities and states are the same numbers in all systems of one model; d: of the
// smaller one.
void flx_simulation_copy_motion(const flx_dims *d, flx_state *to, const flx_state *from)
{
    to->t = from->t;
    memcpy(to->q, from->q, (size_t)d->nq * sizeof *to->q);
    memcpy(to->v, from->v, (size_t)d->nv * sizeof *to->v);
    memcpy(to->x, from->x, (size_t)d->nx * sizeof *to->x);
    memcpy(to->w, from->w, (size_t)d->nw * sizeof *to->w);
    memcpy(to->switches, from->switches, (size_t)d->nswitch * sizeof *to->switches);
}

// A system and a state of it.
typedef struct draft {
    flx_system *sys;
    bool borrowed; // it is the complete system itself
    flx_state *x;
} draft;

static void discard(draft *d)
{
    flx_state_destroy(&d->x);
    if (!d->borrowed) flx_system_destroy(&d->sys);
}

// Whether joints have starts to be held.
static bool has_starts(const flx_model *m, flx_hold hold)
{
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = m->joints + i;
        if (hold == FLX_HOLD_COORDINATES && j->start_coordinate) return true;
        if (hold == FLX_HOLD_RATES && j->start_rate) return true;
    }
    return false;
}

// ---- redundant rows ----------------------------------------------------------------------------

static const char *row_name(flx_simulation *sim, const flx_system *s, int row)
{
    const flx_dims *d = &s->dims;
    flx_unknown u;
    s->ops->unknown(s, flx_dims_first_constraint(d) + row, &u);
    return flx_arena_printf(sim->arena, "%s (%s)", u.item ? u.item : "?", u.part ? u.part : "row");
}

static flx_status name_rows(flx_simulation *sim, const flx_system *s, int n, const int *rows,
                            const char ***names)
{
    *names = flx_arena_take(sim->arena, (size_t)n, sizeof **names);
    if (!*names) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        (*names)[i] = row_name(sim, s, rows[i]);
        if (!(*names)[i]) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// Rows that hold; those that give way are forces.
static int count_constraints(const flx_system *s)
{
    const flx_dims *d = &s->dims;
    int first = flx_dims_first_constraint(d), n = 0;
    for (int i = 0; i < d->nlam + d->nmu; i++) {
        flx_unknown u;
        s->ops->unknown(s, first + i, &u);
        n += i < d->nlam ? u.C == 0.0 : u.E == 0.0;
    }
    return n;
}

static flx_status summarise(flx_simulation *sim, const flx_system *complete,
                            const flx_rank_report *rank)
{
    const flx_model *m = sim->model;
    sim->making->summary = (flx_summary){
        .bodies = m->nbody,
        .joints = m->njoint,
        .forces = m->nforce,
        .variables = m->nvariable - m->nmode,
        .states = m->nfirst,
        .coordinates = complete->dims.nv,
        .constraints = count_constraints(complete),
        .redundant = rank->nredundant,
        .singular = rank->nsingular,
        .freedoms = rank->freedoms,
        .reduced = m->nreduced,
    };
    FLX_TRY(name_rows(sim, complete, rank->nredundant, rank->redundant, &sim->making->redundant));
    return name_rows(sim, complete, rank->nsingular, rank->singular, &sim->making->singular);
}

// The joint to blame for a mechanism that cannot move: the one whose rows are redundant, else the
// last that takes freedom away.
static const flx_joint *locking_joint(const flx_simulation *sim)
{
    const flx_model *m = sim->model;
    const flx_joint *last = NULL;
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = &m->joints[i];
        size_t n = strlen(j->name);
        if (!j->kind->loose) last = j;
        for (int k = 0; k < sim->plan->summary.redundant; k++) {
            const char *row = sim->plan->redundant[k];
            if (strncmp(row, j->name, n) == 0 && row[n] == ' ') return j;
        }
    }
    return last;
}

// Without freedom only what is driven or has states of its own changes in time.
static flx_status refuse_locked(const flx_simulation *sim)
{
    const flx_model *m = sim->model;
    if (sim->plan->summary.freedoms > 0 || sim->plan->summary.coordinates == 0 || m->nstate > 0)
        return FLX_OK;
    if (sim->plan->to_analyse) return FLX_OK; // statics of a structure
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].motion != FLX_MOTION_NONE) return FLX_OK;
    }
    for (int i = 0; i < m->nconstraint; i++) {
        // an equation's constraint may contain the time
        if (m->constraints[i].value >= 0) return FLX_OK;
    }
    const flx_joint *j = locking_joint(sim);
    return FLX_FAIL(
        sim->ctx, FLX_ERR_MODEL, j ? j->loc : FLX_NOWHERE,
        "the mechanism is locked: %d coordinates, %d constraints of which %d redundant, "
        "no degree of freedom left and no motion given; '%s' takes the last one. For the forces "
        "of a structure at rest ask for an equilibrium: `analyse: {rest: "
        "{type: equilibrium}}`",
        sim->plan->summary.coordinates, sim->plan->summary.constraints,
        sim->plan->summary.redundant, j ? j->name : "?");
}

// ---- together ----------------------------------------------------------------------------------

// A row that holds nothing to first order wherever it is met, but does beside: no finite force keeps it.
static flx_status refuse_blocking(flx_simulation *sim, const flx_system *s,
                                  const flx_rank_report *rank)
{
    if (rank->nblocking == 0) return FLX_OK;
    flx_unknown u;
    s->ops->unknown(s, flx_dims_first_constraint(&s->dims) + rank->blocking[0], &u);
    return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, u.loc,
                    "'%s' (%s) holds the mechanism to second order only: where all constraints are "
                    "met it follows from the others, and beside it does not, so that its reaction "
                    "has no bound; move the joint, or remove it",
                    u.item ? u.item : "?", u.part ? u.part : "row");
}

// Contacts hold or not as a run goes on, and the state it begins from may have closed some: whether the mechanism can move, and
// which rows are redundant, is asked of what always holds.
static flx_status rank_without_contacts(const draft *complete, flx_rank_report *rank)
{
    const flx_system *s = complete->sys;
    const flx_contacts *contacts = s->ops->contacts;
    int n = contacts ? contacts->count(s) : 0;
    flx_state *x = NULL;
    if (n == 0) return flx_rank_constraints(s, complete->x, rank);
    FLX_TRY(flx_state_create(s, &x));
    flx_state_copy(x, complete->x);
    for (int i = 0; i < n; i++) {
        flx_contact_group g;
        contacts->group(s, i, &g);
        x->switches[g.state] = FLX_CONTACT_OPEN;
    }
    flx_status status = flx_rank_constraints(s, x, rank);
    flx_state_destroy(&x);
    return status;
}

// Close the drawing and find which rows are redundant.
static flx_status find_redundant(flx_simulation *sim, draft *complete, flx_rank_report *rank)
{
    const flx_descriptor_options options = {.hold = FLX_HOLD_COORDINATES};
    bool holds = !sim->from && has_starts(sim->model, FLX_HOLD_COORDINATES);
    flx_system *held = NULL;
    flx_state *x = NULL;
    int errors = flx_ctx_error_count(sim->ctx);
    if (holds) FLX_TRY(flx_descriptor_select(complete->sys, &options, &held));
    const flx_system *s = holds ? held : complete->sys;
    flx_status status = flx_state_create(s, &x);
    if (status == FLX_OK) {
        flx_simulation_copy_motion(&s->dims, x, complete->x);
        status = flx_start_positions(s, x, NULL, NULL);
        flx_simulation_copy_motion(&s->dims, complete->x, x);
    }
    flx_state_destroy(&x);
    sim->making->held[0] = held; // it serves the start, too, unless rows are left out
    if (status != FLX_OK && status != FLX_INCONSISTENT) return status;

    flx_status ranked = rank_without_contacts(complete, rank);
    // what does not close may still close without the rows that say the same twice
    if (status == FLX_INCONSISTENT && (ranked != FLX_OK || rank->nredundant == 0)) return status;
    if (ranked != FLX_OK) return ranked;
    if (rank->nredundant > 0) flx_system_destroy(&sim->making->held[0]);
    flx_ctx_forget_errors(sim->ctx, errors);
    return refuse_blocking(sim, complete->sys, rank);
}

flx_status flx_simulation_recast(flx_simulation *sim, const flx_state *drawn, flx_system **s)
{
    FLX_TRY(flx_simulation_lump(sim, drawn, s));
    FLX_TRY(flx_simulation_cut_off(sim, drawn, s));
    FLX_TRY(flx_simulation_condense(sim, drawn, s));
    return flx_simulation_reduce(sim, drawn, s);
}

// The system that runs, those with starts of joints held, and the start.
static flx_status find_start(flx_simulation *sim, draft *complete, const flx_state *drawn,
                             int ndrop, const int *drop)
{
    static const flx_hold holds[2] = {FLX_HOLD_COORDINATES, FLX_HOLD_RATES};
    const flx_descriptor_options options = {.ndrop = ndrop, .drop = drop};
    complete->borrowed = ndrop == 0; // it runs itself
    if (ndrop == 0) sim->sys = complete->sys;
    if (ndrop > 0) FLX_TRY(flx_descriptor_select(complete->sys, &options, &sim->sys));
    for (int k = 0; k < 2; k++) {
        flx_descriptor_options held = {.ndrop = ndrop, .drop = drop, .hold = holds[k]};
        if (sim->from || sim->making->held[k] || !has_starts(sim->model, holds[k])) continue;
        FLX_TRY(flx_descriptor_select(complete->sys, &held, &sim->making->held[k]));
    }
    if (!sim->model->simulate.tree) FLX_TRY(flx_simulation_recast(sim, drawn, &sim->sys));
    FLX_TRY(flx_state_create(sim->sys, &sim->start));
    FLX_TRY(flx_starter_create(sim, false, &sim->starter));
    // without redundant rows the positions have been found by the same system
    FLX_TRY(flx_balanced_plan(sim));
    return flx_simulation_begin(sim, drawn, ndrop == 0 ? complete->x : NULL);
}

static bool at_rest(const flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        if (fabs(sim->start->v[i]) > RESTS * u.scale) return false;
    }
    return true;
}

// Where constraints depend on each other at the start only, several motions go through it. A
// velocity along one of them says which; at rest nothing does.
static flx_status refuse_fork(const flx_simulation *sim, const char *what, const char *advice)
{
    int n = sim->plan->summary.singular;
    return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, FLX_NOWHERE,
                    "the mechanism %s a singular position, from which it could go several ways: "
                    "%d of its constraints depend%s on the others there, '%s'%s%s%s; %s, or begin "
                    "a little beside that position",
                    what, n, n > 1 ? "" : "s", sim->plan->singular[0], n > 1 ? ", '" : "",
                    n > 1 ? sim->plan->singular[1] : "", n > 1 ? "', ..." : "", advice);
}

static flx_status find_regular_start(flx_simulation *sim, draft *complete, const flx_state *drawn,
                                     int ndrop, const int *drop)
{
    int errors = flx_ctx_error_count(sim->ctx);
    flx_status status = find_start(sim, complete, drawn, ndrop, drop);
    if (sim->plan->summary.singular == 0) return status;
    if (status == FLX_SINGULAR || status == FLX_INCONSISTENT) {
        flx_ctx_forget_errors(sim->ctx, errors);
        return refuse_fork(sim, "begins with a velocity along none of the motions through",
                           "give all its bodies the velocities of one of them");
    }
    if (status != FLX_OK || !at_rest(sim)) return status;
    return refuse_fork(sim, "rests in", "give it a velocity");
}

// Joints whose reactions are one choice of many.
static flx_status find_not_unique(flx_simulation *sim)
{
    flx_work *work = sim->work;
    flx_state x = *sim->start;
    if (sim->plan->summary.redundant == 0) return FLX_OK;
    const flx_system *s = flx_wrapper_base(sim->sys, &work, &x);
    size_t n = (size_t)sim->model->njoint;
    sim->making->not_unique = flx_arena_take(sim->arena, 2 * n, sizeof *sim->plan->not_unique);
    if (!sim->plan->not_unique) return FLX_ERR_MEMORY;
    sim->making->pressed_not_unique = sim->making->not_unique + n;
    flx_status status = flx_descriptor_not_unique(s, work, &x, sim->making->not_unique,
                                                  sim->making->pressed_not_unique);
    return status > 0 ? FLX_OK : status;
}

// What follows from the rank: the system that runs and its start.
static flx_status make_ready(flx_simulation *sim, draft *complete, const flx_state *drawn,
                             const flx_rank_report *rank)
{
    FLX_TRY(refuse_locked(sim));
    FLX_TRY(find_regular_start(sim, complete, drawn, rank->nredundant, rank->redundant));
    const flx_system *s = sim->sys;
    double scale = flx_system_largest_scale(s);
    sim->work = s->ops->work_create(s);
    if (!sim->work) return FLX_FAIL(sim->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    // turns are counted from where the start is
    if (s->ops->accept) s->ops->accept(s, sim->work, sim->start);
    FLX_TRY(flx_simulation_check_left_out(sim, &sim->making->dropped_open));
    // what an equilibrium changes is what was asked for
    if (sim->model->simulate.start < 0 || sim->from)
        FLX_TRY(flx_simulation_tell_changes(sim, drawn));
    flx_starter_destroy(&sim->starter);
    sim->making->dropped_share = OPENS_TIMES * rank->weakest * scale;
    sim->making->dropped_most = sim->plan->dropped_share + OPENS * scale;
    flx_simulation_tell_left_out(sim, rank->weakest);
    FLX_TRY(find_not_unique(sim));
    return flx_simulation_choose_form(sim);
}

flx_status flx_simulation_prepare(flx_simulation *sim, bool to_run)
{
    draft complete = {0};
    flx_state *drawn = NULL;
    flx_rank_report rank = {0};
    int errors = flx_ctx_error_count(sim->ctx);
    flx_no_number_forget();
    flx_status status = flx_topology_create(sim->model, &sim->making->tree);
    if (status == FLX_OK) status = flx_descriptor_create(sim->model, NULL, &complete.sys);
    if (status == FLX_OK) status = flx_state_create(complete.sys, &complete.x);
    if (status == FLX_OK) status = flx_state_create(complete.sys, &drawn);
    if (status == FLX_OK) status = flx_descriptor_draw(complete.sys, drawn);
    if (status == FLX_OK && sim->from) status = flx_states_apply(sim, complete.sys, drawn);
    if (status == FLX_OK) {
        flx_state_copy(complete.x, drawn);
        status = find_redundant(sim, &complete, &rank);
    }
    if (status == FLX_OK) status = summarise(sim, complete.sys, &rank);
    if (status == FLX_OK && to_run) status = make_ready(sim, &complete, drawn, &rank);
    flx_rank_report_clear(&rank);
    flx_state_destroy(&drawn);
    discard(&complete);
    if (status != FLX_OK && flx_ctx_error_count(sim->ctx) == errors) {
        const char *function = flx_no_number_text();
        return FLX_FAIL(sim->ctx, status, FLX_NOWHERE,
                        "the start of the model cannot be computed: %s%s", flx_status_text(status),
                        function[0] ? function
                                    : "; look for values that are far too large or too small");
    }
    return status;
}
