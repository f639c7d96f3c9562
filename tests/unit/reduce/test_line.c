// test_line.c - lines of beams: modes, reductions, frames, stiffening against published numbers.
#include "arena.h"
#include "check.h"
#include "reduce/line.h"

#include <lapacke.h>
#include <stdlib.h>

static const double two_pi = 6.283185307179586;

// Square aluminium beam of 1 m by 10 mm, along -y; bending along x is along its section's y.
static const double ends[6] = {0, 0, 0, 0, -1, 0};

static const double ends_y[3] = {1, 0, 0};

static flx_line beam(bool planar, int elements)
{
    double A = 1e-4, moment = 1e-8 / 12, E = 7e10, rho = 2750;
    return (flx_line){.npoint = 2,
                      .points = ends,
                      .planar = planar,
                      .stiffening = true,
                      .y = ends_y,
                      .mass = rho * A,
                      .EA = E * A,
                      .GJ = 0.14e-8 * E / 2.6,
                      .EI = {E * moment, E * moment},
                      .GA = {E * A, E * A},
                      .second = {rho * moment, rho * moment},
                      .elements = elements};
}

// A beam of unit length, mass and bending stiffness that hardly stretches.
static const double unit_ends[6] = {0, 0, 0, 1, 0, 0};
static const double unit_y[3] = {0, 1, 0};

static flx_line unit_beam(int elements)
{
    return (flx_line){.npoint = 2,
                      .points = unit_ends,
                      .planar = true,
                      .y = unit_y,
                      .stiffening = true,
                      .mass = 1,
                      .EA = 1e9,
                      .GJ = 1,
                      .EI = {1, 1},
                      .GA = {1, 1},
                      .second = {1e-12, 1e-12},
                      .elements = elements};
}

// Ascending square roots of the eigenvalues of (K, M), both (n x n) and kept.
static int frequencies(int n, const double *K, const double *M, double *out)
{
    double *A = calloc(2 * (size_t)n * (size_t)n, sizeof *A);
    CHECK(A);
    double *B = A + n * n;
    memcpy(A, K, (size_t)n * (size_t)n * sizeof *A);
    memcpy(B, M, (size_t)n * (size_t)n * sizeof *B);
    int info = LAPACKE_dsygv(LAPACK_ROW_MAJOR, 1, 'N', 'U', n, A, n, B, n, out);
    free(A);
    CHECK(info == 0);
    for (int i = 0; i < n; i++) out[i] = out[i] > 0 ? sqrt(out[i]) : 0.0;
    return 0;
}

static flx_elastic *reduce(const flx_line *line, flx_basis basis)
{
    flx_elastic *e = NULL;
    return flx_line_reduce(ctx, arena, line, &basis, FLX_NOWHERE, &e) == FLX_OK ? e : NULL;
}

static int cantilever_has_the_known_frequencies(void)
{
    static const struct {
        int elements, modes;
        double f[3];
    } known[] = {{1, 2, {8.18885, 80.682, 0}},
                 {2, 3, {8.15404, 51.5092, 174.2136}},
                 {4, 3, {8.150367, 51.13532, 144.12099}},
                 {10, 3, {8.150107, 51.077495, 143.050144}}};
    CHECK(begin() == 0);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        flx_line line = beam(true, known[i].elements);
        line.EA *= 1e4; // stretching far away
        flx_elastic *e = reduce(&line, (flx_basis){.modes = known[i].modes});
        CHECK(e);
        double omega[3];
        CHECK(frequencies(e->n, e->K, e->M, omega) == 0);
        for (int k = 0; k < e->n; k++)
            CHECK_REL(omega[k] / two_pi, known[i].f[k], 3e-6); // as printed
        CHECK_REL(flx_elastic_lowest(e) / two_pi, known[i].f[0], 1e-6);
    }
    finish();
    return 0;
}

// Numbers of the exact beam without rotary inertia of its sections, close to those of the data file.
static int numbers_are_those_of_the_beam(void)
{
    CHECK(begin() == 0);
    flx_line line = beam(false, 40);
    flx_elastic *e = reduce(&line, (flx_basis){.modes = 4});
    CHECK(e);
    CHECK_REL(e->m, 0.275, 1e-12);
    CHECK_REL(e->S0[1], -0.1375, 1e-12);
    CHECK_REL(e->J0[0], 0.0916689583333, 1e-11); // sections included
    CHECK_REL(e->J0[1], 4.58333333333e-6, 1e-10);
    // a square beam bends along x and z alike: 1, 2 are the first pair, 3, 4 the second
    double S = 0, N = 0, tip = 0, shorter = 0, moved = 0;
    for (int k = 0; k < 2; k++) {
        S += e->S1[3 * k] * e->S1[3 * k] + e->S1[3 * k + 2] * e->S1[3 * k + 2];
        N += e->N0[3 * k] * e->N0[3 * k] + e->N0[3 * k + 2] * e->N0[3 * k + 2];
        const double *phi = e->nodes[40].phi + 3 * k;
        tip += phi[0] * phi[0] + phi[2] * phi[2];
        shorter += e->S2[3 * (k * 4 + k) + 1];
        moved += e->nodes[40].phi2[3 * (k * 4 + k) + 1];
    }
    CHECK_REL(sqrt(S / 2), 0.410596034154, 2e-4);
    CHECK_REL(sqrt(N / 2), 0.298297624871, 2e-4);
    CHECK_REL(sqrt(tip / 2), 3.81378331952, 2e-4);
    CHECK_REL(shorter / 2, 1.57081854810, 5e-4);
    CHECK_REL(moved / 2, 16.9004500815, 5e-4);
    finish();
    return 0;
}

// Craig and Bampton of a clamped beam with interfaces in the middle and at the end.
static int reductions_give_the_known_frequencies(void)
{
    static const struct {
        int modes;
        double omega[4];
    } known[] = {
        {0, {3.5177150416343546, 22.22147447408117, 75.15708305881526, 218.1380245556004}},
        {2, {3.516043169737643, 22.06494635435809, 61.943976915166324, 123.49602483286046}},
        {4, {3.516028354048404, 22.036524240044145, 61.71475933751489, 121.52809709041532}},
        {8, {3.5160164379307672, 22.034739246060653, 61.700266460317984, 120.9619484270274}}};
    const int interfaces[3] = {0, 10, 20};
    CHECK(begin() == 0);
    flx_line line = unit_beam(20);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        flx_basis basis = {.kind = known[i].modes ? FLX_BASIS_CRAIG_BAMPTON : FLX_BASIS_GUYAN,
                           .modes = known[i].modes,
                           .ninterface = 3,
                           .interfaces = interfaces};
        flx_elastic *e = reduce(&line, basis);
        CHECK(e);
        double omega[32];
        CHECK(e->n == 6 + known[i].modes); // four of bending and two of stretching
        CHECK(frequencies(e->n, e->K, e->M, omega) == 0);
        for (int k = 0; k < 4; k++) CHECK_REL(omega[k], known[i].omega[k], 1e-6);
    }
    finish();
    return 0;
}

// The frequencies of the free beam, as frame and shapes together give them.
static int free_frequencies(const flx_elastic *e, double *out)
{
    int n = 3 + e->n;
    double K[64] = {0}, M[64] = {0};
    CHECK(n <= 8);
    M[0] = M[n + 1] = e->m;
    M[2] = M[2 * n] = -e->S0[1];
    M[n + 2] = M[2 * n + 1] = e->S0[0];
    M[2 * n + 2] = e->J0[2];
    for (int k = 0; k < e->n; k++) {
        for (int i = 0; i < 2; i++) M[i * n + 3 + k] = M[(3 + k) * n + i] = e->S1[3 * k + i];
        M[2 * n + 3 + k] = M[(3 + k) * n + 2] = e->N0[3 * k + 2];
        for (int l = 0; l < e->n; l++) {
            M[(3 + k) * n + 3 + l] = e->M[k * e->n + l];
            K[(3 + k) * n + 3 + l] = e->K[k * e->n + l];
        }
    }
    double all[8];
    CHECK(frequencies(n, K, M, all) == 0);
    for (int k = 0; k < e->n; k++) out[k] = all[3 + k] / two_pi;
    return 0;
}

static int frames_are_equivalent_as_published(void)
{
    static const struct {
        flx_frame_kind frame;
        int modes, count;
        double f[3];
    } known[] = {{FLX_FRAME_TANGENT, 1, 1, {83.297}},
                 {FLX_FRAME_TANGENT, 2, 2, {52.1007, 271.02}},
                 {FLX_FRAME_TANGENT, 3, 3, {51.9218, 143.4846, 582.0}},
                 {FLX_FRAME_TANGENT, 5, 3, {51.8688, 143.0603, 280.7259}},
                 {FLX_FRAME_CHORD, 1, 1, {52.5638}},
                 {FLX_FRAME_CHORD, 3, 3, {51.8941, 146.1475, 287.966}},
                 {FLX_FRAME_CHORD, 5, 3, {51.8661, 143.2102, 281.0946}},
                 {FLX_FRAME_BUCKENS, 3, 3, {51.8612, 142.9595, 280.2706}}};
    CHECK(begin() == 0);
    flx_line line = beam(true, 20);
    line.EA *= 1e4;
    line.second[0] = line.second[1] = 1e-15; // as published, without the sections' inertia
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        flx_elastic *e =
            reduce(&line, (flx_basis){.modes = known[i].modes, .frame = known[i].frame});
        CHECK(e);
        double f[8] = {0};
        CHECK(free_frequencies(e, f) == 0);
        for (int k = 0; k < known[i].count; k++) CHECK_REL(f[k], known[i].f[k], 3e-5);
    }
    finish();
    return 0;
}

// What a reduction says of itself: the frequencies of its shapes by themselves lie above those of the free beam,
// (b_k)^2 with cos b cosh b = 1, as far as it says, to the second order; the first mode left out is the next of the
// beam held at both ends, of the same equation.
static int what_was_cut_off_is_known(void)
{
    static const double b[6] = {4.730040744862704,  7.853204624095838,  10.995607838001671,
                                14.137165491257464, 17.278759657399480, 20.420352245626060};
    const int interfaces[2] = {0, 80};
    CHECK(begin() == 0);
    flx_line line = unit_beam(80);
    for (int modes = 1; modes < 5; modes++) {
        flx_elastic *e = reduce(&line, (flx_basis){.kind = FLX_BASIS_CRAIG_BAMPTON,
                                                   .modes = modes,
                                                   .ninterface = 2,
                                                   .interfaces = interfaces});
        CHECK(e && e->cut && e->cut->unknowns == 243);
        CHECK_REL(sqrt(e->cut->next), b[modes] * b[modes], 1e-5);
        for (int k = 0; k < modes; k++) {
            double exact = b[k] * b[k], error = sqrt(e->cut->omega2[k]) / exact - 1.0;
            CHECK(error > 1e-5); // by more than the elements'
            CHECK_NEAR(e->cut->error[k], error, 0.05 * error + 1e-5);
        }
    }
    flx_elastic *e = reduce(&line, (flx_basis){.modes = 3, .frame = FLX_FRAME_BUCKENS});
    CHECK(e && e->cut);
    CHECK_REL(sqrt(e->cut->next), b[3] * b[3], 1e-5);
    for (int k = 0; k < 3; k++) CHECK(e->cut->error[k] == 0.0);
    finish();
    return 0;
}

// Bending along the axis of rotation and in the plane, at speeds relative to the beam's own.
static int rotating_beam_stiffens(void)
{
    static const struct {
        double eta, flap[3], lag[3];
    } known[] = {{2,
                  {4.13731957308658, 22.61492195764482, 62.273184105704466},
                  {3.621796964119517, 22.526311173721794, 62.241059266851366}},
                 {5,
                  {6.449544748559015, 25.446080357884565, 65.20504052184312},
                  {4.073895858274486, 24.950010132403452, 65.01305491561911}},
                 {10,
                  {11.202327762301609, 33.64036585524672, 74.64929459700727},
                  {5.048974875418963, 32.11968578333015, 73.9764637153304}}};
    CHECK(begin() == 0);
    flx_line line = unit_beam(80);
    flx_elastic *e = reduce(&line, (flx_basis){.modes = 6});
    CHECK(e);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        double lag[36], flap[36], omega[6], w2 = known[i].eta * known[i].eta;
        for (int kl = 0; kl < 36; kl++) {
            lag[kl] = e->K[kl] - 0.5 * w2 * e->J2[6 * kl + 2];
            flap[kl] = lag[kl] + w2 * e->M[kl]; // out of the plane nothing softens
        }
        CHECK(frequencies(6, flap, e->M, omega) == 0);
        for (int k = 0; k < 3; k++) CHECK_REL(omega[k], known[i].flap[k], 2e-4);
        CHECK(frequencies(6, lag, e->M, omega) == 0);
        for (int k = 0; k < 3; k++) CHECK_REL(omega[k], known[i].lag[k], 1e-3);
    }
    finish();
    return 0;
}

// With shear and rotary inertia every frequency is lower; a clamped beam bends under its tip as the
// theory says, w = F L^3/(3 EI) + F L/GA.
static int shear_makes_it_softer(void)
{
    CHECK(begin() == 0);
    flx_line line = beam(true, 10);
    line.GA[0] = line.GA[1] = 5.0 / 6.0 * line.EA / 2.6;
    flx_elastic *plain = reduce(&line, (flx_basis){.modes = 3});
    line.shear = true;
    const int interfaces[2] = {0, 10};
    flx_elastic *e = reduce(&line, (flx_basis){.modes = 3});
    flx_elastic *g = reduce(
        &line, (flx_basis){.kind = FLX_BASIS_GUYAN, .ninterface = 2, .interfaces = interfaces});
    CHECK(plain && e && g);
    double a[3], b[3];
    CHECK(frequencies(3, plain->K, plain->M, a) == 0);
    CHECK(frequencies(3, e->K, e->M, b) == 0);
    CHECK_REL(b[0] / two_pi, 8.149942107, 3e-4); // rotary inertia alone gives this
    for (int k = 0; k < 3; k++) CHECK(b[k] < a[k]);
    double K[9], f[3] = {0}, w = 0;
    lapack_int pivot[3];
    memcpy(K, g->K, sizeof K);
    CHECK(g->n == 3);
    for (int k = 0; k < 3; k++) f[k] = g->nodes[10].phi[3 * k];
    CHECK(LAPACKE_dgesv(LAPACK_ROW_MAJOR, 3, 1, K, 3, pivot, f, 1) == 0);
    for (int k = 0; k < 3; k++) w += g->nodes[10].phi[3 * k] * f[k];
    CHECK_REL(w, 1.0 / (3.0 * line.EI[0]) + 1.0 / line.GA[0], 1e-9);
    finish();
    return 0;
}

// Thin or not, a rod twists with the inertia of its sections: f = sqrt(GJ / I) / (4 L).
static int twist_has_the_inertia_of_the_sections(void)
{
    CHECK(begin() == 0);
    enum { N = 16, MODES = 44 };
    flx_line line = beam(false, N);
    flx_elastic *e = reduce(&line, (flx_basis){.modes = MODES});
    CHECK(e != NULL);
    double w[MODES], twist = 0.25 * two_pi * sqrt(line.GJ / (line.second[0] + line.second[1]));
    double nearest = HUGE_VAL, linear = pow(0.25 * two_pi / N, 2) / 24; // in each element
    CHECK(frequencies(MODES, e->K, e->M, w) == 0);
    for (int k = 0; k < MODES; k++) {
        CHECK(w[k] > 0 && w[k] < 1e7); // none without mass
        nearest = fmin(nearest, fabs(w[k] / twist - 1.0 - linear));
    }
    CHECK(nearest < 1e-6);
    finish();
    return 0;
}

TEST_MAIN(TEST(cantilever_has_the_known_frequencies), TEST(numbers_are_those_of_the_beam),
          TEST(reductions_give_the_known_frequencies), TEST(frames_are_equivalent_as_published),
          TEST(what_was_cut_off_is_known), TEST(rotating_beam_stiffens),
          TEST(shear_makes_it_softer), SLOW_TEST(twist_has_the_inertia_of_the_sections))
