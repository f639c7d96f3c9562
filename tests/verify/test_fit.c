// test_fit.c - parameters from measured data: the figures of opt-pendulum-fit, bounds, failed runs, data that do not tell.
#include "check.h"
#include "flexion/flexion.h"
#include "optimise/least_squares.h"

#include <math.h>
#include <string.h>

// ---- numbers alone ------------------------------------------------------------------------------

// Rosenbrock's valley as squares; beyond x = 1.5 there is no value.
static flx_status valley(void *user, const double *x, double *r, double *J)
{
    int *calls = user;
    (*calls)++;
    if (x[0] > 1.5) return FLX_NO_CONVERGENCE;
    r[0] = 10.0 * (x[1] - x[0] * x[0]);
    r[1] = 1.0 - x[0];
    if (!J) return FLX_OK;
    J[0] = -20.0 * x[0];
    J[1] = 10.0;
    J[2] = -1.0;
    J[3] = 0.0;
    return FLX_OK;
}

static int least_squares(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double x[2] = {-1.2, 1.0}, lower[2] = {-2.0, -2.0}, upper[2] = {2.0, 2.0}, r[2], J[4], A[4];
    int calls = 0;
    flx_least_squares q = {.n = 2,
                           .m = 2,
                           .x = x,
                           .lower = lower,
                           .upper = upper,
                           .evaluate = valley,
                           .user = &calls,
                           .most = 100,
                           .r = r,
                           .J = J,
                           .normal = A};
    CHECK(flx_least_squares_find(ctx, &q) == FLX_OK);
    CHECK_NEAR(x[0], 1.0, 1e-8);
    CHECK_NEAR(x[1], 1.0, 1e-8);
    CHECK(calls == q.evaluations);
    // a bound that holds the first unknown
    upper[0] = 0.5;
    x[0] = -1.2;
    x[1] = 1.0;
    CHECK(flx_least_squares_find(ctx, &q) == FLX_OK);
    CHECK_NEAR(x[0], 0.5, 1e-12);
    CHECK_NEAR(x[1], 0.25, 1e-8);
    // too few iterations: the best point stays
    upper[0] = 2.0;
    x[0] = -1.2;
    x[1] = 1.0;
    q.most = 2;
    CHECK(flx_least_squares_find(ctx, &q) == FLX_NO_CONVERGENCE);
    CHECK(!q.converged && q.sum < 24.2 && q.iterations == 2);
    flx_ctx_destroy(&ctx);
    return 0;
}

// ---- runs ---------------------------------------------------------------------------------------

static int read(flx_ctx *ctx, const char *path, int n, const char *const *settings, flx_model **m)
{
    flx_read_def def = flx_read_def_default();
    def.nset = n;
    def.settings = settings;
    flx_status status = flx_model_read_by(ctx, path, &def, m);
    if (status != FLX_OK) printf("  %s\n", flx_ctx_error(ctx, 0)->text);
    CHECK(status == FLX_OK);
    return 0;
}

static int pendulum(void)
{
    static const double optimum[3] = {1.1988077770930161, 0.021130931568305374, 0.9043819718392212};
    static const double error[3] = {0.001212133703512833, 0.0015165567084481982,
                                    0.0033672037777382384};
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_fit f, again;
    CHECK(read(ctx, FLX_EXAMPLES "/pendulum_fit.yaml", 0, NULL, &m) == 0);
    CHECK(flx_fit_find(m, NULL, ctx, &f) == FLX_OK);
    CHECK(f.converged && f.iterations <= 8 && f.method == FLX_GRADIENT_DIRECT);
    for (int i = 0; i < 3; i++) {
        CHECK_REL(f.parameters[i].value, optimum[i], i == 1 ? 1e-5 : 1e-6);
        CHECK_REL(f.parameters[i].error, error[i], 1e-3);
        CHECK(!f.parameters[i].undetermined && f.parameters[i].at_bound == 0);
    }
    CHECK_REL(f.sum, 0.006269058577889693, 1e-6);
    CHECK_REL(f.first_sum, 8.612151115747025, 1e-4);
    CHECK_NEAR(f.correlation[1], -0.3952913278782227, 1e-3);
    CHECK(f.npoint == 61 && f.points[0].t == 0.0);
    CHECK_NEAR(f.points[0].fitted, optimum[2], 1e-6);
    CHECK_REL(f.points[0].error, error[2], 1e-3);
    // from any point on the way, the same optimum
    const double way[3] = {1.23169, 0.166172, 0.964295};
    flx_fit_def def = flx_fit_def_default();
    def.initial = way;
    CHECK(flx_fit_find(m, &def, ctx, &again) == FLX_OK);
    for (int i = 0; i < 3; i++) CHECK_REL(again.parameters[i].value, f.parameters[i].value, 1e-7);
    flx_fit_clear(&again);
    flx_fit_clear(&f);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Mass and stiffness of a spring: the data tell their ratio alone.
static int undetermined(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_fit f;
    CHECK(read(ctx, FLX_TESTS "/models/gradient/ratio_fit.yaml", 0, NULL, &m) == 0);
    flx_status status = flx_fit_find(m, NULL, ctx, &f);
    CHECK(status == FLX_OK || status == FLX_NO_CONVERGENCE);
    CHECK(f.nparam == 3 && f.parameters[0].undetermined && f.parameters[1].undetermined);
    CHECK(!f.parameters[2].undetermined && f.parameters[2].error < 1e-2);
    CHECK_REL(f.parameters[1].value / f.parameters[0].value, 25.0, 1e-3);
    CHECK_NEAR(f.parameters[2].value, 0.3, 1e-3);
    flx_fit_clear(&f);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int refusals(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_model *m = NULL;
    flx_fit f;
    CHECK(read(ctx, FLX_EXAMPLES "/pendulum.yaml", 0, NULL, &m) == 0);
    CHECK(flx_fit_find(m, NULL, ctx, &f) == FLX_ERR_MODEL);
    CHECK_TEXT(flx_ctx_error(ctx, 0)->text, "no block 'optimise'");
    CHECK(f.nparam == 0);
    flx_model_destroy(&m);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(least_squares), SLOW_TEST(pendulum), TEST(undetermined), TEST(refusals))
