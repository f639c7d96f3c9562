// descriptor_least.c - reactions where rows were left out as redundant, and which of them are not unique.
//
// Rows D that were left out follow from the rows I that were kept, G_D = C G_I, up to the accuracy of the geometry, which
// must not enter: of all multipliers that give the same forces F, those of least norm,
//     min |l_I|^2 + |l_D|^2  with  l_I + C^T l_D = l,   G_I^T l = F                      (OBS-1)
//     (1 + C C^T) l_D = C l,   l_I = l - C^T l_D                                          (OBS-2)
// by conjugate gradients. C and C^T are solves with [S G_I^T; G_I 0], whose rows are independent. Force rows count 1,
// moment rows 1/length. What can be added without changing F is z = (-C^T y, y): reactions that no z touches are unique.
#include "descriptor/descriptor_parts.h"

#include <float.h>

#define MOST_ITERATIONS 100
#define CLOSE (8.0 * DBL_EPSILON) // of the right-hand side
#define REGULAR 1e-14             // for rows that are dependent in a singular position
#define SWEEPS 3
#define TOUCHED 1e-7 // part of the largest one

typedef struct least {
    const flx_descriptor *d, *c; // rows kept, all rows
    flx_descriptor_work *w, *cw;
    double *l, *y, *r, *p, *q, *t; // (rows of c) each
    int nrow, first;
} least;

// Size of the rows' multipliers in forces: a moment row counts by the length of the mechanism.
static double row_weight(const flx_descriptor *c, int row)
{
    return c->rows[row].metres ? 1.0 : c->length;
}

// Rows that give way, or hold on one side: no joint shares their forces.
static bool knows_own(const flx_descriptor *d, int row)
{
    return d->rows[row].C > 0 || d->rows[row].held.from > 0;
}

static bool is_kept(const least *m, int row)
{
    return !knows_own(m->c, row) && !flx_rows_dropped(m->d, row);
}

// ---- matrix -------------------------------------------------------------------------------------------------

// All rows, weighted, into A2.
static void keep_rows(least *m)
{
    const flx_descriptor *c = m->c;
    const flx_pattern *pt = &c->base.pattern;
    flx_saddle_work *k = &m->cw->saddle;
    for (int b = 0; b < pt->nblock; b++) {
        for (int e = pt->row[b]; e < pt->row[b + 1]; e++) {
            int nc = pt->start[pt->col[e] + 1] - pt->start[pt->col[e]];
            int nr = pt->start[b + 1] - pt->start[b];
            for (int i = 0; i < nr * nc; i++) {
                int r = pt->start[b] + i / nc, col = pt->start[pt->col[e]] + i % nc;
                double *a = k->A0 + pt->offset[e] + i;
                if (r >= m->first) *a *= row_weight(c, r - m->first);
                if (col >= m->first) *a *= row_weight(c, col - m->first);
                k->A2[pt->offset[e] + i] = *a;
                if (r >= m->first && !is_kept(m, r - m->first)) *a = 0.0;
                if (col >= m->first && !is_kept(m, col - m->first)) *a = 0.0;
            }
        }
    }
}

// [S G_I^T; G_I 0], factored; rows that are not kept stand for themselves.
static flx_status factor_rows(least *m, const flx_point *p)
{
    const flx_descriptor *c = m->c;
    flx_saddle_work *k = &m->cw->saddle;
    int translations = c->planar ? 2 : 3;
    FLX_TRY(flx_saddle_prepare(c, m->cw));
    flx_eval_saddle(c, m->cw, p, k->A0, k->A2);
    keep_rows(m);
    for (int i = 0; i < flx_dims_unknowns(&c->base.dims); i++) {
        double diagonal = i < m->first ? 1.0 : is_kept(m, i - m->first) ? -REGULAR : -1.0;
        k->A0[flx_layout_slot(c, i, i)] += diagonal;
    }
    for (int i = 0; i < c->model->nbody; i++) { // metric of rotations: metres at the length
        for (int j = translations; j < c->body_nv[i]; j++) {
            int u = c->body_v[i] + j;
            k->A0[flx_layout_slot(c, u, u)] += c->length * c->length - 1.0;
        }
    }
    flx_ldl_equilibrate(k->ldl, k->A0);
    return flx_ldl_factor(k->ldl, k->A0);
}

static void solve(least *m)
{
    flx_saddle_work *k = &m->cw->saddle;
    flx_ldl_solve_refined(k->ldl, k->A0, k->rhs, k->tmp, DBL_EPSILON, SWEEPS);
}

// ---- C --------------------------------------------------------------------------------------------------------

// A row of A2 times u, or, with u NULL, a times the row added to the right-hand side.
static double row_product(least *m, int row, const double *u, double a)
{
    const flx_descriptor *c = m->c;
    const flx_pattern *pt = &c->base.pattern;
    flx_saddle_work *k = &m->cw->saddle;
    int b = c->block_of[m->first + row], at = m->first + row - pt->start[b];
    double sum = 0.0;
    for (int e = pt->row[b]; e < pt->row[b + 1]; e++) {
        int j = pt->col[e], nc = pt->start[j + 1] - pt->start[j];
        if (pt->start[j] >= c->base.dims.nv) break; // columns ascend
        const double *g = k->A2 + pt->offset[e] + at * nc;
        for (int i = 0; i < nc; i++) {
            if (u) {
                sum += g[i] * u[pt->start[j] + i];
            } else {
                k->rhs[pt->start[j] + i] += a * g[i];
            }
        }
    }
    return sum;
}

static void clear_rhs(least *m)
{
    memset(m->cw->saddle.rhs, 0,
           (size_t)flx_dims_unknowns(&m->c->base.dims) * sizeof *m->cw->saddle.rhs);
}

// out_I = C^T y_D
static void apply_transposed(least *m, const double *y, double *out)
{
    clear_rhs(m);
    for (int i = 0; i < m->d->ndrop; i++) row_product(m, m->d->drop[i], NULL, y[m->d->drop[i]]);
    solve(m);
    for (int i = 0; i < m->nrow; i++) {
        out[i] = is_kept(m, i) ? m->cw->saddle.rhs[m->first + i] : 0.0;
    }
}

// out_D = C l_I
static void apply(least *m, const double *l, double *out)
{
    clear_rhs(m);
    for (int i = 0; i < m->nrow; i++) {
        if (is_kept(m, i)) m->cw->saddle.rhs[m->first + i] = l[i];
    }
    solve(m);
    memset(out, 0, (size_t)m->nrow * sizeof *out);
    for (int i = 0; i < m->d->ndrop; i++) {
        int row = m->d->drop[i];
        out[row] = row_product(m, row, m->cw->saddle.rhs, 0.0);
    }
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// (OBS-2): y from l.
static void find_dropped(least *m)
{
    int n = m->nrow;
    apply(m, m->l, m->r);
    memset(m->y, 0, (size_t)n * sizeof *m->y);
    memcpy(m->p, m->r, (size_t)n * sizeof *m->p);
    double size = dot(n, m->r, m->r), end = CLOSE * CLOSE * size;
    for (int k = 0; k < MOST_ITERATIONS && size > end; k++) {
        apply_transposed(m, m->p, m->t);
        apply(m, m->t, m->q);
        for (int i = 0; i < n; i++) m->q[i] += m->p[i];
        double step = size / dot(n, m->p, m->q), last = size;
        for (int i = 0; i < n; i++) {
            m->y[i] += step * m->p[i];
            m->r[i] -= step * m->q[i];
        }
        size = dot(n, m->r, m->r);
        for (int i = 0; i < n; i++) m->p[i] = m->r[i] + size / last * m->p[i];
    }
}

// ---- use ------------------------------------------------------------------------------------------------------

static flx_status open(const flx_descriptor *d, flx_descriptor_work *w, const flx_point *p,
                       least *m)
{
    const flx_dims *n = &d->complete->base.dims;
    *m = (least){.d = d, .c = d->complete, .w = w, .cw = flx_descriptor_complete_work(d, w)};
    if (!m->cw) return FLX_ERR_MEMORY;
    FLX_TRY(flx_saddle_prepare(d->complete, m->cw));
    m->nrow = n->nlam + n->nmu;
    m->first = flx_first_lam(m->c);
    m->l = w->lam + m->nrow;
    m->y = m->l + m->nrow;
    m->r = m->y + m->nrow;
    m->p = m->r + m->nrow;
    m->q = m->p + m->nrow;
    m->t = m->q + m->nrow;
    // the multipliers of p are those of fewer rows, and rows do not depend on them
    flx_point at = *p;
    memset(m->t, 0, (size_t)m->nrow * sizeof *m->t);
    at.lam = m->t;
    at.mu = m->t + n->nlam;
    return factor_rows(m, &at);
}

// Multipliers of the complete system into l (constraints, then velocity-level constraints).
flx_status flx_least_norm(const flx_descriptor *d, flx_descriptor_work *w, const flx_state *x,
                          double *l)
{
    least m;
    flx_point p = flx_state_point(&d->base, x);
    int nlam = d->base.dims.nlam, own = nlam + d->base.dims.nmu;
    FLX_TRY(open(d, w, &p, &m));
    // forces of the rows that hold; those that give way know their own
    double *given = m.y;
    for (int i = 0; i < own; i++) {
        given[i] = knows_own(d, i) ? 0.0 : i < nlam ? x->lam[i] : x->mu[i - nlam];
    }
    clear_rhs(&m);
    flx_rows_force(d, w, &p, given, given + nlam, w->force);
    memcpy(m.cw->saddle.rhs, w->force, (size_t)d->base.dims.nv * sizeof *w->force);
    memset(w->force, 0, (size_t)d->base.dims.nv * sizeof *w->force);
    solve(&m);
    for (int i = 0; i < m.nrow; i++) {
        m.l[i] = is_kept(&m, i) ? m.cw->saddle.rhs[m.first + i] : 0.0;
    }
    find_dropped(&m);
    apply_transposed(&m, m.y, m.q);
    for (int i = 0; i < m.nrow; i++) l[i] = row_weight(m.c, i) * (m.l[i] - m.q[i] + m.y[i]);
    for (int i = 0; i < own; i++) {
        if (knows_own(d, i)) l[d->rows[i].complete] = i < nlam ? x->lam[i] : x->mu[i - nlam];
    }
    return FLX_OK;
}

// What presses on the surfaces of a joint, of the force F: what is normal to its axis, or all of it.
static double pressing(const least *m, int joint, const double F[3])
{
    const flx_joint *j = m->c->model->joints + joint;
    v3 f = v3_load(F);
    bool whole = j->kind->surface.whole || m->c->planar;
    if (whole || !j->kind->surface.turns) return v3_norm(f);
    const flx_frame *body = m->cw->frames.space + j->body[0] + 1;
    const double *A = j->frame[0];
    v3 axis = m33_mul_v(m33_load(body->R), v3_make(A[2], A[5], A[8]));
    return v3_norm(v3_sub(f, v3_scale(v3_dot(axis, f), axis)));
}

flx_status flx_descriptor_not_unique(const flx_system *s, flx_work *work, const flx_state *x,
                                     bool *joint, bool *pressed)
{
    flx_descriptor_work *w = flx_descriptor_work_of(work);
    const flx_descriptor *d = flx_descriptor_of(s);
    least m;
    double most = 0.0;
    memset(joint, 0, (size_t)d->model->njoint * sizeof *joint);
    memset(pressed, 0, (size_t)d->model->njoint * sizeof *pressed);
    if (!d->complete) return FLX_OK;
    flx_point p = flx_state_point(s, x);
    FLX_TRY(open(d, w, &p, &m));
    memset(m.y, 0, (size_t)m.nrow * sizeof *m.y);
    for (int i = 0; i < d->ndrop; i++) m.y[d->drop[i]] = 1.0 + 0.37 * (i % 7); // nothing special
    apply_transposed(&m, m.y, m.q);
    for (int i = 0; i < m.nrow; i++) {
        m.q[i] = m.y[i] - m.q[i];
        m.r[i] = row_weight(m.c, i) * m.q[i];
        most = fmax(most, fabs(m.q[i]));
    }
    for (int i = 0; i < m.nrow; i++) {
        int j = m.c->rows[i].joint;
        if (j >= 0 && fabs(m.q[i]) > TOUCHED * most) joint[j] = true;
    }
    p.lam = m.t;
    p.mu = m.t + m.c->base.dims.nlam;
    for (int j = 0; j < d->model->njoint; j++) {
        double wrench[6];
        if (!joint[j]) continue;
        flx_reaction_eval(m.c, m.cw, &p, j, m.r, m.r + m.c->base.dims.nlam, wrench);
        pressed[j] = pressing(&m, j, wrench) > TOUCHED * most;
    }
    return FLX_OK;
}
