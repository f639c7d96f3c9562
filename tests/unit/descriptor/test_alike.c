// The same mechanism said in two ways moves alike: in the plane and in space, by joints of different
// rows, with redundant joints and without, by bodies and by equations. And coordinates of joints
// that turn many times stay true through gears and screws.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"
#include "model_text.h"

#include <stdlib.h>

// Values of the measures after a run; returns their number, -1 for a failure.
static int run(const char *text, double *values)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    int n = -1;
    flx_status s = flx_model_read_text(ctx, "alike", text, strlen(text), 0, NULL, &m);
    if (s == FLX_OK) s = flx_simulation_create(m, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 0, NULL, NULL, NULL);
    if (s == FLX_OK) {
        n = flx_simulation_metric_count(sim);
        for (int i = 0; i < n; i++) flx_simulation_metric(sim, i, values + i);
    } else {
        printf("%s\n", flx_ctx_error(ctx, 0) ? flx_ctx_error(ctx, 0)->text : flx_status_text(s));
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return n;
}

#define MAX_MEASURES 12
#define ADAPTIVE "simulate: {until: 2, method: dopri5, rtol: 1e-10, atol: 1e-12}\n"

static int alike(const char *one, const char *other, double tolerance)
{
    double a[MAX_MEASURES], b[MAX_MEASURES];
    int n = run(one, a);
    CHECK(n > 0 && n <= MAX_MEASURES);
    CHECK(run(other, b) == n);
    for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], tolerance * (1.0 + fabs(b[i])));
    return 0;
}

static int skate_in_the_plane_and_in_space(void)
{
    return alike(
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -1]\n"
        "bodies: {sled: {type: rigid, mass: 2, inertia: 0.3, com: [0.2, 0.1],"
        " angular_velocity: 1.3}}\n"
        "joints: {blade: {type: knife-edge, on: [ground, sled], at: sled, axis: [0, 1],"
        " frame: sled}}\n" ADAPTIVE
        "outputs: {every: 1, signals: [sled.position], metrics: {x: final(sled.position.x),"
        " y: final(sled.position.y), c: final(sled.ex.x), f: final(blade.reaction.x),"
        " e: final(energy.total)}}\n",
        "flexion: 1\n"
        "gravity: [0, -1, 0]\n"
        "bodies: {sled: {type: rigid, mass: 2, inertia: [0.2, 0.25, 0.3],"
        " com: [0.2, 0.1, 0], angular_velocity: [0, 0, 1.3]}}\n"
        "joints:\n"
        "  blade: {type: knife-edge, on: [ground, sled], at: sled, axis: [0, 1, 0],"
        " frame: sled}\n"
        "  ice: {type: planar, on: [ground, sled], at: sled, axis: [0, 0, 1]}\n" ADAPTIVE
        "outputs: {every: 1, signals: [sled.position], metrics: {x: final(sled.position.x),"
        " y: final(sled.position.y), c: final(sled.ex.x), f: final(blade.reaction.x),"
        " e: final(energy.total)}}\n",
        1e-8);
}

static int unbalanced_wheel_in_the_plane_and_in_space(void)
{
    return alike(
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [1, -9.81]\n"
        "bodies: {disc: {type: rigid, mass: 2, inertia: 0.3, com: [0.1, 0],"
        " position: [0, 0.5], angular_velocity: -2, velocity: [1, 0]}}\n"
        "joints: {r: {type: rolling, on: [ground, disc], at: [[0, 0], disc],"
        " normal: [0, 1], radius: 0.5}}\n" ADAPTIVE
        "outputs: {every: 1, signals: [disc.position], metrics: {x: final(disc.position.x),"
        " c: final(disc.ex.x), p: final(r.contact.x), fx: final(r.reaction.x),"
        " fy: final(r.reaction.y)}}\n",
        "flexion: 1\n"
        "gravity: [1, -9.81, 0]\n"
        "bodies: {disc: {type: rigid, mass: 2, inertia: [0.2, 0.25, 0.3],"
        " com: [0.1, 0, 0], position: [0, 0.5, 0], angular_velocity: [0, 0, -2],"
        " velocity: [1, 0, 0]}}\n"
        "joints: {r: {type: rolling, on: [ground, disc], at: [[0, 0, 0], disc],"
        " normal: [0, 1, 0], axis: [0, 0, 1], radius: 0.5}}\n" ADAPTIVE
        "outputs: {every: 1, signals: [disc.position], metrics: {x: final(disc.position.x),"
        " c: final(disc.ex.x), p: final(r.contact.x), fx: final(r.reaction.x),"
        " fy: final(r.reaction.y)}}\n",
        1e-8);
}

// A slider crank: revolute and prismatic in the plane; in space with a redundant loop of hinges, and
// with a spherical and a universal joint, a point on a line, a guide.
#define CRANK_BODIES                                                                               \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, -9.81, 0]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 1, inertia: [0.03, 0.04, 0.05], com: [0.5, 0, 0],"               \
    " angular_velocity: [0, 0, 7]}\n"                                                              \
    "  rod: {type: rigid, mass: 2, inertia: [0.1, 0.25, 0.3], com: [1, 0, 0],"                     \
    " position: [1, 0, 0]}\n"                                                                      \
    "  block: {type: rigid, mass: 1.5, inertia: [0.1, 0.1, 0.1], position: [3, 0, 0]}\n"
#define CRANK_OUTPUTS                                                                              \
    "outputs: {every: 1, signals: [block.position], metrics: {x: final(block.position.x),"         \
    " a: final(A.angle), w: final(A.rate), e: final(energy.total), fx: final(A.reaction.x),"       \
    " fy: final(A.reaction.y), top: maximum(block.position.x)}}\n"
#define CRANK_START "initial: {angle: 0.4, rate: 7}"

static const char crank_plane[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 1, inertia: 0.05, com: [0.5, 0]}\n"
    "  rod: {type: rigid, mass: 2, inertia: 0.3, com: [1, 0], position: [1, 0]}\n"
    "  block: {type: rigid, mass: 1.5, inertia: 0.1, position: [3, 0]}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0], " CRANK_START "}\n"
    "  B: {type: revolute, on: [crank, rod], at: [1, 0]}\n"
    "  C: {type: revolute, on: [rod, block], at: [3, 0]}\n"
    "  D: {type: prismatic, on: [ground, block], at: [3, 0], axis: [1, 0]}\n" ADAPTIVE
        CRANK_OUTPUTS;

static const char crank_hinges[] = CRANK_BODIES
    "joints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], " CRANK_START "}\n"
    "  B: {type: revolute, on: [crank, rod], at: [1, 0, 0], axis: [0, 0, 1]}\n"
    "  C: {type: revolute, on: [rod, block], at: [3, 0, 0], axis: [0, 0, 1]}\n"
    "  D: {type: prismatic, on: [ground, block], at: [3, 0, 0], axis: [1, 0, 0]}\n" ADAPTIVE
        CRANK_OUTPUTS;

static const char crank_loose[] = CRANK_BODIES
    "joints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], " CRANK_START "}\n"
    "  B: {type: spherical, on: [crank, rod], at: [1, 0, 0]}\n"
    "  C: {type: universal, on: [rod, block], at: [3, 0, 0], axes: [[0, 0, 1], [0, 1, 0]]}\n"
    "  D: {type: prismatic, on: [ground, block], at: [3, 0, 0], axis: [1, 0, 0]}\n" ADAPTIVE
        CRANK_OUTPUTS;

static const char crank_line[] = CRANK_BODIES
    "joints:\n"
    "  A: {type: revolute, on: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1], " CRANK_START "}\n"
    "  B: {type: spherical, on: [crank, rod], at: [1, 0, 0]}\n"
    "  C: {type: revolute, on: [rod, block], at: [3, 0, 0], axis: [0, 0, 1]}\n"
    "  D: {type: planar, on: [ground, block], at: [3, 0, 0], axis: [0, 1, 0]}\n"
    "  E: {type: point-on-line, on: [ground, block], at: [3, 0, 0], axis: [1, 0, 0]}\n" ADAPTIVE
        CRANK_OUTPUTS;

static int slider_crank_of_different_joints(void)
{
    CHECK(alike(crank_hinges, crank_plane, 1e-8) == 0);
    CHECK(alike(crank_loose, crank_plane, 1e-8) == 0);
    CHECK(alike(crank_line, crank_plane, 1e-8) == 0);
    return 0;
}

// A pendulum: a rigid body on a hinge, a point on a distance, an equation with a constraint.
static int pendulum_by_bodies_and_by_equations(void)
{
    static const char body[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies: {p: {type: point, mass: 2, position: [1.2, 0.5]}}\n"
        "joints: {d: {type: distance, on: [ground, p], at: [[0, 0], p], length: 1.3}}\n" ADAPTIVE
        "outputs: {every: 1, signals: [p.position], metrics: {x: final(p.position.x),"
        " y: final(p.position.y), v: final(p.velocity.x)}}\n";
    static const char rigid[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "gravity: [0, -9.81]\n"
        "bodies: {p: {type: rigid, mass: 2, inertia: 0, position: [1.2, 0.5]}}\n"
        "joints: {d: {type: revolute, on: [ground, p], at: [0, 0]}}\n" ADAPTIVE
        "outputs: {every: 1, signals: [p.position], metrics: {x: final(p.position.x),"
        " y: final(p.position.y), v: final(p.velocity.x)}}\n";
    static const char equations[] =
        "flexion: 1\n"
        "equations:\n"
        "  second_order:\n"
        "    x: {at: 1.2, rate: 0, mass: 2, force: 0}\n"
        "    y: {at: 0.5, rate: 0, mass: 2, force: -2*9.81}\n"
        "  constraints: [x^2 + y^2 - 1.3^2]\n" ADAPTIVE
        "outputs: {every: 1, signals: [x], metrics: {x1: final(x), y1: final(y),"
        " v1: final(x')}}\n";
    CHECK(alike(rigid, body, 1e-8) == 0);
    CHECK(alike(equations, body, 1e-8) == 0);
    return 0;
}

// A driven shaft that begins at half a turn, gears to a shaft and a rack, and a free screw.
static int coordinates_stay_true_through_many_turns(void)
{
    static const char *const methods[] = {
        "simulate: {until: 3, method: dopri5, rtol: 1e-8, atol: 1e-10}\n",
        "simulate: {until: 3, method: generalized-alpha, step: 2e-3}\n"};
    const char *model = model_text("alike");
    for (int i = 0; i < 2; i++) {
        char text[4096];
        double v[MAX_MEASURES], end = FLX_PI + 30.0;
        snprintf(text, sizeof text, "%s%s", model, methods[i]);
        CHECK(run(text, v) == 6);
        CHECK_NEAR(v[0], end, 1e-10);
        CHECK_NEAR(v[1], -2.5 * end, 1e-10);
        CHECK_NEAR(v[2], -0.25 * end, 1e-10);
        CHECK(v[3] > 100.0); // sixteen turns and more, under the pull of gravity
        CHECK_NEAR(v[4], v[3] * 0.02 / (2 * FLX_PI), 1e-11);
        CHECK(v[5] < 1e-12);
    }
    return 0;
}

TEST_MAIN(TEST(skate_in_the_plane_and_in_space), TEST(unbalanced_wheel_in_the_plane_and_in_space),
          SLOW_TEST(slider_crank_of_different_joints), TEST(pendulum_by_bodies_and_by_equations),
          TEST(coordinates_stay_true_through_many_turns))
