// simulation.c - a model made ready to run: its system and start, its signals, its method.
#include "base/number.h"
#include "base/refuse.h"
#include "force/force_kind.h"
#include "integrate/events/events.h"
#include "integrate/settle.h"
#include "math/blas.h"
#include "simulate/exchange/exchange.h"
#include "simulate/exchange/fmu_steps.h"
#include "simulate/simulation_parts.h"
#include "simulate/unseen/unseen.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- what the language has and the program not yet ----------------------------------------------

static flx_status refuse_unavailable(const flx_model *m)
{
    flx_status status = FLX_OK;
    for (int i = 0; i < m->nunavailable; i++) {
        const flx_unavailable *u = m->unavailable + i;
        status = FLX_FAIL(m->ctx, FLX_ERR_UNAVAILABLE, u->loc, "not supported yet: %s%s%s", u->what,
                          u->instead[0] ? "; until then, " : "", u->instead);
    }
    return status;
}

// ---- signals ------------------------------------------------------------------------------------

// All of them, of one run.
static flx_status create_signals(flx_simulation *sim)
{
    const flx_plan *p = sim->plan;
    const flx_outputs *o = &sim->model->outputs;
    size_t scratch = (size_t)flx_program_scratch(p->measure_program);
    FLX_TRY(flx_signals_create(sim->ctx, &p->columns, &sim->columns));
    FLX_TRY(flx_signals_create(sim->ctx, &p->probes, &sim->probes));
    FLX_TRY(flx_signals_create(sim->ctx, &p->bounds, &sim->bounds));
    sim->probe_values = flx_alloc(sim->ctx, (size_t)o->nprobe, sizeof *sim->probe_values);
    size_t in = (size_t)o->nprobe + (size_t)sim->model->ntunable;
    sim->measure_in = flx_alloc(sim->ctx, in, sizeof *sim->measure_in);
    sim->measure_scratch = flx_alloc(sim->ctx, scratch, sizeof *sim->measure_scratch);
    sim->metrics = flx_alloc(sim->ctx, (size_t)o->nmetric, sizeof *sim->metrics);
    sim->events = flx_alloc(sim->ctx, (size_t)sim->model->nevent, sizeof *sim->events);
    sim->columns_before = flx_alloc(sim->ctx, (size_t)o->ncolumn, sizeof *sim->columns_before);
    bool made = sim->probe_values && sim->measure_in && sim->measure_scratch && sim->metrics;
    return made && sim->events && sim->columns_before ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- method -------------------------------------------------------------------------------------

static const char *const formulation_words[] = {
    [FLX_FORMULATION_AUTO] = "auto",
    [FLX_FORMULATION_INDEX3] = "index-3",
    [FLX_FORMULATION_GGL] = "ggl",
    [FLX_FORMULATION_INDEX1] = "index-1",
};

// What the method would refuse, told at the place in the model.
static flx_status check_method(const flx_simulation *sim)
{
    const flx_simulate *s = &sim->model->simulate;
    for (const flx_integrator_type *const *t = flx_integrator_types(); *t; t++) {
        if (strcmp((*t)->name, sim->def.method) != 0) continue;
        if (sim->def.step > 0.0 && !(*t)->fixed) {
            return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, s->method_loc,
                            "method '%s' chooses its own steps: give rtol and atol instead of step",
                            (*t)->name);
        }
        if (!(sim->def.step > 0.0) && !(*t)->adaptive) {
            return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, s->method_loc,
                            "method '%s' has no error control: give it a step", (*t)->name);
        }
    }
    return FLX_OK;
}

static flx_status describe_method(flx_simulation *sim)
{
    const flx_integrator_def *d = &sim->it->def;
    char text[160];
    int n = d->step > 0.0
                ? flx_snprintf(text, sizeof text, "step %.6g", d->step)
                : flx_snprintf(text, sizeof text, "rtol %.3g, atol %.3g", d->rtol, d->atol);
    if (d->stages > 0)
        n += flx_snprintf(text + n, sizeof text - (size_t)n, ", %d stages", d->stages);
    if (d->spectral_radius >= 0.0) {
        flx_snprintf(text + n, sizeof text - (size_t)n, ", spectral radius %.4g",
                     d->spectral_radius);
    }
    sim->info.method = sim->it->type->name;
    sim->info.formulation = sim->bodies ? "tree" : formulation_words[d->formulation];
    sim->info.settings = flx_arena_copy(sim->arena, text, strlen(text));
    return sim->info.settings ? FLX_OK : FLX_ERR_MEMORY;
}

flx_status flx_simulation_create_method(flx_simulation *sim)
{
    flx_integrator_destroy(&sim->it);
    FLX_TRY(flx_integrator_create(sim->sys, &sim->def, &sim->it));
    flx_method_of(sim->it)->within = sim->from != NULL;
    if (sim->model->ninput > 0) FLX_TRY(flx_events_expect_jumps(sim->it));
    flx_exchange_attach(sim);
    FLX_TRY(flx_unseen_create(sim));
    sim->used = false;
    return describe_method(sim);
}

static flx_status choose_method(flx_simulation *sim)
{
    const flx_simulate *s = &sim->model->simulate;
    sim->info.method = sim->info.formulation = sim->info.settings = "none";
    if (!s->given) return FLX_OK;
    sim->until = s->until;
    sim->def = s->def;
    if (s->method) sim->def.method = s->method;
    if (!sim->def.method) sim->def.method = "auto";
    sim->making->chosen = strcmp(sim->def.method, "auto") == 0;
    if (sim->making->chosen) return flx_simulation_choose_method(sim);
    FLX_TRY(check_method(sim));
    sim->info.reason = sim->plan->form_reason;
    return flx_simulation_create_method(sim);
}

// ---- account ------------------------------------------------------------------------------------

bool flx_simulation_is_powered(const flx_simulation *sim)
{
    const flx_model *m = sim->model;
    if (sim->plan->by_hand) return true; // nothing is known
    for (int i = 0; i < m->njoint; i++) {
        if (m->joints[i].motion != FLX_MOTION_NONE) return true;
    }
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = &m->forces[i];
        bool damps = false;
        for (int k = 0; k < 6; k++) damps = damps || f->damping[k] != 0.0 || f->damping_open[k];
        if (damps || !f->kind->potential) return true;
    }
    for (int i = 0; i < m->nbeam; i++) {
        if (m->beams[i].damped) return true;
    }
    for (int i = 0; i < m->nsolid; i++) {
        if (m->solids[i].rayleigh[0] > 0 || m->solids[i].rayleigh[1] > 0) return true;
    }
    for (int i = 0; i < m->nstop; i++) {
        if (m->stops[i].damping != 0.0 || m->stops[i].damping_open) return true;
    }
    return m->nfriction > 0 || m->nvariable > 0 || m->nconstraint > 0;
}

static bool is_multistep(const flx_integrator *it)
{
    flx_coefficients c = {0};
    bool known = it && it->type->coefficients && it->type->coefficients(&it->def, &c);
    return known && c.scheme == FLX_SCHEME_MULTISTEP;
}

// Places inside a step: many are good for long steps of high order, and for extremes; but each of them has its price
// where accelerations have to be found there.
static int inner_places(const flx_simulation *sim)
{
    const flx_integrator_def *d = &sim->it->def;
    bool low = d->step > 0.0 && d->stages <= 3 && d->degree <= 3;
    return sim->settler && low && sim->model->outputs.nprobe == 0 ? 2 : FLX_LOBATTO_INNER;
}

static bool reads_dissipated(const flx_formulas *f)
{
    for (int i = 0; i < f->nleaf; i++) {
        if (f->leaves[i] == flx_leaf_make(FLX_LEAF_ENERGY, 0, FLX_ENERGY_DISSIPATED)) return true;
    }
    return false;
}

static flx_status create_account(flx_simulation *sim)
{
    int nprobe = sim->model->outputs.nprobe, n = 2 + 2 * nprobe;
    bool multistep = is_multistep(sim->it), dense = sim->it && sim->it->type->interpolate;
    sim->shows_dissipated = reads_dissipated(&sim->plan->columns);
    sim->measures_dissipated = reads_dissipated(&sim->plan->probes);
    bool asked = !sim->no_ledger || sim->shows_dissipated || sim->measures_dissipated;
    sim->powered = sim->powers = asked && sim->sys->ops->energy && flx_simulation_is_powered(sim);
    sim->course_value = flx_alloc(sim->ctx, (size_t)n, sizeof *sim->course_value);
    sim->course_sum = flx_alloc(sim->ctx, (size_t)n, sizeof *sim->course_sum);
    sim->course_inner =
        flx_alloc(sim->ctx, (size_t)n * FLX_LOBATTO_INNER, sizeof *sim->course_inner);
    if (!sim->course_value || !sim->course_sum || !sim->course_inner) return FLX_ERR_MEMORY;
    // steps of multistep methods are short: their ends say enough, unless extremes are asked for
    if (multistep && nprobe == 0) dense = false;
    FLX_TRY(flx_judge_create(sim));
    FLX_TRY(flx_simulation_prepare_settling(sim, sim->it));
    if (nprobe > 0) {
        flx_method *m = sim->it ? flx_method_of(sim->it) : NULL;
        if (m && m->prepare_normals) FLX_TRY(m->prepare_normals(sim->it));
        size_t room = flx_course_room(n, nprobe, FLX_LOBATTO_INNER) + (size_t)n;
        sim->course_parts = flx_alloc(sim->ctx, room, sizeof *sim->course_parts);
        if (!sim->course_parts) return FLX_ERR_MEMORY;
    }
    return flx_quadrature_create(sim->ctx, n, dense ? inner_places(sim) : 0,
                                 multistep ? FLX_QUADRATURE_PAST : 3, &sim->course);
}

// ---- create -------------------------------------------------------------------------------------

static flx_status plan_full(flx_simulation *sim);

static flx_status create_states(flx_simulation *sim)
{
    FLX_TRY(flx_state_create(sim->sys, &sim->state));
    FLX_TRY(flx_state_create(sim->sys, &sim->inner));
    flx_state_copy(sim->state, sim->start);
    return FLX_OK;
}

static flx_status plan_outputs(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    sim->info = (flx_result_info){
        .title = m->title ? m->title : "",
        .model_path = m->path,
        .model_text = m->text,
        .version = flx_version(),
    };
    sim->making->equations_settle = flx_equations_settle(m);
    FLX_TRY(flx_signals_plan(sim));
    return flx_bounds_plan(sim);
}

// What the plan keeps of the simulation that made it.
static void finish_plan(flx_simulation *sim)
{
    flx_plan *p = sim->making;
    sim->owns = false;
    p->sys = sim->sys;
    p->bodies = sim->bodies;
    p->def = sim->def;
    p->until = sim->until;
    p->info = sim->info;
    p->findings = sim->findings;
    p->reactions = sim->reactions != NULL;
}

static flx_status make(flx_simulation *sim)
{
    FLX_TRY(flx_simulation_prepare(sim, true));
    FLX_TRY(create_states(sim));
    FLX_TRY(plan_outputs(sim));
    FLX_TRY(create_signals(sim));
    flx_simulation_tell_not_unique(sim);
    FLX_TRY(flx_simulation_find_signals(sim));
    FLX_TRY(choose_method(sim));
    flx_simulation_tell_corners(sim);
    finish_plan(sim);
    FLX_TRY(plan_full(sim));
    return create_account(sim);
}

static flx_status create(const flx_model *model, flx_simulation **out)
{
    *out = NULL;
    if (!flx_blas_reserve())
        return FLX_FAIL(model->ctx, FLX_ERR_MEMORY, FLX_NOWHERE,
                        "out of memory: OpenBLAS needs 128 MiB for itself");
    flx_simulation *sim = flx_alloc(model->ctx, 1, sizeof *sim);
    if (!sim) return FLX_ERR_MEMORY;
    *out = sim;
    sim->model = model;
    sim->ctx = model->ctx;
    sim->owns = true;
    sim->info.method = sim->info.formulation = sim->info.settings = "none";
    sim->plan = sim->making = flx_alloc(sim->ctx, 1, sizeof *sim->making);
    sim->arena = flx_arena_create(sim->ctx);
    if (!sim->making || !sim->arena) return FLX_ERR_MEMORY;
    sim->making->arena = sim->arena;
    FLX_TRY(flx_model_share(model, &sim->making->core));
    // the user may change a model, and what a simulation is made of stays
    sim->model = sim->making->model = flx_model_is_handle(model) ? sim->making->core : model;
    return flx_model_refuse_unbound(sim->model);
}

static flx_status create_to_run(const flx_model *model, bool choose_form,
                                const flx_given_state *from, flx_simulation **sim)
{
    *sim = NULL;
    FLX_TRY(flx_model_settle(model, true));
    FLX_TRY(refuse_unavailable(model));
    if (model->nbody + model->nvariable + model->nfirst == 0) {
        return FLX_FAIL(model->ctx, FLX_ERR_MODEL, model->fe.loc,
                        "the model has finite elements alone, and nothing that moves: 'flexion fe' "
                        "computes them");
    }
    flx_status status = create(model, sim);
    if (status == FLX_OK) (*sim)->making->choose_form = choose_form;
    if (status == FLX_OK) (*sim)->from = from;
    if (status == FLX_OK) status = make(*sim);
    if (status == FLX_OK) (*sim)->from = NULL; // it is the caller's
    if (status != FLX_OK) flx_simulation_destroy(sim);
    return status;
}

flx_status flx_simulation_create(const flx_model *model, flx_simulation **sim)
{
    if (!model || !sim) return flx_refuse_null(NULL, __func__);
    return create_to_run(model, true, NULL, sim);
}

flx_status flx_simulation_create_as_it_is(const flx_model *model, flx_simulation **sim)
{
    return create_to_run(model, false, NULL, sim);
}

flx_status flx_simulation_create_at(const flx_model *model, const flx_given_state *from,
                                    flx_simulation **sim)
{
    return create_to_run(model, true, from, sim);
}

// What only a run needs, or many of them.
static bool is_of_runs(const char *what)
{
    static const char *const words[] = {"optimise"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        if (strncmp(what, words[k], strlen(words[k])) == 0) return true;
    }
    return false;
}

flx_status flx_simulation_create_unsettled(const flx_model *model, flx_simulation **sim)
{
    *sim = NULL;
    FLX_TRY(flx_model_refresh(model));
    for (int i = 0; i < model->nunavailable; i++) {
        if (!is_of_runs(model->unavailable[i].what)) return refuse_unavailable(model);
    }
    flx_status status = create(model, sim);
    if (status == FLX_OK) (*sim)->making->to_analyse = true;
    if (status == FLX_OK) status = make(*sim);
    if (status != FLX_OK) flx_simulation_destroy(sim);
    return status;
}

flx_status flx_simulation_create_to_analyse(const flx_model *model, flx_simulation **sim)
{
    if (!model || !sim) return flx_refuse_null(NULL, __func__);
    *sim = NULL;
    FLX_TRY(flx_model_settle(model, false));
    return flx_simulation_create_unsettled(model, sim);
}

// Bodies, joints and equations decide what moves; all else is what is done with it.
static bool has_whole_mechanism(const flx_model *m)
{
    static const char *const needed[] = {"bodies", "joints", "equations", "parts", "models"};
    for (int i = 0; i < m->nunavailable; i++) {
        for (size_t k = 0; k < sizeof needed / sizeof needed[0]; k++) {
            if (strncmp(m->unavailable[i].what, needed[k], strlen(needed[k])) == 0) return false;
        }
    }
    return true;
}

flx_status flx_simulation_examine(const flx_model *model, flx_simulation **sim)
{
    if (!model || !sim) return flx_refuse_null(NULL, __func__);
    *sim = NULL;
    FLX_TRY(flx_model_refresh(model));
    if (!has_whole_mechanism(model)) return FLX_ERR_UNAVAILABLE;
    flx_status status = create(model, sim);
    if (status == FLX_OK) status = flx_simulation_prepare(*sim, false);
    if (status != FLX_OK) flx_simulation_destroy(sim);
    return status;
}

// The full system is made with the reduced one, for a run that goes back to it does so while it lasts.
static flx_status plan_full(flx_simulation *sim)
{
    flx_plan *p = sim->making;
    flx_simulation *full = NULL;
    if (!sim->model->reduce_else_full || p->reduction.n == 0) return FLX_OK;
    int told = flx_ctx_warning_count(sim->ctx);
    p->full_model = flx_alloc(sim->ctx, 1, sizeof *p->full_model);
    if (!p->full_model) return FLX_ERR_MEMORY;
    flx_status status = flx_simulation_create_full(sim->model, p->full_model, &full);
    if (status == FLX_OK) p->full = flx_simulation_take_plan(full);
    flx_simulation_destroy(&full);
    flx_ctx_forget_warnings(sim->ctx, told); // the reduced model tells them
    return status;
}

void flx_plan_destroy(flx_plan **plan)
{
    flx_plan *p = *plan;
    *plan = NULL;
    if (!p || atomic_fetch_sub(&p->holders, 1) > 0) return; // others hold it
    flx_plan_destroy(&p->full);
    flx_free(p->full_model);
    flx_formulas_clear(&p->columns);
    flx_formulas_clear(&p->probes);
    flx_formulas_clear(&p->bounds);
    flx_formulas_clear(&p->balanced);
    flx_program_destroy(&p->measure_program);
    flx_unseen_plan_destroy(&p->unseen);
    flx_state_destroy(&p->start);
    flx_state_destroy(&p->bodies_start);
    for (int k = 0; k < 2; k++) flx_system_destroy(&p->held[k]);
    if (!p->by_hand) {
        flx_system_destroy(&p->bodies);
        if (p->sys) p->sys->plan = NULL; // it ends now, for itself
        flx_system_destroy(&p->sys);
    }
    flx_graph_destroy(&p->own_graph);
    flx_model_destroy(&p->core);
    flx_free(p->own_model);
    flx_topology_clear(&p->tree);
    flx_arena_destroy(&p->arena);
    flx_free(p);
}

void flx_simulation_destroy(flx_simulation **sim_in)
{
    flx_simulation *sim = sim_in ? *sim_in : NULL;
    if (!sim) return;
    flx_exchange_destroy(&sim->exchange);
    flx_fmu_steps_destroy(&sim->fmus);
    flx_keeper_destroy(&sim->keeper);
    flx_starter_destroy(&sim->starter);
    flx_integrator_destroy(&sim->it);
    flx_signals_clear(&sim->columns);
    flx_signals_clear(&sim->probes);
    flx_signals_clear(&sim->bounds);
    flx_motion_clear(&sim->motion);
    flx_free(sim->measure_in);
    flx_free(sim->measure_scratch);
    flx_free(sim->metrics);
    flx_free(sim->probe_values);
    flx_free(sim->events);
    flx_free(sim->columns_before);
    flx_quadrature_clear(&sim->course);
    flx_free(sim->course_value);
    flx_free(sim->course_sum);
    flx_free(sim->course_inner);
    flx_free(sim->course_parts);
    flx_state_destroy(&sim->start);
    flx_state_destroy(&sim->state);
    flx_state_destroy(&sim->inner);
    flx_state_destroy(&sim->settled);
    flx_settler_destroy(&sim->settler);
    flx_judge_destroy(&sim->judge);
    flx_unseen_destroy(&sim->unseen);
    if (sim->work) sim->sys->ops->work_destroy(sim->work);
    if (sim->bodies_work) sim->bodies->ops->work_destroy(sim->bodies_work);
    flx_reactions_destroy(&sim->reactions);
    flx_state_destroy(&sim->bodies_state);
    flx_free(sim->bodies_z);
    if (sim->owns) {
        flx_system_destroy(&sim->bodies);
        flx_system_destroy(&sim->sys);
    }
    if (!sim->plan || sim->arena != sim->plan->arena) flx_arena_destroy(&sim->arena);
    flx_plan_destroy(&sim->making);
    flx_plan_destroy(&sim->held);
    flx_free(sim);
    *sim_in = NULL;
}

flx_plan *flx_simulation_take_plan(flx_simulation *sim)
{
    flx_plan *p = sim->making;
    p->start = sim->start;
    p->bodies_start = sim->bodies_state;
    sim->start = sim->bodies_state = NULL;
    sim->making = NULL;
    return p;
}

// ---- a further run ------------------------------------------------------------------------------

// The same system with numbers and messages of its own, where it has such; those made by hand need not.
static flx_status take_system(flx_simulation *sim, flx_system *from, flx_system **own)
{
    *own = from;
    if (!from->ops->instance) return FLX_OK;
    sim->owns = true;
    return flx_system_instance(from, sim->ctx, own);
}

static flx_status copy_state(const flx_system *s, const flx_state *from, flx_state **to)
{
    FLX_TRY(flx_state_create(s, to));
    flx_state_copy(*to, from);
    return FLX_OK;
}

static flx_status take_systems(flx_simulation *sim)
{
    const flx_plan *p = sim->plan;
    FLX_TRY(take_system(sim, p->sys, &sim->sys));
    FLX_TRY(copy_state(sim->sys, p->start, &sim->start));
    sim->work = sim->sys->ops->work_create(sim->sys);
    if (!sim->work) return FLX_ERR_MEMORY;
    if (!p->bodies) return FLX_OK;
    FLX_TRY(take_system(sim, p->bodies, &sim->bodies));
    FLX_TRY(copy_state(sim->bodies, p->bodies_start, &sim->bodies_state));
    sim->bodies_work = sim->bodies->ops->work_create(sim->bodies);
    if (!sim->bodies_work) return FLX_ERR_MEMORY;
    FLX_TRY(flx_simulation_carries(sim));
    return p->reactions ? flx_reactions_create(sim) : FLX_OK;
}

static flx_status make_further(flx_simulation *sim, const flx_integrator_def *def)
{
    const flx_plan *p = sim->plan;
    FLX_TRY(take_systems(sim));
    FLX_TRY(create_states(sim));
    FLX_TRY(create_signals(sim));
    if (!def && !p->def.method) return create_account(sim);
    if (def) sim->info.reason = NULL;
    FLX_TRY(flx_simulation_create_method(sim));
    return create_account(sim);
}

flx_status flx_simulation_create_of(const flx_plan *plan, const flx_integrator_def *def,
                                    bool no_ledger, flx_ctx *ctx, flx_simulation **out)
{
    flx_simulation *sim = *out = flx_alloc(ctx, 1, sizeof *sim);
    if (!sim) return FLX_ERR_MEMORY;
    sim->plan = plan;
    sim->model = plan->model;
    sim->ctx = ctx;
    sim->no_ledger = no_ledger;
    sim->info = plan->info;
    sim->findings = plan->findings;
    sim->def = def ? *def : plan->def;
    sim->until = plan->until;
    sim->arena = flx_arena_create(ctx);
    flx_status status = sim->arena ? make_further(sim, def) : FLX_ERR_MEMORY;
    if (status != FLX_OK) flx_simulation_destroy(out);
    return status;
}
