// test_estimates.c - the estimate of the model that shapes are measured against, beside its true error by direct solutions: meshes of
// solids, plane elements and beams, free and with nodes held.
#include "check.h"
#include "fe/fe_parts.h"
#include "fe/problem.h"
#include "flexion/extend/method_table.h"
#include "flexion/flexion.h"
#include "reduce/ritz/ritz.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct mesh {
    const char *fe; // the block
    int dimension, nodes[2];
    double to;
} mesh;

// Quotients of estimate and error in all conditions at some frequencies.
static int judge(flx_ritz *x, const flx_free_structure *s, double *ratio, int *n)
{
    flx_port_work w, z;
    flx_frontal *f = NULL;
    int p = x->ports.count, ng = x->grid.count;
    double complex *X = flx_alloc(s->ctx, (size_t)(p * s->K->n), sizeof *X);
    CHECK(X && flx_port_work_init(s->ctx, x->m, p, &w) == FLX_OK);
    CHECK(flx_port_work_init(s->ctx, 1, p, &z) == FLX_OK);
    CHECK(flx_frontal_create(s->ctx, s->K, s->group, &f) == FLX_OK);
    CHECK(flx_frontal_reserve(f, 2 * p) == FLX_OK);
    for (int k = 11; k < ng; k += ng / 12) {
        double omega = 2 * FLX_PI * x->grid.hz[k];
        CHECK(flx_port_respond_directly(s, &x->ports, &x->damping, omega, f, X, z.H) == FLX_OK);
        flx_port_add_rigid(&x->ports, &x->damping, omega, &z);
        CHECK(flx_port_respond(&x->model, &x->damping, omega, &w));
        flx_port_add_rigid(&x->ports, &x->damping, omega, &w);
        for (int i = 0; i < x->conditions.count; i++) {
            const flx_port_condition *c = x->conditions.items + i;
            CHECK(flx_port_hold(&x->ports, c, &w) && flx_port_hold(&x->ports, c, &z));
            int size = w.columns * w.columns;
            double whole = flx_port_norm(size, z.C), estimate = x->estimate[i * ng + k];
            for (int e = 0; e < size; e++) z.C[e] -= w.C[e];
            double truth = flx_port_norm(size, z.C) / whole;
            CHECK(x->proof[i * ng + k] >= 0.999 * estimate);
            if (truth < 1e-8) continue; // rounding of both
            CHECK(estimate >= 0.999 * truth);
            ratio[(*n)++] = estimate / truth;
        }
    }
    flx_frontal_destroy(&f);
    flx_free(X);
    flx_port_work_clear(&w);
    flx_port_work_clear(&z);
    return 0;
}

static int check_mesh(const mesh *m)
{
    static const double origin[3] = {0, 0, 0};
    char text[1000];
    double ratio[400], constant;
    flx_ctx *ctx = flx_ctx_create();
    flx_model *model = NULL;
    flx_fe_problem *p = NULL;
    snprintf(text, sizeof text, "flexion: 1\ndimension: %d\nfe:\n%s", m->dimension, m->fe);
    CHECK(flx_model_read_text(ctx, "mesh.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
    CHECK(flx_fe_problem_create(model, &p) == FLX_OK);
    const flx_fe *fe = p->fe;
    size_t size = (size_t)fe->n;
    double *R = flx_alloc(ctx, 6 * size, sizeof *R);
    flx_interface faces[2] = {{.name = "a"}, {.name = "b"}};
    CHECK(R);
    flx_fe_rigid_motions(fe, origin, R);
    if (m->dimension == 2) memcpy(R + 2 * size, R + 5 * size, size * sizeof *R);
    for (int i = 0; i < 2; i++) {
        int node = flx_structure_node_of(fe->s, m->nodes[i]);
        for (int c = 0; c < m->dimension; c++) {
            faces[i].count[c] =
                flx_fe_terms(fe, node, c, &faces[i].unknown[c], &faces[i].weight[c], &constant);
        }
    }
    const flx_free_structure s = {.ctx = ctx,
                                  .K = &fe->K,
                                  .M = &fe->M,
                                  .group = p->group,
                                  .nrigid = m->dimension == 2 ? 3 : 6,
                                  .rigid = R,
                                  .ninterface = 2,
                                  .interfaces = faces};
    const flx_basis b = {.to = m->to, .damping = {.loss = 0.02}};
    flx_shape_search q = {.s = &s, .b = &b, .n = size};
    const flx_ritz_def def = {.to = m->to, .tolerance = 0.05};
    flx_ritz *x = NULL;
    int n = 0;
    CHECK(flx_shapes_prepare(&q) == FLX_OK);
    CHECK(flx_ritz_create(&q, &def, &x) == FLX_OK);
    CHECK(judge(x, &s, ratio, &n) == 0);
    CHECK(n > 4);
    qsort(ratio, (size_t)n, sizeof *ratio, compare);
    printf(
        "%d unknowns, %d vectors, estimate over truth: least %.3f, median %.3f, most %.3f of %d\n",
        fe->n, x->m, ratio[0], ratio[n / 2], ratio[n - 1], n);
    CHECK(ratio[n / 2] < 1.5);
    flx_ritz_destroy(&x);
    flx_free(q.MR);
    flx_free(R);
    flx_fe_problem_destroy(&p);
    flx_model_destroy(&model);
    flx_ctx_destroy(&ctx);
    return 0;
}

#define STEEL "  material: {E: 2.1e11, nu: 0.3, density: 7850}\n"

static int estimates_are_not_below_the_error(void)
{
    static const mesh meshes[] = {
        {"  mesh: " FLX_EXAMPLES "/elastic_arm.msh\n" STEEL, 3, {20, 300}, 2000},
        {"  mesh: " FLX_EXAMPLES "/fe/bracket.msh\n" STEEL, 3, {5, 200}, 12000},
        {"  line: [[0, 0, 0], [1, 0, 0], [1, 0.6, 0.2]]\n  elements: 30\n"
         "  section: {width: 0.02, height: 0.03}\n" STEEL,
         3,
         {1, 31},
         3000},
        {"  line: [[0, 0], [1, 0], [1.2, 0.6]]\n  elements: 40\n  section: {radius: 0.01}\n" STEEL,
         2,
         {1, 30},
         1500},
    };
    for (size_t i = 0; i < sizeof meshes / sizeof meshes[0]; i++)
        CHECK(check_mesh(meshes + i) == 0);
    return 0;
}

TEST_MAIN(TEST(estimates_are_not_below_the_error))
