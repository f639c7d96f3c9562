// begin.c - the start of a run: found when its system is made, and again for other parameters or inputs.
//
// What is decided once is not looked at again: which rows are left out, whether masses determine the accelerations, the
// coordinates, the reduction. Made again are the initial configuration, positions and velocities that meet the constraints,
// switches, an equilibrium that was asked for, accelerations and multipliers. Rows that were left out must still follow
// from the others, and the others must not follow from each other; else the model has to be compiled again.
#include "analyse/index.h"
#include "analyse/start.h"
#include "base/number.h"
#include "flexion/extend/method_table.h"
#include "integrate/relax.h"
#include "simulate/simulation_parts.h"
#include "simulate/turning/turning.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SLOW_STEP 1e-13 // seconds
#define SLOW_LONGEST 1e-6
#define MOST_INDEX 3 // of algebraic unknowns
#define HIGH_INDEX 3 // ... whose errors methods divide by the square of the step
// Rows left out may be off by what drawings are off by; more is a mechanism that does not close.
#define CANNOT_CLOSE 1e-2  // as a part of the largest scale
#define CONTRADICTION 1e-6 // largest rate at which a row left out may part from the rest
// Made again, rows that were left out may be as far open as they were, and by so many times as much; or by rounding.
#define AGREES 10.0
#define AGREES_ROUNDING 1e-9 // as a part of the largest scale, and of speeds
// Smallest pivot of constraints that are independent, over its terms: a square.
#define DEPENDENT 1e-13

// What starts are made with. Made again they find all of it there.
struct flx_starter {
    flx_system *held
        [2]; // with starts of joints held: positions, velocities; NULL: those of the system itself
    bool owns; // these are instances
    bool again;
    flx_state *x[2]; // of them
    flx_projector *projector[2];
    flx_projector *judge; // of the system itself, where rows may depend on each other
    flx_state *drawn;
    const flx_system *of; // the system that accelerations are found of:
    flx_accelerator *acc;
    flx_work *work;
    double *balance;    // (nv)
    double *parameters; // (nparameter) that projectors and accelerations were made for
};

// The system of bodies inside the one that runs, while the start is made in their coordinates.
static const flx_system *base_of(const flx_simulation *sim)
{
    return flx_wrapper_innermost(sim->sys);
}

flx_status flx_starter_create(flx_simulation *sim, bool again, struct flx_starter **out)
{
    struct flx_starter *st = *out = flx_alloc(sim->ctx, 1, sizeof *st);
    if (!st) return FLX_ERR_MEMORY;
    st->again = again;
    for (int k = 0; k < 2; k++) {
        st->held[k] = sim->plan->held[k];
        if (!again || !st->held[k] || !st->held[k]->ops->instance) continue;
        FLX_TRY(flx_system_instance(sim->plan->held[k], sim->ctx, &st->held[k]));
        st->owns = true;
    }
    return FLX_OK;
}

void flx_starter_destroy(struct flx_starter **starter)
{
    struct flx_starter *st = *starter;
    if (!st) return;
    flx_accelerator_destroy(&st->acc);
    if (st->work) st->of->ops->work_destroy(st->work);
    flx_projector_destroy(&st->judge);
    for (int k = 0; k < 2; k++) {
        flx_projector_destroy(&st->projector[k]);
        flx_state_destroy(&st->x[k]);
        if (st->owns) flx_system_destroy(&st->held[k]);
    }
    flx_state_destroy(&st->drawn);
    flx_free(st->balance);
    flx_free(st->parameters);
    flx_free(st);
    *starter = NULL;
}

// ---- rows left out -------------------------------------------------------------------------------

static flx_loc place_of(const flx_model *m, const char *item)
{
    for (int i = 0; item && i < m->njoint; i++) {
        if (strcmp(m->joints[i].name, item) == 0) return m->joints[i].loc;
    }
    return FLX_NOWHERE;
}

double flx_system_largest_scale(const flx_system *s)
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
flx_status flx_simulation_check_left_out(flx_simulation *sim, double *open)
{
    flx_residuals r;
    *open = 0.0;
    if (sim->plan->summary.redundant == 0) return FLX_OK;
    flx_simulation_residuals(sim, sim->start, &r);
    *open = r.dropped;
    double misfit = r.dropped / flx_system_largest_scale(sim->sys);
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

// ---- positions, velocities, switches ------------------------------------------------------------

// Whether a joint starts with a rate, or something with a velocity: what is deformable then begins without
// deforming, where it can.
static bool begins_moving(const flx_model *m)
{
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].start_rate) return true;
    }
    return false;
}

static flx_status find_velocities(flx_simulation *sim, const flx_state *drawn, flx_projector *p,
                                  flx_state *x)
{
    flx_rides rides = {0};
    flx_least_how how = {0};
    flx_given_row *given = NULL;
    if (sim->from) return flx_start_velocities_with(p, x, NULL, NULL);
    flx_status status = flx_descriptor_given(p->sys, drawn, x, &how.ngiven, &given);
    how.given = given;
    if (status == FLX_OK && begins_moving(sim->model)) {
        status = flx_descriptor_rides(p->sys, x, &rides);
        if (rides.n > 0) how.rides = &rides;
    }
    if (status == FLX_OK) status = flx_start_velocities_with(p, x, &how, NULL);
    flx_rides_clear(&rides);
    flx_free(given);
    return status;
}

// Positions or velocities of the start, with the starts of the joints held.
static flx_status close_held(flx_simulation *sim, const flx_state *drawn, int k)
{
    struct flx_starter *st = sim->starter;
    const flx_system *s = st->held[k] ? st->held[k] : base_of(sim);
    flx_projector **p = &st->projector[k];
    if (!st->x[k]) FLX_TRY(flx_state_create(s, &st->x[k]));
    if (!*p) {
        FLX_TRY(flx_projector_create(s, NULL, p));
        (*p)->keeps = st->again;
        (*p)->determined = st->again && sim->plan->determined;
    }
    flx_simulation_copy_motion(&s->dims, st->x[k], sim->start);
    flx_status status = k == 0 ? flx_start_positions_with(*p, st->x[k], NULL)
                               : find_velocities(sim, drawn, *p, st->x[k]);
    if (status == FLX_OK) flx_simulation_copy_motion(&s->dims, sim->start, st->x[k]);
    if (k == 1 && sim->making) sim->making->determined = (*p)->determined;
    return status;
}

// Branches as positions and velocities are now. Those of a state that was given stay, unless they contradict it: what is
// on its border has been decided.
static flx_status settle_switches(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    const flx_event_ops *k = s->ops->events;
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

// Errors of positions stand over the square of the step in unknowns of index 3. Methods whose last stage lies at the end of
// the step forget those of the step before; with error control, radau alone weighs them by that square.
static bool bears_high_index(const flx_integrator_def *def)
{
    const flx_integrator_type *const *t = flx_integrator_types();
    flx_coefficients c;
    while (*t && !(def->method && strcmp((*t)->name, def->method) == 0)) t++;
    const flx_integrator_type *type = *t;
    if (!type || !type->coefficients) return true; // `auto` takes one that does
    if (!(def->step > 0.0)) return strcmp(type->name, "radau") == 0;
    if (!type->coefficients(def, &c)) return true; // its maker refuses
    if (c.scheme != FLX_SCHEME_RUNGE_KUTTA) return c.scheme == FLX_SCHEME_STRUCTURAL;
    for (int j = 0; j < c.s; j++) {
        if (c.A[c.s - 1][j] != c.b[j]) return false;
    }
    return true;
}

// No method integrates algebraic unknowns of an index above 3, and not every one those of index 3.
static flx_status refuse_index(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    int index = 0, unknown = -1;
    if (s->dims.nw == 0) return FLX_OK;
    flx_work *work = s->ops->work_create(s);
    if (!work) return FLX_FAIL(sim->ctx, FLX_ERR_MEMORY, FLX_NOWHERE, "out of memory");
    flx_status status = flx_index_find(s, work, sim->start, &index, &unknown);
    s->ops->work_destroy(work);
    const flx_integrator_def *def = &sim->model->simulate.def;
    bool high = index == HIGH_INDEX && !bears_high_index(def);
    if (status != FLX_OK || (index <= MOST_INDEX && !high)) return status < 0 ? status : FLX_OK;
    flx_unknown u;
    s->ops->unknown(s, unknown, &u);
    if (high) {
        return FLX_FAIL(
            sim->ctx, FLX_ERR_CANNOT, u.loc,
            "the algebraic unknown '%s' has index 3: errors of positions stand in it over "
            "the square of the step, which method '%s' cannot bear%s; use radau",
            u.item ? u.item : "?", def->method, def->step > 0.0 ? "" : " with error control");
    }
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
    for (double d = SLOW_STEP; status > 0 && d < SLOW_LONGEST; d *= 10.0) {
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

// Whether projectors and accelerations have the numbers that s has now.
static bool is_made_for(const struct flx_starter *st, const flx_system *s)
{
    size_t n = (size_t)s->nparameter * sizeof *s->param;
    if (n == 0) return true;
    return st->parameters && memcmp(st->parameters, s->param + s->first_parameter, n) == 0;
}

// Masses that determined the accelerations must still do so: else what has none begins in balance, and goes on otherwise.
static flx_status accelerate_again(flx_simulation *sim, struct flx_starter *st)
{
    flx_status status = flx_accelerator_eval(st->acc, st->work, sim->start, NULL, NULL);
    if (status != FLX_SINGULAR) return status;
    flx_unknown u = {0};
    int worst = flx_accelerator_worst(st->acc);
    if (worst >= 0) sim->sys->ops->unknown(sim->sys, worst, &u);
    return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, u.loc,
                    "with these parameters the masses do not determine the acceleration of '%s' "
                    "(%s) any more: compile the model again",
                    u.item ? u.item : "?", u.part ? u.part : "?");
}

flx_status flx_simulation_start_recast(flx_simulation *sim)
{
    flx_quasistatic_forget_scales(sim->sys); // of another start
    if (sim->plan->reduction.n > 0) FLX_TRY(find_slow_start(sim));
    FLX_TRY(flx_quasistatic_measure(sim->sys, sim->start));
    struct flx_starter *st = sim->starter;
    if (st && st->again && !st->of) {
        st->of = sim->sys;
        FLX_TRY(flx_accelerator_create(sim->sys, &st->acc));
        flx_accelerator_insist(st->acc); // as the first start does
        st->work = sim->sys->ops->work_create(sim->sys);
    }
    if (!st || st->of != sim->sys || !st->acc || !st->work || !is_made_for(st, sim->sys))
        return flx_start_accelerations(sim->sys, sim->start);
    if (st->again && sim->plan->determined && sim->plan->reduction.n == 0)
        return accelerate_again(sim, st);
    return flx_start_accelerations_with(sim->sys, st->acc, st->work, sim->start);
}

// What neither mass nor damping holds, and what algebraic unknowns are to bring about, begins in balance. Where the
// masses determine the accelerations there is nothing of the kind.
static flx_status find_balance(flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    flx_accelerator *acc = NULL;
    flx_state *x = NULL;
    flx_work *work = NULL;
    struct flx_starter *st = sim->starter;
    if (sim->plan->reduction.n > 0) return FLX_OK; // the slow manifold is found otherwise
    if (st->again && !sim->plan->balances) return FLX_OK;
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
    if (!st->balance) st->balance = flx_alloc(sim->ctx, (size_t)s->dims.nv, sizeof *st->balance);
    if (!st->balance) status = FLX_ERR_MEMORY;
    if (status != FLX_OK) goto done;
    if (sim->making) sim->making->balances = true;
    s->ops->difference(s, sim->start->q, x->q, st->balance);
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
    } else if (a->own) {
        return flx_turning_find(sim, sim->sys, a->own, a->loc, sim->start, NULL);
    } else {
        FLX_TRY(flx_equilibrium_find(sim->sys, sim->start, NULL));
    }
    return flx_start_velocities(sim->sys, sim->start, NULL, NULL);
}

flx_status flx_simulation_begin(flx_simulation *sim, const flx_state *drawn,
                                const flx_state *closed)
{
    const flx_dims dims = base_of(sim)->dims;
    bool again = sim->starter->again;
    flx_simulation_copy_motion(&dims, sim->start, drawn);
    if (closed) {
        memcpy(sim->start->q, closed->q, (size_t)dims.nq * sizeof *closed->q);
    } else {
        FLX_TRY(close_held(sim, drawn, 0));
    }
    FLX_TRY(find_balance(sim));
    FLX_TRY(flx_balanced_find(sim, base_of(sim)));
    FLX_TRY(close_held(sim, drawn, 1));
    FLX_TRY(flx_simulation_settle_condensed(sim));
    FLX_TRY(settle_switches(sim));
    if (sim->model->simulate.given && !again) FLX_TRY(refuse_index(sim));
    if (sim->model->simulate.start >= 0 && !sim->from)
        FLX_TRY(find_rest(sim, sim->model->simulate.start));
    return flx_simulation_start_recast(sim);
}

const double *flx_simulation_balance(const flx_simulation *sim)
{
    return sim->starter ? sim->starter->balance : NULL;
}

// ---- again ----------------------------------------------------------------------------------------

static flx_status refuse_again(flx_simulation *sim, const char *item, const char *what)
{
    return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, place_of(sim->model, item),
                    "with these parameters '%s' %s: compile the model again", item ? item : "?",
                    what);
}

// A velocity that is any, moved to the nearest that meets the constraints: then those left out are met, too.
static flx_status check_dependence(flx_simulation *sim)
{
    const flx_system *s = base_of(sim);
    flx_projector **p = &sim->starter->judge;
    flx_work *work = sim->work;
    flx_state y = *sim->start;
    double gap, open;
    int worst;
    if (s->dims.nlam + s->dims.nmu == 0 || sim->plan->summary.singular > 0) return FLX_OK;
    if (!*p) FLX_TRY(flx_projector_create(s, NULL, p));
    (void)flx_wrapper_base(sim->sys, &work, &y);
    flx_state *at = (*p)->at;
    flx_simulation_copy_motion(&s->dims, at, &y);
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < s->dims.nv; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        at->v[i] += ((double)(seed >> 40) / (double)(1 << 24) - 0.5) * (*p)->scale[i];
    }
    FLX_TRY(flx_projector_gap(*p, at, FLX_ROWS_VELOCITY, &gap, &worst));
    FLX_TRY(flx_projector_correct(*p, FLX_ROWS_VELOCITY, 0.0, NULL));
    if (!(flx_saddle_pivot_ratio((*p)->saddle) > DEPENDENT)) {
        (void)flx_saddle_regularised((*p)->saddle, &worst);
        flx_unknown u = {0};
        if (worst >= 0) s->ops->unknown(s, worst, &u);
        return refuse_again(sim, u.item, "follows from the other constraints, which it did not");
    }
    if (sim->plan->summary.redundant == 0) return FLX_OK;
    for (int i = 0; i < s->dims.nv; i++) at->v[i] += (*p)->d[i];
    flx_residuals r;
    flx_descriptor_residuals(s, work, at, &r);
    double speed = 1.0, scale = flx_system_largest_scale(s);
    for (int i = 0; i < s->dims.nv; i++) speed = fmax(speed, fabs(at->v[i]));
    open = AGREES_ROUNDING * 1e2 + sim->plan->dropped_share / scale;
    if (r.velocity <= open * speed * fmax(scale, 1.0)) return FLX_OK;
    return refuse_again(sim, r.velocity_item,
                        "does not follow from the other constraints any more");
}

static flx_status check_again(flx_simulation *sim)
{
    double open, scale = flx_system_largest_scale(sim->sys);
    flx_residuals r;
    FLX_TRY(flx_simulation_check_left_out(sim, &open));
    if (sim->plan->summary.redundant > 0 &&
        !(open <= AGREES * sim->plan->dropped_open + AGREES_ROUNDING * scale)) {
        flx_simulation_residuals(sim, sim->start, &r);
        return refuse_again(sim, r.dropped_item,
                            "is not closed by the other constraints any more, from which it "
                            "followed");
    }
    return check_dependence(sim);
}

// In joint coordinates the start is made in those of bodies.
static void swap(flx_simulation *sim, flx_system **sys, flx_work **work, flx_state **start)
{
    flx_system *s = sim->sys;
    flx_work *w = sim->work;
    flx_state *x = sim->start;
    sim->sys = *sys;
    sim->work = *work;
    sim->start = *start;
    *sys = s;
    *work = w;
    *start = x;
}

// Other parameters have other numbers: scales, stiffnesses of rows.
static flx_status take_parameters(struct flx_starter *st, const flx_system *s)
{
    const double *p = s->param + s->first_parameter;
    size_t n = (size_t)s->nparameter;
    if (is_made_for(st, s)) return FLX_OK;
    if (!st->parameters) st->parameters = flx_alloc(s->ctx, n, sizeof *p);
    if (!st->parameters) return FLX_ERR_MEMORY;
    memcpy(st->parameters, p, n * sizeof *p);
    if (st->acc) flx_accelerator_renew(st->acc);
    if (st->judge) flx_projector_renew(st->judge);
    for (int k = 0; k < 2; k++) {
        if (st->projector[k]) flx_projector_renew(st->projector[k]);
    }
    return FLX_OK;
}

// What the start is sought from: nothing of the last one.
static void forget_start(const flx_dims *d, flx_state *x)
{
    memset(x->a, 0, (size_t)d->nv * sizeof *x->a);
    memset(x->dx, 0, (size_t)d->nx * sizeof *x->dx);
    memset(x->w, 0, (size_t)d->nw * sizeof *x->w);
    memset(x->lam, 0, (size_t)d->nlam * sizeof *x->lam);
    memset(x->mu, 0, (size_t)d->nmu * sizeof *x->mu);
}

static flx_status make_again(flx_simulation *sim)
{
    struct flx_starter *st = sim->starter;
    const flx_system *s = base_of(sim);
    for (int k = 0; k < 2; k++) {
        if (st->held[k]) FLX_TRY(flx_descriptor_attached(st->held[k], s));
    }
    FLX_TRY(take_parameters(st, s));
    if (!st->drawn) FLX_TRY(flx_state_create(s, &st->drawn));
    FLX_TRY(flx_descriptor_draw(s, st->drawn));
    forget_start(&sim->sys->dims, sim->start);
    FLX_TRY(flx_simulation_begin(sim, st->drawn, NULL));
    if (sim->sys->ops->accept) sim->sys->ops->accept(sim->sys, sim->work, sim->start);
    FLX_TRY(check_again(sim));
    if (sim->model->simulate.start >= 0) return FLX_OK;
    return flx_simulation_tell_changes(sim, st->drawn);
}

flx_status flx_simulation_start_again(flx_simulation *sim)
{
    flx_system *tree = sim->bodies;
    flx_work *work = sim->bodies_work;
    flx_state *start = sim->bodies_state;
    if (sim->plan->by_hand) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the system was not compiled from a model: its start is the caller's");
    }
    if (!sim->starter) FLX_TRY(flx_starter_create(sim, true, &sim->starter));
    if (!tree) return make_again(sim);
    sim->bodies = NULL;
    swap(sim, &tree, &work, &start);
    flx_status status = make_again(sim);
    swap(sim, &tree, &work, &start);
    sim->bodies = tree;
    return status == FLX_OK ? flx_simulation_change_form(sim) : status;
}
