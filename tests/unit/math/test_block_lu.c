// LU of dense blocks on patterns that change, against a dense solution.
#include "check.h"

#include "math/block_lu.h"
#include "math/dense.h"

static uint64_t seed = 88172645463325252u;
static double random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (double)(seed >> 11) / 9007199254740992.0 * 2 - 1;
}

enum { BLOCKS = 12, MOST = 60 };

static int solve_one(flx_ctx *ctx, flx_block_lu *lu, int nblock, int nedge)
{
    int start[BLOCKS + 1] = {0}, pivot[FLX_DENSE_LU_MOST], n;
    uint64_t edges[3 * BLOCKS];
    static double A[MOST * MOST], x[MOST], b[MOST];
    (void)ctx;
    for (int i = 0; i < nblock; i++) start[i + 1] = start[i] + 1 + i % 4;
    n = start[nblock];
    for (int e = 0; e < nedge; e++) {
        uint64_t i = (uint64_t)(0.5 * (random_number() + 1) * (nblock - 1));
        uint64_t j =
            i + 1 + (uint64_t)(0.5 * (random_number() + 1) * (double)((uint64_t)nblock - 1 - i));
        edges[e] = i << 32 | (j < (uint64_t)nblock ? j : (uint64_t)nblock - 1);
    }
    CHECK(flx_block_lu_analyse(lu, nblock, start, nedge, edges) == FLX_OK);
    double *values = flx_block_lu_values(lu);
    memset(A, 0, sizeof A);
    for (int i = 0; i < nblock; i++) {
        for (int j = 0; j < nblock; j++) {
            bool there = i == j;
            for (int e = 0; e < nedge; e++)
                there |= edges[e] == ((uint64_t)(i < j ? i : j) << 32 | (uint64_t)(i < j ? j : i));
            if (!there) continue;
            int at = flx_block_lu_place(lu, i, j), ni = start[i + 1] - start[i],
                nj = start[j + 1] - start[j];
            CHECK(at >= 0);
            for (int k = 0; k < ni * nj; k++) {
                double a = random_number() + (i == j && k % (nj + 1) == 0 ? 8.0 : 0.0);
                values[at + k] += a;
                A[(start[i] + k / nj) * n + start[j] + k % nj] = a;
            }
        }
    }
    for (int i = 0; i < n; i++) x[i] = b[i] = random_number();
    CHECK(flx_block_lu_factor(lu));
    flx_block_lu_solve(lu, x);
    CHECK(flx_dense_lu(n, A, pivot));
    flx_dense_lu_solve(n, A, pivot, b);
    for (int i = 0; i < n; i++) CHECK_NEAR(x[i], b[i], 1e-12);
    return 0;
}

static int against_dense(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_block_lu *lu = flx_block_lu_create(ctx);
    for (int k = 0; k < 300; k++)
        CHECK(!solve_one(ctx, lu, 2 + k % (BLOCKS - 1), k % (2 * BLOCKS)));
    flx_block_lu_destroy(&lu);
    flx_ctx_destroy(&ctx);
    return 0;
}

// The same pattern takes no memory again; a singular block is told.
static int patterns(void)
{
    flx_ctx *ctx = flx_ctx_create();
    flx_block_lu *lu = flx_block_lu_create(ctx);
    const int start[4] = {0, 2, 4, 6};
    uint64_t edges[3] = {(uint64_t)1 << 32 | 2, (uint64_t)0 << 32 | 1, (uint64_t)1 << 32 | 2};
    CHECK(flx_block_lu_analyse(lu, 3, start, 3, edges) == FLX_OK);
    CHECK(flx_block_lu_place(lu, 0, 1) >= 0 && flx_block_lu_place(lu, 2, 1) >= 0);
    CHECK(flx_block_lu_place(lu, 0, 2) < 0); // the ends of a chain go first
    long before = flx_ctx_allocation_count(ctx);
    CHECK(flx_block_lu_analyse(lu, 3, start, 2, edges) == FLX_OK);
    CHECK(flx_ctx_allocation_count(ctx) == before);
    (void)flx_block_lu_values(lu);
    CHECK(!flx_block_lu_factor(lu));
    flx_block_lu_destroy(&lu);
    flx_ctx_destroy(&ctx);
    return 0;
}

TEST_MAIN(TEST(against_dense), TEST(patterns))
