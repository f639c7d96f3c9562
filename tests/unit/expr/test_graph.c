// The graph: sharing, folding, algebra, programs, tables. Derivatives: test_derive.c.
#include "expr_rig.h"

#define U(op, a) flx_graph_unary(r.g, FLX_OP_##op, a)
#define B(op, a, b) flx_graph_binary(r.g, FLX_OP_##op, a, b)
#define K(v) flx_graph_const(r.g, v)

static int equal_nodes_are_one(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0], y = r.x[1];
    CHECK(B(ADD, x, y) == B(ADD, y, x));
    CHECK(B(MUL, x, y) == B(MUL, y, x));
    CHECK(B(SUB, x, y) != B(SUB, y, x));
    CHECK(B(LT, x, y) != B(LT, y, x));
    CHECK(U(SIN, B(ADD, x, y)) == U(SIN, B(ADD, y, x)));
    CHECK(K(0.0) == K(-0.0));
    CHECK(flx_graph_leaf(r.g, 0) == x);
    CHECK(B(MUL, x, x) == B(POW, x, K(2)));
    CHECK(B(MUL, B(MUL, x, x), x) == B(POW, x, K(3)));
    CHECK(B(MUL, B(POW, x, K(2)), B(POW, x, K(3))) == B(POW, x, K(5)));
    rig_down(&r);
    return 0;
}

static int constants_are_folded(void)
{
    rig r;
    double v;
    CHECK(rig_up(&r));
    flx_node n = B(ADD, B(MUL, K(2), K(3)), U(COS, K(0)));
    CHECK(flx_graph_is_const(r.g, n, &v));
    CHECK(v == 7.0);
    CHECK(flx_graph_is_const(r.g, B(MOD, K(-1), K(3)), &v) && v == 2.0);
    CHECK(flx_graph_is_const(r.g, B(MOD, K(7), K(-3)), &v) && v == -2.0);
    CHECK(flx_graph_is_const(r.g, B(MIN, K(7), K(-3)), &v) && v == -3.0);
    CHECK(flx_graph_is_const(r.g, B(MAX, K(7), K(-3)), &v) && v == 7.0);
    CHECK(flx_graph_is_const(r.g, U(ROUND, K(2.5)), &v) && v == 3.0);
    CHECK(flx_graph_is_const(r.g, B(POW, K(2), K(-2)), &v) && v == 0.25);
    CHECK(flx_graph_is_const(r.g, B(ATAN2, K(1), K(-1)), &v));
    CHECK_NEAR(v, 3 * acos(-1.0) / 4, 1e-15);
    CHECK(flx_graph_is_const(r.g, B(DIV, K(1), K(0)), &v) && isinf(v));
    rig_down(&r);
    return 0;
}

static int algebra_is_simplified(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0], y = r.x[1], s = U(SIN, x);
    CHECK(B(ADD, x, K(0)) == x && B(ADD, K(0), x) == x && B(SUB, x, K(0)) == x);
    CHECK(B(MUL, x, K(1)) == x && B(DIV, x, K(1)) == x && B(POW, x, K(1)) == x);
    CHECK(B(MUL, x, K(0)) == K(0) && B(SUB, x, x) == K(0) && B(DIV, K(0), x) == K(0));
    CHECK(B(POW, x, K(0)) == K(1) && B(POW, x, K(0.5)) == U(SQRT, x));
    CHECK(U(NEG, U(NEG, s)) == s && B(MUL, K(-1), s) == U(NEG, s));
    CHECK(B(ADD, s, U(NEG, y)) == B(SUB, s, y) && B(SUB, s, U(NEG, y)) == B(ADD, s, y));
    CHECK(U(NEG, B(SUB, x, y)) == B(SUB, y, x));
    CHECK(B(MUL, K(2), B(MUL, K(3), x)) == B(MUL, K(6), x));
    CHECK(B(ADD, B(MUL, K(2), x), B(MUL, K(3), x)) == B(MUL, K(5), x));
    CHECK(B(SUB, B(MUL, K(2), x), x) == x);
    CHECK(B(DIV, x, K(4)) == B(MUL, K(0.25), x));
    CHECK(U(COS, U(NEG, x)) == U(COS, x) && U(SIN, U(NEG, x)) == U(NEG, s));
    CHECK(B(POW, U(NEG, x), K(2)) == B(POW, x, K(2)));
    CHECK(B(POW, U(NEG, x), K(3)) == U(NEG, B(POW, x, K(3))));
    CHECK(flx_graph_if(r.g, K(1), x, y) == x && flx_graph_if(r.g, K(0), x, y) == y);
    CHECK(flx_graph_if(r.g, s, x, x) == x);
    CHECK(B(AND, K(0), x) == K(0) && B(OR, x, K(3)) == K(1));
    CHECK(B(AND, K(2), B(LT, x, y)) == B(LT, x, y));
    CHECK(B(AND, K(2), x) == B(NE, x, K(0)) && B(OR, x, x) == B(NE, x, K(0)));
    // a divisor is never cancelled, for it may be zero
    CHECK(B(DIV, x, x) != K(1));
    // no constant moves across a sum: (x + 1e16) - 1e16 is not x
    CHECK(B(SUB, B(ADD, x, K(1e16)), K(1e16)) != x);
    rig_down(&r);
    return 0;
}

// Every operation by its program, with operands that are not constant, against libm.
static int programs_compute_every_operation(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0], y = r.x[1];
    double v[RIG_LEAVES] = {0.7, -1.3};
    // not folded by the compiler, whose library may round otherwise
    volatile double va = 0.7, vb = -1.3;
    const double a = va, b = vb;
    CHECK(rig_eval(&r, B(ADD, x, y), v) == a + b);
    CHECK(rig_eval(&r, B(SUB, x, y), v) == a - b);
    CHECK(rig_eval(&r, B(MUL, x, y), v) == a * b);
    CHECK(rig_eval(&r, B(DIV, x, y), v) == a / b);
    CHECK(rig_eval(&r, U(NEG, x), v) == -a);
    CHECK(rig_eval(&r, B(POW, x, y), v) == pow(a, b));
    CHECK(rig_eval(&r, B(POW, y, K(2)), v) == b * b);
    CHECK(rig_eval(&r, B(POW, y, K(3)), v) == b * b * b);
    CHECK_REL(rig_eval(&r, B(POW, y, K(7)), v), pow(b, 7), 2e-15);
    CHECK_REL(rig_eval(&r, B(POW, y, K(-5)), v), pow(b, -5), 2e-15);
    CHECK(rig_eval(&r, B(POW, y, K(101)), v) == pow(b, 101));
    CHECK_REL(rig_eval(&r, B(POW, x, K(1.5)), v), pow(a, 1.5), 1e-15);
    CHECK(rig_eval(&r, U(SQRT, x), v) == sqrt(a));
    CHECK(rig_eval(&r, U(SIN, x), v) == sin(a));
    CHECK(rig_eval(&r, U(COS, x), v) == cos(a));
    CHECK(rig_eval(&r, U(TAN, x), v) == tan(a));
    CHECK(rig_eval(&r, U(ASIN, x), v) == asin(a));
    CHECK(rig_eval(&r, U(ACOS, x), v) == acos(a));
    CHECK(rig_eval(&r, U(ATAN, x), v) == atan(a));
    CHECK(rig_eval(&r, B(ATAN2, x, y), v) == atan2(a, b));
    CHECK(rig_eval(&r, U(SINH, x), v) == sinh(a));
    CHECK(rig_eval(&r, U(COSH, x), v) == cosh(a));
    CHECK(rig_eval(&r, U(TANH, x), v) == tanh(a));
    CHECK(rig_eval(&r, U(EXP, x), v) == exp(a));
    CHECK(rig_eval(&r, U(LOG, x), v) == log(a));
    CHECK(rig_eval(&r, U(LOG10, x), v) == log10(a));
    CHECK(rig_eval(&r, U(ABS, y), v) == 1.3);
    CHECK(rig_eval(&r, U(SIGN, y), v) == -1.0);
    CHECK(rig_eval(&r, U(FLOOR, y), v) == -2.0);
    CHECK(rig_eval(&r, U(CEIL, y), v) == -1.0);
    CHECK(rig_eval(&r, U(ROUND, y), v) == -1.0);
    CHECK_NEAR(rig_eval(&r, B(MOD, y, x), v), b + 2 * a, 1e-15);
    CHECK(rig_eval(&r, B(MIN, x, y), v) == b && rig_eval(&r, B(MAX, x, y), v) == a);
    CHECK(rig_eval(&r, B(LT, x, y), v) == 0.0 && rig_eval(&r, B(LT, y, x), v) == 1.0);
    CHECK(rig_eval(&r, B(LE, x, y), v) == 0.0 && rig_eval(&r, B(EQ, x, y), v) == 0.0);
    CHECK(rig_eval(&r, B(NE, x, y), v) == 1.0 && rig_eval(&r, U(NOT, x), v) == 0.0);
    CHECK(rig_eval(&r, B(AND, x, B(SUB, y, K(b))), v) == 0.0);
    CHECK(rig_eval(&r, B(OR, x, B(SUB, y, K(b))), v) == 1.0);
    CHECK(rig_eval(&r, flx_graph_if(r.g, B(LT, x, y), K(3), y), v) == b);
    // fused products, each form
    CHECK(rig_eval(&r, B(ADD, B(MUL, x, y), U(SIN, x)), v) == a * b + sin(a));
    CHECK(rig_eval(&r, B(SUB, B(MUL, x, y), U(SIN, x)), v) == a * b - sin(a));
    CHECK(rig_eval(&r, B(SUB, U(SIN, x), B(MUL, x, y)), v) == sin(a) - a * b);
    CHECK(rig_eval(&r, B(SUB, U(SIN, x), B(POW, y, K(2))), v) == sin(a) - b * b);
    // NaN goes through the choices
    double w[RIG_LEAVES] = {(double)NAN, 1.0};
    CHECK(isnan(rig_eval(&r, B(MIN, x, y), w)) && isnan(rig_eval(&r, B(MIN, y, x), w)));
    CHECK(isnan(rig_eval(&r, B(MAX, x, y), w)) && isnan(rig_eval(&r, B(MAX, y, x), w)));
    CHECK(isnan(rig_eval(&r, U(SIGN, x), w)));
    rig_down(&r);
    return 0;
}

static int programs_share_what_is_equal(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0], y = r.x[1];
    flx_node s = U(SIN, B(ADD, x, y)), both[3] = {B(MUL, s, x), B(MUL, s, y), s};
    CHECK(rig_length(&r, 3, both) == 4); // add, sin, two products
    flx_node pair[2] = {U(SIN, x), U(COS, x)};
    CHECK(rig_length(&r, 2, pair) == 1);
    double in[RIG_LEAVES] = {0.3}, out[2];
    CHECK(rig_eval_all(&r, 2, pair, in, out));
    CHECK_NEAR(out[0], sin(0.3), 1e-16);
    CHECK_NEAR(out[1], cos(0.3), 1e-16);
    flx_node swapped[2] = {U(COS, y), U(SIN, y)};
    double iy[RIG_LEAVES] = {0, 0.4};
    CHECK(rig_eval_all(&r, 2, swapped, iy, out));
    CHECK_NEAR(out[0], cos(0.4), 1.2e-16);
    CHECK_NEAR(out[1], sin(0.4), 1e-16);
    // x^2 + y^2: a square and a fused square
    flx_node q = B(ADD, B(POW, x, K(2)), B(POW, y, K(2)));
    CHECK(rig_length(&r, 1, &q) == 2);
    // a constant and a leaf need no instruction
    flx_node plain[3] = {K(4), x, x};
    double three[3];
    CHECK(rig_length(&r, 3, plain) == 0);
    CHECK(rig_eval_all(&r, 3, plain, in, three));
    CHECK(three[0] == 4.0 && three[1] == 0.3 && three[2] == 0.3);
    rig_down(&r);
    return 0;
}

static int programs_refuse_missing_inputs(void)
{
    rig r;
    flx_program *p = NULL;
    CHECK(rig_up(&r));
    flx_leaf leaves[1] = {1};
    flx_node n = B(ADD, r.x[0], r.x[1]), none = -1;
    CHECK(flx_program_compile(r.g, 1, leaves, 1, &n, &p) == FLX_ERR_ARGUMENT && !p);
    CHECK(flx_program_compile(r.g, 1, leaves, 1, &none, &p) == FLX_ERR_ARGUMENT && !p);
    CHECK(flx_program_compile(r.g, 1, leaves, 0, NULL, &p) == FLX_OK && p);
    flx_program_destroy(&p);
    rig_down(&r);
    return 0;
}

static bool is_leaf_two(void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == 2;
}

static int dependence_is_known(void)
{
    rig r;
    flx_leaf *leaves;
    int n;
    CHECK(rig_up(&r));
    flx_node e = B(MUL, U(SIN, r.x[5]), B(ADD, r.x[2], K(1))), f = B(ADD, r.x[5], r.x[0]);
    CHECK(flx_graph_depends(r.g, e, NULL, NULL) && !flx_graph_depends(r.g, K(3), NULL, NULL));
    CHECK(flx_graph_depends(r.g, e, is_leaf_two, NULL));
    CHECK(!flx_graph_depends(r.g, f, is_leaf_two, NULL));
    CHECK(!flx_graph_depends(r.g, B(MUL, e, K(0)), is_leaf_two, NULL));
    flx_node nodes[2] = {e, f};
    CHECK(flx_graph_leaves(r.g, 2, nodes, &n, &leaves) == FLX_OK);
    CHECK(n == 3 && leaves[0] == 0 && leaves[1] == 2 && leaves[2] == 5);
    flx_free(leaves);
    rig_down(&r);
    return 0;
}

// ---- tables -------------------------------------------------------------------------------------

static int linear_tables_interpolate(void)
{
    rig r;
    double x[4] = {0, 1, 3, 3.5}, y[4] = {1, 2, -2, 0};
    CHECK(rig_up(&r));
    int hold = flx_graph_add_table(r.g, 4, x, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD);
    int extend = flx_graph_add_table(r.g, 4, x, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_EXTEND);
    int error = flx_graph_add_table(r.g, 4, x, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_ERROR);
    CHECK(hold == 0 && extend == 1 && error == 2);
    flx_node f = flx_graph_table(r.g, hold, 0, r.x[0]), d = rig_partial(&r, f, 0);
    flx_node e = flx_graph_table(r.g, extend, 0, r.x[0]);
    flx_node w = flx_graph_table(r.g, error, 0, r.x[0]);
    const double at[9] = {-1, 0, 0.5, 1, 2, 3, 3.25, 3.5, 5};
    const double value[9] = {1, 1, 1.5, 2, 0, -2, -1, 0, 0};
    const double slope[9] = {0, 1, 1, -2, -2, 4, 4, 4, 0};
    for (int i = 0; i < 9; i++) {
        double in[RIG_LEAVES] = {at[i]};
        bool inside = at[i] >= 0 && at[i] <= 3.5;
        CHECK_NEAR(rig_eval(&r, f, in), value[i], 1e-15);
        CHECK_NEAR(rig_eval(&r, d, in), slope[i], 1e-15);
        CHECK(isnan(rig_eval(&r, w, in)) == !inside);
    }
    double low[RIG_LEAVES] = {-1}, high[RIG_LEAVES] = {5}, bad[RIG_LEAVES] = {(double)NAN};
    CHECK_NEAR(rig_eval(&r, e, low), 0.0, 1e-15);
    CHECK_NEAR(rig_eval(&r, e, high), 6.0, 1e-15);
    CHECK_NEAR(rig_eval(&r, rig_partial(&r, e, 0), high), 4.0, 1e-15);
    CHECK(isnan(rig_eval(&r, f, bad)));
    CHECK(rig_partial(&r, d, 0) == K(0));
    // constant argument: folded
    double v;
    CHECK(flx_graph_is_const(r.g, flx_graph_table(r.g, hold, 0, K(2)), &v) && v == 0.0);
    rig_down(&r);
    return 0;
}

// A natural spline through a line is the line; through any points it has two continuous
// derivatives, none of the second at the ends, and its derivatives fit each other.
static int cubic_tables_are_natural_splines(void)
{
    rig r;
    enum { N = 9 };
    double x[N], y[N], line[N];
    CHECK(rig_up(&r));
    uint64_t seed = 5;
    for (int i = 0; i < N; i++) {
        x[i] = i + rig_uniform(&seed, -0.4, 0.4) + (i > 5 ? 20 : 0); // far from even
        y[i] = rig_uniform(&seed, -1, 1);
        line[i] = 3 - 2 * x[i];
    }
    int t = flx_graph_add_table(r.g, N, x, y, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_EXTEND);
    int l = flx_graph_add_table(r.g, N, x, line, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_EXTEND);
    flx_node f[5], g = flx_graph_table(r.g, l, 0, r.x[0]);
    for (int k = 0; k < 5; k++) f[k] = flx_graph_table(r.g, t, k, r.x[0]);
    CHECK(f[4] == K(0));
    for (int k = 0; k < 3; k++) CHECK(rig_partial(&r, f[k], 0) == f[k + 1]);
    for (int i = 0; i < N; i++) {
        double in[RIG_LEAVES] = {x[i]};
        CHECK_NEAR(rig_eval(&r, f[0], in), y[i], 1e-13);
        for (int k = 0; k < 3; k++) { // C2, also at the ends where the line goes on
            double below[RIG_LEAVES] = {x[i] - 1e-9}, above[RIG_LEAVES] = {x[i] + 1e-9};
            CHECK_NEAR(rig_eval(&r, f[k], below), rig_eval(&r, f[k], above), 1e-7);
        }
    }
    double ends[2] = {x[0], x[N - 1]};
    for (int i = 0; i < 2; i++) {
        double in[RIG_LEAVES] = {ends[i]};
        CHECK_NEAR(rig_eval(&r, f[2], in), 0.0, 1e-12);
    }
    for (int i = 0; i < 60; i++) {
        double in[RIG_LEAVES] = {x[0] - 2 + (x[N - 1] - x[0] + 4) * i / 59.0};
        CHECK_NEAR(rig_eval(&r, g, in), 3 - 2 * in[0], 1e-12);
        CHECK_NEAR(rig_eval(&r, rig_partial(&r, g, 0), in), -2.0, 1e-12);
    }
    rig_down(&r);
    return 0;
}

static int tables_find_the_piece_in_any_grid(void)
{
    flx_ctx *ctx = flx_ctx_create();
    enum { N = 400 };
    double x[N], y[N];
    uint64_t seed = 77;
    x[0] = -3;
    for (int i = 0; i < N; i++) {
        if (i) x[i] = x[i - 1] + exp(rig_uniform(&seed, -20, 2));
        y[i] = i;
    }
    flx_table *t = flx_table_create(ctx, N, x, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD);
    CHECK(t);
    for (int i = 0; i < N; i++) CHECK(flx_table_eval(t, 0, x[i]) == i);
    for (int k = 0; k < 20000; k++) {
        double at = rig_uniform(&seed, x[0], x[N - 1]), v = flx_table_eval(t, 0, at);
        int i = (int)v < N - 1 ? (int)v : N - 2;
        // one knot's slack: the value at a knot may round below it
        CHECK(at >= x[i] && at <= x[i + 1 < N - 1 ? i + 2 : i + 1]);
    }
    flx_table_release(t);
    double same[2] = {1, 1};
    CHECK(!flx_table_create(ctx, 2, same, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD));
    CHECK(!flx_table_create(ctx, 1, x, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD));
    CHECK(flx_ctx_error_count(ctx) == 2);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A program keeps its tables when the graph is gone.
static int programs_outlive_the_graph(void)
{
    rig r;
    flx_program *p = NULL;
    double x[2] = {0, 1}, y[2] = {0, 5}, in = 0.5, scratch[8], out;
    flx_leaf leaf = 0;
    CHECK(rig_up(&r));
    int t = flx_graph_add_table(r.g, 2, x, y, FLX_INTERPOLATE_LINEAR, FLX_OUTSIDE_HOLD);
    flx_node n = flx_graph_table(r.g, t, 0, r.x[0]);
    CHECK(flx_program_compile(r.g, 1, &leaf, 1, &n, &p) == FLX_OK);
    flx_graph_destroy(&r.g);
    CHECK(flx_program_scratch(p) <= 8);
    flx_program_eval(p, &in, scratch, &out);
    CHECK(out == 2.5);
    flx_program_destroy(&p);
    rig_down(&r);
    return 0;
}

// ---- memory -------------------------------------------------------------------------------------

static flx_status use_everything(flx_ctx *ctx)
{
    flx_status status = FLX_ERR_MEMORY;
    flx_program *p = NULL;
    flx_leaf *leaves = NULL;
    int nleaf;
    double x[3] = {0, 1, 2}, y[3] = {0, 1, 4};
    flx_graph *g = flx_graph_create(ctx);
    if (!g) return FLX_ERR_MEMORY;
    int t = flx_graph_add_table(g, 3, x, y, FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_HOLD);
    flx_node s = flx_graph_leaf(g, 0), u = s;
    for (int i = 1; i < 400; i++) {
        u = flx_graph_binary(g, FLX_OP_POW, flx_graph_unary(g, FLX_OP_SIN, u),
                             flx_graph_const(g, 1.0 + 0.01 * i));
        s = flx_graph_binary(g, FLX_OP_ADD, s, flx_graph_binary(g, FLX_OP_DIV, u, s));
    }
    flx_leaf leaf = 0;
    s = flx_graph_binary(g, FLX_OP_MUL, s, flx_graph_table(g, t, 0, u));
    flx_node d = flx_graph_derive(g, s, flx_leaf_partial, &leaf);
    if (d >= 0) status = flx_program_compile(g, 1, &leaf, 1, &d, &p);
    if (status == FLX_OK) status = flx_graph_leaves(g, 1, &d, &nleaf, &leaves);
    flx_free(leaves);
    flx_program_destroy(&p);
    flx_graph_destroy(&g);
    return status;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 10000; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status s = use_everything(ctx);
        int errors = flx_ctx_error_count(ctx);
        flx_ctx_destroy(&ctx);
        CHECK(s == FLX_OK || (s == FLX_ERR_MEMORY && errors > 0));
        if (s == FLX_OK) {
            CHECK(k >= 20); // the loop did reach the end of the allocations
            return 0;
        }
    }
    return 1;
}

TEST_MAIN(TEST(equal_nodes_are_one), TEST(constants_are_folded), TEST(algebra_is_simplified),
          TEST(programs_compute_every_operation), TEST(programs_share_what_is_equal),
          TEST(programs_refuse_missing_inputs), TEST(dependence_is_known),
          TEST(linear_tables_interpolate), TEST(cubic_tables_are_natural_splines),
          TEST(tables_find_the_piece_in_any_grid), TEST(programs_outlive_the_graph),
          TEST(every_allocation_may_fail))
