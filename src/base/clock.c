// clock.c - the monotonic wall clock.
#include "base/common.h"

#include <time.h>

double flx_clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
