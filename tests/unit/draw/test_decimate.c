// test_decimate.c - coarser surfaces stay surfaces: within the number of points, near the given ones.
#include "check.h"
#include "draw/decimate.h"

#include <math.h>

#define N 60 // squares along each side of the sheet

static float points[(N + 1) * (N + 1) + 5][3]; // the last five belong to no triangle
static int triangles[2 * N * N][3];

static void make_sheet(void)
{
    for (int i = 0; i <= N; i++) {
        for (int j = 0; j <= N; j++) {
            float *p = points[i * (N + 1) + j];
            p[0] = (float)i / N;
            p[1] = (float)j / N;
            p[2] = 0.1F * sinf(6 * p[0]);
        }
    }
    for (int i = 0; i < N * N; i++) {
        int a = i / N * (N + 1) + i % N;
        const int two[2][3] = {{a, a + N + 1, a + 1}, {a + 1, a + N + 1, a + N + 2}};
        memcpy(triangles + 2 * (size_t)i, two, sizeof two);
    }
}

static double area(const flx_coarse *c)
{
    double sum = 0;
    for (int i = 0; i < c->ntriangle; i++) {
        const float *p[3];
        for (int k = 0; k < 3; k++) p[k] = points[c->points[c->triangles[3 * i + k]]];
        double a[2] = {(double)(p[1][0] - p[0][0]), (double)(p[1][1] - p[0][1])};
        double b[2] = {(double)(p[2][0] - p[0][0]), (double)(p[2][1] - p[0][1])};
        sum += 0.5 * (a[0] * b[1] - a[1] * b[0]); // seen from above: with its sign
    }
    return sum;
}

static int points_are_bounded_and_the_sheet_stays(void)
{
    flx_ctx *ctx = flx_ctx_create();
    make_sheet();
    for (int most = 8; most < 20000; most *= 3) {
        flx_coarse c;
        CHECK(flx_decimate(ctx, (int)(sizeof points / sizeof points[0]), points[0], 2 * N * N,
                           triangles[0], most, &c) == FLX_OK);
        CHECK(c.npoint <= most && c.npoint <= (N + 1) * (N + 1));
        CHECK(most < (N + 1) * (N + 1) || c.ntriangle == 2 * N * N);
        CHECK(3 * c.npoint > most || c.npoint == (N + 1) * (N + 1));
        for (int i = 0; i < 3 * c.ntriangle; i++) {
            CHECK(c.triangles[i] >= 0 && c.triangles[i] < c.npoint);
        }
        for (int i = 0; i < c.npoint; i++) CHECK(c.points[i] < (N + 1) * (N + 1));
        if (most > 200) CHECK_NEAR(area(&c), 1.0, 0.15);
        flx_coarse_clear(&c);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

static int odd_surfaces_are_survived(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_coarse c;
    const float same[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1},
                bad[9] = {NAN, 0, 0, 1, INFINITY, 0, 0, 1, 0};
    const int one[3] = {0, 1, 2};
    CHECK(flx_decimate(ctx, 0, NULL, 0, NULL, 10, &c) == FLX_OK && c.npoint == 0);
    flx_coarse_clear(&c);
    CHECK(flx_decimate(ctx, 3, same, 1, one, 1, &c) == FLX_OK && c.ntriangle == 1);
    flx_coarse_clear(&c);
    CHECK(flx_decimate(ctx, 3, bad, 1, one, 1, &c) == FLX_OK && c.ntriangle == 1);
    flx_coarse_clear(&c);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(points_are_bounded_and_the_sheet_stays), TEST(odd_surfaces_are_survived))
