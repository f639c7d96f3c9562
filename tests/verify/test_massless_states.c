// test_massless_states.c - linear models of parts without mass and of reduced models (STATE-9): against closed forms, against the
// response of the equations as they stand, and each other.
#include "check.h"
#include "findings.h"

#include <complex.h>
#include <math.h>
#include <string.h>

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

// Rates of 1e9 1/s and of 1 1/s beside each other: a chain of points, and an arm whose links without mass follow one with a mass of
// 1e-6 kg. Of both differences and orthogonal transformations leave rounding in the place of what is slow.
static int fast_parts(void)
{
    static const char chain[] =
        "flexion: 1\ndimension: 2\ninputs: {F: 0, G: 0}\nbodies:\n"
        "  a: {type: point, mass: 0, position: [0, 0]}\n"
        "  b: {type: point, mass: 1.5, position: [1, 0]}\n"
        "  c: {type: point, mass: 1e-6, position: [2, 0]}\n"
        "  d: {type: point, mass: 1.5, position: [3, 0]}\n"
        "  e: {type: point, mass: 0, position: [4, 0]}\n"
        "joints:\n"
        "  ra: {type: point-on-line, on: [ground, a], at: [[0, 0], a], axis: [1, 0]}\n"
        "  rb: {type: point-on-line, on: [ground, b], at: [[0, 0], b], axis: [1, 0]}\n"
        "  rc: {type: point-on-line, on: [ground, c], at: [[0, 0], c], axis: [1, 0]}\n"
        "  rd: {type: point-on-line, on: [ground, d], at: [[0, 0], d], axis: [1, 0]}\n"
        "  re: {type: point-on-line, on: [ground, e], at: [[0, 0], e], axis: [1, 0]}\n"
        "forces:\n"
        "  s0: {type: spring, on: [ground, a], at: [[-1, 0], a], stiffness: 1e6, damping: 1e3}\n"
        "  s1: {type: spring, on: [a, b], at: [a, b], stiffness: 1e6}\n"
        "  s2: {type: spring, on: [b, c], at: [b, c], stiffness: 50, damping: 100}\n"
        "  s3: {type: spring, on: [c, d], at: [c, d], stiffness: 1e6, damping: 3}\n"
        "  s4: {type: spring, on: [d, e], at: [d, e], stiffness: 1e6, damping: 3}\n"
        "  s5: {type: spring, on: [ground, b], at: [[9, 0], b], stiffness: 2e3, damping: 3}\n"
        "  f: {type: force, on: e, value: [F, 0]}\n"
        "  g: {type: force, on: c, value: [G, 0]}\n";
    static const char arm[] =
        "flexion: 1\ndimension: 2\ninputs: {F: 0, G: 0}\nbodies:\n"
        "  %s: {type: rigid, mass: 1e-6, inertia: 1e-7, com: [0.379, -0.015], position: [0, 0]}\n"
        "  %s: {type: rigid, mass: 0, inertia: 0, position: [0.651, 0.628]}\n"
        "  %s: {type: rigid, mass: 0, inertia: 0, position: [1.512, -0.065]}\n"
        "  %s: {type: rigid, mass: 3, inertia: 0.3, com: [0.058, 0.152], position: [1.738, "
        "0.118]}\n"
        "joints:\n"
        "  J0: {type: revolute, on: [ground, %s], at: [0, 0]}\n"
        "  J1: {type: revolute, on: [%s, %s], at: [0.651, 0.628]}\n"
        "  J2: {type: revolute, on: [%s, %s], at: [1.512, -0.065]}\n"
        "  J3: {type: revolute, on: [%s, %s], at: [1.738, 0.118]}\n"
        "forces:\n"
        "  s0: {type: spring, on: J0, stiffness: 50, damping: 0.1}\n"
        "  s1: {type: spring, on: J1, stiffness: 1e6, damping: 100}\n"
        "  s2: {type: spring, on: J2, stiffness: 50, damping: 1e3}\n"
        "  s3: {type: spring, on: J3, stiffness: 50, damping: 3}\n"
        "  f: {type: torque, on: J2, value: F}\n"
        "  h: {type: force, on: %s, value: [G, 0.5*F]}\n";
    static const char *const names[2][4] = {{"a", "b", "c", "d"}, {"z", "y", "x", "w"}};
    int n;
    if (compare(chain,
                "inputs: [F, G], outputs: [a.position.x, b.acceleration.x, c.velocity.x, s3.value]",
                2, 4, &n))
        return 1;
    CHECK(n == 8);
    for (int i = 0; i < 2; i++) {
        char text[2400];
        const char *const *k = names[i];
        snprintf(text, sizeof text, arm, k[0], k[1], k[2], k[3], k[0], k[0], k[1], k[1], k[2], k[2],
                 k[3], k[1]);
        if (compare(text, "inputs: [F, G], outputs: [J1.reaction.y, J2.rate, J2.angle]", 2, 3, &n))
            return 1;
        CHECK(n == 8);
    }
    return 0;
}

// In coordinates of bodies a stiff spring to a link of 1e-6 kg has a force of 1e-8 of what others make of it, which absolute angles
// do not show: a note names it. Those of joints do, and nothing is said.
static int lost_digits_are_told(void)
{
    static const char model[] =
        "flexion: 1\ndimension: 2\ninputs: {F: 0, G: 0}\nbodies:\n"
        "  a: {type: rigid, mass: 3, inertia: 0.3, com: [0.239, 0.086], position: [0, 0]}\n"
        "  b: {type: rigid, mass: 1e-6, inertia: 1e-7, com: [0.182, 0.121], position: [0.228, "
        "-0.419]}\n"
        "joints:\n"
        "  J0: {type: revolute, on: [ground, a], at: [0, 0]}\n"
        "  J1: {type: revolute, on: [a, b], at: [0.228, -0.419]}\n"
        "forces:\n"
        "  s0: {type: spring, on: J0, stiffness: 50, damping: 1000}\n"
        "  s1: {type: spring, on: J1, stiffness: 1e6, damping: 100}\n"
        "  f: {type: torque, on: J1, value: F}\n"
        "  h: {type: force, on: a, value: [G, 0.5*F]}\n";
    static const char *const forms[] = {"index-3", "tree"};
    for (int i = 0; i < 2; i++) {
        formulation = forms[i];
        findings f =
            find(model, "type: linear, inputs: [F, G], outputs: [s1.value, J1.rate, s0.value]");
        formulation = "auto";
        CHECK(f.status == FLX_OK);
        bool told = false;
        for (int k = 0; k < flx_ctx_warning_count(f.ctx); k++) {
            const char *text = flx_ctx_warning(f.ctx, k)->text;
            told = told || (strstr(text, "lost digits") && strstr(text, "'s1.value' to 'G'"));
        }
        CHECK(told == (i == 0));
        findings_clear(&f);
    }
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
          TEST(fast_parts), TEST(lost_digits_are_told), TEST(loose))
