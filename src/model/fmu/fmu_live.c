// fmu_live.c - see fmu_live.h.
//
// One instance serves all runs of a model, one call at a time. It is in one mode; another one is brought back from its bytes.
#include "model/fmu/fmu_live.h"

#include "base/checkpoint_walk.h"
#include "base/context.h"
#include "base/number.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MODES 1000 // that are kept
#define FIRST 1e-15     // how far an FMU looks beyond an event, of the time
#define LATEST 1e-7     // in s
#define KEPT 4          // arguments whose rows are known

typedef struct mode {
    double id;
    void *bytes; // owned
    size_t size;
} mode;

typedef struct answer {
    double *args, *rows;
    bool known;
    long used;
} answer;

struct flx_fmu_live {
    atomic_int users;
    pthread_mutex_t lock;
    flx_fmu_info *info; // owned
    int nx, nin, nout, nrow, narg;
    int *in, *out; // owned
    const flx_fmu_host *host;
    int isolated;
    void *instance; // owned
    double now;     // its mode; NaN: not known
    double count;   // of modes that have no bytes
    long calls;
    int nmode, next_mode; // next_mode: where the next one is kept
    mode *modes;          // owned
    answer kept[KEPT], slopes;
    double *numbers; // owned: of the answers
    char why[600];
};

// ---- life -----------------------------------------------------------------------------------------

static void destroy(flx_fmu_live *l)
{
    if (l->instance) l->host->destroy(l->instance);
    for (int i = 0; l->modes && i < l->nmode; i++) free(l->modes[i].bytes);
    free(l->modes);
    free(l->numbers);
    free(l->in);
    flx_fmu_info_destroy(&l->info);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

void flx_fmu_live_leave(flx_fmu_live *l)
{
    if (l && atomic_fetch_sub(&l->users, 1) == 1) destroy(l);
}

// It may outlive its context: its memory is the process's.
flx_fmu_live *flx_fmu_live_create(flx_ctx *ctx, flx_fmu_info *info, int nin, const int *in,
                                  int nout, const int *out, int nvalue)
{
    flx_fmu_live *l = flx_ctx_may_allocate(ctx) ? calloc(1, sizeof *l) : NULL;
    if (!l) return NULL;
    atomic_init(&l->users, 1);
    pthread_mutex_init(&l->lock, NULL);
    l->nx = info->nstate;
    l->nin = nin;
    l->nout = nout;
    l->nrow = info->nstate + nvalue + info->nindicator;
    l->narg = info->nstate + nin + 2;
    l->now = (double)NAN;
    size_t na = (size_t)l->narg, nr = (size_t)l->nrow;
    l->in = malloc(((size_t)nin + (size_t)nout + 1) * sizeof *l->in);
    l->modes = calloc(MOST_MODES, sizeof *l->modes);
    l->numbers = calloc((KEPT + 1) * na + KEPT * nr + nr * na + 1, sizeof *l->numbers);
    if (!l->in || !l->modes || !l->numbers) {
        destroy(l);
        return NULL;
    }
    l->info = info;
    l->out = l->in + nin;
    if (nin > 0) memcpy(l->in, in, (size_t)nin * sizeof *in);
    if (nout > 0) memcpy(l->out, out, (size_t)nout * sizeof *out);
    double *at = l->numbers;
    for (int k = 0; k <= KEPT; k++) {
        answer *a = k < KEPT ? l->kept + k : &l->slopes;
        a->args = at;
        a->rows = at + na;
        at = a->rows + nr;
    }
    return l;
}

flx_fmu_row *flx_fmu_live_row(flx_ctx *ctx, flx_fmu_live *l, int number)
{
    flx_fmu_row *row = flx_ctx_may_allocate(ctx) ? malloc(sizeof *row) : NULL;
    if (!row) return NULL;
    *row = (flx_fmu_row){l, number};
    atomic_fetch_add(&l->users, 1);
    return row;
}

void flx_fmu_row_leave(void *row)
{
    flx_fmu_live_leave(((flx_fmu_row *)row)->live);
    free(row);
}

int flx_fmu_live_states(const flx_fmu_live *l)
{
    return l->nx;
}

int flx_fmu_live_runs(flx_fmu_live *l)
{
    pthread_mutex_lock(&l->lock);
    int runs = l->instance != NULL;
    pthread_mutex_unlock(&l->lock);
    return runs;
}

// ---- modes ------------------------------------------------------------------------------------------

static void forget_answers(flx_fmu_live *l)
{
    for (int k = 0; k < KEPT; k++) l->kept[k].known = false;
    l->slopes.known = false;
}

static flx_status fail(flx_fmu_live *l, flx_status status, const char *what)
{
    const char *why = l->instance && l->host->why ? l->host->why(l->instance) : NULL;
    flx_snprintf(l->why, sizeof l->why, "%s%s%s", what, why && *why ? ": " : "",
                 why && *why ? why : "");
    return status;
}

static mode *find_mode(flx_fmu_live *l, double id)
{
    for (int i = 0; i < l->nmode; i++) {
        if (l->modes[i].id == id) return l->modes + i;
    }
    return NULL;
}

static flx_status keep_mode(flx_fmu_live *l, double id, const void *bytes, size_t size)
{
    if (find_mode(l, id)) return FLX_OK;
    void *copy = malloc(size + 1);
    if (!copy) return FLX_ERR_MEMORY;
    if (size > 0) memcpy(copy, bytes, size);
    mode *m = l->modes + l->next_mode;
    free(m->bytes);
    *m = (mode){id, copy, size};
    l->next_mode = (l->next_mode + 1) % MOST_MODES;
    if (l->nmode < MOST_MODES) l->nmode++;
    return FLX_OK;
}

// The state that the instance has now gets a number: of its bytes, so that it is the same in every process.
static flx_status name_mode(flx_fmu_live *l, double *id)
{
    const void *bytes = NULL;
    size_t size = 0;
    if (!l->info->exchange_states) {
        *id = l->now = l->count += 1.0;
        return FLX_OK;
    }
    if (l->host->save(l->instance, &bytes, &size) != FLX_OK)
        return fail(l, FLX_INTERRUPTED, "gives no state");
    *id = l->now = (double)(flx_hash(FLX_HASH_START, bytes, size) >> 11) + 1.0; // exact
    return keep_mode(l, *id, bytes, size);
}

static flx_status bring_mode(flx_fmu_live *l, double id)
{
    if (l->now == id) return FLX_OK;
    const mode *m = find_mode(l, id);
    if (!l->instance) return fail(l, FLX_ERR_CANNOT, "is not run here");
    if (!m)
        return fail(l, FLX_ERR_CANNOT,
                    l->info->exchange_states
                        ? "does not go so far back"
                        : "cannot give its state as bytes, and is asked for what was before its "
                          "last event: by another run, or for a row within a step");
    l->now = (double)NAN;
    if (l->host->restore(l->instance, m->bytes, m->size) != FLX_OK)
        return fail(l, FLX_INTERRUPTED, "does not go on from a state of its own");
    l->now = id;
    return FLX_OK;
}

// ---- rows -------------------------------------------------------------------------------------------

static bool same(const flx_fmu_live *l, const answer *a, const double *args)
{
    return a->known && memcmp(a->args, args, (size_t)l->narg * sizeof *args) == 0;
}

static answer *rows_at(flx_fmu_live *l, const double *args)
{
    answer *oldest = l->kept;
    for (int k = 0; k < KEPT; k++) {
        answer *a = l->kept + k;
        if (same(l, a, args)) {
            a->used = ++l->calls;
            return a;
        }
        if (a->used < oldest->used) oldest = a;
    }
    oldest->known = false;
    if (bring_mode(l, args[l->narg - 1]) != FLX_OK) return NULL;
    if (l->host->rows(l->instance, args[0], args + 1, args + 1 + l->nx, oldest->rows) != FLX_OK) {
        fail(l, FLX_INTERRUPTED, "gives no derivatives");
        return NULL;
    }
    memcpy(oldest->args, args, (size_t)l->narg * sizeof *args);
    oldest->known = true;
    oldest->used = ++l->calls;
    return oldest;
}

static const double *slopes_at(flx_fmu_live *l, const double *args)
{
    answer *a = &l->slopes;
    if (same(l, a, args)) return a->rows;
    a->known = false;
    if (bring_mode(l, args[l->narg - 1]) != FLX_OK) return NULL;
    if (l->host->row_slopes(l->instance, args[0], args + 1, args + 1 + l->nx, a->rows) != FLX_OK) {
        fail(l, FLX_INTERRUPTED, "gives no slopes");
        return NULL;
    }
    memcpy(a->args, args, (size_t)l->narg * sizeof *args);
    a->known = true;
    return a->rows;
}

static int call(flx_fmu_live *l, int number, const double *args, double *value, double *slopes)
{
    int n = l->narg - 1;
    const answer *a = rows_at(l, args);
    if (!a) return FLX_FUNCTION_FAILED;
    *value = a->rows[number];
    if (!slopes) return FLX_FUNCTION_VALUE;
    const double *J = slopes_at(l, args);
    if (!J) return FLX_FUNCTION_FAILED;
    memcpy(slopes, J + (size_t)n * (size_t)number, (size_t)n * sizeof *slopes);
    slopes[n] = 0.0; // modes do not change gradually
    return FLX_FUNCTION_SLOPES;
}

int flx_fmu_row_call(void *user, int n, const double *args, double *value, double *slopes)
{
    const flx_fmu_row *row = user;
    flx_fmu_live *l = row->live;
    int answered;
    if (args[n - 1] == 0.0 || !l->host) {
        *value = 0.0;
        if (slopes) memset(slopes, 0, (size_t)n * sizeof *slopes);
        return slopes ? FLX_FUNCTION_SLOPES : FLX_FUNCTION_VALUE;
    }
    pthread_mutex_lock(&l->lock);
    answered = call(l, row->number, args, value, slopes);
    pthread_mutex_unlock(&l->lock);
    return answered;
}

// ---- events -----------------------------------------------------------------------------------------

flx_status flx_fmu_live_host(flx_fmu_live *l, const flx_fmu_host *host, int isolated)
{
    pthread_mutex_lock(&l->lock);
    if (!l->instance) {
        l->host = host;
        l->isolated = isolated;
    }
    pthread_mutex_unlock(&l->lock);
    return FLX_OK;
}

// An indicator is zero where its event is; the FMU has to see it beyond: a little later, along the derivatives.
static flx_status go_beyond(flx_fmu_live *l, flx_fmu_moment *m)
{
    int row = l->nrow - l->info->nindicator + abs(m->sign) - 1;
    double *at = l->slopes.args, *rows = l->slopes.rows; // scratch now
    for (double later = 0.0; later < LATEST; later = fmax(4.0 * later, FIRST * fmax(1.0, m->t))) {
        at[0] = m->t + later;
        for (int i = 0; i < l->nx; i++) at[1 + i] = m->x[i] + later * rows[i] * (later > 0.0);
        if (l->host->rows(l->instance, at[0], at + 1, m->u, l->kept[0].rows) != FLX_OK)
            return fail(l, FLX_INTERRUPTED, "gives no indicators");
        if (later == 0.0) memcpy(rows, l->kept[0].rows, (size_t)l->nx * sizeof *rows);
        if (l->kept[0].rows[row] * m->sign <= 0.0) continue;
        m->t = at[0];
        if (l->nx > 0) memcpy(m->x, at + 1, (size_t)l->nx * sizeof *at);
        return FLX_OK;
    }
    return FLX_OK; // as it is
}

static flx_status happen(flx_fmu_live *l, int first, flx_fmu_moment *m)
{
    forget_answers(l);
    if (m->sign != 0) FLX_TRY(go_beyond(l, m));
    l->now = (double)NAN;
    if (l->host->event(l->instance, first, m->t, m->x, m->u, &m->next, &m->ended) != FLX_OK)
        return fail(l, FLX_INTERRUPTED, "failed in an event");
    return name_mode(l, &m->mode);
}

static flx_status start(flx_fmu_live *l, int nset, const int *ports, const double *values,
                        double tolerance, double until, flx_fmu_moment *m)
{
    const flx_fmu_host *h = l->host;
    if (l->instance) h->destroy(l->instance);
    l->now = (double)NAN;
    forget_answers(l);
    if (h->create_exchange(h->user, l->info, l->isolated, l->nin, l->in, l->nout, l->out,
                           &l->instance) != FLX_OK) {
        l->instance = NULL;
        flx_snprintf(l->why, sizeof l->why, "cannot be loaded: %s", h->why(NULL));
        return FLX_ERR_CANNOT;
    }
    for (int i = 0; i < nset; i++) {
        if (h->set(l->instance, 1, ports + i, values + i) == FLX_OK) continue;
        flx_snprintf(l->why, sizeof l->why, "does not take the value %g of '%s'", values[i],
                     l->info->ports[ports[i]].name);
        return FLX_ERR_CANNOT;
    }
    if (h->set(l->instance, l->nin, l->in, m->u) != FLX_OK)
        return fail(l, FLX_ERR_CANNOT, "does not take its inputs");
    if (h->start(l->instance, m->t, tolerance, until) != FLX_OK)
        return fail(l, FLX_ERR_CANNOT, "cannot be initialised");
    return happen(l, 1, m);
}

flx_status flx_fmu_live_start(flx_fmu_live *l, int nset, const int *ports, const double *values,
                              double tolerance, double until, flx_fmu_moment *m)
{
    pthread_mutex_lock(&l->lock);
    flx_status status = start(l, nset, ports, values, tolerance, until, m);
    pthread_mutex_unlock(&l->lock);
    return status;
}

flx_status flx_fmu_live_event(flx_fmu_live *l, flx_fmu_moment *m)
{
    pthread_mutex_lock(&l->lock);
    flx_status status = bring_mode(l, m->mode);
    if (status == FLX_OK) status = happen(l, 0, m);
    pthread_mutex_unlock(&l->lock);
    return status;
}

// ---- as bytes ---------------------------------------------------------------------------------------

flx_status flx_fmu_live_mode(flx_fmu_live *l, double id, const void **bytes, size_t *size)
{
    pthread_mutex_lock(&l->lock);
    const mode *m = find_mode(l, id);
    *bytes = m ? m->bytes : NULL;
    *size = m ? m->size : 0;
    pthread_mutex_unlock(&l->lock);
    return m ? FLX_OK : FLX_ERR_CANNOT;
}

flx_status flx_fmu_live_know(flx_fmu_live *l, double id, const void *bytes, size_t size)
{
    pthread_mutex_lock(&l->lock);
    flx_status status = keep_mode(l, id, bytes, size);
    pthread_mutex_unlock(&l->lock);
    return status;
}

void flx_fmu_live_why(flx_fmu_live *l, char *text, size_t size)
{
    pthread_mutex_lock(&l->lock);
    flx_snprintf(text, size, "%s", l->why);
    l->why[0] = 0;
    pthread_mutex_unlock(&l->lock);
}
