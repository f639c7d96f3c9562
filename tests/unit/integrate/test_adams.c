// test_adams.c - Adams' method on free, constrained, turning and mixed systems; stiffness named.
#include "multistep_check.h"

static int the_error_follows_the_tolerance(void)
{
    if (multistep_delivers("adams", "linear", rig_linear, 1.0, 300.0)) return 1;
    if (multistep_delivers("adams", "pendulum", rig_pendulum, 1.1, 300.0)) return 1;
    if (multistep_delivers("adams", "mixed", rig_mixed, 2.0, 300.0)) return 1;
    if (multistep_delivers("adams", "skate", rig_skate, 0.83, 300.0)) return 1;
    return multistep_delivers("adams", "top", rig_top, 0.5, 3000.0);
}

static int values_between_steps(void)
{
    return multistep_interpolates("adams", 300.0);
}

static int joints_stay_closed_or_drift_as_asked(void)
{
    for (int drift = 0; drift < 2; drift++) {
        rig r;
        flx_integrator_def def = multistep("adams", 1e-6);
        double gap = 0.0;
        def.drift = drift;
        CHECK(rig_up(&r, rig_top, &def) == 0);
        while (r.x->t < 5.0) {
            CHECK(flx_integrator_step(r.it, r.x, 5.0 - r.x->t, NULL) == FLX_OK);
            gap = fmax(gap, rig_gap(&r, r.x));
        }
        printf("    %s: gap %.2g\n", drift ? "drifting" : "projected", gap);
        rig_down(&r);
        CHECK(drift ? gap > 1e-8 : gap < 1e-14);
    }
    return 0;
}

static int a_stiff_motion_gets_a_hint(void)
{
    flx_integrator_def def = multistep("adams", 1e-6);
    return method_hints_at_stiffness(&def, 1000, "adams: the motion looks stiff");
}

static int what_has_no_explicit_form_is_refused_by_name(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = rig_implicit(ctx);
    flx_integrator_def def = multistep("adams", 1e-6);
    flx_integrator *it = NULL;
    CHECK(flx_integrator_create(s, &def, &it) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "method 'adams' needs explicit accelerations");
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_failure_leaves_the_state(void)
{
    return multistep_fails_cleanly("adams");
}

static int no_allocation_in_steps(void)
{
    return multistep_allocates_nothing("adams");
}

TEST_MAIN(TEST(the_error_follows_the_tolerance), SLOW_TEST(values_between_steps),
          TEST(joints_stay_closed_or_drift_as_asked), TEST(a_stiff_motion_gets_a_hint),
          TEST(what_has_no_explicit_form_is_refused_by_name), TEST(a_failure_leaves_the_state),
          TEST(no_allocation_in_steps))
