// test_elements.c - matrices of single elements: known numbers, rigid motions, partition of unity.
#include "check.h"
#include "fe/element.h"
#include "fe_mesh.h"
#include "math/dense.h"

static flx_cell_tables tables;
static flx_element_matrices m;

static void fill_tables(flx_cell cell)
{
    flx_shape_fill(cell, FLX_RULE_STIFFNESS, &tables.stiffness);
    flx_shape_fill(cell, FLX_RULE_MASS, &tables.mass);
    flx_shape_fill_nodes(cell, &tables.nodes);
}

static flx_hooke solid(double E, double nu, double density)
{
    double mu = E / (2 * (1 + nu));
    return (flx_hooke){2 * mu * nu / (1 - 2 * nu), mu, density, 1, false};
}

// Eigenvalues of K below the rounding of the largest.
static int zero_modes(const double *K, int n)
{
    static double A[FLX_ELEMENT_DOFS * FLX_ELEMENT_DOFS], w[FLX_ELEMENT_DOFS];
    flx_ctx *ctx = flx_ctx_create();
    int zeros = 0;
    memcpy(A, K, (size_t)n * n * sizeof *A);
    if (flx_dense_symmetric_eigen(ctx, n, A, w) != FLX_OK) zeros = -1;
    for (int i = 0; i < n && zeros >= 0; i++) zeros += fabs(w[i]) < 1e-12 * w[n - 1];
    flx_ctx_destroy(&ctx);
    return zeros;
}

static int functions_sum_to_one_and_are_one_at_their_node(void)
{
    for (int cell = 0; cell < FLX_CELL_COUNT; cell++) {
        double N[FLX_CELL_NODES], dN[FLX_CELL_NODES][3];
        const double xi[3] = {0.21, 0.13, 0.34};
        flx_shape_eval((flx_cell)cell, xi, N, dN);
        double sum = 0, slope[3] = {0};
        for (int a = 0; a < flx_cells[cell].nodes; a++) {
            sum += N[a];
            for (int c = 0; c < 3; c++) slope[c] += dN[a][c];
        }
        CHECK_NEAR(sum, 1, 1e-15);
        for (int c = 0; c < 3; c++) CHECK_NEAR(slope[c], 0, 1e-14);
        for (int a = 0; a < flx_cells[cell].nodes; a++) {
            double at[3];
            flx_shape_node((flx_cell)cell, a, at);
            flx_shape_eval((flx_cell)cell, at, N, dN);
            for (int b = 0; b < flx_cells[cell].nodes; b++) CHECK_NEAR(N[b], a == b, 1e-15);
        }
    }
    return 0;
}

static int slopes_are_derivatives(void)
{
    for (int cell = FLX_CELL_LINE2; cell < FLX_CELL_COUNT; cell++) {
        double N[3][FLX_CELL_NODES], dN[FLX_CELL_NODES][3], ignored[FLX_CELL_NODES][3];
        for (int c = 0; c < flx_cells[cell].dimension; c++) {
            for (int side = 0; side < 2; side++) {
                double xi[3] = {0.21, 0.13, 0.34};
                xi[c] += side ? 1e-6 : -1e-6;
                flx_shape_eval((flx_cell)cell, xi, N[side], ignored);
            }
            flx_shape_eval((flx_cell)cell, (const double[]){0.21, 0.13, 0.34}, N[2], dN);
            for (int a = 0; a < flx_cells[cell].nodes; a++) {
                CHECK_NEAR(dN[a][c], (N[1][a] - N[0][a]) / 2e-6, 1e-9);
            }
        }
    }
    return 0;
}

// Digits of the constant strain triangle, plane stress.
static int triangle_has_known_entries(void)
{
    const double x[9] = {0, 0, 0, 2, 0, 0, 0.5, 1.5, 0}, E = 1000, nu = 0.3;
    const double row[6] = {55.63186813, 26.78571429,  -36.4010989,
                           -10.3021978, -19.23076923, -16.48351648};
    fill_tables(FLX_CELL_TRI3);
    flx_hooke c = {E * nu / (1 - nu * nu), E / (2 * (1 + nu)), 0.1, 0.1, false};
    CHECK(flx_continuum_eval(&tables, &c, x, &m) == FLX_OK);
    CHECK(m.n == 6);
    for (int k = 0; k < 6; k++) CHECK_NEAR(m.K[k], row[k], 1e-8);
    CHECK(zero_modes(m.K, 6) == 3);
    double area = 1.5;
    CHECK_NEAR(m.M[0], 0.1 * area / 6, 1e-14);
    CHECK_NEAR(m.M[2], 0.1 * area / 12, 1e-14);
    return 0;
}

static int tetrahedron_has_known_entries(void)
{
    const double x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const double row[12] = {352.56410256,
                            160.25641026,
                            160.25641026,
                            -224.35897436,
                            -64.1025641,
                            -64.1025641,
                            -64.1025641,
                            -96.15384615,
                            0,
                            -64.1025641,
                            0,
                            -96.15384615};
    fill_tables(FLX_CELL_TET4);
    flx_hooke c = solid(1000, 0.3, 120);
    CHECK(flx_continuum_eval(&tables, &c, x, &m) == FLX_OK);
    double trace = 0;
    for (int k = 0; k < 12; k++) {
        CHECK_NEAR(m.K[k], row[k], 1e-8);
        trace += m.K[13 * k];
    }
    CHECK_NEAR(trace, 2115.38461538, 1e-8);
    CHECK(zero_modes(m.K, 12) == 6);
    CHECK_NEAR(m.M[0], 120.0 / 6 / 10, 1e-14);
    CHECK_NEAR(m.M[3], 120.0 / 6 / 20, 1e-14);
    return 0;
}

// A distorted cell: its reference places, moved.
static void place_nodes(flx_cell cell, double *x)
{
    for (int a = 0; a < flx_cells[cell].nodes; a++) {
        double xi[3];
        flx_shape_node(cell, a, xi);
        for (int c = 0; c < 3; c++) {
            x[3 * a + c] =
                c < flx_cells[cell].dimension ? xi[c] + 0.1 * fe_noise(a, c, 7, cell) : 0;
        }
    }
}

static int cells_of_any_shape_have_only_rigid_motions(void)
{
    for (int cell = FLX_CELL_TRI3; cell < FLX_CELL_COUNT; cell++) {
        double x[3 * FLX_CELL_NODES];
        place_nodes((flx_cell)cell, x);
        fill_tables((flx_cell)cell);
        flx_hooke c = solid(70e9, 0.31, 2700);
        CHECK(flx_continuum_eval(&tables, &c, x, &m) == FLX_OK);
        CHECK(zero_modes(m.K, m.n) == (flx_cells[cell].dimension == 2 ? 3 : 6));
        CHECK(zero_modes(m.M, m.n) == 0);
        c.incompatible = cell == FLX_CELL_QUAD4 || cell == FLX_CELL_HEX8;
        CHECK(flx_continuum_eval(&tables, &c, x, &m) == FLX_OK);
        CHECK(zero_modes(m.K, m.n) == (flx_cells[cell].dimension == 2 ? 3 : 6));
    }
    return 0;
}

static int inverted_cells_are_refused(void)
{
    const double x[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
    fill_tables(FLX_CELL_TET4);
    flx_hooke c = solid(1000, 0.3, 1);
    CHECK(flx_continuum_eval(&tables, &c, x, &m) == FLX_SINGULAR);
    return 0;
}

static int beam_has_known_entries(void)
{
    const double L = 0.7, EI = 3.1, mass = 2.3, x[6] = {0, 0, 0, 0.7, 0, 0};
    const flx_beam_law law = {.EA = 5, .EIz = EI, .EIy = 2 * EI, .GJ = 1, .mass = mass};
    CHECK(flx_beam_eval(&law, x, NULL, NULL, 2, &m) == FLX_OK);
    CHECK(m.n == 6);
    double k = EI / (L * L * L), q = mass * L / 420;
    CHECK_REL(m.K[1 * 6 + 1], 12 * k, 1e-14);
    CHECK_REL(m.K[1 * 6 + 2], 6 * L * k, 1e-13);
    CHECK_REL(m.K[2 * 6 + 5], 2 * L * L * k, 1e-13);
    CHECK_REL(m.M[1 * 6 + 1], 156 * q, 1e-13);
    CHECK_REL(m.M[1 * 6 + 5], -13 * L * q, 1e-13);
    CHECK_REL(m.M[2 * 6 + 2], 4 * L * L * q, 1e-13);
    CHECK(zero_modes(m.K, 6) == 3);
    CHECK(flx_beam_eval(&law, x, NULL, NULL, 3, &m) == FLX_OK);
    CHECK_REL(m.K[2 * 12 + 4], -2 * 6 * L * k, 1e-13); // rotation about y is -w'
    CHECK(zero_modes(m.K, 12) == 6);
    return 0;
}

static int beams_turn_with_their_axes(void)
{
    const double x[6] = {0.3, -0.2, 0.5, 1.1, 0.7, -0.4};
    flx_section c = flx_section_rectangle(0.03, 0.05, 0.3);
    const flx_material steel = {"", FLX_NOWHERE, 2.1e11, 0.3, 7850, 0};
    flx_beam_law law;
    c.has_up = true;
    c.up[1] = 1;
    flx_section_law(&c, &steel, &law);
    CHECK(flx_beam_eval(&law, x, &c, NULL, 3, &m) == FLX_OK);
    CHECK(zero_modes(m.K, 12) == 6);
    return 0;
}

static int sections_have_their_constants(void)
{
    flx_section square = flx_section_rectangle(0.1, 0.1, 0.3);
    CHECK_REL(square.J, 0.140577014955153e-4, 1e-12); // Saint-Venant: 0.1405770149... a^4
    flx_section flat = flx_section_rectangle(1, 0.01, 0.3);
    CHECK_REL(flat.J, 1e-6 / 3 * (1 - 0.630249 * 0.01), 1e-7);
    flx_section round = flx_section_circle(0.1, 0.3);
    CHECK_REL(round.J, 2 * round.Iy, 1e-15);
    return 0;
}

static int lumped_masses_keep_the_mass(void)
{
    for (int cell = FLX_CELL_TRI3; cell < FLX_CELL_COUNT; cell++) {
        double x[3 * FLX_CELL_NODES], before = 0, after = 0;
        place_nodes((flx_cell)cell, x);
        fill_tables((flx_cell)cell);
        flx_hooke c = solid(70e9, 0.31, 2700);
        CHECK(flx_continuum_eval(&tables, &c, x, &m) == FLX_OK);
        for (int i = 0; i < m.n * m.n; i++) before += m.M[i];
        flx_element_lump(&m);
        for (int i = 0; i < m.n * m.n; i++) after += m.M[i];
        CHECK_REL(after, before, 1e-13);
        for (int i = 0; i < m.n; i++) CHECK(m.M[i * m.n + i] > 0);
    }
    return 0;
}

TEST_MAIN(TEST(functions_sum_to_one_and_are_one_at_their_node), TEST(slopes_are_derivatives),
          TEST(triangle_has_known_entries), TEST(tetrahedron_has_known_entries),
          TEST(cells_of_any_shape_have_only_rigid_motions), TEST(inverted_cells_are_refused),
          TEST(beam_has_known_entries), TEST(beams_turn_with_their_axes),
          TEST(sections_have_their_constants), TEST(lumped_masses_keep_the_mass))
