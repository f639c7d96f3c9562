// test_solid_bar.c - solids from meshes: linear elements for small loads, the beam for large ones, energy and
// momenta in free flight.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define BAR(keys)                                                                                  \
    "flexion: 1\nbodies:\n  bar: {type: solid, mesh: " FLX_EXAMPLES "/rubber_bar.inp,"             \
    " material: {E: 1e6, nu: 0.0, density: 1000}" keys "}\n"
#define TIP "  tip: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [1, 0.05, 0.05]}\n"
#define AT_TIP ", fixed: ROOT, attach: {tip: TIP}"

typedef struct work {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    flx_status status;
} work;

static void open_model(work *w, const char *text)
{
    *w = (work){.ctx = flx_ctx_create()};
    w->status = flx_model_read_text(w->ctx, "model", text, strlen(text), 0, NULL, &w->model);
    if (w->status == FLX_OK) w->status = flx_simulation_create_to_analyse(w->model, &w->sim);
    if (w->status != FLX_OK && flx_ctx_error_count(w->ctx) > 0) {
        printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    }
}

static void close_model(work *w)
{
    flx_finding_clear(&w->f);
    flx_simulation_destroy(&w->sim);
    flx_model_destroy(&w->model);
    flx_ctx_destroy(&w->ctx);
}

// nu = 0, a rigid end: stretch P L/(EA), bending P L^3/(3 EI) + P L/(GA k) of Timoshenko's cantilever.
static int small_loads_are_linear(void)
{
    const double A = 0.01, I = 1e-4 / 12.0, E = 1e6;
    work w;
    open_model(&w, BAR(AT_TIP) TIP "forces: {P: {type: force, on: tip, value: [1e-3, 0, 1e-5]}}\n"
                                   "analyse: {up: {type: static, steps: 1}}\n"
                                   "outputs: {signals: [tip.position]}\n");
    CHECK(w.status == FLX_OK);
    CHECK(flx_simulation_analyse(w.sim, 0, &w.f) == FLX_OK);
    CHECK_REL(w.f.signals[0] - 1.0, 1e-3 / (E * A), 1e-5);
    double bent = 1e-5 / (3.0 * E * I) + 1e-5 / (0.5 * E * A * 5.0 / 6.0);
    CHECK_REL(w.f.signals[2] - 0.05, bent, 5e-3);
    close_model(&w);
    return 0;
}

// A moment bends it into an arc of a quarter turn, nearly: kappa = M/(EI).
static int large_bending_is_that_of_a_beam(void)
{
    const double EI = 1e6 * 1e-4 / 12.0, turn = 1.5, r = 1.0 / turn;
    work w;
    char text[1000];
    snprintf(text, sizeof text,
             "%s%sforces: {M: {type: torque, on: tip, value: [0, %.17g, 0]}}\n"
             "analyse: {up: {type: static, steps: 4}}\noutputs: {signals: [tip.position]}\n",
             BAR(AT_TIP), TIP, -turn * EI);
    open_model(&w, text);
    CHECK(w.status == FLX_OK);
    CHECK(flx_simulation_analyse(w.sim, 0, &w.f) == FLX_OK);
    CHECK_NEAR(w.f.signals[0], r * sin(turn), 1e-2);
    CHECK_NEAR(w.f.signals[2] - 0.05, r * (1.0 - cos(turn)), 1e-2);
    close_model(&w);
    return 0;
}

static int a_bar_in_flight_keeps_everything(void)
{
    work w;
    open_model(
        &w,
        BAR(", angular_velocity: [0.5, 1, 3], velocity: [1, 0, 0]") "simulate: {until: 0.5, "
                                                                    "method: energy-momentum, "
                                                                    "step: 0.005}\n"
                                                                    "outputs: {every: 0.1, "
                                                                    "signals: [energy.total]}\n");
    CHECK(w.status == FLX_OK);
    CHECK(flx_simulation_run(w.sim, 0, NULL, NULL, NULL) == FLX_OK);
    const flx_ledger *l = flx_simulation_ledger(w.sim);
    CHECK(l->energy_drift < 1e-12);
    for (int i = 0; i < 6; i++) CHECK_NEAR(l->momentum_change[i], 0.0, 1e-11);
    close_model(&w);
    return 0;
}

// Where a node is under a small weight, and under a force on the volume instead.
static int weigh(const char *keys, const char *loads, const char *node, double x[3])
{
    char text[1200];
    work w;
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  bar: {type: solid, mesh: " FLX_EXAMPLES
             "/rubber_bar.inp, fixed: ROOT, material: {E: 1e6, %s, density: 1000}}\n"
             "%s\noutputs: {signals: [bar.node(%s).position]}\n",
             keys, loads, node);
    open_model(&w, text);
    CHECK(w.status == FLX_OK);
    CHECK(flx_simulation_analyse(w.sim, 0, &w.f) == FLX_OK);
    memcpy(x, w.f.signals, 3 * sizeof *x);
    close_model(&w);
    return 0;
}

#define BY_GRAVITY(g) "gravity: " g "\nanalyse: {up: {type: static, load: gravity, steps: 1}}"
#define BY_FORCE(q)                                                                                \
    "forces: {q: {type: distributed, on: bar, value: " q "}}\n"                                    \
    "analyse: {up: {type: static, steps: 1}}"

// A bar that hangs: q x (L - x/2)/E of a quadratic field, which these elements have.
static int weight_stretches_a_bar(void)
{
    static const char *const loads[] = {BY_GRAVITY("[1e-3, 0, 0]"), BY_FORCE("[1, 0, 0]")};
    for (int i = 0; i < 2; i++) {
        double x[3];
        CHECK(weigh("nu: 0", loads[i], "120", x) == 0);
        CHECK_REL(x[0] - 1, 0.5e-6, 1e-5);
        CHECK(weigh("nu: 0", loads[i], "2", x) == 0);
        CHECK_REL(x[0] - 0.1, 0.1e-6 * (1 - 0.05), 1e-5);
    }
    return 0;
}

// Bent by its weight as linear elements of the same mesh are: 1.4782862e-4 m at the tip.
static int weight_bends_as_linear_elements(void)
{
    static const char *const loads[] = {BY_GRAVITY("[0, 0, -1e-3]"), BY_FORCE("[0, 0, -1]")};
    static const char linear[] = "flexion: 1\ngravity: [0, 0, -1e-3]\nfe:\n  mesh: " FLX_EXAMPLES
                                 "/rubber_bar.inp\n  supports: {root: {on: ROOT}}\n"
                                 "  material: {E: 1e6, nu: 0.3, density: 1000}\n";
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    flx_fe_static s;
    CHECK(flx_model_read_text(ctx, "linear", linear, strlen(linear), 0, NULL, &model) == FLX_OK);
    CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
    CHECK(flx_fe_problem_static(p, NULL, &s) == FLX_OK);
    // of the corners of the tip, which move alike, rounding chooses one
    CHECK(s.displacement_node >= 117 && s.displacement_node <= 120);
    for (int i = 0; i < 2; i++) {
        double x[3];
        CHECK(weigh("nu: 0.3", loads[i], "120", x) == 0);
        double moved = sqrt(pow(x[0] - 1, 2) + pow(x[1] - 0.1, 2) + pow(x[2] - 0.1, 2));
        CHECK_REL(moved, s.displacement, 1e-5);
    }
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Where the last node is after a short time, and what the energy has changed by.
static int swing(const char *formulation, double nu, double x[3])
{
    char text[1000];
    work w;
    flx_sink *sink = NULL;
    flx_result *result = NULL;
    int column[3];
    snprintf(text, sizeof text,
             "flexion: 1\ngravity: [1, 2, -9.81]\nbodies: {bar: {type: solid, mesh: " FLX_EXAMPLES
             "/rubber_bar.inp, fixed: ROOT, material: {E: 1e5, nu: %g, density: 1000}}}\n"
             "simulate: {until: 0.1, method: dopri5, formulation: %s, rtol: 1e-8}\n"
             "outputs: {every: 0.1, signals: [bar.node(120).position]}\n",
             nu, formulation);
    open_model(&w, text);
    CHECK(w.status == FLX_OK);
    CHECK(flx_memory_sink_create(w.ctx, &sink) == FLX_OK);
    CHECK(flx_simulation_run(w.sim, 1, &sink, NULL, NULL) == FLX_OK);
    CHECK(flx_simulation_ledger(w.sim)->balanced);
    CHECK(flx_memory_sink_take(sink, &result) == FLX_OK);
    CHECK(flx_result_find(result, "bar.node(120).position", 3, column) == 3);
    for (int k = 0; k < 3; k++) x[k] = flx_result_column(result, column[k])[1];
    flx_result_close(&result);
    flx_sink_destroy(&sink);
    close_model(&w);
    return 0;
}

// Nothing but a solid: it has elements and more weight at some nodes than their masses have. By joint coordinates once its nodes
// fell freely.
static int a_solid_alone_moves_alike_in_all_coordinates(void)
{
    for (int i = 0; i < 2; i++) {
        double a[3], b[3];
        CHECK(swing("index-1", 0.3 * i, a) == 0);
        CHECK(swing("tree", 0.3 * i, b) == 0);
        CHECK(a[2] < 0.09);
        for (int k = 0; k < 3; k++) CHECK_NEAR(b[k], a[k], 1e-7);
    }
    return 0;
}

// Elements that a mesh names for their bending, which solids do not have, are told; others are not.
static int elements_that_lock_are_told(void)
{
    static const char *const types[] = {"C3D8", "C3D8I", "C3D8R"};
    for (int k = 0; k < 3; k++) {
        const char *path = "locking_cube.inp";
        FILE *f = fopen(path, "w");
        CHECK(f);
        fprintf(f,
                "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n8,0,1,1\n"
                "*NSET,NSET=ROOT\n1,2,3,4\n*ELEMENT,TYPE=%s\n1,1,2,3,4,5,6,7,8\n",
                types[k]);
        fclose(f);
        work w;
        bool told = false;
        open_model(&w,
                   "flexion: 1\nbodies: {cube: {type: solid, mesh: locking_cube.inp, fixed: ROOT, "
                   "material: {E: 1e6, density: 1000}}}\nsimulate: {until: 1}\n");
        CHECK(w.status == FLX_OK);
        for (int i = 0; i < flx_ctx_warning_count(w.ctx); i++)
            told = told ||
                   strstr(flx_ctx_warning(w.ctx, i)->text, "'cube' have no incompatible modes");
        CHECK(told == (k > 0));
        close_model(&w);
        remove(path);
    }
    return 0;
}

TEST_MAIN(TEST(elements_that_lock_are_told), TEST(weight_stretches_a_bar),
          TEST(a_solid_alone_moves_alike_in_all_coordinates), TEST(weight_bends_as_linear_elements),
          TEST(small_loads_are_linear), TEST(large_bending_is_that_of_a_beam),
          SLOW_TEST(a_bar_in_flight_keeps_everything))
