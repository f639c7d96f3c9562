// test_simulation_start.c - how a run starts: drawings that do not close, starts of joints, redundant
// rows, and what is refused by name.
#include "flexion/extend/method_table.h"
#include "simulation_rig.h"

static flx_status four_bar(rig *r, const char *joint, const char *setting)
{
    char text[2048];
    const char *settings[] = {setting};
    snprintf(text, sizeof text, FOUR_BAR, joint);
    r->ctx = flx_ctx_create();
    r->model = NULL;
    r->sim = NULL;
    memset(&rows, 0, sizeof rows);
    rows.base = (flx_sink){&keep_type, r->ctx};
    flx_status s = flx_model_read_text(r->ctx, "model", text, strlen(text), setting != NULL,
                                       settings, &r->model);
    if (s == FLX_OK) s = flx_simulation_create(r->model, &r->sim);
    return s;
}

static int drawing_that_closes_is_left_alone(void)
{
    rig r;
    CHECK_OK(four_bar(&r, "", NULL));
    CHECK(flx_ctx_warning_count(r.ctx) == 0);
    CHECK(flx_simulation_summary(r.sim)->freedoms == 1);
    CHECK(flx_simulation_summary(r.sim)->constraints == 8);
    CHECK(flx_simulation_summary(r.sim)->redundant == 0);
    rig_free(&r);
    return 0;
}

static int what_was_changed_is_told_by_name(void)
{
    rig r;
    CHECK_OK(four_bar(&r, "", "off=1e-3"));
    CHECK(flx_ctx_warning_count(r.ctx) >= 1);
    CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "was changed to satisfy the constraints");
    CHECK(flx_ctx_warning(r.ctx, 0)->loc.line > 0);
    CHECK_OK(rig_run(&r));
    CHECK(rows.value[0][column("constraints.position")] < 1e-12);
    rig_free(&r);
    return 0;
}

// The start of a joint is held; the bodies follow.
static int start_of_a_joint_is_held(void)
{
    rig r;
    CHECK_OK(four_bar(&r, ", initial: {angle: -0.4, rate: 2.5}", NULL));
    CHECK_OK(rig_run(&r));
    CHECK_NEAR(rows.value[0][column("A.angle")], -0.4, 1e-12);
    CHECK_NEAR(rows.value[0][column("A.rate")], 2.5, 1e-12);
    CHECK(rows.value[0][column("constraints.position")] < 1e-12);
    CHECK(rows.value[0][column("constraints.velocity")] < 1e-11);
    rig_free(&r);
    return 0;
}

static int impossible_starts_are_refused_by_name(void)
{
    rig r;
    CHECK(four_bar(&r, "", "off=7") == FLX_INCONSISTENT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "'");
    CHECK(flx_ctx_error(r.ctx, 0)->loc.line > 0);
    rig_free(&r);

    // two motions that contradict each other
    flx_status s =
        rig_make(&r, "flexion: 1\n"
                     "dimension: 2\n"
                     "bodies: {a: {type: rigid, mass: 1, inertia: 1}}\n"
                     "joints:\n"
                     "  A: {type: revolute, on: [ground, a], at: [0, 0], motion: {angle: t}}\n"
                     "  B: {type: revolute, on: [ground, a], at: [0, 0], motion: {angle: 2*t}}\n"
                     "simulate: {until: 1, method: generalized-alpha, step: 1e-2}\n"
                     "outputs: {every: 1, signals: [a.angle]}\n");
    CHECK(s == FLX_INCONSISTENT);
    CHECK(strstr(flx_ctx_error(r.ctx, 0)->text, "'A'") ||
          strstr(flx_ctx_error(r.ctx, 0)->text, "'B'"));
    rig_free(&r);
    return 0;
}

// A parallelogram lying flat may leave it as such or crossed.
static flx_status flat_parallelogram(rig *r, const char *crank, const char *others)
{
    char text[1200];
    snprintf(
        text, sizeof text,
        "flexion: 1\n"
        "dimension: 2\n"
        "bodies:\n"
        "  a: {type: rigid, mass: 1, inertia: 0.1, points: {tip: [1, 0]}%s}\n"
        "  b: {type: rigid, mass: 1, inertia: 0.1, position: [2, 0], points: {tip: [1, 0]}%s}\n"
        "  c: {type: rigid, mass: 1, inertia: 0.1, position: [1, 0], points: {far: [2, 0]}%s}\n"
        "joints:\n"
        "  A: {type: revolute, on: [ground, a], at: [0, 0]}\n"
        "  B: {type: revolute, on: [ground, b], at: [2, 0]}\n"
        "  C: {type: revolute, on: [a, c], at: a.tip}\n"
        "  D: {type: revolute, on: [c, b], at: [c.far, b.tip]}\n"
        "simulate: {until: 0.5, method: generalized-alpha, step: 1e-3}\n"
        "outputs: {every: 0.5, signals: [c.angle]}\n",
        crank, others, others[0] ? ", velocity: [0, 1]" : "");
    return rig_make(r, text);
}

static int resting_at_a_fork_is_refused_by_name(void)
{
    rig r;
    CHECK(flat_parallelogram(&r, "", "") == FLX_INCONSISTENT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "rests in a singular position");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "'D (");
    rig_free(&r);
    CHECK_OK(flat_parallelogram(&r, ", angular_velocity: 1", ", angular_velocity: 1"));
    rig_free(&r);
    CHECK(flat_parallelogram(&r, ", angular_velocity: 1", "") == FLX_INCONSISTENT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "along none of the motions");
    rig_free(&r);
    return 0;
}

// Rows that say the same with a small error of the geometry are left out also when the mechanism
// moves at the start.
static int redundant_rows_may_be_off_a_little(void)
{
    rig r;
    CHECK_OK(rig_make(&r, "flexion: 1\n"
                          "dimension: 2\n"
                          "bodies:\n"
                          "  crank: {repeat: {i: [0, 2]}, type: rigid, mass: 1, inertia: 0.1,\n"
                          "          position: [i, 0], orientation: 1, angular_velocity: 3,\n"
                          "          points: {end: [1, 0]}}\n"
                          "  bar: {type: rigid, mass: 1, inertia: 1, position: crank(0).end,\n"
                          "        velocity: [-3*sin(1), 3*cos(1)]}\n"
                          "joints:\n"
                          "  foot: {repeat: {i: [0, 2]}, type: revolute, on: [ground, crank(i)],\n"
                          "         at: [[i + 1e-4*i*(i - 1), 0], crank(i)]}\n"
                          "  pin: {repeat: {i: [0, 2]}, type: revolute, on: [crank(i), bar],\n"
                          "        at: crank(i).end}\n"
                          "simulate: {until: 0.5, method: generalized-alpha, step: 1e-3}\n"
                          "outputs: {every: 0.5, signals: [crank(0).rate]}\n"));
    CHECK(flx_simulation_summary(r.sim)->redundant == 1);
    CHECK(flx_simulation_summary(r.sim)->freedoms == 1);
    CHECK_OK(rig_run(&r));
    CHECK_NEAR(rows.value[0][0], 3.0, 1e-2);
    CHECK_NEAR(rows.value[1][0], rows.value[0][0], 1e-2); // no force does work
    rig_free(&r);
    return 0;
}

// Angles of more than a turn are told, unless they are written as degrees or turns.
static int angles_in_degrees_are_told(void)
{
    static const struct {
        const char *angle, *orientation;
        int notes;
    } cases[] = {{"90", "0", 1},    {"0", "45", 1},    {"720*deg", "0", 0}, {"4*pi", "0", 0},
                 {"6.28", "0", 0},  {"-30", "-60", 2}, {"a", "0", 1},       {"b", "0", 0},
                 {"1.5", "0.3", 0}, {"a*deg", "1", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig r;
        char text[600];
        snprintf(
            text, sizeof text,
            "flexion: 1\ndimension: 2\nparameters: {a: 90, b: 900*deg}\n"
            "bodies: {rod: {type: rigid, mass: 1, inertia: 1, orientation: %s}}\n"
            "joints: {A: {type: revolute, on: [ground, rod], at: [0, 0], initial: {angle: %s}}}\n"
            "simulate: {until: 0.1, method: radau}\noutputs: {every: 0.1, signals: [A.angle]}\n",
            cases[i].orientation, cases[i].angle);
        CHECK_OK(rig_make(&r, text));
        CHECK(flx_ctx_warning_count(r.ctx) == cases[i].notes);
        if (cases[i].notes > 0) CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "are these degrees?");
        rig_free(&r);
    }
    return 0;
}

// A fixed structure is locked; the same one on a motor is not.
static int locked_and_driven_are_told_apart(void)
{
    rig r;
    CHECK(rig_make(&r, "flexion: 1\n"
                       "bodies: {a: {type: rigid, mass: 1, inertia: [1, 1, 1]}}\n"
                       "joints: {A: {type: fixed, on: [ground, a], at: [0, 0, 0]}}\n"
                       "simulate: {until: 1, method: generalized-alpha, step: 1e-2}\n"
                       "outputs: {every: 1, signals: [a.position]}\n") == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "locked");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "'A'");
    CHECK(flx_ctx_error(r.ctx, 0)->loc.line == 3);
    rig_free(&r);
    CHECK_OK(four_bar(&r, ", motion: {angle: 0.5*t}", NULL));
    CHECK(flx_simulation_summary(r.sim)->freedoms == 0);
    CHECK_OK(rig_run(&r));
    rig_free(&r);
    return 0;
}

TEST_MAIN(TEST(drawing_that_closes_is_left_alone), TEST(what_was_changed_is_told_by_name),
          TEST(start_of_a_joint_is_held), TEST(impossible_starts_are_refused_by_name),
          TEST(resting_at_a_fork_is_refused_by_name), TEST(redundant_rows_may_be_off_a_little),
          TEST(locked_and_driven_are_told_apart), TEST(angles_in_degrees_are_told))
