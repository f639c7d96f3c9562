// test_ggl_closure.c - newmark's family on the slider crank in space: the GGL form keeps joints closed
// for as long as one likes, and index 3, GGL and error control agree. With FLX_LONG: 10^6 steps; with
// FLX_SHORT 2000.
#include "case_table.h"
#include "check.h"

#include <stdlib.h>

#define LENGTH 0.3 // of the rod

// In space, where orientations are quaternions: in the plane the angle of a crank that turns for long
// is a large number, and its rounding opens the loop.
static int joints_stay_closed_for_a_million_steps(void)
{
    static const char *const methods[] = {"generalized-alpha", "hht"};
    double until = getenv("FLX_LONG") ? 1000.0 : short_runs() ? 2.0 : 20.0;
    for (int m = 0; m < 2; m++) {
        char text[8192];
        double gap = 1.0, rate = 1.0;
        snprintf(text, sizeof text,
                 "%ssimulate: {until: %g, method: %s, formulation: ggl, step: 1e-3}\n"
                 "outputs: {every: %g, signals: [constraints]}\n",
                 case_slider_crank, until, methods[m], until / 2000.0);
        case_table table = {0};
        bool found = case_run(text, NULL, &table, NULL, NULL) &&
                     case_table_value(&table, "drift(constraints.position)", 0, &gap) &&
                     case_table_value(&table, "drift(constraints.velocity)", 0, &rate);
        printf("      %s, %.0f steps: open by %.1e m, velocities by %.1e m/s\n", methods[m],
               1e3 * until, gap, rate);
        case_table_clear(&table);
        CHECK(found);
        CHECK(gap < 1e-14 * LENGTH);
        CHECK(rate < 1e-2); // the crank passes nearly singular positions, where rates say nothing
    }
    return 0;
}

// The slider at the end by five ways.
static int formulations_agree(void)
{
    static const char *const ways[] = {
        "method: radau, rtol: 1e-10, atol: 1e-12",
        "method: generalized-alpha, formulation: index-3, step: 2e-4",
        "method: generalized-alpha, formulation: ggl, step: 2e-4",
        "method: hht, formulation: ggl, rtol: 1e-5, atol: 1e-5",
        "method: generalized-alpha, formulation: index-3, rtol: 1e-5, atol: 1e-5"};
    double x[5];
    for (int k = 0; k < 5; k++) {
        char text[8192];
        snprintf(text, sizeof text,
                 "%ssimulate: {until: 1, %s}\n"
                 "outputs: {every: 1, signals: [slider.position]}\n",
                 case_slider_crank, ways[k]);
        case_table table = {0};
        bool found = case_run(text, NULL, &table, NULL, NULL) &&
                     case_table_value(&table, "slider.position.x", 1.0, &x[k]);
        case_table_clear(&table);
        CHECK(found);
        printf("      %s: %.9f\n", ways[k], x[k]);
        CHECK_NEAR(x[k], x[0], 2e-5);
    }
    return 0;
}

TEST_MAIN(TEST(joints_stay_closed_for_a_million_steps), TEST(formulations_agree))
