// test_run_edges.c - runs at the edges of what can be asked for: ways shorter than rounding, inputs of motions that have ended,
// masses that vanish.
#include "flexion/extend/method_table.h"
#include "run_rig.h"

#include <math.h>

static int set_up(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    return rig_compile(r, flx_model_read_by(r->ctx, "text", &def, &r->model), true);
}

#define CHAIN                                                                                      \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\ninputs: {F: 0}\n"                              \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"                              \
    "  b: {type: rigid, mass: 0.8, inertia: 0.1, position: [1.5, 0], com: [0.1, 0.05]}\n"          \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"                                         \
    "  B: {type: revolute, on: [a, b], at: [1, 0]}\n"                                              \
    "forces: {T: {type: torque, on: A, value: F - 0.2*A.rate}}\n"                                  \
    "events: {down: {when: a.position.y < -0.45, stop: true}}\n"                                   \
    "simulate: {until: 1, method: %s}\n"                                                           \
    "outputs: {signals: [a.position.x, b.position.x, b.position.y, b.velocity.y, F, "              \
    "b.acceleration.y]}\n"
enum { OUTPUTS = 6 };

static const struct {
    const char *words;
    double tolerance; // of the method beside itself with other steps
} methods[] = {{"generalized-alpha, rtol: 1e-7", 1e-5},
               {"generalized-alpha, step: 1e-3", 1e-5},
               {"hht, step: 1e-3", 1e-5},
               {"newmark, step: 1e-3", 1e-5},
               {"radau, rtol: 1e-7", 1e-6},
               {"radau, step: 1e-2", 1e-6},
               {"dopri5, rtol: 1e-8", 1e-6},
               {"dop853, rtol: 1e-8", 1e-6},
               {"bdf, rtol: 1e-8", 1e-5},
               {"adams, rtol: 1e-8", 1e-5},
               {"variational, step: 1e-3", 1e-5},
               {"galerkin, step: 1e-2", 1e-6},
               {"energy-momentum, step: 1e-3", 1e-5},
               {"trapezoidal, step: 1e-3", 1e-5},
               {"lobatto, step: 1e-2", 1e-6},
               {"dopri5, rtol: 1e-8, formulation: tree", 1e-6}};
#define METHODS (sizeof methods / sizeof methods[0])

static int set_up_with(size_t k, rig *r)
{
    char text[2000];
    snprintf(text, sizeof text, CHAIN, methods[k].words);
    return set_up(text, r);
}

// ---- ways shorter than rounding -------------------------------------------------------------------

static int advance_by(flx_run *run, double h)
{
    double t = flx_run_time(run) + h;
    CHECK(flx_run_advance(run, t) == FLX_OK);
    CHECK(flx_run_time(run) == t);
    return 0;
}

static int shortest_ways_lead_where_long_ones_do(void)
{
    static const double first[] = {5e-324, 1e-300, 1e-100, 1e-20, 1e-16, 1e-15, 1e-13, 1e-12, 1e-9};
    for (size_t k = 0; k < METHODS; k++) {
        rig r, straight;
        double taken = -1.0, want[OUTPUTS];
        if (set_up_with(k, &r) || set_up_with(k, &straight)) return 1;
        for (size_t i = 0; i < sizeof first / sizeof first[0]; i++)
            CHECK(flx_run_advance(r.run, first[i]) == FLX_OK && flx_run_time(r.run) == first[i]);
        CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
        for (double h = 1.4e-17; h < 1e-6; h *= 3) {
            if (advance_by(r.run, h)) return 1;
        }
        CHECK(flx_run_step(r.run, 1e-300, &taken) == FLX_OK && taken == 0.0);
        flx_run *twin = NULL; // whatever came with the crumbs goes along
        CHECK(flx_run_clone(r.run, r.ctx, &twin) == FLX_OK);
        flx_run_destroy(&r.run);
        r.run = twin;
        for (int i = 0; i < 20; i++) { // nothing adds up
            if (advance_by(r.run, 1e-12)) return 1;
        }
        CHECK(flx_run_advance(r.run, 0.3) == FLX_OK);
        CHECK(flx_run_advance(r.run, nextafter(0.3, 1.0)) == FLX_OK);
        CHECK(flx_run_advance(straight.run, 0.3) == FLX_OK);
        memcpy(want, flx_run_outputs(straight.run, NULL), sizeof want);
        const double *have = flx_run_outputs(r.run, NULL);
        for (int i = 0; i < OUTPUTS; i++) {
            double more = i == OUTPUTS - 1 ? 100 : 1; // accelerations
            if (!(fabs(have[i] - want[i]) <= more * methods[k].tolerance))
                printf("  %s, output %d\n", methods[k].words, i);
            CHECK_NEAR(have[i], want[i], more * methods[k].tolerance);
        }
        const flx_ledger *l = flx_run_ledger(r.run);
        if (!l->balanced) printf("  %s\n", methods[k].words);
        CHECK(l->balanced);
        put_away(&r);
        put_away(&straight);
    }
    return 0;
}

// The method begins anew with a state that is set: ways are short beside its own steps, not beside the time before it.
static int ways_after_a_state_was_set(void)
{
    static const char text[] =
        "flexion: 1\nequations: {second_order: {x: {at: 1, mass: 1, force: -400*x}}}\n"
        "simulate: {until: 100, method: %s}\noutputs: {signals: [x]}\n";
    static const char *const words[] = {"dopri5, rtol: 1e-9, atol: 1e-11",
                                        "radau, rtol: 1e-9, atol: 1e-11"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        char model[500];
        rig r;
        double q = 1.0, v = 0.0;
        snprintf(model, sizeof model, text, words[k]);
        if (set_up(model, &r)) return 1;
        CHECK(flx_run_advance(r.run, 20.0) == FLX_OK);
        CHECK(flx_run_set_state(r.run, &q, &v, NULL, NULL) == FLX_OK);
        for (int i = 1; i <= 200; i++) CHECK(flx_run_advance(r.run, 20.0 + 1e-3 * i) == FLX_OK);
        CHECK_NEAR(flx_run_get(r.run, 0), cos(20 * 0.2), 1e-5);
        put_away(&r);
    }
    return 0;
}

// An event that lies in a way so short happens there.
static int events_on_short_ways_happen(void)
{
    for (size_t k = 0; k < METHODS; k++) {
        rig r, straight;
        if (set_up_with(k, &r) || set_up_with(k, &straight)) return 1;
        CHECK(flx_run_finish(straight.run) == FLX_STOPPED);
        double t = flx_run_time(straight.run);
        CHECK(flx_run_advance(r.run, t - 2e-6) == FLX_OK);
        flx_status status = FLX_OK;
        for (int i = 0; i < 100000 && status == FLX_OK; i++)
            status = flx_run_advance(r.run, flx_run_time(r.run) + 5e-8);
        CHECK(status == FLX_STOPPED);
        CHECK_TEXT(flx_run_stopped_by(r.run), "down");
        CHECK_NEAR(flx_run_time(r.run), t, 10 * methods[k].tolerance);
        put_away(&r);
        put_away(&straight);
    }
    return 0;
}

// ---- inputs of motions that have ended ----------------------------------------------------------------

static int inputs_leave_ended_motions_alone(void)
{
    for (size_t k = 0; k < METHODS; k++) {
        rig r, fresh;
        double u = 3.0, got[3], before[OUTPUTS], q[8], a[8];
        int n;
        if (set_up_with(k, &r) || set_up_with(k, &fresh)) return 1;
        CHECK(flx_run_finish(r.run) == FLX_STOPPED);
        const double *q_now = flx_run_view(r.run, FLX_VIEW_Q, &n);
        memcpy(q, q_now, (size_t)n * sizeof *q);
        const double *a_now = flx_run_view(r.run, FLX_VIEW_A, &n);
        memcpy(a, a_now, (size_t)n * sizeof *a);
        if (k % 2 == 0) memcpy(before, flx_run_outputs(r.run, NULL), sizeof before);
        double t = flx_run_time(r.run);
        CHECK(flx_run_set_input(r.run, 0, 1, &u) == FLX_OK);
        CHECK(flx_run_get_input(r.run, 0, got) == FLX_OK && got[0] == 3.0);
        CHECK(flx_run_time(r.run) == t && flx_run_advance(r.run, 1.0) == FLX_STOPPED);
        CHECK(memcmp(a, a_now, (size_t)n * sizeof *a) == 0); // the views never move
        (void)flx_run_view(r.run, FLX_VIEW_Q, &n);
        CHECK(memcmp(q, q_now, (size_t)n * sizeof *q) == 0);
        const double *y = flx_run_outputs(r.run, NULL);
        CHECK(y[4] == 0.0); // F as the motion ended with it
        if (k % 2 == 0) CHECK(memcmp(before, y, sizeof before) == 0);
        CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.2) == FLX_OK);
        CHECK(flx_run_set_input(fresh.run, 0, 1, &u) == FLX_OK);
        CHECK(flx_run_advance(fresh.run, 0.2) == FLX_OK);
        y = flx_run_outputs(r.run, NULL);
        CHECK(memcmp(y, flx_run_outputs(fresh.run, NULL), OUTPUTS * sizeof *y) == 0);
        put_away(&r);
        put_away(&fresh);
    }
    return 0;
}

// A motion that has no value from t = 0.1 on.
static int inputs_leave_failed_motions_alone(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, 0]\ninputs: {F: 0}\n"
        "bodies: {a: {type: rigid, mass: 1, inertia: 0.1}}\n"
        "joints: {A: {type: prismatic, on: [ground, a], at: [0, 0], axis: [1, 0]}}\n"
        "forces: {f: {type: force, on: A, value: F + 1/(0.1 - t)^2}}\n"
        "simulate: {until: 1, method: dopri5, rtol: 1e-6}\noutputs: {signals: [A.rate]}\n";
    rig r;
    double u = 1.0;
    if (set_up(text, &r)) return 1;
    CHECK(flx_run_advance(r.run, 0.3) > FLX_OK);
    double t = flx_run_time(r.run);
    CHECK(flx_run_set_input(r.run, 0, 1, &u) == FLX_OK);
    CHECK(flx_run_time(r.run) == t && flx_run_advance(r.run, 0.3) > FLX_OK);
    CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.05) == FLX_OK);
    CHECK_NEAR(flx_run_get(r.run, 0), 0.05 + 10.0, 1e-4); // 1/(0.1 - t) - 10
    put_away(&r);
    return 0;
}

// ---- masses that vanish -------------------------------------------------------------------------------

#define PAIR(springs)                                                                              \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 1, n: 1}\n"                    \
    "bodies:\n"                                                                                    \
    "  a: {type: rigid, mass: n, inertia: 0.1*n, position: [0.5, 0]}\n"                            \
    "  b: {type: rigid, mass: m, inertia: 0.1*m, position: [1.5, 0]}\n"                            \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"                                         \
    "  B: {type: revolute, on: [a, b], at: [1, 0]}\n" springs "simulate: {until: 1, method: %s}\n" \
    "outputs: {signals: [b.position.x, b.position.y]}\n"

static int masses_that_vanish_are_told(void)
{
    static const char *const words[] = {"generalized-alpha, rtol: 1e-6, formulation: tree",
                                        "generalized-alpha, rtol: 1e-6, formulation: index-3",
                                        "radau, rtol: 1e-6, formulation: tree",
                                        "radau, rtol: 1e-6, formulation: ggl",
                                        "dopri5, rtol: 1e-6",
                                        "dopri5, rtol: 1e-6, formulation: tree"};
    static const char *const models[] = {
        PAIR(""), PAIR("forces: {s: {type: spring, on: [ground, b], at: [[1.5, 1], b], stiffness: "
                       "20, damping: 3, length: 0.4}}\n")};
    for (size_t k = 0; k < 12; k++) {
        char text[2000];
        rig r;
        snprintf(text, sizeof text, models[k / 6], words[k % 6]);
        if (set_up(text, &r)) return 1;
        int m = flx_system_parameter(r.system, "m", r.ctx);
        int n = flx_system_parameter(r.system, "n", r.ctx);
        CHECK(flx_run_set_parameter(r.run, m, 0.0) == FLX_OK);
        CHECK(flx_run_reset(r.run) == FLX_ERR_CANNOT);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "the acceleration of 'b'");
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "compile the model again");
        // what others move along needs no mass of its own
        CHECK(flx_run_set_parameter(r.run, m, 1.0) == FLX_OK);
        CHECK(flx_run_set_parameter(r.run, n, 0.0) == FLX_OK);
        CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.2) == FLX_OK);
        put_away(&r);
    }
    return 0;
}

// A body that nothing holds and nothing moves, in all coordinates.
static int free_bodies_without_mass_are_refused(void)
{
    static const char *const words[] = {
        "radau, rtol: 1e-6, formulation: tree", "radau, rtol: 1e-6, formulation: index-3",
        "radau, rtol: 1e-6, formulation: ggl", "generalized-alpha, rtol: 1e-6, formulation: ggl",
        "generalized-alpha, step: 1e-3"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        char text[1000];
        rig r = {.ctx = flx_ctx_create()};
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
                 "  a: {type: rigid, mass: 1, inertia: 0.1, position: [0.5, 0]}\n"
                 "  b: {type: rigid, mass: 0, inertia: 0.1, position: [1.5, 0]}\n"
                 "joints: {A: {type: revolute, on: [ground, a], at: [0, 0]}}\n"
                 "simulate: {until: 1, method: %s}\noutputs: {signals: [b.position.x]}\n",
                 words[k]);
        CHECK(flx_model_read_text(r.ctx, "text", text, strlen(text), 0, NULL, &r.model) == FLX_OK);
        CHECK(flx_system_compile(r.model, NULL, r.ctx, &r.system) != FLX_OK);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "'b'");
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "not determined");
        put_away(&r);
    }
    return 0;
}

// ---- starts that are made again ------------------------------------------------------------------------

static double find_off(const rig *a, const rig *b, flx_view what, double *size)
{
    int n;
    const double *x = flx_run_view(a->run, what, &n), *y = flx_run_view(b->run, what, NULL);
    double off = 0.0;
    for (int i = 0; i < n; i++) {
        off = fmax(off, fabs(x[i] - y[i]));
        *size = fmax(*size, fabs(y[i]));
    }
    return off;
}

static int starts_made_again_are_those_of_a_compile(void)
{
    static const struct {
        const char *example, *name, *text;
        double value;
    } cases[] = {{"slider_crank", "r", "r=0.1201", 0.1201},
                 {"four_bar", "L1", "L1=0.2003", 0.2003},
                 {"andrews_squeezer", "rr", "rr=0.00701", 0.00701},
                 {"spatial_crank", "l", "l=0.3004", 0.3004},
                 {"bicycle", "w", "w=1.021", 1.021},
                 {"joint_friction", "c", "c=0.41", 0.41},
                 {"elastic_crank", "speed", "speed=101", 101}};
    static const flx_view views[] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_A, FLX_VIEW_LAMBDA};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char path[400];
        rig again = {.ctx = flx_ctx_create()}, fresh = {.ctx = flx_ctx_create()};
        flx_read_def def = flx_read_def_default();
        snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", cases[k].example);
        if (rig_compile(&again, flx_model_read_by(again.ctx, path, &def, &again.model), true))
            return 1;
        def.nset = 1;
        def.settings = &cases[k].text;
        if (rig_compile(&fresh, flx_model_read_by(fresh.ctx, path, &def, &fresh.model), true))
            return 1;
        int i = flx_system_parameter(again.system, cases[k].name, again.ctx);
        CHECK(flx_run_set_parameter(again.run, i, cases[k].value) == FLX_OK);
        CHECK(flx_run_reset(again.run) == FLX_OK);
        double size = 1.0; // of accelerations and forces together: some are rounding
        for (int v = 0; v < 4; v++) {
            double off = find_off(&again, &fresh, views[v], &size);
            if (!(off <= 1e-12 * size)) printf("  %s, view %d\n", cases[k].example, v);
            CHECK_NEAR(off, 0.0, 1e-12 * size);
        }
        put_away(&again);
        put_away(&fresh);
    }
    return 0;
}

// ---- velocities that joints let change only together ---------------------------------------------------

static const char *const forms[] = {
    "dopri5, rtol: 1e-9, atol: 1e-11", "dopri5, rtol: 1e-9, atol: 1e-11, formulation: tree",
    "radau, rtol: 1e-9, atol: 1e-11, formulation: index-3",
    "radau, rtol: 1e-9, atol: 1e-11, formulation: ggl", "generalized-alpha, step: 1e-3"};

// A slope of 1:2; what hangs on the slider has a velocity of its own.
static int write_slope(const char *set, const char *method, char *text, size_t size)
{
    snprintf(text, size,
             "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
             "  a: {type: rigid, mass: 1.3, inertia: 0.1}\n"
             "  b: {type: rigid, mass: 0.4, inertia: 0.02, position: [0.1, -0.3]}\n"
             "joints:\n  A: {type: prismatic, on: [ground, a], at: [0, 0], axis: [1, 0.5]}\n"
             "  B: {type: revolute, on: [a, b], at: [0, 0]}\n"
             "events: {kick: {when: a.position.x < -0.3, set: {%s}}}\n"
             "simulate: {until: 0.7, method: %s}\n"
             "outputs: {signals: [a.velocity.x, a.velocity.y, b.angular_velocity, a.position.x]}\n",
             set, method);
    return 0;
}

static int velocities_on_a_slope_are_set(void)
{
    static const char *const sets[] = {"a.velocity.x: 1", "a.velocity.x: 1, a.velocity.y: 0.5",
                                       "a.velocity.y: 0.5",
                                       "a.velocity.y: 0.5, a.velocity.x: 1, a.angular_velocity: 0"};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        double end[4][4];
        for (int i = 0; i < 4; i++) {
            char text[2000];
            rig r;
            write_slope(sets[i], forms[k], text, sizeof text);
            if (set_up(text, &r)) return 1;
            flx_status status = flx_run_finish(r.run);
            if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r.ctx, 0)->text);
            CHECK(status == FLX_OK);
            memcpy(end[i], flx_run_outputs(r.run, NULL), sizeof end[i]);
            for (int j = 0; j < 4; j++) CHECK_NEAR(end[i][j], end[0][j], 1e-7);
            put_away(&r);
        }
    }
    return 0;
}

static int velocities_that_the_slope_forbids_are_refused(void)
{
    static const char *const sets[] = {"a.velocity.x: 1, a.velocity.y: 0.7",
                                       "a.velocity.x: 1, a.angular_velocity: 0.1"};
    for (size_t k = 0; k < sizeof forms / sizeof forms[0]; k++) {
        for (int i = 0; i < 2; i++) {
            char text[2000];
            rig r;
            write_slope(sets[i], forms[k], text, sizeof text);
            if (set_up(text, &r)) return 1;
            CHECK(flx_run_finish(r.run) > FLX_OK);
            CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "event 'kick'");
            CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "no impulse gives the velocities");
            put_away(&r);
        }
    }
    return 0;
}

// ---- rows after a reduction was given up ------------------------------------------------------------------

typedef struct rows {
    int n;
    double t[400];
} rows;

static int take_row(void *user, double t, int n, const double *outputs)
{
    rows *to = user;
    (void)n, (void)outputs;
    if (to->n < 400) to->t[to->n++] = t;
    return 0;
}

static int rows_stay_on_their_times(void)
{
    static const char *const words[] = {"radau, rtol: 1e-8, atol: 1e-10, largest_step: 0.02",
                                        "radau, step: 0.013", "generalized-alpha, step: 3e-3"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        char text[1000];
        rig r;
        rows seen = {0};
        snprintf(text, sizeof text,
                 "flexion: 1\nequations:\n  second_order:\n"
                 "    z: {at: 0.1, mass: 0.01, force: \"-50*z - (1 - t)*z' + y\"}\n"
                 "    y: {at: 1, mass: 1, force: \"-y - 0.1*y'\"}\n"
                 "reduce: {type: quasistatic, velocities: [z], otherwise: full}\n"
                 "simulate: {until: 1.5, method: %s}\noutputs: {every: 0.01, signals: [z, y]}\n",
                 words[k]);
        if (set_up(text, &r)) return 1;
        flx_run_destroy(&r.run);
        flx_run_def def = flx_run_def_default();
        def.row = take_row;
        def.user = &seen;
        CHECK(flx_run_create(r.system, &def, r.ctx, &r.run) == FLX_OK);
        CHECK(flx_run_finish(r.run) == FLX_OK);
        CHECK(flx_ctx_warning_count(r.ctx) > 0); // it was given up
        CHECK(seen.n == 151);
        for (int i = 0; i < seen.n; i++) CHECK_NEAR(seen.t[i], 0.01 * i, 1e-9);
        put_away(&r);
    }
    return 0;
}

// A light mass whose damper turns into a motor at t = 1: its inertia is neglected until a look shows that.
#define MOTOR                                                                                      \
    "flexion: 1\ninputs: {F: 0}\nequations:\n  second_order:\n"                                    \
    "    z: {at: 0.1, mass: 0.01, force: -50*z - (1 - t)*z' + y}\n"                                \
    "    y: {at: 1, mass: 1, force: \"%s - y - 0.1*y'\"}\n"                                        \
    "reduce: {type: quasistatic, neglect_inertia: [z], on_violation: full}\n"                      \
    "simulate: {until: %g, method: radau, rtol: 1e-8, atol: 1e-10, max_step: 0.02}\n"              \
    "outputs: {signals: [z, y]}\n"

// Looks are parts of the whole run: an end that the owner of a run gives is as one that the model gives.
static int ends_are_those_of_the_model(void)
{
    double z[2][2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        rig r;
        snprintf(text, sizeof text, MOTOR, "0", k == 0 ? 3.7 : 1.5);
        if (set_up(text, &r)) return 1;
        flx_run_def def = flx_run_def_default();
        def.until = 3.7;
        flx_run_destroy(&r.run);
        CHECK(flx_run_create(r.system, k == 0 ? NULL : &def, r.ctx, &r.run) == FLX_OK);
        CHECK(flx_run_advance(r.run, 1.3) == FLX_OK && flx_ctx_warning_count(r.ctx) == 1);
        CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "at t = 1.04"); // the eighth of 25 looks
        for (int i = 0; i < 2; i++) z[k][i] = flx_run_get(r.run, i);
        put_away(&r);
    }
    CHECK(z[0][0] == z[1][0] && z[0][1] == z[1][1]);
    return 0;
}

// What was set stays set where a reduced run goes on with the full system.
static int inputs_outlast_a_reduction(void)
{
    double y[2];
    for (int k = 0; k < 2; k++) {
        char text[1000];
        rig r;
        const double F = -3.0;
        snprintf(text, sizeof text, MOTOR, k == 0 ? "F" : "if(t < 0.5, 0, -3)", 2.0);
        if (set_up(text, &r)) return 1;
        CHECK(flx_run_advance(r.run, 0.5) == FLX_OK);
        CHECK(flx_run_set_input(r.run, 0, 1, &F) == FLX_OK);
        CHECK(flx_run_advance(r.run, 1.5) == FLX_OK && flx_ctx_warning_count(r.ctx) == 1);
        y[k] = flx_run_get(r.run, 1);
        put_away(&r);
    }
    CHECK_NEAR(y[0], y[1], 1e-6);
    return 0;
}

// A run whose end nobody gives looks as well.
static int runs_without_an_end_look(void)
{
    char text[1000];
    rig r;
    snprintf(text, sizeof text, MOTOR, "0", 1.0);
    char *begin = strstr(text, "simulate:"), *end = begin ? strchr(begin, '\n') : NULL;
    CHECK(end != NULL);
    memmove(begin, end + 1, strlen(end)); // no `simulate` at all
    if (set_up(text, &r)) return 1;
    CHECK(flx_run_advance(r.run, 0.9) == FLX_OK && flx_ctx_warning_count(r.ctx) == 0);
    CHECK(flx_run_advance(r.run, 3.0) == FLX_OK && flx_ctx_warning_count(r.ctx) == 1);
    CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "goes on with the full system");
    put_away(&r);
    return 0;
}

// y' = y^2 has no value from t = 1 on: steps of explicit methods grow beyond all numbers, and the run ends there, with what was before.
static int explicit_runs_end_where_numbers_do(void)
{
    static const char *const explicits[] = {"rk4, step: 0.02", "dopri5, step: 0.02",
                                            "dop853, step: 0.02"};
    for (size_t k = 0; k < sizeof explicits / sizeof explicits[0]; k++) {
        char text[300];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\nequations: {first_order: {y: {at: 1, derivative: y^2}}}\n"
                 "simulate: {until: 3, method: %s}\noutputs: {signals: [y]}\n",
                 explicits[k]);
        if (set_up(text, &r)) return 1;
        CHECK(flx_run_advance(r.run, 3.0) == FLX_NOT_FINITE);
        CHECK(flx_run_time(r.run) > 0.9 && flx_run_time(r.run) < 1.5);
        CHECK(isfinite(flx_run_get(r.run, 0)) && flx_run_get(r.run, 0) > 10.0);
        const flx_message *m = flx_ctx_error(flx_run_messages(r.run), 0);
        CHECK(m);
        CHECK_TEXT(m->text, "a value is not finite");
        flx_ctx_clear_messages(r.ctx);
        put_away(&r);
    }
    return 0;
}

TEST_MAIN(TEST(explicit_runs_end_where_numbers_do), TEST(ends_are_those_of_the_model),
          TEST(inputs_outlast_a_reduction), TEST(runs_without_an_end_look),
          TEST(shortest_ways_lead_where_long_ones_do), TEST(ways_after_a_state_was_set),
          TEST(events_on_short_ways_happen), TEST(inputs_leave_ended_motions_alone),
          TEST(inputs_leave_failed_motions_alone), TEST(masses_that_vanish_are_told),
          TEST(free_bodies_without_mass_are_refused),
          TEST(starts_made_again_are_those_of_a_compile), TEST(velocities_on_a_slope_are_set),
          TEST(velocities_that_the_slope_forbids_are_refused), TEST(rows_stay_on_their_times))
