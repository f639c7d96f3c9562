// test_galerkin.c - Galerkin variational integrators on every kind of system: orders twice the
// degree, momenta, joints, values in between, coefficients, failures.
#include "math/small.h"
#include "method_check.h"

static flx_integrator_def degree(int s)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "galerkin";
    def.degree = s;
    def.step = 1e-2;
    return def;
}

// Orders 2s in everything, with steps so large that rounding is not met.
typedef struct study {
    int s, steps;
    double within;
} study;

static int orders(rig_maker make, double until, int n, const study *all, bool multipliers)
{
    int bad = 0;
    for (int i = 0; i < n; i++) {
        flx_integrator_def def = degree(all[i].s);
        double p = 2.0 * all[i].s, order[3] = {p, p, multipliers ? p : -1.0};
        bad |= rig_orders(make, until, all[i].steps, &def, order, all[i].within);
    }
    return bad;
}

// ---- orders ---------------------------------------------------------------------------------

static int without_constraints(void)
{
    const study all[] = {{1, 40, 0.1}, {2, 10, 0.1}, {3, 6, 0.1}, {4, 4, 0.2}};
    return orders(rig_linear, 1.5, 4, all, false);
}

static int with_states_and_algebraic_unknowns(void)
{
    const study all[] = {{1, 40, 0.1}, {2, 10, 0.1}, {3, 6, 0.1}, {4, 4, 0.4}};
    return orders(rig_mixed, 2.0, 4, all, true);
}

static int with_joints(void)
{
    const study all[] = {{1, 40, 0.1}, {2, 20, 0.1}, {3, 10, 0.15}};
    return orders(rig_pendulum, 1.1, 3, all, true);
}

static int with_rotations(void)
{
    const study all[] = {{1, 40, 0.1}, {2, 20, 0.1}, {3, 6, 0.15}};
    return orders(rig_top, 0.5, 3, all, true);
}

static int with_velocity_constraints(void)
{
    const study all[] = {{1, 40, 0.1}, {2, 20, 0.1}, {3, 4, 0.2}};
    return orders(rig_skate, 0.6, 3, all, true);
}

static int with_the_systems_own_algebra(void)
{
    const study all[] = {{2, 20, 0.1}, {3, 6, 0.15}};
    return orders(rig_top_own, 0.5, 2, all, true);
}

// High degrees meet rounding after one halving.
static double error_of(rig_maker make, double until, int steps, int s)
{
    rig r;
    flx_integrator_def def = degree(s);
    double e = 0.0, theta[8];
    if (rig_up(&r, make, &def)) e = (double)NAN;
    for (int k = 0; k < steps && e == 0.0; k++) {
        double h = until * (k + 1) / steps - r.x->t;
        if (flx_integrator_step(r.it, r.x, h, NULL) != FLX_OK) e = (double)NAN;
    }
    rig_reference(make, until, r.y);
    r.sys->ops->difference(r.sys, r.y->q, r.x->q, theta);
    for (int i = 0; i < r.sys->dims.nv; i++) {
        e = isnan(e) ? e : fmax(e, fmax(fabs(theta[i]), fabs(r.x->v[i] - r.y->v[i])));
    }
    rig_down(&r);
    return e;
}

static int high_degrees(void)
{
    static const struct {
        rig_maker make;
        double until;
        int s, steps;
    } all[] = {{rig_pendulum, 1.1, 4, 8}, {rig_pendulum, 1.1, 5, 6}, {rig_pendulum, 1.1, 6, 4},
               {rig_top, 0.5, 4, 8},      {rig_top, 0.5, 5, 4},      {rig_mixed, 2.0, 5, 4},
               {rig_mixed, 2.0, 6, 3},    {rig_skate, 0.6, 4, 3}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        double e1 = error_of(all[i].make, all[i].until, all[i].steps, all[i].s);
        double e2 = error_of(all[i].make, all[i].until, 2 * all[i].steps, all[i].s);
        printf("    degree %d: order %.2f, errors %.2g %.2g\n", all[i].s, log2(e1 / e2), e1, e2);
        CHECK(log2(e1 / e2) > 2.0 * all[i].s - 1.2);
    }
    return 0;
}

// ---- constraints of other kinds -------------------------------------------------------------------

// A point on a spring-damper as a constraint, and on a damper alone.
static flx_system *compliant(flx_ctx *ctx)
{
    double mass = 1.3;
    net_constraint b = {.i = 0, .j = -1, .length = 0.8, .sigma = 1.0, .tau = 0.05, .C = 0.02};
    return net_create(ctx, 1, &mass, 9.81, 1, &b);
}

// On velocity level: the length goes to that of the rod, exp(-t sigma/tau).
static flx_system *creeping(flx_ctx *ctx)
{
    double mass = 1.3;
    net_constraint b = {.i = 0, .j = -1, .length = 0.8, .sigma = 1.0, .tau = 0.3};
    return net_create(ctx, 1, &mass, 9.81, 1, &b);
}

// The state after `steps` steps to t = 0.8, from a start off the constraint's own length where it may be.
static int net_end(rig_maker make, const flx_integrator_def *def, int steps, double end[5])
{
    rig r;
    CHECK(rig_up(&r, make, def) != 2 && r.it != NULL);
    r.x->t = 0.0;
    r.x->q[0] = 0.7;
    r.x->q[1] = -0.6;
    bool creeps = make == creeping;
    double L = 0.8, g = (0.85 - L * L) / (2.0 * L); // d.d = 0.85; sigma g + tau d.v/L = 0
    double rate = creeps ? -g / 0.3 * L / 0.85 : 0.0;
    r.x->v[0] = rate * 0.7 + 0.6;
    r.x->v[1] = rate * -0.6 + 0.7;
    CHECK(rig_accelerations(&r, r.x) == 0);
    for (int k = 0; k < steps; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 0.8 * (k + 1) / steps - r.x->t, NULL) == FLX_OK);
    }
    memcpy(end, r.x->q, 2 * sizeof *end);
    memcpy(end + 2, r.x->v, 2 * sizeof *end);
    end[4] = r.x->lam[0];
    rig_down(&r);
    return 0;
}

static int compliant_constraints_and_constraints_on_velocities(void)
{
    rig_maker make[2] = {compliant, creeping};
    for (int m = 0; m < 2; m++) {
        flx_integrator_def best = degree(5);
        double exact[5];
        CHECK(net_end(make[m], &best, 160, exact) == 0);
        for (int s = 1; s <= 3; s++) {
            flx_integrator_def def = degree(s);
            double e[2] = {0.0, 0.0};
            for (int level = 0; level < 2; level++) {
                double end[5];
                CHECK(net_end(make[m], &def, 40 << level, end) == 0);
                for (int i = 0; i < 5; i++) e[level] = fmax(e[level], fabs(end[i] - exact[i]));
            }
            printf("    %s, degree %d: order %.2f, error %.2g\n", m ? "creeping" : "compliant", s,
                   log2(e[0] / e[1]), e[1]);
            CHECK_NEAR(log2(e[0] / e[1]), 2.0 * s, 0.25);
        }
    }
    return 0;
}

// ---- conservation ---------------------------------------------------------------------------

// The top's momentum about the vertical, and its energy without drift.
static double vertical_momentum(const flx_state *x, const top_numbers *n)
{
    m33 R = quat_to_m33(quat_load(x->q + 3));
    v3 om = v3_load(x->v + 3), r = v3_load(x->q), v = v3_load(x->v);
    v3 spin = m33_mul_v(R, v3_make(n->J[0] * om.x, n->J[1] * om.y, n->J[2] * om.z));
    return spin.z + n->mass * v3_cross(r, v).z;
}

static int top_keeps_its_vertical_momentum(void)
{
    const top_numbers n = {5.1, {0.9, 1.3, 0.7}, {0.12, -0.23, -0.91}, 9.81}; // of rig_top
    for (int s = 1; s <= 3; s++) {
        rig r;
        flx_integrator_def def = degree(s);
        CHECK(rig_up(&r, rig_top, &def) == 0);
        flx_work *w = r.sys->ops->work_create(r.sys);
        double p0 = vertical_momentum(r.x, &n), drift = 0.0, e0 = 0.0, low = 0.0, high = 0.0;
        double half = 0.0;
        for (int k = 0; k <= 4000; k++) {
            flx_point p = flx_state_point(r.sys, r.x);
            flx_energies e;
            CHECK(r.sys->ops->energy(r.sys, w, &p, &e) == FLX_OK);
            double now = e.kinetic + e.potential;
            if (k == 0) e0 = now;
            low = fmin(low, now - e0);
            high = fmax(high, now - e0);
            if (k == 2000) half = high - low;
            drift = fmax(drift, fabs(vertical_momentum(r.x, &n) - p0));
            CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
        }
        printf("    degree %d: vertical momentum %.2e of %.1f, energy %.2e .. %.2e of %.1f\n", s,
               drift, p0, low, high, e0);
        CHECK(drift < 1e-12 * fabs(p0) * 10);
        CHECK(high - low < 1.1 * half + 1e-11); // bounded
        r.sys->ops->work_destroy(w);
        rig_down(&r);
    }
    return 0;
}

static int joints_stay_closed_to_rounding(void)
{
    for (int s = 1; s <= 6; s++) {
        rig r;
        flx_integrator_def def = degree(s);
        CHECK(rig_up(&r, rig_top, &def) == 0);
        double gap = 0.0, rate = 0.0, gd[3];
        flx_work *w = r.sys->ops->work_create(r.sys);
        for (int k = 0; k < 300; k++) {
            CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
            gap = fmax(gap, rig_gap(&r, r.x));
            flx_point p = flx_state_point(r.sys, r.x);
            CHECK(r.sys->ops->constraint_rate(r.sys, w, &p, gd) == FLX_OK);
            for (int i = 0; i < 3; i++) rate = fmax(rate, fabs(gd[i]));
        }
        printf("    degree %d: gap %.2g, its rate %.2g; %ld iterations, %ld factorisations\n", s,
               gap, rate, r.it->stats.newton_iterations, r.it->stats.factorisations);
        r.sys->ops->work_destroy(w);
        rig_down(&r);
        CHECK(gap < 1e-14 && rate < 2e-13);
    }
    return 0;
}

// ---- values in between ----------------------------------------------------------------------

// Local errors of one step at 0.37: at least s + 1 in q and s in v, joints closed, multipliers with
// them.
static int values_in_between(void)
{
    for (int s = 2; s <= 4; s++) {
        double e[3][3] = {{0.0}};
        for (int level = 0; level < 3; level++) {
            rig r;
            flx_integrator_def def = degree(s);
            double h = 0.04 / (1 << level), t = 0.37 * h;
            CHECK(rig_up(&r, rig_top, &def) == 0);
            CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
            CHECK(flx_integrator_interpolate(r.it, t, r.x) == FLX_OK);
            CHECK_NEAR(rig_gap(&r, r.x), 0.0, 1e-14);
            rig_reference(rig_top, t, r.y);
            rig_accelerations(&r, r.y);
            for (int i = 0; i < 7; i++)
                e[0][level] = fmax(e[0][level], fabs(r.x->q[i] - r.y->q[i]));
            for (int i = 0; i < 6; i++)
                e[1][level] = fmax(e[1][level], fabs(r.x->v[i] - r.y->v[i]));
            for (int i = 0; i < 3; i++) {
                e[2][level] = fmax(e[2][level], fabs(r.x->lam[i] - r.y->lam[i]));
            }
            rig_down(&r);
        }
        double q = 0.5 * log2(e[0][0] / e[0][2]), v = 0.5 * log2(e[1][0] / e[1][2]);
        double lam = 0.5 * log2(e[2][0] / e[2][2]);
        printf("    degree %d: local orders %.2f %.2f %.2f, errors %.2g %.2g %.2g\n", s, q, v, lam,
               e[0][2], e[1][2], e[2][2]);
        double least = s < 4 ? 3.0 : s;
        CHECK(q > least + 0.6 && v > least - 0.3 && lam > least - 0.3);
    }
    return 0;
}

// ---- coefficients ---------------------------------------------------------------------------

// Those of Gauss where points and degree agree; symplectic always.
static int coefficients_are_those_of_gauss(void)
{
    flx_coefficients k;
    flx_integrator_def def = degree(2);
    const flx_integrator_type *const *type = flx_integrator_types();
    while (*type && strcmp((*type)->name, "galerkin") != 0) type++;
    CHECK(*type && (*type)->coefficients);
    CHECK((*type)->coefficients(&def, &k));
    double r = sqrt(3.0) / 6.0;
    CHECK_NEAR(k.A[0][0], 0.25, 1e-15);
    CHECK_NEAR(k.A[0][1], 0.25 - r, 1e-15);
    CHECK_NEAR(k.A[1][0], 0.25 + r, 1e-15);
    CHECK_NEAR(k.c[1], 0.5 + r, 1e-15);
    for (int s = 1; s <= 6; s++) {
        for (int points = s; points <= 7; points++) {
            def.degree = s;
            def.quadrature = points;
            CHECK((*type)->coefficients(&def, &k));
            CHECK(k.s == points);
            for (int i = 0; i < points; i++) {
                double c = 0.0;
                for (int j = 0; j < points; j++) {
                    double sum = k.b[i] * k.A_v[i][j] + k.b[j] * k.A[j][i];
                    CHECK_NEAR(sum, k.b[i] * k.b[j], 1e-15);
                    if (points == s) CHECK_NEAR(k.A[i][j], k.A_v[i][j], 1e-14);
                    c += k.A[i][j];
                }
                CHECK_NEAR(c, k.c[i], 1e-14);
            }
        }
    }
    def.degree = 3;
    def.quadrature = 2;
    CHECK(!(*type)->coefficients(&def, &k));
    return 0;
}

// ---- failures -------------------------------------------------------------------------------

static int no_allocation_in_steps(void)
{
    const rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_linear};
    for (int s = 2; s <= 3; s++) {
        flx_integrator_def def = degree(s);
        if (method_allocates_nothing(&def, makers, 5)) return 1;
    }
    return 0;
}

static int failed_step_leaves_the_state_as_it_was(void)
{
    flx_integrator_def def = degree(3);
    return method_failure_changes_nothing(&def, rig_pendulum, "galerkin: a value is not finite");
}

static int step_that_is_too_long_says_so(void)
{
    rig r;
    flx_integrator_def def = degree(2);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    flx_state_copy(r.y, r.x);
    CHECK(flx_integrator_step(r.it, r.x, 40.0, NULL) == FLX_NO_CONVERGENCE);
    CHECK(memcmp(r.x->block, r.y->block, r.x->size * sizeof(double)) == 0);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "Newton's iteration did not converge");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "try a smaller step");
    rig_down(&r);
    return 0;
}

// A state that was changed from outside begins anew, with its own momentum.
static int state_changed_from_outside(void)
{
    rig r, f;
    flx_integrator_def def = degree(2);
    CHECK(rig_up(&r, rig_linear, &def) == 0);
    CHECK(rig_up(&f, rig_linear, &def) == 0);
    CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
    r.x->v[0] += 0.3;
    flx_state_copy(f.x, r.x);
    CHECK(flx_integrator_step(r.it, r.x, 1e-2, NULL) == FLX_OK);
    CHECK(flx_integrator_step(f.it, f.x, 1e-2, NULL) == FLX_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(r.x->q[i], f.x->q[i], 1e-16);
        CHECK_NEAR(r.x->v[i], f.x->v[i], 1e-14);
    }
    rig_down(&r);
    rig_down(&f);
    return 0;
}

static int every_allocation_may_fail(void)
{
    flx_integrator_def def = degree(3);
    return method_survives_want_of_memory(&def, rig_top);
}

static int refusals_say_what_there_is(void)
{
    flx_integrator_def def = degree(7);
    CHECK(method_refuses(&def, rig_linear, "has degrees 1 to 6") == 0);
    def = degree(2);
    def.quadrature = 8;
    CHECK(method_refuses(&def, rig_linear, "1 to 7 points") == 0);
    def.quadrature = 3;
    CHECK(method_refuses(&def, rig_mixed, "leave `quadrature` out") == 0);
    CHECK(method_refuses(&def, rig_skate, "leave `quadrature` out") == 0);
    def = degree(2);
    def.formulation = FLX_FORMULATION_GGL;
    CHECK(method_refuses(&def, rig_pendulum, "has its own formulation") == 0);
    def = degree(2);
    CHECK(method_refuses(&def, rig_quasistatic, "use radau") == 0);
    def.step = 0.0;
    def.rtol = 1e-6;
    CHECK(method_refuses(&def, rig_linear, "no error control") == 0);
    return 0;
}

TEST_MAIN(TEST(without_constraints), TEST(with_states_and_algebraic_unknowns), TEST(with_joints),
          TEST(with_rotations), TEST(with_velocity_constraints), TEST(with_the_systems_own_algebra),
          TEST(high_degrees), TEST(compliant_constraints_and_constraints_on_velocities),
          SLOW_TEST(top_keeps_its_vertical_momentum), SLOW_TEST(joints_stay_closed_to_rounding),
          TEST(values_in_between), TEST(coefficients_are_those_of_gauss),
          TEST(no_allocation_in_steps), TEST(failed_step_leaves_the_state_as_it_was),
          TEST(step_that_is_too_long_says_so), TEST(state_changed_from_outside),
          TEST(every_allocation_may_fail), TEST(refusals_say_what_there_is))
