// grains.c - a flexible body as few grains. Its kinetic energy is made of integrals of products of
// functions over the mass: the constant 1, and the components of X, Phi_k, Gam_kl. With psi_j orthonormal
// over the mass and f_j = int f psi_j,
//
//     int f g = sum_j f_j g_j + int (f - f_j psi_j)(g - g_j psi_j)                               (FLX-7)
// so that the coefficients of psi_j are those of a particle, a grain, and a function that is described to
// the root of the rounding has integrals to the rounding. The first grain is the constant's, the centre
// of mass; the others do not know the translation of the frame. Where particles are many, their products are
// enough: the coefficients are the rows of a factor of Cholesky's.
#include "math/blas.h"
#include "math/row_products.h"
#include "reduce/elastic.h"

#include <float.h>
#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Room for so many grains.
static flx_status reserve(flx_arena *arena, int count, flx_elastic *e)
{
    size_t rows = (size_t)FLX_GRAIN_ROWS(e->n);
    e->ngrain = count;
    e->weights = flx_arena_take(arena, (size_t)count, sizeof *e->weights);
    e->grains = flx_arena_take(arena, 3 * rows * (size_t)count, sizeof *e->grains);
    return e->weights && e->grains ? FLX_OK : FLX_ERR_MEMORY;
}

static void keep(flx_elastic *e, int row, int j, const double value[3])
{
    memcpy(flx_grain_at(e, row, j), value, 3 * sizeof *value);
}

typedef struct sieve {
    int count, width;     // particles; functions
    double *left;         // (width x count) what is not described yet of each function
    double *norm, *whole; // (width) of it, and of the function
} sieve;

// The function of which the largest part is left; -1: all are described.
static int choose(const sieve *s)
{
    int best = -1;
    double most = sqrt(DBL_EPSILON);
    for (int c = 0; c < s->width; c++) {
        if (!(s->norm[c] > most * s->whole[c])) continue;
        most = s->norm[c] / s->whole[c];
        best = c;
    }
    return best;
}

// The rest of function c becomes the next psi; its coefficients go to `grain`.
static void take_out(sieve *s, int c, double *psi, double *grain)
{
    for (int i = 0; i < s->count; i++) psi[i] = s->left[c * s->count + i] / s->norm[c];
    for (int k = 0; k < s->width; k++) {
        double *f = s->left + k * s->count, x = s->whole[k] > 0 ? dot(s->count, psi, f) : 0.0;
        grain[k] = x;
        if (x == 0.0) continue;
        for (int i = 0; i < s->count; i++) f[i] -= x * psi[i];
        s->norm[k] = sqrt(dot(s->count, f, f));
    }
    s->norm[c] = 0.0;
}

flx_status flx_elastic_set_field(flx_ctx *ctx, flx_arena *arena, int count, const double *particles,
                                 flx_elastic *e)
{
    int width = FLX_PARTICLE(e->n), most = count < width ? count : width;
    size_t size = (size_t)count * (size_t)width;
    double *block = flx_alloc(ctx, size + 2 * (size_t)width + (size_t)count, sizeof *block);
    double *grains = flx_alloc(ctx, (size_t)most * (size_t)width, sizeof *grains);
    flx_status status = block && grains ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) {
        sieve s = {count, width, block, block + size, block + size + width};
        double *psi = s.whole + width;
        for (int k = 0; k < width; k++) {
            double *f = s.left + k * count;
            for (int i = 0; i < count; i++) f[i] = particles[i * width + k];
            s.norm[k] = s.whole[k] = sqrt(dot(count, f, f));
        }
        int n = 0;
        for (int c = 0; c >= 0 && n < most; c = choose(&s)) {
            take_out(&s, c, psi, grains + n * width);
            if (n > 0) grains[n * width] = 0.0; // orthogonal to the constant, but for rounding
            n++;
        }
        status = reserve(arena, n, e);
        for (int j = 0; j < n && status == FLX_OK; j++) {
            const double *from = grains + j * width, *gam = from + 4 + 3 * e->n;
            e->weights[j] = from[0];
            for (int i = 0; i <= e->n; i++) keep(e, i, j, from + 1 + 3 * i);
            for (int k = 0; k < e->n; k++) {
                for (int l = 0; l < e->n; l++, gam += 3)
                    keep(e, flx_grain_second(e->n, k, l), j, gam);
            }
        }
    }
    flx_free(grains);
    flx_free(block);
    return status;
}

// ---- from products ------------------------------------------------------------------------------

// What may be left of a function, as a part of it: of the constant, X and phi rounding, squared in every
// integral; of gam, whose squares are of the fourth order in q, a part that is one of 1e-6 there.
#define LEFT_OF_SHAPES 1e-7
#define LEFT_OF_FIELD 1e-3

// The function of which the largest part is left, relative to what may be; -1: all are described.
static int choose_product(int width, int first_gam, const double *left, const double *whole)
{
    int best = -1;
    double most = 1.0;
    for (int c = 0; c < width; c++) {
        double may = c < first_gam ? LEFT_OF_SHAPES : LEFT_OF_FIELD;
        double part = left[c] / (may * may * whole[c]); // NaN: the function is zero
        if (!(part > most)) continue;
        most = part;
        best = c;
    }
    return best;
}

// The grain of function c, behind the rows of those that went before; left (width): squares of what they left.
static void factor_out(int width, int c, const double *G, int count, double *rows, double *left,
                       double *room)
{
    double *row = rows + (size_t)count * (size_t)width, root = sqrt(left[c]);
    for (int j = 0; j < count; j++) room[j] = -rows[(size_t)j * (size_t)width + (size_t)c];
    memcpy(row, G + (size_t)c * (size_t)width, (size_t)width * sizeof *row);
    if (count > 0) flx_rows_combine(count, width, rows, room, row);
    for (int k = 0; k < width; k++) {
        row[k] /= root;
        left[k] -= row[k] * row[k];
    }
    row[c] = root;
    left[c] = 0.0;
}

void flx_products_add(int rows, int width, const double *F, int c, int m, const double *Y,
                      double *G)
{
    FLX_ONE_THREAD cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, m, rows, 1.0, F,
                               width, Y, m, 0.0, G + c, width);
}

flx_status flx_elastic_set_products(flx_ctx *ctx, flx_arena *arena, const double *G, flx_elastic *e)
{
    int n = e->n, width = FLX_PRODUCTS(n), first_gam = 4 + 3 * n, count = 0;
    double *rows = flx_alloc(ctx, (size_t)width * (size_t)(width + 3), sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    double *whole = rows + (size_t)width * (size_t)width, *left = whole + width;
    for (int c = 0; c < width; c++) whole[c] = left[c] = G[(size_t)c * (size_t)(width + 1)];
    for (int c = 0; c >= 0 && count < width; c = choose_product(width, first_gam, left, whole)) {
        factor_out(width, c, G, count, rows, left, left + width);
        // orthogonal to the constant, but for rounding
        if (count > 0) rows[(size_t)count * (size_t)width] = 0.0;
        count++;
    }
    flx_status status = reserve(arena, count, e);
    for (int j = 0; j < count && status == FLX_OK; j++) {
        const double *from = rows + (size_t)j * (size_t)width;
        e->weights[j] = from[0];
        for (int i = 0; i < FLX_GRAIN_ROWS(n); i++) keep(e, i, j, from + 1 + 3 * i);
    }
    flx_free(rows);
    return status;
}
