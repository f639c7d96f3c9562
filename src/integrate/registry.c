// registry.c - the list of methods: a new one is one file and one line here. `flexion methods` prints
// them in this order, family by family.
#include "integrate/method.h"

static const flx_integrator_type *const types[] = {&flx_generalized_alpha,
                                                   &flx_hht,
                                                   &flx_newmark,
                                                   &flx_radau,
                                                   &flx_implicit_euler,
                                                   &flx_bdf,
                                                   &flx_euler,
                                                   &flx_rk4,
                                                   &flx_dopri5,
                                                   &flx_dop853,
                                                   &flx_adams,
                                                   &flx_midpoint,
                                                   &flx_trapezoidal,
                                                   &flx_gauss,
                                                   &flx_lobatto,
                                                   &flx_variational,
                                                   &flx_galerkin,
                                                   &flx_energy_momentum,
                                                   &flx_moreau,
                                                   NULL};

const flx_integrator_type *const *flx_integrator_types(void)
{
    return types;
}

// What `auto` stands for where nothing but the system is known; a simulation, which knows the start
// and the run, looks at the spectrum (simulate/choose.c). The formulation decides where only one
// method has it. A fixed step: generalized-alpha, which takes every index and damps what the step
// cannot resolve. Error control: radau, which takes every index, stiff or not.
const flx_integrator_type *flx_integrator_choose(const flx_system *s, const flx_integrator_def *d)
{
    if (d->formulation == FLX_FORMULATION_INDEX1 && s->ops->explicit_form) return &flx_dopri5;
    if (d->formulation == FLX_FORMULATION_GGL) return &flx_radau;
    return d->step > 0.0 ? &flx_generalized_alpha : &flx_radau;
}
