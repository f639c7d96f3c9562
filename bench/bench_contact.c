// bench_contact.c - rigid contacts met step by step: a box on a slope, stacks of boxes; time per step, iterations, how far they
// creep and sink; single problems of stacks from nothing. MuJoCo and Siconos beside it where they are installed, in turns.
#include "flexion/flexion.h"

#include "case_table.h"
#include "cone_rig.h"
#ifdef BENCH_MUJOCO
#include "contact_mujoco.h"
#endif
#ifdef BENCH_SICONOS
#include "contact_siconos.h"
#endif

#include <math.h>
#include <stdio.h>
#include <time.h>

#define STEP 1e-3
#define STEPS 2000

typedef struct result {
    double us, iterations, sinks, creeps;
} result;

static bool run(int n, double tilt, const char *method, result *out)
{
    static char text[8192];
    case_table t = {0};
    flx_ledger l;
    double z = 0, x = 0, half = 0, end = STEP * STEPS;
    snprintf(
        text, sizeof text,
        "flexion: 1\ngravity: [9.81*sin(%.17g), 0, -9.81*cos(%.17g)]\n"
        "bodies:\n"
        "  box: {repeat: {i: [1, %d]}, type: rigid, mass: 1, inertia: [1.04/12, 1.04/12, 2/12],"
        " position: [0, 0, 0.2*i - 0.1], surface: {box: [1, 1, 0.2]}}\n"
        "  floor: {type: rigid, mass: 1, inertia: [1, 1, 1], surface: {plane: [0, 0, 1]}}\n"
        "joints: {still: {type: fixed, on: [ground, floor], at: [0, 0, 0]}}\n"
        "forces: {pile: {type: contact, among: [floor, box], law: restitution, friction: %g}}\n"
        "simulate: {until: %.17g, method: %s, step: %.17g, contacts: steps}\n"
        "outputs: {every: %.17g, signals: [\"box(%d).position\"]}\n",
        tilt, tilt, n, tilt > 0 ? 0.4 : 0.5, end, method, STEP, end / 2, n);
    clock_t begin = clock();
    if (!case_run_ledger(text, NULL, &t, &l)) return false;
    double seconds =
        (double)(clock() - begin) / CLOCKS_PER_SEC; // of the processor, with the making
    snprintf(text, sizeof text, "box(%d).position.z", n);
    (void)case_table_value(&t, text, end, &z);
    snprintf(text, sizeof text, "box(%d).position.x", n);
    (void)case_table_value(&t, text, end, &x);
    (void)case_table_value(&t, text, end / 2, &half);
    *out = (result){.us = 1e6 * seconds / STEPS,
                    .iterations = (double)l.work.newton_iterations / STEPS,
                    .sinks = 0.2 * n - 0.1 - z,
                    .creeps = (x - half) / (end / 2)};
    case_table_clear(&t);
    return true;
}

static void line(const char *what, const char *who, const result *r)
{
    printf("%-22s %-20s %10.1f %8.2f %12.2e %12.2e\n", what, who, r->us, r->iterations, r->sinks,
           r->creeps);
}

// ---- single problems --------------------------------------------------------------------------------

static void problem_line(const char *what, const char *who, int iterations, double residual,
                         double us, bool solved)
{
    printf("%-26s %-14s %10d %12.1e %12.0f  %s\n", what, who, iterations, residual, us,
           solved ? "" : "not solved");
}

static void siconos_lines(const char *what, const cone_rig *r, double friction)
{
#ifdef BENCH_SICONOS
    for (int newton = 0; newton < 2; newton++) {
        siconos_result s;
        if (!siconos_solve(r->ngroup, r->W, r->b, friction, newton, 1e-10, newton ? 200 : 20000,
                           &s))
            continue;
        problem_line(what, newton ? "Siconos NSN_AC" : "Siconos NSGS", s.iterations, s.residual,
                     s.us, s.converged != 0);
    }
#else
    (void)what, (void)r, (void)friction;
#endif
}

// Boxes with four contacts per face from nothing, and once more from the impulses of nearly the same problem.
static int problems(void)
{
    static const int counts[] = {3, 10, 30};
    static const char *const how[] = {"level", "sticks", "slides"};
    static const double g[][3] = {{0, 0, -1}, {0.07, 0.03, -1}, {0.14, 0.03, -1}};
    int missed = 0;
    flx_ctx *ctx = flx_ctx_create();
    flx_cone *cone = flx_cone_create(ctx);
    printf("\nsingle problems\n%-26s %-14s %10s %12s %12s\n", "work", "by", "iterations",
           "residual", "us");
    for (int i = 0; i < 9 && cone; i++) {
        char what[64];
        cone_rig r;
        flx_cone_report cold, warm;
        rig_stack(&r, counts[i / 3], 0.1, g[i % 3], 1, 1);
        snprintf(what, sizeof what, "stack of %2d boxes, %s", counts[i / 3], how[i % 3]);
        clock_t begin = clock();
        bool ok =
            flx_cone_solve(cone, r.m, r.W, r.b, r.ngroup, r.groups, 0, r.lam, r.u, &cold) == FLX_OK;
        double us = 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC;
        problem_line(what, "ours, cold", cold.iterations, cold.residual, us, ok);
        siconos_lines(what, &r, 0.1);
        for (int k = 0; k < r.nv; k++) r.free[k] += 1e-3 * sin(k);
        rig_close(&r);
        begin = clock();
        ok = ok && flx_cone_solve(cone, r.m, r.W, r.b, r.ngroup, r.groups, 1, r.lam, r.u, &warm) ==
                       FLX_OK;
        us = 1e6 * (double)(clock() - begin) / CLOCKS_PER_SEC;
        problem_line(what, "ours, warm", warm.iterations, warm.residual, us, ok);
        if (cold.iterations > 30) printf("  mark: MORE than 30 cold iterations\n");
        missed += !ok;
        rig_free(&r);
    }
    flx_cone_destroy(&cone);
    flx_ctx_destroy(&ctx);
#ifndef BENCH_SICONOS
    printf("Siconos is not installed (libsiconos-numerics-dev)\n");
#endif
    return missed;
}

int main(void)
{
    static const int counts[] = {1, 10, 20, 40};
    static const double most[] = {0, 150, 300, 700};
    int missed = 0;
    printf("%d steps of 1 ms\n%-22s %-20s %10s %8s %12s %12s\n", STEPS, "work", "by", "us/step",
           "iter.", "sinks, m", "creeps, m/s");
    for (int k = 0; k < 4; k++) {
        char what[64];
        double tilt = k == 0 ? 15 * acos(-1.0) / 180 : 0.0;
        result ours = {0}, alpha = {0};
        snprintf(what, sizeof what, k == 0 ? "box on 15 deg" : "stack of %d boxes", counts[k]);
        if (run(counts[k], tilt, "moreau", &ours)) line(what, "moreau", &ours);
        if (run(counts[k], tilt, "generalized-alpha", &alpha))
            line(what, "generalized-alpha", &alpha);
#ifdef BENCH_MUJOCO
        mujoco_result peer;
        if (mujoco_stack(counts[k], tilt, STEP, STEPS, &peer))
            line(what, "MuJoCo",
                 &(result){.us = peer.us, .sinks = peer.sinks, .creeps = peer.creeps});
#endif
        bool still = fabs(ours.sinks) < 1e-9 && fabs(ours.creeps) < 1e-12;
        bool fast = most[k] == 0 || ours.us <= most[k];
        printf("  marks: %s, %s\n", still ? "does not move" : "MOVES",
               fast ? "fast enough" : "SLOWER than asked");
        missed += !still;
    }
    missed += problems();
    return missed != 0;
}
