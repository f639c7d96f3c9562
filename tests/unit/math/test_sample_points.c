// test_sample_points.c - points for sampling, and what samples say: strata, the normal distribution, Ishigami's function.
#include "math/sample/sample_points.h"

#include "check.h"
#include "flexion/sample.h"

#include <math.h>
#include <string.h>

// Each of 2^k strata has one point.
static int strata(void)
{
    enum { N = 256 };
    double y[N];
    flx_ctx *ctx = flx_ctx_create();
    for (int method = FLX_SAMPLE_SOBOL; method <= FLX_SAMPLE_LATIN; method++) {
        for (int column = 0; column < FLX_SAMPLE_SOBOL_MOST; column++) {
            bool hit[N] = {false};
            CHECK(flx_sample_column(ctx, (flx_sample_method)method, 7, column, N, y) == FLX_OK);
            for (int i = 0; i < N; i++) {
                CHECK(y[i] > 0.0 && y[i] < 1.0);
                hit[(int)(y[i] * N)] = true;
            }
            for (int i = 0; i < N; i++) CHECK(hit[i]);
        }
    }
    CHECK(flx_sample_column(ctx, FLX_SAMPLE_SOBOL, 7, FLX_SAMPLE_SOBOL_MOST, N, y) ==
          FLX_ERR_CANNOT);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Two columns fill boxes: 16 x 16 of the first pairs of columns (a net).
static int boxes(void)
{
    enum { N = 256, SIDE = 16 };
    double x[N], y[N];
    bool hit[SIDE][SIDE] = {{false}};
    flx_ctx *ctx = flx_ctx_create();
    CHECK(flx_sample_column(ctx, FLX_SAMPLE_SOBOL, 3, 0, N, x) == FLX_OK);
    CHECK(flx_sample_column(ctx, FLX_SAMPLE_SOBOL, 3, 1, N, y) == FLX_OK);
    for (int i = 0; i < N; i++) hit[(int)(x[i] * SIDE)][(int)(y[i] * SIDE)] = true;
    for (int i = 0; i < N; i++) CHECK(hit[i / SIDE][i % SIDE]);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int normal(void)
{
    CHECK_NEAR(flx_sample_normal(0.5), 0.0, 1e-15);
    CHECK_NEAR(flx_sample_normal(0.975), 1.959963984540054, 1e-12);
    CHECK_NEAR(flx_sample_normal(1e-6), -4.753424308822899, 1e-9);
    return 0;
}

static double ishigami(const double x[3])
{
    return sin(x[0]) + 7.0 * sin(x[1]) * sin(x[1]) + 0.1 * pow(x[2], 4.0) * sin(x[0]);
}

// The figures of opt-ishigami-indices.
static int indices(void)
{
    enum { ROWS = 8192, N = 3 };
    static double u[2 * N][ROWS], y[ROWS * (N + 2)];
    static const double first[N] = {0.31390519114781146, 0.4424111447900409, 0.0};
    static const double total[N] = {0.5575888552099592, 0.4424111447900409, 0.24368366406214773};
    flx_ctx *ctx = flx_ctx_create();
    for (int k = 0; k < 2 * N; k++)
        CHECK(flx_sample_column(ctx, FLX_SAMPLE_SOBOL, 1, k, ROWS, u[k]) == FLX_OK);
    for (int block = 0; block < N + 2; block++) {
        for (int i = 0; i < ROWS; i++) {
            double x[N];
            for (int k = 0; k < N; k++) {
                bool b = block == 1 || block == 2 + k;
                x[k] = 3.14159265358979323846 * (2.0 * u[b ? N + k : k][i] - 1.0);
            }
            y[block * ROWS + i] = ishigami(x);
        }
    }
    flx_sample_summary s;
    CHECK(flx_sample_summarise(ctx, 2 * ROWS, y, &s) == FLX_OK);
    CHECK_NEAR(s.mean, 3.5, 0.02);
    CHECK_REL(s.deviation * s.deviation, 13.844587940719254, 0.01);
    flx_sample_index index[N];
    int failed;
    CHECK(flx_sample_indices(ctx, ROWS, N, y, 1, index, &failed) == FLX_OK && failed == 0);
    for (int k = 0; k < N; k++) {
        CHECK_NEAR(index[k].first, first[k], 0.01);
        CHECK_NEAR(index[k].total, total[k], 0.01);
        CHECK(index[k].first_low < first[k] && index[k].first_high > first[k]);
        CHECK(index[k].total_low <= total[k] + 1e-3 && index[k].total_high >= total[k] - 1e-3);
    }
    y[5] = (double)NAN; // a run that failed
    CHECK(flx_sample_indices(ctx, ROWS, N, y, 1, index, &failed) == FLX_OK && failed == 1);
    CHECK_NEAR(index[0].first, first[0], 0.01);
    CHECK(flx_sample_summarise(ctx, 2 * ROWS, y, &s) == FLX_OK && s.failed == 1 &&
          s.n == 2 * ROWS - 1);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(strata), TEST(boxes), TEST(normal), TEST(indices))
