// test_unreached.c - inputs that do nothing, outputs that depend on each other: what rounding leaves of these is no answer.
#include "check.h"
#include "findings.h"

#include <math.h>

#define PENDULUM                                                                                   \
    "flexion: 1\ngravity: [0, 0, -9.81]\nparameters: {a: 0.3, b: 0.57, c: 0.11, along: 0}\n"       \
    "inputs: {T: 0}\nbodies:\n"                                                                    \
    "  p: {type: rigid, mass: 1.3, inertia: [0.11, 0.13, 0.07, 0.01, 0.02, -0.01], "               \
    "com: [0.1, 0.2, 0.3], position: [0.2, 0.1, 0.4], orientation: {axis: [1, 2, 0.5], angle: "    \
    "0.7}}\n"                                                                                      \
    "joints: {h: {type: revolute, on: [ground, p], at: [0.05, 0.02, 0.1], axis: [a, b, c]}}\n"     \
    "forces: {across: {type: torque, on: p, value: ["                                              \
    "\"T*(b*0.7 - c*0.2 + along*a)\", \"T*(c*0.9 - a*0.7 + along*b)\", \"T*(a*0.2 - b*0.9 + "      \
    "along*c)\"]}}\n"

static findings find(const char *model, const char *analysis, const char *formulation)
{
    char text[2400];
    snprintf(text, sizeof text,
             "%s\nanalyse: {an: %s}\nsimulate: {until: 1, method: generalized-alpha, step: 1e-3, "
             "formulation: %s}\n",
             model, analysis, formulation);
    return findings_of(text);
}

// A torque across the hinge of an upright rod: B is zero, not 1e-13, and no regulator is found; with a part along it there is one.
static int across(const char *formulation)
{
    findings f = find(PENDULUM, "{type: linear, inputs: [T], outputs: [h.angle]}", formulation);
    CHECK(f.status == FLX_OK);
    const flx_finding_table *B = findings_table(&f, "B"), *poles = findings_table(&f, "poles");
    CHECK(B && B->nrow == 2 && B->values[0] == 0.0 && B->values[1] == 0.0);
    CHECK(poles && poles->nrow == 2 && poles->values[4] == 0.0 && poles->values[10] == 0.0);
    findings_clear(&f);
    static const char lqr[] =
        "{type: lqr, inputs: [T], states: [h.angle, h.rate], weights: {states: 1, inputs: 1}}";
    f = find(PENDULUM, lqr, formulation);
    CHECK(f.status != FLX_OK && findings_say(&f, "not reached by the inputs"));
    findings_clear(&f);
    char along[2000];
    snprintf(along, sizeof along, "%s", PENDULUM);
    *strstr(strstr(along, "along: 0"), "0") = '1';
    f = find(along, lqr, formulation);
    CHECK(f.status == FLX_OK);
    findings_clear(&f);
    return 0;
}

// One newton on 10^12 kg beside a weight: a small number, and no rounding.
static int heavy(void)
{
    findings f = find("flexion: 1\ndimension: 2\ngravity: [0, -9.81]\ninputs: {u: 0}\n"
                      "bodies: {m: {type: point, mass: 1e12}}\n"
                      "forces: {f: {type: force, on: m, value: [0, u]}}\n",
                      "{type: linear, inputs: [u], outputs: [m.position.y]}", "auto");
    CHECK(f.status == FLX_OK);
    const flx_finding_table *B = findings_table(&f, "B");
    CHECK(B && B->nrow == 4);
    double most = 0.0;
    for (int i = 0; i < 4; i++) most = fmax(most, B->values[i]);
    CHECK_REL(most, 1e-12, 1e-2); // 9.81 has no more digits
    findings_clear(&f);
    return 0;
}

#define SPRUNG                                                                                     \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\ninputs: {u1: 0, u2: 0, u3: 0}\n"               \
    "bodies:\n  a: {type: rigid, mass: 2.4, inertia: 0.3, com: [0.1, 0.05], position: [0.2, "      \
    "0.1], orientation: 0.4}\n"                                                                    \
    "  b: {type: rigid, mass: 0.7, inertia: 0.1, position: [0.9, -0.3]}\n"                         \
    "joints:\n  A: {type: prismatic, on: [ground, a], at: [0.3, -0.2], axis: [0.026, -0.94]}\n"    \
    "  B: {type: revolute, on: [a, b], at: [0.5, 0.1]}\n"                                          \
    "forces:\n"                                                                                    \
    "  s: {type: spring, on: [ground, a], at: [[0.2, 0.9], [0.1, 0.1]], stiffness: 7e4, damping: " \
    "9}\n"                                                                                         \
    "  c: {type: spring, on: [ground, b], at: [[0.7, 0.6], [0.8, -0.5]], stiffness: 4e4, "         \
    "damping: "                                                                                    \
    "7}\n"                                                                                         \
    "  f1: {type: force, on: a, at: [0.119, 0.705], value: [u1, 0]}\n"                             \
    "  f2: {type: force, on: a, at: [-0.109, -0.879], value: [u2, 0]}\n"                           \
    "  f3: {type: torque, on: B, value: u3}\n"

// A small force beside large ones in balance: B has its digits.
static int digits(void)
{
    findings f =
        find(SPRUNG, "{type: linear, inputs: [u1, u2, u3], outputs: [a.position.y]}", "auto");
    CHECK(f.status == FLX_OK);
    const flx_finding_table *B = findings_table(&f, "B");
    double most = 0.0, off = 0.0;
    for (int i = 0; B && i < B->nrow; i++) {
        most = fmax(most, fabs(B->values[3 * i]));
        off = fmax(off, fabs(B->values[3 * i] - B->values[3 * i + 1]));
    }
    CHECK(most > 0.0 && off <= 1e-11 * most);
    findings_clear(&f);
    return 0;
}

// Two inputs that do the same, two outputs of one motion: there are A to D, and no zeros of the whole.
static int dependent(const char *inputs, const char *outputs, bool zeros)
{
    char analysis[300];
    snprintf(analysis, sizeof analysis, "{type: linear, inputs: [%s], outputs: [%s]}", inputs,
             outputs);
    findings f = find(SPRUNG, analysis, "auto");
    CHECK(f.status == FLX_OK && findings_table(&f, "A") && findings_table(&f, "D"));
    CHECK(findings_table(&f, "zeros_of_pairs") != NULL);
    CHECK((findings_table(&f, "zeros") != NULL) == zeros);
    CHECK(findings_say(&f, "the whole has no zeros") == !zeros);
    findings_clear(&f);
    return 0;
}

// y2 = 2 y1 but for 1e-13 of it.
static int nearly_dependent(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double A[] = {0, 1, 0, 0, -4, -0.1, 1, 0, 0, 0, 0, 1, 0.7, 0, -9, -0.2};
    double B[] = {0, 0, 1, 0, 0, 0, 0, 1}, C[] = {1, 0.3, 0.2, 0, 2, 0.6, 0.4 + 1e-13, 0};
    double D[] = {0, 0, 0, 0}, re[8], im[8];
    int n = -1;
    flx_linear_model m = {.n = 4, .nin = 2, .nout = 2, .A = A, .B = B, .C = C, .D = D};
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_SINGULAR);
    C[6] = 0.7;
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK);
    for (int i = 0; i < 8; i++) B[i] *= i % 2 ? 1e9 : 1e-9; // units do not matter
    for (int i = 0; i < 4; i++) C[i] *= 1e-12;
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int torque_across_a_hinge(void)
{
    return across("auto") || across("index-3") || across("tree");
}

static int outputs_that_depend(void)
{
    return dependent("u1, u2", "a.position.y, B.angle", false) ||
           dependent("u1, u3", "a.position.y, a.velocity.y", false) ||
           dependent("u1, u3", "a.position.y, B.angle", true);
}

TEST_MAIN(TEST(torque_across_a_hinge), TEST(heavy), TEST(digits), TEST(outputs_that_depend),
          TEST(nearly_dependent))
