// test_checkpoint.c - a method that is saved at any step and restored in a new one goes on bit for bit: every
// example with its own method, and every method that remembers on systems of all kinds.
//   test_checkpoint [MODEL...] [--methods MODEL...]
// In the environment, FLX_LONG: at 100 steps of each, else at 2 of short runs of every other model; FLX_SHORT: at one, of short runs, of a quarter of the models.
#include "base/checkpoint_walk.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "random_number.h"

#include "simulate/simulation_parts.h"

#include <stdlib.h>

#define MOST_STEPS 1500 // followed of one run
#define SOME_STEPS 500
#define STEPS_OF_MANY 250 // where every method follows it
#define SHORT_RUN 100
#define MOST_POINTS 100

static long most_steps = MOST_STEPS;

typedef struct point {
    long step;
    size_t size;
    unsigned char *bytes; // owned
} point;

// One run, step by step: the hash of each state, and checkpoints at some of them.
typedef struct follower {
    flx_integrator *it;
    const flx_state *x;
    long step, first; // steps seen, from the one that the run began with
    uint64_t hash[MOST_STEPS + 1];
    int npoint;
    point points[MOST_POINTS];
} follower;

static uint64_t hash_state(const flx_state *x)
{
    uint64_t hash = flx_hash(FLX_HASH_START, &x->t, sizeof x->t);
    return flx_hash(hash, x->block, x->size * sizeof *x->block);
}

static int on_step(void *user, const flx_state *x)
{
    follower *f = user;
    if (x != f->x) return 0; // between steps
    f->hash[f->step] = hash_state(x);
    for (int i = 0; i < f->npoint; i++) {
        point *p = f->points + i;
        if (p->step != f->step || p->bytes) continue;
        p->size = flx_integrator_save(f->it, x, NULL, 0);
        p->bytes = malloc(p->size);
        if (!p->bytes || flx_integrator_save(f->it, x, p->bytes, p->size) != p->size) return 1;
    }
    return f->step++ >= most_steps;
}

static flx_status follow(follower *f, flx_integrator *it, flx_state *x, double until, int resume)
{
    flx_schedule schedule = {.until = until, .steps = 1, .resume = resume};
    f->it = it;
    f->x = x;
    return flx_integrate(it, x, &schedule, on_step, f);
}

static void choose_points(follower *f, uint64_t *seed, int n, long steps)
{
    f->npoint = n;
    for (int i = 0; i < n; i++) {
        double part = 0.5 + 0.5 * random_number(seed);
        f->points[i] = (point){.step = 1 + (long)(part * (double)(steps - 2))};
    }
}

static void forget_points(follower *f)
{
    for (int i = 0; i < f->npoint; i++) free(f->points[i].bytes);
    f->npoint = 0;
}

// The run goes on from a checkpoint in a method of its own; the number of the first step that differs, -1: none.
static long go_on(const flx_system *s, const flx_integrator_def *def, const point *p,
                  const follower *whole, double until, follower *rest)
{
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    long differs = p->step;
    if (flx_integrator_create(s, def, &it) == FLX_OK && flx_state_create(s, &x) == FLX_OK &&
        flx_integrator_restore(it, x, p->bytes, p->size) == FLX_OK) {
        rest->step = p->step + 1;
        rest->npoint = 0;
        (void)follow(rest, it, x, until, 1);
        differs = rest->step == whole->step ? -1 : p->step;
        for (long i = p->step + 1; i < whole->step && i <= most_steps && differs == -1; i++) {
            if (rest->hash[i] != whole->hash[i]) differs = i;
        }
    }
    flx_state_destroy(&x);
    flx_integrator_destroy(&it);
    return differs;
}

static follower whole, rest; // large

// Returns the number of checkpoints after which the run differs; *tried counts them.
static int compare(const char *name, flx_simulation *sim, const flx_integrator_def *def, int points,
                   int *tried)
{
    static uint64_t seed = 1;
    const flx_system *s = sim->sys;
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    int failed = 0;
    for (int pass = 0; pass < 2; pass++) { // how many steps there are; then with checkpoints
        if (flx_integrator_create(s, def, &it) != FLX_OK || flx_state_create(s, &x) != FLX_OK)
            break;
        flx_state_copy(x, sim->start);
        if (pass) choose_points(&whole, &seed, points, whole.step);
        whole.step = 0;
        (void)follow(&whole, it, x, sim->until, 0);
        flx_state_destroy(&x);
        flx_integrator_destroy(&it);
        if (whole.step < 4) break; // refused, or over at once
    }
    for (int i = 0; i < whole.npoint; i++) {
        if (!whole.points[i].bytes) continue;
        long step = go_on(s, def, whole.points + i, &whole, sim->until, &rest);
        ++*tried;
        if (step < 0) continue;
        failed++;
        printf("%s: %s saved at step %ld of %ld goes on otherwise from step %ld\n", name,
               def->method, whole.points[i].step, whole.step - 1, step);
    }
    forget_points(&whole);
    flx_state_destroy(&x);
    flx_integrator_destroy(&it);
    return failed;
}

// Its own method, then all others for a few hundred steps.
static int check_model(const char *path, int points, bool all, int *tried)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    int failed = 0;
    if (flx_model_read(ctx, path, 0, NULL, &model) == FLX_OK &&
        flx_simulation_create(model, &sim) == FLX_OK && sim->it) {
        flx_integrator_def own = sim->it->def;
        if (flx_integrator_remembers(sim->it)) failed += compare(path, sim, &own, points, tried);
        for (const flx_integrator_type *const *t = flx_integrator_types(); *t && all; t++) {
            flx_integrator_def def = flx_integrator_def_default();
            if (!(*t)->memory) continue;
            def.method = (*t)->name;
            def.step = (*t)->adaptive ? 0.0 : 1e-3 * sim->until;
            failed += compare(path, sim, &def, points, tried);
            if (!(*t)->fixed || !(*t)->adaptive) continue;
            def.step = 1e-3 * sim->until;
            failed += compare(path, sim, &def, points, tried);
        }
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0, tried = 0, points = getenv("FLX_LONG") ? MOST_POINTS : 2, each = 1, k = 0;
    bool all = false;
    if (!getenv("FLX_LONG")) most_steps = SOME_STEPS, each = 2;
    if (short_runs()) {
        points = 1;
        each = 4;
        most_steps = SHORT_RUN;
    }
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--methods") == 0) {
            all = true;
            if (most_steps == SOME_STEPS) most_steps = STEPS_OF_MANY;
        } else {
            if (k++ % each == 0) failed += check_model(argv[i], points, all, &tried);
        }
    }
    printf("%d checkpoints of %d models go on bit for bit, %d do not\n", tried - failed,
           (k + each - 1) / each, failed);
    return failed > 0 || tried == 0;
}
