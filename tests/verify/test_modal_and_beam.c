// test_modal_and_beam.c - a soft rod falls from a pin: as a flexible body of a few modes whose mass is that of its
// whole quadratic field it moves as a geometrically exact beam does, seen from its chord or from its first node.
#include "check.h"
#include "flexion/flexion.h"
#include "kept_run.h"

#include <math.h>
#include <string.h>

#define ROD                                                                                        \
    "flexion: 1\n"                                                                                 \
    "dimension: 2\n"                                                                               \
    "gravity: [0, -9.81]\n"                                                                        \
    "bodies:\n"                                                                                    \
    "  rod: {%s}\n"                                                                                \
    "joints:\n"                                                                                    \
    "  pin: {type: revolute, on: [ground, rod], at: rod.start}\n"                                  \
    "simulate: {until: 0.6, method: generalized-alpha, step: 1e-3}\n"                              \
    "outputs: {times: [0.6], signals: [rod.end.position]}\n"

#define SECTION "section: {width: 0.02, height: 0.02}, material: {E: 1e8, nu: 0, density: 1000}"

static const char beam[] = "type: beam, formulation: geometrically-exact, from: [0, 0], to: [1, "
                           "0], elements: 40, " SECTION;

#define MODAL(frame, stiffening)                                                                   \
    "type: flexible, fe: {line: [[0, 0], [1, 0]], elements: 20, " SECTION                          \
    "}, reduce: {type: craig-bampton, interfaces: [start, end], modes: 5}, frame: " frame          \
    ", stiffening: " stiffening

static int run(const char *body, double tip[2])
{
    char text[2000];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_simulation *sim = NULL;
    flx_result *r = NULL;
    snprintf(text, sizeof text, ROD, body);
    CHECK(flx_model_read_text(ctx, "rod", text, strlen(text), 0, NULL, &m) == FLX_OK);
    CHECK(flx_simulation_create(m, &sim) == FLX_OK);
    CHECK(kept_run(ctx, sim, &r) == FLX_OK && flx_result_columns(r) == 3);
    for (int i = 0; i < 2; i++) tip[i] = kept_last(r, 1 + i);
    flx_result_close(&r);
    flx_simulation_destroy(&sim);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Largest difference of the tip's place from that of the beam.
static int compare(const char *body, const double exact[2], double *apart)
{
    double x[2];
    CHECK(run(body, x) == 0);
    *apart = fmax(fabs(x[0] - exact[0]), fabs(x[1] - exact[1]));
    return 0;
}

static int an_elastic_body_moves_as_a_beam(void)
{
    double exact[2], chord, tangent, plain;
    CHECK(run(beam, exact) == 0);
    CHECK(compare(MODAL("chord", "true"), exact, &chord) == 0);
    CHECK(compare(MODAL("tangent", "true"), exact, &tangent) == 0);
    CHECK(compare(MODAL("tangent", "false"), exact, &plain) == 0);
    printf("from the beam: chord %.1e, tangent %.1e, without stiffening %.1e m\n", chord, tangent,
           plain);
    CHECK(chord < 1e-3 && tangent < 1e-3);
    CHECK(plain > 1e-2); // the quadratic field is what makes it so
    return 0;
}

TEST_MAIN(TEST(an_elastic_body_moves_as_a_beam))
