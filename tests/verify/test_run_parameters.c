// test_run_parameters.c - parameters that are set in a run of a compiled system, against models that are read with them.
#include "flexion/extend/method_table.h"
#include "run_rig.h"

#include <stdlib.h>

// open: all parameters; else with the settings.
static int set_up(const char *example, bool open, int nset, const char *const *settings, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", example);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    if (!open) def.nopen = 0;
    def.nset = nset;
    def.settings = settings;
    return rig_compile(r, flx_model_read_by(r->ctx, path, &def, &r->model), true);
}

static int set(rig *r, const char *name, double value)
{
    int i = flx_system_parameter(r->system, name, r->ctx);
    flx_status status = i < 0 ? FLX_ERR_ARGUMENT : flx_run_set_parameter(r->run, i, value);
    if (status != FLX_OK) printf("  %s: %s\n", name, flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK);
    double now;
    CHECK(flx_run_get_parameter(r->run, i, &now) == FLX_OK && now == value);
    return 0;
}

static int compare(const char *what, rig *a, rig *b, double until, double tolerance)
{
    int n;
    CHECK(flx_run_advance(a->run, until) == FLX_OK && flx_run_advance(b->run, until) == FLX_OK);
    CHECK(flx_run_outputs(a->run, &n) && flx_run_outputs(b->run, NULL) && n > 0);
    const double *x = flx_run_outputs(a->run, NULL), *y = flx_run_outputs(b->run, NULL);
    for (int i = 0; i < n; i++) {
        double size = fmax(1.0, fabs(y[i]));
        if (!(fabs(x[i] - y[i]) <= tolerance * size)) printf("  %s, output %d\n", what, i);
        CHECK_NEAR(x[i], y[i], tolerance * size);
    }
    const flx_ledger *l = flx_run_ledger(a->run);
    CHECK(l->balanced);
    for (int i = 0; i < l->nmetric; i++) {
        double want = flx_run_ledger(b->run)->metrics[i];
        CHECK_NEAR(l->metrics[i], want, tolerance * fmax(1.0, fabs(want)));
    }
    return 0;
}

typedef struct setting {
    const char *example, *name, *text;
    double value, until;
} setting;

static int as_if_read_with_them(void)
{
    static const setting settings[] = {{"pendulum", "m", "m=2.5", 2.5, 1.0},
                                       {"pendulum", "L", "L=0.7", 0.7, 1.0},
                                       {"double_pendulum", "L", "L=0.8", 0.8, 0.8},
                                       {"double_pendulum", "m", "m=3", 3.0, 0.8},
                                       {"slider_crank", "stall", "stall=5", 5.0, 0.5},
                                       {"slider_crank", "idle", "idle=30", 30.0, 0.5},
                                       {"slider_crank", "r", "r=0.12", 0.12, 0.3},
                                       {"sampled_control", "kp", "kp=28", 28.0, 0.5},
                                       {"joint_friction", "c", "c=0.4", 0.4, 0.5},
                                       {"joint_friction", "v0", "v0=3", 3.0, 0.5},
                                       {"kicking_leg", "k", "k=500", 500.0, 0.5},
                                       {"kicking_leg", "a", "a=0", 0.0, 0.5},
                                       {"stick_slip", "kinetic", "kinetic=0.25", 0.25, 1.2},
                                       {"stick_slip", "most", "most=0.35", 0.35, 1.2},
                                       {"kicking_leg", "straight", "straight=-0.2", -0.2, 0.5},
                                       {"thrown_ball", "k", "k=3e6", 3e6, 0.5},
                                       {"thrown_ball", "e", "e=0.4", 0.4, 0.5},
                                       {"thrown_ball", "f", "f=0.3", 0.3, 0.5}};
    for (size_t k = 0; k < sizeof settings / sizeof settings[0]; k++) {
        const setting *s = settings + k;
        rig open, read;
        if (set_up(s->example, true, 0, NULL, &open)) return 1;
        if (set_up(s->example, false, 1, &s->text, &read)) return 1;
        CHECK(flx_run_advance(open.run, 0.5 * s->until) == FLX_OK); // something else, before
        if (set(&open, s->name, s->value)) return 1;
        flx_status status = flx_run_reset(open.run);
        if (status != FLX_OK) printf("  %s: %s\n", s->text, flx_ctx_error(open.ctx, 0)->text);
        CHECK(status == FLX_OK && flx_run_time(open.run) == 0.0);
        if (compare(s->text, &open, &read, s->until, 1e-6)) return 1;
        put_away(&open);
        put_away(&read);
    }
    return 0;
}

// ---- damping that is zero when the model is compiled ------------------------------------------------

#define TWO_BODIES                                                                                 \
    "flexion: 1\ndimension: 2\nparameters: {c: 0}\nbodies:\n"                                      \
    "  a: {type: rigid, mass: 1, inertia: 0.1, position: [1, 0]}\n"                                \
    "  b: {type: rigid, mass: 1, inertia: 0.1, position: [2, 0.3], velocity: [3, 1]}\n"            \
    "joints: {pin: {type: revolute, on: [ground, a], at: [0, 0]}}\nforces:\n  s: "
#define LINE "{type: spring, on: [a, b], at: [a, b], stiffness: 100, damping: c, length: 0.8"
#define BUSHING                                                                                    \
    "{type: bushing, on: [a, b], at: [1.5, 0.1], stiffness: [90, 100, 10], damping: [c, 2*c, c]"
#define TIGHT "simulate: {until: 1, method: radau, rtol: 1e-8, atol: 1e-10}\n"

static int set_up_text(const char *text, bool open, const char *with, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    if (!open) def.nopen = 0;
    if (!open) def.nset = 1;
    def.settings = &with;
    return rig_compile(r, flx_model_read_by(r->ctx, "damped.yaml", &def, &r->model), true);
}

// Its places in the matrices are there, and its losses are in the account: as if it had been read with them.
static int damping_from_zero(void)
{
    static const char *const texts[] = {
        TWO_BODIES LINE "}\n" TIGHT, TWO_BODIES LINE ", form: mixed}\n" TIGHT,
        TWO_BODIES BUSHING "}\n" TIGHT, TWO_BODIES BUSHING ", form: mixed}\n" TIGHT,
        TWO_BODIES LINE "}\nsimulate: {until: 1, method: generalized-alpha, step: 2e-4}\n"};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        rig open, read;
        if (set_up_text(texts[k], true, NULL, &open)) return 1;
        if (set_up_text(texts[k], false, "c=40", &read)) return 1;
        if (set(&open, "c", 40.0)) return 1;
        CHECK(flx_run_reset(open.run) == FLX_OK);
        CHECK(flx_run_finish(open.run) == FLX_OK && flx_run_finish(read.run) == FLX_OK);
        const flx_ledger *a = flx_run_ledger(open.run), *b = flx_run_ledger(read.run);
        printf("  %zu: dissipated %g, %g; iterations %ld, %ld\n", k, a->dissipated, b->dissipated,
               a->work.newton_iterations, b->work.newton_iterations);
        CHECK(a->balanced && b->balanced && b->dissipated > 0.1);
        CHECK_NEAR(a->dissipated, b->dissipated, 1e-6 * b->dissipated);
        CHECK(20 * a->work.newton_iterations <= 21 * b->work.newton_iterations);
        put_away(&open);
        put_away(&read);
    }
    return 0;
}

// What the reader refuses is refused by a reset, too.
static int lengths_of_springs(void)
{
    static const char *const texts[] = {
        "flexion: 1\ndimension: 2\nparameters: {rest: 0.5}\n"
        "bodies: {a: {type: point, mass: 1, position: [1, 0]}}\nforces:\n"
        "  s: {type: spring, on: [ground, a], at: [[0, 0], a], stiffness: 9, length: rest}\n"
        "simulate: {until: 1}\n",
        "flexion: 1\ndimension: 2\nparameters: {rest: 0.5}\n"
        "bodies: {a: {type: point, mass: 1, position: [1, 0]}}\nforces:\n"
        "  s: {type: spring, on: [ground, a], at: [[0, 0], a], stiffness: 9, length: rest, "
        "form: mixed}\nsimulate: {until: 1}\n"};
    for (size_t k = 0; k < 2; k++) {
        rig r;
        if (set_up_text(texts[k], true, NULL, &r)) return 1;
        if (set(&r, "rest", k == 0 ? -0.2 : 0.0)) return 1;
        CHECK(flx_run_reset(r.run) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "length of spring 's'");
        if (set(&r, "rest", 0.3)) return 1;
        CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.1) == FLX_OK);
        put_away(&r);
    }
    return 0;
}

// Numbers that stand in expressions alone.
static int limits_of_expressions(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
        "parameters: {mu: 0.1, c: 0.2, rub: 0.02, slow: 0.01, most: 2}\n"
        "inputs: {u: {value: 0.5, lower: 0, upper: most}}\n"
        "bodies: {a: {type: rigid, mass: 1, inertia: 0.1, position: [0.3, 0]}}\n"
        "joints:\n"
        "  pin: {type: revolute, on: [ground, a], at: [0, 0],\n"
        "    friction: {coefficient: mu, viscous: c, radius: rub, velocity: slow}}\n"
        "forces: {motor: {type: torque, on: pin, value: u}}\nsimulate: {until: 1}\n";
    static const struct {
        const char *name;
        double good, bad;
        const char *told;
    } all[] = {{"mu", 0.0, -0.1, "coefficient of the friction of 'pin' is -0.1"},
               {"c", 0.0, -1.0, "viscous part of the friction of 'pin' is -1"},
               {"rub", 0.03, 0.0, "radius of the friction of 'pin' is 0"},
               {"slow", 0.02, 0.0, "velocity of the friction of 'pin' is 0"},
               {"most", 0.0, -0.5, "room between the bounds of 'u' is -0.5"}};
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        rig r;
        if (set_up_text(text, true, NULL, &r)) return 1;
        if (set(&r, all[k].name, all[k].bad)) return 1;
        CHECK(flx_run_reset(r.run) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, all[k].told);
        if (set(&r, all[k].name, all[k].good)) return 1;
        CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.1) == FLX_OK);
        put_away(&r);
    }
    return 0;
}

// The full system that goes on has the parameters of the run.
static int back_to_the_full_system(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {eps: 0.01, a: 0.3, b: 0.5, late: 0.3, k: 3}\nequations:\n"
        "  second_order:\n"
        "    z: {at: 0.1, mass: eps, force: -50*z - (1 - t)*z' + y}\n"
        "    y: {at: 1, mass: 1, force: \"if(y > late, -y, -k*y) - 0.1*y'\"}\n"
        "    u: {at: 0, mass: 1, force: 0}\n"
        "  constraints: {tie: {value: u - a*(y - 1) - b*(y^3 - 1)}}\n"
        "reduce: {type: quasistatic, neglect_inertia: [z], on_violation: full}\n"
        "simulate: {until: 1.5, method: radau, rtol: 1e-8, atol: 1e-10, max_step: 0.02}\n"
        "outputs: {every: 0.1, signals: [z, y, u]}\n";
    rig open, read;
    if (set_up_text(text, true, NULL, &open)) return 1;
    if (set_up_text(text, false, "late=0.8", &read)) return 1;
    if (set(&open, "late", 0.8)) return 1;
    CHECK(flx_run_reset(open.run) == FLX_OK);
    if (compare("full again", &open, &read, 1.5, 1e-6)) return 1;
    put_away(&open);
    put_away(&read);
    return 0;
}

// ---- runs -----------------------------------------------------------------------------------------

// Two runs of one system with other parameters each, and a saved one with its own.
static int runs_have_their_own(void)
{
    rig r, with, without;
    static unsigned char bytes[400000];
    const char *text = "m=2";
    flx_run *other = NULL;
    if (set_up("double_pendulum", true, 0, NULL, &r)) return 1;
    if (set_up("double_pendulum", false, 1, &text, &with)) return 1;
    if (set_up("double_pendulum", false, 0, NULL, &without)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &other) == FLX_OK);
    if (set(&r, "m", 2.0)) return 1;
    CHECK(flx_run_reset(r.run) == FLX_OK);
    CHECK(flx_run_advance(r.run, 0.3) == FLX_OK && flx_run_advance(other, 0.3) == FLX_OK);
    size_t n = flx_run_save(r.run, bytes, sizeof bytes);
    CHECK(n <= sizeof bytes);
    if (compare("with m=2", &r, &with, 0.6, 1e-7)) return 1;
    double there = flx_run_view(r.run, FLX_VIEW_Q, NULL)[0];
    // into the run that has the model's own
    CHECK(flx_run_restore(other, bytes, n) == FLX_OK && flx_run_advance(other, 0.6) == FLX_OK);
    CHECK(flx_run_view(other, FLX_VIEW_Q, NULL)[0] == there);
    double m;
    CHECK(flx_run_get_parameter(other, flx_system_parameter(r.system, "m", r.ctx), &m) == FLX_OK);
    CHECK(m == 2.0);
    flx_run_destroy(&other);
    CHECK(flx_run_clone(r.run, r.ctx, &other) == FLX_OK);
    CHECK(flx_run_advance(r.run, 0.9) == FLX_OK && flx_run_advance(other, 0.9) == FLX_OK);
    CHECK(flx_run_view(other, FLX_VIEW_Q, NULL)[0] == flx_run_view(r.run, FLX_VIEW_Q, NULL)[0]);
    flx_run_destroy(&other);
    if (set(&r, "m", 1.0)) return 1;
    CHECK(flx_run_reset(r.run) == FLX_OK);
    if (compare("back", &r, &without, 0.5, 1e-7)) return 1;
    put_away(&r);
    put_away(&with);
    put_away(&without);
    return 0;
}

static int refusals(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {n: 3, m: 1}\n"
        "bodies:\n  link: {repeat: {i: [1, n]}, type: point, mass: m, position: [i, 0]}\n"
        "simulate: {until: 1}\n";
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    flx_port_info info;
    def.text = text;
    def.length = strlen(text);
    flx_status status = flx_model_read_by(r.ctx, "chain.yaml", &def, &r.model);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r.ctx, 0)->text);
    CHECK(status == FLX_OK);
    CHECK(flx_system_compile(r.model, NULL, r.ctx, &r.system) == FLX_OK);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &r.run) == FLX_OK);
    int n = flx_system_parameter(r.system, "n", r.ctx),
        m = flx_system_parameter(r.system, "m", r.ctx);
    CHECK(n >= 0 && m >= 0);
    CHECK(flx_system_describe(r.system, FLX_PORT_PARAMETER, n, &info) && !info.tunable);
    CHECK(flx_system_describe(r.system, FLX_PORT_PARAMETER, m, &info) && info.tunable);
    CHECK(info.value == 1.0);
    CHECK(flx_run_set_parameter(r.run, n, 4.0) == FLX_ERR_CANNOT);
    const flx_message *e = flx_ctx_error(r.ctx, 0);
    CHECK_TEXT(e->text, "'n' is structural");
    CHECK(e->loc.line > 0);
    CHECK(flx_run_set_parameter(r.run, m, (double)NAN) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_set_parameter(r.run, 99, 1.0) == FLX_ERR_ARGUMENT);
    // a mass that cannot be is refused by the reset; then the run goes on after a good one
    CHECK(flx_run_set_parameter(r.run, m, -1.0) == FLX_OK && flx_run_reset(r.run) != FLX_OK);
    CHECK(flx_run_advance(r.run, 0.1) != FLX_OK);
    CHECK(flx_run_set_parameter(r.run, m, 2.0) == FLX_OK && flx_run_reset(r.run) == FLX_OK);
    CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
    put_away(&r);
    return 0;
}

// What a model with these numbers would be refused for is refused when they are set.
static int what_no_model_may_have(void)
{
    static const char text[] =
        "flexion: 1\n"
        "parameters: {e: 0.5, mu: 0.2, ms: 0.3, low: -1, n: 1.5, r: 0.4, R: 0.1, k: 1e3, a: 0.1}\n"
        "gravity: [0, 0, -9.81]\n"
        "bodies:\n"
        "  floor: {type: rigid, mass: 1, inertia: [1, 1, 1], surface: {plane: [0, 0, 1]}}\n"
        "  ball: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [0, 0, 2], surface: {sphere: "
        "0.1}}\n"
        "  arm: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], position: [3, 0, 0], "
        "shape: {sphere: R}}\n"
        "  leg: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [1, 1, 1], position: [6, 0, 0]}\n"
        "joints:\n"
        "  base: {type: fixed, on: [ground, floor], at: [0, 0, 0]}\n"
        "  hip: {type: revolute, on: [ground, arm], at: [3, 0, 0], axis: [0, 1, 0],"
        " limits: {lower: low, upper: 1, stiffness: 1e4, exponent: n},"
        " friction: {coefficient: mu, static: ms, radius: 0.1, stick: true}}\n"
        "  knee: {type: revolute, on: [ground, leg], at: [6, 0, 0], axis: [0, 1, 0],"
        " limits: {upper: 1, restitution: r}}\n"
        "forces:\n"
        "  belt: {type: cable, through: [[0, 3, 0], [0, 1, 3], ball], stiffness: k, damping: a}\n"
        "  hit: {type: contact, on: [floor, ball], law: restitution, restitution: e}\n"
        "simulate: {until: 1, method: radau}\n"
        "outputs: {signals: [energy]}\n";
    static const struct {
        const char *name;
        double good, wrong;
        const char *why;
    } numbers[] = {{"e", 0.7, 1.1, "it must lie between 0 and 1"},
                   {"r", 1.0, -0.1, "it must lie between 0 and 1"},
                   {"mu", 0.2, 0.31, "the static friction of 'hip' is 0.3, less than"},
                   {"ms", 0.2, 0.19, "the static friction of 'hip' is 0.19, less than"},
                   {"low", -0.5, 1.0, "the lower one must be less than the upper one"},
                   {"n", 1.0, 0.9, "it must be 1 or more"},
                   {"R", 0.2, 0.0, "the radius is 0; it must be positive"},
                   {"k", 0.0, -1.0, "the stiffness of 'belt' is -1; it must not be negative"},
                   {"a", 0.0, -1.0, "the damping of 'belt' is -1; it must not be negative"}};
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    CHECK(rig_compile(&r, flx_model_read_by(r.ctx, "limits.yaml", &def, &r.model), true) == 0);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        CHECK(set(&r, numbers[i].name, numbers[i].wrong) == 0);
        CHECK(flx_run_reset(r.run) == FLX_ERR_MODEL);
        const flx_message *e = flx_ctx_error(flx_run_messages(r.run), 0);
        CHECK_TEXT(e->text, numbers[i].why);
        CHECK(e->loc.line > 0);
        flx_ctx_clear_messages(flx_run_messages(r.run));
        CHECK(set(&r, numbers[i].name, numbers[i].good) == 0);
        flx_status status = flx_run_reset(r.run);
        if (status != FLX_OK) printf("  %s: %s\n", numbers[i].name, flx_ctx_error(r.ctx, 0)->text);
        CHECK(status == FLX_OK);
    }
    put_away(&r);
    return 0;
}

// What a reduction has found with the parameters follows no others: they are structural there, and said to be.
static int parameters_of_frozen_reductions(void)
{
    rig r = {.ctx = flx_ctx_create()};
    CHECK(rig_compile(
              &r, flx_model_read_by(r.ctx, FLX_EXAMPLES "/condensed_chain.yaml", NULL, &r.model),
              true) == 0);
    int k = flx_system_parameter(r.system, "k", r.ctx);
    flx_port_info info;
    CHECK(flx_system_describe(r.system, FLX_PORT_PARAMETER, k, &info) && !info.tunable);
    CHECK(info.value == 1000.0);
    double now;
    CHECK(flx_run_get_parameter(r.run, k, &now) == FLX_OK && now == 1000.0);
    CHECK(flx_run_set_parameter(r.run, k, 900.0) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(flx_run_messages(r.run), 0)->text,
               "parameter 'k' is structural here: what a static condensation makes follow");
    CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.1) == FLX_OK);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(as_if_read_with_them), TEST(damping_from_zero), TEST(lengths_of_springs),
          TEST(limits_of_expressions), TEST(back_to_the_full_system), TEST(runs_have_their_own),
          TEST(refusals), TEST(what_no_model_may_have), TEST(parameters_of_frozen_reductions))
