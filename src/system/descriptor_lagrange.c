// descriptor_lagrange.c - the parts of Lagrange's equations, for variational methods:
//
//     L = T - V,   p = dL/dv = M v,   dL/dq = -V_q,   f: what has no potential         (SYS-8)
// V: gravity, gravitation, springs and bushings. T does not depend on the position along the group,
// since angular velocities are in body axes: w x J w comes from the group itself, not from dL/dq.
#include "system/descriptor_parts.h"

// A mass that depends on the position has a T_q that the equations of the model hold mixed with
// their forces.
static flx_status check_masses(const flx_descriptor *d)
{
    for (int i = 0; i < d->expr.nrow; i++) {
        const flx_expr_row *r = d->expr.rows + i;
        if (r->acceleration < 0 || d->expr.channels[r->channel].ndep == 0) continue;
        const flx_variable *v = d->model->variables + (r->row - d->variable_v);
        return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, v->loc,
                        "variational methods need a constant mass; that of '%s' depends on the "
                        "motion",
                        v->name);
    }
    return FLX_OK;
}

static flx_status momentum(const flx_system *s, flx_work *w, const flx_point *p, double *Mv)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    FLX_TRY(check_masses(d));
    flx_eval_momentum(d, w, p, Mv);
    return FLX_OK;
}

static flx_status gradient(const flx_system *s, flx_work *w, const flx_point *p, double *dLdq)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_point still = *p; // at rest nothing but the potentials pulls
    still.v = still.a = w->zero;
    FLX_TRY(check_masses(d));
    flx_eval_passive(d, w, &still, dLdq);
    for (int i = 0; i < s->dims.nv; i++) dLdq[i] = -dLdq[i];
    return FLX_OK;
}

// Everything less the potentials less the masses: dampers, and what expressions say.
static flx_status forces(const flx_system *s, flx_work *w, const flx_point *p, double *f)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_point moving = *p, still = *p;
    moving.a = still.v = still.a = w->zero;
    FLX_TRY(check_masses(d));
    flx_eval_passive(d, w, &still, w->r);
    flx_eval_passive(d, w, &moving, f);
    for (int i = 0; i < s->dims.nv; i++) f[i] = w->r[i] - f[i];
    for (int i = 0; i < d->nkind[FLX_BODY_KIND_RIGID]; i++) { // not a force: of the group
        const flx_body_data *b = d->kind[FLX_BODY_KIND_RIGID] + i;
        v3 o = v3_load(p->v + b->v + 3);
        v3_add_to(f + b->v + 3, 1.0, v3_cross(o, m33_mul_v(m33_load(b->J), o)));
    }
    flx_eval_active(d, w, &moving, f);
    return FLX_OK;
}

const flx_lagrangian flx_descriptor_lagrangian = {
    .momentum = momentum, .gradient = gradient, .forces = forces};
