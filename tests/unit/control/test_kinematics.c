// Inverse kinematics: limits that hold and let go, an arm in space, and what is refused.
#include "case_table.h"
#include "check.h"
#include "findings.h"

#include <string.h>

#define ARM(limits, radius)                                                                        \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "parameters: {R: " radius "}\n"                                                                \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: 0.1, points: {end: [0.5, 0]}}\n"                         \
    "  b: {type: rigid, mass: 1, inertia: 0.1, position: a.end, points: {end: [0.4, 0]}}\n"        \
    "  c: {type: rigid, mass: 1, inertia: 0.1, position: b.end, points: {tip: [0.3, 0]}}\n"        \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0], initial: {angle: 0.3}}\n"                  \
    "  B: {type: revolute, on: [a, b], at: b, initial: {angle: 0.8}}\n"                            \
    "  C: {type: revolute, on: [b, c], at: c, initial: {angle: 0.6}}\n"                            \
    "signals: {x: 0.5*cos(0.3) + 0.4*cos(1.1) + 0.3*cos(1.7) + R*(cos(2*pi*t) - 1), y: "           \
    "0.5*sin(0.3) + 0.4*sin(1.1) "                                                                 \
    "+ 0.3*sin(1.7) + R*sin(2*pi*t)}\n"                                                            \
    "analyse:\n"                                                                                   \
    "  ik: {type: kinematics, want: {c.tip.position.x: x, c.tip.position.y: y}, move: [A, B, C], " \
    "until: 1, every: "                                                                            \
    "0.01" limits "}\n"                                                                            \
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n"                                            \
    "outputs: {every: 0.01, signals: [ik.A, ik.B, ik.C, ik.B.rate, x, y]}\n"

static double at(const case_table *t, const char *name, double time)
{
    double v = nan("");
    if (!case_table_value(t, name, time, &v)) printf("no %s at %g\n", name, time);
    return v;
}

// Joint B goes to 1.17 if it may: held at 1, it stays there for a while, and the tip is where it is wanted all the time.
static int limits_hold_and_let_go(void)
{
    case_table t = {0};
    int held = 0, first = -1, last = -1;
    CHECK(case_run(ARM(", limits: {B: [-2, 1]}", "0.15"), NULL, &t, NULL, NULL));
    for (int i = 0; i <= 100; i++) {
        double time = 0.01 * i, a = at(&t, "ik.A", time), b = at(&t, "ik.B", time),
               c = at(&t, "ik.C", time);
        CHECK(b <= 1 + 1e-11);
        CHECK_NEAR(0.5 * cos(a) + 0.4 * cos(a + b) + 0.3 * cos(a + b + c), at(&t, "x", time),
                   1e-12);
        CHECK_NEAR(0.5 * sin(a) + 0.4 * sin(a + b) + 0.3 * sin(a + b + c), at(&t, "y", time),
                   1e-12);
        if (b > 1 - 1e-10) {
            held++;
            if (first < 0) first = i;
            last = i;
        }
    }
    CHECK(held > 20 && first > 20 && last < 95);
    CHECK(held == last - first + 1); // one stay
    case_table_clear(&t);
    return 0;
}

// The answer does not depend on the interval of the rows, also where a joint comes to its limit and leaves it between them.
static int rows_matter(const char *model)
{
    case_table t = {0}, coarse = {0};
    static char text[4000];
    snprintf(text, sizeof text, "%s", model);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    char *every = strstr(text, "every: 0.01");
    CHECK(every);
    memcpy(every, "every: 0.25", 11);
    CHECK(case_run(text, NULL, &coarse, NULL, NULL));
    CHECK_NEAR(at(&coarse, "ik.A", 1), at(&t, "ik.A", 1), 1e-9);
    CHECK_NEAR(at(&coarse, "ik.A", 0.5), at(&t, "ik.A", 0.5), 1e-9);
    case_table_clear(&t);
    case_table_clear(&coarse);
    return 0;
}

static int rows_do_not_matter(void)
{
    CHECK(rows_matter(ARM("", "0.15")) == 0);
    CHECK(rows_matter(ARM(", limits: {B: [-2, 1]}", "0.15")) == 0);
    return 0;
}

#define GANTRY(unit)                                                                               \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "parameters: {u: " unit "}\n"                                                                  \
    "bodies:\n"                                                                                    \
    "  x: {type: rigid, mass: 1, inertia: 1}\n"                                                    \
    "  y: {type: rigid, mass: 1, inertia: 1}\n"                                                    \
    "  arm: {type: rigid, mass: 1, inertia: 1, points: {tip: [0.3*u, 0]}}\n"                       \
    "joints:\n"                                                                                    \
    "  jx: {type: prismatic, on: [ground, x], at: [0, 0], axis: [1, 0]}\n"                         \
    "  jy: {type: prismatic, on: [x, y], at: [0, 0], axis: [0, 1]}\n"                              \
    "  ja: {type: revolute, on: [y, arm], at: [0, 0]}\n"                                           \
    "analyse:\n"                                                                                   \
    "  ik: {type: kinematics, want: {arm.tip.position.x: u*(0.5 + 0.1*sin(t)), "                   \
    "arm.tip.position.y: u*0.2*cos(t), arm.ex.y: 0.3*sin(t)}, move: [jx, jy, ja], until: 3, "      \
    "every: 0.5}\n"                                                                                \
    "simulate: {until: 1}\n"

// Places and an angle, wanted far from where the model was drawn, in metres, millimetres and nanometres.
static int units_do_not_matter(void)
{
    const char *const models[] = {GANTRY("1"), GANTRY("1e3"), GANTRY("1e9"), GANTRY("1e-3")};
    const double units[] = {1, 1e3, 1e9, 1e-3};
    for (int k = 0; k < 4; k++) {
        findings w = findings_of(models[k]);
        CHECK(w.status == FLX_OK && w.f.ntable == 1);
        const flx_finding_table *t = w.f.tables;
        for (int i = 0; i < t->nrow; i++) {
            const double *row = t->values + i * t->ncolumn;
            double turn = asin(0.3 * sin(row[0])), u = units[k];
            CHECK_NEAR(row[3], turn, 1e-12);
            CHECK_NEAR(row[1], u * (0.5 + 0.1 * sin(row[0]) - 0.3 * cos(turn)), 1e-12 * u);
            CHECK_NEAR(row[2], u * (0.2 * cos(row[0]) - 0.09 * sin(row[0])), 1e-12 * u);
        }
        findings_clear(&w);
    }
    return 0;
}

// In space, with quaternions and the coordinates of bodies: three joints lead the tip along a line.
static int arm_in_space(void)
{
    static const char text[] =
        "flexion: 1\n"
        "paths: {line: {type: poly5, through: [[0, 0.6, 0.1, 0.5], [1, 0.3, 0.4, 0.7]]}}\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], points: {end: [0, 0, 0.4]}}\n"
        "  b: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: a.end, points: {end: "
        "[0.5, 0, 0]}}\n"
        "  c: {type: rigid, mass: 1, inertia: [0.1, 0.1, 0.1], position: b.end, points: {tip: "
        "[0.4, 0, 0]}}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1], motion: {angle: "
        "ik.A}}\n"
        "  B: {type: revolute, on: [a, b], at: b, axis: [0, 1, 0], motion: {angle: ik.B}}\n"
        "  C: {type: revolute, on: [b, c], at: c, axis: [0, 1, 0], motion: {angle: ik.C}}\n"
        "analyse:\n"
        "  ik: {type: kinematics, want: {c.tip.position.x: line(1), c.tip.position.y: line(2), "
        "c.tip.position.z: line(3)},\n"
        "    move: [A, B, C], from: [0.2, -0.8, 1.4], until: 1, every: 0.005}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-6, formulation: ggl}\n"
        "outputs: {every: 0.1, signals: [c.tip.position, line]}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (double time = 0; time < 1.05; time += 0.1) {
        CHECK_NEAR(at(&t, "c.tip.position.x", time), at(&t, "line.x", time), 2e-9);
        CHECK_NEAR(at(&t, "c.tip.position.y", time), at(&t, "line.y", time), 2e-9);
        CHECK_NEAR(at(&t, "c.tip.position.z", time), at(&t, "line.z", time), 2e-9);
    }
    case_table_clear(&t);
    return 0;
}

// Two carts, one on the other; the second goes on a rail of its own that is inclined by `tan`. x of the second is wanted.
#define CARTS(tan, want, more)                                                                     \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 3, inertia: 1}\n"                                                    \
    "  b: {type: rigid, mass: 2, inertia: 1}\n"                                                    \
    "joints:\n"                                                                                    \
    "  A: {type: prismatic, on: [ground, a], at: [0, 0], axis: [1, 0]}\n"                          \
    "  B: {type: prismatic, on: [a, b], at: [0, 0], axis: [1, " tan "]}\n"                         \
    "analyse:\n"                                                                                   \
    "  ik: {type: kinematics, want: {b.position.x: " want                                          \
    "}, move: [A, B], until: 1, every: 0.01" more "}\n"                                            \
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n"                                            \
    "outputs: {every: 0.1, signals: [ik.A, ik.B, ik.A.rate]}\n"

// s1 + s2 = 0.4 + 0.1 t, and w1 (s1' + k (s1 - p1))^2 + w2 (s2' + k (s2 - p2))^2 is least: s1 goes to where the weighted
// distances balance, as exp(-k t), but for the lag behind what moves.
static int posture_draws_the_joints(void)
{
    static const char text[] = CARTS(
        "0", "0.4 + 0.1*t", ", from: [0.3, 0.1], weights: [2, 3], posture: [-0.5, 0.2], pull: 4");
    const double w1 = 2, w2 = 3, k = 4, p1 = -0.5, p2 = 0.2;
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    // (w1 + w2) s1' = w2 c' - k (w1 (s1 - p1) - w2 (c - s1 - p2)), c = 0.4 + 0.1 t
    double W = w1 + w2, slope = 0.1 * w2 / W;
    double place = (w1 * p1 + w2 * (0.4 - p2)) / W + (0.1 * w2 / W - slope) / k;
    for (double time = 0; time < 1.05; time += 0.1) {
        double s1 = place + slope * time + (0.3 - place) * exp(-k * time);
        CHECK_NEAR(at(&t, "ik.A", time), s1, 2e-10);
        CHECK_NEAR(at(&t, "ik.A", time) + at(&t, "ik.B", time), 0.4 + 0.1 * time, 1e-13);
        CHECK_NEAR(at(&t, "ik.A.rate", time), slope - k * (0.3 - place) * exp(-k * time), 1e-9);
    }
    case_table_clear(&t);
    return 0;
}

// A tip that rests: the joints move on until the weighted way to the posture is across all motions of the joints that
// leave the tip where it is.
static int posture_of_an_arm_at_rest(void)
{
    static const char text[] = ARM(", weights: [1, 2, 4], posture: [1, 0.2, -0.4], pull: 40", "0");
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    double a = at(&t, "ik.A", 1), b = at(&t, "ik.B", 1), c = at(&t, "ik.C", 1);
    double X[3] = {0, 0, 0}, Y[3] = {0, 0, 0}, length[3] = {0.5, 0.4, 0.3}, angle = 0;
    for (int i = 0; i < 3; i++) {
        angle += i == 0 ? a : i == 1 ? b : c;
        for (int j = 0; j <= i; j++) {
            X[j] -= length[i] * sin(angle);
            Y[j] += length[i] * cos(angle);
        }
    }
    double free[3] = {X[1] * Y[2] - X[2] * Y[1], X[2] * Y[0] - X[0] * Y[2],
                      X[0] * Y[1] - X[1] * Y[0]};
    double way[3] = {a - 1, 2 * (b - 0.2), 4 * (c + 0.4)}, across = 0, size = 0;
    for (int i = 0; i < 3; i++) {
        across += free[i] * way[i];
        size += fabs(free[i] * way[i]);
    }
    CHECK(fabs(a - 0.3) > 0.05);
    CHECK(size > 0.01 && fabs(across) < 1e-9 * size);
    CHECK_NEAR(0.5 * cos(a) + 0.4 * cos(a + b) + 0.3 * cos(a + b + c), at(&t, "x", 1), 1e-12);
    case_table_clear(&t);
    return 0;
}

// The least kinetic energy: with r the wanted rate and k = 2 tan^2, s1' = r k/(3 + k).
static int least_kinetic_energy(void)
{
    static const char text[] = CARTS("0.75", "0.2*t^2", ", weights: mass");
    static const char bodies[] =
        "simulate: {until: 1, method: radau, rtol: 1e-6, formulation: ggl}\n";
    const double k = 2 * 0.75 * 0.75;
    for (int form = 0; form < 2; form++) { // on the tree, and of bodies
        char model[2000];
        case_table t = {0};
        snprintf(model, sizeof model, "%s", text);
        if (form == 1) {
            char *from = strstr(model, "simulate:"), outputs[200];
            snprintf(outputs, sizeof outputs, "%s", strstr(model, "outputs:"));
            snprintf(from, sizeof model - (size_t)(from - model), "%s%s", bodies, outputs);
        }
        CHECK(case_run(model, NULL, &t, NULL, NULL));
        for (double time = 0; time < 1.05; time += 0.1) {
            CHECK_NEAR(at(&t, "ik.A", time), 0.2 * time * time * k / (3 + k), 1e-10);
            CHECK_NEAR(at(&t, "ik.A.rate", time), 0.4 * time * k / (3 + k), 1e-10);
        }
        case_table_clear(&t);
    }
    return 0;
}

static int refusal(const char *text, const char *part)
{
    char said[2000] = "";
    bool ran = case_run_said(text, NULL, said, sizeof said);
    if (!ran && strstr(said, part)) return 0;
    printf("expected '%s', found '%s'\n", part, said);
    return 1;
}

// A body that slides, of which nothing is wanted.
static int a_motion_is_open(void)
{
    static char text[4000];
    const char *const model = GANTRY("1");
    const char *joints = strstr(model, "joints:");
    snprintf(text, sizeof text, "%.*s  b: {type: rigid, mass: 1, inertia: 1}\n%s",
             (int)(joints - model), model, joints);
    findings w = findings_of(text);
    CHECK(w.status != FLX_OK && w.f.ntable == 0);
    CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, "a motion of 'b' (");
    CHECK_TEXT(flx_ctx_error(w.ctx, 0)->text, "is left open");
    findings_clear(&w);
    return 0;
}

static int refusals(void)
{
    CHECK(refusal(ARM("", "0.8"), "at t = ") == 0); // beyond 1.2 m
    CHECK(refusal(ARM(", limits: {A: [0.2, 0.31], B: [0.7, 0.81], C: [0.5, 0.61]}", "0.15"),
                  "at its limit") == 0);
    CHECK(refusal(ARM(", limits: {A: [-0.05, 0.05], B: [-0.05, 0.05]}", "0.15"),
                  "'B' begins at 0.8, beyond its limit 0.05") == 0);
    CHECK(refusal(ARM(", posture: [0, 0]", "0.15"), "2 coordinates, and 3 joints that move") == 0);
    CHECK(refusal(ARM(", pull: 2", "0.15"), "a `posture`, which is missing") == 0);
    CHECK(refusal(ARM(", posture: [0, 0, 0], pull: -1", "0.15"), "the pull") == 0);
    CHECK(refusal(ARM(", posture: [0, 0, 0], weights: mass", "0.15"), "not with `weights: mass`") ==
          0);
    return 0;
}

// Rows that it did not come to are no motion.
static int what_fails_has_no_rows(void)
{
    findings w = findings_of(ARM("", "0.9"));
    CHECK(w.status != FLX_OK && w.f.ntable == 0);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(limits_hold_and_let_go), TEST(rows_do_not_matter), TEST(units_do_not_matter),
          TEST(arm_in_space), TEST(a_motion_is_open), TEST(posture_draws_the_joints),
          TEST(posture_of_an_arm_at_rest), TEST(least_kinetic_energy), TEST(refusals),
          TEST(what_fails_has_no_rows))
