// test_calls.c - models made by calls: each call says what its file would say, wrong calls are refused by name and
// change nothing, models can be changed and compiled again.
#include "flexion/flexion.h"

#include "check.h"

#include "model/model.h"

#include <stdlib.h>
#include <unistd.h>

static flx_ctx *ctx;
static flx_model *m;

static void begin(int dimension)
{
    ctx = flx_ctx_create();
    flx_model_create(ctx, dimension, &m);
}

static void end(void)
{
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
}

// The description is this text.
static int says(const char *text)
{
    const char *own = flx_model_write_text(m);
    if (own && strcmp(own, text) == 0) return 0;
    printf("expected:\n%s\nfound:\n%s\n", text, own ? own : "(null)");
    return 1;
}

static int print_errors(void)
{
    const flx_message *e;
    for (int i = 0; (e = flx_ctx_error(ctx, i)) != NULL; i++) printf("%s: %s\n", e->path, e->text);
    return 1;
}

#define BUILT() CHECK(flx_model_check(m) == FLX_OK || !print_errors())

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
    CHECK(flx_model_add_measure(m, "far", "maximum(height)") > 0);
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
        "  measures: {far: maximum(height)}\n"
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
    int a = flx_model_add_joint(
        m, "a",
        &(flx_joint_def){.type = FLX_REVOLUTE,
                         .on = {FLX_GROUND, arm},
                         .axis = {.z = {1, NULL}},
                         .start = {.angle = {0.2, NULL}, .rate = {1, NULL}},
                         .friction = {.coefficient = {0.1, NULL}, .radius = {0.02, NULL}}});
    int b = flx_model_add_joint(m, "b",
                                &(flx_joint_def){.type = FLX_CYLINDRICAL,
                                                 .on = {FLX_GROUND, twin},
                                                 .at = {{.x = {1, NULL}}},
                                                 .axis = {.z = {1, NULL}},
                                                 .motion = {.angle = {0, "t"}}});
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
    CHECK(flx_model_add_variable(
              m, "x", &(flx_variable_def){.initial = {1, NULL}, .force = {0, "-4*x + u"}}) > 0);
    CHECK(flx_model_add_variable(
              m, "y",
              &(flx_variable_def){.rate = {1, NULL}, .mass = {2, NULL}, .force = {0, "-y"}}) > 0);
    CHECK(flx_model_add_state(m, "z",
                              &(flx_state_def){.mass = {0, "0"}, .derivative = {0, "z - x"}}) > 0);
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
    CHECK(flx_model_add_function(
              m, "road",
              &(flx_function_def){
                  .npoint = 3, .x = at, .y = of, .interpolation = "cubic", .outside = "extend"}) >
          0);
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
        "  cable:\n"
        "    type: beam\n"
        "    from: [2, 0, 0]\n"
        "    to: [3, 0, 0]\n"
        "    elements: 2\n"
        "    section: {EA: 10000, EI: 1, mass: 1}\n"
        "    damping: {ratio: 0.01}\n"
        "  rod:\n"
        "    type: modal\n"
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
        "    start: {angle: 0.2, rate: 1}\n"
        "    friction: {coefficient: 0.1, radius: 0.02}\n"
        "  b:\n"
        "    type: cylindrical\n"
        "    on: [ground, twin]\n"
        "    at: [1, 0, 0]\n"
        "    axis: [0, 0, 1]\n"
        "    motion: {angle: t}\n"
        "  g: {type: gear, on: [a, b], ratio: -2}\n"
        "forces:\n"
        "  bush: {type: bushing, on: [arm, twin], at: [0, 0, 0], stiffness: [1, 2, 3]}\n"
        "  spin: {type: torque, on: arm, value: 4, axis: [0, 1, 0], dissipative: true}\n"
        "  pull: {type: expression, on: twin, force: [1, 0, 0], torque: [0, 0, t], frame: body}\n"
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
        "  road: {points: [[0, 0], [1, 0.5], [2, -1]], interpolation: cubic, outside: extend}\n"
        "analyse:\n"
        "  rest: {type: equilibrium}\n"
        "  weave: {type: modes, about: rest, count: 4}\n"
        "parameters: {k: 0}\n"
        "sweep: {parameters: {k: [0, 1, 2]}}\n"));
    BUILT();
    end();
    return 0;
}

// The last message, with its path.
static int last_error(const char *path, const char *text)
{
    const flx_message *e = flx_ctx_error(ctx, flx_ctx_error_count(ctx) - 1);
    if (e && strcmp(e->path, path) == 0 && strstr(e->text, text)) return 0;
    printf("expected %s: %s\nfound    %s: %s\n", path, text, e ? e->path : "", e ? e->text : "");
    return 1;
}

#define REFUSED(call, path, text)                                                                  \
    do {                                                                                           \
        CHECK((int)(call) == FLX_ERR_ARGUMENT);                                                    \
        CHECK(!last_error(path, text));                                                            \
        flx_ctx_clear_messages(ctx);                                                               \
    } while (0)

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

// What only the whole model shows is told when it is built, all of it, by its path; once more where another
// context asked.
static int mistakes_of_the_whole_are_told_by_path(void)
{
    begin(3);
    int a =
        flx_model_add_body(m, "a", &(flx_body_def){.inertia = {{1, NULL}, {1, NULL}, {1, NULL}}});
    flx_model_add_body(m, "b", &(flx_body_def){.type = FLX_POINT, .mass = {0, "k"}});
    flx_model_add_joint(m, "b", &(flx_joint_def){.type = FLX_SPHERICAL, .on = {FLX_GROUND, a}});
    flx_model_set(m, "bodies.a.colour", 3);
    flx_model_add_body(m, "a", NULL); // refused: told as well
    flx_ctx *other = flx_ctx_create();
    flx_system *s = NULL;
    CHECK(flx_system_compile(m, NULL, other, &s) == FLX_ERR_MODEL && !s);
    CHECK(flx_ctx_error_count(other) == 3);
    CHECK(strcmp(flx_ctx_error(other, 0)->path, "bodies.a") == 0);
    CHECK_TEXT(flx_ctx_error(other, 0)->text, "definition is NULL");
    CHECK(flx_system_compile(NULL, NULL, other, &s) == FLX_ERR_ARGUMENT);
    flx_ctx_clear_messages(other);
    flx_model_forgive(m);
    CHECK(flx_model_remove(m, "bodies.a.colour") == FLX_OK);
    CHECK(flx_model_set(m, "bodies.a.mass", 1) == FLX_OK);
    flx_ctx_clear_messages(ctx);
    CHECK(flx_system_compile(m, NULL, other, &s) == FLX_ERR_MODEL);
    CHECK(flx_ctx_error_count(other) >= 1);
    CHECK(strcmp(flx_ctx_error(other, 0)->path, "joints.b") == 0);
    CHECK_TEXT(flx_ctx_error(other, 0)->text, "already the name of a body; a model has one");
    CHECK(flx_ctx_error(other, 0)->loc.line == 0);
    flx_ctx_destroy(&other);
    end();
    return 0;
}

static int lengths(flx_system *s, double *out)
{
    flx_run *r = NULL;
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    CHECK(flx_run_advance(r, 0.1) == FLX_OK);
    int n = 0;
    const double *q = flx_run_view(r, FLX_VIEW_Q, &n);
    *out = q[n - 1];
    flx_run_destroy(&r);
    return 0;
}

// Changed and compiled again, read or made; what was compiled stays what it was, without the model too.
static int models_change_and_are_compiled_again(void)
{
    const char *text = "flexion: 1\nequations: {second_order: {x: {at: 1, force: -k*x}}}\n"
                       "parameters: {k: 4}\nsimulate: {until: 1, method: dopri5, rtol: 1e-10}\n";
    for (int made = 0; made < 2; made++) {
        double x[4];
        flx_system *first = NULL, *second = NULL, *third = NULL;
        begin(3);
        if (made) {
            flx_model_add_variable(m, "x",
                                   &(flx_variable_def){.initial = {1, NULL}, .force = {0, "-k*x"}});
            flx_model_add_parameter(m, "k", 4);
            flx_model_simulate(
                m,
                &(flx_simulate_def){.until = {1, NULL}, .method = "dopri5", .rtol = {1e-10, NULL}});
        } else {
            flx_model_destroy(&m);
            CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 0, NULL, &m) == FLX_OK);
        }
        CHECK(flx_system_compile(m, NULL, ctx, &first) == FLX_OK || !print_errors());
        CHECK(flx_model_set(m, "parameters.k", 9) == FLX_OK);
        CHECK(flx_system_compile(m, NULL, ctx, &second) == FLX_OK);
        CHECK(flx_model_add_variable(
                  m, "y", &(flx_variable_def){.initial = {0, "x0"}, .force = {0, "-x"}}) > 0);
        CHECK(flx_model_add_parameter(m, "x0", 3) == 1);
        CHECK(flx_system_compile(m, NULL, ctx, &third) == FLX_OK || !print_errors());
        CHECK(flx_model_set_text(m, "parameters.k", "nobody") == FLX_OK); // wrong now
        flx_system *fourth = NULL;
        CHECK(flx_system_compile(m, NULL, ctx, &fourth) == FLX_ERR_MODEL && !fourth);
        flx_model_destroy(&m);
        CHECK(!lengths(first, x) && !lengths(second, x + 1) && !lengths(third, x + 2));
        CHECK_NEAR(x[0], cos(2 * 0.1), 1e-9);
        CHECK_NEAR(x[1], cos(3 * 0.1), 1e-9);
        CHECK_NEAR(x[2], 3 + (cos(0.3) - 1) / 9, 1e-9);
        flx_system_destroy(&third);
        flx_system_destroy(&second);
        flx_system_destroy(&first);
        end();
    }
    return 0;
}

// Settings of the reading are part of the description: kept where calls change other things, overruled by a
// call, written.
static int settings_and_calls_agree(void)
{
    const char *text =
        "flexion: 1\nparameters: {k: 4, l: 2*k}\nequations: {second_order: {x: {force: -k*x}}}\n";
    const char *const settings[] = {"k=3*2"};
    ctx = flx_ctx_create();
    CHECK(flx_model_read_text(ctx, "x.yaml", text, strlen(text), 1, settings, &m) == FLX_OK);
    CHECK(m->parameters[1].values[0] == 12);
    CHECK_TEXT(flx_model_write_text(m), "k: 3*2");
    CHECK(flx_model_set(m, "equations.second_order.x.mass", 2) == FLX_OK);
    BUILT();
    CHECK(m->parameters[0].values[0] == 6 && m->parameters[1].values[0] == 12);
    CHECK(flx_model_set(m, "parameters.k", 5) == FLX_OK);
    BUILT();
    CHECK(m->parameters[0].values[0] == 5 && m->parameters[1].values[0] == 10);
    end();
    return 0;
}

// A simulation of a model by calls: its result holds the description, which is a model again.
static int results_hold_the_description(void)
{
    flx_simulation *sim = NULL;
    flx_sink *sink = NULL;
    flx_result *r = NULL;
    flx_model *again = NULL;
    char folder[] = "/tmp/flexion_calls_XXXXXX", path[200];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ball.h5", folder);
    begin(3);
    flx_model_add_body(
        m, "ball",
        &(flx_body_def){.type = FLX_POINT, .mass = {1, NULL}, .velocity = {.x = {2, NULL}}});
    flx_model_add_output(m, "ball.position.x", NULL);
    flx_model_simulate(m, &(flx_simulate_def){.until = {1, NULL}, .every = {0.5, NULL}});
    CHECK(flx_simulation_create(m, &sim) == FLX_OK || !print_errors());
    flx_model_destroy(&m);
    CHECK(flx_hdf5_sink_create(ctx, path, &sink) == FLX_OK);
    CHECK(flx_simulation_run(sim, 1, &sink, NULL, NULL) == FLX_OK || !print_errors());
    flx_sink_destroy(&sink);
    flx_simulation_destroy(&sim);
    CHECK(flx_result_open(ctx, path, &r) == FLX_OK || !print_errors());
    const char *text = flx_result_model(r);
    CHECK_TEXT(text, "ball: {type: point, mass: 1, velocity: [2, 0, 0]}");
    CHECK(flx_model_read_text(ctx, "", text, strlen(text), 0, NULL, &again) == FLX_OK);
    CHECK(again->nbody == 1 && again->bodies[0].mass == 1);
    flx_model_destroy(&again);
    flx_result_close(&r);
    CHECK(remove(path) == 0 && rmdir(folder) == 0);
    end();
    return 0;
}

// What else takes a model takes one that calls made, and were it changed a moment ago.
static int all_that_takes_a_model_takes_one_by_calls(void)
{
    flx_dynamics *d = NULL;
    flx_fe_problem *fe = NULL;
    const flx_export_options options = {.language = FLX_EXPORT_C};
    char path[] = "/tmp/flexion_calls_XXXXXX", text[20000] = "";
    begin(2);
    int rod = flx_model_add_body(
        m, "rod",
        &(flx_body_def){.mass = {1, NULL}, .inertia = {{1, NULL}}, .com = {.x = {1, NULL}}});
    flx_model_add_joint(m, "pin", &(flx_joint_def){.type = FLX_REVOLUTE, .on = {FLX_GROUND, rod}});
    CHECK(flx_dynamics_create(m, &d) == FLX_OK || !print_errors());
    int wheel = flx_model_add_body(
        m, "wheel",
        &(flx_body_def){.mass = {1, NULL}, .inertia = {{1, NULL}}, .position = {.x = {2, NULL}}});
    flx_model_add_joint(
        m, "axle",
        &(flx_joint_def){.type = FLX_REVOLUTE, .on = {rod, wheel}, .at = {{.text = "wheel"}}});
    int fd = mkstemp(path);
    CHECK(fd >= 0 && close(fd) == 0 && flx_model_export(m, &options, path) == FLX_OK);
    FILE *f = fopen(path, "r");
    CHECK(f && fread(text, 1, sizeof text - 1, f) > 0 && fclose(f) == 0 && remove(path) == 0);
    CHECK_TEXT(text, "void model_forward(");
    CHECK_TEXT(text, "axle");
    CHECK(flx_dynamics_freedoms(d) == 1); // as it was
    flx_dynamics_destroy(&d);
    CHECK(flx_dynamics_create(m, &d) == FLX_OK && flx_dynamics_freedoms(d) == 2);
    flx_dynamics_destroy(&d);
    CHECK(flx_fe_problem_create(m, &fe) == FLX_ERR_MODEL && !fe);
    CHECK(!last_error("", "no block 'fe'") && !flx_ctx_error(ctx, 0)->loc.file);
    end();
    return 0;
}

// Numbers that calls return are those of the system.
static int numbers_are_those_of_the_system(void)
{
    flx_system *s = NULL;
    begin(2);
    int a = flx_model_add_parameter(m, "a", 1), f = flx_model_add_input(m, "f", 0),
        g = flx_model_add_input(m, "g", 2);
    int b = flx_model_add_parameter(m, "b", 3);
    flx_model_add_variable(m, "x", &(flx_variable_def){.force = {0, "f - a*x + b*g"}});
    flx_model_add_output(m, "x", NULL);
    int sum = flx_model_add_output(m, "sum", "x + b");
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK || !print_errors());
    CHECK(flx_system_input(s, "f", ctx) == f && flx_system_input(s, "g", ctx) == g);
    CHECK(flx_system_parameter(s, "a", ctx) == a && flx_system_parameter(s, "b", ctx) == b);
    CHECK(flx_system_output(s, "sum", ctx) == sum && sum == 1);
    flx_system_destroy(&s);
    end();
    return 0;
}

// Mistakes that a system or a run finds name the item as well.
static int late_mistakes_are_told_by_path(void)
{
    const double at[] = {0, 0.1}, of[] = {0, 1};
    flx_system *s = NULL;
    flx_run *r = NULL;
    begin(3);
    const flx_body_def ball = {.type = FLX_POINT, .mass = {1, NULL}, .position = {.x = {1, NULL}}};
    int a = flx_model_add_body(m, "a", &ball);
    flx_joint_def rod = {.type = FLX_DISTANCE,
                         .on = {FLX_GROUND, a},
                         .at = {{.text = NULL}, {.text = "a"}},
                         .length = {1, NULL}};
    flx_model_add_joint(m, "near", &rod);
    rod.length.number = 2;
    flx_model_add_joint(m, "far", &rod);
    CHECK(flx_system_compile(m, NULL, ctx, &s) != FLX_OK);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->path, "joints.");
    CHECK(flx_model_remove(m, "joints.far") == FLX_OK);
    flx_model_add_function(m, "road",
                           &(flx_function_def){.npoint = 2, .x = at, .y = of, .outside = "error"});
    flx_model_add_force(
        m, "push", &(flx_force_def){.type = FLX_FORCE, .on = {a}, .value = {.y = {0, "road(t)"}}});
    flx_ctx_clear_messages(ctx);
    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK || !print_errors());
    CHECK(flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    flx_model_destroy(&m);
    CHECK(flx_run_advance(r, 1.0) > 0);
    CHECK(flx_ctx_error(ctx, 0)->path[0] || !print_errors());
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    end();
    return 0;
}

// What is replaced does not pile up, and a thousand items are added in the time of a thousand.
static int long_lives_and_large_models(void)
{
    begin(3);
    flx_model_add_variable(m, "x", &(flx_variable_def){.initial = {1, NULL}, .force = {0, "-k*x"}});
    for (int i = 0; i < 20000; i++) {
        CHECK(flx_model_set(m, "parameters.k", 1 + i) == FLX_OK);
        if (i % 5000 == 0) BUILT();
    }
    BUILT();
    CHECK(m->nparameter == 1 && m->parameters[0].values[0] == 20000);
    char name[32];
    for (int i = 0; i < 20000; i++) {
        snprintf(name, sizeof name, "v%d", i);
        CHECK(flx_model_add_state(m, name, &(flx_state_def){.derivative = {0, "-x"}}) > 0);
    }
    CHECK(flx_model_count(m, "equations.first_order") == 20000);
    CHECK(flx_model_remove(m, "equations.first_order.v7") == FLX_OK);
    CHECK(flx_model_kind(m, "equations.first_order.v7") == 0);
    CHECK(flx_model_kind(m, "equations.first_order.v19999.derivative") == 1);
    CHECK(strcmp(flx_model_key(m, "equations.first_order", 7), "v8") == 0);
    end();
    return 0;
}

// A cube of two tetrahedra layers by arrays is that of the file; a table and a part in memory.
static int files_and_meshes_in_memory(void)
{
    static const double x[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    static const int cell[8] = {0, 1, 2, 3, 4, 5, 6, 7}, bottom[4] = {0, 3, 2, 1},
                     upper[4] = {4, 5, 6, 7};
    const flx_mesh_group groups[] = {{NULL, FLX_HEXAHEDRON_8, 1, cell},
                                     {"base", FLX_QUADRILATERAL_4, 1, bottom},
                                     {"top", FLX_QUADRILATERAL_4, 1, upper}};
    const flx_mesh_def mesh = {.nnode = 8, .x = &x[0][0], .nset = 3, .sets = groups};
    const char *const fixed[] = {"base"}, *const faces[] = {"base", "top"};
    begin(3);
    CHECK(flx_model_add_mesh(m, "cube.msh", &mesh) == FLX_OK);
    int cube = flx_model_add_solid(
        m, "cube",
        &(flx_solid_def){.mesh = "cube.msh",
                         .material = {.E = {1e6, NULL}, .nu = {0.3, NULL}, .density = {1000, NULL}},
                         .nfixed = 1,
                         .fixed = fixed});
    CHECK(cube > 0);
    CHECK(flx_model_add_force(m, "pull",
                              &(flx_force_def){.type = FLX_TRACTION,
                                               .on = {cube},
                                               .surface = "top",
                                               .value = {.z = {1e3, NULL}}}) > 0);
    CHECK(flx_model_add_flexible(
              m, "soft",
              &(flx_flexible_def){.mesh = "cube.msh",
                                  .material = {.E = {1e6, NULL}, .density = {1000, NULL}},
                                  .reduction = "craig-bampton",
                                  .modes = 2,
                                  .ninterface = 2,
                                  .interfaces = faces,
                                  .position = {.x = {5, NULL}}}) > 0);
    const char *table = "s,z\n0,0\n1,2\n",
               *leg = "flexion: 1\nbodies: {foot: {type: point, mass: 3}}\n";
    CHECK(flx_model_add_file(m, "road.csv", table, strlen(table)) == FLX_OK);
    CHECK(flx_model_add_file(m, "leg.yaml", leg, strlen(leg)) == FLX_OK);
    CHECK(flx_model_add_function(m, "road", &(flx_function_def){.file = "road.csv"}) > 0);
    CHECK(flx_model_set_text(m, "parts.left.model", "leg.yaml") == FLX_OK);
    CHECK(flx_model_set_text(m, "parameters.half", "road(0.5)") == FLX_OK);
    BUILT();
    CHECK(m->nsolid == 1 && m->nmodal == 1);
    CHECK(m->parameters[0].values[0] == 1.0);
    CHECK(flx_model_item_count(m, FLX_ITEM_BODY) > 0);
    int foot = flx_model_name(m, "left.foot");
    CHECK(flx_model_add_force(
              m, "tug",
              &(flx_force_def){.type = FLX_FORCE, .on = {foot}, .value = {.x = {1, NULL}}}) > 0);
    BUILT();
    // written with its files, it is the same model
    char folder[] = "/tmp/flexion_calls_XXXXXX", path[200];
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cube.yaml", folder);
    CHECK(flx_model_write(m, path) == FLX_OK || !print_errors());
    flx_model *read = NULL;
    CHECK(flx_model_read(ctx, path, 0, NULL, &read) == FLX_OK || !print_errors());
    CHECK(read->nbody == m->nbody && read->nsolid == 1 && read->nforce == m->nforce);
    flx_model_destroy(&read);
    const char *const names[] = {"cube.yaml", "cube.msh", "road.csv", "leg.yaml"};
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        CHECK(remove(path) == 0);
    }
    CHECK(rmdir(folder) == 0);
    // and what is no mesh
    const int wrong[4] = {0, 1, 2, 9};
    const flx_mesh_group bad = {"bad", FLX_TETRAHEDRON_4, 1, wrong}, none = {"bad", 77, 1, wrong};
    REFUSED(flx_model_add_mesh(m, "bad.msh",
                               &(flx_mesh_def){.nnode = 8, .x = &x[0][0], .nset = 1, .sets = &bad}),
            "bad.msh", "has node 9; there are 8");
    REFUSED(flx_model_add_mesh(
                m, "bad.msh", &(flx_mesh_def){.nnode = 8, .x = &x[0][0], .nset = 1, .sets = &none}),
            "bad.msh", "77 is no type");
    REFUSED(flx_model_add_mesh(m, "bad.msh", &(flx_mesh_def){.nnode = 8, .x = &x[0][0]}), "bad.msh",
            "no elements");
    REFUSED(flx_model_add_mesh(m, "bad", &mesh), "bad", "ends with .msh");
    REFUSED(flx_model_add_file(m, "t.csv", NULL, 0), "t.csv", "NULL");
    end();
    return 0;
}

// Each allocation fails in turn: no leak, no crash, and what is refused for want of memory says so.
static int every_failing_allocation_is_survived(void)
{
    for (long k = 0;; k++) {
        ctx = flx_ctx_create();
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_model_create(ctx, 2, &m);
        CHECK((status == FLX_OK) == (m != NULL));
        int body =
            status == FLX_OK
                ? flx_model_add_body(m, "a", &(flx_body_def){.type = FLX_POINT, .mass = {1, NULL}})
                : 0;
        if (body > 0) status = flx_model_set_text(m, "bodies.a.position[0]", "2");
        if (body > 0 && status == FLX_OK)
            status = flx_model_set_text(m, "bodies.a.position[1]", "2*t0");
        if (body > 0 && status == FLX_OK && flx_model_add_parameter(m, "t0", 2) < 0)
            status = FLX_ERR_MEMORY;
        if (m && (body < 0 ||
                  status != FLX_OK)) { // who does not look gets no model that lacks something
            flx_ctx_fail_allocation(ctx, -1);
            CHECK(flx_model_check(m) == FLX_ERR_MEMORY);
        }
        if (body > 0 && status == FLX_OK) status = flx_model_check(m);
        CHECK(body >= 0 || body == FLX_ERR_MEMORY);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        bool done = status == FLX_OK && body > 0 && m->nbody == 1;
        end();
        if (done) return 0;
        CHECK(k < 2000);
    }
}

TEST_MAIN(TEST(planar_items_are_what_a_file_says), TEST(spatial_items_are_what_a_file_says),
          TEST(wrong_calls_are_refused_and_change_nothing),
          TEST(mistakes_of_the_whole_are_told_by_path), TEST(models_change_and_are_compiled_again),
          TEST(settings_and_calls_agree), TEST(results_hold_the_description),
          TEST(all_that_takes_a_model_takes_one_by_calls), TEST(numbers_are_those_of_the_system),
          TEST(late_mistakes_are_told_by_path), TEST(long_lives_and_large_models),
          TEST(files_and_meshes_in_memory), TEST(every_failing_allocation_is_survived))
