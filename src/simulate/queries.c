// queries.c - what a simulation knows of itself.
#include "base/refuse.h"
#include "simulate/analyses/performer.h"

#include <math.h>

const char *flx_simulation_event(const flx_simulation *sim, int i, long *count, double *last)
{
    if (!sim) return NULL;
    if (i < 0 || i >= sim->info.nevent) return NULL;
    if (count) *count = sim->events[i].count;
    if (last) *last = sim->events[i].last;
    return sim->info.events[i];
}

const flx_summary *flx_simulation_summary(const flx_simulation *sim)
{
    if (!sim) return NULL;
    return &sim->plan->summary;
}

const char *flx_simulation_redundant(const flx_simulation *sim, int i)
{
    if (!sim) return NULL;
    return i >= 0 && i < sim->plan->summary.redundant ? sim->plan->redundant[i] : NULL;
}

const char *flx_simulation_singular(const flx_simulation *sim, int i)
{
    if (!sim) return NULL;
    return i >= 0 && i < sim->plan->summary.singular ? sim->plan->singular[i] : NULL;
}

// All rows, those that were left out among them: which of two that say the same is one of positions counts here.
flx_status flx_simulation_find_reach(flx_simulation *sim, flx_reach *out)
{
    if (!sim || !out) return flx_refuse_null(NULL, __func__);
    flx_analysis_place place = {0};
    flx_system *complete = NULL;
    flx_state *x = NULL;
    int redundant = sim->plan->summary.redundant;
    *out = (flx_reach){0};
    flx_status status = flx_analysis_find_state(sim, FLX_ABOUT_START, &place, NULL);
    if (status == FLX_OK && redundant > 0) {
        status = flx_descriptor_create(sim->model, NULL, &complete);
        if (status == FLX_OK) status = flx_state_create(complete, &x);
        bool same = status == FLX_OK && complete->dims.nq == place.sys->dims.nq &&
                    complete->dims.nv == place.sys->dims.nv;
        if (same) {
            flx_simulation_copy_motion(&complete->dims, x, place.x);
            status = flx_reach_find(complete, x, redundant, out);
        }
    } else if (status == FLX_OK) {
        status = flx_reach_find(place.sys, place.x, redundant, out);
    }
    flx_state_destroy(&x);
    flx_system_destroy(&complete);
    flx_state_destroy(&place.x);
    return status;
}

const char *flx_simulation_reduced(const flx_simulation *sim, int i)
{
    if (!sim) return NULL;
    if (i >= 0 && i < sim->plan->reduction.nname) return sim->plan->reduction.names[i];
    return flx_model_reduced(sim->model, i); // of a model that was only examined
}

const char *flx_simulation_reduction(const flx_simulation *sim)
{
    if (!sim) return NULL;
    return sim->plan->reduction.reason;
}

int flx_simulation_tree(const flx_simulation *sim, int i, flx_tree_line *line)
{
    if (!sim) return 0;
    const flx_topology *t = &sim->plan->tree;
    if (!line) return 0;
    *line = (flx_tree_line){0};
    if (i < 0 || i >= t->n + t->ncut) return 0;
    int joint = i < t->n ? t->nodes[t->preorder[i]].joint : t->cut[i - t->n];
    if (i < t->n) {
        const flx_tree_body *b = t->nodes + t->preorder[i];
        line->depth = b->depth;
        line->body = sim->model->bodies[b->body].name;
        line->freedom = b->freedom;
    }
    if (joint >= 0) line->joint = flx_model_item(sim->model, FLX_ITEM_JOINT, joint, &line->type);
    return 1;
}

const flx_result_info *flx_simulation_info(const flx_simulation *sim)
{
    return &sim->info;
}

flx_status flx_simulation_set_until(flx_simulation *sim, double until)
{
    if (!sim) return flx_refuse_null(NULL, __func__);
    if (!(until > 0.0) || !isfinite(until)) {
        return FLX_FAIL(sim->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a run must end at a positive time, not %g", until);
    }
    sim->until = until;
    return FLX_OK;
}

const flx_ledger *flx_simulation_ledger(const flx_simulation *sim)
{
    return &sim->ledger;
}

int flx_simulation_metric_count(const flx_simulation *sim)
{
    if (!sim) return 0;
    return sim->info.nmetric;
}

const char *flx_simulation_metric(const flx_simulation *sim, int i, double *value)
{
    if (!sim) return NULL;
    if (i < 0 || i >= sim->info.nmetric) return NULL;
    if (value) *value = sim->metrics[i];
    return sim->info.metrics[i];
}
