// test_shaft_whirl.c - Campbell diagrams of flexible bodies with closed forms: a shaft on two pins in both axes, reference case
// flex-rotating-shaft-whirl; a spinning beam whose section is no circle; a blade on a hub, flex-rotating-beam-frequencies.
#include "check.h"
#include "findings.h"
#include "reference_case.h"

#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846

static const char text[] =
    "flexion: 1\n"
    "parameters: {Omega: 500, L: 1.5, D: 0.05}\n"
    "bodies:\n"
    "  shaft:\n"
    "    type: flexible\n"
    "    fe: {line: [[0, 0, 0], [L, 0, 0]], elements: 20, section: {radius: D/2}, material: {E: "
    "2.1e11, nu: 0.3, density: 7800}}\n"
    "    reduce: {type: craig-bampton, interfaces: [start, end], modes: 4}\n"
    "    frame: chord\n"
    "    stiffening: true\n"
    "    angular_velocity: [Omega, 0, 0]\n"
    "joints:\n"
    "  left: {type: spherical, on: [ground, shaft], at: shaft.start}\n"
    "  right: {type: point-on-line, on: [ground, shaft], at: shaft.end, axis: [1, 0, 0]}\n"
    "analyse: {map: {type: campbell, speed: Omega, from: 0, to: 1000, count: 3}}\n"
    "simulate: {until: 0.001}\n";

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

static int column(const flx_finding_table *t, const char *name)
{
    for (int k = 0; k < t->ncolumn; k++) {
        if (strcmp(t->columns[k], name) == 0) return k;
    }
    return -1;
}

// The branch that whirls with this sign in a row, and whose frequency is nearest to w, in rad/s.
static int branch_near(const flx_finding_table *t, int row, double sign, double w)
{
    const double *v = t->values + row * t->ncolumn;
    int best = 1;
    double off = HUGE_VAL;
    for (int k = 1; k < t->ncolumn; k += 3) {
        if (!(fabs(v[k + 2] - sign) < 1e-6) || fabs(2 * PI * v[k] - w) >= off) continue;
        off = fabs(2 * PI * v[k] - w);
        best = k;
    }
    return best;
}

// Forward and backward whirl in ground axes are those of the case, and part with the speed.
static int whirl_is_that_of_the_case(void)
{
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "campbell");
    CHECK(t->nrow == 3);
    reference_case r = reference_open("flex-rotating-shaft-whirl");
    const char *const ways[] = {"forward", "backward"};
    const int branch[2] = {branch_near(t, 1, 1, 284), branch_near(t, 1, -1, 284)};
    CHECK(branch[0] != branch[1]);
    for (int row = 0; row < 3; row++) {
        const double *v = t->values + row * t->ncolumn;
        for (int way = 0; way < 2; way++) {
            char name[100];
            snprintf(name, sizeof name, "%s at Omega=%.0f (with rotary inertia)", ways[way], v[0]);
            reference_compare(&r, name, 2 * PI * v[branch[way]]);
            if (row > 0) CHECK_NEAR(v[branch[way] + 2], way == 0 ? 1.0 : -1.0, 1e-6);
        }
    }
    CHECK(r.compared == 6 && r.failed == 0);
    // both whirls part by Omega Ip/Id of the section's rotary inertia, here to a percent
    const double *last = t->values + 2 * t->ncolumn;
    CHECK_REL(2 * PI * (last[branch[0]] - last[branch[1]]), 285.093088682532 - 283.7232491666942,
              0.01);
    reference_close(&r);
    findings_clear(&w);
    return 0;
}

// Axes that rotate see w - Omega and w + Omega; the first goes through zero at the critical speed, and stays one branch.
static int shaft_in_rotating_axes(void)
{
    char other[1500];
    const char *at = strstr(text, "count: 3");
    snprintf(other, sizeof other, "%.*scount: 6, axes: rotating, orders: [1]%s", (int)(at - text),
             text, at + 8);
    findings g = findings_of(text), w = findings_of(other);
    CHECK(g.status == FLX_OK && w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "campbell"), *ground = table(&g.f, "campbell");
    const double *fast = t->values + 5 * t->ncolumn, *known = ground->values + 2 * ground->ncolumn;
    CHECK(t->nrow == 6);
    double forward = 2 * PI * known[branch_near(ground, 2, 1, 285)];
    double backward = 2 * PI * known[branch_near(ground, 2, -1, 284)];
    // the slowest at 200 rad/s, 84 rad/s; slower than the axes it goes back in them
    CHECK_REL(2 * PI * t->values[t->ncolumn + 1], forward - 200, 0.05);
    CHECK_REL(2 * PI * fast[1], 1000 - forward, 1e-9);
    CHECK_NEAR(fast[3], -1.0, 1e-6);
    CHECK_REL(2 * PI * fast[branch_near(t, 5, -1, 1284)], 1000 + backward, 1e-9);
    findings_clear(&g);
    findings_clear(&w);
    return 0;
}

// A beam of rectangular section on two pins, in its own axes:
//     (a^2 - Omega^2 - s^2) (b^2 - Omega^2 - s^2) = 4 Omega^2 s^2
// with a, b its frequencies in both planes at rest; slow enough to be stable, Omega < a.
static int spinning_beam(void)
{
    static const char beam[] =
        "flexion: 1\n"
        "parameters: {Omega: 10}\n"
        "bodies:\n"
        "  shaft:\n"
        "    type: flexible\n"
        "    fe: {line: [[0, 0, 0], [2, 0, 0]], elements: 12, section: {width: 0.02, height: "
        "0.03}, "
        "material: {E: 2.1e11, nu: 0.3, density: 7800}}\n"
        "    reduce: {type: modal, modes: 6}\n"
        "    frame: chord\n"
        "    stiffening: true\n"
        "    angular_velocity: [Omega, 0, 0]\n"
        "joints:\n"
        "  left: {type: spherical, on: [ground, shaft], at: shaft.start}\n"
        "  right: {type: point-on-line, on: [ground, shaft], at: shaft.end, axis: [1, 0, 0]}\n"
        "analyse: {map: {type: campbell, speed: Omega, from: 0, to: 24, count: 4, modes: 4, axes: "
        "rotating}}\n"
        "simulate: {until: 0.001}\n";
    findings w = findings_of(beam);
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "campbell");
    int f1 = column(t, "frequency(1)"), f2 = column(t, "frequency(2)");
    CHECK(t->nrow == 4 && f1 > 0 && f2 > 0);
    double a = 2 * PI * t->values[f1], b = 2 * PI * t->values[f2];
    CHECK_REL(b / a, 1.5, 1e-3);
    for (int row = 1; row < 4; row++) {
        const double *v = t->values + row * t->ncolumn;
        double W = v[0], p = a * a + b * b + 2 * W * W, q = (a * a - W * W) * (b * b - W * W);
        double root = sqrt(p * p - 4 * q);
        CHECK_REL(2 * PI * v[f1], sqrt(0.5 * (p - root)), 1e-4);
        CHECK_REL(2 * PI * v[f2], sqrt(0.5 * (p + root)), 1e-4);
        CHECK(fabs(v[f1 + 2]) < 0.999); // ellipses
    }
    findings_clear(&w);
    return 0;
}

// A uniform blade on a hub, flap and lag frequencies of the case, followed from speed to speed in the axes of the blade.
static int blade(void)
{
    static const double flap[3] = {3.516015268505922, 4.13731957308658, 5.5850014209252645};
    static const char model[] =
        "flexion: 1\n"
        "parameters: {eta: 1}\n"
        "bodies:\n"
        "  beam: {type: flexible, angular_velocity: [0, 0, eta], stiffening: true,\n"
        "         fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 30, theory: euler-bernoulli, "
        "material: {E: 1, density: 1},\n"
        "              section: {EA: 1e8, EI: 1, GJ: 1, mass: 1, inertia: 1e-9}},\n"
        "         reduce: {type: modal, modes: 12}}\n"
        "joints: {motor: {type: revolute, on: [ground, beam], at: beam, axis: [0, 0, 1], motion: "
        "{angle: eta*t}}}\n"
        "simulate: {until: 1}\n"
        "analyse: {map: {type: campbell, speed: eta, from: 0, to: 4, count: 3, modes: 2%s}}\n";
    for (int axes = 0; axes < 2; axes++) {
        char whole[1500];
        snprintf(whole, sizeof whole, model, axes == 0 ? ", axes: rotating" : "");
        findings w = findings_of(whole);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "campbell");
        CHECK(t->nrow == 3);
        for (int row = 0; row < 3; row++) {
            const double *v = t->values + row * t->ncolumn;
            double eta = v[0], a = 2 * PI * v[1], b = 2 * PI * v[4];
            CHECK_REL(fmax(a, b), flap[row], 6e-4);
            // without a hub both differ by the spin alone: lag^2 = flap^2 - eta^2
            CHECK_REL(fmin(a, b), sqrt(flap[row] * flap[row] - eta * eta), 1e-3);
        }
        bool told =
            false; // what goes to and fro in the blade's axes has two frequencies on the ground
        for (int i = 0; i < w.f.nline; i++)
            told = told || strstr(w.f.lines[i], "they have two frequencies");
        CHECK(told == (axes == 1));
        findings_clear(&w);
    }
    return 0;
}

// Static shapes alone turn the pins by more than two radians a unit: the start looks at nearer positions. The frames agree.
static int static_shapes_in_all_frames(void)
{
    static const char *const frames[] = {"tangent", "chord", "buckens"};
    for (int i = 0; i < 3; i++) {
        char shaft[1500];
        snprintf(shaft, sizeof shaft,
                 "flexion: 1\n"
                 "bodies:\n"
                 "  shaft:\n"
                 "    type: flexible\n"
                 "    fe: {line: [[0, 0, 0], [1.5, 0, 0]], elements: 12, section: {radius: 0.025}, "
                 "material: {E: 2.1e11, nu: 0.3, density: 7800}}\n"
                 "    reduce: {type: guyan, interfaces: [start, end]}\n"
                 "    frame: %s\n"
                 "joints:\n"
                 "  left: {type: spherical, on: [ground, shaft], at: shaft.start}\n"
                 "  right: {type: point-on-line, on: [ground, shaft], at: shaft.end, axis: [1, 0, "
                 "0]}\n"
                 "analyse: {pins: {type: modes, count: 4}}\n"
                 "simulate: {until: 0.001}\n",
                 frames[i]);
        findings w = findings_of(shaft);
        CHECK(w.status == FLX_OK);
        CHECK(w.f.modes.nmode >= 4);
        // Euler's beam turned by its pins: w^2 = 120 and 2520 EI/(m L^4), less the shear
        const double unit =
            sqrt(2.1e11 * PI * pow(0.025, 4) / 4 / (7800 * PI * pow(0.025, 2))) / 2.25;
        CHECK_NEAR(w.f.modes.modes[0].im, sqrt(120) * unit, 5e-4 * sqrt(120) * unit);
        CHECK_NEAR(w.f.modes.modes[2].im, sqrt(2520) * unit, 5e-4 * sqrt(2520) * unit);
        findings_clear(&w);
    }
    return 0;
}

TEST_MAIN(TEST(static_shapes_in_all_frames), TEST(whirl_is_that_of_the_case),
          TEST(shaft_in_rotating_axes), TEST(spinning_beam), TEST(blade))
