/* ensemble.c - a thrown ball with an uncertain speed and drag: 500 runs of one compiled system on all processors. C and C++. */
#include <flexion/flexion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 500

static const char text[] = "flexion: 1\n"
                           "dimension: 2\n"
                           "gravity: [0, -9.81]\n"
                           "parameters: {speed: 20, drag: 0.002}\n"
                           "bodies: {ball: {type: point, mass: 0.4, position: [0, 1], velocity: "
                           "[speed*cos(0.7), speed*sin(0.7)]}}\n"
                           "forces: {air: {type: force, on: ball, value: "
                           "\"-drag*sqrt(ball.velocity.x^2 + ball.velocity.y^2)*ball.velocity\"}}\n"
                           "events: {landing: {when: ball.position.y < 0, stop: true}}\n"
                           "outputs: {signals: [ball.position.x]}\n"
                           "simulate: {until: 10, method: rk4, step: 0.01}\n";

static int fail(flx_ctx *ctx)
{
    const flx_message *e = flx_ctx_error(ctx, 0);
    printf("%s\n", e ? e->text : "?");
    return 1;
}

int main(void)
{
    static double values[RUNS][2], far[RUNS];
    static flx_ensemble_end ends[RUNS];
    flx_ctx *ctx = flx_ctx_create();
    flx_read_def read = flx_read_def_default();
    flx_ensemble_def def = flx_ensemble_def_default();
    flx_model *model = NULL;
    flx_system *system = NULL;
    int parameters[2], output, i, failed = 0;
    double mean = 0, square = 0;
    read.text = text;
    read.length = strlen(text);
    if (flx_model_read_by(ctx, "ball", &read, &model) != FLX_OK) return fail(ctx);
    if (flx_system_compile(model, NULL, ctx, &system) != FLX_OK) return fail(ctx);
    parameters[0] = flx_system_parameter(system, "speed", ctx);
    parameters[1] = flx_system_parameter(system, "drag", ctx);
    output = flx_system_output(system, "ball.position.x", ctx);
    for (i = 0; i < RUNS; i++) { /* evenly over 19 to 21 m/s and 0.0015 to 0.0025 */
        values[i][0] = 19 + 2 * fmod(0.5 + i * 0.7548776662466927, 1);
        values[i][1] = 0.0015 + 0.001 * fmod(0.5 + i * 0.5698402909980532, 1);
    }
    def.runs = RUNS;
    def.nparameter = 2;
    def.parameters = parameters;
    def.parameter_values = values[0];
    def.noutput = 1;
    def.outputs = &output;
    if (flx_ensemble_run(system, &def, ctx, ends, far, NULL) != FLX_OK) return fail(ctx);
    for (i = 0; i < RUNS; i++) {
        if (ends[i].status == FLX_STOPPED) { /* on the ground */
            mean += far[i];
            square += far[i] * far[i];
        } else {
            failed++;
        }
    }
    mean /= RUNS - failed;
    printf("%d balls: %.2f m far, deviation %.2f m; %d failed\n", RUNS, mean,
           sqrt(square / (RUNS - failed) - mean * mean), failed);
    flx_system_destroy(&system);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}
