// fmu_direct.c - FMUs of models in this process: no round trip, and what an FMU does wrong the program does.
#include "cli/fmu/fmu_host.h"

#include <stdlib.h>
#include <string.h>

static char failed[600]; // why the last instance could not be made

static flx_status status_of(bool done)
{
    return done ? FLX_OK : FLX_INTERRUPTED;
}

static flx_status create(void *user, flx_fmu_info *info, int isolate, void **instance)
{
    (void)user, (void)isolate;
    cli_fmu *f = calloc(1, sizeof *f);
    *instance = NULL;
    if (!f) return FLX_ERR_MEMORY;
    if (cli_fmu_open(f, info)) {
        *instance = f;
        return FLX_OK;
    }
    memcpy(failed, f->why, sizeof failed);
    cli_fmu_close(f);
    free(f);
    return FLX_INTERRUPTED;
}

static void destroy(void *instance)
{
    cli_fmu_close(instance);
    free(instance);
}

static flx_status set(void *instance, int n, const int *ports, const double *values)
{
    cli_fmu *f = instance;
    bool done = true;
    for (int i = 0; i < n && done; i++) done = f->calls->set(f, ports[i], values[i]);
    return status_of(done);
}

static flx_status start(void *instance, double t, double tolerance, double stop)
{
    cli_fmu *f = instance;
    return status_of(f->calls->start(f, t, tolerance, stop));
}

static flx_status set_slopes(void *instance, int n, const int *ports, const double *slopes)
{
    cli_fmu *f = instance;
    bool done = f->calls->set_slope != NULL;
    for (int i = 0; i < n && done; i++) done = f->calls->set_slope(f, ports[i], slopes[i]);
    return status_of(done);
}

// An FMU may end a step early; it is asked to go on.
static flx_status step(void *instance, double t, double h, int *ended)
{
    cli_fmu *f = instance;
    double end = t + h, at = t;
    bool over = false;
    *ended = 0;
    while (!over && at < end - 1e-12 * h) {
        double reached = at;
        if (!f->calls->step(f, at, end - at, &reached, &over) || (!over && !(reached > at)))
            return FLX_INTERRUPTED;
        at = reached;
    }
    *ended = over;
    return FLX_OK;
}

static flx_status get(void *instance, int n, const int *ports, double *values)
{
    cli_fmu *f = instance;
    bool done = true;
    for (int i = 0; i < n && done; i++) {
        int count = f->info->ports[ports[i]].count;
        done = f->calls->get(f, ports[i], count, values);
        values += count;
    }
    return status_of(done);
}

static flx_status get_slopes(void *instance, int n, const int *ports, double *slopes)
{
    cli_fmu *f = instance;
    bool done = true;
    for (int i = 0; i < n && done; i++) {
        done = f->calls->get_slope(f, ports[i], slopes);
        slopes += f->info->ports[ports[i]].count;
    }
    return status_of(done);
}

static flx_status save(void *instance, const void **bytes, size_t *size)
{
    cli_fmu *f = instance;
    bool done = f->calls->save(f);
    *bytes = f->bytes;
    *size = done ? f->size : 0;
    return status_of(done);
}

static flx_status restore(void *instance, const void *bytes, size_t size)
{
    cli_fmu *f = instance;
    return status_of(f->calls->restore(f, bytes, size));
}

static const char *why(void *instance)
{
    return instance ? ((cli_fmu *)instance)->why : failed;
}

const flx_fmu_host cli_fmus_here = {
    sizeof(flx_fmu_host), NULL, create,  destroy, set, start, set_slopes, step, get,
    get_slopes,           save, restore, why};
