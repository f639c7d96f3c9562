// flx_collocation_anderson.c - Anderson's acceleration (AND-1) of the iteration for the stages, in the norm
// of the motion.
//
// The corrections F of the simplified Newton iteration use one linearisation for all stages. Near a
// singular position the constraints of the stages differ so much, in the few directions that are
// nearly lost, that the plain iteration diverges there.
#include "integrate/collocation/collocation.h"

#include <math.h>
#include <string.h>

// Weights that make all parts of a correction comparable with a displacement as a part of its scale:
// multipliers by the displacement that their accelerations make in the step.
static void set_weights(collocation *co, const flx_dims *d)
{
    double force = 0.0, a = 0.0, w = cabs(co->tab->mu[0]) / co->h;
    for (int i = 0; i < co->s; i++) {
        for (int j = co->first; j < co->n; j++) {
            force = fmax(force, fabs(co->now.U[i * co->n + j]));
        }
        for (int j = 0; j < d->nv; j++) {
            a = fmax(a, fabs(co->now.A[i * d->nv + j]) / co->scale[j]);
        }
    }
    double of_force = force > 0.0 && a > 0.0 ? a / (w * w * force) : 0.0;
    double *weight = co->anderson.weight;
    for (int i = 0; i < co->s; i++) { // D
        for (int j = 0; j < d->nv; j++) *weight++ = 1.0 / co->scale[j];
        for (int j = d->nv; j < co->first; j++) {
            *weight++ = 1.0 / fmax(fabs(co->now.U[j]), 1e-3 * co->scale[j]);
        }
        for (int j = co->first; j < co->n; j++) *weight++ = of_force;
    }
    for (int i = 0; i < co->s; i++) { // dV; deta is not in the norm
        for (int j = 0; j < d->nv; j++) *weight++ = co->h / co->scale[j];
    }
    memset(weight, 0, (size_t)(co->s * d->nlam) * sizeof *weight);
}

void flx_collocation_anderson(collocation *co, const flx_dims *d, bool use)
{
    if (use && co->anderson.nproduct <= 0) set_weights(co, d);
    flx_anderson_step(&co->anderson, co->F, use);
}
