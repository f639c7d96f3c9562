// course_extremes.c - extremes of measures within steps, sought with the method's dense output.
#include "integrate/method.h"
#include "simulate/course/course_parts.h"

#include <float.h>
#include <math.h>

enum { FIRST_PROBE = FLX_COURSE_PROBES };

// Places between two known ones where their polynomial is looked at, and how often again between them; the part of a step
// within which its top is that of the motion, and looks for it.
#define FINER 8
#define ZOOMS 2
#define ABOUT 0.02
#define MOST_LOOKS 12
// An extreme is found to this part of the largest value where no tolerance is asked for.
#define EXTREME 1e-11

// The value at a place of the step, in [0, 1], in the direction that is sought.
flx_status flx_course_look(flx_course_peak *p, double x, double *out)
{
    FLX_TRY(flx_course_place(p->sim, p->from + x * p->h));
    FLX_TRY(flx_course_observe_probes(p->sim, p->sim->inner));
    *out = p->sign * p->sim->probes.out[p->probe];
    p->looks++;
    return FLX_OK;
}

// Where the polynomial through the places is largest between a and b, looked at in equal parts.
static double find_top_within(int n, const double *x, const double *f, double a, double b,
                              int parts, double *top)
{
    double at = a;
    *top = -HUGE_VAL;
    for (int k = 0; k <= parts; k++) {
        double y = a + (b - a) * k / parts, value = flx_course_polynomial(n, x, f, y);
        if (!(value > *top)) continue;
        *top = value;
        at = y;
    }
    return at;
}

// ... over the whole step, and how large it is there.
static double find_top(int n, const double *x, const double *f, double *top)
{
    double width = 1.0 / (FINER * n), at = find_top_within(n, x, f, 0.0, 1.0, FINER * n, top);
    for (int round = 0; round < ZOOMS; round++, width *= 2.0 / FINER) {
        at = find_top_within(n, x, f, fmax(at - width, 0.0), fmin(at + width, 1.0), FINER, top);
    }
    return at;
}

// The top of the parabola through three places, and how large it is; the middle one where it has none between them.
static double vertex(const double *x, const double *f, double *top)
{
    double a = (f[1] - f[0]) / (x[1] - x[0]), b = (f[2] - f[1]) / (x[2] - x[1]);
    double bend = (b - a) / (x[2] - x[0]), slope = a + bend * (x[1] - x[0]); // at the middle
    *top = f[1];
    if (!(bend < 0.0)) return x[1];
    double at = x[1] - 0.5 * slope / bend;
    if (!(at > x[0] && at < x[2])) return x[1];
    *top = f[1] - 0.25 * slope * slope / bend;
    return at;
}

// From three places about the top: parabolas until they promise no more than the tolerance.
static flx_status climb(flx_course_peak *p, double at, double tolerance)
{
    double x[3] = {fmax(at - ABOUT, 0.0), at, fmin(at + ABOUT, 1.0)}, f[3], top;
    if (!(x[1] > x[0] && x[1] < x[2])) x[1] = 0.5 * (x[0] + x[2]);
    for (int k = 0; k < 3; k++) FLX_TRY(flx_course_look(p, x[k], &f[k]));
    while (p->looks < MOST_LOOKS) {
        double y = vertex(x, f, &top), value;
        if (y == x[1] || !(top > fmax(f[1], fmax(f[0], f[2])) + tolerance)) return FLX_OK;
        FLX_TRY(flx_course_look(p, y, &value));
        int side = y > x[1] ? 2 : 0; // where the new place is
        if (value > f[1]) {          // the middle becomes the other end
            x[2 - side] = x[1];
            f[2 - side] = f[1];
            x[1] = y;
            f[1] = value;
        } else {
            x[side] = y;
            f[side] = value;
        }
    }
    return FLX_OK;
}

// Beyond what is known at n places of the step, where that may be.
static flx_status seek(flx_course_peak *p, int n, const double *x, const double *f)
{
    const flx_probe_value *v = &p->sim->probe_values[p->probe];
    double rtol = p->sim->it->def.step > 0.0 ? EXTREME : 0.1 * p->sim->it->def.rtol;
    if (p->sim->sharp) rtol = DBL_EPSILON;
    double tolerance = rtol * fmax(fabs(v->low), fabs(v->high)), top;
    double at = find_top(n, x, f, &top), record = p->sign > 0.0 ? v->high : -v->low;
    if (!(isfinite(top) && top > record + tolerance)) return FLX_OK;
    bool was = flx_course_close_along(p->sim, true);
    flx_status status = climb(p, at, tolerance);
    flx_course_close_along(p->sim, was);
    return status;
}

// Whether an extreme may lie inside a step of which the ends alone are known: by the change over it and over the one
// before.
static bool may_exceed(const flx_simulation *sim, int i, double sign, const double *end)
{
    const flx_quadrature *q = &sim->course;
    int at = FIRST_PROBE + i;
    double before = q->past[at], far = q->known > 1 ? q->past[q->n + at] : before;
    double reach = fabs(end[at] - before) + fabs(before - far);
    const flx_probe_value *v = &sim->probe_values[i];
    double record = sign > 0.0 ? v->high : -v->low;
    return sign * end[at] + reach > record || sign * before + reach > record;
}

static flx_status find_extreme(flx_simulation *sim, int i, double sign, double from, double t,
                               const double *inner, const double *end)
{
    const flx_quadrature *q = &sim->course;
    double x[FLX_LOBATTO_INNER + 2], f[FLX_LOBATTO_INNER + 2];
    int n = 0, at = FIRST_PROBE + i;
    flx_course_peak p = {sim, i, sign, from, t - from, 0};
    x[n] = 0.0;
    f[n++] = sign * q->past[at];
    for (int k = 0; k < q->inner && inner; k++) {
        x[n] = flx_quadrature_place(q, k);
        f[n++] = sign * inner[k * q->n + at];
    }
    if (!inner && !may_exceed(sim, i, sign, end)) return FLX_OK;
    for (int k = 1; k < 3 && !inner; k++) {
        x[n] = k / 3.0;
        FLX_TRY(flx_course_look(&p, x[n], &f[n]));
        n++;
    }
    x[n] = 1.0;
    f[n++] = sign * end[at];
    return seek(&p, n, x, f);
}

// Extremes of measures within the step. Where contacts are met step by step, the ends are all there is.
flx_status flx_course_find_extremes(flx_simulation *sim, double from, double t, const double *inner,
                                    const double *end)
{
    const flx_outputs *o = &sim->model->outputs;
    if (sim->sys->ops->touches && sim->it->type->meets_touches) return FLX_OK;
    for (int i = 0; i < o->nprobe && t > from; i++) {
        flx_measure_kind kind = o->probes[i].kind;
        if (kind != FLX_MEASURE_MAXIMUM && kind != FLX_MEASURE_MINIMUM) continue;
        if (sim->idle && sim->idle[i]) continue;
        FLX_TRY(
            find_extreme(sim, i, kind == FLX_MEASURE_MAXIMUM ? 1.0 : -1.0, from, t, inner, end));
    }
    return FLX_OK;
}
