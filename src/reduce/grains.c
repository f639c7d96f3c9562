// grains.c - an elastic body as few grains. Its kinetic energy is made of integrals of products of
// functions over the mass: the constant 1, and the components of X, Phi_k, Gam_kl. With psi_j orthonormal
// over the mass and f_j = int f psi_j,
//
//     int f g = sum_j f_j g_j + int (f - f_j psi_j)(g - g_j psi_j)                               (FLX-7)
// so that the coefficients of psi_j are those of a particle, a grain, and a function that is described to
// the root of the rounding has integrals to the rounding. The first grain is the constant's, the centre
// of mass; the others do not know the translation of the frame. Where particles are many, their products are
// enough: the coefficients are the rows of a factor of Cholesky's.
#include "reduce/elastic.h"

#include <cblas.h>
#include <float.h>
#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
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
    int width = FLX_GRAIN(e->n), most = count < width ? count : width;
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
        size = (size_t)n * (size_t)width;
        e->ngrain = n;
        e->grains = flx_arena_take(arena, size, sizeof *e->grains);
        status = e->grains ? FLX_OK : FLX_ERR_MEMORY;
        if (e->grains) memcpy(e->grains, grains, size * sizeof *grains);
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
static int choose_product(int width, int first_gam, const double *G, const double *whole)
{
    int best = -1;
    double most = 1.0;
    for (int c = 0; c < width; c++) {
        double may = c < first_gam ? LEFT_OF_SHAPES : LEFT_OF_FIELD;
        double left = G[c * width + c] / (may * may * whole[c]); // NaN: the function is zero
        if (!(left > most)) continue;
        most = left;
        best = c;
    }
    return best;
}

// The grain of function c out of the products.
static void factor_out(int width, int c, double *G, double *grain)
{
    double root = sqrt(G[c * width + c]);
    for (int k = 0; k < width; k++) grain[k] = G[c * width + k] / root;
    for (int i = 0; i < width; i++) {
        for (int k = 0; k < width; k++) G[i * width + k] -= grain[i] * grain[k];
    }
    G[c * width + c] = 0.0;
}

// As the body keeps it: gam_kl and gam_lk.
static void spread_grain(int n, const double *from, double *to)
{
    const double *gam = from + 4 + 3 * n;
    memcpy(to, from, (size_t)(4 + 3 * n) * sizeof *to);
    to += 4 + 3 * n;
    for (int k = 0; k < n; k++) {
        for (int l = k; l < n; l++, gam += 3) {
            memcpy(to + 3 * (k * n + l), gam, 3 * sizeof *to);
            memcpy(to + 3 * (l * n + k), gam, 3 * sizeof *to);
        }
    }
}

void flx_products_add(int rows, int width, const double *F, int c, int m, const double *Y,
                      double *G)
{
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, width, m, rows, 1.0, F, width, Y, m, 0.0,
                G + c, width);
}

flx_status flx_elastic_set_products(flx_ctx *ctx, flx_arena *arena, double *G, flx_elastic *e)
{
    int n = e->n, width = FLX_PRODUCTS(n), first_gam = 4 + 3 * n, count = 0;
    double *rows = flx_alloc(ctx, (size_t)width * (size_t)(width + 1), sizeof *rows);
    if (!rows) return FLX_ERR_MEMORY;
    double *whole = rows + (size_t)width * (size_t)width;
    for (int c = 0; c < width; c++) whole[c] = G[c * width + c];
    for (int c = 0; c >= 0 && count < width; c = choose_product(width, first_gam, G, whole)) {
        double *row = rows + (size_t)count * (size_t)width;
        factor_out(width, c, G, row);
        if (count > 0) row[0] = 0.0; // orthogonal to the constant, but for rounding
        count++;
    }
    e->ngrain = count;
    e->grains = flx_arena_take(arena, (size_t)count * (size_t)FLX_GRAIN(n), sizeof *e->grains);
    for (int i = 0; i < count && e->grains; i++) {
        spread_grain(n, rows + (size_t)i * (size_t)width,
                     e->grains + (size_t)i * (size_t)FLX_GRAIN(n));
    }
    flx_free(rows);
    return e->grains ? FLX_OK : FLX_ERR_MEMORY;
}
