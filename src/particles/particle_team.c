// particle_team.c - threads that wait for work: one is the caller, the others sleep in between.
#include "particles/particle_set.h"

#include <pthread.h>

struct flx_particle_team {
    int parts, started;
    pthread_t *threads;
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    long round;
    int left;
    bool ends;
    void (*work)(void *user, int part, int parts);
    void *user;
};

typedef struct member {
    flx_particle_team *team;
    int part;
} member;

static void *run(void *user)
{
    member *me = user;
    flx_particle_team *t = me->team;
    int part = me->part;
    long seen = 0;
    flx_free(me);
    for (;;) {
        pthread_mutex_lock(&t->lock);
        while (t->round == seen && !t->ends) pthread_cond_wait(&t->begin, &t->lock);
        bool ends = t->ends;
        seen = t->round;
        pthread_mutex_unlock(&t->lock);
        if (ends) return NULL;
        t->work(t->user, part, t->parts);
        pthread_mutex_lock(&t->lock);
        if (--t->left == 0) pthread_cond_signal(&t->done);
        pthread_mutex_unlock(&t->lock);
    }
}

flx_particle_team *flx_particle_team_create(flx_ctx *ctx, int threads)
{
    flx_particle_team *t = flx_alloc(ctx, 1, sizeof *t);
    if (!t) return NULL;
    t->parts = threads;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->begin, NULL);
    pthread_cond_init(&t->done, NULL);
    t->threads = flx_alloc(ctx, (size_t)threads, sizeof *t->threads);
    bool good = t->threads;
    for (int i = 1; i < threads && good; i++) {
        member *m = flx_alloc(ctx, 1, sizeof *m);
        good = m != NULL;
        if (!good) break;
        *m = (member){t, i};
        good = pthread_create(&t->threads[t->started], NULL, run, m) == 0;
        if (!good) flx_free(m);
        t->started += good;
    }
    if (!good) flx_particle_team_destroy(&t);
    return t;
}

void flx_particle_team_destroy(flx_particle_team **team)
{
    flx_particle_team *t = *team;
    *team = NULL;
    if (!t) return;
    pthread_mutex_lock(&t->lock);
    t->ends = true;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    for (int i = 0; i < t->started; i++) pthread_join(t->threads[i], NULL);
    pthread_cond_destroy(&t->begin);
    pthread_cond_destroy(&t->done);
    pthread_mutex_destroy(&t->lock);
    flx_free(t->threads);
    flx_free(t);
}

void flx_particle_team_run(flx_particle_team *t, void (*work)(void *user, int part, int parts),
                           void *user)
{
    if (!t) {
        work(user, 0, 1);
        return;
    }
    pthread_mutex_lock(&t->lock);
    t->work = work;
    t->user = user;
    t->left = t->started;
    t->round++;
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
    work(user, 0, t->parts);
    pthread_mutex_lock(&t->lock);
    while (t->left > 0) pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
