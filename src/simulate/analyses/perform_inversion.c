// perform_inversion.c - analyses of type inversion: the model with its inputs as unknowns, solved on a grid of nodes of time.
#include "analyse/grid/inverse.h"
#include "base/number.h"
#include "model/inversion_data.h"
#include "model/nodes.h"
#include "simulate/analyses/grid_table.h"
#include "simulate/analyses/performer.h"
#include "simulate/opened.h"

#include <math.h>
#include <string.h>

#define UNRESOLVED 0.1 // of an input, between orders: its largest value says nothing then

typedef struct inversion {
    flx_task *t;
    flx_simulation *sim; // of the user
    const flx_inversion_data *d;
    flx_finding *out;
    flx_opened open;
    flx_inverse found;
} inversion;

static const char *const kinds[] = {"bounded", "causal", "least-energy", "rigid", "quasistatic"};

// ---- what is said ------------------------------------------------------------------------------------------

static flx_status tell_zeros(inversion *i, int end)
{
    const flx_zeros *z = i->found.zeros + end;
    char text[800];
    int at = 0, most = 8;
    text[0] = 0;
    for (int k = 0; k < z->n && k < most; k++) {
        if (z->im[k] < 0.0) continue;
        at += flx_snprintf(text + at, sizeof text - (size_t)at, "%s%.6g", at > 0 ? ", " : "",
                           z->re[k]);
        if (z->im[k] > 0.0)
            at += flx_snprintf(text + at, sizeof text - (size_t)at, " +- %.6gi", z->im[k]);
    }
    if (z->n > most) flx_snprintf(text + at, sizeof text - (size_t)at, ", ... (%d)", z->n);
    return flx_finding_line(i->sim, i->out, "zeros where the motion %s: %s%s",
                            end == 0 ? "begins" : "ends", z->n > 0 ? text : "none",
                            z->n > 0 ? " 1/s" : "");
}

static flx_status tell_structure(inversion *i)
{
    const flx_zeros *z = i->found.zeros;
    if (i->open.sim->sys->dims.nmu > 0) {
        return flx_finding_line(i->sim, i->out,
                                "with constraints on velocities zeros at rest say nothing: whether "
                                "what the outputs leave free stays small is seen in the motion");
    }
    FLX_TRY(flx_finding_line(i->sim, i->out,
                             "index %d: S = C P B is %s (smallest over largest singular value "
                             "%.2g)",
                             z->index, z->index > 3 ? "singular" : "regular", z->regular));
    FLX_TRY(tell_zeros(i, 0));
    return tell_zeros(i, 1);
}

// Of a desired motion that jumps, or of steps that are too long, the inputs are those of the grid.
static void warn_unresolved(const inversion *i, int k)
{
    const flx_grid *g = i->found.grid;
    int nw = i->open.sim->sys->dims.nw, number = i->open.first_in + k;
    double most = 0.0;
    for (int n = 0; n < g->nodes; n++) most = fmax(most, fabs(g->w[n * nw + number]));
    if (!(i->found.differ[number] > UNRESOLVED * most)) return;
    flx_ctx_warn(
        i->sim->ctx, i->sim->model->analyses[i->t->number].loc,
        "'%s' differs by %.0f %% of its largest value between order 2 and order 4: the wanted "
        "motion jumps or turns sharply within a step; make it smoother (`paths`), or the "
        "steps shorter",
        i->sim->model->inputs[i->d->inputs[k]].name, 100.0 * i->found.differ[number] / most);
}

static flx_status tell_solution(inversion *i)
{
    const flx_inverse *f = &i->found;
    const flx_grid *g = f->grid;
    FLX_TRY(flx_finding_line(i->sim, i->out,
                             "%s: %d nodes in steps of %.6g s, order %d, %d iterations of Newton's "
                             "method, last correction %.1e",
                             kinds[i->d->kind], g->nodes, g->step, f->order, f->report.iterations,
                             f->report.correction));
    if (f->lopsided)
        FLX_TRY(
            flx_finding_line(i->sim, i->out,
                             "%d zeros grow and %d decay, where rest at both ends wants as many "
                             "of both: the ends are open, and the strain energy is least",
                             f->ngrow, f->ndecay));
    if (f->bears > 0.0)
        FLX_TRY(flx_finding_line(
            i->sim, i->out,
            "order 4 would make the zero %.6g +- %.6gi 1/s grow in these steps, which decays: "
            "order 2 is taken, steps of %.3g s or less bear order 4",
            f->grows[0], f->grows[1], f->bears));
    if (f->before > 0)
        FLX_TRY(flx_finding_line(
            i->sim, i->out, "margin %.6g s: the inputs begin at t = %.6g and end at %.6g%s",
            f->before * g->step, g->begin, flx_grid_time(g, g->nodes - 1),
            g->begin < -1e-9 * g->step ? "; for a run, which begins at 0, move "
                                         "the desired motion by `from`"
                                       : ""));
    for (int k = 0; f->differ && k < i->d->nin; k++) {
        FLX_TRY(flx_finding_line(
            i->sim, i->out, "'%s' differs by at most %.2e between order 2 and order 4",
            i->sim->model->inputs[i->d->inputs[k]].name, f->differ[i->open.first_in + k]));
        warn_unresolved(i, k);
    }
    return FLX_OK;
}

// ---- the table ---------------------------------------------------------------------------------------------

// Inputs that a run would hold at their bounds.
static void tell_bounds(inversion *i)
{
    const flx_finding_table *t = i->out->tables + i->out->ntable - 1; // that of the motion
    for (int k = 0; k < i->d->nin; k++) {
        const flx_input_item *in = i->sim->model->inputs + i->d->inputs[k];
        double worst = 0.0, at = 0.0, value = 0.0, size = fmax(fabs(in->lower), fabs(in->upper));
        for (int n = 0; n < t->nrow; n++) {
            const double *row = t->values + (size_t)n * (size_t)t->ncolumn;
            double over = fmax(row[1 + k] - in->upper, in->lower - row[1 + k]);
            if (!(over > worst)) continue;
            worst = over;
            at = row[0];
            value = row[1 + k];
        }
        if (!(worst > 1e-9 * (isfinite(size) ? size : fabs(value)))) continue;
        flx_ctx_warn(i->sim->ctx, in->loc,
                     "the desired motion takes %.6g of input '%s' at t = %.6g, beyond its bounds, "
                     "%g and %g: a run stays behind it; give it more time",
                     value, in->name, at, in->lower, in->upper);
    }
}

// ---- the check ---------------------------------------------------------------------------------------------

#define RTOL 1e-9
#define ATOL 1e-11

// What each input is, as a function of the time through its values at the nodes.
static flx_status make_courses(inversion *i, flx_node *nodes)
{
    const flx_grid *g = i->found.grid;
    flx_graph *graph = i->open.model.graph;
    int nw = i->open.sim->sys->dims.nw;
    double *t = flx_arena_take(i->open.arena, 2 * (size_t)g->nodes, sizeof *t), *u = t + g->nodes;
    if (!t) return FLX_ERR_MEMORY;
    for (int k = 0; k < i->d->nin; k++) {
        for (int n = 0; n < g->nodes; n++) {
            t[n] = flx_grid_time(g, n);
            u[n] = g->w[n * nw + i->open.first_in + k];
        }
        int table =
            flx_graph_add_table(graph, g->nodes, t, u, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_HOLD);
        if (table < 0) return FLX_ERR_MEMORY;
        nodes[k] = flx_graph_table(graph, table, 0, node_leaf(graph, FLX_LEAF_TIME, 0, 0));
        if (nodes[k] < 0) return FLX_ERR_MEMORY;
    }
    return FLX_OK;
}

// From node to node; most (nwant): the largest misses while the motion is wanted, when (nwant) they are.
static flx_status run_forward(inversion *i, const flx_opened *plant, double *most, double *when)
{
    flx_grid *g = i->found.grid;
    const flx_system *s = plant->sim->sys;
    flx_integrator_def def = flx_integrator_def_default();
    flx_integrator *it = NULL;
    def.method = "radau";
    def.rtol = RTOL;
    def.atol = ATOL;
    flx_state *x = g->state;
    flx_grid_state(g, 0, x);
    x->t = g->begin;
    FLX_TRY(flx_integrator_create(s, &def, &it));
    flx_status status = flx_start_accelerations(s, x);
    for (int n = 1; status == FLX_OK && n < g->nodes; n++) {
        double t = flx_grid_time(g, n), taken = 0.0;
        while (status == FLX_OK && x->t < t - 1e-9 * g->step)
            status = flx_integrator_step(it, x, t - x->t, &taken);
        bool wanted = t >= i->d->from && t <= i->d->until + 1e-9 * g->step;
        for (int k = 0; status == FLX_OK && wanted && k < i->d->nwant; k++) {
            double miss = fabs(x->w[plant->first_out + k]);
            if (miss <= most[k]) continue;
            most[k] = miss;
            when[k] = t;
        }
    }
    flx_integrator_destroy(&it);
    return status;
}

static flx_status check(inversion *i)
{
    const flx_inversion_data *d = i->d;
    flx_opened plant = {0};
    flx_node *nodes = flx_arena_take(i->open.arena, (size_t)d->nin, sizeof *nodes);
    double *most = flx_arena_take(i->open.arena, 2 * (size_t)d->nwant, sizeof *most);
    if (!nodes || !most) return FLX_ERR_MEMORY;
    FLX_TRY(make_courses(i, nodes));
    const flx_opened_def def = {.nin = d->nin,
                                .nout = d->nwant,
                                .inputs = d->inputs,
                                .values = nodes,
                                .outputs = d->miss,
                                .names = d->names,
                                .locs = d->locs};
    flx_status status = flx_opened_create(i->sim, &def, &plant);
    if (status == FLX_OK) status = run_forward(i, &plant, most, most + d->nwant);
    for (int k = 0; status == FLX_OK && k < d->nwant; k++) {
        status = flx_finding_line(i->sim, i->out,
                                  "run forward with these inputs, '%s' misses by at most %.3e, at "
                                  "t = %.6g",
                                  d->names[k], most[k], most[d->nwant + k]);
    }
    flx_opened_clear(&plant);
    return status;
}

// ---- together ----------------------------------------------------------------------------------------------

static flx_status invert(inversion *i)
{
    static const flx_inverse_kind numeric[] = {FLX_INVERSE_BOUNDED, FLX_INVERSE_CAUSAL,
                                               FLX_INVERSE_LEAST_ENERGY, FLX_INVERSE_RIGID,
                                               FLX_INVERSE_QUASISTATIC};
    const flx_inversion_data *d = i->d;
    const flx_opened_def def = {.nin = d->nin,
                                .nout = d->nwant,
                                .inputs = d->inputs,
                                .outputs = d->miss,
                                .names = d->names,
                                .locs = d->locs};
    FLX_TRY(flx_opened_create(i->sim, &def, &i->open));
    const flx_system *s = i->open.sim->sys;
    double *weight = flx_arena_take(i->open.arena, (size_t)s->dims.nw, sizeof *weight);
    if (!weight) return FLX_ERR_MEMORY;
    for (int k = 0; k < d->nin; k++)
        weight[i->open.first_in + k] = d->weights ? d->weights[k] : 1.0;
    flx_inverse_def how = {.kind = numeric[d->kind],
                           .order = d->order,
                           .from = d->from,
                           .until = d->until,
                           .step = d->step,
                           .margin = d->margin,
                           .role = i->open.role,
                           .elastic = i->open.elastic,
                           .weight = weight};
    flx_status status = flx_inverse_find(s, i->open.sim->start, &how, &i->found);
    if (i->found.zeros_known || (status == FLX_OK && s->dims.nmu > 0)) {
        flx_status told = tell_structure(i);
        if (status == FLX_OK) status = told;
    }
    if (status == FLX_OK) status = tell_solution(i);
    if (status == FLX_OK)
        status = flx_grid_table(i->sim, i->out, &i->open, i->found.grid, i->d->nin, i->d->inputs);
    if (status == FLX_OK) tell_bounds(i);
    if (status == FLX_OK && d->check) status = check(i);
    return status;
}

static flx_status show(flx_task *t, flx_finding *out, flx_motion_visit visit, void *user)
{
    inversion i = {.t = t, .sim = t->sim, .d = t->a->own, .out = out};
    flx_status status = invert(&i);
    if (status == FLX_OK && visit) status = visit(user, &i.open, i.found.grid);
    flx_inverse_clear(&i.found);
    flx_opened_clear(&i.open);
    return status;
}

const flx_analysis_performer flx_performer_INVERSION = {.show = show};
