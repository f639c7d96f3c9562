// Boxes and what touches them: gaps against means of the test's own, points that stay, pairs at random.
#include "check.h"
#include "contact/convex/polytope.h"
#include "contact/gap.h"
#include "solids.h"

static flx_surface box_surface(v3 h, double skin)
{
    flx_surface s = {.kind = &flx_surface_box, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .skin = skin};
    v3_store(s.size, v3_scale(2.0, v3_add(h, v3_make(skin, skin, skin))));
    return s;
}

static int touch_boxes(const test_box *a, const test_box *b, double skin, double reach,
                       flx_manifold *last, flx_touch *out)
{
    flx_surface sa = box_surface(a->h, skin), sb = box_surface(b->h, skin);
    flx_frame fa = frame_at(a->R, a->x), fb = frame_at(b->R, b->x);
    return flx_pair_touch(&sa, &fa, &sb, &fb, reach, 4, last, out);
}

// ---- random pairs -----------------------------------------------------------------------------------

static double random_length(test_random *r)
{
    double kind = random_unit(r);
    return kind < 0.05 ? 0.0 : kind < 0.3 ? 0.5 : kind < 0.9 ? random_between(r, 0.1, 1.0) : 1e-3;
}

static test_box random_box(test_random *r)
{
    test_box b = {.h = {random_length(r), random_length(r), random_length(r)},
                  .R = random_orientation(r)};
    return b;
}

// Near each other: apart, touching to the last digit, coincident, within.
static void random_pair(test_random *r, test_box *a, test_box *b)
{
    *a = random_box(r);
    *b = random_unit(r) < 0.2 ? *a : random_box(r);
    double kind = random_unit(r);
    v3 d =
        kind < 0.5 ? v3_unit(random_vector(r, 1.0)) : m33_col(a->R, (int)random_between(r, 0, 3));
    double reach = box_extent(a, d) + box_extent(b, d);
    double along = kind < 0.1   ? 0.0
                   : kind < 0.3 ? reach
                   : kind < 0.5 ? random_between(r, 0, 2) * reach
                   : kind < 0.7 ? reach * random_between(r, 0.9, 1.1)
                                : reach + pow(10.0, random_between(r, -14, -1));
    b->x = v3_scale(along, d);
    if (random_unit(r) < 0.3) b->x = v3_add(b->x, v3_scale(0.3, random_vector(r, 1.0)));
}

static double size_of(const test_box *a, const test_box *b)
{
    return 2.0 * (v3_norm(a->h) + v3_norm(b->h));
}

static bool is_sound(int n, const flx_touch *t, double size)
{
    for (int i = 0; i < n; i++) {
        v3 m = v3_load(t[i].n), d = v3_sub(v3_load(t[i].p[1]), v3_load(t[i].p[0]));
        if (!isfinite(t[i].gap) || !(fabs(v3_norm(m) - 1.0) < 1e-12)) return false;
        if (!(v3_norm(v3_axpy(-t[i].gap, m, d)) < 1e-9 * (1.0 + size))) return false;
        if (i > 0 && t[i].gap < t[i - 1].gap) return false;
    }
    return true;
}

#define PAIRS (getenv("FLX_WHOLE") ? 100000 : short_runs() ? 1000 : 10000)

static int gaps_of_boxes_are_their_distances(void)
{
    test_random r = {1};
    int apart = 0, rough = 0;
    for (int i = 0; i < PAIRS; i++) {
        test_box a, b;
        flx_touch t[4];
        random_pair(&r, &a, &b);
        double size = size_of(&a, &b), expected = box_gap(&a, &b);
        int n = touch_boxes(&a, &b, 0.0, 10.0, NULL, t);
        CHECK(n >= 1 && n <= 4);
        CHECK(is_sound(n, t, size));
        // faces that lean by less than 6 degrees have points of their own, each with its own normal
        CHECK_NEAR(t[0].gap, expected, 1e-6 * size + 1e-12 + 5e-3 * fmax(-expected, 0.0));
        if (expected > 1e-5 * size) apart++, rough += fabs(t[0].gap - expected) > 1e-11 * size;
        // what is further away than the reach is not found
        if (expected > 1e-3) CHECK(touch_boxes(&a, &b, 0.0, 0.999 * expected, NULL, t) == 0);
    }
    CHECK(rough < 0.01 * apart);
    return 0;
}

// A skin is a part of the outside: the gap is less by both.
static int skins_make_depth_a_distance(void)
{
    test_random r = {2};
    for (int i = 0; i < PAIRS / 4; i++) {
        test_box a, b;
        flx_touch t[4], s[4];
        random_pair(&r, &a, &b);
        double size = size_of(&a, &b);
        int n = touch_boxes(&a, &b, 0.0, 10.0, NULL, t),
            m = touch_boxes(&a, &b, 0.05, 10.0, NULL, s);
        CHECK(n >= 1 && m >= 1);
        CHECK_NEAR(s[0].gap, t[0].gap - 0.1, 1e-6 * (size + 0.2));
        CHECK(is_sound(m, s, size));
    }
    return 0;
}

static int turned_pairs_have_the_opposite_normal(void)
{
    test_random r = {3};
    for (int i = 0; i < PAIRS; i++) {
        test_box a, b;
        flx_touch t[4], s[4];
        random_pair(&r, &a, &b);
        v3 d = v3_sub(m33_tmul_v(a.R, b.x), m33_tmul_v(b.R, v3_neg(b.x)));
        if (v3_norm(d) < 1e-4 && fabs(v3_norm(a.h) - v3_norm(b.h)) < 1e-4)
            continue; // the same seen from both
        int n = touch_boxes(&a, &b, 0.01, 10.0, NULL, t),
            m = touch_boxes(&b, &a, 0.01, 10.0, NULL, s);
        CHECK(n == m);
        for (int k = 0; k < n; k++) {
            flx_touch_turn(s + k);
            CHECK_NEAR(s[k].gap, t[k].gap, 1e-12);
            CHECK(v3_norm(v3_sub(v3_load(s[k].n), v3_load(t[k].n))) < 1e-6);
            CHECK(v3_norm(v3_sub(v3_load(s[k].p[0]), v3_load(t[k].p[0]))) < 1e-6);
        }
    }
    return 0;
}

static int a_motion_of_both_changes_nothing(void)
{
    test_random r = {4};
    for (int i = 0; i < PAIRS; i++) {
        test_box a, b, c, e;
        flx_touch t[4], s[4];
        random_pair(&r, &a, &b);
        double size = size_of(&a, &b);
        m33 R = random_rotation(&r);
        v3 x = random_vector(&r, 10.0);
        c = a;
        e = b;
        c.R = m33_mul(R, a.R);
        c.x = v3_add(x, m33_mul_v(R, a.x));
        e.R = m33_mul(R, b.R);
        e.x = v3_add(x, m33_mul_v(R, b.x));
        int n = touch_boxes(&a, &b, 0.01, 10.0, NULL, t),
            m = touch_boxes(&c, &e, 0.01, 10.0, NULL, s);
        CHECK(n >= 1 && m >= 1);
        CHECK_NEAR(s[0].gap, t[0].gap, 1e-6 * size + 1e-11);
        if (t[0].gap + 0.02 > 1e-5 * size) CHECK_NEAR(s[0].gap, t[0].gap, 1e-10);
    }
    return 0;
}

// A feature that was found gives the same point by itself.
static int a_frozen_feature_is_the_same_point(void)
{
    test_random r = {5};
    int frozen = 0, all = 0;
    for (int i = 0; i < PAIRS / 4; i++) {
        test_box a, b;
        flx_touch t[4], s;
        random_pair(&r, &a, &b);
        int n = touch_boxes(&a, &b, 0.01, 0.1, NULL, t);
        flx_surface sa = box_surface(a.h, 0.01), sb = box_surface(b.h, 0.01);
        flx_frame fa = frame_at(a.R, a.x), fb = frame_at(b.R, b.x);
        for (int k = 0; k < n; k++, all++) {
            if (!flx_pair_box_box.point(&sa, &fa, &sb, &fb, t[k].feature, &s)) continue;
            frozen++;
            CHECK_NEAR(s.gap, t[k].gap, 1e-9);
            CHECK(v3_norm(v3_sub(v3_load(s.n), v3_load(t[k].n))) < 1e-7);
            CHECK(s.feature == t[k].feature);
        }
    }
    CHECK(frozen > 0.999 * all);
    return 0;
}

// ---- what others got wrong -----------------------------------------------------------------------------

// Two cubes face to face: no normal that is no number, none that leans, four points.
static int cubes_face_to_face_have_four_points(void)
{
    const double depths[] = {0.1, 1e-3, 1e-6, 1e-9, 1e-13, 0.0, -1e-13, -1e-9, -1e-6, -1e-3};
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 10; i++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                test_box a = {.h = {0.5, 0.5, 0.5}, .R = m33_identity()}, b = a;
                flx_touch t[4];
                v3 n = {axis == 0 ? sign : 0, axis == 1 ? sign : 0, axis == 2 ? sign : 0};
                b.x = v3_scale(1.0 - depths[i], n);
                CHECK(touch_boxes(&a, &b, 0.0, 0.01, NULL, t) == 4);
                for (int k = 0; k < 4; k++) {
                    CHECK(v3_dot(v3_load(t[k].n), n) == 1.0);
                    CHECK_NEAR(t[k].gap, -depths[i], 1e-15);
                }
            }
        }
    }
    return 0;
}

// Crossed planks touch in the four corners of the square that they share, which are corners of neither.
static int crossed_planks_have_four_points(void)
{
    for (int i = 0; i < 20; i++) {
        double tilt = i == 0 ? 0.0 : pow(10.0, -16 + 0.75 * i), turn = 0.5 * 3.14159265358979323846;
        test_box a = {.h = {2, 0.1, 0.05}, .R = m33_identity()}, b = a;
        flx_touch t[4];
        b.R = m33_mul(quat_to_m33(quat_exp(v3_make(tilt, 0.3 * tilt, 0))),
                      quat_to_m33(quat_exp(v3_make(0, 0, turn))));
        b.x = v3_make(0.7, 0.2, 0.1);
        CHECK(touch_boxes(&a, &b, 1e-3, 0.1, NULL, t) == 4);
        CHECK_NEAR(t[0].gap, box_gap(&a, &b) - 2e-3, 1e-6);
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(fabs(t[k].p[0][0] - 0.7), 0.1, 0.02);
            CHECK_NEAR(fabs(t[k].p[0][1]), 0.1, 0.02);
        }
    }
    return 0;
}

static bool same_features(int n, const flx_touch *t, const flx_manifold *m)
{
    for (int i = 0; i < n; i++) {
        bool found = false;
        for (int k = 0; k < m->n; k++) found = found || m->features[k] == t[i].feature;
        if (!found) return false;
    }
    return n == m->n;
}

// A box at rest on another keeps its points while it trembles, whatever its place on the other is.
static int points_of_a_box_at_rest_stay(void)
{
    test_random r = {6};
    for (int trial = 0; trial < 300; trial++) {
        test_box a = {.h = {1, 1, 0.2}, .R = m33_identity()}, b = a;
        double turn = trial % 3 == 0   ? 0.0
                      : trial % 3 == 1 ? 0.25 * 3.14159265358979323846
                                       : random_between(&r, 0, 3);
        b.h = trial % 2 ? a.h : v3_make(0.4, 0.3, 0.2);
        b.R = quat_to_m33(quat_exp(v3_make(0, 0, turn)));
        b.x = trial % 5 == 0 ? v3_make(0, 0, 0.4)
                             : v3_make(random_between(&r, -1, 1), random_between(&r, -1, 1), 0.4);
        flx_manifold last = {.n = 0}, first;
        flx_touch t[4];
        CHECK(touch_boxes(&a, &b, trial % 4 ? 1e-3 : 0.0, 0.01, &last, t) >= 3);
        first = last;
        for (int i = 0; i < 50; i++) {
            test_box c = b;
            flx_manifold none = {.n = 0};
            c.x = v3_add(c.x, random_vector(&r, 1e-9));
            c.R = m33_mul(quat_to_m33(quat_exp(random_vector(&r, 1e-9))), c.R);
            int n = touch_boxes(&a, &c, trial % 4 ? 1e-3 : 0.0, 0.01, &last, t);
            CHECK(same_features(n, t, &first));
            CHECK_NEAR(t[0].gap, trial % 4 ? -2e-3 : 0.0, 1e-8);
            if (trial % 3 != 1) continue;
            n = touch_boxes(&a, &c, 1e-3, 0.01, &none, t); // also without memory it has so many
            CHECK(n == first.n);
        }
    }
    return 0;
}

// It slides by a tenth of its size: points change, gaps do not jump.
static int points_follow_a_box_that_slides(void)
{
    test_box a = {.h = {1, 1, 0.2}, .R = m33_identity()}, b = a;
    flx_manifold last = {.n = 0};
    flx_touch t[4];
    for (int i = 0; i <= 1000; i++) {
        b.x = v3_make(1e-3 * i, 0.3e-3 * i, 0.4);
        b.R = quat_to_m33(quat_exp(v3_make(0, 0, 1e-3 * i)));
        int n = touch_boxes(&a, &b, 1e-3, 0.01, &last, t);
        CHECK(n == 4);
        double low[2] = {9, 9}, high[2] = {-9, -9};
        for (int k = 0; k < n; k++) {
            CHECK_NEAR(t[k].gap, -2e-3, 1e-12);
            for (int c = 0; c < 2; c++) {
                low[c] = fmin(low[c], t[k].p[0][c]);
                high[c] = fmax(high[c], t[k].p[0][c]);
            }
        }
        CHECK(high[0] - low[0] > 1.6 - 1e-3 * i && high[1] - low[1] > 1.6 - 1e-3 * i);
    }
    return 0;
}

// Edges that lie along each other touch at both ends of what they share.
static int parallel_edges_have_two_points(void)
{
    double eighth = 0.25 * 3.14159265358979323846;
    test_box a = {.h = {1, 0.3, 0.3}, .R = quat_to_m33(quat_exp(v3_make(eighth, 0, 0)))}, b = a;
    flx_touch t[4];
    double height = 0.6 * sqrt(2.0);
    b.x = v3_make(0.5, 0, height + 1e-3);
    CHECK(touch_boxes(&a, &b, 0.01, 0.01, NULL, t) == 2);
    CHECK_NEAR(t[0].gap, 1e-3 - 0.02, 1e-12);
    CHECK_NEAR(fabs(t[0].p[0][0] - t[1].p[0][0]), 1.5, 1e-9);
    return 0;
}

// ---- with others ------------------------------------------------------------------------------------------

static int a_box_on_a_plane_has_its_lowest_vertices(void)
{
    flx_surface plane = {.kind = &flx_surface_plane, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    flx_surface box = box_surface(v3_make(0.5, 0.3, 0.2), 0.01);
    flx_frame ground = frame_at(m33_identity(), v3_make(0, 0, 0));
    flx_frame f = frame_at(m33_identity(), v3_make(1, 2, 0.21 - 1e-4));
    flx_touch t[8];
    CHECK(flx_pair_touch(&plane, &ground, &box, &f, 0.01, 8, NULL, t) == 4);
    for (int i = 0; i < 4; i++) {
        CHECK(t[i].feature < 4); // the lower ones
        CHECK_NEAR(t[i].gap, -1e-4, 1e-15);
        CHECK_NEAR(t[i].p[1][2], -1e-4, 1e-15);
    }
    CHECK(flx_pair_touch(&box, &f, &plane, &ground, 0.01, 8, NULL, t) == 4 && t[0].n[2] == -1.0);
    CHECK(flx_pair_touch(&plane, &ground, &box, &f, 10.0, 8, NULL, t) == 8);
    CHECK(flx_pair_plane_box.count(&plane, &box) == 8);
    for (int i = 0; i < 8; i++) {
        CHECK(flx_pair_plane_box.point(&plane, &ground, &box, &f, (uint64_t)i, t));
        CHECK_NEAR(t[0].gap, i < 4 ? -1e-4 : 0.4 - 1e-4, 1e-12);
        CHECK(t[0].feature == (uint64_t)i);
    }
    CHECK(!flx_pair_plane_box.point(&plane, &ground, &box, &f, 8, t));
    return 0;
}

static int spheres_and_capsules_touch_boxes(void)
{
    test_random r = {7};
    flx_surface sphere = {
        .kind = &flx_surface_sphere, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {0.1}};
    flx_surface capsule = {
        .kind = &flx_surface_capsule, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .size = {0.1, 0.8}};
    for (int i = 0; i < PAIRS / 4; i++) {
        test_box a = {
            .h = {0.5, 0.4, 0.3}, .R = random_orientation(&r), .x = random_vector(&r, 1.0)};
        flx_surface box = box_surface(a.h, 0.0);
        flx_frame fa = frame_at(a.R, a.x),
                  fb = frame_at(random_orientation(&r), random_vector(&r, 1.0));
        flx_touch t[4];
        v3 c = v3_load(fb.r), l = m33_tmul_v(a.R, v3_sub(c, a.x));
        double inside = fmin(fmin(a.h.x - fabs(l.x), a.h.y - fabs(l.y)), a.h.z - fabs(l.z));
        double expected = inside > 0 ? -inside : point_box_distance(&a, c);
        CHECK(flx_pair_touch(&box, &fa, &sphere, &fb, 10.0, 4, NULL, t) == 1);
        CHECK_NEAR(t[0].gap, expected - 0.1, 1e-7);
        CHECK(is_sound(1, t, 1.0));
        // a capsule is the same as a box without thickness, with a skin
        test_box b = {.h = {0, 0, 0.4}, .R = m33_load(fb.R), .x = c};
        int n = flx_pair_touch(&capsule, &fb, &box, &fa, 10.0, 4, NULL, t);
        CHECK(n >= 1 && n <= 2 && is_sound(n, t, 2.0));
        CHECK_NEAR(t[0].gap, box_gap(&a, &b) - 0.1, 3e-6);
    }
    flx_surface box = box_surface(v3_make(0.5, 0.4, 0.3), 0.0);
    flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0));
    flx_frame fb = frame_at((m33){{0, 0, 1, 0, 1, 0, -1, 0, 0}}, v3_make(0.05, 0.1, 0.399));
    flx_touch t[4];
    CHECK(flx_pair_touch(&capsule, &fb, &box, &fa, 0.01, 4, NULL, t) == 2);
    CHECK_NEAR(fabs(t[0].p[0][0] - t[1].p[0][0]), 0.8, 1e-12);
    CHECK_NEAR(t[1].gap, -1e-3, 1e-12);
    return 0;
}

// Without end along z a box is a rectangle: two points side on side, as in the plane.
static int rectangles_of_the_plane_touch_in_two_points(void)
{
    test_random r = {8};
    flx_surface a = box_surface(v3_make(0.5, 0.3, 0), 0.0),
                b = box_surface(v3_make(0.2, 0.4, 0), 0.0);
    a.size[2] = b.size[2] = HUGE_VAL;
    for (int i = 0; i < PAIRS / 4; i++) {
        double angle = i % 3 ? random_between(&r, 0, 6) : 0.0;
        flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0));
        flx_frame fb =
            frame_at(quat_to_m33(quat_exp(v3_make(0, 0, angle))),
                     v3_make(random_between(&r, -1.2, 1.2), random_between(&r, -1.2, 1.2), 0));
        test_box ta = {.h = {0.5, 0.3, 10}, .R = m33_load(fa.R)},
                 tb = {.h = {0.2, 0.4, 10}, .R = m33_load(fb.R), .x = v3_load(fb.r)};
        flx_touch t[4];
        int n = flx_pair_touch(&a, &fa, &b, &fb, 10.0, 4, NULL, t);
        CHECK(n >= 1 && n <= 2 && is_sound(n, t, 1.0));
        double expected = box_gap(&ta, &tb);
        CHECK_NEAR(t[0].gap, expected, 1e-6 + 5e-3 * fmax(-expected, 0.0));
        for (int k = 0; k < n; k++) CHECK(t[k].n[2] == 0.0 && t[k].p[0][2] == 0.0);
    }
    // a capsule of the plane: its axis, the third of the surface, lies along x of the body
    flx_surface capsule = {
        .kind = &flx_surface_capsule, .axes = {0, 0, 1, 0, 1, 0, -1, 0, 0}, .size = {0.05, 0.8}};
    for (int i = 0; i < PAIRS / 4; i++) {
        double angle = i % 3 ? random_between(&r, 0, 6) : 0.0;
        flx_frame fa = frame_at(m33_identity(), v3_make(0, 0, 0));
        flx_frame fb = frame_at(quat_to_m33(quat_exp(v3_make(0, 0, angle))),
                                v3_make(random_between(&r, -1, 1), random_between(&r, -1, 1), 0));
        test_box ta = {.h = {0.5, 0.3, 10}, .R = m33_load(fa.R)};
        test_box tb = {.h = {0.4, 0, 10}, .R = m33_load(fb.R), .x = v3_load(fb.r)};
        flx_touch t[4];
        int n = flx_pair_touch(&a, &fa, &capsule, &fb, 10.0, 4, NULL, t);
        CHECK(n >= 1 && n <= 2 && is_sound(n, t, 1.0));
        CHECK_NEAR(t[0].gap, box_gap(&ta, &tb) - 0.05, 1e-5);
        for (int k = 0; k < n; k++) CHECK(fabs(t[k].n[2]) < 1e-12);
    }
    flx_surface plane = {.kind = &flx_surface_plane,
                         .axes = {1, 0, 0, 0, 0, 1, 0, 1, 0}}; // third axis: y
    flx_frame f = frame_at(m33_identity(), v3_make(0, 0.3, 0)),
              ground = frame_at(m33_identity(), v3_make(0, 0, 0));
    flx_touch t[4];
    CHECK(flx_pair_plane_box.count(&plane, &a) == 4);
    CHECK(flx_pair_touch(&plane, &ground, &a, &f, 0.1, 4, NULL, t) == 2);
    return 0;
}

// ---- derivatives -------------------------------------------------------------------------------------------

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

// Gradient and second derivative of the depth of frozen features against differences.
static int frozen_features_are_smooth(void)
{
    test_random r = {9};
    bool kinds[16] = {0};
    for (int i = 0; i < 400; i++) {
        test_box a, b;
        flx_touch t[4];
        double skin = i % 2 ? 0.05 : 0.0;
        a = (test_box){.h = {0.5, 0.4, 0.3}, .R = random_rotation(&r)};
        b = (test_box){.h = {0.3, 0.4, 0.5},
                       .R = random_rotation(&r),
                       .x = v3_scale(1.1, v3_unit(random_vector(&r, 1.0)))};
        flx_surface sa = box_surface(a.h, skin), sb = box_surface(b.h, skin);
        flx_frame f[2] = {frame_at(a.R, a.x), frame_at(b.R, b.x)};
        v3_store(sa.at, v3_make(0.1, 0.2, -0.1));
        int n = flx_pair_touch(&sa, f, &sb, f + 1, 2.0, 4, NULL, t);
        CHECK(n > 0);
        kinds[t[0].feature >> 60] = true;
        if (t[0].gap < 0.02) continue; // distances of corners have large slopes there
        flx_gap g;
        double value, G[2][6], K[2][2][36], h = 1e-5;
        CHECK(flx_gap_init(&g, &sa, &sb, t[0].feature, false));
        flx_gap_depth(&g, f, f + 1, six, 2, &value, G, K);
        CHECK_NEAR(value, -t[0].gap, 1e-12);
        for (int body = 0; body < 2; body++) {
            for (int k = 0; k < 6; k++) {
                flx_frame up[2] = {f[0], f[1]}, down[2] = {f[0], f[1]};
                double vu, vd, Gu[2][6], Gd[2][6], none[2][2][36];
                up[body] = moved(f + body, k, h);
                down[body] = moved(f + body, k, -h);
                flx_gap_depth(&g, up, up + 1, six, 1, &vu, Gu, none);
                flx_gap_depth(&g, down, down + 1, six, 1, &vd, Gd, none);
                CHECK_NEAR((vu - vd) / (2 * h), G[body][k], 1e-6);
                for (int c = 0; c < 2; c++) {
                    for (int j = 0; j < 6; j++) {
                        CHECK_NEAR((Gu[c][j] - Gd[c][j]) / (2 * h), K[c][body][6 * j + k],
                                   2e-3 * (1.0 + fabs(K[c][body][6 * j + k])));
                    }
                }
            }
        }
    }
    // vertex and vertex, edge, face; edge and edge
    CHECK(kinds[0] && kinds[1] && kinds[2] && kinds[4] && kinds[5] && kinds[8]);
    return 0;
}

TEST_MAIN(TEST(gaps_of_boxes_are_their_distances), TEST(skins_make_depth_a_distance),
          TEST(turned_pairs_have_the_opposite_normal), TEST(a_motion_of_both_changes_nothing),
          TEST(a_frozen_feature_is_the_same_point), TEST(cubes_face_to_face_have_four_points),
          TEST(crossed_planks_have_four_points), TEST(points_of_a_box_at_rest_stay),
          TEST(points_follow_a_box_that_slides), TEST(parallel_edges_have_two_points),
          TEST(a_box_on_a_plane_has_its_lowest_vertices), TEST(spheres_and_capsules_touch_boxes),
          TEST(rectangles_of_the_plane_touch_in_two_points), TEST(frozen_features_are_smooth))
