// test_gradient_table.c - derivatives of runs: direct, adjoint and differences of runs agree, for every method and formulation that
// has them, with and without events. Prints the table.
#include "gradient_rig.h"

// What is differentiated is what the run itself finds; but for normals along which joints are closed: those between stages, and at
// ends of explicit steps, are then functions of the state alone (extremes are sought to 1e-11 of it in a run).
static int values_are_those_of_the_run(const subject *c, rig *r, const flx_gradient *g)
{
    flx_port_info info;
    double off = 1e-12;
    if (until_of(c) < 0.1) off = 1e-7; // stages
    if (c->method && strstr("dopri5 dop853 rk4 euler", c->method)) off = 1e-9;
    if (c->method && strcmp(c->method, "implicit-euler") == 0) off = 1e-6;
    if (c->method && strcmp(c->method, "euler") == 0) off = 1e-3; // far off the joints
    CHECK(flx_run_reset(r->run) == FLX_OK && flx_run_finish(r->run) == FLX_OK);
    const flx_ledger *l = flx_run_ledger(r->run);
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_METRIC, i, &info); i++)
        CHECK_REL(g->value[i], l->metrics[i], fmax(off, is_extreme(info.name) ? 1e-10 : off));
    return 0;
}

static int compare(const subject *c)
{
    rig r;
    int value = 0, param = 0;
    flx_gradient direct, differences;
    CHECK(set_up(c, &r) == 0);
    CHECK(find(c, &r, FLX_GRADIENT_DIRECT, true, &direct) == FLX_OK);
    CHECK(values_are_those_of_the_run(c, &r, &direct) == 0);
    CHECK(direct.method == FLX_GRADIENT_DIRECT);
    CHECK(find(c, &r, FLX_GRADIENT_DIFFERENCES, true, &differences) == FLX_OK);
    double off = distance(&r, true, &direct, &differences, &value, &param);
    printf("%-14s %-18s %-9s direct - differences %8.1e (value %d, parameter %d)\n", c->model,
           c->method ? c->method : "generalized-alpha", c->formulation, off, value, param);
    CHECK(off < c->tolerance);
    flx_gradient_clear(&direct);
    flx_gradient_clear(&differences);
    flx_gradient adjoint;
    CHECK(find(c, &r, FLX_GRADIENT_DIRECT, false, &direct) == FLX_OK);
    CHECK(find(c, &r, FLX_GRADIENT_ADJOINT, false, &adjoint) == FLX_OK);
    CHECK(adjoint.method == FLX_GRADIENT_ADJOINT);
    off = distance(&r, false, &adjoint, &direct, &value, &param);
    printf("%-14s %-18s %-9s adjoint - direct     %8.1e (value %d, parameter %d)\n", c->model,
           c->method ? c->method : "generalized-alpha", c->formulation, off, value, param);
    CHECK(off < 1e-9);
    flx_gradient_clear(&direct);
    flx_gradient_clear(&adjoint);
    put_away(&r);
    return 0;
}

// Whether the method takes this formulation of the model, and has derivatives of its steps there.
static int is_claimed(const subject *c, bool *claimed)
{
    rig r;
    flx_gradient g;
    const int metric = 0, param = 0;
    *claimed = false;
    if (read_subject(c, &r) == FLX_OK) {
        flx_gradient_def def = flx_gradient_def_default();
        def.method = FLX_GRADIENT_DIRECT;
        def.nparam = def.nmetric = 1;
        def.param = &param;
        def.metric = &metric;
        flx_status status = flx_gradient_find(r.run, &def, &g);
        CHECK(status == FLX_OK || status == FLX_ERR_CANNOT);
        *claimed = status == FLX_OK;
        flx_gradient_clear(&g);
    }
    put_away(&r);
    return 0;
}

// All methods in all formulations, of bodies and of joint coordinates, plane and in space, and of equations without bodies: whoever
// claims derivatives has them.
static int agree(void)
{
    static const char *const models[] = {"slider_crank", "spatial", "predators"};
    static const char *const forms[] = {"index-3", "ggl", "index-1", "tree"};
    static const char *const methods[] = {
        "generalized-alpha", "hht",          "newmark", "radau", "implicit-euler",
        "lobatto",           "lobatto IIIA", "gauss 2", "gauss", "midpoint",
        "trapezoidal",       "dopri5",       "dop853",  "rk4",   "euler",
        "energy-momentum",   "variational",  "galerkin"};
    int claims = 0, nmethod = sizeof methods / sizeof methods[0];
    for (int i = 0; i < 3 * 4 * nmethod; i++) {
        const subject c = {models[i / (4 * nmethod)], methods[i % nmethod], forms[i / nmethod % 4],
                           1e-8};
        bool claimed;
        if (short_runs() && i > 0) break;
        CHECK(is_claimed(&c, &claimed) == 0);
        claims += claimed;
        if (claimed) CHECK(compare(&c) == 0);
    }
    printf("%d of methods, formulations and models have derivatives of steps\n", claims);
    CHECK(short_runs() || claims == 81);
    return 0;
}

// A model with a method and a formulation of its own, by error control.
static flx_status read_controlled(const char *name, const char *method, const char *formulation,
                                  rig *r)
{
    const subject c = {.model = name, .method = method, .formulation = formulation};
    flx_status status = read_subject(&c, r);
    if (status != FLX_OK) return status;
    bool implicit = strncmp(method, "dop", 3) != 0;
    flx_run_destroy(&r->run);
    flx_run_def run = flx_run_def_default();
    run.method.method = method;
    run.method.rtol = implicit ? 1e-10 : 1e-12;
    run.method.atol = 1e-13;
    if (strcmp(formulation, "tree") != 0) run.method.formulation = form_of(&c);
    return flx_run_create(r->system, &run, r->ctx, &r->run);
}

// Events in a double pendulum, in the coordinates of bodies and of joints: a switch in a force, a condition that turns a rate
// round, kicks by a clock whose period is a parameter, a stop of a joint.
static const char *const event_models[] = {"event_switch", "event_state", "event_clock",
                                           "event_stop"};

// Over events, by error control: 1: compared; 0: not claimed; -1: wrong.
static int compare_over_events(const char *model, const char *method, const char *formulation)
{
    static const flx_gradient_method ways[3] = {FLX_GRADIENT_DIRECT, FLX_GRADIENT_ADJOINT,
                                                FLX_GRADIENT_DIFFERENCES};
    rig r;
    flx_gradient g[3] = {{0}};
    int value, param, found = 1;
    double back = 0.0, off = 0.0;
    if (read_controlled(model, method, formulation, &r) != FLX_OK) found = 0;
    for (int k = 0; k < 3 && found == 1; k++) {
        flx_status status = find_all(&r, ways[k], &g[k]);
        if (status != FLX_OK) found = k == 0 && status == FLX_ERR_CANNOT ? 0 : -1;
    }
    if (found == 1) {
        back = distance(&r, true, &g[1], &g[0], &value, &param);
        off = distance(&r, true, &g[0], &g[2], &value, &param);
        printf("%-14s %-18s %-9s adjoint - direct %8.1e, direct - differences %8.1e\n", model,
               method, formulation, back, off);
        // steps of index 3 begin anew after an event with velocities of less accuracy
        bool rough = strcmp(formulation, "index-3") == 0;
        if (!(back < 1e-9 && off < (rough ? 1e-6 : 1e-8))) found = -1;
    }
    for (int k = 0; k < 3; k++) flx_gradient_clear(&g[k]);
    put_away(&r);
    return found;
}

static int events(void)
{
    static const char *const forms[] = {"index-3", "ggl", "index-1", "tree"};
    static const char *const methods[] = {"radau",  "gauss",  "lobatto",
                                          "dopri5", "dop853", "generalized-alpha"};
    int claims = 0, nmethod = sizeof methods / sizeof methods[0];
    for (int i = 0; i < 4 * 4 * nmethod; i++) {
        if (short_runs() && i > 0) break;
        int found = compare_over_events(event_models[i / (4 * nmethod)], methods[i % nmethod],
                                        forms[i / nmethod % 4]);
        CHECK(found >= 0);
        claims += found;
    }
    printf("%d of methods, formulations and models carry derivatives over events\n", claims);
    CHECK(short_runs() || claims == 27);
    return 0;
}

TEST_MAIN(TEST(agree), TEST(events))
