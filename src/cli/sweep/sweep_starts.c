// sweep_starts.c - see sweep_starts.h. A thread has a run of its own of the one compiled system; runs are dealt out in turn.
#include "cli/sweep/sweep_starts.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST_THREADS 32
#define WORTH 256 // runs that a further thread is begun for

typedef struct worker {
    const sweep_starts *s;
    flx_ctx *ctx;
    flx_run *run;
    pthread_t thread;
    long at, step; // runs at, at + step, ...
    bool *bad;
    char **why; // (n) owned texts
    atomic_bool *stop;
    bool other; // the run has other coordinates than the equations
    int (*goes_on)(void *);
    void *user;
} worker;

flx_status sweep_starts_begin(const sweep_job *job, flx_run *run, flx_ctx *ctx, int number)
{
    const char *name;
    flx_status status = FLX_OK;
    flx_ctx_clear_messages(ctx);
    for (int i = 0; status == FLX_OK && (name = flx_model_sweep_parameter(job->model, i)); i++) {
        int k = flx_system_parameter(job->system, name, ctx);
        if (k < 0) return FLX_ERR_ARGUMENT;
        status = flx_run_set_parameter(run, k, flx_model_sweep_value(job->model, number, i));
    }
    return status == FLX_OK ? flx_run_reset(run) : status;
}

// false: the run has other coordinates.
static bool take_start(const sweep_starts *s, const flx_run *run, long r)
{
    static const flx_view views[] = {FLX_VIEW_Q, FLX_VIEW_V, FLX_VIEW_X};
    const sweep_device *d = s->device;
    const int *sign = d->signs;
    double *z = s->z + r;
    for (int k = 0; k < 3; k++) {
        int count = 0;
        const double *from = flx_run_view(run, views[k], &count);
        if (count != d->sizes[k]) return false;
        for (int i = 0; i < count; i++, z += s->n) *z = k < 2 ? *sign++ * from[i] : from[i];
    }
    return true;
}

static void *work(void *user)
{
    worker *w = user;
    const sweep_starts *s = w->s;
    for (long r = w->at; r < s->n && !*w->stop; r += w->step) {
        flx_status status = sweep_starts_begin(s->job, w->run, w->ctx, s->first + (int)r);
        w->bad[r] = status != FLX_OK;
        if (w->bad[r]) {
            const flx_message *m = flx_ctx_error(w->ctx, 0);
            w->why[r] = strdup(m ? m->text : flx_status_text(status));
        } else if (!take_start(s, w->run, r)) {
            w->other = true;
            *w->stop = true;
        }
        if (w->goes_on && !w->goes_on(w->user)) *w->stop = true;
    }
    return NULL;
}

static int count_threads(long n)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN), worth = n / WORTH + 1;
    long most = cores < MOST_THREADS ? cores : MOST_THREADS;
    if (worth < most) most = worth;
    return most > 1 ? (int)most : 1;
}

// How many there are: one at least, which has the job's own run.
static int make_workers(const sweep_starts *s, int most, worker *w)
{
    int n = 1;
    w[0].ctx = s->job->ctx;
    w[0].run = s->job->run;
    for (; n < most; n++) {
        w[n].ctx = flx_ctx_create();
        if (w[n].ctx && flx_run_create(s->job->system, NULL, w[n].ctx, &w[n].run) == FLX_OK)
            continue;
        flx_ctx_destroy(&w[n].ctx);
        break;
    }
    return n;
}

bool sweep_starts_make(const sweep_starts *s, const sweep_rows *rows, bool *bad,
                       int (*goes_on)(void *), void *user)
{
    worker w[MOST_THREADS] = {0};
    atomic_bool stop = false;
    char **why = calloc((size_t)s->n, sizeof *why);
    if (!why) return false;
    int n = make_workers(s, count_threads(s->n), w), begun = 1;
    bool other = false;
    for (int i = 0; i < n; i++) {
        w[i].s = s;
        w[i].at = i;
        w[i].step = n;
        w[i].bad = bad;
        w[i].why = why;
        w[i].stop = &stop;
    }
    w[0].goes_on = goes_on;
    w[0].user = user;
    while (begun < n && pthread_create(&w[begun].thread, NULL, work, w + begun) == 0) begun++;
    work(w);
    for (int i = begun; i < n; i++) work(w + i); // no thread was to be had for these
    for (int i = 1; i < begun; i++) pthread_join(w[i].thread, NULL);
    for (int i = 0; i < n; i++) other = other || w[i].other;
    for (int i = 1; i < n; i++) {
        flx_run_destroy(&w[i].run);
        flx_ctx_destroy(&w[i].ctx);
    }
    for (long r = 0; r < s->n; r++) {
        if (bad[r]) rows->failed(rows->user, s->first + (int)r, why[r] ? why[r] : "out of memory");
        free(why[r]);
    }
    free(why);
    if (other) {
        cli_complain("sweep", "the run has other coordinates than the exported equations; "
                              "sweep without --device");
    }
    return !other;
}
