// signals.c - values of the model's expressions at a state.
#include "simulate/simulation_parts.h"

flx_status flx_formulas_create(const flx_graph *graph, int n, const flx_node *nodes,
                               flx_formulas *f)
{
    *f = (flx_formulas){.nnode = n};
    FLX_TRY(flx_graph_leaves(graph, n, nodes, &f->nleaf, &f->leaves));
    FLX_TRY(flx_program_compile(graph, f->nleaf, f->leaves, n, nodes, &f->program));
    for (int i = 0; i < f->nleaf; i++) {
        f->reactions = f->reactions || flx_leaf_is(f->leaves[i], FLX_QUANTITY_FORCE);
    }
    return FLX_OK;
}

void flx_formulas_clear(flx_formulas *f)
{
    flx_program_destroy(&f->program);
    flx_free(f->leaves);
    *f = (flx_formulas){0};
}

flx_status flx_signals_create(flx_ctx *ctx, const flx_formulas *of, flx_signals *s)
{
    *s = (flx_signals){.of = of};
    s->in = flx_alloc(ctx, (size_t)of->nleaf, sizeof *s->in);
    s->scratch = flx_alloc(ctx, (size_t)flx_program_scratch(of->program), sizeof *s->scratch);
    s->out = flx_alloc(ctx, (size_t)of->nnode, sizeof *s->out);
    return s->in && s->scratch && s->out ? FLX_OK : FLX_ERR_MEMORY;
}

void flx_signals_clear(flx_signals *s)
{
    flx_free(s->in);
    flx_free(s->scratch);
    flx_free(s->out);
    *s = (flx_signals){0};
}

// Forces of rows that hold or not, which both systems have.
static void carry_contacts(const flx_system *tree, const flx_state *x, const flx_system *b,
                           flx_state *to)
{
    for (int i = 0; tree->ops->contacts && i < tree->ops->contacts->count(tree); i++) {
        flx_contact_group g, h;
        tree->ops->contacts->group(tree, i, &g);
        b->ops->contacts->group(b, i, &h);
        if (g.normal >= 0) to->lam[h.normal] = x->lam[g.normal];
        for (int k = 0; k < g.ntangent; k++) to->mu[h.tangent[k]] = x->mu[g.tangent[k]];
    }
}

// The state in coordinates of bodies; with the forces of all joints where they are asked for, which
// joint coordinates do not know.
static flx_status carry(flx_simulation *sim, const flx_state *x, bool reactions)
{
    const flx_system *b = sim->bodies;
    flx_state *to = sim->bodies_state;
    flx_work *work = sim->work;
    flx_state y = *x;
    const flx_system *tree = flx_wrapper_base(sim->sys, &work, &y);
    flx_layer_add(sim, tree, &y);
    bool by_motion = reactions && sim->reactions;
    double *a = y.a;
    if (by_motion) FLX_TRY(flx_reactions_accelerate(sim, tree, work, &y));
    flx_tree_to_bodies(tree, work, &y, to);
    if (by_motion) {
        FLX_TRY(flx_reactions_find(sim, to));
        y.a = a; // what has no mass moves as well
        flx_tree_to_bodies(tree, work, &y, to);
        return FLX_OK;
    }
    carry_contacts(tree, &y, b, to);
    if (!reactions) return FLX_OK;
    if (tree != sim->sys) {
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, sim->model->reduce_loc,
                        "forces of joints are not known in joint coordinates where inertia is "
                        "changed: leave out `formulation: tree`, or these signals");
    }
    const flx_explicit *form = b->ops->explicit_form;
    double *z = sim->bodies_z;
    form->pack(b, to, z);
    return form->rate(b, sim->bodies_work, x->t, z, to, z + form->size(b));
}

flx_status flx_simulation_observe(flx_simulation *sim, const flx_state *x, bool reactions, int n,
                                  const flx_leaf *leaves, double *out)
{
    if (sim->plan->by_hand) return FLX_OK;
    if (!sim->bodies) {
        flx_work *work = sim->work;
        flx_state y = *x;
        const flx_system *base = flx_wrapper_base(sim->sys, &work, &y);
        flx_layer_add(sim, base, &y);
        return flx_descriptor_observe(base, work, &y, n, leaves, out);
    }
    FLX_TRY(carry(sim, x, reactions));
    return flx_descriptor_observe(sim->bodies, sim->bodies_work, sim->bodies_state, n, leaves, out);
}

void flx_simulation_residuals(flx_simulation *sim, const flx_state *x, flx_residuals *out)
{
    *out = (flx_residuals){0};
    if (sim->plan->by_hand) return;
    if (!sim->bodies) {
        flx_work *work = sim->work;
        flx_state y = *x;
        const flx_system *base = flx_wrapper_base(sim->sys, &work, &y);
        flx_descriptor_residuals(base, work, &y, out);
        return;
    }
    (void)carry(sim, x, false);
    flx_descriptor_residuals(sim->bodies, sim->bodies_work, sim->bodies_state, out);
}

const char *flx_simulation_impact(flx_simulation *sim, int i, flx_impact_forecast *out)
{
    flx_impact_forecast unasked;
    if (!sim) return NULL;
    if (!out) out = &unasked;
    flx_contact_forecast f = {0};
    *out = (flx_impact_forecast){0};
    if (i < 0 || i >= sim->model->ncontact) return NULL;
    if (sim->plan->by_hand || !sim->start) return sim->model->contacts[i].name;
    if (!sim->bodies) {
        flx_work *work = sim->work;
        flx_state y = *sim->start;
        const flx_system *base = flx_wrapper_base(sim->sys, &work, &y);
        flx_descriptor_forecast(base, work, &y, i, &f);
    } else if (carry(sim, sim->start, false) == FLX_OK) {
        flx_descriptor_forecast(sim->bodies, sim->bodies_work, sim->bodies_state, i, &f);
    }
    double h = sim->model->simulate.def.step;
    *out = (flx_impact_forecast){f.speed, f.lasts, h > 0.0 ? f.lasts / h : 0.0, f.frequency};
    return sim->model->contacts[i].name;
}

static bool has_mixed_forces(const flx_model *m)
{
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].mixed) return true;
    }
    return false;
}

// Where inertia is changed, the kinetic energy is that of the system that runs; and so is what mixed forces store, which
// joint coordinates have as unknowns of their own.
static flx_status take_energies(flx_signals *s, flx_simulation *sim, const flx_state *x)
{
    const flx_system *sys = sim->sys;
    flx_energies e = {0};
    bool known = false, changed = flx_wrapper_is(sys);
    bool stored = sim->bodies && has_mixed_forces(sim->model);
    if (!(changed || stored) || !sys->ops->energy) return FLX_OK;
    for (int i = 0; i < s->of->nleaf; i++) {
        int c = flx_leaf_get_component(s->of->leaves[i]);
        bool taken = c == FLX_ENERGY_TOTAL || (changed && c == FLX_ENERGY_KINETIC) ||
                     (stored && c == FLX_ENERGY_STRAIN);
        if (flx_leaf_get_kind(s->of->leaves[i]) != FLX_LEAF_ENERGY || !taken) continue;
        flx_point p = flx_state_point(sys, x);
        if (!known) FLX_TRY(sys->ops->energy(sys, sim->work, &p, &e));
        known = true;
        s->in[i] = c == FLX_ENERGY_KINETIC  ? e.kinetic
                   : c == FLX_ENERGY_STRAIN ? e.strain
                                            : e.kinetic + e.potential + e.strain;
    }
    return FLX_OK;
}

flx_status flx_signals_eval(flx_signals *s, flx_simulation *sim, const flx_state *x,
                            double dissipated)
{
    FLX_TRY(flx_simulation_observe(sim, x, s->of->reactions, s->of->nleaf, s->of->leaves, s->in));
    FLX_TRY(take_energies(s, sim, x));
    for (int i = 0; i < s->of->nleaf; i++) {
        if (s->of->leaves[i] == flx_leaf_make(FLX_LEAF_ENERGY, 0, FLX_ENERGY_DISSIPATED))
            s->in[i] = dissipated;
        if (flx_leaf_get_kind(s->of->leaves[i]) == FLX_LEAF_MODES) {
            const double *found = sim->findings[flx_leaf_get_index(s->of->leaves[i])];
            s->in[i] = found ? found[flx_leaf_get_component(s->of->leaves[i])] : (double)NAN;
        }
    }
    flx_program_eval(s->of->program, s->in, s->scratch, s->out);
    return FLX_OK;
}

flx_status flx_signals_eval_in(flx_signals *s, flx_simulation *sim, const flx_system *sys,
                               const flx_state *x)
{
    if (sys == sim->sys) return flx_signals_eval(s, sim, x, 0.0);
    FLX_TRY(flx_descriptor_observe(sim->bodies, sim->bodies_work, x, s->of->nleaf, s->of->leaves,
                                   s->in));
    flx_program_eval(s->of->program, s->in, s->scratch, s->out);
    return FLX_OK;
}

// ---- plan ---------------------------------------------------------------------------------------

// What is shown, the single measures behind the others, and the measures over these: programs and names.
static flx_status plan_columns(flx_simulation *sim)
{
    const flx_outputs *o = &sim->model->outputs;
    size_t n = (size_t)o->ncolumn;
    flx_node *nodes = flx_arena_take(sim->arena, n, sizeof *nodes);
    const char **names = flx_arena_take(sim->arena, n, sizeof *names);
    const char **units = flx_arena_take(sim->arena, n, sizeof *units);
    if (!nodes || !names || !units) return FLX_ERR_MEMORY;
    for (int i = 0; i < o->ncolumn; i++) {
        nodes[i] = o->columns[i].node;
        names[i] = o->columns[i].name;
        units[i] = o->columns[i].unit ? o->columns[i].unit : "";
    }
    sim->info.ncolumn = o->ncolumn;
    sim->info.names = names;
    sim->info.units = units;
    return flx_formulas_create(sim->model->graph, o->ncolumn, nodes, &sim->making->columns);
}

static flx_status plan_probes(flx_simulation *sim)
{
    const flx_outputs *o = &sim->model->outputs;
    flx_node *nodes = flx_arena_take(sim->arena, (size_t)o->nprobe, sizeof *nodes);
    if (!nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < o->nprobe; i++) nodes[i] = o->probes[i].node;
    return flx_formulas_create(sim->model->graph, o->nprobe, nodes, &sim->making->probes);
}

static flx_status plan_measures(flx_simulation *sim)
{
    const flx_outputs *o = &sim->model->outputs;
    flx_node *nodes = flx_arena_take(sim->arena, (size_t)o->nmetric, sizeof *nodes);
    const flx_model *m = sim->model;
    int nleaf = o->nprobe + m->ntunable; // parameters behind single measures
    flx_leaf *leaves = flx_arena_take(sim->arena, (size_t)nleaf, sizeof *leaves);
    const char **names = flx_arena_take(sim->arena, (size_t)o->nmetric, sizeof *names);
    if (!nodes || !leaves || !names) return FLX_ERR_MEMORY;
    for (int i = 0; i < o->nmetric; i++) {
        nodes[i] = o->metrics[i].value;
        names[i] = o->metrics[i].name;
    }
    for (int i = 0; i < o->nprobe; i++) leaves[i] = flx_leaf_make(FLX_LEAF_MEASURE, i, 0);
    for (int k = 0; k < m->ntunable; k++) leaves[o->nprobe + k] = m->tunables[k].leaf;
    sim->info.nmetric = o->nmetric;
    sim->info.metrics = names;
    return flx_program_compile(m->graph, nleaf, leaves, o->nmetric, nodes,
                               &sim->making->measure_program);
}

static flx_status plan_events(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    const char **names = flx_arena_take(sim->arena, (size_t)m->nevent, sizeof *names);
    if (!names) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nevent; i++) names[i] = m->events[i].name;
    sim->info.nevent = m->nevent;
    sim->info.events = names;
    return FLX_OK;
}

flx_status flx_signals_plan(flx_simulation *sim)
{
    FLX_TRY(plan_columns(sim));
    FLX_TRY(plan_probes(sim));
    FLX_TRY(plan_measures(sim));
    return plan_events(sim);
}
