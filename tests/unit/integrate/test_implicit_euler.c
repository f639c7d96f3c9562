// test_implicit_euler.c - implicit Euler is Radau IIA with one stage: order 1 everywhere, with a fixed
// step and with error control.
#include "method_check.h"

static const rig_maker all[] = {rig_pendulum, rig_top,    rig_mixed,
                                rig_skate,    rig_linear, rig_quasistatic};

static flx_integrator_def implicit_euler(double rtol)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "implicit-euler";
    def.step = rtol > 0.0 ? 0.0 : 1e-2;
    def.rtol = def.atol = rtol;
    return def;
}

static int everything_has_order_one(void)
{
    const double one[3] = {1.0, 1.0, 1.0}, motion[3] = {1.0, 1.0, -1.0};
    const int steps[] = {400, 200, 200, 100, 200, 200};
    const double end[] = {1.1, 0.5, 2.0, 0.6, 1.5, 1.5};
    flx_integrator_def def = implicit_euler(0.0);
    for (int m = 0; m < 6; m++) {
        if (rig_orders(all[m], end[m], steps[m], &def, m == 4 ? motion : one, 0.06)) return 1;
    }
    return 0;
}

static int it_is_radau_with_one_stage(void)
{
    for (int m = 0; m < 2; m++) {
        rig a, b;
        flx_integrator_def def = implicit_euler(m ? 1e-3 : 0.0), other = def;
        other.method = "radau";
        other.stages = 1;
        CHECK(rig_up(&a, rig_top, &def) == 0);
        CHECK(rig_up(&b, rig_top, &other) == 0);
        for (int k = 0; k < 30; k++) {
            CHECK(flx_integrator_step(a.it, a.x, 0.01, NULL) == FLX_OK);
            CHECK(flx_integrator_step(b.it, b.x, 0.01, NULL) == FLX_OK);
            CHECK(a.x->t == b.x->t);
            CHECK(memcmp(a.x->block, b.x->block, a.x->size * sizeof(double)) == 0);
        }
        rig_down(&a);
        rig_down(&b);
    }
    return 0;
}

// The errors of all steps make up the tolerance.
static int the_error_follows_the_tolerance(void)
{
    for (int m = 0; m < 6; m++) {
        double e[2] = {0.0, 0.0}, size = 1.0;
        for (int k = 0; k < 2; k++) {
            rig r;
            flx_integrator_def def = implicit_euler(k ? 1e-4 : 1e-3);
            CHECK(rig_up(&r, all[m], &def) == 0);
            while (r.x->t < 0.5) {
                CHECK(flx_integrator_step(r.it, r.x, 0.5 - r.x->t, NULL) == FLX_OK);
            }
            rig_reference(all[m], 0.5, r.y);
            for (int i = 0; i < r.sys->dims.nv; i++) {
                size = fmax(size, fabs(r.y->v[i]));
                e[k] = fmax(e[k], fabs(r.x->v[i] - r.y->v[i]));
            }
            printf("    system %d, 1e-%d: error %.2g, %ld + %ld steps\n", m, k ? 4 : 3, e[k],
                   r.it->stats.steps, r.it->stats.rejected);
            rig_down(&r);
        }
        CHECK(e[0] < 6e-3 * size && e[1] < 6e-4 * size);
        CHECK(e[1] < 0.2 * e[0]);
    }
    return 0;
}

static int steps_allocate_nothing_and_fail_cleanly(void)
{
    const char *message = "implicit-euler: a value is not finite";
    for (int m = 0; m < 2; m++) {
        flx_integrator_def def = implicit_euler(m ? 1e-3 : 0.0);
        if (method_allocates_nothing(&def, all, 6)) return 1;
        if (method_failure_changes_nothing(&def, rig_pendulum, message)) return 1;
        if (method_survives_want_of_memory(&def, rig_pendulum)) return 1;
    }
    return 0;
}

TEST_MAIN(TEST(everything_has_order_one), TEST(it_is_radau_with_one_stage),
          SLOW_TEST(the_error_follows_the_tolerance), TEST(steps_allocate_nothing_and_fail_cleanly))
