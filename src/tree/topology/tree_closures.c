// tree_closures.c - rows of closures along the joints of their paths, as they are at the start: which of them depend on
// the others, and how far they reach.
//
// A row is a force on each of its bodies; from there it goes inwards by (TREE-10), to where its paths end (TRN-6). What
// is found of a row costs what its paths are long, however many others there are.
#include "tree/recursion/tree_frames.h"
#include "tree/tree_parts.h"

#include <stdlib.h>

// Forces that cancel leave less.
#define ROUNDING 1e-13

typedef struct row {  // numbers along velocities
    int n, room, *at; // owned
    double *value;    // owned
    int value_room;
} row;

typedef struct closures {
    const flx_tree *t;
    flx_work *work; // owned
    int nlink;
    int *links; // (links) owned: those of the row at hand, descending; then:
    int *mark;  // (links)
} closures;

static void close_all(closures *c)
{
    flx_tree_work_destroy(c->work);
    flx_free(c->links);
}

static flx_status open_at(const flx_tree *t, const flx_state *x, closures *c)
{
    size_t n = (size_t)t->t.k.n;
    *c = (closures){.t = t};
    c->work = flx_tree_work_create(&t->base);
    c->links = flx_alloc(t->base.ctx, 2 * n, sizeof *c->links);
    if (!c->work || !c->links) {
        close_all(c);
        return FLX_ERR_MEMORY;
    }
    c->mark = c->links + n;
    for (size_t i = 0; i < n; i++) c->mark[i] = -1;
    flx_tree_work *w = flx_tree_work_of(c->work);
    flx_point p = flx_state_point(&t->base, x), b = flx_tree_carry(t, w, &p);
    flx_eval_saddle(flx_tree_inner(t), flx_descriptor_work_of(w->inner), &b, w->A0, w->A2);
    return FLX_OK;
}

static int descend(const void *a, const void *b)
{
    const int *x = a, *y = b;
    return (*x < *y) - (*x > *y);
}

// The links on the paths of a row; where paths are not known, all of them.
static void list_way(closures *c, int i)
{
    const flx_tree *t = c->t;
    const flx_tree_fronts *f = &t->fronts;
    c->nlink = 0;
    if (!f->met || t->model->nmodal > 0) {
        for (int k = t->t.k.n - 1; k >= 0; k--) c->links[c->nlink++] = k;
        return;
    }
    int other = f->nother - flx_tree_rows(t) + i;
    for (int e = f->met[other]; e < f->met[other + 1]; e++) {
        int k = f->rows[f->meetings[e]].link;
        for (; k != f->until[other] && c->mark[k] != i; k = t->t.links[k].parent) {
            c->mark[k] = i;
            c->links[c->nlink++] = k;
        }
    }
    qsort(c->links, (size_t)c->nlink, sizeof *c->links, descend);
}

// Moment and force of a row on the links of its paths, with all that is outboard; returns its largest number.
static double load_way(closures *c, int i)
{
    const flx_tree *t = c->t;
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_pattern *p = &d->base.pattern;
    flx_tree_work *w = flx_tree_work_of(c->work);
    flx_link_frame *f = w->frames + 1;
    int u = flx_first_lam(d) + i, bi = d->block_of[u];
    double most = 0.0;
    list_way(c, i);
    for (int k = 0; k < c->nlink; k++) f[c->links[k]].n = f[c->links[k]].f = v3_make(0, 0, 0);
    for (int e = p->row[bi]; e < p->row[bi + 1] && !(d->rows[i].C > 0); e++) {
        int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
        if (p->col[e] >= t->places.n) break; // blocks of bodies are the first
        const double *g = w->A0 + p->offset[e] + (u - p->start[bi]) * n;
        for (int k = 0; k < n; k++) most = fmax(most, fabs(g[k]));
        flx_tree_add_load(&t->t, &t->places, w->frames, p->col[e], g);
    }
    for (int k = 0; k < c->nlink; k++) {
        const flx_link_frame *from = f + c->links[k];
        flx_link_frame *to = f + t->t.links[c->links[k]].parent;
        to->f = v3_add(to->f, from->f);
        to->n = v3_add(to->n, v3_add(from->n, v3_cross(v3_sub(from->p, to->p), from->f)));
    }
    return most;
}

static flx_status put(flx_ctx *ctx, row *r, int at, double value)
{
    FLX_TRY(flx_grow(ctx, (void **)&r->at, &r->room, r->n + 1, sizeof *r->at));
    FLX_TRY(flx_grow(ctx, (void **)&r->value, &r->value_room, r->n + 1, sizeof *r->value));
    r->at[r->n] = at;
    r->value[r->n++] = value;
    return FLX_OK;
}

// Along the variables that a row knows.
static flx_status put_variables(const closures *c, int i, row *r)
{
    const flx_tree *t = c->t;
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_pattern *p = &d->base.pattern;
    const flx_tree_work *w = flx_tree_work_of(c->work);
    int u = flx_first_lam(d) + i, bi = d->block_of[u];
    for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
        int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
        if (j0 < d->variable_v) continue;
        if (j0 >= d->base.dims.nv) break;
        const double *g = w->A0 + p->offset[e] + (u - p->start[bi]) * n;
        for (int k = 0; k < n; k++) {
            if (g[k] != 0.0) FLX_TRY(put(t->base.ctx, r, j0 + k - flx_tree_shift(t), g[k]));
        }
    }
    return FLX_OK;
}

// What elastic bodies make of it as well: all of the row.
static flx_status take_all(const closures *c, int i, row *r)
{
    const flx_tree *t = c->t;
    flx_tree_work *w = flx_tree_work_of(c->work);
    flx_tree_take_row(flx_tree_inner(t), w->A0, i, w->own);
    flx_tree_pull(t, w, w->own, w->free_a);
    for (int k = 0; k < t->base.dims.nv; k++) {
        if (w->free_a[k] != 0.0) FLX_TRY(put(t->base.ctx, r, k, w->free_a[k]));
    }
    return FLX_OK;
}

// A row along the joints, with velocities descending; none where bodies are held together by the tree already.
static flx_status take_row(closures *c, int i, row *r)
{
    const flx_tree *t = c->t;
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_tree_work *w = flx_tree_work_of(c->work);
    double size = load_way(c, i), most = 0.0;
    r->n = 0;
    if (d->rows[i].C > 0) return FLX_OK;
    if (t->model->nmodal > 0) {
        FLX_TRY(take_all(c, i, r));
    } else {
        FLX_TRY(put_variables(c, i, r));
    }
    for (int k = 0; k < c->nlink && t->model->nmodal == 0; k++) {
        const flx_link *l = t->t.links + c->links[k];
        const flx_link_frame *f = w->frames + 1 + c->links[k];
        const wrench own = {m33_tmul_v(f->R, f->n), m33_tmul_v(f->R, f->f)};
        double tau[3] = {0, 0, 0};
        flx_tree_restrict(&t->t.k, l, own, tau);
        for (int j = flx_link_freedom(l->kind, t->t.k.planar) - 1; j >= 0; j--) {
            if (tau[j] != 0.0) FLX_TRY(put(t->base.ctx, r, l->v + j, tau[j]));
        }
    }
    for (int k = 0; k < r->n; k++) most = fmax(most, fabs(r->value[k]));
    if (!(most > ROUNDING * fmax(1.0, d->length) * size)) r->n = 0;
    return FLX_OK;
}

// ---- rows that depend on others -----------------------------------------------------------------

typedef struct offer { // what is left of a row, of its size; not more than
    double rest;
    int row;
} offer;

typedef struct weighing {
    flx_ctx *ctx; // borrowed
    int n;
    row *rows;       // (n) owned
    double *size;    // (n) owned: squares; then:
    double *norm;    // (n) of what is left
    double *along;   // (nv) zeros between uses
    signed char *in; // (n) owned: 1 a candidate, 0 not
    int *mark;       // (n) owned
    row *through;    // (nv) owned: rows that know each velocity
    offer *heap;     // (n) owned
    int left;
} weighing;

static double norm_of(const row *r)
{
    double sum = 0.0;
    for (int k = 0; k < r->n; k++) sum += r->value[k] * r->value[k];
    return sum;
}

static double rest_of(const weighing *x, int i)
{
    return x->size[i] > 0.0 ? x->norm[i] / x->size[i] : 0.0;
}

static bool is_more(offer a, offer b)
{
    return a.rest > b.rest || (a.rest == b.rest && a.row < b.row);
}

static void sink(weighing *x, int i)
{
    offer o = x->heap[i];
    for (int k; (k = 2 * i + 1) < x->left; i = k) {
        if (k + 1 < x->left && is_more(x->heap[k + 1], x->heap[k])) k++;
        if (!is_more(x->heap[k], o)) break;
        x->heap[i] = x->heap[k];
    }
    x->heap[i] = o;
}

// The row of which most is left, which is a candidate no more; rests only shrink.
static int take_strongest(weighing *x)
{
    while (rest_of(x, x->heap[0].row) < x->heap[0].rest) {
        x->heap[0].rest = rest_of(x, x->heap[0].row);
        sink(x, 0);
    }
    int best = x->heap[0].row;
    x->heap[0] = x->heap[--x->left];
    sink(x, 0);
    x->in[best] = 0;
    return best;
}

// g -= (g.b / b.b) b, with b in `along`.
static flx_status take_out(weighing *x, int i, const row *b, double norm)
{
    row *g = x->rows + i;
    double sum = 0.0;
    for (int k = 0; k < g->n; k++) sum += g->value[k] * x->along[g->at[k]];
    if (sum == 0.0) return FLX_OK;
    for (int k = 0; k < g->n; k++) {
        double *own = x->along + g->at[k];
        g->value[k] -= sum / norm * *own;
        *own = 0.0; // done
    }
    for (int k = 0; k < b->n; k++) {
        if (x->along[b->at[k]] != 0.0) {
            FLX_TRY(put(x->ctx, g, b->at[k], -sum / norm * b->value[k]));
            FLX_TRY(put(x->ctx, x->through + b->at[k], i, 0.0));
        }
        x->along[b->at[k]] = b->value[k];
    }
    x->norm[i] = norm_of(g);
    return FLX_OK;
}

// Takes a row out of all candidates that share a velocity with it.
static flx_status take_out_of_others(weighing *x, int best)
{
    const row *b = x->rows + best;
    double norm = norm_of(b);
    flx_status status = FLX_OK;
    for (int k = 0; k < b->n; k++) x->along[b->at[k]] = b->value[k];
    for (int k = 0; k < b->n && status == FLX_OK; k++) {
        for (int e = 0; e < x->through[b->at[k]].n && status == FLX_OK; e++) {
            int i = x->through[b->at[k]].at[e];
            if (!x->in[i] || x->mark[i] == best) continue;
            x->mark[i] = best;
            status = take_out(x, i, b, norm);
        }
    }
    for (int k = 0; k < b->n; k++) x->along[b->at[k]] = 0.0;
    return status;
}

static void clear_weighing(weighing *x, int nv)
{
    for (int i = 0; x->rows && i < x->n; i++) flx_free(x->rows[i].at), flx_free(x->rows[i].value);
    for (int i = 0; x->through && i < nv; i++) {
        flx_free(x->through[i].at), flx_free(x->through[i].value);
    }
    flx_free(x->rows);
    flx_free(x->through);
    flx_free(x->size);
    flx_free(x->in);
    flx_free(x->mark);
    flx_free(x->heap);
}

static flx_status fill_weighing(closures *c, weighing *x)
{
    const flx_descriptor *d = flx_tree_inner(c->t);
    for (int i = 0; i < x->n; i++) {
        row *r = x->rows + i;
        FLX_TRY(take_row(c, i, r));
        x->mark[i] = -1;
        x->in[i] =
            !(d->rows[i].C > 0) && d->rows[i].held.from == 0; // what opens is never redundant
        x->size[i] = x->norm[i] = norm_of(r);
        if (x->in[i]) x->heap[x->left++] = (offer){rest_of(x, i), i};
        for (int k = 0; k < r->n; k++) FLX_TRY(put(x->ctx, x->through + r->at[k], i, 0.0));
    }
    for (int i = x->left / 2; i >= 0; i--) sink(x, i);
    return FLX_OK;
}

flx_status flx_tree_find_weakest(const flx_tree *t, const flx_state *at, int n, bool *out)
{
    size_t rows = (size_t)flx_tree_rows(t), nv = (size_t)t->base.dims.nv;
    flx_ctx *ctx = t->base.ctx;
    closures c;
    FLX_TRY(open_at(t, at, &c));
    weighing x = {.ctx = ctx, .n = (int)rows};
    x.rows = flx_alloc(ctx, rows, sizeof *x.rows);
    x.through = flx_alloc(ctx, nv, sizeof *x.through);
    x.size = flx_alloc(ctx, 2 * rows + nv, sizeof *x.size);
    x.in = flx_alloc(ctx, rows, sizeof *x.in);
    x.mark = flx_alloc(ctx, rows, sizeof *x.mark);
    x.heap = flx_alloc(ctx, rows, sizeof *x.heap);
    bool fine = x.rows && x.through && x.size && x.in && x.mark && x.heap;
    flx_status status = fine ? FLX_OK : FLX_ERR_MEMORY;
    if (fine) {
        x.norm = x.size + rows;
        x.along = x.norm + rows;
        status = fill_weighing(&c, &x);
    }
    while (status == FLX_OK && x.left > n) {
        int best = take_strongest(&x);
        if (!(x.norm[best] > 0.0)) break; // nothing is left of any
        status = take_out_of_others(&x, best);
    }
    for (int i = 0; i < x.n && status == FLX_OK; i++) out[i] = x.in[i] != 0;
    clear_weighing(&x, (int)nv);
    close_all(&c);
    return status;
}

// ---- rows as a matrix ---------------------------------------------------------------------------

flx_status flx_tree_rows_at(const flx_tree *t, const flx_state *at, double *G)
{
    closures c;
    row r = {0};
    size_t nv = (size_t)t->base.dims.nv;
    FLX_TRY(open_at(t, at, &c));
    flx_status status = FLX_OK;
    memset(G, 0, (size_t)flx_tree_rows(t) * nv * sizeof *G);
    for (int i = 0; i < flx_tree_rows(t) && status == FLX_OK; i++) {
        status = take_row(&c, i, &r);
        for (int k = 0; k < r.n && status == FLX_OK; k++) G[nv * (size_t)i + r.at[k]] = r.value[k];
    }
    flx_free(r.at);
    flx_free(r.value);
    close_all(&c);
    return status;
}

// ---- reach --------------------------------------------------------------------------------------

// Where a row holds most.
static v3 place_of(const closures *c, int i, double *most)
{
    const flx_tree *t = c->t;
    const flx_descriptor *d = flx_tree_inner(t);
    const flx_pattern *p = &d->base.pattern;
    const flx_tree_work *w = flx_tree_work_of(c->work);
    int u = flx_first_lam(d) + i, bi = d->block_of[u];
    v3 at = v3_make(0, 0, 0);
    *most = 0.0;
    for (int e = p->row[bi]; e < p->row[bi + 1] && p->col[e] < t->places.n; e++) {
        int n = p->start[p->col[e] + 1] - p->start[p->col[e]];
        const double *g = w->A0 + p->offset[e] + (u - p->start[bi]) * n;
        double force = sqrt(g[0] * g[0] + g[1] * g[1] + (t->t.k.planar ? 0.0 : g[2] * g[2]));
        if (!(force > *most)) continue;
        const flx_mount *m = t->t.mounts + p->col[e];
        const flx_link_frame *f = w->frames + 1 + m->link;
        at = v3_add(f->p, m33_mul_v(f->R, m->p));
        *most = force;
    }
    return at;
}

// How far a closure moves by unit rates of the joints it passes, if nothing were in line; three times that,
// about what it has in coordinates of bodies, so that methods see a singular position as near as there.
static double reach_of(closures *c, int i)
{
    const flx_tree *t = c->t;
    const flx_tree_work *w = flx_tree_work_of(c->work);
    double sum = 0.0, most, length = flx_tree_inner(t)->length; // scale of slides
    (void)load_way(c, i);
    v3 at = place_of(c, i, &most);
    for (int k = 0; k < c->nlink; k++) {
        const flx_link *l = t->t.links + c->links[k];
        const flx_link_frame *f = w->frames + 1 + c->links[k];
        double arm = v3_norm(v3_sub(at, f->p)), push = v3_norm(f->f), turns = v3_norm(f->n);
        if (push > ROUNDING * most) turns = fmax(turns, arm * push);
        double part = flx_link_turns(l->kind) ? turns : length * push;
        sum += part * part;
    }
    return 3.0 * sqrt(sum);
}

flx_status flx_tree_measure_reach(flx_tree *t, const flx_state *x)
{
    int count = flx_tree_rows(t);
    const flx_descriptor *d = flx_tree_inner(t);
    closures c;
    flx_free(t->reach);
    t->reach = flx_alloc(t->base.ctx, (size_t)count, sizeof *t->reach);
    if (!t->reach) return FLX_ERR_MEMORY;
    if (count == 0) return FLX_OK;
    FLX_TRY(open_at(t, x, &c));
    for (int i = 0; i < count; i++) {
        if (!(d->rows[i].C > 0) && d->rows[i].joint >= 0) t->reach[i] = reach_of(&c, i);
    }
    close_all(&c);
    return FLX_OK;
}
