// check.h - the checks our tests use. A test is `static int name(void)` returning 0; main is
// TEST_MAIN(names...). A failing check prints both values, the difference and the tolerance; a test that is left
// out says so by SKIP, and is counted as skipped.
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Whether runs have to be short: FLX_SHORT is set where every operation is watched, unless all of it is wanted
// (FLX_WHOLE, of `make check-long`).
static inline bool short_runs(void)
{
    return getenv("FLX_SHORT") && !getenv("FLX_WHOLE");
}

static inline bool same_floats(size_t n, const float *a, const float *b)
{
    for (size_t i = 0; i < n; i++) {
        if (!(a[i] == b[i])) return false;
    }
    return true;
}

#define CHECK(cond)                                                                                \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            printf("%s:%d: failed: %s\n", __FILE__, __LINE__, #cond);                              \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#define CHECK_NEAR(value, expected, tolerance)                                                     \
    do {                                                                                           \
        double v_ = (value), e_ = (expected), t_ = (tolerance);                                    \
        if (!(fabs(v_ - e_) <= t_)) {                                                              \
            printf("%s:%d: %s = %.17g, expected %.17g, difference %.3g, tolerance %.3g\n",         \
                   __FILE__, __LINE__, #value, v_, e_, v_ - e_, t_);                               \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

#define CHECK_REL(value, expected, tolerance)                                                      \
    CHECK_NEAR(value, expected, (tolerance)*fabs((double)(expected)))

#define CHECK_TEXT(text, part)                                                                     \
    do {                                                                                           \
        const char *x_ = (text), *p_ = (part);                                                     \
        if (!x_ || !strstr(x_, p_)) {                                                              \
            printf("%s:%d: '%s' does not contain '%s'\n", __FILE__, __LINE__, x_ ? x_ : "(null)",  \
                   p_);                                                                            \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

typedef struct test_entry {
    const char *name;
    int (*run)(void);
    bool slow;
} test_entry;

#define TEST(f)                                                                                    \
    {                                                                                              \
        .name = #f, .run = f                                                                       \
    }
// Of seconds under sanitizers, where shorter ones look at the same memory: skipped there, but in `make check-long`.
#define SLOW_TEST(f)                                                                               \
    {                                                                                              \
        .name = #f, .run = f, .slow = true                                                         \
    }

#define TEST_SKIPPED (-77)

// Ends a test that says nothing here, with the reason.
#define SKIP(reason)                                                                               \
    do {                                                                                           \
        printf("left out: %s\n", reason);                                                          \
        return TEST_SKIPPED;                                                                       \
    } while (0)

static inline int run_test(const test_entry *test)
{
    if (test->slow && short_runs()) SKIP("slow under sanitizers; 'make check-long' runs it");
    return test->run();
}

// The line that tools/run_tests.py counts, with the seconds of the processor where they matter.
static inline void tell_test(const char *name, int result, clock_t begin)
{
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    printf("%s %s", result == 0 ? "ok    " : result == TEST_SKIPPED ? "skipped" : "FAILED", name);
    if (seconds > 0.5) printf(" (%.1f s)", seconds);
    printf("\n");
    fflush(stdout); // a leak ends the program without it
}

// 0: none of them failed.
static inline int run_tests(const test_entry *tests, int n)
{
    int failed = 0, skipped = 0;
    for (int i = 0; i < n; i++) {
        clock_t begin = clock();
        int result = run_test(&tests[i]);
        tell_test(tests[i].name, result, begin);
        skipped += result == TEST_SKIPPED;
        failed += result != 0 && result != TEST_SKIPPED;
    }
    printf("%d passed, %d failed, %d skipped\n", n - failed - skipped, failed, skipped);
    return failed != 0;
}

#define TEST_MAIN(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const test_entry tests[] = {__VA_ARGS__};                                                  \
        return run_tests(tests, (int)(sizeof tests / sizeof tests[0]));                            \
    }
