// test_frontal.c - the multifrontal solver: solutions, inertia, groups, broken matrices, memory.
#include "check.h"
#include "math/dense.h"
#include "math/frontal/front_kernel.h"
#include "math/frontal/frontal.h"

#include <stdlib.h>

// A grid of nodes with `each` unknowns, coupled to their neighbours (7 points); random symmetric values.
typedef struct grid {
    int nx, ny, nz, each, n;
    int *group;
    flx_symmetric A;
} grid;

static double noise(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (double)(*seed >> 8) / (1 << 24) - 0.5;
}

static int make_grid(flx_ctx *ctx, grid *g, int nx, int ny, int nz, int each, double diagonal)
{
    int nodes = nx * ny * nz, nblock = 0;
    *g = (grid){nx, ny, nz, each, nodes * each, NULL, {0}};
    g->group = calloc((size_t)g->n, sizeof *g->group);
    int64_t *first = calloc(3 * (size_t)nodes + 2, sizeof *first);
    int *list = calloc(6 * (size_t)nodes * each + 2 * (size_t)each, sizeof *list);
    for (int i = 0; i < g->n; i++) g->group[i] = i / each;
    int64_t used = 0;
    for (int v = 0; v < nodes; v++) {
        int at[3] = {v % nx, v / nx % ny, v / (nx * ny)}, size[3] = {nx, ny, nz};
        int step[3] = {1, nx, nx * ny};
        for (int d = 0; d < 3; d++) {
            if (at[d] + 1 == size[d]) continue;
            first[nblock++] = used;
            for (int c = 0; c < each; c++) list[used++] = v * each + c;
            for (int c = 0; c < each; c++) list[used++] = (v + step[d]) * each + c;
        }
    }
    first[nblock] = used;
    flx_status status = flx_symmetric_init(ctx, g->n, nblock, first, list, &g->A);
    free(first);
    free(list);
    unsigned seed = 7;
    for (int j = 0; j < g->n && status == FLX_OK; j++) {
        for (int64_t p = g->A.start[j]; p < g->A.start[j + 1]; p++) {
            g->A.value[p] = noise(&seed) + (g->A.row[p] == j ? diagonal : 0);
        }
    }
    return status == FLX_OK ? 0 : 1;
}

static void free_grid(grid *g)
{
    free(g->group);
    flx_symmetric_clear(&g->A);
}

static int solutions_solve(void)
{
    const int sizes[][4] = {{1, 1, 1, 1}, {5, 1, 1, 2},   {7, 6, 1, 3},
                            {9, 8, 7, 3}, {40, 40, 1, 1}, {3, 3, 3, 6}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        for (int grouped = 0; grouped < 3; grouped++) { // 2: groups whose unknowns interleave
            flx_ctx *ctx = flx_ctx_create();
            grid g;
            flx_frontal *f = NULL;
            CHECK(make_grid(ctx, &g, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3], 12) == 0);
            for (int i = 0; grouped == 2 && i < g.n; i++) g.group[i] = i * 7 % (g.n / 3 + 1);
            CHECK(flx_frontal_create(ctx, &g.A, grouped ? g.group : NULL, &f) == FLX_OK);
            CHECK(flx_frontal_factor(f, 1, &g.A, 0, NULL) == FLX_OK);
            CHECK(flx_frontal_reserve(f, 5) == FLX_OK);
            double *X = calloc(5 * (size_t)g.n, sizeof *X), *B = calloc(5 * (size_t)g.n, sizeof *B);
            unsigned seed = 3;
            for (int i = 0; i < 5 * g.n; i++) B[i] = noise(&seed);
            for (int vectors = 1; vectors <= 5; vectors += 4) {
                memcpy(X, B, 5 * (size_t)g.n * sizeof *X);
                flx_frontal_solve(f, vectors, X);
                double *R = calloc(5 * (size_t)g.n, sizeof *R);
                flx_symmetric_multiply(&g.A, vectors, X, R);
                for (int i = 0; i < vectors * g.n; i++) CHECK_NEAR(R[i], B[i], 1e-12);
                free(R);
            }
            free(X);
            free(B);
            flx_frontal_destroy(&f);
            free_grid(&g);
            flx_ctx_destroy(&ctx);
        }
    }
    return 0;
}

// Negative pivots of A - s I against the eigenvalues of the dense matrix.
static int signs_are_counted(void)
{
    flx_ctx *ctx = flx_ctx_create();
    grid g;
    flx_symmetric I;
    flx_frontal *f = NULL;
    CHECK(make_grid(ctx, &g, 6, 5, 4, 2, 0.5) == 0);
    CHECK(flx_symmetric_init_like(ctx, &g.A, &I) == FLX_OK);
    size_t n = (size_t)g.n;
    double *D = calloc(n * n, sizeof *D), *w = calloc(n, sizeof *w);
    for (int j = 0; j < g.n; j++) {
        I.value[I.start[j]] = 1;
        for (int i = 0; i < g.n; i++) D[(size_t)j * n + i] = flx_symmetric_get(&g.A, i, j);
    }
    CHECK(flx_dense_symmetric_eigen(ctx, g.n, D, w) == FLX_OK);
    CHECK(flx_frontal_create(ctx, &g.A, g.group, &f) == FLX_OK);
    CHECK(flx_frontal_factor(f, 1, &g.A, 10, &I) == FLX_OK);
    CHECK(flx_frontal_get_report(f).negative == 0);
    for (int k = 0; k < g.n - 1; k += 7) {
        int negative = -1;
        CHECK(flx_frontal_count(f, 1, &g.A, -(w[k] + w[k + 1]) / 2, &I, &negative) == FLX_OK);
        CHECK(negative == k + 1);
    }
    CHECK(flx_frontal_get_report(f).negative == 0);
    free(D);
    free(w);
    flx_symmetric_clear(&I);
    flx_frontal_destroy(&f);
    free_grid(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int singular_matrices_are_refused(void)
{
    flx_ctx *ctx = flx_ctx_create();
    grid g;
    flx_frontal *f = NULL;
    CHECK(make_grid(ctx, &g, 3, 1, 1, 1, 2) == 0);
    memset(g.A.value, 0, (size_t)g.A.start[g.n] * sizeof *g.A.value);
    CHECK(flx_frontal_create(ctx, &g.A, NULL, &f) == FLX_OK);
    CHECK(flx_frontal_factor(f, 1, &g.A, 0, NULL) == FLX_SINGULAR);
    g.A.value[0] = (double)NAN;
    CHECK(flx_frontal_factor(f, 1, &g.A, 0, NULL) == FLX_SINGULAR);
    flx_frontal_destroy(&f);
    free_grid(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

static int allocations_may_fail(int size, int each)
{
    for (long k = 0; k < 200; k++) {
        flx_ctx *ctx = flx_ctx_create();
        grid g;
        flx_frontal *f = NULL;
        int negative;
        CHECK(make_grid(ctx, &g, size, size, size, each, 12) == 0);
        flx_ctx_fail_allocation(ctx, k);
        flx_status status = flx_frontal_create(ctx, &g.A, g.group, &f);
        if (status == FLX_OK) status = flx_frontal_factor(f, 1, &g.A, 0, NULL);
        if (status == FLX_OK) status = flx_frontal_reserve(f, 3);
        if (status == FLX_OK) status = flx_frontal_count(f, 1, &g.A, 0, NULL, &negative);
        CHECK(status == FLX_OK || status == FLX_ERR_MEMORY);
        flx_frontal_destroy(&f);
        free_grid(&g);
        flx_ctx_destroy(&ctx);
        if (status == FLX_OK) return k > 10 ? 0 : 1;
    }
    return 1;
}

static int every_allocation_may_fail(void)
{
    CHECK(allocations_may_fail(7, 2) == 0);
    flx_frontal_set_threads(3);
    CHECK(allocations_may_fail(11, 3) == 0);
    flx_frontal_set_threads(1);
    return 0;
}

// A sum of three matrices with complex factors, by the product with what was found; the factor of a real matrix is taken next.
static int complex_solutions_solve(void)
{
    const int sizes[][4] = {{1, 1, 1, 1}, {7, 6, 1, 3}, {9, 8, 7, 3}, {3, 3, 3, 6}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        flx_ctx *ctx = flx_ctx_create();
        grid g[3];
        flx_frontal *f = NULL;
        for (int i = 0; i < 3; i++) {
            CHECK(make_grid(ctx, g + i, sizes[k][0], sizes[k][1], sizes[k][2], sizes[k][3],
                            4 + 3 * i) == 0);
            for (int64_t e = 0; e < g[i].A.start[g[i].n]; e++)
                g[i].A.value[e] *= cos((double)(i * e));
        }
        const flx_frontal_term terms[3] = {{flx_complex(1, 0.1), &g[0].A},
                                           {flx_complex(-0.3, 0.7), &g[1].A},
                                           {flx_complex(0, 2), &g[2].A}};
        int n = g->n, nrhs = 3;
        size_t all = (size_t)(n * nrhs);
        double complex *X = calloc(all, sizeof *X), *R = calloc(all, sizeof *R);
        double *part = calloc(2 * all, sizeof *part), *product = part + all;
        unsigned seed = 11;
        for (size_t i = 0; i < all; i++) X[i] = R[i] = flx_complex(noise(&seed), noise(&seed));
        CHECK(flx_frontal_create(ctx, &g->A, g->group, &f) == FLX_OK);
        CHECK(flx_frontal_reserve(f, 2 * nrhs) == FLX_OK);
        CHECK(flx_frontal_factor_complex(f, 3, terms) == FLX_OK);
        flx_frontal_solve_complex(f, nrhs, X);
        for (int t = 0; t < 6; t++) { // real parts, then imaginary ones
            for (size_t i = 0; i < all; i++) part[i] = t % 2 ? cimag(X[i]) : creal(X[i]);
            flx_symmetric_multiply(terms[t / 2].A, nrhs, part, product);
            for (size_t i = 0; i < all; i++)
                R[i] -= terms[t / 2].factor * (t % 2 ? flx_complex(0, product[i]) : product[i]);
        }
        for (size_t i = 0; i < all; i++) CHECK(cabs(R[i]) < 1e-10);
        for (size_t i = 0; i < all; i++) part[i] = 1;
        CHECK(flx_frontal_factor(f, 1, &g->A, 12, &g->A) == FLX_OK); // real again
        flx_frontal_solve(f, nrhs, part);
        flx_symmetric_multiply(&g->A, nrhs, part, product);
        for (size_t i = 0; i < all; i++) CHECK_NEAR(13 * product[i], 1.0, 1e-10);
        for (int e = 0; e < 3; e++) free_grid(g + e);
        free(X);
        free(R);
        free(part);
        flx_frontal_destroy(&f);
        flx_ctx_destroy(&ctx);
    }
    return 0;
}

// Fronts of a thousand rows, shared by some threads: factors, and with them solutions and pivots, have the same bits.
static int threads_change_no_bit(void)
{
    flx_ctx *ctx = flx_ctx_create();
    grid g;
    CHECK(make_grid(ctx, &g, 18, 16, 15, 3, 4) == 0);
    double *X = calloc(2 * (size_t)g.n, sizeof *X), *first = calloc((size_t)g.n, sizeof *first);
    flx_frontal_report one = {0};
    for (int threads = 1; threads <= 5; threads++) {
        flx_frontal *f = NULL;
        int negative = -1;
        flx_frontal_set_threads(threads);
        CHECK(flx_frontal_create(ctx, &g.A, g.group, &f) == FLX_OK);
        CHECK(flx_frontal_factor(f, 1, &g.A, 0, NULL) == FLX_OK);
        CHECK(flx_frontal_reserve(f, 1) == FLX_OK);
        flx_frontal_report r = flx_frontal_get_report(f);
        for (int i = 0; i < g.n; i++) X[i] = 1 + i % 7;
        flx_frontal_solve(f, 1, X);
        if (threads == 1) {
            CHECK(r.flops > 1e8); // there is something to share
            one = r;
            memcpy(first, X, (size_t)g.n * sizeof *X);
        }
        CHECK(memcmp(first, X, (size_t)g.n * sizeof *X) == 0);
        CHECK(r.negative == one.negative && r.smallest == one.smallest);
        CHECK(memcmp(&r.ratio, &one.ratio, sizeof r.ratio) == 0);
        CHECK(flx_frontal_count(f, 1, &g.A, 0, NULL, &negative) == FLX_OK);
        CHECK(negative == one.negative);
        flx_frontal_destroy(&f);
    }
    flx_frontal_set_threads(1);
    free(X);
    free(first);
    free_grid(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

// Pivots that are none in two parts of the tree: the first of them along the sequence is told, whoever met one first.
static int the_same_pivot_is_refused_by_any_threads(void)
{
    flx_ctx *ctx = flx_ctx_create();
    grid g;
    int first = -1;
    CHECK(make_grid(ctx, &g, 14, 13, 12, 3, 12) == 0);
    for (int turn = 0; turn < 6; turn++) {
        double kept[3];
        int at[3] = {97 * turn + 5, g.n / 2 + 31 * turn, g.n - 61 * turn - 3};
        for (int i = 0; i < 3; i++) {
            kept[i] = g.A.value[g.A.start[at[i]]];
            g.A.value[g.A.start[at[i]]] = (double)NAN;
        }
        for (int threads = 1; threads <= 4; threads++) {
            flx_frontal *f = NULL;
            flx_frontal_set_threads(threads);
            CHECK(flx_frontal_create(ctx, &g.A, g.group, &f) == FLX_OK);
            CHECK(flx_frontal_factor(f, 1, &g.A, 0, NULL) == FLX_SINGULAR);
            int found = flx_frontal_get_report(f).smallest;
            CHECK(flx_frontal_get_report(f).flops > 2e8);
            if (threads == 1) first = found;
            CHECK(found == first);
            flx_frontal_destroy(&f);
        }
        for (int i = 0; i < 3; i++) g.A.value[g.A.start[at[i]]] = kept[i];
    }
    flx_frontal_set_threads(1);
    free_grid(&g);
    flx_ctx_destroy(&ctx);
    return 0;
}

// X L^T = B, of all sizes around those of the tiles.
static int substitutions_of_fronts_are_right(void)
{
    static const int sizes[] = {1, 3, 8, 11, 16, 17, 24, 79, 80, 81, 95, 96, 161, 250};
    static double L[100 * 100], B[100 * 260], X[100 * 250], before[100 * 260];
    double *scratch = calloc(FLX_FRONT_SUBSTITUTE_SCRATCH(96), sizeof *scratch);
    unsigned seed = 7;
    CHECK(scratch);
    for (int i = 0; i < 100 * 100; i++) L[i] = 0.2 * noise(&seed) + (i % 101 == 0);
    for (int a = 0; a < 14; a++) {
        for (int b = 0; b < 12; b++) {
            int m = sizes[a], k = sizes[b];
            for (int i = 0; i < 100 * 260; i++) B[i] = before[i] = noise(&seed);
            flx_front_substitute(m, k, L, 100, B, 260, X, 250, scratch);
            for (int j = 0; j < 100; j++) {
                for (int i = 0; i < 260; i++) {
                    bool inside = i < m && j < k;
                    double sum = inside ? X[j * 250 + i] : before[j * 260 + i];
                    for (int p = 0; p < j && inside; p++) sum += X[p * 250 + i] * L[p * 100 + j];
                    CHECK_NEAR(sum, before[j * 260 + i], 1e-12);
                    CHECK_NEAR(B[j * 260 + i],
                               inside ? X[j * 250 + i] / L[101 * j] : before[j * 260 + i], 1e-12);
                }
            }
        }
    }
    free(scratch);
    return 0;
}

// Products of all sizes around those of the tiles, beside sums one by one.
static int products_of_fronts_are_right(void)
{
    static const int sizes[] = {1, 3, 8, 11, 12, 13, 24, 25, 47, 100, 241, 250};
    double *A = calloc(250 * 100, sizeof *A), *B = calloc(250 * 100, sizeof *B);
    double *C = calloc(260 * 250, sizeof *C),
           *scratch = calloc(FLX_FRONT_SCRATCH(250, 100), sizeof *scratch);
    unsigned seed = 5;
    CHECK(A && B && C && scratch);
    for (int i = 0; i < 250 * 100; i++) A[i] = noise(&seed), B[i] = noise(&seed);
    for (int a = 0; a < 12; a++) {
        for (int b = 0; b < 12; b++) {
            int m = sizes[a], n = sizes[b], k = sizes[(a + b) % 10], beta = (a + b) % 2;
            for (int i = 0; i < 260 * 250; i++) C[i] = 0.25 * (i % 9);
            flx_front_product(m, n, k, A, 250, B, 250, beta, C, 260, scratch);
            for (int j = 0; j < 250; j++) {
                for (int i = 0; i < 260; i++) {
                    double before = 0.25 * ((j * 260 + i) % 9), sum = beta ? before : 0;
                    for (int p = 0; p < k; p++) sum -= A[p * 250 + i % 250] * B[p * 250 + j];
                    CHECK_NEAR(C[j * 260 + i], i < m && j < n ? sum : before, 1e-13);
                }
            }
        }
    }
    free(A);
    free(B);
    free(C);
    free(scratch);
    return 0;
}

TEST_MAIN(TEST(threads_change_no_bit), TEST(the_same_pivot_is_refused_by_any_threads),
          TEST(substitutions_of_fronts_are_right), TEST(products_of_fronts_are_right),
          TEST(complex_solutions_solve), TEST(solutions_solve), TEST(signs_are_counted),
          TEST(singular_matrices_are_refused), TEST(every_allocation_may_fail))
