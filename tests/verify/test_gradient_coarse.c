// test_gradient_coarse.c - slopes of metrics in runs whose steps are halved for them: direct and adjoint are those of the metrics
// that the run itself finds, by differences of these.
#include "run_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define METRICS 5
#define PARAMS 4
#define REACH 1e-4 // of the parameters, for differences of five points

// A quarter of a car on a rough road; a body that turns in space, by joint coordinates and by coordinates of the body.
#define CAR                                                                                        \
    "flexion: 1\nparameters: {k: 20000, c: 1500, kt: 180000, ms: 250}\n"                           \
    "signals:\n"                                                                                   \
    "  road: 0.004*(sin(7*t) + 0.6*sin(17.3*t + 1) + 0.4*sin(41*t + 2) + 0.3*sin(66*t + 0.5))\n"   \
    "  acceleration: (-k*(zs - zu) - c*(zs' - zu'))/ms\n"                                          \
    "  load: kt*(zu - road)\n"                                                                     \
    "equations:\n  second_order:\n"                                                                \
    "    zs: {mass: ms, force: \"-k*(zs - zu) - c*(zs' - zu')\"}\n"                                \
    "    zu: {mass: 40, force: \"k*(zs - zu) + c*(zs' - zu') - kt*(zu - road)\"}\n"                \
    "outputs:\n  every: 0.02\n  signals: [zs]\n"                                                   \
    "  metrics: {a: rms(acceleration), b: rms(load), c: mean(zs^2), d: integral(zu), "             \
    "e: \"integral(load*sin(150*t))/kt\"}\n"
#define BODY                                                                                       \
    "flexion: 1\nparameters: {k: 4, c: 0.3, mu: 1.5, w: 9}\n"                                      \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies: {top: {type: rigid, mass: mu, inertia: [0.02, 0.03, 0.04], com: [0.1, 0, c], "        \
    "angular_velocity: [1, 0.5, w], points: {tip: [0, 0.1, 0.5]}}}\n"                              \
    "joints: {foot: {type: spherical, on: [ground, top], at: [0, 0, 0]}}\n"                        \
    "signals: {z: top.tip.position.z, s: \"sin(1.2*k*top.tip.velocity.x)\"}\n"                     \
    "outputs:\n  every: 0.02\n  signals: [z]\n"                                                    \
    "  metrics: {a: rms(s), b: mean(s^2), c: integral(c*z*s), d: rms(z), e: mean(z)}\n"
#define KICKS                                                                                      \
    "flexion: 1\nparameters: {k: 30, c: 0.3, every: 0.217, e: 0.7}\n"                              \
    "equations: {second_order: {x: {mass: 1, at: 1, force: -k*x - c*x'}}}\n"                       \
    "events: {clock: {every: every, set: {x': -e*x'}}}\n"                                          \
    "outputs:\n  every: 0.02\n  signals: [x]\n"                                                    \
    "  metrics: {a: rms(sin(9*x)), b: \"mean(cos(9*x'))\", c: integral(x), d: rms(x), e: "         \
    "mean(x^2)}\n"

// From rest: a damper begins to dissipate within the first step, behind which integrals begin anew.
#define DAMPED                                                                                     \
    "flexion: 1\nparameters: {k: 30, c: 2, l: 0.7, mu: 1.2}\ndimension: 2\n"                       \
    "bodies: {b: {type: rigid, mass: mu, inertia: 1}}\n"                                           \
    "joints: {r: {type: prismatic, on: [ground, b], at: b, axis: [1, 0]}}\n"                       \
    "forces: {s: {type: spring, on: r, stiffness: k, length: l, damping: c}}\n"                    \
    "outputs:\n  every: 0.02\n  signals: [r.rate]\n"                                               \
    "  metrics: {a: rms(4 + r.rate), b: mean(1 + r.displacement), c: \"integral((1 + "             \
    "r.displacement)^2)\", d: rms(2 + r.displacement), e: integral(4*l + l*r.rate)}\n"

typedef struct subject {
    const char *name, *text, *simulate;
    bool
        own; // steps are halved as they are where parameters are moved: differences of the run's metrics count
    double
        value; // tolerance: the run closes joints between the ends of its steps, which have no derivative there
} subject;

static int set_up(const subject *s, rig *r)
{
    char text[4000];
    snprintf(text, sizeof text, "%ssimulate: {%s}\n", s->text, s->simulate);
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    read.text = text;
    read.length = strlen(text);
    return rig_compile(r, flx_model_read_by(r->ctx, "text", &read, &r->model), true);
}

static int run_at(rig *r, double *metrics)
{
    CHECK(flx_run_reset(r->run) == FLX_OK);
    CHECK(flx_run_finish(r->run) == FLX_OK);
    const flx_ledger *l = flx_run_ledger(r->run);
    for (int i = 0; i < METRICS; i++) metrics[i] = l->metrics[i];
    return 0;
}

static int difference(rig *r, int k, double slope[METRICS][PARAMS])
{
    static const double places[4] = {-2.0, -1.0, 1.0, 2.0};
    static const double weights[4] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
    double p, value[METRICS];
    flx_run_get_parameter(r->run, k, &p);
    for (int i = 0; i < METRICS; i++) slope[i][k] = 0.0;
    for (int l = 0; l < 4; l++) {
        double e = REACH * p;
        CHECK(flx_run_set_parameter(r->run, k, p + places[l] * e) == FLX_OK);
        CHECK(run_at(r, value) == 0);
        for (int i = 0; i < METRICS; i++) slope[i][k] += weights[l] * value[i] / e;
    }
    CHECK(flx_run_set_parameter(r->run, k, p) == FLX_OK);
    return 0;
}

// The gradient by a method; off: how far its slopes are from the others.
static int find(const subject *s, rig *r, flx_gradient_method method, const double *value,
                double slope[METRICS][PARAMS], bool take, double *off)
{
    static const int all[METRICS] = {0, 1, 2, 3, 4};
    flx_gradient_def def = flx_gradient_def_default();
    def.method = method;
    def.nparam = PARAMS;
    def.param = all;
    def.nmetric = METRICS;
    def.metric = all;
    flx_gradient g;
    flx_status status = flx_gradient_find(r->run, &def, &g);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(r->ctx, 0)->text);
    CHECK(status == FLX_OK && g.method == method);
    *off = 0.0;
    for (int i = 0; i < METRICS; i++) {
        double most = 0.0, worst = 0.0, p = 0.0;
        CHECK_REL(g.value[i], value[i], s->value);
        for (int k = 0; k < PARAMS; k++) {
            double *at = &slope[i][k], found = g.slope[i * PARAMS + k];
            flx_run_get_parameter(r->run, k, &p);
            if (take) *at = found;
            most = fmax(most, fabs(*at * p));
            worst = fmax(worst, fabs((found - *at) * p));
        }
        *off = fmax(*off, worst / most);
    }
    flx_gradient_clear(&g);
    return 0;
}

static int compare(const subject *s)
{
    double value[METRICS], after[METRICS], slope[METRICS][PARAMS], off[3];
    rig r;
    CHECK(set_up(s, &r) == 0);
    CHECK(run_at(&r, value) == 0);
    for (int k = 0; k < PARAMS && s->own; k++) CHECK(difference(&r, k, slope) == 0);
    CHECK(find(s, &r, FLX_GRADIENT_DIRECT, value, slope, !s->own, &off[0]) == 0);
    CHECK(find(s, &r, FLX_GRADIENT_ADJOINT, value, slope, false, &off[1]) == 0);
    printf("%-24s direct %8.1e, adjoint %8.1e", s->name, off[0], off[1]);
    if (s->own) {
        CHECK(find(s, &r, FLX_GRADIENT_DIFFERENCES, value, slope, false, &off[2]) == 0);
        printf(", differences %8.1e", off[2]);
    }
    printf(s->own ? " from those of the run\n" : "\n");
    CHECK(off[0] < 1e-8 && off[1] < 1e-8 && (!s->own || off[2] < 1e-8));
    // the run is what it was
    CHECK(run_at(&r, after) == 0);
    for (int i = 0; i < METRICS; i++) CHECK(after[i] == value[i]);
    put_away(&r);
    return 0;
}

static int own_metrics(void)
{
    static const subject subjects[] = {
        {"car, as it was", CAR, "until: 4, method: generalized-alpha, step: 4e-3", true, 1e-13},
        {"car, coarse", CAR, "until: 2, method: generalized-alpha, step: 0.02", true, 1e-13},
        {"car, newmark", CAR, "until: 2, method: newmark, step: 0.02", true, 1e-13},
        {"car, radau", CAR, "until: 2, method: radau, step: 0.05", true, 1e-13},
        {"car, dopri5", CAR, "until: 2, method: dopri5, step: 0.01", true, 1e-13},
        {"body, generalized-alpha", BODY, "until: 1, method: generalized-alpha, step: 0.01", true,
         1e-13},
        {"body, hht", BODY, "until: 1, method: hht, step: 0.02", true, 1e-13},
        {"body, tree", BODY, "until: 0.5, method: generalized-alpha, formulation: tree, step: 0.01",
         false, 1e-13},
        {"body, radau", BODY, "until: 1, method: radau, step: 0.02", false, 1e-13},
        {"damped, from rest", DAMPED, "until: 1, method: generalized-alpha, step: 0.01", true,
         1e-13},
        {"damped, tree", DAMPED, "until: 1, method: hht, formulation: tree, step: 0.01", true,
         1e-13},
        {"kicks", KICKS, "until: 1, method: radau, step: 0.05", false, 1e-13}};
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++)
        CHECK(compare(subjects + i) == 0);
    return 0;
}

// Runs of differences that meet events are not halved: that is told of a metric whose value changes by it, and of no other.
static int told(void)
{
    static const char *const steps[2] = {"0.05", "1e-3"};
    static const int all[METRICS] = {0, 1, 2, 3, 4};
    for (int i = 0; i < 2; i++) {
        char simulate[80];
        snprintf(simulate, sizeof simulate, "until: 1, method: radau, step: %s", steps[i]);
        const subject s = {.text = KICKS, .simulate = simulate};
        rig r;
        flx_gradient g;
        CHECK(set_up(&s, &r) == 0);
        flx_gradient_def def = flx_gradient_def_default();
        def.method = FLX_GRADIENT_DIFFERENCES;
        def.nparam = PARAMS;
        def.param = all;
        def.nmetric = METRICS;
        def.metric = all;
        CHECK(flx_gradient_find(r.run, &def, &g) == FLX_OK);
        int n = 0;
        for (int k = 0; k < flx_ctx_warning_count(r.ctx); k++)
            n += strstr(flx_ctx_warning(r.ctx, k)->text, "slopes of metric") != NULL;
        CHECK(i == 0 ? n > 0 : n == 0);
        flx_gradient_clear(&g);
        put_away(&r);
    }
    return 0;
}

TEST_MAIN(TEST(own_metrics), TEST(told))
