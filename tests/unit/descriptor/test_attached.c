// test_attached.c - nodes of flexible bodies that joints and forces use: what they write there is carried
// to the body's unknowns, so that tangents, constraints on all levels, energies and charts belong together.
#include "check.h"
#include "model_check.h"

#define SPACE SPACE_OF("true")
#define SPACE_OF(stiffening)                                                                       \
    "flexion: 1\n"                                                                                 \
    "bodies:\n"                                                                                    \
    "  rod:\n"                                                                                     \
    "    type: flexible\n"                                                                         \
    "    fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 6, section: {width: 0.3, height: 0.36},\n"   \
    "         material: {E: 1e4, density: 1e4}}\n"                                                 \
    "    reduce: {type: craig-bampton, interfaces: [start, end], modes: 2}\n"                      \
    "    stiffening: " stiffening "\n"                                                             \
    "    damping: {ratio: 0.1}\n"                                                                  \
    "  arm:\n"                                                                                     \
    "    type: flexible\n"                                                                         \
    "    position: [1, 0, 0]\n"                                                                    \
    "    fe: {line: [[0, 0, 0], [0, 0.8, 0]], elements: 4, section: {width: 0.3, height: 0.3},\n"  \
    "         material: {E: 1e4, density: 1e4}}\n"                                                 \
    "    reduce: {type: modal, modes: 3}\n"                                                        \
    "  ball: {type: rigid, mass: 2, inertia: [0.2, 0.3, 0.4], position: [1, 0.8, 0]}\n"            \
    "  dot: {type: point, mass: 1, position: [0.5, 0.5, 0.5]}\n"

#define PLANE PLANE_OF("true")
#define PLANE_OF(stiffening)                                                                       \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "bodies:\n"                                                                                    \
    "  rod:\n"                                                                                     \
    "    type: flexible\n"                                                                         \
    "    fe: {line: [[0, 0], [1, 0]], elements: 6, section: {width: 0.3, height: 0.36},\n"         \
    "         material: {E: 1e4, density: 1e4}}\n"                                                 \
    "    reduce: {type: craig-bampton, interfaces: [start, end], modes: 2}\n"                      \
    "    stiffening: " stiffening "\n"                                                             \
    "  arm:\n"                                                                                     \
    "    type: flexible\n"                                                                         \
    "    position: [1, 0]\n"                                                                       \
    "    fe: {line: [[0, 0], [0, 0.8]], elements: 4, section: {width: 0.3, height: 0.3},\n"        \
    "         material: {E: 1e4, density: 1e4}}\n"                                                 \
    "    reduce: {type: modal, modes: 3}\n"                                                        \
    "  ball: {type: rigid, mass: 2, inertia: 0.2, position: [1, 0.8]}\n"                           \
    "  dot: {type: point, mass: 1, position: [0.5, 0.5]}\n"

#define END "simulate: {until: 1}\n"

static int joints_in_space(void)
{
    return check_model(
        SPACE "joints:\n"
              "  hub: {type: revolute, on: [ground, rod], at: rod.start, axis: [0, 0, 1]}\n"
              "  weld: {type: fixed, on: [rod, arm], at: rod.end}\n"
              "  tip: {type: spherical, on: [arm, ball], at: arm.end}\n" END,
        0.1, true);
}

static int all_kinds_of_rows_in_space(void)
{
    return check_model(
        SPACE "joints:\n"
              "  rail: {type: prismatic, on: [ground, rod], at: rod.node(3), axis: [1, 0, 1]}\n"
              "  hinge: {type: universal, on: [rod, arm], at: [rod.end, arm.start],\n"
              "          axes: [[0, 0, 1], [0, 1, 0]]}\n"
              "  tube: {type: cylindrical, on: [arm, ball], at: arm.end, axis: [0, 1, 0]}\n"
              "  string: {type: distance, on: [rod, dot], at: [rod.node(5), dot]}\n" END,
        0.1, true);
}

static int forces_in_space(void)
{
    return check_model(
        SPACE
        "joints:\n"
        "  hub: {type: revolute, on: [ground, rod], at: rod.start, axis: [0, 0, 1]}\n"
        "forces:\n"
        "  spring: {type: spring, on: [rod, dot], at: [rod.node(4), dot], stiffness: 3, "
        "damping: 0.7}\n"
        "  bush: {type: bushing, on: [rod, arm], at: rod.end, stiffness: [4, 5, 6, 1, 2, 3],\n"
        "         damping: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}\n"
        "  twist: {type: bushing, on: [arm, ball], at: arm.end, stiffness: [1, 2, 3, 4, 5, 6],\n"
        "          damping: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6]}\n"
        "  push: {type: force, on: rod, at: rod.node(2), value: [sin(t), rod.node(5).x, -1]}\n"
        "  moment: {type: torque, on: arm, value: [0.3, 'rod.node(2).velocity.y', hub.angle]}\n"
        "  turn: {type: torque, on: hub, value: '-2*hub.angle - 0.3*hub.rate'}\n" END,
        0.1, true);
}

static int friction_that_reads_a_reaction(void)
{
    return check_model(
        SPACE "joints:\n"
              "  hub: {type: revolute, on: [ground, rod], at: rod.start, axis: [0, 0, 1],\n"
              "        friction: {coefficient: 0.2, radius: 0.05, velocity: 0.5}}\n"
              "  pin: {type: revolute, on: [rod, arm], at: [rod.end, arm.node(2)],\n"
              "        axis: [0, 0, 1],\n"
              "        friction: {coefficient: 0.1, radius: 0.03, velocity: 0.5}}\n" END,
        0.1, false);
}

static int joints_in_the_plane(void)
{
    return check_model(
        PLANE "joints:\n"
              "  hub: {type: revolute, on: [ground, rod], at: rod.start}\n"
              "  weld: {type: fixed, on: [rod, arm], at: rod.end}\n"
              "  tip: {type: revolute, on: [arm, ball], at: arm.end}\n"
              "  rail: {type: prismatic, on: [ground, rod], at: rod.node(4), axis: [1, 2]}\n"
              "  string: {type: distance, on: [rod, dot], at: [rod.node(5), dot]}\n" END,
        0.2, true);
}

static int forces_in_the_plane(void)
{
    return check_model(
        PLANE
        "joints:\n"
        "  hub: {type: revolute, on: [ground, rod], at: rod.start, motion: {angle: 0.3*t^2}}\n"
        "forces:\n"
        "  spring: {type: spring, on: [rod, dot], at: [rod.node(4), dot], stiffness: 3, "
        "damping: 0.7}\n"
        "  stiff: {type: spring, on: [rod, arm], at: [rod.node(2), arm.end], stiffness: 30,\n"
        "          damping: 1, form: mixed}\n"
        "  bush: {type: bushing, on: [rod, arm], at: rod.end, stiffness: [4, 5, 6],\n"
        "         damping: [0.1, 0.2, 0.3]}\n"
        "  push: {type: force, on: rod, at: rod.node(2), value: [sin(t), "
        "'rod.node(5).velocity.x']}\n" END,
        0.2, false);
}

// Forces at a node of one-sided stiffening act by another matrix than its motion has.
static int stiffening_of_one_side(void)
{
    CHECK(check_model(
              SPACE_OF(
                  "one-sided") "joints:\n"
                               "  hub: {type: revolute, on: [ground, rod], at: rod.start, axis: "
                               "[0, 0, 1]}\n"
                               "  weld: {type: fixed, on: [rod, arm], at: rod.end}\n"
                               "forces:\n"
                               "  push: {type: force, on: rod, at: rod.node(2), value: [sin(t), 1, "
                               "-1]}\n"
                               "  spring: {type: spring, on: [rod, dot], at: [rod.node(4), dot],\n"
                               "           stiffness: 3, damping: 0.7}\n" END,
              0.1, false) == 0);
    CHECK(
        check_model(
            PLANE_OF(
                "one-sided") "joints:\n"
                             "  hub: {type: revolute, on: [ground, rod], at: rod.start}\n"
                             "  weld: {type: fixed, on: [rod, arm], at: rod.end}\n"
                             "forces:\n"
                             "  push: {type: force, on: rod, at: rod.node(2), value: [sin(t), 1]}\n"
                             "  spring: {type: spring, on: [rod, dot], at: [rod.node(4), dot],\n"
                             "           stiffness: 3, damping: 0.7}\n" END,
            0.2, false) == 0);
    return 0;
}

TEST_MAIN(TEST(joints_in_space), TEST(all_kinds_of_rows_in_space), TEST(forces_in_space),
          TEST(friction_that_reads_a_reaction), TEST(joints_in_the_plane),
          TEST(forces_in_the_plane), TEST(stiffening_of_one_side))
