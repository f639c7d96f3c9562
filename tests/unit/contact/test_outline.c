// Plane curves: the cells follow the curve they were made of; the nearest places are those that a fine scan finds;
// derivatives of gaps against differences; cams on planes; hollows; roads, and what is beyond their ends.
#include "outlines.h"
#include "surface_pairs.h"

static const wave cam = {.r0 = 0.5, .a = {0.03, 0.05, 0.01}, .b = {0, -0.02, 0.02}, .turns = 1};
static const wave star = {.r0 = 0.5, .b = {0.02, 0, 0.15}, .turns = 1};
static const wave hollow = {.r0 = 1.0, .turns = -1};

static int cells_follow_the_curve(void)
{
    CHECK(begin() == 0);
    double last = 0.0;
    for (int n = 32; n <= 128; n *= 2) {
        flx_outline *o = wave_outline(&star, n);
        double worst = 0.0;
        CHECK(o && o->closed && o->smooth);
        for (int k = 0; k < n; k++) {
            double row[6];
            flx_outline_place p = flx_outline_at(o, k, 0.5);
            wave_row(&star, (k + 0.5) / n, row);
            worst = fmax(worst, hypot(p.c[0] - row[0], p.c[1] - row[1]));
        }
        printf("%d cells: %.2e\n", n, worst);
        if (last > 0) CHECK(worst < last / 50); // sixth order
        last = worst;
    }
    CHECK(last < 1e-10);
    finish();
    return 0;
}

// All local minima of the distance among many places of the curve.
static int scan(const wave *w, const double x[2], double out[16])
{
    enum { MANY = 5000 };
    static double d[MANY];
    int n = 0;
    for (int i = 0; i < MANY; i++) {
        double row[6];
        wave_row(w, i / (double)MANY, row);
        d[i] = pow(row[0] - x[0], 2) + pow(row[1] - x[1], 2);
    }
    for (int i = 0; i < MANY && n < 16; i++) {
        double before = d[(i + MANY - 1) % MANY], after = d[(i + 1) % MANY];
        if (d[i] >= after || d[i] > before) continue;
        double bend = before - 2 * d[i] + after; // of a parabola through the three
        out[n++] = sqrt(fmax(0.0, d[i] - pow(after - before, 2) / (8 * bend)));
    }
    return n;
}

static int nearest_places_are_all_found(void)
{
    CHECK(begin() == 0);
    const wave *waves[] = {&cam, &star, &hollow};
    int several = 0;
    for (int i = 0; i < 3; i++) {
        flx_outline *o = wave_outline(waves[i], 128);
        uint64_t seed = 7;
        for (int k = 0; k < 100; k++) {
            double found[16], x[2] = {random_number(&seed), random_number(&seed)}, r[3];
            wave_radius(waves[i], atan2(x[1], x[0]), r);
            bool inside = hypot(x[0], x[1]) < r[0];
            if (inside != (i == 2)) continue; // outside of the bodies
            flx_outline_foot feet[FLX_OUTLINE_FEET];
            const flx_outline_probe p = {.x = {x[0], x[1]}};
            int n = flx_outline_feet(o, &p, 1e9, feet), m = scan(waves[i], x, found);
            double least = found[0];
            for (int a = 1; a < m; a++) least = fmin(least, found[a]);
            CHECK(n >= 1 && m >= 1);
            CHECK_NEAR(feet[0].value, least, 1e-6);
            several += n > 1;
            for (int a = 0; a < n; a++) {
                double best = 1.0;
                CHECK(feet[a].value > 0.0);
                for (int b = 0; b < m; b++) best = fmin(best, fabs(found[b] - feet[a].value));
                CHECK(best < 1e-6);
            }
        }
    }
    CHECK(several > 5);
    finish();
    return 0;
}

static int derivatives(const flx_surface_kind *kind, const flx_outline *o,
                       const flx_surface_kind *with, bool planar, double tolerance)
{
    int several = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rig w = {.seed = seed};
        for (int i = 0; i < 2; i++) w.surface[i] = rig_surface(&w, i ? with : kind, planar);
        w.surface[0].data = o;
        if (seed % 2) { // either order
            flx_surface s = w.surface[0];
            w.surface[0] = w.surface[1];
            w.surface[1] = s;
        }
        rig_pose(&w, planar);
        CHECK(rig_connect(&w, 0, planar));
        for (int k = 0; k < w.gap.pair->points; k++) {
            flx_touch t;
            CHECK(rig_connect(&w, (uint64_t)k, planar));
            if (!flx_gap_touch(&w.gap, w.space, w.space + 1, &t)) continue;
            several += k > 0;
            rig_errors e = rig_check(&w, planar);
            printf("%s %s%s, seed %d, point %d: gap %.3f: %.1e %.1e %.1e\n", kind->row.key,
                   with->row.key, planar ? " in the plane" : "", (int)seed, k, t.gap, e.gradient,
                   e.second, e.slip);
            CHECK(e.gradient < tolerance && e.second < tolerance && e.slip < tolerance);
            v3 way = v3_sub(v3_load(t.p[1]), v3_load(t.p[0]));
            CHECK_NEAR(v3_norm(v3_axpy(-t.gap, v3_load(t.n), way)), 0.0, 1e-13);
        }
    }
    printf("%d points beside the nearest\n", several);
    return 0;
}

static int derivatives_are_those_of_differences(void)
{
    CHECK(begin() == 0);
    const flx_outline *o = wave_outline(&cam, 256), *ring = wave_outline(&hollow, 128);
    const flx_surface_kind *c = &flx_surface_curve, *ball = &flx_surface_sphere;
    for (int planar = 0; planar < 2; planar++) {
        CHECK(derivatives(c, o, ball, planar, 1e-6) == 0);
        CHECK(derivatives(c, ring, ball, planar, 1e-6) == 0);
        CHECK(derivatives(c, wave_outline(&star, 512), ball, planar, 1e-4) == 0);
        CHECK(derivatives(c, o, &flx_surface_plane, planar, 1e-6) == 0);
        CHECK(derivatives(&flx_surface_profile, road_outline(512, planar), ball, planar, 1e-5) ==
              0);
    }
    finish();
    return 0;
}

// Least signed distance of many places of one cam from the other.
static double least_distance(const flx_outline *one, v3 at, double angle, const wave *other)
{
    enum { MANY = 2000 };
    double best = HUGE_VAL;
    for (int j = 0; j < MANY; j++) {
        double q[6];
        flx_outline_foot feet[FLX_OUTLINE_FEET];
        wave_row(other, j / (double)MANY, q);
        const flx_outline_probe p = {.x = {at.x + cos(angle) * q[0] - sin(angle) * q[1],
                                           at.y + sin(angle) * q[0] + cos(angle) * q[1]}};
        flx_outline_feet(one, &p, 0.0, feet);
        best = fmin(best, feet[0].value);
    }
    return best;
}

// Two cams at every angle, apart and overlapping: the gap is the least distance, its derivatives those of differences.
static int cams_on_cams(void)
{
    static const wave other = {.r0 = 0.3, .a = {0, 0.04}, .b = {0.02, 0, 0.01}, .turns = 1};
    CHECK(begin() == 0);
    const flx_outline *o[2] = {wave_outline(&cam, 256), wave_outline(&other, 128)};
    for (uint64_t seed = 1; seed <= 24; seed++) {
        rig w = {.seed = seed};
        for (int i = 0; i < 2; i++) {
            w.surface[i] = rig_surface(&w, &flx_surface_curve, true);
            w.surface[i].data = o[i];
            w.surface[i].skin = 0.0;
            memset(w.surface[i].at, 0, sizeof w.surface[i].at);
            m33_store(w.surface[i].axes, m33_identity());
        }
        double apart = 0.84 + 0.08 * random_number(&w.seed), where = 3 * random_number(&w.seed);
        rig_pose(&w, true);
        v3 d = v3_make(apart * cos(where), apart * sin(where), 0);
        double turn = w.plane[0].angle, angle = w.plane[1].angle - turn;
        w.plane[1].x = w.plane[0].x + cos(turn) * d.x - sin(turn) * d.y;
        w.plane[1].y = w.plane[0].y + sin(turn) * d.x + cos(turn) * d.y;
        rig_embed(&w);
        flx_touch t;
        CHECK(rig_connect(&w, 0, true));
        CHECK(flx_gap_touch(&w.gap, w.space, w.space + 1, &t));
        rig_errors e = rig_check(&w, true);
        double least = least_distance(o[0], d, angle, &other);
        printf("cams, seed %d: gap %.6f, %.1e %.1e %.1e\n", (int)seed, t.gap, e.gradient, e.second,
               e.slip);
        CHECK_NEAR(t.gap, least, 1e-5);
        CHECK(e.gradient < 1e-8 && e.second < 1e-6 && e.slip < 1e-6);
        flx_gap space;
        CHECK(!flx_gap_init(&space, w.surface, w.surface + 1, 0, false));
    }
    finish();
    return 0;
}

static flx_surface upright(const flx_surface_kind *kind, double size, const flx_outline *o)
{
    return (flx_surface){
        .kind = kind, .size = {size}, .data = o, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static flx_frame standing(double x, double y, double z)
{
    return (flx_frame){.r = {x, y, z}, .R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

// A bead in a ring, through its wall, and in its middle; a ball on a road, and beyond its end.
static int known_gaps(void)
{
    CHECK(begin() == 0);
    flx_surface ring = upright(&flx_surface_curve, 0, wave_outline(&hollow, 128));
    flx_surface bead = upright(&flx_surface_sphere, 0.0, NULL),
                ball = upright(&flx_surface_sphere, 0.1, NULL);
    flx_surface road = upright(&flx_surface_profile, 0, road_outline(512, true));
    flx_frame at = standing(0, 0, 0);
    flx_touch t[4];
    for (int i = 0; i < 5; i++) {
        double r = 0.998 + 0.001 * i;
        flx_frame f = standing(r * cos(2.0), r * sin(2.0), 0.3);
        CHECK(flx_pair_touch(&ring, &at, &bead, &f, 1.0, 4, NULL, t) == 1);
        CHECK_NEAR(t[0].gap, 1.0 - r, 1e-11);
        CHECK_NEAR(t[0].n[0], -cos(2.0), 1e-9);
        CHECK_NEAR(t[0].bend[0].k[0], -1.0, 1e-6);
    }
    CHECK(flx_pair_touch(&ring, &at, &ball, &at, 10.0, 4, NULL, t) >= 1);
    CHECK_NEAR(t[0].gap, 0.9, 1e-9);
    flx_frame above = standing(0.3, 1.0, 0), far = standing(5.0, 1.0, 0);
    CHECK(flx_pair_touch(&ball, &above, &road, &at, 10.0, 4, NULL, t) >= 1);
    CHECK(t[0].n[1] < 0 && t[0].gap > 0.7 && t[0].gap < 0.9);
    CHECK(flx_pair_touch(&road, &at, &ball, &far, 10.0, 4, NULL, t) == 1);
    double slope = 0.2 * cos(6.0) - 0.25 * sin(15.0), end = 0.1 * sin(6.0) + 0.05 * cos(15.0);
    CHECK_NEAR(t[0].gap, (1.0 - end - 2.0 * slope) / sqrt(1 + slope * slope) - 0.1, 1e-12);
    flx_frame below = standing(0.3, -0.2, 0);
    CHECK(flx_pair_touch(&road, &at, &ball, &below, 10.0, 4, NULL, t) >= 1);
    CHECK(t[0].gap < -0.2 && t[0].n[1] > 0);
    finish();
    return 0;
}

TEST_MAIN(TEST(cells_follow_the_curve), TEST(nearest_places_are_all_found),
          TEST(derivatives_are_those_of_differences), TEST(cams_on_cams), TEST(known_gaps))
