// bench_inversion.c - inverse models, optimal trajectories and a fit: iterations and CPU seconds beside their marks, and in runs of
// the same model over the same time.
#include "flexion/flexion.h"
#include "flexion/optimise.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef BENCH_TESTS
#define BENCH_TESTS ""
#endif

static double seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

typedef struct job {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
    double needed; // CPU seconds
} job;

static flx_status read_file(job *j, const char *path, int nset, const char *const *set)
{
    *j = (job){.ctx = flx_ctx_create()};
    return j->ctx ? flx_model_read(j->ctx, path, nset, set, &j->model) : FLX_ERR_MEMORY;
}

static void done(job *j)
{
    flx_finding_clear(&j->f);
    flx_simulation_destroy(&j->sim);
    flx_model_destroy(&j->model);
    flx_ctx_destroy(&j->ctx);
}

// The analysis of this name, alone.
static flx_status analyse(job *j, const char *name)
{
    const char *type, *about, *found;
    flx_status status = flx_simulation_create_to_analyse(j->model, &j->sim);
    int i = 0;
    if (status != FLX_OK) return status;
    while ((found = flx_simulation_analysis(j->sim, i, &type, &about)) && strcmp(found, name) != 0)
        i++;
    double begun = seconds();
    status = flx_simulation_analyse(j->sim, i, &j->f);
    j->needed = seconds() - begun;
    return status;
}

// The number before these words, of what was told.
static double told(const job *j, const char *words)
{
    double x = -1.0;
    for (int i = 0; i < j->f.nline; i++) {
        const char *line = j->f.lines[i], *at = strstr(line, words);
        if (!at) continue;
        while (at > line && at[-1] == ' ') at--;
        while (at > line && at[-1] != ' ') at--;
        sscanf(at, "%lf", &x);
        return x;
    }
    return x;
}

static int fail(const job *j, const char *what)
{
    const flx_message *m = flx_ctx_error(j->ctx, 0);
    printf("%s: %s\n", what, m ? m->text : "failed");
    return 1;
}

// A run of the model over this time in so many steps.
static flx_status run_of(job *j, double until, int steps, double *needed)
{
    flx_system *system = NULL;
    flx_run *run = NULL;
    flx_run_def def = flx_run_def_default();
    def.until = until;
    def.method.method = "generalized-alpha";
    def.method.step = until / steps;
    flx_compile_def compile = flx_compile_def_default();
    compile.method = def.method;
    flx_status status = flx_system_compile(j->model, &compile, j->ctx, &system);
    if (status == FLX_OK) status = flx_run_create(system, &def, j->ctx, &run);
    double begun = seconds();
    if (status == FLX_OK) status = flx_run_finish(run);
    *needed = seconds() - begun;
    flx_run_destroy(&run);
    flx_system_destroy(&system);
    return status;
}

static int print_runs(job *j, double until, int steps, const char *what)
{
    double one;
    if (run_of(j, until, steps, &one) != FLX_OK) return fail(j, what);
    printf("%-46s %6.1f (one in %d steps: %.1f ms)\n", "  in runs of the model", j->needed / one,
           steps, 1e3 * one);
    return 0;
}

static int inversion(const char *name, const char *what)
{
    job j;
    flx_status status = read_file(&j, BENCH_TESTS "/models/short/inversion_robot.yaml", 0, NULL);
    if (status == FLX_OK) status = analyse(&j, name);
    if (status != FLX_OK) return fail(&j, what);
    double iterations = told(&j, "iterations of Newton");
    printf("%-46s %6.0f  mark 6\n", what, iterations);
    printf("%-46s %6.1f  mark 50 (%.0f nodes)\n", "  CPU time, ms", 1e3 * j.needed,
           told(&j, "nodes in steps"));
    int failed = print_runs(&j, 1.1, 1100, what);
    done(&j);
    return failed;
}

static int trajectory(void)
{
    const char *const steps[] = {"N=400"};
    job j;
    flx_status status = read_file(&j, BENCH_TESTS "/models/short/swing_up.yaml", 1, steps);
    if (status == FLX_OK) status = analyse(&j, "swing");
    if (status == FLX_ERR_UNAVAILABLE) {
        printf("swing-up: without IPOPT\n");
        done(&j);
        return 0;
    }
    if (status != FLX_OK) return fail(&j, "swing-up");
    printf("%-46s %6.0f  mark 50\n", "swing-up, N = 400: evaluations", told(&j, "evaluations"));
    printf("%-46s %6.0f  mark 100\n", "  CPU time, ms", 1e3 * j.needed);
    int failed = print_runs(&j, 2.0, 400, "swing-up");
    done(&j);
    return failed;
}

static int fit(void)
{
    job j;
    flx_fit f;
    const flx_read_def open = flx_read_def_default(); // parameters stay open
    j = (job){.ctx = flx_ctx_create()};
    flx_status status =
        flx_model_read_by(j.ctx, BENCH_TESTS "/../examples/pendulum_fit.yaml", &open, &j.model);
    double begun = seconds();
    if (status == FLX_OK) status = flx_fit_find(j.model, NULL, j.ctx, &f);
    j.needed = seconds() - begun;
    if (status != FLX_OK) return fail(&j, "pendulum fit");
    printf("%-46s %6d  mark 8\n", "pendulum fit: iterations", f.iterations);
    printf("%-46s %6.1f\n", "  CPU time, ms", 1e3 * j.needed);
    flx_fit_clear(&f);
    int failed = print_runs(&j, 3.0, 6000, "pendulum fit");
    done(&j);
    return failed;
}

int main(void)
{
    int failed = inversion("tip", "elastic arm, tip on the line, with a check: iterations");
    failed += inversion("k1", "elastic arm, its angles: iterations");
    failed += trajectory();
    failed += fit();
    return failed > 0;
}
