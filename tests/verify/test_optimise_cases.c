// test_optimise_cases.c - the reference cases of fits, designs, samples and gradients, from their files.
#include "check.h"
#include "flexion/flexion.h"
#include "math/sample/sample_points.h"
#include "reference_case.h"

static int pendulum_fit(void)
{
    static const char *const names[3] = {"L", "b", "angle at the start"};
    static const char *const errors[3] = {"standard error of L", "standard error of b",
                                          "standard error of the start"};
    reference_case r = reference_open("opt-pendulum-fit");
    flx_model *m = NULL;
    flx_fit f;
    const flx_read_def def = flx_read_def_default();
    CHECK(flx_model_read_by(r.ctx, FLX_EXAMPLES "/pendulum_fit.yaml", &def, &m) == FLX_OK);
    CHECK(flx_fit_find(m, NULL, r.ctx, &f) == FLX_OK);
    for (int i = 0; i < 3; i++) {
        reference_compare(&r, names[i], f.parameters[i].value);
        reference_compare(&r, errors[i], f.parameters[i].error);
    }
    reference_compare(&r, "sum of squares", f.sum);
    CHECK(r.failed == 0 && r.compared == 7);
    flx_fit_clear(&f);
    flx_model_destroy(&m);
    reference_close(&r);
    return 0;
}

static int tuned_mass_damper(void)
{
    reference_case r = reference_open("opt-tuned-mass-damper");
    flx_model *m = NULL;
    flx_design d;
    CHECK(flx_model_read(r.ctx, FLX_EXAMPLES "/tuned_mass_damper.yaml", 0, NULL, &m) == FLX_OK);
    flx_status status = flx_design_find(m, NULL, r.ctx, &d);
    if (status == FLX_ERR_UNAVAILABLE) {
        flx_ctx_clear_messages(r.ctx);
        flx_model_destroy(&m);
        reference_close(&r);
        SKIP("built without NLopt");
    }
    CHECK(status == FLX_OK && d.converged && d.goals[0].parts == 2);
    reference_compare(&r, "frequency ratio", d.parameters[0].value);
    reference_compare(&r, "damping ratio of the absorber", d.parameters[1].value);
    reference_compare(&r, "peak of |x1 k1/F|", d.goals[0].value);
    CHECK(r.failed == 0 && r.compared == 3);
    CHECK(d.evaluations < 200 && d.unbalanced < 1e-6);
    flx_design_clear(&d);
    flx_model_destroy(&m);
    reference_close(&r);
    return 0;
}

// Of steps of 2.5 ms, whose error is that of order two.
static int slider_crank_gradient(void)
{
    static const char *const names[8] = {"r", "l", "m1", "m2", "m3", "k", "d", "tau"};
    reference_case r = reference_open("opt-slider-crank-gradient");
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_gradient g;
    CHECK(flx_model_read(r.ctx, FLX_TESTS "/models/gradient/slider_crank.yaml", 0, NULL, &m) ==
          FLX_OK);
    CHECK(flx_model_set(m, "simulate.step", 2.5e-4) == FLX_OK);
    CHECK(flx_system_compile(m, NULL, r.ctx, &s) == FLX_OK);
    CHECK(flx_run_create(s, NULL, r.ctx, &run) == FLX_OK);
    int param[8];
    const int metric[3] = {0, 1, 2};
    for (int i = 0; i < 8; i++) param[i] = flx_system_parameter(s, names[i], r.ctx);
    flx_gradient_def def = flx_gradient_def_default();
    def.method = FLX_GRADIENT_DIRECT;
    def.nparam = 8;
    def.param = param;
    def.nmetric = 3;
    def.metric = metric;
    CHECK(flx_gradient_find(run, &def, &g) == FLX_OK);
    for (int j = 0; j < 3; j++) {
        char name[40];
        flx_snprintf(name, sizeof name, "J%d", j + 1);
        reference_compare(&r, name, g.value[j]);
        for (int i = 0; i < 8; i++) {
            flx_snprintf(name, sizeof name, "dJ%d/d%s", j + 1, names[i]);
            reference_compare(&r, name, g.slope[j * 8 + i]);
        }
    }
    CHECK(r.failed == 0 && r.compared == 27);
    flx_gradient_clear(&g);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    reference_close(&r);
    return 0;
}

// Across two bounces: differences of runs, whose events are found to rounding.
static int bouncing_ball(void)
{
    static const char *const names[3] = {"h0", "e", "g"};
    static const char *const bounces[2] = {"first bounce", "second bounce"};
    static const char path[] = FLX_TESTS "/models/gradient/bouncing_ball.yaml";
    const flx_read_def read = flx_read_def_default();
    reference_case r = reference_open("opt-bouncing-ball-gradient");
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_gradient g;
    CHECK(flx_model_read_by(r.ctx, path, &read, &m) == FLX_OK);
    for (int i = 0; i < 2; i++) {
        flx_simulation *sim = NULL;
        long count = 0;
        double last = 0.0;
        CHECK(flx_simulation_create(m, &sim) == FLX_OK);
        CHECK(flx_simulation_set_until(sim, i == 0 ? 1.0 : 1.4) == FLX_OK);
        CHECK(flx_simulation_run(sim, 0, NULL, NULL, NULL) == FLX_OK);
        CHECK(flx_simulation_event(sim, 0, &count, &last) && count == i + 1);
        reference_compare(&r, bounces[i], last);
        flx_simulation_destroy(&sim);
    }
    CHECK(flx_system_compile(m, NULL, r.ctx, &s) == FLX_OK);
    CHECK(flx_run_create(s, NULL, r.ctx, &run) == FLX_OK);
    int param[3];
    const int metric = 0;
    for (int i = 0; i < 3; i++) param[i] = flx_system_parameter(s, names[i], r.ctx);
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = 3;
    def.param = param;
    def.nmetric = 1;
    def.metric = &metric;
    CHECK(flx_gradient_find(run, &def, &g) == FLX_OK);
    reference_compare(&r, "height at T", g.value[0]);
    for (int i = 0; i < 3; i++) {
        char name[40];
        flx_snprintf(name, sizeof name, "d height/d %s", names[i]);
        reference_compare(&r, name, g.slope[i]);
    }
    CHECK(r.failed == 0 && r.compared == 6);
    flx_gradient_clear(&g);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&m);
    reference_close(&r);
    return 0;
}

static int ishigami_indices(void)
{
    enum { ROWS = 8192, N = 3 };
    static double u[2 * N][ROWS], y[ROWS * (N + 2)];
    reference_case r = reference_open("opt-ishigami-indices");
    for (int k = 0; k < 2 * N; k++)
        CHECK(flx_sample_column(r.ctx, FLX_SAMPLE_SOBOL, 1, k, ROWS, u[k]) == FLX_OK);
    for (int block = 0; block < N + 2; block++) {
        for (int i = 0; i < ROWS; i++) {
            double x[N];
            for (int k = 0; k < N; k++) {
                bool b = block == 1 || block == 2 + k;
                x[k] = 3.14159265358979323846 * (2.0 * u[b ? N + k : k][i] - 1.0);
            }
            y[block * ROWS + i] =
                sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4.0) * sin(x[0]);
        }
    }
    flx_sample_summary s;
    flx_sample_index index[N];
    int failed;
    CHECK(flx_sample_summarise(r.ctx, 2 * ROWS, y, &s) == FLX_OK);
    CHECK(flx_sample_indices(r.ctx, ROWS, N, y, 1, index, &failed) == FLX_OK && failed == 0);
    reference_compare(&r, "mean", s.mean);
    reference_compare(&r, "variance", s.deviation * s.deviation);
    for (int k = 0; k < N; k++) {
        char name[40];
        flx_snprintf(name, sizeof name, "first-order index %d", k + 1);
        reference_compare(&r, name, index[k].first);
        flx_snprintf(name, sizeof name, "total index %d", k + 1);
        reference_compare(&r, name, index[k].total);
    }
    CHECK(r.failed == 0 && r.compared == 8);
    reference_close(&r);
    return 0;
}

TEST_MAIN(TEST(pendulum_fit), TEST(tuned_mass_damper), TEST(slider_crank_gradient),
          TEST(bouncing_ball), TEST(ishigami_indices))
