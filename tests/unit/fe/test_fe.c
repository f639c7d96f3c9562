// test_fe.c - assembled structures: patch tests, rigid motions, mass, links, stresses, messages.
#include "check.h"
#include "fe/fe_equations.h"
#include "fe_mesh.h"

#include <string.h>

static const flx_material steel = {"steel", {NULL, 0, 0, NULL}, 2.1e11, 0.3, 7850, 0};
static const double box_size[3] = {1.2, 0.7, 0.5};

static const struct {
    flx_cell cell;
    flx_family family;
    bool incompatible;
} kinds[] = {{FLX_CELL_TRI3, FLX_FAMILY_PLANE_STRESS, false},
             {FLX_CELL_TRI6, FLX_FAMILY_PLANE_STRAIN, false},
             {FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRAIN, false},
             {FLX_CELL_QUAD4, FLX_FAMILY_PLANE_STRESS, true},
             {FLX_CELL_QUAD8, FLX_FAMILY_PLANE_STRESS, false},
             {FLX_CELL_TET4, FLX_FAMILY_SOLID, false},
             {FLX_CELL_TET10, FLX_FAMILY_SOLID, false},
             {FLX_CELL_HEX8, FLX_FAMILY_SOLID, false},
             {FLX_CELL_HEX8, FLX_FAMILY_SOLID, true},
             {FLX_CELL_HEX20, FLX_FAMILY_SOLID, false}};
#define NKIND ((int)(sizeof kinds / sizeof kinds[0]))

static flx_structure *make_box(flx_ctx *ctx, int kind, int n, double shake)
{
    bool plane = flx_cells[kinds[kind].cell].dimension == 2;
    flx_structure *s = fe_box(ctx, kinds[kind].cell, kinds[kind].family, n, n, plane ? 0 : n,
                              box_size, &steel, 0.02, shake);
    for (int i = 0; i < s->nelement; i++) s->elements[i].incompatible = kinds[kind].incompatible;
    return s;
}

// Linear field u = G x, and its stresses by Hooke's law.
static const double G[3][3] = {{1e-3, 3e-4, -2e-4}, {5e-4, -2e-3, 7e-4}, {1e-4, -6e-4, 4e-4}};

static void linear_field(const flx_fe *fe, double *u)
{
    for (int i = 0; i < fe->nnode; i++) {
        for (int c = 0; c < 6; c++) {
            u[6 * i + c] = 0;
            for (int k = 0; c < fe->s->dimension && k < 3; k++) {
                u[6 * i + c] += G[c][k] * fe->s->x[3 * i + k];
            }
        }
    }
}

static void linear_stress(int dimension, flx_family family, double s[6])
{
    double mu = steel.E / (2 * (1 + steel.nu)), lambda = 2 * mu * steel.nu / (1 - 2 * steel.nu);
    double e[3] = {G[0][0], G[1][1], dimension == 3 ? G[2][2] : 0};
    if (family == FLX_FAMILY_PLANE_STRESS) e[2] = -steel.nu / (1 - steel.nu) * (e[0] + e[1]);
    for (int i = 0; i < 3; i++) s[i] = lambda * (e[0] + e[1] + e[2]) + 2 * mu * e[i];
    s[3] = mu * (G[0][1] + G[1][0]);
    s[4] = dimension == 3 ? mu * (G[1][2] + G[2][1]) : 0;
    s[5] = dimension == 3 ? mu * (G[0][2] + G[2][0]) : 0;
}

// Distorted inner cells carry a linear field exactly: no forces inside, constant stresses.
static int patches_carry_constant_strain(void)
{
    for (int kind = 0; kind < NKIND; kind++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = make_box(ctx, kind, 3, 0.3);
        flx_fe *fe = NULL;
        CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
        double *u = calloc(6 * (size_t)fe->nnode, sizeof *u),
               *F = calloc(6 * (size_t)fe->nnode, sizeof *F);
        double expected[6], largest = 0;
        linear_field(fe, u);
        CHECK(flx_fe_reactions(fe, u, false, F) == FLX_OK);
        for (int i = 0; i < 6 * fe->nnode; i++) largest = fmax(largest, fabs(F[i]));
        CHECK(largest > 0);
        for (int i = 0; i < fe->nnode; i++) {
            bool inside = true;
            for (int c = 0; c < s->dimension && c < 3; c++) {
                double x = s->x[3 * i + c];
                if (x < 1e-9 || x > box_size[c] - 1e-9) inside = false;
            }
            for (int c = 0; c < 6 && inside; c++) CHECK_NEAR(F[6 * i + c], 0, 1e-12 * largest);
        }
        linear_stress(s->dimension, kinds[kind].family, expected);
        CHECK(flx_fe_recover(fe, u, F, NULL, NULL) == FLX_OK);
        for (int i = 0; i < 6 * fe->nnode; i++) {
            CHECK_NEAR(F[i], expected[i % 6], 1e-11 * fabs(expected[0]));
        }
        free(u);
        free(F);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int rigid_motions_cost_nothing_and_weigh_the_body(void)
{
    for (int kind = 0; kind < 2 * NKIND; kind++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s = make_box(ctx, kind % NKIND, 2, 0.3);
        flx_fe *fe = NULL;
        CHECK(flx_fe_create(ctx, s, &(flx_fe_options){.lumped = kind >= NKIND}, &fe) == FLX_OK);
        size_t n = (size_t)fe->n;
        double *R = calloc(6 * n, sizeof *R), *Y = calloc(6 * n, sizeof *Y), scale = 0;
        const double about[3] = {0.1, 0.2, 0.3};
        flx_fe_rigid_motions(fe, about, R);
        flx_symmetric_multiply(&fe->K, 6, R, Y);
        for (int i = 0; i < fe->n; i++) scale = fmax(scale, fe->K.value[fe->K.start[i]]);
        for (size_t i = 0; i < 6 * n; i++) CHECK_NEAR(Y[i], 0, 1e-13 * scale);
        flx_symmetric_multiply(&fe->M, 6, R, Y);
        double mass = 0,
               volume = box_size[0] * box_size[1] * (s->dimension == 2 ? 0.02 : box_size[2]);
        for (size_t i = 0; i < n; i++) mass += R[i] * Y[i];
        CHECK_REL(mass, steel.density * volume, 1e-13);
        CHECK_REL(fe->mass, mass, 1e-13);
        for (int c = 0; c < s->dimension && c < 3; c++) {
            // lumped masses of distorted cells keep the mass, not its centre
            CHECK_NEAR(fe->com[c], box_size[c] / 2, kind < NKIND ? 1e-13 : 0.02);
        }
        if (s->dimension == 3 && kind < NKIND) {
            double a = box_size[0], b = box_size[1];
            CHECK_REL(fe->inertia[2], mass * (a * a + b * b) / 12, 1e-12);
            CHECK_NEAR(fe->inertia[3], 0, 1e-12 * mass);
        }
        free(R);
        free(Y);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// The end of a beam carried by the face of a solid: rigid motions of the whole stay free of forces.
static int links_move_as_rigid_bodies(void)
{
    for (int kind = 0; kind < 2; kind++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s =
            fe_box(ctx, FLX_CELL_HEX8, FLX_FAMILY_SOLID, 2, 2, 2, box_size, &steel, 0, 0.2);
        int face[9], nface = 0;
        for (int i = 0; i < s->nnode; i++) {
            if (s->x[3 * i] > box_size[0] - 1e-9) face[nface++] = i;
        }
        CHECK(nface == 9);
        flx_section c = flx_section_rectangle(0.03, 0.05, 0.3);
        flx_structure_add_section(s, &c);
        int first = s->nnode;
        const double line[6] = {1.3, 0.4, 0.2, 2.0, 0.5, 0.6};
        CHECK(flx_structure_add_line(s, 2, line, 3, 0, 1) == FLX_OK);
        flx_node_link l = {.kind = kind ? FLX_LINK_AVERAGE : FLX_LINK_RIGID,
                           .reference = first,
                           .mask = 077,
                           .nnode = nface,
                           .nodes = face};
        CHECK(flx_structure_add_link(s, &l) == FLX_OK);
        flx_fe *fe = NULL;
        CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
        CHECK(flx_ctx_warning_count(ctx) == 0);
        double *R = calloc(6 * (size_t)fe->n, sizeof *R),
               *u = calloc(6 * (size_t)fe->nnode, sizeof *u);
        double *Y = calloc(6 * (size_t)fe->n, sizeof *Y), scale = 0;
        const double about[3] = {0.1, 0.2, 0.3};
        flx_fe_rigid_motions(fe, about, R);
        flx_symmetric_multiply(&fe->K, 6, R, Y);
        for (int i = 0; i < fe->n; i++) scale = fmax(scale, fe->K.value[fe->K.start[i]]);
        for (int i = 0; i < 6 * fe->n; i++) CHECK_NEAR(Y[i], 0, 1e-12 * scale);
        flx_fe_expand(fe, R + 4 * fe->n, true, u); // rotation about y: z e_x - x e_z
        for (int i = 0; i < fe->nnode; i++) {
            CHECK_NEAR(u[6 * i], s->x[3 * i + 2] - about[2], 1e-12);
            CHECK_NEAR(u[6 * i + 2], -(s->x[3 * i] - about[0]), 1e-12);
        }
        free(R);
        free(u);
        free(Y);
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

static int broken_meshes_have_messages(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = flx_structure_create(ctx, "part.msh");
    flx_fe *fe = NULL;
    const double x[5][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}};
    for (int i = 0; i < 5; i++) flx_structure_add_node(s, 10 + i, 3 + i, x[i]);
    flx_structure_add_material(s, &steel);
    flx_element e = {
        .cell = FLX_CELL_TET4, .family = FLX_FAMILY_SOLID, .label = 1, .line = 9, .section = -1};
    flx_structure_add_element(s, &e, (const int[]){0, 1, 2, 3});
    e.label = 2;
    e.line = 10;
    flx_structure_add_element(s, &e, (const int[]){1, 3, 2, 0});
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "element 2 (tet4) has the same nodes as element 1");
    CHECK(flx_ctx_error(ctx, 0)->loc.line == 10);
    flx_ctx_clear_messages(ctx);
    memcpy(s->nodes + 4, (const int[]){4, 2, 3, 0}, 4 * sizeof(int)); // a left hand
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "element 2 (tet4) is inverted or flat");
    flx_ctx_clear_messages(ctx);
    s->nodes[5] = 4;
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "element 2 (tet4) has node 14 twice");
    flx_ctx_clear_messages(ctx);
    s->elements[1].material = -1;
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "has no material");
    // what a mesh file says of a material, once for all of its elements
    static const struct {
        double E, nu, density;
        const char *message;
    } wrong[] = {{-1, 0.3, 1, "Young's modulus must be positive, not -1"},
                 {0, 0.3, 1, "Young's modulus must be positive, not 0"},
                 {1, 0.5, 1, "Poisson's ratio is 0.5"},
                 {1, -1, 1, "Poisson's ratio is -1"},
                 {1, 0.3, -2, "the density is negative: -2"}};
    for (int i = 0; i < 5; i++) {
        flx_ctx_clear_messages(ctx);
        s->materials[0] = (flx_material){"",          {"part.msh", 4, 1, NULL}, wrong[i].E,
                                         wrong[i].nu, wrong[i].density,         0};
        CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_ERR_MODEL);
        CHECK_TEXT(flx_ctx_error(ctx, 0)->text, wrong[i].message);
        CHECK(flx_ctx_error(ctx, 0)->loc.line == 4 && flx_ctx_error_count(ctx) == 1);
    }
    CHECK(fe == NULL);
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int lines_have_parts_and_sections(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_structure *s = flx_structure_create(ctx, NULL);
    flx_section c = flx_section_circle(0.01, 0.3);
    flx_structure_add_material(s, &steel);
    flx_structure_add_section(s, &c);
    CHECK(flx_structure_add_line(s, 2, (const double[]){0, 0, 0, 1, 0, 0}, 3, 0, 0) == FLX_OK);
    CHECK(flx_structure_add_line(s, 2, (const double[]){0, 1, 0, 1, 1, 0}, 3, 0, 0) == FLX_OK);
    flx_fe *fe = NULL;
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_OK);
    CHECK_TEXT(flx_ctx_warning(ctx, 0)->text, "falls into 2 parts");
    flx_fe_destroy(&fe);
    s->sections[0].Iz = -1;
    CHECK(flx_fe_create(ctx, s, NULL, &fe) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "the section of element 1: its area");
    flx_structure_destroy(&s);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 200; k++) {
        flx_ctx *ctx = flx_ctx_create();
        flx_structure *s =
            fe_box(ctx, FLX_CELL_TET10, FLX_FAMILY_SOLID, 1, 1, 1, box_size, &steel, 0, 0);
        fe_support(s, 0, 0, 07);
        flx_node_link l = {.kind = FLX_LINK_RIGID,
                           .reference = 0,
                           .mask = 07,
                           .nnode = 1,
                           .nodes = (int[]){s->nnode - 1}};
        CHECK(flx_structure_add_link(s, &l) == FLX_OK);
        flx_fe *fe = NULL;
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_fe_create(ctx, s, NULL, &fe);
        bool done = status != FLX_ERR_MEMORY;
        CHECK(done == (fe != NULL));
        flx_fe_destroy(&fe);
        flx_structure_destroy(&s);
        flx_ctx_destroy(&ctx);
        if (done) return k > 5 ? 0 : 1;
    }
    return 1;
}

TEST_MAIN(TEST(patches_carry_constant_strain), TEST(rigid_motions_cost_nothing_and_weigh_the_body),
          TEST(links_move_as_rigid_bodies), TEST(broken_meshes_have_messages),
          TEST(lines_have_parts_and_sections), TEST(every_allocation_may_fail))
