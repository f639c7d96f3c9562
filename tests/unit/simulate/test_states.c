// test_states.c - runs that begin in a state of a result go on as the one did that was not left; with other parameters the
// state is made consistent, and what was moved is told; what does not fit is refused by name.
#include "flexion/extend/method_table.h"
#include "simulation_rig.h"

#define KEPT "test_states.h5"

// A crank with a loop, a controller that samples (a clock, a discrete variable, a state) and a wall (a switch).
#define MODEL(form, rod, place, period)                                                            \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {h: 0}\n"                          \
    "bodies:\n"                                                                                    \
    "  crank: {type: rigid, mass: 1, inertia: 0.05, position: [0, 0], angular_velocity: 7}\n"      \
    "  " rod ": {type: rigid, mass: 2, inertia: 0.3, position: [0.3, 0], points: {e: [0.7, 0]}}\n" \
    "joints:\n"                                                                                    \
    "  a: {type: revolute, on: [ground, crank], at: [0, 0]}\n"                                     \
    "  b: {type: revolute, on: [crank, " rod "], at: [0.3, 0]}\n"                                  \
    "  c: {type: " place ", on: [ground, " rod "], at: [[1, h], " rod ".e], axis: [1, 0]}\n"       \
    "forces:\n"                                                                                    \
    "  drive: {type: torque, on: a, value: u}\n"                                                   \
    "  wall: {type: force, on: " rod ", at: " rod ".e, value: [\"if(" rod                          \
    ".e.x < 0.6, 50, 0)\", 0]}\n"                                                                  \
    "equations:\n"                                                                                 \
    "  first_order: {z: {derivative: a.rate - z, at: 0}}\n"                                        \
    "  discrete: {u: {at: 0}}\n"                                                                   \
    "events: {sample: {every: " period ", set: {u: 2*(6 - a.rate) + z}}}\n"                        \
    "simulate: {until: 2, method: radau, rtol: 1e-11, atol: 1e-13" form "}\n"                      \
    "outputs: {every: 0.01, signals: [a.angle, a.rate, " rod ".position, " rod                     \
    ".velocity, z, u, energy.total]}\n"
#define LOOP(form) MODEL(form, "rod", "point-on-line", "0.05")

// In space, with a flexible body of which the state has coordinates too; no joint closes a loop.
static const char swing[] =
    "flexion: 1\ngravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  arm:\n"
    "    type: flexible\n"
    "    fe: {line: [[0, 0, 0], [1, 0, 0]], elements: 8, section: {radius: 0.012},\n"
    "         material: {E: 7e10, nu: 0.33, density: 2700}}\n"
    "    reduce: {type: modal, modes: 3}\n"
    "joints: {pin: {type: revolute, on: [ground, arm], at: arm.start, axis: [0, 1, 0]}}\n"
    "simulate: {until: 0.4, method: radau, rtol: 1e-9, atol: 1e-11}\n"
    "outputs: {every: 0.01, signals: [pin.angle, pin.rate, arm.position]}\n";

// Run a model and keep its file, and its rows in `rows`.
static flx_status run_and_keep(rig *r, bool states)
{
    flx_sink *sinks[2] = {&rows.base, NULL};
    FLX_TRY(flx_hdf5_sink_create(r->ctx, KEPT, &sinks[1]));
    if (states) flx_simulation_keep_states(r->sim);
    flx_status status = flx_simulation_run(r->sim, 2, sinks, NULL, NULL);
    flx_sink_destroy(&sinks[1]);
    return status;
}

// A rig that begins in the state of the file at t.
static flx_status begin_from(rig *r, const char *text, int nset, const char *const *settings,
                             double t)
{
    flx_result *result = NULL;
    r->model = NULL;
    r->sim = NULL;
    r->ctx = flx_ctx_create();
    memset(&rows, 0, sizeof rows);
    rows.base = (flx_sink){&keep_type, r->ctx};
    flx_status s =
        flx_model_read_text(r->ctx, "model", text, strlen(text), nset, settings, &r->model);
    if (s == FLX_OK) s = flx_result_open(r->ctx, KEPT, &result);
    if (s == FLX_OK) s = flx_simulation_create_from(r->model, result, t, &r->sim);
    flx_result_close(&result);
    return s;
}

static kept whole; // large

static int keep_whole(const char *text)
{
    rig r;
    CHECK_OK(rig_make(&r, text));
    CHECK_OK(run_and_keep(&r, true));
    whole = rows;
    rig_free(&r);
    return 0;
}

// The rows from t on are those of the run that was not left.
static int check_from(const char *text, double t, double tolerance)
{
    rig r;
    CHECK_OK(begin_from(&r, text, 0, NULL, t));
    CHECK(flx_ctx_warning_count(r.ctx) == 0); // nothing had to be moved
    CHECK_OK(rig_run(&r));
    int first = (int)lround(t / 0.01);
    CHECK(rows.rows == whole.rows - first);
    for (int i = 0; i < rows.rows; i++) {
        CHECK_NEAR(rows.t[i], whole.t[first + i], 1e-12);
        for (int c = 0; c < rows.columns; c++) {
            double size = fmax(1.0, fabs(whole.value[first + i][c]));
            CHECK_NEAR(rows.value[i][c], whole.value[first + i][c], tolerance * size);
        }
    }
    rig_free(&r);
    return 0;
}

static int runs_go_on_from_any_row(void)
{
    static const char *const texts[] = {LOOP(""), LOOP(", formulation: tree"),
                                        LOOP(", formulation: ggl")};
    for (size_t k = 0; k < 3; k++) {
        if (keep_whole(texts[k])) return 1;
        // at a strike of the clock, between two, and whatever coordinates the other run has
        for (size_t j = 0; j < 3; j++) {
            if (check_from(texts[j], 1.05, 1e-9) || check_from(texts[j], 0.33, 1e-9)) return 1;
        }
    }
    if (keep_whole(swing) || check_from(swing, 0.2, 1e-7)) return 1;
    remove(KEPT);
    return 0;
}

static int the_last_state_is_kept_always(void)
{
    rig r;
    const double last = (double)NAN;
    CHECK_OK(rig_make(&r, LOOP("")));
    CHECK_OK(flx_simulation_set_until(r.sim, 1.0));
    CHECK_OK(run_and_keep(&r, false));
    rig_free(&r);
    CHECK_OK(begin_from(&r, LOOP(""), 0, NULL, last));
    CHECK_OK(rig_run(&r));
    CHECK(rows.t[0] == 1.0 && rows.t[rows.rows - 1] == 2.0);
    rig_free(&r);
    CHECK_OK(begin_from(&r, LOOP(""), 0, NULL, 1.0));
    rig_free(&r);
    CHECK(begin_from(&r, LOOP(""), 0, NULL, 0.5) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "one state, that of its end at t = 1,");
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "--states");
    rig_free(&r);
    remove(KEPT);
    return 0;
}

static int other_parameters_move_the_start(void)
{
    rig r;
    const char *const settings[] = {"h=0.01"};
    bool told = false;
    if (keep_whole(LOOP(""))) return 1;
    CHECK_OK(begin_from(&r, LOOP(""), 1, settings, 1.0));
    for (int i = 0; i < flx_ctx_warning_count(r.ctx); i++) {
        const char *text = flx_ctx_warning(r.ctx, i)->text;
        told = told ||
               strstr(text, "the initial state of 'rod' was changed to satisfy the constraints");
    }
    CHECK(told);
    CHECK_OK(rig_run(&r));
    const flx_ledger *l = flx_simulation_ledger(r.sim);
    CHECK(l->balanced && l->position_residual < 1e-12 && l->velocity_residual < 1e-12);
    rig_free(&r);
    // a clock of another period strikes at its own times, from the state on
    long count;
    double at;
    CHECK_OK(begin_from(&r, MODEL("", "rod", "point-on-line", "0.3"), 0, NULL, 1.0));
    CHECK_OK(rig_run(&r));
    CHECK(flx_simulation_event(r.sim, 0, &count, &at));
    CHECK(count == 3); // 1.2, 1.5, 1.8
    CHECK_NEAR(at, 1.8, 1e-12);
    rig_free(&r);
    remove(KEPT);
    return 0;
}

static int what_does_not_fit_is_refused_by_name(void)
{
    static const struct {
        const char *text;
        double t;
        flx_status status;
        const char *message;
    } cases[] = {
        {MODEL("", "bar", "point-on-line", "0.05"), 1.0, FLX_ERR_MODEL, "no body 'rod': rigid"},
        {MODEL("", "rod", "prismatic", "0.05"), 1.0, FLX_ERR_MODEL,
         "no joint 'c': point-on-line, and in its place joint 'c': prismatic"},
        {LOOP(""), 2.5, FLX_ERR_ARGUMENT, "t = 2.5 lies outside the result"},
        {LOOP(""), -1.0, FLX_ERR_ARGUMENT, "t = -1 lies outside the result"},
        {LOOP(""), 1.053, FLX_ERR_ARGUMENT,
         "no row at t = 1.053; the nearest state is at t = 1.05"},
    };
    if (keep_whole(LOOP(""))) return 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rig r;
        CHECK(begin_from(&r, cases[i].text, 0, NULL, cases[i].t) == cases[i].status);
        CHECK(!r.sim);
        CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, cases[i].message);
        rig_free(&r);
    }
    rig r;
    CHECK_OK(begin_from(&r, LOOP(""), 0, NULL, 2.0));
    CHECK(rig_run(&r) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(r.ctx, 0)->text, "begins at t = 2 and would end at 2");
    rig_free(&r);
    remove(KEPT);
    return 0;
}

// Contacts of every state: a slide that comes to rest by friction and sticks, a box that slides and turns to rest on four places,
// a ball that bounces to rest and rolls, a rod that bounces on its limits.
#define SLIDES(form)                                                                               \
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"                                              \
    "bodies: {block: {type: rigid, mass: 2, inertia: 0.01, velocity: [1, 0]}}\n"                   \
    "joints: {slide: {type: prismatic, on: [ground, block], at: block, axis: [1, 0],"              \
    " friction: {coefficient: 0.3, stick: true}}}\n"                                               \
    "simulate: {until: 1, method: radau, rtol: 1e-9" form "}\n"                                    \
    "outputs: {every: 0.01, signals: [block.position.x, block.velocity.x, slide.friction]}\n"
#define RESTS(method)                                                                              \
    "flexion: 1\ngravity: [0.5, 0.3, -9.81]\n"                                                     \
    "bodies:\n"                                                                                    \
    "  box: {type: rigid, mass: 2, inertia: [0.01, 0.02, 0.015], position: [0, 0, 0.1],"           \
    " velocity: [1, 0.2, 0], angular_velocity: [0, 0, 1]}\n"                                       \
    "forces:\n"                                                                                    \
    "  c: {repeat: {i: [0, 3]}, type: contact, on: [ground, box], surfaces: [{plane: [0, 0, 1]},"  \
    " {sphere: 0.02, at: [\"0.1*(2*mod(i, 2) - 1)\", \"0.07*(1 - 2*floor(i/2))\", -0.08]}],"       \
    " law: restitution, restitution: 0, friction: 0.3}\n"                                          \
    "simulate: {until: 1, " method "}\n"                                                           \
    "outputs: {every: 0.01, signals: [box.position, box.velocity]}\n"
static const char bounces[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {ball: {type: rigid, mass: 2, inertia: 0.01, position: [0, 0.5], velocity: [1, 0],"
    " surface: {sphere: 0.1}}}\n"
    "forces: {floor: {type: contact, on: [ground, ball], law: restitution, restitution: 0.3,"
    " friction: 0.1}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-9}\n"
    "outputs: {every: 0.01, signals: [ball.position, ball.velocity]}\n";
static const char limited[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies: {rod: {type: rigid, mass: 2, inertia: 0.05, position: [0.5, 0]}}\n"
    "joints: {h: {type: revolute, on: [ground, rod], at: [0, 0],"
    " limits: {lower: -0.6, upper: 1, restitution: 0.2}}}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-9}\n"
    "outputs: {every: 0.01, signals: [h.angle, h.rate]}\n";

#define FALLS(method)                                                                              \
    "flexion: 1\ngravity: [0.5, 0.3, -9.81]\n"                                                     \
    "bodies:\n"                                                                                    \
    "  box: {type: rigid, mass: 2, inertia: [0.01, 0.02, 0.015], position: [0, 0, 0.15],"          \
    " velocity: [1, 0.2, 0], angular_velocity: [0, 0, 1], surface: {box: [0.2, 0.14, 0.2]}}\n"     \
    "  top: {type: rigid, mass: 1, inertia: [0.01, 0.02, 0.015], position: [0, 0, 0.4],"           \
    " velocity: [1, 0.2, 0], surface: {box: [0.2, 0.14, 0.2]}}\n"                                  \
    "forces: {c: {type: contact, among: [ground, box, top], law: restitution, restitution: 0,"     \
    " friction: 0.3}}\n"                                                                           \
    "simulate: {until: 0.4, contacts: steps, step: 1e-3, " method "}\n"                            \
    "outputs: {every: 0.01, signals: [box.position, top.position]}\n"

static int contacts_hold_as_the_state_has_them(void)
{
    static const char *const texts[] = {SLIDES(""), SLIDES(", formulation: tree"),
                                        RESTS("method: radau, rtol: 1e-9"), bounces, limited};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        if (keep_whole(texts[k])) return 1;
        for (int i = 1; i <= 9; i += 2) {
            if (check_from(texts[k], 0.1 * i, 2e-7)) return 1;
        }
    }
    return 0;
}

// Methods of steps leave bodies inside each other by some part of what they move in a step.
static int overlaps_of_steps_are_begun_from(void)
{
    static const char *const texts[] = {FALLS("method: moreau"),
                                        FALLS("method: generalized-alpha")};
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        if (keep_whole(texts[k])) return 1;
        for (int i = 1; i <= 3; i += 2) {
            rig r;
            CHECK_OK(begin_from(&r, texts[k], 0, NULL, 0.1 * i));
            CHECK_OK(rig_run(&r));
            for (int c = 0; c < rows.columns; c++)
                CHECK_NEAR(rows.value[rows.rows - 1][c], whole.value[whole.rows - 1][c], 1e-3);
            rig_free(&r);
        }
    }
    return 0;
}

TEST_MAIN(SLOW_TEST(runs_go_on_from_any_row), TEST(the_last_state_is_kept_always),
          TEST(other_parameters_move_the_start), TEST(what_does_not_fit_is_refused_by_name),
          TEST(contacts_hold_as_the_state_has_them), TEST(overlaps_of_steps_are_begun_from))
