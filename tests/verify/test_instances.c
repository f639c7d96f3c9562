// test_instances.c - instances of one compiled system give its bits: everything that can be asked of a system, at states that
// are not consistent; steps of several methods; and all of that by four threads at a time, each with a context of its own.
//   test_instances [--evaluate | --threads] MODEL...
// In the environment, FLX_SHORT: fewer steps and methods, of an eighth of the models; FLX_LONG: more of both.
#include "base/checkpoint_walk.h"
#include "check.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "math/pattern.h"
#include "random_number.h"
#include "simulate/simulation_parts.h"

#include <pthread.h>
#include <stdlib.h>

#define THREADS 4
#define MOST_METHODS 32

static int most_steps = 12, most_methods = 3;

static uint64_t hash_numbers(uint64_t hash, const double *x, size_t n)
{
    return flx_hash(hash, x, n * sizeof *x);
}

static uint64_t hash_state(uint64_t hash, const flx_state *x)
{
    return hash_numbers(flx_hash(hash, &x->t, sizeof x->t), x->block, x->size);
}

// ---- what a system answers ----------------------------------------------------------------------

static void disturb(flx_state *x, const flx_system *s)
{
    uint64_t seed = 17;
    const flx_dims *d = &s->dims;
    for (int i = 0; i < d->nv; i++) x->v[i] += 0.1 * random_number(&seed);
    for (int i = 0; i < d->nv; i++) x->a[i] += random_number(&seed);
    for (int i = 0; i < d->nx; i++) x->dx[i] += random_number(&seed);
    for (int i = 0; i < d->nw; i++) x->w[i] += 1e-3 * random_number(&seed);
    for (int i = 0; i < d->nlam; i++) x->lam[i] += random_number(&seed);
    for (int i = 0; i < d->nmu; i++) x->mu[i] += random_number(&seed);
}

static uint64_t ask_constraints(const flx_system *s, flx_work *w, const flx_point *p, double *out,
                                uint64_t hash)
{
    const flx_dims *d = &s->dims;
    size_t nv = (size_t)d->nv, nlam = (size_t)d->nlam, rows = nlam + (size_t)d->nmu;
    if (s->ops->constraint_rate && s->ops->constraint_rate(s, w, p, out) == FLX_OK)
        hash = hash_numbers(hash, out, nlam);
    if (s->ops->constraint_force && s->ops->constraint_force(s, w, p, p->lam, out) == FLX_OK)
        hash = hash_numbers(hash, out, nv);
    if (s->ops->constraint_bias && s->ops->constraint_bias(s, w, p, out) == FLX_OK)
        hash = hash_numbers(hash, out, rows);
    if (s->ops->constraint_slope && s->ops->constraint_slope(s, w, p, p->v, out) == FLX_OK)
        hash = hash_numbers(hash, out, nlam);
    return hash;
}

static uint64_t ask_forms(const flx_system *s, flx_work *w, const flx_point *p, double *out,
                          uint64_t hash)
{
    const flx_lagrangian *l = s->ops->lagrangian;
    flx_energies e = {0};
    if (l && l->momentum(s, w, p, out) == FLX_OK)
        hash = hash_numbers(hash, out, (size_t)s->dims.nv);
    if (l && l->transport(s, w, p, out) == FLX_OK)
        hash = hash_numbers(hash, out, (size_t)s->dims.nv);
    if (s->ops->energy && s->ops->energy(s, w, p, &e) == FLX_OK)
        hash = flx_hash(hash, &e, sizeof e);
    if (s->ops->events) {
        (void)s->ops->events->indicate(s, w, p, out);
        hash = hash_numbers(hash, out, (size_t)s->ops->events->indicators(s));
    }
    return hash;
}

static uint64_t ask_explicit(const flx_system *s, flx_work *w, flx_state *x, uint64_t hash)
{
    const flx_explicit *f = s->ops->explicit_form;
    if (!f || (f->prepare && f->prepare(s, w) != FLX_OK)) return hash;
    size_t n = (size_t)f->size(s);
    double *z = calloc(2 * n + 1, sizeof *z);
    f->pack(s, x, z);
    flx_status status = f->fill ? f->fill(s, w, x, z) : FLX_OK;
    if (status == FLX_OK) status = f->rate(s, w, x->t, z, x, z + n);
    if (status == FLX_OK) hash = hash_state(hash_numbers(hash, z + n, n), x);
    free(z);
    return hash;
}

static uint64_t ask_names(const flx_system *s, uint64_t hash)
{
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        const double numbers[] = {u.scale, u.keep, u.sigma, u.tau, u.C, u.E, u.reach};
        hash = hash_numbers(hash, numbers, sizeof numbers / sizeof numbers[0]);
    }
    return hash_numbers(hash, s->param, (size_t)s->dims.nparam);
}

// The hash of all answers at a state.
static uint64_t ask(const flx_system *s, const flx_state *at)
{
    const flx_pattern *p = &s->pattern;
    size_t values = flx_pattern_size(p) + (size_t)p->extra;
    size_t n = (size_t)flx_dims_unknowns(&s->dims);
    size_t indicators = s->ops->events ? (size_t)s->ops->events->indicators(s) : 0;
    double *numbers = calloc(3 * values + n + (size_t)s->dims.nq + indicators + 1, sizeof *numbers);
    double *out = numbers + 3 * values;
    flx_blocks b = {numbers, numbers + values, numbers + 2 * values};
    flx_work *w = s->ops->work_create(s);
    flx_state *x = NULL;
    uint64_t hash = FLX_HASH_START;
    if (w && numbers && flx_state_create(s, &x) == FLX_OK) {
        flx_state_copy(x, at);
        disturb(x, s);
        flx_point point = flx_state_point(s, x);
        if (s->ops->residual(s, w, &point, out) == FLX_OK) hash = hash_numbers(hash, out, n);
        if (s->ops->linearise(s, w, &point, &b) == FLX_OK)
            hash = hash_numbers(hash, numbers, 3 * values);
        s->ops->retract(s, x->q, x->v, out);
        hash = hash_numbers(hash, out, (size_t)s->dims.nq);
        hash = ask_constraints(s, w, &point, out, hash);
        hash = ask_forms(s, w, &point, out, hash);
        hash = ask_names(s, hash);
        hash = ask_explicit(s, w, x, hash);
    }
    flx_state_destroy(&x);
    if (w) s->ops->work_destroy(w);
    free(numbers);
    return hash;
}

// ---- steps --------------------------------------------------------------------------------------

typedef struct steps {
    const flx_state *x;
    int n;
    uint64_t hash;
} steps;

static int on_step(void *user, const flx_state *x)
{
    steps *k = user;
    k->hash = hash_state(k->hash, x);
    return ++k->n > most_steps;
}

// Of a run from the start; without a method that takes the system, of nothing.
static uint64_t run(const flx_system *s, const flx_integrator_def *def, const flx_state *start,
                    double until)
{
    flx_integrator *it = NULL;
    flx_state *x = NULL;
    steps k = {.hash = FLX_HASH_START};
    if (flx_integrator_create(s, def, &it) == FLX_OK && flx_state_create(s, &x) == FLX_OK) {
        flx_schedule schedule = {.until = until, .steps = 1};
        flx_state_copy(x, start);
        flx_status status = flx_integrate(it, x, &schedule, on_step, &k);
        k.hash = flx_hash(hash_state(k.hash, x), &status, sizeof status);
        k.hash = flx_hash(k.hash, &k.n, sizeof k.n);
    }
    flx_state_destroy(&x);
    flx_integrator_destroy(&it);
    return k.hash;
}

// ---- one system, many users ---------------------------------------------------------------------

typedef struct task {
    const flx_system *sys;
    const flx_state *start;
    double until;
    int ndef;
    flx_integrator_def def[MOST_METHODS];
} task;

typedef struct answers {
    const task *of;
    bool fine;
    uint64_t asked, moved, kept, ran[MOST_METHODS];
    pthread_t thread;
} answers;

static void answer(const flx_system *s, answers *a)
{
    const task *t = a->of;
    a->asked = ask(s, t->start);
    for (int i = 0; i < t->ndef; i++) a->ran[i] = run(s, t->def + i, t->start, t->until);
}

// The answers with other parameters; 0: there are none, or they are refused.
static uint64_t ask_moved(flx_system *own, const flx_state *at)
{
    double p[64];
    if (own->nparameter == 0 || own->nparameter > 64) return 0;
    for (int k = 0; k < own->nparameter; k++) p[k] = 1.01 * own->param[own->first_parameter + k];
    return flx_system_set_parameters(own, p) == FLX_OK ? ask(own, at) : 0;
}

// An instance made of another keeps the numbers that it was made with, whatever becomes of the other's.
static uint64_t ask_kept(flx_system *own, const flx_state *at)
{
    double p[64];
    flx_system *copy = NULL;
    if (own->nparameter == 0 || own->nparameter > 64) return 0;
    if (flx_system_instance(own, own->ctx, &copy) != FLX_OK) return 0;
    for (int k = 0; k < own->nparameter; k++) p[k] = own->param[own->first_parameter + k] / 1.02;
    uint64_t kept = flx_system_set_parameters(own, p) == FLX_OK ? ask(copy, at) : 0;
    flx_system_destroy(&copy);
    return kept;
}

static void *answer_by_instance(void *user)
{
    answers *a = user;
    flx_ctx *ctx = flx_ctx_create();
    flx_system *own = NULL;
    if (ctx && flx_system_instance(a->of->sys, ctx, &own) == FLX_OK) {
        a->fine = own->ctx == ctx && own->dims.nparam == a->of->sys->dims.nparam;
        answer(own, a);
        a->moved = ask_moved(own, a->of->start);
        a->kept = a->moved ? ask_kept(own, a->of->start) : 0;
    }
    flx_system_destroy(&own);
    flx_ctx_destroy(&ctx);
    return NULL;
}

static int compare(const char *name, const answers *a, const answers *b)
{
    int failed = 0;
    if (!b->fine) failed++, printf("%s: no instance\n", name);
    if (b->fine && a->asked != b->asked) failed++, printf("%s: answers differ\n", name);
    if (b->fine && a->moved != b->moved) failed++, printf("%s: with parameters, too\n", name);
    if (b->kept && b->kept != b->moved) failed++, printf("%s: a copy is changed\n", name);
    for (int i = 0; i < a->of->ndef && b->fine; i++) {
        if (a->ran[i] == b->ran[i]) continue;
        failed++;
        printf("%s: steps of %s differ\n", name, a->of->def[i].method);
    }
    return failed;
}

// Its own, and the next ones of a list.
static void list_methods(flx_simulation *sim, task *t)
{
    static size_t next;
    static const char *const some[] = {"generalized-alpha", "radau",      "dopri5", "bdf",
                                       "energy-momentum",   "variational"};
    if (sim->it) t->def[t->ndef++] = sim->it->def;
    while (t->ndef < most_methods) {
        flx_integrator_def def = flx_integrator_def_default();
        def.method = some[next++ % (sizeof some / sizeof some[0])];
        for (const flx_integrator_type *const *k = flx_integrator_types(); *k; k++) {
            if (strcmp((*k)->name, def.method) == 0 && !(*k)->adaptive)
                def.step = 1e-4 * sim->until;
        }
        t->def[t->ndef++] = def;
    }
}

// The compiled system by itself, then an instance of it, or some at a time.
static int check_system(const char *name, flx_simulation *sim, bool threads)
{
    task t = {.sys = sim->sys, .start = sim->start, .until = sim->until};
    answers alone = {.of = &t}, own[THREADS];
    int failed = 0, n = threads ? THREADS : 1;
    list_methods(sim, &t);
    answer_by_instance(&alone); // for what no compiled system may do itself
    answer(t.sys, &alone);
    for (int i = 0; i < THREADS; i++) own[i] = (answers){.of = &t};
    for (int i = 0; i < n; i++) {
        if (!threads) answer_by_instance(own + i);
        if (threads) CHECK(pthread_create(&own[i].thread, NULL, answer_by_instance, own + i) == 0);
    }
    for (int i = 0; i < n && threads; i++) CHECK(pthread_join(own[i].thread, NULL) == 0);
    for (int i = 0; i < n; i++) failed += compare(name, &alone, own + i);
    if (ask(t.sys, t.start) != alone.asked) failed++, printf("%s: it was changed\n", name);
    return failed;
}

static int check_model(const char *path, bool tree, bool threads, int *checked)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    char name[512];
    int failed = 0;
    snprintf(name, sizeof name, "%s%s", path, tree ? " (tree)" : "");
    flx_status status = flx_model_read_by(ctx, path, NULL, &model);
    if (status == FLX_OK && tree) {
        if (model->simulate.tree || model->nbody == 0) status = FLX_ERR_CANNOT; // done already
        bool given = model->simulate.given;
        if (!given && status == FLX_OK) status = flx_model_set(model, "simulate.until", 1);
        if (status == FLX_OK) status = flx_model_set_text(model, "simulate.formulation", "tree");
    }
    if (status == FLX_OK) status = flx_simulation_create_as_it_is(model, &sim);
    if (status == FLX_OK && sim->sys && sim->start) {
        failed = check_system(name, sim, threads);
        ++*checked;
    }
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return failed;
}

int main(int argc, char **argv)
{
    int failed = 0, checked = 0, each = getenv("FLX_LONG") ? 1 : 2,
        k = 0; // all of them in the long tests
    bool threads = false;
    if (short_runs()) most_steps = 4, most_methods = 2, each = 8;
    if (getenv("FLX_LONG")) most_steps = 60, most_methods = 7;
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            threads = strcmp(argv[i], "--threads") == 0;
            continue;
        }
        if (k++ % each != 0) continue;
        failed += check_model(argv[i], false, threads, &checked);
        failed += check_model(argv[i], true, threads, &checked);
    }
    printf("%d systems, %d of their instances differ\n", checked, failed);
    return failed > 0 || checked == 0;
}
