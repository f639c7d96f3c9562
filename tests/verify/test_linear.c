// test_linear.c - runs linearised about their states: closed forms, runs with slightly other starts, eigenvalues of `modes`,
// both coordinates; what is said at corners, and what is refused.
#include "flexion/extend/method_table.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "run_rig.h"

#include <complex.h>
#include <stdlib.h>

static int set_up(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    return rig_compile(
        r, flx_model_read_text(r->ctx, "text", text, strlen(text), 0, NULL, &r->model), true);
}

#define MOST 12
static const double complex J = (double complex)I;

static int find(const rig *r, int nin, const char *const *in, int nout, const char *const *out,
                flx_linear_model *m)
{
    int inputs[MOST], outputs[MOST];
    for (int k = 0; k < nin; k++) inputs[k] = flx_system_input(r->system, in[k], r->ctx);
    for (int k = 0; k < nout; k++) outputs[k] = flx_system_output(r->system, out[k], r->ctx);
    const flx_io io = {nin, nout, inputs, outputs};
    flx_status status = flx_run_linearise(r->run, &io, NULL, m);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK);
    CHECK(m->nin == nin && m->nout == nout);
    return 0;
}

// A and B with the outputs as the state: T A T^-1, T B.
static int by_outputs(const flx_linear_model *m, double *A, double *B)
{
    int n = m->n;
    double CA[MOST * MOST] = {0}, C[MOST * MOST];
    flx_ctx *ctx = flx_ctx_create();
    CHECK(m->nout == n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m->nin; k++) B[i * m->nin + k] = 0.0;
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < m->nin; k++)
                B[i * m->nin + k] += m->C[i * n + j] * m->B[j * m->nin + k];
            for (int k = 0; k < n; k++) CA[i * n + k] += m->C[i * n + j] * m->A[j * n + k];
        }
    }
    memcpy(C, m->C, (size_t)(n * n) * sizeof *C); // by rows: C^T for those who take columns
    memcpy(A, CA, (size_t)(n * n) * sizeof *A);
    CHECK(flx_dense_solve(ctx, n, n, C, A) == FLX_OK); // C^T X = (C A)^T, X = (C A C^-1)^T
    flx_ctx_destroy(&ctx);
    return 0;
}

// y over input 0 at s = i w.
static int respond(const flx_linear_model *m, int output, double w, double complex *y)
{
    int n = m->n;
    double complex S[MOST * (MOST + 1)];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) S[i * (n + 1) + j] = (i == j ? J * w : 0.0) - m->A[i * n + j];
        S[i * (n + 1) + n] = m->B[i * m->nin];
    }
    for (int k = 0; k < n; k++) { // Gauss
        int p = k;
        for (int i = k; i < n; i++) {
            if (cabs(S[i * (n + 1) + k]) > cabs(S[p * (n + 1) + k])) p = i;
        }
        for (int j = 0; j <= n; j++) {
            double complex t = S[k * (n + 1) + j];
            S[k * (n + 1) + j] = S[p * (n + 1) + j];
            S[p * (n + 1) + j] = t;
        }
        for (int i = 0; i < n; i++) {
            double complex f = S[i * (n + 1) + k] / S[k * (n + 1) + k];
            for (int j = k; i != k && j <= n; j++) S[i * (n + 1) + j] -= f * S[k * (n + 1) + j];
        }
    }
    *y = m->D[output * m->nin];
    if (m->D1) *y += J * w * m->D1[output * m->nin];
    if (m->D2) *y -= w * w * m->D2[output * m->nin];
    for (int k = 0; k < n; k++)
        *y += m->C[output * n + k] * S[k * (n + 1) + n] / S[k * (n + 1) + k];
    return 0;
}

// ---- closed forms ---------------------------------------------------------------------------------

#define CART_POLE                                                                                  \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies:\n"                                                                                    \
    "  cart: {type: rigid, mass: 1, inertia: 0.1}\n"                                               \
    "  rod: {type: rigid, mass: 0.2, inertia: 0.2*0.6^2/12, position: [0, 0.3]}\n"                 \
    "joints:\n"                                                                                    \
    "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}\n"                    \
    "  hinge: {type: revolute, on: [cart, rod], at: [0, 0]}\n"                                     \
    "inputs: {F: %s}\n"                                                                            \
    "forces: {motor: {type: force, on: rail, value: F}}\n"                                         \
    "simulate: {until: 1, method: %s}\n"                                                           \
    "outputs: {signals: [rail.displacement, hinge.angle, rail.rate, hinge.rate, "                  \
    "cart.acceleration.x, hinge.reaction.x]}\n"
static const char *const cart_states[] = {"rail.displacement", "hinge.angle", "rail.rate",
                                          "hinge.rate"};
static const char *const methods[] = {"radau, rtol: 1e-8, atol: 1e-10, formulation: tree",
                                      "radau, rtol: 1e-8, atol: 1e-10, formulation: index-3",
                                      "radau, rtol: 1e-8, atol: 1e-10, formulation: ggl",
                                      "dopri5, rtol: 1e-8, atol: 1e-10"};

static int cart_pole_is_that_of_the_book(void)
{
    static const double A[4][4] = {
        {0, 0, 1, 0}, {0, 0, 0, 1}, {0, 1.401428571428572, 0, 0}, {0, 28.028571428571436, 0, 0}};
    static const double B[4] = {0, 0, 0.9523809523809523, 2.3809523809523814};
    // the loop is cut at F, whatever gives it its value
    static const char *const values[] = {"0", "{value: 3*hinge.angle - hinge.rate}"};
    static const char *const force[] = {"F"};
    for (size_t k = 0; k < 8; k++) {
        char text[2000];
        rig r;
        flx_linear_model m;
        double a[MOST * MOST], b[MOST];
        snprintf(text, sizeof text, CART_POLE, values[k / 4], methods[k % 4]);
        if (set_up(text, &r) || find(&r, 1, force, 4, cart_states, &m)) return 1;
        CHECK(m.n == 4 && !m.D1 && !m.D2);
        if (by_outputs(&m, a, b)) return 1;
        for (int i = 0; i < 4; i++) {
            CHECK_NEAR(b[i], B[i], 1e-9);
            CHECK_NEAR(m.rate[i], 0.0, 1e-12);
            for (int j = 0; j < 4; j++) CHECK_NEAR(a[i * 4 + j], A[i][j], 3e-9);
        }
        flx_linear_model_clear(&m);
        put_away(&r);
    }
    return 0;
}

#define SLIDER_CRANK                                                                               \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {r: 0.15, l: 0.35, a: 1.3}\n"      \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 0.4, inertia: 0.4*r^2/12, position: [r/2*cos(a), "               \
    "r/2*sin(a)], orientation: a}\n"                                                               \
    "  rod: {type: rigid, mass: 0.6, inertia: 0.6*l^2/12, orientation: -asin(r*sin(a)/l), "        \
    "position: [r*cos(a) + sqrt((l/2)^2 - (r*sin(a)/2)^2), r*sin(a)/2]}\n"                         \
    "  slider: {type: rigid, mass: 0.8, inertia: 1e-3, position: [r*cos(a) + sqrt(l^2 - "          \
    "(r*sin(a))^2), 0]}\n"                                                                         \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, crank], at: [0, 0]}\n"                                     \
    "  B: {type: revolute, on: [crank, rod], at: [r*cos(a), r*sin(a)]}\n"                          \
    "  C: {type: revolute, on: [rod, slider], at: slider}\n"                                       \
    "  guide: {type: prismatic, on: [ground, slider], at: [0, 0], axis: [1, 0]}\n"                 \
    "inputs: {T: 2}\n"                                                                             \
    "forces:\n"                                                                                    \
    "  drive: {type: torque, on: A, value: T}\n"                                                   \
    "  spring: {type: force, on: slider, value: [\"-250*(slider.position.x - 0.4) - "              \
    "3*slider.velocity.x\", 0]}\n"                                                                 \
    "analyse: {hold: {type: equilibrium}}\n"                                                       \
    "simulate: {until: 1, start: hold, method: %s}\n"                                              \
    "outputs: {signals: [slider.position.x, slider.acceleration.x, A.reaction.x, A.reaction.y]}\n"

static int slider_crank_is_that_of_one_coordinate(void)
{
    static const struct {
        double w, re, im;
    } points[] = {{0, -0.029017093329314184, 0},
                  {10, -0.07739764348545325, 0.035173851060603153},
                  {20, 0.016098568679343995, 0.0025876708367754},
                  {50, 0.0017843078186067336, 7.761696918158676e-05},
                  {100, 0.00042699809752592, 8.876988349315019e-06}};
    static const char *const in[] = {"T"}, *const out[] = {"slider.position.x",
                                                           "slider.acceleration.x", "A.reaction.x",
                                                           "A.reaction.y"};
    for (size_t k = 0; k < 4; k++) {
        char text[3000];
        rig r;
        flx_linear_model m;
        snprintf(text, sizeof text, SLIDER_CRANK, methods[k]);
        if (set_up(text, &r) || find(&r, 1, in, 4, out, &m)) return 1;
        CHECK(m.n == 2);
        CHECK_NEAR(m.A[0] + m.A[3], 2 * -1.02438389293471, 1e-8); // pole
        CHECK_REL(m.A[0] * m.A[3] - m.A[1] * m.A[2],
                  1.02438389293471 * 1.02438389293471 + 12.00134849318329 * 12.00134849318329,
                  1e-8);
        CHECK_REL(m.D[1], -4.20985004218761, 1e-8);
        CHECK_REL(m.D[2], -6.517799304065088, 1e-7);
        CHECK_REL(m.D[3], 2.477127042125631, 1e-7);
        for (size_t i = 0; i < sizeof points / sizeof points[0]; i++) {
            double complex y;
            if (respond(&m, 0, points[i].w, &y)) return 1;
            CHECK_NEAR(creal(y), points[i].re, 1e-10);
            CHECK_NEAR(cimag(y), points[i].im, 1e-10);
        }
        int of[4], by = 0;
        double seed = 0.25, slopes[4];
        for (int i = 0; i < 4; i++) of[i] = flx_system_output(r.system, out[i], r.ctx);
        CHECK(flx_run_directional(r.run, 4, of, 1, &by, &seed, slopes) == FLX_OK);
        for (int i = 0; i < 4; i++) CHECK_NEAR(slopes[i], 0.25 * m.D[i], 1e-9);
        flx_linear_model_clear(&m);
        put_away(&r);
    }
    return 0;
}

// A motion enters with its rates.
static int moved_base_is_that_of_the_book(void)
{
    static const char *const in[] = {"u"}, *const out[] = {"mass.position.x", "base.drive"};
    static const struct {
        double w, re, im;
    } force[] = {{5, -78.32800851970178, 0.13312034078807716},
                 {20, -1200, 5333.333333333333},
                 {40, -575.5775577557756, 422.44224422442244}};
    for (size_t k = 0; k < 4; k++) {
        char text[2000];
        rig r;
        flx_linear_model m;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, 0]\n"
                 "bodies:\n"
                 "  sled: {type: rigid, mass: 1, inertia: 1}\n"
                 "  mass: {type: rigid, mass: 2, inertia: 1, position: [1, 0]}\n"
                 "joints:\n"
                 "  base: {type: prismatic, on: [ground, sled], at: [0, 0], axis: [1, 0], motion: "
                 "{displacement: u}}\n"
                 "  slide: {type: prismatic, on: [ground, mass], at: mass, axis: [1, 0]}\n"
                 "inputs: {u: 0}\n"
                 "forces: {s: {type: spring, on: [sled, mass], at: [sled, mass], stiffness: 800, "
                 "damping: 6, length: "
                 "1}}\n"
                 "simulate: {until: 1, method: %s}\n"
                 "outputs: {signals: [mass.position.x, base.drive]}\n",
                 methods[k]);
        if (set_up(text, &r) || find(&r, 1, in, 2, out, &m)) return 1;
        CHECK(m.n == 2);
        for (size_t i = 0; i < 3; i++) {
            double w = force[i].w;
            double complex y, want = (800 + J * w * 6) / (800 - w * w * 2 + J * w * 6);
            if (respond(&m, 0, w, &y)) return 1;
            CHECK_NEAR(cabs(y - want), 0.0, 1e-8);
            if (respond(&m, 1, w, &y)) return 1;
            CHECK_NEAR(cabs(y - (force[i].re + J * force[i].im)), 0.0, 1e-8 * cabs(y));
        }
        int by = 0, of = 0;
        double seed = 1, slope;
        CHECK(flx_run_directional(r.run, 1, &of, 1, &by, &seed, &slope) == FLX_ERR_CANNOT);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "moves the joint 'base'");
        flx_linear_model_clear(&m);
        put_away(&r);
    }
    return 0;
}

// ---- runs with slightly other starts -----------------------------------------------------------------

// Unsymmetric, out of balance, moving, with a loop, friction that is smooth, a first-order state and a following force.
#define FOUR_BAR                                                                                   \
    "flexion: 1\ndimension: 2\ngravity: [0.7, -9.81]\n"                                            \
    "bodies:\n"                                                                                    \
    "  one: {type: rigid, mass: 1.3, inertia: 0.02, position: [0.13, 0.21], orientation: 0.3, "    \
    "com: [0.02, -0.01]}\n"                                                                        \
    "  two: {type: rigid, mass: 0.7, inertia: 0.03, position: [0.5, 0.5], orientation: -0.2, "     \
    "points: {tip: [0.1, 0.2]}}\n"                                                                 \
    "  three: {type: rigid, mass: 0.9, inertia: 0.015, position: [0.95, 0.3]}\n"                   \
    "joints:\n"                                                                                    \
    "  A: {type: revolute, on: [ground, one], at: [0, 0], start: {rate: 2}}\n"                     \
    "  B: {type: revolute, on: [one, two], at: [0.2, 0.45]}\n"                                     \
    "  C: {type: revolute, on: [two, three], at: [0.9, 0.55]}\n"                                   \
    "%s"                                                                                           \
    "inputs: {T: 0.4, F: \"sin(3*t)\"}\n"                                                          \
    "equations: {first_order: {z: {at: 0.2, derivative: \"-4*z + A.rate*B.angle + F\"}}}\n"        \
    "forces:\n"                                                                                    \
    "  drive: {type: torque, on: A, value: T + 2*z - 0.1*tanh(A.rate)}\n"                          \
    "  push: {type: force, on: two, at: two.tip, frame: body, value: [F, z]}\n"                    \
    "  s: {type: spring, on: [one, three], at: [one, three], stiffness: 40, damping: 0.5, "        \
    "length: 0.7}\n"                                                                               \
    "simulate: {until: 1, method: %s}\n"                                                           \
    "outputs: {signals: [two.position.x, C.angle, B.reaction.x]}\n"

static double state_of(flx_run *run, const flx_state_info *s)
{
    static const flx_view views[] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_X};
    return flx_run_view(run, views[s->kind], NULL)[s->unknown];
}

// How the states of two runs, a little apart, go apart in the beginning: over h, h/2 and h/4.
static int go_apart(const rig *r, const flx_linear_model *m, double h, int nq, const double *q,
                    const double *v, const double *x, double *out)
{
    flx_run *a = NULL, *b = NULL;
    double from[MOST], apart[3][MOST];
    for (int k = 0; k < 3; k++) {
        CHECK(flx_run_clone(r->run, r->ctx, &a) == FLX_OK);
        CHECK(flx_run_clone(r->run, r->ctx, &b) == FLX_OK);
        double t = flx_run_time(a) + h / (1 << k);
        double minus_q[MOST], minus_v[MOST], minus_x[MOST];
        const double *q0 = flx_run_view(a, FLX_VIEW_Q, NULL);
        const double *v0 = flx_run_view(a, FLX_VIEW_V, NULL);
        const double *x0 = flx_run_view(a, FLX_VIEW_X, NULL);
        for (int i = 0; i < nq; i++) minus_q[i] = 2 * q0[i] - q[i];
        for (int i = 0; i < nq; i++) minus_v[i] = 2 * v0[i] - v[i];
        minus_x[0] = 2 * x0[0] - x[0];
        CHECK(flx_run_set_state(a, q, v, x, NULL) == FLX_OK);
        CHECK(flx_run_set_state(b, minus_q, minus_v, minus_x, NULL) == FLX_OK);
        for (int i = 0; i < m->n; i++)
            from[i] = state_of(a, m->states + i) - state_of(b, m->states + i);
        CHECK(flx_run_advance(a, t) == FLX_OK && flx_run_advance(b, t) == FLX_OK);
        for (int i = 0; i < m->n; i++)
            apart[k][i] =
                (state_of(a, m->states + i) - state_of(b, m->states + i) - from[i]) * (1 << k) / h;
        flx_run_destroy(&a);
        flx_run_destroy(&b);
    }
    for (int i = 0; i < m->n; i++) {
        double want = 0.0, size = 1e-6;
        for (int j = 0; j < m->n; j++) {
            want += m->A[i * m->n + j] * from[j];
            size = fmax(size, fabs(m->A[i * m->n + j] * from[j]));
        }
        out[i] = fabs((apart[0][i] - 6 * apart[1][i] + 8 * apart[2][i]) / 3 - want) / size;
    }
    return 0;
}

static int runs_go_apart_as_the_matrix_says(void)
{
    static const char *const closure[] = {
        "", "  D: {type: revolute, on: [ground, three], at: [1.05, -0.02]}\n"};
    for (int k = 0; k < 6; k++) {
        char text[3000];
        rig r;
        flx_linear_model m;
        static const char *const forms[] = {", formulation: tree", "", ", formulation: ggl"};
        char method[100];
        snprintf(method, sizeof method, "%s, rtol: 1e-12, atol: 1e-13%s",
                 k % 3 == 1 ? "dop853" : "radau", forms[k % 3]);
        snprintf(text, sizeof text, FOUR_BAR, closure[k / 3], method);
        if (set_up(text, &r)) return 1;
        CHECK(flx_run_advance(r.run, 0.237) == FLX_OK);
        CHECK(flx_run_linearise(r.run, NULL, NULL, &m) == FLX_OK);
        CHECK(m.n == (k / 3 == 0 ? 7 : 3));
        int nq;
        double q[MOST], v[MOST], x[1], off[MOST];
        const double *q0 = flx_run_view(r.run, FLX_VIEW_Q, &nq);
        CHECK(nq <= MOST);
        for (int c = 0; c < 3; c++) { // positions, velocities, both and the state
            for (int i = 0; i < nq; i++) q[i] = q0[i] + (c != 1) * 1e-4 * sin(1.7 * i + c);
            for (int i = 0; i < nq; i++)
                v[i] =
                    flx_run_view(r.run, FLX_VIEW_V, NULL)[i] + (c != 0) * 1e-3 * cos(2.1 * i + c);
            x[0] = flx_run_view(r.run, FLX_VIEW_X, NULL)[0] + (c == 2) * 1e-3;
            if (go_apart(&r, &m, 2e-3, nq, q, v, x, off)) return 1;
            for (int i = 0; i < m.n; i++) {
                if (!(off[i] < 1e-4))
                    printf("  %d, %d, state %d (%s %s)\n", k, c, i, m.states[i].item,
                           m.states[i].part);
                CHECK_NEAR(off[i], 0.0, 1e-4);
            }
        }
        flx_linear_model_clear(&m);
        put_away(&r);
    }
    return 0;
}

// ---- eigenvalues of `modes` ---------------------------------------------------------------------------

static double nearest(int n, const double *re, const double *im, double a, double b)
{
    double best = HUGE_VAL;
    for (int i = 0; i < n; i++) best = fmin(best, hypot(re[i] - a, im[i] - b));
    return best;
}

static int has_modes(const char *text, double tolerance)
{
    rig r;
    flx_linear_model m;
    flx_simulation *sim = NULL;
    flx_finding f = {0};
    if (set_up(text, &r)) return 1;
    CHECK(flx_run_linearise(r.run, NULL, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(r.model, &sim) == FLX_OK);
    CHECK(flx_simulation_analyse(sim, 1, &f) == FLX_OK);
    double *A = calloc((size_t)(m.n * m.n), sizeof *A), *re = calloc((size_t)m.n, sizeof *re),
           *im = calloc((size_t)m.n, sizeof *im);
    for (int i = 0; i < m.n; i++) {
        for (int j = 0; j < m.n; j++) A[j * m.n + i] = m.A[i * m.n + j];
    }
    CHECK(flx_dense_eigenvalues(r.ctx, m.n, A, re, im) == FLX_OK);
    CHECK(f.modes.total == m.n && f.modes.nmode > 0);
    for (int i = 0; i < f.modes.nmode; i++) {
        double s = hypot(f.modes.modes[i].re, f.modes.modes[i].im);
        CHECK_NEAR(nearest(m.n, re, im, f.modes.modes[i].re, f.modes.modes[i].im), 0.0,
                   tolerance * s);
    }
    free(A), free(re), free(im);
    flx_finding_clear(&f);
    flx_simulation_destroy(&sim);
    flx_linear_model_clear(&m);
    put_away(&r);
    return 0;
}

static int eigenvalues_are_those_of_modes(void)
{
    static const char *const forms[] = {"tree", "index-3"};
    for (int k = 0; k < 2; k++) {
        char text[4000];
        snprintf(
            text, sizeof text,
            "flexion: 1\ngravity: [0, 0.5, -9.81]\n"
            "bodies:\n"
            "  arm: {type: rigid, mass: 2, inertia: [0.1, 0.2, 0.15], position: [0.1, 0, -0.4], "
            "com: [0.01, 0.02, 0]}\n"
            "  bob: {type: rigid, mass: 1.5, inertia: [0.02, 0.03, 0.01], position: [0.1, 0.1, "
            "-1]}\n"
            "joints:\n"
            "  ball: {type: spherical, on: [ground, arm], at: [0, 0, 0]}\n"
            "  pin: {type: universal, on: [arm, bob], at: [0.1, 0, -0.8], axes: [[1, 0, 0], [0, "
            "1, 0]]}\n"
            "forces:\n"
            "  damp: {type: spring, on: [ground, bob], at: [[1, 0.4, -1], bob], stiffness: 30, "
            "damping: 2, length: 0.9}\n"
            "equations: {first_order: {z: {at: 0, derivative: \"-3*z + bob.position.x\"}}}\n"
            "analyse: {hang: {type: equilibrium}, shake: {type: modes, about: hang}}\n"
            "simulate: {until: 1, start: hang, method: radau, rtol: 1e-8, formulation: %s}\n",
            forms[k]);
        if (has_modes(text, 1e-6)) return 1;
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
            "bodies:\n"
            "  hub: {type: rigid, mass: 1, inertia: 0.05}\n"
            "  blade: {type: flexible, position: [0, 0], fe: {line: [[0, 0], [0.8, 0]], elements: "
            "4, "
            "section: {width: 0.02, height: 0.004}, material: {E: 7e10, density: 2700}}, reduce: "
            "{type: craig-bampton, interfaces: [start], modes: 3}, damping: {ratio: 0.01}}\n"
            "joints:\n"
            "  A: {type: revolute, on: [ground, hub], at: [0, 0]}\n"
            "  B: {type: fixed, on: [hub, blade], at: [0, 0]}\n"
            "forces: {s: {type: spring, on: A, stiffness: 25, damping: 0.1}}\n"
            "analyse: {hang: {type: equilibrium}, shake: {type: modes, about: hang}}\n"
            "simulate: {until: 1, start: hang, method: radau, rtol: 1e-8, formulation: %s}\n",
            forms[k]);
        if (has_modes(text, 1e-6)) return 1;
    }
    return 0;
}

// ---- what it leaves, says and refuses ---------------------------------------------------------------------

static int run_goes_on_as_if_nothing_had_been(void)
{
    char text[3000];
    for (int k = 0; k < 4; k++) {
        rig r, other;
        flx_linear_model m;
        int out = 0, in[2] = {0, 1}, n;
        double seed[2] = {1, 2}, slope;
        snprintf(text, sizeof text, FOUR_BAR,
                 "  D: {type: revolute, on: [ground, three], at: [1.05, -0.02]}\n", methods[k]);
        if (set_up(text, &r) || set_up(text, &other)) return 1;
        CHECK(flx_run_advance(r.run, 0.3) == FLX_OK && flx_run_advance(other.run, 0.3) == FLX_OK);
        const flx_io io = {2, 1, in, &out};
        CHECK(flx_run_linearise(r.run, &io, NULL, &m) == FLX_OK);
        CHECK(flx_run_directional(r.run, 1, &out, 2, in, seed, &slope) == FLX_OK);
        CHECK_NEAR(slope, m.D[0] + 2 * m.D[1], 1e-9);
        flx_linear_model_clear(&m);
        CHECK(flx_run_advance(r.run, 0.5) == FLX_OK && flx_run_advance(other.run, 0.5) == FLX_OK);
        const double *a = flx_run_view(r.run, FLX_VIEW_Q, &n);
        CHECK(memcmp(a, flx_run_view(other.run, FLX_VIEW_Q, NULL), (size_t)n * sizeof *a) == 0);
        a = flx_run_view(r.run, FLX_VIEW_V, &n);
        CHECK(memcmp(a, flx_run_view(other.run, FLX_VIEW_V, NULL), (size_t)n * sizeof *a) == 0);
        a = flx_run_outputs(r.run, &n);
        CHECK(memcmp(a, flx_run_outputs(other.run, NULL), (size_t)n * sizeof *a) == 0);
        put_away(&r);
        put_away(&other);
    }
    return 0;
}

static int loop_is_cut_or_closed(void)
{
    char text[2000];
    rig r;
    flx_linear_model m;
    double a[MOST * MOST], b[MOST];
    int in = 0, out[4];
    snprintf(text, sizeof text, CART_POLE, "{value: 3*hinge.angle - hinge.rate}", methods[0]);
    if (set_up(text, &r)) return 1;
    for (int i = 0; i < 4; i++) out[i] = flx_system_output(r.system, cart_states[i], r.ctx);
    const flx_io io = {1, 4, &in, out};
    flx_linear_def def = flx_linear_def_default();
    def.closed = 1;
    CHECK(flx_run_linearise(r.run, &io, &def, &m) == FLX_OK);
    if (by_outputs(&m, a, b)) return 1;
    CHECK_NEAR(a[2 * 4 + 1], 1.401428571428572 + 3 * 0.9523809523809523, 1e-8);
    CHECK_NEAR(a[3 * 4 + 3], -2.3809523809523814, 1e-8);
    CHECK_NEAR(b[3], 2.3809523809523814, 1e-9);
    flx_linear_model_clear(&m);
    put_away(&r);
    return 0;
}

// A force that has a corner where the state is, or is much steeper than bodies are long.
static int corners_are_told(void)
{
    static const struct {
        const char *value;
        int warnings;
        double slope; // of the force by the place
    } forces[] = {{"-5*cart.position.x", 0, -5},
                  {"-abs(cart.position.x)", 1, (double)NAN},
                  {"-max(cart.position.x, 0)", 1, (double)NAN},
                  {"-7*1e-5*tanh(cart.position.x/1e-5)", 0, -7},
                  {"-sin(1e3*cart.position.x)", 0, -1e3}};
    for (size_t k = 0; k < sizeof forces / sizeof forces[0]; k++) {
        char text[2000];
        rig r;
        flx_linear_model m;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, 0]\n"
                 "bodies: {cart: {type: rigid, mass: 2, inertia: 0.1}}\n"
                 "joints: {rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0]}}\n"
                 "forces: {f: {type: force, on: rail, value: \"%s\"}}\n"
                 "simulate: {until: 1, method: radau, rtol: 1e-6}\n",
                 forces[k].value);
        if (set_up(text, &r)) return 1;
        int before = flx_ctx_warning_count(r.ctx);
        CHECK(flx_run_linearise(r.run, NULL, NULL, &m) == FLX_OK);
        if (flx_ctx_warning_count(r.ctx) - before != forces[k].warnings)
            printf("  %s: %d warnings\n", forces[k].value, flx_ctx_warning_count(r.ctx) - before);
        CHECK(flx_ctx_warning_count(r.ctx) - before == forces[k].warnings);
        if (forces[k].warnings == 0) CHECK_REL(m.A[2], forces[k].slope / 2, 1e-8);
        flx_linear_model_clear(&m);
        put_away(&r);
    }
    return 0;
}

static int wrong_questions_are_refused(void)
{
    char text[2000];
    rig r;
    flx_linear_model m;
    int none = 7, twice[] = {0, 0};
    double slope, seed = (double)NAN;
    snprintf(text, sizeof text, CART_POLE, "0", methods[0]);
    if (set_up(text, &r)) return 1;
    const flx_io io = {0, 1, NULL, &none}, doubled = {2, 0, twice, NULL};
    CHECK(flx_run_linearise(r.run, &io, NULL, &m) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_linearise(r.run, &doubled, NULL, &m) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 1)->text, "listed twice");
    CHECK(flx_run_directional(r.run, 1, twice, 1, twice, &seed, &slope) == FLX_ERR_ARGUMENT);
    flx_linear_def def = {0};
    CHECK(flx_run_linearise(r.run, NULL, &def, &m) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_linearise(r.run, NULL, NULL, &m) == FLX_OK && m.nin == 0 && m.n == 4);
    flx_linear_model_clear(&m);
    put_away(&r);
    static const char massless[] =
        "flexion: 1\nequations:\n  second_order: {x: {mass: 0, at: 1, force: -3*x - 2*x'}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-6}\n";
    if (set_up(massless, &r)) return 1;
    CHECK(flx_run_linearise(r.run, NULL, NULL, &m) == FLX_SINGULAR);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "do not determine the acceleration of 'x'");
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(cart_pole_is_that_of_the_book), TEST(slider_crank_is_that_of_one_coordinate),
          TEST(moved_base_is_that_of_the_book), TEST(runs_go_apart_as_the_matrix_says),
          TEST(eigenvalues_are_those_of_modes), TEST(run_goes_on_as_if_nothing_had_been),
          TEST(loop_is_cut_or_closed), TEST(corners_are_told), TEST(wrong_questions_are_refused))
