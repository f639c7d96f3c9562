// counter.h - instructions of this program, where the kernel lets it count.
#pragma once

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int counter_open(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

// -1: it cannot.
static inline long long counter_read(int counter)
{
    long long n = 0;
    return counter >= 0 && read(counter, &n, sizeof n) == (ssize_t)sizeof n ? n : -1;
}
#else
static inline int counter_open(void)
{
    return -1;
}
static inline long long counter_read(int counter)
{
    (void)counter;
    return -1;
}
#endif
