// bench_inversion.c - inverse models and optimal trajectories: iterations and CPU seconds beside their marks.
#include "flexion/flexion.h"

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
    done(&j);
    return 0;
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
    done(&j);
    return 0;
}

int main(void)
{
    int failed = inversion("tip", "elastic arm, tip on the line, with a check: iterations");
    failed += inversion("k1", "elastic arm, its angles: iterations");
    failed += trajectory();
    return failed > 0;
}
