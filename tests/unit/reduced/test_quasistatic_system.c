// The quasi-static wrapper: exact tangents round any base, the Schur expression of the mass, what it
// refuses, memory.
#include "check.h"
#include "mechanism_check.h"
#include "reduced/added_mass.h"
#include "reduced/quasistatic.h"
#include "tiny_systems.h"

// All that must hold of a system, for the wrapper round the mechanism.
static int check_one(mechanism *k, const flx_quasistatic_how *how, uint64_t seed, bool linked)
{
    flx_system *base = NULL, *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k->m, NULL, &base) == FLX_OK);
    flx_state *drawn = NULL;
    CHECK(flx_state_create(base, &drawn) == FLX_OK);
    CHECK(flx_descriptor_draw(base, drawn) == FLX_OK);
    int nq = base->dims.nq;
    flx_status status = flx_quasistatic_create(base, how, &s);
    if (status != FLX_OK) printf("%s\n", flx_ctx_error(k->ctx, 0)->text);
    CHECK(status == FLX_OK);
    CHECK(system_point_init(&p, s, seed));
    memcpy(p.x->q, drawn->q, (size_t)nq * sizeof *drawn->q);
    randomise(&p, 0.3);
    CHECK(check_pattern(s) == 0);
    CHECK(check_tangent(&p, 1e-8) == 0);
    CHECK(check_chart(&p, 1e-8) == 0);
    if (!linked) CHECK(check_energy(&p, 1e-7) == 0);
    if (!linked) CHECK(check_constraints(&p, 2e-8) == 0);
    flx_state_destroy(&drawn);
    system_point_free(&p);
    flx_system_destroy(&s);
    return 0;
}

// Neglected, made slower, with damping that follows and without.
static int check_reduced(mechanism *k, int n, const int *J, uint64_t seed, bool linked)
{
    for (int i = 0; i < 4; i++) {
        const flx_quasistatic_how how = {
            .n = n, .J = J, .factor = i & 1 ? 3.0 : 0.0, .mass_damping = i & 2 ? 0.7 : 0.0};
        CHECK(check_one(k, &how, seed, linked) == 0);
    }
    return 0;
}

static int free_parts_have_exact_tangents(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        mechanism_init(&k, dimension, 3);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_POINT);
        add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
        add_force(&k, &flx_force_spring, a, b);
        add_force(&k, &flx_force_spring, FLX_BODY_GROUND, b);
        int J[3], first = dimension == 2 ? 3 : 6;
        for (int i = 0; i < dimension; i++) J[i] = first + i;
        CHECK(check_reduced(&k, dimension, J, 5, false) == 0);
        mechanism_free(&k);
    }
    return 0;
}

// A loop of bodies of which the middle one, or some of its velocities, are reduced.
static int linked_parts_have_exact_tangents(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int some = 0; some < 2; some++) {
            mechanism k;
            mechanism_init(&k, dimension, 4);
            int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
            int c = add_body(&k, FLX_BODY_RIGID);
            add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
            add_joint(&k, &flx_joint_REVOLUTE, a, b);
            add_joint(&k, &flx_joint_DISTANCE, b, c);
            add_force(&k, &flx_force_spring, b, c);
            int nb = dimension == 2 ? 3 : 6, J[6];
            for (int i = 0; i < nb; i++) J[i] = nb + i;
            CHECK(check_reduced(&k, some ? 2 : nb, J, 6, true) == 0);
            mechanism_free(&k);
        }
    }
    return 0;
}

// Masses that depend on positions and constraints of the equations, one of them moving in time.
static int equations_have_exact_tangents(void)
{
    for (int i = 0; i < 4; i++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_model *m = NULL;
        flx_system *base = NULL, *s = NULL;
        system_point p = {0};
        const char *soft = "E=1e3"; // all numbers of one size
        CHECK(flx_model_read(ctx, FLX_EXAMPLES "/four_bar_flexible.yaml", 1, &soft, &m) == FLX_OK);
        CHECK(flx_descriptor_create(m, NULL, &base) == FLX_OK);
        const flx_quasistatic_how how = {.n = 1,
                                         .J = &(const int){5},
                                         .factor = i & 1 ? 3.0 : 0.0,
                                         .mass_damping = i & 2 ? 0.7 : 0.0};
        CHECK(flx_quasistatic_create(base, &how, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 7));
        randomise(&p, 0.3);
        CHECK(check_pattern(s) == 0);
        CHECK(check_tangent(&p, 1e-9) == 0);
        system_point_free(&p);
        flx_system_destroy(&s);
        flx_model_destroy(&m);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Constant inertia added: bodies, and velocities of several blocks.
static int added_mass_has_exact_tangents(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        flx_system *base = NULL, *s = NULL;
        system_point p = {0};
        mechanism_init(&k, dimension, 3);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
        add_joint(&k, &flx_joint_DISTANCE, a, b);
        CHECK(flx_descriptor_create(&k.m, NULL, &base) == FLX_OK);
        flx_state *drawn = NULL;
        CHECK(flx_state_create(base, &drawn) == FLX_OK);
        CHECK(flx_descriptor_draw(base, drawn) == FLX_OK);
        int nq = base->dims.nq;
        const flx_added_mass how = {.n = 2,
                                    .J = (const int[]){1, 4},
                                    .mass = (const double[]){3, 1, 1, 2},
                                    .mass_damping = 0.4};
        CHECK(flx_added_mass_create(base, &how, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 11));
        memcpy(p.x->q, drawn->q, (size_t)nq * sizeof *drawn->q);
        randomise(&p, 0.3);
        CHECK(check_pattern(s) == 0);
        CHECK(check_tangent(&p, 1e-8) == 0);
        CHECK(check_constraints(&p, 2e-8) == 0);
        CHECK(check_energy(&p, 1e-7) == 0);
        flx_state_destroy(&drawn);
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

static const double M3[9] = {2.0, 0.3, 0.1, 0.3, 0.2, 0.05, 0.1, 0.05, 1.5};
static const double D3[9] = {0.4, -0.1, 0.0, -0.1, 1.9, 0.2, 0.0, 0.2, 0.3};
static const double K3[9] = {30.0, -4.0, 1.0, -4.0, 11.0, 2.0, 1.0, 2.0, 7.0};

// Without s: M_II v_I' + M_IJ v_J' = f_I and M_JI M_II^-1 (...) = f_J; a is free here, s solves its
// rows, and what the velocity rows are left with must be that.
static int mass_is_the_schur_expression(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *base = linear_create(ctx, 3, M3, D3, K3), *s = NULL;
    const int J[1] = {1};
    CHECK(base &&
          flx_quasistatic_create(base, &(flx_quasistatic_how){.n = 1, .J = J}, &s) == FLX_OK);
    CHECK(s->dims.nw == 2);
    system_point p = {0};
    CHECK(system_point_init(&p, s, 9));
    randomise(&p, 0.5);
    flx_state *x = p.x;
    double f[3], r[5], s_I[2];
    for (int i = 0; i < 3; i++) {
        f[i] = 0.0;
        for (int j = 0; j < 3; j++) f[i] -= D3[3 * i + j] * x->v[j] + K3[3 * i + j] * x->q[j];
    }
    double det = M3[0] * M3[8] - M3[2] * M3[6];
    s_I[0] = (M3[8] * f[0] - M3[2] * f[2]) / det;
    s_I[1] = (M3[0] * f[2] - M3[6] * f[0]) / det;
    x->w[0] = s_I[0];
    x->w[1] = s_I[1];
    flx_point at = flx_state_point(s, x);
    CHECK(s->ops->residual(s, p.work, &at, r) == FLX_OK);
    CHECK(fabs(r[3]) < 1e-13 && fabs(r[4]) < 1e-13);
    CHECK(fabs(r[1] - (M3[3] * s_I[0] + M3[5] * s_I[1] - f[1])) < 1e-13);
    for (int i = 0; i < 3; i += 2) {
        double Ma = M3[3 * i] * x->a[0] + M3[3 * i + 1] * x->a[1] + M3[3 * i + 2] * x->a[2];
        CHECK(fabs(r[i] - (Ma - f[i])) < 1e-13);
    }
    system_point_free(&p);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refused(mechanism *k, int n, const int *J, flx_status expected, const char *part)
{
    flx_system *base = NULL, *s = NULL;
    CHECK(flx_descriptor_create(&k->m, NULL, &base) == FLX_OK);
    CHECK(flx_quasistatic_create(base, &(flx_quasistatic_how){.n = n, .J = J}, &s) == expected &&
          !s);
    CHECK_TEXT(flx_ctx_error(k->ctx, 0)->text, part);
    mechanism_free(k);
    return 0;
}

static int wrong_sets_are_refused(void)
{
    const int all[6] = {0, 1, 2, 3, 4, 5}, down[2] = {3, 1}, outside[1] = {40};
    mechanism k;
    mechanism_init(&k, 2, 1);
    add_body(&k, FLX_BODY_RIGID);
    CHECK(refused(&k, 0, all, FLX_ERR_ARGUMENT, "needs velocities to reduce") == 0);
    mechanism_init(&k, 3, 1);
    add_body(&k, FLX_BODY_RIGID);
    CHECK(refused(&k, 2, down, FLX_ERR_ARGUMENT, "numbers go up from 0 to 5") == 0);
    mechanism_init(&k, 3, 1);
    add_body(&k, FLX_BODY_RIGID);
    CHECK(refused(&k, 1, outside, FLX_ERR_ARGUMENT, "velocity 40") == 0);
    mechanism_init(&k, 3, 1);
    add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, add_body(&k, FLX_BODY_RIGID));
    CHECK(refused(&k, 6, all, FLX_ERR_CANNOT, "'j0' hold nothing but velocities") == 0);
    mechanism_init(&k, 3, 1);
    int ball = add_body(&k, FLX_BODY_RIGID);
    add_joint(&k, &flx_joint_ROLLING, FLX_BODY_GROUND, ball);
    CHECK(refused(&k, 2, all, FLX_ERR_CANNOT, "it constrains velocities") == 0);
    return 0;
}

TEST_MAIN(TEST(free_parts_have_exact_tangents), TEST(linked_parts_have_exact_tangents),
          TEST(equations_have_exact_tangents), TEST(added_mass_has_exact_tangents),
          TEST(mass_is_the_schur_expression), TEST(wrong_sets_are_refused))
