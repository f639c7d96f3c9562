// descriptor_lagrange.c - momenta, for variational methods:
//
//     p = dL/dv = M v,   transport = M' v - ad*_v p                                      (SYS-8)
// Masses of bodies are constant in the axes that their velocities have, and w x J w is the group's:
// (ad*_v p)_rotation = J w x w. Masses of equations change with the motion.
#include "descriptor/descriptor_parts.h"

static flx_status momentum(const flx_system *s, flx_work *work, const flx_point *p, double *Mv)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    flx_eval_momentum(flx_descriptor_of(s), w, p, Mv);
    return FLX_OK;
}

static flx_status transport(const flx_system *s, flx_work *work, const flx_point *p, double *out)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    FLX_TRY(flx_items_check_masses(d));
    for (int i = 0; i < s->dims.nv; i++) out[i] = 0.0;
    flx_terms_transport(d, w, p, out);
    return FLX_OK;
}

flx_status flx_eval_momentum_rate(const flx_descriptor *d, flx_descriptor_work *w,
                                  const flx_point *p, const double *Mv, double *out)
{
    FLX_TRY(transport(&d->base, &w->base, p, out));
    for (int i = 0; i < d->model->nbody && !d->planar; i++) { // + ad*_v p
        int at = d->body_v[i] + 3;
        if (d->body_nv[i] < 6) continue;
        v3_add_to(out + at, 1.0, v3_cross(v3_load(Mv + at), v3_load(p->v + at)));
    }
    return FLX_OK;
}

const flx_lagrangian flx_descriptor_lagrangian = {.momentum = momentum, .transport = transport};
