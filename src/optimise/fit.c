// fit.c - flexion/optimise.h: the run of a model against measured tables.
//
// Residuals are weight (run - measured) at the times of the tables, their derivatives those of the run (flexion/sensitivity.h).
// With s^2 = |r|^2/(m - n) at the optimum
//     covariance = s^2 (J^T J)^-1,   error_i = sqrt(covariance_ii)                                       (FIT-2)
#include "flexion/optimise.h"

#include "base/common.h"
#include "base/error_place.h"
#include "base/number.h"
#include "base/refuse.h"
#include "math/dense.h"
#include "model/model_data.h"
#include "optimise/least_squares.h"
#include "optimise/slope_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Directions in which the data change by less than this part of the most, each parameter by its range, are not determined.
#define UNDETERMINED 1e-6
// A parameter takes part in such a direction with this of it.
#define TAKES_PART 0.3

typedef struct fit {
    flx_ctx *ctx;
    const flx_fit_def *def;
    const flx_optimise *o;
    flx_arena *arena; // owned by the result
    flx_system *system;
    flx_run *run;
    int n, m, ntime;
    int *params, *outputs; // (n) (tables)
    double *times;         // (ntime) of all tables, ascending
    int *place;            // (m) of a value in the outputs of the run
    double *scale;         // (n)
    int number;            // of evaluations
    double first_sum;
    bool stopped;
    flx_gradient_method method;
    flx_slope_error slope_error;
} fit;

const char *flx_model_optimised(const flx_model *model, int i)
{
    if (!model) return NULL;
    return i >= 0 && i < model->optimise.nparameter ? model->optimise.parameters[i].name : NULL;
}

void flx_fit_clear(flx_fit *out)
{
    flx_arena *arena = out ? out->memory : NULL;
    if (arena) flx_arena_destroy(&arena);
    if (out) *out = (flx_fit){0};
}

// ---- what is compared with what -----------------------------------------------------------------

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static flx_status collect(fit *f)
{
    const flx_optimise *o = f->o;
    for (int k = 0; k < o->nmeasured; k++) f->m += o->measured[k].n;
    f->times = flx_arena_take(f->arena, (size_t)f->m, sizeof *f->times);
    f->place = flx_arena_take(f->arena, (size_t)f->m, sizeof *f->place);
    f->outputs = flx_arena_take(f->arena, (size_t)o->nmeasured, sizeof *f->outputs);
    if (!f->times || !f->place || !f->outputs) return FLX_ERR_MEMORY;
    int n = 0;
    for (int k = 0; k < o->nmeasured; k++) {
        const flx_measured *d = o->measured + k;
        int told = flx_ctx_error_count(f->ctx);
        f->outputs[k] = flx_system_output(f->system, d->signal, f->ctx);
        if (f->outputs[k] < 0) {
            flx_ctx_forget_errors(f->ctx, told);
            return FLX_FAIL(f->ctx, FLX_ERR_MODEL, d->signal_loc,
                            "'%s' is not among 'signals' of 'outputs'", d->signal);
        }
        for (int i = 0; i < d->n; i++) f->times[n++] = d->t[i];
    }
    qsort(f->times, (size_t)n, sizeof *f->times, ascending);
    for (int i = 0; i < n; i++) {
        if (i == 0 || f->times[i] > f->times[f->ntime - 1]) f->times[f->ntime++] = f->times[i];
    }
    n = 0;
    for (int k = 0; k < o->nmeasured; k++) {
        for (int i = 0; i < o->measured[k].n; i++) {
            const double *at = bsearch(o->measured[k].t + i, f->times, (size_t)f->ntime,
                                       sizeof *f->times, ascending);
            f->place[n++] = (int)(at - f->times) * o->nmeasured + k;
        }
    }
    if (f->m > f->n) return FLX_OK;
    return FLX_FAIL(f->ctx, FLX_ERR_MODEL, o->loc,
                    "%d measured values do not tell %d parameters and an error: give more values",
                    f->m, f->n);
}

static flx_status find_parameters(fit *f)
{
    f->n = f->o->nparameter;
    f->params = flx_arena_take(f->arena, (size_t)f->n, sizeof *f->params);
    f->scale = flx_arena_take(f->arena, (size_t)f->n, sizeof *f->scale);
    if (!f->params || !f->scale) return FLX_ERR_MEMORY;
    for (int i = 0; i < f->n; i++) {
        const flx_optimised *p = f->o->parameters + i;
        flx_port_info info = {0};
        f->params[i] = flx_system_parameter(f->system, p->name, f->ctx);
        bool known = f->params[i] >= 0 &&
                     flx_system_describe(f->system, FLX_PORT_PARAMETER, f->params[i], &info);
        if (!known || !info.tunable) {
            return FLX_FAIL(f->ctx, FLX_ERR_CANNOT, p->loc,
                            "parameter '%s' is structural, or follows from others: a run has no "
                            "derivative by it",
                            p->name);
        }
        f->scale[i] = 0.1 * (p->to - p->from);
    }
    return FLX_OK;
}

// ---- a point ------------------------------------------------------------------------------------

static flx_status find_gradient(fit *f, bool slopes, flx_gradient *g)
{
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = slopes ? f->n : 0;
    def.param = f->params;
    def.scale = f->scale;
    def.noutput = f->o->nmeasured;
    def.output = f->outputs;
    def.ntime = f->ntime;
    def.times = f->times;
    int told = flx_ctx_error_count(f->ctx);
    flx_status status = flx_gradient_find(f->run, &def, g);
    flx_ctx_place_errors(f->ctx, told, f->o->loc);
    return status;
}

static flx_status set_parameters(fit *f, const double *x)
{
    for (int i = 0; i < f->n; i++) FLX_TRY(flx_run_set_parameter(f->run, f->params[i], x[i]));
    return FLX_OK;
}

static void take(const fit *f, const flx_gradient *g, double *r, double *J)
{
    int k = 0;
    for (int d = 0; d < f->o->nmeasured; d++) {
        const flx_measured *data = f->o->measured + d;
        for (int i = 0; i < data->n; i++, k++) {
            r[k] = data->weight * (g->value[f->place[k]] - data->y[i]);
            for (int j = 0; j < f->n && J; j++)
                J[k * f->n + j] = data->weight * g->slope[f->place[k] * f->n + j];
        }
    }
}

// A run that fails is a point without a value: its message goes to the one who listens, and not to the user.
static flx_status evaluate(void *user, const double *x, double *r, double *J)
{
    fit *f = user;
    flx_gradient g = {0};
    char why[200] = "";
    int told = flx_ctx_error_count(f->ctx);
    if (f->stopped) return FLX_INTERRUPTED;
    flx_status status = set_parameters(f, x);
    if (status == FLX_OK) status = find_gradient(f, J != NULL, &g);
    if (status == FLX_ERR_MEMORY || status == FLX_ERR_CANNOT || status == FLX_ERR_ARGUMENT)
        return status;
    double sum = (double)NAN;
    if (status == FLX_OK) {
        take(f, &g, r, J);
        sum = 0.0;
        for (int k = 0; k < f->m; k++) sum += r[k] * r[k];
        if (J) f->method = g.method;
        if (J) flx_slope_error_take(&f->slope_error, &g, f->scale);
        if (f->number == 0) f->first_sum = sum;
    } else {
        const flx_message *m = flx_ctx_error(f->ctx, told);
        flx_snprintf(why, sizeof why, "%s", m ? m->text : flx_status_text(status));
        if (f->number > 0) flx_ctx_clear_messages(f->ctx);
        status = FLX_NO_CONVERGENCE;
    }
    flx_gradient_clear(&g);
    f->number++;
    if (f->def->evaluated &&
        f->def->evaluated(f->def->user, f->number, f->n, x, sum, why[0] ? why : NULL))
        f->stopped = true;
    return status;
}

// ---- what the optimum says ----------------------------------------------------------------------

// Directions of parameters, each by its range, that change the data least; and (FIT-2) over the others.
static flx_status judge(fit *f, const flx_least_squares *q, flx_fit *out)
{
    int n = f->n;
    size_t nn = (size_t)n * (size_t)n;
    double *V = flx_arena_take(f->arena, 2 * nn + (size_t)n, sizeof *V), *C = V + nn, *w = C + nn;
    if (!V) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) V[i * n + j] = q->normal[i * n + j] * f->scale[i] * f->scale[j];
    }
    FLX_TRY(flx_dense_symmetric_eigen(f->ctx, n, V, w)); // vectors by columns, one after another
    double least = UNDETERMINED * UNDETERMINED * w[n - 1], s2 = q->sum / (f->m - n);
    for (int k = 0; k < n; k++) {
        bool lost = !(w[k] > least);
        for (int i = 0; i < n; i++) {
            if (lost && fabs(V[k * n + i]) > TAKES_PART) out->parameters[i].undetermined = 1;
            for (int j = 0; j < n && !lost; j++) {
                C[i * n + j] += s2 * V[k * n + i] * V[k * n + j] / w[k] * f->scale[i] * f->scale[j];
            }
        }
    }
    for (int i = 0; i < n; i++) {
        flx_fit_parameter *p = out->parameters + i;
        p->error = p->undetermined ? (double)NAN : sqrt(C[i * n + i]);
        for (int j = 0; j < n; j++) {
            double size = sqrt(C[i * n + i] * C[j * n + j]);
            out->correlation[i * n + j] = size > 0.0 ? C[i * n + j] / size : i == j;
        }
    }
    for (int k = 0; k < f->m; k++) {
        double sum = 0.0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) sum += q->J[k * n + i] * C[i * n + j] * q->J[k * n + j];
        }
        out->points[k].error = sqrt(fmax(sum, 0.0)) / out->points[k].weight;
    }
    return FLX_OK;
}

static flx_status report(fit *f, const flx_least_squares *q, flx_fit *out)
{
    size_t n = (size_t)f->n, m = (size_t)f->m;
    out->parameters = flx_arena_take(f->arena, n, sizeof *out->parameters);
    out->correlation = flx_arena_take(f->arena, n * n, sizeof *out->correlation);
    out->points = flx_arena_take(f->arena, m, sizeof *out->points);
    if (!out->parameters || !out->correlation || !out->points) return FLX_ERR_MEMORY;
    out->nparam = f->n;
    out->npoint = f->m;
    for (int i = 0; i < f->n; i++) {
        const flx_optimised *p = f->o->parameters + i;
        double x = q->x[i];
        char *name = flx_arena_copy(f->arena, p->name, strlen(p->name));
        if (!name) return FLX_ERR_MEMORY;
        out->parameters[i] = (flx_fit_parameter){.name = name,
                                                 .value = x,
                                                 .from = p->from,
                                                 .to = p->to,
                                                 .at_bound = x <= p->from ? -1
                                                             : x >= p->to ? 1
                                                                          : 0};
    }
    int k = 0;
    for (int d = 0; d < f->o->nmeasured; d++) {
        const flx_measured *data = f->o->measured + d;
        for (int i = 0; i < data->n; i++, k++) {
            out->points[k] = (flx_fit_point){.table = d,
                                             .t = data->t[i],
                                             .measured = data->y[i],
                                             .fitted = data->y[i] + q->r[k] / data->weight,
                                             .weight = data->weight};
        }
    }
    out->sum = q->sum;
    out->first_sum = f->first_sum;
    out->iterations = q->iterations;
    out->evaluations = q->evaluations;
    out->failures = q->failures;
    out->why = f->stopped ? "it was interrupted" : q->why;
    out->converged = q->converged && !f->stopped;
    out->method = f->method;
    out->slope_error = flx_slope_error_largest(&f->slope_error);
    return judge(f, q, out);
}

// ---- all of it ----------------------------------------------------------------------------------

static flx_status search(fit *f, flx_fit *out)
{
    size_t n = (size_t)f->n, m = (size_t)f->m;
    double *all = flx_arena_take(f->arena, 3 * n + m + m * n + n * n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    FLX_TRY(flx_slope_error_make(f->arena, f->o->nmeasured * f->ntime, &f->slope_error));
    double *lower = all + n, *upper = all + 2 * n;
    flx_least_squares q = {.n = f->n,
                           .m = f->m,
                           .x = all,
                           .lower = lower,
                           .upper = upper,
                           .evaluate = evaluate,
                           .user = f,
                           .most = f->o->iterations,
                           .r = all + 3 * n,
                           .J = all + 3 * n + m,
                           .normal = all + 3 * n + m + m * n};
    for (int i = 0; i < f->n; i++) {
        const flx_optimised *p = f->o->parameters + i;
        lower[i] = p->from;
        upper[i] = p->to;
        q.x[i] = p->initial;
        if (f->def->initial) q.x[i] = f->def->initial[i];
        if (isinf(q.x[i])) {
            return FLX_FAIL(f->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                            "the first guess of '%s' is not finite", p->name);
        }
        if (isnan(q.x[i])) FLX_TRY(flx_run_get_parameter(f->run, f->params[i], q.x + i));
    }
    flx_status status = flx_least_squares_find(f->ctx, &q);
    if (status < 0 || (status != FLX_OK && !q.why && !f->stopped)) return status;
    FLX_TRY(report(f, &q, out));
    return out->converged ? FLX_OK : f->stopped ? FLX_INTERRUPTED : FLX_NO_CONVERGENCE;
}

flx_status flx_fit_find(flx_model *model, const flx_fit_def *def, flx_ctx *ctx, flx_fit *out)
{
    if (!model || !ctx || !out) return flx_refuse_null(ctx, __func__);
    const flx_fit_def nothing = flx_fit_def_default();
    *out = (flx_fit){0};
    if (def && def->size != sizeof *def) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the definition of a fit has no valid size: begin with "
                        "flx_fit_def_default()");
    }
    FLX_TRY(flx_model_refresh_for(model, ctx));
    if (!model->optimise.loc.file) {
        return FLX_FAIL(ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "the model has no block 'optimise'; as\n"
                        "    optimise: {parameters: {k: {from: 1, to: 10}}, fit: [{file: data.csv, "
                        "signal: A.angle}]}");
    }
    fit f = {.ctx = ctx, .def = def ? def : &nothing, .o = &model->optimise};
    f.arena = flx_arena_create(ctx);
    if (!f.arena) return FLX_ERR_MEMORY;
    flx_run_def run = flx_run_def_default();
    run.no_ledger = 1;
    flx_status status = flx_system_compile(model, NULL, ctx, &f.system);
    if (status == FLX_OK) status = flx_run_create(f.system, &run, ctx, &f.run);
    if (status == FLX_OK) status = find_parameters(&f);
    if (status == FLX_OK) status = collect(&f);
    if (status == FLX_OK) status = search(&f, out);
    flx_run_destroy(&f.run);
    flx_system_destroy(&f.system);
    out->memory = f.arena;
    if (!out->parameters) flx_fit_clear(out);
    return status;
}
