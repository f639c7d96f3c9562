// test_structural.c - what newmark, hht and generalized-alpha share: the GGL form, steps of changing
// length, the estimate of the error and what the control delivers.
#include "check.h"
#include "method_check.h"
#include "rig.h"

#include "integrate/structural.h"

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

// Largest |G v + g_t| of bonds on positions.
static double rate_gap(rig *r, const flx_state *x)
{
    double gd[8], worst = 0.0;
    flx_point p = flx_state_point(r->sys, x);
    if (r->sys->ops->bond_rate(r->sys, r->it->work, &p, gd) != FLX_OK) return HUGE_VAL;
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

TEST_MAIN(TEST(ggl_has_order_two_in_everything), TEST(ggl_meets_positions_and_velocities),
          TEST(order_two_with_changing_steps))
