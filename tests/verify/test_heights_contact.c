// test_heights_contact.c - what rests on heights over a grid and slides down them: capsules, boxes, hulls, cylinders, discs.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdio.h>

enum { NODES = 9 };

typedef double height(double x, double y);

static double level(double x, double y)
{
    (void)x;
    (void)y;
    return 0.3;
}

static double inclined(double x, double y)
{
    (void)y;
    return -0.4 * x;
}

static double hill(double x, double y)
{
    return -0.1 * (x * x + y * y);
}

static void write_heights(height *z, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "{heights: {x: [-2, 2], y: [-2, 2], z: [");
    for (int i = 0; i < NODES; i++) {
        for (int j = 0; j < NODES; j++) {
            double at = z(-2.0 + 4.0 * i / (NODES - 1), -2.0 + 4.0 * j / (NODES - 1));
            n += (size_t)snprintf(text + n, size - n, "%s%.17g%s",
                                  j   ? ", "
                                  : i ? ", ["
                                      : "[",
                                  at, j == NODES - 1 ? "]" : "");
        }
    }
    snprintf(text + n, size - n, "]}}");
}

static bool runs(height *z, const char *body, double friction, const char *method, double out[3])
{
    static char heights[4000], text[6000];
    case_table t = {0};
    write_heights(z, heights, sizeof heights);
    snprintf(text, sizeof text,
             "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n"
             "  b: {type: rigid, mass: 2, inertia: [0.05, 0.04, 0.06], %s}\n"
             "forces: {c: {type: contact, on: [ground, b], ground: %s, law: restitution, friction: "
             "%g}}\n"
             "simulate: {until: 0.3, %s}\n"
             "outputs: {times: [0.3], signals: [b.position, b.velocity, c.value]}\n",
             body, heights, friction, method);
    bool good = case_run(text, NULL, &t, NULL, NULL) &&
                case_table_value(&t, "b.position.z", 0.3, out) &&
                case_table_value(&t, "b.velocity.x", 0.3, out + 1) &&
                case_table_value(&t, "c.value", 0.3, out + 2);
    case_table_clear(&t);
    return good;
}

static const char *const methods[] = {"method: moreau, step: 1e-3",
                                      "method: generalized-alpha, step: 1e-3, contacts: steps"};

static int everything_rests(void)
{
    static const struct {
        height *z;
        const char *body;
        double lies;
    } some[] = {
        {level,
         "position: [0.1, 0.2, 0.4], surface: {capsule: {radius: 0.1, length: 0.4, axis: [1, 0.3, "
         "0]}}",
         0.4},
        {level, "position: [0.1, 0.2, 0.45], surface: {box: [0.4, 0.5, 0.3]}", 0.45},
        {level,
         "position: [0.1, 0.2, 0.4], surface: {hull: [[-0.2, -0.2, -0.1], [0.2, -0.2, -0.1], [0, "
         "0.25, -0.1], [0, 0, 0.2]]}",
         0.4},
        {level,
         "position: [0.1, 0.2, 0.45], surface: {cylinder: {radius: 0.2, length: 0.3, axis: [0, 0, "
         "1]}}",
         0.45},
        {level,
         "position: [0.1, 0.2, 0.5], surface: {cylinder: {radius: 0.2, length: 0.3, axis: [0.4, 1, "
         "0]}}",
         0.5},
        {level,
         "position: [0.1, 0.2, 0.32], surface: {disc: {radius: 0.2, axis: [0, 0, 1]}, round: 0.02}",
         0.32},
        // a face, an end and an axis over the top of a hill
        {hill, "position: [0, 0, 0.15], surface: {box: [0.4, 0.5, 0.3]}", 0.15},
        {hill,
         "position: [0, 0, 0.15], surface: {cylinder: {radius: 0.2, length: 0.3, axis: [0, 0, 1]}}",
         0.15},
        {hill,
         "position: [0, 0, 0.1], surface: {capsule: {radius: 0.1, length: 0.4, axis: [1, 0, 0]}}",
         0.1}};
    for (size_t i = 0; i < sizeof some / sizeof *some; i++) {
        for (int m = 0; m < 2; m++) {
            double at[3];
            printf("%s, %s\n", some[i].body, methods[m]);
            CHECK(runs(some[i].z, some[i].body, 0.4, methods[m], at));
            CHECK_NEAR(at[0], some[i].lies, 1e-9);
            CHECK_NEAR(at[1], 0.0, 1e-9);
            CHECK_NEAR(at[2], 2.0 * 9.81, 1e-6);
        }
    }
    return 0;
}

// Down an incline by g (sin - f cos).
static int a_box_and_a_capsule_slide(void)
{
    static const char *const bodies[] = {
        "position: [0, 0, %.17g], orientation: {axis: [0, 1, 0], angle: %.17g}, surface: {box: "
        "[0.4, 0.5, 0.3]}",
        "position: [0, 0, %.17g], orientation: {axis: [0, 1, 0], angle: %.17g}, surface: {capsule: "
        "{radius: 0.15, length: 0.4, axis: [1, 0, 0]}}"};
    double angle = atan(0.4), f = 0.1, a = 9.81 * (sin(angle) - f * cos(angle));
    for (int i = 0; i < 2; i++) {
        for (int m = 0; m < 2; m++) {
            char body[300];
            double at[3];
            snprintf(body, sizeof body, bodies[i], 0.15 / cos(angle), angle);
            CHECK(runs(inclined, body, f, methods[m], at));
            CHECK_NEAR(at[1], 0.3 * a * cos(angle), 1e-6);
            CHECK_NEAR(at[2], 2.0 * 9.81 * cos(angle), 1e-5);
        }
    }
    return 0;
}

TEST_MAIN(TEST(everything_rests), TEST(a_box_and_a_capsule_slide))
