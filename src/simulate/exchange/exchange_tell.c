// exchange_tell.c - what a run with particles did other than it was asked, or cannot be trusted with: told at its end.
#include "simulate/exchange/exchange.h"

#include <math.h>

#define DEEP 0.3       // overlap over the radius: spheres that deep in each other are no solids
#define SHORT 0.05     // of what an inlet was to give
#define UNBALANCED 0.1 // defect of the energy, of what was dissipated

static double largest_mass(const flx_particles_block *b)
{
    double most = 0.0;
    for (int k = 0; k < b->nclass; k++) {
        double r = b->classes[k].most;
        most = fmax(most, b->classes[k].density * 4.1887902047863905 * r * r * r);
    }
    return most;
}

static void tell_inlets(const flx_exchange *x)
{
    const flx_particles_block *b = x->block;
    for (int i = 0; i < b->ninlet; i++) {
        const flx_region *r = b->inlets + i;
        double asked = r->rate * (fmin(x->t, r->until) - r->start);
        double missing = asked - x->poured[i];
        if (missing <= fmax(SHORT * asked, 2.0 * largest_mass(b))) continue;
        flx_ctx_warn(x->ctx, r->loc,
                     "an inlet of '%s' has given %.3g kg of the %.3g kg that its rate asks for "
                     "until t = %.4g: its region had no more free places; make it larger, the "
                     "velocity higher or the rate smaller",
                     b->name, x->poured[i], asked, x->t);
    }
}

void flx_exchange_tell(const flx_exchange *x)
{
    if (!x || !x->started) return;
    const flx_particles_block *b = x->block;
    tell_inlets(x);
    double overlap = fmax(x->overlap, flx_particles_sum(x->set).overlap);
    if (overlap > DEEP) {
        flx_ctx_warn(x->ctx, b->loc,
                     "particles of '%s' overlapped by up to %.2g of a radius: they are too soft "
                     "for their load or speed, and what they show is not to be trusted; give "
                     "'material' a larger E",
                     b->name, overlap);
    }
    double most = UNBALANCED * (fabs(x->dissipated) + fabs(x->supplied));
    if (fabs(x->defect) > most && fabs(x->defect) > 1e-9 * fabs(x->energy)) {
        flx_ctx_warn(x->ctx, b->loc,
                     "the exchanges of '%s' with its walls made %.3g J of energy, beside %.3g J "
                     "that particles dissipated: give a shorter 'exchange' than %.3g s",
                     b->name, x->defect, x->dissipated, b->exchange);
    }
}
