// curve.c - a curve through points, and the functions of a place that vanish on it (curve.h).
#include "math/curve/curve.h"
#include "math/curve/spline.h"

#include <float.h>
#include <math.h>

#define LOOKS 8 // places of a piece that a search looks at

// ---- made ---------------------------------------------------------------------------------------

typedef struct maker {
    int n; // points, the first once more at the end of a closed curve
    bool closed;
    double *s, *k;       // of the curve
    double *y, *scratch; // n, 3 n
    double *normals;     // (n, 3)
} maker;

static v3 unit_tangent(const maker *m, int i)
{
    const bool end = i == m->n - 1;
    const int piece = end ? i - 1 : i;
    const double u = end ? m->s[i] - m->s[piece] : 0.0, *k = m->k + 36 * (size_t)piece;
    return v3_unit(
        v3_make(flx_cubic_eval(k, 1, u), flx_cubic_eval(k + 4, 1, u), flx_cubic_eval(k + 8, 1, u)));
}

// Three components, from (n, 3) at the points, into place `first` of each piece.
static void fit(const maker *m, const double *points, int first, double *pieces)
{
    for (int c = 0; c < 3; c++) {
        for (int i = 0; i < m->n; i++) m->y[i] = points[3 * (size_t)i + (size_t)c];
        if (m->closed) {
            flx_spline_periodic(m->n, m->s, m->y, pieces, m->scratch);
        } else {
            flx_spline_natural(m->n, m->s, m->y, pieces, m->scratch);
        }
        for (int i = 0; i + 1 < m->n; i++) {
            for (int j = 0; j < 4; j++)
                m->k[36 * (size_t)i + 4 * (size_t)(first + c) + (size_t)j] = pieces[4 * i + j];
        }
    }
}

// v as the shortest rotation from a to b carries it.
static v3 carry(v3 a, v3 b, v3 v)
{
    v3 w = v3_cross(a, b), wv = v3_cross(w, v);
    return v3_add(v3_add(v, wv), v3_scale(1.0 / (1.0 + v3_dot(a, b)), v3_cross(w, wv)));
}

// A normal at each point, carried along the curve; what is missing after one round of a closed curve is spread over it.
// Returns the first point where the curve turns back; -1: none.
static int find_normals(const maker *m)
{
    v3 t = unit_tangent(m, 0), up = v3_make(0, 0, 1);
    if (v3_norm(v3_cross(up, t)) < 0.5) up = v3_make(1, 0, 0);
    v3 first = v3_unit(v3_cross(up, t)), n = first;
    v3_store(m->normals, n);
    for (int i = 1; i < m->n; i++) {
        v3 next = unit_tangent(m, i);
        if (1.0 + v3_dot(t, next) < 0.1) return i;
        n = carry(t, next, n);
        v3_store(m->normals + 3 * (size_t)i, n);
        t = next;
    }
    if (!m->closed) return -1;
    double missing = atan2(v3_dot(t, v3_cross(n, first)), v3_dot(n, first));
    for (int i = 0; i < m->n; i++) {
        double a = missing * m->s[i] / m->s[m->n - 1];
        v3 at = v3_load(m->normals + 3 * (size_t)i), across = v3_cross(unit_tangent(m, i), at);
        v3_store(m->normals + 3 * (size_t)i,
                 v3_add(v3_scale(cos(a), at), v3_scale(sin(a), across)));
    }
    return -1;
}

static void second_normals(const maker *m)
{
    for (int i = 0; i < m->n; i++) {
        double *at = m->normals + 3 * (size_t)i;
        v3_store(at, v3_cross(unit_tangent(m, i), v3_load(at)));
    }
}

// The first piece in which c', N_1 and N_2 come near to a plane, or c stands still; -1: none.
static int find_flat(const flx_curve *c)
{
    for (int i = 0; i < c->n * LOOKS; i++) {
        const int piece = i / LOOKS;
        flx_curve_point p;
        flx_curve_eval(
            c, c->s[piece] + (c->s[piece + 1] - c->s[piece]) * (i % LOOKS) / (double)LOOKS, &p);
        double speed = v3_norm(p.c[1]);
        double volume = v3_dot(p.c[1], v3_cross(p.N[0][0], p.N[1][0]));
        if (!(speed > 0.05) || !(volume > 0.1 * speed)) return piece;
    }
    return -1;
}

static bool copy_points(const double *points, int n, bool closed, double *all, double *s, int *at)
{
    for (int i = 0; i < n + (closed ? 1 : 0); i++) {
        for (int k = 0; k < 3; k++) all[3 * (size_t)i + (size_t)k] = points[3 * (i % n) + k];
        if (i == 0) continue;
        double chord =
            v3_norm(v3_sub(v3_load(all + 3 * (size_t)i), v3_load(all + 3 * (size_t)i - 3)));
        *at = i % n;
        if (!(chord > 0.0)) return false;
        s[i] = s[i - 1] + chord;
    }
    return true;
}

const flx_curve *flx_curve_create(flx_ctx *ctx, flx_arena *arena, int n, const double *points,
                                  bool closed, const char **wrong, int *at)
{
    const int all = n + (closed ? 1 : 0);
    flx_curve *c = flx_arena_take(arena, 1, sizeof *c);
    double *s = flx_arena_take(arena, (size_t)all, sizeof *s);
    double *k = flx_arena_take(arena, 36 * (size_t)all, sizeof *k);
    double *scratch = flx_alloc(ctx, 14 * (size_t)all, sizeof *scratch);
    *wrong = NULL;
    *at = 0;
    if (!c || !s || !k || !scratch) {
        flx_free(scratch);
        return NULL;
    }
    double *places = scratch + 8 * (size_t)all, *pieces = scratch + 4 * (size_t)all;
    maker m = {.n = all,
               .closed = closed,
               .s = s,
               .k = k,
               .y = scratch,
               .scratch = scratch + (size_t)all,
               .normals = scratch + 11 * (size_t)all};
    if (!copy_points(points, n, closed, places, s, at)) {
        *wrong = "is where the one before it is";
    } else {
        fit(&m, places, 0, pieces);
        *c = (flx_curve){.n = all - 1, .closed = closed, .length = s[all - 1], .s = s, .k = k};
        *at = find_normals(&m);
        if (*at < 0) {
            fit(&m, m.normals, 3, pieces);
            second_normals(&m);
            fit(&m, m.normals, 6, pieces);
            *at = find_flat(c);
        }
        *at %= n;
        if (*at >= 0)
            *wrong = "is at a turn that is too sharp for a smooth curve; give more points there";
    }
    flx_free(scratch);
    return *wrong ? NULL : c;
}

// ---- places -------------------------------------------------------------------------------------

int flx_curve_piece(const flx_curve *c, double s, double *u)
{
    if (c->closed) s -= c->length * floor(s / c->length);
    if (s < 0.0 || s > c->length) {
        *u = s < 0.0 ? s : s - c->length;
        return s < 0.0 ? -1 : c->n;
    }
    int low = 0, high = c->n - 1;
    while (low < high) {
        int middle = low + (high - low + 1) / 2;
        if (s >= c->s[middle]) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *u = s - c->s[low];
    return low;
}

static v3 eval3(const double *k, int derivative, double u)
{
    return v3_make(flx_cubic_eval(k, derivative, u), flx_cubic_eval(k + 4, derivative, u),
                   flx_cubic_eval(k + 8, derivative, u));
}

// Up to a derivative: c alone where N is NULL.
static void eval_to(const flx_curve *c, double s, int most, v3 *place, v3 (*N)[4])
{
    double u, beyond = 0.0;
    int i = flx_curve_piece(c, s, &u);
    const bool outside = i < 0 || i == c->n;
    if (outside) {
        beyond = u;
        i = i < 0 ? 0 : c->n - 1;
        u = beyond < 0.0 ? 0.0 : c->s[i + 1] - c->s[i];
    }
    for (int f = 0; f < (N ? 3 : 1); f++) {
        const double *k = c->k + 36 * (size_t)i + 12 * (size_t)f;
        v3 *out = f ? N[f - 1] : place;
        for (int d = 0; d <= most; d++) {
            out[d] = outside && d > 1 ? v3_make(0, 0, 0) : eval3(k, d, u);
        }
        if (outside) out[0] = v3_add(out[0], v3_scale(beyond, eval3(k, 1, u)));
    }
}

void flx_curve_eval(const flx_curve *c, double s, flx_curve_point *out)
{
    eval_to(c, s, 3, out->c, out->N);
}

static double distance2(const flx_curve *c, v3 x, double s)
{
    v3 p[1];
    eval_to(c, s, 0, p, NULL);
    v3 d = v3_sub(x, p[0]);
    return v3_dot(d, d);
}

static double look_everywhere(const flx_curve *c, v3 x)
{
    double best = 0.0, least = HUGE_VAL;
    for (int i = 0; i <= c->n * LOOKS; i++) {
        const int piece = i / LOOKS < c->n ? i / LOOKS : c->n - 1;
        double s =
            c->s[piece] + (c->s[piece + 1] - c->s[piece]) * (i - piece * LOOKS) / (double)LOOKS;
        double d = distance2(c, x, s);
        if (d < least) least = d, best = s;
    }
    return best;
}

// Newton's iteration downhill: a step that is too long for the distance to fall is halved. Half a piece is the most where
// there are few, so that no neighbour is jumped over.
double flx_curve_nearest(const flx_curve *c, v3 x, double from)
{
    double s = isfinite(from) ? from : look_everywhere(c, x);
    const double most = c->length / (c->n < 32 ? 2 * c->n : 64);
    const double small = 8.0 * DBL_EPSILON * (c->length + fabs(s));
    double now = distance2(c, x, s);
    for (int i = 0; i < 400; i++) {
        v3 p[3];
        eval_to(c, s, 2, p, NULL);
        v3 d = v3_sub(x, p[0]);
        double square = v3_dot(p[1], p[1]), bend = square - v3_dot(d, p[2]);
        double step = v3_dot(d, p[1]) / (bend > 0.1 * square ? bend : square);
        if (fabs(step) > most) step = copysign(most, step);
        if (fabs(step) <= small) return s + step;
        double next = distance2(c, x, s + step);
        for (int halved = 0; next > now * (1.0 + 1e-14) && halved < 60; halved++) {
            step *= 0.5;
            next = distance2(c, x, s + step);
        }
        s += step;
        now = next;
    }
    return s;
}

// With d = x - c(s), p = ds/dx and D = c'.c' - d.c'':
//     p = c'/D,   D s_xx = c'' p^T + p c''^T - (3 c'.c'' - d.c''') p p^T                          (CRV-2)
//     phi_x = N + b p,  b = N'.d - N.c'
//     phi_xx = N' p^T + p N'^T + (N''.d - 2 N'.c' - N.c'') p p^T + b s_xx                         (CRV-3)
void flx_curve_function(const flx_curve *c, int which, v3 x, double from, flx_curve_jet *out)
{
    flx_curve_point at;
    double s = flx_curve_nearest(c, x, from);
    flx_curve_eval(c, s, &at);
    v3 d = v3_sub(x, at.c[0]);
    double D = v3_dot(at.c[1], at.c[1]) - v3_dot(d, at.c[2]);
    v3 p = v3_scale(1.0 / D, at.c[1]);
    m33 pp = m33_outer(p, p), cp = m33_outer(at.c[2], p);
    double third = 3.0 * v3_dot(at.c[1], at.c[2]) - v3_dot(d, at.c[3]);
    m33 S = m33_add(m33_add(cp, m33_transpose(cp)), m33_scale(-third, pp));
    S = m33_scale(1.0 / D, S);
    if (which == 2) {
        *out = (flx_curve_jet){s, p, S};
        return;
    }
    const v3 *N = at.N[which];
    double b = v3_dot(N[1], d) - v3_dot(N[0], at.c[1]);
    double w = v3_dot(N[2], d) - 2.0 * v3_dot(N[1], at.c[1]) - v3_dot(N[0], at.c[2]);
    m33 Np = m33_outer(N[1], p);
    m33 H = m33_add(m33_add(Np, m33_transpose(Np)), m33_add(m33_scale(w, pp), m33_scale(b, S)));
    *out = (flx_curve_jet){v3_dot(N[0], d), v3_add(N[0], v3_scale(b, p)), H};
}
