// elastic_law.c - what a spring by a function stores and loses. With the pull F(x, v)
//
//     U = integral of F(s, 0) from 0 to x,   dissipated power = (F(x, v) - F(x, 0)) v               (SPR-5)
// The integral is by Lobatto's rule, on halves until they agree: laws may be tables with corners.
#include "expr/expr.h"
#include "force/force.h"
#include "math/quadrature.h"
#include "model/model_items.h"

#include <math.h>

#define POINTS 7 // the ends among them: a corner next to one of them is seen
#define DEEPEST 40
#define SAME 1e-14 // of the whole

static double pull_at(const flx_program *p, double x)
{
    double scratch[FLX_ELASTIC_SCRATCH], out = 0.0;
    flx_program_eval(p, &x, scratch, &out);
    return out;
}

static double panel(const flx_program *p, const double *at, const double *w, double a, double b)
{
    double sum = 0.0;
    for (int i = 0; i < POINTS; i++) sum += w[i] * pull_at(p, a + (b - a) * at[i]);
    return (b - a) * sum;
}

double flx_spring_law_stored(const flx_program *p, double x)
{
    double at[POINTS], w[POINTS], ends[DEEPEST + 2], whole[DEEPEST + 2], sum = 0.0;
    int n = 0;
    flx_quadrature_lobatto(POINTS, at, w);
    ends[0] = x; // of the panels that wait, the nearest to zero last
    whole[0] = panel(p, at, w, 0.0, x);
    double from = 0.0, size = fabs(whole[0]);
    while (n >= 0) {
        double b = ends[n], middle = from + 0.5 * (b - from);
        double first = panel(p, at, w, from, middle), second = panel(p, at, w, middle, b);
        size = fmax(size, fabs(first) + fabs(second));
        if (n == DEEPEST || !(fabs(first + second - whole[n]) > SAME * size)) {
            sum += first + second;
            from = b;
            n--;
            continue;
        }
        whole[n] = second;
        ends[n + 1] = middle;
        whole[n + 1] = first;
        n++;
    }
    return sum;
}

void flx_spring_law_energy(const flx_program *p, double x, double power, double rate,
                           flx_energies *e)
{
    e->strain += flx_spring_law_stored(p, x);
    e->dissipated_power += power - pull_at(p, x) * rate;
}
