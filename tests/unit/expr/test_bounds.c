// test_bounds.c - what the results of programs lie between; and the functions of one leaf that nodes are made of.
#include "expr_rig.h"

// Bounds of one node where leaf 0 is from low to high.
static int bound(const rig *r, flx_node n, double low, double high, double out[2])
{
    flx_leaf leaves[RIG_LEAVES];
    double from[RIG_LEAVES] = {0}, to[RIG_LEAVES] = {0};
    flx_program *p = NULL;
    for (int i = 0; i < RIG_LEAVES; i++) leaves[i] = (flx_leaf)i;
    if (flx_program_compile(r->g, RIG_LEAVES, leaves, 1, &n, &p) != FLX_OK) return 0;
    double *scratch = malloc(sizeof(double) * (size_t)(flx_program_bounds_scratch(p) + 1));
    if (flx_program_measure(r->ctx, p) != FLX_OK) return 0;
    from[0] = low;
    to[0] = high;
    flx_program_bounds(p, from, to, scratch, &out[0], &out[1]);
    free(scratch);
    flx_program_destroy(&p);
    return 1;
}

static flx_node of(rig *r, flx_op op)
{
    return flx_graph_unary(r->g, op, r->x[0]);
}

static flx_node with(rig *r, flx_op op, double b)
{
    return flx_graph_binary(r->g, op, r->x[0], flx_graph_const(r->g, b));
}

// Every value in an interval lies between the bounds; those of one that is read once are reached.
static int bounds_hold(void)
{
    static const flx_op unary[] = {
        FLX_OP_NEG,   FLX_OP_SQRT,  FLX_OP_SIN,  FLX_OP_COS,   FLX_OP_TAN, FLX_OP_ASIN, FLX_OP_ACOS,
        FLX_OP_ATAN,  FLX_OP_SINH,  FLX_OP_COSH, FLX_OP_TANH,  FLX_OP_EXP, FLX_OP_LOG,  FLX_OP_ABS,
        FLX_OP_LOG10, FLX_OP_FLOOR, FLX_OP_CEIL, FLX_OP_ROUND, FLX_OP_SIGN};
    static const flx_op binary[] = {FLX_OP_ADD, FLX_OP_SUB, FLX_OP_MUL,  FLX_OP_DIV,
                                    FLX_OP_POW, FLX_OP_MIN, FLX_OP_MAX,  FLX_OP_MOD,
                                    FLX_OP_LT,  FLX_OP_LE,  FLX_OP_ATAN2};
    static const double second[] = {-2.0, -1.0, 0.5, 2.0, 3.0, 4.0, 200.0};
    rig r;
    uint64_t seed = 7;
    CHECK(rig_up(&r));
    int table =
        flx_graph_add_table(r.g, 5, (double[]){-2, -0.5, 0, 1, 2}, (double[]){1, -1, 3, 0, 2},
                            FLX_INTERPOLATE_CUBIC, FLX_OUTSIDE_HOLD);
    CHECK(table >= 0);
    flx_node nodes[140];
    int n = 0;
    for (size_t k = 0; k < sizeof unary / sizeof unary[0]; k++) nodes[n++] = of(&r, unary[k]);
    for (size_t k = 0; k < sizeof binary / sizeof binary[0]; k++) {
        for (size_t j = 0; j < sizeof second / sizeof second[0]; j++)
            nodes[n++] = with(&r, binary[k], second[j]);
    }
    for (int d = 0; d < 3; d++) nodes[n++] = flx_graph_table(r.g, table, d, r.x[0]);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < 200; k++) {
            double low = -6.0 + 12.0 * (double)(rig_random(&seed) >> 11) * 0x1p-53;
            double high = low + pow(10.0, -3.0 + 4.0 * (double)(rig_random(&seed) >> 11) * 0x1p-53);
            double b[2], in[RIG_LEAVES] = {0};
            CHECK(bound(&r, nodes[i], low, high, b));
            CHECK(b[0] <= b[1]);
            for (int j = 0; j <= 20; j++) {
                in[0] = low + (high - low) * j / 20.0;
                double v = rig_eval(&r, nodes[i], in), near = 1e-9 * (1.0 + fabs(v));
                if (isnan(v)) continue;
                if (!(v >= b[0] - near && v <= b[1] + near))
                    printf("    node %d from %g to %g: %g in %g..%g\n", i, low, high, v, b[0],
                           b[1]);
                CHECK(v >= b[0] - near && v <= b[1] + near);
            }
        }
    }
    rig_down(&r);
    return 0;
}

// Of a pulse the bounds are exact, however narrow it is.
static int a_pulse_is_bounded(void)
{
    rig r;
    double b[2];
    CHECK(rig_up(&r));
    flx_node u =
        flx_graph_binary(r.g, FLX_OP_DIV, with(&r, FLX_OP_SUB, 3.0), flx_graph_const(r.g, 1e-9));
    flx_node square = flx_graph_binary(r.g, FLX_OP_POW, u, flx_graph_const(r.g, 2.0));
    flx_node pulse = flx_graph_unary(r.g, FLX_OP_EXP, flx_graph_unary(r.g, FLX_OP_NEG, square));
    CHECK(bound(&r, pulse, 0.0, 10.0, b));
    CHECK(b[0] == 0.0 && b[1] == 1.0);
    CHECK(bound(&r, pulse, 0.0, 2.99, b));
    CHECK(b[0] == 0.0 && b[1] == 0.0);
    rig_down(&r);
    return 0;
}

// Tables of many points, over few and many pieces.
static int long_tables_are_bounded(void)
{
    enum { N = 1000 };
    rig r;
    double x[N], y[N], b[2];
    uint64_t seed = 3;
    CHECK(rig_up(&r));
    for (int i = 0; i < N; i++) {
        x[i] = i + 0.3 * (double)(rig_random(&seed) >> 11) * 0x1p-53;
        y[i] = (double)(rig_random(&seed) >> 11) * 0x1p-53 + (i == 700 ? 50.0 : 0.0);
    }
    for (int kind = 0; kind < 2; kind++) {
        flx_interpolation how = kind ? FLX_INTERPOLATE_CUBIC : FLX_INTERPOLATE_LINEAR;
        int table = flx_graph_add_table(r.g, N, x, y, how, FLX_OUTSIDE_HOLD);
        flx_node n = flx_graph_table(r.g, table, 0, r.x[0]);
        for (int k = 0; k < 400; k++) {
            double low = 1100.0 * (double)(rig_random(&seed) >> 11) * 0x1p-53 - 50.0;
            double high = low + pow(10.0, 3.5 * (double)(rig_random(&seed) >> 11) * 0x1p-53);
            double in[RIG_LEAVES] = {0}, least = HUGE_VAL, most = -HUGE_VAL;
            CHECK(bound(&r, n, low, high, b));
            for (int i = 0; i < N + 2; i++) {
                in[0] = i < N ? x[i] : i == N ? low : high;
                if (in[0] < low || in[0] > high) continue;
                double v = rig_eval(&r, n, in);
                least = fmin(least, v);
                most = fmax(most, v);
            }
            CHECK(b[0] <= least + 1e-9 && b[1] >= most - 1e-9);
            if (!kind) CHECK(b[0] >= least - 1e-9 && b[1] <= most + 1e-9); // exact
            if (kind) CHECK(b[0] >= least - 20.0 && b[1] <= most + 20.0);
        }
    }
    rig_down(&r);
    return 0;
}

static bool is_second(void *user, flx_leaf leaf)
{
    (void)user;
    return leaf == 1;
}

// The largest parts of one leaf, and of one that stays, which are not linear.
static int parts_of_nodes(void)
{
    rig r;
    int n = 0;
    flx_graph_part *parts = NULL;
    CHECK(rig_up(&r));
    flx_graph *g = r.g;
    flx_node wave = flx_graph_unary(g, FLX_OP_SIN, flx_graph_binary(g, FLX_OP_MUL, r.x[0], r.x[1]));
    flx_node narrow = of(&r, FLX_OP_EXP), line = with(&r, FLX_OP_MUL, 3.0);
    flx_node both = flx_graph_binary(g, FLX_OP_ADD, flx_graph_binary(g, FLX_OP_MUL, wave, r.x[2]),
                                     flx_graph_binary(g, FLX_OP_MUL, narrow, r.x[3]));
    flx_node roots[] = {both, flx_graph_binary(g, FLX_OP_ADD, line, r.x[2]), r.x[1],
                        flx_graph_binary(g, FLX_OP_POW, wave, flx_graph_const(g, 7.0))};
    CHECK(flx_graph_parts(g, 4, roots, 0, is_second, NULL, &n, &parts) == FLX_OK);
    CHECK(n == 3);
    for (int i = 0; i < n; i++) {
        CHECK(parts[i].node == wave || parts[i].node == narrow || parts[i].node == roots[3]);
        CHECK(parts[i].tame == (parts[i].node == wave));
    }
    flx_free(parts);
    rig_down(&r);
    return 0;
}

TEST_MAIN(TEST(bounds_hold), TEST(a_pulse_is_bounded), TEST(long_tables_are_bounded),
          TEST(parts_of_nodes))
