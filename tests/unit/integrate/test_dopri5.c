// test_dopri5.c - order, error control, dense output, projection and refusals of the explicit pair.
#include "method_check.h"

static flx_integrator_def fixed(void)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "dopri5";
    def.step = 1e-3;
    return def;
}

static flx_integrator_def adaptive(double rtol)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "dopri5";
    def.rtol = rtol;
    def.atol = rtol;
    return def;
}

// q, v and lambda (which follows from them) all have the order of the method.
static int order_five_with_fixed_steps(void)
{
    flx_integrator_def def = fixed();
    const double five[3] = {5.0, 5.0, 5.0};
    if (rig_orders(rig_pendulum, 1.1, 24, &def, five, 0.25)) return 1;
    if (rig_orders(rig_top, 0.9, 80, &def, five, 0.25)) return 1;
    const double motion[3] = {5.0, 5.0, -1.0}; // its multiplier is better than that in places
    if (rig_orders(rig_skate, 0.83, 12, &def, motion, 0.25)) return 1;
    if (rig_orders(rig_quasistatic, 1.5, 60, &def, motion, 0.25)) return 1;
    return rig_orders(rig_mixed, 2.0, 40, &def, five, 0.25);
}

static int run(rig *r, double until)
{
    while (r->x->t < until) {
        if (flx_integrator_step(r->it, r->x, until - r->x->t, NULL) != FLX_OK) return 1;
    }
    return 0;
}

static double error_at(rig *r, rig_maker make, double t)
{
    double e = 0.0;
    rig_reference(make, t, r->y);
    for (int i = 0; i < r->sys->dims.nv; i++) e = fmax(e, fabs(r->x->v[i] - r->y->v[i]));
    return e;
}

static int the_error_follows_the_tolerance(void)
{
    for (int k = 4; k <= 10; k += 2) {
        rig r;
        flx_integrator_def def = adaptive(pow(10.0, -k));
        CHECK(rig_up(&r, rig_top, &def) == 0);
        CHECK(run(&r, 1.0) == 0);
        double e = error_at(&r, rig_top, 1.0);
        printf("    rtol 1e-%d: error %.2g, %ld steps, %ld rejected\n", k, e, r.it->stats.steps,
               r.it->stats.rejected);
        rig_down(&r);
        CHECK(e < 100.0 * pow(10.0, -k));
    }
    return 0;
}

static int energy_and_joint_hold_for_ten_seconds(void)
{
    rig r;
    flx_integrator_def def = adaptive(1e-10);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    flx_work *w = r.sys->ops->work_create(r.sys);
    flx_energies e0, e1;
    flx_point p = flx_state_point(r.sys, r.x);
    r.sys->ops->energy(r.sys, w, &p, &e0);
    double gap = 0.0;
    while (r.x->t < 10.0) {
        CHECK(flx_integrator_step(r.it, r.x, 10.0 - r.x->t, NULL) == FLX_OK);
        gap = fmax(gap, rig_gap(&r, r.x));
    }
    p = flx_state_point(r.sys, r.x);
    r.sys->ops->energy(r.sys, w, &p, &e1);
    r.sys->ops->work_destroy(w);
    double drift = fabs(e1.kinetic + e1.potential - e0.kinetic - e0.potential) / e0.kinetic;
    printf("    energy %.2g, gap %.2g\n", drift, gap);
    rig_down(&r);
    CHECK(drift < 1e-8);
    CHECK(gap < 1e-10);
    return 0;
}

// Values between steps: order 4 in the step, and the joint closed there too.
static int dense_output_has_order_four_and_meets_the_joint(void)
{
    double e[4];
    for (int level = 0; level < 4; level++) {
        rig r;
        flx_integrator_def def = fixed();
        double h = 0.02 / (1 << level);
        CHECK(rig_up(&r, rig_top, &def) == 0);
        CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
        double t = 0.37 * h;
        CHECK(flx_integrator_interpolate(r.it, t, r.x) == FLX_OK);
        CHECK(r.x->t == t);
        CHECK(rig_gap(&r, r.x) < 1e-12);
        rig_reference(rig_top, t, r.y);
        e[level] = 0.0;
        for (int i = 0; i < 7; i++) e[level] = fmax(e[level], fabs(r.x->q[i] - r.y->q[i]));
        rig_down(&r);
    }
    // a local error: one order more than the global one
    double slope = log2(e[0] / e[2]) / 2.0;
    printf("    local errors %.2g %.2g %.2g %.2g, order %.2f\n", e[0], e[1], e[2], e[3], slope);
    CHECK_NEAR(slope, 5.0, 0.35);
    return 0;
}

static int a_stiff_motion_gets_a_hint(void)
{
    flx_integrator_def def = adaptive(1e-6);
    return method_hints_at_stiffness(&def, 400, "dopri5: the motion looks stiff");
}

static int what_has_no_explicit_form_is_refused_by_name(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = rig_pendulum(ctx);
    tiny_without_explicit(s);
    flx_integrator_def def = adaptive(1e-6);
    flx_integrator *it = NULL;
    CHECK(flx_integrator_create(s, &def, &it) == FLX_ERR_CANNOT);
    CHECK(it == NULL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text,
               "method 'dopri5' needs explicit accelerations; system 'tiny' has none");
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_failure_leaves_the_state_and_the_run_goes_on(void)
{
    rig r;
    flx_integrator_def def = fixed();
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    tiny_break_after(r.sys, 0.0105);
    for (int k = 0; k < 10; k++) CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
    flx_state_copy(r.y, r.x);
    CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) > 0);
    CHECK(r.x->t == r.y->t);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK(flx_ctx_error_count(r.ctx) == 1);
    CHECK(flx_integrator_step(r.it, r.x, 4e-4, NULL) == FLX_OK);
    rig_down(&r);
    return 0;
}

static int no_allocation_in_steps(void)
{
    const rig_maker top = rig_top;
    flx_integrator_def def = adaptive(1e-8);
    return method_allocates_nothing(&def, &top, 1);
}

TEST_MAIN(SLOW_TEST(order_five_with_fixed_steps), TEST(the_error_follows_the_tolerance),
          TEST(energy_and_joint_hold_for_ten_seconds),
          SLOW_TEST(dense_output_has_order_four_and_meets_the_joint),
          TEST(a_stiff_motion_gets_a_hint), TEST(what_has_no_explicit_form_is_refused_by_name),
          TEST(a_failure_leaves_the_state_and_the_run_goes_on), TEST(no_allocation_in_steps))
