// Forces that read reactions, drives, multipliers and other forces: derivatives by everything that
// these depend on against differences, and what may not read them.
#include "check.h"
#include "mechanism_check.h"

// A force on a body beside the joint, made of all components of the joint's reaction.
static void read_reaction(mechanism *k, int joint, int on)
{
    flx_force *f = k->forces + add_force(k, &flx_force_wrench, FLX_BODY_GROUND, on);
    for (int i = 0; i < 3; i++) {
        flx_node F = leaf_node(k, FLX_LEAF_REACTION, joint, i);
        flx_node M = leaf_node(k, FLX_LEAF_REACTION, joint, 3 + (i + 1) % 3);
        flx_node v = leaf_node(k, FLX_LEAF_BODY_VELOCITY, on, i % 2);
        flx_node product = op2(k, FLX_OP_MUL, F, op2(k, FLX_OP_ADD, v, M));
        if (k->m.dimension == 3 || i < 2) f->force[i] = product;
        if (k->m.dimension == 3 || i == 2) f->torque[i] = op2(k, FLX_OP_SUB, M, F);
    }
}

static int one_joint(const flx_joint_kind *type, int dimension, int ground, uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int c = add_body(&k, FLX_BODY_RIGID);
    int a = ground == 1 ? FLX_BODY_GROUND : add_body(&k, FLX_BODY_RIGID);
    int b = ground == 2 ? FLX_BODY_GROUND : add_body(&k, FLX_BODY_RIGID);
    int j = add_joint(&k, type, a, b);
    read_reaction(&k, j, c);
    read_reaction(&k, j, ground == 2 ? a : b);
    int bad = check_mechanism(&k, NULL, seed, 0.4, false);
    if (bad) printf("%s in %dD, ground %d\n", type->says.word, dimension, ground);
    mechanism_free(&k);
    return bad;
}

static int reactions_of_every_joint_are_read_exactly(void)
{
    for (const flx_joint_kind *const *i = flx_joint_kinds; *i; i++) {
        const flx_joint_kind *t = *i;
        if (t->on_joints || t->loose) continue;
        for (int ground = 0; ground < 3; ground++) {
            if (t->space) CHECK(one_joint(t, 3, ground, 11) == 0);
            if (t->plane) CHECK(one_joint(t, 2, ground, 12) == 0);
        }
    }
    return 0;
}

// With some rows left out the others are scalars.
static int reactions_are_read_exactly_where_rows_are_left_out(void)
{
    static const int drop[] = {1, 4};
    const flx_descriptor_options o = {.ndrop = 2, .drop = drop};
    mechanism k;
    mechanism_init(&k, 3, 21);
    int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
    read_reaction(&k, add_joint(&k, &flx_joint_REVOLUTE, a, b), a);
    CHECK(check_mechanism(&k, &o, 22, 0.3, false) == 0);
    mechanism_free(&k);
    return 0;
}

// Everything that is one multiplier: a drive on positions and on rates, a multiplier on both levels,
// and a force that is an unknown. Read by a force, a second-order, a first-order and an algebraic row.
static int single_multipliers_are_read_exactly(void)
{
    for (int level = 0; level < 2; level++) {
        mechanism k;
        mechanism_init(&k, 3, 31);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        int j = add_joint(&k, &flx_joint_REVOLUTE, a, b);
        k.joints[j].motion = level ? FLX_MOTION_RATE : FLX_MOTION_ANGLE;
        k.joints[j].motion_value = op1(&k, FLX_OP_SIN, leaf_node(&k, FLX_LEAF_TIME, 0, 0));
        int s = add_force(&k, &flx_force_spring, a, b);
        k.forces[s].mixed = true;
        flx_node q = leaf_node(&k, FLX_LEAF_VARIABLE, 0, 0);
        flx_node dq = leaf_node(&k, FLX_LEAF_VARIABLE_RATE, 0, 0);
        flx_node drive = leaf_node(&k, FLX_LEAF_DRIVE, j, 0);
        flx_node pull = leaf_node(&k, FLX_LEAF_PULL, s, 0);
        flx_node mult = leaf_node(&k, FLX_LEAF_MULTIPLIER, 0, 0);
        flx_node sum =
            op2(&k, FLX_OP_ADD, op2(&k, FLX_OP_MUL, drive, pull), op2(&k, FLX_OP_MUL, mult, q));
        flx_variable variable = {
            .name = "q", .mass = number_node(&k, 1.3), .force = op2(&k, FLX_OP_SUB, sum, dq)};
        flx_node x = leaf_node(&k, FLX_LEAF_STATE, 0, 0);
        flx_node y = leaf_node(&k, FLX_LEAF_ALGEBRAIC, 0, 0);
        flx_first_order firsts[2] = {
            {.name = "x", .derivative = op2(&k, FLX_OP_SUB, pull, x)},
            {.name = "y", .derivative = op2(&k, FLX_OP_SUB, sum, y), .algebraic = true}};
        flx_constraint constraint = {.name = "c",
                                     .value = level ? op2(&k, FLX_OP_MUL, q, dq)
                                                    : op2(&k, FLX_OP_MUL, q, q),
                                     .velocity_level = level,
                                     .compliance = 0.4};
        k.m.nvariable = k.m.nconstraint = k.m.nstate = k.m.nalgebraic = 1;
        k.m.nfirst = 2;
        k.m.variables = &variable;
        k.m.firsts = firsts;
        k.m.constraints = &constraint;
        flx_force *f = k.forces + add_force(&k, &flx_force_wrench, a, b);
        f->force[1] = op2(&k, FLX_OP_MUL, sum, x);
        CHECK(check_mechanism(&k, NULL, 32, 0.3, false) == 0);
        flx_system *sys = NULL;
        CHECK(flx_descriptor_create(&k.m, NULL, &sys) == FLX_OK);
        CHECK(sys->reads_multipliers);
        flx_system_destroy(&sys);
        // masses and constraints may not
        variable.mass = op2(&k, FLX_OP_ADD, variable.mass, op2(&k, FLX_OP_MUL, pull, pull));
        CHECK(flx_descriptor_create(&k.m, NULL, &sys) == FLX_ERR_MODEL);
        CHECK(strstr(flx_ctx_error(k.ctx, 0)->text, "masses may not") != NULL);
        variable.mass = number_node(&k, 1.3);
        constraint.value = op2(&k, FLX_OP_ADD, constraint.value, drive);
        CHECK(flx_descriptor_create(&k.m, NULL, &sys) == FLX_ERR_MODEL);
        CHECK(strstr(flx_ctx_error(k.ctx, 1)->text, "contains a reaction") != NULL);
        mechanism_free(&k);
    }
    return 0;
}

TEST_MAIN(TEST(reactions_of_every_joint_are_read_exactly),
          TEST(reactions_are_read_exactly_where_rows_are_left_out),
          TEST(single_multipliers_are_read_exactly))
