// test_gradient_events.c - derivatives of runs across contacts and other switches whose instants move with the parameters: against
// a closed form, with error control and with a given step; what is not exact is told.
#include "flexion/extend/method_table.h"
#include "run_rig.h"

#include <math.h>
#include <string.h>

#define G 9.81
#define END 0.3

// A ball of 1 kg falls from h onto a spring of stiffness K, leaves it and rises: its height at the end.
static double height(double h, double K)
{
    double v = sqrt(2.0 * G * h), w = sqrt(K);
    double touching = 2.0 * (acos(-1.0) - atan(v * w / G)) / w;
    double t = END - v / G - touching;
    return v * t - 0.5 * G * t * t;
}

static void slopes_of(double h, double K, double slope[2])
{
    double e = 1e-4 * h, f = 1e-4 * K;
    slope[0] = (8.0 * (height(h + e, K) - height(h - e, K)) -
                (height(h + 2.0 * e, K) - height(h - 2.0 * e, K))) /
               (12.0 * e);
    slope[1] = (8.0 * (height(h, K + f) - height(h, K - f)) -
                (height(h, K + 2.0 * f) - height(h, K - 2.0 * f))) /
               (12.0 * f);
}

static const char *const ball =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {h: 0.2, K: 1e6}\n"
    "bodies: {ball: {type: point, mass: 1, position: [0, h]}}\n"
    "forces: {floor: {type: contact, on: [ground, ball], surfaces: [{plane: [0, 1]}, {sphere: 0}], "
    "law: penalty, stiffness: K}}\n"
    "simulate: {until: 0.3, %s}\n"
    "outputs: {signals: [ball.position.y], metrics: {y: final(ball.position.y)}}\n"
    "analyse: {slopes: {type: sensitivity, parameters: [h, K]}}\n";

static int read_ball(rig *r, const char *method)
{
    char text[1000];
    snprintf(text, sizeof text, ball, method);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    return rig_compile(r, flx_model_read_by(r->ctx, "text", &read, &r->model), true);
}

static flx_status find(rig *r, flx_gradient_method method, flx_gradient *g)
{
    static const int params[2] = {0, 1}, metric = 0;
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = 2;
    def.param = params;
    def.nmetric = 1;
    def.metric = &metric;
    return flx_gradient_find(r->run, &def, g);
}

// Steps that are chosen by their error: slopes are those of the motion, and known to be.
static int with_error_control(void)
{
    rig r;
    flx_gradient g;
    double exact[2];
    slopes_of(0.2, 1e6, exact);
    CHECK(read_ball(&r, "method: radau, rtol: 1e-8, atol: 1e-10") == 0);
    CHECK(find(&r, FLX_GRADIENT_AUTO, &g) == FLX_OK);
    CHECK(g.method == FLX_GRADIENT_DIFFERENCES);
    CHECK_REL(g.value[0], height(0.2, 1e6), 1e-7);
    for (int k = 0; k < 2; k++) {
        CHECK_REL(g.slope[k], exact[k], 1e-5);
        CHECK(flx_gradient_error(&g, 0, k) < 1e-5 * fabs(exact[k]));
    }
    CHECK(isnan(flx_gradient_error(&g, 1, 0)) && isnan(flx_gradient_error(&g, 0, -1)));
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

// A given step: the instants of contact wander over the ends of steps. How far slopes are off is known; direct is refused.
static int with_a_given_step(void)
{
    static const double heights[] = {0.17, 0.2, 0.23};
    rig r;
    flx_gradient g;
    CHECK(read_ball(&r, "method: generalized-alpha, step: 4e-4") == 0);
    int covered = 0, n = sizeof heights / sizeof heights[0];
    for (int i = 0; i < n; i++) {
        double exact[2];
        slopes_of(heights[i], 1e6, exact);
        CHECK(flx_run_set_parameter(r.run, 0, heights[i]) == FLX_OK);
        CHECK(find(&r, FLX_GRADIENT_AUTO, &g) == FLX_OK);
        double off = fabs(g.slope[0] - exact[0]), error = flx_gradient_error(&g, 0, 0);
        printf("h = %5.3f: slope %9.5f, exact %9.5f, off by %7.1e, told %7.1e\n", heights[i],
               g.slope[0], exact[0], off, error);
        CHECK(error > 0.0);
        covered += off < 3.0 * error + 1e-3;
        flx_gradient_clear(&g);
    }
    CHECK(covered == n);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, &g) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "events happen in it");
    flx_ctx_clear_messages(r.ctx);
    put_away(&r);
    return 0;
}

static bool has_line(const flx_finding *f, const char *part)
{
    for (int i = 0; i < f->nline; i++) {
        if (strstr(f->lines[i], part)) return true;
    }
    return false;
}

static bool has_warning(const flx_ctx *ctx, const char *part)
{
    for (int i = 0; i < flx_ctx_warning_count(ctx); i++) {
        if (strstr(flx_ctx_warning(ctx, i)->text, part)) return true;
    }
    return false;
}

// The analysis compares a given step with half of it, and says what is not exact; error control is silent.
static int is_told(void)
{
    static const char *const methods[] = {"method: generalized-alpha, step: 1e-3",
                                          "method: radau, rtol: 1e-8"};
    for (int i = 0; i < 2; i++) {
        char text[1000];
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_simulation *sim = NULL;
        flx_finding f = {0};
        snprintf(text, sizeof text, ball, methods[i]);
        CHECK(flx_model_read_text(ctx, "text", text, strlen(text), 0, NULL, &m) == FLX_OK);
        CHECK(flx_simulation_create(m, &sim) == FLX_OK);
        CHECK(flx_simulation_analyse(sim, 0, &f) == FLX_OK);
        CHECK(has_line(&f, "by differences of runs") && has_line(&f, "by their scatter"));
        CHECK(has_line(&f, "half the step") == (i == 0));
        CHECK(has_warning(ctx, "is not exact") == (i == 0));
        flx_finding_clear(&f);
        flx_simulation_destroy(&sim);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// A stop whose law begins smoothly is met inside steps, and direct slopes go over its corner: the place of the stop is moved by less
// than what it gives way, or the differences of its effort were those of another law. Against runs that are moved by little.
static int over_a_corner(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {g: 0.5, k: 5e4}\n"
        "bodies: {bob: {type: rigid, mass: 1, inertia: 0.1, position: [1, 0]}}\n"
        "joints: {J: {type: revolute, on: [ground, bob], at: [0, 0], "
        "limits: {lower: -g, stiffness: k}}}\n"
        "simulate: {until: 1, method: generalized-alpha, step: 1e-3}\n"
        "outputs: {signals: [J.angle], metrics: {last: final(J.angle)}}\n";
    const double places[4] = {-2.0, -1.0, 1.0, 2.0}, e = 2e-6;
    const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    CHECK(rig_compile(&r, flx_model_read_by(r.ctx, "text", &read, &r.model), true) == 0);
    double slope = 0.0;
    flx_gradient g;
    for (int i = 0; i < 4; i++) {
        static const int metric = 0;
        flx_gradient_def def = flx_gradient_def_default(); // a value alone
        def.nmetric = 1;
        def.metric = &metric;
        CHECK(flx_run_set_parameter(r.run, 0, 0.5 + places[i] * e) == FLX_OK);
        CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK);
        slope += weights[i] / e * g.value[0];
        flx_gradient_clear(&g);
    }
    CHECK(flx_run_set_parameter(r.run, 0, 0.5) == FLX_OK);
    CHECK(find(&r, FLX_GRADIENT_DIRECT, &g) == FLX_OK);
    printf("corner: direct %.8f, differences %.8f\n", g.slope[0], slope);
    CHECK_REL(g.slope[0], slope, 1e-5);
    CHECK(flx_gradient_error(&g, 0, 0) == 0.0);
    flx_gradient_clear(&g);
    CHECK(find(&r, FLX_GRADIENT_ADJOINT, &g) == FLX_OK);
    CHECK_REL(g.slope[0], slope, 1e-5);
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

// A joint that sticks lets go where the run begins: the first step is one of a joint that slides, and so are its slopes; or
// direct ones are refused, where the beginning still has the switches of one that is held.
static int lets_go_at_start(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 1, f: 0.3}\n"
        "bodies: {bob: {type: rigid, mass: m, inertia: 0.1, position: [1, 0]}}\n"
        "joints: {J: {type: revolute, on: [ground, bob], at: [0, 0], "
        "friction: {coefficient: f, radius: 0.1, stick: true}}}\n"
        "simulate: {until: 0.1, method: generalized-alpha, step: 2e-3}\n"
        "outputs: {signals: [J.angle], metrics: {last: final(J.angle)}}\n";
    rig r = {.ctx = flx_ctx_create()};
    flx_gradient g, differences;
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    CHECK(rig_compile(&r, flx_model_read_by(r.ctx, "text", &read, &r.model), true) == 0);
    CHECK(find(&r, FLX_GRADIENT_DIFFERENCES, &differences) == FLX_OK);
    CHECK(flx_gradient_error(&differences, 0, 1) < 1e-6 * fabs(differences.slope[1]));
    CHECK(find(&r, FLX_GRADIENT_AUTO, &g) == FLX_OK);
    for (int k = 0; k < 2; k++) CHECK_REL(g.slope[k], differences.slope[k], 1e-6);
    flx_gradient_clear(&differences);
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

// A start at zero, whose size says nothing of how far it may be moved: the distance is found.
static int parameter_zero(void)
{
    static const char text[] =
        "flexion: 1\nparameters: {x0: 0, w: 40}\n"
        "equations: {second_order: {x: {mass: 1, at: 1 + 200*x0, force: -w^2*x}}}\n"
        "simulate: {until: 1, method: radau, rtol: 1e-9, atol: 1e-12}\n"
        "outputs: {signals: [x], metrics: {y: final(x), z: final(x^8)}}\n";
    static const int params[1] = {0}, metrics[2] = {0, 1};
    rig r = {.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    CHECK(rig_compile(&r, flx_model_read_by(r.ctx, "text", &read, &r.model), true) == 0);
    flx_gradient_def def = flx_gradient_def_default();
    def.nparam = 1;
    def.param = params;
    def.nmetric = 2;
    def.metric = metrics;
    flx_gradient g;
    CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK);
    CHECK_REL(g.slope[0], 200.0 * cos(40.0), 1e-6);
    CHECK_REL(g.slope[1], 1600.0 * pow(cos(40.0), 8.0), 1e-5);
    flx_gradient_clear(&g);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(with_error_control), TEST(with_a_given_step), TEST(is_told), TEST(over_a_corner),
          TEST(lets_go_at_start), TEST(parameter_zero))
