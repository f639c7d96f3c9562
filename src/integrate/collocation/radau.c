// radau.c - Radau IIA with s stages, solved for positions only, on any system of the table.
//
// Index 3 or GGL, with a fixed step or with error control, on the machinery of collocation.h. Order
// 2s - 1 in q; with position constraints and 3 stages 5, 3, 2 in q, v, lambda in index 3 and 5, 5, 3 in GGL.
// With error control the number of stages may vary (collocation_order.c).
#include "integrate/collocation/collocation.h"

#define DEFAULT_STAGES 3

static const int varied[] = {3, 5, 7};

static bool has_stages(int s)
{
    return s == 1 || s == 2 || s == 3 || s == 5 || s == 7;
}

static int radau_stages(const flx_integrator_def *def)
{
    return def->stages > 0 ? def->stages : DEFAULT_STAGES;
}

static int radau_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    int s = radau_stages(def);
    return has_stages(s) && flx_collocation_coefficients(COLLOCATION_RADAU_IIA, s, out);
}

static flx_status create_varied(flx_integrator *it, const collocation_rules *rules)
{
    enum { N = sizeof varied / sizeof varied[0] };
    collocation_tableau tableau[N];
    if (it->def.step > 0.0) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "method 'radau' varies its stages by the error of a step: give rtol and "
                        "atol instead of step, or a number of stages");
    }
    for (int k = 0; k < N; k++) {
        if (flx_collocation_tableau_make(COLLOCATION_RADAU_IIA, varied[k], &tableau[k])) continue;
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE, "no Radau with %d stages",
                        varied[k]);
    }
    FLX_TRY(flx_collocation_create(it, tableau, N, rules));
    return flx_collocation_prepare_orders(it);
}

static flx_status radau_create(flx_integrator *it)
{
    FLX_TRY(flx_collocation_refuse_index1(it));
    const collocation_rules rules = {.ggl = it->def.formulation != FLX_FORMULATION_INDEX3};
    bool varies = it->def.stages == FLX_STAGES_AUTO || (!it->def.stages && !(it->def.step > 0.0));
    if (varies) return create_varied(it, &rules);
    int s = radau_stages(&it->def);
    if (!has_stages(s)) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "stages = %d: method 'radau' has 1, 2, 3, 5 or 7 stages", s);
    }
    return flx_collocation_create_family(it, COLLOCATION_RADAU_IIA, s, &rules);
}

const flx_integrator_type flx_radau = {
    .name = "radau",
    .summary = "Radau IIA of order 2s - 1 for stiff motions and constraints, index 3 or GGL",
    .order = 5,
    .fixed = 1,
    .adaptive = 1,
    .coefficients = radau_coefficients,
    .create = radau_create,
    .step = flx_collocation_step,
    .interpolate = flx_collocation_interpolate,
    .destroy = flx_collocation_destroy,
    .memory = flx_collocation_memory,
};
