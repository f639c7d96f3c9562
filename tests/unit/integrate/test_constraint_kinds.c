// test_constraint_kinds.c - collocation methods on constraints of every kind: sigma g + tau (G v + g_t) = C lambda
// with and without each term. Orders of the motion against Radau IIA with seven stages.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "integrate/accelerate.h"
#include "rig.h"

static net_constraint constraint; // of the pendulum

static flx_system *pendulum(flx_ctx *ctx)
{
    double mass = 1.3;
    return net_create(ctx, 1, &mass, 9.81, 1, &constraint);
}

// A point at (0.8, -0.6) with a velocity that the constraint allows; everything else follows.
static int begin(rig *r, const flx_integrator_def *def)
{
    CHECK(rig_up(r, pendulum, def) == 0);
    r->x->q[0] = 0.8;
    r->x->q[1] = -0.6;
    r->x->v[0] = 0.9;
    r->x->v[1] = 1.2;
    flx_accelerator *acc = NULL;
    flx_work *work = r->sys->ops->work_create(r->sys);
    CHECK(work && flx_accelerator_create(r->sys, &acc) == FLX_OK);
    flx_status status = flx_accelerator_eval(acc, work, r->x, NULL, NULL);
    flx_accelerator_destroy(&acc);
    r->sys->ops->work_destroy(work);
    return status != FLX_OK;
}

static int end_state(const char *method, const char *family, int stages, int steps, double out[4])
{
    rig r;
    const double until = 0.8;
    flx_integrator_def def = flx_integrator_def_default();
    def.method = method;
    def.family = family;
    def.stages = stages;
    def.step = until / steps;
    if (begin(&r, &def)) return 1;
    flx_status status = FLX_OK;
    for (int k = 0; k < steps && status == FLX_OK; k++) {
        status = flx_integrator_step(r.it, r.x, (k + 1) * until / steps - r.x->t, NULL);
    }
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(r.ctx, 0)->text);
    memcpy(out, r.x->q, 2 * sizeof *out);
    memcpy(out + 2, r.x->v, 2 * sizeof *out);
    rig_down(&r);
    return status != FLX_OK;
}

static int has_order(const char *method, const char *family, int stages, int steps, double order)
{
    double reference[4], e[3];
    CHECK(end_state("radau", NULL, 7, 80, reference) == 0);
    for (int level = 0; level < 3; level++) {
        double x[4];
        CHECK(end_state(method, family, stages, steps << level, x) == 0);
        e[level] = 0.0;
        for (int i = 0; i < 4; i++) e[level] = fmax(e[level], fabs(x[i] - reference[i]));
    }
    double slope = 0.5 * log2(e[0] / e[2]);
    printf("    (%g, %g, %g) %s %s %d: %.2e %.2e %.2e, order %.2f\n", constraint.sigma,
           constraint.tau, constraint.C, method, family ? family : "", stages, e[0], e[1], e[2],
           slope);
    CHECK_NEAR(slope, order, 0.25);
    return 0;
}

static int all_methods(bool rigid)
{
    if (has_order("implicit-euler", NULL, 0, 200, 1.0)) return 1;
    if (has_order("midpoint", NULL, 0, 80, 2.0)) return 1;
    if (has_order("trapezoidal", NULL, 0, 80, 2.0)) return 1;
    if (has_order("lobatto", "IIIA", 3, 40, 4.0)) return 1;
    if (has_order("lobatto", "IIIC", 3, 40, 4.0)) return 1;
    if (has_order("radau", NULL, 2, 40, 3.0)) return 1;
    if (rigid) return 0;
    if (has_order("gauss", NULL, 1, 80, 2.0)) return 1;
    return has_order("gauss", NULL, 2, 40, 4.0);
}

static int rod(void)
{
    constraint = (net_constraint){.i = 0, .j = -1, .length = 1.0, .sigma = 1.0};
    return all_methods(true);
}

static int spring(void)
{
    constraint = (net_constraint){.i = 0, .j = -1, .length = 1.0, .sigma = 1.0, .C = 0.02};
    return all_methods(false);
}

static int spring_and_damper(void)
{
    constraint =
        (net_constraint){.i = 0, .j = -1, .length = 1.0, .sigma = 1.0, .tau = 0.1, .C = 0.05};
    return all_methods(false);
}

static int damper(void)
{
    constraint = (net_constraint){.i = 0, .j = -1, .length = 1.0, .tau = 1.0, .C = 0.3};
    return all_methods(false);
}

// Index 2: the length relaxes to that of the rod whatever the force is.
static int rigid_on_velocity_level(void)
{
    constraint = (net_constraint){.i = 0, .j = -1, .length = 1.0, .sigma = 1.0, .tau = 0.3};
    return all_methods(true);
}

TEST_MAIN(TEST(rod), TEST(spring), TEST(spring_and_damper), TEST(damper),
          TEST(rigid_on_velocity_level))
