// grains.c - an elastic body as few grains. Its kinetic energy is made of integrals of products of
// functions over the mass: the constant 1, and the components of X, Phi_k, Gam_kl. With psi_j orthonormal
// over the mass and f_j = int f psi_j,
//
//     int f g = sum_j f_j g_j + int (f - f_j psi_j)(g - g_j psi_j)                               (FLX-7)
// so that the coefficients of psi_j are those of a particle, a grain, and a function that is described to
// the root of the rounding has integrals to the rounding. The first grain is the constant's, the centre
// of mass; the others do not know the translation of the frame.
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
