// test_beam_joints.c - beams held and loaded in every way: what a joint or a force does at an end or inside the line must
// not depend on the formulation, nor take a part of an element away.
#include "check.h"
#include "findings.h"

#include <math.h>

#define L 2.0
static const double EA = 5e5, GA = 2e5, EIy = 400, EIz = 900, GJ = 300;

static const struct form {
    const char *keys;
    double bound; // of what bends, relative
    bool cable;   // no shear, one bending stiffness in space
} forms[] = {{"geometrically-exact, elements: 5, order: 3", 1e-6, false},
             {"geometrically-exact, elements: 20", 2e-3, false},
             {"ancf, elements: 20", 2e-3, false},
             {"ancf-cable, elements: 20", 1e-5, true},
             {"segments, elements: 20", 2e-3, false}};
enum { FORMS = sizeof forms / sizeof forms[0] };

// A model with the beam `b` along x; dimension 2 or 3.
static int signals_of(const struct form *f, int dimension, const char *rest, int n, double *out)
{
    char text[3000];
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: %d\nbodies:\n"
             "  b: {type: beam, formulation: %s, from: %s, to: %s,\n"
             "      section: {EA: 5e5, GA: 2e5, EI: %s, %s mass: 3}}\n%s",
             dimension, f->keys, dimension == 2 ? "[0, 0]" : "[0, 0, 0]",
             dimension == 2 ? "[2, 0]" : "[2, 0, 0]",
             f->cable ? "900" : (dimension == 2 ? "900" : "[400, 900]"),
             dimension == 2 ? "" : "GJ: 300,", rest);
    findings w = findings_of(text);
    if (w.status != FLX_OK || !w.f.path.arrived) printf("  %s, dimension %d\n", f->keys, dimension);
    CHECK(w.status == FLX_OK);
    CHECK(w.f.path.arrived);
    memcpy(out, w.f.signals, (size_t)n * sizeof *out);
    findings_clear(&w);
    return 0;
}

// ---- pull and twist -----------------------------------------------------------------------------

// A bar lengthens by F L/EA, whatever holds it and with any number of elements; its force is F everywhere.
static int bars_lengthen(void)
{
    static const char *const holds[] = {
        "hold: {type: fixed, on: [ground, b], at: b.start}",
        "hold: {type: revolute, on: [ground, b], at: b.start%s}",
        ("hold: {type: prismatic, on: [ground, b], at: b.start, axis: [1, 0%s], motion: "
         "{displacement: 0}}")};
    static const char *const few[] = {"geometrically-exact, elements: 1",
                                      "ancf, elements: 1",
                                      "ancf-cable, elements: 2",
                                      "segments, elements: 1",
                                      "segments, elements: 3",
                                      "ancf, elements: 10",
                                      "segments, elements: 10"};
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (size_t k = 0; k < 3 * sizeof few / sizeof few[0]; k++) {
            struct form f = {few[k / 3], 0, few[k / 3][4] == '-'};
            char rest[1500], hold[300];
            double x[6];
            if (dimension == 3 && f.cable) continue; // free to spin about its line
            const char *third = k % 3 == 1 ? ", axis: [0, 1, 0]" : ", 0";
            snprintf(hold, sizeof hold, holds[k % 3], dimension == 3 ? third : "");
            snprintf(rest, sizeof rest,
                     "joints: {%s, slide: {type: point-on-line, on: [ground, b], at: [%s, b.end],"
                     " axis: [1, 0%s]}}\n"
                     "forces: {pull: {type: force, on: b, at: b.end, value: [500, 0%s]}}\n"
                     "analyse: {up: {type: static, steps: 1}}\n"
                     "outputs: {signals: [b.end.deflection.x, b.point(0.3).deflection.x,"
                     " b.point(0.3).force.x]}\n",
                     hold, dimension == 3 ? "[0, 0, 0]" : "[0, 0]", dimension == 3 ? ", 0" : "",
                     dimension == 3 ? ", 0" : "");
            CHECK(signals_of(&f, dimension, rest, 3, x) == 0);
            CHECK_REL(x[0], 500 * L / EA, 1e-9);
            CHECK_REL(x[1], 500 * 0.3 * L / EA, 1e-9);
            CHECK_REL(x[2], 500, 1e-9);
        }
    }
    return 0;
}

// Moments about all axes at the free end of a clamped beam.
static int ends_turn(void)
{
    for (int k = 0; k < FORMS; k++) {
        double x[4];
        if (forms[k].cable) continue; // it does not resist twist
        CHECK(
            signals_of(forms + k, 3,
                       "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                       "forces: {M: {type: torque, on: b, at: b.end, value: [1e-3, 2e-3, 3e-3]}}\n"
                       "analyse: {up: {type: static, steps: 1}}\n"
                       "outputs: {signals: [b.end.orientation]}\n",
                       4, x) == 0);
        CHECK_REL(2 * x[1], 1e-3 * L / GJ, 1e-4);
        CHECK_REL(2 * x[2], 2e-3 * L / EIy, 1e-4);
        CHECK_REL(2 * x[3], 3e-3 * L / EIz, 1e-4);
    }
    return 0;
}

// ---- joints that hold a direction -------------------------------------------------------------------

static double cantilever(double F, double length, double EI, bool cable)
{
    return F * (length * length * length / (3 * EI) + (cable ? 0 : length / GA));
}

// Joints at the start that leave what the load does not ask for.
static int joints_hold_directions(void)
{
    static const struct {
        const char *hold, *load;
        int along;
    } cases[] = {
        {"a: {type: revolute, on: [ground, b], at: b.start, axis: [0, 1, 0]},"
         " c: {type: point-on-plane, on: [ground, b], at: b.end, axis: [0, 0, 1]}",
         "[0, 1e-3, 0]", 1},
        {"a: {type: revolute, on: [ground, b], at: b.start, axis: [0, 0, 1]},"
         " c: {type: point-on-plane, on: [ground, b], at: b.end, axis: [0, 1, 0]}",
         "[0, 0, 1e-3]", 2},
        {"a: {type: revolute, on: [ground, b], at: b.start, axis: [1, 0, 0], motion: {angle: 0}}",
         "[0, 1e-3, 0]", 1},
        {"a: {type: prismatic, on: [ground, b], at: b.start, axis: [1, 0, 0], motion:"
         " {displacement: 0}}",
         "[0, 0, 1e-3]", 2},
        {"a: {type: universal, on: [ground, b], at: b.start, axes: [[0, 1, 0], [1, 0, 0]]},"
         " c: {type: point-on-plane, on: [ground, b], at: b.end, axis: [0, 0, 1]}",
         "[0, 1e-3, 0]", 1},
        {"a: {type: planar, on: [ground, b], at: b.start, axis: [0, 1, 0]},"
         " c: {type: point-on-line, on: [ground, b], at: [[0, 0, 0], b.start], axis: [0, 1, 0]},"
         " e: {type: point-on-plane, on: [ground, b], at: b.end, axis: [0, 0, 1]}",
         "[0, 1e-3, 0]", 1},
        {"a: {type: cylindrical, on: [ground, b], at: b.start, axis: [1, 0, 0]},"
         " c: {type: spherical, on: [ground, b], at: b.start}",
         "[0, 1e-3, 1e-3]", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int k = 0; k < FORMS; k++) {
            char rest[1500];
            double x[3];
            if (forms[k].cable) continue;
            snprintf(rest, sizeof rest,
                     "joints: {%s}\n"
                     "forces:\n  P: {type: force, on: b, at: b.end, value: %s}\n"
                     "  twist: {type: bushing, on: [ground, b], at: b.start, stiffness:"
                     " [0, 0, 0, 1, 0, 0]}\n"
                     "analyse: {up: {type: static, steps: 1}}\n"
                     "outputs: {signals: [b.end.deflection]}\n",
                     cases[i].hold, cases[i].load);
            CHECK(signals_of(forms + k, 3, rest, 3, x) == 0);
            double right = cantilever(1e-3, L, cases[i].along == 1 ? EIz : EIy, false);
            if (fabs(x[cases[i].along] / right - 1) > forms[k].bound)
                printf("  case %zu, %s\n", i, forms[k].keys);
            CHECK_REL(x[cases[i].along], right, forms[k].bound);
        }
    }
    return 0;
}

// A clamp inside the line: two cantilevers that know nothing of each other.
static int clamps_are_anywhere(void)
{
    for (int k = 0; k < FORMS; k++) {
        for (int i = 0; i < 3; i++) {
            static const double places[3] = {0.4, 0.5, 0.37};
            char rest[1500];
            double x[2], a = places[i] * L, b = L - a;
            snprintf(rest, sizeof rest,
                     "joints: {hold: {type: fixed, on: [ground, b], at: b.point(%g)}}\n"
                     "forces:\n  P: {type: force, on: b, at: b.start, value: [0, 2e-3]}\n"
                     "  Q: {type: force, on: b, at: b.end, value: [0, -1e-3]}\n"
                     "analyse: {up: {type: static, steps: 1}}\n"
                     "outputs: {signals: [b.start.deflection.y, b.end.deflection.y]}\n",
                     places[i]);
            CHECK(signals_of(forms + k, 2, rest, 2, x) == 0);
            CHECK_REL(x[0], cantilever(2e-3, a, EIz, forms[k].cable), 5 * forms[k].bound);
            CHECK_REL(x[1], -cantilever(1e-3, b, EIz, forms[k].cable), 5 * forms[k].bound);
        }
    }
    return 0;
}

// A disc on a shaft between two pins, turned by a moment: M (a^3 + b^3)/(3 EI l^2), and the shear of the reactions.
static int discs_turn(void)
{
    for (int k = 0; k < FORMS; k++) {
        double x[2], a = 0.4 * L, b = 0.6 * L;
        CHECK(signals_of(forms + k, 2,
                         "  disc: {type: rigid, mass: 1, inertia: 1, position: [0.8, 0]}\n"
                         "joints:\n  left: {type: revolute, on: [ground, b], at: b.start}\n"
                         "  right: {type: point-on-line, on: [ground, b], at: [[0, 0], b.end],"
                         " axis: [1, 0]}\n"
                         "  hub: {type: fixed, on: [b, disc], at: [b.point(0.4), disc.com]}\n"
                         "forces: {M: {type: torque, on: disc, value: 1e-3}}\n"
                         "analyse: {up: {type: static, steps: 1}}\n"
                         "outputs: {signals: [disc.angle, disc.position.y]}\n",
                         2, x) == 0);
        double bent = 1e-3 * (a * a * a + b * b * b) / (3 * EIz * L * L);
        double right = bent + (forms[k].cable ? 0 : 1e-3 / (GA * L));
        CHECK_REL(x[0], right, 2 * forms[k].bound);
        CHECK_REL(x[1], 1e-3 * a * b * (b - a) / (3 * EIz * L), 10 * forms[k].bound);
    }
    return 0;
}

// A clamped beam under its weight: the reactions, and the moment within.
static int weights_are_carried(void)
{
    for (int k = 0; k < FORMS; k++) {
        double x[3];
        CHECK(signals_of(
                  forms + k, 2,
                  "gravity: [0, -1e-3]\n"
                  "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                  "analyse: {up: {type: static, load: gravity, steps: 1}}\n"
                  "outputs: {signals: [b.end.deflection.y, root.moment, b.point(0.5).moment]}\n",
                  3, x) == 0);
        double q = 3e-3, right = q * L * L * L * L / (8 * EIz);
        if (!forms[k].cable) right += q * L * L / (2 * GA);
        CHECK_REL(x[0], -right, 2 * forms[k].bound);
        CHECK_REL(fabs(x[1]), q * L * L / 2, 1e-6);
        CHECK_REL(fabs(x[2]), q * L * L / 8, 2e-2);
    }
    return 0;
}

TEST_MAIN(TEST(bars_lengthen), TEST(ends_turn), TEST(joints_hold_directions),
          TEST(clamps_are_anywhere), TEST(discs_turn), TEST(weights_are_carried))
