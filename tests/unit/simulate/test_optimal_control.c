// test_optimal_control.c - motions of least cost against the maximum principle and transcriptions with known costs
// (tests/reference/cases/opt-cart-pole-swing-up.json), and against closed forms.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"
#include "math/nlp/nlp.h"
#include "model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct found {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_status status;
    double cost, time;
    int evaluations;
} found;

static void find_text(found *a, const char *text, int analysis, int nset, const char *const *set)
{
    *a = (found){.ctx = flx_ctx_create(), .cost = (double)NAN};
    a->status = flx_model_read_text(a->ctx, "model", text, strlen(text), nset, set, &a->model);
    if (a->status == FLX_OK) a->status = flx_simulation_create_to_analyse(a->model, &a->sim);
    if (a->status == FLX_OK) a->status = flx_simulation_analyse(a->sim, analysis, &a->f);
    for (int i = 0; i < a->f.nline; i++) {
        const char *count = strstr(a->f.lines[i], "IPOPT, ");
        sscanf(a->f.lines[i], "cost %lf in %lf s", &a->cost, &a->time);
        if (count) sscanf(count, "IPOPT, %d", &a->evaluations);
    }
}

static void find(found *a, const char *model, int analysis, int nset, const char *const *set)
{
    find_text(a, model_text(model), analysis, nset, set);
}

static void done(found *a)
{
    flx_finding_clear(&a->f);
    flx_simulation_destroy(&a->sim);
    flx_model_destroy(&a->model);
    flx_ctx_destroy(&a->ctx);
}

static int costs_of_transcriptions(void)
{
    static const double costs[] = {58.3514704583, 58.6942887074, 58.7793627415};
    static const char *const sizes[] = {"N=50", "N=100", "N=200"};
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    for (int i = 0; i < 3; i++) {
        found a;
        find(&a, "swing_up", 0, 1, sizes + i);
        CHECK(a.status == FLX_OK);
        CHECK_REL(a.cost, costs[i], 1e-9);
        CHECK(a.evaluations <= 60);
        done(&a);
    }
    return 0;
}

static int the_optimum_of_the_maximum_principle(void)
{
    const char *const size[] = {"N=400"};
    found a;
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    find(&a, "swing_up", 0, 1, size);
    CHECK(a.status == FLX_OK);
    CHECK_REL(a.cost, 58.8005937495, 1e-9);
    CHECK(a.evaluations <= 50);
    const flx_finding_table *t = a.f.tables;
    const double *row = t->values + 200 * t->ncolumn; // t = 1
    CHECK_NEAR(t->values[1], 1.86466655, 0.02);
    CHECK_NEAR(row[1], -3.99716748, 0.02);
    CHECK_NEAR(row[2], 1.04851411, 0.002);
    CHECK_NEAR(row[3], 1.23488252, 0.005);
    CHECK_NEAR(t->values[400 * t->ncolumn + 3], 3.141592653589793, 1e-9);
    double force = 0.0, way = 0.0;
    for (int i = 0; i < t->nrow; i++) {
        force = fmax(force, fabs(t->values[i * t->ncolumn + 1]));
        way = fmax(way, fabs(t->values[i * t->ncolumn + 2]));
    }
    CHECK_REL(force, 13.983901, 0.005);
    CHECK_REL(way, 1.1795846, 0.002);
    done(&a);
    return 0;
}

// m s'' = F, |F| <= 2, m = 2, from 0 to 1: T = 2; T + integral of F^2: T^4 = 144.
static int free_times(void)
{
    found a;
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    find(&a, "least_time", 0, 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK_NEAR(a.time, 2.0, 1e-6);
    const flx_finding_table *t = a.f.tables;
    CHECK_NEAR(t->values[30 * t->ncolumn + 1], 2.0, 1e-4);
    CHECK_NEAR(t->values[70 * t->ncolumn + 1], -2.0, 1e-4);
    done(&a);
    find(&a, "least_time", 1, 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK_NEAR(a.time, pow(144.0, 0.25), 1e-3);
    CHECK_NEAR(a.cost, pow(144.0, 0.25) * 4.0 / 3.0, 1e-3);
    done(&a);
    return 0;
}

// What cannot be reached is said, by how much.
static int out_of_reach(void)
{
    const char *const far[] = {"force=0.5"}, *const strong[] = {"force=1e6"};
    found a;
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    find(&a, "least_time", 2, 1, far); // in 1 s, with too little force
    CHECK(a.status == FLX_NO_CONVERGENCE);
    const flx_message *m = flx_ctx_error(a.ctx, 0);
    CHECK_TEXT(m ? m->text : "", "no optimum after");
    done(&a);
    find(&a, "least_time", 0, 1, strong); // sooner than what is tried
    CHECK(a.status == FLX_OK && a.f.nline > 1);
    CHECK(strstr(a.f.lines[1], "the time is at the lower end of what is tried"));
    done(&a);
    return 0;
}

// m s'' = F over a path L in the time T, from rest to rest, where the least of the square is 12 m^2 L^2/T^3 and begins with
// 6 m L/T^2, and the least time with |F| <= m L/T^2, which is 2 T: in units of people, watches and ships.
// A pendulum turned over by small torques, at which steps by the quality function go to and fro without end.
static int by_another_way(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "inputs: {F: {value: 0, lower: -3.8058, upper: 3.8058}}\n"
        "bodies: {rod: {type: rigid, mass: 1.594, inertia: 0.05, com: [0, -0.483]}}\n"
        "joints: {hinge: {type: revolute, on: [ground, rod], at: rod}}\n"
        "forces: {push: {type: torque, on: hinge, value: F}, d: {type: spring, on: hinge, damping: "
        "0.114}}\n"
        "analyse: {s: {type: optimal-control, inputs: [F], minimise: F^2, at_end: {hinge.angle: "
        "pi}, until: 2.664, steps: 120}}\nsimulate: {until: 1}\n";
    found a;
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    find_text(&a, text, 0, 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK_REL(a.cost, 20.91755, 1e-6);
    done(&a);
    return 0;
}

// From rest to rest in least time: a mass on a spring is pushed and pulled. x = a (1 - cos w t), then back from -a.
static int bang_bang(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ninputs: {F: {value: 0, lower: -1, upper: 1}}\n"
        "bodies: {b: {type: point, mass: 1, position: [0, 0]}}\n"
        "joints: {r: {type: point-on-line, on: [ground, b], at: [[0, 0], b], axis: [1, 0]}}\n"
        "forces: {f: {type: force, on: b, value: [\"F - 0.4*b.position.x\", 0]}}\n"
        "analyse: {T: {type: optimal-control, inputs: [F], minimise: time, at_end: {b.position.x: "
        "1}, until: free, steps: 200}}\nsimulate: {until: 1}\n";
    double w = sqrt(0.4), lo = 0.0, hi = 3.0;
    found a;
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    for (int k = 0; k < 100; k++) { // the switch: on the circle about -2.5 through (1, 0)
        double t = 0.5 * (lo + hi), x = 2.5 * (1.0 - cos(w * t)), v = 2.5 * sin(w * t);
        *(hypot(x + 2.5, v) < 3.5 ? &lo : &hi) = t;
    }
    double x = 2.5 * (1.0 - cos(w * lo)), v = 2.5 * sin(w * lo);
    find_text(&a, text, 0, 0, NULL);
    CHECK(a.status == FLX_OK);
    CHECK_REL(a.time, lo + atan2(v, x + 2.5) / w, 3e-5); // of order 2 but for the switch
    done(&a);
    return 0;
}

static int units_do_not_matter(void)
{
    static const char model[] =
        "flexion: 1\n"
        "dimension: 2\n"
        "parameters: {L: 1, M: 1, T: 1, f: M*L/T^2}\n"
        "bodies: {s: {type: rigid, mass: M, inertia: M*L^2}}\n"
        "joints: {rail: {type: prismatic, on: [ground, s], at: s, axis: [1, 0]}}\n"
        "inputs: {F: {value: 0, lower: -8*f, upper: 8*f}, G: {value: 0, lower: -f, upper: f}}\n"
        "forces: {a: {type: force, on: rail, value: F + G}}\n"
        "analyse:\n"
        "  square: {type: optimal-control, inputs: [F], minimise: F^2, at_end: {rail.displacement: "
        "L}, "
        "until: T, steps: 200}\n"
        "  time: {type: optimal-control, inputs: [G], at_end: {rail.displacement: L}, until: free, "
        "about_until: 3*T, steps: 50}\n";
    static const char *const units[][3] = {{"L=1", "M=1", "T=1"},
                                           {"L=1e-3", "M=1e-6", "T=0.1"},
                                           {"L=1e-6", "M=1e-15", "T=1e-4"},
                                           {"L=100", "M=1e7", "T=60"}};
    if (!flx_nlp_is_there()) return TEST_SKIPPED;
    for (int k = 0; k < 4; k++) {
        double L = strtod(units[k][0] + 2, NULL), M = strtod(units[k][1] + 2, NULL);
        double T = strtod(units[k][2] + 2, NULL), force = M * L / (T * T);
        found a;
        find_text(&a, model, 0, 3, units[k]);
        CHECK(a.status == FLX_OK);
        CHECK_REL(a.cost, 12.0 * force * force * T, 1e-3);
        CHECK_REL(a.f.tables->values[1], 6.0 * force, 2e-2);
        done(&a);
        find_text(&a, model, 1, 3, units[k]);
        CHECK(a.status == FLX_OK);
        CHECK_REL(a.time, 2.0 * T, 1e-3);
        done(&a);
    }
    return 0;
}

TEST_MAIN(TEST(units_do_not_matter), SLOW_TEST(costs_of_transcriptions),
          SLOW_TEST(the_optimum_of_the_maximum_principle), TEST(free_times), TEST(out_of_reach),
          TEST(by_another_way), TEST(bang_bang))
