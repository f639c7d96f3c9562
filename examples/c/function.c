/* function.c - a function of this program in a model: the force of a tyre of one's own, with its derivatives. C and C++. */
#include <flexion/flexion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "flexion: 1\n"
    "title: A braked wheel\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "parameters: {m: 300, r: 0.3, grip: 1.1}\n"
    "functions: {tyre: {external: tyre, of: [slip, load]}}\n"
    "signals:\n"
    "  slip: (wheel.velocity.x + r*spin.rate)/20\n" /* against the speed at the start */
    "  force: grip*tyre(slip, m*9.81)\n"
    "bodies:\n"
    "  wheel: {type: rigid, mass: m, inertia: 1, position: [0, r], velocity: [20, 0]}\n"
    "  rim: {type: rigid, mass: 1, inertia: 1.2, position: [0, r], velocity: [20, 0],\n"
    "        angular_velocity: -20/r}\n"
    "joints:\n"
    "  road: {type: prismatic, on: [ground, wheel], at: [0, r], axis: [1, 0]}\n"
    "  spin: {type: revolute, on: [wheel, rim], at: [0, r]}\n"
    "forces:\n"
    "  push: {type: force, on: wheel, value: [-force, 0]}\n"
    "  turn: {type: torque, on: rim, value: 800 - r*force}\n" /* the brake, against the spin */
    "outputs: {signals: [wheel.velocity.x, slip, force]}\n";

/* Force over slip and load: saturates at 1.2 of the load. */
static int tyre(void *user, int n, const double *x, double *y, double *slopes)
{
    double s = tanh(8 * x[0]);
    ++*(long *)user;
    *y = 1.2 * x[1] * s;
    if (!slopes) return FLX_FUNCTION_VALUE;
    slopes[0] = 1.2 * x[1] * 8 * (1 - s * s);
    slopes[n - 1] = 1.2 * s;
    return FLX_FUNCTION_SLOPES;
}

static int brake(flx_ctx *ctx, flx_model *model)
{
    flx_system *system = NULL;
    flx_run *run = NULL;
    int k, good = flx_system_compile(model, NULL, ctx, &system) == FLX_OK &&
                  flx_run_create(system, NULL, ctx, &run) == FLX_OK;
    for (k = 0; good && k <= 4; k++) {
        good = flx_run_advance(run, 0.1 * k) == FLX_OK;
        printf("t = %.1f s: %8.4f m/s, slip %.4f, %7.1f N\n", flx_run_time(run),
               flx_run_get(run, 0), flx_run_get(run, 1), flx_run_get(run, 2));
    }
    flx_run_destroy(&run);
    flx_system_destroy(&system);
    return good;
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    long calls = 0;
    int good;
    flx_read_def def = flx_read_def_default();
    def.text = text;
    def.length = strlen(text);
    good = flx_model_read_by(ctx, "wheel", &def, &model) == FLX_OK &&
           flx_model_bind(model, "tyre", tyre, &calls) == FLX_OK && brake(ctx, model);
    printf(calls > 0 ? "the tyre was asked\n" : "the tyre was not asked\n");
    if (!good && flx_ctx_error(ctx, 0)) printf("%s\n", flx_ctx_error(ctx, 0)->text);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return good ? 0 : 1;
}
