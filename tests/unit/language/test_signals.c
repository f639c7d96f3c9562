// Signals as nodes along an invented motion: places, axes, angles, lengths, efforts against
// formulae, and the rate of every column against differences.
#include "model_text.h"
#include "pose.h"

#define STEP 1e-5

#define SPATIAL model_text("signals_spatial")

static v3 column3(const flx_model *m, const char *name, double t)
{
    double x[3];
    char full[64];
    for (int i = 0; i < 3; i++) {
        snprintf(full, sizeof full, "%s.%c", name, 'x' + i);
        x[i] = pose_value(m, full, t);
    }
    return v3_load(x);
}

// Every column whose rate is known: the rule of time against differences.
static int check_rates(const flx_model *m, double t, int *checked)
{
    for (int i = 0; i < m->outputs.ncolumn; i++) {
        const char *name = m->outputs.columns[i].name;
        flx_node n = m->outputs.columns[i].node;
        if (strstr(name, "acceleration")) continue;
        flx_node rate = flx_graph_derive(m->graph, n, flx_leaf_time_rate, (flx_model *)m);
        double d = (pose_eval(m, n, t + STEP) - pose_eval(m, n, t - STEP)) / (2 * STEP);
        double r = pose_eval(m, rate, t);
        if (!(fabs(r - d) <= 2e-7 * (1 + fabs(d)))) {
            printf("rate of %s: %.12g, by differences %.12g\n", name, r, d);
            return 1;
        }
        (*checked)++;
    }
    return 0;
}

static int rates_of_all_columns(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, SPATIAL);
    int checked = 0;
    CHECK(m);
    CHECK(check_rates(m, 0.37, &checked) == 0);
    CHECK(check_rates(m, 1.9, &checked) == 0);
    CHECK(checked > 150);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int bodies_and_points(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, SPATIAL);
    CHECK(m);
    const double p[3] = {0.5, 0.4, -0.3}, o[3] = {0, 0, 0}, turned[3] = {cos(0.3), sin(0.3), 0};
    for (double t = 0.1; t < 2; t += 0.6) {
        v3 d = v3_sub(pose_point(m, 0, p, t + STEP), pose_point(m, 0, p, t - STEP));
        v3 dd = v3_sub(v3_add(pose_point(m, 0, p, t + 1e-4), pose_point(m, 0, p, t - 1e-4)),
                       v3_scale(2, pose_point(m, 0, p, t)));
        CHECK_V3(column3(m, "a.position", t), pose_point(m, 0, o, t), 1e-14);
        CHECK_V3(column3(m, "a.p.position", t), pose_point(m, 0, p, t), 1e-14);
        CHECK_V3(column3(m, "a.p.velocity", t), v3_scale(0.5 / STEP, d), 1e-8);
        CHECK_V3(column3(m, "a.p.acceleration", t), v3_scale(1e8, dd), 1e-6);
        CHECK_V3(column3(m, "a.f.ex", t), pose_direction(m, 0, turned, t), 1e-14);
        m33 R = pose_R(m, 0, t);
        v3 w = m33_mul_v(R, v3_scale(pose_phi(0, t, 1), pose_axis(0)));
        CHECK_V3(column3(m, "a.angular_velocity", t), w, 1e-14);
        CHECK_NEAR(pose_value(m, "a.rate", t), v3_norm(w), 1e-14);
        quat q = quat_from_m33(R);
        if (q.w < 0) q = (quat){-q.w, -q.x, -q.y, -q.z};
        CHECK_NEAR(pose_value(m, "a.orientation.w", t), q.w, 1e-14);
        CHECK_NEAR(pose_value(m, "a.orientation.x", t), q.x, 1e-14);
        CHECK_NEAR(pose_value(m, "a.orientation.y", t), q.y, 1e-14);
        CHECK_NEAR(pose_value(m, "a.orientation.z", t), q.z, 1e-14);
        CHECK_NEAR(pose_value(m, "a.angle", t), v3_norm(quat_log(q)), 1e-12);
        CHECK_NEAR(pose_value(m, "c.position.x", t), pose_place(2, 0, t, 0), 0);
    }
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Joint axes of both bodies have one orientation in the initial configuration, and the third is the axis.
static int joint_frames(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, SPATIAL);
    CHECK(m);
    for (int i = 0; i < m->njoint; i++) {
        const flx_joint *j = &m->joints[i];
        m33 drawn[2];
        v3 place[2];
        for (int k = 0; k < 2; k++) {
            const flx_body *b = &m->bodies[j->body[k]];
            drawn[k] = m33_mul(m33_load(b->R), m33_load(j->frame[k]));
            place[k] = v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), v3_load(j->at[k])));
        }
        for (int k = 0; k < 9; k++) CHECK_NEAR(drawn[0].m[k], drawn[1].m[k], 1e-14);
        m33 unit = m33_tmul(drawn[0], drawn[0]);
        for (int k = 0; k < 9; k++) CHECK_NEAR(unit.m[k], k % 4 == 0, 1e-14);
        bool pair = strcmp(j->name, "rail") == 0 || strcmp(j->name, "roll") == 0;
        if (!pair) CHECK_V3(place[0], place[1], 1e-14);
    }
    const flx_joint *hinge = pose_joint(m, "hinge");
    CHECK(hinge);
    v3 axis = m33_mul_v(m33_load(m->bodies[0].R), v3_load(hinge->axis[0]));
    CHECK_V3(axis, v3_unit(v3_make(1, 2, -1)), 1e-14);
    const flx_joint *cross = pose_joint(m, "cross");
    CHECK(cross);
    axis = m33_mul_v(m33_load(m->bodies[1].R), v3_load(cross->axis[1]));
    CHECK_V3(axis, v3_unit(v3_make(0.3, 1, 0.2)), 1e-14);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int joint_coordinates(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, SPATIAL);
    CHECK(m);
    const flx_joint *rail = pose_joint(m, "rail"), *hinge = pose_joint(m, "hinge");
    CHECK(rail && hinge);
    for (double t = 0.1; t < 2; t += 0.6) {
        // displacement along the axis of the first, zero initially
        v3 way = v3_sub(pose_point(m, 1, rail->at[1], t), pose_point(m, 0, rail->at[0], t));
        v3 axis = pose_direction(m, 0, rail->axis[0], t);
        const flx_body *a = &m->bodies[0], *b = &m->bodies[1];
        v3 p1 = v3_add(v3_load(a->position), m33_mul_v(m33_load(a->R), v3_load(rail->at[0])));
        v3 p2 = v3_add(v3_load(b->position), m33_mul_v(m33_load(b->R), v3_load(rail->at[1])));
        double drawn = v3_dot(m33_mul_v(m33_load(a->R), v3_load(rail->axis[0])), v3_sub(p2, p1));
        CHECK_NEAR(pose_value(m, "rail.displacement", t), v3_dot(axis, way) - drawn, 1e-13);
        // rotation of the second in the first: its logarithm, in ground axes
        m33 F1 = m33_mul(pose_R(m, 0, t), m33_load(hinge->frame[0]));
        m33 F2 = m33_mul(pose_R(m, 1, t), m33_load(hinge->frame[1]));
        v3 theta = m33_mul_v(F1, quat_log(quat_from_m33(m33_tmul(F1, F2))));
        CHECK_V3(column3(m, "ball.rotation", t), theta, 1e-12);
        v3 w = v3_sub(m33_mul_v(pose_R(m, 1, t), v3_scale(pose_phi(1, t, 1), pose_axis(1))),
                      m33_mul_v(pose_R(m, 0, t), v3_scale(pose_phi(0, t, 1), pose_axis(0))));
        CHECK_NEAR(pose_value(m, "hinge.rate", t),
                   v3_dot(pose_direction(m, 0, hinge->axis[0], t), w), 1e-13);
    }
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Bodies turned about the joint's axes initially: the angles come back.
static int joint_angles(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(
        ctx, "flexion: 1\n"
             "bodies:\n"
             "  a: {type: rigid, mass: 1, inertia: [1, 1, 1], orientation: {axis: [1, 2, 3], "
             "angle: 1}}\n"
             "joints:\n"
             "  hinge: {type: revolute, on: [ground, a], at: [0, 0, 0], axis: [1, -1, 2]}\n"
             "  cross: {type: universal, on: [ground, a], at: [0, 0, 0], axes: [[1, 1, 0], [0, "
             "0.5, 2]]}\n"
             "simulate: {until: 1}\n"
             "outputs: {signals: [hinge.angle, cross.angle]}\n");
    CHECK(m);
    v3 a1 = v3_unit(v3_make(1, 1, 0)), a2 = v3_unit(v3_make(0, 0.5, 2));
    v3 axis = v3_unit(v3_make(1, -1, 2));
    m33 R0 = m33_load(m->bodies[0].R);
    const double alpha = 0.7, beta = -1.2, phi = 2.6;
    m33 Ru = m33_mul(quat_to_m33(quat_exp(v3_scale(alpha, a1))),
                     m33_mul(quat_to_m33(quat_exp(v3_scale(beta, a2))), R0));
    m33 Rh = m33_mul(quat_to_m33(quat_exp(v3_scale(phi, axis))), R0);
    flx_node nodes[3] = {pose_column(m, "cross.angle.x"), pose_column(m, "cross.angle.y"),
                         pose_column(m, "hinge.angle")};
    int n = 0;
    flx_leaf *leaves = NULL;
    flx_program *p = NULL;
    CHECK(flx_graph_leaves(m->graph, 3, nodes, &n, &leaves) == FLX_OK);
    CHECK(flx_program_compile(m->graph, n, leaves, 3, nodes, &p) == FLX_OK);
    double in[16], out[3], *scratch = calloc((size_t)flx_program_scratch(p) + 1, sizeof(double));
    CHECK(n <= 16 && scratch);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < n; i++) {
            int c = flx_leaf_get_component(leaves[i]);
            bool turns = flx_leaf_get_kind(leaves[i]) == FLX_LEAF_TURNS;
            in[i] = turns ? 3 : turn == 0 ? Ru.m[c] : Rh.m[c];
        }
        flx_program_eval(p, in, scratch, out);
        if (turn == 0) CHECK_NEAR(out[0], alpha, 1e-14);
        if (turn == 0) CHECK_NEAR(out[1], beta, 1e-14);
        if (turn == 1) CHECK_NEAR(out[2], phi + 6 * acos(-1), 1e-13);
    }
    free(scratch);
    flx_free(leaves);
    flx_program_destroy(&p);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int forces(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(ctx, SPATIAL);
    CHECK(m);
    const flx_force *s = pose_force(m, "s"), *F = pose_force(m, "F"), *G = pose_force(m, "G");
    const flx_force *T = pose_force(m, "T"), *bush = pose_force(m, "bush");
    CHECK(s && F && G && T && bush);
    CHECK(s->kind == &flx_force_spring && F->kind == &flx_force_wrench);
    CHECK(bush->kind == &flx_force_bushing && bush->ncomponent == 6);
    for (double t = 0.1; t < 2; t += 0.6) {
        v3 way = v3_sub(pose_point(m, 2, s->at[1], t), pose_point(m, 0, s->at[0], t));
        double rate = pose_value(m, "s.length'", t), length = v3_norm(way);
        CHECK_NEAR(pose_value(m, "s.length", t), length, 1e-14);
        CHECK_NEAR(pose_value(m, "s.value", t), 7 * (length - 0.4) + 3 * rate, 1e-13);
        CHECK_NEAR(pose_value(m, "s.power", t), -pose_value(m, "s.value", t) * rate, 1e-12);
        const double f[3] = {1, 2, t}, z[3] = {0, 0, t};
        v3 g = m33_mul_v(quat_to_m33(quat_exp(v3_make(0, 0, 0.3))), v3_make(1, 2, 3));
        const double turned[3] = {g.x, g.y, g.z};
        CHECK_V3(v3_make(pose_eval(m, F->force[0], t), pose_eval(m, F->force[1], t),
                         pose_eval(m, F->force[2], t)),
                 pose_direction(m, 0, f, t), 1e-14);
        CHECK_V3(v3_make(pose_eval(m, G->force[0], t), pose_eval(m, G->force[1], t),
                         pose_eval(m, G->force[2], t)),
                 pose_direction(m, 0, turned, t), 1e-14);
        CHECK_V3(v3_make(pose_eval(m, T->torque[0], t), pose_eval(m, T->torque[1], t),
                         pose_eval(m, T->torque[2], t)),
                 pose_direction(m, 0, z, t), 1e-14);
        CHECK_NEAR(pose_value(m, "T.value", t), t, 0);
        // the bushing: springs and dampers in the first's axes
        m33 R = pose_R(m, 0, t);
        v3 u[3];
        for (int k = 0; k < 3; k++) {
            double at = t + (k - 1) * STEP;
            v3 d = v3_sub(pose_point(m, 1, bush->at[1], at), pose_point(m, 0, bush->at[0], at));
            u[k] = m33_tmul_v(pose_R(m, 0, at), d);
        }
        v3 du = v3_scale(0.5 / STEP, v3_sub(u[2], u[0]));
        v3 e = v3_make(1 * u[1].x + 6 * du.x, 2 * u[1].y + 5 * du.y, 3 * u[1].z + 4 * du.z);
        CHECK_V3(column3(m, "bush.value", t), m33_mul_v(R, e), 1e-7);
    }
    const double com[3] = {0.1, -0.2, 0.3};
    for (int i = 0; i < 3; i++) CHECK_NEAR(G->at[0][i], com[i], 0); // default: mass centre
    CHECK(F->body[0] == FLX_BODY_GROUND && F->body[1] == 0 && G->body[0] == 0 && G->body[1] == 1);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int in_the_plane(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = pose_read(
        ctx,
        "flexion: 1\n"
        "dimension: 2\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 2, com: [0.1, -0.2], inertia: 1, orientation: 7, points: {p: "
        "[0.5, 0.4]}}\n"
        "  b: {type: rigid, mass: 2, inertia: 1, position: a.p, orientation: 1}\n"
        "joints:\n"
        "  hinge: {type: revolute, on: [a, b], at: a.p}\n"
        "  rail: {type: prismatic, on: [a, b], at: b, axis: [3, 4]}\n"
        "forces:\n"
        "  bush: {type: bushing, on: [a, b], at: a.p, stiffness: [1, 2, 3], damping: [3, 2, 1]}\n"
        "  T: {type: torque, on: [a, b], value: t*hinge.rate}\n"
        "  F: {type: force, on: a, value: [1, t], frame: body}\n"
        "simulate: {until: 1}\n"
        "outputs: {signals: [a.p.position, a.p.velocity, a.angle, a.rate, hinge.angle, "
        "hinge.rate,\n"
        "  rail.displacement, rail.rate, bush.value, bush.moment, a.ex, a.ey, T.value, F.value, "
        "hinge.rotation,\n"
        "  a.orientation, T.power, bush.power]}\n");
    CHECK(m);
    int checked = 0;
    CHECK(check_rates(m, 0.3, &checked) == 0);
    CHECK(checked >= 20);
    CHECK_NEAR(m->bodies[0].angle, 7, 0);
    double t = 0.8;
    const double p[3] = {0.5, 0.4, 0};
    CHECK_NEAR(pose_value(m, "a.p.position.x", t), pose_point(m, 0, p, t).x, 1e-14);
    CHECK_NEAR(pose_value(m, "a.p.position.y", t), pose_point(m, 0, p, t).y, 1e-14);
    CHECK_NEAR(pose_value(m, "a.angle", t), pose_phi(0, t, 0), 0);
    // zero initially: the second at 1, the first at 7
    CHECK_NEAR(pose_value(m, "hinge.angle", t), pose_phi(1, t, 0) - pose_phi(0, t, 0) + 6, 1e-14);
    CHECK_NEAR(pose_value(m, "a.ey.x", t), -sin(pose_phi(0, t, 0)), 1e-14);
    CHECK_NEAR(pose_value(m, "T.value", t), t * (pose_phi(1, t, 1) - pose_phi(0, t, 1)), 1e-14);
    const flx_joint *rail = pose_joint(m, "rail");
    v3 drawn = m33_mul_v(m33_load(m->bodies[0].R), v3_load(rail->axis[0]));
    CHECK_V3(drawn, v3_make(0.6, 0.8, 0), 1e-14);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(rates_of_all_columns), TEST(bodies_and_points), TEST(joint_frames),
          TEST(joint_coordinates), TEST(joint_angles), TEST(forces), TEST(in_the_plane))
