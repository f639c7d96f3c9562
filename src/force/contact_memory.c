// contact_memory.c - friction by a spring with memory; equations in contact_memory.h and docs/theory/contact.md.
#include "force/contact_memory.h"

#include <math.h>
#include <string.h>

// Part of the limit in which sticking becomes sliding, w of (LAW-13).
#define BAND 0.005
// So many times tau does a stretch take to go while nothing touches.
#define SLOWER 100.0
// A limit below this part of the spring's force is none.
#define LEAST 1e-12

enum { N = FLX_STRETCH_INPUTS };
enum { STRETCH = 0, SLIP = 2, FORCE = 4, DEPTH, DEPTH_RATE };

// A number with its derivatives by the inputs.
typedef struct slope {
    double x, by[N];
} slope;

static slope constant(double x)
{
    return (slope){.x = x};
}

static slope input(int i, double x)
{
    slope s = {.x = x};
    s.by[i] = 1.0;
    return s;
}

// a x + b y
static slope sum(double a, slope x, double b, slope y)
{
    x.x = a * x.x + b * y.x;
    for (int i = 0; i < N; i++) x.by[i] = a * x.by[i] + b * y.by[i];
    return x;
}

static slope product(slope x, slope y)
{
    for (int i = 0; i < N; i++) x.by[i] = x.by[i] * y.x + x.x * y.by[i];
    x.x *= y.x;
    return x;
}

// f(x) of value and slope.
static slope of(slope x, double value, double d)
{
    x.x = value;
    for (int i = 0; i < N; i++) x.by[i] *= d;
    return x;
}

static slope quotient(slope x, slope y)
{
    return product(x, of(y, 1.0 / y.x, -1.0 / (y.x * y.x)));
}

static slope dot(const slope a[2], const slope b[2])
{
    return sum(1.0, product(a[0], b[0]), 1.0, product(a[1], b[1]));
}

// a d^p
static slope power(double a, slope d, double p)
{
    double y = a * pow(d.x, p);
    return of(d, y, p * y / d.x);
}

// alpha: 3 y^2 - 2 y^3 over the band.
static slope share_of_slip(slope part)
{
    double y = (part.x - 1.0 + BAND) / BAND;
    if (!(y > 0.0)) return constant(0.0);
    if (y >= 1.0) return constant(1.0);
    return of(part, y * y * (3.0 - 2.0 * y), 6.0 * y * (1.0 - y) / BAND);
}

static void put(const slope *from, double *x, double by[N])
{
    *x = from->x;
    memcpy(by, from->by, N * sizeof *by);
}

// The stretch goes slowly, and begins to with no jump: its rate grows from nothing as the surfaces part.
static flx_stretch open_state(const flx_stretch_law *l, const double s[2], double d, double rate)
{
    flx_stretch out = {0};
    double far = -d, room = far + l->tau * fabs(rate), y = room > 0.0 ? far / room : 0.0;
    double gone = y * y / (SLOWER * l->tau);
    // along d and d' of y^2
    double by_y = room > 0.0 ? 2.0 * y / (SLOWER * l->tau) : 0.0;
    double by_d = by_y > 0.0 ? -by_y * (1.0 - y) / room : 0.0;
    double by_rate = by_y > 0.0 ? -by_y * y * copysign(l->tau, rate) / room : 0.0;
    for (int i = 0; i < 2; i++) {
        out.rate[i] = -gone * s[i];
        out.rate_by[i][STRETCH + i] = -gone;
        out.rate_by[i][DEPTH] = -by_d * s[i];
        out.rate_by[i][DEPTH_RATE] = -by_rate * s[i];
    }
    if (l->mindlin) return out; // its stiffness goes with the depth
    out.stored = 0.5 * l->k * (s[0] * s[0] + s[1] * s[1]);
    out.stored_rate = -2.0 * out.stored * gone;
    return out;
}

flx_stretch flx_stretch_eval(const flx_stretch_law *l, const double s[2], const double u[2],
                             double F, double d, double depth_rate)
{
    bool begins = F > 0.0 && !l->mindlin; // of a branch that is held: the force is there already
    if (!(d > 0.0) && !begins) return open_state(l, s, d, depth_rate);
    slope depth = d > 0.0 ? input(DEPTH, d) : constant(0.0), rate = input(DEPTH_RATE, depth_rate),
          P[2], b[2], e[2] = {{0}};
    slope S[2] = {input(STRETCH, s[0]), input(STRETCH + 1, s[1])};
    slope U[2] = {input(SLIP, u[0]), input(SLIP + 1, u[1])};
    slope k = l->mindlin ? power(l->k, depth, 0.5) : constant(l->k);
    slope c = l->mindlin ? power(l->c, depth, 0.25) : constant(l->c);
    slope away = of(rate, fabs(depth_rate), depth_rate < 0.0 ? -1.0 : 1.0);
    slope room = sum(1.0, depth, l->tau, away); // D
    if (!(room.x > 0.0)) room = constant(1.0);  // both are 0
    slope grows = quotient(rate, room);
    slope shallow = quotient(depth, room); // d/D: nothing jumps where it opens
    slope limit = of(input(FORCE, F), l->friction * fmax(F, 0.0), F > 0.0 ? l->friction : 0.0);
    bool gives = l->mindlin && depth_rate > 0.0;
    for (int i = 0; i < 2; i++) {
        P[i] = sum(1.0, product(k, S[i]), 1.0, product(c, U[i]));
        b[i] = gives ? sum(1.0, U[i], -0.5, product(S[i], grows)) : U[i];
    }
    double size = hypot(P[0].x, P[1].x);
    slope m = constant(1.0), alpha = constant(0.0), gamma = constant(0.0), beyond = constant(0.0);
    if (size > 0.0) {
        slope p = dot(P, P);
        p = of(p, size, 0.5 / size);
        for (int i = 0; i < 2; i++) e[i] = quotient(P[i], p);
        alpha = limit.x > size * LEAST ? share_of_slip(quotient(p, limit)) : constant(1.0);
        double n = l->mindlin ? l->exponent - 0.5 : l->exponent;
        gamma = sum(1.0, dot(b, e), -n, product(dot(S, e), grows));
        if (!(gamma.x > 0.0)) gamma = constant(0.0);
        if (limit.x < size) {
            m = quotient(limit, p);
            beyond = quotient(sum(1.0, constant(1.0), -1.0, m), sum(l->tau, k, 1.0, c));
            beyond = product(beyond, shallow);
        }
    }
    slope slip = product(alpha, gamma);
    flx_stretch out = {.slides = alpha.x > 0.0};
    for (int i = 0; i < 2; i++) {
        slope force = product(m, P[i]);
        slope change = product(m, sum(1.0, b[i], -1.0, product(slip, e[i])));
        change = sum(1.0, change, -1.0, product(beyond, P[i]));
        put(&force, &out.force[i], out.force_by[i]);
        put(&change, &out.rate[i], out.rate_by[i]);
        out.stored += 0.5 * k.x * s[i] * s[i];
        out.stored_rate += k.x * s[i] * change.x;
    }
    if (l->mindlin) out.stored_rate += 0.5 * out.stored * depth_rate / d;
    return out;
}
