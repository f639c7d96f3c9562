// test_driver.c - runs at the edges: what makes no sense is refused, what fails half way says when and with
// which step, events at the end and two in one instant happen, outputs may be denser than steps.
#include "case_table.h"
#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char pendulum[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies: {bob: {type: point, mass: 2, position: [1, 0, 0]}}\n"
    "joints: {rod: {type: distance, on: [ground, bob], at: [[0, 0, 0], bob]}}\n"
    "%s\n";

static int what_cannot_be_run_says_why(void)
{
    static const struct {
        const char *rest, *says;
    } runs[] = {
        {"simulate: {until: 0}", "the end of the run must be positive, not 0"},
        {"simulate: {until: -1}", "the end of the run must be positive, not -1"},
        {"simulate: {until: 1, rtol: 0}", "rtol must be positive, not 0"},
        {"simulate: {until: 1, method: bdf, rtol: 1e-20}", "finer than numbers are"},
        {"simulate: {until: 1, method: adams, rtol: 1e-20}", "finer than numbers are"},
        {"simulate: {until: 1, method: radau, max_steps: 3}", "3 steps made, t = 0.0"},
        {"simulate: {until: 9, method: dopri5, step: 5}",
         "(step 5); try a smaller step, or method"},
        {"simulate: {until: 1e9, method: radau, step: 1e8}", "at t = 0 (step 1e+08)"},
        {"forces: {f: {type: force, on: bob, value: [sqrt(0.5 - t), 0, 0]}}\n"
         "simulate: {until: 1, method: generalized-alpha, step: 0.01}",
         "a value is not finite at t = 0.5 (step 0.01)"},
        {"forces: {f: {type: force, on: bob, value: [log(0.5 - t), 0, 0]}}\n"
         "simulate: {until: 1, method: radau}",
         "a value is not finite"},
    };
    char text[1024], said[2048];
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        snprintf(text, sizeof text, pendulum, runs[i].rest);
        said[0] = '\0';
        CHECK(!case_run_said(text, NULL, said, sizeof said));
        if (!strstr(said, runs[i].says)) printf("    %s: %s\n", runs[i].rest, said);
        CHECK_TEXT(said, runs[i].says);
    }
    return 0;
}

// The step in the message is the last one tried, not what was left of the run.
static int explicit_methods_tell_their_step(void)
{
    char text[1024], said[2048] = "";
    snprintf(text, sizeof text, pendulum,
             "forces: {f: {type: force, on: bob, value: [log(0.5 - t), 0, 0]}}\n"
             "simulate: {until: 1, method: dopri5}");
    CHECK(!case_run_said(text, NULL, said, sizeof said));
    const char *step = strstr(said, "(step ");
    CHECK(step != NULL);
    double h = strtod(step + 6, NULL);
    printf("    step %g\n", h);
    CHECK(h > 0.0 && h < 1e-9);
    return 0;
}

static bool end_of(const char *method, const char *rtol, double *z)
{
    char text[1024], rest[200];
    case_table run = {0};
    snprintf(
        rest, sizeof rest,
        "simulate: {until: 1, method: %s, rtol: %s, atol: 1e-14}\noutputs: {times: [1], signals: "
        "[bob.position]}",
        method, rtol);
    snprintf(text, sizeof text, pendulum, rest);
    bool good =
        case_run(text, NULL, &run, NULL, NULL) && case_table_value(&run, "bob.position.z", 1.0, z);
    case_table_clear(&run);
    return good;
}

static int the_finest_tolerances_end(void)
{
    static const char *const methods[] = {"radau", "dopri5", "dop853"};
    double exact = (double)NAN, z = (double)NAN;
    CHECK(end_of("radau", "1e-12", &exact));
    for (int i = 0; i < 3; i++) {
        CHECK(end_of(methods[i], "1e-14", &z));
        CHECK_NEAR(z, exact, 1e-10);
    }
    return 0;
}

static int outputs_may_be_denser_than_steps(void)
{
    char text[1024];
    case_table run = {0};
    double z = (double)NAN, x = (double)NAN;
    snprintf(text, sizeof text, pendulum,
             "simulate: {until: 1, method: radau, step: 0.1}\noutputs: {every: 1e-3, signals: "
             "[bob.position]}");
    CHECK(case_run(text, NULL, &run, NULL, NULL));
    CHECK(case_table_value(&run, "bob.position.z", 0.123, &z));
    CHECK(case_table_value(&run, "bob.position.x", 0.123, &x));
    CHECK_NEAR(x * x + z * z, 1.0, 1e-13); // the joint is closed in between, too
    case_table_clear(&run);
    return 0;
}

// What holds at the start does not become true; two in one instant both happen, and one at the end does.
static int events_at_the_edges_happen(void)
{
    char text[1024];
    case_table run = {0};
    double n[3] = {(double)NAN, (double)NAN, (double)NAN};
    snprintf(text, sizeof text, pendulum,
             "equations: {discrete: {n: {at: 0}}}\n"
             "events: {a: {when: t >= 0, set: {n: n + 1}}, b: {when: t >= 1, set: {n: n + 10}}, c: "
             "{when: t >= 0.5, set: {n: n + 100}}, d: {when: t >= 0.5, set: {n: n + 1000}}}\n"
             "simulate: {until: 1, method: radau}\noutputs: {every: 0.5, signals: [n]}");
    CHECK(case_run(text, NULL, &run, NULL, NULL));
    for (int i = 0; i < 3; i++) CHECK(case_table_value(&run, "n", 0.5 * i, &n[i]));
    CHECK(n[0] == 0.0 && n[1] == 1100.0 && n[2] == 1110.0);
    case_table_clear(&run);
    return 0;
}

TEST_MAIN(TEST(what_cannot_be_run_says_why), TEST(explicit_methods_tell_their_step),
          TEST(the_finest_tolerances_end), TEST(outputs_may_be_denser_than_steps),
          TEST(events_at_the_edges_happen))
