// forward.c - forward dynamics over nodes, and the matrix of implicit steps by the same elimination. Equations and their labels:
// docs/theory/tree.md. A joint with several freedoms is eliminated one freedom after the other, which is (TREE-5) to (TREE-7)
// with D factored.
#include "export/recursion_parts.h"

typedef struct articulated {
    n33 A, B, M; // (SPA-1)
    flx_node_wrench p;
    n3 ba, bl;            // bias
    flx_node_wrench g[3]; // U/D of every freedom
    flx_node u[3];
    n3 alpha, a;
} articulated;

static flx_node_wrench times(flx_graph *g, const articulated *b, n3 about, n3 slide)
{
    return (flx_node_wrench){n3_add(g, n33_mul_v(g, b->A, about), n33_mul_v(g, b->B, slide)),
                             n3_add(g, n33_tmul_v(g, b->B, about), n33_mul_v(g, b->M, slide))};
}

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
    flx_node_wrench U = times(g, b, about, slide);
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
    flx_node_wrench k = sum(g, b->p, times(g, b, b->ba, b->bl));
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
    b->ba = n3_add(g, b->ba, o->wa);
    b->bl = n3_add(g, b->bl, o->va);
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

// ---- elastic bodies in it ------------------------------------------------------------------------

// A body on its link, or on the node that holds it: E y + C^T A + c = 0 with the accelerations y of its coordinates and A of
// the link, on which it acts with C y (BEND-3).
typedef struct elastic {
    flx_node_wrench *C, *G; // (n) G: E^-1 C
    flx_node *E, *c;        // (n x n), then L D L^T; (n), then E^-1 c
} elastic;

static flx_node both(flx_graph *g, n3 about, n3 slide, flx_node_wrench k)
{
    return node_add(g, n3_dot(g, about, k.n), n3_dot(g, slide, k.f));
}

// One of the six numbers of a wrench.
static flx_node *entry(flx_node_wrench *k, int i)
{
    return i < 3 ? &k->n.c[i] : &k->f.c[i - 3];
}

// The factors of E, and of (c, C) what E makes of them; then M <- M - C E^-1 C^T, p <- p - C E^-1 c.
static void take_out(flx_graph *g, int n, elastic *e, articulated *b)
{
    flx_node *E = e->E;
    for (int j = 0; j < n; j++) { // below the diagonal L, on it D, above it L D
        for (int i = j; i < n; i++) {
            flx_node s = E[n * i + j];
            for (int k = 0; k < j; k++) s = node_sub(g, s, node_mul(g, E[n * i + k], E[n * k + j]));
            E[n * j + i] = s;
        }
        for (int i = j + 1; i < n; i++) E[n * i + j] = node_div(g, E[n * j + i], E[n * j + j]);
    }
    for (int r = -1; r < 6; r++) { // c, then the rows of C
        flx_node *v[FLX_SYMBOLIC_COORDINATES];
        for (int k = 0; k < n; k++) {
            v[k] = r < 0 ? e->c + k : entry(e->G + k, r);
            if (r >= 0) *v[k] = *entry(e->C + k, r);
        }
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++)
                *v[i] = node_sub(g, *v[i], node_mul(g, E[n * i + k], *v[k]));
        }
        for (int i = n - 1; i >= 0; i--) {
            *v[i] = node_div(g, *v[i], E[n * i + i]);
            for (int k = i + 1; k < n; k++)
                *v[i] = node_sub(g, *v[i], node_mul(g, E[n * k + i], *v[k]));
        }
    }
    for (int k = 0; k < n; k++) {
        const flx_node_wrench *C = e->C + k, *G = e->G + k;
        for (int i = 0; i < 9; i++) {
            int row = i / 3, column = i % 3;
            b->A.m[i] = node_sub(g, b->A.m[i], node_mul(g, C->n.c[row], G->n.c[column]));
            b->B.m[i] = node_sub(g, b->B.m[i], node_mul(g, C->n.c[row], G->f.c[column]));
            b->M.m[i] = node_sub(g, b->M.m[i], node_mul(g, C->f.c[row], G->f.c[column]));
        }
        flx_node y = node_neg(g, e->c[k]);
        b->p.n = n3_axpy(g, y, C->n, b->p.n);
        b->p.f = n3_axpy(g, y, C->f, b->p.f);
    }
    b->A = n33_mirror(b->A);
    b->M = n33_mirror(b->M);
}

// A body's own masses on its link, with what they take at no accelerations. more: NULL, or as of flx_symbolic_correct.
static void start_elastic(const flx_symbolic *x, const flx_symbolic_elastic *o, bool still,
                          const flx_node *efforts, const flx_node *more, elastic *e,
                          articulated *all)
{
    flx_graph *g = x->g;
    int n = o->n;
    n3 zero = n3_zero(g), w = x->links[1 + o->link].w;
    articulated own = {.A = o->J, .B = n33_skew(g, o->S), .M = n33_zero(g), .ba = zero, .bl = zero};
    flx_symbolic_link at = {.fixed = o->R, .moved = n33_rotation(g, m33_identity()), .r = o->p};
    flx_node by_v = flx_graph_leaf(g, flx_export_leaf(FLX_EXPORT_G, 0, 0));
    flx_node by_q = flx_graph_leaf(g, flx_export_leaf(FLX_EXPORT_G, 1, 0));
    for (int k = 0; k < 3; k++) own.M.m[4 * k] = node_const(g, o->e->m);
    own.p = (flx_node_wrench){zero, zero};
    for (int k = 0; k < n; k++) e->c[k] = node_const(g, 0.0);
    if (!still) {
        n3 b = n33_tmul_v(g, o->R, n3_cross(g, w, n3_cross(g, w, o->p)));
        flx_symbolic_elastic_force(x, o, n33_tmul_v(g, o->R, w), zero, b, NULL, &own.p, e->c);
    }
    hand_on_inertia(g, &at, &own, all + 1 + o->link);
    for (int k = 0; k < n; k++) {
        int v = x->t.k.nv + o->first + k;
        e->C[k] = of_frame(g, o, (flx_node_wrench){o->Nk[k], o->Sk[k]});
        e->c[k] = node_sub(g, e->c[k], efforts[v]);
        for (int l = 0; l < n; l++) {
            int kl = n * k + l;
            flx_node D = node_scale(g, o->e->D[kl], by_v), K = node_scale(g, o->e->K[kl], by_q);
            e->E[kl] = node_const(g, o->e->M[kl]);
            if (more) e->E[kl] = node_add(g, e->E[kl], node_add(g, D, K));
        }
        if (more) e->E[(n + 1) * k] = node_add(g, e->E[(n + 1) * k], more[v]);
    }
}

// A link that is a bend, and what hangs on it, on the link before.
static void hand_on_bend(const flx_symbolic *x, int i, elastic *bodies, articulated *all)
{
    flx_graph *g = x->g;
    const flx_symbolic_link *o = x->links + 1 + i;
    const flx_symbolic_bend *b = x->bends + o->bend;
    articulated *own = all + 1 + i, *parent = all + 1 + links_of(x)[i].parent;
    elastic *e = bodies + b->body;
    int n = x->elastic[b->body].n;
    bool inward = x->t.bends[o->bend].inward;
    flx_node_wrench at = sum(g, own->p, times(g, own, own->ba, own->bl)),
                    U[FLX_SYMBOLIC_COORDINATES];
    for (int k = 0; k < n; k++) {
        U[k] = times(g, own, b->turn[k], b->slide[k]);
        e->c[k] = node_add(g, e->c[k], both(g, b->turn[k], b->slide[k], at));
        if (inward) e->c[k] = node_add(g, e->c[k], both(g, own->ba, own->bl, e->C[k]));
    }
    for (int k = 0; k < n; k++) {
        for (int j = 0; j < n; j++) {
            flx_node *E = e->E + n * j + k;
            *E = node_add(g, *E, both(g, b->turn[j], b->slide[j], U[k]));
            if (!inward) continue;
            *E = node_add(g, *E, both(g, b->turn[j], b->slide[j], e->C[k]));
            *E = node_add(g, *E, both(g, b->turn[k], b->slide[k], e->C[j]));
        }
    }
    for (int k = 0; k < n; k++) {
        if (inward) e->C[k] = hand_on(g, o, sum(g, U[k], e->C[k]));
        if (!inward) e->C[k] = sum(g, e->C[k], hand_on(g, o, U[k]));
    }
    hand_on_inertia(g, o, own, parent);
    if (inward) take_out(g, n, e, parent);
}

// Accelerations of the coordinates where those of the link are known.
static void follow(const flx_symbolic *x, int body, const elastic *e, const articulated *at,
                   flx_node *a)
{
    flx_graph *g = x->g;
    const flx_symbolic_elastic *o = x->elastic + body;
    for (int k = 0; k < o->n; k++) {
        a[x->t.k.nv + o->first + k] =
            node_neg(g, node_add(g, e->c[k], both(g, at->alpha, at->a, e->G[k])));
    }
}

// Bodies that stand on a link, or on the ground (-1).
static void take_out_on(const flx_symbolic *x, int link, elastic *bodies, articulated *all)
{
    for (int i = 0; i < x->m->nmodal; i++) {
        const flx_symbolic_elastic *o = x->elastic + i;
        if (o->link == link && !o->inward) take_out(x->g, o->n, bodies + i, all + 1 + link);
    }
}

static void follow_on(const flx_symbolic *x, int link, const elastic *bodies,
                      const articulated *all, flx_node *a)
{
    for (int i = 0; i < x->m->nmodal; i++) {
        const flx_symbolic_elastic *o = x->elastic + i;
        if (o->link == link && !o->inward) follow(x, i, bodies + i, all + 1 + link, a);
    }
}

static void accelerate_bend(const flx_symbolic *x, int i, const elastic *bodies, articulated *all,
                            flx_node *a)
{
    flx_graph *g = x->g;
    const flx_symbolic_link *o = x->links + 1 + i;
    const flx_symbolic_bend *b = x->bends + o->bend;
    const articulated *p = all + 1 + links_of(x)[i].parent;
    articulated *own = all + 1 + i;
    if (x->t.bends[o->bend].inward) follow(x, b->body, bodies + b->body, p, a);
    own->alpha = n3_add(g, into(g, o, p->alpha), own->ba);
    own->a = n3_add(g, into(g, o, n3_add(g, p->a, n3_cross(g, p->alpha, o->r))), own->bl);
    for (int k = 0; k < x->elastic[b->body].n; k++) {
        flx_node y = a[x->t.k.nv + x->elastic[b->body].first + k];
        own->alpha = n3_axpy(g, y, b->turn[k], own->alpha);
        own->a = n3_axpy(g, y, b->slide[k], own->a);
    }
}

static elastic *take_elastic(const flx_symbolic *x)
{
    bool fine = true;
    elastic *all = flx_arena_take(x->arena, (size_t)x->m->nmodal, sizeof *all);
    for (int i = 0; i < x->m->nmodal && all; i++) {
        size_t n = (size_t)x->elastic[i].n;
        all[i].C = flx_arena_take(x->arena, n, sizeof *all[i].C);
        all[i].G = flx_arena_take(x->arena, n, sizeof *all[i].G);
        all[i].E = flx_arena_take(x->arena, n * n, sizeof *all[i].E);
        all[i].c = flx_arena_take(x->arena, n, sizeof *all[i].c);
        fine = fine && all[i].C && all[i].G && all[i].E && all[i].c;
    }
    return fine ? all : NULL;
}

// From the ends inwards and out again: the accelerations a that the efforts take, all; more (nv): on the diagonal of M,
// NULL: nothing. still: without weight and velocities.
static flx_status pass(const flx_symbolic *x, bool still, const flx_node *efforts,
                       const flx_node *more, flx_node *a)
{
    flx_graph *g = x->g;
    articulated *all = flx_alloc(x->ctx, (size_t)x->n + 1, sizeof *all);
    elastic *bodies = take_elastic(x);
    if (!all || !bodies) {
        flx_free(all);
        return FLX_ERR_MEMORY;
    }
    n3 zero = n3_zero(g);
    all[0] = (articulated){.A = n33_zero(g), .B = n33_zero(g), .M = n33_zero(g)};
    all[0].p = (flx_node_wrench){zero, zero};
    all[0].alpha = zero;
    all[0].a = still ? zero : weight(x);
    for (int i = 0; i < x->n; i++) {
        if (still) start_inertia(x, i, all + 1 + i);
        if (!still) start_inwards(x, i, all + 1 + i);
    }
    for (int i = 0; i < x->m->nmodal; i++)
        start_elastic(x, x->elastic + i, still, efforts, more, bodies + i, all);
    for (int i = x->n - 1; i >= 0; i--) {
        const flx_link *l = links_of(x) + i;
        const flx_symbolic_link *o = x->links + 1 + i;
        take_out_on(x, i, bodies, all);
        if (o->bend >= 0) {
            hand_on_bend(x, i, bodies, all);
            continue;
        }
        for (int k = 0; k < o->s.n; k++) {
            flx_node own = more ? more[l->v + k] : node_const(g, 0.0);
            eliminate(g, &o->s, k, efforts[l->v + k], own, all + 1 + i);
        }
        hand_on_inertia(g, o, all + 1 + i, all + 1 + l->parent);
    }
    take_out_on(x, -1, bodies, all);
    follow_on(x, -1, bodies, all, a);
    for (int i = 0; i < x->n; i++) {
        if (x->links[1 + i].bend >= 0) accelerate_bend(x, i, bodies, all, a);
        if (x->links[1 + i].bend < 0) accelerate(x, i, all, a);
        follow_on(x, i, bodies, all, a);
    }
    flx_free(all);
    return FLX_OK;
}

flx_status flx_symbolic_forward(const flx_symbolic *x, const flx_node *tau, flx_node *a)
{
    flx_node *efforts = flx_alloc(x->ctx, (size_t)x->nv, sizeof *efforts);
    if (!efforts) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->nv; i++) efforts[i] = node_add(x->g, x->effort[i], tau[i]);
    flx_status status = flx_symbolic_variables_correct(x, NULL, efforts, a);
    if (status == FLX_OK) status = pass(x, false, efforts, NULL, a); // with elastic coordinates
    flx_free(efforts);
    return status;
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
    if (status == FLX_OK) status = flx_symbolic_variables_correct(x, more, r, a);
    if (status == FLX_OK) status = pass(x, true, r, more, a);
    flx_free(more);
    return status;
}
