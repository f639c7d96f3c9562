// test_compare_methods.c - studies: errors, orders, references, failures that are rows; words of methods.
#include "base/common.h"
#include "check.h"
#include "flexion/flexion.h"

#include <stdlib.h>
#include <unistd.h>

static const char oscillator[] = "flexion: 1\n"
                                 "equations: {second_order: {x: {at: 1, rate: 0, force: -x}}}\n"
                                 "simulate: {until: 2}\n"
                                 "outputs: {every: 0.1, signals: [x, x']}\n";
static const char pendulum[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\n"
    "bodies: {m: {type: point, mass: 1, position: [1, 0, 0]}}\n"
    "joints: {rod: {type: distance, on: [ground, m], at: [[0, 0, 0], m]}}\n"
    "simulate: {until: 0.5}\n";

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_study *study;
    flx_status status;
} rig;

static rig run(const char *text, const flx_study_def *def)
{
    rig r = {.ctx = flx_ctx_create()};
    r.status = flx_model_read_text(r.ctx, "model", text, strlen(text), 0, NULL, &r.model);
    if (r.status == FLX_OK) r.status = flx_study_run(r.model, def, NULL, NULL, &r.study);
    return r;
}

static void clear(rig *r)
{
    flx_study_destroy(&r->study);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static const char *message(const rig *r)
{
    const flx_message *m = flx_ctx_error(r->ctx, 0);
    return m ? m->text : "";
}

// ---- words --------------------------------------------------------------------------------------

static int words_carry_options(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_integrator_def d = flx_integrator_def_default();
    d.rtol = 1e-5;
    CHECK(flx_method_read(ctx, "radau(stages=5, formulation=ggl)", &d) == FLX_OK);
    CHECK(strcmp(d.method, "radau") == 0 && d.stages == 5);
    CHECK(d.formulation == FLX_FORMULATION_GGL);
    CHECK(d.rtol == 1e-5 && d.step == 0.0); // what the word does not say stays
    CHECK(flx_method_read(ctx, "dopri5", &d) == FLX_OK);
    CHECK(strcmp(d.method, "dopri5") == 0 && d.stages == 0);
    // options also stand behind a blank; what the word says holds
    CHECK(flx_method_read(ctx, "radau rtol=1e-8 stages=7", &d) == FLX_OK);
    CHECK(strcmp(d.method, "radau") == 0 && d.stages == 7 && d.rtol == 1e-8 && d.atol == 1e-10);
    CHECK(flx_method_read(ctx, "generalized-alpha( spectral_radius = 0.7 , step=1e-3 )", &d) ==
          FLX_OK);
    CHECK(d.spectral_radius == 0.7 && d.step == 1e-3 && d.rtol == 0.0 && d.atol == 0.0);
    CHECK(flx_method_read(ctx, "midpoint", &d) == FLX_OK && d.step == 1e-3);
    d.max_steps = 77; // stays where the word does not say another
    CHECK(flx_method_read(ctx, "midpoint", &d) == FLX_OK && d.max_steps == 77);
    CHECK(flx_method_read(ctx, "radau(max_steps=5)", &d) == FLX_OK && d.max_steps == 5);
    CHECK(flx_method_read(ctx, "hht(alpha=-0.1)", &d) == FLX_OK && d.alpha == -0.1);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int wrong_words_are_told(void)
{
    static const char *const wrong[][2] = {
        {"radua", "did you mean 'radau'"},
        {"radau(stage=5)", "did you mean 'stages'"},
        {"dopri5(stages=3)", "has no 'stages'"},
        {"radau(stages=0)", "at least 1"},
        {"radau(stages=5", "options in brackets"},
        {"", "is no method"},
        {"radau(stages=5}){", "options in brackets"},
        {"radau(stages=5, stages=3)", "'stages' is given twice"},
        {"radau until=3", "belong to a run"},
        {"radau(stages=five)", "five"},
        {"radau(stages=)", "options in brackets"},
        {"radau(stages=5) rtol=1", "options in brackets"},
        {"radau,", "options in brackets"},
        {"midpoint rtol=1e-6", "has no error control"},
        {"radau step=1e-3 rtol=1e-6", "has both 'step' and 'rtol'"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_integrator_def d = flx_integrator_def_default();
        CHECK(flx_method_read(ctx, wrong[i][0], &d) == FLX_ERR_ARGUMENT);
        CHECK(flx_ctx_error_count(ctx) == 1);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i][1]);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Asked of the methods themselves.
static int systems_of_methods_are_known(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_integrator_def d = flx_integrator_def_default();
    unsigned bits;
    d.method = "radau";
    CHECK(flx_method_systems(ctx, &d, &bits) == FLX_OK && bits == 0xfu);
    d.method = "dopri5";
    CHECK(flx_method_systems(ctx, &d, &bits) == FLX_OK && bits == 0x3u);
    CHECK(flx_ctx_error_count(ctx) == 0);
    d.method = "none";
    CHECK(flx_method_systems(ctx, &d, &bits) == FLX_ERR_ARGUMENT);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- studies ------------------------------------------------------------------------------------

static int orders_are_observed(void)
{
    static const char *const methods[] = {"implicit-euler", "midpoint", "radau", "dopri5"};
    static const double steps[] = {0.2, 0.1, 0.05, 0.025};
    static const double orders[] = {1, 2, 5, 5};
    flx_study_def def = {.nmethod = 4, .methods = methods, .nstep = 4, .steps = steps};
    rig r = run(oscillator, &def);
    CHECK(r.status == FLX_OK);
    CHECK(flx_study_rows(r.study) == 16 && flx_study_groups(r.study) == 2);
    for (int m = 0; m < 4; m++) {
        for (int g = 0; g < 2; g++) CHECK_NEAR(flx_study_order(r.study, m, g, 1), orders[m], 0.15);
    }
    // x = cos t: the midpoint rule turns by 2 atan(h/2) instead of h
    const flx_study_row *row = flx_study_get(r.study, 4);
    double angle = 10.0 * 2.0 * atan(0.1);
    CHECK_NEAR(row->at_end[0], fabs(cos(angle) - cos(2.0)) / fabs(cos(0.2)), 1e-9);
    CHECK(row->work.steps == 10);
    clear(&r);
    return 0;
}

static int multipliers_lose_two_orders(void)
{
    static const char *const methods[] = {"radau(formulation=index-3)"};
    static const char *const signals[] = {"positions", "multipliers"};
    static const double steps[] = {0.05, 0.025, 0.0125};
    flx_study_def def = {.nmethod = 1,
                         .methods = methods,
                         .nstep = 3,
                         .steps = steps,
                         .nsignal = 2,
                         .signals = signals};
    rig r = run(pendulum, &def);
    CHECK(r.status == FLX_OK);
    double q = flx_study_order(r.study, 0, 0, 1), lam = flx_study_order(r.study, 0, 1, 1);
    CHECK(q > 4.5 && q < 5.5);
    CHECK(lam > 1.8 && lam < 3.3);
    CHECK(flx_study_reference_error(r.study, 0) < 1e-10);
    clear(&r);
    return 0;
}

static int failures_are_rows(void)
{
    static const char *const methods[] = {"gauss", "radau"};
    static const double steps[] = {0.1, 0.05};
    flx_study_def def = {.nmethod = 2, .methods = methods, .nstep = 2, .steps = steps};
    rig r = run(pendulum, &def);
    CHECK(r.status == FLX_OK);
    const flx_study_row *failed = flx_study_get(r.study, 0), *good = flx_study_get(r.study, 2);
    CHECK(failed->status == FLX_ERR_CANNOT);
    CHECK_TEXT(failed->reason, "gauss");
    CHECK(isnan(failed->at_end[0]) && isnan(failed->seconds));
    CHECK(isnan(flx_study_order(r.study, 0, 0, 0)));
    CHECK(good->status == FLX_OK && good->at_end[0] < 1e-2 && good->seconds >= 0.0);
    CHECK(flx_ctx_error_count(r.ctx) == 0);
    clear(&r);
    return 0;
}

static int tolerances_are_kept_to(void)
{
    static const char *const methods[] = {"dop853", "radau"};
    static const double tolerances[] = {1e-4, 1e-7, 1e-10};
    flx_study_def def = {
        .nmethod = 2, .methods = methods, .ntolerance = 3, .tolerances = tolerances, .repeats = 2};
    rig r = run(oscillator, &def);
    CHECK(r.status == FLX_OK);
    for (int i = 0; i < 6; i++) {
        const flx_study_row *row = flx_study_get(r.study, i);
        CHECK(row->status == FLX_OK && row->at_end[0] < 30.0 * row->value);
        CHECK(row->work.residuals > 0);
    }
    clear(&r);
    return 0;
}

// cos t, to be read back.
static int a_file_serves_as_reference(void)
{
    char path[] = "study-XXXXXX", name[64];
    int fd = mkstemp(path);
    CHECK(fd >= 0);
    close(fd);
    snprintf(name, sizeof name, "%s.csv", path);
    FILE *f = fopen(name, "w");
    CHECK(f != NULL);
    fputs("t,x,x'\n", f);
    for (int i = 0; i <= 20; i++)
        fprintf(f, "%.17g,%.17g,%.17g\n", 0.1 * i, cos(0.1 * i), -sin(0.1 * i));
    fclose(f);
    static const char *const methods[] = {"midpoint"}, *const signals[] = {"x", "x'"};
    static const double steps[] = {0.1, 0.05, 0.025};
    flx_study_def def = {.nmethod = 1,
                         .methods = methods,
                         .nstep = 3,
                         .steps = steps,
                         .nsignal = 2,
                         .signals = signals,
                         .reference = name};
    rig r = run(oscillator, &def);
    CHECK(r.status == FLX_OK);
    CHECK_NEAR(flx_study_order(r.study, 0, 0, 0), 2.0, 0.05);
    CHECK_NEAR(flx_study_order(r.study, 0, 1, 1), 2.0, 0.05);
    CHECK_TEXT(flx_study_reference(r.study), "study-");
    clear(&r);
    def.nsignal = 0; // the file holds signals, not positions
    r = run(oscillator, &def);
    CHECK(r.status == FLX_ERR_ARGUMENT);
    CHECK_TEXT(message(&r), "name the signals");
    clear(&r);
    remove(name);
    remove(path);
    return 0;
}

static int wrong_studies_are_told(void)
{
    static const char *const methods[] = {"radau"}, *const signals[] = {"velocites"};
    static const char *const tight[] = {"radau(rtol=1e-9)"};
    static const double steps[] = {0.1}, wrong[] = {-1.0};
    const flx_study_def none = {.nmethod = 1, .methods = methods};
    const flx_study_def negative = {.nmethod = 1, .methods = methods, .nstep = 1, .steps = wrong};
    const flx_study_def signal = {.nmethod = 1,
                                  .methods = methods,
                                  .nstep = 1,
                                  .steps = steps,
                                  .nsignal = 1,
                                  .signals = signals};
    const flx_study_def own = {.nmethod = 1, .methods = tight, .nstep = 1, .steps = steps};
    rig r = run(oscillator, &none);
    CHECK(r.status == FLX_ERR_ARGUMENT && !r.study);
    CHECK_TEXT(message(&r), "either steps or tolerances");
    clear(&r);
    r = run(oscillator, &negative);
    CHECK(r.status == FLX_ERR_ARGUMENT);
    CHECK_TEXT(message(&r), "must be positive");
    clear(&r);
    r = run(oscillator, &signal);
    CHECK(r.status == FLX_ERR_ARGUMENT);
    CHECK_TEXT(message(&r), "did you mean 'velocities'");
    clear(&r);
    r = run(oscillator, &own); // was passed over in silence
    CHECK(r.status == FLX_ERR_ARGUMENT);
    CHECK_TEXT(message(&r), "leave 'rtol' and 'atol' out");
    clear(&r);
    CHECK(flx_study_groups(NULL) == 0 && !flx_study_group(NULL, 0) && !flx_study_get(NULL, 0));
    return 0;
}

TEST_MAIN(TEST(words_carry_options), TEST(wrong_words_are_told), TEST(systems_of_methods_are_known),
          TEST(orders_are_observed), TEST(multipliers_lose_two_orders), TEST(failures_are_rows),
          TEST(tolerances_are_kept_to), TEST(a_file_serves_as_reference),
          TEST(wrong_studies_are_told))
