// test_massless_states.c - linear models of parts without mass and of reduced models (STATE-9): against closed forms, against the
// response of the equations as they stand, and each other.
#include "check.h"
#include "findings.h"

#include <complex.h>
#include <math.h>

static const double complex J = (double complex)I;

#define MOST 8

static const char *formulation = "auto";

static findings find(const char *model, const char *analysis)
{
    char text[2600];
    snprintf(text, sizeof text,
             "%s\nanalyse: {an: {%s}}\nsimulate: {until: 1, method: radau, formulation: %s}\n",
             model, analysis, formulation);
    return findings_of(text);
}

// The linear model of a finding, as long as that is there.
static flx_linear_model model_of(const findings *f, int nin, int nout)
{
    const flx_finding_table *A = findings_table(f, "A"), *B = findings_table(f, "B");
    const flx_finding_table *C = findings_table(f, "C"), *D = findings_table(f, "D");
    const flx_finding_table *D1 = findings_table(f, "D1"), *D2 = findings_table(f, "D2");
    return (flx_linear_model){.n = A->nrow,
                              .nin = nin,
                              .nout = nout,
                              .A = A->values,
                              .B = B->values,
                              .C = C->values,
                              .D = D->values,
                              .D1 = D1 ? D1->values : NULL,
                              .D2 = D2 ? D2->values : NULL};
}

// Both at three frequencies; *n: states.
static int compare(const char *model, const char *io, int nin, int nout, int *n)
{
    static const double from = 0.7, to = 70.0;
    char analysis[400];
    double re[MOST * MOST], im[MOST * MOST];
    snprintf(analysis, sizeof analysis, "type: linear, %s", io);
    findings a = find(model, analysis);
    CHECK(a.status == FLX_OK);
    snprintf(analysis, sizeof analysis, "type: frequency, %s, from: %g, to: %g, count: 3", io, from,
             to);
    findings b = find(model, analysis);
    CHECK(b.status == FLX_OK && b.f.tables[0].nrow == 3);
    flx_linear_model m = model_of(&a, nin, nout);
    *n = m.n;
    for (int k = 0; k < 3; k++) {
        const double *row = b.f.tables[0].values + k * b.f.tables[0].ncolumn;
        CHECK(flx_linear_respond(a.ctx, &m, 1, row, re, im) == FLX_OK);
        for (int i = 0; i < nin * nout; i++) {
            const double *y = row + 2 + 4 * i;
            double complex of_states = re[i] + J * im[i], of_blocks = y[0] + J * y[1];
            CHECK_NEAR(cabs(of_states - of_blocks), 0.0, 1e-9 * cabs(of_blocks) + 1e-15);
        }
    }
    findings_clear(&b);
    findings_clear(&a);
    return 0;
}

#define ROW                                                                                        \
    "flexion: 1\ndimension: 2\ninputs: {F: 0, v: 0}\nbodies:\n"                                    \
    "  a: {type: point, mass: 1.5, position: [0, 0]}\n"                                            \
    "  z: {type: point, mass: 0, position: [1, 0]}\n"                                              \
    "  w: {type: point, mass: 0, position: [2, 0]}\n"                                              \
    "joints:\n"                                                                                    \
    "  ra: {type: point-on-line, on: [ground, a], at: [[0, 0], a], axis: [1, 0]}\n"                \
    "  rz: {type: point-on-line, on: [ground, z], at: [[1, 0], z], axis: [1, 0]}\n"                \
    "  rw: {type: point-on-line, on: [ground, w], at: [[2, 0], w], axis: [1, 0]%s}\n"              \
    "forces:\n"                                                                                    \
    "  s0: {type: spring, on: [ground, a], at: [[-1, 0], a], stiffness: 50}\n"                     \
    "  s1: {type: spring, on: [a, z], at: [a, z], stiffness: 200, damping: 3}\n"                   \
    "  s2: {type: spring, on: [z, w], at: [z, w], stiffness: 100}\n"                               \
    "  s3: {type: spring, on: [ground, w], at: [[3, 0], w], stiffness: 70, damping: 4}\n"          \
    "  f: {type: force, on: z, value: [F, 0]}\n"                                                   \
    "  g: {type: force, on: w, value: [%s, 0]}\n"

// A mass, two points on springs and dampers: four states. The same with the last one moved: three.
static int points_in_a_row(void)
{
    char text[2000];
    int n;
    snprintf(text, sizeof text, ROW, "", "0.5*v");
    if (compare(text,
                "inputs: [F, v], outputs: [a.position.x, z.velocity.x, s2.value, a.acceleration.x]",
                2, 4, &n))
        return 1;
    CHECK(n == 4);
    snprintf(text, sizeof text, ROW, ", motion: {displacement: v}", "0");
    if (compare(text, "inputs: [F, v], outputs: [a.position.x, z.position.x, rw.drive]", 2, 3, &n))
        return 1;
    CHECK(n == 3);
    return 0;
}

// A spring k on a damper c in a row with no mass between: c x' = u - k x, by named signals, too.
static int spring_and_damper(void)
{
    static const char model[] =
        "flexion: 1\ndimension: 2\ninputs: {u: 0}\nbodies: {z: {type: point, mass: 0}}\n"
        "joints: {r: {type: point-on-line, on: [ground, z], at: [[0, 0], z], axis: [1, 0]}}\n"
        "forces: {s: {type: force, on: z, value: [\"u - 8*z.position.x - 0.5*z.velocity.x\", "
        "0]}}\n";
    findings f =
        find(model, "type: linear, inputs: [u], outputs: [z.velocity.x], states: [z.position.x]");
    CHECK(f.status == FLX_OK);
    flx_linear_model m = model_of(&f, 1, 1);
    CHECK(m.n == 1);
    CHECK_REL(m.A[0], -16.0, 1e-12);
    CHECK_REL(m.B[0], 2.0, 1e-12);
    CHECK_REL(m.C[0], -16.0, 1e-12);
    CHECK_REL(m.D[0], 2.0, 1e-12);
    findings_clear(&f);
    // q/r = 3: K = sqrt(64 + 3) - 8 for x' = 2 (u - 8 x)
    f = find(model,
             "type: lqr, inputs: [u], states: [z.position.x], weights: {states: 3, inputs: 1}");
    CHECK(f.status == FLX_OK && findings_table(&f, "gains"));
    CHECK_REL(findings_table(&f, "gains")->values[0], sqrt(67.0) - 8.0, 1e-10);
    findings_clear(&f);
    return 0;
}

#define HANGING                                                                                    \
    "flexion: 1\ndimension: 2\ninputs: {T: 0}\nbodies:\n"                                          \
    "  a: {type: rigid, mass: 2, inertia: 0.1, com: [0.3, -0.4], position: [0, 0]}\n"              \
    "  b: {type: rigid, mass: %s, inertia: %s, com: [0.1, 0.05], position: [0.5, -0.8]}\n"         \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"                                         \
    "  B: {type: revolute, on: [a, b], at: [0.5, -0.8]}\n"                                         \
    "forces:\n"                                                                                    \
    "  k: {type: spring, on: B, stiffness: 300, damping: 2}\n"                                     \
    "  kA: {type: spring, on: A, stiffness: 30, damping: 0.4}\n"                                   \
    "  s: {type: spring, on: [ground, b], at: [[1, -1], [0.7, -0.7]], stiffness: 50, damping: "    \
    "1}\n"                                                                                         \
    "  t1: {type: torque, on: A, value: T}\n%s"

// A link without mass in coordinates of joints; links whose inertia is reduced in three ways: the response is that of the
// reduced model, too.
static int links(void)
{
    static const char *const reduce[] = {
        "", "reduce: {type: quasistatic, neglect_inertia: [b]}\n",
        "reduce: {type: guyan, condense: [b]}\n",
        "reduce: {type: cutoff, raise_inertia: [b], frequency: 1}\n"};
    static const char io[] = "inputs: [T], outputs: [A.angle, B.angle, b.position.y]";
    formulation = "tree";
    for (int i = 0; i < 4; i++) {
        char text[2400];
        int n;
        snprintf(text, sizeof text, HANGING, i ? "1" : "0", i ? "0.1" : "0", reduce[i]);
        if (compare(text, io, 1, 3, &n)) return 1;
        CHECK(n == (i < 2 ? 3 : i == 2 ? 2 : 4)); // what is condensed follows, and is no state
    }
    formulation = "auto";
    return 0;
}

// Inertia that is neglected is mass that is not there.
static int neglected_is_massless(void)
{
    double poles[2][3];
    static const char points[] =
        "flexion: 1\ndimension: 2\ninputs: {F: 0}\nbodies:\n"
        "  a: {type: point, mass: 1.5, position: [0, 0]}\n"
        "  z: {type: point, mass: %s, position: [1, 0]}\nforces:\n"
        "  s0: {type: spring, on: [ground, a], at: [[-1, 0], a], stiffness: 50, damping: 1}\n"
        "  sy: {type: spring, on: [ground, a], at: [[0, -1], a], stiffness: 50, damping: 1}\n"
        "  s1: {type: spring, on: [a, z], at: [a, z], stiffness: 2000}\n"
        "  s3: {type: spring, on: [ground, z], at: [[3, 0], z], stiffness: 700, damping: 4}\n"
        "  s4: {type: spring, on: [ground, z], at: [[1, 2], z], stiffness: 700, damping: 4}\n"
        "  f: {type: force, on: z, value: [F, 0]}\n%s";
    for (int i = 0; i < 2; i++) {
        char text[1600];
        snprintf(text, sizeof text, points, i ? "0.2" : "0",
                 i ? "reduce: {type: quasistatic, neglect_inertia: [z]}\n" : "");
        findings f = find(text, "type: linear, inputs: [F], outputs: [a.position.x]");
        CHECK(f.status == FLX_OK);
        const flx_finding_table *t = findings_table(&f, "poles");
        CHECK(t && t->nrow == 6);
        for (int k = 0; k < 3; k++) poles[i][k] = t->values[2 * k * t->ncolumn];
        findings_clear(&f);
    }
    for (int k = 0; k < 3; k++) CHECK_REL(poles[1][k], poles[0][k], 1e-9);
    return 0;
}

// What nothing holds and nothing accelerates is refused by its name.
static int loose(void)
{
    findings f =
        find("flexion: 1\ndimension: 2\ninputs: {F: 0}\nbodies: {loose: {type: point, mass: 0}}\n"
             "forces: {f: {type: force, on: loose, value: [F, 0]}}\n",
             "type: linear, inputs: [F], outputs: [loose.position.x]");
    CHECK(f.status != FLX_OK && findings_say(&f, "'loose'"));
    findings_clear(&f);
    return 0;
}

TEST_MAIN(TEST(points_in_a_row), TEST(spring_and_damper), TEST(links), TEST(neglected_is_massless),
          TEST(loose))
