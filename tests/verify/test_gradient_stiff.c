// test_gradient_stiff.c - derivatives where parts are stiff, reduced, or begin at rest: weights are found at distances where values
// are polynomials, what cancels is told, and slopes that do not scatter are not believed for that alone.
#include "run_rig.h"

#include <math.h>
#include <string.h>

static flx_status find(rig *r, flx_gradient_method method, int nmetric, flx_gradient *g)
{
    static const int all[4] = {0, 1, 2, 3};
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = 1;
    def.param = all;
    def.nmetric = nmetric;
    def.metric = all;
    return flx_gradient_find(r->run, &def, g);
}

static int read_example(rig *r, const char *path, double until, const char *metrics)
{
    char end[40];
    snprintf(end, sizeof end, "simulate.until=%g", until);
    const char *const set[] = {end, metrics};
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.nset = 2;
    read.settings = set;
    return rig_compile(r, flx_model_read_by(r->ctx, path, &read, &r->model), true);
}

// An elastic rod between joints: where one coordinate is moved and joints are closed, it bends, and its reaction is a cubic of that.
static int elastic_rod(void)
{
    rig r;
    flx_gradient g[2];
    CHECK(read_example(&r, FLX_EXAMPLES "/elastic_crank.yaml", 0.01,
                       "outputs.metrics={a: integral(rod.mode(1)), b: \"integral(rod.mode(1)^2)\", "
                       "c: final(pin.reaction.x), d: integral(slider.position.x)}") == 0);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, 4, &g[0]) == FLX_OK);
    CHECK(find(&r, FLX_GRADIENT_ADJOINT, 4, &g[1]) == FLX_OK);
    for (int i = 0; i < 3; i++) {
        printf("%d: adjoint - direct %8.1e\n", i, g[1].slope[i] / g[0].slope[i] - 1.0);
        CHECK_REL(g[1].slope[i], g[0].slope[i], 1e-8); // it was 5e-5, 2e-4, 1e-3
    }
    for (int k = 0; k < 2; k++) flx_gradient_clear(&g[k]);
    put_away(&r);
    return 0;
}

// What weighs the reaction inside steps cancels but for the last digits: that is told, of the order that it is.
static int cancelled(void)
{
    rig r;
    flx_gradient g[2];
    CHECK(read_example(&r, FLX_EXAMPLES "/elastic_crank.yaml", 0.01,
                       "outputs.metrics={a: integral(pin.reaction.x)}") == 0);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, 1, &g[0]) == FLX_OK);
    CHECK(flx_ctx_warning_count(r.ctx) == 0);
    CHECK(find(&r, FLX_GRADIENT_ADJOINT, 1, &g[1]) == FLX_OK);
    int n = flx_ctx_warning_count(r.ctx);
    const char *told = n > 0 ? strstr(flx_ctx_warning(r.ctx, n - 1)->text, "are good to ") : NULL;
    double off = fabs(g[1].slope[0] / g[0].slope[0] - 1.0), good = 0.0;
    CHECK(told && sscanf(told, "are good to %lf", &good) == 1);
    printf("off by %.1e, told %.1e\n", off, good);
    CHECK(off < 10.0 * good && good < 0.1);
    for (int k = 0; k < 2; k++) flx_gradient_clear(&g[k]);
    put_away(&r);
    return 0;
}

// A reduced system has no drawing of its own; analyses of it ended the program.
static int reduced(void)
{
    rig r;
    flx_gradient g[2];
    CHECK(read_example(&r, FLX_EXAMPLES "/axial_beam.yaml", 0.1,
                       "outputs.metrics={a: integral(phi^2), b: final(z)}") == 0);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, 2, &g[0]) == FLX_OK);
    CHECK(find(&r, FLX_GRADIENT_ADJOINT, 2, &g[1]) == FLX_OK);
    for (int i = 0; i < 2; i++)
        CHECK_NEAR(g[1].slope[i], g[0].slope[i], 1e-8 * fabs(g[0].value[i]) + 1e-12);
    for (int k = 0; k < 2; k++) flx_gradient_clear(&g[k]);
    put_away(&r);
    const char *const set[] = {"analyse.found.type=modes"};
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    CHECK(flx_model_read(ctx, FLX_EXAMPLES "/four_bar_flexible.yaml", 1, set, &m) == FLX_OK);
    CHECK(flx_simulation_create_to_analyse(m, &sim) == FLX_OK);
    CHECK(flx_simulation_analyse(sim, 0, &f) == FLX_OK);
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A parameter that is zero: runs that it moves by too little do not follow it, by the same part each, without scatter.
static int too_near(void)
{
    rig r;
    flx_gradient g;
    CHECK(read_example(&r, FLX_EXAMPLES "/upright_by_vibration.yaml", 0.3,
                       "outputs.metrics={a: \"integral(pin.rate^2)\", b: final(pin.angle)}") == 0);
    int kick = -1;
    flx_port_info info;
    for (int i = 0; flx_system_describe(r.system, FLX_PORT_PARAMETER, i, &info); i++)
        if (strcmp(info.name, "kick") == 0) kick = i;
    const int metrics[2] = {0, 1};
    flx_gradient_def def = flx_gradient_def_default();
    def.method = FLX_GRADIENT_DIFFERENCES;
    def.nparam = 1;
    def.param = &kick;
    def.nmetric = 2;
    def.metric = metrics;
    CHECK(kick >= 0 && flx_gradient_find(r.run, &def, &g) == FLX_OK);
    double off = fabs(g.slope[1] - 0.1456628191), told = flx_gradient_error(&g, 1, 0);
    printf("off by %.1e, told %.1e\n", off, told);
    CHECK(off < 1e-6 && told > 0.1 * off); // it was off by 2.7e-5, and told 5e-13
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

// A link without mass that is driven: runs with other parameters begin as the first one did.
static int driven_without_mass(void)
{
    rig r;
    flx_gradient g[2];
    CHECK(read_example(&r, FLX_EXAMPLES "/car_axis.yaml", 0.05,
                       "outputs.metrics={a: final(left.position.x)}") == 0);
    int metric = 0, length = -1;
    flx_port_info info;
    for (int i = 0; flx_system_describe(r.system, FLX_PORT_PARAMETER, i, &info); i++)
        if (strcmp(info.name, "L0") == 0) length = i;
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = def.nmetric = 1;
    def.param = &length;
    def.metric = &metric;
    for (int k = 0; k < 2; k++) {
        def.method = k == 0 ? FLX_GRADIENT_DIRECT : FLX_GRADIENT_DIFFERENCES;
        CHECK(length >= 0 && flx_gradient_find(r.run, &def, &g[k]) == FLX_OK);
    }
    CHECK_REL(g[0].slope[0], g[1].slope[0], 1e-8);
    for (int k = 0; k < 2; k++) flx_gradient_clear(&g[k]);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(elastic_rod), TEST(cancelled), TEST(reduced), TEST(too_near),
          TEST(driven_without_mass))
