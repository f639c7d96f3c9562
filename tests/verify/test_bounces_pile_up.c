// Events that throw back pile up: each run says so, by every method, wherever the border is, on rails, hinges, of equations, and
// where it moves. An event that turned what already went away from the border sent it across, and the run went on without a word.
#include "case_table.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

static const char *const models[] = {
    // a rod that falls on a stop
    "dimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {b: {type: rigid, mass: 1, inertia: 0.1, com: [0.4, 0]}}\n"
    "joints: {h: {type: revolute, on: [ground, b], at: [0, 0]}}\n"
    "events: {s: {when: h.angle < -1, set: {h.rate: -E*h.rate}}}\n",
    "dimension: 2\ngravity: [0.3, -9.81]\n"
    "bodies: {b: {type: point, mass: 2, position: [0, 0.7]}}\n"
    "events: {s: {when: b.position.y < 0, set: {b.velocity.y: -E*b.velocity.y}}}\n",
    "equations: {second_order: {y: {at: 1, force: \"-3 - 0.2*y'\"}}}\n"
    "events: {s: {when: y < 0.3, set: {y': \"-E*y'\"}}}\n",
    "gravity: [0, 0, -5]\nbodies: {b: {type: rigid, mass: 2, inertia: [1, 1, 1]}}\n"
    "joints: {p: {type: prismatic, on: [ground, b], at: [0, 0, 0], axis: [0, 0.6, 0.8]}}\n"
    "events: {s: {when: p.displacement <= -0.2, set: {p.rate: -E*p.rate}}}\n",
    // two at once
    "equations: {second_order: {y: {at: 1, force: -3}, z: {at: 2, force: -9}}}\n"
    "events:\n  s: {when: y < 0, set: {y': \"-E*y'\"}}\n  r: {when: z < 0, set: {z': \"-E*z'\"}}\n",
    // a table that shakes
    "equations: {second_order: {y: {at: 1, force: -3}}}\n"
    "events: {s: {when: y < 0.01*sin(3*t), set: {y': \"-E*(y' - 0.03*cos(3*t)) + "
    "0.03*cos(3*t)\"}}}\n"};

static const char *const methods[] = {"auto",
                                      "radau",
                                      "bdf",
                                      "adams",
                                      "dopri5",
                                      "dop853",
                                      "implicit-euler",
                                      "generalized-alpha",
                                      "radau, step: 0.01",
                                      "rk4, step: 0.01",
                                      "generalized-alpha, step: 0.01",
                                      "midpoint, step: 0.01",
                                      "implicit-euler, step: 0.01"};

static int every_run_says_so(void)
{
    for (size_t k = 0; k < sizeof models / sizeof models[0]; k++) {
        for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
            for (int e = 0; e < 3; e++) {
                static const char *const kept[] = {"0.1", "0.5", "0.75"};
                char text[1500], said[1500];
                snprintf(text, sizeof text,
                         "flexion: 1\nparameters: {E: %s}\n%ssimulate: {until: 6, method: %s}\n"
                         "outputs: {every: 1, signals: [s.count]}\n",
                         kept[e], models[k], methods[i]);
                CHECK(!case_run_said(text, NULL, said, sizeof said));
                CHECK_TEXT(said, "ever shorter intervals");
            }
        }
    }
    return 0;
}

// What an event stops on its border, where a weight presses it on, happens again and again within nanoseconds: the run did not
// end, without a word. By a message, or beyond the border.
static int what_stops_there_ends(void)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        char text[900], said[1500];
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "bodies: {b: {type: rigid, mass: 1, inertia: 0.1, com: [0.4, 0]}}\n"
                 "joints: {h: {type: revolute, on: [ground, b], at: [0, 0]}}\n"
                 "events: {s: {when: h.angle < -1, set: {h.rate: 0}}}\n"
                 "simulate: {until: 4, method: %s}\noutputs: {every: 1, signals: [h.angle]}\n",
                 methods[i]);
        if (!case_run_said(text, NULL, said, sizeof said)) {
            CHECK_TEXT(said, "ever shorter intervals");
        }
    }
    return 0;
}

// What comes back once, or is thrown through, is none of it.
static int what_does_not_pile_up_runs(void)
{
    static const char *const laws[] = {"-y'", "-2*y'", "0.5*y'", "0"};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        for (int k = 0; k < 4; k++) {
            char text[900], said[1500];
            snprintf(text, sizeof text,
                     "flexion: 1\nequations: {second_order: {y: {at: 1, rate: 0.1, force: -3}}}\n"
                     "events: {s: {when: y < 0.2 + 0.1*sin(2*t), set: {y': \"%s\"}}}\n"
                     "simulate: {until: 2, method: %s}\noutputs: {every: 1, signals: [y]}\n",
                     laws[k], methods[i]);
            CHECK(case_run_said(text, NULL, said, sizeof said));
        }
    }
    return 0;
}

TEST_MAIN(TEST(every_run_says_so), TEST(what_stops_there_ends), TEST(what_does_not_pile_up_runs))
