// blas.c - the number of threads of OpenBLAS while calls of ours run: counted, so that those of many threads may overlap.
// A build of it without threads shares its buffers among all callers, unless it was built with USE_LOCKING: calls then take
// turns, for two of them at once give wrong numbers.
#include "math/blas.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// Calls that run. Zero becomes one, and one zero, under the lock alone: then nobody calls while the number changes.
static atomic_int calls;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int before;               // threads that there were
static _Thread_local int inside; // calls of this thread within each other, where they take turns

// Where others are inside already, and stay there, there is nothing to change.
static int join(int least, int by)
{
    int now = atomic_load(&calls);
    while (now >= least) {
        if (atomic_compare_exchange_weak(&calls, &now, now + by)) return 1;
    }
    return 0;
}

static void hold(void)
{
    while (atomic_flag_test_and_set(&lock)) sched_yield();
}

// Whether calls take turns; found once, by everybody alike.
static int takes_turns(void)
{
    static atomic_int known; // 1: they do not, 2: they do
    int now = atomic_load_explicit(&known, memory_order_relaxed);
    if (now == 0) {
        int alone = openblas_get_parallel() == OPENBLAS_SEQUENTIAL;
        now = alone && !strstr(openblas_get_config(), "USE_LOCKING") ? 2 : 1;
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == 2;
}

int flx_blas_enter(void)
{
    if (takes_turns()) {
        if (inside++ == 0) hold();
        return 1;
    }
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL || join(1, 1)) return 1;
    hold();
    if (!join(1, 1)) {
        before = openblas_get_num_threads();
        if (before != 1) openblas_set_num_threads(1);
        atomic_fetch_add(&calls, 1);
    }
    atomic_flag_clear(&lock);
    return 1;
}

int flx_blas_leave(void)
{
    if (takes_turns()) {
        if (--inside == 0) atomic_flag_clear(&lock);
        return 0;
    }
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL || join(2, -1)) return 0;
    hold();
    if (atomic_fetch_sub(&calls, 1) == 1) {
        // somebody else may have asked for another number since
        if (before != 1 && openblas_get_num_threads() == 1) openblas_set_num_threads(before);
    }
    atomic_flag_clear(&lock);
    return 0;
}

#define BUFFER                                                                                     \
    ((size_t)160 << 20) // 128 MiB for most processors, and what the rest of a start takes

bool flx_blas_reserve(void)
{
    static atomic_bool known;
    if (atomic_load(&known)) return true;
    void *volatile buffer = malloc(BUFFER);
    if (!buffer) return false;
    free(buffer);
    double one = 1.0, product = 0.0;
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, 1, 1, 1, 1.0, &one, 1,
                               &one, 1, 0.0, &product, 1);
    atomic_store(&known, true);
    return product == 1.0;
}
