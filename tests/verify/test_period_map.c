// test_period_map.c - maps over a period: a linear oscillator, a pendulum held upright by vibration, van der Pol's cycle with
// its period, a sampled loop with delay, and what is refused.
#include "check.h"
#include "findings.h"

#include <math.h>

#define PI 3.14159265358979323846
#define RUN "simulate: {until: 10, method: dop853, rtol: 1e-11, atol: 1e-13}\n"

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

static int linear(void)
{
    findings w = findings_of("flexion: 1\nequations: {second_order: {x: {at: 0.1, mass: 1, force: "
                             "\"-4*x - 0.3*x'\"}}}\n" RUN
                             "analyse: {m: {type: period-map, period: 1.3, from: 0.2}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "multipliers");
    double rate = sqrt(4 - 0.15 * 0.15), size = exp(-0.15 * 1.3);
    CHECK(t->nrow == 2 && t->ncolumn == 5);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(t->values[5 * i], size * cos(rate * 1.3), 1e-9);
        CHECK_NEAR(fabs(t->values[5 * i + 1]), size * sin(rate * 1.3), 1e-9);
        CHECK_NEAR(t->values[5 * i + 3], -0.15, 1e-9);
        CHECK_NEAR(t->values[5 * i + 4], rate / (2 * PI), 1e-9);
    }
    CHECK_TEXT(w.f.lines[0], "does not repeat itself after 1.3 s");
    findings_clear(&w);
    return 0;
}

// theta'' = (g - a w^2 cos(w t)) theta / l over a period, by the method of Runge and Kutta: the trace of the map.
static double trace(double a, double w, double l, double damping)
{
    enum { N = 4000 };
    double sum = 0.0, h = 2 * PI / w / N;
    for (int column = 0; column < 2; column++) {
        double x[2] = {column == 0, column == 1};
        for (int i = 0; i < N; i++) {
            double k[4][2], y[2] = {x[0], x[1]};
            for (int s = 0; s < 4; s++) {
                static const double c[4] = {0, 0.5, 0.5, 1};
                for (int j = 0; j < 2 && s > 0; j++) y[j] = x[j] + h * c[s] * k[s - 1][j];
                k[s][0] = y[1];
                k[s][1] = (9.81 - a * w * w * cos(w * h * (i + c[s]))) / l * y[0] - damping * y[1];
            }
            for (int j = 0; j < 2; j++)
                x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        }
        sum += x[column];
    }
    return sum;
}

// Upright, its pivot vibrates; in the coordinates of bodies with three joints, and in those of the joints.
static int vibrating_pivot(void)
{
    static const double amplitudes[] = {0.01, 0.05};
    static const char *const forms[] = {"index-3", "tree"};
    for (int q = 0; q < 4; q++) {
        double a = amplitudes[q % 2], w = 120, l = (0.02 + 0.25) / 0.5, damping = 0.05 / 0.27;
        char text[1200];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {w: 120}\nbodies:\n"
                 "  block: {type: rigid, mass: 1, inertia: 1, position: [0, %g]}\n"
                 "  rod: {type: rigid, mass: 1, inertia: 0.02, position: [0, 0.5 + %g]}\njoints:\n"
                 "  guide: {type: prismatic, on: [ground, block], at: block, axis: [0, 1], motion: "
                 "{displacement: \"%g*(cos(w*t) - 1)\"}}\n"
                 "  pin: {type: revolute, on: [block, rod], at: block}\n"
                 "forces: {d: {type: torque, on: pin, value: -0.05*pin.rate}}\n"
                 "simulate: {until: 1, formulation: %s, method: radau, rtol: 1e-10, atol: 1e-12}\n"
                 "analyse: {m: {type: period-map, period: 2*pi/w}}\n",
                 a, a, a, forms[q / 2]);
        findings k = findings_of(text);
        CHECK(k.status == FLX_OK);
        const flx_finding_table *t = table(&k.f, "multipliers");
        CHECK(t->nrow == 2);
        CHECK_NEAR(t->values[0] + t->values[5], trace(a, w, l, damping), 1e-6);
        CHECK_REL(t->values[2] * t->values[7], exp(-damping * 2 * PI / w), 1e-6);
        CHECK((t->values[2] > 1) == (a < 0.02)); // (a w)^2 > 2 g l keeps it upright
        CHECK_TEXT(k.f.lines[0], "repeats itself");
        findings_clear(&k);
    }
    return 0;
}

// The cycle of x'' = (1 - x^2) x' - x; the multiplier beside 1 is the exponential of the integral of 1 - x^2 along it.
static int cycle(void)
{
    findings w =
        findings_of("flexion: 1\nequations:\n  second_order: {x: {at: 1.5, rate: 0.4, mass: "
                    "1, force: \"-x + (1 - x^2)*x'\"}}\n" RUN
                    "analyse: {m: {type: period-map, period: 6.2, from: 3, find: period}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "multipliers"), *m = table(&w.f, "motion");
    CHECK_REL(m->values[0], 6.663286859323105, 1e-9);
    CHECK_NEAR(t->values[0], 1, 1e-6);
    double x[2] = {m->values[1], m->values[2]}, sum = 0.0, h = m->values[0] / 20000;
    for (int i = 0; i < 20000; i++) {
        double k[4][2], y[2] = {x[0], x[1]}, f[4];
        for (int s = 0; s < 4; s++) {
            static const double c[4] = {0, 0.5, 0.5, 1};
            for (int j = 0; j < 2 && s > 0; j++) y[j] = x[j] + h * c[s] * k[s - 1][j];
            k[s][0] = y[1];
            k[s][1] = (1 - y[0] * y[0]) * y[1] - y[0];
            f[s] = 1 - y[0] * y[0];
        }
        for (int j = 0; j < 2; j++) x[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        sum += h / 6 * (f[0] + 2 * f[1] + 2 * f[2] + f[3]);
    }
    CHECK_NEAR(x[0], m->values[1], 1e-7);
    CHECK_REL(t->values[5], exp(sum), 1e-5);
    findings_clear(&w);
    return 0;
}

// x' = u held over T, u = -K x a sample late: z^2 - z + K T = 0, and a multiplier 0 of what is held.
static int sampled(void)
{
    findings w = findings_of("flexion: 1\nequations:\n  first_order: {x: {at: 1, derivative: u}}\n"
                             "  discrete: {u: {at: 0}, late: {at: 0}}\n"
                             "events: {clock: {every: 0.1, set: {u: late, late: -3*x}}}\n" RUN
                             "analyse: {m: {type: period-map, period: 0.1, from: 0.55}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "multipliers");
    CHECK(t->nrow == 3);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(t->values[5 * i], 0.5, 1e-8);
        CHECK_NEAR(fabs(t->values[5 * i + 1]), sqrt(0.3 - 0.25), 1e-8);
    }
    CHECK_NEAR(t->values[12], 0, 1e-8);
    findings_clear(&w);
    return 0;
}

// The same by a controller, from the start on, where its clock strikes: once at each end of a period, of several too.
static int sampled_from_the_start(void)
{
    static const char *const keys[] = {"period: 0.1", "period: 0.1, from: 0.3",
                                       "period: 0.1, find: motion", "period: 0.2"};
    for (int k = 0; k < 4; k++) {
        char text[800];
        snprintf(text, sizeof text,
                 "flexion: 1\nequations: {first_order: {x: {at: 0.2, derivative: p}}}\n"
                 "control: {p: {type: pid, of: -x, p: 3, sample: 0.1, delay: 1}}\n" RUN
                 "analyse: {m: {type: period-map, %s}}\n",
                 keys[k]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "multipliers");
        CHECK(t->nrow == 3);
        for (int i = 0; i < 2; i++) {
            CHECK_NEAR(t->values[5 * i], k < 3 ? 0.5 : 0.2, 1e-8); // 0.2: the square's
            CHECK_NEAR(fabs(t->values[5 * i + 1]), sqrt(0.3 - 0.25), 1e-8);
        }
        CHECK_NEAR(t->values[12], 0, 1e-8);
        for (int i = 0; i < w.f.nline; i++) CHECK(!strstr(w.f.lines[i], "is no multiple"));
        findings_clear(&w);
    }
    return 0;
}

// A period in which the clock strikes once, and in the next one twice, is told.
static int clocks_that_do_not_fit(void)
{
    findings w = findings_of("flexion: 1\nequations: {first_order: {x: {at: 0, derivative: p}}}\n"
                             "control: {p: {type: pid, of: -x, p: 3, sample: 0.1}}\n" RUN
                             "analyse: {m: {type: period-map, period: 0.15}}\n");
    bool told = false;
    CHECK(w.status == FLX_OK);
    for (int i = 0; i < w.f.nline; i++) {
        told = told || strstr(w.f.lines[i], "the period is no multiple of the 0.1 s after which "
                                            "'p.tick' strikes");
    }
    CHECK(told);
    findings_clear(&w);
    return 0;
}

// x'' = 4 x + u, u = -20 x - 6 v of each sample: A + B K of what is sampled, in closed form; it stands by its controller.
static int sampled_and_unstable(void)
{
    findings w = findings_of("flexion: 1\nequations: {second_order: {x: {mass: 1, force: 4*x + "
                             "u}}, discrete: {u: {at: 0}}}\n"
                             "events: {clock: {every: 0.01, set: {u: \"-20*x - 6*x'\"}}}\n" RUN
                             "analyse: {m: {type: period-map, period: 0.01}}\n");
    CHECK(w.status == FLX_OK);
    const flx_finding_table *t = table(&w.f, "multipliers");
    double c = cosh(0.02), s = sinh(0.02);
    double a = c - 20 * (c - 1) / 4, b = s / 2 - 6 * (c - 1) / 4, d = 2 * s - 20 * s / 2,
           e = c - 6 * s / 2;
    CHECK(t->nrow == 3);
    CHECK_NEAR(t->values[0] + t->values[5], a + e, 1e-8);
    CHECK_NEAR(t->values[2] * t->values[7], a * e - b * d, 1e-8);
    CHECK(t->values[2] < 1);
    findings_clear(&w);
    return 0;
}

static int refused(void)
{
    findings w =
        findings_of("flexion: 1\nequations: {second_order: {x: {rate: 1, mass: 1, force: 0}}}\n" RUN
                    "events: {over: {when: x > 0.5, stop: true}}\n"
                    "analyse: {m: {type: period-map, period: 1}}\n");
    CHECK(w.status == FLX_ERR_CANNOT);
    findings_clear(&w);
    w = findings_of("flexion: 1\nequations: {second_order: {x: {rate: 1, mass: 1, force: 1}}}\n" RUN
                    "analyse: {m: {type: period-map, period: 1, find: motion}}\n");
    CHECK(w.status != FLX_OK); // it never comes back
    findings_clear(&w);
    return 0;
}

// The same pendulum in space, its axes under any angle: a pivot without mass carries a bob without moments, and the matrix
// of accelerations is that of the one rotation which has inertia.
static int massless_pivot_under_an_angle(void)
{
    for (int k = 0; k < 12; k++) {
        char text[1200];
        double a = 0.7 * k, b = 1.9 * k - 0.4, c = cos(0.5 * k), d = sin(0.5 * k), l = 0.3;
        double up[3] = {cos(a) * cos(b), sin(a) * cos(b), sin(b)};
        double across[3] = {-c * sin(a) - d * cos(a) * sin(b), c * cos(a) - d * sin(a) * sin(b),
                            d * cos(b)};
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [%.17g, %.17g, %.17g]\n"
            "bodies:\n"
            "  pivot: {type: rigid, mass: 0, inertia: [0, 0, 0]}\n"
            "  bob: {type: rigid, mass: 2, inertia: [0, 0, 0], position: [%.17g, %.17g, %.17g]}\n"
            "joints:\n"
            "  s: {type: prismatic, on: [ground, pivot], at: [0, 0, 0],"
            " axis: [%.17g, %.17g, %.17g], motion: {displacement: 0.006*(cos(300*t) - 1)}}\n"
            "  h: {type: revolute, on: [pivot, bob], at: [0, 0, 0],"
            " axis: [%.17g, %.17g, %.17g]}\n" RUN
            "analyse: {m: {type: period-map, period: pi/150}}\n",
            -9.81 * up[0], -9.81 * up[1], -9.81 * up[2], l * up[0], l * up[1], l * up[2], up[0],
            up[1], up[2], across[0], across[1], across[2]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        const flx_finding_table *t = table(&w.f, "multipliers");
        CHECK(t->nrow == 2 && t->ncolumn == 5);
        CHECK_NEAR(t->values[0] + t->values[5], trace(0.006, 300, l, 0), 1e-6);
        findings_clear(&w);
    }
    return 0;
}

TEST_MAIN(TEST(linear), TEST(vibrating_pivot), TEST(massless_pivot_under_an_angle), TEST(cycle),
          TEST(sampled), TEST(sampled_from_the_start), TEST(clocks_that_do_not_fit),
          TEST(sampled_and_unstable), TEST(refused))
