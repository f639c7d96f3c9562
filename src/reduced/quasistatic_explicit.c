// quasistatic_explicit.c - z' = F(t, z) of a system whose velocities J have no inertia.
//
// What goes on is z = (q, p, x): p is the velocity of what is not linked to J, and of what is
//     p = (M v)_I + G_I^T zeta,   p' = (M a + M' v + G'^T zeta)_I                        (RED-6)
// with a of the slow point (RED-2); zeta is the impulse that keeps G v + g_t = 0. Velocities follow
// from z by Newton's iteration for all unknowns of one time,
//     slow = 0,   (M v)_I + G_I^T zeta = p,   G v + g_t = 0,   (RED-4)                   (RED-7)
// in which the columns of J and of linked velocities are those of v, all others those of (IDX-1).
// M' v and G'^T zeta are K v at another acceleration and multiplier, less K v: K is affine in both.
#include "math/pattern.h"
#include "reduced/quasistatic_parts.h"

#include <float.h>

#define MAX_ITERATIONS 40
// As in (IDX-1): corrections of this part of what is corrected are rounding, and those that shrink
// no more if they are not larger than the second. A matrix that gains less than a digit
// is made anew.
#define ROUNDING (64.0 * DBL_EPSILON)
#define STAGNATED 1e-10
#define SLOW 0.1

typedef enum row {  // what stands in a row of (RED-7)
    ROW_OWN,        // the row of the reduced system
    ROW_STATE,      // nothing
    ROW_IMPULSE,    // (M v)_I + G_I^T zeta - p
    ROW_CLOSED,     // G v + g_t
    ROW_CONSTRAINT, // G v' + bias, by A0 / sigma
    ROW_RATE        // the same, by A1 / tau, and of a velocity-level constraint
} row;

struct flx_quasistatic_solver {
    flx_arena *arena; // owned: all arrays
    flx_lu *lu;       // owned
    flx_blocks blocks;
    double *values;    // on the pattern
    row *rows;         // (n)
    double *scale;     // (n) of a row of a constraint: 1/sigma or 1/tau
    double *y, *d, *r; // (n) unknowns, a correction, residuals
    double *p;         // (nv) of (RED-6)
    double *unit;      // (nv) masses that p is divided by in z
    double *force;     // (nv)
    double *bias;      // (nlam + nmu)
    double *rate;      // (nlam)
    double *base_z;    // of the base's form
    double typical;    // a velocity
};

// ---- life ---------------------------------------------------------------------------------------

void flx_quasistatic_solver_destroy(flx_quasistatic_solver **k)
{
    if (!*k) return;
    flx_lu_destroy(&(*k)->lu);
    flx_arena_destroy(&(*k)->arena);
    flx_free(*k);
    *k = NULL;
}

static row row_of(const flx_quasistatic *z, int i, const flx_unknown *u)
{
    const flx_dims *d = &z->z.sys.dims;
    int first = flx_dims_unknowns(d) - d->nlam - d->nmu, added = z->nlinked + z->nclosing;
    if (i < d->nv) return z->copy[i] >= 0 ? ROW_IMPULSE : ROW_OWN;
    if (i < d->nv + d->nx) return ROW_STATE;
    if (i < first) return ROW_OWN;
    if (i >= first + d->nlam) return u->E == 0.0 ? ROW_RATE : ROW_OWN;
    if (z->copy[i - added] >= 0) return ROW_CLOSED;
    if (u->C != 0.0) return ROW_OWN;
    return u->tau != 0.0 ? ROW_RATE : ROW_CONSTRAINT;
}

static void find_rows(const flx_quasistatic *z, flx_quasistatic_solver *k)
{
    const flx_system *s = &z->z.sys;
    int first_mu = flx_dims_unknowns(&s->dims) - s->dims.nmu;
    for (int i = 0; i < flx_dims_unknowns(&s->dims); i++) {
        flx_unknown u = {0};
        s->ops->unknown(s, i, &u);
        k->rows[i] = row_of(z, i, &u);
        k->scale[i] = 1.0;
        if (k->rows[i] < ROW_CLOSED || i >= first_mu) continue;
        k->scale[i] = u.tau != 0.0 ? 1.0 / u.tau : 1.0 / u.sigma;
    }
}

static flx_status make(const flx_quasistatic *z, flx_quasistatic_solver *k)
{
    const flx_system *s = &z->z.sys, *base = z->z.base;
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), nz = base->ops->explicit_form->size(base);
    const struct {
        double **at;
        int size;
    } arrays[] = {{&k->scale, n},
                  {&k->y, n},
                  {&k->d, n},
                  {&k->r, n},
                  {&k->p, d->nv},
                  {&k->unit, d->nv},
                  {&k->force, d->nv},
                  {&k->rate, d->nlam},
                  {&k->base_z, nz},
                  {&k->values, (int)flx_pattern_size(&s->pattern)},
                  {&k->bias, d->nlam + d->nmu}};
    k->arena = flx_arena_create(s->ctx);
    if (!k->arena) return FLX_ERR_MEMORY;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i].at = flx_arena_take(k->arena, (size_t)arrays[i].size, sizeof(double));
        if (!*arrays[i].at) return FLX_ERR_MEMORY;
    }
    k->rows = flx_arena_take(k->arena, (size_t)n, sizeof *k->rows);
    if (!k->rows || !flx_pattern_take(&s->pattern, k->arena, &k->blocks)) return FLX_ERR_MEMORY;
    find_rows(z, k);
    for (int i = 0; i < d->nv; i++) k->typical = fmax(k->typical, z->scale[i]);
    return flx_lu_create(s->ctx, &s->pattern, false, &k->lu);
}

static flx_status prepare(const flx_system *s, flx_work *work)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_explicit *form = z->z.base->ops->explicit_form;
    if (w->solver) return FLX_OK;
    if (form->prepare) FLX_TRY(form->prepare(z->z.base, w->base.inner));
    w->solver = flx_alloc(s->ctx, 1, sizeof *w->solver);
    if (!w->solver) return FLX_ERR_MEMORY;
    flx_status status = make(z, w->solver);
    if (status != FLX_OK) flx_quasistatic_solver_destroy(&w->solver);
    return status;
}

// ---- the matrix of (RED-7) ----------------------------------------------------------------------

// Whether the unknown of this number is a velocity here, not an acceleration.
static bool is_rate(const flx_quasistatic *z, int i)
{
    return z->reduced[i] || z->copy[i] >= 0;
}

// Which part of the tangent stands at row i, column j; NULL: none.
static const double *part_of(const flx_quasistatic *z, const flx_quasistatic_solver *k, int i,
                             int j)
{
    const flx_dims *d = &z->z.sys.dims;
    int first = flx_dims_unknowns(d) - d->nlam - d->nmu, added = z->nlinked + z->nclosing;
    const flx_blocks *b = &k->blocks;
    bool velocity = j < d->nv, state = j >= d->nv && j < d->nv + d->nx;
    bool impulse = j >= first && j < first + d->nlam && z->copy[j - added] >= 0;
    if (state) return NULL;
    switch (k->rows[i]) {
    case ROW_STATE:
        return NULL;
    case ROW_IMPULSE:
        return velocity ? b->A2 : impulse ? b->A0 : NULL;
    case ROW_CLOSED:
        return !velocity ? NULL : z->tau[i - first] != 0.0 ? b->A1 : b->A0;
    case ROW_CONSTRAINT:
        return velocity ? b->A0 : NULL;
    case ROW_RATE:
        return velocity ? b->A1 : NULL;
    default:
        if (velocity) return is_rate(z, j) ? b->A1 : b->A2;
        return impulse ? NULL : b->A0;
    }
}

static void fill_matrix(const flx_quasistatic *z, flx_quasistatic_solver *k)
{
    const flx_pattern *p = &z->z.sys.pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int at = p->offset[e], bj = p->col[e];
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                for (int j = p->start[bj]; j < p->start[bj + 1]; j++, at++) {
                    const double *A = part_of(z, k, i, j);
                    k->values[at] = A ? k->scale[i] * A[at] : 0.0;
                    if (i == j && k->rows[i] == ROW_STATE) k->values[at] = 1.0;
                }
            }
        }
    }
}

// ---- iteration ----------------------------------------------------------------------------------

// Unknowns of (RED-7) to and from a state. zeta, which is linear in them, begins with zero: a state has one answer, to the
// last bit, whatever was asked before.
static void take_unknowns(const flx_quasistatic *z, const flx_state *x, flx_quasistatic_solver *k)
{
    const flx_dims *d = &z->z.sys.dims;
    double *y = k->y + d->nv + d->nx;
    for (int i = 0; i < d->nv; i++) k->y[i] = is_rate(z, i) ? x->v[i] : x->a[i];
    memcpy(y, x->w, (size_t)d->nw * sizeof *y);
    y += d->nw;
    for (int i = 0; i < d->nlam; i++) y[i] = z->copy[z->first_row + i] < 0 ? x->lam[i] : 0.0;
    memcpy(y + d->nlam, x->mu, (size_t)d->nmu * sizeof *y);
}

static void give_unknowns(const flx_quasistatic *z, const flx_quasistatic_solver *k, flx_state *x)
{
    const flx_dims *d = &z->z.sys.dims;
    const double *y = k->y, *w = y + d->nv + d->nx, *lam = w + d->nw;
    int first_w = d->nv + d->nx;
    memcpy(x->w, w, (size_t)d->nw * sizeof *w);
    for (int i = 0; i < d->nv; i++) {
        if (is_rate(z, i)) x->v[i] = y[i];
        x->a[i] = z->reduced[i] ? 0.0 : z->copy[i] >= 0 ? x->w[z->copy[i] - first_w] : y[i];
    }
    for (int i = 0; i < d->nlam; i++) {
        int copy = z->copy[z->first_row + i];
        x->lam[i] = copy >= 0 ? x->w[copy - first_w] : lam[i];
    }
    memcpy(x->mu, lam + d->nlam, (size_t)d->nmu * sizeof *lam);
}

// Minus the residual of (RED-7) at the state that the unknowns were given to.
static flx_status find_defects(const flx_quasistatic *z, flx_work *work, const flx_point *at)
{
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    flx_quasistatic_solver *k = w->solver;
    const flx_system *s = &z->z.sys, *base = z->z.base;
    const flx_dims *d = &s->dims;
    int n = flx_dims_unknowns(d), first = n - d->nlam - d->nmu;
    FLX_TRY(s->ops->residual(s, work, at, k->r));
    if (d->nlam + d->nmu > 0) FLX_TRY(base->ops->constraint_bias(base, w->base.inner, at, k->bias));
    if (d->nlam > 0) FLX_TRY(base->ops->constraint_rate(base, w->base.inner, at, k->rate));
    flx_pattern_apply(&s->pattern, k->values, k->y, k->d);
    for (int i = 0; i < n; i++) {
        int b = i - first;
        double drift = 0.0;
        if (b >= 0 && b < d->nlam && z->tau[b] != 0.0) {
            drift = z->sigma[b] / z->tau[b] * k->rate[b];
        }
        switch (k->rows[i]) {
        case ROW_OWN:
            k->d[i] = -k->r[i];
            break;
        case ROW_STATE:
            k->d[i] = 0.0;
            break;
        case ROW_IMPULSE:
            k->d[i] = k->p[i] - k->d[i];
            break;
        case ROW_CLOSED:
            k->d[i] = -k->rate[b];
            break;
        default:
            k->d[i] = -(k->d[i] + k->bias[b] + drift);
        }
    }
    return FLX_OK;
}

// Adds the correction; returns the largest part that it is of velocities and accelerations, or of
// algebraic unknowns, or of a typical velocity where those are smaller. Impulses and multipliers
// are linear in them.
static double correct(const flx_quasistatic *z, flx_quasistatic_solver *k)
{
    const flx_dims *d = &z->z.sys.dims;
    int n = flx_dims_unknowns(d), end[2] = {d->nv, flx_dims_first_constraint(d)};
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        if (!isfinite(k->d[i])) return HUGE_VAL;
        k->y[i] += k->d[i];
    }
    for (int c = 0, i = 0; c < 2; c++) {
        double size = k->typical, most = 0.0;
        for (; i < end[c]; i++) {
            size = fmax(size, fabs(k->y[i]));
            most = fmax(most, fabs(k->d[i]));
        }
        worst = fmax(worst, most / size);
    }
    return worst;
}

static flx_status solve(const flx_quasistatic *z, flx_work *work, flx_state *x)
{
    flx_quasistatic_solver *k = flx_quasistatic_work_of(work)->solver;
    const flx_system *s = &z->z.sys;
    double last = HUGE_VAL, size = HUGE_VAL;
    memset(x->dx, 0, (size_t)s->dims.nx * sizeof *x->dx);
    take_unknowns(z, x, k);
    for (int i = 0; i < MAX_ITERATIONS; i++) {
        give_unknowns(z, k, x);
        flx_point at = flx_state_point(s, x);
        if (i == 0 || size > SLOW * last) {
            FLX_TRY(s->ops->linearise(s, work, &at, &k->blocks));
            fill_matrix(z, k);
            FLX_TRY(flx_lu_factor(k->lu, k->values));
        }
        FLX_TRY(find_defects(z, work, &at));
        flx_lu_solve(k->lu, k->d);
        last = size;
        size = correct(z, k);
        if (!(size < HUGE_VAL)) return FLX_NOT_FINITE;
        if (size > ROUNDING && (size > STAGNATED || size <= SLOW * last)) continue;
        give_unknowns(z, k, x);
        return FLX_OK;
    }
    return FLX_NO_CONVERGENCE;
}

// ---- z ------------------------------------------------------------------------------------------

static int size(const flx_system *s)
{
    return s->dims.nq + s->dims.nv - flx_quasistatic_of(s)->nreduced + s->dims.nx;
}

static void pack(const flx_system *s, const flx_state *x, double *z)
{
    const flx_quasistatic *k = flx_quasistatic_of(s);
    const flx_dims *d = &s->dims;
    memcpy(z, x->q, (size_t)d->nq * sizeof *z);
    z += d->nq;
    for (int i = 0; i < d->nv; i++) {
        if (!k->reduced[i]) *z++ = x->v[i];
    }
    memcpy(z, x->x, (size_t)d->nx * sizeof *z);
}

static void unpack(const flx_system *s, double t, const double *z, flx_state *x)
{
    const flx_quasistatic *k = flx_quasistatic_of(s);
    const flx_dims *d = &s->dims;
    x->t = t;
    memcpy(x->q, z, (size_t)d->nq * sizeof *z);
    if (s->ops->components) s->ops->components->normalise(s, x->q);
    z += d->nq;
    for (int i = 0; i < d->nv; i++) {
        if (!is_rate(k, i)) x->v[i] = *z;
        z += !k->reduced[i];
    }
    memcpy(x->x, z, (size_t)d->nx * sizeof *z);
}

// M v and G^T 1 at t; (RED-6) has no derivatives in time itself.
static flx_status find_momenta(const flx_quasistatic *z, flx_quasistatic_work *w,
                               const flx_point *p, double *momentum, double *force)
{
    const flx_system *base = z->z.base;
    flx_point at = *p;
    at.a = p->v;
    FLX_TRY(base->ops->residual(base, w->base.inner, &at, w->r));
    at.a = w->zero;
    FLX_TRY(base->ops->residual(base, w->base.inner, &at, w->r2));
    for (int i = 0; i < base->dims.nv; i++) momentum[i] = w->r[i] - w->r2[i];
    if (z->nclosing == 0) return FLX_OK;
    for (int i = 0; i < base->dims.nlam; i++) w->lam[i] = 1.0;
    return base->ops->constraint_force(base, w->base.inner, p, w->lam, force);
}

static flx_status refuse_time(const flx_quasistatic *z, flx_quasistatic_work *w, const flx_point *p)
{
    flx_quasistatic_solver *k = w->solver;
    flx_point later = *p;
    later.t += 1.0;
    FLX_TRY(find_momenta(z, w, &later, k->d, k->y));
    for (int i = 0; i < z->z.base->dims.nv; i++) {
        bool moves = fabs(k->d[i] - k->p[i]) > STAGNATED * fabs(k->p[i]) ||
                     (z->nclosing > 0 && fabs(k->y[i] - k->force[i]) > STAGNATED * fabs(k->y[i]));
        if (z->copy[i] < 0 || !moves) continue;
        flx_unknown u = {0};
        z->z.base->ops->unknown(z->z.base, i, &u);
        return FLX_FAIL(z->z.sys.ctx, FLX_ERR_CANNOT, u.loc,
                        "'%s': explicit methods cannot neglect inertia where masses or directions "
                        "of constraints change with time by themselves; use radau",
                        u.item ? u.item : "?");
    }
    return FLX_OK;
}

static flx_status fill(const flx_system *s, flx_work *work, const flx_state *x, double *out)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_system *base = z->z.base;
    if (z->nlinked == 0) return FLX_OK;
    FLX_TRY(prepare(s, work));
    flx_quasistatic_solver *k = w->solver;
    flx_point at = flx_state_point(s, x);
    FLX_TRY(find_momenta(z, w, &at, k->p, k->force));
    FLX_TRY(refuse_time(z, w, &at));
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->slow));
    flx_pattern_diagonal(&base->pattern, w->slow.A2, w->r);
    out += s->dims.nq;
    for (int i = 0; i < s->dims.nv; i++) {
        if (z->reduced[i]) continue;
        if (z->copy[i] >= 0) {
            k->unit[i] = w->r[i] > 0.0 ? w->r[i] : 1.0;
            *out = k->p[i] / k->unit[i];
        }
        out++;
    }
    return FLX_OK;
}

// p' of linked velocities into force, at the solution (RED-6).
static flx_status find_forces(const flx_quasistatic *z, flx_work *work, const flx_state *x)
{
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    flx_quasistatic_solver *k = w->solver;
    const flx_system *s = &z->z.sys, *base = z->z.base;
    const flx_dims *d = &base->dims;
    const double *zeta = k->y + flx_dims_unknowns(&s->dims) - d->nlam - d->nmu;
    flx_point at = flx_state_point(s, x);
    flx_quasistatic_point(s, work, &at);
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->slow));
    memset(k->d, 0, (size_t)flx_dims_unknowns(&s->dims) * sizeof *k->d);
    memcpy(k->d, w->a, (size_t)d->nv * sizeof *k->d);
    flx_pattern_apply(&base->pattern, w->slow.A2, k->d, w->r);
    for (int i = 0; i < d->nv; i++) w->a[i] += x->v[i];
    for (int i = 0; i < d->nlam; i++) {
        if (z->copy[z->first_row + i] >= 0) w->lam[i] += zeta[i];
    }
    FLX_TRY(base->ops->linearise(base, w->base.inner, &at, &w->fast));
    for (size_t i = 0; i < flx_pattern_size(&base->pattern); i++) w->fast.A0[i] -= w->slow.A0[i];
    memcpy(k->d, x->v, (size_t)d->nv * sizeof *k->d);
    memcpy(k->d + d->nv, x->dx, (size_t)d->nx * sizeof *k->d); // masses may depend on states
    flx_pattern_apply(&base->pattern, w->fast.A0, k->d, w->r2);
    for (int i = 0; i < d->nv; i++) k->force[i] = w->r[i] + w->r2[i];
    return FLX_OK;
}

static flx_status rate(const flx_system *s, flx_work *work, double t, const double *z, flx_state *x,
                       double *dz)
{
    const flx_quasistatic *q = flx_quasistatic_of(s);
    FLX_TRY(prepare(s, work));
    flx_quasistatic_solver *k = flx_quasistatic_work_of(work)->solver;
    const flx_dims *d = &s->dims;
    const double *at = z + d->nq;
    unpack(s, t, z, x);
    for (int i = 0; i < d->nv; i++) {
        if (q->copy[i] >= 0) k->p[i] = *at * k->unit[i];
        at += !q->reduced[i];
    }
    FLX_TRY(solve(q, work, x));
    flx_point p = flx_state_point(s, x);
    FLX_TRY(s->ops->residual(s, work, &p, k->r));
    for (int i = 0; i < d->nx; i++) x->dx[i] = -k->r[d->nv + i];
    if (q->nlinked > 0) FLX_TRY(find_forces(q, work, x));
    if (s->ops->components) {
        s->ops->components->rate(s, z, x->v, dz); // the quaternion as it is in z keeps its norm
    } else {
        memcpy(dz, x->v, (size_t)d->nv * sizeof *dz);
    }
    double *out = dz + d->nq;
    for (int i = 0; i < d->nv; i++) {
        if (!q->reduced[i]) *out++ = q->copy[i] >= 0 ? k->force[i] / k->unit[i] : x->a[i];
    }
    memcpy(out, x->dx, (size_t)d->nx * sizeof *out);
    for (int i = 0; i < size(s); i++) {
        if (!isfinite(dz[i])) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}

// Positions as the base puts them right, and velocities that are not linked; the others meet their
// constraints by (RED-7).
static flx_status project(const flx_system *s, flx_work *work, double t, double *z, flx_state *x,
                          double *moved_q, double *moved_v)
{
    const flx_quasistatic *q = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_system *base = q->z.base;
    const flx_explicit *form = base->ops->explicit_form;
    double *base_z = w->solver->base_z;
    unpack(s, t, z, x);
    form->pack(base, x, base_z);
    if (form->fill) FLX_TRY(form->fill(base, w->base.inner, x, base_z));
    FLX_TRY(form->project(base, w->base.inner, t, base_z, x, moved_q, moved_v));
    form->unpack(base, t, base_z, x);
    memcpy(z, x->q, (size_t)s->dims.nq * sizeof *z);
    z += s->dims.nq;
    for (int i = 0; i < s->dims.nv; i++) {
        if (!is_rate(q, i)) *z = x->v[i];
        z += !q->reduced[i];
    }
    return FLX_OK;
}

const flx_explicit flx_quasistatic_explicit = {.size = size,
                                               .prepare = prepare,
                                               .pack = pack,
                                               .fill = fill,
                                               .unpack = unpack,
                                               .rate = rate,
                                               .project = project};

void flx_quasistatic_solver_memory(flx_quasistatic_solver *k, int nv, flx_memory *m)
{
    flx_memory_numbers(m, k->unit, (size_t)nv);
    flx_lu_memory(k->lu, m);
}
