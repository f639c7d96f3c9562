// Hulls of points: their parts, and how they touch.
#include "check.h"
#include "contact/convex/hull.h"
#include "contact/pair.h"
#include "flexion/base.h"
#include "solids.h"

static const flx_loc nowhere = {.file = "points", .line = 1, .column = 1};

static flx_surface hull_surface(const flx_polytope *p, double skin)
{
    return (flx_surface){
        .kind = &flx_surface_hull, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .skin = skin, .data = p};
}

// Euler's relation, normals outwards, every edge between two faces, corners counterclockwise.
static int check_polytope(const flx_polytope *p)
{
    CHECK(p->nvertex - p->nedge + p->nface == 2);
    for (int f = 0; f < p->nface; f++) {
        v3 n = v3_load(p->normals + 3 * (size_t)f);
        int first = p->first[f], count = p->first[f + 1] - first;
        v3 a = v3_load(p->vertices + 3 * (size_t)p->corners[first]);
        CHECK(count >= 3);
        CHECK_NEAR(v3_norm(n), 1.0, 1e-12);
        for (int i = 0; i < p->nvertex; i++) {
            CHECK(v3_dot(n, v3_sub(v3_load(p->vertices + 3 * (size_t)i), a)) <= 2e-6 * p->size);
        }
        for (int i = 0; i < count; i++) {
            v3 u = v3_load(p->vertices + 3 * (size_t)p->corners[first + i]);
            v3 v = v3_load(p->vertices + 3 * (size_t)p->corners[first + (i + 1) % count]);
            v3 w = v3_load(p->vertices + 3 * (size_t)p->corners[first + (i + 2) % count]);
            CHECK(v3_dot(n, v3_cross(v3_sub(v, u), v3_sub(w, v))) > -1e-9 * p->size * p->size);
            CHECK_NEAR(v3_dot(n, v3_sub(u, a)), 0.0, 2e-6 * p->size);
        }
    }
    for (int i = 0; i < p->nedge; i++) {
        const int *e = p->edges + 4 * (size_t)i;
        CHECK(e[0] != e[1] && e[2] != e[3] && e[2] >= 0 && e[3] >= 0 && e[2] < p->nface &&
              e[3] < p->nface);
    }
    return 0;
}

static void box_points(v3 h, double *x)
{
    for (int i = 0; i < 8; i++) {
        v3_store(x + 3 * (size_t)i,
                 v3_make(i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z));
    }
}

static int hulls_have_faces_edges_and_vertices(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    test_random r = {1};
    double x[3 * 200];
    const flx_polytope *p = NULL;
    box_points(v3_make(1, 2, 3), x);
    for (int i = 8; i < 200; i++) v3_store(x + 3 * (size_t)i, random_vector(&r, 0.9)); // inside
    CHECK(flx_hull_make(ctx, arena, nowhere, 200, x, &p) == FLX_OK);
    CHECK(p->nvertex == 8 && p->nface == 6 && p->nedge == 12); // squares, not triangles
    CHECK(check_polytope(p) == 0);
    for (int trial = 0; trial < 20; trial++) {
        for (int i = 0; i < 40; i++) v3_store(x + 3 * (size_t)i, random_vector(&r, 1e-3));
        CHECK(flx_hull_make(ctx, arena, nowhere, 40, x, &p) == FLX_OK);
        CHECK(check_polytope(p) == 0);
    }
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int points_without_a_volume_are_refused(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    double x[3 * 10];
    const flx_polytope *p = NULL;
    for (int i = 0; i < 10; i++) v3_store(x + 3 * (size_t)i, v3_make(i, i * i, 2 * i + 1));
    CHECK(flx_hull_make(ctx, arena, nowhere, 3, x, &p) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "four points");
    CHECK(flx_hull_make(ctx, arena, nowhere, 10, x, &p) == FLX_ERR_MODEL);
    for (int i = 0; i < 10; i++) v3_store(x + 3 * (size_t)i, v3_make(1, 2, 3));
    CHECK(flx_hull_make(ctx, arena, nowhere, 10, x, &p) == FLX_ERR_MODEL);
    x[4] = (double)NAN;
    CHECK(flx_hull_make(ctx, arena, nowhere, 10, x, &p) == FLX_ERR_MODEL);
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A hull of the corners of a box touches as the box does.
static int a_hull_of_a_box_is_the_box(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    test_random r = {2};
    for (int i = 0; i < 1000; i++) {
        v3 h = {random_between(&r, 0.1, 1), random_between(&r, 0.1, 1), random_between(&r, 0.1, 1)};
        double x[24];
        const flx_polytope *p = NULL;
        box_points(h, x);
        CHECK(flx_hull_make(ctx, arena, nowhere, 8, x, &p) == FLX_OK);
        flx_surface hull = hull_surface(p, 0.01), other = {.kind = &flx_surface_box,
                                                           .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                                           .size = {0.8, 0.6, 0.4},
                                                           .skin = 0.01};
        flx_surface box = other;
        v3_store(box.size, v3_scale(2.0, v3_add(h, v3_make(0.01, 0.01, 0.01))));
        flx_frame fa = frame_at(random_orientation(&r), v3_make(0, 0, 0));
        flx_frame fb = frame_at(random_orientation(&r), random_vector(&r, 1.5));
        flx_touch t[4], s[4];
        int n = flx_pair_touch(&hull, &fa, &other, &fb, 10.0, 4, NULL, t);
        int m = flx_pair_touch(&box, &fa, &other, &fb, 10.0, 4, NULL, s);
        CHECK(n >= 1 && m >= 1);
        CHECK_NEAR(t[0].gap, s[0].gap, 5e-6 + 5e-3 * fmax(-s[0].gap, 0.0));
        double low[2][3], high[2][3];
        flx_surface_hull.bounds(&hull, &fa, low[0], high[0]);
        flx_surface_box.bounds(&box, &fa, low[1], high[1]);
        for (int k = 0; k < 3; k++) {
            CHECK_NEAR(low[0][k], low[1][k], 1e-12);
            CHECK_NEAR(high[0][k], high[1][k], 1e-12);
        }
    }
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A ball of many faces: distance and depth are nearly those of spheres, whatever its face is.
static int hulls_with_many_faces_touch_like_spheres(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    test_random r = {3};
    enum { N = 150 };
    double x[3 * N];
    const flx_polytope *p = NULL;
    for (int i = 0; i < N; i++) v3_store(x + 3 * (size_t)i, v3_unit(random_vector(&r, 1.0)));
    CHECK(flx_hull_make(ctx, arena, nowhere, N, x, &p) == FLX_OK);
    CHECK(check_polytope(p) == 0);
    flx_surface a = hull_surface(p, 0.0), b = hull_surface(p, 0.05);
    for (int i = 0; i < 60; i++) {
        flx_frame fa = frame_at(random_rotation(&r), v3_make(1, 2, 3)),
                  fb = frame_at(random_rotation(&r), v3_make(1, 2, 3));
        v3 d = v3_scale(random_between(&r, 1.5, 2.5), v3_unit(random_vector(&r, 1.0)));
        v3_add_to(fb.r, 1.0, d);
        flx_touch t[4];
        int n = flx_pair_touch(&a, &fa, &b, &fb, 10.0, 4, NULL, t);
        CHECK(n >= 1);
        CHECK(t[0].gap > v3_norm(d) - 2.05 - 1e-9 && t[0].gap < v3_norm(d) - 2.05 + 0.15);
        CHECK(v3_dot(v3_load(t[0].n), v3_unit(d)) > 0.8);
    }
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(hulls_have_faces_edges_and_vertices), TEST(points_without_a_volume_are_refused),
          TEST(a_hull_of_a_box_is_the_box), TEST(hulls_with_many_faces_touch_like_spheres))
