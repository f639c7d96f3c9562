// test_force_ports.c - units that a compiled system tells of the values of forces, and what it says where a part of a force
// comes or goes with a parameter.
#include "check.h"
#include "flexion/flexion.h"

static const char model[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {k: 50}\n"
    "bodies:\n"
    "  a: {type: rigid, mass: 1, inertia: [1, 1, 1]}\n"
    "  b: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [2, 0, 0]}\n"
    "  c: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [4, 0, 0]}\n"
    "  d: {type: rigid, mass: 1, inertia: [1, 1, 1], position: [6, 0, 0]}\n"
    "joints:\n"
    "  cyl: {type: cylindrical, on: [ground, a], at: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  nut: {type: screw, on: [ground, b], at: [2, 0, 0], axis: [0, 0, 1], pitch: 0.02}\n"
    "  pin: {type: revolute, on: [ground, c], at: [4, 0, 0], axis: [0, 1, 0]}\n"
    "forces:\n"
    "  push: {type: force, on: cyl, value: 3}\n"
    "  twist: {type: torque, on: cyl, value: 2}\n"
    "  lift: {type: force, on: nut, value: 40}\n"
    "  drive: {type: torque, on: nut, value: 0.3}\n"
    "  motor: {type: torque, on: pin, value: 0.1*sin(t)}\n"
    "  rod: {type: actuator, on: [c, d], at: [c, d], value: 5}\n"
    "  wind: {type: expression, on: d, force: [1, 0, 0]}\n"
    "  gyro: {type: expression, on: d, torque: [0, 0.1*cos(t), 0]}\n"
    "  both: {type: expression, on: d, force: [0, 1, 0], torque: [0.2, 0, 0]}\n"
    "  soft: {type: bushing, on: [ground, d], at: d, form: mixed,\n"
    "         stiffness: [k, 100, 100], damping: [0, 1, 1]}\n"
    "simulate: {until: 0.1, method: radau}\n"
    "outputs: {every: 0.1, signals: [push.value, twist.value, lift.value, drive.value, "
    "motor.value, "
    "rod.value,\n"
    "    wind.value, gyro.value, both.value, lift.power, rod.length, cyl.angle, "
    "cyl.displacement]}\n";

static const struct {
    const char *name, *unit;
} units[] = {
    {"push.value", "N"},       {"twist.value", "N m"},  {"lift.value", "N"},
    {"drive.value", "N m"},    {"motor.value", "N m"},  {"rod.value", "N"},
    {"wind.value.x", "N"},     {"gyro.value.y", "N m"}, {"both.value.y", "N"},
    {"lift.power", "W"},       {"rod.length", "m"},     {"cyl.angle", "rad"},
    {"cyl.displacement", "m"},
};

static flx_system *compile(flx_ctx *ctx)
{
    flx_model *m = NULL;
    flx_system *s = NULL;
    flx_read_def read = flx_read_def_default();
    read.text = model;
    read.length = strlen(model);
    if (flx_model_read_by(ctx, "m.yaml", &read, &m) == FLX_OK) {
        flx_compile_def def = flx_compile_def_default();
        flx_system_compile(m, &def, ctx, &s);
    }
    for (int i = 0; i < flx_ctx_error_count(ctx); i++) printf("%s\n", flx_ctx_error(ctx, i)->text);
    flx_model_destroy(&m);
    return s;
}

static int values_of_forces_have_their_units(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = compile(ctx);
    CHECK(s != NULL);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        int k = flx_system_output(s, units[i].name, ctx);
        flx_port_info info = {0};
        CHECK(k >= 0 && flx_system_describe(s, FLX_PORT_OUTPUT, k, &info));
        if (strcmp(info.unit, units[i].unit) != 0)
            printf("%s: %s, not %s\n", units[i].name, info.unit, units[i].unit);
        CHECK(strcmp(info.unit, units[i].unit) == 0);
    }
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int part_that_vanishes_is_told(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_system *s = compile(ctx);
    flx_run *r = NULL;
    CHECK(s && flx_run_create(s, NULL, ctx, &r) == FLX_OK);
    int k = flx_system_parameter(s, "k", ctx);
    CHECK(k >= 0 && flx_run_set_parameter(r, k, 60.0) == FLX_OK && flx_run_reset(r) == FLX_OK);
    CHECK(flx_run_set_parameter(r, k, 0.0) == FLX_OK && flx_run_reset(r) == FLX_ERR_CANNOT);
    const flx_message *e = flx_ctx_error(ctx, 0);
    CHECK(e && strstr(e->text, "force 'soft': with these parameters a stiffness or damping becomes "
                               "zero, or no longer is"));
    CHECK(strstr(e->text, "compile again") && e->loc.line == 23);
    flx_run_destroy(&r);
    flx_system_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(values_of_forces_have_their_units), TEST(part_that_vanishes_is_told))
