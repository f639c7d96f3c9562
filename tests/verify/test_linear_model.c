// test_linear_model.c - what linear models say: signals as states, poles, zeros, reach and sight, gramians, responses; what
// is refused by name.
#include "run_rig.h"

#include <complex.h>
#include <stdlib.h>

#define MOST 20
static const double complex J = (double complex)I;

static int set_up(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    return rig_compile(
        r, flx_model_read_text(r->ctx, "text", text, strlen(text), 0, NULL, &r->model), true);
}

typedef const char *const names[];

static flx_status find(const rig *r, int nin, names in, int nout, names out, int nstate,
                       names state, flx_linear_model *m)
{
    int inputs[MOST], outputs[MOST], states[MOST];
    for (int k = 0; k < nin; k++) inputs[k] = flx_system_input(r->system, in[k], r->ctx);
    for (int k = 0; k < nout; k++) outputs[k] = flx_system_output(r->system, out[k], r->ctx);
    for (int k = 0; k < nstate; k++) states[k] = flx_system_output(r->system, state[k], r->ctx);
    const flx_io io = {nin, nout, inputs, outputs};
    flx_linear_def def = flx_linear_def_default();
    def.nstate = nstate;
    def.states = states;
    return flx_run_linearise(r->run, &io, &def, m);
}

static const char *message(const rig *r)
{
    int n = flx_ctx_error_count(r->ctx);
    return n > 0 ? flx_ctx_error(r->ctx, n - 1)->text : "";
}
#define CHECK_OK(r, call)                                                                          \
    do {                                                                                           \
        flx_status status_ = (call);                                                               \
        if (status_ != FLX_OK) printf("  %s\n", message(r));                                       \
        CHECK(status_ == FLX_OK);                                                                  \
    } while (0)

// ---- the cart and the pole ----------------------------------------------------------------------------

#define CART_POLE                                                                                  \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies:\n"                                                                                    \
    "  cart: {type: rigid, mass: 1, inertia: 0.1}\n"                                               \
    "  rod: {type: rigid, mass: 0.2, inertia: 0.2*0.6^2/12, position: [0, 0.3]}\n"                 \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n"                    \
    "  hinge: {type: revolute, on: [cart, rod], at: [0, 0]}\n"                                     \
    "inputs: {F: 0, T: 0}\n"                                                                       \
    "forces: {motor: {type: force, on: rail, value: F}, other: {type: torque, on: hinge, value: "  \
    "T}}\n"                                                                                        \
    "simulate: {until: 1, method: %s}\n"                                                           \
    "outputs: {signals: [rail.displacement, hinge.angle, rail.rate, hinge.rate, "                  \
    "cart.acceleration.x, rod.velocity.x, rod.position.x]}\n"
static const char *const cart_states[] = {"rail.displacement", "hinge.angle", "rail.rate",
                                          "hinge.rate"};
static const char *const forms[] = {"radau, rtol: 1e-8, formulation: tree",
                                    "radau, rtol: 1e-8, formulation: index-3"};

static int cart_in_signals(void)
{
    static const double A[4][4] = {
        {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 1.401428571428572, 0, 0}, {0, 28.028571428571436, 0, 0}};
    static const double B[4] = {0, 0, 0.9523809523809523, 2.3809523809523814};
    for (size_t k = 0; k < 2; k++) {
        char text[2000];
        rig r;
        flx_linear_model m;
        flx_linear_modes modes;
        double re[MOST], im[MOST];
        int n;
        snprintf(text, sizeof text, CART_POLE, forms[k]);
        if (set_up(text, &r)) return 1;
        CHECK_OK(&r, find(&r, 1, (names){"F"}, 1, cart_states, 4, cart_states, &m));
        CHECK(m.n == 4 && m.nout == 1);
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(m.B[i], B[i], 1e-9);
            CHECK_NEAR(m.C[i], i == 0 ? 1.0 : 0.0, 1e-12);
            CHECK(m.states[i].kind == FLX_STATE_SIGNAL);
            CHECK(strcmp(m.states[i].item, cart_states[i]) == 0);
            for (int j = 0; j < 4; j++) CHECK_NEAR(m.A[i * 4 + j], A[i][j], 1e-9 * 28.0);
        }
        CHECK_OK(&r, flx_linear_find_modes(r.ctx, &m, &modes));
        CHECK_REL(modes.re[2], -5.294201680005, 1e-9);
        CHECK_REL(modes.re[3], 5.294201680005, 1e-9);
        CHECK_NEAR(modes.re[0], 0.0, 1e-5);
        CHECK(flx_linear_is_stabilisable(&modes) && flx_linear_is_detectable(&modes));
        flx_linear_modes_clear(&modes);
        CHECK_OK(&r, flx_linear_find_zeros(r.ctx, &m, 0, NULL, NULL, &n, re, im));
        CHECK(n == 2);
        CHECK_REL(re[0], -4.952272205766, 1e-9);
        CHECK_REL(re[1], 4.952272205766, 1e-9);
        flx_linear_model_clear(&m);
        put_away(&r);
    }
    return 0;
}

// The angle alone does not see where the cart is, and a torque between cart and rod does not move the centre of mass.
static int what_is_not_reached_is_told(void)
{
    char text[2000];
    rig r;
    flx_linear_model m;
    flx_linear_modes modes;
    snprintf(text, sizeof text, CART_POLE, forms[1]);
    if (set_up(text, &r)) return 1;
    CHECK_OK(&r, find(&r, 1, (names){"T"}, 1, (names){"hinge.angle"}, 4, cart_states, &m));
    CHECK_OK(&r, flx_linear_find_modes(r.ctx, &m, &modes));
    CHECK(modes.reach_all[3] > 1e-3 && modes.sight_all[3] > 1e-3);
    CHECK(!flx_linear_is_detectable(&modes));
    CHECK(!flx_linear_is_stabilisable(&modes));
    flx_linear_modes_clear(&modes);
    flx_linear_model_clear(&m);
    put_away(&r);
    return 0;
}

static int named_states_are_enough_or_refused(void)
{
    char text[2000];
    rig r;
    flx_linear_model m;
    snprintf(text, sizeof text, CART_POLE, forms[0]);
    if (set_up(text, &r)) return 1;
    // place and speed of the cart do not act on the rod
    static const char *const two[] = {"hinge.angle", "hinge.rate"};
    CHECK_OK(&r, find(&r, 1, (names){"F"}, 1, two, 2, two, &m));
    CHECK(m.n == 2);
    CHECK_REL(m.A[2], 28.028571428571436, 1e-9);
    CHECK_REL(m.B[1], 2.3809523809523814, 1e-9);
    flx_linear_model_clear(&m);
    static const char *const one[] = {"hinge.angle"};
    CHECK(find(&r, 1, (names){"F"}, 1, two, 1, one, &m) == FLX_ERR_CANNOT);
    CHECK(strstr(message(&r), "1 of 4 states") && strstr(message(&r), "5.2942"));
    CHECK(find(&r, 1, (names){"F"}, 1, (names){"rail.rate"}, 2, two, &m) == FLX_ERR_CANNOT);
    CHECK(strstr(message(&r), "the output 'rail.rate'"));
    static const char *const twice[] = {"hinge.angle", "rail.displacement", "rod.position.x"};
    CHECK(find(&r, 1, (names){"F"}, 1, two, 3, twice, &m) == FLX_ERR_CANNOT);
    CHECK(strstr(message(&r), "follows from the other"));
    static const char *const fast[] = {"hinge.angle", "hinge.rate", "cart.acceleration.x"};
    CHECK(find(&r, 1, (names){"F"}, 1, two, 3, fast, &m) == FLX_ERR_CANNOT);
    CHECK(strstr(message(&r), "'cart.acceleration.x' is no state") && strstr(message(&r), "'F'"));
    put_away(&r);
    return 0;
}

// ---- a motion whose axes turn: states are signals, and the speed of their slopes counts ------------------

// A mass on a rod that turns at the speed w: x'' = w^2 x - k x along the rod, whatever the axes of the ground say.
static int rotating_slider_has_its_own_stiffness(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\n"
        "bodies:\n"
        "  hub: {type: rigid, mass: 2, inertia: 1, orientation: 0.4}\n"
        "  bead: {type: point, mass: 0.5, position: [0, 0]}\n"
        "joints:\n"
        "  spin: {type: revolute, on: [ground, hub], at: [0, 0], motion: {angle: 3*t}}\n"
        "  rod: {type: point-on-line, on: [hub, bead], at: [[0, 0], bead], axis: [cos(0.4), "
        "sin(0.4)]}\n"
        "inputs: {F: 0}\n"
        "forces:\n"
        "  spring: {type: spring, on: [ground, bead], at: [[0, 0], bead], stiffness: 20, length: "
        "0}\n"
        "  push: {type: force, on: bead, value: [F*cos(0.4 + 3*t), F*sin(0.4 + 3*t)]}\n"
        "signals: {x: \"bead.position.x*cos(0.4 + 3*t) + bead.position.y*sin(0.4 + 3*t)\",\n"
        "  v: \"bead.velocity.x*cos(0.4 + 3*t) + bead.velocity.y*sin(0.4 + 3*t)\"}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-8, formulation: index-3}\n"
        "outputs: {signals: [x, v]}\n";
    static const char *const states[] = {"x", "v"};
    rig r;
    flx_linear_model m;
    if (set_up(text, &r)) return 1;
    CHECK_OK(&r, find(&r, 1, (names){"F"}, 1, states, 2, states, &m));
    CHECK_NEAR(m.A[0], 0.0, 1e-8);
    CHECK_NEAR(m.A[1], 1.0, 1e-8);
    CHECK_NEAR(m.A[2], 9.0 - 40.0, 1e-7);
    CHECK_NEAR(m.A[3], 0.0, 1e-8);
    CHECK_NEAR(m.B[1], 2.0, 1e-9);
    flx_linear_model_clear(&m);
    put_away(&r);
    return 0;
}

// ---- zeros, gramians and responses of numbers -----------------------------------------------------------

// A mass on a spring, twice: u on the first, y of the second.
static flx_linear_model by_hand(int n, int nin, int nout, double *A, double *B, double *C,
                                double *D)
{
    return (flx_linear_model){.n = n, .nin = nin, .nout = nout, .A = A, .B = B, .C = C, .D = D};
}

static int zeros_of_numbers(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double re[MOST], im[MOST];
    int n;
    // (s + 2)(s - 3) / ((s + 1)(s + 4)(s + 5)) in companion form
    double A[] = {0, 1, 0, 0, 0, 1, -20, -29, -10}, B[] = {0, 0, 1}, C[] = {-6, -1, 1}, D[] = {0};
    flx_linear_model m = by_hand(3, 1, 1, A, B, C, D);
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK && n == 2);
    CHECK_REL(re[0], -2.0, 1e-11);
    CHECK_REL(re[1], 3.0, 1e-11);
    D[0] = 1.0; // as many zeros as poles
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK && n == 3);
    for (int i = 0; i < 3; i++) {
        double complex s = re[i] + J * im[i];
        CHECK_NEAR(cabs((s + 2) * (s - 3) + (s + 1) * (s + 4) * (s + 5)), 0.0, 1e-10);
    }
    D[0] = 0.0;
    double none[] = {1, 0, 0}; // 1 / (...): no zeros, relative degree 3
    m.C = none;
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK && n == 0);
    double off[] = {0, 0, 0};
    m.C = off;
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_SINGULAR);
    // y = z + u': zeros of s + 1/(s + 1), that is s^2 + s + 1
    double a[] = {-1}, b[] = {1}, c[] = {1}, d[] = {0}, d1[] = {1};
    m = by_hand(1, 1, 1, a, b, c, d);
    m.D1 = d1;
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK && n == 2);
    CHECK_REL(re[0], -0.5, 1e-12);
    CHECK_REL(fabs(im[0]), sqrt(0.75), 1e-12);
    // and y = z + u'': s^3 + s^2 + 1
    m.D1 = NULL;
    m.D2 = d1;
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_OK && n == 3);
    for (int i = 0; i < 3; i++) {
        double complex s = re[i] + J * im[i];
        CHECK_NEAR(cabs(s * s * s + s * s + 1), 0.0, 1e-11);
    }
    double two[] = {1, 1};
    m = by_hand(1, 2, 1, a, two, c, two);
    CHECK(flx_linear_find_zeros(ctx, &m, 0, NULL, NULL, &n, re, im) == FLX_ERR_CANNOT);
    flx_ctx_destroy(&ctx);
    return 0;
}

static double random_number(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24) - 0.5;
}

#define N 7
// Zeros are the poles of the system under high gain, and where the response vanishes.
static int responses_agree(void)
{
    flx_ctx *ctx = flx_ctx_create();
    unsigned seed = 7;
    double A[N * N], B[2 * N], C[3 * N], D[6], D1[6], W[N * N], V[N * N], y[400 * 3];
    for (int i = 0; i < N * N; i++) A[i] = random_number(&seed);
    for (int i = 0; i < N; i++) A[i * N + i] -= 2.0;
    for (int i = 0; i < 2 * N; i++) B[i] = random_number(&seed);
    for (int i = 0; i < 3 * N; i++) C[i] = random_number(&seed);
    for (int i = 0; i < 6; i++) D[i] = random_number(&seed);
    for (int i = 0; i < 6; i++) D1[i] = random_number(&seed);
    flx_linear_model m = by_hand(N, 2, 3, A, B, C, D);
    // gramians satisfy their equations, and do not look like each other
    CHECK(flx_linear_find_gramians(ctx, &m, W, V) == FLX_OK);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double w = 0.0, v = 0.0;
            for (int k = 0; k < N; k++) {
                w += A[i * N + k] * W[k * N + j] + W[i * N + k] * A[j * N + k];
                v += A[k * N + i] * V[k * N + j] + V[i * N + k] * A[k * N + j];
            }
            for (int k = 0; k < 2; k++) w += B[i * 2 + k] * B[j * 2 + k];
            for (int k = 0; k < 3; k++) v += C[k * N + i] * C[k * N + j];
            CHECK_NEAR(w, 0.0, 1e-13);
            CHECK_NEAR(v, 0.0, 1e-13);
        }
    }
    // the frequency response solves its equation: y - D u - s D1 u = C x with (s - A) x = B u, by the modes
    m.D1 = D1;
    double w[] = {0.0, 0.3, 2.0, 50.0}, re[4 * 6], im[4 * 6];
    flx_linear_modes modes;
    CHECK(flx_linear_respond(ctx, &m, 4, w, re, im) == FLX_OK);
    CHECK(flx_linear_find_modes(ctx, &m, &modes) == FLX_OK);
    for (int q = 0; q < 4; q++) {
        for (int i = 0; i < 3; i++) {
            for (int k = 0; k < 2; k++) {
                double complex sum = D[i * 2 + k] + J * w[q] * D1[i * 2 + k];
                for (int p = 0; p < N; p++) {
                    double complex l = 0, r = 0, lr = 0;
                    for (int j = 0; j < N; j++) {
                        double complex left =
                            modes.left_re[p * N + j] - J * modes.left_im[p * N + j];
                        double complex right =
                            modes.right_re[p * N + j] + J * modes.right_im[p * N + j];
                        l += left * B[j * 2 + k];
                        r += C[i * N + j] * right;
                        lr += left * right;
                    }
                    sum += r * l / lr / (J * w[q] - (modes.re[p] + J * modes.im[p]));
                }
                CHECK_NEAR(creal(sum), re[q * 6 + i * 2 + k], 1e-12 * (1.0 + w[q]));
                CHECK_NEAR(cimag(sum), im[q * 6 + i * 2 + k], 1e-12 * (1.0 + w[q]));
            }
        }
    }
    flx_linear_modes_clear(&modes);
    // a step ends at the response at 0, and its slope is the impulse response
    double z[400 * 3];
    CHECK(flx_linear_course(ctx, &m, 1, 0, 400, 0.05, y) == FLX_OK);
    CHECK(flx_linear_course(ctx, &m, 1, 1, 400, 0.05, z) == FLX_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(y[399 * 3 + i], re[i * 2 + 1], 1e-8);
        for (int k = 2; k < 398; k++) {
            double slope = (8 * (y[(k + 1) * 3 + i] - y[(k - 1) * 3 + i]) -
                            (y[(k + 2) * 3 + i] - y[(k - 2) * 3 + i])) /
                           0.6;
            CHECK_NEAR(z[k * 3 + i], slope, 2e-4);
        }
    }
    A[0] += 9.0;
    CHECK(flx_linear_find_gramians(ctx, &m, W, NULL) == FLX_ERR_CANNOT);
    CHECK(flx_linear_course(ctx, &m, 2, 0, 4, 0.1, y) == FLX_ERR_ARGUMENT);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Two oscillators alike, of which one combination is not reached: eigenvalues that are the same.
static int twins_are_told_apart(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double A[] = {0, 1, 0, 0, -4, 0, 0, 0, 0, 0, 0, 1, 0, 0, -4, 0};
    double one[] = {0, 1, 0, 1}, two[] = {0, 0, 1, 0, 0, 0, 0, 1}, C[] = {1, 0, 0, 0}, D[] = {0, 0};
    flx_linear_modes modes;
    flx_linear_model m = by_hand(4, 1, 1, A, one, C, D);
    CHECK(flx_linear_find_modes(ctx, &m, &modes) == FLX_OK);
    CHECK(modes.reach_all[0] < 1e-12 && !flx_linear_is_stabilisable(&modes));
    flx_linear_modes_clear(&modes);
    m = by_hand(4, 2, 1, A, two, C, D);
    CHECK(flx_linear_find_modes(ctx, &m, &modes) == FLX_OK);
    CHECK(modes.reach_all[0] > 0.1 && flx_linear_is_stabilisable(&modes));
    CHECK(!flx_linear_is_detectable(&modes));
    flx_linear_modes_clear(&modes);
    // a chain of two integrators is reached by the force, and not by the speed
    double I2[] = {0, 1, 0, 0}, force[] = {0, 1}, speed[] = {1, 0};
    m = by_hand(2, 1, 1, I2, force, C, D);
    CHECK(flx_linear_find_modes(ctx, &m, &modes) == FLX_OK);
    CHECK(flx_linear_is_stabilisable(&modes));
    flx_linear_modes_clear(&modes);
    m.B = speed;
    CHECK(flx_linear_find_modes(ctx, &m, &modes) == FLX_OK);
    CHECK(!flx_linear_is_stabilisable(&modes));
    flx_linear_modes_clear(&modes);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(cart_in_signals), TEST(what_is_not_reached_is_told),
          TEST(named_states_are_enough_or_refused), TEST(rotating_slider_has_its_own_stiffness),
          TEST(zeros_of_numbers), TEST(responses_agree), TEST(twins_are_told_apart))
