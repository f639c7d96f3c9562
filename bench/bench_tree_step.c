// bench_tree_step.c - what an implicit step costs in joint coordinates, in forward dynamics.
//
// The chain of bench_tree. Linearising, factoring and solving are timed alone; a step of
// generalized-alpha of 1 ms is that of a run, and with a tangent and factors of its own in every step
// the worst. The mark: a step on 1 000 links costs at most 15 forward dynamics. The tangent is that of a
// state of its own; in a step it shares the motion of the links with a residual, which is not taken off.
//
// Then a ladder, whose loops all share their rails: its factors and its steps must cost what its rungs do.
//
// Last a chain of elastic links with four shapes each, in joint coordinates and in those of bodies: its tangent in
// joint coordinates is full, and that of bodies is not.
//
// For a count of instructions it runs itself with two numbers, links and steps, or with a third, how
// often everything but steps is done; of the ladder and of the elastic chains with their names and the number of rungs or links.
#include "bench_run.h"
#include "chain_links.h"
#include "flexion/extend/method_table.h"
#include "integrate/newton_matrix.h"
#include "ladder_text.h"
#include "tree/tree_parts.h"

static const char text[] =
    "flexion: 1\n"
    "parameters: {N: %d}\n"
    "gravity: [0, 0, -9.81]\n"
    "bodies:\n"
    "  link: {repeat: {i: [1, N]}, type: rigid, mass: 1, com: [0.5, 0, 0], inertia: [0.005, 0.085,"
    " 0.085], position: [i - 1, 0, 0], points: {end: [1, 0, 0]}}\n"
    "joints:\n"
    "  first: {type: revolute, on: [ground, link(1)], at: [0, 0, 0], axis: [0, 1, 0]}\n"
    "  pin: {repeat: {i: [2, N]}, type: revolute, on: [link(i-1), link(i)], at: link(i),"
    " axis: [0, \"mod(i, 2)\", \"1 - mod(i, 2)\"]}\n"
    "simulate: {until: %g, method: generalized-alpha, formulation: tree, step: 1e-3}\n"
    "outputs: {every: 1, signals: [link(1).angle]}\n";

static const char ladder[] = LADDER_TEXT
    "simulate: {until: 0.01, method: generalized-alpha, formulation: tree, step: 1e-3}\n"
    "outputs: {every: 1, signals: [left(1).angle]}\n";

#define ELASTIC                                                                                    \
    "flexion: 1\n"                                                                                 \
    "parameters: {N: %d}\n"                                                                        \
    "gravity: [0, 0, -9.81]\n"                                                                     \
    "bodies:\n"                                                                                    \
    "  link: {repeat: {i: [1, N]}, type: flexible, position: [i - 1, 0, 0], fe: {line: [[0, 0, "   \
    "0], "                                                                                         \
    "[1, 0, 0]], elements: 4, section: {radius: 0.02}, material: {E: 2.1e11, density: 7850}}, "    \
    "reduce: {type: modal, modes: 4}, frame: buckens, damping: {ratio: 0.01}}\n"                   \
    "joints:\n"                                                                                    \
    "  first: {type: revolute, on: [ground, link(1)], at: link(1).start, axis: [0, 1, 0]}\n"       \
    "  pin: {repeat: {i: [2, N]}, type: revolute, on: [link(i-1), link(i)], at: link(i).start,"    \
    " axis: [0, 1, 0]}\n"                                                                          \
    "outputs: {every: 1, signals: [link(N).end.z]}\n"                                              \
    "simulate: {until: 0.1, method: generalized-alpha, step: 1e-3"

// What a number of rungs or links can be given to.
static const struct {
    const char *name, *text;
} chains[] = {{"ladder", ladder},
              {"elastic-tree", ELASTIC ", formulation: tree}\n"},
              {"elastic", ELASTIC "}\n"}};
enum { LADDER, ELASTIC_TREE, ELASTIC_BODIES, CHAINS };

static bool run_chain(int kind, int links)
{
    char model[4096];
    bench_result r = {0};
    snprintf(model, sizeof model, chains[kind].text, links);
    return bench_run(model, &r);
}

// Seconds of one step, and Newton iterations; -1: it failed.
static double step_time(int n, int steps, double *iterations)
{
    char model[2048];
    bench_result r = {0};
    snprintf(model, sizeof model, text, n, 1e-3 * steps);
    if (!bench_run(model, &r)) return -1.0;
    *iterations = (double)r.work.newton_iterations / (double)r.work.steps;
    return r.seconds / (double)r.work.steps;
}

typedef struct bench {
    chain c;
    flx_system *d, *t;
    flx_state *dx, *tx;
    flx_work *w;
    flx_blocks b;
    flx_linear *lin;
    double *rhs;
} bench;

static void bench_close(bench *x)
{
    flx_linear_destroy(&x->lin);
    flx_blocks_destroy(&x->b);
    if (x->w) x->t->ops->work_destroy(x->w);
    flx_state_destroy(&x->dx);
    flx_state_destroy(&x->tx);
    flx_system_destroy(&x->t);
    flx_system_destroy(&x->d);
    free(x->rhs);
    flx_graph_destroy(&x->c.m.graph);
    chain_clear(&x->c);
}

static bool bench_open(bench *x, int n)
{
    *x = (bench){0};
    if (!chain_create(&x->c, n)) return false;
    x->c.m.graph = flx_graph_create(x->c.ctx);
    x->rhs = calloc((size_t)n, sizeof *x->rhs);
    if (!x->rhs || flx_descriptor_create(&x->c.m, NULL, &x->d) != FLX_OK) return false;
    if (flx_state_create(x->d, &x->dx) != FLX_OK) return false;
    if (flx_descriptor_draw(x->d, x->dx) != FLX_OK) return false;
    if (flx_tree_create(&x->c.m, x->d, x->dx, 0, &x->t) != FLX_OK) return false;
    x->w = x->t->ops->work_create(x->t);
    if (!x->w || flx_state_create(x->t, &x->tx) != FLX_OK) return false;
    memcpy(x->tx->q, x->c.q, (size_t)n * sizeof *x->tx->q);
    memcpy(x->tx->v, x->c.v, (size_t)n * sizeof *x->tx->v);
    if (flx_blocks_create(x->t, &x->b) != FLX_OK) return false;
    return flx_linear_create(x->t, false, &x->lin) == FLX_OK;
}

typedef enum task { FORWARD, LINEARISE, FACTOR, SOLVE, N_TASKS } task;
static const char *const names[] = {"forward dynamics", "tangent", "factors", "solution"};

static void run(bench *x, task t)
{
    static const flx_weights weights = {1.0, 1.1e3, 1.3e6, 1.1e3};
    flx_point p = flx_state_point(x->t, x->tx);
    switch (t) {
    case FORWARD:
        flx_linkage_forward(&x->c.t.k, x->c.states, x->c.q, x->c.v, NULL, NULL, x->c.a);
        break;
    case LINEARISE:
        x->tx->q[0] += 1e-9; // what is known of a motion is not found again
        x->t->ops->linearise(x->t, x->w, &p, &x->b);
        break;
    case FACTOR:
        flx_linear_factor(x->lin, &x->b, &weights);
        break;
    default:
        for (int i = 0; i < x->c.n; i++) x->rhs[i] = 1.0;
        flx_linear_solve(x->lin, x->rhs);
    }
}

static double measure(bench *x, task t)
{
    int repeats = 1 + 20000 / x->c.n;
    double best = 1e30;
    for (int round = 0; round < 5; round++) {
        double t0 = flx_clock_seconds();
        for (int k = 0; k < repeats; k++) run(x, t);
        best = fmin(best, (flx_clock_seconds() - t0) / repeats);
    }
    return best;
}

// Instructions a link, where valgrind counts them.
static void count(const char *self)
{
    static const char *const functions[] = {"flx_linkage_forward", "flx_tree_linearise",
                                            "flx_tree_factor", "flx_tree_solve"};
    double forward = 0.0, parts[N_TASKS];
    for (int t = FORWARD; t < N_TASKS; t++) {
        // making the system calls some of them, too
        double made = bench_count(self, "1000 0 10", functions[t]);
        parts[t] = 1e6 / 10 / 1000 * (bench_count(self, "1000 0 20", functions[t]) - made);
        if (made < 0.0) return;
        forward = parts[FORWARD];
        printf("%-34s %6d %12.0f instructions a link %10.2f\n", names[t], 1000, parts[t],
               parts[t] / forward);
    }
    double few = bench_count(self, "1000 10", "flx_simulation_run");
    double step = 1e6 / 20 / 1000 * (bench_count(self, "1000 30", "flx_simulation_run") - few);
    printf("%-34s %6d %12.0f instructions a link %10.2f\n", "step of generalized-alpha", 1000, step,
           step / forward);
    step += parts[LINEARISE] + parts[FACTOR];
    printf("%-34s %6d %12.0f instructions a link %10.2f   mark: 15\n",
           "... with tangent and factors", 1000, step, step / forward);
}

// A rung of a ladder of 25, 50, 100 and 200.
static void count_ladder(const char *self)
{
    static const char *const functions[] = {"flx_tree_factor", "flx_tree_solve",
                                            "flx_integrator_step"};
    static const char *const parts[] = {"factors, all of a run", "solutions", "ten steps"};
    for (int k = 0; k < 3; k++) {
        for (int n = 25; n <= 200; n *= 2) {
            char arguments[40];
            snprintf(arguments, sizeof arguments, "%s %d", chains[LADDER].name, n);
            double count = bench_count(self, arguments, functions[k]);
            if (count < 0.0) return;
            printf("ladder, %-26s %6d %12.0f instructions a rung\n", parts[k], n, 1e6 * count / n);
        }
    }
}

static void count_elastic(const char *self)
{
    static const char *const coordinates[] = {"joint coordinates", "coordinates of bodies"};
    for (int k = ELASTIC_TREE; k < CHAINS; k++) {
        for (int n = 5; n <= 20; n *= 2) {
            char arguments[40];
            snprintf(arguments, sizeof arguments, "%s %d", chains[k].name, n);
            double count = bench_count(self, arguments, "flx_integrate");
            if (count < 0.0) return;
            printf("elastic, step in %-22s %6d %12.0f instructions a link\n",
                   coordinates[k - ELASTIC_TREE], n, 1e6 * count / 100 / n);
        }
    }
}

int main(int argc, char **argv)
{
    double iterations = 0.0;
    bench x;
    for (int k = 0; argc == 3 && k < CHAINS; k++) {
        if (strcmp(argv[1], chains[k].name) == 0) return !run_chain(k, atoi(argv[2]));
    }
    if (argc == 3) return step_time(atoi(argv[1]), atoi(argv[2]), &iterations) < 0.0;
    if (argc == 4) {
        if (!bench_open(&x, atoi(argv[1]))) return 1;
        for (int k = 0; k < atoi(argv[3]); k++) {
            for (int t = FORWARD; t < N_TASKS; t++) run(&x, (task)t);
        }
        bench_close(&x);
        return 0;
    }
    printf("%-34s %6s %12s %12s %18s\n", "", "links", "us", "us a link", "forward dynamics");
    for (int n = 10; n <= 1000; n *= 10) {
        double time[N_TASKS];
        if (!bench_open(&x, n)) return 1;
        for (int t = FORWARD; t < N_TASKS; t++) {
            time[t] = measure(&x, (task)t);
            printf("%-34s %6d %12.2f %12.4f %18.2f\n", names[t], n, 1e6 * time[t],
                   1e6 * time[t] / n, time[t] / time[FORWARD]);
        }
        bench_close(&x);
        double step = step_time(n, 100, &iterations);
        if (step < 0.0) return 1;
        printf("step of generalized-alpha, %4.1f its. %6d %12.2f %12.4f %18.2f\n", iterations, n,
               1e6 * step, 1e6 * step / n, step / time[FORWARD]);
    }
    count(argv[0]);
    count_ladder(argv[0]);
    count_elastic(argv[0]);
    return 0;
}
