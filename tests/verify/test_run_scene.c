// test_run_scene.c - runs that their owner looks at, and states handed from one run to another at their time.
#include "run_rig.h"

#include <math.h>
#include <string.h>

static int set_up(const char *text, rig *r)
{
    *r = (rig){.ctx = flx_ctx_create()};
    CHECK(r->ctx != NULL);
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    return rig_compile(r, flx_model_read_by(r->ctx, "text", &def, &r->model), true);
}

static const char swing[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {T: 0.4}\n"
    "bodies:\n"
    "  rod: {type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [1e-3, 0.08, 0.08], "
    "points: {tip: [1, 0, 0]}}\n"
    "joints: {hinge: {type: revolute, on: [ground, rod], at: [0, 0, 0.3], axis: [0, 1, 0]}}\n"
    "forces: {motor: {type: torque, on: hinge, value: T*sin(3*t)}}\n"
    "simulate: {until: 2, method: dopri5, rtol: 1e-10, formulation: tree}\n"
    "outputs: {signals: [rod.position, rod.tip.position, hinge.angle]}\n";

// The frame of the body, and its point by the quaternion, are where the signals say.
static int motion_is_that_of_the_signals(void)
{
    rig r;
    if (set_up(swing, &r)) return 1;
    const flx_result_info *info = flx_run_scene(r.run);
    CHECK(info && info->scene && info->scene->nbody == 1 && info->nmotion == FLX_SCENE_MOTION);
    const double *first = flx_run_motion(r.run, NULL);
    for (int k = 0; k < 3; k++) {
        int n, no;
        const double *m = flx_run_motion(r.run, &n), *y = flx_run_outputs(r.run, &no);
        CHECK(m == first && n == FLX_SCENE_MOTION && no == 7);
        double angle = 2.0 * atan2(m[5], m[3]);
        for (int i = 0; i < 3; i++) CHECK_NEAR(m[i], y[i], 1e-12);
        CHECK_NEAR(m[0] + cos(angle), y[3], 1e-12);
        CHECK_NEAR(m[2] - sin(angle), y[5], 1e-12);
        CHECK(k == 0 || fabs(y[6]) > 0.1);
        CHECK(flx_run_advance(r.run, 0.3 * (k + 1)) == FLX_OK);
    }
    put_away(&r);
    return 0;
}

static int nothing_to_see(void)
{
    rig r;
    int n = 7;
    if (set_up("flexion: 1\nequations: {first_order: {y: {at: 1, derivative: -y}}}\n"
               "simulate: {until: 1}\noutputs: {signals: [y]}\n",
               &r))
        return 1;
    CHECK(flx_run_scene(r.run) && !flx_run_scene(r.run)->scene);
    CHECK(flx_run_motion(r.run, &n) == NULL && n == 0);
    put_away(&r);
    return 0;
}

// A motion that another run goes on with, from its time on: the torque depends on it.
static int a_state_is_handed_over(void)
{
    rig r, other;
    if (set_up(swing, &r) || set_up(swing, &other)) return 1;
    CHECK(flx_run_advance(r.run, 0.7) == FLX_OK);
    const double *q = flx_run_view(r.run, FLX_VIEW_Q, NULL),
                 *v = flx_run_view(r.run, FLX_VIEW_V, NULL);
    CHECK(flx_run_set_state_at(other.run, 0.7, q, v, NULL, NULL) == FLX_OK);
    CHECK(flx_run_time(other.run) == 0.7);
    CHECK(flx_run_advance(r.run, 1.6) == FLX_OK && flx_run_advance(other.run, 1.6) == FLX_OK);
    CHECK_NEAR(flx_run_get(r.run, 6), flx_run_get(other.run, 6), 1e-8);
    // without the time it is another motion
    CHECK(flx_run_reset(other.run) == FLX_OK && flx_run_time(other.run) == 0.0);
    CHECK(flx_run_reset(r.run) == FLX_OK && flx_run_advance(r.run, 0.7) == FLX_OK);
    CHECK(flx_run_set_state(other.run, q, v, NULL, NULL) == FLX_OK);
    CHECK(flx_run_advance(r.run, 1.6) == FLX_OK && flx_run_advance(other.run, 0.9) == FLX_OK);
    CHECK(fabs(flx_run_get(r.run, 6) - flx_run_get(other.run, 6)) > 1e-3);
    CHECK(flx_run_set_state_at(other.run, (double)NAN, q, v, NULL, NULL) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_time(other.run) == 0.9);
    put_away(&r);
    put_away(&other);
    return 0;
}

TEST_MAIN(TEST(motion_is_that_of_the_signals), TEST(nothing_to_see), TEST(a_state_is_handed_over))
