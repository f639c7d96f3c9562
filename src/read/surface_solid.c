// surface_solid.c - integrals over the solid that triangles bound, by tetrahedra from its middle.
//
//     V = sum d / 6,   S = sum d (a + b + c) / 24,
//     C = int x x^T = sum d (a a^T + b b^T + c c^T + (a + b + c)(a + b + c)^T) / 120,   d = a . (b x c)
// The inertia is (tr C) I - C, about the centre.
#include "read/surface_solid.h"
#include "math/small.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- whether it is closed ------------------------------------------------------------------------------

typedef struct corner {
    const float *x;
    int number;
} corner;

static int compare_places(const void *a, const void *b)
{
    const float *x = ((const corner *)a)->x, *y = ((const corner *)b)->x;
    for (int k = 0; k < 3; k++) {
        if (x[k] != y[k]) return x[k] < y[k] ? -1 : 1;
    }
    return 0;
}

// An edge as often as a triangle runs along it, less as often as one runs back.
typedef struct edge {
    int low, high, sense;
} edge;

static int compare_edges(const void *a, const void *b)
{
    const edge *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return (x->high > y->high) - (x->high < y->high);
}

// Files may say a point again for every triangle: points in one place are one.
static flx_status join_points(flx_ctx *ctx, const flx_scene_surface *s, int *joined)
{
    corner *all = flx_alloc(ctx, (size_t)s->npoint, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < s->npoint; i++) all[i] = (corner){s->points + 3 * (size_t)i, i};
    qsort(all, (size_t)s->npoint, sizeof *all, compare_places);
    for (int i = 0, first = 0; i < s->npoint; i++) {
        if (compare_places(all + first, all + i) != 0) first = i;
        joined[all[i].number] = all[first].number;
    }
    flx_free(all);
    return FLX_OK;
}

static int count_open(edge *edges, int n)
{
    int open = 0;
    qsort(edges, (size_t)n, sizeof *edges, compare_edges);
    for (int i = 0, j; i < n; i = j) {
        int sum = 0;
        for (j = i; j < n && compare_edges(edges + i, edges + j) == 0; j++) sum += edges[j].sense;
        open += abs(sum);
    }
    return open;
}

static flx_status find_open(flx_ctx *ctx, const flx_scene_surface *s, int *nopen)
{
    size_t most = (size_t)(s->npoint > 0 ? s->npoint : 1), n = 0;
    int *joined = flx_alloc(ctx, most, sizeof *joined);
    edge *edges = flx_alloc(ctx, 3 * (size_t)s->ntriangle + 1, sizeof *edges);
    flx_status status = joined && edges ? join_points(ctx, s, joined) : FLX_ERR_MEMORY;
    for (int i = 0; status == FLX_OK && i < 3 * s->ntriangle; i++) {
        int a = joined[s->triangles[i]], b = joined[s->triangles[i % 3 == 2 ? i - 2 : i + 1]];
        if (a != b) edges[n++] = a < b ? (edge){a, b, 1} : (edge){b, a, -1};
    }
    if (status == FLX_OK) *nopen = count_open(edges, (int)n);
    flx_free(joined);
    flx_free(edges);
    return status;
}

// ---- integrals -----------------------------------------------------------------------------------------

static v3 middle_of(const flx_scene_surface *s)
{
    double middle[3];
    for (int k = 0; k < 3; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (int i = 0; i < s->npoint; i++) {
            low = fmin(low, (double)s->points[3 * (size_t)i + k]);
            high = fmax(high, (double)s->points[3 * (size_t)i + k]);
        }
        middle[k] = 0.5 * (low + high);
    }
    return v3_load(middle);
}

static v3 corner_of(const flx_scene_surface *s, int i, v3 middle)
{
    const float *x = s->points + 3 * (size_t)s->triangles[i];
    return v3_sub(v3_make((double)x[0], (double)x[1], (double)x[2]), middle);
}

flx_status flx_surface_solid_find(flx_ctx *ctx, const flx_scene_surface *s, flx_surface_solid *out)
{
    *out = (flx_surface_solid){0};
    if (s->npoint <= 0) return FLX_OK;
    FLX_TRY(find_open(ctx, s, &out->nopen));
    v3 middle = middle_of(s), first = {0};
    double volume = 0.0, size = 0.0;
    m33 C = m33_zero();
    for (int i = 0; i < s->ntriangle; i++) {
        v3 a = corner_of(s, 3 * i, middle), b = corner_of(s, 3 * i + 1, middle),
           c = corner_of(s, 3 * i + 2, middle), sum = v3_add(a, v3_add(b, c));
        double d = v3_dot(a, v3_cross(b, c));
        m33 squares = m33_add(m33_add(m33_outer(a, a), m33_outer(b, b)),
                              m33_add(m33_outer(c, c), m33_outer(sum, sum)));
        volume += d / 6.0;
        size += fabs(d) / 6.0;
        first = v3_add(first, v3_scale(d / 24.0, sum));
        C = m33_add(C, m33_scale(d / 120.0, squares));
    }
    // a sheet and its back enclose nothing but the rounding of floats
    if (out->nopen > 0 || !(fabs(volume) > 16.0 * (double)FLT_EPSILON * size)) return FLX_OK;
    v3 centre = v3_scale(1.0 / volume, first);
    C = m33_sub(m33_scale(1.0 / volume, C), m33_outer(centre, centre));
    double trace = C.m[0] + C.m[4] + C.m[8];
    for (int i = 0; i < 9; i++) out->inertia[i] = (i % 4 == 0 ? trace : 0.0) - C.m[i];
    v3_store(out->centre, v3_add(middle, centre));
    out->volume = fabs(volume);
    return FLX_OK;
}
