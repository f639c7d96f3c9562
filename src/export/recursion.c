// recursion.c - inverse dynamics and mass matrix over nodes; forward dynamics: forward.c. Equations and their labels:
// docs/theory/tree.md.
#include "export/recursion_parts.h"

// (BEND-2) in the link's axes.
static void add_along_bend(const flx_symbolic *x, const flx_symbolic_link *o, flx_node_wrench f,
                           flx_node *tau)
{
    flx_graph *g = x->g;
    if (o->bend < 0) return;
    const flx_symbolic_bend *b = x->bends + o->bend;
    const flx_symbolic_elastic *e = x->elastic + b->body;
    for (int k = 0; k < e->n; k++) {
        flx_node *to = tau + x->t.k.nv + e->first + k;
        *to = node_add(g, *to, n3_dot(g, b->turn[k], f.n));
        *to = node_add(g, *to, n3_dot(g, b->slide[k], f.f));
    }
}

void flx_symbolic_inwards(const flx_symbolic *x, flx_node_wrench *on, flx_node *tau)
{
    for (int i = x->t.k.nv; i < x->nv; i++) tau[i] = node_const(x->g, 0.0);
    for (int i = x->n - 1; i >= 0; i--) {
        const flx_link *l = links_of(x) + i;
        const flx_symbolic_link *o = x->links + 1 + i;
        flx_node_wrench *f = on + 1 + i, *p = on + 1 + l->parent;
        for (int k = 0; k < o->s.n; k++) tau[l->v + k] = along(x->g, &o->s, k, *f);
        add_along_bend(x, o, *f, tau);
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
        for (int k = 0; o->bend >= 0 && k < x->elastic[x->bends[o->bend].body].n; k++) {
            const flx_symbolic_bend *b = x->bends + o->bend;
            flx_node *own = tau + x->t.k.nv + x->elastic[b->body].first + k;
            *own = node_add(g, *own, node_mul(g, node_norm(g, b->turn[k].c), n));
            *own = node_add(g, *own, node_mul(g, node_norm(g, b->slide[k].c), f));
        }
        *to = node_add(g, *to, node_add(g, n, node_mul(g, node_norm(g, o->r.c), f)));
        force[1 + l->parent] = node_add(g, force[1 + l->parent], f);
    }
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

// Of a motion of the link, what it takes: onto the link, and own (n).
static void add_elastic_force(const flx_symbolic *x, const flx_symbolic_elastic *o, const motion *m,
                              const flx_node *a, flx_node_wrench *on, flx_node *own)
{
    flx_graph *g = x->g;
    n3 w = x->links[1 + o->link].w;
    n3 b = n3_add(g, m->a, n3_cross(g, m->alpha, o->p));
    b = n3_add(g, b, n3_cross(g, w, n3_cross(g, w, o->p)));
    flx_node_wrench k;
    flx_symbolic_elastic_force(x, o, n33_tmul_v(g, o->R, w), n33_tmul_v(g, o->R, m->alpha),
                               n33_tmul_v(g, o->R, b), a ? a + x->t.k.nv + o->first : NULL, &k,
                               own);
    *on = sum(g, *on, of_frame(g, o, k));
}

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
        m->alpha = n3_add(g, m->alpha, o->wa);
        m->a = n3_add(g, m->a, o->va);
        for (int k = 0; o->bend >= 0 && a && k < x->elastic[x->bends[o->bend].body].n; k++) {
            const flx_symbolic_bend *b = x->bends + o->bend;
            flx_node u = a[x->t.k.nv + x->elastic[b->body].first + k];
            m->alpha = n3_axpy(g, u, b->turn[k], m->alpha);
            m->a = n3_axpy(g, u, b->slide[k], m->a);
        }
        for (int k = 0; k < o->s.n && a; k++) {
            m->alpha = n3_axpy(g, a[l->v + k], o->s.turn[k], m->alpha);
            m->a = n3_axpy(g, a[l->v + k], o->s.slide[k], m->a);
        }
        on[1 + i] = sum(g, bias_force(x, i), inertia_force(g, o->m, o->h, o->J, m->alpha, m->a));
    }
    flx_node *own = flx_alloc(x->ctx, (size_t)x->nvariable, sizeof *own);
    fine = fine && own;
    for (int i = 0; i < x->nvariable && fine; i++) own[i] = node_const(g, 0.0);
    for (int i = 0; i < x->m->nmodal && fine; i++) {
        const flx_symbolic_elastic *o = x->elastic + i;
        if (x->n == 0 || o->link < 0) moves[0] = (motion){n3_zero(g), weight(x)};
        add_elastic_force(x, o, moves + 1 + o->link, a, on + 1 + o->link, own + o->first);
    }
    if (fine) flx_symbolic_inwards(x, on, tau);
    for (int i = 0; i < x->nvariable && fine; i++) {
        tau[x->t.k.nv + i] = node_add(g, tau[x->t.k.nv + i], own[i]);
    }
    if (fine) flx_symbolic_variables_inverse(x, a, tau);
    flx_free(own);
    for (int i = 0; i < x->nv && fine; i++) tau[i] = node_sub(g, tau[i], x->effort[i]);
    flx_free(moves);
    flx_free(on);
    return fine ? FLX_OK : FLX_ERR_MEMORY;
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

// As derivatives of inverse dynamics by accelerations: where elastic bodies are among the links.
static flx_status derive_mass(flx_symbolic *x, flx_node *M)
{
    size_t n = (size_t)x->nv;
    flx_node *a = flx_alloc(x->ctx, 2 * n, sizeof *a), *tau = a + n;
    if (!a) return FLX_ERR_MEMORY;
    for (int i = 0; i < x->nv; i++)
        a[i] = flx_graph_leaf(x->g, flx_export_leaf(FLX_EXPORT_A, i, 0));
    flx_status status = flx_symbolic_inverse(x, a, tau);
    for (int i = 0; i < x->nv && status == FLX_OK; i++) {
        for (int j = i; j < x->nv && status == FLX_OK; j++) {
            M[x->nv * i + j] = M[x->nv * j + i] = flx_symbolic_partial(x, tau[i], FLX_EXPORT_A, j);
            status = flx_symbolic_status(x, M[x->nv * i + j]);
        }
    }
    flx_free(a);
    return status;
}

flx_status flx_symbolic_mass(flx_symbolic *x, flx_node *M)
{
    flx_graph *g = x->g;
    if (x->m->nmodal > 0) return derive_mass(x, M);
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
