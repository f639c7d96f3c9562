/* drive.c - a motor that a controller drives at 1 kHz: a model from text, inputs, outputs, parameters. C and C++. */
#include <flexion/flexion.h>
#include <stdio.h>
#include <string.h>

static const char text[] = "flexion: 1\n"
                           "dimension: 2\n"
                           "gravity: [0, -9.81]\n"
                           "parameters: {m: 1, L: 0.5}\n"
                           "inputs: {torque: {value: 0, lower: -8, upper: 8, unit: N m}}\n"
                           "bodies: {arm: {type: rigid, mass: m, inertia: m*L^2/12, com: [L/2, 0], "
                           "orientation: -90*deg}}\n"
                           "joints: {shoulder: {type: revolute, on: [ground, arm], at: [0, 0]}}\n"
                           "forces: {motor: {type: torque, on: shoulder, value: torque}}\n"
                           "outputs: {signals: [shoulder.angle, shoulder.rate, arm.position.y]}\n";

static int fail(flx_ctx *ctx)
{
    const flx_message *e = flx_ctx_error(ctx, 0);
    printf("%s\n", e ? e->text : "?");
    return 1;
}

/* Raise the arm to 1 rad and hold it there. */
static flx_status raise_arm(flx_run *run, int torque, int angle, int rate)
{
    flx_status status = FLX_OK;
    int k;
    for (k = 1; k <= 3000 && status == FLX_OK; k++) {
        double u = 60 * (1 - flx_run_get(run, angle)) - 8 * flx_run_get(run, rate);
        status = flx_run_set_input(run, torque, 1, &u); /* held until the next */
        if (status == FLX_OK) status = flx_run_advance(run, 1e-3 * k);
    }
    return status;
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_read_def def = flx_read_def_default();
    flx_model *model = NULL;
    flx_system *system = NULL;
    flx_run *run = NULL;
    double mass;
    def.text = text;
    def.length = strlen(text);
    if (flx_model_read_by(ctx, "arm", &def, &model) != FLX_OK) return fail(ctx);
    if (flx_system_compile(model, NULL, ctx, &system) != FLX_OK) return fail(ctx);
    if (flx_run_create(system, NULL, ctx, &run) != FLX_OK) return fail(ctx);
    int torque = flx_system_input(system, "torque", ctx),
        m = flx_system_parameter(system, "m", ctx);
    int angle = flx_system_output(system, "shoulder.angle", ctx);
    int rate = flx_system_output(system, "shoulder.rate", ctx);
    for (mass = 1; mass <= 3; mass += 1) { /* the system is compiled once */
        if (flx_run_set_parameter(run, m, mass) != FLX_OK) return fail(ctx);
        flx_run_set_input(run, torque, 0, NULL); /* as the model says */
        if (flx_run_reset(run) != FLX_OK) return fail(ctx);
        if (raise_arm(run, torque, angle, rate) != FLX_OK) return fail(ctx);
        printf("%g kg: angle %.4f rad at t = %g s, %s\n", mass, flx_run_get(run, angle),
               flx_run_time(run), flx_run_ledger(run)->balanced ? "checked" : "WRONG");
    }
    flx_run_destroy(&run);
    flx_system_destroy(&system);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}
