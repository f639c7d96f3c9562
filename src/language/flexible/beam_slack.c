// beam_slack.c - how a beam hangs that is longer than the distance of its ends: the line between two places whose
// energy of bending and weight is least, its ends free to turn.
//
// Its tangents have the angles a_k and the lengths w_k: those of straight pieces, or those of an integration rule.
//
//     sum EI (a_k+1 - a_k)^2/(2 s_k) - sum m_k g.(cos a_k, sin a_k) w_k is least,
//     sum w_k (cos a_k, sin a_k) = chord                                                      (BEA-8), (ANC-15)
// with s_k the distances of their places, m_k the mass that hangs on the tangent k, and w_k stretched, 1 + T_k/EA, by
// the tensions of the last solution. Newton's method with multipliers of the chord begins at the catenary, or where
// bending rules at an arc of a circle. With the places of nodes known, the angles b_i of their sections are those
// without a moment on any of them, by the energy of (BEA-1):
//
//     sum EI (b_i+1 - b_i)^2/(2 h) + h EA (e_i cos d_i - 1)^2/2 + h GA (e_i sin d_i)^2/2,
//     e_i = l_i/h_i, d_i = a_i - (b_i + b_i+1)/2, is least                                          (BEA-9)
// for a section has so little rotational inertia that what is left of a moment throws it about.
#include "language/flexible/beam_slack.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define STRETCHES 4 // how often tensions are put in: strains are small
#define ROUNDS 200
#define HALVINGS 12
#define CLOSED 1e-13 // what is left of the equations, of their terms
// Weight against bending, m g L^3/EI, above which the line hangs rather than bends.
#define HANGS 20.0

typedef struct line {
    const flx_slack *s;
    int n;
    double length, mass;  // of all of it
    double *w;            // (n) as they are stretched
    double *diag, *off;   // (n) of Newton's equations
    double *x, *y, *z;    // (2 n), (2 n), (n)
    double *r;            // (n + 2)
    double scale, weight; // a bending moment for an angle; gravity's size
    double lambda[2];     // forces that hold it
} line;

// ---- where it begins ----------------------------------------------------------------------------

// Monotonic f(u) = value by bisection; u between low and high.
static double solve(double (*f)(double), double value, double low, double high)
{
    for (int i = 0; i < 200; i++) {
        double mid = 0.5 * (low + high);
        *(f(mid) < value ? &low : &high) = mid;
    }
    return 0.5 * (low + high);
}

static double sinh_by(double u)
{
    return u < 1e-6 ? 1.0 : sinh(u) / u;
}

static double minus_sin_by(double u)
{
    return u < 1e-6 ? -1.0 : -sin(u) / u;
}

// The catenary through both ends, in the axes of gravity: up against it, x as the chord goes.
static void hang(line *l)
{
    const flx_slack *s = l->s;
    double L = l->length, up[2] = {-s->g[0] / l->weight, -s->g[1] / l->weight};
    double x[2] = {up[1], -up[0]}, sign = s->chord[0] * x[0] + s->chord[1] * x[1] < 0 ? -1 : 1;
    for (int i = 0; i < 2; i++) x[i] *= sign;
    double across = fmax(s->chord[0] * x[0] + s->chord[1] * x[1], 1e-6 * L);
    double rise = s->chord[0] * up[0] + s->chord[1] * up[1];
    double u = solve(sinh_by, sqrt(L * L - rise * rise) / across, 0, 700), size = across / (2 * u);
    double start = 0.5 * across - size * atanh(rise / L), along = s->first;
    double tilt = atan2(x[1], x[0]), weight = l->mass / L * l->weight;
    for (int k = 0; k < l->n; k++) {
        s->a[k] = tilt + sign * atan(along / size - sinh(start / size));
        if (k + 1 < l->n) along += s->apart[k];
    }
    double force[2] = {-weight * size, weight * size * sinh(start / size) - weight * L};
    for (int i = 0; i < 2; i++) l->lambda[i] = force[0] * x[i] + force[1] * up[i];
}

// An arc that sags below a chord to the right, and the load of a buckled line.
static void bow(line *l)
{
    const flx_slack *s = l->s;
    double d = hypot(s->chord[0], s->chord[1]), along = s->first;
    double half = solve(minus_sin_by, -d / l->length, 0, FLX_PI);
    double tilt = atan2(s->chord[1], s->chord[0]),
           load = FLX_PI * FLX_PI * s->EI / (l->length * l->length);
    for (int k = 0; k < l->n; k++) {
        s->a[k] = tilt + half * (2.0 * along / l->length - 1.0);
        if (k + 1 < l->n) along += s->apart[k];
    }
    for (int i = 0; i < 2; i++) l->lambda[i] = d > 0 ? load * s->chord[i] / d : 0.0;
}

// ---- Newton's method ----------------------------------------------------------------------------

// Residual of the equations: by the angles, then the two of the chord; its size.
static double evaluate(line *l, const double *a, const double lambda[2])
{
    const flx_slack *s = l->s;
    double end[2] = {0, 0}, sum = 0.0, *r = l->r;
    for (int k = 0; k < l->n; k++) {
        double c = cos(a[k]), t = sin(a[k]);
        double f[2] = {l->w[k] * (lambda[0] - s->beyond[k] * s->g[0]),
                       l->w[k] * (lambda[1] - s->beyond[k] * s->g[1])};
        r[k] = f[1] * c - f[0] * t;
        l->diag[k] = -f[0] * c - f[1] * t;
        end[0] += l->w[k] * c;
        end[1] += l->w[k] * t;
    }
    for (int k = 0; k + 1 < l->n; k++) {
        double stiffness = s->EI / s->apart[k], bend = stiffness * (a[k + 1] - a[k]);
        r[k] -= bend;
        r[k + 1] += bend;
        l->diag[k] += stiffness;
        l->diag[k + 1] += stiffness;
        l->off[k] = -stiffness;
    }
    for (int i = 0; i < 2; i++) r[l->n + i] = end[i] - s->chord[i];
    for (int k = 0; k < l->n + 2; k++) sum += (k < l->n ? 1.0 : l->scale * l->scale) * r[k] * r[k];
    return sqrt(sum);
}

// x <- T^-1 x of a symmetric tridiagonal matrix; pivot: (n).
static void tridiagonal(int n, const double *diag, const double *off, double shift, double *pivot,
                        double *x)
{
    for (int k = 0; k < n; k++) {
        pivot[k] = diag[k] + shift;
        if (k == 0) continue;
        double f = off[k - 1] / pivot[k - 1];
        pivot[k] -= f * off[k - 1];
        x[k] -= f * x[k - 1];
    }
    for (int k = n - 1; k >= 0; k--) {
        if (k + 1 < n) x[k] -= off[k] * x[k + 1];
        x[k] /= pivot[k];
    }
}

// One step into x (angles) and d (forces).
static void step(const line *l, double shift, double *x, double d[2])
{
    int n = l->n;
    const double *a = l->s->a;
    double G[2][2] = {{0}}, b[2] = {l->r[n], l->r[n + 1]}, *col[2] = {l->y, l->y + n};
    for (int k = 0; k < n; k++) {
        x[k] = -l->r[k];
        col[0][k] = -l->w[k] * sin(a[k]);
        col[1][k] = l->w[k] * cos(a[k]);
    }
    tridiagonal(n, l->diag, l->off, shift, l->z, x);
    for (int i = 0; i < 2; i++) tridiagonal(n, l->diag, l->off, shift, l->z, col[i]);
    for (int k = 0; k < n; k++) {
        double J[2] = {-l->w[k] * sin(a[k]), l->w[k] * cos(a[k])};
        for (int i = 0; i < 2; i++) {
            b[i] += J[i] * x[k];
            for (int j = 0; j < 2; j++) G[i][j] += J[i] * col[j][k];
        }
    }
    double det = G[0][0] * G[1][1] - G[0][1] * G[1][0];
    d[0] = (b[0] * G[1][1] - b[1] * G[0][1]) / det;
    d[1] = (G[0][0] * b[1] - G[1][0] * b[0]) / det;
    for (int k = 0; k < n; k++) x[k] -= col[0][k] * d[0] + col[1][k] * d[1];
}

static bool settle(line *l)
{
    double *a = l->s->a, *x = l->x, *trial = l->x + l->n, d[2], lambda[2], shift = 0.0;
    double size = evaluate(l, a, l->lambda);
    double goal = CLOSED * (l->scale + l->weight * l->mass * l->w[0]);
    for (int k = 0; k < ROUNDS && size > goal; k++) {
        step(l, shift, x, d);
        double t = 1.0, next = HUGE_VAL;
        for (int i = 0; i < HALVINGS && !(next < size); i++, t *= 0.5) {
            for (int j = 0; j < l->n; j++) trial[j] = a[j] + t * x[j];
            for (int j = 0; j < 2; j++) lambda[j] = l->lambda[j] + t * d[j];
            next = evaluate(l, trial, lambda);
        }
        if (!(next < size)) { // stiffer against change
            shift = shift > 0 ? 10.0 * shift : 1e-3 * l->scale;
            size = evaluate(l, a, l->lambda);
            if (shift > 1e9 * l->scale) break;
            continue;
        }
        memcpy(a, trial, (size_t)l->n * sizeof *trial);
        memcpy(l->lambda, lambda, sizeof lambda);
        size = next;
        shift *= 0.1;
    }
    return size <= 1e3 * goal;
}

// Tension is minus the force along the tangent.
static void find_stretch(line *l)
{
    const flx_slack *s = l->s;
    for (int k = 0; k < l->n; k++) {
        double push = (l->lambda[0] - s->beyond[k] * s->g[0]) * cos(s->a[k]) +
                      (l->lambda[1] - s->beyond[k] * s->g[1]) * sin(s->a[k]);
        s->stretch[k] = 1.0 - push / s->EA;
        l->w[k] = s->rest[k] * s->stretch[k];
    }
}

flx_status flx_slack_solve(flx_ctx *ctx, const flx_slack *s)
{
    int n = s->n;
    double *block = flx_alloc(ctx, 9 * (size_t)n + 2, sizeof *block);
    if (!block) return FLX_ERR_MEMORY;
    line l = {.s = s,
              .n = n,
              .mass = s->beyond[0],
              .w = block,
              .diag = block + n,
              .off = block + 2 * n,
              .x = block + 3 * n,
              .y = block + 5 * n,
              .z = block + 7 * n,
              .r = block + 8 * n,
              .weight = hypot(s->g[0], s->g[1])};
    for (int k = 0; k < n; k++) {
        l.length += s->rest[k];
        l.w[k] = s->rest[k];
        s->stretch[k] = 1.0;
    }
    l.scale = s->EI / (n > 1 ? s->apart[0] : l.length);
    if (l.weight * l.mass * l.length * l.length > HANGS * s->EI) {
        hang(&l);
    } else {
        bow(&l);
    }
    bool settled = settle(&l);
    for (int i = 0; i < STRETCHES && settled; i++) {
        find_stretch(&l);
        settled = settle(&l);
    }
    if (!settled) { // an arc is one to start from
        bow(&l);
        for (int k = 0; k < n; k++) s->stretch[k] = 1.0;
    }
    flx_free(block);
    return FLX_OK;
}

// ---- sections -----------------------------------------------------------------------------------

// One step for the angles of the sections; the largest change. work: (4 n + 4).
static double turn_step(const flx_slack *s, double GA, double *turn, double *work)
{
    int n = s->n;
    double *diag = work, *off = work + n + 1, *pivot = work + 2 * n + 2, *x = work + 3 * n + 3;
    double most = 0;
    memset(work, 0, 4 * ((size_t)n + 1) * sizeof *work);
    for (int i = 0; i < n; i++) {
        double d = s->a[i] - 0.5 * (turn[i] + turn[i + 1]), h = s->rest[i];
        double c = s->stretch[i] * cos(d), t = s->stretch[i] * sin(d);
        double k = s->EI / h, bend = k * (turn[i + 1] - turn[i]);
        double m = 0.5 * h * (s->EA * (c - 1) * t - GA * t * c);
        double slope = 0.25 * h * (GA * (c * c - t * t) - s->EA * (c * c - t * t - c));
        diag[i] += k + slope;
        diag[i + 1] += k + slope;
        off[i] = slope - k;
        x[i] += bend - m;
        x[i + 1] -= bend + m;
    }
    tridiagonal(n + 1, diag, off, 0.0, pivot, x);
    for (int i = 0; i <= n; i++) {
        turn[i] += x[i];
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

flx_status flx_slack_turn(flx_ctx *ctx, const flx_slack *s, double GA, double *turn)
{
    double *work = flx_alloc(ctx, 4 * ((size_t)s->n + 1), sizeof *work);
    if (!work) return FLX_ERR_MEMORY;
    for (int i = 0; i <= s->n; i++) {
        double before = s->a[i > 0 ? i - 1 : 0], after = s->a[i < s->n ? i : i - 1];
        turn[i] = 0.5 * (before + after);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (!(turn_step(s, GA, turn, work) > 64 * DBL_EPSILON)) break;
    }
    flx_free(work);
    return FLX_OK;
}
