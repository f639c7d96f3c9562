// lobatto.c - Lobatto IIIA and IIIC of order 2s - 2, for comparison.
//
// IIIC is L-stable and takes every index like Radau IIA, with less order for the stages. IIIA is
// symmetric, R(infinity) = +-1; its first stage is the beginning of the step, with the rates that the
// state has there. Forces of rigid rows at the stages would not converge from step to step: position
// constraints are in GGL, and the multipliers and accelerations with which a step begins follow from its
// positions and velocities (ACC-1). Strongly damped systems are taken as they are: there
// IIIA fails from starts that are not prepared, as the theory says.
#include "integrate/collocation/collocation.h"

#include <string.h>

#define DEFAULT_STAGES 3
#define MOST_STAGES 5

static int lobatto_stages(const flx_integrator_def *def)
{
    return def->stages ? def->stages : DEFAULT_STAGES;
}

static collocation_family lobatto_family(const flx_integrator_def *def)
{
    bool iiia = def->family && strcmp(def->family, "IIIA") == 0;
    return iiia ? COLLOCATION_LOBATTO_IIIA : COLLOCATION_LOBATTO_IIIC;
}

static int lobatto_coefficients(const flx_integrator_def *def, flx_coefficients *out)
{
    int s = lobatto_stages(def);
    return s <= MOST_STAGES && flx_collocation_coefficients(lobatto_family(def), s, out);
}

static flx_status check(flx_integrator *it)
{
    const char *family = it->def.family;
    if (family && strcmp(family, "IIIA") != 0 && strcmp(family, "IIIC") != 0) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "family = '%s': method 'lobatto' has IIIA and IIIC", family);
    }
    int s = lobatto_stages(&it->def);
    if (s < 2 || s > MOST_STAGES) {
        return FLX_FAIL(it->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "stages = %d: method 'lobatto' has 2 to %d stages", s, MOST_STAGES);
    }
    return FLX_OK;
}

flx_status flx_collocation_create_lobatto_iiia(flx_integrator *it, int stages)
{
    bool constraints = it->sys->dims.nlam + it->sys->dims.nmu > 0;
    const collocation_rules rules = {.ggl = true, .settle = constraints, .rings = true};
    return flx_collocation_create_family(it, COLLOCATION_LOBATTO_IIIA, stages, &rules);
}

static flx_status lobatto_create(flx_integrator *it)
{
    FLX_TRY(check(it));
    int s = lobatto_stages(&it->def);
    if (lobatto_family(&it->def) == COLLOCATION_LOBATTO_IIIA) {
        FLX_TRY(flx_collocation_expect_formulation(it, FLX_FORMULATION_GGL, "ggl"));
        return flx_collocation_create_lobatto_iiia(it, s);
    }
    FLX_TRY(flx_collocation_refuse_index1(it));
    const collocation_rules rules = {.ggl = it->def.formulation != FLX_FORMULATION_INDEX3};
    return flx_collocation_create_family(it, COLLOCATION_LOBATTO_IIIC, s, &rules);
}

const flx_integrator_type flx_lobatto = {
    .name = "lobatto",
    .summary = "Lobatto IIIA or IIIC of order 2s - 2, for comparison",
    .order = 4,
    .fixed = 1,
    .coefficients = lobatto_coefficients,
    .create = lobatto_create,
    .step = flx_collocation_step,
    .interpolate = flx_collocation_interpolate,
    .destroy = flx_collocation_destroy,
    .memory = flx_collocation_memory,
};
