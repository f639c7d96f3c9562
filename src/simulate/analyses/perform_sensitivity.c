// perform_sensitivity.c - analyses of type sensitivity: the model compiled once more with its parameters open, its gradient,
// and what counts most.
#include "base/number.h"
#include "flexion/sensitivity.h"
#include "integrate/method.h"
#include "integrate/tolerance.h"
#include "model/sensitivity_data.h"
#include "simulate/analyses/analysis_slopes.h"
#include "simulate/gradient/gradient_read.h"
#include "simulate/run_parts.h"
#include "system/wrapper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct sensitivity {
    flx_simulation *sim;
    const flx_sensitivity_ask *ask;
    flx_arena *arena; // owned
    flx_system *system;
    flx_run *run;
    int nparam, nmetric;
    int nread; // structural parameters behind the others, for which the model is read anew
    int *params, *metrics;
    const char **names, **metric_names;
    double *values; // (nparam)
    flx_loc loc;
} sensitivity;

// Slopes that are off by more than this part of the largest are no derivatives to rely on.
#define NOT_EXACT 1e-3

// ---- what by what -------------------------------------------------------------------------------

static bool is_asked(const sensitivity *s, const char *name)
{
    size_t length = strcspn(name, "(");
    for (int i = 0; i < s->ask->nparameter; i++) {
        const char *asked = s->ask->parameters[i].name;
        if (strcmp(asked, name) == 0) return true;
        if (strlen(asked) == length && strncmp(asked, name, length) == 0) return true;
    }
    return s->ask->nparameter == 0;
}

// The analysis of this name that has slopes; -1: there is none.
static int find_analysis(const sensitivity *s, const char *name)
{
    const flx_model *m = s->sim->model;
    for (int i = 0; i < m->nanalysis; i++) {
        if (strcmp(m->analyses[i].name, name) == 0 && flx_analysis_has_slopes(m->analyses + i))
            return i;
    }
    return -1;
}

static flx_status refuse_structural(const sensitivity *s, const char *name)
{
    const flx_model *m = s->sim->model;
    for (int k = 0; k < m->nparameter; k++) {
        const flx_parameter *p = m->parameters + k;
        if (strcmp(p->name, name) != 0 || !flx_parameter_is_structural(p)) continue;
        return FLX_FAIL(s->sim->ctx, FLX_ERR_CANNOT, p->needed,
                        "parameter '%s' is structural, its number is needed here: the run has no "
                        "derivative by it",
                        name);
    }
    return FLX_FAIL(s->sim->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "parameter '%s' follows from others, or is no number: differentiate by those "
                    "it follows from",
                    name);
}

// A parameter whose number the model is made of, and that it is given as a number.
static bool is_structural(const sensitivity *s, const char *name)
{
    const flx_model *m = s->sim->model;
    for (int k = 0; k < m->nparameter; k++) {
        const flx_parameter *p = m->parameters + k;
        if (strcmp(p->name, name) != 0) continue;
        bool frozen = p->tunable >= 0 && flx_wrapper_frozen(s->system);
        return frozen || flx_parameter_is_structural(p);
    }
    return false;
}

// Of metrics alone, by differences.
static bool may_read(const sensitivity *s, const char *name)
{
    bool exact = s->ask->method == FLX_GRADIENT_DIRECT || s->ask->method == FLX_GRADIENT_ADJOINT;
    for (int i = 0; i < s->ask->nmetric; i++) {
        if (find_analysis(s, s->ask->metrics[i].name) >= 0) return false;
    }
    return !exact && is_structural(s, name);
}

// Behind those that a run may change.
static flx_status list_structural(sensitivity *s, int n)
{
    flx_port_info info;
    for (int i = 0; i < n && s->ask->nparameter > 0; i++) {
        flx_system_describe(s->system, FLX_PORT_PARAMETER, i, &info);
        if (info.tunable || !is_asked(s, info.name)) continue;
        if (!may_read(s, info.name)) return refuse_structural(s, info.name);
        s->values[s->nparam + s->nread] = info.value;
        s->names[s->nparam + s->nread++] = info.name;
    }
    return FLX_OK;
}

static flx_status list_parameters(sensitivity *s)
{
    flx_port_info info;
    int n = 0;
    while (flx_system_describe(s->system, FLX_PORT_PARAMETER, n, &info)) n++;
    s->params = flx_arena_take(s->arena, (size_t)n + 1, sizeof *s->params);
    s->names = flx_arena_take(s->arena, (size_t)n + 1, sizeof *s->names);
    s->values = flx_arena_take(s->arena, (size_t)n + 1, sizeof *s->values);
    if (!s->params || !s->names || !s->values) return FLX_ERR_MEMORY;
    for (int i = 0; i < n; i++) {
        flx_system_describe(s->system, FLX_PORT_PARAMETER, i, &info);
        if (!is_asked(s, info.name)) continue;
        if (!info.tunable) continue;
        s->params[s->nparam] = i;
        s->values[s->nparam] = info.value;
        s->names[s->nparam++] = info.name;
    }
    FLX_TRY(list_structural(s, n));
    int all = s->nparam + s->nread;
    for (int i = 0; i < s->ask->nparameter; i++) {
        const char *name = s->ask->parameters[i].name;
        int k = 0;
        while (k < all && strncmp(s->names[k], name, strlen(name)) != 0) k++;
        if (k == all) return refuse_structural(s, name);
    }
    if (all > 0) return FLX_OK;
    const char *frozen = flx_wrapper_frozen(s->system);
    if (frozen) {
        return FLX_FAIL(s->sim->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                        "%s is found with the parameters that the model was compiled with: name in "
                        "`parameters` those for which it is to be found anew",
                        frozen);
    }
    return FLX_FAIL(s->sim->ctx, FLX_ERR_MODEL, FLX_NOWHERE,
                    "the model has no parameters that could change in a run");
}

static int find_metric(const sensitivity *s, const char *name, flx_nearest *near)
{
    flx_port_info info;
    for (int i = 0; flx_system_describe(s->system, FLX_PORT_METRIC, i, &info); i++) {
        if (strcmp(info.name, name) == 0) return i;
        flx_nearest_offer(near, info.name);
    }
    return -1;
}

static flx_status list_metrics(sensitivity *s, flx_loc loc)
{
    flx_port_info info;
    int n = 0, asked = s->ask->nmetric, others = 0;
    for (int i = 0; i < asked; i++) others += find_analysis(s, s->ask->metrics[i].name) >= 0;
    if (asked > 0 && others == asked) return FLX_OK; // analyses alone
    while (flx_system_describe(s->system, FLX_PORT_METRIC, n, &info)) n++;
    if (n == 0) {
        return FLX_FAIL(s->sim->ctx, FLX_ERR_MODEL, loc,
                        "there is nothing to differentiate: the model has no metrics; as "
                        "outputs: {metrics: {last: final(A.angle)}}");
    }
    int most = asked > 0 ? asked : n;
    s->metrics = flx_arena_take(s->arena, (size_t)most, sizeof *s->metrics);
    s->metric_names = flx_arena_take(s->arena, (size_t)most, sizeof *s->metric_names);
    if (!s->metrics || !s->metric_names) return FLX_ERR_MEMORY;
    for (int k = 0; k < most; k++) {
        int i = s->nmetric;
        if (asked > 0 && find_analysis(s, s->ask->metrics[k].name) >= 0) continue;
        s->metrics[i] = k;
        if (asked > 0) {
            flx_nearest near;
            const flx_sensitivity_name *of = s->ask->metrics + k;
            flx_nearest_start(&near, of->name);
            s->metrics[i] = find_metric(s, of->name, &near);
            const char *best = flx_nearest_best(&near);
            if (s->metrics[i] < 0) {
                return FLX_FAIL(s->sim->ctx, FLX_ERR_MODEL, of->loc,
                                "'%s' is neither a metric of 'outputs' nor an equilibrium or modes "
                                "of 'analyse'%s%s%s",
                                of->name, best ? "; did you mean '" : "", best ? best : "",
                                best ? "'?" : "");
            }
        }
        flx_system_describe(s->system, FLX_PORT_METRIC, s->metrics[i], &info);
        s->metric_names[i] = info.name;
        s->nmetric++;
    }
    return FLX_OK;
}

// ---- what was found -----------------------------------------------------------------------------

static const char *words[] = {"auto", "direct", "adjoint", "differences of runs"};

static flx_status tell_metric(sensitivity *s, const flx_gradient *g, int i, flx_finding *out)
{
    int np = s->nparam;
    const double *slope = g->slope + i * np;
    bool *told = flx_arena_take(s->arena, (size_t)np, sizeof *told);
    if (!told) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_line(s->sim, out, "%s = %.10g", s->metric_names[i], g->value[i]));
    for (int n = 0; n < np; n++) { // what counts most comes first
        int best = -1;
        for (int k = 0; k < np; k++) {
            double size = fabs(slope[k] * s->values[k]);
            if (!told[k] && (best < 0 || size > fabs(slope[best] * s->values[best]))) best = k;
        }
        told[best] = true;
        if (g->value[i] == 0.0) { // it has no part of which the slope could be one
            FLX_TRY(
                flx_finding_line(s->sim, out, "  by %-12s %16.9g", s->names[best], slope[best]));
            continue;
        }
        double relative = s->values[best] * slope[best] / g->value[i];
        FLX_TRY(flx_finding_line(s->sim, out, "  by %-12s %16.9g   relative %10.3g", s->names[best],
                                 slope[best], relative));
    }
    return FLX_OK;
}

static flx_status keep_table(sensitivity *s, const flx_gradient *g, const char *name,
                             flx_finding *out)
{
    int np = s->nparam;
    flx_finding_table *t = flx_finding_add_table(s->sim, out, name, s->nmetric, np + 1);
    if (!t) return FLX_ERR_MEMORY;
    FLX_TRY(flx_finding_column(s->sim, out, t, 0, "value", ""));
    for (int k = 0; k < np; k++)
        FLX_TRY(flx_finding_column(s->sim, out, t, k + 1, s->names[k], ""));
    for (int i = 0; i < s->nmetric; i++) {
        t->values[i * (np + 1)] = g->value[i];
        memcpy(t->values + i * (np + 1) + 1, g->slope + i * np, (size_t)np * sizeof *t->values);
    }
    return FLX_OK;
}

// The largest of errors of slopes of a metric, as a part of its largest slope, each relative to its parameter.
typedef struct worst {
    double part;
    int value, param;
} worst;

static double size_of(const sensitivity *s, int k)
{
    return s->values[k] != 0.0 ? fabs(s->values[k]) : 1.0;
}

// Of a against b; b NULL: of a by its own estimate.
static worst find_worst(const sensitivity *s, const flx_gradient *a, const flx_gradient *b)
{
    int np = s->nparam;
    worst w = {0};
    for (int i = 0; i < s->nmetric; i++) {
        const double *slope = (b ? b : a)->slope + i * np;
        double most = 0.0;
        for (int k = 0; k < np; k++) most = fmax(most, fabs(slope[k]) * size_of(s, k));
        for (int k = 0; k < np && most > 0.0; k++) {
            double error = b ? fabs(a->slope[i * np + k] - slope[k]) : flx_gradient_error(a, i, k);
            double part = error * size_of(s, k) / most;
            if (part <= w.part) continue;
            w = (worst){part, i, k};
        }
    }
    return w;
}

static flx_status compare(sensitivity *s, worst w, const char *what, flx_finding *out)
{
    return flx_finding_line(s->sim, out, "%s are off by %.1e of the largest (%s by %s)", what,
                            w.part, s->metric_names[w.value], s->names[w.param]);
}

// Whether the run, which is at its end, has met events with steps that are given. As a parameter moves them over the ends of
// steps, the error of the run goes up and down, and so do slopes, by an order more.
static bool meets_events(const sensitivity *s)
{
    flx_simulation *sim = s->run->sim;
    return sim->it->def.step > 0.0 && flx_method_of(sim->it)->begin != sim->start->t;
}

// Against those of a run with half the step, or a tenth of the tolerance.
static flx_status compare_with_finer(sensitivity *s, const flx_gradient_def *def,
                                     const flx_gradient *g, flx_finding *out, worst *w)
{
    flx_gradient finer = {0};
    flx_run *run = NULL;
    flx_run_def d = flx_run_def_default();
    bool steps = s->run->sim->it->def.step > 0.0;
    d.method = s->run->sim->def;
    d.until = s->run->horizon;
    d.method.step *= 0.5;
    if (!steps) {
        d.method.rtol = 0.1 * (d.method.rtol > 0.0 ? d.method.rtol : FLX_DEFAULT_RTOL);
        d.method.atol = 0.1 * (d.method.atol > 0.0 ? d.method.atol : FLX_DEFAULT_ATOL);
    }
    flx_status status = flx_run_create(s->system, &d, s->sim->ctx, &run);
    if (status == FLX_OK) status = flx_gradient_find(run, def, &finer);
    if (status == FLX_OK) {
        *w = find_worst(s, g, &finer);
        status = compare(s, *w,
                         steps ? "against runs with half the step, slopes"
                               : "against runs with a tenth of the tolerance, slopes",
                         out);
    }
    flx_gradient_clear(&finer);
    flx_run_destroy(&run);
    return status;
}

// How good differences of runs are. What is not good is a warning, too.
static flx_status judge(sensitivity *s, const flx_gradient_def *def, const flx_gradient *g,
                        flx_finding *out)
{
    worst scatter = find_worst(s, g, NULL), finer = {0};
    bool events = meets_events(s);
    FLX_TRY(flx_finding_line(s->sim, out, "by their scatter, slopes are good to %.1e (%s by %s)",
                             scatter.part, s->metric_names[scatter.value],
                             s->names[scatter.param]));
    if (s->ask->check || events) FLX_TRY(compare_with_finer(s, def, g, out, &finer));
    worst w = finer.part > scatter.part ? finer : scatter;
    if (!(w.part > NOT_EXACT)) return FLX_OK;
    flx_ctx_warn(s->sim->ctx, s->loc,
                 "the slope of %s by %s is not exact, but off by about %.1g of the largest: %s",
                 s->metric_names[w.value], s->names[w.param], w.part,
                 events ? "parameters move events over the ends of steps, whose errors go up and "
                          "down; give rtol in the place of step, or a smaller step"
                        : "differences of runs at other distances, or of finer runs, are others; "
                          "give a smaller tolerance, or a shorter time");
    return FLX_OK;
}

// Slopes g by the parameters so far, and by those for which the model is read anew, in one table.
static flx_status find_structural(sensitivity *s, const flx_gradient *g, flx_finding *out)
{
    int n = s->nmetric, np = s->nparam, all = np + s->nread;
    double *value = flx_arena_take(s->arena, (size_t)n, sizeof *value), most_off = 0.0;
    double *slope = flx_arena_take(s->arena, (size_t)(n * all), sizeof *slope);
    double *one = flx_arena_take(s->arena, 2 * (size_t)n, sizeof *one), *error = one + n;
    if (!value || !slope || !one) return FLX_ERR_MEMORY;
    for (int k = np; k < all; k++) {
        FLX_TRY(flx_gradient_by_reading(s->sim->model, s->names[k], s->values[k], n, s->metrics,
                                        value, one, error));
        most_off = 0.0;
        for (int i = 0; i < n; i++) {
            slope[i * all + k] = one[i];
            if (one[i] != 0.0) most_off = fmax(most_off, error[i] / fabs(one[i]));
        }
        FLX_TRY(flx_finding_line(
            s->sim, out,
            "'%s' is structural: by runs of the model read anew, slopes are good to %.1e of "
            "themselves",
            s->names[k], most_off));
    }
    for (int i = 0; i < n && np > 0; i++) {
        value[i] = g->value[i];
        memcpy(slope + i * all, g->slope + i * np, (size_t)np * sizeof *slope);
    }
    const flx_gradient both = {.nvalue = n, .nparam = all, .value = value, .slope = slope};
    s->nparam = all;
    flx_status status = FLX_OK;
    for (int i = 0; i < n && status == FLX_OK; i++) status = tell_metric(s, &both, i, out);
    if (status == FLX_OK) status = keep_table(s, &both, "slopes", out);
    s->nparam = np;
    return status;
}

static flx_status tell(sensitivity *s, const flx_gradient *g, flx_finding *out)
{
    if (s->nread > 0) return find_structural(s, g, out);
    for (int i = 0; i < s->nmetric; i++) FLX_TRY(tell_metric(s, g, i, out));
    return keep_table(s, g, "slopes", out);
}

static flx_status find(sensitivity *s, flx_finding *out)
{
    flx_gradient g = {0}, check = {0};
    if (s->nparam == 0) return tell(s, &g, out);
    flx_gradient_def def = flx_gradient_def_default();
    def.method = (flx_gradient_method)s->ask->method;
    def.nparam = s->nparam;
    def.param = s->params;
    def.nmetric = s->nmetric;
    def.metric = s->metrics;
    flx_status status = flx_gradient_find(s->run, &def, &g);
    if (status == FLX_OK) {
        status = flx_finding_line(s->sim, out, "by %s, %d steps%s%s", words[g.method], g.steps,
                                  g.instead ? "; " : "", g.instead ? g.instead : "");
    }
    bool differences = status == FLX_OK && g.method == FLX_GRADIENT_DIFFERENCES;
    if (status == FLX_OK) status = tell(s, &g, out);
    def.method = FLX_GRADIENT_DIFFERENCES;
    if (status == FLX_OK && s->ask->check && !differences) {
        status = flx_gradient_find(s->run, &def, &check);
        if (status == FLX_OK)
            status = compare(s, find_worst(s, &g, &check), "differences of runs", out);
        worst finer;
        def.method = g.method;
        if (status == FLX_OK) status = compare_with_finer(s, &def, &g, out, &finer);
    }
    if (status == FLX_OK && differences) status = judge(s, &def, &g, out);
    flx_gradient_clear(&g);
    flx_gradient_clear(&check);
    return status;
}

// Equilibria and modes that are asked for.
static flx_status find_analyses(sensitivity *s, flx_finding *out)
{
    for (int k = 0; k < s->ask->nmetric; k++) {
        flx_analysis_slopes a;
        int number = find_analysis(s, s->ask->metrics[k].name);
        if (number < 0) continue;
        FLX_TRY(flx_analysis_differentiate(s->run, number, s->nparam, s->params, s->arena, &a));
        const flx_gradient g = {
            .nvalue = a.n, .nparam = s->nparam, .value = a.value, .slope = a.slope};
        s->nmetric = a.n;
        s->metric_names = a.names;
        if (a.repeated) {
            FLX_TRY(flx_finding_line(s->sim, out,
                                     "modes %s of '%s' have the same eigenvalue: derivatives are "
                                     "those of their mean",
                                     a.repeated, s->ask->metrics[k].name));
        }
        for (int i = 0; i < a.n; i++) FLX_TRY(tell_metric(s, &g, i, out));
        FLX_TRY(keep_table(s, &g, s->ask->metrics[k].name, out));
    }
    return FLX_OK;
}

// Structural ones cost runs of models that are read anew: they are asked for by name.
static flx_status tell_left_out(sensitivity *s, flx_finding *out)
{
    const flx_model *m = s->sim->model;
    char names[200] = "";
    int n = 0;
    for (int k = 0; k < m->nparameter && s->ask->nparameter == 0; k++) {
        size_t used = strlen(names);
        if (!flx_parameter_is_structural(m->parameters + k)) continue;
        flx_snprintf(names + used, sizeof names - used, "%s'%s'", n++ > 0 ? " and " : "",
                     m->parameters[k].name);
    }
    if (n == 0) return FLX_OK;
    return flx_finding_line(s->sim, out, "%s %s structural and left out: name %s in `parameters`",
                            names, n > 1 ? "are" : "is", n > 1 ? "them" : "it");
}

static flx_status perform(flx_task *t, flx_finding *out)
{
    flx_simulation *sim = t->sim;
    sensitivity s = {
        .sim = sim, .ask = t->a->own, .arena = flx_arena_create(sim->ctx), .loc = t->a->loc};
    if (!s.arena) return FLX_ERR_MEMORY;
    flx_status status =
        flx_system_compile((flx_model *)(uintptr_t)sim->model, NULL, sim->ctx, &s.system);
    if (status == FLX_OK) status = flx_run_create(s.system, NULL, sim->ctx, &s.run);
    if (status == FLX_OK) status = list_parameters(&s);
    if (status == FLX_OK) status = list_metrics(&s, t->a->loc);
    if (status == FLX_OK) status = tell_left_out(&s, out);
    if (status == FLX_OK && s.nmetric > 0) status = find(&s, out);
    if (status == FLX_OK) status = find_analyses(&s, out);
    flx_run_destroy(&s.run);
    flx_system_destroy(&s.system);
    flx_arena_destroy(&s.arena);
    return status;
}

const flx_analysis_performer flx_performer_SENSITIVITY = {.perform = perform};
