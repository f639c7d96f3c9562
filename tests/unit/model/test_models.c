// The models of tests/models: counts, places, names, and values of nodes against formulae.
#include "joint/joint.h"
#include "pose.h"

static flx_ctx *ctx;

static flx_model *open_model(const char *name)
{
    char path[500];
    flx_model *m = NULL;
    snprintf(path, sizeof path, "%s/models/%s.yaml", FLX_TESTS, name);
    ctx = flx_ctx_create();
    if (flx_model_read(ctx, path, 0, NULL, &m) != FLX_OK) {
        for (int i = 0; i < flx_ctx_error_count(ctx); i++) {
            const flx_message *e = flx_ctx_error(ctx, i);
            if (e) printf("%s:%d:%d: %s\n", name, e->loc.line, e->loc.column, e->text);
        }
    }
    return m;
}

static int close_model(flx_model *m)
{
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Every model is read; what it needs and is not there yet is named.
static int all_are_read(void)
{
    static const struct {
        const char *name;
        int bodies, joints, forces, variables, states, columns, unavailable;
    } expected[] = {
        {"01-andrews-bodies", 7, 10, 2, 0, 0, 14, 0},
        {"02-andrews-equations", 0, 0, 0, 7, 0, 11, 0},
        {"03-car-axis", 3, 3, 2, 0, 0, 8, 0},
        {"04-bricard", 5, 6, 0, 0, 0, 11, 0},
        {"05-spatial-slider-crank", 3, 4, 0, 0, 0, 11, 0},
        {"06-rolling-coin", 1, 1, 0, 0, 0, 17, 0},
        {"07-whipple-bicycle", 4, 5, 1, 0, 0, 14, 0},
        {"08-mobot", 3, 0, 7, 0, 4, 11, 0},
        {"09-rod-pendulum", 1, 0, 1, 0, 0, 10, 0},
        {"10-gymnast", 16, 0, 42, 0, 0, 14, 0},
        {"11-four-bar-modal", 3, 4, 0, 4, 0, 8, 0},
        {"12-sid-spin-up", 1, 1, 0, 2, 0, 11, 0},
        {"13-ancf-cable", 52, 3, 51, 0, 0, 20, 0}, // 25 nodes with their slopes
        {"14-stewart-platform", 13, 18, 6, 0, 0, 19, 0},
        {"15-seven-axis-arm", 7, 7, 7, 0, 0, 16, 0},
        {"16-bouncing-ball", 2, 0, 2, 1, 0, 8, 0}, // two contacts, events
        {"17-sweep", 3, 3, 2, 0, 0, 2, 0},
        {"18-chain-50", 50, 50, 49, 0, 0, 57, 0},
        {"19-vehicle", 9, 8, 12, 0, 0, 24, 0},
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        flx_model *m = open_model(expected[i].name);
        CHECK(m);
        bool same = m->nbody == expected[i].bodies && m->njoint == expected[i].joints &&
                    m->nforce == expected[i].forces && m->nvariable == expected[i].variables &&
                    m->nstate == expected[i].states && m->outputs.ncolumn == expected[i].columns &&
                    flx_model_unavailable_count(m) == expected[i].unavailable;
        if (!same) {
            printf("%s: %d bodies, %d joints, %d forces, %d variables, %d states, %d columns, %d "
                   "unavailable\n",
                   expected[i].name, m->nbody, m->njoint, m->nforce, m->nvariable, m->nstate,
                   m->outputs.ncolumn, m->nunavailable);
        }
        CHECK(same);
        // every column of a model whose physics is there can be computed
        for (int k = 0; k < m->outputs.ncolumn; k++) {
            CHECK(isfinite(pose_eval(m, m->outputs.columns[k].node, 0.3)));
        }
        close_model(m);
    }
    return 0;
}

static int andrews(void)
{
    flx_model *m = open_model("01-andrews-bodies");
    CHECK(m);
    const double be = -0.06171389001427645;
    const flx_body *K2 = pose_body(m, "K2"), *K4 = pose_body(m, "K4");
    CHECK_NEAR(K2->position[0], 0.007 * cos(be), 1e-17);
    CHECK_NEAR(K2->position[1], 0.007 * sin(be), 1e-17);
    CHECK_NEAR(K2->mass, 0.00365, 0);
    CHECK_NEAR(K2->inertia[8], 4.41e-7, 0);
    CHECK_NEAR(K4->angle, 0.22266839016588588 + 0.48736497954384256, 1e-16);
    CHECK_NEAR(K4->com[1], -(0.02 - 0.01421), 1e-17);
    const flx_joint *F3 = pose_joint(m, "F3");
    CHECK(F3->body[0] == 1 && F3->body[1] == 2); // both ends as named
    CHECK_NEAR(F3->at[0][0], -0.028, 0);
    CHECK_NEAR(F3->at[1][1], -0.035, 0);
    const flx_force *motor = pose_force(m, "motor");
    CHECK(motor->kind == &flx_force_wrench && motor->body[1] == 0);
    CHECK_NEAR(pose_eval(m, motor->torque[2], 0), 0.033, 0);
    const flx_simulate *s = &m->simulate;
    CHECK(strcmp(s->method, "radau") == 0 && s->def.stages == 3);
    CHECK(s->def.formulation == FLX_FORMULATION_GGL && s->def.step == 0);
    CHECK_NEAR(s->def.rtol, 1e-9, 0);
    CHECK_NEAR(s->until, 0.03, 0);
    CHECK_NEAR(m->outputs.every, 1e-3, 0);
    return close_model(m);
}

static int andrews_as_equations(void)
{
    flx_model *m = open_model("02-andrews-equations");
    CHECK(m);
    CHECK(m->ncoupling == 3 && m->nconstraint == 6);
    CHECK(m->couplings[0].i == 0 && m->couplings[0].j == 1);
    CHECK(!m->constraints[0].velocity_level);
    CHECK(strcmp(m->constraints[0].name, "F3x") == 0);
    double t = 0.4, be = sin(t), th = sin(t + 1), ga = sin(t + 2), dth = cos(t + 1), dbe = cos(t);
    double mass = 0.04325 * 0.00092 * 0.00092 +
                  0.00365 * (0.007 * 0.007 - 2 * 0.0115 * 0.007 * cos(th) + 0.0115 * 0.0115) +
                  2.194e-6 + 4.41e-7;
    CHECK_REL(pose_eval(m, m->variables[0].mass, t), mass, 1e-14);
    CHECK_REL(pose_eval(m, m->variables[0].force, t),
              0.033 - 0.00365 * 0.0115 * 0.007 * dth * (dth + 2 * dbe) * sin(th), 1e-14);
    double Fx = 0.007 * cos(be) - 0.028 * cos(be + th);
    CHECK_NEAR(pose_eval(m, m->constraints[0].value, t), Fx - 0.035 * sin(ga) + 0.03635, 1e-16);
    CHECK_NEAR(m->variables[2].at, 0.45527981916307037, 0);
    CHECK_NEAR(pose_value(m, "be'", t), dbe, 0);
    return close_model(m);
}

static int car_axis(void)
{
    flx_model *m = open_model("03-car-axis");
    CHECK(m);
    CHECK_NEAR(pose_body(m, "left")->mass, 10 * 0.01 * 0.01 / 2, 1e-18);
    CHECK(pose_body(m, "base")->mass == 0);
    const flx_joint *road = pose_joint(m, "road"), *axle = pose_joint(m, "axle");
    CHECK(road->motion == FLX_MOTION_ANGLE && road->coordinate >= 0);
    CHECK_NEAR(pose_eval(m, road->motion_value, 0.2), asin(0.1 * sin(2.0)), 1e-16);
    CHECK_NEAR(axle->length, 1, 0);
    CHECK_NEAR(m->gravity[1], -1, 0);
    return close_model(m);
}

static int coin(void)
{
    flx_model *m = open_model("06-rolling-coin");
    CHECK(m);
    const flx_joint *roll = pose_joint(m, "roll");
    CHECK(roll->has_axis);
    CHECK_NEAR(roll->radius, 0.01, 0);
    CHECK_NEAR(roll->axis[1][0], 1, 1e-16); // in the coin's own axes
    CHECK_NEAR(roll->normal[2], 1, 0);
    const double c[3] = {0, 0, 0}, ex[3] = {1, 0, 0};
    double t = 0.6;
    v3 a = pose_direction(m, 0, ex, t), n = v3_make(0, 0, 1);
    v3 up = v3_unit(v3_sub(n, v3_scale(v3_dot(n, a), a)));
    v3 touch = v3_sub(pose_point(m, 0, c, t), v3_scale(0.01, up));
    CHECK_NEAR(pose_value(m, "roll.contact.x", t), touch.x, 1e-15);
    CHECK_NEAR(pose_value(m, "roll.contact.z", t), touch.z, 1e-15);
    return close_model(m);
}

static int spatial_crank(void)
{
    flx_model *m = open_model("05-spatial-slider-crank");
    CHECK(m);
    const flx_body *rod = pose_body(m, "rod");
    v3 x = v3_unit(v3_make(0.2, -0.1, -0.2));
    CHECK_V3(m33_col(m33_load(rod->R), 0), x, 1e-16);
    CHECK_NEAR(v3_dot(m33_col(m33_load(rod->R), 1), x), 0, 1e-16);
    CHECK_NEAR(rod->position[0], 0.1, 1e-17);
    const flx_joint *cross = pose_joint(m, "cross");
    CHECK(cross->kind == &flx_joint_UNIVERSAL && cross->body[0] == 2 && cross->body[1] == 1);
    CHECK_NEAR(cross->axis[0][0], 1, 0);
    double c = cross->axis[1][0]; // the second axis was given not quite across the rod
    CHECK(fabs(c) < 1e-7);
    return close_model(m);
}

static int mobot(void)
{
    flx_model *m = open_model("08-mobot");
    CHECK(m);
    const flx_force *leg = pose_force(m, "leg(1)(2)");
    CHECK(leg && leg->kind == &flx_force_actuator && leg->body[0] == 0 && leg->body[1] == 2);
    double t = 1.4, p = 15 * acos(-1) / 180; // after the switch
    const double R[3] = {-1, 0, 0}, foot[3] = {0, 0, 0};
    v3 way = v3_sub(pose_point(m, 2, foot, t), pose_point(m, 0, R, t));
    double length = v3_norm(way);
    v3 d = v3_make(0.6 + cos(p), -(0.8 - sin(p)), 0);
    double err = length - v3_norm(d), integral = cos(2 * t + 1); // I(1)(2) is the second state
    v3 w = v3_sub(pose_point(m, 2, foot, t + 1e-6), pose_point(m, 0, R, t + 1e-6));
    v3 u = v3_sub(pose_point(m, 2, foot, t - 1e-6), pose_point(m, 0, R, t - 1e-6));
    double rate = (v3_norm(w) - v3_norm(u)) / 2e-6;
    CHECK_REL(pose_eval(m, leg->value, t), 6200 * err + 8000 * integral + 80 * rate, 1e-9);
    CHECK_NEAR(pose_eval(m, m->firsts[1].derivative, t), err, 1e-14);
    CHECK(strcmp(m->firsts[1].name, "I(1)(2)") == 0 && m->firsts[1].number == 1);
    const flx_force *soil = pose_force(m, "soil(2)");
    CHECK(soil->ncomponent == 2 && soil->stiffness[1] == 6000 && soil->damping[0] == 10);
    CHECK_NEAR(soil->at[0][0], 0.6, 0);
    return close_model(m);
}

// A part turned as a whole; functions of frames; names of the part from outside.
static int gymnast(void)
{
    flx_model *m = open_model("10-gymnast");
    CHECK(m);
    const double a = 175 * acos(-1) / 180, h = 2.0475;
    const flx_body *head = pose_body(m, "man.head");
    double y = 1.7414 - 0.5002 * 0.2429;
    CHECK_NEAR(head->position[0], h * sin(a) - sin(a) * y, 1e-14);
    CHECK_NEAR(head->position[1], 2.8 - h * cos(a) + cos(a) * y, 1e-14);
    CHECK_NEAR(head->R[0], cos(a), 1e-15);
    // the hands hang on the bar
    const flx_force *grip = pose_force(m, "grip(2)");
    const flx_body *hand = &m->bodies[grip->body[1]];
    v3 knuckle =
        v3_add(v3_load(hand->position), m33_mul_v(m33_load(hand->R), v3_load(grip->at[1])));
    CHECK(strcmp(hand->name, "man.hand(2)") == 0);
    CHECK_V3(knuckle, v3_make(0, 2.8, 0.18), 1e-4);
    // torque between two bodies, written with functions of frames, the same seen from any axes
    const flx_force *neck = pose_force(m, "man.tone_neck");
    int A = neck->body[0], B = neck->body[1];
    double t = 0.9;
    v3 sum = v3_make(0, 0, 0);
    for (int k = 0; k < 3; k++) {
        const double e[3] = {k == 0, k == 1, k == 2};
        sum = v3_add(sum, v3_cross(pose_direction(m, B, e, t), pose_direction(m, A, e, t)));
    }
    v3 wA = m33_mul_v(pose_R(m, A, t), v3_scale(pose_phi(A, t, 1), pose_axis(A)));
    v3 wB = m33_mul_v(pose_R(m, B, t), v3_scale(pose_phi(B, t, 1), pose_axis(B)));
    v3 torque = v3_scale(5, v3_sub(v3_scale(25, sum), v3_scale(2, v3_sub(wB, wA))));
    CHECK_V3(v3_make(pose_eval(m, neck->torque[0], t), pose_eval(m, neck->torque[1], t),
                     pose_eval(m, neck->torque[2], t)),
             torque, 1e-11);
    // mass centre of the part
    double mass = 0, x = 0;
    for (int i = 0; i < m->nbody; i++) {
        mass += m->bodies[i].mass;
        x += m->bodies[i].mass * pose_place(i, 0, t, 0);
    }
    CHECK_NEAR(pose_value(m, "man.com.position.x", t), x / mass, 1e-13);
    return close_model(m);
}

static int stewart(void)
{
    flx_model *m = open_model("14-stewart-platform");
    CHECK(m);
    for (int i = 1; i <= 6; i++) { // every piston ends at its ball
        char name[40];
        snprintf(name, sizeof name, "top(%d)", i);
        const flx_joint *top = pose_joint(m, name);
        const flx_body *piston = &m->bodies[top->body[0]], *platform = &m->bodies[top->body[1]];
        v3 ball = v3_add(v3_load(platform->position), v3_load(top->at[1]));
        CHECK_V3(v3_load(piston->position), ball, 1e-15);
    }
    const flx_force *servo = pose_force(m, "servo(3)");
    CHECK(servo->kind == &flx_force_effort);
    CHECK(strcmp(m->joints[servo->joint].name, "leg(3).slide") == 0);
    CHECK(m->joints[servo->joint].coordinate >= 0);
    return close_model(m);
}

static int arm_with_starts(void)
{
    flx_model *m = open_model("15-seven-axis-arm");
    CHECK(m);
    const flx_joint *axis = pose_joint(m, "axis(4)");
    CHECK(axis->start_coordinate && axis->start_rate);
    CHECK_NEAR(axis->start_value, -60 * acos(-1) / 180, 1e-15);
    CHECK_NEAR(axis->axis[0][1], -1, 0);
    CHECK(m->simulate.tree);
    return close_model(m);
}

static int governor(void)
{
    flx_model *m = open_model("17-sweep");
    CHECK(m);
    CHECK(m->outputs.nmetric == 3 && m->outputs.nprobe == 3); // one is used twice
    CHECK(m->outputs.probes[0].kind == FLX_MEASURE_FINAL);
    CHECK(m->outputs.probes[2].kind == FLX_MEASURE_RMS);
    const flx_force *coil = pose_force(m, "coil(2)");
    CHECK(coil->kind == &flx_force_joint_spring);
    CHECK_NEAR(coil->stiffness[0], 2, 0);
    CHECK_NEAR(coil->length, 80 * acos(-1) / 180, 1e-15);
    const flx_joint *hinge = pose_joint(m, "hinge(2)"); // axis in the coordinates of its arm
    CHECK_NEAR(hinge->axis[1][1], 1, 1e-15);
    CHECK_NEAR(hinge->axis[0][1], -1, 1e-15);
    CHECK(pose_joint(m, "shaft")->motion == FLX_MOTION_RATE);
    // of the two parameters the second changes first
    CHECK(flx_model_sweep_count(m) == 20);
    CHECK_TEXT(flx_model_sweep_parameter(m, 1), "W");
    CHECK(!flx_model_sweep_parameter(m, 2) && flx_model_sweep_analysis(m, 0) == -1);
    CHECK_NEAR(flx_model_sweep_value(m, 6, 0), 100, 1e-13);
    CHECK_NEAR(flx_model_sweep_value(m, 6, 1), 15, 0);
    CHECK_NEAR(flx_model_sweep_value(m, 19, 0), 800, 0);
    CHECK(isnan(flx_model_sweep_value(m, 20, 0)));
    return close_model(m);
}

static int vehicle(void)
{
    flx_model *m = open_model("19-vehicle");
    CHECK(m);
    const flx_body *wheel = pose_body(m, "corner(2).wheel");
    CHECK_V3(v3_load(wheel->position), v3_make(1.3, -0.75, 0.31), 1e-15);
    CHECK_V3(v3_load(wheel->start.velocity), v3_make(20, 0, 0), 0);
    CHECK_V3(v3_load(wheel->start.angular_velocity), v3_make(0, 20 / 0.31, 0), 1e-13);
    const flx_body *arm = pose_body(m, "corner(2).arm");
    CHECK_NEAR(arm->com[1], -0.2, 1e-16); // the side was given from outside
    const flx_force *stop = pose_force(m, "stop(1)");
    CHECK(stop->kind == &flx_force_actuator);
    double t = 0.5;
    v3 way = v3_sub(pose_point(m, stop->body[1], stop->at[1], t),
                    pose_point(m, stop->body[0], stop->at[0], t));
    double x = v3_norm(way) - 0.5; // far outside the points of the table: held
    CHECK(x > 0.02);
    CHECK_NEAR(pose_eval(m, stop->value, t), 9000, 1e-12);
    return close_model(m);
}

static int chain_of_ten_thousand(void)
{
    ctx = flx_ctx_create();
    static const char text[] =
        "flexion: 1\n"
        "parameters: {N: 10000, l: 0.1, m: 0.2}\n"
        "bodies:\n"
        "  link: {repeat: {i: [1, N]}, type: rigid, mass: m, com: [l/2, 0, 0], inertia: [1e-5, "
        "1e-4, 1e-4],\n"
        "         position: \"if(i > 1, link(max(i - 1, 1)).end, [0, 0, 0])\", points: {end: [l, "
        "0, 0]}}\n"
        "joints:\n"
        "  first: {type: revolute, on: [ground, link(1)], at: [0, 0, 0], axis: [0, 1, 0]}\n"
        "  pin: {repeat: {i: [2, N]}, type: revolute, on: [link(i-1), link(i)], at: link(i),\n"
        "        axis: [0, \"mod(i, 2)\", \"1 - mod(i, 2)\"]}\n"
        "simulate: {until: 1, method: dopri5}\n"
        "outputs: {signals: [energy]}\n";
    clock_t start = clock(); // a busy machine does not count
    flx_model *m = pose_read(ctx, text);
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    CHECK(m);
    CHECK(m->nbody == 10000 && m->njoint == 10000);
    CHECK_NEAR(m->bodies[9999].position[0], 999.9, 1e-9);
    CHECK_NEAR(m->joints[9999].axis[1][1], 0, 0);
    CHECK_NEAR(m->joints[9999].axis[1][2], 1, 0);
    printf("10 000 links in %.2f s\n", seconds);
    CHECK(seconds < 10); // some tenths of a second; a quadratic way takes minutes
    return close_model(m);
}

TEST_MAIN(TEST(all_are_read), TEST(andrews), TEST(andrews_as_equations), TEST(car_axis), TEST(coin),
          TEST(spatial_crank), TEST(mobot), TEST(gymnast), TEST(stewart), TEST(arm_with_starts),
          TEST(governor), TEST(vehicle), TEST(chain_of_ten_thousand))
