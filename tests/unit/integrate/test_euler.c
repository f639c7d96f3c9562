// test_euler.c - explicit Euler: order, its own error estimate, the border of stability.
#include "first_order.h"
#include "method_check.h"

static flx_integrator_def euler(double step, double rtol)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "euler";
    def.step = step;
    def.rtol = def.atol = rtol;
    return def;
}

static int order_one_with_fixed_steps(void)
{
    flx_integrator_def def = euler(1e-3, 0.0);
    const double one[3] = {1.0, 1.0, 1.0}, motion[3] = {1.0, 1.0, -1.0};
    if (rig_orders(rig_pendulum, 0.4, 200, &def, one, 0.15)) return 1;
    if (rig_orders(rig_top, 0.3, 1000, &def, one, 0.2)) return 1;
    if (rig_orders(rig_skate, 0.5, 200, &def, motion, 0.15)) return 1;
    return rig_orders(rig_mixed, 1.0, 200, &def, one, 0.15);
}

// q += h v, v += h F(q)/m with the old q: one step by hand.
static int a_step_is_that_of_euler(void)
{
    rig r;
    flx_integrator_def def = euler(0.01, 0.0);
    CHECK(rig_up(&r, rig_linear, &def) == 0);
    flx_state_copy(r.y, r.x);
    CHECK(flx_integrator_step(r.it, r.x, 0.01, NULL) == FLX_OK);
    for (int i = 0; i < 2; i++) {
        CHECK(r.x->q[i] == r.y->q[i] + 0.01 * r.y->v[i]);
        CHECK(r.x->v[i] == r.y->v[i] + 0.01 * r.y->a[i]);
    }
    CHECK(r.it->stats.residuals == 2); // the second is the next step's
    rig_down(&r);
    return 0;
}

// The local errors h^2 z''/2 of all steps make up the tolerance: steps go with its inverse, and the
// error at the end is below it.
static int the_error_follows_the_tolerance(void)
{
    double e[3];
    long steps[3];
    for (int k = 0; k < 3; k++) {
        rig r;
        flx_integrator_def def = euler(0.0, pow(10.0, -k - 2));
        e[k] = 0.0;
        CHECK(rig_up(&r, rig_linear, &def) == 0);
        while (r.x->t < 1.0) {
            CHECK(flx_integrator_step(r.it, r.x, 1.0 - r.x->t, NULL) == FLX_OK);
        }
        rig_reference(rig_linear, 1.0, r.y);
        for (int i = 0; i < 2; i++) e[k] = fmax(e[k], fabs(r.x->q[i] - r.y->q[i]));
        steps[k] = r.it->stats.steps;
        printf("    tolerance %.0e: error %.2g, %ld steps, %ld rejected\n", def.rtol, e[k],
               steps[k], r.it->stats.rejected);
        rig_down(&r);
    }
    for (int k = 0; k < 2; k++) {
        CHECK(e[k] < pow(10.0, -k - 2));
        CHECK(e[k] / e[k + 1] > 6.0 && e[k] / e[k + 1] < 15.0);
        double ratio = (double)steps[k + 1] / (double)steps[k];
        CHECK(ratio > 6.0 && ratio < 15.0);
    }
    return 0;
}

static void decay(double rate, double t, const double *x, double *f, double *J)
{
    (void)t;
    f[0] = -rate * x[0];
    J[0] = -rate;
}

// With error control the step stays at the border of stability, 2 / rate, whatever the tolerance.
static int stiffness_is_met_and_named(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double M[1] = {1.0}, D[1] = {1e3}, K[1] = {3.0};
    flx_system *s = linear_create(ctx, 1, M, D, K);
    flx_integrator_def def = euler(0.0, 1e-3);
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    CHECK(flx_integrator_create(s, &def, &it) == FLX_OK);
    x->q[0] = 1.0;
    while (x->t < 1.0) CHECK(flx_integrator_step(it, x, 1.0 - x->t, NULL) == FLX_OK);
    printf("    %ld steps\n", it->stats.steps);
    CHECK(it->stats.steps > 250 && it->stats.steps < 900); // beyond it until the error is seen
    CHECK(flx_ctx_warning_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "euler: the motion looks stiff");
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "radau");
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int ignore(void *user, const flx_state *x)
{
    (void)user;
    (void)x;
    return 0;
}

// What a tolerance costs is said before it is paid.
static int a_run_without_end_is_told_of(void)
{
    rig r;
    flx_integrator_def def = euler(0.0, 1e-9);
    flx_schedule schedule = {.until = 1.0};
    def.max_steps = 21000;
    CHECK(rig_up(&r, rig_linear, &def) == 0);
    CHECK(flx_integrate(r.it, r.x, &schedule, ignore, NULL) == FLX_TOO_MANY_STEPS);
    const flx_message *said = flx_ctx_warning(r.ctx, 0);
    CHECK(said != NULL);
    CHECK_TEXT(said->text, "euler: 20000 steps made");
    CHECK_TEXT(said->text, "radau or dopri5");
    CHECK(flx_ctx_warning_count(r.ctx) == 1);
    rig_down(&r);
    return 0;
}

static int the_joint_stays_closed_or_drifts_as_asked(void)
{
    for (int drift = 0; drift < 2; drift++) {
        rig r;
        flx_integrator_def def = euler(1e-3, 0.0);
        def.drift = drift;
        CHECK(rig_up(&r, rig_top, &def) == 0);
        for (int k = 0; k < 200; k++) CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
        double gap = rig_gap(&r, r.x);
        rig_down(&r);
        CHECK(drift ? gap > 1e-6 : gap < 1e-14);
    }
    return 0;
}

static int refusals_say_what_there_is(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = first_order_create(ctx, 1, decay, 1.0);
    flx_integrator_def def = euler(1e-3, 0.0);
    flx_integrator *it = NULL;
    CHECK(flx_integrator_create(s, &def, &it) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "method 'euler' needs explicit accelerations");
    flx_system_destroy(&s);
    s = rig_pendulum(ctx);
    def.formulation = FLX_FORMULATION_INDEX3;
    CHECK(flx_integrator_create(s, &def, &it) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 1)->text, "method 'euler' is explicit");
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_failure_leaves_the_state(void)
{
    flx_integrator_def def = euler(1e-3, 0.0);
    return method_failure_changes_nothing(&def, rig_pendulum, "at t = 0.01");
}

static int no_allocation_in_steps(void)
{
    const rig_maker top = rig_top;
    flx_integrator_def def = euler(0.0, 1e-3);
    return method_allocates_nothing(&def, &top, 1);
}

TEST_MAIN(SLOW_TEST(order_one_with_fixed_steps), TEST(a_step_is_that_of_euler),
          TEST(the_error_follows_the_tolerance), TEST(stiffness_is_met_and_named),
          TEST(a_run_without_end_is_told_of), TEST(the_joint_stays_closed_or_drifts_as_asked),
          TEST(refusals_say_what_there_is), TEST(a_failure_leaves_the_state),
          TEST(no_allocation_in_steps))
