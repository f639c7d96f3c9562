// test_generalized_alpha.c - order in positions, velocities and multipliers on every kind of
// system, closed joints, a failure that leaves no trace.
#include "method_check.h"

// ---- orders ---------------------------------------------------------------------------------

// Final errors against an exact state for four halvings of the step; the slopes must be 2.
static int second_order(rig_maker make, double t_end, int steps, const flx_integrator_def *def)
{
    return rig_orders(make, t_end, steps, def, (double[3]){2.0, 2.0, 2.0}, 0.1);
}

static flx_integrator_def method(double radius)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "generalized-alpha";
    def.spectral_radius = radius;
    def.step = 1e-3;
    return def;
}

static int pendulum_has_order_two(void)
{
    flx_integrator_def def = method(0.8);
    return second_order(rig_pendulum, 1.1, 100, &def);
}

static int top_with_a_spherical_joint_has_order_two(void)
{
    flx_integrator_def def = method(0.8);
    return second_order(rig_top, 0.5, 100, &def);
}

static int order_two_with_every_damping(void)
{
    // not 1: there nothing is damped, and the multipliers of index 3 keep what rounding gives them
    for (int k = 0; k < 3; k++) {
        flx_integrator_def def = method(0.3 * k);
        if (second_order(rig_pendulum, 1.1, k < 2 ? 600 : 100, &def)) return 1;
    }
    return 0;
}

static int states_and_algebraic_unknowns_have_order_two(void)
{
    flx_integrator_def def = method(0.8);
    return second_order(rig_mixed, 2.0, 100, &def);
}

static int nonholonomic_skate_has_order_two(void)
{
    flx_integrator_def def = method(0.8);
    return second_order(rig_skate, 0.83, 50, &def);
}

static int quasistatic_wrapper_has_order_two(void)
{
    flx_integrator_def def = method(0.8);
    return second_order(rig_quasistatic, 1.5, 100, &def);
}

static int own_factor_and_solve_has_order_two(void)
{
    flx_integrator_def def = method(0.8);
    return second_order(rig_top_own, 0.5, 100, &def);
}

// The multipliers of the first steps are as good as later ones: errors over the first ten steps
// fall with h^2, not with h.
static int multipliers_begin_with_order_two(void)
{
    double error[2];
    for (int level = 0; level < 2; level++) {
        rig r;
        flx_integrator_def def = method(0.8);
        CHECK(rig_up(&r, rig_top, &def) == 0);
        double h = 2e-3 / (1 << level);
        error[level] = 0.0;
        for (int k = 0; k < 10; k++) {
            CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
            flx_state_copy(r.y, r.x);
            CHECK(rig_accelerations(&r, r.y) == 0);
            for (int i = 0; i < 3; i++) {
                error[level] = fmax(error[level], fabs(r.x->lam[i] - r.y->lam[i]));
            }
        }
        rig_down(&r);
    }
    CHECK(error[0] / error[1] > 3.5);
    return 0;
}

// ---- invariants -----------------------------------------------------------------------------

static int joints_stay_closed_to_rounding(void)
{
    rig r;
    flx_integrator_def def = method(0.8);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    double worst = 0.0;
    for (int k = 0; k < 2000; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
        worst = fmax(worst, rig_gap(&r, r.x));
    }
    rig_down(&r);
    CHECK_NEAR(worst, 0.0, 1e-13);
    return 0;
}

static int joints_are_closed_between_steps_too(void)
{
    rig r;
    flx_integrator_def def = method(0.8);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    double worst = 0.0;
    for (int k = 0; k < 100; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 5e-3, NULL) == FLX_OK);
        CHECK(flx_integrator_interpolate(r.it, r.x->t - 2e-3, r.y) == FLX_OK);
        worst = fmax(worst, rig_gap(&r, r.y));
    }
    rig_down(&r);
    CHECK_NEAR(worst, 0.0, 1e-13);
    return 0;
}

// The step does not know where the ground's origin of rotations is: turning the start about the
// vertical turns the result.
static int a_turned_start_gives_a_turned_result(void)
{
    rig r, s;
    flx_integrator_def def = method(0.8);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    CHECK(rig_up(&s, rig_top, &def) == 0);
    rig_turn(s.x, 1.234);
    for (int k = 0; k < 500; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
        CHECK(flx_integrator_step(s.it, s.x, 1e-3, NULL) == FLX_OK);
    }
    rig_turn(r.x, 1.234);
    for (int i = 0; i < 6; i++) CHECK_NEAR(s.x->v[i], r.x->v[i], 1e-8);
    for (int i = 0; i < 3; i++) CHECK_NEAR(s.x->q[i], r.x->q[i], 1e-10);
    rig_down(&r);
    rig_down(&s);
    return 0;
}

// ---- work -----------------------------------------------------------------------------------

static int few_residuals_and_rare_factors(void)
{
    rig r;
    flx_integrator_def def = method(0.8);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    for (int k = 0; k < 1000; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
    }
    const flx_statistics *st = flx_integrator_statistics(r.it);
    printf("1000 steps: %ld residuals, %ld factorisations\n", st->residuals, st->factorisations);
    long residuals = st->residuals, factorisations = st->factorisations;
    rig_down(&r);
    CHECK(residuals <= 2200);
    CHECK(factorisations <= 100);
    return 0;
}

static int no_allocation_in_steps(void)
{
    const rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_quasistatic};
    flx_integrator_def def = method(0.8);
    return method_allocates_nothing(&def, makers, 5);
}

static int failed_step_leaves_the_state_as_it_was(void)
{
    rig r;
    flx_integrator_def def = method(0.8);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    tiny_break_after(r.sys, 0.0105);
    for (int k = 0; k < 10; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
    }
    flx_state_copy(r.y, r.x);
    double taken = 0.0;
    CHECK(flx_integrator_step(r.it, r.x, 1e-3, &taken) == FLX_NOT_FINITE);
    CHECK(r.x->t == r.y->t);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK(flx_ctx_error_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "generalized-alpha: a value is not finite");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "t = 0.01");
    // and the run can go on where the numbers are good
    CHECK(flx_integrator_step(r.it, r.x, 4e-4, NULL) == FLX_OK);
    CHECK(rig_gap(&r, r.x) < 1e-13);
    rig_down(&r);
    return 0;
}

// A point on two rods that cannot reach it both.
static flx_system *torn(flx_ctx *ctx)
{
    double mass = 1.0;
    net_constraint rods[2] = {{.i = 0, .j = -1, .anchor = {-1.3, 0.0}, .length = 1.0, .sigma = 1.0},
                              {.i = 0, .j = -1, .anchor = {1.3, 0.0}, .length = 1.0, .sigma = 1.0}};
    return net_create(ctx, 1, &mass, 9.81, 2, rods);
}

static int no_convergence_names_the_joint_and_says_what_to_try(void)
{
    rig r;
    flx_integrator_def def = method(0.8);
    rig_up(&r, torn, &def);
    r.x->q[1] = -0.4;
    flx_state_copy(r.y, r.x);
    flx_status status = flx_integrator_step(r.it, r.x, 1e-2, NULL);
    CHECK(status == FLX_NO_CONVERGENCE);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "Newton's iteration did not converge");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "worst at 'rod'");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "try a smaller step");
    rig_down(&r);
    return 0;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 500; k++) {
        rig r;
        flx_integrator_def def = method(0.8);
        flx_status status = rig_up_failing(&r, rig_mixed, &def, k);
        bool ok = status == FLX_OK || status == FLX_ERR_MEMORY;
        rig_down(&r);
        CHECK(ok);
        if (status == FLX_OK) return 0;
    }
    return 1;
}

TEST_MAIN(TEST(pendulum_has_order_two), TEST(top_with_a_spherical_joint_has_order_two),
          TEST(order_two_with_every_damping), TEST(states_and_algebraic_unknowns_have_order_two),
          TEST(nonholonomic_skate_has_order_two), TEST(quasistatic_wrapper_has_order_two),
          TEST(own_factor_and_solve_has_order_two), TEST(multipliers_begin_with_order_two),
          TEST(joints_stay_closed_to_rounding), TEST(joints_are_closed_between_steps_too),
          TEST(a_turned_start_gives_a_turned_result), TEST(few_residuals_and_rare_factors),
          TEST(no_allocation_in_steps), TEST(failed_step_leaves_the_state_as_it_was),
          TEST(no_convergence_names_the_joint_and_says_what_to_try),
          TEST(every_allocation_may_fail))
