// test_residual.c - what the shapes of a flexible body leave out of the compliance at its nodes (REC-1).
#include "arena.h"
#include "check.h"
#include "reduce/line.h"

#include <math.h>

// An aluminium rod of 1 m, 10 mm in radius, along an axis of no special direction.
static const double length = 1.0, E = 7e10, rho = 2700, radius = 0.01;
static const double rod_ends[6] = {0, 0, 0, 0.48, -0.6, 0.64};
static const double rod_y[3] = {0.8, 0, -0.6};

static flx_line rod(int elements, const double ends[6], const double y[3], bool planar)
{
    double A = 3.141592653589793 * radius * radius, I = A * radius * radius / 4;
    return (flx_line){.npoint = 2,
                      .points = ends,
                      .planar = planar,
                      .y = y,
                      .shear = true,
                      .mass = rho * A,
                      .EA = E * A,
                      .GJ = E / 2.66 * 2 * I,
                      .EI = {E * I, E * I},
                      .GA = {0.9 * E / 2.66 * A, 0.9 * E / 2.66 * A},
                      .second = {rho * I, rho * I},
                      .elements = elements};
}

static const flx_elastic *reduce(const flx_line *line, flx_basis basis)
{
    flx_elastic *e = NULL;
    basis.residual = true;
    return flx_line_reduce(ctx, arena, line, &basis, (flx_loc){0}, &e) == FLX_OK ? e : NULL;
}

static double along(const double r[9], const double n[3])
{
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += n[i / 3] * r[i] * n[i % 3];
    return sum;
}

static int axial_modes(const flx_elastic *e, const double n[3], double *sum)
{
    // what the axial shapes give at the end, and how many there are
    int count = 0;
    const flx_elastic_node *end = e->nodes + e->nnode - 1;
    *sum = 0;
    for (int k = 0; k < e->n; k++) {
        double u = 0;
        for (int i = 0; i < 3; i++) u += end->phi[3 * k + i] * n[i];
        if (fabs(u) > 1e-6 * sqrt(1 / e->m)) count++;
        *sum += u * u / e->K[k * e->n + k];
    }
    return count;
}

// l/(3 EA) - sum 2/(M w_k^2): a force at the end of a free rod, the modes k pi c/l kept.
static int the_end_of_a_rod_has_the_compliance_of_all_its_modes(void)
{
    double A = 3.141592653589793 * radius * radius, M = rho * A * length;
    double axis[3];
    for (int i = 0; i < 3; i++) axis[i] = rod_ends[3 + i] / length;
    flx_line line = rod(60, rod_ends, rod_y, false);
    for (int modes = 4; modes <= 40; modes += 12) {
        CHECK(begin() == 0);
        const flx_elastic *e =
            reduce(&line, (flx_basis){.modes = modes, .frame = FLX_FRAME_BUCKENS});
        double kept = 0, want = length / (3 * E * A);
        int count = axial_modes(e, axis, &kept);
        for (int k = 1; k <= count; k++) {
            double w = k * 3.141592653589793 * sqrt(E / rho) / length;
            want -= 2 / (M * w * w);
        }
        double r = along(e->nodes[e->nnode - 1].residual, axis);
        CHECK_NEAR(r, want, 2e-3 * length / (3 * E * A)); // 60 elements
        // the same sum of the elements themselves: exact but for rounding
        CHECK_NEAR(r + kept, length / (3 * E * A), 2e-4 * length / (3 * E * A));
        CHECK_NEAR(along(e->nodes[0].residual, axis), r, 1e-9 * want);
        finish();
    }
    return 0;
}

static int check_symmetric(const flx_elastic *e)
{
    for (int i = 0; i < e->nnode; i++) {
        const double *r = e->nodes[i].residual;
        double size = r[0] + r[4] + r[8];
        CHECK(size >= 0);
        for (int k = 0; k < 9; k++) CHECK_NEAR(r[k], r[3 * (k % 3) + k / 3], 1e-12 * size);
        for (int t = 0; t < 50; t++) {
            const double n[3] = {sin(1.0 + t), sin(2.0 + 3 * t), sin(0.3 + 7 * t)};
            CHECK(along(r, n) >= -1e-12 * size);
        }
    }
    return 0;
}

// More shapes leave less out, and all there are leave nothing.
static int more_shapes_leave_less_out(void)
{
    static const flx_frame_kind frames[3] = {FLX_FRAME_BUCKENS, FLX_FRAME_TANGENT, FLX_FRAME_CHORD};
    flx_line line = rod(20, rod_ends, rod_y, false);
    for (int f = 0; f < 3; f++) {
        double last = HUGE_VAL;
        for (int modes = 2; modes <= 32; modes *= 2) {
            CHECK(begin() == 0);
            const flx_elastic *e = reduce(&line, (flx_basis){.modes = modes, .frame = frames[f]});
            const double *r = e->nodes[20].residual;
            CHECK(e && check_symmetric(e) == 0);
            CHECK(r[0] + r[4] + r[8] < last * (1 + 1e-9));
            last = r[0] + r[4] + r[8];
            finish();
        }
        flx_line small = rod(4, rod_ends, rod_y, false);
        CHECK(begin() == 0);
        const flx_elastic *all = reduce(&small, (flx_basis){.modes = 24, .frame = frames[f]});
        CHECK(all);
        for (int i = 0; i < 9; i++) CHECK(fabs(all->nodes[4].residual[i]) < 1e-6 * last);
        finish();
    }
    return 0;
}

static int a_line_in_the_plane_is_one_in_space(void)
{
    static const double ends[6] = {0, 0, 0, 0.6, 0.8, 0}, y[3] = {-0.8, 0.6, 0};
    flx_line flat = rod(10, ends, y, true), space = rod(10, ends, y, false);
    CHECK(begin() == 0);
    const flx_elastic *a = reduce(&flat, (flx_basis){.modes = 3, .frame = FLX_FRAME_BUCKENS});
    // bending comes in pairs in space: two of each, and no twist or stretch among them
    const flx_elastic *b = reduce(&space, (flx_basis){.modes = 6, .frame = FLX_FRAME_BUCKENS});
    for (int i = 0; i <= 10; i++) {
        static const int place[4] = {0, 1, 3, 4};
        double size = a->nodes[i].residual[0] + a->nodes[i].residual[4];
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(a->nodes[i].residual[place[k]], b->nodes[i].residual[place[k]], 1e-8 * size);
        }
    }
    finish();
    return 0;
}

TEST_MAIN(TEST(the_end_of_a_rod_has_the_compliance_of_all_its_modes),
          TEST(more_shapes_leave_less_out), TEST(a_line_in_the_plane_is_one_in_space))
