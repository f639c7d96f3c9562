// test_run_history.c - what a run did before leaves nothing behind: reset to parameters and inputs of its start it is a run
// that is new, bit for bit, restored it is the one that was saved, wherever it has been, and looks change nothing.
#include "run_rig.h"

#include <stdlib.h>

#define STEPS 8

// With dissipation, events, modes as signals, places by expressions, neglected inertia, contacts.
static const char *const examples[] = {
    "damped_pendulum",   "bicycle",
    "spatial_crank",     "joint_friction",
    "four_bar_flexible", "fall",
    "woodpecker",        "slider_crank",
    "thrown_ball",       "sampled_control",
    "curved_cantilever", "elastic_crank",
    "axial_beam",        "mass_spring_damper",
};

static int set_up(const char *example, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", example);
    *r = (rig){.ctx = flx_ctx_create()};
    return rig_compile(r, flx_model_read_by(r->ctx, path, NULL, &r->model), true);
}

static bool is_same(const char *what, int n, const double *x, const double *y)
{
    for (int i = 0; i < n; i++) {
        if (memcmp(x + i, y + i, sizeof *x) == 0 || (isnan(x[i]) && isnan(y[i]))) continue;
        printf("  %s %d: %.17g and %.17g\n", what, i, x[i], y[i]);
        return false;
    }
    return true;
}

static bool are_alike(flx_run *a, flx_run *b)
{
    int n;
    double t[2] = {flx_run_time(a), flx_run_time(b)};
    bool same = is_same("time", 1, t, t + 1);
    for (int view = FLX_VIEW_Q; view <= FLX_VIEW_MU && same; view++) {
        const double *x = flx_run_view(a, (flx_view)view, &n);
        same = is_same("unknown", n, x, flx_run_view(b, (flx_view)view, &n));
    }
    const double *x = flx_run_outputs(a, &n), *y = flx_run_outputs(b, &n);
    return same && x && y && is_same("output", n, x, y);
}

// Now and at the end of some steps.
static bool go_alike(flx_run *a, flx_run *b)
{
    for (int k = 0; k < STEPS; k++) {
        if (!are_alike(a, b)) return false;
        if (flx_run_step(a, 0.0, NULL) != flx_run_step(b, 0.0, NULL)) return false;
    }
    return are_alike(a, b);
}

static int steps(flx_run *run, int n)
{
    for (int k = 0; k < n; k++) CHECK(flx_run_step(run, 0.0, NULL) == FLX_OK);
    return 0;
}

// All parameters that can be set by this factor, and a reset.
static int tune(rig *r, double factor)
{
    flx_port_info p;
    for (int i = 0; flx_system_describe(r->system, FLX_PORT_PARAMETER, i, &p); i++) {
        double now;
        flx_status status = flx_run_get_parameter(r->run, i, &now);
        if (p.tunable) CHECK(status == FLX_OK);
        if (!p.tunable && status == FLX_OK) CHECK(now == p.value || isnan(p.value)); // structural
        if (!p.tunable || isnan(p.value)) continue;
        CHECK(flx_run_set_parameter(r->run, i, factor * p.value) == FLX_OK);
    }
    flx_status status = flx_run_reset(r->run);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

// The positions a little beside, made consistent.
static int push(flx_run *run)
{
    int n;
    const double *q = flx_run_view(run, FLX_VIEW_Q, &n);
    double *beside = malloc((size_t)n * sizeof *beside);
    for (int i = 0; i < n; i++) beside[i] = q[i] + 1e-4 * sin(i + 1.0);
    flx_status status = flx_run_set_state(run, beside, NULL, NULL, NULL);
    free(beside);
    CHECK(status == FLX_OK);
    return 0;
}

static unsigned char *save(const flx_run *run, size_t *size)
{
    *size = flx_run_save(run, NULL, 0);
    unsigned char *bytes = malloc(*size);
    if (bytes) flx_run_save(run, bytes, *size);
    return bytes;
}

static int of_example(const char *example)
{
    rig r;
    flx_run *other = NULL;
    size_t size;
    if (set_up(example, &r)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &other) == FLX_OK);
    CHECK(!steps(r.run, 3) && !steps(other, 3) && are_alike(r.run, other));
    unsigned char *bytes = save(r.run, &size);
    CHECK(bytes != NULL);
    // elsewhere: other parameters, another state
    CHECK(!tune(&r, 1.01) && !steps(r.run, 2) && !push(r.run) && !steps(r.run, 2));
    // a copy of it goes on like it
    flx_run_destroy(&other);
    CHECK(flx_run_clone(r.run, r.ctx, &other) == FLX_OK && go_alike(r.run, other));
    // back, in it and in one that is new
    CHECK(flx_run_restore(r.run, bytes, size) == FLX_OK);
    flx_run_destroy(&other);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &other) == FLX_OK && !steps(other, 3));
    CHECK(go_alike(r.run, other));
    // the start again, from another state with other parameters
    CHECK(!tune(&r, 1.01) && !steps(r.run, 2) && !push(r.run) && !tune(&r, 1.0));
    flx_run_destroy(&other);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &other) == FLX_OK && are_alike(r.run, other));
    CHECK(go_alike(r.run, other));
    free(bytes);
    flx_run_destroy(&other);
    put_away(&r);
    return 0;
}

static int history_leaves_nothing(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        if (!of_example(examples[i])) continue;
        printf("  %s\n", examples[i]);
        return 1;
    }
    return 0;
}

// Outputs, pictures and accounts that are asked for on the way change nothing.
static int looks_change_nothing(void)
{
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        rig r;
        flx_run *other = NULL;
        int n;
        if (set_up(examples[i], &r)) return 1;
        CHECK(flx_run_create(r.system, NULL, r.ctx, &other) == FLX_OK);
        for (int k = 0; k < STEPS; k++) {
            CHECK(flx_run_outputs(other, &n) && flx_run_ledger(other));
            (void)flx_run_motion(other, &n);
            CHECK(!steps(r.run, 1) && !steps(other, 1));
        }
        if (!are_alike(r.run, other)) {
            printf("  %s\n", examples[i]);
            return 1;
        }
        flx_run_destroy(&other);
        put_away(&r);
    }
    return 0;
}

// What was dissipated belongs to the motion that did it.
static int dissipation_begins_anew(void)
{
    rig r;
    if (set_up("damped_pendulum", &r)) return 1;
    int dissipated = flx_system_output(r.system, "energy.dissipated", r.ctx);
    CHECK(dissipated >= 0 && flx_run_advance(r.run, 0.5) == FLX_OK);
    CHECK(flx_run_get(r.run, dissipated) > 1.0);
    CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_get(r.run, dissipated) == 0.0);
    CHECK(flx_run_advance(r.run, 0.5) == FLX_OK && flx_run_get(r.run, dissipated) > 1.0);
    CHECK(!push(r.run) && flx_run_get(r.run, dissipated) == 0.0);
    put_away(&r);
    return 0;
}

// What is an expression of others cannot be set, nor read: it is another number when those have changed.
static int expressions_of_parameters_are_refused(void)
{
    static const char text[] = "flexion: 1\ndimension: 2\nparameters: {a: 2, b: 3*a, n: 2}\n"
                               "bodies: {p: {repeat: {i: [1, n]}, type: point, mass: b}}\n"
                               "simulate: {until: 1}\n";
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    double value = 0.0;
    def.text = text;
    def.length = strlen(text);
    if (rig_compile(&r, flx_model_read_by(r.ctx, "points", &def, &r.model), true)) return 1;
    int a = flx_system_parameter(r.system, "a", r.ctx),
        b = flx_system_parameter(r.system, "b", r.ctx);
    int n = flx_system_parameter(r.system, "n", r.ctx);
    CHECK(a >= 0 && b >= 0 && n >= 0);
    CHECK(flx_run_get_parameter(r.run, n, &value) == FLX_OK && value == 2.0);
    CHECK(flx_run_set_parameter(r.run, b, 5.0) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "'b' is an expression of others");
    CHECK(flx_run_get_parameter(r.run, b, &value) == FLX_ERR_CANNOT && value == 2.0);
    CHECK(flx_run_get_parameter(r.run, 99, &value) == FLX_ERR_ARGUMENT);
    put_away(&r);
    return 0;
}

// What contacts take that are met step by step is told to whoever steps the run, too: a box slides to rest.
static int what_contacts_take_is_told(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nbodies:\n"
        "  box: {type: rigid, mass: 2, inertia: 0.1, position: [0, 0.1], velocity: [1.5, 0],"
        " surface: {box: [0.6, 0.2]}}\n"
        "forces: {floor: {type: contact, on: [ground, box], "
        "law: restitution, friction: 0.4}}\n"
        "simulate: {until: 1, method: moreau, step: 1e-3}\n"
        "outputs: {signals: [energy.dissipated]}\n";
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    flx_run *other = NULL;
    def.text = text;
    def.length = strlen(text);
    if (rig_compile(&r, flx_model_read_by(r.ctx, "box", &def, &r.model), true)) return 1;
    CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
    double rate = 1.5 - 0.1 * 0.4 * 9.81, half = 1.5 * 1.5 - rate * rate;
    CHECK_REL(flx_run_get(r.run, 0), half, 1e-9);
    CHECK(flx_run_clone(r.run, r.ctx, &other) == FLX_OK);
    CHECK(flx_run_get(other, 0) == flx_run_get(r.run, 0));
    CHECK(flx_run_advance(other, 0.6) == FLX_OK && flx_run_advance(r.run, 0.6) == FLX_OK);
    CHECK_REL(flx_run_get(r.run, 0), 1.5 * 1.5, 1e-9);
    CHECK(flx_run_get(other, 0) == flx_run_get(r.run, 0));
    CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_get(r.run, 0) == 0.0);
    flx_run_destroy(&other);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(expressions_of_parameters_are_refused), TEST(history_leaves_nothing),
          TEST(looks_change_nothing), TEST(dissipation_begins_anew),
          TEST(what_contacts_take_is_told))
