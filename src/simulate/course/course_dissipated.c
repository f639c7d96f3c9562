// course_dissipated.c - the energy dissipated so far, where measures read it: an integral of powers, at the ends of steps and between.
//
// Powers of a step are found before its measures. With P the polynomial through them, of which the rules of run_integrals.c give the
// integral over the step, between the ends
//     D(t) = D_0 + int P dt                                                                            (LED-6)
// and where the ends alone are known Hermite's polynomial through D and the powers there.
#include "math/quadrature.h"
#include "simulate/course/course_parts.h"

#include <math.h>

#define GAUSS 3 // places, good for polynomials through six

static double between(const flx_passing *p, double c)
{
    double h = p->to - p->from, x[GAUSS], w[GAUSS], sum = p->begin;
    if (p->n == 2) {
        double e = 1.0 - c;
        return p->begin + c * c * (3.0 - 2.0 * c) * (p->end - p->begin) +
               h * c * e * (e * p->power[0] - c * p->power[1]);
    }
    flx_quadrature_gauss(GAUSS, x, w);
    for (int k = 0; k < GAUSS; k++)
        sum += h * c * w[k] * flx_course_polynomial(p->n, p->place, p->power, c * x[k]);
    return sum;
}

bool flx_course_reads_dissipated(const flx_simulation *sim)
{
    return sim->measures_dissipated || (sim->sharp && sim->shows_dissipated);
}

double flx_course_dissipated_at(const flx_simulation *sim, double t)
{
    const flx_passing *p = &sim->passing;
    double sum = sim->course.sum[FLX_COURSE_DISSIPATED];
    if (t > p->from && t < p->to) {
        sum = between(p, (t - p->from) / (p->to - p->from));
    } else if (p->open) {
        sum = t > p->from ? p->end : p->begin;
    }
    return flx_course_dissipated(sim, sum);
}

flx_status flx_course_foresee(flx_simulation *sim, double from, const flx_state *x)
{
    enum { POWER = FLX_COURSE_DISSIPATED };
    flx_passing *p = &sim->passing;
    flx_quadrature *q = &sim->course;
    flx_energies e;
    int n = q->inner;
    *p = (flx_passing){.open = true, .from = from, .to = x->t, .begin = q->sum[POWER], .n = n + 2};
    p->end = p->begin;
    p->place[n + 1] = 1.0;
    if (!(x->t > from) || !sim->powered) return FLX_OK;
    for (int k = 0; k < n; k++) {
        p->place[k + 1] = flx_quadrature_place(q, k);
        FLX_TRY(flx_account_power(sim, from + p->place[k + 1] * (x->t - from), p->power + k + 1));
    }
    FLX_TRY(flx_account_find_energies(sim, x, &e));
    p->power[0] = q->past[POWER];
    p->power[n + 1] = e.dissipated_power;
    for (int k = 0; k < n; k++) sim->course_inner[k * q->n + POWER] = p->power[k + 1];
    sim->course_value[POWER] = p->power[n + 1];
    p->end +=
        flx_quadrature_passes(q, POWER, x->t, n > 0 ? sim->course_inner : NULL, sim->course_value);
    return FLX_OK;
}
