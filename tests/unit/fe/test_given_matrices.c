// test_given_matrices.c - bodies of matrices of another program with a damping matrix; frames of interfaces at the centroid of
// their faces.
#include "check.h"
#include "flexion/flexion.h"
#include "model/model_data.h"
#include "reduce/elastic.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static char names[4][64]; // stiffness, damping, mass, nodes

// Eight nodes of a box, every two joined by a spring along the line between them: free, and it resists every strain.
static const double places[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                    {0, 0, 2}, {1, 0, 2}, {0, 1, 2}, {1, 1, 2}};

static double springs(int row, int column)
{
    int a = row / 3, b = column / 3, i = row % 3, j = column % 3;
    double sum = 0;
    for (int c = 0; c < 8; c++) {
        int other = a == b ? c : b;
        if (other == a || (a != b && c > 0)) continue;
        double d[3], square = 0;
        for (int k = 0; k < 3; k++) {
            d[k] = places[other][k] - places[a][k];
            square += d[k] * d[k];
        }
        sum += (a == b ? 1 : -1) * 1e6 * d[i] * d[j] / square;
    }
    return sum;
}

static double mass(int row, int column)
{
    return row == column ? 2 + row / 3 : 0;
}

static double damping(int row, int column)
{
    return 1e-4 * springs(row, column);
}

static double drag(int row, int column) // resists motions of the whole body
{
    return 3 * mass(row, column);
}

static int write_matrix(const char *path, int n, double (*entry)(int row, int column))
{
    FILE *f = fopen(path, "w");
    CHECK(f);
    fprintf(f, "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %d\n", n, n,
            n * (n + 1) / 2);
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) fprintf(f, "%d %d %.17g\n", i + 1, j + 1, entry(i, j));
    }
    fclose(f);
    return 0;
}

static int write_files(double (*lost)(int row, int column), int n)
{
    static const char *const words[] = {"K", "D", "M", "nodes"};
    for (int k = 0; k < 4; k++)
        snprintf(names[k], sizeof names[k], "given_%s_%ld.txt", words[k], (long)getpid());
    CHECK(write_matrix(names[0], 24, springs) == 0);
    CHECK(write_matrix(names[1], n, lost) == 0);
    CHECK(write_matrix(names[2], 24, mass) == 0);
    FILE *f = fopen(names[3], "w");
    CHECK(f);
    for (int i = 0; i < 8; i++)
        fprintf(f, "%d %g %g %g\n", i + 1, places[i][0], places[i][1], places[i][2]);
    fclose(f);
    return 0;
}

static void remove_files(void)
{
    for (int k = 0; k < 4; k++) remove(names[k]);
}

static flx_status read_body(const char *matrices, const char *reduce, const char *more,
                            flx_ctx **ctx, flx_model **model)
{
    char text[1500];
    snprintf(text, sizeof text,
             "flexion: 1\nbodies:\n  box:\n    type: flexible\n    frame: buckens\n"
             "    fe: {matrices: {stiffness: %s, mass: %s, nodes: %s%s}}\n    reduce: {%s}\n%s"
             "simulate: {until: 1}\n",
             names[0], names[2], names[3], matrices, reduce, more);
    *ctx = flx_ctx_create();
    *model = NULL;
    return flx_model_read_text(*ctx, "box.yaml", text, strlen(text), 0, NULL, model);
}

// D = 1e-4 K as a matrix is Rayleigh's damping, of modes and of shapes with a known error.
static int damping_matrices_are_those_of_rayleigh(void)
{
    static const char *const bases[] = {"type: modal, modes: 10",
                                        "type: band, to: 400, tolerance: 1e-4, interfaces: {low: "
                                        "{on: [node(1), node(2), node(3)]}, "
                                        "high: {on: [node(6), node(7), node(8)]}}"};
    CHECK(write_files(damping, 24) == 0);
    for (int b = 0; b < 2; b++) {
        flx_ctx *ctx[2];
        flx_model *model[2];
        char file[100];
        snprintf(file, sizeof file, ", damping: %s", names[1]);
        CHECK(read_body(file, bases[b], "", &ctx[0], &model[0]) == FLX_OK);
        CHECK(read_body("", bases[b], "    damping: {rayleigh: [0, 1e-4]}\n", &ctx[1], &model[1]) ==
              FLX_OK);
        const flx_elastic *x = model[0]->modals[0].e, *y = model[1]->modals[0].e;
        // the matrix is not in proportion for all that is known of it: its basis may have other shapes
        for (int k = 0; k < x->n && k < y->n && k < 6; k++) {
            double D = x->D[k * x->n + k], K = x->K[k * x->n + k];
            CHECK(K > 0 && D > 0);
            CHECK_REL(D, 1e-4 * K, 1e-9);
            CHECK_REL(y->D[k * y->n + k], 1e-4 * y->K[k * y->n + k], 1e-12);
        }
        if (b == 0) {
            for (int i = 0; i < x->n * x->n; i++) CHECK_NEAR(x->D[i], y->D[i], 1e-9 * y->D[0]);
        } else {
            const flx_reduction_report *p = flx_model_elastic_report(model[0], 0);
            CHECK(p && p->met && p->other == 1);
        }
        for (int i = 0; i < 2; i++) {
            flx_model_destroy(&model[i]);
            flx_ctx_destroy(&ctx[i]);
        }
    }
    remove_files();
    return 0;
}

static int wrong_damping_is_refused(void)
{
    static const struct {
        double (*entry)(int row, int column);
        int n;
        const char *words;
    } wrong[] = {{drag, 24, "resists a motion of the whole body"},
                 {damping, 21, "has 21 unknowns, stiffness and mass have 24"}};
    for (int i = 0; i < 2; i++) {
        flx_ctx *ctx;
        flx_model *model;
        char file[100];
        CHECK(write_files(wrong[i].entry, wrong[i].n) == 0);
        snprintf(file, sizeof file, ", damping: %s", names[1]);
        CHECK(read_body(file, "type: modal, modes: 4", "", &ctx, &model) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i].words);
        CHECK(flx_ctx_error(ctx, 0)->loc.line >= 6);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
        remove_files();
    }
    return 0;
}

// ---- the centroid -------------------------------------------------------------------------------

// A bar of hexahedra (tens: nodes of 20) whose end has rows of elements that become thinner: the mean of its nodes lies aside.
static int write_bar(FILE *f, bool tetrahedra)
{
    static const double y[5] = {0, 0.5, 0.8, 0.95, 1};
    fprintf(f, "*NODE\n");
    for (int i = 0; i < 30; i++)
        fprintf(f, "%d, %.17g, %.17g, %.17g\n", i + 1, i / 10 * 0.7, y[i % 10 / 2] * 0.3,
                i % 2 * 0.2);
    fprintf(f, "*ELEMENT, TYPE=%s, ELSET=BAR\n", tetrahedra ? "C3D4" : "C3D8");
    static const int tet[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                  {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
    int count = 0;
    for (int e = 0; e < 8; e++) {
        int a = 1 + e / 4 * 10 + e % 4 * 2; // corners: x 10, y 2, z 1
        const int c[8] = {a, a + 10, a + 2, a + 12, a + 1, a + 11, a + 3, a + 13};
        if (!tetrahedra) {
            fprintf(f, "%d, %d, %d, %d, %d, %d, %d, %d, %d\n", ++count, c[0], c[1], c[3], c[2],
                    c[4], c[5], c[7], c[6]);
            continue;
        }
        for (int t = 0; t < 6; t++)
            fprintf(f, "%d, %d, %d, %d, %d\n", ++count, c[tet[t][0]], c[tet[t][1]], c[tet[t][2]],
                    c[tet[t][3]]);
    }
    fprintf(f, "*NSET, NSET=TOP, GENERATE\n21, 30, 1\n*NSET, NSET=ROOT, GENERATE\n1, 10, 1\n"
               "*NSET, NSET=EDGE\n1, 11, 21\n");
    return 0;
}

static int frames_are_at_the_centroid(void)
{
    char deck[64], text[800];
    snprintf(deck, sizeof deck, "centroid_%ld.inp", (long)getpid());
    for (int kind = 0; kind < 2; kind++) {
        FILE *f = fopen(deck, "w");
        CHECK(f && write_bar(f, kind == 1) == 0);
        fclose(f);
        for (int way = 0; way < 3; way++) {
            static const char *const faces[] = {"TOP: {on: TOP, at: centroid}", "TOP: {on: TOP}",
                                                "TOP: {on: EDGE, at: centroid}"};
            snprintf(text, sizeof text,
                     "flexion: 1\nbodies:\n  bar:\n    type: flexible\n"
                     "    fe: {mesh: %s, material: {E: 7e10, nu: 0.3, density: 2700}}\n"
                     "    reduce: {type: modal, modes: 4, interfaces: {ROOT: {on: ROOT, at: "
                     "centroid}, %s}}\nsimulate: {until: 1}\n",
                     deck, faces[way]);
            flx_ctx *ctx = flx_ctx_create();
            flx_model *model = NULL;
            flx_status status =
                flx_model_read_text(ctx, "bar.yaml", text, strlen(text), 0, NULL, &model);
            if (way == 2) {
                CHECK(status == FLX_ERR_MODEL);
                CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "make no face of a solid");
            } else {
                CHECK(status == FLX_OK);
                const double *x = model->modals[0].e->nodes[1].at;
                CHECK_NEAR(x[0], 1.4, 1e-12);
                CHECK_NEAR(x[1], way == 0 ? 0.15 : 0.3 * 3.25 / 5, 1e-12);
                CHECK_NEAR(x[2], 0.1, 1e-12);
                CHECK_NEAR(model->modals[0].e->nodes[0].at[1], 0.15, 1e-12);
            }
            flx_model_destroy(&model);
            flx_ctx_destroy(&ctx);
        }
    }
    remove(deck);
    return 0;
}

TEST_MAIN(TEST(damping_matrices_are_those_of_rayleigh), TEST(wrong_damping_is_refused),
          TEST(frames_are_at_the_centroid))
