// findings.c - the analyses of a model: equilibria, paths, buckling and modes, about which state, of which
// system.
#include "simulate/simulation_parts.h"
#include "simulate/steady.h"

#include <math.h>
#include <string.h>

#define AT_REST 1e-12       // velocities as a part of their scales, 1/s
#define OUT_OF_BALANCE 1e-6 // accelerations at rest, as a part of their scales, 1/s^2
#define ROUNDED 100.0       // ... or forces, in parts of their rounding

// A system and a state of it, in which an analysis is done.
typedef struct place {
    const flx_system *sys; // borrowed
    flx_state *x;          // owned
} place;

const char *flx_simulation_analysis(const flx_simulation *sim, int i, const char **type,
                                    const char **about)
{
    const flx_model *m = sim->model;
    if (i < 0 || i >= m->nanalysis) return NULL;
    const flx_analysis *a = m->analyses + i;
    static const char *const words[] = {"equilibrium", "modes", "static", "buckling"};
    *type = words[a->kind];
    *about = a->about == FLX_ABOUT_END     ? "end"
             : a->about == FLX_ABOUT_START ? "start"
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

// Start or end of the run in coordinates of bodies, which are the system's own but for a tree.
static flx_status find_run_state(flx_simulation *sim, int about, place *p)
{
    const flx_state *x = sim->start;
    if (about == FLX_ABOUT_END) {
        FLX_TRY(run_to_end(sim));
        x = sim->state;
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

static flx_status find_state(flx_simulation *sim, int about, place *p,
                             flx_equilibrium_report *report)
{
    if (about < 0) return find_run_state(sim, about, p);
    const flx_analysis *a = sim->model->analyses + about;
    FLX_TRY(find_state(sim, a->about, p, NULL));
    if (a->kind == FLX_ANALYSIS_EQUILIBRIUM) return flx_equilibrium_find(p->sys, p->x, report);
    flx_path_report path;
    return flx_simulation_follow(sim, about, p->x, 0, NULL, &path);
}

// ---- modes --------------------------------------------------------------------------------------

static double largest(const flx_system *s, const double *v)
{
    double size = 0.0;
    for (int i = 0; i < s->dims.nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        size = fmax(size, fabs(v[i]) / (u.scale > 0.0 ? u.scale : 1.0));
    }
    return size;
}

static flx_status find_modes(const place *p, int count, flx_finding *out)
{
    const flx_system *s = p->sys;
    int nv = s->dims.nv;
    bool steady = true;
    double *turn = NULL;
    flx_status status = FLX_OK;
    flx_body_axes body;
    if (largest(s, p->x->v) > AT_REST && flx_descriptor_body_axes(s, p->x->q, 0, &body)) {
        turn = flx_alloc(s->ctx, (size_t)nv * (size_t)nv, sizeof *turn);
        status = turn ? flx_steady_find(s, p->x, turn, out->turning, &steady) : FLX_ERR_MEMORY;
    }
    if (status == FLX_OK) status = flx_modes_find(s, p->x, turn, count, &out->modes);
    out->steady = steady;
    out->balanced =
        turn || largest(s, p->x->a) <= OUT_OF_BALANCE || out->modes.unbalance <= ROUNDED;
    flx_free(turn);
    return status;
}

// ---- together -----------------------------------------------------------------------------------

static flx_status observe_rest(flx_simulation *sim, place *p, flx_finding *out)
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

static flx_status analyse_path(flx_simulation *sim, int i, place *p, int nsink,
                               flx_sink *const *sinks, flx_finding *out)
{
    FLX_TRY(find_state(sim, sim->model->analyses[i].about, p, NULL));
    flx_status status = flx_simulation_follow(sim, i, p->x, nsink, sinks, &out->path);
    if (status == FLX_OK) status = flx_simulation_observe_rest(sim, p->x);
    if (status == FLX_OK) out->signals = sim->columns.out;
    return status;
}

static flx_status analyse_buckling(flx_simulation *sim, int i, place *p, flx_finding *out)
{
    const flx_analysis *a = sim->model->analyses + i;
    FLX_TRY(find_state(sim, a->about, p, NULL));
    p->x->t = a->time;
    return flx_buckling_find(p->sys, p->x, flx_simulation_loads(sim) + i,
                             a->count > 0 ? a->count : 1, &out->buckling);
}

flx_status flx_simulation_analyse_to(flx_simulation *sim, int i, int nsink, flx_sink *const *sinks,
                                     flx_finding *out)
{
    const flx_model *m = sim->model;
    flx_analysis modes = {.kind = FLX_ANALYSIS_MODES, .about = FLX_ABOUT_START};
    const flx_analysis *a = i >= 0 && i < m->nanalysis ? m->analyses + i : &modes;
    place p = {0};
    flx_status status = FLX_OK;
    *out = (flx_finding){.steady = 1, .balanced = 1};
    if (sim->sys->ops->touches) {
        return FLX_FAIL(
            sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
            "contacts that are met step by step are not there at rest; analyse with a method that "
            "locates them");
    }
    const flx_contacts *contacts = sim->sys->ops->contacts;
    if (a->kind == FLX_ANALYSIS_MODES && a->about == FLX_ABOUT_START && contacts &&
        contacts->count(sim->sys) > 0) {
        flx_contact_group g;
        contacts->group(sim->sys, 0, &g);
        return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, g.loc,
                        "what '%s' does is known when the run has begun: modes are found about its "
                        "end ('about: end')",
                        g.item);
    }
    switch (a->kind) {
    case FLX_ANALYSIS_EQUILIBRIUM:
        status = find_state(sim, i, &p, &out->rest);
        if (status == FLX_OK) status = observe_rest(sim, &p, out);
        break;
    case FLX_ANALYSIS_STATIC:
        status = analyse_path(sim, i, &p, nsink, sinks, out);
        break;
    case FLX_ANALYSIS_BUCKLING:
        status = analyse_buckling(sim, i, &p, out);
        break;
    case FLX_ANALYSIS_MODES:
        status = find_state(sim, a->about, &p, NULL);
        if (status == FLX_OK) status = find_modes(&p, a->count, out);
        break;
    }
    flx_simulation_unload(sim);
    flx_state_destroy(&p.x);
    return status;
}

flx_status flx_simulation_analyse(flx_simulation *sim, int i, flx_finding *out)
{
    return flx_simulation_analyse_to(sim, i, 0, NULL, out);
}

void flx_finding_clear(flx_finding *f)
{
    flx_modes_clear(&f->modes);
    flx_buckling_clear(&f->buckling);
}

static flx_status keep_modes(flx_simulation *sim, int i)
{
    flx_finding found;
    const flx_analysis *a = sim->model->analyses + i;
    double *values = flx_arena_take(sim->arena, 4 * (size_t)a->count, sizeof *values);
    if (!values) return FLX_ERR_MEMORY;
    FLX_TRY(flx_simulation_analyse(sim, i, &found));
    for (int k = 0; k < a->count; k++) {
        double *to = values + 4 * k;
        const flx_mode *m = k < found.modes.nmode ? found.modes.modes + k : NULL;
        to[0] = m ? m->re : (double)NAN;
        to[1] = m ? m->im : (double)NAN;
        to[2] = m ? m->frequency : (double)NAN;
        to[3] = m ? m->damping : (double)NAN;
    }
    flx_finding_clear(&found);
    sim->findings[i] = values;
    return FLX_OK;
}

flx_status flx_simulation_find_signals(flx_simulation *sim)
{
    const flx_signals *lists[] = {&sim->columns, &sim->probes};
    size_t n = (size_t)sim->model->nanalysis;
    sim->findings = flx_arena_take(sim->arena, n, sizeof *sim->findings);
    if (!sim->findings) return FLX_ERR_MEMORY;
    for (int l = 0; l < 2; l++) {
        for (int k = 0; k < lists[l]->of->nleaf; k++) {
            flx_leaf leaf = lists[l]->of->leaves[k];
            int i = flx_leaf_get_index(leaf);
            if (flx_leaf_get_kind(leaf) != FLX_LEAF_MODES || sim->findings[i]) continue;
            FLX_TRY(keep_modes(sim, i));
        }
    }
    return FLX_OK;
}
