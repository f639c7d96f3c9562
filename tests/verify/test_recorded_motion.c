// test_recorded_motion.c - joints that follow records: the torques of a forward run are found again, round a closed loop of space with a contact,
// and what a record does not say is told.
#include "simulation_rig.h"

#define LOOP                                                                                       \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n%s"                                                                   \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 2, inertia: [0.02, 0.02, 0.004], com: [0.1, 0, 0.01]}\n"             \
    "  b: {type: rigid, mass: 1.5, inertia: [0.01, 0.03, 0.03], com: [0.2, 0.02, 0], position: "   \
    "[0.2, 0, 0.1]}\n"                                                                             \
    "  c: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.02], com: [0, 0, -0.1], position: [0.6, " \
    "0, 0.3]}\n"                                                                                   \
    "  w: {type: rigid, mass: 0.7, inertia: [0.002, 0.002, 0.002], position: [0.3, 0, 0.4]}\n"     \
    "joints:\n"                                                                                    \
    "  j1: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 1, 0]%s}\n"                  \
    "  j2: {type: spherical, on: [a, b], at: [0.2, 0, 0.1]}\n"                                     \
    "  j3: {type: universal, on: [b, c], at: [0.6, 0, 0.3], axes: [[0, 0, 1], [0, 1, 0]]}\n"       \
    "  j4: {type: revolute, on: [ground, c], at: [0.6, 0, 0], axis: [0, 1, 0]}\n"                  \
    "  j5: {type: revolute, on: [a, w], at: [0.3, 0, 0.4], axis: [0, 1, 0]%s}\n"                   \
    "forces:\n"                                                                                    \
    "  hit: {type: contact, on: [ground, c], connected: true, surfaces: [{plane: [1, 0, 0], at: "  \
    "[0.5, 0, 0]}, {sphere: 0.05, at: [0, 0, 0]}], law: hunt-crossley, stiffness: 2e4, exponent: " \
    "3, damping: 0.3}\n%s"
#define TORQUES                                                                                    \
    "  t1: {type: torque, on: j1, value: \"6*sin(5*t) - 0.4*j1.rate + 2\"}\n"                      \
    "  t5: {type: torque, on: j5, value: \"0.8*cos(7*t) - 0.05*j5.rate\"}\n"                       \
    "simulate: {until: 0.3, method: radau, rtol: 1e-11, atol: 1e-13}\n"                            \
    "outputs: {every: 0.001, signals: [j1.angle, j5.angle, t1.value, t5.value, hit.value]}\n"
#define BACK                                                                                       \
    "simulate: {until: 0.28, method: radau, step: 1e-3, formulation: %s}\n"                        \
    "outputs: {every: 0.001, signals: [j1.drive, j5.drive, hit.value]}\n"

static double forward[301][5];
static char record[40000];

static int write_records(void)
{
    char *at = record;
    at += sprintf(at, "functions:\n");
    for (int k = 0; k < 2; k++) {
        at += sprintf(at, "  q%d: {interpolation: quintic, points: [[0, %.15g]", k ? 5 : 1,
                      forward[0][k]);
        for (int i = 1; i < 301; i++) at += sprintf(at, ", [%.3f, %.15g]", 1e-3 * i, forward[i][k]);
        at += sprintf(at, "]}\n");
    }
    return (size_t)(at - record) < sizeof record ? 0 : -1;
}

static int torques_are_found_again(void)
{
    static const char *const forms[] = {"index-3", "ggl", "tree"};
    static char text[50000];
    rig r;
    snprintf(text, sizeof text, LOOP, "", "", "", TORQUES);
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    CHECK(rows.rows == 301);
    for (int i = 0; i < 301; i++) memcpy(forward[i], rows.value[i], sizeof forward[i]);
    rig_free(&r);
    CHECK(write_records() == 0);
    for (int k = 0; k < 3; k++) {
        char back[400];
        double most = 0.0;
        snprintf(back, sizeof back, BACK, forms[k]);
        snprintf(text, sizeof text, LOOP, record, ", motion: {angle: q1(t)}",
                 ", motion: {angle: q5(t)}", back);
        CHECK_OK(rig_make(&r, text));
        CHECK(flx_ctx_warning_count(r.ctx) == 0);
        CHECK_OK(rig_run(&r));
        for (int i = 8; i < rows.rows; i++) { // at its ends a record knows less of accelerations
            CHECK_NEAR(rows.value[i][0], forward[i][2],
                       2e-5); // of 7
            CHECK_NEAR(rows.value[i][1], forward[i][3], 1e-6);
            CHECK_NEAR(rows.value[i][2], forward[i][4], 1e-5);
            most = fmax(most, rows.value[i][2]);
        }
        CHECK(most > 10.0); // it touched
        rig_free(&r);
    }
    return 0;
}

// What a joint follows may turn sharply or end too early: no force does that, and its drive would be without it.
static int corners_of_records_are_told(void)
{
    static const struct {
        const char *points, *more, *motion, *told; // NULL: nothing
    } all[] = {
        {"[[0, 0], [1, 0.2], [2, 0.5], [3, 0.4]]", "", "angle: q(t)", "at t = 1 s, a point"},
        {"[[0, 0], [1, 0.2], [2, 0.4], [3, 0.6]]", "", "angle: q(t)", NULL},
        {"[[0, 0], [1, 0.2], [2, 0.5], [3, 0.4]]", "", "rate: q(t)", NULL},
        {"[[0, 0], [1, 0.2], [2, 0.5], [3, 0.4]]", ", interpolation: quintic", "angle: q(t)", NULL},
        {"[[0, 0], [1, 0.2], [2, 0.5], [3, 0.4]]", ", interpolation: cubic", "angle: 2*q(t)", NULL},
        {"[[0, 0], [1, 0.2], [2, 0.5], [2.2, 0.6]]", ", interpolation: quintic", "angle: q(t)",
         "at t = 2.2 s, where its table ends"},
        {"[[0, 0], [1, 0.2], [2, 0.5], [2.2, 0.6]]",
         ", interpolation: quintic, extrapolation: linear", "angle: q(t)", NULL},
        {"[[4, 0], [5, 0.2], [6, 0.5], [7, 0.6]]", ", interpolation: quintic", "angle: q(t)",
         "has no point within the run"},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        char text[1000];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "dimension: 2\n"
                 "functions: {q: {points: %s%s}}\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: 0.1}}\n"
                 "joints: {j: {type: revolute, on: [ground, b], at: b, motion: {%s}}}\n"
                 "simulate: {until: 2.5, method: radau}\n",
                 all[k].points, all[k].more, all[k].motion);
        CHECK_OK(rig_make(&r, text));
        CHECK(flx_ctx_warning_count(r.ctx) == (all[k].told ? 1 : 0));
        if (all[k].told) CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, all[k].told);
        rig_free(&r);
    }
    return 0;
}

TEST_MAIN(TEST(torques_are_found_again), TEST(corners_of_records_are_told))
