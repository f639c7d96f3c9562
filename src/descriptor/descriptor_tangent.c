// descriptor_tangent.c - the tangent A0, A1, A2 of the residual (SYS-7), and the part of it that
// accelerations and projections need.
#include "descriptor/descriptor_parts.h"

static void scalars_linearise(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                              double *A0, double *A1)
{
    for (int i = 0; i < d->nscalar; i++) {
        const flx_scalar_row *s = d->scalars + i;
        flx_jet j;
        double h[2][6];
        if (s->elsewhere) continue;
        if (flx_row_opens(s->held, p->switches)) {
            A0[s->diag] -= 1.0;
            continue;
        }
        for (int t = 0; t < s->nterm; t++) {
            const flx_scalar *f = s->term + t;
            double c = s->coefficient[t];
            flx_scalar_jet(f, w->frames, p->switches, &j);
            flx_scalar_add_row(f, s->place + t, s->sigma * c, j.g, A0);
            flx_scalar_add_column(f, s->place + t, c, j.g, A0);
            flx_jet_add_stiffness(f, &j, c * p->lam[s->row], A0);
            if (s->tau == 0) continue;
            flx_jet_rate_gradient(f, &j, p->v, h);
            flx_scalar_add_row(f, s->place + t, s->tau * c, h, A0);
            flx_scalar_add_row(f, s->place + t, s->tau * c, j.g, A1);
        }
        A0[s->diag] -= s->C;
    }
    for (int i = 0; i < d->nvscalar; i++) {
        const flx_scalar_row *s = d->vscalars + i;
        flx_jet j;
        double h[2][6];
        if (flx_row_opens(s->held, p->switches)) {
            A0[s->diag] -= 1.0;
            continue;
        }
        for (int t = 0; t < s->nterm; t++) {
            const flx_scalar *f = s->term + t;
            double c = s->coefficient[t];
            flx_scalar_jet(f, w->frames, p->switches, &j);
            flx_jet_rate_gradient(f, &j, p->v, h);
            flx_scalar_add_row(f, s->place + t, c, j.g, A1);
            flx_scalar_add_row(f, s->place + t, c, h, A0);
            flx_scalar_add_column(f, s->place + t, c, j.g, A0);
            flx_jet_add_stiffness(f, &j, c * p->mu[s->row], A0);
        }
    }
}

// Coincidences and axes of a few joints at a time, while their blocks are in the cache: both arrays
// follow the order of the joints.
static void points_linearise(const flx_descriptor *d, const flx_descriptor_work *w,
                             const double *lam, double *A0)
{
    enum { CHUNK = 64 };
    int most = d->npoint > d->naxis ? d->npoint : d->naxis;
    for (int k = 0; k < most; k += CHUNK) {
        int np = d->npoint - k < CHUNK ? d->npoint - k : CHUNK;
        int na = d->naxis - k < CHUNK ? d->naxis - k : CHUNK;
        if (d->planar) {
            flx_row_point2_jacobian(np, d->points + k, w->frames.plane, A0);
            flx_row_point2_stiffness(np, d->points + k, w->frames.plane, lam, A0);
            continue;
        }
        if (np > 0) {
            flx_row_point_jacobian(np, d->points + k, w->frames.space, A0);
            flx_row_point_stiffness(np, d->points + k, w->frames.space, lam, A0);
        }
        if (na > 0) {
            flx_row_axis_jacobian(na, d->axes + k, w->frames.space, A0);
            flx_row_axis_stiffness(na, d->axes + k, w->frames.space, lam, A0);
        }
    }
}

// Entries of attached frames are all added to.
static void clear_attached(const flx_descriptor *d, double *A0, double *A1)
{
    int first = d->base.pattern.offset[d->base.pattern.row[d->nblock]];
    size_t n = (size_t)(d->nvalue - first);
    memset(A0 + first, 0, n * sizeof *A0);
    if (A1) memset(A1 + first, 0, n * sizeof *A1);
}

// In small pieces: large ones go by slow instructions that start up for each.
static void clear_range(double *A, int n)
{
    enum { PIECE = 128 };
    for (; n > PIECE; n -= PIECE, A += PIECE) memset(A, 0, PIECE * sizeof *A);
    memset(A, 0, (size_t)n * sizeof *A);
}

static void clear(const flx_descriptor *d, double *A0, double *A1, double *A2)
{
    double *const A[3] = {A1, A2, A0};
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < d->touched[k].n && A[k]; i++) {
            clear_range(A[k] + d->touched[k].at[i], d->touched[k].count[i]);
        }
    }
}

static void all_entries(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                        flx_blocks *b)
{
    clear(d, b->A0, b->A1, b->A2);
    flx_terms_linearise(d, FLX_STAGE_BODIES, w, p, b);
    for (int i = 0; i < d->base.dims.nx; i++) {
        int u = flx_first_x(d) + i;
        b->A1[flx_layout_slot(d, u, u)] += 1.0;
    }
    points_linearise(d, w, p->lam, b->A0);
    scalars_linearise(d, w, p, b->A0, b->A1);
    flx_terms_linearise(d, FLX_STAGE_FORCES, w, p, b);
    flx_terms_linearise(d, FLX_STAGE_EXPRESSIONS, w, p, b);
    if (d->expr.nconstraint > 0) flx_constraints_linearise(d, w, p, b);
    if (d->ngroup > 0) flx_groups_linearise(d, w, p, b);
}

static void copy_values(const flx_descriptor *d, const double *from, double *to)
{
    const flx_pattern *p = &d->base.pattern;
    memcpy(to, from, (size_t)p->offset[p->row[p->nblock]] * sizeof *to);
}

flx_status flx_eval_linearise(const flx_system *s, flx_work *work, const flx_point *p,
                              flx_blocks *b)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    p = flx_eval_begin(d, w, p);
    if (d->nattached == 0) {
        all_entries(d, w, p, b);
        return FLX_OK;
    }
    flx_blocks all = {w->attached.A0, w->attached.A1, b->A2}; // attached frames have no mass
    clear_attached(d, all.A0, all.A1);
    all_entries(d, w, p, &all);
    flx_eval_loads(d, w, p);
    flx_attached_tangent(d, w, p, w->attached.r, all.A0, all.A1);
    copy_values(d, all.A0, b->A0);
    for (int i = 0; i < d->touched[0].n; i++) {
        int at = d->touched[0].at[i];
        memcpy(b->A1 + at, all.A1 + at, (size_t)d->touched[0].count[i] * sizeof(double));
    }
    return FLX_OK;
}

static void scalar_rows_jacobian(const flx_descriptor_work *w, const flx_point *p, int n,
                                 const flx_scalar_row *rows, double *A)
{
    for (int i = 0; i < n; i++) {
        const flx_scalar_row *s = rows + i;
        flx_jet j;
        if (s->C > 0 || flx_row_opens(s->held, p->switches)) continue;
        for (int t = 0; t < s->nterm; t++) {
            flx_scalar_gradient(s->term + t, w->frames, p->switches, &j);
            flx_scalar_add_row(s->term + t, s->place + t, s->coefficient[t], j.g, A);
            flx_scalar_add_column(s->term + t, s->place + t, s->coefficient[t], j.g, A);
        }
    }
}

void flx_eval_masses(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *A2)
{
    p = flx_eval_begin(d, w, p);
    clear(d, NULL, NULL, A2);
    flx_terms_masses(d, w, p, A2);
}

void flx_eval_saddle(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                     double *out, double *A2)
{
    const flx_expressions *x = &d->expr;
    double *A0 = d->nattached > 0 ? w->attached.A0 : out;
    p = flx_eval_begin(d, w, p);
    clear(d, A0, NULL, A2);
    if (d->nattached > 0) clear_attached(d, A0, NULL);
    flx_terms_masses(d, w, p, A2);
    if (d->planar) {
        flx_row_point2_jacobian(d->npoint, d->points, w->frames.plane, A0);
    } else {
        flx_row_point_jacobian(d->npoint, d->points, w->frames.space, A0);
        flx_row_axis_jacobian(d->naxis, d->axes, w->frames.space, A0);
    }
    scalar_rows_jacobian(w, p, d->nscalar, d->scalars, A0);
    scalar_rows_jacobian(w, p, d->nvscalar, d->vscalars, A0);
    flx_eval_group(d, w, FLX_GROUP_CONSTRAINT);
    for (int i = 0; i < x->nconstraint; i++) {
        const flx_expr_constraint *b = x->constraints + i;
        const double *grad = flx_eval_output(d, w, FLX_GROUP_CONSTRAINT) + b->out + 1;
        bool holds = b->C == 0.0 && !flx_row_opens(b->held, p->switches);
        for (int k = 0; k < b->ndep && holds; k++) {
            A0[b->g[k]] += grad[k];
            A0[b->gt[k]] += grad[k];
        }
    }
    if (d->nattached == 0) return;
    flx_attached_jacobian(d, w, A0);
    copy_values(d, A0, out);
}
