// tree_linearise.c - exact derivatives of (TREE-11), column by column.
//
// For a unit increment of one joint coordinate all frames outboard move by (theta, s) in the ground's
// axes: what is fixed in a link changes by theta x. With that, (TREE-3) in the ground's axes gives by
// the rules of products how velocities and accelerations of the bodies change, and
//     dr = P^T (K_b dq_b + D_b dv_b + M_b da_b) + dP^T r_b                        (TREE-15)
// K_b, D_b, M_b are those of the descriptor. Increments of v and v' move nothing: their columns have
// the last two and the last term in front. Every column is a pass outwards and one inwards.
#include "system/tree_parts.h"

static v3 zero(void)
{
    return v3_make(0, 0, 0);
}

static bool is_zero(v3 a)
{
    return a.x == 0.0 && a.y == 0.0 && a.z == 0.0;
}

// Which of q, v, v' gets the unit increment.
typedef enum kind { OF_Q, OF_V, OF_A } kind;

// One link outwards. own: whether the increment is that of its joint, then (w, d): the joint's motion.
static void differentiate_link(const flx_tree *t, const flx_link_frame *f, int i, kind k, bool own,
                               v3 w, v3 d, const double *v, const double *a, flx_link_tangent *g)
{
    const flx_link *l = t->t.links + i;
    const flx_link_frame *p = f + l->parent, *c = f + i;
    const flx_link_tangent *gp = g + l->parent;
    flx_link_tangent *o = g + i;
    v3 wr, dr, dw, dd, r = v3_sub(c->p, p->p), none = zero();
    flx_tree_expand(&t->t.k, l, v + l->v, &wr, &dr);
    flx_tree_expand(&t->t.k, l, a + l->v, &dw, &dd);
    wr = m33_mul_v(c->R, wr);
    dr = m33_mul_v(c->R, dr);
    dw = m33_mul_v(c->R, dw);
    dd = m33_mul_v(c->R, dd);
    o->theta = v3_add(gp->theta, own && k == OF_Q ? w : none);
    v3 Dr = v3_add(v3_cross(gp->theta, r), own && k == OF_Q ? d : none);
    o->s = v3_add(gp->s, Dr);
    v3 DW = v3_add(v3_cross(o->theta, wr), own && k == OF_V ? w : none);
    v3 DV = v3_add(v3_cross(o->theta, dr), own && k == OF_V ? d : none);
    v3 DdW = v3_add(v3_cross(o->theta, dw), own && k == OF_A ? w : none);
    v3 DdV = v3_add(v3_cross(o->theta, dd), own && k == OF_A ? d : none);
    o->w = v3_add(gp->w, DW);
    o->v = v3_add(v3_add(gp->v, v3_cross(gp->w, r)), v3_add(v3_cross(p->w, Dr), DV));
    o->alpha = v3_add(gp->alpha, v3_add(v3_cross(gp->w, wr), v3_add(v3_cross(p->w, DW), DdW)));
    v3 x = v3_add(v3_cross(gp->alpha, r), v3_cross(p->alpha, Dr));
    x = v3_add(x, v3_cross(gp->w, v3_cross(p->w, r)));
    x = v3_add(x, v3_cross(p->w, v3_add(v3_cross(gp->w, r), v3_cross(p->w, Dr))));
    x = v3_axpy(2.0, v3_add(v3_cross(gp->w, dr), v3_cross(p->w, DV)), x);
    o->a = v3_add(gp->a, v3_add(x, DdV));
}

static void differentiate_links(const flx_tree *t, const flx_link_frame *f, kind k, int link,
                                int freedom, const flx_point *p, flx_link_tangent *g)
{
    double unit[3] = {0, 0, 0};
    v3 w, d;
    unit[freedom] = 1.0;
    flx_tree_expand(&t->t.k, t->t.links + link, unit, &w, &d);
    w = m33_mul_v(f[link].R, w);
    d = m33_mul_v(f[link].R, d);
    memset(g - 1, 0, ((size_t)t->t.k.n + 1) * sizeof *g);
    for (int i = link; i < t->t.k.n; i++) {
        differentiate_link(t, f, i, k, i == link, w, d, p->v, p->a, g);
    }
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
                         const double *force, double *out)
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

// out (n) += A x over the columns of velocities; A on the inner pattern.
static void add_product(const flx_system *inner, const double *A, const double *x, double *out)
{
    const flx_pattern *p = &inner->pattern;
    for (int bi = 0; bi < p->nblock; bi++) {
        for (int e = p->row[bi]; e < p->row[bi + 1]; e++) {
            int j0 = p->start[p->col[e]], n = p->start[p->col[e] + 1] - j0;
            if (j0 >= inner->dims.nv) break;
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
static void put_column(const flx_tree *t, flx_tree_work *w, const double *column, const double *add,
                       int j, double *A)
{
    const flx_pattern *p = &t->base.pattern;
    const flx_dims *n = &t->base.dims;
    int total = flx_dims_unknowns(n), shift = flx_tree_shift(t), links = flx_tree_first_other(t);
    int bj = t->block_of[j], width = p->start[bj + 1] - p->start[bj];
    flx_tree_forces(&t->t, &t->places, w->frames, column, w->free_a);
    for (int i = 0; i < total; i++) {
        int bi = t->block_of[i];
        double value = i < links ? w->free_a[i] + (add ? add[i] : 0.0) : column[i + shift];
        A[p->offset[p->row[bi] + bj] + (i - p->start[bi]) * width + j - p->start[bj]] = value;
    }
}

static void put_velocity_columns(const flx_tree *t, flx_tree_work *w, const flx_point *p,
                                 flx_blocks *b)
{
    flx_tree_tangents *g = &w->tangents;
    const flx_link_frame *base = w->frames + 1;
    size_t n = (size_t)flx_dims_unknowns(&t->inner->dims);
    for (int i = 0; i < t->t.k.n; i++) {
        for (int c = 0; c < flx_link_freedom(t->t.links[i].kind, t->t.k.planar); c++) {
            int j = t->t.links[i].v + c;
            for (int k = OF_A; k >= OF_Q; k--) {
                differentiate_links(t, base, (kind)k, i, c, p, g->links + 1);
                differentiate_bodies(t, base, g->links + 1, g->dq, g->dv, g->da);
                memset(g->column, 0, n * sizeof *g->column);
                add_product(t->inner, g->A2, g->da, g->column);
                if (k != OF_A) add_product(t->inner, g->A1, g->dv, g->column);
                if (k != OF_Q) {
                    put_column(t, w, g->column, NULL, j, k == OF_A ? b->A2 : b->A1);
                    continue;
                }
                add_product(t->inner, g->A0, g->dq, g->column);
                memset(g->add, 0, (size_t)t->base.dims.nv * sizeof *g->add);
                flx_tree_add_turned(t, g->loads + 1, g->links + 1, w->r, g->add);
                put_column(t, w, g->column, g->add, j, b->A0);
            }
        }
    }
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
    put_velocity_columns(t, w, p, b);
    int shift = flx_tree_shift(t);
    for (int j = flx_tree_first_other(t); j < flx_dims_unknowns(&s->dims); j++) {
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
