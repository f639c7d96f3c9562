// test_beam_statics.c - beams at rest by `flexion static`: the reference cases by load steps in every formulation they
// suit, loads that follow, and the order of convergence in the number of elements.
#include "check.h"
#include "findings.h"

#include <math.h>

// The signals of a model after its first analysis.
static int signals_of(const char *text, int n, double *out)
{
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    CHECK(w.f.path.arrived);
    memcpy(out, w.f.signals, (size_t)n * sizeof *out);
    findings_clear(&w);
    return 0;
}

// ---- reference cases ----------------------------------------------------------------------------

// flex-rollup-end-moment: u/L and v/L at 0.4, 0.8 and all of the moment of a full circle, to 1e-4.
static int moments_roll_it_up(void)
{
    static const struct {
        const char *keys;
        double tolerance;
    } forms[] = {{"geometrically-exact, elements: 64", 1e-4},
                 {"geometrically-exact, elements: 4, order: 4", 1e-7},
                 {"segments, elements: 200", 1e-4},
                 {"ancf-cable, elements: 40", 1e-4},
                 {"ancf, elements: 320", 1e-4}};
    static const double exact[3][3] = {{0.4, -0.7661276790528402, 0.7197849919800408},
                                       {0.8, -1.1892066821601643, 0.1374667011721526},
                                       {1.0, -1.0, 0.0}};
    for (int k = 0; k < 15; k++) {
        const double *e = exact[k % 3];
        char text[1000];
        double x[2];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies:\n"
                 "  b: {type: beam, from: [0, 0], to: [12, 0], formulation: %s,\n"
                 "      section: {EA: 30e6, EI: 2.5e6, GA: 1e7, mass: 1}}\n"
                 "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                 "forces: {M: {type: torque, on: b, at: b.end, value: 2*pi*2.5e6/12}}\n"
                 "analyse: {up: {type: static, to: %g, steps: 10}}\n"
                 "outputs: {signals: [b.end.deflection]}\n",
                 forms[k / 3].keys, e[0]);
        CHECK(signals_of(text, 2, x) == 0);
        CHECK_NEAR(x[0] / 12, e[1], forms[k / 3].tolerance);
        CHECK_NEAR(x[1] / 12, e[2], forms[k / 3].tolerance);
    }
    return 0;
}

// flex-bend45: an arc of 45 degrees, bent out of its plane; 600 to 3e-3, and to the digits of the solution of
// the rod's equations where the elements are good enough.
static int bends_leave_their_plane(void)
{
    static const struct {
        const char *keys;
        double tolerance;
    } forms[] = {{"geometrically-exact, elements: 8, order: 4", 1e-9},
                 {"geometrically-exact, elements: 32", 3e-4},
                 {"ancf, elements: 24", 3e-3},
                 {"segments, elements: 40", 3e-3}};
    static const double exact[3] = {47.150096240421746, 15.68468947895724, 53.475477997874};
    for (int k = 0; k < 4; k++) {
        char text[1000];
        double x[3];
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n  b: {type: beam, formulation: %s, up: [0, 0, 1],\n"
                 "      curve: [100*sin(s*pi/4), 100*(1 - cos(s*pi/4)), 0],\n"
                 "      section: {EA: 1e7, EI: 1e7/12, GA: 5/6*5e6, GJ: 5e6/6, mass: 1,"
                 " inertia: 1/6}}\n"
                 "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                 "forces: {P: {type: force, on: b, at: b.end, value: [0, 0, 600]}}\n"
                 "analyse: {up: {type: static, steps: 10}}\n"
                 "outputs: {signals: [b.end.position]}\n",
                 forms[k].keys);
        CHECK(signals_of(text, 3, x) == 0);
        for (int i = 0; i < 3; i++) CHECK_REL(x[i], exact[i], forms[k].tolerance);
    }
    return 0;
}

// flex-princeton-beam at 45 degrees.
static int princetons_beam(void)
{
    static const char *const forms[] = {"geometrically-exact, elements: 4, order: 4",
                                        "ancf, elements: 24", "segments, elements: 40"};
    static const double exact[3][3] = {{4.448, -0.003976433782036937, 0.056063500664957217},
                                       {8.896, -0.008979196722575312, 0.10911311525468362},
                                       {13.345, -0.015621149905570548, 0.15677461771937562}};
    for (int k = 0; k < 9; k++) {
        const double *e = exact[k % 3];
        char text[1000];
        double x[3];
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies:\n"
                 "  b: {type: beam, formulation: %s, from: [0, 0, 0], to: [0.508, 0, 0],\n"
                 "      section: {EA: 2842069.442616, GA: 1084759.329242748, mass: 0.1,\n"
                 "      GJ: 2.925744067749427, EI: [2.4288718041122013, 36.285519395400414]}}\n"
                 "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                 "forces: {P: {type: force, on: b, at: b.end,"
                 " value: [0, -cos(45*deg), sin(45*deg)]}}\n"
                 "analyse: {up: {type: static, to: %g, steps: 4}}\n"
                 "outputs: {signals: [b.end.deflection]}\n",
                 forms[k / 3], e[0]);
        CHECK(signals_of(text, 3, x) == 0);
        CHECK_REL(x[1], e[1], k < 3 ? 1e-6 : 0.01);
        CHECK_REL(x[2], e[2], k < 3 ? 1e-6 : 0.005);
    }
    return 0;
}

// exu-beam2d-large-bending: thick, with shear and stretch; converged values. The strains of `ancf` are those of this
// beam up to squares of the shear, which is no small number here.
static int thick_beams_bend(void)
{
    static const char *const forms[] = {"geometrically-exact, elements: 8, order: 2",
                                        "segments, elements: 100"};
    for (int k = 0; k < 2; k++) {
        char text[1000];
        double x[2];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\nbodies:\n"
            "  b: {type: beam, formulation: %s, from: [0, 0], to: [sqrt(2), sqrt(2)],\n"
            "      section: {EA: 1.035e10, EI: 2.15625e8, GA: 3382336601.30719, mass: 392.5}}\n"
            "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
            "forces:\n"
            "  F: {type: force, on: b, at: b.end,"
            " value: [44194173.82415922, -44194173.82415922]}\n"
            "  M: {type: expression, on: b, at: b.end, torque: -5e8}\n"
            "analyse: {up: {type: static, steps: 10}}\n"
            "outputs: {signals: [b.end.deflection]}\n",
            forms[k]);
        CHECK(signals_of(text, 2, x) == 0);
        CHECK_NEAR(x[0], -1.1973741153760136, 0.002);
        CHECK_NEAR(x[1], -2.209408327464623, 0.003);
    }
    return 0;
}

// ---- order of convergence -----------------------------------------------------------------------

// exu-cable-own-weight: where the tip goes, with a shear stiffness.
static int own_weight(const char *keys, double GA, double tip[2])
{
    char text[1000];
    snprintf(text, sizeof text,
             "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
             "  b: {type: beam, formulation: %s, from: [0, 0], to: [2, 0],\n"
             "      section: {EA: 1e6, EI: 833.3333333333333, GA: %g, mass: 78}}\n"
             "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
             "analyse: {up: {type: static, load: gravity, steps: 5}}\n"
             "outputs: {signals: [b.end.deflection]}\n",
             keys, GA);
    return signals_of(text, 2, tip);
}

static int it_bends_by_its_weight(void)
{
    static const char *const forms[] = {
        "geometrically-exact, elements: 8, order: 4", "geometrically-exact, elements: 32",
        "ancf-cable, elements: 8", "ancf, elements: 128", "segments, elements: 64"};
    for (int k = 0; k < 5; k++) {
        double x[2];
        CHECK(own_weight(forms[k], 1e7, x) == 0);
        CHECK_NEAR(x[0], -0.5013381879354779, k ? 2e-4 : 1e-6);
        CHECK_NEAR(x[1], -1.2325865327704255, k ? 5e-4 : 1e-6);
    }
    return 0;
}

// The slope of the logarithm of the error over that of the number of elements, by least squares. No shear,
// which a cable does not have.
static int orders_are_those_of_the_elements(void)
{
    static const struct {
        const char *form;
        int elements;
        double order;
    } forms[] = {{"geometrically-exact", 8, 2},
                 {"geometrically-exact, order: 2", 4, 4},
                 {"geometrically-exact, order: 3", 2, 6},
                 {"ancf-cable", 4, 4},
                 {"ancf", 16, 2},
                 {"segments", 16, 2}};
    double exact[2];
    CHECK(own_weight("geometrically-exact, elements: 8, order: 6", 1e11, exact) == 0);
    for (int k = 0; k < 6; k++) {
        double sum[4] = {0}, error = 0;
        for (int i = 0; i < 3; i++) {
            int n = forms[k].elements << i;
            char keys[100];
            double tip[2];
            snprintf(keys, sizeof keys, "%s, elements: %d", forms[k].form, n);
            CHECK(own_weight(keys, 1e11, tip) == 0);
            error = hypot(tip[0] - exact[0], tip[1] - exact[1]);
            double x = log2(n), y = -log2(error);
            sum[0] += x, sum[1] += y, sum[2] += x * x, sum[3] += x * y;
        }
        double order = (3 * sum[3] - sum[0] * sum[1]) / (3 * sum[2] - sum[0] * sum[0]);
        printf("  %s: order %.2f, error %.1e\n", forms[k].form, order, error);
        CHECK_NEAR(order, forms[k].order, 0.5);
    }
    return 0;
}

// ---- loads that follow --------------------------------------------------------------------------

// A cantilever of length 1, EI = 1, that neither stretches nor shears, from its tip towards its root: angle,
// moment, force, place, under a load p across the line that turns with it.
static void elastica(const double y[6], double p, double out[6])
{
    double c = cos(y[0]), s = sin(y[0]);
    out[0] = -y[1];
    out[1] = c * y[3] - s * y[2];
    out[2] = -p * s;
    out[3] = p * c;
    out[4] = -c;
    out[5] = -s;
}

// Where the tip is, with a force P across it that turns with it: what begins at the tip is known there.
static void follow(double P, double p, double tip[2])
{
    const int n = 2000;
    const double h = 1.0 / n;
    double y[6] = {0, 0, 0, P, 0, 0};
    for (int i = 0; i < n; i++) {
        double k[4][6], x[6];
        elastica(y, p, k[0]);
        for (int s = 1; s < 4; s++) {
            for (int c = 0; c < 6; c++) x[c] = y[c] + (s == 3 ? h : h / 2) * k[s - 1][c];
            elastica(x, p, k[s]);
        }
        for (int c = 0; c < 6; c++) {
            y[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
        }
    }
    double c = cos(y[0]), s = sin(y[0]);
    tip[0] = -(c * y[4] + s * y[5]);
    tip[1] = -(c * y[5] - s * y[4]);
}

static int loads_follow(void)
{
    static const struct {
        const char *keys;
        double tolerance[2]; // of the force, of the load along the line
    } forms[] = {{"geometrically-exact, elements: 16, order: 2", {3e-6, 2e-5}},
                 {"ancf-cable, elements: 32", {3e-6, 3e-5}},
                 {"ancf, elements: 64", {5e-4, 2e-3}},
                 {"segments, elements: 120", {1e-4, 1e-4}}};
    for (int k = 0; k < 8; k++) {
        bool line = k % 2;
        char text[1000];
        double x[2], exact[2];
        follow(line ? 0 : 8, line ? 40 : 0, exact);
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\nbodies:\n"
                 "  b: {type: beam, formulation: %s, from: [0, 0], to: [1, 0],\n"
                 "      section: {EA: 1e7, EI: 1, GA: 1e7, mass: 1}}\n"
                 "joints: {root: {type: fixed, on: [ground, b], at: b.start}}\n"
                 "forces: {P: {%s, frame: body}}\n"
                 "analyse: {up: {type: static, steps: 10}}\n"
                 "outputs: {signals: [b.end.position]}\n",
                 forms[k / 2].keys,
                 line ? "type: distributed, on: b, value: [0, 40]"
                      : "type: force, on: b, at: b.end, value: [0, 8]");
        CHECK(signals_of(text, 2, x) == 0);
        printf("  %s, %s: off by %.1e\n", forms[k / 2].keys, line ? "line" : "tip",
               hypot(x[0] - exact[0], x[1] - exact[1]));
        for (int i = 0; i < 2; i++) CHECK_NEAR(x[i], exact[i], forms[k / 2].tolerance[line]);
    }
    return 0;
}

TEST_MAIN(SLOW_TEST(moments_roll_it_up), TEST(bends_leave_their_plane), TEST(princetons_beam),
          TEST(thick_beams_bend), TEST(it_bends_by_its_weight),
          SLOW_TEST(orders_are_those_of_the_elements), SLOW_TEST(loads_follow))
