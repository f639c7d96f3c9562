// integrate.c - from here to there, with output on schedule.
#include "integrate/method.h"

#include <math.h>

// Times closer than this part of a step are one time.
#define SAME 1e-9

// The output times, merged: which one is next.
typedef struct agenda {
    const flx_schedule *schedule;
    double start;
    long every; // the next multiple of `every`
    int time;   // the next of `times`
} agenda;

static double every_time(const agenda *a)
{
    if (!(a->schedule->every > 0.0)) return HUGE_VAL;
    return a->start + (double)a->every * a->schedule->every;
}

static double listed_time(const agenda *a)
{
    return a->time < a->schedule->ntimes ? a->schedule->times[a->time] : HUGE_VAL;
}

static double next_output(const agenda *a)
{
    return fmin(every_time(a), listed_time(a));
}

// Leave every time up to t behind.
static void pass(agenda *a, double t)
{
    while (every_time(a) <= t) a->every++;
    while (listed_time(a) <= t) a->time++;
}

static flx_status check(const flx_integrator *it, const flx_state *x, const flx_schedule *s)
{
    if (!isfinite(s->until) || s->until < x->t) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the end t = %.9g lies before the start t = %.9g", s->until, x->t);
    }
    if (!isfinite(s->every) || s->every < 0.0) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "the time between outputs must be positive");
    }
    for (int i = 0; i < s->ntimes; i++) {
        if (isfinite(s->times[i]) && (i == 0 || s->times[i] >= s->times[i - 1])) continue;
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "output times must ascend");
    }
    return FLX_OK;
}

// Output times inside the step that ended at x, up to x->t itself.
static flx_status output_inside(flx_integrator *it, agenda *a, const flx_state *x, double h,
                                flx_output_callback output, void *user)
{
    flx_state *out = flx_method_of(it)->output;
    for (double t = next_output(a); t < x->t - SAME * h; t = next_output(a)) {
        FLX_TRY(flx_integrator_interpolate(it, t, out));
        if (output(user, out)) return FLX_INTERRUPTED;
        pass(a, t);
    }
    bool due = a->schedule->steps || next_output(a) <= x->t + SAME * h;
    pass(a, x->t + SAME * h);
    if (due && x->t < a->schedule->until && output(user, x)) return FLX_INTERRUPTED;
    return FLX_OK;
}

flx_status flx_integrate(flx_integrator *it, flx_state *x, const flx_schedule *schedule,
                         flx_output_callback output, void *user)
{
    FLX_TRY(check(it, x, schedule));
    agenda a = {.schedule = schedule, .start = x->t};
    double start = x->t, until = schedule->until, step = it->def.step;
    if (output(user, x)) return FLX_INTERRUPTED;
    pass(&a, start);
    for (long k = 1; x->t < until; k++) {
        // multiples of the step, not sums of it; the last one is what is left
        double goal = step > 0.0 ? start + (double)k * step : until, h = goal - x->t, taken;
        if (goal > until - SAME * step) h = until - x->t;
        FLX_TRY(flx_integrator_step(it, x, h, &taken));
        if (fabs(x->t - until) <= SAME * taken) x->t = until;
        FLX_TRY(output_inside(it, &a, x, taken, output, user));
    }
    if (until > start && output(user, x)) return FLX_INTERRUPTED;
    return FLX_OK;
}
