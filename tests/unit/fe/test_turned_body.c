// test_turned_body.c - a mesh that lies elsewhere in its axes, turned, is the same body: as many shapes with the same frequencies and
// errors, and responses that turn with it.
#include "base/context.h"
#include "check.h"
#include "fe_mesh.h"
#include "flexion/model.h"
#include "flexion/reduction.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define PORTS 12

// A rotation about (1, 2, -2)/3 by 0.9.
static void rotation(double R[9])
{
    const double a[3] = {1 / 3.0, 2 / 3.0, -2 / 3.0}, c = cos(0.9), s = sin(0.9);
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) R[3 * i + k] = (1 - c) * a[i] * a[k] + (i == k ? c : 0);
        R[3 * i + (i + 1) % 3] -= s * a[(i + 2) % 3];
        R[3 * i + (i + 2) % 3] += s * a[(i + 1) % 3];
    }
}

// A bent bar that tapers, of hexahedra with twenty nodes; sets root and tip.
static int write_mesh(const char *path, bool turned)
{
    static const flx_material material = {.name = "", .E = 7e10, .nu = 0.3, .density = 2700};
    const double size[3] = {0.4, 0.04, 0.03};
    double R[9];
    rotation(R);
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s =
        fe_box(ctx, FLX_CELL_HEX20, FLX_FAMILY_SOLID, 6, 1, 1, size, &material, 1, 0);
    FILE *f = fopen(path, "w");
    CHECK(f && s);
    fprintf(f, "*NODE\n");
    for (int i = 0; i < s->nnode; i++) {
        const double *x = s->x + 3 * (size_t)i;
        double y[3] = {x[0], x[1] * (1 - x[0]) + x[0] * x[0], x[2] * (1 + x[0])}, z[3];
        for (int k = 0; k < 3; k++) {
            z[k] = turned ? 0.1 * (k + 1) : y[k];
            for (int l = 0; l < 3 && turned; l++) z[k] += R[3 * k + l] * y[l];
        }
        fprintf(f, "%d, %.17g, %.17g, %.17g\n", i + 1, z[0], z[1], z[2]);
    }
    fprintf(f, "*ELEMENT, TYPE=C3D20, ELSET=bar\n");
    for (int i = 0; i < s->nelement; i++) {
        fprintf(f, "%d", i + 1);
        for (int a = 0; a < 20; a++)
            fprintf(f, ",%s%d", a == 10 ? "\n" : " ", flx_element_nodes(s, i)[a] + 1);
        fprintf(f, "\n");
    }
    for (int at = 0; at < 2; at++) {
        fprintf(f, "*NSET, NSET=%s\n", at ? "tip" : "root");
        for (int i = 0; i < s->nnode; i++) {
            if (fabs(s->x[3 * i] - 0.4 * at) < 1e-9) fprintf(f, "%d\n", i + 1);
        }
    }
    fclose(f);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

typedef struct body {
    flx_ctx *ctx;
    flx_model *model;
    flx_reduction *r;
    double *H; // (2, whole and shapes) (PORTS, PORTS, 2), the tip free to move
} body;

static int read_body(bool turned, body *b)
{
    char mesh[64], text[400];
    const double hz = 700;
    snprintf(mesh, sizeof mesh, "test_turned_body_%ld.inp", (long)getpid());
    CHECK(write_mesh(mesh, turned) == 0);
    int n = snprintf(text, sizeof text,
                     "flexion: 1\nbodies:\n  bar:\n    type: flexible\n"
                     "    fe: {mesh: %s, material: {E: 7e10, nu: 0.3, density: 2700}}\n"
                     "    reduce: {type: band, to: 3000, interfaces: [root, tip]}\n",
                     mesh);
    b->ctx = flx_ctx_create();
    b->H = calloc(4 * PORTS * PORTS, sizeof *b->H);
    CHECK(b->H);
    CHECK(flx_model_read_text(b->ctx, "bar.yaml", text, (size_t)n, 0, NULL, &b->model) == FLX_OK);
    CHECK(flx_reduction_create(b->model, "bar", &(flx_reduction_def){0}, &b->r) == FLX_OK);
    for (int full = 0; full < 2; full++) {
        CHECK(flx_reduction_response(b->r, full, 1, &hz, "root", b->H + 2 * PORTS * PORTS * full) ==
              FLX_OK);
    }
    unlink(mesh);
    return 0;
}

static void clear(body *b)
{
    flx_reduction_destroy(&b->r);
    flx_model_destroy(&b->model);
    flx_ctx_destroy(&b->ctx);
    free(b->H);
}

// Entry (i, j) of the turned response, turned back: sum of R_ki R_lj H_kl in the blocks of forces and moments.
static double turned_back(const double R[9], const double *H, int i, int j, int part)
{
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        for (int l = 0; l < 3; l++) {
            int row = i - i % 3 + k, column = j - j % 3 + l;
            sum += R[3 * k + i % 3] * R[3 * l + j % 3] * H[2 * (row * PORTS + column) + part];
        }
    }
    return sum;
}

static int a_turned_mesh_is_the_same_body(void)
{
    body one = {0}, other = {0};
    double R[9];
    rotation(R);
    CHECK(read_body(false, &one) == 0 && read_body(true, &other) == 0);
    const flx_reduction_report *p = flx_reduction_get_report(one.r),
                               *q = flx_reduction_get_report(other.r);
    CHECK(p->shapes == q->shapes && p->ncondition == 4 && q->ncondition == 4 && p->met && q->met);
    CHECK_REL(q->highest, p->highest, 1e-7);
    for (int i = 0; i < 4; i++) {
        // parts of the responses, which have some eleven digits
        CHECK_NEAR(q->conditions[i].error, p->conditions[i].error, 1e-9);
        CHECK_REL(q->conditions[i].at, p->conditions[i].at, 1e-8);
    }
    for (int full = 0; full < 2; full++) {
        for (int block = 0; block < 4; block++) { // of forces and moments, each by its own size
            int first = 6 + 3 * (block / 2), second = 6 + 3 * (block % 2);
            const double *H = one.H + 2 * PORTS * PORTS * full,
                         *T = other.H + 2 * PORTS * PORTS * full;
            double most = 0;
            for (int i = first; i < first + 3; i++) {
                for (int j = second; j < second + 3; j++)
                    most = fmax(most, fabs(H[2 * (i * PORTS + j)]));
            }
            CHECK(most > 0);
            for (int k = 0; k < 18; k++) {
                int i = first + k / 6, j = second + k / 2 % 3, part = k % 2;
                CHECK_NEAR(turned_back(R, T, i, j, part), H[2 * (i * PORTS + j) + part],
                           1e-10 * most);
            }
        }
    }
    clear(&one);
    clear(&other);
    return 0;
}

// Of a free body few ports are asked many blocks, until all of it is known: what rounding left of rigid motions in them grew
// from block to block, and was taken for modes of the band.
static int blocks_without_end_have_no_rigid_motions(void)
{
    static const char *const ports[] = {"x, y", "z, rx", "x, y, z"};
    for (int i = 0; i < 3; i++) {
        char text[500];
        flx_ctx *ctx = flx_ctx_create();
        flx_model *model = NULL;
        snprintf(
            text, sizeof text,
            "flexion: 1\nbodies:\n  block:\n    type: flexible\n    fe: {mesh: " FLX_TESTS
            "/bad/block.msh, material: {E: 2.1e11, nu: 0.3, density: 7850}}\n    reduce: {type: "
            "band, to: 5000, tolerance: 1e-6, interfaces: {end: {on: end, components: "
            "[%s]}}}\n",
            ports[i]);
        CHECK(flx_model_read_text(ctx, "b.yaml", text, strlen(text), 0, NULL, &model) == FLX_OK);
        const flx_reduction_report *p = flx_model_elastic_report(model, 0);
        CHECK(p && p->unknowns == 30 && p->vectors <= 24); // and six rigid motions
        CHECK(p->counted == 24 && p->modes == 24);
        for (int k = 0; k < p->ncondition; k++) CHECK(p->conditions[k].error <= 1e-6);
        flx_model_destroy(&model);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(a_turned_mesh_is_the_same_body), TEST(blocks_without_end_have_no_rigid_motions))
