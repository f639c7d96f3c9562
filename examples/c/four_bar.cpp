// four_bar.cpp - four_bar.c in C++, which has no address of a compound literal: definitions are variables.
#include <cstdio>
#include <flexion/flexion.h>
#include <vector>

static flx_value number(double x)
{
    return {x, nullptr};
}

static flx_vector place(const char *name)
{
    return {{}, {}, {}, name};
}

static int bar(flx_model *m, const char *name, double mass, double l, flx_vector at, double angle)
{
    const flx_named_vector end = {"end", {number(l), {}, {}, nullptr}};
    flx_body_def def = flx_body_def_default();
    def.mass = number(mass), def.inertia[0] = number(mass * l * l / 12), def.com.x = number(l / 2);
    def.position = at, def.orientation.angle = number(angle), def.npoint = 1, def.points = &end;
    return flx_model_add_body(m, name, &def);
}

static int hinge(flx_model *m, const char *name, int first, int second, flx_vector at,
                 flx_vector and_at)
{
    flx_joint_def def = flx_joint_def_default();
    def.type = FLX_REVOLUTE, def.on[0] = first, def.on[1] = second;
    def.at[0] = at, def.at[1] = and_at;
    return flx_model_add_joint(m, name, &def);
}

// The steps of the controller, whose memory is the sum of errors; returns the rate at the end.
static double control(flx_run *run, int torque, int rate, int from, int to, double &sum)
{
    for (int i = from; i < to; i++) {
        double error = 6.0 - flx_run_get(run, rate);
        double u = 4.0 * error + 30.0 * (sum += 1e-3 * error);
        flx_run_set_input(run, torque, 1, &u); // held until the next
        if (flx_run_advance(run, 1e-3 * (i + 1)) != FLX_OK) break;
        if (i % 250 == 0) std::printf("t = %.3f s  torque %.4f N m\n", flx_run_time(run), u);
    }
    return flx_run_get(run, rate);
}

int main()
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m;
    flx_system *s;
    flx_run *run;
    const flx_vector none = {}, D = {{0.7, nullptr}, {}, {}, nullptr}, B = place("crank.end");
    if (flx_model_create(ctx, 2, &m) != FLX_OK) return 1;
    int torque = flx_model_add_input(m, "torque", 0.0);
    int crank = bar(m, "crank", 0.4, 0.2, none, 1.5707963267948966);
    int coupler = bar(m, "coupler", 1.2, 0.6, B, 0.4703778727);
    int rocker = bar(m, "rocker", 1.0, 0.5, D, 1.90744261);
    int motor = hinge(m, "motor", FLX_GROUND, crank, none, none);
    hinge(m, "B", crank, coupler, B, none);
    hinge(m, "C", rocker, coupler, place("rocker.end"), place("coupler.end"));
    hinge(m, "D", FLX_GROUND, rocker, D, none);
    flx_force_def drive = flx_force_def_default();
    drive.type = FLX_TORQUE, drive.joint = motor, drive.value = place("torque");
    flx_model_add_force(m, "drive", &drive);
    flx_vector down = {};
    down.y = number(-9.81);
    flx_model_set_gravity(m, down);
    flx_model_add_output(m, "motor.rate", nullptr);
    if (flx_system_compile(m, nullptr, ctx, &s) != FLX_OK ||
        flx_run_create(s, nullptr, ctx, &run) != FLX_OK) {
        std::printf("%s: %s\n", flx_ctx_error(ctx, 0)->path, flx_ctx_error(ctx, 0)->text);
        return 1;
    }
    int rate = flx_system_output(s, "motor.rate", ctx);
    double sum = 0.0;
    control(run, torque, rate, 0, 1000, sum);
    std::vector<char> block(flx_run_save(run, nullptr, 0));
    flx_run_save(run, block.data(), block.size());
    double again = sum, first = control(run, torque, rate, 1000, 2000, sum);
    flx_run_restore(run, block.data(), block.size());
    double second = control(run, torque, rate, 1000, 2000, again);
    std::printf("%.4f rad/s; %s\n", first,
                first == second ? "again, bit for bit" : "not the same again");
    flx_run_destroy(&run), flx_system_destroy(&s), flx_model_destroy(&m), flx_ctx_destroy(&ctx);
    return first != second;
}
