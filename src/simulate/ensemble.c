// ensemble.c - see flexion/ensemble.h: threads take runs from one counter, each with a context and a flx_run of its own.
//
// A run is a reset with its numbers, which does not depend on the run before, so that it does not matter which thread does
// it. After one that failed the flx_run is made anew.
#include "flexion/ensemble.h"
#include "base/common.h"
#include "base/number.h"
#include "base/refuse.h"
#include "flexion/extend/method_table.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define MOST_THREADS 1024

// What the threads share.
typedef struct ensemble {
    const flx_system *sys;
    flx_ensemble_def def;
    double until;
    flx_ensemble_end *ends;
    double *outputs, *metrics;
    pthread_mutex_t lock; // of what follows
    int next, done;
    bool interrupted;
    flx_status failed; // no memory
} ensemble;

// One thread.
typedef struct member {
    ensemble *e;
    bool calls; // it is the caller, who tells the progress
    pthread_t thread;
    flx_ctx *ctx;
    flx_run *run;
    bool begun; // the run under way has a start
} member;

// ---- one run -------------------------------------------------------------------------------------

// How many runs are done, to who asks; whether all are to end.
static int tell(member *m)
{
    ensemble *e = m->e;
    pthread_mutex_lock(&e->lock);
    int done = e->done;
    bool stop = e->interrupted;
    pthread_mutex_unlock(&e->lock);
    if (stop || !m->calls || !e->def.progress) return stop;
    if (e->def.progress(e->def.user, done, e->def.runs) == 0) return 0;
    pthread_mutex_lock(&e->lock);
    e->interrupted = true;
    pthread_mutex_unlock(&e->lock);
    return 1;
}

static int look(void *user, double t, double until)
{
    (void)t;
    (void)until;
    return tell(user);
}

static const double *row(const double *all, int run, int n)
{
    return all ? all + (size_t)run * (size_t)n : NULL;
}

static flx_status begin(member *m, int run)
{
    const ensemble *e = m->e;
    const flx_ensemble_def *d = &e->def;
    if (!m->run) {
        flx_run_def def = flx_run_def_default();
        def.method = d->method;
        def.until = e->until;
        def.no_ledger = d->nmetric == 0;
        def.progress = look;
        def.user = m;
        FLX_TRY(flx_run_create(e->sys, &def, m->ctx, &m->run));
    }
    for (int i = 0; i < d->nparameter; i++) {
        FLX_TRY(flx_run_set_parameter(m->run, d->parameters[i],
                                      row(d->parameter_values, run, d->nparameter)[i]));
    }
    for (int i = 0; i < d->ninput; i++) {
        FLX_TRY(
            flx_run_set_input(m->run, d->inputs[i], 1, row(d->input_values, run, d->ninput) + i));
    }
    FLX_TRY(flx_run_reset(m->run));
    if (!d->q && !d->v && !d->x) return FLX_OK;
    const flx_dims *n = &e->sys->dims;
    return flx_run_set_state(m->run, row(d->q, run, n->nq), row(d->v, run, n->nv),
                             row(d->x, run, n->nx), NULL);
}

// Chosen outputs, here. A value that has none is told by the run.
static flx_status keep_outputs(member *m, int run, int k)
{
    ensemble *e = m->e;
    const flx_ensemble_def *d = &e->def;
    size_t times = d->ntime > 0 ? (size_t)d->ntime : 1;
    if (!e->outputs || d->noutput == 0) return FLX_OK;
    double *to = e->outputs + ((size_t)run * times + (size_t)k) * (size_t)d->noutput;
    const double *all = flx_run_outputs(m->run, NULL);
    if (!all) return FLX_ERR_CANNOT;
    for (int i = 0; i < d->noutput; i++) to[i] = all[d->outputs[i]];
    return FLX_OK;
}

static flx_status keep_metrics(member *m, int run)
{
    ensemble *e = m->e;
    const flx_ensemble_def *d = &e->def;
    if (!e->metrics || d->nmetric == 0) return FLX_OK;
    const flx_ledger *ledger = flx_run_ledger(m->run);
    if (!ledger) return FLX_ERR_MEMORY;
    double *to = e->metrics + (size_t)run * (size_t)d->nmetric;
    for (int i = 0; i < d->nmetric; i++) to[i] = ledger->metrics[d->metrics[i]];
    return FLX_OK;
}

static flx_status do_run(member *m, int run)
{
    const flx_ensemble_def *d = &m->e->def;
    flx_status status = begin(m, run);
    m->begun = status == FLX_OK;
    for (int k = 0; k < d->ntime && status == FLX_OK; k++) {
        status = flx_run_advance(m->run, d->times[k]);
        if (status == FLX_OK) FLX_TRY(keep_outputs(m, run, k));
    }
    if (status == FLX_OK) status = flx_run_finish(m->run);
    if (status != FLX_OK && status != FLX_STOPPED) return status;
    if (d->ntime == 0) FLX_TRY(keep_outputs(m, run, 0));
    FLX_TRY(keep_metrics(m, run));
    return status;
}

static void clear_row(double *all, int run, size_t n)
{
    for (size_t i = 0; all && i < n; i++) all[(size_t)run * n + i] = (double)NAN;
}

static void clear_run(ensemble *e, int run)
{
    const flx_ensemble_def *d = &e->def;
    clear_row(e->outputs, run, (size_t)d->noutput * (d->ntime > 0 ? (size_t)d->ntime : 1));
    clear_row(e->metrics, run, (size_t)d->nmetric);
}

static void note_end(member *m, int run, flx_status status)
{
    flx_ensemble_end *end = m->e->ends ? m->e->ends + run : NULL;
    if (!end) return;
    *end = (flx_ensemble_end){.status = status, .t = m->begun ? flx_run_time(m->run) : 0.0};
    if (status == FLX_OK || status == FLX_STOPPED) return;
    const flx_message *told = flx_ctx_error(m->ctx, 0);
    if (!told) told = flx_ctx_warning(m->ctx, 0);
    flx_snprintf(end->message, sizeof end->message, "%s",
                 told ? told->text : flx_status_text(status));
}

// ---- threads -------------------------------------------------------------------------------------

// The next run; -1: none is left.
static int take(ensemble *e)
{
    pthread_mutex_lock(&e->lock);
    int run = e->interrupted || e->failed || e->next == e->def.runs ? -1 : e->next++;
    pthread_mutex_unlock(&e->lock);
    return run;
}

static void give(ensemble *e, flx_status status)
{
    pthread_mutex_lock(&e->lock);
    if (status == FLX_ERR_MEMORY) e->failed = status;
    if (status != FLX_INTERRUPTED) e->done++;
    pthread_mutex_unlock(&e->lock);
}

static void *work(void *user)
{
    member *m = user;
    for (int run; (run = take(m->e)) >= 0;) {
        flx_ctx_clear_messages(m->ctx);
        flx_status status = do_run(m, run);
        bool good = status == FLX_OK || status == FLX_STOPPED;
        if (!good) clear_run(m->e, run);
        note_end(m, run, status);
        if (!good) flx_run_destroy(&m->run);
        give(m->e, status);
        tell(m);
    }
    flx_run_destroy(&m->run);
    return NULL;
}

// ---- the definition ------------------------------------------------------------------------------

static flx_status check_list(flx_ctx *ctx, const flx_system *s, flx_port port, const char *what,
                             int n, const int *list, const double *values, bool wants)
{
    flx_port_info info;
    if (n < 0 || (n > 0 && !list) || (n > 0 && wants && !values)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "an ensemble of %d %ss has no list of them, or none of their values", n,
                        what);
    }
    for (int i = 0; i < n; i++) {
        if (flx_system_describe(s, port, list[i], &info)) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "the system has no %s number %d", what,
                        list[i]);
    }
    return FLX_OK;
}

static flx_status check_times(flx_ctx *ctx, const flx_ensemble_def *d)
{
    if (!isfinite(d->until) || d->until < 0.0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "an ensemble cannot end at t = %g",
                        d->until);
    }
    if (d->ntime < 0 || (d->ntime > 0 && !d->times)) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "an ensemble has no list of its times");
    }
    for (int k = 0; k < d->ntime; k++) {
        double before = k ? d->times[k - 1] : 0.0;
        if (isfinite(d->times[k]) && (k ? d->times[k] > before : d->times[k] >= before)) continue;
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "times of an ensemble ascend from 0 on; number %d is %g", k, d->times[k]);
    }
    if (d->ntime > 0 && d->until > 0.0 && d->until < d->times[d->ntime - 1]) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "an ensemble ends at %g, before the last of its times, %g", d->until,
                        d->times[d->ntime - 1]);
    }
    return FLX_OK;
}

static flx_status check_method(flx_ctx *ctx, const flx_integrator_def *d)
{
    const flx_integrator_type *const *t = flx_integrator_types();
    if (d->type || !d->method || strcmp(d->method, "auto") == 0) return FLX_OK;
    while (*t && strcmp((*t)->name, d->method) != 0) t++;
    return *t ? FLX_OK
              : FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "there is no method '%s'", d->method);
}

static flx_status take_def(ensemble *e, const flx_ensemble_def *def, flx_ctx *ctx)
{
    flx_ensemble_def *d = &e->def;
    const flx_system *s = e->sys;
    *d = flx_ensemble_def_default();
    if (!s || !def || def->size < offsetof(flx_ensemble_def, user) || def->size > sizeof *d) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "an ensemble needs a system, and a definition that begins with "
                        "flx_ensemble_def_default()");
    }
    memcpy(d, def, def->size);
    if (d->runs < 0 || d->threads < 0) {
        return FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "an ensemble cannot have %d runs on %d threads", d->runs, d->threads);
    }
    FLX_TRY(check_list(ctx, s, FLX_PORT_PARAMETER, "parameter", d->nparameter, d->parameters,
                       d->parameter_values, true));
    FLX_TRY(
        check_list(ctx, s, FLX_PORT_INPUT, "input", d->ninput, d->inputs, d->input_values, true));
    FLX_TRY(check_list(ctx, s, FLX_PORT_OUTPUT, "output", d->noutput, d->outputs, NULL, false));
    FLX_TRY(check_list(ctx, s, FLX_PORT_METRIC, "metric", d->nmetric, d->metrics, NULL, false));
    FLX_TRY(check_times(ctx, d));
    FLX_TRY(check_method(ctx, &d->method));
    e->until = d->until > 0.0 ? d->until : d->ntime > 0 ? d->times[d->ntime - 1] : 0.0;
    if (d->threads == 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        d->threads = n > 0 ? (int)n : 1;
    }
    if (d->threads > d->runs) d->threads = d->runs;
    if (d->threads > MOST_THREADS) d->threads = MOST_THREADS;
    return FLX_OK;
}

flx_status flx_ensemble_run(const flx_system *s, const flx_ensemble_def *def, flx_ctx *ctx,
                            flx_ensemble_end *ends, double *outputs, double *metrics)
{
    if (!ctx) return flx_refuse_null(ctx, __func__);
    ensemble e = {.sys = s, .ends = ends, .outputs = outputs, .metrics = metrics};
    FLX_TRY(take_def(&e, def, ctx));
    for (int run = 0; run < e.def.runs; run++) {
        if (ends) ends[run] = (flx_ensemble_end){.status = FLX_INTERRUPTED};
        clear_run(&e, run);
    }
    if (e.def.runs == 0) return FLX_OK;
    member *members = flx_alloc(ctx, (size_t)e.def.threads, sizeof *members);
    if (!members) return FLX_ERR_MEMORY;
    pthread_mutex_init(&e.lock, NULL);
    int made = 0, started = 0;
    for (; made < e.def.threads; made++) {
        members[made] = (member){.e = &e, .calls = made == 0, .ctx = flx_ctx_create()};
        if (!members[made].ctx) break;
    }
    if (made == 0) e.failed = FLX_ERR_MEMORY;
    // the caller is one of them; where the machine has no more threads to give, fewer do the same
    for (int i = 1; i < made; i++) {
        if (pthread_create(&members[started + 1].thread, NULL, work, members + started + 1) != 0)
            break;
        started++;
    }
    if (made > 0) work(members);
    for (int i = 1; i <= started; i++) pthread_join(members[i].thread, NULL);
    if (started > 0 && made > 0) tell(members);
    for (int i = 0; i < made; i++) flx_ctx_destroy(&members[i].ctx);
    pthread_mutex_destroy(&e.lock);
    flx_free(members);
    if (e.failed) {
        return FLX_FAIL(ctx, e.failed, FLX_NOWHERE,
                        "memory was exhausted in an ensemble of %d runs on %d threads", e.def.runs,
                        e.def.threads);
    }
    return e.interrupted ? FLX_INTERRUPTED : FLX_OK;
}
