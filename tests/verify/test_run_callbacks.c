// test_run_callbacks.c - callbacks that call back, rows that interrupt, starts that cannot be made, and accounts that fail.
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"

#include <stdlib.h>

static const char ball[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\ninputs: {F: 0}\n"
    "bodies: {ball: {type: point, mass: 1, position: [0, 1]}}\n"
    "forces: {push: {type: force, on: ball, value: [F, 0]}}\n"
    "events: {hit: {when: ball.position.y < 0, set: {ball.velocity.y: -0.8*ball.velocity.y}}}\n"
    "simulate: {until: 2}\n"
    "outputs: {every: 0.05, signals: [ball.position.y, ball.velocity.y, ball.acceleration.x]}\n";

#define MOST_ROWS 64

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *system;
    flx_run *run;
    int what;      // the call that callbacks make
    int refused;   // how often it was
    int interrupt; // every so many rows
    int nrow;
    double rows[MOST_ROWS][2];
} rig;

enum {
    NOTHING,
    ADVANCE,
    STEP,
    RESET,
    SET_STATE,
    SET_INPUT,
    GET,
    SAVE,
    RESTORE,
    CLONE,
    DESTROY,
    LAST
};

// As if nothing were going on.
static void call_back(rig *r)
{
    int before = flx_ctx_error_count(r->ctx);
    const double one = 1.0;
    flx_run *copy = NULL, *self = r->run;
    bool refused = false;
    switch (r->what) {
    case ADVANCE:
        refused = flx_run_advance(self, 1.5) == FLX_ERR_ARGUMENT;
        break;
    case STEP:
        refused = flx_run_step(self, 0.0, NULL) == FLX_ERR_ARGUMENT;
        break;
    case RESET:
        refused = flx_run_reset(self) == FLX_ERR_ARGUMENT;
        break;
    case SET_STATE:
        refused = flx_run_set_state(self, NULL, NULL, NULL, NULL) == FLX_ERR_ARGUMENT;
        break;
    case SET_INPUT:
        refused = flx_run_set_input(self, 0, 1, &one) == FLX_ERR_ARGUMENT;
        break;
    case GET:
        refused = isnan(flx_run_get(self, 0));
        break;
    case SAVE:
        refused = flx_run_save(self, NULL, 0) == 0;
        break;
    case RESTORE:
        refused = flx_run_restore(self, &one, sizeof one) == FLX_ERR_ARGUMENT;
        break;
    case CLONE:
        refused = flx_run_clone(self, r->ctx, &copy) == FLX_ERR_ARGUMENT && !copy;
        break;
    case DESTROY:
        flx_run_destroy(&self);
        refused = self != NULL;
        break;
    default:
        return;
    }
    r->refused += refused && flx_ctx_error_count(r->ctx) > before;
    flx_ctx_clear_messages(r->ctx);
}

static int on_event(void *user, double t, int event, const char *name)
{
    (void)t, (void)event, (void)name;
    call_back(user);
    return 0;
}

static int on_row(void *user, double t, int n, const double *outputs)
{
    rig *r = user;
    if (n != 3 || r->nrow >= MOST_ROWS) return 0;
    r->rows[r->nrow][0] = t;
    call_back(r); // the row stays what it is
    r->rows[r->nrow++][1] = outputs[0];
    return r->interrupt && r->nrow % r->interrupt == 0;
}

static int set_up(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    flx_read_def read = flx_read_def_default();
    flx_run_def def = flx_run_def_default();
    read.text = text;
    read.length = strlen(text);
    def.event = on_event;
    def.row = on_row;
    def.user = r;
    CHECK(flx_model_read_by(r->ctx, "text", &read, &r->model) == FLX_OK);
    CHECK(flx_system_compile(r->model, NULL, r->ctx, &r->system) == FLX_OK);
    CHECK(flx_run_create(r->system, &def, r->ctx, &r->run) == FLX_OK);
    return 0;
}

static void put_away(rig *r)
{
    flx_run_destroy(&r->run);
    flx_system_destroy(&r->system);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static bool has_same_rows(const rig *a, const rig *b)
{
    return a->nrow == b->nrow && memcmp(a->rows, b->rows, sizeof a->rows) == 0;
}

// Every such call is refused with a message, and the run is what it would have been.
static int callbacks_do_not_change_their_run(void)
{
    rig plain, r;
    if (set_up(ball, &plain)) return 1;
    CHECK(flx_run_advance(plain.run, 1.0) == FLX_OK && plain.nrow == 21);
    for (int what = NOTHING + 1; what < LAST; what++) {
        if (set_up(ball, &r)) return 1;
        r.what = what;
        CHECK(flx_run_advance(r.run, 1.0) == FLX_OK);
        if (r.refused != 22) printf("  call %d: refused %d times\n", what, r.refused);
        CHECK(r.refused == 22 && has_same_rows(&plain, &r));
        CHECK(flx_run_get(r.run, 0) == flx_run_get(plain.run, 0));
        CHECK(flx_run_view(r.run, FLX_VIEW_Q, NULL)[1] == flx_run_get(r.run, 0));
        const double one = 1.0;
        CHECK(flx_run_set_input(r.run, 0, 1, &one) == FLX_OK); // when it has returned
        CHECK(fabs(flx_run_get(r.run, 2) - 1.0) < 1e-12);
        CHECK(flx_run_reset(r.run) == FLX_OK);
        put_away(&r);
    }
    put_away(&plain);
    return 0;
}

// Rows inside a step are not lost where one of them interrupts; the steps are those of a run in one go.
static int rows_interrupt_and_go_on(void)
{
    static const char *const methods[] = {"radau", "dopri5", "bdf",
                                          "generalized-alpha, step: 0.02"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        for (int every = 1; every <= 3; every++) {
            char text[2048];
            rig plain, r;
            snprintf(text, sizeof text, "%ssimulate: {until: 2, method: %s}\n%s",
                     "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                     "bodies: {ball: {type: point, mass: 1, position: [0, 1]}}\n"
                     "events: {hit: {when: ball.position.y < 0, set: {ball.velocity.y: "
                     "-0.8*ball.velocity.y}}}\n",
                     methods[k],
                     "outputs: {every: 0.05, signals: [ball.position.y, ball.velocity.y, "
                     "ball.acceleration.x]}\n");
            if (set_up(text, &plain) || set_up(text, &r)) return 1;
            CHECK(flx_run_advance(plain.run, 1.0) == FLX_OK);
            r.interrupt = every;
            flx_status status;
            int interrupted = 0;
            while ((status = flx_run_advance(r.run, 1.0)) == FLX_INTERRUPTED) interrupted++;
            CHECK(status == FLX_OK && interrupted > 0 && flx_run_time(r.run) == 1.0);
            if (!has_same_rows(&plain, &r)) printf("  %s, every %d\n", methods[k], every);
            CHECK(has_same_rows(&plain, &r));
            CHECK(flx_run_get(r.run, 0) == flx_run_get(plain.run, 0));
            CHECK(flx_run_ledger(r.run)->balanced);
            put_away(&r);
            put_away(&plain);
        }
    }
    return 0;
}

// A loop that adds up its times ends beside the last of them: a row that was told there does not come again.
static int rows_come_once(void)
{
    static const char *const methods[] = {"radau", "dopri5", "generalized-alpha, step: 0.002"};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        char text[512];
        rig r;
        snprintf(text, sizeof text,
                 "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
                 "bodies: {ball: {type: point, mass: 1, position: [0, 1]}}\n"
                 "simulate: {until: 3, method: %s}\noutputs: {every: 0.1, signals: "
                 "[ball.position, ball.velocity.y]}\n",
                 methods[k]);
        if (set_up(text, &r)) return 1;
        while (flx_run_time(r.run) < 2.9999)
            CHECK(flx_run_advance(r.run, flx_run_time(r.run) + 2e-3) == FLX_OK);
        CHECK(flx_run_time(r.run) != 3.0 && fabs(flx_run_time(r.run) - 3.0) < 1e-11);
        CHECK(flx_run_finish(r.run) == FLX_OK && flx_run_time(r.run) == 3.0);
        if (r.nrow != 31) printf("  %s: %d rows\n", methods[k], r.nrow);
        CHECK(r.nrow == 31);
        for (int i = 0; i < r.nrow; i++) CHECK(fabs(r.rows[i][0] - 0.1 * i) < 1e-11);
        CHECK(fabs(flx_run_get(r.run, 1) - (1.0 - 0.5 * 9.81 * 9.0)) < 1e-6);
        put_away(&r);
    }
    return 0;
}

// A start that cannot be made is told, and the run is whole again with the parameter as it was.
static int impossible_parameters_are_told(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 1}\n"
        "bodies: {arm: {type: rigid, mass: m, inertia: m/12, com: [0.2, 0], orientation: 1}}\n"
        "joints: {pin: {type: revolute, on: [ground, arm], at: [0, 0]}}\n"
        "simulate: {until: 1, formulation: tree}\n"
        "outputs: {signals: [pin.angle, pin.rate, pin.reaction.y]}\n";
    rig r;
    if (set_up(text, &r)) return 1;
    CHECK(flx_run_advance(r.run, 1.0) == FLX_OK);
    double angle = flx_run_get(r.run, 0);
    static const double impossible[] = {0.0, -1.0};
    for (int i = 0; i < 2; i++) {
        flx_ctx_clear_messages(r.ctx);
        CHECK(flx_run_set_parameter(r.run, 0, impossible[i]) == FLX_OK);
        CHECK(flx_run_reset(r.run) != FLX_OK);
        CHECK(flx_ctx_error_count(r.ctx) > 0);
        CHECK(flx_run_advance(r.run, 2.0) != FLX_OK);
        CHECK(flx_run_set_parameter(r.run, 0, 1.0) == FLX_OK);
        CHECK(flx_run_reset(r.run) == FLX_OK);
        CHECK(flx_run_advance(r.run, 1.0) == FLX_OK && flx_run_get(r.run, 0) == angle);
    }
    put_away(&r);
    return 0;
}

// An account that fails says so, once: here the few steps of a motion that is prescribed do not follow its power.
static int doubts_are_told(void)
{
    static const char text[] =
        "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\ninputs: {a: 0}\n"
        "bodies: {b: {type: rigid, mass: 2, inertia: 0.3, com: [0.4, 0.1]}}\n"
        "joints: {j: {type: revolute, on: [ground, b], at: [0, 0], motion: {angle: a}}}\n"
        "simulate: {until: 0.7, formulation: tree, method: generalized-alpha, rtol: 1e-7, atol: "
        "1e-8}\n"
        "outputs: {every: 0.7, signals: [j.angle]}\n";
    rig r;
    if (set_up(text, &r)) return 1;
    double u[] = {0.0, 0.0, 2.0};
    CHECK(flx_run_set_input(r.run, 0, 3, u) == FLX_OK && flx_run_advance(r.run, 0.5) == FLX_OK);
    CHECK(flx_run_get_input(r.run, 0, u) == FLX_OK);
    u[2] = -6.0;
    CHECK(flx_run_set_input(r.run, 0, 3, u) == FLX_OK && flx_run_finish(r.run) == FLX_OK);
    flx_ctx_clear_messages(r.ctx);
    CHECK(!flx_run_ledger(r.run)->balanced);
    CHECK(flx_ctx_warning_count(r.ctx) == 1);
    CHECK(!flx_run_ledger(r.run)->balanced && flx_ctx_warning_count(r.ctx) == 1);
    put_away(&r);
    return 0;
}

static int nothing_is_refused(void)
{
    rig r;
    flx_run *none;
    if (set_up(ball, &r)) return 1;
    CHECK(flx_run_create(NULL, NULL, r.ctx, &none) == FLX_ERR_ARGUMENT && !none);
    CHECK(flx_run_restore(r.run, NULL, 1000) == FLX_ERR_ARGUMENT);
    CHECK(flx_system_output(r.system, NULL, r.ctx) == -1);
    CHECK(flx_system_input(r.system, NULL, r.ctx) == -1);
    CHECK(flx_system_parameter(r.system, NULL, r.ctx) == -1);
    CHECK(flx_ctx_error_count(r.ctx) == 5);
    CHECK(flx_run_advance(r.run, 0.1) == FLX_OK);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(callbacks_do_not_change_their_run), TEST(rows_interrupt_and_go_on),
          TEST(rows_come_once), TEST(impossible_parameters_are_told), TEST(doubts_are_told),
          TEST(nothing_is_refused))
