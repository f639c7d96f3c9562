/* two.c - two systems, four threads: each runs both of them with a mass of its own. C and C++. */
#include <flexion/flexion.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define THREADS 4

static const char head[] = "flexion: 1\ndimension: 2\ngravity: [0, -9.81]\nparameters: {m: 1}\n"
                           "outputs: {signals: [energy.total]}\n";
static const char *const bodies[2] = {
    "bodies: {rod: {type: rigid, mass: m, inertia: 0.1, com: [0.5, 0]}}\n"
    "joints: {pin: {type: revolute, on: [ground, rod], at: [0, 0]}}\n",
    "bodies: {ball: {type: point, mass: m, position: [1, 0], velocity: [0, 3]}}\n"};

typedef struct job {
    pthread_t thread;
    flx_system *const *systems; /* shared, and never changed */
    double mass, energy[2];
    int failed;
} job;

static int run_one(const flx_system *s, double mass, flx_ctx *ctx, double *energy)
{
    flx_run *run = NULL;
    int good = flx_run_create(s, NULL, ctx, &run) == FLX_OK &&
               flx_run_set_parameter(run, flx_system_parameter(s, "m", ctx), mass) == FLX_OK &&
               flx_run_reset(run) == FLX_OK && flx_run_advance(run, 1.0) == FLX_OK;
    if (good) *energy = flx_run_get(run, 0);
    flx_run_destroy(&run);
    return good;
}

static void *work(void *user)
{
    job *j = (job *)user;
    flx_ctx *ctx = flx_ctx_create(); /* one for each thread */
    int k;
    for (k = 0; k < 2 && !j->failed; k++)
        j->failed = !run_one(j->systems[k], j->mass, ctx, &j->energy[k]);
    if (j->failed && flx_ctx_error(ctx, 0)) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    flx_ctx_destroy(&ctx);
    return NULL;
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *models[2] = {NULL, NULL};
    flx_system *systems[2] = {NULL, NULL};
    job jobs[THREADS];
    char text[1000];
    int k, failed = 0;
    for (k = 0; k < 2; k++) {
        flx_read_def def = flx_read_def_default();
        snprintf(text, sizeof text, "%s%s", head, bodies[k]);
        def.text = text;
        def.length = strlen(text);
        if (flx_model_read_by(ctx, "two", &def, &models[k]) != FLX_OK ||
            flx_system_compile(models[k], NULL, ctx, &systems[k]) != FLX_OK) {
            printf("%s\n", flx_ctx_error(ctx, 0)->text);
            return 1;
        }
    }
    memset(jobs, 0, sizeof jobs);
    for (k = 0; k < THREADS; k++) {
        jobs[k].systems = systems;
        jobs[k].mass = 1.0 + k;
        pthread_create(&jobs[k].thread, NULL, work, &jobs[k]);
    }
    for (k = 0; k < THREADS; k++) {
        pthread_join(jobs[k].thread, NULL);
        printf("%g kg: %.6f J, %.6f J\n", jobs[k].mass, jobs[k].energy[0], jobs[k].energy[1]);
        failed |= jobs[k].failed;
    }
    for (k = 0; k < 2; k++) flx_system_destroy(&systems[k]), flx_model_destroy(&models[k]);
    flx_ctx_destroy(&ctx);
    return failed;
}
