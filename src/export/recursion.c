// recursion.c - forward dynamics, inverse dynamics and mass matrix over nodes. Equations and their
// labels: docs/theory/tree.md. A joint with several freedoms is eliminated one freedom after the
// other, which is (TREE-5) to (TREE-7) with D factored.
#include "export/symbolic.h"

static const flx_link *links_of(const flx_symbolic *x)
{
    return x->t.links;
}

static n3 weight(const flx_symbolic *x)
{
    n3 a;
    for (int i = 0; i < 3; i++) {
        a.c[i] = node_neg(x->g, node_open(x->g, x->m->gravity[i], x->m->gravity_open[i]));
    }
    return a;
}

static n3 out_of(flx_graph *g, const flx_symbolic_link *l, n3 a)
{
    return n33_mul_v(g, l->fixed, n33_mul_v(g, l->moved, a));
}
static n3 into(flx_graph *g, const flx_symbolic_link *l, n3 a)
{
    return n33_tmul_v(g, l->moved, n33_tmul_v(g, l->fixed, a));
}

// A wrench on a link as one on its parent.
static flx_node_wrench hand_on(flx_graph *g, const flx_symbolic_link *l, flx_node_wrench k)
{
    k.n = out_of(g, l, k.n);
    k.f = out_of(g, l, k.f);
    k.n = n3_add(g, k.n, n3_cross(g, l->r, k.f));
    return k;
}

static flx_node_wrench sum(flx_graph *g, flx_node_wrench a, flx_node_wrench b)
{
    return (flx_node_wrench){n3_add(g, a.n, b.n), n3_add(g, a.f, b.f)};
}

static flx_node along(flx_graph *g, const flx_freedom *s, int k, flx_node_wrench f)
{
    return node_add(g, n3_dot(g, s->turn[k], f.n), n3_dot(g, s->slide[k], f.f));
}

void flx_symbolic_inwards(const flx_symbolic *x, flx_node_wrench *on, flx_node *tau)
{
    for (int i = x->t.k.nv; i < x->nv; i++) tau[i] = node_const(x->g, 0.0);
    for (int i = x->n - 1; i >= 0; i--) {
        const flx_link *l = links_of(x) + i;
        const flx_symbolic_link *o = x->links + 1 + i;
        flx_node_wrench *f = on + 1 + i, *p = on + 1 + l->parent;
        for (int k = 0; k < o->s.n; k++) tau[l->v + k] = along(x->g, &o->s, k, *f);
        *p = sum(x->g, *p, hand_on(x->g, o, *f));
    }
}

void flx_symbolic_inwards_sizes(const flx_symbolic *x, flx_node *moment, flx_node *force,
                                flx_node *tau)
{
    flx_graph *g = x->g;
    for (int i = x->t.k.nv; i < x->nv; i++) tau[i] = node_const(g, 0.0);
    for (int i = x->n - 1; i >= 0; i--) {
        const flx_link *l = links_of(x) + i;
        const flx_symbolic_link *o = x->links + 1 + i;
        flx_node n = moment[1 + i], f = force[1 + i], *to = moment + 1 + l->parent;
        for (int k = 0; k < o->s.n; k++) {
            flx_node about = node_norm(g, o->s.turn[k].c), slides = node_norm(g, o->s.slide[k].c);
            tau[l->v + k] = node_add(g, node_mul(g, about, n), node_mul(g, slides, f));
        }
        *to = node_add(g, *to, node_add(g, n, node_mul(g, node_norm(g, o->r.c), f)));
        force[1 + l->parent] = node_add(g, force[1 + l->parent], f);
    }
}

// (TREE-4) without accelerations, less what is applied.
static flx_node_wrench bias_force(const flx_symbolic *x, int i)
{
    flx_graph *g = x->g;
    const flx_symbolic_link *l = x->links + 1 + i;
    n3 Jw = n33_mul_v(g, l->J, l->w), wh = n3_cross(g, l->w, l->h);
    flx_node_wrench p = {n3_cross(g, l->w, Jw), n3_cross(g, l->w, wh)};
    p.n = n3_sub(g, p.n, x->applied[1 + i].n);
    p.f = n3_sub(g, p.f, x->applied[1 + i].f);
    return p;
}

// (SPA-1) of a rigid body
static flx_node_wrench inertia_force(flx_graph *g, flx_node m, n3 h, n33 J, n3 alpha, n3 a)
{
    return (flx_node_wrench){n3_add(g, n33_mul_v(g, J, alpha), n3_cross(g, h, a)),
                             n3_axpy(g, m, a, n3_cross(g, alpha, h))};
}

// ---- inverse dynamics ---------------------------------------------------------------------------

typedef struct motion {
    n3 alpha, a;
} motion;

flx_status flx_symbolic_inverse(const flx_symbolic *x, const flx_node *a, flx_node *tau)
{
    flx_graph *g = x->g;
    size_t n = (size_t)x->n + 1;
    motion *moves = flx_alloc(x->ctx, n, sizeof *moves);
    flx_node_wrench *on = flx_alloc(x->ctx, n, sizeof *on);
    bool fine = moves && on;
    for (int i = 0; i < x->n && fine; i++) {
        const flx_link *l = links_of(x) + i;
        const flx_symbolic_link *o = x->links + 1 + i, *p = x->links + 1 + l->parent;
        motion *m = moves + 1 + i;
        if (i == 0) {
            moves[0] = (motion){n3_zero(g), weight(x)};
            on[0] = (flx_node_wrench){n3_zero(g), n3_zero(g)};
        }
        const motion *from = moves + 1 + l->parent;
        n3 carried = into(g, o, p->w);
        n3 e = n3_add(g, from->a, n3_cross(g, from->alpha, o->r));
        e = n3_add(g, e, n3_cross(g, p->w, n3_cross(g, p->w, o->r)));
        m->alpha = n3_add(g, into(g, o, from->alpha), n3_cross(g, carried, o->wr));
        m->a = n3_axpy(g, node_const(g, 2.0), n3_cross(g, carried, o->vr), into(g, o, e));
        for (int k = 0; k < o->s.n && a; k++) {
            m->alpha = n3_axpy(g, a[l->v + k], o->s.turn[k], m->alpha);
            m->a = n3_axpy(g, a[l->v + k], o->s.slide[k], m->a);
        }
        on[1 + i] = sum(g, bias_force(x, i), inertia_force(g, o->m, o->h, o->J, m->alpha, m->a));
    }
    if (fine) flx_symbolic_inwards(x, on, tau);
    if (fine) flx_symbolic_variables_inverse(x, a, tau);
    for (int i = 0; i < x->nv && fine; i++) tau[i] = node_sub(g, tau[i], x->effort[i]);
    flx_free(moves);
    flx_free(on);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
}

// ---- forward dynamics ---------------------------------------------------------------------------

typedef struct articulated {
    n33 A, B, M; // (SPA-1)
    flx_node_wrench p;
    n3 ba, bl;            // bias
    flx_node_wrench g[3]; // U/D of every freedom
    flx_node u[3];
    n3 alpha, a;
} articulated;

static bool is_unit(const flx_graph *g, flx_node n)
{
    return node_is(g, n, 1.0) || node_is(g, n, -1.0);
}

// What a freedom along one axis takes out is gone exactly.
static void clear_axis(flx_graph *g, n3 about, n3 slide, articulated *b)
{
    bool turns = !node_is(g, n3_dot(g, about, about), 0.0);
    bool slides = !node_is(g, n3_dot(g, slide, slide), 0.0);
    flx_node zero = node_const(g, 0.0);
    if (turns && slides) return; // a screw
    for (int j = 0; j < 3; j++) {
        bool turned = is_unit(g, about.c[j]), slid = is_unit(g, slide.c[j]);
        for (int i = 0; i < 3; i++) {
            if (turned) b->A.m[3 * i + j] = b->A.m[3 * j + i] = b->B.m[3 * j + i] = zero;
            if (slid) b->M.m[3 * i + j] = b->M.m[3 * j + i] = b->B.m[3 * i + j] = zero;
        }
    }
}

// K -= U U^T / D, p += U u / D for one freedom; more: added to D.
static void eliminate(flx_graph *g, const flx_freedom *s, int k, flx_node tau, flx_node more,
                      articulated *b)
{
    n3 about = s->turn[k], slide = s->slide[k];
    flx_node_wrench U = {n3_add(g, n33_mul_v(g, b->A, about), n33_mul_v(g, b->B, slide)),
                         n3_add(g, n33_tmul_v(g, b->B, about), n33_mul_v(g, b->M, slide))};
    flx_node D = node_add(g, along(g, s, k, U), more), inverse = node_div(g, node_const(g, 1.0), D);
    flx_node_wrench G = {n3_scale(g, inverse, U.n), n3_scale(g, inverse, U.f)};
    flx_node u = node_mul(g, inverse, node_sub(g, tau, along(g, s, k, b->p)));
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int e = 3 * i + j;
            b->A.m[e] = node_sub(g, b->A.m[e], node_mul(g, G.n.c[i], U.n.c[j]));
            b->B.m[e] = node_sub(g, b->B.m[e], node_mul(g, G.n.c[i], U.f.c[j]));
            b->M.m[e] = node_sub(g, b->M.m[e], node_mul(g, G.f.c[i], U.f.c[j]));
        }
    }
    if (node_is(g, more, 0.0)) clear_axis(g, about, slide, b);
    b->A = n33_mirror(b->A);
    b->M = n33_mirror(b->M);
    b->p.n = n3_axpy(g, u, U.n, b->p.n);
    b->p.f = n3_axpy(g, u, U.f, b->p.f);
    b->g[k] = G;
    b->u[k] = u;
}

// (TREE-6)
static void hand_on_inertia(flx_graph *g, const flx_symbolic_link *l, articulated *b,
                            articulated *p)
{
    n3 moment = n3_add(g, n33_mul_v(g, b->A, b->ba), n33_mul_v(g, b->B, b->bl));
    n3 force = n3_add(g, n33_tmul_v(g, b->B, b->ba), n33_mul_v(g, b->M, b->bl));
    flx_node_wrench k = sum(g, b->p, (flx_node_wrench){moment, force});
    p->p = sum(g, p->p, hand_on(g, l, k));
    n33 R[2] = {l->moved, l->fixed}, A = b->A, B = b->B, M = b->M;
    for (int i = 0; i < 2; i++) {
        A = n33_turn(g, R[i], A, true);
        B = n33_turn(g, R[i], B, false);
        M = n33_turn(g, R[i], M, true);
    }
    // (SPA-2)
    n33 r = n33_skew(g, l->r), C = n33_add(g, B, n33_mul(g, r, M));
    n33 shifted = n33_add(g, n33_mul_t(g, r, B), n33_mul_t(g, C, r)); // -C r~ = C r~^T
    p->A = n33_add(g, p->A, n33_mirror(n33_add(g, A, shifted)));
    p->B = n33_add(g, p->B, C);
    p->M = n33_add(g, p->M, M);
}

static void start_inertia(const flx_symbolic *x, int i, articulated *b)
{
    flx_graph *g = x->g;
    const flx_symbolic_link *o = x->links + 1 + i;
    n3 zero = n3_zero(g);
    b->A = o->J;
    b->B = n33_skew(g, o->h);
    b->M = n33_zero(g);
    for (int k = 0; k < 3; k++) b->M.m[4 * k] = o->m;
    b->p = (flx_node_wrench){zero, zero};
    b->ba = b->bl = zero;
}

static void start_inwards(const flx_symbolic *x, int i, articulated *b)
{
    flx_graph *g = x->g;
    const flx_link *l = links_of(x) + i;
    const flx_symbolic_link *o = x->links + 1 + i, *p = x->links + 1 + l->parent;
    n3 carried = into(g, o, p->w);
    start_inertia(x, i, b);
    b->p = bias_force(x, i);
    b->ba = n3_cross(g, carried, o->wr);
    b->bl = n3_axpy(g, node_const(g, 2.0), n3_cross(g, carried, o->vr),
                    into(g, o, n3_cross(g, p->w, n3_cross(g, p->w, o->r))));
}

// (TREE-7): the last freedom first, since it was eliminated last
static void accelerate(const flx_symbolic *x, int i, articulated *all, flx_node *qdd)
{
    flx_graph *g = x->g;
    const flx_link *l = links_of(x) + i;
    const flx_symbolic_link *o = x->links + 1 + i;
    articulated *b = all + 1 + i;
    const articulated *p = all + 1 + l->parent;
    b->alpha = n3_add(g, into(g, o, p->alpha), b->ba);
    b->a = n3_add(g, into(g, o, n3_add(g, p->a, n3_cross(g, p->alpha, o->r))), b->bl);
    for (int k = o->s.n - 1; k >= 0; k--) {
        flx_node gain = node_add(g, n3_dot(g, b->g[k].n, b->alpha), n3_dot(g, b->g[k].f, b->a));
        qdd[l->v + k] = node_sub(g, b->u[k], gain);
        b->alpha = n3_axpy(g, qdd[l->v + k], o->s.turn[k], b->alpha);
        b->a = n3_axpy(g, qdd[l->v + k], o->s.slide[k], b->a);
    }
}

// From the ends inwards and out again: the accelerations a that the efforts take, all; more (nv): on the diagonal of M,
// NULL: nothing. still: without weight and velocities.
static flx_status pass(const flx_symbolic *x, bool still, const flx_node *efforts,
                       const flx_node *more, flx_node *a)
{
    flx_graph *g = x->g;
    articulated *all = flx_alloc(x->ctx, (size_t)x->n + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    n3 zero = n3_zero(g);
    all[0] = (articulated){.A = n33_zero(g), .B = n33_zero(g), .M = n33_zero(g)};
    all[0].p = (flx_node_wrench){zero, zero};
    all[0].alpha = zero;
    all[0].a = still ? zero : weight(x);
    for (int i = 0; i < x->n; i++) {
        if (still) start_inertia(x, i, all + 1 + i);
        if (!still) start_inwards(x, i, all + 1 + i);
    }
    for (int i = x->n - 1; i >= 0; i--) {
        const flx_link *l = links_of(x) + i;
        const flx_symbolic_link *o = x->links + 1 + i;
        for (int k = 0; k < o->s.n; k++) {
            flx_node own = more ? more[l->v + k] : node_const(g, 0.0);
            eliminate(g, &o->s, k, efforts[l->v + k], own, all + 1 + i);
        }
        hand_on_inertia(g, o, all + 1 + i, all + 1 + l->parent);
    }
    for (int i = 0; i < x->n; i++) accelerate(x, i, all, a);
    flx_free(all);
    return FLX_OK;
}

flx_status flx_symbolic_forward(const flx_symbolic *x, const flx_node *tau, flx_node *a)
{
    flx_node *efforts = flx_alloc(x->ctx, (size_t)x->nv, sizeof *efforts);
    if (!efforts) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->t.k.nv; i++) efforts[i] = node_add(x->g, x->effort[i], tau[i]);
    flx_status status = pass(x, false, efforts, NULL, a);
    flx_free(efforts);
    return status == FLX_OK ? flx_symbolic_variables_forward(x, tau, a) : status;
}

flx_status flx_symbolic_correct(flx_symbolic *x, const flx_node *r, flx_node *a)
{
    flx_graph *g = x->g;
    flx_node by_v = flx_graph_leaf(g, flx_export_leaf(FLX_EXPORT_G, 0, 0));
    flx_node by_q = flx_graph_leaf(g, flx_export_leaf(FLX_EXPORT_G, 1, 0));
    flx_node *more = flx_alloc(x->ctx, (size_t)x->nv, sizeof *more);
    flx_status status = more ? FLX_OK : FLX_ERR_MEMORY;
    for (int i = 0; i < x->nv && status == FLX_OK; i++) {
        flx_node D = flx_symbolic_partial(x, x->effort[i], FLX_EXPORT_V, i);
        flx_node K = flx_symbolic_along(x, x->effort[i], i);
        more[i] = node_neg(g, node_add(g, node_mul(g, by_v, D), node_mul(g, by_q, K)));
        status = flx_symbolic_status(x, more[i]);
    }
    if (status == FLX_OK) status = pass(x, true, r, more, a);
    if (status == FLX_OK) status = flx_symbolic_variables_correct(x, more, r, a);
    flx_free(more);
    return status;
}

// ---- mass matrix --------------------------------------------------------------------------------

typedef struct composite {
    flx_node m;
    n3 h;
    n33 J;
} composite;

static void fill_column(const flx_symbolic *x, int link, int freedom, const composite *c,
                        flx_node *M)
{
    flx_graph *g = x->g;
    const flx_link *l = links_of(x) + link;
    const flx_symbolic_link *o = x->links + 1 + link;
    int column = l->v + freedom;
    flx_node_wrench f = inertia_force(g, c->m, c->h, c->J, o->s.turn[freedom], o->s.slide[freedom]);
    for (int i = link; i >= 0; i = links_of(x)[i].parent) {
        l = links_of(x) + i;
        o = x->links + 1 + i;
        for (int k = 0; k < o->s.n; k++) {
            M[x->nv * (l->v + k) + column] = M[x->nv * column + l->v + k] = along(g, &o->s, k, f);
        }
        if (l->parent >= 0) f = hand_on(g, o, f);
    }
}

flx_status flx_symbolic_mass(const flx_symbolic *x, flx_node *M)
{
    flx_graph *g = x->g;
    composite *all = flx_alloc(x->ctx, (size_t)x->n + 1, sizeof *all);
    if (!all) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->nv * x->nv; i++) M[i] = node_const(g, 0.0);
    for (int i = 0; i <= x->n; i++) {
        all[i] = (composite){x->links[i].m, x->links[i].h, x->links[i].J};
    }
    for (int i = x->n - 1; i >= 0; i--) {
        const flx_symbolic_link *o = x->links + 1 + i;
        composite *c = all + 1 + i, *p = all + 1 + links_of(x)[i].parent;
        for (int k = 0; k < o->s.n; k++) fill_column(x, i, k, c, M);
        // J' = R J R^T - (e~ r~ + r~ e~) with e = R h + m r/2
        n33 J = n33_turn(g, o->fixed, n33_turn(g, o->moved, c->J, true), true);
        n3 h = out_of(g, o, c->h), e = n3_axpy(g, node_scale(g, 0.5, c->m), o->r, h);
        n33 E = n33_skew(g, e), r = n33_skew(g, o->r);
        n33 S = n33_add(g, n33_mul_t(g, E, r), n33_mul_t(g, r, E)); // -E r = E r^T
        p->m = node_add(g, p->m, c->m);
        p->h = n3_add(g, p->h, n3_axpy(g, c->m, o->r, h));
        p->J = n33_add(g, p->J, n33_mirror(n33_add(g, J, S)));
    }
    flx_free(all);
    flx_symbolic_variables_mass(x, M);
    return FLX_OK;
}
