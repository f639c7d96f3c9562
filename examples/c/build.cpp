// build.cpp - build.c in C++, which has no address of a compound literal: definitions are variables.
#include <cstdio>
#include <flexion/flexion.h>

static int tell(const flx_ctx *ctx)
{
    const flx_message *e;
    for (int i = 0; (e = flx_ctx_error(ctx, i)) != nullptr; i++)
        std::printf("%s: %s\n", e->path, e->text);
    return 1;
}

static flx_value number(double x)
{
    return {x, nullptr};
}
static flx_value text(const char *expression)
{
    return {0, expression};
}
static flx_vector place(const char *name)
{
    return {{}, {}, {}, name};
}

static void describe(flx_model *m)
{
    flx_model_add_parameter(m, "L", 1.2);

    flx_body_def hub = flx_body_def_default();
    hub.mass = number(2);
    hub.inertia[0] = hub.inertia[1] = number(0.01);
    hub.inertia[2] = number(0.02);
    int hub_id = flx_model_add_body(m, "hub", &hub);

    const flx_vector line[] = {{}, {text("L"), {}, {}, nullptr}};
    const char *const ends[] = {"start", "end"};
    flx_flexible_def arm = flx_flexible_def_default();
    arm.nline = 2, arm.line = line, arm.elements = 12;
    arm.section.width = arm.section.height = number(0.01);
    arm.material.E = number(7e10), arm.material.density = number(2700);
    arm.reduction = "craig-bampton", arm.modes = 3, arm.ninterface = 2, arm.interfaces = ends;
    arm.damping.ratio = number(0.01);
    int arm_id = flx_model_add_flexible(m, "arm", &arm);

    flx_body_def tip = flx_body_def_default();
    tip.type = FLX_POINT, tip.mass = number(0.1), tip.position = place("arm.end");
    int tip_id = flx_model_add_body(m, "tip", &tip);

    flx_joint_def motor = flx_joint_def_default(), clamp = motor, glue = motor;
    motor.type = FLX_REVOLUTE, motor.on[0] = FLX_GROUND, motor.on[1] = hub_id;
    motor.axis.z = number(1), motor.motion.angle = text("if(t < 0.5, 2*t^2, 0.5 + 2*(t - 0.5))");
    clamp.type = FLX_FIXED, clamp.on[0] = hub_id, clamp.on[1] = arm_id,
    clamp.at[0] = place("arm.start");
    glue.type = FLX_SPHERICAL, glue.on[0] = arm_id, glue.on[1] = tip_id, glue.at[0] = place("tip");
    flx_model_add_joint(m, "motor", &motor);
    flx_model_add_joint(m, "clamp", &clamp);
    flx_model_add_joint(m, "glue", &glue);

    flx_vector down = {};
    down.z.number = -9.81;
    flx_model_set_gravity(m, down);
    flx_model_add_output(m, "bend", "norm(arm.end.deflection)");
    flx_model_add_output(m, "motor.drive", nullptr);
    flx_model_set_text(m, "simulate.method", "radau");
    flx_model_set(m, "simulate.until", 1.0);
}

int main()
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = nullptr;
    flx_system *s = nullptr;
    flx_run *run = nullptr;
    if (!ctx || flx_model_create(ctx, 3, &m) != FLX_OK) return 1;
    describe(m);
    if (flx_system_compile(m, nullptr, ctx, &s) != FLX_OK) return tell(ctx);
    flx_model_destroy(&m);
    if (flx_run_create(s, nullptr, ctx, &run) != FLX_OK) return tell(ctx);
    int bend = flx_system_output(s, "bend", ctx), drive = flx_system_output(s, "motor.drive", ctx);
    for (int i = 1; i <= 10; i++) {
        if (flx_run_advance(run, 0.1 * i) != FLX_OK) return tell(ctx);
        std::printf("t = %.1f s  bend %.3f mm  drive %.3f N m\n", flx_run_time(run),
                    1e3 * flx_run_get(run, bend), flx_run_get(run, drive));
    }
    flx_run_destroy(&run);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}
