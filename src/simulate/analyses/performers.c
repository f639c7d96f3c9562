// performers.c - the analyses of a model, by their types: about which state, of which system.
#include "base/error_place.h"
#include "base/refuse.h"
#include "model/fmu/fmu_data.h"
#include "model/linear_keys.h"
#include "simulate/analyses/performer.h"
#include "simulate/turning/turning.h"

#include <math.h>
#include <string.h>

static const flx_analysis_performer *const performers[] = {
#define FLX_ANALYSIS(name) &flx_performer_##name,
#include "model/analyses.def"
#undef FLX_ANALYSIS
};

const flx_analysis_performer *flx_analysis_get_performer(const flx_analysis *a)
{
    return performers[a->kind];
}

const char *flx_simulation_analysis(const flx_simulation *sim, int i, const char **type,
                                    const char **about)
{
    if (!sim) return NULL;
    const flx_model *m = sim->model;
    if (i < 0 || i >= m->nanalysis) return NULL;
    const flx_analysis *a = m->analyses + i;
    *type = a->type;
    *about = a->about == FLX_ABOUT_END     ? "end"
             : a->about == FLX_ABOUT_START ? "start"
             : a->about == FLX_ABOUT_TIME  ? "an instant of the run"
             : a->about == FLX_ABOUT_RUN   ? "the run"
                                           : m->analyses[a->about].name;
    return a->name;
}

// ---- states -------------------------------------------------------------------------------------

static flx_status run_to_end(flx_simulation *sim)
{
    if (sim->used) return FLX_OK;
    if (!sim->it) {
        return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, sim->model->simulate.loc,
                        "there is no run whose end this could be");
    }
    return flx_simulation_run(sim, 0, NULL, NULL, NULL);
}

// The state x, another one, of the run at a time, by a run of its own that ends there.
static flx_status run_to_instant(flx_simulation *sim, double t, flx_state *x)
{
    flx_model copy = *sim->model;
    flx_simulation *run = NULL;
    if (t <= sim->start->t) {
        flx_state_copy(x, sim->start);
        return FLX_OK;
    }
    copy.simulate.until = t;
    copy.awaited = NULL; // what is sought here is not in the run
    flx_status status = flx_simulation_create(&copy, &run);
    if (status == FLX_OK) status = flx_simulation_run(run, 0, NULL, NULL, NULL);
    if (status == FLX_OK) status = flx_states_convert(run, run->state, sim, x);
    flx_simulation_destroy(&run);
    return status;
}

// A state of the run in coordinates of bodies, which are the system's own but for a tree.
static flx_status find_run_state(flx_simulation *sim, const flx_analysis *a, flx_analysis_place *p)
{
    const flx_state *x = sim->start;
    if (a->about == FLX_ABOUT_END) {
        FLX_TRY(run_to_end(sim));
        x = sim->state;
    } else if (a->about == FLX_ABOUT_TIME) {
        FLX_TRY(flx_state_create(sim->sys, &p->instant));
        FLX_TRY(run_to_instant(sim, a->instant, p->instant));
        x = p->instant;
    }
    p->sys = sim->bodies ? sim->bodies : sim->sys;
    FLX_TRY(flx_state_create(p->sys, &p->x));
    if (!sim->bodies) {
        flx_state_copy(p->x, x);
        return FLX_OK;
    }
    flx_state_copy(p->x, sim->bodies_state);
    flx_work *work = sim->work;
    flx_state y = *x;
    const flx_system *tree = flx_wrapper_base(sim->sys, &work, &y);
    flx_tree_to_bodies(tree, work, &y, p->x);
    return flx_start_accelerations(p->sys, p->x);
}

// The state that an analysis is about.
static flx_status find_about(flx_simulation *sim, const flx_analysis *a, flx_analysis_place *p)
{
    return a->about < 0 ? find_run_state(sim, a, p)
                        : flx_analysis_find_state(sim, a->about, p, NULL);
}

flx_status flx_analysis_find_state(flx_simulation *sim, int number, flx_analysis_place *p,
                                   flx_equilibrium_report *report)
{
    const flx_analysis run = {.about = number}, *a = &run;
    if (number < 0) return find_about(sim, a, p);
    a = sim->model->analyses + number;
    FLX_TRY(find_about(sim, a, p));
    if (a->kind == FLX_ANALYSIS_EQUILIBRIUM && a->own)
        return flx_turning_find(sim, p->sys, a->own, a->loc, p->x, report);
    if (a->kind == FLX_ANALYSIS_EQUILIBRIUM) return flx_equilibrium_find(p->sys, p->x, report);
    flx_path_report path;
    return flx_simulation_follow(sim, number, p->x, 0, NULL, &path);
}

flx_status flx_analysis_find_place(flx_task *t)
{
    return find_about(t->sim, t->a, &t->place);
}

flx_status flx_analysis_find_own_state(flx_task *t)
{
    flx_simulation *sim = t->sim;
    flx_analysis_place *p = &t->place;
    FLX_TRY(flx_analysis_find_place(t));
    FLX_TRY(flx_state_create(sim->sys, &p->own));
    if (!sim->bodies) {
        flx_state_copy(p->own, p->x);
    } else {
        FLX_TRY(flx_tree_from_bodies(flx_wrapper_innermost(sim->sys), p->x, p->own));
    }
    return flx_start_accelerations(sim->sys, p->own);
}

flx_status flx_analysis_observe(flx_simulation *sim, flx_analysis_place *p, flx_finding *out)
{
    flx_state *x = p->x, *joint = NULL;
    flx_status status = flx_start_accelerations(p->sys, x);
    if (status == FLX_OK && sim->bodies) {
        status = flx_state_create(sim->sys, &joint);
        if (status == FLX_OK)
            status = flx_tree_from_bodies(flx_wrapper_innermost(sim->sys), x, joint);
        if (status == FLX_OK) status = flx_start_accelerations(sim->sys, joint);
        x = joint;
    }
    if (status == FLX_OK) status = flx_signals_eval(&sim->columns, sim, x, 0.0);
    out->signals = sim->columns.out;
    flx_state_destroy(&joint);
    return status;
}

// What an analysis about a state takes for granted of the contacts and particles in it.
static flx_status tell_granted(flx_simulation *sim, const flx_analysis_place *p, flx_finding *out)
{
    const flx_contacts *contacts = p->sys ? p->sys->ops->contacts : NULL;
    for (int i = 0; contacts && p->x && i < contacts->count(p->sys); i++) {
        flx_contact_group g;
        contacts->group(p->sys, i, &g);
        double state = p->x->switches[g.state];
        if (g.normal < 0 || !(state > FLX_CONTACT_OPEN)) continue;
        FLX_TRY(flx_finding_line(sim, out, "contact '%s' is closed%s: it counts as a joint", g.item,
                                 state == FLX_CONTACT_STICKS ? " and sticks" : ""));
    }
    for (int i = 0; i < sim->model->ncontact; i++) {
        const flx_contact *c = sim->model->contacts + i;
        if (!c->restores) continue;
        FLX_TRY(flx_finding_line(
            sim, out,
            "contact '%s': its damping follows from the speed at which surfaces met; where they "
            "rest it is that of 0.1*sqrt(g*d), where d is the depth under the weight",
            c->name));
    }
    if (sim->model->nparticles > 0) {
        return flx_finding_line(sim, out,
                                "particles do not move here: walls feel the forces that they had "
                                "last, constant (at the start none)");
    }
    return FLX_OK;
}

flx_status flx_analysis_tell_clocks(flx_simulation *sim, const char *how, flx_finding *out)
{
    const flx_model *m = sim->model;
    for (int i = 0; i < m->nevent; i++) {
        const flx_event *e = m->events + i;
        if (e->when >= 0 || (e->nset == 0 && e->fmu == 0 && e->particles == 0)) continue;
        return flx_finding_line(sim, out,
                                "no clock strikes: what '%s' changes in a run, every %g s, %s",
                                e->name, e->every, how);
    }
    return FLX_OK;
}

// Whether it is of the mechanism with its controllers, or with some of them: sampled ones are left out.
static bool wants_loops(const flx_model *m, const flx_analysis *a)
{
    const flx_io_keys *io = NULL;
    switch (a->kind) {
    case FLX_ANALYSIS_MODES:
    case FLX_ANALYSIS_CAMPBELL:
        return true;
    case FLX_ANALYSIS_LINEAR:
        io = &((const flx_linear_keys *)a->own)->io;
        break;
    case FLX_ANALYSIS_FREQUENCY:
        if (!((const flx_frequency_keys *)a->own)->of.name)
            io = &((const flx_frequency_keys *)a->own)->io;
        break;
    case FLX_ANALYSIS_NORMS:
        if (!((const flx_norms_keys *)a->own)->of.name) io = &((const flx_norms_keys *)a->own)->io;
        break;
    case FLX_ANALYSIS_ROOT_LOCUS:
        io = &((const flx_locus_keys *)a->own)->io;
        break;
    default:
        break;
    }
    return io && (io->closed || io->nin == 0 || io->nin < m->ninput);
}

flx_status flx_simulation_analyse_to(flx_simulation *sim, int i, int nsink, flx_sink *const *sinks,
                                     flx_finding *out)
{
    if (!sim || !out) return flx_refuse_null(NULL, __func__);
    const flx_model *m = sim->model;
    if (i < -1 || i >= m->nanalysis) {
        *out = (flx_finding){0};
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the model has %d analyses, and no number %d", m->nanalysis, i);
    }
    flx_analysis modes = {.kind = FLX_ANALYSIS_MODES, .about = FLX_ABOUT_START};
    flx_task t = {.sim = sim, .number = i, .a = &modes, .nsink = nsink, .sinks = sinks};
    if (i >= 0) t.a = m->analyses + i;
    const flx_analysis_performer *performer = performers[t.a->kind];
    *out = (flx_finding){.steady = 1, .balanced = 1};
    if (sim->sys->ops->touches) {
        return FLX_FAIL(
            sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "contacts that are met step by step are not there at rest; analyse with a method that "
            "locates them");
    }
    const flx_contacts *contacts = sim->sys->ops->contacts;
    if (performer->settled && t.a->about == FLX_ABOUT_START && contacts &&
        contacts->count(sim->sys) > 0) {
        flx_contact_group g;
        contacts->group(sim->sys, 0, &g);
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, g.loc,
                        "what '%s' does is known when the run has begun: %s are found about its "
                        "end ('about: end')",
                        g.item, t.a->type ? t.a->type : "modes");
    }
    if (m->nfmu > 0) {
        flx_ctx_warn(sim->ctx, m->fmus[0].loc,
                     "analyses run no FMU: in them the outputs of '%s' are zero", m->fmus[0].name);
    }
    int told = flx_ctx_error_count(sim->ctx);
    flx_status status = FLX_OK;
    if (wants_loops(m, t.a)) {
        status = flx_analysis_tell_clocks(
            sim, "is held: its loop is open here; an analysis of type period-map closes it", out);
    }
    if (status == FLX_OK)
        status =
            performer->show ? performer->show(&t, out, NULL, NULL) : performer->perform(&t, out);
    if (status != FLX_OK) out->ntable = 0; // begun, and not finished
    bool about = status == FLX_OK && performer->settled;
    if (about) status = tell_granted(sim, &t.place, out);
    flx_ctx_place_errors(sim->ctx, told, t.a->loc);
    flx_simulation_unload(sim);
    flx_state_destroy(&t.place.x);
    flx_state_destroy(&t.place.own);
    flx_state_destroy(&t.place.instant);
    return status;
}

flx_status flx_simulation_analyse(flx_simulation *sim, int i, flx_finding *out)
{
    if (!sim || !out) return flx_refuse_null(NULL, __func__);
    return flx_simulation_analyse_to(sim, i, 0, NULL, out);
}

static flx_status keep_modes(flx_simulation *sim, int i)
{
    flx_finding found;
    const flx_analysis *a = sim->model->analyses + i;
    FLX_TRY(flx_simulation_analyse(sim, i, &found));
    for (int k = 0; k < a->count; k++) {
        double *to = sim->findings[i] + 4 * k;
        const flx_mode *m = k < found.modes.nmode ? found.modes.modes + k : NULL;
        to[0] = m ? m->re : (double)NAN;
        to[1] = m ? m->im : (double)NAN;
        to[2] = m ? m->frequency : (double)NAN;
        to[3] = m ? m->damping : (double)NAN;
    }
    flx_finding_clear(&found);
    return FLX_OK;
}

flx_status flx_simulation_own_findings(flx_simulation *sim)
{
    const flx_signals *lists[] = {&sim->columns, &sim->probes};
    if (sim->findings && sim->findings != sim->plan->findings) return FLX_OK;
    double **own = flx_arena_take(sim->arena, (size_t)sim->model->nanalysis, sizeof *own);
    if (!own) return FLX_ERR_MEMORY;
    for (int l = 0; l < 2; l++) {
        for (int k = 0; k < lists[l]->of->nleaf; k++) {
            flx_leaf leaf = lists[l]->of->leaves[k];
            int i = flx_leaf_get_index(leaf);
            if (flx_leaf_get_kind(leaf) != FLX_LEAF_MODES || own[i]) continue;
            size_t count = (size_t)sim->model->analyses[i].count;
            own[i] = flx_arena_take(sim->arena, 4 * count, sizeof *own[i]);
            if (!own[i]) return FLX_ERR_MEMORY;
        }
    }
    sim->findings = own;
    return FLX_OK;
}

flx_status flx_simulation_find_signals(flx_simulation *sim)
{
    FLX_TRY(flx_simulation_own_findings(sim));
    for (int i = 0; i < sim->model->nanalysis; i++) {
        if (sim->findings[i]) FLX_TRY(keep_modes(sim, i));
    }
    return FLX_OK;
}
