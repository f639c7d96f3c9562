// Pairs of boxes that are near each other: all of them, sorted, whatever happened before.
#include "check.h"
#include "contact/broad.h"
#include "flexion/base.h"
#include "solids.h"

static bool near(const flx_bounds *a, const flx_bounds *b, double reach)
{
    for (int k = 0; k < 3; k++) {
        if (a->low[k] > b->high[k] + reach || b->low[k] > a->high[k] + reach) return false;
    }
    return true;
}

static flx_bounds random_bounds(test_random *r, double room)
{
    v3 c = random_vector(r, room), h = random_vector(r, 0.5);
    flx_bounds b;
    v3_store(b.low, v3_sub(c, v3_make(fabs(h.x), fabs(h.y), fabs(h.z))));
    v3_store(b.high, v3_add(c, v3_make(fabs(h.x), fabs(h.y), fabs(h.z))));
    return b;
}

static void shift(flx_bounds *b, v3 by)
{
    v3_add_to(b->low, 1.0, by);
    v3_add_to(b->high, 1.0, by);
}

static const flx_bounds endless = {.low = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL},
                                   .high = {HUGE_VAL, HUGE_VAL, 0}};

// Against all pairs, while boxes drift, jump, leave and come back.
static int pairs_are_those_of_all(void)
{
    enum { N = 120 };
    const double reach = 0.2;
    test_random r = {1};
    flx_ctx *ctx = flx_ctx_create();
    flx_broad *b = flx_broad_create(ctx, N);
    flx_bounds boxes[N];
    bool there[N];
    for (int i = 0; i < N; i++) boxes[i] = random_bounds(&r, 3.0), there[i] = true;
    boxes[7] = endless;
    for (int step = 0; step < 300; step++) {
        for (int i = 0; i < N; i++) {
            double what = random_unit(&r);
            if (i != 7) shift(boxes + i, random_vector(&r, 0.03));
            if (i != 7 && what < 0.01) boxes[i] = random_bounds(&r, 3.0);
            if (what > 0.99) there[i] = !there[i];
            flx_bounds nowhere = {.low = {(double)NAN}};
            flx_broad_move(b, i, there[i] ? boxes + i : &nowhere, reach);
        }
        int n, (*pairs)[2], k = 0;
        CHECK(flx_broad_pairs(b, NULL, NULL, &n, &pairs) == FLX_OK);
        for (int i = 0; i < N; i++) {
            for (int j = i + 1; j < N; j++) {
                if (!there[i] || !there[j] || !near(boxes + i, boxes + j, reach)) continue;
                CHECK(k < n && pairs[k][0] == i && pairs[k][1] == j);
                k++;
            }
        }
        CHECK(k == n && n > 0);
    }
    flx_broad_destroy(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

static bool both_odd(const void *user, int i, int j)
{
    (void)user;
    return i % 2 == 1 && j % 2 == 1;
}

static int a_filter_leaves_pairs_out(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_broad *b = flx_broad_create(ctx, 6);
    const flx_bounds box = {.high = {1, 1, 1}};
    int n, (*pairs)[2];
    for (int i = 0; i < 6; i++) flx_broad_move(b, i, &box, 0.0);
    CHECK(flx_broad_pairs(b, NULL, NULL, &n, &pairs) == FLX_OK && n == 15);
    CHECK(flx_broad_pairs(b, both_odd, NULL, &n, &pairs) == FLX_OK && n == 3);
    CHECK(pairs[2][0] == 3 && pairs[2][1] == 5);
    flx_broad_destroy(&b);
    b = flx_broad_create(ctx, 0);
    CHECK(flx_broad_pairs(b, NULL, NULL, &n, &pairs) == FLX_OK && n == 0);
    flx_broad_destroy(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Ten thousand boxes in a row on a plane: neighbours and the plane, at a price that does not grow with the square.
static int many_boxes_are_no_matter(void)
{
    enum { N = 10000 };
    flx_ctx *ctx = flx_ctx_create();
    flx_broad *b = flx_broad_create(ctx, N);
    int n = 0, (*pairs)[2] = NULL, (*before)[2] = NULL;
    for (int step = 0; step < 5; step++) {
        flx_broad_move(b, 0, &endless, 0.01);
        for (int i = 1; i < N; i++) {
            double x = i + 0.001 * step;
            flx_bounds box = {.low = {x, 0, 0}, .high = {x + 1.0, 1, 1}};
            flx_broad_move(b, i, &box, 0.01);
        }
        before = pairs;
        CHECK(flx_broad_pairs(b, NULL, NULL, &n, &pairs) == FLX_OK);
        CHECK(n == (N - 1) + (N - 2));
        CHECK(step == 0 || pairs == before); // no memory is taken again
        for (int i = 0; i < N - 1; i++) CHECK(pairs[i][0] == 0 && pairs[i][1] == i + 1);
    }
    flx_broad_destroy(&b);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(pairs_are_those_of_all), TEST(a_filter_leaves_pairs_out),
          TEST(many_boxes_are_no_matter))
