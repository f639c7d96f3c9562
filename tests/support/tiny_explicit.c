// tiny_explicit.c - accelerations, projections and momenta of small systems, from residual and tangent.
#include "tiny_parts.h"

// ---- explicit form --------------------------------------------------------------------------

static int explicit_size(const flx_system *s)
{
    return s->dims.nq + s->dims.nv + s->dims.nx;
}

static void explicit_pack(const flx_system *s, const flx_state *x, double *z)
{
    const flx_dims *d = &s->dims;
    memcpy(z, x->q, (size_t)d->nq * sizeof *z);
    memcpy(z + d->nq, x->v, (size_t)d->nv * sizeof *z);
    memcpy(z + d->nq + d->nv, x->x, (size_t)d->nx * sizeof *z);
}

static void explicit_unpack(const flx_system *s, double t, const double *z, flx_state *x)
{
    const flx_dims *d = &s->dims;
    x->t = t;
    memcpy(x->q, z, (size_t)d->nq * sizeof *z);
    memcpy(x->v, z + d->nq, (size_t)d->nv * sizeof *z);
    memcpy(x->x, z + d->nq + d->nv, (size_t)d->nx * sizeof *z);
    if (d->nq > d->nv) quat_store(x->q + 3, quat_unit(quat_load(x->q + 3)));
}

// Solve the dense system of all unknowns with weights (c0, c1, c2) on the rows of v and the constraints;
// b is overwritten.
static int solve_dense(const flx_system *s, tiny_work *w, double *b)
{
    tiny_factors f = {.n = flx_dims_unknowns(&s->dims)};
    double complex z[TINY_MAX];
    for (int i = 0; i < f.n * f.n; i++) f.a[i] = w->dense[i];
    for (int i = 0; i < f.n; i++) z[i] = b[i];
    if (!tiny_dense_lu(&f)) return 0;
    tiny_dense_solve(&f, z);
    for (int i = 0; i < f.n; i++) b[i] = creal(z[i]);
    return 1;
}

// The rows of A in the dense matrix: from which part of the linearisation.
static double constraint_entry(const flx_system *s, const tiny_work *w, int i, int j)
{
    const flx_dims *d = &s->dims;
    int first_mu = flx_dims_unknowns(d) - d->nmu;
    return tiny_get(&s->pattern, i >= first_mu ? w->blocks.A1 : w->blocks.A0, i, j);
}

// [W G^T A^T; G; A] with W = M, identity for everything that is neither v nor a constraint.
static void fill_saddle(const flx_system *s, tiny_work *w)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first_row = n - d->nlam - d->nmu;
    memset(w->dense, 0, sizeof w->dense);
    for (int i = 0; i < n; i++) {
        if (i >= d->nv && i < first_row) w->dense[i * n + i] = 1.0;
        for (int j = 0; j < d->nv; j++) {
            if (i < d->nv) w->dense[i * n + j] = tiny_get(&s->pattern, w->blocks.A2, i, j);
            if (i >= first_row) {
                w->dense[i * n + j] = constraint_entry(s, w, i, j);
                w->dense[j * n + i] = w->dense[i * n + j];
            }
        }
    }
}

// w of the mixed system from psi = 0: Newton from where it is.
static void solve_algebraic(const flx_system *s, flx_work *work, flx_state *x)
{
    tiny_work *w = (tiny_work *)work;
    const flx_dims *d = &s->dims;
    for (int k = 0; k < 50 && d->nw; k++) {
        flx_point p = flx_state_point(s, x);
        s->ops->residual(s, work, &p, w->r);
        s->ops->linearise(s, work, &p, &w->blocks);
        int i = d->nv + d->nx; // one unknown at most
        x->w[0] -= w->r[i] / tiny_get(&s->pattern, w->blocks.A0, i, i);
    }
}

static flx_status explicit_rate(const flx_system *s, flx_work *work, double t, const double *z,
                                flx_state *x, double *dz)
{
    tiny_work *w = (tiny_work *)work;
    const flx_dims *d = &s->dims;
    explicit_unpack(s, t, z, x);
    solve_algebraic(s, work, x);
    memset(x->a, 0, (size_t)d->nv * sizeof(double));
    memset(x->dx, 0, (size_t)d->nx * sizeof(double));
    memset(x->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(x->mu, 0, (size_t)d->nmu * sizeof(double));
    flx_point p = flx_state_point(s, x);
    int n = flx_dims_unknowns(d), first_row = n - d->nlam - d->nmu;
    s->ops->linearise(s, work, &p, &w->blocks);
    fill_saddle(s, w);
    s->ops->residual(s, work, &p, w->r);
    for (int i = 0; i < n; i++) w->r[i] = -w->r[i];
    if (n > first_row) {
        s->ops->constraint_bias(s, work, &p, w->b);
        for (int i = first_row; i < n; i++) w->r[i] = -w->b[i - first_row];
    }
    memcpy(x->dx, w->r + d->nv, (size_t)d->nx * sizeof(double));
    if (!solve_dense(s, w, w->r)) return FLX_SINGULAR;
    memcpy(x->a, w->r, (size_t)d->nv * sizeof(double));
    memcpy(x->lam, w->r + first_row, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, w->r + first_row + d->nlam, (size_t)d->nmu * sizeof(double));

    memcpy(dz, x->v, (size_t)d->nv * sizeof(double));
    if (d->nq > d->nv) { // quaternion rate: half the product with omega
        quat om = {0.0, x->v[3], x->v[4], x->v[5]};
        quat r = quat_mul(quat_load(z + 3), om);
        quat_store(dz + 3, (quat){0.5 * r.w, 0.5 * r.x, 0.5 * r.y, 0.5 * r.z});
    }
    memcpy(dz + d->nq, x->a, (size_t)d->nv * sizeof(double));
    memcpy(dz + d->nq + d->nv, x->dx, (size_t)d->nx * sizeof(double));
    return FLX_OK;
}

static double largest(const double *a, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) m = fmax(m, fabs(a[i]));
    return m;
}

static flx_status explicit_project(const flx_system *s, flx_work *work, double t, double *z,
                                   flx_state *x, double *moved_q, double *moved_v)
{
    tiny_work *w = (tiny_work *)work;
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first_row = n - d->nlam - d->nmu;
    *moved_q = *moved_v = 0.0;
    explicit_unpack(s, t, z, x);
    for (int k = 0; k < 3 && d->nlam; k++) {
        flx_point p = flx_state_point(s, x);
        s->ops->linearise(s, work, &p, &w->blocks);
        fill_saddle(s, w);
        s->ops->residual(s, work, &p, w->r);
        for (int i = 0; i < n; i++) {
            w->r[i] = i >= first_row && i < first_row + d->nlam ? -w->r[i] : 0.0;
        }
        if (!solve_dense(s, w, w->r)) return FLX_SINGULAR;
        *moved_q = fmax(*moved_q, largest(w->r, d->nv));
        s->ops->retract(s, x->q, w->r, x->q);
    }
    flx_point p = flx_state_point(s, x);
    s->ops->linearise(s, work, &p, &w->blocks);
    fill_saddle(s, w);
    s->ops->residual(s, work, &p, w->r);
    if (d->nlam) s->ops->constraint_rate(s, work, &p, w->r + first_row);
    for (int i = 0; i < n; i++) w->r[i] = i >= first_row ? -w->r[i] : 0.0;
    if (!solve_dense(s, w, w->r)) return FLX_SINGULAR;
    *moved_v = largest(w->r, d->nv);
    for (int i = 0; i < d->nv; i++) x->v[i] += w->r[i];
    explicit_pack(s, x, z);
    return FLX_OK;
}

const flx_explicit tiny_explicit = {.size = explicit_size,
                                    .pack = explicit_pack,
                                    .unpack = explicit_unpack,
                                    .rate = explicit_rate,
                                    .project = explicit_project};

// ---- momenta --------------------------------------------------------------------------------

// M v: what the residual has with accelerations and not without. Quaternions carry w x J w.
static flx_status tiny_momentum(const flx_system *s, flx_work *work, const flx_point *p, double *Mv)
{
    tiny_work *w = (tiny_work *)work;
    const flx_dims *d = &s->dims;
    double zero[TINY_MAX] = {0.0};
    flx_point at = *p;
    at.v = at.lam = at.mu = zero;
    at.a = p->v;
    flx_status status = s->ops->residual(s, work, &at, w->a);
    at.a = zero;
    if (status == FLX_OK) status = s->ops->residual(s, work, &at, w->b);
    for (int i = 0; i < d->nv; i++) Mv[i] = w->a[i] - w->b[i];
    return status;
}

static flx_status tiny_transport(const flx_system *s, flx_work *w, const flx_point *p, double *out)
{
    (void)w;
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    if (s->dims.nq == s->dims.nv) return FLX_OK;
    const double *J = as_tiny(s)->top.J, *o = p->v + 3;
    v3 om = v3_load(o);
    v3_store(out + 3, v3_cross(om, v3_make(J[0] * o[0], J[1] * o[1], J[2] * o[2])));
    return FLX_OK;
}

const flx_lagrangian tiny_lagrangian = {.momentum = tiny_momentum, .transport = tiny_transport};
