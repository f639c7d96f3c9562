// test_external_functions.c - functions of the program in a model, against the same functions written in the model.
#include "run_rig.h"

#include <string.h>

// A pendulum on a spring and a damper whose laws are functions, and a crank whose motion is one.
static const char frame[] = "flexion: 1\n"
                            "dimension: 2\n"
                            "gravity: [0, -9.81]\n"
                            "parameters: {k: 3, L: 1}\n"
                            "functions:\n"
                            "  law: {%s, of: [x, v]}\n"
                            "  way: {%s, of: [time]}\n"
                            "bodies:\n"
                            "  rod: {type: rigid, mass: 1, com: [L/2, 0], inertia: 0.1}\n"
                            "  arm: {type: rigid, mass: 0.5, com: [0.2, 0], inertia: 0.02,\n"
                            "        position: [2, 0]}\n"
                            "joints:\n"
                            "  hinge: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
                            "  crank: {type: revolute, on: [ground, arm], at: [2, 0],\n"
                            "          motion: {angle: way(t)}}\n"
                            "forces:\n"
                            "  spring: {type: torque, on: hinge,\n"
                            "           value: \"-k*law(hinge.angle, hinge.rate)\"}\n"
                            "simulate: {until: 0.5, %s}\n"
                            "outputs: {signals: [hinge.angle, hinge.rate, arm.position.x,\n"
                            "          crank.reaction, hinge.reaction, \"law(0.3, k)\"]}\n";

static int law(void *user, int n, const double *x, double *y, double *slopes)
{
    bool *gives = user;
    (void)n;
    *y = sinh(x[0]) + 0.2 * x[1] * x[1] * x[1];
    if (!slopes || !*gives) return FLX_FUNCTION_VALUE;
    slopes[0] = cosh(x[0]);
    slopes[1] = 0.6 * x[1] * x[1];
    return FLX_FUNCTION_SLOPES;
}

static int way(void *user, int n, const double *x, double *y, double *slopes)
{
    bool *gives = user;
    (void)n;
    *y = 0.4 * sin(3.0 * x[0]);
    if (!slopes || !*gives) return FLX_FUNCTION_VALUE;
    slopes[0] = 1.2 * cos(3.0 * x[0]);
    return FLX_FUNCTION_SLOPES;
}

static flx_status read(rig *r, bool external, const char *method)
{
    char text[2000];
    snprintf(text, sizeof text, frame, external ? "external: law" : "value: sinh(x) + 0.2*v^3",
             external ? "external: way" : "value: 0.4*sin(3*time)", method);
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    *r = (rig){.ctx = flx_ctx_create()};
    return flx_model_read_by(r->ctx, "model", &def, &r->model);
}

static flx_status bind(rig *r, bool *gives)
{
    flx_status status = flx_model_bind(r->model, "law", law, gives);
    return status == FLX_OK ? flx_model_bind(r->model, "way", way, gives) : status;
}

// Every family of methods, both formulations.
static const struct {
    const char *method;
    double
        differences; // what remains where derivatives are differences: those of motions are in the equations
} methods[] = {
    {"method: dopri5, rtol: 1e-9, atol: 1e-10", 1e-6},
    {"method: dopri5, rtol: 1e-9, atol: 1e-10, formulation: tree", 1e-6},
    {"method: radau, rtol: 1e-9, atol: 1e-10", 1e-6},
    {"method: radau, step: 0.01, formulation: tree", 1e-6},
    {"method: radau, step: 0.01, formulation: index-3", 1e-6},
    {"method: generalized-alpha, step: 0.002", 1e-6},
    {"method: rk4, step: 0.002", 1e-6},
    {"method: galerkin, step: 0.01", 1e-6},
    {"method: implicit-euler, step: 0.002", 1e-6},
};

static int compare(const char *method, bool gives, double tolerance)
{
    rig a, b;
    int n;
    if (rig_compile(&a, read(&a, false, method), true)) return 1;
    flx_status status = read(&b, true, method);
    if (status == FLX_OK) status = bind(&b, &gives);
    if (rig_compile(&b, status, true)) return 1;
    CHECK(flx_ctx_warning_count(b.ctx) == (gives ? 0 : 2)); // told once for each
    CHECK(flx_run_advance(a.run, 0.5) == FLX_OK && flx_run_advance(b.run, 0.5) == FLX_OK);
    const double *x = flx_run_outputs(a.run, &n), *y = flx_run_outputs(b.run, NULL);
    CHECK(n >= 8);
    for (int i = 0; i < n; i++) {
        if (!(fabs(x[i] - y[i]) <= tolerance)) printf("  %s, output %d\n", method, i);
        CHECK_NEAR(y[i], x[i], tolerance);
    }
    CHECK(flx_run_ledger(b.run)->balanced);
    put_away(&a);
    put_away(&b);
    return 0;
}

static int as_written_in_the_model(void)
{
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (compare(methods[i].method, true, 1e-7)) return 1;
        if (compare(methods[i].method, false, methods[i].differences)) return 1;
    }
    return 0;
}

// Saved, restored and cloned: same bits. A structural change reads the model anew, and functions stay bound.
static int bound_for_good(void)
{
    rig r;
    bool gives = true;
    int n;
    flx_status status = read(&r, true, "method: radau, step: 0.01");
    if (status == FLX_OK) status = bind(&r, &gives);
    if (rig_compile(&r, status, true)) return 1;
    flx_run *twin = NULL;
    CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
    CHECK(flx_run_clone(r.run, r.ctx, &twin) == FLX_OK);
    CHECK(flx_run_advance(r.run, 0.3) == FLX_OK && flx_run_advance(twin, 0.3) == FLX_OK);
    const double *x = flx_run_outputs(r.run, &n), *y = flx_run_outputs(twin, NULL);
    CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    flx_run_destroy(&twin);
    flx_run_destroy(&r.run);
    flx_system_destroy(&r.system);
    CHECK(flx_model_set(r.model, "bodies.rod.mass", 2.0) == FLX_OK);
    if (rig_compile(&r, FLX_OK, true)) return 1;
    CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
    CHECK(flx_run_ledger(r.run)->balanced);
    put_away(&r);
    return 0;
}

static int refused(void)
{
    rig r;
    bool gives = true;
    CHECK(read(&r, true, "method: auto") == FLX_OK);
    CHECK(flx_model_bind(r.model, "lau", law, &gives) == FLX_ERR_ARGUMENT);
    CHECK(strstr(flx_ctx_error(r.ctx, 0)->text, "did you mean 'law'?"));
    CHECK(flx_model_bind(r.model, "law", NULL, &gives) == FLX_ERR_ARGUMENT);
    put_away(&r);
    CHECK(read(&r, true, "method: auto") == FLX_OK);
    CHECK(flx_model_bind(r.model, "law", law, &gives) == FLX_OK);
    CHECK(flx_system_compile(r.model, NULL, r.ctx, &r.system) == FLX_ERR_MODEL);
    const flx_message *m = flx_ctx_error(r.ctx, 0);
    CHECK(strstr(m->text, "'way' is not bound") && m->loc.line == 7);
    flx_loc loc;
    int narg = 0;
    CHECK(strcmp(flx_model_external(r.model, 0, &narg, &loc), "law") == 0 && narg == 2);
    CHECK(!flx_model_external(r.model, 2, NULL, NULL));
    put_away(&r);
    return 0;
}

// Right values, and a slope that is none of theirs.
static int wrong_law(void *user, int n, const double *x, double *y, double *slopes)
{
    bool gives = true;
    (void)user;
    int given = law(&gives, n, x, y, slopes);
    if (slopes) slopes[1] = -slopes[1] - 1.0;
    return given;
}

static int wrong_slopes_are_told(void)
{
    rig r;
    bool gives = true;
    CHECK(read(&r, true, methods[0].method) == FLX_OK);
    int before = flx_ctx_warning_count(r.ctx);
    CHECK(bind(&r, &gives) == FLX_OK && flx_ctx_warning_count(r.ctx) == before);
    CHECK(flx_model_bind(r.model, "law", wrong_law, NULL) == FLX_OK);
    CHECK(flx_ctx_warning_count(r.ctx) == before + 1);
    CHECK_TEXT(flx_ctx_warning(r.ctx, before)->text,
               "the slope of the external function 'law' by its argument 2 is");
    flx_model_destroy(&r.model);
    flx_ctx_destroy(&r.ctx);
    return 0;
}

// From a place on without a number: at once, or later; the run ends with the function and the place.
static int law_to_an_end(void *user, int n, const double *x, double *y, double *slopes)
{
    const double *end = user;
    bool gives = false;
    int given = law(&gives, n, x, y, slopes);
    if (x[0] <= end[0]) *y = (double)NAN;
    return x[0] <= end[0] && end[1] > 0 ? FLX_FUNCTION_FAILED : given;
}

static int functions_without_a_number_are_named(void)
{
    bool gives = true;
    // where it ends, and whether it says so
    const double ends[][2] = {{1.0, 0.0}, {1.0, 1.0}, {-0.2, 0.0}, {-0.2, 1.0}};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        for (size_t k = 0; k < sizeof ends / sizeof ends[0]; k++) {
            rig r;
            double end[2] = {ends[k][0], ends[k][1]};
            flx_status status = read(&r, true, methods[i].method);
            if (status == FLX_OK) status = flx_model_bind(r.model, "way", way, &gives);
            if (status == FLX_OK) status = flx_model_bind(r.model, "law", law_to_an_end, end);
            CHECK(status == FLX_OK);
            status = flx_system_compile(r.model, NULL, r.ctx, &r.system);
            if (status == FLX_OK) status = flx_run_create(r.system, NULL, r.ctx, &r.run);
            CHECK(end[0] > 0 || status == FLX_OK);
            if (status == FLX_OK) status = flx_run_advance(r.run, 0.5);
            CHECK(status != FLX_OK);
            const char *text = flx_ctx_error(r.ctx, flx_ctx_error_count(r.ctx) - 1)->text;
            if (!strstr(text, "'law' gave no number")) printf("  %s, %zu\n", methods[i].method, k);
            CHECK_TEXT(text, "the external function 'law' gave no number at (");
            put_away(&r);
        }
    }
    return 0;
}

TEST_MAIN(TEST(wrong_slopes_are_told), TEST(functions_without_a_number_are_named),
          TEST(as_written_in_the_model), TEST(bound_for_good), TEST(refused))
