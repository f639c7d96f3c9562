// Every type of joint, in space and in the plane, between all kinds of bodies, at random places off
// the constraint: G, K, rates, biases and forces against differences, which also hold where the
// joint is not closed.
#include "check.h"
#include "mechanism_check.h"

// ground: 0 none, 1 the first is the ground, 2 the second.
static int one_joint(const flx_joint_kind *type, int dimension, int ground, flx_body_type second,
                     uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int a = ground == 1 ? FLX_BODY_GROUND : add_body(&k, FLX_BODY_RIGID);
    int b = ground == 2 ? FLX_BODY_GROUND : add_body(&k, second);
    add_joint(&k, type, a, b);
    int bad = check_mechanism(&k, NULL, seed, 0.4, true);
    if (bad) {
        printf("%s in %dD, ground %d, %s\n", type->says.word, dimension, ground,
               second == FLX_BODY_POINT ? "point" : "rigid");
    }
    mechanism_free(&k);
    return bad;
}

static int every_joint_has_exact_derivatives(void)
{
    for (const flx_joint_kind *const *i = flx_joint_kinds; *i; i++) {
        const flx_joint_kind *t = *i;
        if (t->on_joints) continue;
        for (uint64_t seed = 1; seed <= 3; seed++) {
            for (int ground = 0; ground < 3; ground++) {
                if (t->space) CHECK(one_joint(t, 3, ground, FLX_BODY_RIGID, seed) == 0);
                if (t->plane) CHECK(one_joint(t, 2, ground, FLX_BODY_RIGID, seed) == 0);
                if (ground == 2) continue;
                for (int d = 2; d <= 3; d++) { // what stays itself on a point
                    if (t->on_point[d - 2] != t) continue;
                    CHECK(one_joint(t, d, ground, FLX_BODY_POINT, seed) == 0);
                }
            }
        }
    }
    return 0;
}

// A motion of time on the joint's coordinate, on position or velocity level.
static flx_node course(mechanism *k)
{
    flx_node t = leaf_node(k, FLX_LEAF_TIME, 0, 0);
    flx_node s = op1(k, FLX_OP_SIN, op2(k, FLX_OP_MUL, number_node(k, 2.3), t));
    return op2(k, FLX_OP_ADD, op2(k, FLX_OP_MUL, number_node(k, 0.7), s), t);
}

static int driven(const flx_joint_kind *type, flx_motion_kind motion, int dimension, flx_hold hold,
                  uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
    flx_joint *j = k.joints + add_joint(&k, type, a, b);
    if (hold) {
        j->start_coordinate = j->start_rate = true;
        j->start_value = 0.3;
        j->start_rate_value = -0.8;
    } else {
        j->motion = motion;
        j->motion_value = course(&k);
    }
    flx_descriptor_options o = {.hold = hold};
    int bad = check_mechanism(&k, &o, seed, 0.3, true);
    if (bad) {
        printf("driven %s, motion %d, %dD, hold %d\n", type->says.word, motion, dimension,
               (int)hold);
    }
    mechanism_free(&k);
    return bad;
}

static int motions_and_starts_have_exact_derivatives(void)
{
    static const flx_joint_kind *const angles[] = {&flx_joint_REVOLUTE, &flx_joint_CYLINDRICAL,
                                                   &flx_joint_SCREW};
    static const flx_joint_kind *const slides[] = {&flx_joint_PRISMATIC, &flx_joint_CYLINDRICAL,
                                                   &flx_joint_SCREW, &flx_joint_POINT_ON_LINE};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        for (int i = 0; i < 4; i++) {
            for (flx_hold hold = FLX_HOLD_NOTHING; hold <= FLX_HOLD_RATES; hold++) {
                if (i < 3) CHECK(driven(angles[i], FLX_MOTION_ANGLE, 3, hold, seed) == 0);
                if (i < 3) CHECK(driven(angles[i], FLX_MOTION_RATE, 3, hold, seed) == 0);
                CHECK(driven(slides[i], FLX_MOTION_DISPLACEMENT, 3, hold, seed) == 0);
                CHECK(driven(slides[i], FLX_MOTION_RATE, 3, hold, seed) == 0);
            }
        }
        CHECK(driven(&flx_joint_REVOLUTE, FLX_MOTION_ANGLE, 2, false, seed) == 0);
        CHECK(driven(&flx_joint_REVOLUTE, FLX_MOTION_RATE, 2, false, seed) == 0);
        CHECK(driven(&flx_joint_REVOLUTE, FLX_MOTION_RATE, 2, true, seed) == 0);
        CHECK(driven(&flx_joint_PRISMATIC, FLX_MOTION_DISPLACEMENT, 2, false, seed) == 0);
        CHECK(driven(&flx_joint_PRISMATIC, FLX_MOTION_DISPLACEMENT, 2, true, seed) == 0);
    }
    return 0;
}

// Gears between every pair of coordinates, also with a body in common.
static int geared(const flx_joint_kind *first, const flx_joint_kind *second, int dimension,
                  bool chain, uint64_t seed)
{
    mechanism k;
    mechanism_init(&k, dimension, seed);
    int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
    int j1 = add_joint(&k, first, FLX_BODY_GROUND, a);
    int j2 = add_joint(&k, second, chain ? a : FLX_BODY_GROUND, b);
    flx_joint *g = k.joints + add_joint(&k, &flx_joint_GEAR, FLX_BODY_GROUND, FLX_BODY_GROUND);
    g->joint[0] = j1;
    g->joint[1] = j2;
    int bad = check_mechanism(&k, NULL, seed, 0.3, true);
    if (bad) printf("gear of %s and %s, chain %d\n", first->says.word, second->says.word, chain);
    mechanism_free(&k);
    return bad;
}

static int gears_have_exact_derivatives(void)
{
    static const flx_joint_kind *const t[] = {&flx_joint_REVOLUTE, &flx_joint_PRISMATIC,
                                              &flx_joint_SCREW};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            for (int chain = 0; chain < 2; chain++) {
                CHECK(geared(t[i], t[j], 3, chain, 5) == 0);
                if (i < 2 && j < 2) CHECK(geared(t[i], t[j], 2, chain, 6) == 0);
            }
        }
    }
    return 0;
}

// Leaving out rows of a joint: the others are still exact, whatever form they take.
static int rows_left_out(const flx_joint_kind *type, int dimension, int nrow, uint64_t seed)
{
    for (unsigned mask = 1; mask < 1u << nrow; mask++) {
        mechanism k;
        int drop[6], n = 0, bad;
        mechanism_init(&k, dimension, seed);
        int a = mask % 3 == 0 ? FLX_BODY_GROUND : add_body(&k, FLX_BODY_RIGID);
        int b = add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, type, a, b);
        for (int i = 0; i < nrow; i++) {
            if (mask >> i & 1u) drop[n++] = i;
        }
        flx_descriptor_options o = {.ndrop = n, .drop = drop};
        bad = check_mechanism(&k, &o, seed, 0.3, true);
        mechanism_free(&k);
        if (bad) return printf("%s without rows %#x\n", type->says.word, mask);
    }
    return 0;
}

static int joints_with_rows_left_out_have_exact_derivatives(void)
{
    CHECK(rows_left_out(&flx_joint_REVOLUTE, 3, 5, 7) == 0);
    CHECK(rows_left_out(&flx_joint_FIXED, 3, 6, 8) == 0);
    CHECK(rows_left_out(&flx_joint_CYLINDRICAL, 3, 4, 9) == 0);
    CHECK(rows_left_out(&flx_joint_FIXED, 2, 3, 10) == 0);
    CHECK(rows_left_out(&flx_joint_ROLLING, 3, 3, 11) == 0); // also velocity-level constraints
    return 0;
}

// At the place where a row is left out the rest says the same as before: each kept row has the value
// and gradient it had in the complete system, at the drawing.
static int kept_rows_are_those_of_the_complete_system_as_drawn(void)
{
    mechanism k;
    mechanism_init(&k, 3, 21);
    int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
    add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
    add_joint(&k, &flx_joint_REVOLUTE, a, b);
    const int drop[] = {1, 4, 7};
    flx_descriptor_options o = {.ndrop = 3, .drop = drop};
    flx_system *s = NULL, *whole = NULL;
    CHECK(flx_descriptor_create(&k.m, &o, &s) == FLX_OK);
    CHECK(flx_descriptor_create(&k.m, NULL, &whole) == FLX_OK);
    CHECK(s->dims.nlam == 7 && whole->dims.nlam == 10);
    system_point p = {0}, q = {0};
    CHECK(system_point_init(&p, s, 3) && system_point_init(&q, whole, 3));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK && flx_descriptor_draw(whole, q.x) == FLX_OK);
    int last = -1;
    for (int i = 0; i < 7; i++) {
        int c = flx_descriptor_complete_row(s, i);
        CHECK(c > last && c < 10 && c != 1 && c != 4 && c != 7);
        last = c;
        double eta[10] = {0}, f[12], g[12];
        flx_point x = flx_state_point(s, p.x), y = flx_state_point(whole, q.x);
        eta[i] = 1.0;
        CHECK(s->ops->constraint_force(s, p.work, &x, eta, f) == FLX_OK);
        eta[i] = 0.0;
        eta[c] = 1.0;
        CHECK(whole->ops->constraint_force(whole, q.work, &y, eta, g) == FLX_OK);
        for (int k2 = 0; k2 < 12; k2++) CHECK_NEAR(f[k2], g[k2], 1e-14);
    }
    system_point_free(&p);
    system_point_free(&q);
    flx_system_destroy(&s);
    flx_system_destroy(&whole);
    mechanism_free(&k);
    return 0;
}

// Moving the whole mechanism rigidly changes no row, apart from turning those of a coincidence: the
// size of each joint's residual is kept.
static int rigid_motion_changes_no_constraint(void)
{
    for (int kind = 0; flx_joint_kinds[kind]; kind++) {
        const flx_joint_kind *t = flx_joint_kinds[kind];
        if (t->on_joints || t->loose || t == &flx_joint_KNIFE_EDGE) continue;
        mechanism k;
        mechanism_init(&k, 3, 31 + (uint64_t)kind);
        int a = add_body(&k, FLX_BODY_RIGID), b = add_body(&k, FLX_BODY_RIGID);
        add_joint(&k, t, a, b);
        flx_system *s = NULL;
        system_point p = {0};
        CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
        CHECK(system_point_init(&p, s, 4));
        CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
        randomise(&p, 0.2);
        int nrow = s->dims.nlam, first = p.n - nrow - s->dims.nmu;
        double r[32], before = 0, after = 0;
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
        for (int i = 0; i < nrow; i++) before += r[first + i] * r[first + i];
        quat turn = quat_exp(v3_make(0.7, -1.1, 0.4));
        m33 R = quat_to_m33(turn);
        for (int i = 0; i < 2; i++) {
            double *q = p.x->q + 7 * i;
            v3_store(q, v3_add(m33_mul_v(R, v3_load(q)), v3_make(3, -2, 5)));
            quat_store(q + 3, quat_mul(turn, quat_load(q + 3)));
        }
        CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
        for (int i = 0; i < nrow; i++) after += r[first + i] * r[first + i];
        CHECK_NEAR(sqrt(after), sqrt(before), 1e-14 * 20); // coordinates of size 5
        CHECK(before > 1e-6);
        system_point_free(&p);
        flx_system_destroy(&s);
        mechanism_free(&k);
    }
    return 0;
}

// A revolute joint turned five times through: the angle of its motion goes on.
static int angle_counts_turns(void)
{
    mechanism k;
    mechanism_init(&k, 3, 41);
    int a = add_body(&k, FLX_BODY_RIGID);
    flx_joint *j = k.joints + add_joint(&k, &flx_joint_REVOLUTE, FLX_BODY_GROUND, a);
    j->motion = FLX_MOTION_ANGLE;
    j->motion_value = leaf_node(&k, FLX_LEAF_TIME, 0, 0);
    flx_system *s = NULL;
    system_point p = {0};
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_OK);
    CHECK(system_point_init(&p, s, 4));
    CHECK(flx_descriptor_draw(s, p.x) == FLX_OK);
    v3 axis = m33_col(m33_load(j->frame[1]), 2); // in the body
    v3 at = v3_sub(v3_load(j->at[1]), v3_load(k.bodies[0].com));
    for (int i = 0; i <= 100; i++) { // backwards and forwards by half a radian
        double angle = i <= 60 ? 0.5 * i : 30.0 - 0.9 * (i - 60), r[12];
        m33 R0 = m33_load(k.bodies[0].R);
        m33 R = m33_mul(R0, quat_to_m33(quat_exp(v3_scale(angle, axis))));
        v3 pin = v3_add(v3_load(k.bodies[0].position), m33_mul_v(R0, v3_load(j->at[1])));
        v3_store(p.x->q, v3_sub(pin, m33_mul_v(R, at)));
        quat_store(p.x->q + 3, quat_from_m33(R));
        p.x->t = angle;
        flx_point x = flx_state_point(s, p.x);
        CHECK(s->ops->residual(s, p.work, &x, r) == FLX_OK);
        for (int c = 6; c < 12; c++) CHECK_NEAR(r[c], 0.0, 1e-13);
        s->ops->accept(s, p.work, p.x);
        CHECK_NEAR(p.x->switches[0], angle, 1e-13);
    }
    system_point_free(&p);
    flx_system_destroy(&s);
    mechanism_free(&k);
    return 0;
}

static int refused(const flx_joint_kind *type, int dimension, flx_body_type second,
                   const char *part)
{
    mechanism k;
    mechanism_init(&k, dimension, 51);
    add_joint(&k, type, FLX_BODY_GROUND, add_body(&k, second));
    if (type == &flx_joint_DISTANCE) k.joints[0].length = 0;
    if (type == &flx_joint_ROLLING) {
        v3_store(k.joints[0].axis[1], in_body_axes(&k, 0, v3_load(k.joints[0].normal)));
    }
    flx_system *s = NULL;
    CHECK(flx_descriptor_create(&k.m, NULL, &s) == FLX_ERR_MODEL && !s);
    CHECK_TEXT(flx_ctx_error(k.ctx, 0)->text, part);
    mechanism_free(&k);
    return 0;
}

static int what_cannot_be_is_refused(void)
{
    CHECK(refused(&flx_joint_REVOLUTE, 3, FLX_BODY_POINT, "is a point") == 0);
    CHECK(refused(&flx_joint_FIXED, 2, FLX_BODY_POINT, "is a point") == 0);
    CHECK(refused(&flx_joint_UNIVERSAL, 2, FLX_BODY_RIGID, "there is no universal joint") == 0);
    CHECK(refused(&flx_joint_DISTANCE, 3, FLX_BODY_RIGID, "length must be positive") == 0);
    CHECK(refused(&flx_joint_ROLLING, 3, FLX_BODY_RIGID, "lies flat") == 0);
    return 0;
}

TEST_MAIN(TEST(every_joint_has_exact_derivatives), TEST(motions_and_starts_have_exact_derivatives),
          TEST(gears_have_exact_derivatives),
          TEST(joints_with_rows_left_out_have_exact_derivatives),
          TEST(kept_rows_are_those_of_the_complete_system_as_drawn),
          TEST(rigid_motion_changes_no_constraint), TEST(angle_counts_turns),
          TEST(what_cannot_be_is_refused))
