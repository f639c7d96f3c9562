// tree_massless.c - z' = F(t, z) of a tree with links that have no inertia along some of their freedoms.
//
// By the recursion with pseudo-inverses (tree_pseudo.h), which leaves out the null space N of the mass matrix. What
// goes on is z = (q, p, x) with the momenta p = M v along the joints; the velocities are
//     v = M^+ p + N s,   N^T r(q, v, 0) = 0                                                    (TREE-18)
// by Newton's iteration for s: forces along directions without inertia are in balance. With momentum P and H (about
// the origin O of a link) of all outboard, the rates of the momenta are
//     p' = (M v)' = -r(q, v, 0) + h + J'.H - J.(v_O x P),   slides: J'.P                       (TREE-19)
// h: inertia forces at v' = 0; J' = w x J. Variables of second order have masses of their own and go on by their
// velocities.
#include "tree/explicit/tree_massless.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "system/pack.h"

#include <float.h>

#define MOST_ITERATIONS 40
// Corrections of this part of the velocities are rounding; those that shrink no more if they are below the second.
#define ROUNDING (64.0 * DBL_EPSILON)
#define STAGNATED 1e-10

// ---- velocities ---------------------------------------------------------------------------------

// tau = M v
static void find_momenta(const flx_tree *t, flx_tree_work *w, const double *q, const double *v,
                         double *tau)
{
    flx_linkage_inverse(&t->weightless, w->states, q, w->zero, v, NULL, tau);
}

static flx_status fail_balance(const flx_tree *t, const flx_tree_massless *m, int null)
{
    const flx_link *l = t->t.links + m->null_link[null];
    flx_unknown u;
    t->base.ops->unknown(&t->base, l->v, &u);
    return FLX_FAIL(
        t->base.ctx, FLX_ERR_CANNOT, t->model->bodies[l->body].loc,
        "body '%s' and what hangs on it have no inertia along '%s' (%s), and no damping "
        "there and no joint that would give its velocity, which an explicit method needs; give it "
        "damping or a mass, or use an implicit method (radau, generalized-alpha)",
        t->model->bodies[l->body].name, u.item, u.part);
}

// out = (A1 + c0 A0) u
static void apply(const flx_tree *t, flx_tree_work *w, double c0, const double *u, double *out)
{
    const flx_system *s = &t->base;
    flx_tree_massless *m = w->massless;
    if (!t->by_links) {
        memcpy(m->r, u, (size_t)s->dims.nv * sizeof *u);
        memset(m->r + s->dims.nv, 0,
               (size_t)(flx_dims_unknowns(&s->dims) - s->dims.nv) * sizeof *m->r);
        flx_pattern_apply(&s->pattern, m->blocks.A1, m->r, out);
        return;
    }
    const double c[3] = {c0, 1.0, 0.0};
    const double *const along[3] = {u, u, NULL};
    memset(out, 0, (size_t)flx_dims_unknowns(&s->dims) * sizeof *out);
    s->ops->product(s, &w->base, &m->blocks, c, along, out);
}

// A = N^T (A1 + c0 A0) N at the point, with the rows that hold directions, factored. FLX_SINGULAR: nothing gives that of
// *null.
static flx_status linearise_balance(const flx_tree *t, flx_tree_work *w, const flx_point *p,
                                    double c0, int *null)
{
    flx_tree_massless *m = w->massless;
    int n = m->nnull, nv = t->base.dims.nv, size = n + m->held.rank;
    FLX_TRY(flx_tree_linearise(&t->base, &w->base, p, &m->blocks));
    for (size_t i = 0; i < flx_pattern_size(&t->base.pattern) && !t->by_links && c0 != 0.0; i++) {
        m->blocks.A1[i] += c0 * m->blocks.A0[i]; // else the product does it
    }
    flx_held_border(m, size, m->A);
    for (int k = 0; k < n; k++) {
        apply(t, w, c0, m->N + (size_t)k * (size_t)nv, m->AN);
        *null = k;
        double most = 0.0;
        for (int i = 0; i < size; i++) {
            double sum = 0.0;
            const double *row = m->N + (size_t)i * (size_t)nv;
            for (int j = 0; j < nv && i < n; j++) sum += row[j] * m->AN[j];
            if (i < n) m->A[size * i + k] = sum;
            most = fmax(most, fabs(m->A[size * i + k]));
        }
        if (!(most > 0.0)) return FLX_SINGULAR;
    }
    return flx_dense_lu(size, m->A, m->pivot) ? FLX_OK : FLX_SINGULAR;
}

flx_status flx_tree_massless_nulls(const flx_tree *t, flx_tree_work *w, const double *q)
{
    flx_tree_massless *m = w->massless;
    flx_tree_move(t, w, q, NULL, NULL);
    if (flx_pseudo_factor(&t->t, m->links, w->frames + 1) != m->nnull) return FLX_SINGULAR;
    for (int k = 0; k < m->nnull; k++) {
        flx_pseudo_solve(&t->t, m->links, w->frames + 1, NULL, k,
                         m->N + (size_t)k * (size_t)t->base.dims.nv);
    }
    return FLX_OK;
}

void flx_tree_massless_move(const flx_tree *t, flx_tree_work *w, const double *g, double *y)
{
    const flx_tree_massless *m = w->massless;
    flx_pseudo_solve(&t->t, m->links, w->frames + 1, g, -1, y);
    for (int k = 0; k < m->nnull; k++) {
        const double *N = m->N + (size_t)k * (size_t)t->base.dims.nv;
        double sum = 0.0;
        for (int i = 0; i < t->t.k.nv; i++) sum += N[i] * g[i];
        for (int i = 0; i < t->t.k.nv; i++) y[i] += sum * N[i];
    }
}

// (TREE-18) or (TREE-31) from momenta p; r is the residual there at v' = 0 without closures.
static flx_status find_velocities(const flx_tree *t, flx_tree_work *w, flx_state *x)
{
    flx_tree_massless *m = w->massless;
    const flx_link_frame *f = w->frames + 1;
    int nv = t->base.dims.nv, links = t->t.k.nv;
    double last = HUGE_VAL;
    FLX_TRY(flx_tree_massless_nulls(t, w, x->q));
    flx_point at = flx_state_point(&t->base, x), carried = flx_tree_carry(t, w, &at);
    FLX_TRY(flx_held_find(t, w, &carried));
    memset(x->lam, 0, (size_t)t->base.dims.nlam * sizeof *x->lam);
    memset(x->mu, 0, (size_t)t->base.dims.nmu * sizeof *x->mu);
    memset(m->held.eta, 0, (size_t)m->held.n * sizeof *m->held.eta);
    flx_pseudo_solve(&t->t, m->links, f, m->p, -1, x->v);
    for (int k = 0; k < m->nnull; k++) {
        for (int i = 0; i < links; i++)
            x->v[i] += m->s[k] * m->N[(size_t)k * (size_t)nv + (size_t)i];
    }
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        flx_point p = flx_state_point(&t->base, x);
        if (t->base.dims.nw > 0) {
            (void)flx_tree_carry(t, w, &p);
            FLX_TRY(flx_tree_find_algebraic(t, w, x));
        }
        FLX_TRY(flx_tree_residual(&t->base, &w->base, &p, m->r));
        memcpy(m->h, m->r, (size_t)nv * sizeof *m->h);
        for (int k = 0; k < m->nnull; k++) {
            m->e[k] = 0.0;
            for (int i = 0; i < nv; i++)
                m->e[k] -= m->N[(size_t)k * (size_t)nv + (size_t)i] * m->r[i];
            if (!isfinite(m->e[k])) return FLX_NOT_FINITE;
        }
        FLX_TRY(flx_held_rate(t, w, x));
        flx_held_subtract(m, m->e);
        for (int i = 0; i < t->base.dims.nx; i++) x->dx[i] -= m->r[nv + i];
        int null = 0;
        flx_status status = linearise_balance(t, w, &p, 0.0, &null);
        if (status == FLX_SINGULAR) return fail_balance(t, m, null);
        if (status != FLX_OK) return status;
        flx_dense_lu_solve(m->nnull + m->held.rank, m->A, m->pivot, m->e);
        for (int a = 0; a < m->held.rank; a++) m->held.eta[a] += m->e[m->nnull + a];
        double size = 0.0, most = 0.0;
        for (int k = 0; k < m->nnull; k++) {
            m->s[k] += m->e[k];
            size = fmax(size, fabs(m->e[k]));
            for (int i = 0; i < links; i++) {
                x->v[i] += m->e[k] * m->N[(size_t)k * (size_t)nv + (size_t)i];
            }
        }
        for (int i = 0; i < links; i++) most = fmax(most, fabs(x->v[i]));
        // at rest rounding of the forces is all that moves it
        if (!(size > ROUNDING * most) ||
            (size < STAGNATED * fmax(most, m->speed) && size > 0.5 * last))
            return FLX_OK;
        last = size;
    }
    return FLX_NO_CONVERGENCE;
}

// ---- life ---------------------------------------------------------------------------------------

void flx_tree_massless_destroy(flx_tree_massless **made)
{
    flx_tree_massless *m = *made;
    if (!m) return;
    flx_free(m->links);
    flx_free(m->null_link);
    flx_free(m->N);
    flx_free(m->blocks.A0);
    flx_free(m->q);
    flx_free(m);
    *made = NULL;
}

static void list_nulls(const flx_tree *t, flx_tree_massless *m)
{
    for (int i = 0, k = 0; i < t->t.k.n; i++) {
        for (int j = 0; j < m->links[i].nnull; j++) m->null_link[k++] = i;
    }
}

static flx_status make(const flx_tree *t, flx_tree_work *w, const double *q)
{
    flx_ctx *ctx = t->base.ctx;
    size_t nv = (size_t)t->base.dims.nv, n = (size_t)flx_dims_unknowns(&t->base.dims);
    flx_tree_massless *m = w->massless = flx_alloc(ctx, 1, sizeof *m);
    if (!m) return FLX_ERR_MEMORY;
    m->links = flx_alloc(ctx, (size_t)t->t.k.n, sizeof *m->links);
    if (!m->links) return FLX_ERR_MEMORY;
    flx_tree_move(t, w, q, NULL, NULL);
    size_t k = (size_t)(m->nnull = flx_pseudo_factor(&t->t, m->links, w->frames + 1));
    size_t values = flx_pattern_size(&t->base.pattern) + (size_t)t->base.pattern.extra;
    size_t rows = (size_t)flx_tree_rows(t), size = k + rows;
    flx_tree_held *h = &m->held;
    *h = (flx_tree_held){.n = (int)rows, .rank = rows > 0 ? -1 : 0};
    m->null_link = flx_alloc(ctx, k + size, sizeof *m->null_link);
    m->count =
        k * nv + 2 * n + size * size + size + k + 5 * nv + rows * k + 2 * rows * rows + 3 * rows;
    m->N = flx_alloc(ctx, m->count, sizeof *m->N);
    m->q = flx_alloc(ctx, (size_t)t->base.dims.nq, sizeof *m->q);
    m->blocks.A0 = flx_alloc(ctx, 3 * values, sizeof *m->blocks.A0);
    if (!m->null_link || !m->N || !m->q || !m->blocks.A0) return FLX_ERR_MEMORY;
    memcpy(m->q, q, (size_t)t->base.dims.nq * sizeof *m->q);
    m->pivot = m->null_link + k;
    m->AN = m->N + k * nv;
    m->A = m->AN + n;
    m->e = m->A + size * size;
    m->s = m->e + size;
    m->p = m->s + k;
    m->r = m->p + nv;
    m->h = m->r + n;
    m->tau = m->h + nv;
    m->unit = m->tau + nv;
    h->force = m->unit + nv;
    h->GN = h->force + nv;
    h->Q = h->GN + rows * k;
    h->S = h->Q + rows * rows;
    h->rows = h->S + rows * rows;
    h->eta = h->rows + rows;
    h->mu = h->eta + rows;
    m->blocks.A1 = m->blocks.A0 + values;
    m->blocks.A2 = m->blocks.A1 + values;
    list_nulls(t, m);
    m->speed = HUGE_VAL;
    for (int i = 0; i < t->t.k.nv; i++) {
        flx_unknown u;
        t->base.ops->unknown(&t->base, i, &u);
        m->speed = fmin(m->speed, u.scale > 0.0 ? u.scale : 1.0);
    }
    for (size_t i = 0; i < nv; i++) m->unit[i] = 1.0;
    flx_pseudo_units(&t->t, m->links, w->frames + 1, m->unit);
    return FLX_OK;
}

// Made again where it was made first, then given the numbers that it goes on from.
void flx_tree_massless_memory(const flx_tree *t, flx_tree_work *w, flx_memory *m)
{
    bool made = w->massless != NULL;
    FLX_PASS(m, made);
    if (flx_memory_loads(m)) flx_tree_massless_destroy(&w->massless);
    if (!made || m->status != FLX_OK) return;
    double *q = flx_memory_loads(m) ? flx_alloc(t->base.ctx, (size_t)t->base.dims.nq, sizeof *q)
                                    : w->massless->q;
    flx_status status = q ? FLX_OK : FLX_ERR_MEMORY;
    if (q) flx_memory_numbers(m, q, (size_t)t->base.dims.nq);
    if (flx_memory_loads(m)) {
        if (status == FLX_OK) status = make(t, w, q);
        flx_free(q);
    }
    if (status != FLX_OK) {
        flx_memory_fail(m, status);
        return;
    }
    FLX_PASS(m, w->massless->held.rank);
    flx_memory_numbers(m, w->massless->N, w->massless->count);
}

// ---- the form -----------------------------------------------------------------------------------

// Forces that are unknowns, and forces that read those of closures, are part of the balance in ways of their own.
static flx_status refuse(const flx_tree *t)
{
    const flx_descriptor *d = flx_tree_inner(t);
    const char *what =
        t->base.reads_multipliers
            ? "forces that read those of joints, such as friction, which determine its velocity "
              "and depend on it"
        : t->is_many    ? "so many closures"
        : d->ngroup > 0 ? "contacts that open and close, which determine its velocity "
                          "and depend on it"
                        : NULL;
    for (int i = 0; i < flx_tree_rows(t) && !what; i++) {
        if (d->rows[i].C > 0)
            what = "forces of 'form: mixed', which determine its velocity and depend on it";
    }
    // the recursion knows masses of links alone
    if (!what && t->model->nmodal > 0) what = "flexible bodies";
    if (!what) return FLX_OK;
    const flx_body *b = t->model->bodies + t->t.links[t->massless].body;
    flx_unknown u;
    t->base.ops->unknown(&t->base, t->t.links[t->massless].v, &u);
    return FLX_FAIL(t->base.ctx, FLX_ERR_CANNOT, b->loc,
                    "body '%s' and what hangs on it have no inertia along '%s' (%s); explicit "
                    "methods do not take that beside %s; use an implicit method (radau, bdf, "
                    "generalized-alpha)",
                    b->name, u.item, u.part, what);
}

static flx_status prepare(const flx_system *s, flx_work *work)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    FLX_TRY(refuse(t));
    if (s->dims.nw > 0)
        FLX_TRY(flx_saddle_prepare(flx_tree_inner(t), flx_descriptor_work_of(w->inner)));
    flx_status status = w->massless ? FLX_OK : make(t, w, t->t.drawn);
    if (status != FLX_OK) flx_tree_massless_destroy(&w->massless);
    if (status != FLX_OK || w->massless->nnull + flx_tree_rows(t) <= FLX_DENSE_LU_MOST)
        return status;
    return flx_tree_refuse_massless(s, false);
}

static void put_momenta(const flx_tree *t, flx_tree_work *w, const flx_state *x, double *z)
{
    flx_tree_massless *m = w->massless;
    find_momenta(t, w, x->q, x->v, m->tau);
    for (int i = 0; i < t->t.k.nv; i++) z[t->base.dims.nq + i] = m->tau[i] / m->unit[i];
    memcpy(z + t->base.dims.nq + t->t.k.nv, x->v + t->t.k.nv, (size_t)t->nvariable * sizeof *z);
}

// Momenta after flx_pack.
static flx_status fill(const flx_system *s, flx_work *work, const flx_state *x, double *z)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    FLX_TRY(prepare(s, work));
    put_momenta(t, w, x, z);
    return FLX_OK;
}

static void unpack(const flx_system *s, double time, const double *z, flx_state *x)
{
    const flx_dims *n = &s->dims;
    x->t = time;
    int links = flx_tree_of(s)->t.k.nv;
    memcpy(x->q, z, (size_t)n->nq * sizeof *z);
    memcpy(x->v + links, z + n->nq + links, (size_t)(n->nv - links) * sizeof *z);
    memcpy(x->x, z + n->nq + n->nv, (size_t)n->nx * sizeof *z);
    s->ops->components->normalise(s, x->q);
}

static flx_status rate(const flx_system *s, flx_work *work, double time, const double *z,
                       flx_state *x, double *dz)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    const flx_dims *n = &s->dims;
    FLX_TRY(prepare(s, work));
    flx_tree_massless *m = w->massless;
    unpack(s, time, z, x);
    memset(x->a, 0, (size_t)n->nv * sizeof *x->a);
    memset(x->dx, 0, (size_t)n->nx * sizeof *x->dx);
    int links = t->t.k.nv;
    for (int i = 0; i < links; i++) m->p[i] = z[n->nq + i] * m->unit[i];
    FLX_TRY(find_velocities(t, w, x));
    for (int i = 0; i < n->nv; i++) m->p[i] = -m->h[i]; // forces, without those of velocities
    if (t->nvariable > 0) {
        flx_point at = flx_state_point(s, x), carried = flx_tree_carry(t, w, &at);
        FLX_TRY(flx_tree_factor_masses(t, w, &carried));
    }
    FLX_TRY(flx_held_push(t, w, x, m->p));
    flx_linkage_inverse(&t->weightless, w->states, x->q, x->v, w->zero, NULL, m->tau);
    flx_point p = flx_state_point(s, x);
    (void)flx_tree_carry(t, w, &p); // velocities of the frames
    for (int i = 0; i < links; i++) m->tau[i] += m->p[i];
    flx_pseudo_transport(&t->t, m->links, w->frames + 1, m->tau);
    flx_pseudo_solve(&t->t, m->links, w->frames + 1, m->p, -1, x->a); // as if s stood still
    s->ops->components->rate(s, z, x->v, dz);
    for (int i = 0; i < links; i++) dz[n->nq + i] = m->tau[i] / m->unit[i];
    if (t->nvariable > 0) {
        flx_tree_move_variables(t, w, m->p + links, x->a);
        memcpy(dz + n->nq + links, x->a + links, (size_t)t->nvariable * sizeof *dz);
    }
    memcpy(dz + n->nq + n->nv, x->dx, (size_t)n->nx * sizeof *dz);
    for (int i = 0; i < flx_pack_size(s); i++) {
        if (!isfinite(dz[i])) return FLX_NOT_FINITE;
    }
    return FLX_OK;
}

static flx_status project(const flx_system *s, flx_work *work, double time, double *z, flx_state *x,
                          double *moved_q, double *moved_v)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    *moved_q = *moved_v = 0.0;
    unpack(s, time, z, x);
    if (flx_tree_rows(t) > 0) {
        FLX_TRY(prepare(s, work));
        flx_tree_massless *m = w->massless;
        FLX_TRY(flx_tree_project_positions(t, w, x, moved_q));
        for (int i = 0; i < t->t.k.nv; i++) m->p[i] = z[s->dims.nq + i] * m->unit[i];
        memset(x->a, 0, (size_t)s->dims.nv * sizeof *x->a);
        FLX_TRY(find_velocities(t, w, x));
        FLX_TRY(flx_tree_project_velocities(t, w, x, moved_v));
        put_momenta(t, w, x, z);
    }
    memcpy(z, x->q, (size_t)s->dims.nq * sizeof *z);
    return FLX_OK;
}

// Damping or stiffness along every direction without inertia: any of their sums is regular.
#define SOME_TIME 0.7318

flx_status flx_tree_check_massless(const flx_system *s, flx_work *work, const flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_status status = make(t, w, x->q);
    int null = 0;
    flx_point p = flx_state_point(s, x);
    if (status == FLX_OK && w->massless->nnull <= FLX_DENSE_LU_MOST) {
        status = flx_tree_massless_nulls(t, w, x->q);
        if (status == FLX_OK) status = linearise_balance(t, w, &p, SOME_TIME, &null);
    }
    flx_tree_massless_destroy(&w->massless);
    return status == FLX_SINGULAR ? flx_tree_refuse_massless(s, true) : status;
}

flx_status flx_tree_accelerate_massless(const flx_system *s, flx_work *work, flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    if (!w->massless) {
        flx_status status = make(t, w, x->q);
        if (status != FLX_OK) {
            flx_tree_massless_destroy(&w->massless);
            return status;
        }
    }
    flx_tree_massless *m = w->massless;
    memset(x->a, 0, (size_t)t->t.k.nv * sizeof *x->a); // those of variables stay
    flx_point p = flx_state_point(s, x);
    FLX_TRY(flx_tree_residual(s, work, &p, m->r));
    for (int i = 0; i < t->t.k.nv; i++) m->p[i] = -m->r[i];
    flx_tree_move(t, w, x->q, NULL, NULL);
    (void)flx_pseudo_factor(&t->t, m->links, w->frames + 1);
    flx_pseudo_solve(&t->t, m->links, w->frames + 1, m->p, -1, x->a);
    return FLX_OK;
}

const flx_explicit flx_tree_explicit_massless = {.size = flx_pack_size,
                                                 .prepare = prepare,
                                                 .pack = flx_pack,
                                                 .fill = fill,
                                                 .unpack = unpack,
                                                 .rate = rate,
                                                 .project = project};
