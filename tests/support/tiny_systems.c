// tiny_systems.c - small systems of every kind; see tiny_systems.h for their equations.
#include "tiny_systems.h"

#include "integrate/linear.h"
#include "math/small.h"

#include <complex.h>
#include <stdlib.h>
#include <string.h>

#define MAX_N 64   // unknowns of the systems with dense algebra of their own
#define MAX_ROW 64 // entries in the pattern's rows

typedef struct tiny {
    flx_system base;
    flx_system_ops ops; // this system's own table
    top_numbers top;
    mixed_numbers mixed;
    double mass, inertia, gravity;
    int npoint, nbond;
    double *masses;  // owned
    net_bond *bonds; // owned
    double M[64], D[64], K[64];
    double broken_after;
    flx_status (*whole)(const flx_system *s, flx_work *w, const flx_point *p, double *r);
    int *start, *row, *col, *offset, *transpose, *pair; // owned: the pattern
} tiny;

// Scratch for all of them.
struct flx_work {
    double r[MAX_N], a[MAX_N], b[MAX_N], dense[MAX_N * MAX_N];
    int pivot[MAX_N];
    flx_blocks blocks;
    double *values;
};

static const tiny *as_tiny(const flx_system *s)
{
    return (const tiny *)s;
}

// ---- pattern --------------------------------------------------------------------------------

static int find_entry(const flx_pattern *p, int i, int j)
{
    for (int e = p->row[i]; e < p->row[i + 1]; e++) {
        if (p->col[e] == j) return e;
    }
    return -1;
}

// From a table of coupled blocks (nblock x nblock flags) and the blocks' sizes.
static int make_pattern(tiny *t, int nblock, const int *size, const char *coupled)
{
    int nentry = 0;
    for (int k = 0; k < nblock * nblock; k++) nentry += coupled[k] != 0;
    t->start = calloc((size_t)nblock + 1, sizeof(int));
    t->row = calloc((size_t)nblock + 1, sizeof(int));
    t->col = calloc((size_t)nentry + 1, sizeof(int));
    t->offset = calloc((size_t)nentry + 1, sizeof(int));
    t->transpose = calloc((size_t)nentry + 1, sizeof(int));
    t->pair = calloc((size_t)nblock + 1, sizeof(int));
    if (!t->start || !t->row || !t->col || !t->offset || !t->transpose || !t->pair) return 0;
    int e = 0;
    for (int i = 0; i < nblock; i++) {
        t->start[i + 1] = t->start[i] + size[i];
        t->row[i] = e;
        t->pair[i] = -1;
        for (int j = 0; j < nblock; j++) {
            if (!coupled[i * nblock + j]) continue;
            t->col[e] = j;
            t->offset[e + 1] = t->offset[e] + size[i] * size[j];
            e++;
        }
    }
    t->row[nblock] = e;
    t->base.pattern = (flx_pattern){.nblock = nblock,
                                    .start = t->start,
                                    .row = t->row,
                                    .col = t->col,
                                    .offset = t->offset,
                                    .transpose = t->transpose,
                                    .pair = t->pair,
                                    .version = 1};
    for (int i = 0; i < nblock; i++) {
        for (int k = t->row[i]; k < t->row[i + 1]; k++) {
            t->transpose[k] = find_entry(&t->base.pattern, t->col[k], i);
        }
    }
    return 1;
}

// One block a kind, everything coupled.
static int make_dense_pattern(tiny *t)
{
    const flx_dims *d = &t->base.dims;
    int size[5] = {d->nv, d->nx, d->nw, d->nlam, d->nmu}, kept[5], n = 0;
    char coupled[25];
    for (int k = 0; k < 5; k++) {
        if (size[k]) kept[n++] = size[k];
    }
    memset(coupled, 1, sizeof coupled);
    return make_pattern(t, n, kept, coupled);
}

// Add a number to the entry of unknowns i, j.
static void put(const flx_pattern *p, double *A, int i, int j, double value)
{
    int bi = 0, bj = 0;
    while (i >= p->start[bi + 1]) bi++;
    while (j >= p->start[bj + 1]) bj++;
    int e = find_entry(p, bi, bj);
    int width = p->start[bj + 1] - p->start[bj];
    A[p->offset[e] + (i - p->start[bi]) * width + (j - p->start[bj])] += value;
}

static double get(const flx_pattern *p, const double *A, int i, int j)
{
    int bi = 0, bj = 0;
    while (i >= p->start[bi + 1]) bi++;
    while (j >= p->start[bj + 1]) bj++;
    int e = find_entry(p, bi, bj);
    if (e < 0) return 0.0;
    int width = p->start[bj + 1] - p->start[bj];
    return A[p->offset[e] + (i - p->start[bi]) * width + (j - p->start[bj])];
}

static size_t value_count(const flx_pattern *p)
{
    return (size_t)p->offset[p->row[p->nblock]];
}

static void clear_blocks(const flx_pattern *p, flx_blocks *b)
{
    size_t bytes = value_count(p) * sizeof(double);
    memset(b->A0, 0, bytes);
    memset(b->A1, 0, bytes);
    memset(b->A2, 0, bytes);
}

// ---- charts ---------------------------------------------------------------------------------

static void flat_retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    for (int i = 0; i < s->dims.nv; i++) out[i] = q[i] + theta[i];
}
static void flat_difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    for (int i = 0; i < s->dims.nv; i++) theta[i] = q1[i] - q0[i];
}
static void flat_map(const flx_system *s, const double *theta, const double *u, double *out)
{
    (void)theta;
    memmove(out, u, (size_t)s->dims.nv * sizeof *u);
}

static void top_retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    (void)s;
    for (int i = 0; i < 3; i++) out[i] = q[i] + theta[i];
    quat_store(out + 3, quat_unit(quat_mul(quat_load(q + 3), quat_exp(v3_load(theta + 3)))));
}
static void top_difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    (void)s;
    for (int i = 0; i < 3; i++) theta[i] = q1[i] - q0[i];
    v3_store(theta + 3, quat_log(quat_mul(quat_conj(quat_load(q0 + 3)), quat_load(q1 + 3))));
}
#define TOP_MAP(name, kernel)                                                                      \
    static void name(const flx_system *s, const double *theta, const double *u, double *out)       \
    {                                                                                              \
        (void)s;                                                                                   \
        memmove(out, u, 3 * sizeof *u);                                                            \
        v3_store(out + 3, kernel(v3_load(theta + 3), v3_load(u + 3)));                             \
    }
TOP_MAP(top_velocity, rot_tangent)
TOP_MAP(top_rate, rot_tangent_inverse)
TOP_MAP(top_velocity_t, rot_tangent_t)
TOP_MAP(top_rate_t, rot_tangent_inverse_t)

static void top_velocity_slope_t(const flx_system *s, const double *theta, const double *dtheta,
                                 const double *u, double *out)
{
    (void)s;
    memset(out, 0, 3 * sizeof *out);
    v3 slope = rot_tangent_slope_t(v3_load(theta + 3), v3_load(dtheta + 3), v3_load(u + 3));
    v3_store(out + 3, slope);
}

// ---- common ---------------------------------------------------------------------------------

static flx_work *work_create(const flx_system *s)
{
    flx_work *w = calloc(1, sizeof *w);
    if (!w) return NULL;
    size_t n = value_count(&s->pattern);
    w->values = calloc(3 * n + 1, sizeof(double));
    if (!w->values) {
        s->ops->work_destroy(w);
        return NULL;
    }
    w->blocks = (flx_blocks){w->values, w->values + n, w->values + 2 * n};
    return w;
}

static void work_destroy(flx_work *w)
{
    if (!w) return;
    free(w->values);
    free(w);
}

static void destroy(flx_system *s)
{
    tiny *t = (tiny *)s;
    free(t->masses);
    free(t->bonds);
    free(t->start);
    free(t->row);
    free(t->col);
    free(t->offset);
    free(t->transpose);
    free(t->pair);
    free(t);
}

// Names by number, so that a message can be tested.
static void unknown(const flx_system *s, int i, flx_unknown *info)
{
    static const char *const item[5] = {"mass", "state", "variable", "rod", "edge"};
    static const char *const part[8] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    const flx_dims *d = &s->dims;
    int first[6] = {0, d->nv, 0, 0, 0, 0};
    first[2] = first[1] + d->nx;
    first[3] = first[2] + d->nw;
    first[4] = first[3] + d->nlam;
    first[5] = first[4] + d->nmu;
    int kind = 0;
    while (i >= first[kind + 1]) kind++;
    *info = (flx_unknown){.kind = (flx_unknown_kind)kind,
                          .index = kind == 3   ? 3
                                   : kind == 4 ? 2
                                               : kind == 2,
                          .scale = 1.0,
                          .sigma = kind == 3,
                          .lower = -HUGE_VAL,
                          .upper = HUGE_VAL,
                          .item = item[kind],
                          .part = part[(i - first[kind]) % 8],
                          .loc = FLX_NOWHERE};
    const tiny *t = as_tiny(s);
    if (kind == 3 && t->bonds) {
        const net_bond *b = &t->bonds[i - first[3]];
        info->sigma = b->sigma;
        info->tau = b->tau;
        info->C = b->C;
        info->index = b->C != 0.0 ? 1 : b->tau != 0.0 ? 2 : 3;
        info->scale = b->length;
    }
}

// ---- dense algebra of its own -----------------------------------------------------------------

// LU with partial pivoting, complex throughout.
typedef struct dense_factors {
    int n;
    int pivot[MAX_N];
    double complex a[MAX_N * MAX_N];
} dense_factors;

static int dense_lu(dense_factors *f)
{
    int n = f->n;
    double complex *a = f->a;
    for (int k = 0; k < n; k++) {
        int p = k;
        for (int i = k + 1; i < n; i++) {
            if (cabs(a[i * n + k]) > cabs(a[p * n + k])) p = i;
        }
        f->pivot[k] = p;
        if (cabs(a[p * n + k]) == 0.0) return 0;
        for (int j = 0; j < n; j++) {
            double complex swap = a[k * n + j];
            a[k * n + j] = a[p * n + j];
            a[p * n + j] = swap;
        }
        for (int i = k + 1; i < n; i++) {
            a[i * n + k] /= a[k * n + k];
            for (int j = k + 1; j < n; j++) a[i * n + j] -= a[i * n + k] * a[k * n + j];
        }
    }
    return 1;
}

static void dense_solve(const dense_factors *f, double complex *b)
{
    int n = f->n;
    for (int k = 0; k < n; k++) {
        double complex swap = b[k];
        b[k] = b[f->pivot[k]];
        b[f->pivot[k]] = swap;
    }
    for (int k = 0; k < n; k++) {
        for (int i = k + 1; i < n; i++) b[i] -= f->a[i * n + k] * b[k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) b[k] -= f->a[k * n + j] * b[j];
        b[k] /= f->a[k * n + k];
    }
}

static void *own_factors_create(const flx_system *s, int complex_weight)
{
    (void)complex_weight;
    dense_factors *f = calloc(1, sizeof *f);
    if (f) f->n = flx_dims_unknowns(&s->dims);
    return f;
}

static void own_factors_destroy(void *factors)
{
    free(factors);
}

static flx_status own_factor(const flx_system *s, const flx_blocks *b, const double c[3],
                             const double ci[3], void *factors)
{
    dense_factors *f = factors;
    double complex w[3];
    for (int k = 0; k < 3; k++) w[k] = flx_complex(c[k], ci ? ci[k] : 0.0);
    for (int i = 0; i < f->n; i++) {
        for (int j = 0; j < f->n; j++) {
            f->a[i * f->n + j] = w[0] * get(&s->pattern, b->A0, i, j) +
                                 w[1] * get(&s->pattern, b->A1, i, j) +
                                 w[2] * get(&s->pattern, b->A2, i, j);
        }
    }
    return dense_lu(f) ? FLX_OK : FLX_SINGULAR;
}

static flx_status own_solve(const flx_system *s, void *factors, double *rhs, double *rhs_imag)
{
    (void)s;
    double complex b[MAX_N];
    dense_factors *f = factors;
    for (int i = 0; i < f->n; i++) b[i] = flx_complex(rhs[i], rhs_imag ? rhs_imag[i] : 0.0);
    dense_solve(f, b);
    for (int i = 0; i < f->n; i++) {
        rhs[i] = creal(b[i]);
        if (rhs_imag) rhs_imag[i] = cimag(b[i]);
    }
    return FLX_OK;
}

void tiny_own_algebra(flx_system *s)
{
    tiny *t = (tiny *)s;
    t->ops.factors_create = own_factors_create;
    t->ops.factors_destroy = own_factors_destroy;
    t->ops.factor = own_factor;
    t->ops.solve = own_solve;
}

void tiny_without_explicit(flx_system *s)
{
    ((tiny *)s)->ops.explicit_form = NULL;
}

static flx_status broken_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    const tiny *t = as_tiny(s);
    flx_status status = t->whole(s, w, p, r);
    if (p->t > t->broken_after) r[0] = (double)NAN;
    return status;
}

void tiny_break_after(flx_system *s, double t)
{
    tiny *x = (tiny *)s;
    x->whole = x->ops.residual;
    x->broken_after = t;
    x->ops.residual = broken_residual;
}

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

// Solve the dense system of all unknowns with weights (c0, c1, c2) on the rows of v and the bonds;
// b is overwritten.
static int solve_dense(const flx_system *s, flx_work *w, double *b)
{
    dense_factors f = {.n = flx_dims_unknowns(&s->dims)};
    double complex z[MAX_N];
    for (int i = 0; i < f.n * f.n; i++) f.a[i] = w->dense[i];
    for (int i = 0; i < f.n; i++) z[i] = b[i];
    if (!dense_lu(&f)) return 0;
    dense_solve(&f, z);
    for (int i = 0; i < f.n; i++) b[i] = creal(z[i]);
    return 1;
}

// The rows of A in the dense matrix: from which part of the linearisation.
static double bond_entry(const flx_system *s, const flx_work *w, int i, int j)
{
    const flx_dims *d = &s->dims;
    int first_mu = flx_dims_unknowns(d) - d->nmu;
    return get(&s->pattern, i >= first_mu ? w->blocks.A1 : w->blocks.A0, i, j);
}

// [W G^T A^T; G; A] with W = M, identity for everything that is neither v nor a bond.
static void fill_saddle(const flx_system *s, flx_work *w)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first_bond = n - d->nlam - d->nmu;
    memset(w->dense, 0, sizeof w->dense);
    for (int i = 0; i < n; i++) {
        if (i >= d->nv && i < first_bond) w->dense[i * n + i] = 1.0;
        for (int j = 0; j < d->nv; j++) {
            if (i < d->nv) w->dense[i * n + j] = get(&s->pattern, w->blocks.A2, i, j);
            if (i >= first_bond) {
                w->dense[i * n + j] = bond_entry(s, w, i, j);
                w->dense[j * n + i] = w->dense[i * n + j];
            }
        }
    }
}

// w of the mixed system from psi = 0: Newton from where it is.
static void solve_algebraic(const flx_system *s, flx_work *w, flx_state *x)
{
    const flx_dims *d = &s->dims;
    for (int k = 0; k < 50 && d->nw; k++) {
        flx_point p = flx_state_point(s, x);
        s->ops->residual(s, w, &p, w->r);
        s->ops->linearise(s, w, &p, &w->blocks);
        int i = d->nv + d->nx; // one unknown at most
        x->w[0] -= w->r[i] / get(&s->pattern, w->blocks.A0, i, i);
    }
}

static flx_status explicit_rate(const flx_system *s, flx_work *w, double t, const double *z,
                                flx_state *x, double *dz)
{
    const flx_dims *d = &s->dims;
    explicit_unpack(s, t, z, x);
    solve_algebraic(s, w, x);
    memset(x->a, 0, (size_t)d->nv * sizeof(double));
    memset(x->dx, 0, (size_t)d->nx * sizeof(double));
    memset(x->lam, 0, (size_t)d->nlam * sizeof(double));
    memset(x->mu, 0, (size_t)d->nmu * sizeof(double));
    flx_point p = flx_state_point(s, x);
    int n = flx_dims_unknowns(d), first_bond = n - d->nlam - d->nmu;
    s->ops->linearise(s, w, &p, &w->blocks);
    fill_saddle(s, w);
    s->ops->residual(s, w, &p, w->r);
    for (int i = 0; i < n; i++) w->r[i] = -w->r[i];
    if (n > first_bond) {
        s->ops->bond_bias(s, w, &p, w->b);
        for (int i = first_bond; i < n; i++) w->r[i] = -w->b[i - first_bond];
    }
    memcpy(x->dx, w->r + d->nv, (size_t)d->nx * sizeof(double));
    if (!solve_dense(s, w, w->r)) return FLX_SINGULAR;
    memcpy(x->a, w->r, (size_t)d->nv * sizeof(double));
    memcpy(x->lam, w->r + first_bond, (size_t)d->nlam * sizeof(double));
    memcpy(x->mu, w->r + first_bond + d->nlam, (size_t)d->nmu * sizeof(double));

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

static flx_status explicit_project(const flx_system *s, flx_work *w, double t, double *z,
                                   flx_state *x, double *moved_q, double *moved_v)
{
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first_bond = n - d->nlam - d->nmu;
    *moved_q = *moved_v = 0.0;
    explicit_unpack(s, t, z, x);
    for (int k = 0; k < 3 && d->nlam; k++) {
        flx_point p = flx_state_point(s, x);
        s->ops->linearise(s, w, &p, &w->blocks);
        fill_saddle(s, w);
        s->ops->residual(s, w, &p, w->r);
        for (int i = 0; i < n; i++) {
            w->r[i] = i >= first_bond && i < first_bond + d->nlam ? -w->r[i] : 0.0;
        }
        if (!solve_dense(s, w, w->r)) return FLX_SINGULAR;
        *moved_q = fmax(*moved_q, largest(w->r, d->nv));
        s->ops->retract(s, x->q, w->r, x->q);
    }
    flx_point p = flx_state_point(s, x);
    s->ops->linearise(s, w, &p, &w->blocks);
    fill_saddle(s, w);
    s->ops->residual(s, w, &p, w->r);
    if (d->nlam) s->ops->bond_rate(s, w, &p, w->r + first_bond);
    for (int i = 0; i < n; i++) w->r[i] = i >= first_bond ? -w->r[i] : 0.0;
    if (!solve_dense(s, w, w->r)) return FLX_SINGULAR;
    *moved_v = largest(w->r, d->nv);
    for (int i = 0; i < d->nv; i++) x->v[i] += w->r[i];
    explicit_pack(s, x, z);
    return FLX_OK;
}

static const flx_explicit explicit_form = {.size = explicit_size,
                                           .pack = explicit_pack,
                                           .unpack = explicit_unpack,
                                           .rate = explicit_rate,
                                           .project = explicit_project};

// ---- momenta --------------------------------------------------------------------------------

// M v: what the residual has with accelerations and not without. Quaternions carry w x J w.
static flx_status tiny_momentum(const flx_system *s, flx_work *w, const flx_point *p, double *Mv)
{
    const flx_dims *d = &s->dims;
    double zero[MAX_N] = {0.0};
    flx_point at = *p;
    at.v = at.lam = at.mu = zero;
    at.a = p->v;
    flx_status status = s->ops->residual(s, w, &at, w->a);
    at.a = zero;
    if (status == FLX_OK) status = s->ops->residual(s, w, &at, w->b);
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

static const flx_lagrangian lagrangian = {.momentum = tiny_momentum, .transport = tiny_transport};

// ---- making one -----------------------------------------------------------------------------

static const flx_system_ops flat_ops = {.name = "tiny",
                                        .retract = flat_retract,
                                        .difference = flat_difference,
                                        .velocity = flat_map,
                                        .rate = flat_map,
                                        .velocity_t = flat_map,
                                        .rate_t = flat_map,
                                        .unknown = unknown,
                                        .work_create = work_create,
                                        .work_destroy = work_destroy,
                                        .destroy = destroy,
                                        .explicit_form = &explicit_form,
                                        .lagrangian = &lagrangian};

static tiny *tiny_create(flx_ctx *ctx, const char *title, flx_dims dims)
{
    tiny *t = calloc(1, sizeof *t);
    if (!t) return NULL;
    t->ops = flat_ops;
    t->base = (flx_system){.ops = &t->ops, .ctx = ctx, .dims = dims, .title = title};
    return t;
}

static flx_system *finish(tiny *t, int ok)
{
    if (ok) return &t->base;
    if (t) destroy(&t->base);
    return NULL;
}

// ---- net ------------------------------------------------------------------------------------

// d = r_i - r_j and its rate.
static void bond_vector(const net_bond *b, const double *q, double d[2])
{
    for (int k = 0; k < 2; k++)
        d[k] = q[2 * b->i + k] - (b->j < 0 ? b->anchor[k] : q[2 * b->j + k]);
}
static void bond_vector_rate(const net_bond *b, const double *v, double d[2])
{
    for (int k = 0; k < 2; k++) d[k] = v[2 * b->i + k] - (b->j < 0 ? 0.0 : v[2 * b->j + k]);
}

static flx_status net_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const tiny *t = as_tiny(s);
    for (int i = 0; i < t->npoint; i++) {
        r[2 * i] = t->masses[i] * p->a[2 * i];
        r[2 * i + 1] = t->masses[i] * (p->a[2 * i + 1] + t->gravity);
    }
    for (int k = 0; k < t->nbond; k++) {
        const net_bond *b = &t->bonds[k];
        double d[2], dd[2];
        bond_vector(b, p->q, d);
        bond_vector_rate(b, p->v, dd);
        double g = (d[0] * d[0] + d[1] * d[1] - b->length * b->length) / (2 * b->length);
        double gd = (d[0] * dd[0] + d[1] * dd[1]) / b->length;
        r[s->dims.nv + k] = b->sigma * g + b->tau * gd - b->C * p->lam[k];
        for (int c = 0; c < 2; c++) {
            r[2 * b->i + c] += d[c] / b->length * p->lam[k];
            if (b->j >= 0) r[2 * b->j + c] -= d[c] / b->length * p->lam[k];
        }
    }
    return FLX_OK;
}

static flx_status net_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    (void)w;
    const tiny *t = as_tiny(s);
    const flx_pattern *pt = &s->pattern;
    clear_blocks(pt, b);
    for (int i = 0; i < s->dims.nv; i++) put(pt, b->A2, i, i, t->masses[i / 2]);
    for (int k = 0; k < t->nbond; k++) {
        const net_bond *e = &t->bonds[k];
        int l = s->dims.nv + k, point[2] = {e->i, e->j};
        double d[2], dd[2];
        bond_vector(e, p->q, d);
        bond_vector_rate(e, p->v, dd);
        put(pt, b->A0, l, l, -e->C);
        for (int m = 0; m < 2; m++) {
            if (point[m] < 0) continue;
            double sign = m ? -1.0 : 1.0;
            for (int c = 0; c < 2; c++) {
                int i = 2 * point[m] + c;
                double G = sign * d[c] / e->length;
                put(pt, b->A0, l, i, e->sigma * G + e->tau * sign * dd[c] / e->length);
                put(pt, b->A1, l, i, e->tau * G);
                put(pt, b->A0, i, l, G);
                for (int o = 0; o < 2; o++) {
                    if (point[o] < 0) continue;
                    put(pt, b->A0, i, 2 * point[o] + c,
                        (m == o ? 1.0 : -1.0) * p->lam[k] / e->length);
                }
            }
        }
    }
    return FLX_OK;
}

static flx_status net_bond_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    (void)w;
    const tiny *t = as_tiny(s);
    for (int k = 0; k < t->nbond; k++) {
        double d[2], dd[2];
        bond_vector(&t->bonds[k], p->q, d);
        bond_vector_rate(&t->bonds[k], p->v, dd);
        gd[k] = (d[0] * dd[0] + d[1] * dd[1]) / t->bonds[k].length;
    }
    return FLX_OK;
}

static flx_status net_bond_force(const flx_system *s, flx_work *w, const flx_point *p,
                                 const double *eta, double *out)
{
    (void)w;
    const tiny *t = as_tiny(s);
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    for (int k = 0; k < t->nbond; k++) {
        const net_bond *b = &t->bonds[k];
        double d[2];
        bond_vector(b, p->q, d);
        for (int c = 0; c < 2; c++) {
            out[2 * b->i + c] += d[c] / b->length * eta[k];
            if (b->j >= 0) out[2 * b->j + c] -= d[c] / b->length * eta[k];
        }
    }
    return FLX_OK;
}

static flx_status net_bond_bias(const flx_system *s, flx_work *w, const flx_point *p, double *bias)
{
    (void)w;
    const tiny *t = as_tiny(s);
    for (int k = 0; k < t->nbond; k++) {
        double dd[2];
        bond_vector_rate(&t->bonds[k], p->v, dd);
        bias[k] = (dd[0] * dd[0] + dd[1] * dd[1]) / t->bonds[k].length;
    }
    return FLX_OK;
}

static flx_status net_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    (void)w;
    const tiny *t = as_tiny(s);
    *e = (flx_energies){0};
    for (int i = 0; i < t->npoint; i++) {
        const double *v = p->v + 2 * i;
        e->kinetic += 0.5 * t->masses[i] * (v[0] * v[0] + v[1] * v[1]);
        e->potential += t->masses[i] * t->gravity * p->q[2 * i + 1];
    }
    return FLX_OK;
}

flx_system *net_create(flx_ctx *ctx, int npoint, const double *mass, double gravity, int nbond,
                       const net_bond *bonds)
{
    tiny *t =
        tiny_create(ctx, "net", (flx_dims){.nq = 2 * npoint, .nv = 2 * npoint, .nlam = nbond});
    if (!t) return NULL;
    t->npoint = npoint;
    t->nbond = nbond;
    t->gravity = gravity;
    t->ops.residual = net_residual;
    t->ops.linearise = net_linearise;
    t->ops.bond_rate = net_bond_rate;
    t->ops.bond_force = net_bond_force;
    t->ops.bond_bias = net_bond_bias;
    t->ops.energy = net_energy;
    int nb = npoint + nbond;
    if (2 * npoint + nbond > MAX_N) t->ops.explicit_form = NULL; // its scratch is too small
    int *size = calloc((size_t)nb, sizeof *size);
    char *coupled = calloc((size_t)nb * (size_t)nb, 1);
    t->masses = calloc((size_t)npoint, sizeof *t->masses);
    t->bonds = calloc((size_t)nbond + 1, sizeof *t->bonds);
    int ok = size && coupled && t->masses && t->bonds;
    if (ok) {
        memcpy(t->masses, mass, (size_t)npoint * sizeof *mass);
        memcpy(t->bonds, bonds, (size_t)nbond * sizeof *bonds);
        for (int i = 0; i < nb; i++) {
            size[i] = i < npoint ? 2 : 1;
            coupled[i * nb + i] = 1;
        }
        for (int k = 0; k < nbond; k++) {
            int i = bonds[k].i, j = bonds[k].j, l = npoint + k;
            coupled[i * nb + l] = coupled[l * nb + i] = 1;
            if (j < 0) continue;
            coupled[j * nb + l] = coupled[l * nb + j] = 1;
            coupled[i * nb + j] = coupled[j * nb + i] = 1;
        }
        ok = make_pattern(t, nb, size, coupled);
    }
    free(size);
    free(coupled);
    return finish(t, ok);
}

flx_system *pendulum_create(flx_ctx *ctx, double mass, double length, double gravity)
{
    net_bond rod = {.i = 0, .j = -1, .length = length, .sigma = 1.0};
    flx_system *s = net_create(ctx, 1, &mass, gravity, 1, &rod);
    if (s) ((tiny *)s)->pair[1] = 0;
    return s;
}

// ---- top ------------------------------------------------------------------------------------

static flx_status top_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const top_numbers *n = &as_tiny(s)->top;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    v3 arm = v3_load(n->s), om = v3_load(p->v + 3), lam = v3_load(p->lam);
    v3 Jom = {n->J[0] * om.x, n->J[1] * om.y, n->J[2] * om.z};
    v3 gyro = v3_cross(om, Jom);
    v3 moment = v3_cross(arm, m33_tmul_v(R, lam)); // (-R s~)^T lambda = s~ R^T lambda
    double gy[3], mo[3];
    v3_store(gy, gyro);
    v3_store(mo, moment);
    for (int i = 0; i < 3; i++) {
        r[i] = n->mass * (p->a[i] + (i == 2 ? n->gravity : 0.0)) + p->lam[i];
        r[3 + i] = n->J[i] * p->a[3 + i] + gy[i] + mo[i];
    }
    v3_store(r + 6, v3_add(v3_load(p->q), m33_mul_v(R, arm)));
    return FLX_OK;
}

static flx_status top_linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    (void)w;
    const top_numbers *n = &as_tiny(s)->top;
    const flx_pattern *pt = &s->pattern;
    clear_blocks(pt, b);
    m33 R = quat_to_m33(quat_load(p->q + 3)), S = m33_skew(v3_load(n->s));
    v3 om = v3_load(p->v + 3), Jom = {n->J[0] * om.x, n->J[1] * om.y, n->J[2] * om.z};
    m33 Om = m33_skew(om), Jo = m33_skew(Jom), G = m33_scale(-1.0, m33_mul(R, S));
    m33 K = m33_mul(S, m33_skew(m33_tmul_v(R, v3_load(p->lam)))); // s~ d(R^T lambda)
    for (int i = 0; i < 3; i++) {
        put(pt, b->A2, i, i, n->mass);
        put(pt, b->A2, 3 + i, 3 + i, n->J[i]);
        put(pt, b->A0, i, 6 + i, 1.0);
        put(pt, b->A0, 6 + i, i, 1.0);
        for (int j = 0; j < 3; j++) {
            put(pt, b->A1, 3 + i, 3 + j, Om.m[3 * i + j] * n->J[j] - Jo.m[3 * i + j]);
            put(pt, b->A0, 3 + i, 3 + j, K.m[3 * i + j]);
            put(pt, b->A0, 6 + i, 3 + j, G.m[3 * i + j]);
            put(pt, b->A0, 3 + j, 6 + i, G.m[3 * i + j]);
        }
    }
    return FLX_OK;
}

static flx_status top_bond_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    (void)w;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    v3 turn = v3_cross(v3_load(p->v + 3), v3_load(as_tiny(s)->top.s));
    v3_store(gd, v3_add(v3_load(p->v), m33_mul_v(R, turn)));
    return FLX_OK;
}

static flx_status top_bond_force(const flx_system *s, flx_work *w, const flx_point *p,
                                 const double *eta, double *out)
{
    (void)w;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    memcpy(out, eta, 3 * sizeof *eta);
    v3_store(out + 3, v3_cross(v3_load(as_tiny(s)->top.s), m33_tmul_v(R, v3_load(eta))));
    return FLX_OK;
}

static flx_status top_bond_bias(const flx_system *s, flx_work *w, const flx_point *p, double *bias)
{
    (void)w;
    m33 R = quat_to_m33(quat_load(p->q + 3));
    v3 om = v3_load(p->v + 3);
    v3_store(bias, m33_mul_v(R, v3_cross(om, v3_cross(om, v3_load(as_tiny(s)->top.s)))));
    return FLX_OK;
}

static flx_status top_energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    (void)w;
    const top_numbers *n = &as_tiny(s)->top;
    *e = (flx_energies){0};
    for (int i = 0; i < 3; i++) {
        e->kinetic += 0.5 * n->mass * p->v[i] * p->v[i] + 0.5 * n->J[i] * p->v[3 + i] * p->v[3 + i];
    }
    e->potential = n->mass * n->gravity * p->q[2];
    return FLX_OK;
}

static void top_component_rate(const flx_system *s, const double *q, const double *v, double *dq)
{
    (void)s;
    memcpy(dq, v, 3 * sizeof *dq);
    quat half = {0.0, 0.5 * v[3], 0.5 * v[4], 0.5 * v[5]};
    quat_store(dq + 3, quat_mul(quat_load(q + 3), half));
}

static void top_component_velocity(const flx_system *s, const double *q, const double *dq,
                                   double *v)
{
    (void)s;
    quat a = quat_load(q + 3), w = quat_mul(quat_conj(a), quat_load(dq + 3));
    double scale = 2.0 / (a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z);
    memcpy(v, dq, 3 * sizeof *v);
    v3_store(v + 3, v3_scale(scale, v3_make(w.x, w.y, w.z)));
}

static void top_normalise(const flx_system *s, double *q)
{
    (void)s;
    quat_store(q + 3, quat_unit(quat_load(q + 3)));
}

static const flx_components top_components = {
    .rate = top_component_rate, .velocity = top_component_velocity, .normalise = top_normalise};

flx_system *top_create(flx_ctx *ctx, const top_numbers *numbers)
{
    tiny *t = tiny_create(ctx, "top", (flx_dims){.nq = 7, .nv = 6, .nlam = 3});
    if (!t) return NULL;
    t->top = *numbers;
    t->ops.residual = top_residual;
    t->ops.linearise = top_linearise;
    t->ops.bond_rate = top_bond_rate;
    t->ops.bond_force = top_bond_force;
    t->ops.bond_bias = top_bond_bias;
    t->ops.energy = top_energy;
    t->ops.retract = top_retract;
    t->ops.difference = top_difference;
    t->ops.velocity = top_velocity;
    t->ops.rate = top_rate;
    t->ops.velocity_t = top_velocity_t;
    t->ops.rate_t = top_rate_t;
    t->ops.velocity_slope_t = top_velocity_slope_t;
    t->ops.components = &top_components;
    int ok = make_dense_pattern(t);
    if (ok) t->pair[1] = 0;
    return finish(t, ok);
}

// ---- mixed ----------------------------------------------------------------------------------

static flx_status mixed_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const mixed_numbers *n = &as_tiny(s)->mixed;
    double q = p->q[0], v = p->v[0], x = p->x[0], y = p->w[0];
    r[0] = n->m * p->a[0] + n->k * q + n->c * v - y;
    r[1] = p->dx[0] + n->a * x - q + n->e * y;
    r[2] = y + n->b * y * y * y - x - n->d * v;
    return FLX_OK;
}

static flx_status mixed_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                  flx_blocks *b)
{
    (void)w;
    const mixed_numbers *n = &as_tiny(s)->mixed;
    const flx_pattern *pt = &s->pattern;
    clear_blocks(pt, b);
    put(pt, b->A2, 0, 0, n->m);
    put(pt, b->A1, 0, 0, n->c);
    put(pt, b->A0, 0, 0, n->k);
    put(pt, b->A0, 0, 2, -1.0);
    put(pt, b->A1, 1, 1, 1.0);
    put(pt, b->A0, 1, 1, n->a);
    put(pt, b->A0, 1, 0, -1.0);
    put(pt, b->A0, 1, 2, n->e);
    put(pt, b->A0, 2, 2, 1.0 + 3.0 * n->b * p->w[0] * p->w[0]);
    put(pt, b->A0, 2, 1, -1.0);
    put(pt, b->A1, 2, 0, -n->d);
    return FLX_OK;
}

flx_system *mixed_create(flx_ctx *ctx, const mixed_numbers *numbers)
{
    tiny *t = tiny_create(ctx, "mixed", (flx_dims){.nq = 1, .nv = 1, .nx = 1, .nw = 1});
    if (!t) return NULL;
    t->mixed = *numbers;
    t->ops.residual = mixed_residual;
    t->ops.linearise = mixed_linearise;
    return finish(t, make_dense_pattern(t));
}

// ---- skate ----------------------------------------------------------------------------------

static flx_status skate_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const tiny *t = as_tiny(s);
    double sn = sin(p->q[2]), cs = cos(p->q[2]);
    r[0] = t->mass * (p->a[0] - t->gravity) + sn * p->mu[0];
    r[1] = t->mass * p->a[1] - cs * p->mu[0];
    r[2] = t->inertia * p->a[2] + t->K[0] * p->q[2];
    r[3] = sn * p->v[0] - cs * p->v[1];
    return FLX_OK;
}

static flx_status skate_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                  flx_blocks *b)
{
    (void)w;
    const tiny *t = as_tiny(s);
    const flx_pattern *pt = &s->pattern;
    double sn = sin(p->q[2]), cs = cos(p->q[2]);
    clear_blocks(pt, b);
    put(pt, b->A2, 0, 0, t->mass);
    put(pt, b->A2, 1, 1, t->mass);
    put(pt, b->A2, 2, 2, t->inertia);
    put(pt, b->A0, 2, 2, t->K[0]);
    put(pt, b->A0, 0, 3, sn);
    put(pt, b->A0, 1, 3, -cs);
    put(pt, b->A0, 0, 2, cs * p->mu[0]);
    put(pt, b->A0, 1, 2, sn * p->mu[0]);
    put(pt, b->A1, 3, 0, sn);
    put(pt, b->A1, 3, 1, -cs);
    put(pt, b->A0, 3, 2, cs * p->v[0] + sn * p->v[1]);
    return FLX_OK;
}

static flx_status skate_bond_bias(const flx_system *s, flx_work *w, const flx_point *p,
                                  double *bias)
{
    (void)w;
    (void)s;
    bias[0] = (cos(p->q[2]) * p->v[0] + sin(p->q[2]) * p->v[1]) * p->v[2];
    return FLX_OK;
}

static flx_status no_bonds(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    (void)s;
    (void)w;
    (void)p;
    (void)gd;
    return FLX_OK;
}

static flx_status no_force(const flx_system *s, flx_work *w, const flx_point *p, const double *eta,
                           double *out)
{
    (void)w;
    (void)p;
    (void)eta;
    memset(out, 0, (size_t)s->dims.nv * sizeof *out);
    return FLX_OK;
}

flx_system *skate_create(flx_ctx *ctx, double mass, double inertia, double slope_gravity, double k)
{
    tiny *t = tiny_create(ctx, "skate", (flx_dims){.nq = 3, .nv = 3, .nmu = 1});
    if (!t) return NULL;
    t->mass = mass;
    t->inertia = inertia;
    t->gravity = slope_gravity;
    t->K[0] = k;
    t->ops.residual = skate_residual;
    t->ops.linearise = skate_linearise;
    t->ops.bond_rate = no_bonds;
    t->ops.bond_force = no_force;
    t->ops.bond_bias = skate_bond_bias;
    int ok = make_dense_pattern(t);
    if (ok) t->pair[1] = 0;
    return finish(t, ok);
}

// ---- linear ---------------------------------------------------------------------------------

static flx_status linear_residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    (void)w;
    const tiny *t = as_tiny(s);
    int n = s->dims.nv;
    for (int i = 0; i < n; i++) {
        r[i] = 0.0;
        for (int j = 0; j < n; j++) {
            r[i] +=
                t->M[i * n + j] * p->a[j] + t->D[i * n + j] * p->v[j] + t->K[i * n + j] * p->q[j];
        }
    }
    return FLX_OK;
}

static flx_status linear_linearise(const flx_system *s, flx_work *w, const flx_point *p,
                                   flx_blocks *b)
{
    (void)w;
    (void)p;
    const tiny *t = as_tiny(s);
    size_t bytes = (size_t)s->dims.nv * (size_t)s->dims.nv * sizeof(double);
    memcpy(b->A2, t->M, bytes);
    memcpy(b->A1, t->D, bytes);
    memcpy(b->A0, t->K, bytes);
    return FLX_OK;
}

flx_system *linear_create(flx_ctx *ctx, int n, const double *M, const double *D, const double *K)
{
    tiny *t = tiny_create(ctx, "linear", (flx_dims){.nq = n, .nv = n});
    if (!t) return NULL;
    size_t bytes = (size_t)n * (size_t)n * sizeof(double);
    memcpy(t->M, M, bytes);
    memcpy(t->D, D, bytes);
    memcpy(t->K, K, bytes);
    t->ops.residual = linear_residual;
    t->ops.linearise = linear_linearise;
    return finish(t, make_dense_pattern(t));
}
