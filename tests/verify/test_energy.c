// A frictionless spatial mechanism keeps its energy and its joints: the IFToMM spatial slider crank
// under gravity, 10 s with DOPRI5 at rtol 1e-10.
#include "case_table.h"
#include "check.h"

static int energy_and_joints_are_kept(void)
{
    char text[4096];
    snprintf(text, sizeof text,
             "%ssimulate: {until: 10, method: dopri5, rtol: 1e-10, atol: 1e-12}\n"
             "outputs: {every: 0.01, signals: [slider.position, energy, constraints]}\n",
             case_slider_crank);
    case_table table = {0};
    flx_summary summary;
    CHECK(case_run(text, NULL, &table, &summary, NULL));
    CHECK(summary.freedoms == 1);

    double drift, scale, position, velocity;
    CHECK(case_table_value(&table, "drift(energy.total)", 0, &drift));
    CHECK(case_table_value(&table, "energy.total", 0, &scale));
    CHECK(case_table_value(&table, "drift(constraints.position)", 0, &position));
    CHECK(case_table_value(&table, "drift(constraints.velocity)", 0, &velocity));
    printf("relative drift %.2e, position residual %.2e, velocity residual %.2e\n", drift / scale,
           position, velocity);
    CHECK_NEAR(drift / scale, 0.0, 1e-8);
    CHECK_NEAR(position, 0.0, 1e-10);
    case_table_clear(&table);
    return 0;
}

TEST_MAIN(TEST(energy_and_joints_are_kept))
