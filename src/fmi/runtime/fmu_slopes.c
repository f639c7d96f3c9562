// fmu_slopes.c - derivatives of an instance for model exchange: of rates and outputs by states and inputs along a direction, by differences whose
// error is looked at (DIFF-1). Switches stay as they are.
#include "fmi/fmu_exchange.h"
#include "fmi/runtime/instance.h"
#include "math/slope.h"

#include <math.h>

#define STEP 1e-3 // of the largest change, relative to the size of what changes

typedef struct direction {
    flx_fmu *f;
    int nof, nby, nz;
    const unsigned *of, *by;
    const double *seed;
    double *z0, *z, *dz; // (nz)
    double *u0;          // (ninput)
} direction;

static flx_status check(flx_fmu *f, unsigned reference, bool of, int nz)
{
    int kind = flx_fmu_kind(reference), i = flx_fmu_number(reference);
    bool good =
        of ? (kind == FLX_FMU_OUTPUT && i < f->noutput) || (kind == FLX_FMU_DERIVATIVE && i < nz)
           : (kind == FLX_FMU_INPUT && i < f->ninput) || (kind == FLX_FMU_STATE && i < nz);
    if (good) return FLX_OK;
    return flx_fmu_refuse(f,
                          "derivatives are of outputs and rates by inputs and states: variable %u "
                          "is none of these",
                          reference);
}

static flx_status put(direction *d, double by)
{
    memcpy(d->z, d->z0, (size_t)d->nz * sizeof *d->z);
    for (int k = 0; k < d->nby; k++) {
        int i = flx_fmu_number(d->by[k]);
        if (flx_fmu_kind(d->by[k]) == FLX_FMU_STATE) {
            d->z[i] += by * d->seed[k];
        } else {
            FLX_TRY(flx_fmu_set(d->f, d->by[k], d->u0[i] + by * d->seed[k]));
        }
    }
    return flx_fmu_exchange_set(d->f, d->z, (size_t)d->nz);
}

static flx_status eval(void *user, double by, double *out)
{
    direction *d = user;
    FLX_TRY(put(d, by));
    FLX_TRY(flx_fmu_exchange_get(d->f, FLX_FMU_OF_RATES, d->dz, (size_t)d->nz));
    for (int k = 0; k < d->nof; k++) {
        int i = flx_fmu_number(d->of[k]);
        out[k] =
            flx_fmu_kind(d->of[k]) == FLX_FMU_DERIVATIVE ? d->dz[i] : flx_run_get(d->f->run, i);
    }
    return FLX_OK;
}

// How far along the direction what changes changes by STEP of its size.
static double longest(const direction *d)
{
    double h = HUGE_VAL;
    for (int k = 0; k < d->nby; k++) {
        int i = flx_fmu_number(d->by[k]);
        double x = flx_fmu_kind(d->by[k]) == FLX_FMU_STATE ? d->z0[i] : d->u0[i];
        if (d->seed[k] != 0.0) h = fmin(h, STEP * fmax(1.0, fabs(x)) / fabs(d->seed[k]));
    }
    return h;
}

static flx_status find(direction *d, double *f0, double *scratch, double *out)
{
    flx_slope s = {.n = d->nof, .user = d, .eval = eval, .f0 = f0, .scratch = scratch};
    FLX_TRY(flx_fmu_exchange_get(d->f, FLX_FMU_OF_STATES, d->z0, (size_t)d->nz));
    for (int i = 0; i < d->f->ninput; i++) {
        double now[3];
        if (d->f->ngiven[i] > 0) {
            d->u0[i] = d->f->given[3 * i];
        } else {
            FLX_TRY(flx_run_get_input(d->f->run, i, now));
            d->u0[i] = now[0];
        }
    }
    s.step = longest(d);
    memset(out, 0, (size_t)d->nof * sizeof *out);
    if (!isfinite(s.step)) return FLX_OK; // nothing changes
    FLX_TRY(eval(d, 0.0, f0));
    flx_status status = flx_slope_find(&s, out);
    flx_status back = put(d, 0.0);
    return status != FLX_OK ? status : back;
}

flx_status flx_fmu_exchange_derive(flx_fmu *f, int nof, const unsigned *of, int nby,
                                   const unsigned *by, const double *seed, double *out)
{
    int nz = flx_fmu_state_count(f->run);
    direction d = {.f = f, .nof = nof, .of = of, .nby = nby, .by = by, .seed = seed, .nz = nz};
    for (int k = 0; k < nof; k++) FLX_TRY(check(f, of[k], true, nz));
    for (int k = 0; k < nby; k++) FLX_TRY(check(f, by[k], false, nz));
    size_t n = (size_t)nof, states = (size_t)nz;
    double *room = flx_alloc(
        f->ctx, 3 * states + (size_t)f->ninput + (1 + FLX_SLOPE_SCRATCH) * n + 1, sizeof *room);
    if (!room) return FLX_ERR_MEMORY;
    d.z0 = room;
    d.z = d.z0 + states;
    d.dz = d.z + states;
    d.u0 = d.dz + states;
    double *f0 = d.u0 + f->ninput;
    flx_status status = find(&d, f0, f0 + n, out);
    flx_free(room);
    return status;
}
