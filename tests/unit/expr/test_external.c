// test_external.c - external functions in expressions: values, derivatives given and by differences, lists that stay whole.
#include "expr_rig.h"

// f(x, y) = exp(x/2) sin(3 y), with slopes and without.
static int with_slopes(void *user, int n, const double *x, double *y, double *slopes)
{
    (void)n;
    ++*(int *)user;
    *y = exp(0.5 * x[0]) * sin(3.0 * x[1]);
    if (slopes) {
        slopes[0] = 0.5 * *y;
        slopes[1] = 3.0 * exp(0.5 * x[0]) * cos(3.0 * x[1]);
    }
    return FLX_FUNCTION_SLOPES;
}

static int value_alone(void *user, int n, const double *x, double *y, double *slopes)
{
    (void)slopes;
    with_slopes(user, n, x, y, NULL);
    return FLX_FUNCTION_VALUE;
}

static int fails_below_zero(void *user, int n, const double *x, double *y, double *slopes)
{
    return x[0] < 0.0 ? FLX_FUNCTION_FAILED : value_alone(user, n, x, y, slopes);
}

// f, f_x, f_y, f_xx, f_xy, f_yx, f_yyy of f(x0 x1, x2 + 1) at a place, by hand.
static int check_derivatives(flx_function_callback call, bool slopes, const double *tolerances)
{
    rig r;
    int calls = 0;
    const double scales[] = {1.0, 0.3};
    CHECK(rig_up(&r));
    flx_external_info info;
    int e = flx_graph_add_external(r.g, "f", FLX_NOWHERE, 2, scales);
    CHECK(e == 0 && flx_graph_external_info(r.g, e, &info) && !info.call);
    CHECK(!flx_graph_external_info(r.g, 1, &info));
    flx_node args[] = {flx_graph_binary(r.g, FLX_OP_MUL, r.x[0], r.x[1]),
                       flx_graph_binary(r.g, FLX_OP_ADD, r.x[2], flx_graph_const(r.g, 1.0))};
    flx_node f = flx_graph_external(r.g, e, args), n[7] = {f};
    CHECK(f >= 0 && flx_graph_external(r.g, e, args) == f); // equal ones are one
    n[1] = rig_partial(&r, f, 0);
    n[2] = rig_partial(&r, f, 2);
    n[3] = rig_partial(&r, n[1], 0);
    n[4] = rig_partial(&r, n[1], 2);
    n[5] = rig_partial(&r, n[2], 0);
    n[6] = rig_partial(&r, rig_partial(&r, n[2], 2), 2);
    const double in[RIG_LEAVES] = {0.7, 1.3, -0.4};
    double out[7], X = exp(0.5 * 0.7 * 1.3), s = sin(1.8), c = cos(1.8), a = 0.65;
    CHECK(rig_eval_all(&r, 1, n, in, out) && isnan(out[0])); // not bound
    flx_graph_bind(r.g, e, call, &calls);
    CHECK(flx_graph_external_info(r.g, e, &info) && info.slopes == slopes);
    CHECK(calls ==
          (slopes ? 1 + 4 * 2 : 1)); // slopes are compared with differences at two distances
    CHECK(rig_eval_all(&r, 7, n, in, out));
    const double want[] = {X * s,         a * X * s,     3 * X * c,  a * a * X * s,
                           3 * a * X * c, 3 * a * X * c, -27 * X * c};
    for (int i = 0; i < 7; i++) CHECK_NEAR(out[i], want[i], tolerances[i]);
    rig_down(&r);
    return 0;
}

static int exact_and_by_differences(void)
{
    static const double given[] = {4e-15, 4e-15, 4e-15, 1e-9, 1e-9, 1e-9, 1e-5};
    static const double differences[] = {4e-15, 1e-9, 1e-8, 1e-6, 1e-6, 1e-6, 1e-3};
    if (check_derivatives(with_slopes, true, given)) return 1;
    return check_derivatives(value_alone, false, differences);
}

// The slope of a program along a direction, of which one argument alone moves.
static int slope_of_a_program(void)
{
    rig r;
    int calls = 0;
    const double scales[] = {1.0, 1.0}, in[] = {0.2, 0.4}, along[] = {0.0, 2.0};
    const flx_leaf leaves[] = {0, 1};
    CHECK(rig_up(&r));
    int e = flx_graph_add_external(r.g, "f", FLX_NOWHERE, 2, scales);
    flx_graph_bind(r.g, e, with_slopes, &calls);
    flx_node f = flx_graph_external(r.g, e, r.x);
    flx_program *p = NULL;
    CHECK(flx_program_compile(r.g, 2, leaves, 1, &f, &p) == FLX_OK);
    double value, slope, *scratch = calloc((size_t)flx_program_slope_scratch(p), sizeof *scratch);
    CHECK(scratch);
    flx_graph_destroy(&r.g); // a program keeps what it uses
    flx_program_slope(p, in, along, scratch, &value, &slope);
    CHECK_NEAR(value, exp(0.1) * sin(1.2), 1e-15);
    CHECK_NEAR(slope, 6.0 * exp(0.1) * cos(1.2), 1e-14);
    free(scratch);
    flx_program_destroy(&p);
    rig_down(&r);
    return 0;
}

// A failure is no number; what is no number is not asked for.
static int failures(void)
{
    rig r;
    int calls = 0;
    const double scales[] = {1.0, 1.0};
    CHECK(rig_up(&r));
    int e = flx_graph_add_external(r.g, "f", FLX_NOWHERE, 2, scales);
    flx_graph_bind(r.g, e, fails_below_zero, &calls);
    flx_node f = flx_graph_external(r.g, e, r.x);
    double out, in[RIG_LEAVES] = {-1.0, 0.0};
    CHECK(rig_eval_all(&r, 1, &f, in, &out) && isnan(out));
    in[0] = (double)NAN;
    int before = calls;
    CHECK(rig_eval_all(&r, 1, &f, in, &out) && isnan(out) && calls == before);
    rig_down(&r);
    return 0;
}

// Derivatives are numbered in ascending order, up to six.
static int orders(void)
{
    int a = flx_orders_add(flx_orders_add(0, 3), 1), b = flx_orders_add(flx_orders_add(0, 1), 3);
    CHECK(a == b && a == (2 | 4 << 5));
    for (int i = 0; i < 4; i++) a = flx_orders_add(a, 30);
    CHECK(a == (2 | 4 << 5 | 0xfffff << 10) && flx_orders_add(a, 0) == -1);
    return 0;
}

TEST_MAIN(TEST(exact_and_by_differences), TEST(slope_of_a_program), TEST(failures), TEST(orders))
