// test_modes_slow.c - slow modes beside fast ones, proofs of zero, and the few modes of large models.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"

#include <float.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

typedef struct found {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_status status;
} found;

static void find(found *a, const char *text, int number)
{
    *a = (found){.ctx = flx_ctx_create()};
    a->status = flx_model_read_text(a->ctx, "model", text, strlen(text), 0, NULL, &a->model);
    if (a->status == FLX_OK) a->status = flx_simulation_create_to_analyse(a->model, &a->sim);
    if (a->status == FLX_OK) a->status = flx_simulation_analyse(a->sim, number, &a->f);
    const flx_message *m = a->status != FLX_OK ? flx_ctx_error(a->ctx, 0) : NULL;
    if (m) printf("  %s\n", m->text);
}

static void done(found *a)
{
    flx_finding_clear(&a->f);
    flx_simulation_destroy(&a->sim);
    flx_model_destroy(&a->model);
    flx_ctx_destroy(&a->ctx);
}

static double rate(const flx_mode *m)
{
    return hypot(m->re, m->im);
}

// Eigenvalues above, zero and hidden ones.
static int count(const flx_modes *m)
{
    int n = m->nneutral + m->nhidden;
    for (int i = 0; i < m->nmode; i++) n += m->modes[i].im > 0.0 ? 2 : 1;
    return n;
}

// ---- thin wires ---------------------------------------------------------------------------------

#define WIRE                                                                                       \
    "flexion: 1\nbodies:\n  wire: {type: beam, %sfrom: [0, 0, 0], to: [%s], elements: %d, "        \
    "section: {radius: %g}, material: {E: 2.1e11, nu: 0.3, density: 7850}%s}\n"                    \
    "joints: {clamp: {type: fixed, on: [ground, wire], at: wire.start}}\n"

// First bending frequency of a clamped wire of 1 m.
static double bending(double r)
{
    return 3.516015268721996 / (2.0 * PI) * 0.5 * r * sqrt(2.1e11 / 7850.0);
}

static int check_wire(const char *element, const char *to, double r, double tolerance)
{
    char text[600];
    found a;
    snprintf(text, sizeof text, WIRE, element, to, 10, r, "");
    find(&a, text, -1);
    CHECK(a.status == FLX_OK && a.f.balanced);
    const flx_modes *m = &a.f.modes;
    CHECK(m->nneutral == 0 && m->nhidden == 0);
    CHECK(m->counted == FLX_MODES_ALL && count(m) == m->total);
    for (int i = 0; i < 2; i++) {
        CHECK_REL(m->modes[i].frequency, bending(r), tolerance);
        CHECK(m->modes[i].residual < 1e-6);
    }
    CHECK_REL(m->modes[2].frequency, 6.2669 * bending(r), 3.0 * tolerance);
    done(&a);
    return 0;
}

static int a_thin_wire_bends(void)
{
    static const char *const ends[] = {"1, 0, 0", "0.8, 0.48, 0.36", "0, -0.6, 0.8"};
    for (int i = 0; i < 3; i++) {
        CHECK(check_wire("", ends[i], 5e-3, 4e-3) == 0);
        CHECK(check_wire("", ends[i], 0.5e-3, 4e-3) == 0); // 0.7236 Hz
        CHECK(check_wire("", ends[i], 0.5e-4, 4e-3) == 0);
        CHECK(check_wire("", ends[i], 0.2e-4, 4e-3) == 0);
    }
    return 0;
}

// 1 mm: 0.7236 Hz.
static int its_frequency_converges(void)
{
    double before = 1.0;
    for (int n = 5; n <= 20; n *= 2) {
        char text[600];
        found a;
        snprintf(text, sizeof text, WIRE, "", "1, 0, 0", n, 0.5e-3, "");
        find(&a, text, -1);
        CHECK(a.status == FLX_OK && a.f.modes.nneutral == 0);
        double off = fabs(a.f.modes.modes[0].frequency / 0.7235740 - 1.0);
        CHECK(off < 0.3 * before);
        before = off;
        done(&a);
    }
    CHECK(before < 1e-3);
    return 0;
}

// Where nothing can be told from zero, that is said, and no mode is called neutral without a bound.
static int rounding_hides_what_is_thinner(void)
{
    char text[600];
    found a;
    snprintf(text, sizeof text, WIRE, "", "0.8, 0.48, 0.36", 20, 0.5e-6, "");
    find(&a, text, -1);
    const flx_modes *m = &a.f.modes;
    CHECK(a.status == FLX_OK && count(m) == m->total);
    double slowest = 2.0 * PI * bending(0.5e-6);
    CHECK(m->nhidden > 0 && m->hidden > slowest);
    CHECK(m->nneutral == 0 || m->within > slowest);
    done(&a);
    return 0;
}

// s^2 + b w^2 s + w^2 = 0 with w of the rod without damping.
static int a_damped_rod_swings(void)
{
    char text[600];
    found plain, damped;
    snprintf(text, sizeof text, WIRE, "", "1, 0, 0", 20, 5e-3, "");
    find(&plain, text, -1);
    snprintf(text, sizeof text, WIRE, "", "1, 0, 0", 20, 5e-3, ", damping: {rayleigh: [0, 1e-3]}");
    find(&damped, text, -1);
    CHECK(plain.status == FLX_OK && damped.status == FLX_OK);
    CHECK(count(&damped.f.modes) == damped.f.modes.total);
    for (int i = 0; i < 4; i++) {
        double w = plain.f.modes.modes[i].im;
        const flx_mode *m = damped.f.modes.modes + i;
        CHECK_NEAR(m->re, -0.5e-3 * w * w, 1e-6 * w);
        CHECK_NEAR(m->im, w * sqrt(1.0 - 0.25e-6 * w * w), 1e-6 * w);
    }
    CHECK_NEAR(damped.f.modes.modes[0].re, -1.032, 1e-3);
    CHECK_NEAR(damped.f.modes.modes[0].im, 45.42, 1e-2);
    done(&plain);
    done(&damped);
    return 0;
}

// ---- stiff and damped ---------------------------------------------------------------------------

// A pendulum in a bushing that is nearly a joint: w^2 = m g l / (J + m l^2), in two planes; free about
// the vertical. The bushing gives way to the inertia force m w^2 l: J grows by (m w l)^2 / k.
static int a_pendulum_on_a_bushing_swings(void)
{
    static const double values[][2] = {{1e6, 1e2}, {1e8, 1e5}, {1e10, 1e4}, {1e12, 1e9}};
    double fastest = 0.0;
    for (int i = 0; i < 8; i++) {
        char text[600];
        found a;
        const double *k = values[i / 2];
        snprintf(text, sizeof text,
                 "flexion: 1\ngravity: [0, -9.81, 0]\nbodies:\n  rod: {type: rigid, mass: 1, "
                 "inertia: [0.1, 0.1, 0.1], position: [0, -1, 0]}\nforces:\n  b: {type: bushing, "
                 "on: [ground, rod], at: [0, 0, 0], stiffness: [%g, %g, %g], damping: [%g, %g, "
                 "%g], form: %s}\nanalyse: {r: {type: equilibrium}, m: {type: modes, about: "
                 "r}}\n",
                 k[0], k[0], k[0], k[1], k[1], k[1], i % 2 ? "mixed" : "plain");
        find(&a, text, 1);
        const flx_modes *m = &a.f.modes;
        CHECK(a.status == FLX_OK && m->total == 12 && count(m) == 12);
        CHECK(m->nneutral == 2 && m->nhidden == 0);
        // In plain form gravity's stiffness is added to the bushing's, whose last digit is large beside it.
        double within = 1e-9 + (i % 2 ? 0.0 : 4.0 * DBL_EPSILON * k[0] / 9.81);
        double w = sqrt(9.81 / (1.1 + 9.81 / 1.1 / k[0]));
        for (int n = 0; n < 2; n++) CHECK_REL(m->modes[n].im, w, within);
        CHECK(m->modes[2].re < -10.0);
        double last = rate(m->modes + m->nmode - 1); // the same in both forms
        if (i % 2) CHECK_REL(last, fastest, 1e-9);
        fastest = last;
        done(&a);
    }
    return 0;
}

// Rates from 1e-1 to 1e7 in one model; soft springs without mass beside stiff ones.
static int rates_of_all_sizes(void)
{
    static const char text[] =
        "flexion: 1\nequations:\n  second_order:\n"
        "    a: {mass: 1, force: -0.01*a + 1e-4*c}\n    b: {mass: 1e-3, force: -1e11*b}\n"
        "    c: {mass: 0, force: 1e-4*a - 1e-2*c}\n    d: {mass: 0, force: -1e9*d - 1e3*d'}\n"
        "    e: {mass: 1e3, force: -2e2*e' + 1e-3*x}\n  first_order:\n"
        "    x: {derivative: -0.3*x + 1e-3*e}\n    y: {derivative: -2e4*y + 1e4*x}\n"
        "simulate: {until: 1}\n";
    found a;
    find(&a, text, -1);
    CHECK(a.status == FLX_OK);
    const flx_modes *m = &a.f.modes;
    // a: w^2 = 0.01 - 1e-8/1e-2; d: -1e6; e, x: s (s + 0.2) (s + 0.3) = 1e-9, nearly
    CHECK(m->total == 9 && count(m) == 9 && m->nneutral == 0);
    CHECK_NEAR(m->modes[0].re, 1e-9 / 0.06, 1e-13);
    CHECK_REL(m->modes[1].im, sqrt(0.01 - 1e-6), 1e-12);
    CHECK_NEAR(m->modes[2].re, -0.2, 1e-6);
    CHECK_NEAR(m->modes[3].re, -0.3, 1e-6);
    CHECK_REL(m->modes[4].re, -2e4, 1e-12);
    CHECK_REL(m->modes[5].re, -1e6, 1e-12);
    CHECK_REL(m->modes[6].im, 1e7, 1e-12);
    done(&a);
    return 0;
}

// ---- zero ---------------------------------------------------------------------------------------

// A rod that floats has 12 eigenvalues zero; springs of 1 N/m, 1e-9 of its own stiffness, hold it.
static int what_floats_is_neutral_and_what_is_held_is_not(void)
{
    static const char rod[] =
        "flexion: 1\nbodies:\n  rod: {type: beam, from: [0, 0, 0], to: [1, 0.2, 0], elements: 16, "
        "section: {radius: 5e-3}, material: {E: 2.1e11, nu: 0.3, density: 7850}}\n";
    char text[1200];
    found a;
    find(&a, rod, -1);
    CHECK(a.status == FLX_OK && a.f.modes.nneutral == 12 && a.f.modes.nhidden == 0);
    CHECK(count(&a.f.modes) == a.f.modes.total);
    CHECK_REL(a.f.modes.modes[0].frequency, 44.2, 0.01);
    done(&a);
    snprintf(text, sizeof text,
             "%sforces:\n  u: {type: bushing, on: [ground, rod], at: rod.start, stiffness: [1, 1, "
             "1, 1, 1, 1], form: plain}\n",
             rod);
    find(&a, text, -1);
    CHECK(a.status == FLX_OK && a.f.modes.nneutral == 0 && a.f.modes.nhidden == 0);
    double mass = 7850.0 * PI * 25e-6 * sqrt(1.04), along = 1.0; // stretch along the rod
    int n = 0;
    for (int i = 0; i < 6; i++) {
        if (fabs(a.f.modes.modes[i].im / sqrt(along / mass) - 1.0) < 1e-6) n++;
    }
    CHECK(n == 1);
    done(&a);
    return 0;
}

// A chain of integrators: zero four times, and nothing else.
static int chains_of_zeros_are_found(void)
{
    static const char text[] =
        "flexion: 1\nequations:\n  second_order:\n    p: {mass: 2, force: 300*x}\n  first_order:\n"
        "    x: {derivative: 0.01*y}\n    y: {derivative: 7e4*z}\n    z: {derivative: 0*z}\n    u: "
        "{derivative: -3*u}\nsimulate: {until: 1}\n";
    found a;
    find(&a, text, -1);
    CHECK(a.status == FLX_OK && a.f.modes.nneutral == 5 && a.f.modes.nmode == 1);
    CHECK_REL(a.f.modes.modes[0].re, -3.0, 1e-12);
    done(&a);
    return 0;
}

// ---- few of many --------------------------------------------------------------------------------

#define LARGE_ROD                                                                                  \
    "flexion: 1\nbodies:\n  rod: {type: beam, from: [0, 0, 0], to: [1, 0.2, 0], elements: 42, "    \
    "section: {radius: 5e-3}, material: {E: 2.1e11, nu: 0.3, density: 7850}%s}\n%s"                \
    "analyse: {few: {type: modes, count: 5}, all: {type: modes, count: 600}}\n"

static int check_few(const char *text, int neutral, flx_modes_count counted)
{
    found few, all;
    find(&few, text, 0);
    CHECK(few.status == FLX_OK);
    CHECK(few.f.modes.nmode == 5 && few.f.modes.counted == counted);
    CHECK(few.f.modes.nneutral == neutral);
    for (int i = 0; i < 5; i++) CHECK(few.f.modes.modes[i].residual < 1e-7);
    if (counted == FLX_MODES_BELOW) {
        done(&few);
        return 0;
    }
    find(&all, text, 1);
    CHECK(all.status == FLX_OK && all.f.modes.nneutral == neutral);
    CHECK(all.f.modes.counted == FLX_MODES_ALL && count(&all.f.modes) == all.f.modes.total);
    for (int i = 0; i < 5; i++) {
        const flx_mode *a = few.f.modes.modes + i, *b = all.f.modes.modes + i;
        CHECK_NEAR(a->re, b->re, 1e-6 * rate(b));
        CHECK_NEAR(a->im, b->im, 1e-6 * rate(b));
    }
    done(&few);
    done(&all);
    return 0;
}

static int few_of_many_are_the_slowest(void)
{
    static const char clamp[] = "joints: {c: {type: fixed, on: [ground, rod], at: rod.start}}\n";
    char text[1200];
    snprintf(text, sizeof text, LARGE_ROD, "", clamp);
    CHECK(check_few(text, 0, FLX_MODES_BELOW) == 0);
    snprintf(text, sizeof text, LARGE_ROD, "", "");
    CHECK(check_few(text, 12, FLX_MODES_BELOW) == 0);
    snprintf(text, sizeof text, LARGE_ROD, ", damping: {rayleigh: [0.1, 1e-4]}", clamp);
    CHECK(check_few(text, 0, FLX_MODES_NOT_COUNTED) == 0);
    snprintf(text, sizeof text, LARGE_ROD, ", damping: {rayleigh: [0, 1e-3]}",
             "joints: {c: {type: revolute, on: [ground, rod], at: rod.start, axis: [1, 0, 1]}}\n"
             "forces: {f: {type: force, on: rod, at: rod.end, value: [0, -40*h, 0]}}\nequations: "
             "{first_order: {h: {derivative: -5*h + rod.end.velocity.y}}}\n");
    CHECK(check_few(text, 1, FLX_MODES_NOT_COUNTED) == 0);
    return 0;
}

// Forty equal pendulums: each eigenvalue is there forty times.
static int many_are_equal(void)
{
    static const char text[] =
        "flexion: 1\ngravity: [0, 0, -9.81]\nbodies:\n  b: {type: rigid, mass: 1, inertia: [0.1, "
        "0.1, 0.1], position: [i, 0, -1], repeat: {i: [1, 45]}}\njoints:\n  j: {type: universal, "
        "on: [ground, b(i)], at: [i, 0, 0], axes: [[1, 0, 0], [0, 1, 0]], repeat: {i: [1, 45]}}\n"
        "analyse: {few: {type: modes, count: 50}}\n";
    found a;
    find(&a, text, 0);
    CHECK(a.status == FLX_OK && a.f.modes.nmode == 50 && a.f.modes.nneutral == 0);
    for (int i = 0; i < 50; i++) CHECK_REL(a.f.modes.modes[i].im, sqrt(9.81 / 1.1), 1e-9);
    done(&a);
    return 0;
}

// A thousand coordinates, without a number asked for: the slowest, counted.
static int of_a_large_model_the_slowest_are_told(void)
{
    char text[600];
    found a;
    snprintf(text, sizeof text, WIRE, "", "1, 0, 0", 160, 0.5e-3, "");
    find(&a, text, -1);
    CHECK(a.status == FLX_OK && a.f.modes.nmode == FLX_MODES_SLOWEST);
    CHECK(a.f.modes.counted == FLX_MODES_BELOW && a.f.modes.nneutral == 0);
    CHECK_REL(a.f.modes.modes[0].frequency, bending(0.5e-3), 1e-4);
    done(&a);
    return 0;
}

TEST_MAIN(TEST(a_thin_wire_bends), TEST(its_frequency_converges),
          TEST(rounding_hides_what_is_thinner), TEST(a_damped_rod_swings),
          TEST(a_pendulum_on_a_bushing_swings), TEST(rates_of_all_sizes),
          TEST(what_floats_is_neutral_and_what_is_held_is_not), TEST(chains_of_zeros_are_found),
          SLOW_TEST(few_of_many_are_the_slowest), SLOW_TEST(many_are_equal),
          TEST(of_a_large_model_the_slowest_are_told))
