// Gap and slip of every pair of smooth surfaces: gradients and second derivatives against differences, in space and in
// the plane, in either order; points that touch lie on both surfaces; places without a direction.
#include "joint/row_slopes.h"
#include "surface_pairs.h"

enum { POSES = 20 };

static const struct pair {
    const flx_surface_kind *kind[2];
} pairs[] = {
    {{&flx_surface_sphere, &flx_surface_sphere}},
    {{&flx_surface_plane, &flx_surface_sphere}},
    {{&flx_surface_sphere, &flx_surface_plane}},
    {{&flx_surface_plane, &flx_surface_capsule}},
    {{&flx_surface_capsule, &flx_surface_sphere}},
    {{&flx_surface_capsule, &flx_surface_capsule}},
    {{&flx_surface_plane, &flx_surface_cylinder}},
    {{&flx_surface_cylinder, &flx_surface_sphere}},
    {{&flx_surface_disc, &flx_surface_plane}},
    {{&flx_surface_sphere, &flx_surface_disc}},
    {{&flx_surface_capsule, &flx_surface_cylinder}},
    {{&flx_surface_disc, &flx_surface_capsule}},
    {{&flx_surface_cylinder, &flx_surface_cylinder}},
    {{&flx_surface_disc, &flx_surface_cylinder}},
    {{&flx_surface_disc, &flx_surface_disc}},
};
enum { NPAIR = sizeof pairs / sizeof pairs[0] };

static void make(rig *w, const struct pair *p, bool planar, uint64_t seed)
{
    *w = (rig){.seed = seed};
    for (int i = 0; i < 2; i++) w->surface[i] = rig_surface(w, p->kind[i], planar);
    rig_pose(w, planar);
}

static const char *name(const struct pair *p, int i)
{
    return p->kind[i]->row.key;
}

static bool of_plane(const struct pair *p)
{
    return !strstr(p->kind[0]->row.form, "@3") && !strstr(p->kind[1]->row.form, "@3");
}

// Of the skins; what is round of spheres and capsules is their skin.
static double thickness(const rig *w)
{
    double sum = -1e-6;
    for (int i = 0; i < 2; i++) {
        const flx_surface *s = &w->surface[i];
        bool round = s->kind == &flx_surface_sphere || s->kind == &flx_surface_capsule;
        sum += s->skin + (round ? s->size[0] : 0.0);
    }
    return sum;
}

static int one_pair(const struct pair *p, bool planar)
{
    for (uint64_t seed = 1; seed <= POSES; seed++) {
        rig w;
        make(&w, p, planar, seed);
        CHECK(rig_connect(&w, 0, planar));
        for (int k = 0; k < w.gap.pair->points; k++) {
            flx_touch t;
            CHECK(rig_connect(&w, (uint64_t)k, planar));
            if (!flx_gap_touch(&w.gap, w.space, w.space + 1, &t)) continue;
            if (t.gap < -thickness(&w))
                continue; // cores that overlap have no direction at some places
            rig_errors e = rig_check(&w, planar);
            printf("%s %s%s, seed %d, point %d: %.1e %.1e %.1e\n", name(p, 0), name(p, 1),
                   planar ? " in the plane" : "", (int)seed, k, e.gradient, e.second, e.slip);
            CHECK(e.gradient < 1e-8 && e.second < 1e-7 && e.slip < 1e-7);
        }
    }
    return 0;
}

static int derivatives_are_those_of_differences(void)
{
    for (int i = 0; i < NPAIR; i++) {
        CHECK(one_pair(pairs + i, false) == 0);
        if (of_plane(pairs + i)) CHECK(one_pair(pairs + i, true) == 0);
    }
    return 0;
}

// In the plane everything is as in space, restricted to it.
static int planar_is_space_restricted(void)
{
    static const int kept[3] = {0, 1, 5};
    for (int i = 0; i < NPAIR; i++) {
        rig w;
        if (!of_plane(pairs + i)) continue;
        make(&w, pairs + i, true, 5);
        CHECK(rig_connect(&w, 0, true));
        for (int which = 0; which < 2; which++) {
            const flx_scalar *s = which ? w.slip : &w.depth;
            flx_jet flat, space;
            flx_scalar_jet(s, rig_frames(&w, true), NULL, &flat);
            flx_scalar_jet(s, rig_frames(&w, false), NULL, &space);
            CHECK(flat.value == space.value);
            for (int b = 0; b < 2; b++) {
                for (int r = 0; r < 3; r++) CHECK(flat.g[b][r] == space.g[b][kept[r]]);
                for (int k = 2; k < 5; k++) CHECK_NEAR(space.g[b][k], 0, 1e-15);
                for (int c = 0; c < 3; c++)
                    CHECK(flat.K[b][1][6 * c + 2] == space.K[b][1][6 * kept[c] + 5]);
            }
        }
    }
    return 0;
}

// The first and the second exchanged: the same gap, the opposite normal, the places exchanged.
static int either_order_is_the_same_point(void)
{
    for (int i = 0; i < NPAIR; i++) {
        for (uint64_t seed = 1; seed <= POSES; seed++) {
            rig w;
            flx_touch a[4], b[4];
            make(&w, pairs + i, false, seed);
            CHECK(rig_connect(&w, 0, false));
            int n = flx_pair_touch(w.surface, w.space, w.surface + 1, w.space + 1, 1e9, 4, NULL, a);
            int m = flx_pair_touch(w.surface + 1, w.space + 1, w.surface, w.space, 1e9, 4, NULL, b);
            // places of two rims that are near, but not the nearest, may be found from one side alone
            bool rims = w.gap.pair->points > 4;
            CHECK(rims ? n >= 1 && m >= 1 : n == m && n >= 1);
            for (int k = 0; k < (rims ? 1 : n); k++) {
                CHECK_NEAR(a[k].gap, b[k].gap, 1e-14);
                if (k) CHECK(a[k].gap >= a[k - 1].gap);
                for (int c = 0; c < 3; c++) {
                    CHECK_NEAR(a[k].n[c], -b[k].n[c], 1e-14);
                    CHECK_NEAR(a[k].p[0][c], b[k].p[1][c], 1e-14);
                    CHECK_NEAR(a[k].p[1][c] - a[k].p[0][c], a[k].gap * a[k].n[c], 1e-14);
                }
            }
            CHECK(flx_pair_touch(w.surface, w.space, w.surface + 1, w.space + 1, a[0].gap, 4, NULL,
                                 b) == 0);
        }
    }
    return 0;
}

// A turned and moved copy has the same gap, rates and slip; a force lambda >= 0 on the depth pushes apart.
static int signs_and_turned_copies(void)
{
    for (int i = 0; i < NPAIR; i++) {
        rig w, turned;
        make(&w, pairs + i, false, 9);
        uint64_t there = 0; // the first place that there is
        do CHECK(rig_connect(&w, there, false));
        while (!flx_gap_touch(&w.gap, w.space, w.space + 1, &(flx_touch){0}) && ++there < 16);
        turned = w;
        CHECK(rig_connect(&turned, there, false));
        m33 Q = quat_to_m33(quat_exp(v3_make(0.3, -1.1, 2.0)));
        for (int b = 0; b < 2; b++) {
            flx_frame *f = turned.space + b;
            m33_store(f->R, m33_mul(Q, m33_load(f->R)));
            v3_store(f->r, v3_add(v3_make(1, 2, 3), m33_mul_v(Q, v3_load(f->r))));
        }
        flx_jet j, k, s[2], u[2];
        flx_scalar_jet(&w.depth, rig_frames(&w, false), NULL, &j);
        flx_scalar_jet(&turned.depth, rig_frames(&turned, false), NULL, &k);
        double v[12], vq[12];
        for (int c = 0; c < 12; c++) v[c] = vq[c] = random_number(&w.seed);
        for (int b = 0; b < 2; b++) v3_store(vq + 6 * b, m33_mul_v(Q, v3_load(v + 6 * b)));
        CHECK_NEAR(k.value, j.value, 1e-14);
        CHECK_NEAR(flx_jet_rate(&w.depth, &j, v), flx_jet_rate(&w.depth, &k, vq), 1e-13);
        CHECK_NEAR(flx_jet_bias(&w.depth, &j, v), flx_jet_bias(&w.depth, &k, vq), 1e-13);
        double slip[2] = {0, 0};
        for (int a = 0; a < 2; a++) {
            flx_scalar_gradient(w.slip + a, rig_frames(&w, false), NULL, s + a);
            flx_scalar_gradient(turned.slip + a, rig_frames(&turned, false), NULL, u + a);
            slip[0] += pow(flx_jet_rate(w.slip + a, s + a, v), 2);
            slip[1] += pow(flx_jet_rate(w.slip + a, u + a, vq), 2);
        }
        CHECK_NEAR(slip[0], slip[1], 1e-13);
        flx_touch t;
        CHECK(flx_gap_touch(&w.gap, w.space, w.space + 1, &t));
        v3 push = v3_scale(-1.0, v3_load(j.g[1])); // -G^T lambda on the second
        CHECK_NEAR(v3_dot(push, v3_load(t.n)), 1.0, 1e-14);
    }
    return 0;
}

static bool finite(const flx_jet *j)
{
    bool ok = isfinite(j->value);
    for (int b = 0; b < 2; b++) {
        for (int r = 0; r < 6; r++) ok = ok && isfinite(j->g[b][r]);
        for (int r = 0; r < 72; r++) ok = ok && isfinite(j->K[b][r / 36][r % 36]);
    }
    return ok;
}

// Centres on one spot, radius 0: the gap and a normal are there, and no number is lost.
static int nothing_has_no_direction(void)
{
    for (int i = 0; i < NPAIR; i++) {
        for (int zero = 0; zero < 2; zero++) {
            rig w;
            make(&w, pairs + i, false, 3);
            w.space[1] = w.space[0];
            for (int b = 0; b < 2; b++) {
                memset(w.surface[b].at, 0, sizeof w.surface[b].at);
                if (zero) w.surface[b].skin = w.surface[b].size[0] = w.surface[b].size[1] = 0.0;
            }
            CHECK(rig_connect(&w, 0, false));
            int there = 0;
            for (int k = 0; k < w.gap.pair->points; k++) {
                CHECK(rig_connect(&w, (uint64_t)k, false));
                flx_touch t;
                flx_jet j;
                flx_scalar_jet(&w.depth, rig_frames(&w, false), NULL, &j);
                CHECK(finite(&j));
                flx_scalar_jet(w.slip, rig_frames(&w, false), NULL, &j);
                CHECK(finite(&j));
                if (!flx_gap_touch(&w.gap, w.space, w.space + 1, &t)) continue;
                CHECK_NEAR(v3_norm(v3_load(t.n)), 1.0, 1e-14);
                there++;
            }
            CHECK(there > 0);
        }
    }
    return 0;
}

static int tangents_turn_the_shortest_way(void)
{
    uint64_t seed = 4;
    double t[2][3], spin[2];
    const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
    flx_tangents floor = flx_tangents_about(up);
    flx_touch_tangents(&floor, up, t, spin);
    CHECK(t[0][0] == 1.0 && t[1][1] == 1.0);
    flx_touch_tangents(&floor, down, t, spin); // the opposite: some tangents all the same
    CHECK_NEAR(v3_norm(v3_load(t[0])), 1.0, 1e-14);
    for (int i = 0; i < 50; i++) {
        double n[3];
        v3 m = v3_unit(v3_make(random_number(&seed), random_number(&seed), random_number(&seed)));
        v3_store(n, m);
        flx_touch_tangents(&flx_tangents_usual, n, t, spin);
        CHECK_NEAR(v3_dot(v3_load(t[0]), m), 0.0, 1e-13);
        CHECK_NEAR(v3_norm(v3_load(t[0])), 1.0, 1e-13);
        CHECK_NEAR(v3_dot(v3_cross(v3_load(t[0]), v3_load(t[1])), m), 1.0, 1e-13);
    }
    return 0;
}

static int reduced_radius(void)
{
    flx_touch t = {.n = {0, 0, 1}, .bend = {{.k = {2, 2}}, {.k = {3, 3}}}};
    CHECK_NEAR(flx_touch_radius(&t), 0.2, 1e-15);
    t.bend[0] =
        (flx_curvature){.k = {0, 4}, .e = {1, 0, 0}}; // crossed cylinders: as a sphere on a plane
    t.bend[1] = (flx_curvature){.k = {0, 4}, .e = {0, 1, 0}};
    CHECK_NEAR(flx_touch_radius(&t), 0.25, 1e-15);
    t.bend[1] = (flx_curvature){.k = {0, 4}, .e = {1, 0, 0}}; // along a line
    CHECK(flx_touch_radius(&t) == HUGE_VAL);
    t.bend[1] = (flx_curvature){.k = {HUGE_VAL, HUGE_VAL}};
    CHECK(flx_touch_radius(&t) == 0.0);
    t.bend[0] = (flx_curvature){.k = {2, 3}, .e = {0.6, 0.8, 0}};
    t.bend[1] = (flx_curvature){.k = {1, 5}, .e = {0.6, 0.8, 0}};
    CHECK_NEAR(flx_touch_radius(&t), 1 / sqrt(24.0), 1e-15);
    return 0;
}

// Third derivatives: of a ball over a plane those of a plane, of two balls those of a length.
static int third_derivatives(void)
{
    for (int planar = 0; planar < 2; planar++) {
        for (int i = 0; i < 2; i++) {
            rig w;
            double a[12], theta[12], dv[12], da[12];
            make(&w, pairs + i, planar, 11);
            CHECK(rig_connect(&w, 0, planar));
            for (int k = 0; k < 12; k++) {
                a[k] = random_number(&w.seed);
                theta[k] = random_number(&w.seed);
                dv[k] = random_number(&w.seed);
                da[k] = random_number(&w.seed);
            }
            for (int b = 0; b < 2; b++) {
                flx_frame2 *f = w.plane + b;
                f->vx = random_number(&w.seed);
                f->vy = random_number(&w.seed);
                f->w = random_number(&w.seed);
                v3_store(w.space[b].v, rig_some(&w, false));
                v3_store(w.space[b].w, rig_some(&w, false));
            }
            flx_scalar s = w.depth;
            s.kind = i ? FLX_SCALAR_PLANE : FLX_SCALAR_LENGTH;
            if (planar) s.kind = i ? FLX_SCALAR_PLANE2 : FLX_SCALAR_LENGTH2;
            for (int b = 0; b < 2; b++) memcpy(s.s[b], w.surface[b].at, sizeof s.s[b]);
            v3_store(s.a[0], m33_col(m33_load(w.surface[0].axes), 2));
            for (int k = 0; k < 2; k++) {
                flx_row_path path = {rig_frames(&w, planar), .a = a, .theta = theta};
                if (k) path.dv = dv, path.da = da;
                CHECK_NEAR(flx_scalar_slope(&w.depth, &path), -flx_scalar_slope(&s, &path), 1e-8);
            }
        }
    }
    return 0;
}

TEST_MAIN(TEST(third_derivatives), TEST(derivatives_are_those_of_differences),
          TEST(planar_is_space_restricted), TEST(either_order_is_the_same_point),
          TEST(signs_and_turned_copies), TEST(nothing_has_no_direction),
          TEST(tangents_turn_the_shortest_way), TEST(reduced_radius))
