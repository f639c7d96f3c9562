// fmu_values.c - variables of an instance by their references; derivatives of outputs by inputs.
#include "fmi/runtime/instance.h"

#include "fmi/fmu_exchange.h"

#include <math.h>

static flx_status refuse_reference(flx_fmu *f, unsigned reference, const char *what)
{
    return flx_fmu_refuse(f, "the FMU has no variable with value reference %u that can be %s",
                          reference, what);
}

// One of the numbers of model exchange.
static flx_status get_exchanged(flx_fmu *f, unsigned reference, double *out)
{
    int kind = flx_fmu_kind(reference), i = flx_fmu_number(reference);
    if (!f->exchange) return refuse_reference(f, reference, "read");
    int n =
        kind == FLX_FMU_INDICATOR ? flx_fmu_indicator_count(f->run) : flx_fmu_state_count(f->run);
    if (i >= n) return refuse_reference(f, reference, "read");
    if (f->mode == FLX_FMU_INSTANTIATED || f->mode == FLX_FMU_INITIALISING) {
        FLX_TRY(flx_fmu_settle(f));
        FLX_TRY(flx_fmu_exchange_take(f));
    }
    double *all = flx_alloc(f->ctx, (size_t)n, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    flx_fmu_part part = kind == FLX_FMU_STATE        ? FLX_FMU_OF_STATES
                        : kind == FLX_FMU_DERIVATIVE ? FLX_FMU_OF_RATES
                                                     : FLX_FMU_OF_INDICATORS;
    flx_status status = flx_fmu_exchange_get(f, part, all, (size_t)n);
    if (status == FLX_OK) *out = all[i];
    flx_free(all);
    return status;
}

flx_status flx_fmu_get(flx_fmu *f, unsigned reference, double *out)
{
    int i = flx_fmu_number(reference);
    double now[3];
    switch (flx_fmu_kind(reference)) {
    case FLX_FMU_TIME:
        if (i != 0) break;
        if (f->exchange && f->mode == FLX_FMU_STEPPING) FLX_TRY(flx_fmu_exchange_settle(f));
        *out = flx_run_time(f->run);
        return FLX_OK;
    case FLX_FMU_INPUT:
        if (i >= f->ninput) break;
        *out = f->given[3 * i];
        if (f->ngiven[i] > 0) return FLX_OK;
        FLX_TRY(flx_run_get_input(f->run, i, now));
        *out = now[0];
        return FLX_OK;
    case FLX_FMU_PARAMETER:
        if (i >= f->nparameter) break;
        *out = f->values[i];
        return FLX_OK;
    case FLX_FMU_OUTPUT:
        if (i >= f->noutput) break;
        FLX_TRY(flx_fmu_settle(f));
        *out = flx_run_get(f->run, i);
        return FLX_OK;
    case FLX_FMU_STATE:
    case FLX_FMU_DERIVATIVE:
    case FLX_FMU_INDICATOR:
        return get_exchanged(f, reference, out);
    default:
        break;
    }
    return refuse_reference(f, reference, "read");
}

flx_status flx_fmu_set(flx_fmu *f, unsigned reference, double value)
{
    int i = flx_fmu_number(reference), kind = flx_fmu_kind(reference);
    if (!isfinite(value)) {
        return flx_fmu_refuse(f, "variable %u cannot have a value that is not finite", reference);
    }
    if (kind == FLX_FMU_INPUT && i < f->ninput) {
        f->given[3 * i] = value;
        f->given[3 * i + 1] = f->given[3 * i + 2] = 0.0;
        f->ngiven[i] = 1;
        return FLX_OK;
    }
    if (kind == FLX_FMU_PARAMETER && i < f->nparameter) {
        if (f->mode != FLX_FMU_INSTANTIATED && f->mode != FLX_FMU_INITIALISING) {
            return flx_fmu_refuse(f,
                                  "parameter %u is fixed: it is set before the end of the "
                                  "initialisation",
                                  reference);
        }
        f->tuned = f->tuned || f->values[i] != value;
        f->values[i] = value;
        return FLX_OK;
    }
    return refuse_reference(f, reference, "set");
}

flx_status flx_fmu_set_slope(flx_fmu *f, unsigned reference, int order, double value)
{
    int i = flx_fmu_number(reference);
    if (flx_fmu_kind(reference) != FLX_FMU_INPUT || i >= f->ninput) {
        return refuse_reference(f, reference, "given with derivatives");
    }
    if (order < 1 || order > 2 || !isfinite(value)) {
        return flx_fmu_refuse(
            f, "inputs take finite derivatives of order 1 and 2, not %g of order %d", value, order);
    }
    if (f->ngiven[i] == 0) { // its value goes on
        FLX_TRY(flx_run_get_input(f->run, i, f->given + 3 * i));
        f->ngiven[i] = 1;
    }
    f->given[3 * i + order] = value;
    if (f->ngiven[i] < order + 1) f->ngiven[i] = order + 1;
    return FLX_OK;
}

flx_status flx_fmu_derive(flx_fmu *f, int nof, const unsigned *of, int nby, const unsigned *by,
                          const double *seed, double *out)
{
    if (f->exchange && f->mode == FLX_FMU_STEPPING)
        return flx_fmu_exchange_derive(f, nof, of, nby, by, seed, out);
    int *numbers = flx_alloc(f->ctx, (size_t)nof + (size_t)nby, sizeof *numbers);
    if (!numbers) return FLX_ERR_MEMORY;
    flx_status status = flx_fmu_settle(f);
    for (int i = 0; status == FLX_OK && i < nof + nby; i++) {
        unsigned reference = i < nof ? of[i] : by[i - nof];
        int kind = i < nof ? FLX_FMU_OUTPUT : FLX_FMU_INPUT;
        numbers[i] = flx_fmu_number(reference);
        if (flx_fmu_kind(reference) != kind || numbers[i] >= (i < nof ? f->noutput : f->ninput)) {
            status = flx_fmu_refuse(f, "derivatives are of outputs by inputs: variable %u is %s",
                                    reference, i < nof ? "no output" : "no input");
        }
    }
    if (status == FLX_OK) {
        status = flx_run_directional(f->run, nof, numbers, nby, numbers + nof, seed, out);
    }
    flx_free(numbers);
    return status;
}
