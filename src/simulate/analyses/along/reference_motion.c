// reference_motion.c - states along a motion; see reference_motion.h.
#include "simulate/analyses/along/reference_motion.h"
#include "analyse/grid/grid.h"
#include "model/inversion_data.h"
#include "model/optimal_control_data.h"
#include "simulate/opened.h"
#include "simulate/run_parts.h"

#include <math.h>
#include <string.h>

#define MOST_TIMES 1e6
#define SHORT 1e-6 // of an interval: a last one that is shorter counts as none
#define SAME 1e-6  // of an input and 1

// ---- along the run ------------------------------------------------------------------------------------

static flx_status set_times(flx_reference *r, const flx_way_keys *way)
{
    double begin = r->sim->start->t, count = (way->until - begin) / way->every;
    if (!(count < MOST_TIMES)) {
        return FLX_FAIL(r->sim->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "`every` is too short: the run of %.6g s has %.3g such intervals",
                        way->until - begin, count);
    }
    int whole = (int)(count + SHORT);
    bool rest = count - whole > SHORT;
    r->n = whole + 1 + rest;
    r->t = flx_alloc(r->sim->ctx, (size_t)r->n, sizeof *r->t);
    if (!r->t) return FLX_ERR_MEMORY;
    for (int k = 0; k < r->n; k++) r->t[k] = begin + k * way->every;
    r->t[r->n - 1] = way->until;
    return FLX_OK;
}

static flx_status begin_run(flx_reference *r, const flx_way_keys *way)
{
    flx_ctx *ctx = r->sim->ctx;
    flx_run_def def = flx_run_def_default();
    def.no_ledger = 1;
    r->model = *r->sim->model;
    r->model.awaited = NULL; // what is sought here is not in the reference
    if (r->model.nparticles > 0) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "a motion with particles is not linearised along its way");
    }
    FLX_TRY(set_times(r, way));
    int told = flx_ctx_warning_count(ctx);
    FLX_TRY(flx_system_compile(&r->model, NULL, ctx, &r->system));
    FLX_TRY(flx_run_create(r->system, &def, ctx, &r->run));
    flx_ctx_forget_warnings(ctx, told); // the model itself has told them
    return FLX_OK;
}

static flx_status take_from_run(flx_reference *r, int k, flx_state *x)
{
    flx_simulation *sim = r->sim, *run = r->run->sim;
    if (r->t[k] > flx_run_time(r->run)) {
        flx_status status = flx_run_advance(r->run, r->t[k]);
        if (status == FLX_STOPPED) {
            return FLX_FAIL(sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                            "an event ends the run at %.9g s: give an earlier `until`",
                            flx_run_time(r->run));
        }
        FLX_TRY(status);
    }
    return flx_states_convert(run, run->state, sim, x);
}

// ---- along the motion of a grid -------------------------------------------------------------------------

// Positions, velocities and states of one node, from the coordinates of the opened model to those of the simulation;
// bodies, other: states in coordinates of bodies of the one and the other, NULL where they have no others.
static flx_status convert(const flx_opened *open, flx_state *node, flx_simulation *sim,
                          flx_state *bodies, flx_state *other, flx_state *x)
{
    const flx_state *from = node;
    if (open->sim->bodies) {
        flx_work *work = open->sim->work;
        flx_state y = *node;
        const flx_system *tree = flx_wrapper_base(open->sim->sys, &work, &y);
        flx_tree_to_bodies(tree, work, &y, bodies);
        from = bodies;
    }
    flx_state *to = other ? other : x;
    const flx_dims *d = sim->bodies ? &sim->bodies->dims : &sim->sys->dims;
    memcpy(to->q, from->q, (size_t)d->nq * sizeof *to->q);
    memcpy(to->v, from->v, (size_t)d->nv * sizeof *to->v);
    memcpy(to->x, from->x, (size_t)d->nx * sizeof *to->x);
    to->t = node->t;
    if (!other) return FLX_OK;
    FLX_TRY(flx_tree_from_bodies(flx_wrapper_innermost(sim->sys), other, x));
    x->t = node->t;
    return FLX_OK;
}

static flx_status take_node(flx_reference *r, const flx_opened *open, flx_grid *g, int node, int k,
                            flx_state *bodies, flx_state *other)
{
    flx_grid_state(g, node, g->state);
    r->t[k] = g->state->t =
        flx_grid_time(g, node); // in a margin its clock stands still, a run's does not
    for (int i = 0; i < r->nin; i++) r->u[k * r->nin + i] = g->state->w[open->first_in + i];
    FLX_TRY(flx_state_create(r->sim->sys, &r->nodes[k]));
    flx_state_copy(r->nodes[k], r->sim->start);
    return convert(open, g->state, r->sim, bodies, other, r->nodes[k]);
}

typedef struct errand {
    flx_reference *r;
    double every;
} errand;

static flx_status take_nodes(void *user, const flx_opened *open, flx_grid *g)
{
    errand *e = user;
    flx_reference *r = e->r;
    flx_ctx *ctx = r->sim->ctx;
    double ratio = fmin(fmax(round(e->every / g->step), 1.0), g->nodes - 1);
    int stride = (int)ratio, whole = (g->nodes - 1) / stride;
    r->n = whole + 1 + (whole * stride < g->nodes - 1);
    r->t = flx_alloc(ctx, (size_t)r->n, sizeof *r->t);
    r->u = flx_alloc(ctx, (size_t)r->n * (size_t)r->nin, sizeof *r->u);
    r->nodes = flx_alloc(ctx, (size_t)r->n, sizeof(flx_state *));
    if (!r->t || !r->u || !r->nodes) return FLX_ERR_MEMORY;
    flx_state *bodies = NULL, *other = NULL;
    flx_status status = FLX_OK;
    if (open->sim->bodies) status = flx_state_create(open->sim->bodies, &bodies);
    if (status == FLX_OK && bodies) flx_state_copy(bodies, open->sim->bodies_state);
    if (status == FLX_OK && r->sim->bodies) status = flx_state_create(r->sim->bodies, &other);
    if (status == FLX_OK && other) flx_state_copy(other, r->sim->bodies_state);
    for (int k = 0; status == FLX_OK && k < r->n; k++) {
        int node = k * stride < g->nodes - 1 ? k * stride : g->nodes - 1;
        status = take_node(r, open, g, node, k, bodies, other);
    }
    flx_state_destroy(&bodies);
    flx_state_destroy(&other);
    return status;
}

static flx_status begin_grid(flx_reference *r, const flx_way_keys *way)
{
    flx_task t = {.sim = r->sim, .number = way->along, .a = r->sim->model->analyses + way->along};
    errand e = {r, way->every};
    r->of = t.a;
    if (t.a->kind == FLX_ANALYSIS_INVERSION) {
        const flx_inversion_data *d = t.a->own;
        r->nin = d->nin;
        r->inputs = d->inputs;
    } else {
        const flx_optimal_control_data *d = t.a->own;
        r->nin = d->nin;
        r->inputs = d->inputs;
    }
    int told = flx_ctx_warning_count(r->sim->ctx);
    flx_finding found = {0};
    flx_status status = flx_analysis_get_performer(t.a)->show(&t, &found, take_nodes, &e);
    flx_finding_clear(&found);
    if (status == FLX_OK) flx_ctx_forget_warnings(r->sim->ctx, told); // it has told them itself
    return status;
}

// ---- together -----------------------------------------------------------------------------------------

flx_status flx_reference_begin(flx_simulation *sim, const flx_way_keys *way, flx_reference *out)
{
    *out = (flx_reference){.sim = sim};
    return way->along < 0 ? begin_run(out, way) : begin_grid(out, way);
}

flx_status flx_reference_take(flx_reference *r, int k, flx_state *x)
{
    if (r->nodes)
        flx_state_copy(x, r->nodes[k]);
    else
        FLX_TRY(take_from_run(r, k, x));
    return flx_start_accelerations(r->sim->sys, x);
}

flx_status flx_reference_check(const flx_reference *r, int k, int nin, const int *inputs,
                               const double *u)
{
    for (int i = 0; r->nodes && i < nin; i++) {
        int at = 0;
        while (at < r->nin && r->inputs[at] != inputs[i]) at++;
        if (at == r->nin) continue; // it is not one that the motion has found
        double want = r->u[k * r->nin + at];
        if (fabs(u[i] - want) <= SAME * (1.0 + fabs(want))) continue;
        const flx_input_item *in = r->sim->model->inputs + inputs[i];
        return FLX_FAIL(r->sim->ctx, FLX_ERR_MODEL, in->loc,
                        "input '%s' is %.6g at t = %.6g, and the motion of '%s' has %.6g there: "
                        "its value must be '%s.%s'",
                        in->name, u[i], r->t[k], r->of->name, want, r->of->name, in->name);
    }
    return FLX_OK;
}

void flx_reference_end(flx_reference *r)
{
    flx_run_destroy(&r->run);
    flx_system_destroy(&r->system);
    for (int k = 0; r->nodes && k < r->n; k++) flx_state_destroy(&r->nodes[k]);
    flx_free(r->nodes);
    flx_free(r->u);
    flx_free(r->t);
}
