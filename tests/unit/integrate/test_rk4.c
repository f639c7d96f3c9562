// test_rk4.c - the classical Runge-Kutta method: order, one step by hand, values between steps, projection, refusals.
#include "method_check.h"

static flx_integrator_def rk4(void)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "rk4";
    def.step = 1e-3;
    return def;
}

static int order_four(void)
{
    flx_integrator_def def = rk4();
    const double four[3] = {4.0, 4.0, 4.0}, motion[3] = {4.0, 4.0, -1.0};
    if (rig_orders(rig_pendulum, 1.1, 64, &def, four, 0.25)) return 1;
    if (rig_orders(rig_top, 0.9, 80, &def, four, 0.25)) return 1;
    if (rig_orders(rig_skate, 0.83, 12, &def, motion, 0.25)) return 1;
    return rig_orders(rig_mixed, 2.0, 40, &def, four, 0.25);
}

// z' = L z: one step is the Taylor polynomial of degree 4, whose rest is h^5/120 L^5 z.
static int a_step_is_the_polynomial_of_degree_four(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double M[1] = {1.0}, D[1] = {0.5}, K[1] = {3.0}, h = 0.25;
    flx_system *s = linear_create(ctx, 1, M, D, K);
    flx_integrator_def def = rk4();
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    def.step = h;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    CHECK(flx_integrator_create(s, &def, &it) == FLX_OK);
    x->q[0] = 1.0;
    x->v[0] = -2.0;
    double z[2] = {1.0, -2.0}, term[2] = {1.0, -2.0};
    for (int k = 1; k <= 4; k++) {
        double up[2] = {h / k * term[1], h / k * (-3.0 * term[0] - 0.5 * term[1])};
        for (int i = 0; i < 2; i++) z[i] += term[i] = up[i];
    }
    CHECK(flx_integrator_step(it, x, h, NULL) == FLX_OK);
    CHECK_NEAR(x->q[0], z[0], 1e-15);
    CHECK_NEAR(x->v[0], z[1], 1e-15);
    CHECK(it->stats.residuals == 5); // the fifth is the next step's
    CHECK(flx_integrator_step(it, x, h, NULL) == FLX_OK);
    CHECK(it->stats.residuals == 9);
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Between the ends values are cubic: their error falls by 16 with half the step, and the joint is closed there.
static int values_between_steps(void)
{
    double error[2];
    for (int k = 0; k < 2; k++) {
        rig r;
        double h = k ? 0.01 : 0.02;
        flx_integrator_def def = rk4();
        def.step = h;
        CHECK(rig_up(&r, rig_pendulum, &def) == 0);
        flx_state *between = NULL;
        CHECK(flx_state_create(r.sys, &between) == FLX_OK);
        while (r.x->t < 0.5 - 0.5 * h) {
            CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
        }
        double t = r.x->t - 0.5 * h;
        CHECK(flx_integrator_interpolate(r.it, t, between) == FLX_OK);
        rig_reference(rig_pendulum, t, r.y);
        error[k] = 0.0;
        for (int i = 0; i < r.sys->dims.nv; i++) {
            error[k] = fmax(error[k], fabs(between->v[i] - r.y->v[i]));
        }
        CHECK(rig_gap(&r, between) < 1e-13);
        flx_state_destroy(&between);
        rig_down(&r);
    }
    printf("    errors %.2g, %.2g\n", error[0], error[1]);
    CHECK(error[0] / error[1] > 10.0 && error[0] / error[1] < 24.0);
    return 0;
}

static int the_joint_stays_closed_or_drifts_as_asked(void)
{
    for (int drift = 0; drift < 2; drift++) {
        rig r;
        flx_integrator_def def = rk4();
        def.step = 0.01;
        def.drift = drift;
        CHECK(rig_up(&r, rig_top, &def) == 0);
        for (int k = 0; k < 100; k++) CHECK(flx_integrator_step(r.it, r.x, 0.01, NULL) == FLX_OK);
        double gap = rig_gap(&r, r.x);
        rig_down(&r);
        CHECK(drift ? gap > 1e-9 : gap < 1e-13);
    }
    return 0;
}

static int refusals_say_what_there_is(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = rig_pendulum(ctx);
    flx_integrator_def def = rk4();
    flx_integrator *it = NULL;
    def.step = 0.0;
    CHECK(flx_integrator_create(s, &def, &it) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "rk4");
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "step");
    def = rk4();
    def.formulation = FLX_FORMULATION_INDEX3;
    CHECK(flx_integrator_create(s, &def, &it) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "method 'rk4' is explicit");
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_failure_leaves_the_state(void)
{
    flx_integrator_def def = rk4();
    return method_failure_changes_nothing(&def, rig_pendulum, "at t = 0.01");
}

static int memory_is_taken_beforehand(void)
{
    const rig_maker top = rig_top;
    flx_integrator_def def = rk4();
    if (method_survives_want_of_memory(&def, rig_pendulum)) return 1;
    return method_allocates_nothing(&def, &top, 1);
}

TEST_MAIN(SLOW_TEST(order_four), TEST(a_step_is_the_polynomial_of_degree_four),
          TEST(values_between_steps), TEST(the_joint_stays_closed_or_drifts_as_asked),
          TEST(refusals_say_what_there_is), TEST(a_failure_leaves_the_state),
          TEST(memory_is_taken_beforehand))
