// Dense factorisations: rank, least norm, eigenvalues, small LU.
#include "check.h"
#include "math/dense.h"
#include "saddle_matrix.h"

static int rank_of_products(void)
{
    flx_ctx *ctx = flx_ctx_create();
    saddle_matrix random = {.random = 5};
    enum { M = 9, N = 7 };
    for (int want = 0; want <= N; want++) { // A = B C with B 9 x want
        double b[M * N], c[N * N], a[M * N] = {0};
        int perm[N], rank = -1, seen = 0;
        for (int i = 0; i < M * N; i++) b[i] = sm_random(&random);
        for (int i = 0; i < N * N; i++) c[i] = sm_random(&random);
        for (int i = 0; i < M; i++) {
            for (int j = 0; j < N; j++) {
                for (int k = 0; k < want; k++) a[i + j * M] += b[i + k * M] * c[k + j * N];
            }
        }
        CHECK(flx_dense_rank(ctx, M, N, a, 1e-10, perm, &rank) == FLX_OK);
        CHECK(rank == want);
        for (int j = 0; j < N; j++) seen |= 1 << perm[j];
        CHECK(seen == (1 << N) - 1);
    }
    flx_ctx_destroy(&ctx);
    return 0;
}

// Column 2 is the largest, column 1 a multiple of column 0: that pair gives one pivot.
static int rank_names_the_columns(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double a[12] = {1, 2, 0, 0, 0.5, 1, 0, 0, 0, 0, 9, 1};
    int perm[3], rank;
    CHECK(flx_dense_rank(ctx, 4, 3, a, 1e-10, perm, &rank) == FLX_OK);
    CHECK(rank == 2);
    CHECK(perm[0] == 2 && perm[1] == 0 && perm[2] == 1);
    CHECK(flx_dense_rank(ctx, 0, 3, a, 1e-10, perm, &rank) == FLX_OK && rank == 0);
    CHECK(perm[0] == 0 && perm[2] == 2);
    a[0] = nan("");
    CHECK(flx_dense_rank(ctx, 4, 3, a, 1e-10, perm, &rank) == FLX_NOT_FINITE);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int full_rows(void)
{
    double small = 1e-3;
    const double rows[6] = {1, 2, 3, 2, 4, 6 + small};
    double A[6], B[6], C[6];
    for (int i = 0; i < 6; i++) A[i] = B[i] = C[i] = rows[i];
    // pivot 6.001 first, then what is left of the first row: at most small 2/6.001
    CHECK(flx_dense_is_full(2, 3, A, 0.3 * small));
    CHECK(!flx_dense_is_full(2, 3, B, 0.4 * small));
    CHECK(!flx_dense_is_full(3, 2, C, 0.0));
    C[0] = (double)NAN;
    CHECK(!flx_dense_is_full(1, 1, C, 0.0));
    return 0;
}

static int least_norm_solutions(void)
{
    flx_ctx *ctx = flx_ctx_create();
    double wide[2] = {3, 4}, b[2] = {10, 0}; // 3 x + 4 y = 10
    CHECK(flx_dense_least_norm(ctx, 1, 2, wide, b, 1e-12) == FLX_OK);
    CHECK_NEAR(b[0], 1.2, 1e-15);
    CHECK_NEAR(b[1], 1.6, 1e-15);
    double tall[6] = {1, 1, 1, 0, 1, 2}, c[3] = {1, 0, 2}; // the line 0.5 + 0.5 t fits 1, 0, 2
    CHECK(flx_dense_least_norm(ctx, 3, 2, tall, c, 1e-12) == FLX_OK);
    CHECK_NEAR(c[0], 0.5, 1e-14);
    CHECK_NEAR(c[1], 0.5, 1e-14);
    double twice[4] = {1, 2, 1, 2}, d[2] = {1, 2}; // rank 1: x + y = 1
    CHECK(flx_dense_least_norm(ctx, 2, 2, twice, d, 1e-12) == FLX_OK);
    CHECK_NEAR(d[0], 0.5, 1e-14);
    CHECK_NEAR(d[1], 0.5, 1e-14);
    double e[3] = {1, 2, 3};
    CHECK(flx_dense_least_norm(ctx, 0, 3, NULL, e, 1e-12) == FLX_OK);
    CHECK(e[0] == 0 && e[1] == 0 && e[2] == 0);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int symmetric_eigenvalues(void)
{
    flx_ctx *ctx = flx_ctx_create();
    enum { N = 20 };
    double a[N * N] = {0}, w[N];
    for (int i = 0; i < N; i++) { // a string of masses: 2 - 2 cos(k pi / (N+1))
        a[i + i * N] = 2;
        if (i > 0) a[i + (i - 1) * N] = a[i - 1 + i * N] = -1;
    }
    CHECK(flx_dense_symmetric_eigen(ctx, N, a, w) == FLX_OK);
    for (int k = 0; k < N; k++) {
        CHECK_NEAR(w[k], 2 - 2 * cos((k + 1) * acos(-1.0) / (N + 1)), 1e-13);
        for (int i = 1; i < N - 1; i++) { // A v = w v, in the columns
            const double *v = a + k * N;
            CHECK_NEAR(2 * v[i] - v[i - 1] - v[i + 1], w[k] * v[i], 1e-13);
        }
    }
    CHECK(flx_dense_symmetric_eigen(ctx, 0, a, w) == FLX_OK);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int small_lu(void)
{
    saddle_matrix random = {.random = 11};
    for (int n = 0; n <= 64; n++) {
        double a[64 * 64], lu[64 * 64], x[64], b[64];
        int pivot[64];
        for (int i = 0; i < n * n; i++) lu[i] = a[i] = sm_random(&random);
        for (int i = 0; i < n; i++) x[i] = sm_random(&random);
        for (int i = 0; i < n; i++) {
            b[i] = 0;
            for (int j = 0; j < n; j++) b[i] += a[i * n + j] * x[j];
        }
        CHECK(flx_dense_lu(n, lu, pivot));
        flx_dense_lu_solve(n, lu, pivot, b);
        for (int i = 0; i < n; i++) CHECK_NEAR(b[i], x[i], 1e-9);
    }
    return 0;
}

static int small_lu_and_units(void)
{
    int pivot[3];
    double mixed[9] = {0, 1e-12, 0, 1e9, 0, 1e9, 0, 1e-12, 1e-12}, b[3] = {2e-12, 4e9, 5e-12};
    CHECK(flx_dense_lu(3, mixed, pivot)); // y = 2, x + z = 4, y + z = 5
    flx_dense_lu_solve(3, mixed, pivot, b);
    CHECK_NEAR(b[0], 1, 1e-12);
    CHECK_NEAR(b[1], 2, 1e-12);
    CHECK_NEAR(b[2], 3, 1e-12);
    double singular[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, zero[4] = {1, 1, 0, 0};
    double bad[4] = {1, 0, nan(""), 1};
    CHECK(!flx_dense_lu(3, singular, pivot));
    CHECK(!flx_dense_lu(2, zero, pivot));
    CHECK(!flx_dense_lu(2, bad, pivot));
    return 0;
}

static int every_allocation_may_fail(void)
{
    for (long k = 0; k < 4; k++) {
        flx_ctx *ctx = flx_ctx_create();
        double a[9] = {2, 0, 0, 0, 3, 0, 0, 0, 4}, b[3] = {1, 1, 1};
        int perm[3], rank;
        flx_ctx_fail_allocation(ctx, k);
        bool all = flx_dense_rank(ctx, 3, 3, a, 1e-10, perm, &rank) == FLX_OK &&
                   flx_dense_least_norm(ctx, 3, 3, a, b, 1e-10) == FLX_OK &&
                   flx_dense_symmetric_eigen(ctx, 3, a, b) == FLX_OK;
        CHECK(!all);
        CHECK(flx_ctx_error(ctx, 0)->status == FLX_ERR_MEMORY);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

TEST_MAIN(TEST(rank_of_products), TEST(rank_names_the_columns), TEST(full_rows),
          TEST(least_norm_solutions), TEST(symmetric_eigenvalues), TEST(small_lu),
          TEST(small_lu_and_units), TEST(every_allocation_may_fail))
