// test_bicycle.c - the bicycle of examples/ against the benchmark of Meijaard, Papadopoulos, Ruina and
// Schwab (2007): weave, capsize and castering at 0 to 10 m/s, and the speeds between which it is stable.
// The numbers are those of the reference ift-whipple-bicycle, closed form.
#include "check.h"
#include "flexion/flexion.h"

#include <stdbool.h>
#include <stdlib.h>

typedef struct rider {
    flx_ctx *ctx;
    flx_model *model;
    flx_simulation *sim;
    flx_finding f;
} rider;

static flx_status ride(rider *r, double speed)
{
    char text[64];
    const char *settings[] = {text};
    snprintf(text, sizeof text, "v=%.17g", speed);
    *r = (rider){.ctx = flx_ctx_create()};
    flx_status status =
        flx_model_read(r->ctx, FLX_EXAMPLES "/bicycle.yaml", 1, settings, &r->model);
    if (status == FLX_OK) status = flx_simulation_create_to_analyse(r->model, &r->sim);
    if (status == FLX_OK) status = flx_simulation_analyse(r->sim, 0, &r->f);
    return status;
}

static void get_off(rider *r)
{
    flx_modes_clear(&r->f.modes);
    flx_simulation_destroy(&r->sim);
    flx_model_destroy(&r->model);
    flx_ctx_destroy(&r->ctx);
}

// clang-format off
static const struct {
    double speed, s[4][2];
} reference[] = {
    {0, {{-5.530943717653932, 0}, {-3.131643247906557, 0}, {3.1316432479065566, 0}, {5.530943717653939, 0}}},
    {1, {{-7.1100801463744085, 0}, {-3.134231250665785, 0}, {3.526961709900694, -0.8077402751993119}, {3.526961709900694, 0.8077402751993119}}},
    {2, {{-8.67387984831737, 0}, {-3.0715864564151416, 0}, {2.6823451751274536, -1.6806629659067585}, {2.6823451751274536, 1.6806629659067585}}},
    {3, {{-10.351014672459224, 0}, {-2.6336613725366558, 0}, {1.706756056639735, -2.3158244738432456}, {1.706756056639735, 2.3158244738432456}}},
    {4, {{-12.15861426576443, 0}, {-1.4294442736132609, 0}, {0.41325331521124126, -3.0791081860320593}, {0.41325331521124126, 3.0791081860320593}}},
    {5, {{-14.07838969279824, 0}, {-0.7753418821958424, -4.46486771378823}, {-0.7753418821958424, 4.46486771378823}, {-0.32286642900408613, 0}}},
    {6, {{-16.08537123098027, 0}, {-1.5264448658414191, -5.876730605987086}, {-1.5264448658414191, 5.876730605987086}, {-0.00406690076970475, 0}}},
    {7, {{-18.157884661252012, 0}, {-2.1387564425836327, -7.195259133298048}, {-2.1387564425836327, 7.195259133298048}, {0.10268170574766088, 0}}},
    {8, {{-20.279408943945636, 0}, {-2.693486835810956, -8.460379713969342}, {-2.693486835810956, 8.460379713969342}, {0.1432787976571283, 0}}},
    {9, {{-22.437885590408573, 0}, {-3.216754022524908, -9.693773515317815}, {-3.216754022524908, 9.693773515317815}, {0.15790184030917015, 0}}},
    {10, {{-24.62459635017398, 0}, {-3.7201684043728767, -10.906811394762887}, {-3.7201684043728767, 10.906811394762887}, {0.16105338653171497, 0}}},
};
// clang-format on

// The distance from an eigenvalue of the reference to the nearest mode.
static double distance(const flx_modes *m, const double s[2])
{
    double nearest = HUGE_VAL;
    for (int i = 0; i < m->nmode; i++) {
        nearest = fmin(nearest, hypot(m->modes[i].re - s[0], m->modes[i].im - fabs(s[1])));
    }
    return nearest;
}

// Digits: rounding of matrices whose entries are up to 1e2, of eigenvalues up to 25.
static int eigenvalues_are_those_of_the_benchmark(void)
{
    for (size_t i = 0; i < sizeof reference / sizeof reference[0]; i++) {
        rider r;
        CHECK(ride(&r, reference[i].speed) == FLX_OK);
        int count = 0;
        for (int k = 0; k < 4; k++) {
            CHECK_NEAR(distance(&r.f.modes, reference[i].s[k]), 0.0, 1e-11);
            count += reference[i].s[k][1] >= 0.0;
        }
        CHECK(r.f.modes.nmode == count);
        CHECK(r.f.steady);
        get_off(&r);
    }
    return 0;
}

static double growth(double speed, bool oscillating)
{
    rider r;
    double largest = -HUGE_VAL;
    if (ride(&r, speed) != FLX_OK) return (double)NAN;
    for (int i = 0; i < r.f.modes.nmode; i++) {
        const flx_mode *m = r.f.modes.modes + i;
        if ((m->im > 0.0) == oscillating) largest = fmax(largest, m->re);
    }
    get_off(&r);
    return largest;
}

// Secants. The last step is taken from outside the place itself, where the mode would count as neutral.
static double find_zero(double a, double b, bool oscillating)
{
    double fa = growth(a, oscillating), fb = growth(b, oscillating);
    for (int k = 0; k < 20; k++) {
        double c = b - fb * (b - a) / (fb - fa);
        if (!(fabs(c - b) > 1e-5)) return c;
        a = b;
        fa = fb;
        b = c;
        fb = growth(b, oscillating);
    }
    return (double)NAN;
}

static int it_is_stable_between_two_speeds(void)
{
    // the square of the last step is left
    CHECK_NEAR(find_zero(4, 5, true), 4.292382536341101, 1e-9);
    CHECK_NEAR(find_zero(5.5, 6.5, false), 6.024262015388358, 1e-9);
    return 0;
}

// Beside the speed itself the mode is slow, and meets the chain of the free place and heading: not zero. The
// roots of the benchmark's polynomial, found with 40 digits; to those that the speed is found to.
static int it_is_told_from_zero_beside_that_speed(void)
{
    static const double reference_beside[][2] = {
        {-1e-2, -1.66362190139827e-3},   {1e-2, 1.64617303586727e-3},
        {-2.4e-3, -3.97669784270296e-4}, {2.4e-3, 3.96664744407712e-4},
        {-1e-3, -1.65573432070567e-4},   {1e-3, 1.65398946094406e-4},
        {-1e-4, -1.65494877915263e-5},   {1e-4, 1.65477429095070e-5},
        {-1e-5, -1.65487026716791e-6},   {1e-5, 1.65485279581995e-6}};
    for (size_t i = 0; i < sizeof reference_beside / sizeof reference_beside[0]; i++) {
        rider r;
        CHECK(ride(&r, 6.024262015388358 + reference_beside[i][0]) == FLX_OK);
        CHECK(r.f.modes.nneutral == 6 && r.f.modes.nhidden == 0 && r.f.modes.nmode == 3);
        CHECK_NEAR(r.f.modes.modes[0].re, reference_beside[i][1], 1e-10);
        get_off(&r);
    }
    return 0;
}

TEST_MAIN(TEST(eigenvalues_are_those_of_the_benchmark), TEST(it_is_stable_between_two_speeds),
          TEST(it_is_told_from_zero_beside_that_speed))
