// test_particles.c - particles against reference values: restitution, oblique impact, rolling to a stop; momentum, energy, threads, moved walls.
#include "arena.h"
#include "contact/damped_hertz.h"
#include "flexion/particles.h"
#include "particles/particle_law.h"

#include <math.h>
#include <stdlib.h>

static const double up[3] = {0, 0, 1}, origin[3] = {0, 0, 0};

static flx_particles *make(const flx_particles_def *d)
{
    flx_particles *p = NULL;
    return flx_particles_create(ctx, d, &p) == FLX_OK ? p : NULL;
}

// Nominal 0.9, 0.7, 0.5, 0.3, 0.1 of the law that may pull (dem-restitution-clamped).
static int restitution_of_the_law_that_does_not_pull(void)
{
    static const double known[][2] = {
        {0.9, 0.90202607}, {0.7, 0.71820136}, {0.5, 0.55028317}, {0.3, 0.3971405}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double l = log(known[i][0]), beta = -l / sqrt(9.869604401089358 + l * l);
        CHECK_NEAR(flx_damped_hertz_restitution(beta), known[i][1], 1e-5);
        CHECK_NEAR(flx_damped_hertz_restitution(flx_damped_hertz_beta(known[i][0])), known[i][0],
                   1e-6);
    }
    return 0;
}

// One sphere onto a plane; what it has after the contact.
static int strike(double angle, double e, double friction, double out[3])
{
    const double R = 0.01, a = angle * 3.14159265358979 / 180, v[3] = {sin(a), 0, -cos(a)},
                 x[3] = {0, 0, R};
    flx_particles_def d = {.count = 1,
                           .positions = x,
                           .velocities = v,
                           .radii = &R,
                           .density = 2700,
                           .E = 70e9,
                           .nu = 0.3,
                           .restitution = e,
                           .friction = friction,
                           .step = 2e-9};
    flx_particles *p = make(&d);
    CHECK(p);
    int wall = flx_particles_add_wall(p);
    CHECK(flx_particles_add_plane(p, wall, origin, up) == FLX_OK);
    double y[3], u[3], w[3];
    CHECK(flx_particles_run(p, 60000) == FLX_OK);
    flx_particles_get(p, y, u, w);
    CHECK(y[2] > R); // it has left
    out[0] = u[2];
    out[1] = u[0];
    out[2] = w[1];
    flx_particles_destroy(&p);
    return 0;
}

// dem-oblique-mindlin: nominal 0.9 is 0.90202607 of the law
static int oblique_impact(void)
{
    double o[3];
    begin();
    CHECK(!strike(30, 0.90202607, 0.3, o));
    CHECK_NEAR(o[0], 0.78117749, 2e-4);
    CHECK_NEAR(o[1], 0.35300645, 2e-4);
    CHECK_NEAR(-o[2], -36.748389, 1e-3 * 36.7); // its omega > 0 moves the touching point along vt
    CHECK(!strike(60, 0.90202607, 0.3, o));
    CHECK_NEAR(o[1], 0.58153935, 2e-4);
    CHECK(!strike(10, 0.90202607, 0.3, o));
    CHECK_NEAR(-o[2], -8.052479, 0.005 * 8.05);
    CHECK(!strike(0, 0.5, 0.3, o));
    CHECK_NEAR(o[0], 0.5, 0.002);
    finish();
    return 0;
}

// dem-rolling-stop, with a soft ball: the way does not depend on the stiffness
static int ball_rolls_to_a_stop(void)
{
    const double R = 0.05, g = 9.81, v[3] = {1, 0, 0}, w[3] = {0, 1 / R, 0}, density = 1000;
    const double m = 4.0 / 3.0 * 3.14159265358979 * R * R * R * density, E = 5e6, nu = 0.3;
    const double K = 4.0 / 3.0 * E / (2 * (1 - nu * nu)) * sqrt(R);
    const double x[3] = {0, 0, R - pow(m * g / K, 2.0 / 3.0)};
    flx_particles_def d = {.count = 1,
                           .positions = x,
                           .velocities = v,
                           .spins = w,
                           .radii = &R,
                           .density = density,
                           .E = E,
                           .nu = nu,
                           .restitution = 0.5,
                           .friction = 0.5,
                           .rolling = 0.02,
                           .gravity = {0, 0, -g},
                           .step = 1e-4};
    double y[3], u[3], stopped = 0.0, last;
    begin();
    flx_particles *p = make(&d);
    CHECK(p);
    CHECK(flx_particles_add_plane(p, flx_particles_add_wall(p), origin, up) == FLX_OK);
    for (int k = 0; k < 800 && stopped == 0.0; k++) {
        CHECK(flx_particles_run(p, 100) == FLX_OK);
        flx_particles_get(p, y, u, NULL);
        if (u[0] < 1e-3) stopped = flx_particles_sum(p).time;
    }
    CHECK_NEAR(stopped, 7.135575942915392, 0.002 * 7.14);
    CHECK_NEAR(y[0], 3.567787971457696, 0.002 * 3.57);
    CHECK(flx_particles_run(p, 5000) == FLX_OK);
    flx_particles_get(p, y, NULL, NULL);
    last = y[0];
    CHECK(flx_particles_run(p, 10000) == FLX_OK);
    flx_particles_get(p, y, NULL, NULL);
    CHECK_NEAR(y[0], last, 1e-9);
    flx_particles_destroy(&p);
    finish();
    return 0;
}

// ---- many ---------------------------------------------------------------------------------------

enum { SIDE = 9, COUNT = SIDE * SIDE * SIDE };
static double places[3 * COUNT], speeds[3 * COUNT], radii[COUNT], found[2][3 * COUNT];

static unsigned seed;
static double draw(void)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) / 16777216.0;
}

static flx_particles *box(int threads, bool spread, double gravity, bool walls)
{
    const double r = 0.002, step = 4.08e-3;
    seed = 7;
    for (int i = 0; i < COUNT; i++) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        radii[i] = spread ? r * (0.6 + 0.4 * draw()) : r;
        for (int c = 0; c < 3; c++) {
            places[3 * i + c] = (at[c] + 0.5) * step * (c == 2 ? 1.1 : 1.0) + 2e-5 * (draw() - 0.5);
            speeds[3 * i + c] = 0.5 * (draw() - 0.5);
        }
    }
    flx_particles_def d = {.count = COUNT,
                           .positions = places,
                           .velocities = speeds,
                           .radii = radii,
                           .density = 2500,
                           .E = 5e6,
                           .nu = 0.45,
                           .restitution = 0.5,
                           .friction = 0.5,
                           .rolling = 0.1,
                           .gravity = {0, 0, -gravity},
                           .step = 1.6e-5,
                           .threads = threads};
    flx_particles *p = make(&d);
    if (!p || !walls) return p;
    const double size = SIDE * step;
    const double normals[5][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}};
    int wall = flx_particles_add_wall(p);
    for (int k = 0; k < 5; k++) {
        const double point[3] = {k == 1 ? size : 0, k == 3 ? size : 0, 0};
        if (flx_particles_add_plane(p, wall, point, normals[k]) != FLX_OK) return NULL;
    }
    return p;
}

static int threads_change_no_bit(void)
{
    begin();
    for (int k = 0; k < 3; k++) {
        flx_particles *p = box(k == 0 ? 1 : 2 * k, true, 9.81, true);
        CHECK(p);
        CHECK(flx_particles_run(p, 3000) == FLX_OK);
        flx_particles_get(p, found[k > 0], NULL, NULL);
        CHECK(flx_particles_sum(p).contacts > COUNT / 4 && flx_particles_sum(p).rebuilds > 3);
        if (k > 0) CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

// Small spheres below one that is 2.6 times as large: parts of many threads are few particles, and cells have more than these have room for.
static int crowds_are_listed_by_all(void)
{
    enum { EDGE = 11, MOST = EDGE * EDGE * EDGE + 1 };
    static double x[3 * MOST], sizes[MOST], end[2][3 * MOST];
    const double R = 2e-3, r = R / 2.6, d = 0.999 * 2.0 * r;
    int n = 0;
    begin();
    for (int k = 0; k < MOST - 1; k++) { // a close packing
        const int at[3] = {k % EDGE, k / EDGE % EDGE, k / EDGE / EDGE};
        x[3 * n] = d * (at[0] + 0.5 * ((at[1] + at[2]) % 2));
        x[3 * n + 1] = d * sqrt(0.75) * (at[1] + (at[2] % 2) / 3.0);
        x[3 * n + 2] = d * sqrt(2.0 / 3.0) * at[2];
        sizes[n] = r;
        n++;
    }
    x[3 * n] = x[3 * n + 1] = 5.0 * d;
    x[3 * n + 2] = EDGE * d + R;
    sizes[n++] = R;
    for (int k = 0; k < 3; k++) {
        flx_particles_def def = {.count = n,
                                 .positions = x,
                                 .radii = sizes,
                                 .density = 2500,
                                 .E = 5e6,
                                 .nu = 0.3,
                                 .restitution = 0.5,
                                 .friction = 0.4,
                                 .gravity = {0, 0, -9.81},
                                 .step = 5e-6,
                                 .threads = k == 0   ? 1
                                            : k == 1 ? 2
                                                     : 128};
        flx_particles *p = NULL;
        CHECK(flx_particles_create(ctx, &def, &p) == FLX_OK);
        const double point[3] = {0, 0, -2.0 * R}, above[3] = {0, 0, 1};
        CHECK(flx_particles_add_plane(p, flx_particles_add_wall(p), point, above) == FLX_OK);
        CHECK(flx_particles_run(p, 200) == FLX_OK);
        flx_particles_get(p, end[k > 0], NULL, NULL);
        CHECK(flx_particles_sum(p).contacts > 200);
        if (k > 0) CHECK(memcmp(end[0], end[1], 3 * (size_t)n * sizeof(double)) == 0);
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

// Free particles keep momentum and angular momentum; energy falls.
static int free_particles_keep_momentum(void)
{
    begin();
    flx_particles *p = box(1, true, 0.0, false);
    CHECK(p);
    flx_particles_sums a = flx_particles_sum(p);
    CHECK(flx_particles_run(p, 2000) == FLX_OK);
    flx_particles_sums b = flx_particles_sum(p);
    double scale = 2.0 * a.kinetic;
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(b.momentum[c], a.momentum[c], 1e-12 * scale);
        CHECK_NEAR(b.angular_momentum[c], a.angular_momentum[c], 1e-12 * scale);
    }
    CHECK(b.kinetic < 0.9 * a.kinetic);
    flx_particles_destroy(&p);
    finish();
    return 0;
}

// What particles lose or gain goes to the walls and comes from gravity.
static int walls_take_what_particles_give(void)
{
    begin();
    flx_particles *p = box(1, false, 9.81, true);
    CHECK(p);
    flx_particles_sums a = flx_particles_sum(p);
    const double still[3] = {0, 0, 0}, R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, moves[3] = {0.02, 0, 0},
                 turns[3] = {0, 0.3, 0};
    flx_particles_move_wall(p, 0, still, R, moves, turns); // the box shakes
    CHECK(flx_particles_run(p, 1500) == FLX_OK);
    flx_particles_sums b = flx_particles_sum(p);
    double J[3], L[3], mass = COUNT * 2500 * 4.0 / 3.0 * 3.14159265358979323846 * 8e-9;
    flx_particles_wall_impulse(p, 0, J, L);
    for (int c = 0; c < 3; c++) {
        double weight = c == 2 ? -mass * 9.81 * b.time : 0.0;
        CHECK_NEAR(b.momentum[c] - a.momentum[c] + J[c], weight,
                   1e-11 * fabs(mass * 9.81 * b.time));
    }
    // about z gravity has no moment
    CHECK_NEAR(b.angular_momentum[2] - a.angular_momentum[2] + L[2], 0.0, 1e-13);
    flx_particles_destroy(&p);
    finish();
    return 0;
}

// A particle in a tube that turns is carried up by friction, and stays inside.
static int tubes_carry_particles(void)
{
    const double r = 0.005, x[3] = {0, 0, -0.095}, axis[3] = {0, 1, 0}, turns[3] = {0, 5, 0},
                 R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    flx_particles_def d = {.count = 1,
                           .positions = x,
                           .radii = &r,
                           .density = 2500,
                           .E = 5e6,
                           .nu = 0.3,
                           .restitution = 0.5,
                           .friction = 0.5,
                           .rolling = 0.5,
                           .gravity = {0, 0, -9.81},
                           .step = 5e-5};
    double y[3];
    begin();
    flx_particles *p = make(&d);
    CHECK(p);
    int wall = flx_particles_add_wall(p);
    CHECK(flx_particles_add_tube(p, wall, origin, axis, 0.1) == FLX_OK);
    flx_particles_move_wall(p, wall, origin, R, origin, turns);
    CHECK(flx_particles_run(p, 6000) == FLX_OK);
    flx_particles_get(p, y, NULL, NULL);
    double far = sqrt(y[0] * y[0] + y[2] * y[2]);
    CHECK(far < 0.0952 && far > 0.09);
    CHECK(y[0] < -0.01); // the lowest part of the tube moves towards -x
    CHECK_NEAR(y[1], 0.0, 1e-12);
    flx_particles_destroy(&p);
    finish();
    return 0;
}

// Slow ones by the wave, fast ones by their contact: 2.94 d/v at the depth d of two that meet.
static int fast_particles_have_shorter_steps(void)
{
    const double r = 0.005, v[] = {0, 3, 4}, x[3] = {0, 0, 0}, E = 1e6, nu = 0.3;
    flx_particles_def d = {.count = 1,
                           .positions = x,
                           .radii = &r,
                           .density = 2500,
                           .E = E,
                           .nu = nu,
                           .restitution = 0.9};
    double G = E / 2.6, wave = 0.2 * 3.14159265358979 * r * sqrt(2500 / G) / (0.1631 * nu + 0.8766);
    double m = 2.0 / 3.0 * 3.14159265358979 * r * r * r * 2500;
    double K = 4.0 / 3.0 * E / (2 * (1 - nu * nu)) * sqrt(0.5 * r);
    CHECK_NEAR(flx_particles_longest_step(&d), wave, 1e-12);
    d.velocities = v;
    double contact = 2.9433 * pow(5 * m * 25 / (4 * K), 0.4) / 5;
    CHECK_NEAR(flx_particles_longest_step(&d), contact / 20, 1e-12);
    CHECK(contact / 20 < 0.5 * wave);
    return 0;
}

static int wrong_numbers_are_refused(void)
{
    const double r = 0.01, none = 0.0, x[3] = {0, 0, 0};
    const flx_particles_def good = {.count = 1,
                                    .positions = x,
                                    .radii = &r,
                                    .density = 1000,
                                    .E = 1e6,
                                    .nu = 0.3,
                                    .restitution = 0.5};
    flx_particles_def bad[] = {good, good, good, good, good, good};
    bad[0].count = 0;
    bad[1].radii = &none;
    bad[2].nu = 0.7;
    bad[3].restitution = 0.0;
    bad[4].step = 1.0;
    bad[5].E = (double)NAN;
    begin();
    flx_particles *p = make(&good);
    CHECK(p);
    CHECK(flx_particles_add_plane(p, 3, origin, up) == FLX_ERR_ARGUMENT);
    CHECK(flx_particles_add_plane(p, flx_particles_add_wall(p), origin, origin) ==
          FLX_ERR_ARGUMENT);
    flx_particles_destroy(&p);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(flx_particles_create(ctx, &bad[i], &p) == FLX_ERR_ARGUMENT && !p);
    }
    finish();
    return 0;
}

// A ball rolls down a tilted plane, and over the seams of triangles in the same plane: the same way.
static int roll_over_seams(double E, double depth)
{
    static const double corners[4][9] = {{-1, -1, 0, 0.03, -1, 0, 0.03, 1, 0},
                                         {-1, -1, 0, 0.03, 1, 0, -1, 1, 0},
                                         {0.03, -1, 0, 0.05, 0.2, 0, 0.03, 1, 0},
                                         {0.03, -1, 0, 1, -1, 0, 1, 1, 0}};
    double end[2][3], spin[2][3];
    for (int k = 0; k < 2; k++) {
        const double R = 0.01, x[3] = {0, 0, R - depth};
        flx_particles_def d = {.count = 1,
                               .positions = x,
                               .radii = &R,
                               .density = 2500,
                               .E = E,
                               .nu = 0.3,
                               .restitution = 0.3,
                               .friction = 0.5,
                               .gravity = {2, 0.3, -9}};
        flx_particles *p = make(&d);
        CHECK(p);
        int wall = flx_particles_add_wall(p);
        if (k == 0) CHECK(flx_particles_add_plane(p, wall, origin, up) == FLX_OK);
        for (int i = 0; i < 4 && k == 1; i++)
            CHECK(flx_particles_add_triangle(p, wall, corners[i]) == FLX_OK);
        const double rest[9] = {0.05, 0.2, 0, 1, 1, 0, 0.03, 1, 0},
                     gap[9] = {0.03, -1, 0, 1, 1, 0, 0.05, 0.2, 0};
        if (k == 1) CHECK(flx_particles_add_triangle(p, wall, rest) == FLX_OK);
        if (k == 1) CHECK(flx_particles_add_triangle(p, wall, gap) == FLX_OK);
        CHECK(flx_particles_run(p, (long)(0.3 / flx_particles_step_size(p))) == FLX_OK);
        flx_particles_get(p, end[k], NULL, spin[k]);
        flx_particles_destroy(&p);
    }
    CHECK(end[0][0] > 0.05); // beyond the seams
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(end[1][c], end[0][c], 1e-9);
        CHECK_NEAR(spin[1][c], spin[0][c], 1e-6);
    }
    return 0;
}

// A tenth of the radius deep, too: the edge of the next triangle is then met at 25 deg.
static int neighbouring_triangles_are_one_surface(void)
{
    begin();
    CHECK(!roll_over_seams(5e6, 1e-7));
    CHECK(!roll_over_seams(2e4, 1e-3));
    finish();
    return 0;
}

// A sphere falls onto each surface from above, and rests on it.
static int spheres_rest_on_every_surface(void)
{
    begin();
    static const struct {
        flx_wall_kind kind;
        double size[3], skin, height; // of its top
        double tilt;                  // axes about x
    } all[] = {{FLX_WALL_BOX, {0.1, 0.1, 0.03}, 0.01, 0.04, 0},
               {FLX_WALL_CYLINDER, {0.1, 0.05, 0}, 0.0, 0.05, 0},
               {FLX_WALL_CYLINDER, {0.04, 0.2, 0}, 0.01, 0.05, 1},
               {FLX_WALL_CAPSULE, {0.05, 0.2, 0}, 0.0, 0.05, 1},
               {FLX_WALL_SHELL, {0.3, 0, 0}, 0.0, -0.3, 0},
               {FLX_WALL_TUBE, {0.3, 0, 0}, 0.0, -0.3, 1},
               {FLX_WALL_PLANE, {0, 0, 0}, 0.0, 0.0, 0}};
    static const double axes[2][9] = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {1, 0, 0, 0, 0, -1, 0, 1, 0}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        const double R = 0.02, x[3] = {0, 0, all[k].height + R + 1e-3};
        flx_particles_def d = {.count = 1,
                               .positions = x,
                               .radii = &R,
                               .density = 2500,
                               .E = 5e6,
                               .nu = 0.3,
                               .restitution = 0.1,
                               .friction = 0.5,
                               .rolling = 0.5,
                               .gravity = {0, 0, -9.81}};
        flx_particles *p = make(&d);
        CHECK(p);
        int wall = flx_particles_add_wall(p);
        CHECK(flx_particles_add_surface(p, wall, all[k].kind, origin, axes[(int)all[k].tilt],
                                        all[k].size, all[k].skin) == FLX_OK);
        CHECK(flx_particles_run(p, (long)(0.4 / flx_particles_step_size(p))) == FLX_OK);
        double y[3], impulse[3], angular[3], before[3];
        flx_particles_get(p, y, NULL, NULL);
        CHECK_NEAR(y[2], all[k].height + R, 2e-4);
        flx_particles_wall_impulse(p, wall, before, angular);
        CHECK(flx_particles_run(p, 100) == FLX_OK);
        flx_particles_wall_impulse(p, wall, impulse, angular);
        const flx_particles_sums s = flx_particles_sum(p);
        double weight = (impulse[2] - before[2]) / (100 * flx_particles_step_size(p));
        CHECK_NEAR(weight / (s.mass * -9.81), 1.0, 1e-3);
        CHECK(s.contacts == 1);
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

static int is_low(void *user, const double x[3], double radius)
{
    (void)user;
    (void)radius;
    return x[2] < 0.0;
}

// Those that leave are counted, the others keep their numbers and their motion.
static int particles_come_and_go(void)
{
    begin();
    const double x[] = {0, 0, 1, 0, 0, -1, 0.5, 0, 1}, r[] = {0.1, 0.1, 0.2}, late[] = {1, 0, 2};
    flx_particles_def d = {.count = 3,
                           .positions = x,
                           .radii = r,
                           .density = 1000,
                           .E = 1e6,
                           .nu = 0.3,
                           .restitution = 0.5};
    flx_particles *p = make(&d);
    CHECK(p && flx_particles_run(p, 3) == FLX_OK);
    CHECK(flx_particles_remove(p, is_low, NULL) == 1 && flx_particles_run(p, 1) == FLX_OK);
    CHECK(flx_particles_count(p) == 2);
    CHECK(flx_particles_add(p, 1, late, NULL, r, NULL) == FLX_OK);
    CHECK(flx_particles_run(p, 2) == FLX_OK && flx_particles_count(p) == 3);
    double sizes[3], at[9];
    long labels[3];
    flx_particles_get_sizes(p, sizes, labels);
    flx_particles_get(p, at, NULL, NULL);
    CHECK(labels[0] == 0 && labels[1] == 2 && labels[2] == 3);
    CHECK(sizes[1] == 0.2 && at[3] == 0.5 && at[8] == 2);
    const flx_particles_sums s = flx_particles_sum(p);
    CHECK_NEAR(s.gone_mass, 4.0 / 3.0 * 3.14159265358979 * 1e-3 * 1000, 1e-9);
    const double tiny = 1e-6;
    CHECK(flx_particles_add(p, 1, late, NULL, &tiny, NULL) == FLX_ERR_ARGUMENT);
    flx_ctx_clear_messages(ctx);
    flx_particles_destroy(&p);
    finish();
    return 0;
}

// Spheres four deep in a box, with the step that the set chooses.
static flx_particles *bed(double restitution)
{
    enum { WIDE = 10, BED = WIDE * WIDE * 5 };
    static double at[3 * BED], r[BED];
    const double d = 0.01, size = (WIDE + 0.5) * 1.06 * d;
    seed = 5;
    for (int i = 0; i < BED; i++) {
        const int k[3] = {i % WIDE, i / WIDE % WIDE, i / WIDE / WIDE};
        r[i] = 0.5 * d * (0.95 + 0.1 * draw());
        for (int c = 0; c < 2; c++)
            at[3 * i + c] = (k[c] + 0.5 + 0.5 * (k[2] % 2)) * 1.06 * d + 0.008 * d * (draw() - 0.5);
        at[3 * i + 2] = (0.55 + 0.8 * k[2]) * d;
    }
    flx_particles_def def = {.count = BED,
                             .positions = at,
                             .radii = r,
                             .density = 1000,
                             .E = 1e6,
                             .nu = 0.3,
                             .restitution = restitution,
                             .friction = 0.5,
                             .gravity = {0, 0, -9.81}};
    flx_particles *p = make(&def);
    int wall = p ? flx_particles_add_wall(p) : -1;
    const double normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    for (int k = 0; k < 5 && p; k++) {
        const double point[3] = {k == 2 ? size : 0, k == 4 ? size : 0, 0};
        if (flx_particles_add_plane(p, wall, point, normals[k]) != FLX_OK) return NULL;
    }
    return p;
}

// A bed with low restitution comes to rest with the longest step that is allowed: damping adds no energy.
static int damped_beds_come_to_rest(void)
{
    begin();
    for (int k = 0; k < 3; k++) {
        flx_particles *p = bed(k == 0 ? 0.1 : k == 1 ? 0.3 : 0.5);
        CHECK(p);
        CHECK(flx_particles_run(p, (long)(0.4 / flx_particles_step_size(p))) == FLX_OK);
        flx_particles_sums s = flx_particles_sum(p);
        CHECK(s.contacts > 2 * s.count);
        CHECK(s.kinetic < 0.01 * s.elastic); // 0.1 to 0.2 of it where the step is too long
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

TEST_MAIN(TEST(restitution_of_the_law_that_does_not_pull), TEST(oblique_impact),
          TEST(ball_rolls_to_a_stop), TEST(threads_change_no_bit), TEST(crowds_are_listed_by_all),
          TEST(free_particles_keep_momentum), TEST(walls_take_what_particles_give),
          TEST(tubes_carry_particles), TEST(neighbouring_triangles_are_one_surface),
          TEST(spheres_rest_on_every_surface), TEST(damped_beds_come_to_rest),
          TEST(particles_come_and_go), TEST(fast_particles_have_shorter_steps),
          TEST(wrong_numbers_are_refused))
