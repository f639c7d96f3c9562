// descriptor_levels.c - constraints on velocity and acceleration level, and the forces of their multipliers.
#include "descriptor/descriptor_parts.h"
#include "joint/row_slopes.h"

static void constraints_rate(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                             double *gd)
{
    if (d->expr.nconstraint == 0) return;
    flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
    if (d->expr.moving) flx_eval_group(d, w, FLX_GROUP_RATE);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + b->out + 1;
        if (b->velocity) continue;
        double rate = b->still ? 0.0 : flx_eval_output(d, w, FLX_GROUP_RATE)[b->rate];
        for (int k = 0; b->still && k < b->ndep; k++) rate += grad[k] * p->v[b->unknown[k]];
        gd[b->row] = rate;
    }
}

flx_status flx_eval_constraint_rate(const flx_system *s, flx_work *work, const flx_point *p,
                                    double *gd)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    if (d->planar) {
        flx_row_point2_rate(d->npoint, d->points, w->frames.plane, gd);
    } else {
        flx_row_point_rate(d->npoint, d->points, w->frames.space, gd);
        flx_row_axis_rate(d->naxis, d->axes, w->frames.space, gd);
    }
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *r = d->scalars + i;
        double rate = -flx_row_motion(d, w, r, 1);
        flx_jet j;
        for (int t = 0; t < r->nterm; t++) {
            flx_scalar_gradient(r->term + t, w->frames, p->switches, &j);
            rate += r->coefficient[t] * flx_jet_rate(r->term + t, &j, p->v);
        }
        gd[r->row] = rate;
    }
    constraints_rate(d, w, p, gd);
    return FLX_OK;
}

static void scalars_force(const flx_descriptor_work *w, const flx_point *p, int n,
                          const flx_scalar_row *rows, const double *l, bool all, double *out)
{
    for (int i = 0; i < n; i++) {
        const flx_scalar_row *r = rows + i;
        flx_jet j;
        if (!all && (r->C > 0 || flx_row_opens(r->held, p->switches))) continue;
        for (int t = 0; t < r->nterm; t++) {
            flx_scalar_gradient(r->term + t, w->frames, p->switches, &j);
            flx_jet_add_force(r->term + t, &j, r->coefficient[t] * l[r->row], out);
        }
    }
}

static void constraints_force(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                              const double *lam, const double *mu, bool all, double *out)
{
    if (d->expr.nconstraint > 0) flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + b->out + 1;
        if (b->velocity && !mu) continue;
        if (!all && (b->C > 0 || flx_row_opens(b->held, p->switches))) continue;
        double l = b->velocity ? mu[b->row] : lam[b->row];
        for (int k = 0; k < b->ndep; k++) out[b->unknown[k]] += l * grad[k];
    }
}

// The kernels of the residual with other multipliers; what they find for g is not kept.
static void points_force(const flx_descriptor *d, flx_descriptor_work *w, const double *lam,
                         double *out)
{
    if (d->planar) {
        flx_row_point2_residual(d->npoint, d->points, w->frames.plane, lam, w->rows, out);
    } else {
        flx_row_point_residual(d->npoint, d->points, w->frames.space, lam, w->rows, out);
        flx_row_axis_residual(d->naxis, d->axes, w->frames.space, lam, w->rows, out);
    }
}

// Zeros to add forces to, out (nv) itself where there are no attached frames; what was added into out.
static double *begin_force(const flx_descriptor *d, flx_descriptor_work *w, double *out)
{
    int n = d->base.dims.nv, all = flx_dims_unknowns(&d->base.dims) + flx_attached_rows(d);
    double *rows = d->nattached > 0 ? w->attached.r : out;
    memset(rows, 0, (size_t)(d->nattached > 0 ? all : n) * sizeof *rows);
    return rows;
}

static void end_force(const flx_descriptor *d, const flx_descriptor_work *w, double *rows,
                      double *out)
{
    if (rows == out) return;
    flx_attached_carry(d, w->attached.J, rows);
    memcpy(out, rows, (size_t)d->base.dims.nv * sizeof *out);
}

flx_status flx_eval_constraint_force(const flx_system *s, flx_work *work, const flx_point *p,
                                     const double *eta, double *out)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    double *rows = begin_force(d, w, out);
    points_force(d, w, eta, rows);
    scalars_force(w, p, d->nscalar, d->scalars, eta, true, rows);
    constraints_force(d, w, p, eta, NULL, true, rows);
    end_force(d, w, rows, out);
    return FLX_OK;
}

void flx_rows_force(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                    const double *lam, const double *mu, double *out)
{
    p = flx_eval_begin(d, w, p);
    double *rows = begin_force(d, w, out);
    points_force(d, w, lam, rows);
    scalars_force(w, p, d->nscalar, d->scalars, lam, false, rows);
    scalars_force(w, p, d->nvscalar, d->vscalars, mu, false, rows);
    constraints_force(d, w, p, lam, mu, false, rows);
    end_force(d, w, rows, out);
}

void flx_joint_force(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p, int joint,
                     const double *lam, const double *mu, double *out)
{
    const int *first = d->joints[joint].first, *n = d->joints[joint].count;
    if (d->planar) {
        flx_row_point2_residual(n[0], d->points + first[0], w->frames.plane, lam, w->rows, out);
    } else {
        flx_row_point_residual(n[0], d->points + first[0], w->frames.space, lam, w->rows, out);
        flx_row_axis_residual(n[1], d->axes + first[1], w->frames.space, lam, w->rows, out);
    }
    scalars_force(w, p, n[2], d->scalars + first[2], lam, true, out);
    scalars_force(w, p, n[3], d->vscalars + first[3], mu, true, out);
}

flx_status flx_eval_constraint_bias(const flx_system *s, flx_work *work, const flx_point *p,
                                    double *bias)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    if (d->planar) {
        flx_row_point2_bias(d->npoint, d->points, w->frames.plane, bias);
    } else {
        flx_row_point_bias(d->npoint, d->points, w->frames.space, bias);
        flx_row_axis_bias(d->naxis, d->axes, w->frames.space, bias);
    }
    for (int level = 0; level < 2; level++) { // constraints, velocity-level constraints
        const flx_scalar_row *rows = level ? d->vscalars : d->scalars;
        int n = level ? d->nvscalar : d->nscalar, first = level ? s->dims.nlam : 0;
        for (int i = 0; i < n; i++) {
            const flx_scalar_row *r = rows + i;
            double sum = -flx_row_motion(d, w, r, level ? 1 : 2);
            flx_jet j;
            for (int t = 0; t < r->nterm; t++) {
                flx_scalar_jet(r->term + t, w->frames, p->switches, &j);
                sum += r->coefficient[t] * flx_jet_bias(r->term + t, &j, p->v);
            }
            bias[first + r->row] = sum;
        }
    }
    if (d->nattached > 0) { // (FOL-2)
        flx_attached_move(d, w, w->zero, true, w->attached.a);
        flx_attached_rates(d, w, p, w->attached.a, bias);
    }
    if (d->expr.nconstraint > 0) flx_eval_group(d, w, FLX_GROUP_BIAS);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        bias[(b->velocity ? s->dims.nlam : 0) + b->row] =
            flx_eval_output(d, w, FLX_GROUP_BIAS)[b->bias];
    }
    return FLX_OK;
}

static void scalars_slope(const flx_descriptor *d, const flx_row_path *path, double *out)
{
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *r = d->scalars + i;
        double sum = 0.0;
        for (int t = 0; t < r->nterm; t++) {
            sum += r->coefficient[t] * flx_scalar_slope(r->term + t, path);
        }
        out[r->row] = sum;
    }
}

static void constraints_slope(const flx_descriptor *d, flx_descriptor_work *w,
                              const flx_row_path *path, double *out)
{
    if (d->expr.nconstraint == 0) return;
    flx_eval_group(d, w, FLX_GROUP_CURVE);
    flx_eval_group(d, w, FLX_GROUP_THIRD);
    const double *curve = flx_eval_output(d, w, FLX_GROUP_CURVE);
    const double *third = flx_eval_output(d, w, FLX_GROUP_THIRD);
    for (int i = 0; i < d->expr.nconstraint; i++) {
        const flx_expr_constraint *b = d->expr.constraints + i;
        double sum = 0.0;
        if (b->velocity) continue;
        for (int k = 0; k < b->ncurve; k++) {
            double a = path->a[b->unknown[b->curve_entry[k]]];
            sum += curve[b->curve + k] * a * path->theta[b->curve_unknown[k]];
        }
        for (int k = 0; k < b->nthird; k++) {
            sum += third[b->third + k] * path->theta[b->third_unknown[k]];
        }
        out[b->row] = sum;
    }
}

flx_status flx_eval_constraint_slope(const flx_system *s, flx_work *work, const flx_point *p,
                                     const double *theta, double *out)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    if (d->expr.nconstraint > 0 && !d->expr.thirds) return FLX_ERR_CANNOT;
    if (d->ngroup > 0) return FLX_ERR_CANNOT; // nobody knows third derivatives of gaps
    p = flx_eval_begin(d, w, p);
    memset(out, 0, (size_t)s->dims.nlam * sizeof *out); // forces that are unknowns have none
    flx_row_path path = {.frames = w->frames, .a = p->a, .theta = theta, .switches = p->switches};
    if (d->nattached > 0) {
        flx_attached_move(d, w, p->a, true, w->attached.a);
        flx_attached_move(d, w, theta, false, w->attached.r);
        path.a = w->attached.a;
        path.theta = w->attached.r;
        flx_attached_slopes(d, w, p, theta);
        path.dv = w->attached.dv;
        path.da = w->attached.da;
    }
    flx_row_point_slope(d->npoint, d->points, &path, out);
    flx_row_axis_slope(d->naxis, d->axes, &path, out);
    scalars_slope(d, &path, out);
    constraints_slope(d, w, &path, out);
    return FLX_OK;
}
