// test_variational.c - the discrete Lagrangian with one parameter: orders, the symplectic Eulers at
// its ends, coefficients, refusals. What it shares with galerkin is tried there.
#include "method_check.h"

static flx_integrator_def parameter(double alpha)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "variational";
    def.alpha = alpha;
    def.step = 1e-2;
    return def;
}

// Order 2 at the middle and 1 elsewhere, on every kind of system.
static int orders(void)
{
    static const struct {
        rig_maker make;
        double until;
        int steps;
        bool multipliers;
    } all[] = {{rig_linear, 1.5, 200, false},
               {rig_mixed, 2.0, 160, true},
               {rig_pendulum, 1.1, 160, true},
               {rig_top, 0.5, 160, true},
               {rig_skate, 0.6, 80, true}};
    static const double alpha[] = {0.0, 0.3, 0.5, 1.0};
    int bad = 0;
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 4; k++) {
            flx_integrator_def def = parameter(alpha[k]);
            double p = k == 2 ? 2.0 : 1.0, order[3] = {p, p, all[i].multipliers ? p : -1.0};
            printf("    alpha = %g\n", alpha[k]);
            bad |= rig_orders(all[i].make, all[i].until, all[i].steps, &def, order, 0.12);
        }
    }
    return bad;
}

// Middle by default.
static int default_is_the_middle(void)
{
    const double order[3] = {2.0, 2.0, -1.0};
    flx_integrator_def def = parameter((double)NAN);
    return rig_orders(rig_linear, 1.5, 40, &def, order, 0.1);
}

// M = 1, K = w^2: alpha = 0 kicks and drifts, alpha = 1 drifts and kicks.
static flx_system *oscillator(flx_ctx *ctx)
{
    const double M[1] = {1.0}, D[1] = {0.0}, K[1] = {7.0};
    return linear_create(ctx, 1, M, D, K);
}

static int ends_are_the_symplectic_eulers(void)
{
    for (int end = 0; end < 2; end++) {
        rig r;
        flx_integrator_def def = parameter(end);
        rig_up(&r, oscillator, &def); // no start is known for it
        CHECK(r.it != NULL);
        double q = 0.3, v = -0.4, h = 0.05;
        r.x->q[0] = q;
        r.x->v[0] = v;
        for (int k = 0; k < 100; k++) {
            if (end == 0) v -= h * 7.0 * q;
            q += h * v;
            if (end == 1) v -= h * 7.0 * q;
            CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
            CHECK_NEAR(r.x->q[0], q, 1e-14);
            CHECK_NEAR(r.x->v[0], v, 1e-14);
        }
        rig_down(&r);
    }
    return 0;
}

static int coefficients(void)
{
    const flx_integrator_type *const *type = flx_integrator_types();
    while (*type && strcmp((*type)->name, "variational") != 0) type++;
    CHECK(*type && (*type)->coefficients);
    flx_coefficients k;
    flx_integrator_def def = parameter(0.3);
    CHECK((*type)->coefficients(&def, &k));
    CHECK(k.s == 1 && k.scheme == FLX_SCHEME_RUNGE_KUTTA);
    CHECK(k.A[0][0] == 0.3 && k.A_v[0][0] == 0.7 && k.b[0] == 1.0 && k.c[0] == 0.3);
    def.alpha = 1.2;
    CHECK(!(*type)->coefficients(&def, &k));
    return 0;
}

static int promises(void)
{
    const rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_linear};
    flx_integrator_def def = parameter(0.3);
    CHECK(method_allocates_nothing(&def, makers, 5) == 0);
    CHECK(method_failure_changes_nothing(&def, rig_pendulum, "a value is not finite") == 0);
    return method_survives_want_of_memory(&def, rig_top);
}

static int refusals(void)
{
    flx_integrator_def def = parameter(1.5);
    CHECK(method_refuses(&def, rig_linear, "lies between 0 and 1") == 0);
    def = parameter(0.5);
    return method_refuses(&def, rig_quasistatic, "needs the momenta");
}

TEST_MAIN(SLOW_TEST(orders), TEST(default_is_the_middle), TEST(ends_are_the_symplectic_eulers),
          TEST(coefficients), TEST(promises), TEST(refusals))
