// test_beam_frequencies.c - bending of Euler's and Bernoulli's beam with three kinds of ends: reference case
// flex-beam-frequencies-eb.
#include "check.h"
#include "flexion/flexion.h"
#include "reference_case.h"

static int check_ends(const reference_case *c, const char *ends, const char *supports)
{
    char text[600], name[60];
    flx_fe_mode modes[6];
    flx_fe_modes_report report;
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    snprintf(text, sizeof text,
             "flexion: 1\n"
             "dimension: 2\n"
             "fe:\n"
             "  line: [[0, 0], [2, 0]]\n"
             "  elements: 40\n"
             "  section: {width: 0.01, height: 0.01}\n"
             "  material: {E: 2.07e11, nu: 0.3, density: 7800}\n"
             "  theory: euler-bernoulli\n%s",
             supports);
    CHECK(flx_model_read_text(ctx, "beam.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
    CHECK(flx_fe_problem_modes(p, 6, NULL, modes, &report) == FLX_OK);
    for (int k = 0; k < 3; k++) {
        snprintf(name, sizeof name, "example omega_%d %s", k + 1, ends);
        CHECK_REL(2 * FLX_PI * modes[report.rigid + k].frequency, reference_value(c, name, 0),
                  1e-5);
    }
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int beams_have_the_frequencies_of_the_case(void)
{
    reference_case c;
    c = reference_open("flex-beam-frequencies-eb");
    CHECK(c.tree);
    CHECK(check_ends(&c, "clamped-free", "  supports: {a: {on: start}}\n") == 0);
    CHECK(check_ends(&c, "free-free", "") == 0);
    CHECK(check_ends(&c, "clamped-pinned",
                     "  supports: {a: {on: start}, b: {on: end, components: [x, y]}}\n") == 0);
    reference_close(&c);
    return 0;
}

TEST_MAIN(TEST(beams_have_the_frequencies_of_the_case))
