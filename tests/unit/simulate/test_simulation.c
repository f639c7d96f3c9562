// test_simulation.c - a model's run: rows, ledger, measures, refusals, flexible bodies, memory.
#include "model_text.h"
#include "simulation_rig.h"

// ---- energy ------------------------------------------------------------------------------------

// m x" + d x' + k x = 0, x(0) = a: the energy left is known at every time.
#define OSCILLATOR                                                                                 \
    "flexion: 1\n"                                                                                 \
    "bodies: {p: {type: point, mass: 2, position: [1.3, 0, 0]}}\n"                                 \
    "joints: {guide: {type: point-on-line, on: [ground, p], at: [[0, 0, 0], p], axis: [1, 0, "     \
    "0]}}\n"                                                                                       \
    "forces: {s: {type: spring, on: [ground, p], at: [[-1, 0, 0], p], stiffness: 50, damping: "    \
    "1.5,"                                                                                         \
    " length: 2}}\n"

static double oscillator(double t, double *x)
{
    const double m = 2, d = 1.5, k = 50, a = 0.3, b = d / (2 * m), w = sqrt(k / m - b * b);
    double e = exp(-b * t), v = -a * e * (w + b * b / w) * sin(w * t);
    *x = a * e * (cos(w * t) + b / w * sin(w * t));
    return 0.5 * m * v * v + 0.5 * k * *x * *x;
}

static int dissipated_energy(const char *method, double tolerance)
{
    char text[1024];
    rig r;
    double x;
    snprintf(text, sizeof text,
             OSCILLATOR "simulate: {until: 2, %s}\n"
                        "outputs: {every: 0.013, signals: [p.position.x, energy]}\n",
             method);
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    CHECK(rows.rows == 155); // 0 to 153 times 0.013 and the end
    double start = oscillator(0.0, &x);
    int c = column("energy.dissipated"), k = column("energy.total"), p = column("p.position.x");
    for (int i = 0; i < rows.rows; i++) {
        double left = oscillator(rows.t[i], &x);
        CHECK_NEAR(rows.value[i][p], 1.0 + x, tolerance);
        CHECK_NEAR(rows.value[i][k], left, 10 * tolerance);
        CHECK_NEAR(rows.value[i][c], start - left, 10 * tolerance);
    }
    const flx_ledger *l = flx_simulation_ledger(r.sim);
    CHECK_NEAR(l->dissipated, start - oscillator(2.0, &x), 10 * tolerance);
    CHECK_NEAR(l->supplied, 0.0, 1e-12);
    CHECK_NEAR(l->energy_drift, 0.0, 10 * tolerance / start);
    CHECK(l->balanced);
    CHECK(l->allocations_in_loop == 0);
    CHECK(l->t == 2.0);
    rig_free(&r);
    return 0;
}

// Wherever the rows fall, the energy dissipated is as accurate as the motion.
static int dissipated_energy_is_as_accurate_as_the_method(void)
{
    return dissipated_energy("method: generalized-alpha, step: 1e-3", 2e-5) ||
           dissipated_energy("method: radau, step: 5e-3", 1e-6) ||
           dissipated_energy("method: dopri5, rtol: 1e-9, atol: 1e-11", 1e-7);
}

// A damper written as a law of any type, and told to be one, is the damper of a spring.
static int laws_that_dissipate_are_counted_so(void)
{
    static const char *const laws[] = {
        "type: actuator, on: [ground, p], at: [[-1, 0, 0], p], value: 1.5*d.length'",
        "type: actuator, on: [ground, p], at: [[-1, 0, 0], p], value: 1.5*d.length', form: mixed",
        "type: force, on: p, value: [-1.5*p.velocity.x, 0, 0]",
        "type: expression, on: [p, ground], force: [1.5*p.velocity.x, 0, 0]",
        "type: force, on: guide, value: -1.5*guide.rate"};
    for (size_t i = 0; i < sizeof laws / sizeof laws[0]; i++) {
        char text[1024];
        rig r;
        double x;
        snprintf(
            text, sizeof text,
            "flexion: 1\n"
            "bodies: {p: {type: rigid, mass: 2, inertia: [1, 1, 1], position: [1.3, 0, 0]}}\n"
            "joints: {guide: {type: prismatic, on: [ground, p], at: p, axis: [1, 0, 0]}}\n"
            "forces:\n"
            "  s: {type: spring, on: [ground, p], at: [[-1, 0, 0], p], stiffness: 50, length: 2}\n"
            "  d: {%s, dissipative: true}\n"
            "simulate: {until: 2, method: radau, rtol: 1e-9, atol: 1e-11}\n"
            "outputs: {every: 0.5, signals: [p.position.x]}\n",
            laws[i]);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        const flx_ledger *l = flx_simulation_ledger(r.sim);
        CHECK_NEAR(l->dissipated, oscillator(0.0, &x) - oscillator(2.0, &x), 1e-7);
        CHECK_NEAR(l->supplied, 0.0, 1e-12);
        CHECK(l->balanced);
        rig_free(&r);
    }
    return 0;
}

// A crank that is driven with a given acceleration: the motion supplies the kinetic energy.
static int motion_supplies_what_the_crank_gains(void)
{
    rig r;
    CHECK_OK(rig_make(&r, "flexion: 1\n"
                          "dimension: 2\n"
                          "gravity: [0, -9.81]\n"
                          "bodies: {crank: {type: rigid, mass: 3, inertia: 0.4, com: [0.2, 0]}}\n"
                          "joints: {A: {type: revolute, on: [ground, crank], at: [0, 0],"
                          " motion: {angle: 0.7*t^2}}}\n"
                          "simulate: {until: 1.3, method: radau, step: 1e-2}\n"
                          "outputs: {every: 0.1, signals: [A.drive, energy]}\n"));
    CHECK_OK(rig_run(&r));
    CHECK(flx_simulation_summary(r.sim)->freedoms == 0);
    const flx_ledger *l = flx_simulation_ledger(r.sim);
    double angle = 0.7 * 1.3 * 1.3, rate = 1.4 * 1.3;
    double gained = 0.5 * (0.4 + 3 * 0.04) * rate * rate + 3 * 9.81 * 0.2 * sin(angle);
    CHECK_NEAR(l->supplied, gained, 1e-6);
    CHECK_NEAR(l->energy_end - l->energy_start, gained, 1e-8);
    CHECK(l->energy_drift < 1e-6);
    CHECK(l->balanced);
    rig_free(&r);
    return 0;
}

// Steps far too large for the motion: the run ends, and the ledger says that it is wrong.
static int wrong_run_fails_its_ledger(void)
{
    rig r;
    CHECK_OK(rig_make(&r, OSCILLATOR "simulate: {until: 20, method: generalized-alpha, step: 0.3, "
                                     "spectral_radius: 0.2}\n"
                                     "outputs: {every: 0.3, signals: [p.position.x]}\n"));
    CHECK_OK(rig_run(&r));
    const flx_ledger *l = flx_simulation_ledger(r.sim);
    CHECK(l->energy_drift > 0.02);
    CHECK(!l->balanced);
    rig_free(&r);
    return 0;
}

// ---- rows --------------------------------------------------------------------------------------

#define FALL                                                                                       \
    "flexion: 1\n"                                                                                 \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {p: {type: point, mass: 1, position: [0, 0, 7]}}\n"

static int rows_come_at_the_times_asked_for(void)
{
    static const struct {
        const char *outputs;
        int n;
        double t[6];
    } cases[] = {
        {"every: 0.25", 5, {0, 0.25, 0.5, 0.75, 1}},
        {"every: 0.3", 5, {0, 0.3, 0.6, 0.9, 1}},
        {"times: [0.1, 0.35, 1]", 3, {0.1, 0.35, 1}},
        {"times: [0, 0.5, 2]", 2, {0, 0.5}},
        {"every: 5", 2, {0, 1}},
    };
    static const char *const methods[] = {"method: generalized-alpha, step: 0.1",
                                          "method: dopri5, rtol: 1e-6, atol: 1e-8"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int m = 0; m < 2; m++) {
            char text[512];
            rig r;
            snprintf(text, sizeof text,
                     FALL "simulate: {until: 1, %s}\noutputs: {%s, signals: [p.position.z]}\n",
                     methods[m], cases[i].outputs);
            CHECK_OK(rig_make(&r, text));
            CHECK_OK(rig_run(&r));
            CHECK(rows.rows == cases[i].n);
            for (int k = 0; k < rows.rows; k++) {
                double t = cases[i].t[k];
                CHECK_NEAR(rows.t[k], t, 1e-14);
                CHECK_NEAR(rows.value[k][0], 7.0 - 0.5 * 9.81 * t * t, 1e-12);
            }
            CHECK(rows.ends == 1);
            CHECK(rows.ledger.status == FLX_OK);
            rig_free(&r);
        }
    }
    return 0;
}

static int rows_at_every_step(void)
{
    rig r;
    CHECK_OK(rig_make(&r, FALL "simulate: {until: 1, method: generalized-alpha, step: 0.03}\n"
                               "outputs: {steps: true, signals: [p.position.z, t]}\n"));
    CHECK_OK(rig_run(&r));
    CHECK(rows.rows == 35); // 33 whole steps, a short one, and the start
    CHECK_NEAR(rows.t[1], 0.03, 1e-15);
    CHECK_NEAR(rows.t[34], 1.0, 0.0);
    CHECK(flx_simulation_ledger(r.sim)->work.steps == 34);

    // again: the same rows; and to another time
    static double first[MAX_ROWS];
    memcpy(first, rows.t, sizeof first);
    double z = rows.value[34][0];
    CHECK_OK(rig_run(&r));
    CHECK(rows.rows == 35 && rows.value[34][0] == z);
    for (int i = 0; i < 35; i++) CHECK(rows.t[i] == first[i]);
    CHECK(flx_simulation_set_until(r.sim, 0.0) == FLX_ERR_ARGUMENT);
    CHECK_OK(flx_simulation_set_until(r.sim, 0.3));
    CHECK_OK(rig_run(&r));
    CHECK(rows.rows == 11);
    rig_free(&r);
    return 0;
}

static int stop_after(void *user, double t, double until)
{
    CHECK(until == 1.0);
    return t >= *(double *)user;
}

static int interrupted_run_keeps_its_rows(void)
{
    rig r;
    double when = 0.5;
    flx_sink *sinks[] = {&rows.base};
    CHECK_OK(rig_make(&r, FALL "simulate: {until: 1, method: generalized-alpha, step: 0.01}\n"
                               "outputs: {every: 0.1, signals: [p.position.z]}\n"));
    CHECK(flx_simulation_run(r.sim, 1, sinks, stop_after, &when) == FLX_INTERRUPTED);
    CHECK(rows.rows == 6);
    CHECK(rows.ends == 1);
    CHECK(rows.ledger.status == FLX_INTERRUPTED);
    CHECK_NEAR(flx_simulation_ledger(r.sim)->t, 0.5, 1e-12);

    // a sink that cannot take a row ends the run with its own status
    rows.stop_at = 3;
    CHECK(rig_run(&r) == FLX_ERR_IO);
    CHECK(rows.rows == 3 && rows.ends == 2);
    rig_free(&r);
    return 0;
}

// ---- measures ----------------------------------------------------------------------------------

static int measures_are_those_of_the_course(void)
{
    static const char *const methods[] = {"method: generalized-alpha, step: 1e-3",
                                          "method: dopri5, rtol: 1e-10, atol: 1e-12"};
    for (int m = 0; m < 2; m++) {
        char text[1024];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\n"
                 "equations: {second_order: {q: {at: 0, rate: 3, mass: 1, force: -4*q}}}\n"
                 "simulate: {until: pi, %s}\n"
                 "outputs:\n"
                 "  every: 1\n"
                 "  signals: [q]\n"
                 "  metrics: {high: maximum(q), low: minimum(q), mean: mean(q^2), rms: rms(q'),\n"
                 "             end: final(q'), both: maximum(q) - minimum(q) + 1}\n",
                 methods[m]);
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        // q = 1.5 sin 2t over one period
        static const double expected[] = {1.5, -1.5, 1.125, 2.1213203435596424, 3, 4};
        CHECK(flx_simulation_metric_count(r.sim) == 6);
        for (int i = 0; i < 6; i++) {
            double value;
            const char *name = flx_simulation_metric(r.sim, i, &value);
            double tolerance = m == 0 ? 2e-5 : 1e-7;
            CHECK(name);
            CHECK_NEAR(value, expected[i], tolerance);
        }
        CHECK(rows.ledger.nmetric == 6);
        CHECK(flx_simulation_metric(r.sim, 6, &text[0] ? &rows.t[0] : NULL) == NULL);
        rig_free(&r);
    }
    return 0;
}

// ---- refused ---------------------------------------------------------------------------------

static int what_is_not_available_is_refused_at_its_place(void)
{
    rig r;
    CHECK(rig_make(&r, "flexion: 1\nsimulate: {until: 1}\nbodies:\n  ball: {type: point, mass: 1}\n"
                       "  roof: {type: shell, mesh: m.msh, thickness: 1, material: {E: 1, nu: 0.3, "
                       "density: 1}}\n") == FLX_ERR_UNAVAILABLE);
    bool found = false;
    for (int i = 0; flx_ctx_error(r.ctx, i); i++) {
        const flx_message *m = flx_ctx_error(r.ctx, i);
        CHECK(m->status == FLX_ERR_UNAVAILABLE);
        CHECK_TEXT(m->text, "not supported yet: ");
        found = found || (strstr(m->text, "shell") && m->loc.line == 5);
    }
    CHECK(found);
    rig_free(&r);
    CHECK_OK(rig_make(&r, FALL)); // nothing to run, and yet a model
    CHECK(rig_run(&r) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "simulate");
    CHECK(rows.ends == 0);
    rig_free(&r);
    return 0;
}

// ---- flexible bodies ----------------------------------------------------------------------------

// A rod of 2 mm that whips: its mass keeps its sign and its energy the balance, however far it bends.
static int a_mass_keeps_its_sign_far_out(void)
{
    const char *text = model_text("far_out");
    rig r = {0};
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(rig_run(&r));
    CHECK(flx_simulation_ledger(r.sim)->energy_drift < 1e-5);
    CHECK(flx_ctx_warning_count(r.ctx) > 0); // such bending is not what modes describe
    CHECK(strstr(flx_ctx_warning(r.ctx, 0)->text, "'rod'") != NULL);
    rig_free(&r);
    return 0;
}

// Data are series, and have nothing to say far out.
static int bending_beyond_the_data_is_told_by_name(void)
{
    const char *text = "flexion: 1\n"
                       "bodies:\n"
                       "  beam: {type: flexible, data: " FLX_TESTS
                       "/cases/clamped_beam.SID_FEM, stiffening: true,\n"
                       "         modes: [0, 1], angular_velocity: [0, 0, 10]}\n"
                       "simulate: {until: 0.01, method: radau}\n"
                       "outputs: {every: 0.01, signals: [energy]}\n";
    rig r = {0};
    CHECK_OK(rig_make(&r, text));
    CHECK(rig_run(&r) == FLX_SINGULAR);
    CHECK(strstr(flx_ctx_error(r.ctx, 0)->text, "the flexible body 'beam' bends more") != NULL);
    rig_free(&r);
    return 0;
}

// ---- memory ------------------------------------------------------------------------------------

// Each allocation of create and run fails in turn: reported, and nothing leaks.
static int every_allocation_may_fail(void)
{
    char text[2048];
    snprintf(text, sizeof text, FOUR_BAR, ", initial: {angle: -0.4}");
    strncat(text, "events: {push: {every: 0.03, set: {A.rate: 1}}, half: {when: A.angle > 0}}\n",
            sizeof text - strlen(text) - 1);
    flx_sink *sinks[] = {&rows.base};
    long last = 0;
    for (long k = 0;; k++) {
        CHECK(k < 100000);
        rig r = {0};
        r.ctx = flx_ctx_create();
        memset(&rows, 0, sizeof rows);
        rows.base = (flx_sink){&keep_type, r.ctx};
        CHECK_OK(flx_model_read_text(r.ctx, "model", text, strlen(text), 0, NULL, &r.model));
        long before = flx_ctx_allocation_count(r.ctx);
        if (k == 0) {
            CHECK_OK(flx_simulation_create(r.model, &r.sim));
            last = flx_ctx_allocation_count(r.ctx) - before;
            rig_free(&r);
            continue;
        }
        // all of the first hundred, then some of the many that large systems make
        if (k > 100) k += last / 50;
        flx_ctx_fail_allocation(r.ctx, before + k - 1);
        flx_status s = flx_simulation_create(r.model, &r.sim);
        if (s == FLX_OK) s = flx_simulation_run(r.sim, 1, sinks, NULL, NULL);
        bool done = s == FLX_OK;
        CHECK(done || (flx_ctx_error_count(r.ctx) > 0 &&
                       flx_ctx_error(r.ctx, 0)->status == FLX_ERR_MEMORY));
        rig_free(&r);
        if (done) break;
    }
    return 0;
}

// The distance of the tip from a place near the hinge nearly follows from the hinge. Off by 1e-10 it is taken as the
// same; off by 1e-6 this is told.
static int rows_left_out_that_part_are_told(void)
{
    static const char *const place[] = {"1e-10", "1e-6"};
    for (int i = 0; i < 2; i++) {
        char text[600];
        snprintf(
            text, sizeof text,
            "flexion: 1\n"
            "dimension: 2\n"
            "gravity: [0, -9.81]\n"
            "bodies:\n"
            "  rod: {type: rigid, mass: 1, com: [0.5, 0], inertia: 0.08, points: {tip: [1, 0]}}\n"
            "joints:\n"
            "  A: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
            "  B: {type: distance, on: [ground, rod], at: [[0, %s], rod.tip]}\n"
            "simulate: {until: 1, method: radau}\n"
            "outputs: {every: 0.1, signals: [A.angle]}\n",
            place[i]);
        rig r = {0};
        CHECK_OK(rig_make(&r, text));
        CHECK_OK(rig_run(&r));
        CHECK(flx_ctx_warning_count(r.ctx) == i);
        if (i == 1) CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "B (length) is left out");
        rig_free(&r);
    }
    return 0;
}

TEST_MAIN(TEST(dissipated_energy_is_as_accurate_as_the_method),
          TEST(laws_that_dissipate_are_counted_so), TEST(motion_supplies_what_the_crank_gains),
          TEST(wrong_run_fails_its_ledger), TEST(rows_come_at_the_times_asked_for),
          TEST(rows_at_every_step), TEST(interrupted_run_keeps_its_rows),
          TEST(measures_are_those_of_the_course), SLOW_TEST(a_mass_keeps_its_sign_far_out),
          TEST(bending_beyond_the_data_is_told_by_name), TEST(every_allocation_may_fail),
          TEST(what_is_not_available_is_refused_at_its_place),
          TEST(rows_left_out_that_part_are_told))
