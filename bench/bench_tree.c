// bench_tree.c - a chain of links with axes alternately y and z: time and instructions of one forward
// dynamics, inverse dynamics and mass matrix.
//
// Links of 1 m and 1 kg, centre of mass at 0.5 m, inertia 0.005, 0.085, 0.085; q_i = 0.1 sin i, rates
// 0.1 cos i; gravity along -z. Instructions are counted where the kernel allows it.
#define _DEFAULT_SOURCE // syscall
#include "base/base.h"
#include "chain_links.h"

#include <stdio.h>
#include <stdlib.h>

#ifdef __linux__
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

static long long read_counter(int counter)
{
    long long n = 0;
    return counter >= 0 && read(counter, &n, sizeof n) == (ssize_t)sizeof n ? n : -1;
}
#else
static int open_counter(void)
{
    return -1;
}
static long long read_counter(int counter)
{
    (void)counter;
    return -1;
}
#endif

typedef enum task { FORWARD, INVERSE, MASS, N_TASKS } task;
static const char *const task_names[] = {"forward dynamics", "inverse dynamics", "mass matrix"};

typedef struct known { // other programs, microseconds of one forward dynamics
    int n;
    double mujoco, simbody, fastest;
} known;

static void run(chain *c, task t, double *M)
{
    switch (t) {
    case FORWARD:
        flx_linkage_forward(&c->t.k, c->states, c->q, c->v, NULL, NULL, c->a);
        break;
    case INVERSE:
        flx_linkage_inverse(&c->t.k, c->states, c->q, c->v, c->a, NULL, c->tau);
        break;
    default:
        flx_linkage_mass(&c->t.k, c->states, c->q, M);
        break;
    }
}

static void measure(chain *c, task t, double *M, int counter, double *us, double *instructions)
{
    int n = c->n, repeats = t == MASS ? 1 + 200000 / (n * n) : 1 + 200000 / n;
    *us = 1e30;
    *instructions = -1.0;
    for (int round = 0; round < 5; round++) {
        long long i0 = read_counter(counter);
        double t0 = flx_clock_seconds();
        for (int k = 0; k < repeats; k++) run(c, t, M);
        double each = 1e6 * (flx_clock_seconds() - t0) / repeats;
        long long i1 = read_counter(counter);
        if (each < *us) *us = each;
        if (i0 >= 0) *instructions = (double)(i1 - i0) / repeats;
    }
}

int main(int argc, char **argv)
{
    static const known others[] = {
        {10, 3.6, 22, 2.7}, {100, 153, 139, 26}, {1000, 86361, 1317, 259}};
    int counter = open_counter();
    if (argc == 3) { // for a profiler: so many forward dynamics of so many links, nothing else
        chain c;
        if (!chain_create(&c, atoi(argv[1]))) return 1;
        for (int k = 0; k < atoi(argv[2]); k++) run(&c, FORWARD, NULL);
        printf("%.10g %.10g\n", c.a[0], c.a[c.n - 1]);
        chain_clear(&c);
        return 0;
    }
    printf("%-18s %5s %12s %12s %14s   known: MuJoCo, Simbody, fastest [us]\n", "", "links", "us",
           "us a link", "instr. a link");
    for (int t = 0; t < N_TASKS; t++) {
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
            chain c;
            double us, instructions, *M = NULL;
            if (!chain_create(&c, others[i].n)) return 1;
            int n = c.n;
            if (t == MASS) M = calloc((size_t)n * (size_t)n, sizeof *M);
            measure(&c, (task)t, M, counter, &us, &instructions);
            printf("%-18s %5d %12.3f %12.4f", task_names[t], n, us, us / n);
            if (instructions >= 0) {
                printf(" %14.0f", instructions / n);
            } else {
                printf(" %14s", "-");
            }
            if (t == FORWARD) {
                printf("   %g, %g, %g", others[i].mujoco, others[i].simbody, others[i].fastest);
            }
            printf("\n");
            free(M);
            chain_clear(&c);
        }
    }
    return 0;
}
