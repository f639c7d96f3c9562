// test_load_path.c - load paths, singular points and buckling loads against closed forms.
#include "base/common.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

typedef struct found {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_result *path; // of a path
    flx_status status;
} found;

static void find(found *a, const char *text, int number)
{
    flx_sink *sink = NULL;
    *a = (found){.ctx = flx_ctx_create()};
    a->status = flx_model_read_text(a->ctx, "model", text, strlen(text), 0, NULL, &a->model);
    if (a->status == FLX_OK) a->status = flx_simulation_create_to_analyse(a->model, &a->sim);
    if (a->status == FLX_OK) a->status = flx_memory_sink_create(a->ctx, &sink);
    if (a->status == FLX_OK) {
        const char *type, *about;
        flx_simulation_analysis(a->sim, number, &type, &about);
        a->status = flx_simulation_analyse_to(a->sim, number, 1, &sink, &a->f);
        if (strcmp(type, "static") == 0) (void)flx_memory_sink_take(sink, &a->path);
    }
    flx_sink_destroy(&sink);
}

static void done(found *a)
{
    flx_finding_clear(&a->f);
    flx_result_close(&a->path);
    flx_simulation_destroy(&a->sim);
    flx_model_destroy(&a->model);
    flx_ctx_destroy(&a->ctx);
}

static const double *column(const found *a, const char *name)
{
    for (int c = 0; c < flx_result_columns(a->path); c++) {
        if (strcmp(flx_result_name(a->path, c), name) == 0) return flx_result_column(a->path, c);
    }
    return NULL;
}

// ---- a shallow truss -----------------------------------------------------------------------------

#define TRUSS(load, analysis)                                                                      \
    "flexion: 1\ndimension: 2\nparameters: {h: 0.2, k: 500, F: 10}\n"                              \
    "bodies: {top: {type: point, mass: 1, position: [0, h]}}\nforces:\n"                           \
    "  l: {type: spring, on: [ground, top], at: [[-1, 0], top], stiffness: k}\n"                   \
    "  r: {type: spring, on: [ground, top], at: [[1, 0], top], stiffness: k}\n" load               \
    "analyse:\n  snap: " analysis "\noutputs: {signals: [top.position]}\n"
#define TOP_LOAD "  P: {type: force, on: top, value: [0, -F]}\n"

static double truss_load(double y)
{
    return 2.0 * 500.0 * y * (sqrt(1.04) / sqrt(1.0 + y * y) - 1.0);
}

static int every_position_is_on_the_curve(void)
{
    found a;
    double l = cbrt(sqrt(1.04)), limit = truss_load(sqrt(l * l - 1.0)) / 10.0;
    find(&a, TRUSS(TOP_LOAD, "{type: static, load: P, arc_length: true, steps: 20}"), 0);
    CHECK(a.status == FLX_OK);
    const double *y = column(&a, "top.position.y"), *f = column(&a, "load");
    CHECK(y && f);
    for (int i = 0; i < flx_result_rows(a.path); i++) {
        CHECK_NEAR(10.0 * f[i], truss_load(y[i]), 1e-12);
    }
    CHECK(a.f.path.arrived && a.f.path.ncritical == 2);
    CHECK(a.f.path.critical[0].limit && a.f.path.critical[1].limit);
    CHECK_REL(a.f.path.critical[0].factor, limit, 1e-13);
    CHECK_REL(a.f.path.critical[1].factor, -limit, 1e-13);
    CHECK_NEAR(f[flx_result_rows(a.path) - 1], 1.0, 1e-15);
    done(&a);
    return 0;
}

static int rows_with(const found *a, double factor)
{
    const double *f = column(a, "load");
    int n = 0;
    for (int i = 0; i < flx_result_rows(a->path); i++) n += fabs(f[i] - factor) < 1e-13;
    return n;
}

// Factors that are asked for are rows, as often as the path meets them: the curve does so three times between its
// limits, also so near to one of them that a step might pass both places at once.
static int asked_factors_are_met(void)
{
    static const char *const steps[] = {"3", "20", "100"};
    found a;
    for (int k = 0; k < 3; k++) {
        char text[1024];
        snprintf(text, sizeof text,
                 TRUSS(TOP_LOAD, "{type: static, load: P, arc_length: true, steps: %s, "
                                 "factors: [0.7, 0.1, -0.05, 0.15, 0.1509, -0.15094, 0.2, 5]}"),
                 steps[k]);
        find(&a, text, 0);
        CHECK(a.status == FLX_OK);
        const double *y = column(&a, "top.position.y"), *f = column(&a, "load");
        for (int i = 0; i < flx_result_rows(a.path); i++) {
            CHECK_NEAR(10.0 * f[i], truss_load(y[i]), 1e-11);
        }
        CHECK(rows_with(&a, 0.1) == 3 && rows_with(&a, 0.15) == 3 && rows_with(&a, -0.05) == 2);
        CHECK(rows_with(&a, 0.1509) == 3 && rows_with(&a, -0.15094) == 2);
        CHECK(rows_with(&a, 0.2) == 1 && rows_with(&a, 0.7) == 1 && rows_with(&a, 5) == 0);
        CHECK(a.f.path.ncritical == 2 && rows_with(&a, 1) == 1);
        done(&a);
    }
    find(
        &a,
        TRUSS(TOP_LOAD, "{type: static, load: P, to: 0.15, steps: 4, factors: [0.11, 0.01, 0.15]}"),
        0);
    CHECK(a.status == FLX_OK);
    CHECK(rows_with(&a, 0.01) == 1 && rows_with(&a, 0.11) == 1 && rows_with(&a, 0.15) == 1);
    done(&a);
    return 0;
}

static int loads_stop_at_the_limit(void)
{
    found a;
    find(&a, TRUSS(TOP_LOAD, "{type: static, load: P}"), 0);
    CHECK(a.status == FLX_NO_CONVERGENCE);
    CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, "beyond the load factor 0.15095");
    CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, "'top' (y) gives way");
    CHECK_TEXT(flx_ctx_error(a.ctx, 0)->text, "arc_length");
    done(&a);
    return 0;
}

// A parameter as the load: the same curve; and a motion that pushes the top, whose drive is the load.
static int parameters_and_motions_are_loads(void)
{
    found a;
    find(&a, TRUSS(TOP_LOAD, "{type: static, load: F, to: 0.1}"), 0);
    CHECK(a.status == FLX_OK);
    CHECK_NEAR(1.0, truss_load(a.f.signals[1]), 1e-12);
    done(&a);
    find(&a,
         "flexion: 1\ndimension: 2\n"
         "bodies:\n  top: {type: rigid, mass: 1, inertia: 1, position: [0, 0.2]}\njoints:\n"
         "  G: {type: prismatic, on: [ground, top], at: [0, 0.2], axis: [0, 1],"
         " motion: {displacement: -0.3}}\nforces:\n"
         "  l: {type: spring, on: [ground, top], at: [[-1, 0], top], stiffness: 500}\n"
         "  r: {type: spring, on: [ground, top], at: [[1, 0], top], stiffness: 500}\n"
         "analyse: {push: {type: static, load: [G], steps: 6}}\n"
         "outputs: {signals: [top.position, G.drive]}\n",
         0);
    CHECK(a.status == FLX_OK);
    const double *y = column(&a, "top.position.y"), *drive = column(&a, "G.drive");
    CHECK(flx_result_rows(a.path) == 7);
    for (int i = 0; i < 7; i++) {
        CHECK_NEAR(y[i], 0.2 - 0.05 * i, 1e-15);
        CHECK_NEAR(-drive[i], truss_load(y[i]), 1e-12);
    }
    done(&a);
    return 0;
}

// Equations alone: q^3 - q = F q', and gravity: a mass on a spring.
static int equations_and_gravity_have_loads(void)
{
    found a;
    find(&a,
         "flexion: 1\nparameters: {F: 2}\nequations:\n  second_order:\n"
         "    q: {at: -1, mass: 1, force: F - q^3 + q}\n"
         "analyse: {up: {type: static, load: F, from: 0, to: 1, arc_length: true, steps: 30}}\n"
         "outputs: {signals: [q]}\n",
         0);
    CHECK(a.status == FLX_OK);
    const double *q = column(&a, "q"), *f = column(&a, "load");
    for (int i = 0; i < flx_result_rows(a.path); i++) {
        CHECK_NEAR(2.0 * f[i], q[i] * q[i] * q[i] - q[i], 1e-13);
    }
    CHECK(a.f.path.ncritical == 2);
    CHECK_REL(a.f.path.critical[0].factor, 1.0 / sqrt(27.0), 1e-13);
    done(&a);
    find(&a,
         "flexion: 1\ngravity: [0, 0, -9.81]\nbodies: {m: {type: point, mass: 2}}\nforces:\n"
         "  s: {type: spring, on: [ground, m], at: [[0, 0, 1], m], stiffness: 100}\n"
         "analyse: {sag: {type: static, load: gravity, to: 0.5}}\n"
         "outputs: {signals: [m.position.z, energy.potential]}\n",
         0);
    CHECK(a.status == FLX_OK);
    CHECK_NEAR(a.f.signals[0], -0.0981, 1e-14);
    CHECK_NEAR(a.f.signals[1], -0.0981 * 9.81, 1e-13);
    done(&a);
    return 0;
}

// ---- columns of links ----------------------------------------------------------------------------

#define COLUMN(analyses)                                                                           \
    "flexion: 1\ndimension: 2\nparameters: {L: 0.5, k: 20}\nbodies:\n"                             \
    "  low: {type: rigid, mass: 1, com: [0, L/2], inertia: 0.02, points: {top: [0, L]}}\n"         \
    "  high: {type: rigid, mass: 1, com: [0, L/2], inertia: 0.02, position: [0, L],"               \
    " points: {top: [0, L]}}\njoints:\n"                                                           \
    "  A: {type: revolute, on: [ground, low], at: [0, 0]}\n"                                       \
    "  B: {type: revolute, on: [low, high], at: low.top}\nforces:\n"                               \
    "  kA: {type: spring, on: A, stiffness: k}\n  kB: {type: spring, on: B, stiffness: k}\n"       \
    "  P: {type: force, on: high, at: high.top, value: [0, -k/L]}\n"                               \
    "analyse: {a: {" analyses "}}\noutputs: {signals: [A.angle, B.angle]}\n"

static int columns_buckle_at_their_loads(void)
{
    found a;
    const double low = (3.0 - sqrt(5.0)) / 2.0, high = (3.0 + sqrt(5.0)) / 2.0;
    find(&a, COLUMN("type: buckling, count: 2"), 0);
    CHECK(a.status == FLX_OK && a.f.buckling.n == 2);
    CHECK_REL(a.f.buckling.factors[0], low, 1e-11);
    CHECK_REL(a.f.buckling.factors[1], high, 1e-11);
    CHECK_TEXT(a.f.buckling.modes[0].parts[0].item, "high");
    done(&a);
    find(&a, COLUMN("type: static, to: 3, steps: 4"), 0);
    CHECK(a.status == FLX_OK && a.f.path.ncritical == 2);
    CHECK(!a.f.path.critical[0].limit && !a.f.path.critical[1].limit);
    CHECK_REL(a.f.path.critical[0].factor, low, 2e-11);
    CHECK_REL(a.f.path.critical[1].factor, high, 2e-11);
    done(&a);
    return 0;
}

// On the branch 2 a - b = f sin(a), b - a = f sin(b), with a and b from the vertical.
static int branches_are_followed(void)
{
    found a;
    find(&a, COLUMN("type: static, to: 0.7, branch: 1"), 0);
    CHECK(a.status == FLX_OK && a.f.path.arrived);
    const double *one = column(&a, "A.angle"), *two = column(&a, "B.angle"),
                 *f = column(&a, "load");
    int n = flx_result_rows(a.path);
    for (int i = 0; i < n; i++) {
        double low = one[i], high = one[i] + two[i];
        CHECK_NEAR(2.0 * low - high, f[i] * sin(low), 1e-13);
        CHECK_NEAR(high - low, f[i] * sin(high), 1e-13);
    }
    CHECK(fabs(one[n - 1]) > 0.5);
    done(&a);
    return 0;
}

// A link held by a spring: w^2 = (k - P L)/J about its pivot, at half the load that it can carry.
static int modes_feel_the_load(void)
{
    found a;
    find(&a,
         "flexion: 1\ndimension: 2\nparameters: {L: 0.5, k: 20}\nbodies:\n"
         "  link: {type: rigid, mass: 1, com: [0, L/2], inertia: 0.02, points: {top: [0, L]}}\n"
         "joints: {A: {type: revolute, on: [ground, link], at: [0, 0]}}\nforces:\n"
         "  kA: {type: spring, on: A, stiffness: k}\n"
         "  P: {type: force, on: link, at: link.top, value: [0, -k/L]}\n"
         "analyse:\n  half: {type: static, to: 0.5}\n  slow: {type: modes, about: half}\n"
         "  left: {type: buckling, about: half, load: P}\n",
         1);
    CHECK(a.status == FLX_OK && a.f.modes.nmode == 1);
    CHECK_REL(a.f.modes.modes[0].im, sqrt((20.0 - 10.0) / (0.02 + 0.0625)), 1e-13);
    done(&a);
    return 0;
}

static int loads_that_do_nothing_buckle_nothing(void)
{
    found a;
    find(&a,
         "flexion: 1\nbodies: {m: {type: point, mass: 1}}\nforces:\n"
         "  s: {type: bushing, on: [ground, m], at: [0, 0, 0], stiffness: [5, 6, 7]}\n"
         "  P: {type: force, on: m, value: [1, 0, 0]}\nanalyse: {b: {type: buckling, count: 3}}\n",
         0);
    CHECK(a.status == FLX_OK && a.f.buckling.n == 0);
    done(&a);
    return 0;
}

// A run that begins at the end of a path stays there under all of the loads, and is released under part of them.
static int runs_begin_at_the_end_of_a_path(void)
{
    for (int k = 0; k < 2; k++) {
        char text[600];
        snprintf(text, sizeof text,
                 "flexion: 1\nbodies: {m: {type: point, mass: 2}}\nforces:\n"
                 "  s: {type: bushing, on: [ground, m], at: [0, 0, 0], stiffness: [5, 5, 5]}\n"
                 "  P: {type: force, on: m, value: [1, 0, 0]}\n"
                 "analyse: {up: {type: static, load: P, to: %g, steps: 1}}\n"
                 "simulate: {until: 1, start: up, method: dopri5, rtol: 1e-10, atol: 1e-12}\n"
                 "outputs: {every: 1, signals: [m.position.x]}\n",
                 k ? 0.25 : 1.0);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_simulation *sim = NULL;
        flx_sink *sink = NULL;
        flx_result *run = NULL;
        CHECK(flx_model_read_text(ctx, "model", text, strlen(text), 0, NULL, &model) == FLX_OK);
        CHECK(flx_simulation_create(model, &sim) == FLX_OK);
        CHECK(flx_memory_sink_create(ctx, &sink) == FLX_OK);
        CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK);
        CHECK(flx_memory_sink_take(sink, &run) == FLX_OK);
        const double *x = flx_result_column(run, 1);
        CHECK_NEAR(x[0], k ? 0.05 : 0.2, 1e-12);
        CHECK_NEAR(x[1], k ? 0.2 - 0.15 * cos(sqrt(2.5)) : 0.2, 1e-9);
        flx_result_close(&run);
        flx_sink_destroy(&sink);
        flx_simulation_destroy(&sim);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(every_position_is_on_the_curve), TEST(asked_factors_are_met),
          TEST(loads_stop_at_the_limit), TEST(parameters_and_motions_are_loads),
          TEST(equations_and_gravity_have_loads), TEST(columns_buckle_at_their_loads),
          TEST(branches_are_followed), TEST(modes_feel_the_load),
          TEST(loads_that_do_nothing_buckle_nothing), TEST(runs_begin_at_the_end_of_a_path))
