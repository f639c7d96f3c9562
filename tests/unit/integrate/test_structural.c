// test_structural.c - what newmark, hht and generalized-alpha share: the GGL form, the start, steps of
// changing length, the estimate of the error and what the control delivers.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "method_check.h"
#include "rig.h"

#include "integrate/structural/structural.h"

static flx_integrator_def method(const char *name)
{
    flx_integrator_def def = flx_integrator_def_default();
    def.method = name;
    def.step = 1e-3;
    return def;
}

static flx_integrator_def ggl(void)
{
    flx_integrator_def def = method("generalized-alpha");
    def.formulation = FLX_FORMULATION_GGL;
    return def;
}

// Largest |G v + g_t| of constraints on positions.
static double rate_gap(rig *r, const flx_state *x)
{
    double gd[8], worst = 0.0;
    flx_point p = flx_state_point(r->sys, x);
    if (r->sys->ops->constraint_rate(r->sys, r->it->work, &p, gd) != FLX_OK) return HUGE_VAL;
    for (int i = 0; i < r->sys->dims.nlam; i++) worst = fmax(worst, fabs(gd[i]));
    return worst;
}

// ---- GGL ------------------------------------------------------------------------------------

static int ggl_has_order_two_in_everything(void)
{
    flx_integrator_def def = ggl();
    const double two[3] = {2.0, 2.0, 2.0};
    CHECK(rig_orders(rig_pendulum, 1.1, 100, &def, two, 0.1) == 0);
    CHECK(rig_orders(rig_top, 0.5, 100, &def, two, 0.1) == 0);
    CHECK(rig_orders(rig_top_own, 0.5, 100, &def, two, 0.1) == 0);
    // nothing on positions: nothing to stabilise
    CHECK(rig_orders(rig_skate, 0.83, 50, &def, two, 0.1) == 0);
    CHECK(rig_orders(rig_mixed, 2.0, 100, &def, two, 0.1) == 0);
    return 0;
}

static int ggl_meets_positions_and_velocities(void)
{
    rig r;
    flx_integrator_def def = ggl();
    rig_maker makers[] = {rig_pendulum, rig_top};
    for (int m = 0; m < 2; m++) {
        CHECK(rig_up(&r, makers[m], &def) == 0);
        double worst = 0.0, worst_rate = 0.0;
        for (int k = 0; k < 3000; k++) {
            CHECK(flx_integrator_step(r.it, r.x, 1e-3, NULL) == FLX_OK);
            worst = fmax(worst, rig_gap(&r, r.x));
            worst_rate = fmax(worst_rate, rate_gap(&r, r.x));
        }
        printf("      closure %.1e, of velocities %.1e\n", worst, worst_rate);
        rig_down(&r);
        CHECK(worst < 1e-14);
        CHECK(worst_rate < 1e-10);
    }
    return 0;
}

// ---- start ----------------------------------------------------------------------------------

#define STIFFNESS 1e7

static flx_system *stiff_spring(flx_ctx *ctx)
{
    static const double M[1] = {1.0}, D[1] = {0.0}, K[1] = {STIFFNESS};
    return linear_create(ctx, 1, M, D, K);
}

// A step of ten periods of a spring that swings: what cannot be resolved must not be blown up by the
// start, which knows the slope of the acceleration.
static int unresolved_starts_stay_small(void)
{
    static const char *const names[3] = {"newmark", "hht", "generalized-alpha"};
    for (int m = 0; m < 3; m++) {
        rig r;
        flx_integrator_def def = method(names[m]);
        def.step = 0.02;
        CHECK(rig_up(&r, stiff_spring, &def) == 0);
        r.x->v[0] = 1.0;
        double force = 0.0, speed = 0.0;
        for (int k = 0; k < 100; k++) {
            CHECK(flx_integrator_step(r.it, r.x, def.step, NULL) == FLX_OK);
            force = fmax(force, sqrt(STIFFNESS) * fabs(r.x->q[0]));
            speed = fmax(speed, fabs(r.x->v[0]));
        }
        printf("      %s: at most %.3f of the force, %.3f of the speed\n", names[m], force, speed);
        rig_down(&r);
        CHECK(force < 1.01);
        CHECK(speed < 1.01);
    }
    return 0;
}

// ---- steps of changing length -----------------------------------------------------------------

// Steps between half and three halves of the mean, by chance but the same for every level.
static double chance(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (double)(1u << 24);
}

// Errors in q, v, lambda at the end, largest over the last ten steps for lambda: a change of the step
// shows there.
static int random_run(rig_maker make, const flx_integrator_def *def, double t_end, int steps,
                      double error[3])
{
    rig r;
    CHECK(rig_up(&r, make, def) == 0);
    const flx_dims *d = &r.sys->dims;
    unsigned seed = 7;
    double h = t_end / steps;
    memset(error, 0, 3 * sizeof *error);
    while (r.x->t < t_end - 1e-12) {
        double step = h * (0.5 + chance(&seed));
        if (step > 0.999 * (t_end - r.x->t)) step = t_end - r.x->t;
        if (step > 0.5 * (t_end - r.x->t) && step < t_end - r.x->t) step = 0.5 * (t_end - r.x->t);
        CHECK(flx_integrator_step(r.it, r.x, step, NULL) == FLX_OK);
        flx_state_copy(r.y, r.x);
        CHECK(rig_accelerations(&r, r.y) == 0);
        for (int i = 0; i < d->nlam && r.x->t > 0.5 * t_end; i++) {
            error[2] = fmax(error[2], fabs(r.x->lam[i] - r.y->lam[i]));
        }
    }
    CHECK(rig_reference(make, t_end, r.y) == 0);
    for (int i = 0; i < d->nq; i++) error[0] = fmax(error[0], fabs(r.x->q[i] - r.y->q[i]));
    for (int i = 0; i < d->nv; i++) error[1] = fmax(error[1], fabs(r.x->v[i] - r.y->v[i]));
    rig_down(&r);
    return 0;
}

static int order_two_with_changing_steps(void)
{
    rig_maker makers[] = {rig_pendulum, rig_top, rig_mixed};
    const double t_end[] = {1.1, 0.5, 2.0};
    for (int form = 0; form < 2; form++) {
        flx_integrator_def def = form ? ggl() : method("generalized-alpha");
        for (int m = 0; m < 3; m++) {
            double error[2][3];
            CHECK(random_run(makers[m], &def, t_end[m], 200, error[0]) == 0);
            CHECK(random_run(makers[m], &def, t_end[m], 1600, error[1]) == 0);
            for (int k = 0; k < 3; k++) {
                if (error[0][k] == 0.0) continue;
                double order = log(error[0][k] / error[1][k]) / log(8.0);
                printf("      %s %d: order %.2f in %s (%.1e)\n", form ? "ggl" : "index 3", m, order,
                       k == 0 ? "q" : (k == 1 ? "v" : "lambda"), error[1][k]);
                CHECK(order > 1.85);
            }
        }
    }
    return 0;
}

// ---- error control ----------------------------------------------------------------------------

// An oscillator, undamped, of frequency 2: q = cos 2t.
static flx_system *oscillator(flx_ctx *ctx)
{
    const double M = 1.0, D = 0.0, K = 4.0;
    return linear_create(ctx, 1, &M, &D, &K);
}

// The error of one step, when the algorithmic acceleration has forgotten its start: the estimate over
// it goes to one.
static int estimate_is_right_in_size(void)
{
    const char *const names[] = {"generalized-alpha", "hht", "newmark", "newmark"};
    for (int m = 0; m < 4; m++) {
        double off[2] = {1.0, 1.0}, last[2] = {1.0, 1.0};
        for (int level = 0; level < 4; level++) {
            rig r;
            flx_integrator_def def = method(names[m]);
            double h = 0.04 / (1 << level);
            def.step = 0.0;
            def.rtol = def.atol = 1e3;
            def.initial_step = def.max_step = h;
            if (m == 3) def.gamma = 0.6;
            CHECK(rig_up(&r, oscillator, &def) == 0);
            double phase = 2.0 * (1.0 - 40.0 * h); // so that the last step begins at the same place
            r.x->q[0] = cos(phase);
            r.x->v[0] = -2.0 * sin(phase);
            CHECK(rig_accelerations(&r, r.x) == 0);
            for (int k = 0; k < 40; k++) {
                CHECK(flx_integrator_step(r.it, r.x, 10.0, NULL) == FLX_OK);
            }
            CHECK(flx_structural_attempt(r.it, r.x, h) == FLX_OK);
            CHECK(flx_structural_estimate(r.it, r.x) == FLX_OK);
            const structural *g = r.it->data;
            double c = cos(2.0 * h), s = sin(2.0 * h), q = r.x->q[0], v = r.x->v[0];
            double error[2] = {g->q[0] - (c * q + 0.5 * s * v), g->v[0] - (c * v - 2.0 * s * q)};
            for (int k = 0; k < 2; k++) {
                last[k] = off[k];
                off[k] = fabs(g->error[k] / error[k] - 1.0);
            }
            rig_down(&r);
        }
        printf("      %s: off by %.1e in q, %.1e in v; before %.1e, %.1e\n", names[m], off[0],
               off[1], last[0], last[1]);
        for (int k = 0; k < 2; k++) CHECK(off[k] < 0.03 && off[k] < 0.65 * last[k]);
    }
    return 0;
}

// Error in q at the end; and what the run took.
static int controlled_run(rig_maker make, flx_integrator_def def, double t_end, double tol,
                          double *error, flx_statistics *work)
{
    rig r;
    def.step = 0.0;
    def.rtol = def.atol = tol;
    CHECK(rig_up(&r, make, &def) == 0);
    flx_status status = FLX_OK;
    while (r.x->t < t_end && status == FLX_OK) {
        status = flx_integrator_step(r.it, r.x, t_end - r.x->t, NULL);
    }
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(r.ctx, 0)->text);
    CHECK(status == FLX_OK);
    CHECK(rig_gap(&r, r.x) < 1e-13);
    CHECK(rig_reference(make, t_end, r.y) == 0);
    *error = 0.0;
    for (int i = 0; i < r.sys->dims.nq; i++) *error = fmax(*error, fabs(r.x->q[i] - r.y->q[i]));
    *work = *flx_integrator_statistics(r.it);
    rig_down(&r);
    return 0;
}

// The error stays below three times the tolerance (the systems amplify little), goes with it within a
// factor of two over three decades, and hardly a step is rejected.
static int error_goes_with_the_tolerance(void)
{
    rig_maker makers[] = {rig_linear, rig_pendulum, rig_top, rig_mixed, rig_skate, rig_quasistatic};
    const double t_end[] = {2.0, 1.1, 0.5, 2.0, 0.83, 1.5};
    const char *const names[] = {"generalized-alpha", "hht", "generalized-alpha"};
    for (int form = 0; form < 3; form++) {
        for (int m = 0; m < 6; m++) {
            flx_integrator_def def = form == 2 ? ggl() : method(names[form]);
            double least = HUGE_VAL, most = 0.0;
            for (int k = 0; k < 4; k++) {
                double tol = pow(10.0, -3.0 - k), error;
                flx_statistics work;
                CHECK(controlled_run(makers[m], def, t_end[m], tol, &error, &work) == 0);
                least = fmin(least, error / tol);
                most = fmax(most, error / tol);
                CHECK(work.rejected <= 5 + work.steps / 20);
            }
            printf("      %s, system %d: error from %.2f to %.2f tolerances\n",
                   form == 2 ? "ggl" : names[form], m, least, most);
            CHECK(most < 3.0);
            CHECK(least > 0.5 * most || m >= 4);
        }
    }
    return 0;
}

// gamma > 1/2 is of first order: the control knows.
static int first_order_is_controlled_too(void)
{
    flx_integrator_def def = method("newmark");
    def.gamma = 0.6;
    def.beta = 0.3025;
    double error[2];
    flx_statistics work[2];
    for (int k = 0; k < 2; k++) {
        CHECK(controlled_run(rig_pendulum, def, 1.1, k ? 1e-3 : 1e-2, error + k, work + k) == 0);
    }
    CHECK(error[0] < 3e-2 && error[1] < 3e-3 && error[1] < 0.2 * error[0]);
    CHECK(work[1].steps > 5 * work[0].steps);
    return 0;
}

// ---- what every method promises ---------------------------------------------------------------

static const rig_maker all[] = {rig_pendulum, rig_top, rig_mixed, rig_skate, rig_quasistatic};

static int nothing_is_allocated_in_steps(void)
{
    for (int form = 0; form < 4; form++) {
        flx_integrator_def def = form & 1 ? ggl() : method("generalized-alpha");
        if (form & 2) {
            def.step = 0.0;
            def.rtol = def.atol = 1e-4;
        }
        CHECK(method_allocates_nothing(&def, all, 5) == 0);
    }
    return 0;
}

static int failures_change_nothing(void)
{
    for (int form = 0; form < 4; form++) {
        flx_integrator_def def = form & 1 ? ggl() : method("generalized-alpha");
        if (form & 2) {
            def.step = 0.0;
            def.rtol = def.atol = 1e-4;
        }
        CHECK(method_failure_changes_nothing(&def, rig_pendulum, "a value is not finite") == 0);
    }
    return 0;
}

static int memory_may_run_out(void)
{
    flx_integrator_def def = ggl();
    CHECK(method_survives_want_of_memory(&def, rig_top) == 0);
    return 0;
}

static int index_one_is_refused(void)
{
    flx_integrator_def def = method("hht");
    def.formulation = FLX_FORMULATION_INDEX1;
    return method_refuses(&def, rig_pendulum, "method 'hht' solves formulations index-3 and ggl");
}

TEST_MAIN(TEST(ggl_has_order_two_in_everything), TEST(ggl_meets_positions_and_velocities),
          TEST(unresolved_starts_stay_small), TEST(order_two_with_changing_steps),
          TEST(estimate_is_right_in_size), TEST(error_goes_with_the_tolerance),
          TEST(first_order_is_controlled_too), TEST(nothing_is_allocated_in_steps),
          TEST(failures_change_nothing), TEST(memory_may_run_out), TEST(index_one_is_refused))
