// explicit_control.c - how long the steps of explicit Runge-Kutta methods are, and what becomes of those that fail.
#include "integrate/explicit/explicit_form.h"
#include "integrate/explicit/explicit_rk_parts.h"

#include <float.h>
#include <math.h>

#define SAFETY 0.9
// A stage that cannot be evaluated (a singular position, a domain error) asks for a smaller step.
#define FAILED_STAGE_FACTOR 0.25
// A rejected step that is shorter than this part of the usual one makes the method careful, for so
// many steps.
#define SHORT_STEP 0.4
#define CAREFUL_STEPS 20
#define CAREFUL_TRIES 12
#define CAREFUL_FACTOR 0.8
// With every try beyond the third that leaves more than this part of the error the error may be larger by that factor:
// what the estimate sees there is rounding, which no step makes smaller. Near a singular position, not at it, shorter
// steps do.
#define CAREFUL_STALLED 0.7
#define CAREFUL_PATIENCE 3.0
// Where the constraints are more regular than this, a short step has another reason.
#define NEARLY_SINGULAR 5e-3
// An end that the projection moves by more than so many tolerances, and by more than this part of itself, is none: a step
// moves it by a fraction of a tolerance, at a singular position by a hundred, and where the drawing does not quite close by
// more. A step over a position that is nearly singular, where velocities turn at once, ends with velocities that were others.
#define FARTHEST 1e3
#define FARTHEST_PART 1e-3
// Of the largest number: what the projection moves by rounding.
#define MOVED_BY_ROUNDING (1e3 * DBL_EPSILON)

double flx_rk_thrown(const explicit_rk *p)
{
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < p->n; i++) largest = fmax(largest, fabs(p->z1[i]));
    for (int i = 0; i < p->n; i++) {
        double size = fmax(fabs(p->z[i]), fabs(p->z1[i]));
        double w =
            (p->z1[i] - p->near[i]) / (p->atol + p->rtol * size + MOVED_BY_ROUNDING * largest);
        sum += w * w;
    }
    double moved = p->n ? sqrt(sum / p->n) : 0.0;
    return moved > fmax(FARTHEST, FARTHEST_PART / p->rtol) ? moved : 0.0;
}

double flx_rk_next_step(explicit_rk *p, double h, double error)
{
    const flx_rk_pair *r = p->pair;
    double power = 1.0 / r->error_order - 0.75 * r->beta;
    double factor = SAFETY * pow(fmax(error, 1e-10), -power);
    if (r->beta > 0.0) factor *= pow(p->error, r->beta);
    factor = fmin(r->largest_factor, fmax(r->smallest_factor, factor));
    if (p->rejected) factor = fmin(factor, 1.0);
    p->error = fmax(error, 1e-4);
    return h * factor;
}

void flx_rk_shorten(flx_integrator *it, double h, double error, double smallest, flx_rk_attempt *a)
{
    explicit_rk *p = it->data;
    double factor = FAILED_STAGE_FACTOR;
    if (error < HUGE_VAL) {
        factor = SAFETY * pow(error, -1.0 / p->pair->error_order);
        factor = fmax(p->pair->smallest_factor, factor);
    }
    it->stats.rejected++;
    p->rejected = true;
    a->rejections++;
    bool stalled = !(error < CAREFUL_STALLED * a->last);
    if (p->careful > 0 && a->rejections > 3 && stalled) a->allowed *= CAREFUL_PATIENCE;
    a->last = error;
    // a stage too near to a singular position: another step, not a smaller one, avoids it
    if (p->careful > 0 && a->rejections <= CAREFUL_TRIES) factor = CAREFUL_FACTOR;
    p->h = fmax(h * factor, 0.5 * smallest);
    bool singular = p->form->regularity == NULL || p->regularity < NEARLY_SINGULAR;
    if (p->careful == 0 && p->projects && singular && p->h < SHORT_STEP * p->usual) {
        p->careful = CAREFUL_STEPS;
        p->h = fmax(a->first, p->usual);
        a->rejections = 0;
    }
}

flx_status flx_rk_give_up(flx_integrator *it, flx_status last, bool far)
{
    const explicit_rk *p = it->data;
    if (last != FLX_OK) {
        return flx_method_fail(it, last, flx_explicit_worst(it), 0, 0, NULL,
                               it->def.step > 0.0
                                   ? "a smaller step, or method radau or generalized-alpha"
                                   : "method radau or generalized-alpha");
    }
    if (far) {
        return flx_method_fail(
            it, FLX_STEP_TOO_SMALL, -1, 0, 0,
            "near a singular position the constraints change the velocities at the "
            "end of every step",
            "method radau");
    }
    return flx_method_fail(it, FLX_STEP_TOO_SMALL, -1, 0, 0,
                           p->stiff ? "the step became too small on a stiff motion"
                                    : "the step became too small",
                           p->stiff ? "method radau or generalized-alpha"
                                    : "larger tolerances, and look for a jump in a force");
}
