// build.c - a model by calls, without a file: a hub that begins to turn, and a flexible arm with a load at its tip.
//     cc build.c $(pkg-config --cflags --libs flexion) -o build && ./build
// build.cpp is the same in C++.
#include <flexion/flexion.h>
#include <stdio.h>

static int tell(const flx_ctx *ctx)
{
    const flx_message *e;
    for (int i = 0; (e = flx_ctx_error(ctx, i)) != NULL; i++) printf("%s: %s\n", e->path, e->text);
    return 1;
}

// Calls may come in any order, and need no checks of their own: compile tells of all that were refused.
static void describe(flx_model *m)
{
    const flx_vector line[] = {{.x = {0}}, {.x = {.text = "L"}}};
    const char *const ends[] = {"start", "end"};
    flx_model_add_parameter(m, "L", 1.2);
    int hub = flx_model_add_body(m, "hub",
                                 &(flx_body_def){.mass = {2}, .inertia = {{0.01}, {0.01}, {0.02}}});
    int arm =
        flx_model_add_flexible(m, "arm",
                               &(flx_flexible_def){.nline = 2,
                                                   .line = line,
                                                   .elements = 12,
                                                   .section = {.width = {0.01}, .height = {0.01}},
                                                   .material = {.E = {7e10}, .density = {2700}},
                                                   .reduction = "craig-bampton",
                                                   .modes = 3,
                                                   .ninterface = 2,
                                                   .interfaces = ends,
                                                   .damping = {.ratio = {0.01}}});
    int tip = flx_model_add_body(
        m, "tip",
        &(flx_body_def){.type = FLX_POINT, .mass = {0.1}, .position = {.text = "arm.end"}});
    flx_model_add_joint(
        m, "motor",
        &(flx_joint_def){.type = FLX_REVOLUTE,
                         .on = {FLX_GROUND, hub},
                         .axis = {.z = {1}},
                         .motion = {.angle = {.text = "if(t < 0.5, 2*t^2, 0.5 + 2*(t - 0.5))"}}});
    flx_model_add_joint(
        m, "clamp",
        &(flx_joint_def){.type = FLX_FIXED, .on = {hub, arm}, .at = {{.text = "arm.start"}}});
    flx_model_add_joint(
        m, "glue",
        &(flx_joint_def){.type = FLX_SPHERICAL, .on = {arm, tip}, .at = {{.text = "tip"}}});
    flx_model_set_gravity(m, (flx_vector){.z = {-9.81}});
    flx_model_add_output(m, "bend", "norm(arm.end.deflection)");
    flx_model_add_output(m, "motor.drive", NULL);
    flx_model_set_text(m, "simulate.method", "radau"); // any key of the language, by its path
    flx_model_set(m, "simulate.until", 1.0);
}

int main(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_run *run = NULL;
    if (!ctx || flx_model_create(ctx, 3, &m) != FLX_OK) return 1;
    describe(m);
    if (flx_system_compile(m, NULL, ctx, &s) != FLX_OK) return tell(ctx);
    flx_model_write(m,
                    "arm.yaml"); // what a file would say: flexion view, flexion modes arm.yaml, ...
    flx_model_destroy(&m);       // the system does not need it any more
    if (flx_run_create(s, NULL, ctx, &run) != FLX_OK) return tell(ctx);
    int bend = flx_system_output(s, "bend", ctx), drive = flx_system_output(s, "motor.drive", ctx);
    for (int i = 1; i <= 10; i++) {
        if (flx_run_advance(run, 0.1 * i) != FLX_OK) return tell(ctx);
        printf("t = %.1f s  bend %.3f mm  drive %.3f N m\n", flx_run_time(run),
               1e3 * flx_run_get(run, bend), flx_run_get(run, drive));
    }
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}
