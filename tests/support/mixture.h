// mixture.h - equations beside bodies, for the tests of the descriptor system.
#pragma once

#include "check.h"
#include "mechanism_check.h"

static inline flx_node q_of(mechanism *k, int i)
{
    return leaf_node(k, FLX_LEAF_VARIABLE, i, 0);
}
static inline flx_node v_of(mechanism *k, int i)
{
    return leaf_node(k, FLX_LEAF_VARIABLE_RATE, i, 0);
}

static inline void add_variables(mechanism *k, int n)
{
    static const char *const names[] = {"q1", "q2", "q3"};
    for (int i = 0; i < n; i++) {
        flx_node m = op2(k, FLX_OP_ADD, number_node(k, 2.0 + i),
                         op2(k, FLX_OP_MUL, number_node(k, 0.3), op1(k, FLX_OP_SIN, q_of(k, i))));
        flx_node f = op2(k, FLX_OP_SUB, op2(k, FLX_OP_MUL, q_of(k, (i + 1) % n), v_of(k, i)),
                         op2(k, FLX_OP_MUL, number_node(k, 1.7), q_of(k, i)));
        k->variables[i] =
            (flx_variable){.name = names[i], .at = 0.2 + 0.1 * i, .mass = m, .force = f};
    }
    k->m.nvariable = n;
}

// A mechanism with a loop, springs, equations and a compliant constraint.
static inline void make_mixture(mechanism *k, int dimension)
{
    mechanism_init(k, dimension, 17);
    int a = add_body(k, FLX_BODY_RIGID), b = add_body(k, FLX_BODY_RIGID);
    int c = add_body(k, FLX_BODY_POINT);
    add_joint(k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
    add_joint(k, dimension == 3 ? &flx_joint_UNIVERSAL : &flx_joint_REVOLUTE, a, b);
    add_joint(k, &flx_joint_DISTANCE, b, c);
    v3 reach = v3_sub(v3_load(k->bodies[c].position),
                      v3_add(v3_load(k->bodies[b].position),
                             m33_mul_v(m33_load(k->bodies[b].R), v3_load(k->joints[2].at[0]))));
    k->joints[2].length = v3_norm(reach);
    add_force(k, &flx_force_spring, b, c);
    k->forces[add_force(k, &flx_force_spring, FLX_BODY_GROUND, c)].mixed = true;
    add_variables(k, 2);
    k->m.nfirst = 2;
    k->m.nstate = k->m.nalgebraic = 1;
    flx_node w = leaf_node(k, FLX_LEAF_ALGEBRAIC, 0, 0), x = leaf_node(k, FLX_LEAF_STATE, 0, 0);
    k->firsts[0] =
        (flx_first_order){.name = "x", .at = 0.3, .derivative = op2(k, FLX_OP_MUL, w, x)};
    k->firsts[1] = (flx_first_order){.name = "w", .at = 0.9, .algebraic = true};
    // w + w^3 = x + q1
    flx_node cube = op2(k, FLX_OP_MUL, w, op2(k, FLX_OP_MUL, w, w));
    k->firsts[1].derivative =
        op2(k, FLX_OP_SUB, op2(k, FLX_OP_ADD, w, cube), op2(k, FLX_OP_ADD, x, q_of(k, 0)));
    k->constraints[0] = (flx_constraint){.name = "c"};
    k->constraints[0].value =
        op2(k, FLX_OP_SUB, op2(k, FLX_OP_MUL, q_of(k, 0), q_of(k, 1)), number_node(k, 0.06));
    k->m.nconstraint = 1;
}
