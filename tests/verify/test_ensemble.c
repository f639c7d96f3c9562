// test_ensemble.c - many runs of one compiled system: the bits of runs made one by one, by 1, 2 and 4 threads; initial
// values, times, metrics; a run that fails or is stopped costs nobody else; what is refused.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Run 5 has no mass and cannot begin; those of large torque turn round and are stopped by the event.
#define ARM                                                                                        \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 1, L: 0.5}\n"                  \
    "inputs: {torque: {value: 0}}\n"                                                               \
    "bodies: {arm: {type: rigid, mass: m, inertia: m*L^2/12, com: [L/2, 0.02*L]}}\n"               \
    "joints: {pin: {type: revolute, on: [ground, arm], at: [0, 0]}}\n"                             \
    "forces: {motor: {type: torque, on: pin, value: torque - 0.1*pin.rate}}\n"                     \
    "events: {round: {when: pin.angle > 3, stop: true}}\n"                                         \
    "outputs: {signals: [pin.angle, pin.rate, energy.total], "                                     \
    "metrics: {low: minimum(pin.angle)}}\n"                                                        \
    "simulate: {until: 0.6, method: %s}\n"

enum { RUNS = 24, BAD = 5, TIMES = 3 };

typedef struct arms {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *system;
    int parameters[2], input, outputs[2], metric;
    double parameter_values[RUNS][2], input_values[RUNS];
    flx_ensemble_def def;
} arms;

typedef struct answer {
    flx_ensemble_end ends[RUNS];
    double outputs[RUNS][TIMES][2], metrics[RUNS];
} answer;

static int set_up(arms *a, const char *method)
{
    char text[2000];
    memset(a, 0, sizeof *a);
    a->ctx = flx_ctx_create();
    snprintf(text, sizeof text, ARM, method);
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    CHECK(flx_model_read_by(a->ctx, "arm", &read, &a->model) == FLX_OK);
    CHECK(flx_system_compile(a->model, NULL, a->ctx, &a->system) == FLX_OK);
    a->parameters[0] = flx_system_parameter(a->system, "L", a->ctx);
    a->parameters[1] = flx_system_parameter(a->system, "m", a->ctx);
    a->input = flx_system_input(a->system, "torque", a->ctx);
    a->outputs[0] = flx_system_output(a->system, "energy.total", a->ctx);
    a->outputs[1] = flx_system_output(a->system, "pin.angle", a->ctx);
    for (int i = 0; i < RUNS; i++) {
        a->parameter_values[i][0] = 0.3 + 0.01 * i;
        a->parameter_values[i][1] = i == BAD ? -1.0 : 1.0 + 0.05 * i;
        a->input_values[i] = i % 6 == 4 ? 30.0 : 0.1 * i;
    }
    a->def = flx_ensemble_def_default();
    a->def.runs = RUNS;
    a->def.threads = 1;
    a->def.nparameter = 2;
    a->def.parameters = a->parameters;
    a->def.parameter_values = a->parameter_values[0];
    a->def.ninput = 1;
    a->def.inputs = &a->input;
    a->def.input_values = a->input_values;
    a->def.noutput = 2;
    a->def.outputs = a->outputs;
    a->def.nmetric = 1;
    a->def.metrics = &a->metric;
    return 0;
}

static void take_down(arms *a)
{
    flx_system_destroy(&a->system);
    flx_model_destroy(&a->model);
    flx_ctx_destroy(&a->ctx);
}

static flx_status solve(const arms *a, answer *out)
{
    memset(out, 0, sizeof *out);
    return flx_ensemble_run(a->system, &a->def, a->ctx, out->ends, out->outputs[0][0],
                            out->metrics);
}

// Of one run by itself, at the end.
static int run_alone(const arms *a, int i, flx_status *status, double out[3])
{
    flx_run *run = NULL;
    CHECK(flx_run_create(a->system, NULL, a->ctx, &run) == FLX_OK);
    for (int k = 0; k < 2; k++) {
        CHECK(flx_run_set_parameter(run, a->parameters[k], a->parameter_values[i][k]) == FLX_OK);
    }
    CHECK(flx_run_set_input(run, a->input, 1, &a->input_values[i]) == FLX_OK);
    CHECK(flx_run_reset(run) == FLX_OK);
    *status = flx_run_finish(run);
    for (int k = 0; k < 2; k++) out[k] = flx_run_get(run, a->outputs[k]);
    out[2] = flx_run_ledger(run)->metrics[0];
    flx_run_destroy(&run);
    return 0;
}

// Padding says nothing.
static bool same(const answer *x, const answer *y)
{
    bool equal = memcmp(x->outputs, y->outputs, sizeof x->outputs) == 0 &&
                 memcmp(x->metrics, y->metrics, sizeof x->metrics) == 0;
    for (int i = 0; i < RUNS; i++) {
        const flx_ensemble_end *a = x->ends + i, *b = y->ends + i;
        equal = equal && a->status == b->status && memcmp(&a->t, &b->t, sizeof a->t) == 0 &&
                strcmp(a->message, b->message) == 0;
    }
    return equal;
}

static const char *const methods[] = {"rk4, step: 0.002", "radau, rtol: 1e-7",
                                      "generalized-alpha, step: 0.002"};

static int runs_are_those_made_one_by_one(void)
{
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        static answer one, many;
        arms a;
        int stopped = 0;
        if (set_up(&a, methods[m])) return 1;
        CHECK(solve(&a, &one) == FLX_OK);
        const double(*end)[2] = (const double(*)[2])one.outputs; // one time
        for (int i = 0; i < RUNS; i++) {
            double alone[3];
            flx_status status;
            if (i == BAD) continue;
            if (run_alone(&a, i, &status, alone)) return 1;
            CHECK(one.ends[i].status == status && one.ends[i].message[0] == 0);
            CHECK(memcmp(end[i], alone, sizeof end[i]) == 0);
            CHECK(memcmp(&one.metrics[i], &alone[2], sizeof(double)) == 0);
            stopped += status == FLX_STOPPED;
            if (status == FLX_STOPPED) CHECK_NEAR(end[i][1], 3.0, 1e-6);
        }
        CHECK(stopped == 4);
        CHECK(one.ends[BAD].status == FLX_ERR_MODEL);
        CHECK_TEXT(one.ends[BAD].message, "mass");
        CHECK(isnan(end[BAD][0]) && isnan(end[BAD][1]) && isnan(one.metrics[BAD]));
        for (a.def.threads = 2; a.def.threads <= 4; a.def.threads += 2) {
            CHECK(solve(&a, &many) == FLX_OK);
            CHECK(same(&one, &many));
        }
        a.def.threads = 0;
        CHECK(solve(&a, &many) == FLX_OK);
        CHECK(same(&one, &many));
        CHECK(flx_ctx_error_count(a.ctx) == 0);
        take_down(&a);
    }
    return 0;
}

// Times are met exactly; behind the stop there is nothing.
static int outputs_at_times(void)
{
    static answer got, end;
    arms a;
    const double times[TIMES] = {0.1, 0.2, 0.6};
    if (set_up(&a, methods[0])) return 1;
    CHECK(solve(&a, &end) == FLX_OK);
    const double(*last)[2] = (const double(*)[2])end.outputs;
    a.def.ntime = TIMES;
    a.def.times = times;
    a.def.threads = 2;
    CHECK(solve(&a, &got) == FLX_OK);
    for (int i = 0; i < RUNS; i++) {
        if (i == BAD) continue;
        CHECK(got.ends[i].status == end.ends[i].status);
        if (got.ends[i].status == FLX_STOPPED) {
            CHECK(isnan(got.outputs[i][2][0]));
            continue;
        }
        CHECK(memcmp(got.outputs[i][2], last[i], sizeof last[i]) == 0);
        CHECK(isfinite(got.outputs[i][0][1]) && got.outputs[i][0][1] != got.outputs[i][1][1]);
    }
    take_down(&a);
    return 0;
}

// An arm that begins at an angle of its own: the energy is that of there at first.
static int initial_values(void)
{
    static answer got;
    arms a;
    const double zero[1] = {0.0};
    double q[RUNS * 3], v[RUNS * 3];
    if (set_up(&a, "rk4, step: 0.002, formulation: tree")) return 1;
    CHECK(a.system->dims.nq == 1 && a.system->dims.nv == 1);
    for (int i = 0; i < RUNS; i++) {
        q[i] = 0.05 * i;
        v[i] = -0.2 * i;
    }
    a.def.q = q;
    a.def.v = v;
    a.def.ntime = 1;
    a.def.times = zero;
    CHECK(solve(&a, &got) == FLX_OK);
    const double(*first)[2] = (const double(*)[2])got.outputs;
    for (int i = 0; i < RUNS; i++) {
        if (i == BAD) continue;
        double L = a.parameter_values[i][0], m = a.parameter_values[i][1];
        double J = m * L * L / 12.0 + m * L * L * (0.25 + 0.0004);
        double y = 0.5 * L * sin(q[i]) + 0.02 * L * cos(q[i]);
        CHECK_NEAR(first[i][1], q[i], 1e-15);
        CHECK_NEAR(first[i][0], 0.5 * J * v[i] * v[i] + m * 9.81 * y, 1e-13);
    }
    take_down(&a);
    return 0;
}

static int stop_after_four(void *user, int done, int runs)
{
    int *calls = user;
    (*calls)++;
    return done >= 4 && runs == RUNS;
}

static int progress_interrupts(void)
{
    static answer got;
    arms a;
    int calls = 0, done = 0;
    if (set_up(&a, methods[0])) return 1;
    a.def.progress = stop_after_four;
    a.def.user = &calls;
    CHECK(solve(&a, &got) == FLX_INTERRUPTED);
    for (int i = 0; i < RUNS; i++) done += got.ends[i].status != FLX_INTERRUPTED;
    CHECK(done == 4 && calls >= 4);
    CHECK(isnan(got.metrics[RUNS - 1]));
    take_down(&a);
    return 0;
}

static int wrong_definitions_are_refused(void)
{
    static answer got;
    arms a;
    const int none[2] = {0, 99};
    const double back[2] = {0.2, 0.1};
    if (set_up(&a, methods[0])) return 1;
    const flx_ensemble_def good = a.def;
    a.def.size = 3;
    CHECK(solve(&a, &got) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, "flx_ensemble_def_default");
    a.def = good;
    a.def.outputs = none;
    CHECK(solve(&a, &got) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(a.ctx, 1)->text, "no output number 99");
    a.def = good;
    a.def.parameter_values = NULL;
    CHECK(solve(&a, &got) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(a.ctx, 2)->text, "2 parameters");
    a.def = good;
    a.def.ntime = 2;
    a.def.times = back;
    CHECK(solve(&a, &got) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(a.ctx, 3)->text, "ascend");
    const double times[2] = {0.1, 0.2};
    a.def = good;
    a.def.ntime = 2;
    a.def.times = times;
    a.def.until = 0.15;
    CHECK(solve(&a, &got) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(a.ctx, 4)->text, "ends at 0.15, before the last of its times, 0.2");
    a.def = good;
    a.def.threads = -1;
    CHECK(solve(&a, &got) == FLX_ERR_ARGUMENT);
    a.def = good;
    a.def.runs = 0;
    CHECK(solve(&a, &got) == FLX_OK);
    take_down(&a);
    return 0;
}

TEST_MAIN(TEST(runs_are_those_made_one_by_one), TEST(outputs_at_times), TEST(initial_values),
          TEST(progress_interrupts), TEST(wrong_definitions_are_refused))
