// tree_eval.c - residual, constraints and energy of the tree: those of the descriptor inside, carried over
// by (TREE-10) and (TREE-11).
#include "tree/tree_parts.h"

static void copy_variables(const flx_tree *t, const double *from, double *to)
{
    memcpy(to, from, (size_t)t->nvariable * sizeof *to);
}

// Whether the numbers are those of the last time, which they are after this.
static bool is_same(int n, const double *x, double *last)
{
    int i = 0;
    while (i < n && x[i] == last[i]) i++;
    if (i == n) return true;
    memcpy(last, x, (size_t)n * sizeof *last);
    return false;
}

// Where the bodies are is asked for again and again at the same point: by the residual, its tangent, what
// comes after a step. Motions are found once.
void flx_tree_move(const flx_tree *t, flx_tree_work *w, const double *q, const double *v,
                   const double *a)
{
    const flx_dims *n = &t->base.dims;
    const flx_descriptor *d = flx_tree_inner(t);
    flx_tree_moved *last = &w->moved;
    if (last->renewals != t->renewals) last->placed = false;
    last->renewals = t->renewals;
    if (!is_same(n->nq, q, last->q) || !last->placed) {
        flx_tree_place(&t->t, q, w->frames);
        flx_tree_positions(&t->t, &t->places, w->frames, w->body->q);
        copy_variables(t, q + t->t.k.nq, w->body->q + d->variable_q);
        last->has_v = last->has_a = false;
        last->placed = true;
    }
    if (v && (!is_same(n->nv, v, last->v) || !last->has_v)) {
        flx_tree_velocities(&t->t, &t->places, w->frames, v, w->body->v);
        copy_variables(t, v + t->t.k.nv, w->body->v + d->variable_v);
        last->has_a = false;
        last->has_v = true;
    }
    if (a && (!is_same(n->nv, a, last->a) || !last->has_a)) {
        flx_tree_accelerations(&t->t, &t->places, w->frames, v, a, w->body->a);
        copy_variables(t, a + t->t.k.nv, w->body->a + d->variable_v);
        last->has_a = true;
    }
}

flx_point flx_tree_carry(const flx_tree *t, flx_tree_work *w, const flx_point *p)
{
    flx_point b = *p;
    flx_tree_move(t, w, p->q, p->v, NULL);
    b.q = w->body->q;
    b.v = w->body->v;
    b.a = w->zero;
    if (!b.param) b.param = t->inner->param;
    return b;
}

flx_point flx_tree_carry_all(const flx_tree *t, flx_tree_work *w, const flx_point *p)
{
    flx_tree_move(t, w, p->q, p->v, p->a);
    flx_point b = flx_tree_carry(t, w, p);
    b.a = w->body->a;
    return b;
}

void flx_tree_pull(const flx_tree *t, flx_tree_work *w, const double *force, double *out)
{
    flx_tree_forces(&t->t, &t->places, w->frames, force, out);
    copy_variables(t, force + flx_tree_inner(t)->variable_v, out + t->t.k.nv);
    flx_tree_bend_forces(&t->t, w->frames, out);
}

flx_status flx_tree_residual(const flx_system *s, flx_work *work, const flx_point *p, double *r)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry_all(t, w, p);
    FLX_TRY(flx_eval_residual(t->inner, w->inner, &b, w->r));
    flx_tree_pull(t, w, w->r, r);
    int rest = flx_dims_unknowns(&s->dims) - s->dims.nv;
    memcpy(r + s->dims.nv, w->r + t->inner->dims.nv, (size_t)rest * sizeof *r);
    return FLX_OK;
}

flx_status flx_tree_constraint_rate(const flx_system *s, flx_work *work, const flx_point *p,
                                    double *gd)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    return flx_eval_constraint_rate(t->inner, w->inner, &b, gd);
}

flx_status flx_tree_constraint_force(const flx_system *s, flx_work *work, const flx_point *p,
                                     const double *eta, double *out)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    FLX_TRY(flx_eval_constraint_force(t->inner, w->inner, &b, eta, w->own));
    flx_tree_pull(t, w, w->own, out);
    return FLX_OK;
}

void flx_tree_take_row(const flx_descriptor *d, const double *A0, int row, double *out)
{
    const flx_pattern *p = &d->base.pattern;
    int u = flx_first_lam(d) + row, bi = d->block_of[u];
    memset(out, 0, (size_t)d->base.dims.nv * sizeof *out);
    if (d->rows[row].C > 0) return;
    for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
        int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
        if (j0 >= d->base.dims.nv) break;
        memcpy(out + j0, A0 + p->offset[e] + (u - p->start[bi]) * n, (size_t)n * sizeof *out);
    }
}

static double largest(int n, const double *x)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

// What is left of a row between bodies that the tree holds together is rounding.
#define ROUNDING 1e-13

void flx_tree_closures(const flx_tree *t, flx_tree_work *w, const flx_point *carried)
{
    const flx_descriptor *d = flx_tree_inner(t);
    int n = t->base.dims.nv;
    if (flx_tree_rows(t) == 0) return;
    flx_eval_saddle(d, flx_descriptor_work_of(w->inner), carried, w->A0, w->A2);
    for (int i = 0; i < flx_tree_rows(t); i++) {
        double *g = w->G + (size_t)n * (size_t)i;
        flx_tree_take_row(d, w->A0, i, w->own);
        flx_tree_pull(t, w, w->own, g);
        double least = ROUNDING * fmax(1.0, d->length) * largest(d->base.dims.nv, w->own);
        if (!(largest(n, g) > least)) memset(g, 0, (size_t)n * sizeof *g);
    }
}

void flx_tree_add_products(const flx_tree *t, flx_tree_work *w, const flx_point *carried,
                           const double *a_b, double *add)
{
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_pattern *p = &d->base.pattern;
    if (flx_tree_rows(t) == 0) return;
    if (carried) flx_eval_saddle(d, flx_descriptor_work_of(w->inner), carried, w->A0, w->A2);
    for (int i = 0; i < flx_tree_rows(t); i++) {
        int u = flx_first_lam(d) + i, bi = d->block_of[u];
        for (int e = p->row[bi]; e < p->row[bi + 1] && !(d->rows[i].C > 0); e++) {
            int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
            if (j0 >= d->base.dims.nv) break;
            const double *g = w->A0 + p->offset[e] + (u - p->start[bi]) * n;
            for (int k = 0; k < n; k++) add[i] += g[k] * a_b[j0 + k];
        }
    }
}

flx_status flx_tree_constraint_bias(const flx_system *s, flx_work *work, const flx_point *p,
                                    double *bias)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry(t, w, p);
    FLX_TRY(flx_eval_constraint_bias(t->inner, w->inner, &b, bias));
    flx_tree_move(t, w, p->q, p->v, w->zero);
    flx_tree_add_products(t, w, &b, w->body->a, bias);
    return FLX_OK;
}

flx_status flx_tree_energy(const flx_system *s, flx_work *work, const flx_point *p, flx_energies *e)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_point b = flx_tree_carry_all(t, w, p);
    return flx_eval_energy(t->inner, w->inner, &b, e);
}

void flx_tree_to_bodies(const flx_system *s, flx_work *work, const flx_state *x, flx_state *bodies)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    const flx_dims *n = &s->dims;
    const flx_dims *inner = &t->inner->dims;
    flx_tree_move(t, w, x->q, x->v, x->a);
    bodies->t = x->t;
    if (bodies != w->body) {
        memcpy(bodies->q, w->body->q, (size_t)inner->nq * sizeof *bodies->q);
        memcpy(bodies->v, w->body->v, (size_t)inner->nv * sizeof *bodies->v);
        memcpy(bodies->a, w->body->a, (size_t)inner->nv * sizeof *bodies->a);
    }
    memcpy(bodies->w, x->w, (size_t)n->nw * sizeof *x->w);
    memcpy(bodies->x, x->x, (size_t)n->nx * sizeof *x->x);
    memcpy(bodies->dx, x->dx, (size_t)n->nx * sizeof *x->dx);
    memcpy(bodies->switches, x->switches, (size_t)n->nswitch * sizeof *x->switches);
}

void flx_tree_accept(const flx_system *s, flx_work *work, flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    const flx_descriptor *d = flx_tree_inner(t);
    if (!flx_descriptor_watches(d)) return;
    flx_tree_to_bodies(s, work, x, w->body);
    memcpy(w->body->lam, x->lam, (size_t)s->dims.nlam * sizeof *x->lam);
    memcpy(w->body->mu, x->mu, (size_t)s->dims.nmu * sizeof *x->mu);
    flx_eval_accept(t->inner, w->inner, w->body);
    memcpy(x->switches, w->body->switches, (size_t)s->dims.nswitch * sizeof *x->switches);
}

double flx_tree_longest_step(const flx_system *s, flx_work *work, const flx_state *x)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    if (!flx_descriptor_watches(flx_tree_inner(t))) return HUGE_VAL;
    flx_tree_to_bodies(s, work, x, w->body);
    return flx_eval_longest_step(t->inner, w->inner, w->body);
}
