// descriptor_residual.c - the residual of the descriptor system (SYS-2), and of its terms momenta and the
// rates of masses.
#include "descriptor/descriptor_parts.h"

static void rows_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    double *g = r + flx_first_lam(d);
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *s = d->scalars + i;
        double value = -flx_row_motion(d, w, s, 0) - s->constant,
               rate = -flx_row_motion(d, w, s, 1);
        double l = p->lam[s->row];
        flx_jet j;
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            value += c * j.value;
            if (s->tau != 0) rate += c * flx_jet_rate(s->term + t, &j, p->v);
            flx_jet_add_force(s->term + t, &j, c * l, r);
        }
        g[s->row] = s->sigma * value + s->tau * rate - s->C * l;
    }
}

static void vrows_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    for (int i = 0; i < d->nvscalar; i++) {
        const flx_scalar_row *s = d->vscalars + i;
        double rate = -flx_row_motion(d, w, s, 0) - s->constant;
        flx_jet j;
        for (int t = 0; t < s->nterm; t++) {
            double c = s->coefficient[t];
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            rate += c * flx_jet_rate(s->term + t, &j, p->v);
            flx_jet_add_force(s->term + t, &j, c * p->mu[s->row], r);
        }
        r[flx_first_mu(d) + s->row] = rate;
    }
}

// ---- expressions -------------------------------------------------------------------------------

void flx_wrench_on_body(const flx_descriptor *d, const flx_work *w, const flx_expr_wrench *e,
                        int side, const double F[6], double rows[6])
{
    const double *s = e->s[side];
    int frame = e->e.frame[side];
    if (d->planar) {
        const flx_frame2 *f = w->frames.plane + frame;
        double x = f->c * s[0] - f->s * s[1], y = f->s * s[0] + f->c * s[1];
        rows[0] = F[0], rows[1] = F[1], rows[2] = F[5] + x * F[1] - y * F[0];
        rows[3] = rows[4] = rows[5] = 0.0; // a body in the plane has three
        return;
    }
    m33 R = m33_load(w->frames.space[frame].R);
    v3 f = v3_load(F), t = m33_tmul_v(R, v3_load(F + 3));
    v3_store(rows, f);
    v3_store(rows + 3, v3_add(t, v3_cross(v3_load(s), m33_tmul_v(R, f))));
}

void flx_wrench_value(const flx_expr_wrench *e, const flx_channel *channels, const double *values,
                      double F[6])
{
    for (int k = 0; k < 6; k++) {
        F[k] = e->channel[k] < 0 ? 0.0 : values[channels[e->channel[k]].value];
    }
}

static void expressions_residual(const flx_descriptor *d, flx_work *w, const flx_point *p,
                                 double *r)
{
    const flx_expressions *x = &d->expr;
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        double factor = e->acceleration < 0 ? e->sign : e->sign * p->a[e->acceleration];
        r[e->row] += factor * value[x->channels[e->channel].value];
    }
    for (int i = 0; i < x->nwrench; i++) {
        const flx_expr_wrench *e = x->wrenches + i;
        double F[6], rows[6];
        flx_wrench_value(e, x->channels, value, F);
        for (int side = 0; side < 2; side++) {
            if (e->e.nv[side] == 0) continue;
            flx_wrench_on_body(d, w, e, side, F, rows);
            double sign = side ? -1.0 : 1.0;
            for (int k = 0; k < e->e.nv[side]; k++) r[e->e.v[side] + k] += sign * rows[k];
        }
    }
    for (int i = 0; i < x->nload; i++) {
        const flx_expr_load *o = x->loads + i;
        if (o->nface == 0) continue;
        flx_solid_pressure pressure = flx_solid_loads_pressure(o, x->channels, value);
        flx_solid_face_residual(o->nface, o->faces, &pressure, w->frames.space, r);
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *e = x->efforts + i;
        flx_jet j;
        flx_scalar_gradient(&e->s, w->frames, p->switches, &j);
        flx_jet_add_force(&e->s, &j, e->sign * value[x->channels[e->channel].value], r);
    }
}

static void constraints_residual(const flx_descriptor *d, flx_work *w, const flx_point *p,
                                 double *r)
{
    flx_eval_group(d, w, FLX_GROUP_BOND);
    for (int i = 0; i < d->expr.nbond; i++) {
        const flx_expr_bond *b = d->expr.bonds + i;
        const double *out = flx_eval_output(d, w, FLX_GROUP_BOND) + b->out;
        double l = b->velocity ? p->mu[b->row] : p->lam[b->row];
        r[(b->velocity ? flx_first_mu(d) : flx_first_lam(d)) + b->row] = out[0] - b->C * l;
        for (int k = 0; k < b->ndep; k++) r[b->unknown[k]] += l * out[1 + k];
    }
}

// Bodies, and forces that need no expression.
static void passive_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    for (int i = d->variable_v; i < d->base.dims.nv; i++) r[i] = 0.0;
    if (!flx_has_bodies(d)) return;
    flx_terms_residual(d, FLX_STAGE_BODIES, w, p, r);
    flx_terms_residual(d, FLX_STAGE_FORCES, w, p, r);
}

void flx_eval_momentum(const flx_descriptor *d, flx_work *w, const flx_point *p, double *Mv)
{
    const flx_expressions *x = &d->expr;
    for (int i = d->variable_v; i < d->base.dims.nv; i++) Mv[i] = 0.0;
    flx_terms_momentum(d, w, p, Mv);
    if (x->nchannel == 0) return;
    p = flx_eval_begin(d, w, p);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        if (r->acceleration < 0) continue;
        Mv[r->row] += value[x->channels[r->channel].value] * p->v[r->acceleration];
    }
}

void flx_eval_mass_rate(const flx_descriptor *d, flx_work *w, const flx_point *p, double *out)
{
    const flx_expressions *x = &d->expr;
    bool begun = false;
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        if (r->mass_rate < 0) continue;
        if (!begun) {
            p = flx_eval_begin(d, w, p);
            flx_eval_group(d, w, FLX_GROUP_RATE);
            begun = true;
        }
        out[r->row] += flx_eval_output(d, w, FLX_GROUP_RATE)[r->mass_rate] * p->v[r->acceleration];
    }
}

// Rows of joints, and their forces.
static void joints_residual(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    if (!flx_has_bodies(d)) return;
    double *g = r + flx_first_lam(d);
    if (d->planar) {
        flx_row_point2_residual(d->npoint, d->points, w->frames.plane, p->lam, g, r);
    } else {
        flx_row_point_residual(d->npoint, d->points, w->frames.space, p->lam, g, r);
        flx_row_axis_residual(d->naxis, d->axes, w->frames.space, p->lam, g, r);
    }
    rows_residual(d, w, p, r);
    vrows_residual(d, w, p, r);
}

void flx_eval_bonds(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    double *rows = d->nfollower > 0 ? w->follow.r : r;
    int first = flx_first_lam(d);
    p = flx_eval_begin(d, w, p);
    joints_residual(d, w, p, rows);
    if (d->expr.nbond > 0) constraints_residual(d, w, p, rows);
    if (rows == r) return;
    memcpy(r + first, rows + first, (size_t)(flx_dims_unknowns(&d->base.dims) - first) * sizeof *r);
}

// All rows at the point that has begun; those of followers behind them.
static void all_rows(const flx_descriptor *d, flx_work *w, const flx_point *p, double *r)
{
    const flx_dims *n = &d->base.dims;
    for (int i = 0; i < n->nx; i++) r[n->nv + i] = p->dx[i];
    for (int i = 0; i < n->nw; i++) r[n->nv + n->nx + i] = 0.0;
    if (d->nfollower > 0) {
        memset(r + d->followers[0].v, 0, (size_t)flx_follow_rows(d) * sizeof *r);
    }
    passive_residual(d, w, p, r);
    joints_residual(d, w, p, r);
    if (d->expr.nchannel > 0) expressions_residual(d, w, p, r);
    if (d->expr.nbond > 0) constraints_residual(d, w, p, r);
}

void flx_eval_loads(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    all_rows(d, w, flx_eval_begin(d, w, p), w->follow.r);
}

flx_status flx_eval_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    if (d->nfollower == 0) {
        all_rows(d, w, p, r);
        return FLX_OK;
    }
    all_rows(d, w, p, w->follow.r);
    flx_follow_carry(d, w->follow.Jf, w->follow.r);
    memcpy(r, w->follow.r, (size_t)flx_dims_unknowns(&s->dims) * sizeof *r);
    return FLX_OK;
}
