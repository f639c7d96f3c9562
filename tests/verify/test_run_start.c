// test_run_start.c - a run before its first step is in the state of the first row: what is due at the start has happened.
#include "flexion/extend/method_table.h"
#include "run_rig.h"

#include <math.h>
#include <stdlib.h>

// A controller's first sample is at t = 0, where it reads the angle 0.15: u = -32*0.15. An event that this sets off gives the
// second cart a speed.
static const char MODEL[] =
    "flexion: 1\ndimension: 2\ninputs: {r: 0}\nparameters: {last: -100}\n"
    "bodies:\n"
    "  cart: {type: rigid, mass: 1, inertia: 1}\n"
    "  other: {type: rigid, mass: 2, inertia: 1}\n"
    "joints:\n"
    "  rail: {type: prismatic, on: [ground, cart], at: [0, 0], axis: [1, 0], "
    "initial: {displacement: 0.15}}\n"
    "  slide: {type: prismatic, on: [ground, other], at: [0, 0], axis: [1, 0]}\n"
    "equations: {discrete: {u: {at: 0}}}\n"
    "forces: {drive: {type: force, on: rail, value: u}}\n"
    "events:\n"
    "  sample: {every: 0.04, set: {u: \"32*(r - rail.displacement)\"}}\n"
    "  kick: {when: u < -1, set: {slide.rate: 0.5}}\n"
    "  late: {when: u < last, stop: true}\n"
    "simulate: {until: 1, method: dopri5, rtol: 1e-8}\n"
    "outputs: {every: 0.02, signals: [u, sample.count, slide.rate, cart.acceleration.x]}\n";
enum { U, COUNT, RATE, ACCELERATION, OUTPUTS };

typedef struct told {
    int nevent, nrow, events[200];
    double t, first[OUTPUTS];
    bool stops;
} told;

static int on_event(void *user, double t, int event, const char *name)
{
    (void)name;
    told *d = user;
    if (d->nevent < 200) d->events[d->nevent] = event;
    if (d->nevent++ == 0) d->t = t;
    return d->stops;
}

static int on_row(void *user, double t, int n, const double *outputs)
{
    told *d = user;
    (void)t;
    if (d->nrow++ == 0) memcpy(d->first, outputs, (size_t)n * sizeof *outputs);
    return 0;
}

static int set_up(rig *r, told *d)
{
    *r = (rig){.ctx = flx_ctx_create()};
    *d = (told){0};
    flx_read_def def = flx_read_def_default();
    def.text = MODEL;
    def.length = strlen(MODEL);
    if (rig_compile(r, flx_model_read_by(r->ctx, "text", &def, &r->model), false)) return 1;
    flx_run_def run = flx_run_def_default();
    run.event = on_event;
    run.row = on_row;
    run.user = d;
    CHECK(flx_run_create(r->system, &run, r->ctx, &r->run) == FLX_OK);
    return 0;
}

static int is_at_start(flx_run *run, double u)
{
    int n;
    const double *y = flx_run_outputs(run, &n);
    CHECK(y && n == OUTPUTS && flx_run_time(run) == 0.0);
    CHECK_NEAR(y[U], u, 1e-12);
    CHECK_NEAR(y[ACCELERATION], u, 1e-12);
    CHECK(y[COUNT] == 1.0);
    CHECK_NEAR(y[RATE], u < -1 ? 0.5 : 0.0, 1e-12);
    return 0;
}

// Told once, in their order, with the first step, and the first row is what the outputs were.
static int is_told_once(rig *r, const told *d)
{
    double before[OUTPUTS];
    memcpy(before, flx_run_outputs(r->run, NULL), sizeof before);
    CHECK(d->nevent == 0 && d->nrow == 0);
    CHECK(flx_run_advance(r->run, 0.01) == FLX_OK);
    CHECK(d->nevent == 2 && d->nrow == 1 && d->t == 0.0 && d->events[0] == 0 && d->events[1] == 1);
    CHECK(memcmp(before, d->first, sizeof before) == 0);
    CHECK(flx_run_advance(r->run, 0.05) == FLX_OK && d->nevent == 3 && d->events[2] == 0);
    return 0;
}

static int first_samples_are_in_the_first_state(void)
{
    rig r;
    told d;
    if (set_up(&r, &d) || is_at_start(r.run, -4.8) || is_told_once(&r, &d)) return 1;
    CHECK(flx_run_reset(r.run) == FLX_OK);
    d = (told){0};
    if (is_at_start(r.run, -4.8) || is_told_once(&r, &d)) return 1;
    put_away(&r);
    return 0;
}

// An input makes the start anew: nothing of the one before is left, nor told.
static int inputs_make_the_first_sample_anew(void)
{
    rig r;
    told d;
    const double target[] = {0.25, 0.05};
    if (set_up(&r, &d)) return 1;
    CHECK(flx_run_set_input(r.run, 0, 1, target) == FLX_OK);
    if (is_at_start(r.run, 3.2)) return 1;
    CHECK(flx_run_set_input(r.run, 0, 1, target + 1) == FLX_OK);
    if (is_at_start(r.run, -3.2) || is_told_once(&r, &d)) return 1;
    put_away(&r);
    return 0;
}

static int copies_start_alike(void)
{
    rig r;
    told d;
    flx_run *copy, *other;
    double want[OUTPUTS];
    if (set_up(&r, &d)) return 1;
    size_t size = flx_run_save(r.run, NULL, 0);
    void *block = malloc(size);
    CHECK(block && flx_run_save(r.run, block, size) == size);
    CHECK(flx_run_clone(r.run, r.ctx, &copy) == FLX_OK);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &other) == FLX_OK);
    CHECK(flx_run_advance(other, 0.3) == FLX_OK);
    CHECK(flx_run_restore(other, block, size) == FLX_OK);
    free(block);
    if (is_at_start(copy, -4.8) || is_at_start(other, -4.8)) return 1;
    flx_run *runs[] = {r.run, copy, other};
    for (int k = 0; k < 3; k++) {
        d = (told){0};
        CHECK(flx_run_advance(runs[k], 0.3) == FLX_OK);
        CHECK(d.nevent == (k < 2 ? 9 : 0)); // eight samples and a kick; the last run tells nobody
        const double *y = flx_run_outputs(runs[k], NULL);
        if (k == 0) memcpy(want, y, sizeof want);
        CHECK(y && memcmp(y, want, sizeof want) == 0);
    }
    flx_run_destroy(&copy);
    flx_run_destroy(&other);
    put_away(&r);
    return 0;
}

// The sample is of the state that was set, and the speed of what it no longer sets off is as it was.
static int states_are_set_before_the_first_sample(void)
{
    rig r;
    told d;
    int n;
    if (set_up(&r, &d)) return 1;
    double q[20];
    const double *has = flx_run_view(r.run, FLX_VIEW_Q, &n);
    CHECK(n <= 20);
    for (int i = 0; i < n; i++) q[i] = fabs(has[i] - 0.15) < 1e-12 ? -0.1 : has[i];
    CHECK(flx_run_set_state(r.run, q, NULL, NULL, NULL) == FLX_OK);
    CHECK(flx_run_get(r.run, RATE) == 0.0 && flx_run_get(r.run, COUNT) == 0.0);
    CHECK(flx_run_advance(r.run, 0.01) == FLX_OK);
    CHECK_NEAR(flx_run_get(r.run, U), 3.2, 1e-12);
    CHECK(flx_run_get(r.run, RATE) == 0.0 && flx_run_get(r.run, COUNT) == 1.0 && d.nevent == 1);
    put_away(&r);
    return 0;
}

static bool was_ended_by(const flx_run *run, const char *event)
{
    const char *by = flx_run_stopped_by(run);
    return by && strcmp(by, event) == 0;
}

static int motions_may_end_at_the_start(void)
{
    rig r;
    told d;
    if (set_up(&r, &d)) return 1;
    d.stops = true; // the callback
    CHECK(flx_run_advance(r.run, 0.5) == FLX_STOPPED && flx_run_time(r.run) == 0.0);
    CHECK(d.nevent == 2 && was_ended_by(r.run, "kick"));
    d = (told){0}; // an event
    int last = flx_system_parameter(r.system, "last", r.ctx);
    CHECK(flx_run_set_parameter(r.run, last, -2.0) == FLX_OK && flx_run_reset(r.run) == FLX_OK);
    CHECK(was_ended_by(r.run, "late"));
    if (is_at_start(r.run, -4.8)) return 1;
    CHECK(flx_run_advance(r.run, 0.5) == FLX_STOPPED && flx_run_time(r.run) == 0.0);
    CHECK(d.nevent == 3 && d.nrow == 1);
    CHECK(flx_run_set_parameter(r.run, last, -100.0) == FLX_OK && flx_run_reset(r.run) == FLX_OK);
    CHECK(!flx_run_stopped_by(r.run) && flx_run_advance(r.run, 0.5) == FLX_OK);
    put_away(&r);
    return 0;
}

TEST_MAIN(TEST(first_samples_are_in_the_first_state), TEST(inputs_make_the_first_sample_anew),
          TEST(copies_start_alike), TEST(states_are_set_before_the_first_sample),
          TEST(motions_may_end_at_the_start))
