// term_expression.c - expressions of the model in the residual: equations with their masses, forces and torques on bodies,
// efforts along a scalar, loads on solids. Their values and derivatives come from programs (descriptor_expr.h).
#include "descriptor/terms/expression_items.h"

// ---- residual -----------------------------------------------------------------------------------

void flx_wrench_on_body(const flx_descriptor *d, const flx_descriptor_work *w,
                        const flx_expr_wrench *e, int side, const double F[6], double rows[6])
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

static void residual(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *r)
{
    const flx_channel *channels = d->expr.channels;
    const flx_expr_items *x = flx_items_of(d);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        double factor = e->acceleration < 0 ? e->sign : e->sign * p->a[e->acceleration];
        r[e->row] += factor * value[channels[e->channel].value];
    }
    for (int i = 0; i < x->nwrench; i++) {
        const flx_expr_wrench *e = x->wrenches + i;
        double F[6], rows[6];
        flx_wrench_value(e, channels, value, F);
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
        flx_solid_pressure pressure = flx_solid_loads_pressure(o, channels, value);
        flx_solid_face_residual(o->nface, o->faces, &pressure, w->frames.space, r);
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *e = x->efforts + i;
        flx_jet j;
        flx_scalar_gradient(&e->s, w->frames, p->switches, &j);
        flx_jet_add_force(&e->s, &j, e->sign * value[channels[e->channel].value], r);
    }
}

// ---- tangent ------------------------------------------------------------------------------------

// The column of `rows` scaled by the derivatives of a channel.
static void add_columns(const flx_expressions *x, const flx_descriptor_work *w, int channel,
                        const int *slot, const double *slopes, int n, const double *rows,
                        double scale, double *A0, double *A1)
{
    const flx_channel *c = x->channels + channel;
    for (int i = c->dep; i < c->dep + c->ndep; i++) {
        const flx_dep *dep = x->deps + i;
        if (dep->reading >= 0) {
            const flx_reading *r = x->readings + dep->reading;
            const double *by = w->read + r->value + 6 + dep->component;
            for (int u = 0; u < r->n; u++) {
                double *A = A0 + *slot++, f = scale * slopes[i] * by[6 * u];
                for (int k = 0; k < n; k++) A[r->width[u] * k] += f * rows[k];
            }
            continue;
        }
        if (dep->unknown == FLX_DEP_NOWHERE) continue;
        double *A = (dep->rate ? A1 : A0) + *slot++, f = scale * dep->factor * slopes[i];
        for (int k = 0; k < n; k++) A[dep->width * k] += f * rows[k];
    }
}

// Rotation of the rows with the body, force and torque fixed in ground axes:
// d(R^T t + s x R^T f) = ((R^T t)~ + s~ (R^T f)~) theta.
static void wrench_stiffness(const flx_descriptor *d, const flx_descriptor_work *w,
                             const flx_expr_wrench *e, int side, const double F[6], double *A0)
{
    double sign = side ? -1.0 : 1.0;
    double *out = A0 + e->e.block[side][side];
    const double *s = e->s[side];
    if (d->planar) {
        const flx_frame2 *f = w->frames.plane + e->e.frame[side];
        if (e->e.nv[side] != 3) return;
        double x = f->c * s[0] - f->s * s[1], y = f->s * s[0] + f->c * s[1];
        out[8] -= sign * (x * F[0] + y * F[1]);
        return;
    }
    if (e->e.nv[side] != 6) return;
    m33 R = m33_load(w->frames.space[e->e.frame[side]].R);
    v3 f = m33_tmul_v(R, v3_load(F)), t = m33_tmul_v(R, v3_load(F + 3));
    m33 K = m33_add(m33_skew(t), m33_mul(m33_skew(v3_load(s)), m33_skew(f)));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) out[6 * (3 + i) + 3 + j] += sign * K.m[3 * i + j];
    }
}

static void wrench_linearise(const flx_descriptor *d, const flx_descriptor_work *w,
                             const flx_expr_wrench *e, const double *value, const double *slope,
                             double *A0, double *A1)
{
    const flx_expressions *x = &d->expr;
    double F[6];
    flx_wrench_value(e, x->channels, value, F);
    for (int side = 0; side < 2; side++) {
        if (e->e.nv[side] == 0) continue;
        wrench_stiffness(d, w, e, side, F, A0);
        for (int k = 0; k < 6; k++) {
            if (e->channel[k] < 0) continue;
            double unit[6] = {0}, rows[6];
            unit[k] = 1.0;
            flx_wrench_on_body(d, w, e, side, unit, rows);
            add_columns(x, w, e->channel[k], e->slot[k][side], slope, e->e.nv[side], rows,
                        side ? -1.0 : 1.0, A0, A1);
        }
    }
}

// Its pressure on faces that move, and the pressure and its gradient with what they depend on: a column of each
// is the forces of a unit of it.
static void load_linearise(const flx_descriptor *d, const flx_descriptor_work *w,
                           const flx_expr_load *o, const double *value, const double *slope,
                           double *A0, double *A1)
{
    const flx_expressions *x = &d->expr;
    if (o->nface == 0) return;
    flx_solid_pressure p = flx_solid_loads_pressure(o, x->channels, value);
    flx_solid_face_linearise(o->nface, o->faces, &p, w->frames.space, A0);
    for (int k = 0; k < 4 && o->nbody > 0; k++) {
        int channel = o->channel[k];
        if (channel < 0 || x->channels[channel].ndep == 0) continue;
        flx_solid_pressure unit = o->p;
        *(k == 0 ? &unit.value : &unit.gradient[k - 1]) = 1.0;
        flx_solid_face_residual(o->nface, o->faces, &unit, w->frames.space, w->force);
        for (int i = 0; i < o->nbody; i++) {
            int n = d->body_nv[o->body[i]];
            double *rows = w->force + d->body_v[o->body[i]];
            add_columns(x, w, channel, o->slot[k][i], slope, n, rows, 1.0, A0, A1);
            memset(rows, 0, (size_t)n * sizeof *rows);
        }
    }
}

static void linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      flx_blocks *b)
{
    const flx_channel *channels = d->expr.channels;
    const flx_expr_items *x = flx_items_of(d);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE),
                 *slope = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    const double one = 1.0;
    if (d->expr.nreading > 0) flx_read_linearise(d, w, p);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        double factor = e->acceleration < 0 ? e->sign : e->sign * p->a[e->acceleration];
        if (e->mass >= 0) b->A2[e->mass] += e->sign * value[channels[e->channel].value];
        add_columns(&d->expr, w, e->channel, e->slot, slope, 1, &one, factor, b->A0, b->A1);
    }
    for (int i = 0; i < x->nwrench; i++) {
        wrench_linearise(d, w, x->wrenches + i, value, slope, b->A0, b->A1);
    }
    for (int i = 0; i < x->nload; i++) {
        load_linearise(d, w, x->loads + i, value, slope, b->A0, b->A1);
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *e = x->efforts + i;
        flx_jet j;
        flx_scalar_jet(&e->s, w->frames, p->switches, &j);
        flx_jet_add_stiffness(&e->s, &j, e->sign * value[channels[e->channel].value], b->A0);
        for (int side = 0; side < 2; side++) {
            if (e->s.e.nv[side] == 0) continue;
            add_columns(&d->expr, w, e->channel, e->slot[side], slope, e->s.e.nv[side], j.g[side],
                        e->sign, b->A0, b->A1);
        }
    }
}

static void masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, double *A2)
{
    const flx_expr_items *x = flx_items_of(d);
    (void)p;
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *e = x->rows + i;
        if (e->mass >= 0) A2[e->mass] += value[d->expr.channels[e->channel].value];
    }
}

// ---- energy and momentum ------------------------------------------------------------------------

// (ENE-1) d/dt (v^T M v / 2) = v^T f + v^T M' v / 2 for the masses of equations.
static void rows_energy(const flx_descriptor *d, const flx_descriptor_work *w, const flx_point *p,
                        flx_energies *e)
{
    const flx_channel *channels = d->expr.channels;
    const flx_expr_items *x = flx_items_of(d);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE),
                 *slope = flx_eval_output(d, w, FLX_GROUP_SLOPE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        const flx_channel *c = channels + r->channel;
        if (r->row >= d->base.dims.nv) continue; // first order
        if (r->acceleration < 0) {
            e->supplied_power -= r->sign * value[c->value] * p->v[r->row];
            continue;
        }
        double vv = 0.5 * p->v[r->row] * p->v[r->acceleration], rate = 0.0;
        e->kinetic += value[c->value] * vv;
        for (int k = c->dep; k < c->dep + c->ndep; k++) {
            int u = d->expr.deps[k].unknown;
            if (u < d->base.dims.nv) {
                rate += slope[k] * (d->expr.deps[k].rate ? p->a[u] : p->v[u]);
            } else if (u < flx_first_w(d)) {
                rate += slope[k] * p->dx[u - flx_first_x(d)];
            }
        }
        e->supplied_power += rate * vv;
    }
}

static void energy(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                   flx_energies *e)
{
    const flx_channel *channels = d->expr.channels;
    const flx_expr_items *x = flx_items_of(d);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    flx_eval_group(d, w, FLX_GROUP_SLOPE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    rows_energy(d, w, p, e);
    for (int i = 0; i < x->nwrench; i++) {
        const flx_expr_wrench *f = x->wrenches + i;
        double F[6], rows[6], power = 0.0;
        flx_wrench_value(f, channels, value, F);
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
        flx_solid_pressure pressure = flx_solid_loads_pressure(o, channels, value);
        flx_solid_face_resultant(o->nface, o->faces, &pressure, w->frames.space, &sum);
        e->supplied_power += sum.power;
    }
    for (int i = 0; i < x->neffort; i++) {
        const flx_expr_effort *f = x->efforts + i;
        flx_jet j;
        if (f->booked) continue;
        flx_scalar_gradient(&f->s, w->frames, p->switches, &j);
        double pull = f->sign * value[channels[f->channel].value];
        const flx_force *law = d->model->forces + f->of;
        if (law->elastic) {
            double rate = flx_jet_rate(&f->s, &j, p->v);
            flx_spring_law_energy(law->elastic, j.value - f->rest, pull * rate, rate, e);
            continue;
        }
        flx_energy_add_power(e, f->dissipative, -pull * flx_jet_rate(&f->s, &j, p->v));
    }
    if (x->nbook > 0) flx_eval_group(d, w, FLX_GROUP_BOOK);
    const double *book = flx_eval_output(d, w, FLX_GROUP_BOOK);
    for (int i = 0; i < x->nbook; i++) {
        e->strain += book[2 * i];
        e->dissipated_power += book[2 * i + 1];
    }
}

static void momentum(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *Mv)
{
    const flx_expr_items *x = flx_items_of(d);
    flx_eval_group(d, w, FLX_GROUP_VALUE);
    const double *value = flx_eval_output(d, w, FLX_GROUP_VALUE);
    for (int i = 0; i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        if (r->acceleration < 0) continue;
        Mv[r->row] += value[d->expr.channels[r->channel].value] * p->v[r->acceleration];
    }
}

static void transport(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      double *out)
{
    const flx_expr_items *x = flx_items_of(d);
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

// M' is known along positions and time.
flx_status flx_items_check_masses(const flx_descriptor *d)
{
    const flx_expressions *e = &d->expr;
    const flx_expr_items *x = flx_items_of(d);
    for (int i = 0; x && i < x->nrow; i++) {
        const flx_expr_row *r = x->rows + i;
        const flx_channel *c = e->channels + r->channel;
        if (r->acceleration < 0) continue;
        for (int k = c->dep; k < c->dep + c->ndep; k++) {
            if (!e->deps[k].rate && e->deps[k].unknown < flx_first_x(d)) continue;
            const flx_variable *v = d->model->variables + (r->row - d->variable_v);
            return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, v->loc,
                            "variational methods need masses that depend on positions and time "
                            "alone; that of '%s' depends on a velocity or a state: use radau",
                            v->name);
        }
    }
    return FLX_OK;
}

// ---- numbers once more --------------------------------------------------------------------------

static flx_status take(flx_descriptor *d)
{
    flx_expr_items *own = FLX_OWN(d, d->own[FLX_TERM_EXPRESSION], 1, sizeof *own);
    bool fine = own && FLX_OWN(d, own->wrenches, own->nwrench, sizeof *own->wrenches) &&
                FLX_OWN(d, own->efforts, own->neffort, sizeof *own->efforts) &&
                FLX_OWN(d, own->rows, own->nrow, sizeof *own->rows);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

static const flx_force *force_of(const flx_model *m, int of)
{
    return of < m->nforce ? m->forces + of : m->frictions + (of - m->nforce);
}

static flx_status renew(flx_descriptor *d)
{
    const flx_model *m = d->model;
    flx_expr_items *x = flx_items_of(d);
    for (int i = 0; i < x->nwrench; i++) {
        flx_expr_wrench *w = x->wrenches + i;
        if (w->of < 0) continue; // of a solid, whose numbers are fixed
        for (int k = 0; k < 2; k++) {
            FLX_TRY(flx_forces_place(d, force_of(m, w->of), k, w->s[k]));
        }
    }
    for (int i = 0; i < x->neffort; i++) {
        flx_scalar s;
        FLX_TRY(flx_forces_scalar(d, force_of(m, x->efforts[i].of), &s));
        flx_scalar_take_numbers(&x->efforts[i].s, &s);
    }
    return FLX_OK;
}

const flx_term flx_term_expression = {
    .plan = flx_items_plan,
    .couple = flx_items_couple,
    .fill = flx_items_fill,
    .mark = flx_items_mark,
    .take = take,
    .renew = renew,
    .residual = residual,
    .linearise = linearise,
    .masses = masses,
    .energy = energy,
    .placed = true,
    .momentum = momentum,
    .transport = transport,
};
