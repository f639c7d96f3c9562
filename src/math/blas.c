// blas.c - the number of threads of OpenBLAS while calls of ours run: counted, so that those of many threads may overlap.
#include "math/blas.h"

#include <stdatomic.h>

// Calls that run. Zero becomes one, and one zero, under the lock alone: then nobody calls while the number changes.
static atomic_int calls;
static atomic_flag lock = ATOMIC_FLAG_INIT;
static int before; // threads that there were

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
    while (atomic_flag_test_and_set(&lock)) continue;
}

int flx_blas_enter(void)
{
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
    if (openblas_get_parallel() == OPENBLAS_SEQUENTIAL || join(2, -1)) return 0;
    hold();
    if (atomic_fetch_sub(&calls, 1) == 1) {
        // somebody else may have asked for another number since
        if (before != 1 && openblas_get_num_threads() == 1) openblas_set_num_threads(before);
    }
    atomic_flag_clear(&lock);
    return 0;
}
