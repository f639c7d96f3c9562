// test_modal.c - the flexible body in a floating frame against particles: forces are those of the
// masses, tangents those of differences, energy and momentum sums over the particles.
#include "body/modal.h"
#include "check.h"
#include "random_number.h"

#include <stdlib.h>

enum { NP = 5, N = 3, NV = 6 + N };

static uint64_t seed = 4711;
static double draw(void)
{
    return 0.5 * random_number(&seed);
}

typedef struct rig {
    flx_ctx *ctx;
    flx_arena *arena;
    flx_elastic *e;
    double m[NP], X[NP][3], phi[NP][3 * N], gam[NP][3 * N * N];
    flx_modal_data b;
    double q[N], v[NV], a[NV], g[3], scratch[FLX_MODAL_SCRATCH(N, NP)];
    double r[3], R[9], angle;
    bool planar;
} rig;

// What is known of the quadratic field: there is none, its series, all of it.
enum { NONE, SERIES, FIELD, KINDS };

// The particles' field as the body takes it.
static int give_field(rig *x)
{
    double rows[NP * FLX_PARTICLE(N)], *to = rows;
    for (int i = 0; i < NP; i++, to += FLX_PARTICLE(N)) {
        double root = sqrt(x->m[i]);
        to[0] = root;
        for (int k = 0; k < 3; k++) to[1 + k] = root * x->X[i][k];
        for (int k = 0; k < 3 * N; k++) to[4 + k] = root * x->phi[i][k];
        for (int k = 0; k < 3 * N * N; k++) to[4 + 3 * N + k] = root * x->gam[i][k];
    }
    CHECK(flx_elastic_set_field(x->ctx, x->arena, NP, rows, x->e) == FLX_OK);
    CHECK(x->e->ngrain == NP);
    return 0;
}

static int make(rig *x, bool planar, int kind)
{
    bool gamma = kind != NONE;
    *x = (rig){.planar = planar};
    x->ctx = flx_ctx_create();
    CHECK(x->ctx);
    x->arena = flx_arena_create(x->ctx);
    CHECK(x->arena);
    CHECK(flx_elastic_create(x->arena, N, 0, &x->e) == FLX_OK);
    int dim = planar ? 2 : 3;
    for (int i = 0; i < NP; i++) {
        x->m[i] = 1.0 + draw();
        for (int k = 0; k < dim; k++) x->X[i][k] = draw();
        for (int k = 0; k < 3 * N; k++) x->phi[i][k] = k % 3 < dim ? draw() : 0.0;
        for (int k = 0; gamma && k < N; k++) {
            for (int l = 0; l <= k; l++) {
                for (int c = 0; c < dim; c++) {
                    double y = draw();
                    x->gam[i][3 * (k * N + l) + c] = x->gam[i][3 * (l * N + k) + c] = y;
                }
            }
        }
        flx_elastic_add_mass(x->e, x->m[i], x->X[i], x->phi[i], gamma ? x->gam[i] : NULL);
    }
    if (!gamma) flx_elastic_trim(x->e);
    if (kind == FIELD) CHECK(give_field(x) == 0);
    for (int k = 0; k < N; k++) {
        x->q[k] = draw();
        x->e->k0[k] = draw();
        for (int l = 0; l <= k; l++) {
            x->e->K[k * N + l] = x->e->K[l * N + k] = draw();
            x->e->D[k * N + l] = x->e->D[l * N + k] = draw();
        }
    }
    for (int i = 0; i < NV; i++) x->v[i] = draw(), x->a[i] = draw();
    for (int i = 0; i < dim; i++) x->r[i] = draw(), x->g[i] = 10 * draw();
    x->angle = draw();
    v3 turn = planar ? v3_make(0, 0, x->angle) : v3_make(3 * draw(), 3 * draw(), 3 * draw());
    m33_store(x->R, quat_to_m33(quat_exp(turn)));
    int nf = planar ? 3 : 6, nv = nf + N;
    x->b = (flx_modal_data){.e = x->e, .frame = 0, .v = 0, .q = 0, .u = nf};
    x->b.at[0][0] = 0;
    x->b.at[0][1] = nf * nf;
    x->b.at[1][0] = nf * nv;
    x->b.at[1][1] = nf * nv + nf * N;
    return 0;
}

static void finish(rig *x)
{
    flx_arena_destroy(&x->arena);
    flx_ctx_destroy(&x->ctx);
}

static int nv_of(const rig *x)
{
    return (x->planar ? 3 : 6) + N;
}

// The kernels, whatever the dimension.
typedef struct view {
    flx_frame f;
    flx_frame2 f2;
    flx_modal_point p;
} view;

static view look(rig *x)
{
    view w = {.p = {.q = x->q, .v = x->v, .a = x->a, .g = x->g, .scratch = x->scratch}};
    memcpy(w.f.R, x->R, sizeof x->R);
    memcpy(w.f.r, x->r, sizeof x->r);
    memcpy(w.f.v, x->v, sizeof w.f.v);
    memcpy(w.f.w, x->v + 3, sizeof w.f.w);
    w.f2 = (flx_frame2){.c = cos(x->angle),
                        .s = sin(x->angle),
                        .x = x->r[0],
                        .y = x->r[1],
                        .angle = x->angle,
                        .vx = x->v[0],
                        .vy = x->v[1],
                        .w = x->v[2]};
    return w;
}

static void residual(rig *x, double *r)
{
    view w = look(x);
    memset(r, 0, NV * sizeof *r);
    if (x->planar) {
        flx_modal2_residual(1, &x->b, &w.f2, &w.p, r);
    } else {
        flx_modal_residual(1, &x->b, &w.f, &w.p, r);
    }
}

static void momentum(rig *x, double *r)
{
    view w = look(x);
    memset(r, 0, NV * sizeof *r);
    if (x->planar) {
        flx_modal2_momentum(1, &x->b, &w.f2, &w.p, r);
    } else {
        flx_modal_momentum(1, &x->b, &w.f, &w.p, r);
    }
}

static void transport(rig *x, double *r)
{
    view w = look(x);
    memset(r, 0, NV * sizeof *r);
    if (x->planar) {
        flx_modal2_transport(1, &x->b, &w.f2, &w.p, r);
    } else {
        flx_modal_transport(1, &x->b, &w.f, &w.p, r);
    }
}

static flx_energies energy(rig *x)
{
    flx_energies e = {0};
    view w = look(x);
    if (x->planar) {
        flx_modal2_energy(1, &x->b, &w.f2, &w.p, &e);
    } else {
        flx_modal_energy(1, &x->b, &w.f, &w.p, &e);
    }
    return e;
}

// Place of particle i in the body frame, and its derivatives by the coordinates.
static v3 particle(const rig *x, int i, v3 by[N])
{
    v3 s = v3_load(x->X[i]);
    for (int k = 0; k < N; k++) {
        by[k] = v3_load(x->phi[i] + 3 * k);
        for (int l = 0; l < N; l++) {
            v3 gam = v3_load(x->gam[i] + 3 * (k * N + l));
            s = v3_axpy(0.5 * x->q[k] * x->q[l], gam, s);
            by[k] = v3_axpy(x->q[l], gam, by[k]);
        }
        s = v3_axpy(x->q[k], v3_load(x->phi[i] + 3 * k), s);
    }
    return s;
}

// The particles' own equations, m T^T (a - g), hold exactly: without a quadratic field, and where all of
// it is known, however far the body bends.
static int forces_of(int kind, double far)
{
    rig x;
    CHECK(make(&x, false, kind) == 0);
    for (int k = 0; k < N; k++) x.q[k] *= far;
    const double eps = far * far * far * far * 1e-13;
    double r[NV], expected[NV] = {0};
    residual(&x, r);
    m33 R = m33_load(x.R);
    v3 w = v3_load(x.v + 3), alpha = v3_load(x.a + 3);
    for (int i = 0; i < NP; i++) {
        v3 by[N], s = particle(&x, i, by), sd = {0, 0, 0}, sdd = {0, 0, 0};
        for (int k = 0; k < N; k++) {
            sd = v3_axpy(x.v[6 + k], by[k], sd);
            sdd = v3_axpy(x.a[6 + k], by[k], sdd);
            for (int l = 0; l < N; l++) {
                v3 gam = v3_load(x.gam[i] + 3 * (k * N + l));
                sdd = v3_axpy(x.v[6 + k] * x.v[6 + l], gam, sdd);
            }
        }
        v3 a = v3_add(v3_add(v3_cross(alpha, s), v3_cross(w, v3_cross(w, s))),
                      v3_axpy(2.0, v3_cross(w, sd), sdd));
        a = v3_sub(v3_add(v3_load(x.a), m33_mul_v(R, a)), v3_load(x.g));
        v3 f = v3_scale(x.m[i], a), own = m33_tmul_v(R, f);
        v3_add_to(expected, 1.0, f);
        v3_add_to(expected + 3, 1.0, v3_cross(s, own));
        for (int k = 0; k < N; k++) expected[6 + k] += v3_dot(by[k], own);
    }
    for (int k = 0; k < N; k++) {
        expected[6 + k] += x.e->k0[k];
        for (int l = 0; l < N; l++) {
            expected[6 + k] += x.e->K[k * N + l] * x.q[l] + x.e->D[k * N + l] * x.v[6 + l];
        }
    }
    for (int i = 0; i < NV; i++) CHECK_NEAR(r[i], expected[i], 100 * eps);
    flx_energies e = energy(&x);
    double kinetic = 0.0;
    v3 linear = {0, 0, 0}, angular = {0, 0, 0};
    for (int i = 0; i < NP; i++) {
        v3 by[N], s = particle(&x, i, by), sd = {0, 0, 0};
        for (int k = 0; k < N; k++) sd = v3_axpy(x.v[6 + k], by[k], sd);
        v3 v = v3_add(v3_load(x.v), m33_mul_v(R, v3_add(v3_cross(w, s), sd)));
        kinetic += 0.5 * x.m[i] * v3_dot(v, v);
        linear = v3_axpy(x.m[i], v, linear);
        angular = v3_axpy(x.m[i], v3_cross(v3_add(v3_load(x.r), m33_mul_v(R, s)), v), angular);
    }
    CHECK_NEAR(e.kinetic, kinetic, eps);
    for (int i = 0; i < 3; i++) {
        const double l[3] = {linear.x, linear.y, linear.z},
                     h[3] = {angular.x, angular.y, angular.z};
        CHECK_NEAR(e.linear[i], l[i], eps);
        CHECK_NEAR(e.angular[i], h[i], eps);
    }
    finish(&x);
    return 0;
}

static int forces_are_those_of_the_particles(void)
{
    CHECK(forces_of(NONE, 1) == 0);
    CHECK(forces_of(FIELD, 1) == 0);
    CHECK(forces_of(FIELD, 3) == 0);
    return 0;
}

// Move along one unknown: a small turn of the frame is one of its own axes.
static void move(rig *x, int j, double h)
{
    int turns = x->planar ? 2 : 3, nf = x->planar ? 3 : 6;
    if (j < turns) {
        x->r[j] += h;
    } else if (j < nf && x->planar) {
        x->angle += h;
    } else if (j < nf) {
        v3 th = v3_make(h * (j == 3), h * (j == 4), h * (j == 5));
        m33_store(x->R, m33_mul(m33_load(x->R), quat_to_m33(quat_exp(th))));
    } else {
        x->q[j - nf] += h;
    }
}

static double entry(const rig *x, const double *A, int i, int j)
{
    int nf = x->planar ? 3 : 6;
    bool ci = i >= nf, cj = j >= nf;
    return A[x->b.at[ci][cj] + (ci ? i - nf : i) * (cj ? N : nf) + (cj ? j - nf : j)];
}

static int tangent_of(bool planar, int kind)
{
    rig x;
    CHECK(make(&x, planar, kind) == 0);
    double A[3][NV * NV] = {{0}}, up[NV], down[NV];
    const double h = 1e-5;
    int nv = nv_of(&x);
    view w = look(&x);
    if (planar) {
        flx_modal2_linearise(1, &x.b, &w.f2, &w.p, A[0], A[1], A[2]);
    } else {
        flx_modal_linearise(1, &x.b, &w.f, &w.p, A[0], A[1], A[2]);
    }
    for (int which = 0; which < 3; which++) {
        for (int j = 0; j < nv; j++) {
            rig at = x;
            at.b.e = x.e;
            for (int side = 0; side < 2; side++) {
                at = x;
                double d = side ? -h : h;
                if (which == 0) move(&at, j, d);
                if (which == 1) at.v[j] += d;
                if (which == 2) at.a[j] += d;
                residual(&at, side ? down : up);
            }
            for (int i = 0; i < nv; i++) {
                CHECK_NEAR(entry(&x, A[which], i, j), (up[i] - down[i]) / (2 * h), 2e-8);
            }
        }
    }
    for (int i = 0; i < nv; i++) {
        for (int j = 0; j < nv; j++) {
            CHECK_NEAR(entry(&x, A[2], i, j), entry(&x, A[2], j, i), 1e-14);
        }
    }
    finish(&x);
    return 0;
}

static int tangents_are_exact(void)
{
    for (int k = 0; k < 2 * KINDS; k++) CHECK(tangent_of(k & 1, k / 2) == 0);
    return 0;
}

// v.r = d(T + V)/dt along any motion: what makes the energy exact, quadratic field or not. And the rate of
// M v is what `transport` says.
static int energy_is_exact(void)
{
    for (int kind = 0; kind < 2 * KINDS; kind++) {
        rig x;
        CHECK(make(&x, kind & 1, kind / 2) == 0);
        int nv = nv_of(&x);
        double r[NV], rate[2], p[2][NV], t[NV], p0[NV], power = 0.0;
        const double h = 1e-5;
        for (int i = 0; i < N * N; i++) x.e->D[i] = 0.0;
        residual(&x, r);
        for (int i = 0; i < nv; i++) power += x.v[i] * r[i];
        for (int side = 0; side < 2; side++) {
            rig at = x;
            double d = side ? -h : h;
            int nf = x.planar ? 3 : 6;
            for (int j = 0; j < nv; j++) {
                if (j < 3 || j >= nf || x.planar) move(&at, j, d * x.v[j]);
            }
            if (!x.planar) {
                v3 th = v3_scale(d, v3_load(x.v + 3));
                m33_store(at.R, m33_mul(m33_load(x.R), quat_to_m33(quat_exp(th))));
            }
            momentum(&at, p[side]); // with the velocities as they are: M' v
            for (int j = 0; j < nv; j++) at.v[j] += d * x.a[j];
            flx_energies e = energy(&at);
            rate[side] = e.kinetic + e.potential + e.strain;
        }
        CHECK_NEAR((rate[0] - rate[1]) / (2 * h), power, 1e-7);
        transport(&x, t);
        momentum(&x, p0);
        if (!x.planar) { // less p x w
            v3 pw = v3_cross(v3_load(p0 + 3), v3_load(x.v + 3));
            v3_add_to(t + 3, 1.0, pw);
        }
        for (int i = 0; i < nv; i++) CHECK_NEAR(t[i], (p[0][i] - p[1][i]) / (2 * h), 2e-8);
        finish(&x);
    }
    return 0;
}

// In the plane the kernel of space gives the same rows.
static int rows_agree(int kind)
{
    rig x;
    CHECK(make(&x, true, kind) == 0);
    double r[NV], s[NV] = {0};
    residual(&x, r);
    rig y = x;
    y.planar = false;
    memset(y.v, 0, sizeof y.v);
    memset(y.a, 0, sizeof y.a);
    for (int i = 0; i < 2; i++) y.v[i] = x.v[i], y.a[i] = x.a[i];
    y.v[5] = x.v[2], y.a[5] = x.a[2];
    for (int k = 0; k < N; k++) y.v[6 + k] = x.v[3 + k], y.a[6 + k] = x.a[3 + k];
    y.b.u = 6;
    residual(&y, s);
    CHECK_NEAR(r[0], s[0], 1e-13);
    CHECK_NEAR(r[1], s[1], 1e-13);
    CHECK_NEAR(r[2], s[5], 1e-13);
    CHECK_NEAR(s[2], 0.0, 1e-13);
    for (int k = 0; k < N; k++) CHECK_NEAR(r[3 + k], s[6 + k], 1e-13);
    finish(&x);
    return 0;
}

static int plane_and_space_agree(void)
{
    for (int kind = 0; kind < KINDS; kind++) CHECK(rows_agree(kind) == 0);
    return 0;
}

// Few functions make few grains, and a square has one sign: bodies with the series alone lose it.
static int kinetic_energy_keeps_its_sign(void)
{
    int negative[KINDS] = {0};
    for (int i = 0; i < 200; i++) {
        for (int kind = SERIES; kind < KINDS; kind++) {
            rig x;
            CHECK(make(&x, i & 1, kind) == 0);
            for (int k = 0; k < N; k++) x.q[k] *= 10;
            negative[kind] += energy(&x).kinetic < 0;
            finish(&x);
        }
    }
    CHECK(negative[SERIES] > 0);
    CHECK(negative[FIELD] == 0);
    return 0;
}

TEST_MAIN(TEST(forces_are_those_of_the_particles), TEST(tangents_are_exact), TEST(energy_is_exact),
          TEST(plane_and_space_agree), TEST(kinetic_energy_keeps_its_sign))
