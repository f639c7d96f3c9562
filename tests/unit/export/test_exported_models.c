// Exported C on models with everything that acts on a mechanism: forces of all types, expressions,
// tables, states, motions, gears, constraints; refusals by name; the limit; memory that runs out.
#include "exported.h"

#include "flexion/flexion.h"

#define TIME 0.3

// ---- models -------------------------------------------------------------------------------------

static const char *const models[] = {"acting",  "bushing",   "driven",           "planar_loop",
                                     "rolling", "variables", "variables_closed", "algebraic"};
#define MODELS ((int)(sizeof models / sizeof models[0]))

static flx_model *read_model(flx_ctx *ctx, int number)
{
    flx_model *m = NULL;
    char path[512];
    snprintf(path, sizeof path, FLX_TESTS "/models/export/%s.yaml", models[number]);
    if (flx_model_read(ctx, path, 0, NULL, &m) != FLX_OK) {
        printf("%s\n", flx_ctx_error(ctx, 0)->text);
    }
    return m;
}

static flx_model *read_text(flx_ctx *ctx, const char *text)
{
    flx_model *m = NULL;
    if (flx_model_read_text(ctx, "model.yaml", text, strlen(text), 0, NULL, &m) != FLX_OK) {
        printf("%s\n", flx_ctx_error(ctx, 0)->text);
    }
    return m;
}

static int compare(subject *s)
{
    return forward_is_that_of_the_tree(s) || inverse_is_the_residual(s) ||
           states_are_those_of_the_tree(s) || rates_are_those_of_the_tree(s) ||
           linearisation_is_a_derivative(s) || states_have_derivatives(s);
}

static int all_that_acts_is_exported(void)
{
    char folder[] = "exported_XXXXXX";
    CHECK(mkdtemp(folder));
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m[MODELS];
    for (int i = 0; i < MODELS; i++) {
        m[i] = read_model(ctx, i);
        CHECK(m[i]);
        CHECK(export_as(m[i], i, folder, NULL) == 0);
    }
    void *library = compile_all(folder);
    CHECK(library);
    for (int i = 0; i < MODELS; i++) {
        subject s;
        CHECK(subject_open(&s, m[i], i) == 0);
        s.library = library;
        s.time = TIME;
        CHECK(set_state(&s));
        int bad = compare(&s);
        if (bad) printf("model %s\n", models[i]);
        CHECK(!bad);
        subject_close(&s);
        flx_model_destroy(&m[i]);
    }
    dlclose(library);
    flx_ctx_destroy(&ctx);
    return remove_folder(folder);
}

// ---- parameters ---------------------------------------------------------------------------------

// What was exported with one set of parameters, called with another, is the model read with these.
static int parameters_may_change(void)
{
    static const char *const path = FLX_TESTS "/models/export/open.yaml";
    static const char *const settings[] = {"m=1.7", "k=12",        "c=0.9",
                                           "g=3.5", "amplitude=2", "rest=0.4"};
    static const double p[] = {1.7, 12, 0.9, 3.5, 2, 0.4};
    char folder[] = "exported_XXXXXX";
    CHECK(mkdtemp(folder));
    flx_ctx *ctx = flx_ctx_create();
    flx_model *plain = NULL, *open = NULL, *changed = NULL;
    CHECK(flx_model_read(ctx, path, 0, NULL, &plain) == FLX_OK);
    CHECK(flx_model_read_open(ctx, path, 0, NULL, &open) == FLX_OK);
    CHECK(flx_model_read(ctx, path, 6, settings, &changed) == FLX_OK);
    for (int i = 0; i < open->nparameter; i++) { // in the drawing: the number is needed
        bool fixed = strcmp(open->parameters[i].name, "L") == 0;
        CHECK((open->parameters[i].leaf == FLX_PARAMETER_FIXED) == fixed);
    }
    char file[64];
    snprintf(file, sizeof file, "%s/m1.c", folder);
    const flx_export_options o = {.language = FLX_EXPORT_C, .name = "m1", .open = open};
    CHECK(flx_model_export(plain, &o, file) == FLX_OK);
    void *library = compile_all(folder);
    CHECK(library);
    subject s;
    CHECK(subject_open(&s, changed, 1) == 0);
    s.library = library;
    s.time = TIME;
    s.p = p;
    CHECK(set_state(&s));
    CHECK(compare(&s) == 0);
    subject_close(&s);
    dlclose(library);
    flx_model_destroy(&plain);
    flx_model_destroy(&open);
    flx_model_destroy(&changed);
    flx_ctx_destroy(&ctx);
    return remove_folder(folder);
}

// ---- refusals -----------------------------------------------------------------------------------

static int refuses(const char *text, const char *part)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = read_text(ctx, text);
    const flx_export_options o = {.language = FLX_EXPORT_C};
    CHECK(m);
    CHECK(flx_model_export(m, &o, "/dev/null") != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, part);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define BODY "bodies: {b: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"

static int what_cannot_be_exported_is_named(void)
{
    CHECK(refuses("flexion: 1\nequations: {second_order: {x: {at: 1, mass: 1, force: -x}}}\n",
                  "a model without bodies") == 0);
    CHECK(refuses("flexion: 1\n" BODY "reduce: {type: cutoff, velocities: [b], factor: 2}\n",
                  "a changed inertia (reduce) cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY "reduce: {type: quasistatic, velocities: auto}\n",
                  "a changed inertia (reduce) cannot be exported") == 0);
    CHECK(refuses("flexion: 1\n" BODY "joints: {J: {type: fixed, on: [ground, b], at: b}}\n",
                  "no body can move") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "events: {hit: {when: b.position.z < 0, set: {b.velocity.z: 1}}}\n",
                  "the event 'hit'") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "equations: {second_order: {u: {at: 1, mass: 2 + sin(t), force: -u}}}\n",
                  "the mass of 'u' depends on time, a velocity or a state") == 0);
    CHECK(refuses("flexion: 1\n" BODY
                  "equations: {first_order: {z: {mass: 0, derivative: z + z^3 - 1}}}\n",
                  "the algebraic variable 'z' cannot be exported: its equation is not linear") ==
          0);
    return 0;
}

static int size_is_limited(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = read_model(ctx, 0);
    flx_export_options o = {.language = FLX_EXPORT_C, .limit = 100};
    CHECK(m);
    CHECK(flx_model_export(m, &o, "/dev/null") == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "--functions");
    flx_ctx_clear_messages(ctx);
    o = (flx_export_options){.functions = "forwards"};
    CHECK(flx_model_export(m, &o, "/dev/null") == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "'forwards'");
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Every single allocation is refused in turn: an error, no crash, no leak.
static int memory_may_run_out(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = read_model(ctx, 4);
    const flx_export_options o = {.language = FLX_EXPORT_PYTHON, .functions = "inverse,closures"};
    CHECK(m);
    long before = flx_ctx_allocation_count(ctx);
    CHECK(flx_model_export(m, &o, "/dev/null") == FLX_OK);
    long count = flx_ctx_allocation_count(ctx) - before;
    for (long i = 1; i <= count; i += i < 50 ? 1 : 1 + count / 100) {
        flx_ctx_fail_allocation(ctx, i);
        flx_status status = flx_model_export(m, &o, "/dev/null");
        flx_ctx_fail_allocation(ctx, 0);
        CHECK(status == FLX_ERR_MEMORY || status == FLX_OK);
    }
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(all_that_acts_is_exported), TEST(parameters_may_change),
          TEST(what_cannot_be_exported_is_named), TEST(size_is_limited), TEST(memory_may_run_out))
