// test_gauss.c - Gauss-Legendre collocation: order 2s on systems of index 0 and 1, quadratic
// invariants, error control, dense output, and what it refuses.
#include "method_check.h"

static flx_integrator_def gauss(int stages)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "gauss";
    def.stages = stages;
    def.step = 1e-2;
    return def;
}

// ---- orders -----------------------------------------------------------------------------------

// Positions, velocities, states and algebraic unknowns alike.
static int systems_of_index_one_have_order_2s(void)
{
    const int steps[6] = {0, 64, 16, 8, 2, 3};
    for (int s = 1; s <= 5; s++) {
        double p = 2 * s, end = s > 4 ? 3.0 : 1.0;
        flx_integrator_def def = gauss(s);
        if (rig_orders(rig_mixed, end, steps[s], &def, (double[3]){p, p, p}, s > 3 ? 0.6 : 0.1)) {
            return 1;
        }
    }
    return 0;
}

static int linear_systems_have_order_2s(void)
{
    for (int s = 1; s <= 3; s++) {
        double p = 2 * s;
        flx_integrator_def def = gauss(s);
        if (rig_orders(rig_linear, 1.5, s == 1 ? 64 : 12, &def, (double[3]){p, p, -1.0}, 0.1)) {
            return 1;
        }
    }
    return 0;
}

// Where the masses do not determine the accelerations the algebraic unknown is worth the stages.
static int massless_directions_keep_the_order_of_the_motion(void)
{
    flx_integrator_def def = gauss(3);
    return rig_orders(rig_quasistatic, 1.5, 10, &def, (double[3]){6.0, 6.0, 3.0}, 0.15);
}

// ---- invariants -------------------------------------------------------------------------------

// Two points on a compliant rod without gravity: index 1.
static flx_system *free_pair(flx_ctx *ctx)
{
    double mass[2] = {1.0, 2.5};
    net_constraint rod = {.i = 0, .j = 1, .length = 1.0, .sigma = 1.0, .C = 0.02};
    return net_create(ctx, 2, mass, 0.0, 1, &rod);
}

static double momentum(const flx_state *x)
{
    const double mass[2] = {1.0, 2.5};
    double L = 0.0;
    for (int i = 0; i < 2; i++) {
        L += mass[i] * (x->q[2 * i] * x->v[2 * i + 1] - x->q[2 * i + 1] * x->v[2 * i]);
    }
    return L;
}

// Kinetic energy and that of the rod, g = (|d|^2 - 1) / 2.
static double energy(const flx_state *x)
{
    const double *q = x->q, *v = x->v;
    double d2 = (q[0] - q[2]) * (q[0] - q[2]) + (q[1] - q[3]) * (q[1] - q[3]);
    double g = 0.5 * (d2 - 1.0);
    return 0.5 * (v[0] * v[0] + v[1] * v[1]) + 1.25 * (v[2] * v[2] + v[3] * v[3]) +
           0.5 * g * g / 0.02;
}

static int start_pair(rig *r, const flx_integrator_def *def)
{
    CHECK(rig_up(r, free_pair, def) == 0);
    r->x->q[0] = -0.5;
    r->x->q[2] = 0.6;
    r->x->v[1] = -1.7;
    r->x->v[3] = 0.9;
    r->x->v[2] = 0.4;
    return rig_accelerations(r, r->x);
}

// Angular momentum is quadratic and kept to rounding, energy is bounded: no drift over 50 turns.
static int angular_momentum_is_kept_and_energy_bounded(void)
{
    for (int s = 1; s <= 3; s++) {
        rig r;
        flx_integrator_def def = gauss(s);
        CHECK(start_pair(&r, &def) == 0);
        double L = momentum(r.x), E = energy(r.x), early = 0.0, late = 0.0, lost = 0.0;
        for (int k = 0; k < 6000; k++) {
            CHECK(flx_integrator_step(r.it, r.x, 0.025, NULL) == FLX_OK);
            double e = fabs(energy(r.x) - E);
            if (k < 1000) early = fmax(early, e);
            if (k >= 5000) late = fmax(late, e);
            lost = fmax(lost, fabs(momentum(r.x) - L));
        }
        printf("    %d stages: momentum %.2g, energy %.2g, late %.2g\n", s, lost, early, late);
        rig_down(&r);
        CHECK(lost < 1e-11);
        CHECK(late < 1.2 * early + 1e-11);
        CHECK(early > 0.0);
    }
    return 0;
}

// ---- error control ----------------------------------------------------------------------------

static int the_error_follows_the_tolerance(void)
{
    const rig_maker makers[] = {rig_mixed, rig_linear};
    for (int m = 0; m < 2; m++) {
        for (int s = 1; s <= 5; s++) {
            for (int k = 4; k <= (s == 1 ? 6 : 8); k += 2) {
                rig r;
                flx_integrator_def def = gauss(s);
                def.step = 0.0;
                def.rtol = def.atol = pow(10.0, -k);
                CHECK(rig_up(&r, makers[m], &def) == 0);
                while (r.x->t < 1.0) {
                    CHECK(flx_integrator_step(r.it, r.x, 1.0 - r.x->t, NULL) == FLX_OK);
                }
                rig_reference(makers[m], 1.0, r.y);
                double e = 0.0;
                for (int i = 0; i < r.sys->dims.nv; i++) {
                    e = fmax(e, fabs(r.x->q[i] - r.y->q[i]));
                    e = fmax(e, fabs(r.x->v[i] - r.y->v[i]));
                }
                for (int i = 0; i < r.sys->dims.nx; i++) {
                    e = fmax(e, fabs(r.x->x[i] - r.y->x[i]));
                }
                printf("    system %d, %d stages, 1e-%d: error %.2g, %ld + %ld steps\n", m, s, k, e,
                       r.it->stats.steps, r.it->stats.rejected);
                rig_down(&r);
                CHECK(e < 10.0 * pow(10.0, -k));
            }
        }
    }
    return 0;
}

// The estimate is O(h^(s+1)): a hundredth of the tolerance takes 100^(1/(s+1)) times the steps.
static int steps_follow_the_order_of_the_estimate(void)
{
    for (int s = 1; s <= 4; s++) {
        long steps[2];
        for (int k = 0; k < 2; k++) {
            rig r;
            flx_integrator_def def = gauss(s);
            def.step = 0.0;
            def.rtol = def.atol = k ? 1e-7 : 1e-5;
            CHECK(rig_up(&r, rig_linear, &def) == 0);
            while (r.x->t < 5.0) {
                CHECK(flx_integrator_step(r.it, r.x, 5.0 - r.x->t, NULL) == FLX_OK);
            }
            steps[k] = r.it->stats.steps;
            rig_down(&r);
        }
        double power = log(100.0) / log((double)steps[1] / (double)steps[0]);
        printf("    %d stages: %ld and %ld steps, power %.2f\n", s, steps[0], steps[1], power);
        CHECK_NEAR(power, s + 1, 0.15 * (s + 1));
    }
    return 0;
}

// ---- values in between ------------------------------------------------------------------------

// Local error of one step at 0.37: order s + 1 at least.
static int dense_output_has_the_order_of_the_stages(void)
{
    for (int s = 1; s <= 4; s++) {
        double e[2];
        for (int level = 0; level < 2; level++) {
            rig r;
            flx_integrator_def def = gauss(s);
            double h = 0.02 / (1 << level), t = 0.37 * h;
            CHECK(rig_up(&r, rig_linear, &def) == 0);
            CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
            CHECK(flx_integrator_interpolate(r.it, t, r.x) == FLX_OK);
            rig_reference(rig_linear, t, r.y);
            e[level] = 0.0;
            for (int i = 0; i < 2; i++) {
                e[level] = fmax(e[level], fabs(r.x->q[i] - r.y->q[i]));
                e[level] = fmax(e[level], fabs(r.x->v[i] - r.y->v[i]));
            }
            rig_down(&r);
        }
        printf("    %d stages: local order %.2f\n", s, log2(e[0] / e[1]));
        CHECK(log2(e[0] / e[1]) > s + 0.7);
    }
    return 0;
}

// ---- promises ---------------------------------------------------------------------------------

static int steps_allocate_nothing_and_fail_cleanly(void)
{
    const rig_maker makers[] = {rig_mixed, rig_linear, rig_quasistatic};
    for (int k = 0; k < 2; k++) {
        flx_integrator_def def = gauss(k ? 2 : 3);
        if (k) def.step = 0.0;
        if (k) def.rtol = def.atol = 1e-6;
        if (method_allocates_nothing(&def, makers, 3)) return 1;
        if (method_failure_changes_nothing(&def, rig_mixed, "gauss: a value is not finite")) {
            return 1;
        }
        if (method_survives_want_of_memory(&def, rig_mixed)) return 1;
    }
    return 0;
}

static int rigid_rows_are_refused_by_name(void)
{
    flx_integrator_def def = gauss(2);
    if (method_refuses(&def, rig_pendulum, "'rod'")) return 1;
    if (method_refuses(&def, rig_top, "'galerkin'")) return 1;
    if (method_refuses(&def, rig_skate, "'radau'")) return 1;
    def.stages = 8;
    return method_refuses(&def, rig_mixed, "1 to 7 stages");
}

TEST_MAIN(TEST(systems_of_index_one_have_order_2s), TEST(linear_systems_have_order_2s),
          TEST(massless_directions_keep_the_order_of_the_motion),
          SLOW_TEST(angular_momentum_is_kept_and_energy_bounded),
          TEST(the_error_follows_the_tolerance), TEST(steps_follow_the_order_of_the_estimate),
          TEST(dense_output_has_the_order_of_the_stages),
          TEST(steps_allocate_nothing_and_fail_cleanly), TEST(rigid_rows_are_refused_by_name))
