// test_tree_slopes.c - derivatives of the tree's dynamics against differences on random mechanisms, in the
// plane and in space; M x = b against the mass matrix; the calls of flexion/dynamics.h.
#include "check.h"
#include "flexion/dynamics.h"
#include "random_tree.h"
#include "tree/recursion/tree_bodies.h"
#include "tree/recursion/tree_slopes.h"

#include <stdlib.h>

#define MOST 64

typedef struct rig {
    mechanism k;
    flx_topology top;
    flx_tree_links t;
    flx_link_state *states;
    flx_link_slopes *slopes;
    flx_freedom_slopes *freedoms;
    double q[MOST], v[MOST], a[MOST], ext[6 * MOST];
} rig;

static int rig_open(rig *g, int dimension, uint64_t seed)
{
    *g = (rig){0};
    random_tree(&g->k, dimension, seed);
    CHECK(flx_topology_create(&g->k.m, &g->top) == FLX_OK);
    CHECK(flx_tree_links_create(&g->k.m, &g->top, &g->t) == FLX_OK);
    CHECK(g->t.k.nq <= MOST && g->t.k.n < MOST);
    g->states = flx_alloc(g->k.ctx, MOST, sizeof *g->states);
    g->slopes = flx_alloc(g->k.ctx, MOST, sizeof *g->slopes);
    g->freedoms = flx_alloc(g->k.ctx, MOST, sizeof *g->freedoms);
    random_motion(&g->k, &g->t, g->q, g->v);
    random_vector(&g->k.seed, g->t.k.nv, 3.0, g->a);
    random_vector(&g->k.seed, 6 * g->t.k.n, 2.0, g->ext);
    return 0;
}

static void rig_close(rig *g)
{
    flx_free(g->states);
    flx_free(g->slopes);
    flx_free(g->freedoms);
    flx_tree_links_clear(&g->t);
    flx_topology_clear(&g->top);
    mechanism_free(&g->k);
}

static double largest(int n, const double *x)
{
    double most = 1.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void retract(const rig *g, const double *theta, double *q)
{
    for (int i = 0; i < g->t.k.n; i++) {
        const flx_link *l = g->t.links + i;
        flx_tree_retract_link(l, g->t.k.planar, g->q + l->q, theta + l->v, q + l->q);
    }
}

// tau at q (+) e theta_j and v + e.
static void displaced(rig *g, int j, double by_q, double by_v, double *tau)
{
    double q[MOST], v[MOST], theta[MOST] = {0};
    theta[j] = by_q;
    memcpy(v, g->v, sizeof v);
    v[j] += by_v;
    retract(g, theta, q);
    flx_linkage_inverse(&g->t.k, g->states, q, v, g->a, g->ext, tau);
}

// Differences of fourth order, h = 1e-3: h^4 of the fifth derivative and rounding over h, 1e-11 of the forces.
static int differ(rig *g, int j, bool by_v, double *slope)
{
    static const double weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
    static const double place[4] = {-2, -1, 1, 2};
    const double h = 1e-3;
    memset(slope, 0, MOST * sizeof *slope);
    for (int k = 0; k < 4; k++) {
        double tau[MOST];
        displaced(g, j, by_v ? 0.0 : place[k] * h, by_v ? place[k] * h : 0.0, tau);
        for (int i = 0; i < g->t.k.nv; i++) slope[i] += weight[k] * tau[i] / h;
    }
    return 0;
}

static int derivatives_of_inverse_dynamics(void)
{
    double dq[MOST * MOST], dv[MOST * MOST], M[MOST * MOST], mass[MOST * MOST], slope[MOST];
    for (uint64_t seed = 1; seed <= 200; seed++) {
        rig g;
        CHECK(rig_open(&g, seed % 3 == 0 ? 2 : 3, seed) == 0);
        int n = g.t.k.nv;
        flx_linkage_inverse_slopes(&g.t.k, g.slopes, g.freedoms, g.q, g.v, g.a, g.ext, dq, dv, M);
        flx_linkage_mass(&g.t.k, g.states, g.q, mass);
        double size_q = largest(n * n, dq), size_v = largest(n * n, dv);
        for (int j = 0; j < n; j++) {
            differ(&g, j, false, slope);
            for (int i = 0; i < n; i++) CHECK_NEAR(dq[i * n + j], slope[i], 2e-9 * size_q);
            differ(&g, j, true, slope);
            for (int i = 0; i < n; i++) CHECK_NEAR(dv[i * n + j], slope[i], 2e-9 * size_v);
            for (int i = 0; i < n; i++) {
                CHECK_NEAR(M[i * n + j], mass[i * n + j], 1e-13 * largest(n * n, mass));
            }
        }
        rig_close(&g);
    }
    return 0;
}

static int solutions_without_the_mass_matrix(void)
{
    double M[MOST * MOST], x[MOST], back[MOST];
    for (uint64_t seed = 1; seed <= 100; seed++) {
        rig g;
        CHECK(rig_open(&g, seed % 3 == 0 ? 2 : 3, seed) == 0);
        int n = g.t.k.nv;
        flx_linkage_mass(&g.t.k, g.states, g.q, M);
        CHECK(flx_linkage_factor(&g.t.k, g.slopes, g.q) == -1);
        memcpy(x, g.a, sizeof x);
        flx_linkage_solve(&g.t.k, g.slopes, x, 1);
        for (int i = 0; i < n; i++) {
            back[i] = 0.0;
            for (int j = 0; j < n; j++) back[i] += M[i * n + j] * x[j];
            CHECK_NEAR(back[i], g.a[i], 1e-11 * largest(n * n, M) * largest(n, x));
        }
        rig_close(&g);
    }
    return 0;
}

static const char arm[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
    "  base: {type: rigid, mass: 3, inertia: [0.3, 0.2, 0.1], com: [0.1, 0, 0.2]}\n"
    "  upper: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.1], position: [0, 0, 0.5], com: [0.2, "
    "0, 0]}\n"
    "  hand: {type: rigid, mass: 1, inertia: [0.02, 0.03, 0.04], position: [0.6, 0, 0.5], com: "
    "[0.1, "
    "0.05, 0]}\njoints:\n  turn: {type: revolute, on: [ground, base], at: [0, 0, 0], axis: [0, 0, "
    "1]}\n"
    "  lift: {type: revolute, on: [upper, base], at: upper, axis: [0, 1, 0]}\n"
    "  wrist: {type: spherical, on: [upper, hand], at: hand}\n";

static const char against[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
    "  rod: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.1}\n"
    "  bob: {type: rigid, mass: 2, position: [1, 0], inertia: 0.2}\njoints:\n"
    "  hinge: {type: revolute, on: [rod, ground], at: [0, 0]}\n"
    "  slider: {type: prismatic, on: [bob, rod], at: [1, 0], axis: [1, 0]}\n";

// Coordinates are of the second body relative to the first, also where the tree runs against them.
static int coordinates_have_the_signs_of_the_joints(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_dynamics *d = NULL;
    CHECK(flx_model_read_text(ctx, "arm", against, strlen(against), 0, NULL, &model) == FLX_OK);
    CHECK(flx_dynamics_create(model, &d) == FLX_OK);
    // The rod is turned by -hinge, the bob is 1 - slider from the pin.
    double q[2] = {0.3, 0.25}, v[2] = {0.7, -0.4}, tau[2] = {1.5, -2.0}, a[2], M[4];
    double r = 1 - q[1], J = 0.1 + 0.25 + 0.2 + 2 * r * r;
    double expected = (tau[0] + 9.81 * (0.5 + 2 * r) * cos(q[0]) + 4 * r * v[0] * v[1]) / J;
    CHECK(flx_dynamics_forward(d, q, v, tau, a) == FLX_OK);
    CHECK_NEAR(a[0], expected, 1e-13 * fabs(expected));
    expected = -(-tau[1] + 2 * r * v[0] * v[0] + 2 * 9.81 * sin(q[0])) / 2;
    CHECK_NEAR(a[1], expected, 1e-13 * fabs(expected));
    flx_dynamics_mass(d, q, M);
    CHECK_NEAR(M[0], J, 1e-14);
    CHECK_NEAR(M[1], 0.0, 1e-14);
    flx_dynamics_destroy(&d);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Derivatives of accelerations by a, q, v and tau through the calls of the library.
static int calls_of_the_library(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_dynamics *d = NULL;
    CHECK(flx_model_read_text(ctx, "arm", arm, strlen(arm), 0, NULL, &model) == FLX_OK);
    CHECK(flx_dynamics_create(model, &d) == FLX_OK);
    enum { N = 5 };
    CHECK(flx_dynamics_freedoms(d) == N && flx_dynamics_coordinates(d) == 6);
    CHECK(flx_dynamics_loops(d) == 0);
    int freedom;
    CHECK_TEXT(flx_dynamics_name(d, 4, &freedom), "wrist");
    CHECK(freedom == 2 && !flx_dynamics_name(d, 5, &freedom));
    double q[6], v[N] = {0.3, -0.7, 1.1, 0.2, -0.5}, tau[N] = {1, 2, 0.1, -0.2, 0.3};
    double theta[N] = {0.4, -0.3, 0.5, 0.2, -0.1}, a[N], back[N];
    double dq[N * N], dv[N * N], dt[N * N], M[N * N];
    flx_dynamics_retract(d, flx_dynamics_drawn(d), theta, q);
    CHECK(flx_dynamics_forward_derivatives(d, q, v, tau, a, dq, dv, dt) == FLX_OK);
    flx_dynamics_inverse(d, q, v, a, back);
    for (int i = 0; i < N; i++) CHECK_NEAR(back[i], tau[i], 1e-13);
    flx_dynamics_mass(d, q, M);
    double by_q[N * N], by_v[N * N]; // M da/dq + dtau/dq = 0 at the same motion
    flx_dynamics_inverse_derivatives(d, q, v, a, by_q, by_v);
    for (int i = 0; i < N * N; i++) {
        double along_q = 0.0, along_v = 0.0;
        for (int k = 0; k < N; k++) {
            along_q += M[i / N * N + k] * dq[k * N + i % N];
            along_v += M[i / N * N + k] * dv[k * N + i % N];
        }
        CHECK_NEAR(by_q[i], -along_q, 1e-12 * largest(N * N, by_q));
        CHECK_NEAR(by_v[i], -along_v, 1e-12 * largest(N * N, by_v));
    }
    for (int j = 0; j < N; j++) {
        const double h = 1e-5;
        double step[N] = {0}, qp[6], qm[6], ap[N], am[N];
        step[j] = h;
        flx_dynamics_retract(d, q, step, qp);
        step[j] = -h;
        flx_dynamics_retract(d, q, step, qm);
        CHECK(flx_dynamics_forward(d, qp, v, tau, ap) == FLX_OK);
        CHECK(flx_dynamics_forward(d, qm, v, tau, am) == FLX_OK);
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(dq[i * N + j], (ap[i] - am[i]) / (2 * h), 1e-6 * largest(N * N, dq));
        }
        v[j] += h;
        CHECK(flx_dynamics_forward(d, q, v, tau, ap) == FLX_OK);
        v[j] -= 2 * h;
        CHECK(flx_dynamics_forward(d, q, v, tau, am) == FLX_OK);
        v[j] += h;
        for (int i = 0; i < N; i++) {
            CHECK_NEAR(dv[i * N + j], (ap[i] - am[i]) / (2 * h), 1e-7 * largest(N * N, dv));
            double sum = 0.0;
            for (int k = 0; k < N; k++) sum += M[i * N + k] * dt[k * N + j];
            CHECK_NEAR(sum, i == j, 1e-12);
        }
    }
    flx_dynamics_destroy(&d);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(derivatives_of_inverse_dynamics), TEST(solutions_without_the_mass_matrix),
          TEST(coordinates_have_the_signs_of_the_joints), TEST(calls_of_the_library))
