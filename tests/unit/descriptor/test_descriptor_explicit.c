// The explicit form of the descriptor system: accelerations, and bodies without mass.
#include "mixture.h"

// The accelerations make every row of the residual vanish, and the constraints on acceleration level.
static int accelerations_solve_the_equations(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        make_mixture(&k, dimension);
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 3));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        const flx_explicit *e = s->ops->explicit_form;
        int n = e->size(s), nlam = s->dims.nlam;
        double z[64], dz[64], r[64], bias[32], moved_q, moved_v;
        CHECK(n <= 64 && p.n <= 64);
        e->pack(s, p.x, z);
        for (int i = 0; i < n; i++) z[i] += 1e-3 * system_random(&p.seed);
        // to the constraints, then nothing more to do
        CHECK(e->project(s, p.work, 0.2, z, p.x, &moved_q, &moved_v) == FLX_OK);
        CHECK(moved_q > 1e-6 && moved_v > 1e-6);
        CHECK(e->project(s, p.work, 0.2, z, p.x, &moved_q, &moved_v) == FLX_OK);
        CHECK(moved_q < 1e-13 && moved_v < 1e-13);
        CHECK(e->rate(s, p.work, 0.2, z, p.x, dz) == FLX_OK);
        flx_point x = flx_state_point(s, p.x);
        CHECK_NEAR(x.t, 0.2, 0.0);
        CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
        for (int i = 0; i < p.n; i++) CHECK_NEAR(r[i], 0.0, 1e-12);
        // constraints on acceleration level: G a + bias = 0, with G a by a difference of rates
        CHECK(s->ops->constraint_bias(s, p.work, &x, bias) == FLX_OK);
        double still[32], moving[32], v[64];
        CHECK(s->ops->constraint_rate(s, p.work, &x, still) == FLX_OK);
        for (int i = 0; i < s->dims.nv; i++) v[i] = p.x->v[i] + p.x->a[i];
        x.v = v;
        CHECK(s->ops->constraint_rate(s, p.work, &x, moving) == FLX_OK);
        for (int i = 0; i < nlam; i++) {
            flx_unknown u;
            s->ops->unknown(s, p.n - nlam + i, &u);
            if (u.C > 0) continue;
            CHECK_NEAR(moving[i] - still[i] + bias[i], 0.0, 1e-11 * (1 + fabs(bias[i])));
        }
        // z' belongs to z: q' is the derivative along the motion
        double z2[64], th[64];
        const double h = 1e-6;
        flx_state *y = NULL;
        CHECK(flx_state_create(s, &y) == FLX_OK);
        for (int i = 0; i < n; i++) z2[i] = z[i] + h * dz[i];
        e->unpack(s, 0.2, z2, y);
        s->ops->difference(s, p.x->q, y->q, th);
        for (int i = 0; i < s->dims.nv; i++) CHECK_NEAR(th[i] / h, p.x->v[i], 1e-5);
        flx_state_destroy(&y);
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

static int massless_bodies_are_refused_by_the_explicit_form(void)
{
    mechanism k;
    mechanism_init(&k, 3, 19);
    add_body(&k, FLX_BODY_RIGID);
    add_body(&k, FLX_BODY_RIGID);
    k.bodies[1].mass = 0;
    memset(k.bodies[1].inertia, 0, sizeof k.bodies[1].inertia);
    add_joint(&k, &flx_joint_REVOLUTE, 0, 1);
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 3));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    double z[32], dz[32];
    s->ops->explicit_form->pack(s, p.x, z);
    CHECK(s->ops->explicit_form->rate(s, p.work, 0, z, p.x, dz) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(k.ctx, 0)->text, "do not determine the accelerations");
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

// A massless body that its joints hold is no obstacle: fixed to another, or the cross of a universal
// joint made of two hinges.
static int held_massless_body(bool cross)
{
    mechanism k;
    mechanism_init(&k, 3, 20);
    add_body(&k, FLX_BODY_RIGID);
    add_body(&k, FLX_BODY_RIGID);
    k.bodies[1].mass = 0;
    memset(k.bodies[1].inertia, 0, sizeof k.bodies[1].inertia);
    add_joint(&k, cross ? &flx_joint_REVOLUTE : &flx_joint_FIXED, 0, 1);
    add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, 0);
    if (cross) add_joint(&k, &flx_joint_REVOLUTE, 1, add_body(&k, FLX_BODY_RIGID));
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 3));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    double z[64], dz[64], r[64], moved_q, moved_v;
    const flx_explicit *e = s->ops->explicit_form;
    e->pack(s, p.x, z);
    CHECK(e->project(s, p.work, 0, z, p.x, &moved_q, &moved_v) == FLX_OK);
    CHECK(e->rate(s, p.work, 0, z, p.x, dz) == FLX_OK);
    flx_point x = flx_state_point(s, p.x);
    CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
    for (int i = 0; i < p.n; i++) CHECK_NEAR(r[i], 0.0, 1e-9);
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

static int massless_body_held_by_joints_is_accelerated(void)
{
    CHECK(held_massless_body(false) == 0);
    CHECK(held_massless_body(true) == 0);
    return 0;
}

TEST_MAIN(TEST(accelerations_solve_the_equations),
          TEST(massless_bodies_are_refused_by_the_explicit_form),
          TEST(massless_body_held_by_joints_is_accelerated))
