// descriptor_energy.c - energies, and the power that is supplied and dissipated.
#include "descriptor/descriptor_parts.h"

// (ENE-1) d/dt (v^T M v / 2) = v^T f + v^T M' v / 2 for the masses of equations.
static void rows_energy(const flx_descriptor *d, const flx_work *w, const flx_point *p,
                        flx_energies *e)
{
    const flx_expressions *x = &d->expr;
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE),
                 *slope = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        const flx_channel *c = x->channels + r->channel;
        if (r->row >= d->base.dims.nv) continue; // first order
        if (r->acceleration < 0) {
            e->supplied_power -= r->sign * value[c->value] * p->v[r->row];
            continue;
        }
        double vv = 0.5 * p->v[r->row] * p->v[r->acceleration], rate = 0.0;
        e->kinetic += value[c->value] * vv;
        for (int k = c->dep; k < c->dep + c->ndep; k++) {
            int u = x->deps[k].unknown;
            if (u < d->base.dims.nv) {
                rate += slope[k] * (x->deps[k].rate ? p->a[u] : p->v[u]);
            } else if (u < flx_first_w(d)) {
                rate += slope[k] * p->dx[u - flx_first_x(d)];
            }
        }
        e->supplied_power += rate * vv;
    }
}

void flx_energy_add_power(flx_energies *e, bool dissipative, double power)
{
    if (dissipative) {
        e->dissipated_power -= power;
    } else {
        e->supplied_power += power;
    }
}

static void expressions_energy(const flx_descriptor *d, flx_work *w, const flx_point *p,
                               flx_energies *e)
{
    const flx_expressions *x = &d->expr;
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    rows_energy(d, w, p, e);
    for (int i = 0; i < x->nwrench; i++) {
        const flx_expr_wrench *f = x->wrenches + i;
        double F[6], rows[6], power = 0.0;
        flx_wrench_value(f, x->channels, value, F);
        for (int side = 0; side < 2; side++) {
            if (f->e.nv[side] == 0) continue;
            flx_wrench_on_body(d, w, f, side, F, rows);
            for (int k = 0; k < f->e.nv[side]; k++) {
                power += (side ? 1.0 : -1.0) * rows[k] * p->v[f->e.v[side] + k];
            }
        }
        flx_energy_add_power(e, f->dissipative, power);
    }
    for (int i = 0; i < x->nload; i++) {
        const flx_expr_load *o = x->loads + i;
        flx_solid_resultant sum;
        if (o->nface == 0) continue;
        flx_solid_pressure pressure = flx_solid_loads_pressure(o, x->channels, value);
        flx_solid_face_resultant(o->nface, o->faces, &pressure, w->frames.space, &sum);
        e->supplied_power += sum.power;
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *f = x->efforts + i;
        flx_jet j;
        flx_scalar_gradient(&f->s, w->frames, p->switches, &j);
        double pull = f->sign * value[x->channels[f->channel].value];
        flx_energy_add_power(e, f->dissipative, -pull * flx_jet_rate(&f->s, &j, p->v));
    }
}

// Constraints that move in time do work -l G v. One that gives way stores C l^2/2, or dissipates
// E m^2, besides.
static void constraints_energy(const flx_descriptor *d, flx_work *w, const flx_point *p,
                               flx_energies *e)
{
    flx_eval_group(d, w, FLX_GROUP_BOND);
    if (d->expr.moving) flx_eval_group(d, w, FLX_GROUP_RATE);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out + 1;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row], rate = 0.0;
        for (int k = 0; k < b->ndep; k++) rate += grad[k] * p->v[b->unknown[k]];
        e->supplied_power -= l * rate;
        if (b->C == 0.0) continue;
        if (b->velocity) {
            e->dissipated_power += b->C * l * l;
            e->supplied_power += b->C * l * l;
        } else {
            e->strain += 0.5 * b->C * l * l;
            double whole = b->still ? rate : flx_eval_output(d, w, FLX_GROUP_RATE)[b->rate];
            e->supplied_power += l * whole;
        }
    }
}

// Motions do work -l G v.
static void motions_energy(const flx_descriptor *d, flx_work *w, const flx_point *p,
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
    if (d->expr.nbond > 0) constraints_energy(d, w, p, e);
}

flx_status flx_eval_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    *e = (flx_energies){0};
    p = flx_eval_begin(d, w, p);
    flx_terms_energy(d, w, p, e);
    if (d->expr.nchannel > 0) expressions_energy(d, w, p, e);
    motions_energy(d, w, p, e);
    return FLX_OK;
}
