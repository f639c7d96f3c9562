// The descriptor system as a whole: equations beside bodies, the drawing with its starts, reactions,
// refusals, memory. The explicit form: test_descriptor_explicit.c.
#include "flexion/analysis.h"
#include "flexion/extend/method_table.h"
#include "mixture.h"

#include "base/common.h"

static int equations_have_exact_derivatives(void)
{
    for (uint64_t seed = 1; seed < 4; seed++) {
        mechanism k;
        mechanism_init(&k, 3, seed);
        add_variables(&k, 3);
        flx_node c = op2(&k, FLX_OP_MUL, number_node(&k, 0.4), op1(&k, FLX_OP_COS, q_of(&k, 1)));
        k.couplings[0] = (flx_coupling){.i = 0, .j = 2, .value = c};
        k.m.ncoupling = 1;
        // q1^2 + q2 q3 - sin t, and q1' q2 + q3'/2 - t
        flx_node t = leaf_node(&k, FLX_LEAF_TIME, 0, 0);
        flx_node g = op2(&k, FLX_OP_ADD, op2(&k, FLX_OP_MUL, q_of(&k, 0), q_of(&k, 0)),
                         op2(&k, FLX_OP_MUL, q_of(&k, 1), q_of(&k, 2)));
        flx_node h = op2(&k, FLX_OP_ADD, op2(&k, FLX_OP_MUL, v_of(&k, 0), q_of(&k, 1)),
                         op2(&k, FLX_OP_MUL, number_node(&k, 0.5), v_of(&k, 2)));
        k.constraints[0] = (flx_constraint){.name = "g"};
        k.constraints[0].value = op2(&k, FLX_OP_SUB, g, op1(&k, FLX_OP_SIN, t));
        k.constraints[1] = (flx_constraint){.name = "h", .velocity_level = true};
        k.constraints[1].value = op2(&k, FLX_OP_SUB, h, t);
        k.m.nconstraint = 2;
        k.m.reduces = true; // the bias has derivatives
        CHECK(check_mechanism(&k, NULL, seed, 0.6, true) == 0);
        mechanism_free(&k);
    }
    return 0;
}

// Constraints and masses of equations that read bodies, both ways.
static int equations_with_bodies_have_exact_derivatives(void)
{
    for (int dimension = 2; dimension <= 3; dimension++) {
        mechanism k;
        mechanism_init(&k, dimension, 7);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        add_variables(&k, 2);
        flx_node R = leaf_node(&k, FLX_LEAF_BODY_ROTATION, a, dimension == 2 ? 0 : 5);
        flx_node S = leaf_node(&k, FLX_LEAF_BODY_ROTATION, b, dimension == 2 ? 0 : 1);
        flx_node x = leaf_node(&k, FLX_LEAF_BODY_POSITION, a, 0);
        flx_node y = leaf_node(&k, FLX_LEAF_BODY_POSITION, b, 1);
        flx_node w = leaf_node(&k, FLX_LEAF_BODY_ANGULAR_VELOCITY, a, 0);
        flx_node u = leaf_node(&k, FLX_LEAF_BODY_VELOCITY, b, 1);
        flx_node g =
            op2(&k, FLX_OP_SUB, op2(&k, FLX_OP_MUL, R, y), op2(&k, FLX_OP_MUL, q_of(&k, 0), S));
        flx_node h = op2(&k, FLX_OP_ADD, op2(&k, FLX_OP_MUL, w, S), op2(&k, FLX_OP_MUL, u, x));
        h = op2(&k, FLX_OP_ADD, h, op2(&k, FLX_OP_MUL, v_of(&k, 1), R));
        k.constraints[0] = (flx_constraint){.name = "g", .value = g};
        k.constraints[1] = (flx_constraint){.name = "h", .value = h, .velocity_level = true};
        k.m.nconstraint = 2;
        k.m.reduces = true; // the bias has derivatives
        k.variables[1].mass = op2(&k, FLX_OP_ADD, number_node(&k, 2.0), op2(&k, FLX_OP_MUL, R, x));
        CHECK(check_mechanism(&k, NULL, 8, 0.4, true) == 0);
        const int drop[] = {0};
        flx_descriptor_options o = {.ndrop = 1, .drop = drop};
        CHECK(check_mechanism(&k, &o, 9, 0.4, true) == 0);
        mechanism_free(&k);
    }
    return 0;
}

static int constraint_refused(int which, const char *part)
{
    mechanism k;
    mechanism_init(&k, 3, 11);
    add_variables(&k, 2);
    k.m.nstate = k.m.nfirst = 1;
    k.firsts[0] = (flx_first_order){.name = "x", .derivative = number_node(&k, 1)};
    flx_node square = op2(&k, FLX_OP_MUL, v_of(&k, 0), v_of(&k, 1));
    flx_node state = op2(&k, FLX_OP_ADD, q_of(&k, 0), leaf_node(&k, FLX_LEAF_STATE, 0, 0));
    k.constraints[0] = (flx_constraint){.name = "c", .velocity_level = which == 0};
    k.constraints[0].value = which == 0 ? square : which == 1 ? state : number_node(&k, 3.0);
    k.m.nconstraint = 1;
    if (which == 3) {
        k.m.nconstraint = 0;
        k.variables[0].force = leaf_node(&k, FLX_LEAF_VARIABLE_RATE2, 1, 0);
    }
    flx_system *s = NULL;
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_ERR_MODEL && !s);
    CHECK_TEXT(flx_ctx_error(k.ctx, 0)->text, part);
    mechanism_free(&k);
    return 0;
}

static int wrong_equations_are_refused(void)
{
    CHECK(constraint_refused(0, "linear in the rates") == 0);
    CHECK(constraint_refused(1, "first-order variable") == 0);
    CHECK(constraint_refused(2, "does not depend on any position") == 0);
    CHECK(constraint_refused(3, "depends on accelerations") == 0);
    return 0;
}

// ---- drawing --------------------------------------------------------------------------------

// A chain with joints of all kinds and starts on them: the drawing closes every joint, and each
// coordinate and rate is as asked.
static int starts_move_all_that_hangs_on_them(void)
{
    for (int which = 0; which < 4; which++) {
        int dimension = 2 + which % 2;
        bool rates = which / 2;
        mechanism k;
        mechanism_init(&k, dimension, 13);
        int b[4];
        for (int i = 0; i < 4; i++) b[i] = add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, b[0]);
        add_joint(&k, &flx_joint_PRISMATIC, b[1], b[0]); // backwards
        add_joint(&k, dimension == 3 ? &flx_joint_SCREW : &flx_joint_REVOLUTE, b[1], b[2]);
        add_joint(&k, &flx_joint_REVOLUTE, b[3], b[2]);
        const double value[] = {7.3, 0.4, -1.9, 9.1}, rate[] = {0.6, -0.3, 1.1, 2.0};
        for (int i = 0; i < 4; i++) {
            k.joints[i].start_coordinate = k.joints[i].start_rate = true;
            k.joints[i].start_value = value[i];
            k.joints[i].start_rate_value = rate[i];
            // at rest, so that the drawn velocities fit the joints
            memset(k.bodies[i].start.velocity, 0, sizeof k.bodies[i].start.velocity);
            memset(k.bodies[i].start.angular_velocity, 0,
                   sizeof k.bodies[i].start.angular_velocity);
        }
        k.joints[1].start_rate = false;
        k.joints[3].start_coordinate = false;
        flx_descriptor_options o = {.hold = rates ? FLX_HOLD_RATES : FLX_HOLD_COORDINATES};
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, &o, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 1));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        // rates are no part of the drawing: they are met by the least change
        if (rates) CHECK(flx_start_velocities(s, p.x, NULL, NULL) == FLX_OK);
        double r[64], gd[40];
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
        CHECK(s->ops->constraint_rate(s, p.work, &x, gd) == FLX_OK);
        for (int i = s->dims.nv; i < p.n; i++) CHECK_NEAR(r[i], 0.0, 2e-14);
        int held = 0;
        for (int i = 0; i < s->dims.nlam + s->dims.nmu; i++) {
            flx_unknown u;
            s->ops->unknown(s, s->dims.nv + i, &u);
            bool start = strstr(u.part, "initial") != NULL;
            CHECK(start == (flx_descriptor_complete_row(s, i) == -1));
            if (i < s->dims.nlam && !start) CHECK_NEAR(gd[i], 0.0, 1e-13);
            held += start;
        }
        CHECK(held == 3 && s->dims.nmu == (rates ? 3 : 0));
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

// Without starts the drawing is as given: frames, velocities of the origin, any number of turns.
static int drawing_is_as_given(void)
{
    mechanism k;
    mechanism_init(&k, 2, 14);
    add_body(&k, FLX_BODY_RIGID);
    k.bodies[0].angle += 4 * FLX_PI;
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 1));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    const flx_body *b = k.bodies;
    double c = cos(b->angle), sn = sin(b->angle), w = b->start.angular_velocity[2];
    double x = c * b->com[0] - sn * b->com[1], y = sn * b->com[0] + c * b->com[1];
    CHECK_NEAR(p.x->q[0], b->position[0] + x, 1e-14);
    CHECK_NEAR(p.x->q[1], b->position[1] + y, 1e-14);
    CHECK_NEAR(p.x->q[2], b->angle, 0.0);
    CHECK_NEAR(p.x->v[0], b->start.velocity[0] - w * y, 1e-14);
    CHECK_NEAR(p.x->v[1], b->start.velocity[1] + w * x, 1e-14);
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

// ---- Lagrange -------------------------------------------------------------------------------

// p = dT/dv; transport is the rate of M along the motion times v, and w x J w of every body.
static int momenta_and_their_transport(void)
{
    mechanism k;
    mechanism_init(&k, 3, 47);
    add_body(&k, FLX_BODY_RIGID), add_body(&k, FLX_BODY_POINT), add_body(&k, FLX_BODY_RIGID);
    add_variables(&k, 2);
    for (int i = 0; i < 2; i++) { // 3 + i + u_0^2 + sin t
        flx_node u = leaf_node(&k, FLX_LEAF_VARIABLE, 0, 0);
        flx_node t = op1(&k, FLX_OP_SIN, leaf_node(&k, FLX_LEAF_TIME, 0, 0));
        flx_node sum = op2(&k, FLX_OP_ADD, op2(&k, FLX_OP_MUL, u, u), t);
        k.variables[i].mass = op2(&k, FLX_OP_ADD, number_node(&k, 3.0 + i), sum);
    }
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 3));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    randomise(&p, 0.3);
    const flx_lagrangian *l = s->ops->lagrangian;
    double Mv[2][17], out[17], T = 0.0, step = 1e-5, expected[17] = {0};
    flx_point x = flx_state_point(s, p.x);
    flx_energies e;
    CHECK(s->dims.nv == 17);
    CHECK(l->momentum(s, p.work, &x, Mv[0]) == FLX_OK);
    for (int i = 0; i < 17; i++) T += 0.5 * Mv[0][i] * x.v[i];
    CHECK(s->ops->energy(s, p.work, &x, &e) == FLX_OK);
    CHECK_NEAR(T, e.kinetic, 1e-13);
    for (int side = 0; side < 2; side++) {
        double th[17], q[32], h = side ? step : -step;
        flx_point y = x;
        for (int i = 0; i < 17; i++) th[i] = h * x.v[i];
        s->ops->retract(s, x.q, th, q);
        y.q = q;
        y.t += h;
        CHECK(l->momentum(s, p.work, &y, Mv[side]) == FLX_OK);
    }
    for (int body = 0; body < 3; body += 2) {
        int at = body ? 9 : 0;
        v3 w = v3_load(x.v + at + 3);
        v3_store(expected + at + 3, v3_cross(w, m33_mul_v(m33_load(k.bodies[body].inertia), w)));
    }
    CHECK(l->transport(s, p.work, &x, out) == FLX_OK);
    for (int i = 0; i < 17; i++) {
        CHECK_NEAR(out[i], expected[i] + (Mv[1][i] - Mv[0][i]) / (2.0 * step), 1e-8);
    }
    CHECK(fabs(out[15]) > 1e-3); // the masses do change
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

static int masses_that_depend_on_velocities_have_no_momentum(void)
{
    mechanism k;
    mechanism_init(&k, 3, 48);
    add_variables(&k, 1);
    flx_node u = leaf_node(&k, FLX_LEAF_VARIABLE_RATE, 0, 0);
    k.variables[0].mass = op2(&k, FLX_OP_ADD, number_node(&k, 3.0), op2(&k, FLX_OP_MUL, u, u));
    flx_system *s = NULL;
    system_point p = {0};
    double out[1];
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 3));
    flx_point x = flx_state_point(s, p.x);
    CHECK(s->ops->lagrangian->transport(s, p.work, &x, out) == FLX_ERR_CANNOT);
    CHECK_TEXT(flx_ctx_error(k.ctx, 0)->text, "depends on a velocity or a state");
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

// The slope of v = B theta' along theta, against differences, for small and large rotations.
static int slope_of_the_chart(void)
{
    uint64_t seed = 5;
    for (int size = 0; size < 12; size++) {
        double th[3], r[3], u[3], scale = pow(10.0, -0.5 * size) * 3.0;
        random_vector(&seed, 3, scale, th);
        random_vector(&seed, 3, 1.0, r);
        random_vector(&seed, 3, 1.0, u);
        double out[3];
        v3_store(out, rot_tangent_slope_t(v3_load(th), v3_load(r), v3_load(u)));
        for (int i = 0; i < 3; i++) {
            double f[4], h = 1e-3;
            for (int k = 0; k < 4; k++) {
                double at[3] = {th[0], th[1], th[2]};
                at[i] += h * (k < 2 ? k - 2 : k - 1);
                f[k] = v3_dot(v3_load(u), rot_tangent(v3_load(at), v3_load(r)));
            }
            CHECK_NEAR(out[i], (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * h), 2e-12);
        }
    }
    return 0;
}

// ---- what is read off -----------------------------------------------------------------------

// Newton's law of one body: its reactions, weight and inertia force balance, in force and moment.
static int reactions_carry_the_body(void)
{
    for (int ground_second = 0; ground_second < 2; ground_second++) {
        mechanism k;
        mechanism_init(&k, 3, 23);
        int a = add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, &flx_joint_REVOLUTE, ground_second ? a : FLX_BODY_GROUND,
                  ground_second ? FLX_BODY_GROUND : a);
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 3));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        double z[16], dz[16], moved_q, moved_v, f[6];
        const flx_explicit *e = s->ops->explicit_form;
        e->pack(s, p.x, z);
        CHECK(e->project(s, p.work, 0, z, p.x, &moved_q, &moved_v) == FLX_OK);
        CHECK(e->rate(s, p.work, 0, z, p.x, dz) == FLX_OK);
        flx_leaf leaves[6];
        for (int i = 0; i < 6; i++) leaves[i] = flx_leaf_make(FLX_LEAF_REACTION, 0, i);
        CHECK(flx_descriptor_observe(s, p.work, p.x, 6, leaves, f) == FLX_OK);
        const flx_body *b = k.bodies;
        m33 R = quat_to_m33(quat_load(p.x->q + 3)), J = m33_load(b->inertia);
        v3 w = v3_load(p.x->v + 3), al = v3_load(p.x->a + 3), g = v3_load(k.m.gravity);
        v3 force = v3_scale(b->mass, v3_sub(v3_load(p.x->a), g));
        v3 rate = m33_mul_v(R, v3_add(m33_mul_v(J, al), v3_cross(w, m33_mul_v(J, w))));
        int side = ground_second ? 0 : 1;
        v3 arm = m33_mul_v(R, v3_sub(v3_load(k.joints[0].at[side]), v3_load(b->com)));
        double sign = ground_second ? -1.0 : 1.0;
        v3 F = v3_scale(sign, v3_load(f)), M = v3_scale(sign, v3_load(f + 3));
        CHECK(v3_norm(v3_sub(F, force)) < 1e-12 * v3_norm(force));
        CHECK(v3_norm(v3_sub(v3_add(M, v3_cross(arm, F)), rate)) < 1e-12 * (1 + v3_norm(force)));
        // a hinge takes no moment about its axis
        v3 axis = m33_mul_v(R, m33_col(m33_load(k.joints[0].frame[side]), 2));
        CHECK_NEAR(v3_dot(axis, M), 0.0, 1e-12 * (1 + v3_norm(M)));
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

// Effort of a motion times speed is the power that it supplies.
static int drive_is_the_effort_of_the_motion(void)
{
    for (int kind = 0; kind < 2; kind++) {
        mechanism k;
        mechanism_init(&k, 3, 29);
        int a = add_body(&k, FLX_BODY_RIGID);
        flx_joint *j = k.joints + add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
        flx_node t = leaf_node(&k, FLX_LEAF_TIME, 0, 0);
        j->motion = kind ? FLX_MOTION_RATE : FLX_MOTION_ANGLE;
        j->motion_value = op1(&k, FLX_OP_SIN, op2(&k, FLX_OP_ADD, t, number_node(&k, 0.2)));
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 3));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        double z[16], dz[16], moved_q, moved_v, drive;
        const flx_explicit *e = s->ops->explicit_form;
        e->pack(s, p.x, z);
        CHECK(e->project(s, p.work, 0, z, p.x, &moved_q, &moved_v) == FLX_OK);
        CHECK(moved_q < 1e-12); // the drawing already follows the motion
        CHECK(e->rate(s, p.work, 0, z, p.x, dz) == FLX_OK);
        flx_leaf leaf = flx_leaf_make(FLX_LEAF_DRIVE, 0, 0);
        CHECK(flx_descriptor_observe(s, p.work, p.x, 1, &leaf, &drive) == FLX_OK);
        flx_energies energy;
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->ops->energy(s, p.work, &x, &energy) == FLX_OK);
        double speed = kind ? sin(0.2) : cos(0.2);
        CHECK_NEAR(energy.supplied_power, drive * speed, 1e-12 * fabs(drive));
        // the power moves the body: T' + V' with T' = v . M a, V' = -m g . v
        const flx_body *b = k.bodies;
        v3 w = v3_load(p.x->v + 3), v = v3_load(p.x->v);
        double power = b->mass * v3_dot(v, v3_sub(v3_load(p.x->a), v3_load(k.m.gravity)));
        power += v3_dot(w, m33_mul_v(m33_load(b->inertia), v3_load(p.x->a + 3)));
        CHECK_NEAR(power, drive * speed, 1e-12 * (1 + fabs(drive)));
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

// Two parallel hinges hold one door: five rows are redundant. Of least norm, the two share the load
// as the same two hinges: the sum is what one hinge would carry, and each row's share is split so
// that no self-stress remains, which is orthogonal to every solution of the homogeneous equations.
static int reactions_of_redundant_joints_have_least_norm(void)
{
    mechanism k;
    mechanism_init(&k, 3, 37);
    int a = add_body(&k, FLX_BODY_RIGID);
    add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
    add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
    k.joints[1] = k.joints[0];
    k.joints[1].name = "other";
    const int drop[] = {5, 6, 7, 8, 9};
    flx_descriptor_options o = {.ndrop = 5, .drop = drop};
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, &o, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 3));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    double z[16], dz[16], moved_q, moved_v, f[12];
    const flx_explicit *e = s->ops->explicit_form;
    e->pack(s, p.x, z);
    CHECK(e->project(s, p.work, 0, z, p.x, &moved_q, &moved_v) == FLX_OK);
    CHECK(e->rate(s, p.work, 0, z, p.x, dz) == FLX_OK);
    flx_leaf leaves[12];
    for (int i = 0; i < 12; i++) leaves[i] = flx_leaf_make(FLX_LEAF_REACTION, i / 6, i % 6);
    CHECK(flx_descriptor_observe(s, p.work, p.x, 12, leaves, f) == FLX_OK);
    double size = 0;
    for (int i = 0; i < 6; i++) size = fmax(size, fabs(f[i]));
    CHECK(size > 1.0);
    for (int i = 0; i < 6; i++) CHECK_NEAR(f[i], f[6 + i], 1e-7 * size); // equal hinges, equal load
    double total = 0, weight = 0;
    for (int i = 0; i < 3; i++) {
        double need = k.bodies[0].mass * (p.x->a[i] - k.m.gravity[i]);
        total = fmax(total, fabs(f[i] + f[6 + i] - need));
        weight = fmax(weight, fabs(need));
    }
    CHECK(total < 1e-10 * weight);
    // the rows that were left out are watched
    flx_residuals res;
    p.x->q[0] += 1e-3;
    flx_descriptor_residuals(s, p.work, p.x, &res);
    CHECK_NEAR(res.position, 1e-3, 1e-9);
    CHECK_NEAR(res.dropped, 1e-3, 1e-9);
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

// ---- structure ------------------------------------------------------------------------------

// In a chain every joint is paired with its outboard body; the joint that closes a loop is not.
static int tree_joints_are_paired_with_their_outboard_body(void)
{
    mechanism k;
    mechanism_init(&k, 3, 43);
    int b[3];
    for (int i = 0; i < 3; i++) b[i] = add_body(&k, FLX_BODY_RIGID);
    add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, b[0]);
    add_joint(&k, &flx_joint_SPHERICAL, b[1], b[0]);
    add_joint(&k, &flx_joint_PRISMATIC, b[1], b[2]);
    add_joint(&k, &flx_joint_SPHERICAL, b[2], b[0]); // closes a loop, or is reached first
    flx_system *s = NULL;
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    const int *pair = s->pattern.pair;
    CHECK(pair && s->pattern.nblock == 7);
    for (int i = 0; i < 3; i++) CHECK(pair[i] == -1);
    CHECK(pair[3] == b[0] && pair[4] == b[1]); // breadth first: b2 hangs on b0
    CHECK(pair[5] == -1 && pair[6] == b[2]);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

static int unknowns_have_names_and_scales(void)
{
    mechanism k;
    make_mixture(&k, 3);
    flx_system *s = NULL;
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        CHECK(u.item && u.part && u.scale > 0);
        CHECK(u.lower < 0 && u.upper > 0 && isinf(u.lower) && isinf(u.upper));
        CHECK((u.kind == FLX_UNKNOWN_CONSTRAINT) ==
              (i >= flx_dims_unknowns(&s->dims) - s->dims.nlam));
        if (u.kind == FLX_UNKNOWN_CONSTRAINT) CHECK(u.index == (u.C > 0 ? 1 : 3));
    }
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

static int evaluations_allocate_nothing(void)
{
    mechanism k;
    make_mixture(&k, 3);
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 3));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    int nvalue = s->pattern.offset[s->pattern.row[s->pattern.nblock]];
    double *A = numbers(3 * nvalue), z[64], dz[64], r[64], moved_q, moved_v, values[4];
    flx_blocks b = {A, A + nvalue, A + 2 * nvalue};
    flx_energies energy;
    flx_leaf leaves[] = {
        flx_leaf_make(FLX_LEAF_REACTION, 0, 0), flx_leaf_make(FLX_LEAF_ENERGY, 0, 4),
        flx_leaf_make(FLX_LEAF_CONSTRAINTS, 0, 0), flx_leaf_make(FLX_LEAF_TURNS, 0, 0)};
    const flx_explicit *e = s->ops->explicit_form;
    CHECK(e->prepare(s, p.work) == FLX_OK);
    long before = flx_ctx_allocation_count(k.ctx);
    e->pack(s, p.x, z);
    CHECK(e->project(s, p.work, 0, z, p.x, &moved_q, &moved_v) == FLX_OK);
    CHECK(e->rate(s, p.work, 0, z, p.x, dz) == FLX_OK);
    flx_point x = flx_state_point(s, p.x);
    CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
    CHECK(s->ops->linearise(s, p.work, &x, &b) == FLX_OK);
    CHECK(s->ops->energy(s, p.work, &x, &energy) == FLX_OK);
    CHECK(flx_descriptor_observe(s, p.work, p.x, 4, leaves, values) == FLX_OK);
    s->ops->accept(s, p.work, p.x);
    CHECK(flx_ctx_allocation_count(k.ctx) == before);
    free(A);
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

// Each allocation fails in turn: reported, nothing leaks (under the sanitizers), no half system.
static int every_allocation_may_fail(void)
{
    const int drop[] = {1};
    for (long n = 0; n < 100000; n++) {
        mechanism k;
        make_mixture(&k, 3);
        // forces that read reactions, and one that is the unknown of a law
        flx_force *f = k.forces + add_force(&k, &flx_force_wrench, 0, 1);
        for (int i = 0; i < 3; i++) f->force[i] = leaf_node(&k, FLX_LEAF_REACTION, i % 2, i);
        f = k.forces + add_force(&k, &flx_force_actuator, 0, 2);
        f->value = op1(&k, FLX_OP_SIN, leaf_node(&k, FLX_LEAF_BODY_POSITION, 2, 0));
        f->mixed = true;
        flx_descriptor_options o = {.ndrop = 1, .drop = drop};
        flx_system *s = NULL;
        flx_work *w = NULL;
        flx_ctx_fail_allocation(k.ctx, n);
        flx_status status = flx_descriptor_create(&k.m, &o, &s);
        if (status == FLX_OK) w = s->ops->work_create(s);
        bool done = status == FLX_OK && w;
        CHECK(done || flx_ctx_error_count(k.ctx) > 0);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        if (w) s->ops->work_destroy(w);
        flx_system_destroy(&s);
        mechanism_free(&k);
        if (done) {
            CHECK(n > 20);
            return 0;
        }
    }
    return 1;
}

TEST_MAIN(TEST(equations_have_exact_derivatives),
          TEST(equations_with_bodies_have_exact_derivatives), TEST(wrong_equations_are_refused),
          TEST(starts_move_all_that_hangs_on_them), TEST(drawing_is_as_given),
          TEST(momenta_and_their_transport),
          TEST(masses_that_depend_on_velocities_have_no_momentum), TEST(slope_of_the_chart),
          TEST(reactions_carry_the_body), TEST(drive_is_the_effort_of_the_motion),
          TEST(reactions_of_redundant_joints_have_least_norm),
          TEST(tree_joints_are_paired_with_their_outboard_body),
          TEST(unknowns_have_names_and_scales), TEST(evaluations_allocate_nothing),
          TEST(every_allocation_may_fail))
