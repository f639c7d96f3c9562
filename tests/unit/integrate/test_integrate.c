// test_integrate.c - runs on schedule, values between steps, the list of methods and its refusals.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "integrate/method.h"
#include "rig.h"

#include <stdlib.h>

// ---- a sink of times ------------------------------------------------------------------------

enum { MOST = 4000 };
typedef struct log_of {
    int n, stop_at;
    double t[MOST], error;
    rig *r;
    rig_maker make; // compare with the reference where not NULL
} log_of;

static int take(void *user, const flx_state *x)
{
    log_of *l = user;
    if (l->n < MOST) l->t[l->n] = x->t;
    l->n++;
    if (l->make) {
        rig_reference(l->make, x->t, l->r->y);
        for (int i = 0; i < l->r->sys->dims.nv; i++) {
            l->error = fmax(l->error, fabs(x->v[i] - l->r->y->v[i]));
        }
    }
    return l->stop_at > 0 && l->n >= l->stop_at;
}

static flx_integrator_def alpha(double step)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "generalized-alpha";
    def.step = step;
    return def;
}

// ---- schedule -------------------------------------------------------------------------------

static int every_gives_start_multiples_and_end(void)
{
    rig r;
    flx_integrator_def def = alpha(3e-3); // no multiple of the output
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r};
    flx_schedule s = {.until = 0.1, .every = 0.01};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
    CHECK(l.n == 11);
    for (int i = 0; i <= 10; i++) CHECK_NEAR(l.t[i], 0.01 * i, 1e-15);
    CHECK(r.x->t == 0.1);
    // 33 steps of 3 ms and one of 1 ms
    CHECK(r.it->stats.steps == 34);
    CHECK_NEAR(r.it->stats.smallest_step, 1e-3, 1e-12);
    rig_down(&r);
    return 0;
}

static int steps_and_listed_times_are_merged(void)
{
    rig r;
    flx_integrator_def def = alpha(0.01);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    const double times[] = {-1.0, 0.0, 0.015, 0.03, 0.0314, 7.0};
    log_of l = {.r = &r};
    flx_schedule s = {.until = 0.04, .times = times, .ntimes = 6, .steps = 1};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
    const double expected[] = {0.0, 0.01, 0.015, 0.02, 0.03, 0.0314, 0.04};
    CHECK(l.n == 7);
    for (int i = 0; i < 7; i++) CHECK_NEAR(l.t[i], expected[i], 1e-15);
    rig_down(&r);
    return 0;
}

static int nothing_asked_gives_start_and_end(void)
{
    rig r;
    flx_integrator_def def = alpha(0.01);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r};
    flx_schedule s = {.until = 0.04};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
    CHECK(l.n == 2);
    // no time at all: once
    l.n = 0;
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
    CHECK(l.n == 1);
    rig_down(&r);
    return 0;
}

static int a_step_as_long_as_the_run_or_longer(void)
{
    rig r;
    flx_integrator_def def = alpha(1.0);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r};
    flx_schedule s = {.until = 0.003, .every = 0.001};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
    CHECK(l.n == 4);
    CHECK(r.it->stats.steps == 1);
    rig_down(&r);
    return 0;
}

// Times are multiples of the step, not sums of it: 0.1 s a million times would show it.
static int times_do_not_drift(void)
{
    rig r;
    flx_integrator_def def = alpha(1e-3);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r};
    flx_schedule s = {.until = 3.0, .steps = 1};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
    CHECK(l.n == 3001);
    for (int i = 0; i <= 3000; i++) CHECK_NEAR(l.t[i], i * 1e-3, 1e-15);
    rig_down(&r);
    return 0;
}

static int a_callback_stops_the_run(void)
{
    rig r;
    flx_integrator_def def = alpha(1e-3);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r, .stop_at = 5};
    flx_schedule s = {.until = 1.0, .steps = 1};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_INTERRUPTED);
    CHECK(l.n == 5);
    CHECK_NEAR(r.x->t, 4e-3, 1e-15);
    rig_down(&r);
    return 0;
}

static int wrong_schedules_are_refused(void)
{
    rig r;
    flx_integrator_def def = alpha(1e-3);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r};
    const double back[] = {0.2, 0.1};
    flx_schedule bad[] = {{.until = -1.0},
                          {.until = (double)NAN},
                          {.until = 1.0, .every = -0.1},
                          {.until = 1.0, .times = back, .ntimes = 2}};
    for (int i = 0; i < 4; i++) {
        CHECK(flx_integrate(r.it, r.x, &bad[i], take, &l) == FLX_ERR_ARGUMENT);
    }
    CHECK(l.n == 0);
    rig_down(&r);
    return 0;
}

static int a_limit_of_steps_ends_the_run(void)
{
    rig r;
    flx_integrator_def def = alpha(1e-3);
    def.max_steps = 20;
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    log_of l = {.r = &r};
    flx_schedule s = {.until = 1.0, .steps = 1};
    CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_TOO_MANY_STEPS);
    CHECK(l.n == 21);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "20 steps");
    rig_down(&r);
    return 0;
}

static int no_allocation_in_a_run(void)
{
    const char *const methods[] = {"generalized-alpha", "radau", "dopri5"};
    for (int m = 0; m < 3; m++) {
        rig r;
        flx_integrator_def def = alpha(1e-2);
        def.method = methods[m];
        CHECK(rig_up(&r, rig_top, &def) == 0);
        log_of l = {.r = &r};
        flx_schedule s = {.until = 0.5, .every = 3e-3};
        long before = flx_ctx_allocation_count(r.ctx);
        CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
        CHECK(flx_ctx_allocation_count(r.ctx) == before);
        rig_down(&r);
    }
    return 0;
}

// ---- values in between ----------------------------------------------------------------------

// Cubic Hermite on the chart, of exact ends: errors of one step fall with h^4 in q, h^3 in v, h^2
// in lambda; at the ends it is the ends.
static int values_between_steps_have_their_orders(void)
{
    double e[3][3];
    for (int level = 0; level < 3; level++) {
        rig r;
        flx_integrator_def def = alpha(1e-9);
        CHECK(rig_up(&r, rig_top, &def) == 0);
        double h = 0.04 / (1 << level), t = 0.37 * h, theta[6], rate[6];
        rig_reference(rig_top, h, r.y);
        rig_accelerations(&r, r.y);
        flx_state *out = NULL, *exact = NULL;
        CHECK(flx_state_create(r.sys, &out) == FLX_OK);
        CHECK(flx_state_create(r.sys, &exact) == FLX_OK);
        flx_hermite(r.sys, r.x, r.y, 0.0, theta, rate, out);
        for (int i = 0; i < 6; i++) CHECK_NEAR(out->v[i], r.x->v[i], 1e-14);
        flx_hermite(r.sys, r.x, r.y, h, theta, rate, out);
        for (int i = 0; i < 6; i++) CHECK_NEAR(out->v[i], r.y->v[i], 1e-12);
        for (int i = 0; i < 7; i++) CHECK_NEAR(out->q[i], r.y->q[i], 1e-14);
        flx_hermite(r.sys, r.x, r.y, t, theta, rate, out);
        rig_reference(rig_top, t, exact);
        rig_accelerations(&r, exact);
        for (int i = 0; i < 3; i++) e[i][level] = 0.0;
        for (int i = 0; i < 7; i++) e[0][level] = fmax(e[0][level], fabs(out->q[i] - exact->q[i]));
        for (int i = 0; i < 6; i++) e[1][level] = fmax(e[1][level], fabs(out->v[i] - exact->v[i]));
        for (int i = 0; i < 3; i++) {
            e[2][level] = fmax(e[2][level], fabs(out->lam[i] - exact->lam[i]));
        }
        flx_state_destroy(&out);
        flx_state_destroy(&exact);
        rig_down(&r);
    }
    const double order[3] = {4.0, 3.0, 2.0};
    for (int i = 0; i < 3; i++) CHECK_NEAR(log2(e[i][1] / e[i][2]), order[i], 0.25);
    return 0;
}

static int output_between_steps_is_as_good_as_the_steps(void)
{
    const char *const methods[] = {"generalized-alpha", "radau", "dopri5"};
    const double allowed[] = {1e-4, 1e-9, 1e-9};
    for (int m = 0; m < 3; m++) {
        rig r;
        flx_integrator_def def = alpha(1e-3);
        def.method = methods[m];
        CHECK(rig_up(&r, rig_pendulum, &def) == 0);
        log_of l = {.r = &r, .make = rig_pendulum};
        flx_schedule s = {.until = 0.02, .every = 7.7e-4};
        CHECK(flx_integrate(r.it, r.x, &s, take, &l) == FLX_OK);
        CHECK_NEAR(l.error, 0.0, allowed[m]);
        rig_down(&r);
    }
    return 0;
}

static int a_time_outside_the_last_step_is_refused(void)
{
    rig r;
    flx_integrator_def def = alpha(1e-3);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    CHECK(flx_integrator_interpolate(r.it, 0.0, r.y) == FLX_ERR_ARGUMENT); // no step yet
    CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
    CHECK(flx_integrator_interpolate(r.it, 5e-4, r.y) == FLX_OK);
    CHECK(flx_integrator_interpolate(r.it, 2e-3, r.y) == FLX_ERR_ARGUMENT);
    rig_down(&r);
    return 0;
}

// ---- the caller's state ---------------------------------------------------------------------

// A state that was changed between steps is a new start: the same as from a new integrator.
static int a_changed_state_is_a_new_start(void)
{
    const char *const methods[] = {"generalized-alpha", "radau", "dopri5"};
    for (int m = 0; m < 3; m++) {
        rig r, s;
        flx_integrator_def def = alpha(1e-3);
        def.method = methods[m];
        CHECK(rig_up(&r, rig_pendulum, &def) == 0);
        CHECK(rig_up(&s, rig_pendulum, &def) == 0);
        for (int k = 0; k < 20; k++) CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
        for (int i = 0; i < 2; i++) r.x->v[i] *= 1.5;
        rig_accelerations(&r, r.x);
        flx_state_copy(s.x, r.x);
        for (int k = 0; k < 20; k++) {
            CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
            CHECK(flx_integrator_step(s.it, s.x, 1e-3, NULL) == FLX_OK);
        }
        for (int i = 0; i < 2; i++) CHECK_NEAR(r.x->v[i], s.x->v[i], 1e-11);
        rig_down(&r);
        rig_down(&s);
    }
    return 0;
}

// The same run twice, and in two halves with a copy of the state in between.
static int runs_repeat_to_the_bit(void)
{
    rig r, s;
    flx_integrator_def def = alpha(1e-3);
    CHECK(rig_up(&r, rig_top, &def) == 0);
    CHECK(rig_up(&s, rig_top, &def) == 0);
    for (int k = 0; k < 100; k++) {
        CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
        CHECK(flx_integrator_step(s.it, s.x, 1e-3, NULL) == FLX_OK);
        if (k == 50) { // a copy is no change
            flx_state_copy(s.y, s.x);
            flx_state_copy(s.x, s.y);
        }
    }
    CHECK(memcmp(r.x->block, s.x->block, r.x->size * sizeof(double)) == 0);
    rig_down(&r);
    rig_down(&s);
    return 0;
}

// ---- refusals -------------------------------------------------------------------------------

static int refused(rig_maker make, flx_integrator_def def, flx_status status, const char *text)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = make(ctx);
    flx_integrator *it = NULL;
    flx_status got = flx_integrator_create(s, &def, &it);
    const flx_message *m = flx_ctx_error(ctx, 0);
    bool ok = got == status && it == NULL && m && strstr(m->text, text);
    if (!ok) printf("status %d, message '%s'\n", (int)got, m ? m->text : "");
    flx_integrator_destroy(&it);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return ok;
}

static int what_cannot_be_is_refused_by_name(void)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = "generalised-alpha";
    def.step = 1e-3;
    CHECK(refused(rig_pendulum, def, FLX_ERR_ARGUMENT, "did you mean 'generalized-alpha'?"));
    def.method = "zzzzzzzz";
    CHECK(refused(rig_pendulum, def, FLX_ERR_ARGUMENT, "there is no method 'zzzzzzzz'"));
    def = alpha(0.0);
    def.method = "midpoint";
    CHECK(refused(rig_pendulum, def, FLX_ERR_ARGUMENT, "has no error control: give it a step"));
    def = alpha(-1.0);
    CHECK(refused(rig_pendulum, def, FLX_ERR_ARGUMENT, "must be positive"));
    def = alpha((double)NAN);
    CHECK(refused(rig_pendulum, def, FLX_ERR_ARGUMENT, "must be positive"));
    def = alpha(1e-3);
    def.spectral_radius = 1.5;
    CHECK(refused(rig_pendulum, def, FLX_ERR_ARGUMENT, "between 0 and 1"));
    def = alpha(1e-3);
    def.formulation = FLX_FORMULATION_INDEX1;
    CHECK(refused(rig_pendulum, def, FLX_ERR_UNAVAILABLE, "index-3"));
    def = alpha(1e-3);
    def.method = "dopri5";
    CHECK(refused(rig_implicit, def, FLX_ERR_CANNOT,
                  "needs explicit accelerations; system 'implicit' has none"));
    return 0;
}

static int an_option_without_effect_is_named(void)
{
    const char *const methods[] = {"dopri5", "galerkin", "radau"};
    for (int m = 0; m < 3; m++) {
        rig r;
        flx_integrator_def def = alpha(1e-2);
        def.method = methods[m];
        def.newton_tolerance = 1e-10;
        CHECK(rig_up(&r, rig_pendulum, &def) == 0);
        bool reads = m == 2;
        CHECK(flx_ctx_warning_count(r.ctx) == !reads);
        if (!reads) CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "does not use 'newton_tolerance'");
        rig_down(&r);
    }
    return 0;
}

static int a_wrong_step_is_refused(void)
{
    rig r;
    flx_integrator_def def = alpha(1e-3);
    CHECK(rig_up(&r, rig_pendulum, &def) == 0);
    CHECK(flx_integrator_step(r.it, r.x, 0.0, NULL) == FLX_ERR_ARGUMENT);
    CHECK(flx_integrator_step(r.it, r.x, -1.0, NULL) == FLX_ERR_ARGUMENT);
    CHECK(flx_integrator_step(r.it, r.x, (double)NAN, NULL) == FLX_ERR_ARGUMENT);
    rig_down(&r);
    return 0;
}

static const char *chosen(rig_maker make, flx_integrator_def def)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = make(ctx);
    flx_integrator *it = NULL;
    const char *name = NULL;
    if (flx_integrator_create(s, &def, &it) == FLX_OK) name = it->type->name;
    flx_integrator_destroy(&it);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return name; // of the list of methods
}

// auto: a step means generalized-alpha; error control means radau, or DOPRI5 where index 1 is asked.
static int auto_chooses(void)
{
    flx_integrator_def def = flx_integrator_def_default();
    CHECK_TEXT(chosen(rig_pendulum, def), "radau");
    CHECK_TEXT(chosen(rig_mixed, def), "radau");
    CHECK_TEXT(chosen(rig_quasistatic, def), "radau");
    def.formulation = FLX_FORMULATION_INDEX1;
    CHECK_TEXT(chosen(rig_pendulum, def), "dopri5");
    def = flx_integrator_def_default();
    def.step = 1e-3;
    CHECK_TEXT(chosen(rig_pendulum, def), "generalized-alpha");
    def.formulation = FLX_FORMULATION_GGL;
    CHECK_TEXT(chosen(rig_pendulum, def), "radau");
    return 0;
}

TEST_MAIN(TEST(every_gives_start_multiples_and_end), TEST(steps_and_listed_times_are_merged),
          TEST(nothing_asked_gives_start_and_end), TEST(a_step_as_long_as_the_run_or_longer),
          TEST(times_do_not_drift), TEST(a_callback_stops_the_run),
          TEST(wrong_schedules_are_refused), TEST(a_limit_of_steps_ends_the_run),
          TEST(no_allocation_in_a_run), SLOW_TEST(values_between_steps_have_their_orders),
          TEST(output_between_steps_is_as_good_as_the_steps),
          TEST(a_time_outside_the_last_step_is_refused), TEST(a_changed_state_is_a_new_start),
          TEST(runs_repeat_to_the_bit), TEST(what_cannot_be_is_refused_by_name),
          TEST(an_option_without_effect_is_named), TEST(a_wrong_step_is_refused),
          TEST(auto_chooses))
