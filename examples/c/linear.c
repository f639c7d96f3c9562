/* linear.c - a pole on a cart, linearised where it stands: A, B, C, D by names of states, inputs and outputs. C and C++. */
#include <flexion/flexion.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "flexion: 1\n"
    "dimension: 2\n"
    "gravity: [0, -9.81]\n"
    "inputs: {F: {value: 0, unit: N}}\n"
    "bodies:\n"
    "  cart: {type: rigid, mass: 1, inertia: 0.01}\n"
    "  rod: {type: rigid, mass: 0.2, inertia: 0.006, com: [0, 0.3]}\n"
    "joints:\n"
    "  rail: {type: prismatic, on: [ground, cart], at: cart, axis: [1, 0]}\n"
    "  hinge: {type: revolute, on: [cart, rod], at: cart}\n"
    "forces: {motor: {type: force, on: rail, value: F}}\n"
    "simulate: {until: 1, method: dopri5, rtol: 1e-8, atol: 1e-10, formulation: tree}\n"
    "outputs: {signals: [rail.displacement, hinge.angle, hinge.reaction.x]}\n";

static int fail(flx_ctx *ctx)
{
    const flx_message *e = flx_ctx_error(ctx, 0);
    printf("%s\n", e ? e->text : "?");
    return 1;
}

static void print(const char *name, int m, int n, const double *A)
{
    int i, j;
    for (i = 0; i < m; i++) {
        printf("%s", i == 0 ? name : " ");
        for (j = 0; j < n; j++) printf(" %11.6f", A[i * n + j] + 0.0);
        printf("\n");
    }
}

int main(void)
{
    static const char *const kinds[] = {"position", "velocity", "state"};
    int inputs[1], outputs[3] = {0, 1, 2}, i;
    double one = 1, slopes[3];
    flx_ctx *ctx = flx_ctx_create();
    flx_read_def def = flx_read_def_default();
    flx_model *model = NULL;
    flx_system *system = NULL;
    flx_run *run = NULL;
    flx_linear_model linear;
    flx_io io = {1, 3, inputs, outputs};
    def.text = text;
    def.length = strlen(text);
    if (flx_model_read_by(ctx, "cart", &def, &model) != FLX_OK) return fail(ctx);
    if (flx_system_compile(model, NULL, ctx, &system) != FLX_OK) return fail(ctx);
    if (flx_run_create(system, NULL, ctx, &run) != FLX_OK) return fail(ctx);
    inputs[0] = flx_system_input(system, "F", ctx);
    if (flx_run_linearise(run, &io, NULL, &linear) != FLX_OK) return fail(ctx);
    for (i = 0; i < linear.n; i++)
        printf("state %d: %s of %s (%s)\n", i + 1, kinds[linear.states[i].kind],
               linear.states[i].item, linear.states[i].part);
    print("A", linear.n, linear.n, linear.A);
    print("B", linear.n, linear.nin, linear.B);
    print("C", linear.nout, linear.n, linear.C);
    print("D", linear.nout, linear.nin, linear.D);
    if (flx_run_directional(run, 3, outputs, 1, inputs, &one, slopes) != FLX_OK) return fail(ctx);
    printf("the hinge feels %.6f N of one newton at the cart\n", slopes[2]);
    flx_linear_model_clear(&linear);
    flx_run_destroy(&run);
    flx_system_destroy(&system);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}
