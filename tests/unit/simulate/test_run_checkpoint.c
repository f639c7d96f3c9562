// test_run_checkpoint.c - a run that is cut off goes on with the same rows and the same ledger; what does not belong to it is
// refused.
#include "simulation_rig.h"

#include "flexion/checkpoint.h"

#include <unistd.h>

#define KEPT "test_run_checkpoint.h5"

#define BALL(mass)                                                                                 \
    "flexion: 1\n"                                                                                 \
    "bodies: {b: {type: rigid, mass: " mass ", inertia: [1, 2, 2], position: [0, 0, 1],\n"         \
    "         angular_velocity: [1, 3, 0.1]}}\n"                                                   \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "forces: {d: {type: force, on: b, value: -0.1*b.velocity}}\n"                                  \
    "events: {bounce: {when: b.position.z < 0, set: {b.velocity: [0, 0, -0.9*b.velocity.z]}}}\n"   \
    "simulate: {until: 2, method: radau, rtol: 1e-6}\n"                                            \
    "outputs: {every: 0.01, signals: [b.position, b.angular_velocity, energy],\n"                  \
    "          metrics: {high: maximum(b.position.z), mean: mean(energy.kinetic)}}\n"

static int stop_after(void *user, double t, double until)
{
    (void)until;
    return t > *(double *)user;
}

// Cut off after t; the checkpoint is then the one of the interrupt.
static flx_status run_until(rig *r, double t)
{
    flx_sink *sinks[] = {&rows.base};
    FLX_TRY(flx_simulation_keep(r->sim, KEPT, 1e9, 0, NULL));
    return flx_simulation_run(r->sim, 1, sinks, stop_after, &t);
}

static kept whole; // large
static double measured[2];

static int make_whole(void)
{
    rig r;
    CHECK_OK(rig_make(&r, BALL("2")));
    CHECK_OK(rig_run(&r));
    whole = rows;
    for (int i = 0; i < 2; i++) (void)flx_simulation_metric(r.sim, i, measured + i);
    rig_free(&r);
    return 0;
}

static int check_rest(rig *rest)
{
    const flx_ledger *a = &whole.ledger, *b = flx_simulation_ledger(rest->sim);
    long bounces;
    double last, value;
    CHECK(rows.rows == whole.rows);
    for (int i = 0; i < whole.rows; i++) {
        CHECK(rows.t[i] == whole.t[i]);
        CHECK(memcmp(rows.value[i], whole.value[i], (size_t)whole.columns * sizeof(double)) == 0);
    }
    CHECK(a->energy_drift == b->energy_drift && a->supplied == b->supplied);
    CHECK(a->work.steps == b->work.steps && a->work.residuals == b->work.residuals);
    for (int i = 0; i < 2; i++) {
        (void)flx_simulation_metric(rest->sim, i, &value);
        CHECK(value == measured[i]);
    }
    CHECK(flx_simulation_event(rest->sim, 0, &bounces, &last) && bounces > 1);
    return 0;
}

static int a_run_goes_on_after_any_interrupt(void)
{
    if (make_whole()) return 1;
    for (double t = 0.0; t < 1.9; t += 0.17) {
        rig r;
        flx_checkpoint *c = NULL;
        CHECK_OK(rig_make(&r, BALL("2")));
        CHECK(run_until(&r, t) == FLX_INTERRUPTED);
        rig_free(&r);
        CHECK_OK(rig_make(&r, BALL("2")));
        CHECK_OK(flx_checkpoint_open(r.ctx, KEPT, &c));
        CHECK(flx_checkpoint_time(c) > t);
        CHECK_OK(flx_simulation_resume(r.sim, c));
        CHECK_OK(rig_run(&r));
        if (check_rest(&r)) return 1;
        flx_checkpoint_close(&c);
        rig_free(&r);
        CHECK(access(KEPT ".checkpoint", F_OK) != 0 && access(KEPT ".rows", F_OK) != 0);
    }
    return 0;
}

static int refused(rig *r, flx_status status, const char *why)
{
    int n = flx_ctx_error_count(r->ctx);
    CHECK(status < 0);
    CHECK(n > 0);
    CHECK_TEXT(flx_ctx_error(r->ctx, n - 1)->text, why);
    return 0;
}

static long cut(const char *name, long bytes)
{
    FILE *f = fopen(name, "r+b");
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    fclose(f);
    return truncate(name, size - bytes) == 0 ? size : -1;
}

static int what_does_not_belong_to_it_is_refused(void)
{
    rig r;
    flx_checkpoint *c = NULL;
    CHECK_OK(rig_make(&r, BALL("2")));
    CHECK(run_until(&r, 0.5) == FLX_INTERRUPTED);
    rig_free(&r);

    CHECK_OK(rig_make(&r, BALL("3")));
    CHECK_OK(flx_checkpoint_open(r.ctx, KEPT, &c));
    if (refused(&r, flx_simulation_resume(r.sim, c), "its file has changed")) return 1;
    flx_checkpoint_close(&c);
    rig_free(&r);

    CHECK_OK(rig_make(&r, BALL("2")));
    CHECK_OK(flx_checkpoint_open(r.ctx, KEPT, &c));
    CHECK_OK(flx_simulation_resume(r.sim, c));
    CHECK(cut(KEPT ".rows", 100) > 0);
    if (refused(&r, rig_run(&r), "does not have the rows")) return 1;
    flx_checkpoint_close(&c);
    CHECK(cut(KEPT ".checkpoint", 1) > 0);
    if (refused(&r, flx_checkpoint_open(r.ctx, KEPT, &c), "damaged")) return 1;
    CHECK(!c);
    CHECK(truncate(KEPT ".checkpoint", 3) == 0);
    if (refused(&r, flx_checkpoint_open(r.ctx, KEPT, &c), "not a checkpoint")) return 1;
    unlink(KEPT ".checkpoint");
    unlink(KEPT ".rows");
    if (refused(&r, flx_checkpoint_open(r.ctx, KEPT, &c), "nothing to go on from")) return 1;
    rig_free(&r);
    return 0;
}

TEST_MAIN(TEST(a_run_goes_on_after_any_interrupt), TEST(what_does_not_belong_to_it_is_refused))
