// Redundant constraints: four cranks carry one coupler, so that two rows say again what the others
// say. They are found, named and left out, and a small error of the geometry changes the motion in
// proportion: it neither locks the mechanism nor throws it off.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <string.h>

static const char four_cranks[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {off: 0, x: [0, 0.7, 1.3, 2]}\n"
    "bodies:\n"
    "  crank: {repeat: {i: [1, 4]}, type: rigid, mass: 1, com: [0.5, 0], inertia: 1/12,\n"
    "          position: [x(i), 0], orientation: 60*deg, points: {end: [1, 0]}}\n"
    "  coupler: {type: rigid, mass: 2, com: [1, 0], inertia: 0.7, position: crank(1).end}\n"
    "joints:\n"
    "  foot: {repeat: {i: [1, 4]}, type: revolute, on: [ground, crank(i)],\n"
    "         at: [[\"x(i) + if(i == 3, off, 0)\", 0], crank(i)]}\n"
    "  pin: {repeat: {i: [1, 4]}, type: revolute, on: [crank(i), coupler], at: crank(i).end}\n"
    "simulate: {until: 1, method: %s}\n"
    "outputs: {every: 0.01, signals: [crank(1).angle, coupler.angle, constraints]}\n";

// Runs the mechanism with one foot moved by `off` metres; the crank's angle at the end.
static bool run(const char *method, double off, flx_summary *summary, char *row, double *angle)
{
    char text[2048], setting[64];
    snprintf(text, sizeof text, four_cranks, method);
    snprintf(setting, sizeof setting, "off=%.17g", off);
    case_table table = {0};
    bool ok = case_run(text, setting, &table, summary, row) &&
              case_table_value(&table, "crank(1).angle", 1.0, angle);
    case_table_clear(&table);
    return ok;
}

// (1/3*4 + 2) th" = -(4/2 + 2) g cos(th), integrated by RK4: the exact parallel motion.
static double exact_angle(double until)
{
    double th = acos(-1.0) / 3, w = 0.0;
    int n = 20000;
    double h = until / n, c = -4.0 * 9.81 / (4.0 / 3.0 + 2.0);
    for (int i = 0; i < n; i++) {
        double k1 = w, l1 = c * cos(th);
        double k2 = w + h / 2 * l1, l2 = c * cos(th + h / 2 * k1);
        double k3 = w + h / 2 * l2, l3 = c * cos(th + h / 2 * k2);
        double k4 = w + h * l3, l4 = c * cos(th + h * k3);
        th += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        w += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    return th;
}

static int motion_changes_in_proportion_to_the_error(const char *method)
{
    const double off[] = {1e-9, 1e-6, 1e-4};
    flx_summary summary;
    char row[128];
    double angle = 0.0, exact = exact_angle(1.0);
    CHECK(run(method, 0.0, &summary, row, &angle));
    CHECK(summary.redundant == 2);
    CHECK_TEXT(row, "(");
    CHECK_NEAR(angle, exact, 2e-5);
    for (int i = 0; i < 3; i++) {
        double moved = 0.0;
        CHECK(run(method, off[i], &summary, row, &moved));
        CHECK(summary.redundant == 2);
        // the foot of one crank of length 1 moves by off: the angle by a few times off; below
        // 1e-9 the run's own rounding shows
        CHECK_NEAR(moved, angle, 10 * off[i] + 1e-10);
    }
    return 0;
}

static int generalized_alpha_follows(void)
{
    return motion_changes_in_proportion_to_the_error("generalized-alpha, step: 5e-4");
}
static int radau_follows(void)
{
    return motion_changes_in_proportion_to_the_error(
        "radau, stages: 3, formulation: ggl, step: 5e-3");
}
static int dopri5_follows(void)
{
    return motion_changes_in_proportion_to_the_error("dopri5, rtol: 1e-10, atol: 1e-12");
}

// Rows left out that are off because the drawing is do not make a result fail its ledger; their size
// is told.
static int wrong_geometry_is_told_and_not_held_against_the_result(void)
{
    static const double off[] = {0.0, 1e-4, 1e-3};
    for (int i = 0; i < 3; i++) {
        char text[2048], setting[64];
        case_table table = {0};
        flx_ledger l = {0};
        snprintf(text, sizeof text, four_cranks, "radau, rtol: 1e-8");
        snprintf(setting, sizeof setting, "off=%g", off[i]);
        CHECK(case_run_ledger(text, setting, &table, &l));
        CHECK(l.balanced);
        CHECK(l.dropped_residual <= 2.0 * off[i] + 1e-12);
        CHECK(l.dropped_residual >= 0.3 * off[i]);
        case_table_clear(&table);
    }
    return 0;
}

// A hinge and a disc that rolls lock two bodies: the slip then says nothing that the gap does not, whatever comes first.
static int what_rolls_is_left_out_before_what_is_held(void)
{
    static const char *const joints[] = {
        "  h: {type: revolute, on: [a, b], at: [0.3, 0.9]}\n",
        "  x: {type: fixed, on: [a, c], at: [0.6, 0.2]}\n",
        "  r: {type: rolling, on: [b, c], at: [b.p, c], normal: [0.8, 0.6], radius: 0.4}\n"};
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (int k = 0; k < 6; k++) {
        char text[1200];
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_simulation *sim = NULL;
        flx_finding f = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: 0.4, position: [0.7, 0.7], orientation: "
                 "1.3}\n"
                 "  b: {type: rigid, mass: 1, inertia: 0.2, position: [0.2, 0.6], com: [-0.2, "
                 "0.3], points: {p: [0, 0]}}\n"
                 "  c: {type: rigid, mass: 1, inertia: 0.5, position: [0.52, 0.84], orientation: "
                 "-0.7}\n"
                 "joints:\n%s%s%s"
                 "simulate: {until: 1}\nanalyse: {m: {type: modes}}\n",
                 joints[orders[k][0]], joints[orders[k][1]], joints[orders[k][2]]);
        CHECK(flx_model_read_text(ctx, "m", text, strlen(text), 0, NULL, &model) == FLX_OK);
        CHECK(flx_simulation_create_to_analyse(model, &sim) == FLX_OK);
        CHECK(flx_simulation_analyse(sim, 0, &f) == FLX_OK);
        CHECK(f.modes.nneutral + f.modes.nhidden == 6 &&
              f.modes.nmode == 0); // one body, that flies
        flx_finding_clear(&f);
        flx_simulation_destroy(&sim);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A blade on the ground holds a crank, so that a second blade, on an arm that is moved, says nothing new as long as the arm is at
// rest: then it contradicts the first one. Another blade along with the first one says nothing new at all times.
static int blades_that_contradict_each_other_are_told(void)
{
    static const char *const methods[] = {
        "dop853, formulation: index-1", "radau, formulation: tree", "radau",
        "dopri5, formulation: tree", "generalized-alpha, formulation: ggl, step: 0.01"};
    for (int k = 0; k < 10; k++) {
        bool fine = k >= 5;
        char text[2000], said[2000];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\nbodies:\n"
            "  b0: {type: rigid, mass: 1, inertia: 0.4, points: {p: [0.3, 0.1], q: [1, 0.5]}}\n"
            "  b1: {type: rigid, mass: 1, inertia: 0.2, position: [1.4, 0]}\n"
            "joints:\n"
            "  A: {type: revolute, on: [ground, b0], at: [0, 0]}\n"
            "  B: {type: revolute, on: [ground, b1], at: [1.4, 0], "
            "motion: {rate: 0.3*sin(2*t)}}\n"
            "  blade: {type: knife-edge, on: [ground, b0], at: [[0.3, 0.1], b0.p], axis: [1, "
            "0.2]}\n"
            "  other: {type: knife-edge, on: [%s, b0], at: [[1, 0.5], b0.q], axis: [0.4, 1]}\n"
            "simulate: {until: 0.5, method: %s}\n"
            "outputs: {every: 0.1, signals: [b0.rate]}\n",
            fine ? "ground" : "b1", methods[k % 5]);
        CHECK(case_run_said(text, NULL, said, sizeof said) == fine);
        if (!fine) CHECK(strstr(said, "contradicts the other constraints"));
    }
    return 0;
}

TEST_MAIN(TEST(blades_that_contradict_each_other_are_told),
          TEST(what_rolls_is_left_out_before_what_is_held),
          TEST(wrong_geometry_is_told_and_not_held_against_the_result),
          TEST(generalized_alpha_follows), TEST(radau_follows), TEST(dopri5_follows))
