// test_mesh_keys.c - what a model says beside a mesh file: another unit of length, and incompatible modes against it.
#include "flexion/flexion.h"

#include "check.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char deck[64];

// A bar of ten hexahedra, lengths in units of 1/s metres.
static int write_bar(const char *type, double s, FILE **out)
{
    snprintf(deck, sizeof deck, "mesh_keys_%ld.inp", (long)getpid());
    FILE *f = *out = fopen(deck, "w");
    CHECK(f != NULL);
    fprintf(f, "*NODE\n");
    for (int i = 0; i < 44; i++) {
        static const double y[4] = {0, 0.1, 0.1, 0}, z[4] = {0, 0, 0.12, 0.12};
        fprintf(f, "%d, %.12g, %.12g, %.12g\n", i + 1, 0.2 * (i / 4) * s, y[i % 4] * s,
                z[i % 4] * s);
    }
    fprintf(f, "45, %.12g, 0, 0\n*ELEMENT, TYPE=%s, ELSET=BAR\n", 2.5 * s, type);
    for (int i = 0; i < 10; i++) {
        int a = 4 * i + 1;
        fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", i + 1, a, a + 4, a + 5, a + 1, a + 3,
                a + 7, a + 6, a + 2);
    }
    return 0;
}

// With a beam and a mass at its end, held and loaded; forces in newtons.
static int write_deck(const char *type, double s)
{
    FILE *f = NULL;
    CHECK(write_bar(type, s, &f) == 0);
    fprintf(f,
            "*ELEMENT, TYPE=B31, ELSET=ARM\n11, 41, 45\n"
            "*ELEMENT, TYPE=MASS, ELSET=BALL\n12, 45\n*MASS, ELSET=BALL\n%.12g\n"
            "*NSET, NSET=ROOT\n1, 2, 3, 4\n*NSET, NSET=TOP\n41, 42, 43, 44\n"
            "*MATERIAL, NAME=M\n*ELASTIC\n%.12g, 0.3\n*DENSITY\n%.12g\n"
            "*SOLID SECTION, ELSET=BAR, MATERIAL=M\n"
            "*BEAM SECTION, ELSET=ARM, MATERIAL=M, SECTION=RECT\n%.12g, %.12g\n0, 1, 0\n"
            "*BOUNDARY\nROOT, 1, 3\n41, 4, 6\n*STEP\n*STATIC\n"
            "*CLOAD\n45, 3, -7\n44, 2, 3\n*DLOAD\nBAR, P1, %.12g\nBAR, GRAV, %.12g, 0, 0, -1\n"
            "*END STEP\n",
            0.4 / s, 2e9 / (s * s), 1500 / pow(s, 4), 0.03 * s, 0.04 * s, 50 / (s * s), 9.81 * s);
    fclose(f);
    return 0;
}

static int solve(const char *keys, flx_fe_static *out, flx_fe_summary *sum, flx_fe_mode *first)
{
    char text[500];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    flx_fe_modes_report report;
    snprintf(text, sizeof text, "flexion: 1\nfe: {mesh: %s%s}\n", deck, keys);
    flx_status status = flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model);
    if (status == FLX_OK) status = flx_fe_problem_create(model, &p);
    if (status == FLX_OK) *sum = flx_fe_problem_summary(p);
    if (status == FLX_OK) status = flx_fe_problem_static(p, NULL, out);
    if (status == FLX_OK) status = flx_fe_problem_modes(p, 1, NULL, first, &report);
    if (status != FLX_OK && flx_ctx_error_count(ctx) > 0) {
        printf("  %s\n", flx_ctx_error(ctx, 0)->text);
    }
    CHECK(status == FLX_OK);
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// In millimetres, tonnes and MPa as in metres.
static int units_of_length_are_scaled(void)
{
    flx_fe_static a, b;
    flx_fe_summary m[2];
    flx_fe_mode f[2];
    CHECK(write_deck("C3D8", 1) == 0);
    CHECK(solve("", &a, m, f) == 0);
    CHECK(write_deck("C3D8", 1000) == 0);
    CHECK(solve(", scale: 0.001", &b, m + 1, f + 1) == 0);
    remove(deck);
    CHECK(a.displacement > 1e-6 && m[0].mass > 36);
    CHECK_REL(b.displacement, a.displacement, 1e-8);
    CHECK_REL(b.strain_energy, a.strain_energy, 1e-8);
    CHECK_REL(m[1].mass, m[0].mass, 1e-10);
    CHECK_REL(m[1].com[0], m[0].com[0], 1e-10);
    CHECK_REL(f[1].frequency, f[0].frequency, 1e-8);
    for (int i = 0; i < 6; i++) CHECK_NEAR(b.reaction[i], a.reaction[i], 1e-6);
    return 0;
}

// The warning stands at the mesh and says what to write.
static int millimetres_are_noticed(void)
{
    char text[500];
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    FILE *f = NULL;
    CHECK(write_bar("C3D8", 1000, &f) == 0);
    fclose(f);
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  b:\n    type: flexible\n    fe:\n"
             "      material: {E: 2e9, density: 1500}\n      mesh: %s\n"
             "    reduce: {type: modal, modes: 2}\n",
             deck);
    CHECK(flx_model_read_text(ctx, "m.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_ctx_warning_count(ctx) >= 1);
    const flx_message *w = flx_ctx_warning(ctx, 0);
    CHECK_TEXT(w->text, "write 'scale: 0.001' beside 'mesh'");
    CHECK(w->loc.line == 7);
    remove(deck);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

// C3D8I has modes of its own, C3D8 has none; the model's word stands against the file's.
static int modes_are_those_of_the_model(void)
{
    flx_fe_static plain, own, said[2];
    flx_fe_summary m;
    flx_fe_mode f;
    CHECK(write_deck("C3D8", 1) == 0);
    CHECK(solve("", &plain, &m, &f) == 0);
    CHECK(solve(", incompatible_modes: true", &said[1], &m, &f) == 0);
    CHECK(write_deck("C3D8I", 1) == 0);
    CHECK(solve("", &own, &m, &f) == 0);
    CHECK(solve(", incompatible_modes: false", &said[0], &m, &f) == 0);
    CHECK(own.displacement > 1.2 * plain.displacement);
    CHECK_REL(said[0].displacement, plain.displacement, 1e-10);
    CHECK_REL(said[1].displacement, own.displacement, 1e-10);
    // of a region
    CHECK(solve(", incompatible_modes: false, regions: [{on: BAR, incompatible_modes: true}]",
                &said[1], &m, &f) == 0);
    CHECK_REL(said[1].displacement, own.displacement, 1e-10);
    remove(deck);
    return 0;
}

TEST_MAIN(TEST(units_of_length_are_scaled), TEST(millimetres_are_noticed),
          TEST(modes_are_those_of_the_model))
