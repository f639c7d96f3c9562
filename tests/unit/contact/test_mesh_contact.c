// Surfaces of triangles and heights: what is near them, and how spheres, capsules and boxes touch.
#include "check.h"
#include "contact/gap.h"
#include "contact/mesh/facets.h"
#include "contact/mesh/heights.h"
#include "flexion/base.h"
#include "solids.h"

static const flx_loc nowhere = {.file = "points", .line = 1, .column = 1};

typedef struct rig {
    flx_ctx *ctx;
    flx_arena *arena;
} rig;

static rig rig_up(void)
{
    rig r = {.ctx = flx_ctx_create()};
    r.arena = flx_arena_create(r.ctx);
    return r;
}

static void rig_down(rig *r)
{
    flx_arena_destroy(&r->arena);
    flx_ctx_destroy(&r->ctx);
}

static flx_surface mesh_surface(const flx_facets *t, double skin)
{
    return (flx_surface){
        .kind = &flx_surface_mesh, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .skin = skin, .data = t};
}

static flx_surface sphere_surface(double radius)
{
    return (flx_surface){
        .kind = &flx_surface_sphere, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {radius}};
}

// A box of 2 x 2 x 12 triangles, each face a grid of n x n squares.
static const flx_facets *box_mesh(const rig *r, v3 h, int n)
{
    enum { MOST = 6 * 8 * 8 };
    static double points[4 * MOST * 3];
    static int corners[2 * MOST * 3];
    int np = 0, nt = 0;
    for (int face = 0; face < 6; face++) {
        int axis = face / 2, u = (axis + 1) % 3, w = (axis + 2) % 3;
        double sign = face % 2 ? 1.0 : -1.0;
        const double half[3] = {h.x, h.y, h.z};
        for (int i = 0; i < n * n; i++) {
            for (int k = 0; k < 4; k++) {
                double *x = points + 3 * (size_t)(np + k);
                x[axis] = sign * half[axis];
                x[u] = half[u] * (2.0 * (i % n + (k == 1 || k == 2)) / n - 1.0);
                x[w] = half[w] * (2.0 * (i / n + (k >= 2)) / n - 1.0);
            }
            const int up[6] = {0, 1, 2, 0, 2, 3}, down[6] = {0, 2, 1, 0, 3, 2};
            for (int k = 0; k < 6; k++)
                corners[3 * (size_t)nt + k] = np + (sign > 0 ? up[k] : down[k]);
            np += 4;
            nt += 2;
        }
    }
    const flx_facets *t = NULL;
    return flx_facets_make(r->ctx, r->arena, nowhere, np, points, nt, corners, &t) == FLX_OK ? t
                                                                                             : NULL;
}

// A grid of squares over |x|, |y| < 1, with the height of a function.
static const flx_facets *field_mesh(const rig *r, int n, double (*height)(double, double))
{
    enum { MOST = 41 };
    static double points[MOST * MOST * 3];
    static int corners[MOST * MOST * 6];
    int nt = 0;
    for (int i = 0; i <= n; i++) {
        for (int j = 0; j <= n; j++) {
            double x = 2.0 * i / n - 1.0, y = 2.0 * j / n - 1.0;
            v3_store(points + 3 * (size_t)(i * (n + 1) + j), v3_make(x, y, height(x, y)));
            if (i == n || j == n) continue;
            int a = i * (n + 1) + j, b = a + n + 1;
            const int two[6] = {a, b, b + 1, a, b + 1, a + 1};
            memcpy(corners + 3 * (size_t)nt, two, sizeof two);
            nt += 2;
        }
    }
    const flx_facets *t = NULL;
    flx_status s =
        flx_facets_make(r->ctx, r->arena, nowhere, (n + 1) * (n + 1), points, nt, corners, &t);
    return s == FLX_OK ? t : NULL;
}

static double flat(double x, double y)
{
    (void)x;
    (void)y;
    return 0.0;
}
static double bowl(double x, double y)
{
    return 0.5 * (x * x + y * y);
}
static double valley(double x, double y)
{
    (void)y;
    return fabs(x);
}

// ---- the triangles ----------------------------------------------------------------------------------

static int meshes_know_their_parts(void)
{
    rig r = rig_up();
    const flx_facets *t = box_mesh(&r, v3_make(1, 2, 3), 3);
    CHECK(t && t->closed);
    CHECK(t->ntriangle == 108 && t->nvertex - t->nedge + t->ntriangle == 2);
    const flx_facets *open = field_mesh(&r, 5, flat);
    CHECK(open && !open->closed && open->ntriangle == 50);
    // a triangle that is turned makes it one that is not closed
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    int c[12] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};
    CHECK(flx_facets_make(r.ctx, r.arena, nowhere, 4, x, 4, c, &t) == FLX_OK && t->closed);
    c[10] = 2;
    c[11] = 3;
    CHECK(flx_facets_make(r.ctx, r.arena, nowhere, 4, x, 4, c, &t) == FLX_OK && !t->closed);
    const int none[3] = {0, 1, 1};
    CHECK(flx_facets_make(r.ctx, r.arena, nowhere, 4, x, 1, none, &t) == FLX_ERR_MODEL);
    rig_down(&r);
    return 0;
}

static int the_tree_finds_all_triangles(void)
{
    rig r = rig_up();
    test_random q = {1};
    const flx_facets *t = field_mesh(&r, 30, bowl);
    for (int trial = 0; trial < 200; trial++) {
        double low[3], high[3];
        v3 c = random_vector(&q, 1.0);
        double w = random_between(&q, 0, 0.3);
        v3_store(low, v3_sub(c, v3_make(w, w, w)));
        v3_store(high, v3_add(c, v3_make(w, w, w)));
        static bool seen[2000];
        memset(seen, 0, sizeof seen);
        flx_facet_walk walk;
        flx_facet_walk_begin(&walk, t, low, high);
        for (int i; (i = flx_facet_walk_next(&walk, t)) >= 0;) {
            CHECK(!seen[i]);
            seen[i] = true;
        }
        for (int i = 0; i < t->ntriangle; i++) {
            bool near = true;
            for (int k = 0; k < 3; k++) {
                double a = HUGE_VAL, b = -HUGE_VAL;
                for (int j = 0; j < 3; j++) {
                    double x = t->vertices[3 * (size_t)t->corners[3 * (size_t)i + j] + k];
                    a = fmin(a, x);
                    b = fmax(b, x);
                }
                near = near && a <= high[k] && b >= low[k];
            }
            CHECK(seen[i] || !near);
        }
    }
    rig_down(&r);
    return 0;
}

// ---- spheres ------------------------------------------------------------------------------------------

// A box of triangles is the box, for spheres and nodes, outside, at edges and inside.
static int a_mesh_of_a_box_touches_as_the_box(void)
{
    rig r = rig_up();
    test_random q = {2};
    v3 h = {0.5, 0.4, 0.3};
    const flx_facets *t = box_mesh(&r, h, 4);
    for (int i = 0; i < 3000; i++) {
        double radius = i % 3 == 0 ? 0.0 : 0.15;
        flx_surface mesh = mesh_surface(t, i % 2 ? 0.01 : 0.0), ball = sphere_surface(radius);
        test_box box = {.h = h, .R = random_orientation(&q), .x = random_vector(&q, 1.0)};
        flx_frame fa = frame_at(box.R, box.x), fb = frame_at(random_rotation(&q), v3_make(0, 0, 0));
        v3 at = {random_between(&q, -0.8, 0.8), random_between(&q, -0.8, 0.8),
                 random_between(&q, -0.8, 0.8)};
        v3 c = v3_add(box.x, m33_mul_v(box.R, at));
        v3_store(fb.r, c);
        double inside = fmin(fmin(h.x - fabs(at.x), h.y - fabs(at.y)), h.z - fabs(at.z));
        double expected = (inside > 0 ? -inside : point_box_distance(&box, c)) - radius - mesh.skin;
        if (inside > 0.2 * radius || expected > 0.45) continue;
        flx_touch s[4];
        int n = flx_pair_touch(&mesh, &fa, &ball, &fb, 0.5, 4, NULL, s);
        CHECK(n >= 1);
        CHECK_NEAR(s[0].gap, expected, 1e-9);
        // a frozen feature is the same point
        flx_touch p;
        CHECK(flx_pair_mesh_sphere.point(&mesh, &fa, &ball, &fb, s[0].feature, &p));
        CHECK_NEAR(p.gap, s[0].gap, 1e-12);
        if (inside <= 0) CHECK(n == 1); // a box is convex
    }
    rig_down(&r);
    return 0;
}

// A ball that rolls over a plane of triangles has one contact with the plane's normal, at every edge and vertex.
static int a_ball_rolls_over_edges_within_a_plane(void)
{
    rig r = rig_up();
    const flx_facets *t = field_mesh(&r, 10, flat);
    flx_surface mesh = mesh_surface(t, 0.0), ball = sphere_surface(0.1);
    flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0));
    for (int i = 0; i <= 4000; i++) {
        double s = i / 4000.0;
        v3 c[3] = {v3_make(1.6 * s - 0.8, 0.2, 0.099), v3_make(1.6 * s - 0.8, 1.6 * s - 0.8, 0.099),
                   v3_make(1.6 * s - 0.8, 0.3 * s, 0.099)};
        for (int k = 0; k < 3; k++) {
            flx_frame fb = frame_at(m33_identity(), c[k]);
            flx_touch u[4];
            CHECK(flx_pair_touch(&mesh, &fa, &ball, &fb, 0.05, 4, NULL, u) == 1);
            CHECK_NEAR(u[0].gap, -1e-3, 1e-12);
            CHECK_NEAR(u[0].n[2], 1.0, 1e-12);
        }
    }
    rig_down(&r);
    return 0;
}

// In a valley a ball touches both sides; in a smooth bowl of triangles once.
static int patches_have_one_contact_each(void)
{
    rig r = rig_up();
    const flx_facets *v = field_mesh(&r, 20, valley), *b = field_mesh(&r, 40, bowl);
    flx_surface ball = sphere_surface(0.1), mesh = mesh_surface(v, 0.0);
    flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0)),
              fb = frame_at(m33_identity(), v3_make(0, 0.03, 0.1 * sqrt(2.0) - 1e-3));
    flx_touch t[8];
    CHECK(flx_pair_touch(&mesh, &fa, &ball, &fb, 0.01, 8, NULL, t) == 2);
    CHECK_NEAR(t[0].gap, -1e-3 / sqrt(2.0), 1e-9);
    CHECK_NEAR(t[0].gap, t[1].gap, 1e-9);
    CHECK_NEAR(t[0].n[0] + t[1].n[0], 0.0, 1e-9);
    mesh = mesh_surface(b, 0.0);
    fb = frame_at(m33_identity(), v3_make(0.011, 0.007, 0.5));
    ball = sphere_surface(0.499);
    CHECK(flx_pair_touch(&mesh, &fa, &ball, &fb, 0.05, 8, NULL, t) == 1);
    rig_down(&r);
    return 0;
}

// A thin plate of triangles holds from above what lies on it, though its other side is near.
static int thin_plates_hold(void)
{
    rig r = rig_up();
    const flx_facets *t = box_mesh(&r, v3_make(1, 1, 0.01), 2);
    flx_surface mesh = mesh_surface(t, 0.0), ball = sphere_surface(0.2), node = sphere_surface(0.0);
    flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0)),
              fb = frame_at(m33_identity(), v3_make(0.1, 0.2, 0.2));
    flx_touch u[4];
    CHECK(flx_pair_touch(&mesh, &fa, &ball, &fb, 0.05, 4, NULL, u) == 1);
    CHECK_NEAR(u[0].gap, -0.01, 1e-12);
    CHECK_NEAR(u[0].n[2], 1.0, 1e-12);
    fb = frame_at(m33_identity(), v3_make(0.1, 0.2, 0.0101));
    CHECK(flx_pair_touch(&mesh, &fa, &node, &fb, 0.05, 4, NULL, u) == 1 && u[0].n[2] == 1.0);
    CHECK_NEAR(u[0].gap, 1e-4, 1e-12);
    rig_down(&r);
    return 0;
}

// ---- capsules and boxes -----------------------------------------------------------------------------------

static int capsules_lie_on_meshes(void)
{
    rig r = rig_up();
    test_random q = {3};
    const flx_facets *t = field_mesh(&r, 10, flat),
                     *block = box_mesh(&r, v3_make(0.5, 0.4, 0.3), 1);
    flx_surface mesh = mesh_surface(t, 0.0);
    flx_surface capsule = {
        .kind = &flx_surface_capsule, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {0.1, 0.8}};
    flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0));
    flx_touch u[4];
    for (int i = 0; i < 200; i++) { // lying, turned about the vertical
        m33 R = m33_mul(quat_to_m33(quat_exp(v3_make(0, 0, 0.03 * i))),
                        (m33){{0, 0, 1, 0, 1, 0, -1, 0, 0}});
        flx_frame fb = frame_at(R, v3_make(0.1, -0.05, 0.099));
        CHECK(flx_pair_touch(&mesh, &fa, &capsule, &fb, 0.05, 4, NULL, u) == 2);
        CHECK_NEAR(u[0].gap, -1e-3, 1e-12);
        CHECK_NEAR(u[1].gap, -1e-3, 1e-12);
        CHECK_NEAR(v3_norm(v3_sub(v3_load(u[0].p[0]), v3_load(u[1].p[0]))), 0.8, 1e-9);
    }
    mesh = mesh_surface(block, 0.0); // apart: as of a box
    for (int i = 0; i < 2000; i++) {
        test_box a = {.h = {0.5, 0.4, 0.3}, .R = m33_identity()},
                 b = {.h = {0, 0, 0.4}, .R = random_rotation(&q), .x = random_vector(&q, 1.2)};
        double gap = box_gap(&a, &b);
        if (gap < 1e-3 || gap > 0.5) continue;
        flx_frame fb = frame_at(b.R, b.x);
        int n = flx_pair_touch(&mesh, &fa, &capsule, &fb, 1.0, 4, NULL, u);
        CHECK(n >= 1);
        CHECK_NEAR(u[0].gap, gap - 0.1, 1e-9);
    }
    rig_down(&r);
    return 0;
}

static int boxes_lie_on_meshes(void)
{
    rig r = rig_up();
    test_random q = {4};
    const flx_facets *t = field_mesh(&r, 10, flat),
                     *block = box_mesh(&r, v3_make(0.5, 0.4, 0.3), 1);
    flx_surface mesh = mesh_surface(t, 0.0);
    flx_surface box = {
        .kind = &flx_surface_box, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {0.6, 0.4, 0.2}};
    flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0));
    flx_touch u[4];
    for (int i = 0; i < 100; i++) {
        flx_manifold last = {.n = 0}, first;
        m33 R = quat_to_m33(quat_exp(v3_make(0, 0, 0.03 * i)));
        for (int k = 0; k < 5; k++) { // it trembles
            v3 by = random_vector(&q, 1e-9);
            flx_frame fb = frame_at(m33_mul(quat_to_m33(quat_exp(random_vector(&q, 1e-9))), R),
                                    v3_add(by, v3_make(0.1, -0.05, 0.1 - 1e-4)));
            CHECK(flx_pair_touch(&mesh, &fa, &box, &fb, 0.01, 4, &last, u) == 4);
            CHECK_NEAR(u[0].gap, -1e-4, 1e-8);
            CHECK_NEAR(u[3].gap, -1e-4, 1e-8);
            CHECK(v3_norm(v3_sub(v3_load(u[0].p[0]), v3_load(u[1].p[0]))) > 0.3);
            if (k == 0) first = last;
            for (int j = 0; j < 4; j++) {
                bool found = false;
                for (int l = 0; l < 4; l++) found = found || first.features[l] == u[j].feature;
                CHECK(found);
            }
        }
    }
    mesh = mesh_surface(block, 0.0);
    int seen = 0;
    for (int i = 0; i < 2000; i++) {
        test_box a = {.h = {0.5, 0.4, 0.3}, .R = m33_identity()}, b = {.h = {0.3, 0.2, 0.1},
                                                                       .R = random_orientation(&q),
                                                                       .x = random_vector(&q, 1.2)};
        double gap = box_gap(&a, &b);
        if (gap < 1e-3 || gap > 0.5) continue;
        flx_frame fb = frame_at(b.R, b.x);
        int n = flx_pair_touch(&mesh, &fa, &box, &fb, 1.0, 4, NULL, u);
        CHECK(n >= 1);
        CHECK_NEAR(u[0].gap, gap, 1e-6);
        seen++;
    }
    CHECK(seen > 300);
    rig_down(&r);
    return 0;
}

// Triangles that are no surface: doubled, without area, across each other, three at an edge. Whatever touches them gets numbers.
static int fuzzed_meshes_do_no_harm(void)
{
    test_random q = {7};
    int trials = getenv("FLX_WHOLE") ? 2000 : 200, touches = 0;
    for (int trial = 0; trial < trials; trial++) {
        rig r = rig_up();
        enum { NP = 12, NT = 30 };
        double x[3 * NP];
        int c[3 * NT];
        for (int i = 0; i < NP; i++) {
            v3 p = random_vector(&q, 1.0);
            double kind = random_unit(&q);
            if (kind < 0.3)
                p = v3_make(floor(2 * p.x), floor(2 * p.y), 0); // on a grid, some on one spot
            if (kind > 0.9) p = v3_scale(1e-9, p);
            v3_store(x + 3 * (size_t)i, p);
        }
        for (int i = 0; i < 3 * NT; i++) c[i] = (int)random_between(&q, 0, NP);
        const flx_facets *t = NULL;
        flx_status status = flx_facets_make(r.ctx, r.arena, nowhere, NP, x, NT, c, &t);
        CHECK(status == FLX_OK || status == FLX_ERR_MODEL);
        for (int i = 0; status == FLX_OK && i < 50; i++) {
            flx_surface mesh = mesh_surface(t, i % 2 ? 0.0 : 0.01),
                        other[4] = {sphere_surface(0.3), sphere_surface(0.0)};
            other[2] = (flx_surface){.kind = &flx_surface_capsule,
                                     .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     .size = {0.1, 0.8}};
            other[3] = (flx_surface){.kind = &flx_surface_box,
                                     .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                     .size = {0.6, 0.4, 0.2}};
            // at a vertex, or anywhere
            v3 at = i % 3 == 0 ? v3_load(x + 3 * (size_t)(i % NP)) : random_vector(&q, 1.0);
            flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0)),
                      fb = frame_at(random_orientation(&q), at);
            flx_touch u[8];
            int n = flx_pair_touch(&mesh, &fa, other + i % 4, &fb, 0.2, 8, NULL, u);
            CHECK(n >= 0 && n <= 8);
            for (int k = 0; k < n; k++) {
                v3 m = v3_load(u[k].n), d = v3_sub(v3_load(u[k].p[1]), v3_load(u[k].p[0]));
                CHECK(isfinite(u[k].gap) && fabs(v3_norm(m) - 1.0) < 1e-9);
                CHECK(v3_norm(v3_axpy(-u[k].gap, m, d)) < 1e-9);
            }
            touches += n;
        }
        rig_down(&r);
    }
    CHECK(touches > 1000);
    return 0;
}

// ---- heights ------------------------------------------------------------------------------------------------

static const flx_heights *wavy(const rig *r, double *z)
{
    enum { NX = 41, NY = 31 };
    const int n[2] = {NX, NY};
    const double from[2] = {-1, -0.75}, step[2] = {0.05, 0.05};
    for (int i = 0; i < NX; i++) {
        for (int j = 0; j < NY; j++) {
            double x = from[0] + i * step[0], y = from[1] + j * step[1];
            z[i * NY + j] = 0.1 * sin(3 * x) * cos(2 * y) + 0.2 * x;
        }
    }
    const flx_heights *h = NULL;
    return flx_heights_make(r->ctx, r->arena, nowhere, n, from, step, z, &h) == FLX_OK ? h : NULL;
}

static int heights_are_smooth_between_nodes(void)
{
    rig r = rig_up();
    static double z[41 * 31];
    test_random q = {5};
    const flx_heights *h = wavy(&r, z);
    CHECK(h);
    for (int i = 0; i < 500; i++) {
        double x = random_between(&q, -0.9, 0.9), y = random_between(&q, -0.7, 0.7), d = 1e-5;
        flx_height f, a, b;
        CHECK(flx_heights_at(h, x, y, &f));
        CHECK_NEAR(f.z, 0.1 * sin(3 * x) * cos(2 * y) + 0.2 * x, 1e-5);
        CHECK(f.z >= h->low && f.z <= h->high);
        flx_heights_at(h, x + d, y, &a);
        flx_heights_at(h, x - d, y, &b);
        CHECK_NEAR(f.x, (a.z - b.z) / (2 * d), 1e-7);
        CHECK_NEAR(f.xy, (a.y - b.y) / (2 * d), 2e-4);
        CHECK_NEAR(f.xx, (a.x - b.x) / (2 * d), 2e-2);
        flx_heights_at(h, x, y + d, &a);
        flx_heights_at(h, x, y - d, &b);
        CHECK_NEAR(f.y, (a.z - b.z) / (2 * d), 1e-7);
    }
    flx_height f, g;
    for (int i = 1; i < 40; i++) { // continuous slopes over nodes
        double x = -1 + 0.05 * i;
        flx_heights_at(h, x - 1e-12, 0.123, &f);
        flx_heights_at(h, x + 1e-12, 0.123, &g);
        CHECK_NEAR(f.x, g.x, 1e-9);
        CHECK_NEAR(f.y, g.y, 1e-9);
    }
    CHECK(!flx_heights_at(h, 1.01, 0, &f) && !flx_heights_at(h, (double)NAN, 0, &f));
    rig_down(&r);
    return 0;
}

static const int six[2] = {6, 6}; // velocities of the two bodies

static flx_frame moved(const flx_frame *f, int k, double by)
{
    flx_frame g = *f;
    double d[6] = {0};
    d[k] = by;
    v3_add_to(g.r, 1.0, v3_load(d));
    m33_store(g.R, m33_mul(m33_load(f->R), quat_to_m33(quat_exp(v3_load(d + 3)))));
    return g;
}

// The gap is the distance by a fine scan, and its derivatives are those of differences.
static int spheres_touch_heights(void)
{
    rig r = rig_up();
    static double z[41 * 31];
    test_random q = {6};
    const flx_heights *h = wavy(&r, z);
    flx_surface field = {
        .kind = &flx_surface_heights, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .skin = 0.01, .data = h};
    flx_surface ball = sphere_surface(0.1);
    v3_store(ball.at, v3_make(0.02, -0.01, 0.03));
    int seen = 0;
    for (int i = 0; i < 100; i++) {
        m33 R = random_rotation(&q);
        v3 x = random_vector(&q, 2.0);
        v3 c = {random_between(&q, -0.5, 0.5), random_between(&q, -0.4, 0.4), 0};
        flx_height at;
        flx_heights_at(h, c.x, c.y, &at);
        c.z = at.z + random_between(&q, 0.05, 0.2);
        double least = HUGE_VAL;
        for (int a = -60; a <= 60; a++) {
            for (int b = -60; b <= 60; b++) {
                double u = c.x + 0.004 * a, w = c.y + 0.004 * b;
                if (flx_heights_at(h, u, w, &at))
                    least = fmin(least, v3_norm(v3_sub(v3_make(u, w, at.z), c)));
            }
        }
        flx_frame f[2] = {frame_at(R, x), frame_at(random_rotation(&q), v3_make(0, 0, 0))};
        v3 ground = v3_add(x, m33_mul_v(R, c));
        v3_store(f[1].r, v3_sub(ground, m33_mul_v(m33_load(f[1].R), v3_load(ball.at))));
        flx_touch t;
        CHECK(flx_pair_touch(&field, f, &ball, f + 1, 1.0, 1, NULL, &t) == 1);
        CHECK(t.gap <= least - 0.11 + 1e-12);
        CHECK_NEAR(t.gap, least - 0.11, 1e-4);
        flx_gap g;
        double value, G[2][6], K[2][2][36], step = 1e-6;
        CHECK(flx_gap_init(&g, &field, &ball, 0, false));
        flx_gap_depth(&g, f, f + 1, six, 2, &value, G, K);
        for (int body = 0; body < 2; body++) {
            for (int k = 0; k < 6; k++) {
                flx_frame up[2] = {f[0], f[1]}, down[2] = {f[0], f[1]};
                double vu, vd, Gu[2][6], Gd[2][6], none[2][2][36];
                up[body] = moved(f + body, k, step);
                down[body] = moved(f + body, k, -step);
                flx_gap_depth(&g, up, up + 1, six, 1, &vu, Gu, none);
                flx_gap_depth(&g, down, down + 1, six, 1, &vd, Gd, none);
                CHECK_NEAR((vu - vd) / (2 * step), G[body][k], 1e-6);
                for (int c2 = 0; c2 < 2; c2++) {
                    for (int j = 0; j < 6; j++) {
                        // the curvature jumps at borders of cells: few differences lie across one
                        double d = (Gu[c2][j] - Gd[c2][j]) / (2 * step),
                               K1 = K[c2][body][6 * j + k];
                        if (fabs(d - K1) < 1e-4 * (1.0 + fabs(K1))) seen++;
                    }
                }
            }
        }
    }
    CHECK(seen > 0.99 * 100 * 144);
    flx_frame far[2] = {frame_at(m33_identity(), v3_make(0, 0, 0)),
                        frame_at(m33_identity(), v3_make(3, 0, 0.1))};
    flx_touch t;
    CHECK(flx_pair_touch(&field, far, &ball, far + 1, 1.0, 1, NULL, &t) == 0);
    rig_down(&r);
    return 0;
}

TEST_MAIN(TEST(meshes_know_their_parts), TEST(the_tree_finds_all_triangles),
          TEST(a_mesh_of_a_box_touches_as_the_box), TEST(a_ball_rolls_over_edges_within_a_plane),
          TEST(patches_have_one_contact_each), TEST(thin_plates_hold), TEST(capsules_lie_on_meshes),
          TEST(boxes_lie_on_meshes), TEST(fuzzed_meshes_do_no_harm),
          TEST(heights_are_smooth_between_nodes), TEST(spheres_touch_heights))
