// particle_team.c - threads that wait for work: one is the caller. In between they look for it a short while, and then sleep: waking up takes
// as long as some thousand contacts.
#include "particles/particle_set.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

// Looks before a thread sleeps: some ten or hundred microseconds, where each has a processor. Where that was in vain, as on processors that
// others use as well, half as many the next time, else twice as many; now and then all.
#define LOOKS 4000
#define LEAST_LOOKS 8
#define ANEW 64

typedef struct patience {
    int looks, rounds;
} patience;

struct flx_particle_team {
    int parts, started, looks; // at most
    patience own;              // of the caller
    pthread_t *threads;
    pthread_mutex_t lock;
    pthread_cond_t begin, done;
    atomic_long round;
    atomic_int left;
    atomic_bool ends;
    void (*work)(void *user, int part, int parts);
    void *user;
};

typedef struct member {
    flx_particle_team *team;
    int part;
} member;

static inline void pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void learn(patience *p, int most, bool in_vain)
{
    int looks = in_vain ? p->looks / 2 : 2 * p->looks;
    if (looks < LEAST_LOOKS) looks = LEAST_LOOKS;
    p->looks = ++p->rounds % ANEW == 0 || looks > most ? most : looks;
}

static void *run(void *user)
{
    member *me = user;
    flx_particle_team *t = me->team;
    int part = me->part;
    patience own = {.looks = t->looks};
    flx_free(me);
    for (long seen = 0;; seen++) { // rounds follow one another, each waits for all
        for (int k = 0; k < own.looks && atomic_load(&t->round) == seen; k++) pause_a_little();
        bool in_vain = atomic_load(&t->round) == seen;
        learn(&own, t->looks, in_vain);
        if (in_vain) {
            pthread_mutex_lock(&t->lock);
            while (atomic_load(&t->round) == seen) pthread_cond_wait(&t->begin, &t->lock);
            pthread_mutex_unlock(&t->lock);
        }
        if (atomic_load(&t->ends)) return NULL;
        t->work(t->user, part, t->parts);
        if (atomic_fetch_sub(&t->left, 1) > 1) continue;
        pthread_mutex_lock(&t->lock); // the caller sleeps, or looks and sees
        pthread_cond_signal(&t->done);
        pthread_mutex_unlock(&t->lock);
    }
}

// Lets them begin.
static void begin(flx_particle_team *t)
{
    pthread_mutex_lock(&t->lock);
    atomic_fetch_add(&t->round, 1);
    pthread_cond_broadcast(&t->begin);
    pthread_mutex_unlock(&t->lock);
}

flx_particle_team *flx_particle_team_create(flx_ctx *ctx, int threads)
{
    flx_particle_team *t = flx_alloc(ctx, 1, sizeof *t);
    if (!t) return NULL;
    t->parts = threads;
    t->looks = t->own.looks = threads <= sysconf(_SC_NPROCESSORS_ONLN) ? LOOKS : 0;
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
    atomic_store(&t->ends, true);
    begin(t);
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
    t->work = work;
    t->user = user;
    atomic_store(&t->left, t->started);
    begin(t);
    work(user, 0, t->parts);
    for (int k = 0; k < t->own.looks && atomic_load(&t->left) > 0; k++) pause_a_little();
    bool in_vain = atomic_load(&t->left) > 0;
    learn(&t->own, t->looks, in_vain);
    if (!in_vain) return;
    pthread_mutex_lock(&t->lock);
    while (atomic_load(&t->left) > 0) pthread_cond_wait(&t->done, &t->lock);
    pthread_mutex_unlock(&t->lock);
}
