// test_run_inputs.c - inputs that are set while a run lasts, against the same motion with the inputs as functions of the
// time; what follows at once; what is refused.
#include "run_rig.h"

#include <stdlib.h>

#define CART                                                                                       \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies:\n"                                                                                    \
    "  cart: {type: rigid, mass: 2, inertia: 0.1}\n"                                               \
    "  rod: {type: rigid, mass: 0.3, inertia: 0.01, position: [0.1, -0.5], com: [0.02, -0.03]}\n"  \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n"                    \
    "  pin: {type: revolute, on: [cart, rod], at: [0, 0], initial: {angle: 0.4}}\n"
#define SIGNALS                                                                                    \
    "outputs: {signals: [rail.displacement, rail.rate, pin.angle, cart.acceleration.x, "           \
    "pin.reaction.x, energy.total]}\n"

static int set_up(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    return rig_compile(
        r, flx_model_read_text(r->ctx, "text", text, strlen(text), 0, NULL, &r->model), true);
}

static const struct {
    const char *words;
    double tolerance;
} methods[] = {{"radau, rtol: 1e-9, atol: 1e-11", 1e-7},
               {"dopri5, rtol: 1e-9, atol: 1e-11", 1e-7},
               {"dop853, rtol: 1e-9, atol: 1e-11", 1e-7},
               {"dopri5, rtol: 1e-9, atol: 1e-11, formulation: tree", 1e-7},
               {"radau, rtol: 1e-9, atol: 1e-11, formulation: index-3", 1e-6},
               {"bdf, rtol: 1e-9, atol: 1e-11", 2e-6},
               {"adams, rtol: 1e-9, atol: 1e-11", 2e-6},
               {"generalized-alpha, rtol: 1e-7, atol: 1e-9", 1e-5},
               {"generalized-alpha, step: 1e-3", 1e-5},
               {"hht, step: 1e-3", 1e-4},
               {"gauss, step: 1e-2, formulation: tree", 1e-7},
               {"variational, step: 1e-3", 1e-4},
               {"galerkin, step: 1e-2", 1e-6},
               {"energy-momentum, step: 1e-3", 1e-5}};

// A force that jumps where the run is, held, then with a slope, then with a curvature.
static int jumps_are_those_of_a_function(void)
{
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        char text[4096];
        rig by, of;
        snprintf(text, sizeof text,
                 CART "inputs: {F: {value: 1}}\n"
                      "forces: {push: {type: force, on: rail, value: F}}\n"
                      "simulate: {until: 1, method: %s}\n" SIGNALS,
                 methods[k].words);
        if (set_up(text, &by)) return 1;
        snprintf(text, sizeof text,
                 CART
                 "forces: {push: {type: force, on: rail, value: \"if(t < 0.3, 1, if(t < 0.6, -4 "
                 "+ 3*(t - 0.3), if(t < 0.8, 2 - (t - 0.6) + 5*(t - 0.6)^2, 0.5)))\"}}\n"
                 "simulate: {until: 1, method: %s}\n" SIGNALS,
                 methods[k].words);
        if (set_up(text, &of)) return 1;
        int F = flx_system_input(by.system, "F", by.ctx);
        CHECK(F == 0);
        const double held[] = {0.5}, slope[] = {-4, 3}, curve[] = {2, -1, 10};
        CHECK(flx_run_advance(by.run, 0.3) == FLX_OK);
        CHECK(flx_run_set_input(by.run, F, 2, slope) == FLX_OK);
        CHECK(flx_run_advance(by.run, 0.6) == FLX_OK);
        CHECK(flx_run_set_input(by.run, F, 3, curve) == FLX_OK);
        CHECK(flx_run_advance(by.run, 0.8) == FLX_OK);
        CHECK(flx_run_set_input(by.run, F, 1, held) == FLX_OK);
        CHECK(flx_run_advance(by.run, 1.0) == FLX_OK);
        CHECK(flx_run_advance(of.run, 1.0) == FLX_OK);
        for (int i = 0; i < 5; i++) {
            double a = flx_run_get(by.run, i), b = flx_run_get(of.run, i);
            double t = (i < 3 ? 1.0 : 100.0) * methods[k].tolerance;
            if (!(fabs(a - b) <= t)) printf("  %s\n", methods[k].words);
            CHECK_NEAR(a, b, t);
        }
        CHECK(flx_run_ledger(by.run)->balanced);
        put_away(&by);
        put_away(&of);
    }
    return 0;
}

// Accelerations and forces of joints follow at once; what does not change leaves the run as it is.
static int follows_at_once(void)
{
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        char text[4096];
        rig r, s;
        snprintf(text, sizeof text,
                 CART "inputs: {F: {value: 0, lower: -20, upper: 20, unit: N}}\n"
                      "forces: {push: {type: force, on: rail, value: F}}\n"
                      "simulate: {until: 1, method: %s}\n" SIGNALS,
                 methods[k].words);
        if (set_up(text, &r) || set_up(text, &s)) return 1;
        const double u = 7.0, far = 1000.0, most = 20.0;
        CHECK(flx_run_advance(r.run, 0.2) == FLX_OK && flx_run_advance(s.run, 0.2) == FLX_OK);
        double a0 = flx_run_get(r.run, 3), x0 = flx_run_get(r.run, 0);
        CHECK(flx_run_set_input(r.run, 0, 1, &u) == FLX_OK);
        double a1 = flx_run_get(r.run, 3);
        CHECK(flx_run_get(r.run, 0) == x0);
        CHECK(a1 - a0 > 0.8 * u / 2.3 && a1 - a0 < 1.2 * u / 2.0);
        // it saturates
        CHECK(flx_run_set_input(r.run, 0, 1, &far) == FLX_OK);
        double a2 = flx_run_get(r.run, 3);
        CHECK(flx_run_set_input(r.run, 0, 1, &most) == FLX_OK);
        CHECK_NEAR(flx_run_get(r.run, 3), a2, 1e-6 * fabs(a2));
        CHECK_NEAR((a2 - a0) / most, (a1 - a0) / u, 1e-3 * (a1 - a0) / u);
        // back, and on: as if nothing had been, but for the method that begins anew
        CHECK(flx_run_set_input(r.run, 0, 0, NULL) == FLX_OK);
        CHECK(flx_run_advance(r.run, 0.5) == FLX_OK && flx_run_advance(s.run, 0.5) == FLX_OK);
        for (int i = 0; i < 3; i++) {
            CHECK_NEAR(flx_run_get(r.run, i), flx_run_get(s.run, i), 10.0 * methods[k].tolerance);
        }
        put_away(&r);
        put_away(&s);
    }
    return 0;
}

// A value set again, and a value that goes on, cost no step and change no bit.
static int the_same_value_is_none(void)
{
    rig r, s;
    const char *text = CART "inputs: {F: {value: 1}}\n"
                            "forces: {push: {type: force, on: rail, value: F}}\n"
                            "simulate: {until: 1, method: bdf, rtol: 1e-8, atol: 1e-10}\n" SIGNALS;
    if (set_up(text, &r) || set_up(text, &s)) return 1;
    const double u[] = {1.0, 0.0, 0.0};
    for (int k = 1; k <= 50; k++) {
        CHECK(flx_run_set_input(r.run, 0, 1 + k % 3, u) == FLX_OK);
        CHECK(flx_run_set_input(s.run, 0, 1, u) == FLX_OK);
        CHECK(flx_run_advance(r.run, 0.02 * k) == FLX_OK &&
              flx_run_advance(s.run, 0.02 * k) == FLX_OK);
    }
    CHECK(flx_run_statistics(r.run).steps == flx_run_statistics(s.run).steps);
    CHECK(flx_run_get(r.run, 0) == flx_run_get(s.run, 0));
    put_away(&r);
    put_away(&s);
    return 0;
}

// An input that moves a joint goes on where it is, or is refused.
static int motions_do_not_jump(void)
{
    static const char *const words[] = {"radau, rtol: 1e-9, atol: 1e-11",
                                        "generalized-alpha, step: 1e-3",
                                        "radau, rtol: 1e-9, atol: 1e-11, formulation: tree"};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
        char text[4096];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ninputs: {way: {value: 0}}\n"
                 "bodies: {rod: {type: rigid, mass: 2, inertia: 0.3, com: [0.3, 0]}}\n"
                 "joints: {swing: {type: revolute, on: [ground, rod], at: [0, 0], motion: {angle: "
                 "way}}}\nsimulate: {until: 1, method: %s}\n"
                 "outputs: {signals: [swing.angle, swing.rate, swing.drive]}\n",
                 words[k]);
        if (set_up(text, &r)) return 1;
        const double jump[] = {0.2}, kick[] = {0.0, 1.0}, go[] = {0.0, 0.0, 3.0};
        CHECK(flx_run_set_input(r.run, 0, 1, jump) == FLX_OK); // the start goes there
        CHECK_NEAR(flx_run_get(r.run, 0), 0.2, 1e-12);
        CHECK(flx_run_set_input(r.run, 0, 0, NULL) == FLX_OK);
        CHECK_NEAR(flx_run_get(r.run, 0), 0.0, 1e-12);
        CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
        CHECK(flx_run_set_input(r.run, 0, 1, jump) == FLX_ERR_ARGUMENT);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "would jump");
        CHECK(flx_run_set_input(r.run, 0, 2, kick) == FLX_ERR_ARGUMENT);
        CHECK_NEAR(flx_run_get(r.run, 2), 0.0, 1e-6);
        CHECK(flx_run_set_input(r.run, 0, 3, go) == FLX_OK);
        CHECK_NEAR(flx_run_get(r.run, 2), 3.0 * (0.3 + 2 * 0.09), 1e-6);
        CHECK(flx_run_advance(r.run, 0.6) == FLX_OK);
        CHECK_NEAR(flx_run_get(r.run, 0), 0.5 * 3.0 * 0.25, 1e-7);
        CHECK_NEAR(flx_run_get(r.run, 1), 1.5, 1e-5);
        double u[3];
        CHECK(flx_run_get_input(r.run, 0, u) == FLX_OK);
        CHECK_NEAR(u[1], 1.5, 1e-12);
        u[2] = -2.0; // it goes on, and slows down
        CHECK(flx_run_set_input(r.run, 0, 3, u) == FLX_OK);
        CHECK(flx_run_advance(r.run, 1.0) == FLX_OK);
        CHECK_NEAR(flx_run_get(r.run, 0), 0.375 + 1.5 * 0.4 - 0.16, 1e-6);
        put_away(&r);
    }
    return 0;
}

static int count_event(void *user, double t, int event, const char *name)
{
    (void)t;
    (void)event;
    (void)name;
    ++*(int *)user;
    return 0;
}

// Events and conditions that read an input see it at once.
static int events_read_inputs(void)
{
    rig r;
    int happened = 0;
    const char *text = "flexion: 1\ninputs: {level: 0, end: 0}\n"
                       "equations:\n"
                       "  first_order: {y: {at: 0, derivative: \"if(level > 2, 1, 0)\"}}\n"
                       "  discrete: {n: {at: 0}}\n"
                       "events:\n"
                       "  high: {when: level > 3, set: {n: n + 1}}\n"
                       "  over: {when: end > 0.5, stop: true}\n"
                       "simulate: {until: 5, method: dopri5}\noutputs: {signals: [y, n]}\n";
    if (set_up(text, &r)) return 1;
    flx_run_destroy(&r.run);
    flx_run_def def = flx_run_def_default();
    def.event = count_event;
    def.user = &happened;
    CHECK(flx_run_create(r.system, &def, r.ctx, &r.run) == FLX_OK);
    const double low = 1.0, middle = 2.5, high = 4.0;
    int end = flx_system_input(r.system, "end", r.ctx);
    CHECK(flx_run_advance(r.run, 1.0) == FLX_OK && flx_run_get(r.run, 0) == 0.0);
    CHECK(flx_run_set_input(r.run, 0, 1, &middle) == FLX_OK);
    CHECK(flx_run_advance(r.run, 2.0) == FLX_OK);
    CHECK_NEAR(flx_run_get(r.run, 0), 1.0, 1e-9);
    CHECK(flx_run_set_input(r.run, 0, 1, &high) == FLX_OK && happened == 1);
    CHECK(flx_run_get(r.run, 1) == 1.0);
    CHECK(flx_run_set_input(r.run, 0, 1, &low) == FLX_OK);
    CHECK(flx_run_set_input(r.run, 0, 1, &high) == FLX_OK && flx_run_get(r.run, 1) == 2.0);
    CHECK(flx_run_advance(r.run, 3.0) == FLX_OK);
    CHECK_NEAR(flx_run_get(r.run, 0), 2.0, 1e-9);
    CHECK(flx_run_set_input(r.run, end, 1, &low) == FLX_OK);
    CHECK_TEXT(flx_run_stopped_by(r.run), "over");
    CHECK(flx_run_advance(r.run, 4.0) == FLX_STOPPED && flx_run_time(r.run) == 3.0);
    put_away(&r);
    return 0;
}

// Inputs are part of a saved run; a reset keeps them.
static int saved_and_reset(void)
{
    rig r;
    static unsigned char bytes[200000];
    const char *text =
        CART "inputs: {F: {value: 1}}\n"
             "forces: {push: {type: force, on: rail, value: F}}\n"
             "simulate: {until: 1, method: radau, rtol: 1e-8, atol: 1e-10}\n" SIGNALS;
    if (set_up(text, &r)) return 1;
    const double u[] = {-3, 4}, other = 9.0;
    CHECK(flx_run_advance(r.run, 0.2) == FLX_OK && flx_run_set_input(r.run, 0, 2, u) == FLX_OK);
    size_t n = flx_run_save(r.run, bytes, sizeof bytes);
    CHECK(n <= sizeof bytes && flx_run_advance(r.run, 0.7) == FLX_OK);
    double there = flx_run_get(r.run, 0), pull = flx_run_get(r.run, 4);
    CHECK(flx_run_set_input(r.run, 0, 1, &other) == FLX_OK);
    CHECK(flx_run_advance(r.run, 1.0) == FLX_OK);
    CHECK(flx_run_restore(r.run, bytes, n) == FLX_OK && flx_run_advance(r.run, 0.7) == FLX_OK);
    CHECK(flx_run_get(r.run, 0) == there && flx_run_get(r.run, 4) == pull);
    CHECK(flx_run_set_input(r.run, 0, 1, &other) == FLX_OK && flx_run_reset(r.run) == FLX_OK);
    rig s; // the start knows it, and so does that of a run where it is set before
    if (set_up(text, &s)) return 1;
    CHECK(flx_run_set_input(s.run, 0, 1, &other) == FLX_OK);
    CHECK(flx_run_get(r.run, 3) == flx_run_get(s.run, 3) && flx_run_get(s.run, 3) > 3.0);
    CHECK(flx_run_advance(r.run, 0.5) == FLX_OK && flx_run_advance(s.run, 0.5) == FLX_OK);
    CHECK(flx_run_get(r.run, 2) == flx_run_get(s.run, 2));
    put_away(&s);
    put_away(&r);
    return 0;
}

static int refusals(void)
{
    rig r;
    flx_port_info info;
    if (set_up(CART "inputs: {F: {value: 1, lower: -2, unit: N}}\n"
                    "forces: {push: {type: force, on: rail, value: F}}\n"
                    "simulate: {until: 1}\n" SIGNALS,
               &r))
        return 1;
    const double u[] = {1, 2, (double)NAN};
    CHECK(flx_system_input(r.system, "G", r.ctx) == -1);
    CHECK(flx_system_describe(r.system, FLX_PORT_INPUT, 0, &info) && info.value == 1.0);
    CHECK(info.lower == -2.0 && isinf(info.upper) && strcmp(info.unit, "N") == 0);
    CHECK(flx_run_set_input(r.run, 1, 1, u) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_set_input(r.run, -1, 1, u) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_set_input(r.run, 0, 4, u) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_set_input(r.run, 0, 3, u) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_set_input(r.run, 0, 1, NULL) == FLX_ERR_ARGUMENT);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(jumps_are_those_of_a_function), TEST(follows_at_once), TEST(the_same_value_is_none),
          TEST(motions_do_not_jump), TEST(events_read_inputs), TEST(saved_and_reset),
          TEST(refusals))
