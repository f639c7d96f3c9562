// tree_bends.c - links that move by the coordinates of an elastic body. Theory: docs/theory/tree.md.
#include "tree/recursion/tree_bends.h"

#include "body/modal_node.h"

// ---- what is kept beside a frame ----------------------------------------------------------------

// A place's numbers, then those of derivatives.
typedef struct numbers {
    double *columns; // (n x 6) W_k, V_k
    double *q;       // (n)
    double *own;     // (n x 6) x_k, s_k
    double *scratch;
    double *slopes;   // (n x FLX_NODE_SLOPES)
    double *tangents; // (n x 18) of w, v, w', v' along q_k, of w', v' along q_k', ground axes
    double *curve;    // (n x n)
} numbers;

static size_t count_numbers(int n)
{
    return (size_t)n * (size_t)(1 + 6 + 6 + FLX_NODE_SCRATCH + FLX_NODE_SLOPES + 18 + n);
}

static numbers numbers_of(double *at, int n)
{
    numbers x = {.columns = at};
    x.q = x.columns + 6 * n;
    x.own = x.q + n;
    x.scratch = x.own + 6 * n;
    x.slopes = x.scratch + FLX_NODE_SCRATCH * n;
    x.tangents = x.slopes + FLX_NODE_SLOPES * n;
    x.curve = x.tangents + 18 * n;
    return x;
}

flx_link_frame *flx_tree_frames_create(flx_ctx *ctx, const flx_tree_links *t)
{
    size_t count = 0, links = (size_t)t->k.n + 1;
    for (int i = 0; i < t->nbend; i++) count += count_numbers(t->bends[i].e->n);
    size_t room = (count * sizeof(double) + sizeof(flx_link_frame) - 1) / sizeof(flx_link_frame);
    flx_link_frame *f = flx_alloc(ctx, links + room, sizeof *f);
    if (!f) return NULL;
    double *at = (double *)(void *)(f + links);
    for (int i = 0; i < t->k.n; i++) {
        if (t->links[i].kind != FLX_LINK_BEND) continue;
        f[i + 1].bend = at;
        at += count_numbers(flx_bend_of(t, t->links + i)->e->n);
    }
    return f;
}

// u: rates of the coordinates, NULL: they are not wanted, and any numbers will do; a: their accelerations.
static flx_node_point point_of(const flx_tree_links *t, const flx_bend *b, const numbers *x,
                               const double *u, const double *a)
{
    return (flx_node_point){.n = b->e->n,
                            .planar = t->k.planar,
                            .x = b->node,
                            .q = x->q,
                            .u = u ? u : x->q,
                            .a = a,
                            .scratch = x->scratch};
}

// Axes of the body.
static m33 axes_of(const flx_tree_links *t, const flx_link_frame *f, int i)
{
    const flx_link *l = t->links + i;
    return flx_bend_of(t, l)->inward ? f[i].R : m33_mul(f[l->parent].R, l->R);
}

// ---- motion -------------------------------------------------------------------------------------

void flx_bend_place(const flx_tree_links *t, int i, const double *q, flx_link_frame *f)
{
    const flx_link *l = t->links + i;
    const flx_bend *b = flx_bend_of(t, l);
    const flx_link_frame *p = f + l->parent;
    int n = b->e->n;
    numbers x = numbers_of(f[i].bend, n);
    memcpy(x.q, q + t->k.nq + b->first, (size_t)n * sizeof *x.q);
    flx_node_relative r;
    flx_node_point at = point_of(t, b, &x, NULL, NULL);
    flx_node_relative_at(&at, &r, x.own);
    m33 R = m33_mul(p->R, l->R);
    v3 from = v3_add(p->p, m33_mul_v(p->R, l->r));
    if (b->inward) {
        R = f[i].R = m33_mul_t(R, r.R);
        f[i].p = v3_sub(from, m33_mul_v(R, r.s));
    } else {
        f[i].R = m33_mul(R, r.R);
        f[i].p = v3_add(from, m33_mul_v(R, r.s));
    }
    f[i].angle = p->angle + l->offset + (b->inward ? -r.angle : r.angle);
    for (int k = 0; k < n; k++) {
        v3 about = v3_load(x.own + 6 * k), shift = v3_load(x.own + 6 * k + 3);
        if (b->inward) {
            shift = v3_sub(v3_cross(about, r.s), shift);
            about = v3_neg(about);
        }
        v3_store(x.columns + 6 * k, m33_mul_v(R, about));
        v3_store(x.columns + 6 * k + 3, m33_mul_v(R, shift));
    }
}

const double *flx_bend_columns(const flx_link_frame *f)
{
    return f->bend;
}

void flx_bend_expand(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v,
                     v3 *w, v3 *d)
{
    const flx_bend *b = flx_bend_of(t, t->links + i);
    const double *c = flx_bend_columns(f + i), *u = v + t->k.nv + b->first;
    *w = *d = v3_make(0, 0, 0);
    for (int k = 0; k < b->e->n; k++, c += 6) {
        *w = v3_axpy(u[k], v3_load(c), *w);
        *d = v3_axpy(u[k], v3_load(c + 3), *d);
    }
}

// w' and v' of (BEND-1), body axes.
static void find_rates(bool inward, const flx_node_relative *r, v3 *w, v3 *v)
{
    *w = r->xa, *v = r->sa;
    if (!inward) return;
    v3 x = v3_axpy(2.0, r->sd, v3_cross(r->s, r->x)); // -x x s + 2 s'
    *v = v3_add(v3_sub(v3_cross(r->xa, r->s), r->sa), v3_cross(r->x, x));
    *w = v3_neg(r->xa);
}

void flx_bend_bias(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v, v3 *w,
                   v3 *d)
{
    const flx_bend *b = flx_bend_of(t, t->links + i);
    numbers x = numbers_of(f[i].bend, b->e->n);
    flx_node_relative r;
    flx_node_point at = point_of(t, b, &x, v + t->k.nv + b->first, NULL);
    flx_node_relative_at(&at, &r, NULL);
    m33 R = axes_of(t, f, i);
    find_rates(b->inward, &r, w, d);
    *w = m33_mul_v(R, *w);
    *d = m33_mul_v(R, *d);
}

void flx_bend_restrict(const flx_tree_links *t, const flx_link_frame *f, int i, v3 moment, v3 force,
                       double *tau)
{
    const flx_bend *b = flx_bend_of(t, t->links + i);
    const double *c = flx_bend_columns(f + i);
    double *out = tau + t->k.nv + b->first;
    for (int k = 0; k < b->e->n; k++, c += 6) {
        out[k] += v3_dot(v3_load(c), moment) + v3_dot(v3_load(c + 3), force);
    }
}

// ---- derivatives --------------------------------------------------------------------------------

int flx_bends_first(const flx_tree_links *t, int variable)
{
    for (int i = 0; i < t->nbend; i++) { // in the order of their links
        const flx_bend *b = t->bends + i;
        if (variable >= b->first && variable < b->first + b->e->n) return b->link;
    }
    return -1;
}

// How w, v, w', v' of an inward bend change with what they are made of, body axes.
static flx_link_relative change_inward(const flx_node_relative *r, const flx_node_relative *d)
{
    flx_link_relative o = {.w = v3_neg(d->x), .dw = v3_neg(d->xa)};
    o.v = v3_sub(v3_add(v3_cross(d->x, r->s), v3_cross(r->x, d->s)), d->sd);
    v3 x = v3_axpy(2.0, r->sd, v3_cross(r->s, r->x));
    v3 dx = v3_axpy(2.0, d->sd, v3_add(v3_cross(d->s, r->x), v3_cross(r->s, d->x)));
    o.dv = v3_add(v3_cross(d->xa, r->s), v3_cross(r->xa, d->s));
    o.dv = v3_sub(o.dv, d->sa);
    o.dv = v3_add(o.dv, v3_add(v3_cross(d->x, x), v3_cross(r->x, dx)));
    return o;
}

static void store_tangent(m33 R, const flx_link_relative *by_q, const flx_link_relative *by_u,
                          double *out)
{
    v3_store(out, m33_mul_v(R, by_q->w));
    v3_store(out + 3, m33_mul_v(R, by_q->v));
    v3_store(out + 6, m33_mul_v(R, by_q->dw));
    v3_store(out + 9, m33_mul_v(R, by_q->dv));
    v3_store(out + 12, m33_mul_v(R, by_u->dw));
    v3_store(out + 15, m33_mul_v(R, by_u->dv));
}

void flx_bend_linearise(const flx_tree_links *t, const flx_link_frame *f, int i, const double *v,
                        const double *a)
{
    const flx_bend *b = flx_bend_of(t, t->links + i);
    int n = b->e->n;
    numbers x = numbers_of(f[i].bend, n);
    flx_node_relative r;
    int first = t->k.nv + b->first;
    flx_node_point at = point_of(t, b, &x, v + first, a + first);
    flx_node_relative_at(&at, &r, NULL);
    flx_node_relative_slopes(&at, x.slopes);
    m33 R = axes_of(t, f, i);
    flx_link_relative now = {.w = v3_neg(r.x), .v = v3_sub(v3_cross(r.x, r.s), r.sd)};
    find_rates(b->inward, &r, &now.dw, &now.dv);
    for (int k = 0; k < n; k++) {
        const double *s = x.slopes + FLX_NODE_SLOPES * k;
        v3 about = v3_load(x.own + 6 * k), shift = v3_load(x.own + 6 * k + 3);
        flx_node_relative q = {.s = shift,
                               .sd = v3_load(s),
                               .sa = v3_load(s + 3),
                               .x = v3_load(s + 6),
                               .xa = v3_load(s + 9)};
        flx_node_relative u = {
            .sd = shift, .sa = v3_scale(2.0, q.sd), .x = about, .xa = v3_load(s + 12)};
        flx_link_relative by_q = {q.x, q.sd, q.xa, q.sa}, by_u = {u.x, u.sd, u.xa, u.sa};
        if (b->inward) { // the node's axes about back
            by_q = change_inward(&r, &q);
            by_u = change_inward(&r, &u);
            by_q.w = v3_sub(by_q.w, v3_cross(about, now.w));
            by_q.v = v3_sub(by_q.v, v3_cross(about, now.v));
            by_q.dw = v3_sub(by_q.dw, v3_cross(about, now.dw));
            by_q.dv = v3_sub(by_q.dv, v3_cross(about, now.dv));
        }
        store_tangent(R, &by_q, &by_u, x.tangents + 18 * k);
    }
}

bool flx_bend_slope(const flx_tree_links *t, const flx_link_frame *f, int i, flx_tree_level level,
                    int variable, v3 *about, v3 *shift, flx_link_relative *out)
{
    const flx_bend *b = flx_bend_of(t, t->links + i);
    int k = variable - b->first;
    if (variable < 0 || k < 0 || k >= b->e->n) return false;
    numbers x = numbers_of(f[i].bend, b->e->n);
    const double *c = x.columns + 6 * k, *s = x.tangents + 18 * k;
    v3 w = v3_load(c), d = v3_load(c + 3), zero = v3_make(0, 0, 0);
    *about = *shift = zero;
    switch (level) {
    case FLX_OF_Q:
        *about = w, *shift = d;
        *out = (flx_link_relative){v3_load(s), v3_load(s + 3), v3_load(s + 6), v3_load(s + 9)};
        break;
    case FLX_OF_V:
        *out = (flx_link_relative){w, d, v3_load(s + 12), v3_load(s + 15)};
        break;
    case FLX_OF_A:
        *out = (flx_link_relative){zero, zero, w, d};
        break;
    }
    return true;
}

// ---- forces -------------------------------------------------------------------------------------

void flx_bends_curve(const flx_tree_links *t, const flx_link_frame *f)
{
    for (int j = 0; j < t->nbend; j++) {
        const flx_bend *b = t->bends + j;
        int i = b->link;
        numbers x = numbers_of(f[i].bend, b->e->n);
        m33 R = axes_of(t, f, i);
        v3 M = m33_tmul_v(R, f[i].n), F = m33_tmul_v(R, f[i].f);
        flx_node_point at = point_of(t, b, &x, NULL, NULL);
        if (b->inward) {
            flx_node_relative r;
            flx_node_relative_at(&at, &r, NULL);
            M = v3_sub(v3_cross(r.s, F), M);
            F = v3_neg(F);
        }
        flx_node_relative_curve(&at, F, M, x.curve);
    }
}

void flx_bend_turn(const flx_tree_links *t, const flx_link_frame *f, int i, const flx_bend_load *y,
                   double *tau)
{
    const flx_bend *b = flx_bend_of(t, t->links + i);
    int n = b->e->n;
    numbers x = numbers_of(f[i].bend, n);
    const double *along = y->along ? y->along + b->first : NULL;
    m33 R = axes_of(t, f, i);
    v3 theta = b->inward ? y->theta : y->theta_before;
    v3 dM = m33_tmul_v(R, v3_sub(y->dn, v3_cross(theta, y->n)));
    v3 dF = m33_tmul_v(R, v3_neg(v3_cross(theta, y->f)));
    if (b->inward) {
        const flx_link *l = t->links + i;
        const flx_link_frame *p = f + l->parent;
        v3 from = v3_add(p->p, m33_mul_v(p->R, l->r)); // the node, and with it s
        v3 lever = v3_cross(m33_tmul_v(R, v3_sub(from, f[i].p)), dF), sd = v3_make(0, 0, 0);
        for (int k = 0; along && k < n; k++) sd = v3_axpy(along[k], v3_load(x.own + 6 * k + 3), sd);
        if (along) lever = v3_add(lever, v3_cross(sd, m33_tmul_v(R, y->f)));
        dM = v3_sub(lever, dM);
        dF = v3_neg(dF);
    }
    double *out = tau + t->k.nv + b->first;
    for (int k = 0; k < n; k++) {
        const double *c = x.own + 6 * k, *curve = x.curve + k * n;
        out[k] += v3_dot(v3_load(c), dM) + v3_dot(v3_load(c + 3), dF);
        for (int l = 0; along && l < n; l++) out[k] += curve[l] * along[l];
    }
}
