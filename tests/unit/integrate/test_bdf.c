// test_bdf.c - backward differentiation on free, constrained, turning and mixed systems, stiff ones,
// and what is refused.
#include "multistep_check.h"

static int the_error_follows_the_tolerance(void)
{
    if (multistep_delivers("bdf", "linear", rig_linear, 1.0, 300.0)) return 1;
    if (multistep_delivers("bdf", "pendulum", rig_pendulum, 1.1, 300.0)) return 1;
    if (multistep_delivers("bdf", "mixed", rig_mixed, 2.0, 300.0)) return 1;
    if (multistep_delivers("bdf", "skate", rig_skate, 0.83, 300.0)) return 1;
    if (multistep_delivers("bdf", "quasistatic", rig_quasistatic, 1.0, 300.0)) return 1;
    return multistep_delivers("bdf", "top", rig_top, 0.5, 3000.0);
}

static int values_between_steps(void)
{
    return multistep_interpolates("bdf", 300.0);
}

// One frozen mode of 2e4 1/s, one slow one: the steps are those of the slow one.
static int stiffness_costs_nothing(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double M[1] = {1.0}, D[1] = {2e4}, K[1] = {3e4};
    flx_system *s = linear_create(ctx, 1, M, D, K);
    flx_integrator_def def = multistep("bdf", 1e-6);
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    CHECK(flx_integrator_create(s, &def, &it) == FLX_OK);
    x->q[0] = 1.0;
    x->a[0] = -3e4;
    while (x->t < 1.0) CHECK(flx_integrator_step(it, x, 1.0 - x->t, NULL) == FLX_OK);
    // slow root of s^2 + 2e4 s + 3e4
    double slow = -3e4 / (1e4 + sqrt(1e8 - 3e4)), fast = -2e4 - slow;
    double exact = fast / (fast - slow) * exp(slow);
    printf("    %ld steps, error %.2g\n", it->stats.steps, fabs(x->q[0] - exact));
    CHECK_NEAR(x->q[0], exact, 1e-4);
    CHECK(it->stats.steps < 150);
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refused(rig_maker make, const flx_integrator_def *def, const char *text)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = make(ctx);
    flx_integrator *it = NULL;
    CHECK(flx_integrator_create(s, def, &it) < 0);
    CHECK(it == NULL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, text);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refusals_say_what_to_do_instead(void)
{
    flx_integrator_def def = multistep("bdf", 1e-6);
    def.formulation = FLX_FORMULATION_INDEX3;
    CHECK(refused(rig_top, &def, "use formulation ggl") == 0);
    def.formulation = FLX_FORMULATION_INDEX1;
    CHECK(refused(rig_top, &def, "dop853 solve them on acceleration level") == 0);
    def.formulation = FLX_FORMULATION_AUTO;
    def.step = 1e-3;
    CHECK(refused(rig_top, &def, "chooses its own steps") == 0);
    return 0;
}

// Where nothing is stabilised index 1 is what there is.
static int index_one_is_taken_where_it_is_one(void)
{
    rig r;
    flx_integrator_def def = multistep("bdf", 1e-6);
    def.formulation = FLX_FORMULATION_INDEX1;
    CHECK(rig_up(&r, rig_mixed, &def) == 0);
    CHECK(flx_integrator_step(r.it, r.x, 1.0, NULL) == FLX_OK);
    rig_down(&r);
    return 0;
}

static int a_failure_leaves_the_state(void)
{
    return multistep_fails_cleanly("bdf");
}

static int no_allocation_in_steps(void)
{
    return multistep_allocates_nothing("bdf");
}

static int every_allocation_may_fail(void)
{
    flx_integrator_def def = multistep("bdf", 1e-6);
    for (long k = 0;; k++) {
        rig r;
        flx_status s = rig_up_failing(&r, rig_top, &def, k);
        rig_down(&r);
        if (s == FLX_OK) return k > 10 ? 0 : 1;
        CHECK(s == FLX_ERR_MEMORY);
    }
}

TEST_MAIN(TEST(the_error_follows_the_tolerance), SLOW_TEST(values_between_steps),
          TEST(stiffness_costs_nothing), TEST(refusals_say_what_to_do_instead),
          TEST(index_one_is_taken_where_it_is_one), TEST(a_failure_leaves_the_state),
          TEST(no_allocation_in_steps), TEST(every_allocation_may_fail))
