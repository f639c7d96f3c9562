// gradient.c - flexion/sensitivity.h: which way is taken.
#include "base/refuse.h"
#include "simulate/gradient/gradient_parts.h"

#include <math.h>
#include <string.h>

// Of a run with error control, the part of the tolerance that is left to Newton's iteration in the others.
#define NEWTON_PART 1e-6
// Weights are carried back where there are so many times more parameters than metrics.
#define MORE 4

void flx_gradient_clear(flx_gradient *out)
{
    if (!out) return;
    flx_free(out->memory);
    *out = (flx_gradient){0};
}

double flx_gradient_error(const flx_gradient *g, int value, int param)
{
    bool good = g && g->value && value >= 0 && value < g->nvalue && param >= 0 && param < g->nparam;
    if (!good) return (double)NAN;
    const double *error = g->slope + (size_t)g->nvalue * (size_t)g->nparam;
    return error[value * g->nparam + param];
}

// ---- what is asked for --------------------------------------------------------------------------

static bool is_measure(void *user, flx_leaf leaf)
{
    return leaf == *(const flx_leaf *)user;
}

bool flx_gradient_reads(const gradient *g, int i)
{
    const flx_model *m = g->run->sim->model;
    flx_leaf leaf = flx_leaf_make(FLX_LEAF_MEASURE, i, 0);
    for (int k = 0; k < g->def->nmetric; k++) {
        flx_node metric = m->outputs.metrics[g->def->metric[k]].value;
        if (flx_graph_depends(m->graph, metric, is_measure, &leaf)) return true;
    }
    return false;
}

static flx_status refuse_number(const gradient *g, const char *what, int number, int n)
{
    return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the model has %d %s, and no number %d",
                    n, what, number);
}

static flx_status check(gradient *g)
{
    const flx_gradient_def *def = g->def;
    const flx_result_info *info = &g->run->sim->info;
    if (def->size != sizeof *def) {
        return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the definition of a gradient has no valid size: begin with "
                        "flx_gradient_def_default()");
    }
    bool whole = def->nparam >= 0 && def->nmetric >= 0 && def->noutput >= 0 && def->ntime >= 0 &&
                 (def->nparam == 0 || def->param) && (def->nmetric == 0 || def->metric) &&
                 (def->noutput == 0 || def->output) && (def->ntime == 0 || def->times);
    if (!whole) {
        return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a gradient has no list of its parameters, metrics, outputs or times");
    }
    for (int i = 0; i < def->nmetric; i++) {
        if (def->metric[i] < 0 || def->metric[i] >= info->nmetric)
            return refuse_number(g, "metrics", def->metric[i], info->nmetric);
    }
    for (int i = 0; i < def->noutput; i++) {
        if (def->output[i] < 0 || def->output[i] >= info->ncolumn)
            return refuse_number(g, "outputs", def->output[i], info->ncolumn);
    }
    for (int i = 0; i < def->ntime; i++) {
        bool good = isfinite(def->times[i]) && (i == 0 || def->times[i] > def->times[i - 1]);
        if (!good) {
            return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "the times of a gradient do not ascend at t = %.9g", def->times[i]);
        }
    }
    if (!(g->run->horizon > 0.0)) {
        return FLX_FAIL(g->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "neither the model nor the run says when it ends: give 'until'");
    }
    return FLX_OK;
}

// Whether other runs may take the steps of this one: nothing else happens in it.
static bool can_follow(const gradient *g)
{
    return !g->cannot && g->keeps && g->n > 1 && g->njump == 0 &&
           flx_slopes_can_follow(g->run->sim->it);
}

// ---- all of it ----------------------------------------------------------------------------------

static flx_status make(gradient *g, flx_gradient *out)
{
    const flx_gradient_def *def = g->def;
    const flx_system *s = g->run->sim->sys;
    size_t np = (size_t)def->nparam, nf;
    g->nvalue = def->nmetric + def->noutput * def->ntime;
    nf = (size_t)g->nvalue;
    double *all = flx_alloc(g->ctx, np + nf + 2 * nf * np, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    *out = (flx_gradient){
        .nvalue = g->nvalue, .nparam = def->nparam, .value = all, .slope = all + nf, .memory = all};
    g->error = all + nf + nf * np; // as flx_gradient_error knows
    g->p = g->error + nf * np;
    for (int k = 0; k < def->nparam; k++)
        FLX_TRY(flx_run_get_parameter(g->run, def->param[k], g->p + k));
    g->quiet = flx_ctx_create();
    if (!g->quiet) return FLX_ERR_MEMORY;
    FLX_TRY(flx_state_create(s, &g->from));
    FLX_TRY(flx_state_create(s, &g->to));
    FLX_TRY(flx_state_create(s, &g->moved));
    g->size = g->from->size;
    flx_run_def twin = g->run->def;
    twin.method = g->run->sim->def;
    twin.until = g->run->horizon;
    twin.log = NULL;
    twin.event = NULL;
    twin.row = NULL;
    twin.progress = NULL;
    twin.no_ledger = 1;
    if (flx_slopes_can_follow(g->run->sim->it)) twin.method.newton_tolerance = NEWTON_PART;
    flx_status status = flx_run_create(g->run->of, &twin, g->quiet, &g->twin);
    if (status != FLX_OK) {
        const flx_message *m = flx_ctx_error(g->quiet, 0);
        return FLX_FAIL(g->ctx, status, FLX_NOWHERE, "%s", m ? m->text : flx_status_text(status));
    }
    // parameters that are not asked for, too
    for (int k = 0; g->run->parameters && k < s->nparameter; k++)
        FLX_TRY(flx_run_set_parameter(g->twin, k, g->run->parameters[k]));
    return FLX_OK;
}

static void clear(gradient *g)
{
    g->run->sim->sharp = false;
    g->run->sim->halves = NULL;
    flx_run_destroy(&g->twin);
    flx_halves_clear(&g->halves);
    flx_run_destroy(&g->tracer);
    flx_state_destroy(&g->from);
    flx_state_destroy(&g->to);
    flx_state_destroy(&g->moved);
    flx_free(g->states);
    flx_free(g->times);
    flx_free(g->orders);
    flx_free(g->records);
    flx_gradient_clear_jumps(g);
    flx_gradient_clear_marks(g);
    flx_slopes_destroy(&g->sl);
    flx_ctx_destroy(&g->quiet);
}

// Derivatives of steps, where they are wanted and the method has them.
static flx_status open_slopes(gradient *g, flx_gradient *out)
{
    flx_gradient_method asked = g->def->method;
    flx_integrator *it = g->run->sim->it;
    if (asked == FLX_GRADIENT_DIFFERENCES || g->def->nparam == 0) return FLX_OK;
    if (asked == FLX_GRADIENT_AUTO) it->ctx = g->quiet; // a refusal is no error then
    flx_status status = flx_slopes_create(it, &g->sl);
    it->ctx = g->ctx;
    if (g->sl) g->record = flx_slopes_record_size(g->sl);
    if (asked != FLX_GRADIENT_AUTO || status != FLX_ERR_CANNOT) return status;
    out->instead = "its method has no derivatives of steps";
    return FLX_OK;
}

// The steps of a run with error control anew, solved as sharply as those that others are compared with: derivatives are those
// at the solution.
static flx_status retrace(gradient *g)
{
    double *value = flx_alloc(g->ctx, (size_t)g->nvalue, sizeof *value);
    if (!value) return FLX_ERR_MEMORY;
    flx_status status = flx_gradient_shift(g, 0, 0.0);
    if (status == FLX_OK && g->nmark > 0) {
        status = flx_gradient_retrace(g);
    } else if (status == FLX_OK) {
        g->retraces = true;
        status = flx_gradient_follow(g, value);
        g->retraces = false;
    }
    flx_free(value);
    if (status > 0) g->cannot = "its steps cannot be made again";
    return status > 0 ? FLX_OK : status;
}

static flx_status find_by_steps(gradient *g, flx_gradient *out)
{
    if (g->nmark > 0 && (g->def->method == FLX_GRADIENT_DIRECT || !flx_gradient_has_adjoint(g))) {
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "its steps take more than 1 GiB, and are carried back alone: take "
                        "'adjoint', of metrics that have one, or 'differences'");
    }
    bool back = g->def->method == FLX_GRADIENT_ADJOINT || g->nmark > 0 ||
                (g->def->method == FLX_GRADIENT_AUTO && g->def->nparam > MORE * g->def->nmetric &&
                 flx_gradient_has_adjoint(g));
    out->method = back ? FLX_GRADIENT_ADJOINT : FLX_GRADIENT_DIRECT;
    if (!back) return flx_gradient_direct(g, out->slope);
    flx_status status = flx_gradient_adjoint(g, out->slope);
    if (status != FLX_SINGULAR) return status;
    // digits were lost, and another way is free to take
    memset(out->slope, 0, (size_t)g->nvalue * (size_t)g->def->nparam * sizeof *out->slope);
    out->method = FLX_GRADIENT_DIRECT;
    return flx_gradient_direct(g, out->slope);
}

static flx_status find_slopes(gradient *g, flx_gradient *out)
{
    flx_gradient_method asked = g->def->method;
    if (g->sl && can_follow(g)) FLX_TRY(retrace(g));
    if (g->sl && !g->cannot) {
        flx_ctx *told = g->ctx;
        if (asked == FLX_GRADIENT_AUTO) g->ctx = g->quiet; // differences are left
        flx_status status = flx_gradient_judge_jumps(g);
        if (status == FLX_OK) status = find_by_steps(g, out);
        bool quiet = g->ctx != told;
        const flx_message *m = quiet ? flx_ctx_error(g->quiet, 0) : NULL;
        g->ctx = told;
        if (!quiet || status == FLX_OK) return status;
        if (status != FLX_ERR_CANNOT)
            return m ? FLX_FAIL(told, status, m->loc, "%s", m->text) : status;
        g->cannot = g->njump > 0 ? "an event in it has no derivative"
                                 : "one of its steps has no derivative";
        memset(out->slope, 0, (size_t)g->nvalue * (size_t)g->def->nparam * sizeof *out->slope);
    }
    if (g->cannot && asked != FLX_GRADIENT_AUTO && asked != FLX_GRADIENT_DIFFERENCES) {
        return FLX_FAIL(g->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "the steps of this run have no derivatives: %s; take differences",
                        g->cannot);
    }
    if (asked == FLX_GRADIENT_AUTO && !out->instead) out->instead = g->cannot;
    out->method = FLX_GRADIENT_DIFFERENCES;
    g->wander = g->events && g->run->sim->it->def.step > 0.0;
    if (can_follow(g)) {
        flx_status status = flx_gradient_differences(g, true, out->slope, g->error, &out->runs);
        if (status == FLX_OK && out->instead)
            out->instead = "its method has no derivatives of steps; the other runs take its steps";
        if (status <= 0) return status; // positive: its steps are none for the others
    }
    return flx_gradient_differences(g, false, out->slope, g->error, &out->runs);
}

flx_status flx_gradient_find(flx_run *run, const flx_gradient_def *def, flx_gradient *out)
{
    if (!run) return flx_refuse_null(NULL, __func__);
    if (!def || !out) return flx_refuse_null(run->sim->ctx, __func__);
    gradient g = {.run = run, .def = def, .ctx = run->sim->ctx, .keeps = true};
    *out = (flx_gradient){0};
    flx_status status = check(&g);
    if (status == FLX_OK) status = make(&g, out);
    if (status == FLX_OK) status = flx_run_reset(run); // it makes its method anew
    if (status == FLX_OK && g.nvalue > 0) status = open_slopes(&g, out);
    if (status == FLX_OK) status = flx_gradient_march(&g, run, out->value);
    out->steps = (int)flx_run_statistics(run).steps;
    g.value = out->value;
    if (status == FLX_OK && def->nparam > 0 && g.nvalue > 0) status = find_slopes(&g, out);
    clear(&g);
    if (status != FLX_OK) flx_gradient_clear(out);
    return status;
}
