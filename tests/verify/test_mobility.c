// test_mobility.c - redundant rows and degrees of freedom of mechanisms whose numbers are known from
// counting: small cranks in large linkages, many loops, long rings.
#include "check.h"
#include "flexion/flexion.h"
#include "model_text.h"

#include <stdbool.h>

// Rows found redundant, singular, and freedoms of a model with its parameter N set. false: failed.
static bool count(const char *text, const char *setting, flx_summary *summary)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    const char *settings[] = {setting};
    flx_status status =
        flx_model_read_text(ctx, "mobility", text, strlen(text), 1, settings, &model);
    if (status == FLX_OK) status = flx_simulation_create(model, &sim);
    if (status == FLX_OK) *summary = *flx_simulation_summary(sim);
    if (status != FLX_OK && flx_ctx_error(ctx, 0)) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return status == FLX_OK;
}

#define CHECK_MOBILITY(text, setting, expect_redundant, expect_freedoms)                           \
    do {                                                                                           \
        flx_summary s_;                                                                            \
        CHECK(count(text, setting, &s_));                                                          \
        CHECK_NEAR(s_.redundant, expect_redundant, 0);                                             \
        CHECK_NEAR(s_.singular, 0, 0);                                                             \
        CHECK_NEAR(s_.freedoms, expect_freedoms, 0);                                               \
    } while (0)

// Parallel cranks in a row, in space: every loop of four parallel revolutes has three rows too many.
static const char four_bars[] =
    "flexion: 1\n"
    "gravity: [0, -9.81, 0]\n"
    "parameters: {N: 1}\n"
    "bodies:\n"
    "  crank: {repeat: {i: [0, N]}, type: rigid, mass: 1, com: [0.5, 0, 0],"
    " inertia: [1e-3, 1/12, 1/12], position: [i, 0, 0],"
    " orientation: {axis: [0, 0, 1], angle: 70*deg}, points: {end: [1, 0, 0]}}\n"
    "  coupler: {repeat: {i: [1, N]}, type: rigid, mass: 1, com: [0.5, 0, 0],"
    " inertia: [1e-3, 1/12, 1/12], position: crank(i-1).end, points: {end: [1, 0, 0]}}\n"
    "joints:\n"
    "  foot: {repeat: {i: [0, N]}, type: revolute, on: [ground, crank(i)], at: crank(i),"
    " axis: [0, 0, 1]}\n"
    "  left: {repeat: {i: [1, N]}, type: revolute, on: [crank(i-1), coupler(i)],"
    " at: crank(i-1).end, axis: [0, 0, 1]}\n"
    "  right: {repeat: {i: [1, N]}, type: revolute, on: [crank(i), coupler(i)],"
    " at: [crank(i).end, coupler(i).end], axis: [0, 0, 1]}\n"
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n";

static int loops_in_a_row(void)
{
    CHECK_MOBILITY(four_bars, "N=1", 3, 1);
    CHECK_MOBILITY(four_bars, "N=7", 21, 1);
    CHECK_MOBILITY(four_bars, "N=100", 300, 1); // by elimination, not by QR
    return 0;
}

// A closed ring of N links that floats in space: weak in many directions, but not free in them.
#define RING(type)                                                                                 \
    "flexion: 1\n"                                                                                 \
    "parameters: {N: 6, R: 0.1*N/(2*pi)}\n"                                                        \
    "bodies:\n"                                                                                    \
    "  link: {repeat: {i: [1, N]}, type: rigid, mass: 0.1, com: [0.05, 0, 0],"                     \
    " inertia: [1e-5, 1e-4, 1e-4], position: [R*cos(2*pi*i/N), R*sin(2*pi*i/N), 0],"               \
    " orientation: {x: [cos(2*pi*(i+1)/N) - cos(2*pi*i/N), sin(2*pi*(i+1)/N) - sin(2*pi*i/N), 0]," \
    " y: [cos(2*pi*(i+0.5)/N), sin(2*pi*(i+0.5)/N), 0]}}\n"                                        \
    "joints:\n"                                                                                    \
    "  pin: {repeat: {i: [2, N]}, on: [link(i-1), link(i)], at: link(i), " type "}\n"              \
    "  last: {on: [link(N), link(1)], at: link(1), " type "}\n"                                    \
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n"

static int rings(void)
{
    static const char hinged[] = RING("type: revolute, axis: [0, 0, 1]");
    static const char ball[] = RING("type: spherical");
    CHECK_MOBILITY(hinged, "N=6", 3, 6 + 3);
    CHECK_MOBILITY(hinged, "N=400", 3, 400 + 3);
    CHECK_MOBILITY(ball, "N=6", 0, 18);
    CHECK_MOBILITY(ball, "N=400", 0, 1200);
    return 0;
}

// A crank of length N in a linkage of metres: small arms are not rounding.
static const char small_crank[] =
    "flexion: 1\n"
    "parameters: {N: 0.3, b: 0.9, c: 0.6, ax: N*cos(40*deg), ay: N*sin(40*deg),"
    " d: \"sqrt((1 - ax)^2 + ay^2)\", u: (d^2 + b^2 - c^2)/(2*d), h: \"sqrt(b^2 - u^2)\","
    " px: ax + (u*(1 - ax) + h*ay)/d, py: ay + (h*(1 - ax) - u*ay)/d}\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, com: [N/2, 0, 0], inertia: [1e-6*N^2, N^2/12, N^2/12],"
    " orientation: {x: [ax, ay, 0], y: [-ay, ax, 0]}}\n"
    "  coupler: {type: rigid, mass: 1, com: [b/2, 0, 0], inertia: [1e-6, b^2/12, b^2/12],"
    " position: [ax, ay, 0], orientation: {x: [px - ax, py - ay, 0], y: [ay - py, px - ax, 0]}}\n"
    "  rocker: {type: rigid, mass: 1, com: [c/2, 0, 0], inertia: [1e-6, c^2/12, c^2/12],"
    " position: [1, 0, 0], orientation: {x: [px - 1, py, 0], y: [-py, px - 1, 0]}}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  B: {type: revolute, on: [crank, coupler], at: [ax, ay, 0], axis: [0, 0, 1]}\n"
    "  C: {type: revolute, on: [coupler, rocker], at: [px, py, 0], axis: [0, 0, 1]}\n"
    "  D: {type: revolute, on: [ground, rocker], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n";

static int a_crank_of_any_length(void)
{
    CHECK_MOBILITY(small_crank, "N=0.3", 3, 1);
    CHECK_MOBILITY(small_crank, "N=1e-3", 3, 1);
    CHECK_MOBILITY(small_crank, "N=1e-5", 3, 1);
    return 0;
}

// ---- rows that hold little ---------------------------------------------------------------------------------

// A point of the second rod on a line of the first that the second rod crosses nearly square: a small part of the row is
// its own where it holds, and all of it beside. Four parallel cranks beside it, one of them drawn 1e-4 too far.
#define SMALL_ROWS model_text("small_rows")

static int small_rows_are_kept(void)
{
    static const char *const sizes[] = {"e=0.03", "e=1e-2", "e=1e-3", "e=1e-4", "e=1e-6", "e=1e-8"};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        CHECK_MOBILITY(SMALL_ROWS, sizes[i], 2, 2);
    }
    static const char *const lengths[] = {"L=1e-3", "L=1000", "L=1e6"};
    for (size_t i = 0; i < 3; i++) CHECK_MOBILITY(SMALL_ROWS, lengths[i], 2, 2);
    flx_summary s;
    CHECK(!count(SMALL_ROWS, "e=0", &s)); // nothing is left of it: refused
    return 0;
}

// Three parallel cranks, one of them too long or its ends too near: by half a per cent it is what was meant; by more it
// is drawn otherwise, and does not move. The threshold of small pivots lies between.
static int drawings_off_by_little_are_mechanisms(void)
{
    static const char *const little[] = {"r=1.005", "r=0.995", "s=5e-3", "s=-5e-3"};
    static const char *const much[] = {"r=1.012", "r=0.988", "s=1.2e-2", "s=-1.2e-2"};
    for (int i = 0; i < 4; i++) {
        flx_summary s;
        CHECK_MOBILITY(model_text("parallel_cranks"), little[i], 1, 1);
        CHECK(!count(model_text("parallel_cranks"), much[i], &s));
    }
    return 0;
}

// The same in space: the line in the first rod is the edge of two planes.
static int small_rows_in_space_are_kept(void)
{
    static const char text[] =
        "flexion: 1\n"
        "parameters: {e: 1e-3}\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0]}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], com: [0.5, 0, 0], position: [1, 0, "
        "0]}\n"
        "joints:\n"
        "  j: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
        "  k: {type: revolute, on: [a, b], at: [1, 0, 0], axis: [0, 0, 1]}\n"
        "  c: {type: point-on-plane, on: [a, b], at: [2, 0, 0], axis: [1, e, 0.3]}\n";
    CHECK_MOBILITY(text, "e=1e-2", 0, 1);
    CHECK_MOBILITY(text, "e=1e-3", 0, 1);
    CHECK_MOBILITY(text, "e=1e-5", 0, 1);
    return 0;
}

// A row that follows from the others at first, and later does not, stops the run where it opens.
static int rows_left_out_that_open_stop_the_run(void)
{
    static const char text[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "parameters: {s: 1}\n"
        "bodies: {a: {type: rigid, mass: 1, inertia: 0.1}}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0], motion: {angle: t}}\n"
        "  B: {type: revolute, on: [ground, a], at: [0, 0], motion: {angle: \"t + s*max(0, t - "
        "0.5)^3\"}}\n"
        "simulate: {until: 1, method: radau}\n"
        "outputs: {every: 0.05, signals: [a.angle]}\n";
    static const char *const settings[] = {"s=0", "s=1"};
    for (int i = 0; i < 2; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_simulation *sim = NULL;
        CHECK(flx_model_read_text(ctx, "opens", text, strlen(text), 1, settings + i, &model) ==
              FLX_OK);
        CHECK(flx_simulation_create(model, &sim) == FLX_OK);
        flx_status status = flx_simulation_run(sim, 0, NULL, NULL, NULL);
        CHECK((status == FLX_OK) == (i == 0));
        if (i == 1) CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "'B', which was left out");
        flx_simulation_destroy(&sim);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(loops_in_a_row), TEST(rings), TEST(a_crank_of_any_length), TEST(small_rows_are_kept),
          TEST(small_rows_in_space_are_kept), TEST(drawings_off_by_little_are_mechanisms),
          TEST(rows_left_out_that_open_stop_the_run))
