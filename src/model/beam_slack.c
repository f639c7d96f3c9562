// beam_slack.c - the shape of a beam that is longer than the distance of its ends: at rest under its
// weight between two pins.
//
// Pieces of lengths h_i with the angles a_i, in the plane of the weight and the chord. What is least is
//
//     sum EI (a_i - a_i-1)^2/(2 h) - sum_k m_k g.p_k   with   sum l_i (cos a_i, sin a_i) = chord      (BEA-8)
// where l_i = h_i (1 + T_i/EA) by the tensions of the last solution, until they stay as they are.
// Newton's method starts at the catenary, without weight at an arc of a circle. With the places of the
// nodes known, their angles b_i are those without a moment on any of them, by the energy of (BEA-1):
//
//     sum EI (b_i+1 - b_i)^2/(2 h) + h EA (e_i cos d_i - 1)^2/2 + h GA (e_i sin d_i)^2/2,
//     e_i = l_i/h_i, d_i = a_i - (b_i + b_i+1)/2, is least                                          (BEA-9)
// for a section has so little rotational inertia that what is left of a moment throws it about.
#include "model/beam_slack.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#define PI 3.14159265358979323846
#define ROUNDS 200
#define STRETCHES 4 // how often the tensions are put in: strains are small
#define WIDEST 0.5  // largest change of an angle in one round
// Weight against bending, m g L^3/EI, above which the line hangs rather than bends.
#define HANGS 20.0

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

static double length_of(const flx_slack *s)
{
    double sum = 0;
    for (int i = 0; i < s->n; i++) sum += s->h[i];
    return sum;
}

// The catenary through both ends: angles, and the forces that hold it.
static void hang(const flx_slack *s, double weight, double *a, double force[2])
{
    double L = length_of(s), across = fmax(fabs(s->chord[0]), 1e-6 * L), v = s->chord[1];
    double u = solve(sinh_by, sqrt(L * L - v * v) / across, 0, 700), size = across / (2 * u);
    double start = 0.5 * across - size * atanh(v / L), along = 0;
    double sign = s->chord[0] < 0 ? -1 : 1;
    for (int i = 0; i < s->n; i++) {
        double angle = atan((along + 0.5 * s->h[i]) / size - sinh(start / size));
        a[i] = sign > 0 ? angle : PI - angle;
        along += s->h[i];
    }
    force[0] = -sign * weight * size;
    force[1] = weight * size * sinh(start / size) - weight * L;
}

static void bow(const flx_slack *s, double *a)
{
    double L = length_of(s), d = hypot(s->chord[0], s->chord[1]), along = 0;
    double half = solve(minus_sin_by, -d / L, 0, PI), chord = atan2(s->chord[1], s->chord[0]);
    for (int i = 0; i < s->n; i++) {
        double part = (along + 0.5 * s->h[i]) / L;
        a[i] = chord + half * (2 * part - 1); // sags below a chord that goes to the right
        along += s->h[i];
    }
}

// Forward elimination and back substitution of a symmetric tridiagonal matrix, three right-hand sides.
static bool tridiagonal(int n, double *diagonal, const double *beside, double *x)
{
    for (int i = 0; i < n; i++) {
        if (i > 0) {
            double f = beside[i] / diagonal[i - 1];
            diagonal[i] -= f * beside[i];
            for (int k = 0; k < 3; k++) x[3 * i + k] -= f * x[3 * (i - 1) + k];
        }
        if (!(fabs(diagonal[i]) > 0)) return false;
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = 0; k < 3; k++) {
            if (i < n - 1) x[3 * i + k] -= beside[i + 1] * x[3 * (i + 1) + k];
            x[3 * i + k] /= diagonal[i];
        }
    }
    return true;
}

// One step of Newton's method; the largest change of an angle, not a number where there is none.
static double step(const flx_slack *s, double *a, double force[2], double *work)
{
    int n = s->n;
    double *diagonal = work, *beside = work + n, *x = work + 2 * n;
    double S[4] = {0}, gap[2] = {s->chord[0], s->chord[1]}, left = 0, most = 0;
    for (int k = 1; k <= n; k++) left += s->mass[k];
    memset(work, 0, 2 * (size_t)n * sizeof *work);
    for (int i = 0; i < n; i++) {
        double c = cos(a[i]), t = sin(a[i]), h = s->h[i] * s->stretch[i];
        double q[2] = {force[0], force[1] + s->gravity * left}; // with the weight beyond
        diagonal[i] -= h * (q[0] * c + q[1] * t);
        x[3 * i] = h * (q[0] * t - q[1] * c);
        x[3 * i + 1] = -h * t;
        x[3 * i + 2] = h * c;
        gap[0] -= h * c;
        gap[1] -= h * t;
        left -= s->mass[i + 1];
        if (i == 0) continue;
        double k = 2 * s->EI / (s->h[i] + s->h[i - 1]), bend = k * (a[i] - a[i - 1]);
        diagonal[i] += k;
        diagonal[i - 1] += k;
        beside[i] = -k;
        x[3 * i] -= bend;
        x[3 * (i - 1)] += bend;
    }
    if (!tridiagonal(n, diagonal, beside, x)) return (double)NAN;
    for (int i = 0; i < n; i++) { // the constraints on the step x0 - x1 f1 - x2 f2
        double h = s->h[i] * s->stretch[i], g[2] = {-h * sin(a[i]), h * cos(a[i])};
        for (int r = 0; r < 2; r++) {
            gap[r] -= g[r] * x[3 * i];
            for (int k = 0; k < 2; k++) S[2 * r + k] -= g[r] * x[3 * i + 1 + k];
        }
    }
    double det = S[0] * S[3] - S[1] * S[2];
    double f[2] = {(S[3] * gap[0] - S[1] * gap[1]) / det, (S[0] * gap[1] - S[2] * gap[0]) / det};
    for (int i = 0; i < n; i++) {
        x[3 * i] -= x[3 * i + 1] * f[0] + x[3 * i + 2] * f[1];
        most = fmax(most, fabs(x[3 * i]));
    }
    if (!isfinite(most)) return (double)NAN;
    double part = most > WIDEST ? WIDEST / most : 1.0;
    for (int i = 0; i < n; i++) a[i] += part * x[3 * i];
    for (int r = 0; r < 2; r++) force[r] += part * f[r];
    return most;
}

// Tension is minus the force along a piece.
static void find_stretch(const flx_slack *s, const double *a, const double force[2])
{
    double left = 0;
    for (int k = 1; k <= s->n; k++) left += s->mass[k];
    for (int i = 0; i < s->n; i++) {
        double push = force[0] * cos(a[i]) + (force[1] + s->gravity * left) * sin(a[i]);
        s->stretch[i] = 1.0 - push / s->EA;
        left -= s->mass[i + 1];
    }
}

void flx_slack_solve(const flx_slack *s, double *a, double *work)
{
    double L = length_of(s), mass = 0, force[2] = {0, 0};
    for (int k = 0; k <= s->n; k++) mass += s->mass[k];
    double weight = s->gravity * mass / L;
    for (int i = 0; i < s->n; i++) s->stretch[i] = 1.0;
    if (weight * L * L * L > HANGS * s->EI) {
        hang(s, weight, a, force);
    } else {
        bow(s, a); // the load of a buckled line holds it
        double d = hypot(s->chord[0], s->chord[1]), load = PI * PI * s->EI / (L * L);
        for (int r = 0; r < 2 && d > 0; r++) force[r] = load * s->chord[r] / d;
    }
    for (int i = 0, settled = 0; i < ROUNDS; i++) {
        double change = step(s, a, force, work);
        if (!isfinite(change)) break;
        bool still = change <= 64 * DBL_EPSILON * s->n;
        if (still && ++settled > STRETCHES) return;
        if (still) find_stretch(s, a, force);
    }
    for (int i = 0; i < s->n; i++) s->stretch[i] = 1.0;
    bow(s, a);
}

// One step for the angles of the nodes; the largest change, not a number where there is none.
static double turn_step(const flx_slack *s, const double *a, double *turn, double *work)
{
    int n = s->n;
    double *diagonal = work, *beside = work + n + 1, *x = work + 2 * n + 2, most = 0;
    memset(work, 0, 5 * ((size_t)n + 1) * sizeof *work);
    for (int i = 0; i < n; i++) {
        double d = a[i] - 0.5 * (turn[i] + turn[i + 1]), c = cos(d), t = sin(d), h = s->h[i];
        double k = s->EI / h, bend = k * (turn[i + 1] - turn[i]);
        c *= s->stretch[i];
        t *= s->stretch[i];
        double m = 0.5 * h * (s->EA * (c - 1) * t - s->GA * t * c);
        double slope = 0.25 * h * (s->GA * (c * c - t * t) - s->EA * (c * c - t * t - c));
        diagonal[i] += k + slope;
        diagonal[i + 1] += k + slope;
        beside[i + 1] = slope - k;
        x[3 * i] += bend - m;
        x[3 * (i + 1)] -= bend + m;
    }
    if (!tridiagonal(n + 1, diagonal, beside, x)) return (double)NAN;
    for (int i = 0; i <= n; i++) {
        turn[i] += x[3 * i];
        most = fmax(most, fabs(x[3 * i]));
    }
    return most;
}

void flx_slack_turn(const flx_slack *s, const double *a, double *turn, double *work)
{
    for (int i = 0; i <= s->n; i++) {
        turn[i] = i == 0 ? a[0] : i == s->n ? a[i - 1] : 0.5 * (a[i - 1] + a[i]);
    }
    for (int i = 0; i < ROUNDS; i++) {
        if (!(turn_step(s, a, turn, work) > 64 * DBL_EPSILON)) return;
    }
}
