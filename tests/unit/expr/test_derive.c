// Derivatives of the graph against closed forms, and against differences on random expressions.
#include "expr_rig.h"

#define U(op, a) flx_graph_unary(r.g, FLX_OP_##op, a)
#define B(op, a, b) flx_graph_binary(r.g, FLX_OP_##op, a, b)
#define K(v) flx_graph_const(r.g, v)

// Value, first and second derivative of f(x) at x against closed forms.
static int check_form(rig *r, flx_node f, double x, double v, double d1, double d2)
{
    flx_node d = rig_partial(r, f, 0), dd = rig_partial(r, d, 0);
    double in[RIG_LEAVES] = {x};
    CHECK_NEAR(rig_eval(r, f, in), v, 1e-13 * (1 + fabs(v)));
    CHECK_NEAR(rig_eval(r, d, in), d1, 1e-13 * (1 + fabs(d1)));
    CHECK_NEAR(rig_eval(r, dd, in), d2, 1e-12 * (1 + fabs(d2)));
    return 0;
}

static int derivatives_match_closed_forms(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0];
    double a = 0.37, s = sin(a), c = cos(a), t = tan(a), w = 1 - a * a, u = 1 + a * a;
    double th = tanh(a), q = sqrt(a);
    CHECK(!check_form(&r, U(SIN, x), a, s, c, -s));
    CHECK(!check_form(&r, U(COS, x), a, c, -s, -c));
    CHECK(!check_form(&r, U(TAN, x), a, t, 1 + t * t, 2 * t * (1 + t * t)));
    CHECK(!check_form(&r, U(ASIN, x), a, asin(a), 1 / sqrt(w), a / (w * sqrt(w))));
    CHECK(!check_form(&r, U(ACOS, x), a, acos(a), -1 / sqrt(w), -a / (w * sqrt(w))));
    CHECK(!check_form(&r, U(ATAN, x), a, atan(a), 1 / u, -2 * a / (u * u)));
    CHECK(!check_form(&r, U(SINH, x), a, sinh(a), cosh(a), sinh(a)));
    CHECK(!check_form(&r, U(COSH, x), a, cosh(a), sinh(a), cosh(a)));
    CHECK(!check_form(&r, U(TANH, x), a, th, 1 - th * th, -2 * th * (1 - th * th)));
    CHECK(!check_form(&r, U(EXP, x), a, exp(a), exp(a), exp(a)));
    CHECK(!check_form(&r, U(LOG, x), a, log(a), 1 / a, -1 / (a * a)));
    CHECK(!check_form(&r, U(LOG10, x), a, log10(a), 1 / (a * log(10)), -1 / (a * a * log(10))));
    CHECK(!check_form(&r, U(SQRT, x), a, q, 0.5 / q, -0.25 / (a * q)));
    CHECK(!check_form(&r, U(ABS, x), -a, a, -1, 0));
    CHECK(!check_form(&r, U(SIGN, x), a, 1, 0, 0));
    CHECK(!check_form(&r, U(FLOOR, x), a, 0, 0, 0));
    CHECK(!check_form(&r, B(DIV, K(1), x), a, 1 / a, -1 / (a * a), 2 / (a * a * a)));
    CHECK(!check_form(&r, B(POW, x, K(5)), a, pow(a, 5), 5 * pow(a, 4), 20 * pow(a, 3)));
    CHECK(!check_form(&r, B(POW, x, K(2.5)), a, pow(a, 2.5), 2.5 * pow(a, 1.5), 3.75 * q));
    CHECK(!check_form(&r, B(POW, x, x), a, pow(a, a), pow(a, a) * (log(a) + 1),
                      pow(a, a) * ((log(a) + 1) * (log(a) + 1) + 1 / a)));
    CHECK(!check_form(&r, B(POW, K(3), x), a, pow(3, a), log(3) * pow(3, a),
                      log(3) * log(3) * pow(3, a)));
    CHECK(!check_form(&r, B(ATAN2, U(SIN, x), U(COS, x)), a, a, 1, 0));
    CHECK(!check_form(&r, B(ATAN2, x, K(2)), a, atan(a / 2), 2 / (4 + a * a),
                      -4 * a / ((4 + a * a) * (4 + a * a))));
    CHECK(!check_form(&r, B(MOD, x, K(0.1)), a, fmod(a, 0.1), 1, 0));
    CHECK(!check_form(&r, B(MOD, K(1), x), a, 1 - 2 * a, -2, 0));
    CHECK(!check_form(&r, B(MIN, x, B(POW, x, K(2))), a, a * a, 2 * a, 2));
    CHECK(!check_form(&r, B(MAX, x, B(POW, x, K(2))), a, a, 1, 0));
    flx_node branch = flx_graph_if(r.g, B(LT, x, K(0.5)), B(POW, x, K(3)), x);
    CHECK(!check_form(&r, branch, a, a * a * a, 3 * a * a, 6 * a));
    CHECK(!check_form(&r, branch, 0.6, 0.6, 1, 0));
    rig_down(&r);
    return 0;
}

// Where a careless rule divides 0 by 0.
static int derivatives_hold_at_zero_and_below(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0];
    CHECK(!check_form(&r, B(POW, x, K(3)), 0, 0, 0, 0));
    CHECK(!check_form(&r, B(POW, x, K(3)), -2, -8, 12, -12));
    CHECK(!check_form(&r, B(POW, x, K(-2)), -2, 0.25, 0.25, 0.375));
    CHECK(!check_form(&r, B(POW, x, K(20)), -1, 1, -20, 380));
    CHECK(!check_form(&r, B(POW, x, K(2.5)), 0, 0, 0, 0));
    CHECK(!check_form(&r, B(MUL, x, U(ABS, x)), 0, 0, 0, 0));
    CHECK(!check_form(&r, U(SQRT, B(POW, x, K(2))), -3, 3, -1, 0));
    // 0^b with a varying exponent
    double in[RIG_LEAVES] = {0.0, 2.5};
    flx_node d = rig_partial(&r, B(POW, x, r.x[1]), 1);
    CHECK(rig_eval(&r, d, in) == 0.0);
    d = rig_partial(&r, B(POW, x, r.x[1]), 0);
    CHECK(rig_eval(&r, d, in) == 0.0);
    // |v|, |v| v and |v|^2 at rest, and |v| away from it
    flx_node y = r.x[1], v = U(SQRT, B(ADD, B(POW, x, K(2)), B(POW, y, K(2))));
    double rest[RIG_LEAVES] = {0}, moving[RIG_LEAVES] = {3, 4};
    CHECK(rig_eval(&r, rig_partial(&r, v, 0), rest) == 0.0);
    CHECK(rig_eval(&r, rig_partial(&r, B(MUL, v, x), 0), rest) == 0.0);
    CHECK(rig_eval(&r, rig_partial(&r, B(MUL, v, x), 1), rest) == 0.0);
    CHECK(rig_eval(&r, rig_partial(&r, B(POW, v, K(2)), 0), rest) == 0.0);
    CHECK_NEAR(rig_eval(&r, rig_partial(&r, v, 0), moving), 0.6, 1e-15);
    CHECK_NEAR(rig_eval(&r, rig_partial(&r, rig_partial(&r, v, 0), 0), moving), 16.0 / 125, 1e-15);
    CHECK_NEAR(rig_eval(&r, rig_partial(&r, rig_partial(&r, v, 0), 1), moving), -12.0 / 125, 1e-15);
    // a root that is not a length keeps its true slope
    CHECK(isinf(rig_eval(&r, rig_partial(&r, U(SQRT, x), 0), rest)));
    rig_down(&r);
    return 0;
}

// d/dt for a pendulum: x0 is the angle, x1 its rate, x2 the acceleration.
static flx_node rate_rule(flx_graph *g, void *user, flx_leaf leaf)
{
    (void)user;
    return leaf < 2 ? flx_graph_leaf(g, leaf + 1) : flx_graph_const(g, 0.0);
}

static int a_derivation_is_what_it_does_to_leaves(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node s = U(SIN, r.x[0]);
    flx_node v = flx_graph_derive(r.g, s, rate_rule, NULL);
    flx_node a = flx_graph_derive(r.g, v, rate_rule, NULL);
    double in[RIG_LEAVES] = {0.3, 2.0, -5.0};
    CHECK_NEAR(rig_eval(&r, v, in), cos(0.3) * 2.0, 1e-15);
    CHECK_NEAR(rig_eval(&r, a, in), -sin(0.3) * 4.0 - 5.0 * cos(0.3), 1e-14);
    rig_down(&r);
    return 0;
}

// Polynomials stay short: the derivative of a monomial is a monomial.
static int derivatives_are_short(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node x = r.x[0];
    CHECK(rig_partial(&r, B(MUL, K(3), B(POW, x, K(4))), 0) == B(MUL, K(12), B(POW, x, K(3))));
    CHECK(rig_partial(&r, B(POW, x, K(2)), 0) == B(MUL, K(2), x));
    CHECK(rig_partial(&r, r.x[1], 0) == K(0));
    CHECK(rig_partial(&r, U(SIN, r.x[1]), 0) == K(0));
    int before = r.g->n;
    CHECK(rig_partial(&r, U(TAN, B(DIV, r.x[1], r.x[2])), 0) == K(0));
    CHECK(r.g->n <= before + 3); // the expression itself; no debris of its derivative
    rig_down(&r);
    return 0;
}

// A random smooth expression of leaves 0..2, whose values stay moderate near the points used.
static flx_node random_expression(rig *rp, uint64_t *seed, int depth)
{
    rig r = *rp;
    if (depth == 0) {
        if (rig_random(seed) % 4 == 0) return K(rig_uniform(seed, -2, 2));
        return r.x[rig_random(seed) % 3];
    }
    flx_node a = random_expression(rp, seed, depth - 1);
    flx_node b = random_expression(rp, seed, depth - 1);
    flx_node a2 = B(ADD, K(1.5), B(POW, a, K(2))); // positive
    switch (rig_random(seed) % 24) {
    case 0:
    case 1:
        return B(ADD, a, b);
    case 2:
    case 3:
        return B(SUB, a, b);
    case 4:
    case 5:
    case 6:
        return B(MUL, U(SIN, a), b);
    case 7:
        return B(DIV, b, a2);
    case 8:
        return U(SQRT, a2);
    case 9:
        return U(LOG, a2);
    case 10:
        return U(LOG10, a2);
    case 11:
        return B(ATAN2, a, B(ADD, K(3), U(COS, b)));
    case 12:
        return U(ATAN, a);
    case 13:
        return U(TANH, a);
    case 14:
        return B(POW, U(SIN, a), K((double)(rig_random(seed) % 5)));
    case 15:
        return U(EXP, U(SIN, a));
    case 16:
        return B(POW, a2, U(COS, b));
    case 17:
        return U(ASIN, B(MUL, K(0.7), U(SIN, a)));
    case 18:
        return U(ACOS, B(MUL, K(0.7), U(COS, a)));
    case 19:
        return U(SINH, U(COS, a));
    case 20:
        return U(COSH, U(SIN, a));
    case 21:
        return U(TAN, U(TANH, a));
    case 22:
        return B(POW, a2, K(-1.5));
    default:
        return U(NEG, U(COS, a));
    }
}

// Differences of the eighth order, so that a wrong term cannot hide behind their error.
static double difference(const rig *r, flx_node f, const double *at, int leaf, double h)
{
    static const double k[4] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
    double in[RIG_LEAVES], d = 0.0;
    for (int j = 1; j <= 4; j++) {
        memcpy(in, at, sizeof in);
        in[leaf] = at[leaf] + j * h;
        double plus = rig_eval(r, f, in);
        in[leaf] = at[leaf] - j * h;
        d += k[j - 1] * (plus - rig_eval(r, f, in)) / h;
    }
    return d;
}

// The error of the differences is estimated with a second step; a case where they say nothing
// (huge higher derivatives) is not counted.
static int compare(const rig *r, flx_node f, flx_node d, const double *at, int leaf, int *counted)
{
    double exact = rig_eval(r, d, at);
    double d1 = difference(r, f, at, leaf, 4e-3), d2 = difference(r, f, at, leaf, 2e-3);
    double scale_of = 1.0 + fabs(exact) + fabs(rig_eval(r, f, at));
    if (!isfinite(d1) || fabs(d1 - d2) > 1e-9 * scale_of) return 0;
    ++*counted;
    CHECK_NEAR(exact, d2, 1e-8 * scale_of);
    return 0;
}

static int derivatives_match_differences_on_random_expressions(void)
{
    uint64_t seed = 20240229;
    int first = 0, second = 0, rounds = 300;
    for (int k = 0; k < rounds; k++) {
        rig r;
        CHECK(rig_up(&r));
        double at[RIG_LEAVES];
        for (int i = 0; i < RIG_LEAVES; i++) at[i] = rig_uniform(&seed, -1.5, 1.5);
        flx_node f = random_expression(&r, &seed, 1 + k % 5);
        for (int i = 0; i < 3; i++) {
            flx_node d = rig_partial(&r, f, (flx_leaf)i);
            CHECK(!compare(&r, f, d, at, i, &first));
            for (int j = 0; j < 3; j++) {
                flx_node dd = rig_partial(&r, d, (flx_leaf)j);
                CHECK(!compare(&r, d, dd, at, j, &second));
                // mixed derivatives agree
                flx_node other = rig_partial(&r, rig_partial(&r, f, (flx_leaf)j), (flx_leaf)i);
                double v = rig_eval(&r, dd, at);
                CHECK_NEAR(rig_eval(&r, other, at), v, 1e-10 * (1 + fabs(v)));
            }
        }
        rig_down(&r);
    }
    CHECK(first > 3 * rounds * 8 / 10 && second > 9 * rounds * 8 / 10);
    return 0;
}

// The same expression with leaves, by its program, and with constants in their place, folded. The
// two take different ways through the algebra.
static int programs_agree_with_folding(void)
{
    uint64_t seed = 31415;
    int counted = 0;
    for (int k = 0; k < 2000; k++) {
        rig r, constant;
        double at[RIG_LEAVES], folded;
        CHECK(rig_up(&r));
        constant = r;
        for (int i = 0; i < RIG_LEAVES; i++) {
            at[i] = rig_uniform(&seed, -1.5, 1.5);
            constant.x[i] = K(at[i]);
        }
        uint64_t same = seed;
        flx_node f = random_expression(&r, &seed, 1 + k % 6);
        flx_node c = random_expression(&constant, &same, 1 + k % 6);
        // and the operations with corners on top
        f = flx_graph_if(r.g, B(LT, f, r.x[3]), B(MOD, f, K(0.3)), B(MAX, U(ABS, f), r.x[4]));
        c = flx_graph_if(r.g, B(LT, c, K(at[3])), B(MOD, c, K(0.3)), B(MAX, U(ABS, c), K(at[4])));
        CHECK(flx_graph_is_const(r.g, c, &folded));
        CHECK_NEAR(rig_eval(&r, f, at), folded, 1e-12 * (1 + fabs(folded)));
        counted += isfinite(folded) != 0;
        rig_down(&r);
    }
    CHECK(counted == 2000);
    return 0;
}

// A chain a hundred thousand deep: no recursion over it.
static int deep_graphs_do_not_overflow(void)
{
    rig r;
    CHECK(rig_up(&r));
    flx_node s = K(0);
    int n = 100000;
    for (int i = 1; i <= n; i++) s = B(ADD, U(SIN, B(MUL, K(i), r.x[0])), s);
    flx_node d = rig_partial(&r, s, 0);
    CHECK(d >= 0 && flx_graph_depends(r.g, d, NULL, NULL));
    double in[RIG_LEAVES] = {0.0};
    CHECK_REL(rig_eval(&r, d, in), 0.5 * n * (n + 1.0), 1e-12);
    rig_down(&r);
    return 0;
}

TEST_MAIN(TEST(derivatives_match_closed_forms), TEST(derivatives_hold_at_zero_and_below),
          TEST(a_derivation_is_what_it_does_to_leaves), TEST(derivatives_are_short),
          TEST(derivatives_match_differences_on_random_expressions),
          TEST(programs_agree_with_folding), TEST(deep_graphs_do_not_overflow))
