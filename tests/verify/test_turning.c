// test_turning.c - equilibria of steady rotations: a pendulum that whirls, blades in every formulation against the table of
// flex-rotating-beam-frequencies, a bar that its own rotation lengthens, a rotor above its critical speed.
#include "check.h"
#include "findings.h"
#include "kept_run.h"

#include <math.h>

enum { MOST = 40 };

// The second analysis of the model: imaginary parts of its modes, ascending; the signals of the first.
static int modes_of(const char *text, double *out, double *signals, int nsignal)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_finding found = {0};
    int count = 0;
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(m, &sim);
    if (status == FLX_OK) status = flx_simulation_analyse(sim, 0, &found);
    for (int i = 0; status == FLX_OK && i < nsignal; i++) signals[i] = found.signals[i];
    if (status == FLX_OK) flx_finding_clear(&found);
    if (status == FLX_OK) status = flx_simulation_analyse(sim, 1, &found);
    for (int i = 0; status == FLX_OK && i < found.modes.nmode && count < MOST; i++) {
        if (found.modes.modes[i].im > 0) out[count++] = found.modes.modes[i].im;
    }
    bool steady = found.steady != 0;
    if (status != FLX_OK && flx_ctx_error_count(ctx) > 0)
        printf("  %s\n", flx_ctx_error(ctx, 0)->text);
    if (status == FLX_OK) flx_finding_clear(&found);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return status == FLX_OK && steady ? count : -1;
}

#define PENDULUM(extra, motion, analyses)                                                          \
    "flexion: 1\nparameters: {W: 5, g: 9.81}\n" extra "\nbodies:\n"                                \
    "  hub: {type: rigid, mass: 1, inertia: [1e-9, 1e-9, 1e-9]}\n"                                 \
    "  bob: {type: point, mass: 2, position: [sin(0.5), 0, -cos(0.5)]}\n"                          \
    "  arm: {type: rigid, mass: 1e-9, inertia: [1e-9, 1e-9, 1e-9]}\n"                              \
    "joints:\n  shaft: {type: revolute, on: [ground, hub], at: [0, 0, 0], axis: [0, 0, 1]" motion  \
    "}\n  pin: {type: revolute, on: [hub, arm], at: [0, 0, 0], axis: [0, 1, 0]}\n"                 \
    "  hold: {type: fixed, on: [arm, bob], at: bob.com}\n"                                         \
    "analyse: {" analyses "}\noutputs: {signals: [bob.position, bob.velocity]}\n"

// cos th = g/(W^2 l); driven it swings with W sin th, free with W sqrt(1 + 3 cos^2 th).
static int pendulums_whirl(void)
{
    static const char *const texts[] = {
        PENDULUM("gravity: [0, 0, -g]", ", motion: {angle: W*t}",
                 "e: {type: equilibrium, joint: shaft, speed: W}, m: {type: modes, about: e}"),
        PENDULUM("gravity: [0, 0, -g]", ", motion: {rate: W}",
                 "e: {type: equilibrium, joint: shaft, speed: W}, m: {type: modes, about: e}"),
        PENDULUM("gravity: [0, 0, -g]", "",
                 "e: {type: equilibrium, joint: shaft, speed: W}, m: {type: modes, about: e}"),
        PENDULUM("gravity: [0, 0, -g]", "",
                 "e: {type: equilibrium, joint: shaft, speed: -W}, m: {type: modes, about: e}")};
    double c = 9.81 / 25, s = sqrt(1 - c * c);
    for (int i = 0; i < 4; i++) {
        double f[MOST], x[6];
        int n = modes_of(texts[i], f, x, 6);
        CHECK(n >= 1);
        CHECK_REL(x[2], -c, 1e-9);
        CHECK_REL(x[0], s, 1e-9);
        CHECK_REL(x[4], i == 3 ? -5 * s : 5 * s, 1e-9);
        bool there = false;
        double wanted = i < 2 ? 5 * s : 5 * sqrt(1 + 3 * c * c);
        for (int k = 0; k < n; k++) there = there || fabs(f[k] / wanted - 1) < 1e-6;
        CHECK(there);
    }
    return 0;
}

static double nearest(const double *f, int n, double to)
{
    double best = HUGE_VAL;
    for (int i = 0; i < n; i++) best = fabs(f[i] - to) < fabs(best - to) ? f[i] : best;
    return best;
}

// Bending along the axis and in the plane, of a unit beam on a hub of the radius delta; lag: w^2 = flap^2 - eta^2.
static int blades_have_the_frequencies_of_the_table(void)
{
    static const struct {
        double eta, delta, flap[2];
    } known[] = {{2, 0, {4.13731957308658, 22.61492195764482}},
                 {10, 0, {11.202327762301609, 33.64036585524672}},
                 {5, 1, {8.94035813012231, 29.35283547644634}},
                 {1e-4, 0, {3.51601527, 22.03449156}}}; // forces below the rounding of stiffness
    static const struct {
        const char *text;
        double bound;
    } forms[] = {
        {"type: beam, from: hub.rim, to: [delta + 1, 0, 0], elements: 6, order: 3", 1e-4},
        {"type: beam, from: hub.rim, to: [delta + 1, 0, 0], formulation: segments, "
         "elements: 20",
         4e-3},
        {"type: beam, from: hub.rim, to: [delta + 1, 0, 0], formulation: ancf, elements: 20", 4e-3},
        {NULL, 1e-3}};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            char text[1500], body[800];
            double f[MOST], eta = known[i].eta, delta = known[i].delta;
            if (forms[k].text) {
                snprintf(body, sizeof body,
                         "%s, section: {EA: 1e6, EI: 1, GA: 1e6, GJ: 1e3, mass: 1, inertia: 1e-7}",
                         forms[k].text);
            } else {
                snprintf(
                    body, sizeof body,
                    "type: flexible, position: hub.rim, stiffening: true,"
                    " fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 30, theory: euler-bernoulli,"
                    " material: {E: 1, density: 1},"
                    " section: {EA: 1e8, EI: 1, GJ: 1, mass: 1, inertia: 1e-9}},"
                    " reduce: {type: modal, modes: 12}");
            }
            snprintf(text, sizeof text,
                     "flexion: 1\nparameters: {eta: %g, delta: %g}\nbodies:\n"
                     "  hub: {type: rigid, mass: 1, inertia: [1, 1, 1], points: {rim: [delta, 0, "
                     "0]}}\n  beam: {%s}\n"
                     "joints:\n  motor: {type: revolute, on: [hub, ground], at: hub, axis: [0, 0, "
                     "1]}\n  clamp: {type: fixed, on: [hub, beam], at: hub.rim}\n"
                     "analyse: {e: {type: equilibrium, joint: motor, speed: -eta},"
                     " m: {type: modes, about: e, count: 12}}\n",
                     eta, delta, body);
            int n = modes_of(text, f, NULL, 0);
            CHECK(n >= 4);
            for (int j = 0; j < 2; j++) {
                CHECK_REL(nearest(f, n, known[i].flap[j]), known[i].flap[j], forms[k].bound);
            }
        }
    }
    return 0;
}

// Stretch r' of r(s): (EA (r' - 1))' + m W^2 r = 0: r(L) = tan(a L)/a, a = W sqrt(m/EA).
static int bars_are_lengthened(void)
{
    static const char *const forms[] = {"elements: 6, order: 4", "formulation: ancf, elements: 60",
                                        "formulation: ancf-cable, elements: 10"};
    double a = sqrt(0.5), L = 1.2;
    for (int k = 0; k < 3; k++) {
        char text[1200];
        double f[MOST], x[3];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: %d\nbodies:\n"
            "  hub: {type: rigid, mass: 1, inertia: 1}\n"
            "  bar: {type: beam, from: [0, 0], to: [1.2, 0], %s, section: {EA: 2, EI: 1, mass: "
            "1}}\n"
            "joints:\n  motor: {type: revolute, on: [ground, hub], at: hub, motion: {angle: t}}\n"
            "  clamp: {type: fixed, on: [hub, bar], at: bar.start}\n"
            "analyse: {e: {type: equilibrium, joint: motor, speed: 1},"
            " m: {type: modes, about: e}}\noutputs: {signals: [bar.end.position]}\n",
            2, forms[k]);
        CHECK(modes_of(text, f, x, 2) > 0);
        CHECK_REL(x[0], tan(a * L) / a, k == 1 ? 2e-3 : 1e-6);
    }
    return 0;
}

#define ROTOR                                                                                      \
    "flexion: 1\ndimension: 2\nparameters: {W: 30, off: 0.01}\nbodies:\n"                          \
    "  rotor: {type: rigid, mass: 1, inertia: 0.01}\n"                                             \
    "  disc: {type: rigid, mass: 1, com: [off, 0], inertia: 0.02}\n"                               \
    "joints: {shaft: {type: revolute, on: [ground, rotor], at: [0, 0], motion: {angle: W*t}}}\n"   \
    "forces: {bend: {type: bushing, on: [rotor, disc], at: [[0, 0], disc],"                        \
    " stiffness: [400, 400, 1e3]}}\n"

// Above its critical speed, 20 rad/s, a disc that only springs hold on the shaft centres itself: no valley of forces.
static int discs_centre_themselves(void)
{
    double f[MOST], x[2];
    int n = modes_of(ROTOR "analyse: {e: {type: equilibrium, joint: shaft, speed: W},"
                           " m: {type: modes, about: e}}\noutputs: {signals: [disc.position]}\n",
                     f, x, 2);
    CHECK_REL(x[0], 0.01 * 900 / (400 - 900.0), 1e-9);
    CHECK(n == 3);
    CHECK_REL(f[0], 10, 1e-4); // |20 -+ 30| in axes that rotate; the eccentric disc turns a little
    CHECK_REL(f[1], 50, 1e-4);
    return 0;
}

// A run begins there, and goes on as it is.
static int runs_begin_in_it(void)
{
    static const char text[] =
        ROTOR "analyse: {e: {type: equilibrium, joint: shaft, speed: W}}\n"
              "signals: {far: norm(disc.position)}\n"
              "simulate: {until: 1, start: e, method: radau, rtol: 1e-8, atol: 1e-11}\n"
              "outputs: {times: [1], signals: [far]}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    CHECK(flx_model_read_text(ctx, "rotor", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK && kept_run(ctx, sim, &r) == FLX_OK);
    CHECK_REL(kept_last(r, 1), 0.018, 1e-5);
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// A table with a mass that two springs hold across each other, on a link without mass. At the rates f of the whirling mass
//
//     (kx - m(W^2 + f^2) + 4 (m r W)^2/J) (ky - m(W^2 + f^2) + (m r f)^2/J) = (2 m W f (1 - m r^2/J))^2,
//
// J of the table and of the mass at its radius r. Turned and moved in space, where what is zero is rounding, these are the same.
static int tables_turn_in_any_axes(void)
{
    static const double angles[][3] = {{0, 0, 0}, {0.3, 1.1, -2}, {2.5, 0.7, 1.9}, {-1, 2, 3}};
    static const char *const forms[] = {"index-3", "ggl", "tree"};
    for (int k = 0; k < 12; k++) {
        const double *a = angles[k / 3], place[3] = {0.3, -0.4, 1};
        double ca = cos(a[0]), sa = sin(a[0]), cb = cos(a[1]), sb = sin(a[1]), cc = cos(a[2]),
               sc = sin(a[2]), at[3], f[MOST], x[1];
        const double ex[3] = {ca * cc - sa * cb * sc, sa * cc + ca * cb * sc, sb * sc},
                     ey[3] = {-ca * sc - sa * cb * cc, -sa * sc + ca * cb * cc, sb * cc},
                     ez[3] = {sa * sb, -ca * sb, cb};
        for (int i = 0; i < 3; i++) at[i] = place[i] + 0.5 * ex[i];
        char frame[300], text[2500];
        snprintf(frame, sizeof frame,
                 "orientation: {x: [%.17g, %.17g, %.17g], y: [%.17g, %.17g, %.17g]}", ex[0], ex[1],
                 ex[2], ey[0], ey[1], ey[2]);
        snprintf(
            text, sizeof text,
            "flexion: 1\nbodies:\n"
            "  table: {type: rigid, mass: 5, inertia: [1, 1, 2], position: [0.3, -0.4, 1], %s}\n"
            "  link: {type: rigid, mass: 0, inertia: [0, 0, 0], position: [%.17g, %.17g, %.17g],"
            " %s}\n  mass: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.3], position: link, %s}\n"
            "joints:\n  shaft: {type: revolute, on: [ground, table], at: table, axis: [%.17g, "
            "%.17g, %.17g]}\n"
            "  jx: {type: prismatic, on: [table, link], at: link, axis: [%.17g, %.17g, %.17g]}\n"
            "  jy: {type: prismatic, on: [link, mass], at: mass, axis: [%.17g, %.17g, %.17g]}\n"
            "forces: {sx: {type: spring, on: jx, stiffness: 800},"
            " sy: {type: spring, on: jy, stiffness: 1300}}\n"
            "analyse: {e: {type: equilibrium, joint: shaft, speed: 0.5},"
            " m: {type: modes, about: e}}\nsimulate: {until: 1, method: radau, formulation: %s}\n"
            "outputs: {signals: [jx.displacement]}\n",
            frame, at[0], at[1], at[2], frame, frame, ez[0], ez[1], ez[2], ex[0], ex[1], ex[2],
            ey[0], ey[1], ey[2], forms[k % 3]);
        CHECK(modes_of(text, f, x, 1) == 2);
        CHECK_REL(x[0], 2 * 0.25 * 0.5 / (800 - 2 * 0.25), 1e-9);
        double r = 0.5 + x[0], J = 2.3 + 2 * r * r;
        for (int i = 0; i < 2; i++) {
            double still = 2 * (0.25 + f[i] * f[i]), cross = 2 * f[i] * (1 - 2 * r * r / J);
            double one = 800 - still + 4 * r * r / J,
                   two = 1300 - still + 4 * r * r * f[i] * f[i] / J;
            CHECK(fabs(one * two - cross * cross) < 1e-9 * 800 * 1300);
        }
    }
    return 0;
}

static int refused(const char *text, const char *message)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_finding found = {0};
    flx_status status = flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &m);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(m, &sim);
    if (status == FLX_OK) status = flx_simulation_analyse(sim, 0, &found);
    CHECK(status != FLX_OK && flx_ctx_error_count(ctx) > 0);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, message);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int what_is_no_rotation_is_refused(void)
{
    CHECK(refused(
              PENDULUM("gravity: [0, -g, 0]", "", "e: {type: equilibrium, joint: shaft, speed: W}"),
              "not the same all round") == 0);
    CHECK(refused(PENDULUM("gravity: [0, 0, -g]", ", motion: {angle: 4*t}",
                           "e: {type: equilibrium, joint: shaft, speed: W}"),
                  "asks for another speed") == 0);
    CHECK(
        refused(PENDULUM("gravity: [0, 0, -g]", "", "e: {type: equilibrium, joint: pin, speed: W}"),
                "between two bodies") == 0);
    CHECK(
        refused(PENDULUM("gravity: [0, 0, -g]", "", "e: {type: equilibrium, joint: hub, speed: W}"),
                "is no joint") == 0);
    CHECK(refused(PENDULUM("gravity: [0, 0, -g]", "", "e: {type: equilibrium, speed: W}"),
                  "both a 'joint' and a 'speed'") == 0);
    return 0;
}

TEST_MAIN(TEST(pendulums_whirl), TEST(blades_have_the_frequencies_of_the_table),
          TEST(bars_are_lengthened), TEST(discs_centre_themselves), TEST(runs_begin_in_it),
          TEST(tables_turn_in_any_axes), TEST(what_is_no_rotation_is_refused))
