// test_run_threads.c - runs of one compiled system in 1, 2 and 4 threads have the same bits: each thread has a context of
// its own, and makes, drives, saves and clones runs while the others do. Under ThreadSanitizer there is nothing to report.
#include "base/checkpoint_walk.h"
#include "check.h"
#include "flexion/flexion.h"

#include <pthread.h>
#include <stdlib.h>

#define MOST_THREADS 4
#define RUNS 3   // of each thread
#define PIECES 8 // of each run

typedef struct worker {
    pthread_t thread;
    const flx_system *system; // shared
    double until;
    bool failed;
    uint64_t hash;
} worker;

static uint64_t hash_outputs(flx_run *run, uint64_t hash)
{
    int n;
    const double *y = flx_run_outputs(run, &n);
    if (y) hash = flx_hash(hash, y, (size_t)n * sizeof *y);
    y = flx_run_view(run, FLX_VIEW_Q, &n);
    return flx_hash(hash, y, (size_t)n * sizeof *y);
}

// In pieces, the second half by a clone.
static bool run_once(worker *w, flx_ctx *ctx)
{
    flx_run *run = NULL, *twin = NULL;
    bool good = flx_run_create(w->system, NULL, ctx, &run) == FLX_OK;
    for (int k = 1; k <= PIECES && good; k++) {
        flx_status status = flx_run_advance(run, w->until * k / PIECES);
        good = status == FLX_OK || status == FLX_STOPPED;
        w->hash = hash_outputs(run, w->hash);
        if (k != PIECES / 2 || !good) continue;
        good = flx_run_clone(run, ctx, &twin) == FLX_OK;
        flx_run_destroy(&run);
        run = twin;
    }
    if (good) {
        const flx_ledger *l = flx_run_ledger(run);
        w->hash = flx_hash(w->hash, &l->energy_drift, sizeof l->energy_drift);
        w->hash = flx_hash(w->hash, &l->work.steps, sizeof l->work.steps);
    }
    flx_run_destroy(&run);
    return good;
}

static void *work(void *user)
{
    worker *w = user;
    flx_ctx *ctx = flx_ctx_create();
    w->hash = FLX_HASH_START;
    for (int i = 0; i < RUNS && !w->failed; i++) w->failed = !run_once(w, ctx);
    const flx_message *m = flx_ctx_error(ctx, 0);
    if (m) printf("  %s\n", m->text);
    flx_ctx_destroy(&ctx);
    return NULL;
}

static int threads_agree(const char *example, double until, int threads, uint64_t *hash)
{
    char path[400];
    worker w[MOST_THREADS];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_system *system = NULL;
    snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", example);
    CHECK(flx_model_read(ctx, path, 0, NULL, &model) == FLX_OK);
    CHECK(flx_system_compile(model, NULL, ctx, &system) == FLX_OK);
    long before = flx_ctx_allocation_count(ctx);
    for (int i = 0; i < threads; i++) {
        w[i] = (worker){.system = system, .until = until};
        CHECK(pthread_create(&w[i].thread, NULL, work, &w[i]) == 0);
    }
    for (int i = 0; i < threads; i++) pthread_join(w[i].thread, NULL);
    for (int i = 0; i < threads; i++) {
        if (*hash == 0) *hash = w[0].hash;
        if (w[i].failed || w[i].hash != *hash) printf("  %s, %d threads\n", example, threads);
        CHECK(!w[i].failed && w[i].hash == *hash);
    }
    if (flx_ctx_allocation_count(ctx) != before) printf("  %s\n", example);
    CHECK(flx_ctx_allocation_count(ctx) == before); // nothing was made in the context of the system
    flx_system_destroy(&system);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int one_system_in_threads(void)
{
    static const struct {
        const char *name;
        double until;
    } examples[] = {{"slider_crank", 0.1},
                    {"four_bar", 0.1},
                    {"double_pendulum", 0.5},
                    {"bouncing_ball", 2.0},
                    {"sampled_control", 0.5},
                    {"joint_friction", 0.3},
                    {"motor_damper", 1.5},
                    {"two_mass_reduced", 0.5},
                    {"elastic_crank", 0.02},
                    {"heavy_top", 0.02},
                    {"gears", 0.3},
                    {"rubber_bar", 0.1},
                    {"condensed_chain", 0.05},
                    {"crane_cable", 0.02},
                    {"elastic_manipulator", 0.05},
                    {"double_rocker", 0.2},
                    {"tumbling_chain", 0.2},
                    {"stiff_coupling", 0.1}};
    size_t each = short_runs() ? 6 : 1; // a sixth where every operation is watched
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e += each) {
        uint64_t hash = 0;
        if (threads_agree(examples[e].name, examples[e].until, 1, &hash)) return 1;
        if (threads_agree(examples[e].name, examples[e].until, 2, &hash)) return 1;
        if (threads_agree(examples[e].name, examples[e].until, 4, &hash)) return 1;
    }
    return 0;
}

// ---- the system goes before its runs --------------------------------------------------------------

typedef struct orphan {
    pthread_t thread;
    pthread_barrier_t *made;
    const flx_system *system; // until the runs are made
    bool failed;
    uint64_t hash;
} orphan;

static bool go_on(flx_run *run, flx_ctx *ctx, orphan *o)
{
    flx_run *twin = NULL;
    if (flx_run_advance(run, 0.02) != FLX_OK) return false;
    if (flx_run_clone(run, ctx, &twin) != FLX_OK) return false;
    bool good = flx_run_reset(run) == FLX_OK && flx_run_advance(run, 0.02) == FLX_OK &&
                flx_run_advance(twin, 0.03) == FLX_OK;
    o->hash = hash_outputs(run, hash_outputs(twin, FLX_HASH_START));
    flx_run_destroy(&twin);
    return good;
}

static void *outlive(void *user)
{
    orphan *o = user;
    flx_run *run = NULL;
    flx_ctx *ctx = flx_ctx_create();
    o->failed = flx_run_create(o->system, NULL, ctx, &run) != FLX_OK;
    pthread_barrier_wait(o->made);
    if (!o->failed) o->failed = !go_on(run, ctx, o);
    flx_run_destroy(&run);
    flx_ctx_destroy(&ctx);
    return NULL;
}

static int runs_outlive_their_system(void)
{
    static const char *const examples[] = {"slider_crank", "two_mass_reduced", "tumbling_chain"};
    for (size_t e = 0; e < sizeof examples / sizeof examples[0]; e++) {
        char path[400];
        orphan o[MOST_THREADS];
        pthread_barrier_t made;
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        flx_system *system = NULL;
        snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", examples[e]);
        CHECK(flx_model_read(ctx, path, 0, NULL, &model) == FLX_OK);
        CHECK(flx_system_compile(model, NULL, ctx, &system) == FLX_OK);
        pthread_barrier_init(&made, NULL, MOST_THREADS + 1);
        for (int i = 0; i < MOST_THREADS; i++) {
            o[i] = (orphan){.made = &made, .system = system};
            CHECK(pthread_create(&o[i].thread, NULL, outlive, &o[i]) == 0);
        }
        flx_model_destroy(&model);
        pthread_barrier_wait(&made);
        flx_system_destroy(&system);
        CHECK(!system);
        for (int i = 0; i < MOST_THREADS; i++) pthread_join(o[i].thread, NULL);
        for (int i = 0; i < MOST_THREADS; i++) CHECK(!o[i].failed && o[i].hash == o[0].hash);
        pthread_barrier_destroy(&made);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// What is shared is only read: whatever a run does, the context of the model and the system takes no memory and hears nothing.
static int the_context_of_the_model_is_left_alone(void)
{
    static const char *const examples[] = {"slider_crank", "rubber_bar",     "elastic_crank",
                                           "collision",    "stack_of_boxes", "two_mass_reduced"};
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        char path[400];
        int n;
        flx_ctx *shared = flx_ctx_create(), *own = flx_ctx_create();
        flx_model *model = NULL;
        flx_system *system = NULL;
        flx_run *run = NULL, *twin = NULL;
        snprintf(path, sizeof path, FLX_EXAMPLES "/%s.yaml", examples[i]);
        CHECK(flx_model_read_by(shared, path, NULL, &model) == FLX_OK);
        CHECK(flx_system_compile(model, NULL, shared, &system) == FLX_OK);
        long taken = flx_ctx_allocation_count(shared);
        int told = flx_ctx_warning_count(shared);
        CHECK(flx_run_create(system, NULL, own, &run) == FLX_OK);
        CHECK(flx_run_step(run, 0.0, NULL) == FLX_OK && flx_run_outputs(run, &n));
        (void)flx_run_scene(run); // a model of equations has none
        (void)flx_run_motion(run, &n);
        CHECK(flx_run_ledger(run) && flx_run_save(run, NULL, 0) > 0);
        CHECK(flx_run_clone(run, own, &twin) == FLX_OK && flx_run_reset(twin) == FLX_OK);
        flx_run_destroy(&twin);
        flx_run_destroy(&run);
        if (flx_ctx_allocation_count(shared) != taken) printf("  %s\n", examples[i]);
        CHECK(flx_ctx_allocation_count(shared) == taken);
        CHECK(flx_ctx_warning_count(shared) == told && flx_ctx_error_count(shared) == 0);
        flx_system_destroy(&system);
        flx_model_destroy(&model);
        flx_ctx_destroy(&own);
        flx_ctx_destroy(&shared);
    }
    return 0;
}

TEST_MAIN(TEST(one_system_in_threads), TEST(runs_outlive_their_system),
          TEST(the_context_of_the_model_is_left_alone))
