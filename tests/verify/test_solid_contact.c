// test_solid_contact.c - compliant laws where the points that touch come and go: boxes and hulls with each other, with capsules and
// cylinders, meshes and heights. Closed forms at rest, balance and turned copies of collisions, a floor of triangles as a plane.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLOOR "solid_contact_floor.obj"
#define BRICK "solid_contact_brick.obj"

// A floor of 5 x 5 squares of two triangles each, 0.2 m wide, whose outside is above.
static bool write_floor(void)
{
    FILE *f = fopen(FLOOR, "w");
    if (!f) return false;
    for (int i = 0; i < 36; i++)
        fprintf(f, "v %g %g 0\n", 0.2 * (i % 6) - 0.5, 0.2 * (i / 6) - 0.5);
    for (int i = 0; i < 25; i++) {
        int a = i / 5 * 6 + i % 5 + 1;
        fprintf(f, "f %d %d %d\nf %d %d %d\n", a, a + 1, a + 7, a, a + 7, a + 6);
    }
    return fclose(f) == 0;
}

// A closed mesh of 0.2 x 0.3 x 0.4 m.
static bool write_brick(void)
{
    static const int faces[12][3] = {{1, 4, 3}, {1, 3, 2}, {5, 6, 7}, {5, 7, 8},
                                     {1, 2, 6}, {1, 6, 5}, {2, 3, 7}, {2, 7, 6},
                                     {3, 4, 8}, {3, 8, 7}, {4, 1, 5}, {4, 5, 8}};
    FILE *f = fopen(BRICK, "w");
    if (!f) return false;
    for (int i = 0; i < 8; i++) {
        fprintf(f, "v %g %g %g\n", i % 4 == 1 || i % 4 == 2 ? 0.1 : -0.1, i % 4 >= 2 ? 0.15 : -0.15,
                i < 4 ? -0.2 : 0.2);
    }
    for (int i = 0; i < 12; i++) fprintf(f, "f %d %d %d\n", faces[i][0], faces[i][1], faces[i][2]);
    return fclose(f) == 0;
}

// ---- at rest ----------------------------------------------------------------------------------------

#define CAN "{cylinder: {radius: 0.1, length: 0.2, axis: [0, 0, 1]}}"
#define BOX "{box: [0.3, 0.2, 0.2]}"

// A body of 1 kg falls by 1 mm onto something below and rests on n points, each with its share of the weight; a can on four that
// share the stiffness of one, which its rim has while it leans.
static int it_rests_on(const char *ground, const char *body, int n, double springs)
{
    char text[1200];
    case_table t = {0};
    double z = (double)NAN, force = (double)NAN, touching = (double)NAN, k = 1e6, weight = 9.81;
    snprintf(text, sizeof text,
             "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  b: {type: rigid, mass: 1, inertia: [0.01, 0.01, 0.01], position: [0.02, 0.01, "
             "0.101], surface: %s}\n"
             "forces: {c: {type: contact, on: [ground, b], ground: %s, law: hunt-crossley, "
             "stiffness: %g, damping: 30, friction: {coefficient: 0.4, velocity: 1e-3}}}\n"
             "simulate: {until: 1, method: radau, rtol: 1e-7}\n"
             "outputs: {times: [1], signals: [b.position, c.value, c.contacts]}\n",
             body, ground, k);
    printf("%s on %s\n", body, ground);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    CHECK(case_table_value(&t, "b.position.z", 1, &z));
    CHECK(case_table_value(&t, "c.value", 1, &force));
    CHECK(case_table_value(&t, "c.contacts", 1, &touching));
    case_table_clear(&t);
    CHECK_NEAR(touching, n, 0);
    CHECK_NEAR(force, weight, 2e-4);
    CHECK_NEAR(z, 0.1 - pow(weight / (springs * k), 1.0 / 1.5), 2e-8);
    return 0;
}

static int they_rest(void)
{
    static const struct {
        const char *ground, *body;
        int n;
        double springs;
    } some[] = {
        {"{box: [2, 2, 1], at: [0, 0, -0.5]}", BOX, 4, 4},
        {"{box: [2, 2, 1], at: [0, 0, -0.5]}", CAN, 4, 1},
        {"{plane: [0, 0, 1]}", CAN, 3, 1},
        {"{box: [2, 2, 1], at: [0, 0, -0.5]}",
         "{capsule: {radius: 0.1, length: 0.2, axis: [1, 0, 0]}}", 2, 2},
        {"{hull: [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [0, 0, -1]]}", BOX, 4, 4},
        {"{mesh: " FLOOR "}", "{sphere: 0.1}", 1, 1},
        {"{mesh: " FLOOR "}", BOX, 4, 4},
        {"{heights: {x: [-1, 1], y: [-1, 1], z: [[0, 0, 0], [0, 0, 0], [0, 0, 0]]}}", BOX, 4, 4}};
    CHECK(write_floor());
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        CHECK(it_rests_on(some[i].ground, some[i].body, some[i].n, some[i].springs) == 0);
    return 0;
}

// ---- collisions -----------------------------------------------------------------------------------

// v: velocities of both after an elastic collision without friction; in axes that are turned.
static bool collide(const char *first, const char *second, double turn, double v[6], double *drift)
{
    static const char *const names[] = {"a.velocity.x", "a.velocity.y", "a.velocity.z",
                                        "b.velocity.x", "b.velocity.y", "b.velocity.z"};
    char text[1600];
    case_table t = {0};
    double c = cos(turn), s = sin(turn); // about z
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n"
             "  a: {type: rigid, mass: 3, inertia: [0.05, 0.05, 0.03], orientation: {axis: [0, 0, "
             "1], angle: %.17g}, surface: %s}\n"
             "  b: {type: rigid, mass: 1, inertia: [0.011, 0.011, 0.009], position: [%.17g, %.17g, "
             "0.06], velocity: [%.17g, %.17g, 0], orientation: {axis: [0, 0, 1], angle: %.17g}, "
             "surface: %s}\n"
             "forces: {c: {type: contact, on: [a, b], law: hertz, stiffness: 1e6}}\n"
             "simulate: {until: 0.4, method: radau, rtol: 1e-8}\n"
             "outputs: {times: [0, 0.4], signals: [a.velocity, b.velocity, energy]}\n",
             turn, first, 0.5 * c - 0.03 * s, 0.5 * s + 0.03 * c, -1.5 * c, -1.5 * s, turn + 0.4,
             second);
    bool good = case_run(text, NULL, &t, NULL, NULL);
    for (int i = 0; i < 6 && good; i++) good = case_table_value(&t, names[i], 0.4, &v[i]);
    good = good && case_table_value(&t, "drift(energy.total)", 0.4, drift);
    case_table_clear(&t);
    for (int i = 0; i < 6; i += 3) {
        double x = v[i], y = v[i + 1];
        v[i] = c * x + s * y;
        v[i + 1] = c * y - s * x;
    }
    return good;
}

static int collisions_are_elastic(void)
{
    static const char *const some[][2] = {
        {"{box: [0.2, 0.3, 0.4]}", "{box: [0.25, 0.15, 0.3]}"},
        {"{box: [0.2, 0.3, 0.4], round: 0.01}", "{hull: [[-0.15, -0.1, -0.1], [0.15, 0, -0.1], "
                                                "[0, 0.12, -0.1], [0, 0, 0.2]]}"},
        {"{box: [0.2, 0.3, 0.4]}", "{capsule: {radius: 0.05, length: 0.3, axis: [0.3, 0.2, 1]}}"},
        {"{box: [0.2, 0.3, 0.4]}",
         "{cylinder: {radius: 0.08, length: 0.3, axis: [0.3, 0.2, 1]}, round: 0.01}"},
        // the rim leaves a face over an edge while it presses; a mesh, whose hull comes in a long step
        {"{box: [0.3, 0.3, 0.2]}",
         "{disc: {radius: 0.15, axis: [0.3, 0.5, 1]}, round: 0.02, at: [0, 0, 0.08]}"},
        {"{mesh: " BRICK "}", "{hull: [[-0.15, -0.1, -0.1], [0.15, 0, -0.1], [0, 0.12, -0.1], [0, "
                              "0, 0.2]], round: 0.01}"}};
    CHECK(write_brick());
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        double v[2][6], drift[2];
        for (int k = 0; k < 2; k++)
            CHECK(collide(some[i][0], some[i][1], k ? 0.7 : 0.0, v[k], &drift[k]));
        printf("%s, %s: energy %.1e %.1e\n", some[i][0], some[i][1], drift[0], drift[1]);
        CHECK(fabs(v[0][3] + 1.5) > 0.5); // they have met
        for (int k = 0; k < 6; k++) CHECK_NEAR(v[0][k], v[1][k], 1e-6);
        for (int k = 0; k < 3; k++) CHECK_NEAR(3.0 * v[0][k] + v[0][3 + k], k ? 0 : -1.5, 1e-10);
        for (int k = 0; k < 2; k++) CHECK_NEAR(drift[k], 0, 1e-6);
    }
    return 0;
}

// A ball bounces and rolls over triangles as over a plane: nothing catches at their edges.
static int a_ball_feels_no_triangles(void)
{
    static const char *const grounds[] = {"{plane: [0, 0, 1]}", "{mesh: " FLOOR "}"};
    static const char *const names[] = {"b.position.x", "b.position.y", "b.position.z",
                                        "b.angular_velocity.y"};
    double x[2][4];
    CHECK(write_floor());
    for (int i = 0; i < 2; i++) {
        char text[1000];
        case_table t = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                 "  b: {type: rigid, mass: 1, inertia: [0.004, 0.004, 0.004], position: [-0.37, "
                 "-0.31, 0.13], velocity: [1, 0.7, 0], surface: {sphere: 0.1}}\n"
                 "forces: {c: {type: contact, on: [ground, b], ground: %s, law: hunt-crossley, "
                 "stiffness: 1e6, restitution: 0.4, friction: {coefficient: 0.3, velocity: "
                 "1e-2}}}\n"
                 "simulate: {until: 0.8, method: radau, rtol: 1e-7}\n"
                 "outputs: {times: [0.8], signals: [b.position, b.angular_velocity]}\n",
                 grounds[i]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        for (int k = 0; k < 4; k++) CHECK(case_table_value(&t, names[k], 0.8, &x[i][k]));
        case_table_clear(&t);
    }
    CHECK(x[0][3] > 5); // it rolls
    for (int k = 0; k < 4; k++) CHECK_NEAR(x[1][k], x[0][k], 1e-5);
    return 0;
}

// It rolls over the edge of the floor and falls past it: below an open floor there is nothing.
static int a_ball_falls_past_the_edge(void)
{
    static const char *const names[] = {"b.position.z", "b.velocity.x", "c.contacts",
                                        "b.velocity.z"};
    double x[4];
    case_table t = {0};
    CHECK(write_floor());
    CHECK(case_run("flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
                   "  b: {type: rigid, mass: 1, inertia: [0.004, 0.004, 0.004], position: [0.3, 0, "
                   "0.1], velocity: [1.5, 0, 0], surface: {sphere: 0.1}}\n"
                   "forces: {c: {type: contact, on: [ground, b], ground: {mesh: " FLOOR "}, law: "
                   "hunt-crossley, stiffness: 1e6, restitution: 0.4, friction: {coefficient: 0.3, "
                   "velocity: 1e-2}}}\n"
                   "simulate: {until: 0.8, method: radau, rtol: 1e-7}\n"
                   "outputs: {times: [0, 0.8], signals: [b.position, b.velocity, c.contacts, "
                   "energy]}\n",
                   NULL, &t, NULL, NULL));
    for (int k = 0; k < 4; k++) CHECK(case_table_value(&t, names[k], 0.8, &x[k]));
    case_table_clear(&t);
    CHECK(x[0] < -1.5);
    CHECK(x[1] > 1.0);
    CHECK_NEAR(x[2], 0, 0);
    // it has fallen freely from the height of the edge on, where the ball was slower than 1 m/s
    CHECK_NEAR(x[3] * x[3] / (2 * 9.81), 0.1 - x[0], 0.1);
    return 0;
}

// In the plane, where the third length of a box is none; with steps that are given, too.
static int boxes_rest_in_the_plane(void)
{
    static const char *const lengths[] = {"[0.4, 0.2]", "[0.4, 0.2, 1]"};
    static const char *const methods[] = {"method: radau, rtol: 1e-7",
                                          "method: generalized-alpha, step: 1e-4"};
    for (int i = 0; i < 4; i++) {
        char text[1000];
        case_table t = {0};
        double y = (double)NAN, k = 1e6;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                 "  a: {type: rigid, mass: 2, inertia: 0.02, position: [0, 0.1], surface: {box: "
                 "%s}}\n"
                 "  b: {type: rigid, mass: 1, inertia: 0.01, position: [0, 0.3], surface: {box: "
                 "%s}}\n"
                 "forces: {c: {type: contact, among: [ground, a, b], law: hunt-crossley, "
                 "stiffness: %g, damping: 30, friction: {coefficient: 0.4, velocity: 1e-3}}}\n"
                 "simulate: {until: 1, %s}\n"
                 "outputs: {times: [1], signals: [b.position]}\n",
                 lengths[i % 2], lengths[i % 2], k, methods[i / 2]);
        CHECK(case_run(text, NULL, &t, NULL, NULL));
        CHECK(case_table_value(&t, "b.position.y", 1, &y));
        case_table_clear(&t);
        double sinks = pow(3 * 9.81 / (2 * k), 1 / 1.5) + pow(9.81 / (2 * k), 1 / 1.5);
        CHECK_NEAR(y, 0.3 - sinks, 1e-7);
    }
    return 0;
}

static int the_rigid_law_says_what_to_take(void)
{
    char said[1000];
    (void)case_run_said(
        "flexion: 1\nbodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], surface: {box: [1, 1, 1]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 2], "
        "surface: {box: [1, 1, 1]}}\n"
        "forces: {c: {type: contact, on: [a, b], law: restitution}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-6}\n"
        "outputs: {times: [1], signals: [b.position]}\n",
        NULL, said, sizeof said);
    CHECK(strstr(said, "which law 'restitution' meets step by step"));
    return 0;
}

static int nothing_is_left(void)
{
    return remove(FLOOR) || remove(BRICK);
}

TEST_MAIN(TEST(they_rest), TEST(collisions_are_elastic), TEST(a_ball_feels_no_triangles),
          TEST(a_ball_falls_past_the_edge), TEST(boxes_rest_in_the_plane),
          TEST(the_rigid_law_says_what_to_take), TEST(nothing_is_left))
