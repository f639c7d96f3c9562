// quasistatic.c - velocities whose inertia is neglected, in any system (docs/theory/reduction.md).
//
// J are the velocities to reduce, I the others. M_JJ becomes the expression that makes the matrix of
// accelerations and multipliers singular (RED-1). That is the base at another acceleration and with
// other multipliers,
//     r(t, q, v, a = (s_I, 0), lambda = eta) = 0                                      (RED-2)
//     (M (a - (s_I, 0)))_I + G_I^T (lambda - eta) = 0                                 (RED-3)
//     G_I s_I + bias(t, q, v) = 0                                                     (RED-4)
// so that nothing but the base's own operations is needed. s and eta are algebraic unknowns, kept
// only where M or bonds link an unknown to J: elsewhere s_i = a_i and eta_i = lambda_i. Rows: those
// of velocities have (RED-2) for J and for what is not linked, (RED-3) for what is; the rows of s
// have the rest of (RED-2), those of eta (RED-4).
#include "system/quasistatic.h"

#include "base/base.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct quasistatic {
    flx_system sys;
    flx_system_ops ops;
    flx_system *base; // owned
    flx_arena *arena; // owned: all arrays
    int first_bond;   // of the base's unknowns
    int nlinked;      // velocities with an s
    int nclosing;     // bonds with an eta
    bool *reduced;    // (nv)
    int *same;        // (n of the base) its unknowns here
    int *copy;        // (n of the base) s of a velocity, eta of a bond; -1: none
    int *origin;      // (s and eta) the base's unknown
    double *drift;    // (nlam) sigma / tau of a bond that holds on velocity level
    int *entry; // (4 entries of the base) those here: same-same, same-copy, copy-same, copy-copy
    int *group; // (nv) velocities that no closing bond has two of; -1: in no closing bond
    int ngroup;
    double *scale; // (nv)
} quasistatic;

struct flx_work {
    const flx_system *base; // borrowed
    flx_work *inner;        // the base's
    flx_blocks slow, fast;  // tangents of the base at the two points
    double *block;          // owned: the arrays below
    double *a, *lam;        // (nv) (nlam) of the slow point
    double *r, *r2;         // (n of the base)
    double *v, *theta, *q;  // (nv) (nv) (nq) moved
    double *rate, *rate0;   // (nlam)
    double *bias;           // (nlam + nmu)
    double *closing[2];     // (nlam)
    double *G, *dq, *dv;    // (nlam) one group's columns
};

static const quasistatic *quasistatic_of(const flx_system *s)
{
    return (const quasistatic *)s;
}

// ---- the slow point -----------------------------------------------------------------------------

// The point as the base sees it in (RED-2); unknowns w of the base come first here.
static flx_point slow_point(const quasistatic *z, flx_work *w, const flx_point *p)
{
    const flx_dims *d = &z->base->dims;
    int first = d->nv + d->nx; // unknown number of w[0], there and here
    for (int i = 0; i < d->nv; i++) {
        int k = z->copy[i];
        w->a[i] = z->reduced[i] ? 0.0 : k >= 0 ? p->w[k - first] : p->a[i];
    }
    for (int i = 0; i < d->nlam; i++) {
        int k = z->copy[z->first_bond + i];
        w->lam[i] = k >= 0 ? p->w[k - first] : p->lam[i];
    }
    flx_point slow = *p;
    slow.a = w->a;
    slow.lam = w->lam;
    return slow;
}

// G u of the bonds at p: their rates are linear in v. zero: the rates at v = 0.
static flx_status apply_bonds(const quasistatic *z, flx_work *w, const flx_point *p,
                              const double *u, double *out)
{
    const flx_system *base = z->base;
    flx_point at = *p;
    at.v = u;
    FLX_TRY(base->ops->bond_rate(base, w->inner, &at, out));
    memset(w->v, 0, (size_t)base->dims.nv * sizeof *w->v);
    at.v = w->v;
    FLX_TRY(base->ops->bond_rate(base, w->inner, &at, w->rate0));
    for (int i = 0; i < base->dims.nlam; i++) out[i] -= w->rate0[i];
    return FLX_OK;
}

// What G v' must be is -bias, less what a bond on velocity level still has to close.
static flx_status find_bias(const quasistatic *z, flx_work *w, const flx_point *p, double *out)
{
    const flx_system *base = z->base;
    FLX_TRY(base->ops->bond_bias(base, w->inner, p, w->bias));
    FLX_TRY(base->ops->bond_rate(base, w->inner, p, w->rate));
    for (int i = 0; i < base->dims.nlam; i++) out[i] = w->bias[i] + z->drift[i] * w->rate[i];
    return FLX_OK;
}

// (RED-4) at the slow point p.
static flx_status find_closing(const quasistatic *z, flx_work *w, const flx_point *p, double *out)
{
    FLX_TRY(find_bias(z, w, p, out));
    FLX_TRY(apply_bonds(z, w, p, w->a, w->rate));
    for (int i = 0; i < z->base->dims.nlam; i++) out[i] += w->rate[i];
    return FLX_OK;
}

// ---- residual -----------------------------------------------------------------------------------

static flx_status residual(const flx_system *s, flx_work *w, const flx_point *p, double *r)
{
    const quasistatic *z = quasistatic_of(s);
    const flx_system *base = z->base;
    int n = flx_dims_unknowns(&base->dims);
    flx_point slow = slow_point(z, w, p);
    FLX_TRY(base->ops->residual(base, w->inner, &slow, w->r));
    for (int i = 0; i < n; i++) r[z->same[i]] = w->r[i];
    if (z->nlinked == 0) return FLX_OK;
    FLX_TRY(base->ops->residual(base, w->inner, p, w->r2));
    for (int i = 0; i < base->dims.nv; i++) {
        if (z->copy[i] < 0) continue;
        r[z->copy[i]] = w->r[i];
        r[i] = w->r2[i] - w->r[i];
    }
    if (z->nclosing == 0) return FLX_OK;
    FLX_TRY(find_closing(z, w, &slow, w->closing[0]));
    for (int i = 0; i < base->dims.nlam; i++) {
        int k = z->copy[z->first_bond + i];
        if (k >= 0) r[k] = w->closing[0][i];
    }
    return FLX_OK;
}

// ---- tangent ------------------------------------------------------------------------------------

// One entry of the base's pattern, in reach of all that is made of it.
typedef struct tile {
    const quasistatic *z;
    const flx_blocks *out;
    const int *entry; // the four here
} tile;

// The place in A of a row and a column given as unknowns of this system.
static double *place(const tile *t, double *A, bool copied_row, bool copied_col, int row, int col)
{
    const flx_pattern *p = &t->z->sys.pattern;
    int e = t->entry[2 * copied_row + copied_col], bj = p->col[e], bi = p->col[p->transpose[e]];
    int width = p->start[bj + 1] - p->start[bj];
    return A + p->offset[e] + (row - p->start[bi]) * width + col - p->start[bj];
}

// A value of row i, column j of the base in (RED-2).
static void put_slow(const tile *t, int i, int j, double k0, double k1, double k2)
{
    const quasistatic *z = t->z;
    bool velocity = j < z->base->dims.nv, up = i < z->base->dims.nv && z->copy[i] >= 0;
    int row = up ? z->copy[i] : z->same[i];
    if (!velocity && z->copy[j] >= 0) { // eta in the place of lambda
        *place(t, t->out->A0, up, true, row, z->copy[j]) += k0;
        return;
    }
    *place(t, t->out->A0, up, false, row, z->same[j]) += k0;
    *place(t, t->out->A1, up, false, row, z->same[j]) += k1;
    if (velocity && z->reduced[j]) return;
    if (velocity && z->copy[j] >= 0) {
        *place(t, t->out->A0, up, true, row, z->copy[j]) += k2;
    } else {
        *place(t, t->out->A2, up, false, row, z->same[j]) += k2;
    }
}

// The same in (RED-3); dk0: d((M (a - s))_i + ...)/dq.
static void put_link(const tile *t, int i, int j, double k0, double dk0, double k2)
{
    const quasistatic *z = t->z;
    if (j < z->base->dims.nv) {
        *place(t, t->out->A0, false, false, i, j) += dk0;
        *place(t, t->out->A2, false, false, i, j) += k2;
        if (z->copy[j] >= 0) *place(t, t->out->A0, false, true, i, z->copy[j]) -= k2;
    } else if (z->copy[j] >= 0) {
        *place(t, t->out->A0, false, false, i, z->same[j]) += k0;
        *place(t, t->out->A0, false, true, i, z->copy[j]) -= k0;
    }
}

static void spread_entry(const quasistatic *z, const flx_work *w, int bi, int e,
                         const flx_blocks *b)
{
    const flx_pattern *p = &z->base->pattern;
    const tile t = {z, b, z->entry + 4 * (size_t)e};
    int bj = p->col[e], k = p->offset[e];
    for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
        bool linked = i < z->base->dims.nv && z->copy[i] >= 0;
        for (int j = p->start[bj]; j < p->start[bj + 1]; j++, k++) {
            double k0 = w->slow.A0[k], k2 = w->slow.A2[k];
            put_slow(&t, i, j, k0, w->slow.A1[k], k2);
            if (linked) put_link(&t, i, j, k0, w->fast.A0[k] - k0, k2);
        }
    }
}

// Columns of (RED-4) for the velocities of one group: the bias is quadratic in v and the rates are
// linear, so that differences along v have no error; along q they are central.
static flx_status find_columns(const quasistatic *z, flx_work *w, const flx_point *slow, int group)
{
    const flx_system *base = z->base;
    const flx_dims *d = &base->dims;
    const double small = cbrt(DBL_EPSILON);
    flx_point at = *slow;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? 1.0 : -1.0;
        for (int i = 0; i < d->nv; i++) {
            w->theta[i] = z->group[i] == group ? sign * small * z->scale[i] : 0.0;
        }
        base->ops->retract(base, slow->q, w->theta, w->q);
        at.q = w->q;
        FLX_TRY(find_closing(z, w, &at, w->closing[side]));
    }
    for (int i = 0; i < d->nlam; i++) {
        w->dq[i] = (w->closing[0][i] - w->closing[1][i]) / (2.0 * small);
    }
    at = *slow;
    at.v = w->theta;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? 1.0 : -1.0;
        for (int i = 0; i < d->nv; i++) {
            w->theta[i] = slow->v[i] + (z->group[i] == group ? sign * z->scale[i] : 0.0);
        }
        FLX_TRY(find_bias(z, w, &at, w->closing[side]));
    }
    for (int i = 0; i < d->nlam; i++) w->dv[i] = (w->closing[0][i] - w->closing[1][i]) / 2.0;
    for (int i = 0; i < d->nv; i++) w->theta[i] = z->group[i] == group ? z->scale[i] : 0.0;
    return apply_bonds(z, w, slow, w->theta, w->G);
}

static void spread_columns(const quasistatic *z, const flx_work *w, int group, const flx_blocks *b)
{
    const flx_pattern *p = &z->base->pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        if (p->start[bi] < z->first_bond) continue;
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            const tile t = {z, b, z->entry + 4 * (size_t)e};
            int bj = p->col[e];
            for (int j = p->start[bj]; j < p->start[bj + 1] && j < z->base->dims.nv; j++) {
                if (z->group[j] != group) continue;
                for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                    int row = z->copy[i], k = i - z->first_bond;
                    if (row < 0) continue;
                    *place(&t, b->A0, true, false, row, j) = w->dq[k] / z->scale[j];
                    *place(&t, b->A1, true, false, row, j) = w->dv[k] / z->scale[j];
                    if (z->copy[j] >= 0) {
                        *place(&t, b->A0, true, true, row, z->copy[j]) = w->G[k] / z->scale[j];
                    }
                }
            }
        }
    }
}

static flx_status linearise(const flx_system *s, flx_work *w, const flx_point *p, flx_blocks *b)
{
    const quasistatic *z = quasistatic_of(s);
    const flx_system *base = z->base;
    const flx_pattern *here = &s->pattern, *there = &base->pattern;
    size_t bytes = (size_t)here->offset[here->row[here->nblock]] * sizeof(double);
    memset(b->A0, 0, bytes);
    memset(b->A1, 0, bytes);
    memset(b->A2, 0, bytes);
    flx_point slow = slow_point(z, w, p);
    FLX_TRY(base->ops->linearise(base, w->inner, &slow, &w->slow));
    if (z->nlinked > 0) FLX_TRY(base->ops->linearise(base, w->inner, p, &w->fast));
    for (int bi = 0; bi < there->nblock; bi++) {
        for (int e = there->row[bi]; e < there->row[bi + 1]; e++) spread_entry(z, w, bi, e, b);
    }
    for (int g = 0; g < z->ngroup; g++) {
        FLX_TRY(find_columns(z, w, &slow, g));
        spread_columns(z, w, g, b);
    }
    return FLX_OK;
}

// ---- what the base does -------------------------------------------------------------------------

static void retract(const flx_system *s, const double *q, const double *theta, double *out)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->retract(base, q, theta, out);
}

static void difference(const flx_system *s, const double *q0, const double *q1, double *theta)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->difference(base, q0, q1, theta);
}

static void chart_velocity(const flx_system *s, const double *th, const double *dth, double *v)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->velocity(base, th, dth, v);
}

static void chart_rate(const flx_system *s, const double *th, const double *v, double *dth)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->rate(base, th, v, dth);
}

static void chart_velocity_t(const flx_system *s, const double *th, const double *u, double *out)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->velocity_t(base, th, u, out);
}

static void chart_rate_t(const flx_system *s, const double *th, const double *u, double *out)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->rate_t(base, th, u, out);
}

static void velocity_slope_t(const flx_system *s, const double *th, const double *dth,
                             const double *u, double *out)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->velocity_slope_t(base, th, dth, u, out);
}

static void component_rate(const flx_system *s, const double *q, const double *v, double *dq)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->components->rate(base, q, v, dq);
}

static void component_velocity(const flx_system *s, const double *q, const double *dq, double *v)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->components->velocity(base, q, dq, v);
}

static void component_normalise(const flx_system *s, double *q)
{
    const flx_system *base = quasistatic_of(s)->base;
    base->ops->components->normalise(base, q);
}

static const flx_components components = {component_rate, component_velocity, component_normalise};

static flx_status bond_rate(const flx_system *s, flx_work *w, const flx_point *p, double *gd)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->bond_rate(base, w->inner, p, gd);
}

static flx_status bond_force(const flx_system *s, flx_work *w, const flx_point *p,
                             const double *eta, double *out)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->bond_force(base, w->inner, p, eta, out);
}

static flx_status bond_bias(const flx_system *s, flx_work *w, const flx_point *p, double *bias)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->bond_bias(base, w->inner, p, bias);
}

// Without links nothing of M_JJ is left; with them the operation is not offered.
static flx_status energy(const flx_system *s, flx_work *w, const flx_point *p, flx_energies *e)
{
    const quasistatic *z = quasistatic_of(s);
    const flx_system *base = z->base;
    int nv = base->dims.nv;
    flx_point at = slow_point(z, w, p);
    FLX_TRY(base->ops->energy(base, w->inner, &at, e));
    at.a = w->a;
    for (int i = 0; i < nv; i++) w->a[i] = z->reduced[i] ? p->v[i] : 0.0;
    FLX_TRY(base->ops->residual(base, w->inner, &at, w->r));
    memset(w->a, 0, (size_t)nv * sizeof *w->a);
    FLX_TRY(base->ops->residual(base, w->inner, &at, w->r2));
    for (int i = 0; i < nv; i++) {
        if (z->reduced[i]) e->kinetic -= 0.5 * p->v[i] * (w->r[i] - w->r2[i]);
    }
    return FLX_OK;
}

static void unknown(const flx_system *s, int i, flx_unknown *u)
{
    const quasistatic *z = quasistatic_of(s);
    const flx_system *base = z->base;
    int added = z->nlinked + z->nclosing, first = z->first_bond;
    if (i < first || i >= first + added) {
        base->ops->unknown(base, i < first ? i : i - added, u);
        return;
    }
    base->ops->unknown(base, z->origin[i - first], u);
    u->kind = FLX_UNKNOWN_ALGEBRAIC;
    u->index = z->nclosing > 0 ? 2 : 1; // they follow the velocities
    u->sigma = u->tau = u->C = u->E = 0.0;
    u->lower = -HUGE_VAL;
    u->upper = HUGE_VAL;
}

// ---- states and instants ------------------------------------------------------------------------

// The state as the base sees it: arrays are shared, multipliers are those of the reactions.
static flx_state base_state(const quasistatic *z, flx_work *w, const flx_state *x)
{
    int first = z->base->dims.nv + z->base->dims.nx;
    flx_state y = *x;
    for (int i = 0; i < z->base->dims.nlam; i++) {
        int k = z->copy[z->first_bond + i];
        w->lam[i] = k >= 0 ? x->w[k - first] : x->lam[i];
    }
    y.lam = w->lam;
    return y;
}

static void accept(const flx_system *s, flx_work *w, flx_state *x)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    z->base->ops->accept(z->base, w->inner, &y);
}

static double longest_step(const flx_system *s, flx_work *w, const flx_state *x)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    return z->base->ops->longest_step(z->base, w->inner, &y);
}

static int indicators(const flx_system *s)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->instants->indicators(base);
}

static int events(const flx_system *s)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->instants->events(base);
}

static int rows(const flx_system *s)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->instants->rows(base);
}

static flx_status indicate(const flx_system *s, flx_work *w, const flx_point *p, double *value)
{
    const quasistatic *z = quasistatic_of(s);
    flx_point slow = slow_point(z, w, p);
    slow.a = p->a;
    return z->base->ops->instants->indicate(z->base, w->inner, &slow, value);
}

static double next(const flx_system *s, flx_work *w, const flx_state *x)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    return z->base->ops->instants->next(z->base, w->inner, &y);
}

static int idle(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    return z->base->ops->instants->idle(z->base, w->inner, &y, changed);
}

static void change(const flx_system *s, flx_work *w, const flx_state *x, const signed char *changed,
                   double *switches)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    z->base->ops->instants->change(z->base, w->inner, &y, changed, switches);
}

static flx_status happen(const flx_system *s, flx_work *w, flx_state *x, const signed char *changed,
                         flx_happening *h)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    return z->base->ops->instants->happen(z->base, w->inner, &y, changed, h);
}

static void settle(const flx_system *s, flx_work *w, flx_state *x)
{
    const quasistatic *z = quasistatic_of(s);
    flx_state y = base_state(z, w, x);
    z->base->ops->instants->settle(z->base, w->inner, &y);
}

static const char *indicator(const flx_system *s, int i, flx_loc *loc)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->instants->indicator(base, i, loc);
}

static const char *event(const flx_system *s, int i, flx_loc *loc)
{
    const flx_system *base = quasistatic_of(s)->base;
    return base->ops->instants->event(base, i, loc);
}

static const flx_instants instants = {
    .indicators = indicators,
    .events = events,
    .rows = rows,
    .indicate = indicate,
    .next = next,
    .idle = idle,
    .change = change,
    .happen = happen,
    .settle = settle,
    .indicator = indicator,
    .event = event,
};

// ---- life ---------------------------------------------------------------------------------------

static void work_destroy(flx_work *w)
{
    if (!w) return;
    if (w->inner) w->base->ops->work_destroy(w->inner);
    flx_free(w->slow.A0);
    flx_free(w->fast.A0);
    flx_free(w->block);
    flx_free(w);
}

static bool make_blocks(const flx_system *s, flx_blocks *b)
{
    size_t n = (size_t)s->pattern.offset[s->pattern.row[s->pattern.nblock]];
    double *all = flx_alloc(s->ctx, 3 * n, sizeof *all);
    if (all) *b = (flx_blocks){all, all + n, all + 2 * n};
    return all != NULL;
}

static flx_work *work_create(const flx_system *s)
{
    const quasistatic *z = quasistatic_of(s);
    const flx_dims *d = &z->base->dims;
    const int sizes[] = {d->nv,
                         d->nlam,
                         flx_dims_unknowns(d),
                         flx_dims_unknowns(d),
                         d->nv,
                         d->nv,
                         d->nq,
                         d->nlam,
                         d->nlam,
                         d->nlam + d->nmu,
                         d->nlam,
                         d->nlam,
                         d->nlam,
                         d->nlam,
                         d->nlam};
    size_t total = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) total += (size_t)sizes[i];
    flx_work *w = flx_alloc(s->ctx, 1, sizeof *w);
    if (!w) return NULL;
    w->base = z->base;
    w->inner = z->base->ops->work_create(z->base);
    w->block = flx_alloc(s->ctx, total, sizeof *w->block);
    if (!w->inner || !w->block || !make_blocks(z->base, &w->slow) ||
        !make_blocks(z->base, &w->fast)) {
        work_destroy(w);
        return NULL;
    }
    double **const arrays[] = {&w->a,          &w->lam,        &w->r,    &w->r2,    &w->v,
                               &w->theta,      &w->q,          &w->rate, &w->rate0, &w->bias,
                               &w->closing[0], &w->closing[1], &w->G,    &w->dq,    &w->dv};
    double *at = w->block;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *arrays[i] = at;
        at += sizes[i];
    }
    return w;
}

static void destroy(flx_system *s)
{
    quasistatic *z = (quasistatic *)s;
    if (!z) return;
    flx_system_destroy(&z->base);
    flx_arena_destroy(&z->arena);
    flx_free(z);
}

const flx_system *flx_quasistatic_base(const flx_system *s, flx_work **w, flx_state *x)
{
    if (s->ops->residual != residual) return s;
    const quasistatic *z = quasistatic_of(s);
    *x = base_state(z, *w, x);
    *w = (*w)->inner;
    return z->base;
}

// ---- links --------------------------------------------------------------------------------------

// Whether M may couple the two blocks of velocities of this entry.
static bool has_mass(const flx_pattern *p, int e)
{
    return !p->parts || (p->parts[e] & 4);
}

static bool is_hard(const flx_system *base, int i)
{
    flx_unknown u = {0};
    base->ops->unknown(base, i, &u);
    return u.C == 0.0 && u.E == 0.0;
}

// Whether the block holds bonds that do not give way.
static bool is_closing(const flx_system *base, int first_bond, int block)
{
    const flx_pattern *p = &base->pattern;
    if (p->start[block] < first_bond) return false;
    for (int i = p->start[block]; i < p->start[block + 1]; i++) {
        if (is_hard(base, i)) return true;
    }
    return false;
}

// Blocks that M and closing bonds link to those of J; true: one was added.
static bool spread_links(const quasistatic *z, bool *touched)
{
    const flx_pattern *p = &z->base->pattern;
    int nv = z->base->dims.nv;
    bool added = false;
    for (int bi = 0; bi < p->nblock; bi++) {
        bool velocity = p->start[bi] < nv;
        if (!velocity && !is_closing(z->base, z->first_bond, bi)) continue;
        if (velocity && !touched[bi]) continue;
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int bj = p->col[e];
            bool other = p->start[bj] < nv;
            if (velocity && other && has_mass(p, e) && !touched[bj]) touched[bj] = added = true;
            if (!velocity && other && touched[bj] && !touched[bi]) touched[bi] = added = true;
            if (!velocity && other && touched[bi] && !touched[bj]) touched[bj] = added = true;
        }
    }
    return added;
}

// A bond that J alone can meet leaves its reaction without an equation (RED-1).
static flx_status refuse_alone(const quasistatic *z, int block)
{
    const flx_pattern *p = &z->base->pattern;
    for (int e = p->row[block]; e < p->row[block + 1]; e++) {
        int bj = p->col[e];
        for (int j = p->start[bj]; j < p->start[bj + 1] && j < z->base->dims.nv; j++) {
            if (!z->reduced[j]) return FLX_OK;
        }
    }
    flx_unknown u = {0};
    z->base->ops->unknown(z->base, p->start[block], &u);
    return FLX_FAIL(z->sys.ctx, FLX_ERR_CANNOT, u.loc,
                    "the constraints of '%s' hold nothing but velocities whose inertia is to be "
                    "neglected; reduce other parts, or give it a stiffness instead",
                    u.item ? u.item : "?");
}

// The unknowns that get a second one: s of linked velocities, eta of closing bonds.
static flx_status find_links(quasistatic *z, bool *touched)
{
    const flx_system *base = z->base;
    const flx_pattern *p = &base->pattern;
    int nv = base->dims.nv, n = flx_dims_unknowns(&base->dims);
    int first_mu = n - base->dims.nmu, next_unknown = z->first_bond;
    for (int b = 0; b < p->nblock; b++) {
        for (int i = p->start[b]; i < p->start[b + 1] && i < nv; i++) {
            touched[b] = touched[b] || z->reduced[i];
        }
    }
    while (spread_links(z, touched)) {
    }
    for (int b = 0; b < p->nblock; b++) {
        bool bond = p->start[b] >= z->first_bond;
        if (bond && touched[b]) FLX_TRY(refuse_alone(z, b));
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            z->copy[i] = -1;
            if (!touched[b] || (bond ? !is_hard(base, i) : i >= nv || z->reduced[i])) continue;
            z->origin[next_unknown - z->first_bond] = i;
            z->copy[i] = next_unknown++;
            *(bond ? &z->nclosing : &z->nlinked) += 1;
            if (i < first_mu && !(bond && base->reads_multipliers)) continue;
            flx_unknown u = {0};
            base->ops->unknown(base, i, &u);
            return FLX_FAIL(z->sys.ctx, FLX_ERR_CANNOT, u.loc,
                            "the inertia of parts that '%s' holds cannot be neglected: %s; reduce "
                            "parts that no constraint links to it",
                            u.item ? u.item : "?",
                            i >= first_mu ? "it constrains velocities"
                                          : "friction reads its reaction");
        }
    }
    for (int i = 0; i < n; i++) {
        z->same[i] = i < z->first_bond ? i : i + z->nlinked + z->nclosing;
    }
    return FLX_OK;
}

// ---- pattern ------------------------------------------------------------------------------------

static int compare_keys(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

// Where the blocks of the base are here, and their copies.
typedef struct places {
    int nblock;
    int *start;       // (nblock + 1)
    int *same, *copy; // (nblock of the base); copy -1: none
} places;

static bool has_copy(const quasistatic *z, int block)
{
    const flx_pattern *p = &z->base->pattern;
    for (int i = p->start[block]; i < p->start[block + 1]; i++) {
        if (z->copy[i] >= 0) return true;
    }
    return false;
}

static void add_block(places *at, int *number, int size)
{
    *number = at->nblock++;
    at->start[at->nblock] = at->start[at->nblock - 1] + size;
}

static void add_copies(const quasistatic *z, places *at)
{
    const flx_pattern *p = &z->base->pattern;
    for (int b = 0; b < p->nblock; b++) {
        int size = 0;
        for (int i = p->start[b]; i < p->start[b + 1]; i++) size += z->copy[i] >= 0;
        at->copy[b] = -1;
        if (size > 0) add_block(at, &at->copy[b], size);
    }
}

static flx_status place_blocks(quasistatic *z, places *at)
{
    const flx_pattern *p = &z->base->pattern;
    size_t n = (size_t)p->nblock;
    at->start = flx_arena_take(z->arena, 2 * n + 1, sizeof *at->start);
    at->same = flx_arena_take(z->arena, n, sizeof *at->same);
    at->copy = flx_arena_take(z->arena, n, sizeof *at->copy);
    if (!at->start || !at->same || !at->copy) return FLX_ERR_MEMORY;
    bool copied = false;
    for (int b = 0; b < p->nblock; b++) {
        if (!copied && p->start[b] >= z->first_bond) {
            add_copies(z, at);
            copied = true;
        }
        add_block(at, &at->same[b], p->start[b + 1] - p->start[b]);
    }
    if (!copied) add_copies(z, at);
    return FLX_OK;
}

// The entry at (row, col), which is there.
static int find_entry(const flx_pattern *p, int row, int col)
{
    int low = p->row[row], high = p->row[row + 1] - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (p->col[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

// The blocks here that an entry (bi, bj) of the base becomes, or -1.
static void find_corners(const places *at, int bi, int bj, int row[4], int col[4])
{
    for (int k = 0; k < 4; k++) {
        row[k] = k & 2 ? at->copy[bi] : at->same[bi];
        col[k] = k & 1 ? at->copy[bj] : at->same[bj];
    }
}

static int collect_keys(const quasistatic *z, const places *at, long long *keys)
{
    const flx_pattern *p = &z->base->pattern;
    int n = 0, unique = 0, row[4], col[4];
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            find_corners(at, bi, p->col[e], row, col);
            for (int k = 0; k < 4; k++) {
                if (row[k] >= 0 && col[k] >= 0) keys[n++] = (long long)row[k] * at->nblock + col[k];
            }
        }
    }
    qsort(keys, (size_t)n, sizeof *keys, compare_keys);
    for (int i = 0; i < n; i++) {
        if (i == 0 || keys[i] != keys[i - 1]) keys[unique++] = keys[i];
    }
    return unique;
}

static flx_status fill_pattern(quasistatic *z, const places *at, int nentry, const long long *keys)
{
    size_t n = (size_t)nentry;
    int *row = flx_arena_take(z->arena, (size_t)at->nblock + 1, sizeof *row);
    int *col = flx_arena_take(z->arena, n, sizeof *col);
    int *offset = flx_arena_take(z->arena, n + 1, sizeof *offset);
    int *transpose = flx_arena_take(z->arena, n, sizeof *transpose);
    if (!row || !col || !offset || !transpose) return FLX_ERR_MEMORY;
    for (int e = 0; e < nentry; e++) {
        int i = (int)(keys[e] / at->nblock), j = (int)(keys[e] % at->nblock);
        row[i + 1] = e + 1;
        col[e] = j;
        offset[e + 1] =
            offset[e] + (at->start[i + 1] - at->start[i]) * (at->start[j + 1] - at->start[j]);
    }
    z->sys.pattern = (flx_pattern){.nblock = at->nblock,
                                   .start = at->start,
                                   .row = row,
                                   .col = col,
                                   .offset = offset,
                                   .transpose = transpose};
    for (int e = 0; e < nentry; e++) {
        int i = (int)(keys[e] / at->nblock);
        transpose[e] = find_entry(&z->sys.pattern, col[e], i);
    }
    return FLX_OK;
}

static flx_status make_pattern(quasistatic *z)
{
    const flx_pattern *p = &z->base->pattern;
    places at = {0};
    int most = 4 * p->row[p->nblock], row[4], col[4];
    FLX_TRY(place_blocks(z, &at));
    long long *keys = flx_alloc(z->sys.ctx, (size_t)most, sizeof *keys);
    z->entry = flx_arena_take(z->arena, (size_t)most, sizeof *z->entry);
    flx_status status = keys && z->entry ? FLX_OK : FLX_ERR_MEMORY;
    if (status == FLX_OK) status = fill_pattern(z, &at, collect_keys(z, &at, keys), keys);
    flx_free(keys);
    if (status != FLX_OK) return status;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            find_corners(&at, bi, p->col[e], row, col);
            for (int k = 0; k < 4; k++) {
                bool there = row[k] >= 0 && col[k] >= 0;
                z->entry[4 * e + k] = there ? find_entry(&z->sys.pattern, row[k], col[k]) : -1;
            }
        }
    }
    return FLX_OK;
}

// ---- groups -------------------------------------------------------------------------------------

// Whether colour c is taken by a block that shares a closing bond with b.
static bool is_taken(const quasistatic *z, const int *colour, int b, int c)
{
    const flx_pattern *p = &z->base->pattern;
    for (int e = p->row[b]; e < p->row[b + 1]; e++) {
        int bond = p->col[e];
        if (p->start[bond] < z->first_bond || !has_copy(z, bond)) continue;
        for (int f = p->row[bond]; f < p->row[bond + 1]; f++) {
            if (p->start[p->col[f]] < z->base->dims.nv && colour[p->col[f]] == c) return true;
        }
    }
    return false;
}

// Velocities whose columns in (RED-4) share no row are moved together.
static flx_status make_groups(quasistatic *z)
{
    const flx_pattern *p = &z->base->pattern;
    int nv = z->base->dims.nv, *colour, *first;
    for (int i = 0; i < nv; i++) z->group[i] = -1;
    if (z->nclosing == 0) return FLX_OK;
    colour = flx_arena_take(z->arena, (size_t)p->nblock, sizeof *colour);
    first = flx_arena_take(z->arena, (size_t)p->nblock + 1, sizeof *first); // sizes, then starts
    if (!colour || !first) return FLX_ERR_MEMORY;
    int ncolour = 0;
    for (int b = 0; b < p->nblock; b++) colour[b] = -1;
    for (int b = 0; b < p->nblock && p->start[b] < nv; b++) {
        int c = 0, size = p->start[b + 1] - p->start[b];
        while (is_taken(z, colour, b, c)) c++;
        colour[b] = c;
        if (c >= ncolour) ncolour = c + 1;
        if (size > first[c + 1]) first[c + 1] = size;
    }
    for (int c = 0; c < ncolour; c++) first[c + 1] += first[c];
    for (int b = 0; b < p->nblock && p->start[b] < nv; b++) {
        for (int i = p->start[b]; i < p->start[b + 1]; i++) {
            z->group[i] = first[colour[b]] + i - p->start[b];
        }
    }
    z->ngroup = first[ncolour];
    return FLX_OK;
}

// ---- create -------------------------------------------------------------------------------------

static flx_status refuse(const flx_system *base, int n, const int *J)
{
    const flx_dims *d = &base->dims;
    if (n <= 0) {
        return FLX_FAIL(base->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "a quasi-static reduction needs velocities to reduce");
    }
    for (int i = 0; i < n; i++) {
        if (J[i] >= 0 && J[i] < d->nv && (i == 0 || J[i] > J[i - 1])) continue;
        return FLX_FAIL(base->ctx, FLX_ERR_ARGUMENT, FLX_NOWHERE,
                        "velocity %d cannot be reduced: numbers go up from 0 to %d", J[i],
                        d->nv - 1);
    }
    if (base->ops->instants && base->ops->instants->rows(base) > 0) {
        return FLX_FAIL(base->ctx, FLX_ERR_CANNOT, FLX_NOWHERE,
                        "events that set velocities need the inertia of all parts: take them out, "
                        "or the reduction");
    }
    return FLX_OK;
}

static void fill_ops(quasistatic *z)
{
    const flx_system_ops *b = z->base->ops;
    z->ops = (flx_system_ops){
        .name = "quasistatic",
        .residual = residual,
        .linearise = linearise,
        .retract = retract,
        .difference = difference,
        .velocity = chart_velocity,
        .rate = chart_rate,
        .velocity_t = chart_velocity_t,
        .rate_t = chart_rate_t,
        .velocity_slope_t = b->velocity_slope_t ? velocity_slope_t : NULL,
        .unknown = unknown,
        .work_create = work_create,
        .work_destroy = work_destroy,
        .destroy = destroy,
        .bond_rate = b->bond_rate ? bond_rate : NULL,
        .bond_force = b->bond_force ? bond_force : NULL,
        .bond_bias = b->bond_bias ? bond_bias : NULL,
        .components = b->components ? &components : NULL,
        .instants = b->instants ? &instants : NULL,
        .energy = b->energy && z->nlinked == 0 ? energy : NULL,
        .accept = b->accept ? accept : NULL,
        .longest_step = b->longest_step ? longest_step : NULL,
    };
    z->sys.ops = &z->ops;
}

static flx_status take_arrays(quasistatic *z)
{
    const flx_dims *d = &z->base->dims;
    size_t n = (size_t)flx_dims_unknowns(d), nv = (size_t)d->nv;
    z->arena = flx_arena_create(z->sys.ctx);
    if (!z->arena) return FLX_ERR_MEMORY;
    z->reduced = flx_arena_take(z->arena, nv, sizeof *z->reduced);
    z->same = flx_arena_take(z->arena, n, sizeof *z->same);
    z->copy = flx_arena_take(z->arena, n, sizeof *z->copy);
    z->origin = flx_arena_take(z->arena, n, sizeof *z->origin);
    z->drift = flx_arena_take(z->arena, (size_t)d->nlam, sizeof *z->drift);
    z->group = flx_arena_take(z->arena, nv, sizeof *z->group);
    z->scale = flx_arena_take(z->arena, nv, sizeof *z->scale);
    return z->reduced && z->same && z->copy && z->origin && z->drift && z->group && z->scale
               ? FLX_OK
               : FLX_ERR_MEMORY;
}

static flx_status build(quasistatic *z, int n, const int *J)
{
    const flx_system *base = z->base;
    FLX_TRY(take_arrays(z));
    z->first_bond = base->dims.nv + base->dims.nx + base->dims.nw;
    for (int i = 0; i < n; i++) z->reduced[J[i]] = true;
    for (int i = 0; i < z->first_bond + base->dims.nlam; i++) {
        flx_unknown u = {0};
        base->ops->unknown(base, i, &u);
        if (i < base->dims.nv) z->scale[i] = u.scale > 0.0 ? u.scale : 1.0;
        if (i >= z->first_bond && u.C == 0.0 && u.tau != 0.0) {
            z->drift[i - z->first_bond] = u.sigma / u.tau;
        }
    }
    bool *touched = flx_arena_take(z->arena, (size_t)base->pattern.nblock, sizeof *touched);
    if (!touched) return FLX_ERR_MEMORY;
    FLX_TRY(find_links(z, touched));
    z->sys.dims.nw += z->nlinked + z->nclosing;
    z->sys.reads_multipliers = base->reads_multipliers || z->nclosing > 0;
    FLX_TRY(make_pattern(z));
    return make_groups(z);
}

flx_status flx_quasistatic_create(flx_system *base, int n, const int *J, flx_system **s)
{
    *s = NULL;
    flx_status status = refuse(base, n, J);
    quasistatic *z = status == FLX_OK ? flx_alloc(base->ctx, 1, sizeof *z) : NULL;
    if (!z) {
        flx_system_destroy(&base);
        return status == FLX_OK ? FLX_ERR_MEMORY : status;
    }
    z->base = base;
    z->sys.ctx = base->ctx;
    z->sys.dims = base->dims;
    z->sys.param = base->param;
    z->sys.title = base->title;
    status = build(z, n, J);
    if (status != FLX_OK) {
        destroy(&z->sys);
        return status;
    }
    fill_ops(z);
    *s = &z->sys;
    return FLX_OK;
}
