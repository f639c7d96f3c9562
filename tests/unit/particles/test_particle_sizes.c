// test_particle_sizes.c - particles of very different sizes: every contact is found, threads change no bit, momentum is kept, nothing is allocated on the way.
#include "arena.h"
#include "flexion/particles.h"

#include <math.h>

enum { SIDE = 8, COUNT = SIDE * SIDE * SIDE };
static double places[3 * COUNT], speeds[3 * COUNT], radii[COUNT], found[2][3 * COUNT];
static const double spacing = 4.2e-3, least = 0.25e-3, largest = 2e-3;

static unsigned seed;
static double draw(void)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 8) / 16777216.0;
}

// Radii over a factor of 8, most of them small; `periodic`: along x and y, else in a box.
static flx_particles *make(int threads, bool periodic, double gravity)
{
    seed = 3;
    for (int i = 0; i < COUNT; i++) {
        const int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE};
        radii[i] = largest * pow(least / largest, draw());
        for (int c = 0; c < 3; c++) {
            places[3 * i + c] =
                (at[c] + 0.5) * spacing + 1.8 * (largest - radii[i]) * (draw() - 0.5);
            speeds[3 * i + c] = 0.6 * (draw() - 0.5);
        }
    }
    flx_particles_def d = {.count = COUNT,
                           .positions = places,
                           .velocities = speeds,
                           .radii = radii,
                           .density = 2500,
                           .E = 1e6,
                           .nu = 0.3,
                           .restitution = 0.5,
                           .friction = 0.4,
                           .rolling = 0.05,
                           .gravity = {0, 0, -gravity},
                           .step = 5e-6,
                           .threads = threads};
    for (int c = 0; c < 2 && periodic; c++) d.period[c] = SIDE * spacing;
    flx_particles *p = NULL;
    if (flx_particles_create(ctx, &d, &p) != FLX_OK || !(gravity > 0.0)) return p;
    const double size = SIDE * spacing,
                 normals[5][3] = {{0, 0, 1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
    int wall = flx_particles_add_wall(p);
    for (int k = 0; k < (periodic ? 1 : 5); k++) {
        const double point[3] = {k == 2 ? size : 0, k == 4 ? size : 0, 0};
        if (flx_particles_add_plane(p, wall, point, normals[k]) != FLX_OK) return NULL;
    }
    return p;
}

// Pairs and walls that touch, by looking at all of them.
static long count_contacts(const double *x, bool periodic)
{
    const double size = SIDE * spacing;
    long n = 0;
    for (int i = 0; i < COUNT; i++) {
        const double *a = x + 3 * i, r = radii[i];
        n += a[2] < r;
        for (int c = 0; c < 2 && !periodic; c++) n += (a[c] < r) + (size - a[c] < r);
        for (int j = 0; j < i; j++) {
            double way = 0.0, reach = r + radii[j];
            for (int c = 0; c < 3; c++) {
                double d = a[c] - x[3 * j + c];
                if (periodic && c < 2) d -= size * nearbyint(d / size);
                way += d * d;
            }
            n += way < reach * reach;
        }
    }
    return n;
}

static int every_contact_is_found(void)
{
    begin();
    for (int periodic = 0; periodic < 2; periodic++) {
        flx_particles *p = make(1, periodic, 60.0);
        CHECK(p);
        long sum = 0;
        for (int k = 0; k < 15; k++) {
            CHECK(flx_particles_run(p, 320) == FLX_OK);
            flx_particles_get(p, found[0], NULL, NULL);
            long known = count_contacts(found[0], periodic);
            CHECK(flx_particles_sum(p).contacts == known);
            sum += known;
        }
        CHECK(sum > 15 * COUNT / 8 && flx_particles_sum(p).rebuilds > 10);
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

static int threads_change_no_bit(void)
{
    begin();
    for (int k = 0; k < 3; k++) {
        flx_particles *p = make(k == 0 ? 1 : 2 * k, true, 60.0);
        CHECK(p);
        CHECK(flx_particles_run(p, 1900) == FLX_OK);
        flx_particles_get(p, found[k > 0], NULL, NULL);
        if (k > 0) CHECK(memcmp(found[0], found[1], sizeof found[0]) == 0);
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

static int momentum_is_kept(void)
{
    begin();
    flx_particles *p = make(2, false, 0.0);
    CHECK(p);
    flx_particles_sums a = flx_particles_sum(p);
    CHECK(flx_particles_run(p, 3200) == FLX_OK);
    flx_particles_sums b = flx_particles_sum(p);
    for (int c = 0; c < 3; c++) {
        CHECK_NEAR(b.momentum[c], a.momentum[c], 2e-12 * a.kinetic);
        CHECK_NEAR(b.angular_momentum[c], a.angular_momentum[c], 2e-12 * a.kinetic);
    }
    CHECK(b.kinetic < 0.95 * a.kinetic);
    flx_particles_destroy(&p);
    finish();
    return 0;
}

static int steps_allocate_nothing(void)
{
    begin();
    for (int threads = 1; threads <= 2; threads++) {
        flx_particles *p = make(threads, false, 60.0);
        CHECK(p);
        CHECK(flx_particles_run(p, 1) == FLX_OK);
        long before = flx_ctx_allocation_count(ctx);
        CHECK(flx_particles_run(p, 3200) == FLX_OK);
        CHECK(flx_particles_sum(p).rebuilds > 10);
        CHECK(flx_ctx_allocation_count(ctx) == before);
        flx_particles_destroy(&p);
    }
    finish();
    return 0;
}

TEST_MAIN(TEST(every_contact_is_found), TEST(threads_change_no_bit), TEST(momentum_is_kept),
          TEST(steps_allocate_nothing))
