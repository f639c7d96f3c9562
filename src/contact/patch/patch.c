// patch.c - functions of patches, and the least distance of two of them.
//
// The squared distance has one minimum as a rule: what begins at the best of some places, and follows Newton's method within
// the borders, gets there. Where the Hessian is not positive definite that of Gauss and Newton is, once it is damped.
#include "contact/patch/patch.h"

#include <math.h>
#include <string.h>

#define MOST 60     // iterations
#define SMALL 1e-15 // change of the parameters at the end
#define SCAN 5      // places along each parameter of a cubic
#define UNKNOWN 4   // parameters of two patches

int flx_patch_vectors(flx_patch_kind kind)
{
    static const int n[] = {1, 2, 4, 4};
    return n[kind];
}

int flx_patch_parameters(flx_patch_kind kind)
{
    static const int n[] = {0, 1, 1, 2};
    return n[kind];
}

void flx_patch_shape_at(flx_patch_kind kind, const double s[2], flx_patch_shape *out)
{
    double x = s[0], y = s[1];
    memset(out, 0, sizeof *out);
    switch (kind) {
    case FLX_PATCH_POINT:
        out->N[0] = 1.0;
        return;
    case FLX_PATCH_SEGMENT:
        out->N[0] = 1.0 - x, out->N[1] = x;
        out->first[0][0] = -1.0, out->first[0][1] = 1.0;
        return;
    case FLX_PATCH_CUBIC: {
        const double N[] = {1.0 + x * x * (2.0 * x - 3.0), x * (1.0 + x * (x - 2.0)),
                            x * x * (3.0 - 2.0 * x), x * x * (x - 1.0)};
        const double d[] = {6.0 * x * (x - 1.0), 1.0 + x * (3.0 * x - 4.0), 6.0 * x * (1.0 - x),
                            x * (3.0 * x - 2.0)};
        const double dd[] = {12.0 * x - 6.0, 6.0 * x - 4.0, 6.0 - 12.0 * x, 6.0 * x - 2.0};
        memcpy(out->N, N, sizeof N);
        memcpy(out->first[0], d, sizeof d);
        memcpy(out->second[0], dd, sizeof dd);
        return;
    }
    case FLX_PATCH_FACE: {
        const double N[] = {(1.0 - x) * (1.0 - y), x * (1.0 - y), x * y, (1.0 - x) * y};
        const double dx[] = {y - 1.0, 1.0 - y, y, -y}, dy[] = {x - 1.0, -x, x, 1.0 - x};
        const double dxy[] = {1.0, -1.0, 1.0, -1.0};
        memcpy(out->N, N, sizeof N);
        memcpy(out->first[0], dx, sizeof dx);
        memcpy(out->first[1], dy, sizeof dy);
        memcpy(out->second[1], dxy, sizeof dxy);
        return;
    }
    }
}

static v3 sum_of(int n, const double *N, const v3 *z)
{
    v3 sum = {0};
    for (int i = 0; i < n; i++) sum = v3_axpy(N[i], z[i], sum);
    return sum;
}

// ---- half the squared distance ------------------------------------------------------------------

typedef struct squared {
    int n; // parameters of both
    v3 c[2], delta;
    double value, gradient[UNKNOWN], hessian[UNKNOWN][UNKNOWN], gauss[UNKNOWN][UNKNOWN];
} squared;

static void evaluate(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS],
                     const double s[UNKNOWN], squared *o)
{
    v3 first[UNKNOWN];
    double bend[UNKNOWN][UNKNOWN] = {{0}};
    flx_patch_shape shape[2];
    int at[2] = {0, flx_patch_parameters(kind[0])};
    o->n = at[1] + flx_patch_parameters(kind[1]);
    for (int side = 0; side < 2; side++) {
        double own[2] = {0};
        int m = flx_patch_parameters(kind[side]);
        for (int k = 0; k < m; k++) own[k] = s[at[side] + k];
        flx_patch_shape_at(kind[side], own, &shape[side]);
        o->c[side] = sum_of(flx_patch_vectors(kind[side]), shape[side].N, z[side]);
    }
    o->delta = v3_sub(o->c[1], o->c[0]);
    o->value = 0.5 * v3_dot(o->delta, o->delta);
    for (int side = 0; side < 2; side++) {
        int m = flx_patch_parameters(kind[side]), n = flx_patch_vectors(kind[side]);
        double sign = side ? 1.0 : -1.0;
        for (int k = 0; k < m; k++) {
            first[at[side] + k] = v3_scale(sign, sum_of(n, shape[side].first[k], z[side]));
            for (int l = 0; l < m; l++) {
                v3 second = sum_of(n, shape[side].second[k + l], z[side]);
                bend[at[side] + k][at[side] + l] = sign * v3_dot(o->delta, second);
            }
        }
    }
    for (int i = 0; i < o->n; i++) {
        o->gradient[i] = v3_dot(o->delta, first[i]);
        for (int j = 0; j < o->n; j++) {
            o->gauss[i][j] = v3_dot(first[i], first[j]);
            o->hessian[i][j] = o->gauss[i][j] + bend[i][j];
        }
    }
}

// x of A x = b over the free parameters by Cholesky's method; false: A is not positive definite.
static bool solve(int n, double A[UNKNOWN][UNKNOWN], const bool *held, const double *b, double *x)
{
    double L[UNKNOWN][UNKNOWN] = {{0}};
    for (int i = 0; i < n; i++) {
        x[i] = held[i] ? 0.0 : b[i];
        for (int j = 0; j <= i && !held[i]; j++) {
            double sum = held[j] ? 0.0 : A[i][j];
            for (int k = 0; k < j; k++) sum -= L[i][k] * L[j][k];
            if (held[j]) continue;
            if (i != j) {
                L[i][j] = sum / L[j][j];
            } else {
                if (!(sum > 1e-10 * A[i][i])) return false;
                L[i][i] = sqrt(sum);
            }
        }
    }
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i && !held[i]; k++) x[i] -= L[i][k] * x[k];
        if (!held[i]) x[i] /= L[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n && !held[i]; k++) x[i] -= L[k][i] * x[k];
        if (!held[i]) x[i] /= L[i][i];
    }
    return true;
}

static void find_direction(const squared *o, const bool *held, double *x)
{
    double A[UNKNOWN][UNKNOWN], b[UNKNOWN], most = 0.0;
    memcpy(A, o->hessian, sizeof A);
    for (int i = 0; i < o->n; i++) {
        b[i] = -o->gradient[i];
        most = fmax(most, o->gauss[i][i]);
    }
    if (solve(o->n, A, held, b, x)) return;
    memcpy(A, o->gauss, sizeof A);
    for (int i = 0; i < o->n; i++) A[i][i] += 1e-6 * most;
    if (solve(o->n, A, held, b, x)) return;
    memset(x, 0, UNKNOWN * sizeof *x);
}

// ---- the least --------------------------------------------------------------------------------------

static int places_along(flx_patch_kind kind, int k)
{
    if (k >= flx_patch_parameters(kind)) return 1;
    return kind == FLX_PATCH_CUBIC ? SCAN : 2;
}

static void scan(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS], double best[UNKNOWN])
{
    int n[2][2], first = flx_patch_parameters(kind[0]);
    double least = HUGE_VAL;
    for (int k = 0; k < 4; k++) n[k / 2][k % 2] = places_along(kind[k / 2], k % 2);
    int many[2] = {n[0][0] * n[0][1], n[1][0] * n[1][1]};
    for (int t = 0; t < many[0] * many[1]; t++) {
        const int which[2] = {t % many[0], t / many[0]};
        double s[UNKNOWN] = {0};
        v3 c[2];
        for (int side = 0; side < 2; side++) {
            const int at[2] = {which[side] % n[side][0], which[side] / n[side][0]};
            double own[2] = {0};
            flx_patch_shape shape;
            for (int k = 0; k < flx_patch_parameters(kind[side]); k++) {
                own[k] = (at[k] + 0.5) / n[side][k];
                s[(side ? first : 0) + k] = own[k];
            }
            flx_patch_shape_at(kind[side], own, &shape);
            c[side] = sum_of(flx_patch_vectors(kind[side]), shape.N, z[side]);
        }
        v3 delta = v3_sub(c[1], c[0]);
        double square = v3_dot(delta, delta);
        if (!(square < least)) continue;
        least = square;
        memcpy(best, s, UNKNOWN * sizeof *best);
    }
}

static bool is_held(const squared *o, const double *s, int i)
{
    return (s[i] <= 0.0 && o->gradient[i] >= 0.0) || (s[i] >= 1.0 && o->gradient[i] <= 0.0);
}

// A step along x within the borders, halved until the distance becomes less; how far it went.
static double follow(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS], const double *x,
                     double *s, squared *o)
{
    for (double part = 1.0; part > 1e-10; part *= 0.5) {
        double trial[UNKNOWN] = {0}, moved = 0.0, promised = 0.0;
        squared at;
        for (int i = 0; i < o->n; i++) {
            trial[i] = fmin(fmax(s[i] + part * x[i], 0.0), 1.0);
            moved = fmax(moved, fabs(trial[i] - s[i]));
            promised += o->gradient[i] * (trial[i] - s[i]);
        }
        evaluate(kind, z, trial, &at);
        bool rounding = moved < 1e-9; // the value says nothing any more
        if (!rounding && !(at.value <= o->value + 1e-4 * promised)) continue;
        memcpy(s, trial, UNKNOWN * sizeof *s);
        *o = at;
        return moved;
    }
    return 0.0;
}

// Newton's step; where the borders turn it so that nothing becomes less, one along each parameter alone.
static double improve(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS], double *s,
                      squared *o)
{
    bool held[UNKNOWN] = {false};
    double x[UNKNOWN] = {0};
    for (int i = 0; i < o->n; i++) held[i] = is_held(o, s, i);
    find_direction(o, held, x);
    double moved = follow(kind, z, x, s, o);
    if (moved > 0.0) return moved;
    for (int i = 0; i < o->n; i++) {
        bool fixed = held[i] || !(o->gauss[i][i] > 0.0);
        x[i] = fixed ? 0.0 : -o->gradient[i] / o->gauss[i][i] / o->n;
    }
    return follow(kind, z, x, s, o);
}

void flx_patch_nearest(const flx_patch_kind kind[2], v3 z[2][FLX_PATCH_VECTORS],
                       flx_patch_place *out)
{
    double s[UNKNOWN] = {0};
    squared o;
    scan(kind, z, s);
    evaluate(kind, z, s, &o);
    for (int i = 0; i < MOST && o.n > 0; i++) {
        if (improve(kind, z, s, &o) <= SMALL) break;
    }
    memset(out, 0, sizeof *out);
    out->distance = sqrt(2.0 * o.value);
    if (out->distance > 0.0) v3_store(out->normal, v3_scale(1.0 / out->distance, o.delta));
    for (int side = 0, i = 0; side < 2; side++) {
        v3_store(out->c[side], o.c[side]);
        for (int k = 0; k < flx_patch_parameters(kind[side]); k++, i++) {
            out->s[side][k] = s[i];
            if (is_held(&o, s, i)) out->border[side][k] = s[i] <= 0.0 ? -1 : 1;
        }
    }
}

void flx_patch_bounds(flx_patch_kind kind, const v3 z[FLX_PATCH_VECTORS], double low[3],
                      double high[3])
{
    v3 corners[FLX_PATCH_VECTORS];
    int n = flx_patch_vectors(kind);
    memcpy(corners, z, (size_t)n * sizeof *z);
    if (kind == FLX_PATCH_CUBIC) { // those of Bezier
        corners[1] = v3_axpy(1.0 / 3, z[1], z[0]);
        corners[2] = v3_axpy(-1.0 / 3, z[3], z[2]);
        corners[3] = z[2];
    }
    for (int k = 0; k < 3; k++) low[k] = HUGE_VAL, high[k] = -HUGE_VAL;
    for (int i = 0; i < n; i++) {
        double x[3];
        v3_store(x, corners[i]);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(low[k], x[k]);
            high[k] = fmax(high[k], x[k]);
        }
    }
}
