// settled.c - states as they are shown, measured and put into the ledger: with the accelerations, algebraic unknowns
// and forces that belong to their positions and velocities (integrate/settle.h).
#include "integrate/method.h"
#include "integrate/settle.h"
#include "simulate/simulation_parts.h"

#include <string.h>

// What positions and velocities do not tell.
enum {
    SETTLES = FLX_QUANTITY_ACCELERATION | FLX_QUANTITY_STATE_RATE | FLX_QUANTITY_ALGEBRAIC |
              FLX_QUANTITY_FORCE
};

static bool reads(const flx_graph *g, flx_node node, unsigned quantities)
{
    flx_leaf *leaves = NULL;
    int n = 0;
    bool found = false;
    if (node < 0 || flx_graph_leaves(g, 1, &node, &n, &leaves) != FLX_OK) return node >= 0;
    for (int i = 0; i < n; i++) found = found || flx_leaf_is(leaves[i], quantities);
    flx_free(leaves);
    return found;
}

// Constraints that move do work, and masses that change with the speed. Found with the plan: runs leave the graph alone.
bool flx_equations_settle(const flx_model *m)
{
    for (int i = 0; i < m->nfirst; i++) {
        if (m->firsts[i].algebraic) return true;
    }
    for (int i = 0; i < m->nconstraint; i++) {
        const flx_constraint *c = m->constraints + i;
        if (c->velocity_level || reads(m->graph, c->value, FLX_QUANTITY_TIME)) return true;
    }
    for (int i = 0; i < m->nvariable; i++) {
        flx_node mass = m->variables[i].mass;
        if (reads(m->graph, mass, FLX_QUANTITY_VELOCITY | FLX_QUANTITY_STATE)) return true;
    }
    return false;
}

// Whether energies and dissipated powers, or expressions that the system evaluates, read more of a state than its motion.
static bool losses_settle(const flx_simulation *sim)
{
    const flx_system *s = sim->sys;
    const flx_dims *d = &s->dims;
    if (s->reads_multipliers == FLX_READS_FORCES || s->reads_multipliers == FLX_READS_INERTIA ||
        sim->plan->equations_settle || s->ops->contacts) {
        return true;
    }
    for (int i = flx_dims_first_constraint(d); i < flx_dims_unknowns(d); i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        if ((u.kind == FLX_UNKNOWN_CONSTRAINT ? u.C : u.E) != 0.0) return true;
    }
    return false;
}

// Whether all powers do: those of motions that are given are the work of their forces.
static bool powers_settle(const flx_simulation *sim)
{
    const flx_model *m = sim->model;
    if (losses_settle(sim)) return true;
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].motion != FLX_MOTION_NONE) return true;
    }
    return false;
}

// Whether signals do.
static bool signals_settle(flx_simulation *sim, const flx_signals *s)
{
    // joint coordinates leave forces of joints, and all that comes with them, to those of the bodies
    if (sim->bodies && !sim->reactions && s->of->reactions) return false;
    for (int i = 0; i < s->of->nleaf; i++) {
        flx_leaf leaf = s->of->leaves[i];
        const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
        if (flx_leaf_is(leaf, SETTLES) || (k->by_powers && sim->powers_settle)) return true;
    }
    return false;
}

static bool leaf_settles(void *user, flx_leaf leaf)
{
    const flx_simulation *sim = user;
    const flx_leaf_traits *k = flx_leaf_traits_of(flx_leaf_get_kind(leaf));
    return flx_leaf_is(leaf, SETTLES) || (k && k->by_powers && sim->powers_settle);
}

bool flx_simulation_probe_settles(flx_simulation *sim, int i)
{
    const flx_model *m = sim->model;
    return flx_graph_depends(m->graph, m->outputs.probes[i].node, leaf_settles, sim);
}

static flx_status settle(flx_simulation *sim, flx_integrator *it, flx_state *x)
{
    const flx_method *m = flx_method_of(it);
    double h = m->stepped ? m->after->t - m->before->t : 0.0;
    flx_status status = flx_settle(sim->settler, sim->work, x, h);
    if (status <= 0) return status;
    if (!sim->warned_unsettled) {
        flx_ctx_warn(
            sim->ctx, FLX_NOWHERE,
            "at t = %.6g accelerations and forces of joints do not follow from positions and "
            "velocities (%s): those shown there are the method's own, whose errors nothing "
            "controls",
            x->t, flx_status_text(status));
    }
    sim->warned_unsettled = true;
    return FLX_OK;
}

// Methods that find all of it with their steps; but not accelerations of links without inertia, whose momenta are none.
static bool method_settles(const flx_simulation *sim, const flx_integrator *it)
{
    const flx_explicit *form = sim->sys->ops->explicit_form;
    return it->type->settled && !(form && form->fill);
}

// Contacts that are met step by step are no rows: what settles without them lacks their forces, so that those of the run are
// shown, which the steps found with them.
static bool steps_settle(const flx_simulation *sim, const flx_integrator *it)
{
    return sim->sys->ops->touches && it->type->meets_touches;
}

// With the start, so that all memory is taken before the first step.
flx_status flx_simulation_prepare_settling(flx_simulation *sim, const flx_integrator *it)
{
    flx_settler_destroy(&sim->settler);
    flx_state_destroy(&sim->settled);
    sim->settled_of = NULL;
    sim->powers_settle = powers_settle(sim);
    sim->losses_settle = losses_settle(sim) || sim->sys->dims.nx + sim->sys->dims.nw > 0;
    sim->columns.settles = signals_settle(sim, &sim->columns);
    sim->probes.settles = signals_settle(sim, &sim->probes);
    sim->courses_settle = (sim->powered && sim->powers_settle) || sim->probes.settles;
    if (!sim->it || (it && method_settles(sim, it)))
        return FLX_OK; // the errors of steps need it, too
    FLX_TRY(flx_settler_create(sim->sys, sim->work, sim->start, sim->plan->form_settles,
                               &sim->settler));
    if (sim->making) sim->making->form_settles = flx_settler_by_form(sim->settler);
    if (flx_settler_by_limits(
            sim->settler)) { // as dear as the steps: powers are left to the method
        sim->powers_settle = false;
        sim->courses_settle = sim->probes.settles;
    }
    return flx_state_create(sim->sys, &sim->settled);
}

flx_status flx_simulation_settle_anew(flx_simulation *sim)
{
    if (!sim->settler || !flx_settler_remembers(sim->settler)) return FLX_OK;
    flx_settler *now;
    FLX_TRY(flx_settler_create(sim->sys, sim->work, sim->start, sim->plan->form_settles, &now));
    flx_settler_destroy(&sim->settler);
    sim->settler = now;
    sim->settled_of = NULL;
    return FLX_OK;
}

// Of a trial step what presses: forces at the start as they are in the step after it.
static void take_contacts(const flx_system *s, const flx_state *y, flx_state *x)
{
    const flx_touches *t = s->ops->touches;
    bool presses = false, hits = false;
    for (int i = 0; i < t->count(s); i++) {
        int at = t->tally(s, i);
        presses = presses || y->switches[at + FLX_TOUCH_VALUE] > 0.0;
        hits = hits || y->switches[at + FLX_TOUCH_COUNT] > x->switches[at + FLX_TOUCH_COUNT];
    }
    if (!presses || hits) return;
    for (int i = 0; i < t->count(s); i++) {
        int at = t->tally(s, i);
        memcpy(x->switches + at, y->switches + at, FLX_TOUCH_IMPULSE * sizeof *x->switches);
    }
    memcpy(x->a, y->a, (size_t)s->dims.nv * sizeof *x->a);
    memcpy(x->lam, y->lam, (size_t)s->dims.nlam * sizeof *x->lam);
    memcpy(x->mu, y->mu, (size_t)s->dims.nmu * sizeof *x->mu);
}

flx_status flx_simulation_settle_start(flx_simulation *sim, flx_state *x)
{
    const flx_system *s = sim->sys;
    if (!steps_settle(sim, sim->it)) return FLX_OK;
    int errors = flx_ctx_error_count(sim->ctx), warnings = flx_ctx_warning_count(sim->ctx);
    flx_integrator *it = NULL;
    flx_state *y = NULL;
    flx_status status = flx_state_create(s, &y);
    if (status == FLX_OK) status = flx_integrator_create(s, &sim->it->def, &it);
    if (status == FLX_OK) {
        flx_state_copy(y, x);
        status = flx_integrator_step(it, y, sim->it->def.step, NULL);
    }
    if (status == FLX_OK) take_contacts(s, y, x);
    flx_integrator_destroy(&it);
    flx_state_destroy(&y);
    if (status == FLX_ERR_MEMORY) return status;
    flx_ctx_forget_errors(sim->ctx, errors); // the run will say it
    flx_ctx_forget_warnings(sim->ctx, warnings);
    return FLX_OK;
}

void flx_simulation_forget_settled(flx_simulation *sim)
{
    sim->settled_of = NULL;
}

flx_status flx_simulation_settle(flx_simulation *sim, flx_integrator *it, const flx_state **x)
{
    if (!sim->settler || method_settles(sim, it) || steps_settle(sim, it)) return FLX_OK;
    if (sim->settled_of != *x) {
        flx_state_copy(sim->settled, *x);
        sim->settled_of = NULL;
        FLX_TRY(settle(sim, it, sim->settled));
        sim->settled_of = *x;
    }
    *x = sim->settled;
    return FLX_OK;
}

flx_status flx_simulation_settle_here(flx_simulation *sim, flx_state *x)
{
    return sim->settler && !steps_settle(sim, sim->it) ? settle(sim, sim->it, x) : FLX_OK;
}
