// test_fe_modes.c - modes of structures against closed forms and dense solutions; rigid motions; counts.
#include "base/common.h"
#include "check.h"
#include "fe/fe_equations.h"
#include "fe_mesh.h"
#include "math/lowest_modes.h"

typedef struct rig {
    flx_ctx *ctx;
    flx_structure *s;
    flx_fe *fe;
    flx_mode_set *modes;
} rig;

static rig start(void)
{
    rig r = {flx_ctx_create(), NULL, NULL, NULL};
    r.s = flx_structure_create(r.ctx, NULL);
    return r;
}

static void end(rig *r)
{
    flx_modes_destroy(&r->modes);
    flx_fe_destroy(&r->fe);
    flx_structure_destroy(&r->s);
    flx_ctx_destroy(&r->ctx);
}

static flx_status solve(rig *r, int count, bool lumped)
{
    flx_status status = flx_fe_create(r->ctx, r->s, &(flx_fe_options){.lumped = lumped}, &r->fe);
    if (status != FLX_OK) return status;
    int *group = calloc((size_t)r->fe->n, sizeof *group);
    for (int i = 0; i < r->fe->n; i++) group[i] = r->fe->node_of[i] / 6;
    flx_modes_def def = {.count = count, .group = group};
    status = flx_modes_create(r->ctx, &r->fe->K, &r->fe->M, &def, &r->modes);
    free(group);
    const flx_message *told = flx_ctx_error(r->ctx, 0);
    if (status != FLX_OK) printf("    %s\n", told ? told->text : flx_status_text(status));
    return status;
}

// A beam of n elements along x, L = 2 m, 10 mm square, Euler and Bernoulli, in the plane or in space.
static void make_beam(rig *r, int n, int dimension, bool shear)
{
    const flx_material m = {"", {NULL, 0, 0, NULL}, 2.07e11, 0.3, 7800, 0};
    flx_section c = flx_section_rectangle(0.01, 0.01, 0.3);
    c.shear = c.rotary = shear;
    r->s->dimension = dimension;
    flx_structure_add_material(r->s, &m);
    flx_structure_add_section(r->s, &c);
    flx_structure_add_line(r->s, 2, (const double[]){0, 0, 0, 2, 0, 0}, n, 0, 0);
}

static void support(rig *r, int node, unsigned mask)
{
    flx_structure_add_support(r->s, &(flx_support){.node = node, .mask = mask});
}

static double beam_frequency(double betaL) // rad/s of the beam of make_beam
{
    double h = 0.01, L = 2;
    return betaL * betaL * sqrt(2.07e11 * h * h / 12 / (7800 * L * L * L * L));
}

// Reference flex-beam-frequencies-eb.
static const double clamped_free[] = {1.87510406871196117, 4.69409113297417458, 7.85475743823761256,
                                      10.995540734875467, 14.1371683910464706};
static const double free_free[] = {4.73004074486270403, 7.85320462409583756, 10.9956078380016709,
                                   14.1371654912574642, 17.2787596573994814};
static const double clamped_pinned[] = {3.92660231204791878, 7.06858274562873209,
                                        10.2101761228130305, 13.3517687777540931,
                                        16.4933614313464098};

static int beams_have_the_frequencies_of_the_reference(void)
{
    for (int kind = 0; kind < 4; kind++) {
        rig r = start();
        int n = 40, rigid = kind == 1 ? 3 : 0;
        make_beam(&r, n, 2, false);
        if (kind != 1) support(&r, 0, kind == 3 ? 03 : 043);
        if (kind >= 2) support(&r, n, kind == 3 ? 02 : 03);
        CHECK(solve(&r, 5 + rigid, false) == FLX_OK);
        CHECK(r.modes->rigid == rigid);
        for (int k = 0; k < 5; k++) {
            double betaL = kind == 0   ? clamped_free[k]
                           : kind == 1 ? free_free[k]
                           : kind == 2 ? clamped_pinned[k]
                                       : (k + 1) * FLX_PI;
            // cubic elements: error (beta h)^4/1440 of the frequency
            double bound = pow(betaL / n, 4) / 1440 * 1.1 + 1e-9;
            CHECK_REL(sqrt(r.modes->lambda[rigid + k]), beam_frequency(betaL), bound);
            CHECK(sqrt(r.modes->lambda[rigid + k]) > beam_frequency(betaL) * (1 - 1e-8));
        }
        end(&r);
    }
    return 0;
}

// Frequencies of the cantilever of the digest: 1 m, 10 mm square, E = 7e10, 2750 kg/m^3.
static int cantilever_has_known_frequencies(void)
{
    const double f[4][3] = {{8.18885, 80.682, 0},
                            {8.15404, 51.5092, 174.2136},
                            {8.150367, 51.13532, 144.12099},
                            {8.150107, 51.077495, 143.050144}};
    const int n[4] = {1, 2, 4, 10};
    for (int k = 0; k < 4; k++) {
        rig r = start();
        const flx_material m = {"", {NULL, 0, 0, NULL}, 7e10, 0.3, 2750, 0};
        flx_section c = flx_section_rectangle(0.01, 0.01, 0.3);
        c.shear = c.rotary = false;
        r.s->dimension = 2;
        flx_structure_add_material(r.s, &m);
        flx_structure_add_section(r.s, &c);
        flx_structure_add_line(r.s, 2, (const double[]){0, 0, 0, 1, 0, 0}, n[k], 0, 0);
        support(&r, 0, 043);
        CHECK(solve(&r, n[k] == 1 ? 2 : 3, false) == FLX_OK);
        for (int i = 0; i < (n[k] == 1 ? 2 : 3); i++) {
            CHECK_NEAR(sqrt(r.modes->lambda[i]) / (2 * FLX_PI), f[k][i],
                       n[k] == 1 ? 5e-4 : 5e-5); // as printed
        }
        end(&r);
    }
    return 0;
}

// A long beam in space has pairs of equal frequencies, and six rigid motions.
static int free_beams_in_space_have_six_rigid_motions(void)
{
    rig r = start();
    make_beam(&r, 150, 3, false);
    CHECK(solve(&r, 16, false) == FLX_OK);
    CHECK(r.modes->rigid == 6);
    CHECK(r.modes->checked);
    for (int k = 0; k < 3; k++) {
        for (int pair = 0; pair < 2; pair++) {
            CHECK_REL(sqrt(r.modes->lambda[6 + 2 * k + pair]), beam_frequency(free_free[k]), 1e-5);
        }
    }
    end(&r);
    return 0;
}

// Two beams that nothing joins have twelve, and fewer may be asked for: what lies between zeros is rounding, and no gap at which
// modes could be counted.
static int loose_beams_have_rigid_motions_of_their_own(void)
{
    for (int count = 7; count < 15; count++) {
        rig r = start();
        make_beam(&r, 60, 3, false);
        flx_structure_add_line(r.s, 2, (const double[]){0, 1, 0, 3, 1, 0.5}, 60, 0, 0);
        CHECK(solve(&r, count, false) == FLX_OK);
        CHECK(r.modes->rigid == (count < 12 ? count : 12));
        CHECK(r.modes->checked);
        end(&r);
    }
    return 0;
}

static int free_solids_have_six_rigid_motions(void)
{
    const flx_material steel = {"steel", {NULL, 0, 0, NULL}, 2.1e11, 0.3, 7850, 0};
    const flx_cell cells[] = {FLX_CELL_TET4, FLX_CELL_TET10, FLX_CELL_HEX8, FLX_CELL_HEX20};
    for (int k = 0; k < 4; k++) {
        rig r = {flx_ctx_create(), NULL, NULL, NULL};
        r.s = fe_box(r.ctx, cells[k], FLX_FAMILY_SOLID, 6, 4, 3, (const double[]){1, 0.5, 0.3},
                     &steel, 0, 0.2);
        CHECK(solve(&r, 20, false) == FLX_OK);
        CHECK(r.modes->rigid == 6);
        CHECK(r.modes->checked && r.modes->below >= 20);
        CHECK(r.modes->lambda[6] > 1e3 * fabs(r.modes->lambda[5]));
        for (int i = 0; i < 20; i++) CHECK(r.modes->residual[i] < 1e-7);
        end(&r);
    }
    return 0;
}

static int modes_are_orthonormal(void)
{
    const flx_material steel = {"steel", {NULL, 0, 0, NULL}, 2.1e11, 0.3, 7850, 0};
    rig r = {flx_ctx_create(), NULL, NULL, NULL};
    r.s = fe_box(r.ctx, FLX_CELL_HEX8, FLX_FAMILY_SOLID, 8, 4, 4, (const double[]){1, 0.5, 0.5},
                 &steel, 0, 0); // square: pairs of equal modes
    fe_support(r.s, 0, 0, 07);
    CHECK(solve(&r, 12, false) == FLX_OK);
    size_t n = (size_t)r.fe->n;
    double *Y = calloc(12 * n, sizeof *Y);
    for (int which = 0; which < 2; which++) {
        flx_symmetric_multiply(which ? &r.fe->K : &r.fe->M, 12, r.modes->X, Y);
        for (int a = 0; a < 12; a++) {
            for (int b = 0; b < 12; b++) {
                double sum = 0, scale = which ? r.modes->lambda[11] : 1;
                for (size_t i = 0; i < n; i++) sum += r.modes->X[a * n + i] * Y[b * n + i];
                CHECK_NEAR(sum / scale, a != b ? 0 : which ? r.modes->lambda[a] / scale : 1, 1e-11);
            }
        }
    }
    free(Y);
    end(&r);
    return 0;
}

// Chains of springs and masses: omega = 2 sqrt(k/m) sin((2j-1) pi/(4n+2)); many modes, clustered above.
static int chains_have_their_frequencies(void)
{
    for (int n = 3; n <= 700; n = n * 14 + 1) {
        rig r = start();
        for (int i = 0; i <= n; i++) {
            flx_structure_add_node(r.s, i + 1, 0, (const double[]){i, 0, 0});
            if (i == 0) continue;
            flx_structure_add_mass(r.s, &(flx_point_mass){.node = i, .mass = 2});
            flx_structure_add_spring(r.s,
                                     &(flx_spring_element){.node = {i - 1, i}, .stiffness = {50}});
            support(&r, i, 06);
        }
        support(&r, 0, 07);
        int count = n < 100 ? n : 60;
        CHECK(solve(&r, count, false) == FLX_OK);
        for (int j = 0; j < count; j++) {
            CHECK_REL(sqrt(r.modes->lambda[j]), 10 * sin((2 * j + 1) * FLX_PI / (4 * n + 2)),
                      1e-10);
        }
        end(&r);
    }
    return 0;
}

// Every unknown without mass but one: there is one mode, and asking for more is refused.
static int unknowns_without_mass_have_no_modes(void)
{
    rig r = start();
    flx_section c = {.name = "", .EA = 1e5, .EIy = 10, .EIz = 10, .GJ = 10};
    flx_structure_add_section(r.s, &c);
    flx_structure_add_line(r.s, 2, (const double[]){0, 0, 0, 1, 0, 0}, 80, -1, 0);
    flx_structure_add_mass(r.s, &(flx_point_mass){.node = 80, .mass = 3});
    support(&r, 0, 077);
    CHECK(solve(&r, 3, false) == FLX_OK);
    CHECK_REL(r.modes->lambda[0], 3 * 10 / 3.0, 1e-8);
    CHECK_REL(r.modes->lambda[2], 1e5 / 3.0, 1e-8);
    flx_modes_destroy(&r.modes);
    flx_modes_def def = {.count = 4};
    CHECK(flx_modes_create(r.ctx, &r.fe->K, &r.fe->M, &def, &r.modes) != FLX_OK);
    CHECK(flx_ctx_error_count(r.ctx) == 1);
    end(&r);
    return 0;
}

// A square or cube on rollers all around has the shear mode u = (sin pi x cos pi y, -cos pi x sin pi y, 0),
// omega = pi sqrt(2 mu/rho): exact, so the error falls with the order of the cell.
static int shear_mode(flx_cell cell, int n, double *omega)
{
    const flx_material m = {"", {NULL, 0, 0, NULL}, 1, 0.3, 1, 0};
    int d = flx_cells[cell].dimension;
    rig r = {flx_ctx_create(), NULL, NULL, NULL};
    r.s = fe_box(r.ctx, cell, d == 2 ? FLX_FAMILY_PLANE_STRESS : FLX_FAMILY_SOLID, n, n,
                 d == 2 ? 0 : n, (const double[]){1, 1, d == 2 ? 0 : 1}, &m, 1, 0);
    for (int c = 0; c < d; c++) {
        fe_support(r.s, c, 0, 1u << c);
        fe_support(r.s, c, 1, 1u << c);
    }
    CHECK(solve(&r, 3, false) == FLX_OK);
    *omega = sqrt(r.modes->lambda[0]);
    end(&r);
    return 0;
}

static int frequencies_converge_with_their_order(void)
{
    const struct {
        flx_cell cell;
        int n;
        double order, within;
    } kinds[] = {{FLX_CELL_TRI3, 8, 2, 0.1},  {FLX_CELL_TRI6, 8, 4, 0.1},
                 {FLX_CELL_QUAD4, 8, 2, 0.1}, {FLX_CELL_QUAD8, 8, 4, 0.1},
                 {FLX_CELL_TET4, 4, 2, 0.2},  {FLX_CELL_TET10, 4, 4, 0.3},
                 {FLX_CELL_HEX8, 4, 2, 0.1},  {FLX_CELL_HEX20, 3, 4, 0.2}};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        double coarse, fine, exact = FLX_PI * sqrt(2 * 1 / 2.6);
        CHECK(shear_mode(kinds[k].cell, kinds[k].n, &coarse) == 0);
        CHECK(shear_mode(kinds[k].cell, 2 * kinds[k].n, &fine) == 0);
        CHECK(fine > exact); // from above, as Rayleigh says
        CHECK_NEAR(log2((coarse - exact) / (fine - exact)), kinds[k].order, kinds[k].within);
    }
    return 0;
}

// A thin plate of solids on simple supports: Kirchhoff's omega = pi^2 (1/a^2 + 1/b^2) sqrt(D/(rho h)),
// less the shear of Mindlin, about pi^2 (h/a)^2/(5 (1 - nu)) of it.
static int plates_have_the_frequency_of_kirchhoff(void)
{
    const double a = 1, h = 0.02;
    const flx_material steel = {"steel", {NULL, 0, 0, NULL}, 2.1e11, 0.3, 7850, 0};
    rig r = {flx_ctx_create(), NULL, NULL, NULL};
    r.s = fe_box(r.ctx, FLX_CELL_HEX20, FLX_FAMILY_SOLID, 12, 12, 1, (const double[]){a, a, h},
                 &steel, 0, 0);
    for (int side = 0; side < 2; side++) {
        fe_support(r.s, 0, side * a, 06);
        fe_support(r.s, 1, side * a, 05);
    }
    CHECK(solve(&r, 4, false) == FLX_OK);
    double D = steel.E * h * h * h / (12 * (1 - 0.09)), c = FLX_PI * FLX_PI * sqrt(D / (7850 * h));
    CHECK_REL(sqrt(r.modes->lambda[0]), 2 * c, 0.005);
    CHECK_REL(sqrt(r.modes->lambda[1]), 5 * c, 0.01);
    CHECK_REL(sqrt(r.modes->lambda[2]), 5 * c, 0.01);
    CHECK_REL(r.modes->lambda[2], r.modes->lambda[1], 1e-8);
    end(&r);
    return 0;
}

// Thin clamped cantilever of solids near the beam, and the shear beam below it.
static int solid_cantilevers_are_near_beams(void)
{
    const flx_material steel = {"steel", {NULL, 0, 0, NULL}, 2.1e11, 0.0, 7850, 0};
    rig r = {flx_ctx_create(), NULL, NULL, NULL}, b = start();
    r.s = fe_box(r.ctx, FLX_CELL_HEX20, FLX_FAMILY_SOLID, 20, 2, 1, (const double[]){1, 0.1, 0.05},
                 &steel, 0, 0);
    fe_support(r.s, 0, 0, 07);
    CHECK(solve(&r, 3, false) == FLX_OK);
    flx_section c = flx_section_rectangle(0.05, 0.1, 0);
    flx_structure_add_material(b.s, &steel);
    flx_structure_add_section(b.s, &c);
    flx_structure_add_line(b.s, 2, (const double[]){0, 0, 0, 1, 0, 0}, 40, 0, 0);
    support(&b, 0, 077);
    CHECK(solve(&b, 3, false) == FLX_OK);
    for (int i = 0; i < 3; i++) CHECK_REL(r.modes->lambda[i], b.modes->lambda[i], 0.005);
    end(&r);
    end(&b);
    return 0;
}

// Every frequency twice, of which a single vector sees one. The count of pivots, which takes the place of
// the factors, says so, and the iteration goes on with new factors.
static int hidden_twins_are_found(void)
{
    enum { UNKNOWNS = 400 };
    flx_ctx *ctx = flx_ctx_create();
    flx_symmetric K, M;
    flx_mode_set *modes = NULL;
    CHECK(flx_symmetric_init(ctx, UNKNOWNS, 0, (const int64_t[]){0}, NULL, &K) == FLX_OK);
    CHECK(flx_symmetric_init_like(ctx, &K, &M) == FLX_OK);
    for (int i = 0; i < UNKNOWNS; i++) {
        flx_symmetric_add(&K, i, i, pow(4, i < 40 ? i / 2 : 20));
        flx_symmetric_add(&M, i, i, 1);
    }
    flx_modes_def def = {.count = 3, .block = 1, .tolerance = 1e-4};
    CHECK(flx_modes_create(ctx, &K, &M, &def, &modes) == FLX_OK);
    CHECK(modes->checked && modes->factorisations > 3); // factors, a count, factors, a count
    for (int k = 0; k < 3; k++) CHECK_REL(modes->lambda[k], k < 2 ? 1 : 4, 1e-9);
    flx_modes_destroy(&modes);
    flx_symmetric_clear(&K);
    flx_symmetric_clear(&M);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 400; k++) {
        rig r = start();
        make_beam(&r, 60, 3, true);
        CHECK(flx_fe_create(r.ctx, r.s, NULL, &r.fe) == FLX_OK);
        flx_modes_def def = {.count = 10};
        flx_ctx_fail_allocation(r.ctx, k);
        flx_status status = flx_modes_create(r.ctx, &r.fe->K, &r.fe->M, &def, &r.modes);
        bool done = status != FLX_ERR_MEMORY;
        CHECK(done == (r.modes != NULL));
        end(&r);
        if (done) return k > 20 ? 0 : 1;
    }
    return 1;
}

TEST_MAIN(TEST(beams_have_the_frequencies_of_the_reference), TEST(cantilever_has_known_frequencies),
          TEST(free_beams_in_space_have_six_rigid_motions),
          TEST(loose_beams_have_rigid_motions_of_their_own),
          TEST(free_solids_have_six_rigid_motions), TEST(modes_are_orthonormal),
          TEST(chains_have_their_frequencies), TEST(unknowns_without_mass_have_no_modes),
          SLOW_TEST(frequencies_converge_with_their_order),
          TEST(plates_have_the_frequency_of_kirchhoff), TEST(solid_cantilevers_are_near_beams),
          TEST(hidden_twins_are_found), TEST(every_allocation_may_fail))
