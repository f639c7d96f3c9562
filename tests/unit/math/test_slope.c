// test_slope.c - derivatives by differences: smooth, steep, with noise, with corners, with places that have no value.
#include "check.h"
#include "math/slope.h"

#include <float.h>

enum { VALUES = 6 };

static flx_status eval(void *user, double d, double *f)
{
    const double *x = user;
    double at = *x + d;
    f[0] = at * at * at;
    f[1] = exp(3 * at);
    f[2] = sin(200 * at);
    f[3] = 1e6 + 1e-3 * at;        // rounding of a large value
    f[4] = tanh((at - *x) / 1e-6); // as steep as bodies are not
    f[5] = 7.0;
    return FLX_OK;
}

static int slopes_of_smooth_functions(void)
{
    double x = 0.7, f0[VALUES], scratch[FLX_SLOPE_SCRATCH * VALUES], out[VALUES];
    flx_slope s = {
        .n = VALUES, .step = 2e-3, .user = &x, .eval = eval, .f0 = f0, .scratch = scratch};
    CHECK(eval(&x, 0.0, f0) == FLX_OK);
    CHECK(flx_slope_find(&s, out) == FLX_OK);
    if (s.rough >= 0 || s.cornered >= 0) printf("  %d, %d\n", s.rough, s.cornered);
    CHECK(s.rough < 0 && s.cornered < 0);
    CHECK_REL(out[0], 3 * x * x, 1e-11);
    CHECK_REL(out[1], 3 * exp(3 * x), 1e-11);
    CHECK_REL(out[2], 200 * cos(200 * x), 1e-9);
    CHECK_NEAR(out[3], 1e-3, 1e-6);
    CHECK_REL(out[4], 1e6, 1e-7);
    CHECK(out[5] == 0.0);
    return 0;
}

static flx_status eval_corner(void *user, double d, double *f)
{
    double at = d + *(const double *)user;
    f[0] = at > 0 ? 3 * at : -at;
    f[1] = fabs(at) * at; // smooth enough
    return FLX_OK;
}

static int corners_are_found(void)
{
    for (int k = 0; k < 2; k++) {
        double x = k == 0 ? 0.0 : 1e-5, f0[2], scratch[FLX_SLOPE_SCRATCH * 2], out[2];
        flx_slope s = {
            .n = 2, .step = 2e-3, .user = &x, .eval = eval_corner, .f0 = f0, .scratch = scratch};
        CHECK(eval_corner(&x, 0.0, f0) == FLX_OK);
        CHECK(flx_slope_find(&s, out) == FLX_OK);
        CHECK(k == 0 ? s.cornered == 0 : s.rough < 0);
        CHECK_NEAR(out[0], k == 0 ? 1.0 : 3.0, 1e-8); // the mean of both sides, or the one it is on
    }
    return 0;
}

static flx_status eval_root(void *user, double d, double *f)
{
    (void)user;
    f[0] = sqrt(1e-5 + d); // none at the first steps
    return isnan(f[0]) ? FLX_NOT_FINITE : FLX_OK;
}

static flx_status eval_none(void *user, double d, double *f)
{
    (void)user;
    f[0] = d;
    return d == 0.0 ? FLX_OK : FLX_NO_CONVERGENCE;
}

static int places_without_value(void)
{
    double f0[1] = {sqrt(1e-5)}, scratch[FLX_SLOPE_SCRATCH], out[1];
    flx_slope s = {.n = 1, .step = 2e-3, .eval = eval_root, .f0 = f0, .scratch = scratch};
    CHECK(flx_slope_find(&s, out) == FLX_OK);
    CHECK_REL(out[0], 0.5 / sqrt(1e-5), 1e-7);
    s.eval = eval_none;
    f0[0] = 0.0;
    CHECK(flx_slope_find(&s, out) == FLX_NO_CONVERGENCE);
    return 0;
}

TEST_MAIN(TEST(slopes_of_smooth_functions), TEST(corners_are_found), TEST(places_without_value))
