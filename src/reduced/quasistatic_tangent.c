// quasistatic_tangent.c - the tangent, from those of the base at the slow point and the given one:
// K is affine in the acceleration and in the multipliers, so that their difference is d(M u)/dq and
// d(G^T l)/dq. The rows of (RED-4) have third derivatives of the constraints (constraint_slope).
#include "math/pattern.h"
#include "reduced/quasistatic_parts.h"

// One entry of the base's pattern, in reach of all that is made of it.
typedef struct tile {
    const flx_quasistatic *z;
    const flx_blocks *out;
    const int *entry; // the four here
} tile;

// What the base has at one row and column.
typedef struct value {
    int i, j;
    double A0, A1, A2;
} value;

// The place in A of a row and a column given as unknowns of this system.
static double *place(const tile *t, double *A, bool copied_row, bool copied_col, int row, int col)
{
    const flx_pattern *p = &t->z->z.sys.pattern;
    int e = t->entry[2 * copied_row + copied_col], bj = p->col[e], bi = p->col[p->transpose[e]];
    int width = p->start[bj + 1] - p->start[bj];
    return A + p->offset[e] + (row - p->start[bi]) * width + col - p->start[bj];
}

// A value of (RED-2), times c, in the row that the base's row has here, or in its copy.
static void put_slow(const tile *t, const value *x, bool copied, double c)
{
    const flx_quasistatic *z = t->z;
    int j = x->j, row = copied ? z->copy[x->i] : z->same[x->i];
    bool velocity = j < z->z.base->dims.nv;
    if (!velocity && z->copy[j] >= 0) { // eta in the place of lambda
        *place(t, t->out->A0, copied, true, row, z->copy[j]) += c * x->A0;
        return;
    }
    *place(t, t->out->A0, copied, false, row, z->same[j]) += c * x->A0;
    *place(t, t->out->A1, copied, false, row, z->same[j]) += c * x->A1;
    if (velocity && z->reduced[j]) {
        *place(t, t->out->A1, copied, false, row, j) -= c * z->mass_damping * x->A2;
    } else if (velocity && z->copy[j] >= 0) {
        *place(t, t->out->A0, copied, true, row, z->copy[j]) += c * x->A2;
    } else {
        *place(t, t->out->A2, copied, false, row, z->same[j]) += c * x->A2;
    }
}

static void put_fast(const tile *t, const value *x, double c)
{
    int col = t->z->same[x->j];
    *place(t, t->out->A0, false, false, x->i, col) += c * x->A0;
    *place(t, t->out->A1, false, false, x->i, col) += c * x->A1;
    *place(t, t->out->A2, false, false, x->i, col) += c * x->A2;
}

static void spread_value(const tile *t, const value *slow, const value *fast)
{
    const flx_quasistatic *z = t->z;
    bool velocity = slow->i < z->z.base->dims.nv;
    if (velocity && z->copy[slow->i] >= 0) {
        put_slow(t, slow, true, 1.0);
        put_slow(t, slow, false, -1.0);
        put_fast(t, fast, 1.0);
    } else if (velocity && z->reduced[slow->i]) {
        put_slow(t, slow, false, 1.0 - z->factor);
        if (z->factor != 0.0) put_fast(t, fast, z->factor);
    } else {
        put_slow(t, slow, false, 1.0);
    }
}

static void spread_entry(const flx_quasistatic *z, const flx_quasistatic_work *w, int bi, int e,
                         const flx_blocks *b)
{
    const flx_pattern *p = &z->z.base->pattern;
    const tile t = {z, b, z->entry + 4 * (size_t)e};
    int bj = p->col[e], k = p->offset[e];
    for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
        for (int j = p->start[bj]; j < p->start[bj + 1]; j++, k++) {
            const value slow = {i, j, w->slow.A0[k], w->slow.A1[k], w->slow.A2[k]};
            const value fast = {i, j, w->fast.A0[k], w->fast.A1[k], w->fast.A2[k]};
            spread_value(&t, &slow, &fast);
        }
    }
}

// Columns of (RED-4) for the velocities of one group. The bias is quadratic in v and the rates are
// linear, so that differences along v have no error.
static flx_status find_columns(const flx_quasistatic *z, flx_quasistatic_work *w,
                               const flx_point *slow, int group)
{
    const flx_system *base = z->z.base;
    const flx_dims *d = &base->dims;
    flx_point at = *slow;
    at.v = w->theta;
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? 1.0 : -1.0;
        for (int i = 0; i < d->nv; i++) {
            w->theta[i] = slow->v[i] + (z->group[i] == group ? sign * z->scale[i] : 0.0);
        }
        FLX_TRY(flx_quasistatic_find_bias(z, w, &at, w->side[side]));
    }
    for (int i = 0; i < d->nlam; i++) w->dv[i] = (w->side[0][i] - w->side[1][i]) / 2.0;
    for (int i = 0; i < d->nv; i++) w->theta[i] = z->group[i] == group ? z->scale[i] : 0.0;
    FLX_TRY(base->ops->constraint_slope(base, w->base.inner, slow, w->theta, w->dq));
    return flx_quasistatic_apply_constraints(z, w, slow, w->theta, w->G);
}

// d(G v + g_t)/dq of a constraint on velocity level, times sigma / tau; its row is
// sigma g + tau (G v + g_t).
static double drift_slope(const flx_quasistatic *z, const flx_quasistatic_work *w, int constraint,
                          int k)
{
    double tau = z->tau[constraint], ratio = tau != 0.0 ? z->sigma[constraint] / tau : 0.0;
    return tau != 0.0 ? ratio / tau * (w->slow.A0[k] - ratio * w->slow.A1[k]) : 0.0;
}

static void spread_columns(const flx_quasistatic *z, const flx_quasistatic_work *w, int group,
                           const flx_blocks *b)
{
    const flx_pattern *p = &z->z.base->pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        if (p->start[bi] < z->first_row) continue;
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            const tile t = {z, b, z->entry + 4 * (size_t)e};
            int bj = p->col[e], width = p->start[bj + 1] - p->start[bj];
            for (int j = p->start[bj]; j < p->start[bj + 1] && j < z->z.base->dims.nv; j++) {
                if (z->group[j] != group) continue;
                for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                    int row = z->copy[i], k = i - z->first_row;
                    if (row < 0) continue;
                    int at = p->offset[e] + (i - p->start[bi]) * width + j - p->start[bj];
                    double G = w->G[k] / z->scale[j], *A1 = place(&t, b->A1, true, false, row, j);
                    *place(&t, b->A0, true, false, row, j) =
                        w->dq[k] / z->scale[j] + drift_slope(z, w, k, at);
                    *A1 = w->dv[k] / z->scale[j];
                    if (z->reduced[j]) *A1 -= z->mass_damping * G;
                    if (z->copy[j] >= 0) *place(&t, b->A0, true, true, row, z->copy[j]) = G;
                }
            }
        }
    }
}

flx_status flx_quasistatic_linearise(const flx_system *s, flx_work *work, const flx_point *p,
                                     flx_blocks *b)
{
    const flx_quasistatic *z = flx_quasistatic_of(s);
    flx_quasistatic_work *w = flx_quasistatic_work_of(work);
    const flx_system *base = z->z.base;
    const flx_pattern *there = &base->pattern;
    size_t bytes = flx_pattern_size(&s->pattern) * sizeof(double);
    memset(b->A0, 0, bytes);
    memset(b->A1, 0, bytes);
    memset(b->A2, 0, bytes);
    flx_point slow = *p;
    flx_quasistatic_point(s, work, &slow);
    FLX_TRY(base->ops->linearise(base, w->base.inner, &slow, &w->slow));
    if (z->nlinked > 0 || z->factor != 0.0) {
        FLX_TRY(base->ops->linearise(base, w->base.inner, p, &w->fast));
    }
    for (int bi = 0; bi < there->nblock; bi++) {
        for (int e = there->row[bi]; e < there->row[bi + 1]; e++) spread_entry(z, w, bi, e, b);
    }
    for (int g = 0; g < z->ngroup; g++) {
        FLX_TRY(find_columns(z, w, &slow, g));
        spread_columns(z, w, g, b);
    }
    return FLX_OK;
}
