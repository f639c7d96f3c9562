// test_start.c - the nearest consistent state, and its refusals.
#include "base/common.h"
#include "check.h"
#include "flexion/analysis.h"
#include "flexion/extend/method_table.h"
#include "rig.h"
#include "tiny_systems.h"

#include <stdlib.h>

static double gap_of(const flx_system *s, const flx_state *x)
{
    rig r = {.ctx = s->ctx, .sys = (flx_system *)s};
    return rig_gap(&r, x);
}

// ---- positions ------------------------------------------------------------------------------

static int a_pendulum_is_pulled_straight_to_its_circle(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = pendulum_create(ctx, 1.7, 0.9, 9.81);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    x->q[0] = 0.8;
    x->q[1] = -0.7;
    flx_start_report report = {0};
    CHECK(flx_start_positions(s, x, NULL, &report) == FLX_OK);
    // the nearest point of a circle lies on the ray
    double r = hypot(0.8, 0.7);
    CHECK_NEAR(x->q[0], 0.9 * 0.8 / r, 1e-9);
    CHECK_NEAR(x->q[1], -0.9 * 0.7 / r, 1e-9);
    CHECK_NEAR(hypot(x->q[0], x->q[1]), 0.9, 1e-14);
    CHECK_NEAR(report.moved_q, (r - 0.9) * 0.8 / r, 1e-9);
    CHECK(report.item_q == 0);
    CHECK(report.iterations <= 12);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_firm_coordinate_stays(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = pendulum_create(ctx, 1.7, 0.9, 9.81);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    x->q[0] = 0.5;
    x->q[1] = -0.6;
    double weight[2] = {1e6, 1.0};
    CHECK(flx_start_positions(s, x, weight, NULL) == FLX_OK);
    CHECK_NEAR(x->q[0], 0.5, 1e-5);
    CHECK_NEAR(x->q[1], -sqrt(0.81 - 0.25), 1e-5);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A square of rods with both diagonals: one rod too many, all of them right.
static const double side = 1.3;
static flx_system *braced_square(flx_ctx *ctx, double error)
{
    double mass[4] = {1.0, 1.5, 2.0, 2.5}, d = side * sqrt(2.0);
    net_constraint rods[6] = {{.i = 0, .j = 1, .length = side, .sigma = 1},
                              {.i = 1, .j = 2, .length = side, .sigma = 1},
                              {.i = 2, .j = 3, .length = side, .sigma = 1},
                              {.i = 3, .j = 0, .length = side, .sigma = 1},
                              {.i = 0, .j = 2, .length = d, .sigma = 1},
                              {.i = 1, .j = 3, .length = d + error, .sigma = 1}};
    return net_create(ctx, 4, mass, 9.81, 6, rods);
}

static void place_square(flx_state *x, double off)
{
    const double q[8] = {0, 0, side, 0, side, side, 0, side};
    const double noise[8] = {0.3, -0.5, 0.7, 0.2, -0.9, 0.4, 0.1, -0.8};
    for (int i = 0; i < 8; i++) x->q[i] = q[i] + off * noise[i];
}

static int a_redundant_rod_does_not_break_it(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = braced_square(ctx, 0.0);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    place_square(x, 0.1);
    CHECK(flx_start_positions(s, x, NULL, NULL) == FLX_OK);
    CHECK_NEAR(gap_of(s, x), 0.0, 1e-13);
    // a turn of the whole is free: velocities stay as they were given
    for (int i = 0; i < 4; i++) {
        x->v[2 * i] = -2.0 * x->q[2 * i + 1] + 0.4;
        x->v[2 * i + 1] = 2.0 * x->q[2 * i];
    }
    flx_start_report report = {0};
    CHECK(flx_start_velocities(s, x, NULL, &report) == FLX_OK);
    CHECK_NEAR(report.moved_v, 0.0, 1e-12);
    CHECK(flx_start_accelerations(s, x) == FLX_OK);
    // it falls and turns: the centre of mass falls with g
    double m[4] = {1.0, 1.5, 2.0, 2.5}, a = 0.0;
    for (int i = 0; i < 4; i++) a += m[i] * x->a[2 * i + 1] / 7.0;
    CHECK_NEAR(a, -9.81, 1e-9);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_closure_that_cannot_be_met_is_named(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = braced_square(ctx, 0.05);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    place_square(x, 0.01);
    CHECK(flx_start_positions(s, x, NULL, NULL) == FLX_INCONSISTENT);
    CHECK(flx_ctx_error_count(ctx) == 1);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "'rod' cannot be closed");
    // and the state is as near as it gets, not somewhere else
    CHECK(gap_of(s, x) < 0.05);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- velocities -----------------------------------------------------------------------------

static int the_nearest_velocity_is_tangent(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = pendulum_create(ctx, 1.7, 1.0, 9.81);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    x->q[0] = 0.6;
    x->q[1] = -0.8;
    x->v[0] = 1.0;
    x->v[1] = 2.0;
    CHECK(flx_start_velocities(s, x, NULL, NULL) == FLX_OK);
    double along = 0.8 * 1.0 + 0.6 * 2.0;
    CHECK_NEAR(x->v[0], 0.8 * along, 1e-12);
    CHECK_NEAR(x->v[1], 0.6 * along, 1e-12);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int a_knife_edge_stops_the_sideways_part(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = skate_create(ctx, 2.0, 0.5, 1.0, 0.0);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    x->q[2] = 0.5 * FLX_PI;
    x->v[0] = 0.7;
    x->v[1] = 1.1;
    x->v[2] = 0.3;
    CHECK(flx_start_velocities(s, x, NULL, NULL) == FLX_OK);
    CHECK_NEAR(x->v[0], 0.0, 1e-14);
    CHECK_NEAR(x->v[1], 1.1, 1e-14);
    CHECK_NEAR(x->v[2], 0.3, 1e-14);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- accelerations --------------------------------------------------------------------------

// Against the dense index-1 solution of the systems themselves.
static int accelerations_agree_with_a_dense_solution(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_linear};
    for (int m = 0; m < 5; m++) {
        rig r;
        flx_integrator_def def = flx_integrator_def_default();
        def.step = 1e-3;
        CHECK(rig_up(&r, makers[m], &def) == 0);
        flx_state_copy(r.y, r.x);
        memset(r.y->a, 0, (size_t)r.sys->dims.nv * sizeof(double));
        memset(r.y->w, 0, (size_t)r.sys->dims.nw * sizeof(double));
        CHECK(flx_start_accelerations(r.sys, r.y) == FLX_OK);
        for (int i = 0; i < (int)r.x->size; i++) {
            CHECK_NEAR(r.y->block[i], r.x->block[i], 1e-10 * (1.0 + fabs(r.x->block[i])));
        }
        rig_down(&r);
    }
    return 0;
}

// A constraint with compliance: its force follows from its stretch, and no equation is left for it.
static int a_compliant_constraint_has_the_force_of_its_stretch(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double mass = 1.5, k = 40.0, c = 3.0;
    net_constraint spring = {.i = 0, .j = -1, .length = 1.0, .sigma = k, .tau = c, .C = 1.0};
    flx_system *s = net_create(ctx, 1, &mass, 9.81, 1, &spring);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    x->q[1] = -1.2;
    x->v[1] = -0.5;
    CHECK(flx_start_accelerations(s, x) == FLX_OK);
    double g = (1.44 - 1.0) / 2.0, gd = 1.2 * 0.5;
    CHECK_NEAR(x->lam[0], k * g + c * gd, 1e-12);
    CHECK_NEAR(x->a[1], -9.81 + 1.2 * (k * g + c * gd) / mass, 1e-12);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A coordinate without mass, held by a damper and springs: its velocity is the one that balances the
// forces, its acceleration the rate of that.
static int a_velocity_without_inertia_follows_from_the_forces(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double M[4] = {2, 0, 0, 0}, D[4] = {0.1, 0, 0, 3}, K[4] = {10, -4, -4, 7};
    flx_system *s = linear_create(ctx, 2, M, D, K);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    x->q[0] = 0.3;
    x->q[1] = -0.2;
    x->v[0] = 0.5;
    x->v[1] = 77.0;
    CHECK(flx_start_velocities(s, x, NULL, NULL) == FLX_OK);
    double v1 = (4 * 0.3 + 7 * 0.2) / 3;
    CHECK_NEAR(x->v[0], 0.5, 1e-9);
    CHECK_NEAR(x->v[1], v1, 1e-9);
    CHECK(flx_start_accelerations(s, x) == FLX_OK);
    CHECK_NEAR(x->a[0], -(0.1 * 0.5 + 10 * 0.3 + 4 * 0.2) / 2, 1e-7);
    CHECK_NEAR(x->a[1], (4 * 0.5 - 7 * v1) / 3, 1e-6);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A massless point between two rods carries no force unless they are in line: the mass falls, and the
// rods tell the point where to go.
static int a_massless_point_held_by_rods_is_determined(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double mass[2] = {0.0, 1.4};
    net_constraint rods[2] = {{.i = 0, .j = -1, .length = 1.0, .sigma = 1},
                              {.i = 1, .j = 0, .length = 0.7, .sigma = 1}};
    flx_system *s = net_create(ctx, 2, mass, 9.81, 2, rods);
    flx_state *x = NULL;
    CHECK(flx_state_create(s, &x) == FLX_OK);
    const double q[4] = {1.0, 0.0, 1.0, 0.7};
    memcpy(x->q, q, sizeof q);
    CHECK(flx_start_velocities(s, x, NULL, NULL) == FLX_OK);
    CHECK(flx_start_accelerations(s, x) == FLX_OK);
    CHECK_NEAR(x->a[3], -9.81, 1e-12);
    CHECK_NEAR(x->a[1], -9.81, 1e-12); // the upright rod takes the point with it
    CHECK_NEAR(x->lam[0], 0.0, 1e-12);
    CHECK_NEAR(x->lam[1], 0.0, 1e-12);
    flx_state_destroy(&x);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ... and in a wrapper whose mass matrix is not even symmetric.
static int a_quasistatic_start_is_found(void)
{
    rig r;
    flx_integrator_def def = flx_integrator_def_default();
    def.step = 1e-3;
    CHECK(rig_up(&r, rig_quasistatic, &def) == 0); // knows its start
    flx_state_copy(r.y, r.x);
    memset(r.y->a, 0, 2 * sizeof(double));
    r.y->w[0] = 0.0;
    CHECK(flx_start_accelerations(r.sys, r.y) == FLX_OK);
    for (int i = 0; i < 2; i++) CHECK_NEAR(r.y->a[i], r.x->a[i], 1e-5);
    CHECK_NEAR(r.y->w[0], r.x->w[0], 1e-6);
    rig_down(&r);
    return 0;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 400; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_system *s = braced_square(ctx, 0.0);
        flx_state *x = NULL;
        CHECK(flx_state_create(s, &x) == FLX_OK);
        place_square(x, 0.05);
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_start_positions(s, x, NULL, NULL);
        if (status == FLX_OK) status = flx_start_velocities(s, x, NULL, NULL);
        if (status == FLX_OK) status = flx_start_accelerations(s, x);
        flx_state_destroy(&x);
        flx_system_destroy(&s);
        flx_ctx_destroy(&ctx);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        if (status == FLX_OK) return 0;
    }
    return 1;
}

TEST_MAIN(TEST(a_pendulum_is_pulled_straight_to_its_circle), TEST(a_firm_coordinate_stays),
          TEST(a_redundant_rod_does_not_break_it), TEST(a_closure_that_cannot_be_met_is_named),
          TEST(the_nearest_velocity_is_tangent), TEST(a_knife_edge_stops_the_sideways_part),
          TEST(accelerations_agree_with_a_dense_solution),
          TEST(a_compliant_constraint_has_the_force_of_its_stretch),
          TEST(a_velocity_without_inertia_follows_from_the_forces),
          TEST(a_massless_point_held_by_rods_is_determined), TEST(a_quasistatic_start_is_found),
          TEST(every_allocation_may_fail))
