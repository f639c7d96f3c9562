// test_dop853.c - the method of order 8: its numbers, its order with fixed steps, error control and
// dense output on free, constrained and first-order systems.
#include "flexion/extend/method_table.h"
#include "flexion/methods.h"
#include "method_check.h"

static flx_integrator_def fixed(void)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "dop853";
    def.step = 1e-3;
    return def;
}

static flx_integrator_def adaptive(double rtol)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "dop853";
    def.rtol = rtol;
    def.atol = rtol;
    return def;
}

static const flx_integrator_type *type_of(const char *name)
{
    const flx_integrator_type *const *t = flx_integrator_types();
    while (*t && strcmp((*t)->name, name) != 0) t++;
    return *t;
}

// Quadrature conditions b c^(k-1) = 1/k to k = 8 and (A c^(k-1))_i = c_i^k / k for the stages with
// weight to k = 3: to rounding of coefficients as large as 43.
static int the_numbers_meet_their_conditions(void)
{
    flx_coefficients k = {0};
    flx_integrator_def def = fixed();
    CHECK(type_of("dop853")->coefficients(&def, &k));
    CHECK(k.s == 12);
    for (int p = 1; p <= 8; p++) {
        double sum = 0.0;
        for (int i = 0; i < k.s; i++) sum += k.b[i] * pow(k.c[i], p - 1);
        CHECK_NEAR(sum, 1.0 / p, 2e-15);
    }
    for (int i = 1; i < k.s; i++) {
        for (int p = 1; p <= 3; p++) {
            double sum = 0.0;
            for (int j = 0; j < i; j++) sum += k.A[i][j] * pow(k.c[j], p - 1);
            if (p == 1 || k.b[i] != 0.0) CHECK_NEAR(sum, pow(k.c[i], p) / p, 3e-14);
        }
    }
    return 0;
}

// All 200 conditions up to order 8, and not those of order 9.
static int all_order_conditions_hold(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_integrator_def def = fixed();
    flx_method_properties p;
    CHECK(flx_method_properties_find(ctx, &def, &p) == FLX_OK);
    flx_ctx_destroy(&ctx);
    CHECK(p.order == 8);
    CHECK(p.stages == 12);
    return 0;
}

static int order_eight_with_fixed_steps(void)
{
    flx_integrator_def def = fixed();
    const double eight[3] = {8.0, 8.0, 8.0};
    const double speed[3] = {-1.0, 8.0, -1.0}; // the others pass zero in between
    if (rig_orders(rig_pendulum, 1.4, 6, &def, speed, 0.6)) return 1;
    const double motion[3] = {8.0, 8.0, -1.0};
    if (rig_orders(rig_mixed, 2.0, 5, &def, motion, 0.6)) return 1;
    return rig_orders(rig_top, 1.2, 10, &def, eight, 0.6);
}

static int the_error_follows_the_tolerance(void)
{
    for (int k = 4; k <= 12; k += 2) {
        rig r;
        flx_integrator_def def = adaptive(pow(10.0, -k));
        double e = 0.0, gap = 0.0;
        CHECK(rig_up(&r, rig_top, &def) == 0);
        while (r.x->t < 1.0) {
            CHECK(flx_integrator_step(r.it, r.x, 1.0 - r.x->t, NULL) == FLX_OK);
            gap = fmax(gap, rig_gap(&r, r.x));
        }
        rig_reference(rig_top, 1.0, r.y);
        for (int i = 0; i < r.sys->dims.nv; i++) e = fmax(e, fabs(r.x->v[i] - r.y->v[i]));
        printf("    rtol 1e-%d: error %.2g, %ld steps, %ld rejected, %ld rates, gap %.1e\n", k, e,
               r.it->stats.steps, r.it->stats.rejected, r.it->stats.residuals, gap);
        rig_down(&r);
        CHECK(e < 100.0 * pow(10.0, -k) + 1e-11);
        CHECK(gap < 1e-14);
    }
    return 0;
}

// Values between steps: order 7 in the step, a local error of h^8, and the joint closed there, too.
static int dense_output_has_order_seven(void)
{
    double e[3];
    for (int level = 0; level < 3; level++) {
        rig r;
        flx_integrator_def def = fixed();
        double h = 0.08 / (1 << level);
        CHECK(rig_up(&r, rig_top, &def) == 0);
        CHECK(flx_integrator_step(r.it, r.x, h, NULL) == FLX_OK);
        e[level] = 0.0;
        for (int k = 1; k < 8; k++) {
            double t = k * h / 8.0;
            CHECK(flx_integrator_interpolate(r.it, t, r.x) == FLX_OK);
            CHECK(r.x->t == t);
            CHECK(rig_gap(&r, r.x) < 1e-14);
            rig_reference(rig_top, t, r.y);
            for (int i = 0; i < 7; i++) e[level] = fmax(e[level], fabs(r.x->q[i] - r.y->q[i]));
        }
        rig_down(&r);
    }
    double slope = log2(e[0] / e[2]) / 2.0;
    printf("    local errors %.2g %.2g %.2g, order %.2f\n", e[0], e[1], e[2], slope);
    CHECK_NEAR(slope, 8.0, 0.6);
    return 0;
}

static int a_stiff_motion_gets_a_hint(void)
{
    flx_integrator_def def = adaptive(1e-6);
    return method_hints_at_stiffness(&def, 400, "dop853: the motion looks stiff");
}

static int no_allocation_in_steps(void)
{
    const rig_maker top = rig_top;
    flx_integrator_def def = adaptive(1e-8);
    return method_allocates_nothing(&def, &top, 1);
}

TEST_MAIN(TEST(the_numbers_meet_their_conditions), TEST(all_order_conditions_hold),
          TEST(order_eight_with_fixed_steps), TEST(the_error_follows_the_tolerance),
          SLOW_TEST(dense_output_has_order_seven), TEST(a_stiff_motion_gets_a_hint),
          TEST(no_allocation_in_steps))
