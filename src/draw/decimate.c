// decimate.c - a surface with fewer points: those of one cube become one.
#include "draw/decimate.h"

#include <math.h>
#include <string.h>

#define MOST_CUBES 1000 // along the longest edge
#define HALVINGS 10

typedef struct cubes {
    float low[3];
    double edge; // 0: every point is its own
    uint64_t *keys;
    int *table, size; // an open table: place of a key + 1
    int *stands;      // (n) which kept point stands for a point; -1: none yet
} cubes;

static uint64_t key_of(const cubes *c, const float *p)
{
    uint64_t key = 0;
    for (int k = 0; k < 3; k++) {
        double cell = floor((double)(p[k] - c->low[k]) / c->edge);
        key = key * (2 * MOST_CUBES) + (uint64_t)fmin(fmax(cell, 0), 2 * MOST_CUBES - 1);
    }
    return key;
}

static double longest_edge(int n, const float *points, float low[3])
{
    double longest = 0;
    for (int k = 0; k < 3; k++) {
        float high = -HUGE_VALF;
        low[k] = HUGE_VALF;
        for (int i = 0; i < n; i++) {
            low[k] = fminf(low[k], points[3 * (size_t)i + k]);
            high = fmaxf(high, points[3 * (size_t)i + k]);
        }
        longest = fmax(longest, (double)high - (double)low[k]);
    }
    return longest;
}

// The kept point that stands for point i, a new one where its cube has none; numbers of kept points
// are handed out in the order of the triangles.
static int stand_for(cubes *c, const float *points, int i, flx_coarse *out)
{
    if (c->stands[i] >= 0) return c->stands[i];
    int *slot = NULL;
    if (c->edge > 0) {
        uint64_t key = key_of(c, points + 3 * (size_t)i);
        uint32_t mask = (uint32_t)c->size - 1;
        uint32_t at = (uint32_t)((key * 0x9E3779B97F4A7C15U) >> 32) & mask;
        while (c->table[at] && c->keys[c->table[at] - 1] != key) at = (at + 1) & mask;
        slot = c->table + at;
        if (*slot) return c->stands[i] = *slot - 1;
        c->keys[out->npoint] = key;
    }
    out->points[out->npoint] = i;
    if (slot) *slot = out->npoint + 1;
    return c->stands[i] = out->npoint++;
}

static void collect(cubes *c, int n, const float *points, int k, const int *triangles,
                    flx_coarse *out)
{
    out->npoint = out->ntriangle = 0;
    memset(c->stands, -1, (size_t)n * sizeof *c->stands);
    memset(c->table, 0, (size_t)c->size * sizeof *c->table);
    for (int i = 0; i < k; i++) {
        int *t = out->triangles + 3 * (size_t)out->ntriangle;
        for (int j = 0; j < 3; j++) t[j] = stand_for(c, points, triangles[3 * (size_t)i + j], out);
        if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) out->ntriangle++;
    }
}

// The finest cubes with which the points are not too many: by halving, in proportion.
static void search(cubes *c, double longest, int n, const float *points, int k,
                   const int *triangles, int most, flx_coarse *out)
{
    double low = 1, high = MOST_CUBES; // cubes along the longest edge
    for (int i = 0; i < HALVINGS; i++) {
        double middle = sqrt(low * high);
        c->edge = longest / middle;
        collect(c, n, points, k, triangles, out);
        *(out->npoint > most ? &high : &low) = middle;
    }
    c->edge = longest / low;
    collect(c, n, points, k, triangles, out);
}

flx_status flx_decimate(flx_ctx *ctx, int n, const float *points, int k, const int *triangles,
                        int most, flx_coarse *out)
{
    cubes c = {.size = 16};
    while (c.size < 2 * n && c.size < 1 << 29) c.size *= 2;
    *out = (flx_coarse){.points = flx_alloc(ctx, (size_t)n, sizeof *out->points),
                        .triangles = flx_alloc(ctx, 3 * (size_t)k, sizeof *out->triangles)};
    c.keys = flx_alloc(ctx, (size_t)n, sizeof *c.keys);
    c.table = flx_alloc(ctx, (size_t)c.size, sizeof *c.table);
    c.stands = flx_alloc(ctx, (size_t)n, sizeof *c.stands);
    flx_status status = FLX_ERR_MEMORY;
    if (out->points && out->triangles && c.keys && c.table && c.stands) {
        double longest = longest_edge(n, points, c.low);
        collect(&c, n, points, k, triangles, out);
        most = most > 8 ? most : 8;
        if (out->npoint > most) search(&c, longest, n, points, k, triangles, most, out);
        status = FLX_OK;
    }
    flx_free(c.keys);
    flx_free(c.table);
    flx_free(c.stands);
    if (status != FLX_OK) flx_coarse_clear(out);
    return status;
}

void flx_coarse_clear(flx_coarse *c)
{
    flx_free(c->points);
    flx_free(c->triangles);
    *c = (flx_coarse){0};
}
