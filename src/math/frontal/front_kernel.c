// front_kernel.c - C = beta C - A B^T by tiles that stay in registers: A and B are packed so that a step of a tile reads what
// follows in memory; and substitutions X = B L^-T, some rows at a time, alike.
#include "math/frontal/front_kernel.h"
#include "math/blas.h"

#include <string.h>

#define ROWS 240 // of A that are packed at a time: a multiple of the tiles' rows
#define GROUPS                                                                                     \
    5 // of rows that are substituted one after the other: columns are far from each other in memory

static void by_blas(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                    int beta, double *C, int ldc)
{
    FLX_ONE_THREAD cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, m, n, k, -1.0, A, lda, B,
                               ldb, beta, C, ldc);
}

// X's columns to where they belong, and divided by D.
static void spread(int m, const double *from, double d, double *b, double *kept)
{
    for (int i = 0; i < m; i++) {
        kept[i] = from[i];
        b[i] = from[i] * d;
    }
}

static void substitute_by_blas(int m, int k, const double *L, int ldl, double *B, int ldb,
                               double *X, int ldx)
{
    FLX_ONE_THREAD cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasUnit, m, k,
                               1.0, L, ldl, B, ldb);
    for (int j = 0; j < k; j++) {
        double *b = B + (size_t)j * (size_t)ldb;
        spread(m, b, 1 / L[(size_t)j * (size_t)ldl + j], b, X + (size_t)j * (size_t)ldx);
    }
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

// x (k, 2 lanes) in place: x_j -= sum of x_p L_jp over p < j; l: L as pack_lower leaves it.
#define SUBSTITUTE(name, vector, lanes, columns, isa)                                              \
    __attribute__((target(isa))) static void name(int k, const double *l, double *x)               \
    {                                                                                              \
        for (int first = 0; first < k; first += columns) {                                         \
            double *own = x + 2 * lanes * (size_t)first;                                           \
            const double *known = x;                                                               \
            vector c[columns][2];                                                                  \
            UNROLL for (int j = 0; j < columns; j++)                                               \
            {                                                                                      \
                c[j][0] = *(const vector *)(own + 2 * lanes * j);                                  \
                c[j][1] = *(const vector *)(own + 2 * lanes * j + lanes);                          \
            }                                                                                      \
            for (; known < own; known += 2 * lanes, l += columns) {                                \
                vector a = *(const vector *)known, b = *(const vector *)(known + lanes);           \
                UNROLL for (int j = 0; j < columns; j++)                                           \
                {                                                                                  \
                    c[j][0] -= a * l[j];                                                           \
                    c[j][1] -= b * l[j];                                                           \
                }                                                                                  \
            }                                                                                      \
            UNROLL for (int p = 0; p < columns; p++, l += columns)                                 \
            {                                                                                      \
                UNROLL for (int j = p + 1; j < columns; j++)                                       \
                {                                                                                  \
                    c[j][0] -= c[p][0] * l[j];                                                     \
                    c[j][1] -= c[p][1] * l[j];                                                     \
                }                                                                                  \
            }                                                                                      \
            UNROLL for (int j = 0; j < columns; j++)                                               \
            {                                                                                      \
                *(vector *)(own + 2 * lanes * j) = c[j][0];                                        \
                *(vector *)(own + 2 * lanes * j + lanes) = c[j][1];                                \
            }                                                                                      \
        }                                                                                          \
    }
SUBSTITUTE(solve_eight, eight, 8, 8, "avx512f")
SUBSTITUTE(solve_four, four, 4, 4, "avx2,fma")

typedef struct tiles {
    int rows, columns;
    void (*make)(int k, const double *a, const double *b, double *tile);
    int width; // rows of a substitution
    void (*solve)(int k, const double *l, double *x);
} tiles;

static const tiles *find_tiles(void)
{
    static const tiles all[] = {{24, 8, by_eight, 16, solve_eight},
                                {12, 4, by_four, 8, solve_four}};
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

// L below its diagonal by groups of columns of L^T: each row by row up to its own; zeros where there is nothing.
static void pack_lower(int k, int columns, const double *L, int ldl, double *out)
{
    for (int first = 0; first < k; first += columns) {
        for (int p = 0; p < first + columns; p++) {
            const double *from = L + (size_t)p * (size_t)ldl;
            for (int j = first; j < first + columns; j++) *out++ = p < j && j < k ? from[j] : 0;
        }
    }
}

void flx_front_substitute(int m, int k, const double *L, int ldl, double *B, int ldb, double *X,
                          int ldx, double *scratch)
{
    const tiles *t = find_tiles();
    if (!t) {
        substitute_by_blas(m, k, L, ldl, B, ldb, X, ldx);
        return;
    }
    int even = (k + t->columns - 1) / t->columns * t->columns, width = t->width;
    size_t each = (size_t)even * (size_t)width;
    double *x = scratch, *l = scratch + GROUPS * each;
    pack_lower(k, t->columns, L, ldl, l);
    for (int first = 0; first < m; first += GROUPS * width) {
        int rows = m - first < GROUPS * width ? m - first : GROUPS * width;
        memset(x, 0, GROUPS * each * sizeof *x);
        for (int j = 0; j < k; j++) {
            const double *from = B + (size_t)j * (size_t)ldb + first;
            double *to = x + (size_t)j * (size_t)width;
            for (int i = 0; i < rows; i += width, to += each)
                memcpy(to, from + i, (size_t)(rows - i < width ? rows - i : width) * sizeof *to);
        }
        for (int g = 0; g * width < rows; g++) t->solve(even, l, x + (size_t)g * each);
        for (int j = 0; j < k; j++) {
            const double *from = x + (size_t)j * (size_t)width;
            double *b = B + (size_t)j * (size_t)ldb + first;
            double *kept = X + (size_t)j * (size_t)ldx + first,
                   d = 1 / L[(size_t)j * (size_t)ldl + j];
            for (int i = 0; i < rows; i += width, from += each)
                spread(rows - i < width ? rows - i : width, from, d, b + i, kept + i);
        }
    }
}

#else

int flx_front_product_shares(void)
{
    return 0;
}

void flx_front_substitute(int m, int k, const double *L, int ldl, double *B, int ldb, double *X,
                          int ldx, double *scratch)
{
    (void)scratch;
    substitute_by_blas(m, k, L, ldl, B, ldb, X, ldx);
}

void flx_front_product(int m, int n, int k, const double *A, int lda, const double *B, int ldb,
                       int beta, double *C, int ldc, double *scratch)
{
    (void)scratch;
    by_blas(m, n, k, A, lda, B, ldb, beta, C, ldc);
}

#endif
