// test_rows.c - products with rows of numbers against sums written out.
#include "check.h"
#include "math/row_products.h"
#include "random_number.h"

enum { M = 4, K = 5, N = 7, PAIRS = M * (M + 1) / 2 };

static uint64_t seed = 31;
static void draw(int n, double *a)
{
    for (int i = 0; i < n; i++) a[i] = random_number(&seed);
}

static int products(void)
{
    double X[M * K], A[K * N], C[M * N];
    draw(M * K, X), draw(K * N, A), draw(M * N, C);
    flx_rows_product(M, K, N, X, A, C);
    for (int i = 0; i < M * N; i++) {
        double sum = 0;
        for (int k = 0; k < K; k++) sum += X[i / N * K + k] * A[k * N + i % N];
        CHECK_NEAR(C[i], sum, 1e-15);
    }
    double y[N], before[N];
    draw(N, y), memcpy(before, y, sizeof y);
    flx_rows_combine(K, N, A, X, y);
    for (int i = 0; i < N; i++) CHECK_NEAR(y[i], before[i] + C[i], 1e-15);
    return 0;
}

static int scalar_products(void)
{
    double A[M * N], B[K * N], C[M * K], before[M * K], y[M], old[M];
    draw(M * N, A), draw(K * N, B), draw(M * K, C), draw(M, y);
    memcpy(before, C, sizeof C), memcpy(old, y, sizeof y);
    flx_rows_gram(M, K, N, A, B, C);
    flx_rows_dot(M, N, A, B, y);
    for (int i = 0; i < M * K; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++) sum += A[i / K * N + j] * B[i % K * N + j];
        CHECK_NEAR(C[i], before[i] + sum, 1e-15);
        if (i % K == 0) CHECK_NEAR(y[i / K], old[i / K] + sum, 1e-15);
    }
    return 0;
}

static int symmetric_of_rows(void)
{
    double A[PAIRS * N], x[M], y[M * N], expected[M * N];
    draw(PAIRS * N, A), draw(M, x), draw(M * N, y);
    memcpy(expected, y, sizeof y);
    const double *entry = A;
    for (int k = 0; k < M; k++) {
        for (int l = k; l < M; l++, entry += N) {
            for (int j = 0; j < N; j++) {
                expected[k * N + j] += entry[j] * x[l];
                if (k != l) expected[l * N + j] += entry[j] * x[k];
            }
        }
    }
    flx_rows_multiply(M, N, A, x, y);
    for (int i = 0; i < M * N; i++) CHECK_NEAR(y[i], expected[i], 1e-15);
    return 0;
}

TEST_MAIN(TEST(products), TEST(scalar_products), TEST(symmetric_of_rows))
