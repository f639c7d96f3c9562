// Blocks of `control:`: each against equations written by hand, closed solutions or recurrences, continuous and sampled.
#include "case_table.h"
#include "check.h"
#include "flexion/flexion.h"

#include <string.h>

#define HEAD "flexion: 1\nsimulate: {until: 2, method: radau, rtol: 1e-10, atol: 1e-12}\n"

static double at(const case_table *t, const char *name, double time)
{
    double v = nan("");
    if (!case_table_value(t, name, time, &v)) printf("no %s at %g\n", name, time);
    return v;
}

// A notch and a lag against the same as equations; with a direct part, without, and as state space; nothing is small.
static int transfer_functions(void)
{
    static const char text[] = HEAD
        "signals: {e: sin(3*t) + 0.2*t}\n"
        "control:\n"
        "  notch: {type: transfer, of: e, numerator: [2, 0.1, 100], denominator: [4, 20, 100]}\n"
        "  lag: {type: transfer, of: notch, numerator: 3, denominator: [0.5, 1]}\n"
        "  lead: {type: transfer, of: e, numerator: [1, 2], denominator: [0.3, 1]}\n"
        "  gain: {type: transfer, of: e, numerator: [6], denominator: [2]}\n"
        "  space: {type: state-space, of: [e, 2*e], A: [[0, 1], [-25, -5]], B: [[0, 0], [0.25, "
        "0]],\n"
        "    C: [[50, -9.9], [1, 0]], D: [[0.5, 0], [0, 1]]}\n"
        "equations:\n"
        "  second_order: {x: {mass: 4, force: e - 20*x' - 100*x}}\n"
        "  first_order: {z: {mass: 0.5, derivative: 3*n - z}, w: {derivative: (e - w)/0.3}, n: "
        "{mass: 0, derivative: n - (2*(e - "
        "20*x' - 100*x)/4 + 0.1*x' + 100*x)}}\n"
        "outputs: {every: 0.5, signals: [x, notch, n, lag, z, lead, w, e, gain, space, "
        "'lead.state(1)']}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (double time = 0.5; time < 2.1; time += 0.5) {
        double e = at(&t, "e", time), w = at(&t, "w", time);
        CHECK_NEAR(at(&t, "notch", time), at(&t, "n", time), 1e-8);
        CHECK_NEAR(at(&t, "lag", time), at(&t, "z", time), 1e-8);
        CHECK_NEAR(at(&t, "lead", time), 2 * w + (e - w) / 0.3, 1e-8); // (s + 2)/(0.3 s + 1)
        CHECK_NEAR(at(&t, "lead.state(1)", time), w, 1e-9);
        CHECK_NEAR(at(&t, "gain", time), 3 * e, 1e-14);
        CHECK_NEAR(at(&t, "space.x", time), at(&t, "n", time), 1e-8);
        CHECK_NEAR(at(&t, "space.y", time), at(&t, "x", time) + 2 * e, 1e-9);
    }
    case_table_clear(&t);
    return 0;
}

// Differences in z, with a delay: y_k = 0.5 y_k-1 + u_k + 0.2 u_k-1, against the recurrence.
static int sampled_transfer(void)
{
    static const char text[] = HEAD
        "signals: {u: cos(3*t)}\n"
        "equations: {first_order: {x: {derivative: f}}}\n"
        "control:\n"
        "  f: {type: transfer, of: u, numerator: [1, 0.2], denominator: [1, -0.5], sample: 0.1}\n"
        "  late: {type: transfer, of: u, numerator: [1, 0.2], denominator: [1, -0.5], sample: 0.1, "
        "delay: 3}\n"
        "  space: {type: state-space, of: u, A: [[0.5]], B: [[1]], C: [[0.7]], D: [[1]], sample: "
        "0.1}\n"
        "  later: {type: state-space, of: [u, 1], A: [[0.5]], B: [[1, 0]], C: [[0.7], [0]], D: "
        "[[1, 0], [0, 1]], "
        "sample: 0.1, delay: 1, start: 0.5}\n"
        "outputs: {every: 0.05, signals: [f, late, space, later, x]}\n";
    case_table t = {0};
    double y[21], x = 0;
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (int k = 0; k <= 20; k++) {
        y[k] = cos(0.3 * k) + (k > 0 ? 0.5 * y[k - 1] + 0.2 * cos(0.3 * (k - 1)) : 0);
        if (k == 20) break;
        double time = 0.1 * k + 0.05;
        CHECK_NEAR(at(&t, "f", time), y[k], 1e-13);
        CHECK_NEAR(at(&t, "space", time), y[k], 1e-13);
        CHECK_NEAR(at(&t, "late", time), k >= 3 ? y[k - 3] : 0, 1e-13);
        CHECK_NEAR(at(&t, "x", time), x + 0.05 * y[k], 1e-9);
        if (k < 6) CHECK_NEAR(at(&t, "later.y", time), 0, 0);
        if (k >= 6) CHECK_NEAR(at(&t, "later.y", time), 1, 0);
        x += 0.1 * y[k];
    }
    case_table_clear(&t);
    return 0;
}

static int static_blocks(void)
{
    static const char text[] = HEAD
        "signals: {e: 2*sin(3*t)}\n"
        "parameters: {N: 2}\n"
        "control:\n"
        "  s: {repeat: {i: [1, N]}, type: saturation, of: e, limits: [-0.5*i, i]}\n"
        "  q: {type: quantiser, of: e, step: 0.25}\n"
        "  l: {type: lookup, of: e, points: [[-1, 3], [0, 0], [1, 1]], extrapolation: linear}\n"
        "  h: {type: saturation, of: e, limits: [-9, 9], sample: 0.5}\n"
        "equations: {first_order: {x: {derivative: s(1) + q + l}}}\n"
        "outputs: {every: 0.1, signals: [e, s(1), s(2), q, l, h, x]}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (int k = 1; k < 20; k++) {
        double time = 0.1 * k, e = at(&t, "e", time);
        CHECK_NEAR(at(&t, "s(1)", time), fmin(1, fmax(-0.5, e)), 1e-14);
        CHECK_NEAR(at(&t, "s(2)", time), fmin(2, fmax(-1, e)), 1e-14);
        CHECK_NEAR(at(&t, "q", time), 0.25 * floor(e / 0.25 + 0.5), 1e-14);
        CHECK_NEAR(at(&t, "l", time), e < 0 ? -3 * e : e, 1e-14);
        if (k % 5) CHECK_NEAR(at(&t, "h", time), 2 * sin(1.5 * (k / 5)), 1e-14);
    }
    case_table_clear(&t);
    return 0;
}

// PID: the exact rate, one of a filter, and samples that come close to them; two ways to say the error.
static int pids(void)
{
    static const char text[] =
        "flexion: 1\n"
        "simulate: {until: 3, method: radau, rtol: 1e-10, atol: 1e-12}\n"
        "equations:\n"
        "  second_order:\n"
        "    a: {at: 0.3, force: exact}\n"
        "    b: {at: 0.3, force: filtered}\n"
        "    c: {at: 0.3, force: sampled}\n"
        "    d: {at: 0.3, force: by_error}\n"
        "    e: {at: 0.3, force: difference}\n"
        "control:\n"
        "  exact: {type: pid, want: 1, is: a, p: 9, i: 3, d: 4}\n"
        "  filtered: {type: pid, want: 1, is: b, p: 9, i: 3, d: 4, filter: 1e4}\n"
        "  sampled: {type: pid, want: 1, is: c, p: 9, i: 3, d: 4, filter: 1e3, sample: 5e-4}\n"
        "  by_error: {type: pid, of: 1 - d, p: 9, i: 3, d: 4}\n"
        "  difference: {type: pid, want: 1, is: e, p: 9, i: 3, d: 4, sample: 5e-4}\n"
        "outputs: {every: 0.5, signals: [a, b, c, d, e, exact.integral, sampled.integral]}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (double time = 0.5; time < 3.1; time += 0.5) {
        double a = at(&t, "a", time);
        CHECK_NEAR(at(&t, "d", time), a, 1e-9);
        CHECK_NEAR(at(&t, "b", time), a, 1e-3);
        CHECK_NEAR(at(&t, "c", time), a, 4e-3);
        CHECK_NEAR(at(&t, "e", time), a, 2e-3);
        CHECK_NEAR(at(&t, "sampled.integral", time), at(&t, "exact.integral", time), 5e-3);
    }
    CHECK_NEAR(at(&t, "b", 0.5), at(&t, "a", 0.5), 1e-3); // no spike at the start
    case_table_clear(&t);
    return 0;
}

// (CTL-7) of a slow sine: late by the delay, but for the error of the order.
static int delay_of_pade(void)
{
    static const char text[] =
        "flexion: 1\n"
        "simulate: {until: 20, method: radau, rtol: 1e-10, atol: 1e-12}\n"
        "signals: {e: sin(t)}\n"
        "control:\n"
        "  one: {type: saturation, of: e, limits: [-9, 9], delay: 0.5, pade: 1}\n"
        "  two: {like: one, pade: 2}\n"
        "  six: {like: one, pade: 6}\n"
        "equations: {first_order: {x: {derivative: one + two + six}}}\n"
        "outputs: {every: 1, signals: [one, two, six]}\n";
    case_table t = {0};
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    double off[3] = {0, 0, 0};
    static const char *const names[] = {"one", "two", "six"};
    for (int k = 12; k <= 20; k++) { // when what they began with is gone
        for (int i = 0; i < 3; i++) off[i] = fmax(off[i], fabs(at(&t, names[i], k) - sin(k - 0.5)));
    }
    // all-pass: the phase alone is off, by (T w)^(2 n + 1) n!^2/((2 n)! (2 n + 1)!)
    CHECK_NEAR(off[0], 0.125 / 12, 1e-3);
    CHECK_NEAR(off[1], 0.03125 * 4 / (24.0 * 120), 1e-5);
    CHECK(off[2] < 1e-8);
    case_table_clear(&t);
    return 0;
}

static int refusal(const char *text, const char *part)
{
    char said[2000] = "";
    bool ran = case_run_said(text, NULL, said, sizeof said);
    if (!ran && strstr(said, part)) return 0;
    printf("expected '%s', found '%s'\n", part, said);
    return 1;
}

static int loops_are_refused(void)
{
    CHECK(refusal(
              HEAD "equations: {first_order: {x: {derivative: a}}}\n"
                   "control:\n"
                   "  a: {type: pid, want: 1, is: b, p: 2}\n"
                   "  b: {type: transfer, of: a, numerator: [1, 2], denominator: [1, 3]}\n",
              "an algebraic loop: a.is -> b.output -> b.now -> b.highest -> b.error -> a.output") ==
          0);
    case_table t = {0}; // with a lag between them there is none
    CHECK(case_run(HEAD "equations: {first_order: {x: {derivative: a}}}\n"
                        "control:\n"
                        "  a: {type: pid, want: 1, is: b, p: 2}\n"
                        "  b: {type: transfer, of: a, numerator: [2], denominator: [1, 3]}\n"
                        "outputs: {every: 2, signals: [b]}\n",
                   NULL, &t, NULL, NULL));
    CHECK_NEAR(at(&t, "b", 2), 4.0 / 7 * (1 - exp(-14)), 1e-8); // b' = 2 a - 3 b, a = 2 (1 - b)
    case_table_clear(&t);
    return 0;
}

// x' = 0.3 x + u, seen and driven at samples: the observer and the feedback against their recurrence.
static int sampled_observer(void)
{
    static const char text[] = HEAD
        "inputs: {F: 0}\n"
        "equations: {first_order: {p: {derivative: 0.3*p + F}, x: {at: 1, derivative: 0.3*x + "
        "feed}}}\n"
        "analyse:\n"
        "  K: {type: lqr, inputs: [F], states: [p], weights: {states: 2, inputs: 1}, sample: 0.1}\n"
        "  L: {type: kalman, inputs: [F], states: [p], measured: [p], noise: {states: 0.4, "
        "measured: 0.01}, sample: "
        "0.1}\n"
        "control:\n"
        "  est: {type: observer, gains: L, inputs: [feed], measured: [x + 0.05], sample: 0.1}\n"
        "  feed: {type: state-feedback, gains: K, of: est, sample: 0.1}\n"
        "outputs: {every: 0.05, signals: [x, feed, est.state, est]}\n";
    case_table t = {0};
    flx_ctx *ctx = flx_ctx_create();
    const double A[1] = {0.3}, one[1] = {1}, Q[1] = {2}, W[1] = {0.4}, V[1] = {0.01};
    double K, L, Ad, Bd, x = 1, seen = 0, u = 0;
    CHECK(flx_lqr_find(ctx, 1, 1, A, one, Q, one, 0.1, &K, NULL) == FLX_OK);
    CHECK(flx_kalman_find(ctx, 1, 1, A, one, W, V, 0.1, &L, NULL) == FLX_OK);
    CHECK(flx_sample_linear(ctx, 1, 1, A, one, 0.1, &Ad, &Bd) == FLX_OK);
    CHECK_NEAR(Ad, exp(0.03), 1e-15);
    CHECK(case_run(text, NULL, &t, NULL, NULL));
    for (int k = 0; k < 20; k++) {
        double ahead = Ad * seen + Bd * u;
        seen = ahead + L * (x + 0.05 - ahead);
        u = -K * seen;
        CHECK_NEAR(at(&t, "est.state.x", 0.1 * k + 0.05), seen, 1e-9);
        CHECK_NEAR(at(&t, "feed", 0.1 * k + 0.05), u, 1e-9);
        x = Ad * x + Bd * u;
    }
    case_table_clear(&t);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Gains that cannot be, by the names of what stands in the way.
static int gains_are_refused(void)
{
#define PLANT(extra)                                                                               \
    HEAD "inputs: {F: 0}\n"                                                                        \
         "equations: {second_order: {a: {force: F}, b: {force: 4*b + " extra "}}}\n"               \
         "outputs: {every: 1, signals: [a]}\n"
    CHECK(
        refusal(PLANT("0") "analyse: {K: {type: lqr, states: [a, b, a', b'], weights: {states: 1, "
                           "inputs: 1}}}\n"
                           "control: {c: {type: state-feedback, gains: K}}\n"
                           "forces: {}\nsignals: {s: c}\nevents: {e: {when: c > 9, stop: true}}\n",
                "the mode s = 2, most of it 'b") == 0);
    CHECK(refusal(PLANT("F") "analyse: {L: {type: kalman, states: [a, b, a', b'], measured: [b], "
                             "noise: {inputs: 1, "
                             "measured: 1}}}\n"
                             "control: {c: {type: observer, gains: L}}\n"
                             "events: {e: {when: c(1) > 9, stop: true}}\n",
                  "is not seen by what is measured") == 0);
    CHECK(
        refusal(
            PLANT(
                "F") "analyse: {K: {type: lqr, states: [a, b], weights: {states: 1, inputs: 1}}}\n"
                     "control: {c: {type: state-feedback, gains: K}}\n"
                     "events: {e: {when: c > 9, stop: true}}\n",
            "in which 'b' (value) moves most, is missing") == 0);
    return 0;
}

TEST_MAIN(TEST(sampled_observer), TEST(gains_are_refused), TEST(transfer_functions),
          TEST(sampled_transfer), TEST(static_blocks), TEST(pids), TEST(delay_of_pade),
          TEST(loops_are_refused))
