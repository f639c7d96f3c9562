// table.c - functions given by points: piecewise linear, the natural cubic spline, or the spline of fifth degree.
//
// Splines are those of math/curve/spline.h; continuing them linearly keeps two continuous derivatives.
#include "expr/graph.h"
#include "math/curve/polynomial.h"
#include "math/curve/profile.h"
#include "math/curve/spline.h"

#include <float.h>
#include <limits.h>

// Points that are there twice become one: a piece ends at the first value and the next begins at the
// second.
static void fill_linear(flx_table *t, const double *x, const double *y)
{
    int n = t->n, piece = 0;
    for (int i = 0; i + 1 < n; i++) {
        if (x[i + 1] == x[i]) continue;
        t->x[piece] = x[i];
        t->x[piece + 1] = x[i + 1];
        t->k[4 * piece] = y[i];
        t->k[4 * piece + 1] = (y[i + 1] - y[i]) / (x[i + 1] - x[i]);
        piece++;
    }
    t->n = piece + 1;
    t->jumps = t->n < n;
}

static void fill_buckets(flx_table *t)
{
    int pieces = t->n - 1, i = 0;
    double width = (t->x[pieces] - t->x[0]) / pieces;
    t->scale = 1.0 / width;
    for (int j = 0; j <= pieces; j++) {
        while (i + 1 < pieces && t->x[i + 1] <= t->x[0] + j * width) i++;
        t->start[j] = i;
    }
}

// A table with room, and no pieces yet. NULL: no memory.
static flx_table *make(flx_ctx *ctx, int n, int terms, const double *x, flx_outside outside)
{
    flx_table *t = flx_alloc(ctx, 1, sizeof *t);
    if (!t) return NULL;
    atomic_init(&t->users, 1);
    t->n = n;
    t->terms = terms;
    t->outside = outside;
    t->x = flx_alloc(ctx, (size_t)n, sizeof(double));
    t->k = flx_alloc(ctx, (size_t)terms * (size_t)n, sizeof(double));
    t->start = flx_alloc(ctx, (size_t)n, sizeof(int));
    t->cuts = flx_alloc(ctx, (size_t)n, sizeof(int));
    t->least = HUGE_VAL;
    if (!t->x || !t->k || !t->start || !t->cuts) {
        flx_table_release(t);
        return NULL;
    }
    memcpy(t->x, x, (size_t)n * sizeof(double));
    return t;
}

flx_table *flx_table_create_pieces(flx_ctx *ctx, int n, const double *x, int terms, const double *k,
                                   int continuous, flx_outside outside)
{
    bool good = n >= 2 && n < INT_MAX / FLX_DERIVATIVES && terms >= 1 && terms <= FLX_DERIVATIVES;
    for (int i = 1; good && i < n; i++) good = x[i] > x[i - 1];
    if (!good) {
        FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                 "polynomials need two places or more, ascending, and 1 to %d coefficients",
                 FLX_DERIVATIVES);
        return NULL;
    }
    flx_table *t = make(ctx, n, terms < 4 ? 4 : terms, x, outside);
    if (!t) return NULL;
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < terms; j++) t->k[t->terms * i + j] = k[terms * i + j];
    }
    t->smooth = terms > 2 ? terms - 1 : 1;
    t->given = true;
    t->continuous = continuous;
    fill_buckets(t);
    t->least = 0.0;
    for (int i = 0; i < n; i++) t->cuts[t->ncut++] = i;
    return t;
}

flx_table *flx_table_create(flx_ctx *ctx, int n, const double *x, const double *y,
                            flx_interpolation interpolation, flx_outside outside)
{
    bool ascending = n >= 2 && n < INT_MAX / 4;
    for (int i = 1; ascending && i < n; i++) {
        bool jump = interpolation == FLX_INTERPOLATE_LINEAR && x[i] == x[i - 1] && i > 1 &&
                    i + 1 < n && x[i - 1] > x[i - 2];
        ascending = jump || x[i] > x[i - 1];
    }
    if (!ascending) {
        FLX_FAIL(ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                 "a table needs two points or more, with x ascending");
        return NULL;
    }
    const bool quintic = interpolation == FLX_INTERPOLATE_QUINTIC;
    flx_table *t = make(ctx, n, quintic ? 6 : 4, x, outside);
    if (!t) return NULL;
    t->smooth = quintic ? 5 : interpolation == FLX_INTERPOLATE_CUBIC ? 3 : 1;
    double *scratch = flx_alloc(ctx, 2 * (size_t)n, sizeof(double));
    if (!scratch) {
        flx_table_release(t);
        return NULL;
    }
    if (interpolation == FLX_INTERPOLATE_CUBIC) {
        flx_spline_natural(n, x, y, t->k, scratch);
    } else if (quintic) {
        if (flx_spline_through(ctx, 5, FLX_SPLINE_SMOOTH, n, x, y, t->k) != FLX_OK) {
            flx_free(scratch);
            flx_table_release(t);
            return NULL;
        }
    } else {
        fill_linear(t, x, y);
    }
    fill_buckets(t);
    flx_table_cut(t, DBL_MAX);
    flx_free(scratch);
    return t;
}

void flx_table_release(flx_table *t)
{
    if (!t || atomic_fetch_sub(&t->users, 1) > 1) return;
    flx_free(t->x);
    flx_free(t->k);
    flx_free(t->start);
    flx_free(t->cuts);
    flx_free(t->tree);
    flx_free(t);
}

// The piece that holds x, which lies between the ends. The bucket narrows it down; rounding may put
// x into a neighbouring bucket, so its bounds are moved until they hold.
static int find_piece(const flx_table *t, double x)
{
    int last = t->n - 2;
    double bucket = (x - t->x[0]) * t->scale;
    int j = bucket < last ? (int)bucket : last;
    int low = t->start[j], high = t->start[j + 1];
    while (low > 0 && x < t->x[low]) low--;
    while (high < last && x >= t->x[high + 1]) high++;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (x >= t->x[middle]) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

int flx_table_piece(const flx_table *t, double x)
{
    if (!(x > t->x[0])) return 0;
    return x < t->x[t->n - 1] ? find_piece(t, x) : t->n - 2;
}

static double eval_at(const flx_table *t, int piece, int derivative, double u)
{
    const double *k = t->k + (size_t)t->terms * (size_t)piece;
    return t->terms == 4 ? flx_cubic_eval(k, derivative, u)
                         : flx_polynomial_eval(t->terms, k, derivative, u);
}

static double eval_outside(const flx_table *t, int derivative, double x, bool before)
{
    if (t->outside == FLX_OUTSIDE_ERROR) return (double)NAN;
    int piece = before ? 0 : t->n - 2;
    double end = before ? t->x[0] : t->x[t->n - 1];
    double value = eval_at(t, piece, 0, end - t->x[piece]);
    if (t->outside == FLX_OUTSIDE_HOLD) return derivative == 0 ? value : 0.0;
    double slope = eval_at(t, piece, 1, end - t->x[piece]);
    return derivative == 0 ? value + slope * (x - end) : derivative == 1 ? slope : 0.0;
}

double flx_table_eval(const flx_table *t, int derivative, double x)
{
    if (isnan(x)) return x;
    if (x < t->x[0] || x > t->x[t->n - 1]) return eval_outside(t, derivative, x, x < t->x[0]);
    int i = find_piece(t, x);
    return eval_at(t, i, derivative, x - t->x[i]);
}

// How far the corner at point i is off a smooth curve through it and its neighbours: a quarter of what it
// is off the straight line between them.
static double height(const flx_table *t, int i)
{
    double h0 = t->x[i] - t->x[i - 1], h1 = t->x[i + 1] - t->x[i];
    double corner = 0.25 * fabs(t->k[4 * i + 1] - t->k[4 * (i - 1) + 1]) * h0 * h1 / (h0 + h1);
    if (!t->jumps) return corner;
    return fmax(corner, fabs(t->k[4 * i] - flx_cubic_eval(t->k + 4 * (i - 1), 0, h0)));
}

void flx_table_cut(flx_table *t, double tolerance)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (t->given || !(tolerance < t->least)) return;
    t->least = tolerance;
    for (int i = 0; i < t->n - 1; i++) {
        low = fmin(low, t->k[4 * i]);
        high = fmax(high, t->k[4 * i]);
    }
    t->ncut = 0;
    for (int i = 0; i < t->n; i++) {
        bool end = i == 0 || i == t->n - 1;
        if (end || height(t, i) > tolerance * (high - low)) t->cuts[t->ncut++] = i;
    }
}

// The last cut that is not above x, which lies between the ends.
static int find_cut(const flx_table *t, double x)
{
    int low = 0, high = t->ncut - 2;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (x >= t->x[t->cuts[middle]]) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

double flx_table_eval_piece(const flx_table *t, int derivative, double x, bool ends, int piece)
{
    int last = ends ? 0 : t->ncut - 2;
    if (isnan(x)) return x;
    if (piece < 0 || piece > last) return eval_outside(t, derivative, x, piece < 0);
    int from = ends ? 0 : t->cuts[piece], to = ends ? t->n - 1 : t->cuts[piece + 1];
    piece = x <= t->x[from] || to == from + 1 ? from : x >= t->x[to] ? to - 1 : find_piece(t, x);
    return eval_at(t, piece, derivative, x - t->x[piece]);
}

int flx_cut_piece(const flx_graph *g, int cut, double x)
{
    const flx_table *t = g->tables[cut / 2];
    bool ends = cut % 2;
    if (x < t->x[0]) return -1;
    if (x >= t->x[t->n - 1]) return ends ? 1 : t->ncut - 1;
    return ends ? 0 : find_cut(t, x);
}

void flx_cut_bounds(const flx_graph *g, int cut, int piece, double *from, double *to)
{
    const flx_table *t = g->tables[cut / 2];
    bool ends = cut % 2;
    int last = t->n - 1, end = ends ? 1 : t->ncut - 1;
    *from = piece < 0 ? -HUGE_VAL : piece >= end ? t->x[last] : t->x[ends ? 0 : t->cuts[piece]];
    *to = piece < 0 ? t->x[0] : piece >= end ? HUGE_VAL : t->x[ends ? last : t->cuts[piece + 1]];
}
