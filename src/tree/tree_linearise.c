// tree_linearise.c - exact derivatives of (TREE-11), column by column.
//
// For a unit increment of one joint coordinate all frames outboard move by (theta, s) in the ground's
// axes: what is fixed in a link changes by theta x. With that, (TREE-3) in the ground's axes gives by
// the rules of products how velocities and accelerations of the bodies change, and
//     dr = P^T (K_b dq_b + D_b dv_b + M_b da_b) + dP^T r_b                        (TREE-15)
// K_b, D_b, M_b are those of the descriptor. Increments of v and v' move nothing: their columns have
// the last two and the last term in front. Every column is a pass outwards and one inwards.
#include "tree/recursion/tree_bends.h"
#include "tree/tree_parts.h"

static v3 zero(void)
{
    return v3_make(0, 0, 0);
}

static bool is_zero(v3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

// The unknown that gets the unit increment: a freedom of a link, then (w, d) is its motion, or a variable.
typedef struct direction {
    flx_tree_level level;
    int link, variable; // -1: the other
    v3 w, d;
} direction;

// How the relative motion of a link changes beside the turning of its axes (joints) or of the link before (bends);
// about, shift: of its frame.
static flx_link_relative increment(const flx_tree *t, const flx_link_frame *f, int i,
                                   const direction *c, v3 *about, v3 *shift)
{
    flx_link_relative o = {zero(), zero(), zero(), zero()};
    *about = *shift = zero();
    if (t->t.links[i].kind == FLX_LINK_BEND) {
        (void)flx_bend_slope(&t->t, f, i, c->level, c->variable, about, shift, &o);
    } else if (i == c->link) {
        switch (c->level) {
        case FLX_OF_Q:
            *about = c->w, *shift = c->d;
            break;
        case FLX_OF_V:
            o.w = c->w, o.v = c->d;
            break;
        case FLX_OF_A:
            o.dw = c->w, o.dv = c->d;
            break;
        }
    }
    return o;
}

// One link outwards.
static void differentiate_link(const flx_tree *t, const flx_link_frame *f, int i,
                               const direction *c, const flx_link_relative *relative,
                               flx_link_tangent *g)
{
    const flx_link *l = t->t.links + i;
    const flx_link_frame *p = f + l->parent;
    const flx_link_tangent *gp = g + l->parent;
    flx_link_tangent *o = g + i;
    v3 about, shift, r = v3_sub(f[i].p, p->p);
    const flx_link_relative rel = relative[i];
    flx_link_relative own = increment(t, f, i, c, &about, &shift);
    o->theta = v3_add(gp->theta, about);
    v3 Dr = v3_add(v3_cross(gp->theta, r), shift);
    o->s = v3_add(gp->s, Dr);
    // a joint's axes are the link's, a bend's those of the link before
    v3 turned = l->kind == FLX_LINK_BEND ? gp->theta : o->theta;
    v3 DW = v3_add(v3_cross(turned, rel.w), own.w), DV = v3_add(v3_cross(turned, rel.v), own.v);
    v3 DdW = v3_add(v3_cross(turned, rel.dw), own.dw),
       DdV = v3_add(v3_cross(turned, rel.dv), own.dv);
    o->w = v3_add(gp->w, DW);
    o->v = v3_add(v3_add(gp->v, v3_cross(gp->w, r)), v3_add(v3_cross(p->w, Dr), DV));
    o->alpha = v3_add(gp->alpha, v3_add(v3_cross(gp->w, rel.w), v3_add(v3_cross(p->w, DW), DdW)));
    v3 x = v3_add(v3_cross(gp->alpha, r), v3_cross(p->alpha, Dr));
    x = v3_add(x, v3_cross(gp->w, v3_cross(p->w, r)));
    x = v3_add(x, v3_cross(p->w, v3_add(v3_cross(gp->w, r), v3_cross(p->w, Dr))));
    x = v3_axpy(2.0, v3_add(v3_cross(gp->w, rel.v), v3_cross(p->w, DV)), x);
    o->a = v3_add(gp->a, v3_add(x, DdV));
}

static void differentiate_links(const flx_tree *t, const flx_link_frame *f, int first,
                                const direction *c, const flx_link_relative *relative,
                                flx_link_tangent *g)
{
    memset(g - 1, 0, ((size_t)t->t.k.n + 1) * sizeof *g);
    for (int i = first; i < t->t.k.n; i++) differentiate_link(t, f, i, c, relative, g);
}

static void store(const flx_tree *t, int body, m33 R, v3 a, v3 rotation, double *out)
{
    bool planar = t->t.k.planar;
    out[0] = a.x;
    out[1] = a.y;
    if (!planar) out[2] = a.z;
    if (t->model->bodies[body].type == FLX_BODY_POINT) return;
    if (planar) {
        out[2] = rotation.z;
    } else {
        v3_store(out + 3, m33_tmul_v(R, rotation));
    }
}

// Increments of positions, velocities and accelerations of the bodies.
static void differentiate_bodies(const flx_tree *t, const flx_link_frame *f,
                                 const flx_link_tangent *g, double *dq, double *dv, double *da)
{
    for (int i = 0; i < t->places.n; i++) {
        const flx_mount *m = t->t.mounts + i;
        const flx_link_frame *l = f + m->link;
        const flx_link_tangent *o = g + m->link;
        int at = t->places.v[i];
        m33 R = m33_mul(l->R, m->R);
        v3 c = m33_mul_v(l->R, m->p), Dc = v3_cross(o->theta, c);
        store(t, i, R, v3_add(o->s, Dc), o->theta, dq + at);
        v3 x = v3_add(v3_cross(o->w, c), v3_cross(l->w, Dc));
        store(t, i, R, v3_add(o->v, x), v3_sub(o->w, v3_cross(o->theta, l->w)), dv + at);
        x = v3_add(v3_cross(o->alpha, c), v3_cross(l->alpha, Dc));
        x = v3_add(x, v3_cross(o->w, v3_cross(l->w, c)));
        x = v3_add(x, v3_cross(l->w, v3_add(v3_cross(o->w, c), v3_cross(l->w, Dc))));
        store(t, i, R, v3_add(o->a, x), v3_sub(o->alpha, v3_cross(o->theta, l->alpha)), da + at);
    }
}

void flx_tree_add_turned(const flx_tree *t, const flx_link_frame *loads, flx_link_tangent *g,
                         const double *force, const double *along, double *out)
{
    bool planar = t->t.k.planar;
    for (int i = -1; i < t->t.k.n; i++) g[i].n = zero();
    for (int i = 0; i < t->places.n; i++) {
        const flx_mount *m = t->t.mounts + i;
        const flx_link_frame *l = loads + m->link;
        flx_link_tangent *o = g + m->link;
        const double *in = force + t->places.v[i];
        if (is_zero(o->theta)) continue;
        v3 F = v3_make(in[0], in[1], planar ? 0.0 : in[2]), c = m33_mul_v(l->R, m->p);
        o->n = v3_add(o->n, v3_cross(v3_cross(o->theta, c), F));
        if (planar || t->model->bodies[i].type == FLX_BODY_POINT) continue;
        v3 N = m33_mul_v(l->R, m33_mul_v(m->R, v3_load(in + 3)));
        o->n = v3_add(o->n, v3_cross(o->theta, N));
    }
    for (int i = t->t.k.n - 1; i >= 0; i--) {
        const flx_link *l = t->t.links + i;
        flx_link_tangent *o = g + i, *p = g + l->parent;
        if (l->kind == FLX_LINK_BEND) {
            const flx_bend_load x = {.n = loads[i].n,
                                     .f = loads[i].f,
                                     .dn = o->n,
                                     .theta = o->theta,
                                     .theta_before = p->theta,
                                     .along = along};
            flx_bend_turn(&t->t, loads, i, &x, out);
        }
        v3 n = v3_sub(o->n, v3_cross(o->theta, loads[i].n));
        wrench own = {m33_tmul_v(loads[i].R, n),
                      v3_neg(m33_tmul_v(loads[i].R, v3_cross(o->theta, loads[i].f)))};
        double row[3] = {0, 0, 0};
        flx_tree_restrict(&t->t.k, l, own, row);
        for (int k = 0; k < flx_link_freedom(l->kind, planar); k++) out[l->v + k] += row[k];
        p->n = v3_add(p->n, v3_add(o->n, v3_cross(v3_sub(o->s, p->s), loads[i].f)));
    }
}

// ---- matrices -----------------------------------------------------------------------------------

static bool moves(int n, const double *x)
{
    while (n > 0 && x[n - 1] == 0.0) n--;
    return n > 0;
}

// out (n) += A x over the columns of velocities; A on the inner pattern.
static void add_product(const flx_system *inner, const double *A, const double *x, double *out)
{
    const flx_pattern *p = &inner->pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
            if (j0 >= inner->dims.nv) break;
            if (!moves(n, x + j0)) continue; // links inboard, and beside
            for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
                const double *row = A + p->offset[e] + (i - p->start[bi]) * n;
                for (int j = 0; j < n; j++) out[i] += row[j] * x[j0 + j];
            }
        }
    }
}

static void take_column(const flx_system *inner, const double *A, int column, double *out)
{
    const flx_pattern *p = &inner->pattern;
    int bj = flx_descriptor_of(inner)->block_of[column], c = column - p->start[bj];
    int n = p->start[bj + 1] - p->start[bj];
    memset(out, 0, (size_t)flx_dims_unknowns(&inner->dims) * sizeof *out);
    for (int e = p->row[bj]; e < p->row[bj + 1]; e++) { // the pattern is symmetric
        int bi = p->col[e], at = p->offset[p->transpose[e]];
        for (int i = p->start[bi]; i < p->start[bi + 1]; i++) {
            out[i] = A[at + (i - p->start[bi]) * n + c];
        }
    }
}

// A column of the tree from one of the descriptor: rows of bodies carried to the joints.
static void put_column(const flx_tree *t, flx_tree_work *w, const double *in, const double *add,
                       int j, double *A)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_dims *n = &t->base.dims;
    int total = flx_dims_unknowns(n), shift = flx_tree_shift(t);
    int bj = t->block_of[j], width = p->start[bj + 1] - p->start[bj];
    flx_tree_pull(t, w, in, w->free_a);
    for (int i = 0; i < total; i++) {
        int bi = t->block_of[i];
        double value = i < n->nv ? w->free_a[i] + (add ? add[i] : 0.0) : in[i + shift];
        A[p->offset[p->row[bi] + bj] + (i - p->start[bi]) * width + j - p->start[bj]] = value;
    }
}

// Column j of A2, A1 and A0. first: of the links that it moves; own: its place among velocities of the descriptor,
// -1: a joint's.
static void put_velocity_columns(const flx_tree *t, flx_tree_work *w, int first, direction c,
                                 int own, int j, flx_blocks *b)
{
    flx_tree_tangents *g = &w->tangents;
    const flx_link_frame *base = w->frames + 1;
    size_t n = (size_t)flx_dims_unknowns(&t->inner->dims);
    double *const along[] = {g->dq, g->dv, g->da}, *const out[] = {b->A0, b->A1, b->A2};
    for (int k = FLX_OF_A; k >= FLX_OF_Q; k--) {
        c.level = (flx_tree_level)k;
        differentiate_links(t, base, first, &c, g->relative, g->links + 1);
        differentiate_bodies(t, base, g->links + 1, g->dq, g->dv, g->da);
        memset(g->column, 0, n * sizeof *g->column);
        if (own >= 0) along[k][own] = 1.0;
        add_product(t->inner, g->A2, g->da, g->column);
        if (k != FLX_OF_A) add_product(t->inner, g->A1, g->dv, g->column);
        if (k == FLX_OF_Q) {
            add_product(t->inner, g->A0, g->dq, g->column);
            memset(g->add, 0, (size_t)t->base.dims.nv * sizeof *g->add);
            const double *variables = own < 0 ? NULL : g->dq + flx_tree_inner(t)->variable_v;
            flx_tree_add_turned(t, g->loads + 1, g->links + 1, w->r, variables, g->add);
        }
        if (own >= 0) along[k][own] = 0.0;
        put_column(t, w, g->column, k == FLX_OF_Q ? g->add : NULL, j, out[k]);
    }
}

static void put_link_columns(const flx_tree *t, flx_tree_work *w, flx_blocks *b)
{
    const flx_link_frame *base = w->frames + 1;
    for (int i = 0; i < t->t.k.n; i++) {
        const flx_link *l = t->t.links + i;
        for (int k = 0; k < flx_link_freedom(l->kind, t->t.k.planar); k++) {
            double unit[3] = {0, 0, 0};
            direction c = {.link = i, .variable = -1};
            unit[k] = 1.0;
            flx_tree_expand(&t->t.k, l, unit, &c.w, &c.d);
            c.w = m33_mul_v(base[i].R, c.w);
            c.d = m33_mul_v(base[i].R, c.d);
            put_velocity_columns(t, w, i, c, -1, l->v + k, b);
        }
    }
}

// The columns of a variable that moves links; false: it moves none.
static bool put_bend_columns(const flx_tree *t, flx_tree_work *w, int j, flx_blocks *b)
{
    int variable = j - flx_tree_first_other(t);
    int first = variable < t->nvariable ? flx_bends_first(&t->t, variable) : -1;
    if (first < 0) return false;
    const direction c = {.link = -1, .variable = variable, .w = zero(), .d = zero()};
    put_velocity_columns(t, w, first, c, flx_tree_inner(t)->variable_v + variable, j, b);
    return true;
}

// What bends need at this point, where the loads are.
static void linearise_bends(const flx_tree *t, const flx_link_frame *f, const flx_point *p)
{
    for (int k = 0; k < t->t.nbend; k++) {
        flx_bend_linearise(&t->t, f, t->t.bends[k].link, p->v, p->a);
    }
    flx_bends_curve(&t->t, f);
}

flx_status flx_tree_linearise(const flx_system *s, flx_work *work, const flx_point *p,
                              flx_blocks *b)
{
    const flx_tree *t = flx_tree_of(s);
    flx_tree_work *w = flx_tree_work_of(work);
    flx_tree_tangents *g = &w->tangents;
    const flx_pattern *pt = &s->pattern;
    size_t links = (size_t)t->t.k.n + 1, values = (size_t)pt->offset[pt->row[pt->nblock]];
    flx_blocks inner = {g->A0, g->A1, g->A2};
    flx_point c = flx_tree_carry_all(t, w, p);
    FLX_TRY(flx_eval_residual(t->inner, w->inner, &c, w->r));
    FLX_TRY(flx_eval_linearise(t->inner, w->inner, &c, &inner));
    flx_tree_forces(&t->t, &t->places, w->frames, w->r, w->free_a);
    if (t->by_links) {
        flx_tree_linearise_links(t, w, p, &inner, b);
        return FLX_OK;
    }
    memcpy(g->loads, w->frames, links * sizeof *g->loads); // moment and force of all outboard
    memset(b->A0, 0, values * sizeof *b->A0);
    memset(b->A1, 0, values * sizeof *b->A1);
    memset(b->A2, 0, values * sizeof *b->A2);
    linearise_bends(t, w->frames + 1, p);
    for (int i = 0; i < t->t.k.n; i++) {
        flx_tree_relative(&t->t, w->frames + 1, i, p->v, p->a, g->relative + i);
    }
    put_link_columns(t, w, b);
    int shift = flx_tree_shift(t);
    for (int j = flx_tree_first_other(t); j < flx_dims_unknowns(&s->dims); j++) {
        if (put_bend_columns(t, w, j, b)) continue;
        take_column(t->inner, g->A0, j + shift, g->column);
        put_column(t, w, g->column, NULL, j, b->A0);
        if (j >= s->dims.nv + s->dims.nx) continue;
        take_column(t->inner, g->A1, j + shift, g->column);
        put_column(t, w, g->column, NULL, j, b->A1);
        if (j >= s->dims.nv) continue;
        take_column(t->inner, g->A2, j + shift, g->column);
        put_column(t, w, g->column, NULL, j, b->A2);
    }
    return FLX_OK;
}
