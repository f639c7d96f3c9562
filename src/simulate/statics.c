// statics.c - load paths and buckling of a model: its load factors, the rows of a path.
#include "flexion/extend/sink_table.h"
#include "simulate/simulation_parts.h"

#include <math.h>
#include <string.h>

// ---- the simulation in the coordinates of bodies ---------------------------------------------------

flx_in_bodies flx_in_bodies_take(flx_simulation *sim)
{
    flx_in_bodies kept = {sim->sys, sim->bodies, sim->work, sim->bodies_work};
    if (!sim->bodies) return kept;
    sim->sys = sim->bodies;
    sim->work = sim->bodies_work;
    sim->bodies = NULL;
    sim->bodies_work = NULL;
    return kept;
}

void flx_in_bodies_give_back(flx_simulation *sim, const flx_in_bodies *kept)
{
    sim->sys = kept->sys;
    sim->bodies = kept->bodies;
    sim->work = kept->work;
    sim->bodies_work = kept->bodies_work;
}

double *flx_simulation_loads(flx_simulation *sim)
{
    return flx_descriptor_loads(flx_wrapper_innermost(sim->bodies ? sim->bodies : sim->sys));
}

void flx_simulation_unload(flx_simulation *sim)
{
    double *loads = flx_simulation_loads(sim);
    for (int k = 0; loads && k < sim->model->nload; k++) loads[k] = 1.0;
}

// ---- rows ----------------------------------------------------------------------------------------

typedef struct rows {
    flx_simulation *sim;
    int nsink;
    flx_sink *const *sinks;
    flx_result_info info;
    const char **names, **units; // (ncolumn + 1) owned
    double *values;              // (ncolumn + 1) owned
} rows;

static flx_status keep_row(void *user, const flx_state *x, double factor, double length)
{
    rows *r = user;
    flx_simulation *sim = r->sim;
    if (r->nsink == 0) return FLX_OK;
    FLX_TRY(flx_signals_eval(&sim->columns, sim, x, 0.0));
    if (r->info.scene) FLX_TRY(flx_motion_eval(sim, x));
    r->values[0] = factor;
    memcpy(r->values + 1, sim->columns.out, (size_t)sim->info.ncolumn * sizeof *r->values);
    for (int i = 0; i < r->nsink; i++) {
        const flx_sink_type *type = r->sinks[i]->type;
        if (r->info.scene && type->motion) FLX_TRY(type->motion(r->sinks[i], sim->motion.out));
        FLX_TRY(type->row(r->sinks[i], length, r->values));
    }
    return FLX_OK;
}

static flx_status describe(rows *r, const flx_analysis *a)
{
    flx_simulation *sim = r->sim;
    size_t n = (size_t)sim->info.ncolumn + 1;
    for (int i = 0; i < r->nsink; i++) {
        if (r->sinks[i]->type->motion) FLX_TRY(flx_motion_create(sim));
    }
    r->names = flx_alloc(sim->ctx, n, sizeof *r->names);
    r->units = flx_alloc(sim->ctx, n, sizeof *r->units);
    r->values = flx_alloc(sim->ctx, n, sizeof *r->values);
    if (!r->names || !r->units || !r->values) return FLX_ERR_MEMORY;
    r->names[0] = "load";
    r->units[0] = "";
    for (size_t i = 1; i < n; i++) {
        r->names[i] = sim->info.names[i - 1];
        r->units[i] = sim->info.units[i - 1];
    }
    r->info = sim->info;
    r->info.method = "static";
    r->info.formulation = a->arc_length ? "arc length" : "load steps";
    r->info.settings =
        flx_arena_printf(sim->arena, "%s: load factor from %g to %g", a->name, a->from, a->to);
    r->info.reason = NULL;
    r->info.ncolumn = (int)n;
    r->info.names = r->names;
    r->info.units = r->units;
    r->info.rows = 0;
    r->info.nmetric = r->info.nevent = 0;
    return r->info.settings ? FLX_OK : FLX_ERR_MEMORY;
}

static void clear_rows(rows *r)
{
    flx_free(r->names);
    flx_free(r->units);
    flx_free(r->values);
}

static flx_ledger ledger_of(const flx_path_report *p, flx_status status)
{
    flx_ledger l = {.status = status, .t = p->length, .balanced = 1};
    l.work.steps = p->steps;
    l.work.rejected = p->rejected;
    l.work.newton_iterations = p->iterations;
    l.energy_start = l.energy_end = l.energy_drift = (double)NAN;
    return l;
}

// ---- a path --------------------------------------------------------------------------------------

static flx_status check_arrival(const flx_simulation *sim, const flx_analysis *a,
                                const flx_path_report *p)
{
    if (p->arrived || a->most_given) return FLX_OK;
    return FLX_FAIL(sim->ctx, FLX_NO_CONVERGENCE, a->loc,
                    "after %d steps the path of '%s' is at the load factor %.6g and has not met "
                    "%g; with 'max_steps' it ends where that is, without a complaint",
                    p->steps, a->name, p->factor, a->to);
}

static flx_status follow(flx_simulation *sim, int i, flx_state *x, rows *r, flx_path_report *p)
{
    const flx_analysis *a = sim->model->analyses + i;
    const flx_path_def def = {.factor = flx_simulation_loads(sim) + i,
                              .from = a->from,
                              .to = a->to,
                              .steps = a->steps,
                              .max_steps = a->max_steps,
                              .arc_length = a->arc_length,
                              .branch = a->branch,
                              .nfactor = a->nfactor,
                              .factors = a->factors};
    x->t = a->time;
    FLX_TRY(flx_path_follow(sim->sys, x, &def, keep_row, r, p));
    return check_arrival(sim, a, p);
}

flx_status flx_simulation_follow(flx_simulation *sim, int i, flx_state *x, int nsink,
                                 flx_sink *const *sinks, flx_path_report *p)
{
    rows r = {.sim = sim, .nsink = nsink, .sinks = sinks};
    flx_in_bodies kept = flx_in_bodies_take(sim);
    int begun = 0;
    *p = (flx_path_report){0};
    flx_status status = nsink > 0 ? describe(&r, sim->model->analyses + i) : FLX_OK;
    for (; begun < nsink && status == FLX_OK; begun++) {
        status = sinks[begun]->type->begin(sinks[begun], &r.info);
    }
    if (status == FLX_OK) status = follow(sim, i, x, &r, p);
    const flx_ledger l = ledger_of(p, status);
    for (int k = 0; k < begun; k++) {
        flx_status end = sinks[k]->type->end(sinks[k], &l);
        if (status == FLX_OK) status = end;
    }
    clear_rows(&r);
    flx_in_bodies_give_back(sim, &kept);
    return status;
}

// ---- where it leads to ---------------------------------------------------------------------------

flx_status flx_simulation_observe_rest(flx_simulation *sim, const flx_state *x)
{
    flx_in_bodies kept = flx_in_bodies_take(sim);
    flx_status status = flx_signals_eval(&sim->columns, sim, x, 0.0);
    flx_in_bodies_give_back(sim, &kept);
    return status;
}
