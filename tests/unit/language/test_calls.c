// test_calls.c - models made by calls: each call says what its file would say, wrong calls are refused by name and
// change nothing.
#include "calls_rig.h"

// The description is this text.
static int says(const char *text)
{
    const char *own = flx_model_write_text(m);
    if (own && strcmp(own, text) == 0) return 0;
    printf("expected:\n%s\nfound:\n%s\n", text, own ? own : "(null)");
    return 1;
}

static int planar_items_are_what_a_file_says(void)
{
    begin(2);
    CHECK(flx_model_add_parameter(m, "r", 0.1) == 0);
    CHECK(flx_model_add_parameter_text(m, "l", "3*r") == 1);
    CHECK(flx_model_add_input(m, "torque", 0.0) == 0);
    CHECK(flx_model_set_gravity(m, (flx_vector){.y = {-9.81, NULL}}) == FLX_OK);
    const flx_named_vector points[] = {{"pin", {.x = {0, "r"}}}, {"foot", {.text = NULL}}};
    int crank = flx_model_add_body(m, "crank",
                                   &(flx_body_def){.mass = {1.2, NULL},
                                                   .inertia = {{0.012, NULL}},
                                                   .com = {.x = {0, "0.3*r"}},
                                                   .npoint = 2,
                                                   .points = points,
                                                   .orientation = {.angle = {0.1, NULL}},
                                                   .angular_velocity = {.x = {2, NULL}}});
    int bob = flx_model_add_body(
        m, "bob",
        &(flx_body_def){.type = FLX_POINT, .mass = {1, NULL}, .position = {.text = "crank.pin"}});
    int hinge = flx_model_add_joint(
        m, "motor", &(flx_joint_def){.type = FLX_REVOLUTE, .on = {FLX_GROUND, crank}});
    CHECK(crank > FLX_GROUND && bob > crank && hinge > bob);
    CHECK(flx_model_add_joint(m, "rod",
                              &(flx_joint_def){.type = FLX_DISTANCE,
                                               .on = {crank, bob},
                                               .at = {{.text = "crank.foot"}, {.text = "bob"}},
                                               .length = {0, "r"}}) > 0);
    CHECK(flx_model_add_force(
              m, "drive",
              &(flx_force_def){.type = FLX_TORQUE, .joint = hinge, .value = {.text = "torque"}}) >
          0);
    CHECK(flx_model_add_force(m, "wind",
                              &(flx_force_def){.type = FLX_FORCE,
                                               .on = {bob},
                                               .value = {.x = {2, NULL}, .y = {0, "sin(t)"}}}) > 0);
    CHECK(flx_model_add_force(m, "back",
                              &(flx_force_def){.type = FLX_SPRING,
                                               .on = {bob, FLX_GROUND},
                                               .at = {{.text = "bob"}},
                                               .stiffness = {{5, NULL}},
                                               .length = {0.1, NULL}}) > 0);
    CHECK(flx_model_add_signal(m, "height", "bob.position.y") > 0);
    CHECK(flx_model_add_output(m, "motor.angle", NULL) == 0);
    CHECK(flx_model_add_output(m, "work", "torque*motor.rate") == 1);
    CHECK(flx_model_add_metric(m, "far", "maximum(height)") > 0);
    CHECK(flx_model_simulate(m, &(flx_simulate_def){.until = {2, NULL},
                                                    .method = "radau",
                                                    .every = {0.1, NULL}}) == FLX_OK);
    CHECK(!says(
        "flexion: 1\n"
        "dimension: 2\n"
        "parameters: {r: 0.1, l: 3*r}\n"
        "inputs: {torque: 0}\n"
        "gravity: [0, -9.81]\n"
        "bodies:\n"
        "  crank:\n"
        "    type: rigid\n"
        "    mass: 1.2\n"
        "    inertia: 0.012\n"
        "    com: [0.3*r, 0]\n"
        "    orientation: 0.1\n"
        "    angular_velocity: 2\n"
        "    points: {pin: [r, 0], foot: [0, 0]}\n"
        "  bob: {type: point, mass: 1, position: crank.pin}\n"
        "joints:\n"
        "  motor: {type: revolute, on: [ground, crank], at: [0, 0]}\n"
        "  rod: {type: distance, on: [crank, bob], at: [crank.foot, bob], length: r}\n"
        "forces:\n"
        "  drive: {type: torque, on: motor, value: torque}\n"
        "  wind: {type: force, on: bob, value: [2, sin(t)]}\n"
        "  back: {type: spring, on: [bob, ground], at: [bob, [0, 0]], stiffness: 5, length: 0.1}\n"
        "signals:\n"
        "  height: bob.position.y\n"
        "  work: torque*motor.rate\n"
        "outputs:\n"
        "  signals: [motor.angle, work]\n"
        "  metrics: {far: maximum(height)}\n"
        "  every: 0.1\n"
        "simulate: {until: 2, method: radau}\n"));
    BUILT();
    CHECK(m->nbody == 2 && m->njoint == 2 && m->nforce == 3 && m->ninput == 1);
    CHECK_NEAR(m->bodies[0].com[0], 0.03, 1e-15);
    CHECK(flx_model_item_count(m, FLX_ITEM_BODY) == 2);
    end();
    return 0;
}

static int spatial_items_are_what_a_file_says(void)
{
    begin(3);
    int arm = flx_model_add_body(
        m, "arm",
        &(flx_body_def){.mass = {2, NULL},
                        .inertia = {{1, NULL}, {2, NULL}, {2.5, NULL}, {0.1, NULL}},
                        .orientation = {.axis = {.z = {1, NULL}}, .angle = {0, "30*deg"}},
                        .velocity = {.z = {1, NULL}},
                        .angular_velocity = {.text = "[0, 0, 3]"}});
    int twin =
        flx_model_add_body(m, "twin", &(flx_body_def){.like = "arm", .position = {.x = {1, NULL}}});
    int ball =
        flx_model_add_body(m, "ball", &(flx_body_def){.like = "arm", .position = {.x = {5, NULL}}});
    int a =
        flx_model_add_joint(m, "a",
                            &(flx_joint_def){.type = FLX_REVOLUTE,
                                             .on = {FLX_GROUND, arm},
                                             .axis = {.z = {1, NULL}},
                                             .initial = {.angle = {0.2, NULL}, .rate = {1, NULL}},
                                             .friction = {.coefficient = {0.1, NULL},
                                                          .radius = {0.02, NULL},
                                                          .stick = 1,
                                                          .static_friction = {0.2, NULL}}});
    int b = flx_model_add_joint(m, "b",
                                &(flx_joint_def){.type = FLX_CYLINDRICAL,
                                                 .on = {FLX_GROUND, twin},
                                                 .at = {{.x = {1, NULL}}},
                                                 .axis = {.z = {1, NULL}},
                                                 .motion = {.angle = {0, "t"}},
                                                 .limits = {{.coordinate = "displacement",
                                                             .lower = {-1, NULL},
                                                             .upper = {0, "2*1"},
                                                             .stiffness = {100, NULL},
                                                             .exponent = {2, NULL},
                                                             .damping = {0.1, NULL}}}});
    CHECK(flx_model_add_joint(
              m, "g", &(flx_joint_def){.type = FLX_GEAR, .on = {a, b}, .ratio = {-2, NULL}}) > 0);
    CHECK(flx_model_add_force(m, "bush",
                              &(flx_force_def){.type = FLX_BUSHING,
                                               .on = {arm, twin},
                                               .stiffness = {{1, NULL}, {2, NULL}, {3, NULL}}}) >
          0);
    CHECK(flx_model_add_force(m, "spin",
                              &(flx_force_def){.type = FLX_TORQUE,
                                               .on = {arm},
                                               .value = {.x = {4, NULL}},
                                               .axis = {.y = {1, NULL}},
                                               .dissipative = 1}) > 0);
    CHECK(flx_model_add_force(m, "pull",
                              &(flx_force_def){.type = FLX_EXPRESSION,
                                               .on = {twin},
                                               .value = {.x = {1, NULL}},
                                               .torque = {.z = {0, "t"}},
                                               .frame = "body"}) > 0);
    CHECK(flx_model_add_force(
              m, "floor",
              &(flx_force_def){.type = FLX_CONTACT,
                               .on = {FLX_GROUND, ball},
                               .law = "hunt-crossley",
                               .surfaces = {{.plane = {.z = {1, NULL}}, .at = {.z = {-3, NULL}}},
                                            {.sphere = {0.1, NULL}}},
                               .stiffness = {{1e6, NULL}},
                               .restitution = {0.7, NULL},
                               .friction = {.coefficient = {0.3, NULL}, .velocity = {0, "1e-3"}}}) >
          0);
    CHECK(flx_model_add_variable(
              m, "x", &(flx_variable_def){.initial = {1, NULL}, .force = {0, "-4*x + u"}}) > 0);
    CHECK(flx_model_add_variable(
              m, "y",
              &(flx_variable_def){.rate = {1, NULL}, .mass = {2, NULL}, .force = {0, "-y"}}) > 0);
    CHECK(flx_model_add_state(m, "z",
                              &(flx_state_def){.mass = FLX_ZERO, .derivative = {0, "z - x"}}) > 0);
    CHECK(flx_model_add_discrete(m, "u", 0) > 0);
    CHECK(flx_model_add_constraint(
              m, "tie",
              &(flx_constraint_def){.value = {0, "y - 0.1*x"}, .compliance = {1e-3, NULL}}) > 0);
    const flx_named_value set[] = {{"u", {0, "-x'"}}, {"x'", {0, NULL}}};
    CHECK(flx_model_add_event(m, "tick",
                              &(flx_event_def){.every = {0.1, NULL}, .nset = 2, .set = set}) > 0);
    CHECK(flx_model_add_event(m, "done", &(flx_event_def){.when = "x < -2", .stop = 1}) > 0);
    const char *const args[] = {"s"};
    const double at[] = {0, 1, 2}, of[] = {0, 0.5, -1};
    CHECK(flx_model_add_function(
              m, "step5",
              &(flx_function_def){
                  .narg = 1, .args = args, .value = {.text = "s^3*(10 - 15*s + 6*s^2)"}}) > 0);
    CHECK(flx_model_add_function(m, "road",
                                 &(flx_function_def){.npoint = 3,
                                                     .x = at,
                                                     .y = of,
                                                     .interpolation = "cubic",
                                                     .extrapolation = "linear"}) > 0);
    CHECK(flx_model_add_beam(
              m, "cable",
              &(flx_beam_def){.from = {.x = {2, NULL}},
                              .to = {.x = {3, NULL}},
                              .elements = 2,
                              .section = {.EA = {1e4, NULL}, .EI = {{1, NULL}}, .mass = {1, NULL}},
                              .damping = {.ratio = {0.01, NULL}}}) > 0);
    const flx_vector line[] = {{.text = NULL}, {.x = {1, NULL}}};
    const char *const ends[] = {"start", "end"};
    CHECK(flx_model_add_flexible(
              m, "rod",
              &(flx_flexible_def){.nline = 2,
                                  .line = line,
                                  .elements = 4,
                                  .section = {.width = {0.01, NULL}, .height = {0.02, NULL}},
                                  .material = {.E = {2.1e11, NULL}, .density = {7850, NULL}},
                                  .reduction = "craig-bampton",
                                  .modes = 2,
                                  .ninterface = 2,
                                  .interfaces = ends,
                                  .stiffening = 1,
                                  .position = {.y = {5, NULL}}}) > 0);
    CHECK(flx_model_add_analysis(m, "rest", &(flx_analysis_def){.type = FLX_EQUILIBRIUM}) > 0);
    CHECK(flx_model_add_analysis(
              m, "weave", &(flx_analysis_def){.type = FLX_MODES, .about = "rest", .count = 4}) > 0);
    CHECK(flx_model_add_parameter(m, "k", 0) == 0);
    CHECK(flx_model_add_sweep(m, "k", 3, at) == FLX_OK);
    CHECK(!says(
        "flexion: 1\n"
        "dimension: 3\n"
        "bodies:\n"
        "  arm:\n"
        "    type: rigid\n"
        "    mass: 2\n"
        "    inertia: [1, 2, 2.5, 0.1, 0, 0]\n"
        "    orientation: {axis: [0, 0, 1], angle: 30*deg}\n"
        "    velocity: [0, 0, 1]\n"
        "    angular_velocity: \"[0, 0, 3]\"\n"
        "  twin: {like: arm, position: [1, 0, 0]}\n"
        "  ball: {like: arm, position: [5, 0, 0]}\n"
        "  cable:\n"
        "    type: beam\n"
        "    from: [2, 0, 0]\n"
        "    to: [3, 0, 0]\n"
        "    elements: 2\n"
        "    section: {EA: 10000, EI: 1, mass: 1}\n"
        "    damping: {ratio: 0.01}\n"
        "  rod:\n"
        "    type: flexible\n"
        "    fe:\n"
        "      line: [[0, 0, 0], [1, 0, 0]]\n"
        "      elements: 4\n"
        "      section: {width: 0.01, height: 0.02}\n"
        "      material: {E: 210000000000, density: 7850}\n"
        "    reduce: {type: craig-bampton, modes: 2, interfaces: [start, end]}\n"
        "    stiffening: true\n"
        "    position: [0, 5, 0]\n"
        "joints:\n"
        "  a:\n"
        "    type: revolute\n"
        "    on: [ground, arm]\n"
        "    at: [0, 0, 0]\n"
        "    axis: [0, 0, 1]\n"
        "    initial: {angle: 0.2, rate: 1}\n"
        "    friction: {coefficient: 0.1, radius: 0.02, stick: true, static: 0.2}\n"
        "  b:\n"
        "    type: cylindrical\n"
        "    on: [ground, twin]\n"
        "    at: [1, 0, 0]\n"
        "    axis: [0, 0, 1]\n"
        "    motion: {angle: t}\n"
        "    limits:\n"
        "      coordinate: displacement\n"
        "      lower: -1\n"
        "      upper: 2*1\n"
        "      stiffness: 100\n"
        "      exponent: 2\n"
        "      damping: 0.1\n"
        "  g: {type: gear, on: [a, b], ratio: -2}\n"
        "forces:\n"
        "  bush: {type: bushing, on: [arm, twin], at: [0, 0, 0], stiffness: [1, 2, 3]}\n"
        "  spin: {type: torque, on: arm, value: 4, axis: [0, 1, 0], dissipative: true}\n"
        "  pull: {type: expression, on: twin, force: [1, 0, 0], torque: [0, 0, t], frame: body}\n"
        "  floor:\n"
        "    type: contact\n"
        "    on: [ground, ball]\n"
        "    stiffness: 1000000\n"
        "    law: hunt-crossley\n"
        "    surfaces: [{plane: [0, 0, 1], at: [0, 0, -3]}, {sphere: 0.1}]\n"
        "    restitution: 0.7\n"
        "    friction: {coefficient: 0.3, velocity: 1e-3}\n"
        "equations:\n"
        "  second_order: {x: {at: 1, force: -4*x + u}, y: {rate: 1, mass: 2, force: -y}}\n"
        "  first_order: {z: {mass: 0, derivative: z - x}}\n"
        "  discrete: {u: {at: 0}}\n"
        "  constraints: {tie: {value: y - 0.1*x, compliance: 0.001}}\n"
        "events:\n"
        "  tick: {every: 0.1, set: {u: -x', x': 0}}\n"
        "  done: {when: x < -2, stop: true}\n"
        "functions:\n"
        "  step5: {of: [s], value: s^3*(10 - 15*s + 6*s^2)}\n"
        "  road: {points: [[0, 0], [1, 0.5], [2, -1]], interpolation: cubic, extrapolation: "
        "linear}\n"
        "analyse:\n"
        "  rest: {type: equilibrium}\n"
        "  weave: {type: modes, about: rest, count: 4}\n"
        "parameters: {k: 0}\n"
        "sweep: {parameters: {k: [0, 1, 2]}}\n"));
    BUILT();
    end();
    return 0;
}

static int turns_of_space_are_refused_in_the_plane(void)
{
    begin(2);
    const flx_orientation turns[] = {{.axis = {.z = {1, NULL}}},
                                     {.x = {.y = {1, NULL}}},
                                     {.y = {.x = {1, NULL}}},
                                     {.quaternion = {{1, NULL}}}};
    for (int i = 0; i < 4; i++) {
        REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.orientation = turns[i]}),
                "bodies.c.orientation", "one number: angle");
    }
    end();
    return 0;
}

static int wrong_calls_are_refused_and_change_nothing(void)
{
    begin(3);
    const flx_body_def ball = {.type = FLX_POINT, .mass = {1, NULL}};
    int a = flx_model_add_body(m, "a", &ball), b = flx_model_add_body(m, "b", &ball);
    int rod = flx_model_add_joint(m, "rod",
                                  &(flx_joint_def){.type = FLX_DISTANCE,
                                                   .on = {a, b},
                                                   .at = {{.text = "a"}, {.text = "b"}},
                                                   .length = {1, NULL}});
    char before[2000];
    snprintf(before, sizeof before, "%s", flx_model_write_text(m));

    CHECK(flx_model_add_body(NULL, "c", &ball) == FLX_ERR_ARGUMENT);
    CHECK(flx_model_set(NULL, "gravity", 1) == FLX_ERR_ARGUMENT);
    CHECK(flx_model_check(NULL) == FLX_ERR_ARGUMENT && !flx_model_write_text(NULL));
    CHECK(flx_model_kind(NULL, "a") == 0 && flx_model_count(m, NULL) == 0 &&
          !flx_model_get_text(m, "..") && !flx_model_key(m, "bodies", 7));
    REFUSED(flx_model_add_body(m, NULL, &ball), "bodies.\"\"", "it has no name");
    REFUSED(flx_model_add_body(m, "", &ball), "bodies.\"\"", "it has no name");
    REFUSED(flx_model_add_body(m, "c", NULL), "bodies.c", "its definition is NULL");
    REFUSED(flx_model_add_body(m, "a", &ball), "bodies.a", "'a' is there already");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.type = 7}), "bodies.c.type",
            "7 is none of the choices");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.size = 3}), "bodies.c",
            "size of its definition");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.mass = {(double)NAN, NULL}}),
            "bodies.c.mass", "is nan");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.position = {.y = {HUGE_VAL, NULL}}}),
            "bodies.c.position", "infinite");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.mass = {0, ""}}), "bodies.c.mass", "empty");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.mass = {0, "1\a"}}), "bodies.c.mass",
            "control");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.mass = {0, "1\xff"}}), "bodies.c.mass",
            "UTF-8");
    REFUSED(flx_model_add_body(m, "c", &(flx_body_def){.npoint = 1}), "bodies.c.points",
            "array is NULL");
    REFUSED(flx_model_add_joint(m, "j", &(flx_joint_def){.on = {a, b}}), "joints.j.type",
            "it is not given");
    REFUSED(flx_model_add_joint(m, "j", &(flx_joint_def){.type = FLX_FIXED, .on = {a}}),
            "joints.j.on", "0 is no id of this model");
    REFUSED(flx_model_add_joint(m, "j", &(flx_joint_def){.type = FLX_FIXED, .on = {a, rod}}),
            "joints.j.on", "'rod' is one of 'joints'; an id of 'bodies' is needed");
    REFUSED(
        flx_model_add_joint(m, "j", &(flx_joint_def){.type = FLX_GEAR, .on = {FLX_GROUND, rod}}),
        "joints.j.on", "an id of 'joints' is needed");
    REFUSED(
        flx_model_add_joint(m, "j", &(flx_joint_def){.type = FLX_FIXED, .on = {a, FLX_ERR_MODEL}}),
        "joints.j.on", "is no id");
    REFUSED(flx_model_add_force(
                m, "f",
                &(flx_force_def){
                    .type = FLX_TORQUE, .joint = rod, .on = {a}, .value = {.x = {1, NULL}}}),
            "forces.f.on", "not on both");
    REFUSED(flx_model_add_force(
                m, "f",
                &(flx_force_def){.type = FLX_ACTUATOR, .on = {a, b}, .value = {.y = {1, NULL}}}),
            "forces.f.value", "a number here");
    struct {
        flx_body_def known;
        double later[4];
    } newer = {.known = ball};
    newer.known.size = sizeof newer;
    int late = flx_model_add_body(m, "late", &newer.known); // nothing of the later members is given
    CHECK(late > 0 && flx_model_remove(m, "bodies.late") == FLX_OK);
    newer.later[2] = 1;
    REFUSED(flx_model_add_body(m, "c", &newer.known), "bodies.c", "later version");
    REFUSED(flx_model_add_signal(m, "s", NULL), "signals.s", "NULL");
    REFUSED(flx_model_add_function(m, "f", &(flx_function_def){.npoint = 2}), "functions.f.points",
            "array is NULL");
    REFUSED(flx_model_add_event(m, "e", &(flx_event_def){.nset = 1}), "events.e.set",
            "array is NULL");
    REFUSED(flx_model_add_sweep(m, "k", 0, NULL), "sweep.parameters.k", "no values");
    REFUSED(flx_model_add_parameter(m, "p", (double)NAN), "parameters.p", "nan");
    REFUSED(flx_model_set_gravity(m, (flx_vector){.z = {(double)NAN, NULL}}), "gravity", "nan");
    REFUSED(flx_model_simulate(m, &(flx_simulate_def){.step = {(double)NAN, NULL}}),
            "simulate.step", "nan");
    REFUSED(flx_model_name(m, NULL), "", "missing");
    // paths
    REFUSED(flx_model_set(m, "bodies..mass", 1), "bodies..mass", "this is no path");
    REFUSED(flx_model_set(m, NULL, 1), "", "this is no path");
    REFUSED(flx_model_set(m, "bodies.a[", 1), "bodies.a[", "this is no path");
    REFUSED(flx_model_set(m, "bodies.\"a", 1), "bodies.\"a", "this is no path");
    REFUSED(flx_model_set(m, "bodies.a.mass.x", 1), "bodies.a.mass",
            "here is a text, not a mapping that could have 'x'");
    REFUSED(flx_model_set(m, "bodies[0]", 1), "bodies", "here is a mapping, not a list");
    REFUSED(flx_model_set(m, "joints.rod.on[3]", 1), "joints.rod.on", "the list has 2 items");
    REFUSED(flx_model_set(m, "gravity[1]", 1), "gravity[1]", "a list begins with [0]");
    REFUSED(flx_model_set_text(m, "title", NULL), "title", "NULL");
    REFUSED(flx_model_set_list(m, "gravity", 3, NULL), "gravity", "missing");
    REFUSED(flx_model_remove(m, "bodies.c"), "bodies.c", "nothing to remove");
    CHECK(strcmp(before, flx_model_write_text(m)) == 0);
    // the model is not built, although all that is there is right, until its user knows
    CHECK(flx_model_check(m) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(ctx) == FLX_MAX_ERRORS - 2); // the first, and of the same one
    CHECK(strcmp(flx_ctx_error(ctx, 1)->path, "bodies.c") == 0);
    flx_model_forgive(m);
    flx_ctx_clear_messages(ctx);
    BUILT();
    end();
    return 0;
}

// Without memory a name is refused; the ground, which comes first, is not taken for it.
static int names_without_memory_are_refused(void)
{
    int id = 0, refused = 0;
    for (long k = 0; id <= 0; k++) {
        begin(2);
        flx_ctx_fail_allocation(ctx, k);
        id = flx_model_name(m, "crank");
        flx_ctx_fail_allocation(ctx, -1);
        CHECK(id == FLX_ERR_MEMORY || id > FLX_GROUND);
        refused += id < 0;
        end();
    }
    CHECK(refused > 0);
    return 0;
}

// A belt, a muscle, a tyre and a segment, each with the keys that its file would have.
static int lines_tyres_and_segments(void)
{
    static const char *const belt[] = {"[0, 0, 1]", "leg.distal"};
    begin(3);
    int leg = flx_model_add_segment(m, "leg",
                                    &(flx_segment_def){.segment = "thigh",
                                                       .table = "de-leva-male",
                                                       .body_mass = {73, NULL},
                                                       .length = {0.42, NULL}});
    CHECK(leg > FLX_GROUND);
    CHECK(flx_model_add_cable(m, "belt",
                              &(flx_cable_def){.nplace = 2,
                                               .through = belt,
                                               .stiffness = {5e4, NULL},
                                               .damping = {0.25, NULL}}) > 0);
    CHECK(flx_model_add_muscle(m, "vasti",
                               &(flx_muscle_def){.nplace = 2,
                                                 .through = belt,
                                                 .force = {5000, NULL},
                                                 .fibre = {0.08, NULL},
                                                 .tendon = {0.9, NULL},
                                                 .excitation = {0, "0.1 + t"}}) > 0);
    CHECK(flx_model_add_tyre(
              m, "tyre",
              &(flx_tyre_def){.wheel = leg,
                              .radius = {0.31, NULL},
                              .stiffness = {2e5, NULL},
                              .law = "magic",
                              .longitudinal = {{12, NULL}, {1.65, NULL}, {1.05, NULL}, {0.6, NULL}},
                              .lateral = {{10, NULL}, {1.3, NULL}, {1, NULL}, {-0.5, NULL}},
                              .relaxation = {{0.2, NULL}, {0.4, NULL}}}) > 0);
    const char *text = flx_model_write_text(m);
    CHECK(text && strstr(text, "segment: {name: thigh, table: de-leva-male, body_mass: 73, length: 0.42}"));
    CHECK(strstr(text, "type: cable, through: [") && strstr(text, "leg.distal], stiffness: "));
    CHECK(strstr(text, "longitudinal: {B: 12, C: 1.65, D: 1.05, E: 0.6}"));
    flx_system *s = NULL;
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK);
    flx_system_destroy(&s);
    CHECK(flx_model_add_cable(m, "slack", &(flx_cable_def){.nplace = 1, .through = belt}) < 0);
    flx_ctx_clear_messages(ctx);
    end();
    return 0;
}

TEST_MAIN(TEST(lines_tyres_and_segments), TEST(names_without_memory_are_refused), TEST(planar_items_are_what_a_file_says),
          TEST(spatial_items_are_what_a_file_says), TEST(turns_of_space_are_refused_in_the_plane),
          TEST(wrong_calls_are_refused_and_change_nothing))
