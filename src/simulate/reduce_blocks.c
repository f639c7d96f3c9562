// reduce_blocks.c - what `reduce` makes of the system of a model: the velocities it names, or that are found.
#include "certify/scaled.h"
#include "math/eigen.h"

#include <string.h>

static flx_status take_named(flx_simulation *sim, const flx_system *s)
{
    const flx_model *m = sim->model;
    flx_neglect *r = &sim->making->reduction;
    r->J = flx_arena_take(sim->arena, (size_t)s->dims.nv, sizeof *r->J);
    r->names = flx_arena_take(sim->arena, (size_t)m->nreduced, sizeof *r->names);
    if (!r->J || !r->names) return FLX_ERR_MEMORY;
    r->n = flx_reduced_find(sim, s, m->nreduced, m->reduced, r->J);
    for (; r->nname < m->nreduced; r->nname++) r->names[r->nname] = flx_model_reduced(m, r->nname);
    return FLX_OK;
}

flx_status flx_simulation_create_full(const flx_model *model, flx_model *copy,
                                      flx_simulation **full)
{
    *copy = *model;
    copy->nreduced = 0;
    copy->ncutoff = copy->ncondensed = 0;
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
        status = flx_reduction_find(full, sim->model, sim->arena, &sim->making->reduction);
    }
    flx_simulation_destroy(&full);
    flx_ctx_forget_warnings(sim->ctx, told); // the reduced model tells them
    return status;
}

// S^-1 and S of the coordinates that are scaled together (CERT-8).
static flx_status find_turn(flx_simulation *sim, const flx_state *drawn, const flx_system *s,
                            flx_arena *arena, flx_rotated_how *out)
{
    const flx_model *m = sim->model;
    const flx_neglect *r = &sim->plan->reduction;
    flx_frozen f;
    flx_scaling scaling;
    int *E = flx_arena_take(arena, (size_t)s->dims.nv, sizeof *E);
    if (!E) return FLX_ERR_MEMORY;
    int n = flx_reduced_find(sim, s, m->nscaled, m->scaled, E);
    for (int k = 0; k < r->n; k++) {
        if (flx_is_listed(n, E, r->J[k])) continue;
        return FLX_FAIL(sim->ctx, FLX_ERR_MODEL, m->reduce_loc,
                        "`coordinates: scaled` reduces what `scaling` lists, and not all of "
                        "`neglect_inertia` is there");
    }
    FLX_TRY(flx_simulation_freeze(sim, s, drawn, arena, &f));
    FLX_TRY(flx_scaling_take(&f, m, n, E, arena, &scaling));
    size_t size = (size_t)n * (size_t)n;
    double *inverse = flx_arena_take(arena, size, sizeof *inverse);
    double *copy = flx_arena_take(arena, size, sizeof *copy);
    if (!inverse || !copy) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) inverse[i * n + i] = 1.0;
    memcpy(copy, scaling.inverse, size * sizeof *copy);
    FLX_TRY(flx_dense_solve(sim->ctx, n, n, copy, inverse));
    *out = (flx_rotated_how){.n = n, .E = E, .T = scaling.inverse, .inverse = inverse};
    return FLX_OK;
}

// There, and back again: outside all is as it was.
static flx_status reduce_turned(flx_simulation *sim, const flx_state *drawn,
                                const flx_quasistatic_how *how, flx_system **s)
{
    flx_rotated_how turn, back;
    flx_arena *arena = flx_arena_create(sim->ctx);
    flx_status status = arena ? find_turn(sim, drawn, *s, arena, &turn) : FLX_ERR_MEMORY;
    flx_system *base = *s;
    if (status == FLX_OK) {
        *s = NULL; // taken over
        status = flx_rotated_create(base, &turn, s);
    }
    if (status == FLX_OK) {
        base = *s;
        *s = NULL;
        status = flx_quasistatic_create(base, how, s);
    }
    if (status == FLX_OK) {
        base = *s;
        *s = NULL;
        back = (flx_rotated_how){.n = turn.n, .E = turn.E, .T = turn.inverse, .inverse = turn.T};
        status = flx_rotated_create(base, &back, s);
    }
    flx_arena_destroy(&arena);
    return status;
}

flx_status flx_simulation_reduce(flx_simulation *sim, const flx_state *drawn, flx_system **s)
{
    const flx_model *m = sim->model;
    flx_neglect *r = &sim->making->reduction;
    if (m->nreduced == 0 && !m->reduce_auto) return FLX_OK;
    FLX_TRY(m->reduce_auto ? take_found(sim) : take_named(sim, *s));
    sim->making->summary.reduced = r->nname;
    if (r->n == 0) return FLX_OK;
    const flx_quasistatic_how how = {.n = r->n, .J = r->J, .mass_damping = m->reduced_damping};
    if (m->reduce_scaled) return reduce_turned(sim, drawn, &how, s);
    flx_system *base = *s;
    *s = NULL; // taken over
    return flx_quasistatic_create(base, &how, s);
}

// ---- what it is like ----------------------------------------------------------------------------

flx_status flx_reduction_split(const flx_simulation *sim, flx_work *work, const flx_state *at,
                               flx_split *split)
{
    int errors = flx_ctx_error_count(sim->ctx);
    flx_state x = *at;
    const flx_system *base = flx_wrapper_base(sim->sys, &work, &x);
    flx_frozen f;
    flx_arena *arena = flx_arena_create(sim->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_status status = flx_frozen_create(base, work, &x, arena, &f);
    if (status == FLX_OK) {
        status = flx_split_find(&f, sim->plan->reduction.n, sim->plan->reduction.J, split, NULL);
    }
    flx_arena_destroy(&arena);
    if (status != FLX_ERR_MEMORY) flx_ctx_forget_errors(sim->ctx, errors);
    return status;
}

// (RED-1): either the rest cannot bear the reactions, or no force determines the velocities.
flx_status flx_reduction_refuse(const flx_simulation *sim, flx_work *work, flx_status why)
{
    const char *name = sim->plan->reduction.names[0];
    flx_split split;
    flx_status known = flx_reduction_split(sim, work, sim->start, &split);
    if (known == FLX_ERR_MEMORY) return known;
    if (known == FLX_OK && !split.bears) {
        return FLX_FAIL(sim->ctx, why, sim->model->reduce_loc,
                        "the velocities without inertia do not follow from the forces: what keeps "
                        "its inertia cannot bear the reactions of '%s', as G_I, the rows of the "
                        "constraints on it, lacks full rank (smallest singular value %.1g of the "
                        "largest); reduce other parts, or put a bushing with a damping in the "
                        "place of a joint of '%s'",
                        name, split.rank, name);
    }
    return FLX_FAIL(sim->ctx, why, sim->model->reduce_loc,
                    "the velocities without inertia do not follow from the forces: %s; give '%s' "
                    "a damping, or leave it its inertia",
                    flx_status_text(why), name);
}
