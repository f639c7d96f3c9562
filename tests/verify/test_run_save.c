// test_run_save.c - a run that is saved at any step and restored, in a run that is new or elsewhere, goes on bit for
// bit, with its outputs and its account: examples with every own method, events, friction, reductions.
// In the environment, FLX_LONG: at 100 random steps of each, else at 3.
#include "base/checkpoint_walk.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "random_number.h"

#include <stdlib.h>
#include <string.h>

#define MOST_STEPS 120
#define LONG_STEPS 400

typedef struct sample {
    const char *example, *method; // method NULL: the example's own
    double step;                  // of it; 0: with error control
} sample;

// Own methods: all of them.
static const sample samples[] = {
    {"pendulum", NULL, 0},
    {"bouncing_ball", NULL, 0},
    {"sampled_control", NULL, 0},
    {"joint_friction", NULL, 0},
    {"slider_crank", NULL, 0},
    {"four_bar", NULL, 0},
    {"gears", NULL, 0},
    {"heavy_top", NULL, 0},
    {"crane_cable", NULL, 0},
    {"rubber_bar", NULL, 0},
    {"two_body_variational", NULL, 0},
    {"two_mass_reduced", NULL, 0},
    {"double_rocker", NULL, 0},
    {"collision", NULL, 0},
    {"elastic_crank", NULL, 0},
    {"speed_control", NULL, 0},
    {"sleigh", NULL, 0},
    {"mobot", NULL, 0},
    {"motor_damper", NULL, 0},
    {"condensed_chain", NULL, 0},
    {"woodpecker", NULL, 0},
    {"stick_slip", NULL, 0},
    {"kicking_leg", NULL, 0},
    {"thrown_ball", NULL, 0},
    {"turntable", NULL, 0},
    {"hertz_spheres", NULL, 0},
    {"stack_of_boxes", NULL, 0},
    {"double_pendulum", "variational", 1e-3},
    {"double_pendulum", "newmark", 1e-3},
    {"double_pendulum", "hht", 0},
    {"double_pendulum", "gauss", 1e-2},
    {"double_pendulum", "midpoint", 1e-3},
    {"double_pendulum", "trapezoidal", 1e-3},
    {"double_pendulum", "lobatto", 1e-2},
    {"double_pendulum", "implicit-euler", 0},
    {"double_pendulum", "euler", 1e-4},
    {"double_pendulum", "rk4", 1e-3},
    {"double_pendulum", "dop853", 0},
    {"double_pendulum", "generalized-alpha", 0},
    {"slider_crank", "radau", 0},
    {"four_bar_flexible", "dopri5", 0},
    {"../tests/models/11-four-bar-modal", "radau", 0},
};

typedef struct rig {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *system;
    flx_run_def def;
} rig;

static int set_up(const sample *s, rig *r)
{
    char path[400];
    snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", s->example);
    *r = (rig){.ctx = flx_ctx_create(), .def = flx_run_def_default()};
    CHECK(flx_model_read(r->ctx, path, 0, NULL, &r->model) == FLX_OK);
    CHECK(flx_system_compile(r->model, NULL, r->ctx, &r->system) == FLX_OK);
    if (!s->method) return 0;
    r->def.method = flx_integrator_def_default();
    r->def.method.method = s->method;
    r->def.method.step = s->step;
    return 0;
}

static void put_away(rig *r)
{
    flx_system_destroy(&r->system);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

static uint64_t hash_run(flx_run *run)
{
    int n;
    double t = flx_run_time(run);
    uint64_t hash = flx_hash(FLX_HASH_START, &t, sizeof t);
    for (int view = FLX_VIEW_Q; view <= FLX_VIEW_MU; view++) {
        const double *x = flx_run_view(run, (flx_view)view, &n);
        hash = flx_hash(hash, x, (size_t)n * sizeof *x);
    }
    const double *y = flx_run_outputs(run, &n);
    return y ? flx_hash(hash, y, (size_t)n * sizeof *y) : 0;
}

static uint64_t hash_ledger(flx_run *run)
{
    const flx_ledger *l = flx_run_ledger(run);
    const double numbers[] = {
        l->energy_start, l->energy_end,        l->dissipated,         l->supplied,
        l->energy_drift, l->position_residual, l->velocity_residual,  l->dropped_residual,
        l->step_error,   (double)l->balanced,  (double)l->work.steps, (double)l->work.residuals};
    return flx_hash(FLX_HASH_START, numbers, sizeof numbers);
}

// Steps to the end, or as many as are followed; a hash of each.
static int follow(flx_run *run, int from, int most, uint64_t *hash)
{
    int k = from;
    for (flx_status s = FLX_OK; k < most && s == FLX_OK;) {
        s = flx_run_step(run, 0.0, NULL);
        if (s != FLX_OK && s != FLX_STOPPED) break;
        hash[k++] = hash_run(run);
    }
    return k;
}

static int goes_on(const sample *s, int points, int most)
{
    static uint64_t whole[LONG_STEPS], rest[LONG_STEPS], seed = 5;
    rig r;
    flx_run *run = NULL, *other = NULL;
    if (set_up(s, &r)) return 1;
    CHECK(flx_run_create(r.system, &r.def, r.ctx, &run) == FLX_OK);
    int n = follow(run, 0, most, whole);
    uint64_t ledger = hash_ledger(run);
    CHECK(n > 5);
    for (int p = 0; p < points; p++) {
        int at = (int)(1.0 + (double)(n - 2) * (0.5 + 0.5 * random_number(&seed)));
        if (at < 1 || at >= n) at = n / 2;
        CHECK(flx_run_reset(run) == FLX_OK && follow(run, 0, at, rest) == at);
        CHECK(memcmp(rest, whole, (size_t)at * sizeof *rest) == 0); // as if it were new
        size_t size = flx_run_save(run, NULL, 0);
        unsigned char *bytes = malloc(size);
        CHECK(bytes && flx_run_save(run, bytes, size - 1) == size);
        CHECK(flx_run_save(run, bytes, size) == size);
        // in a run that is new, or in one that is elsewhere
        if (p % 2 == 0) flx_run_destroy(&other);
        if (!other) CHECK(flx_run_create(r.system, &r.def, r.ctx, &other) == FLX_OK);
        CHECK(flx_run_restore(other, bytes, size) == FLX_OK);
        free(bytes);
        int m = follow(other, at, most, rest), differs = -1;
        for (int k = at; k < n && differs < 0; k++) {
            if (m != n || rest[k] != whole[k]) differs = k;
        }
        if (differs >= 0) {
            printf("  %s%s%s: saved after step %d of %d, another one is %d (%d)\n", s->example,
                   s->method ? ", " : "", s->method ? s->method : "", at, n, differs, m);
        }
        CHECK(differs < 0 && hash_ledger(other) == ledger);
    }
    flx_run_destroy(&other);
    flx_run_destroy(&run);
    put_away(&r);
    return 0;
}

static int all_go_on(void)
{
    bool all = getenv("FLX_LONG") != NULL;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        if (goes_on(samples + i, all ? 100 : 3, all ? LONG_STEPS : MOST_STEPS)) {
            printf("  %s %s\n", samples[i].example, samples[i].method ? samples[i].method : "");
            return 1;
        }
    }
    return 0;
}

static int clones_part(void)
{
    rig r;
    flx_run *run = NULL, *twin = NULL;
    if (set_up(&(sample){.example = "joint_friction"}, &r)) return 1;
    flx_ctx *other = flx_ctx_create();
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 0.7) == FLX_OK);
    CHECK(flx_run_clone(run, other, &twin) == FLX_OK);
    CHECK(hash_run(run) == hash_run(twin) && flx_run_messages(twin) == other);
    CHECK(flx_run_advance(run, 1.5) == FLX_OK && hash_run(run) != hash_run(twin));
    CHECK(flx_run_advance(twin, 1.5) == FLX_OK && hash_run(run) == hash_run(twin));
    CHECK(hash_ledger(run) == hash_ledger(twin));
    flx_run_destroy(&run); // the twin has nothing of it
    CHECK(flx_run_advance(twin, 2.0) == FLX_OK);
    flx_run_destroy(&twin);
    flx_ctx_destroy(&other);
    put_away(&r);
    return 0;
}

// What is not a block of this run changes nothing.
static int foreign_blocks(void)
{
    rig r, s;
    flx_run *run = NULL, *other = NULL;
    flx_run_def def = flx_run_def_default();
    static unsigned char bytes[200000], foreign[200000];
    if (set_up(&(sample){.example = "slider_crank"}, &r)) return 1;
    if (set_up(&(sample){.example = "four_bar"}, &s)) return 1;
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_advance(run, 0.1) == FLX_OK);
    size_t size = flx_run_save(run, bytes, sizeof bytes);
    CHECK(size <= sizeof bytes);
    CHECK(flx_run_advance(run, 0.2) == FLX_OK);
    uint64_t here = hash_run(run);
    // damaged anywhere, cut off, empty
    uint64_t seed = 3;
    for (int k = 0; k < 200; k++) {
        size_t at = (size_t)((0.5 + 0.499 * random_number(&seed)) * (double)size);
        if (k < 80) at = (size_t)k;
        bytes[at] ^= 16;
        CHECK(flx_run_restore(run, bytes, size) == FLX_ERR_ARGUMENT);
        bytes[at] ^= 16;
    }
    CHECK(flx_run_restore(run, bytes, size - 8) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_restore(run, bytes, 8) == FLX_ERR_ARGUMENT);
    CHECK(flx_run_restore(run, NULL, 0) == FLX_ERR_ARGUMENT);
    // of another model, of another method
    CHECK(flx_run_create(s.system, NULL, s.ctx, &other) == FLX_OK);
    size_t n = flx_run_save(other, foreign, sizeof foreign);
    CHECK(flx_run_restore(run, foreign, n) == FLX_ERR_ARGUMENT);
    flx_run_destroy(&other);
    def.method = flx_integrator_def_default();
    def.method.method = "radau";
    CHECK(flx_run_create(r.system, &def, r.ctx, &other) == FLX_OK);
    n = flx_run_save(other, foreign, sizeof foreign);
    CHECK(n <= sizeof foreign && flx_run_restore(run, foreign, n) == FLX_ERR_ARGUMENT);
    CHECK(hash_run(run) == here && flx_run_time(run) == 0.2);
    CHECK(flx_run_restore(run, bytes, size) == FLX_OK && flx_run_time(run) == 0.1);
    CHECK(flx_run_advance(run, 0.2) == FLX_OK && hash_run(run) == here);
    flx_run_destroy(&other);
    flx_run_destroy(&run);
    put_away(&r);
    put_away(&s);
    return 0;
}

// The same model with another value of a parameter that is no longer one is another system.
static int other_parameters(void)
{
    rig r, s = {.ctx = flx_ctx_create()};
    flx_run *run = NULL, *other = NULL;
    static unsigned char bytes[200000];
    const char *set[] = {"stall=2"};
    if (set_up(&(sample){.example = "slider_crank"}, &r)) return 1;
    CHECK(flx_model_read(s.ctx, FLX_EXAMPLES "/slider_crank.yaml", 1, set, &s.model) == FLX_OK);
    CHECK(flx_system_compile(s.model, NULL, s.ctx, &s.system) == FLX_OK);
    CHECK(flx_run_create(r.system, NULL, r.ctx, &run) == FLX_OK);
    CHECK(flx_run_create(s.system, NULL, s.ctx, &other) == FLX_OK);
    size_t n = flx_run_save(run, bytes, sizeof bytes);
    CHECK(flx_run_restore(other, bytes, n) == FLX_ERR_ARGUMENT);
    CHECK_TEXT(flx_ctx_error(s.ctx, 0)->text, "another model");
    flx_run_destroy(&run);
    flx_run_destroy(&other);
    put_away(&r);
    put_away(&s);
    return 0;
}

// Methods of SUNDIALS begin anew, and say so.
static int forgetful_methods(void)
{
    static unsigned char bytes[400000];
    static const char *const methods[] = {"bdf", "adams"};
    for (int k = 0; k < 2; k++) {
        rig r;
        flx_run *run = NULL;
        if (set_up(&(sample){"double_pendulum", methods[k], 0}, &r)) return 1;
        r.def.method.rtol = 1e-8;
        r.def.method.atol = 1e-10;
        flx_status status = flx_run_create(r.system, &r.def, r.ctx, &run);
        if (status == FLX_ERR_UNAVAILABLE) {
            put_away(&r);
            return 0;
        }
        CHECK(status == FLX_OK && flx_run_advance(run, 0.5) == FLX_OK);
        size_t n = flx_run_save(run, bytes, sizeof bytes);
        CHECK(flx_run_advance(run, 1.0) == FLX_OK && flx_ctx_warning_count(r.ctx) == 0);
        double there = flx_run_view(run, FLX_VIEW_Q, NULL)[0];
        CHECK(flx_run_restore(run, bytes, n) == FLX_OK && flx_run_time(run) == 0.5);
        CHECK(flx_ctx_warning_count(r.ctx) == 1);
        CHECK_TEXT(flx_ctx_warning(r.ctx, 0)->text, "at order 1");
        CHECK(flx_run_advance(run, 1.0) == FLX_OK);
        CHECK_NEAR(flx_run_view(run, FLX_VIEW_Q, NULL)[0], there, 1e-5);
        flx_run_destroy(&run);
        put_away(&r);
    }
    return 0;
}

// Factors that follow from the numbers beside them are left out of a block, and made again by the next step: of a chain in joint
// coordinates. A run that is restored, and saved again before a step, is the same block.
static int leaves_out(const char *method, size_t most)
{
    static const char form[] =
        "flexion: 1\nparameters: {N: 20}\n"
        "bodies: {link: {repeat: {i: [1, N]}, type: rigid, mass: 1, com: [0.1, 0, 0], inertia: "
        "[0.1, 0.1, 0.1],"
        " position: [0.1*(i-1), 0, 0]}}\n"
        "joints:\n  first: {type: revolute, on: [ground, link(1)], at: [0, 0, 0], axis: [0, 1, "
        "0]}\n"
        "  pin: {repeat: {i: [2, N]}, type: revolute, on: [link(i-1), link(i)], at: link(i), axis: "
        "[0, 1, 0]}\n"
        "gravity: [0, 0, -9.81]\n"
        "simulate: {until: 2, method: %s, formulation: tree}\n";
    char text[1000];
    rig g = {.ctx = flx_ctx_create(), .def = flx_run_def_default()};
    flx_run *run = NULL, *other = NULL, *third = NULL;
    int n;
    snprintf(text, sizeof text, form, method);
    CHECK(flx_model_read_text(g.ctx, "chain", text, strlen(text), 0, NULL, &g.model) == FLX_OK);
    CHECK(flx_system_compile(g.model, NULL, g.ctx, &g.system) == FLX_OK);
    CHECK(flx_run_create(g.system, &g.def, g.ctx, &run) == FLX_OK);
    for (int k = 0; k < 25; k++) {
        CHECK(flx_run_step(run, 1e9, NULL) == FLX_OK);
        size_t size = flx_run_save(run, NULL, 0);
        unsigned char *block = malloc(size), *again = malloc(size);
        CHECK(block && again && flx_run_save(run, block, size) == size);
        CHECK(size < most);
        CHECK(flx_run_create(g.system, &g.def, g.ctx, &other) == FLX_OK);
        CHECK(flx_run_create(g.system, &g.def, g.ctx, &third) == FLX_OK);
        CHECK(flx_run_restore(other, block, size) == FLX_OK);
        CHECK(flx_run_save(other, again, size) == size && memcmp(block, again, size) == 0);
        CHECK(flx_run_restore(third, again, size) == FLX_OK);
        CHECK(flx_run_step(run, 1e9, NULL) == FLX_OK && flx_run_step(third, 1e9, NULL) == FLX_OK);
        CHECK(flx_run_advance(third, flx_run_time(run)) == FLX_OK);
        const double *v = flx_run_view(run, FLX_VIEW_V, &n),
                     *w = flx_run_view(third, FLX_VIEW_V, &n);
        CHECK(flx_run_time(run) == flx_run_time(third) && memcmp(v, w, (size_t)n * sizeof *v) == 0);
        flx_run_destroy(&other);
        flx_run_destroy(&third);
        free(block);
        free(again);
    }
    flx_run_destroy(&run);
    flx_system_destroy(&g.system);
    flx_model_destroy(&g.model);
    flx_ctx_destroy(&g.ctx);
    return 0;
}

static int factors_follow(void)
{
    CHECK(leaves_out("radau, rtol: 1e-8", 60000) == 0); // 240 000 bytes with the factors
    CHECK(leaves_out("generalized-alpha, step: 1e-3", 115000) == 0); // 132 000
    CHECK(leaves_out("hht, rtol: 1e-5", 115000) == 0);
    return 0;
}

TEST_MAIN(TEST(clones_part), TEST(factors_follow), TEST(foreign_blocks), TEST(other_parameters),
          TEST(forgetful_methods), TEST(all_go_on))
