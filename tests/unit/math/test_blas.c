// test_blas.c - calls of BLAS are made by one thread, and the process keeps the number of threads that it had, whoever calls
// and how often; a serial OpenBLAS has one thread in any case.
#include "check.h"
#include "math/blas.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "random_number.h"

#include <pthread.h>
#include <stdlib.h>

#define N 160
#define CALLERS 4

static int count_inside(void)
{
    int n = 0;
    FLX_ONE_THREAD n = openblas_get_num_threads();
    return n;
}

static int number_is_put_back(void)
{
    int inside = 0;
    openblas_set_num_threads(3);
    int had = openblas_get_num_threads(); // 1 of a serial one
    FLX_ONE_THREAD
    {
        inside += openblas_get_num_threads();
        inside += count_inside();
        inside += openblas_get_num_threads();
    }
    CHECK(inside == 3 && openblas_get_num_threads() == had);
    for (int i = 0; i < 3; i++) inside += count_inside();
    CHECK(inside == 6 && openblas_get_num_threads() == had);
    return 0;
}

static int number_asked_for_meanwhile_stays(void)
{
    openblas_set_num_threads(3);
    FLX_ONE_THREAD openblas_set_num_threads(2);
    CHECK(openblas_get_num_threads() == 2 || openblas_get_parallel() == OPENBLAS_SEQUENTIAL);
    return 0;
}

// Products and eigenvalues of a matrix of its own.
static void *compute(void *user)
{
    double *out = user;
    double *A = calloc(3 * N * N, sizeof *A), *B = A + N * N, *C = B + N * N, w[N];
    flx_ctx *ctx = flx_ctx_create();
    uint64_t seed = 5;
    for (int i = 0; i < N * N; i++) A[i] = random_number(&seed) - 0.5;
    for (int k = 0; k < 20; k++) {
        flx_dense_multiply(true, false, N, N, N, A, A, B);
        flx_dense_multiply(false, false, N, N, N, A, B, C);
        *out += C[k];
    }
    if (flx_dense_symmetric_eigen(ctx, N, B, w) == FLX_OK) *out += w[0] + w[N - 1];
    flx_ctx_destroy(&ctx);
    free(A);
    return NULL;
}

static int callers_give_the_same_bits(void)
{
    double alone = 0, out[CALLERS] = {0};
    pthread_t threads[CALLERS];
    openblas_set_num_threads(1);
    compute(&alone);
    openblas_set_num_threads(3);
    int had = openblas_get_num_threads();
    for (int i = 0; i < CALLERS; i++) {
        CHECK(pthread_create(threads + i, NULL, compute, out + i) == 0);
    }
    for (int i = 0; i < CALLERS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    for (int i = 0; i < CALLERS; i++) CHECK(memcmp(out + i, &alone, sizeof alone) == 0);
    CHECK(openblas_get_num_threads() == had);
    return 0;
}

TEST_MAIN(TEST(number_is_put_back), TEST(number_asked_for_meanwhile_stays),
          TEST(callers_give_the_same_bits))
