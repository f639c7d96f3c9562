// fmu_direct.c - FMUs of models in this process: no round trip, and what an FMU does wrong the program does.
#include "cli/fmu/fmu_host.h"

#include <math.h>
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

// ---- model exchange -----------------------------------------------------------------------------

#define STEP 6e-6 // of differences: the third root of the rounding

static flx_status create_exchange(void *user, flx_fmu_info *info, int isolate, int nin,
                                  const int *in, int nout, const int *out, void **instance)
{
    (void)user, (void)isolate;
    cli_fmu *f = calloc(1, sizeof *f);
    *instance = NULL;
    if (!f) return FLX_ERR_MEMORY;
    if (cli_fmu_open_exchange(f, info, nin, in, nout, out)) {
        *instance = f;
        return FLX_OK;
    }
    memcpy(failed, f->why, sizeof failed);
    cli_fmu_close(f);
    free(f);
    return FLX_INTERRUPTED;
}

static flx_status rows(void *instance, double t, const double *x, const double *u, double *out)
{
    cli_fmu *f = instance;
    return status_of(f->calls->rows(f, t, x, u, out));
}

static int count_outputs(const cli_fmu *f, bool *real)
{
    int n = 0;
    *real = true;
    for (int i = 0; i < f->nout; i++) {
        const flx_fmu_port *p = f->info->ports + f->out[i];
        *real = *real && (strcmp(p->type, "Real") == 0 || strcmp(p->type, "Float64") == 0);
        n += p->count;
    }
    return n;
}

// Central differences along t, each state and each input, and what the FMU gives itself in their place.
static flx_status row_slopes(void *instance, double t, const double *x, const double *u,
                             double *slopes)
{
    cli_fmu *f = instance;
    const flx_fmu_info *info = f->info;
    bool real;
    int nx = info->nstate, n = 1 + nx + f->nin, given = nx + count_outputs(f, &real);
    int nrow = given + info->nindicator;
    double *at = malloc(((size_t)n + 2 * (size_t)nrow + 1) * sizeof *at), *up = at + n,
           *down = up + nrow;
    if (!at) return FLX_ERR_MEMORY;
    at[0] = t;
    memcpy(at + 1, x, (size_t)nx * sizeof *at);
    memcpy(at + 1 + nx, u, (size_t)f->nin * sizeof *at);
    bool done = true, gives = info->exchange_derives && real;
    for (int k = 0; k < n && done; k++) {
        if (gives && k > 0 && info->nindicator == 0) continue;
        double kept = at[k], h = STEP * fmax(1.0, fabs(kept));
        at[k] = kept + h;
        done = f->calls->rows(f, at[0], at + 1, at + 1 + nx, up);
        at[k] = kept - h;
        done = done && f->calls->rows(f, at[0], at + 1, at + 1 + nx, down);
        at[k] = kept;
        for (int i = 0; i < nrow && done; i++) slopes[i * n + k] = (up[i] - down[i]) / (2.0 * h);
    }
    done = done && f->calls->rows(f, t, x, u, up);
    for (int k = 1; k < n && done && gives; k++) {
        int port = k <= nx ? info->states[k - 1] : f->in[k - 1 - nx];
        done = f->calls->along(f, port, down);
        for (int i = 0; i < given && done; i++) slopes[i * n + k] = down[i];
    }
    free(at);
    return status_of(done);
}

static flx_status event(void *instance, int first, double t, double *x, const double *u,
                        double *next, int *ended)
{
    cli_fmu *f = instance;
    bool over = false;
    flx_status status = status_of(f->calls->event(f, first != 0, t, x, u, next, &over));
    *ended = over;
    return status;
}

static const char *why(void *instance)
{
    return instance ? ((cli_fmu *)instance)->why : failed;
}

const flx_fmu_host cli_fmus_here = {sizeof(flx_fmu_host),
                                    NULL,
                                    create,
                                    destroy,
                                    set,
                                    start,
                                    set_slopes,
                                    step,
                                    get,
                                    get_slopes,
                                    save,
                                    restore,
                                    why,
                                    create_exchange,
                                    rows,
                                    row_slopes,
                                    event};
