// test_gradient.c - derivatives of runs: closed forms, steps by error control, parameters together, what is refused. Methods and
// formulations are compared in test_gradient_table.c.
#include "gradient_rig.h"

// The figures of opt-bouncing-ball-gradient, over two bounces: direct and adjoint.
static int bounces(void)
{
    static const double slope[3] = {-0.04201438981719425, 1.044412467072902, 0.04405561775563769};
    static const char *const methods[] = {"radau", "dopri5",   "dop853",     "rk4",
                                          "gauss", "midpoint", "trapezoidal"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        for (int k = 0; k < 2; k++) {
            rig r;
            flx_gradient g;
            CHECK(read_by("bouncing_ball", methods[i], NULL, 0.01, &r) == 0);
            CHECK(find_all(&r, k == 0 ? FLX_GRADIENT_DIRECT : FLX_GRADIENT_ADJOINT, &g) == FLX_OK);
            CHECK_REL(g.value[0], 0.3901712203656115, 1e-10);
            for (int p = 0; p < 3; p++) CHECK_REL(g.slope[p], slope[p], 1e-8);
            flx_gradient_clear(&g);
            put_away(&r);
        }
    }
    // methods of structural dynamics have none, which auto tells
    rig r;
    flx_gradient g;
    CHECK(read_by("bouncing_ball", "generalized-alpha", NULL, 0.01, &r) == 0);
    CHECK(find_all(&r, FLX_GRADIENT_AUTO, &g) == FLX_OK);
    CHECK(g.method == FLX_GRADIENT_DIFFERENCES && g.instead && strstr(g.instead, "events"));
    for (int k = 0; k < 3; k++) CHECK_REL(g.slope[k], slope[k], 1e-7);
    flx_gradient_clear(&g);
    CHECK(find_all(&r, FLX_GRADIENT_DIRECT, &g) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "events happen in it");
    put_away(&r);
    return 0;
}

// A sampled value that follows the motion, an event where the run ends, one that grazes: refused by name, and auto takes
// differences.
static int no_derivative(void)
{
    static const struct {
        const char *model, *says;
    } cases[] = {{"event_sample", "keeps a value"}, {"event_at_end", "where the run ends"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig r;
        flx_gradient g;
        CHECK(read_by(cases[i].model, "dop853", "tree", 0.01, &r) == 0);
        CHECK(find_all(&r, FLX_GRADIENT_DIRECT, &g) == FLX_ERR_CANNOT);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, cases[i].says);
        put_away(&r);
        CHECK(read_by(cases[i].model, "dop853", "tree", 0.01, &r) == 0);
        CHECK(find_all(&r, FLX_GRADIENT_AUTO, &g) == FLX_OK);
        CHECK(g.method == FLX_GRADIENT_DIFFERENCES);
        CHECK_TEXT(g.instead, "an event");
        CHECK(flx_ctx_error_count(r.ctx) == 0);
        flx_gradient_clear(&g);
        put_away(&r);
    }
    return 0;
}

// Masses and stiffnesses of a chain, which are moved together, and a stop that is met late, whose stiffness is in equations of
// another: adjoint and direct agree.
static int together(void)
{
    static const char *const methods[] = {"implicit-euler", "radau", "dopri5"};
    for (int i = 0; i < 3; i++) {
        rig r;
        flx_gradient g[2];
        int value, param;
        CHECK(read_by("chain", methods[i], NULL, 2e-3, &r) == 0);
        CHECK(find_all(&r, FLX_GRADIENT_DIRECT, &g[0]) == FLX_OK);
        CHECK(find_all(&r, FLX_GRADIENT_ADJOINT, &g[1]) == FLX_OK);
        double off = distance(&r, true, &g[1], &g[0], &value, &param);
        printf("%-14s %-18s %-9s adjoint - direct     %8.1e (value %d, parameter %d)\n", "chain",
               methods[i], "", off, value, param);
        CHECK(off < 1e-9);
        flx_gradient_clear(&g[0]);
        flx_gradient_clear(&g[1]);
        put_away(&r);
    }
    return 0;
}

// A measure whose value is zero has a slope, and an extreme whose last value is zero has no adjoint.
static int zero_values(void)
{
    rig r;
    flx_gradient g;
    const int params[2] = {0, 1}, metrics[2] = {0, 1};
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = 2;
    def.param = params;
    def.nmetric = 1;
    def.metric = metrics;
    CHECK(read_by("zero_value", "radau", NULL, 0.03, &r) == 0);
    for (int k = 0; k < 2; k++) {
        def.method = k == 0 ? FLX_GRADIENT_ADJOINT : FLX_GRADIENT_DIRECT;
        CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK && g.method == def.method);
        CHECK(g.value[0] == 1.0);
        CHECK_NEAR(g.slope[0], 1.0, 1e-11);
        CHECK_NEAR(g.slope[1], 0.0, 1e-11);
        flx_gradient_clear(&g);
    }
    def.method = FLX_GRADIENT_ADJOINT;
    def.nmetric = 2;
    CHECK(flx_gradient_find(r.run, &def, &g) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "extremes");
    put_away(&r);
    return 0;
}

static int set_up_controlled(const subject *c, rig *r)
{
    CHECK(set_up(c, r) == 0);
    flx_run_destroy(&r->run);
    flx_run_def run = flx_run_def_default();
    run.method.method = c->method;
    run.method.step = 0.0;
    run.method.rtol = 1e-4;
    run.method.atol = 1e-6;
    if (strcmp(c->formulation, "index-3") == 0) run.method.formulation = FLX_FORMULATION_INDEX3;
    run.until = 0.2;
    CHECK(flx_run_create(r->system, &run, r->ctx, &r->run) == FLX_OK);
    return 0;
}

// Runs whose steps follow their errors: direct and adjoint are those along the steps that were taken, which the runs of the
// differences take, too. Loose tolerances would show it.
static int controlled_steps(void)
{
    static const subject subjects[] = {{"slider_crank", "radau", "index-3", 2e-8},
                                       {"slider_crank", "radau", "ggl", 2e-8},
                                       {"spatial", "radau", "tree", 2e-8}};
    size_t n = sizeof subjects / sizeof subjects[0];
    for (size_t i = 0; i < (short_runs() ? 1 : n); i++) {
        const subject *c = subjects + i;
        rig r;
        flx_gradient g[3];
        int value = 0, param = 0;
        static const flx_gradient_method methods[3] = {FLX_GRADIENT_DIFFERENCES,
                                                       FLX_GRADIENT_DIRECT, FLX_GRADIENT_ADJOINT};
        CHECK(set_up_controlled(c, &r) == 0);
        for (int k = 0; k < 3; k++) {
            CHECK(find(c, &r, methods[k], false, &g[k]) == FLX_OK);
            CHECK(g[k].method == methods[k]);
        }
        double off[2] = {distance(&r, false, &g[1], &g[0], &value, &param),
                         distance(&r, false, &g[2], &g[1], &value, &param)};
        printf("%-14s %-18s %-9s error control: direct - differences %8.1e, adjoint - direct "
               "%8.1e\n",
               c->model, c->method, c->formulation, off[0], off[1]);
        CHECK(off[0] < c->tolerance && off[1] < 1e-8);
        for (int k = 0; k < 3; k++) flx_gradient_clear(&g[k]);
        put_away(&r);
    }
    return 0;
}

// Other methods with error control: how far parameters are moved does not matter, since the other runs take the same steps.
static int frozen_steps(void)
{
    static const subject subjects[] = {{"slider_crank", "dopri5", "tree", 2e-8},
                                       {"spatial", "dop853", "tree", 2e-8},
                                       {"slider_crank", "generalized-alpha", "index-3", 2e-8}};
    size_t n = sizeof subjects / sizeof subjects[0];
    for (size_t i = 0; i < (short_runs() ? 1 : n); i++) {
        const subject *c = subjects + i;
        rig r;
        flx_gradient g[2];
        int value = 0, param = 0, params[MOST], metrics[MOST], np = 0, nm = 0;
        double scale[2][MOST];
        flx_port_info info;
        CHECK(set_up_controlled(c, &r) == 0);
        for (int k = 0; flx_system_describe(r.system, FLX_PORT_PARAMETER, k, &info); k++) {
            double p;
            flx_run_get_parameter(r.run, k, &p);
            scale[0][np] = fabs(p);
            scale[1][np] = 0.3 * fabs(p);
            params[np++] = k;
        }
        for (int k = 0; flx_system_describe(r.system, FLX_PORT_METRIC, k, &info); k++)
            if (!is_extreme(info.name) && strcmp(info.name, "force") != 0) metrics[nm++] = k;
        for (int k = 0; k < 2; k++) {
            flx_gradient_def def = flx_gradient_def_default();
            def.nparam = np;
            def.param = params;
            def.scale = scale[k];
            def.nmetric = nm;
            def.metric = metrics;
            def.method = FLX_GRADIENT_DIFFERENCES;
            CHECK(flx_gradient_find(r.run, &def, &g[k]) == FLX_OK);
            CHECK(g[k].method == FLX_GRADIENT_DIFFERENCES);
        }
        double off = distance(&r, false, &g[0], &g[1], &value, &param);
        printf("%-14s %-18s %-9s frozen, two reaches  %8.1e (value %d, parameter %d)\n", c->model,
               c->method, c->formulation, off, value, param);
        CHECK(off < c->tolerance);
        flx_gradient_clear(&g[0]);
        flx_gradient_clear(&g[1]);
        put_away(&r);
    }
    return 0;
}

// at(signal, time): the derivative is that of the output at this time.
static int at_a_time(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {k: 4, c: 0.3}\n"
        "equations: {second_order: {x: {mass: 1, at: 1, force: -k*x - c*x'}}}\n"
        "simulate: {until: 2, method: generalized-alpha, step: 0.01}\n"
        "outputs: {every: 0.5, signals: [x], metrics: {begin: \"at(x, 0)\", mid: \"at(x, 0.777)\", "
        "end: \"at(x, 2)\", last: final(x), both: \"at(x, 1) - 2*at(x', 1)\"}}\n";
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    CHECK(rig_compile(&r, flx_model_read_by(r.ctx, "text", &read, &r.model), true) == 0);
    const int params[2] = {0, 1}, metrics[5] = {0, 1, 2, 3, 4}, output = 0;
    const double times[1] = {0.777};
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = 2;
    def.param = params;
    def.nmetric = 5;
    def.metric = metrics;
    def.noutput = 1;
    def.output = &output;
    def.ntime = 1;
    def.times = times;
    def.method = FLX_GRADIENT_DIRECT;
    flx_gradient g;
    CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK);
    CHECK(g.value[0] == 1.0 && g.value[2] == g.value[3]);
    CHECK_NEAR(g.value[1], g.value[5], 1e-14);
    double w = sqrt(4.0 - 0.0225), e = exp(-0.15), x = e * (cos(w) + 0.15 / w * sin(w)),
           v = -e * 4.0 / w * sin(w);
    CHECK_NEAR(g.value[4], x - 2.0 * v, 2e-3);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(g.slope[k], 0.0, 1e-12);
        CHECK_NEAR(g.slope[2 + k], g.slope[10 + k], 1e-9);
        CHECK_NEAR(g.slope[4 + k], g.slope[6 + k], 1e-12);
    }
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

static int refusals(void)
{
    static const subject action = {"spatial", "variational", "tree", 0.0};
    static const subject ends = {"slider_crank", "midpoint", "index-3", 0.0};
    static const subject ggl = {"slider_crank", NULL, "ggl", 0.0};
    const subject *const subjects[] = {&action, &ggl, &ends};
    static const char *const words[] = {"method 'variational' has no derivatives",
                                        "formulation ggl", "moves the ends of its steps"};
    for (int i = 0; i < 3; i++) {
        rig r;
        flx_gradient g;
        CHECK(set_up(subjects[i], &r) == 0);
        CHECK(find(subjects[i], &r, FLX_GRADIENT_DIRECT, true, &g) == FLX_ERR_CANNOT);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, words[i]);
        flx_ctx_clear_messages(r.ctx);
        CHECK(find(subjects[i], &r, FLX_GRADIENT_AUTO, true, &g) == FLX_OK);
        CHECK(flx_ctx_error_count(r.ctx) == 0);
        CHECK(g.method == FLX_GRADIENT_DIFFERENCES && g.instead);
        flx_gradient_clear(&g);
        put_away(&r);
    }
    // extremes and outputs at times have no adjoint
    static const subject crank = {"slider_crank", NULL, "index-3", 0.0};
    rig r;
    flx_gradient g;
    CHECK(set_up(&crank, &r) == 0);
    CHECK(find(&crank, &r, FLX_GRADIENT_ADJOINT, true, &g) == FLX_ERR_CANNOT);
    put_away(&r);
    return 0;
}

// The figures of opt-slider-crank-gradient, those of the exact motion: what is left is the error of the steps.
static int slider_crank(void)
{
    static const double J[3] = {0.0033573617694241547, 0.3994656268730975, 0.27202500472362906};
    static const double slope[3][8] = {
        {-0.06086919213169, 0.1235172778006, 0.0001762907289292, 0.001177087323283,
         0.001482765573373, -4.08965179817e-05, -0.0004598253264999, 0.004820312165343},
        {1.66292809223, -1.487095193697, -0.03793760759577, -0.08485752854502, -0.07181512534003,
         0.001101154351593, -0.004498280951749, -0.06912604230287},
        {0.6483410072887712, -1.6456594436167629, 0.008076387601751998, 0.0028045513861880205,
         -0.00832124519474971, 0.00044894214918859504, 0.008315642058230136, -0.06771937660276135}};
    const int params[8] = {0, 1, 2, 3, 4, 5, 6, 7}, metrics[3] = {0, 1, 2};
    rig r = {.ctx = flx_ctx_create()};
    flx_gradient g;
    flx_read_def read = flx_read_def_default();
    const char *path = FLX_EXAMPLES "/slider_crank_gradient.yaml";
    CHECK(rig_compile(&r, flx_model_read_by(r.ctx, path, &read, &r.model), false) == 0);
    flx_run_def run = flx_run_def_default();
    run.method.method = "generalized-alpha";
    run.method.step = 2.5e-4;
    CHECK(flx_run_create(r.system, &run, r.ctx, &r.run) == FLX_OK);
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = 8;
    def.param = params;
    def.nmetric = 3;
    def.metric = metrics;
    CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK && g.method == FLX_GRADIENT_DIRECT);
    for (int i = 0; i < 3; i++) {
        CHECK_REL(g.value[i], J[i], i == 0 ? 1e-5 : 1e-6);
        for (int k = 0; k < 8; k++) CHECK_REL(g.slope[i * 8 + k], slope[i][k], 1e-4);
    }
    flx_gradient_clear(&g);
    // radau, by the tolerance
    flx_run_destroy(&r.run);
    run = flx_run_def_default();
    run.method.method = "radau";
    run.method.rtol = 1e-8;
    run.method.atol = 1e-10;
    CHECK(flx_run_create(r.system, &run, r.ctx, &r.run) == FLX_OK);
    CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK && g.method == FLX_GRADIENT_DIRECT);
    for (int i = 0; i < 3; i++) {
        CHECK_REL(g.value[i], J[i], 1e-9);
        for (int k = 0; k < 8; k++) CHECK_REL(g.slope[i * 8 + k], slope[i][k], 1e-7);
    }
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

TEST_MAIN(SLOW_TEST(slider_crank), TEST(bounces), TEST(no_derivative), TEST(together),
          TEST(zero_values), TEST(controlled_steps), TEST(frozen_steps), TEST(at_a_time),
          TEST(refusals))
