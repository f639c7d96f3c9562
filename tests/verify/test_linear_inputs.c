// test_linear_inputs.c - inputs whose rates count in linear models, though they move no joint; modes of all speeds that
// inputs reach and outputs see.
#include "check.h"
#include "findings.h"

#include <complex.h>
#include <math.h>

static const double complex J = (double complex)I;

static const flx_finding_table *table(const flx_finding *f, const char *name)
{
    static const flx_finding_table none = {0};
    for (int i = 0; i < f->ntable; i++) {
        if (strcmp(f->tables[i].name, name) == 0) return f->tables + i;
    }
    return &none;
}

static bool says(const flx_finding *f, const char *what)
{
    for (int i = 0; i < f->nline; i++) {
        if (strstr(f->lines[i], what)) return true;
    }
    return false;
}

// The same at s = i w from A, B, C, D and from the sparse blocks; *of_states, *of_blocks.
static int find_both(const char *model, double w, double complex *of_states,
                     double complex *of_blocks)
{
    char text[1600];
    snprintf(text, sizeof text,
             "%s\nanalyse: {an: {type: linear, inputs: [u], outputs: [y]}}\n"
             "simulate: {until: 1}\n",
             model);
    findings f = findings_of(text);
    CHECK(f.status == FLX_OK);
    const flx_finding_table *A = table(&f.f, "A");
    flx_linear_model m = {.n = A->nrow,
                          .nin = 1,
                          .nout = 1,
                          .A = A->values,
                          .B = table(&f.f, "B")->values,
                          .C = table(&f.f, "C")->values,
                          .D = table(&f.f, "D")->values,
                          .D1 = table(&f.f, "D1")->values,
                          .D2 = table(&f.f, "D2")->values};
    double re, im;
    CHECK(flx_linear_respond(f.ctx, &m, 1, &w, &re, &im) == FLX_OK);
    *of_states = re + J * im;
    findings_clear(&f);
    snprintf(
        text, sizeof text,
        "%s\nanalyse: {an: {type: frequency, inputs: [u], outputs: [y], from: %.17g, to: %.17g, "
        "count: 2}}\nsimulate: {until: 1}\n",
        model, w, 2 * w);
    f = findings_of(text);
    CHECK(f.status == FLX_OK);
    const double *row = f.f.tables[0].values; // w, frequency, re, im
    CHECK_REL(row[0], w, 1e-12);
    *of_blocks = row[2] + J * row[3];
    findings_clear(&f);
    return 0;
}

static int expect(const char *model, double w, double complex wanted)
{
    double complex a, b;
    if (find_both(model, w, &a, &b)) return 1;
    CHECK_NEAR(cabs(a - wanted) / cabs(wanted), 0.0, 1e-9);
    CHECK_NEAR(cabs(b - wanted) / cabs(wanted), 0.0, 1e-9);
    return 0;
}

#define CART                                                                                       \
    "flexion: 1\ndimension: 2\nbodies: {a: {type: point, mass: 2}}\n"                              \
    "joints: {A: {type: prismatic, on: [ground, a], at: a, axis: [1, 0]}}\n"                       \
    "inputs: {u: 0}\n"

// x of 2 x'' + 3 x' + 30 x = f at s = 7 i.
static double complex cart(double complex force)
{
    const double complex s = 7 * J;
    return force / (2 * s * s + 3 * s + 30);
}

static int rates_of_inputs(void)
{
    static const char springs[] = "s: {type: spring, on: A, stiffness: 30, damping: 3}";
    char model[1200];
    snprintf(model, sizeof model,
             CART "forces: {%s, f: {type: force, on: A, value: \"2*u + 0.5*u'\"}}\n"
                  "signals: {y: A.displacement}",
             springs);
    if (expect(model, 7, cart(2 + 0.5 * 7 * J))) return 1;
    snprintf(model, sizeof model,
             CART "forces: {%s, f: {type: force, on: A, value: \"0.25*u''\"}}\n"
                  "signals: {y: A.displacement}",
             springs);
    if (expect(model, 7, cart(-0.25 * 49))) return 1;
    // what stands in no equation, but in an output
    snprintf(model, sizeof model,
             CART "forces: {%s, f: {type: force, on: A, value: u}}\n"
                  "signals: {y: \"A.displacement + 0.3*u'\"}",
             springs);
    return expect(model, 7, cart(1) + 0.3 * 7 * J);
}

// States that an input shifts are told, and along a motion what a series leaves out.
static int shifted_states_are_told(void)
{
    static const char *const keys[] = {"linear, inputs: [u]", "linear, inputs: [u], every: 0.1"};
    static const char *const laws[] = {"u", "u + 0.5*A.displacement*u'"};
    for (int i = 0; i < 4; i++) {
        char text[900];
        snprintf(text, sizeof text,
                 CART "forces: {f: {type: force, on: A, value: \"%s\"}, g: {type: force, on: A, "
                      "value: 1}}\nanalyse: {an: {type: %s}}\nsimulate: {until: 1}\n",
                 laws[i / 2], keys[i % 2]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        // at the start the displacement is zero
        CHECK(says(&w.f, "rates of the input 'u' act on the states") == (i == 3));
        findings_clear(&w);
    }
    return 0;
}

// The derivative of a controller acts on the error, and so on what is wanted.
static int derivative_of_what_is_wanted(void)
{
    return expect(CART "control: {c: {type: pid, of: u - A.displacement, p: 30, d: 3}}\n"
                       "forces: {f: {type: force, on: A, value: c}}\nsignals: {y: A.displacement}",
                  7, cart(30 + 3 * 7 * J));
}

// A rope that is wound pulls by k x (1 + a x') with x = place - length; x = 0.5 here.
static int rope_that_is_wound(void)
{
    const double complex s = 7 * J, k = 40 * (1 + 0.5 * 0.2 * s);
    return expect(
        "flexion: 1\ndimension: 2\nbodies: {a: {type: point, mass: 2, position: [2, 0]}}\n"
        "joints: {A: {type: prismatic, on: [ground, a], at: a, axis: [1, 0]}}\n"
        "inputs: {u: 0}\nforces: {rope: {type: cable, through: [[0, 0], a], stiffness: "
        "40, damping: 0.2, length: 1.5 - 0.1*u}, f: {type: force, on: A, value: 20}}\n"
        "signals: {y: A.displacement}",
        7, -0.1 * k / (2 * s * s + k));
}

// x and y are reached and seen, however fast the small mass z on x is, and though accelerations are among the outputs.
#define MASSES                                                                                     \
    "flexion: 1\nparameters: {m: %s}\ninputs: {F: 0}\nsignals: {pull: \"1e7*(z - x) + 1e5*m*(z' "  \
    "- x')\"}\n"                                                                                   \
    "equations: {second_order: {x: {at: 0, mass: 1, force: F + 9*x - x' + pull}, y: {at: 0, "      \
    "mass: 1, force: F - 25*y - y'}, z: {at: 0, mass: m, force: -pull}}}\n"                        \
    "simulate: {until: 1}\n"                                                                       \
    "analyse: {a: {type: %s}}\n"

static int beside_fast_modes(void)
{
    char text[900];
    snprintf(text, sizeof text, MASSES, "1e-12", "linear, inputs: [F], outputs: [x + y, \"x''\"]");
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    CHECK(table(&w.f, "poles")->nrow == 6);
    CHECK(!says(&w.f, "not reached"));
    CHECK(!says(&w.f, "not seen"));
    findings_clear(&w);
    return 0;
}

// Gains are found where they are: a stiff coupling does not make the slow mode that grows one that is not reached.
static int gains_beside_fast_modes(void)
{
    char text[900];
    snprintf(text, sizeof text, MASSES, "1e-5",
             "lqr, inputs: [F], states: [x, y, z, x', y', z'], weights: {states: [1, 1, 0, 0, 0, "
             "0], inputs: 1}");
    findings w = findings_of(text);
    CHECK(w.status == FLX_OK);
    findings_clear(&w);
    return 0;
}

// Exact slopes are those of one side of a corner, which modes and frequency responses tell, too; what is smooth is not told.
static int corners_are_told(void)
{
    static const char *const kinds[] = {"modes",
                                        "frequency, inputs: [F], outputs: [x], from: 1, to: 2"};
    static const struct {
        const char *law, *what;
    } laws[] = {{"if(x > 0, x, 3*x)", "'s' is about to change: the slopes are those of one side"},
                {"x + max(x', 3*x')", "has a corner there, and the slopes are those of one side"},
                {"x + abs(x')*x'", NULL},
                {"if(x > 0, x^2, -x^2) + x", NULL}};
    for (int i = 0; i < 8; i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "flexion: 1\ninputs: {F: 0}\nsignals: {s: \"%s\"}\n"
                 "equations: {second_order: {x: {at: 0, mass: 1, force: F - 4*s - x'}}}\n"
                 "simulate: {until: 1}\nanalyse: {a: {type: %s}}\n",
                 laws[i / 2].law, kinds[i % 2]);
        findings w = findings_of(text);
        CHECK(w.status == FLX_OK);
        CHECK(flx_ctx_warning_count(w.ctx) == (laws[i / 2].what ? 1 : 0));
        if (laws[i / 2].what) CHECK_TEXT(flx_ctx_warning(w.ctx, 0)->text, "linearised at t = 0");
        findings_clear(&w);
    }
    return 0;
}

// At rest the gyroscopic terms are zero: on both sides of it they differ by all that they are, and are no corner.
static int pendulum_at_rest_has_no_corner(void)
{
    findings w = findings_of(
        "flexion: 1\ngravity: [0, 0, -9.81]\n"
        "bodies: {rod: {type: rigid, mass: 2.5, com: [0.5, 0, 0], inertia: [0.000416667, "
        "0.0835417, 0.0835417]}}\n"
        "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0, 0], axis: [0, 1, 0]}}\n"
        "simulate: {until: 5}\n"
        "analyse: {swing: {type: modes, about: rest}, rest: {type: equilibrium}}\n");
    CHECK(w.status == FLX_OK);
    CHECK(flx_ctx_warning_count(w.ctx) == 0);
    findings_clear(&w);
    return 0;
}

TEST_MAIN(TEST(corners_are_told), TEST(pendulum_at_rest_has_no_corner), TEST(rates_of_inputs),
          TEST(shifted_states_are_told), TEST(derivative_of_what_is_wanted),
          TEST(rope_that_is_wound), TEST(beside_fast_modes), TEST(gains_beside_fast_modes))
