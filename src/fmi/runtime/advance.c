// advance.c - an instance in time.
#include "fmi/runtime/instance.h"

#include <float.h>
#include <math.h>

// Communication points are sums of steps: they are off by rounding.
#define SAME_TIME (1e4 * DBL_EPSILON)

// Step by step of the method, so that an event can end it.
static flx_status go_to_event(flx_fmu *f, double end)
{
    long before = f->events;
    double most = end - flx_run_time(f->run);
    while (most > SAME_TIME * fmax(fabs(end), 1.0)) {
        double taken;
        FLX_TRY(flx_run_step(f->run, most, &taken));
        if (f->events > before) return FLX_OK;
        most = end - flx_run_time(f->run);
    }
    return flx_run_time(f->run) == end ? FLX_OK : flx_run_advance(f->run, end);
}

flx_status flx_fmu_advance(flx_fmu *f, double t, double h, bool early, double *reached)
{
    double now = flx_run_time(f->run), end = t + h;
    *reached = now;
    if (!(h >= 0.0) || !isfinite(end)) {
        return flx_fmu_refuse(f, "a communication step cannot be %g long", h);
    }
    if (!(fabs(t - now) <= SAME_TIME * fmax(fabs(t), 1.0))) {
        return flx_fmu_refuse(
            f, "the communication step begins at t = %.12g, and the instance is at t = %.12g", t,
            now);
    }
    if (f->stopped) return FLX_STOPPED;
    flx_status status = flx_fmu_settle(f);
    if (status == FLX_OK && end > now) {
        status = early ? go_to_event(f, end) : flx_run_advance(f->run, end);
    }
    if (status == FLX_STOPPED) f->stopped = true;
    flx_fmu_tell(f);
    *reached = flx_run_time(f->run);
    return status;
}
