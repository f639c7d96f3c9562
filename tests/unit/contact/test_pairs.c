// Points of pairs where their values are known: capsules along each other, cylinders that lie and stand, spheres at every
// side of a cylinder; and at random the gap is the least distance of the two surfaces.
#include "surface_pairs.h"

static flx_surface surface(const flx_surface_kind *kind, double a, double b, double skin)
{
    return (flx_surface){
        .kind = kind, .size = {a, b}, .skin = skin, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
}

static flx_frame frame(v3 r, v3 turn)
{
    flx_frame f = {.r = {r.x, r.y, r.z}};
    m33_store(f.R, quat_to_m33(quat_exp(turn)));
    return f;
}

static const v3 none = {0, 0, 0};

static int touches(const flx_surface *a, flx_frame fa, const flx_surface *b, flx_frame fb,
                   flx_touch out[8])
{
    return flx_pair_touch(a, &fa, b, &fb, 1e9, 8, NULL, out);
}

static int capsules_along_each_other(void)
{
    flx_surface a = surface(&flx_surface_capsule, 0.1, 1.0, 0),
                b = surface(&flx_surface_capsule, 0.2, 0.6, 0);
    flx_touch t[8];
    // half a turn about x changes nothing but the sign of the axis
    for (int i = 0; i < 2; i++) {
        v3 turn = v3_make(i ? FLX_PI : 0.0, 0, 0);
        CHECK(touches(&a, frame(none, none), &b, frame(v3_make(0.5, 0, 0.4), turn), t) == 2);
        double z[2] = {fmin(t[0].p[0][2], t[1].p[0][2]), fmax(t[0].p[0][2], t[1].p[0][2])};
        CHECK_NEAR(z[0], 0.1, 1e-15);
        CHECK_NEAR(z[1], 0.5, 1e-15);
        for (int k = 0; k < 2; k++) CHECK_NEAR(t[k].gap, 0.2, 1e-15);
    }
    // turned by a small angle there is one point, with nearly the same gap
    CHECK(touches(&a, frame(none, none), &b, frame(v3_make(0.5, 0, 0.4), v3_make(2e-3, 0, 0)), t) ==
          1);
    CHECK_NEAR(t[0].gap, 0.2, 1e-6);
    // one behind the other: the ends
    CHECK(touches(&a, frame(none, none), &b, frame(v3_make(0, 0, 1.2), none), t) == 1);
    CHECK_NEAR(t[0].gap, 0.1, 1e-15);
    CHECK_NEAR(t[0].n[2], 1.0, 1e-15);
    // crossed
    CHECK(touches(&a, frame(none, none), &b, frame(v3_make(0.5, 0.1, 0.1), v3_make(1, 0, 0)), t) ==
          1);
    CHECK_NEAR(t[0].gap, 0.2, 1e-15);
    // their axes meet: a normal across the first
    CHECK(touches(&a, frame(none, none), &b, frame(none, v3_make(1, 0, 0)), t) == 1);
    CHECK_NEAR(t[0].gap, -0.3, 1e-15);
    CHECK_NEAR(t[0].n[2], 0.0, 1e-15);
    return 0;
}

static int cylinders_on_a_plane(void)
{
    flx_surface floor = surface(&flx_surface_plane, 0, 0, 0);
    flx_surface can = surface(&flx_surface_cylinder, 0.1, 0.4, 0.02),
                coin = surface(&flx_surface_disc, 0.1, 0, 0.01);
    flx_touch t[8];
    v3 up = v3_make(0, 0, 0.5);
    CHECK(touches(&floor, frame(none, none), &can, frame(up, none), t) == 3);
    for (int i = 0; i < 3; i++) CHECK_NEAR(t[i].gap, 0.3, 1e-15);
    CHECK(touches(&floor, frame(none, none), &can, frame(up, v3_make(FLX_PI, 0, 0)), t) == 3);
    for (int i = 0; i < 3; i++) CHECK_NEAR(t[i].gap, 0.3, 1e-14);
    CHECK(touches(&floor, frame(none, none), &can, frame(up, v3_make(FLX_PI / 2, 0, 0)), t) == 2);
    for (int i = 0; i < 2; i++) CHECK_NEAR(t[i].gap, 0.4, 1e-15);
    CHECK_NEAR(fabs(t[0].p[1][1] - t[1].p[1][1]), 0.36, 1e-15);
    CHECK(touches(&floor, frame(none, none), &can, frame(up, v3_make(0.3, 0, 0)), t) == 2);
    CHECK_NEAR(t[0].gap, 0.5 - 0.18 * cos(0.3) - 0.08 * sin(0.3) - 0.02, 1e-15);
    CHECK(touches(&floor, frame(none, none), &coin, frame(up, none), t) == 3);
    CHECK_NEAR(t[0].gap, 0.49, 1e-15);
    CHECK(touches(&floor, frame(none, none), &coin, frame(up, v3_make(0.3, 0, 0)), t) == 1);
    CHECK_NEAR(t[0].gap, 0.5 - 0.09 * sin(0.3) - 0.01, 1e-15);
    return 0;
}

static int spheres_round_a_cylinder(void)
{
    flx_surface can = surface(&flx_surface_cylinder, 0.5, 2.0, 0.1),
                ball = surface(&flx_surface_sphere, 0.05, 0, 0);
    static const double at[][4] = {
        {0.8, 0, 0.3, 0.25},   // beside
        {0.1, 0.2, 1.5, 0.45}, // above
        {0.3, 0, -1.2, 0.15},  // below
        {0.7, 0, 1.3, 0.35},   // at the rim: 0.3, 0.4 from the core
        {0.35, 0, 0.2, -0.2},  // inside, near the side
        {0, 0, 0.9, -0.15},    // inside, near the top
        {0, 0, 0, -0.55},      // in the middle: all sides alike
    };
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        flx_touch t[8];
        CHECK(touches(&can, frame(none, none), &ball, frame(v3_load(at[i]), none), t) == 1);
        CHECK_NEAR(t[0].gap, at[i][3], 1e-15);
    }
    return 0;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

// Distance of a point from the surface (negative inside), in its own axes.
static double distance(const flx_surface *s, v3 p)
{
    double rho = sqrt(p.x * p.x + p.y * p.y), z = fabs(p.z);
    if (s->kind == &flx_surface_capsule) {
        z = most(0.0, z - 0.5 * s->size[1]);
        return sqrt(rho * rho + z * z) - s->size[0] - s->skin;
    }
    double h = s->kind == &flx_surface_disc ? 0.0 : 0.5 * s->size[1] - s->skin;
    double x = rho - (s->size[0] - s->skin), y = z - h;
    return sqrt(pow(most(x, 0), 2) + pow(most(y, 0), 2)) + fmin(most(x, y), 0.0) - s->skin;
}

// No place of one is nearer to the other than the gap says, and the places that it names are on the surfaces.
static int gap_is_the_least_distance(void)
{
    const flx_surface_kind *kinds[] = {&flx_surface_capsule, &flx_surface_cylinder,
                                       &flx_surface_disc};
    for (int seed = 1; seed <= 60; seed++) {
        rig w = {.seed = (uint64_t)seed};
        flx_surface s = rig_surface(&w, kinds[seed % 3], false);
        flx_surface ball = rig_surface(&w, &flx_surface_sphere, false);
        if (s.skin > s.size[0] || 2 * s.skin > s.size[1]) continue;
        rig_pose(&w, false);
        v3_add_to(w.space[1].r, 1.0, v3_make(1.0, 0.5, 0)); // outside as a rule
        flx_touch t;
        CHECK(flx_pair_touch(&s, w.space, &ball, w.space + 1, 1e9, 1, NULL, &t) == 1);
        m33 R = m33_mul(m33_load(w.space[0].R), m33_load(s.axes));
        v3 c = m33_tmul_v(
            R, v3_sub(flx_surface_place(&ball, w.space + 1), flx_surface_place(&s, w.space)));
        double r = ball.size[0] + ball.skin, d = distance(&s, c);
        if (d + s.skin > 0) CHECK_NEAR(t.gap, d - r, 1e-14);
        v3 p = m33_tmul_v(R, v3_sub(v3_load(t.p[0]), flx_surface_place(&s, w.space)));
        if (d + s.skin > 0) CHECK_NEAR(distance(&s, p), 0.0, 1e-14);
    }
    return 0;
}

// The place of a core nearest to p, both in ground axes; p itself where it is inside.
static v3 nearest_place(const flx_surface *s, const flx_frame *f, v3 p)
{
    m33 R = m33_mul(m33_load(f->R), m33_load(s->axes));
    v3 x = m33_tmul_v(R, v3_sub(p, flx_surface_place(s, f)));
    bool capsule = s->kind == &flx_surface_capsule, disc = s->kind == &flx_surface_disc;
    if (s->kind == &flx_surface_box) {
        double h[3];
        for (int k = 0; k < 3; k++) h[k] = fmax(0.0, 0.5 * s->size[k] - s->skin);
        x = v3_make(fmin(fmax(x.x, -h[0]), h[0]), fmin(fmax(x.y, -h[1]), h[1]),
                    fmin(fmax(x.z, -h[2]), h[2]));
        return v3_add(flx_surface_place(s, f), m33_mul_v(R, x));
    }
    double skin = capsule ? 0.0 : s->skin, h = disc ? 0.0 : 0.5 * s->size[1] - skin;
    double radius = capsule ? 0.0 : s->size[0] - skin, rho = sqrt(x.x * x.x + x.y * x.y);
    double scale = rho > radius ? radius / rho : 1.0;
    x = v3_make(scale * x.x, scale * x.y, fmin(fmax(x.z, -h), h));
    return v3_add(flx_surface_place(s, f), m33_mul_v(R, x));
}

// The least gap of two that are apart is the distance that alternating projections find (Cheney and Goldstein, Proc. AMS 10, 1959).
static int cylinders_are_apart_by_the_gap(void)
{
    static const flx_surface_kind *const kinds[] = {&flx_surface_capsule, &flx_surface_cylinder,
                                                    &flx_surface_disc, &flx_surface_box};
    int apart = 0;
    for (int seed = 1; seed <= 400; seed++) {
        rig w = {.seed = (uint64_t)seed};
        for (int i = 0; i < 2; i++) {
            w.surface[i] = rig_surface(&w, kinds[i ? seed % 3 : seed / 3 % 4], false);
            w.surface[i].size[1] *= 2.0;
        }
        rig_pose(&w, false);
        v3_add_to(w.space[1].r, 1.0, v3_make(0.7, 0.5, 0));
        v3 p = v3_load(w.space[0].r), q = v3_load(w.space[1].r);
        for (int k = 0; k < 3000; k++) {
            q = nearest_place(&w.surface[1], w.space + 1, p);
            p = nearest_place(&w.surface[0], w.space, q);
        }
        double skins = 0.0, d = v3_norm(v3_sub(p, q));
        for (int i = 0; i < 2; i++) {
            bool capsule = w.surface[i].kind == &flx_surface_capsule;
            skins += w.surface[i].skin + (capsule ? w.surface[i].size[0] : 0.0);
        }
        if (!(d > 0.02)) continue;
        apart++;
        flx_touch t;
        CHECK(flx_pair_touch(w.surface, w.space, w.surface + 1, w.space + 1, 1e9, 1, NULL, &t) ==
              1);
        CHECK_NEAR(t.gap, d - skins, 1e-6);
    }
    CHECK(apart > 200);
    return 0;
}

// Which of two is the first makes no difference; nor do axes: both as they are, and turned and moved together.
static int either_order_has_the_same_points(void)
{
    static const flx_surface_kind *const kinds[] = {&flx_surface_capsule, &flx_surface_cylinder,
                                                    &flx_surface_disc, &flx_surface_box};
    enum { NKIND = sizeof kinds / sizeof *kinds, MOST = 16 };
    rig w = {.seed = 7};
    int near = 0;
    for (int i = 0; i < 40000; i++) {
        flx_surface s[2];
        flx_frame f[2], g[2];
        flx_touch t[3][MOST];
        m33 R = rig_turn(&w, false);
        for (int k = 0; k < 2; k++) {
            s[k] = rig_surface(&w, kinds[(i / (k ? NKIND : 1)) % NKIND], false);
            s[k].skin *= 0.2;
        }
        rig_pose(&w, false);
        for (int k = 0; k < 2; k++) {
            f[k] = g[k] = w.space[k];
            v3_store(g[k].r, v3_add(v3_make(1, 2, 3), m33_mul_v(R, v3_load(f[k].r))));
            m33_store(g[k].R, m33_mul(R, m33_load(f[k].R)));
        }
        int n = flx_pair_touch(s, f, s + 1, f + 1, 0.01, MOST, NULL, t[0]);
        int turned = flx_pair_touch(s + 1, f + 1, s, f, 0.01, MOST, NULL, t[1]);
        int moved = flx_pair_touch(s, g, s + 1, g + 1, 0.01, MOST, NULL, t[2]);
        // cores that overlap may have other points, a gap at the reach may be on either side of it
        if (n == 0 || t[0][0].gap < -s[0].skin - s[1].skin || t[0][n - 1].gap > 0.0099) continue;
        near++;
        if (n != turned || n != moved)
            printf("%s %s: %d %d %d\n", s[0].kind->row.key, s[1].kind->row.key, n, turned, moved);
        CHECK(n == turned && n == moved);
        for (int k = 0; k < n; k++) {
            CHECK_NEAR(t[1][k].gap, t[0][k].gap, 1e-9);
            CHECK_NEAR(t[2][k].gap, t[0][k].gap, 1e-9);
        }
    }
    printf("%d near each other\n", near);
    CHECK(near > 500);
    return 0;
}

TEST_MAIN(TEST(either_order_has_the_same_points), TEST(cylinders_are_apart_by_the_gap),
          TEST(capsules_along_each_other), TEST(cylinders_on_a_plane),
          TEST(spheres_round_a_cylinder), TEST(gap_is_the_least_distance))
