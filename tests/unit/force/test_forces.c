// Every force between all kinds of bodies: tangents against differences, energies balance.
#include "check.h"
#include "mechanism_check.h"

static const flx_force_kind *const plain[] = {&flx_force_spring, &flx_force_bushing};

static int one_force(const flx_force_kind *kind, int dimension, int ground, flx_body_type second,
                     bool mixed, uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int a = ground == 1 ? FLX_BODY_GROUND : add_body(&k, FLX_BODY_RIGID);
    int b = ground == 2 ? FLX_BODY_GROUND : add_body(&k, second);
    flx_force *f = k.forces + add_force(&k, kind, a, b);
    f->mixed = mixed;
    int translations = dimension == 2 ? 2 : 3;
    f->ncomponent = second == FLX_BODY_POINT ? translations : dimension == 2 ? 3 : 6;
    m33 F = dimension == 2 ? m33_identity() : quat_to_m33(quat_exp(v3_make(0.3, -1.2, 0.8)));
    for (int i = 0; i < 2; i++) m33_store(f->frame[i], axes_in_body(&k, f->body[i], F));
    int bad = check_mechanism(&k, NULL, seed, 0.4, !mixed);
    if (bad) printf("%s in %dD, ground %d, mixed %d\n", kind->word, dimension, ground, mixed);
    mechanism_free(&k);
    return bad;
}

static int springs_and_bushings_have_exact_derivatives(void)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        for (int i = 0; i < 2; i++) {
            for (int dimension = 2; dimension <= 3; dimension++) {
                for (int ground = 0; ground < 3; ground++) {
                    for (int m = 0; m < 2; m++) {
                        CHECK(one_force(plain[i], dimension, ground, FLX_BODY_RIGID, m, seed) == 0);
                        if (ground == 2) continue;
                        CHECK(one_force(plain[i], dimension, ground, FLX_BODY_POINT, m, seed) == 0);
                    }
                }
            }
        }
    }
    return 0;
}

// A bushing far from rest: the rotation vector is long, and short (both sides of the series).
static int bushing_is_exact_at_small_and_large_twists(void)
{
    static const double size[] = {0.0, 1e-3, 0.05, 0.11, 0.6, 1.4};
    for (int n = 0; n < 12; n++) {
        int i = n / 2, mixed = n % 2;
        mechanism k;
        mechanism_init(&k, 3, 61);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        flx_force *f = k.forces + add_force(&k, &flx_force_bushing, a, b);
        f->ncomponent = 6;
        f->mixed = mixed;
        for (int s = 0; s < 2; s++)
            m33_store(f->frame[s], axes_in_body(&k, f->body[s], m33_identity()));
        int bad = check_mechanism(&k, NULL, 62 + (uint64_t)i, size[i], !mixed);
        mechanism_free(&k);
        if (bad) printf("twist of size %g, mixed %d\n", size[i], mixed);
        CHECK(bad == 0);
    }
    return 0;
}

// A spring without length has a force at length zero too: K = k I there.
static int spring_without_length_is_smooth_where_it_vanishes(void)
{
    mechanism k;
    mechanism_init(&k, 3, 71);
    int a = add_body(&k, FLX_BODY_POINT);
    flx_force *f = k.forces + add_force(&k, &flx_force_spring, FLX_BODY_GROUND, a);
    memcpy(f->at[0], k.bodies[0].position, sizeof f->at[0]);
    f->length = 0;
    f->damping[0] = 0;
    CHECK(check_mechanism(&k, NULL, 72, 0.0, true) == 0);
    mechanism_free(&k);
    return 0;
}

static int on_joint(const flx_force_kind *kind, const flx_joint_kind *joint, int dimension,
                    bool mixed, uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
    int j = add_joint(&k, joint, a, b);
    flx_force *f = k.forces + add_force(&k, kind, a, b);
    f->joint = j;
    f->mixed = mixed;
    if (kind == &flx_force_effort) { // 0.4 t x - 1.3 w_y^2, of both bodies
        flx_node x = leaf_node(&k, FLX_LEAF_BODY_POSITION, a, 0);
        flx_node w = leaf_node(&k, FLX_LEAF_BODY_ANGULAR_VELOCITY, b, dimension == 2 ? 0 : 1);
        flx_node t = leaf_node(&k, FLX_LEAF_TIME, 0, 0);
        f->value = op2(&k, FLX_OP_SUB, op2(&k, FLX_OP_MUL, t, x), op2(&k, FLX_OP_MUL, w, w));
    }
    int bad = check_mechanism(&k, NULL, seed, 0.3, !mixed);
    mechanism_free(&k);
    return bad;
}

static int forces_on_joints_have_exact_derivatives(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int i = 0; i < 2; i++) {
            const flx_joint_kind *j = i ? &flx_joint_REVOLUTE : &flx_joint_PRISMATIC;
            CHECK(on_joint(&flx_force_joint_spring, j, dimension, false, 81) == 0);
            CHECK(on_joint(&flx_force_joint_spring, j, dimension, true, 82) == 0);
            CHECK(on_joint(&flx_force_effort, j, dimension, false, 83) == 0);
            CHECK(on_joint(&flx_force_effort, j, dimension, true, 84) == 0);
        }
    }
    return 0;
}

static int gravitation_has_exact_derivatives(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        mechanism_init(&k, dimension, 91);
        add_body(&k, FLX_BODY_RIGID);
        add_body(&k, FLX_BODY_POINT);
        add_body(&k, FLX_BODY_RIGID);
        k.forces[add_force(&k, &flx_force_gravitation, FLX_BODY_GROUND, FLX_BODY_GROUND)].G = 1.9;
        CHECK(check_mechanism(&k, NULL, 92, 0.1, true) == 0);
        mechanism_free(&k);
    }
    return 0;
}

// An expression of everything that a force may depend on.
static flx_node of_everything(mechanism *k, int a, int b, int component)
{
    int dimension = k->m.dimension;
    flx_node r =
        leaf_node(k, FLX_LEAF_BODY_ROTATION, a, dimension == 2 ? 0 : (component * 4 + 1) % 9);
    flx_node p = leaf_node(k, FLX_LEAF_BODY_POSITION, b, component % 2);
    flx_node v = leaf_node(k, FLX_LEAF_BODY_VELOCITY, a, component % 2);
    flx_node w =
        leaf_node(k, FLX_LEAF_BODY_ANGULAR_VELOCITY, b, dimension == 2 ? 0 : component % 3);
    flx_node q = leaf_node(k, FLX_LEAF_VARIABLE, 0, 0),
             dq = leaf_node(k, FLX_LEAF_VARIABLE_RATE, 0, 0);
    flx_node x = leaf_node(k, FLX_LEAF_STATE, 0, 0), y = leaf_node(k, FLX_LEAF_ALGEBRAIC, 0, 0);
    flx_node t = leaf_node(k, FLX_LEAF_TIME, 0, 0);
    flx_node sum = op2(k, FLX_OP_MUL, r, op2(k, FLX_OP_ADD, p, number_node(k, 0.3 * component)));
    sum = op2(k, FLX_OP_ADD, sum, op2(k, FLX_OP_MUL, v, op1(k, FLX_OP_SIN, r)));
    sum = op2(k, FLX_OP_SUB, sum, op2(k, FLX_OP_MUL, w, q));
    sum = op2(k, FLX_OP_ADD, sum, op2(k, FLX_OP_MUL, dq, op2(k, FLX_OP_MUL, x, y)));
    return op2(k, FLX_OP_ADD, sum, op1(k, FLX_OP_COS, t));
}

static void add_equations(mechanism *k)
{
    flx_node q = leaf_node(k, FLX_LEAF_VARIABLE, 0, 0), x = leaf_node(k, FLX_LEAF_STATE, 0, 0);
    flx_node y = leaf_node(k, FLX_LEAF_ALGEBRAIC, 0, 0);
    k->m.nvariable = 1;
    k->variables[0] = (flx_variable){.name = "q", .mass = number_node(k, 1.4)};
    k->variables[0].force = op2(k, FLX_OP_MUL, q, x);
    k->m.nfirst = 2;
    k->m.nstate = k->m.nalgebraic = 1;
    k->firsts[0] = (flx_first_order){.name = "x", .derivative = op2(k, FLX_OP_MUL, q, y)};
    k->firsts[1] = (flx_first_order){.name = "y", .algebraic = true};
    k->firsts[1].derivative = op2(k, FLX_OP_SUB, op2(k, FLX_OP_MUL, y, number_node(k, 2)), q);
}

static int one_expression(const flx_force_kind *kind, int dimension, int ground,
                          flx_body_type second)
{
    mechanism k;
    mechanism_init(&k, dimension, 101);
    int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
    int c = second == FLX_BODY_POINT ? add_body(&k, second) : b;
    add_equations(&k);
    flx_force *f = k.forces + add_force(&k, kind, ground ? FLX_BODY_GROUND : a, c);
    if (kind == &flx_force_actuator) {
        f->value = of_everything(&k, a, b, 0);
    } else {
        for (int i = 0; i < dimension; i++) f->force[i] = of_everything(&k, a, b, i);
        for (int i = 0; i < 3 && second == FLX_BODY_RIGID; i++) {
            if (dimension == 3 || i == 2) f->torque[i] = of_everything(&k, b, a, i + 3);
        }
    }
    int bad = check_mechanism(&k, NULL, 102, 0.4, true);
    if (bad) printf("%s in %dD, ground %d\n", kind->word, dimension, ground);
    mechanism_free(&k);
    return bad;
}

static int forces_given_by_expressions_have_exact_derivatives(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        for (int ground = 0; ground < 2; ground++) {
            CHECK(one_expression(&flx_force_wrench, dimension, ground, FLX_BODY_RIGID) == 0);
            CHECK(one_expression(&flx_force_wrench, dimension, ground, FLX_BODY_POINT) == 0);
            CHECK(one_expression(&flx_force_actuator, dimension, ground, FLX_BODY_RIGID) == 0);
        }
    }
    return 0;
}

// Internal forces keep the momentum: the rows of two bodies sum to nothing.
static int forces_between_bodies_keep_momentum(void)
{
    static const flx_force_kind *const types[] = {&flx_force_spring, &flx_force_bushing,
                                                  &flx_force_gravitation};
    for (int i = 0; i < 3; i++) {
        mechanism k;
        mechanism_init(&k, 3, 111);
        memset(k.m.gravity, 0, sizeof k.m.gravity);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        flx_force *f = k.forces + add_force(&k, types[i], a, b);
        f->ncomponent = 6;
        f->G = 1.3;
        if (types[i] == &flx_force_bushing) f->at[0][0] += 0.2;
        for (int s = 0; s < 2; s++)
            m33_store(f->frame[s], axes_in_body(&k, f->body[s], m33_identity()));
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 5));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        randomise(&p, 0.3);
        memset(p.x->a, 0, 12 * sizeof(double));
        double r[12];
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
        v3 force = v3_add(v3_load(r), v3_load(r + 6)), moment = v3_make(0, 0, 0);
        double size = v3_norm(v3_load(r));
        for (int c = 0; c < 2; c++) {
            const double *q = p.x->q + 7 * c, *w = p.x->v + 6 * c + 3, *J = k.bodies[c].inertia;
            m33 R = quat_to_m33(quat_load(q + 3));
            v3 gyro = v3_cross(v3_load(w), m33_mul_v(m33_load(J), v3_load(w)));
            moment = v3_add(moment, v3_cross(v3_load(q), v3_load(r + 6 * c)));
            moment = v3_add(moment, m33_mul_v(R, v3_sub(v3_load(r + 6 * c + 3), gyro)));
        }
        CHECK(size > 0.1);
        CHECK(v3_norm(force) <= 1e-14 * size);
        CHECK(v3_norm(moment) <= 2e-14 * (size + 1.0));
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

// Constraints filled with what the rows ask for.
static void fill_pulls(const flx_system *s, system_point *p, const double *r)
{
    int first = s->dims.nv + s->dims.nx + s->dims.nw;
    for (int i = 0; i < s->dims.nlam; i++) {
        flx_unknown u;
        s->ops->unknown(s, first + i, &u);
        p->x->lam[i] = r[first + i] / u.C;
    }
}

// A force that is an unknown says the same as a plain one: with its own value residuals and
// energies agree.
static int same_in_both_forms(const flx_force_kind *kind, int dimension, int nconstraint)
{
    double r[2][24] = {{0}};
    flx_energies e[2];
    for (int mixed = 0; mixed < 2; mixed++) {
        mechanism k;
        mechanism_init(&k, dimension, 121);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        flx_force *f = k.forces + add_force(&k, kind, a, b);
        f->mixed = mixed;
        f->ncomponent = nconstraint;
        m33 F = dimension == 2 ? m33_identity() : quat_to_m33(quat_exp(v3_make(0.3, -1.2, 0.8)));
        for (int i = 0; i < 2; i++) m33_store(f->frame[i], axes_in_body(&k, f->body[i], F));
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 6));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        randomise(&p, 0.3);
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->dims.nlam == (mixed ? nconstraint : 0));
        memset(p.x->lam, 0, (size_t)s->dims.nlam * sizeof(double));
        CHECK(s->ops->residual(s, p.work, &x, r[mixed]) == FLX_OK);
        if (mixed) {
            flx_unknown u;
            s->ops->unknown(s, s->dims.nv, &u);
            CHECK(u.kind == FLX_UNKNOWN_CONSTRAINT && u.index == 1 && u.C > 0 && u.tau > 0);
            CHECK_NEAR(u.sigma / u.C, f->stiffness[0], 1e-13);
            CHECK_NEAR(u.tau / u.C, f->damping[0], 1e-13);
            fill_pulls(s, &p, r[1]);
            CHECK(s->ops->residual(s, p.work, &x, r[1]) == FLX_OK);
            for (int i = 0; i < nconstraint; i++) CHECK_NEAR(r[1][s->dims.nv + i], 0.0, 1e-14);
        }
        CHECK(s->ops->energy(s, p.work, &x, &e[mixed]) == FLX_OK);
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    for (int i = 0; i < (dimension == 2 ? 6 : 12); i++) CHECK_NEAR(r[1][i], r[0][i], 1e-12);
    CHECK_NEAR(e[1].strain, e[0].strain, 1e-12 * (1.0 + e[0].strain));
    CHECK_NEAR(e[1].dissipated_power, e[0].dissipated_power, 1e-12 * e[0].dissipated_power);
    CHECK(e[0].strain > 0.0 && e[0].dissipated_power > 0.0);
    return 0;
}

static int mixed_forces_are_the_same_forces(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        CHECK(same_in_both_forms(&flx_force_spring, dimension, 1) == 0);
        CHECK(same_in_both_forms(&flx_force_bushing, dimension, dimension) == 0);
        CHECK(same_in_both_forms(&flx_force_bushing, dimension, dimension == 2 ? 3 : 6) == 0);
    }
    return 0;
}

// Without end: stiffness makes a joint's row, damping one on velocities; nothing is infinite.
static int infinite_stiffness_and_damping_are_constraints(void)
{
    for (int i = 0; i < 2; i++) {
        mechanism k;
        mechanism_init(&k, 3, 131);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        flx_force *f = k.forces + add_force(&k, &flx_force_spring, a, b);
        f->mixed = true;
        (i ? f->damping : f->stiffness)[0] = HUGE_VAL;
        CHECK(check_mechanism(&k, NULL, 132, 0.3, false) == 0);
        flx_system *s = NULL;
        system_point p = {0};
        flx_energies e;
        flx_unknown u;
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 6));
        s->ops->unknown(s, s->dims.nv, &u);
        CHECK(u.C == 0.0 && u.index == (i ? 2 : 3));
        CHECK(i ? u.sigma == 0.0 && u.tau > 0.0 : u.sigma == 1.0 && u.tau == 0.0);
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->ops->energy(s, p.work, &x, &e) == FLX_OK);
        CHECK(isfinite(e.strain) && isfinite(e.dissipated_power));
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

TEST_MAIN(TEST(springs_and_bushings_have_exact_derivatives),
          TEST(bushing_is_exact_at_small_and_large_twists),
          TEST(spring_without_length_is_smooth_where_it_vanishes),
          TEST(forces_on_joints_have_exact_derivatives), TEST(gravitation_has_exact_derivatives),
          TEST(forces_given_by_expressions_have_exact_derivatives),
          TEST(forces_between_bodies_keep_momentum), TEST(mixed_forces_are_the_same_forces),
          TEST(infinite_stiffness_and_damping_are_constraints))
