// sample_points.c - see sample_points.h. Direction numbers: S. Joe, F. Y. Kuo, SIAM J. Sci. Comput. 30 (2008) 2635-2654.
#include "math/sample/sample_points.h"

#include <math.h>

#define PI 3.14159265358979323846

enum { BITS = 32, DEGREE = 8 };

uint64_t flx_sample_hash(uint64_t a, uint64_t b)
{
    uint64_t z = a * UINT64_C(0x9e3779b97f4a7c15) + b + UINT64_C(0x632be59bd9b4e019);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double to_unit(uint64_t z)
{
    return ((double)(z >> 11) + 0.5) * 0x1p-53;
}

// ---- Sobol --------------------------------------------------------------------------------------

// A primitive polynomial, of degree s with inner coefficients a, and the first s odd numbers.
typedef struct direction {
    unsigned s, a, m[DEGREE];
} direction;
static const direction directions[FLX_SAMPLE_SOBOL_MOST - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
};

static void find_directions(int column, uint32_t v[BITS])
{
    if (column == 0) {
        for (int i = 0; i < BITS; i++) v[i] = UINT32_C(1) << (BITS - 1 - i);
        return;
    }
    const direction *d = &directions[column - 1];
    int s = (int)d->s;
    for (int i = 0; i < BITS; i++) {
        if (i < s) {
            v[i] = d->m[i] << (BITS - 1 - i);
            continue;
        }
        v[i] = v[i - s] ^ (v[i - s] >> s);
        for (int k = 1; k < s; k++) {
            if ((d->a >> (s - 1 - k)) & 1U) v[i] ^= v[i - k];
        }
    }
}

// (SMP-1) every digit is turned round or not, as the digits before it say: rows stay one to a stratum.
static uint32_t scramble(uint32_t x, uint64_t key)
{
    uint32_t out = 0;
    for (int i = 0; i < BITS; i++) {
        uint32_t before = i > 0 ? x >> (BITS - i) : 0;
        uint32_t digit = (x >> (BITS - 1 - i)) & 1U;
        uint64_t turn = flx_sample_hash(key + (uint64_t)i, before) >> 63;
        out |= (digit ^ (uint32_t)turn) << (BITS - 1 - i);
    }
    return out;
}

static void fill_sobol(uint64_t key, int column, int rows, double *out)
{
    uint32_t v[BITS], x = 0;
    find_directions(column, v);
    for (int i = 0; i < rows; i++) {
        out[i] =
            ((double)scramble(x, key) + to_unit(flx_sample_hash(key, (uint64_t)i + 77))) * 0x1p-32;
        int k = 0;
        while (((unsigned)i >> k) & 1U) k++; // of the row's Gray code
        x ^= v[k];
    }
}

// ---- all of them --------------------------------------------------------------------------------

static void fill_latin(uint64_t key, int rows, double *out)
{
    for (int i = 0; i < rows; i++) out[i] = i;
    for (int i = rows - 1; i > 0; i--) {
        int k = (int)(flx_sample_hash(key, (uint64_t)i) % (uint64_t)(i + 1));
        double swapped = out[i];
        out[i] = out[k];
        out[k] = swapped;
    }
    for (int i = 0; i < rows; i++)
        out[i] = (out[i] + to_unit(flx_sample_hash(key + 1, (uint64_t)i))) / rows;
}

flx_status flx_sample_column(flx_ctx *ctx, flx_sample_method method, uint64_t seed, int column,
                             int rows, double *out)
{
    uint64_t key = flx_sample_hash(seed, (uint64_t)column) << 6;
    if (method == FLX_SAMPLE_SOBOL && column >= FLX_SAMPLE_SOBOL_MOST) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "a sequence of Sobol has %d columns here, and %d are asked for: take "
                        "'method: latin' or 'random'",
                        FLX_SAMPLE_SOBOL_MOST, column + 1);
    }
    if (method == FLX_SAMPLE_SOBOL) fill_sobol(key, column, rows, out);
    if (method == FLX_SAMPLE_LATIN) fill_latin(key, rows, out);
    for (int i = 0; i < rows && method == FLX_SAMPLE_RANDOM; i++)
        out[i] = to_unit(flx_sample_hash(key, (uint64_t)i));
    return FLX_OK;
}

// Halley's iteration on erfc from a rational guess.
double flx_sample_normal(double p)
{
    double q = p < 0.5 ? p : 1.0 - p, t = sqrt(-2.0 * log(q));
    double x = t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                       (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    for (int k = 0; k < 3; k++) { // upper tail
        double e = (0.5 * erfc(x / sqrt(2.0)) - q) * sqrt(2.0 * PI) * exp(0.5 * x * x);
        x += e / (1.0 - 0.5 * e * x);
    }
    return p < 0.5 ? -x : x;
}
