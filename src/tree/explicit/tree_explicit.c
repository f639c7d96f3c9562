// tree_explicit.c - z' = F(t, z) with z = (q, v, x): forward dynamics by articulated bodies, closures
// by multipliers on acceleration level.
//
//     a = a_0 - Y lam,   Y = M^-1 G^T,   (G Y) lam = G a_0 + bias                  (TREE-12)
// a_0 and every column of Y is one forward dynamics; the mass matrix is not formed. The same S = G Y
// moves positions and velocities back to the closures:
//     theta = -Y S^-1 g,   dv = -Y S^-1 (G v + g_t)                               (TREE-13)
#include "math/dense.h"
#include "system/pack.h"
#include "tree/explicit/tree_massless.h"
#include "tree/recursion/tree_elastic.h"

#include <float.h>

// ---- q' = T(q) v --------------------------------------------------------------------------------

// Links other than balls have as many rates as coordinates.
static void position_rate(const flx_system *s, const double *q, const double *v, double *dq)
{
    const flx_tree_links *t = &flx_tree_of(s)->t;
    for (int i = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        if (l->kind == FLX_LINK_BALL) {
            const double *w = v + l->v;
            quat half = {0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};
            quat_store(dq + l->q, quat_mul(quat_load(q + l->q), half));
            continue;
        }
        int n = flx_link_freedom(l->kind, t->k.planar);
        memcpy(dq + l->q, v + l->v, (size_t)n * sizeof *dq);
    }
    for (int i = t->k.nv, k = t->k.nq; i < s->dims.nv; i++, k++) dq[k] = v[i];
}

static void position_velocity(const flx_system *s, const double *q, const double *dq, double *v)
{
    const flx_tree_links *t = &flx_tree_of(s)->t;
    for (int i = 0; i < t->k.n; i++) {
        const flx_link *l = t->links + i;
        if (l->kind == FLX_LINK_BALL) {
            quat a = quat_load(q + l->q);
            double norm2 = a.w * a.w + a.x * a.x + a.y * a.y + a.z * a.z;
            quat w = quat_mul(quat_conj(a), quat_load(dq + l->q));
            v3_store(v + l->v, v3_scale(2.0 / norm2, v3_make(w.x, w.y, w.z)));
            continue;
        }
        int n = flx_link_freedom(l->kind, t->k.planar);
        memcpy(v + l->v, dq + l->q, (size_t)n * sizeof *v);
    }
    for (int i = t->k.nv, k = t->k.nq; i < s->dims.nv; i++, k++) v[i] = dq[k];
}

static void normalise(const flx_system *s, double *q)
{
    const flx_tree_links *t = &flx_tree_of(s)->t;
    for (int i = 0; i < t->k.n; i++) {
        if (t->links[i].kind != FLX_LINK_BALL) continue;
        double *p = q + t->links[i].q;
        quat_store(p, quat_unit(quat_load(p)));
    }
}

const flx_components flx_tree_components = {
    .rate = position_rate, .velocity = position_velocity, .normalise = normalise};

// ---- closures -----------------------------------------------------------------------------------

// Rows of which less is left beside others (as a square) depend on them.
#define DEPENDENT 1e-13

static bool gives_way(const flx_tree *t, int row, const double *switches)
{
    return flx_row_gives(flx_tree_inner(t), row, switches);
}

// ---- variables ----------------------------------------------------------------------------------

// Coordinates of elastic bodies are the last.
static int count_own(const flx_tree *t)
{
    return t->nvariable - t->model->nmode;
}

// Their masses, factored; the bodies have none of them. At the point of the last saddle.
static flx_status factor_masses(const flx_tree *t, flx_tree_work *w)
{
    const flx_descriptor *d = flx_tree_inner(t);
    int n = count_own(t);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            int row = d->variable_v + i, col = d->variable_v + j;
            bool none = flx_layout_entry(d, d->block_of[row], d->block_of[col]) < 0;
            w->masses[n * i + j] = none ? 0.0 : w->A2[flx_layout_slot(d, row, col)];
        }
    }
    for (int i = 0; i < n; i++) {
        if (w->masses[n * i + i] > 0.0) continue;
        const flx_variable *v = t->model->variables + i;
        return FLX_FAIL(
            t->base.ctx, FLX_ERR_CANNOT, v->loc,
            "'%s' has no mass, so that its acceleration is not determined, which explicit "
            "methods and joint coordinates need; use radau or generalized-alpha with "
            "`formulation: index-3`",
            v->name);
    }
    return flx_dense_cholesky(n, w->masses, DEPENDENT) ? FLX_OK : FLX_SINGULAR;
}

flx_status flx_tree_factor_masses(const flx_tree *t, flx_tree_work *w, const flx_point *carried)
{
    flx_eval_masses(flx_tree_inner(t), flx_descriptor_work_of(w->inner), carried, w->A2);
    return factor_masses(t, w);
}

void flx_tree_move_variables(const flx_tree *t, flx_tree_work *w, const double *force, double *a)
{
    int n = count_own(t);
    if (n == 0) return;
    memmove(a + t->t.k.nv, force, (size_t)n * sizeof *a);
    flx_dense_cholesky_solve(n, w->masses, a + t->t.k.nv, 1);
}

// y = M^-1 g, at these positions, which are placed and of the last saddle; elastic bodies are factored.
static void move_by(const flx_tree *t, flx_tree_work *w, const double *q, const double *g,
                    double *y)
{
    if (w->elastic) {
        flx_tree_elastic_solve(t, w, g, y);
    } else if (t->massless >= 0) {
        flx_tree_massless_move(t, w, g, y);
    } else {
        (void)flx_linkage_forward(&t->weightless, w->states, q, w->zero, g, NULL, y);
    }
    flx_tree_move_variables(t, w, g + t->t.k.nv, y);
}

// Y and the factor of S from G, at these positions. factored: elastic bodies are, there.
static flx_status factor_closures(const flx_tree *t, flx_tree_work *w, const flx_state *x,
                                  bool factored)
{
    int n = flx_tree_rows(t), nv = t->base.dims.nv;
    if (w->elastic && !factored && flx_tree_elastic_factor(t, w, w->A2) != -1) return FLX_SINGULAR;
    if (t->massless >= 0) FLX_TRY(flx_tree_massless_nulls(t, w, x->q));
    for (int i = 0; i < n; i++) {
        const double *g = w->G + (size_t)nv * (size_t)i;
        double *y = w->Y + (size_t)nv * (size_t)i;
        move_by(t, w, x->q, g, y);
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            const double *other = w->G + (size_t)nv * (size_t)j;
            for (int k = 0; k < nv; k++) sum += other[k] * y[k];
            w->S[n * i + j] = w->S[n * j + i] = sum;
        }
        if (gives_way(t, i, x->switches)) w->S[n * i + i] = 1.0; // cut off
    }
    return flx_dense_cholesky(n, w->S, DEPENDENT) ? FLX_OK : FLX_SINGULAR;
}

// out -= Y b
static void subtract_motion(const flx_tree *t, const flx_tree_work *w, const double *b, double *out)
{
    int nv = t->base.dims.nv;
    for (int i = 0; i < flx_tree_rows(t); i++) {
        const double *y = w->Y + (size_t)nv * (size_t)i;
        for (int k = 0; k < nv; k++) out[k] -= b[i] * y[k];
    }
}

// ---- accelerations ------------------------------------------------------------------------------

// What acts on the bodies, their inertia and weight apart: own.
static void split_forces(const flx_tree *t, flx_tree_work *w, const flx_point *b)
{
    const flx_descriptor *d = flx_tree_inner(t);
    flx_bodies_residual(d, t->model->gravity, b->v, w->zero, w->own);
    memset(w->own + d->variable_v, 0, (size_t)t->nvariable * sizeof *w->own);
    for (int i = 0; i < d->base.dims.nv; i++) w->own[i] -= w->r[i];
    // of nodes of solids: links weigh what their masses do
    for (int i = 0; i < t->model->nbody; i++) {
        double over = t->model->bodies[i].overweight;
        for (int k = 0; over != 0.0 && k < d->body_nv[i]; k++) {
            w->own[d->body_v[i] + k] += over * t->model->gravity[k];
        }
    }
}

static flx_status forces(const flx_tree *t, flx_tree_work *w, flx_point *b, flx_state *x)
{
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_dims *n = &t->base.dims;
    bool any = false;
    FLX_TRY(flx_eval_residual(t->inner, w->inner, b, w->r));
    for (int i = 0; i < flx_tree_rows(t); i++) { // (EXP-1): these know their own
        if (!(d->rows[i].C > 0)) continue;
        *(i < n->nlam ? &x->lam[i] : &x->mu[i - n->nlam]) =
            w->r[flx_first_lam(d) + i] / d->rows[i].C;
        any = true;
    }
    if (any) {
        (void)flx_contacts_give(d, flx_descriptor_work_of(w->inner), b, x->lam);
        FLX_TRY(flx_eval_residual(t->inner, w->inner, b, w->r));
    }
    for (int i = 0; i < n->nx; i++) x->dx[i] = -w->r[d->base.dims.nv + i];
    if (w->elastic) return FLX_OK;
    split_forces(t, w, b);
    flx_tree_wrenches(&t->t, &t->places, w->frames, w->own, w->ext);
    return FLX_OK;
}

// (TREE-12) from the accelerations without closures.
static flx_status close_accelerations(const flx_tree *t, flx_tree_work *w, const flx_point *b,
                                      flx_state *x)
{
    const flx_dims *n = &t->base.dims;
    const flx_descriptor *d = flx_tree_inner(t);
    int rows = flx_tree_rows(t);
    FLX_TRY(flx_eval_constraint_bias(t->inner, w->inner, b, w->rhs));
    flx_tree_move(t, w, x->q, x->v, x->a);
    if (!t->is_many) flx_tree_closures(t, w, b);
    flx_tree_add_products(t, w, t->is_many ? b : NULL, w->body->a, w->rhs);
    for (int i = 0; i < rows; i++) {
        if (gives_way(t, i, x->switches)) w->rhs[i] = 0.0;
    }
    if (t->is_many) {
        FLX_TRY(flx_tree_many_factor(t, w, x));
        const double *step = flx_tree_many_solve(t, w);
        for (int i = 0; i < n->nv; i++) x->a[i] += step[i];
    } else {
        FLX_TRY(factor_closures(t, w, x, true));
        flx_dense_cholesky_solve(rows, w->S, w->rhs, 1);
        subtract_motion(t, w, w->rhs, x->a);
    }
    for (int i = 0; i < rows; i++) {
        if (!(d->rows[i].C > 0)) *(i < n->nlam ? &x->lam[i] : &x->mu[i - n->nlam]) = w->rhs[i];
    }
    return FLX_OK;
}

// In the state of the bodies, whose places are there.
flx_status flx_tree_find_algebraic(const flx_tree *t, flx_tree_work *w, flx_state *x)
{
    const flx_dims *n = &t->base.dims;
    flx_state *b = w->body;
    b->t = x->t;
    memcpy(b->x, x->x, (size_t)n->nx * sizeof *x->x);
    memcpy(b->w, x->w, (size_t)n->nw * sizeof *x->w);
    memcpy(b->switches, x->switches, (size_t)n->nswitch * sizeof *x->switches);
    memset(b->a, 0, (size_t)t->inner->dims.nv * sizeof *b->a);
    w->moved.has_a = false;
    memset(b->dx, 0, (size_t)n->nx * sizeof *b->dx);
    memset(b->lam, 0, (size_t)n->nlam * sizeof *b->lam);
    memset(b->mu, 0, (size_t)n->nmu * sizeof *b->mu);
    FLX_TRY(flx_eval_algebraic(flx_tree_inner(t), flx_descriptor_work_of(w->inner), b));
    memcpy(x->w, b->w, (size_t)n->nw * sizeof *x->w);
    return FLX_OK;
}

// What accelerations need besides; made once.
static flx_status make_ready(const flx_tree *t, flx_tree_work *w)
{
    if (t->base.dims.nw > 0)
        FLX_TRY(flx_saddle_prepare(flx_tree_inner(t), flx_descriptor_work_of(w->inner)));
    if (t->is_many && !w->many) FLX_TRY(flx_tree_many_create(t, &w->many));
    if (!t->base.reads_multipliers || w->together) return FLX_OK;
    return flx_index1_create(&t->base, &w->together);
}

// From the residual of the bodies at no accelerations of joints and coordinates.
static flx_status accelerate_elastic(const flx_tree *t, flx_tree_work *w, double *a)
{
    int nv = t->base.dims.nv;
    if (flx_tree_elastic_factor(t, w, w->A2) != -1) return FLX_SINGULAR;
    flx_tree_pull(t, w, w->r, w->free_a);
    for (int i = 0; i < nv; i++) w->free_a[i] = -w->free_a[i];
    flx_tree_elastic_solve(t, w, w->free_a, a);
    flx_tree_move_variables(t, w, w->free_a + t->t.k.nv, a);
    return FLX_OK;
}

static flx_status accelerate(const flx_tree *t, flx_tree_work *w, flx_state *x)
{
    FLX_TRY(make_ready(t, w));
    const flx_dims *n = &t->base.dims;
    flx_point p = flx_state_point(&t->base, x), b = p;
    const double *ext = NULL;
    if (!t->bare) {
        memset(x->lam, 0, (size_t)n->nlam * sizeof *x->lam);
        memset(x->mu, 0, (size_t)n->nmu * sizeof *x->mu);
        memset(x->dx, 0, (size_t)n->nx * sizeof *x->dx);
        b = flx_tree_carry(t, w, &p);
        if (n->nw > 0) FLX_TRY(flx_tree_find_algebraic(t, w, x));
        if (w->elastic) { // the residual at no accelerations of joints and coordinates
            flx_tree_move(t, w, x->q, x->v, w->zero);
            b.a = w->body->a;
        }
        FLX_TRY(forces(t, w, &b, x));
        ext = w->ext;
    }
    if (t->nvariable > 0) {
        FLX_TRY(flx_tree_factor_masses(t, w, &b));
        if (!w->elastic) {
            flx_tree_move_variables(t, w, w->own + flx_tree_inner(t)->variable_v, x->a);
        }
    }
    if (w->elastic) {
        FLX_TRY(accelerate_elastic(t, w, x->a));
    } else if (flx_linkage_forward(&t->t.k, w->states, x->q, x->v, NULL, ext, x->a) >= 0) {
        return FLX_SINGULAR;
    }
    if (flx_tree_rows(t) > 0) FLX_TRY(close_accelerations(t, w, &b, x));
    if (!w->together) return FLX_OK;
    long evaluations = 0; // the method counts its own
    return flx_index1_solve(w->together, &w->base, x, &evaluations, &evaluations);
}

// ---- projection ---------------------------------------------------------------------------------

#define MOST_PROJECTIONS 10
// Closures are met to rounding: some additions of coordinates of the size of the mechanism.
#define CLOSED (32 * DBL_EPSILON)
#define NEARLY_CLOSED 1e-11

// rhs from rows; returns the largest, scaled. Rows that hold rates only have no say about positions.
static double take_rows(const flx_tree *t, flx_tree_work *w, const double *switches,
                        const double *rows, bool positions)
{
    const flx_descriptor *d = flx_tree_inner(t);
    double most = 0.0;
    for (int i = 0; i < flx_tree_rows(t); i++) {
        const flx_row_info *r = d->rows + i;
        bool out =
            gives_way(t, i, switches) || (positions && (i >= t->base.dims.nlam || r->tau > 0));
        w->rhs[i] = out ? 0.0 : rows[i];
        if (!isfinite(w->rhs[i])) return HUGE_VAL;
        most = fmax(most, fabs(w->rhs[i]) / (r->metres ? d->length : 1.0));
    }
    return most;
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// The step that returns to the closures, from the rows in rhs: the least one in the metric of the masses, or
// one of the dependent coordinates alone.
static flx_status factor_step(const flx_tree *t, flx_tree_work *w, const flx_state *x,
                              const flx_point *carried, bool positions)
{
    if (t->is_many) return flx_tree_many_factor(t, w, x);
    flx_tree_closures(t, w, carried);
    if (t->nvariable > 0) FLX_TRY(factor_masses(t, w));
    return t->partitions ? flx_partition_factor(t, w, positions) : factor_closures(t, w, x, false);
}

static void find_step(const flx_tree *t, flx_tree_work *w)
{
    if (t->is_many) {
        memcpy(w->free_a, flx_tree_many_solve(t, w), (size_t)t->base.dims.nv * sizeof *w->free_a);
        return;
    }
    if (t->partitions) {
        flx_partition_solve(t, w);
        return;
    }
    flx_dense_cholesky_solve(flx_tree_rows(t), w->S, w->rhs, 1);
    memset(w->free_a, 0, (size_t)t->base.dims.nv * sizeof *w->free_a);
    subtract_motion(t, w, w->rhs, w->free_a);
}

flx_status flx_tree_project_positions(const flx_tree *t, flx_tree_work *w, flx_state *x,
                                      double *moved)
{
    const flx_system *s = &t->base;
    const flx_descriptor *d = flx_tree_inner(t);
    double last = HUGE_VAL;
    for (int i = 0; i < MOST_PROJECTIONS; i++) {
        flx_point p = flx_state_point(s, x), b = flx_tree_carry(t, w, &p);
        b.lam = b.mu = b.dx = w->zero;
        flx_eval_constraints(d, flx_descriptor_work_of(w->inner), &b, w->r);
        double off = take_rows(t, w, x->switches, w->r + flx_first_lam(d), true);
        if (off == HUGE_VAL) return FLX_NOT_FINITE;
        if (off <= CLOSED || (off < NEARLY_CLOSED && off > 0.5 * last)) return FLX_OK;
        last = off;
        FLX_TRY(factor_step(t, w, x, &b, true));
        find_step(t, w);
        *moved += largest(s->dims.nv, w->free_a);
        s->ops->retract(s, x->q, w->free_a, x->q);
    }
    return last < 1e-9 ? FLX_OK : FLX_NO_CONVERGENCE;
}

flx_status flx_tree_project_velocities(const flx_tree *t, flx_tree_work *w, flx_state *x,
                                       double *moved)
{
    const flx_system *s = &t->base;
    const flx_descriptor *d = flx_tree_inner(t);
    double last = HUGE_VAL;
    bool factored = false;
    for (int i = 0; i < MOST_PROJECTIONS; i++) {
        flx_point p = flx_state_point(s, x), b = flx_tree_carry(t, w, &p);
        b.lam = b.mu = b.dx = w->zero;
        flx_eval_constraints(d, flx_descriptor_work_of(w->inner), &b, w->r);
        FLX_TRY(flx_eval_constraint_rate(t->inner, w->inner, &b, w->rows));
        memcpy(w->rows + s->dims.nlam, w->r + flx_first_mu(d),
               (size_t)s->dims.nmu * sizeof *w->rows);
        double off = take_rows(t, w, x->switches, w->rows, false);
        double closed = CLOSED * (1.0 + largest(s->dims.nv, x->v));
        if (off == HUGE_VAL) return FLX_NOT_FINITE;
        if (off <= closed || off > 0.5 * last) return FLX_OK;
        last = off;
        if (!factored) {
            FLX_TRY(factor_step(t, w, x, &b, false));
            factored = true;
        }
        find_step(t, w);
        *moved += largest(s->dims.nv, w->free_a);
        for (int k = 0; k < s->dims.nv; k++) x->v[k] += w->free_a[k];
    }
    return FLX_OK;
}

// The dependent coordinates of z are where the search for them begins.
static flx_status rate(const flx_system *s, flx_work *work, double time, const double *z,
                       flx_state *x, double *dz)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    double moved = 0.0;
    flx_unpack(s, time, z, x);
    if (t->partitions && flx_tree_rows(t) > 0) {
        FLX_TRY(flx_tree_project_positions(t, w, x, &moved));
        FLX_TRY(flx_tree_project_velocities(t, w, x, &moved));
    }
    FLX_TRY(accelerate(t, w, x));
    return flx_pack_rate(s, x, z, dz);
}

static flx_status review_partition(const flx_tree *t, flx_tree_work *w, const flx_state *x)
{
    flx_point p = flx_state_point(&t->base, x), b = flx_tree_carry(t, w, &p);
    flx_tree_closures(t, w, &b);
    return flx_partition_review(t, w);
}

static flx_status project(const flx_system *s, flx_work *work, double time, double *z, flx_state *x,
                          double *moved_q, double *moved_v)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    *moved_q = *moved_v = 0.0;
    flx_unpack(s, time, z, x);
    if (flx_tree_rows(t) > 0) {
        FLX_TRY(make_ready(t, w));
        if (t->partitions) FLX_TRY(review_partition(t, w, x));
        FLX_TRY(flx_tree_project_positions(t, w, x, moved_q));
        FLX_TRY(flx_tree_project_velocities(t, w, x, moved_v));
    }
    flx_pack(s, x, z);
    return FLX_OK;
}

static flx_status prepare(const flx_system *s, flx_work *work)
{
    return make_ready(flx_tree_of(s), flx_tree_work_of(work));
}

static int worst(const flx_system *s, const flx_work *work)
{
    const flx_tree_work *w = (const flx_tree_work *)(const void *)work;
    (void)s;
    return w->together ? flx_index1_worst(w->together) : -1;
}

const flx_explicit flx_tree_explicit = {.size = flx_pack_size,
                                        .prepare = prepare,
                                        .pack = flx_pack,
                                        .unpack = flx_unpack,
                                        .rate = rate,
                                        .project = project,
                                        .worst = worst};
