/* resume.c - a run that is written to a file, and goes on from there bit for bit. C and C++. */
#include <flexion/flexion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
    "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\n"
    "bodies:\n"
    "  upper: {type: rigid, mass: 1, inertia: 0.02, com: [0.25, 0], points: {tip: [0.5, 0]}}\n"
    "  lower: {like: upper, position: upper.tip}\n"
    "joints:\n"
    "  A: {type: revolute, on: [ground, upper], at: [0, 0]}\n"
    "  B: {type: revolute, on: [upper, lower], at: upper.tip}\n"
    "simulate: {until: 10, method: radau, rtol: 1e-8}\n"
    "outputs: {signals: [A.angle, B.angle]}\n";

typedef struct motion {
    flx_ctx *ctx;
    flx_model *model;
    flx_system *system;
    flx_run *run;
} motion;

static int open_motion(motion *x)
{
    memset(x, 0, sizeof *x);
    x->ctx = flx_ctx_create();
    if (flx_model_read_text(x->ctx, "pendulum", text, strlen(text), 0, NULL, &x->model) == FLX_OK &&
        flx_system_compile(x->model, NULL, x->ctx, &x->system) == FLX_OK &&
        flx_run_create(x->system, NULL, x->ctx, &x->run) == FLX_OK)
        return 1;
    printf("%s\n", flx_ctx_error(x->ctx, 0)->text);
    return 0;
}

static void close_motion(motion *x)
{
    flx_run_destroy(&x->run);
    flx_system_destroy(&x->system);
    flx_model_destroy(&x->model);
    flx_ctx_destroy(&x->ctx);
}

int main(void)
{
    motion first, second;
    FILE *file = tmpfile();
    if (!file || !open_motion(&first) || !open_motion(&second)) return 1;
    if (flx_run_advance(first.run, 5.0) != FLX_OK) return 1;
    size_t size = flx_run_save(first.run, NULL, 0); /* how much room it needs */
    void *block = malloc(size);
    flx_run_save(first.run, block, size);
    fwrite(block, 1, size, file);
    free(block);
    flx_run_advance(first.run, 10.0);

    /* elsewhere, or later: the same model, a new run */
    rewind(file);
    block = calloc(1, size);
    size = fread(block, 1, size, file);
    if (flx_run_restore(second.run, block, size) != FLX_OK) {
        printf("%s\n", flx_ctx_error(second.ctx, 0)->text);
        return 1;
    }
    printf("restored at t = %g s\n", flx_run_time(second.run));
    flx_run_advance(second.run, 10.0);
    double a = flx_run_get(first.run, 0), b = flx_run_get(second.run, 0);
    printf("angle at t = 10 s: %.6f rad, %s\n", a, a == b ? "bit for bit" : "NOT THE SAME");
    free(block);
    fclose(file);
    close_motion(&first);
    close_motion(&second);
    return a != b;
}
