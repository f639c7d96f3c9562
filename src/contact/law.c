// law.c - laws of compliant contact; equations in law.h and docs/theory/contact.md.
#include "contact/law.h"

#include <math.h>

// Of the force behind a spring: steps that always suffice, and where they end.
#define MOST_STEPS 60
#define ROUNDING 1e-15
// Of the speed that stands for the usual depth: slower closing counts as this.
#define SLOW 0.1

// x^n and its slope n x^(n-1), of x > 0.
static double power(double x, double n, double *slope)
{
    if (n == 1.0) {
        *slope = 1.0;
        return x;
    }
    if (n == 1.5) {
        double root = sqrt(x);
        *slope = 1.5 * root;
        return x * root;
    }
    double y = pow(x, n - 1.0);
    *slope = n * y;
    return x * y;
}

// The same where x <= 0: nothing, or as a branch goes on that is held beyond its border.
static double held_power(double x, double n, bool closed, double *slope)
{
    if (x > 0.0) return power(x, n, slope);
    *slope = 0.0;
    if (!closed) return 0.0;
    if (n == 0.0) return 1.0;
    if (n != 1.0) return 0.0;
    *slope = 1.0;
    return x;
}

// (LAW-1)
static flx_law_force penalty(const flx_law *l, double d, double rate, bool closed)
{
    double slope, damp_slope = 0.0, damp = 0.0;
    double elastic = l->k * held_power(d, l->n, closed, &slope);
    flx_law_force f = {.force = elastic, .by_depth = l->k * slope};
    if (l->c == 0.0 || (l->approach && rate < 0.0)) return f;
    if (l->m == 0.0) {
        damp = d > 0.0 || closed ? 1.0 : 0.0;
    } else {
        damp = held_power(d, l->m, closed, &damp_slope);
    }
    f.force += l->c * damp * rate;
    f.by_depth += l->c * damp_slope * rate;
    f.by_rate = l->c * damp;
    return f;
}

// (LAW-2)
static flx_law_force crossley(const flx_law *l, double d, double rate, double closing)
{
    double slope, a = l->a;
    if (!(d > 0.0)) return (flx_law_force){0};
    if (l->av != 0.0) a = l->av / fmax(closing, l->slowest);
    double elastic = l->k * power(d, l->n, &slope), factor = 1.0 + a * rate;
    return (flx_law_force){
        .force = elastic * factor, .by_depth = l->k * slope * factor, .by_rate = elastic * a};
}

flx_law_force flx_law_eval(const flx_law *l, double d, double rate, double closing, bool closed)
{
    bool kink = flx_law_has_kink(l);
    if (kink && !closed) return (flx_law_force){0};
    flx_law_force f =
        l->a != 0.0 || l->av != 0.0 ? crossley(l, d, rate, closing) : penalty(l, d, rate, kink);
    if (f.force >= 0.0 || l->pulls) return f;
    return (flx_law_force){0};
}

// F - F(d - R F) rises with F and is not positive at 0, nor negative at F(d): Newton's steps stay between.
flx_law_force flx_law_eval_behind(const flx_law *l, double R, double d, double rate, double closing,
                                  bool closed, double *stored)
{
    flx_law_force f = flx_law_eval(l, d, rate, closing, closed);
    bool yields = R > 0.0 && f.force > 0.0;
    double low = 0.0, high = f.force, F = yields ? f.force / (1.0 + R * f.by_depth) : f.force;
    for (int i = 0; yields && i < MOST_STEPS; i++) {
        f = flx_law_eval(l, d - R * F, rate, closing, closed);
        double misfit = F - f.force, next = F - misfit / (1.0 + R * f.by_depth);
        *(misfit > 0.0 ? &high : &low) = F;
        if (!(next >= low && next <= high)) next = 0.5 * (low + high);
        bool there = !(fabs(next - F) > ROUNDING * F);
        F = next;
        if (there) break;
    }
    double given = yields ? R * F : 0.0, share = yields ? 1.0 / (1.0 + R * f.by_depth) : 1.0;
    if (stored) *stored = flx_law_energy(l, d - given) + 0.5 * given * F;
    return (flx_law_force){
        .force = F, .by_depth = share * f.by_depth, .by_rate = share * f.by_rate};
}

// ---- the force as an unknown --------------------------------------------------------------------

// Below this part of the usual force the depth goes on straight: its slope by the force has no bound there.
#define LEAST_FORCE 1e-12

bool flx_law_has_inverse(const flx_law *l)
{
    return l->c == 0.0 || l->m == 0.0;
}

// The part of the force that is k x^n, with its slopes by force and rate. False: the law would pull.
static bool elastic_part(const flx_law *l, const flx_law_point *p, double *e, double by[2])
{
    if (l->a != 0.0 || l->av != 0.0) {
        double a = l->av != 0.0 ? l->av / fmax(p->closing, l->slowest) : l->a;
        double factor = 1.0 + a * p->rate;
        if (!(factor > 0.0)) return false;
        *e = p->lambda / factor;
        by[0] = 1.0 / factor;
        by[1] = -a * *e / factor;
        return true;
    }
    bool damped = l->c != 0.0 && !(l->approach && p->rate < 0.0);
    *e = p->lambda - (damped ? l->c * p->rate : 0.0);
    by[0] = 1.0;
    by[1] = damped ? -l->c : 0.0;
    return true;
}

// Whether damping leaves the depth next to no part in the force, x(lambda, d') would be steep there: as surfaces part against much
// damping, or meet by a law whose damping begins with a jump.
static bool is_led_by_rate(const flx_law *l, const flx_law_point *p, double elastic)
{
    double damping = p->lambda - elastic;
    return damping < 0.0 ? p->lambda < 0.5 * elastic : l->c != 0.0 && damping > elastic;
}

// A force that is none: at the usual one x' = 1/(n k x^(n-1)) is C.
static double least_force(const flx_law *l, double C)
{
    if (l->n == 1.0) return 0.0;
    return LEAST_FORCE * l->k * pow(1.0 / (l->n * l->k * C), l->n / (l->n - 1.0));
}

// x of k x^n = e, and its slope.
static double depth_of(const flx_law *l, double e, double C, double *slope)
{
    if (l->n == 1.0) {
        *slope = 1.0 / l->k;
        return e / l->k;
    }
    double at = fmax(e, least_force(l, C)), x = pow(at / l->k, 1.0 / l->n);
    *slope = x / (l->n * at);
    return x + *slope * (e - at);
}

// The force of one that is not held open goes to zero, and acts until it is there: iterations that keep their matrix know what
// a force does before there is one.
static flx_law_row open_row(const flx_law_point *p)
{
    bool acts = !p->held || p->closed;
    return (flx_law_row){.value = -p->lambda / p->m, .by_force = -1.0 / p->m, .acts = acts};
}

// 0 = F(d) - lambda, which nothing but the depth decides about.
static flx_law_row direct_row(const flx_law *l, const flx_law_point *p)
{
    flx_law_force f = flx_law_eval_behind(l, p->R, p->d, p->rate, p->closing, p->closed, NULL);
    if (f.force == 0.0) return open_row(p);
    double q = 1.0 / (fmax(f.by_depth, 0.0) + p->m);
    return (flx_law_row){.value = q * (f.force - p->lambda),
                         .by_depth = q * f.by_depth,
                         .by_rate = q * f.by_rate,
                         .by_force = -q,
                         .acts = true};
}

// (LAW-11) A force that is not known yet, next to zero, is asked of the depth. All rows have one scale, 1/(m + F'): a matrix that was
// made with one of them serves for the others.
flx_law_row flx_law_eval_row(const flx_law *l, const flx_law_point *p)
{
    double e, by[2], slope;
    if (p->held && !p->closed) return open_row(p);
    if (l->n == 1.0 || l->pulls) return direct_row(l, p);
    bool held_closed = p->held && p->closed;
    if (!(p->lambda > least_force(l, p->C))) {
        return p->d > 0.0 || held_closed ? direct_row(l, p) : open_row(p);
    }
    if (!elastic_part(l, p, &e, by) || is_led_by_rate(l, p, e)) return direct_row(l, p);
    double x = depth_of(l, e, p->C, &slope), misfit = p->d - x - p->R * p->lambda;
    if (!(p->lambda + p->m * misfit > 0.0)) return open_row(p);
    double c = slope * by[0] + p->R, q = 1.0 / (1.0 + p->m * c);
    return (flx_law_row){.value = q * misfit,
                         .by_depth = q,
                         .by_rate = -q * slope * by[1],
                         .by_force = -q * c,
                         .acts = true};
}

// Where the law would pull there is no force, but the spring is still pressed, and lets go as the surfaces do.
double flx_law_stored(const flx_law *l, const flx_law_point *p, double *elastic)
{
    double by[2], slope, none;
    *elastic = 0.0;
    if (p->held && !p->closed) return 0.0;
    if (!(p->lambda > 0.0 || l->pulls) || !elastic_part(l, p, elastic, by)) {
        *elastic = p->d > 0.0 ? l->k * power(p->d, l->n, &none) : 0.0;
        return flx_law_energy(l, p->d);
    }
    if (!(*elastic > 0.0)) return *elastic = 0.0;
    double x = depth_of(l, *elastic, p->C, &slope);
    return *elastic * x / (l->n + 1.0) + 0.5 * p->R * p->lambda * p->lambda;
}

double flx_law_energy(const flx_law *l, double d)
{
    return d > 0.0 ? l->k * pow(d, l->n + 1.0) / (l->n + 1.0) : 0.0;
}

bool flx_law_has_kink(const flx_law *l)
{
    return l->n == 1.0 || (l->c != 0.0 && l->m == 0.0);
}

bool flx_law_reads_closing(const flx_law *l)
{
    return l->av != 0.0;
}

// ---- damping from restitution -------------------------------------------------------------------

// x (1 + e) - ln((1 + x)/(1 - e x)), divided by x^2; near x = 0 by its series, which does not cancel.
static double misfit(double x, double e)
{
    if (x > 0.02) return (x * (1.0 + e) - log1p(x) + log1p(-e * x)) / (x * x);
    double sum = 0.0, xk = 1.0, log_e = log(e);
    for (int k = 2; k < 20; k++) {
        double part = k % 2 ? 1.0 + pow(e, k) : expm1(k * log_e);
        sum -= xk * part / k;
        xk *= x;
    }
    return sum;
}

// (LAW-3): the misfit falls from (1 - e^2)/2 at x = 0 to minus infinity at x = 1/e.
double flx_law_damping(double e)
{
    double low = 0.0, high = 1.0 / e;
    if (!(e < 1.0)) return 0.0;
    for (int i = 0; i < 200 && high - low > 1e-16 * high; i++) {
        double middle = 0.5 * (low + high);
        *(misfit(middle, e) > 0.0 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// The misfit falls with e, from e = 0 on to 1.
double flx_law_restitution(double av)
{
    double low = 0.0, high = av > 1.0 ? 1.0 / av : 1.0;
    if (!(av > 0.0)) return 1.0;
    for (int i = 0; i < 200 && high - low > 1e-16; i++) {
        double middle = 0.5 * (low + high);
        *(misfit(av, middle) > 0.0 ? &low : &high) = middle;
    }
    return 0.5 * (low + high);
}

// A part of the speed that the depth under the weight stands for: with less, surfaces do not come off again.
static double slowest(const flx_law *l, double mass, double weight, double usual)
{
    double depth = weight > 0.0 ? pow(weight / l->k, 1.0 / l->n) : usual;
    return SLOW * (mass > 0.0 ? sqrt(l->k * pow(depth, l->n + 1.0) / mass) : depth);
}

flx_law flx_law_of(const flx_contact *c, double k, double mass, double weight, double usual)
{
    flx_law l = {.k = k, .n = c->exponent};
    const double e = c->restitution;
    l.slowest = slowest(&l, mass, weight, usual);
    switch (c->law) {
    case FLX_CONTACT_PENALTY:
        l.c = c->damping;
        l.m = c->damping_exponent;
        l.approach = c->approach;
        l.pulls = c->pulls;
        break;
    case FLX_CONTACT_HUNT_CROSSLEY:
        if (c->restores) {
            l.av = flx_law_damping(e);
        } else {
            l.a = c->damping;
        }
        break;
    case FLX_CONTACT_LANKARANI:
        l.av = 0.75 * (1.0 - e * e);
        break;
    case FLX_CONTACT_FLORES:
        l.av = 1.6 * (1.0 - e) / e;
        break;
    case FLX_CONTACT_MINDLIN: // its damping needs the masses
        l.m = 0.25;
        break;
    case FLX_CONTACT_HERTZ:
    case FLX_CONTACT_RIGID:
        break;
    }
    return l;
}

// ---- Hertz --------------------------------------------------------------------------------------

double flx_law_hertz(const double E[2], const double nu[2], double curvature)
{
    double compliance = 0.0;
    for (int i = 0; i < 2; i++) compliance += (1.0 - nu[i] * nu[i]) / E[i];
    return 4.0 / 3.0 / (compliance * sqrt(curvature));
}

// d_max/v times 2 int_0^1 dx/sqrt(1 - x^(n+1)), which gamma functions give.
double flx_law_duration(double k, double n, double mass, double speed)
{
    const double pi = 3.14159265358979323846;
    double p = 1.0 / (n + 1.0), deepest = pow(0.5 * (n + 1.0) * mass * speed * speed / k, p);
    return 2.0 * sqrt(pi) * tgamma(1.0 + p) / tgamma(0.5 + p) * deepest / speed;
}
