// gradient_rig.h - models of tests/models/gradient with methods and formulations of their own, and their derivatives compared.
#pragma once

#include "flexion/extend/method_table.h"
#include "run_rig.h"

#include <math.h>
#include <string.h>

#define MOST 16

typedef struct subject {
    const char *model, *method, *formulation;
    double tolerance; // of direct against differences
} subject;

// Methods with many unknowns in a step take their time.
static inline double until_of(const subject *c)
{
    static const char *const stages[] = {"radau", "implicit-euler", "gauss", "lobatto"};
    for (size_t i = 0; c->method && i < sizeof stages / sizeof stages[0]; i++) {
        if (strncmp(c->method, stages[i], strlen(stages[i])) == 0) return 0.06;
    }
    // differences do not follow errors of Euler's method that grow
    return c->method && strcmp(c->method, "euler") == 0 ? 0.1 : 0.2;
}

static inline const char *name_of(const subject *c)
{
    if (c->method && strncmp(c->method, "gauss", 5) == 0) return "gauss";
    return c->method && strncmp(c->method, "lobatto", 7) == 0 ? "lobatto" : c->method;
}

// "gauss 2": with two stages
static inline int stages_of(const subject *c)
{
    return c->method && strcmp(c->method, "gauss 2") == 0 ? 2 : 0;
}

static inline flx_formulation form_of(const subject *c)
{
    if (strcmp(c->formulation, "ggl") == 0) return FLX_FORMULATION_GGL;
    if (strcmp(c->formulation, "index-1") == 0) return FLX_FORMULATION_INDEX1;
    return FLX_FORMULATION_INDEX3;
}

static inline const char *family_of(const subject *c)
{
    return c->method && strstr(c->method, "IIIA") ? "IIIA" : NULL;
}

static inline flx_status read_subject(const subject *c, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_TESTS "/models/gradient/%s.yaml", c->model);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    flx_compile_def def = flx_compile_def_default();
    def.formulation = c->formulation;
    def.method.method = name_of(c);
    def.method.family = family_of(c);
    def.method.stages = stages_of(c);
    if (c->method) def.method.step = 5e-3;
    flx_run_def run = flx_run_def_default();
    run.method = def.method;
    if (c->method && strcmp(c->formulation, "tree") != 0) run.method.formulation = form_of(c);
    run.until = until_of(c); // before rounding has grown
    flx_status status = flx_model_read_by(r->ctx, path, &read, &r->model);
    if (status == FLX_OK) status = flx_system_compile(r->model, &def, r->ctx, &r->system);
    if (status == FLX_OK) status = flx_run_create(r->system, &run, r->ctx, &r->run);
    return status;
}

static inline int set_up(const subject *c, rig *r)
{
    flx_status status = read_subject(c, r);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static inline bool is_extreme(const char *name)
{
    return strcmp(name, "J3") == 0 || strcmp(name, "most") == 0;
}

static inline flx_status find(const subject *c, rig *r, flx_gradient_method method, bool all,
                              flx_gradient *g)
{
    int params[MOST], metrics[MOST], outputs[2] = {0, 1}, np = 0, nm = 0;
    double until = until_of(c), times[2] = {0.25 * until, 0.6 * until};
    flx_port_info info;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_PARAMETER, i, &info); i++)
        params[np++] = i;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_METRIC, i, &info); i++)
        if (all || !is_extreme(info.name)) metrics[nm++] = i;
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = np;
    def.param = params;
    def.nmetric = nm;
    def.metric = metrics;
    def.noutput = all ? 2 : 0;
    def.output = outputs;
    def.ntime = 2;
    def.times = times;
    flx_status status = flx_gradient_find(r->run, &def, g);
    if (status != FLX_OK)
        printf("  %s\n", flx_ctx_error(r->ctx, 0) ? flx_ctx_error(r->ctx, 0)->text : "?");
    return status;
}

// Extremes lie between steps, where positions are polynomials whose error depends on the place: differences of runs, whose
// extremes wander over the end of a step, see that.
static inline double share(const rig *r, bool all, int value)
{
    flx_port_info info;
    for (int i = 0; i <= value && !all; i++) { // extremes are left out
        if (flx_system_describe(r->system, FLX_PORT_METRIC, i, &info))
            value += is_extreme(info.name);
    }
    if (!flx_system_describe(r->system, FLX_PORT_METRIC, value, &info)) return 1.0;
    if (strcmp(info.name, "force") == 0) return 0.1; // rounding over the square of the step
    return is_extreme(info.name) ? 1e-2 : 1.0;
}

// The largest difference of two slopes, as a part of the largest slope of the same value.
static inline double distance(const rig *r, bool all, const flx_gradient *a, const flx_gradient *b,
                              int *value, int *param)
{
    double worst = 0.0;
    for (int i = 0; i < a->nvalue; i++) {
        for (int k = 0; k < a->nparam; k++) {
            double p = 0.0, q = 0.0, most = 0.0;
            for (int j = 0; j < a->nparam; j++) {
                flx_run_get_parameter(r->run, j, &q);
                most = fmax(most, fabs(b->slope[i * a->nparam + j] * q));
            }
            flx_run_get_parameter(r->run, k, &p);
            double off = fabs((a->slope[i * a->nparam + k] - b->slope[i * a->nparam + k]) * p);
            off *= share(r, all, i);
            if (!(off <= worst * most)) {
                worst = off / most;
                *value = i;
                *param = k;
            }
        }
    }
    return worst;
}

// A model with a method of its own, and what is asked for of it.
static inline int read_by(const char *name, const char *method, const char *formulation,
                          double step, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_TESTS "/models/gradient/%s.yaml", name);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    CHECK(flx_model_read_by(r->ctx, path, &read, &r->model) == FLX_OK);
    flx_compile_def def = flx_compile_def_default();
    def.formulation = formulation;
    if (method) def.method.method = method;
    def.method.step = step;
    bool implicit = method && (strcmp(method, "radau") == 0 || strcmp(method, "gauss") == 0);
    if (step == 0.0) def.method.rtol = implicit ? 1e-10 : 1e-12;
    if (step == 0.0) def.method.atol = 1e-13;
    CHECK(flx_system_compile(r->model, &def, r->ctx, &r->system) == FLX_OK);
    flx_run_def run = flx_run_def_default();
    run.method = def.method;
    flx_status status = flx_run_create(r->system, &run, r->ctx, &r->run);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static inline flx_status find_all(rig *r, flx_gradient_method method, flx_gradient *g)
{
    int params[MOST], metrics[MOST], np = 0, nm = 0;
    flx_port_info info;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_PARAMETER, i, &info); i++)
        params[np++] = i;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_METRIC, i, &info); i++)
        metrics[nm++] = i;
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = np;
    def.param = params;
    def.nmetric = nm;
    def.metric = metrics;
    return flx_gradient_find(r->run, &def, g);
}
