// test_gradient_stretches.c - adjoint slopes of runs whose states would take too much memory: stretches of a run are made again,
// and nothing else changes.
#include "run_rig.h"
#include "simulate/run_parts.h"

#include <math.h>
#include <string.h>

#define MOST 40

typedef struct subject {
    const char *model, *method, *formulation;
    double step;
    size_t numbers; // that states may take
} subject;

static int set_up(const subject *c, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_TESTS "/models/gradient/%s.yaml", c->model);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    CHECK(flx_model_read_by(r->ctx, path, &read, &r->model) == FLX_OK);
    flx_compile_def def = flx_compile_def_default();
    def.formulation = c->formulation;
    def.method.method = c->method;
    def.method.step = c->step;
    if (c->step == 0.0) def.method.rtol = 1e-9;
    CHECK(flx_system_compile(r->model, &def, r->ctx, &r->system) == FLX_OK);
    flx_run_def run = flx_run_def_default();
    run.method = def.method;
    flx_status status = flx_run_create(r->system, &run, r->ctx, &r->run);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static flx_status find(rig *r, flx_gradient_method method, flx_gradient *g)
{
    int params[MOST], metrics[MOST], np = 0, nm = 0;
    flx_port_info info;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_PARAMETER, i, &info); i++)
        params[np++] = i;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_METRIC, i, &info); i++) {
        bool extreme = strcmp(info.name, "J3") == 0 || strcmp(info.name, "most") == 0;
        if (!extreme) metrics[nm++] = i;
    }
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = np;
    def.param = params;
    def.nmetric = nm;
    def.metric = metrics;
    return flx_gradient_find(r->run, &def, g);
}

static int compare(const subject *c)
{
    rig r;
    flx_gradient whole, parts;
    CHECK(set_up(c, &r) == 0);
    CHECK(find(&r, FLX_GRADIENT_ADJOINT, &whole) == FLX_OK);
    double end = r.run->sim->state->t, last = r.run->sim->state->v[0];
    r.run->gradient_numbers = c->numbers;
    flx_status status = find(&r, FLX_GRADIENT_ADJOINT, &parts);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r.ctx, 0)->text);
    CHECK(status == FLX_OK && parts.method == FLX_GRADIENT_ADJOINT);
    CHECK(r.run->sim->state->t == end && r.run->sim->state->v[0] == last); // it is at its end again
    for (int i = 0; i < whole.nvalue; i++) {
        double most = 0.0, off = 0.0;
        CHECK(parts.value[i] == whole.value[i]);
        for (int k = 0; k < whole.nparam; k++) {
            double a = whole.slope[i * whole.nparam + k], b = parts.slope[i * whole.nparam + k];
            most = fmax(most, fabs(a));
            off = fmax(off, fabs(a - b));
        }
        printf("%-14s %-18s value %d: in stretches %8.1e\n", c->model, c->method, i, off / most);
        CHECK(off <=
              1e-11 *
                  most); // slopes of equations are differences, of steps that are taken together
    }
    flx_gradient_clear(&parts);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, &parts) == FLX_ERR_CANNOT); // so there were stretches
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "carried back alone");
    flx_gradient_clear(&whole);
    put_away(&r);
    return 0;
}

static int stretches_change_nothing(void)
{
    static const subject cases[] = {{"slider_crank", "generalized-alpha", "index-3", 5e-3, 1500},
                                    {"slider_crank", "radau", "ggl", 5e-3, 5000},
                                    {"slider_crank", "radau", "ggl", 0.0, 6000},
                                    {"chain", "radau", NULL, 2e-3, 4000},
                                    {"bouncing_ball", "gauss", NULL, 0.01, 400},
                                    {"bouncing_ball", "rk4", NULL, 0.01, 1200},
                                    {"bouncing_ball", "midpoint", NULL, 0.01, 400}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) CHECK(compare(cases + i) == 0);
    return 0;
}

TEST_MAIN(TEST(stretches_change_nothing))
