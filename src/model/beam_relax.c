// beam_relax.c - how a beam in absolute nodal coordinates hangs that is longer than the distance of its ends: the
// line between two places whose energy of bending and weight is least, its ends free to turn.
//
// Angles a_k of the tangent at the ends and in the middle of n elements are the unknowns; Simpson's rule makes the
// line of them. The elements of a cable take their stretch at the same points: theirs is that of the tensions T_k.
//
//     r = sum_k w_k (cos a_k, sin a_k),   energy = sum EI (a_k+1 - a_k)^2/(2 s_k) - sum m_k g.(cos a_k, sin a_k),
//     r(end) = chord                                                                              (ANC-15)
// with w_k the weights times 1 + T_k/EA by the last solution, s_k the distances and m_k the mass that hangs on the
// tangent k times w_k. Newton's method on the energy with multipliers of the chord, from a catenary, or where
// bending rules from an arc of a circle.
#include "model/beam_relax.h"

#include <math.h>
#include <string.h>

// How often tensions are put in: strains are small.
#define STRETCHES 3
// Weight against bending, m g L^3/EI, above which the line hangs rather than bends.
#define HANGS 20.0
#define ROUNDS 60
#define HALVINGS 12

typedef struct line {
    int n;                              // angles: twice the elements, and one
    double *a, *w, *s;                  // w: as they are stretched
    double *beyond;                     // mass that hangs on the tangent
    double *rest;                       // w without stretch
    double *diag, *off, *x, *y, *z, *r; // of Newton's equations
    double EI, g[2], chord[2], length;
    double lambda[2];
} line;

// The angle b of an arc whose chord is the part c of its length: sin(b)/b = c, 0 < b < pi.
static double arc_angle(double c)
{
    double low = 0.0, high = 3.14159265358979323846;
    for (int k = 0; k < 200 && high - low > 0; k++) {
        double mid = 0.5 * (low + high);
        if (mid == low || mid == high) break;
        *(sin(mid) > c * mid ? &low : &high) = mid;
    }
    return 0.5 * (low + high);
}

// Residual of the equations: by the angles, then the two of the chord.
static double evaluate(line *l, const double *a, const double lambda[2], double *r)
{
    double end[2] = {0, 0}, sum = 0.0, scale = l->EI / l->s[0];
    for (int k = 0; k < l->n; k++) {
        double c = cos(a[k]), s = sin(a[k]);
        double f[2] = {l->w[k] * (lambda[0] - l->beyond[k] * l->g[0]),
                       l->w[k] * (lambda[1] - l->beyond[k] * l->g[1])};
        double bend = 0.0;
        if (k > 0) bend += l->EI / l->s[k - 1] * (a[k] - a[k - 1]);
        if (k + 1 < l->n) bend -= l->EI / l->s[k] * (a[k + 1] - a[k]);
        r[k] = bend + f[1] * c - f[0] * s;
        end[0] += l->w[k] * c;
        end[1] += l->w[k] * s;
        l->diag[k] = -f[0] * c - f[1] * s;
        if (k > 0) l->diag[k] += l->EI / l->s[k - 1];
        if (k + 1 < l->n) l->diag[k] += l->EI / l->s[k], l->off[k] = -l->EI / l->s[k];
        sum += r[k] * r[k];
    }
    for (int i = 0; i < 2; i++) {
        r[l->n + i] = end[i] - l->chord[i];
        sum += scale * scale * r[l->n + i] * r[l->n + i];
    }
    return sqrt(sum);
}

// x <- T^-1 x of the tridiagonal matrix; work: (n) multipliers, kept in z.
static void solve(const line *l, double shift, double *x)
{
    double *pivot = l->z;
    for (int k = 0; k < l->n; k++) {
        pivot[k] = l->diag[k] + shift;
        if (k == 0) continue;
        double f = l->off[k - 1] / pivot[k - 1];
        pivot[k] -= f * l->off[k - 1];
        x[k] -= f * x[k - 1];
    }
    for (int k = l->n - 1; k >= 0; k--) {
        if (k + 1 < l->n) x[k] -= l->off[k] * x[k + 1];
        x[k] /= pivot[k];
    }
}

// One step of Newton's method into x (angles) and d (multipliers).
static void step(const line *l, double shift, double *x, double d[2])
{
    double G[2][2] = {{0}}, b[2] = {l->r[l->n], l->r[l->n + 1]}, *col[2] = {l->y, l->y + l->n};
    for (int k = 0; k < l->n; k++) {
        x[k] = -l->r[k];
        col[0][k] = -l->w[k] * sin(l->a[k]);
        col[1][k] = l->w[k] * cos(l->a[k]);
    }
    solve(l, shift, x);
    for (int i = 0; i < 2; i++) {
        solve(l, shift, col[i]);
    }
    for (int k = 0; k < l->n; k++) {
        double J[2] = {-l->w[k] * sin(l->a[k]), l->w[k] * cos(l->a[k])};
        for (int i = 0; i < 2; i++) {
            b[i] += J[i] * x[k];
            for (int j = 0; j < 2; j++) G[i][j] += J[i] * col[j][k];
        }
    }
    double det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    d[0] = (b[0] * G[1][1] - b[1] * G[0][1]) / det;
    d[1] = (G[0][0] * b[1] - G[1][0] * b[0]) / det;
    for (int k = 0; k < l->n; k++) x[k] -= col[0][k] * d[0] + col[1][k] * d[1];
}

static bool settle(line *l)
{
    double size = evaluate(l, l->a, l->lambda, l->r), shift = 0.0;
    double goal = 1e-13 * (l->EI / l->s[0] + hypot(l->g[0], l->g[1]) * l->beyond[0] * l->w[0]);
    double *x = l->x, *trial = l->x + l->n, d[2], lambda[2];
    for (int k = 0; k < ROUNDS && size > goal; k++) {
        step(l, shift, x, d);
        double t = 1.0, next = HUGE_VAL;
        for (int i = 0; i < HALVINGS && !(next < size); i++, t *= 0.5) {
            for (int j = 0; j < l->n; j++) trial[j] = l->a[j] + t * x[j];
            for (int j = 0; j < 2; j++) lambda[j] = l->lambda[j] + t * d[j];
            next = evaluate(l, trial, lambda, l->r);
        }
        if (!(next < size)) { // stiffer against change
            shift = shift > 0 ? 10.0 * shift : 1e-3 * l->EI / l->s[0];
            if (shift > 1e9 * l->EI / l->s[0]) return size < 1e3 * goal;
            size = evaluate(l, l->a, l->lambda, l->r);
            continue;
        }
        memcpy(l->a, trial, (size_t)l->n * sizeof *trial);
        memcpy(l->lambda, lambda, sizeof lambda);
        size = next;
        shift *= 0.1;
    }
    return size <= 1e3 * goal;
}

static void fill(line *l, const flx_beam_slack *b)
{
    double behind = 0.0;
    for (int i = 0; i < b->nelement; i++) {
        double h = b->lengths[i];
        l->rest[2 * i] += h / 6.0;
        l->rest[2 * i + 1] += h * 4.0 / 6.0;
        l->rest[2 * i + 2] += h / 6.0;
        l->s[2 * i] = l->s[2 * i + 1] = 0.5 * h;
        l->length += h;
    }
    memcpy(l->w, l->rest, (size_t)l->n * sizeof *l->w);
    for (int k = 0; k < l->n; k++) {
        l->beyond[k] = b->mass * (l->length - behind);
        if (k + 1 < l->n) behind += l->s[k];
    }
}

static double sinh_by(double u)
{
    return u < 1e-6 ? 1.0 : sinh(u) / u;
}

// The catenary through both ends, in the axes of gravity: y against it, x as the chord goes.
static void hang(line *l, double mass)
{
    double g = hypot(l->g[0], l->g[1]), up[2] = {-l->g[0] / g, -l->g[1] / g};
    double x[2] = {up[1], -up[0]}; // the second axis of the plane is on the side of `up`
    double across = fmax(l->chord[0] * x[0], 1e-6 * l->length), rise = l->chord[0] * up[0];
    double value = sqrt(l->length * l->length - rise * rise) / across, low = 0.0, high = 700.0;
    for (int k = 0; k < 200; k++) {
        double mid = 0.5 * (low + high);
        *(sinh_by(mid) < value ? &low : &high) = mid;
    }
    double size = across / (2.0 * low), start = 0.5 * across - size * atanh(rise / l->length);
    double along = 0.0, tilt = atan2(x[1], x[0]), weight = mass * g;
    for (int k = 0; k < l->n; k++) {
        l->a[k] = tilt + atan(along / size - sinh(start / size));
        if (k + 1 < l->n) along += l->s[k];
    }
    double force[2] = {-weight * size, weight * size * sinh(start / size) - weight * l->length};
    for (int i = 0; i < 2; i++) l->lambda[i] = force[0] * x[i] + force[1] * up[i];
}

// An arc that bulges down, and the load of a buckled line.
static void bow(line *l)
{
    double half = arc_angle(l->chord[0] / l->length), along = 0.0, pi = 3.14159265358979323846;
    for (int k = 0; k < l->n; k++) {
        l->a[k] = half * (2.0 * along / l->length - 1.0);
        if (k + 1 < l->n) along += l->s[k];
    }
    l->lambda[0] = pi * pi * l->EI / (l->length * l->length);
    l->lambda[1] = 0.0;
}

// Tension is minus the force along the tangent.
static double stretch_at(const line *l, double EA, int k)
{
    double push = (l->lambda[0] - l->beyond[k] * l->g[0]) * cos(l->a[k]) +
                  (l->lambda[1] - l->beyond[k] * l->g[1]) * sin(l->a[k]);
    return 1.0 - push / EA;
}

flx_status flx_beam_relax(flx_ctx *ctx, const flx_beam_slack *b, double *place, double *tangent)
{
    int n = 2 * b->nelement + 1;
    double *block = flx_alloc(ctx, 14 * (size_t)n + 4, sizeof *block);
    if (!block) return FLX_ERR_MEMORY;
    line l = {.n = n,
              .a = block,
              .w = block + n,
              .s = block + 2 * n,
              .beyond = block + 3 * n,
              .diag = block + 4 * n,
              .off = block + 5 * n,
              .x = block + 6 * n,
              .y = block + 8 * n,
              .z = block + 10 * n,
              .r = block + 11 * n,
              .rest = block + 12 * n + 4,
              .EI = b->EI,
              .g = {b->g[0], b->g[1]},
              .chord = {b->chord, 0}};
    double *stretch = block + 13 * n + 4;
    fill(&l, b);
    double weight = b->mass * hypot(b->g[0], b->g[1]);
    if (weight * l.length * l.length * l.length > HANGS * l.EI) {
        hang(&l, b->mass);
    } else {
        bow(&l);
    }
    for (int k = 0; k < n; k++) stretch[k] = 1.0;
    bool settled = settle(&l);
    for (int i = 0; i < STRETCHES && settled; i++) {
        for (int k = 0; k < n; k++) {
            stretch[k] = stretch_at(&l, b->EA, k);
            l.w[k] = l.rest[k] * stretch[k];
        }
        settled = settle(&l);
    }
    if (!settled) { // an arc is one to start from
        bow(&l);
        for (int k = 0; k < n; k++) stretch[k] = 1.0;
    }
    double r[2] = {0, 0};
    for (int i = 0; i <= b->nelement; i++) {
        place[2 * i] = r[0];
        place[2 * i + 1] = r[1];
        tangent[2 * i] = stretch[2 * i] * cos(l.a[2 * i]);
        tangent[2 * i + 1] = stretch[2 * i] * sin(l.a[2 * i]);
        if (i == b->nelement) break;
        for (int k = 0; k < 3; k++) {
            double w = b->lengths[i] / 6.0 * (k == 1 ? 4.0 : 1.0) * stretch[2 * i + k];
            double a = l.a[2 * i + k];
            r[0] += w * cos(a);
            r[1] += w * sin(a);
        }
    }
    flx_free(block);
    return FLX_OK;
}
