// prepare.c - from the model to a system without redundant rows and a state to start from.
//
// 1 The drawing, with the starts of joints applied, is closed on the complete system (theory/
//   start.md). It may not close: rows that say the same with a small error of the geometry
//   contradict each other.
// 2 The rank of the rows decides which are redundant; these are left out and the rest is closed.
// 3 Velocities, accelerations and multipliers follow; what was left out must agree with them.
// 4 Where the model is reduced, velocities without inertia follow from the rest (theory/
//   reduction.md).
// 5 The user sees what was changed.
#include "analyse/index.h"
#include "analyse/least.h"
#include "analyse/simulation.h"
#include "base/number.h"
#include "integrate/accelerate.h"
#include "integrate/relax.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SLOW_STEP 1e-13 // seconds
#define MOST_INDEX 3    // of algebraic unknowns
#define RESTS 1e-9      // velocities of a start at rest, of their scale
// Rows left out may be off by what drawings are off by; more is a mechanism that does not close.
#define CANNOT_CLOSE 1e-2 // as a part of the largest scale
// In the motion they may open by this part of the scale, and so many times as much as their own share of them.
#define OPENS 1e-4
#define OPENS_TIMES 10.0
#define CONTRADICTION 1e-6 // largest rate at which a row left out may part from the rest

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

// The complete system itself, or a selection of its rows.
static flx_status choose_rows(const flx_simulation *sim, flx_system *complete, flx_hold hold,
                              int ndrop, const int *drop, draft *d)
{
    bool holds = !sim->from && has_starts(sim->model, hold);
    const flx_descriptor_options options = {
        .ndrop = ndrop, .drop = drop, .hold = holds ? hold : FLX_HOLD_NOTHING};
    d->borrowed = !holds && ndrop == 0;
    if (d->borrowed) {
        d->sys = complete;
    } else {
        FLX_TRY(flx_descriptor_select(complete, &options, &d->sys));
    }
    return flx_state_create(d->sys, &d->x);
}

// ---- redundant rows ----------------------------------------------------------------------------

static const char *row_name(flx_simulation *sim, const flx_system *s, int row)
{
    const flx_dims *d = &s->dims;
    flx_unknown u;
    s->ops->unknown(s, flx_dims_first_bond(d) + row, &u);
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
    int first = flx_dims_first_bond(d), n = 0;
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
        if (j->type != FLX_JOINT_FREE) last = j;
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

static flx_loc place_of(const flx_model *m, const char *item)
{
    for (int i = 0; item && i < m->njoint; i++) {
        if (strcmp(m->joints[i].name, item) == 0) return m->joints[i].loc;
    }
    return FLX_NOWHERE;
}

static double largest_scale(const flx_system *s)
{
    double scale = 0.0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        scale = fmax(scale, u.scale);
    }
    return scale;
}

// Rows left out cannot be met by force: what they ask must follow from the rest.
static flx_status check_left_out(flx_simulation *sim)
{
    flx_residuals r;
    if (sim->plan->summary.redundant == 0) return FLX_OK;
    flx_simulation_residuals(sim, sim->start, &r);
    double misfit = r.dropped / largest_scale(sim->sys);
    if (!(misfit <= CANNOT_CLOSE)) {
        return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, place_of(sim->model, r.position_item),
                        "'%s' cannot be closed: the other constraints hold it %.3g away; check "
                        "positions, lengths and the joint's `at`",
                        r.position_item ? r.position_item : "?", r.dropped);
    }
    // rows that are off by a little part at that share of the speed
    double speed = 1.0;
    for (int i = 0; i < sim->sys->dims.nv; i++) speed = fmax(speed, fabs(sim->start->v[i]));
    if (r.velocity <= (CONTRADICTION + 10.0 * misfit) * speed) return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, place_of(sim->model, r.velocity_item),
                    "what '%s' asks contradicts the other constraints: its rate is off by %.3g; "
                    "remove a motion or a joint",
                    r.velocity_item ? r.velocity_item : "?", r.velocity);
}

// A row that holds nothing to first order wherever it is met, but does beside: no finite force keeps it.
static flx_status refuse_blocking(flx_simulation *sim, const flx_system *s,
                                  const flx_rank_report *rank)
{
    if (rank->nblocking == 0) return FLX_OK;
    flx_unknown u;
    s->ops->unknown(s, flx_dims_first_bond(&s->dims) + rank->blocking[0], &u);
    return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, u.loc,
                    "'%s' (%s) holds the mechanism to second order only: where all constraints are "
                    "met it follows from the others, and beside it does not, so that its reaction "
                    "has no bound; move the joint, or remove it",
                    u.item ? u.item : "?", u.part ? u.part : "row");
}

// Close the drawing and find which rows are redundant.
static flx_status find_redundant(flx_simulation *sim, draft *complete, flx_rank_report *rank)
{
    draft held = {0};
    int errors = flx_ctx_error_count(sim->ctx);
    flx_status status = choose_rows(sim, complete->sys, FLX_HOLD_COORDINATES, 0, NULL, &held);
    if (status == FLX_OK) {
        flx_simulation_copy_motion(&held.sys->dims, held.x, complete->x);
        status = flx_start_positions(held.sys, held.x, NULL, NULL);
        flx_simulation_copy_motion(&held.sys->dims, complete->x, held.x);
    }
    discard(&held);
    if (status != FLX_OK && status != FLX_INCONSISTENT) return status;

    flx_status ranked = flx_rank_bonds(complete->sys, complete->x, rank);
    // what does not close may still close without the rows that say the same twice
    if (status == FLX_INCONSISTENT && (ranked != FLX_OK || rank->nredundant == 0)) return status;
    if (ranked != FLX_OK) return ranked;
    flx_ctx_forget_errors(sim->ctx, errors);
    return refuse_blocking(sim, complete->sys, rank);
}

// Whether a joint starts with a rate, or something with a velocity: what is deformable then begins without
// deforming, where it can.
static bool begins_moving(const flx_model *m)
{
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].start_rate) return true;
    }
    return false;
}

static flx_status find_velocities(flx_simulation *sim, const flx_state *drawn, draft *held)
{
    flx_rides rides = {0};
    flx_least_how how = {0};
    flx_given_row *given = NULL;
    if (sim->from) return flx_start_velocities(held->sys, held->x, NULL, NULL);
    flx_status status = flx_descriptor_given(held->sys, drawn, held->x, &how.ngiven, &given);
    how.given = given;
    if (status == FLX_OK && begins_moving(sim->model)) {
        status = flx_descriptor_rides(held->sys, held->x, &rides);
        if (rides.n > 0) how.rides = &rides;
    }
    if (status == FLX_OK) status = flx_start_velocities_by(held->sys, held->x, NULL, &how, NULL);
    flx_rides_clear(&rides);
    flx_free(given);
    return status;
}

// Positions or velocities of the start, with the starts of the joints held.
static flx_status close_held(flx_simulation *sim, flx_system *complete, const flx_state *drawn,
                             flx_hold hold, int ndrop, const int *drop)
{
    draft held = {0};
    flx_status status = choose_rows(sim, complete, hold, ndrop, drop, &held);
    if (status == FLX_OK) {
        flx_simulation_copy_motion(&held.sys->dims, held.x, sim->start);
        status = hold == FLX_HOLD_RATES ? find_velocities(sim, drawn, &held)
                                        : flx_start_positions(held.sys, held.x, NULL, NULL);
    }
    if (status == FLX_OK) flx_simulation_copy_motion(&held.sys->dims, sim->start, held.x);
    discard(&held);
    return status;
}

// Branches as positions and velocities are now. Those of a state that was given stay, unless they contradict it: what is
// on its border has been decided.
static flx_status settle_switches(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    const flx_instants *k = s->ops->instants;
    if (!k) return FLX_OK;
    flx_work *work = s->ops->work_create(s);
    double *size = flx_alloc(sim->ctx, (size_t)k->indicators(s), sizeof *size);
    if (!work || !size) {
        flx_free(size);
        if (work) s->ops->work_destroy(work);
        return FLX_FAIL(sim->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    }
    if (!sim->from || k->judge(s, work, sim->start, size) >= 0) k->settle(s, work, sim->start);
    flx_free(size);
    s->ops->work_destroy(work);
    return FLX_OK;
}

// No method integrates algebraic unknowns of an index above 3.
static flx_status refuse_index(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    int index = 0, unknown = -1;
    if (s->dims.nw == 0) return FLX_OK;
    flx_work *work = s->ops->work_create(s);
    if (!work) return FLX_FAIL(sim->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    flx_status status = flx_index_find(s, work, sim->start, &index, &unknown);
    s->ops->work_destroy(work);
    if (status != FLX_OK || index <= MOST_INDEX) return status < 0 ? status : FLX_OK;
    flx_unknown u;
    s->ops->unknown(s, unknown, &u);
    return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, u.loc,
                    "the algebraic unknown '%s' has index %d: the equations must be differentiated "
                    "%d times before they say what it is, and methods bear %d; prescribe what it "
                    "acts on directly, such as by a motion of a joint, or compute it from the "
                    "derivatives of what is asked for",
                    u.item ? u.item : "?", index, index, MOST_INDEX);
}

// Velocities without inertia: on the slow manifold (RED-5). Their rows contain no inertia at all, so
// that the step is as short as the matrix bears, and meets the fastest rates.
static flx_status find_slow_velocities(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    flx_work *work = s->ops->work_create(s);
    if (!work) return FLX_FAIL(sim->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    flx_status status = FLX_SINGULAR;
    for (double d = SLOW_STEP; status > 0 && d < 10.0 * FLX_RELAX_STEP; d *= 10.0) {
        status = flx_relax_velocities(s, work, sim->start, d);
    }
    if (status > 0) status = flx_reduction_refuse(sim, work, status);
    s->ops->work_destroy(work);
    return status;
}

// The same, and, if asked for, where the boundary layer leaves the slow motion; positions are then closed again.
static flx_status find_slow_start(flx_simulation *sim)
{
    size_t nv = (size_t)sim->sys->dims.nv;
    // a state of a motion lies behind the layer
    if (!sim->model->reduce_corrected || sim->from) return find_slow_velocities(sim);
    double *given = flx_alloc(sim->ctx, nv, sizeof *given);
    if (!given) return FLX_ERR_MEMORY;
    memcpy(given, sim->start->v, nv * sizeof *given);
    flx_status status = find_slow_velocities(sim);
    if (status == FLX_OK) status = flx_layer_correct(sim, given);
    flx_free(given);
    FLX_TRY(status);
    FLX_TRY(flx_start_positions(sim->sys, sim->start, NULL, NULL));
    FLX_TRY(flx_start_velocities(sim->sys, sim->start, NULL, NULL));
    return find_slow_velocities(sim);
}

flx_status flx_simulation_recast(flx_simulation *sim, const flx_state *drawn, flx_system **s)
{
    FLX_TRY(flx_simulation_lump(sim, drawn, s));
    FLX_TRY(flx_simulation_cut_off(sim, drawn, s));
    FLX_TRY(flx_simulation_condense(sim, drawn, s));
    return flx_simulation_reduce(sim, drawn, s);
}

flx_status flx_simulation_start_recast(flx_simulation *sim)
{
    if (sim->plan->reduction.n > 0) FLX_TRY(find_slow_start(sim));
    FLX_TRY(flx_quasistatic_measure(sim->sys, sim->start));
    return flx_start_accelerations(sim->sys, sim->start);
}

// What neither mass nor damping holds, and what algebraic unknowns are to bring about, begins in balance. Where the
// masses determine the accelerations there is nothing of the kind.
static flx_status find_balance(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    flx_accelerator *acc = NULL;
    flx_state *x = NULL;
    flx_work *work = NULL;
    if (sim->plan->reduction.n > 0) return FLX_OK; // the slow manifold is found otherwise
    flx_status status = flx_accelerator_create(s, &acc);
    if (status == FLX_OK) status = flx_state_create(s, &x);
    if (status == FLX_OK) work = s->ops->work_create(s);
    if (status == FLX_OK && !work) status = FLX_ERR_MEMORY;
    if (status != FLX_OK) goto done;
    flx_state_copy(x, sim->start);
    status = flx_accelerator_eval(acc, work, x, NULL, NULL);
    if (status <= 0) goto done;
    flx_state_copy(x, sim->start);
    status = flx_relax_positions(s, work, x);
    if (status > 0) status = FLX_OK; // what follows says why
    if (status != FLX_OK) goto done;
    sim->making->balance =
        flx_arena_take(sim->arena, (size_t)s->dims.nv, sizeof *sim->plan->balance);
    if (!sim->plan->balance) status = FLX_ERR_MEMORY;
    if (status != FLX_OK) goto done;
    s->ops->difference(s, sim->start->q, x->q, sim->making->balance);
    flx_state_copy(sim->start, x);

done:
    if (work) s->ops->work_destroy(work);
    flx_state_destroy(&x);
    flx_accelerator_destroy(&acc);
    return status;
}

// The equilibrium at which the run begins, or the last position of a path, and those from which it is sought, before
// it. Velocities are then those that motions ask for.
static flx_status find_rest(flx_simulation *sim, int i)
{
    const flx_model *m = sim->model;
    const flx_analysis *a = m->analyses + i;
    if (a->about == FLX_ABOUT_END) {
        return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, a->loc,
                        "a run cannot begin at '%s', which is sought from its end", a->name);
    }
    if (a->about >= 0) FLX_TRY(find_rest(sim, a->about));
    if (a->kind == FLX_ANALYSIS_STATIC) {
        flx_path_report path;
        double t = sim->start->t;
        flx_status status = flx_simulation_follow(sim, i, sim->start, 0, NULL, &path);
        flx_simulation_unload(sim); // the run has its own loads
        sim->start->t = t;
        FLX_TRY(status);
    } else {
        FLX_TRY(flx_equilibrium_find(sim->sys, sim->start, NULL));
    }
    return flx_start_velocities(sim->sys, sim->start, NULL, NULL);
}

// The consistent state of the system that runs.
static flx_status find_start(flx_simulation *sim, draft *complete, const flx_state *drawn,
                             int ndrop, const int *drop)
{
    const flx_descriptor_options options = {.ndrop = ndrop, .drop = drop};
    complete->borrowed = ndrop == 0; // it runs itself
    if (ndrop == 0) sim->sys = complete->sys;
    if (ndrop > 0) FLX_TRY(flx_descriptor_select(complete->sys, &options, &sim->sys));
    const flx_dims dims = sim->sys->dims;
    if (!sim->model->simulate.tree) FLX_TRY(flx_simulation_recast(sim, drawn, &sim->sys));
    FLX_TRY(flx_state_create(sim->sys, &sim->start));
    flx_simulation_copy_motion(&dims, sim->start, drawn);
    FLX_TRY(close_held(sim, complete->sys, drawn, FLX_HOLD_COORDINATES, ndrop, drop));
    FLX_TRY(find_balance(sim));
    FLX_TRY(close_held(sim, complete->sys, drawn, FLX_HOLD_RATES, ndrop, drop));
    FLX_TRY(flx_simulation_settle_condensed(sim));
    FLX_TRY(settle_switches(sim));
    if (sim->model->simulate.given) FLX_TRY(refuse_index(sim));
    if (sim->model->simulate.start >= 0 && !sim->from)
        FLX_TRY(find_rest(sim, sim->model->simulate.start));
    return flx_simulation_start_recast(sim);
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
    sim->making->not_unique = flx_arena_take(sim->arena, n, sizeof *sim->plan->not_unique);
    if (!sim->plan->not_unique) return FLX_ERR_MEMORY;
    flx_status status = flx_descriptor_not_unique(s, work, &x, sim->making->not_unique);
    return status > 0 ? FLX_OK : status;
}

// What follows from the rank: the system that runs and its start.
static flx_status make_ready(flx_simulation *sim, draft *complete, const flx_state *drawn,
                             const flx_rank_report *rank)
{
    FLX_TRY(refuse_locked(sim));
    FLX_TRY(find_regular_start(sim, complete, drawn, rank->nredundant, rank->redundant));
    const flx_system *s = sim->sys;
    double scale = largest_scale(s);
    sim->work = s->ops->work_create(s);
    if (!sim->work) return FLX_FAIL(sim->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    // turns are counted from where the start is
    if (s->ops->accept) s->ops->accept(s, sim->work, sim->start);
    FLX_TRY(check_left_out(sim));
    // what an equilibrium changes is what was asked for
    if (sim->model->simulate.start < 0 || sim->from)
        FLX_TRY(flx_simulation_tell_changes(sim, drawn));
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
        return FLX_FAIL(sim->ctx, status, FLX_NOWHERE,
                        "the start of the model cannot be computed: %s; look for values that are "
                        "far too large or too small",
                        flx_status_text(status));
    }
    return status;
}
