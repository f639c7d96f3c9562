// reduce.c - what `reduce` makes of the system of a model: the velocities it names, or that are found.
#include "analyse/simulation.h"

static flx_status take_named(flx_simulation *sim, const flx_system *s)
{
    const flx_model *m = sim->model;
    flx_reduction *r = &sim->reduction;
    r->J = flx_arena_take(sim->arena, (size_t)s->dims.nv, sizeof *r->J);
    r->names = flx_arena_take(sim->arena, (size_t)m->nreduced, sizeof *r->names);
    if (!r->J || !r->names) return FLX_ERR_MEMORY;
    r->n = flx_reduced_find(m, s, m->nreduced, m->reduced, r->J);
    for (; r->nname < m->nreduced; r->nname++) r->names[r->nname] = flx_model_reduced(m, r->nname);
    return FLX_OK;
}

flx_status flx_simulation_create_full(const flx_model *model, flx_model *copy,
                                      flx_simulation **full)
{
    *copy = *model;
    copy->nreduced = 0;
    copy->ncutoff = 0;
    copy->reduce_auto = false;
    return flx_simulation_create_as_it_is(copy, full);
}

// Names of a full model that is gone are the model's own.
static flx_status take_found(flx_simulation *sim)
{
    flx_model copy;
    flx_simulation *full = NULL;
    int told = flx_ctx_warning_count(sim->ctx);
    flx_status status = flx_simulation_create_full(sim->model, &copy, &full);
    if (status == FLX_OK) {
        status =
            flx_reduction_find(full, sim->model->reduce_tolerance, sim->arena, &sim->reduction);
    }
    flx_simulation_destroy(&full);
    flx_ctx_forget_warnings(sim->ctx, told); // the reduced model tells them
    return status;
}

flx_status flx_simulation_reduce(flx_simulation *sim, flx_system **s)
{
    const flx_model *m = sim->model;
    flx_reduction *r = &sim->reduction;
    if (m->nreduced == 0 && !m->reduce_auto) return FLX_OK;
    if (m->simulate.tree) {
        return FLX_FAIL(m->ctx, FLX_ERR_CANNOT, m->reduce_loc,
                        "joint coordinates keep the inertia of every body: leave out "
                        "`formulation: tree`, or the reduction");
    }
    FLX_TRY(m->reduce_auto ? take_found(sim) : take_named(sim, *s));
    sim->summary.reduced = r->nname;
    if (r->n == 0) return FLX_OK;
    const flx_quasistatic_how how = {.n = r->n, .J = r->J, .mass_damping = m->reduced_damping};
    flx_system *base = *s;
    *s = NULL; // taken over
    return flx_quasistatic_make(base, &how, s);
}
