// bench_tree.c - a chain of links with axes alternately y and z: time and instructions of forward dynamics,
// inverse dynamics, mass matrix and derivatives, beside MuJoCo and Simbody where they are there.
//
// Links of 1 m and 1 kg, centre of mass at 0.5 m, inertia 0.005, 0.085, 0.085; q_i = 0.1 sin i, rates
// 0.1 cos i; gravity along -z. One interleaved run on one thread: every round all programs, the best round
// counts. Accelerations are compared with the known ones.
//
//   bench_tree                              the tables
//   bench_tree N REPEATS [TASK [PROGRAM]]   for a profiler: one task so many times, nothing else;
//                                           so it counts its own instructions
#define _DEFAULT_SOURCE // syscall
#include "base/common.h"
#include "chain_links.h"
#include "counted.h"
#include "counter.h"
#include "peers.h"
#include "tree/recursion/tree_slopes.h"

#include <stdio.h>
#include <stdlib.h>

#define ROUNDS 5
#define MARK 1500.0 // instructions a link of forward dynamics, and the goal
#define GOAL 1100.0
#define LINEAR 1.3 // time a link at 1000 links over that at 100

typedef enum task { FORWARD, INVERSE, MASS, INVERSE_SLOPES, FORWARD_SLOPES, N_TASKS } task;
static const char *const task_names[] = {"forward", "inverse", "mass", "dtau", "da"};
static const char *const task_titles[] = {"forward dynamics", "inverse dynamics", "mass matrix",
                                          "derivatives of inverse dynamics",
                                          "derivatives of forward dynamics"};

static const peer *const peers[] = {
#ifdef BENCH_MUJOCO
    &peer_mujoco,
#endif
#ifdef BENCH_SIMBODY
    &peer_simbody,
#endif
    NULL};
#define MOST_PROGRAMS 3

// A program on its chain; the first is ours.
typedef struct rival {
    const peer *p; // NULL: ours
    void *chain;
    double *a, *tau;
    double us, instructions;
} rival;

typedef struct scratch {
    flx_link_slopes *slopes;
    flx_freedom_slopes *freedoms;
    double *M, *dq, *dv; // (n x n); NULL: not needed
} scratch;

static void run_ours(chain *c, task t, scratch *s)
{
    const flx_linkage *k = &c->t.k;
    int n = c->n;
    switch (t) {
    case FORWARD:
        flx_linkage_forward(k, c->states, c->q, c->v, NULL, NULL, c->a);
        break;
    case INVERSE:
        flx_linkage_inverse(k, c->states, c->q, c->v, c->a, NULL, c->tau);
        break;
    case MASS:
        flx_linkage_mass(k, c->states, c->q, s->M);
        break;
    default:
        flx_linkage_inverse_slopes(k, s->slopes, s->freedoms, c->q, c->v, c->a, NULL, s->dq, s->dv,
                                   NULL);
        if (t == INVERSE_SLOPES) break;
        flx_linkage_factor(k, s->slopes, c->q);
        for (int j = 0; j < n; j++) {
            flx_linkage_solve(k, s->slopes, s->dq + j, n);
            flx_linkage_solve(k, s->slopes, s->dv + j, n);
        }
        break;
    }
}

static void run(rival *r, chain *c, task t, scratch *s)
{
    if (!r->p) {
        run_ours(c, t, s);
    } else if (t == FORWARD) {
        r->p->forward(r->chain, c->q, c->v, r->a);
    } else if (t == INVERSE) {
        r->p->inverse(r->chain, c->q, c->v, c->a, r->tau);
    } else {
        r->p->mass(r->chain, c->q, s->M);
    }
}

// Repeats that take some ten milliseconds.
static int repeats_of(rival *r, chain *c, task t, scratch *s)
{
    double t0 = flx_clock_seconds();
    run(r, c, t, s);
    double each = flx_clock_seconds() - t0;
    return each > 0.02 ? 1 : 1 + (int)(0.02 / fmax(each, 1e-7));
}

static void measure(int nrival, rival *rivals, chain *c, task t, scratch *s, int counter)
{
    int repeats[MOST_PROGRAMS];
    for (int i = 0; i < nrival; i++) {
        rivals[i].us = HUGE_VAL;
        rivals[i].instructions = -1.0;
        repeats[i] = repeats_of(rivals + i, c, t, s);
    }
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < nrival; i++) {
            rival *r = rivals + i;
            long long i0 = counter_read(counter);
            double t0 = flx_clock_seconds();
            for (int k = 0; k < repeats[i]; k++) run(r, c, t, s);
            double each = 1e6 * (flx_clock_seconds() - t0) / repeats[i];
            long long i1 = counter_read(counter);
            r->us = fmin(r->us, each);
            if (i0 >= 0) r->instructions = (double)(i1 - i0) / repeats[i];
        }
    }
}

static void drop(const rival *r)
{
    if (r->chain) r->p->destroy(r->chain);
    free(r->a);
    free(r->tau);
}

static void clear(chain *c, scratch *s, int nrival, rival *rivals)
{
    for (int i = 1; i < nrival; i++) drop(rivals + i);
    free(s->slopes);
    free(s->freedoms);
    free(s->M);
    free(s->dq);
    free(s->dv);
    chain_clear(c);
}

// only: the program wanted besides ours; NULL: all.
static bool make(int n, const char *only, chain *c, scratch *s, int *nrival, rival *rivals)
{
    size_t square = (size_t)n * (size_t)n;
    if (!chain_create(c, n)) return false;
    *s = (scratch){.slopes = calloc((size_t)n + 1, sizeof *s->slopes),
                   .freedoms = calloc((size_t)n, sizeof *s->freedoms),
                   .M = calloc(square, sizeof(double)),
                   .dq = calloc(square, sizeof(double)),
                   .dv = calloc(square, sizeof(double))};
    *nrival = 1;
    rivals[0] = (rival){.a = c->a};
    for (int i = 0; peers[i]; i++) {
        if (only && strcmp(only, peers[i]->name) != 0) continue;
        rival r = {.p = peers[i], .chain = peers[i]->create(n)};
        r.a = calloc((size_t)n, sizeof(double));
        r.tau = calloc((size_t)n, sizeof(double));
        if (r.chain && r.a && r.tau) {
            rivals[(*nrival)++] = r;
        } else {
            drop(&r);
        }
    }
    if (s->slopes && s->freedoms && s->M && s->dq && s->dv) return true;
    clear(c, s, *nrival, rivals);
    return false;
}

static const char *name_of(const rival *r)
{
    return r->p ? r->p->name : "Flexion";
}

static void print(const rival *r, int n, task t)
{
    double pairs = t >= INVERSE_SLOPES ? n : 1;
    printf("  %-9s %5d %14.2f %12.4f", name_of(r), n, r->us, r->us / n / pairs);
    if (r->instructions >= 0) {
        printf(" %14.0f", r->instructions / n / pairs);
    } else {
        printf(" %14s", "-");
    }
    if (t == FORWARD) printf("   %.10g, %.10g", r->a[0], r->a[n - 1]);
    printf("\n");
}

// Where the kernel lets nobody count, valgrind does: of one call, what it costs more than none. Of the largest chain, which
// tells what a link costs, and of ours alone: other programs take minutes to make such a chain there.
#define COUNTED 1000

static void count(const char *self, rival *r, int n, task t)
{
    char arguments[80];
    double all[2] = {-1.0, -1.0};
    if (r->instructions >= 0.0 || n != COUNTED || r->p) return;
    for (int k = 0; k < 2; k++) {
        snprintf(arguments, sizeof arguments, "%d %d %s %s", n, k, task_names[t], name_of(r));
        all[k] = bench_count(self, arguments, "main");
        if (all[k] < 0.0) return;
    }
    r->instructions = 1e6 * (all[1] - all[0]);
}

// Whether the accelerations are the known ones, and those of the others ours to five digits.
static bool check(int n, int nrival, const rival *rivals)
{
    static const struct {
        int n;
        double first, last;
    } known[] = {{10, 6.276403006, 0.3635771202}, {1000, 6.360228401, -0.0456865729}};
    bool same = true;
    for (int k = 0; k < 2; k++) {
        if (known[k].n != n) continue;
        same = same && fabs(rivals[0].a[0] - known[k].first) < 1e-9 &&
               fabs(rivals[0].a[n - 1] - known[k].last) < 1e-10;
    }
    for (int i = 1; i < nrival; i++) {
        double apart = 0;
        for (int k = 0; k < n; k++) apart = fmax(apart, fabs(rivals[i].a[k] - rivals[0].a[k]));
        printf("  %s's accelerations are at most %.1e off ours\n", name_of(rivals + i), apart);
    }
    return same;
}

static int profile(int argc, char **argv)
{
    chain c;
    scratch s;
    rival rivals[MOST_PROGRAMS];
    int nrival, which = 0, t = FORWARD;
    if (!make(atoi(argv[1]), argc > 4 ? argv[4] : "", &c, &s, &nrival, rivals)) return 1;
    for (int i = 0; argc > 3 && i < N_TASKS; i++) {
        if (strcmp(argv[3], task_names[i]) == 0) t = i;
    }
    for (int i = 0; argc > 4 && i < nrival; i++) {
        if (strcmp(argv[4], name_of(rivals + i)) == 0) which = i;
    }
    for (int k = 0; k < atoi(argv[2]); k++) run(rivals + which, &c, (task)t, &s);
    printf("%s: %.10g %.10g\n", name_of(rivals + which), rivals[which].a[0],
           rivals[which].a[c.n - 1]);
    clear(&c, &s, nrival, rivals);
    return 0;
}

int main(int argc, char **argv)
{
    static const int sizes[] = {10, 100, 1000};
    int counter = counter_open(), fine = 1;
    double a_link[3] = {0, 0, 0}, instructions = -1.0;
    if (argc >= 3) return profile(argc, argv);
#ifndef BENCH_MUJOCO
    printf("without MuJoCo (libmujoco-dev), which was not there at build time\n");
#endif
#ifndef BENCH_SIMBODY
    printf("without Simbody (libsimbody-dev, g++), which was not there at build time\n");
#endif
    for (int t = 0; t < N_TASKS; t++) {
        printf("%s\n  %-9s %5s %14s %12s %14s%s\n", task_titles[t], "", "links", "us",
               t >= INVERSE_SLOPES ? "us a pair" : "us a link",
               t >= INVERSE_SLOPES ? "instr. a pair" : "instr. a link",
               t == FORWARD ? "   first and last acceleration" : "");
        for (int i = 0; i < 3; i++) {
            chain c;
            scratch s;
            rival rivals[MOST_PROGRAMS];
            int n = sizes[i], nrival;
            fflush(stdout);
            if (!make(n, NULL, &c, &s, &nrival, rivals)) return 1;
            run_ours(&c, FORWARD, &s); // accelerations for the others
            measure(t < INVERSE_SLOPES ? nrival : 1, rivals, &c, (task)t, &s, counter);
            for (int k = 0; k < (t < INVERSE_SLOPES ? nrival : 1); k++) {
                count(argv[0], rivals + k, n, (task)t);
                print(rivals + k, n, (task)t);
                if (t == FORWARD && k > 0) fine = fine && rivals[0].us < rivals[k].us;
            }
            if (t == FORWARD && !check(n, nrival, rivals)) {
                printf("  our accelerations are not those known\n");
                fine = 0;
            }
            if (t == FORWARD) a_link[i] = rivals[0].us / n;
            if (t == FORWARD && i == 2) instructions = rivals[0].instructions / n;
            clear(&c, &s, nrival, rivals);
        }
    }
    printf("faster than the others, accelerations to the digits known: %s\n",
           fine ? "met" : "missed");
    printf("time a link at 1000 over that at 100: %.2f, mark %.1f: %s\n", a_link[2] / a_link[1],
           LINEAR, a_link[2] <= LINEAR * a_link[1] ? "met" : "missed");
    if (instructions >= 0) {
        printf("instructions a link: %.0f, mark %.0f: %s, goal %.0f: %s\n", instructions, MARK,
               instructions <= MARK ? "met" : "missed", GOAL,
               instructions <= GOAL ? "met" : "missed");
    }
    return 0;
}
