// instant.c - see instant.h. How rows of constraints on acceleration level change with positions and velocities is found by
// differences: along one direction where a change is carried, and for all of them, those that meet no row in common at once,
// where weights are.
#include "integrate/slopes/instant.h"

#include "base/arrays.h"
#include "integrate/slopes/five_points.h"
#include "integrate/slopes/step_matrix.h"

#include <math.h>
#include <string.h>

#define PART 1e-3 // steps of differences, as parts of scales

// A row of a constraint, and a velocity that it contains.
typedef struct entry {
    int row, col;
    double by_q, by_v;
} entry;

struct flx_instant {
    const flx_system *sys; // borrowed
    int n, first;          // unknowns; the first constraint
    flx_step_matrix *m;    // owned
    flx_point at;          // where it was opened
    bool rates;            // rows are rates of constraints, not accelerations
    bool transposed;
    bool *rigid;                   // (n) rows on acceleration level
    double *sigma, *tau, *scale;   // (n) (n) (nv)
    double *q, *v, *theta, *r;     // (nq) (nv) (nv) (n) scratch
    double *rows, *sum, *one;      // (n) (n) (2 n)
    double *u0, *u1, *u2;          // (n)
    int ncolour, nentry, nblock;   // of the blocks of velocities
    int *colour, *first_of, *size; // (nblock)
    entry *entries;                // (nentry)
    void *block;
};

// ---- life -----------------------------------------------------------------------------------------

void flx_instant_destroy(flx_instant **in)
{
    flx_instant *x = in ? *in : NULL;
    if (!x) return;
    flx_step_matrix_destroy(&x->m);
    flx_free(x->block);
    flx_free(x->entries);
    flx_free(x);
    *in = NULL;
}

// Blocks of velocities; where the pattern leaves something out, each velocity is one.
static int blocks_of(const flx_system *s, int *first, int *size)
{
    const flx_pattern *p = &s->pattern;
    int n = 0;
    if (p->extra > 0) {
        for (; n < s->dims.nv; n++) {
            first[n] = n;
            size[n] = 1;
        }
        return n;
    }
    for (int i = 0; i < p->nblock && p->start[i] < s->dims.nv; i++, n++) {
        first[n] = p->start[i];
        size[n] = p->start[i + 1] - p->start[i];
    }
    return n;
}

// Whether the block row i of the pattern is one of constraints.
static bool is_constraint(const flx_instant *x, int i)
{
    return x->sys->pattern.start[i] >= x->first;
}

// Blocks that a row of constraints has in common differ in colour.
static void paint(flx_instant *x)
{
    const flx_pattern *p = &x->sys->pattern;
    for (int b = 0; b < x->nblock; b++) {
        int colour = 0;
        for (bool taken = true; taken; colour += taken) {
            taken = false;
            for (int i = 0; i < p->nblock && !taken; i++) {
                bool mine = false, other = false;
                if (!is_constraint(x, i)) continue;
                for (int e = p->row[i]; e < p->row[i + 1]; e++) {
                    int c = p->col[e];
                    if (c == b) mine = true;
                    if (c < b && x->colour[c] == colour) other = true;
                }
                taken = mine && other;
            }
        }
        x->colour[b] = colour;
        if (colour + 1 > x->ncolour) x->ncolour = colour + 1;
    }
}

static flx_status list_entries(flx_instant *x)
{
    const flx_pattern *p = &x->sys->pattern;
    bool whole = p->extra > 0;
    size_t count = 0;
    for (int pass = 0; pass < 2; pass++) {
        if (pass == 1) {
            x->entries = flx_alloc(x->sys->ctx, count + 1, sizeof *x->entries);
            if (!x->entries) return FLX_ERR_MEMORY;
        }
        for (int i = 0; i < p->nblock; i++) {
            if (!is_constraint(x, i)) continue;
            for (int b = 0; b < x->nblock; b++) {
                bool there = whole;
                for (int e = p->row[i]; e < p->row[i + 1] && !there; e++) there = p->col[e] == b;
                if (!there) continue;
                for (int r = p->start[i]; r < p->start[i + 1]; r++) {
                    for (int c = 0; c < x->size[b]; c++) {
                        if (pass == 0)
                            count++;
                        else
                            x->entries[x->nentry++] = (entry){r, x->first_of[b] + c, 0.0, 0.0};
                    }
                }
            }
        }
    }
    return FLX_OK;
}

static flx_status make(flx_instant *x)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    size_t n = (size_t)x->n, nv = (size_t)d->nv;
    const flx_array arrays[] = {
        FLX_ARRAY(x->rigid, n),     FLX_ARRAY(x->sigma, n),   FLX_ARRAY(x->tau, n),
        FLX_ARRAY(x->scale, nv),    FLX_ARRAY(x->q, d->nq),   FLX_ARRAY(x->v, nv),
        FLX_ARRAY(x->theta, nv),    FLX_ARRAY(x->r, n),       FLX_ARRAY(x->rows, n),
        FLX_ARRAY(x->sum, n),       FLX_ARRAY(x->one, 2 * n), FLX_ARRAY(x->u0, n),
        FLX_ARRAY(x->u1, n),        FLX_ARRAY(x->u2, n),      FLX_ARRAY(x->colour, nv),
        FLX_ARRAY(x->first_of, nv), FLX_ARRAY(x->size, nv)};
    x->block = flx_alloc_arrays(s->ctx, arrays, sizeof arrays / sizeof arrays[0]);
    if (!x->block) return FLX_ERR_MEMORY;
    for (int i = 0; i < d->nv; i++) {
        flx_unknown u;
        s->ops->unknown(s, i, &u);
        x->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
    }
    x->nblock = blocks_of(s, x->first_of, x->size);
    if (d->nlam + d->nmu > 0) {
        if (s->pattern.extra > 0) { // each on its own
            for (int b = 0; b < x->nblock; b++) x->colour[b] = b;
            x->ncolour = x->nblock;
        } else {
            paint(x);
        }
        FLX_TRY(list_entries(x));
    }
    return flx_step_matrix_create(s, &x->m);
}

flx_status flx_instant_create(const flx_system *s, flx_instant **in)
{
    *in = NULL;
    if (s->dims.nlam + s->dims.nmu > 0 && (!s->ops->constraint_bias || !s->ops->constraint_rate)) {
        return FLX_FAIL(s->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "system '%s' has no constraints on acceleration level", s->ops->name);
    }
    flx_instant *x = flx_alloc(s->ctx, 1, sizeof *x);
    if (!x) return FLX_ERR_MEMORY;
    x->sys = s;
    x->n = flx_dims_unknowns(&s->dims);
    x->first = flx_dims_first_constraint(&s->dims);
    flx_status status = make(x);
    if (status != FLX_OK) flx_instant_destroy(&x);
    *in = x;
    return status;
}

// ---- rows -----------------------------------------------------------------------------------------

static void take_rows(flx_instant *x, const flx_system *s, const double *switches)
{
    const flx_dims *d = &s->dims;
    for (int i = 0; i < x->n; i++) {
        x->rigid[i] = false;
        if (i < x->first) continue;
        flx_unknown u;
        flx_unknown_at(s, switches, i, &u);
        x->rigid[i] = i < x->first + d->nlam ? u.C == 0.0 : u.E == 0.0;
        x->sigma[i] = u.sigma;
        x->tau[i] = u.tau;
    }
}

// G v + g_t and A v + b, (nlam + nmu); scratch r.
static flx_status rate_rows(flx_instant *x, const flx_system *s, flx_work *work, const flx_point *p,
                            double *out)
{
    const flx_dims *d = &s->dims;
    if (d->nlam > 0) FLX_TRY(s->ops->constraint_rate(s, work, p, out));
    if (d->nmu == 0) return FLX_OK;
    FLX_TRY(s->ops->residual(s, work, p, x->r));
    memcpy(out + d->nlam, x->r + x->first + d->nlam, (size_t)d->nmu * sizeof *out);
    return FLX_OK;
}

// G v' + bias and A v' + bias, (nlam + nmu); scratch r.
static flx_status accelerate_rows(flx_instant *x, const flx_system *s, flx_work *work,
                                  const flx_point *p, double *out)
{
    const flx_dims *d = &s->dims;
    FLX_TRY(s->ops->constraint_bias(s, work, p, out));
    flx_point still = *p;
    for (int sign = 1; sign >= -1; sign -= 2) { // rows are linear in velocities
        memset(x->one, 0, (size_t)d->nv * sizeof *x->one);
        still.v = sign > 0 ? p->a : x->one;
        double *rate = x->r;
        if (d->nlam > 0) {
            FLX_TRY(s->ops->constraint_rate(s, work, &still, rate));
            for (int i = 0; i < d->nlam; i++) out[i] += sign * rate[i];
        }
        if (d->nmu > 0) {
            FLX_TRY(s->ops->residual(s, work, &still, x->r));
            for (int i = 0; i < d->nmu; i++)
                out[d->nlam + i] += sign * x->r[x->first + d->nlam + i];
        }
    }
    return FLX_OK;
}

flx_status flx_instant_residuals(flx_instant *x, const flx_system *s, flx_work *work,
                                 const flx_point *p, double *out)
{
    const flx_dims *d = &s->dims;
    take_rows(x, s, p->switches);
    FLX_TRY(s->ops->residual(s, work, p, out));
    if (d->nlam + d->nmu == 0) return FLX_OK;
    FLX_TRY(accelerate_rows(x, s, work, p, x->rows));
    for (int i = x->first; i < x->n; i++) {
        if (x->rigid[i]) out[i] = x->rows[i - x->first];
    }
    return FLX_OK;
}

static double level(const void *user, int r, int c, double a0, double a1, double a2)
{
    const flx_instant *x = user;
    const flx_dims *d = &x->sys->dims;
    if (r < x->first || !x->rigid[r]) {
        if (c < d->nv) return r < x->first ? a2 : 0.0;
        return c < d->nv + d->nx ? a1 : a0;
    }
    if (c >= d->nv) return 0.0;
    if (r >= x->first + d->nlam) return a1;
    return x->tau[r] != 0.0 ? a1 / x->tau[r] : a0 / x->sigma[r];
}

// The rows on acceleration level at q (+) theta and v + dv, times e, by `weight` into sum.
static flx_status add_rows(flx_instant *x, flx_work *work, const double *theta, const double *dv,
                           double e, double weight)
{
    const flx_system *s = x->sys;
    const flx_dims *d = &s->dims;
    flx_point p = x->at;
    if (theta) {
        for (int i = 0; i < d->nv; i++) x->v[i] = e * theta[i];
        s->ops->retract(s, x->at.q, x->v, x->q);
        p.q = x->q;
    }
    if (dv) {
        for (int i = 0; i < d->nv; i++) x->v[i] = x->at.v[i] + e * dv[i];
        p.v = x->v;
    }
    FLX_TRY(x->rates ? rate_rows(x, s, work, &p, x->rows)
                     : accelerate_rows(x, s, work, &p, x->rows));
    for (int i = 0; i < d->nlam + d->nmu; i++) x->sum[i] += weight * x->rows[i];
    return FLX_OK;
}

static flx_status differ(flx_instant *x, flx_work *work, const double *theta, const double *dv,
                         double e)
{
    const flx_dims *d = &x->sys->dims;
    memset(x->sum, 0, (size_t)(d->nlam + d->nmu) * sizeof *x->sum);
    for (int l = 0; l < FLX_FIVE_POINTS; l++)
        FLX_TRY(add_rows(x, work, theta, dv, flx_five_places[l] * e, flx_five_weights[l] / e));
    return FLX_OK;
}

// All directions of one colour and one place in their blocks.
static flx_status find_entries(flx_instant *x, flx_work *work)
{
    double *along = x->theta;
    for (int colour = 0; colour < x->ncolour; colour++) {
        bool any = true;
        for (int c = 0; any; c++) {
            any = false;
            memset(along, 0, (size_t)x->sys->dims.nv * sizeof *along);
            for (int b = 0; b < x->nblock; b++) {
                if (x->colour[b] != colour || c >= x->size[b]) continue;
                along[x->first_of[b] + c] = x->scale[x->first_of[b] + c];
                any = true;
            }
            if (!any) break;
            for (int k = 0; k < (x->rates ? 1 : 2); k++) {
                FLX_TRY(differ(x, work, k == 0 ? along : NULL, k == 1 ? along : NULL, PART));
                for (int i = 0; i < x->nentry; i++) {
                    entry *e = x->entries + i;
                    if (along[e->col] == 0.0) continue;
                    double value = x->sum[e->row - x->first] / x->scale[e->col];
                    *(k == 0 ? &e->by_q : &e->by_v) = value;
                }
            }
        }
    }
    return FLX_OK;
}

flx_status flx_instant_open(flx_instant *x, flx_work *work, const flx_point *p, bool transposed)
{
    x->at = *p;
    x->transposed = transposed;
    take_rows(x, x->sys, p->switches);
    FLX_TRY(flx_step_matrix_linearise(x->m, work, p));
    FLX_TRY(flx_step_matrix_factor_by(x->m, work, level, x, transposed));
    return transposed && x->nentry > 0 ? find_entries(x, work) : FLX_OK;
}

// ---- changes and weights --------------------------------------------------------------------------

static double reach_of(const flx_instant *x, const double *dz)
{
    double most = 0.0;
    for (int i = 0; i < x->sys->dims.nv; i++) most = fmax(most, fabs(dz[i]) / x->scale[i]);
    return most > 0.0 ? PART / most : 0.0;
}

// Rows on acceleration level by a change.
static flx_status change_rows(flx_instant *x, flx_work *work, const double *dz)
{
    int nv = x->sys->dims.nv, n = x->n - x->first;
    double by_q = reach_of(x, dz), by_v = reach_of(x, dz + nv), *kept = x->one + x->n;
    memset(x->sum, 0, (size_t)n * sizeof *x->sum);
    if (by_q > 0.0) FLX_TRY(differ(x, work, dz, NULL, by_q));
    memcpy(kept, x->sum, (size_t)n * sizeof *kept);
    memset(x->sum, 0, (size_t)n * sizeof *x->sum);
    if (by_v > 0.0) FLX_TRY(differ(x, work, NULL, dz + nv, by_v));
    for (int i = 0; i < n; i++) x->sum[i] += kept[i];
    return FLX_OK;
}

flx_status flx_instant_direct(flx_instant *x, flx_work *work, const double *dz, const double *rp,
                              double *y)
{
    const flx_dims *d = &x->sys->dims;
    size_t n = (size_t)x->n * sizeof(double), nv = (size_t)d->nv * sizeof(double);
    memset(x->u0, 0, n);
    memset(x->u1, 0, n);
    memcpy(x->u0, dz, nv);
    memcpy(x->u0 + d->nv, dz + 2 * d->nv, (size_t)d->nx * sizeof(double));
    memcpy(x->u1, dz + d->nv, nv);
    memset(y, 0, n);
    const double *const u[3] = {x->u0, x->u1, NULL};
    flx_step_matrix_product(x->m, work, u, y);
    if (x->nentry > 0) {
        FLX_TRY(change_rows(x, work, dz));
        for (int i = x->first; i < x->n; i++) {
            if (x->rigid[i]) y[i] = x->sum[i - x->first];
        }
    }
    for (int i = 0; i < x->n; i++) y[i] = -y[i] - (rp ? rp[i] : 0.0);
    flx_step_matrix_solve(x->m, y);
    return FLX_OK;
}

flx_status flx_instant_adjoint(flx_instant *x, flx_work *work, const double *wy, double *eta,
                               double *w)
{
    const flx_dims *d = &x->sys->dims;
    size_t n = (size_t)x->n * sizeof(double);
    memcpy(eta, wy, n);
    flx_step_matrix_solve(x->m, eta);
    for (int i = 0; i < x->n; i++) x->u2[i] = x->rigid[i] ? 0.0 : eta[i];
    memset(x->u0, 0, n);
    memset(x->u1, 0, n);
    double *const u[3] = {x->u0, x->u1, NULL};
    FLX_TRY(flx_step_matrix_product_t(x->m, work, x->u2, u));
    for (int i = 0; i < d->nv; i++) {
        w[i] -= x->u0[i];
        w[d->nv + i] -= x->u1[i];
    }
    for (int i = 0; i < d->nx; i++) w[2 * d->nv + i] -= x->u0[d->nv + i];
    for (int i = 0; i < x->nentry; i++) {
        const entry *e = x->entries + i;
        if (!x->rigid[e->row]) continue;
        w[e->col] -= e->by_q * eta[e->row];
        w[d->nv + e->col] -= e->by_v * eta[e->row];
    }
    return FLX_OK;
}

// ---- rates of constraints ---------------------------------------------------------------------------

flx_status flx_instant_open_rates(flx_instant *x, flx_work *work, const flx_point *p,
                                  bool transposed)
{
    x->at = *p;
    x->rates = true;
    return transposed && x->nentry > 0 ? find_entries(x, work) : FLX_OK;
}

flx_status flx_instant_rates(flx_instant *x, flx_work *work, const double *theta, double *out)
{
    int n = x->n - x->first;
    double e = reach_of(x, theta);
    memset(x->sum, 0, (size_t)n * sizeof *x->sum);
    if (e > 0.0 && n > 0) FLX_TRY(differ(x, work, theta, NULL, e));
    memcpy(out, x->sum, (size_t)n * sizeof *out);
    return FLX_OK;
}

flx_status flx_instant_rates_t(flx_instant *x, flx_work *work, const double *u, double *w)
{
    (void)work;
    for (int i = 0; i < x->nentry; i++) {
        const entry *e = x->entries + i;
        w[e->col] -= e->by_q * u[e->row - x->first];
    }
    return FLX_OK;
}
