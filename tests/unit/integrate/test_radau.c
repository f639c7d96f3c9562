// test_radau.c - orders of Radau IIA in both formulations on every kind of system,
// dense output, error control, stiffness, singular mass, compliant constraints, singular positions.
#include "check.h"
#include "first_order.h"
#include "method_check.h"

#include <stdlib.h>

static flx_integrator_def fixed(flx_formulation formulation, int stages)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "radau";
    def.formulation = formulation;
    def.stages = stages;
    def.step = 1e-2;
    return def;
}

static flx_integrator_def adaptive(flx_formulation formulation, double rtol)
{
    flx_integrator_def def = fixed(formulation, 3);
    def.step = 0.0;
    def.rtol = rtol;
    def.atol = rtol;
    return def;
}

// ---- orders ---------------------------------------------------------------------------------

static int index_three_has_orders_five_three_two(void)
{
    const double order[3] = {5.0, 3.0, 2.0};
    flx_integrator_def def = fixed(FLX_FORMULATION_INDEX3, 3);
    if (rig_orders(rig_pendulum, 1.1, 16, &def, order, 0.1)) return 1;
    return rig_orders(rig_top, 0.5, 16, &def, order, 0.1);
}

static int stabilised_index_two_has_orders_five_five_three(void)
{
    const double order[3] = {5.0, 5.0, 3.0};
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
    if (rig_orders(rig_pendulum, 1.1, 24, &def, order, 0.1)) return 1;
    return rig_orders(rig_top, 0.5, 12, &def, order, 0.1);
}

static int systems_without_constraints_have_order_five(void)
{
    const double order[3] = {5.0, 5.0, -1.0};
    flx_integrator_def def = fixed(FLX_FORMULATION_AUTO, 3);
    if (rig_orders(rig_linear, 1.5, 12, &def, order, 0.1)) return 1;
    return rig_orders(rig_mixed, 2.0, 8, &def, (double[3]){5.0, 5.0, 5.0}, 0.1);
}

static int quasistatic_wrapper_has_order_five(void)
{
    flx_integrator_def def = fixed(FLX_FORMULATION_AUTO, 3);
    return rig_orders(rig_quasistatic, 1.5, 10, &def, (double[3]){5.0, 5.0, 5.0}, 0.1);
}

static int own_factor_and_solve_gives_the_same(void)
{
    const double order[3] = {5.0, 5.0, 3.0};
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
    return rig_orders(rig_top_own, 0.5, 12, &def, order, 0.1);
}

// Nonholonomic rows have index 2: velocities 5, multipliers 3.
static int nonholonomic_skate_has_orders_five_five_three(void)
{
    const double motion[3] = {5.0, 5.0, -1.0}, force[3] = {-1.0, -1.0, 3.0};
    flx_integrator_def def = fixed(FLX_FORMULATION_AUTO, 3);
    if (rig_orders(rig_skate, 0.6, 12, &def, motion, 0.1)) return 1;
    return rig_orders(rig_skate, 0.6, 24, &def, force, 0.15);
}

static int other_numbers_of_stages(void)
{
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 1);
    if (rig_orders(rig_pendulum, 1.1, 400, &def, (double[3]){1.0, 1.0, 1.0}, 0.1)) return 1;
    def.stages = 2;
    if (rig_orders(rig_pendulum, 1.1, 50, &def, (double[3]){3.0, 3.0, 2.0}, 0.1)) return 1;
    def.stages = 5;
    return rig_orders(rig_top, 0.5, 5, &def, (double[3]){-1.0, -1.0, 5.0}, 0.5);
}

// ---- values in between ----------------------------------------------------------------------

// Local errors of one step at 0.37: q and v of order s + 1, lambda of order s in GGL; the joint is
// closed there on both levels.
static int dense_output_has_the_order_of_the_stages(void)
{
    double e[3][4];
    for (int level = 0; level < 4; level++) {
        rig r;
        flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
        double h = 0.04 / (1 << level), t = 0.37 * h;
        CHECK(rig_up(&r, rig_top, &def) == 0);
        CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
        CHECK(flx_integrator_interpolate(r.it, t, r.x) == FLX_OK);
        CHECK(rig_gap(&r, r.x) < 1e-12);
        rig_reference(rig_top, t, r.y);
        rig_accelerations(&r, r.y);
        for (int i = 0; i < 3; i++) e[i][level] = 0.0;
        for (int i = 0; i < 7; i++) e[0][level] = fmax(e[0][level], fabs(r.x->q[i] - r.y->q[i]));
        for (int i = 0; i < 6; i++) e[1][level] = fmax(e[1][level], fabs(r.x->v[i] - r.y->v[i]));
        for (int i = 0; i < 3; i++)
            e[2][level] = fmax(e[2][level], fabs(r.x->lam[i] - r.y->lam[i]));
        rig_down(&r);
    }
    double q = log2(e[0][0] / e[0][3]) / 3, v = log2(e[1][0] / e[1][3]) / 3;
    double lam = log2(e[2][0] / e[2][3]) / 3;
    printf("    local orders %.2f %.2f %.2f\n", q, v, lam);
    CHECK(q > 3.8);
    CHECK(v > 3.8);
    CHECK(lam > 2.7);
    return 0;
}

// ---- joints, work, failure ------------------------------------------------------------------

static int joints_stay_closed_to_rounding(void)
{
    rig r;
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    double worst = 0.0;
    for (int k = 0; k < 500; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 5e-3, NULL) == FLX_OK);
        worst = fmax(worst, rig_gap(&r, r.x));
    }
    printf("    %ld iterations, %ld factorisations, gap %.2g\n", r.it->stats.newton_iterations,
           r.it->stats.factorisations, worst);
    rig_down(&r);
    CHECK_NEAR(worst, 0.0, 1e-13);
    return 0;
}

static int no_allocation_in_steps(void)
{
    const rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_quasistatic};
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
    if (method_allocates_nothing(&def, makers, 5)) return 1;
    def = adaptive(FLX_FORMULATION_AUTO, 1e-6);
    return method_allocates_nothing(&def, makers, 5);
}

static int failed_step_leaves_the_state_as_it_was(void)
{
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
    if (method_failure_changes_nothing(&def, rig_pendulum, "radau: a value is not finite"))
        return 1;
    def = adaptive(FLX_FORMULATION_GGL, 1e-6);
    return method_failure_changes_nothing(&def, rig_pendulum, "radau: a value is not finite");
}

static int every_allocation_may_fail(void)
{
    flx_integrator_def def = fixed(FLX_FORMULATION_GGL, 3);
    return method_survives_want_of_memory(&def, rig_pendulum);
}

// ---- error control --------------------------------------------------------------------------

static int the_error_follows_the_tolerance(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_linear, rig_quasistatic};
    for (int m = 0; m < 6; m++) {
        for (int f = 0; f < (m < 2 ? 2 : 1); f++) {
            for (int k = 4; k <= 10; k += 2) {
                rig r;
                flx_integrator_def def =
                    adaptive(f ? FLX_FORMULATION_INDEX3 : FLX_FORMULATION_GGL, pow(10.0, -k));
                CHECK(rig_up(&r, makers[m], &def) == 0);
                while (r.x->t < 1.0) {
                    if (flx_integrator_step(r.it, r.x, 1.0 - r.x->t, NULL) != FLX_OK) {
                        printf("%s\n", flx_ctx_error(r.ctx, 0)->text);
                        return 1;
                    }
                }
                rig_reference(makers[m], 1.0, r.y);
                double theta[8], e = 0.0, ev = 0.0;
                r.sys->ops->difference(r.sys, r.y->q, r.x->q, theta);
                for (int i = 0; i < r.sys->dims.nv; i++) {
                    e = fmax(e, fabs(theta[i]));
                    ev = fmax(ev, fabs(r.x->v[i] - r.y->v[i]));
                }
                double gap = rig_gap(&r, r.x);
                const flx_statistics *st = &r.it->stats;
                printf("    %d%s rtol 1e-%-2d: error %.2g (v %.2g), gap %.1g, %ld + %ld steps, %ld "
                       "iterations, %ld factorisations\n",
                       m, f ? " index-3" : "", k, e, ev, gap, st->steps, st->rejected,
                       st->newton_iterations, st->factorisations);
                rig_down(&r);
                CHECK(e < 100.0 * pow(10.0, -k));
                CHECK(gap < 1e-12);
            }
        }
    }
    return 0;
}

// ---- stiffness --------------------------------------------------------------------------------

static flx_status run(flx_integrator *it, flx_state *x, double until)
{
    while (x->t < until) {
        flx_status status = flx_integrator_step(it, x, until - x->t, NULL);
        if (status != FLX_OK) return status;
    }
    return FLX_OK;
}

static void van_der_pol(double eps, double t, const double *x, double *f, double *J)
{
    (void)t;
    f[0] = x[1];
    f[1] = ((1.0 - x[0] * x[0]) * x[1] - x[0]) / eps;
    J[0] = 0.0;
    J[1] = 1.0;
    J[2] = (-2.0 * x[0] * x[1] - 1.0) / eps;
    J[3] = (1.0 - x[0] * x[0]) / eps;
}

// Reference: Mazzia, Magherini, Test Set for Initial Value Problem Solvers, problem VDPOL.
static int van_der_pol_to_its_tolerance(void)
{
    const int stages[4] = {2, 3, 5, 7}, digits[4] = {4, 6, 8, 9}, most[4] = {900, 1000, 600, 400};
    for (int k = 0; k < 4; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_system *sys = first_order_create(ctx, 2, van_der_pol, 1e-6);
        flx_state *x = NULL;
        flx_integrator *it = NULL;
        flx_integrator_def def = adaptive(FLX_FORMULATION_AUTO, pow(10.0, -digits[k]));
        def.stages = stages[k];
        CHECK(flx_state_create(sys, &x) == FLX_OK);
        CHECK(flx_integrator_create(sys, &def, &it) == FLX_OK);
        x->x[0] = 2.0;
        x->dx[1] = -2e6;
        CHECK(run(it, x, 2.0) == FLX_OK);
        double e = fmax(fabs(x->x[0] - 1.706167732170483), fabs(x->x[1] + 0.8928097010248));
        long steps = it->stats.steps;
        printf("    %d stages: error %.2g, %ld + %ld steps\n", stages[k], e, steps,
               it->stats.rejected);
        flx_integrator_destroy(&it);
        flx_state_destroy(&x);
        flx_system_destroy(&sys);
        flx_ctx_destroy(&ctx);
        CHECK(e < 10.0 * def.rtol);
        CHECK(steps <= most[k]);
    }
    return 0;
}

static void prothero_robinson(double L, double t, const double *x, double *f, double *J)
{
    f[0] = -L * (x[0] - cos(t)) - sin(t);
    J[0] = -L;
}

// Errors fall with the stiffness: no step is too long for it.
static int stiffness_costs_nothing(void)
{
    for (double L = 1e4; L < 1e13; L *= 100.0) {
        flx_ctx *ctx = flx_ctx_create();
        flx_system *sys = first_order_create(ctx, 1, prothero_robinson, L);
        flx_state *x = NULL;
        flx_integrator *it = NULL;
        flx_integrator_def def = fixed(FLX_FORMULATION_AUTO, 3);
        CHECK(flx_state_create(sys, &x) == FLX_OK);
        CHECK(flx_integrator_create(sys, &def, &it) == FLX_OK);
        x->x[0] = 1.0;
        for (int k = 1; k <= 10; k++) {
            CHECK(flx_integrator_step(it, x, 0.1 * k - x->t, NULL) == FLX_OK);
        }
        double e = fabs(x->x[0] - cos(1.0));
        flx_integrator_destroy(&it);
        flx_state_destroy(&x);
        flx_system_destroy(&sys);
        flx_ctx_destroy(&ctx);
        CHECK(e < 1e-5 / L + 1e-15);
    }
    return 0;
}

// ---- variable order ------------------------------------------------------------------------------

// Evaluations to t = 2, and the error.
static long evaluations(int stages, double rtol, double *error)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *sys = first_order_create(ctx, 2, van_der_pol, 1e-6);
    flx_state *x = NULL;
    flx_integrator *it = NULL;
    flx_integrator_def def = adaptive(FLX_FORMULATION_AUTO, rtol);
    def.stages = stages;
    long count = -1;
    if (flx_state_create(sys, &x) == FLX_OK && flx_integrator_create(sys, &def, &it) == FLX_OK) {
        x->x[0] = 2.0;
        x->dx[1] = -2e6;
        if (run(it, x, 2.0) == FLX_OK) count = it->stats.residuals;
        *error = fmax(fabs(x->x[0] - 1.706167732170483), fabs(x->x[1] + 0.8928097010248));
    }
    flx_integrator_destroy(&it);
    flx_state_destroy(&x);
    flx_system_destroy(&sys);
    flx_ctx_destroy(&ctx);
    return count;
}

// At every tolerance next to the best number of stages, which is not the same one everywhere.
static int variable_order_is_as_good_as_the_best(void)
{
    const int stages[3] = {3, 5, 7};
    for (int k = 2; k <= 10; k++) {
        double rtol = pow(10.0, -k), error = HUGE_VAL, ignored;
        long varied = evaluations(FLX_STAGES_AUTO, rtol, &error), best = 1000000, worst = 0;
        for (int i = 0; i < 3; i++) {
            long n = evaluations(stages[i], rtol, &ignored);
            CHECK(n > 0);
            if (n < best) best = n;
            if (n > worst) worst = n;
        }
        printf("    rtol 1e-%-2d: error %.2g, %ld evaluations, fixed %ld to %ld\n", k, error,
               varied, best, worst);
        CHECK(varied > 0 && (double)varied < 1.2 * (double)best);
        CHECK(error < 10.0 * rtol);
    }
    return 0;
}

// Mechanisms in both formulations: tolerance, closure, values in between, no allocation.
static int variable_order_takes_every_system(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_linear, rig_quasistatic};
    for (int m = 0; m < 12; m++) {
        rig r;
        flx_integrator_def def =
            adaptive(m < 6 ? FLX_FORMULATION_GGL : FLX_FORMULATION_INDEX3, 1e-8);
        def.stages = FLX_STAGES_AUTO;
        CHECK(rig_up(&r, makers[m % 6], &def) == 0);
        double theta[8], e = 0.0, between = 0.0;
        long before = flx_ctx_allocation_count(r.ctx);
        while (r.x->t < 1.0) {
            double t = r.x->t;
            CHECK(flx_integrator_step(r.it, r.x, 1.0 - t, NULL) == FLX_OK);
            if (t < 0.4 && r.x->t >= 0.4) {
                CHECK(flx_integrator_interpolate(r.it, 0.4, r.y) == FLX_OK);
            }
        }
        CHECK(flx_ctx_allocation_count(r.ctx) == before);
        flx_state *end = NULL;
        CHECK(flx_state_create(r.sys, &end) == FLX_OK);
        rig_reference(makers[m % 6], 0.4, end);
        r.sys->ops->difference(r.sys, end->q, r.y->q, theta);
        for (int i = 0; i < r.sys->dims.nv; i++) between = fmax(between, fabs(theta[i]));
        rig_reference(makers[m % 6], 1.0, end);
        r.sys->ops->difference(r.sys, end->q, r.x->q, theta);
        for (int i = 0; i < r.sys->dims.nv; i++) e = fmax(e, fabs(theta[i]));
        double gap = rig_gap(&r, r.x);
        printf("    %d: error %.2g, between %.2g, gap %.1g, %ld + %ld steps\n", m, e, between, gap,
               r.it->stats.steps, r.it->stats.rejected);
        flx_state_destroy(&end);
        rig_down(&r);
        CHECK(e < 100.0 * def.rtol);
        CHECK(between < 1e4 * def.rtol);
        CHECK(gap < 1e-12);
    }
    return 0;
}

// What is looked at inside the steps changes no bit of the motion.
static int looking_changes_nothing(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top};
    for (int m = 0; m < 4; m++) {
        rig r[2];
        flx_integrator_def def =
            adaptive(m < 2 ? FLX_FORMULATION_GGL : FLX_FORMULATION_INDEX3, 1e-5);
        def.stages = FLX_STAGES_AUTO;
        for (int k = 0; k < 2; k++) {
            CHECK(rig_up(&r[k], makers[m % 2], &def) == 0);
            while (r[k].x->t < 2.0) {
                double t = r[k].x->t;
                CHECK(flx_integrator_step(r[k].it, r[k].x, 2.0 - t, NULL) == FLX_OK);
                for (int i = 1; k == 1 && i < 4; i++) {
                    double at = t + 0.25 * i * (r[k].x->t - t);
                    CHECK(flx_integrator_interpolate(r[k].it, at, r[k].y) == FLX_OK);
                    CHECK(rig_gap(&r[k], r[k].y) < 1e-12);
                }
            }
        }
        size_t size = r[0].x->size * sizeof(double);
        bool same = memcmp(r[0].x->block, r[1].x->block, size) == 0;
        rig_down(&r[0]);
        rig_down(&r[1]);
        CHECK(same);
    }
    return 0;
}

// ---- singular mass ------------------------------------------------------------------------------

// A mass on a spring, in series with a damper that has no mass of its own:
//     q1'' = -5 q1 + q2 - 0.1 q1',   2 q2' = q1 - 3 q2
static flx_system *massless(flx_ctx *ctx)
{
    const double M[4] = {1, 0, 0, 0}, D[4] = {0.1, 0, 0, 2}, K[4] = {5, -1, -1, 3};
    return linear_create(ctx, 2, M, D, K);
}

static void massless_rate(const double y[3], double f[3])
{
    f[0] = y[1];
    f[1] = -5.0 * y[0] + y[2] - 0.1 * y[1];
    f[2] = 0.5 * (y[0] - 3.0 * y[2]);
}

static int masses_may_be_zero(void)
{
    double e[3], y[3] = {0.7, -0.3, 0.2};
    for (int level = 0; level < 3; level++) {
        rig r;
        flx_integrator_def def = fixed(FLX_FORMULATION_AUTO, 3);
        int n = 8 << level;
        CHECK(rig_up(&r, massless, &def) == 0);
        r.x->q[0] = 0.7;
        r.x->q[1] = 0.2;
        r.x->v[0] = -0.3;
        r.x->v[1] = 0.05;
        for (int k = 1; k <= n; k++) {
            CHECK(flx_integrator_step(r.it, r.x, 2.0 * k / n - r.x->t, NULL) == FLX_OK);
        }
        if (level == 0) { // by Taylor's series, which is exact for a linear system
            for (int k = 0; k < 2000; k++) {
                double f[4][3], h = 2.0 / 2000, z[3];
                for (int i = 0; i < 4; i++) {
                    double c = i == 0 ? 0.0 : i == 3 ? h : 0.5 * h;
                    for (int j = 0; j < 3; j++) z[j] = y[j] + (i ? c * f[i - 1][j] : 0.0);
                    massless_rate(z, f[i]);
                }
                for (int j = 0; j < 3; j++) {
                    y[j] += h / 6.0 * (f[0][j] + 2.0 * f[1][j] + 2.0 * f[2][j] + f[3][j]);
                }
            }
        }
        e[level] = fmax(fabs(r.x->q[0] - y[0]), fabs(r.x->q[1] - y[2]));
        e[level] = fmax(e[level], fabs(r.x->v[0] - y[1]));
        rig_down(&r);
    }
    printf("    errors %.2g %.2g %.2g\n", e[0], e[1], e[2]);
    CHECK(log2(e[0] / e[2]) / 2.0 > 4.7);
    return 0;
}

// ---- constraints --------------------------------------------------------------------------------------

static double constraint_compliance;

// A mass on a very stiff spring, released from the horizontal.
static flx_system *spring_pendulum(flx_ctx *ctx)
{
    double mass = 1.0;
    net_constraint rod = {.i = 0, .j = -1, .length = 1.0, .sigma = 1.0, .C = constraint_compliance};
    return net_create(ctx, 1, &mass, 9.81, 1, &rod);
}

// Cost and error do not know how stiff a constraint is.
static int stiff_constraints_cost_what_rigid_ones_do(void)
{
    const double delta[4] = {1e-3, 1e-4, 1e-5, 1e-7};
    long least = 1000000, most = 0;
    for (int k = 0; k < 4; k++) {
        rig r;
        flx_integrator_def def = adaptive(FLX_FORMULATION_AUTO, 1e-5);
        constraint_compliance = delta[k] * delta[k];
        CHECK(rig_up(&r, spring_pendulum, &def) == 0);
        r.x->q[0] = 1.0;
        r.x->a[1] = -9.81;
        CHECK(run(r.it, r.x, 10.0) == FLX_OK);
        long steps = r.it->stats.steps + r.it->stats.rejected;
        // the rigid pendulum from the horizontal at t = 10, by elliptic functions
        double e = hypot(r.x->q[0] - 0.275087462576117, r.x->q[1] + 0.961419205099125);
        double mirrored = hypot(r.x->q[0] + 0.275087462576117, r.x->q[1] + 0.961419205099125);
        printf("    delta %g: error %.2g, %ld steps\n", delta[k], fmin(e, mirrored), steps);
        CHECK(delta[k] > 1e-4 || fmin(e, mirrored) < 1e-4);
        least = steps < least ? steps : least;
        most = steps > most ? steps : most;
        rig_down(&r);
    }
    CHECK(most <= 300);
    CHECK((double)most <= 1.2 * (double)least);
    return 0;
}

// Two rods and a coupler of one length: at angle zero all points lie on a line, and the mechanism
// could fold. It must go on as it was, whatever the formulation and the step.
static flx_system *parallel_rods(flx_ctx *ctx)
{
    double mass[2] = {1.0, 1.0};
    net_constraint rods[3] = {{.i = 0, .j = -1, .anchor = {0.0, 0.0}, .length = 1.0, .sigma = 1.0},
                              {.i = 1, .j = -1, .anchor = {1.0, 0.0}, .length = 1.0, .sigma = 1.0},
                              {.i = 0, .j = 1, .length = 1.0, .sigma = 1.0}};
    return net_create(ctx, 2, mass, 9.81, 3, rods);
}

static int singular_positions_are_passed_on_the_same_branch(void)
{
    for (int k = 0; k < 6; k++) {
        rig r;
        flx_formulation f = k % 2 ? FLX_FORMULATION_INDEX3 : FLX_FORMULATION_GGL;
        flx_integrator_def def = fixed(f, 3);
        if (k >= 4) def = adaptive(f, 1e-7);
        CHECK(rig_up(&r, parallel_rods, &def) == 0);
        r.x->q[0] = 0.0, r.x->q[1] = 1.0, r.x->q[2] = 1.0, r.x->q[3] = 1.0; // upright
        r.x->v[0] = 1.5, r.x->v[2] = 1.5;
        double fold = 0.0, gap = 0.0,
               h = k < 2   ? 3.0 / 256
                   : k < 4 ? 3.0 / 1301
                           : 5.0,
               energy = 0.0;
        while (r.x->t < 3.0 - 1e-9) {
            double step = fmin(h, 3.0 - r.x->t);
            if (flx_integrator_step(r.it, r.x, step, NULL) != FLX_OK) {
                printf("    %s\n", flx_ctx_error(r.ctx, 0)->text);
                return 1;
            }
            fold = fmax(fold, fabs(r.x->q[3] - r.x->q[1]));
            gap = fmax(gap, rig_gap(&r, r.x));
        }
        for (int i = 0; i < 4; i++) energy += 0.5 * r.x->v[i] * r.x->v[i];
        energy += 9.81 * (r.x->q[1] + r.x->q[3]) - 2.25 - 2 * 9.81;
        printf("    %s: coupler turned by %.2g, gap %.2g, energy %.2g, %ld steps\n",
               f == FLX_FORMULATION_GGL ? "ggl" : "index-3", fold, gap, energy, r.it->stats.steps);
        rig_down(&r);
        CHECK(fold < 1e-6);
        CHECK(gap < 1e-11);
        CHECK(fabs(energy) < 1e-3);
    }
    return 0;
}

// ---- refusals -----------------------------------------------------------------------------------

static int refusals_say_what_there_is(void)
{
    flx_integrator_def def = fixed(FLX_FORMULATION_AUTO, 4);
    if (method_refuses(&def, rig_pendulum, "1, 2, 3, 5 or 7 stages")) return 1;
    def = fixed(FLX_FORMULATION_AUTO, FLX_STAGES_AUTO);
    if (method_refuses(&def, rig_pendulum, "give rtol and atol instead of step")) return 1;
    def = fixed(FLX_FORMULATION_INDEX1, 3);
    return method_refuses(&def, rig_pendulum, "index-3 and ggl");
}

TEST_MAIN(TEST(index_three_has_orders_five_three_two),
          TEST(stabilised_index_two_has_orders_five_five_three),
          TEST(systems_without_constraints_have_order_five),
          TEST(quasistatic_wrapper_has_order_five), TEST(own_factor_and_solve_gives_the_same),
          TEST(nonholonomic_skate_has_orders_five_five_three), TEST(other_numbers_of_stages),
          TEST(dense_output_has_the_order_of_the_stages), TEST(joints_stay_closed_to_rounding),
          TEST(no_allocation_in_steps), TEST(failed_step_leaves_the_state_as_it_was),
          TEST(every_allocation_may_fail), TEST(the_error_follows_the_tolerance),
          TEST(van_der_pol_to_its_tolerance), TEST(stiffness_costs_nothing),
          TEST(variable_order_is_as_good_as_the_best), TEST(variable_order_takes_every_system),
          TEST(looking_changes_nothing), TEST(masses_may_be_zero),
          TEST(stiff_constraints_cost_what_rigid_ones_do),
          TEST(singular_positions_are_passed_on_the_same_branch), TEST(refusals_say_what_there_is))
