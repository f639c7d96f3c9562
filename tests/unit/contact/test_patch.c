// Patches: nearest places against a search by brute force, boxes that hold them, and forces with friction and damping between
// lines of beams, capsules and spheres against differences.
#include "check.h"
#include "random_number.h"

#include "force/patch_force.h"

#include <stdlib.h>
#include <string.h>

static v3 random_vector(uint64_t *seed, double size)
{
    double x = random_number(seed), y = random_number(seed), z = random_number(seed);
    return v3_make(size * x, size * y, size * z);
}

// ---- nearest places -----------------------------------------------------------------------------

static v3 place(flx_patch_kind kind, const v3 *z, double x, double y)
{
    const double s[2] = {x, y};
    flx_patch_shape shape;
    v3 sum = {0};
    flx_patch_shape_at(kind, s, &shape);
    for (int i = 0; i < flx_patch_vectors(kind); i++) sum = v3_axpy(shape.N[i], z[i], sum);
    return sum;
}

static double search(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS], int n)
{
    double least = HUGE_VAL;
    int m[4];
    for (int i = 0; i < 4; i++) m[i] = flx_patch_parameters(kind[i / 2]) > i % 2 ? n : 0;
    for (int a = 0; a <= m[0]; a++) {
        for (int b = 0; b <= m[1]; b++) {
            v3 p = place(kind[0], z[0], (double)a / n, (double)b / n);
            for (int c = 0; c <= m[2]; c++) {
                for (int d = 0; d <= m[3]; d++) {
                    v3 q = place(kind[1], z[1], (double)c / n, (double)d / n);
                    least = fmin(least, v3_norm(v3_sub(q, p)));
                }
            }
        }
    }
    return least;
}

// A line that bends by less than a quarter of a turn, or flat corners.
static void draw(flx_patch_kind kind, uint64_t *seed, v3 *z)
{
    v3 at = random_vector(seed, 1.0), along = random_vector(seed, 1.0), up;
    z[0] = at;
    if (kind == FLX_PATCH_POINT) return;
    z[1] = v3_add(at, along);
    if (kind == FLX_PATCH_SEGMENT) return;
    up = v3_scale(0.3, random_vector(seed, v3_norm(along)));
    if (kind == FLX_PATCH_CUBIC) {
        z[1] = v3_add(along, up);
        z[2] = v3_add(at, along);
        z[3] = v3_sub(along, up);
        return;
    }
    v3 side = v3_cross(along, random_vector(seed, 1.0));
    z[2] = v3_add(z[1], side);
    z[3] = random_number(seed) > 0 ? v3_add(at, side) : z[2]; // a triangle
}

static int nearest_places_are_the_nearest(void)
{
    uint64_t seed = 7;
    int worse = 0;
    for (int t = 0; t < 2000; t++) {
        const flx_patch_kind kind[2] = {(flx_patch_kind)(t % 4), (flx_patch_kind)(t / 4 % 3)};
        v3 z[2][FLX_PATCH_VECTORS] = {{{0}}};
        flx_patch_place at;
        draw(kind[0], &seed, z[0]);
        draw(kind[1], &seed, z[1]);
        flx_patch_nearest(kind, z, &at);
        double found = search(kind, z, kind[0] == FLX_PATCH_FACE ? 12 : 40);
        CHECK(isfinite(at.distance));
        CHECK_NEAR(v3_norm(v3_sub(v3_load(at.c[1]), v3_load(at.c[0]))), at.distance, 1e-12);
        worse += at.distance > found + 1e-9; // another minimum than the least
        for (int side = 0; side < 2; side++) {
            double low[3], high[3], c[3];
            flx_patch_bounds(kind[side], z[side], low, high);
            memcpy(c, at.c[side], sizeof c);
            for (int k = 0; k < 3; k++) CHECK(c[k] >= low[k] - 1e-12 && c[k] <= high[k] + 1e-12);
        }
    }
    CHECK(worse < 4);
    return 0;
}

// Everything in one point, or along one line, has a distance and no NaN.
static int degenerate_patches_have_a_distance(void)
{
    uint64_t seed = 3;
    for (int t = 0; t < 200; t++) {
        const flx_patch_kind kind[2] = {(flx_patch_kind)(t % 4), (flx_patch_kind)(t / 4 % 4)};
        v3 z[2][FLX_PATCH_VECTORS] = {{{0}}}, e = random_vector(&seed, 1.0);
        flx_patch_place at;
        for (int i = 0; i < 8 && t % 3; i++) z[i / 4][i % 4] = v3_scale(t % 3 == 1 ? 1.0 : i, e);
        flx_patch_nearest(kind, z, &at);
        CHECK(isfinite(at.distance) && at.distance >= 0.0);
        for (int k = 0; k < 3; k++) CHECK(isfinite(at.normal[k]));
    }
    return 0;
}

// ---- forces -------------------------------------------------------------------------------------

enum { BODIES = 4, N = 6 * BODIES };

typedef struct rig {
    flx_frame f[BODIES + 1];
    flx_patch line[2], other;
    flx_patch_body bodies[BODIES];
    int block[BODIES * BODIES];
    flx_patch_pair p;
} rig;

// Three nodes of a beam, and a body with a capsule or a sphere.
static void make(rig *w, flx_patch_kind other, uint64_t *seed)
{
    memset(w, 0, sizeof *w);
    for (int i = 0; i <= BODIES; i++) {
        v3_store(w->f[i].r, v3_add(random_vector(seed, 0.05), v3_make(0.5 * (i - 1), 0, 0)));
        if (i == BODIES) v3_store(w->f[i].r, v3_make(0.45, 0.3, 0.25));
        m33_store(w->f[i].R, quat_to_m33(quat_exp(random_vector(seed, 0.2))));
        v3_store(w->f[i].v, random_vector(seed, 1.0));
        v3_store(w->f[i].w, random_vector(seed, 1.0));
    }
    for (int i = 0; i < BODIES; i++) w->bodies[i] = (flx_patch_body){i, 6 * i, 6};
    for (int i = 0; i < BODIES * BODIES; i++) w->block[i] = 36 * i;
    for (int e = 0; e < 2; e++) {
        w->line[e] = (flx_patch){
            .kind = FLX_PATCH_CUBIC, .nturn = 2, .turn = {1, 3}, .inner = {{e > 0, e < 1}}};
        for (int k = 0; k < 4; k++) {
            int body = e + k / 2;
            w->line[e].z[k] = (flx_patch_vector){body + 1, body, k % 2 ? 0.0 : 1.0, {0}};
            if (k % 2) w->line[e].z[k].arm[0] = 0.5;
        }
    }
    w->other = (flx_patch){.kind = other, .nturn = 1};
    for (int k = 0; k < 2; k++) {
        w->other.z[k] = (flx_patch_vector){BODIES, BODIES - 1, 1.0, {0.1, k ? 0.3 : -0.4, 0.05}};
    }
    w->p = (flx_patch_pair){.n = {2, 1},
                            .of = {w->line, &w->other},
                            .radius = {0.2, 0.25},
                            .nbody = BODIES,
                            .bodies = w->bodies,
                            .block = w->block,
                            .law = {.k = 30, .n = 1.5, .a = 0.2},
                            .friction = 0.4,
                            .velocity = 0.3};
}

static int residual(const rig *w, const flx_frame *f, double r[N])
{
    flx_frames frames = {.space = (flx_frame *)f};
    flx_patch_touch of[8];
    double boxes[18];
    int n = flx_patch_find(&w->p, frames, 0.0, boxes, 8, of);
    memset(r, 0, N * sizeof *r);
    for (int k = 0; k < n; k++) flx_patch_residual(&w->p, of + k, frames, r);
    return n;
}

// Along the motion of one number: of positions, or of velocities.
static void move(const rig *w, int k, double h, bool velocity, flx_frame *f)
{
    memcpy(f, w->f, sizeof w->f);
    flx_frame *o = f + 1 + k / 6;
    double turn[3] = {0};
    int i = k % 6;
    if (velocity) {
        *(i < 3 ? o->v + i : o->w + (i - 3)) += h;
    } else if (i < 3) {
        o->r[i] += h;
    } else {
        turn[i - 3] = h;
        m33_store(o->R, m33_mul(m33_load(o->R), quat_to_m33(quat_exp(v3_load(turn)))));
    }
}

static int tangent_is_the_derivative_of_the_force(void)
{
    uint64_t seed = 11;
    int seen = 0;
    for (int t = 0; t < 40; t++) {
        rig w;
        flx_patch_touch of[8];
        double boxes[18], r[2][N], A[2][BODIES * BODIES * 36] = {{0}}, sum[3] = {0};
        make(&w, t % 2 ? FLX_PATCH_POINT : FLX_PATCH_SEGMENT, &seed);
        flx_frames frames = {.space = w.f};
        int n = flx_patch_find(&w.p, frames, 0.0, boxes, 8, of);
        seen += n > 0;
        for (int k = 0; k < n; k++) flx_patch_linearise(&w.p, of + k, frames, A[0], A[1]);
        residual(&w, w.f, r[0]);
        for (int i = 0; i < N; i++) sum[i % 3] += i % 6 < 3 ? r[0][i] : 0.0;
        for (int i = 0; i < 3; i++) CHECK_NEAR(sum[i], 0.0, 1e-13); // momentum
        for (int velocity = 0; velocity < 2; velocity++) {
            for (int k = 0; k < N; k++) {
                const double h = 3e-6;
                flx_frame f[BODIES + 1];
                for (int s = 0; s < 2; s++) {
                    move(&w, k, s ? h : -h, velocity == 1, f);
                    residual(&w, f, r[s]);
                }
                for (int i = 0; i < N; i++) {
                    const double *block = A[velocity] + 36 * (i / 6 * BODIES + k / 6);
                    CHECK_NEAR(block[6 * (i % 6) + k % 6], (r[1][i] - r[0][i]) / (2 * h), 2e-7);
                }
            }
        }
    }
    CHECK(seen > 30);
    return 0;
}

TEST_MAIN(TEST(nearest_places_are_the_nearest), TEST(degenerate_patches_have_a_distance),
          TEST(tangent_is_the_derivative_of_the_force))
