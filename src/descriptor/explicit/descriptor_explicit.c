// descriptor_explicit.c - z' = F(t, z) with z = (q, v, x): constraints on acceleration level, projection to
// positions and velocities in the metric of the masses.
//
//     [M G^T A^T; G; A] (a, l, m) = (f, -bias)                                 (EXP-1)
//     [M G^T; G] (theta, .) = (0, -g),  q <- q (+) theta                       (EXP-2)
//     [M G^T A^T; G; A] (dv, .) = (0, -(G v + g_t), -(A v + b))                (EXP-3)
// Compliant constraints (C > 0) give their multiplier directly. Where forces read
// multipliers, what the matrix (descriptor_saddle.c) gives is the guess for (IDX-1).
#include "descriptor/descriptor_parts.h"
#include "math/dense.h"
#include "system/pack.h"

#include <float.h>

// ---- algebraic unknowns -----------------------------------------------------------------------

#define MAX_ALGEBRAIC 64

// By Newton with the dense derivative.
flx_status flx_eval_algebraic(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    int n = d->base.dims.nw, first = flx_first_w(d);
    flx_saddle_work *k = &w->saddle;
    double A[MAX_ALGEBRAIC * MAX_ALGEBRAIC], b[MAX_ALGEBRAIC];
    int pivot[MAX_ALGEBRAIC];
    if (n == 0) return FLX_OK;
    if (n > MAX_ALGEBRAIC) {
        return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "an explicit method takes at most %d algebraic unknowns, not %d; use radau",
                        MAX_ALGEBRAIC, n);
    }
    double last = HUGE_VAL;
    for (int iteration = 0; iteration < 20; iteration++) {
        flx_point p = flx_state_point(&d->base, x);
        flx_blocks blocks = {k->A0, k->A1, k->A2};
        FLX_TRY(flx_eval_residual(&d->base, &w->base, &p, w->r));
        FLX_TRY(flx_eval_linearise(&d->base, &w->base, &p, &blocks));
        for (int i = 0; i < n; i++) {
            b[i] = -w->r[first + i];
            for (int j = 0; j < n; j++) {
                int entry = flx_layout_entry(d, d->block_of[first + i], d->block_of[first + j]);
                int slot = entry < 0 ? -1 : flx_layout_slot(d, first + i, first + j);
                A[n * i + j] = slot < 0 ? 0.0 : k->A0[slot];
            }
        }
        if (!flx_dense_lu(n, A, pivot)) return FLX_SINGULAR;
        flx_dense_lu_solve(n, A, pivot, b);
        double size = 0.0;
        for (int i = 0; i < n; i++) {
            x->w[i] += b[i];
            size = fmax(size, fabs(b[i]) / (1.0 + fabs(x->w[i])));
        }
        if (!(size > 10 * DBL_EPSILON) || (size < 1e-12 && size > 0.5 * last)) return FLX_OK;
        last = size;
    }
    return FLX_NO_CONVERGENCE;
}

// ---- the form ---------------------------------------------------------------------------------

// Multipliers of compliant constraints from the rows at l = 0; the others stay zero.
static bool compliant(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                      const double *r, flx_state *x)
{
    bool any = false;
    const flx_dims *n = &d->base.dims;
    for (int i = 0; i < n->nlam + n->nmu; i++) {
        double C = d->rows[i].C; // those that are open give zero
        if (!(C > 0)) continue;
        *(i < n->nlam ? &x->lam[i] : &x->mu[i - n->nlam]) = r[flx_first_lam(d) + i] / C;
        any = true;
    }
    return any && (flx_contacts_give(d, w, p, x->lam) || any);
}

// (EXP-1) at the point that is held.
static flx_status solve_accelerations(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    const flx_system *s = &d->base;
    const flx_dims *n = &s->dims;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(flx_eval_residual(s, &w->base, &p, w->r));
    if (compliant(d, w, &p, w->r, x)) {
        if (s->reads_multipliers) flx_eval_hold(d, w, &p);
        FLX_TRY(flx_eval_residual(s, &w->base, &p, w->r));
    }
    FLX_TRY(flx_saddle_work_factor(d, w, &p));
    double *b = w->saddle.rhs;
    memset(b, 0, (size_t)flx_dims_unknowns(n) * sizeof *b);
    FLX_TRY(flx_eval_constraint_bias(s, &w->base, &p, b + flx_first_lam(d)));
    for (int i = 0; i < n->nv; i++) b[i] = -w->r[i];
    for (int i = flx_first_lam(d); i < flx_first_mu(d) + n->nmu; i++) b[i] = -b[i];
    for (int i = 0; i < n->nlam + n->nmu; i++) { // the diagonal is -1
        if (flx_row_gives(d, i, x->switches)) {
            b[flx_first_lam(d) + i] = i < n->nlam ? -x->lam[i] : -x->mu[i - n->nlam];
        }
    }
    return flx_saddle_work_solve(d, w);
}

// Everything by one program. False: not such a system, or not at this point.
static bool accelerate_flat(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    const flx_dims *n = &d->base.dims;
    const flx_flat *f = &d->expr.flat;
    if (!f->program) return false;
    flx_point p = flx_state_point(&d->base, x);
    (void)flx_eval_begin(d, w, &p);
    const double *out = w->out + f->out, *ratio = out + f->n - f->nratio;
    flx_program_eval(f->program, w->leaves, w->scratch, w->out + f->out);
    double least = 1.0;
    for (int i = 0; i < f->nratio; i++) {
        if (!(ratio[i] >= least)) least = ratio[i];
    }
    if (!(least > FLX_REGULAR)) return false;
    memcpy(x->a, out, (size_t)n->nv * sizeof *out);
    memcpy(x->lam, out + n->nv, (size_t)n->nlam * sizeof *out);
    memcpy(x->mu, out + n->nv + n->nlam, (size_t)n->nmu * sizeof *out);
    memcpy(x->dx, out + n->nv + n->nlam + n->nmu, (size_t)n->nx * sizeof *out);
    for (int i = 0; i < f->n; i++) {
        if (!isfinite(out[i])) return false;
    }
    w->saddle.regularity = least;
    return true;
}

static flx_status accelerate(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x)
{
    const flx_system *s = &d->base;
    const flx_dims *n = &s->dims;
    FLX_TRY(flx_saddle_prepare(d, w));
    if (n->nw == 0 && accelerate_flat(d, w, x)) return FLX_OK;
    memset(x->a, 0, (size_t)n->nv * sizeof(double));
    memset(x->lam, 0, (size_t)n->nlam * sizeof(double));
    memset(x->mu, 0, (size_t)n->nmu * sizeof(double));
    memset(x->dx, 0, (size_t)n->nx * sizeof(double));
    FLX_TRY(flx_eval_algebraic(d, w, x));
    flx_point p = flx_state_point(s, x);
    w->saddle.regularity = 0.0;
    flx_eval_hold(d, w, &p);
    flx_status status = solve_accelerations(d, w, x);
    flx_eval_release(w);
    if (status != FLX_OK) return status;
    if (!w->saddle.by_lu) w->saddle.regularity = flx_ldl_get_report(w->saddle.ldl).pivot_ratio;
    const double *b = w->saddle.rhs;
    memcpy(x->a, b, (size_t)n->nv * sizeof *b);
    memcpy(x->lam, b + flx_first_lam(d), (size_t)n->nlam * sizeof *b);
    memcpy(x->mu, b + flx_first_mu(d), (size_t)n->nmu * sizeof *b);
    for (int i = 0; i < n->nx; i++) x->dx[i] = -w->r[n->nv + i];
    if (!w->saddle.together) return FLX_OK;
    long evaluations = 0; // the method counts its own
    return flx_index1_solve(w->saddle.together, &w->base, x, &evaluations, &evaluations);
}

static flx_status rate(const flx_system *s, flx_work *work, double t, const double *z, flx_state *x,
                       double *dz)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_unpack(s, t, z, x);
    FLX_TRY(accelerate(d, w, x));
    return flx_pack_rate(s, x, z, dz);
}

// ---- projection -------------------------------------------------------------------------------

#define MAX_PROJECTIONS 10
// Constraints are closed to rounding: some additions of coordinates of the size of the mechanism.
#define CLOSED (16 * DBL_EPSILON)

static double row_scale(const flx_descriptor *d, int row)
{
    return d->rows[row].metres ? d->length : 1.0;
}

// Size of a velocity-like vector: metres by the size of the mechanism, radians as they are.
static double motion_size(const flx_descriptor *d, const double *u)
{
    double most = 0.0;
    for (int i = 0; i < d->model->nbody; i++) {
        int translations = d->planar ? 2 : 3;
        for (int k = 0; k < d->body_nv[i]; k++) {
            double x = fabs(u[d->body_v[i] + k]);
            most = fmax(most, k < translations ? x / d->length : x);
        }
    }
    for (int i = d->variable_v; i < d->base.dims.nv; i++) most = fmax(most, fabs(u[i]));
    return most;
}

// Right-hand side from rows (nlam, then nmu) with a minus; returns the largest, scaled. Rows that hold
// rates only (tau > 0) have no say about positions.
static double set_rows(const flx_descriptor *d, const double *switches, const double *rows,
                       bool positions, int n, double *b)
{
    double most = 0.0;
    memset(b, 0, (size_t)flx_dims_unknowns(&d->base.dims) * sizeof *b);
    for (int i = 0; i < n; i++) {
        if (flx_row_gives(d, i, switches) || (positions && d->rows[i].tau > 0)) continue;
        if (!isfinite(rows[i])) return HUGE_VAL;
        b[flx_first_lam(d) + i] = -rows[i];
        most = fmax(most, fabs(rows[i]) / row_scale(d, i));
    }
    return most;
}

// Newton with factors from nearby, new ones where they do not do.
#define SLOW 0.1

static flx_status project_positions(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                                    double *moved)
{
    const flx_system *s = &d->base;
    flx_saddle_work *k = &w->saddle;
    double last = HUGE_VAL;
    flx_point p = flx_state_point(s, x);
    p.lam = p.mu = p.a = p.dx = w->zero;
    bool serve = flx_saddle_work_serves(d, k, &p), fresh = false;
    for (int i = 0; i < MAX_PROJECTIONS; i++) {
        flx_eval_constraints(d, w, &p, w->r);
        double off = set_rows(d, x->switches, w->r + flx_first_lam(d), true, s->dims.nlam, k->rhs);
        if (off == HUGE_VAL) return FLX_NOT_FINITE;
        if (off <= CLOSED) return FLX_OK;
        // what rounding leaves, at a position that asks for more than rounding allows
        if (fresh && off < 1e-11 && off > 0.5 * last) return FLX_OK;
        fresh = !serve || off > SLOW * last;
        if (fresh) {
            FLX_TRY(flx_saddle_work_factor(d, w, &p));
            (void)set_rows(d, x->switches, w->r + flx_first_lam(d), true, s->dims.nlam, k->rhs);
            serve = flx_saddle_work_serves(d, k, &p);
        }
        last = off;
        FLX_TRY(flx_saddle_work_solve(d, w));
        *moved += motion_size(d, k->rhs);
        s->ops->retract(s, x->q, k->rhs, x->q);
    }
    return last < 1e-9 ? FLX_OK : FLX_NO_CONVERGENCE;
}

// Largest sum of terms of a row of G v and A v, scaled; by the matrix as it was factored.
static double rate_size(const flx_descriptor *d, const flx_descriptor_work *w, const double *v)
{
    const flx_pattern *p = &d->base.pattern;
    int nv = d->base.dims.nv, first = flx_first_lam(d);
    double most = 0.0;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int i = p->start[bi]; i < p->start[bi + 1] && i >= first; i++) {
            double size = 0.0;
            for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
                int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
                const double *row = w->saddle.A0 + p->offset[e] + (i - p->start[bi]) * n;
                for (int j = 0; j < n && j0 < nv; j++) size += fabs(row[j] * v[j0 + j]);
            }
            most = fmax(most, size / row_scale(d, i - first));
        }
    }
    return most;
}

// Linear, so that one solution removes all but the rounding of it, or the error of the factors.
static flx_status project_velocities(const flx_descriptor *d, flx_descriptor_work *w, flx_state *x,
                                     double *moved)
{
    const flx_system *s = &d->base;
    const flx_dims *n = &s->dims;
    flx_saddle_work *k = &w->saddle;
    flx_point p = flx_state_point(s, x);
    p.lam = p.mu = p.a = p.dx = w->zero;
    if (!flx_saddle_work_serves(d, k, &p)) FLX_TRY(flx_saddle_work_factor(d, w, &p));
    double last = HUGE_VAL, closed = 4.0 * DBL_EPSILON * rate_size(d, w, x->v);
    for (int i = 0; i < MAX_PROJECTIONS; i++) {
        if (n->nmu > 0) {
            flx_eval_constraints(d, w, &p, w->r);
            memcpy(w->rows + n->nlam, w->r + flx_first_mu(d), (size_t)n->nmu * sizeof(double));
        }
        FLX_TRY(flx_eval_constraint_rate(s, &w->base, &p, w->rows));
        double off = set_rows(d, x->switches, w->rows, false, n->nlam + n->nmu, k->rhs);
        if (off == HUGE_VAL) return FLX_NOT_FINITE;
        if (off <= closed || off > 0.5 * last) return FLX_OK;
        if (i > 0 && off > SLOW * last) {
            FLX_TRY(flx_saddle_work_factor(d, w, &p));
            (void)set_rows(d, x->switches, w->rows, false, n->nlam + n->nmu, k->rhs);
        }
        last = off;
        FLX_TRY(flx_saddle_work_solve(d, w));
        if (i == 0) *moved = motion_size(d, k->rhs);
        for (int j = 0; j < n->nv; j++) x->v[j] += k->rhs[j];
    }
    return FLX_OK;
}

static flx_status project(const flx_system *s, flx_work *work, double t, double *z, flx_state *x,
                          double *moved_q, double *moved_v)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    *moved_q = *moved_v = 0.0;
    flx_unpack(s, t, z, x);
    if (s->dims.nlam + s->dims.nmu > 0) {
        FLX_TRY(flx_saddle_prepare(d, w));
        FLX_TRY(project_positions(d, w, x, moved_q));
        FLX_TRY(project_velocities(d, w, x, moved_v));
    }
    flx_pack(s, x, z);
    return FLX_OK;
}

static flx_status prepare(const flx_system *s, flx_work *work)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    return flx_saddle_prepare(flx_descriptor_of(s), w);
}

static double regularity(const flx_system *s, const flx_work *work)
{
    const flx_descriptor_work *w = (const flx_descriptor_work *)work;
    (void)s;
    return w->saddle.regularity;
}

static int worst(const flx_system *s, const flx_work *work)
{
    const flx_descriptor_work *w = (const flx_descriptor_work *)work;
    (void)s;
    return w->saddle.together ? flx_index1_worst(w->saddle.together) : -1;
}

const flx_explicit flx_descriptor_explicit = {.size = flx_pack_size,
                                              .prepare = prepare,
                                              .pack = flx_pack,
                                              .unpack = flx_unpack,
                                              .rate = rate,
                                              .project = project,
                                              .regularity = regularity,
                                              .worst = worst};
