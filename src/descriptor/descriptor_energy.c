// descriptor_energy.c - energies, and the power that is supplied and dissipated.
#include "descriptor/descriptor_parts.h"

void flx_energy_add_power(flx_energies *e, bool dissipative, double power)
{
    if (dissipative) {
        e->dissipated_power -= power;
    } else {
        e->supplied_power += power;
    }
}

// Motions do work -l G v.
static void motions_energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                           flx_energies *e)
{
    for (int level = 0; level < 2; level++) {
        const flx_scalar_row *rows = level ? d->vscalars : d->scalars;
        int n = level ? d->nvscalar : d->nscalar;
        for (int i = 0; i < n; i++) {
            const flx_scalar_row *r = rows + i;
            double l = level ? p->mu[r->row] : p->lam[r->row];
            flx_jet j;
            if (r->motion < 0) continue;
            for (int t = 0; t < r->nterm; t++) {
                flx_scalar_gradient(r->term + t, w->frames, p->switches, &j);
                e->supplied_power -= l * r->coefficient[t] * flx_jet_rate(r->term + t, &j, p->v);
            }
        }
    }
    if (d->expr.nconstraint > 0) flx_constraints_energy(d, w, p, e);
}

flx_status flx_eval_energy(const flx_system *s, flx_work *work, const flx_point *p, flx_energies *e)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    *e = (flx_energies){0};
    p = flx_eval_begin(d, w, p);
    flx_terms_energy(d, w, p, e);
    motions_energy(d, w, p, e);
    if (d->ngroup > 0) flx_groups_energy(d, w, p, e);
    return FLX_OK;
}
