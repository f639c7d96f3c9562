// test_run_integrals.c - integrals of courses along a run, with and without values inside the steps.
#include "check.h"
#include "simulate/simulation_parts.h"

static double course(int i, double t)
{
    return i == 0 ? exp(-0.7 * t) * sin(2.385 * t) : t * t * t - 2.0 * t * t + 0.3;
}

// int_0^t
static double exact(int i, double t)
{
    const double a = 0.7, w = 2.385;
    if (i == 1) return t * t * t * t / 4.0 - 2.0 * t * t * t / 3.0 + 0.3 * t;
    return (w - exp(-a * t) * (a * sin(w * t) + w * cos(w * t))) / (a * a + w * w);
}

static void sample(double t, double *out)
{
    out[0] = course(0, t);
    out[1] = course(1, t);
}

// n steps to T, each a little longer than the last when `uneven`.
static void integrate(flx_quadrature *q, double T, int n, bool uneven)
{
    double end[2], inner[2 * FLX_LOBATTO_INNER], t = 0.0;
    sample(t, end);
    flx_quadrature_start(q, t, end);
    for (int k = 1; k <= n; k++) {
        double s = (double)k / n, next = T * (uneven ? (s + 0.3 * s * s) / 1.3 : s);
        for (int j = 0; j < q->inner; j++)
            sample(t + flx_quadrature_place(q, j) * (next - t), inner + 2 * j);
        sample(next, end);
        flx_quadrature_step(q, next, q->inner ? inner : NULL, end);
        t = next;
    }
}

// A cubic is integrated exactly: by Lobatto always, by the cubic of step ends from its third step.
static int orders_are_as_said(void)
{
    const int inners[] = {0, 2, 4};
    const double expected[] = {3.0, 6.0, 10.0};
    flx_ctx *ctx = flx_ctx_create();
    for (int i = 0; i < 3; i++) {
        int inner = inners[i];
        for (int uneven = 0; uneven < 2; uneven++) {
            flx_quadrature q;
            double before = 0.0;
            CHECK(flx_quadrature_create(ctx, 2, inner, 3, &q) == FLX_OK);
            for (int level = 0; level < 3; level++) {
                int n = (inner == 4 ? 2 : inner ? 6 : 60) << level;
                integrate(&q, 3.0, n, uneven);
                double error = fabs(q.sum[0] - exact(0, 3.0));
                // the first two steps know fewer points: one error of h^3, another of h^4
                if (level > 0) CHECK(log2(before / error) > expected[i] - 0.25);
                before = error;
                if (inner) CHECK_NEAR(q.sum[1], exact(1, 3.0), 1e-13);
            }
            flx_quadrature_clear(&q);
        }
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// Once three (five) step ends are known the polynomial is exact over further steps up to degree 3 (5), while none is longer
// than eight times one of them.
static int polynomials_of_step_ends_are_exact(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double times[] = {0.0, 0.1, 0.15, 0.4, 0.45, 0.8, 0.9, 1.25};
    for (int past = 3; past <= 5; past += 2) {
        flx_quadrature q;
        double base = 0.0, from = times[past - 1];
        CHECK(flx_quadrature_create(ctx, 1, 0, past, &q) == FLX_OK);
        for (int k = 0; k < 8; k++) {
            double t = times[k], end = pow(t, past) - 2.0 * t * t + 0.3;
            if (k == 0) flx_quadrature_start(&q, t, &end);
            flx_quadrature_step(&q, t, NULL, &end);
            if (k == past - 1) base = q.sum[0];
            if (k < past) continue;
            double right = (pow(t, past + 1) - pow(from, past + 1)) / (past + 1.0) -
                           2.0 / 3.0 * (t * t * t - from * from * from) + 0.3 * (t - from);
            CHECK_NEAR(q.sum[0] - base, right, 1e-13);
        }
        flx_quadrature_clear(&q);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// Beyond a step that is much longer than the last one nothing is looked back at: the polynomial would swing.
static int long_steps_look_at_their_ends_alone(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double times[] = {0.0, 0.01, 0.02, 0.03, 1.03}, values[] = {0.0, 0.0, 0.0, 1.0, 1.0};
    flx_quadrature q;
    double before = 0.0;
    CHECK(flx_quadrature_create(ctx, 1, 0, 5, &q) == FLX_OK);
    flx_quadrature_start(&q, times[0], values);
    for (int k = 1; k < 5; k++) {
        before = q.sum[0];
        flx_quadrature_step(&q, times[k], NULL, values + k);
    }
    CHECK_NEAR(q.sum[0] - before, 1.0, 1e-15);
    flx_quadrature_clear(&q);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A value inside the step is the sum so far and the piece up to there; the sum itself stays.
static int extension_leaves_the_sum_alone(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_quadrature q;
    double end[2], inner[2 * FLX_LOBATTO_INNER], until[2];
    CHECK(flx_quadrature_create(ctx, 2, FLX_LOBATTO_INNER, 3, &q) == FLX_OK);
    integrate(&q, 1.0, 20, false);
    double sum = q.sum[1], t = 1.03;
    for (int j = 0; j < FLX_LOBATTO_INNER; j++)
        sample(1.0 + flx_quadrature_place(&q, j) * (t - 1.0), inner + 2 * j);
    sample(t, end);
    flx_quadrature_extend(&q, t, inner, end, until);
    CHECK(q.sum[1] == sum);
    CHECK_NEAR(until[1], exact(1, t), 1e-14);
    CHECK_NEAR(until[0], exact(0, t), 1e-12);
    flx_quadrature_extend(&q, 1.0, NULL, end, until);
    CHECK(until[1] == sum);
    flx_quadrature_clear(&q);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(orders_are_as_said), TEST(polynomials_of_step_ends_are_exact),
          TEST(long_steps_look_at_their_ends_alone), TEST(extension_leaves_the_sum_alone))
