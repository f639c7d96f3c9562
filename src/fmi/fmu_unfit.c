// fmu_unfit.c - what the library inside FMUs cannot do is refused when the FMU is written, not where it is run.
#include "fmi/fmu_unfit.h"

#include "integrate/method.h"
#include "model/fmu/fmu_data.h"
#include "model/gain_keys.h"
#include "simulate/run_parts.h"
#include "simulate/simulation_parts.h"

static flx_status refuse_external(flx_ctx *ctx, const flx_model *m)
{
    flx_loc loc;
    const char *name = flx_model_external(m, 0, NULL, &loc);
    if (!name) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_CANNOT, loc,
                    "an FMU runs without the program that gives the external function '%s': write "
                    "it as a formula or a table",
                    name);
}

// Optimal controls that the run takes, or that gains along them do.
static flx_status refuse_optimal_control(flx_ctx *ctx, const flx_model *m)
{
    for (int i = 0; m->awaited && i < m->nanalysis; i++) {
        const flx_analysis *a = m->analyses + i;
        if (!m->awaited[i]) continue;
        if (a->kind == FLX_ANALYSIS_LQR) {
            const flx_gain_keys *gains = a->own;
            if (gains->way.along >= 0) a = m->analyses + gains->way.along;
        }
        if (a->kind != FLX_ANALYSIS_OPTIMAL_CONTROL) continue;
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, a->loc,
                        "an FMU solves no optimal control: let the model take what '%s' has found "
                        "from a table",
                        a->name);
    }
    return FLX_OK;
}

flx_status flx_fmu_refuse_model(flx_ctx *ctx, const flx_model *m)
{
    FLX_TRY(refuse_external(ctx, m));
    if (m->nfmu > 0) {
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, m->fmus[0].loc,
                        "an FMU runs no other one: connect '%s' with it in the program that runs "
                        "both",
                        m->fmus[0].name);
    }
    return refuse_optimal_control(ctx, m);
}

flx_status flx_fmu_refuse_method(flx_ctx *ctx, const flx_run *run)
{
    const flx_integrator_type *type = run->sim->it ? run->sim->it->type : NULL;
    if (!type || (type != &flx_bdf && type != &flx_adams)) return FLX_OK;
    return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                    "method '%s' is SUNDIALS', which an FMU does not have: use %s ('simulate: "
                    "{method: %s}', or --set simulate.method=%s)",
                    type->name, type == &flx_bdf ? "radau" : "dop853",
                    type == &flx_bdf ? "radau" : "dop853", type == &flx_bdf ? "radau" : "dop853");
}

flx_status flx_fmu_refuse_files(flx_ctx *ctx, const flx_fmu_files *f)
{
    static const char signature[] = "\x89HDF\r\n\x1a\n";
    for (int i = 0; i < f->count; i++) {
        if (f->items[i].size < 8 || memcmp(f->items[i].data, signature, 8) != 0) continue;
        return FLX_FAIL(ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "'%s' is a file of HDF5, which an FMU does not read: of a body, 'flexion "
                        "export sid' writes another kind",
                        f->items[i].path);
    }
    return FLX_OK;
}
