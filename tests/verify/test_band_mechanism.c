// test_band_mechanism.c - an arm in a mechanism with as few shapes as its tolerance allows beside the same arm with many modes
// and the static shapes of its interfaces: the tip moves alike, within the tolerance of the band. FLX_LONG: 200 shapes.
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define TOLERANCE 1e-3

// It turns with a driven hinge and carries a load, which is hit in all directions for 2 ms: up to 1000 Hz.
static const char text[] =
    "flexion: 1\n"
    "bodies:\n"
    "  arm:\n"
    "    type: flexible\n"
    "    fe: {mesh: " FLX_EXAMPLES "/elastic_arm.msh, material: {E: 7e10, nu: 0.33, density: "
    "2700}}\n"
    "    reduce: {%s, interfaces: [hub, tip]}\n"
    "    damping: {rayleigh: [4, 1e-5]}\n"
    "  load: {type: rigid, mass: 0.05, inertia: [1e-5, 1e-5, 1e-5], position: arm.tip}\n"
    "joints:\n"
    "  motor: {type: revolute, on: [ground, arm], at: arm.hub, axis: [0, 0, 1], motion: {angle: "
    "10*t}}\n"
    "  grip: {type: fixed, on: [arm, load], at: arm.tip}\n"
    "forces:\n"
    "  hit: {type: force, on: load, at: load, value: \"if(t < 0.002, sin(500*pi*t)^2, 0)*[20, 30, "
    "25]\"}\n"
    "simulate: {until: 0.005, method: radau, rtol: 1e-6, atol: 1e-9}\n"
    "outputs: {every: 1e-4, signals: [load.velocity, arm.tip.deflection]}\n";

typedef struct arm_run {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_result *result;
    double seconds; // of the run, by this thread
} arm_run;

static int run_arm(const char *reduce, arm_run *w)
{
    char whole[2000];
    snprintf(whole, sizeof whole, text, reduce);
    *w = (arm_run){.ctx = flx_ctx_create()};
    flx_status status =
        flx_model_read_text(w->ctx, "arm.yaml", whole, strlen(whole), 0, NULL, &w->model);
    if (status == FLX_OK) status = flx_simulation_create(w->model, &w->sim);
    clock_t start = clock();
    if (status == FLX_OK) status = kept_run(w->ctx, w->sim, &w->result);
    w->seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    if (status != FLX_OK && flx_ctx_error(w->ctx, 0))
        printf("  %s\n", flx_ctx_error(w->ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static void close_arm(arm_run *w)
{
    flx_result_close(&w->result);
    flx_simulation_destroy(&w->sim);
    flx_model_destroy(&w->model);
    flx_ctx_destroy(&w->ctx);
}

static int shapes_of(const arm_run *w)
{
    flx_elastic_summary body;
    return flx_model_elastic(w->model, 0, &body) == 1 ? body.modes : 0;
}

static void print_steps(const arm_run *w)
{
    long steps = flx_simulation_ledger(w->sim)->work.steps;
    printf("  %d shapes: %ld steps, %.3g ms each\n", shapes_of(w), steps,
           1000 * w->seconds / (double)steps);
}

static int the_tip_moves_as_with_many_shapes(void)
{
    arm_run band, many;
    CHECK(run_arm("type: band, to: 1000, tolerance: 1e-3", &band) == 0);
    CHECK(run_arm(getenv("FLX_LONG") ? "type: modal, modes: 194, attachment: true"
                                     : "type: modal, modes: 34, attachment: true",
                  &many) == 0);
    const flx_reduction_report *p = flx_model_elastic_report(band.model, 0);
    CHECK(p && p->met && p->shapes <= 20);
    int rows = flx_result_rows(band.result);
    CHECK(rows == 51 && flx_result_rows(many.result) == rows);
    for (int first = 1; first < 7;
         first += 3) { // the velocity of the load, the deflection of the tip
        double most = 0, off = 0;
        for (int i = 0; i < rows; i++) {
            double square = 0, difference = 0;
            for (int c = first; c < first + 3; c++) {
                double a = flx_result_column(band.result, c)[i];
                double b = flx_result_column(many.result, c)[i];
                square += b * b;
                difference += (a - b) * (a - b);
            }
            most = fmax(most, sqrt(square));
            off = fmax(off, sqrt(difference));
        }
        printf("  %s: %.1e of the largest, %d shapes for %d\n",
               first == 1 ? "velocity of the load" : "deflection of the tip", off / most,
               shapes_of(&band), shapes_of(&many));
        CHECK(most > 1e-5);
        CHECK(off < TOLERANCE * most);
        CHECK(off > 0);
    }
    print_steps(&band);
    print_steps(&many);
    close_arm(&band);
    close_arm(&many);
    return 0;
}

// ---- shapes of a run ----------------------------------------------------------------------------

// The result of a run, as a file.
static int write_run(const arm_run *w, const char *path)
{
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    CHECK(flx_hdf5_sink_create(w->ctx, path, &sink) == FLX_OK);
    CHECK(flx_simulation_create(w->model, &sim) == FLX_OK);
    CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK);
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    return 0;
}

// Largest difference of the tip's deflection, in parts of the largest.
static double off_by(const arm_run *a, const arm_run *b)
{
    double most = 0, off = 0;
    for (int i = 0; i < flx_result_rows(a->result); i++) {
        for (int c = 4; c < 7; c++) {
            double x = flx_result_column(a->result, c)[i], y = flx_result_column(b->result, c)[i];
            most = fmax(most, fabs(x));
            off = fmax(off, fabs(x - y));
        }
    }
    return off / most;
}

// With 10 shapes on its hub the arm does what it did in a run with many, better than with as many for all of the band.
static int snapshots_follow_a_run(void)
{
    char file[64], reduce[200];
    arm_run many, band, own;
    snprintf(file, sizeof file, "snapshots_%ld.h5", (long)getpid());
    CHECK(run_arm("type: modal, modes: 34, attachment: true", &many) == 0);
    CHECK(write_run(&many, file) == 0);
    snprintf(reduce, sizeof reduce,
             "type: snapshots, to: 2000, shapes: 10, conditions: [hub], data: %s", file);
    CHECK(run_arm(reduce, &own) == 0);
    CHECK(run_arm("type: band, to: 2000, shapes: 10, conditions: [hub]", &band) == 0);
    const flx_reduction_report *p = flx_model_elastic_report(own.model, 0);
    CHECK(p && p->shapes == 10 && strcmp(p->type, "snapshots") == 0);
    CHECK(flx_ctx_warning_count(own.ctx) == 0);
    CHECK(off_by(&many, &own) < 2e-4);
    CHECK(off_by(&many, &own) < 0.5 * off_by(&many, &band));
    close_arm(&own);
    close_arm(&band);
    close_arm(&many);
    // what is no result, not of this body, or of its mesh in another size
    static const char *const wrong[][4] = {
        {"no_such_file.h5", "arm", "", "cannot be read"},
        {NULL, "leg", "", "has no flexible body 'leg'"},
        {NULL, "arm", ", scale: 1.01",
         "the result is of another mesh: its node 1 was at (0.0209468"}};
    for (int i = 0; i < 3; i++) {
        char whole[2000];
        snprintf(whole, sizeof whole,
                 "flexion: 1\nbodies:\n  %s:\n    type: flexible\n"
                 "    fe: {mesh: " FLX_EXAMPLES "/elastic_arm.msh%s, material: {E: 7e10, nu: "
                 "0.33, density: 2700}}\n"
                 "    reduce: {type: snapshots, to: 2000, interfaces: [hub, tip], data: %s}\n"
                 "simulate: {until: 1}\n",
                 wrong[i][1], wrong[i][2], wrong[i][0] ? wrong[i][0] : file);
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        CHECK(flx_model_read_text(ctx, "leg.yaml", whole, strlen(whole), 0, NULL, &model) ==
              FLX_ERR_MODEL);
        CHECK(flx_ctx_error(ctx, 0));
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i][3]);
        CHECK(flx_ctx_error(ctx, 0)->loc.line == 6);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    remove(file);
    return 0;
}

TEST_MAIN(TEST(the_tip_moves_as_with_many_shapes), TEST(snapshots_follow_a_run))
