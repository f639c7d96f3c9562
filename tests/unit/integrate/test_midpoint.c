// test_midpoint.c - the midpoint rule: order 2 in everything on every kind of system, Gauss with one
// stage where nothing is rigid, constraints closed on both levels at the ends of the steps.
#include "method_check.h"

static const rig_maker all[] = {rig_pendulum, rig_top,    rig_mixed,
                                rig_skate,    rig_linear, rig_quasistatic};

static flx_integrator_def midpoint(void)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "midpoint";
    def.step = 1e-2;
    return def;
}

static int everything_has_order_two(void)
{
    const double two[3] = {2.0, 2.0, 2.0}, motion[3] = {2.0, 2.0, -1.0};
    flx_integrator_def def = midpoint();
    if (rig_orders(rig_pendulum, 1.1, 100, &def, two, 0.05)) return 1;
    if (rig_orders(rig_top, 0.5, 50, &def, two, 0.05)) return 1;
    if (rig_orders(rig_top_own, 0.5, 50, &def, two, 0.05)) return 1;
    if (rig_orders(rig_skate, 0.6, 50, &def, two, 0.05)) return 1;
    if (rig_orders(rig_mixed, 2.0, 40, &def, two, 0.05)) return 1;
    if (rig_orders(rig_linear, 1.5, 100, &def, motion, 0.05)) return 1;
    return rig_orders(rig_quasistatic, 1.5, 100, &def, motion, 0.05);
}

static int without_constraints_it_is_gauss_with_one_stage(void)
{
    rig a, b;
    flx_integrator_def def = midpoint(), other = def;
    other.method = "gauss";
    other.stages = 1;
    CHECK(rig_up(&a, rig_mixed, &def) == 0);
    CHECK(rig_up(&b, rig_mixed, &other) == 0);
    for (int k = 0; k < 50; k++) {
        CHECK(flx_integrator_step(a.it, a.x, 0.02, NULL) == FLX_OK);
        CHECK(flx_integrator_step(b.it, b.x, 0.02, NULL) == FLX_OK);
        CHECK(memcmp(a.x->block, b.x->block, a.x->size * sizeof(double)) == 0);
    }
    rig_down(&a);
    rig_down(&b);
    return 0;
}

// Both levels at the ends, positions and velocities in between.
static int joints_stay_closed(void)
{
    rig r;
    flx_integrator_def def = midpoint();
    double gd[3], open = 0.0, between = 0.0, slip = 0.0;
    CHECK(rig_up(&r, rig_top, &def) == 0);
    flx_work *w = r.sys->ops->work_create(r.sys);
    for (int k = 0; k < 500; k++) {
        double t = r.x->t;
        CHECK(flx_integrator_step(r.it, r.x, 5e-3, NULL) == FLX_OK);
        open = fmax(open, rig_gap(&r, r.x));
        CHECK(flx_integrator_interpolate(r.it, t + 2e-3, r.y) == FLX_OK);
        between = fmax(between, rig_gap(&r, r.y));
        for (int m = 0; m < 2; m++) {
            flx_point p = flx_state_point(r.sys, m ? r.y : r.x);
            CHECK(r.sys->ops->constraint_rate(r.sys, w, &p, gd) == FLX_OK);
            for (int i = 0; i < 3; i++) slip = fmax(slip, fabs(gd[i]));
        }
    }
    printf("    gap %.2g, between %.2g, slip %.2g\n", open, between, slip);
    r.sys->ops->work_destroy(w);
    rig_down(&r);
    CHECK_NEAR(open, 0.0, 1e-13);
    CHECK_NEAR(between, 0.0, 1e-13);
    CHECK_NEAR(slip, 0.0, 1e-12);
    return 0;
}

static int steps_allocate_nothing_and_fail_cleanly(void)
{
    flx_integrator_def def = midpoint();
    if (method_allocates_nothing(&def, all, 6)) return 1;
    if (method_failure_changes_nothing(&def, rig_pendulum, "midpoint: a value is not finite")) {
        return 1;
    }
    return method_survives_want_of_memory(&def, rig_pendulum);
}

static int other_formulations_are_refused(void)
{
    flx_integrator_def def = midpoint();
    def.formulation = FLX_FORMULATION_GGL;
    if (method_refuses(&def, rig_pendulum, "formulation index-3 only")) return 1;
    def.formulation = FLX_FORMULATION_AUTO;
    def.step = 0.0;
    return method_refuses(&def, rig_pendulum, "no error control");
}

TEST_MAIN(TEST(everything_has_order_two), TEST(without_constraints_it_is_gauss_with_one_stage),
          TEST(joints_stay_closed), TEST(steps_allocate_nothing_and_fail_cleanly),
          TEST(other_formulations_are_refused))
