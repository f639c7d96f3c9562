// descriptor_explicit.c - z' = F(t, z) with z = (q, v, x): bonds on acceleration level, projection to
// positions and velocities in the metric of the masses.
//
//     [M G^T A^T; G; A] (a, l, m) = (f, -bias)                                 (EXP-1)
//     [M G^T; G] (theta, .) = (0, -g),  q <- q (+) theta                       (EXP-2)
//     [M G^T A^T; G; A] (dv, .) = (0, -(G v + g_t), -(A v + b))                (EXP-3)
// Compliant bonds (C > 0) give their multiplier directly. One matrix, one order of elimination. Where
// forces read multipliers, what it gives is the guess for (IDX-1).
#include "math/dense.h"
#include "system/descriptor_parts.h"
#include "system/pack.h"

#include <float.h>

// ---- the matrix ---------------------------------------------------------------------------------

static bool has_massless_body(const flx_model *m)
{
    for (int i = 0; i < m->nbody; i++) {
        bool elastic = false; // the material has the mass
        for (int k = 0; k < m->nmodal; k++) elastic = elastic || m->modals[k].body == i;
        if (elastic || m->bodies[i].slope) continue;
        const double *J = m->bodies[i].inertia;
        bool rigid = m->bodies[i].type == FLX_BODY_RIGID;
        double inertia = m->dimension == 2 ? J[8] : fmin(J[0], fmin(J[4], J[8]));
        if (!(m->bodies[i].mass > 0) || (rigid && !(inertia > 0))) return true;
    }
    return false;
}

flx_status flx_saddle_prepare(const flx_descriptor *d, flx_work *w)
{
    flx_saddle_work *k = &w->saddle;
    if (k->ldl) return FLX_OK;
    k->factored = (double)NAN;
    const flx_pattern *p = &d->base.pattern;
    flx_ctx *ctx = d->base.ctx;
    size_t nvalue = (size_t)p->offset[p->row[p->nblock]];
    size_t n = (size_t)flx_dims_unknowns(&d->base.dims);
    signed char *sign = flx_alloc(ctx, (size_t)p->nblock, 1);
    if (!k->A0) k->A0 = flx_alloc(ctx, nvalue, sizeof(double));
    if (!k->A2) k->A2 = flx_alloc(ctx, nvalue, sizeof(double));
    if (!k->A1 && d->base.dims.nw > 0) k->A1 = flx_alloc(ctx, nvalue, sizeof(double));
    if (!k->rhs) k->rhs = flx_alloc(ctx, n, sizeof(double));
    if (!k->tmp) k->tmp = flx_alloc(ctx, 2 * n, sizeof(double));
    flx_status status = FLX_ERR_MEMORY;
    bool fine = sign && k->A0 && k->A2 && k->rhs && k->tmp && (k->A1 || d->base.dims.nw == 0);
    if (fine) {
        for (int b = 0; b < p->nblock; b++) sign[b] = p->start[b] < flx_first_lam(d) ? 1 : -1;
        status = flx_ldl_create(ctx, p, sign, false, &k->ldl);
    }
    if (status == FLX_OK && has_massless_body(d->model)) {
        status = flx_lu_create(ctx, p, false, &k->lu);
    }
    if (status == FLX_OK && d->base.reads_multipliers) {
        status = flx_index1_create(&d->base, &k->together);
    }
    if (status != FLX_OK) flx_ldl_destroy(&k->ldl); // all or nothing
    flx_free(sign);
    return status;
}

void flx_saddle_free(flx_work *w)
{
    flx_saddle_work *k = &w->saddle;
    flx_ldl_destroy(&k->ldl);
    flx_lu_destroy(&k->lu);
    flx_index1_destroy(&k->together);
    flx_free(k->A0);
    flx_free(k->A1);
    flx_free(k->A2);
    flx_free(k->rhs);
    flx_free(k->tmp);
}

// The matrix at p into A0. Unknowns that are neither velocity nor active bond get a diagonal.
static void assemble(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    flx_saddle_work *k = &w->saddle;
    flx_eval_saddle(d, w, p, k->A0, k->A2);
    for (int r = 0; r < d->touched[1].n; r++) {
        int at = d->touched[1].at[r];
        for (int i = at; i < at + d->touched[1].count[r]; i++) k->A0[i] += k->A2[i];
    }
    for (int i = flx_first_x(d); i < flx_first_lam(d); i++) k->A0[flx_layout_slot(d, i, i)] = 1.0;
    for (int i = flx_first_lam(d); i < flx_dims_unknowns(&d->base.dims); i++) {
        if (d->rows[i - flx_first_lam(d)].C > 0) k->A0[flx_layout_slot(d, i, i)] = -1.0;
    }
}

// Whether a velocity has no mass at all; otherwise a singular matrix is one of position.
static bool has_massless(const flx_descriptor *d, const flx_work *w)
{
    for (int i = 0; i < d->base.dims.nv; i++) {
        if (!(w->saddle.A2[flx_layout_slot(d, i, i)] > 0)) return true;
    }
    return false;
}

// The first velocity with neither mass nor bond, -1 if there is none.
static int find_loose(const flx_descriptor *d, const flx_work *w)
{
    const flx_pattern *p = &d->base.pattern;
    for (int i = 0; i < d->base.dims.nv; i++) {
        int bi = d->block_of[i];
        bool empty = true;
        for (int e = p->row[bi]; e < p->row[bi + 1] && empty; e++) {
            int n = p->start[p->col[e] + 1] - p->start[p->col[e]];
            const double *row = w->saddle.A0 + p->offset[e] + (i - p->start[bi]) * n;
            for (int j = 0; j < n && empty; j++) empty = row[j] == 0.0;
        }
        if (empty) return i;
    }
    return -1;
}

// Say what has no mass: where that is not plain, the smallest pivot belongs to an unknown.
static flx_status fail_singular(const flx_descriptor *d, const flx_work *w)
{
    flx_unknown u;
    int loose = find_loose(d, w), worst = flx_ldl_get_report(w->saddle.ldl).worst;
    if (!has_massless(d, w)) return FLX_SINGULAR;
    if (loose >= 0) worst = loose;
    d->base.ops->unknown(&d->base, worst < 0 ? 0 : worst, &u);
    return FLX_FAIL(d->base.ctx, FLX_ERR_CANNOT, u.loc,
                    "'%s' (%s): the masses do not determine the accelerations, which an explicit "
                    "method needs; use generalized-alpha or radau, or give it a mass",
                    u.item ? u.item : "?", u.part ? u.part : "?");
}

// Backward errors: at which refinement ends, and that still is a solution (half the digits).
#define REFINED (64 * DBL_EPSILON)
#define WORST_SOLUTION 1e-8
#define MOST_REFINEMENTS 6

// r = b - A x; returns the largest residual relative to the terms of its kind of row, the larger of
// velocities and bonds. (Row by row would be too strict: a massless body's multipliers are exactly
// zero, and any rounding is then an error of one.)
static double residual_of(const flx_descriptor *d, const double *A, const double *b,
                          const double *x, double *r)
{
    const flx_pattern *p = &d->base.pattern;
    double most[2] = {0, 0}, terms[2] = {0, 0};
    for (int bi = 0; bi < p->nblock; bi++) {
        int kind = p->start[bi] >= flx_first_lam(d);
        for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
            double sum = b[i], size = fabs(b[i]);
            for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
                int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
                const double *row = A + p->offset[e] + (i - p->start[bi]) * n;
                for (int j = 0; j < n; j++) {
                    sum -= row[j] * x[j0 + j];
                    size += fabs(row[j] * x[j0 + j]);
                }
            }
            r[i] = sum;
            if (!isfinite(sum)) return HUGE_VAL;
            if (fabs(sum) > most[kind]) most[kind] = fabs(sum);
            if (size > terms[kind]) terms[kind] = size;
        }
    }
    double error = 0.0;
    for (int k = 0; k < 2; k++) {
        if (most[k] > 0) error = fmax(error, most[k] / terms[k]);
    }
    return error;
}

static void solve_once(const flx_saddle_work *k, double *b)
{
    if (k->by_lu) {
        flx_lu_solve(k->lu, b);
    } else {
        flx_ldl_solve(k->ldl, b);
    }
}

// x <- A^-1 b with refinement: the factors may be those of a regularised matrix. Returns the
// backward error.
static double solve_refined(const flx_descriptor *d, const flx_saddle_work *k, const double *b,
                            double *r, double *x)
{
    int n = flx_dims_unknowns(&d->base.dims);
    double last = HUGE_VAL;
    memcpy(x, b, (size_t)n * sizeof *x);
    solve_once(k, x);
    for (int i = 0;; i++) {
        double error = residual_of(d, k->A0, b, x, r);
        if (error <= REFINED || i == MOST_REFINEMENTS || !(error < 0.5 * last)) {
            return fmin(error, last);
        }
        last = error;
        solve_once(k, r);
        for (int j = 0; j < n; j++) x[j] += r[j];
    }
}

// Pivots that keep so much of their terms lose no more than these digits: nothing to refine.
#define REGULAR 1e-3

static bool is_regular(const flx_saddle_work *k)
{
    flx_ldl_report r = flx_ldl_get_report(k->ldl);
    return !k->by_lu && r.regularised == 0 && r.pivot_ratio > REGULAR;
}

// rhs <- A^-1 rhs. The fixed order of LDL cannot always put the bonds that hold a massless body
// before it; pivoting can.
static flx_status solve(const flx_descriptor *d, flx_work *w)
{
    flx_saddle_work *k = &w->saddle;
    int n = flx_dims_unknowns(&d->base.dims);
    double *b = k->tmp, *r = k->tmp + n;
    for (int i = 0; i < n; i++) { // a force without a value is not the matrix's fault
        if (!isfinite(k->rhs[i])) return FLX_NOT_FINITE;
    }
    if (is_regular(k)) {
        flx_ldl_solve(k->ldl, k->rhs);
        return FLX_OK;
    }
    memcpy(b, k->rhs, (size_t)n * sizeof *b);
    double error = solve_refined(d, k, b, r, k->rhs);
    if (!(error <= WORST_SOLUTION) && k->lu && !k->by_lu) {
        if (flx_lu_factor(k->lu, k->A0) != FLX_OK) return fail_singular(d, w);
        k->by_lu = true;
        error = solve_refined(d, k, b, r, k->rhs);
    }
    return error <= WORST_SOLUTION ? FLX_OK : fail_singular(d, w);
}

// Masses may be zero where bonds hold the body. Forces of any kind on everything must then have an
// answer: asked once.
static flx_status probe(const flx_descriptor *d, flx_work *w)
{
    flx_saddle_work *k = &w->saddle;
    k->probed = true;
    if (!has_massless(d, w)) return FLX_OK;
    memset(k->rhs, 0, (size_t)flx_dims_unknowns(&d->base.dims) * sizeof(double));
    for (int i = 0; i < d->base.dims.nv; i++) k->rhs[i] = 1.0 + 0.3 * sin(1.7 * i); // no symmetry
    return solve(d, w);
}

static flx_status factor(const flx_descriptor *d, flx_work *w, const flx_point *p)
{
    flx_saddle_work *k = &w->saddle;
    assemble(d, w, p);
    k->factored = (double)NAN;
    if (k->by_lu) return flx_lu_factor(k->lu, k->A0); // once needed, needed again
    if (!k->probed) flx_ldl_equilibrate(k->ldl, k->A0);
    flx_status status = flx_ldl_factor(k->ldl, k->A0);
    if (status == FLX_SINGULAR) return fail_singular(d, w);
    if (status == FLX_OK && !k->probed) status = probe(d, w);
    if (status == FLX_OK) k->factored = p->t;
    return status;
}

// Factors of a matrix that is not close to a singular one serve at points nearby, too.
static bool factors_serve(const flx_saddle_work *k, double t)
{
    return k->factored == t && is_regular(k);
}

// ---- algebraic unknowns -------------------------------------------------------------------------

#define MAX_ALGEBRAIC 64

// By Newton with the dense derivative.
flx_status flx_eval_algebraic(const flx_descriptor *d, flx_work *w, flx_state *x)
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
        FLX_TRY(flx_eval_residual(&d->base, w, &p, w->r));
        FLX_TRY(flx_eval_linearise(&d->base, w, &p, &blocks));
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

// ---- the form -----------------------------------------------------------------------------------

static void normalise(const flx_system *s, double *q)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    for (int i = 0; i < d->nkind[FLX_BODY_KIND_RIGID]; i++) {
        double *r = q + d->kind[FLX_BODY_KIND_RIGID][i].q + 3;
        quat_store(r, quat_unit(quat_load(r)));
    }
}

// q' = T(q) v; the quaternion as it is in z, so that its norm is kept by the equation.
static void position_rate(const flx_system *s, const double *z, const double *v, double *dq)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    for (int k = 0; k < d->nsegment; k++) {
        const flx_segment *g = d->segments + k;
        memcpy(dq + g->q, v + g->v, (size_t)g->n * sizeof *dq);
    }
    for (int i = 0; i < d->nkind[FLX_BODY_KIND_RIGID]; i++) {
        const flx_body_data *b = d->kind[FLX_BODY_KIND_RIGID] + i;
        memcpy(dq + b->q, v + b->v, 3 * sizeof *dq);
        const double *w = v + b->v + 3;
        quat half = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
        quat_store(dq + b->q + 3, quat_mul(quat_load(z + b->q + 3), half));
    }
}

// v = T(q)^+ dq: 2 q* dq / |q|^2, without its scalar part, of a quaternion.
static void position_velocity(const flx_system *s, const double *q, const double *dq, double *v)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    for (int k = 0; k < d->nsegment; k++) {
        const flx_segment *g = d->segments + k;
        memcpy(v + g->v, dq + g->q, (size_t)g->n * sizeof *v);
    }
    for (int i = 0; i < d->nkind[FLX_BODY_KIND_RIGID]; i++) {
        const flx_body_data *b = d->kind[FLX_BODY_KIND_RIGID] + i;
        memcpy(v + b->v, dq + b->q, 3 * sizeof *v);
        quat a = quat_load(q + b->q + 3);
        double norm2 = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
        quat w = quat_mul((quat){a.w, -a.x, -a.y, -a.z}, quat_load(dq + b->q + 3));
        v3_store(v + b->v + 3, v3_scale(2.0 / norm2, v3_make(w.x, w.y, w.z)));
    }
}

const flx_components flx_descriptor_components = {
    .rate = position_rate, .velocity = position_velocity, .normalise = normalise};

// Multipliers of compliant bonds from the rows at l = 0; the others stay zero.
static bool compliant(const flx_descriptor *d, const double *r, flx_state *x)
{
    bool any = false;
    const flx_dims *n = &d->base.dims;
    for (int i = 0; i < n->nlam + n->nmu; i++) {
        double C = d->rows[i].C;
        if (!(C > 0)) continue;
        *(i < n->nlam ? &x->lam[i] : &x->mu[i - n->nlam]) = r[flx_first_lam(d) + i] / C;
        any = true;
    }
    return any;
}

// (EXP-1) at the point that is held.
static flx_status solve_accelerations(const flx_descriptor *d, flx_work *w, flx_state *x)
{
    const flx_system *s = &d->base;
    const flx_dims *n = &s->dims;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(flx_eval_residual(s, w, &p, w->r));
    if (compliant(d, w->r, x)) {
        if (s->reads_multipliers) flx_eval_hold(d, w, &p);
        FLX_TRY(flx_eval_residual(s, w, &p, w->r));
    }
    FLX_TRY(factor(d, w, &p));
    double *b = w->saddle.rhs;
    memset(b, 0, (size_t)flx_dims_unknowns(n) * sizeof *b);
    FLX_TRY(flx_eval_bond_bias(s, w, &p, b + flx_first_lam(d)));
    for (int i = 0; i < n->nv; i++) b[i] = -w->r[i];
    for (int i = flx_first_lam(d); i < flx_first_mu(d) + n->nmu; i++) b[i] = -b[i];
    for (int i = 0; i < n->nlam + n->nmu; i++) { // the diagonal is -1
        if (d->rows[i].C > 0) {
            b[flx_first_lam(d) + i] = i < n->nlam ? -x->lam[i] : -x->mu[i - n->nlam];
        }
    }
    return solve(d, w);
}

// Everything by one program. False: not such a system, or not at this point.
static bool accelerate_flat(const flx_descriptor *d, flx_work *w, flx_state *x)
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
    if (!(least > REGULAR)) return false;
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

static flx_status accelerate(const flx_descriptor *d, flx_work *w, flx_state *x)
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
    return flx_index1_solve(w->saddle.together, w, x, &evaluations, &evaluations);
}

static flx_status rate(const flx_system *s, flx_work *w, double t, const double *z, flx_state *x,
                       double *dz)
{
    const flx_descriptor *d = flx_descriptor_of(s);
    flx_unpack(s, t, z, x);
    FLX_TRY(accelerate(d, w, x));
    return flx_pack_rate(s, x, z, dz);
}

// ---- projection ---------------------------------------------------------------------------------

#define MAX_PROJECTIONS 10
// Bonds are closed to rounding: some additions of coordinates of the size of the mechanism.
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
static double set_rows(const flx_descriptor *d, const double *rows, bool positions, int n,
                       double *b)
{
    double most = 0.0;
    memset(b, 0, (size_t)flx_dims_unknowns(&d->base.dims) * sizeof *b);
    for (int i = 0; i < n; i++) {
        if (d->rows[i].C > 0 || (positions && d->rows[i].tau > 0)) continue;
        if (!isfinite(rows[i])) return HUGE_VAL;
        b[flx_first_lam(d) + i] = -rows[i];
        most = fmax(most, fabs(rows[i]) / row_scale(d, i));
    }
    return most;
}

// Newton with factors from nearby, new ones where they do not do.
#define SLOW 0.1

static flx_status project_positions(const flx_descriptor *d, flx_work *w, flx_state *x,
                                    double *moved)
{
    const flx_system *s = &d->base;
    flx_saddle_work *k = &w->saddle;
    double last = HUGE_VAL;
    flx_point p = flx_state_point(s, x);
    p.lam = p.mu = p.a = p.dx = w->zero;
    bool serve = factors_serve(k, p.t), fresh = false;
    for (int i = 0; i < MAX_PROJECTIONS; i++) {
        flx_eval_bonds(d, w, &p, w->r);
        double off = set_rows(d, w->r + flx_first_lam(d), true, s->dims.nlam, k->rhs);
        if (off == HUGE_VAL) return FLX_NOT_FINITE;
        if (off <= CLOSED) return FLX_OK;
        // what rounding leaves, at a position that asks for more than rounding allows
        if (fresh && off < 1e-11 && off > 0.5 * last) return FLX_OK;
        fresh = !serve || off > SLOW * last;
        if (fresh) {
            FLX_TRY(factor(d, w, &p));
            (void)set_rows(d, w->r + flx_first_lam(d), true, s->dims.nlam, k->rhs);
            serve = factors_serve(k, p.t);
        }
        last = off;
        FLX_TRY(solve(d, w));
        *moved += motion_size(d, k->rhs);
        s->ops->retract(s, x->q, k->rhs, x->q);
    }
    return last < 1e-9 ? FLX_OK : FLX_NO_CONVERGENCE;
}

// Largest sum of terms of a row of G v and A v, scaled; by the matrix as it was factored.
static double rate_size(const flx_descriptor *d, const flx_work *w, const double *v)
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
static flx_status project_velocities(const flx_descriptor *d, flx_work *w, flx_state *x,
                                     double *moved)
{
    const flx_system *s = &d->base;
    const flx_dims *n = &s->dims;
    flx_saddle_work *k = &w->saddle;
    flx_point p = flx_state_point(s, x);
    p.lam = p.mu = p.a = p.dx = w->zero;
    if (!factors_serve(k, p.t)) FLX_TRY(factor(d, w, &p));
    double last = HUGE_VAL, closed = 4.0 * DBL_EPSILON * rate_size(d, w, x->v);
    for (int i = 0; i < MAX_PROJECTIONS; i++) {
        if (n->nmu > 0) {
            flx_eval_bonds(d, w, &p, w->r);
            memcpy(w->rows + n->nlam, w->r + flx_first_mu(d), (size_t)n->nmu * sizeof(double));
        }
        FLX_TRY(flx_eval_bond_rate(s, w, &p, w->rows));
        double off = set_rows(d, w->rows, false, n->nlam + n->nmu, k->rhs);
        if (off == HUGE_VAL) return FLX_NOT_FINITE;
        if (off <= closed || off > 0.5 * last) return FLX_OK;
        if (i > 0 && off > SLOW * last) {
            FLX_TRY(factor(d, w, &p));
            (void)set_rows(d, w->rows, false, n->nlam + n->nmu, k->rhs);
        }
        last = off;
        FLX_TRY(solve(d, w));
        if (i == 0) *moved = motion_size(d, k->rhs);
        for (int j = 0; j < n->nv; j++) x->v[j] += k->rhs[j];
    }
    return FLX_OK;
}

static flx_status project(const flx_system *s, flx_work *w, double t, double *z, flx_state *x,
                          double *moved_q, double *moved_v)
{
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

static flx_status prepare(const flx_system *s, flx_work *w)
{
    return flx_saddle_prepare(flx_descriptor_of(s), w);
}

static double regularity(const flx_system *s, const flx_work *w)
{
    (void)s;
    return w->saddle.regularity;
}

const flx_explicit flx_descriptor_explicit = {.size = flx_pack_size,
                                              .prepare = prepare,
                                              .pack = flx_pack,
                                              .unpack = flx_unpack,
                                              .rate = rate,
                                              .project = project,
                                              .regularity = regularity};
