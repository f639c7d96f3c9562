// Public calls with lists that are not there, numbers of nothing and values that cannot be: refused with a message, and nothing is
// written behind what there is.
#include "check.h"
#include "flexion/control.h"
#include "flexion/ensemble.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "flexion/particles.h"
#include "flexion/signal_spectrum.h"

#include <string.h>

static const char pendulum[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {L: 1.2}\ninputs: {T: 0}\n"
    "bodies:\n  rod: {type: rigid, mass: 0.8, inertia: 0.096, com: [L/2, 0]}\n"
    "joints:\n  hinge: {type: revolute, on: [ground, rod], at: [0, 0]}\n"
    "forces:\n  motor: {type: torque, on: hinge, value: T}\n"
    "simulate: {until: 1, method: radau, rtol: 1e-6}\n"
    "outputs: {every: 0.1, signals: [hinge.angle], metrics: {far: maximum(hinge.angle)}}\n";

// It is refused, and a message says why.
static bool is_refused(flx_ctx *ctx, long status)
{
    bool refused = status == FLX_ERR_ARGUMENT && flx_ctx_error_count(ctx) == 1;
    flx_ctx_clear_messages(ctx);
    return refused;
}

static int lists_that_are_not_there(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL, *made = NULL;
    flx_read_def def = flx_read_def_default();
    def.text = pendulum;
    def.length = strlen(pendulum);
    def.nset = 1;
    CHECK(is_refused(ctx, flx_model_read_by(ctx, "", &def, &m)) && !m);
    const char *none = NULL;
    def.settings = &none;
    CHECK(is_refused(ctx, flx_model_read_by(ctx, "", &def, &m)) && !m);
    CHECK(flx_model_read_text(ctx, "", NULL, 1000, 0, NULL, &m) == FLX_ERR_MODEL);
    flx_ctx_clear_messages(ctx);

    CHECK(flx_model_create(ctx, 2, &made) == FLX_OK);
    flx_body_def body = flx_body_def_default();
    body.npoint = -1;
    CHECK(is_refused(ctx, flx_model_add_body(made, "b", &body)));
    flx_event_def event = flx_event_def_default();
    event.nset = 2;
    CHECK(is_refused(ctx, flx_model_add_event(made, "e", &event)));
    flx_model_destroy(&made);

    def.nset = 0;
    CHECK(flx_model_read_by(ctx, "", &def, &m) == FLX_OK);
    const char *type = "";
    CHECK(strcmp(flx_model_item(m, FLX_ITEM_BODY, 0, NULL),
                 flx_model_item(m, FLX_ITEM_BODY, 0, &type)) == 0);
    flx_study_def study = {.nmethod = 1};
    flx_study *s = NULL;
    CHECK(is_refused(ctx, flx_study_run(m, &study, NULL, NULL, &s)) && !s);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int numbers_of_nothing(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    flx_simulation *sim = NULL;
    CHECK(flx_model_read_text(ctx, "", pendulum, strlen(pendulum), 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    flx_finding found;
    CHECK(is_refused(ctx, flx_simulation_analyse(sim, 3, &found)));
    CHECK(is_refused(ctx, flx_simulation_analyse(sim, -2, &found)));
    flx_sink *none = NULL;
    CHECK(is_refused(ctx, flx_simulation_run(sim, 1, &none, NULL, NULL)));
    flx_simulation_destroy(&sim);

    CHECK(flx_system_compile(m, NULL, ctx, &s) == FLX_OK);
    CHECK(flx_run_create(s, NULL, ctx, &run) == FLX_OK);
    flx_ensemble_def many_runs = flx_ensemble_def_default();
    many_runs.runs = 1;
    many_runs.until = (double)NAN;
    CHECK(is_refused(ctx, flx_ensemble_run(s, &many_runs, ctx, NULL, NULL, NULL)));
    many_runs.until = 0;
    many_runs.method.method = "nonsense";
    CHECK(is_refused(ctx, flx_ensemble_run(s, &many_runs, ctx, NULL, NULL, NULL)));
    flx_gradient_def gradient = flx_gradient_def_default();
    flx_gradient slopes;
    gradient.nparam = 1;
    CHECK(is_refused(ctx, flx_gradient_find(run, &gradient, &slopes)));
    const int input = 0, output = 0, wrong = 7;
    const flx_io io = {1, 1, &input, &output};
    flx_linear_model linear;
    double re[9], im[9];
    int n = 0;
    CHECK(flx_run_linearise(run, &io, NULL, &linear) == FLX_OK);
    CHECK(is_refused(ctx, flx_linear_find_zeros(ctx, &linear, 1, &wrong, &output, &n, re, im)));
    CHECK(is_refused(ctx, flx_linear_find_zeros(ctx, &linear, -1, &input, &output, &n, re, im)));
    const double w = (double)NAN;
    CHECK(is_refused(ctx, flx_linear_respond(ctx, &linear, 1, &w, re, im)));
    flx_linear_model_clear(&linear);
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_model_destroy(&m);

    static const flx_coefficients many = {.s = FLX_STAGES_MAX + 1};
    flx_method_properties properties;
    CHECK(is_refused(ctx, flx_coefficients_properties(ctx, &many, &properties)));
    flx_ctx_destroy(&ctx);
    return 0;
}

static int values_that_cannot_be(void)
{
    flx_ctx *ctx = flx_ctx_create();
    const double A[4] = {0, 1, 0, 0}, B[2] = {0, 1}, Q[4] = {1, 0, 0, 1}, R[1] = {1};
    double K[4], P[4], t[2] = {0, 1}, rate[2] = {1, (double)NAN}, turns[2];
    CHECK(is_refused(ctx, flx_lqr_find(ctx, 2, 1, A, B, Q, R, -0.1, K, P)));
    CHECK(is_refused(ctx, flx_lqr_find(ctx, 2, 1, A, B, Q, R, (double)NAN, K, P)));
    CHECK(is_refused(ctx, flx_kalman_find(ctx, 2, 1, A, B, Q, R, -0.1, K, P)));
    CHECK(is_refused(ctx, flx_sample_linear(ctx, 2, 1, A, B, -0.1, K, P)));
    CHECK(is_refused(ctx, flx_sample_linear(ctx, -2, 1, A, B, 0.1, K, P)));
    CHECK(is_refused(ctx, flx_order_turns(ctx, 2, t, rate, turns)));

    double x[3] = {0, 0, (double)NAN}, radius = 0.1, impulse[3] = {5, 5, 5}, angular[3];
    flx_particles_def def = {.count = 1,
                             .positions = x,
                             .radii = &radius,
                             .density = 1000,
                             .E = 1e6,
                             .nu = 0.3,
                             .restitution = 0.5};
    flx_particles *p = NULL;
    CHECK(is_refused(ctx, flx_particles_create(ctx, &def, &p)) && !p);
    x[2] = 0;
    def.gravity[2] = (double)INFINITY;
    CHECK(is_refused(ctx, flx_particles_create(ctx, &def, &p)) && !p);
    def.gravity[2] = 0;
    CHECK(flx_particles_create(ctx, &def, &p) == FLX_OK);
    const double unit[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[3] = {0, 0, 0};
    int wall = flx_particles_add_wall(p);
    CHECK(is_refused(ctx, flx_particles_add_surface(p, wall, FLX_WALL_BOX, zero, unit, zero, 0)));
    CHECK(is_refused(ctx,
                     flx_particles_add_surface(p, wall, (flx_wall_kind)99, zero, unit, unit, 0)));
    CHECK(is_refused(ctx, flx_particles_add(p, 2, NULL, NULL, NULL, NULL)));
    flx_particles_move_wall(p, wall + 1, zero, unit, zero, zero); // there is none: nothing moves
    flx_particles_wall_impulse(p, wall + 1, impulse, angular);
    CHECK(impulse[0] == 5 && isnan(flx_particles_wall_work(p, -1)));
    flx_particles_destroy(&p);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(lists_that_are_not_there), TEST(numbers_of_nothing), TEST(values_that_cannot_be))
