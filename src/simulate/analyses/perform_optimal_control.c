// perform_optimal_control.c - analyses of type optimal-control: the model with its inputs as unknowns, on a grid.
#include "analyse/grid/trajectory.h"
#include "base/number.h"
#include "model/optimal_control_data.h"
#include "simulate/analyses/grid_table.h"
#include "simulate/analyses/performer.h"
#include "simulate/opened.h"

#include <math.h>
#include <string.h>

#define TOLERANCE 1e-8
#define AT_BOUND 1e-4 // of the time: it is at the end of its range

typedef struct optimum {
    flx_simulation *sim; // of the user
    const flx_optimal_control_data *d;
    flx_finding *out;
    flx_opened open;
    flx_trajectory found;
    double *bounds; // (4 nw)
    signed char *linear;
} optimum;

static flx_status open_model(optimum *o, flx_arena *arena)
{
    const flx_optimal_control_data *d = o->d;
    size_t n = (size_t)d->nbounded + 1;
    flx_node *nodes = flx_arena_take(arena, n, sizeof *nodes);
    const char **names = flx_arena_take(arena, n, sizeof *names);
    flx_loc *locs = flx_arena_take(arena, n, sizeof *locs);
    if (!nodes || !names || !locs) return FLX_ERR_MEMORY;
    nodes[0] = d->cost;
    names[0] = "minimise";
    locs[0] = d->cost_loc;
    for (int k = 0; k < d->nbounded; k++) {
        nodes[1 + k] = d->bounded[k].node;
        names[1 + k] = d->bounded[k].name;
        locs[1 + k] = d->bounded[k].loc;
    }
    const flx_opened_def def = {.nin = d->nin,
                                .nout = (int)n,
                                .inputs = d->inputs,
                                .outputs = nodes,
                                .names = names,
                                .locs = locs};
    return flx_opened_create(o->sim, &def, &o->open);
}

static flx_status set_bounds(optimum *o)
{
    const flx_optimal_control_data *d = o->d;
    size_t nw = (size_t)o->open.sim->sys->dims.nw;
    o->bounds = flx_arena_take(o->open.arena, 4 * nw, sizeof *o->bounds);
    o->linear = flx_arena_take(o->open.arena, nw, 1);
    if (!o->bounds || !o->linear) return FLX_ERR_MEMORY;
    double *lower = o->bounds, *upper = lower + nw, *end_lower = upper + nw,
           *end_upper = end_lower + nw;
    for (size_t k = 0; k < nw; k++) {
        lower[k] = end_lower[k] = -HUGE_VAL;
        upper[k] = end_upper[k] = HUGE_VAL;
        if (o->open.role[k] == FLX_GRID_OUTPUT && (int)k != o->open.first_out) {
            o->open.role[k] = FLX_GRID_PLAIN; // an unknown with its row
            o->linear[k] = 1;
        }
    }
    for (int k = 0; k < d->nin; k++) {
        const flx_input_item *in = o->sim->model->inputs + d->inputs[k];
        lower[o->open.first_in + k] = in->lower;
        upper[o->open.first_in + k] = in->upper;
    }
    for (int k = 0; k < d->nbounded; k++) {
        int w = o->open.first_out + 1 + k;
        (d->bounded[k].at_end ? end_lower : lower)[w] = d->bounded[k].lower;
        (d->bounded[k].at_end ? end_upper : upper)[w] = d->bounded[k].upper;
    }
    return FLX_OK;
}

static flx_status find(optimum *o, flx_arena *arena)
{
    const flx_optimal_control_data *d = o->d;
    FLX_TRY(open_model(o, arena));
    FLX_TRY(set_bounds(o));
    const flx_system *s = o->open.sim->sys;
    size_t nw = (size_t)s->dims.nw;
    double *end_q = flx_arena_take(arena, (size_t)s->dims.nq, sizeof *end_q);
    if (!end_q) return FLX_ERR_MEMORY;
    flx_trajectory_def def = {.nodes = d->steps + 1,
                              .time = d->until,
                              .free_time = d->free_time,
                              .least = d->least,
                              .most = d->most,
                              .role = o->open.role,
                              .linear = o->linear,
                              .cost = o->open.first_out,
                              .lower = o->bounds,
                              .upper = o->bounds + nw,
                              .end_lower = o->bounds + 2 * nw,
                              .end_upper = o->bounds + 3 * nw,
                              .end_q = end_q,
                              .iterations = d->iterations,
                              .tolerance = TOLERANCE};
    FLX_TRY(flx_trajectory_find_end(s, o->open.sim->start, &def, end_q));
    flx_status status = flx_trajectory_find(s, o->open.sim->start, &def, &o->found);
    if (status != FLX_OK) {
        if (o->found.grid && status > 0)
            (void)flx_grid_table(o->sim, o->out, &o->open, o->found.grid, o->d->nin,
                                 o->d->inputs); // the best that there is
        return status;
    }
    const flx_trajectory *f = &o->found;
    FLX_TRY(flx_finding_line(o->sim, o->out, "cost %.10g in %.9g s", f->cost, f->time));
    bool shortest = f->time <= d->least * (1.0 + AT_BOUND);
    if (d->free_time && (shortest || f->time >= d->most * (1.0 - AT_BOUND)))
        FLX_TRY(flx_finding_line(o->sim, o->out,
                                 "the time is at the %s end of what is tried, %g to %g s, and no "
                                 "optimum of its own: %s",
                                 shortest ? "lower" : "upper", d->least, d->most,
                                 shortest ? "give inputs limits, or a smaller `about_until`"
                                          : "give a larger `about_until`"));
    FLX_TRY(flx_finding_line(o->sim, o->out,
                             "%d steps of %.6g s; %d iterations of IPOPT, %d evaluations; "
                             "conditions are met to %.1e, the gradient to %.1e",
                             d->steps, f->grid->step, f->report.iterations, f->report.evaluations,
                             f->report.infeasible, f->report.unbalanced));
    FLX_TRY(flx_finding_line(o->sim, o->out,
                             "accelerations differ by at most %.2e of the largest between order 2 "
                             "and order 4",
                             f->differ));
    return flx_grid_table(o->sim, o->out, &o->open, o->found.grid, o->d->nin, o->d->inputs);
}

static flx_status show(flx_task *t, flx_finding *out, flx_motion_visit visit, void *user)
{
    optimum o = {.sim = t->sim, .d = t->a->own, .out = out};
    flx_arena *arena = flx_arena_create(t->sim->ctx);
    if (!arena) return FLX_ERR_MEMORY;
    flx_status status = find(&o, arena);
    if (status == FLX_OK && visit) status = visit(user, &o.open, o.found.grid);
    flx_trajectory_clear(&o.found);
    flx_opened_clear(&o.open);
    flx_arena_destroy(&arena);
    return status;
}

const flx_analysis_performer flx_performer_OPTIMAL_CONTROL = {.show = show};
