// test_lobatto.c - Lobatto IIIA, with it the trapezoidal rule, and IIIC: orders on every kind of
// system, constraints closed, promises and refusals.
#include "method_check.h"

static const rig_maker all[] = {rig_pendulum, rig_top,    rig_mixed,
                                rig_skate,    rig_linear, rig_quasistatic};

static flx_integrator_def lobatto(const char *family, int stages)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "lobatto";
    def.family = family;
    def.stages = stages;
    def.step = 1e-2;
    return def;
}

// Multipliers follow from positions and velocities: they have the same order.
static int symmetric_family_has_order_2s_less_2_in_everything(void)
{
    for (int s = 2; s <= 3; s++) {
        double p = 2 * s - 2;
        const double order[3] = {p, p, p}, motion[3] = {p, p, -1.0};
        int m = s == 2 ? 8 : 1;
        flx_integrator_def def = lobatto("IIIA", s);
        if (rig_orders(rig_pendulum, 1.1, 32 * m, &def, order, 0.15)) return 1;
        if (rig_orders(rig_top, 0.5, 12 * m, &def, order, 0.1)) return 1;
        if (rig_orders(rig_top_own, 0.5, 12 * m, &def, order, 0.1)) return 1;
        if (rig_orders(rig_skate, 0.6, 12 * m, &def, order, 0.1)) return 1;
        if (rig_orders(rig_mixed, 2.0, 8 * m, &def, order, 0.1)) return 1;
        if (rig_orders(rig_quasistatic, 1.5, 10 * m, &def, order, 0.1)) return 1;
        if (rig_orders(rig_linear, 1.5, 12 * m, &def, motion, 0.1)) return 1;
    }
    flx_integrator_def def = lobatto("IIIA", 4);
    if (rig_orders(rig_top, 0.5, 5, &def, (double[3]){6.0, 6.0, 6.0}, 0.3)) return 1;
    def = lobatto("IIIA", 5);
    return rig_orders(rig_linear, 1.5, 5, &def, (double[3]){8.0, 8.0, -1.0}, 0.5);
}

// In GGL the multipliers of rigid rows are worth the stages less one.
static int damping_family_has_order_2s_less_2_in_motion(void)
{
    flx_integrator_def def = lobatto("IIIC", 2);
    if (rig_orders(rig_top, 0.5, 48, &def, (double[3]){2.0, 2.0, 1.0}, 0.1)) return 1;
    def = lobatto("IIIC", 3);
    if (rig_orders(rig_pendulum, 1.1, 48, &def, (double[3]){4.0, 4.0, 2.0}, 0.1)) return 1;
    if (rig_orders(rig_top, 0.5, 12, &def, (double[3]){4.0, 4.0, 2.0}, 0.1)) return 1;
    if (rig_orders(rig_skate, 0.6, 12, &def, (double[3]){4.0, 4.0, 2.0}, 0.1)) return 1;
    if (rig_orders(rig_mixed, 2.0, 16, &def, (double[3]){4.0, 4.0, 4.0}, 0.2)) return 1;
    if (rig_orders(rig_linear, 1.5, 24, &def, (double[3]){4.0, 4.0, -1.0}, 0.1)) return 1;
    def = lobatto("IIIC", 4);
    return rig_orders(rig_mixed, 2.0, 8, &def, (double[3]){6.0, 6.0, 6.0}, 0.2);
}

static int index_three_is_taken_by_the_damping_family(void)
{
    flx_integrator_def def = lobatto("IIIC", 4);
    def.formulation = FLX_FORMULATION_INDEX3;
    return rig_orders(rig_top, 0.5, 12, &def, (double[3]){-1.0, 3.0, 2.0}, 0.3);
}

static int trapezoidal_rule_is_the_first_of_its_family(void)
{
    for (int m = 0; m < 2; m++) {
        rig a, b;
        flx_integrator_def def = lobatto("IIIA", 2), other = def;
        other.method = "trapezoidal";
        CHECK(rig_up(&a, m ? rig_mixed : rig_top, &def) == 0);
        CHECK(rig_up(&b, m ? rig_mixed : rig_top, &other) == 0);
        for (int k = 0; k < 50; k++) {
            CHECK(flx_integrator_step(a.it, a.x, 0.01, NULL) == FLX_OK);
            CHECK(flx_integrator_step(b.it, b.x, 0.01, NULL) == FLX_OK);
            CHECK(memcmp(a.x->block, b.x->block, a.x->size * sizeof(double)) == 0);
        }
        rig_down(&a);
        rig_down(&b);
    }
    return 0;
}

// z_n+1 = z_n + h/2 (f_n + f_n+1) on a linear system, by hand.
static int trapezoidal_rule_is_what_it_says(void)
{
    rig r;
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "trapezoidal";
    def.step = 0.05;
    CHECK(rig_up(&r, rig_linear, &def) == 0);
    for (int k = 0; k < 20; k++) {
        flx_state_copy(r.y, r.x);
        CHECK(flx_integrator_step(r.it, r.x, 0.05, NULL) == FLX_OK);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(r.x->q[i] - r.y->q[i], 0.025 * (r.x->v[i] + r.y->v[i]), 1e-15);
            CHECK_NEAR(r.x->v[i] - r.y->v[i], 0.025 * (r.x->a[i] + r.y->a[i]), 1e-14);
        }
    }
    rig_down(&r);
    return 0;
}

static int joints_stay_closed(void)
{
    for (int m = 0; m < 2; m++) {
        rig r;
        flx_integrator_def def = lobatto(m ? "IIIC" : "IIIA", 3);
        double gd[3], open = 0.0, slip = 0.0;
        CHECK(rig_up(&r, rig_top, &def) == 0);
        flx_work *w = r.sys->ops->work_create(r.sys);
        for (int k = 0; k < 500; k++) {
            CHECK(flx_integrator_step(r.it, r.x, 5e-3, NULL) == FLX_OK);
            flx_point p = flx_state_point(r.sys, r.x);
            CHECK(r.sys->ops->constraint_rate(r.sys, w, &p, gd) == FLX_OK);
            for (int i = 0; i < 3; i++) slip = fmax(slip, fabs(gd[i]));
            open = fmax(open, rig_gap(&r, r.x));
        }
        printf("    gap %.2g, slip %.2g\n", open, slip);
        r.sys->ops->work_destroy(w);
        rig_down(&r);
        CHECK_NEAR(open, 0.0, 1e-13);
        CHECK_NEAR(slip, 0.0, 1e-12);
    }
    return 0;
}

static int steps_allocate_nothing_and_fail_cleanly(void)
{
    for (int m = 0; m < 2; m++) {
        flx_integrator_def def = lobatto(m ? "IIIC" : "IIIA", 3);
        if (method_allocates_nothing(&def, all, 6)) return 1;
        if (method_failure_changes_nothing(&def, rig_pendulum, "lobatto: a value is not finite")) {
            return 1;
        }
        if (method_survives_want_of_memory(&def, rig_pendulum)) return 1;
    }
    return 0;
}

static int refusals_say_what_there_is(void)
{
    flx_integrator_def def = lobatto("IIIC", 6);
    if (method_refuses(&def, rig_pendulum, "2 to 5 stages")) return 1;
    def = lobatto("IIIB", 3);
    if (method_refuses(&def, rig_pendulum, "IIIA and IIIC")) return 1;
    def = lobatto("IIIA", 3);
    def.formulation = FLX_FORMULATION_INDEX3;
    if (method_refuses(&def, rig_pendulum, "formulation ggl only")) return 1;
    def = lobatto("IIIC", 3);
    def.formulation = FLX_FORMULATION_INDEX1;
    return method_refuses(&def, rig_pendulum, "index-3 and ggl");
}

TEST_MAIN(SLOW_TEST(symmetric_family_has_order_2s_less_2_in_everything),
          TEST(damping_family_has_order_2s_less_2_in_motion),
          TEST(index_three_is_taken_by_the_damping_family),
          TEST(trapezoidal_rule_is_the_first_of_its_family), TEST(trapezoidal_rule_is_what_it_says),
          TEST(joints_stay_closed), TEST(steps_allocate_nothing_and_fail_cleanly),
          TEST(refusals_say_what_there_is))
