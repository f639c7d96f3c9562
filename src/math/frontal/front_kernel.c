// front_kernel.c - C = beta C - A B^T by tiles that stay in registers: A and B are packed so that a step of a tile reads what
// follows in memory.
#include "math/frontal/front_kernel.h"
#include "math/blas.h"

#include <string.h>

#define ROWS 240 // of A that are packed at a time: a multiple of the tiles' rows

static void by_blas(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                    int beta, double *C, int ldc)
{
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, n, k, -1.0, A, lda, B,
                               ldb, beta, C, ldc);
}

#if defined(__x86_64__) && defined(__GNUC__)

#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 8")
#endif

typedef double eight __attribute__((vector_size(64), aligned(8), may_alias));
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

// tile (3 lanes, columns) = a b^T of depth k.
#define TILE(name, vector, lanes, columns, isa)                                                    \
    __attribute__((target(isa))) static void name(int k, const double *a, const double *b,         \
                                                  double *tile)                                    \
    {                                                                                              \
        vector c[columns][3];                                                                      \
        UNROLL for (int j = 0; j < columns; j++) c[j][0] = c[j][1] = c[j][2] = (vector){0};        \
        for (int p = 0; p < k; p++, a += 3 * lanes, b += columns) {                                \
            vector x = *(const vector *)a, y = *(const vector *)(a + lanes);                       \
            vector z = *(const vector *)(a + 2 * lanes);                                           \
            UNROLL for (int j = 0; j < columns; j++)                                               \
            {                                                                                      \
                c[j][0] += x * b[j];                                                               \
                c[j][1] += y * b[j];                                                               \
                c[j][2] += z * b[j];                                                               \
            }                                                                                      \
        }                                                                                          \
        UNROLL for (int j = 0; j < columns; j++)                                                   \
        {                                                                                          \
            *(vector *)(tile + 3 * lanes * j) = c[j][0];                                           \
            *(vector *)(tile + 3 * lanes * j + lanes) = c[j][1];                                   \
            *(vector *)(tile + 3 * lanes * j + 2 * lanes) = c[j][2];                               \
        }                                                                                          \
    }
TILE(by_eight, eight, 8, 8, "avx512f")
TILE(by_four, four, 4, 4, "avx2,fma")

typedef struct tiles {
    int rows, columns;
    void (*make)(int k, const double *a, const double *b, double *tile);
} tiles;

static const tiles *find_tiles(void)
{
    static const tiles all[] = {{24, 8, by_eight}, {12, 4, by_four}};
    if (__builtin_cpu_supports("avx512f")) return all;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? all + 1 : NULL;
}

// `width` rows of A (m, k) together, step by step of k; zeros below the last.
static void pack(int m, int k, int width, const double *A, int lda, double *out)
{
    for (int first = 0; first < m; first += width) {
        int some = m - first < width ? m - first : width;
        for (int p = 0; p < k; p++, out += width) {
            const double *from = A + (size_t)p * (size_t)lda + first;
            if (some == width) {
                memcpy(out, from, (size_t)width * sizeof *out);
                continue;
            }
            for (int i = 0; i < width; i++) out[i] = i < some ? from[i] : 0;
        }
    }
}

static void subtract(int rows, int columns, int ld, const double *tile, int beta, double *C,
                     int ldc)
{
    for (int j = 0; j < columns; j++) {
        const double *from = tile + (size_t)j * (size_t)ld;
        double *to = C + (size_t)j * (size_t)ldc;
        if (beta) {
            for (int i = 0; i < rows; i++) to[i] -= from[i];
        } else {
            for (int i = 0; i < rows; i++) to[i] = -from[i];
        }
    }
}

int flx_front_product_shares(void)
{
    return find_tiles() != NULL;
}

void flx_front_product(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                       int beta, double *C, int ldc, double *scratch)
{
    const tiles *t = find_tiles();
    double tile[24 * 8];
    if (!t) {
        by_blas(m, n, k, A, lda, B, ldb, beta, C, ldc);
        return;
    }
    double *b = scratch;
    double *a = b + (size_t)((n + t->columns - 1) / t->columns * t->columns) * (size_t)k;
    pack(n, k, t->columns, B, ldb, b);
    for (int first = 0; first < m; first += ROWS) {
        int rows = m - first < ROWS ? m - first : ROWS;
        pack(rows, k, t->rows, A + first, lda, a);
        for (int j = 0; j < n; j += t->columns) {
            int columns = n - j < t->columns ? n - j : t->columns;
            for (int i = 0; i < rows; i += t->rows) {
                int some = rows - i < t->rows ? rows - i : t->rows;
                t->make(k, a + (size_t)i * (size_t)k, b + (size_t)j * (size_t)k, tile);
                subtract(some, columns, t->rows, tile, beta,
                         C + (size_t)j * (size_t)ldc + first + i, ldc);
            }
        }
    }
}

#else

int flx_front_product_shares(void)
{
    return 0;
}

void flx_front_product(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                       int beta, double *C, int ldc, double *scratch)
{
    (void)scratch;
    by_blas(m, n, k, A, lda, B, ldb, beta, C, ldc);
}

#endif
