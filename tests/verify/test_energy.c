// A frictionless spatial mechanism keeps its energy and its joints: the IFToMM spatial slider crank
// under gravity, 10 s with DOPRI5 at rtol 1e-10.
#include "flexion/flexion.h"

#include "case_table.h"
#include "check.h"

static const char slider_crank[] =
    "flexion: 1\n"
    "gravity: [0, 0, -9.81]\n"
    "parameters: {A: [0, 0.1, 0.12], B: [0, 0.1, 0.2], C: [0.2, 0, 0],\n"
    "             ey: [-0.24806947, 0.74420841, -0.62017367]}\n"
    "bodies:\n"
    "  crank: {type: rigid, mass: 0.12, inertia: [1e-4, 1e-5, 1e-4], position: A,\n"
    "          angular_velocity: [6, 0, 0], points: {B: [0, 0, 0.08]}}\n"
    "  rod: {type: rigid, mass: 0.5, inertia: [4e-4, 4e-3, 4e-3], position: (B + C)/2,\n"
    "        orientation: {x: C - B, y: ey}, velocity: [0.12, -0.24, 0],\n"
    "        angular_velocity: [1.694117647, -0.847058824, 0.705882353],\n"
    "        points: {B: [-0.15, 0, 0], C: [0.15, 0, 0]}}\n"
    "  slider: {type: rigid, mass: 2, inertia: [1e-4, 1e-4, 1e-4], position: C,\n"
    "           velocity: [0.24, 0, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, on: [ground, crank], at: A, axis: [1, 0, 0]}\n"
    "  ball: {type: spherical, on: [crank, rod], at: [crank.B, rod.B]}\n"
    "  cross: {type: universal, on: [slider, rod], at: [slider, rod.C], axes: [[1, 0, 0], ey]}\n"
    "  rail: {type: prismatic, on: [ground, slider], at: slider, axis: [1, 0, 0]}\n"
    "simulate: {until: 10, method: dopri5, rtol: 1e-10, atol: 1e-12}\n"
    "outputs: {every: 0.01, signals: [slider.position, energy, constraints]}\n";

static int energy_and_joints_are_kept(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_simulation *sim = NULL;
    case_table table = {0};
    case_sink sink = case_sink_make(ctx, &table);
    flx_sink *sinks[] = {&sink.base};
    flx_status s = flx_model_read_text(ctx, "slider_crank", slider_crank, strlen(slider_crank), 0,
                                       NULL, &model);
    if (s == FLX_OK) s = flx_simulation_create(model, &sim);
    if (s == FLX_OK) s = flx_simulation_run(sim, 1, sinks, NULL, NULL);
    for (int i = 0; flx_ctx_error(ctx, i); i++) printf("%s\n", flx_ctx_error(ctx, i)->text);
    CHECK(s == FLX_OK);

    double drift, scale, position, velocity;
    CHECK(case_table_value(&table, "drift(energy.total)", 0, &drift));
    CHECK(case_table_value(&table, "energy.total", 0, &scale));
    CHECK(case_table_value(&table, "drift(constraints.position)", 0, &position));
    CHECK(case_table_value(&table, "drift(constraints.velocity)", 0, &velocity));
    printf("relative drift %.2e, position residual %.2e, velocity residual %.2e\n", drift / scale,
           position, velocity);
    CHECK_NEAR(drift / scale, 0.0, 1e-8);
    CHECK_NEAR(position, 0.0, 1e-10);
    CHECK(flx_simulation_summary(sim)->freedoms == 1);

    case_table_clear(&table);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(energy_and_joints_are_kept))
