// test_hht.c - Hilber, Hughes and Taylor: order, damping, what is refused.
#include "check.h"
#include "method_check.h"
#include "rig.h"

static flx_integrator_def method(double alpha)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "hht";
    def.alpha = alpha;
    def.step = 1e-3;
    return def;
}

static int order_two_on_every_system(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_quasistatic};
    const double t_end[] = {1.1, 0.5, 2.0, 0.83, 1.5}, two[3] = {2.0, 2.0, 2.0};
    const int steps[] = {100, 100, 100, 50, 100};
    for (int m = 0; m < 5; m++) {
        flx_integrator_def def = method(-0.1);
        CHECK(rig_orders(makers[m], t_end[m], steps[m], &def, two, 0.1) == 0);
    }
    return 0;
}

static flx_system *oscillator(flx_ctx *ctx)
{
    const double M = 1.0, D = 0.0, K = 4.0;
    return linear_create(ctx, 1, &M, &D, &K);
}

// Amplitude after 200 steps of an oscillator with omega h = 10: alpha damps, zero does not.
static double left_of_fast_motion(double alpha)
{
    rig r;
    flx_integrator_def def = method(alpha);
    double most = 0.0;
    flx_status status = FLX_OK;
    if (rig_up(&r, oscillator, &def)) return HUGE_VAL;
    r.x->q[0] = 1.0;
    r.x->v[0] = 0.0;
    if (rig_accelerations(&r, r.x)) status = FLX_SINGULAR;
    for (int k = 0; k < 200 && status == FLX_OK; k++) {
        status = flx_integrator_step(r.it, r.x, 5.0, NULL);
        if (k >= 150) most = fmax(most, fabs(r.x->q[0]));
    }
    rig_down(&r);
    return status == FLX_OK ? most : HUGE_VAL;
}

static int alpha_damps_fast_motion(void)
{
    double left[3] = {left_of_fast_motion(0.0), left_of_fast_motion(-0.05),
                      left_of_fast_motion(-0.3)};
    printf("      left with alpha = 0, -0.05, -0.3: %.1e %.1e %.1e\n", left[0], left[1], left[2]);
    CHECK(left[0] > 1e-2 && left[0] < 2.0);
    CHECK(left[1] < 1e-2 * left[0]);
    CHECK(left[2] < 1e-3 * left[1]);
    return 0;
}

static int alpha_has_its_limits(void)
{
    flx_integrator_def def = method(0.1);
    CHECK(method_refuses(&def, rig_pendulum, "alpha = 0.1: that of method 'hht' lies between") ==
          0);
    def = method(-0.4);
    CHECK(method_refuses(&def, rig_pendulum, "between -1/3 and 0") == 0);
    return 0;
}

TEST_MAIN(TEST(order_two_on_every_system), TEST(alpha_damps_fast_motion),
          TEST(alpha_has_its_limits))
