// test_mesh_error.c - how far a mesh by itself makes the frequencies of a body too high, told from jumps of stress, beside meshes that
// become finer.
#include "check.h"
#include "flexion/flexion.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define SHAPES 6

static char deck[64];

// A slender bar of n hexahedra along x, two by two across, in two layers.
static int write_bar(const char *type, int n)
{
    FILE *f = fopen(deck, "w");
    CHECK(f);
    fprintf(f, "*NODE\n");
    for (int k = 0; k <= n; k++) {
        for (int i = 0; i < 9; i++)
            fprintf(f, "%d, %.17g, %.17g, %.17g\n", 9 * k + i + 1, (double)k / n,
                    0.005 * (i % 3 - 1), 0.005 * (i / 3 - 1));
    }
    for (int layer = 0; layer < 2; layer++) {
        fprintf(f, "*ELEMENT, TYPE=%s, ELSET=%s\n", type, layer ? "UPPER" : "LOWER");
        for (int e = 0; e < 4 * n; e++) {
            int a = 9 * (e / 4) + e % 2 + 3 * (e / 2 % 2) + 1;
            if (e / 2 % 2 != layer) continue;
            fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", e + 1, a, a + 1, a + 4, a + 3, a + 9,
                    a + 10, a + 13, a + 12);
        }
    }
    fclose(f);
    return 0;
}

// The highest of six frequencies, and what is told of the mesh; more: keys of `fe`.
static int measure(const char *type, int n, const char *more, double *hz, double *told)
{
    static const char text[] =
        "flexion: 1\nbodies:\n  bar:\n    type: flexible\n    frame: buckens\n"
        "    fe: {mesh: %s, material: {E: 2.1e11, nu: 0.3, density: 7800}%s}\n"
        "    reduce: {type: modal, modes: 6}\nsimulate: {until: 1}\n";
    char whole[600];
    flx_elastic_mode modes[SHAPES];
    flx_elastic_summary body;
    flx_model *model = NULL;
    flx_ctx *ctx = flx_ctx_create();
    CHECK(write_bar(type, n) == 0);
    snprintf(whole, sizeof whole, text, deck, more);
    CHECK(flx_model_read_text(ctx, "bar.yaml", whole, strlen(whole), 0, NULL, &model) == FLX_OK);
    CHECK(flx_model_elastic(model, 0, &body) == 1 && body.modes == SHAPES);
    CHECK(flx_model_elastic_modes(model, 0, modes, NULL) == FLX_OK);
    *hz = modes[SHAPES - 1].frequency;
    *told = body.mesh;
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    remove(deck);
    return 0;
}

static int frequencies_of_a_mesh_are_too_high_by_what_is_told(void)
{
    static const int sizes[] = {10, 20, 40, 80};
    double hz[4], told[4], locked, limit;
    snprintf(deck, sizeof deck, "mesh_error_%ld.inp", (long)getpid());
    for (int i = 0; i < 4; i++) CHECK(measure("C3D8I", sizes[i], "", hz + i, told + i) == 0);
    limit = (4 * hz[3] - hz[2]) / 3; // the error falls with the square of the size
    for (int i = 0; i < 4; i++) {
        double truth = hz[i] / limit - 1;
        CHECK(told[i] > 0.6 * truth && told[i] < 1.3 * truth);
        if (i > 0) CHECK(told[i] < 0.4 * told[i - 1]);
    }
    // linear hexahedra that lock are 6.8 times too stiff: no small number is told of them
    CHECK(measure("C3D8", 10, "", &locked, told) == 0);
    CHECK(locked > 6 * limit && told[0] > 3);
    return 0;
}

// Between layers of steel and plastic stresses jump, however fine the mesh is: that is no error of it.
static int jumps_between_materials_are_no_error_of_the_mesh(void)
{
    static const char plastic[] =
        ", regions: [{on: UPPER, material: {E: 3e9, nu: 0.38, density: 1200}}]";
    static const int sizes[] = {20, 40, 80};
    double hz[3], told[3];
    snprintf(deck, sizeof deck, "mesh_layers_%ld.inp", (long)getpid());
    for (int i = 0; i < 3; i++) CHECK(measure("C3D8I", sizes[i], plastic, hz + i, told + i) == 0);
    double limit = (4 * hz[2] - hz[1]) / 3;
    for (int i = 0; i < 3; i++) {
        double truth = hz[i] / limit - 1;
        CHECK(told[i] > 0.6 * truth && told[i] < 1.3 * truth);
    }
    return 0;
}

// Of the bar clamped at node 1 to 9, modes and a load at its tip: whether a note is made, and what it says.
static int look(const char *type, int n, const char *modes_say, const char *statics_say)
{
    static const char text[] =
        "flexion: 1\nfe:\n  mesh: %s\n  material: {E: 2.1e11, nu: 0.3, "
        "density: 7800}\n  supports: {root: {on: [node(1), node(2), node(3), "
        "node(4), node(5), node(6), node(7), node(8), node(9)]}}\n"
        "  loads: {tip: {type: force, on: node(%d), value: [0, 0, -1]}}\n";
    const char *const says[] = {modes_say, statics_say};
    char whole[600];
    for (int k = 0; k < 2; k++) {
        flx_model *model = NULL;
        flx_fe_problem *p = NULL;
        flx_fe_mode modes[3];
        flx_fe_modes_report report;
        flx_fe_static statics;
        flx_ctx *ctx = flx_ctx_create();
        CHECK(write_bar(type, n) == 0);
        snprintf(whole, sizeof whole, text, deck, 9 * n + 5);
        CHECK(flx_model_read_text(ctx, "bar.yaml", whole, strlen(whole), 0, NULL, &model) ==
              FLX_OK);
        CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
        flx_status status = k == 0 ? flx_fe_problem_modes(p, 3, NULL, modes, &report)
                                   : flx_fe_problem_static(p, NULL, &statics);
        CHECK(status == FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == (says[k] ? 1 : 0));
        if (says[k]) CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, says[k]);
        flx_fe_problem_destroy(&p);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    remove(deck);
    return 0;
}

static int coarse_meshes_are_told_with_modes_and_statics(void)
{
    snprintf(deck, sizeof deck, "mesh_coarse_%ld.inp", (long)getpid());
    CHECK(look("C3D8", 20, "the mesh is coarse: it makes the lowest frequencies about",
               "the mesh is coarse: it leaves out about") == 0);
    CHECK(look("C3D8I", 40, NULL, NULL) == 0);
    return 0;
}

TEST_MAIN(TEST(coarse_meshes_are_told_with_modes_and_statics),
          TEST(frequencies_of_a_mesh_are_too_high_by_what_is_told),
          TEST(jumps_between_materials_are_no_error_of_the_mesh))
