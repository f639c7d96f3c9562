// test_newmark.c - Newmark's beta and gamma: orders, the trapezoidal rule in it, what is refused.
#include "check.h"
#include "method_check.h"
#include "rig.h"

#include <string.h>

static flx_integrator_def method(double beta, double gamma)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "newmark";
    def.beta = beta;
    def.gamma = gamma;
    def.step = 1e-3;
    return def;
}

static int trapezoidal_rule_has_order_two(void)
{
    rig_maker makers[] = {rig_linear, rig_mixed, rig_skate, rig_quasistatic};
    const double t_end[] = {2.0, 2.0, 0.83, 1.5}, two[3] = {2.0, 2.0, -1.0};
    for (int m = 0; m < 4; m++) {
        flx_integrator_def def = method(0.25, 0.5);
        CHECK(rig_orders(makers[m], t_end[m], 100, &def, two, 0.1) == 0);
    }
    return 0;
}

// ... with joints and their reactions as well, however many steps: nothing is left to add up.
static int reactions_settle_without_damping(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_skate};
    const double t_end[] = {1.1, 0.5, 0.83}, two[3] = {2.0, 2.0, 2.0};
    const int steps[] = {400, 400, 800};
    for (int m = 0; m < 3; m++) {
        flx_integrator_def def = method(0.25, 0.5);
        CHECK(rig_orders(makers[m], t_end[m], steps[m], &def, two, 0.1) == 0);
    }
    return 0;
}

// Damped by gamma: of first order, with joints as without.
static int gamma_above_half_has_order_one(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_linear};
    const double t_end[] = {1.1, 0.5, 2.0}, one[3] = {1.0, 1.0, -1.0};
    for (int m = 0; m < 3; m++) {
        flx_integrator_def def = method(0.3025, 0.6);
        CHECK(rig_orders(makers[m], t_end[m], 400, &def, one, 0.15) == 0);
    }
    return 0;
}

// The default keeps the energy of a linear oscillator without damping to rounding.
static flx_system *oscillator(flx_ctx *ctx)
{
    const double M = 1.0, D = 0.0, K = 4.0;
    return linear_create(ctx, 1, &M, &D, &K);
}

static int energy_of_an_oscillator_is_kept(void)
{
    rig r;
    flx_integrator_def def = method((double)NAN, (double)NAN);
    CHECK(rig_up(&r, oscillator, &def) == 0);
    r.x->q[0] = 0.7;
    r.x->v[0] = -0.2;
    CHECK(rig_accelerations(&r, r.x) == 0);
    double start = 0.5 * r.x->v[0] * r.x->v[0] + 2.0 * r.x->q[0] * r.x->q[0], worst = 0.0;
    for (int k = 0; k < 2000; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 0.1, NULL) == FLX_OK);
        double now = 0.5 * r.x->v[0] * r.x->v[0] + 2.0 * r.x->q[0] * r.x->q[0];
        worst = fmax(worst, fabs(now - start));
    }
    rig_down(&r);
    CHECK_NEAR(worst, 0.0, 1e-11);
    return 0;
}

static int joints_stay_closed(void)
{
    rig r;
    flx_integrator_def def = method(0.3025, 0.6);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    double worst = 0.0;
    for (int k = 0; k < 1000; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
        worst = fmax(worst, rig_gap(&r, r.x));
    }
    rig_down(&r);
    CHECK_NEAR(worst, 0.0, 1e-13);
    return 0;
}

static int what_makes_no_sense_is_refused(void)
{
    flx_integrator_def def = method(0.25, 0.4);
    CHECK(method_refuses(&def, rig_linear, "below 1/2 every motion grows") == 0);
    def = method(0.0, 0.5);
    CHECK(method_refuses(&def, rig_linear, "takes beta above 0") == 0);
    def = method(1.0 / 6.0, 0.5);
    CHECK(method_refuses(&def, rig_pendulum, "is not stable with joints: take beta = 0.25") == 0);
    def = method(0.25, 0.5);
    def.step = 0.0;
    def.formulation = FLX_FORMULATION_INDEX3;
    CHECK(method_refuses(&def, rig_pendulum, "its error control follows them") == 0);
    return 0;
}

// In index 3 nothing damps the multipliers: a fixed step runs, with a warning; not so in GGL, which is
// the default, with dissipation, or without joints.
static int reactions_that_do_not_settle_get_a_hint(void)
{
    const struct {
        double gamma;
        rig_maker make;
        flx_formulation formulation;
        int warnings;
    } runs[] = {{0.5, rig_pendulum, FLX_FORMULATION_INDEX3, 1},
                {0.5, rig_pendulum, FLX_FORMULATION_AUTO, 0},
                {0.6, rig_pendulum, FLX_FORMULATION_AUTO, 0},
                {0.5, rig_linear, FLX_FORMULATION_AUTO, 0}};
    for (int k = 0; k < 4; k++) {
        rig r;
        flx_integrator_def def = method(0.3025, runs[k].gamma);
        def.formulation = runs[k].formulation;
        CHECK(rig_up(&r, runs[k].make, &def) == 0);
        CHECK(flx_ctx_warning_count(r.ctx) == runs[k].warnings);
        if (runs[k].warnings) {
            CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text,
                       "give 'formulation: ggl', or a gamma above 0.5");
        }
        rig_down(&r);
    }
    return 0;
}

// With error control and nothing said it takes GGL, and all of it: the same numbers, bit for bit.
static int error_control_takes_ggl(void)
{
    const flx_formulation formulations[2] = {FLX_FORMULATION_AUTO, FLX_FORMULATION_GGL};
    double angle[2][4];
    for (int k = 0; k < 2; k++) {
        rig r;
        flx_integrator_def def = method(0.25, 0.5);
        def.step = 0.0;
        def.rtol = def.atol = 1e-5;
        def.formulation = formulations[k];
        CHECK(rig_up(&r, rig_top, &def) == 0);
        for (double taken = 0.0; r.x->t < 0.3;) {
            CHECK(flx_integrator_step(r.it, r.x, 0.3 - r.x->t, &taken) == FLX_OK);
        }
        memcpy(angle[k], r.x->q + 3, sizeof angle[k]);
        rig_down(&r);
    }
    for (int i = 0; i < 4; i++) CHECK(angle[0][i] == angle[1][i]);
    return 0;
}

TEST_MAIN(TEST(trapezoidal_rule_has_order_two), TEST(reactions_settle_without_damping),
          TEST(gamma_above_half_has_order_one), TEST(energy_of_an_oscillator_is_kept),
          TEST(joints_stay_closed), TEST(what_makes_no_sense_is_refused),
          TEST(reactions_that_do_not_settle_get_a_hint), TEST(error_control_takes_ggl))
