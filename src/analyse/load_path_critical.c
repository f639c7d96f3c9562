// load_path_critical.c - places between two of a path: where the tangent is singular, where the
// load factor is a given one.
//
// Of a symmetric K the number of negative eigenvalues changes there; of any K, with a vector b that is
// chosen once, the number
//     1 / (b^T K^-1 b)                                                                   (STA-6)
// is zero where K is singular, and changes its sign. K^-1 b is then the direction. At a limit point the
// component of the path's direction along the load factor changes its sign, which is the surest sign of all.
#include "analyse/load_path.h"

#include <math.h>

#define MOST_TRIES 60
#define NEAR 1e-11 // of the step: as near as the place is sought
// The test has poles, too: there it grows while the place is approached.
#define ZERO 0.5
#define SAME 1e-14 // of the range of the load factor: rounding

static double way_to(double factor, const flx_path_place *at)
{
    return at->factor - factor;
}

// An interval from a to b along a step, with the values of what is sought at its ends.
typedef struct interval {
    double a, b, fa, fb;
    double factor[2]; // load factors at its ends
    int side;         // which end was moved last
} interval;

// False position, with the value of an end that stays halved (Illinois); the middle where that tells
// nothing.
static double guess(const interval *i)
{
    double c = (i->a * i->fb - i->b * i->fa) / (i->fb - i->fa);
    bool inside = i->fa * i->fb < 0.0 && c > i->a && c < i->b;
    return inside ? c : 0.5 * (i->a + i->b);
}

static void move_end(interval *i, double c, double fc, bool low)
{
    if (low) {
        i->a = c;
        i->fa = fc;
        if (i->side == -1) i->fb *= 0.5;
    } else {
        i->b = c;
        i->fb = fc;
        if (i->side == 1) i->fa *= 0.5;
    }
    i->side = low ? -1 : 1;
}

static flx_status try_place(flx_path *p, const flx_path_place *from, double c, flx_path_place *at)
{
    FLX_TRY(flx_path_step(p, from, c, at));
    return flx_path_direct(p, from, at);
}

// Places of the interval that are tried where others do not converge; then it is as small as it gets.
#define OTHERS 5
static const double elsewhere[OTHERS] = {0.5, 0.25, 0.75, 0.1, 0.9};

// The end of the interval that was reached, with the load factor of its middle.
static flx_status approach(flx_path *p, const flx_path_place *from, const interval *i,
                           flx_path_place *at)
{
    flx_status status = i->a > 0.0 ? try_place(p, from, i->a, at) : FLX_OK;
    if (i->a > 0.0 && status < 0) return status;
    if (i->a <= 0.0 || status > 0) { // its factors are those of a place that is known
        flx_state_copy(at->x, from->x);
        at->factor = from->factor;
        FLX_TRY(flx_path_direct(p, from, at));
    }
    at->factor = 0.5 * (i->factor[0] + i->factor[1]);
    return FLX_OK;
}

flx_status flx_path_find_critical(flx_path *p, const flx_path_place *from, double ds,
                                  const flx_path_place *to, flx_path_place *at, bool *found)
{
    flx_rest *e = &p->e;
    bool limit = flx_path_has_turned(from, to);
    bool sure =
        limit || (from->negative >= 0 && to->negative >= 0) || (from->sign != 0 && to->sign != 0);
    double first = limit ? from->t_factor : from->test, last = limit ? to->t_factor : to->test;
    double least = NEAR * fmin(fabs(first), fabs(last));
    interval i = {0.0, ds, first, last, {from->factor, to->factor}, 0};
    bool there = false; // at a limit point, where the path goes along the singular direction
    int failures = 0;
    *found = false;
    for (int k = 0; k < MOST_TRIES && failures < OTHERS && i.b - i.a > NEAR * ds; k++) {
        // every third place is the middle: false position can be slow from one side
        double c = k % 3 == 2 ? 0.5 * (i.a + i.b) : guess(&i);
        if (failures > 0) c = i.a + elsewhere[failures] * (i.b - i.a);
        flx_status status = try_place(p, from, c, at);
        there = limit && status == FLX_OK;
        if (status == FLX_SINGULAR) break; // there it is
        if (status < 0) return status;
        if (status > 0) { // too near to it for the iteration
            failures++;
            continue;
        }
        failures = 0;
        double value = limit ? at->t_factor : at->test;
        if (fabs(value) <= least) break;
        bool beyond = limit ? flx_path_has_turned(from, at) : flx_path_has_changed(from, at);
        i.factor[beyond] = at->factor;
        move_end(&i, c, value, !beyond);
    }
    if (failures == OTHERS) {
        if (!sure) return FLX_OK;
        FLX_TRY(approach(p, from, &i, at));
    }
    if (!sure && !(fabs(at->test) < ZERO * fmin(fabs(from->test), fabs(to->test)))) {
        return FLX_OK;
    }
    *found = true;
    if (limit && !there) memcpy(at->t, to->t, (size_t)e->n * sizeof *at->t);
    if (limit) return FLX_OK;
    // twice through the inverse: what is left is the direction that it makes large
    memcpy(at->t, p->probe, (size_t)e->n * sizeof *at->t);
    for (int k = 0; k < 2; k++) {
        double size = 0.0;
        FLX_TRY(flx_rest_solve(e, at->t));
        for (int n = 0; n < e->nv; n++) size = fmax(size, fabs(at->t[n]) / e->scale[n]);
        for (int n = 0; n < e->n; n++) at->t[n] /= size;
    }
    return FLX_OK;
}

flx_status flx_path_find_factor(flx_path *p, const flx_path_place *from, double ds, double factor,
                                flx_path_place *to)
{
    interval i = {0.0, ds, way_to(factor, from), way_to(factor, to), {0.0, 0.0}, 0};
    for (int k = 0; k < MOST_TRIES && i.b - i.a > NEAR * ds && to->factor != factor; k++) {
        double c = guess(&i);
        FLX_TRY(try_place(p, from, c, to));
        double f = way_to(factor, to);
        if (fabs(f) <= SAME * p->range) break;
        move_end(&i, c, f, f * way_to(factor, from) > 0.0);
    }
    return FLX_OK;
}
