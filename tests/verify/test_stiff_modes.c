// test_stiff_modes.c - examples/stiff_modes.yaml, an arm with twenty stiff modes: without their inertia BDF
// takes at least four times fewer evaluations, at an error of less than a thousandth of the motion, and the
// certificate says so beside the error that is met.
#include "base/text_file.h"
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 101 };

// The course of the first signal, the angle.
static int run(flx_ctx *ctx, const flx_model *m, double angle[ROWS], long *evaluations)
{
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(kept_run(ctx, sim, &r) == FLX_OK);
    *evaluations = flx_simulation_ledger(sim)->work.residuals;
    CHECK(flx_result_rows(r) == ROWS);
    memcpy(angle, flx_result_column(r, 1), ROWS * sizeof *angle);
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    return 0;
}

static int reduced_costs_a_quarter(void)
{
    static const char path[] = FLX_EXAMPLES "/stiff_modes.yaml";
    flx_ctx *ctx = flx_ctx_create();
    flx_arena *arena = flx_arena_create(ctx);
    flx_model *reduced = NULL, *full = NULL;
    flx_certificate *certificate = NULL;
    char *text = NULL;
    size_t length = 0;
    CHECK(flx_file_read(ctx, arena, path, FLX_NOWHERE, &text, &length) == FLX_OK);
    CHECK(flx_model_read_text(ctx, path, text, length, 0, NULL, &reduced) == FLX_OK);
    char *line = strstr(text, "\nreduce: {type: quasistatic");
    CHECK(line);
    line[1] = '#';
    CHECK(flx_model_read_text(ctx, path, text, length, 0, NULL, &full) == FLX_OK);
    double a[ROWS], b[ROWS];
    long evaluations[2];
    CHECK(run(ctx, reduced, a, &evaluations[0]) == 0 && run(ctx, full, b, &evaluations[1]) == 0);
    double error = 0.0, size = 0.0;
    for (int i = 0; i < ROWS; i++) {
        error = fmax(error, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    const flx_certificate_def def = {0};
    CHECK(flx_certificate_create(reduced, &def, &certificate) == FLX_OK);
    const flx_certificate_numbers *n = flx_certificate_get_numbers(certificate);
    printf("evaluations %ld and %ld, error %.2e of the motion; after the layer expected %.2e, "
           "met %.2e\n",
           evaluations[0], evaluations[1], error / size, n->expected.largest, n->met.largest);
    CHECK(evaluations[1] >= 4 * evaluations[0]);
    CHECK(error < 1e-3 * size);
    CHECK(flx_certificate_verdict(certificate) == FLX_VERDICT_MET);
    CHECK(n->met.largest < 1e-3 * size);
    flx_certificate_destroy(&certificate);
    flx_model_destroy(&reduced);
    flx_model_destroy(&full);
    flx_arena_destroy(&arena);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(reduced_costs_a_quarter))
