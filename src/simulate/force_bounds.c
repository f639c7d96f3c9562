// force_bounds.c - a run ends where a force is beyond its bounds, as that of a tyre whose wheel has fallen flat.
#include "simulate/simulation_parts.h"

flx_status flx_bounds_plan(flx_simulation *sim)
{
    const flx_model *m = sim->model;
    flx_node *nodes = flx_arena_take(sim->arena, (size_t)m->nforce, sizeof *nodes);
    int n = 0;
    if (!nodes) return FLX_ERR_MEMORY;
    for (int i = 0; i < m->nforce; i++) {
        if (m->forces[i].bound >= 0) nodes[n++] = m->forces[i].bound;
    }
    return flx_formulas_create(m->graph, n, nodes, &sim->making->bounds);
}

flx_status flx_bounds_check(flx_simulation *sim, const flx_state *x)
{
    const flx_model *m = sim->model;
    int n = 0;
    if (sim->bounds.of->nnode == 0) return FLX_OK;
    FLX_TRY(flx_signals_eval(&sim->bounds, sim, x, 0.0));
    for (int i = 0; i < m->nforce; i++) {
        const flx_force *f = m->forces + i;
        if (f->bound < 0 || !(sim->bounds.out[n++] < 0.0)) continue;
        return FLX_FAIL(sim->ctx, FLX_INCONSISTENT, f->loc, "'%s' at t = %.6g s: %s", f->name, x->t,
                        f->beyond);
    }
    return FLX_OK;
}
