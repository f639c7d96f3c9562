// Impulses with friction whose values are known in closed form, and the iterations of columns and stacks.
#include "check.h"
#include "cone_rig.h"

static flx_ctx *ctx;
static flx_cone *cone;
static flx_cone_report rep;

static flx_status solve(cone_rig *r, int warm)
{
    return flx_cone_solve(cone, r->m, r->W, r->b, r->ngroup, r->groups, warm, r->lam, r->u, &rep);
}

// A mass on a slope of this angle, after 1 s of gravity 10 along a direction in the slope.
static int slope(double angle, double along, double f, double mass)
{
    const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, at[3] = {0};
    cone_rig r;
    rig_init(&r, 6, 3);
    double pull = 10 * sin(angle), press = 10 * cos(angle);
    r.free[0] = pull * cos(along), r.free[1] = pull * sin(along), r.free[2] = -press;
    for (int i = 0; i < 6; i++) r.M_inv[i] = 1 / mass;
    rig_contact(&r, -1, at, 0, at, axes, 2, f);
    rig_close(&r);
    CHECK(solve(&r, 0) == FLX_OK);
    double slip = fmax(0, pull - f * press), force = fmin(pull, f * press);
    CHECK_REL(r.lam[0], mass * press, 1e-12);
    CHECK_NEAR(r.u[1], slip * cos(along), 1e-11);
    CHECK_NEAR(r.u[2], slip * sin(along), 1e-11);
    CHECK_NEAR(r.lam[1], -mass * force * cos(along), 1e-11 * mass);
    CHECK_NEAR(r.lam[2], -mass * force * sin(along), 1e-11 * mass);
    rig_free(&r);
    return 0;
}

static int block_on_a_slope_sticks_and_slides(void)
{
    for (int k = 0; k < 40; k++) {
        double along = 0.3 + 6.28 * k / 40, mass = pow(10, k % 13 - 6);
        CHECK(slope(0.3, along, 0.4, mass) == 0); // tan 0.3 = 0.309
        CHECK(slope(0.5, along, 0.4, mass) == 0); // tan 0.5 = 0.546
        CHECK(slope(0.5, along, 0.0, mass) == 0);
    }
    return 0;
}

static int cradle(void)
{
    cone_rig r;
    rig_init(&r, 3, 2);
    for (int k = 0; k < 3; k++) r.M_inv[k] = 0.5;
    r.free[0] = 1;
    for (int k = 0; k < 2; k++) {
        rig_group(&r, 0, 0);
        double *row = rig_row(&r);
        row[k] = -1, row[k + 1] = 1;
    }
    rig_close(&r);
    for (int i = 0; i < 2; i++) r.b[i] += fmin(0, r.b[i]); // restitution 1
    CHECK(solve(&r, 0) == FLX_OK);
    CHECK_NEAR(1 - 0.5 * r.lam[0], -1.0 / 3, 1e-12);
    CHECK_NEAR(0.5 * (r.lam[0] - r.lam[1]), 2.0 / 3, 1e-12);
    CHECK_NEAR(0.5 * r.lam[1], 2.0 / 3, 1e-12);
    rig_free(&r);
    return 0;
}

// Sphere with the velocity (1, 0, -2) and no spin: it slides to the end of the impact, or rolls.
static int oblique_impact(void)
{
    const double axes[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, zero[3] = {0}, low[3] = {0, 0, -0.1};
    const double e = 0.5;
    for (int k = 0; k < 2; k++) {
        double f = k == 0 ? 0.05 : 0.5, m = 2.0;
        cone_rig r;
        rig_init(&r, 6, 3);
        for (int i = 0; i < 3; i++) r.M_inv[i] = 1 / m, r.M_inv[3 + i] = 1 / (0.4 * m * 0.01);
        r.free[0] = 1, r.free[2] = -2;
        rig_contact(&r, -1, zero, 0, low, axes, 2, f);
        rig_close(&r);
        r.b[0] += e * fmin(0, r.b[0]);
        CHECK(solve(&r, 0) == FLX_OK);
        CHECK_NEAR(r.lam[0], m * 3, 1e-12);
        // rolling: 5/7 of the velocity is left
        CHECK_NEAR(1 + r.lam[1] / m, k == 0 ? 1 - f * 3 : 5.0 / 7, 1e-12);
        CHECK_NEAR(r.lam[2], 0, 1e-13);
        rig_free(&r);
    }
    return 0;
}

// Friction alone, within a limit; and with a given force.
static int limit_without_normal(void)
{
    double W[4] = {2, 0, 0, 2}, b[2] = {0.6, 0.8}, lam[2], u[2];
    flx_cone_group g = {.normal = -1, .ntangent = 2, .tangent = {0, 1}, .limit = 0.2};
    CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, 0, lam, u, &rep) == FLX_OK);
    CHECK_NEAR(lam[0], -0.12, 1e-14);
    CHECK_NEAR(lam[1], -0.16, 1e-14);
    CHECK_NEAR(u[0], 0.36, 1e-14);
    g.limit = 1;
    CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, 0, lam, u, &rep) == FLX_OK);
    CHECK_NEAR(lam[1], -0.4, 1e-14);
    CHECK_NEAR(u[1], 0, 1e-14);
    g.slides = 1, g.slip[0] = -1;
    CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, 0, lam, u, &rep) == FLX_OK);
    CHECK_NEAR(lam[0], 1, 1e-14);
    CHECK_NEAR(lam[1], 0, 1e-14);
    return 0;
}

// Accelerations of a rod that slides on its end (Painleve): W of normal and tangent as of the angle a, slip along +t.
static flx_status rod(double f, double a, double weight, double lam[2], double u[2])
{
    double s = sin(a), c = cos(a); // half length 1, mass 1, inertia 1/3, centre above the end
    double W[4] = {1 + 3 * c * c, -3 * s * c, -3 * s * c, 1 + 3 * s * s}, b[2] = {weight, 0};
    flx_cone_group g = {.normal = 0, .ntangent = 1, .tangent = {1}, .friction = f, .slides = 1};
    g.slip[0] = -1;
    return flx_cone_solve(cone, 2, W, b, 1, &g, 0, lam, u, &rep);
}

static int sliding_with_a_given_direction(void)
{
    double lam[2], u[2], a = 1.0, s = sin(a), c = cos(a);
    CHECK(rod(0.5, a, -10, lam, u) == FLX_OK);
    double w = 1 + 3 * c * c - 0.5 * 3 * s * c;
    CHECK_REL(lam[0], 10 / w, 1e-12);
    CHECK_REL(lam[1], 0.5 * lam[0], 1e-12);
    CHECK_NEAR(u[0], 0, 1e-12);
    CHECK(rod(0.5, a, 3, lam, u) == FLX_OK); // it lifts off
    CHECK(lam[0] == 0 && lam[1] == 0);
    // 1 + 3 c^2 < 3 f s c: no force keeps the end from going down
    CHECK(rod(2.0, a, -10, lam, u) == FLX_NO_CONVERGENCE);
    CHECK(rep.worst == 0 && rep.residual > 1e-3);
    return 0;
}

// Friction of one row that reads the force of another: W is not symmetric; as with the direction given.
static int matrix_without_symmetry(void)
{
    double s = sin(1.0), c = cos(1.0), f = 0.5, lam[2], u[2];
    double w = 1 + 3 * c * c - f * 3 * s * c, W[4] = {w, 0, 1, 2}, b[2] = {-10, 0.5};
    flx_cone_group g[2] = {{.normal = 0}, {.normal = 1}};
    CHECK(flx_cone_solve(cone, 2, W, b, 2, g, 0, lam, u, &rep) == FLX_OK);
    CHECK_REL(lam[0], 10 / w, 1e-12);
    CHECK_NEAR(u[1], 0.5 + 10 / w, 1e-12);
    W[2] = -1;
    CHECK(flx_cone_solve(cone, 2, W, b, 2, g, 0, lam, u, &rep) == FLX_OK);
    CHECK_REL(lam[1], 0.5 * (10 / w - 0.5), 1e-12);
    W[0] = -1;
    CHECK(flx_cone_solve(cone, 2, W, b, 2, g, 0, lam, u, &rep) == FLX_NO_CONVERGENCE);
    CHECK(rep.worst == 0);
    return 0;
}

// The impulse without collision of the rod at atan(2), friction 1.6, that slides with 1 m/s (Painleve's paradox): it sticks.
static int painleve_impulse(void)
{
    double s = 2 / sqrt(5), c = 1 / sqrt(5), lam[2], u[2];
    double W[4] = {1 + 3 * c * c, -3 * s * c, -3 * s * c, 1 + 3 * s * s}, b[2] = {0, -1};
    flx_cone_group g = {.normal = 0, .ntangent = 1, .tangent = {1}, .friction = 1.6};
    // no impulse at all is a solution too; the start from all that sticks does not lead there
    CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, 0, lam, u, &rep) == FLX_OK);
    CHECK_NEAR(lam[0], 0.3, 1e-12);
    CHECK_NEAR(lam[1], 0.4, 1e-12);
    return 0;
}

// Rows that hold always: a pendulum that hits a wall; lambda of a row in no group has any sign.
static int rows_that_hold(void)
{
    // two masses on a rod along x; the second touches a wall on its right
    double W[4] = {2, -1, -1, 1}, b[2] = {0, -3}, lam[2], u[2];
    flx_cone_group g = {.normal = 1};
    CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, 0, lam, u, &rep) == FLX_OK);
    CHECK_NEAR(lam[1], 6, 1e-12);
    CHECK_NEAR(lam[0], 3, 1e-12);
    CHECK_NEAR(u[0], 0, 1e-12);
    b[1] = 1;
    CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, 1, lam, u, &rep) == FLX_OK);
    CHECK_NEAR(lam[1], 0, 1e-12);
    CHECK_NEAR(u[1], 1, 1e-12);
    return 0;
}

static int wrong_data(void)
{
    double W[1] = {1}, b[1] = {(double)NAN}, lam[1], u[1];
    flx_cone_group g = {.normal = 0};
    CHECK(flx_cone_solve(cone, 1, W, b, 1, &g, 0, lam, u, &rep) == FLX_NOT_FINITE);
    // nothing that moves is pressed
    W[0] = 0, b[0] = -1;
    CHECK(flx_cone_solve(cone, 1, W, b, 1, &g, 0, lam, u, &rep) == FLX_NO_CONVERGENCE);
    CHECK(rep.worst == 0);
    b[0] = 1;
    CHECK(flx_cone_solve(cone, 1, W, b, 1, &g, 0, lam, u, &rep) == FLX_OK);
    CHECK(lam[0] == 0);
    CHECK(flx_cone_solve(cone, 0, W, b, 0, &g, 0, lam, u, &rep) == FLX_OK);
    return 0;
}

// A row that nothing moves and that cannot hold: the rest of the warm start, which is right, stays.
static int best_of_a_warm_start(void)
{
    double W[4] = {2, 0, 0, 0}, b[2] = {-10, 1}, lam[2] = {5, 0}, u[2];
    flx_cone_group g = {.normal = 0};
    for (int warm = 0; warm < 2; warm++) {
        lam[0] = 5;
        CHECK(flx_cone_solve(cone, 2, W, b, 1, &g, warm, lam, u, &rep) == FLX_NO_CONVERGENCE);
        CHECK(rep.worst == -1 && rep.stage == FLX_CONE_BEST);
        CHECK_NEAR(lam[0], 5, 1e-9);
        CHECK_NEAR(u[0], 0, 1e-9);
    }
    return 0;
}

static int columns(void)
{
    const int N[3] = {10, 50, 100}, expected[2][3] = {{2, 2, 3}, {4, 5, 6}};
    const double g[2] = {0, -1};
    for (int heavy = 0; heavy < 2; heavy++) {
        for (int k = 0; k < 3; k++) {
            cone_rig r;
            double top = heavy ? 1000 : 1, worst = 0;
            rig_column(&r, N[k], 0.5, g, 1, top);
            CHECK(solve(&r, 0) == FLX_OK);
            for (int i = 0; i < N[k]; i++) {
                double load = N[k] - 1 - i + top;
                worst = fmax(worst, fabs(r.lam[2 * i] - load) / load);
            }
            printf("column of %3d discs, top %4.0f: %d iterations, forces to %.1e\n", N[k], top,
                   rep.iterations, worst);
            CHECK(rep.iterations <=
                  expected[heavy][k] + 2); // the start is one, the last goes on to rounding
            CHECK(worst <= (heavy ? 1e-10 : 2e-11));
            rig_free(&r);
        }
    }
    return 0;
}

static int stacks(void)
{
    const int N[3] = {3, 10, 30}, most[3] = {4, 6, 30};
    const char *how[3] = {"level", "sticks", "slides"};
    const double g[3][3] = {{0, 0, -1}, {0.07, 0.03, -1}, {0.14, 0.03, -1}};
    for (int k = 0; k < 3; k++) {
        for (int j = 0; j < 3; j++) {
            cone_rig r;
            rig_stack(&r, N[k], 0.1, g[j], 1, 1);
            CHECK(solve(&r, 0) == FLX_OK);
            int cold = rep.iterations;
            double residual = rep.residual, load = 0;
            for (int i = 0; i < 4; i++) load += r.lam[3 * i];
            CHECK_REL(load, N[k], 1e-10);
            // the next step has nearly the same impulses
            for (int i = 0; i < r.nv; i++) r.free[i] += 1e-3 * sin(i);
            rig_close(&r);
            CHECK(solve(&r, 1) == FLX_OK);
            printf("stack of %2d boxes, %-6s: %2d iterations, law to %.1e; warm %2d\n", N[k],
                   how[j], cold, residual, rep.iterations);
            CHECK(cold <= most[j] && rep.iterations <= 15);
            rig_free(&r);
        }
    }
    return 0;
}

// A normal and two slips with two freedoms: the slip 2 is a part c of the normal row, so lambda_n = l0 + c l2 and l1 is given. It
// holds up to l1 = f l0/sqrt(1 - f^2 c^2), in any axes of the slips; from f c = 1 on always.
static int margin_of_a_share(void)
{
    const double l0 = 3.0, f = 0.4, c = 1.2, most = f * l0 / sqrt(1 - f * f * c * c);
    for (int k = 0; k < 24; k++) {
        double a = 0.26 * k, turned[2][2] = {{cos(a), sin(a)}, {-sin(a), cos(a)}};
        double l1 = (1 + (k % 2 ? 1e-6 : -1e-6)) * most, share = 0.5 * (k % 5) - 1, margin, size;
        // rows of J: normal (1, 0), slip 1 (0, 1), slip 2 (-1/c, 0), so that l2 takes -l2/c from the normal force
        double J[3][2] = {{1, 0}, {0, 1}, {-c, 0}}, R[3][2], W[9], lam[3];
        for (int i = 0; i < 2; i++) {
            R[0][i] = J[0][i];
            for (int t = 0; t < 2; t++)
                R[1 + t][i] = turned[t][0] * J[1][i] + turned[t][1] * J[2][i];
        }
        for (int i = 0; i < 9; i++)
            W[i] = R[i / 3][0] * R[i % 3][0] * 2 + R[i / 3][1] * R[i % 3][1] * 0.3;
        lam[0] = l0 + c * share;
        for (int t = 0; t < 2; t++) lam[1 + t] = turned[t][0] * l1 + turned[t][1] * share;
        flx_cone_group g = {.normal = 0, .ntangent = 2, .tangent = {1, 2}, .friction = f};
        CHECK(flx_cone_margin(cone, 3, W, lam, 1, &g, 1e-10, &margin, &size) == FLX_OK);
        CHECK(k % 2 ? margin < -1e-8 * size : margin > 1e-8 * size);
        CHECK(fabs(margin) < 2e-6 * size);
        g.friction = 1.1 / c; // it jams
        CHECK(flx_cone_margin(cone, 3, W, lam, 1, &g, 1e-10, &margin, &size) == FLX_OK);
        CHECK(margin > 0.5 * size);
        g.friction = 0.0; // a disc without a normal force, of which nothing can be shared
        g.normal = -1, g.tangent[0] = 0, g.tangent[1] = 1, g.limit = hypot(lam[0], lam[1]) + 1e-3;
        double D[4] = {1, 0, 0, 1};
        CHECK(flx_cone_margin(cone, 2, D, lam, 1, &g, 1e-10, &margin, &size) == FLX_OK);
        CHECK_NEAR(margin, 1e-3, 1e-12);
    }
    double nan[1] = {(double)NAN}, one[1] = {1}, margin, size;
    flx_cone_group g = {.normal = 0};
    CHECK(flx_cone_margin(cone, 1, nan, one, 1, &g, 1e-10, &margin, &size) == FLX_NOT_FINITE);
    CHECK(flx_cone_margin(cone, 0, nan, one, 0, &g, 1e-10, &margin, &size) == FLX_OK);
    return 0;
}

static int memory(void)
{
    const double g[3] = {0.6, 0.1, -1};
    cone_rig r;
    rig_stack(&r, 4, 0.5, g, 1, 1);
    CHECK(solve(&r, 0) == FLX_OK);
    long before = flx_ctx_allocation_count(ctx);
    for (int k = 0; k < 5; k++) CHECK(solve(&r, k % 2) == FLX_OK);
    CHECK(flx_ctx_allocation_count(ctx) == before);
    // without memory it says so, and works again later
    for (int k = 0; k < 7; k++) {
        flx_cone *own = flx_cone_create(ctx);
        CHECK(own);
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_cone_reserve(own, 10, 5);
        CHECK(status == (k < 6 ? FLX_ERR_MEMORY : FLX_OK));
        flx_ctx_fail_allocation(ctx, -1);
        CHECK(flx_cone_solve(own, r.m, r.W, r.b, r.ngroup, r.groups, 0, r.lam, r.u, &rep) ==
              FLX_OK);
        flx_cone_destroy(&own);
    }
    rig_free(&r);
    return 0;
}

int main(void)
{
    ctx = flx_ctx_create();
    cone = flx_cone_create(ctx);
    const test_entry tests[] = {TEST(block_on_a_slope_sticks_and_slides),
                                TEST(cradle),
                                TEST(oblique_impact),
                                TEST(limit_without_normal),
                                TEST(sliding_with_a_given_direction),
                                TEST(matrix_without_symmetry),
                                TEST(painleve_impulse),
                                TEST(rows_that_hold),
                                TEST(wrong_data),
                                TEST(best_of_a_warm_start),
                                TEST(columns),
                                TEST(stacks),
                                TEST(margin_of_a_share),
                                TEST(memory)};
    int failed = run_tests(tests, (int)(sizeof tests / sizeof *tests));
    flx_cone_destroy(&cone);
    flx_ctx_destroy(&ctx);
    return failed;
}
