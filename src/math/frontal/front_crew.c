// front_crew.c - threads that wait for the parts of a front, and take them one by one.
#include "math/frontal/front_crew.h"

#include <pthread.h>
#include <stdatomic.h>

#define MOST 64
#define LEAST 1e7 // flops that are worth waking somebody for

typedef struct helper {
    flx_front_crew *crew;
    pthread_t thread;
    double *scratch;
} helper;

struct flx_front_crew {
    int nhelper;
    double *scratch; // of all
    size_t each;
    pthread_mutex_t lock;
    pthread_cond_t begin, end;
    unsigned long turn; // counts the calls
    int busy;           // helpers that are not done with this one
    bool leave;
    atomic_int next; // part
    int count;
    flx_front_part *work;
    void *user;
    helper helpers[MOST];
};

static void take_parts(flx_front_crew *c, double *scratch)
{
    for (int i; (i = atomic_fetch_add(&c->next, 1)) < c->count;) c->work(c->user, i, scratch);
}

static void *help(void *user)
{
    helper *h = user;
    flx_front_crew *c = h->crew;
    unsigned long done = 0;
    pthread_mutex_lock(&c->lock);
    for (;;) {
        while (c->turn == done && !c->leave) pthread_cond_wait(&c->begin, &c->lock);
        if (c->leave) break;
        done = c->turn;
        pthread_mutex_unlock(&c->lock);
        take_parts(c, h->scratch);
        pthread_mutex_lock(&c->lock);
        if (--c->busy == 0) pthread_cond_signal(&c->end);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

flx_status flx_front_crew_create(flx_ctx *ctx, int threads, size_t scratch, flx_front_crew **out)
{
    int most = threads - 1 < MOST ? threads - 1 : MOST;
    flx_front_crew *c = flx_alloc(ctx, 1, sizeof *c);
    *out = c;
    if (!c) return FLX_ERR_MEMORY;
    c->each = scratch + 8; // nobody's numbers are in a cache line of another's
    c->scratch =
        flx_alloc_unset(ctx, c->each * (size_t)(most > 0 ? most + 1 : 1), sizeof *c->scratch);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->begin, NULL);
    pthread_cond_init(&c->end, NULL);
    if (!c->scratch) {
        flx_front_crew_destroy(out);
        return FLX_ERR_MEMORY;
    }
    for (int i = 0; i < most; i++) {
        helper *h = c->helpers + i;
        h->crew = c;
        h->scratch = c->scratch + (size_t)(i + 1) * c->each;
        if (pthread_create(&h->thread, NULL, help, h) != 0) break;
        c->nhelper++;
    }
    return FLX_OK;
}

void flx_front_crew_destroy(flx_front_crew **crew)
{
    flx_front_crew *c = *crew;
    if (!c) return;
    pthread_mutex_lock(&c->lock);
    c->leave = true;
    pthread_cond_broadcast(&c->begin);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->nhelper; i++) pthread_join(c->helpers[i].thread, NULL);
    pthread_cond_destroy(&c->begin);
    pthread_cond_destroy(&c->end);
    pthread_mutex_destroy(&c->lock);
    flx_free(c->scratch);
    flx_free(c);
    *crew = NULL;
}

int flx_front_crew_count(const flx_front_crew *c)
{
    return c->nhelper + 1;
}

void flx_front_crew_share(flx_front_crew *c, int count, double flops, flx_front_part *work,
                          void *user)
{
    if (c->nhelper == 0 || count < 2 || flops < LEAST) {
        for (int i = 0; i < count; i++) work(user, i, c->scratch);
        return;
    }
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->user = user;
    c->count = count;
    atomic_store(&c->next, 0);
    c->busy = c->nhelper;
    c->turn++;
    pthread_cond_broadcast(&c->begin);
    pthread_mutex_unlock(&c->lock);
    take_parts(c, c->scratch);
    pthread_mutex_lock(&c->lock);
    while (c->busy > 0) pthread_cond_wait(&c->end, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void flx_front_share(const flx_front_hands *h, int count, double flops, flx_front_part *work,
                     void *user)
{
    if (h->crew) {
        flx_front_crew_share(h->crew, count, flops, work, user);
        return;
    }
    for (int i = 0; i < count; i++) work(user, i, h->scratch);
}
