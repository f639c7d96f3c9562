// unseen_search.c - where a function of the time leaves what its values at some places show.
//
// With H the interval of the value at the beginning and of the medians of five neighbours among the others, so that what is
// no wider than two places does not count, and [F] the bounds of the function over a part of the step, there is nothing in
// that part unless
//     [F] is not within H widened by a quarter of itself and 1e-6 of the largest value;       (UNS-1)
// it is halved then, the first half first, until a value is outside, or nothing can be.
#include "simulate/unseen/unseen.h"

#include <math.h>

#define WIDER 0.25
#define NOTHING 1e-6
// Parts are halved so often, and so many are looked at.
#define MOST_HALVINGS 50
#define MOST_PARTS 20000
#define MOST_STEPS 200 // towards the peak
// Of an interval: what stays for so long is seen by the looks that methods take, unless it begins at once.
#define LONG 0.2
#define SHORT 1e-3
#define NEAR 0.01      // of the way to a change: no sooner one is sought
#define BEGINNING 1e-9 // of an interval: a value that has just changed its sign is rounding

void flx_unseen_at(const flx_unseen *u, bool wild, double t, double *out)
{
    u->in[u->plan->time] = t;
    flx_program_eval(wild ? u->plan->wild : u->plan->program, u->in, u->scratch, out);
}

void flx_unseen_between(const flx_unseen *u, bool wild, double a, double b)
{
    const flx_unseen_plan *p = u->plan;
    for (int i = 0; i < p->nleaf; i++) u->low[i] = u->high[i] = u->in[i];
    u->low[p->time] = a;
    u->high[p->time] = b;
    flx_program_bounds(wild ? p->wild : p->program, u->low, u->high, u->scratch, u->least, u->most);
}

// What a function was seen to be.
typedef struct hull {
    double low, high;
} hull;

static void widen(hull *h, double value)
{
    h->low = fmin(h->low, value);
    h->high = fmax(h->high, value);
}

static void add_margin(hull *h, double largest)
{
    double size = fmax(fabs(h->low), fabs(h->high));
    if (isfinite(largest)) size = fmax(size, largest);
    double margin = WIDER * (h->high - h->low) + NOTHING * size;
    h->low -= margin;
    h->high += margin;
}

// How far a value is outside; NaN is inside: the run will tell.
static double outside(const hull *h, double value)
{
    return fmax(h->low - value, value - h->high);
}

static bool within(const hull *h, double least, double most)
{
    return least >= h->low && most <= h->high;
}

static double largest(double least, double most)
{
    return fmax(fabs(least), fabs(most));
}

bool flx_unseen_is_still(const flx_unseen *u, int i, double value)
{
    hull h = {value, value};
    add_margin(&h, largest(u->least[i], u->most[i]));
    return within(&h, u->least[i], u->most[i]);
}

bool flx_unseen_is_even(const flx_unseen *u, int i, double begin, double middle, double end)
{
    hull h = {begin, begin};
    widen(&h, end);
    double range = h.high - h.low, size = largest(u->least[i], u->most[i]);
    add_margin(&h, size);
    return within(&h, u->least[i], u->most[i]) &&
           fabs(middle - 0.5 * (begin + end)) <= WIDER * range + NOTHING * size;
}

// The middle one of five values, or of those that there are at the end.
static double median(const double *v, size_t stride, int k, int places)
{
    double sorted[5];
    int n = 0;
    for (int j = k - 2; j <= k + 2; j++) {
        if (j < 0 || j >= places) continue;
        double value = v[(size_t)j * stride];
        int at = n++;
        for (; at > 0 && sorted[at - 1] > value; at--) sorted[at] = sorted[at - 1];
        sorted[at] = value;
    }
    return n % 2 ? sorted[n / 2] : 0.5 * (sorted[n / 2 - 1] + sorted[n / 2]);
}

// From a place where it is outside, up to where it is most so nearby.
static double climb(const flx_unseen *u, bool wild, int i, const hull *h, double a, double b,
                    double t)
{
    double d = 0.25 * (b - a), *v = u->least; // free here
    flx_unseen_at(u, wild, t, v);
    double best = outside(h, v[i]);
    for (int k = 0; k < MOST_STEPS && d > 4e-16 * fmax(fabs(a), fabs(b)); k++) {
        double found = 0.0;
        for (int side = -1; side <= 1; side += 2) {
            double at = t + side * d;
            if (at < a || at > b) continue;
            flx_unseen_at(u, wild, at, v);
            if (!(outside(h, v[i]) > best)) continue;
            best = outside(h, v[i]);
            found = side * d;
        }
        if (found == 0.0) d *= 0.5;
        t += found;
    }
    return t;
}

// The first part from a to b in which it leaves the hull.
static double split(const flx_unseen *u, bool wild, int i, const hull *h, bool climbs, double a,
                    double b, int *left)
{
    double ends[MOST_HALVINGS + 2], *v = u->least;
    int n = 0;
    double begin = a;
    ends[n++] = b;
    while (n > 0 && (*left)-- > 0) {
        double end = ends[n - 1], middle = 0.5 * (begin + end);
        flx_unseen_between(u, wild, begin, end);
        bool empty = within(h, u->least[i], u->most[i]) || isnan(u->least[i]);
        if (empty || n > MOST_HALVINGS || !(middle > begin && middle < end)) {
            begin = end;
            n--;
            continue;
        }
        flx_unseen_at(u, wild, middle, v);
        if (outside(h, v[i]) > 0.0) {
            return climbs ? climb(u, wild, i, h, begin, end, middle) : middle;
        }
        ends[n++] = middle;
    }
    return HUGE_VAL;
}

double flx_unseen_search(const flx_unseen *u, bool wild, int i, double a, double b, int places)
{
    int n = wild ? u->plan->nwild : u->plan->n, left = MOST_PARTS;
    double most = largest(u->least[i], u->most[i]);
    hull h = {u->values[i], u->values[i]};
    for (int k = 0; k < places; k++) {
        if (!isfinite(u->values[(size_t)k * (size_t)n + (size_t)i])) return HUGE_VAL;
        widen(&h, median(u->values + i, (size_t)n, k, places));
    }
    add_margin(&h, most);
    for (int k = 0; k + 1 < places; k++) {
        double from = a + (b - a) * k / (places - 1), to = a + (b - a) * (k + 1) / (places - 1);
        double t = split(u, wild, i, &h, true, from, to, &left);
        if (t < HUGE_VAL) return t;
    }
    return HUGE_VAL;
}

double flx_unseen_change(const flx_unseen *u, int i, double a, double b, double side)
{
    int left = MOST_PARTS;
    hull h = {side != 0.0 ? 0.0 : -HUGE_VAL, side != 0.0 ? HUGE_VAL : 0.0};
    double begin = a + BEGINNING * (b - a);
    double t = split(u, true, i, &h, false, begin, b, &left);
    if (isinf(t)) return t;
    for (;;) { // what was found may lie behind others: methods see one change in a step
        double sooner = split(u, true, i, &h, false, begin, t, &left);
        if (!(t - sooner > NEAR * (sooner - a))) break;
        t = sooner;
    }
    flx_unseen_between(u, true, t, fmin(t + LONG * (b - a), b));
    bool stays = side != 0.0 ? u->most[i] < 0.0 : u->least[i] > 0.0;
    return stays && t - a > SHORT * (b - a) ? HUGE_VAL : t;
}
